/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers are rounded as the vendor's scripts do: to the nearest, halves to even, in doubles.
 */
#include "vendors/tenstorrent/tt_join_cells.h"

#include "base/grow.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

tacho_status tt_cells_format(tt_cells *cells, tt_join_column column, const char *format, ...)
{
    char text[64];
    va_list values;
    va_start(values, format);
    int len = vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    size_t used = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
    return tacho_arena_copy(&cells->arena, tacho_str_make(text, used), &cells->of[column]);
}

static tacho_status find_device(tt_join_devices *devices, int64_t device, tt_join_device **out)
{
    for (size_t i = 0; i < devices->item_count; i++) {
        if (devices->items[i].device == device) {
            *out = &devices->items[i];
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&devices->items, &devices->item_capacity, devices->item_count + 1));
    *out = &devices->items[devices->item_count++];
    **out = (tt_join_device){.device = device};
    return TACHO_OK;
}

/* ---- the runtime's report ------------------------------------------------------------------ */

/* Columns of the report that are not taken as they are. */
static bool is_own(tt_join_column column)
{
    return column == TT_JOIN_CALL_COUNT || column == TT_JOIN_DEVICE_ID ||
           column == TT_JOIN_TRACE_ID || column == TT_JOIN_SESSION_ID ||
           column == TT_JOIN_LATENCY || column == TT_JOIN_MOVER_LATENCY ||
           column == TT_JOIN_TENSORS_MARK || column == TT_JOIN_SIZES_MARK;
}

/* A whole number may be written with decimals, "8.0". */
static tacho_str whole_of(tacho_str cell)
{
    size_t point = tacho_str_find_byte(cell, '.');
    for (size_t i = 0; i < cell.len; i++) {
        bool is_digit = cell.data[i] >= '0' && cell.data[i] <= '9';
        if (!is_digit && i != point && !(i == 0 && cell.data[i] == '-')) {
            return cell;
        }
    }
    return tacho_str_make(cell.data, point);
}

static bool is_share(tt_join_column column)
{
    return tacho_str_ends_with(tacho_str_from_cstring(tt_join_column_name(column)),
                               TACHO_STR("(%)"));
}

static void copy_report(tt_cells *cells, const tt_join *join, size_t row)
{
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        tt_join_column column = (tt_join_column)i;
        size_t from = is_own(column) ? TT_NO_COLUMN : join->report_columns.of[column];
        tacho_str cell = tt_table_at(&join->report, row, from);
        if (cell.len > 0 && cells->of[column].len == 0) {
            cells->of[column] = is_share(column) ? cell : whole_of(cell);
        }
    }
}

