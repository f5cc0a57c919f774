/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The note beside a CSV, written and compared.
 */
#include "profile/torq_origin.h"

#include "base/folder.h"
#include "base/mapping.h"
#include "base/output.h"
#include "codec/crc32c.h"

#include <inttypes.h>
#include <stdio.h>

enum { NOTE_BYTES_MAX = 128 };

/* Writes the note for |bytes|. */
static int print_note(tacho_str bytes, char *text, size_t size)
{
    return snprintf(text, size, TORQ_ORIGIN_NOTE_MARK "%zu\ncrc32c %08" PRIx32 "\n", bytes.len,
                    tacho_crc32c(0, bytes));
}

bool torq_origin_note_path(tacho_str path, char out_path[TORQ_ORIGIN_NOTE_PATH_MAX])
{
    int used = snprintf(out_path, TORQ_ORIGIN_NOTE_PATH_MAX, "%.*s.origin", TACHO_STR_ARG(path));
    return used > 0 && used < TORQ_ORIGIN_NOTE_PATH_MAX;
}

/* Writes a note for regular files only: a pipe or a terminal has no neighbours. */
tacho_status torq_origin_note_write(const char *path)
{
    char name[TORQ_ORIGIN_NOTE_PATH_MAX];
    char text[NOTE_BYTES_MAX];
    tacho_mappings mappings = {0};
    tacho_str bytes;
    if (!tacho_path_is_file(path) || !torq_origin_note_path(tacho_str_from_cstring(path), name)) {
        return TACHO_OK;
    }
    tacho_status status = tacho_mappings_open(&mappings, path, &bytes);
    if (status == TACHO_OK) {
        print_note(bytes, text, sizeof(text));
    }
    tacho_mappings_close(&mappings);
    TACHO_TRY(status);
    tacho_output output;
    TACHO_TRY(tacho_output_open_chosen(name, TORQ_ORIGIN_NOTE_MARK, &output));
    tacho_output_write_cstring(&output, text);
    status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}

/* Whether both can be read, and the note is about these bytes. */
static tacho_status compare(const char *path, const char *name, bool *out_is_same)
{
    tacho_mappings mappings = {0};
    tacho_str note;
    tacho_str bytes;
    char text[NOTE_BYTES_MAX];
    *out_is_same = false;
    tacho_status status = tacho_mappings_open(&mappings, name, &note);
    if (status == TACHO_OK && note.len < NOTE_BYTES_MAX) {
        status = tacho_mappings_open(&mappings, path, &bytes);
        if (status == TACHO_OK) {
            int len = print_note(bytes, text, sizeof(text));
            *out_is_same = tacho_str_equal(note, tacho_str_make(text, (size_t)len));
        }
    }
    tacho_mappings_close(&mappings);
    return status;
}

tacho_status torq_origin_note_read(tacho_str path, tacho_origin *out_origin)
{
    char name[TORQ_ORIGIN_NOTE_PATH_MAX];
    char whole[TORQ_ORIGIN_NOTE_PATH_MAX];
    bool is_same = false;
    if (path.len > 0 && path.len < sizeof(whole) && torq_origin_note_path(path, name) &&
        tacho_path_is_file(name)) {
        memcpy(whole, path.data, path.len);
        whole[path.len] = '\0';
        TACHO_TRY(tacho_path_is_file(whole) ? compare(whole, name, &is_same) : TACHO_OK);
    }
    *out_origin = is_same ? TACHO_ORIGIN_SIMULATED : TACHO_ORIGIN_MEASURED;
    return TACHO_OK;
}
