/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids of flows are below 2^40 and unique in a part, and numbers of launches only in their process:
 * an id is the process's place and 32 bits of the number. Work without a call gets no arrow, since
 * the kernels of a graph share a number and would point at one another.
 */
#include "sources/gpu_part.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LAUNCH_BITS = 32,
    PROCESSES_WITH_FLOWS = 1 << 8,
    EXAMPLE_BYTES = 48,
    PAGE_BITS = GPU_PART_PAGE_WORDS * 64,
    PAGES_MAX = 1 << 16, /* 32 MB; calls beyond have no arrows */
};

tacho_status gpu_part_init(gpu_part *part, const tacho_reading *reading,
                           const gpu_part_facts *facts)
{
    *part = (gpu_part){
        .events = reading->events,
        .dict = reading->events->dict,
        .has_args = reading->options->args == TACHO_ARGS_ALL,
        .has_launches = reading->options->args != TACHO_ARGS_SUMMED,
    };
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    part->max_ticks = clock.max_ticks;
    TACHO_TRY(tacho_index_init(&part->track_index));
    TACHO_TRY(tacho_dict_add_clock(part->dict, &clock, TACHO_STR("nanoseconds"), &part->clock));
    tacho_part_facts part_facts = {
        .path = reading->path,
        .format = tacho_str_from_cstring(facts->format),
        .generation = facts->generation,
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = part->clock,
        .covered_classes = facts->covered_classes,
    };
    TACHO_TRY(tacho_dict_add_part(part->dict, &part_facts, &part->part));
    part->root = part->dict->parts[part->part].root;
    return TACHO_OK;
}

void gpu_part_deinit(gpu_part *part)
{
    tacho_index_deinit(&part->track_index);
    tacho_number_map_deinit(&part->process_ids);
    tacho_number_map_deinit(&part->call_pages);
    free(part->call_bits);
    free(part->tracks);
}

/* ---- tracks --------------------------------------------------------------------------------- */

static bool is_key(gpu_track_key a, gpu_track_key b)
{
    return a.kind == b.kind && a.a == b.a && a.b == b.b && a.c == b.c;
}

static uint32_t hash_key(const gpu_part *part, const gpu_track_key *key)
{
    return tacho_index_hash(&part->track_index, tacho_str_make((const char *)key, sizeof(*key)));
}

uint32_t gpu_part_find_track(gpu_part *part, gpu_track_key key)
{
    if (part->last_track < part->track_count && is_key(part->tracks[part->last_track].key, key)) {
        return part->tracks[part->last_track].track;
    }
    uint32_t hash = hash_key(part, &key);
    size_t at = tacho_index_begin(&part->track_index, hash);
    uint32_t id = tacho_index_next(&part->track_index, hash, &at);
    while (id != TACHO_NONE && !is_key(part->tracks[id].key, key)) {
        id = tacho_index_next(&part->track_index, hash, &at);
    }
    part->last_track = id != TACHO_NONE ? id : part->last_track;
    return id != TACHO_NONE ? part->tracks[id].track : TACHO_NONE;
}

/* |name|, or with |other| and a number what no track under |parent| is called. */
static tacho_status choose_name(gpu_part *part, uint32_t parent, gpu_part_name name,
                                bool is_counter, uint32_t *out_name)
{
    enum { TRIES = 1000 };
    TACHO_TRY(tacho_dict_ensure_string(part->dict, name.name, out_name));
    for (unsigned i = 1; i < TRIES; i++) {
        char text[GPU_PART_NAME_BYTES];
        if (tacho_dict_find_track(part->dict, parent, *out_name, is_counter) == TACHO_NONE) {
            return TACHO_OK;
        }
        int cut = name.name.len < 200 ? (int)name.name.len : 200;
        int len = snprintf(text, sizeof(text), "%.*s%.*s", cut, name.name.data,
                           name.other.len < 200 ? (int)name.other.len : 200, name.other.data);
        if (i > 1 || name.other.len == 0) {
            len += snprintf(text + len, sizeof(text) - (size_t)len, " #%u", i + 1);
        }
        TACHO_TRY(
            tacho_dict_ensure_string(part->dict, tacho_str_make(text, (size_t)len), out_name));
    }
    return TACHO_OK;
}

