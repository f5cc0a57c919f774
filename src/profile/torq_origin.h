/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Origin of the times of a runtime CSV. Torq's formats cannot mark times as simulated, and their
 * readers accept no further column or line; so output of a simulated device gets a note beside it:
 *
 *     runtime.csv.origin:  simulated
 *                          bytes 310
 *                          crc32c 1b2c3d4e
 *
 * Size and checksum are those of the CSV: a note beside another file, as when the CSV was written
 * again by something else, is ignored.
 */
#ifndef TACHO_PROFILE_TORQ_ORIGIN_H
#define TACHO_PROFILE_TORQ_ORIGIN_H

#include "base/status.h"
#include "base/str.h"
#include "profile/vocabulary.h"

/* The beginning of a note: a file without it is never replaced by a note. */
#define TORQ_ORIGIN_NOTE_MARK "simulated\nbytes "

enum { TORQ_ORIGIN_NOTE_PATH_MAX = 4096 };

/* Where the note of the CSV at |path| is; false when there can be none. */
bool torq_origin_note_path(tacho_str path, char out_path[TORQ_ORIGIN_NOTE_PATH_MAX]);

/*
 * Writes the note beside the CSV at |path|, which is written whole. A file of another kind and a
 * symbolic link under the note's name stay, and are a failure.
 */
tacho_status torq_origin_note_write(const char *path) TACHO_MUST_USE;

/* Simulated, if the CSV at |path| has a matching note; else measured. Fails when it cannot be
 * read. */
tacho_status torq_origin_note_read(tacho_str path, tacho_origin *out_origin) TACHO_MUST_USE;

#endif
