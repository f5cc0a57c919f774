/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles and durations of op tables.
 *
 * The final table has the cycles of the firmware, and of kernels only how long they ran. Firmware
 * ends as soon as the last kernel has, within about 200 cycles, while it may start long before: a
 * core that is free takes up the next op and waits. So an op ends with its firmware, and starts
 * one kernel duration before.
 */
#include "sources/tenstorrent/ops_times.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

enum { CHIP_BITS = 10, DEFAULT_MHZ = 1000, KILO = 1000 };

int64_t tt_row_device(const tt_table *table, size_t row)
{
    int64_t device = 0;
    int64_t call = 0;
    if (tt_table_int(table, row, TACHO_TT_DEVICE_ID, &device)) {
        return device >= 0 && device <= INT32_MAX ? device : -1;
    }
    bool has_column = table->known[TACHO_TT_DEVICE_ID] != TT_NO_COLUMN;
    if (has_column || !tt_table_int(table, row, TACHO_TT_CALL_COUNT, &call) || call < 0) {
        return -1;
    }
    return call & ((1 << CHIP_BITS) - 1); /* a table of one device's log: ids hold the chip */
}

static int compare_rows(const void *a, const void *b)
{
    const tt_row_key *left = a;
    const tt_row_key *right = b;
    if (left->device != right->device) {
        return left->device < right->device ? -1 : 1;
    }
    return left->row < right->row ? -1 : left->row > right->row;
}

tacho_status tt_rows_by_device(const tt_table *table, tt_row_key **out_rows)
{
    tt_row_key *rows = tacho_items_alloc(table->row_count, sizeof(*rows));
    *out_rows = rows;
    if (rows == NULL) {
        return tacho_no_memory();
    }
    for (size_t row = 0; row < table->row_count; row++) {
        rows[row] = (tt_row_key){tt_row_device(table, row), row};
    }
    qsort(rows, table->row_count, sizeof(*rows), compare_rows);
    return TACHO_OK;
}

tacho_str tt_device_arch(const tt_table *table, const tt_row_key *rows, size_t row_count)
{
    tacho_str arch = TACHO_STR("");
    for (size_t i = 0; i < row_count && arch.len == 0; i++) {
        arch = tt_table_cell(table, rows[i].row, TACHO_TT_DEVICE_ARCH);
    }
    arch.len = arch.len > TT_ARCH_BYTES ? TT_ARCH_BYTES : arch.len;
    return arch;
}

static bool get_time(const tt_table *table, size_t row, tacho_tt_column column, int64_t *out)
{
    return tt_table_rounded(table, row, column, out) && *out >= 0;
}

/* A stretch between two columns of cycles. */
static bool get_cycles(const tt_table *table, size_t row, const tacho_tt_column columns[2],
                       int64_t out_cycles[2])
{
    return get_time(table, row, columns[0], &out_cycles[0]) &&
           get_time(table, row, columns[1], &out_cycles[1]);
}

static const tacho_tt_column firmware_columns[2] = {TACHO_TT_FW_START_CYCLE, TACHO_TT_FW_END_CYCLE};
static const tacho_tt_column kernel_columns[2] = {TACHO_TT_KERNEL_START_CYCLE,
                                                  TACHO_TT_KERNEL_END_CYCLE};

tt_rate tt_device_rate(const tt_table *table, const tt_row_key *rows, size_t row_count)
{
    tacho_i128 cycles = 0;
    tacho_i128 ns = 0;
    for (size_t i = 0; i < row_count; i++) {
        size_t row = rows[i].row;
        int64_t ends[2];
        int64_t duration = 0;
        if (get_cycles(table, row, firmware_columns, ends) && ends[1] > ends[0] &&
            ends[1] < TT_TIME_END && get_time(table, row, TACHO_TT_FW_DURATION, &duration) &&
            duration < TT_TIME_END) {
            cycles += ends[1] - ends[0];
            ns += duration;
        }
    }
    tacho_i128 mhz = ns > 0 ? (2 * KILO * cycles + ns) / (2 * ns) : 0;
    bool is_known = mhz > 0 && mhz < KILO * KILO;
    return (tt_rate){is_known ? (int64_t)mhz : DEFAULT_MHZ, !is_known};
}

