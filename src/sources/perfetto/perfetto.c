/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto protobuf traces: track events, read the way trace processors import them.
 *
 *     container -> packet -> sequence state, clocks, tracks -> events -> pairing -> rows
 *
 * State (strings, defaults, clocks) holds in the order of the file; events are paired in the order
 * of time. Differences from Perfetto's own reader, each to lose fewer events:
 * - events on tracks without a description, or under a parent without one, are kept;
 * - events without a sequence are read if they refer to no sequence state;
 * - an end with a name ends the innermost span of that name, and spans may overlap for it.
 *
 * GPU render stages and counters are read too (gpu.c). Other packets (scheduling, memory, logs) are
 * skipped; their number is kept as metadata.
 */
#include "sources/perfetto/perfetto.h"

#include "sources/perfetto/clocks.h"
#include "sources/perfetto/container.h"
#include "sources/perfetto/events.h"
#include "sources/perfetto/fields.h"
#include "sources/perfetto/gpu.h"
#include "sources/perfetto/parts.h"

#include <inttypes.h>
#include <stdlib.h>

/* Contents of a packet, in the order in which they are processed. */
enum {
    HAS_TIMESTAMP = 1 << 0,
    HAS_ATTRIBUTES = 1 << 1,
    HAS_DEFAULTS = 1 << 2,
    HAS_INTERNED = 1 << 3,
    HAS_SNAPSHOT = 1 << 4,
    HAS_PROCESS = 1 << 5,
    HAS_THREAD = 1 << 6,
    HAS_TRACK = 1 << 7,
    HAS_EVENT = 1 << 8,
    HAS_GPU_STAGE = 1 << 9,
    HAS_GPU_COUNTERS = 1 << 10,
    HAS_ZLIB = 1 << 11,
    HAS_ZSTD = 1 << 12,
    HAS_OTHER = 1 << 13,
    HAS_TIMED = HAS_EVENT | HAS_GPU_STAGE | HAS_GPU_COUNTERS,
    HAS_CONTENTS = HAS_OTHER - 2, /* any of those in between */
};

typedef struct packet {
    uint32_t has;
    uint32_t sequence_id;
    uint32_t flags;
    uint32_t clock_id;
    bool was_cleared;
    bool was_dropped;
    uint64_t timestamp;
    uint64_t ticks; /* beyond |ns|, in a trace by tacho */
    tacho_str attributes, defaults, interned, snapshot, process, thread, track, event, compressed;
    tacho_str gpu_stage, gpu_counters;
} packet;

typedef struct perfetto {
    const tacho_reading *reading;
    tacho_dict *dict;
    pfr_container container;
    pfr_clocks clocks;
    pfr_sequences sequences;
    pfr_tracks tracks;
    pfr_pairing pairing;
    pfr_parts parts;
    pfr_events events;
    uint64_t other_count;
    uint32_t first_part; /* index of the first part this trace may open */
} perfetto;

/* ---- packets ---------------------------------------------------------------------------- */

static inline void set_bytes(packet *out, uint32_t has, tacho_str *view, tacho_str bytes)
{
    out->has |= has;
    *view = bytes;
}

