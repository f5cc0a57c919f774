/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Track descriptors. A group is a process and a track a thread of it, since viewers order processes
 * and threads by rank, but other children of both by name. So counters, and tracks that are not
 * threads, are in a box: a plain track in between, whose children keep their ranks. Lanes are
 * children of their thread that share a merge key, which makes one row of them.
 *
 * Only the first descriptor of a track counts, so a track is described when its facts are final.
 */
#include "base/grow.h"
#include "base/utf8.h"
#include "profile/facts.h"
#include "sinks/attributes.h"
#include "sinks/perfetto_writer.h"
#include "sinks/trace_rows.h"

#include <assert.h>
#include <stdio.h>

/* Contents of a box. */
typedef enum pf_box {
    PF_BOX_TRACKS,
    PF_BOX_COUNTERS,
    PF_BOX_COUNT,
} pf_box;

/* A descriptor under construction. */
typedef struct descriptor {
    uint64_t uuid;
    uint64_t parent_uuid;
    tacho_str name;        /* of the track: the full name, for reading it back */
    tacho_str viewer_name; /* of the process or thread */
    const tacho_track *facts;
    uint64_t lane_of; /* uuid, or 0 */
    const tacho_track_number *number;
} descriptor;

/* Whether the part was drawn by a program that did not give the origin of its times. */
static bool is_drawn(const pf_writer *writer, const tacho_part *part)
{
    return part->origin == TACHO_ORIGIN_UNKNOWN &&
           tacho_str_equal(tacho_dict_string(writer->dict, part->format), TACHO_STR("timechart"));
}

/*
 * The viewer's name for a group: its name, and for a part the origin of its times after it. A group
 * within a part names the part if there are several.
 */
static tacho_status format_process_name(const pf_writer *writer, const tacho_track *track,
                                        tacho_arena *arena, tacho_str *name)
{
    const tacho_dict *dict = writer->dict;
    const tacho_part *part = &dict->parts[track->part];
    tacho_str remark = tacho_str_from_cstring(tacho_origin_name(part->origin));
    if (track->parent != TACHO_NONE) {
        if (!tacho_trace_is_aside(&writer->options, part)) {
            return TACHO_OK;
        }
        remark = tacho_dict_string(dict, part->name);
    }
    if (track->parent == TACHO_NONE && is_drawn(writer, part) &&
        !tacho_trace_is_aside(&writer->options, part)) {
        return TACHO_OK;
    }
    const char *alignment = tacho_trace_is_aside(&writer->options, part) ? ", not aligned" : "";
    size_t room = name->len + remark.len + 64;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, room, &memory));
    int len = snprintf(memory, room, "%.*s (%.*s%s)", TACHO_STR_ARG(*name), TACHO_STR_ARG(remark),
                       alignment);
    *name = tacho_str_make(memory, (size_t)len);
    return TACHO_OK;
}

/* Whether |name| is a prefix that sources put before the number of a track without a name. */
static bool is_made_up(const tacho_track *facts, tacho_str name)
{
    return facts->is_numbered && (tacho_str_equal(name, TACHO_STR("process")) ||
                                  tacho_str_equal(name, TACHO_STR("thread")) ||
                                  tacho_str_equal(name, TACHO_STR("Process")) ||
                                  tacho_str_equal(name, TACHO_STR("Thread")));
}

static unsigned char *put_process(unsigned char *at, const pf_writer *writer,
                                  const descriptor *from)
{
    const tacho_part *part = &writer->dict->parts[from->facts->part];
    unsigned char *body = tacho_pb_open(at, PF_TRACK_PROCESS);
    at = tacho_pb_put_uint(body, PF_PROCESS_PID, (uint64_t)from->number->pid);
    if (!is_made_up(from->facts, from->viewer_name)) {
        at = tacho_pb_put_bytes(at, PF_PROCESS_NAME, from->viewer_name);
    }
    if (!is_drawn(writer, part)) {
        at = tacho_pb_put_bytes(at, PF_PROCESS_LABELS,
                                tacho_str_from_cstring(tacho_origin_name(part->origin)));
    }
    if (tacho_trace_is_aside(&writer->options, part)) {
        at = tacho_pb_put_bytes(at, PF_PROCESS_LABELS, TACHO_STR("not aligned"));
    }
    return tacho_pb_close(body, at);
}

