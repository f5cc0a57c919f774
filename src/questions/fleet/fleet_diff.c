/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two fleets, operation by operation. Fleets may have different numbers of files and recording
 * times, so times are per step of a file or, if a side has no steps, per file that has the
 * operation.
 */
#include "questions/fleet/fleet_tables.h"

#include "base/grow.h"

#include <math.h>
#include <stdlib.h>

static const tacho_column columns[] = {
    TACHO_COLUMN(OPERATION, "operation", TEXT),
    TACHO_COLUMN(CLASS, "class", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT),
    TACHO_COLUMN(A_FILES, "a files", INT),
    TACHO_COLUMN(B_FILES, "b files", INT),
    TACHO_COLUMN(A_COUNT, "a count", INT),
    TACHO_COLUMN(B_COUNT, "b count", INT),
    TACHO_COLUMN_NAMED("per", "per", TEXT),
    TACHO_COLUMN(A_NS, "a self", DURATION),
    TACHO_COLUMN(B_NS, "b self", DURATION),
    TACHO_COLUMN(DIFFERENCE_NS, "difference", DURATION),
    TACHO_COLUMN(DIFFERENCE_PERCENT, "difference %", PERCENT),
};

/* An operation of either side; NULL if the side lacks it. */
typedef struct pair {
    tacho_str key;
    const tacho_fleet_row *rows[2];
    int64_t ns[2]; /* self time per step or file */
} pair;

static const tacho_fleet_table *ops_of(const tacho_fleet_view *view)
{
    return &view->fleet->tables[TACHO_FLEET_TABLE_OPS];
}

/* The total number of steps in the files of |view|; counts files without steps in
 * |stepless_count|. */
static uint64_t step_count_of(const tacho_fleet_view *view, size_t *stepless_count)
{
    const tacho_fleet_table *files = &view->fleet->tables[TACHO_FLEET_TABLE_FILES];
    uint64_t count = 0;
    for (size_t i = 0; i < files->row_count; i++) {
        count += files->rows[i].count;
        *stepless_count += files->rows[i].count == 0 ? 1 : 0;
    }
    return count;
}

/* Self time per step if |step_count| > 0, else per file that has the operation. */
static int64_t self_of(const tacho_fleet_row *row, uint64_t step_count)
{
    if (row == NULL || row->file_count == 0) {
        return 0;
    }
    tacho_i128 self_ns = row->total_ns - row->inner_ns;
    return tacho_fleet_mean_ns(self_ns > 0 ? self_ns : 0,
                               step_count > 0 ? step_count : row->file_count);
}

static bool is_wanted(const tacho_fleet_options *options, tacho_str key)
{
    const tacho_name_filter *filter = &options->ops.filter;
    return filter->accepts == NULL ||
           filter->accepts(filter->self, tacho_str_from(key, 2), TACHO_STR(""));
}

/* Whether the sides differ in time; counts depend on the recording time. */
static bool differs(const pair *of)
{
    return of->rows[0] == NULL || of->rows[1] == NULL || of->ns[0] != of->ns[1];
}

/* Fills |pairs|, which has room for the rows of both sides; returns how many differ. */
static size_t make_pairs(const tacho_fleet_view views[2], const tacho_fleet_options *options,
                         const uint64_t step_counts[2], pair *pairs)
{
    size_t count = 0;
    for (size_t side = 0; side < 2; side++) {
        const tacho_fleet_table *own = ops_of(&views[side]);
        const tacho_fleet_table *other = ops_of(&views[1 - side]);
        for (size_t i = 0; i < own->row_count; i++) {
            tacho_str key = tacho_fleet_key(&own->keys, i);
            uint32_t place = tacho_strings_find(&other->keys, key);
            bool is_in_both = place != TACHO_NONE && place > 0;
            if ((side == 1 && is_in_both) || !is_wanted(options, key)) {
                continue;
            }
            pair made = {.key = key};
            made.rows[side] = &own->rows[i];
            made.rows[1 - side] = is_in_both ? &other->rows[place - 1] : NULL;
            for (size_t k = 0; k < 2; k++) {
                made.ns[k] = self_of(made.rows[k], step_counts[k]);
            }
            pairs[count] = made;
            count += differs(&made) ? 1 : 0;
        }
    }
    return count;
}

static tacho_status add_pair(const pair *of, bool is_by_step, tacho_table *table)
{
    tacho_origin origin = (tacho_origin)(unsigned char)of->key.data[0];
    tacho_track_class track_class = (tacho_track_class)(unsigned char)of->key.data[1];
    const int64_t *ns = of->ns;
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from(of->key, 2)));
    TACHO_TRY(
        tacho_table_add_text(table, tacho_str_from_cstring(tacho_track_class_name(track_class))));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(tacho_origin_name(origin))));
    for (size_t i = 0; i < 2; i++) {
        int64_t count = of->rows[i] != NULL ? (int64_t)of->rows[i]->file_count : 0;
        TACHO_TRY(tacho_table_add_int(table, count));
    }
    for (size_t i = 0; i < 2; i++) {
        int64_t count = of->rows[i] != NULL ? (int64_t)of->rows[i]->count : 0;
        TACHO_TRY(tacho_table_add_int(table, count));
    }
    TACHO_TRY(tacho_table_add_text(table, is_by_step ? TACHO_STR("step") : TACHO_STR("file")));
    for (size_t i = 0; i < 2; i++) {
        TACHO_TRY(of->rows[i] != NULL ? tacho_table_add_int(table, ns[i])
                                      : tacho_table_add_absent(table));
    }
    TACHO_TRY(tacho_table_add_int(table, ns[1] - ns[0]));
    return tacho_fleet_add_percent(table, (double)(ns[1] - ns[0]), (double)ns[0]);
}

