/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open containers are kept on a stack, from which the path is built.
 */
#include "profile/arg_walk.h"

#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>

void tacho_arg_walk_begin(tacho_arg_walk *walk, const tacho_dict *dict, const tacho_row *row)
{
    walk->dict = dict;
    walk->args = row->args;
    walk->arg_count = row->arg_count;
    walk->at = 0;
    walk->depth = 0;
}

void tacho_arg_walk_deinit(tacho_arg_walk *walk)
{
    free(walk->text);
    walk->text = NULL;
    walk->text_capacity = 0;
}

bool tacho_arg_walk_next(tacho_arg_walk *walk, const tacho_arg **out_arg)
{
    while (walk->at < walk->arg_count) {
        size_t at = walk->at++;
        const tacho_arg *arg = &walk->args[at];
        while (walk->depth > 0 && walk->stack[walk->depth - 1].end == at) {
            walk->depth--;
        }
        if (walk->depth > 0) {
            walk->stack[walk->depth - 1].member_count++;
        }
        if (arg->type != TACHO_ARG_DICT && arg->type != TACHO_ARG_ARRAY) {
            *out_arg = arg;
            return true;
        }
        walk->stack[walk->depth++] = (tacho_arg_container){
            at + 1 + (size_t)arg->value.as_uint, arg->key, arg->type == TACHO_ARG_ARRAY, 0};
    }
    return false;
}

static tacho_status add_text(tacho_arg_walk *walk, tacho_str text)
{
    TACHO_TRY(tacho_grow(&walk->text, &walk->text_capacity, walk->text_len + text.len + 1));
    if (text.len > 0) {
        memcpy(walk->text + walk->text_len, text.data, text.len);
    }
    walk->text_len += text.len;
    return TACHO_OK;
}

tacho_status tacho_arg_walk_path(tacho_arg_walk *walk, tacho_str *out_path)
{
    uint32_t last_key = walk->args[walk->at - 1].key;
    walk->text_len = 0;
    for (size_t i = 0; i <= walk->depth; i++) {
        if (i > 0 && walk->stack[i - 1].is_array) {
            char number[24];
            snprintf(number, sizeof(number), "[%zu]", walk->stack[i - 1].member_count - 1);
            TACHO_TRY(add_text(walk, tacho_str_from_cstring(number)));
            continue;
        }
        uint32_t key = i == walk->depth ? last_key : walk->stack[i].key;
        TACHO_TRY(add_text(walk, i > 0 ? TACHO_STR(".") : TACHO_STR("")));
        TACHO_TRY(add_text(walk, tacho_dict_string(walk->dict, key)));
    }
    *out_path = tacho_str_make(walk->text, walk->text_len);
    return TACHO_OK;
}
