/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks double from 4 KiB to a large page; a larger request gets a block of its own.
 */
#include "base/arena.h"

#include "base/budget.h"
#include "base/pages.h"

#include <stdalign.h>
#include <stdlib.h>

struct tacho_arena_block {
    tacho_arena_block *next;
    size_t capacity;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

enum {
    FIRST_BLOCK_BYTES = 4096,
    LAST_BLOCK_BYTES = TACHO_PAGES_LARGE_BYTES - sizeof(tacho_arena_block),
};

void tacho_arena_init(tacho_arena *arena)
{
    *arena = (tacho_arena){0};
}

void tacho_arena_deinit(tacho_arena *arena)
{
    tacho_arena_block *block = arena->blocks;
    while (block != NULL) {
        tacho_arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (tacho_arena){0};
}

void tacho_arena_reset(tacho_arena *arena)
{
    tacho_arena_block *kept = arena->blocks;
    if (kept == NULL) {
        return;
    }
    arena->blocks = kept->next;
    tacho_arena_deinit(arena);
    memset(kept->bytes, 0, kept->used);
    kept->used = 0;
    kept->next = NULL;
    arena->blocks = kept;
}

/* A zeroed block. The pages of a very large one are allocated when they are touched. */
static tacho_arena_block *make_block(size_t bytes)
{
    bool is_lazy = bytes > TACHO_PAGES_LARGE_BYTES;
    tacho_arena_block *block = is_lazy ? calloc(1, bytes) : tacho_pages_alloc(bytes);
    if (block == NULL) {
        return NULL;
    }
    if (is_lazy) {
        tacho_pages_advise(block, bytes);
    } else {
        memset(block, 0, bytes);
    }
    return block;
}

static tacho_status add_block(tacho_arena *arena, size_t need)
{
    size_t capacity = arena->blocks == NULL ? FIRST_BLOCK_BYTES : arena->blocks->capacity * 2;
    if (capacity > LAST_BLOCK_BYTES) {
        capacity = LAST_BLOCK_BYTES;
    }
    if (capacity < need) {
        capacity = need;
    }
    TACHO_TRY(tacho_budget_take(capacity));
    tacho_arena_block *block = make_block(sizeof(*block) + capacity);
    if (block == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %zu more bytes of memory", capacity);
    }
    block->capacity = capacity;
    block->next = arena->blocks;
    arena->blocks = block;
    return TACHO_OK;
}

tacho_status tacho_arena_alloc_bytes(tacho_arena *arena, size_t size, char **out_bytes)
{
    if (size > SIZE_MAX / 2) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "refusing to allocate %zu bytes", size);
    }
    if (arena->blocks == NULL || arena->blocks->capacity - arena->blocks->used < size) {
        TACHO_TRY(add_block(arena, size));
    }
    *out_bytes = (char *)arena->blocks->bytes + arena->blocks->used;
    arena->blocks->used += size;
    arena->used_bytes += size;
    return TACHO_OK;
}

tacho_status tacho_arena_alloc(tacho_arena *arena, size_t size, void **out_memory)
{
    const size_t alignment = alignof(max_align_t);
    char *bytes = NULL;
    if (arena->blocks != NULL) {
        size_t aligned = (arena->blocks->used + alignment - 1) / alignment * alignment;
        arena->blocks->used = aligned < arena->blocks->capacity ? aligned : arena->blocks->capacity;
    }
    TACHO_TRY(tacho_arena_alloc_bytes(arena, size, &bytes));
    *out_memory = bytes;
    return TACHO_OK;
}

tacho_status tacho_arena_copy(tacho_arena *arena, tacho_str text, tacho_str *out_copy)
{
    char *copy = NULL;
    TACHO_TRY(tacho_arena_alloc_bytes(arena, text.len + 1, &copy));
    if (text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    *out_copy = tacho_str_make(copy, text.len);
    return TACHO_OK;
}
