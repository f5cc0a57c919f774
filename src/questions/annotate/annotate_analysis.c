/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An annotation as tables: all of its rows, and the rows without a match.
 */
#include "questions/analysis.h"
#include "questions/annotate/annotate.h"

static const tacho_column problem_columns[] = {
    TACHO_COLUMN(PROBLEM, "Problem", TEXT), TACHO_COLUMN(MEANING, "Meaning", TEXT),
    TACHO_COLUMN(COUNT, "Rows", INT),       TACHO_COLUMN(DISPATCH, "First in", TEXT),
    TACHO_COLUMN(ACTION, "Action", INT),
};

static tacho_status add_problem(const tacho_annotation *annotation, tacho_annotation_reason reason,
                                tacho_table *table)
{
    const tacho_dict *dict = annotation->profile->events.dict;
    const tacho_annotation_row *row = &annotation->rows[annotation->reason_first[reason]];
    const char *key = tacho_annotation_reason_key(reason);
    const char *phrase = tacho_annotation_reason_phrase(reason);
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(key)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(phrase)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)annotation->reason_counts[reason]));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, row->dispatch_name)));
    return row->action_id >= 0 ? tacho_table_add_int(table, row->action_id)
                               : tacho_table_add_absent(table);
}

/* Adds a row for a file of the debug information or the model that could not be read. */
static tacho_status add_unread(const tacho_debug_info *info, size_t index, tacho_table *table)
{
    TACHO_TRY(tacho_table_add_text(table, TACHO_STR("unread_file")));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(info->dict, info->problems[index])));
    TACHO_TRY(tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_absent(table));
    return tacho_table_add_absent(table);
}

tacho_status tacho_annotation_problems(const tacho_annotation *annotation, tacho_table *out_table)
{
    tacho_table_init(out_table, "problems", "Rows without a match", problem_columns,
                     sizeof(problem_columns) / sizeof(problem_columns[0]));
    for (int i = TACHO_ANNOTATION_REASON_NONE + 1; i < TACHO_ANNOTATION_REASON_COUNT; i++) {
        if (annotation->reason_counts[i] > 0) {
            TACHO_TRY(add_problem(annotation, (tacho_annotation_reason)i, out_table));
        }
    }
    for (size_t i = 0; i < annotation->info->problem_count; i++) {
        TACHO_TRY(add_unread(annotation->info, i, out_table));
    }
    return TACHO_OK;
}

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_annotation_set *set = options;
    tacho_table table = {0};
    tacho_status status = tacho_annotation_table(subject, set, &table);
    TACHO_TRY(tacho_table_hand_over(to, status, &table));
    return tacho_table_hand_over(to, tacho_annotation_problems(subject, &table), &table);
}

const tacho_analysis tacho_analysis_annotate = {
    .name = "annotate",
    .question = "which operators and kernels is a runtime profile about, and what has no match",
    .options = "tacho_annotation_set",
    .subject = TACHO_SUBJECT_JOIN,
    .make = make_tables,
};
