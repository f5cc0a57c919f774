/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays with indexes beside them. Structs are hashed and compared field by field, as a short
 * array of words, so that padding never matters.
 */
#include "profile/dict.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANK_PER_CLASS = 1 << 12, RANK_PER_CORE = 1 << 16, CORE_RANKS = 1 << 14 };

static tacho_status init_indexes(tacho_dict *dict)
{
    TACHO_TRY(tacho_strings_init(&dict->strings));
    TACHO_TRY(tacho_index_init(&dict->site_index));
    TACHO_TRY(tacho_index_init(&dict->location_index));
    return tacho_index_init(&dict->track_index);
}

tacho_status tacho_dict_init(tacho_dict *dict)
{
    *dict = (tacho_dict){0};
    tacho_status status = init_indexes(dict);
    if (status != TACHO_OK) {
        tacho_dict_deinit(dict);
    }
    return status;
}

void tacho_dict_deinit(tacho_dict *dict)
{
    tacho_strings_deinit(&dict->strings);
    tacho_index_deinit(&dict->site_index);
    tacho_index_deinit(&dict->location_index);
    tacho_index_deinit(&dict->track_index);
    free(dict->clocks);
    free(dict->parts);
    free(dict->tracks);
    free(dict->locations);
    free(dict->sites);
    free(dict->first_sites);
    free(dict->runs);
    free(dict->metadata);
    free(dict->losses);
    *dict = (tacho_dict){0};
}

tacho_status tacho_dict_ensure_string(tacho_dict *dict, tacho_str text, uint32_t *out_id)
{
    return tacho_strings_ensure(&dict->strings, text, out_id);
}

tacho_status tacho_dict_add_clock(tacho_dict *dict, const tacho_clock *clock, tacho_str name,
                                  uint32_t *out_id)
{
    TACHO_TRY(tacho_grow(&dict->clocks, &dict->clock_capacity, dict->clock_count + 1));
    tacho_clock *added = &dict->clocks[dict->clock_count];
    *added = *clock;
    TACHO_TRY(tacho_dict_ensure_string(dict, name, &added->name));
    *out_id = (uint32_t)dict->clock_count++;
    return TACHO_OK;
}

static tacho_str words_as_bytes(const uint32_t *words, size_t word_count)
{
    return tacho_str_make((const char *)words, word_count * sizeof(*words));
}

static uint32_t hash_track(const tacho_dict *dict, uint32_t parent, uint32_t name)
{
    uint32_t key[2] = {parent, name};
    return tacho_index_hash(&dict->track_index, words_as_bytes(key, 2));
}

/* Parts are found by their root tracks, which have no parent. */
static bool part_name_taken(const tacho_dict *dict, uint32_t name)
{
    uint32_t hash = hash_track(dict, TACHO_NONE, name);
    size_t at = tacho_index_begin(&dict->track_index, hash);
    uint32_t id = TACHO_NONE;
    while ((id = tacho_index_next(&dict->track_index, hash, &at)) != TACHO_NONE) {
        const tacho_track *found = &dict->tracks[id];
        if (found->parent == TACHO_NONE && dict->parts[found->part].name == name) {
            return true;
        }
    }
    return false;
}

bool tacho_dict_has_part_named(const tacho_dict *dict, tacho_str name)
{
    uint32_t id = tacho_strings_find(&dict->strings, name);
    return id != TACHO_NONE && part_name_taken(dict, id);
}

/* How many parts were read from |path| before. */
static size_t path_count(const tacho_dict *dict, tacho_str path)
{
    uint32_t id = tacho_strings_find(&dict->strings, path);
    size_t count = 0;
    for (size_t i = 0; i < dict->part_count; i++) {
        count += dict->parts[i].path == id ? 1 : 0;
    }
    return count;
}

