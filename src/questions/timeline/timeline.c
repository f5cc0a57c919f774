/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps rows in the spool, then passes them to the taker in order of time.
 */
#include "questions/timeline/timeline.h"

#include "questions/timeline/timeline_keys.h"
#include "questions/timeline/timeline_windows.h"
#include "base/grow.h"
#include "profile/operators.h"

#include <stdlib.h>

#define BIT(name) TACHO_TRACK_BIT(TACHO_TRACK_##name)

enum { SPOOL_BYTES = 4 << 20, ARRIVALS = 4, DEPARTURES = 4, KEPT_ARGS = 4 };

/* Bits that separate numbers of arguments from those of arrows, which are smaller. */
enum { CORRELATION_BIT = 63, EXTERNAL_BIT = 62 };

static const uint32_t ENGINES =
    BIT(COMPUTE) | BIT(VECTOR) | BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL);

/* Facts of the spans of a site. */
enum {
    SITE_KIND_MASK = 3,    /* a tacho_work_kind, on a track of compute engines */
    SITE_IDLE = 1 << 2,    /* a phase or a wait */
    SITE_OF_HOST = 1 << 3, /* not device work, on any track */
    SITE_OF_DEVICE = 1 << 4,
};
_Static_assert(TACHO_WORK_KIND_COUNT <= SITE_KIND_MASK + 1, "kinds fit their bits");

/* An arrow that has arrived before its span. */
typedef struct arrival {
    bool is_used;
    bool is_next; /* for the next span */
    bool has_launch, has_dependency;
    int64_t start, span_end; /* ticks */
    tacho_launch launch;
} arrival;

/* An arrow that leaves from one of the next spans. */
typedef struct departure {
    bool is_used;
    int64_t start, span_end; /* ticks */
    uint64_t id;
} departure;

/* Arrows that wait for spans of a track: the latest few, in rings. */
typedef struct track_arrows {
    unsigned next_arrival, next_departure;
    arrival arrivals[ARRIVALS];
    departure departures[DEPARTURES];
} track_arrows;

typedef struct tacho_timeline_track {
    bool is_device;       /* its spans are work of a device */
    bool has_engines;     /* of a group: contains tracks of engines */
    track_arrows *arrows; /* NULL before the first: most tracks have none */
    /* The latest work on it. */
    int64_t last_start, last_end; /* ticks */
    bool has_last, has_last_launch;
    tacho_host_thread thread; /* for host tracks */
} track_state;

static tacho_timeline *timeline_of(tacho_events *events)
{
    return (tacho_timeline *)(void *)events;
}

static bool knows_places(const tacho_timeline *self)
{
    return self->taker.place != NULL && !self->taker.places_only_launches;
}

/* ---- spans and tracks ---------------------------------------------------------------------- */

static tacho_status grow_sites(tacho_timeline *self)
{
    const tacho_dict *dict = self->events.dict;
    if (self->site_count == dict->site_count) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->sites, &self->site_capacity, dict->site_count));
    for (; self->site_count < dict->site_count; self->site_count++) {
        const tacho_site *site = &dict->sites[self->site_count];
        tacho_str category = tacho_dict_string(dict, site->category);
        tacho_str name = tacho_dict_string(dict, site->name);
        tacho_category_kind kind = tacho_span_kind_of(category, name);
        bool is_idle = kind == TACHO_CATEGORY_KIND_PHASE || kind == TACHO_CATEGORY_KIND_WAIT;
        unsigned facts = (unsigned)tacho_work_kind_of(TACHO_TRACK_COMPUTE, category, name);
        facts |= (is_idle ? SITE_IDLE : 0) | (kind == TACHO_CATEGORY_KIND_HOST ? SITE_OF_HOST : 0);
        facts |= kind == TACHO_CATEGORY_KIND_DEVICE ? SITE_OF_DEVICE : 0;
        self->sites[self->site_count] = (uint8_t)facts;
    }
    return TACHO_OK;
}

static tacho_status grow_tracks(tacho_timeline *self)
{
    const tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_grow(&self->tracks, &self->track_capacity, dict->track_count));
    while (self->track_count < dict->track_count) {
        self->tracks[self->track_count++] = (track_state){.is_device = false};
    }
    return TACHO_OK;
}

/*
 * Finds the tracks of |part| with device work. Programs of a sequencer represent the engines of a
 * device that shows none.
 */
