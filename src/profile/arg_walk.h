/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a row as a flat list: each value with the path to it, such as "shapes[0].size".
 *
 *     tacho_arg_walk_begin(&walk, dict, row);
 *     while (tacho_arg_walk_next(&walk, &arg)) {
 *         TACHO_TRY(tacho_arg_walk_path(&walk, &path));
 *     }
 */
#ifndef TACHO_PROFILE_ARG_WALK_H
#define TACHO_PROFILE_ARG_WALK_H

#include "profile/events.h"

/* An open dictionary or array. */
typedef struct tacho_arg_container {
    size_t end; /* index of the first argument after it */
    uint32_t key;
    bool is_array;
    size_t member_count; /* so far */
} tacho_arg_container;

/* All zero at first. */
typedef struct tacho_arg_walk {
    const tacho_dict *dict;
    const tacho_arg *args;
    size_t arg_count, at;
    tacho_arg_container stack[TACHO_ARG_DEPTH_MAX];
    size_t depth;
    char *text; /* of the path */
    size_t text_len, text_capacity;
} tacho_arg_walk;

/* Starts at the first argument of |row|, which is good until the walk ends. */
void tacho_arg_walk_begin(tacho_arg_walk *walk, const tacho_dict *dict, const tacho_row *row);
void tacho_arg_walk_deinit(tacho_arg_walk *walk);

/* The next value; false after the last one. */
bool tacho_arg_walk_next(tacho_arg_walk *walk, const tacho_arg **out_arg);

/* The path of the last value; good until the next call. */
tacho_status tacho_arg_walk_path(tacho_arg_walk *walk, tacho_str *out_path) TACHO_MUST_USE;

#endif
