/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream runs work in the order of its launches, so only the first start and the last end of work
 * matter, by the step that launched it or by the next step.
 */
#include "questions/timeline/step_windows.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

/* From the first start to the last end. */
typedef struct extent {
    int64_t start_ns, end_ns;
    bool is_used;
} extent;

/* Work that a step launched; the end of work launched before it and outside of steps. */
typedef struct tacho_step_launches {
    extent own, echo;
    int64_t before_end_ns;
} step_launches;

/*
 * The start of a stream, and its latest work, whose launch may follow. Work before the first launch
 * of a stream was launched before the recording, if the launches of nine tenths of all later work
 * are known.
 */
typedef struct tacho_step_stream {
    extent lead; /* until the work of the first known launch */
    int64_t first_launch_ns;
    uint64_t launched_count, other_count; /* from that work on */
    int64_t last_start_ns, last_end_ns;
    bool has_last;
} step_stream;

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void widen(extent *of, int64_t start_ns, int64_t end_ns)
{
    of->start_ns = of->is_used ? earlier(of->start_ns, start_ns) : start_ns;
    of->end_ns = of->is_used ? tacho_most(of->end_ns, end_ns) : end_ns;
    of->is_used = true;
}

tacho_status tacho_step_windows_begin(tacho_step_windows *windows, const tacho_steps *steps,
                                      size_t track_count)
{
    windows->item_count = windows->launch_count = windows->stream_count = windows->echo_next = 0;
    windows->has_launches = windows->has_leftover = false;
    TACHO_TRY(tacho_grow(&windows->items, &windows->item_capacity, steps->item_count));
    TACHO_TRY(tacho_grow(&windows->launches, &windows->launch_capacity, steps->item_count));
    TACHO_TRY(tacho_grow(&windows->streams, &windows->stream_capacity, track_count));
    for (; windows->item_count < steps->item_count; windows->item_count++) {
        const tacho_step_span *step = &steps->items[windows->item_count];
        windows->items[windows->item_count] =
            (tacho_step_window){.start_ns = step->start_ns, .end_ns = step->end_ns};
        windows->launches[windows->launch_count++] = (step_launches){.before_end_ns = INT64_MIN};
    }
    for (; windows->stream_count < track_count; windows->stream_count++) {
        windows->streams[windows->stream_count] = (step_stream){.has_last = false};
    }
    return TACHO_OK;
}

void tacho_step_windows_deinit(tacho_step_windows *windows)
{
    free(windows->items);
    free(windows->launches);
    free(windows->streams);
    *windows = (tacho_step_windows){.items = NULL};
}

/* ---- work ---------------------------------------------------------------------------------- */

/* Settles the latest work, which has no known launch. */
static void settle_last(step_stream *stream)
{
    if (stream->has_last && stream->launched_count == 0) {
        widen(&stream->lead, stream->last_start_ns, stream->last_end_ns);
    }
    stream->other_count += stream->has_last && stream->launched_count > 0 ? 1 : 0;
    stream->has_last = false;
}

void tacho_step_windows_add(tacho_step_windows *windows, uint32_t track, int64_t start_ns,
                            int64_t end_ns)
{
    step_stream *stream = &windows->streams[track];
    settle_last(stream);
    stream->has_last = true;
    stream->last_start_ns = start_ns;
    stream->last_end_ns = end_ns;
}

/* Notes the end of work that was launched before |step|, outside of steps. */
static void note_before(tacho_step_windows *windows, size_t step, int64_t end_ns)
{
    if (step < windows->launch_count) {
        int64_t *before_ns = &windows->launches[step].before_end_ns;
        *before_ns = tacho_most(*before_ns, end_ns);
    }
}

