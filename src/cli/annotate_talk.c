/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings of an annotation.
 */
#include "cli/annotate_talk.h"

#include "cli/talk.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

enum { SHOWN_MAX = 5, LINE_BYTES = 1024 };

static void say_strings(const tacho_dict *dict, const char *kind, const uint32_t *strings,
                        size_t count, bool says_all)
{
    size_t shown = count > SHOWN_MAX && !says_all ? SHOWN_MAX : count;
    for (size_t i = 0; i < shown; i++) {
        tacho_talk_line(kind, tacho_dict_string(dict, strings[i]).data);
    }
    if (shown < count) {
        char text[LINE_BYTES];
        snprintf(text, sizeof(text), "%zu more like these", count - shown);
        tacho_talk_line(kind, text);
    }
}

static void say_count(const char *path, uint64_t count, const char *one, const char *many)
{
    if (count > 0) {
        char text[LINE_BYTES];
        snprintf(text, sizeof(text), "%.300s: %" PRIu64 " %s", path, count,
                 count == 1 ? one : many);
        tacho_talk_line("warning", text);
    }
}

static void say_unknown_ops(const tacho_debug_info *info, const char *path)
{
    if (info->unknown_op_count > 0) {
        char text[LINE_BYTES];
        bool is_one = info->unknown_op_count == 1;
        snprintf(text, sizeof(text),
                 "%.300s: %" PRIu64 " operation%s of torq's dialects %s not "
                 "known%s: %.500s",
                 path, info->unknown_op_count, is_one ? "" : "s", is_one ? "is" : "are",
                 is_one ? "" : ", first", tacho_dict_string(info->dict, info->unknown_op).data);
        tacho_talk_line("warning", text);
    }
}

void tacho_annotate_talk_debug_info(const tacho_debug_info *info, const char *path,
                                    tacho_talk_level level)
{
    bool says_all = level == TACHO_TALK_VERBOSE;
    say_strings(info->dict, "warning", info->problems, info->problem_count, says_all);
    say_unknown_ops(info, path);
    say_count(path, info->undecoded_count,
              "operation has opaque attributes; engines and kernels may be missing",
              "operations have opaque attributes; engines and kernels may be missing");
    say_count(path, info->unmatched_wait_count, "wait for an engine that nothing started",
              "waits for engines that nothing started");
    if (level != TACHO_TALK_QUIET) {
        say_strings(info->dict, "note", info->notes, info->note_count, says_all);
    }
}

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
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
    if (row->reason == TACHO_ANNOTATION_REASON_NO_DISPATCH && is_folder(debug_path)) {
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

static void say_unmatched(const tacho_annotated *annotated, const tacho_annotation_row *row,
                          uint64_t count, const char *debug_path)
{
    char example[LINE_BYTES / 2];
    char text[3 * LINE_BYTES];
    char where[LINE_BYTES] = "";
    const char *what = "without a match";
    format_example(&annotated->dict, row, example, sizeof(example));
    format_where(annotated, row, debug_path, where, sizeof(where));
    if (row->reason == TACHO_ANNOTATION_REASON_HALF_TIMED) {
        what = "with an incomplete time";
    } else if (row->reason == TACHO_ANNOTATION_REASON_OTHER_LOCATION) {
        what = "with a doubtful match";
    }
    snprintf(text, sizeof(text), "%.300s: %" PRIu64 " row%s %s: %s, first: %s%s",
             tacho_dict_string(&annotated->dict, annotated->dict.parts[row->part].path).data, count,
             count == 1 ? "" : "s", what, tacho_annotation_reason_phrase(row->reason), example,
             where);
    tacho_talk_line("warning", text);
}

/* A line for each reason of the part whose rows are |first| to |end|. */
static void say_part(const tacho_annotated *annotated, size_t first, size_t end,
                     const char *debug_path)
{
    const tacho_annotation_row *rows = annotated->annotation.rows;
    uint64_t counts[TACHO_ANNOTATION_REASON_COUNT] = {0};
    size_t examples[TACHO_ANNOTATION_REASON_COUNT] = {0};
    for (size_t i = first; i < end; i++) {
        if (counts[rows[i].reason]++ == 0) {
            examples[rows[i].reason] = i;
        }
    }
    for (int i = TACHO_ANNOTATION_REASON_NONE + 1; i < TACHO_ANNOTATION_REASON_COUNT; i++) {
        if (counts[i] > 0) {
            say_unmatched(annotated, &rows[examples[i]], counts[i], debug_path);
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
static void say_if_foreign(const tacho_annotated *annotated)
{
    const tacho_annotation *annotation = &annotated->annotation;
    uint64_t other = annotation->reason_counts[TACHO_ANNOTATION_REASON_OTHER_LOCATION];
    if (other > 0 && other == annotation->compared_count) {
        tacho_talk_line(
            "warning",
            "no location matches; is this the debug information of the program that ran?");
    } else if (tacho_annotation_unmatched_count(annotation) > 0 && !has_match(annotation)) {
        tacho_talk_line("warning",
                        "nothing matches; is this the debug information of the program that ran?");
    }
}

void tacho_annotate_talk(const tacho_annotated *annotated, const char *debug_path,
                         tacho_talk_level level)
{
    const tacho_annotation *annotation = &annotated->annotation;
    tacho_talk_losses(&annotated->dict);
    tacho_annotate_talk_debug_info(&annotated->info, debug_path, level);
    for (size_t first = 0, end = 0; first < annotation->row_count; first = end) {
        while (end < annotation->row_count &&
               annotation->rows[end].part == annotation->rows[first].part) {
            end++;
        }
        say_part(annotated, first, end, debug_path);
    }
    say_if_foreign(annotated);
}
