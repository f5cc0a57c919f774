/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run has recorded, as tables and as a trace.
 */
#include "api/entry.h"
#include "api/view_files.h"
#include "api/runner.h"
#include "api/tables.h"
#include "estimates/compare.h"
#include "estimates/run_tables.h"
#include "base/input.h"
#include "program/stats_records.h"
#include "session/run_profile.h"
#include "session/run_file.h"
#include "session/run_tables.h"
#include "vendors/torq/run_files.h"
#include "estimates/estimates.h"

static tacho_status add_recorded(const tacho_runner *self, const tacho_recording *recording,
                                 const tacho_run_profile *first, tacho_tables *tables)
{
    tacho_table table = {0};
    const tacho_run_ops_choice all = {.top = 0};
    tacho_status status = tacho_run_overview_table(&self->session, first, &table);
    TACHO_TRY(tacho_tables_add(tables, status, &table, recording->path));
    status = tacho_run_ops_table(&self->session, first, &all, &table);
    TACHO_TRY(tacho_tables_add(tables, status, &table, recording->path));
    const tacho_compare_options options = {.notes = NULL};
    tacho_tables_target target = {.tables = tables, .input = recording->path};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    return tacho_analysis_compare.make(recording, &options, &taker);
}

/* Tables of operators, where there are any. */
static tacho_status add_operators(const tacho_runner *self, const tacho_recording *recording,
                                  tacho_tables *tables)
{
    tacho_run_profile first;
    bool has_operators = recording->program->facts.stats.level >= TACHO_STATS_LEVEL_OPS;
    if (!has_operators || recording->device.has_no_times || recording->sample_count == 0) {
        return TACHO_OK;
    }
    tacho_status status = tacho_run_profile_init(&first, &self->session);
    if (status == TACHO_OK) {
        status = add_recorded(self, recording, &first, tables);
    }
    tacho_run_profile_deinit(&first);
    return status;
}

static tacho_status add_tables(const tacho_runner *self, tacho_tables *tables)
{
    const tacho_recording recording = tacho_run_recording(&self->session);
    const tacho_run_tables_options options = {.is_for_people = false};
    tacho_tables_target target = {.tables = tables, .input = recording.path};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    TACHO_TRY(tacho_analysis_run.make(&recording, &options, &taker));
    /* A device may not tell when blocks ran: "cpu" measures operators. */
    bool has_blocks =
        self->session.sample_count > 0 && self->session.samples[0].result.block_count > 0;
    if (has_blocks && !recording.device.has_no_times) {
        TACHO_TRY(tacho_analysis_blocks.make(&recording, NULL, &taker));
    }
    return add_operators(self, &recording, tables);
}

tacho_status tacho_runner_tables(tacho_runner *runner, tacho_tables **out_tables)
{
    tacho_tables *tables = NULL;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_runner_check_run(runner));
    TACHO_TRY(tacho_tables_create(&tables));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = add_tables(runner, tables);
    tacho_entry_end(entry);
    return tacho_tables_finish(tables, status, out_tables);
}

tacho_status tacho_runner_write_profile(const tacho_runner *runner, const char *path,
                                        const char *format)
{
    tacho_run_profile_file file = {.path = path};
    TACHO_TRY(tacho_runner_check_run(runner));
    file.format = format != NULL ? tacho_run_torq_format_find(format) : NULL;
    if (file.format != NULL && path != NULL) {
        TACHO_TRY(tacho_run_torq_check(&runner->session));
    } else {
        TACHO_TRY(tacho_view_sink(format, path, &file.sink));
    }
    if (tacho_input_is_same_file(runner->request.path, path)) {
        return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten", path);
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_run_profile_file_write(&file, &runner->session);
    tacho_entry_end(entry);
    return status;
}
