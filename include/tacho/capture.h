/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: runs a program and records all its processes, and the events of programs that use
 * libtacho-client (tacho/client.h): the API of `tacho profile`.
 *
 *     const char *const words[] = {"python3", "train.py", NULL};
 *     tacho_capture_result result;
 *     tacho_status status = tacho_capture_run(words, "train.tacho", NULL, &result);
 *     if (status == TACHO_OK && result.exit_status != 0) ...
 *
 * The file is a profile like any other: tacho_view_open, tacho_analyse_ops and so on read it.
 */
#ifndef TACHO_CAPTURE_H
#define TACHO_CAPTURE_H

#include <stdint.h>
#include <tacho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Progress while the program runs. */
typedef struct tacho_capture_live {
    int64_t elapsed_ns;     /* since the start */
    uint64_t process_count; /* that run now */
    uint64_t event_count;   /* stored since the last call */
    uint64_t dropped_count; /* events lost so far */
    uint64_t reserved[4];
} tacho_capture_live;

/* How to capture; all zero is the default. */
typedef struct tacho_capture_options {
    int64_t timeout_ns; /* after which the program is ended: SIGTERM, then SIGKILL; 0: none */
    /* Optional: called each second. False ends the program by SIGTERM; its events so far are kept.
     */
    bool (*progress)(void *user, const tacho_capture_live *live);
    void *user;
    uint32_t stats_level; /* how much detail programs report, as in tacho-profile(1), 1 to 100;
                             0: 70 */
    int32_t port; /* on 127.0.0.1, that programs can also report to; 0: none, -1: any free one */
    bool omits_tracy;     /* do not listen for Tracy clients, and connect to none */
    uint64_t reserved[4]; /* zero */
} tacho_capture_options;

/* The result of a capture. */
typedef struct tacho_capture_result {
    int exit_status; /* of the program; 128 + n where signal n ended it, 124 after a timeout */
    bool is_signalled;
    bool is_timed_out;
    int64_t elapsed_ns;
    int64_t cpu_ns;         /* of the program and the processes that it waited for */
    uint64_t process_count; /* that were seen */
    uint64_t event_count;   /* stored */
    uint64_t dropped_count; /* events that programs reported faster than they could be stored */
    uint64_t reserved[4];
} tacho_capture_result;

/*
 * Runs |words|, NULL-terminated, the first looked up in PATH, and waits for its end. The program
 * has the caller's standard streams, directory and environment. The capture is written to |path|:
 * .tacho, or a trace if the suffix is that of a trace format. A program that cannot be run is a
 * failure, NOT_FOUND if its name is not found; a program that fails is not: see |exit_status|.
 * |options| and |out_result| may be NULL; the latter is filled if the program ran, even when
 * recording it failed.
 *
 * The caller's signals and other children are left alone: recording is done in a process of its
 * own, which is forked here. It is safe to call from several threads at once.
 */
TACHO_API tacho_status tacho_capture_run(const char *const *words, const char *path,
                                         const tacho_capture_options *options,
                                         tacho_capture_result *out_result) TACHO_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
