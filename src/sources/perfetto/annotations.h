/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug annotations as arguments.
 */
#ifndef TACHO_SOURCES_PERFETTO_ANNOTATIONS_H
#define TACHO_SOURCES_PERFETTO_ANNOTATIONS_H

#include "profile/events.h"
#include "sources/perfetto/sequences.h"

typedef struct pfr_args {
    tacho_arg *items;
    size_t item_count, item_capacity;
    const pfr_sequences *sequences;
    const pfr_sequence *sequence; /* of the current event */
    bool has_unknown;             /* a number without an interned entry */
    bool is_too_deep;             /* something was left out because of its depth */
    bool is_bad;                  /* a message is malformed */
} pfr_args;

/* Adds the annotation |message| with all its contents. */
tacho_status pfr_args_add(pfr_args *args, tacho_dict *dict, tacho_str message) TACHO_MUST_USE;

/* Adds an argument of this name; the caller fills in its value. */
tacho_status pfr_args_append(pfr_args *args, uint32_t key, tacho_arg **out_arg) TACHO_MUST_USE;

/* Closes the container |at|: counts its contents. An empty one becomes JSON. */
void pfr_args_close(pfr_args *args, size_t at);

/* Adds an argument of this name with its value. */
tacho_status pfr_args_add_uint(pfr_args *args, tacho_dict *dict, const char *name,
                               uint64_t value) TACHO_MUST_USE;
tacho_status pfr_args_add_string(pfr_args *args, tacho_dict *dict, const char *name,
                                 uint32_t string) TACHO_MUST_USE;
tacho_status pfr_args_add_text(pfr_args *args, tacho_dict *dict, tacho_str name,
                               tacho_str text) TACHO_MUST_USE;

/* Adds a call stack contained in an event: an array of "FUNCTION FILE:LINE". */
tacho_status pfr_args_add_callstack(pfr_args *args, tacho_dict *dict,
                                    tacho_str message) TACHO_MUST_USE;

#endif
