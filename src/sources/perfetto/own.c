/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink writes its own arguments in a fixed order: the location ahead of the user's arguments,
 * all others after them. So a user's argument of the same name stays as it is.
 */
#include "sources/perfetto/own.h"

#include "base/grow.h"
#include "profile/locations.h"

#include <stdlib.h>

enum { PLACED_MAX = 32 };

tacho_status pfr_own_init(pfr_own *own, tacho_dict *dict)
{
    static const char *const names[PFR_OWN_KEY_COUNT] = {
        [PFR_OWN_LOCATION] = "location", [PFR_OWN_CYCLES] = "cycles",
        [PFR_OWN_RUN] = "run",           [PFR_OWN_INVOCATION] = "invocation",
        [PFR_OWN_ORIGIN] = "origin",     [PFR_OWN_UNENDED] = "unended",
        [PFR_OWN_BYTES] = "bytes",
    };
    *own = (pfr_own){.dict = dict, .last_run = TACHO_NONE};
    for (size_t i = 0; i < PFR_OWN_KEY_COUNT; i++) {
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(names[i]), &own->keys[i]));
    }
    return tacho_index_init(&own->run_index);
}

void pfr_own_deinit(pfr_own *own)
{
    tacho_index_deinit(&own->run_index);
    free(own->texts);
    free(own->sites);
}

int64_t pfr_own_ticks(const tacho_clock *clock, int64_t ns)
{
    int64_t product = 0;
    int64_t ticks = 0;
    if (ns < 0) {
        return -1;
    }
    if (!__builtin_mul_overflow(ns, clock->ns_denominator, &product)) {
        ticks = product / clock->ns_numerator + (product % clock->ns_numerator > 0 ? 1 : 0);
    } else {
        tacho_i128 wide = -tacho_scale_floor(-ns, clock->ns_denominator, clock->ns_numerator);
        if (wide > clock->max_ticks) {
            return -1;
        }
        ticks = (int64_t)wide;
    }
    return ticks <= clock->max_ticks - clock->zero_ticks ? ticks + clock->zero_ticks : -1;
}

bool pfr_own_parse_part_key(tacho_str key, uint64_t *out_number, tacho_str *out_fact)
{
    const tacho_str prefix = TACHO_STR("tacho.part.");
    if (!tacho_str_starts_with(key, prefix)) {
        return false;
    }
    key = tacho_str_from(key, prefix.len);
    size_t point = tacho_str_find_byte(key, '.');
    if (point == key.len || !tacho_str_parse_u64(tacho_str_make(key.data, point), out_number)) {
        return false;
    }
    *out_fact = tacho_str_from(key, point + 1);
    return true;
}

/* ---- runs ------------------------------------------------------------------------------- */

static bool is_run(const tacho_run *run, const tacho_run *wanted)
{
    return run->name == wanted->name && run->invocation == wanted->invocation &&
           run->part == wanted->part;
}

static tacho_status ensure_run(pfr_own *own, const tacho_run *wanted, uint32_t *out_run)
{
    const tacho_dict *dict = own->dict;
    *out_run = own->last_run;
    if (*out_run != TACHO_NONE && is_run(&dict->runs[*out_run], wanted)) {
        return TACHO_OK;
    }
    uint64_t key[2] = {(uint64_t)wanted->part << 32 | wanted->name, (uint64_t)wanted->invocation};
    uint32_t hash =
        tacho_index_hash(&own->run_index, tacho_str_make((const char *)key, sizeof(key)));
    size_t at = tacho_index_begin(&own->run_index, hash);
    while ((*out_run = tacho_index_next(&own->run_index, hash, &at)) != TACHO_NONE &&
           !is_run(&dict->runs[*out_run], wanted)) {
    }
    if (*out_run == TACHO_NONE) {
        TACHO_TRY(tacho_dict_add_run(own->dict, wanted, out_run));
        TACHO_TRY(tacho_index_add(&own->run_index, hash, *out_run));
    }
    own->last_run = *out_run;
    return TACHO_OK;
}

/* ---- locations -------------------------------------------------------------------------- */

/* The entry of |text|; its location is looked up the first time. */
static tacho_status find_text(pfr_own *own, uint32_t text, pfr_placed_text **out_text)
{
    if (TACHO_UNLIKELY(text >= own->text_count)) {
        TACHO_TRY(tacho_grow(&own->texts, &own->text_capacity, (size_t)text + 1));
        while (own->text_count <= text) {
            own->texts[own->text_count++] = (pfr_placed_text){TACHO_NONE, TACHO_NONE};
        }
    }
    *out_text = &own->texts[text];
    return TACHO_LIKELY((*out_text)->location != TACHO_NONE)
               ? TACHO_OK
               : tacho_location_file(own->dict, text, &(*out_text)->location);
}

/*
 * Adds the location of |text| to |*site|. Few sites share a location: a linear search finds them,
 * and the dictionary where there are many.
 */