tacho_status gpu_part_add_track(gpu_part *part, gpu_track_key key, tacho_track facts,
                                gpu_part_name name, uint32_t *out_track)
{
    uint32_t parent = facts.parent == TACHO_NONE ? part->root : facts.parent;
    facts.parent = parent;
    facts.part = part->part;
    facts.clock = part->clock;
    facts.lane_of = TACHO_NONE;
    facts.rank = tacho_track_rank(0, facts.track_class, facts.index);
    bool is_counter = facts.track_class == TACHO_TRACK_COUNTER;
    TACHO_TRY(choose_name(part, parent, name, is_counter, &facts.name));
    TACHO_TRY(tacho_dict_ensure_track(part->dict, &facts, tacho_dict_string(part->dict, facts.name),
                                      out_track));
    TACHO_TRY(tacho_grow(&part->tracks, &part->track_capacity, part->track_count + 1));
    part->tracks[part->track_count] = (gpu_part_track){key, *out_track};
    part->last_track = part->track_count;
    return tacho_index_add(&part->track_index, hash_key(part, &key), (uint32_t)part->track_count++);
}

/* ---- losses and arguments ------------------------------------------------------------------- */

tacho_status gpu_part_lose(gpu_part *part, tacho_loss_reason reason, uint64_t count,
                           tacho_str example)
{
    tacho_loss loss = {
        .part = part->part, .reason = reason, .count = count, .first_line = part->line};
    part->arg_count = 0;
    if (example.len > 0 && !tacho_dict_has_loss(part->dict, &loss)) {
        example.len = example.len > EXAMPLE_BYTES ? EXAMPLE_BYTES : example.len;
        TACHO_TRY(tacho_dict_ensure_string(part->dict, example, &loss.example));
    }
    return tacho_dict_add_loss(part->dict, &loss);
}

tacho_status gpu_part_finish(gpu_part *part, const tacho_input *input, const char *damage)
{
    if (damage != NULL) {
        TACHO_TRY(gpu_part_lose(part, TACHO_LOSS_CUT_INPUT, 1, tacho_str_from_cstring(damage)));
    }
    if (part->row_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: no row can be read", input->name);
    }
    return tacho_events_end_part(part->events, part->part);
}

static tacho_arg *add_arg(gpu_part *part, uint32_t key, tacho_arg_type type, tacho_unit unit)
{
    if (part->arg_count == GPU_PART_ARGS) {
        part->arg_count--;
    }
    tacho_arg *arg = &part->args[part->arg_count++];
    *arg = (tacho_arg){.key = key, .type = type, .unit = unit};
    return arg;
}

void gpu_part_add_number(gpu_part *part, uint32_t key, tacho_unit unit, int64_t value)
{
    if (part->has_args || unit == TACHO_UNIT_BYTES) {
        bool is_unsigned = value >= 0;
        tacho_arg *arg = add_arg(part, key, is_unsigned ? TACHO_ARG_UINT : TACHO_ARG_INT, unit);
        if (is_unsigned) {
            arg->value.as_uint = (uint64_t)value;
        } else {
            arg->value.as_int = value;
        }
    }
}

void gpu_part_add_string(gpu_part *part, uint32_t key, uint32_t string)
{
    if (part->has_args) {
        add_arg(part, key, TACHO_ARG_STRING, TACHO_UNIT_NONE)->value.as_string = string;
    }
}

void gpu_part_add_real(gpu_part *part, uint32_t key, double value)
{
    if (part->has_args) {
        add_arg(part, key, TACHO_ARG_REAL, TACHO_UNIT_NONE)->value.as_real = value;
    }
}

void gpu_part_add_launch(gpu_part *part, uint32_t key, int64_t number)
{
    if (part->has_launches) {
        add_arg(part, key, TACHO_ARG_UINT, TACHO_UNIT_NONE)->value.as_uint = (uint64_t)number;
    }
}

