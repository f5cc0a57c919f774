/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linux's facts about a process, under /proc: state, memory, threads, children. Every call may find
 * the process gone.
 */
#ifndef TACHO_BASE_PROC_FILES_H
#define TACHO_BASE_PROC_FILES_H

#include "base/status.h"
#include "base/str.h"

#include <sys/types.h>

enum { TACHO_PROC_NAME_MAX = 64 };

typedef struct tacho_proc_stat {
    char name[TACHO_PROC_NAME_MAX]; /* of the program file, 15 characters at most */
    char state;                     /* 'R', 'S', 'Z' ... */
    int64_t parent;
    int64_t thread_count;
    int64_t start_ns; /* CLOCK_BOOTTIME, in steps of the kernel's clock tick, usually 10 ms */
    int64_t rss_bytes;
    /* Address of its environment: another one after exec, 0 while it does not exist or must not be
     * read. */
    uint64_t environment_at;
} tacho_proc_stat;

/* Reads the text of /proc/PID/stat; false when it is not one. A name may hold anything. */
bool tacho_proc_stat_parse(tacho_str text, tacho_proc_stat *out_stat);

/* The same of a process, or of its thread |tid| (0: the process). */
bool tacho_proc_read_stat(pid_t pid, pid_t tid, tacho_proc_stat *out_stat);

/*
 * Reads a file of /proc/PID, at most |size| - 1 bytes, and puts a NUL after them. Returns their
 * number; 0 when there are none, or the process is gone.
 */
size_t tacho_proc_read_file(pid_t pid, const char *name, char *to, size_t size);

typedef struct tacho_proc_ids {
    pid_t *items;
    size_t item_count, item_capacity;
} tacho_proc_ids;

/* Adds the threads of |pid|; none where it is gone. */
tacho_status tacho_proc_list_threads(pid_t pid, tacho_proc_ids *ids) TACHO_MUST_USE;

/*
 * Adds the children of |pid|, those of each thread of |threads|. False in |out_is_known| where the
 * kernel does not list children.
 */
tacho_status tacho_proc_list_children(pid_t pid, const tacho_proc_ids *threads, tacho_proc_ids *ids,
                                      bool *out_is_known) TACHO_MUST_USE;

void tacho_proc_ids_deinit(tacho_proc_ids *ids);

#endif
