/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows to the spool; from there by time to devices.
 */
#include "analyses/breakdown/breakdown_gather.h"

#include "base/grow.h"
#include "profile/work_kind.h"

#include <stdlib.h>
#include <string.h>

#define BIT(name) TACHO_TRACK_BIT(TACHO_TRACK_##name)

enum { SPOOL_BYTES = 4 << 20, ARRIVALS = 4, CORRELATION_BIT = 63 };

static const uint32_t ENGINES =
    BIT(COMPUTE) | BIT(VECTOR) | BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL);

/* What a site says about its spans. */
enum {
    SITE_KIND_MASK = 3,    /* a tacho_work_kind, on a track of compute engines */
    SITE_IDLE = 1 << 2,    /* a phase or a wait */
    SITE_OF_HOST = 1 << 3, /* not work of a device, wherever it lies */
};
_Static_assert(TACHO_WORK_KIND_COUNT <= SITE_KIND_MASK + 1, "kinds fit their bits");

/* An arrow that has arrived ahead of its span. */
typedef struct arrival {
    bool is_used;
    bool is_next; /* for whichever span comes next */
    bool has_launch, has_dependency;
    int64_t start, span_end; /* ticks */
    tacho_launch launch;
} arrival;

typedef struct tacho_breakdown_track {
    bool is_device;   /* its spans are work of a device */
    bool has_engines; /* of a group: tracks of engines lie in it */
    uint32_t devices[TACHO_ORIGIN_COUNT];
    uint32_t streams[TACHO_ORIGIN_COUNT];
    unsigned next_arrival;
    arrival arrivals[ARRIVALS];
    /* The last work on it. */
    int64_t last_start, last_end; /* ticks */
    int64_t last_end_ns;
    tacho_origin last_origin;
    bool has_last, has_last_launch;
    tacho_host_thread thread; /* of the host */
} track_state;

static tacho_breakdown_gather *gather_of(tacho_events *events)
{
    return (tacho_breakdown_gather *)(void *)events;
}

/* ---- into the spool ------------------------------------------------------------------------ */

static tacho_status prepare(tacho_breakdown_gather *self)
{
    static const char *const keys[TACHO_CORRELATION_KEYS] = {"correlation", "correlation_id",
                                                             "correlationId", "corr_id"};
    tacho_dict *dict = self->events.dict;
    for (size_t i = 0; i < TACHO_CORRELATION_KEYS; i++) {
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(keys[i]), &self->keys[i]));
    }
    TACHO_TRY(tacho_spool_create(dict, SPOOL_BYTES, &self->spool));
    self->is_ready = true;
    return TACHO_OK;
}

/* The number that a call and what it launched share; TACHO_NONE where there is none. */
static uint32_t correlation_of(const tacho_breakdown_gather *self, const tacho_row *row)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        bool is_key = false;
        for (size_t k = 0; k < TACHO_CORRELATION_KEYS; k++) {
            is_key = is_key || arg->key == self->keys[k];
        }
        bool is_number = arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT;
        if (is_key && is_number && arg->value.as_uint > 0 && arg->value.as_uint < TACHO_NONE) {
            return (uint32_t)arg->value.as_uint;
        }
    }
    return TACHO_NONE;
}

static tacho_status gather_row(tacho_events *events, const tacho_row *row)
{
    tacho_breakdown_gather *self = gather_of(events);
    tacho_row bare = *row;
    TACHO_TRY(self->is_ready ? TACHO_OK : prepare(self));
    bare.args = NULL;
    bare.arg_count = 0;
    if (row->kind == TACHO_ROW_SPAN && (row->of.span.flags & TACHO_SPAN_INSTANT) == 0) {
        bare.of.span.op = correlation_of(self, row);
        bare.of.span.end =
            (row->of.span.flags & TACHO_SPAN_UNENDED) != 0 ? row->start : row->of.span.end;
        return tacho_spool_add(self->spool, &bare);
    }
    if (row->kind == TACHO_ROW_FLOW) {
        self->has_launch_arrows = self->has_launch_arrows || row->of.flow.role == TACHO_FLOW_LAUNCH;
        return tacho_spool_add(self->spool, &bare);
    }
    return TACHO_OK;
}

