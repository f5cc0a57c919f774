/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of CUPTI other than work: devices, contexts, streams, memory, clocks and power. One
 * thread at a time calls these functions.
 */
#ifndef TACHO_CUDA_FACTS_H
#define TACHO_CUDA_FACTS_H

#include "cuda/abi.h"

enum { TACHO_CU_DEVICES_MAX = 32, TACHO_CU_NAME_ROOM = 96 };

/* The known facts of a device; the numbers are those of a multiprocessor, 0: unknown. */
typedef struct tacho_cu_device {
    char name[TACHO_CU_NAME_ROOM]; /* "": unknown */
    uint32_t warp_threads, warps, blocks, shared_bytes, registers;
} tacho_cu_device;

/* Never NULL: a device without a record has no facts. */
const tacho_cu_device *tacho_cu_find_device(uint32_t id);

/* Work of |context| ran on |device|. */
void tacho_cu_see_context(uint32_t context, uint32_t device);

/* The device of a context; 0 where it has done no work yet. */
uint32_t tacho_cu_context_device(uint32_t context);

/* The priority that the program gave the stream; 0, the default, if none. */
int32_t tacho_cu_stream_priority(uint32_t context, uint32_t stream);

/* Takes a record; records of other kinds are ignored. */
void tacho_cu_take_fact(const uint8_t *record);

#endif
