/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices: the parts of a network that its devices run, one each. A network of several devices is
 * described, and recorded, slice by slice; `NETWORK_sliceNN` is the name of such a part.
 */
#ifndef TACHO_PROGRAM_SLICE_H
#define TACHO_PROGRAM_SLICE_H

#include "program/program.h"

enum { TACHO_SLICE_NAME_MAX = 440 };

typedef struct tacho_slice {
    uint32_t device;
    char name[TACHO_SLICE_NAME_MAX]; /* begins as the network's does; its own where it has one */
    uint32_t *inputs;                /* of the network, by place in its list, in order */
    size_t input_count, input_capacity;
    uint32_t *outputs;
    size_t output_count, output_capacity;
    size_t op_count, job_count;
    uint64_t link_bytes;  /* from other devices */
    int64_t start, end;   /* of its jobs: the compiler's timeline */
    uint64_t stats_bytes; /* of its device's record buffer */
} tacho_slice;

/* The name of the part of |network| on |device|, one of |device_count|. */
void tacho_slice_name(tacho_str network, uint32_t device, uint32_t device_count,
                      char out_name[TACHO_SLICE_NAME_MAX]);

/* How many |program| has: one for each device. */
uint32_t tacho_slice_count(const tacho_program *program);

/*
 * The slices of |program|, which has been checked. An input belongs to every slice that reads it,
 * an output to the one that makes it; unused tensors belong to the first. The caller frees
 * them, after a failure, too.
 */
tacho_status tacho_slices_create(const tacho_program *program,
                                 tacho_slice **out_slices) TACHO_MUST_USE;
void tacho_slices_free(const tacho_program *program, tacho_slice *slices);

#endif
