/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture is read once for all tables: its rows go to two analyses.
 */
#include "session/capture_report.h"

#include "questions/analysis.h"
#include "questions/ops/ops.h"
#include "pipeline/conversion.h"
#include "pipeline/intake_notes.h"
#include "profile/events_fork.h"
#include "session/capture_run.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOP = 20 };

static const double ns_per_s = 1e9;

/* Rows for both. */
typedef struct row_fork {
    tacho_events_fork fork;
    tacho_events *processes, *ops;
} row_fork;

/* A report in the making. */
typedef struct report_writer {
    const tacho_profile_report *report;
    tacho_intake intake;
    tacho_ops_options options;
    tacho_table_report *tables;
    uint64_t row_count; /* in the capture */
    bool has_ops;
    bool wants_one; /* a file has one table: operators, or processes where there are none */
} report_writer;

static tacho_status take_ops(void *self, const tacho_table *table)
{
    report_writer *writer = self;
    writer->has_ops = table->cell_count > 0;
    return writer->has_ops ? tacho_table_report_add(writer->tables, table) : TACHO_OK;
}

static tacho_status take_processes(void *self, const tacho_table *table)
{
    const report_writer *writer = self;
    bool is_wanted = !writer->wants_one || !writer->has_ops;
    return is_wanted ? tacho_table_report_add(writer->tables, table) : TACHO_OK;
}

static tacho_status write_tables(report_writer *writer, const row_fork *rows)
{
    const tacho_table_taker ops = {take_ops, writer};
    const tacho_table_taker processes = {take_processes, writer};
    TACHO_TRY(tacho_analysis_ops.write(rows->ops, &writer->options, &ops));
    TACHO_TRY(tacho_analysis_processes.write(rows->processes, NULL, &processes));
    return tacho_table_report_finish(writer->tables);
}

static tacho_status write_to(report_writer *writer, const row_fork *rows,
                             const tacho_table_sink *sink, tacho_output *output)
{
    tacho_table_report tables;
    TACHO_TRY(tacho_table_report_open(&tables, sink, output));
    tables.keeper = output == NULL ? writer->report->keeper : NULL;
    writer->tables = &tables;
    tacho_status status = write_tables(writer, rows);
    tacho_table_report_close(&tables);
    if (status == TACHO_OK && output != NULL) {
        status = tacho_output_commit(output);
    }
    return status;
}

static tacho_status write_all(report_writer *writer, const row_fork *rows)
{
    const tacho_profile_report *report = writer->report;
    tacho_output output;
    if (report->table_sink != NULL) {
        TACHO_TRY(tacho_output_open(report->output_path, &output));
        writer->wants_one = true;
        writer->options.top = 0;
        tacho_status status = write_to(writer, rows, report->table_sink, &output);
        tacho_output_close(&output);
        TACHO_TRY(status);
    }
    if (report->is_quiet) {
        return TACHO_OK;
    }
    writer->wants_one = false;
    writer->options.top = TOP;
    if (report->keeper != NULL) {
        return write_to(writer, rows, &tacho_table_sink_text, NULL);
    }
    TACHO_TRY(tacho_output_open_standard_error(&output));
    tacho_status status = write_to(writer, rows, &tacho_table_sink_text, &output);
    tacho_output_close(&output);
    return status;
}

static tacho_status open_rows(report_writer *writer, tacho_dict *dict, row_fork *rows)
{
    *rows = (row_fork){.processes = NULL};
    TACHO_TRY(tacho_analysis_processes.open(NULL, dict, &rows->processes));
    TACHO_TRY(tacho_analysis_ops.open(&writer->options, dict, &rows->ops));
    tacho_events_fork_init(&rows->fork, rows->processes, rows->ops);
    return TACHO_OK;
}

static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    report_writer *writer = self;
    row_fork rows;
    tacho_producer producer = tacho_intake_producer(&writer->intake);
    tacho_status status = open_rows(writer, dict, &rows);
    if (status == TACHO_OK) {
        status = tacho_pipeline_push(&producer, mode, &rows.fork.events);
    }
    if (status == TACHO_OK) {
        status = write_all(writer, &rows);
    }
    tacho_analysis_processes.close(rows.processes);
    tacho_analysis_ops.close(rows.ops);
    return status;
}

/* ---- words --------------------------------------------------------------------------------- */

