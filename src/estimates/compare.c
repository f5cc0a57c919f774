/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts records to rows. Simulated operators use STAL records of the first inference and
 * activation, since all inferences are the same there; measured ones use the medians of all op
 * records, since other activity of a computer can make single records arbitrarily long.
 */
#include "estimates/compare.h"

#include "estimates/estimates.h"
#include "estimates/outliers.h"
#include "base/grow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- records ------------------------------------------------------------------------------- */

static void take_stalls(tacho_run_compare *self, const tacho_stats_array *array)
{
    const tacho_stats_stall *records = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        if (records[i].op >= self->recording->program->op_count) {
            continue;
        }
        tacho_run_compared *item = &self->items[records[i].op];
        if (item->count == 0) {
            item->count = 1;
            item->taken = records[i].end_p - records[i].start_p;
            memcpy(item->stalls, records[i].cycles, sizeof(item->stalls));
        }
    }
}

/* How long an operator took once. */
typedef struct op_time {
    uint32_t op;
    int64_t ns;
} op_time;

typedef struct op_times {
    op_time *items;
    size_t item_count, item_capacity;
} op_times;

static tacho_status take_times(const tacho_run_compare *self, const tacho_stats_head *head,
                               const tacho_stats_array *array, op_times *times)
{
    const tacho_stats_op *records = array->records;
    double ns_per_tick = head->timer_hz > 0 ? 1e9 / (double)head->timer_hz : 0;
    for (uint32_t i = 0; i < array->count; i++) {
        if (records[i].oc < self->recording->program->op_count &&
            records[i].op_end_u >= records[i].op_start_u) {
            double ns = (double)(records[i].op_end_u - records[i].op_start_u) * ns_per_tick;
            TACHO_TRY(tacho_grow(&times->items, &times->item_capacity, times->item_count + 1));
            times->items[times->item_count++] = (op_time){records[i].oc, (int64_t)llround(ns)};
        }
    }
    return TACHO_OK;
}

