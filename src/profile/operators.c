/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators: an argument of the row, else the name or category of its site.
 */
#include "profile/operators.h"

#include "profile/categories.h"

void tacho_operators_init(tacho_operators *operators, tacho_dict *dict)
{
    *operators = (tacho_operators){
        .dict = dict,
        .key = tacho_strings_find(&dict->strings, TACHO_STR("op_name")),
    };
}

/* The empty string is number 0, so no string has to be looked at. */
uint32_t tacho_operators_of_site(const tacho_site *site)
{
    return site->name != 0 ? site->name : site->category;
}

tacho_track_class tacho_operators_class(tacho_category_kind kind, const tacho_track *track)
{
    if (kind == TACHO_CATEGORY_KIND_PHASE || kind == TACHO_CATEGORY_KIND_WAIT) {
        return TACHO_TRACK_PHASE;
    }
    bool is_of_host = kind == TACHO_CATEGORY_KIND_HOST && track->track_class == TACHO_TRACK_COMPUTE;
    return is_of_host ? TACHO_TRACK_HOST : track->track_class;
}

bool tacho_operators_is_whole(const tacho_dict *dict, const tacho_site *site)
{
    return tacho_str_equal(tacho_dict_string(dict, site->category),
                           TACHO_STR(TACHO_CATEGORY_OPERATOR));
}

bool tacho_operators_is_piece(const tacho_dict *dict, const tacho_site *site,
                              const tacho_track *track)
{
    const uint32_t engines =
        TACHO_TRACK_BIT(TACHO_TRACK_CONTROL) | TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN) |
        TACHO_TRACK_BIT(TACHO_TRACK_DMA_OUT) | TACHO_TRACK_BIT(TACHO_TRACK_DMA_LOCAL) |
        TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE);
    return (TACHO_TRACK_BIT(track->track_class) & engines) != 0 &&
           !tacho_operators_is_whole(dict, site);
}

static bool is_fence(tacho_str name)
{
    return tacho_str_ends_with(name, TACHO_STR("_fence_before")) ||
           tacho_str_ends_with(name, TACHO_STR("_fence_after"));
}

tacho_status tacho_operators_of_row(const tacho_operators *operators, const tacho_row *row,
                                    uint32_t *out_string)
{
    const tacho_dict *dict = operators->dict;
    *out_string = TACHO_NONE;
    if (operators->key == TACHO_NONE || row->arg_count == 0 ||
        is_fence(tacho_dict_string(dict, dict->sites[row->of.span.site].name))) {
        return TACHO_OK;
    }
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        if (arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY) {
            i += (size_t)arg->value.as_uint; /* its members do not belong to the row */
        } else if (arg->key == operators->key && arg->type == TACHO_ARG_STRING) {
            bool is_empty = tacho_dict_string(dict, arg->value.as_string).len == 0;
            *out_string = is_empty ? TACHO_NONE : arg->value.as_string;
            return TACHO_OK;
        } else if (arg->key == operators->key && arg->type == TACHO_ARG_TEXT) {
            return arg->value.as_text.len == 0
                       ? TACHO_OK
                       : tacho_dict_ensure_string(operators->dict, arg->value.as_text, out_string);
        }
    }
    return TACHO_OK;
}
