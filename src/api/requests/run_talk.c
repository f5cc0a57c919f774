/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress and end of a run.
 */
#include "api/requests/run_talk.h"

#include "api/requests/options.h"
#include "api/requests/file_kind.h"
#include "api/requests/request.h"
#include "session/run_notes.h"

static tacho_status open_session(const tacho_request *given, const tacho_run_job *job,
                                 tacho_run_session *session)
{
    const tacho_run_request *request = job->request;
    tacho_status status = tacho_run_open(session, request);
    if (status == TACHO_OK || !session->module.was_compiled) {
        return status;
    }
    status = tacho_request_note_no_model(given, status, request->path);
    return job->wants != NULL ? tacho_status_add_note(status, "%s %s", request->path, job->wants)
                              : status;
}

static tacho_status run_inferences(tacho_request *given, tacho_run_session *session)
{
    tacho_progress progress;
    tacho_request_begin_progress(given, "running", "inferences", &progress);
    tacho_status status = tacho_run_go(session, &progress);
    tacho_request_end_progress(given);
    tacho_run_say_end(session);
    return status;
}

int tacho_run_talk(tacho_request *given, const tacho_run_job *job)
{
    tacho_run_session session;
    bool is_lossy = false;
    tacho_status status = open_session(given, job, &session);
    if (status == TACHO_OK) {
        status = job->check(job->self, &session);
    }
    if (status == TACHO_OK) {
        tacho_run_say_device(&session);
        status = run_inferences(given, &session);
    }
    if (status == TACHO_OK) {
        status = job->finish(job->self, &session, &is_lossy);
    }
    int outcome = status != TACHO_OK       ? tacho_request_fail(given, status)
                  : session.is_interrupted ? TACHO_OUTCOME_INTERRUPTED
                  : is_lossy               ? TACHO_OUTCOME_LOSSY
                                           : TACHO_OUTCOME_DONE;
    tacho_run_close(&session);
    return outcome;
}
