/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that a person named.
 */
#ifndef TACHO_SESSION_FIND_MACHINE_H
#define TACHO_SESSION_FIND_MACHINE_H

#include "base/notes.h"
#include "machine/machine.h"

/* As tacho_machine_find, but what is neither is told which machines there are. */
tacho_status tacho_session_find_machine(const char *name_or_path, const tacho_notes *notes,
                                        tacho_arena *arena,
                                        tacho_machine **out_machine) TACHO_MUST_USE;

#endif