/* ---- what a span is ------------------------------------------------------------------------ */

static tacho_status grow_sites(tacho_breakdown_gather *self)
{
    const tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_grow(&self->sites, &self->site_capacity, dict->site_count));
    for (; self->site_count < dict->site_count; self->site_count++) {
        const tacho_site *site = &dict->sites[self->site_count];
        tacho_str category = tacho_dict_string(dict, site->category);
        tacho_str name = tacho_dict_string(dict, site->name);
        tacho_category_kind kind = tacho_span_kind_of(category, name);
        bool is_idle = kind == TACHO_CATEGORY_KIND_PHASE || kind == TACHO_CATEGORY_KIND_WAIT;
        unsigned facts = (unsigned)tacho_work_kind_of(TACHO_TRACK_COMPUTE, category, name);
        facts |= (is_idle ? SITE_IDLE : 0) | (kind == TACHO_CATEGORY_KIND_HOST ? SITE_OF_HOST : 0);
        self->sites[self->site_count] = (uint8_t)facts;
    }
    return TACHO_OK;
}

uint32_t tacho_breakdown_device_group(const tacho_dict *dict, uint32_t track)
{
    uint32_t root = dict->parts[dict->tracks[track].part].root;
    uint32_t group = root;
    for (uint32_t at = dict->tracks[track].parent; at != TACHO_NONE && at != root;
         at = dict->tracks[at].parent) {
        group = dict->tracks[at].track_class == TACHO_TRACK_GROUP ? at : group;
    }
    return group;
}

static tacho_status grow_tracks(tacho_breakdown_gather *self)
{
    const tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_grow(&self->tracks, &self->track_capacity, dict->track_count));
    for (; self->track_count < dict->track_count; self->track_count++) {
        track_state *track = &self->tracks[self->track_count];
        *track = (track_state){.is_device = false};
        for (size_t i = 0; i < TACHO_ORIGIN_COUNT; i++) {
            track->devices[i] = TACHO_NONE;
        }
    }
    return TACHO_OK;
}

/*
 * Which tracks of |part| have work of a device. Programs of a sequencer stand in for the engines of
 * a device that shows none.
 */
static void find_device_tracks(tacho_breakdown_gather *self, uint32_t part)
{
    const tacho_dict *dict = self->events.dict;
    for (uint32_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        if (track->part == part && (TACHO_TRACK_BIT(track->track_class) & ENGINES) != 0) {
            self->tracks[i].is_device = true;
            self->tracks[tacho_breakdown_device_group(dict, i)].has_engines = true;
        }
    }
    for (uint32_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        if (track->part == part && track->track_class == TACHO_TRACK_CONTROL) {
            self->tracks[i].is_device =
                !self->tracks[tacho_breakdown_device_group(dict, i)].has_engines;
        }
    }
}

static bool is_work(const tacho_breakdown_gather *self, const track_state *track,
                    const tacho_row *row)
{
    return track->is_device && (self->sites[row->of.span.site] & (SITE_IDLE | SITE_OF_HOST)) == 0;
}

/* ---- devices ------------------------------------------------------------------------------- */

static tacho_status ensure_device(tacho_breakdown_gather *self, uint32_t track, tacho_origin origin,
                                  uint32_t *out_device)
{
    const tacho_dict *dict = self->events.dict;
    uint32_t group = tacho_breakdown_device_group(dict, track);
    uint32_t *known = &self->tracks[group].devices[origin]; /* a group has no work of its own */
    if (*known != TACHO_NONE) {
        *out_device = *known;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->devices, &self->device_capacity, self->device_count + 1));
    *out_device = *known = (uint32_t)self->device_count;
    self->devices[self->device_count++] = (tacho_breakdown_device){
        .part = dict->tracks[track].part, .group = group, .origin = origin};
    return TACHO_OK;
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
        TACHO_TRY(tacho_host_thread_main(&self->tracks[gap->launch_track].thread, gap->start_ns,
                                         gap->end_ns, &made.deed));
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

/* ---- arrows -------------------------------------------------------------------------------- */

