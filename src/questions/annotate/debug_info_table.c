/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the dispatches of debug information. Seen files and places are marked with a stamp, so
 * the cost of a dispatch does not depend on the number of dispatches.
 */
#include "questions/annotate/debug_info_table.h"

#include "questions/analysis.h"
#include "base/grow.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_MAX = 3, NUMBER_BYTES = 64 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- origins in the model --------------------------------------------------------------- */

typedef struct seen_file {
    uint32_t name; /* string */
    uint32_t first_line, last_line;
} seen_file;

/* Files of the model, and names where a location has no file; the first few of each. */
typedef struct seen_places {
    const tacho_dict *dict;
    uint32_t *location_stamps; /* by location: the last dispatch that has it */
    uint32_t *file_stamps;     /* by string */
    uint32_t *file_places;     /* by string: its index in |files| */
    uint32_t stamp;
    uint32_t own_file; /* string: of the dispatch; its lines are not the model's */
    seen_file files[SHOWN_MAX];
    uint32_t names[SHOWN_MAX];
    size_t file_count, name_count; /* including those that are not shown */
} seen_places;

static uint32_t *alloc_stamps(size_t count)
{
    return tacho_items_alloc(count, sizeof(uint32_t));
}

static void seen_places_deinit(seen_places *seen)
{
    free(seen->location_stamps);
    free(seen->file_stamps);
    free(seen->file_places);
}

static tacho_status seen_places_init(seen_places *seen, const tacho_dict *dict)
{
    *seen = (seen_places){
        .dict = dict,
        .location_stamps = alloc_stamps(dict->location_count),
        .file_stamps = alloc_stamps(dict->strings.item_count),
        .file_places = alloc_stamps(dict->strings.item_count),
    };
    bool is_made =
        seen->location_stamps != NULL && seen->file_stamps != NULL && seen->file_places != NULL;
    return is_made ? TACHO_OK
                   : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu locations",
                                dict->location_count);
}

static void seen_places_begin(seen_places *seen)
{
    seen->stamp++;
    seen->file_count = 0;
    seen->name_count = 0;
}

static void see_file(seen_places *seen, const tacho_location *location)
{
    if (seen->file_stamps[location->file] != seen->stamp) {
        seen->file_stamps[location->file] = seen->stamp;
        seen->file_places[location->file] = (uint32_t)seen->file_count;
        if (seen->file_count < SHOWN_MAX) {
            seen->files[seen->file_count] =
                (seen_file){location->file, location->line, location->line};
        }
        seen->file_count++;
    }
    uint32_t place = seen->file_places[location->file];
    if (place < SHOWN_MAX && location->line > 0) {
        seen_file *file = &seen->files[place];
        bool is_first = file->first_line == 0 || location->line < file->first_line;
        file->first_line = is_first ? location->line : file->first_line;
        file->last_line = location->line > file->last_line ? location->line : file->last_line;
    }
}

static void see(seen_places *seen, uint32_t id)
{
    if (id == TACHO_NONE || seen->location_stamps[id] == seen->stamp) {
        return;
    }
    const tacho_location *location = &seen->dict->locations[id];
    tacho_str text = tacho_dict_string(seen->dict, location->text);
    seen->location_stamps[id] = seen->stamp;
    if (location->file != 0 && location->file == seen->own_file) {
        return;
    }
    if (location->file != 0) {
        see_file(seen, location);
    } else if (text.len > 0 && !tacho_str_equal(text, TACHO_STR("unknown"))) {
        if (seen->name_count < SHOWN_MAX) {
            seen->names[seen->name_count] = location->text;
        }
        seen->name_count++;
    }
}

/* "conv1" without its quotes. */
static tacho_str bare_name(tacho_str text)
{
    bool is_quoted = text.len > 2 && text.data[0] == '"' && text.data[text.len - 1] == '"';
    tacho_str bare = is_quoted ? tacho_str_make(text.data + 1, text.len - 2) : text;
    return memchr(bare.data, '"', bare.len) == NULL ? bare : text;
}

static tacho_status put_file(const seen_places *seen, size_t index, tacho_text *text)
{
    const seen_file *file = &seen->files[index];
    char lines[NUMBER_BYTES] = "";
    if (file->last_line > file->first_line) {
        snprintf(lines, sizeof(lines), ":%" PRIu32 "-%" PRIu32, file->first_line, file->last_line);
    } else if (file->first_line > 0) {
        snprintf(lines, sizeof(lines), ":%" PRIu32, file->first_line);
    }
    TACHO_TRY(tacho_text_put(text, tacho_str_basename(tacho_dict_string(seen->dict, file->name))));
    return tacho_text_put(text, tacho_str_from_cstring(lines));
}

