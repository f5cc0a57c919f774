/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers are indexed by {process, thread}, those of processes with -1 for the thread.
 */
#include "sinks/track_numbers.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIDDEN_PID = 1 << 30 };

tacho_status tacho_track_numbers_init(tacho_track_numbers *numbers, const tacho_dict *dict)
{
    *numbers = (tacho_track_numbers){
        .dict = dict, .lowest = 1, .highest_pid = INT32_MAX, .highest_tid = INT64_MAX};
    TACHO_TRY(tacho_index_init(&numbers->index));
    return tacho_index_init(&numbers->input_index);
}

void tacho_track_numbers_deinit(tacho_track_numbers *numbers)
{
    tacho_index_deinit(&numbers->index);
    tacho_index_deinit(&numbers->input_index);
    free(numbers->items);
}

static uint32_t hash_of(const tacho_index *index, const tacho_track_number *number)
{
    return tacho_index_hash(index, tacho_str_make((const char *)number, sizeof(*number)));
}

static bool is_taken(const tacho_track_numbers *numbers, const tacho_track_number *number)
{
    uint32_t hash = hash_of(&numbers->index, number);
    size_t at = tacho_index_begin(&numbers->index, hash);
    for (uint32_t id; (id = tacho_index_next(&numbers->index, hash, &at)) != TACHO_NONE;) {
        if (numbers->items[id].pid == number->pid && numbers->items[id].tid == number->tid) {
            return true;
        }
    }
    return false;
}

/* The key of the input's number of |track|: of a process without its group. */
static tacho_track_number input_key(const tacho_dict *dict, uint32_t track, int64_t number)
{
    bool is_process = dict->tracks[track].track_class == TACHO_TRACK_GROUP;
    return (tacho_track_number){is_process ? -1 : (int64_t)tacho_dict_track_group(dict, track),
                                number};
}

/* Whether the input gives |number| to another process, or another thread of the same. */
static bool is_wanted(const tacho_track_numbers *numbers, uint32_t track, int64_t number)
{
    tacho_track_number key = input_key(numbers->dict, track, number);
    uint32_t hash = hash_of(&numbers->input_index, &key);
    size_t at = tacho_index_begin(&numbers->input_index, hash);
    for (uint32_t id; (id = tacho_index_next(&numbers->input_index, hash, &at)) != TACHO_NONE;) {
        tacho_track_number found = input_key(numbers->dict, id, numbers->dict->tracks[id].number);
        if (found.pid == key.pid && found.tid == key.tid) {
            return true;
        }
    }
    return false;
}

/* Adds new tracks of the dictionary. */
static tacho_status meet_tracks(tacho_track_numbers *numbers)
{
    const tacho_dict *dict = numbers->dict;
    TACHO_TRY(tacho_grow(&numbers->items, &numbers->item_capacity, dict->track_count));
    while (numbers->item_count < dict->track_count) {
        uint32_t track = (uint32_t)numbers->item_count;
        numbers->items[numbers->item_count++] = (tacho_track_number){-1, -1};
        if (dict->tracks[track].has_number && dict->tracks[track].lane_of == TACHO_NONE) {
            tacho_track_number key = input_key(dict, track, dict->tracks[track].number);
            TACHO_TRY(tacho_index_add(&numbers->input_index, hash_of(&numbers->input_index, &key),
                                      track));
        }
    }
    return TACHO_OK;
}

/*
 * Whether the input's number is usable for a thread or process; |pid| is that of a thread's
 * process.
 */
static bool is_possible(const tacho_track_numbers *numbers, const tacho_track *facts, int64_t pid)
{
    bool is_process = facts->track_class == TACHO_TRACK_GROUP;
    int64_t highest = is_process ? numbers->highest_pid : numbers->highest_tid;
    /* Viewers mistake thread 0 of a process for the one that has the number of the process. */
    bool is_misread = !is_process && facts->number == 0 && pid != 0;
    return facts->has_number && facts->lane_of == TACHO_NONE && facts->number >= numbers->lowest &&
           facts->number <= highest && !is_misread;
}

/*
 * Gives |track| the number |*value| in |number|: the input's, or the first free one from there on;
 * if it is 0, from the track's own number on.
 */
