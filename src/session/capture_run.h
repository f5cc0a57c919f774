/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling a program: the wrapper, and the capture that it fills. The capture has a name from the
 * start and is written as the program runs, so it can be read whatever happens to us.
 */
#ifndef TACHO_SESSION_CAPTURE_RUN_H
#define TACHO_SESSION_CAPTURE_RUN_H

#include "capture/anchor.h"
#include "capture/wrapper.h"
#include "profile/capture_facts.h"

/* What programs are asked for unless someone says otherwise: operators. */
enum { TACHO_PROFILE_LEVEL = 70, TACHO_PROFILE_LEVEL_MAX = 100 };

typedef struct tacho_profiling {
    char *const *words;   /* NULL-terminated */
    int64_t timeout_ns;   /* 0: none */
    uint32_t stats_level; /* how much programs are asked for */
    int32_t port;         /* that they can report to; 0: any; -1: none */
    bool omits_tracy;     /* Tracy clients are left alone */
    uint16_t tracy_port;  /* that a Tracy client is to listen on; 0: the one it finds itself */
    const char *path;     /* of the capture; it must not exist */
    bool has_anchors;     /* the capture says how its clock relates to the time of day */
    tacho_str run, host, rank, world_size; /* what it says of itself then; empty: not known */
    /* Of times since 1970, recording begins at the next multiple of this; 0: at once. */
    int64_t activate_ns;
    void (*live)(void *self, const tacho_live *live); /* each second; or NULL */
    void *live_self;
} tacho_profiling;

/* What clocks showed. */
typedef struct tacho_profiling_clocks {
    tacho_anchor start, end;
    int64_t step_ns; /* how far the clock was set meanwhile */
} tacho_profiling_clocks;

/*
 * Runs the program. A failure means that it was not started. |out_result| says what there is to be
 * said about it; its store_error belongs to the caller.
 */
tacho_status tacho_profiling_run(const tacho_profiling *request, tacho_wrapper_result *out_result,
                                 tacho_profiling_clocks *out_clocks) TACHO_MUST_USE;

/*
 * Refuses a |target| that could not be written once the program has run: a directory, a link that
 * leads nowhere, or |program| itself. NULL passes.
 */
tacho_status tacho_profiling_check_output(const char *target, const char *program) TACHO_MUST_USE;

/*
 * A name for the capture in the making, which nothing has: beside |target|, so that it can take its
 * name, or where temporary files are, where that is NULL. To be freed.
 */
tacho_status tacho_profiling_name_capture(const char *target, char **out_path) TACHO_MUST_USE;

/*
 * Gives the capture at |path| the name |target|, in the same directory, and the mode that a file of
 * that name has or would have. A symbolic link stays, and what it leads to is replaced.
 */
tacho_status tacho_profiling_put_in_place(const char *path, const char *target) TACHO_MUST_USE;

#endif
