/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of work on GPUs, as CUPTI hands them over: each becomes an operator of a device.
 */
#ifndef TACHO_CUDA_RECORDS_H
#define TACHO_CUDA_RECORDS_H

#include "cuda/cupti.h"

/* Counts that are reported when the program ends. */
typedef struct tacho_cu_counts {
    uint64_t records; /* of work */
    uint64_t untimed; /* of them without times */
    uint64_t dropped; /* by CUPTI */
    uint64_t overhead_ns;
} tacho_cu_counts;

/* Takes a buffer of records. Buffers are taken one at a time. */
void tacho_cu_take_records(const tacho_cupti *cupti, uint8_t *buffer, size_t size);

/* Records that CUPTI had no room for. */
void tacho_cu_count_dropped(uint64_t count);

/* The counts so far. */
tacho_cu_counts tacho_cu_records_counts(void);

#endif
