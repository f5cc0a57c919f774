/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The container: a file is a run of packets, each with its length; some packets are compressed runs
 * of packets themselves. Files may be concatenated with cat.
 *
 * Where lengths no longer make sense, reading resumes after the next synchronization marker.
 */
#ifndef TACHO_SOURCES_PERFETTO_CONTAINER_H
#define TACHO_SOURCES_PERFETTO_CONTAINER_H

#include "base/input.h"

typedef enum pfr_found {
    PFR_FOUND_PACKET,
    PFR_FOUND_END,
    PFR_FOUND_CUT,       /* the input ends inside a packet */
    PFR_FOUND_DAMAGE,    /* invalid lengths; reading resumes after a marker */
    PFR_FOUND_TOO_LARGE, /* a packet that was skipped */
} pfr_found;

typedef struct pfr_container {
    tacho_input *input;
    uint64_t offset; /* of the packet found last, in the decompressed stream */
    /* Packets from a compressed one: [inner_at, inner_len) of |inner| are left. */
    unsigned char *inner;
    size_t inner_capacity;
    size_t inner_at;
    size_t inner_len;
    bool inner_is_cut; /* its end is missing, which was reported */
    bool is_given_up;  /* the input may be endless, and no packet was found */
} pfr_container;

void pfr_container_init(pfr_container *container, tacho_input *input);
void pfr_container_deinit(pfr_container *container);

/* The next packet; valid until the next call. */
tacho_status pfr_container_next(pfr_container *container, tacho_str *out_packet,
                                pfr_found *out_found) TACHO_MUST_USE;

/* Whether packets of a compressed one are being read: those may not be compressed again. */
static inline bool pfr_container_is_inside(const pfr_container *container)
{
    return container->inner_len > 0;
}

/*
 * Decompresses |bytes|; the next packets are read from the result. |*out_whole| is false when the
 * stream is damaged or too large; packets before that are read all the same.
 */
tacho_status pfr_container_enter(pfr_container *container, tacho_str bytes, bool is_zlib,
                                 bool *out_whole) TACHO_MUST_USE;

#endif
