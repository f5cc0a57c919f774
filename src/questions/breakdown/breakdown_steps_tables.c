/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of steps: statistics, and the steps one by one.
 */
#include "questions/breakdown/breakdown.h"
#include "questions/breakdown/breakdown_subjects.h"
#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

enum { PERCENT = 100, LOW = 25, MEDIAN = 50, HIGH = 75, MEAN_COLUMNS = 4 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const tacho_column statistics_columns[] = {
    TACHO_BREAKDOWN_WHO,
    TACHO_COLUMN(KIND, "kind", TEXT),
    TACHO_COLUMN(STEP_COUNT, "steps", INT),
    TACHO_COLUMN(WARM_UP_COUNT, "warm-up", INT),
    TACHO_COLUMN(MEAN_NS, "mean", DURATION),
    TACHO_COLUMN(P50_NS, "median", DURATION),
    TACHO_COLUMN(MIN_NS, "min", DURATION),
    TACHO_COLUMN(MAX_NS, "max", DURATION),
    TACHO_COLUMN(SPREAD_NS, "spread", DURATION),
    TACHO_COLUMN(BUSY_NS, "busy", DURATION),
    TACHO_COLUMN(BUSY_PERCENT, "busy %", PERCENT),
    TACHO_COLUMN(IDLE_PERCENT, "idle %", PERCENT),
    TACHO_COLUMN(LAUNCH_COUNT, "launches", REAL),
};

static const tacho_column step_columns[] = {
    TACHO_BREAKDOWN_WHO,
    TACHO_COLUMN(STEP, "step", TEXT),
    TACHO_COLUMN(WARM_UP, "warm-up", TEXT),
    TACHO_COLUMN(START_NS, "start", DURATION),
    TACHO_COLUMN(TIME_NS, "time", DURATION),
    TACHO_COLUMN(DEVICE_TIME_NS, "on device", DURATION),
    TACHO_COLUMN(BUSY_NS, "busy", DURATION),
    TACHO_COLUMN(IDLE_NS, "idle", DURATION),
    TACHO_COLUMN(IDLE_PERCENT, "idle %", PERCENT),
    TACHO_COLUMN(WORK_COUNT, "pieces", INT),
    TACHO_COLUMN(LAUNCH_COUNT, "launches", INT),
};

/* ---- statistics ---------------------------------------------------------------------------- */

static int64_t length_of(const tacho_step_span *step)
{
    return step->end_ns - step->start_ns;
}

/* Mean, median, least, most and spread of the steps but warm-up. */
static tacho_status add_lengths(const tacho_part_steps *steps, tacho_table *table)
{
    size_t count = tacho_part_steps_steady_count(steps);
    int64_t *lengths = NULL;
    tacho_i128 sum = 0;
    TACHO_TRY(tacho_items_make(&lengths, count));
    for (size_t i = 0; i < count; i++) {
        lengths[i] = length_of(&steps->items[steps->warm_up_count + i]);
        sum += lengths[i];
    }
    tacho_times_sort(lengths, count);
    const int64_t values[] = {
        (int64_t)(sum / (tacho_i128)count),
        tacho_times_percentile(lengths, count, MEDIAN),
        lengths[0],
        lengths[count - 1],
        tacho_times_percentile(lengths, count, HIGH) - tacho_times_percentile(lengths, count, LOW),
    };
    free(lengths);
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        TACHO_TRY(tacho_table_add_int(table, values[i]));
    }
    return TACHO_OK;
}

/* Adds averages of |device| over the steps. */
static tacho_status add_means(const tacho_part_steps *steps, const tacho_breakdown_device *device,
                              tacho_table *table)
{
    tacho_i128 busy_ns = 0;
    tacho_i128 time_ns = 0;
    uint64_t launch_count = 0;
    size_t count = tacho_part_steps_steady_count(steps);
    for (size_t i = 0; i < count; i++) {
        size_t at = steps->warm_up_count + i;
        time_ns += length_of(&steps->items[at]);
        busy_ns += device->steps.items[at].busy_ns;
        launch_count += device->steps.items[at].launch_count;
    }
    double busy = time_ns > 0 ? PERCENT * (double)busy_ns / (double)time_ns : 0;
    TACHO_TRY(tacho_table_add_int(table, (int64_t)(busy_ns / (tacho_i128)count)));
    TACHO_TRY(tacho_table_add_real(table, busy));
    TACHO_TRY(tacho_table_add_real(table, PERCENT - busy));
    return tacho_table_add_real(table, (double)launch_count / (double)count);
}

