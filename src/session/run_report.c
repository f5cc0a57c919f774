/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables in the order in which people read them; for programs the same with facts in columns.
 */
#include "session/run_report.h"

#include "estimates/estimates.h"
#include "estimates/compare.h"
#include "estimates/run_tables.h"
#include "session/compile_verdict.h"
#include "sinks/overview_text.h"

enum { WORST_COUNT = 5 };

/* What all steps of a report need. */
typedef struct run_printer {
    const tacho_run_report *options;
    tacho_run_session *session;
    const tacho_run_profile *profile;
    tacho_recording recording;
    tacho_output *output;
    tacho_table_report tables;
    bool is_for_people;
} run_printer;

/* Takes the table over: adds it, unless it is empty, and frees it. */
static tacho_status add(run_printer *self, tacho_status status, tacho_table *table)
{
    if (status == TACHO_OK && table->cell_count > 0) {
        status = tacho_table_report_add(&self->tables, table);
    }
    tacho_table_deinit(table);
    return status;
}

/* The tables of an analysis of what was recorded. */
static tacho_status add_of_recording(run_printer *self, const tacho_analysis *analysis,
                                     const void *options)
{
    const tacho_table_taker taker = {tacho_table_report_take, &self->tables};
    return analysis->make(&self->recording, options, &taker);
}

/* The overview has a sink of its own for people. */
static tacho_status add_overview(run_printer *self)
{
    tacho_table table = {0};
    tacho_status status = tacho_run_overview_table(self->session, self->profile, &table);
    if (status != TACHO_OK || !self->is_for_people || table.cell_count == 0) {
        return add(self, status, &table);
    }
    tacho_output_write_cstring(self->output, "\n");
    status = tacho_table_sink_overview.write(&table, 0, self->output);
    tacho_table_deinit(&table);
    return status;
}

static tacho_status add_operators(run_printer *self)
{
    tacho_table table = {0};
    return add(self, tacho_run_ops_table(self->session, self->profile, &self->options->ops, &table),
               &table);
}

/* What limits an inference: on average, where several were recorded. */
static tacho_status judge_inferences(run_printer *self)
{
    const tacho_table_taker taker = {tacho_table_report_take, &self->tables};
    if (self->session->sample_count < 2) {
        return tacho_session_judge_profile(&self->profile->profile, &taker);
    }
    tacho_run_profile all;
    tacho_status status = tacho_run_profile_init_all(&all, self->session);
    status = status == TACHO_OK ? tacho_session_judge_profile(&all.profile, &taker) : status;
    tacho_run_profile_deinit(&all);
    return status;
}

/* Nothing is said of what is not recorded. */
static tacho_status add_verdict(run_printer *self)
{
    bool is_wanted =
        !self->options->omits_advice && tacho_table_sink_tells_tables(self->options->sink);
    return is_wanted && self->profile->profile.span_count > 0 ? judge_inferences(self) : TACHO_OK;
}

static tacho_status add_all(run_printer *self)
{
    const tacho_run_tables_options shown = {.is_for_people = self->is_for_people};
    const tacho_compare_options compared = {self->is_for_people, WORST_COUNT,
                                            self->session->request->notes};
    TACHO_TRY(add_verdict(self));
    TACHO_TRY(add_of_recording(self, &tacho_analysis_run, &shown));
    if (self->options->has_blocks) {
        TACHO_TRY(add_of_recording(self, &tacho_analysis_blocks, NULL));
    }
    bool has_operators = self->session->module.program.facts.stats.level >= TACHO_STATS_LEVEL_OPS;
    bool has_times = !self->session->device->type->has_no_times;
    if (has_operators && has_times && self->profile->profile.span_count > 0) {
        TACHO_TRY(add_overview(self));
        TACHO_TRY(add_operators(self));
    }
    return self->options->compares ? add_of_recording(self, &tacho_analysis_compare, &compared)
                                   : TACHO_OK;
}

static tacho_status print_tables(run_printer *self)
{
    TACHO_TRY(tacho_table_report_open(&self->tables, self->options->sink, self->output));
    self->tables.keeper = self->options->keeper;
    tacho_status status = add_all(self);
    if (status == TACHO_OK) {
        status = tacho_table_report_finish(&self->tables);
    }
    tacho_table_report_close(&self->tables);
    return status;
}

static tacho_status print_all(run_printer *self)
{
    bool has_values = self->is_for_people || self->options->omits_tables;
    if (has_values) {
        TACHO_TRY(tacho_run_outputs_print(self->options->outputs, self->session, self->output));
    }
    if (self->options->omits_tables) {
        return TACHO_OK;
    }
    tacho_output_write_cstring(self->output, tacho_output_offset(self->output) > 0 ? "\n" : "");
    self->recording = tacho_run_recording(self->session); /* times include that of outputs */
    return print_tables(self);
}

tacho_status tacho_run_report_print(const tacho_run_report *report, tacho_run_session *session,
                                    const tacho_run_profile *profile)
{
    tacho_output output;
    run_printer self = {
        .options = report,
        .session = session,
        .profile = profile,
        .is_for_people = report->sink == &tacho_table_sink_text,
    };
    if (report->keeper != NULL) {
        self.recording = tacho_run_recording(session);
        return report->omits_tables ? TACHO_OK : print_tables(&self);
    }
    TACHO_TRY(tacho_output_open("-", &output));
    self.output = &output;
    tacho_status status = print_all(&self);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}
