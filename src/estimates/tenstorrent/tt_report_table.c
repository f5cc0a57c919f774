/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as tables: the vendor's CSV, and the table for users.
 */
#include "estimates/tenstorrent/tt_report.h"
#include "estimates/tenstorrent/tt_rules.h"
#include "base/grow.h"
#include "base/text.h"
#include "base/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 64, NS_PER_US = 1000 };

/* ---- cells ------------------------------------------------------------------------------ */

static tacho_status add_real(tacho_table *table, double value)
{
    return isfinite(value) ? tacho_table_add_real(table, value) : tacho_table_add_absent(table);
}

static tacho_status add_whole(tacho_table *table, double value)
{
    return isfinite(value) && fabs(value) < 9e18
               ? tacho_table_add_int(table, tacho_whole_i64(value))
               : tacho_table_add_absent(table);
}

static tacho_status add_text(tacho_table *table, tacho_str text)
{
    return text.len > 0 ? tacho_table_add_lasting_text(table, text) : tacho_table_add_absent(table);
}

static tacho_status add_title(tacho_table *table, const tacho_tt_line *line)
{
    if (!line->is_signpost) {
        return tacho_table_add_lasting_text(table, line->title);
    }
    char text[256];
    int len = snprintf(text, sizeof(text), "%.*s (signpost)",
                       line->op.code.len < 200 ? (int)line->op.code.len : 200, line->op.code.data);
    return tacho_table_add_text(table, tacho_str_make(text, (size_t)len));
}

/* ---- the vendor's CSV ------------------------------------------------------------------- */

static const tacho_column csv_columns[] = {
    TACHO_COLUMN_NAMED("ID", "ID", INT),
    TACHO_COLUMN_NAMED("Total %", "Total %", REAL),
    TACHO_COLUMN_NAMED("Bound", "Bound", TEXT),
    TACHO_COLUMN_NAMED("OP Code", "OP Code", TEXT),
    TACHO_COLUMN_NAMED("Device", "Device", INT),
    TACHO_COLUMN_NAMED("Device Time", "Device Time", REAL),
    TACHO_COLUMN_NAMED("Op-to-Op Gap", "Op-to-Op Gap", REAL),
    TACHO_COLUMN_NAMED("Cores", "Cores", TEXT),
    TACHO_COLUMN_NAMED("DRAM", "DRAM", REAL),
    TACHO_COLUMN_NAMED("DRAM %", "DRAM %", REAL),
    TACHO_COLUMN_NAMED("FLOPs", "FLOPs", REAL),
    TACHO_COLUMN_NAMED("FLOPs %", "FLOPs %", REAL),
    TACHO_COLUMN_NAMED("Math Fidelity", "Math Fidelity", TEXT),
    TACHO_COLUMN_NAMED("Output Datatype", "Output Datatype", TEXT),
    TACHO_COLUMN_NAMED("Input 0 Datatype", "Input 0 Datatype", TEXT),
    TACHO_COLUMN_NAMED("Input 1 Datatype", "Input 1 Datatype", TEXT),
    TACHO_COLUMN_NAMED("DRAM Sharded", "DRAM Sharded", FLAG),
    TACHO_COLUMN_NAMED("Input 0 Memory", "Input 0 Memory", TEXT),
    TACHO_COLUMN_NAMED("Inner Dim Block Size", "Inner Dim Block Size", INT),
    TACHO_COLUMN_NAMED("Output Subblock H", "Output Subblock H", INT),
    TACHO_COLUMN_NAMED("Output Subblock W", "Output Subblock W", INT),
    TACHO_COLUMN_NAMED("Global Call Count", "Global Call Count", TEXT),
    TACHO_COLUMN_NAMED("Advice", "Advice", TEXT),
    TACHO_COLUMN_NAMED("Raw OP Code", "Raw OP Code", TEXT),
};

enum { FACT_COLUMNS = 22, CSV_COLUMNS = sizeof(csv_columns) / sizeof(csv_columns[0]) };

/* A type, or "nan" if only this row has none: pandas reads and prints the cell like this. */
static tacho_status add_datatype(const tacho_tt_report *report, const tacho_tt_line *line,
                                 tacho_tt_tensor tensor, tacho_table *table)
{
    tacho_str type = line->op.datatypes[tensor];
    return add_text(table,
                    type.len > 0 || !report->ops->has_datatypes[tensor] ? type : TACHO_STR("nan"));
}

/* Columns with missing cells: pandas reads all their numbers as reals. */
typedef struct column_gaps {
    bool has_calls, has_cores;
} column_gaps;

