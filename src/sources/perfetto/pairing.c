/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A held event is a row on the part's root. Its time is the start, and its end decreases from event
 * to event, so that the spool, which puts the longer of two spans first, keeps the order of the
 * file. Flows and numbers travel as arguments after the event's own.
 */
#include "sources/perfetto/pairing.h"

#include "base/grow.h"
#include "sources/perfetto/layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static tacho_status take_held(tacho_events *events, const tacho_row *row);

static tacho_status take_waiting(tacho_events *events, const tacho_row *row);

static const tacho_events_vtable held_vtable = {.row = take_held};
static const tacho_events_vtable waiting_vtable = {.row = take_waiting};

tacho_status pfr_pairing_init(pfr_pairing *pairing, const tacho_reading *reading,
                              pfr_tracks *tracks, pfr_clocks *clocks)
{
    pairing->reading = reading;
    pairing->dict = reading->events->dict;
    pairing->tracks = tracks;
    pairing->clocks = clocks;
    pairing->waiting = (pfr_waiting){{&waiting_vtable, pairing->dict}, pairing, NULL};
    pairing->place.part = TACHO_NONE;
    pairing->events = (tacho_events){&held_vtable, pairing->dict};
    tacho_open_spans_init(&pairing->open, reading->events);
    TACHO_TRY(pfr_own_init(&pairing->own, pairing->dict));
    TACHO_TRY(tacho_index_init(&pairing->arrow_index));
    return reading->holds_events
               ? tacho_spool_create(pairing->dict, TACHO_SPOOL_DEFAULT_BYTES, &pairing->spool)
               : TACHO_OK;
}

void pfr_pairing_deinit(pfr_pairing *pairing)
{
    pfr_own_deinit(&pairing->own);
    tacho_open_spans_deinit(&pairing->open);
    tacho_spool_destroy(pairing->spool);
    tacho_spool_destroy(pairing->waiting.spool);
    tacho_index_deinit(&pairing->arrow_index);
    free(pairing->arrows);
    free(pairing->held_args);
    free(pairing->held_flows);
}

static tacho_status add_loss(pfr_pairing *pairing, tacho_loss_reason reason, uint64_t count,
                             uint64_t offset)
{
    tacho_loss loss = {pairing->place.part, reason, count, 0, 0};
    if (!tacho_dict_has_loss(pairing->dict, &loss)) {
        char text[40];
        int len = snprintf(text, sizeof(text), "byte %" PRIu64, offset);
        TACHO_TRY(tacho_dict_ensure_string(pairing->dict, tacho_str_make(text, (size_t)len),
                                           &loss.example));
    }
    return tacho_dict_add_loss(pairing->dict, &loss);
}

tacho_status pfr_pairing_lose(pfr_pairing *pairing, tacho_loss_reason reason, uint64_t offset)
{
    if (pairing->place.part != TACHO_NONE) {
        return add_loss(pairing, reason, 1, offset);
    }
    if (pairing->early_losses[reason]++ == 0) {
        pairing->early_offsets[reason] = offset;
    }
    return TACHO_OK;
}

tacho_status pfr_pairing_begin_part(pfr_pairing *pairing, const pfr_place *place, bool is_own)
{
    pairing->place = *place;
    pairing->clock = pairing->dict->clocks[place->clock];
    pairing->is_own = is_own;
    pairing->has_rows = false;
    pairing->latest = 0;
    pairing->flow_ns = INT64_MIN;
    pairing->arrow_count = 0;
    pairing->last_arrow = 0;
    for (int i = 0; i < TACHO_LOSS_REASON_COUNT; i++) {
        if (pairing->early_losses[i] > 0) {
            TACHO_TRY(add_loss(pairing, (tacho_loss_reason)i, pairing->early_losses[i],
                               pairing->early_offsets[i]));
            pairing->early_losses[i] = 0;
        }
    }
    tacho_index_deinit(&pairing->arrow_index);
    return tacho_index_init(&pairing->arrow_index);
}

/* ---- flows ------------------------------------------------------------------------------ */

static tacho_status ensure_arrow(pfr_pairing *pairing, uint64_t id, uint32_t *out_arrow)
{
    uint32_t hash =
        tacho_index_hash(&pairing->arrow_index, tacho_str_make((const char *)&id, sizeof(id)));
    size_t at = tacho_index_begin(&pairing->arrow_index, hash);
    while ((*out_arrow = tacho_index_next(&pairing->arrow_index, hash, &at)) != TACHO_NONE) {
        if (pairing->arrows[*out_arrow].id == id) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&pairing->arrows, &pairing->arrow_capacity, pairing->arrow_count + 1));
    *out_arrow = (uint32_t)pairing->arrow_count;
    pairing->arrows[pairing->arrow_count++] = (pfr_arrow){.id = id};
    return tacho_index_add(&pairing->arrow_index, hash, *out_arrow);
}

