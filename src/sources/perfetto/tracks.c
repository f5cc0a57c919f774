/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places tracks in the model. Descriptors themselves are read by descriptors.c.
 */
#include "sources/perfetto/tracks.h"

#include "base/grow.h"
#include "sources/perfetto/descriptors.h"
#include "sources/perfetto/fields.h"
#include "sources/perfetto/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANCESTOR_MAX = 100, NAME_MAX_BYTES = 512 };

static void forget_small(pfr_tracks *tracks)
{
    for (size_t i = 0; i < sizeof(tracks->small) / sizeof(tracks->small[0]); i++) {
        tracks->small[i] = TACHO_NONE;
    }
}

tacho_status pfr_tracks_init(pfr_tracks *tracks, tacho_dict *dict)
{
    *tracks = (pfr_tracks){.dict = dict};
    forget_small(tracks);
    TACHO_TRY(tacho_index_init(&tracks->index));
    TACHO_TRY(tacho_index_init(&tracks->pid_index));
    return tacho_index_init(&tracks->merged_index);
}

void pfr_tracks_deinit(pfr_tracks *tracks)
{
    free(tracks->items);
    free(tracks->merged);
    tacho_index_deinit(&tracks->index);
    tacho_index_deinit(&tracks->pid_index);
    tacho_index_deinit(&tracks->merged_index);
}

tacho_status pfr_tracks_restart(pfr_tracks *tracks)
{
    tacho_dict *dict = tracks->dict;
    pfr_tracks_deinit(tracks);
    return pfr_tracks_init(tracks, dict);
}

static uint32_t hash_of(const tacho_index *index, uint64_t key)
{
    return tacho_index_hash(index, tacho_str_make((const char *)&key, sizeof(key)));
}

uint32_t pfr_tracks_find_far(const pfr_tracks *tracks, uint64_t uuid)
{
    uint32_t hash = hash_of(&tracks->index, uuid);
    size_t at = tacho_index_begin(&tracks->index, hash);
    uint32_t id = TACHO_NONE;
    while ((id = tacho_index_next(&tracks->index, hash, &at)) != TACHO_NONE &&
           tracks->items[id].uuid != uuid) {
    }
    return id;
}

tacho_status pfr_tracks_ensure(pfr_tracks *tracks, uint64_t uuid, uint32_t *out_id)
{
    *out_id = pfr_tracks_find(tracks, uuid);
    if (*out_id != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&tracks->items, &tracks->item_capacity, tracks->item_count + 1));
    *out_id = (uint32_t)tracks->item_count;
    tracks->items[tracks->item_count++] = (pfr_track){.uuid = uuid,
                                                      .multiplier = 1,
                                                      .part = TACHO_NONE,
                                                      .rows_part = TACHO_NONE,
                                                      .last_ns = INT64_MIN};
    if (uuid < sizeof(tracks->small) / sizeof(tracks->small[0])) {
        tracks->small[uuid] = *out_id;
    }
    return tacho_index_add(&tracks->index, hash_of(&tracks->index, uuid), *out_id);
}

/* ---- descriptions ----------------------------------------------------------------------- */

static uint32_t find_process(const pfr_tracks *tracks, int64_t pid)
{
    uint32_t hash = hash_of(&tracks->pid_index, (uint64_t)pid);
    size_t at = tacho_index_begin(&tracks->pid_index, hash);
    uint32_t id = TACHO_NONE;
    while ((id = tacho_index_next(&tracks->pid_index, hash, &at)) != TACHO_NONE &&
           tracks->items[id].pid != pid) {
    }
    return id;
}

/* Whether the number of a process or thread is a real one, to be added to its name. */
static bool shows_number(const pfr_track *track)
{
    int64_t id = track->kind == PFR_TRACK_THREAD ? track->tid : track->pid;
    return !track->has_facts && (uint64_t)id != track->uuid;
}

/* Sets the number that the input gives the track, and whether it is a thread at all. */
static void set_number(const pfr_tracks *tracks, const pfr_track *track, tacho_track *facts)
{
    const tacho_dict *dict = tracks->dict;
    bool is_process = track->kind == PFR_TRACK_PROCESS;
    int64_t number = is_process ? track->pid : track->tid;
    if (track->has_facts) {
        facts->number = track->facts.number;
        facts->has_number = track->facts.has_number;
        facts->is_numbered = track->facts.is_numbered;
        facts->is_free = track->facts.is_free;
    } else if ((is_process || track->kind == PFR_TRACK_THREAD) && shows_number(track) &&
               number >= 0 && number < TACHO_TRACK_NUMBER_END) {
        facts->number = number;
        facts->has_number = true;
        facts->is_numbered = true;
    } else {
        tacho_str group = tacho_dict_string(dict, dict->tracks[facts->parent].name);
        facts->is_free = track->kind == PFR_TRACK_PLAIN && !tacho_torq_trace_group(group);
    }
}