/* How many of |steps| start at |ns| or earlier. */
static size_t count_started(const tacho_steps *steps, int64_t ns)
{
    size_t low = 0;
    size_t high = steps->item_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = steps->items[middle].start_ns <= ns;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

void tacho_step_windows_add_launch(tacho_step_windows *windows, const tacho_steps *steps,
                                   uint32_t track, int64_t launch_ns)
{
    step_stream *stream = &windows->streams[track];
    size_t started = count_started(steps, launch_ns);
    if (!stream->has_last) {
        return;
    }
    stream->first_launch_ns = stream->launched_count == 0 ? launch_ns : stream->first_launch_ns;
    stream->launched_count++;
    stream->has_last = false;
    windows->has_launches = true;
    if (started > 0 && launch_ns < steps->items[started - 1].end_ns) {
        widen(&windows->launches[started - 1].own, stream->last_start_ns, stream->last_end_ns);
    } else {
        note_before(windows, started, stream->last_end_ns);
    }
}

void tacho_step_windows_add_echo(tacho_step_windows *windows, const tacho_steps *steps,
                                 uint32_t name, int64_t start_ns, int64_t end_ns)
{
    for (size_t i = 0; i < steps->item_count; i++) { /* most likely the next */
        size_t at = (windows->echo_next + i) % steps->item_count;
        if (steps->items[at].name == name) {
            widen(&windows->launches[at].echo, start_ns, end_ns);
            windows->echo_next = at;
            return;
        }
    }
}

/* ---- windows ------------------------------------------------------------------------------- */

/* The known extent of the work of step |at|. */
static const extent *work_of(const tacho_step_windows *windows, size_t at)
{
    const step_launches *launches = &windows->launches[at];
    return windows->has_launches ? &launches->own : &launches->echo;
}

/* The start of step |at| if work launched before it ends at |late_ns|. */
static int64_t start_of(const tacho_step_windows *windows, const tacho_steps *steps, size_t at,
                        int64_t late_ns)
{
    const extent *work = work_of(windows, at);
    int64_t from_ns = work->is_used && late_ns >= work->end_ns ? work->start_ns : late_ns;
    return tacho_most(steps->items[at].start_ns, from_ns);
}

static void cut_work(tacho_step_window *window, const extent *work)
{
    window->has_work =
        work->is_used && work->start_ns <= window->end_ns && work->end_ns >= window->start_ns;
    if (window->has_work) {
        window->first_ns = tacho_most(work->start_ns, window->start_ns);
        window->last_ns = earlier(work->end_ns, window->end_ns);
    }
}

/* The end of work launched before the recording, or INT64_MIN. */
static int64_t find_leftover(tacho_step_windows *windows)
{
    int64_t end_ns = INT64_MIN;
    for (size_t i = 0; i < windows->stream_count; i++) {
        step_stream *stream = &windows->streams[i];
        settle_last(stream);
        bool is_known =
            stream->launched_count > 0 && stream->launched_count / 9 >= stream->other_count;
        if (is_known && stream->lead.is_used && stream->lead.start_ns < stream->first_launch_ns) {
            end_ns = tacho_most(end_ns, stream->lead.end_ns);
        }
    }
    return end_ns;
}

static void make_windows(tacho_step_windows *windows, const tacho_steps *steps)
{
    int64_t late_ns = INT64_MIN;
    for (size_t i = 0; i < windows->item_count; i++) {
        tacho_step_window *window = &windows->items[i];
        tacho_step_window *last = i > 0 ? window - 1 : NULL;
        const extent *work = work_of(windows, i);
        late_ns = tacho_most(late_ns, windows->launches[i].before_end_ns);
        window->start_ns = start_of(windows, steps, i, late_ns);
        if (last != NULL) {
            window->start_ns = tacho_most(window->start_ns, last->start_ns);
            last->end_ns = earlier(last->end_ns, window->start_ns);
        }
        window->end_ns = tacho_most(steps->items[i].end_ns, window->start_ns);
        window->end_ns = work->is_used ? tacho_most(window->end_ns, work->end_ns) : window->end_ns;
        late_ns = work->is_used ? tacho_most(late_ns, work->end_ns) : late_ns;
    }
}

tacho_status tacho_step_windows_finish(tacho_step_windows *windows, tacho_steps *steps)
{
    tacho_step_span *times = NULL;
    bool is_late = steps->is_of_host && !steps->has_overlap;
    if (is_late && windows->item_count > 0) {
        int64_t leftover_end_ns = find_leftover(windows);
        note_before(windows, 0, leftover_end_ns);
        make_windows(windows, steps);
        windows->has_leftover = windows->items[0].start_ns == leftover_end_ns;
    }
    TACHO_TRY(tacho_items_make(&times, windows->item_count));
    for (size_t i = 0; i < windows->item_count; i++) {
        cut_work(&windows->items[i], work_of(windows, i));
        times[i] = (tacho_step_span){.start_ns = windows->items[i].start_ns,
                                     .end_ns = windows->items[i].end_ns};
    }
    tacho_status status = tacho_steps_leave_out(steps, times);
    free(times);
    return status;
}

size_t tacho_step_windows_after(const tacho_step_windows *windows, int64_t ns)
{
    size_t low = 0;
    size_t high = windows->item_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_over = windows->items[middle].end_ns <= ns;
        low = is_over ? middle + 1 : low;
        high = is_over ? high : middle;
    }
    return low;
}

uint32_t tacho_step_windows_at(const tacho_step_windows *windows, int64_t ns)
{
    size_t low = 0;
    size_t high = windows->item_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = windows->items[middle].start_ns <= ns;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low > 0 && ns < windows->items[low - 1].end_ns ? (uint32_t)(low - 1) : TACHO_NONE;
}
