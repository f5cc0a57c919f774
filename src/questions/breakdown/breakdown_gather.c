/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the work of devices from the timeline.
 */
#include "questions/breakdown/breakdown_gather.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

typedef struct tacho_breakdown_track {
    uint32_t devices[TACHO_ORIGIN_COUNT];
    uint32_t streams[TACHO_ORIGIN_COUNT];
    /* The last work on it. */
    int64_t last_start_ns, last_end_ns;
    tacho_origin last_origin;
} track_state;

static tacho_status begin_part(void *gather, uint32_t part)
{
    tacho_breakdown_gather *self = gather;
    self->part = part;
    TACHO_TRY(tacho_grow(&self->steps, &self->step_part_capacity, (size_t)part + 1));
    while (self->step_part_count <= part) {
        self->steps[self->step_part_count++] = (tacho_part_steps){.item_count = 0};
    }
    TACHO_TRY(
        tacho_part_steps_init(&self->steps[part], &self->timeline.steps, &self->timeline.windows));
    const tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_grow(&self->tracks, &self->track_capacity, dict->track_count));
    for (; self->track_count < dict->track_count; self->track_count++) {
        track_state *track = &self->tracks[self->track_count];
        *track = (track_state){.last_start_ns = 0};
        for (size_t i = 0; i < TACHO_ORIGIN_COUNT; i++) {
            track->devices[i] = TACHO_NONE;
        }
    }
    return TACHO_OK;
}

/* ---- devices ------------------------------------------------------------------------------- */

static tacho_status ensure_device(tacho_breakdown_gather *self, uint32_t track, tacho_origin origin,
                                  uint32_t *out_device)
{
    const tacho_dict *dict = self->events.dict;
    uint32_t group = tacho_device_group(dict, track);
    uint32_t *known = &self->tracks[group].devices[origin]; /* a group has no work of its own */
    if (*known != TACHO_NONE) {
        *out_device = *known;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->devices, &self->device_capacity, self->device_count + 1));
    *out_device = *known = (uint32_t)self->device_count;
    self->devices[self->device_count++] = (tacho_breakdown_device){
        .part = dict->tracks[track].part, .group = group, .origin = origin};
    tacho_breakdown_device *device = &self->devices[*out_device];
    return tacho_device_steps_init(&device->steps, &self->steps[device->part]);
}

static tacho_status ensure_stream(tacho_breakdown_gather *self, uint32_t id, tacho_origin origin)
{
    track_state *track = &self->tracks[id];
    if (track->devices[origin] != TACHO_NONE) {
        return TACHO_OK;
    }
    uint32_t found = TACHO_NONE;
    TACHO_TRY(ensure_device(self, id, origin, &found));
    tacho_breakdown_device *device = &self->devices[found];
    TACHO_TRY(tacho_grow(&device->streams, &device->stream_capacity, device->stream_count + 1));
    TACHO_TRY(tacho_device_time_add_stream(&device->time));
    device->streams[device->stream_count].track = id;
    device->streams[device->stream_count].steady_ns = 0;
    tacho_launch_stats_init(&device->streams[device->stream_count].launches);
    track->streams[origin] = (uint32_t)device->stream_count++;
    track->devices[origin] = found;
    return TACHO_OK;
}

/* Keeps |gap| if it is among the longest; of equal ones the earlier stays. */
static tacho_status keep_gap(tacho_breakdown_gather *self, uint32_t device,
                             const tacho_device_gap *gap)
{
    int64_t length_ns = gap->end_ns - gap->start_ns;
    size_t at = self->gap_count;
    while (at > 0 && self->gaps[at - 1].gap.end_ns - self->gaps[at - 1].gap.start_ns < length_ns) {
        at--;
    }
    if (at >= self->top) {
        return TACHO_OK;
    }
    tacho_breakdown_gap made = {.device = device, .gap = *gap, .deed = {.site = TACHO_NONE}};
    if (gap->launch_track != TACHO_NONE) {
        TACHO_TRY(tacho_host_thread_main(tacho_timeline_thread(&self->timeline, gap->launch_track),
                                         gap->start_ns, gap->end_ns, &made.deed));
    }
    TACHO_TRY(tacho_grow(&self->gaps, &self->gap_capacity, self->top));
    self->gap_count += self->gap_count < self->top ? 1 : 0;
    memmove(&self->gaps[at + 1], &self->gaps[at], (self->gap_count - at - 1) * sizeof(made));
    self->gaps[at] = made;
    return TACHO_OK;
}

