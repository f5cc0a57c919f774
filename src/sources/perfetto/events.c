/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the fields of an event. Names and tracks are looked up afterwards, since fields may
 * stand in any order.
 */
#include "sources/perfetto/events.h"

#include "base/grow.h"
#include "sources/perfetto/fields.h"

#include <stdlib.h>

enum { NS_PER_US = 1000 };

/* The raw fields of an event. */
typedef struct raw_event {
    uint64_t type;
    uint32_t name; /* string, TACHO_NONE for none */
    uint32_t category;
    uint32_t location;
    bool has_track;
    uint64_t track_uuid;
    bool has_value;
    double value;
    uint64_t legacy_phase; /* 0 for none */
    int64_t legacy_us;
    bool has_unknown; /* a number without an interned entry */
    bool is_bad;
} raw_event;

tacho_status pfr_events_init(pfr_events *events, pfr_sequences *sequences, pfr_pairing *pairing)
{
    events->dict = pairing->dict;
    events->sequences = sequences;
    events->pairing = pairing;
    TACHO_TRY(tacho_dict_ensure_string(events->dict, TACHO_STR("log_message"), &events->log_key));
    return tacho_index_init(&events->running_index);
}

void pfr_events_deinit(pfr_events *events)
{
    free(events->args.items);
    free(events->flows);
    for (size_t i = 0; i < 2; i++) {
        free(events->extra_uuids[i]);
        free(events->extra_values[i]);
    }
    free(events->sites);
    free(events->running);
    tacho_index_deinit(&events->running_index);
}

/* ---- pieces of an event ----------------------------------------------------------------- */

/* The string of |iid|; an unknown one is noted. */
static uint32_t look_up(const pfr_events *events, const pfr_event_packet *packet,
                        pfr_table_kind kind, uint64_t iid, raw_event *raw)
{
    uint32_t found = pfr_sequences_find(events->sequences, packet->sequence, kind, iid);
    raw->has_unknown = raw->has_unknown || found == TACHO_NONE;
    return found;
}

/* Several categories are joined into one, with commas between. */
static tacho_status add_category(pfr_events *events, uint32_t category, raw_event *raw)
{
    if (category == TACHO_NONE || raw->category == 0) {
        raw->category = category == TACHO_NONE ? raw->category : category;
        return TACHO_OK;
    }
    tacho_str first = tacho_dict_string(events->dict, raw->category);
    tacho_str second = tacho_dict_string(events->dict, category);
    tacho_arena arena;
    void *memory = NULL;
    size_t len = first.len + 1 + second.len;
    if (len > TACHO_PROBE_BYTES) {
        return TACHO_OK; /* too long for categories */
    }
    tacho_arena_init(&arena);
    tacho_status status = tacho_arena_alloc(&arena, len + 1, &memory);
    if (status == TACHO_OK) {
        char *text = memory;
        memcpy(text, first.data, first.len);
        text[first.len] = ',';
        memcpy(text + first.len + 1, second.data, second.len);
        status = tacho_dict_ensure_string(events->dict, tacho_str_make(text, len), &raw->category);
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status add_flow(pfr_events *events, uint64_t id, bool terminates)
{
    TACHO_TRY(tacho_grow(&events->flows, &events->flow_capacity, events->flow_count + 1));
    events->flows[events->flow_count++] = (pfr_flow){id, terminates};
    return TACHO_OK;
}

static tacho_status add_extra_uuid(pfr_events *events, size_t kind, uint64_t uuid)
{
    size_t *count = &events->extra_uuid_count[kind];
    TACHO_TRY(
        tacho_grow(&events->extra_uuids[kind], &events->extra_uuid_capacity[kind], *count + 1));
    events->extra_uuids[kind][(*count)++] = uuid;
    return TACHO_OK;
}

static tacho_status add_extra_value(pfr_events *events, size_t kind, double value)
{
    size_t *count = &events->extra_value_count[kind];
    TACHO_TRY(
        tacho_grow(&events->extra_values[kind], &events->extra_value_capacity[kind], *count + 1));
    events->extra_values[kind][(*count)++] = value;
    return TACHO_OK;
}

/* Reads extra counters in the packed form, which viewers refuse. */
static tacho_status read_packed(pfr_events *events, const tacho_pb_field *field, raw_event *raw)
{
    const unsigned char *at = (const unsigned char *)field->bytes.data;
    const unsigned char *end = at + field->bytes.len;
    while (at < end) {
        uint64_t value = 0;
        bool is_double = field->number == PF_EVENT_EXTRA_DOUBLE_VALUES;
        if (is_double ? !tacho_pb_try_fixed(&at, end, 8, &value)
                      : !tacho_pb_try_varint(&at, end, &value)) {
            raw->is_bad = true;
            return TACHO_OK;
        }
        if (is_double) {
            TACHO_TRY(add_extra_value(events, 1, tacho_pb_double(value)));
        } else if (field->number == PF_EVENT_EXTRA_VALUES) {
            TACHO_TRY(add_extra_value(events, 0, (double)(int64_t)value));
        } else {
            TACHO_TRY(add_extra_uuid(events, field->number == PF_EVENT_EXTRA_DOUBLE_UUIDS, value));
        }
    }
    return TACHO_OK;
}

static tacho_status read_log_message(pfr_events *events, const pfr_event_packet *packet,
                                     tacho_str message, raw_event *raw)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) != TACHO_PB_KEY_VARINT(PF_LOG_BODY_IID)) {
            continue;
        }
        uint32_t body = look_up(events, packet, PFR_TABLE_LOG_BODIES, field.value, raw);
        if (body != TACHO_NONE) {
            tacho_arg *arg = NULL;
            TACHO_TRY(pfr_args_append(&events->args, events->log_key, &arg));
            arg->type = TACHO_ARG_STRING;
            arg->value.as_string = body;
        }
    }
    raw->is_bad = raw->is_bad || !tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