/* Ids that tacho wrote contain the role of their arrow. */
static void set_own_role(uint64_t id, tacho_row *row)
{
    for (uint64_t role = TACHO_FLOW_DATA; role <= TACHO_FLOW_LAUNCH; role++) {
        if (id >> TACHO_FLOW_ROLE_SHIFT == role) {
            row->of.flow.role = (tacho_flow_role)role;
        }
    }
}

/*
 * Makes one end of an arrow; the earlier ends of its id decide which. An id seen again after its
 * end is a new arrow. False for the end of an id that has not left.
 */
static tacho_status make_flow(pfr_pairing *pairing, const pfr_flow *flow, tacho_row *out_row,
                              bool *out_made)
{
    uint32_t id = 0;
    TACHO_TRY(ensure_arrow(pairing, flow->id, &id));
    pfr_arrow *arrow = &pairing->arrows[id];
    tacho_flow_phase phase = arrow->is_open ? TACHO_FLOW_PASSES : TACHO_FLOW_LEAVES;
    *out_made = arrow->is_open || !flow->terminates;
    if (!*out_made) {
        return TACHO_OK;
    }
    if (!arrow->is_open) {
        arrow->number = ++pairing->last_arrow;
    }
    if (flow->terminates) {
        phase = TACHO_FLOW_ARRIVES;
    }
    arrow->is_open = !flow->terminates;
    *out_row = (tacho_row){.kind = TACHO_ROW_FLOW};
    out_row->of.flow.id = arrow->number;
    out_row->of.flow.role = TACHO_FLOW_DATA;
    if (pairing->is_own) {
        set_own_role(flow->id, out_row);
    }
    out_row->of.flow.phase = phase;
    return TACHO_OK;
}

/* Notes the event's flows for the innermost span that is open on its track. */
static tacho_status note_flows(pfr_pairing *pairing, const pfr_event *event)
{
    for (size_t i = 0; i < event->flow_count; i++) {
        tacho_row flow;
        bool noted = tacho_open_spans_has(&pairing->open, event->track);
        if (noted) {
            TACHO_TRY(make_flow(pairing, &event->flows[i], &flow, &noted));
        }
        if (noted) {
            TACHO_TRY(tacho_open_spans_flow(&pairing->open, event->track, &flow, &noted));
        }
        if (!noted) {
            TACHO_TRY(pfr_pairing_lose(pairing, TACHO_LOSS_UNBOUND_FLOW, event->offset));
        }
    }
    return TACHO_OK;
}

/* Pushes the event's flows ahead of |span|, which is complete. */
static tacho_status push_flows(pfr_pairing *pairing, const pfr_event *event, const tacho_row *span)
{
    for (size_t i = 0; i < event->flow_count; i++) {
        tacho_row flow;
        bool made = false;
        TACHO_TRY(make_flow(pairing, &event->flows[i], &flow, &made));
        if (!made) {
            TACHO_TRY(pfr_pairing_lose(pairing, TACHO_LOSS_UNBOUND_FLOW, event->offset));
            continue;
        }
        flow.track = span->track;
        flow.start = span->start;
        flow.of.flow.span_end = span->of.span.end;
        flow.of.flow.span_name = pairing->reading->events->dict->sites[span->of.span.site].name;
        TACHO_TRY(tacho_events_row(pairing->reading->events, &flow));
    }
    return TACHO_OK;
}

/* ---- events in time order --------------------------------------------------------------- */

/* Makes the span of a begin; its end is -1 unless tacho's own arguments contain it. */
static tacho_status make_span(pfr_pairing *pairing, const pfr_event *event, int64_t start,
                              tacho_row *out_row)
{
    *out_row = (tacho_row){
        .kind = TACHO_ROW_SPAN,
        .track = pairing->tracks->items[event->track].row_track,
        .start = start,
        .args = event->args,
        .arg_count = event->arg_count,
    };
    out_row->of.span.end = -1;
    out_row->of.span.site = event->site;
    out_row->of.span.op = TACHO_NONE;
    out_row->of.span.run = TACHO_NONE;
    out_row->of.span.flags = event->type == PFR_EVENT_INSTANT ? TACHO_SPAN_INSTANT : 0;
    tacho_origin origin = pairing->tracks->items[event->track].origin;
    if (TACHO_UNLIKELY(origin != TACHO_ORIGIN_UNKNOWN)) {
        bool is_own_one = origin != pairing->dict->parts[pairing->place.part].origin;
        out_row->of.span.flags |= is_own_one ? (uint32_t)origin : 0;
    }
    return pairing->is_own
               ? pfr_own_restore(&pairing->own, pairing->place.part, &pairing->clock, out_row)
               : TACHO_OK;
}