static void say_summary(const tacho_profile_report *report, bool has_ops)
{
    const tacho_wrapper_result *result = report->result;
    tacho_note(report->notes, "note",
               "%" PRIu64 " process%s in %.3f s, %.3f s of CPU time, exit status %d%s",
               result->process_count, result->process_count == 1 ? "" : "es",
               (double)result->elapsed_ns / ns_per_s, (double)result->cpu_ns / ns_per_s,
               result->exit_status, result->is_timed_out ? " (timed out)" : "");
    if (result->clients.clients > 0) {
        tacho_note(report->notes, "note",
                   "%" PRIu64 " process%s reported %" PRIu64 " event%s, and dropped %" PRIu64 "%s",
                   result->clients.processes, result->clients.processes == 1 ? "" : "es",
                   result->clients.events, result->clients.events == 1 ? "" : "s",
                   result->clients.dropped + result->clients.unplaced,
                   has_ops ? "" : "; none of them has a duration");
    }
}

/* What came another way than by the collector, which has told already. */
static void say_ways(const tacho_profile_report *report)
{
    const tacho_wrapper_result *result = report->result;
    for (size_t i = 0; i < result->way_count; i++) {
        const tacho_way_counts *way = &result->ways[i];
        if (way->programs > 0 && strcmp(way->name, "Tracy") == 0 && !report->is_quiet) {
            tacho_note(report->notes, "note",
                       "%" PRIu64 " process%s reported %" PRIu64 " event%s through %s",
                       way->programs, way->programs == 1 ? "" : "es", way->events,
                       way->events == 1 ? "" : "s", way->name);
        }
        if (way->refused > 0) {
            tacho_note(report->notes, "warning",
                       "%" PRIu64 " %s program%s could not be captured: another profiler is "
                       "connected, or the protocol is not known",
                       way->refused, way->name, way->refused == 1 ? "" : "s");
        }
        if (way->foreign > 0) {
            tacho_note(report->notes, "warning",
                       "%" PRIu64 " %s program%s not captured: only processes of the command that "
                       "run as your own user are",
                       way->foreign, way->name, way->foreign == 1 ? " was" : "s were");
        }
        if (way->portless > 0) {
            tacho_note(report->notes, "warning",
                       "%" PRIu64 " %s program%s not recorded: one process alone can have the port "
                       "that was set (TRACY_PORT); set none to record all",
                       way->portless, way->name, way->portless == 1 ? " was" : "s were");
        }
        if (way->damaged > 0) {
            tacho_note(report->notes, "warning",
                       "the events of %" PRIu64 " %s program%s could not be read to the end",
                       way->damaged, way->name, way->damaged == 1 ? "" : "s");
        }
        if (way->missed > 0) {
            tacho_note(report->notes, "warning",
                       "%" PRIu64 " %s program%s ended before a connection was made; set "
                       "TRACY_NO_EXIT=1 to make short programs wait for it",
                       way->missed, way->name, way->missed == 1 ? "" : "s");
        }
    }
}

/* Nothing came from inside the program: which ways were tried, and what to do. */
static void say_uninstrumented(const tacho_profile_report *report)
{
    const tacho_wrapper_result *result = report->result;
    for (size_t i = 0; i < result->way_count; i++) {
        if (result->ways[i].programs > 0) {
            return;
        }
    }
    tacho_note(report->notes, "note",
               "no process reported anything, so this shows processes alone, as seen from outside");
    for (size_t i = 0; i < result->way_count; i++) {
        tacho_note(report->notes, "note", "tried %s: for %s", result->ways[i].name,
                   result->ways[i].needs);
    }
}

/* What the tables need not show. */
static void say_limits(const tacho_wrapper_result *result, const tacho_notes *notes)
{
    if (result->running_count > 0) {
        tacho_note(notes, "note", "%" PRIu64 " process%s still running; recorded up to here",
                   result->running_count, result->running_count == 1 ? " is" : "es are");
    }
    if (result->unseen_count > 0) {
        tacho_note(notes, "note",
                   "%" PRIu64 " more process%s too short to be seen between two looks",
                   result->unseen_count, result->unseen_count == 1 ? " was" : "es were");
    }
}

