/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of this computer's processor, one at a time, through perf_event_open(2): of this thread
 * and those that it starts later, in user space.
 */
#ifndef TACHO_BASE_PERF_H
#define TACHO_BASE_PERF_H

#include <stdint.h>

/* A file of the counter of raw event |code|, stopped at 0; below 0: -errno. Close it with close. */
int tacho_perf_open(uint64_t code);
void tacho_perf_close(int file);

/* From 0 on. */
void tacho_perf_start(int file);

/* Stops it; the count. */
uint64_t tacho_perf_stop(int file);

#endif