static unsigned char *put_thread(unsigned char *at, const descriptor *from)
{
    unsigned char *body = tacho_pb_open(at, PF_TRACK_THREAD);
    at = tacho_pb_put_uint(body, PF_THREAD_PID, (uint64_t)from->number->pid);
    at = tacho_pb_put_uint(at, PF_THREAD_TID, (uint64_t)from->number->tid);
    if (!is_made_up(from->facts, from->viewer_name)) {
        at = tacho_pb_put_bytes(at, PF_THREAD_NAME, from->viewer_name);
    }
    return tacho_pb_close(body, at);
}

static unsigned char *put_counter(unsigned char *at, tacho_unit unit)
{
    unsigned char *body = tacho_pb_open(at, PF_TRACK_COUNTER);
    at = body;
    switch (unit) {
    case TACHO_UNIT_NS:
        at = tacho_pb_put_uint(at, PF_COUNTER_UNIT, PF_UNIT_NS);
        break;
    case TACHO_UNIT_COUNT:
        at = tacho_pb_put_uint(at, PF_COUNTER_UNIT, PF_UNIT_COUNT);
        break;
    case TACHO_UNIT_BYTES:
        at = tacho_pb_put_uint(at, PF_COUNTER_UNIT, PF_UNIT_BYTES);
        break;
    case TACHO_UNIT_CYCLES:
    case TACHO_UNIT_PERCENT:
    case TACHO_UNIT_MHZ:
        at = tacho_pb_put_bytes(at, PF_COUNTER_UNIT_NAME,
                                tacho_str_from_cstring(tacho_unit_name(unit)));
        break;
    case TACHO_UNIT_NONE:
    case TACHO_UNIT_END:
        break;
    }
    return tacho_pb_close(body, at);
}

/* ---- boxes ------------------------------------------------------------------------------ */

static uint64_t box_uuid(uint32_t parent, pf_box box)
{
    return ((uint64_t)box + 1) << 32 | pf_track_uuid(parent);
}

static bool is_thread(const tacho_dict *dict, const tacho_track *track)
{
    return track->track_class != TACHO_TRACK_GROUP && track->track_class != TACHO_TRACK_COUNTER &&
           !track->is_free && track->lane_of == TACHO_NONE &&
           dict->tracks[track->parent].track_class == TACHO_TRACK_GROUP;
}

/* Whether the children of |parent| that are not threads are in a box. */
static bool has_boxes(const tacho_dict *dict, const tacho_track *parent)
{
    return parent->track_class == TACHO_TRACK_GROUP || is_thread(dict, parent);
}

static pf_box box_of(const tacho_track *track)
{
    return track->track_class == TACHO_TRACK_COUNTER ? PF_BOX_COUNTERS : PF_BOX_TRACKS;
}

/* Writes the box for children of |parent| unless this epoch has it. */
static tacho_status ensure_box(pf_writer *writer, uint32_t parent, pf_box box)
{
    static const tacho_str names[PF_BOX_COUNT] = {TACHO_STR_INIT("Tracks"),
                                                  TACHO_STR_INIT("Counters")};
    size_t count = writer->dict->track_count * PF_BOX_COUNT;
    size_t at_box = (size_t)parent * PF_BOX_COUNT + box;
    TACHO_TRY(tacho_grow(&writer->box_epochs, &writer->box_capacity, count));
    for (; writer->box_count < count; writer->box_count++) {
        writer->box_epochs[writer->box_count] = 0;
    }
    if (writer->box_epochs[at_box] == writer->epoch) {
        return TACHO_OK;
    }
    writer->box_epochs[at_box] = writer->epoch;
    char facts[TACHO_FACTS_MAX];
    tacho_track as_track = {.track_class = TACHO_TRACK_GROUP};
    tacho_track_facts_format(&as_track, 0, facts);
    unsigned char *memory = NULL;
    TACHO_TRY(pf_writer_reserve(writer, 2 * PF_PACKET_OVERHEAD + TACHO_FACTS_MAX, &memory));
    unsigned char *packet = tacho_pb_open(memory, PF_TRACE_PACKET);
    unsigned char *body = tacho_pb_open(packet, PF_PACKET_TRACK_DESCRIPTOR);
    unsigned char *at = tacho_pb_put_uint(body, PF_TRACK_UUID, box_uuid(parent, box));
    at = tacho_pb_put_bytes(at, PF_TRACK_NAME, names[box]);
    at = tacho_pb_put_uint(at, PF_TRACK_PARENT_UUID, pf_track_uuid(parent));
    at = tacho_pb_put_uint(at, PF_TRACK_CHILD_ORDERING, PF_ORDERING_EXPLICIT);
    at = tacho_pb_put_bytes(at, PF_TRACK_TACHO_FACTS, tacho_str_from_cstring(facts));
    at = tacho_pb_close(body, at);
    pf_writer_commit(writer, memory, tacho_pb_close(packet, at));
    return TACHO_OK;
}

