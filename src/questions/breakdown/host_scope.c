/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls are numbered by their operator and classes. A site keeps the number that it had within the
 * latest calls around it, so the index is rarely needed.
 */
#include "questions/breakdown/host_scope.h"

#include "base/grow.h"

#include <stdlib.h>

/* Beyond that, deeper calls count as those around them. */
enum { CALLS_MAX = 1 << 16 };

typedef struct tacho_scope_site {
    unsigned bits;
    bool is_read;
    uint32_t around, number; /* of the latest call */
} scope_site;

typedef struct open_call {
    int64_t end_ns;
    uint32_t number;
} open_call;

typedef struct tacho_scope_thread {
    open_call *items; /* the innermost last */
    size_t item_count, item_capacity;
} scope_thread;

void tacho_host_scope_init(tacho_host_scope *scope, const tacho_dict *dict)
{
    *scope = (tacho_host_scope){.dict = dict};
}

void tacho_host_scope_deinit(tacho_host_scope *scope)
{
    for (size_t i = 0; i < scope->thread_count; i++) {
        free(scope->threads[i].items);
    }
    free(scope->threads);
    if (scope->call_count > 0) {
        tacho_index_deinit(&scope->index);
    }
    free(scope->calls);
    free(scope->sites);
    tacho_host_scope_init(scope, scope->dict);
}

void tacho_host_scope_clear(tacho_host_scope *scope)
{
    for (size_t i = 0; i < scope->thread_count; i++) {
        scope->threads[i].item_count = 0;
    }
}

static bool is_same(const tacho_scope_calls *a, const tacho_scope_calls *b)
{
    return a->op == b->op && a->bits == b->bits;
}

/* The number of |calls|, or |otherwise| if there are too many. */
static tacho_status ensure_calls(tacho_host_scope *scope, const tacho_scope_calls *calls,
                                 uint32_t otherwise, uint32_t *out_number)
{
    const tacho_str key = tacho_str_make((const char *)calls, sizeof(*calls));
    uint32_t hash = tacho_index_hash(&scope->index, key);
    size_t at = tacho_index_begin(&scope->index, hash);
    while ((*out_number = tacho_index_next(&scope->index, hash, &at)) != TACHO_NONE) {
        if (is_same(&scope->calls[*out_number], calls)) {
            return TACHO_OK;
        }
    }
    *out_number = otherwise;
    if (scope->call_count == CALLS_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&scope->calls, &scope->call_capacity, scope->call_count + 1));
    scope->calls[scope->call_count] = *calls;
    *out_number = (uint32_t)scope->call_count++;
    return tacho_index_add(&scope->index, hash, *out_number);
}

/* Number 0. */
static tacho_status begin_calls(tacho_host_scope *scope)
{
    const tacho_scope_calls none = {.op = TACHO_NONE};
    uint32_t number = 0;
    if (scope->call_count > 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_index_init(&scope->index));
    return ensure_calls(scope, &none, 0, &number);
}

static tacho_status grow(tacho_host_scope *scope)
{
    const tacho_dict *dict = scope->dict;
    TACHO_TRY(tacho_grow(&scope->sites, &scope->site_capacity, dict->site_count));
    while (scope->site_count < dict->site_count) {
        scope->sites[scope->site_count++] = (scope_site){.number = TACHO_NONE};
    }
    TACHO_TRY(tacho_grow(&scope->threads, &scope->thread_capacity, dict->track_count));
    while (scope->thread_count < dict->track_count) {
        scope->threads[scope->thread_count++] = (scope_thread){.item_count = 0};
    }
    return begin_calls(scope);
}

static unsigned bits_of(tacho_host_scope *scope, uint32_t id)
{
    scope_site *site = &scope->sites[id];
    if (!site->is_read) {
        const tacho_site *named = &scope->dict->sites[id];
        site->is_read = true;
        site->bits = tacho_call_class_of(tacho_dict_string(scope->dict, named->category),
                                         tacho_dict_string(scope->dict, named->name));
    }
    return site->bits;
}

unsigned tacho_host_scope_bits(const tacho_host_scope *scope, uint32_t site)
{
    return site < scope->site_count ? scope->sites[site].bits : 0;
}

/* Numbers calls of |id| inside |around|. */
static tacho_status number_call(tacho_host_scope *scope, uint32_t id, uint32_t around,
                                uint32_t *out_number)
{
    scope_site *site = &scope->sites[id];
    if (site->number == TACHO_NONE || site->around != around) {
        const tacho_scope_calls outer = scope->calls[around];
        bool is_operator = (site->bits & TACHO_CALL_OPERATOR) != 0;
        const tacho_scope_calls made = {is_operator ? id : outer.op, outer.bits | site->bits};
        site->around = around;
        TACHO_TRY(ensure_calls(scope, &made, around, &site->number));
    }
    *out_number = site->number;
    return TACHO_OK;
}

uint32_t tacho_host_scope_at(tacho_host_scope *scope, uint32_t track, int64_t now_ns)
{
    if (track >= scope->thread_count) {
        return 0;
    }
    scope_thread *thread = &scope->threads[track];
    while (thread->item_count > 0 && thread->items[thread->item_count - 1].end_ns <= now_ns) {
        thread->item_count--;
    }
    return thread->item_count > 0 ? thread->items[thread->item_count - 1].number : 0;
}

tacho_status tacho_host_scope_add(tacho_host_scope *scope, uint32_t track, uint32_t site,
                                  const int64_t times_ns[2], unsigned *out_new)
{
    uint32_t number = 0;
    if (TACHO_UNLIKELY(site >= scope->site_count || track >= scope->thread_count)) {
        TACHO_TRY(grow(scope));
    }
    unsigned bits = bits_of(scope, site);
    *out_new = 0;
    if (bits == 0) {
        return TACHO_OK;
    }
    uint32_t around = tacho_host_scope_at(scope, track, times_ns[0]);
    TACHO_TRY(number_call(scope, site, around, &number));
    *out_new = bits & ~scope->calls[around].bits;
    scope_thread *thread = &scope->threads[track];
    TACHO_TRY(tacho_grow(&thread->items, &thread->item_capacity, thread->item_count + 1));
    thread->items[thread->item_count++] = (open_call){times_ns[1], number};
    return TACHO_OK;
}