static column_gaps find_gaps(const tacho_tt_ops *ops)
{
    column_gaps gaps = {false, false};
    for (size_t i = 0; i < ops->item_count; i++) {
        gaps.has_calls = gaps.has_calls || isnan(ops->items[i].call_count);
        gaps.has_cores = gaps.has_cores || isnan(ops->items[i].cores);
    }
    return gaps;
}

static tacho_status add_number(double value, bool is_real, tacho_table *table)
{
    char text[NUMBER_BYTES];
    int len = snprintf(text, sizeof(text), is_real ? "%.1f" : "%.0f", value);
    return tacho_table_add_text(
        table, tacho_str_make(text, len < NUMBER_BYTES ? (size_t)len : NUMBER_BYTES - 1));
}

/* The tool prints the number as read only for matrix products. */
static tacho_status add_cores(const tacho_tt_line *line, const column_gaps *gaps,
                              tacho_table *table)
{
    bool is_as_read = tacho_tt_holds(line->op.code, "Matmul") && !line->is_dram_sharded;
    if (isnan(line->cores)) {
        return is_as_read ? tacho_table_add_text(table, TACHO_STR("nan"))
                          : tacho_table_add_absent(table);
    }
    return add_number(line->cores, is_as_read && gaps->has_cores, table);
}

/* An unknown rate is "nan" in the tool's CSV, not just missing. */
static tacho_status add_rate(tacho_table *table, double value, bool is_unknown)
{
    return is_unknown ? tacho_table_add_real(table, TACHO_TT_NONE) : add_real(table, value);
}

static tacho_status add_rates(const tacho_tt_line *line, tacho_table *table)
{
    TACHO_TRY(add_rate(table, line->dram_gb_s, line->is_dram_unknown));
    TACHO_TRY(add_rate(table, line->dram_percent, line->is_dram_unknown));
    TACHO_TRY(add_real(table, line->tflops));
    return add_rate(table, line->flops_percent, line->is_flops_unknown);
}

static tacho_status add_facts(const tacho_tt_report *report, const tacho_tt_line *line,
                              const column_gaps *gaps, tacho_table *table)
{
    TACHO_TRY(tacho_table_add_int(table, (int64_t)line->op.row));
    TACHO_TRY(add_real(table, line->total_percent));
    TACHO_TRY(add_text(table, tacho_str_from_cstring(line->bound)));
    TACHO_TRY(add_title(table, line));
    TACHO_TRY(add_whole(table, line->op.device));
    TACHO_TRY(add_real(table, line->time_us));
    TACHO_TRY(add_real(table, line->gap_us));
    TACHO_TRY(add_cores(line, gaps, table));
    TACHO_TRY(add_rates(line, table));
    TACHO_TRY(add_text(table, line->fidelity));
    TACHO_TRY(add_datatype(report, line, TACHO_TT_OUTPUT_0, table));
    TACHO_TRY(add_datatype(report, line, TACHO_TT_INPUT_0, table));
    TACHO_TRY(add_datatype(report, line, TACHO_TT_INPUT_1, table));
    TACHO_TRY(tacho_table_add_flag(table, line->is_dram_sharded));
    TACHO_TRY(add_text(table, line->op.memories[TACHO_TT_INPUT_0]));
    TACHO_TRY(add_whole(table, line->block_w));
    TACHO_TRY(add_whole(table, line->subblock_h));
    TACHO_TRY(add_whole(table, line->subblock_w));
    return isnan(line->op.call_count) ? tacho_table_add_text(table, TACHO_STR("nan"))
                                      : add_number(line->op.call_count, gaps->has_calls, table);
}

tacho_status tacho_tt_facts_table(const tacho_tt_report *report, tacho_table *out_table)
{
    column_gaps gaps = find_gaps(report->ops);
    tacho_table_init(out_table, "report", "Performance report", csv_columns, FACT_COLUMNS);
    for (size_t i = 0; i < report->line_count; i++) {
        TACHO_TRY(add_facts(report, &report->lines[i], &gaps, out_table));
    }
    return TACHO_OK;
}

/* Adds the findings about a row, in the order of the rules. */
static tacho_status add_advice(const tacho_findings *findings, const size_t *next_of, size_t first,
                               tacho_text *text, tacho_table *table)
{
    for (size_t i = first; i != SIZE_MAX; i = next_of[i]) {
        if (i != first) {
            TACHO_TRY(tacho_text_put(text, TACHO_STR(" \xe2\x80\xa2 ")));
        }
        TACHO_TRY(tacho_text_put(text, findings->items[i].advice));
    }
    tacho_str advice = tacho_text_take(text);
    return advice.len > 0 ? tacho_table_add_text(table, advice) : tacho_table_add_absent(table);
}

