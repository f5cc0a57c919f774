/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as Perfetto packets. A span is two packets, BEGIN and END; the END waits until the time of
 * some later row has passed it, so that events are in time order wherever the input allows, and the
 * delta clock stays small. At equal times END precedes BEGIN, inner spans before outer ones.
 *
 * A flow end is put on the BEGIN of its span. One that is bound to the enclosing span follows the
 * spans of its time, so on such tracks BEGINs are held until time moves on. Inside a span that
 * began earlier it is put on the END: viewers bind it to the span all the same.
 */
#include "sinks/perfetto.h"

#include "base/grow.h"
#include "base/whole.h"
#include "sinks/perfetto_args.h"
#include "sinks/perfetto_sink.h"
#include "sinks/trace_rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    FLOW_BYTES = 10,
    LARGEST_EXACT_DOUBLE_BITS = 53,
    HELD_TEXT_BYTES = 96, /* initial room for texts of held arguments */
};

static perfetto_sink *sink_of(tacho_events *events)
{
    return (perfetto_sink *)(void *)events;
}

static pf_track_state make_track_state(uint32_t track)
{
    pf_track_state state = {.top = TACHO_NONE, .pending = TACHO_NONE};
    unsigned char *at = tacho_pb_put_uint(state.frame, PF_PACKET_SEQUENCE_ID, 1);
    at = tacho_pb_put_uint(at, PF_PACKET_SEQUENCE_FLAGS, PF_FLAG_NEEDS_STATE);
    unsigned char *body = tacho_pb_open(at, PF_PACKET_TRACK_EVENT);
    at = tacho_pb_put_uint(body, PF_EVENT_TYPE, 0);
    at = tacho_pb_put_uint(at, PF_EVENT_TRACK_UUID, pf_track_uuid(track));
    state.frame_len = (size_t)(at - state.frame);
    memcpy(state.end_frame, state.frame, PF_FRAME_BYTES);
    state.end_frame[PF_FRAME_BODY - 1] = (unsigned char)(state.frame_len - PF_FRAME_BODY);
    state.end_frame[PF_FRAME_TYPE] = PF_TYPE_END;
    memcpy(state.begin_frame, state.frame, PF_FRAME_BYTES);
    state.begin_frame[PF_FRAME_TYPE] = PF_TYPE_BEGIN;
    return state;
}

static tacho_status add_track_states(perfetto_sink *sink, uint32_t track)
{
    TACHO_TRY(tacho_grow(&sink->tracks, &sink->track_capacity, (size_t)track + 1));
    for (; sink->track_count <= track; sink->track_count++) {
        sink->tracks[sink->track_count] = make_track_state((uint32_t)sink->track_count);
    }
    return TACHO_OK;
}

static inline tacho_status ensure_track_state(perfetto_sink *sink, uint32_t track,
                                              pf_track_state **out_state)
{
    if (TACHO_UNLIKELY(track >= sink->track_count)) {
        TACHO_TRY(add_track_states(sink, track));
    }
    *out_state = &sink->tracks[track];
    return TACHO_OK;
}

static void learn_track(const perfetto_sink *sink, pf_track_state *state, uint32_t track)
{
    const tacho_dict *dict = sink->events.dict;
    state->clock = *tacho_dict_track_clock(dict, track);
    state->holds_spans = dict->parts[dict->tracks[track].part].has_flows_around;
    state->has_facts = true;
}

/* ---- flows ---------------------------------------------------------------------------- */

static tacho_status add_flow(perfetto_sink *sink, uint64_t id, uint32_t *list)
{
    uint32_t node = sink->free_flow;
    if (node != TACHO_NONE) {
        sink->free_flow = sink->flows[node].next;
    } else {
        TACHO_TRY(tacho_grow(&sink->flows, &sink->flow_capacity, sink->flow_count + 1));
        node = (uint32_t)sink->flow_count++;
    }
    sink->flows[node] = (pf_flow_node){id, *list};
    *list = node;
    return TACHO_OK;
}

static size_t flow_list_length(const perfetto_sink *sink, uint32_t list)
{
    size_t length = 0;
    for (; list != TACHO_NONE; list = sink->flows[list].next) {
        length++;
    }
    return length;
}

