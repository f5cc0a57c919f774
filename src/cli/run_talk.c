/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress and notes of a run.
 */
#include "cli/run_talk.h"

#include "cli/file_kind.h"
#include "cli/foreign_memory.h"
#include "cli/talk.h"

#include <inttypes.h>
#include <stdio.h>

tacho_status tacho_run_talk_open(tacho_run_session *session, const tacho_run_request *request)
{
    const tacho_device_options *options = &request->device_options;
    if (options->kernels == TACHO_KERNELS_FAST && !options->skips_values) {
        tacho_cli_guard_foreign_memory();
    }
    tacho_status status = tacho_run_open(session, request);
    return session->module.was_compiled ? tacho_cli_note_no_model(status, request->path) : status;
}

tacho_status tacho_run_talk_go(tacho_run_session *session)
{
    const tacho_run_request *request = session->request;
    tacho_talk_progress talk;
    tacho_progress progress;
    tacho_talk_progress_init(&talk, "running", request->is_quiet, &progress);
    talk.unit = "inferences";
    tacho_status status = tacho_run_go(session, &progress);
    tacho_talk_progress_end(&talk);
    if (session->is_interrupted) {
        tacho_talk_line("note", "interrupted; recorded data is kept");
    }
    if (session->is_late && !request->is_quiet) {
        tacho_note(&tacho_talk_notes, "note",
                   "the delay of %" PRId64 " ms never passed; the last %" PRIu64
                   " inference%s recorded",
                   request->sampling.delay_ms, session->totals.recorded_count,
                   session->totals.recorded_count == 1 ? " was" : "s were");
    }
    return status;
}

void tacho_run_say_device(const tacho_run_session *session)
{
    if (session->request->is_quiet) {
        return;
    }
    if (session->device != NULL && session->device->type->has_no_times) {
        tacho_talk_line("note", "no times: the null device runs nothing");
    } else if (session->device != NULL && session->device->type->is_simulated) {
        tacho_talk_line("note", "times are simulated and not representative of hardware");
    }
    const char *missing = session->device != NULL ? tacho_device_missing(session->device) : NULL;
    if (missing != NULL) {
        tacho_talk_line("note", missing);
    }
}

void tacho_run_say_random(const tacho_run_session *session, bool has_seed)
{
    char seed[48] = "";
    if (session->random_inputs == 0) {
        return;
    }
    if (has_seed) {
        snprintf(seed, sizeof(seed), " (--seed %" PRIu64 ")", session->request->seed);
    }
    tacho_note(&tacho_talk_notes, "note", "%zu input%s not given: seeded random%s",
               session->random_inputs, session->random_inputs == 1 ? " was" : "s were", seed);
}

void tacho_run_torq_say_origin(const tacho_run_session *session, const char *path)
{
    if (session->device->type->is_simulated) {
        char text[400];
        snprintf(text, sizeof(text),
                 "Torq's formats cannot mark times as simulated; %.200s.origin says so, keep it "
                 "next to the file",
                 path);
        tacho_talk_line(
            "note",
            strcmp(path, "-") != 0
                ? text
                : "Torq's formats cannot mark times as simulated; they are read back as measured");
    }
}