/* A row begins at |ticks|; the part's first one sets its zero. */
static void note_row(pfr_pairing *pairing, int64_t ticks)
{
    if (TACHO_UNLIKELY(!pairing->has_rows)) {
        pairing->has_rows = true;
        pairing->has_read_any = true;
        pairing->dict->parts[pairing->place.part].first_start = ticks;
    }
}

static tacho_status begin_span(pfr_pairing *pairing, const pfr_event *event, int64_t start)
{
    tacho_row row;
    note_row(pairing, start);
    TACHO_TRY(make_span(pairing, event, start, &row));
    TACHO_TRY(tacho_open_spans_begin(&pairing->open, event->track, &row));
    return note_flows(pairing, event);
}

static void reach(pfr_pairing *pairing, int64_t ticks)
{
    pairing->latest = ticks > pairing->latest ? ticks : pairing->latest;
}

static tacho_status end_span(pfr_pairing *pairing, const pfr_event *event, int64_t time)
{
    tacho_span_end end = {
        .time = time,
        .name = event->site != TACHO_NONE ? pairing->dict->sites[event->site].name : TACHO_NONE,
        .args = event->args,
        .arg_count = event->arg_count,
    };
    TACHO_TRY(note_flows(pairing, event));
    if (pairing->is_own && tacho_open_spans_has(&pairing->open, event->track)) {
        int64_t given = tacho_open_spans_given_end(&pairing->open, event->track);
        end.time = given >= 0 ? given : time;
        reach(pairing, end.time);
    }
    bool ended = false;
    TACHO_TRY(tacho_open_spans_end(&pairing->open, event->track, &end, &ended));
    return ended ? TACHO_OK : pfr_pairing_lose(pairing, TACHO_LOSS_UNMATCHED_END, event->offset);
}

static tacho_status change_state(pfr_pairing *pairing, const pfr_event *event, int64_t time)
{
    if (tacho_open_spans_has(&pairing->open, event->track)) {
        tacho_span_end end = {.time = time, .name = TACHO_NONE};
        bool ended = false;
        TACHO_TRY(tacho_open_spans_end(&pairing->open, event->track, &end, &ended));
    }
    return event->site != TACHO_NONE ? begin_span(pairing, event, time)
                                     : note_flows(pairing, event);
}

/* Pushes a span that is complete at once. */
static tacho_status push_span(pfr_pairing *pairing, const pfr_event *event, int64_t start)
{
    tacho_row row;
    int64_t end = start;
    if (event->type == PFR_EVENT_COMPLETE &&
        (__builtin_add_overflow(start, event->duration_ns, &end) ||
         end > pairing->clock.max_ticks || event->duration_ns < 0)) {
        return pfr_pairing_lose(pairing, TACHO_LOSS_TIME_OVERFLOW, event->offset);
    }
    TACHO_TRY(make_span(pairing, event, start, &row));
    row.of.span.end = end;
    reach(pairing, end);
    note_row(pairing, start);
    TACHO_TRY(push_flows(pairing, event, &row));
    return tacho_events_row(pairing->reading->events, &row);
}

static tacho_status push_sample(pfr_pairing *pairing, const pfr_event *event, int64_t time)
{
    tacho_row row = {
        .kind = TACHO_ROW_SAMPLE,
        .track = pairing->tracks->items[event->track].row_track,
        .start = time,
    };
    row.of.sample.value = event->value;
    if (!isfinite(event->value)) {
        return pfr_pairing_lose(pairing, TACHO_LOSS_NOT_FINITE, event->offset);
    }
    note_row(pairing, time);
    return tacho_events_row(pairing->reading->events, &row);
}

/* Whether the track accepts rows of this kind: counters samples, other tracks everything else. */
static bool fits_track(const pfr_pairing *pairing, const pfr_event *event)
{
    uint32_t track = pairing->tracks->items[event->track].row_track;
    bool is_counter = pairing->dict->tracks[track].track_class == TACHO_TRACK_COUNTER;
    return is_counter == (event->type == PFR_EVENT_SAMPLE);
}

