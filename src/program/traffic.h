/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that jobs read from, and write to, the shared memory of a device. This is the one place
 * that defines them: estimates, metrics, recorded traffic and the simulation's tests use it.
 *
 *     load    reads; data that several cores receive at once is read once: each counts a share
 *     store   writes
 *     p2p     reads the memory of the source device, and writes that of its own.
 *             The first core of either device counts it
 */
#ifndef TACHO_PROGRAM_TRAFFIC_H
#define TACHO_PROGRAM_TRAFFIC_H

#include "program/program.h"

enum { TACHO_TRAFFIC_CASTS_MAX = 16 };

/* While the jobs of a program are gone through in order; zeros to begin with. */
typedef struct tacho_traffic {
    struct {
        uint32_t readers; /* 0: free */
        uint32_t rest;    /* bytes x 1/readers that no core has counted yet */
    } casts[TACHO_TRAFFIC_CASTS_MAX];
} tacho_traffic;

/*
 * Bytes that |job| reads, P2P included. Shares are rounded so that their sum over all jobs with as
 * many readers is exact.
 */
uint64_t tacho_traffic_read(tacho_traffic *traffic, const tacho_job *job);

/* Bytes that |job| writes to the memory of its own device. */
uint64_t tacho_traffic_written(const tacho_job *job);

/* Where a read is counted: the core's place among those of all devices. */
size_t tacho_traffic_reader(const tacho_program *program, const tacho_job *job);

#endif
