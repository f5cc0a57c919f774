/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The note beside a CSV, written and compared.
 */
#include "sources/torq/origin_note.h"

#include "base/mapping.h"
#include "base/output.h"
#include "codec/crc32c.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

enum { PATH_MAX_BYTES = 4096, NOTE_BYTES_MAX = 128 };

/* What the note says of |bytes|. */
static int print_note(tacho_str bytes, char *text, size_t size)
{
    return snprintf(text, size, "simulated\nbytes %zu\ncrc32c %08" PRIx32 "\n", bytes.len,
                    tacho_crc32c(0, bytes));
}

static bool name_note(tacho_str path, char *name, size_t size)
{
    int used = snprintf(name, size, "%.*s.origin", TACHO_STR_ARG(path));
    return used > 0 && (size_t)used < size;
}

/* Whatever is no file of its own, such as a pipe or a terminal, has nothing beside it. */
static bool is_regular(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

tacho_status torq_origin_note_write(const char *path)
{
    char name[PATH_MAX_BYTES];
    char text[NOTE_BYTES_MAX];
    tacho_mappings mappings = {0};
    tacho_str bytes;
    if (!is_regular(path) || !name_note(tacho_str_from_cstring(path), name, sizeof(name))) {
        return TACHO_OK;
    }
    tacho_status status = tacho_mappings_open(&mappings, path, &bytes);
    if (status == TACHO_OK) {
        print_note(bytes, text, sizeof(text));
    }
    tacho_mappings_close(&mappings);
    TACHO_TRY(status);
    tacho_output output;
    TACHO_TRY(tacho_output_open(name, &output));
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

tacho_origin torq_origin_note_read(tacho_str path)
{
    char name[PATH_MAX_BYTES];
    char whole[PATH_MAX_BYTES];
    bool is_same = false;
    if (path.len > 0 && path.len < sizeof(whole) && name_note(path, name, sizeof(name)) &&
        is_regular(name)) {
        memcpy(whole, path.data, path.len);
        whole[path.len] = '\0';
        tacho_status_free(is_regular(whole) ? compare(whole, name, &is_same) : TACHO_OK);
    }
    return is_same ? TACHO_ORIGIN_SIMULATED : TACHO_ORIGIN_MEASURED;
}
