/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of processes and threads are texts here, since some tools write names in their place.
 * Whole numbers are brought to one form.
 */
#include "sources/chrome/chrome_tracks.h"

#include "base/grow.h"
#include "codec/json_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_MAX_BYTES = 4096, DEVICE_RANK = 1 << 24 };

tacho_status chrome_tracks_init(chrome_tracks *tracks, tacho_dict *dict)
{
    *tracks = (chrome_tracks){.dict = dict, .part = TACHO_NONE, .last_thread = TACHO_NONE};
    for (size_t i = 0; i < CHROME_THREAD_SLOTS; i++) {
        tracks->slots[i] = TACHO_NONE;
    }
    TACHO_TRY(tacho_strings_init(&tracks->ids));
    TACHO_TRY(chrome_map_init(&tracks->process_map));
    TACHO_TRY(chrome_map_init(&tracks->thread_map));
    TACHO_TRY(chrome_map_init(&tracks->counter_map));
    return chrome_map_init(&tracks->async_map);
}

void chrome_tracks_deinit(chrome_tracks *tracks)
{
    tacho_strings_deinit(&tracks->ids);
    chrome_map_deinit(&tracks->process_map);
    chrome_map_deinit(&tracks->thread_map);
    chrome_map_deinit(&tracks->counter_map);
    chrome_map_deinit(&tracks->async_map);
    free(tracks->processes);
    free(tracks->threads);
}

/* ---- processes and threads -------------------------------------------------------------- */

tacho_status chrome_tracks_ensure_id(chrome_tracks *tracks, tacho_str text, uint32_t *out_id)
{
    char digits[24];
    int64_t number = 0;
    if (tacho_json_number_i64(text, &number)) {
        int len = snprintf(digits, sizeof(digits), "%" PRId64, number);
        text = tacho_str_make(digits, (size_t)len);
    }
    return tacho_strings_ensure(&tracks->ids, text, out_id);
}

tacho_status chrome_tracks_process(chrome_tracks *tracks, tacho_str pid, uint32_t *out_process)
{
    chrome_key key = {{0}};
    uint32_t last = tracks->last_process;
    if (last < tracks->process_count &&
        tacho_str_equal(tacho_strings_get(&tracks->ids, tracks->processes[last].id), pid)) {
        *out_process = last;
        return TACHO_OK;
    }
    TACHO_TRY(chrome_tracks_ensure_id(tracks, pid, &key.words[0]));
    uint32_t added = (uint32_t)tracks->process_count;
    TACHO_TRY(chrome_map_ensure(&tracks->process_map, &key, added, out_process));
    tracks->last_process = *out_process;
    if (*out_process != added) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&tracks->processes, &tracks->process_capacity, tracks->process_count + 1));
    tracks->processes[tracks->process_count++] = (chrome_process){
        .id = key.words[0],
        .part = tracks->part,
        .track = TACHO_NONE,
        .first_thread = TACHO_NONE,
    };
    return TACHO_OK;
}

static tacho_status ensure_thread(chrome_tracks *tracks, tacho_str pid, tacho_str tid,
                                  uint32_t *out_thread)
{
    chrome_key key = {{0}};
    TACHO_TRY(chrome_tracks_process(tracks, pid, &key.words[0]));
    TACHO_TRY(chrome_tracks_ensure_id(tracks, tid, &key.words[1]));
    uint32_t added = (uint32_t)tracks->thread_count;
    TACHO_TRY(chrome_map_ensure(&tracks->thread_map, &key, added, out_thread));
    if (*out_thread != added) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&tracks->threads, &tracks->thread_capacity, tracks->thread_count + 1));
    chrome_process *process = &tracks->processes[key.words[0]];
    tracks->threads[tracks->thread_count++] = (chrome_thread){
        .process = key.words[0],
        .id = key.words[1],
        .next_thread = process->first_thread,
        .track = TACHO_NONE,
        .stack = TACHO_NONE,
        .last_start = -1,
    };
    process->first_thread = added;
    return TACHO_OK;
}

