/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of tacho opstats and qaic-opstats.
 */
#include "cli/opstats_options.h"

#include "cli/common_options.h"
#include "cli/outputs.h"
#include "cli/talk.h"

#include "base/grow.h"
#include "sinks/chrome_json.h"

#include <stdlib.h>

static int choose_list(const tacho_arguments *arguments, const char *name,
                       tacho_stats_choice *out_choice)
{
    const char *value = tacho_arguments_value(arguments, name);
    if (value == NULL) {
        return TACHO_EXIT_DONE;
    }
    uint32_t *items = tacho_items_alloc(strlen(value), sizeof(*items));
    if (items == NULL) {
        return tacho_command_no_memory();
    }
    *out_choice = (tacho_stats_choice){items, 0};
    tacho_str rest = tacho_str_from_cstring(value);
    for (bool is_last = false; !is_last;) {
        size_t len = tacho_str_find_byte(rest, ',');
        uint64_t number = 0;
        is_last = len == rest.len;
        if (!tacho_str_parse_u64(tacho_str_trim(tacho_str_make(rest.data, len)), &number) ||
            number > UINT16_MAX) {
            return tacho_command_misuse(arguments->command,
                                        "--%s: expected a list of numbers such as 0,5,1, not '%s'",
                                        name, value);
        }
        items[out_choice->item_count++] = (uint32_t)number;
        rest = tacho_str_from(rest, is_last ? len : len + 1);
    }
    return TACHO_EXIT_DONE;
}

static bool choose_sinks(const tacho_arguments *arguments, tacho_opstats_request *request)
{
    const char *format = tacho_common_format(arguments);
    bool is_table = format != NULL && strcmp(format, "text") != 0;
    request->table_sink = is_table ? tacho_cli_table_format(arguments->command, format) : NULL;
    request->trace_sink = tacho_arguments_has(arguments, "to")
                              ? tacho_cli_trace_sink(arguments, "to", "", "")
                              : &tacho_sink_chrome_json;
    return (request->table_sink != NULL || !is_table) && request->trace_sink != NULL;
}

/* The program and the stats may be plain words, too: what options have not named. */
static bool choose_paths(const tacho_arguments *arguments, tacho_opstats_request *request)
{
    bool is_dropin = arguments->command->is_dropin;
    const char **const open[] = {&request->program_path, &request->input_path};
    size_t taken = 0;
    for (size_t i = 0; i < 2 && !is_dropin && taken < arguments->word_count; i++) {
        *open[i] = *open[i] == NULL ? arguments->words[taken++] : *open[i];
    }
    if (taken < arguments->word_count) {
        tacho_command_misuse(arguments->command, "unexpected argument '%s'",
                             arguments->words[taken]);
        return false;
    }
    if (request->program_path == NULL) {
        tacho_command_misuse(arguments->command,
                             "no program given; use --%s FILE (the programqpc.bin that was run)",
                             is_dropin ? "qpc" : "program");
    } else if (request->input_path == NULL) {
        tacho_command_misuse(arguments->command, "no raw stats given; use --input-dir DIR");
    }
    return request->program_path != NULL && request->input_path != NULL;
}

static int choose(const tacho_arguments *arguments, tacho_opstats_request *request)
{
    if (!tacho_arguments_fill(arguments, request) || !choose_paths(arguments, request) ||
        !choose_sinks(arguments, request)) {
        return TACHO_EXIT_USAGE;
    }
    int exit_code = choose_list(arguments, "select-cores", &request->view.cores);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = choose_list(arguments, "select-devices", &request->view.devices);
    }
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    if (!request->wants_summary && !request->wants_trace && request->rollup == TACHO_ROLLUP_NONE) {
        bool is_dropin = arguments->command->is_dropin; /* then it is without roll-ups */
        return tacho_command_misuse(arguments->command,
                                    "nothing to write; use --summary, --trace or %s",
                                    is_dropin ? "both" : "--rollup");
    }
    if (request->host_path != NULL && !request->wants_trace) {
        return tacho_command_misuse(arguments->command, "--host-trace needs --trace");
    }
    return TACHO_EXIT_DONE;
}

static void request_deinit(tacho_opstats_request *request)
{
    free((uint32_t *)(uintptr_t)request->view.cores.items);
    free((uint32_t *)(uintptr_t)request->view.devices.items);
}

static int run_chosen(tacho_opstats_request *request)
{
    tacho_talk_progress progress;
    uint64_t problem_count = 0;
    tacho_talk_progress_init(&progress, "decoding", request->is_quiet, &request->progress);
    progress.unit = "files";
    tacho_notes notes = tacho_talk_progress_notes(&progress);
    request->notes = &notes;
    tacho_status status = tacho_opstats_run(request, &problem_count);
    tacho_talk_progress_end(&progress);
    return status != TACHO_OK  ? tacho_talk_failure(status)
           : problem_count > 0 ? TACHO_EXIT_LOSSY
                               : TACHO_EXIT_DONE;
}

int tacho_opstats_command_run(const tacho_arguments *arguments)
{
    tacho_opstats_request request = {
        .output_folder = ".",
        .merges_devices = true,
        .is_verbose = tacho_arguments_has(arguments, "verbose"),
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
        .view = {.has_vendor_words = true},
    };
    int exit_code = choose(arguments, &request);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = run_chosen(&request);
    }
    request_deinit(&request);
    return exit_code;
}
