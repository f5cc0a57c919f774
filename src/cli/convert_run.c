/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the person sees of a conversion.
 */
#include "cli/convert_run.h"

#include "cli/command.h"
#include "cli/file_kind.h"
#include "cli/selection.h"
#include "pipeline/intake_notes.h"
#include "cli/talk.h"

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

static void print_summary(const tacho_conversion *conversion, const tacho_dict *dict)
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
    tacho_talk("wrote", "%s: %" PRIu64 " %s%s%s from %zu input%s%s",
               is_stdout ? "standard output" : conversion->output_path, written_count, noun,
               written_count == 1 ? "" : "s", left_out, conversion->intake.input_count,
               conversion->intake.input_count == 1 ? "" : "s, each from its own zero (not aligned)",
               unplaced);
}

/* Queues were asked for, and no work has a launch. */
static void say_queues(const tacho_conversion *conversion, const tacho_dict *dict)
{
    bool has_queue = false;
    for (size_t i = 0; i < dict->track_count; i++) {
        tacho_str name = tacho_dict_string(dict, dict->tracks[i].name);
        has_queue = has_queue || (dict->tracks[i].track_class == TACHO_TRACK_COUNTER &&
                                  tacho_str_ends_with(name, TACHO_STR(" queue")));
    }
    if (conversion->has_queues && !has_queue) {
        tacho_talk("note", "no launches: the length of queues is not known");
    }
}

static int report(const tacho_conversion *conversion, const tacho_dict *dict,
                  tacho_talk_level level)
{
    tacho_talk_losses(dict);
    if (level == TACHO_TALK_VERBOSE) {
        tacho_talk_inputs(dict);
    }
    if (level != TACHO_TALK_QUIET) {
        print_summary(conversion, dict);
        say_queues(conversion, dict);
    }
    tacho_intake_say_selection(dict, &tacho_talk_notes);
    return dict->loss_count > 0 ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}

int tacho_convert_run(tacho_conversion *conversion, tacho_talk_level level)
{
    tacho_talk_progress progress;
    tacho_talk_progress_init(&progress, "converting", level == TACHO_TALK_QUIET,
                             &conversion->intake.progress);
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_conversion_run(conversion, &dict);
    }
    tacho_talk_progress_end(&progress);
    int exit_code = TACHO_EXIT_DONE;
    if (status == TACHO_OK) {
        exit_code = report(conversion, &dict, level);
    } else {
        tacho_talk_losses(&dict);
        exit_code = tacho_talk_failure(tacho_cli_note_kinds(status, &conversion->intake));
    }
    tacho_dict_deinit(&dict);
    return exit_code;
}