static void read_legacy(pfr_events *events, const pfr_event_packet *packet, tacho_str message,
                        raw_event *raw)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_LEGACY_NAME_IID):
            raw->name = look_up(events, packet, PFR_TABLE_NAMES, field.value, raw);
            break;
        case TACHO_PB_KEY_VARINT(PF_LEGACY_PHASE):
            raw->legacy_phase = field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_LEGACY_DURATION_US):
            raw->legacy_us = (int64_t)field.value;
            break;
        default:
            break;
        }
    }
    raw->is_bad = raw->is_bad || !tacho_pb_is_sound(&reader);
}

/* Reads what ties the event to others of its kind, and its call stack. */
static tacho_status read_context_field(pfr_events *events, const pfr_event_packet *packet,
                                       const tacho_pb_field *field, raw_event *raw)
{
    static const char *const key = "correlation_id";
    pfr_args *args = &events->args;
    uint32_t string = TACHO_NONE;
    switch (tacho_pb_key(field)) {
    case TACHO_PB_KEY_VARINT(PF_EVENT_CORRELATION_ID):
        return pfr_args_add_uint(args, events->dict, key, field->value);
    case TACHO_PB_KEY_BYTES(PF_EVENT_CORRELATION_STRING):
        return pfr_args_add_text(args, events->dict, tacho_str_from_cstring(key),
                                 pfr_text(field->bytes));
    case TACHO_PB_KEY_VARINT(PF_EVENT_CORRELATION_IID):
        string = look_up(events, packet, PFR_TABLE_CORRELATIONS, field->value, raw);
        return string != TACHO_NONE ? pfr_args_add_string(args, events->dict, key, string)
                                    : TACHO_OK;
    case TACHO_PB_KEY_BYTES(PF_EVENT_CALLSTACK):
        return pfr_args_add_callstack(args, events->dict, field->bytes);
    case TACHO_PB_KEY_VARINT(PF_EVENT_CALLSTACK_IID):
        raw->has_unknown = true; /* interned call stacks are not kept */
        return TACHO_OK;
    default:
        return TACHO_OK;
    }
}

