/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of intervals, and the reasons for the gaps between them.
 */
#include "questions/breakdown/device_time.h"

#include "base/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Launches that still wait for the device are never older than this many gaps. */
enum { PAST_GAPS_MAX = 1 << 16 };

const char *tacho_idle_cause_name(tacho_idle_cause cause)
{
    static const char *const names[] = {
        [TACHO_IDLE_HOST_LATE] = "host late",     [TACHO_IDLE_DEPENDENCY] = "dependency",
        [TACHO_IDLE_QUEUE_EMPTY] = "queue empty", [TACHO_IDLE_QUEUED] = "queued",
        [TACHO_IDLE_UNKNOWN] = "unknown",
    };
    assert(cause < TACHO_IDLE_CAUSE_COUNT);
    return names[cause];
}

/* ---- kinds of work ------------------------------------------------------------------------- */

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* |work| runs until its end, regardless of other work on its stream. */
static void add_end(tacho_device_time *device, tacho_stream_time *stream,
                    const tacho_open_work *work)
{
    stream->ends[work->kind] = later(stream->ends[work->kind], work->end_ns);
    stream->busy.ends[work->kind] = later(stream->busy.ends[work->kind], work->end_ns);
    device->busy.ends[work->kind] = later(device->busy.ends[work->kind], work->end_ns);
}

/* From now on the innermost span of the nest counts, not the outermost. */
static tacho_status mix_nest(tacho_device_time *device, tacho_stream_time *stream)
{
    tacho_work_kind kind = stream->nest->items[0].kind;
    int64_t end_ns = device->now_ns;
    stream->nest->is_mixed = true;
    TACHO_TRY(tacho_kind_time_add_nest(&device->busy, stream->nest));
    TACHO_TRY(tacho_kind_time_add_nest(&stream->busy, stream->nest));
    stream->busy.ends[kind] = later(stream->ends[kind], device->now_ns);
    for (size_t i = 0; i < device->stream_count; i++) {
        const tacho_stream_time *other = &device->streams[i];
        end_ns = other->has_begun ? later(end_ns, other->busy.ends[kind]) : end_ns;
    }
    device->busy.ends[kind] = end_ns;
    return TACHO_OK;
}

/* Removes spans from the nest that do not contain |work|: they have ended, or overlap it. */
static void leave_nest(tacho_device_time *device, tacho_stream_time *stream,
                       const tacho_open_work *work)
{
    tacho_nest *nest = stream->nest;
    tacho_nest_pop(nest, work->start_ns);
    while (nest->item_count > 0 && !tacho_nest_contains(nest, work)) {
        add_end(device, stream, &nest->items[--nest->item_count]);
    }
    if (nest->item_count == 0 && nest->is_mixed) {
        tacho_kind_time_remove_nest(&device->busy, nest);
        tacho_kind_time_remove_nest(&stream->busy, nest);
        nest->is_mixed = false;
    }
}

static tacho_status add_to_nest(tacho_device_time *device, tacho_stream_time *stream,
                                const tacho_open_work *work)
{
    tacho_nest *nest = stream->nest;
    TACHO_TRY(tacho_nest_push(nest, work));
    if (nest->item_count == 1) {
        stream->busy.ends[work->kind] = later(stream->busy.ends[work->kind], work->end_ns);
        device->busy.ends[work->kind] = later(device->busy.ends[work->kind], work->end_ns);
    }
    bool is_other = !nest->is_mixed && work->kind != nest->items[0].kind;
    return is_other ? mix_nest(device, stream) : TACHO_OK;
}

static tacho_status add_kind(tacho_device_time *device, tacho_stream_time *stream,
                             const tacho_device_work *did)
{
    const tacho_open_work work = {did->start_ns, did->end_ns, did->kind};
    tacho_kind_time_pass(&device->busy, work.start_ns);
    tacho_kind_time_pass(&stream->busy, work.start_ns);
    if (stream->nest == NULL && !did->is_whole) {
        stream->nest = calloc(1, sizeof(*stream->nest));
        TACHO_TRY(stream->nest != NULL ? TACHO_OK : tacho_no_memory());
    }
    if (stream->nest != NULL) {
        leave_nest(device, stream, &work);
    }
    bool is_alone = stream->nest == NULL || stream->nest->item_count == 0;
    if (did->is_whole && is_alone) {
        add_end(device, stream, &work);
        return TACHO_OK;
    }
    return work.end_ns > work.start_ns ? add_to_nest(device, stream, &work) : TACHO_OK;
}

/* ---- idle time ----------------------------------------------------------------------------- */

int64_t tacho_idle_time_sum(const tacho_idle_time *idle)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
        sum += idle->causes[i];
    }
    return sum;
}

static void count_gap(tacho_idle_time *idle, int64_t start_ns, int64_t length_ns)
{
    idle->gap_count++;
    if (length_ns > idle->longest_ns) {
        idle->longest_ns = length_ns;
        idle->longest_start_ns = start_ns;
    }
}

