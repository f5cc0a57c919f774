/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A temporary file without a name: it disappears with its descriptor, whatever happens.
 */
#ifndef TACHO_BASE_TEMPFILE_H
#define TACHO_BASE_TEMPFILE_H

#include "base/status.h"

#include <stdint.h>

typedef struct tacho_tempfile {
    int fd;
    uint64_t size_bytes;
} tacho_tempfile;

/* Opens one in $TMPDIR, else /var/tmp, else /tmp. */
tacho_status tacho_tempfile_open(tacho_tempfile *out_file) TACHO_MUST_USE;

/* The same with a name, which the caller removes as soon as another library has opened it. */
enum { TACHO_TEMPFILE_NAME_BYTES = 4096 };
tacho_status tacho_tempfile_open_named(tacho_tempfile *out_file,
                                       char out_name[TACHO_TEMPFILE_NAME_BYTES]) TACHO_MUST_USE;
void tacho_tempfile_close(tacho_tempfile *file);

tacho_status tacho_tempfile_append(tacho_tempfile *file, const void *bytes,
                                   size_t len) TACHO_MUST_USE;

/* Replaces |len| bytes at |offset|, which must have been written. */
tacho_status tacho_tempfile_replace(tacho_tempfile *file, uint64_t offset, const void *bytes,
                                    size_t len) TACHO_MUST_USE;

/* Reads exactly |len| bytes at |offset|, which must have been written. */
tacho_status tacho_tempfile_read(const tacho_tempfile *file, uint64_t offset, void *bytes,
                                 size_t len) TACHO_MUST_USE;

#endif
