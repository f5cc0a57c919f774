/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress and end of a run.
 */
#include "cli/run_talk.h"

#include "cli/command.h"
#include "cli/file_kind.h"
#include "cli/foreign_memory.h"
#include "cli/talk.h"
#include "session/run_notes.h"

static tacho_status open_session(const tacho_run_job *job, tacho_run_session *session)
{
    const tacho_run_request *request = job->request;
    const tacho_device_options *options = &request->device_options;
    if (options->kernels == TACHO_KERNELS_FAST && !options->skips_values) {
        tacho_cli_guard_foreign_memory();
    }
    tacho_status status = tacho_run_open(session, request);
    if (status == TACHO_OK || !session->module.was_compiled) {
        return status;
    }
    status = tacho_cli_note_no_model(status, request->path);
    return job->wants != NULL ? tacho_status_add_note(status, "%s %s", request->path, job->wants)
                              : status;
}

static tacho_status run_inferences(tacho_run_session *session)
{
    tacho_talk_progress talk;
    tacho_progress progress;
    tacho_talk_progress_init(&talk, "running", session->request->is_quiet, &progress);
    talk.unit = "inferences";
    tacho_status status = tacho_run_go(session, &progress);
    tacho_talk_progress_end(&talk);
    tacho_run_say_end(session);
    return status;
}

int tacho_run_talk(const tacho_run_job *job)
{
    tacho_run_session session;
    bool is_lossy = false;
    tacho_status status = open_session(job, &session);
    if (status == TACHO_OK) {
        status = job->check(job->self, &session);
    }
    if (status == TACHO_OK) {
        tacho_run_say_device(&session);
        status = run_inferences(&session);
    }
    if (status == TACHO_OK) {
        status = job->finish(job->self, &session, &is_lossy);
    }
    int exit_code = status != TACHO_OK       ? tacho_talk_failure(status)
                    : session.is_interrupted ? TACHO_EXIT_INTERRUPTED
                    : is_lossy               ? TACHO_EXIT_LOSSY
                                             : TACHO_EXIT_DONE;
    tacho_run_close(&session);
    return exit_code;
}
