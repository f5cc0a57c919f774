/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a device took its time: patterns in its work and in the calls that launch it, and its longest
 * gaps, told apart by what the host did in them and by whether they repeat.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_STORY_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_STORY_H

#include "questions/breakdown/breakdown_steps.h"
#include "questions/breakdown/host_time.h"
#include "questions/timeline/timeline.h"

/* How many of the longest gaps of a device are kept at least, and judged. */
enum { TACHO_GAPS_KEPT = 64 };

/* A long gap of a device. */
typedef struct tacho_breakdown_gap {
    uint32_t device;
    tacho_device_gap gap;
    tacho_host_deed deed; /* of the thread that launched the work that ended it, if known */
    bool is_at_step;      /* a step begins in it */
    bool is_before_first; /* the kernel after it runs for the first time */
    bool is_once;         /* no gap like it repeats (tacho_story_judge_gaps) */
    int64_t steady_ns;    /* of it, in steps that are not left out (the same) */
} tacho_breakdown_gap;

/* Of a device. */
typedef struct tacho_device_story {
    tacho_work_patterns all, steady; /* of all work; of steps that are not left out */
    tacho_pattern_stream *streams;
    size_t stream_count, stream_capacity;
    tacho_breakdown_gap *gaps; /* the longest first */
    size_t gap_count, gap_capacity;
    size_t gap_limit; /* how many are kept */
    /* When its kernels before now end, and those that start now: copies are left out. */
    int64_t kernel_end_ns, new_kernel_end_ns;
} tacho_device_story;

void tacho_device_story_deinit(tacho_device_story *story);

/* Of the calls of a part's hosts. */
typedef struct tacho_host_story {
    tacho_work_patterns all, steady;
    tacho_pattern wait; /* of the latest call that waited for the device */
    int64_t wait_start_ns, wait_end_ns;
    uint32_t wait_track;
    bool has_wait;                        /* and no gap has followed it yet */
    int64_t value_start_ns, value_end_ns; /* of the latest call for a value */
    uint32_t value_track;
    bool has_value;
    bool is_alone; /* no device works in the part: */
    tacho_host_time time;
} tacho_host_story;

void tacho_host_story_deinit(tacho_host_story *story);

/* Adds a call that begins and has the classes |bits|, which no call around it has. */
void tacho_host_story_add(tacho_host_story *story, const tacho_part_steps *steps,
                          const tacho_timeline_span *span, unsigned bits);

/* Adds work of a stream, launched at |launch_ns| if that is known, else at its start. */
tacho_status tacho_device_story_add(tacho_device_story *story, size_t stream,
                                    const tacho_part_steps *steps, const tacho_pattern_work *work,
                                    int64_t launch_ns) TACHO_MUST_USE;

/* Adds a gap that has ended, if the host was late: it is due to the wait of the host that ended in
 * it, from where that began. */
void tacho_device_story_add_wait(tacho_device_story *story, tacho_host_story *host,
                                 const tacho_part_steps *steps, const tacho_device_gap *gap);

/* Call it once all work that starts now was added. */
void tacho_device_story_settle(tacho_device_story *story);

/* Whether |gap| is among the longest; and keeps it. */
bool tacho_device_story_wants(const tacho_device_story *story, const tacho_device_gap *gap);
tacho_status tacho_device_story_keep(tacho_device_story *story,
                                     const tacho_breakdown_gap *gap) TACHO_MUST_USE;

/*
 * Decides which gaps of 1 ms and longer happen once: of those in steps that are not left out, or of
 * all if |steps| is NULL. A gap repeats if gaps at least a quarter as long have the same cause: as
 * many as half of the steps; without steps, or if the host allocates memory or loads code, three
 * with this one. With fewer than three steps, other gaps repeat. The gap in which the host launches
 * a kernel for the first time, or before its first run for a reason that is not known, does not.
 */
void tacho_story_judge_gaps(tacho_device_story *story, const tacho_host_scope *scope,
                            const tacho_part_steps *steps);

#endif