static int compare_times(const void *left, const void *right)
{
    const op_time *a = left;
    const op_time *b = right;
    if (a->op != b->op) {
        return a->op < b->op ? -1 : 1;
    }
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

/* The median of each operator; of two middle values the shorter one. */
static void take_medians(tacho_run_compare *self, op_times *times)
{
    size_t first = 0;
    if (times->item_count > 0) {
        qsort(times->items, times->item_count, sizeof(*times->items), compare_times);
    }
    for (size_t i = 1; i <= times->item_count; i++) {
        if (i < times->item_count && times->items[i].op == times->items[first].op) {
            continue;
        }
        tacho_run_compared *item = &self->items[times->items[first].op];
        item->count = (uint32_t)(i - first);
        item->taken = times->items[first + (item->count - 1) / 2].ns;
        first = i;
    }
}

static tacho_status take_buffer(tacho_run_compare *self, const tacho_stats_buffer *buffer,
                                op_times *times)
{
    bool is_by_op = (buffer->head.features & TACHO_STATS_BY_OP) != 0;
    for (size_t i = 0; i < buffer->array_count; i++) {
        const tacho_stats_array *array = &buffer->arrays[i];
        if (self->is_simulated && array->type == TACHO_STATS_TYPE_stall) {
            take_stalls(self, array);
        } else if (!self->is_simulated && is_by_op && array->type == TACHO_STATS_TYPE_op) {
            TACHO_TRY(take_times(self, &buffer->head, array, times));
        }
    }
    return TACHO_OK;
}

static tacho_status take_samples(tacho_run_compare *self, op_times *times)
{
    const tacho_recording *recording = self->recording;
    size_t sample_count =
        self->is_simulated && recording->sample_count > 1 ? 1 : recording->sample_count;
    for (size_t i = 0; i < sample_count; i++) {
        const tacho_device_result *result = &recording->samples[i].result;
        for (size_t k = 0; k < result->stats_count; k++) {
            if (result->stats[k].head.activation == 0 || !self->is_simulated) {
                TACHO_TRY(take_buffer(self, &result->stats[k], times));
            }
        }
    }
    take_medians(self, times);
    return TACHO_OK;
}

/* ---- the comparison ------------------------------------------------------------------------ */

/* Keeps the operators that have records. */
static void keep_recorded(tacho_run_compare *self)
{
    const tacho_program *program = self->recording->program;
    const tacho_run_device *device = &self->recording->device;
    size_t kept = 0;
    for (size_t i = 0; i < program->op_count; i++) {
        tacho_run_compared item = self->items[i];
        if (item.count > 0) {
            item.op = (uint32_t)i;
            item.estimated = program->ops[i].cycles;
            item.is_elsewhere = !self->is_simulated && device->computes_op != NULL &&
                                !device->computes_op(device->self, (uint32_t)i);
            self->record_count_max =
                item.count > self->record_count_max ? item.count : self->record_count_max;
            self->items[kept++] = item;
        }
    }
    self->item_count = kept;
}

static int64_t estimated_ns(const tacho_run_compare *self, int64_t cycles)
{
    return (int64_t)llround((double)cycles * 1e9 / self->clock_hz);
}

/* Processors temporarily exceed their measured clock. */
static const double clock_tolerance = 1.05;

static void fit(tacho_run_compare *self)
{
    double estimated = 0;
    double taken = 0;
    double errors = 0;
    size_t counted = 0; /* operators with an estimate, like rows with a percentage */
    for (size_t i = 0; i < self->item_count; i++) {
        estimated += (double)self->items[i].estimated;
        taken += (double)self->items[i].taken;
    }
    self->nominal_hz = (double)self->recording->program->facts.core_clock_hz;
    self->clock_hz = self->nominal_hz;
    if (!self->is_simulated && taken > 0 && estimated > 0) {
        self->clock_hz = estimated * 1e9 / taken;
        self->is_beyond = self->clock_hz > self->nominal_hz * clock_tolerance;
    }
    for (size_t i = 0; i < self->item_count; i++) {
        tacho_run_compared *item = &self->items[i];
        int64_t base = self->is_simulated ? item->estimated : estimated_ns(self, item->estimated);
        item->difference = item->taken - base;
        bool counts = base > 0 && !item->is_elsewhere;
        errors += counts ? fabs((double)item->difference) / (double)base : 0;
        counted += counts ? 1 : 0;
    }
    self->error = counted > 0 ? errors / (double)counted : 0;
}

tacho_status tacho_run_compare_check(const tacho_program *program)
{
    if (program->facts.stats.level < TACHO_STATS_LEVEL_OPS) {
        return tacho_fail(
            TACHO_CODE_USAGE,
            "cannot compare: the program records no operators: it was compiled with stats "
            "level %u, and %u is needed",
            (unsigned)program->facts.stats.level, (unsigned)TACHO_STATS_LEVEL_OPS);
    }
    return TACHO_OK;
}

/* Call deinit even after a failure. */
static tacho_status run_compare_init(tacho_run_compare *compare, const tacho_recording *recording)
{
    const tacho_program *program = recording->program;
    *compare = (tacho_run_compare){
        .recording = recording,
        .is_simulated = recording->device.is_simulated,
        .items = tacho_items_alloc(program->op_count, sizeof(*compare->items)),
    };
    if (compare->items == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu operators",
                          program->op_count);
    }
    op_times times = {0};
    tacho_status status = take_samples(compare, &times);
    free(times.items);
    TACHO_TRY(status);
    keep_recorded(compare);
    fit(compare);
    if (compare->item_count == 0 && recording->sample_count > 0) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "the device %s records no operators",
                          recording->device.name);
    }
    return TACHO_OK;
}

static void run_compare_deinit(tacho_run_compare *compare)
{
    free(compare->items);
}

/* ---- tables -------------------------------------------------------------------------------- */

#define STALL_COLUMN(name, key, phrase) TACHO_COLUMN(name##_CYCLES, key, INT),

static const tacho_column simulated_columns[] = {
    TACHO_COLUMN(OP, "#", INT),
    TACHO_COLUMN(NAME, "Name", TEXT),
    TACHO_COLUMN(TYPE, "Type", TEXT),
    TACHO_COLUMN(ESTIMATED_CYCLES, "Estimated", INT),
    TACHO_COLUMN(SIMULATED_CYCLES, "Simulated", INT),
    TACHO_COLUMN(DIFFERENCE_CYCLES, "Difference", INT),
    TACHO_COLUMN(DIFFERENCE_PERCENT, "Off by", PERCENT),
    TACHO_STALLS(STALL_COLUMN) TACHO_COLUMN(LOCATION, "Location", TEXT),
};

static const tacho_column measured_columns[] = {
    TACHO_COLUMN(OP, "#", INT),
    TACHO_COLUMN(NAME, "Name", TEXT),
    TACHO_COLUMN(TYPE, "Type", TEXT),
    TACHO_COLUMN(ESTIMATED_CYCLES, "Estimated", INT),
    TACHO_COLUMN(ESTIMATED_NS, "Scaled estimate", DURATION),
    TACHO_COLUMN(MEASURED_NS, "Measured", DURATION),
    TACHO_COLUMN(DIFFERENCE_PERCENT, "Off by", PERCENT),
    TACHO_COLUMN(COMPUTED, "Computed", TEXT),
    TACHO_COLUMN(LOCATION, "Location", TEXT),
};

