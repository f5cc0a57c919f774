/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing: the fixed head, then sixteen bytes per argument, then the text of text arguments in
 * order, padded to eight bytes.
 */
#include "profile/packed_row.h"

#include "base/grow.h"

#include <assert.h>

typedef struct packed_arg {
    uint32_t key;
    uint8_t type;
    uint8_t unit;
    uint16_t padding;
    uint64_t bits; /* the value; of a text its length */
} packed_arg;

static_assert(sizeof(((tacho_row *)0)->of) <= sizeof(((tacho_packed_row *)0)->payload),
              "the payload holds every kind of row");

tacho_status tacho_packed_row_size(const tacho_row *row, size_t *out_size)
{
    size_t size = sizeof(tacho_packed_row) + row->arg_count * sizeof(packed_arg);
    for (size_t i = 0; i < row->arg_count; i++) {
        size += tacho_arg_has_text(&row->args[i]) ? row->args[i].value.as_text.len : 0;
    }
    if (size > UINT32_MAX - 8) {
        return tacho_fail(TACHO_CODE_LIMIT, "an event with %zu arguments takes %zu bytes",
                          row->arg_count, size);
    }
    *out_size = (size + 7) / 8 * 8;
    return TACHO_OK;
}

static uint64_t value_bits(const tacho_arg *arg)
{
    uint64_t bits = 0;
    switch (arg->type) {
    case TACHO_ARG_INT:
    case TACHO_ARG_UINT:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
    case TACHO_ARG_REAL:
        memcpy(&bits, &arg->value, sizeof(bits));
        break;
    case TACHO_ARG_BOOL:
        bits = arg->value.as_bool;
        break;
    case TACHO_ARG_STRING:
        bits = arg->value.as_string;
        break;
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        bits = arg->value.as_text.len;
        break;
    }
    return bits;
}

void tacho_packed_row_write(const tacho_row *row, int64_t key, size_t size, void *memory)
{
    tacho_packed_row *head = memory;
    *head = (tacho_packed_row){
        .size_bytes = (uint32_t)size,
        .arg_count = (uint32_t)row->arg_count,
        .key = key,
        .kind = (uint32_t)row->kind,
        .track = row->track,
        .start = row->start,
    };
    memcpy(head->payload, &row->of, sizeof(row->of));
    packed_arg *packed = (packed_arg *)(head + 1);
    char *text = (char *)(packed + row->arg_count);
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        packed[i] = (packed_arg){.key = arg->key,
                                 .type = (uint8_t)arg->type,
                                 .unit = (uint8_t)arg->unit,
                                 .bits = value_bits(arg)};
        if (tacho_arg_has_text(arg) && arg->value.as_text.len > 0) {
            memcpy(text, arg->value.as_text.data, arg->value.as_text.len);
            text += arg->value.as_text.len;
        }
    }
}

static void unpack_value(const packed_arg *packed, const char **text, tacho_arg *out_arg)
{
    switch (out_arg->type) {
    case TACHO_ARG_INT:
    case TACHO_ARG_UINT:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
    case TACHO_ARG_REAL:
        memcpy(&out_arg->value, &packed->bits, sizeof(packed->bits));
        break;
    case TACHO_ARG_BOOL:
        out_arg->value.as_bool = packed->bits != 0;
        break;
    case TACHO_ARG_STRING:
        out_arg->value.as_string = (uint32_t)packed->bits;
        break;
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        out_arg->value.as_text = tacho_str_make(*text, (size_t)packed->bits);
        *text += packed->bits;
        break;
    }
}

tacho_status tacho_packed_row_read(const tacho_packed_row *packed, tacho_unpacked_args *args,
                                   tacho_row *out_row)
{
    TACHO_TRY(tacho_grow(&args->items, &args->item_capacity, packed->arg_count));
    *out_row = (tacho_row){
        .kind = (tacho_row_kind)packed->kind,
        .track = packed->track,
        .start = packed->start,
        .args = args->items,
        .arg_count = packed->arg_count,
    };
    memcpy(&out_row->of, packed->payload, sizeof(out_row->of));
    const packed_arg *packed_args = (const packed_arg *)(packed + 1);
    const char *text = (const char *)(packed_args + packed->arg_count);
    for (size_t i = 0; i < packed->arg_count; i++) {
        args->items[i] = (tacho_arg){
            .key = packed_args[i].key,
            .type = (tacho_arg_type)packed_args[i].type,
            .unit = (tacho_unit)packed_args[i].unit,
        };
        unpack_value(&packed_args[i], &text, &args->items[i]);
    }
    return TACHO_OK;
}