/* The thread of these numbers, which is not the one met last. */
static tacho_status find_thread(chrome_tracks *tracks, tacho_str pid, tacho_str tid,
                                uint32_t *out_thread)
{
    size_t hash = chrome_text_hash(chrome_text_ends_of(pid), pid.len) * 31 +
                  chrome_text_hash(chrome_text_ends_of(tid), tid.len);
    uint32_t *slot = &tracks->slots[hash % CHROME_THREAD_SLOTS];
    if (TACHO_LIKELY(*slot != TACHO_NONE)) {
        const chrome_thread *thread = &tracks->threads[*slot];
        const chrome_process *process = &tracks->processes[thread->process];
        if (TACHO_LIKELY(tacho_str_equal(tacho_strings_get(&tracks->ids, thread->id), tid) &&
                         tacho_str_equal(tacho_strings_get(&tracks->ids, process->id), pid))) {
            *out_thread = *slot;
            return TACHO_OK;
        }
    }
    TACHO_TRY(ensure_thread(tracks, pid, tid, slot));
    *out_thread = *slot;
    return TACHO_OK;
}

/* Whether both are the same text; the ends of a short text are all of it. */
static inline bool is_same_text(chrome_short_text a, chrome_short_text b)
{
    return ((a.ends.first ^ b.ends.first) | (a.ends.last ^ b.ends.last) | (a.len ^ b.len)) == 0;
}

tacho_status chrome_tracks_thread(chrome_tracks *tracks, tacho_str pid, tacho_str tid,
                                  uint32_t *out_thread)
{
    chrome_short_text short_pid = {chrome_text_ends_of(pid), pid.len};
    chrome_short_text short_tid = {chrome_text_ends_of(tid), tid.len};
    if (TACHO_LIKELY(tracks->last_thread != TACHO_NONE &&
                     is_same_text(short_pid, tracks->last_pid) &&
                     is_same_text(short_tid, tracks->last_tid))) {
        *out_thread = tracks->last_thread;
        return TACHO_OK;
    }
    TACHO_TRY(find_thread(tracks, pid, tid, out_thread));
    bool are_short = pid.len <= CHROME_SHORT_BYTES && tid.len <= CHROME_SHORT_BYTES;
    tracks->last_thread = are_short ? *out_thread : TACHO_NONE;
    tracks->last_pid = short_pid;
    tracks->last_tid = short_tid;
    return TACHO_OK;
}

/* ---- names ------------------------------------------------------------------------------ */

/* "python 3254 [GPU 0]", "process 3254", or the name in place of a number. */
static tacho_status name_process(const chrome_tracks *tracks, const chrome_process *process,
                                 uint32_t *out_name)
{
    tacho_str id = tacho_strings_get(&tracks->ids, process->id);
    tacho_str name = tacho_dict_string(tracks->dict, process->said.name);
    tacho_str labels = tacho_dict_string(tracks->dict, process->said.labels);
    double number = 0;
    if (process->said.has_facts && name.len > 0) {
        *out_name = process->said.name;
        return TACHO_OK;
    }
    if (name.len == 0 && (id.len == 0 || tacho_json_number_double(id, &number))) {
        name = TACHO_STR("process");
    } else if (tacho_str_equal(name, id)) {
        name.len = 0;
    }
    bool has_space = name.len > 0 && id.len > 0;
    char text[NAME_MAX_BYTES];
    int len = snprintf(text, sizeof(text), "%.*s%s%.*s%s%.*s%s", TACHO_STR_ARG(name),
                       has_space ? " " : "", TACHO_STR_ARG(id), labels.len > 0 ? " [" : "",
                       TACHO_STR_ARG(labels), labels.len > 0 ? "]" : "");
    size_t used = len < NAME_MAX_BYTES ? (size_t)len : NAME_MAX_BYTES - 1;
    return tacho_dict_ensure_string(tracks->dict, tacho_str_make(text, used), out_name);
}

