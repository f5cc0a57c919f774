/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The QPC container, version 0.1: named segments of bytes in one file, as compilers for Qualcomm
 * Cloud AI 100 write them and tacho does.
 *
 * All numbers are little-endian. A header of 40 bytes (magic, version 0.1, form, size of the file,
 * base, number of segments, pointer to the table), a table of 32 bytes per segment (size, offset,
 * pointers to name and data), names that end in NUL, data. Pointers have |base| added, which is
 * whatever address the writer's memory had; our writer uses 0. The offset of `constants.bin` is the
 * size of its static part; that of others is 0.
 *
 * The reader trusts nothing: header, table, names and data must be inside the file, apart from one
 * another. Names of segments do not matter to it.
 */
#ifndef TACHO_PROGRAM_QPC_H
#define TACHO_PROGRAM_QPC_H

#include "base/arena.h"
#include "base/output.h"

#define TACHO_QPC_MARK "\x7c\xcd\xa1"

enum {
    TACHO_QPC_MAGIC = 0x00a1cd7c, /* TACHO_QPC_MARK and a zero */
    TACHO_QPC_SEGMENTS_MAX = 4096,
    TACHO_QPC_NAME_MAX = 4096, /* bytes, with the NUL */
};

typedef struct tacho_qpc_segment {
    tacho_str name;
    uint64_t offset; /* the field of that name, not a place */
    uint64_t place;  /* of its data in the file; writers choose it themselves */
    uint32_t crc32c; /* of its data, for the seal: set by writers */
    tacho_str data;
} tacho_qpc_segment;

typedef struct tacho_qpc {
    tacho_str bytes; /* the whole file */
    uint64_t base;
    const tacho_qpc_segment *segments;
    size_t segment_count;
} tacho_qpc;

/* Whether |head| is the start of a container. */
bool tacho_qpc_is_container(tacho_str head);

/* Reads the container |bytes|, which must outlive |out_qpc|. */
tacho_status tacho_qpc_read(tacho_str bytes, tacho_arena *arena, tacho_qpc *out_qpc) TACHO_MUST_USE;

/* The same; failures begin with |path|. */
tacho_status tacho_qpc_read_named(const char *path, tacho_str bytes, tacho_arena *arena,
                                  tacho_qpc *out_qpc) TACHO_MUST_USE;

/* The segment called |name|, or NULL. */
const tacho_qpc_segment *tacho_qpc_find(const tacho_qpc *qpc, tacho_str name);

/*
 * Makes the head, before the first data: header, table and names, for segments of these names,
 * sizes and offsets. Their data need not exist yet.
 */
tacho_status tacho_qpc_make_head(const tacho_qpc_segment *segments, size_t segment_count,
                                 tacho_arena *arena, tacho_str *out_head) TACHO_MUST_USE;

/*
 * Writes the data of segments that follow byte |at| of the container: the end of the head that
 * tacho_qpc_make_head made of all segments, or of the data of earlier segments.
 */
void tacho_qpc_write(const tacho_qpc_segment *segments, size_t segment_count, uint64_t at,
                     tacho_output *output);

#endif
