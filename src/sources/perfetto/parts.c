/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes and the parts they open. tacho.about begins a file, tacho.part.N.name a part.
 */
#include "sources/perfetto/parts.h"

#include "sources/perfetto/fields.h"
#include "sources/perfetto/perfetto.h"

#include <inttypes.h>
#include <stdio.h>

enum { KEY_MAX = 80 /* leaves room for the prefixes of sinks */ };

void pfr_parts_init(pfr_parts *parts, pfr_pairing *pairing)
{
    *parts = (pfr_parts){.pairing = pairing};
}

/* Keeps |text|; false when it is too long. */
static bool keep(pfr_fact *fact, tacho_str text)
{
    bool fits = text.len <= sizeof(fact->text);
    fact->len = fits ? text.len : 0;
    if (fact->len > 0) {
        memcpy(fact->text, text.data, fact->len);
    }
    return fits;
}

static tacho_str text_of(const pfr_fact *fact)
{
    return tacho_str_make(fact->text, fact->len);
}

/* ---- opening and ending ----------------------------------------------------------------- */

static tacho_status add_clock(pfr_parts *parts, uint32_t *out_clock)
{
    tacho_dict *dict = parts->pairing->dict;
    tacho_clock clock;
    tacho_str name;
    if (!parts->is_announced || !tacho_clock_facts_parse(text_of(&parts->clock), &clock, &name)) {
        tacho_clock_init(&clock, 1, 1);
        name = TACHO_STR("ns");
    }
    clock.has_fixed_zero = parts->is_announced && parts->has_fixed_zero;
    return tacho_dict_add_clock(dict, &clock, name, out_clock);
}

tacho_status pfr_parts_ensure(pfr_parts *parts)
{
    if (TACHO_LIKELY(parts->is_open)) {
        return TACHO_OK;
    }
    tacho_dict *dict = parts->pairing->dict;
    pfr_place place;
    tacho_part_facts facts = {
        .path = parts->pairing->reading->path,
        .name = parts->is_announced ? text_of(&parts->name) : TACHO_STR(""),
        .format = tacho_str_from_cstring(tacho_source_perfetto.name),
        .generation = parts->is_announced ? TACHO_STR("tacho") : TACHO_STR("track_event"),
        .origin = parts->is_announced ? parts->origin : TACHO_ORIGIN_MEASURED,
        .covered_classes = parts->is_announced ? parts->covered_classes : 0,
        .keeps_order = true,
    };
    TACHO_TRY(add_clock(parts, &place.clock));
    facts.clock = place.clock;
    TACHO_TRY(tacho_dict_add_part(dict, &facts, &place.part));
    place.root = dict->parts[place.part].root;
    parts->is_open = true;
    parts->opened_count++;
    TACHO_TRY(pfr_pairing_begin_part(parts->pairing, &place, parts->is_announced));
    parts->is_announced = false;
    return TACHO_OK;
}

tacho_status pfr_parts_end(pfr_parts *parts)
{
    if (parts->is_announced) {
        TACHO_TRY(pfr_parts_ensure(parts)); /* a part without rows */
    }
    if (!parts->is_open) {
        return TACHO_OK;
    }
    parts->is_open = false;
    return pfr_pairing_end_part(parts->pairing);
}

/* ---- attributes ------------------------------------------------------------------------- */

static tacho_status add_metadata(tacho_dict *dict, const char *prefix, tacho_str key,
                                 tacho_str value)
{
    char text[KEY_MAX];
    snprintf(text, sizeof(text), "%s%.*s", prefix, key.len > KEY_MAX ? KEY_MAX : (int)key.len,
             key.data);
    return tacho_dict_add_metadata(dict, text, value);
}