static void begin_table(const tacho_run_compare *self, const char *name, const char *title,
                        tacho_table *table)
{
    if (self->is_simulated) {
        tacho_table_init(table, name, title, simulated_columns,
                         sizeof(simulated_columns) / sizeof(simulated_columns[0]));
    } else {
        tacho_table_init(table, name, title, measured_columns,
                         sizeof(measured_columns) / sizeof(measured_columns[0]));
    }
    static const tacho_column_id kept[] = {
        TACHO_COL_NAME,        TACHO_COL_ESTIMATED_CYCLES,   TACHO_COL_SIMULATED_CYCLES,
        TACHO_COL_MEASURED_NS, TACHO_COL_DIFFERENCE_PERCENT, TACHO_COL_OTHER};
    table->kept = kept;
}

static tacho_status add_percent(tacho_table *table, double part, double of)
{
    return of > 0 ? tacho_table_add_real(table, part * 100 / of) : tacho_table_add_absent(table);
}

static tacho_status add_numbers(const tacho_run_compare *self, const tacho_run_compared *item,
                                tacho_table *table)
{
    TACHO_TRY(tacho_table_add_int(table, item->estimated));
    if (!self->is_simulated) {
        int64_t estimated = estimated_ns(self, item->estimated);
        TACHO_TRY(tacho_table_add_int(table, estimated));
        if (item->is_elsewhere) {
            TACHO_TRY(tacho_table_add_absent(table));
            TACHO_TRY(tacho_table_add_absent(table));
            return tacho_table_add_text(table, TACHO_STR("with a neighbour, or a view"));
        }
        TACHO_TRY(tacho_table_add_int(table, item->taken));
        TACHO_TRY(add_percent(table, (double)(item->taken - estimated), (double)estimated));
        return tacho_table_add_absent(table);
    }
    TACHO_TRY(tacho_table_add_int(table, item->taken));
    TACHO_TRY(tacho_table_add_int(table, item->difference));
    TACHO_TRY(add_percent(table, (double)item->difference, (double)item->estimated));
    for (size_t i = 0; i < TACHO_STALL_COUNT; i++) {
        TACHO_TRY(tacho_table_add_int(table, item->stalls[i]));
    }
    return TACHO_OK;
}

static tacho_status add_item(const tacho_run_compare *self, const tacho_run_compared *item,
                             tacho_table *table)
{
    const tacho_program_op *op = &self->recording->program->ops[item->op];
    TACHO_TRY(tacho_table_add_int(table, (int64_t)item->op));
    TACHO_TRY(tacho_table_add_text(table, tacho_recording_string(self->recording, op->name)));
    TACHO_TRY(tacho_table_add_text(table, tacho_recording_string(self->recording, op->type)));
    TACHO_TRY(add_numbers(self, item, table));
    return tacho_table_add_text(table, tacho_recording_string(self->recording, op->location));
}

static tacho_status add_sum(const tacho_run_compare *self, tacho_table *table)
{
    tacho_run_compared sum = {.count = 1};
    for (size_t i = 0; i < self->item_count; i++) {
        sum.estimated += self->items[i].estimated;
        sum.taken += self->items[i].taken;
        sum.difference += self->items[i].difference;
        for (size_t k = 0; k < TACHO_STALL_COUNT; k++) {
            sum.stalls[k] += self->items[i].stalls[k];
        }
    }
    TACHO_TRY(tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_text(table, TACHO_STR("all operators")));
    TACHO_TRY(tacho_table_add_absent(table));
    TACHO_TRY(add_numbers(self, &sum, table));
    return tacho_table_add_absent(table);
}

/* Whether simulation takes exactly the estimate, without stalls that cancel out. */
static bool is_equal(const tacho_run_compare *self, const tacho_run_compared *item)
{
    bool has_stall = false;
    for (size_t i = 0; i < TACHO_STALL_COUNT; i++) {
        has_stall = has_stall || item->stalls[i] != 0;
    }
    return self->is_simulated && item->difference == 0 && !has_stall;
}

static size_t count_equal(const tacho_run_compare *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->item_count; i++) {
        count += is_equal(self, &self->items[i]) ? 1 : 0;
    }
    return count;
}

/* All operators in order, and their sum; with |omits_equal|, for users, only those with stalls, and
 * no rows without these. */
