/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of a part double in size up to a limit, so that a part of three rows takes little and
 * one of millions is read back in long pieces.
 */
#include "profile/row_store.h"

#include "base/grow.h"
#include "base/tempfile.h"
#include "profile/packed_row.h"

#include <stdlib.h>

enum { FIRST_BLOCK_BYTES = 1 << 10, LAST_BLOCK_BYTES = 256 << 10 };

typedef struct row_block {
    unsigned char *bytes; /* NULL when the block is in the file */
    size_t used;
    size_t capacity;
    uint64_t offset; /* in the file */
} row_block;

typedef struct part_rows {
    row_block *blocks;
    size_t block_count, block_capacity;
    size_t filed_count; /* blocks before this one are in the file */
} part_rows;

struct tacho_row_store {
    tacho_events events;
    part_rows *parts;
    size_t part_count, part_capacity;
    size_t memory_bytes; /* allowed */
    size_t held_bytes;   /* of blocks in memory */
    tacho_tempfile file;
    unsigned char *scratch; /* a block read back from the file */
    size_t scratch_capacity;
    tacho_unpacked_args args;
};

static tacho_row_store *store_of(tacho_events *events)
{
    return (tacho_row_store *)(void *)events;
}

static tacho_status ensure_part(tacho_row_store *store, uint32_t part, part_rows **out_rows)
{
    if (part >= store->part_count) {
        TACHO_TRY(tacho_grow(&store->parts, &store->part_capacity, (size_t)part + 1));
        for (; store->part_count <= part; store->part_count++) {
            store->parts[store->part_count] = (part_rows){0};
        }
    }
    *out_rows = &store->parts[part];
    return TACHO_OK;
}

static void drop_bytes(tacho_row_store *store, row_block *block)
{
    if (block->bytes != NULL) {
        store->held_bytes -= block->capacity;
        free(block->bytes);
        block->bytes = NULL;
    }
}

/* Moves the blocks of one part to the file. */
static tacho_status file_part(tacho_row_store *store, part_rows *rows)
{
    for (; rows->filed_count < rows->block_count; rows->filed_count++) {
        row_block *block = &rows->blocks[rows->filed_count];
        block->offset = store->file.size_bytes;
        TACHO_TRY(tacho_tempfile_append(&store->file, block->bytes, block->used));
        drop_bytes(store, block);
    }
    return TACHO_OK;
}

static tacho_status file_all(tacho_row_store *store)
{
    if (store->file.fd < 0) {
        TACHO_TRY(tacho_tempfile_open(&store->file));
    }
    for (size_t i = 0; i < store->part_count; i++) {
        TACHO_TRY(file_part(store, &store->parts[i]));
    }
    return TACHO_OK;
}

static tacho_status add_block(tacho_row_store *store, part_rows *rows, size_t size)
{
    size_t capacity = FIRST_BLOCK_BYTES;
    if (rows->block_count > 0) {
        capacity = 2 * rows->blocks[rows->block_count - 1].capacity;
    }
    capacity = capacity > LAST_BLOCK_BYTES ? LAST_BLOCK_BYTES : capacity;
    capacity = capacity < size ? size : capacity;
    if (store->held_bytes > 0 && store->held_bytes + capacity > store->memory_bytes) {
        TACHO_TRY(file_all(store));
    }
    TACHO_TRY(tacho_grow(&rows->blocks, &rows->block_capacity, rows->block_count + 1));
    unsigned char *bytes = malloc(capacity);
    if (bytes == NULL) {
        return tacho_no_memory();
    }
    rows->blocks[rows->block_count++] = (row_block){.bytes = bytes, .capacity = capacity};
    store->held_bytes += capacity;
    return TACHO_OK;
}

/* Whether the last block of a part takes |size| more bytes. */
static bool has_room(const part_rows *rows, size_t size)
{
    if (rows->block_count == 0) {
        return false;
    }
    const row_block *last = &rows->blocks[rows->block_count - 1];
    return last->bytes != NULL && last->capacity - last->used >= size;
}

static tacho_status store_row(tacho_events *events, const tacho_row *row)
{
    tacho_row_store *store = store_of(events);
    part_rows *rows = NULL;
    size_t bound = 0;
    TACHO_TRY(ensure_part(store, events->dict->tracks[row->track].part, &rows));
    TACHO_TRY(tacho_packed_row_bound(row, &bound));
    if (!has_room(rows, bound)) {
        TACHO_TRY(add_block(store, rows, bound));
    }
    row_block *last = &rows->blocks[rows->block_count - 1];
    last->used += tacho_packed_row_write(row, last->bytes + last->used);
    return TACHO_OK;
}

static const tacho_events_vtable store_vtable = {.row = store_row};

static tacho_status replay_bytes(tacho_row_store *store, const unsigned char *bytes, size_t len,
                                 tacho_events *next)
{
    for (size_t at = 0; at < len;) {
        const tacho_packed_row *packed = (const tacho_packed_row *)(const void *)(bytes + at);
        tacho_row row;
        TACHO_TRY(tacho_packed_row_read(packed, &store->args, &row));
        TACHO_TRY(tacho_events_row(next, &row));
        at += packed->size_bytes;
    }
    return TACHO_OK;
}

tacho_status tacho_row_store_replay(tacho_row_store *store, uint32_t part, tacho_events *next)
{
    if (part >= store->part_count) {
        return TACHO_OK; /* it has no rows */
    }
    const part_rows *rows = &store->parts[part];
    for (size_t i = 0; i < rows->block_count; i++) {
        const row_block *block = &rows->blocks[i];
        const unsigned char *bytes = block->bytes;
        if (bytes == NULL) {
            TACHO_TRY(tacho_grow(&store->scratch, &store->scratch_capacity, block->used));
            TACHO_TRY(
                tacho_tempfile_read(&store->file, block->offset, store->scratch, block->used));
            bytes = store->scratch;
        }
        TACHO_TRY(replay_bytes(store, bytes, block->used, next));
    }
    return TACHO_OK;
}

void tacho_row_store_forget(tacho_row_store *store, uint32_t first_part)
{
    for (size_t i = first_part; i < store->part_count; i++) {
        for (size_t k = 0; k < store->parts[i].block_count; k++) {
            drop_bytes(store, &store->parts[i].blocks[k]);
        }
        free(store->parts[i].blocks);
    }
    store->part_count = store->part_count < first_part ? store->part_count : first_part;
}

tacho_status tacho_row_store_create(tacho_dict *dict, size_t memory_bytes,
                                    tacho_row_store **out_store)
{
    tacho_row_store *store = calloc(1, sizeof(*store));
    if (store == NULL) {
        return tacho_no_memory();
    }
    store->events = (tacho_events){&store_vtable, dict};
    store->memory_bytes = memory_bytes;
    store->file.fd = -1;
    *out_store = store;
    return TACHO_OK;
}

void tacho_row_store_destroy(tacho_row_store *store)
{
    if (store == NULL) {
        return;
    }
    tacho_row_store_forget(store, 0);
    tacho_tempfile_close(&store->file);
    free(store->parts);
    free(store->scratch);
    free(store->args.items);
    free(store);
}

tacho_events *tacho_row_store_events(tacho_row_store *store)
{
    return &store->events;
}
