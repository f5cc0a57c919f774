/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles and durations of op tables.
 *
 * The final table has the cycles of the firmware, and only the durations of kernels. Firmware ends
 * as soon as the last kernel has, within about 200 cycles, while it may start long before: a free
 * core takes the next op and waits. So an op ends with its firmware, and starts one kernel duration
 * before.
 */
#include "sources/tenstorrent/ops_times.h"

#include "base/grow.h"
#include "base/maths.h"
#include "codec/json_number.h"

#include <stdlib.h>

enum { CHIP_BITS = 10, DEFAULT_MHZ = 1000, KILO = 1000 };

int64_t tt_row_device(const tt_table *table, size_t row)
{
    int64_t device = 0;
    int64_t call = 0;
    if (tt_table_int(table, row, TACHO_TT_DEVICE_ID, &device)) {
        return device >= 0 && device <= INT32_MAX ? device : TT_DEVICE_BAD;
    }
    if (tt_table_cell(table, row, TACHO_TT_DEVICE_ID).len > 0) {
        return TT_DEVICE_BAD;
    }
    bool has_column = table->known[TACHO_TT_DEVICE_ID] != TT_NO_COLUMN;
    if (!has_column && table->known[TACHO_TT_CALL_COUNT] == TT_NO_COLUMN) {
        tacho_str type = tt_table_cell(table, row, TACHO_TT_OP_TYPE);
        bool is_device = type.len == 0 || tacho_str_equal(type, TACHO_STR(TACHO_TT_TYPE_DEVICE));
        return is_device ? 0 : TT_DEVICE_NONE; /* columns were cut off: assumes one device */
    }
    if (has_column || !tt_table_int(table, row, TACHO_TT_CALL_COUNT, &call) || call < 0) {
        return TT_DEVICE_NONE;
    }
    return call & ((1 << CHIP_BITS) - 1); /* a table of one device's log: ids hold the chip */
}

/* ---- cells ------------------------------------------------------------------------------ */

/* Columns of times and cycles; a latency may be negative. */
static const tacho_tt_column time_columns[] = {
    TACHO_TT_HOST_START,         TACHO_TT_HOST_END,
    TACHO_TT_HOST_DURATION,      TACHO_TT_FW_START_CYCLE,
    TACHO_TT_FW_END_CYCLE,       TACHO_TT_FW_DURATION,
    TACHO_TT_KERNEL_START_CYCLE, TACHO_TT_KERNEL_END_CYCLE,
    TACHO_TT_KERNEL_DURATION,    TACHO_TT_LATENCY,
};

/* Host times may count from 1970. */
#define HOST_TIME_END (INT64_C(1) << 61)

static bool is_host_column(tacho_tt_column column)
{
    return column == TACHO_TT_HOST_START || column == TACHO_TT_HOST_END ||
           column == TACHO_TT_HOST_DURATION;
}

static int64_t end_of(tacho_tt_column column)
{
    return is_host_column(column) ? HOST_TIME_END : TT_TIME_END;
}

/* Why |cell|, in a column of times or cycles, is not valid. */
static tacho_loss_reason judge_time(tacho_str cell, tacho_tt_column column)
{
    bool may_be_negative = column == TACHO_TT_LATENCY;
    int64_t limit = end_of(column);
    int64_t value = 0;
    double size = 0;
    if (cell.len == 0) {
        return TACHO_LOSS_REASON_COUNT;
    }
    if (!tacho_json_number_double(cell, &size)) {
        return TACHO_LOSS_NOT_A_NUMBER;
    }
    if (size < 0 && !may_be_negative) {
        return TACHO_LOSS_NEGATIVE_TIME;
    }
    bool fits = tacho_json_number_scaled(cell, 0, &value) && value < limit && value > -limit;
    return fits ? TACHO_LOSS_REASON_COUNT : TACHO_LOSS_TIME_OVERFLOW;
}

tacho_loss_reason tt_row_damage(const tt_table *table, size_t row, size_t *at,
                                tacho_tt_column *out_column)
{
    const size_t count = sizeof(time_columns) / sizeof(time_columns[0]);
    while (*at < count) {
        *out_column = time_columns[(*at)++];
        tacho_loss_reason reason = judge_time(tt_table_cell(table, row, *out_column), *out_column);
        if (reason != TACHO_LOSS_REASON_COUNT) {
            return reason;
        }
    }
    *out_column = TACHO_TT_DEVICE_ID;
    bool is_bad = (*at)++ == count && tt_row_device(table, row) == TT_DEVICE_BAD;
    return is_bad ? TACHO_LOSS_UNKNOWN_EVENT : TACHO_LOSS_REASON_COUNT;
}