static void find_device_tracks(tacho_timeline *self, uint32_t part)
{
    const tacho_dict *dict = self->events.dict;
    for (uint32_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        if (track->part == part && (TACHO_TRACK_BIT(track->track_class) & ENGINES) != 0) {
            self->tracks[i].is_device = true;
            self->tracks[tacho_device_group(dict, i)].has_engines = true;
        }
    }
    for (uint32_t i = 0; i < dict->track_count; i++) {
        const tacho_track *track = &dict->tracks[i];
        if (track->part == part && track->track_class == TACHO_TRACK_CONTROL) {
            self->tracks[i].is_device = !self->tracks[tacho_device_group(dict, i)].has_engines;
        }
    }
}

static bool is_work(const tacho_timeline *self, const track_state *track, const tacho_row *row)
{
    return track->is_device && (self->sites[row->of.span.site] & (SITE_IDLE | SITE_OF_HOST)) == 0;
}

/* ---- into the spool ------------------------------------------------------------------------ */

static tacho_status prepare(tacho_timeline *self)
{
    for (tacho_timeline *at = self; at != NULL; at = at->next) {
        TACHO_TRY(tacho_timeline_find_keys(at));
    }
    self->is_ready = true;
    return tacho_spool_create(self->events.dict, SPOOL_BYTES, &self->spool);
}

/* The number of the first argument with one of |keys|, or TACHO_NONE. */
static uint32_t find_number(const tacho_row *row, const uint32_t *keys, size_t key_count)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        bool is_key = false;
        for (size_t k = 0; k < key_count; k++) {
            is_key = is_key || arg->key == keys[k];
        }
        bool is_number = arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT;
        if (is_key && is_number && arg->value.as_uint > 0 && arg->value.as_uint < TACHO_NONE) {
            return (uint32_t)arg->value.as_uint;
        }
    }
    return TACHO_NONE;
}

/* Keeps the arguments that connect operators of the forward and the backward pass. */
static void keep_sequence(const tacho_timeline *self, const tacho_row *row, tacho_arg *kept,
                          tacho_row *bare)
{
    const tacho_arg *sequence = NULL;
    const tacho_arg *forward = NULL;
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        bool is_number = (arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT) &&
                         arg->value.as_uint < TACHO_NONE;
        sequence = is_number && arg->key == self->sequence_key ? arg : sequence;
        forward = is_number && arg->key == self->forward_key ? arg : forward;
    }
    if (sequence != NULL && forward != NULL) {
        kept[bare->arg_count++] = *sequence;
        kept[bare->arg_count++] = *forward;
    }
}

/* Keeps a span with only the arguments that the timeline needs. */
static tacho_status keep_span(tacho_timeline *self, const tacho_row *row, tacho_row *bare)
{
    tacho_arg kept[KEPT_ARGS + 1]; /* and the serial */
    bare->args = kept;
    bare->of.span.op = find_number(row, self->keys, TACHO_LAUNCH_KEYS);
    bare->of.span.end =
        (row->of.span.flags & TACHO_SPAN_UNENDED) != 0 ? row->start : row->of.span.end;
    if (self->needs.operators) {
        uint32_t external = find_number(row, self->external_keys, TACHO_EXTERNAL_KEYS);
        uint32_t type = TACHO_NONE;
        TACHO_TRY(tacho_operators_of_row(&self->operators, row, &type));
        if (external != TACHO_NONE && bare->of.span.op == TACHO_NONE) {
            TACHO_TRY(grow_sites(self));
            self->needs_externals |= (self->sites[row->of.span.site] & SITE_OF_DEVICE) != 0;
        }
        if (external != TACHO_NONE) {
            kept[bare->arg_count++] = (tacho_arg){
                .key = self->external_keys[0], .type = TACHO_ARG_UINT, .value.as_uint = external};
        }
        if (type != TACHO_NONE) {
            kept[bare->arg_count++] = (tacho_arg){
                .key = self->operators.key, .type = TACHO_ARG_STRING, .value.as_string = type};
        }
        keep_sequence(self, row, kept, bare);
    }
    if (self->needs.serials) {
        kept[bare->arg_count++] = (tacho_arg){
            .key = self->serial_key, .type = TACHO_ARG_UINT, .value.as_uint = self->serial - 1};
    }
    return tacho_spool_add(self->spool, bare);
}