static tacho_status pair_event(pfr_pairing *pairing, const pfr_event *event)
{
    const pfr_track *track = &pairing->tracks->items[event->track];
    if (TACHO_UNLIKELY(track->rows_part != pairing->place.part)) {
        TACHO_TRY(pfr_tracks_place(pairing->tracks, event->track, &pairing->place));
    }
    if (TACHO_UNLIKELY(!fits_track(pairing, event))) {
        return pfr_pairing_lose(pairing, TACHO_LOSS_UNKNOWN_EVENT, event->offset);
    }
    int64_t time = pairing->is_own ? pfr_own_ticks(&pairing->clock, event->ns) : event->ns;
    if (TACHO_UNLIKELY(event->ticks != 0 && pairing->is_own && time >= 0)) {
        bool fits = event->ticks <= (uint64_t)(pairing->clock.max_ticks - time);
        time = fits ? time + (int64_t)event->ticks : -1;
    }
    if (TACHO_UNLIKELY(time < 0)) {
        return pfr_pairing_lose(pairing, TACHO_LOSS_TIME_OVERFLOW, event->offset);
    }
    reach(pairing, time);
    switch (event->type) {
    case PFR_EVENT_BEGIN:
        return begin_span(pairing, event, time);
    case PFR_EVENT_END:
        return end_span(pairing, event, time);
    case PFR_EVENT_INSTANT:
    case PFR_EVENT_COMPLETE:
        return push_span(pairing, event, time);
    case PFR_EVENT_STATE:
        return change_state(pairing, event, time);
    case PFR_EVENT_SAMPLE:
        return push_sample(pairing, event, time);
    }
    return TACHO_OK;
}

/* ---- events that are held --------------------------------------------------------------- */

/* After the event's own arguments: these, then two for each flow. */
enum { HELD_OFFSET, HELD_DURATION, HELD_VALUE, HELD_CLOCK, HELD_TICKS, HELD_FIXED };

static tacho_arg number_arg(uint64_t value)
{
    tacho_arg arg = {.type = TACHO_ARG_UINT};
    arg.value.as_uint = value;
    return arg;
}

static tacho_status hold_event(pfr_pairing *pairing, const pfr_event *event)
{
    pairing->tracks->items[event->track].has_events = true;
    size_t count = event->arg_count + HELD_FIXED + 2 * event->flow_count;
    uint64_t value_bits = 0;
    memcpy(&value_bits, &event->value, sizeof(value_bits));
    TACHO_TRY(tacho_grow(&pairing->held_args, &pairing->held_arg_capacity, count));
    tacho_arg *args = pairing->held_args;
    if (event->arg_count > 0) {
        memcpy(args, event->args, event->arg_count * sizeof(*args));
    }
    args += event->arg_count;
    *args++ = number_arg(event->offset);
    *args++ = number_arg((uint64_t)event->duration_ns);
    *args++ = number_arg(value_bits);
    *args++ = number_arg(event->clock);
    *args++ = number_arg(event->ticks);
    for (size_t i = 0; i < event->flow_count; i++) {
        *args++ = number_arg(event->flows[i].id);
        *args++ = number_arg(event->flows[i].terminates);
    }
    tacho_row row = {
        .kind = TACHO_ROW_SPAN,
        .track = pairing->place.root,
        .start = event->ns,
        .args = pairing->held_args,
        .arg_count = count,
    };
    row.of.span.end = INT64_MAX - (int64_t)pairing->held_count++;
    row.of.span.site = event->site;
    row.of.span.op = (uint32_t)event->flow_count;
    row.of.span.run = event->track;
    row.of.span.flags = (uint32_t)event->type;
    if (TACHO_LIKELY(event->clock == TACHO_NONE)) {
        return tacho_spool_add(pairing->spool, &row);
    }
    if (pairing->waiting.spool == NULL) {
        TACHO_TRY(
            tacho_spool_create(pairing->dict, TACHO_SPOOL_DEFAULT_BYTES, &pairing->waiting.spool));
    }
    return tacho_spool_add(pairing->waiting.spool, &row);
}

/* Adds an event whose time had to wait to the others, if a snapshot by now relates its clock. */
static tacho_status take_waiting(tacho_events *events, const tacho_row *row)
{
    pfr_pairing *pairing = ((pfr_waiting *)(void *)events)->pairing;
    const tacho_arg *extra = row->args + row->arg_count - HELD_FIXED - 2 * (size_t)row->of.span.op;
    tacho_row moved = *row;
    pfr_time_result result = PFR_TIME_OK;
    TACHO_TRY(pfr_clocks_convert(pairing->clocks, (uint32_t)extra[HELD_CLOCK].value.as_uint,
                                 &moved.start, &result));
    if (result == PFR_TIME_OK && moved.start >= 0) {
        return tacho_spool_add(pairing->spool, &moved);
    }
    tacho_loss_reason reason =
        result == PFR_TIME_OK ? TACHO_LOSS_NEGATIVE_TIME : TACHO_LOSS_UNKNOWN_CLOCK;
    return pfr_pairing_lose(pairing, reason, extra[HELD_OFFSET].value.as_uint);
}

