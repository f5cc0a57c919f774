/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of tt-perf-report: table, advice and summary for people, its CSV for programs.
 */
#include "cli/ops_compat.h"

#include "analyses/tenstorrent/tt_report.h"
#include "analyses/tenstorrent/tt_rules.h"
#include "cli/listing.h"

#include <stdio.h>

typedef struct compat_request {
    tacho_tt_options options;
    bool has_advice, has_summary, has_codes;
    bool is_csv;
    tacho_tt_ops ops;
} compat_request;

static const tacho_option compat_options[] = {TACHO_OPS_COMPAT_OPTIONS};

const char *tacho_ops_compat_stray(const tacho_arguments *arguments)
{
    for (size_t i = 0; i < sizeof(compat_options) / sizeof(compat_options[0]); i++) {
        if (tacho_arguments_has(arguments, compat_options[i].name)) {
            return compat_options[i].name;
        }
    }
    return NULL;
}

/* ---- options ---------------------------------------------------------------------------- */

static tacho_str text_of(const tacho_arguments *arguments, const char *name)
{
    const char *value = tacho_arguments_value(arguments, name);
    return value == NULL ? TACHO_STR("") : tacho_str_from_cstring(value);
}

/* "5-10", "31-" or "-12". */
static bool choose_rows(compat_request *request, const tacho_arguments *arguments)
{
    tacho_tt_options *options = &request->options;
    tacho_str text = text_of(arguments, "id-range");
    if (!tacho_arguments_has(arguments, "id-range")) {
        return true;
    }
    size_t dash = tacho_str_find_byte(text, '-');
    tacho_str first = tacho_str_make(text.data, dash);
    tacho_str last = dash < text.len ? tacho_str_from(text, dash + 1) : TACHO_STR("");
    options->has_first_row = first.len > 0;
    options->has_last_row = last.len > 0;
    if (dash == text.len || (first.len == 0 && last.len == 0) ||
        (first.len > 0 && !tacho_str_parse_u64(first, &options->first_row)) ||
        (last.len > 0 && !tacho_str_parse_u64(last, &options->last_row))) {
        tacho_command_misuse(arguments->command,
                             "--id-range: expected rows like 5-10, 31- or -12, not '%s'",
                             text.data);
        return false;
    }
    return true;
}

static bool choose_percentage(compat_request *request, const tacho_arguments *arguments)
{
    const char *value = tacho_arguments_value(arguments, "min-percentage");
    char rest = 0;
    if (value != NULL && (sscanf(value, "%lf%c", &request->options.min_percentage, &rest) != 1 ||
                          !(request->options.min_percentage >= 0))) {
        tacho_command_misuse(arguments->command,
                             "--min-percentage: expected a number of percent, not '%s'", value);
        return false;
    }
    return true;
}

static bool choose_grouping(compat_request *request, const tacho_arguments *arguments)
{
    static const char *const names[] = {[TACHO_TT_GROUP_MEMORY] = "memory",
                                        [TACHO_TT_GROUP_OP] = "op",
                                        [TACHO_TT_GROUP_CATEGORY] = "category",
                                        [TACHO_TT_GROUP_REPLAY] = "replay"};
    const char *value = tacho_arguments_value(arguments, "group-by");
    for (size_t i = 0; value != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(value, names[i]) == 0) {
            request->options.grouping = (tacho_tt_grouping)i;
            return true;
        }
    }
    if (value != NULL) {
        tacho_command_misuse(arguments->command,
                             "--group-by: unknown group '%s'; use memory, op, category or replay",
                             value);
    }
    return value == NULL;
}

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    compat_request *request = self;
    request->options = (tacho_tt_options){
        .start_signpost = text_of(arguments, "start-signpost"),
        .end_signpost = text_of(arguments, "end-signpost"),
        .ignores_signposts = tacho_arguments_has(arguments, "ignore-signposts"),
        .shows_signposts = tacho_arguments_has(arguments, "print-signposts"),
        .arch = text_of(arguments, "arch"),
        .keeps_order = tacho_arguments_has(arguments, "tracing-mode"),
        .hides_host_ops = tacho_arguments_has(arguments, "no-host-ops"),
        .keeps_devices = tacho_arguments_has(arguments, "no-merge-devices"),
    };
    request->has_advice = !tacho_arguments_has(arguments, "no-advice");
    request->has_summary = !tacho_arguments_has(arguments, "no-summary");
    request->has_codes = tacho_arguments_has(arguments, "raw-op-codes");
    request->is_csv = listing->sink == &tacho_table_sink_csv;
    if (request->is_csv) {
        listing->sink = &tacho_table_sink_comma_csv;
    }
    return choose_rows(request, arguments) && choose_percentage(request, arguments) &&
           choose_grouping(request, arguments);
}

/* ---- the report ------------------------------------------------------------------------- */

static tacho_events *begin(void *self, tacho_dict *dict)
{
    compat_request *request = self;
    tacho_tt_ops_init(&request->ops, dict);
    return &request->ops.events;
}

static void end(void *self)
{
    compat_request *request = self;
    tacho_tt_ops_deinit(&request->ops);
}