static bool number_of(const tt_join *join, size_t row, size_t column, int64_t *out_value)
{
    tacho_str cell = whole_of(tt_table_at(&join->report, row, column));
    bool is_negative = cell.len > 0 && cell.data[0] == '-';
    uint64_t value = 0;
    if (!tacho_str_parse_u64(tacho_str_from(cell, is_negative ? 1 : 0), &value) ||
        value > INT64_MAX) {
        return false;
    }
    *out_value = is_negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* The rate of a device, by the firmware of the first op that tells. */
static void find_rate(tt_join_device *device, const tt_join *join, size_t row)
{
    const size_t *columns = join->report_columns.of;
    int64_t start = 0;
    int64_t end = 0;
    int64_t duration = 0;
    if (device->ns_per_cycle == 0 && number_of(join, row, columns[TT_JOIN_FW_START], &start) &&
        number_of(join, row, columns[TT_JOIN_FW_END], &end) &&
        number_of(join, row, columns[TT_JOIN_FW_DURATION], &duration) && end > start) {
        device->ns_per_cycle = (double)duration / (double)(end - start);
    }
}

/*
 * A latency: that of the report; else from where the last op of the device ended, in the order of
 * the table; else 0.
 */
static tacho_status put_latency(tt_cells *cells, const tt_join *join, size_t row,
                                tt_join_column column, const tt_join_device *device)
{
    const tt_report_columns *columns = &join->report_columns;
    bool is_kernel = column == TT_JOIN_LATENCY;
    int64_t start = 0;
    int64_t end = 0;
    cells->of[column] = tt_table_at(&join->report, row, columns->of[column]);
    bool has_both =
        number_of(join, row, is_kernel ? columns->kernel_start : columns->mover_start, &start) &&
        number_of(join, row, is_kernel ? columns->kernel_end : columns->mover_end, &end);
    bool is_known = has_both && (is_kernel ? device->has_kernel_end : device->has_mover_end);
    int64_t before = is_kernel ? device->kernel_end : device->mover_end;
    double since = is_known ? rint((double)(start - before) * device->ns_per_cycle) + 0.0 : 0.0;
    return cells->of[column].len > 0 ? TACHO_OK : tt_cells_format(cells, column, "%.0f", since);
}

static tacho_status add_report(tt_cells *cells, const tt_join *join, size_t record,
                               tt_join_devices *devices)
{
    const tt_report_columns *columns = &join->report_columns;
    size_t row = join->records[record].order;
    tt_join_device *device = NULL;
    TACHO_TRY(find_device(devices, join->records[record].device, &device));
    find_rate(device, join, row);
    TACHO_TRY(put_latency(cells, join, row, TT_JOIN_LATENCY, device));
    TACHO_TRY(put_latency(cells, join, row, TT_JOIN_MOVER_LATENCY, device));
    device->has_kernel_end |= number_of(join, row, columns->kernel_end, &device->kernel_end);
    device->has_mover_end |= number_of(join, row, columns->mover_end, &device->mover_end);
    copy_report(cells, join, row);
    const tt_device_op *op = tt_join_find_log_op(join, record);
    return op == NULL || op->sub_device < 0
               ? TACHO_OK
               : tt_cells_format(cells, TT_JOIN_SUB_DEVICE, "%" PRId64, op->sub_device);
}

/* ---- the device log ------------------------------------------------------------------------ */

static double ns_of(const tt_join *join, double cycles)
{
    return cycles * 1000.0 / ((double)join->log_header.hertz / (double)TT_LOG_MHZ);
}

static tacho_status put_ns(tt_cells *cells, const tt_join *join, tt_join_column column,
                           double cycles)
{
    return tt_cells_format(cells, column, "%.0f", ns_of(join, cycles));
}

/*
 * With messages of the host, the vendor's script divides by the cycles per nanosecond that it gets
 * back from another time of the op, so halves of a nanosecond fall as its rounding errors have it.
 */
static double ns_by(const tt_join *join, double cycles, double other_cycles)
{
    double other_ns = ns_of(join, other_cycles);
    bool is_by_rate = join->host.op_count == 0 || other_ns <= 0;
    return is_by_rate ? ns_of(join, cycles) : cycles / (other_cycles / other_ns);
}

static tacho_status put_by(tt_cells *cells, const tt_join *join, tt_join_column column,
                           double cycles, double other_cycles)
{
    return tt_cells_format(cells, column, "%.0f", ns_by(join, cycles, other_cycles));
}

/* The time from |first| to |last|, unless there is none. */
static tacho_status put_range(tt_cells *cells, const tt_join *join, tt_join_column column,
                              const tt_range *range)
{
    return tt_range_has(range) ? put_ns(cells, join, column, (double)(range->last - range->first))
                               : TACHO_OK;
}

static tacho_status put_cores(tt_cells *cells, const tt_join *join, const tt_device_op *op)
{
    TACHO_TRY(tt_cells_format(cells, TT_JOIN_CORE_COUNT, "%" PRIu32, op->core_count));
    if (op->timed_core_count == 0) {
        return TACHO_OK;
    }
    double mean = (double)op->core_sum / (double)op->timed_core_count;
    double first = (double)op->core_first;
    TACHO_TRY(put_by(cells, join, TT_JOIN_CORE_MIN, (double)op->core_min, first));
    TACHO_TRY(put_by(cells, join, TT_JOIN_CORE_MAX, (double)op->core_max, first));
    return put_by(cells, join, TT_JOIN_CORE_AVG, mean, first);
}

static tacho_status put_sums(tt_cells *cells, const tt_join *join, const tt_device_op *op)
{
    bool is_summed_twice = op->repeated_count > 0;
    if (op->wait_front > 0 && !is_summed_twice) {
        TACHO_TRY(put_ns(cells, join, TT_JOIN_WAIT_FRONT, (double)op->wait_front));
    }
    if (op->reserve_back > 0 && !is_summed_twice) {
        TACHO_TRY(put_ns(cells, join, TT_JOIN_RESERVE_BACK, (double)op->reserve_back));
    }
    return op->sub_device < 0
               ? TACHO_OK
               : tt_cells_format(cells, TT_JOIN_SUB_DEVICE, "%" PRId64, op->sub_device);
}

/* What the cores that hand out work did for the op: the first execution has it. */
static tacho_status put_dispatch(tt_cells *cells, const tt_join *join, const tt_device_op *op)
{
    const tt_dispatch_times *times =
        op->ordinal > 0 || op->key.replay > 1
            ? NULL
            : tt_dispatch_find(&join->dispatch, op->key.chip, op->key.host);
    if (times != NULL && times->total >= 0) {
        TACHO_TRY(put_ns(cells, join, TT_JOIN_DISPATCH_TOTAL, (double)times->total));
    }
    return times == NULL || times->go < 0
               ? TACHO_OK
               : put_ns(cells, join, TT_JOIN_DISPATCH_GO, (double)times->go);
}

static double latency_ns(const tt_join *join, const tt_device_op *op, double cycles)
{
    return rint(ns_by(join, cycles, (double)(op->kernel.last - op->kernel.first))) + 0.0;
}

static tacho_status put_latencies(tt_cells *cells, const tt_join *join, const tt_device_op *op,
                                  tt_join_device *device)
{
    if (tt_range_has(&op->kernel)) {
        double since = device->has_kernel_end ? (double)(op->kernel.first - device->kernel_end) : 0;
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_LATENCY, "%.0f", latency_ns(join, op, since)));
        device->has_kernel_end = true;
        device->kernel_end = op->kernel.last;
    }
    if (op->mover.count > 0 && op->kernel.last > op->mover.first) {
        double since = device->has_mover_end ? (double)(op->mover.first - device->mover_end) : 0;
        TACHO_TRY(
            tt_cells_format(cells, TT_JOIN_MOVER_LATENCY, "%.0f", latency_ns(join, op, since)));
        device->has_mover_end = true;
        device->mover_end = op->kernel.last;
    }
    return TACHO_OK;
}