static tacho_status settle_devices(tacho_breakdown_gather *self)
{
    for (size_t i = 0; i < self->starting_count; i++) {
        tacho_breakdown_device *device = &self->devices[self->starting[i]];
        device->is_starting = false;
        TACHO_TRY(tacho_device_time_settle(&device->time));
        tacho_device_steps_settle(&device->steps, &self->steps[device->part], &device->time);
        if (device->time.has_ended_gap) {
            TACHO_TRY(keep_gap(self, self->starting[i], &device->time.ended_gap));
        }
    }
    self->starting_count = 0;
    return TACHO_OK;
}

static tacho_status note_start(tacho_breakdown_gather *self, uint32_t id)
{
    tacho_breakdown_device *device = &self->devices[id];
    if (!device->is_starting) {
        TACHO_TRY(tacho_grow(&self->starting, &self->starting_capacity, self->starting_count + 1));
        self->starting[self->starting_count++] = id;
        device->is_starting = true;
    }
    return TACHO_OK;
}

/* ---- work ---------------------------------------------------------------------------------- */

/* Steps begin and end until |now_ns|, for the devices of the part that has not ended. */
static void pass_steps(tacho_breakdown_gather *self, int64_t now_ns)
{
    tacho_part_steps *steps = &self->steps[self->part];
    int64_t at_ns = 0;
    uint32_t step = 0;
    int sign = 0;
    while (tacho_part_steps_next(steps, now_ns, &at_ns, &step, &sign)) {
        bool is_steady = tacho_step_is_steady(&steps->items[step]) && !steps->has_overlap;
        for (size_t i = self->finished_count; i < self->device_count; i++) {
            tacho_breakdown_device *device = &self->devices[i];
            tacho_device_steps_pass(&device->steps, &device->time, at_ns, step, sign, is_steady);
            for (size_t k = 0; k < device->stream_count && is_steady; k++) {
                device->streams[k].steady_ns +=
                    sign * tacho_kind_time_busy_until(&device->time.streams[k].busy, at_ns);
            }
        }
    }
}

/* Advances the time. */
static tacho_status advance(void *gather, int64_t now_ns)
{
    tacho_breakdown_gather *self = gather;
    TACHO_TRY(settle_devices(self));
    pass_steps(self, now_ns);
    return TACHO_OK;
}

/* Adds the launch of the work that has just started on |id|. */
static tacho_status add_launch(void *gather, uint32_t id, const tacho_launch *launch)
{
    tacho_breakdown_gather *self = gather;
    const track_state *track = &self->tracks[id];
    tacho_breakdown_device *device = &self->devices[track->devices[track->last_origin]];
    uint32_t stream = track->streams[track->last_origin];
    const tacho_device_work late = {
        .has_launch = true, .launch_ns = launch->start_ns, .launch_track = launch->track};
    tacho_device_time_add_launch(&device->time, stream, &late);
    tacho_device_steps_add_launch(&device->steps, &self->steps[device->part], track->last_start_ns,
                                  launch->start_ns);
    return tacho_launch_stats_add(&device->streams[stream].launches, launch, track->last_start_ns,
                                  track->last_end_ns);
}