/* Reads fields that few packets have. */
static void read_rare_field(const tacho_pb_field *field, packet *out)
{
    switch (tacho_pb_key(field)) {
    case TACHO_PB_KEY_BYTES(PF_PACKET_TRACE_ATTRIBUTES):
        set_bytes(out, HAS_ATTRIBUTES, &out->attributes, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_CLOCK_SNAPSHOT):
        set_bytes(out, HAS_SNAPSHOT, &out->snapshot, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_PROCESS_DESCRIPTOR):
        set_bytes(out, HAS_PROCESS, &out->process, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_THREAD_DESCRIPTOR):
        set_bytes(out, HAS_THREAD, &out->thread, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_TRACK_DESCRIPTOR):
        set_bytes(out, HAS_TRACK, &out->track, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_DEFAULTS):
        set_bytes(out, HAS_DEFAULTS, &out->defaults, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_GPU_STAGE):
        set_bytes(out, HAS_GPU_STAGE, &out->gpu_stage, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_GPU_COUNTERS):
        set_bytes(out, HAS_GPU_COUNTERS, &out->gpu_counters, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_ZLIB):
        set_bytes(out, HAS_ZLIB, &out->compressed, field->bytes);
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_ZSTD):
        set_bytes(out, HAS_ZSTD, &out->compressed, field->bytes);
        break;
    case TACHO_PB_KEY_VARINT(PF_PACKET_STATE_CLEARED):
        out->was_cleared = field->value != 0;
        break;
    case TACHO_PB_KEY_VARINT(PF_PACKET_TACHO_TICKS):
        out->ticks = field->value;
        break;
    case TACHO_PB_KEY_VARINT(PF_PACKET_PREVIOUS_DROPPED):
        out->was_dropped = field->value != 0;
        break;
    case TACHO_PB_KEY_BYTES(PF_PACKET_SYNC_MARKER):
        break;
    default:
        out->has |= field->wire == TACHO_PB_WIRE_BYTES ? HAS_OTHER : 0;
        break;
    }
}

/* False when the packet is malformed. */
static bool read_packet_fields(tacho_str bytes, packet *out)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    out->has = 0;
    out->sequence_id = 0;
    out->flags = 0;
    out->timestamp = 0;
    out->ticks = 0;
    out->clock_id = 0;
    out->was_cleared = false;
    out->was_dropped = false;
    tacho_pb_reader_init(&reader, bytes);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_PACKET_TIMESTAMP):
            out->has |= HAS_TIMESTAMP;
            out->timestamp = field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_PACKET_SEQUENCE_ID):
            out->sequence_id = (uint32_t)field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_PACKET_SEQUENCE_FLAGS):
            out->flags = (uint32_t)field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_PACKET_CLOCK_ID):
            out->clock_id = field.value <= UINT32_MAX ? (uint32_t)field.value : UINT32_MAX;
            break;
        case TACHO_PB_KEY_BYTES(PF_PACKET_TRACK_EVENT):
            set_bytes(out, HAS_EVENT, &out->event, field.bytes);
            break;
        case TACHO_PB_KEY_BYTES(PF_PACKET_INTERNED_DATA):
            set_bytes(out, HAS_INTERNED, &out->interned, field.bytes);
            break;
        default:
            read_rare_field(&field, out);
            break;
        }
    }
    return tacho_pb_is_sound(&reader);
}

static tacho_status lose(perfetto *self, tacho_loss_reason reason)
{
    return pfr_pairing_lose(&self->pairing, reason, self->container.offset);
}

/* ---- state ------------------------------------------------------------------------------ */

static tacho_status lose_unless(perfetto *self, bool is_good)
{
    return is_good ? TACHO_OK : lose(self, TACHO_LOSS_CUT_INPUT);
}

static tacho_status take_old_descriptors(perfetto *self, const packet *from, pfr_sequence *sequence)
{
    bool is_good = true;
    uint64_t uuid = 0;
    if ((from->has & HAS_PROCESS) != 0) {
        TACHO_TRY(pfr_tracks_describe_old(&self->tracks, from->process, false, &uuid, &is_good));
        TACHO_TRY(lose_unless(self, is_good));
    }
    if ((from->has & HAS_THREAD) != 0) {
        TACHO_TRY(pfr_tracks_describe_old(&self->tracks, from->thread, true, &uuid, &is_good));
        TACHO_TRY(lose_unless(self, is_good));
        sequence->thread_uuid = is_good ? uuid : sequence->thread_uuid;
    }
    return TACHO_OK;
}

