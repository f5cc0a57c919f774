/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recent activity of host threads: for each, the stack of open spans, and which span was
 * innermost at which time, within a window.
 */
#ifndef TACHO_QUESTIONS_TIMELINE_HOST_WINDOW_H
#define TACHO_QUESTIONS_TIMELINE_HOST_WINDOW_H

#include "base/index.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct tacho_host_span {
    uint32_t site;
    int64_t start_ns, end_ns;
} tacho_host_span;

/* One thread. */
typedef struct tacho_host_thread {
    tacho_host_span *open; /* the innermost last */
    size_t open_count, open_capacity;
    int64_t now_ns;          /* pieces cover the time before it */
    tacho_host_span *pieces; /* a ring of the latest */
    size_t piece_count, piece_capacity, piece_next;
} tacho_host_thread;

void tacho_host_thread_deinit(tacho_host_thread *thread);

/* Adds a span of the thread; spans are added in order of start, the longer first. */
tacho_status tacho_host_thread_add(tacho_host_thread *thread,
                                   const tacho_host_span *span) TACHO_MUST_USE;

/* The innermost span that is open at |time_ns|, which is not before the last start; or NULL. */
const tacho_host_span *tacho_host_thread_innermost(const tacho_host_thread *thread,
                                                   int64_t time_ns);

/* The main activity of a thread in some time. */
typedef struct tacho_host_deed {
    uint32_t site; /* TACHO_NONE: no span in the profile */
    int64_t time_ns;
} tacho_host_deed;

/*
 * The span that was the innermost one for the longest from |start_ns| to |end_ns|, which is not
 * before the last start of the thread. Time without a span counts as well; time that the window has
 * forgotten does not.
 */
tacho_status tacho_host_thread_main(tacho_host_thread *thread, int64_t start_ns, int64_t end_ns,
                                    tacho_host_deed *out_deed) TACHO_MUST_USE;

#endif
