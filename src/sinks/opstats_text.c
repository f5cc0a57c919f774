/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One block per core: ops, total, threads, batch lines, frequency, ports, activation, and what was
 * counted; at the end the device. Widths are the vendor's.
 */
#include "sinks/opstats_text.h"

#include "base/arena.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { ENGINE_WIDTH = 15, NUMBER_ROOM = 24, RATE_ROOM = 64, LEVEL_OPS = 70 };

typedef struct text_writer {
    const tacho_table *tables;
    size_t table_count;
    tacho_output *output;
    tacho_arena arena; /* of a name */
} text_writer;

/* ---- cells --------------------------------------------------------------------------------- */

/* Most names differ in their first letter: asked for every cell. */
static bool is_named(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

static const tacho_table *find_table(const text_writer *self, const char *name)
{
    for (size_t i = 0; i < self->table_count; i++) {
        if (is_named(self->tables[i].name, name)) {
            return &self->tables[i];
        }
    }
    assert(false && "not the tables of a summary of raw stats");
    return NULL;
}

static const tacho_cell *cell(const tacho_table *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (is_named(table->columns[i].name, column)) {
            return tacho_table_cell(table, row, i);
        }
    }
    assert(false && "not a table of a summary of raw stats");
    return NULL;
}

static int64_t number(const tacho_table *table, size_t row, const char *column)
{
    const tacho_cell *of = cell(table, row, column);
    return of->is_absent ? 0 : of->value.integer;
}

static double real(const tacho_table *table, size_t row, const char *column)
{
    const tacho_cell *of = cell(table, row, column);
    return of->is_absent ? 0.0 : of->value.real;
}

static tacho_str text(const tacho_table *table, size_t row, const char *column)
{
    return cell(table, row, column)->value.text;
}

/* Names come from files: control characters in them are made visible. */
static void put_name(text_writer *self, tacho_str name)
{
    tacho_str safe = TACHO_STR("?");
    tacho_status status = tacho_utf8_printable(name, &self->arena, &safe);
    tacho_status_free(status);
    tacho_output_write_str(self->output, safe);
    tacho_arena_reset(&self->arena);
}

/* ---- ops ----------------------------------------------------------------------------------- */

/* Two blanks, and |text| to the right in |width|; most of a summary is that. */
static void put_right(text_writer *self, const char *text, size_t len, int width)
{
    static const char blanks[] = "                                ";
    size_t pad = (size_t)width > len ? (size_t)width - len : 0;
    tacho_output_write(self->output, blanks, 2 + pad);
    tacho_output_write(self->output, text, len);
}

/* Digits of |value|, at least |least|, up to |end|; where they begin. */
static char *put_digits(char *end, uint64_t value, int least)
{
    for (; value > 0 || least > 0; value /= 10, least--) {
        *--end = (char)('0' + value % 10);
    }
    return end;
}