/* Reads fields that few events have. */
static tacho_status read_rare_field(pfr_events *events, const pfr_event_packet *packet,
                                    const tacho_pb_field *field, raw_event *raw)
{
    uint64_t iid = 0;
    uint32_t id = 0;
    bool is_good = true;
    switch (tacho_pb_key(field)) {
    case TACHO_PB_KEY_BYTES(PF_EVENT_LEGACY):
        read_legacy(events, packet, field->bytes, raw);
        return TACHO_OK;
    case TACHO_PB_KEY_BYTES(PF_EVENT_LOG_MESSAGE):
        return read_log_message(events, packet, field->bytes, raw);
    case TACHO_PB_KEY_BYTES(PF_EVENT_CATEGORY):
        TACHO_TRY(tacho_dict_ensure_string(events->dict, pfr_text(field->bytes), &id));
        return add_category(events, id, raw);
    case TACHO_PB_KEY_BYTES(PF_EVENT_SOURCE_LOCATION):
        TACHO_TRY(pfr_read_location(events->dict, field->bytes, &iid, &raw->location, &is_good));
        raw->is_bad = raw->is_bad || !is_good;
        return TACHO_OK;
    case TACHO_PB_KEY_VARINT(PF_EVENT_SOURCE_LOCATION_IID):
        raw->location = look_up(events, packet, PFR_TABLE_LOCATIONS, field->value, raw);
        return TACHO_OK;
    case TACHO_PB_KEY_FIXED64(PF_EVENT_TERMINATING_IDS):
    case TACHO_PB_KEY_VARINT(PF_EVENT_OLD_TERMINATING_IDS):
        return add_flow(events, field->value, true);
    case TACHO_PB_KEY_VARINT(PF_EVENT_OLD_FLOW_IDS):
        return add_flow(events, field->value, false);
    case TACHO_PB_KEY_VARINT(PF_EVENT_EXTRA_UUIDS):
        return add_extra_uuid(events, 0, field->value);
    case TACHO_PB_KEY_VARINT(PF_EVENT_EXTRA_DOUBLE_UUIDS):
        return add_extra_uuid(events, 1, field->value);
    case TACHO_PB_KEY_VARINT(PF_EVENT_EXTRA_VALUES):
        return add_extra_value(events, 0, (double)(int64_t)field->value);
    case TACHO_PB_KEY_FIXED64(PF_EVENT_EXTRA_DOUBLE_VALUES):
        return add_extra_value(events, 1, tacho_pb_double(field->value));
    case TACHO_PB_KEY_BYTES(PF_EVENT_EXTRA_UUIDS):
    case TACHO_PB_KEY_BYTES(PF_EVENT_EXTRA_DOUBLE_UUIDS):
    case TACHO_PB_KEY_BYTES(PF_EVENT_EXTRA_VALUES):
    case TACHO_PB_KEY_BYTES(PF_EVENT_EXTRA_DOUBLE_VALUES):
        return read_packed(events, field, raw);
    default:
        return read_context_field(events, packet, field, raw);
    }
}

static tacho_status read_field(pfr_events *events, const pfr_event_packet *packet,
                               const tacho_pb_field *field, raw_event *raw)
{
    switch (tacho_pb_key(field)) {
    case TACHO_PB_KEY_VARINT(PF_EVENT_TYPE):
        raw->type = field->value;
        return TACHO_OK;
    case TACHO_PB_KEY_VARINT(PF_EVENT_TRACK_UUID):
        raw->has_track = true;
        raw->track_uuid = field->value;
        return TACHO_OK;
    case TACHO_PB_KEY_VARINT(PF_EVENT_NAME_IID):
        raw->name = look_up(events, packet, PFR_TABLE_NAMES, field->value, raw);
        return TACHO_OK;
    case TACHO_PB_KEY_BYTES(PF_EVENT_NAME):
        return tacho_dict_ensure_string(events->dict, pfr_text(field->bytes), &raw->name);
    case TACHO_PB_KEY_VARINT(PF_EVENT_CATEGORY_IID):
        return add_category(events,
                            look_up(events, packet, PFR_TABLE_CATEGORIES, field->value, raw), raw);
    case TACHO_PB_KEY_BYTES(PF_EVENT_ANNOTATIONS):
        return pfr_args_add(&events->args, events->dict, field->bytes);
    case TACHO_PB_KEY_FIXED64(PF_EVENT_FLOW_IDS):
        return add_flow(events, field->value, false);
    case TACHO_PB_KEY_VARINT(PF_EVENT_COUNTER_INT):
        raw->has_value = true;
        raw->value = (double)(int64_t)field->value;
        return TACHO_OK;
    case TACHO_PB_KEY_FIXED64(PF_EVENT_COUNTER_DOUBLE):
        raw->has_value = true;
        raw->value = tacho_pb_double(field->value);
        return TACHO_OK;
    default:
        return read_rare_field(events, packet, field, raw);
    }
}

static tacho_status read_fields(pfr_events *events, const pfr_event_packet *packet,
                                raw_event *out_raw)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    *out_raw = (raw_event){.name = TACHO_NONE, .location = TACHO_NONE};
    events->flow_count = 0;
    events->args.item_count = 0;
    events->args.sequences = events->sequences;
    events->args.sequence = packet->sequence;
    events->args.has_unknown = false;
    events->args.is_too_deep = false;
    events->args.is_bad = false;
    for (size_t i = 0; i < 2; i++) {
        events->extra_uuid_count[i] = 0;
        events->extra_value_count[i] = 0;
    }
    tacho_pb_reader_init(&reader, packet->message);
    while (tacho_pb_try_next(&reader, &field)) {
        TACHO_TRY(read_field(events, packet, &field, out_raw));
    }
    out_raw->is_bad = out_raw->is_bad || !tacho_pb_is_sound(&reader) || events->args.is_bad;
    out_raw->has_unknown = out_raw->has_unknown || events->args.has_unknown;
    return TACHO_OK;
}