static tacho_status add_to_steps(tacho_timeline *self, const tacho_row *row)
{
    tacho_row copy = *row;
    if (self->taker.has_own_runs && row->kind == TACHO_ROW_SPAN) {
        copy.of.span.run = TACHO_NONE;
    }
    return tacho_steps_add(&self->steps, &copy);
}

static tacho_status spool_row(tacho_events *events, const tacho_row *row)
{
    tacho_timeline *self = timeline_of(events);
    tacho_row bare = *row;
    TACHO_TRY(self->is_ready ? TACHO_OK : prepare(self));
    for (tacho_timeline *at = self; at != NULL; at = at->next) {
        TACHO_TRY(at->taker.needs_steps ? add_to_steps(at, row) : TACHO_OK);
    }
    bare.args = NULL;
    bare.arg_count = 0;
    self->serial += row->kind == TACHO_ROW_SPAN ? 1 : 0;
    if (row->kind == TACHO_ROW_SPAN && (row->of.span.flags & TACHO_SPAN_INSTANT) == 0) {
        return keep_span(self, row, &bare);
    }
    if (row->kind == TACHO_ROW_FLOW) {
        return tacho_spool_add(self->spool, &bare);
    }
    return TACHO_OK;
}

/* ---- arrows -------------------------------------------------------------------------------- */

static int64_t row_ns(const tacho_timeline *self, const tacho_row *row, int64_t ticks)
{
    return tacho_clock_ns(tacho_dict_track_clock(self->events.dict, row->track), ticks);
}

static uint32_t place_on(const tacho_timeline *self, uint32_t track)
{
    const tacho_timeline_taker *taker = &self->taker;
    return taker->place != NULL ? taker->place(taker->self, track, self->now_ns) : 0;
}

/* Keeps an arrival whose launch starts at the same time as its work; only the latest few are
 * kept. */
static void keep_early(tacho_timeline *self, uint64_t id, const tacho_row *row)
{
    self->early[self->early_count++ % TACHO_TIMELINE_EARLY] = (tacho_timeline_early){id, *row};
}

static const tacho_row *find_early(const tacho_timeline *self, uint64_t id)
{
    for (size_t i = 0; i < self->early_count && i < TACHO_TIMELINE_EARLY; i++) {
        if (self->early[i].id == id) {
            return &self->early[i].row;
        }
    }
    return NULL;
}

/* Passes a launch to the work that has just started on |id|. */
static tacho_status give_launch(tacho_timeline *self, uint32_t id, const tacho_launch *launch)
{
    track_state *track = &self->tracks[id];
    if (track->has_last_launch || self->taker.launch == NULL) {
        return TACHO_OK;
    }
    track->has_last_launch = true;
    return self->taker.launch(self->taker.self, id, launch);
}

static void deinit_track(track_state *track)
{
    tacho_host_thread_deinit(&track->thread);
    free(track->arrows);
    track->arrows = NULL;
}

static tacho_status ensure_arrows(track_state *track)
{
    return track->arrows != NULL ? TACHO_OK : tacho_struct_make(&track->arrows);
}

/* Keeps an arrival until its span follows, or passes it to the latest span if it belongs to
 * that. */
static tacho_status keep_arrival(tacho_timeline *self, const tacho_row *row, const arrival *came)
{
    track_state *track = &self->tracks[row->track];
    bool has_come = track->has_last && track->last_start == row->start &&
                    (tacho_row_is_around(row) || track->last_end == row->of.flow.span_end);
    if (has_come && came->has_launch) {
        return give_launch(self, row->track, &came->launch);
    }
    if (!has_come && !tacho_row_is_around(row)) {
        TACHO_TRY(ensure_arrows(track));
        track->arrows->arrivals[track->arrows->next_arrival++ % ARRIVALS] = *came;
    }
    return TACHO_OK;
}

static tacho_status arrive(tacho_timeline *self, const tacho_row *row, const tacho_launch *launch)
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

