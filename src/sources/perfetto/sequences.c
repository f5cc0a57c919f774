/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers are dense in practice and index an array; a number that would leave a large hole goes to
 * an index that all sequences share. An epoch there separates old entries from new ones; entries
 * are reused, so that fresh starts cost no memory.
 */
#include "sources/perfetto/sequences.h"

#include "base/grow.h"
#include "sources/perfetto/fields.h"

#include <stdio.h>
#include <stdlib.h>

enum { DENSE_START = 1024 };

tacho_status pfr_sequences_init(pfr_sequences *sequences, tacho_dict *dict)
{
    *sequences = (pfr_sequences){.dict = dict};
    TACHO_TRY(tacho_index_init(&sequences->index));
    return tacho_index_init(&sequences->sparse_index);
}

void pfr_sequences_deinit(pfr_sequences *sequences)
{
    for (size_t i = 0; i < sequences->item_count; i++) {
        for (size_t kind = 0; kind < PFR_TABLE_DENSE_COUNT; kind++) {
            free(sequences->items[i].tables[kind].items);
        }
        free(sequences->items[i].extra[0].uuids);
        free(sequences->items[i].extra[1].uuids);
    }
    free(sequences->items);
    free(sequences->sparse);
    tacho_index_deinit(&sequences->index);
    tacho_index_deinit(&sequences->sparse_index);
}

tacho_status pfr_sequences_ensure(pfr_sequences *sequences, uint32_t id,
                                  pfr_sequence **out_sequence)
{
    uint32_t found = sequences->last;
    if (TACHO_LIKELY(found < sequences->item_count && sequences->items[found].id == id)) {
        *out_sequence = &sequences->items[found];
        return TACHO_OK;
    }
    uint32_t hash =
        tacho_index_hash(&sequences->index, tacho_str_make((const char *)&id, sizeof(id)));
    size_t at = tacho_index_begin(&sequences->index, hash);
    while ((found = tacho_index_next(&sequences->index, hash, &at)) != TACHO_NONE &&
           sequences->items[found].id != id) {
    }
    if (found == TACHO_NONE) {
        TACHO_TRY(
            tacho_grow(&sequences->items, &sequences->item_capacity, sequences->item_count + 1));
        found = (uint32_t)sequences->item_count;
        sequences->items[sequences->item_count++] = (pfr_sequence){.id = id};
        TACHO_TRY(tacho_index_add(&sequences->index, hash, found));
    }
    sequences->last = found;
    *out_sequence = &sequences->items[found];
    return TACHO_OK;
}

void pfr_sequence_restart(pfr_sequence *sequence)
{
    sequence->is_valid = true;
    sequence->epoch++;
    sequence->clock_id = 0;
    sequence->has_track = false;
    sequence->extra[0].uuid_count = 0;
    sequence->extra[1].uuid_count = 0;
    for (size_t kind = 0; kind < PFR_TABLE_DENSE_COUNT; kind++) {
        sequence->tables[kind].item_count = 0;
    }
}

/* ---- interned data ---------------------------------------------------------------------- */

static uint32_t find_sparse(const pfr_sequences *sequences, const uint64_t key[2],
                            uint32_t *out_hash)
{
    *out_hash = tacho_index_hash(&sequences->sparse_index,
                                 tacho_str_make((const char *)key, 2 * sizeof(*key)));
    size_t at = tacho_index_begin(&sequences->sparse_index, *out_hash);
    uint32_t found = TACHO_NONE;
    while ((found = tacho_index_next(&sequences->sparse_index, *out_hash, &at)) != TACHO_NONE &&
           memcmp(sequences->sparse[found].key, key, 2 * sizeof(*key)) != 0) {
    }
    return found;
}

static void fill_sparse_key(const pfr_sequence *sequence, pfr_table_kind kind, uint64_t iid,
                            uint64_t out_key[2])
{
    out_key[0] = (uint64_t)sequence->id << 32 | (uint64_t)kind;
    out_key[1] = iid;
}

uint32_t pfr_sequences_find_sparse(const pfr_sequences *sequences, const pfr_sequence *sequence,
                                   pfr_table_kind kind, uint64_t iid)
{
    uint64_t key[2];
    uint32_t hash = 0;
    if (sequences->sparse_count == 0) {
        return TACHO_NONE;
    }
    fill_sparse_key(sequence, kind, iid, key);
    uint32_t found = find_sparse(sequences, key, &hash);
    bool holds = found != TACHO_NONE && sequences->sparse[found].epoch == sequence->epoch;
    return holds ? sequences->sparse[found].id : TACHO_NONE;
}