static int64_t to_ns(int64_t cycles, int64_t mhz)
{
    return (int64_t)tacho_scale_floor(cycles, KILO, mhz);
}

/* Puts an op of |duration| behind the one before, where the row says by how much. */
static void lay(const tt_table *table, size_t row, int64_t duration, int64_t previous_end,
                tt_times *out_times)
{
    int64_t gap = 0;
    if (!get_time(table, row, TACHO_TT_LATENCY, &gap) || gap >= TT_TIME_END) {
        gap = 0;
    }
    out_times->start = previous_end + gap;
    out_times->end = out_times->start + duration;
}

static bool get_firmware(const tt_table *table, size_t row, int64_t mhz, tt_times *out_times)
{
    int64_t cycles[2];
    out_times->has_firmware = get_cycles(table, row, firmware_columns, cycles);
    if (out_times->has_firmware && cycles[1] < TT_TIME_END) {
        out_times->firmware_start = to_ns(cycles[0], mhz);
        out_times->firmware_end = to_ns(cycles[1], mhz);
    }
    return !out_times->has_firmware || cycles[1] < TT_TIME_END;
}

tt_times_verdict tt_row_times(const tt_table *table, size_t row, int64_t mhz, int64_t *previous_end,
                              tt_times *out_times)
{
    int64_t kernel[2];
    int64_t duration = 0;
    *out_times = (tt_times){.has_firmware = false};
    bool fits = get_firmware(table, row, mhz, out_times);
    bool has_duration = get_time(table, row, TACHO_TT_KERNEL_DURATION, &duration);
    bool has_kernel = get_cycles(table, row, kernel_columns, kernel);
    if (!has_duration && !has_kernel && !out_times->has_firmware) {
        return TT_TIMES_NONE;
    }
    if (!fits || (has_duration && duration >= TT_TIME_END) ||
        (has_kernel && kernel[1] >= TT_TIME_END)) {
        return TT_TIMES_TOO_FAR;
    }
    tt_times_verdict verdict = TT_TIMES_KNOWN;
    if (has_kernel || out_times->has_firmware) {
        out_times->start = has_kernel ? to_ns(kernel[0], mhz) : out_times->firmware_start;
        out_times->end = has_kernel ? to_ns(kernel[1], mhz) : out_times->firmware_end;
        out_times->start = has_duration ? out_times->end - duration : out_times->start;
        out_times->start = out_times->start < 0 ? 0 : out_times->start;
    } else if (*previous_end >= TT_TIME_END) {
        return TT_TIMES_TOO_FAR;
    } else {
        lay(table, row, duration, *previous_end, out_times);
        verdict = TT_TIMES_LAID;
    }
    if (out_times->start > out_times->end || out_times->firmware_start > out_times->firmware_end) {
        return TT_TIMES_REVERSE;
    }
    *previous_end = out_times->end;
    return verdict;
}

bool tt_row_host_times(const tt_table *table, size_t row, int64_t *out_start, int64_t *out_end)
{
    int64_t duration = 0;
    if (!get_time(table, row, TACHO_TT_HOST_START, out_start) || *out_start >= TT_TIME_END) {
        return false;
    }
    if (!get_time(table, row, TACHO_TT_HOST_END, out_end)) {
        bool has_duration =
            get_time(table, row, TACHO_TT_HOST_DURATION, &duration) && duration < TT_TIME_END;
        *out_end = *out_start + (has_duration ? duration : 0);
    }
    return *out_end >= *out_start && *out_end < 2 * TT_TIME_END;
}
