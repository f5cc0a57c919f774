/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps: the duration of each over all ranks, the slowest first, and step durations by rank.
 */
#include "questions/fleet/fleet_tables.h"

#include "base/grow.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const tacho_column all_columns[] = {
    TACHO_COLUMN(FILES, "files", INT),         TACHO_COLUMN(COUNT, "steps", INT),
    TACHO_COLUMN(TOTAL_NS, "total", DURATION), TACHO_COLUMN(MEAN_NS, "mean", DURATION),
    TACHO_COLUMN(P50_NS, "p50", DURATION),     TACHO_COLUMN(P99_NS, "p99", DURATION),
    TACHO_COLUMN(MIN_NS, "min", DURATION),     TACHO_COLUMN(FASTEST, "min on", TEXT),
    TACHO_COLUMN(MAX_NS, "max", DURATION),     TACHO_COLUMN(SLOWEST, "max on", TEXT),
};

static const tacho_column step_columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(STEP, "step", TEXT),
    TACHO_COLUMN(FILES, "files", INT),
    TACHO_COLUMN(MEAN_NS, "mean", DURATION),
    TACHO_COLUMN(MIN_NS, "min", DURATION),
    TACHO_COLUMN(FASTEST, "min on", TEXT),
    TACHO_COLUMN(MAX_NS, "max", DURATION),
    TACHO_COLUMN(SLOWEST, "max on", TEXT),
    TACHO_COLUMN(SLOWER_PERCENT, "above mean", PERCENT),
};

static const tacho_column rank_columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),          TACHO_COLUMN(HOST, "host", TEXT),
    TACHO_COLUMN(RANK, "rank", INT),         TACHO_COLUMN(PATH, "path", TEXT),
    TACHO_COLUMN(COUNT, "steps", INT),       TACHO_COLUMN(TOTAL_NS, "total", DURATION),
    TACHO_COLUMN(MEAN_NS, "mean", DURATION), TACHO_COLUMN(P50_NS, "p50", DURATION),
    TACHO_COLUMN(P99_NS, "p99", DURATION),   TACHO_COLUMN(MIN_NS, "min", DURATION),
    TACHO_COLUMN(MAX_NS, "max", DURATION),   TACHO_COLUMN(SLOWER_PERCENT, "above mean", PERCENT),
};

static double mean_of(const tacho_fleet_row *row)
{
    return row->count > 0 ? (double)row->total_ns / (double)row->count : 0;
}

static int64_t rounded_mean(const tacho_fleet_row *row)
{
    return tacho_fleet_mean_ns(row->total_ns, row->count);
}

static tacho_status add_percentiles(const tacho_fleet_row *row, tacho_table *table)
{
    for (uint64_t percent = 50; percent <= 99; percent += 49) {
        int64_t ns = tacho_durations_percentile(row->durations, percent);
        ns = ns < row->least.ns ? row->least.ns : ns > row->most.ns ? row->most.ns : ns;
        TACHO_TRY(tacho_table_add_int(table, ns));
    }
    return TACHO_OK;
}

/* ---- all steps ----------------------------------------------------------------------------- */

tacho_status tacho_fleet_steps_add(tacho_fleet_row *sum, tacho_durations *durations,
                                   const tacho_fleet_row *file)
{
    if (file->count == 0) {
        return TACHO_OK;
    }
    bool is_least = sum->count == 0 || file->least.ns < sum->least.ns ||
                    (file->least.ns == sum->least.ns && file->least.file < sum->least.file);
    bool is_most = sum->count == 0 || file->most.ns > sum->most.ns ||
                   (file->most.ns == sum->most.ns && file->most.file < sum->most.file);
    sum->least = is_least ? file->least : sum->least;
    sum->most = is_most ? file->most : sum->most;
    sum->count += file->count;
    sum->file_count++;
    sum->total_ns += file->total_ns;
    return tacho_durations_merge(durations, file->durations);
}

tacho_status tacho_fleet_steps_cells(const tacho_fleet_row *steps, tacho_table *table)
{
    TACHO_TRY(tacho_table_add_int(table, rounded_mean(steps)));
    return add_percentiles(steps, table);
}

/* The steps of all files as one row. */
static tacho_status sum_files(const tacho_fleet_table *files, tacho_fleet_row *sum,
                              tacho_durations *durations)
{
    for (size_t i = 0; i < files->row_count; i++) {
        TACHO_TRY(tacho_fleet_steps_add(sum, durations, &files->rows[i]));
    }
    tacho_durations_sort(durations);
    sum->durations = durations;
    return TACHO_OK;
}

static tacho_status add_all(const tacho_fleet_view *view, const tacho_fleet_row *sum,
                            tacho_table *table)
{
    if (sum->count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_table_add_int(table, (int64_t)sum->file_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)sum->count));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_cell_ns(sum->total_ns)));
    TACHO_TRY(tacho_fleet_steps_cells(sum, table));
    TACHO_TRY(tacho_table_add_int(table, sum->least.ns));
    TACHO_TRY(tacho_fleet_add_label(view, sum->least.file, table));
    TACHO_TRY(tacho_table_add_int(table, sum->most.ns));
    return tacho_fleet_add_label(view, sum->most.file, table);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status add_step(const tacho_fleet_view *view, size_t index, tacho_table *table)
{
    const tacho_fleet_table *steps = &view->fleet->tables[TACHO_FLEET_TABLE_STEPS];
    const tacho_fleet_row *row = &steps->rows[index];
    tacho_str key = tacho_fleet_key(&steps->keys, index);
    TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_next_text(&key)));
    TACHO_TRY(tacho_fleet_add_text(table, key));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)row->file_count));
    TACHO_TRY(tacho_table_add_int(table, rounded_mean(row)));
    TACHO_TRY(tacho_table_add_int(table, row->least.ns));
    TACHO_TRY(tacho_fleet_add_label(view, row->least.file, table));
    TACHO_TRY(tacho_table_add_int(table, row->most.ns));
    TACHO_TRY(tacho_fleet_add_label(view, row->most.file, table));
    return tacho_fleet_add_percent(table, (double)row->most.ns - mean_of(row), mean_of(row));
}