/* "a.mlir:4-9, b.mlir:3", or "conv1, conv2, pool and 7 more" if no location has a file. */
static tacho_status put_places(const seen_places *seen, tacho_text *text)
{
    bool has_files = seen->file_count > 0;
    size_t count = has_files ? seen->file_count : seen->name_count;
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        TACHO_TRY(tacho_text_put(text, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(has_files ? put_file(seen, i, text)
                            : tacho_text_put(
                                  text, bare_name(tacho_dict_string(seen->dict, seen->names[i]))));
    }
    if (count > SHOWN_MAX) {
        char more[NUMBER_BYTES];
        snprintf(more, sizeof(more), " and %zu more", count - SHOWN_MAX);
        TACHO_TRY(tacho_text_put(text, tacho_str_from_cstring(more)));
    }
    return TACHO_OK;
}

static tacho_status add_places(const seen_places *seen, tacho_table *table)
{
    tacho_text text = {0};
    tacho_status status = put_places(seen, &text);
    if (status == TACHO_OK) {
        tacho_str whole = tacho_text_take(&text);
        status = whole.len > 0 ? tacho_table_add_text(table, whole) : tacho_table_add_absent(table);
    }
    tacho_text_deinit(&text);
    return status;
}

/* ---- sums ------------------------------------------------------------------------------- */

/* Engines that do work, in the order of the columns. */
static const tacho_track_class engine_classes[] = {
    TACHO_TRACK_DMA_IN,  TACHO_TRACK_DMA_OUT, TACHO_TRACK_DMA_LOCAL,
    TACHO_TRACK_COMPUTE, TACHO_TRACK_VECTOR,
};

typedef struct sums {
    uint64_t action_count, job_count, task_count;
    uint64_t unit_counts[TACHO_TRACK_CLASS_COUNT];
    int64_t cycles; /* estimated; -1: no estimate */
} sums;

static void later(int64_t *cycles, int64_t end)
{
    *cycles = end > *cycles ? end : *cycles;
}

static void sum_job(const tacho_debug_info *info, const tacho_debug_job *job, sums *sum,
                    seen_places *seen)
{
    see(seen, job->location);
    sum->task_count += job->task_count;
    for (uint32_t i = 0; i < job->task_count; i++) {
        later(&sum->cycles, info->tasks[job->first_task + i].end_cycles);
        see(seen, info->tasks[job->first_task + i].location);
    }
    for (uint32_t i = 0; i < job->op_count; i++) {
        see(seen, info->ops[job->first_op + i].location);
    }
}

/* The estimate is from the start of the dispatch to the end of its last estimated piece of work. */
static sums sum_dispatch(const tacho_debug_info *info, const tacho_dispatch *dispatch,
                         seen_places *seen)
{
    sums sum = {
        .action_count = dispatch->action_count, .job_count = dispatch->job_count, .cycles = -1};
    seen->own_file = dispatch->file;
    for (uint32_t i = 0; i < dispatch->action_count; i++) {
        see(seen, info->actions[dispatch->first_action + i].location);
    }
    for (uint32_t i = 0; i < dispatch->job_count; i++) {
        sum_job(info, &info->jobs[dispatch->first_job + i], &sum, seen);
    }
    for (uint32_t i = 0; i < dispatch->unit_count; i++) {
        const tacho_unit_of_work *unit = &info->units[dispatch->first_unit + i];
        int64_t start = -1;
        int64_t end = -1;
        sum.unit_counts[info->engines[unit->engine].track_class]++;
        tacho_debug_info_unit_cycles(info, unit, &start, &end);
        later(&sum.cycles, end);
    }
    return sum;
}

static void add_sums(sums *total, const sums *part)
{
    total->action_count += part->action_count;
    total->job_count += part->job_count;
    total->task_count += part->task_count;
    for (size_t i = 0; i < TACHO_TRACK_CLASS_COUNT; i++) {
        total->unit_counts[i] += part->unit_counts[i];
    }
    if (part->cycles >= 0 && total->cycles < 0) {
        total->cycles = part->cycles;
    } else if (part->cycles >= 0 &&
               __builtin_add_overflow(total->cycles, part->cycles, &total->cycles)) {
        total->cycles = INT64_MAX;
    }
}

/* ---- tables ----------------------------------------------------------------------------- */

#define SUM_COLUMNS                                                                                \
    TACHO_COLUMN(ACTION_COUNT, "actions", INT), TACHO_COLUMN(JOB_COUNT, "jobs", INT),              \
        TACHO_COLUMN(TASK_COUNT, "tasks", INT), TACHO_COLUMN(DMA_IN_COUNT, "DMA in", INT),         \
        TACHO_COLUMN(DMA_OUT_COUNT, "DMA out", INT),                                               \
        TACHO_COLUMN(DMA_LOCAL_COUNT, "DMA local", INT),                                           \
        TACHO_COLUMN(COMPUTE_COUNT, "compute", INT), TACHO_COLUMN(VECTOR_COUNT, "vector", INT),    \
        TACHO_COLUMN(ESTIMATED_CYCLES, "estimated cycles", INT),                                   \
        TACHO_COLUMN(SOURCES, "from", TEXT)

static tacho_status add_sum_cells(const sums *sum, const seen_places *seen, tacho_table *table)
{
    TACHO_TRY(tacho_table_add_int(table, (int64_t)sum->action_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)sum->job_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)sum->task_count));
    for (size_t i = 0; i < COUNT_OF(engine_classes); i++) {
        TACHO_TRY(tacho_table_add_int(table, (int64_t)sum->unit_counts[engine_classes[i]]));
    }
    TACHO_TRY(sum->cycles >= 0 ? tacho_table_add_int(table, sum->cycles)
                               : tacho_table_add_absent(table));
    return add_places(seen, table);
}