static tacho_status add_departure(tacho_timeline *self, const tacho_row *row)
{
    track_state *track = &self->tracks[row->track];
    bool is_bound = tacho_row_is_bound(row);
    const tacho_host_span *call =
        is_bound ? NULL : tacho_host_thread_innermost(&track->thread, self->now_ns);
    int64_t end_ns = is_bound ? row_ns(self, row, row->of.flow.span_end) : -1;
    const tacho_launch launch = {
        .id = row->of.flow.id,
        .start_ns = call != NULL ? call->start_ns : self->now_ns,
        .end_ns = call != NULL ? call->end_ns : end_ns,
        .track = row->track,
        .place = place_on(self, row->track),
    };
    if (is_bound) { /* its span knows the place better */
        TACHO_TRY(ensure_arrows(track));
        track->arrows->departures[track->arrows->next_departure++ % DEPARTURES] =
            (departure){true, row->start, row->of.flow.span_end, row->of.flow.id};
    }
    const tacho_row *early = find_early(self, launch.id);
    return early == NULL ? tacho_launch_window_add(&self->launches, &launch)
                         : arrive(self, early, &launch);
}

/*
 * An arrow from the host to a device is a launch, regardless of its name: not all traces keep
 * names. One that arrives and goes on may have launched more.
 */
static bool find_launch(tacho_timeline *self, const tacho_row *row, tacho_launch *launch)
{
    uint64_t id = row->of.flow.id;
    return row->of.flow.phase == TACHO_FLOW_PASSES
               ? tacho_launch_window_find(&self->launches, id, launch)
               : tacho_launch_window_take(&self->launches, id, launch);
}

static tacho_status take_arrow(tacho_timeline *self, const tacho_row *row)
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

/* Takes the arrivals at a span that starts now. */
static arrival take_arrivals(track_state *track, const tacho_row *row)
{
    arrival sum = {.is_used = false};
    for (size_t i = 0; i < ARRIVALS && track->arrows != NULL; i++) {
        arrival *at = &track->arrows->arrivals[i];
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

/* ---- numbers ------------------------------------------------------------------------------- */

static uint64_t correlation_id(uint32_t correlation)
{
    return UINT64_C(1) << CORRELATION_BIT | correlation;
}

static uint64_t external_id(uint32_t external)
{
    return UINT64_C(1) << EXTERNAL_BIT | external;
}

/* The kept argument |key|, or TACHO_NONE. */
static uint32_t kept_number(const tacho_row *row, uint32_t key)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        if (arg->key == key) {
            return arg->type == TACHO_ARG_STRING ? arg->value.as_string
                                                 : (uint32_t)arg->value.as_uint;
        }
    }
    return TACHO_NONE;
}

/* The number that the span got when it was pushed. */
static uint64_t kept_serial(const tacho_timeline *self, const tacho_row *row)
{
    const tacho_arg *last = row->arg_count > 0 ? &row->args[row->arg_count - 1] : NULL;
    return last != NULL && last->key == self->serial_key ? last->value.as_uint : 0;
}

/* Keeps |call| for later work with its number, and assigns earlier work with that number to it. */
static tacho_status add_caller(tacho_timeline *self, const tacho_launch *call)
{
    tacho_launch waiting;
    while (self->taker.late != NULL &&
           tacho_launch_window_take(&self->waiting, call->id, &waiting)) {
        TACHO_TRY(self->taker.late(self->taker.self, waiting.place, call->place));
    }
    return tacho_launch_window_add(&self->callers, call);
}

/* Notes the place of the call |row|, for work with its number. */
static tacho_status note_caller(tacho_timeline *self, const tacho_row *row)
{
    uint32_t external =
        self->needs_externals ? kept_number(row, self->external_keys[0]) : TACHO_NONE;
    tacho_launch call = {.track = row->track, .place = place_on(self, row->track)};
    if (external != TACHO_NONE) {
        call.id = external_id(external);
        TACHO_TRY(add_caller(self, &call));
    }
    call.id = correlation_id(row->of.span.op);
    return row->of.span.op != TACHO_NONE ? add_caller(self, &call) : TACHO_OK;
}

/*
 * Notes the operator |row| of a forward pass, for those of the backward pass with its number. The
 * last operator to start with a number is the one that the number was given to. A number that
 * several threads use is ambiguous and has no operator.
 */
static tacho_status note_forward(tacho_timeline *self, const tacho_row *row)
{
    uint32_t sequence = kept_number(row, self->sequence_key);
    tacho_launch known;
    if (sequence == TACHO_NONE || kept_number(row, self->forward_key) != 0) {
        return TACHO_OK;
    }
    tacho_launch forward = {
        .id = sequence, .track = row->track, .place = place_on(self, row->track)};
    if (tacho_launch_window_find(&self->forwards, sequence, &known) && known.track != row->track) {
        forward.track = TACHO_NONE;
        forward.place = 0;
    }
    return tacho_launch_window_add(&self->forwards, &forward);
}

