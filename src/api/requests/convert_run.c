/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees of a conversion.
 */
#include "api/requests/convert_run.h"

#include "api/requests/options.h"
#include "api/requests/file_kind.h"
#include "api/requests/selection.h"
#include "pipeline/intake_notes.h"
#include "api/requests/request.h"

#include <inttypes.h>
#include <stdio.h>

/* Formats of spans alone say spans, and what else there was; others take all events. */
static void print_unplaced(const tacho_dict *dict, char *text, size_t size)
{
    text[0] = '\0';
    if (dict->unplaced_count > 0) {
        snprintf(text, size, "; %" PRIu64 " other event%s no place in this format",
                 dict->unplaced_count, dict->unplaced_count == 1 ? " has" : "s have");
    }
}

static void print_summary(const tacho_request *given, const tacho_conversion *conversion,
                          const tacho_dict *dict)
{
    uint64_t left_out_count = tacho_intake_left_out_count(dict);
    uint64_t written_count = tacho_intake_read_count(dict) - left_out_count - dict->unplaced_count;
    const char *noun = (conversion->sink->limits & TACHO_LIMIT_SPANS) != 0 ? "span" : "event";
    char unplaced[80];
    print_unplaced(dict, unplaced, sizeof(unplaced));
    bool is_stdout = strcmp(conversion->output_path, "-") == 0;
    char left_out[64] = "";
    if (left_out_count > 0) {
        snprintf(left_out, sizeof(left_out), " (%" PRIu64 " left out)", left_out_count);
    }
    tacho_request_note(
        given, "wrote", "%s: %" PRIu64 " %s%s%s from %zu input%s%s",
        is_stdout ? "standard output" : conversion->output_path, written_count, noun,
        written_count == 1 ? "" : "s", left_out, conversion->intake.input_count,
        conversion->intake.input_count == 1 ? "" : "s, each from its own zero (not aligned)",
        unplaced);
}

/* Queues were asked for, and no work has a launch. */
static void say_queues(const tacho_request *given, const tacho_conversion *conversion,
                       const tacho_dict *dict)
{
    bool has_queue = false;
    for (size_t i = 0; i < dict->track_count; i++) {
        tacho_str name = tacho_dict_string(dict, dict->tracks[i].name);
        has_queue = has_queue || (dict->tracks[i].track_class == TACHO_TRACK_COUNTER &&
                                  tacho_str_ends_with(name, TACHO_STR(" queue")));
    }
    if (conversion->has_queues && !has_queue) {
        tacho_request_note(given, "note", "no launches: the length of queues is not known");
    }
}

static int report(const tacho_request *given, const tacho_conversion *conversion,
                  const tacho_dict *dict)
{
    tacho_intake_say_losses(dict, &given->notes);
    if (given->is_verbose) {
        tacho_intake_say_inputs(dict, &given->notes);
    }
    if (!given->is_quiet) {
        print_summary(given, conversion, dict);
        say_queues(given, conversion, dict);
    }
    tacho_intake_say_selection(dict, &given->notes);
    return dict->loss_count > 0 ? TACHO_OUTCOME_LOSSY : TACHO_OUTCOME_DONE;
}

int tacho_convert_run(tacho_request *given, tacho_conversion *conversion)
{
    tacho_request_begin_progress(given, "converting", NULL, &conversion->intake.progress);
    conversion->intake.is_cancelled = tacho_request_stop_flag(given);
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_conversion_run(conversion, &dict);
    }
    tacho_request_end_progress(given);
    int outcome = TACHO_OUTCOME_DONE;
    if (status == TACHO_OK) {
        outcome = report(given, conversion, &dict);
    } else {
        tacho_intake_say_losses(&dict, &given->notes);
        outcome =
            tacho_request_fail(given, tacho_request_note_kinds(given, status, &conversion->intake));
    }
    tacho_dict_deinit(&dict);
    return outcome;
}