static tacho_status add_sparse(pfr_sequences *sequences, const pfr_sequence *sequence,
                               pfr_table_kind kind, uint64_t iid, uint32_t id)
{
    pfr_sparse added = {.epoch = sequence->epoch, .id = id};
    uint32_t hash = 0;
    fill_sparse_key(sequence, kind, iid, added.key);
    uint32_t found = find_sparse(sequences, added.key, &hash);
    if (found != TACHO_NONE) {
        /* The first entry stays, until the sequence starts afresh. */
        pfr_sparse *known = &sequences->sparse[found];
        *known = known->epoch == sequence->epoch ? *known : added;
        return TACHO_OK;
    }
    TACHO_TRY(
        tacho_grow(&sequences->sparse, &sequences->sparse_capacity, sequences->sparse_count + 1));
    sequences->sparse[sequences->sparse_count] = added;
    return tacho_index_add(&sequences->sparse_index, hash, (uint32_t)sequences->sparse_count++);
}

/* Files |id| under |iid|; the first entry stays. */
static tacho_status add_entry(pfr_sequences *sequences, pfr_sequence *sequence, pfr_table_kind kind,
                              uint64_t iid, uint32_t id)
{
    if (kind >= PFR_TABLE_DENSE_COUNT) {
        return add_sparse(sequences, sequence, kind, iid, id);
    }
    pfr_table *table = &sequence->tables[kind];
    if (iid >= DENSE_START && iid > 2 * table->item_count) {
        return add_sparse(sequences, sequence, kind, iid, id);
    }
    if (pfr_sequences_find(sequences, sequence, kind, iid) != TACHO_NONE) {
        return TACHO_OK;
    }
    if (iid >= table->item_count) {
        TACHO_TRY(tacho_grow(&table->items, &table->item_capacity, (size_t)iid + 1));
        while (table->item_count <= iid) {
            table->items[table->item_count++] = TACHO_NONE;
        }
    }
    table->items[iid] = id;
    return TACHO_OK;
}

static tacho_status add_string(pfr_sequences *sequences, pfr_sequence *sequence,
                               pfr_table_kind kind, tacho_str message, bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_str text = TACHO_STR("");
    uint64_t iid = 0;
    uint32_t id = 0;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_INTERNED_IID)) {
            iid = field.value;
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_INTERNED_STRING)) {
            text = pfr_text(field.bytes);
        }
    }
    *out_good = *out_good && tacho_pb_is_sound(&reader) && iid != 0;
    if (!tacho_pb_is_sound(&reader) || iid == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_dict_ensure_string(sequences->dict, text, &id));
    return add_entry(sequences, sequence, kind, iid, id);
}

tacho_status pfr_read_location(tacho_dict *dict, tacho_str message, uint64_t *out_iid,
                               uint32_t *out_location, bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_str file = TACHO_STR("");
    tacho_location facts = {0};
    *out_iid = 0;
    *out_location = TACHO_NONE;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_LOCATION_IID):
            *out_iid = field.value;
            break;
        case TACHO_PB_KEY_BYTES(PF_LOCATION_FILE):
            file = pfr_text(field.bytes);
            break;
        case TACHO_PB_KEY_VARINT(PF_LOCATION_LINE):
            facts.line = field.value <= UINT32_MAX ? (uint32_t)field.value : 0;
            break;
        default:
            break;
        }
    }
    *out_good = tacho_pb_is_sound(&reader);
    if (!*out_good || file.len == 0) {
        return TACHO_OK;
    }
    char line[16];
    tacho_arena arena;
    void *memory = NULL;
    int line_len = snprintf(line, sizeof(line), ":%u", (unsigned)facts.line);
    size_t text_len = file.len + (facts.line > 0 ? (size_t)line_len : 0);
    tacho_arena_init(&arena);
    tacho_status status = tacho_arena_alloc(&arena, text_len + 1, &memory);
    if (status == TACHO_OK) {
        memcpy(memory, file.data, file.len);
        memcpy((char *)memory + file.len, line, text_len - file.len);
        status = tacho_dict_ensure_string(dict, tacho_str_make(memory, text_len), &facts.text);
    }
    tacho_arena_deinit(&arena);
    TACHO_TRY(status);
    TACHO_TRY(tacho_dict_ensure_string(dict, file, &facts.file));
    return tacho_dict_ensure_location(dict, &facts, out_location);
}

static tacho_status add_location(pfr_sequences *sequences, pfr_sequence *sequence,
                                 tacho_str message, bool *out_good)
{
    uint64_t iid = 0;
    uint32_t location = TACHO_NONE;
    bool is_good = true;
    TACHO_TRY(pfr_read_location(sequences->dict, message, &iid, &location, &is_good));
    *out_good = *out_good && is_good && iid != 0;
    return is_good && iid != 0 && location != TACHO_NONE
               ? add_entry(sequences, sequence, PFR_TABLE_LOCATIONS, iid, location)
               : TACHO_OK;
}