static int64_t row_ns(const tacho_breakdown_gather *self, const tacho_row *row, int64_t ticks)
{
    return tacho_clock_ns(tacho_dict_track_clock(self->events.dict, row->track), ticks);
}

/* What waits for a launch that starts at the same time as its work; the latest few are kept. */
static void keep_early(tacho_breakdown_gather *self, uint64_t id, const tacho_row *row)
{
    self->early[self->early_count++ % TACHO_BREAKDOWN_EARLY] = (tacho_breakdown_early){id, *row};
}

static const tacho_row *find_early(const tacho_breakdown_gather *self, uint64_t id)
{
    for (size_t i = 0; i < self->early_count && i < TACHO_BREAKDOWN_EARLY; i++) {
        if (self->early[i].id == id) {
            return &self->early[i].row;
        }
    }
    return NULL;
}

/* Hands a launch to the work that has just started on |track|. */
static tacho_status give_launch(tacho_breakdown_gather *self, track_state *track,
                                const tacho_launch *launch)
{
    if (track->has_last_launch) {
        return TACHO_OK;
    }
    tacho_breakdown_device *device = &self->devices[track->devices[track->last_origin]];
    uint32_t stream = track->streams[track->last_origin];
    const tacho_device_work late = {
        .has_launch = true, .launch_ns = launch->start_ns, .launch_track = launch->track};
    track->has_last_launch = true;
    tacho_device_time_add_launch(&device->time, stream, &late);
    return tacho_launch_stats_add(&device->streams[stream].launches, launch, self->now_ns,
                                  track->last_end_ns);
}

/* Keeps what has arrived until its span comes, or hands it to the span that has just come. */
static tacho_status keep_arrival(tacho_breakdown_gather *self, const tacho_row *row,
                                 const arrival *came)
{
    track_state *track = &self->tracks[row->track];
    bool has_come = track->has_last && track->last_start == row->start &&
                    (tacho_row_is_around(row) || track->last_end == row->of.flow.span_end);
    if (has_come && came->has_launch) {
        return give_launch(self, track, &came->launch);
    }
    if (!has_come && !tacho_row_is_around(row)) {
        track->arrivals[track->next_arrival++ % ARRIVALS] = *came;
    }
    return TACHO_OK;
}

static tacho_status arrive(tacho_breakdown_gather *self, const tacho_row *row,
                           const tacho_launch *launch)
{
    arrival came = {.is_used = true,
                    .is_next = row->of.flow.span_end == TACHO_FLOW_NEXT,
                    .start = row->start,
                    .span_end = row->of.flow.span_end,
                    .has_launch = launch != NULL,
                    .has_dependency = launch == NULL};
    if (launch != NULL) {
        came.launch = *launch;
    }
    return keep_arrival(self, row, &came);
}

static tacho_status add_departure(tacho_breakdown_gather *self, const tacho_row *row)
{
    const tacho_host_span *call =
        tacho_row_is_bound(row)
            ? NULL
            : tacho_host_thread_innermost(&self->tracks[row->track].thread, self->now_ns);
    int64_t end_ns = tacho_row_is_bound(row) ? row_ns(self, row, row->of.flow.span_end) : -1;
    const tacho_launch launch = {
        .id = row->of.flow.id,
        .start_ns = call != NULL ? call->start_ns : self->now_ns,
        .end_ns = call != NULL ? call->end_ns : end_ns,
        .track = row->track,
    };
    const tacho_row *early = find_early(self, launch.id);
    if (early == NULL) {
        return tacho_launch_window_add(&self->launches, &launch);
    }
    return arrive(self, early, &launch);
}

/*
 * An arrow from the host to a device is a launch, whatever it is called: not all traces keep that.
 * One that arrives and goes on may have launched more.
 */
static bool find_launch(tacho_breakdown_gather *self, const tacho_row *row, tacho_launch *launch)
{
    uint64_t id = row->of.flow.id;
    return row->of.flow.phase == TACHO_FLOW_PASSES
               ? tacho_launch_window_find(&self->launches, id, launch)
               : tacho_launch_window_take(&self->launches, id, launch);
}

