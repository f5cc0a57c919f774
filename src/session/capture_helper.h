/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capturing for a program that is not ours: a helper runs the wrapper, since that takes over the
 * signals and children of its process, and tells how it goes.
 */
#ifndef TACHO_SESSION_CAPTURE_HELPER_H
#define TACHO_SESSION_CAPTURE_HELPER_H

#include "base/status.h"

#include <stdint.h>

typedef struct tacho_capturing_live {
    int64_t elapsed_ns;
    uint64_t process_count, event_count, dropped_count;
} tacho_capturing_live;

typedef struct tacho_capturing {
    const char *const *words; /* NULL-terminated */
    int64_t timeout_ns;       /* 0: none */
    uint32_t stats_level;     /* how much programs are asked for */
    bool omits_tracy;         /* Tracy clients are left alone */
    int32_t port;             /* that they can report to; 0: any; -1: none */
    const char *path;         /* of the capture; it must not exist */
    /* Each second; false ends the program. (optional) */
    bool (*live)(void *user, const tacho_capturing_live *live);
    void *user;
} tacho_capturing;

typedef struct tacho_capturing_end {
    int exit_status;
    bool is_signalled, is_timed_out;
    int64_t elapsed_ns, cpu_ns;
    uint64_t process_count, event_count, dropped_count;
} tacho_capturing_end;

/* Runs the program to its end. A failure says why it could not be run, or not be recorded. */
tacho_status tacho_capturing_run(const tacho_capturing *request,
                                 tacho_capturing_end *out_end) TACHO_MUST_USE;

#endif