/* What is missing in the tables. */
static void say_missing(const tacho_wrapper_result *result, const tacho_notes *notes)
{
    if (result->left_out_count > 0) {
        tacho_note(notes, "warning",
                   "more processes than can be followed at once; some are missing");
    }
    if (result->clients.refused > 0) {
        tacho_note(notes, "warning",
                   "%" PRIu64
                   " connection%s to the collector did not begin as libtacho-client does",
                   result->clients.refused, result->clients.refused == 1 ? "" : "s");
    }
    if (result->clients.unserved > 0) {
        tacho_note(notes, "warning",
                   "%" PRIu64 " request%s to report events could not be answered, for want of time "
                   "or memory; those events are missing",
                   result->clients.unserved, result->clients.unserved == 1 ? "" : "s");
    }
    if (result->lists_no_children) {
        tacho_note(notes, "warning",
                   "this kernel does not list the children of processes; only the program itself "
                   "was followed");
    }
}

static void say_unstored(const tacho_profile_report *report)
{
    const tacho_wrapper_result *result = report->result;
    if (result->collect_error != TACHO_OK) {
        tacho_note(report->notes, "warning", "%s", tacho_status_message(result->collect_error));
        tacho_note(report->notes, "warning",
                   "programs could not report anything; this shows processes alone");
    }
    if (result->store_error == TACHO_OK) {
        return;
    }
    tacho_note(report->notes, "warning", "%s", tacho_status_message(result->store_error));
    tacho_note(report->notes, "warning",
               "%" PRIu64 " event%s could not be stored, %" PRIu64 " before that are kept",
               result->unstored_count, result->unstored_count == 1 ? "" : "s",
               result->stored_count);
}

/* ---- what is there ------------------------------------------------------------------------- */

/* Counts rows. */
typedef struct row_counter {
    tacho_events events;
    uint64_t count;
} row_counter;

static tacho_status count_row(tacho_events *events, const tacho_row *row)
{
    (void)row;
    ((row_counter *)events)->count++;
    return TACHO_OK;
}

static tacho_status ignore_end(tacho_events *events, uint32_t part)
{
    (void)events;
    (void)part;
    return TACHO_OK;
}

static tacho_status ignore_finish(tacho_events *events)
{
    (void)events;
    return TACHO_OK;
}

static tacho_status count_attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    static const tacho_events_vtable vtable = {
        .row = count_row, .end_part = ignore_end, .finish = ignore_finish};
    report_writer *writer = self;
    row_counter counter = {.events = {&vtable, dict}};
    tacho_producer producer = tacho_intake_producer(&writer->intake);
    tacho_status status = tacho_pipeline_push(&producer, mode, &counter.events);
    writer->row_count = counter.count;
    return status;
}

/* What was handed to the sink need not be in the file where storing failed: reads what is. */
static void count_stored(const tacho_profile_report *report, tacho_wrapper_result *result)
{
    const tacho_intake_input input = {.path = report->capture_path};
    report_writer writer = {.report = report, .intake = {.inputs = &input, .input_count = 1}};
    uint64_t emitted = result->stored_count + result->unstored_count;
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_pipeline_try(count_attempt, &writer, TACHO_ORDER_PASS, &dict);
        tacho_dict_deinit(&dict);
    }
    tacho_status_free(status);
    result->stored_count = writer.row_count < emitted ? writer.row_count : emitted;
    result->unstored_count = emitted - result->stored_count;
}

/* ---- the output ---------------------------------------------------------------------------- */

/* Whether the output is the capture itself, under another name. Devices and pipes are written to.
 */
static bool is_capture(const tacho_profile_report *report)
{
    struct stat facts;
    return report->output_path != NULL && report->trace_sink != NULL &&
           (stat(report->output_path, &facts) != 0 || S_ISREG(facts.st_mode)) &&
           strcmp(report->trace_sink->name, "tacho") == 0 &&
           tacho_str_ends_with(tacho_str_from_cstring(report->output_path), TACHO_STR(".tacho"));
}

tacho_status tacho_profile_report_write_trace(const tacho_profile_report *report,
                                              const tacho_trace_sink *sink, const char *path)
{
    tacho_dict dict;
    const tacho_intake_input input = {.path = report->capture_path};
    const tacho_conversion conversion = {
        .intake = {.inputs = &input, .input_count = 1},
        .output_path = path,
        .sink = sink,
        .selection = TACHO_SELECT_ALL,
    };
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_status status = tacho_conversion_run(&conversion, &dict);
    tacho_dict_deinit(&dict);
    return status;
}

