/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions of machines as files: those that are built in, and this computer's.
 */
#ifndef TACHO_SESSION_MACHINE_FILE_H
#define TACHO_SESSION_MACHINE_FILE_H

#include "base/notes.h"
#include "base/status.h"
#include "base/str.h"

/*
 * Writes the description of a machine that is built in, as it is, or of this computer as it was
 * measured, to |path|; "-" is standard output.
 */
tacho_status tacho_machine_file_export(const char *name, const tacho_notes *notes,
                                       const char *path) TACHO_MUST_USE;

/* Measures this computer, which takes a second or two, and writes its description to |path|. */
tacho_status tacho_machine_file_calibrate(const char *path) TACHO_MUST_USE;

/* Writes a description. */
tacho_status tacho_machine_file_write(const char *path, tacho_str text) TACHO_MUST_USE;

#endif
