/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks, files and tables of a run, and what is said about them.
 */
#include "session/run_job.h"

#include "estimates/compare.h"
#include "pipeline/intake_notes.h"
#include "session/run_notes.h"

static void say_written(const tacho_run_whole *whole, const tacho_run_session *session)
{
    uint32_t level = session->module.program.facts.stats.level;
    tacho_run_say_samples(session, !whole->report.omits_tables);
    tacho_run_say_random(session, true);
    if (whole->has_top && level < TACHO_STATS_LEVEL_OPS) {
        tacho_note(whole->request.notes, "note",
                   "no operators to list: stats level %u records none, %u does", (unsigned)level,
                   (unsigned)TACHO_STATS_LEVEL_OPS);
    }
    tacho_run_outputs_say(&whole->outputs, session);
    tacho_run_profile_file_say(&whole->profile, session);
    if (whole->profile.path != NULL && whole->profile.sink == NULL) {
        whole->profile.format->note(session, whole->profile.path);
    }
    tacho_run_say_files(session, whole->request.stats_dir, session->stats_file_count, "raw stats");
}

static tacho_status finish(void *self, tacho_run_session *session, bool *out_is_lossy)
{
    const tacho_run_whole *whole = self;
    tacho_run_profile profile;
    TACHO_TRY(tacho_run_outputs_write(&whole->outputs, session));
    TACHO_TRY(tacho_run_profile_file_write(&whole->profile, session));
    tacho_status status = tacho_run_profile_init(&profile, session);
    if (status == TACHO_OK) {
        *out_is_lossy = profile.dict.loss_count > 0;
        tacho_intake_say_losses(&profile.dict, whole->request.notes);
        status = tacho_run_report_print(&whole->report, session, &profile);
    }
    tacho_run_profile_deinit(&profile);
    if (status == TACHO_OK && !whole->request.is_quiet) {
        say_written(whole, session);
    }
    return status;
}

static void write_rescued(void *user)
{
    tacho_run_rescued *rescued = user;
    tacho_run_profile_file_rescue(rescued);
    if (rescued->status != TACHO_OK) {
        tacho_note(rescued->session->request->notes, "error", "%s",
                   tacho_status_message(rescued->status));
        tacho_status_free(rescued->status);
        rescued->status = TACHO_OK;
    }
}

static tacho_status check(void *self, tacho_run_session *session)
{
    tacho_run_whole *whole = self;
    uint32_t level = session->module.program.facts.stats.level;
    const char *path = whole->profile.sink != NULL ? whole->profile.path : whole->request.stats_dir;
    TACHO_TRY(tacho_run_outputs_check(&whole->outputs, session));
    if (whole->report.compares) {
        TACHO_TRY(tacho_run_compare_check(&session->module.program));
    }
    TACHO_TRY(tacho_run_profile_file_check(&whole->profile, session));
    whole->rescued = (tacho_run_rescued){&whole->profile, session, TACHO_OK};
    session->rescue.write = whole->profile.path != NULL ? write_rescued : NULL;
    session->rescue.user = &whole->rescued;
    return path == NULL || level >= TACHO_STATS_LEVEL_INFERENCE
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_UNSUPPORTED,
                            "%s: nothing was recorded: the program was compiled with stats level "
                            "%u, at least 40 is needed",
                            path, (unsigned)level);
}

tacho_run_job tacho_run_whole_job(tacho_run_whole *whole)
{
    return (tacho_run_job){&whole->request, NULL, check, finish, whole};
}
