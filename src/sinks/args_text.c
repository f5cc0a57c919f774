/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments as text.
 */
#include "sinks/args_text.h"

#include "base/decimal.h"
#include "base/grow.h"
#include "sinks/trace_rows.h"

#include <stdlib.h>

void tacho_args_text_deinit(tacho_args_text *self)
{
    tacho_arg_walk_deinit(&self->walk);
    free(self->text);
    *self = (tacho_args_text){.text = NULL};
}

tacho_status tacho_args_text_add(tacho_args_text *self, tacho_str text)
{
    TACHO_TRY(tacho_grow(&self->text, &self->capacity, self->len + text.len + 1));
    if (text.len > 0) {
        memcpy(self->text + self->len, text.data, text.len);
    }
    self->len += text.len;
    return TACHO_OK;
}

tacho_str tacho_args_text_number(const tacho_arg *arg, char room[TACHO_REAL_MAX])
{
    int len = 0;
    if (arg->type == TACHO_ARG_REAL && !isfinite(arg->value.as_real)) {
        return tacho_trace_not_finite(arg->value.as_real);
    }
    if (arg->type == TACHO_ARG_REAL) {
        len = (int)(tacho_real_put(room, arg->value.as_real) - room);
    } else if (arg->type == TACHO_ARG_UINT) {
        len = (int)(tacho_decimal_put(room, arg->value.as_uint) - room);
    } else {
        len = (int)(tacho_decimal_put_signed(room, arg->value.as_int) - room);
    }
    return tacho_str_make(room, (size_t)len);
}

static tacho_status add_value(tacho_args_text *self, const tacho_dict *dict, const tacho_arg *arg)
{
    char number[TACHO_REAL_MAX];
    switch (arg->type) {
    case TACHO_ARG_INT:
    case TACHO_ARG_UINT:
    case TACHO_ARG_REAL:
        return tacho_args_text_add(self, tacho_args_text_number(arg, number));
    case TACHO_ARG_BOOL:
        return tacho_args_text_add(self,
                                   arg->value.as_bool ? TACHO_STR("true") : TACHO_STR("false"));
    case TACHO_ARG_STRING:
        return tacho_args_text_add(self, tacho_dict_string(dict, arg->value.as_string));
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        return tacho_args_text_add(self, arg->value.as_text);
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        break;
    }
    return TACHO_OK;
}

tacho_status tacho_args_text_make(tacho_args_text *self, const tacho_dict *dict,
                                  const tacho_row *row, tacho_str *out_text)
{
    tacho_str separator = tacho_str_from_cstring(self->separator != NULL ? self->separator : "; ");
    tacho_str equals = tacho_str_from_cstring(self->equals != NULL ? self->equals : "=");
    const tacho_arg *arg = NULL;
    tacho_str path;
    self->len = 0;
    tacho_arg_walk_begin(&self->walk, dict, row);
    while (tacho_arg_walk_next(&self->walk, &arg)) {
        TACHO_TRY(tacho_arg_walk_path(&self->walk, &path));
        TACHO_TRY(tacho_args_text_add(self, self->len > 0 ? separator : TACHO_STR("")));
        TACHO_TRY(tacho_args_text_add(self, path));
        TACHO_TRY(tacho_args_text_add(self, equals));
        TACHO_TRY(add_value(self, dict, arg));
    }
    *out_text = tacho_str_make(self->len > 0 ? self->text : "", self->len);
    return TACHO_OK;
}
