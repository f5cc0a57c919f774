/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings of an annotation.
 */
#include "vendors/torq/annotated_notes.h"

#include "base/folder.h"
#include "pipeline/intake_notes.h"

#include <inttypes.h>
#include <stdio.h>

enum { SHOWN_MAX = 5, LINE_BYTES = 1024 };

static void say_strings(const tacho_annotated_notes *notes, const char *kind,
                        const tacho_dict *dict, const uint32_t *strings, size_t count)
{
    size_t shown = count > SHOWN_MAX && !notes->says_all ? SHOWN_MAX : count;
    for (size_t i = 0; i < shown; i++) {
        tacho_note(notes->to, kind, "%s", tacho_dict_string(dict, strings[i]).data);
    }
    if (shown < count) {
        tacho_note(notes->to, kind, "%zu more like these", count - shown);
    }
}

static void say_counts(const tacho_debug_info *info, const char *path, const tacho_notes *to)
{
    uint64_t unknown = info->unknown_op_count;
    uint64_t opaque = info->undecoded_count;
    uint64_t waits = info->unmatched_wait_count;
    if (unknown > 0) {
        bool is_one = unknown == 1;
        tacho_note(to, "warning",
                   "%s: %" PRIu64 " operation%s of torq's dialects %s not known%s: %s", path,
                   unknown, is_one ? "" : "s", is_one ? "is" : "are", is_one ? "" : ", first",
                   tacho_dict_string(info->dict, info->unknown_op).data);
    }
    if (opaque > 0) {
        tacho_note(to, "warning",
                   "%s: %" PRIu64 " operation%s opaque attributes; engines and kernels may be "
                   "missing",
                   path, opaque, opaque == 1 ? " has" : "s have");
    }
    if (waits > 0) {
        tacho_note(to, "warning", "%s: %" PRIu64 " wait%s that nothing started", path, waits,
                   waits == 1 ? " for an engine" : "s for engines");
    }
}

void tacho_debug_info_say(const tacho_debug_info *info, const char *path,
                          const tacho_annotated_notes *notes)
{
    say_strings(notes, "warning", info->dict, info->problems, info->problem_count);
    say_counts(info, path, notes->to);
    if (!notes->is_quiet) {
        say_strings(notes, "note", info->dict, info->notes, info->note_count);
    }
}

/* "dispatch main$async_dispatch_0, invocation 2, action 3"; of a job without these its number. */
static void format_example(const tacho_dict *dict, const tacho_annotation_row *row, char *text,
                           size_t size)
{
    size_t len = 0;
    tacho_str generation = tacho_dict_string(dict, dict->parts[row->part].generation);
    /* A run of R1 has no name of its own. */
    bool is_named =
        row->dispatch_name != 0 &&
        (row->action != TACHO_NONE || !tacho_str_starts_with(generation, TACHO_STR("R1")));
    text[0] = '\0';
    if (is_named) {
        len += (size_t)snprintf(text, size, "dispatch %.200s, ",
                                tacho_dict_string(dict, row->dispatch_name).data);
    }
    if (row->invocation >= 0) {
        len +=
            (size_t)snprintf(text + len, size - len, "invocation %" PRId64 ", ", row->invocation);
    }
    if (row->action_id >= 0) {
        snprintf(text + len, size - len, "action %" PRId64, row->action_id);
    } else if (row->job_id >= 0) {
        snprintf(text + len, size - len, "job %" PRId64, row->job_id);
    } else {
        snprintf(text + len, size - len, "%.200s", tacho_dict_string(dict, row->operation).data);
    }
}

/* " (no file of it was read in DEBUG)", or where both inputs say that it is. */
static void format_where(const tacho_annotated *annotated, const tacho_annotation_row *row,
                         const char *debug_path, char *text, size_t size)
{
    const tacho_dict *dict = &annotated->dict;
    text[0] = '\0';
    if (row->reason == TACHO_ANNOTATION_REASON_NO_DISPATCH && tacho_path_is_folder(debug_path)) {
        snprintf(text, size, " (no file of it was read in %.300s)", debug_path);
    }
    if (row->reason == TACHO_ANNOTATION_REASON_OTHER_LOCATION) {
        tacho_span span = tacho_profile_span(&annotated->profile, row->span);
        uint32_t here = dict->sites[span.site].location;
        uint32_t there = annotated->info.actions[row->action].location;
        there = there != TACHO_NONE ? there : annotated->info.jobs[row->job].location;
        snprintf(text, size, ": loc(%.300s) here, loc(%.300s) there",
                 tacho_dict_string(dict, dict->locations[here].text).data,
                 there != TACHO_NONE ? tacho_dict_string(dict, dict->locations[there].text).data
                                     : "unknown");
    }
}

