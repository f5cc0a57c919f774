/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine host-cpu: this computer, measured once and kept.
 */
#ifndef TACHO_SESSION_HOST_MACHINE_H
#define TACHO_SESSION_HOST_MACHINE_H

#include "base/notes.h"
#include "machine/machine.h"

/* Whether that is its name. */
bool tacho_is_host_machine(const char *name);

/*
 * Reads what was kept of this computer, processor and number of threads by this version of tacho;
 * measures it, and says so, where there is nothing or it is damaged. What cannot be kept is used
 * all the same. $TACHO_HOST_CPU names a description to take instead, or is "built-in".
 */
tacho_status tacho_host_machine(const tacho_notes *notes, tacho_arena *arena,
                                tacho_machine **out_machine) TACHO_MUST_USE;

/*
 * The same without measuring or writing anything: where nothing is kept, the description that is
 * built in, and |out_is_known| is false.
 */
tacho_status tacho_host_machine_known(tacho_arena *arena, tacho_machine **out_machine,
                                      bool *out_is_known) TACHO_MUST_USE;

#endif
