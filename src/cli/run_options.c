/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and devices of command lines that run programs, and options that go against each other.
 */
#include "cli/run_options.h"

#include "cli/compile_options.h"
#include "cli/outputs.h"
#include "cli/talk.h"
#include "vendors/torq/run_files.h"

#include <stdio.h>

static tacho_status make_list(const tacho_arguments *arguments, const char *option,
                              const char *prefix, tacho_arena *arena, const char ***out_list)
{
    size_t at = 0, count = 0;
    TACHO_TRY(
        tacho_arena_alloc(arena, (arguments->item_count + 1) * sizeof(char *), (void **)out_list));
    for (const char *value; (value = tacho_arguments_next(arguments, option, &at)) != NULL;) {
        size_t room = strlen(prefix) + strlen(value) + 1;
        char *text = NULL;
        TACHO_TRY(tacho_arena_alloc(arena, room, (void **)&text));
        snprintf(text, room, "%s%s", prefix, value);
        (*out_list)[count++] = text;
    }
    (*out_list)[count] = NULL;
    return TACHO_OK;
}

int tacho_run_choose_list(const tacho_arguments *arguments, const char *option, const char *prefix,
                          tacho_arena *arena, const char *const **out_list, size_t *out_count)
{
    const char **list = NULL;
    tacho_status status = make_list(arguments, option, prefix, arena, &list);
    *out_list = list;
    *out_count = 0;
    while (status == TACHO_OK && list[*out_count] != NULL) {
        ++*out_count;
    }
    return status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
}