/* Where the notes of |annotated| go, and what its debug information is called. */
typedef struct unmatched_notes {
    const tacho_annotated *annotated;
    const char *debug_path;
    const tacho_notes *to;
} unmatched_notes;

static void say_unmatched(const unmatched_notes *self, const tacho_annotation_row *row,
                          uint64_t count)
{
    const tacho_annotated *annotated = self->annotated;
    char example[LINE_BYTES / 2];
    char where[LINE_BYTES] = "";
    const char *what = "without a match";
    format_example(&annotated->dict, row, example, sizeof(example));
    format_where(annotated, row, self->debug_path, where, sizeof(where));
    if (row->reason == TACHO_ANNOTATION_REASON_HALF_TIMED) {
        what = "with an incomplete time";
    } else if (row->reason == TACHO_ANNOTATION_REASON_OTHER_LOCATION) {
        what = "with a doubtful match";
    }
    tacho_note(self->to, "warning", "%s: %" PRIu64 " row%s %s: %s, first: %s%s",
               tacho_dict_string(&annotated->dict, annotated->dict.parts[row->part].path).data,
               count, count == 1 ? "" : "s", what, tacho_annotation_reason_phrase(row->reason),
               example, where);
}

/* A line for each reason of the part whose rows are |first| to |end|. */
static void say_part(const unmatched_notes *self, size_t first, size_t end)
{
    const tacho_annotation_row *rows = self->annotated->annotation.rows;
    uint64_t counts[TACHO_ANNOTATION_REASON_COUNT] = {0};
    size_t examples[TACHO_ANNOTATION_REASON_COUNT] = {0};
    for (size_t i = first; i < end; i++) {
        if (counts[rows[i].reason]++ == 0) {
            examples[rows[i].reason] = i;
        }
    }
    for (int i = TACHO_ANNOTATION_REASON_NONE + 1; i < TACHO_ANNOTATION_REASON_COUNT; i++) {
        if (counts[i] > 0) {
            say_unmatched(self, &rows[examples[i]], counts[i]);
        }
    }
}

static bool has_match(const tacho_annotation *annotation)
{
    for (size_t i = 0; i < annotation->row_count; i++) {
        if (annotation->rows[i].action != TACHO_NONE &&
            annotation->rows[i].reason == TACHO_ANNOTATION_REASON_NONE) {
            return true;
        }
    }
    return false;
}

/* When nothing at all fits, or no location, the inputs do not belong together. */
static void say_if_foreign(const tacho_annotated *annotated, const tacho_notes *to)
{
    const tacho_annotation *annotation = &annotated->annotation;
    uint64_t other = annotation->reason_counts[TACHO_ANNOTATION_REASON_OTHER_LOCATION];
    if (other > 0 && other == annotation->compared_count) {
        tacho_note(to, "warning",
                   "no location matches; is this the debug information of the program that ran?");
    } else if (tacho_annotation_unmatched_count(annotation) > 0 && !has_match(annotation)) {
        tacho_note(to, "warning",
                   "nothing matches; is this the debug information of the program that ran?");
    }
}

void tacho_annotated_say(const tacho_annotated *annotated, const char *debug_path,
                         const tacho_annotated_notes *notes)
{
    const tacho_annotation *annotation = &annotated->annotation;
    const unmatched_notes self = {annotated, debug_path, notes->to};
    tacho_intake_say_losses(&annotated->dict, notes->to);
    tacho_debug_info_say(&annotated->info, debug_path, notes);
    for (size_t first = 0, end = 0; first < annotation->row_count; first = end) {
        while (end < annotation->row_count &&
               annotation->rows[end].part == annotation->rows[first].part) {
            end++;
        }
        say_part(&self, first, end);
    }
    say_if_foreign(annotated, notes->to);
}
