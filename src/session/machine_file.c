/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a name, or a measurement, to a file.
 */
#include "session/machine_file.h"

#include "base/output.h"
#include "machine/calibrate.h"
#include "session/find_machine.h"
#include "session/host_machine.h"

static tacho_status find_description(const char *name, const tacho_notes *notes, tacho_arena *arena,
                                     tacho_str *out_text)
{
    tacho_machine *machine = NULL;
    *out_text = tacho_machine_builtin_text(tacho_str_from_cstring(name));
    bool is_builtin = out_text->len > 0;
    if (!is_builtin || tacho_is_host_machine(name)) {
        TACHO_TRY(tacho_session_find_machine(name, notes, arena, &machine));
        *out_text = machine->text;
    }
    return is_builtin
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "%s is already a description; copy the file", name);
}

tacho_status tacho_machine_file_write(const char *path, tacho_str text)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_output_write_str(&output, text);
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}

tacho_status tacho_machine_file_export(const char *name, const tacho_notes *notes, const char *path)
{
    tacho_arena arena;
    tacho_str text = TACHO_STR("");
    tacho_arena_init(&arena);
    tacho_status status = find_description(name, notes, &arena, &text);
    if (status == TACHO_OK) {
        status = tacho_machine_file_write(path, text);
    }
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_machine_file_calibrate(const char *path)
{
    tacho_arena arena;
    tacho_str text = TACHO_STR("");
    tacho_arena_init(&arena);
    tacho_status status = tacho_machine_calibrate(false, &arena, &text);
    if (status == TACHO_OK) {
        status = tacho_machine_file_write(path, text);
    }
    tacho_arena_deinit(&arena);
    return status;
}
