/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking, writing and naming it.
 */
#include "session/run_file.h"

#include "session/run_profile.h"
#include "session/run_notes.h"

tacho_status tacho_run_profile_file_check(const tacho_run_profile_file *file,
                                          tacho_run_session *session)
{
    if (file->path == NULL || file->sink != NULL) {
        return tacho_run_check_output(session, file->path);
    }
    return file->format->check(session, file->path);
}

tacho_status tacho_run_profile_file_write(const tacho_run_profile_file *file,
                                          const tacho_run_session *session)
{
    tacho_recording recording = tacho_run_recording(session);
    return file->path == NULL   ? TACHO_OK
           : file->sink != NULL ? tacho_run_profile_write(session, file->sink, file->path)
                                : file->format->write(&recording, file->path);
}

void tacho_run_profile_file_say(const tacho_run_profile_file *file,
                                const tacho_run_session *session)
{
    const tacho_notes *notes = session->request->notes;
    size_t count = session->sample_count;
    if (file->path == NULL) {
        return;
    }
    const char *sole_note = file->sink == NULL ? file->format->sole_note : NULL;
    if (sole_note != NULL && count > 1) {
        tacho_note(notes, "wrote", "%s: the first of %zu recorded inferences; %s", file->path,
                   count, sole_note);
    } else {
        tacho_note(notes, "wrote", "%s: %zu recorded inference%s", file->path, count,
                   count == 1 ? "" : "s");
    }
}

void tacho_run_profile_file_rescue(tacho_run_rescued *rescued)
{
    const tacho_notes *notes = rescued->session->request->notes;
    tacho_note(notes, "note", "interrupted during an inference; only recorded data is written");
    if (rescued->session->sample_count == 0) {
        tacho_note(notes, "note", "nothing was recorded");
        return;
    }
    rescued->status = tacho_run_profile_file_write(rescued->file, rescued->session);
    if (rescued->status == TACHO_OK) {
        tacho_run_profile_file_say(rescued->file, rescued->session);
    }
}
