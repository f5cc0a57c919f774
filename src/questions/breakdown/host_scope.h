/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host is doing, thread by thread: the operator around a launch, and the classes of all
 * calls around it. Spans are added in order of start, the longer first.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_HOST_SCOPE_H
#define TACHO_QUESTIONS_BREAKDOWN_HOST_SCOPE_H

#include "base/index.h"
#include "profile/call_class.h"
#include "profile/dict.h"

/* The calls around a time; number 0 is outside of all. */
typedef struct tacho_scope_calls {
    uint32_t op;   /* site of the innermost operator, or TACHO_NONE */
    uint32_t bits; /* tacho_call_class of all of them */
} tacho_scope_calls;

typedef struct tacho_host_scope {
    const tacho_dict *dict;
    struct tacho_scope_site *sites; /* by site */
    size_t site_count, site_capacity;
    tacho_scope_calls *calls;
    size_t call_count, call_capacity;
    tacho_index index;                  /* of calls, once there are some */
    struct tacho_scope_thread *threads; /* by track */
    size_t thread_count, thread_capacity;
} tacho_host_scope;

void tacho_host_scope_init(tacho_host_scope *scope, const tacho_dict *dict);
void tacho_host_scope_deinit(tacho_host_scope *scope);

/* Forgets open spans: another part begins. */
void tacho_host_scope_clear(tacho_host_scope *scope);

/* A span of |site| on |track| begins. |out_new| receives the classes that it has and that no call
 * around it had. */
tacho_status tacho_host_scope_add(tacho_host_scope *scope, uint32_t track, uint32_t site,
                                  const int64_t times_ns[2], unsigned *out_new) TACHO_MUST_USE;

/* The number of the calls around |now_ns| on |track|. */
uint32_t tacho_host_scope_at(tacho_host_scope *scope, uint32_t track, int64_t now_ns);

/* The classes of calls of |site|; 0 if there was none. */
unsigned tacho_host_scope_bits(const tacho_host_scope *scope, uint32_t site);

/* The calls of that number. */
static inline tacho_scope_calls tacho_host_scope_calls(const tacho_host_scope *scope,
                                                       uint32_t number)
{
    return number < scope->call_count ? scope->calls[number]
                                      : (tacho_scope_calls){.op = TACHO_NONE};
}

#endif