static tacho_status give(tacho_track_numbers *numbers, uint32_t track, tacho_track_number *number,
                         int64_t *value)
{
    const tacho_track *facts = &numbers->dict->tracks[track];
    bool is_own = !is_possible(numbers, facts, number->pid);
    int64_t first = *value > 0 ? *value : (int64_t)track + 1;
    *value = is_own ? first : facts->number;
    if (is_own || is_taken(numbers, number)) {
        for (*value = first; is_taken(numbers, number) || is_wanted(numbers, track, *value);
             ++*value) {
        }
    }
    numbers->items[track] = *number;
    return tacho_index_add(&numbers->index, hash_of(&numbers->index, number), track);
}

static tacho_status give_process(tacho_track_numbers *numbers, uint32_t group)
{
    tacho_track_number number = {.tid = -1};
    return numbers->items[group].pid >= 0 ? TACHO_OK : give(numbers, group, &number, &number.pid);
}

tacho_status tacho_track_numbers_hide(tacho_track_numbers *numbers, uint32_t group)
{
    TACHO_TRY(meet_tracks(numbers));
    tacho_track_number number = {.pid = HIDDEN_PID, .tid = -1};
    return numbers->items[group].pid >= 0 ? TACHO_OK : give(numbers, group, &number, &number.pid);
}

tacho_status tacho_track_numbers_give(tacho_track_numbers *numbers, uint32_t track)
{
    TACHO_TRY(meet_tracks(numbers));
    uint32_t group = tacho_dict_track_group(numbers->dict, track);
    TACHO_TRY(give_process(numbers, group));
    if (group == track) {
        return TACHO_OK;
    }
    tacho_track_number number = {.pid = numbers->items[group].pid};
    return give(numbers, track, &number, &number.tid);
}

int32_t tacho_track_file_rank(const tacho_track *track)
{
    enum { PART_SHIFT = 25, WIDE_PARTS = 62, NARROW_RANKS = 16 };
    const int64_t offset = 1 << 16; /* for ranks below 0 */
    const int64_t last = (1 << PART_SHIFT) - 1;
    if (track->track_class != TACHO_TRACK_GROUP) {
        return track->rank;
    }
    if (track->part == 0) {
        return track->rank > last ? (int32_t)last : track->rank;
    }
    int64_t rank = track->parent == TACHO_NONE ? 0 : (int64_t)track->rank + offset;
    if (track->part < WIDE_PARTS) {
        rank = rank < 0 ? 0 : rank > last ? last : rank;
        return (int32_t)(((int64_t)track->part << PART_SHIFT) + rank);
    }
    /* Hundreds of parts are hundreds of inferences, with few groups each. */
    rank = rank > NARROW_RANKS - 1 ? NARROW_RANKS - 1 : rank < 0 ? 0 : rank;
    int64_t place = (int64_t)(track->part - WIDE_PARTS) * NARROW_RANKS + rank;
    return (int32_t)(((int64_t)WIDE_PARTS << PART_SHIFT) + (place > last ? last : place));
}

static tacho_status join(tacho_arena *arena, tacho_str head, tacho_str tail, tacho_str *out_text)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, head.len + tail.len, &memory));
    memcpy(memory, head.data, head.len);
    memcpy((char *)memory + head.len, tail.data, tail.len);
    *out_text = tacho_str_make(memory, head.len + tail.len);
    return TACHO_OK;
}

tacho_status tacho_track_viewer_name(const tacho_dict *dict, uint32_t track,
                                     const tacho_track_number *number, tacho_arena *arena,
                                     tacho_str *out_name)
{
    const tacho_track *facts = &dict->tracks[track];
    tacho_str name = tacho_dict_string(dict, tacho_dict_track_name(dict, track));
    char digits[32];
    int len = snprintf(digits, sizeof(digits), " %" PRId64, facts->number);
    *out_name = name;
    if (!facts->is_numbered || facts->number != (number->tid >= 0 ? number->tid : number->pid)) {
        return TACHO_OK;
    }
    for (size_t at = name.len; at-- > 1;) {
        tacho_str rest = tacho_str_from(name, at);
        if (!tacho_str_starts_with(rest, tacho_str_make(digits, (size_t)len))) {
            continue;
        }
        rest = tacho_str_from(rest, (size_t)len);
        if (rest.len == 0 || tacho_str_starts_with(rest, TACHO_STR(" ["))) {
            return join(arena, tacho_str_make(name.data, at), rest, out_name);
        }
    }
    return TACHO_OK;
}
