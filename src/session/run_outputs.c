/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs without a file are printed.
 */
#include "session/run_outputs.h"

#include "base/utf8.h"
#include "session/run_values.h"

tacho_status tacho_run_outputs_check(const tacho_run_outputs *outputs, tacho_run_session *session)
{
    size_t count = session->module.program.output_count;
    if (outputs->text_count > count) {
        return tacho_fail(TACHO_CODE_USAGE, "output '%s': too many outputs; the program has %zu",
                          outputs->texts[count], count);
    }
    for (size_t i = 0; i < outputs->text_count; i++) {
        const char *text = outputs->texts[i];
        bool is_file = text[0] == '@' && text[1] != '\0';
        if (!is_file && text[0] != '\0' && strcmp(text, "-") != 0) {
            return tacho_fail(
                TACHO_CODE_USAGE,
                "output '%s': expected @FILE.npy, - to print the output, or an empty value", text);
        }
        if (is_file && !tacho_device_has_values(session->device)) {
            return tacho_fail(TACHO_CODE_USAGE, "output '%s': no values are computed", text);
        }
        TACHO_TRY(tacho_run_check_output(session, is_file ? text + 1 : NULL));
    }
    return TACHO_OK;
}

/* Whether output |index| is to be printed. */
static bool run_output_is_printed(const tacho_run_outputs *outputs, size_t index)
{
    return index >= outputs->text_count || strcmp(outputs->texts[index], "-") == 0;
}

static bool is_written(const tacho_run_outputs *outputs, size_t index)
{
    return index < outputs->text_count && outputs->texts[index][0] == '@';
}

/* A board may be gone before its last output has arrived: then none is written. */
static tacho_status fetch_all(const tacho_run_outputs *outputs, const tacho_run_session *session)
{
    size_t count = session->module.program.output_count;
    for (size_t i = 0; i < count; i++) {
        tacho_array array;
        if (is_written(outputs, i) || run_output_is_printed(outputs, i)) {
            TACHO_TRY(tacho_device_output(session->device, i, &array));
        }
    }
    return TACHO_OK;
}

static tacho_status write_all(const tacho_run_outputs *outputs, const tacho_run_session *session,
                              tacho_output_group *group)
{
    for (size_t i = 0; i < outputs->text_count; i++) {
        tacho_array array;
        if (is_written(outputs, i)) {
            TACHO_TRY(tacho_device_output(session->device, i, &array));
            TACHO_TRY(tacho_run_value_write(&array, outputs->texts[i] + 1, false, group));
        }
    }
    return tacho_output_group_finish(group);
}

tacho_status tacho_run_outputs_write(const tacho_run_outputs *outputs,
                                     const tacho_run_session *session)
{
    tacho_output_group group = {.is_whole = true};
    if (session->totals.latency_count == 0 || !tacho_device_has_values(session->device)) {
        return TACHO_OK;
    }
    TACHO_TRY(fetch_all(outputs, session));
    tacho_status status = write_all(outputs, session, &group);
    tacho_output_group_deinit(&group);
    return status;
}

void tacho_run_outputs_say(const tacho_run_outputs *outputs, const tacho_run_session *session)
{
    const tacho_program *program = &session->module.program;
    for (size_t i = 0; i < outputs->text_count && session->totals.latency_count > 0; i++) {
        if (outputs->texts[i][0] == '@') {
            tacho_str name = tacho_run_string(session, program->tensors[program->outputs[i]].name);
            tacho_note(session->request->notes, "wrote", "%s: output %zu%s%.*s",
                       outputs->texts[i] + 1, i, name.len > 0 ? " " : "", TACHO_STR_ARG(name));
        }
    }
}

static tacho_status print_name(const tacho_run_session *session, size_t index, tacho_output *to)
{
    const tacho_program *program = &session->module.program;
    tacho_str name = tacho_run_string(session, program->tensors[program->outputs[index]].name);
    tacho_arena arena;
    tacho_str safe = TACHO_STR("");
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_printable(name, &arena, &safe);
    tacho_output_printf(to, "output %zu%s", index, safe.len > 0 ? " " : "");
    tacho_output_write_str(to, safe);
    tacho_output_write_cstring(to, ": ");
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_run_outputs_print(const tacho_run_outputs *outputs,
                                     const tacho_run_session *session, tacho_output *to)
{
    bool has_values = tacho_device_has_values(session->device);
    size_t count = has_values ? session->module.program.output_count : 0;
    for (size_t i = 0; i < count && session->totals.latency_count > 0; i++) {
        tacho_array array;
        if (run_output_is_printed(outputs, i)) {
            if (outputs->put_name != NULL) {
                outputs->put_name(i, to);
            } else {
                TACHO_TRY(print_name(session, i, to));
            }
            TACHO_TRY(tacho_device_output(session->device, i, &array));
            TACHO_TRY(tacho_run_value_print(&array, outputs->element_max, to));
            tacho_output_write_cstring(to, "\n");
        }
    }
    return TACHO_OK;
}