static tacho_status add_kind(const tacho_part_steps *steps, tacho_table *table)
{
    tacho_str kind = tacho_str_from_cstring(tacho_step_kind_name(steps->kind));
    TACHO_TRY(tacho_table_add_text(table, kind));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)tacho_part_steps_steady_count(steps)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)steps->warm_up_count));
    return add_lengths(steps, table);
}

/* ---- inferences ---------------------------------------------------------------------------- */

/* Parts of one file that are a run each count as steps of one program. */
typedef struct inferences {
    tacho_part_steps steps;
    const tacho_breakdown_device **devices; /* the subject's, one of each part */
    tacho_breakdown_device sum;             /* all of them, by step */
} inferences;

static void close_inferences(inferences *of)
{
    free(of->steps.items);
    free(of->devices);
    free(of->sum.steps.items);
    *of = (inferences){.devices = NULL};
}

static void add_device(const tacho_breakdown_device *device, tacho_device_step *step)
{
    step->busy_ns = tacho_kind_time_sum(&device->time.busy, TACHO_WORK_COMBINATIONS - 1, 0);
    for (size_t i = 0; i < device->stream_count; i++) {
        step->work_count += device->time.streams[i].work_count;
        step->launch_count += device->streams[i].launches.count;
    }
}

/* The runs of the |count| parts from |first| on. */
static tacho_status open_runs(const tacho_breakdown_gather *gather, uint32_t first, size_t count,
                              inferences *of)
{
    *of = (inferences){.steps = {.kind = TACHO_STEP_RUN, .item_count = count}};
    TACHO_TRY(tacho_items_make(&of->steps.items, count));
    for (size_t i = 0; i < count; i++) {
        of->steps.items[i] = gather->steps[first + i].only_run;
    }
    return tacho_steps_mark_warm_up(of->steps.items, count, &of->steps.warm_up_count);
}

static tacho_status open_inferences(const tacho_breakdown_gather *gather,
                                    const tacho_breakdown_subject *subject, inferences *of)
{
    TACHO_TRY(open_runs(gather, gather->devices[subject->first].part, subject->count, of));
    of->sum.steps.item_count = subject->count;
    TACHO_TRY(tacho_items_make(&of->devices, subject->count));
    TACHO_TRY(tacho_items_make(&of->sum.steps.items, subject->count));
    for (size_t i = 0; i < subject->count; i++) {
        of->devices[i] = tacho_breakdown_subject_device(gather, subject, i);
        add_device(of->devices[i], &of->sum.steps.items[i]);
    }
    return TACHO_OK;
}

/* ---- rows of statistics -------------------------------------------------------------------- */

/* Adds steps of a part, or of several parts called |name|, without device times. */
static tacho_status add_host_row(const tacho_breakdown_gather *gather, uint32_t part, uint32_t name,
                                 const tacho_part_steps *steps, tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const char *origin = tacho_origin_name(dict->parts[part].origin);
    int64_t rank = tacho_breakdown_rank(gather, part);
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, name)));
    TACHO_TRY(rank >= 0 ? tacho_table_add_int(table, rank) : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(origin)));
    return add_kind(steps, table);
}

static tacho_status add_nothing(tacho_table *table)
{
    for (size_t i = 0; i < MEAN_COLUMNS; i++) {
        TACHO_TRY(tacho_table_add_absent(table));
    }
    return TACHO_OK;
}

static tacho_status add_inferences(const tacho_breakdown_gather *gather,
                                   const tacho_breakdown_subject *subject, tacho_table *table)
{
    inferences of;
    if (subject->count == 1) {
        return TACHO_OK;
    }
    tacho_status status = open_inferences(gather, subject, &of);
    if (status == TACHO_OK) {
        status = tacho_breakdown_add_subject(gather, subject, table);
    }
    if (status == TACHO_OK) {
        status = add_kind(&of.steps, table);
    }
    if (status == TACHO_OK) {
        status = add_means(&of.steps, &of.sum, table);
    }
    close_inferences(&of);
    return status;
}