static tacho_status put_device(tt_cells *cells, const tt_join *join)
{
    const tt_log_header *header = &join->log_header;
    cells->of[TT_JOIN_DEVICE_ARCH] = tacho_str_from_cstring(header->arch);
    return header->compute_core_count == 0
               ? TACHO_OK
               : tt_cells_format(cells, TT_JOIN_WORKER_CORES, "%" PRIu64,
                                 header->compute_core_count);
}

static tacho_status add_log(tt_cells *cells, const tt_join *join, size_t record,
                            tt_join_devices *devices)
{
    static const tt_join_column riscs[TT_RISC_COUNT] = {
        TT_JOIN_BRISC,  TT_JOIN_NCRISC, TT_JOIN_TRISC0,
        TT_JOIN_TRISC1, TT_JOIN_TRISC2, TT_JOIN_ERISC,
    };
    const tt_device_op *op = tt_join_log_op(join, record);
    tt_join_device *device = NULL;
    tt_range mover = {op->mover.first, op->kernel.last, op->mover.count > 0 ? 2 : 0};
    TACHO_TRY(find_device(devices, join->records[record].device, &device));
    TACHO_TRY(put_device(cells, join));
    if (tt_range_has(&op->firmware)) {
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_FW_START, "%" PRId64, op->firmware.first));
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_FW_END, "%" PRId64, op->firmware.last));
    }
    TACHO_TRY(put_range(cells, join, TT_JOIN_FW_DURATION, &op->firmware));
    TACHO_TRY(put_range(cells, join, TT_JOIN_KERNEL_DURATION, &op->kernel));
    TACHO_TRY(put_range(cells, join, TT_JOIN_MOVER_DURATION, &mover));
    TACHO_TRY(put_range(cells, join, TT_JOIN_FIRST_TO_LAST, &op->kernel_starts));
    for (size_t i = 0; i < TT_RISC_COUNT; i++) {
        TACHO_TRY(put_range(cells, join, riscs[i], &op->riscs[i]));
    }
    TACHO_TRY(put_cores(cells, join, op));
    TACHO_TRY(put_sums(cells, join, op));
    TACHO_TRY(put_dispatch(cells, join, op));
    return put_latencies(cells, join, op, device);
}

tacho_status tt_cells_add_device(tt_cells *cells, const tt_join *join, size_t record,
                                 tt_join_devices *devices)
{
    return join->has_report ? add_report(cells, join, record, devices)
                            : add_log(cells, join, record, devices);
}

/* ---- shares ------------------------------------------------------------------------------------
 */

tacho_status tt_cells_add_utilisation(tt_cells *cells)
{
    double compute = 0;
    double kernel = 0;
    tacho_str kernel_text = cells->of[TT_JOIN_KERNEL_DURATION];
    if (cells->of[TT_JOIN_PM_COMPUTE].len == 0 || kernel_text.len == 0) {
        return TACHO_OK;
    }
    compute = strtod(cells->of[TT_JOIN_PM_COMPUTE].data, NULL);
    kernel = strtod(kernel_text.data, NULL);
    double share = kernel == 0 ? 0 : 100.0 * compute / kernel;
    TACHO_TRY(tt_cells_format(cells, TT_JOIN_PM_UTIL, "%.3f", share));
    tacho_str *cell = &cells->of[TT_JOIN_PM_UTIL];
    while (cell->len > 2 && cell->data[cell->len - 1] == '0' && cell->data[cell->len - 2] != '.') {
        cell->len--;
    }
    return TACHO_OK;
}
