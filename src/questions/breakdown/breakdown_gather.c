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

static bool has_device(const tacho_breakdown_gather *self, uint32_t part)
{
    const tacho_dict *dict = self->events.dict;
    bool has_one = false;
    for (uint32_t i = 0; i < dict->track_count && !has_one; i++) {
        has_one = dict->tracks[i].part == part && tacho_timeline_is_device(&self->timeline, i);
    }
    return has_one;
}

static tacho_status begin_host(tacho_breakdown_gather *self, uint32_t part)
{
    TACHO_TRY(tacho_grow(&self->hosts, &self->host_capacity, (size_t)part + 1));
    while (self->host_count <= part) {
        self->hosts[self->host_count++] = (tacho_host_story){.has_wait = false};
    }
    self->hosts[part].is_alone = !has_device(self, part);
    tacho_host_scope_clear(&self->scope);
    return TACHO_OK;
}

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
    TACHO_TRY(begin_host(self, part));
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
        .part = dict->tracks[track].part,
        .group = group,
        .origin = origin,
        .launch_track = TACHO_NONE,
        .story.gap_limit = self->top > TACHO_GAPS_KEPT ? self->top : TACHO_GAPS_KEPT};
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

typedef struct tacho_breakdown_site {
    bool is_read;
    tacho_kernel_traits traits;
    int64_t first_ns; /* start of its first work in the part */
    uint32_t part;
} site_traits;

/* ---- gaps ---------------------------------------------------------------------------------- */

static bool is_before_first(const tacho_breakdown_gather *self, const tacho_device_gap *gap)
{
    return gap->site_after < self->site_count && self->sites[gap->site_after].part == self->part &&
           self->sites[gap->site_after].first_ns == gap->end_ns;
}

/* Marks of steps are no deeds. */
static tacho_status find_deed(tacho_breakdown_gather *self, const tacho_device_gap *gap,
                              tacho_host_deed *out_deed)
{
    *out_deed = (tacho_host_deed){.site = TACHO_NONE};
    if (gap->launch_track == TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_host_thread_main(tacho_timeline_thread(&self->timeline, gap->launch_track),
                                     gap->start_ns, gap->end_ns, out_deed));
    if (out_deed->site != TACHO_NONE &&
        tacho_steps_is_mark(&self->timeline.steps, out_deed->site)) {
        out_deed->site = TACHO_NONE;
    }
    return TACHO_OK;
}

/* Whether a step begins in |gap|. */
static bool is_at_step(const tacho_part_steps *steps, const tacho_device_gap *gap)
{
    uint32_t step = tacho_step_spans_at(steps->marks, steps->item_count, gap->end_ns - 1);
    return step != TACHO_NONE && steps->marks[step].start_ns >= gap->start_ns;
}

static tacho_status end_gap(tacho_breakdown_gather *self, uint32_t id, const tacho_device_gap *gap)
{
    tacho_breakdown_device *device = &self->devices[id];
    const tacho_part_steps *steps = &self->steps[device->part];
    tacho_breakdown_gap made = {.device = id,
                                .gap = *gap,
                                .is_at_step = is_at_step(steps, gap),
                                .is_before_first = is_before_first(self, gap)};
    if (self->omits_story || gap->end_ns <= gap->start_ns) {
        return TACHO_OK;
    }
    tacho_device_story_add_wait(&device->story, &self->hosts[device->part], steps, gap);
    if (!tacho_device_story_wants(&device->story, gap)) {
        return TACHO_OK;
    }
    TACHO_TRY(find_deed(self, gap, &made.deed));
    return tacho_device_story_keep(&device->story, &made);
}