static tacho_status run_compare_table(const tacho_run_compare *compare, bool omits_equal,
                                      tacho_table *out_table)
{
    begin_table(compare, "compare",
                compare->is_simulated ? "Estimated and simulated" : "Estimated and measured",
                out_table);
    size_t left_out = omits_equal ? count_equal(compare) : 0;
    for (size_t i = 0; i < compare->item_count; i++) {
        bool is_listed = left_out == 0 || !is_equal(compare, &compare->items[i]);
        TACHO_TRY(is_listed ? add_item(compare, &compare->items[i], out_table) : TACHO_OK);
    }
    return compare->item_count > left_out ? add_sum(compare, out_table) : TACHO_OK;
}

static int64_t size_of(const tacho_run_compared *item)
{
    return item->difference < 0 ? -item->difference : item->difference;
}

static int compare_sizes(const void *left, const void *right)
{
    const tacho_run_compared *a = *(const tacho_run_compared *const *)left;
    const tacho_run_compared *b = *(const tacho_run_compared *const *)right;
    if (size_of(a) != size_of(b)) {
        return size_of(a) > size_of(b) ? -1 : 1;
    }
    return a->op < b->op ? -1 : a->op > b->op;
}

static tacho_status add_worst(const tacho_run_compare *self, const tacho_run_compared **order,
                              size_t top, tacho_table *table)
{
    for (size_t i = 0; i < self->item_count; i++) {
        order[i] = &self->items[i];
    }
    qsort(order, self->item_count, sizeof(*order), compare_sizes);
    size_t left = top;
    for (size_t i = 0; i < self->item_count && left > 0 && order[i]->difference != 0; i++) {
        if (!order[i]->is_elsewhere) {
            TACHO_TRY(add_item(self, order[i], table));
            left--;
        }
    }
    return TACHO_OK;
}

/* The |top| operators with the largest difference; those without one are left out. */
static tacho_status run_worst_table(const tacho_run_compare *compare, size_t top,
                                    tacho_table *out_table)
{
    const tacho_run_compared **order = tacho_items_alloc(compare->item_count, sizeof(*order));
    begin_table(compare, "worst",
                compare->is_simulated ? "Largest errors of the estimate, in cycles"
                                      : "Largest errors of the estimate, in time",
                out_table);
    tacho_status status =
        order != NULL ? add_worst(compare, order, top, out_table) : tacho_no_memory();
    free(order);
    return status;
}

static tacho_status add_stall_rows(const tacho_run_compare *self, tacho_table *table)
{
#define STALL_PHRASE(name, key, phrase) {key, phrase},
    static const char *const words[][2] = {TACHO_STALLS(STALL_PHRASE)};
#undef STALL_PHRASE
    for (size_t i = 0; i < TACHO_STALL_COUNT; i++) {
        int64_t cycles = 0;
        for (size_t k = 0; k < self->item_count; k++) {
            cycles += self->items[k].stalls[i];
        }
        TACHO_TRY(tacho_table_add_property(table, words[i][0], "%" PRId64 " cycles: %s", cycles,
                                           words[i][1]));
    }
    return TACHO_OK;
}

/* Adds the threads of the run next to the estimated cores. */
static tacho_status add_threads(const tacho_run_compare *self, tacho_table *table)
{
    uint32_t ran = self->recording->device.threads;
    uint32_t cores = self->recording->program->facts.core_count;
    return tacho_table_add_property(
        table, "threads", "%" PRIu32 " ran, estimated for %" PRIu32 " core%s%s", ran, cores,
        cores == 1 ? "" : "s", ran == cores ? "" : ": compare shares, not times");
}

