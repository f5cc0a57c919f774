/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call takes its length from the call around it, as far as it is inside.
 */
#include "questions/breakdown/host_time.h"

#include "base/grow.h"

#include <stdlib.h>

typedef struct open_call {
    int64_t end_ns;
    uint32_t site;
} open_call;

typedef struct tacho_host_stack {
    open_call *items; /* the innermost last */
    size_t item_count, item_capacity;
    bool has_begun;
} host_stack;

void tacho_host_time_deinit(tacho_host_time *time)
{
    for (size_t i = 0; i < time->track_count; i++) {
        free(time->threads[i].items);
    }
    free(time->threads);
    tacho_work_patterns_deinit(&time->calls);
    *time = (tacho_host_time){.busy_ns = 0};
}

static tacho_status ensure_thread(tacho_host_time *time, uint32_t track, host_stack **out_thread)
{
    TACHO_TRY(tacho_grow(&time->threads, &time->track_capacity, (size_t)track + 1));
    while (time->track_count <= track) {
        time->threads[time->track_count++] = (host_stack){.items = NULL};
    }
    *out_thread = &time->threads[track];
    time->thread_count += (*out_thread)->has_begun ? 0 : 1;
    (*out_thread)->has_begun = true;
    return TACHO_OK;
}

static void add_hull(tacho_host_time *time, const int64_t times_ns[2])
{
    bool is_first = time->calls.op_count == 0;
    time->start_ns = is_first || times_ns[0] < time->start_ns ? times_ns[0] : time->start_ns;
    time->end_ns = is_first || times_ns[1] > time->end_ns ? times_ns[1] : time->end_ns;
}

tacho_status tacho_host_time_add(tacho_host_time *time, uint32_t track, uint32_t site,
                                 const int64_t times_ns[2])
{
    host_stack *thread = NULL;
    TACHO_TRY(ensure_thread(time, track, &thread));
    add_hull(time, times_ns);
    while (thread->item_count > 0 && thread->items[thread->item_count - 1].end_ns <= times_ns[0]) {
        thread->item_count--;
    }
    int64_t ns = times_ns[1] - times_ns[0];
    if (thread->item_count > 0) {
        const open_call *outer = &thread->items[thread->item_count - 1];
        int64_t inside_ns =
            (times_ns[1] < outer->end_ns ? times_ns[1] : outer->end_ns) - times_ns[0];
        TACHO_TRY(tacho_work_patterns_add_time(&time->calls, outer->site, -inside_ns));
        time->busy_ns -= inside_ns;
    }
    time->busy_ns += ns;
    TACHO_TRY(tacho_work_patterns_add_time(&time->calls, site, ns));
    TACHO_TRY(tacho_grow(&thread->items, &thread->item_capacity, thread->item_count + 1));
    thread->items[thread->item_count++] = (open_call){times_ns[1], site};
    return TACHO_OK;
}
