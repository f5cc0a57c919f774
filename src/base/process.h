/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a program and following it, without changing its view: it inherits standard streams,
 * directory, process group, limits and every descriptor that was not opened by us; signal mask and
 * dispositions are as they were when this program was started.
 */
#ifndef TACHO_BASE_PROCESS_H
#define TACHO_BASE_PROCESS_H

#include "base/status.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Signals as they were before we took any. */
typedef struct tacho_process_signals {
    sigset_t mask;
    bool is_child_ignored; /* SIGCHLD, which we must not ignore while there are children */
    bool is_taken;         /* signals are blocked */
} tacho_process_signals;

/*
 * Blocks every signal that is passed on to a child, and SIGCHLD, and opens a descriptor from which
 * they are read. Signals that stop or continue a job are left alone: the terminal sends them to the
 * child as well. Close the descriptor with tacho_process_release_signals, which drops signals that
 * have not been read.
 */
tacho_status tacho_process_take_signals(tacho_process_signals *out_before,
                                        int *out_fd) TACHO_MUST_USE;
void tacho_process_release_signals(const tacho_process_signals *before, int fd);

/* A signal that has arrived. */
typedef struct tacho_process_signal {
    int number;
    bool is_for_all; /* by the terminal, which sends it to the whole process group */
} tacho_process_signal;

/* The next signal that has arrived; false where there is none. */
bool tacho_process_next_signal(int fd, tacho_process_signal *out_signal);

typedef struct tacho_process {
    pid_t pid;
    int64_t started_ns; /* CLOCK_MONOTONIC, just before it was made */
} tacho_process;

/* Why a program could not be started. */
typedef struct tacho_process_refusal {
    int error;         /* errno; 0: it was started */
    bool is_not_found; /* the program does not exist; else it cannot be run */
} tacho_process_refusal;

/*
 * Starts |words|, NULL-terminated, looked up in PATH, with |additions| ("NAME=value",
 * NULL-terminated) put into its environment. Orphans of it become our children. A failure is ours;
 * a program that cannot be run is a refusal.
 */
tacho_status tacho_process_start(char *const *words, const char *const *additions,
                                 const tacho_process_signals *before, tacho_process *out_process,
                                 tacho_process_refusal *out_refusal) TACHO_MUST_USE;

/* A descriptor that becomes readable when |pid| ends; -1 if the process does not exist. */
int tacho_process_open_pidfd(pid_t pid);

/* How a child ended, and the resources used by it and the children it waited for. */
typedef struct tacho_process_end {
    bool is_signalled;
    int status; /* exit status, or the signal */
    int64_t cpu_ns;
    int64_t max_rss_bytes;
} tacho_process_end;

/*
 * Takes the status of a child that has ended: of |pid|, or of any where that is -1. Returns which
 * one; 0 where none has ended.
 */
pid_t tacho_process_take_end(pid_t pid, tacho_process_end *out_end);

/* CPU time of a process so far in ns, threads that ended included; -1 where it is gone. */
int64_t tacho_process_cpu_ns(pid_t pid);

/* CLOCK_MONOTONIC in ns, and the number to add to CLOCK_BOOTTIME to get it. */
int64_t tacho_process_now_ns(void);
int64_t tacho_process_boot_shift_ns(void);

#endif
