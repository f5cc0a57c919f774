/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines and places of Torq's files.
 */
#include "session/torq.h"

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