static tacho_status add_outliers(const tacho_run_compare *self, tacho_table *table)
{
    char text[TACHO_RUN_OUTLIERS_TEXT];
    tacho_run_outliers_print(self, text, sizeof(text));
    if (text[0] == '\0') {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_table_add_text(table, TACHO_STR("outliers")));
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

/* Adds how times were measured. */
static tacho_status add_measured_rows(const tacho_run_compare *self, tacho_table *table)
{
    size_t elsewhere = 0;
    for (size_t i = 0; i < self->item_count; i++) {
        elsewhere += self->items[i].is_elsewhere ? 1 : 0;
    }
    TACHO_TRY(tacho_table_add_property(table, "measured", "%s of %" PRIu32 " inference%s",
                                       self->record_count_max == 1 ? "times" : "medians",
                                       self->record_count_max,
                                       self->record_count_max == 1 ? "" : "s"));
    TACHO_TRY(add_threads(self, table));
    TACHO_TRY(add_outliers(self, table));
    tacho_str machine =
        tacho_recording_string(self->recording, self->recording->program->facts.machine);
    if (!tacho_str_equal(machine, TACHO_STR("host-cpu"))) {
        TACHO_TRY(tacho_table_add_property(table, "estimated",
                                           "for %.40s, measured here: compare shares, not times",
                                           machine.data));
    }
    if (elsewhere == 0) {
        return TACHO_OK;
    }
    return tacho_table_add_property(table, "not measured",
                                    "%zu operator%s with a neighbour, or only another view of it",
                                    elsewhere, elsewhere == 1 ? " runs" : "s run");
}

static tacho_status add_clock(const tacho_run_compare *self, tacho_table *table)
{
    char text[240];
    double nominal_mhz = self->nominal_hz / 1e6;
    if (self->is_simulated) {
        snprintf(text, sizeof(text), "%.6g MHz, the machine's", nominal_mhz);
    } else if (!self->is_beyond) {
        snprintf(text, sizeof(text),
                 "%.6g MHz, fitted: at this clock the estimate matches the measurement",
                 self->clock_hz / 1e6);
    } else {
        snprintf(text, sizeof(text),
                 "none fits: the run took %.3g of the time that is estimated at the machine's "
                 "%.6g MHz, so the estimate is too slow for this computer; operators are compared "
                 "by shares",
                 self->nominal_hz / self->clock_hz, nominal_mhz);
    }
    TACHO_TRY(tacho_table_add_text(table, TACHO_STR("clock")));
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

/* Adds the stalls of the simulation, and the number of operators without any. */
static tacho_status add_simulated_rows(const tacho_run_compare *self, size_t left_out,
                                       tacho_table *table)
{
    if (left_out == 0) {
        return add_stall_rows(self, table);
    }
    if (left_out == self->item_count) {
        return tacho_table_add_property(
            table, "contention", "none: %s take%s the estimated cycles, exactly",
            left_out == 1 ? "the operator" : "all operators", left_out == 1 ? "s" : "");
    }
    TACHO_TRY(tacho_table_add_property(table, "not listed",
                                       "%zu of %zu operators, which take the estimated cycles",
                                       left_out, self->item_count));
    return add_stall_rows(self, table);
}

/* For users: the clock, the error, explanations of stalls; one line without contention. */
static tacho_status run_fit_table(const tacho_run_compare *compare, bool omits_equal,
                                  tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(PROPERTY, "What", TEXT),
        TACHO_COLUMN(VALUE, "Value", TEXT),
    };
    tacho_table_init(out_table, "fit", "Accuracy of the estimate", columns, 2);
    TACHO_TRY(add_clock(compare, out_table));
    TACHO_TRY(tacho_table_add_property(
        out_table, "error", "%.2f %% of an operator's estimate, on average", compare->error * 100));
    return compare->is_simulated
               ? add_simulated_rows(compare, omits_equal ? count_equal(compare) : 0, out_table)
               : add_measured_rows(compare, out_table);
}

/* ---- the analysis -------------------------------------------------------------------------- */

static tacho_status hand_over_all(const tacho_run_compare *compare,
                                  const tacho_compare_options *options, const tacho_table_taker *to)
{
    tacho_table table = {0};
    tacho_status status = run_compare_table(compare, options->omits_equal, &table);
    TACHO_TRY(tacho_table_hand_over(to, status, &table));
    if (options->worst_count == 0) {
        return TACHO_OK;
    }
    status = run_worst_table(compare, options->worst_count, &table);
    TACHO_TRY(tacho_table_hand_over(to, status, &table));
    status = run_fit_table(compare, options->omits_equal, &table);
    return tacho_table_hand_over(to, status, &table);
}

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_compare_options *chosen = options;
    tacho_run_compare compare;
    tacho_status status = run_compare_init(&compare, subject);
    if (status == TACHO_OK && !compare.is_simulated) {
        char text[TACHO_RUN_OUTLIERS_TEXT];
        tacho_run_outliers_print(&compare, text, sizeof(text));
        if (text[0] != '\0') {
            tacho_note(chosen->notes, "warning", "%s", text);
        }
    }
    if (status == TACHO_OK) {
        status = hand_over_all(&compare, chosen, to);
    }
    run_compare_deinit(&compare);
    return status;
}

const tacho_analysis tacho_analysis_compare = {
    .name = "compare",
    .question = "how far is each operator from its estimate",
    .options = "tacho_compare_options",
    .subject = TACHO_SUBJECT_RECORDING,
    .make = make_tables,
};
