/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of tt-perf-report as an analysis of a stream of rows: table, advice and summary for
 * users, the vendor's single table for programs.
 */
#include "estimates/tenstorrent/tt_analysis.h"

#include "estimates/estimates.h"
#include "estimates/tenstorrent/tt_rules.h"

#include <stdlib.h>

static tacho_tt_ops *ops_of(tacho_events *events)
{
    return (tacho_tt_ops *)(void *)events;
}

static tacho_status open_report(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    (void)options;
    tacho_tt_ops *ops = calloc(1, sizeof(*ops));
    if (ops == NULL) {
        return tacho_no_memory();
    }
    tacho_tt_ops_init(ops, dict);
    *out_events = &ops->events;
    return TACHO_OK;
}

static tacho_status write_csv(const tacho_tt_report *report, const tacho_tt_report_options *options,
                              const tacho_table_taker *to)
{
    tacho_table table = {0};
    tacho_status status =
        tacho_tt_report_csv_table(report, options->has_advice, options->has_codes, &table);
    table.shows_empty = true;
    return tacho_table_hand_over(to, status, &table);
}

static tacho_status find_advice(const tacho_tt_report *report, tacho_findings *findings,
                                tacho_table *facts)
{
    TACHO_TRY(tacho_tt_facts_table(report, facts));
    TACHO_TRY(tacho_rules_run(tacho_tt_run_rules, facts, findings));
    return tacho_rules_run(tacho_tt_matmul_rules, facts, findings);
}

static tacho_status write_advice(const tacho_tt_report *report, const tacho_table_taker *to)
{
    static const char *const columns[2] = {"ID", "OP Code"};
    tacho_findings findings;
    tacho_table facts = {0};
    tacho_table table = {0};
    tacho_findings_init(&findings);
    tacho_status status = find_advice(report, &findings, &facts);
    if (status == TACHO_OK) {
        status = tacho_findings_table(&findings, &facts, columns, &table);
        status = tacho_table_hand_over(to, status, &table);
    }
    tacho_table_deinit(&facts);
    tacho_findings_deinit(&findings);
    return status;
}

static tacho_status write_for_people(const tacho_tt_report *report,
                                     const tacho_tt_report_options *options,
                                     const tacho_table_taker *to)
{
    tacho_table table = {0};
    TACHO_TRY(tacho_table_hand_over(to, tacho_tt_report_table(report, &table), &table));
    TACHO_TRY(options->has_advice ? write_advice(report, to) : TACHO_OK);
    if (!options->has_summary) {
        return TACHO_OK;
    }
    table = (tacho_table){0};
    return tacho_table_hand_over(to, tacho_tt_summary_table(report, &table), &table);
}

static void say_signposts(const tacho_tt_report *report, const tacho_tt_report_options *options)
{
    const tacho_str names[2] = {options->rows.start_signpost, options->rows.end_signpost};
    for (size_t i = 0; i < 2; i++) {
        if (report->has_no_such_signpost[i]) {
            bool is_second = i == 1 && tacho_str_equal(names[0], names[1]);
            tacho_note(options->notes, "warning", "the %s signpost '%.*s' is not in the table%s",
                       i == 0 ? "start" : "end", (int)(names[i].len < 128 ? names[i].len : 128),
                       names[i].data, is_second ? " a second time" : "");
        }
    }
}

/* Notes why a report is empty or lacks rows. */
static void say_left_out(const tacho_tt_report *report, const tacho_tt_report_options *options)
{
    size_t count = report->outside_count;
    bool is_empty = report->device_op_count + report->host_op_count == 0;
    if (count > 0 && is_empty) {
        tacho_note_hint(options->notes, (tacho_hint){TACHO_HINT_SIGNPOSTS, ""}, "warning",
                        "all %zu op%s outside the window of the signposts", count,
                        count == 1 ? " is" : "s are");
    } else if (!is_empty && report->line_count == 0 &&
               (options->rows.has_first_row || options->rows.has_last_row)) {
        tacho_note(
            options->notes, "warning",
            "no op of the window is in that range of ids; an id is a row of the table, whose "
            "header is row 1");
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void say_notes(const tacho_tt_report *report, const tacho_tt_report_options *options)
{
    say_signposts(report, options);
    say_left_out(report, options);
    if (report->is_arch_overruled) {
        tacho_note(options->notes, "warning",
                   "the given chip is not used: the table says which one it was");
    }
    if (report->is_arch_unknown) {
        tacho_note(options->notes, "warning",
                   "no peaks are known of the chip '%.*s': no percentages of them",
                   TACHO_STR_ARG(report->arch.name));
    }
    if (report->unmatched_count > 0) {
        tacho_note(options->notes, "warning",
                   "%zu op%s not in the tables of all devices; times of these and of ops of the "
                   "same name behind them may be off",
                   report->unmatched_count, report->unmatched_count == 1 ? " is" : "s are");
    }
    tacho_note(options->notes, "note",
               "%.*s, %.0f worker cores; %zu device op%s, %zu host op%s, %zu signpost%s",
               TACHO_STR_ARG(report->arch.name), report->arch.worker_cores, report->device_op_count,
               plural(report->device_op_count), report->host_op_count,
               plural(report->host_op_count), report->signpost_count,
               plural(report->signpost_count));
}

static tacho_status write_report(tacho_events *events, const void *options,
                                 const tacho_table_taker *to)
{
    const tacho_tt_report_options *chosen = options;
    tacho_tt_report report;
    if (chosen->needs_ops && ops_of(events)->item_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "no op table of Tenstorrent's profiler among the inputs; the report of "
                          "tt-perf-report is for those (ops_perf_results*.csv)");
    }
    tacho_status status = tacho_tt_report_init(&report, ops_of(events), &chosen->rows);
    if (status == TACHO_OK) {
        status =
            chosen->is_csv ? write_csv(&report, chosen, to) : write_for_people(&report, chosen, to);
    }
    if (status == TACHO_OK) {
        say_notes(&report, chosen);
    }
    tacho_tt_report_deinit(&report);
    return status;
}

static void close_report(tacho_events *events)
{
    if (events != NULL) {
        tacho_tt_ops_deinit(ops_of(events));
        free(ops_of(events));
    }
}

const tacho_analysis tacho_analysis_tt_report = {
    .name = "tt_report",
    .question = "how close ops of a Tenstorrent chip come to its peaks, and what to change",
    .options = "tacho_tt_report_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_report,
    .write = write_report,
    .close = close_report,
};