/* Applies everything but the event itself. */
static tacho_status take_state(perfetto *self, const packet *from, pfr_sequence *sequence)
{
    bool is_good = true;
    if ((from->has & HAS_ATTRIBUTES) != 0) {
        TACHO_TRY(pfr_parts_read_attributes(&self->parts, from->attributes, &is_good));
        TACHO_TRY(lose_unless(self, is_good));
    }
    if ((from->has & HAS_DEFAULTS) != 0) {
        TACHO_TRY(pfr_sequence_set_defaults(sequence, from->defaults, &is_good));
        TACHO_TRY(lose_unless(self, is_good));
    }
    if ((from->has & HAS_INTERNED) != 0 && sequence->is_valid) {
        TACHO_TRY(pfr_sequences_add_interned(&self->sequences, sequence, from->interned, &is_good));
        TACHO_TRY(lose_unless(self, is_good));
    }
    if ((from->has & HAS_SNAPSHOT) != 0) {
        TACHO_TRY(pfr_clocks_add(&self->clocks, from->sequence_id, from->snapshot, &is_good));
        TACHO_TRY(is_good ? TACHO_OK : lose(self, TACHO_LOSS_UNKNOWN_CLOCK));
    }
    if ((from->has & (HAS_PROCESS | HAS_THREAD)) != 0) {
        TACHO_TRY(take_old_descriptors(self, from, sequence));
    }
    if ((from->has & HAS_TRACK) != 0) {
        TACHO_TRY(pfr_tracks_describe(&self->tracks, from->track, &is_good));
        TACHO_TRY(is_good ? TACHO_OK : lose(self, TACHO_LOSS_MISSING_FIELD));
    }
    return TACHO_OK;
}

/* ---- events ----------------------------------------------------------------------------- */

static tacho_loss_reason time_loss(pfr_time_result result)
{
    switch (result) {
    case PFR_TIME_NEGATIVE:
        return TACHO_LOSS_NEGATIVE_TIME;
    case PFR_TIME_OVERFLOW:
        return TACHO_LOSS_TIME_OVERFLOW;
    case PFR_TIME_OK:
    case PFR_TIME_LATER:
    case PFR_TIME_UNKNOWN:
        break;
    }
    return TACHO_LOSS_UNKNOWN_CLOCK;
}

/* Reads the packet's time, even without an event: it advances an incremental clock. */
static inline tacho_status take_event(perfetto *self, const packet *from, pfr_sequence *sequence)
{
    bool is_event = (from->has & HAS_TIMED) != 0;
    int64_t ns = 0;
    uint32_t clock = TACHO_NONE;
    pfr_time_result result = PFR_TIME_OK;
    if (TACHO_LIKELY((from->has & HAS_TIMESTAMP) != 0)) {
        uint32_t clock_id = from->clock_id != 0 ? from->clock_id : sequence->clock_id;
        TACHO_TRY(pfr_clocks_read(&self->clocks, from->sequence_id, clock_id, from->timestamp, &ns,
                                  &clock, &result));
    } else if (is_event) {
        return lose(self, TACHO_LOSS_MISSING_FIELD);
    }
    if (!is_event) {
        return TACHO_OK;
    }
    if (TACHO_UNLIKELY(result != PFR_TIME_OK && result != PFR_TIME_LATER)) {
        return lose(self, time_loss(result));
    }
    TACHO_TRY(pfr_parts_ensure(&self->parts));
    pfr_event_packet event = {from->event, sequence,    ns,
                              clock,       from->ticks, self->container.offset};
    if (TACHO_LIKELY((from->has & HAS_EVENT) != 0)) {
        TACHO_TRY(pfr_events_read(&self->events, &event));
    }
    if (TACHO_UNLIKELY((from->has & HAS_GPU_STAGE) != 0)) {
        event.message = from->gpu_stage;
        TACHO_TRY(pfr_gpu_read_stage(&self->events, &event));
    }
    if (TACHO_UNLIKELY((from->has & HAS_GPU_COUNTERS) != 0)) {
        event.message = from->gpu_counters;
        TACHO_TRY(pfr_gpu_read_counters(&self->events, &event));
    }
    return TACHO_OK;
}