/* Whether the parts from |first| to |end| share a device that is one subject. */
static tacho_status have_subject(const tacho_breakdown_gather *gather, uint32_t first, uint32_t end,
                                 bool *out_have)
{
    tacho_breakdown_subject *subjects = NULL;
    size_t count = 0;
    *out_have = false;
    tacho_status status = tacho_breakdown_subjects_make(gather, &subjects, &count);
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        uint32_t part = gather->devices[subjects[i].first].part;
        *out_have = *out_have || (part == first && subjects[i].count == end - first);
    }
    free(subjects);
    return status;
}

/* Adds only the durations of inferences that do not have the same devices. */
static tacho_status add_unlike(const tacho_breakdown_gather *gather, uint32_t first, uint32_t end,
                               tacho_table *table)
{
    bool has_subject = false;
    inferences of;
    TACHO_TRY(have_subject(gather, first, end, &has_subject));
    if (has_subject) {
        return TACHO_OK;
    }
    tacho_status status = open_runs(gather, first, end - first, &of);
    if (status == TACHO_OK) {
        status = add_host_row(gather, first, gather->steps[first].run_name, &of.steps, table);
    }
    close_inferences(&of);
    return status == TACHO_OK ? add_nothing(table) : status;
}

static tacho_status add_part(const tacho_breakdown_gather *gather, uint32_t part,
                             tacho_table *table)
{
    const tacho_part_steps *steps = &gather->steps[part];
    bool has_device = false;
    for (size_t i = 0; i < gather->device_count && steps->item_count > 0; i++) {
        const tacho_breakdown_device *device = &gather->devices[i];
        if (device->part == part) {
            has_device = true;
            TACHO_TRY(tacho_breakdown_add_who(gather, device, table));
            TACHO_TRY(add_kind(steps, table));
            TACHO_TRY(add_means(steps, device, table));
        }
    }
    if (has_device || steps->item_count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(add_host_row(gather, part, gather->events.dict->parts[part].name, steps, table));
    return add_nothing(table);
}

tacho_status tacho_breakdown_step_statistics_table(const tacho_breakdown_gather *gather,
                                                   tacho_table *out_table)
{
    static const tacho_column_id kept[] = {
        TACHO_COL_RANK,          TACHO_COL_STEP_COUNT, TACHO_COL_P50_NS,    TACHO_COL_IDLE_PERCENT,
        TACHO_COL_MIN_NS,        TACHO_COL_MAX_NS,     TACHO_COL_BUSY_NS,   TACHO_COL_LAUNCH_COUNT,
        TACHO_COL_WARM_UP_COUNT, TACHO_COL_DEVICE,     TACHO_COL_SPREAD_NS, TACHO_COL_OTHER};
    tacho_table_init(out_table, "step_statistics", "Steps", statistics_columns,
                     COUNT_OF(statistics_columns));
    out_table->kept = kept;
    uint32_t end = 0;
    for (uint32_t part = 0; part < gather->step_part_count; part = end) {
        end = tacho_breakdown_inferences_end(gather, part);
        TACHO_TRY(end - part > 1 ? add_unlike(gather, part, end, out_table)
                                 : add_part(gather, part, out_table));
    }
    return tacho_breakdown_each_subject(gather, add_inferences, out_table);
}

/* ---- one by one ---------------------------------------------------------------------------- */

static tacho_status add_step(const tacho_breakdown_gather *gather,
                             const tacho_breakdown_device *device, const tacho_part_steps *steps,
                             size_t at, const tacho_device_step *did, tacho_table *table)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_step_span *step = &steps->items[at];
    const tacho_step_window *window = steps->windows != NULL ? &steps->windows[at] : NULL;
    int64_t time_ns = length_of(step);
    TACHO_TRY(tacho_breakdown_add_who(gather, device, table));
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, step->name)));
    const char *left_out = step->is_warm_up ? "yes" : step->is_stop ? "stop" : "no";
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(left_out)));
    TACHO_TRY(tacho_table_add_int(table, step->start_ns));
    TACHO_TRY(tacho_table_add_int(table, time_ns));
    TACHO_TRY(window != NULL && window->has_work
                  ? tacho_table_add_int(table, window->last_ns - window->first_ns)
                  : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, did->busy_ns));
    TACHO_TRY(tacho_table_add_int(table, time_ns - did->busy_ns));
    TACHO_TRY(time_ns > 0 ? tacho_table_add_real(table, PERCENT * (double)(time_ns - did->busy_ns) /
                                                            (double)time_ns)
                          : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)did->work_count));
    return tacho_table_add_int(table, (int64_t)did->launch_count);
}