/* How many parts are called "|base| #...". */
static size_t numbered_count(const tacho_dict *dict, tacho_str base)
{
    size_t count = 0;
    for (size_t i = 0; i < dict->part_count; i++) {
        tacho_str name = tacho_dict_string(dict, dict->parts[i].name);
        count += name.len > base.len + 2 && tacho_str_starts_with(name, base) &&
                         name.data[base.len] == ' ' && name.data[base.len + 1] == '#'
                     ? 1
                     : 0;
    }
    return count;
}

/* "a.csv"; another folder's "b/a.csv"; the same again "a.csv #2", "a.csv #3" ... */
static tacho_status ensure_part_name(tacho_dict *dict, const tacho_part_facts *facts,
                                     uint32_t *out_name)
{
    tacho_str path = facts->path;
    tacho_str given = dict->part_name.len > 0 ? dict->part_name : facts->name;
    bool is_given = given.len > 0;
    tacho_str base = is_given ? given : tacho_str_basename(path);
    TACHO_TRY(tacho_dict_ensure_string(dict, base, out_name));
    if (!is_given && part_name_taken(dict, *out_name) && path_count(dict, path) == 0) {
        base = path;
        TACHO_TRY(tacho_dict_ensure_string(dict, base, out_name));
    }
    bool is_taken = part_name_taken(dict, *out_name);
    size_t number = !is_given  ? path_count(dict, path) + 1
                    : is_taken ? numbered_count(dict, base) + 2
                               : 2;
    for (number = number < 2 ? 2 : number; part_name_taken(dict, *out_name); number++) {
        char numbered[288];
        int len = snprintf(numbered, sizeof(numbered), "%.*s #%zu",
                           base.len > 255 ? 255 : (int)base.len, base.data, number);
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_make(numbered, (size_t)len), out_name));
    }
    return TACHO_OK;
}

tacho_status tacho_dict_add_part(tacho_dict *dict, const tacho_part_facts *facts, uint32_t *out_id)
{
    tacho_part part = {
        .clock = facts->clock,
        .origin = facts->origin,
        .covered_classes = facts->covered_classes,
        .keeps_order = facts->keeps_order,
        .first_start = -1,
    };
    TACHO_TRY(ensure_part_name(dict, facts, &part.name));
    TACHO_TRY(tacho_dict_ensure_string(dict, facts->path, &part.path));
    part.source = part.path;
    TACHO_TRY(tacho_dict_ensure_string(dict, facts->format, &part.format));
    TACHO_TRY(tacho_dict_ensure_string(dict, facts->generation, &part.generation));
    uint32_t id = (uint32_t)dict->part_count;
    tacho_track root = {
        .name = part.name,
        .parent = TACHO_NONE,
        .part = id,
        .clock = facts->clock,
        .lane_of = TACHO_NONE,
        .rank = (int32_t)id,
        .track_class = TACHO_TRACK_GROUP,
    };
    TACHO_TRY(tacho_grow(&dict->parts, &dict->part_capacity, dict->part_count + 1));
    TACHO_TRY(tacho_dict_add_track(dict, &root, &part.root));
    uint32_t hash = hash_track(dict, TACHO_NONE, part.name);
    tacho_status status = tacho_index_add(&dict->track_index, hash, part.root);
    if (status != TACHO_OK) {
        dict->track_count--;
        return status;
    }
    dict->parts[dict->part_count++] = part;
    *out_id = id;
    return TACHO_OK;
}

