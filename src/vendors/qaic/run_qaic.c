/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as Qualcomm's runner does it: a program alone, rates on standard output, files by type.
 */
#include "vendors/qaic/run_qaic.h"

#include "session/run_notes.h"
#include "sinks/table_sink.h"

static tacho_status check(void *self, tacho_run_session *session)
{
    const tacho_qaic_run *runner = self;
    return session->module.was_compiled
               ? tacho_fail(TACHO_CODE_BAD_DATA, "%s: not a program written by qaic-compile",
                            runner->request.path)
               : TACHO_OK;
}

static tacho_status print_performance(const tacho_qaic_run *self, const tacho_run_session *session,
                                      tacho_output *output)
{
    tacho_table table = {0};
    tacho_recording recording = tacho_run_recording(session);
    tacho_status status = tacho_run_qaic_table(&self->files.qaic, &recording, &table);
    if (status == TACHO_OK) {
        status = tacho_table_sink_text_alone.write(&table, 0, output);
    }
    tacho_table_deinit(&table);
    tacho_output_write_cstring(output, "\n");
    tacho_run_qaic_print_line(&recording, output);
    /* Summaries have the vendor's times, with the flush in them: who compares should know. */
    if (self->files.qaic.flush.mean > 0) {
        tacho_note(self->request.notes, "note",
                   "times and rates of the report exclude writing the stats, %.3f us of an "
                   "inference; TotalDuration and summaries include it",
                   self->files.qaic.flush.mean);
    }
    return status;
}

static tacho_status print_all(const tacho_qaic_run *self, const tacho_run_session *session)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open("-", &output));
    tacho_status status = print_performance(self, session, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

static tacho_status finish(void *self, tacho_run_session *session, bool *out_is_lossy)
{
    tacho_qaic_run *runner = self;
    uint32_t level = session->module.program.facts.stats.level;
    (void)out_is_lossy;
    if (tacho_qaic_files_need_stats(&runner->files) && level < TACHO_STATS_LEVEL_INFERENCE) {
        tacho_note(runner->request.notes, "warning",
                   "the program records nothing: it was compiled with stats level %u; at least 40 "
                   "is needed",
                   (unsigned)level);
    }
    TACHO_TRY(tacho_qaic_files_write(&runner->files, session, &runner->arena));
    TACHO_TRY(print_all(runner, session));
    if (!runner->request.is_quiet) {
        tacho_run_say_random(session, false);
        tacho_qaic_files_say(&runner->files, session);
    }
    return TACHO_OK;
}

tacho_run_job tacho_qaic_run_job(tacho_qaic_run *runner)
{
    return (tacho_run_job){&runner->request, "must be a program written by qaic-compile", check,
                           finish, runner};
}
