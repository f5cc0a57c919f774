/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When devices do the work of each step. The host marks when work is launched; a device may run it
 * later, even a whole step later if the host runs ahead. Work belongs to the step that launched it,
 * however late it runs; a CUDA graph is launched as a whole, and all of its nodes belong to that
 * step. So a step runs from its own start or the end of earlier launched work, whichever is later,
 * to its own end or the end of its work, whichever is later. Windows are in order and never
 * overlap, so their sum is at most the length of the recording.
 *
 * If work of one step outlasts all work of the next (a copy on its own stream), the next begins
 * with its first work instead, and the window of the previous one is cut there. Work that was
 * launched before the recording counts as launched before the first step. Without known launches,
 * ranges on the device with the names of steps are used ("gpu_user_annotation").
 *
 * A step's work counts once, in its step; its time counts in the windows that it falls into. All
 * devices of a part share the windows.
 */
#ifndef TACHO_QUESTIONS_TIMELINE_STEP_WINDOWS_H
#define TACHO_QUESTIONS_TIMELINE_STEP_WINDOWS_H

#include "profile/steps.h"

typedef struct tacho_step_window {
    int64_t start_ns, end_ns;
    int64_t first_ns, last_ns; /* start of its first work, end of its last; cut to the window */
    bool has_work;
} tacho_step_window;

typedef struct tacho_step_windows {
    tacho_step_window *items; /* by step; as marked, until finish */
    size_t item_count, item_capacity;
    struct tacho_step_launches *launches; /* of each step, and before it */
    size_t launch_count, launch_capacity;
    struct tacho_step_stream *streams; /* by track */
    size_t stream_count, stream_capacity;
    bool has_launches;
    bool has_leftover; /* the first step waits for work from before the recording */
    size_t echo_next;  /* the likely step of the next range on a device */
} tacho_step_windows;

/* Begins windows for the steps found in a part. Call deinit even after a failure. */
tacho_status tacho_step_windows_begin(tacho_step_windows *windows, const tacho_steps *steps,
                                      size_t track_count) TACHO_MUST_USE;
void tacho_step_windows_deinit(tacho_step_windows *windows);

/* Adds work on |track|, in order of start; then, if known, the start of the call that launched
 * it. */
void tacho_step_windows_add(tacho_step_windows *windows, uint32_t track, int64_t start_ns,
                            int64_t end_ns);
void tacho_step_windows_add_launch(tacho_step_windows *windows, const tacho_steps *steps,
                                   uint32_t track, int64_t launch_ns);

/* Adds a range on a device that has the name of a step. */
void tacho_step_windows_add_echo(tacho_step_windows *windows, const tacho_steps *steps,
                                 uint32_t name, int64_t start_ns, int64_t end_ns);

/* Call it after all work: makes windows, and decides by them which of |steps| are left out. */
tacho_status tacho_step_windows_finish(tacho_step_windows *windows,
                                       tacho_steps *steps) TACHO_MUST_USE;

/* The step whose window contains |ns|, TACHO_NONE for none; of overlapping runs the last to
 * start. */
uint32_t tacho_step_windows_at(const tacho_step_windows *windows, int64_t ns);

/* The first step whose window ends after |ns|, if windows do not overlap. */
size_t tacho_step_windows_after(const tacho_step_windows *windows, int64_t ns);

#endif
