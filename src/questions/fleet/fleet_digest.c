/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts are hashed once each and found by id; a row takes a few multiplications.
 */
#include "questions/fleet/fleet_digest.h"

#include "base/grow.h"
#include "profile/summed_args.h"

#include <stdlib.h>

enum { LEFT_OUT = 1, TYPE_BITS = 8 };

void tacho_fleet_digest_deinit(tacho_fleet_digest *digest)
{
    free(digest->texts.items);
    free(digest->keys.items);
    free(digest->sites.items);
    free(digest->tracks.items);
    *digest = (tacho_fleet_digest){.row_count = 0};
}

uint64_t tacho_fleet_mix_text(uint64_t number, tacho_str text)
{
    uint64_t word = 0;
    size_t at = 0;
    number = tacho_fleet_mix(number, text.len);
    for (; text.len - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, text.data + at, sizeof(word));
        number = tacho_fleet_mix(number, word);
    }
    word = 0;
    memcpy(&word, text.data + at, text.len - at);
    return tacho_fleet_mix(number, word);
}

/* ---- hashes of ids --------------------------------------------------------------------------- */

/* Makes room for |id|. */
static tacho_status reach(tacho_fleet_hashes *hashes, uint32_t id)
{
    if (id < hashes->item_count) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&hashes->items, &hashes->item_capacity, (size_t)id + 1));
    memset(hashes->items + hashes->item_count, 0,
           (hashes->item_capacity - hashes->item_count) * sizeof(*hashes->items));
    hashes->item_count = hashes->item_capacity;
    return TACHO_OK;
}

static tacho_status hash_string(tacho_fleet_digest *self, const tacho_dict *dict, uint32_t string,
                                uint64_t *out_hash)
{
    TACHO_TRY(reach(&self->texts, string));
    uint64_t *hash = &self->texts.items[string];
    *hash = *hash != 0 ? *hash : tacho_fleet_mix_text(0, tacho_dict_string(dict, string));
    *out_hash = *hash;
    return TACHO_OK;
}

/* Hash of name, category and place. If it is 0, it is computed again for each row. */
static uint64_t hash_site(const tacho_dict *dict, const tacho_site *site)
{
    uint64_t hash = tacho_fleet_mix_text(0, tacho_dict_string(dict, site->name));
    hash = tacho_fleet_mix_text(hash, tacho_dict_string(dict, site->category));
    return site->location == TACHO_NONE
               ? hash
               : tacho_fleet_mix_text(
                     hash, tacho_dict_string(dict, dict->locations[site->location].text));
}

static uint64_t hash_key(const tacho_fleet_digest *self, tacho_str key)
{
    bool is_covered = self->has_all_args || tacho_summed_args_has(key);
    return is_covered ? tacho_fleet_mix_text(0, key) : LEFT_OUT;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A text has the same hash whether the dictionary or the row holds it. */
static tacho_status hash_value(tacho_fleet_digest *self, const tacho_dict *dict,
                               const tacho_arg *arg, uint64_t *out_hash)
{
    tacho_arg_type type = arg->type == TACHO_ARG_STRING ? TACHO_ARG_TEXT : arg->type;
    uint64_t value = arg->value.as_uint; /* of a real number, its bits */
    if (arg->type == TACHO_ARG_STRING) {
        TACHO_TRY(hash_string(self, dict, arg->value.as_string, &value));
    } else if (tacho_arg_has_text(arg)) {
        value = tacho_fleet_mix_text(0, arg->value.as_text);
    } else if (arg->type == TACHO_ARG_BOOL) {
        value = arg->value.as_bool ? 1 : 0;
    }
    *out_hash = tacho_fleet_mix(value, (uint64_t)arg->unit << TYPE_BITS | (uint64_t)type);
    return TACHO_OK;
}

/* Finds the ids of the covered keys, so that most other keys are skipped by their id alone. */
static tacho_status find_keys(tacho_fleet_digest *self, tacho_dict *dict)
{
    uint32_t last = self->has_all_args ? UINT32_MAX : 0;
    self->first_key = self->has_all_args ? 0 : UINT32_MAX;
    for (size_t i = 0; i < TACHO_SUMMED_KEYS && !self->has_all_args; i++) {
        uint32_t key = 0;
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_summed_keys[i], &key));
        self->first_key = key < self->first_key ? key : self->first_key;
        last = key > last ? key : last;
    }
    self->key_range = last - self->first_key;
    self->has_keys = true;
    return TACHO_OK;
}