/* The place of the forward operator of |row|, if |row| is of a backward pass. */
static uint32_t find_forward(const tacho_timeline *self, const tacho_row *row)
{
    uint32_t sequence = kept_number(row, self->sequence_key);
    tacho_launch forward;
    bool is_backward = sequence != TACHO_NONE && kept_number(row, self->forward_key) != 0;
    return is_backward && tacho_launch_window_find(&self->forwards, sequence, &forward)
               ? forward.place
               : TACHO_NONE;
}

/* Sets the place of arrows that leave from |row|, a span on |track|. */
static void place_departures(tacho_timeline *self, track_state *track, const tacho_row *row)
{
    for (size_t i = 0; i < DEPARTURES && track->arrows != NULL; i++) {
        departure *at = &track->arrows->departures[i];
        if (at->is_used && at->start == row->start && at->span_end == row->of.span.end) {
            tacho_launch_window_move(&self->launches, at->id, place_on(self, row->track));
            at->is_used = false;
        }
    }
}

/* Finds the place of the call of |work|, if known. */
static void find_caller(const tacho_timeline *self, const tacho_row *row, tacho_timeline_work *work)
{
    uint32_t external = kept_number(row, self->external_keys[0]);
    tacho_launch call;
    if (row->of.span.op != TACHO_NONE &&
        tacho_launch_window_find(&self->callers, correlation_id(row->of.span.op), &call)) {
        work->has_caller = true;
        work->caller = call.place;
    } else if (work->has_launch) {
        work->has_caller = true;
        work->caller = work->launch.place;
    } else if (external != TACHO_NONE &&
               tacho_launch_window_find(&self->callers, external_id(external), &call)) {
        work->has_caller = true;
        work->caller = call.place;
    }
}

/* ---- spans --------------------------------------------------------------------------------- */

static tacho_timeline_span span_of(const tacho_timeline *self, const tacho_row *row)
{
    const tacho_dict *dict = self->events.dict;
    uint32_t own = row->of.span.flags & TACHO_SPAN_ORIGIN_MASK;
    return (tacho_timeline_span){
        .row = row,
        .serial = kept_serial(self, row),
        .start_ns = self->now_ns,
        .end_ns = row_ns(self, row, row->of.span.end),
        .origin = own != 0 ? (tacho_origin)own : dict->parts[dict->tracks[row->track].part].origin,
        .type = knows_places(self) ? kept_number(row, self->operators.key) : TACHO_NONE,
        .forward = knows_places(self) ? find_forward(self, row) : TACHO_NONE,
    };
}

/* Adds a call that may launch work, by its number. */
static tacho_status add_launch(tacho_timeline *self, const tacho_timeline_span *span)
{
    const tacho_row *row = span->row;
    bool is_wait = self->tracks[row->track].is_device && /* of a stream: it launches nothing */
                   (self->sites[row->of.span.site] & SITE_IDLE) != 0;
    if (row->of.span.op == TACHO_NONE || is_wait) {
        return TACHO_OK;
    }
    const tacho_launch launch = {.id = correlation_id(row->of.span.op),
                                 .start_ns = span->start_ns,
                                 .end_ns = span->end_ns,
                                 .track = row->track,
                                 .place = place_on(self, row->track)};
    const tacho_row *early = find_early(self, launch.id);
    const track_state *track = early != NULL ? &self->tracks[early->track] : NULL;
    if (track != NULL && track->last_start == early->start &&
        track->last_end == early->of.span.end) {
        TACHO_TRY(give_launch(self, early->track, &launch));
    }
    return tacho_launch_window_add(&self->launches, &launch);
}

static tacho_status add_call(tacho_timeline *self, const tacho_row *row)
{
    const uint32_t hosts = BIT(HOST) | BIT(RUNTIME) | BIT(HOST_COPY);
    tacho_track_class track_class = self->events.dict->tracks[row->track].track_class;
    track_state *track = &self->tracks[row->track];
    const tacho_timeline_span span = span_of(self, row);
    if ((TACHO_TRACK_BIT(track_class) & hosts) != 0) {
        const tacho_host_span did = {row->of.span.site, span.start_ns, span.end_ns};
        TACHO_TRY(tacho_host_thread_add(&track->thread, &did));
    }
    if (self->taker.call != NULL) {
        TACHO_TRY(self->taker.call(self->taker.self, &span));
    }
    if (knows_places(self) && !track->is_device) {
        place_departures(self, track, row);
        TACHO_TRY(note_forward(self, row));
        TACHO_TRY(note_caller(self, row));
    }
    return add_launch(self, &span);
}

