/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values keep their type. Texts are views of the file, references strings of the dictionary.
 */
#include "sources/xplane/stats.h"

#include "base/grow.h"

#include <stdlib.h>

static const struct {
    tacho_str name;
    xp_role role;
    tacho_unit unit;
} known[] = {
    {TACHO_STR_INIT("hlo_category"), XP_ROLE_CATEGORY, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("source"), XP_ROLE_SOURCE, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("memcpy_details"), XP_ROLE_COPY, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("step_num"), XP_ROLE_STEP, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("correlation_id"), XP_ROLE_CORRELATION, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("_pt"), XP_ROLE_PRODUCER_TYPE, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("_p"), XP_ROLE_PRODUCER, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("_ct"), XP_ROLE_CONSUMER_TYPE, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("_c"), XP_ROLE_CONSUMER, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("flow"), XP_ROLE_FLOW, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("_a"), XP_ROLE_NONE, TACHO_UNIT_NONE},
    {TACHO_STR_INIT("bytes_accessed"), XP_ROLE_ARG, TACHO_UNIT_BYTES},
    {TACHO_STR_INIT("raw_bytes_accessed"), XP_ROLE_ARG, TACHO_UNIT_BYTES},
    {TACHO_STR_INIT("size"), XP_ROLE_ARG, TACHO_UNIT_BYTES},
};

static void describe(const xp_stat_names *names, tacho_str text, xp_stat_name *out_name)
{
    out_name->role = XP_ROLE_ARG;
    out_name->unit = TACHO_UNIT_NONE;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tacho_str_equal(text, known[i].name)) {
            out_name->role = known[i].role;
            out_name->unit = known[i].unit;
        }
    }
    bool is_launch = out_name->role == XP_ROLE_CORRELATION;
    out_name->is_wanted = out_name->role < XP_ROLE_PRODUCER_TYPE &&
                          (names->wanted == TACHO_ARGS_ALL || tacho_summed_args_has(text) ||
                           (names->wanted == TACHO_ARGS_SUMMED_AND_LAUNCHES && is_launch));
}

tacho_status xp_stat_names_add(xp_stat_names *names, tacho_str entry)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint64_t id = 0;
    tacho_str text = TACHO_STR("");
    tacho_str value = TACHO_STR("");
    tacho_pb_reader_init(&reader, entry);
    while (tacho_pb_try_next(&reader, &field)) {
        id = tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(XP_MAP_KEY) ? field.value : id;
        value = tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_MAP_VALUE) ? field.bytes : value;
    }
    tacho_pb_reader_init(&reader, value);
    while (tacho_pb_try_next(&reader, &field)) {
        text = tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_STAT_NAME_TEXT) ? field.bytes : text;
    }
    TACHO_TRY(tacho_grow(&names->items, &names->item_capacity, names->item_count + 1));
    xp_stat_name *name = &names->items[names->item_count];
    TACHO_TRY(tacho_dict_ensure_string(names->dict, text, &name->name));
    describe(names, text, name);
    return xp_ids_set(&names->ids, id, (uint32_t)names->item_count++);
}

void xp_stat_names_clear(xp_stat_names *names)
{
    names->item_count = 0;
    xp_ids_clear(&names->ids);
}

void xp_stat_names_deinit(xp_stat_names *names)
{
    xp_ids_deinit(&names->ids);
    free(names->items);
}

static void set_reference(const xp_stat_names *names, uint64_t id, xp_stat *stat)
{
    uint32_t place = xp_ids_find(&names->ids, id);
    stat->has_value = place != UINT32_MAX;
    stat->arg.type = TACHO_ARG_STRING;
    stat->arg.value.as_string = stat->has_value ? names->items[place].name : 0;
}

static void set_value(const xp_stat_names *names, const tacho_pb_field *field, xp_stat *stat)
{
    stat->has_value = true;
    switch (tacho_pb_key(field)) {
    case TACHO_PB_KEY_FIXED64(XP_STAT_REAL):
        stat->arg.type = TACHO_ARG_REAL;
        stat->arg.value.as_real = tacho_pb_double(field->value);
        return;
    case TACHO_PB_KEY_VARINT(XP_STAT_UINT):
        stat->arg.type = TACHO_ARG_UINT;
        stat->arg.value.as_uint = field->value;
        return;
    case TACHO_PB_KEY_VARINT(XP_STAT_INT):
        stat->arg.type = TACHO_ARG_INT;
        stat->arg.value.as_int = (int64_t)field->value;
        return;
    case TACHO_PB_KEY_BYTES(XP_STAT_TEXT):
        stat->arg.type = TACHO_ARG_TEXT;
        stat->arg.value.as_text = field->bytes;
        return;
    case TACHO_PB_KEY_VARINT(XP_STAT_REFERENCE):
        set_reference(names, field->value, stat);
        return;
    default:
        stat->has_value = false;
    }
}

bool xp_stat_read(const xp_stat_names *names, tacho_str message, xp_stat *out_stat)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint64_t id = 0;
    out_stat->has_value = false;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(XP_STAT_NAME)) {
            id = field.value;
        } else {
            set_value(names, &field, out_stat);
        }
    }
    uint32_t place = xp_ids_find(&names->ids, id);
    static const xp_stat_name unknown = {.role = XP_ROLE_NONE};
    out_stat->name = place != UINT32_MAX ? &names->items[place] : &unknown;
    out_stat->has_value = out_stat->has_value && place != UINT32_MAX;
    out_stat->arg.key = out_stat->name->name;
    out_stat->arg.unit = out_stat->name->unit;
    return tacho_pb_is_sound(&reader);
}

bool xp_stat_number(const xp_stat *stat, uint64_t *out_number)
{
    *out_number = stat->arg.value.as_uint; /* signed ones share the bits */
    return stat->has_value && (stat->arg.type == TACHO_ARG_UINT || stat->arg.type == TACHO_ARG_INT);
}

tacho_str xp_stat_text(const xp_stat *stat, const tacho_dict *dict)
{
    if (!stat->has_value) {
        return TACHO_STR("");
    }
    return stat->arg.type == TACHO_ARG_TEXT     ? stat->arg.value.as_text
           : stat->arg.type == TACHO_ARG_STRING ? tacho_dict_string(dict, stat->arg.value.as_string)
                                                : TACHO_STR("");
}
