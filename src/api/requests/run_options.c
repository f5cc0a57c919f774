/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and devices of command lines that run programs, and options that go against each other.
 */
#include "api/requests/run_options.h"

#include "api/requests/compile_options.h"
#include "api/requests/outputs.h"
#include "vendors/torq/run_files.h"
#include "api/requests/request.h"

#include <stdio.h>

static tacho_status make_list(tacho_request *given, const char *option, const char *prefix,
                              tacho_arena *arena, const char ***out_list)
{
    size_t at = 0, count = 0;
    TACHO_TRY(
        tacho_arena_alloc(arena, (given->item_count + 1) * sizeof(char *), (void **)out_list));
    for (const char *value; (value = tacho_request_next(given, option, &at)) != NULL;) {
        size_t room = strlen(prefix) + strlen(value) + 1;
        char *text = NULL;
        TACHO_TRY(tacho_arena_alloc(arena, room, (void **)&text));
        snprintf(text, room, "%s%s", prefix, value);
        (*out_list)[count++] = text;
    }
    (*out_list)[count] = NULL;
    return TACHO_OK;
}

int tacho_run_choose_list(tacho_request *given, const char *option, const char *prefix,
                          tacho_arena *arena, const char *const **out_list, size_t *out_count)
{
    const char **list = NULL;
    tacho_status status = make_list(given, option, prefix, arena, &list);
    *out_list = list;
    *out_count = 0;
    while (status == TACHO_OK && list[*out_count] != NULL) {
        ++*out_count;
    }
    return status == TACHO_OK ? TACHO_OUTCOME_DONE : tacho_request_fail(given, status);
}

/* The device that --device and --machine name. */
static int choose_device(tacho_request *given, tacho_arena *arena, const char **out_device)
{
    const char *device = tacho_request_value(given, "device");
    const char *machine = tacho_request_value(given, "machine");
    const char *const *list = NULL;
    size_t count = 0;
    *out_device = device != NULL ? device : TACHO_RUN_DEFAULT_DEVICE;
    bool is_open = strcmp(*out_device, TACHO_RUN_DEFAULT_DEVICE) == 0;
    if (machine == NULL ||
        (!is_open && strcmp(tacho_run_device_machine(*out_device), machine) == 0)) {
        return TACHO_OUTCOME_DONE;
    }
    if (!is_open) {
        return tacho_request_misuse(
            given, "{machine} %s means {device} sim:%s, which contradicts {device} %s", machine,
            machine, device);
    }
    int outcome =
        tacho_run_choose_list(given, "machine", TACHO_RUN_DEFAULT_DEVICE ":", arena, &list, &count);
    *out_device = outcome == TACHO_OUTCOME_DONE ? list[count - 1] : *out_device;
    return outcome;
}

/* ---- options that go against each other ---------------------------------------------------- */

/* What an option would do if the other one let it. */
static const struct {
    const char *option;
    const char *other;
    const char *value; /* of the other one; NULL: any */
    const char *why;
} voids[] = {
    {"compare", "no-tables", NULL, "it adds a table"},
    {"blocks", "no-tables", NULL, "it adds a table"},
    {"top", "no-tables", NULL, "it limits a table"},
    {"filter", "no-tables", NULL, "it limits a table"},
    {"format", "no-tables", NULL, "it selects a table format"},
    {"json", "no-tables", NULL, "it selects a table format"},
    {"csv", "no-tables", NULL, "it selects a table format"},
    {"input", "no-values", NULL, "nothing is computed"},
    {"seed", "no-values", NULL, "nothing is computed"},
    {"kernels", "no-values", NULL, "nothing is computed"},
    {"threads", "no-values", NULL, "nothing is computed"},
    {"profile", "samples", "0", "nothing is recorded"},
    {"stats-dir", "samples", "0", "nothing is recorded"},
    {"compare", "samples", "0", "nothing is recorded"},
    {"start-iteration", "samples", "0", "nothing is recorded"},
    {"start-delay", "samples", "0", "nothing is recorded"},
};

static bool is_void(tacho_request *given, size_t i)
{
    const char *value = tacho_request_value(given, voids[i].other);
    return tacho_request_has(given, voids[i].option) && value != NULL &&
           (voids[i].value == NULL || strcmp(value, voids[i].value) == 0);
}

/* Whether no option is there that another one, or the device, makes void. */
static bool check_options(tacho_request *given, const char *device)
{
    static const char *const simulated[] = {"unlimited", "no-values", NULL};
    static const char *const computing[] = {"kernels", "threads", NULL};
    const tacho_device_type *type = tacho_run_device_type(device);
    const char *stray =
        type != NULL && !type->has_time_model ? tacho_request_find(given, simulated) : NULL;
    const char *idle =
        type != NULL && !type->computes_values ? tacho_request_find(given, computing) : NULL;
    if (stray != NULL) {
        tacho_request_misuse(given, "{%s} applies only to simulated devices such as sim, not to %s",
                             stray, device);
    } else if (idle != NULL) {
        tacho_request_misuse(given, "{%s} has no effect: device %s computes nothing", idle, device);
    }
    static const char *const of_boards[] = {"board-path", "board-runtime", "board-wait", "timeout",
                                            NULL};
    const char *lone =
        tacho_request_has(given, "host") ? NULL : tacho_request_find(given, of_boards);
    if (lone != NULL) {
        tacho_request_misuse(given, "{%s} needs {host} USER@HOST", lone);
        return false;
    }
    for (size_t i = 0; i < sizeof(voids) / sizeof(voids[0]) && stray == NULL && idle == NULL; i++) {
        if (is_void(given, i)) {
            tacho_request_misuse(given, "{%s} has no effect with {%s}%s%s: %s", voids[i].option,
                                 voids[i].other, voids[i].value != NULL ? " " : "",
                                 voids[i].value != NULL ? voids[i].value : "", voids[i].why);
            return false;
        }
    }
    return stray == NULL && idle == NULL;
}