static void join_launch(tacho_timeline *self, track_state *track, tacho_timeline_work *work)
{
    const tacho_row *row = work->span.row;
    arrival came = take_arrivals(track, row);
    uint64_t id = correlation_id(row->of.span.op);
    if (!came.has_launch && row->of.span.op != TACHO_NONE) {
        came.has_launch = tacho_launch_window_find(&self->launches, id, &came.launch);
    }
    if (!came.has_launch && row->of.span.op != TACHO_NONE) {
        keep_early(self, id, row);
    }
    work->has_launch = came.has_launch;
    work->has_dependency = came.has_dependency;
    work->launch = came.launch;
    if (knows_places(self)) {
        find_caller(self, row, work);
    }
}

/* The call of |row| may follow later, since clocks of hosts and devices differ. */
static tacho_status await_caller(tacho_timeline *self, const tacho_row *row, uint32_t tag)
{
    uint32_t external = kept_number(row, self->external_keys[0]);
    bool has_number = row->of.span.op != TACHO_NONE;
    if (!has_number && external == TACHO_NONE) {
        return TACHO_OK;
    }
    const tacho_launch waiting = {
        .id = has_number ? correlation_id(row->of.span.op) : external_id(external), .place = tag};
    return tacho_launch_window_add_more(&self->waiting, &waiting);
}

static tacho_status add_work(tacho_timeline *self, track_state *track, const tacho_row *row)
{
    const uint32_t transfers = BIT(DMA_IN) | BIT(DMA_OUT) | BIT(DMA_LOCAL);
    tacho_track_class track_class = self->events.dict->tracks[row->track].track_class;
    uint32_t tag = 0;
    tacho_timeline_work work = {
        .span = span_of(self, row),
        .kind = (TACHO_TRACK_BIT(track_class) & transfers) != 0
                    ? TACHO_WORK_COPY
                    : (tacho_work_kind)(self->sites[row->of.span.site] & SITE_KIND_MASK),
        .is_whole = (self->sites[row->of.span.site] & SITE_OF_DEVICE) != 0,
    };
    join_launch(self, track, &work);
    track->has_last = true;
    track->has_last_launch = work.has_launch;
    track->last_start = row->start;
    track->last_end = row->of.span.end;
    TACHO_TRY(self->taker.work(self->taker.self, &work, &tag));
    return self->taker.late != NULL && !work.has_caller ? await_caller(self, row, tag) : TACHO_OK;
}

/* Receives the rows from the spool. */
typedef struct outlet {
    tacho_events events;
    tacho_timeline *timeline;
} outlet;

static tacho_status take_row(tacho_timeline *self, const tacho_row *row)
{
    int64_t now_ns = row_ns(self, row, row->start);
    if (now_ns > self->now_ns) {
        if (self->taker.advance != NULL) {
            TACHO_TRY(self->taker.advance(self->taker.self, now_ns));
        }
        self->now_ns = now_ns;
        self->early_count = 0;
    }
    if (row->kind == TACHO_ROW_FLOW) {
        return take_arrow(self, row);
    }
    track_state *track = &self->tracks[row->track];
    return is_work(self, track, row) ? add_work(self, track, row) : add_call(self, row);
}

static tacho_status pass_row(tacho_events *events, const tacho_row *row)
{
    for (tacho_timeline *at = ((outlet *)(void *)events)->timeline; at != NULL; at = at->next) {
        TACHO_TRY(take_row(at, row));
    }
    return TACHO_OK;
}

/* ---- parts --------------------------------------------------------------------------------- */

static tacho_status begin_rows(tacho_timeline *self, uint32_t part)
{
    TACHO_TRY(grow_tracks(self));
    find_device_tracks(self, part);
    self->now_ns = INT64_MIN;
    return TACHO_OK;
}

static void end_rows(tacho_timeline *self)
{
    for (size_t i = 0; i < self->track_count; i++) {
        deinit_track(&self->tracks[i]);
    }
    tacho_launch_window_clear(&self->launches);
    tacho_launch_window_clear(&self->waiting);
    tacho_launch_window_clear(&self->callers);
    tacho_launch_window_clear(&self->forwards);
}

