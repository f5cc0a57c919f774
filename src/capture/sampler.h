/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a program as /proc shows them, from look to look: which ones run, CPU time and
 * memory as counters, threads. Starts are as exact as the kernel's (10 ms), ends of processes as
 * soon as the kernel reports them (pidfd), ends of threads to within the time between two looks. A
 * process that begins and ends between two looks is missed, unless its parent left it to us.
 */
#ifndef TACHO_CAPTURE_SAMPLER_H
#define TACHO_CAPTURE_SAMPLER_H

#include "base/proc_files.h"
#include "base/process.h"
#include "capture/recorder.h"

enum { TACHO_SAMPLER_PROCESSES_MAX = 4096, TACHO_SAMPLER_THREADS_MAX = 4096 };

typedef struct tacho_sampled_thread {
    pid_t tid;
    int64_t start_ns;
    uint32_t site;
    bool is_there; /* in the look that is going on */
} tacho_sampled_thread;

typedef struct tacho_sampled_process {
    pid_t pid;
    int pidfd; /* -1 where it is not available */
    int64_t parent;
    char name[TACHO_PROC_NAME_MAX]; /* as the kernel has it: changes with exec */
    uint64_t environment_at;        /* so does this */
    uint32_t group;                 /* tracks */
    uint32_t life, threads_track, cpu_track, rss_track;
    uint32_t command;  /* string */
    uint32_t launcher; /* string; 0: has no rank */
    uint64_t rank;
    int64_t start_ns;
    int64_t seen_ns; /* the last look at it */
    int64_t cpu_ns, rss_bytes, max_rss_bytes, max_thread_count;
    int64_t cpu_percent; /* of the last sample */
    bool has_children;   /* or had: totals of the process include theirs */
    tacho_sampled_thread *threads;
    size_t thread_count, thread_capacity;
} tacho_sampled_process;

typedef struct tacho_sampler {
    tacho_recorder *recorder;
    int epoll_fd; /* where pidfds are watched, with their pid as data */
    int64_t boot_shift_ns;
    tacho_sampled_process *items; /* those that live */
    size_t item_count, item_capacity;
    uint64_t seen_count;     /* processes so far */
    uint64_t left_out_count; /* more than can be followed */
    bool lists_no_children;  /* the kernel does not support it */
    tacho_proc_ids queue, threads;
} tacho_sampler;

/* Deinitialise it even after a failure. */
void tacho_sampler_init(tacho_sampler *sampler, tacho_recorder *recorder, int epoll_fd);
void tacho_sampler_deinit(tacho_sampler *sampler);

/* Follows |pid|, which was started at |start_ns| (-1: as the kernel reports). */
tacho_status tacho_sampler_add(tacho_sampler *sampler, pid_t pid, int64_t start_ns) TACHO_MUST_USE;

/* Looks at all processes below this one. */
tacho_status tacho_sampler_look(tacho_sampler *sampler) TACHO_MUST_USE;

/* Process |pid| has ended at |now_ns|; |end| is NULL where its parent alone knows how. */
void tacho_sampler_end(tacho_sampler *sampler, pid_t pid, const tacho_process_end *end,
                       int64_t now_ns);

/* The capture ends: processes that still run are recorded up to now. */
void tacho_sampler_finish(tacho_sampler *sampler, int64_t now_ns);

/* The group of a process that is followed, TACHO_NONE for another. */
uint32_t tacho_sampler_group(const tacho_sampler *sampler, pid_t pid);

#endif