static tacho_status take_arrow(tacho_breakdown_gather *self, const tacho_row *row)
{
    bool is_device = self->tracks[row->track].is_device;
    tacho_launch launch;
    if (row->of.flow.phase == TACHO_FLOW_LEAVES) {
        return is_device ? TACHO_OK : add_departure(self, row);
    }
    if (!is_device) {
        return TACHO_OK;
    }
    if (find_launch(self, row, &launch)) {
        return arrive(self, row, &launch);
    }
    if (row->of.flow.role != TACHO_FLOW_LAUNCH) {
        return arrive(self, row, NULL);
    }
    keep_early(self, row->of.flow.id, row);
    return TACHO_OK;
}

/* What has arrived at a span that starts now. */
static arrival take_arrivals(track_state *track, const tacho_row *row)
{
    arrival sum = {.is_used = false};
    for (size_t i = 0; i < ARRIVALS; i++) {
        arrival *at = &track->arrivals[i];
        bool is_its =
            at->is_used &&
            (at->is_next || (at->start == row->start && at->span_end == row->of.span.end));
        if (is_its) {
            sum.has_dependency = sum.has_dependency || at->has_dependency;
            sum.launch = at->has_launch && !sum.has_launch ? at->launch : sum.launch;
            sum.has_launch = sum.has_launch || at->has_launch;
            at->is_used = false;
        }
    }
    return sum;
}

/* ---- spans --------------------------------------------------------------------------------- */

static uint64_t correlation_id(uint32_t correlation)
{
    return UINT64_C(1) << CORRELATION_BIT | correlation;
}

/* What the host does, and a call that may launch something. */
static tacho_status add_call(tacho_breakdown_gather *self, const tacho_row *row)
{
    const uint32_t hosts = BIT(HOST) | BIT(RUNTIME) | BIT(HOST_COPY);
    tacho_track_class track_class = self->events.dict->tracks[row->track].track_class;
    int64_t end_ns = row_ns(self, row, row->of.span.end);
    if ((TACHO_TRACK_BIT(track_class) & hosts) != 0) {
        const tacho_host_span span = {row->of.span.site, self->now_ns, end_ns};
        TACHO_TRY(tacho_host_thread_add(&self->tracks[row->track].thread, &span));
    }
    bool is_wait = self->tracks[row->track].is_device && /* of a stream: it launches nothing */
                   (self->sites[row->of.span.site] & SITE_IDLE) != 0;
    if (row->of.span.op == TACHO_NONE || self->has_launch_arrows || is_wait) {
        return TACHO_OK;
    }
    const tacho_launch launch = {.id = correlation_id(row->of.span.op),
                                 .start_ns = self->now_ns,
                                 .end_ns = end_ns,
                                 .track = row->track};
    const tacho_row *early = find_early(self, launch.id);
    track_state *track = early != NULL ? &self->tracks[early->track] : NULL;
    if (track != NULL && track->last_start == early->start &&
        track->last_end == early->of.span.end) {
        TACHO_TRY(give_launch(self, track, &launch));
    }
    return tacho_launch_window_add(&self->launches, &launch);
}

static tacho_origin origin_of(const tacho_dict *dict, const tacho_row *row)
{
    uint32_t own = row->of.span.flags & TACHO_SPAN_ORIGIN_MASK;
    return own != 0 ? (tacho_origin)own : dict->parts[dict->tracks[row->track].part].origin;
}