/* The length of the |top|-th longest step: shorter ones are not listed. */
static tacho_status find_least(const tacho_part_steps *steps, size_t top, int64_t *out_ns,
                               size_t *out_equal)
{
    int64_t *lengths = NULL;
    *out_ns = INT64_MIN;
    *out_equal = SIZE_MAX;
    if (steps->item_count <= top) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&lengths, steps->item_count));
    for (size_t i = 0; i < steps->item_count; i++) {
        lengths[i] = length_of(&steps->items[i]);
    }
    tacho_times_sort(lengths, steps->item_count);
    size_t first = steps->item_count - top;
    *out_ns = top > 0 ? lengths[first] : INT64_MAX;
    *out_equal = 0;
    for (size_t i = first; i < steps->item_count && lengths[i] == *out_ns; i++) {
        (*out_equal)++;
    }
    free(lengths);
    return TACHO_OK;
}

/* Adds the longest of |steps|, in order of time: for |device|, or each with its own of
 * |devices|. */
static tacho_status add_longest(const tacho_breakdown_gather *gather, const tacho_part_steps *steps,
                                const tacho_breakdown_device *device,
                                const tacho_breakdown_device *const *devices, tacho_table *table)
{
    int64_t least_ns = 0;
    size_t equal = 0;
    TACHO_TRY(find_least(steps, gather->step_top, &least_ns, &equal));
    for (size_t k = 0; k < steps->item_count; k++) {
        int64_t time_ns = length_of(&steps->items[k]);
        bool is_listed = time_ns > least_ns || (time_ns == least_ns && equal > 0);
        equal -= time_ns == least_ns && equal > 0 && equal != SIZE_MAX ? 1 : 0;
        const tacho_breakdown_device *of = devices != NULL ? devices[k] : device;
        TACHO_TRY(is_listed ? add_step(gather, of, steps, k, &device->steps.items[k], table)
                            : TACHO_OK);
    }
    return TACHO_OK;
}

static tacho_status list_inferences(const tacho_breakdown_gather *gather,
                                    const tacho_breakdown_subject *subject, tacho_table *table)
{
    inferences of;
    if (subject->count == 1) {
        return TACHO_OK;
    }
    tacho_status status = open_inferences(gather, subject, &of);
    if (status == TACHO_OK) {
        status = add_longest(gather, &of.steps, &of.sum, of.devices, table);
    }
    close_inferences(&of);
    return status;
}

tacho_status tacho_breakdown_steps_table(const tacho_breakdown_gather *gather,
                                         tacho_table *out_table)
{
    static const tacho_column_id kept[] = {
        TACHO_COL_RANK,    TACHO_COL_STEP,    TACHO_COL_TIME_NS,      TACHO_COL_IDLE_PERCENT,
        TACHO_COL_WARM_UP, TACHO_COL_BUSY_NS, TACHO_COL_LAUNCH_COUNT, TACHO_COL_START_NS,
        TACHO_COL_DEVICE,  TACHO_COL_OTHER};
    tacho_table_init(out_table, "steps", "Steps one by one", step_columns, COUNT_OF(step_columns));
    out_table->kept = kept;
    for (size_t i = 0; i < gather->device_count; i++) {
        const tacho_breakdown_device *device = &gather->devices[i];
        TACHO_TRY(add_longest(gather, &gather->steps[device->part], device, NULL, out_table));
    }
    return tacho_breakdown_each_subject(gather, list_inferences, out_table);
}