tacho_status gpu_part_add_sizes(gpu_part *part, uint32_t key, const int64_t sizes[3])
{
    char text[80];
    uint32_t string = 0;
    if (!part->has_args) {
        return TACHO_OK;
    }
    int len = snprintf(text, sizeof(text), "%" PRId64 "x%" PRId64 "x%" PRId64, sizes[0], sizes[1],
                       sizes[2]);
    TACHO_TRY(tacho_dict_ensure_string(part->dict, tacho_str_make(text, (size_t)len), &string));
    gpu_part_add_string(part, key, string);
    return TACHO_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The id of an arrow; false for a process or number beyond those that have one. */
static tacho_status find_flow(gpu_part *part, const gpu_part_launch *launch, uint64_t *out_id,
                              bool *out_has)
{
    const uint64_t *found = tacho_number_map_find(&part->process_ids, launch->process);
    uint64_t place = found != NULL ? *found : part->process_ids.count;
    *out_has =
        launch->number != 0 && launch->number >> LAUNCH_BITS == 0 && place < PROCESSES_WITH_FLOWS;
    *out_id = place << LAUNCH_BITS | launch->number;
    return *out_has && found == NULL
               ? tacho_number_map_set(&part->process_ids, launch->process, place)
               : TACHO_OK;
}

/* The word with the bit of |id|; NULL where its page is missing. */
static uint64_t *find_call_word(gpu_part *part, uint64_t id)
{
    const uint64_t *page = tacho_number_map_find(&part->call_pages, id / PAGE_BITS);
    return page != NULL ? &part->call_bits[*page][id % PAGE_BITS / 64] : NULL;
}

static bool has_call(gpu_part *part, uint64_t id)
{
    const uint64_t *word = find_call_word(part, id);
    return word != NULL && (*word >> id % 64 & 1) != 0;
}

tacho_status gpu_part_note_call(gpu_part *part, const gpu_part_launch *launch)
{
    uint64_t id = 0;
    bool has_flow = false;
    TACHO_TRY(find_flow(part, launch, &id, &has_flow));
    uint64_t *word = has_flow ? find_call_word(part, id) : NULL;
    if (!has_flow) {
        return TACHO_OK;
    }
    if (word == NULL) {
        size_t page = part->call_page_count;
        if (page == PAGES_MAX) {
            return TACHO_OK;
        }
        TACHO_TRY(tacho_grow(&part->call_bits, &part->call_page_capacity, page + 1));
        memset(part->call_bits[page], 0, sizeof(part->call_bits[page]));
        part->call_page_count++;
        TACHO_TRY(tacho_number_map_set(&part->call_pages, id / PAGE_BITS, page));
        word = find_call_word(part, id);
    }
    *word |= UINT64_C(1) << id % 64;
    return TACHO_OK;
}

static tacho_status push_flow(gpu_part *part, const gpu_part_span *span)
{
    bool has_flow = false;
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = span->track, .start = span->start};
    TACHO_TRY(find_flow(part, &span->launch, &row.of.flow.id, &has_flow));
    if (!has_flow || (!span->launch.is_call && !has_call(part, row.of.flow.id))) {
        return TACHO_OK;
    }
    row.of.flow.role = TACHO_FLOW_LAUNCH;
    row.of.flow.phase = span->launch.is_call ? TACHO_FLOW_LEAVES : TACHO_FLOW_ARRIVES;
    row.of.flow.span_name = span->name;
    row.of.flow.span_end = span->end;
    return tacho_events_row(part->events, &row);
}

tacho_status gpu_part_push(gpu_part *part, const gpu_part_span *span)
{
    tacho_loss_reason reason = TACHO_LOSS_REASON_COUNT;
    if (span->start < 0) {
        reason = TACHO_LOSS_NEGATIVE_TIME;
    } else if (span->end < span->start) {
        reason = TACHO_LOSS_END_BEFORE_START;
    } else if (span->end > part->max_ticks) {
        reason = TACHO_LOSS_TIME_OVERFLOW;
    }
    if (reason != TACHO_LOSS_REASON_COUNT) {
        return gpu_part_lose(part, reason, 1, tacho_dict_string(part->dict, span->name));
    }
    if (span->launch.number != 0) {
        TACHO_TRY(push_flow(part, span));
    }
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = span->track, .start = span->start};
    tacho_site site = {span->name, span->category, TACHO_NONE};
    row.of.span.end = span->end;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    row.of.span.flags = span->flags;
    row.args = part->args;
    row.arg_count = part->arg_count;
    part->arg_count = 0;
    part->row_count++;
    TACHO_TRY(tacho_dict_ensure_site(part->dict, &site, &row.of.span.site));
    return tacho_events_row(part->events, &row);
}

tacho_status gpu_part_push_sample(gpu_part *part, uint32_t track, int64_t time, double value)
{
    tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = track, .start = time};
    row.of.sample.value = value;
    if (time < 0 || time > part->max_ticks) {
        return gpu_part_lose(part, time < 0 ? TACHO_LOSS_NEGATIVE_TIME : TACHO_LOSS_TIME_OVERFLOW,
                             1, TACHO_STR(""));
    }
    part->row_count++;
    return tacho_events_row(part->events, &row);
}