static void put_int(text_writer *self, const tacho_cell *of, int width)
{
    char room[NUMBER_ROOM];
    char *end = room + sizeof(room);
    int64_t value = of->is_absent ? 0 : of->value.integer;
    char *at = put_digits(end, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
    if (value < 0) {
        *--at = '-';
    }
    put_right(self, of->is_absent ? "N/A" : at, of->is_absent ? 3 : (size_t)(end - at), width);
}

/* A number, or that there is none. */
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

static void put_real(text_writer *self, const tacho_cell *of, int width, const char *unit)
{
    char shown[64] = "N/A";
    char *end = shown + sizeof(shown);
    char *at = end;
    double hundredths = of->is_absent ? -1.0 : of->value.real * 100.0;
    /* Quickly where it is sure how it rounds. */
    if (hundredths >= 0.0 && hundredths < 1e12 &&
        fabs(hundredths - floor(hundredths) - 0.5) > 1e-3) {
        uint64_t value = (uint64_t)(hundredths + 0.5);
        size_t unit_len = strlen(unit);
        at -= unit_len;
        memcpy(at, unit, unit_len);
        at = put_digits(at, value % 100, 2);
        *--at = '.';
        at = put_digits(at, value / 100, 1);
    } else if (!of->is_absent) {
        at = shown;
        snprintf(shown, sizeof(shown), "%.2f%s", of->value.real, unit);
        end = at + strlen(shown);
    } else {
        at = shown;
        end = at + 3;
    }
    put_right(self, at, (size_t)(end - at), width);
}

static void put_op(text_writer *self, const tacho_table *ops, size_t row)
{
    tacho_output_printf(self->output, "c%-3" PRId64, number(ops, row, "core"));
    put_int(self, cell(ops, row, "ucycles"), 7);
    put_real(self, cell(ops, row, "ucycles_percent"), 10, "%");
    put_int(self, cell(ops, row, "pcycles"), 10);
    put_real(self, cell(ops, row, "pcycles_percent"), 10, "%");
    put_int(self, cell(ops, row, "count"), 5);
    put_real(self, cell(ops, row, "out_kb"), 10, "");
    put_real(self, cell(ops, row, "ucycles_per_kb"), 10, "");
    put_real(self, cell(ops, row, "pcycles_per_kb"), 10, "");
    put_real(self, cell(ops, row, "pcycles_per_kb_stddev"), 13, "");
    tacho_output_write_cstring(self->output, "  ");
    put_name(self, text(ops, row, "opdetails"));
    tacho_output_write_cstring(self->output, "\n");
}

static bool put_ops(text_writer *self, int64_t core)
{
    const tacho_table *ops = find_table(self, "ops");
    bool has_rows = false;
    for (size_t i = 0; i < tacho_table_row_count(ops); i++) {
        if (number(ops, i, "core") != core) {
            continue;
        }
        if (!has_rows) {
            tacho_output_printf(self->output,
                                "\n%-4s  %7s  %10s  %10s  %10s  %5s  %10s  %10s  %10s  %13s  %s\n",
                                "core", "ucycles", "ucycles(%)", "pcycles", "pcycles(%)", "count",
                                "out KB", "ucycles/KB", "pcycles/KB", "stddev(pc/KB)", "opdetails");
        }
        has_rows = true;
        put_op(self, ops, i);
    }
    return has_rows;
}

/* ---- threads ------------------------------------------------------------------------------- */

static void put_utilization(text_writer *self, size_t core_row, int64_t core)
{
    const tacho_table *cores = find_table(self, "cores");
    const tacho_table *threads = find_table(self, "threads");
    char cycles[NUMBER_ROOM];
    char ticks[NUMBER_ROOM];
    int64_t level = number(find_table(self, "device"), 0, "level");
    tacho_output_printf(self->output,
                        "\nc%" PRId64 " total:%16s ucycles %15s pcycles (thread max)\n", core,
                        shown_int(cell(cores, core_row, "ucycles"), ticks),
                        shown_int(cell(cores, core_row, "pcycles"), cycles));
    for (size_t i = 0; i < tacho_table_row_count(threads); i++) {
        if (number(threads, i, "core") != core) {
            continue;
        }
        char share[NUMBER_ROOM] = "    N/A";
        const tacho_cell *utilization = cell(threads, i, "utilization_percent");
        if (utilization->is_absent && level < LEVEL_OPS) {
            continue;
        }
        if (!utilization->is_absent) {
            snprintf(share, sizeof(share), "%6.2f%%", utilization->value.real);
        }
        tacho_str engine = text(threads, i, "engine");
        tacho_output_printf(self->output, "c%-4" PRId64 " t%" PRId64 " ", core,
                            number(threads, i, "thread"));
        put_name(self, engine);
        tacho_output_printf(self->output,
                            "%*s %8" PRId64 " ucycles [%" PRId64 ", %" PRId64 "] %15s pcycles "
                            "%s utilization\n",
                            engine.len < ENGINE_WIDTH ? (int)(ENGINE_WIDTH - engine.len) : 0, "",
                            number(threads, i, "ucycles"), number(threads, i, "start_u"),
                            number(threads, i, "end_u"),
                            shown_int(cell(threads, i, "pcycles"), cycles), share);
    }
    tacho_output_write_cstring(self->output, "\n\n");
}

static void put_batches(text_writer *self, int64_t core)
{
    const tacho_table *threads = find_table(self, "threads");
    for (size_t i = 0; i < tacho_table_row_count(threads); i++) {
        if (number(threads, i, "core") == core) {
            char cycles[NUMBER_ROOM];
            tacho_output_printf(self->output,
                                "c%02" PRId64 "t%" PRId64 " batch ucycles:%17" PRId64 " [%" PRId64
                                ",%" PRId64 "]    pcycles:%16s \n",
                                core, number(threads, i, "thread"), number(threads, i, "ucycles"),
                                number(threads, i, "start_u"), number(threads, i, "end_u"),
                                shown_int(cell(threads, i, "pcycles"), cycles));
        }
    }
}

static void put_activations(text_writer *self, int64_t core)
{
    const tacho_table *threads = find_table(self, "threads");
    for (size_t i = 0; i < tacho_table_row_count(threads); i++) {
        if (number(threads, i, "core") == core) {
            tacho_output_printf(
                self->output, "c%02" PRId64 "t%" PRId64 " activate ucycles:%18" PRId64 "\n", core,
                number(threads, i, "thread"), number(threads, i, "activate_ucycles"));
        }
    }
}

static void put_ports(text_writer *self, int64_t core)
{
    const tacho_table *ports = find_table(self, "ports");
    for (size_t i = 0; i < tacho_table_row_count(ports); i++) {
        if (number(ports, i, "core") == core) {
            tacho_output_printf(
                self->output,
                "c%02" PRId64 "t%" PRId64 "p%03" PRId64 " %.*s ucycles:%17" PRId64 "\n", core,
                number(ports, i, "thread"), number(ports, i, "port"),
                TACHO_STR_ARG(text(ports, i, "type")), number(ports, i, "wait_ucycles"));
        }
    }
    const tacho_table *bells = find_table(self, "doorbells");
    for (size_t i = 0; i < tacho_table_row_count(bells); i++) {
        if (number(bells, i, "core") == core) {
            char ticks[NUMBER_ROOM];
            tacho_output_printf(self->output,
                                "c%02" PRId64 "p%03" PRId64 " doorbell ucycles:%18s"
                                " transaction: %" PRId64 "\n",
                                core, number(bells, i, "port"),
                                shown_int(cell(bells, i, "offset_ucycles"), ticks),
                                number(bells, i, "transaction"));
        }
    }
}

/* ---- counters ------------------------------------------------------------------------------ */

static void put_counters(text_writer *self, size_t core_row, int64_t core)
{
    const tacho_table *pmu = find_table(self, "pmu");
    for (size_t i = 0; i < tacho_table_row_count(pmu); i++) {
        if (number(pmu, i, "core") != core) {
            continue;
        }
        char who[32];
        const tacho_cell *thread = cell(pmu, i, "thread");
        snprintf(who, sizeof(who), thread->is_absent ? "c%02" PRId64 : "c%02" PRId64 "t%" PRId64,
                 core, thread->value.integer);
        char value[NUMBER_ROOM];
        tacho_output_printf(
            self->output, "%s pmu %.*s %.*s: %s\n", who, TACHO_STR_ARG(text(pmu, i, "event")),
            TACHO_STR_ARG(text(pmu, i, "name")), shown_int(cell(pmu, i, "value"), value));
    }
    const tacho_table *rates = find_table(self, "rates");
    for (size_t i = 0; i < tacho_table_row_count(rates); i++) {
        if (number(rates, i, "core") == core) {
            tacho_str name = text(rates, i, "name");
            bool is_count = tacho_str_ends_with(name, TACHO_STR("Macs"));
            tacho_output_printf(self->output, "c%" PRId64 ": %.*s is %.*f\n", core,
                                TACHO_STR_ARG(name), is_count ? 0 : 2, real(rates, i, "value"));
        }
    }
    const tacho_table *cores = find_table(self, "cores");
    char rate[RATE_ROOM];
    if (!cell(cores, core_row, "ddr_read_kb")->is_absent) {
        tacho_output_printf(
            self->output, "c%" PRId64 ": DDR traffic is %.2fKB read, %.2fKB written, %s\n", core,
            real(cores, core_row, "ddr_read_kb"), real(cores, core_row, "ddr_write_kb"),
            shown_rate(cell(cores, core_row, "ddr_gb_per_s"), rate));
    }
}

static void put_op_counters(text_writer *self, int64_t core)
{
    const tacho_table *ops = find_table(self, "op_pmu");
    bool has_rows = false;
    for (size_t i = 0; i < tacho_table_row_count(ops); i++) {
        if (number(ops, i, "core") != core ||
            (!cell(ops, i, "total")->is_absent && number(ops, i, "total") == 0)) {
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
        snprintf(event, sizeof(event), "%.*s %.*s", TACHO_STR_ARG(text(ops, i, "event")),
                 TACHO_STR_ARG(text(ops, i, "name")));
        tacho_output_printf(self->output, "%-4s", head);
        put_int(self, cell(ops, i, "count"), 5);
        put_real(self, cell(ops, i, "mean"), 14, "");
        put_int(self, cell(ops, i, "total"), 16);
        put_real(self, cell(ops, i, "per_pcycle"), 10, "");
        tacho_output_printf(self->output, "  %-32s  ", event);
        put_name(self, text(ops, i, "opdetails"));
        tacho_output_write_cstring(self->output, "\n");
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void put_core(text_writer *self, size_t row)
{
    const tacho_table *cores = find_table(self, "cores");
    int64_t core = number(cores, row, "core");
    if (put_ops(self, core)) {
        put_utilization(self, row, core);
    } else if (row > 0) {
        tacho_output_write_cstring(self->output, "\n");
    }
    put_batches(self, core);
    char cycles[NUMBER_ROOM];
    tacho_output_printf(self->output, "c%" PRId64 ": Total inference pcycle is %s\n", core,
                        shown_int(cell(cores, row, "inference_pcycles"), cycles));
    if (!cell(cores, row, "effective_mhz")->is_absent) {
        tacho_output_printf(self->output, "c%" PRId64 ": Effective frequency is %.2fMHz\n", core,
                            real(cores, row, "effective_mhz"));
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
    const tacho_table *device = find_table(self, "device");
    tacho_str network = text(device, 0, "network");
    int64_t batch = number(device, 0, "stats_batch");
    double seconds = real(device, 0, "seconds");
    char ticks[3][NUMBER_ROOM];
    tacho_output_printf(self->output, "total batch ucycles:%17s [%s, %s]\n",
                        shown_int(cell(device, 0, "ucycles"), ticks[0]),
                        shown_int(cell(device, 0, "start_u"), ticks[1]),
                        shown_int(cell(device, 0, "end_u"), ticks[2]));
    if (seconds > 0.0) {
        put_rate(self, network, "batch/s", 1, seconds, real(device, 0, "batch_per_s"));
        put_rate(self, network, "inf/s", batch, seconds, real(device, 0, "inferences_per_s"));
    }
    if (batch > 1 && !cell(device, 0, "ucycles_per_inference")->is_absent) {
        tacho_output_write_cstring(self->output, "[");
        put_name(self, network);
        tacho_output_printf(self->output, "] ucycles per inference: %.2f\n",
                            real(device, 0, "ucycles_per_inference"));
    }
    if (!cell(device, 0, "max_input_wait_ucycles")->is_absent) {
        tacho_output_printf(self->output,
                            "max input wait ucycles:%18" PRId64 "\n"
                            "max output wait ucycles:%17" PRId64 "\n",
                            number(device, 0, "max_input_wait_ucycles"),
                            number(device, 0, "max_output_wait_ucycles"));
    }
    if (!cell(device, 0, "ddr_mb")->is_absent) {
        char rate[RATE_ROOM];
        tacho_output_printf(self->output, "total DDR traffic: %.3fMB, %s\n",
                            real(device, 0, "ddr_mb"),
                            shown_rate(cell(device, 0, "ddr_gb_per_s"), rate));
    }
}

static void put_notes(text_writer *self)
{
    const tacho_table *device = find_table(self, "device");
    const tacho_table *missing = find_table(self, "missing");
    bool is_simulated = tacho_str_equal(text(device, 0, "origin"), TACHO_STR("simulated"));
    tacho_output_printf(self->output, "note: times are %s; a ucycle is a tick of %g MHz\n",
                        is_simulated ? "simulated, not those of hardware" : "measured",
                        real(device, 0, "timer_mhz"));
    for (size_t i = 0; i < tacho_table_row_count(missing); i++) {
        tacho_str flag = text(missing, i, "flag");
        tacho_output_printf(self->output, "note: not recorded: %.*s%s%.*s%s\n",
                            TACHO_STR_ARG(text(missing, i, "what")),
                            flag.len > 0 ? " (compile with " : "", TACHO_STR_ARG(flag),
                            flag.len > 0 ? ")" : "");
    }
}

void tacho_opstats_text_write(const tacho_table *tables, size_t table_count, tacho_output *output)
{
    text_writer self = {.tables = tables, .table_count = table_count, .output = output};
    tacho_arena_init(&self.arena);
    const tacho_table *cores = find_table(&self, "cores");
    for (size_t i = 0; i < tacho_table_row_count(cores); i++) {
        put_core(&self, i);
    }
    put_device(&self);
    put_notes(&self);
    tacho_arena_deinit(&self.arena);
}