static tacho_status add_work(void *gather, const tacho_timeline_work *did, uint32_t *out_tag)
{
    tacho_breakdown_gather *self = gather;
    const tacho_row *row = did->span.row;
    tacho_origin origin = did->span.origin;
    track_state *track = &self->tracks[row->track];
    *out_tag = 0;
    TACHO_TRY(ensure_stream(self, row->track, origin));
    TACHO_TRY(note_start(self, track->devices[origin]));
    const tacho_device_work work = {
        .start_ns = did->span.start_ns,
        .end_ns = did->span.end_ns,
        .kind = did->kind,
        .is_whole = did->is_whole,
        .has_launch = did->has_launch,
        .has_dependency = did->has_dependency,
        .launch_ns = did->launch.start_ns,
        .launch_track = did->launch.track,
        .site = row->of.span.site,
    };
    tacho_breakdown_device *device = &self->devices[track->devices[origin]];
    if (did->has_launch) {
        TACHO_TRY(tacho_launch_stats_add(&device->streams[track->streams[origin]].launches,
                                         &did->launch, work.start_ns, work.end_ns));
    }
    tacho_device_steps_add(&device->steps, &self->steps[device->part], &work);
    track->last_start_ns = work.start_ns;
    track->last_end_ns = work.end_ns;
    track->last_origin = origin;
    return tacho_device_time_add(&device->time, track->streams[origin], &work);
}

/* ---- parts --------------------------------------------------------------------------------- */

/* Sorts streams that have numbers by these, not by their first work. */
static void sort_streams(const tacho_dict *dict, tacho_breakdown_device *device)
{
    for (size_t i = 1; i < device->stream_count; i++) {
        const tacho_track *track = &dict->tracks[device->streams[i].track];
        for (size_t at = i; at > 0 && track->has_number; at--) {
            const tacho_track *before = &dict->tracks[device->streams[at - 1].track];
            if (!before->has_number || before->number <= track->number) {
                break;
            }
            tacho_breakdown_stream stream = device->streams[at];
            tacho_stream_time time = device->time.streams[at];
            device->streams[at] = device->streams[at - 1];
            device->time.streams[at] = device->time.streams[at - 1];
            device->streams[at - 1] = stream;
            device->time.streams[at - 1] = time;
        }
    }
}

/* Notes the rank that PyTorch's profiler wrote into the file of |part|, among the facts that are
 * new since the last part; with several, which are ambiguous, none. */
static tacho_status note_rank(tacho_breakdown_gather *self, uint32_t part)
{
    const tacho_dict *dict = self->events.dict;
    size_t found = 0;
    uint64_t rank = 0;
    for (; self->fact_count < dict->metadata_count; self->fact_count++) {
        const tacho_metadata *fact = &dict->metadata[self->fact_count];
        if (tacho_str_equal(tacho_dict_string(dict, fact->key),
                            TACHO_STR("chrome.distributedInfo.rank"))) {
            bool is_rank = tacho_str_parse_u64(tacho_dict_string(dict, fact->value), &rank) &&
                           rank <= UINT32_MAX;
            found += is_rank ? 1 : 0;
        }
    }
    TACHO_TRY(tacho_grow(&self->ranks, &self->rank_capacity, (size_t)part + 1));
    while (self->rank_count <= part) {
        self->ranks[self->rank_count++] = -1;
    }
    self->ranks[part] = found == 1 ? (int64_t)rank : -1;
    return TACHO_OK;
}

int64_t tacho_breakdown_rank(const tacho_breakdown_gather *gather, uint32_t part)
{
    return part < gather->rank_count ? gather->ranks[part] : -1;
}

/* A device and where it was. */
typedef struct ranked_device {
    tacho_breakdown_device device;
    int64_t rank;
    size_t from;
} ranked_device;

static int compare_ranks(const void *left, const void *right)
{
    const ranked_device *a = left;
    const ranked_device *b = right;
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return (a->from > b->from) - (a->from < b->from);
}

