/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arena: memory that is given out piece by piece and taken back all at once.
 *
 * Pieces never move, so views into an arena stay good until tacho_arena_deinit.
 */
#ifndef TACHO_BASE_ARENA_H
#define TACHO_BASE_ARENA_H

#include "base/status.h"
#include "base/str.h"

typedef struct tacho_arena_block tacho_arena_block;

typedef struct tacho_arena {
    tacho_arena_block *blocks; /* newest first */
    size_t used_bytes;         /* given out, without block overhead */
} tacho_arena;

void tacho_arena_init(tacho_arena *arena);
void tacho_arena_deinit(tacho_arena *arena);

/* Takes everything back but keeps one block, for scratch memory that is used over and over. */
void tacho_arena_reset(tacho_arena *arena);

/* |size| zeroed bytes aligned for any scalar; size 0 gives a valid pointer. */
tacho_status tacho_arena_alloc(tacho_arena *arena, size_t size, void **out_memory) TACHO_MUST_USE;

/* |size| zeroed bytes of any alignment. */
tacho_status tacho_arena_alloc_bytes(tacho_arena *arena, size_t size,
                                     char **out_bytes) TACHO_MUST_USE;

/* Copies |text| and adds a NUL. */
tacho_status tacho_arena_copy(tacho_arena *arena, tacho_str text,
                              tacho_str *out_copy) TACHO_MUST_USE;

#endif