static tacho_status take_held(tacho_events *events, const tacho_row *row)
{
    pfr_pairing *pairing = (pfr_pairing *)(void *)events;
    size_t flow_count = row->of.span.op;
    size_t arg_count = row->arg_count - HELD_FIXED - 2 * flow_count;
    const tacho_arg *extra = row->args + arg_count;
    TACHO_TRY(tacho_grow(&pairing->held_flows, &pairing->held_flow_capacity, flow_count));
    for (size_t i = 0; i < flow_count; i++) {
        const tacho_arg *flow = extra + HELD_FIXED + 2 * i;
        pairing->held_flows[i] = (pfr_flow){flow[0].value.as_uint, flow[1].value.as_uint != 0};
    }
    pfr_event event = {
        .type = (pfr_event_type)row->of.span.flags,
        .ns = row->start,
        .clock = TACHO_NONE,
        .offset = extra[HELD_OFFSET].value.as_uint,
        .track = row->of.span.run,
        .site = row->of.span.site,
        .ticks = extra[HELD_TICKS].value.as_uint,
        .duration_ns = (int64_t)extra[HELD_DURATION].value.as_uint,
        .args = row->args,
        .arg_count = arg_count,
        .flows = pairing->held_flows,
        .flow_count = flow_count,
    };
    memcpy(&event.value, &extra[HELD_VALUE].value.as_uint, sizeof(event.value));
    return pair_event(pairing, &event);
}

/* ---- events in file order --------------------------------------------------------------- */

static tacho_status out_of_order(const pfr_pairing *pairing, const pfr_event *event)
{
    return tacho_fail(TACHO_CODE_OUT_OF_ORDER,
                      "%s: the event at byte %" PRIu64
                      " cannot be paired before later ones are read",
                      pairing->reading->input->name, event->offset);
}

/* Whether the event can be paired now, whatever follows in the file. */
static bool is_in_order(pfr_pairing *pairing, const pfr_event *event)
{
    pfr_track *track = &pairing->tracks->items[event->track];
    if (TACHO_UNLIKELY(event->clock != TACHO_NONE)) {
        return false;
    }
    if (TACHO_UNLIKELY(track->rows_part != pairing->place.part) &&
        !pfr_tracks_is_settled(pairing->tracks, event->track)) {
        return false;
    }
    if (event->flow_count > 0) {
        if (event->ns < pairing->flow_ns) {
            return false;
        }
        pairing->flow_ns = event->ns;
    }
    if (event->type == PFR_EVENT_BEGIN || event->type == PFR_EVENT_END ||
        event->type == PFR_EVENT_STATE) {
        /* |last_ns| belongs to another part until the track is placed in this one. */
        if (track->rows_part == pairing->place.part && event->ns < track->last_ns) {
            return false;
        }
        track->last_ns = event->ns;
    }
    return true;
}

tacho_status pfr_pairing_add(pfr_pairing *pairing, const pfr_event *event)
{
    if (pairing->spool != NULL) {
        return hold_event(pairing, event);
    }
    if (TACHO_UNLIKELY(!is_in_order(pairing, event))) {
        return out_of_order(pairing, event);
    }
    return pair_event(pairing, event);
}

/* Derives the origin from the tracks if they determine it. */
static void find_origin(pfr_pairing *pairing)
{
    tacho_origin origin = TACHO_ORIGIN_UNKNOWN;
    if (pairing->is_own) {
        return; /* written by tacho; there may be many parts */
    }
    pfr_layout_find(pairing->tracks, &origin);
    if (origin != TACHO_ORIGIN_UNKNOWN) {
        pairing->dict->parts[pairing->place.part].origin = origin;
    }
}

tacho_status pfr_pairing_end_part(pfr_pairing *pairing)
{
    if (pairing->waiting.spool != NULL) {
        TACHO_TRY(tacho_spool_drain(pairing->waiting.spool, &pairing->waiting.events));
    }
    if (pairing->spool != NULL) {
        find_origin(pairing);
        TACHO_TRY(tacho_spool_drain(pairing->spool, &pairing->events));
    }
    TACHO_TRY(tacho_open_spans_finish(&pairing->open, pairing->latest));
    uint32_t part = pairing->place.part;
    pairing->place.part = TACHO_NONE;
    return tacho_events_end_part(pairing->reading->events, part);
}