static tacho_status add_context(pfr_sequences *sequences, pfr_sequence *sequence, tacho_str message,
                                bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint64_t iid = 0;
    uint32_t pid = 0;
    uint32_t api = 0;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_CONTEXT_IID):
            iid = field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_CONTEXT_PID):
            pid = (uint32_t)field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_CONTEXT_API):
            api = (uint32_t)field.value;
            break;
        default:
            break;
        }
    }
    *out_good = *out_good && tacho_pb_is_sound(&reader);
    if (!tacho_pb_is_sound(&reader)) {
        return TACHO_OK;
    }
    TACHO_TRY(add_entry(sequences, sequence, PFR_TABLE_CONTEXT_PIDS, iid, pid));
    return add_entry(sequences, sequence, PFR_TABLE_CONTEXT_APIS, iid, api);
}

tacho_status pfr_sequences_add_interned(pfr_sequences *sequences, pfr_sequence *sequence,
                                        tacho_str data, bool *out_good)
{
    static const struct {
        uint32_t field;
        pfr_table_kind kind;
    } tables[] = {
        {PF_INTERNED_CATEGORIES, PFR_TABLE_CATEGORIES},
        {PF_INTERNED_NAMES, PFR_TABLE_NAMES},
        {PF_INTERNED_ANNOTATION_NAMES, PFR_TABLE_KEYS},
        {PF_INTERNED_STRING_VALUES, PFR_TABLE_VALUES},
        {PF_INTERNED_LOG_BODIES, PFR_TABLE_LOG_BODIES},
        {PF_INTERNED_CORRELATIONS, PFR_TABLE_CORRELATIONS},
        {PF_INTERNED_GPU_SPECS, PFR_TABLE_GPU_SPECS},
        {PF_INTERNED_KERNELS, PFR_TABLE_KERNELS},
    };
    tacho_pb_reader reader;
    tacho_pb_field field;
    *out_good = true;
    tacho_pb_reader_init(&reader, data);
    while (tacho_pb_try_next(&reader, &field)) {
        if (field.wire != TACHO_PB_WIRE_BYTES) {
            continue;
        }
        if (field.number == PF_INTERNED_SOURCE_LOCATIONS) {
            TACHO_TRY(add_location(sequences, sequence, field.bytes, out_good));
            continue;
        }
        if (field.number == PF_INTERNED_GRAPHICS_CONTEXTS) {
            TACHO_TRY(add_context(sequences, sequence, field.bytes, out_good));
            continue;
        }
        for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
            if (field.number == tables[i].field) {
                TACHO_TRY(add_string(sequences, sequence, tables[i].kind, field.bytes, out_good));
            }
        }
    }
    *out_good = *out_good && tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

/* ---- defaults --------------------------------------------------------------------------- */

static tacho_status add_extra(pfr_extra_tracks *extra, uint64_t uuid)
{
    if (extra->uuid_count == PFR_EXTRA_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&extra->uuids, &extra->uuid_capacity, extra->uuid_count + 1));
    extra->uuids[extra->uuid_count++] = uuid;
    return TACHO_OK;
}

static tacho_status set_event_defaults(pfr_sequence *sequence, tacho_str message, bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_EVENT_TRACK_UUID):
            sequence->has_track = true;
            sequence->track_uuid = field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_EVENT_EXTRA_UUIDS):
            TACHO_TRY(add_extra(&sequence->extra[0], field.value));
            break;
        case TACHO_PB_KEY_VARINT(PF_EVENT_EXTRA_DOUBLE_UUIDS):
            TACHO_TRY(add_extra(&sequence->extra[1], field.value));
            break;
        default:
            break;
        }
    }
    *out_good = tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

tacho_status pfr_sequence_set_defaults(pfr_sequence *sequence, tacho_str data, bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    *out_good = true;
    sequence->clock_id = 0;
    sequence->has_track = false;
    sequence->extra[0].uuid_count = 0;
    sequence->extra[1].uuid_count = 0;
    tacho_pb_reader_init(&reader, data);
    while (tacho_pb_try_next(&reader, &field) && *out_good) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_DEFAULTS_CLOCK_ID)) {
            sequence->clock_id = field.value <= UINT32_MAX ? (uint32_t)field.value : UINT32_MAX;
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_DEFAULTS_TRACK_EVENT)) {
            TACHO_TRY(set_event_defaults(sequence, field.bytes, out_good));
        }
    }
    *out_good = *out_good && tacho_pb_is_sound(&reader);
    return TACHO_OK;
}
