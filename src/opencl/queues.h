/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues and their devices. Every queue is made with profiling on; a program that did not ask for
 * it sees it as off.
 */
#ifndef TACHO_OPENCL_QUEUES_H
#define TACHO_OPENCL_QUEUES_H

#include "opencl/layer.h"

enum { TACHO_CL_DEVICES_MAX = 64, TACHO_CL_NAME_MAX = 128, TACHO_CL_PROPERTIES_MAX = 32 };

/* A queue, as the program made it. */
typedef struct tacho_cl_queue {
    tacho_cl_handle handle;
    uint32_t device; /* its number; TACHO_CL_DEVICES_MAX: there are too many */
    uint32_t number; /* among the queues of the device, from 1 on */
    bool is_timed;   /* its commands have times ... */
    bool is_secret;  /* ... which the program did not ask for */
    bool has_array;  /* made with a list of properties: */
    uint64_t properties[TACHO_CL_PROPERTIES_MAX];
    size_t property_count; /* with the 0 at its end; 0: NULL */
} tacho_cl_queue;

/* The known facts of |handle|; a queue that was not made by our wrappers is added. */
tacho_cl_queue tacho_cl_queue_find(tacho_cl_handle handle);

/* Times of a command in ns: of the device's clock, and on the host around the call. */
typedef struct tacho_cl_times {
    uint64_t queued, submit, start, end;
    uint64_t before, after, seen; /* |seen|: when it was known to have ended */
} tacho_cl_times;

/*
 * Tells the collector, in this thread's stream, how the clock of |device| goes. A command was
 * queued while the call lasted, and had ended when it was seen: that bounds the difference of both
 * clocks, and follows their drift.
 */
void tacho_cl_device_say_clock(uint32_t device, const tacho_cl_times *times);

#endif