/* Writes the ids of |*list| and empties it. */
static unsigned char *put_flows(perfetto_sink *sink, unsigned char *at, uint32_t *list)
{
    while (*list != TACHO_NONE) {
        pf_flow_node *node = &sink->flows[*list];
        at = tacho_pb_put_fixed64(at, PF_EVENT_FLOW_IDS, node->id);
        uint32_t next = node->next;
        node->next = sink->free_flow;
        sink->free_flow = *list;
        *list = next;
    }
    return at;
}

/* ---- slots of open spans ---------------------------------------------------------------- */

static tacho_status take_slot(perfetto_sink *sink, uint32_t *out_slot)
{
    *out_slot = sink->free_span;
    if (*out_slot != TACHO_NONE) {
        sink->free_span = sink->spans[*out_slot].parent;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&sink->spans, &sink->span_capacity, sink->span_count + 1));
    *out_slot = (uint32_t)sink->span_count++;
    return TACHO_OK;
}

/* ---- events ---------------------------------------------------------------------------- */

/* An event packet under construction. */
typedef struct event_packet {
    unsigned char *memory;
    unsigned char *packet;
    unsigned char *event;
    unsigned char *at;
} event_packet;

/* A time in the file: nanoseconds, and further ticks if ticks are shorter. */
typedef struct event_time {
    int64_t ns;
    int64_t ticks;
} event_time;

static inline event_time time_of(const tacho_clock *clock, int64_t ticks)
{
    return (event_time){tacho_clock_ns(clock, ticks), tacho_clock_extra_ticks(clock, ticks)};
}

/* Begins an event on the track of |state| in |memory|. */
static TACHO_ALWAYS_INLINE event_packet begin_event(const perfetto_sink *sink,
                                                    const pf_track_state *state, event_time time,
                                                    unsigned char *memory)
{
    event_packet packet = {.memory = memory};
    packet.packet = tacho_pb_open(memory, PF_TRACE_PACKET);
    unsigned char *at = tacho_pb_put_tag(packet.packet, PF_PACKET_TIMESTAMP, TACHO_PB_WIRE_VARINT);
    at = tacho_pb_put_varied(at, (uint64_t)(time.ns - sink->writer.clock_ns));
    memcpy(at, state->frame, PF_FRAME_BYTES); /* a constant length is one quick copy */
    if (TACHO_UNLIKELY(time.ticks != 0)) {
        at = tacho_pb_put_uint(at + PF_FRAME_HEAD, PF_PACKET_TACHO_TICKS, (uint64_t)time.ticks);
        memcpy(at, state->frame + PF_FRAME_HEAD, PF_FRAME_BYTES - PF_FRAME_HEAD);
        at -= PF_FRAME_HEAD;
    }
    packet.event = at + PF_FRAME_BODY;
    packet.at = at + state->frame_len;
    return packet;
}

/* Opens an event on the track of |state|, with room for |extra_bytes| beyond the common fields. */
static inline tacho_status open_event(perfetto_sink *sink, const pf_track_state *state,
                                      event_time time, size_t extra_bytes, event_packet *out_packet)
{
    unsigned char *memory = NULL;
    TACHO_TRY(pf_writer_reserve(&sink->writer, PF_EVENT_OVERHEAD + extra_bytes, &memory));
    *out_packet = begin_event(sink, state, time, memory);
    return TACHO_OK;
}

static inline void close_event(perfetto_sink *sink, event_packet *packet, event_time time,
                               unsigned type)
{
    packet->event[PF_FRAME_TYPE - PF_FRAME_BODY] = (unsigned char)type;
    unsigned char *at = tacho_pb_close(packet->event, packet->at);
    pf_writer_commit(&sink->writer, packet->memory, tacho_pb_close(packet->packet, at));
    sink->writer.clock_ns = time.ns;
}

static inline tacho_status restart_if_due(perfetto_sink *sink)
{
    /* Held spans refer to strings of this epoch. */
    bool is_due = pf_writer_is_due(&sink->writer) && sink->held_count == 0;
    return TACHO_UNLIKELY(is_due) ? pf_writer_restart(&sink->writer) : TACHO_OK;
}

