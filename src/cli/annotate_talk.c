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

static void say_debug_info(const tacho_annotated *annotated, const char *path, bool says_all)
{
    const tacho_debug_info *info = &annotated->info;
    say_strings(&annotated->dict, "warning", info->problems, info->problem_count, says_all);
    say_count(path, info->unknown_op_count, "operation of torq's dialects is not known",
              "operations of torq's dialects are not known");
    say_count(path, info->undecoded_count,
              "operation hides its attributes, so engines and kernels may be missing",
              "operations hide their attributes, so engines and kernels may be missing");
    say_count(path, info->unmatched_wait_count, "wait for an engine that nothing started",
              "waits for engines that nothing started");
    say_strings(&annotated->dict, "note", info->notes, info->note_count, says_all);
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
    text[0] = '\0';
    if (row->dispatch_name != 0) {
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

static void say_unmatched(const tacho_annotated *annotated, tacho_annotation_reason reason,
                          const char *debug_path)
{
    const tacho_annotation *annotation = &annotated->annotation;
    const tacho_annotation_row *row = &annotation->rows[annotation->reason_first[reason]];
    uint64_t count = annotation->reason_counts[reason];
    char example[LINE_BYTES / 2];
    char text[2 * LINE_BYTES];
    char where[LINE_BYTES] = "";
    format_example(&annotated->dict, row, example, sizeof(example));
    if (reason == TACHO_ANNOTATION_REASON_NO_DISPATCH && is_folder(debug_path)) {
        snprintf(where, sizeof(where), " (no file of it was read in %.300s)", debug_path);
    }
    const char *what =
        reason == TACHO_ANNOTATION_REASON_HALF_TIMED ? "with half a time" : "without a match";
    snprintf(text, sizeof(text), "%.300s: %" PRIu64 " row%s %s: %s, first: %s%s",
             tacho_dict_string(&annotated->dict, annotated->dict.parts[row->part].path).data, count,
             count == 1 ? "" : "s", what, tacho_annotation_reason_phrase(reason), example, where);
    tacho_talk_line("warning", text);
}

/* When nothing at all fits, the inputs do not belong together. */
static void say_if_foreign(const tacho_annotated *annotated)
{
    const tacho_annotation *annotation = &annotated->annotation;
    for (size_t i = 0; i < annotation->row_count; i++) {
        if (annotation->rows[i].action != TACHO_NONE &&
            annotation->rows[i].reason == TACHO_ANNOTATION_REASON_NONE) {
            return;
        }
    }
    if (tacho_annotation_unmatched_count(annotation) > 0) {
        tacho_talk_line("note", "nothing has a match: is this the debug information of the program "
                                "that was run?");
    }
}

void tacho_annotate_talk(const tacho_annotated *annotated, const char *debug_path, bool says_all)
{
    tacho_talk_losses(&annotated->dict);
    say_debug_info(annotated, debug_path, says_all);
    for (int i = TACHO_ANNOTATION_REASON_NONE + 1; i < TACHO_ANNOTATION_REASON_COUNT; i++) {
        if (annotated->annotation.reason_counts[i] > 0) {
            say_unmatched(annotated, (tacho_annotation_reason)i, debug_path);
        }
    }
    say_if_foreign(annotated);
}
