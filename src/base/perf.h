/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of this computer's processor, one at a time, through perf_event_open(2): of this thread
 * and those that it starts later, in user space.
 */
#ifndef TACHO_BASE_PERF_H
#define TACHO_BASE_PERF_H

#include <stdint.h>

/*
 * A file of the counter of event |code|, stopped at 0; below 0: -errno. Close it with close. Codes
 * below TACHO_PERF_RAW are the kernel's generic events (perf_hw_id of linux/perf_event.h), which
 * every processor has under another code of its own; all others are raw codes of the processor.
 */
enum { TACHO_PERF_RAW = 0x10 };
int tacho_perf_open(uint64_t code);
void tacho_perf_close(int file);

/* From 0 on. */
void tacho_perf_start(int file);

/* The count so far. */
uint64_t tacho_perf_read(int file);

/* Stops it; the count. */
uint64_t tacho_perf_stop(int file);

#endif