static tacho_status add_pairs(const pair *pairs, size_t count, bool is_by_step, size_t top,
                              tacho_table *table)
{
    tacho_fleet_place *places = NULL;
    TACHO_TRY(tacho_items_make(&places, count));
    for (size_t i = 0; i < count; i++) {
        double difference = (double)pairs[i].ns[1] - (double)pairs[i].ns[0];
        places[i] = (tacho_fleet_place){fabs(difference), pairs[i].key, i};
    }
    size_t shown = tacho_fleet_sort(places, count, top);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        status = add_pair(&pairs[places[i].index], is_by_step, table);
    }
    free(places);
    return status;
}

/* ---- steps --------------------------------------------------------------------------------- */

static const tacho_column step_columns[] = {
    TACHO_COLUMN_NAMED("side", "side", TEXT),  TACHO_COLUMN(FILES, "files", INT),
    TACHO_COLUMN_NAMED("steps", "steps", INT), TACHO_COLUMN(MEAN_NS, "mean", DURATION),
    TACHO_COLUMN(P50_NS, "p50", DURATION),     TACHO_COLUMN(P99_NS, "p99", DURATION),
    TACHO_COLUMN(MIN_NS, "min", DURATION),     TACHO_COLUMN(MAX_NS, "max", DURATION),
};

static tacho_status add_side(const tacho_fleet_view *view, const char *side, tacho_table *table)
{
    const tacho_fleet_table *files = &view->fleet->tables[TACHO_FLEET_TABLE_FILES];
    tacho_fleet_row sum = {.count = 0};
    tacho_durations durations;
    tacho_status status = TACHO_OK;
    tacho_durations_init(&durations);
    for (size_t i = 0; i < files->row_count && status == TACHO_OK; i++) {
        status = tacho_fleet_steps_add(&sum, &durations, &files->rows[i]);
    }
    tacho_durations_sort(&durations);
    sum.durations = &durations;
    if (status == TACHO_OK && sum.count > 0) {
        status = tacho_table_add_text(table, tacho_str_from_cstring(side));
        status = status == TACHO_OK ? tacho_table_add_int(table, (int64_t)sum.file_count) : status;
        status = status == TACHO_OK ? tacho_table_add_int(table, (int64_t)sum.count) : status;
        status = status == TACHO_OK ? tacho_fleet_steps_cells(&sum, table) : status;
        status = status == TACHO_OK ? tacho_table_add_int(table, sum.least.ns) : status;
        status = status == TACHO_OK ? tacho_table_add_int(table, sum.most.ns) : status;
    }
    tacho_durations_deinit(&durations);
    return status;
}

tacho_status tacho_fleet_diff_steps(const tacho_fleet_view views[2], const tacho_table_taker *to)
{
    tacho_table table;
    tacho_table_init(&table, "diff_steps", "Steps of both", step_columns,
                     sizeof(step_columns) / sizeof(step_columns[0]));
    tacho_status status = add_side(&views[0], "A", &table);
    status = status == TACHO_OK ? add_side(&views[1], "B", &table) : status;
    return tacho_table_hand_over(to, status, &table);
}

tacho_status tacho_fleet_diff(const tacho_fleet_view views[2], const tacho_fleet_options *options,
                              const tacho_table_taker *to)
{
    tacho_table table;
    pair *pairs = NULL;
    size_t stepless_count = 0;
    uint64_t step_counts[2] = {step_count_of(&views[0], &stepless_count),
                               step_count_of(&views[1], &stepless_count)};
    bool is_by_step = step_counts[0] > 0 && step_counts[1] > 0;
    step_counts[0] = is_by_step ? step_counts[0] : 0;
    step_counts[1] = is_by_step ? step_counts[1] : 0;
    tacho_table_init(&table, "diff",
                     is_by_step ? "Operations that differ: self time per step and rank"
                                : "Operations that differ: self time per file that has them",
                     columns, sizeof(columns) / sizeof(columns[0]));
    tacho_status status =
        tacho_items_make(&pairs, ops_of(&views[0])->row_count + ops_of(&views[1])->row_count + 1);
    size_t count = status == TACHO_OK ? make_pairs(views, options, step_counts, pairs) : 0;
    if (status == TACHO_OK) {
        status = add_pairs(pairs, count, is_by_step, options->top, &table);
    }
    free(pairs);
    status = tacho_table_hand_over(to, status, &table);
    if (status == TACHO_OK && count == 0) {
        tacho_note(options->ops.notes, "note", "no operation differs");
    }
    if (status == TACHO_OK && stepless_count > 0) {
        tacho_note(options->ops.notes, "note",
                   is_by_step
                       ? "%zu file%s no steps: what %s recorded counts, and times are per "
                         "step of the others"
                       : "%zu file%s no steps, so times are per file that has the operation%s",
                   stepless_count, stepless_count == 1 ? " has" : "s have",
                   !is_by_step           ? ""
                   : stepless_count == 1 ? "it"
                                         : "they");
    }
    if (status == TACHO_OK) {
        tacho_fleet_say_more(options, count, "operation");
    }
    return status;
}
