/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks, the run, files and tables, and what is said about them.
 */
#include "cli/run_chosen.h"

#include "analyses/compare.h"
#include "cli/run_talk.h"
#include "cli/talk.h"
#include "session/run_notes.h"

static void say_written(const tacho_run_choice *choice, const tacho_run_session *session)
{
    uint32_t level = session->module.program.facts.stats.level;
    tacho_run_say_samples(session, !choice->report.omits_tables);
    tacho_run_say_random(session, true);
    if (choice->has_top && level < TACHO_STATS_LEVEL_OPS) {
        tacho_talk("note", "--top: no operators were recorded: stats level %u, not %u",
                   (unsigned)level, (unsigned)TACHO_STATS_LEVEL_OPS);
    }
    tacho_run_outputs_say(&choice->outputs, session);
    tacho_run_profile_file_say(&choice->profile, session);
    if (choice->profile.path != NULL && choice->profile.sink == NULL) {
        tacho_run_torq_say_origin(session, choice->profile.path);
    }
    tacho_run_say_files(session, choice->request.stats_dir, session->stats_file_count, "raw stats");
}

static tacho_status finish(const tacho_run_choice *choice, tacho_run_session *session,
                           bool *out_is_lossy)
{
    tacho_run_profile profile;
    TACHO_TRY(tacho_run_outputs_write(&choice->outputs, session));
    TACHO_TRY(tacho_run_profile_file_write(&choice->profile, session));
    tacho_status status = tacho_run_profile_init(&profile, session);
    if (status == TACHO_OK) {
        *out_is_lossy = profile.dict.loss_count > 0;
        tacho_talk_losses(&profile.dict);
        status = tacho_run_report_print(&choice->report, session, &profile);
    }
    tacho_run_profile_deinit(&profile);
    if (status == TACHO_OK && !choice->request.is_quiet) {
        say_written(choice, session);
    }
    return status;
}

/* What would be found only at the end is said before anything runs. */
static tacho_status check(const tacho_run_choice *choice, tacho_run_session *session)
{
    uint32_t level = session->module.program.facts.stats.level;
    const char *path =
        choice->profile.sink != NULL ? choice->profile.path : choice->request.stats_dir;
    TACHO_TRY(tacho_run_outputs_check(&choice->outputs, session));
    if (choice->report.compares) {
        TACHO_TRY(tacho_run_compare_check(&session->module.program));
    }
    TACHO_TRY(tacho_run_profile_file_check(&choice->profile, session));
    tacho_run_say_device(session);
    return path == NULL || level >= TACHO_STATS_LEVEL_INFERENCE
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_UNSUPPORTED,
                            "%s: nothing was recorded: the program was compiled with stats level "
                            "%u, at least 40 is needed",
                            path, (unsigned)level);
}

static void write_rescued(void *user)
{
    tacho_run_rescued *rescued = user;
    tacho_run_profile_file_rescue(rescued);
    if (rescued->status != TACHO_OK) {
        tacho_talk_failure(rescued->status);
    }
}

int tacho_run_chosen(const tacho_run_choice *choice)
{
    tacho_run_session session;
    bool is_lossy = false;
    tacho_run_rescued rescued = {&choice->profile, &session, TACHO_OK};
    tacho_status status = tacho_run_talk_open(&session, &choice->request);
    if (status == TACHO_OK) {
        status = check(choice, &session);
    }
    if (status == TACHO_OK) {
        session.rescue.write = choice->profile.path != NULL ? write_rescued : NULL;
        session.rescue.user = &rescued;
        status = tacho_run_talk_go(&session);
    }
    if (status == TACHO_OK) {
        status = finish(choice, &session, &is_lossy);
    }
    return tacho_run_talk_close(&session, status, is_lossy);
}
