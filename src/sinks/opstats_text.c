/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One block per core: ops, total, threads, batch lines, frequency, ports, activation, and counters;
 * at the end the device. Widths are the vendor's.
 */
#include "sinks/opstats_text.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "base/whole.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { ENGINE_WIDTH = 15, NUMBER_ROOM = 24, RATE_ROOM = 64, LEVEL_OPS = 70 };

typedef struct text_writer {
    const tacho_table *tables;
    tacho_output *output;
    tacho_arena arena; /* of a name */
} text_writer;

/* ---- cells --------------------------------------------------------------------------------- */

static const tacho_cell *cell(const tacho_table *table, size_t row, tacho_column_id column)
{
    return tacho_table_cell(table, row, tacho_table_column(table, column));
}

static int64_t number(const tacho_table *table, size_t row, tacho_column_id column)
{
    const tacho_cell *of = cell(table, row, column);
    return of->is_absent ? 0 : of->value.integer;
}

static double real(const tacho_table *table, size_t row, tacho_column_id column)
{
    const tacho_cell *of = cell(table, row, column);
    return of->is_absent ? 0.0 : of->value.real;
}

static tacho_str text(const tacho_table *table, size_t row, tacho_column_id column)
{
    return cell(table, row, column)->value.text;
}

/* The rows of one core, in the order of the table. */
typedef struct core_rows {
    const tacho_table *table;
    size_t column; /* the core's */
    int64_t core;
    size_t next;
} core_rows;

static core_rows rows_of(const text_writer *self, tacho_opstats_table which, int64_t core)
{
    const tacho_table *table = &self->tables[which];
    return (core_rows){
        .table = table, .column = tacho_table_column(table, TACHO_COL_CORE), .core = core};
}

static bool next_row(core_rows *rows, size_t *out_row)
{
    size_t count = tacho_table_row_count(rows->table);
    while (rows->next < count) {
        *out_row = rows->next++;
        const tacho_cell *core = tacho_table_cell(rows->table, *out_row, rows->column);
        if (!core->is_absent && core->value.integer == rows->core) {
            return true;
        }
    }
    return false;
}

/* Writes a name from a file, with control characters made visible. */
static void put_name(text_writer *self, tacho_str name)
{
    tacho_str safe = TACHO_STR("?");
    tacho_status status = tacho_utf8_printable(name, &self->arena, &safe);
    tacho_status_free(status);
    tacho_output_write_str(self->output, safe);
    tacho_arena_reset(&self->arena);
}

/* ---- numbers ------------------------------------------------------------------------------- */

static void put_blanks(text_writer *self, size_t count)
{
    static const char blanks[] = "                                ";
    assert(count < sizeof(blanks));
    tacho_output_write(self->output, blanks, count);
}

/* Writes |text| to the right in |width|. */
static void put_wide(text_writer *self, const char *text, size_t len, size_t width)
{
    put_blanks(self, width > len ? width - len : 0);
    tacho_output_write(self->output, text, len);
}

/* Writes the digits of |value|, at least |least|, up to |end|; returns their start. */
static char *put_digits(char *end, uint64_t value, int least)
{
    for (; value > 0 || least > 0; value /= 10, least--) {
        *--end = (char)('0' + value % 10);
    }
    return end;
}