/* Remembers a gap that ended, and how long the device had been idle before it. */
static tacho_status keep_gap(tacho_device_time *device, int64_t start_ns, int64_t end_ns)
{
    if (device->past_count < PAST_GAPS_MAX) {
        TACHO_TRY(tacho_grow(&device->past, &device->past_capacity, device->past_count + 1));
        device->past_count++;
    }
    device->past[device->past_next] =
        (tacho_past_gap){start_ns, end_ns, tacho_idle_time_sum(&device->idle)};
    device->past_next = (device->past_next + 1) % PAST_GAPS_MAX;
    return TACHO_OK;
}

/* The kept gap number |index|, the oldest first. */
static const tacho_past_gap *past_gap(const tacho_device_time *device, size_t index)
{
    size_t first = device->past_count < PAST_GAPS_MAX ? 0 : device->past_next;
    return &device->past[(first + index) % PAST_GAPS_MAX];
}

/* How long the device had been idle at |time_ns|, which is not later than now. */
static int64_t idle_until(const tacho_device_time *device, int64_t time_ns)
{
    size_t low = 0;
    size_t high = device->past_count; /* the gaps before it start before |time_ns| */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = past_gap(device, middle)->start_ns < time_ns;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    if (low == 0) {
        return device->past_count > 0 ? past_gap(device, 0)->idle_before_ns : 0;
    }
    const tacho_past_gap *last = past_gap(device, low - 1);
    int64_t end_ns = last->end_ns < time_ns ? last->end_ns : time_ns;
    return last->idle_before_ns + end_ns - last->start_ns;
}

/* ---- gaps ---------------------------------------------------------------------------------- */

static void note_launch(tacho_gap_end *gap, const tacho_device_work *work)
{
    if (work->has_launch && (!gap->has_launch || work->launch_ns < gap->launch_ns)) {
        gap->has_launch = true;
        gap->launch_ns = work->launch_ns;
        gap->launch_track = work->launch_track;
    }
    gap->has_dependency = gap->has_dependency || work->has_dependency;
}

static tacho_idle_cause cause_of(const tacho_gap_end *gap)
{
    if (gap->has_launch && gap->launch_ns > gap->start_ns) {
        return TACHO_IDLE_HOST_LATE;
    }
    if (gap->has_dependency) {
        return TACHO_IDLE_DEPENDENCY;
    }
    return gap->has_launch ? TACHO_IDLE_QUEUED : TACHO_IDLE_UNKNOWN;
}

static tacho_status settle_device(tacho_device_time *device)
{
    device->has_ended_gap = device->gap.is_open;
    if (!device->gap.is_open) {
        return TACHO_OK;
    }
    tacho_device_gap gap = {
        .start_ns = device->gap.start_ns,
        .end_ns = device->now_ns,
        .cause = cause_of(&device->gap),
        .site_before = device->gap.site_before,
        .site_after = device->gap.site,
        .launch_track = device->gap.has_launch ? device->gap.launch_track : TACHO_NONE,
    };
    TACHO_TRY(keep_gap(device, gap.start_ns, gap.end_ns));
    device->idle.causes[gap.cause] += gap.end_ns - gap.start_ns;
    if (gap.cause == TACHO_IDLE_HOST_LATE && gap.end_ns - gap.start_ns >= TACHO_LONG_GAP_NS) {
        device->idle.long_late_ns += gap.end_ns - gap.start_ns;
    }
    count_gap(&device->idle, gap.start_ns, gap.end_ns - gap.start_ns);
    device->ended_gap = gap;
    return TACHO_OK;
}

/* Adds the device's idle time, by cause, in a stream's gap; returns how long other streams worked
 * in it. */
static int64_t add_device_causes(const tacho_device_time *device, tacho_stream_time *stream,
                                 int64_t length_ns)
{
    int64_t others_ns = length_ns;
    for (unsigned i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
        int64_t idle_ns = device->idle.causes[i] - stream->device_causes[i];
        stream->idle.causes[i] += idle_ns;
        others_ns -= idle_ns;
    }
    return others_ns;
}

static void settle_stream(const tacho_device_time *device, tacho_stream_time *stream)
{
    const tacho_gap_end *gap = &stream->gap;
    if (gap->is_open) {
        int64_t idle_before = 0;
        for (unsigned i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
            idle_before += stream->device_causes[i];
        }
        int64_t length_ns = device->now_ns - gap->start_ns;
        int64_t others_ns = add_device_causes(device, stream, length_ns);
        count_gap(&stream->idle, gap->start_ns, length_ns);
        if (gap->has_launch) {
            int64_t launch = gap->launch_ns > gap->start_ns ? gap->launch_ns : gap->start_ns;
            int64_t idle_ns = idle_until(device, launch) - idle_before;
            int64_t empty_ns = launch - gap->start_ns - (idle_ns > 0 ? idle_ns : 0);
            empty_ns = empty_ns < 0 ? 0 : (empty_ns > others_ns ? others_ns : empty_ns);
            stream->idle.causes[TACHO_IDLE_QUEUE_EMPTY] += empty_ns;
            stream->idle.causes[TACHO_IDLE_DEPENDENCY] += others_ns - empty_ns;
        } else {
            stream->idle.causes[gap->has_dependency ? TACHO_IDLE_DEPENDENCY : TACHO_IDLE_UNKNOWN] +=
                others_ns;
        }
    }
    memcpy(stream->device_causes, device->idle.causes, sizeof(stream->device_causes));
    stream->gap = (tacho_gap_end){0};
    stream->is_starting = false;
}