/* Whether the dispatches were read from text, bytecode or both. */
static const char *form_of(const tacho_debug_info *info)
{
    bool has_text = false;
    bool has_bytecode = false;
    for (size_t i = 0; i < info->dispatch_count; i++) {
        has_bytecode = has_bytecode || info->dispatches[i].is_bytecode;
        has_text = has_text || !info->dispatches[i].is_bytecode;
    }
    return has_text && has_bytecode ? "text and bytecode" : has_bytecode ? "bytecode" : "text";
}

static tacho_status add_input(const tacho_debug_input *input, seen_places *seen, tacho_table *table)
{
    const tacho_debug_info *info = input->info;
    sums total = {.cycles = -1};
    seen_places_begin(seen);
    for (size_t i = 0; i < info->dispatch_count; i++) {
        sums part = sum_dispatch(info, &info->dispatches[i], seen);
        add_sums(&total, &part);
    }
    uint64_t trouble_count = tacho_debug_info_trouble_count(info);
    TACHO_TRY(tacho_table_add_text(table, input->file));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(form_of(info))));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)trouble_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)info->dispatch_count));
    return add_sum_cells(&total, seen, table);
}

static tacho_status add_dispatches(const tacho_debug_input *input, seen_places *seen,
                                   tacho_table *table)
{
    const tacho_debug_info *info = input->info;
    for (size_t i = 0; i < info->dispatch_count; i++) {
        const tacho_dispatch *dispatch = &info->dispatches[i];
        tacho_str path = tacho_dict_string(info->dict, dispatch->file);
        tacho_str file = tacho_str_equal(path, TACHO_STR("-")) ? input->file
                         : input->shows_paths                  ? path
                                                               : tacho_str_basename(path);
        seen_places_begin(seen);
        sums sum = sum_dispatch(info, dispatch, seen);
        TACHO_TRY(tacho_table_add_text(table, file));
        TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(info->dict, dispatch->name)));
        TACHO_TRY(add_sum_cells(&sum, seen, table));
    }
    return TACHO_OK;
}

typedef tacho_status (*row_adder)(const tacho_debug_input *input, seen_places *seen,
                                  tacho_table *table);

static tacho_status add_rows(const tacho_debug_input *inputs, size_t input_count, row_adder add,
                             tacho_table *table)
{
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < input_count && status == TACHO_OK; i++) {
        seen_places seen;
        status = seen_places_init(&seen, inputs[i].info->dict);
        if (status == TACHO_OK) {
            status = add(&inputs[i], &seen, table);
        }
        seen_places_deinit(&seen);
    }
    return status;
}

tacho_status tacho_debug_info_inputs(const tacho_debug_input *inputs, size_t input_count,
                                     tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT),
        TACHO_COLUMN(FORM, "form", TEXT),
        TACHO_COLUMN(PROBLEM_COUNT, "problems", INT),
        TACHO_COLUMN(DISPATCH_COUNT, "dispatches", INT),
        SUM_COLUMNS,
    };
    tacho_table_init(out_table, "debug_info", "Debug information", columns, COUNT_OF(columns));
    static const tacho_column_id kept[] = {TACHO_COL_FILE,           TACHO_COL_FORM,
                                           TACHO_COL_DISPATCH_COUNT, TACHO_COL_PROBLEM_COUNT,
                                           TACHO_COL_JOB_COUNT,      TACHO_COL_OTHER};
    out_table->kept = kept;
    return add_rows(inputs, input_count, add_input, out_table);
}

tacho_status tacho_debug_info_dispatches(const tacho_debug_input *inputs, size_t input_count,
                                         tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT),
        TACHO_COLUMN(DISPATCH, "dispatch", TEXT),
        SUM_COLUMNS,
    };
    tacho_table_init(out_table, "debug_dispatches", "Dispatches", columns, COUNT_OF(columns));
    static const tacho_column_id kept[] = {TACHO_COL_DISPATCH, TACHO_COL_JOB_COUNT,
                                           TACHO_COL_ESTIMATED_CYCLES, TACHO_COL_OTHER};
    out_table->kept = kept;
    return add_rows(inputs, input_count, add_dispatches, out_table);
}

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_debug_inputs *inputs = subject;
    tacho_table table = {0};
    (void)options;
    tacho_status status = tacho_debug_info_inputs(inputs->items, inputs->item_count, &table);
    TACHO_TRY(tacho_table_hand_over(to, status, &table));
    status = tacho_debug_info_dispatches(inputs->items, inputs->item_count, &table);
    return tacho_table_hand_over(to, status, &table);
}

const tacho_analysis tacho_analysis_debug_info = {
    .name = "debug_info",
    .question = "which dispatches and jobs did a compiler make of a network",
    .subject = TACHO_SUBJECT_DEBUG,
    .make = make_tables,
};