/* ---- what runs, and how a model is compiled ------------------------------------------------ */

static bool choose_path(tacho_request *given, tacho_run_choice *choice)
{
    static const char *const of_models[] = {"cores",   "stats-level", "dim", "bind",
                                            "weights", "dtype",       NULL};
    size_t count = given->word_count;
    choice->whole.request.path = count == 1 ? given->words[0] : NULL;
    if (count != 1) {
        tacho_request_misuse(
            given, count == 0 ? "no program given; name a program, or an .onnx or .mlir file"
                              : "more than one program given");
        return false;
    }
    const char *stray = tacho_request_find(given, of_models);
    bool is_good = stray == NULL || !tacho_run_is_program(choice->whole.request.path);
    if (!is_good) {
        tacho_request_misuse(given, "{%s}: %s is a program, and has been compiled already", stray,
                             choice->whole.request.path);
    }
    return is_good;
}

static int choose_model(tacho_request *given, tacho_run_choice *choice)
{
    tacho_run_compile *compile = &choice->whole.request.compile;
    const char *weights = tacho_request_value(given, "weights");
    const char *dtype = tacho_request_value(given, "dtype");
    int outcome = TACHO_OUTCOME_DONE;
    compile->compile.bytes_max = choice->whole.request.device_options.is_forced ? UINT64_MAX : 0;
    if (weights != NULL) {
        outcome =
            tacho_request_check(given, "weights", tacho_spec_weights(weights, &compile->model));
    }
    if (outcome == TACHO_OUTCOME_DONE && dtype != NULL) {
        outcome = tacho_request_check(given, "dtype",
                                      tacho_spec_dtype(dtype, &compile->compile.estimate.cost));
    }
    return outcome == TACHO_OUTCOME_DONE
               ? tacho_compile_choose_sizes(given, &choice->arena, &compile->model)
               : outcome;
}

/* ---- what comes of it ---------------------------------------------------------------------- */

static bool choose_profile(tacho_request *given, tacho_run_choice *choice)
{
    const char *format = tacho_request_value(given, "profile-format");
    tacho_run_profile_file *file = &choice->whole.profile;
    choice->whole.request.held_bytes_max = file->path == NULL ? TACHO_RUN_HELD_BYTES : 0;
    if (file->path == NULL && format != NULL) {
        tacho_request_misuse(given, "{profile-format} needs {profile} FILE");
    }
    if (file->path == NULL) {
        return format == NULL;
    }
    file->format = format != NULL ? tacho_run_torq_format_find(format) : NULL;
    if (file->format != NULL) {
        return true;
    }
    file->sink = tacho_request_trace_sink(given, "profile-format", file->path, "r0, r1, r2 or ");
    return file->sink != NULL;
}

static bool choose_report(tacho_request *given, tacho_run_choice *choice)
{
    size_t at = 0;
    choice->whole.has_top = tacho_request_has(given, "top");
    choice->whole.report.sink = tacho_request_table_sink(given, given->listener.output);
    choice->whole.report.keeper = given->listener.output == NULL ? &given->keeper : NULL;
    for (const char *output; (output = tacho_request_next(given, "output", &at)) != NULL;) {
        if (choice->whole.report.sink != NULL && strcmp(output, "-") == 0 &&
            choice->whole.report.sink != &tacho_table_sink_text) {
            tacho_request_misuse(given, "{output} - prints text, and {format} asks "
                                        "for tables only; use {output} @FILE.npy");
            return false;
        }
    }
    return choice->whole.report.sink != NULL;
}

int tacho_run_choose(tacho_request *given, tacho_run_choice *choice)
{
    tacho_run_request *request = &choice->whole.request;
    tacho_run_outputs *outputs = &choice->whole.outputs;
    int outcome = tacho_run_choose_list(given, "input", "", &choice->arena, &request->inputs,
                                        &request->input_count);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = tacho_run_choose_list(given, "output", "", &choice->arena, &outputs->texts,
                                        &outputs->text_count);
    }
    if (outcome == TACHO_OUTCOME_DONE &&
        (!choose_path(given, choice) || !choose_report(given, choice))) {
        outcome = TACHO_OUTCOME_USAGE;
    }
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = choose_device(given, &choice->arena, &request->device);
    }
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    if (!tacho_request_fill(given, choice) || !check_options(given, request->device) ||
        !choose_profile(given, choice)) {
        return TACHO_OUTCOME_USAGE;
    }
    tacho_run_request_complete(request, choice->whole.report.compares);
    if (!tacho_request_number(given, "start-iteration", 0, request->iterations - 1,
                              &request->sampling.start)) {
        return TACHO_OUTCOME_USAGE;
    }
    outcome = tacho_request_filter_open(&choice->filter, given, &choice->whole.report.ops.filter);
    return outcome == TACHO_OUTCOME_DONE ? choose_model(given, choice) : outcome;
}