static tacho_status write_output(const tacho_profile_report *report)
{
    if (is_capture(report) && report->result->store_error != TACHO_OK) {
        return tacho_fail(TACHO_CODE_IO, "%s is not written: the capture is incomplete",
                          report->output_path);
    }
    if (is_capture(report)) {
        return tacho_profiling_put_in_place(report->capture_path, report->output_path);
    }
    return report->trace_sink != NULL
               ? tacho_profile_report_write_trace(report, report->trace_sink, report->output_path)
               : TACHO_OK;
}

/* Prints the tables, those that go to a file, too, and what is lost. */
static tacho_status write_tables_of(report_writer *writer)
{
    const tacho_profile_report *report = writer->report;
    bool has_tables = !report->is_quiet || report->table_sink != NULL;
    tacho_dict dict;
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_status status =
        tacho_pipeline_try(has_tables ? attempt : count_attempt, writer, TACHO_ORDER_PASS, &dict);
    /* The capture has a name of its own until it is in place, which nobody knows. */
    for (size_t i = 0; status == TACHO_OK && i < dict.part_count && dict.loss_count > 0; i++) {
        tacho_str shown = report->output_path != NULL
                              ? tacho_str_from_cstring(report->output_path)
                              : tacho_dict_string(&dict, dict.parts[i].name);
        status = tacho_dict_ensure_string(&dict, shown, &dict.parts[i].path);
    }
    tacho_intake_say_losses(&dict, report->notes);
    tacho_dict_deinit(&dict);
    return status;
}

/* The output is written even where tables cannot be shown. */
static tacho_status write_report(const tacho_profile_report *report)
{
    const tacho_intake_input input = {.path = report->capture_path};
    report_writer writer = {.report = report, .intake = {.inputs = &input, .input_count = 1}};
    tacho_status shown = write_tables_of(&writer);
    tacho_status more =
        report->make_more != NULL ? report->make_more(report->maker, report) : TACHO_OK;
    tacho_status status = tacho_status_first(more, write_output(report));
    bool is_done = status == TACHO_OK && (shown == TACHO_OK || report->trace_sink != NULL);
    if (is_done) {
        unlink(report->capture_path); /* not there where it has another name by now */
    }
    status = tacho_status_first(shown, status);
    if (status == TACHO_OK && !report->is_quiet) {
        say_summary(report, writer.has_ops);
    }
    if (status == TACHO_OK) {
        say_ways(report); /* losses are shown in any case */
    }
    if (status == TACHO_OK && !report->is_quiet) {
        say_uninstrumented(report);
        say_limits(report->result, report->notes);
    }
    say_missing(report->result, report->notes);
    return status;
}

static void say_wrote(const tacho_profile_report *report)
{
    uint64_t count = report->result->stored_count;
    if (report->output_path == NULL || report->is_quiet) {
        return;
    }
    if (report->trace_sink != NULL) {
        tacho_note(report->notes, "wrote", "%s: %" PRIu64 " event%s", report->output_path, count,
                   count == 1 ? "" : "s");
    } else {
        tacho_note(report->notes, "wrote", "%s", report->output_path);
    }
}

tacho_status tacho_profile_report_run(const tacho_profile_report *report)
{
    tacho_wrapper_result result = *report->result;
    tacho_profile_report counted = *report;
    counted.result = &result;
    if (result.store_error != TACHO_OK) {
        count_stored(report, &result);
    }
    say_unstored(&counted);
    if (result.store_error != TACHO_OK && result.stored_count == 0) {
        unlink(report->capture_path);
        return tacho_fail(TACHO_CODE_IO, "nothing could be stored, so there is nothing to show");
    }
    TACHO_TRY(write_report(&counted));
    say_wrote(&counted);
    return TACHO_OK;
}

bool tacho_profile_report_take_output(tacho_profile_report *report, const char *path)
{
    tacho_str name = tacho_str_from_cstring(path);
    const tacho_table_sink *table = tacho_table_sink_find_suffix(name);
    report->output_path = path;
    report->table_sink = table != &tacho_table_sink_jsonl ? table : NULL; /* .json is Chrome's */
    report->trace_sink = report->table_sink == NULL ? tacho_trace_sink_find_for_path(name) : NULL;
    return report->trace_sink != NULL || report->table_sink != NULL;
}