/* Writes an END without flows, at a time without ticks. */
static inline void write_plain_end(perfetto_sink *sink, const pf_track_state *state, int64_t ns)
{
    unsigned char *memory = tacho_output_reserve(sink->writer.output, PF_EVENT_OVERHEAD);
    unsigned char *packet = tacho_pb_open(memory, PF_TRACE_PACKET);
    unsigned char *at = tacho_pb_put_tag(packet, PF_PACKET_TIMESTAMP, TACHO_PB_WIRE_VARINT);
    at = tacho_pb_put_varied(at, (uint64_t)(ns - sink->writer.clock_ns));
    memcpy(at, state->end_frame, PF_FRAME_BYTES);
    at += state->frame_len;
    packet[-1] = (unsigned char)(at - packet);
    sink->writer.output->cursor = at;
    sink->writer.clock_ns = ns;
}

/* Writes |end|, which is not of a plain span. */
static tacho_status write_any_end(perfetto_sink *sink, const pf_span_end *end)
{
    uint32_t slot = pf_place_slot(end->place);
    pf_open_span *span = &sink->spans[slot];
    pf_track_state *state = &sink->tracks[pf_place_track(end->place)];
    event_time time = {end->end_ns, span->end_ticks};
    event_packet packet;
    size_t flow_bytes = FLOW_BYTES * flow_list_length(sink, span->flows);
    TACHO_TRY(open_event(sink, state, time, flow_bytes, &packet));
    packet.at = put_flows(sink, packet.at, &span->flows);
    close_event(sink, &packet, time, PF_TYPE_END);
    state->top = span->parent;
    span->parent = sink->free_span;
    sink->free_span = slot;
    return TACHO_OK;
}

/* Writes |end|, the next one. */
static TACHO_ALWAYS_INLINE tacho_status end_next_span(perfetto_sink *sink, const pf_span_end *end)
{
    TACHO_TRY(restart_if_due(sink));
    uint32_t track = pf_place_track(end->place);
    TACHO_TRY(pf_writer_track(&sink->writer, track));
    if (TACHO_LIKELY(pf_place_slot(end->place) == TACHO_NONE)) {
        write_plain_end(sink, &sink->tracks[track], end->end_ns);
    } else {
        TACHO_TRY(write_any_end(sink, end));
    }
    pf_ends_pop(&sink->ends);
    return TACHO_OK;
}

/* Ends every span whose end is at or before |time_ns|. */
static TACHO_ALWAYS_INLINE tacho_status end_spans_until(perfetto_sink *sink, int64_t time_ns)
{
    for (const pf_span_end *end; (end = pf_ends_due(&sink->ends, time_ns)) != NULL;) {
        TACHO_TRY(end_next_span(sink, end));
    }
    return TACHO_OK;
}

/* ---- rows ------------------------------------------------------------------------------ */

/*
 * Writes everything that a BEGIN refers to, in packets of their own; |*out_bound| limits the length
 * of its arguments.
 */
static tacho_status prepare_begin(perfetto_sink *sink, const tacho_row *row, size_t *out_bound)
{
    pf_writer *writer = &sink->writer;
    const pf_site *site = NULL;
    *out_bound = 0;
    TACHO_TRY(pf_writer_track(writer, row->track));
    if (!writer->options.omit_args) {
        TACHO_TRY(pf_args_prepare(writer, row, out_bound));
    } else {
        TACHO_TRY(pf_args_prepare_marks(writer, row, out_bound));
    }
    return pf_writer_site(writer, row->of.span.site, &site);
}

