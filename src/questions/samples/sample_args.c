/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of a dictionary or an array follow it.
 */
#include "questions/samples/sample_args.h"

const tacho_arg *tacho_sample_arg(const tacho_profile *profile, const tacho_span *span,
                                  uint32_t key)
{
    const tacho_stored_arg *args = profile->args;
    size_t at = span->args;
    while (span->args != TACHO_NONE && key != TACHO_NONE && at < profile->arg_count) {
        const tacho_arg *arg = &args[at].arg;
        bool is_nest = arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY;
        if (arg->key == key) {
            return arg;
        }
        at += is_nest ? (size_t)arg->value.as_uint : 0; /* skips its contents */
        if (at >= profile->arg_count || args[at].is_last) {
            return NULL;
        }
        at++;
    }
    return NULL;
}

static uint32_t mix(uint32_t hash, uint64_t value)
{
    uint64_t mixed = (hash ^ value ^ value >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 32) | 1;
}

uint32_t tacho_sample_arg_hash(const tacho_profile *profile, const tacho_arg *arg)
{
    size_t first = (size_t)((const tacho_stored_arg *)(const void *)arg - profile->args);
    bool is_nest = arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY;
    size_t last = first + (is_nest ? (size_t)arg->value.as_uint : 0);
    uint32_t hash = 1;
    for (size_t i = first; i <= last && i < profile->arg_count; i++) {
        const tacho_arg *of = &profile->args[i].arg;
        tacho_str text = of->type == TACHO_ARG_STRING
                             ? tacho_dict_string(profile->events.dict, of->value.as_string)
                             : of->value.as_text;
        hash = mix(hash, (uint64_t)of->type);
        if (of->type == TACHO_ARG_STRING || tacho_arg_has_text(of)) {
            for (size_t k = 0; k < text.len; k++) {
                hash = mix(hash, (unsigned char)text.data[k]);
            }
        } else {
            hash = mix(hash, of->type == TACHO_ARG_BOOL ? of->value.as_bool : of->value.as_uint);
        }
    }
    return hash;
}