static tacho_status name_thread(const chrome_tracks *tracks, const chrome_thread *thread,
                                uint32_t *out_name)
{
    tacho_str id = tacho_strings_get(&tracks->ids, thread->id);
    double number = 0;
    if (thread->said.name != 0) {
        *out_name = thread->said.name;
        tacho_str name = tacho_dict_string(tracks->dict, thread->said.name);
        tacho_str trimmed = tacho_str_trim(name); /* PyTorch leaves a trailing blank: "stream 7 " */
        return thread->said.has_facts || trimmed.len == name.len
                   ? TACHO_OK
                   : tacho_dict_ensure_string(tracks->dict, trimmed, out_name);
    }
    bool is_number = tacho_json_number_double(id, &number);
    if (id.len > 0 && !is_number) {
        return tacho_dict_ensure_string(tracks->dict, id, out_name);
    }
    char text[NAME_MAX_BYTES];
    int len = snprintf(text, sizeof(text), "thread%s%.*s", is_number ? " " : "", TACHO_STR_ARG(id));
    size_t used = len < NAME_MAX_BYTES ? (size_t)len : NAME_MAX_BYTES - 1;
    return tacho_dict_ensure_string(tracks->dict, tacho_str_make(text, used), out_name);
}

/* ---- tracks ----------------------------------------------------------------------------- */

/* Applies all of |said| but the name to a track. */
static void apply(const chrome_description *said, tacho_track *track)
{
    track->rank = said->has_rank ? said->rank : track->rank;
    if (said->has_facts) {
        track->track_class = said->facts.track_class;
        track->index = said->facts.index;
        track->nesting = said->facts.nesting;
        track->rank = said->facts.has_rank ? said->facts.rank : track->rank;
        track->number = said->facts.number;
        track->has_number = said->facts.has_number;
        track->is_numbered = said->facts.is_numbered;
        track->is_free = said->facts.is_free;
    }
}

/*
 * Sets the number |id| of a process or thread if it is a number; |is_named|: its name has no
 * number.
 */
static void set_number(const chrome_tracks *tracks, uint32_t id, bool is_named, tacho_track *track)
{
    int64_t number = 0;
    track->has_number = tacho_json_number_i64(tacho_strings_get(&tracks->ids, id), &number) &&
                        number >= 0 && number < TACHO_TRACK_NUMBER_END;
    track->number = track->has_number ? number : 0;
    track->is_numbered = track->has_number && !is_named;
}

/* The kind of row of a device's process that a thread is. */
static tacho_xla_line line_of_thread(const chrome_tracks *tracks, const chrome_thread *thread)
{
    return tacho_xla_line_of(tacho_dict_string(tracks->dict, thread->said.name));
}

/*
 * Whether a thread is a queue of a device, by the categories of its spans. Where those do not
 * decide, the process does; but a process called "GPU 0" may also hold Python frames, and one of
 * TensorFlow or JAX has rows that sum up the others.
 */
static tacho_track_class class_of_thread(const chrome_tracks *tracks, const chrome_thread *thread)
{
    const chrome_process *process = &tracks->processes[thread->process];
    if ((thread->kinds >> TACHO_CATEGORY_KIND_DEVICE & 1) != 0) {
        return TACHO_TRACK_COMPUTE;
    }
    if ((thread->kinds >> TACHO_CATEGORY_KIND_HOST & 1) != 0 || !process->is_compute) {
        return TACHO_TRACK_HOST;
    }
    tacho_xla_line line = line_of_thread(tracks, thread);
    bool sums_up = line == TACHO_XLA_LINE_SUMMARY ||
                   (line == TACHO_XLA_LINE_OPS && process->has_streams);
    return sums_up ? TACHO_TRACK_PHASE : TACHO_TRACK_COMPUTE;
}

/* A new track of |process| (or the root of its part), whose name and class are set. */
static tacho_status add_track(chrome_tracks *tracks, chrome_process *process,
                              const tacho_track *facts, uint32_t *out_track)
{
    const tacho_part *part = &tracks->dict->parts[tracks->part];
    tacho_track track = *facts;
    track.part = tracks->part;
    track.clock = part->clock;
    track.lane_of = TACHO_NONE;
    track.parent = process != NULL ? process->track : part->root;
    return tacho_dict_add_track(tracks->dict, &track, out_track);
}