static tacho_status add_rank(const tacho_fleet_view *view, size_t index,
                             const tacho_fleet_run_sums *runs, tacho_table *table)
{
    const tacho_fleet_table *files = &view->fleet->tables[TACHO_FLEET_TABLE_FILES];
    const tacho_fleet_row *row = &files->rows[index];
    uint64_t id = tacho_fleet_get_id(tacho_fleet_key(&files->keys, index));
    const tacho_fleet_run_sum run = tacho_fleet_run_sums_find(runs, view, id);
    double mean_ns = run.count > 0 ? (double)run.total_ns / (double)run.count : 0;
    TACHO_TRY(tacho_fleet_add_who(view, id, table));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)row->count));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_cell_ns(row->total_ns)));
    TACHO_TRY(tacho_fleet_steps_cells(row, table));
    TACHO_TRY(tacho_table_add_int(table, row->least.ns));
    TACHO_TRY(tacho_table_add_int(table, row->most.ns));
    return tacho_fleet_add_percent(table, mean_of(row) - mean_ns, mean_ns);
}

static tacho_status add_steps(const tacho_fleet_view *view, size_t top, tacho_table *table)
{
    const tacho_fleet_table *steps = &view->fleet->tables[TACHO_FLEET_TABLE_STEPS];
    tacho_fleet_place *places = NULL;
    TACHO_TRY(tacho_items_make(&places, steps->row_count));
    for (size_t i = 0; i < steps->row_count; i++) {
        places[i] = (tacho_fleet_place){(double)steps->rows[i].most.ns,
                                        tacho_fleet_key(&steps->keys, i), i};
    }
    size_t shown = tacho_fleet_sort(places, steps->row_count, top);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        status = add_step(view, places[i].index, table);
    }
    free(places);
    return status;
}

static tacho_status add_ranks(const tacho_fleet_view *view, const tacho_fleet_options *options,
                              tacho_table *table)
{
    const tacho_fleet_table *files = &view->fleet->tables[TACHO_FLEET_TABLE_FILES];
    tacho_fleet_place *places = NULL;
    tacho_fleet_run_sums runs = {.item_count = 0};
    size_t count = 0;
    tacho_status status = tacho_items_make(&places, files->row_count);
    for (size_t i = 0; i < files->row_count && status == TACHO_OK; i++) {
        const tacho_fleet_row *row = &files->rows[i];
        tacho_str key = tacho_fleet_key(&files->keys, i);
        if (row->count > 0) {
            places[count++] = (tacho_fleet_place){mean_of(row), key, i};
            status = tacho_fleet_run_sums_add(&runs, view, tacho_fleet_get_id(key), row->total_ns,
                                              row->count);
        }
    }
    size_t shown = status == TACHO_OK ? tacho_fleet_sort(places, count, options->top) : 0;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        status = add_rank(view, places[i].index, &runs, table);
    }
    free(places);
    tacho_fleet_run_sums_deinit(&runs);
    return status;
}

static tacho_status write_steps(const tacho_fleet_view *view, const tacho_fleet_options *options,
                                const tacho_table_taker *to)
{
    tacho_table tables[3];
    tacho_fleet_row sum = {.count = 0};
    tacho_durations durations;
    tacho_durations_init(&durations);
    tacho_table_init(&tables[0], "all_steps", "All steps", all_columns, COUNT_OF(all_columns));
    tacho_table_init(&tables[1], "steps", "Steps, the slowest first", step_columns,
                     COUNT_OF(step_columns));
    tacho_table_init(&tables[2], "ranks", "Ranks, the slowest first", rank_columns,
                     COUNT_OF(rank_columns));
    tacho_status status =
        sum_files(&view->fleet->tables[TACHO_FLEET_TABLE_FILES], &sum, &durations);
    status = status == TACHO_OK ? add_all(view, &sum, &tables[0]) : status;
    status = status == TACHO_OK ? add_steps(view, options->top, &tables[1]) : status;
    status = status == TACHO_OK ? add_ranks(view, options, &tables[2]) : status;
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        status = tacho_table_hand_over(to, status, &tables[i]);
    }
    if (status == TACHO_OK) {
        tacho_fleet_say_more(options, view->fleet->tables[TACHO_FLEET_TABLE_STEPS].row_count,
                             "step");
        tacho_fleet_say_more(options, sum.file_count, "rank");
    }
    if (status == TACHO_OK && sum.count > 0 && !durations.is_exact) {
        tacho_note(options->ops.notes, "note",
                   "percentiles of steps are within 0.8 %% of the exact ones");
    }
    if (status == TACHO_OK && sum.count == 0) {
        tacho_note(options->ops.notes, "note",
                   "no steps found: no file has marked steps, repeated ranges or numbered runs");
    }
    tacho_durations_deinit(&durations);
    return status;
}

const tacho_fleet_question tacho_fleet_question_steps = {
    .name = "steps",
    .sections = TACHO_FLEET_STEPS,
    .write = write_steps,
};
