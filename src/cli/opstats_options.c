/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of tacho opstats and qaic-opstats.
 */
#include "cli/opstats_options.h"

#include "cli/common_options.h"
#include "cli/talk.h"
#include "sinks/table_sink.h"

#include "base/grow.h"

#include <stdlib.h>

/* true, false; "" is a flag without value. */
static bool choose_truth(const tacho_arguments *arguments, const char *name, bool by_default,
                         bool *out_value)
{
    const char *value = tacho_arguments_value(arguments, name);
    *out_value = by_default;
    if (value == NULL) {
        return true;
    }
    bool is_true = value[0] == '\0' || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    bool is_false = strcmp(value, "false") == 0 || strcmp(value, "0") == 0;
    *out_value = is_true;
    if (!is_true && !is_false) {
        tacho_command_misuse(arguments->command, "--%s: expected true or false, not '%s'", name,
                             value);
    }
    return is_true || is_false;
}

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

static bool choose_flows(const tacho_arguments *arguments, tacho_stats_view *view)
{
    const char *value = tacho_arguments_value(arguments, "flow-events");
    view->shows_flows = value != NULL && strcmp(value, "full") == 0;
    if (value != NULL && !view->shows_flows && strcmp(value, "none") != 0) {
        tacho_command_misuse(arguments->command,
                             "--flow-events: unknown value '%s'; use none or full", value);
        return false;
    }
    return true;
}

static bool choose_sinks(const tacho_arguments *arguments, tacho_opstats_request *request)
{
    const char *format = tacho_common_format(arguments);
    const char *to = tacho_arguments_value(arguments, "to");
    if (format != NULL && strcmp(format, "text") != 0) {
        request->table_sink = tacho_table_sink_find(tacho_str_from_cstring(format));
        if (request->table_sink == NULL) {
            char names[TACHO_TABLE_SINK_NAMES_BYTES];
            tacho_table_sink_names(names);
            tacho_command_misuse(arguments->command, "--format: unknown format '%s'; use one of %s",
                                 format, names);
            return false;
        }
    }
    request->trace_sink = tacho_trace_sink_find(tacho_str_from_cstring(to != NULL ? to : "chrome"));
    if (request->trace_sink == NULL) {
        tacho_command_misuse(arguments->command,
                             "--to: unknown trace format '%s'; 'tacho help formats' lists them",
                             to);
    }
    return request->trace_sink != NULL;
}

static bool choose_rollup(const tacho_arguments *arguments, tacho_opstats_request *request)
{
    const char *value = tacho_arguments_value(arguments, "rollup");
    request->rollup =
        value != NULL ? tacho_rollup_find(tacho_str_from_cstring(value)) : TACHO_ROLLUP_NONE;
    if (value != NULL && request->rollup == TACHO_ROLLUP_NONE) {
        tacho_command_misuse(
            arguments->command,
            "--rollup: unknown value '%s'; use op, layer, core, device or critical", value);
        return false;
    }
    return true;
}

/* The verb takes the program and the stats as words, too: what options have not named. */
static const char *next_word(const tacho_arguments *arguments, const char *named, size_t *at)
{
    bool is_word = named == NULL && !arguments->command->is_dropin && *at < arguments->word_count;
    return is_word ? arguments->words[(*at)++] : named;
}

static bool choose_paths(const tacho_arguments *arguments, tacho_opstats_request *request)
{
    bool is_dropin = arguments->command->is_dropin;
    const char *output = tacho_arguments_value(arguments, "output-dir");
    const char *program = tacho_arguments_value(arguments, "program");
    size_t taken = 0;
    program = program != NULL ? program : tacho_arguments_value(arguments, "qpc");
    request->program_path = next_word(arguments, program, &taken);
    request->input_path =
        next_word(arguments, tacho_arguments_value(arguments, "input-dir"), &taken);
    request->output_folder = output != NULL ? output : ".";
    request->host_path = tacho_arguments_value(arguments, "host-trace");
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

int tacho_opstats_choose(const tacho_arguments *arguments, tacho_opstats_request *out_request)
{
    tacho_opstats_request *request = out_request;
    *request = (tacho_opstats_request){
        .is_verbose = tacho_arguments_has(arguments, "verbose"),
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
        .view = {.has_vendor_words = true},
    };
    bool merges_groups = true;
    if (!choose_paths(arguments, request) ||
        !choose_truth(arguments, "summary", false, &request->wants_summary) ||
        !choose_truth(arguments, "trace", false, &request->wants_trace) ||
        !choose_truth(arguments, "merge-mq-traces", true, &request->merges_devices) ||
        !choose_truth(arguments, "merge-thread-groups", true, &merges_groups) ||
        !choose_truth(arguments, "show-barrier-events", false, &request->view.shows_barriers) ||
        !choose_flows(arguments, &request->view) || !choose_sinks(arguments, request) ||
        !choose_rollup(arguments, request)) {
        return TACHO_EXIT_USAGE;
    }
    int exit_code = choose_list(arguments, "select-cores", &request->view.cores);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = choose_list(arguments, "select-devices", &request->view.devices);
    }
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    request->view.splits_groups = !merges_groups;
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

void tacho_opstats_request_deinit(tacho_opstats_request *request)
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
    tacho_opstats_request request;
    int exit_code = tacho_opstats_choose(arguments, &request);
    if (exit_code == TACHO_EXIT_DONE) {
        exit_code = run_chosen(&request);
    }
    tacho_opstats_request_deinit(&request);
    return exit_code;
}
