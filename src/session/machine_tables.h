/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines as tables: which there are, and all that is known of one.
 */
#ifndef TACHO_SESSION_MACHINE_TABLES_H
#define TACHO_SESSION_MACHINE_TABLES_H

#include "base/notes.h"
#include "table/table.h"

/* One row per machine that is built in. Nothing is measured. Call deinit even after a failure. */
tacho_status tacho_machine_list_table(const tacho_notes *notes,
                                      tacho_table *out_table) TACHO_MUST_USE;

/* One row per thing that the description of the machine says. Call deinit even after a failure. */
tacho_status tacho_machine_show_table(const char *name_or_path, const tacho_notes *notes,
                                      tacho_table *out_table) TACHO_MUST_USE;

#endif
