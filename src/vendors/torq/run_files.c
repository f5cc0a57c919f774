/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines and places of Torq's files, and the formats.
 */
#include "vendors/torq/run_files.h"

#include "device/program_machine.h"
#include "profile/torq_origin.h"

tacho_status tacho_run_torq_check_output(tacho_run_session *session, const char *path)
{
    char note[TORQ_ORIGIN_NOTE_PATH_MAX];
    tacho_str kept;
    TACHO_TRY(tacho_run_check_output(session, path));
    if (path == NULL || !session->device->type->is_simulated ||
        !tacho_output_is_replaceable(path) ||
        !torq_origin_note_path(tacho_str_from_cstring(path), note)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_copy(&session->arena, tacho_str_from_cstring(note), &kept));
    return tacho_run_check_chosen_output(session, kept.data, TORQ_ORIGIN_NOTE_MARK);
}

tacho_status tacho_run_torq_check(const tacho_run_session *session)
{
    tacho_arena arena;
    tacho_machine *machine = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_program_machine(&session->module.program, &arena, &machine);
    if (status == TACHO_OK && !tacho_machine_has_timeline(machine, "torq")) {
        status =
            tacho_fail_hint(TACHO_CODE_USAGE, TACHO_HINT_FORMATS,
                            "r0, r1 and r2 are formats of Torq's runtime, but %s is not a Torq "
                            "machine",
                            machine->name.data);
    }
    tacho_arena_deinit(&arena);
    return status;
}

void tacho_run_torq_say_origin(const tacho_run_session *session, const char *path)
{
    if (!session->device->type->is_simulated) {
        return;
    }
    if (strcmp(path, "-") == 0) {
        tacho_note(session->request->notes, "note",
                   "Torq's formats cannot mark times as simulated; they are read back as measured");
    } else {
        tacho_note(session->request->notes, "note",
                   "Torq's formats cannot mark times as simulated; %s.origin says so, keep it next "
                   "to the file",
                   path);
    }
}

static tacho_status check_file(tacho_run_session *session, const char *path)
{
    TACHO_TRY(tacho_run_torq_check(session));
    return tacho_run_torq_check_output(session, path);
}

static tacho_status write_r0(const tacho_recording *recording, const char *path)
{
    return tacho_run_torq_write_file(recording, TACHO_RUN_R0, path);
}

static tacho_status write_r1(const tacho_recording *recording, const char *path)
{
    return tacho_run_torq_write_file(recording, TACHO_RUN_R1, path);
}

static tacho_status write_r2(const tacho_recording *recording, const char *path)
{
    return tacho_run_torq_write_file(recording, TACHO_RUN_R2, path);
}

const tacho_run_file_format *tacho_run_torq_format_find(const char *name)
{
    static const char sole_note[] = "this format has one, r2 all";
    static const tacho_run_file_format formats[] = {
        [TACHO_RUN_R0] = {check_file, write_r0, sole_note, tacho_run_torq_say_origin},
        [TACHO_RUN_R1] = {check_file, write_r1, sole_note, tacho_run_torq_say_origin},
        [TACHO_RUN_R2] = {check_file, write_r2, NULL, tacho_run_torq_say_origin},
    };
    tacho_run_torq_form form;
    return tacho_run_torq_form_find(name, &form) ? &formats[form] : NULL;
}