int32_t tacho_track_rank(uint32_t core, tacho_track_class track_class, uint32_t index)
{
    /* New classes go to the end of the vocabulary, so this order is not that of their numbers. */
    static const uint8_t places[TACHO_TRACK_CLASS_COUNT] = {
        [TACHO_TRACK_GROUP] = 0,   [TACHO_TRACK_PHASE] = 1,     [TACHO_TRACK_HOST] = 2,
        [TACHO_TRACK_MEMORY] = 3,  [TACHO_TRACK_HOST_COPY] = 4, [TACHO_TRACK_RUNTIME] = 5,
        [TACHO_TRACK_CONTROL] = 6, [TACHO_TRACK_DMA_IN] = 7,    [TACHO_TRACK_DMA_LOCAL] = 8,
        [TACHO_TRACK_COMPUTE] = 9, [TACHO_TRACK_VECTOR] = 10,   [TACHO_TRACK_DMA_OUT] = 11,
        [TACHO_TRACK_SYNC] = 12,   [TACHO_TRACK_PORT] = 13,     [TACHO_TRACK_COUNTER] = 14,
    };
    return (int32_t)(core % CORE_RANKS) * RANK_PER_CORE + places[track_class] * RANK_PER_CLASS +
           (int32_t)(index % RANK_PER_CLASS);
}

tacho_status tacho_dict_add_track(tacho_dict *dict, const tacho_track *track, uint32_t *out_id)
{
    TACHO_TRY(tacho_grow(&dict->tracks, &dict->track_capacity, dict->track_count + 1));
    *out_id = (uint32_t)dict->track_count;
    dict->tracks[dict->track_count++] = *track;
    return TACHO_OK;
}

uint32_t tacho_dict_find_track(const tacho_dict *dict, uint32_t parent, uint32_t name,
                               bool is_counter)
{
    uint32_t hash = hash_track(dict, parent, name);
    size_t at = tacho_index_begin(&dict->track_index, hash);
    uint32_t id = TACHO_NONE;
    while ((id = tacho_index_next(&dict->track_index, hash, &at)) != TACHO_NONE) {
        const tacho_track *track = &dict->tracks[id];
        if (track->parent == parent && track->name == name &&
            (track->track_class == TACHO_TRACK_COUNTER) == is_counter) {
            break;
        }
    }
    return id;
}

tacho_status tacho_dict_ensure_track(tacho_dict *dict, const tacho_track *facts, tacho_str name,
                                     uint32_t *out_id)
{
    tacho_track track = *facts;
    TACHO_TRY(tacho_dict_ensure_string(dict, name, &track.name));
    *out_id = tacho_dict_find_track(dict, track.parent, track.name,
                                    track.track_class == TACHO_TRACK_COUNTER);
    if (*out_id != TACHO_NONE) {
        return TACHO_OK;
    }
    if (track.rank < 0) {
        track.rank = tacho_track_rank(0, track.track_class, track.index);
    }
    TACHO_TRY(tacho_dict_add_track(dict, &track, out_id));
    return tacho_index_add(&dict->track_index, hash_track(dict, track.parent, track.name), *out_id);
}

tacho_status tacho_dict_ensure_location(tacho_dict *dict, const tacho_location *location,
                                        uint32_t *out_id)
{
    uint32_t key[1] = {location->text};
    uint32_t hash = tacho_index_hash(&dict->location_index, words_as_bytes(key, 1));
    size_t at = tacho_index_begin(&dict->location_index, hash);
    while ((*out_id = tacho_index_next(&dict->location_index, hash, &at)) != TACHO_NONE) {
        if (dict->locations[*out_id].text == location->text) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&dict->locations, &dict->location_capacity, dict->location_count + 1));
    *out_id = (uint32_t)dict->location_count;
    dict->locations[dict->location_count++] = *location;
    return tacho_index_add(&dict->location_index, hash, *out_id);
}

static bool is_site(const tacho_dict *dict, uint32_t id, const tacho_site *site)
{
    const tacho_site *found = &dict->sites[id];
    return found->name == site->name && found->category == site->category &&
           found->location == site->location;
}

static tacho_status add_site(tacho_dict *dict, const tacho_site *site, uint32_t *out_id)
{
    TACHO_TRY(tacho_grow(&dict->sites, &dict->site_capacity, dict->site_count + 1));
    *out_id = (uint32_t)dict->site_count;
    dict->sites[dict->site_count++] = *site;
    return TACHO_OK;
}

