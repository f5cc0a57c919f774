/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing ZIP archives, such as workbooks. Entries are compressed into an unnamed temporary file as
 * they are added and copied to an output at the end, so memory use does not depend on their size.
 * Equal entries give equal bytes: every date is the same. Every write is checked: a full disk is a
 * failure.
 */
#ifndef TACHO_CODEC_ZIP_H
#define TACHO_CODEC_ZIP_H

#include "base/output.h"
#include "base/tempfile.h"

#include <zlib.h>

typedef struct tacho_zip_entry {
    const char *name; /* borrowed */
    uint64_t offset;  /* of its header */
    uint64_t packed_bytes, plain_bytes;
    uint32_t crc;
    uint16_t flags;
} tacho_zip_entry;

typedef struct tacho_zip {
    tacho_tempfile file;
    z_stream stream;
    bool has_stream;
    tacho_zip_entry *entries; /* the last one may be open */
    size_t entry_count, entry_capacity;
} tacho_zip;

tacho_status tacho_zip_open(tacho_zip *out_zip) TACHO_MUST_USE;

/* Begins an entry; |name| must live as long as the archive. Ends with tacho_zip_end. */
tacho_status tacho_zip_begin(tacho_zip *zip, const char *name) TACHO_MUST_USE;
tacho_status tacho_zip_write(tacho_zip *zip, tacho_str bytes) TACHO_MUST_USE;
tacho_status tacho_zip_end(tacho_zip *zip) TACHO_MUST_USE;

/* A whole entry, with its sizes in front, as readers need that look at the first entries only. */
tacho_status tacho_zip_add(tacho_zip *zip, const char *name, tacho_str bytes) TACHO_MUST_USE;

/* Writes the directory and sends all of it to |output|. */
tacho_status tacho_zip_finish(tacho_zip *zip, tacho_output *output) TACHO_MUST_USE;

/* Call it even if opening failed. */
void tacho_zip_close(tacho_zip *zip);

#endif