/* The device that --device and --machine name. */
static int choose_device(const tacho_arguments *arguments, tacho_arena *arena,
                         const char **out_device)
{
    const char *device = tacho_arguments_value(arguments, "device");
    const char *machine = tacho_arguments_value(arguments, "machine");
    const char *const *list = NULL;
    size_t count = 0;
    *out_device = device != NULL ? device : TACHO_RUN_DEFAULT_DEVICE;
    bool is_open = strcmp(*out_device, TACHO_RUN_DEFAULT_DEVICE) == 0;
    if (machine == NULL ||
        (!is_open && strcmp(tacho_run_device_machine(*out_device), machine) == 0)) {
        return TACHO_EXIT_DONE;
    }
    if (!is_open) {
        return tacho_command_misuse(
            arguments->command, "--machine %s means --device sim:%s, which contradicts --device %s",
            machine, machine, device);
    }
    int exit_code = tacho_run_choose_list(arguments, "machine", TACHO_RUN_DEFAULT_DEVICE ":", arena,
                                          &list, &count);
    *out_device = exit_code == TACHO_EXIT_DONE ? list[count - 1] : *out_device;
    return exit_code;
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

static bool is_void(const tacho_arguments *arguments, size_t i)
{
    const char *value = tacho_arguments_value(arguments, voids[i].other);
    return tacho_arguments_has(arguments, voids[i].option) && value != NULL &&
           (voids[i].value == NULL || strcmp(value, voids[i].value) == 0);
}

/* Whether no option is there that another one, or the device, makes void. */
static bool check_options(const tacho_arguments *arguments, const char *device)
{
    static const char *const simulated[] = {"unlimited", "no-values", NULL};
    static const char *const computing[] = {"kernels", "threads", NULL};
    const tacho_device_type *type = tacho_run_device_type(device);
    const char *stray =
        type != NULL && !type->has_time_model ? tacho_arguments_find(arguments, simulated) : NULL;
    const char *idle =
        type != NULL && !type->computes_values ? tacho_arguments_find(arguments, computing) : NULL;
    if (stray != NULL) {
        tacho_command_misuse(arguments->command,
                             "--%s applies only to simulated devices such as sim, not to %s", stray,
                             device);
    } else if (idle != NULL) {
        tacho_command_misuse(arguments->command, "--%s has no effect: device %s computes nothing",
                             idle, device);
    }
    static const char *const of_boards[] = {"board-path", "board-runtime", "board-wait", "timeout",
                                            NULL};
    const char *lone =
        tacho_arguments_has(arguments, "host") ? NULL : tacho_arguments_find(arguments, of_boards);
    if (lone != NULL) {
        tacho_command_misuse(arguments->command, "--%s needs --host USER@HOST", lone);
        return false;
    }
    for (size_t i = 0; i < sizeof(voids) / sizeof(voids[0]) && stray == NULL && idle == NULL; i++) {
        if (is_void(arguments, i)) {
            tacho_command_misuse(arguments->command, "--%s has no effect with --%s%s%s: %s",
                                 voids[i].option, voids[i].other, voids[i].value != NULL ? " " : "",
                                 voids[i].value != NULL ? voids[i].value : "", voids[i].why);
            return false;
        }
    }
    return stray == NULL && idle == NULL;
}

/* ---- what runs, and how a model is compiled ------------------------------------------------ */

static bool choose_path(const tacho_arguments *arguments, tacho_run_choice *choice)
{
    static const char *const of_models[] = {"cores",   "stats-level", "dim", "bind",
                                            "weights", "dtype",       NULL};
    size_t count = arguments->word_count;
    choice->whole.request.path = count == 1 ? arguments->words[0] : NULL;
    if (count != 1) {
        tacho_command_misuse(arguments->command,
                             count == 0
                                 ? "no program given; name a program, or an .onnx or .mlir file"
                                 : "more than one program given");
        return false;
    }
    const char *stray = tacho_arguments_find(arguments, of_models);
    bool is_good = stray == NULL || !tacho_run_is_program(choice->whole.request.path);
    if (!is_good) {
        tacho_command_misuse(arguments->command,
                             "--%s: %s is a program, and has been compiled already", stray,
                             choice->whole.request.path);
    }
    return is_good;
}

static int choose_model(const tacho_arguments *arguments, tacho_run_choice *choice)
{
    tacho_run_compile *compile = &choice->whole.request.compile;
    const char *weights = tacho_arguments_value(arguments, "weights");
    const char *dtype = tacho_arguments_value(arguments, "dtype");
    int exit_code = TACHO_EXIT_DONE;
    compile->compile.bytes_max = choice->whole.request.device_options.is_forced ? UINT64_MAX : 0;
    if (weights != NULL) {
        exit_code = tacho_command_check(arguments->command, "weights",
                                        tacho_spec_weights(weights, &compile->model));
    }
    if (exit_code == TACHO_EXIT_DONE && dtype != NULL) {
        exit_code = tacho_command_check(arguments->command, "dtype",
                                        tacho_spec_dtype(dtype, &compile->compile.estimate.cost));
    }
    return exit_code == TACHO_EXIT_DONE
               ? tacho_compile_choose_sizes(arguments, &choice->arena, &compile->model)
               : exit_code;
}

/* ---- what comes of it ---------------------------------------------------------------------- */

static bool choose_profile(const tacho_arguments *arguments, tacho_run_choice *choice)
{
    const char *format = tacho_arguments_value(arguments, "profile-format");
    tacho_run_profile_file *file = &choice->whole.profile;
    choice->whole.request.held_bytes_max = file->path == NULL ? TACHO_RUN_HELD_BYTES : 0;
    if (file->path == NULL && format != NULL) {
        tacho_command_misuse(arguments->command, "--profile-format needs --profile FILE");
    }
    if (file->path == NULL) {
        return format == NULL;
    }
    file->format = format != NULL ? tacho_run_torq_format_find(format) : NULL;
    if (file->format != NULL) {
        return true;
    }
    file->sink = tacho_cli_trace_sink(arguments, "profile-format", file->path, "r0, r1, r2 or ");
    return file->sink != NULL;
}

static bool choose_report(const tacho_arguments *arguments, tacho_run_choice *choice)
{
    size_t at = 0;
    choice->whole.has_top = tacho_arguments_has(arguments, "top");
    choice->whole.report.sink = tacho_cli_table_sink(arguments, "-");
    for (const char *output; (output = tacho_arguments_next(arguments, "output", &at)) != NULL;) {
        if (choice->whole.report.sink != NULL && strcmp(output, "-") == 0 &&
            choice->whole.report.sink != &tacho_table_sink_text) {
            tacho_command_misuse(arguments->command, "--output - prints text, and --format asks "
                                                     "for tables only; use --output @FILE.npy");
            return false;
        }
    }
    return choice->whole.report.sink != NULL;
}

int tacho_run_choose(const tacho_arguments *arguments, tacho_run_choice *choice)
{
    tacho_run_request *request = &choice->whole.request;
    tacho_run_outputs *outputs = &choice->whole.outputs;
    int exit_code = tacho_run_choose_list(arguments, "input", "", &choice->arena, &request->inputs,
                                          &request->input_count);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = tacho_run_choose_list(arguments, "output", "", &choice->arena, &outputs->texts,
                                          &outputs->text_count);
    }
    if (exit_code == TACHO_EXIT_DONE &&
        (!choose_path(arguments, choice) || !choose_report(arguments, choice))) {
        exit_code = TACHO_EXIT_USAGE;
    }
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = choose_device(arguments, &choice->arena, &request->device);
    }
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    if (!tacho_arguments_fill(arguments, choice) || !check_options(arguments, request->device) ||
        !choose_profile(arguments, choice)) {
        return TACHO_EXIT_USAGE;
    }
    tacho_run_request_complete(request, choice->whole.report.compares);
    if (!tacho_arguments_number(arguments, "start-iteration", 0, request->iterations - 1,
                                &request->sampling.start)) {
        return TACHO_EXIT_USAGE;
    }
    exit_code = tacho_cli_filter_open(&choice->filter, arguments, &choice->whole.report.ops.filter);
    return exit_code == TACHO_EXIT_DONE ? choose_model(arguments, choice) : exit_code;
}