/* ---- tracks ----------------------------------------------------------------------------- */

/*
 * Fills in the descriptor of |id|; lanes of a thread are its children, others are siblings of their
 * track.
 */
static tacho_status fill_in(pf_writer *writer, uint32_t id, tacho_arena *arena, descriptor *out)
{
    const tacho_dict *dict = writer->dict;
    const tacho_track *track = &dict->tracks[id];
    bool is_lane = track->lane_of != TACHO_NONE;
    *out = (descriptor){.uuid = pf_track_uuid(id), .facts = track};
    out->lane_of = is_lane ? pf_track_uuid(track->lane_of) : 0;
    out->name = tacho_dict_string(dict, tacho_dict_track_name(dict, id));
    TACHO_TRY(tacho_utf8_clean(out->name, arena, &out->name));
    if (track->track_class == TACHO_TRACK_GROUP || is_thread(dict, track)) {
        TACHO_TRY(tacho_track_numbers_find(&writer->numbers, id, &out->number));
        TACHO_TRY(tacho_track_viewer_name(dict, id, out->number, arena, &out->viewer_name));
        if (track->track_class == TACHO_TRACK_GROUP) {
            TACHO_TRY(format_process_name(writer, track, arena, &out->viewer_name));
            return tacho_utf8_clean(out->viewer_name, arena, &out->viewer_name);
        }
        out->parent_uuid = pf_track_uuid(track->parent);
        return tacho_utf8_clean(out->viewer_name, arena, &out->viewer_name);
    }
    if (is_lane && is_thread(dict, &dict->tracks[track->lane_of])) {
        out->parent_uuid = out->lane_of;
    } else if (has_boxes(dict, &dict->tracks[track->parent])) {
        TACHO_TRY(ensure_box(writer, track->parent, box_of(track)));
        out->parent_uuid = box_uuid(track->parent, box_of(track));
    } else {
        out->parent_uuid = pf_track_uuid(track->parent);
    }
    return TACHO_OK;
}

static unsigned char *put_kind(unsigned char *at, const pf_writer *writer, const descriptor *from)
{
    const tacho_track *track = from->facts;
    if (track->track_class == TACHO_TRACK_GROUP) {
        return put_process(at, writer, from);
    }
    at = tacho_pb_put_uint(at, PF_TRACK_PARENT_UUID, from->parent_uuid);
    if (track->track_class == TACHO_TRACK_COUNTER) {
        return put_counter(at, track->unit);
    }
    if (is_thread(writer->dict, track)) {
        /* Only a separate track shows its name and description. */
        at = track->has_number ? at : tacho_pb_put_uint(at, PF_TRACK_IS_SEPARATE, 1);
        return put_thread(at, from);
    }
    at = tacho_pb_put_uint(at, PF_TRACK_MERGE_BEHAVIOR, PF_MERGE_BY_KEY);
    return tacho_pb_put_uint(at, PF_TRACK_MERGE_KEY_INT,
                             from->lane_of != 0 ? from->lane_of : from->uuid);
}

