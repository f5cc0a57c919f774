/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When devices do the work of each step. Marks of the host say when work is launched; a device may
 * run it later, a whole step later where the host runs ahead. Work belongs to the step that
 * launched it, however late it runs; a CUDA graph is launched as one, and all of its nodes belong
 * to that step. So a step runs from its own start, or from the end of what was launched before it
 * where that is later, to its own end, or to the end of its work where that is later. Windows are
 * in order and never overlap, so their sum is at most the length of the recording.
 *
 * Where work of one step outlasts all work of the next (a copy on a stream of its own), the next
 * begins with its first work instead, and the window of the one before is cut there. Work that was
 * launched before the recording began was launched before the first step. Where nothing tells what
 * launched the work, ranges on the device that have the names of steps do ("gpu_user_annotation").
 *
 * A step's work counts once, in its step; its time counts in the windows that it falls into. The
 * windows are those of all devices of a part together.
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
    struct tacho_step_launches *launches; /* of each step, and of what was launched before it */
    size_t launch_count, launch_capacity;
    struct tacho_step_stream *streams; /* by track */
    size_t stream_count, stream_capacity;
    bool has_launches;
    bool has_leftover; /* the first step waits for work from before the recording */
    size_t echo_next;  /* the step that the next range of a device is likely to name */
} tacho_step_windows;

/* Of the steps of a part, which were found. Call deinit even after a failure. */
tacho_status tacho_step_windows_begin(tacho_step_windows *windows, const tacho_steps *steps,
                                      size_t track_count) TACHO_MUST_USE;
void tacho_step_windows_deinit(tacho_step_windows *windows);

/* Work on |track|, by start; then the start of the call that launched it, where that is known. */
void tacho_step_windows_add(tacho_step_windows *windows, uint32_t track, int64_t start_ns,
                            int64_t end_ns);
void tacho_step_windows_add_launch(tacho_step_windows *windows, const tacho_steps *steps,
                                   uint32_t track, int64_t launch_ns);

/* A range on a device that has the name of a step. */
void tacho_step_windows_add_echo(tacho_step_windows *windows, const tacho_steps *steps,
                                 uint32_t name, int64_t start_ns, int64_t end_ns);

/* All work was added: makes windows, and decides by them which of |steps| are left out. */
tacho_status tacho_step_windows_finish(tacho_step_windows *windows,
                                       tacho_steps *steps) TACHO_MUST_USE;

/* The step in whose window |ns| is, TACHO_NONE for none; of runs that overlap the last to start. */
uint32_t tacho_step_windows_at(const tacho_step_windows *windows, int64_t ns);

/* The first step whose window ends after |ns|, where none overlap. */
size_t tacho_step_windows_after(const tacho_step_windows *windows, int64_t ns);

#endif