static tacho_status take_rows(tacho_events *events, const tacho_row *row)
{
    return take_row(((outlet *)(void *)events)->timeline, row);
}

/* Reads the rows of |part| only for the launches and the work of its steps. */
static tacho_status see_part(tacho_timeline *self, tacho_spool *spool, uint32_t part)
{
    static const tacho_events_vtable vtable = {.row = take_rows};
    outlet out = {{&vtable, self->events.dict}, self};
    const tacho_timeline_taker taker = self->taker;
    TACHO_TRY(begin_rows(self, part));
    self->taker = tacho_timeline_windows_taker(self);
    tacho_status status = tacho_spool_replay(spool, &out.events);
    self->taker = taker;
    end_rows(self);
    self->track_count = 0;
    return status;
}

static tacho_status find_windows(tacho_timeline *self, tacho_spool *spool, uint32_t part)
{
    bool is_late = self->steps.item_count > 0 && self->steps.is_of_host;
    size_t track_count = is_late ? self->events.dict->track_count : 0;
    TACHO_TRY(tacho_step_windows_begin(&self->windows, &self->steps, track_count));
    if (is_late) {
        TACHO_TRY(see_part(self, spool, part));
    }
    return tacho_step_windows_finish(&self->windows, &self->steps);
}

static tacho_status begin_part(tacho_timeline *self, tacho_spool *spool, uint32_t part)
{
    TACHO_TRY(grow_sites(self));
    TACHO_TRY(tacho_steps_find(&self->steps, part));
    tacho_steps_clear(&self->steps);
    TACHO_TRY(self->taker.needs_windows ? find_windows(self, spool, part) : TACHO_OK);
    TACHO_TRY(begin_rows(self, part));
    return self->taker.begin_part != NULL ? self->taker.begin_part(self->taker.self, part)
                                          : TACHO_OK;
}

static tacho_status leave_part(tacho_timeline *self, uint32_t part)
{
    if (self->taker.end_part != NULL) {
        TACHO_TRY(self->taker.end_part(self->taker.self, part));
    }
    end_rows(self);
    self->needs_externals = false;
    return TACHO_OK;
}

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    static const tacho_events_vtable vtable = {.row = pass_row};
    tacho_timeline *self = timeline_of(events);
    outlet out = {{&vtable, self->events.dict}, self};
    if (self->spool == NULL) {
        return TACHO_OK;
    }
    for (tacho_timeline *at = self; at != NULL; at = at->next) {
        at->needs_externals = self->needs_externals;
        TACHO_TRY(begin_part(at, self->spool, part));
    }
    TACHO_TRY(tacho_spool_drain(self->spool, &out.events));
    for (tacho_timeline *at = self; at != NULL; at = at->next) {
        TACHO_TRY(leave_part(at, part));
    }
    return TACHO_OK;
}

tacho_host_thread *tacho_timeline_thread(tacho_timeline *timeline, uint32_t track)
{
    return &timeline->tracks[track].thread;
}

bool tacho_timeline_is_device(const tacho_timeline *timeline, uint32_t track)
{
    return timeline->tracks[track].is_device;
}

void tacho_timeline_init(tacho_timeline *timeline, tacho_dict *dict,
                         const tacho_timeline_taker *taker)
{
    static const tacho_events_vtable vtable = {.row = spool_row, .end_part = end_part};
    *timeline = (tacho_timeline){.events = {&vtable, dict}, .taker = *taker};
    tacho_steps_init(&timeline->steps, dict);
    timeline->needs = (tacho_timeline_needs){knows_places(timeline), taker->needs_serials};
}

void tacho_timeline_deinit(tacho_timeline *timeline)
{
    end_rows(timeline);
    tacho_spool_destroy(timeline->spool);
    tacho_steps_deinit(&timeline->steps);
    tacho_step_windows_deinit(&timeline->windows);
    tacho_launch_window_deinit(&timeline->launches);
    tacho_launch_window_deinit(&timeline->waiting);
    tacho_launch_window_deinit(&timeline->callers);
    tacho_launch_window_deinit(&timeline->forwards);
    free(timeline->tracks);
    free(timeline->sites);
    tacho_timeline_init(timeline, timeline->events.dict, &timeline->taker);
}