/* A time or number of cycles; false if it is missing or invalid. */
static bool get_time(const tt_table *table, size_t row, tacho_tt_column column, int64_t *out)
{
    return tt_table_rounded(table, row, column, out) && *out >= 0 && *out < end_of(column);
}

/* ---- rows ------------------------------------------------------------------------------- */

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

static const tacho_tt_column firmware_columns[2] = {TACHO_TT_FW_START_CYCLE, TACHO_TT_FW_END_CYCLE};
static const tacho_tt_column kernel_columns[2] = {TACHO_TT_KERNEL_START_CYCLE,
                                                  TACHO_TT_KERNEL_END_CYCLE};

/* A stretch between two columns of cycles; false if it ends before it starts. */
static bool get_cycles(const tt_table *table, size_t row, const tacho_tt_column columns[2],
                       int64_t out_cycles[2])
{
    return get_time(table, row, columns[0], &out_cycles[0]) &&
           get_time(table, row, columns[1], &out_cycles[1]) && out_cycles[0] <= out_cycles[1];
}

/* Whether the two columns have times of which the second is before the first. */
static bool is_reversed(const tt_table *table, size_t row, const tacho_tt_column columns[2])
{
    int64_t ends[2];
    return get_time(table, row, columns[0], &ends[0]) &&
           get_time(table, row, columns[1], &ends[1]) && ends[1] < ends[0];
}

/* ---- the rate --------------------------------------------------------------------------- */

/* Cycles and nanoseconds of one stretch in one row. */
typedef struct rate_sample {
    int64_t cycles, ns;
} rate_sample;

static bool get_sample(const tt_table *table, size_t row, rate_sample *out_sample)
{
    int64_t ends[2];
    bool is_good = get_cycles(table, row, firmware_columns, ends) && ends[1] > ends[0] &&
                   get_time(table, row, TACHO_TT_FW_DURATION, &out_sample->ns) &&
                   out_sample->ns > 0;
    out_sample->cycles = is_good ? ends[1] - ends[0] : 0;
    return is_good;
}

static int compare_samples(const void *a, const void *b)
{
    const rate_sample *left = a;
    const rate_sample *right = b;
    tacho_i128 difference =
        (tacho_i128)left->cycles * right->ns - (tacho_i128)right->cycles * left->ns;
    return difference < 0 ? -1 : difference > 0;
}

/* Whether |sample| has the rate of |middle|, within the precision of whole nanoseconds: to 1 %. */
static bool agrees(const rate_sample *sample, const rate_sample *middle)
{
    enum { PERCENT = 100 };
    tacho_i128 expected = (tacho_i128)sample->cycles * middle->ns; /* ns, times middle->cycles */
    tacho_i128 said = (tacho_i128)sample->ns * middle->cycles;
    tacho_i128 error = expected > said ? expected - said : said - expected;
    return error <= said / PERCENT + middle->cycles;
}

/* The rate of most |samples|, in MHz; 0 if they do not agree. */
static int64_t agreed_rate(rate_sample *samples, size_t count)
{
    tacho_i128 cycles = 0;
    tacho_i128 ns = 0;
    if (count == 0) {
        return 0;
    }
    qsort(samples, count, sizeof(*samples), compare_samples);
    const rate_sample middle = samples[count / 2];
    for (size_t i = 0; i < count; i++) {
        bool is_used = agrees(&samples[i], &middle);
        cycles += is_used ? samples[i].cycles : 0;
        ns += is_used ? samples[i].ns : 0;
    }
    tacho_i128 mhz = (2 * KILO * cycles + ns) / (2 * ns);
    return mhz < KILO * KILO ? (int64_t)mhz : 0;
}

tacho_status tt_device_rate(const tt_table *table, const tt_row_key *rows, size_t row_count,
                            tt_rate *out_rate)
{
    rate_sample *samples = tacho_items_alloc(row_count, sizeof(*samples));
    size_t count = 0;
    if (samples == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < row_count; i++) {
        count += get_sample(table, rows[i].row, &samples[count]) ? 1 : 0;
    }
    int64_t mhz = agreed_rate(samples, count);
    free(samples);
    *out_rate = (tt_rate){mhz > 0 ? mhz : DEFAULT_MHZ, mhz == 0};
    return TACHO_OK;
}

/* ---- times ------------------------------------------------------------------------------ */

static int64_t to_ns(int64_t cycles, int64_t mhz)
{
    return (int64_t)tacho_scale_floor(cycles, KILO, mhz);
}