/* The gap from the start of the first step to the first work of |device|, which starts now. */
static tacho_device_gap lead_of(const tacho_breakdown_gather *self,
                                const tacho_breakdown_device *device)
{
    const tacho_part_steps *steps = &self->steps[device->part];
    const tacho_device_time *time = &device->time;
    const tacho_gap_end *end = &time->gap;
    bool has_lead = !device->steps.has_begun && steps->item_count > 0 && !steps->has_overlap;
    tacho_device_gap gap = {.start_ns = has_lead ? steps->items[0].start_ns : time->now_ns,
                            .end_ns = time->now_ns,
                            .cause = TACHO_IDLE_UNKNOWN,
                            .site_before = TACHO_NONE,
                            .site_after = time->last_site,
                            .launch_track = TACHO_NONE};
    if (end->has_launch) {
        bool is_late = end->launch_ns > gap.start_ns;
        gap.cause = is_late ? TACHO_IDLE_HOST_LATE : TACHO_IDLE_QUEUED;
        gap.launch_track = end->launch_track;
    }
    return gap;
}

/* The gap from the last work of |device| to the end of the last step. */
static tacho_device_gap rest_of(const tacho_breakdown_gather *self,
                                const tacho_breakdown_device *device)
{
    const tacho_part_steps *steps = &self->steps[device->part];
    int64_t start_ns = device->time.end_ns;
    bool has_rest = steps->item_count > 0 && !steps->has_overlap;
    return (tacho_device_gap){.start_ns = start_ns,
                              .end_ns =
                                  has_rest ? steps->items[steps->item_count - 1].end_ns : start_ns,
                              .cause = TACHO_IDLE_QUEUE_EMPTY,
                              .site_before = device->time.last_site,
                              .site_after = TACHO_NONE,
                              .launch_track = device->launch_track};
}

