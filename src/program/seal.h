/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seal of a container: its segment `segments.crc32c`, by which every damaged byte is noticed.
 *
 * Little-endian: magic "TSEA", u32 version 1, u32 number of segments, u32 CRC32C of the
 * container's head (header, table, names, padding), u64 bytes of the head; then per segment but
 * this one, in the container's order, u32 CRC32C of its name, u32 CRC32C of its data, u64 its
 * size; at the end u32 CRC32C of the seal so far. Padding between segments is zeros.
 */
#ifndef TACHO_PROGRAM_SEAL_H
#define TACHO_PROGRAM_SEAL_H

#include "program/qpc.h"

#define TACHO_SEAL_SEGMENT "segments.crc32c"

typedef enum tacho_seal_state {
    TACHO_SEAL_NONE, /* the seal does not cover the segment */
    TACHO_SEAL_OK,
    TACHO_SEAL_BAD,
} tacho_seal_state;

/* "none", "ok", "bad". */
const char *tacho_seal_state_name(tacho_seal_state state);

/* Bytes of the seal of a container with |segment_count| other segments. */
size_t tacho_seal_bytes(size_t segment_count);

/*
 * The seal of |segments|, all but the seal itself, in a container that starts with |head|. Their
 * checksums are set; their data need not be there any more.
 */
tacho_status tacho_seal_make(tacho_str head, const tacho_qpc_segment *segments,
                             size_t segment_count, tacho_arena *arena,
                             tacho_str *out_seal) TACHO_MUST_USE;

/* The state of each segment by the seal, itself included: NONE for all without a seal. */
tacho_status tacho_seal_states(const tacho_qpc *qpc, tacho_arena *arena,
                               const tacho_seal_state **out_states) TACHO_MUST_USE;

/* Fails unless there is a seal and every byte of the container is as it was sealed. */
tacho_status tacho_seal_check(const tacho_qpc *qpc) TACHO_MUST_USE;

#endif
