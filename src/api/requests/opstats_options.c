/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of tacho opstats and qaic-opstats.
 */
#include "api/requests/opstats_options.h"

#include "api/requests/outputs.h"
#include "api/requests/request.h"

#include "base/grow.h"
#include "sinks/chrome_json.h"

#include <stdlib.h>

static int choose_list(tacho_request *given, const char *name, tacho_stats_choice *out_choice)
{
    const char *value = tacho_request_value(given, name);
    if (value == NULL) {
        return TACHO_OUTCOME_DONE;
    }
    uint32_t *items = tacho_items_alloc(strlen(value), sizeof(*items));
    if (items == NULL) {
        return tacho_request_fail(given, tacho_no_memory());
    }
    *out_choice = (tacho_stats_choice){items, 0};
    tacho_str rest = tacho_str_from_cstring(value);
    for (bool is_last = false; !is_last;) {
        size_t len = tacho_str_find_byte(rest, ',');
        uint64_t number = 0;
        is_last = len == rest.len;
        if (!tacho_str_parse_u64(tacho_str_trim(tacho_str_make(rest.data, len)), &number) ||
            number > UINT16_MAX) {
            return tacho_request_misuse(
                given, "{%s}: expected a list of numbers such as 0,5,1, not '%s'", name, value);
        }
        items[out_choice->item_count++] = (uint32_t)number;
        rest = tacho_str_from(rest, is_last ? len : len + 1);
    }
    return TACHO_OUTCOME_DONE;
}

static bool choose_sinks(tacho_request *given, tacho_opstats_request *request)
{
    const char *format = tacho_request_format(given);
    bool is_table = format != NULL && strcmp(format, "text") != 0;
    request->table_sink = is_table ? tacho_request_table_format(given, format) : NULL;
    request->trace_sink = tacho_request_has(given, "to")
                              ? tacho_request_trace_sink(given, "to", "", "")
                              : &tacho_sink_chrome_json;
    return (request->table_sink != NULL || !is_table) && request->trace_sink != NULL;
}

/* The program and the stats may be plain words, too: what options have not named. */
static bool choose_paths(tacho_request *given, tacho_opstats_request *request)
{
    bool is_dropin = given->type->is_dropin;
    const char **const open[] = {&request->program_path, &request->input_path};
    size_t taken = 0;
    for (size_t i = 0; i < 2 && !is_dropin && taken < given->word_count; i++) {
        *open[i] = *open[i] == NULL ? given->words[taken++] : *open[i];
    }
    if (taken < given->word_count) {
        tacho_request_misuse(given, "unexpected argument '%s'", given->words[taken]);
        return false;
    }
    if (request->program_path == NULL) {
        tacho_request_misuse(given,
                             "no program given; use {%s} FILE (the programqpc.bin that was run)",
                             is_dropin ? "qpc" : "program");
    } else if (request->input_path == NULL) {
        tacho_request_misuse(given, "no raw stats given; use {input-dir} DIR");
    }
    return request->program_path != NULL && request->input_path != NULL;
}

static int choose(tacho_request *given, tacho_opstats_request *request)
{
    if (!tacho_request_fill(given, request) || !choose_paths(given, request) ||
        !choose_sinks(given, request)) {
        return TACHO_OUTCOME_USAGE;
    }
    int outcome = choose_list(given, "select-cores", &request->view.cores);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = choose_list(given, "select-devices", &request->view.devices);
    }
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    if (!request->wants_summary && !request->wants_trace && request->rollup == TACHO_ROLLUP_NONE) {
        return given->type->is_dropin /* then it is without roll-ups */
                   ? tacho_request_misuse(given, "nothing to write; use {summary}, {trace} or both")
                   : tacho_request_misuse(given,
                                          "nothing to write; use {summary}, {trace} or {rollup}");
    }
    if (request->host_path != NULL && !request->wants_trace) {
        return tacho_request_misuse(given, "{host-trace} needs {trace}");
    }
    return TACHO_OUTCOME_DONE;
}

static void request_deinit(tacho_opstats_request *request)
{
    free((uint32_t *)(uintptr_t)request->view.cores.items);
    free((uint32_t *)(uintptr_t)request->view.devices.items);
}

static int run_chosen(tacho_request *given, tacho_opstats_request *request)
{
    uint64_t problem_count = 0;
    tacho_request_begin_progress(given, "decoding", "files", &request->progress);
    request->notes = &given->notes;
    request->keeper = given->listener.output == NULL ? &given->keeper : NULL;
    tacho_status status = tacho_opstats_run(request, &problem_count);
    tacho_request_end_progress(given);
    return status != TACHO_OK  ? tacho_request_fail(given, status)
           : problem_count > 0 ? TACHO_OUTCOME_LOSSY
                               : TACHO_OUTCOME_DONE;
}

int tacho_opstats_command_run(tacho_request *given)
{
    tacho_opstats_request request = {
        .output_folder = ".",
        .merges_devices = true,
        .is_verbose = given->is_verbose,
        .is_quiet = given->is_quiet,
        .view = {.has_vendor_words = true},
    };
    int outcome = choose(given, &request);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = run_chosen(given, &request);
    }
    request_deinit(&request);
    return outcome;
}