/* Gives an already placed track its right name and rank. */
static void rename_placed(pfr_tracks *tracks, const pfr_track *track)
{
    if (track->part == TACHO_NONE || track->name == 0) {
        return;
    }
    tacho_track *placed = &tracks->dict->tracks[track->row_track];
    if (!placed->is_provisional) {
        return;
    }
    placed->name = track->name;
    set_number(tracks, track, placed);
    placed->rank = track->has_rank ? track->rank : placed->rank;
    if (track->has_facts && track->facts.track_class != TACHO_TRACK_GROUP &&
        track->facts.track_class != TACHO_TRACK_COUNTER) {
        placed->track_class = track->facts.track_class;
        placed->index = track->facts.index;
    }
}

/* Makes |read| the description of its track, unless that has one. */
static tacho_status take_description(pfr_tracks *tracks, const pfr_track *read)
{
    uint32_t id = 0;
    TACHO_TRY(pfr_tracks_ensure(tracks, read->uuid, &id));
    pfr_track *track = &tracks->items[id];
    if (track->is_described) {
        return TACHO_OK;
    }
    pfr_track described = *read;
    described.is_described = true;
    described.part = track->part;
    described.track = track->track;
    described.row_track = track->row_track;
    described.rows_part = track->rows_part;
    described.last_ns = track->last_ns;
    described.has_events = track->has_events;
    *track = described;
    rename_placed(tracks, track);
    if (track->kind == PFR_TRACK_PROCESS && find_process(tracks, track->pid) == TACHO_NONE) {
        return tacho_index_add(&tracks->pid_index,
                               hash_of(&tracks->pid_index, (uint64_t)track->pid), id);
    }
    return TACHO_OK;
}

tacho_status pfr_tracks_describe(pfr_tracks *tracks, tacho_str descriptor, bool *out_good)
{
    pfr_track read = {.multiplier = 1};
    TACHO_TRY(pfr_read_descriptor(tracks->dict, descriptor, &read, out_good));
    return *out_good ? take_description(tracks, &read) : TACHO_OK;
}

tacho_status pfr_tracks_describe_old(pfr_tracks *tracks, tacho_str descriptor, bool is_thread,
                                     uint64_t *out_uuid, bool *out_good)
{
    pfr_track read = {.multiplier = 1};
    TACHO_TRY(pfr_read_process_or_thread(tracks->dict, descriptor, is_thread, &read, out_good));
    if (!*out_good) {
        return TACHO_OK;
    }
    /* Numbers that tracks of a trace do not have by chance. */
    uint64_t ids = (uint64_t)(uint32_t)read.pid << 32 | (uint32_t)read.tid;
    read.uuid = (ids * 2 + (is_thread ? 1 : 0)) ^ 0xa5c3961b7d2e4f80U;
    *out_uuid = read.uuid;
    return take_description(tracks, &read);
}

/* ---- GPUs ------------------------------------------------------------------------------- */

/* A number for something without a uuid, which tracks of a trace do not have by chance. */
static uint64_t make_uuid(pfr_track_kind kind, uint64_t gpu, uint64_t number)
{
    uint64_t mixed = (gpu << 35 ^ number << 3) + (uint64_t)kind;
    return mixed * 0x9e3779b97f4a7c15U ^ 0x5d1f8a3be92c6740U;
}

uint64_t pfr_gpu_counter_uuid(uint64_t gpu, uint64_t counter)
{
    return make_uuid(PFR_TRACK_COUNTER, gpu, (uint32_t)counter);
}

/* Describes a track in the group of |gpu|, and the group. */
static tacho_status describe_on_gpu(pfr_tracks *tracks, uint64_t gpu, const pfr_track *track)
{
    char text[40];
    pfr_track described = *track;
    pfr_track group = {
        .uuid = make_uuid(PFR_TRACK_GPU, gpu, 0), .kind = PFR_TRACK_GPU, .multiplier = 1};
    int len = snprintf(text, sizeof(text), "GPU %" PRId32, (int32_t)gpu);
    TACHO_TRY(
        tacho_dict_ensure_string(tracks->dict, tacho_str_make(text, (size_t)len), &group.name));
    TACHO_TRY(take_description(tracks, &group));
    described.has_parent = true;
    described.parent_uuid = group.uuid;
    return take_description(tracks, &described);
}