/* Adds |table|, which is deinitialised, if |status| says it is good. */
static tacho_status add_table(tacho_listing *listing, tacho_status status, tacho_table *table)
{
    if (status == TACHO_OK) {
        status = tacho_listing_add(listing, table);
    }
    tacho_table_deinit(table);
    return status;
}

static tacho_status write_csv(const compat_request *request, const tacho_tt_report *report,
                              tacho_listing *listing)
{
    tacho_table table;
    tacho_status status =
        tacho_tt_report_csv_table(report, request->has_advice, request->has_codes, &table);
    if (status == TACHO_OK) { /* a header is written, even if no row is asked for */
        status = tacho_table_report_add(&listing->report, &table);
    }
    tacho_table_deinit(&table);
    return status;
}

static tacho_status find_advice(const tacho_tt_report *report, tacho_findings *findings,
                                tacho_table *facts)
{
    TACHO_TRY(tacho_tt_facts_table(report, facts));
    TACHO_TRY(tacho_rules_run(tacho_tt_run_rules, facts, findings));
    return tacho_rules_run(tacho_tt_matmul_rules, facts, findings);
}

static tacho_status write_advice(const tacho_tt_report *report, tacho_listing *listing)
{
    static const char *const columns[2] = {"ID", "OP Code"};
    tacho_findings findings;
    tacho_table facts = {.name = NULL};
    tacho_table table = {.name = NULL};
    tacho_findings_init(&findings);
    tacho_status status = find_advice(report, &findings, &facts);
    if (status == TACHO_OK) {
        status =
            add_table(listing, tacho_findings_table(&findings, &facts, columns, &table), &table);
    }
    tacho_table_deinit(&facts);
    tacho_findings_deinit(&findings);
    return status;
}

static tacho_status write_for_people(const compat_request *request, const tacho_tt_report *report,
                                     tacho_listing *listing)
{
    tacho_table table;
    TACHO_TRY(add_table(listing, tacho_tt_report_table(report, &table), &table));
    TACHO_TRY(request->has_advice ? write_advice(report, listing) : TACHO_OK);
    return request->has_summary ? add_table(listing, tacho_tt_summary_table(report, &table), &table)
                                : TACHO_OK;
}

static void say(const tacho_listing *listing, const char *kind, const char *text)
{
    if (!listing->is_quiet) {
        tacho_talk_line(kind, text);
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void say_notes(const compat_request *request, const tacho_tt_report *report,
                      const tacho_listing *listing)
{
    char text[256];
    const tacho_tt_options *options = &request->options;
    tacho_str names[2] = {options->start_signpost, options->end_signpost};
    for (size_t i = 0; i < 2; i++) {
        if (report->has_no_such_signpost[i]) {
            snprintf(text, sizeof(text), "--%s-signpost: no signpost is called '%.*s'%s",
                     i == 0 ? "start" : "end", (int)(names[i].len < 128 ? names[i].len : 128),
                     names[i].data,
                     i == 1 && tacho_str_equal(names[0], names[1]) ? " for a second time" : "");
            say(listing, "warning", text);
        }
    }
    if (report->is_arch_overruled) {
        say(listing, "warning", "--arch is not used: the table says which chip it was");
    }
    if (report->unmatched_count > 0) {
        snprintf(text, sizeof(text),
                 "%zu op%s not in the tables of all devices; times of these and of ops of the same "
                 "name behind them may be off",
                 report->unmatched_count, report->unmatched_count == 1 ? " is" : "s are");
        say(listing, "warning", text);
    }
    snprintf(text, sizeof(text),
             "%s, %.0f worker cores; %zu device op%s, %zu host op%s, %zu signpost%s",
             report->arch.name, report->arch.worker_cores, report->device_op_count,
             plural(report->device_op_count), report->host_op_count, plural(report->host_op_count),
             report->signpost_count, plural(report->signpost_count));
    say(listing, "note", text);
}

static tacho_status write_tables(void *self, tacho_listing *listing)
{
    compat_request *request = self;
    tacho_tt_report report;
    if (request->ops.item_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "no op table of Tenstorrent's profiler among the inputs; --compat "
                          "tt-perf-report is for those (ops_perf_results*.csv)");
    }
    tacho_status status = tacho_tt_report_init(&report, &request->ops, &request->options);
    if (status == TACHO_OK) {
        status = request->is_csv ? write_csv(request, &report, listing)
                                 : write_for_people(request, &report, listing);
    }
    if (status == TACHO_OK) {
        say_notes(request, &report, listing);
    }
    tacho_tt_report_deinit(&report);
    return status;
}

int tacho_ops_compat_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .begin = begin,
        .write = write_tables,
        .end = end,
    };
    const char *tool = tacho_arguments_value(arguments, "compat");
    if (strcmp(tool, "tt-perf-report") != 0) {
        return tacho_command_misuse(arguments->command,
                                    "--compat: unknown tool '%s'; use tt-perf-report", tool);
    }
    compat_request request = {.has_advice = true};
    return tacho_listing_run(arguments, &verb, &request);
}