static inline bool is_instant(const tacho_row *row)
{
    return (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
}

/*
 * Writes the fields of a BEGIN or an instant after its frame, except flows. NULL if something they
 * refer to has to be written first, or |room| may be too small.
 */
static TACHO_ALWAYS_INLINE unsigned char *try_put_begin(const perfetto_sink *sink,
                                                        const tacho_row *row,
                                                        const tacho_clock *clock, unsigned char *at,
                                                        size_t room)
{
    const pf_writer *writer = &sink->writer;
    if (!pf_writer_knows_track(writer, row->track) ||
        !pf_writer_knows_site(writer, row->of.span.site)) {
        return NULL;
    }
    const pf_site *site = &writer->sites[row->of.span.site];
    memcpy(at, site->bytes, PF_SITE_BYTES_MAX); /* a constant length is one quick copy */
    at += site->len;
    if (writer->options.omit_args) {
        return tacho_trace_is_marked(writer->dict, row) ? NULL : at;
    }
    return pf_args_try_put(writer, at, row, clock->counts_cycles, room);
}

/* Like try_put_begin, after prepare_begin. */
static unsigned char *put_begin(const perfetto_sink *sink, const tacho_row *row,
                                const tacho_clock *clock, size_t bound, unsigned char *at)
{
    const pf_writer *writer = &sink->writer;
    const pf_site *site = &writer->sites[row->of.span.site];
    memcpy(at, site->bytes, PF_SITE_BYTES_MAX);
    at += site->len;
    at = writer->options.omit_args ? pf_args_put_marks(writer, at, row)
                                   : pf_args_try_put(writer, at, row, clock->counts_cycles, bound);
    assert(at != NULL);
    return at;
}

/* Writes everything that a BEGIN refers to, then the BEGIN. */
static TACHO_NEVER_INLINE tacho_status write_begin_slow(perfetto_sink *sink, const tacho_row *row,
                                                        event_time start)
{
    pf_track_state *state = &sink->tracks[row->track];
    size_t bound = 0;
    TACHO_TRY(prepare_begin(sink, row, &bound));
    event_packet packet;
    size_t flow_bytes = FLOW_BYTES * flow_list_length(sink, state->pending);
    TACHO_TRY(open_event(sink, state, start, bound + flow_bytes, &packet));
    packet.at = put_begin(sink, row, &state->clock, bound, packet.at);
    packet.at = put_flows(sink, packet.at, &state->pending);
    close_event(sink, &packet, start, is_instant(row) ? PF_TYPE_INSTANT : PF_TYPE_BEGIN);
    return TACHO_OK;
}

static TACHO_ALWAYS_INLINE tacho_status write_begin(perfetto_sink *sink,
                                                    const pf_track_state *state,
                                                    const tacho_row *row, event_time start)
{
    unsigned char *memory = tacho_output_reserve(sink->writer.output, PF_PLAIN_ROOM);
    event_packet packet = begin_event(sink, state, start, memory);
    packet.at =
        try_put_begin(sink, row, &state->clock, packet.at, PF_PLAIN_ROOM - PF_EVENT_OVERHEAD);
    if (TACHO_UNLIKELY(packet.at == NULL || state->pending != TACHO_NONE)) {
        return write_begin_slow(sink, row, start);
    }
    close_event(sink, &packet, start, is_instant(row) ? PF_TYPE_INSTANT : PF_TYPE_BEGIN);
    return TACHO_OK;
}

/* Notes the end of a span that is not plain. */
static tacho_status open_span_until(perfetto_sink *sink, uint32_t track, event_time end)
{
    uint32_t slot = TACHO_NONE;
    TACHO_TRY(take_slot(sink, &slot));
    pf_track_state *state = &sink->tracks[track];
    sink->spans[slot] = (pf_open_span){
        .end_ticks = end.ticks,
        .parent = state->top,
        .flows = TACHO_NONE,
    };
    state->top = slot;
    return pf_ends_add(&sink->ends, end.ns, pf_place(track, slot));
}

static TACHO_ALWAYS_INLINE tacho_status write_span(perfetto_sink *sink, pf_track_state *state,
                                                   const tacho_row *row)
{
    const tacho_clock *clock = &state->clock;
    event_time start = time_of(clock, row->start);
    TACHO_TRY(end_spans_until(sink, start.ns));
    TACHO_TRY(restart_if_due(sink));
    TACHO_TRY(write_begin(sink, state, row, start));
    if (is_instant(row)) {
        return TACHO_OK;
    }
    event_time end = time_of(clock, row->of.span.end);
    return TACHO_LIKELY(end.ticks == 0)
               ? pf_ends_add(&sink->ends, end.ns, pf_place(row->track, TACHO_NONE))
               : open_span_until(sink, row->track, end);
}

/* ---- spans held back -------------------------------------------------------------------- */

static tacho_status release_one(perfetto_sink *sink, pf_held_span *held)
{
    size_t bound = held->field_len + FLOW_BYTES * flow_list_length(sink, held->flows);
    event_packet packet;
    event_time start = {sink->held_ns, held->start_ticks};
    TACHO_TRY(open_event(sink, &sink->tracks[held->track], start, bound, &packet));
    memcpy(packet.at, held->fields, held->field_len);
    packet.at = put_flows(sink, packet.at + held->field_len, &held->flows);
    close_event(sink, &packet, start, held->is_instant ? PF_TYPE_INSTANT : PF_TYPE_BEGIN);
    event_time end = {held->end_ns, held->end_ticks};
    return held->is_instant ? TACHO_OK : open_span_until(sink, held->track, end);
}

/* Writes the held spans on tracks that arrows leave from, or on the others. */
static tacho_status release_some(perfetto_sink *sink, bool leaving)
{
    for (size_t i = 0; i < sink->held_count; i++) {
        pf_held_span *held = &sink->held[i];
        if ((sink->tracks[held->track].leaving_round == sink->held_round) == leaving) {
            TACHO_TRY(release_one(sink, held));
        }
    }
    return TACHO_OK;
}

/* Of spans that start together, viewers begin the arrow at the first in the file. */
static tacho_status release_held(perfetto_sink *sink)
{
    TACHO_TRY(sink->held_count > 0 ? end_spans_until(sink, sink->held_ns) : TACHO_OK);
    TACHO_TRY(release_some(sink, true));
    TACHO_TRY(release_some(sink, false));
    sink->held_count = 0;
    sink->held_round++;
    return TACHO_OK;
}

/* Releases held spans when time moves on to |time_ns|. */
static inline tacho_status move_on(perfetto_sink *sink, int64_t time_ns)
{
    return TACHO_UNLIKELY(sink->held_count > 0 && sink->held_ns != time_ns) ? release_held(sink)
                                                                            : TACHO_OK;
}

/* Keeps the fields of a BEGIN, and writes everything they refer to. */
static tacho_status hold_fields(perfetto_sink *sink, const tacho_row *row, const tacho_clock *clock,
                                pf_held_span *held)
{
    size_t bound = pf_args_bound(row->arg_count) + HELD_TEXT_BYTES;
    TACHO_TRY(tacho_grow(&held->fields, &held->field_capacity, PF_EVENT_OVERHEAD + bound));
    unsigned char *end = try_put_begin(sink, row, clock, held->fields, bound);
    if (TACHO_UNLIKELY(end == NULL)) {
        TACHO_TRY(prepare_begin(sink, row, &bound));
        TACHO_TRY(tacho_grow(&held->fields, &held->field_capacity, PF_EVENT_OVERHEAD + bound));
        end = put_begin(sink, row, clock, bound, held->fields);
    }
    held->field_len = (size_t)(end - held->fields);
    return TACHO_OK;
}

static tacho_status hold_span(perfetto_sink *sink, pf_track_state *state, const tacho_row *row)
{
    const tacho_clock *clock = &state->clock;
    TACHO_TRY(restart_if_due(sink));
    TACHO_TRY(tacho_grow(&sink->held, &sink->held_capacity, sink->held_count + 1));
    if (sink->held_count == sink->held_slots) {
        sink->held[sink->held_slots++] = (pf_held_span){0};
    }
    pf_held_span *held = &sink->held[sink->held_count];
    TACHO_TRY(hold_fields(sink, row, clock, held));
    held->track = row->track;
    held->is_instant = is_instant(row);
    held->start_ticks = tacho_clock_extra_ticks(clock, row->start);
    held->end_ns = tacho_clock_ns(clock, row->of.span.end);
    held->end_ticks = tacho_clock_extra_ticks(clock, row->of.span.end);
    held->before = state->held_round == sink->held_round ? state->held : TACHO_NONE;
    held->flows = state->pending;
    state->pending = TACHO_NONE;
    state->held = (uint32_t)sink->held_count++;
    state->held_round = sink->held_round;
    sink->held_ns = tacho_clock_ns(clock, row->start);
    return TACHO_OK;
}

/*
 * The innermost held span of |state|: preferably a nonempty one, else an empty one, else an
 * instant. NULL if there is none.
 */
static pf_held_span *find_held(perfetto_sink *sink, const pf_track_state *state)
{
    uint32_t at = state->held_round == sink->held_round ? state->held : TACHO_NONE;
    pf_held_span *empty = NULL, *instant = NULL;
    for (; at != TACHO_NONE; at = sink->held[at].before) {
        pf_held_span *held = &sink->held[at];
        if (held->end_ns > sink->held_ns) {
            return held;
        }
        pf_held_span **kind = held->is_instant ? &instant : &empty;
        *kind = *kind == NULL ? held : *kind;
    }
    return empty != NULL ? empty : instant;
}

/* Whether only time and site matter for a span of the track in this epoch. */
static bool is_plain_track(const perfetto_sink *sink, uint32_t track)
{
    const pf_track_state *state = &sink->tracks[track];
    return !state->holds_spans && state->clock.ns_numerator >= state->clock.ns_denominator &&
           pf_writer_knows_track(&sink->writer, track);
}

static tacho_status take_span(perfetto_sink *sink, const tacho_row *row)
{
    pf_track_state *state = NULL;
    TACHO_TRY(ensure_track_state(sink, row->track, &state));
    if (TACHO_UNLIKELY(!state->has_facts)) {
        learn_track(sink, state, row->track);
    }
    if (TACHO_LIKELY(!state->holds_spans)) {
        TACHO_TRY(write_span(sink, state, row));
        state->plain_epoch = is_plain_track(sink, row->track) ? sink->writer.epoch : 0;
        return TACHO_OK;
    }
    TACHO_TRY(move_on(sink, tacho_clock_ns(&state->clock, row->start)));
    return hold_span(sink, state, row);
}

static bool is_exact_integer(double value)
{
    const double limit = (double)(1LL << LARGEST_EXACT_DOUBLE_BITS);
    return value >= -limit && value <= limit && value == floor(value);
}

/* Spans that end at |time_ns| stay open until then: an arrow there may belong to one of them. */
static int64_t time_before(int64_t time_ns)
{
    return time_ns > INT64_MIN ? time_ns - 1 : time_ns;
}

static tacho_status write_sample(perfetto_sink *sink, const tacho_row *row)
{
    double value = row->of.sample.value;
    if (!isfinite(value)) {
        tacho_loss loss = {sink->events.dict->tracks[row->track].part, TACHO_LOSS_NOT_FINITE, 1, 0,
                           0};
        return tacho_dict_add_loss(sink->events.dict, &loss);
    }
    event_time time = time_of(tacho_dict_track_clock(sink->events.dict, row->track), row->start);
    TACHO_TRY(move_on(sink, time.ns));
    const tacho_dict *dict = sink->events.dict;
    bool has_flows = dict->parts[dict->tracks[row->track].part].has_flows_around;
    TACHO_TRY(end_spans_until(sink, has_flows ? time_before(time.ns) : time.ns));
    TACHO_TRY(restart_if_due(sink));
    TACHO_TRY(pf_writer_track(&sink->writer, row->track));
    event_packet packet;
    pf_track_state *state = NULL;
    TACHO_TRY(ensure_track_state(sink, row->track, &state));
    TACHO_TRY(open_event(sink, state, time, 0, &packet));
    packet.at =
        is_exact_integer(value)
            ? tacho_pb_put_uint(packet.at, PF_EVENT_COUNTER_INT, (uint64_t)tacho_whole_i64(value))
            : tacho_pb_put_double(packet.at, PF_EVENT_COUNTER_DOUBLE, value);
    close_event(sink, &packet, time, PF_TYPE_COUNTER);
    return TACHO_OK;
}

static tacho_status note_flow(perfetto_sink *sink, const tacho_row *row)
{
    /* Perfetto's flows do not have roles: tacho's own keep it in the highest bits of the id. */
    uint64_t id = tacho_row_flow_id(sink->events.dict, row) | (uint64_t)row->of.flow.role
                                                                  << TACHO_FLOW_ROLE_SHIFT;
    pf_track_state *state = NULL;
    TACHO_TRY(ensure_track_state(sink, row->track, &state));
    if (!tacho_row_is_around(row)) {
        return add_flow(sink, id, &state->pending);
    }
    int64_t time_ns =
        tacho_clock_ns(tacho_dict_track_clock(sink->events.dict, row->track), row->start);
    TACHO_TRY(move_on(sink, time_ns));
    pf_held_span *held = find_held(sink, state);
    if (held != NULL) {
        bool leaves = row->of.flow.phase == TACHO_FLOW_LEAVES;
        state->leaving_round = leaves ? sink->held_round : state->leaving_round;
        return add_flow(sink, id, &held->flows);
    }
    TACHO_TRY(end_spans_until(sink, time_before(time_ns)));
    if (state->top != TACHO_NONE) {
        return add_flow(sink, id, &sink->spans[state->top].flows);
    }
    /* A span shorter than a nanosecond, which has already ended in the trace's resolution. */
    tacho_loss loss = {sink->events.dict->tracks[row->track].part, TACHO_LOSS_UNBOUND_FLOW, 1, 0,
                       0};
    return tacho_dict_add_loss(sink->events.dict, &loss);
}

/* Takes a row that is not a span. */
static tacho_status take_other(perfetto_sink *sink, const tacho_row *row)
{
    return row->kind == TACHO_ROW_SAMPLE ? write_sample(sink, row) : note_flow(sink, row);
}

static tacho_status perfetto_rows(tacho_events *events, const tacho_row *rows, size_t count)
{
    perfetto_sink *sink = sink_of(events);
    size_t done = 0;
    TACHO_TRY(pf_put_plain_spans(sink, rows, count, &done));
    while (TACHO_UNLIKELY(done < count)) {
        const tacho_row *row = &rows[done++];
        size_t more = 0;
        TACHO_TRY(row->kind == TACHO_ROW_SPAN ? take_span(sink, row) : take_other(sink, row));
        TACHO_TRY(pf_put_plain_spans(sink, rows + done, count - done, &more));
        done += more;
    }
    return TACHO_OK;
}

static tacho_status perfetto_row(tacho_events *events, const tacho_row *row)
{
    return perfetto_rows(events, row, 1);
}

/* Ends a part: all spans must end, since the next part has a time of its own. */
static tacho_status perfetto_end_part(tacho_events *events, uint32_t part)
{
    (void)part;
    perfetto_sink *sink = sink_of(events);
    TACHO_TRY(release_held(sink));
    return end_spans_until(sink, INT64_MAX);
}

static tacho_status perfetto_finish(tacho_events *events)
{
    return pf_writer_end(&sink_of(events)->writer);
}

static const tacho_shared *perfetto_shared(tacho_events *events)
{
    return tacho_output_shared(sink_of(events)->writer.output);
}

static const tacho_events_vtable perfetto_vtable = {.row = perfetto_row,
                                                    .rows = perfetto_rows,
                                                    .end_part = perfetto_end_part,
                                                    .finish = perfetto_finish,
                                                    .shared = perfetto_shared};

static void perfetto_close(tacho_events *events)
{
    perfetto_sink *sink = sink_of(events);
    pf_writer_deinit(&sink->writer);
    free(sink->spans);
    pf_ends_deinit(&sink->ends);
    free(sink->flows);
    free(sink->tracks);
    for (size_t i = 0; i < sink->held_slots; i++) {
        free(sink->held[i].fields);
    }
    free(sink->held);
    free(sink);
}

static tacho_status perfetto_open(tacho_dict *dict, tacho_output *output,
                                  const tacho_trace_options *options, tacho_events **out_events)
{
    perfetto_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&perfetto_vtable, dict};
    sink->free_span = TACHO_NONE;
    sink->free_flow = TACHO_NONE;
    sink->held_round = 1;
    tacho_status status = pf_writer_init(&sink->writer, dict, output, options);
    if (status == TACHO_OK) {
        status = pf_writer_begin(&sink->writer);
    }
    if (status != TACHO_OK) {
        perfetto_close(&sink->events);
        return status;
    }
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".pb", ".pftrace", ".perfetto-trace", NULL};

const tacho_trace_sink tacho_sink_perfetto = {
    .name = "perfetto",
    .title = "Perfetto trace for ui.perfetto.dev",
    .suffixes = suffixes,
    .source = "perfetto",
    .limits = TACHO_LIMIT_ARG_UNITS | TACHO_LIMIT_FLOW_FACTS,
    .open = perfetto_open,
    .close = perfetto_close,
};