static tacho_status enter_compressed(perfetto *self, const packet *from)
{
    bool is_whole = false;
    if (pfr_container_is_inside(&self->container)) {
        return lose(self, TACHO_LOSS_UNKNOWN_EVENT); /* packets are compressed only once */
    }
    TACHO_TRY(pfr_container_enter(&self->container, from->compressed, (from->has & HAS_ZLIB) != 0,
                                  &is_whole));
    return lose_unless(self, is_whole);
}

static tacho_status take_packet(perfetto *self, tacho_str bytes)
{
    packet from;
    pfr_sequence *sequence = NULL;
    if (TACHO_UNLIKELY(!read_packet_fields(bytes, &from))) {
        return lose(self, TACHO_LOSS_CUT_INPUT);
    }
    if (TACHO_UNLIKELY((from.has & (HAS_ZLIB | HAS_ZSTD)) != 0)) {
        return enter_compressed(self, &from);
    }
    TACHO_TRY(pfr_sequences_ensure(&self->sequences, from.sequence_id, &sequence));
    if (TACHO_UNLIKELY((from.flags & PF_FLAG_STATE_CLEARED) != 0 || from.was_cleared)) {
        pfr_sequence_restart(sequence);
        pfr_clocks_forget(&self->clocks, from.sequence_id);
    } else if (TACHO_UNLIKELY(from.was_dropped)) {
        sequence->is_valid = false;
    }
    self->other_count += (from.has & (HAS_CONTENTS | HAS_OTHER)) == HAS_OTHER ? 1 : 0;
    if ((from.has & HAS_CONTENTS & ~(uint32_t)HAS_TIMED) != 0) {
        TACHO_TRY(take_state(self, &from, sequence));
    }
    if (TACHO_UNLIKELY((from.flags & PF_FLAG_NEEDS_STATE) != 0 && !sequence->is_valid)) {
        return lose(self, TACHO_LOSS_UNKNOWN_STATE);
    }
    return (from.has & (HAS_TIMED | HAS_TIMESTAMP)) != 0 && (from.has & HAS_SNAPSHOT) == 0
               ? take_event(self, &from, sequence)
               : TACHO_OK;
}

/* ---- the file --------------------------------------------------------------------------- */

static tacho_status read_packets(perfetto *self)
{
    for (;;) {
        tacho_str bytes;
        pfr_found found;
        TACHO_TRY(pfr_container_next(&self->container, &bytes, &found));
        switch (found) {
        case PFR_FOUND_PACKET:
            TACHO_TRY(take_packet(self, bytes));
            break;
        case PFR_FOUND_END:
            return TACHO_OK;
        case PFR_FOUND_CUT:
        case PFR_FOUND_DAMAGE:
        case PFR_FOUND_TOO_LARGE:
            TACHO_TRY(lose(self, TACHO_LOSS_CUT_INPUT));
            break;
        }
    }
}

static tacho_status no_events(const perfetto *self)
{
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "%s: no track event in %" PRIu64 " bytes; expected a Perfetto trace with "
                      "spans or counters of its own",
                      self->reading->input->name, tacho_input_offset(self->reading->input));
}

/* Fails when every event was lost; a trace without events is not an error here. */
static tacho_status check_rows(const perfetto *self)
{
    const tacho_dict *dict = self->dict;
    if (self->parts.opened_count == 0) {
        return no_events(self);
    }
    for (size_t i = 0; i < dict->loss_count && !self->pairing.has_read_any; i++) {
        const tacho_loss *loss = &dict->losses[i];
        if (loss->part >= self->first_part) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "%s: no event of this trace can be read; first problem: %s (%s)",
                              self->reading->input->name, tacho_loss_phrase(loss->reason),
                              tacho_dict_string(dict, loss->example).data);
        }
    }
    return TACHO_OK;
}