static tacho_status write_descriptor(pf_writer *writer, uint32_t id, tacho_arena *arena)
{
    descriptor from;
    TACHO_TRY(fill_in(writer, id, arena, &from));
    char facts[TACHO_FACTS_MAX];
    char sentence[TACHO_FACTS_MAX];
    tacho_track_facts_format(from.facts, from.lane_of, facts);
    uint32_t format = writer->dict->parts[from.facts->part].format;
    tacho_track_describe(from.facts, tacho_dict_string(writer->dict, format), sentence);
    size_t bound = 3 * PF_PACKET_OVERHEAD + 2 * TACHO_FACTS_MAX;
    unsigned char *memory = NULL;
    TACHO_TRY(pf_writer_reserve(writer, bound + from.name.len + from.viewer_name.len, &memory));
    unsigned char *packet = tacho_pb_open(memory, PF_TRACE_PACKET);
    unsigned char *body = tacho_pb_open(packet, PF_PACKET_TRACK_DESCRIPTOR);
    unsigned char *at = tacho_pb_put_uint(body, PF_TRACK_UUID, from.uuid);
    at = tacho_pb_put_bytes(at, PF_TRACK_NAME, from.name);
    at = put_kind(at, writer, &from);
    at = tacho_pb_put_uint(at, PF_TRACK_CHILD_ORDERING, PF_ORDERING_EXPLICIT);
    if (from.lane_of == 0 || from.parent_uuid != from.lane_of) {
        int64_t rank = tacho_track_file_rank(from.facts);
        at = tacho_pb_put_uint(at, PF_TRACK_SIBLING_RANK, (uint64_t)rank);
    }
    at = tacho_pb_put_bytes(at, PF_TRACK_DESCRIPTION, tacho_str_from_cstring(sentence));
    at = tacho_pb_put_bytes(at, PF_TRACK_TACHO_FACTS, tacho_str_from_cstring(facts));
    at = tacho_pb_close(body, at);
    pf_writer_commit(writer, memory, tacho_pb_close(packet, at));
    return TACHO_OK;
}

static tacho_status describe_one(pf_writer *writer, uint32_t track)
{
    writer->track_epochs[track] = writer->epoch;
    writer->deferred_tracks[track] = writer->dict->tracks[track].is_provisional;
    if (writer->deferred_tracks[track]) {
        /*
         * Written by pf_writer_end; but viewers drop samples of counters that are not described
         * yet.
         */
        assert(writer->dict->tracks[track].track_class != TACHO_TRACK_COUNTER);
        return TACHO_OK;
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = write_descriptor(writer, track, &arena);
    tacho_arena_deinit(&arena);
    return status;
}

/*
 * The outermost track, from |track| up to its group, that is not described in this epoch;
 * TACHO_NONE if |track| is.
 */
static uint32_t next_undescribed(const pf_writer *writer, uint32_t track)
{
    uint32_t found = TACHO_NONE;
    uint32_t group = tacho_dict_track_group(writer->dict, track);
    const tacho_track *tracks = writer->dict->tracks;
    for (uint32_t at = track; writer->track_epochs[at] != writer->epoch;
         at = tracks[at].lane_of != TACHO_NONE ? tracks[at].lane_of : tracks[at].parent) {
        found = at;
        if (at == group) {
            break;
        }
    }
    return found;
}

/* Writes the attributes of a part once, ahead of its first track. */
static tacho_status describe_part(pf_writer *writer, uint32_t part)
{
    size_t count = writer->dict->part_count;
    TACHO_TRY(tacho_grow(&writer->described_parts, &writer->part_capacity, count));
    for (; writer->part_count < count; writer->part_count++) {
        writer->described_parts[writer->part_count] = false;
    }
    if (writer->described_parts[part]) {
        return TACHO_OK;
    }
    writer->described_parts[part] = true;
    return tacho_attributes_visit_part(writer->dict, &writer->options, part, pf_writer_attribute,
                                       writer);
}

tacho_status pf_writer_describe_track(pf_writer *writer, uint32_t track)
{
    size_t count = writer->dict->track_count;
    TACHO_TRY(tacho_grow(&writer->track_epochs, &writer->track_capacity, count));
    TACHO_TRY(tacho_grow(&writer->deferred_tracks, &writer->deferred_capacity, count));
    for (; writer->track_count < count; writer->track_count++) {
        writer->track_epochs[writer->track_count] = 0;
        writer->deferred_tracks[writer->track_count] = false;
    }
    TACHO_TRY(describe_part(writer, writer->dict->tracks[track].part));
    uint32_t next = 0;
    while ((next = next_undescribed(writer, track)) != TACHO_NONE) {
        TACHO_TRY(describe_one(writer, next));
    }
    return TACHO_OK;
}

static tacho_status describe_provisional(pf_writer *writer)
{
    for (uint32_t track = 0; track < writer->track_count; track++) {
        if (writer->deferred_tracks[track]) {
            writer->dict->tracks[track].is_provisional = false;
            TACHO_TRY(describe_one(writer, track));
        }
    }
    return TACHO_OK;
}

tacho_status pf_writer_end(pf_writer *writer)
{
    TACHO_TRY(describe_provisional(writer));
    for (uint32_t part = 0; part < writer->dict->part_count; part++) {
        TACHO_TRY(describe_part(writer, part)); /* a part without rows */
    }
    return tacho_attributes_visit_tail(writer->dict, pf_writer_attribute, writer);
}
