/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps, as 'tacho breakdown' finds them, and numbered runs that are none. The view steps is this.
 */
#include "sql/data.h"

#include "base/grow.h"
#include "profile/steps.h"

#include <stdlib.h>

struct tacho_sql_step {
    uint32_t part;
    uint32_t name; /* string */
    int64_t number, start_ns, end_ns;
    uint64_t span_count; /* of a run */
    tacho_step_kind kind;
    bool is_step;
    bool is_warm_up;
};

enum { /* columns */
       STEP_ID,
       FILE_NAME,
       KIND,
       NAME,
       NUMBER,
       START_NS,
       END_NS,
       DURATION_NS,
       SPAN_COUNT,
       WARM_UP,
       COLUMN_COUNT,
};

static const tacho_sql_column columns[] = {
    [STEP_ID] = {"step_id", "INTEGER", 0, false},
    [FILE_NAME] = {"file", "TEXT", 0, false},
    [KIND] = {"kind", "TEXT", 0, false},
    [NAME] = {"name", "TEXT", 0, false},
    [NUMBER] = {"number", "INTEGER", 0, false},
    [START_NS] = {"start_ns", "INTEGER", 0, false},
    [END_NS] = {"end_ns", "INTEGER", 0, false},
    [DURATION_NS] = {"duration_ns", "INTEGER", 0, false},
    [SPAN_COUNT] = {"span_count", "INTEGER", 0, false},
    [WARM_UP] = {"warm_up", "INTEGER", 0, false},
};

/* ---- runs ------------------------------------------------------------------------------------ */

static tacho_status add_step(tacho_sql_data *data, const tacho_sql_step *step)
{
    TACHO_TRY(tacho_grow(&data->steps, &data->step_capacity, data->step_count + 1));
    data->steps[data->step_count++] = *step;
    return TACHO_OK;
}

/* Numbered runs by the number of the run, each from its first start to its last end. */
static void sum_runs(const tacho_sql_data *data, tacho_sql_step *runs)
{
    const tacho_dict *dict = data->profile->events.dict;
    for (size_t i = 0; i < data->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(data->profile, i);
        if (span.run == TACHO_NONE || dict->runs[span.run].invocation < 0) {
            continue;
        }
        tacho_sql_step *run = &runs[span.run];
        int64_t start_ns = tacho_sql_ns(data, span.track, span.start);
        int64_t end_ns = tacho_sql_ns(data, span.track, span.end);
        bool is_first = run->span_count == 0;
        run->start_ns = is_first || start_ns < run->start_ns ? start_ns : run->start_ns;
        run->end_ns = is_first || end_ns > run->end_ns ? end_ns : run->end_ns;
        run->part = dict->tracks[span.track].part;
        run->name = dict->runs[span.run].name;
        run->number = dict->runs[span.run].invocation;
        run->kind = TACHO_STEP_RUN;
        run->span_count++;
    }
}