/* ---- counters --------------------------------------------------------------------------- */

/* Adds |value| to the counter's last value on this sequence. */
static tacho_status add_running(pfr_events *events, const pfr_sequence *sequence, uint32_t track,
                                double *value)
{
    uint32_t key[2] = {sequence->id, track};
    uint32_t hash =
        tacho_index_hash(&events->running_index, tacho_str_make((const char *)key, sizeof(key)));
    size_t at = tacho_index_begin(&events->running_index, hash);
    for (uint32_t i; (i = tacho_index_next(&events->running_index, hash, &at)) != TACHO_NONE;) {
        pfr_running *found = &events->running[i];
        if (memcmp(found->key, key, sizeof(key)) == 0) {
            *value += found->epoch == sequence->epoch ? found->value : 0;
            found->epoch = sequence->epoch;
            found->value = *value;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&events->running, &events->running_capacity, events->running_count + 1));
    pfr_running *added = &events->running[events->running_count];
    added->value = *value;
    added->epoch = sequence->epoch;
    memcpy(added->key, key, sizeof(key));
    return tacho_index_add(&events->running_index, hash, (uint32_t)events->running_count++);
}

tacho_status pfr_events_push_value(pfr_events *events, const pfr_event_packet *packet,
                                   uint64_t uuid, double value)
{
    uint32_t id = pfr_tracks_find(events->pairing->tracks, uuid);
    const pfr_track *track = id != TACHO_NONE ? &events->pairing->tracks->items[id] : NULL;
    if (track == NULL || !track->is_described || track->kind != PFR_TRACK_COUNTER) {
        return pfr_pairing_lose(events->pairing, TACHO_LOSS_UNKNOWN_STATE, packet->offset);
    }
    value *= (double)track->multiplier;
    if (track->is_incremental) {
        TACHO_TRY(add_running(events, packet->sequence, id, &value));
    }
    pfr_event event = {
        .type = PFR_EVENT_SAMPLE,
        .ns = packet->ns,
        .ticks = packet->ticks,
        .clock = packet->clock,
        .offset = packet->offset,
        .track = id,
        .site = TACHO_NONE,
        .value = value,
    };
    return pfr_pairing_add(events->pairing, &event);
}

/* Pushes values of other counters in the event; their tracks may be the sequence's. */
static tacho_status push_extra_values(pfr_events *events, const pfr_event_packet *packet)
{
    for (size_t kind = 0; kind < 2; kind++) {
        const pfr_extra_tracks *defaults = &packet->sequence->extra[kind];
        bool has_own = events->extra_uuid_count[kind] > 0;
        const uint64_t *uuids = has_own ? events->extra_uuids[kind] : defaults->uuids;
        size_t count = has_own ? events->extra_uuid_count[kind] : defaults->uuid_count;
        for (size_t i = 0; i < events->extra_value_count[kind]; i++) {
            if (i < count) {
                TACHO_TRY(
                    pfr_events_push_value(events, packet, uuids[i], events->extra_values[kind][i]));
            } else {
                TACHO_TRY(
                    pfr_pairing_lose(events->pairing, TACHO_LOSS_UNKNOWN_STATE, packet->offset));
            }
        }
    }
    return TACHO_OK;
}

/* ---- the event -------------------------------------------------------------------------- */

static tacho_status grow_sites(pfr_events *events, uint32_t name)
{
    TACHO_TRY(tacho_grow(&events->sites, &events->site_capacity, (size_t)name + 1));
    for (; events->site_count <= name; events->site_count++) {
        events->sites[events->site_count] = (pfr_named_site){.site = TACHO_NONE};
    }
    return TACHO_OK;
}

static tacho_status ensure_site(pfr_events *events, const raw_event *raw, uint32_t *out_site)
{
    tacho_site facts = {raw->name == TACHO_NONE ? 0 : raw->name, raw->category, raw->location};
    if (TACHO_UNLIKELY(facts.name >= events->site_count)) {
        TACHO_TRY(grow_sites(events, facts.name));
    }
    pfr_named_site *known = &events->sites[facts.name];
    if (TACHO_UNLIKELY(known->site == TACHO_NONE || known->category != facts.category ||
                       known->location != facts.location)) {
        *known = (pfr_named_site){facts.category, facts.location, TACHO_NONE};
        TACHO_TRY(tacho_dict_ensure_site(events->dict, &facts, &known->site));
    }
    *out_site = known->site;
    return TACHO_OK;
}

