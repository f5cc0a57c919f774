/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's time.
 */
#ifndef TACHO_DEVICE_CLOCK_H
#define TACHO_DEVICE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC. */
static inline int64_t tacho_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#endif