/* Places an op of |duration| after the previous one, at the distance given by the row. */
static void lay(const tt_table *table, size_t row, int64_t duration, int64_t previous_end,
                tt_times *out_times)
{
    int64_t gap = 0;
    if (!get_time(table, row, TACHO_TT_LATENCY, &gap)) {
        gap = 0;
    }
    out_times->start = previous_end + gap;
    out_times->end = out_times->start + duration;
}

static void get_firmware(const tt_table *table, size_t row, int64_t mhz, tt_times *out_times)
{
    int64_t cycles[2];
    out_times->has_firmware = get_cycles(table, row, firmware_columns, cycles);
    if (out_times->has_firmware) {
        out_times->firmware_start = to_ns(cycles[0], mhz);
        out_times->firmware_end = to_ns(cycles[1], mhz);
    }
}

/* The stretch by cycles: of the kernels, else of the firmware. False for none. */
static bool get_stretch(const tt_table *table, size_t row, int64_t mhz, tt_times *out_times)
{
    int64_t kernel[2];
    bool has_kernel = get_cycles(table, row, kernel_columns, kernel);
    out_times->start = has_kernel ? to_ns(kernel[0], mhz) : out_times->firmware_start;
    out_times->end = has_kernel ? to_ns(kernel[1], mhz) : out_times->firmware_end;
    return has_kernel || out_times->has_firmware;
}

/* Whether a cell has text that is not a time. */
static bool is_bad(const tt_table *table, size_t row, tacho_tt_column column)
{
    int64_t time = 0;
    return tt_table_cell(table, row, column).len > 0 && !get_time(table, row, column, &time);
}

static bool has_bad_cycles(const tt_table *table, size_t row)
{
    return is_bad(table, row, firmware_columns[0]) || is_bad(table, row, firmware_columns[1]) ||
           is_bad(table, row, kernel_columns[0]) || is_bad(table, row, kernel_columns[1]);
}

/*
 * The duration of an op's kernels. Tables of Quasar may have it by kind of processor only: then it
 * is at least the longer of the two.
 */
static bool get_duration(const tt_table *table, size_t row, int64_t *out_duration)
{
    int64_t other = 0;
    if (table->known[TACHO_TT_KERNEL_DURATION] != TT_NO_COLUMN) {
        return get_time(table, row, TACHO_TT_KERNEL_DURATION, out_duration);
    }
    bool has_dm = get_time(table, row, TACHO_TT_QUASAR_DM_DURATION, out_duration);
    bool has_trisc = get_time(table, row, TACHO_TT_QUASAR_TRISC_DURATION, &other);
    *out_duration = has_trisc && (!has_dm || other > *out_duration) ? other : *out_duration;
    return has_dm || has_trisc;
}

tt_times_verdict tt_row_times(const tt_table *table, size_t row, int64_t mhz, int64_t *previous_end,
                              tt_times *out_times)
{
    int64_t duration = 0;
    *out_times = (tt_times){.is_reversed = is_reversed(table, row, firmware_columns) ||
                                           is_reversed(table, row, kernel_columns)};
    get_firmware(table, row, mhz, out_times);
    bool has_duration = get_duration(table, row, &duration);
    bool has_cycles = get_stretch(table, row, mhz, out_times);
    if (is_bad(table, row, TACHO_TT_KERNEL_DURATION)) {
        return TT_TIMES_BAD; /* other columns would give another duration */
    }
    if (!has_duration && !has_cycles) {
        return out_times->is_reversed || has_bad_cycles(table, row) ? TT_TIMES_BAD : TT_TIMES_NONE;
    }
    tt_times_verdict verdict = TT_TIMES_KNOWN;
    if (has_cycles && (!has_duration || duration <= out_times->end)) {
        out_times->start = has_duration ? out_times->end - duration : out_times->start;
    } else if (*previous_end >= TT_TIME_END) {
        return TT_TIMES_TOO_FAR;
    } else {
        lay(table, row, duration, *previous_end, out_times);
        verdict = TT_TIMES_LAID;
    }
    *previous_end = out_times->end;
    return verdict;
}

bool tt_row_host_times(const tt_table *table, size_t row, int64_t *out_start, int64_t *out_end)
{
    int64_t duration = 0;
    if (!get_time(table, row, TACHO_TT_HOST_START, out_start)) {
        return false;
    }
    if (!get_time(table, row, TACHO_TT_HOST_END, out_end)) {
        bool has_duration = get_time(table, row, TACHO_TT_HOST_DURATION, &duration);
        *out_end = *out_start + (has_duration ? duration : 0);
    }
    return *out_end >= *out_start;
}