static void sort_ranked(tacho_breakdown_gather *gather, ranked_device *ranked, uint32_t *places)
{
    size_t count = gather->device_count;
    qsort(ranked, count, sizeof(*ranked), compare_ranks);
    for (size_t i = 0; i < count; i++) {
        gather->devices[i] = ranked[i].device;
        places[ranked[i].from] = (uint32_t)i;
    }
    for (size_t i = 0; i < gather->gap_count; i++) {
        gather->gaps[i].device = places[gather->gaps[i].device];
    }
}

tacho_status tacho_breakdown_sort_ranks(tacho_breakdown_gather *gather)
{
    ranked_device *ranked = NULL;
    uint32_t *places = NULL;
    bool has_all = gather->device_count > 1;
    for (size_t i = 0; i < gather->device_count; i++) {
        has_all = has_all && tacho_breakdown_rank(gather, gather->devices[i].part) >= 0;
    }
    if (!has_all) {
        return TACHO_OK;
    }
    tacho_status status = tacho_items_make(&ranked, gather->device_count);
    status = status == TACHO_OK ? tacho_items_make(&places, gather->device_count) : status;
    for (size_t i = 0; i < gather->device_count && status == TACHO_OK; i++) {
        int64_t rank = tacho_breakdown_rank(gather, gather->devices[i].part);
        ranked[i] = (ranked_device){gather->devices[i], rank, i};
    }
    if (status == TACHO_OK) {
        sort_ranked(gather, ranked, places);
    }
    free(ranked);
    free(places);
    return status;
}

static tacho_status end_part(void *gather, uint32_t part)
{
    tacho_breakdown_gather *self = gather;
    TACHO_TRY(note_rank(self, part));
    TACHO_TRY(settle_devices(self));
    pass_steps(self, INT64_MAX);
    for (; self->finished_count < self->device_count; self->finished_count++) {
        tacho_breakdown_device *device = &self->devices[self->finished_count];
        TACHO_TRY(tacho_device_time_finish(&device->time));
        tacho_device_steps_finish(&device->steps, &self->steps[device->part], &device->time);
        for (size_t i = 0; i < device->stream_count; i++) {
            tacho_launch_stats_finish(&device->streams[i].launches);
        }
        sort_streams(self->events.dict, device);
    }
    return TACHO_OK;
}

const tacho_part_steps *tacho_breakdown_steady(const tacho_breakdown_gather *gather,
                                               const tacho_breakdown_device *device)
{
    if (device->part >= gather->step_part_count) {
        return NULL;
    }
    const tacho_part_steps *steps = &gather->steps[device->part];
    return tacho_device_steps_are_enough(&device->steps, steps, &device->time) ? steps : NULL;
}

void tacho_breakdown_gather_init(tacho_breakdown_gather *gather, tacho_dict *dict)
{
    const tacho_timeline_taker taker = {.self = gather,
                                        .needs_steps = true,
                                        .needs_windows = true,
                                        .advance = advance,
                                        .work = add_work,
                                        .launch = add_launch,
                                        .begin_part = begin_part,
                                        .end_part = end_part};
    *gather = (tacho_breakdown_gather){.top = 0};
    tacho_timeline_init(&gather->timeline, dict, &taker);
}

void tacho_breakdown_gather_deinit(tacho_breakdown_gather *gather)
{
    tacho_dict *dict = gather->events.dict;
    for (size_t i = 0; i < gather->device_count; i++) {
        tacho_device_time_deinit(&gather->devices[i].time);
        for (size_t k = 0; k < gather->devices[i].stream_count; k++) {
            tacho_launch_stats_deinit(&gather->devices[i].streams[k].launches);
        }
        free(gather->devices[i].streams);
        tacho_device_steps_deinit(&gather->devices[i].steps);
    }
    for (size_t i = 0; i < gather->step_part_count; i++) {
        tacho_part_steps_deinit(&gather->steps[i]);
    }
    free(gather->steps);
    free(gather->ranks);
    tacho_timeline_deinit(&gather->timeline);
    free(gather->gaps);
    free(gather->devices);
    free(gather->starting);
    free(gather->tracks);
    tacho_breakdown_gather_init(gather, dict);
}