/* The type of an event in the old form; false for types that are not read. */
static bool find_legacy_type(uint64_t phase, pfr_event_type *out_type)
{
    switch (phase) {
    case 'X':
        *out_type = PFR_EVENT_COMPLETE;
        return true;
    case 'B':
        *out_type = PFR_EVENT_BEGIN;
        return true;
    case 'E':
        *out_type = PFR_EVENT_END;
        return true;
    case 'I':
    case 'i':
    case 'R':
        *out_type = PFR_EVENT_INSTANT;
        return true;
    default:
        return false;
    }
}

static bool find_type(const raw_event *raw, pfr_event_type *out_type)
{
    switch (raw->type) {
    case PF_TYPE_BEGIN:
        *out_type = PFR_EVENT_BEGIN;
        return true;
    case PF_TYPE_END:
        *out_type = PFR_EVENT_END;
        return true;
    case PF_TYPE_INSTANT:
        *out_type = PFR_EVENT_INSTANT;
        return true;
    case PF_TYPE_STATE:
        *out_type = PFR_EVENT_STATE;
        return true;
    case 0:
        return find_legacy_type(raw->legacy_phase, out_type);
    default:
        return false;
    }
}

static uint64_t track_of(const raw_event *raw, const pfr_sequence *sequence)
{
    if (raw->has_track) {
        return raw->track_uuid;
    }
    return sequence->has_track ? sequence->track_uuid : sequence->thread_uuid;
}

static tacho_status push_event(pfr_events *events, const pfr_event_packet *packet,
                               const raw_event *raw)
{
    pfr_event event = {
        .ns = packet->ns,
        .ticks = packet->ticks,
        .clock = packet->clock,
        .offset = packet->offset,
        .site = TACHO_NONE,
        .args = events->args.items,
        .arg_count = events->args.item_count,
        .flows = events->flows,
        .flow_count = events->flow_count,
    };
    if (!find_type(raw, &event.type) ||
        __builtin_mul_overflow(raw->legacy_us, NS_PER_US, &event.duration_ns)) {
        return pfr_pairing_lose(events->pairing, TACHO_LOSS_UNKNOWN_EVENT, packet->offset);
    }
    /* An end without a name matches any span, and a state only ends the one before. */
    bool needs_site = event.type != PFR_EVENT_END && event.type != PFR_EVENT_STATE;
    if (needs_site || (raw->name != TACHO_NONE && raw->name != 0)) {
        TACHO_TRY(ensure_site(events, raw, &event.site));
    }
    if (events->pairing->is_own) {
        pfr_own_restore_units(&events->pairing->own, events->args.items, events->args.item_count);
    }
    TACHO_TRY(
        pfr_tracks_ensure(events->pairing->tracks, track_of(raw, packet->sequence), &event.track));
    return pfr_pairing_add(events->pairing, &event);
}

tacho_status pfr_events_read(pfr_events *events, const pfr_event_packet *packet)
{
    raw_event raw;
    pfr_pairing *pairing = events->pairing;
    TACHO_TRY(read_fields(events, packet, &raw));
    if (raw.is_bad) {
        return pfr_pairing_lose(pairing, TACHO_LOSS_CUT_INPUT, packet->offset);
    }
    if (raw.has_unknown) {
        TACHO_TRY(pfr_pairing_lose(pairing, TACHO_LOSS_UNKNOWN_STATE, packet->offset));
    }
    if (events->args.is_too_deep) {
        TACHO_TRY(pfr_pairing_lose(pairing, TACHO_LOSS_TOO_DEEP, packet->offset));
    }
    if (events->extra_value_count[0] + events->extra_value_count[1] > 0) {
        TACHO_TRY(push_extra_values(events, packet));
    }
    if (raw.type != PF_TYPE_COUNTER) {
        return push_event(events, packet, &raw);
    }
    for (size_t i = 0; i < events->flow_count; i++) {
        TACHO_TRY(pfr_pairing_lose(pairing, TACHO_LOSS_UNBOUND_FLOW, packet->offset));
    }
    if (!raw.has_value) {
        return pfr_pairing_lose(pairing, TACHO_LOSS_MISSING_FIELD, packet->offset);
    }
    return pfr_events_push_value(events, packet, track_of(&raw, packet->sequence), raw.value);
}