static tacho_status ensure_process_track(chrome_tracks *tracks, uint32_t index)
{
    chrome_process *process = &tracks->processes[index];
    if (process->track != TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_track facts = {
        .rank = (int32_t)(index & INT32_MAX),
        .track_class = TACHO_TRACK_GROUP,
        .is_provisional = !process->said.has_facts,
    };
    set_number(tracks, process->id, false, &facts);
    apply(&process->said, &facts);
    TACHO_TRY(name_process(tracks, process, &facts.name));
    return add_track(tracks, NULL, &facts, &process->track);
}

tacho_status chrome_tracks_make_thread_track(chrome_tracks *tracks, uint32_t index)
{
    chrome_thread *thread = &tracks->threads[index];
    TACHO_TRY(ensure_process_track(tracks, thread->process));
    chrome_process *process = &tracks->processes[thread->process];
    thread->order = (uint32_t)process->track_count++;
    tacho_track facts = {
        .track_class = class_of_thread(tracks, thread),
        .is_provisional = !thread->said.has_facts,
    };
    facts.rank = tacho_track_rank(0, facts.track_class, thread->order);
    set_number(tracks, thread->id, thread->said.name != 0, &facts);
    apply(&thread->said, &facts);
    TACHO_TRY(name_thread(tracks, thread, &facts.name));
    return add_track(tracks, process, &facts, &thread->track);
}

/* A track with a name of its own, filed under |key| in |map|. */
static tacho_status ensure_mapped(chrome_tracks *tracks, chrome_map *map, const chrome_key *key,
                                  const tacho_track *facts, uint32_t *out_track)
{
    uint32_t added = (uint32_t)tracks->dict->track_count;
    TACHO_TRY(chrome_map_ensure(map, key, added, out_track));
    if (*out_track != added) {
        return TACHO_OK;
    }
    chrome_process *process = &tracks->processes[key->words[0]];
    tacho_track track = *facts;
    uint32_t order = (uint32_t)process->track_count++;
    track.rank = tacho_track_rank(0, track.track_class, order);
    return add_track(tracks, process, &track, out_track);
}

tacho_status chrome_tracks_counter(chrome_tracks *tracks, const chrome_counter *counter,
                                   uint32_t *out_track, bool *out_is_new)
{
    chrome_key key = {{counter->process, counter->words[0], counter->words[1], counter->words[2]}};
    tacho_track facts = {.track_class = TACHO_TRACK_COUNTER, .unit = counter->unit};
    TACHO_TRY(ensure_process_track(tracks, counter->process));
    size_t before = tracks->dict->track_count;
    TACHO_TRY(ensure_mapped(tracks, &tracks->counter_map, &key, &facts, out_track));
    *out_is_new = tracks->dict->track_count > before;
    return TACHO_OK;
}

tacho_status chrome_tracks_async(chrome_tracks *tracks, uint32_t process, uint32_t name,
                                 uint32_t *out_track)
{
    chrome_key key = {{process, name}};
    tacho_track facts = {.name = name, .track_class = TACHO_TRACK_HOST, .is_free = true};
    TACHO_TRY(ensure_process_track(tracks, process));
    return ensure_mapped(tracks, &tracks->async_map, &key, &facts, out_track);
}

tacho_status chrome_tracks_global(chrome_tracks *tracks, uint32_t *out_track)
{
    const tacho_part *part = &tracks->dict->parts[tracks->part];
    tacho_track facts = {
        .parent = part->root,
        .part = tracks->part,
        .clock = part->clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = TACHO_TRACK_HOST,
    };
    return tacho_dict_ensure_track(tracks->dict, &facts, TACHO_STR("Instants of the trace"),
                                   out_track);
}

/* Whether all that happens in a process happens on a device. */
static bool is_only_device(const chrome_tracks *tracks, const chrome_process *process)
{
    bool has_queue = false;
    for (uint32_t at = process->first_thread; at != TACHO_NONE;
         at = tracks->threads[at].next_thread) {
        const chrome_thread *thread = &tracks->threads[at];
        if (thread->track == TACHO_NONE) {
            continue;
        }
        tacho_track_class found = tracks->dict->tracks[thread->track].track_class;
        if (found != TACHO_TRACK_COMPUTE && found != TACHO_TRACK_PHASE) {
            return false;
        }
        has_queue = has_queue || found == TACHO_TRACK_COMPUTE;
    }
    return has_queue;
}

void chrome_tracks_rank_processes(chrome_tracks *tracks)
{
    for (size_t i = 0; i < tracks->process_count; i++) {
        const chrome_process *process = &tracks->processes[i];
        if (process->track == TACHO_NONE || process->said.has_rank || process->said.has_facts ||
            !tracks->dict->tracks[process->track].is_provisional) {
            continue;
        }
        int32_t rank = (int32_t)(i & (DEVICE_RANK - 1));
        tracks->dict->tracks[process->track].rank =
            rank + (is_only_device(tracks, process) ? DEVICE_RANK : 0);
    }
}

/* ---- updates ---------------------------------------------------------------------------- */

/* Whether the name or the labels of a process mark its threads as queues of a device. */
static bool is_device(const chrome_tracks *tracks, const chrome_process *process)
{
    tacho_str labels = tacho_dict_string(tracks->dict, process->said.labels);
    tacho_str name = tacho_dict_string(tracks->dict, process->said.name);
    return !process->said.has_facts && (tacho_str_starts_with(labels, TACHO_STR("GPU")) ||
                                        tacho_str_starts_with(name, TACHO_STR("GPU")) ||
                                        tacho_str_starts_with(name, TACHO_STR("/device:GPU")) ||
                                        tacho_str_starts_with(name, TACHO_STR("/device:TPU")));
}

static tacho_status update_thread(chrome_tracks *tracks, uint32_t index)
{
    const chrome_thread *thread = &tracks->threads[index];
    if (thread->track == TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_track *track = &tracks->dict->tracks[thread->track];
    if (!track->is_provisional || thread->shares_track) {
        return TACHO_OK; /* it has been described, or is another thread's */
    }
    track->track_class = class_of_thread(tracks, thread);
    track->rank = tacho_track_rank(0, track->track_class, thread->order);
    set_number(tracks, thread->id, thread->said.name != 0, track);
    apply(&thread->said, track);
    return name_thread(tracks, thread, &track->name);
}

static tacho_status update_threads(chrome_tracks *tracks, const chrome_process *process)
{
    for (uint32_t at = process->first_thread; at != TACHO_NONE;
         at = tracks->threads[at].next_thread) {
        TACHO_TRY(update_thread(tracks, at));
    }
    return TACHO_OK;
}

tacho_status chrome_tracks_update_thread(chrome_tracks *tracks, uint32_t index)
{
    const chrome_thread *thread = &tracks->threads[index];
    chrome_process *process = &tracks->processes[thread->process];
    if (!process->has_streams && line_of_thread(tracks, thread) == TACHO_XLA_LINE_STREAM) {
        process->has_streams = true; /* never reset */
        return update_threads(tracks, process);
    }
    return update_thread(tracks, index);
}

tacho_status chrome_tracks_update_process(chrome_tracks *tracks, uint32_t index)
{
    chrome_process *process = &tracks->processes[index];
    if (!process->is_compute && is_device(tracks, process)) {
        process->is_compute = true; /* never reset: threads are visited once */
        TACHO_TRY(update_threads(tracks, process));
    }
    if (process->track == TACHO_NONE || !tracks->dict->tracks[process->track].is_provisional) {
        return TACHO_OK;
    }
    tacho_track *track = &tracks->dict->tracks[process->track];
    apply(&process->said, track);
    return name_process(tracks, process, &track->name);
}