/* Takes a fact that tacho wrote about one of its parts. */
static tacho_status take_part_fact(pfr_parts *parts, tacho_str key, tacho_str fact, tacho_str value)
{
    if (tacho_str_equal(fact, TACHO_STR("name"))) {
        TACHO_TRY(pfr_parts_end(parts));
        parts->is_announced = true;
        parts->origin = TACHO_ORIGIN_UNKNOWN;
        parts->covered_classes = 0;
        parts->has_fixed_zero = false;
        keep(&parts->clock, TACHO_STR(""));
        return keep(&parts->name, value) ? TACHO_OK
                                         : add_metadata(parts->pairing->dict, "from.", key, value);
    }
    if (parts->is_announced && tacho_str_equal(fact, TACHO_STR("origin"))) {
        parts->origin = tacho_origin_find(value);
        return TACHO_OK;
    }
    if (parts->is_announced && tacho_str_equal(fact, TACHO_STR("covers"))) {
        parts->covered_classes = tacho_classes_facts_parse(value);
        return TACHO_OK;
    }
    if (parts->is_announced && tacho_str_equal(fact, TACHO_STR("clock"))) {
        keep(&parts->clock, value);
        return TACHO_OK;
    }
    if (parts->is_announced && tacho_str_equal(fact, TACHO_STR("alignment"))) {
        parts->has_fixed_zero = tacho_str_equal(value, TACHO_STR(TACHO_ALIGNMENT_FIXED));
        return TACHO_OK;
    }
    bool is_derived =
        tacho_str_equal(fact, TACHO_STR("rows")) || tacho_str_equal(fact, TACHO_STR("alignment"));
    return is_derived ? TACHO_OK : add_metadata(parts->pairing->dict, "from.", key, value);
}

static tacho_status take_attribute(pfr_parts *parts, tacho_str key, tacho_str value)
{
    tacho_dict *dict = parts->pairing->dict;
    const tacho_str own = TACHO_STR("tacho.");
    uint64_t number = 0;
    tacho_str fact;
    if (!tacho_str_starts_with(key, own)) {
        return add_metadata(dict, "perfetto.", key, value);
    }
    tacho_str rest = tacho_str_from(key, own.len);
    if (tacho_str_equal(rest, TACHO_STR("about"))) {
        TACHO_TRY(pfr_parts_end(parts)); /* a file appended to another */
        return pfr_tracks_restart(parts->pairing->tracks);
    }
    if (tacho_str_equal(rest, TACHO_STR("tool"))) {
        return TACHO_OK;
    }
    if (pfr_own_parse_part_key(key, &number, &fact)) {
        return take_part_fact(parts, rest, fact, value);
    }
    /* A fact taken from an earlier trace keeps its key. */
    bool is_old = tacho_str_starts_with(rest, TACHO_STR("from.")) ||
                  tacho_str_starts_with(rest, TACHO_STR("chrome.")) ||
                  tacho_str_starts_with(rest, TACHO_STR("perfetto."));
    return add_metadata(dict, is_old ? "" : "from.", rest, value);
}

static tacho_status read_attribute(pfr_parts *parts, tacho_str message, bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_str key = TACHO_STR("");
    tacho_str value = TACHO_STR("");
    char digits[24];
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_BYTES(PF_ATTRIBUTE_KEY):
            key = pfr_text(field.bytes);
            break;
        case TACHO_PB_KEY_BYTES(PF_ATTRIBUTE_STRING):
            value = pfr_text(field.bytes);
            break;
        case TACHO_PB_KEY_VARINT(PF_ATTRIBUTE_LONG):
            value.data = digits;
            value.len = (size_t)snprintf(digits, sizeof(digits), "%" PRId64, (int64_t)field.value);
            break;
        default:
            break;
        }
    }
    *out_good = tacho_pb_is_sound(&reader);
    return *out_good ? take_attribute(parts, key, value) : TACHO_OK;
}

tacho_status pfr_parts_read_attributes(pfr_parts *parts, tacho_str message, bool *out_good)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    *out_good = true;
    tacho_pb_reader_init(&reader, message);
    while (*out_good && tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_ATTRIBUTES_ATTRIBUTE)) {
            TACHO_TRY(read_attribute(parts, field.bytes, out_good));
        }
    }
    *out_good = *out_good && tacho_pb_is_sound(&reader);
    return TACHO_OK;
}
