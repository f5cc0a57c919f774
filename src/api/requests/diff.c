/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho diff: what became slower, and is it too much?
 */
#include "api/requests/registry.h"
#include "api/requests/diff_outputs.h"
#include "api/requests/file_kind.h"
#include "api/requests/inputs.h"
#include "api/requests/outputs.h"
#include "api/requests/selection.h"
#include "api/requests/request.h"
#include "api/requests/values.h"
#include "pipeline/comparing.h"
#include "pipeline/intake_notes.h"

enum { DEFAULT_TOP = 20 };

typedef struct diff_request {
    tacho_request *given;
    tacho_comparing comparing;
    tacho_diff_outputs outputs;
    tacho_input_set sides[2];
    tacho_request_selection selection;
    tacho_held_notes held;
    tacho_notes notes;
    bool is_verbose;
} diff_request;

static const tacho_option options[] = {
    TACHO_OPT_VALUE("gate", 0, "LIMITS",
                    "fail (exit status 4) if B is slower than A by more than LIMITS, such as "
                    "rel=3%,abs=20us; both must be exceeded"),
    TACHO_OPT_VALUE("by", 0, "instance|type|op|layer[:N]",
                    "compare operators one by one, all of one type, layer or operator of the "
                    "framework (aten::linear), which may be an estimate's; layer:N: to N levels "
                    "(default: instance)"),
    TACHO_OPT_VALUE("top", 0, "N", "rows to list, 0 for all; regressions always are (default: 20)",
                    TACHO_INTO_NUMBER(diff_request, comparing.diff.top, 0, SIZE_MAX)),
    TACHO_OPTION_FILTER,
    TACHO_OPTION_WINDOW,
    TACHO_OPT_VALUE("format", 0, "text|csv|json|markdown|xlsx|github|junit",
                    "how to print the tables; github: annotations of a workflow, junit: test "
                    "results in XML (default: by the suffix of OUT, else text)"),
    TACHO_OPT_FLAG("json", 0, "same as {format} json", .is_front = true),
    TACHO_OPT_FLAG("csv", 0, "same as {format} csv", .is_front = true),
    TACHO_OPTION_OUTPUT,
    TACHO_OPT_EACH("also", 0, "FILE",
                   "also write the tables to FILE, in the format of its suffix: .md, .xml (JUnit), "
                   ".json, .csv, .xlsx; repeatable",
                   .writes = TACHO_WRITES_TABLE),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_COMMON,
};

/* ---- inputs -------------------------------------------------------------------------------- */

/* Where side B begins: behind "--", or the second of two words; 0 where it cannot be told. */
static size_t find_split(tacho_request *given)
{
    if (given->divided_at != SIZE_MAX) {
        return given->divided_at < given->word_count ? given->divided_at : 0;
    }
    return given->word_count == 2 ? 1 : 0;
}

static int open_side(diff_request *request, size_t side, tacho_request *given,
                     const tacho_request_inputs_options *how)
{
    tacho_intake *intake = &request->comparing.intakes[side];
    int outcome = tacho_request_inputs_open(&request->sides[side], given, how, intake);
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    const tacho_input_skips skips = tacho_request_input_skips(given);
    tacho_input_set_skip_links(&request->sides[side], &skips);
    if (!tacho_value_source_options(given, &intake->options)) {
        return TACHO_OUTCOME_USAGE;
    }
    tacho_status status = tacho_input_set_skip_strangers(&request->sides[side], &skips, intake);
    return status != TACHO_OK ? tacho_request_fail(given, status) : TACHO_OUTCOME_DONE;
}

static int open_sides(diff_request *request, tacho_request *given)
{
    size_t split = find_split(given);
    if (split == 0) {
        return tacho_request_misuse(given, "name two profiles, or two sets with -- between them");
    }
    for (size_t i = split; i < given->word_count; i++) {
        if (given->divided_at == split && given->words[i][0] == '-' && given->words[i][1] != '\0') {
            return tacho_request_misuse(given, "%s: options go before --", given->words[i]);
        }
    }
    const tacho_request_inputs_options how[2] = {
        {.word_end = split, .set = {.output_path = request->outputs.items[0].path}},
        {.first_word = split, .set = {.output_path = request->outputs.items[0].path}},
    };
    int outcome = open_side(request, 0, given, &how[0]);
    return outcome == TACHO_OUTCOME_DONE ? open_side(request, 1, given, &how[1]) : outcome;
}