static tacho_status add_arg(tacho_fleet_digest *self, const tacho_dict *dict, const tacho_arg *arg,
                            uint64_t *hash)
{
    uint64_t value = 0;
    TACHO_TRY(reach(&self->keys, arg->key));
    uint64_t *key = &self->keys.items[arg->key];
    *key = *key != 0 ? *key : hash_key(self, tacho_dict_string(dict, arg->key));
    if (*key != LEFT_OUT) {
        TACHO_TRY(hash_value(self, dict, arg, &value));
        *hash = tacho_fleet_mix(*hash, *key ^ value);
    }
    return TACHO_OK;
}

/* Arguments in their order: dictionaries and arrays precede their contents. */
static tacho_status add_args(tacho_fleet_digest *self, tacho_dict *dict, const tacho_row *row,
                             uint64_t *hash)
{
    TACHO_TRY(self->has_keys ? TACHO_OK : find_keys(self, dict));
    uint32_t first = self->first_key, range = self->key_range;
    for (size_t i = 0; i < row->arg_count; i++) {
        if (TACHO_UNLIKELY(row->args[i].key - first <= range)) {
            TACHO_TRY(add_arg(self, dict, &row->args[i], hash));
        }
    }
    return TACHO_OK;
}

static tacho_status hash_span(tacho_fleet_digest *self, tacho_dict *dict, const tacho_row *row,
                              uint64_t *out_hash)
{
    uint32_t site = row->of.span.site;
    TACHO_TRY(reach(&self->sites, site));
    if (self->sites.items[site] == 0) {
        self->sites.items[site] = hash_site(dict, &dict->sites[site]);
    }
    *out_hash = tacho_fleet_digest_span(row, self->sites.items[site]);
    if (row->of.span.run != TACHO_NONE) {
        const tacho_run *run = &dict->runs[row->of.span.run];
        uint64_t name = 0;
        TACHO_TRY(hash_string(self, dict, run->name, &name));
        *out_hash = tacho_fleet_mix(*out_hash, tacho_fleet_mix(name, (uint64_t)run->invocation));
    }
    return row->arg_count > 0 ? add_args(self, dict, row, out_hash) : TACHO_OK;
}

static uint64_t hash_sample(const tacho_row *row)
{
    uint64_t bits = 0;
    memcpy(&bits, &row->of.sample.value, sizeof(bits));
    return tacho_fleet_mix(tacho_fleet_mix((uint64_t)row->start, bits), TACHO_ROW_SAMPLE);
}

tacho_status tacho_fleet_digest_add_any(tacho_fleet_digest *digest, tacho_dict *dict,
                                        const tacho_row *row)
{
    uint64_t hash = 0;
    TACHO_TRY(reach(&digest->tracks, row->track));
    if (row->kind == TACHO_ROW_SPAN) {
        TACHO_TRY(hash_span(digest, dict, row, &hash));
    } else if (row->kind == TACHO_ROW_FLOW) {
        hash = tacho_fleet_digest_flow(row);
    } else {
        hash = hash_sample(row);
    }
    digest->tracks.items[row->track] += hash;
    digest->row_count++;
    return TACHO_OK;
}

/* ---- tracks ---------------------------------------------------------------------------------- */

/* Hash of a track and its parents. The name of the root is left out, since it is the file's. */
static uint64_t hash_track(const tacho_dict *dict, uint32_t id)
{
    const tacho_clock *clock = tacho_dict_track_clock(dict, id);
    uint64_t hash = tacho_fleet_mix((uint64_t)clock->ns_numerator, (uint64_t)clock->ns_denominator);
    for (; dict->tracks[id].parent != TACHO_NONE; id = dict->tracks[id].parent) {
        const tacho_track *track = &dict->tracks[id];
        hash = tacho_fleet_mix_text(hash, tacho_dict_string(dict, tacho_dict_track_name(dict, id)));
        hash = tacho_fleet_mix(hash, track->has_number ? (uint64_t)track->number : UINT64_MAX);
        hash = tacho_fleet_mix(hash, (uint64_t)track->track_class << TYPE_BITS | track->unit);
    }
    uint32_t part = dict->tracks[id].part;
    return tacho_fleet_mix(hash, (uint64_t)part << TYPE_BITS | dict->parts[part].origin);
}

uint64_t tacho_fleet_digest_sum(const tacho_fleet_digest *digest, const tacho_dict *dict)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < digest->tracks.item_count; i++) {
        if (digest->tracks.items[i] != 0) {
            sum += tacho_fleet_mix(hash_track(dict, (uint32_t)i), digest->tracks.items[i]);
        }
    }
    return tacho_fleet_mix(sum, digest->row_count);
}