static tacho_status add_work(tacho_breakdown_gather *self, track_state *track, const tacho_row *row)
{
    const tacho_dict *dict = self->events.dict;
    tacho_origin origin = origin_of(dict, row);
    TACHO_TRY(ensure_stream(self, row->track, origin));
    TACHO_TRY(note_start(self, track->devices[origin]));
    arrival came = take_arrivals(track, row);
    if (!came.has_launch && row->of.span.op != TACHO_NONE) {
        came.has_launch = tacho_launch_window_find(&self->launches, correlation_id(row->of.span.op),
                                                   &came.launch);
    }
    if (!came.has_launch && row->of.span.op != TACHO_NONE) {
        keep_early(self, correlation_id(row->of.span.op), row);
    }
    tacho_track_class track_class = dict->tracks[row->track].track_class;
    tacho_device_work work = {
        .start_ns = self->now_ns,
        .end_ns = row_ns(self, row, row->of.span.end),
        .kind = (TACHO_TRACK_BIT(track_class) & (BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL))) != 0
                    ? TACHO_WORK_COPY
                    : (tacho_work_kind)(self->sites[row->of.span.site] & SITE_KIND_MASK),
        .has_launch = came.has_launch,
        .has_dependency = came.has_dependency,
        .launch_ns = came.launch.start_ns,
        .launch_track = came.launch.track,
        .site = row->of.span.site,
    };
    tacho_breakdown_device *device = &self->devices[track->devices[origin]];
    if (came.has_launch) {
        TACHO_TRY(tacho_launch_stats_add(&device->streams[track->streams[origin]].launches,
                                         &came.launch, work.start_ns, work.end_ns));
    }
    track->has_last = true;
    track->has_last_launch = came.has_launch;
    track->last_start = row->start;
    track->last_end = row->of.span.end;
    track->last_end_ns = work.end_ns;
    track->last_origin = origin;
    return tacho_device_time_add(&device->time, track->streams[origin], &work);
}

/* Takes what comes out of the spool. */
typedef struct timeline {
    tacho_events events;
    tacho_breakdown_gather *gather;
} timeline;

static tacho_status pass_row(tacho_events *events, const tacho_row *row)
{
    tacho_breakdown_gather *self = ((timeline *)(void *)events)->gather;
    int64_t now_ns = row_ns(self, row, row->start);
    if (now_ns > self->now_ns) {
        TACHO_TRY(settle_devices(self));
        self->now_ns = now_ns;
        self->early_count = 0;
    }
    if (row->kind == TACHO_ROW_FLOW) {
        return take_arrow(self, row);
    }
    track_state *track = &self->tracks[row->track];
    return is_work(self, track, row) ? add_work(self, track, row) : add_call(self, row);
}

/* ---- parts --------------------------------------------------------------------------------- */

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    static const tacho_events_vtable vtable = {.row = pass_row};
    tacho_breakdown_gather *self = gather_of(events);
    timeline into = {{&vtable, self->events.dict}, self};
    if (self->spool == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(grow_sites(self));
    TACHO_TRY(grow_tracks(self));
    find_device_tracks(self, part);
    self->now_ns = INT64_MIN;
    TACHO_TRY(tacho_spool_drain(self->spool, &into.events));
    TACHO_TRY(settle_devices(self));
    for (; self->finished_count < self->device_count; self->finished_count++) {
        tacho_breakdown_device *device = &self->devices[self->finished_count];
        TACHO_TRY(tacho_device_time_finish(&device->time));
        for (size_t i = 0; i < device->stream_count; i++) {
            tacho_launch_stats_finish(&device->streams[i].launches);
        }
    }
    for (size_t i = 0; i < self->track_count; i++) {
        tacho_host_thread_deinit(&self->tracks[i].thread);
    }
    tacho_launch_window_clear(&self->launches);
    self->has_launch_arrows = false;
    return TACHO_OK;
}

void tacho_breakdown_gather_init(tacho_breakdown_gather *gather, tacho_dict *dict)
{
    static const tacho_events_vtable vtable = {.row = gather_row, .end_part = end_part};
    *gather = (tacho_breakdown_gather){.events = {&vtable, dict}};
}

void tacho_breakdown_gather_deinit(tacho_breakdown_gather *gather)
{
    for (size_t i = 0; i < gather->device_count; i++) {
        tacho_device_time_deinit(&gather->devices[i].time);
        for (size_t k = 0; k < gather->devices[i].stream_count; k++) {
            tacho_launch_stats_deinit(&gather->devices[i].streams[k].launches);
        }
        free(gather->devices[i].streams);
    }
    for (size_t i = 0; i < gather->track_count; i++) {
        tacho_host_thread_deinit(&gather->tracks[i].thread);
    }
    free(gather->gaps);
    tacho_spool_destroy(gather->spool);
    tacho_launch_window_deinit(&gather->launches);
    free(gather->devices);
    free(gather->starting);
    free(gather->tracks);
    free(gather->sites);
    tacho_breakdown_gather_init(gather, gather->events.dict);
}