static tacho_status place_site(pfr_own *own, uint32_t text, uint32_t *site)
{
    pfr_placed_text *known = NULL;
    size_t step = 0;
    TACHO_TRY(find_text(own, text, &known));
    for (uint32_t i = known->first; i != TACHO_NONE && step < PLACED_MAX; step++) {
        if (own->sites[i].site == *site) {
            *site = own->sites[i].placed;
            return TACHO_OK;
        }
        i = own->sites[i].next;
    }
    tacho_site facts = own->dict->sites[*site];
    uint32_t unplaced = *site;
    facts.location = known->location;
    TACHO_TRY(tacho_dict_ensure_site(own->dict, &facts, site));
    if (step == PLACED_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&own->sites, &own->site_capacity, own->site_count + 1));
    own->sites[own->site_count] = (pfr_placed_site){unplaced, *site, known->first};
    known->first = (uint32_t)own->site_count++;
    return TACHO_OK;
}

/* ---- arguments -------------------------------------------------------------------------- */

/* The number of trailing arguments that are not part of a container. */
static size_t free_tail(const tacho_row *row)
{
    size_t tail = 0;
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        if (arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY) {
            i += (size_t)arg->value.as_uint;
            tail = i + 1;
        }
    }
    return tail;
}

/* Takes the last argument off if it is in the tail and is |key| of |type|. */
static const tacho_arg *take_last(const pfr_own *own, tacho_row *row, size_t tail, pfr_own_key key,
                                  tacho_arg_type type)
{
    if (row->arg_count <= tail) {
        return NULL;
    }
    const tacho_arg *last = &row->args[row->arg_count - 1];
    if (last->key != own->keys[key] || last->type != type) {
        return NULL;
    }
    row->arg_count--;
    return last;
}

static tacho_status take_run(pfr_own *own, uint32_t part, size_t tail, tacho_row *row)
{
    size_t before = row->arg_count;
    const tacho_arg *number = take_last(own, row, tail, PFR_OWN_INVOCATION, TACHO_ARG_UINT);
    const tacho_arg *name = take_last(own, row, tail, PFR_OWN_RUN, TACHO_ARG_STRING);
    if (name == NULL || (number != NULL && number->value.as_uint > INT64_MAX)) {
        row->arg_count = before; /* the user's own */
        return TACHO_OK;
    }
    tacho_run run = {.part = part, .name = name->value.as_string, .invocation = -1};
    run.invocation = number != NULL ? (int64_t)number->value.as_uint : -1;
    return ensure_run(own, &run, &row->of.span.run);
}

static void take_flags(const pfr_own *own, size_t tail, tacho_row *row)
{
    const tacho_arg *unended = take_last(own, row, tail, PFR_OWN_UNENDED, TACHO_ARG_BOOL);
    row->of.span.flags |= unended != NULL ? (uint32_t)TACHO_SPAN_UNENDED : 0;
    const tacho_arg *origin = take_last(own, row, tail, PFR_OWN_ORIGIN, TACHO_ARG_TEXT);
    if (origin != NULL) {
        tacho_origin found = tacho_origin_find(origin->value.as_text);
        row->of.span.flags |= (uint32_t)found;
        row->arg_count += found == TACHO_ORIGIN_UNKNOWN ? 1 : 0; /* the user's own */
    }
}

void pfr_own_restore_units(const pfr_own *own, tacho_arg *args, size_t arg_count)
{
    for (size_t i = 0; i < arg_count; i++) {
        bool is_bytes = args[i].key == own->keys[PFR_OWN_BYTES] && args[i].type == TACHO_ARG_UINT;
        args[i].unit = is_bytes ? TACHO_UNIT_BYTES : args[i].unit;
    }
}

tacho_status pfr_own_restore(pfr_own *own, uint32_t part, const tacho_clock *clock, tacho_row *row)
{
    size_t tail = free_tail(row);
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    if (row->arg_count == 0) {
        return TACHO_OK;
    }
    take_flags(own, tail, row);
    TACHO_TRY(take_run(own, part, tail, row));
    const tacho_arg *cycles = NULL;
    if (clock->counts_cycles && !is_instant) {
        cycles = take_last(own, row, tail, PFR_OWN_CYCLES, TACHO_ARG_UINT);
    }
    if (cycles != NULL && cycles->value.as_uint <= (uint64_t)(clock->max_ticks - row->start)) {
        row->of.span.end = row->start + (int64_t)cycles->value.as_uint;
    }
    if (row->arg_count > 0 && row->args[0].key == own->keys[PFR_OWN_LOCATION] &&
        row->args[0].type == TACHO_ARG_STRING) {
        TACHO_TRY(place_site(own, row->args[0].value.as_string, &row->of.span.site));
        row->args++;
        row->arg_count--;
    }
    return TACHO_OK;
}