tacho_status tacho_device_time_settle(tacho_device_time *device)
{
    TACHO_TRY(settle_device(device));
    for (size_t i = 0; i < device->starting_count; i++) {
        settle_stream(device, &device->streams[device->starting[i]]);
    }
    device->starting_count = 0;
    device->gap = (tacho_gap_end){0};
    return TACHO_OK;
}

/* ---- work ---------------------------------------------------------------------------------- */

tacho_status tacho_device_time_add_stream(tacho_device_time *device)
{
    TACHO_TRY(tacho_grow(&device->streams, &device->stream_capacity, device->stream_count + 1));
    device->streams[device->stream_count++] = (tacho_stream_time){.has_begun = false};
    return TACHO_OK;
}

static void begin_device(tacho_device_time *device, const tacho_device_work *work)
{
    int64_t start_ns = work->start_ns;
    if (!device->has_begun) {
        device->has_begun = true;
        device->first_ns = start_ns;
        device->end_ns = start_ns;
        tacho_kind_time_begin(&device->busy, start_ns);
    }
    device->now_ns = start_ns;
    if (!device->gap.is_open && start_ns > device->end_ns) {
        device->gap = (tacho_gap_end){.is_open = true,
                                      .start_ns = device->end_ns,
                                      .site_before = device->last_site,
                                      .site = work->site};
    }
}

/* Before its first work a stream is as idle as after it. */
static void begin_stream(const tacho_device_time *device, tacho_stream_time *stream,
                         int64_t start_ns)
{
    if (!stream->has_begun) {
        stream->has_begun = true;
        stream->end_ns = device->first_ns;
        tacho_kind_time_begin(&stream->busy, device->first_ns);
        memcpy(stream->ends, stream->busy.ends, sizeof(stream->ends));
    }
    if (!stream->gap.is_open && start_ns > stream->end_ns) {
        stream->gap = (tacho_gap_end){.is_open = true, .start_ns = stream->end_ns};
    }
}

tacho_status tacho_device_time_add(tacho_device_time *device, uint32_t id,
                                   const tacho_device_work *work)
{
    tacho_stream_time *stream = &device->streams[id];
    if (!stream->is_starting) {
        TACHO_TRY(
            tacho_grow(&device->starting, &device->starting_capacity, device->starting_count + 1));
        device->starting[device->starting_count++] = id;
        stream->is_starting = true;
    }
    begin_device(device, work);
    begin_stream(device, stream, work->start_ns);
    note_launch(&device->gap, work);
    note_launch(&stream->gap, work);
    TACHO_TRY(add_kind(device, stream, work));
    stream->work_count++;
    stream->end_ns = work->end_ns > stream->end_ns ? work->end_ns : stream->end_ns;
    if (work->end_ns >= device->end_ns) {
        device->end_ns = work->end_ns;
        device->last_site = work->site;
    }
    return TACHO_OK;
}

void tacho_device_time_add_launch(tacho_device_time *device, uint32_t stream,
                                  const tacho_device_work *late)
{
    note_launch(&device->gap, late);
    note_launch(&device->streams[stream].gap, late);
}

tacho_status tacho_device_time_finish(tacho_device_time *device)
{
    TACHO_TRY(tacho_device_time_settle(device));
    tacho_kind_time_finish(&device->busy);
    for (size_t i = 0; i < device->stream_count; i++) {
        tacho_stream_time *stream = &device->streams[i];
        tacho_kind_time_finish(&stream->busy);
        if (stream->end_ns < device->end_ns) {
            int64_t length_ns = device->end_ns - stream->end_ns;
            int64_t others_ns = add_device_causes(device, stream, length_ns);
            stream->idle.causes[TACHO_IDLE_QUEUE_EMPTY] += others_ns;
            count_gap(&stream->idle, stream->end_ns, length_ns);
        }
    }
    return TACHO_OK;
}

void tacho_device_time_deinit(tacho_device_time *device)
{
    for (size_t i = 0; i < device->stream_count; i++) {
        tacho_stream_time *stream = &device->streams[i];
        tacho_kind_time_deinit(&stream->busy);
        if (stream->nest != NULL) {
            tacho_nest_deinit(stream->nest);
            free(stream->nest);
        }
    }
    tacho_kind_time_deinit(&device->busy);
    free(device->streams);
    free(device->starting);
    free(device->past);
    *device = (tacho_device_time){0};
}