static tacho_status settle_devices(tacho_breakdown_gather *self)
{
    for (size_t i = 0; i < self->starting_count; i++) {
        tacho_breakdown_device *device = &self->devices[self->starting[i]];
        const tacho_device_gap lead = lead_of(self, device);
        device->is_starting = false;
        TACHO_TRY(end_gap(self, self->starting[i], &lead));
        TACHO_TRY(tacho_device_time_settle(&device->time));
        tacho_device_steps_settle(&device->steps, &self->steps[device->part], &device->time);
        if (device->time.has_ended_gap) {
            TACHO_TRY(end_gap(self, self->starting[i], &device->time.ended_gap));
        }
        tacho_device_story_settle(&device->story);
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

/* ---- patterns ------------------------------------------------------------------------------ */

static tacho_status traits_of(tacho_breakdown_gather *self, uint32_t id,
                              const tacho_kernel_traits **out_traits)
{
    const tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_grow(&self->sites, &self->site_capacity, dict->site_count));
    while (self->site_count < dict->site_count) {
        self->sites[self->site_count++] = (site_traits){.part = TACHO_NONE};
    }
    site_traits *site = &self->sites[id];
    if (!site->is_read) {
        site->is_read = true;
        site->traits = tacho_kernel_traits_of(tacho_dict_string(dict, dict->sites[id].category),
                                              tacho_dict_string(dict, dict->sites[id].name));
    }
    *out_traits = &site->traits;
    return TACHO_OK;
}

static void note_first(tacho_breakdown_gather *self, const tacho_pattern_work *work)
{
    site_traits *site = &self->sites[work->site];
    if (site->part != self->part) {
        site->part = self->part;
        site->first_ns = work->start_ns;
    }
}

static tacho_status add_patterns(tacho_breakdown_gather *self, tacho_breakdown_device *device,
                                 uint32_t stream, const tacho_timeline_work *did)
{
    tacho_pattern_work work = {.start_ns = did->span.start_ns,
                               .ns = did->span.end_ns - did->span.start_ns,
                               .site = did->span.row->of.span.site,
                               .calls = {.op = TACHO_NONE}};
    int64_t launch_ns = did->has_launch ? did->launch.start_ns : work.start_ns;
    if (self->omits_story) {
        return TACHO_OK;
    }
    if (did->has_launch) {
        work.calls = tacho_host_scope_calls(&self->scope, did->launch.place);
        device->launch_track = did->launch.track;
    }
    TACHO_TRY(traits_of(self, work.site, &work.traits));
    note_first(self, &work);
    return tacho_device_story_add(&device->story, stream, &self->steps[device->part], &work,
                                  launch_ns);
}

static tacho_status add_call(void *gather, const tacho_timeline_span *span)
{
    tacho_breakdown_gather *self = gather;
    const int64_t times_ns[] = {span->start_ns, span->end_ns};
    unsigned bits = 0;
    if (tacho_timeline_is_device(&self->timeline, span->row->track)) {
        return TACHO_OK; /* an annotation repeats that of the host */
    }
    TACHO_TRY(tacho_host_scope_add(&self->scope, span->row->track, span->row->of.span.site,
                                   times_ns, &bits));
    tacho_host_story *host = &self->hosts[self->part];
    bool is_mark = tacho_steps_is_mark(&self->timeline.steps, span->row->of.span.site);
    if (host->is_alone && !is_mark) {
        TACHO_TRY(
            tacho_host_time_add(&host->time, span->row->track, span->row->of.span.site, times_ns));
        unsigned all = tacho_host_scope_bits(&self->scope, span->row->of.span.site);
        host->time.operator_count += (all & TACHO_CALL_OPERATOR) != 0 ? 1 : 0;
    }
    if (bits != 0) {
        tacho_host_story_add(host, &self->steps[self->part], span, bits);
    }
    return TACHO_OK;
}

static uint32_t place_on(void *gather, uint32_t track, int64_t now_ns)
{
    tacho_breakdown_gather *self = gather;
    return tacho_host_scope_at(&self->scope, track, now_ns);
}

/* ---- work ---------------------------------------------------------------------------------- */

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
    TACHO_TRY(add_patterns(self, device, track->streams[origin], did));
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
    for (size_t i = 0; i < count; i++) {
        tacho_device_story *story = &gather->devices[i].story;
        for (size_t k = 0; k < story->gap_count; k++) {
            story->gaps[k].device = places[story->gaps[k].device];
        }
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

const tacho_part_steps *tacho_breakdown_steady(const tacho_breakdown_gather *gather,
                                               const tacho_breakdown_device *device)
{
    if (device->part >= gather->step_part_count) {
        return NULL;
    }
    const tacho_part_steps *steps = &gather->steps[device->part];
    return tacho_device_steps_are_enough(&device->steps, steps, &device->time) ? steps : NULL;
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
        const tacho_device_gap rest = rest_of(self, device);
        TACHO_TRY(end_gap(self, (uint32_t)self->finished_count, &rest));
        for (size_t i = 0; i < device->stream_count; i++) {
            tacho_launch_stats_finish(&device->streams[i].launches);
        }
        sort_streams(self->events.dict, device);
        tacho_story_judge_gaps(&device->story, &self->scope, tacho_breakdown_steady(self, device));
    }
    return TACHO_OK;
}

void tacho_breakdown_gather_init(tacho_breakdown_gather *gather, tacho_dict *dict)
{
    const tacho_timeline_taker taker = {.self = gather,
                                        .needs_steps = true,
                                        .needs_windows = true,
                                        .places_only_launches = true,
                                        .advance = advance,
                                        .call = add_call,
                                        .place = place_on,
                                        .work = add_work,
                                        .launch = add_launch,
                                        .begin_part = begin_part,
                                        .end_part = end_part};
    *gather = (tacho_breakdown_gather){.top = 0};
    tacho_timeline_init(&gather->timeline, dict, &taker);
    tacho_host_scope_init(&gather->scope, dict);
}

void tacho_breakdown_omit_story(tacho_breakdown_gather *gather)
{
    gather->omits_story = true;
    gather->timeline.taker.call = NULL;
    gather->timeline.taker.place = NULL;
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
        tacho_device_story_deinit(&gather->devices[i].story);
    }
    for (size_t i = 0; i < gather->step_part_count; i++) {
        tacho_part_steps_deinit(&gather->steps[i]);
    }
    free(gather->steps);
    free(gather->ranks);
    tacho_timeline_deinit(&gather->timeline);
    for (size_t i = 0; i < gather->host_count; i++) {
        tacho_host_story_deinit(&gather->hosts[i]);
    }
    free(gather->hosts);
    free(gather->sites);
    tacho_host_scope_deinit(&gather->scope);
    free(gather->devices);
    free(gather->starting);
    free(gather->tracks);
    tacho_breakdown_gather_init(gather, dict);
}