/* Findings as a list per row: |first_of| by row, |next_of| by finding. */
static void chain(const tacho_findings *findings, size_t row_count, size_t *first_of,
                  size_t *next_of)
{
    for (size_t i = 0; i < row_count; i++) {
        first_of[i] = SIZE_MAX;
    }
    for (size_t i = findings->item_count; i-- > 0;) {
        next_of[i] = first_of[findings->items[i].row];
        first_of[findings->items[i].row] = i;
    }
}

static tacho_status add_fact_cells(const tacho_table *facts, size_t row, tacho_table *table)
{
    for (size_t i = 0; i < FACT_COLUMNS; i++) {
        const tacho_cell *cell = tacho_table_cell(facts, row, i);
        if (cell->is_absent) {
            TACHO_TRY(tacho_table_add_absent(table));
        } else if (csv_columns[i].type == TACHO_COLUMN_TEXT) {
            TACHO_TRY(tacho_table_add_text(table, cell->value.text));
        } else if (csv_columns[i].type == TACHO_COLUMN_REAL) {
            TACHO_TRY(tacho_table_add_real(table, cell->value.real));
        } else if (csv_columns[i].type == TACHO_COLUMN_FLAG) {
            TACHO_TRY(tacho_table_add_flag(table, cell->value.integer != 0));
        } else {
            TACHO_TRY(tacho_table_add_int(table, cell->value.integer));
        }
    }
    return TACHO_OK;
}

typedef struct csv_work {
    const tacho_tt_report *report;
    tacho_table facts;
    tacho_findings findings;
    size_t *first_of, *next_of;
    tacho_text text;
    bool with_advice, with_codes;
} csv_work;