static int choose_gate(diff_request *request, tacho_request *given)
{
    const char *limits = tacho_request_value(given, "gate");
    request->comparing.diff.has_gate = limits != NULL;
    return limits == NULL ? tacho_diff_outputs_refuse_verdicts(&request->outputs, given)
                          : tacho_request_check(given, "gate",
                                                tacho_gate_parse(tacho_str_from_cstring(limits),
                                                                 &request->comparing.diff.gate));
}

static int choose_rows(diff_request *request, tacho_request *given)
{
    const char *by = tacho_request_value(given, "by");
    tacho_comparing *comparing = &request->comparing;
    return by == NULL ? TACHO_OUTCOME_DONE
                      : tacho_request_check(given, "by",
                                            tacho_diff_by_parse(tacho_str_from_cstring(by),
                                                                &comparing->diff.by,
                                                                &comparing->samples.layer_depth));
}

/* ---- running ------------------------------------------------------------------------------- */

static void say_read(void *user, const tacho_dict *dict)
{
    const diff_request *request = user;
    tacho_request *given = request->given;
    tacho_request_end_progress(given);
    tacho_intake_say_losses(dict, &given->notes);
    if (request->is_verbose) {
        tacho_intake_say_inputs(dict, &given->notes);
    }
}

static int outcome_of(const diff_request *request, const tacho_comparing_result *result)
{
    bool is_lossy = result->has_losses || request->sides[0].skipped_count > 0 ||
                    request->sides[1].skipped_count > 0;
    return result->verdict == TACHO_VERDICT_REGRESSION     ? TACHO_OUTCOME_GATE
           : result->verdict == TACHO_VERDICT_INCONCLUSIVE ? TACHO_OUTCOME_INCONCLUSIVE
           : is_lossy                                      ? TACHO_OUTCOME_LOSSY
                                                           : TACHO_OUTCOME_DONE;
}

static int compare(diff_request *request, tacho_request *given)
{
    tacho_comparing *comparing = &request->comparing;
    tacho_comparing_result result;
    bool is_quiet = given->is_quiet;
    tacho_request_begin_progress(given, "reading", NULL, &comparing->intakes[0].progress);
    comparing->intakes[1].progress = comparing->intakes[0].progress;
    request->notes = tacho_request_hold(given, &request->held);
    comparing->diff.notes = is_quiet ? NULL : &request->notes;
    tacho_status status = tacho_comparing_run(comparing, &result);
    tacho_request_end_progress(given);
    if (status != TACHO_OK) {
        return tacho_request_fail(given,
                                  tacho_request_note_kinds(given, status, &comparing->intakes[0]));
    }
    tacho_request_release(&request->held);
    return outcome_of(request, &result);
}

static int prepare_and_compare(diff_request *request, tacho_request *given)
{
    request->comparing.is_strict = tacho_request_has(given, "strict");
    if (!tacho_request_fill(given, request)) {
        return TACHO_OUTCOME_USAGE;
    }
    int outcome = tacho_diff_outputs_choose(&request->outputs, given);
    request->comparing.outputs = request->outputs.items;
    request->comparing.output_count = request->outputs.item_count;
    outcome = outcome == TACHO_OUTCOME_DONE ? choose_gate(request, given) : outcome;
    outcome = outcome == TACHO_OUTCOME_DONE ? choose_rows(request, given) : outcome;
    outcome = outcome == TACHO_OUTCOME_DONE ? open_sides(request, given) : outcome;
    outcome = outcome == TACHO_OUTCOME_DONE
                  ? tacho_request_selection_open(&request->selection, given)
                  : outcome;
    return outcome == TACHO_OUTCOME_DONE ? compare(request, given) : outcome;
}

static int diff_command_run(tacho_request *given)
{
    diff_request request = {
        .given = given,
        .comparing = {.diff = {.top = DEFAULT_TOP}, .read = say_read},
        .selection = {.events = TACHO_SELECT_ALL},
        .is_verbose = given->is_verbose,
    };
    request.comparing.user = &request;
    request.comparing.selection = &request.selection.events;
    int outcome = prepare_and_compare(&request, given);
    tacho_request_selection_close(&request.selection);
    tacho_input_set_close(&request.sides[0]);
    tacho_input_set_close(&request.sides[1]);
    return outcome;
}

const tacho_request_type tacho_request_type_diff = {
    .name = "diff",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = diff_command_run,
};