static int compare_steps(const void *left, const void *right)
{
    const tacho_sql_step *a = left;
    const tacho_sql_step *b = right;
    if (a->part != b->part) {
        return a->part < b->part ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind == TACHO_STEP_RUN ? -1 : 1;
    }
    if (a->kind == TACHO_STEP_RUN && a->name != b->name) {
        return a->name < b->name ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

static tacho_status add_runs(tacho_sql_data *data)
{
    size_t count = data->profile->events.dict->run_count;
    tacho_sql_step *runs = NULL;
    TACHO_TRY(tacho_items_make(&runs, count));
    for (size_t i = 0; i < count; i++) {
        runs[i] = (tacho_sql_step){.span_count = 0};
    }
    tacho_status status = TACHO_OK;
    sum_runs(data, runs);
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = runs[i].span_count > 0 ? add_step(data, &runs[i]) : TACHO_OK;
    }
    free(runs);
    if (data->step_count > 0) {
        qsort(data->steps, data->step_count, sizeof(*data->steps), compare_steps);
    }
    return status;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static tacho_status add_rows(const tacho_sql_data *data, tacho_steps *steps)
{
    for (size_t i = 0; i < data->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(data->profile, i);
        tacho_row row = {.kind = TACHO_ROW_SPAN, .track = span.track, .start = span.start};
        row.of.span.end = span.end;
        row.of.span.site = span.site;
        row.of.span.run = span.run;
        row.of.span.flags = span.flags;
        TACHO_TRY(tacho_steps_add(steps, &row));
    }
    return TACHO_OK;
}

/* The runs of |part| are its steps: they have one name, and are sorted by their numbers. */
static void mark_runs(tacho_sql_data *data, uint32_t part, const tacho_steps *steps)
{
    size_t first = 0;
    size_t end = 0;
    while (first < data->step_count && data->steps[first].part != part) {
        first++;
    }
    for (end = first; end < data->step_count && data->steps[end].part == part; end++) {
        data->steps[end].is_step = true;
    }
    for (size_t i = 0; i < steps->warm_up_count && end > first; i++) {
        tacho_sql_step key = data->steps[first];
        key.number = steps->items[i].number;
        tacho_sql_step *run =
            bsearch(&key, data->steps + first, end - first, sizeof(key), compare_steps);
        if (run != NULL) {
            run->is_warm_up = true;
        }
    }
}

static tacho_status add_part(tacho_sql_data *data, uint32_t part, tacho_steps *steps)
{
    TACHO_TRY(tacho_steps_find(steps, part));
    if (steps->kind == TACHO_STEP_RUN) {
        mark_runs(data, part, steps);
        return TACHO_OK;
    }
    for (size_t i = 0; i < steps->item_count; i++) {
        const tacho_step_span *step = &steps->items[i];
        const tacho_sql_step row = {.part = part,
                                    .name = step->name,
                                    .number = step->number,
                                    .start_ns = step->start_ns,
                                    .end_ns = step->end_ns,
                                    .kind = steps->kind,
                                    .is_step = true,
                                    .is_warm_up = step->is_warm_up};
        TACHO_TRY(add_step(data, &row));
    }
    return TACHO_OK;
}

/* Inferences that are parts of one file, a run each, are steps of one another. */
static tacho_status mark_inferences(tacho_sql_data *data)
{
    const tacho_part *parts = data->profile->events.dict->parts;
    tacho_step_span *items = NULL;
    TACHO_TRY(tacho_items_make(&items, data->step_count));
    tacho_status status = TACHO_OK;
    for (size_t first = 0, end = 0; first < data->step_count && status == TACHO_OK; first = end) {
        const tacho_sql_step *of = &data->steps[first];
        for (end = first + 1; end < data->step_count; end++) {
            const tacho_sql_step *next = &data->steps[end];
            if (of->is_step || next->is_step || next->name != of->name ||
                next->part != data->steps[end - 1].part + 1 ||
                parts[next->part].path != parts[of->part].path) {
                break;
            }
        }
        size_t warm_up = 0;
        for (size_t i = first; i < end; i++) {
            items[i - first] = (tacho_step_span){.start_ns = data->steps[i].start_ns,
                                                 .end_ns = data->steps[i].end_ns};
        }
        status = tacho_steps_mark_warm_up(items, end - first, &warm_up);
        for (size_t i = first; i < end && end - first > 1; i++) {
            data->steps[i].is_step = true;
            data->steps[i].is_warm_up = i - first < warm_up;
        }
    }
    free(items);
    return status;
}

tacho_status tacho_sql_steps_make(tacho_sql_data *data)
{
    tacho_steps steps;
    tacho_steps_init(&steps, data->profile->events.dict);
    tacho_status status = add_runs(data);
    status = status == TACHO_OK ? add_rows(data, &steps) : status;
    for (uint32_t i = 0; i < data->profile->events.dict->part_count && status == TACHO_OK; i++) {
        status = add_part(data, i, &steps);
    }
    tacho_steps_deinit(&steps);
    if (data->step_count > 0) {
        qsort(data->steps, data->step_count, sizeof(*data->steps), compare_steps);
    }
    return status == TACHO_OK ? mark_inferences(data) : status;
}

/* ---- columns --------------------------------------------------------------------------------- */

static size_t count_steps(const tacho_sql_data *data)
{
    return data->step_count;
}

static void put_number(const tacho_sql_step *step, int column, sqlite3_context *context)
{
    sqlite3_result_int64(context, column == NUMBER     ? step->number
                                  : column == START_NS ? step->start_ns
                                  : column == END_NS   ? step->end_ns
                                                       : step->end_ns - step->start_ns);
}

static void put_step(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_sql_step *step = &place->data->steps[place->row];
    switch (column) {
    case STEP_ID:
        sqlite3_result_int64(context, (sqlite3_int64)place->row);
        break;
    case FILE_NAME:
        tacho_sql_put_string(place->data, place->data->profile->events.dict->parts[step->part].name,
                             context);
        break;
    case KIND:
        tacho_sql_put_word(tacho_step_kind_name(step->kind), context);
        break;
    case NAME:
        tacho_sql_put_string(place->data, step->name, context);
        break;
    case SPAN_COUNT:
        if (step->span_count > 0) {
            sqlite3_result_int64(context, (sqlite3_int64)step->span_count);
        }
        break;
    case WARM_UP:
        if (step->is_step) {
            sqlite3_result_int(context, step->is_warm_up ? 1 : 0);
        }
        break;
    default:
        put_number(step, column, context);
    }
}

const tacho_sql_table tacho_sql_table_step_rows = {
    .name = "step_rows",
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .needs = TACHO_SQL_NEEDS_STEPS,
    .is_internal = true,
    .count = count_steps,
    .put = put_step,
};
