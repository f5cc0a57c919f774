/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory a network needs while its operators run one after the other.
 */
#ifndef TACHO_COMPILE_LIVE_BYTES_H
#define TACHO_COMPILE_LIVE_BYTES_H

#include "compile/fuse.h"
#include "machine/machine.h"

/* Bytes as the machine keeps them; sums that do not fit stay at the greatest. */
typedef struct tacho_live_bytes {
    uint64_t constants; /* each once */
    uint64_t interface; /* inputs and outputs of the network, which stay for the whole run */
    uint64_t peak;      /* of all other results that are still needed, where most are */
} tacho_live_bytes;

/* |compute|: the type that real numbers are stored in, or NONE. |factor| inferences run as one. */
tacho_status tacho_live_bytes_find(const tacho_fusion *fusion, const tacho_machine *machine,
                                   tacho_dtype compute, uint64_t factor,
                                   tacho_live_bytes *out) TACHO_MUST_USE;

/* All of them. */
uint64_t tacho_live_bytes_sum(const tacho_live_bytes *bytes);

#endif