static tacho_status read_all(perfetto *self)
{
    TACHO_TRY(pfr_clocks_init(&self->clocks));
    TACHO_TRY(pfr_sequences_init(&self->sequences, self->dict));
    TACHO_TRY(pfr_tracks_init(&self->tracks, self->dict));
    TACHO_TRY(pfr_pairing_init(&self->pairing, self->reading, &self->tracks, &self->clocks));
    pfr_parts_init(&self->parts, &self->pairing);
    TACHO_TRY(pfr_events_init(&self->events, &self->sequences, &self->pairing));
    TACHO_TRY(read_packets(self));
    if (tacho_input_damage(self->reading->input) != NULL) {
        TACHO_TRY(lose(self, TACHO_LOSS_CUT_INPUT));
    }
    if (self->other_count > 0) {
        TACHO_TRY(
            tacho_dict_add_metadata_count(self->dict, "perfetto.other_packets", self->other_count));
    }
    TACHO_TRY(pfr_parts_end(&self->parts));
    return check_rows(self);
}

static tacho_status perfetto_read(const tacho_reading *reading)
{
    perfetto *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->reading = reading;
    self->dict = reading->events->dict;
    self->first_part = (uint32_t)self->dict->part_count;
    pfr_container_init(&self->container, reading->input);
    tacho_status status = read_all(self);
    pfr_events_deinit(&self->events);
    pfr_pairing_deinit(&self->pairing);
    pfr_tracks_deinit(&self->tracks);
    pfr_sequences_deinit(&self->sequences);
    pfr_clocks_deinit(&self->clocks);
    pfr_container_deinit(&self->container);
    free(self);
    return status;
}

/* ---- recognition ------------------------------------------------------------------------ */

enum { PROBED_PACKETS = 8, FIELD_PLAUSIBLE_MAX = 1000 };

/* Whether a text is where packets have the tree of processes: the name of a plane of an XPlane. */
static bool is_name(const tacho_pb_field *field)
{
    enum { PROCESS_TREE = 2 };
    return tacho_pb_key(field) == TACHO_PB_KEY_BYTES(PROCESS_TREE) && field->bytes.len > 0 &&
           field->bytes.data[0] > ' ';
}

/* Whether |bytes| may be a packet: well-formed, with fields that packets have. */
static bool is_plausible(tacho_str bytes)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, bytes);
    while (tacho_pb_try_next(&reader, &field)) {
        if (field.number > FIELD_PLAUSIBLE_MAX || is_name(&field)) {
            return false;
        }
    }
    return tacho_pb_is_sound(&reader);
}

static tacho_probe_verdict perfetto_probe(tacho_str head)
{
    const unsigned char *at = (const unsigned char *)head.data;
    const unsigned char *end = at + head.len;
    size_t good = 0;
    while (good < PROBED_PACKETS && at < end) {
        uint64_t len = 0;
        if (*at++ != TACHO_PB_KEY_BYTES(PF_TRACE_PACKET)) {
            return good > 0 ? TACHO_PROBE_MAYBE : TACHO_PROBE_NO;
        }
        if (!tacho_pb_try_varint(&at, end, &len) || len > (size_t)(end - at)) {
            /* Cut by the size of the head, or in the file itself. */
            return good > 0 ? TACHO_PROBE_SURE
                            : (head.len >= TACHO_PROBE_BYTES ? TACHO_PROBE_MAYBE : TACHO_PROBE_NO);
        }
        if (!is_plausible(tacho_str_make((const char *)at, (size_t)len))) {
            return good > 0 ? TACHO_PROBE_MAYBE : TACHO_PROBE_NO;
        }
        good += len > 0 ? 1 : 0;
        at += len;
    }
    return good > 0 ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

const tacho_source tacho_source_perfetto = {
    .name = "perfetto",
    .title = "Perfetto protobuf trace: track events, ours and others'",
    .probe = perfetto_probe,
    .read = perfetto_read,
};