/* A site that is not the first of its name. */
static tacho_status ensure_other_site(tacho_dict *dict, const tacho_site *site, uint32_t *out_id)
{
    uint32_t key[3] = {site->name, site->category, site->location};
    uint32_t hash = tacho_index_hash(&dict->site_index, words_as_bytes(key, 3));
    size_t at = tacho_index_begin(&dict->site_index, hash);
    while ((*out_id = tacho_index_next(&dict->site_index, hash, &at)) != TACHO_NONE) {
        if (is_site(dict, *out_id, site)) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(add_site(dict, site, out_id));
    return tacho_index_add(&dict->site_index, hash, *out_id);
}

static tacho_status grow_first_sites(tacho_dict *dict, uint32_t name)
{
    TACHO_TRY(tacho_grow(&dict->first_sites, &dict->first_site_capacity, (size_t)name + 1));
    for (; dict->first_site_count <= name; dict->first_site_count++) {
        dict->first_sites[dict->first_site_count] = TACHO_NONE;
    }
    return TACHO_OK;
}

tacho_status tacho_dict_ensure_site(tacho_dict *dict, const tacho_site *site, uint32_t *out_id)
{
    if (TACHO_UNLIKELY(site->name >= dict->first_site_count)) {
        TACHO_TRY(grow_first_sites(dict, site->name));
    }
    uint32_t *first = &dict->first_sites[site->name];
    if (*first == TACHO_NONE) {
        TACHO_TRY(add_site(dict, site, first));
    } else if (!is_site(dict, *first, site)) {
        return ensure_other_site(dict, site, out_id);
    }
    *out_id = *first;
    return TACHO_OK;
}

tacho_status tacho_dict_add_run(tacho_dict *dict, const tacho_run *run, uint32_t *out_id)
{
    TACHO_TRY(tacho_grow(&dict->runs, &dict->run_capacity, dict->run_count + 1));
    *out_id = (uint32_t)dict->run_count;
    dict->runs[dict->run_count++] = *run;
    return TACHO_OK;
}

/* The entry of the same part and reason, or NULL. */
static tacho_loss *find_loss(const tacho_dict *dict, const tacho_loss *loss)
{
    for (size_t i = 0; i < dict->loss_count; i++) {
        if (dict->losses[i].part == loss->part && dict->losses[i].reason == loss->reason) {
            return &dict->losses[i];
        }
    }
    return NULL;
}

bool tacho_dict_has_loss(const tacho_dict *dict, const tacho_loss *loss)
{
    return find_loss(dict, loss) != NULL;
}

tacho_status tacho_dict_add_loss(tacho_dict *dict, const tacho_loss *loss)
{
    tacho_loss *known = find_loss(dict, loss);
    if (known != NULL) {
        known->count += tacho_least(loss->count, TACHO_LOSS_MAX - known->count);
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&dict->losses, &dict->loss_capacity, dict->loss_count + 1));
    tacho_loss *added = &dict->losses[dict->loss_count++];
    *added = *loss;
    added->count = tacho_least(loss->count, TACHO_LOSS_MAX);
    return TACHO_OK;
}

tacho_status tacho_dict_add_metadata(tacho_dict *dict, const char *key, tacho_str value)
{
    TACHO_TRY(tacho_grow(&dict->metadata, &dict->metadata_capacity, dict->metadata_count + 1));
    tacho_metadata *added = &dict->metadata[dict->metadata_count];
    TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(key), &added->key));
    TACHO_TRY(tacho_dict_ensure_string(dict, value, &added->value));
    dict->metadata_count++;
    return TACHO_OK;
}

tacho_status tacho_dict_add_metadata_count(tacho_dict *dict, const char *key, uint64_t value)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
    return tacho_dict_add_metadata(dict, key, tacho_str_make(digits, (size_t)len));
}
