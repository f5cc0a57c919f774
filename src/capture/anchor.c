/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wall clock is read between two readings of the other: the closer these are, the better.
 */
#include "capture/anchor.h"

#include <stdlib.h>
#include <time.h>

enum { TRIES = 8, STEP_LEAST_NS = 1000000 };

static int64_t read_clock(clockid_t clock)
{
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

tacho_anchor tacho_anchor_take(void)
{
    tacho_anchor best = {.error_ns = INT64_MAX};
    for (int i = 0; i < TRIES; i++) {
        int64_t before_ns = read_clock(CLOCK_MONOTONIC);
        int64_t realtime_ns = read_clock(CLOCK_REALTIME);
        int64_t between_ns = read_clock(CLOCK_MONOTONIC) - before_ns;
        if (between_ns < best.error_ns) {
            best = (tacho_anchor){before_ns + between_ns / 2, realtime_ns, between_ns};
        }
    }
    return best;
}

int64_t tacho_anchor_step(const tacho_anchor *before, const tacho_anchor *after)
{
    int64_t step_ns = tacho_anchor_offset(after) - tacho_anchor_offset(before);
    int64_t least_ns = STEP_LEAST_NS + before->error_ns + after->error_ns;
    return llabs(step_ns) > least_ns ? step_ns : 0;
}