/* Formats |value| at the end of |room|; returns its start. */
static char *put_value(char room[NUMBER_ROOM], int64_t value)
{
    char *at = put_digits(room + NUMBER_ROOM, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
    if (value < 0) {
        *--at = '-';
    }
    return at;
}

/* Writes |value| to the right in |width|. */
static void put_number(text_writer *self, int64_t value, size_t width)
{
    char room[NUMBER_ROOM];
    char *at = put_value(room, value);
    put_wide(self, at, (size_t)(room + NUMBER_ROOM - at), width);
}

/* Like put_number, for a cell, which may be absent. */
static void put_cell(text_writer *self, const tacho_cell *of, size_t width)
{
    if (of->is_absent) {
        put_wide(self, "N/A", 3, width);
    } else {
        put_number(self, of->value.integer, width);
    }
}

static void put_int(text_writer *self, const tacho_cell *of, size_t width)
{
    put_blanks(self, 2);
    put_cell(self, of, width);
}

/* Writes "c03": at least |digits| digits. */
static void put_numbered(text_writer *self, const char *letter, int64_t value, int digits)
{
    char room[NUMBER_ROOM];
    char *end = room + NUMBER_ROOM;
    char *at = put_digits(end, (uint64_t)value, digits);
    tacho_output_write_cstring(self->output, letter);
    tacho_output_write(self->output, at, (size_t)(end - at));
}

static void put(text_writer *self, const char *text)
{
    tacho_output_write_cstring(self->output, text);
}

/* A number, or a mark for an absent one. */
static const char *shown_int(const tacho_cell *of, char room[NUMBER_ROOM])
{
    snprintf(room, NUMBER_ROOM, "%" PRId64, of->is_absent ? 0 : of->value.integer);
    return of->is_absent ? "N/A" : room;
}

static const char *shown_rate(const tacho_cell *of, char room[RATE_ROOM])
{
    snprintf(room, RATE_ROOM, "%.2fGB/s", of->is_absent ? 0.0 : of->value.real);
    return of->is_absent ? "N/A GB/s" : room;
}

/* Writes |value| with two decimals and |unit|, to the right in |width|. */
static void put_hundredths(text_writer *self, double value, size_t width, const char *unit)
{
    char shown[RATE_ROOM];
    char *end = shown + sizeof(shown);
    char *at = end;
    double hundredths = value * 100.0;
    /* A fast path where the rounding is certain. */
    if (hundredths >= 0.0 && hundredths < 1e12 &&
        fabs(hundredths - floor(hundredths) - 0.5) > 1e-3) {
        uint64_t rounded = tacho_whole_u64(hundredths + 0.5);
        size_t unit_len = strlen(unit);
        at -= unit_len;
        memcpy(at, unit, unit_len);
        at = put_digits(at, rounded % 100, 2);
        *--at = '.';
        at = put_digits(at, rounded / 100, 1);
    } else {
        at = shown;
        int len = snprintf(shown, sizeof(shown), "%.2f%s", value, unit);
        end = at + ((size_t)len < sizeof(shown) ? (size_t)len : sizeof(shown) - 1);
    }
    put_wide(self, at, (size_t)(end - at), width);
}

static void put_real(text_writer *self, const tacho_cell *of, size_t width, const char *unit)
{
    put_blanks(self, 2);
    if (of->is_absent) {
        put_wide(self, "N/A", 3, width);
    } else {
        put_hundredths(self, of->value.real, width, unit);
    }
}

/* ---- ops ----------------------------------------------------------------------------------- */

/* Numbers of an op's line, from left to right; without a unit they are integers. */
static const struct {
    tacho_column_id id;
    size_t width;
    const char *unit;
} op_numbers[] = {
    {TACHO_COL_UCYCLES, 7, NULL},
    {TACHO_COL_UCYCLES_PERCENT, 10, "%"},
    {TACHO_COL_PCYCLES, 10, NULL},
    {TACHO_COL_PCYCLES_PERCENT, 10, "%"},
    {TACHO_COL_COUNT, 5, NULL},
    {TACHO_COL_OUT_KB, 10, ""},
    {TACHO_COL_UCYCLES_PER_KB, 10, ""},
    {TACHO_COL_PCYCLES_PER_KB, 10, ""},
    {TACHO_COL_PCYCLES_PER_KB_STDDEV, 13, ""},
};

enum { OP_NUMBERS = sizeof(op_numbers) / sizeof(op_numbers[0]) };

/* Columns of these numbers in the table, followed by that of the text. */
typedef size_t op_places[OP_NUMBERS + 1];

static void find_op_places(const tacho_table *ops, op_places out_places)
{
    for (size_t i = 0; i < OP_NUMBERS; i++) {
        out_places[i] = tacho_table_column(ops, op_numbers[i].id);
    }
    out_places[OP_NUMBERS] = tacho_table_column(ops, TACHO_COL_OPDETAILS);
}

/* Writes "c3  ", padded to four. */
static void put_op_core(text_writer *self, int64_t core)
{
    put_numbered(self, "c", core, 1);
    put_blanks(self, core < 10 ? 2 : core < 100 ? 1 : 0);
}

static void put_op(text_writer *self, const core_rows *rows, size_t row, const op_places places)
{
    put_op_core(self, rows->core);
    for (size_t i = 0; i < OP_NUMBERS; i++) {
        const tacho_cell *of = tacho_table_cell(rows->table, row, places[i]);
        if (op_numbers[i].unit == NULL) {
            put_int(self, of, op_numbers[i].width);
        } else {
            put_real(self, of, op_numbers[i].width, op_numbers[i].unit);
        }
    }
    put_blanks(self, 2);
    put_name(self, tacho_table_cell(rows->table, row, places[OP_NUMBERS])->value.text);
    put(self, "\n");
}

static bool put_ops(text_writer *self, int64_t core)
{
    core_rows rows = rows_of(self, TACHO_OPSTATS_TABLE_OPS, core);
    op_places places;
    bool has_rows = false;
    find_op_places(rows.table, places);
    for (size_t i; next_row(&rows, &i); has_rows = true) {
        if (!has_rows) {
            tacho_output_printf(self->output,
                                "\n%-4s  %7s  %10s  %10s  %10s  %5s  %10s  %10s  %10s  %13s  %s\n",
                                "core", "ucycles", "ucycles(%)", "pcycles", "pcycles(%)", "count",
                                "out KB", "ucycles/KB", "pcycles/KB", "stddev(pc/KB)", "opdetails");
        }
        put_op(self, &rows, i, places);
    }
    return has_rows;
}

/* ---- threads ------------------------------------------------------------------------------- */

/* Writes " 12.34%", or a mark for an unknown share. */
static void put_share(text_writer *self, const tacho_cell *share)
{
    if (share->is_absent) {
        put(self, "    N/A");
    } else {
        put_hundredths(self, share->value.real, 6 + 1, "%");
    }
}

static void put_thread(text_writer *self, const tacho_table *threads, size_t row, int64_t core)
{
    tacho_str engine = text(threads, row, TACHO_COL_ENGINE);
    put_numbered(self, "c", core, 1);
    put_blanks(self, core < 10 ? 3 : core < 100 ? 2 : core < 1000 ? 1 : 0);
    put_numbered(self, " t", number(threads, row, TACHO_COL_THREAD), 1);
    put(self, " ");
    put_name(self, engine);
    put_blanks(self, engine.len < ENGINE_WIDTH ? ENGINE_WIDTH - engine.len : 0);
    put(self, " ");
    put_number(self, number(threads, row, TACHO_COL_UCYCLES), 8);
    put(self, " ucycles [");
    put_number(self, number(threads, row, TACHO_COL_START_U), 0);
    put(self, ", ");
    put_number(self, number(threads, row, TACHO_COL_END_U), 0);
    put(self, "] ");
    put_cell(self, cell(threads, row, TACHO_COL_PCYCLES), 15);
    put(self, " pcycles ");
    put_share(self, cell(threads, row, TACHO_COL_UTILIZATION_PERCENT));
    put(self, " utilization\n");
}

static void put_utilization(text_writer *self, size_t core_row, int64_t core)
{
    const tacho_table *cores = &self->tables[TACHO_OPSTATS_TABLE_CORES];
    char cycles[NUMBER_ROOM];
    char ticks[NUMBER_ROOM];
    int64_t level = number(&self->tables[TACHO_OPSTATS_TABLE_DEVICE], 0, TACHO_COL_LEVEL);
    tacho_output_printf(self->output,
                        "\nc%" PRId64 " total:%16s ucycles %15s pcycles (thread max)\n", core,
                        shown_int(cell(cores, core_row, TACHO_COL_UCYCLES), ticks),
                        shown_int(cell(cores, core_row, TACHO_COL_PCYCLES), cycles));
    core_rows threads = rows_of(self, TACHO_OPSTATS_TABLE_THREADS, core);
    for (size_t i; next_row(&threads, &i);) {
        if (level >= LEVEL_OPS ||
            !cell(threads.table, i, TACHO_COL_UTILIZATION_PERCENT)->is_absent) {
            put_thread(self, threads.table, i, core);
        }
    }
    put(self, "\n\n");
}

static void put_core_thread(text_writer *self, const core_rows *rows, size_t row)
{
    put_numbered(self, "c", rows->core, 2);
    put_numbered(self, "t", number(rows->table, row, TACHO_COL_THREAD), 1);
}

static void put_batches(text_writer *self, int64_t core)
{
    core_rows threads = rows_of(self, TACHO_OPSTATS_TABLE_THREADS, core);
    for (size_t i; next_row(&threads, &i);) {
        put_core_thread(self, &threads, i);
        put(self, " batch ucycles:");
        put_number(self, number(threads.table, i, TACHO_COL_UCYCLES), 17);
        put(self, " [");
        put_number(self, number(threads.table, i, TACHO_COL_START_U), 0);
        put(self, ",");
        put_number(self, number(threads.table, i, TACHO_COL_END_U), 0);
        put(self, "]    pcycles:");
        put_cell(self, cell(threads.table, i, TACHO_COL_PCYCLES), 16);
        put(self, " \n");
    }
}

static void put_activations(text_writer *self, int64_t core)
{
    core_rows threads = rows_of(self, TACHO_OPSTATS_TABLE_THREADS, core);
    for (size_t i; next_row(&threads, &i);) {
        put_core_thread(self, &threads, i);
        put(self, " activate ucycles:");
        put_number(self, number(threads.table, i, TACHO_COL_ACTIVATE_UCYCLES), 18);
        put(self, "\n");
    }
}

static void put_ports(text_writer *self, int64_t core)
{
    core_rows ports = rows_of(self, TACHO_OPSTATS_TABLE_PORTS, core);
    for (size_t i; next_row(&ports, &i);) {
        put_core_thread(self, &ports, i);
        put_numbered(self, "p", number(ports.table, i, TACHO_COL_PORT), 3);
        put(self, " ");
        tacho_output_write_str(self->output, text(ports.table, i, TACHO_COL_TYPE));
        put(self, " ucycles:");
        put_number(self, number(ports.table, i, TACHO_COL_WAIT_UCYCLES), 17);
        put(self, "\n");
    }
    core_rows bells = rows_of(self, TACHO_OPSTATS_TABLE_DOORBELLS, core);
    for (size_t i; next_row(&bells, &i);) {
        put_numbered(self, "c", core, 2);
        put_numbered(self, "p", number(bells.table, i, TACHO_COL_PORT), 3);
        put(self, " doorbell ucycles:");
        put_cell(self, cell(bells.table, i, TACHO_COL_OFFSET_UCYCLES), 18);
        put(self, " transaction: ");
        put_number(self, number(bells.table, i, TACHO_COL_TRANSACTION), 0);
        put(self, "\n");
    }
}

/* ---- counters ------------------------------------------------------------------------------ */

static void put_counters(text_writer *self, size_t core_row, int64_t core)
{
    core_rows counters = rows_of(self, TACHO_OPSTATS_TABLE_PMU, core);
    const tacho_table *pmu = counters.table;
    for (size_t i; next_row(&counters, &i);) {
        char who[32];
        const tacho_cell *thread = cell(pmu, i, TACHO_COL_THREAD);
        snprintf(who, sizeof(who), thread->is_absent ? "c%02" PRId64 : "c%02" PRId64 "t%" PRId64,
                 core, thread->value.integer);
        char value[NUMBER_ROOM];
        tacho_output_printf(self->output, "%s pmu %.*s %.*s: %s\n", who,
                            TACHO_STR_ARG(text(pmu, i, TACHO_COL_EVENT)),
                            TACHO_STR_ARG(text(pmu, i, TACHO_COL_NAME)),
                            shown_int(cell(pmu, i, TACHO_COL_VALUE), value));
    }
    core_rows rates = rows_of(self, TACHO_OPSTATS_TABLE_RATES, core);
    for (size_t i; next_row(&rates, &i);) {
        tacho_str name = text(rates.table, i, TACHO_COL_NAME);
        bool is_count = tacho_str_ends_with(name, TACHO_STR("Macs"));
        tacho_output_printf(self->output, "c%" PRId64 ": %.*s is %.*f\n", core, TACHO_STR_ARG(name),
                            is_count ? 0 : 2, real(rates.table, i, TACHO_COL_VALUE));
    }
    const tacho_table *cores = &self->tables[TACHO_OPSTATS_TABLE_CORES];
    char rate[RATE_ROOM];
    if (!cell(cores, core_row, TACHO_COL_DDR_READ_KB)->is_absent) {
        tacho_output_printf(self->output,
                            "c%" PRId64 ": DDR traffic is %.2fKB read, %.2fKB written, %s\n", core,
                            real(cores, core_row, TACHO_COL_DDR_READ_KB),
                            real(cores, core_row, TACHO_COL_DDR_WRITE_KB),
                            shown_rate(cell(cores, core_row, TACHO_COL_DDR_GB_PER_S), rate));
    }
}

static void put_op_counters(text_writer *self, int64_t core)
{
    core_rows rows = rows_of(self, TACHO_OPSTATS_TABLE_OP_PMU, core);
    const tacho_table *ops = rows.table;
    bool has_rows = false;
    for (size_t i; next_row(&rows, &i);) {
        if (!cell(ops, i, TACHO_COL_TOTAL)->is_absent && number(ops, i, TACHO_COL_TOTAL) == 0) {
            continue;
        }
        if (!has_rows) {
            tacho_output_printf(self->output, "\n%-4s  %5s  %14s  %16s  %10s  %-32s  %s\n", "core",
                                "count", "mean", "total", "per pcycle", "event", "opdetails");
        }
        has_rows = true;
        char head[24];
        char event[64];
        snprintf(head, sizeof(head), "c%" PRId64, core);
        snprintf(event, sizeof(event), "%.*s %.*s", TACHO_STR_ARG(text(ops, i, TACHO_COL_EVENT)),
                 TACHO_STR_ARG(text(ops, i, TACHO_COL_NAME)));
        tacho_output_printf(self->output, "%-4s", head);
        put_int(self, cell(ops, i, TACHO_COL_COUNT), 5);
        put_real(self, cell(ops, i, TACHO_COL_MEAN), 14, "");
        put_int(self, cell(ops, i, TACHO_COL_TOTAL), 16);
        put_real(self, cell(ops, i, TACHO_COL_PER_PCYCLE), 10, "");
        tacho_output_printf(self->output, "  %-32s  ", event);
        put_name(self, text(ops, i, TACHO_COL_OPDETAILS));
        tacho_output_write_cstring(self->output, "\n");
    }
}

/* ---- all blocks ---------------------------------------------------------------------------- */

static void put_core(text_writer *self, size_t row)
{
    const tacho_table *cores = &self->tables[TACHO_OPSTATS_TABLE_CORES];
    int64_t core = number(cores, row, TACHO_COL_CORE);
    if (put_ops(self, core)) {
        put_utilization(self, row, core);
    } else if (row > 0) {
        tacho_output_write_cstring(self->output, "\n");
    }
    put_batches(self, core);
    char cycles[NUMBER_ROOM];
    tacho_output_printf(self->output, "c%" PRId64 ": Total inference pcycle is %s\n", core,
                        shown_int(cell(cores, row, TACHO_COL_INFERENCE_PCYCLES), cycles));
    if (!cell(cores, row, TACHO_COL_EFFECTIVE_MHZ)->is_absent) {
        tacho_output_printf(self->output, "c%" PRId64 ": Effective frequency is %.2fMHz\n", core,
                            real(cores, row, TACHO_COL_EFFECTIVE_MHZ));
    }
    put_ports(self, core);
    put_activations(self, core);
    put_counters(self, row, core);
    put_op_counters(self, core);
}

static void put_rate(text_writer *self, tacho_str network, const char *what, int64_t numerator,
                     double seconds, double rate)
{
    tacho_output_write_cstring(self->output, "[");
    put_name(self, network);
    tacho_output_printf(self->output, "] Device instance %s: (%" PRId64 "/%g): %g\n", what,
                        numerator, seconds, rate);
}

static void put_device(text_writer *self)
{
    const tacho_table *device = &self->tables[TACHO_OPSTATS_TABLE_DEVICE];
    tacho_str network = text(device, 0, TACHO_COL_NETWORK);
    int64_t batch = number(device, 0, TACHO_COL_STATS_BATCH);
    double seconds = real(device, 0, TACHO_COL_SECONDS);
    char ticks[3][NUMBER_ROOM];
    tacho_output_printf(self->output, "total batch ucycles:%17s [%s, %s]\n",
                        shown_int(cell(device, 0, TACHO_COL_UCYCLES), ticks[0]),
                        shown_int(cell(device, 0, TACHO_COL_START_U), ticks[1]),
                        shown_int(cell(device, 0, TACHO_COL_END_U), ticks[2]));
    if (seconds > 0.0) {
        put_rate(self, network, "batch/s", 1, seconds, real(device, 0, TACHO_COL_BATCH_PER_S));
        put_rate(self, network, "inf/s", batch, seconds,
                 real(device, 0, TACHO_COL_INFERENCES_PER_S));
    }
    if (batch > 1 && !cell(device, 0, TACHO_COL_UCYCLES_PER_INFERENCE)->is_absent) {
        tacho_output_write_cstring(self->output, "[");
        put_name(self, network);
        tacho_output_printf(self->output, "] ucycles per inference: %.2f\n",
                            real(device, 0, TACHO_COL_UCYCLES_PER_INFERENCE));
    }
    if (!cell(device, 0, TACHO_COL_MAX_INPUT_WAIT_UCYCLES)->is_absent) {
        tacho_output_printf(self->output,
                            "max input wait ucycles:%18" PRId64 "\n"
                            "max output wait ucycles:%17" PRId64 "\n",
                            number(device, 0, TACHO_COL_MAX_INPUT_WAIT_UCYCLES),
                            number(device, 0, TACHO_COL_MAX_OUTPUT_WAIT_UCYCLES));
    }
    if (!cell(device, 0, TACHO_COL_DDR_MB)->is_absent) {
        char rate[RATE_ROOM];
        tacho_output_printf(self->output, "total DDR traffic: %.3fMB, %s\n",
                            real(device, 0, TACHO_COL_DDR_MB),
                            shown_rate(cell(device, 0, TACHO_COL_DDR_GB_PER_S), rate));
    }
}

static void put_notes(text_writer *self)
{
    const tacho_table *device = &self->tables[TACHO_OPSTATS_TABLE_DEVICE];
    const tacho_table *missing = &self->tables[TACHO_OPSTATS_TABLE_MISSING];
    bool is_simulated = tacho_str_equal(text(device, 0, TACHO_COL_ORIGIN), TACHO_STR("simulated"));
    tacho_output_printf(self->output, "note: times are %s; a ucycle is a tick of %g MHz\n",
                        is_simulated ? "simulated, not those of hardware" : "measured",
                        real(device, 0, TACHO_COL_TIMER_MHZ));
    const tacho_cell *flush = cell(device, 0, TACHO_COL_FLUSH_UCYCLES);
    if (!flush->is_absent && flush->value.integer > 0) {
        tacho_output_printf(self->output,
                            "note: batch ucycles and rates include %" PRId64
                            " ucycles of writing the stats; ExecTimeUs of qaic-runner and DDR GB/s "
                            "do not\n",
                            flush->value.integer);
    }
    for (size_t i = 0; i < tacho_table_row_count(missing); i++) {
        tacho_str needs = text(missing, i, TACHO_COL_NEEDS);
        tacho_output_printf(self->output, "note: not recorded: %.*s%s%.*s%s\n",
                            TACHO_STR_ARG(text(missing, i, TACHO_COL_WHAT)),
                            needs.len > 0 ? " (compile with " : "", TACHO_STR_ARG(needs),
                            needs.len > 0 ? ")" : "");
    }
}

void tacho_opstats_text_write(const tacho_table tables[TACHO_OPSTATS_TABLE_COUNT],
                              tacho_output *output)
{
    text_writer self = {.tables = tables, .output = output};
    tacho_arena_init(&self.arena);
    const tacho_table *cores = &self.tables[TACHO_OPSTATS_TABLE_CORES];
    for (size_t i = 0; i < tacho_table_row_count(cores); i++) {
        put_core(&self, i);
    }
    put_device(&self);
    put_notes(&self);
    tacho_arena_deinit(&self.arena);
}