tacho_status pfr_tracks_ensure_queue(pfr_tracks *tracks, uint64_t gpu, uint32_t name,
                                     uint32_t *out_id)
{
    pfr_track queue = {.uuid = make_uuid(PFR_TRACK_QUEUE, gpu, name),
                       .kind = PFR_TRACK_QUEUE,
                       .name = name,
                       .multiplier = 1};
    *out_id = pfr_tracks_find(tracks, queue.uuid);
    if (*out_id != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(describe_on_gpu(tracks, gpu, &queue));
    return pfr_tracks_ensure(tracks, queue.uuid, out_id);
}

tacho_status pfr_tracks_describe_gpu_counter(pfr_tracks *tracks, uint64_t gpu, uint64_t counter,
                                             uint32_t name)
{
    pfr_track described = {.uuid = pfr_gpu_counter_uuid(gpu, counter),
                           .kind = PFR_TRACK_COUNTER,
                           .name = name,
                           .multiplier = 1};
    return describe_on_gpu(tracks, gpu, &described);
}

/* ---- parents ---------------------------------------------------------------------------- */

uint32_t pfr_tracks_parent(const pfr_tracks *tracks, const pfr_track *track)
{
    uint32_t lane_of = track->has_facts && track->facts.lane_of != 0
                           ? pfr_tracks_find(tracks, track->facts.lane_of)
                           : TACHO_NONE;
    if (lane_of != TACHO_NONE) {
        return lane_of;
    }
    if (!track->is_described || track->kind == PFR_TRACK_PROCESS) {
        return TACHO_NONE;
    }
    uint32_t parent = track->has_parent && track->parent_uuid != 0
                          ? pfr_tracks_find(tracks, track->parent_uuid)
                          : TACHO_NONE;
    if (parent != TACHO_NONE && tracks->items[parent].is_described) {
        return parent;
    }
    return track->kind == PFR_TRACK_THREAD ? find_process(tracks, track->pid) : TACHO_NONE;
}

bool pfr_tracks_is_settled(const pfr_tracks *tracks, uint32_t id)
{
    for (size_t step = 0; step < ANCESTOR_MAX; step++) {
        const pfr_track *track = &tracks->items[id];
        if (track->uuid == 0) {
            return true;
        }
        uint32_t parent = pfr_tracks_parent(tracks, track);
        bool wants_parent = (track->has_parent && track->parent_uuid != 0) ||
                            track->kind == PFR_TRACK_THREAD ||
                            (track->has_facts && track->facts.lane_of != 0);
        bool is_lost = parent == TACHO_NONE && wants_parent && track->kind != PFR_TRACK_PROCESS;
        if (!track->is_described || is_lost || pfr_layout_concerns(tracks, track)) {
            return false;
        }
        if (parent == TACHO_NONE) {
            return true;
        }
        id = parent;
    }
    return true;
}

/* ---- placing ---------------------------------------------------------------------------- */

/* Whether rows of the track go to another track of the trace. */
static bool is_lane(const pfr_tracks *tracks, const pfr_track *track)
{
    return track->has_facts && track->facts.lane_of != 0 &&
           pfr_tracks_find(tracks, track->facts.lane_of) != TACHO_NONE;
}

static const char *fallback_name(const pfr_track *track, char out_name[64])
{
    switch (track->kind) {
    case PFR_TRACK_PROCESS:
        snprintf(out_name, 64, "Process");
        break;
    case PFR_TRACK_THREAD:
        snprintf(out_name, 64, "Thread");
        break;
    case PFR_TRACK_COUNTER:
    case PFR_TRACK_PLAIN:
    case PFR_TRACK_GPU:
    case PFR_TRACK_QUEUE:
        if (track->uuid == 0) {
            snprintf(out_name, 64, "Default");
        } else {
            snprintf(out_name, 64, "Track %" PRIu64, track->uuid);
        }
        break;
    }
    return out_name;
}

/*
 * The name that users see: "NAME ID" for processes and threads, since names repeat; but an id that
 * is the track's own number was made up by a converter. The name of a counter includes a unit that
 * the model does not have.
 */
static tacho_str format_name(const tacho_dict *dict, const pfr_track *track,
                             char out_name[NAME_MAX_BYTES])
{
    char fallback[64];
    tacho_str name = tacho_dict_string(dict, track->name);
    name = name.len > 0 ? name : tacho_str_from_cstring(fallback_name(track, fallback));
    int len = name.len > 256 ? 256 : (int)name.len;
    int64_t id = track->kind == PFR_TRACK_THREAD ? track->tid : track->pid;
    bool has_id = track->kind == PFR_TRACK_PROCESS || track->kind == PFR_TRACK_THREAD;
    if (has_id && shows_number(track)) {
        len = snprintf(out_name, NAME_MAX_BYTES, "%.*s %" PRId64, len, name.data, id);
    } else if (track->unit_name != 0) {
        tacho_str unit = tacho_dict_string(dict, track->unit_name);
        len = snprintf(out_name, NAME_MAX_BYTES, "%.*s (%.*s)", len, name.data,
                       unit.len > 128 ? 128 : (int)unit.len, unit.data);
    } else {
        len = snprintf(out_name, NAME_MAX_BYTES, "%.*s", len, name.data);
    }
    return tacho_str_make(out_name, (size_t)len);
}

/* The track of this name, or a separate one where the trace asks for it. */
static tacho_status merge_track(pfr_tracks *tracks, const pfr_track *track,
                                const tacho_track *facts, tacho_str name, uint32_t *out_track)
{
    tacho_track named = *facts;
    bool by_key = track->merge_behavior == PF_MERGE_BY_KEY && !track->has_facts;
    bool is_own = track->has_facts || track->merge_behavior == PF_MERGE_NEVER ||
                  track->kind == PFR_TRACK_THREAD || track->kind == PFR_TRACK_COUNTER;
    if (!by_key && !is_own) {
        return tacho_dict_ensure_track(tracks->dict, facts, name, out_track);
    }
    TACHO_TRY(tacho_dict_ensure_string(tracks->dict, name, &named.name));
    if (is_own) {
        return tacho_dict_add_track(tracks->dict, &named, out_track);
    }
    pfr_merged wanted = {{facts->parent, track->merge_key}, TACHO_NONE};
    uint32_t hash = tacho_index_hash(&tracks->merged_index,
                                     tacho_str_make((const char *)wanted.key, sizeof(wanted.key)));
    size_t at = tacho_index_begin(&tracks->merged_index, hash);
    for (uint32_t i; (i = tacho_index_next(&tracks->merged_index, hash, &at)) != TACHO_NONE;) {
        if (memcmp(tracks->merged[i].key, wanted.key, sizeof(wanted.key)) == 0) {
            *out_track = tracks->merged[i].track;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_dict_add_track(tracks->dict, &named, out_track));
    wanted.track = *out_track;
    TACHO_TRY(tacho_grow(&tracks->merged, &tracks->merged_capacity, tracks->merged_count + 1));
    tracks->merged[tracks->merged_count] = wanted;
    return tacho_index_add(&tracks->merged_index, hash, (uint32_t)tracks->merged_count++);
}

/* Sets class, number and nesting, by the descriptor and the tool that wrote it. */
static void classify(const pfr_tracks *tracks, const pfr_track *track, tacho_track *facts)
{
    const tacho_dict *dict = tracks->dict;
    tacho_str name = tacho_dict_string(dict, track->name);
    tacho_str group = tacho_dict_string(dict, dict->tracks[facts->parent].name);
    bool is_top = dict->tracks[facts->parent].parent == TACHO_NONE;
    facts->track_class = TACHO_TRACK_HOST;
    if (track->has_facts) {
        facts->track_class = track->facts.track_class;
        facts->nesting = track->facts.nesting;
        facts->index = track->facts.index;
    } else if (track->kind == PFR_TRACK_QUEUE) {
        facts->track_class = TACHO_TRACK_COMPUTE;
        facts->nesting = TACHO_NESTING_ENGINE;
    } else if (track->kind == PFR_TRACK_PROCESS || track->kind == PFR_TRACK_GPU ||
               (track->kind == PFR_TRACK_PLAIN && is_top && tacho_torq_trace_group(name))) {
        facts->track_class = TACHO_TRACK_GROUP;
    } else if (track->kind == PFR_TRACK_PLAIN && !is_top) {
        pfr_layout_track(tracks, group, name, facts);
    } else if (track->is_old_torq) {
        tacho_torq_old_track old;
        tacho_torq_find_old_track(name, &old);
        facts->track_class = old.track_class;
        facts->index = old.index;
    }
    /* Samples decide that a track is a counter, whatever its description claims. */
    bool is_counter = track->kind == PFR_TRACK_COUNTER;
    if (is_counter || facts->track_class == TACHO_TRACK_COUNTER) {
        facts->track_class = is_counter ? TACHO_TRACK_COUNTER : TACHO_TRACK_HOST;
    }
}

/* Ensures the group of a thread whose process has no description. */
static tacho_status ensure_nameless_process(pfr_tracks *tracks, const pfr_track *thread,
                                            const pfr_place *place, uint32_t *out_track)
{
    char name[64];
    int len = snprintf(name, sizeof(name), "Process %" PRId64, thread->pid);
    tacho_track facts = {
        .parent = place->root,
        .part = place->part,
        .clock = place->clock,
        .lane_of = TACHO_NONE,
        .rank = (int32_t)(tracks->dict->track_count % INT32_MAX),
        .track_class = TACHO_TRACK_GROUP,
    };
    return tacho_dict_ensure_track(tracks->dict, &facts, tacho_str_make(name, (size_t)len),
                                   out_track);
}

/* Adds a track for rows of a group itself; the model keeps them below the group. */
static tacho_status add_row_track(pfr_tracks *tracks, pfr_track *track)
{
    tacho_track facts = tracks->dict->tracks[track->track];
    facts.parent = track->track;
    facts.track_class = TACHO_TRACK_HOST;
    facts.rank = 0;
    facts.has_number = false;
    facts.is_numbered = false;
    facts.is_free = true;
    return tacho_dict_add_track(tracks->dict, &facts, &track->row_track);
}

/* A group's name without " (PART, not aligned)", the suffix that tacho's sink appends. */
static tacho_str cut_part_name(const tacho_dict *dict, tacho_str name, uint32_t part)
{
    char suffix[NAME_MAX_BYTES];
    tacho_str part_name = tacho_dict_string(dict, dict->parts[part].name);
    int len = snprintf(suffix, sizeof(suffix), " (%.*s, not aligned)", TACHO_STR_ARG(part_name));
    tacho_str wanted = tacho_str_make(suffix, (size_t)len);
    bool is_there = (size_t)len < sizeof(suffix) && tacho_str_ends_with(name, wanted);
    name.len -= is_there ? wanted.len : 0;
    return name;
}

static tacho_status place_one(pfr_tracks *tracks, uint32_t id, uint32_t parent,
                              const pfr_place *place)
{
    pfr_track *track = &tracks->items[id];
    char text[NAME_MAX_BYTES];
    tacho_str name = format_name(tracks->dict, track, text);
    if (track->has_facts && track->kind == PFR_TRACK_PROCESS) {
        name = cut_part_name(tracks->dict, name, place->part);
    }
    tacho_track facts = {
        .parent = parent,
        .part = place->part,
        .clock = place->clock,
        .lane_of = TACHO_NONE,
        .rank = track->facts.has_rank ? track->facts.rank
                : track->has_rank     ? track->rank
                                      : (int32_t)(id % INT32_MAX), /* in order of discovery */
        .unit = track->unit,
        .is_provisional = !track->is_described && track->uuid != 0,
    };
    track->part = place->part;
    bool is_box = track->kind == PFR_TRACK_PLAIN && track->facts.track_class == TACHO_TRACK_GROUP;
    if (track->has_facts && (track->facts.is_root || is_box || is_lane(tracks, track))) {
        track->track = track->facts.is_root ? place->root : parent;
        track->row_track = track->track;
        return TACHO_OK;
    }
    if (track->kind == PFR_TRACK_THREAD && parent == place->root && !track->has_facts) {
        TACHO_TRY(ensure_nameless_process(tracks, track, place, &facts.parent));
    }
    classify(tracks, track, &facts);
    set_number(tracks, track, &facts);
    if (tracks->dict->tracks[facts.parent].track_class == TACHO_TRACK_COUNTER) {
        facts.parent = place->root; /* counters have no child tracks */
    }
    TACHO_TRY(merge_track(tracks, track, &facts, name, &track->track));
    track->row_track = track->track;
    return TACHO_OK;
}

tacho_status pfr_tracks_place(pfr_tracks *tracks, uint32_t id, const pfr_place *place)
{
    uint32_t chain[ANCESTOR_MAX];
    size_t count = 0;
    uint32_t parent = place->root;
    for (uint32_t at = id; at != TACHO_NONE && count < ANCESTOR_MAX;) {
        if (tracks->items[at].part == place->part) {
            parent = tracks->items[at].track;
            break;
        }
        chain[count++] = at;
        at = pfr_tracks_parent(tracks, &tracks->items[at]);
    }
    while (count > 0) {
        uint32_t at = chain[--count];
        if (tracks->items[at].part != place->part) {
            TACHO_TRY(place_one(tracks, at, parent, place));
        }
        parent = tracks->items[at].track;
    }
    pfr_track *track = &tracks->items[id];
    track->rows_part = place->part;
    bool is_group = tracks->dict->tracks[track->row_track].track_class == TACHO_TRACK_GROUP;
    return is_group && !track->has_facts ? add_row_track(tracks, track) : TACHO_OK;
}
