/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes of a run. A quiet run says only warnings and losses.
 */
#include "session/run_notes.h"

#include <inttypes.h>
#include <stdio.h>

void tacho_run_say_device(const tacho_run_session *session)
{
    const tacho_notes *notes = session->request->notes;
    if (session->request->is_quiet || session->device == NULL) {
        return;
    }
    const char *missing = tacho_device_missing(session->device);
    if (session->device->type->has_no_times) {
        tacho_note(notes, "note", "no times: the null device runs nothing");
    } else if (session->device->type->is_simulated) {
        tacho_note(notes, "note", "times are simulated and not representative of hardware");
    }
    if (missing != NULL) {
        tacho_note(notes, "note", "%s", missing);
    }
}

void tacho_run_say_weights(const tacho_run_session *session)
{
    const tacho_run_request *request = session->request;
    const tacho_model_options *model = &request->compile.model;
    bool was_asked =
        session->module.was_compiled && (model->has_random_weights || model->has_zero_weights);
    char text[TACHO_PROGRAM_STAND_INS_MAX];
    if (!tacho_program_print_stand_ins(&session->module.program, text) ||
        (was_asked && request->is_quiet)) {
        return;
    }
    tacho_note(request->notes, was_asked ? "note" : "warning", "%.200s: made-up weights: %s%s",
               request->path, text,
               tacho_device_has_values(session->device) ? "; outputs are not those of the model"
                                                        : "");
}

void tacho_run_say_end(const tacho_run_session *session)
{
    const tacho_run_request *request = session->request;
    uint64_t count = session->totals.recorded_count;
    if (session->is_interrupted) {
        tacho_note(request->notes, "note", "interrupted; recorded data is kept");
    }
    if (session->is_late && !request->is_quiet) {
        tacho_note(request->notes, "note",
                   "the delay of %" PRId64 " ms never passed; the last %" PRIu64
                   " inference%s recorded",
                   request->sampling.delay_ms, count, count == 1 ? " was" : "s were");
    }
}

void tacho_run_say_random(const tacho_run_session *session, bool hints)
{
    char seed[32];
    size_t count = session->inputs.random_count;
    if (count == 0) {
        return;
    }
    snprintf(seed, sizeof(seed), "%" PRIu64, session->request->seed);
    const tacho_hint hint = {hints ? TACHO_HINT_SEED : TACHO_HINT_NONE, seed};
    tacho_note_hint(session->request->notes, hint, "note", "%zu input%s not given: seeded random",
                    count, count == 1 ? " was" : "s were");
}

void tacho_run_say_samples(const tacho_run_session *session, bool has_tables)
{
    const tacho_run_request *request = session->request;
    uint64_t recorded = session->totals.recorded_count;
    bool can_record = session->module.program.facts.stats.level >= TACHO_STATS_LEVEL_INFERENCE;
    if (session->sample_count < recorded && has_tables) {
        tacho_note(request->notes, "note",
                   "operators are those of the first %zu of %" PRIu64 " recorded inferences",
                   session->sample_count, recorded);
    }
    if (recorded < request->sampling.count && !session->is_interrupted && can_record) {
        tacho_note_hint(request->notes, (tacho_hint){TACHO_HINT_MORE_INFERENCES, ""}, "note",
                        "%" PRIu64 " of %" PRIu64 " samples: %" PRIu64
                        " iteration%s from number %" PRIu64 " on",
                        recorded, request->sampling.count, request->iterations,
                        request->iterations == 1 ? "" : "s", request->sampling.start);
    }
}

void tacho_run_say_files(const tacho_run_session *session, const char *folder, uint64_t count,
                         const char *what)
{
    if (count > 0) {
        tacho_note(session->request->notes, "wrote", "%s: %" PRIu64 " file%s of %s", folder, count,
                   count == 1 ? "" : "s", what);
    }
}
