/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for NVIDIA's libcupti.so, for computers without a GPU: it has the functions that
 * libtacho-cuda calls, and a device that a test program tells what to do. Records are those of CUDA
 * 13, or of CUDA 12 (STANDIN_VERSION=26 in the environment), and are handed over as CUPTI does it:
 * in buffers that are asked for, by a thread of its own or by whoever asks for a flush.
 *
 *   STANDIN_VERSION    the version that it says it has
 *   STANDIN_REFUSES    the result of the subscription: 39 another profiler was first
 *   STANDIN_LATE       1: the device says what it is behind its first kernel
 *   STANDIN_TELLS      1: a line for each buffer that it sets to 0, on the thread that launches
 *   STANDIN_HOLDER     the name of that profiler, which the newer subscription tells
 *   STANDIN_NO_KERNELS the result of enabling kernels
 *   STANDIN_DROPS      that many records are said to be dropped with the first buffer
 */
#ifndef TACHO_TESTS_CUDA_STANDIN_H
#define TACHO_TESTS_CUDA_STANDIN_H

#include <stdint.h>

/* A piece of work. Its times are in ns of the stand-in's clock; 0 and 0: there are none. */
typedef struct standin_work {
    const char *name; /* of a kernel */
    uint64_t start, end, bytes;
    uint32_t device, stream, correlation, graph;
    uint64_t node;
} standin_work;

/* The number of a call that begins; names are those that CUPTI gives it. */
uint32_t standin_call_begin(const char *name);
void standin_call_end(const char *name, uint32_t correlation);

void standin_kernel(const standin_work *work);
void standin_copy(const standin_work *work);
void standin_set(const standin_work *work);
void standin_graph(const standin_work *work);
void standin_sync(const standin_work *work);
void standin_memory(const standin_work *work, int is_release);
/* A pool of device 0: 1 made, 2 gone, 3 cut. */
void standin_pool(uint64_t address, uint64_t bytes, uint32_t operation);
/* 1 clocks, 2 temperature, 3 power. */
void standin_environment(uint32_t kind, uint32_t first, uint32_t second);
void standin_context(uint32_t context, uint32_t device);
void standin_stream(uint32_t context, uint32_t stream, int32_t priority);
void standin_external(uint32_t correlation, uint64_t id);

/* Hands the full and the begun buffers over, the last first. */
void standin_deliver(void);

uint64_t standin_now(void);

#endif