static tacho_status fill_csv(csv_work *work, tacho_table *table)
{
    size_t row_count = work->report->line_count;
    TACHO_TRY(tacho_tt_facts_table(work->report, &work->facts));
    TACHO_TRY(tacho_rules_run(tacho_tt_matmul_rules, &work->facts, &work->findings));
    work->first_of = tacho_items_alloc(row_count, sizeof(size_t));
    work->next_of = tacho_items_alloc(work->findings.item_count, sizeof(size_t));
    if (work->first_of == NULL || work->next_of == NULL) {
        return tacho_no_memory();
    }
    chain(&work->findings, row_count, work->first_of, work->next_of);
    for (size_t row = 0; row < row_count; row++) {
        TACHO_TRY(add_fact_cells(&work->facts, row, table));
        if (work->with_advice) {
            TACHO_TRY(add_advice(&work->findings, work->next_of, work->first_of[row], &work->text,
                                 table));
        }
        if (work->with_codes) {
            TACHO_TRY(add_text(table, work->report->lines[row].op.code));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_tt_report_csv_table(const tacho_tt_report *report, bool with_advice,
                                       bool with_codes, tacho_table *out_table)
{
    tacho_column columns[CSV_COLUMNS];
    size_t count = FACT_COLUMNS;
    memcpy(columns, csv_columns, sizeof(columns));
    count += with_advice ? 1 : 0;
    if (with_codes) {
        columns[count++] = csv_columns[CSV_COLUMNS - 1];
    }
    TACHO_TRY(tacho_table_init_owned(out_table, "report", "Performance report", columns, count));
    csv_work work = {.report = report, .with_advice = with_advice, .with_codes = with_codes};
    tacho_findings_init(&work.findings);
    tacho_status status = fill_csv(&work, out_table);
    free(work.first_of);
    free(work.next_of);
    tacho_text_deinit(&work.text);
    tacho_findings_deinit(&work.findings);
    tacho_table_deinit(&work.facts);
    return status;
}

/* ---- for users -------------------------------------------------------------------------- */

static const tacho_column people_columns[] = {
    TACHO_COLUMN(ID, "ID", INT),
    TACHO_COLUMN(TOTAL_PERCENT, "Total %", PERCENT),
    TACHO_COLUMN(BOUND, "Bound", TEXT),
    TACHO_COLUMN(OP, "OP Code", TEXT),
    TACHO_COLUMN(DEVICE, "Device", INT),
    TACHO_COLUMN(DEVICE_TIME_NS, "Device Time", DURATION),
    TACHO_COLUMN(GAP_NS, "Op-to-Op Gap", DURATION),
    TACHO_COLUMN(CORES, "Cores", INT),
    TACHO_COLUMN(DRAM_GB_S, "DRAM GB/s", REAL),
    TACHO_COLUMN(DRAM_PERCENT, "DRAM %", PERCENT),
    TACHO_COLUMN(TFLOPS, "TFLOPs", REAL),
    TACHO_COLUMN(FLOPS_PERCENT, "FLOPs %", PERCENT),
    TACHO_COLUMN(FIDELITY, "Math Fidelity", TEXT),
};

/* Limits for the colours of the vendor's tool. */
enum { FEW_CORES = 10, NEAR_PEAK_PERCENT = 65 };
static const double long_gap_us = 6.5;
static const double minor_percent = 0.5;

static tacho_mark bound_mark(const char *bound)
{
    return strcmp(bound, "SLOW") == 0   ? TACHO_MARK_WEAK
           : strcmp(bound, "HOST") == 0 ? TACHO_MARK_BAD
           : bound[0] != '\0'           ? TACHO_MARK_GOOD
                                        : TACHO_MARK_NONE;
}

static tacho_mark cores_mark(const tacho_tt_line *line, const tacho_tt_arch *arch)
{
    return line->cores < FEW_CORES             ? TACHO_MARK_BAD
           : line->cores >= arch->worker_cores ? TACHO_MARK_GOOD
                                               : TACHO_MARK_NONE;
}

static tacho_mark peak_mark(double percent)
{
    return percent >= NEAR_PEAK_PERCENT ? TACHO_MARK_GOOD : TACHO_MARK_NONE;
}

/* An op that takes almost no time is minor, regardless of its other problems. */
static void mark_minor(const tacho_tt_line *line, tacho_table *table)
{
    size_t first = table->cell_count - table->column_count;
    for (size_t i = first; i < table->cell_count && line->total_percent < minor_percent; i++) {
        table->cells[i].mark = TACHO_MARK_MINOR;
    }
}

static tacho_status add_people_rates(const tacho_tt_line *line, tacho_table *table)
{
    TACHO_TRY(add_real(table, line->dram_gb_s));
    TACHO_TRY(add_real(table, line->dram_percent));
    tacho_table_mark(table, peak_mark(line->dram_percent));
    TACHO_TRY(add_real(table, line->tflops));
    TACHO_TRY(add_real(table, line->flops_percent));
    tacho_table_mark(table, peak_mark(line->flops_percent));
    return TACHO_OK;
}

static tacho_status add_line(const tacho_tt_line *line, const tacho_tt_arch *arch,
                             tacho_table *table)
{
    TACHO_TRY(tacho_table_add_int(table, (int64_t)line->op.row));
    TACHO_TRY(add_real(table, line->total_percent));
    TACHO_TRY(add_text(table, tacho_str_from_cstring(line->bound)));
    tacho_table_mark(table, bound_mark(line->bound));
    TACHO_TRY(add_title(table, line));
    TACHO_TRY(add_whole(table, line->op.device));
    TACHO_TRY(add_whole(table, round(line->time_us * NS_PER_US)));
    TACHO_TRY(add_whole(table, round(line->gap_us * NS_PER_US)));
    tacho_table_mark(table, line->gap_us > long_gap_us ? TACHO_MARK_BAD : TACHO_MARK_NONE);
    TACHO_TRY(add_whole(table, line->cores));
    tacho_table_mark(table, cores_mark(line, arch));
    TACHO_TRY(add_people_rates(line, table));
    TACHO_TRY(add_text(table, line->fidelity));
    mark_minor(line, table);
    return TACHO_OK;
}

tacho_status tacho_tt_report_table(const tacho_tt_report *report, tacho_table *out_table)
{
    static const tacho_column_id kept[] = {
        TACHO_COL_ID,    TACHO_COL_TOTAL_PERCENT,  TACHO_COL_BOUND,
        TACHO_COL_OP,    TACHO_COL_DEVICE_TIME_NS, TACHO_COL_GAP_NS,
        TACHO_COL_CORES, TACHO_COL_DRAM_PERCENT,   TACHO_COL_FLOPS_PERCENT,
        TACHO_COL_OTHER};
    tacho_table_init(out_table, "report", "Performance report", people_columns,
                     sizeof(people_columns) / sizeof(people_columns[0]));
    out_table->kept = kept;
    for (size_t i = 0; i < report->line_count; i++) {
        const tacho_tt_line *line = &report->lines[i];
        if (!(line->total_percent < report->options.min_percentage) || line->is_host) {
            TACHO_TRY(add_line(line, &report->arch, out_table));
        }
    }
    return TACHO_OK;
}
