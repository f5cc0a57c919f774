/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells are found through the site's last one, else by a hash index. A site's only cell is not in
 * the index, and has no sums while it has one span: if every span has its own name, a cell is 24
 * bytes.
 */
#include "questions/ops/ops_gather.h"

#include "base/grow.h"
#include "profile/summed_args.h"

#include <stdlib.h>

static tacho_ops_gather *gather_of(tacho_events *events)
{
    return (tacho_ops_gather *)(void *)events;
}

/* Adds the names that spans may use to the dictionary before the first row. */
static tacho_status prepare(tacho_ops_gather *gather)
{
    tacho_dict *dict = gather->events.dict;
    TACHO_TRY(tacho_index_init(&gather->index));
    gather->is_ready = true;
    gather->operators.dict = dict;
    TACHO_TRY(
        tacho_dict_ensure_string(dict, TACHO_STR(TACHO_ARG_KEY_OPERATION), &gather->operators.key));
    return tacho_dict_ensure_string(dict, TACHO_STR(TACHO_ARG_KEY_BYTES), &gather->bytes_key);
}

static tacho_status grow_sites(tacho_ops_gather *gather, size_t count)
{
    TACHO_TRY(tacho_grow(&gather->last_cells, &gather->site_capacity, count));
    while (gather->site_count < count) {
        gather->last_cells[gather->site_count++] = TACHO_NONE;
    }
    return TACHO_OK;
}

static bool is_cell(const tacho_ops_cell *cell, const uint32_t key[4])
{
    return cell->track == key[0] && cell->site == key[1] && cell->origin == key[2] &&
           cell->type == key[3];
}

/* Whether spans of the cell are drawn around the work of others. */
static bool is_phase(const tacho_dict *dict, const tacho_ops_cell *cell)
{
    const tacho_site *site = &dict->sites[cell->site];
    return dict->tracks[cell->track].track_class == TACHO_TRACK_PHASE ||
           tacho_category_is_phase(tacho_dict_string(dict, site->category));
}

static uint32_t hash_key(const tacho_ops_gather *gather, const uint32_t key[4])
{
    return tacho_index_hash(&gather->index, tacho_str_make((const char *)key, 4 * sizeof(*key)));
}

static tacho_status index_cell(tacho_ops_gather *gather, uint32_t at)
{
    tacho_ops_cell *cell = &gather->cells[at];
    const uint32_t key[4] = {cell->track, cell->site, cell->origin, cell->type};
    cell->is_indexed = true;
    return tacho_index_add(&gather->index, hash_key(gather, key), at);
}

/* The cell of a site that has several. */
static uint32_t find_indexed(const tacho_ops_gather *gather, const uint32_t key[4])
{
    uint32_t hash = hash_key(gather, key);
    size_t at = tacho_index_begin(&gather->index, hash);
    uint32_t id = TACHO_NONE;
    while ((id = tacho_index_next(&gather->index, hash, &at)) != TACHO_NONE) {
        if (is_cell(&gather->cells[id], key)) {
            break;
        }
    }
    return id;
}

/* |*cell| is the site's last one, or TACHO_NONE. */
static tacho_status ensure_cell(tacho_ops_gather *gather, const uint32_t key[4], uint32_t *cell)
{
    bool is_first = *cell == TACHO_NONE;
    if (!is_first) {
        TACHO_TRY(gather->cells[*cell].is_indexed ? TACHO_OK : index_cell(gather, *cell));
        *cell = find_indexed(gather, key);
    }
    if (*cell != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&gather->cells, &gather->cell_capacity, gather->cell_count + 1));
    *cell = (uint32_t)gather->cell_count;
    tacho_ops_cell *added = &gather->cells[gather->cell_count++];
    *added = (tacho_ops_cell){
        .track = key[0], .site = key[1], .origin = (uint8_t)key[2], .type = key[3]};
    added->is_phase = is_phase(gather->events.dict, added);
    return is_first ? TACHO_OK : index_cell(gather, *cell);
}

static tacho_status find_cell(tacho_ops_gather *gather, const tacho_row *row, uint32_t *out_cell)
{
    uint32_t key[4] = {row->track, row->of.span.site, row->of.span.flags & TACHO_SPAN_ORIGIN_MASK,
                       TACHO_NONE};
    TACHO_TRY(tacho_operators_of_row(&gather->operators, row, &key[3]));
    if (TACHO_UNLIKELY(key[1] >= gather->site_count)) {
        TACHO_TRY(grow_sites(gather, gather->events.dict->site_count));
    }
    uint32_t *last = &gather->last_cells[key[1]];
    if (TACHO_UNLIKELY(*last == TACHO_NONE || !is_cell(&gather->cells[*last], key))) {
        TACHO_TRY(ensure_cell(gather, key, last));
    }
    *out_cell = *last;
    return TACHO_OK;
}

/* ---- sums --------------------------------------------------------------------------------- */

static tacho_ops_cell_sums sums_of_one(int64_t ns)
{
    return (tacho_ops_cell_sums){.count = 1, .total_ns = ns, .min_ns = ns, .max_ns = ns};
}

const tacho_ops_cell_sums *tacho_ops_gather_sums(const tacho_ops_gather *gather,
                                                 const tacho_ops_cell *cell,
                                                 tacho_ops_cell_sums *one, int64_t *value)
{
    if (cell->size == TACHO_OPS_MANY) {
        return &gather->sums[cell->of.sums];
    }
    *value = cell->of.ns;
    *one = sums_of_one(cell->of.ns);
    one->durations = (tacho_durations){.values = value, .count = 1, .is_exact = true};
    return one;
}

/* The sums of a cell, made when it gets a second span. */
static tacho_status ensure_sums(tacho_ops_gather *gather, uint32_t at,
                                tacho_ops_cell_sums **out_sums)
{
    tacho_ops_cell *cell = &gather->cells[at];
    if (TACHO_UNLIKELY(cell->size != TACHO_OPS_MANY)) {
        TACHO_TRY(tacho_grow(&gather->sums, &gather->sums_capacity, gather->sums_count + 1));
        tacho_ops_cell_sums *sums = &gather->sums[gather->sums_count];
        *sums = cell->size == TACHO_OPS_ONE ? sums_of_one(cell->of.ns)
                                            : (tacho_ops_cell_sums){.min_ns = INT64_MAX};
        tacho_durations_init(&sums->durations);
        TACHO_TRY(cell->size == TACHO_OPS_ONE ? tacho_durations_add(&sums->durations, cell->of.ns)
                                              : TACHO_OK);
        cell->size = TACHO_OPS_MANY;
        cell->of.sums = (uint32_t)gather->sums_count++;
    }
    *out_sums = &gather->sums[cell->of.sums];
    return TACHO_OK;
}

/* Identified by the key, not by the unit, which traces do not have. */
static bool is_bytes(const tacho_ops_gather *gather, const tacho_arg *arg)
{
    bool is_number =
        arg->type == TACHO_ARG_UINT || (arg->type == TACHO_ARG_INT && arg->value.as_int >= 0);
    return arg->key == gather->bytes_key && is_number;
}

static bool has_bytes(const tacho_ops_gather *gather, const tacho_row *row)
{
    size_t i = 0;
    while (i < row->arg_count && !is_bytes(gather, &row->args[i])) {
        i++;
    }
    return i < row->arg_count;
}

static void add_bytes(const tacho_ops_gather *gather, const tacho_row *row,
                      tacho_ops_cell_sums *sums)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        if (!is_bytes(gather, arg)) {
            continue;
        }
        bool is_large = arg->type == TACHO_ARG_UINT && arg->value.as_uint > INT64_MAX;
        sums->has_bytes = true;
        if (__builtin_add_overflow(sums->bytes, is_large ? INT64_MAX : arg->value.as_int,
                                   &sums->bytes)) {
            sums->bytes = INT64_MAX;
        }
    }
}

/* Finds the span directly around this one, and subtracts this one from its self time. */
static tacho_status nest(tacho_ops_gather *gather, const tacho_row *row, uint32_t cell, int64_t ns)
{
    size_t count = gather->events.dict->track_count;
    if (TACHO_UNLIKELY(row->track >= gather->stack_count)) {
        TACHO_TRY(tacho_grow(&gather->stacks, &gather->stack_capacity, count));
        while (gather->stack_count < count) {
            gather->stacks[gather->stack_count++] = (tacho_ops_stack){0};
        }
    }
    tacho_ops_stack *stack = &gather->stacks[row->track];
    while (stack->item_count > 0 && stack->items[stack->item_count - 1].end <= row->start) {
        stack->item_count--;
    }
    if (stack->item_count > 0) {
        const tacho_ops_open *outer = &stack->items[stack->item_count - 1];
        if (row->of.span.end > outer->end) {
            return TACHO_OK; /* the two cross */
        }
        tacho_ops_cell_sums *sums = NULL;
        TACHO_TRY(ensure_sums(gather, outer->cell, &sums));
        sums->inner_ns += ns;
    }
    TACHO_TRY(tacho_grow(&stack->items, &stack->item_capacity, stack->item_count + 1));
    stack->items[stack->item_count++] = (tacho_ops_open){row->of.span.end, cell};
    return TACHO_OK;
}

/* Switches a cell with many durations to buckets, which do not grow. */
static tacho_status compact_sums(tacho_ops_cell_sums *sums)
{
    bool is_large = sums->durations.is_exact && sums->count > TACHO_OPS_EXACT_OF_CELL;
    return TACHO_UNLIKELY(is_large) ? tacho_durations_compact(&sums->durations) : TACHO_OK;
}

static tacho_status compact_all(tacho_ops_gather *gather)
{
    for (size_t i = 0; i < gather->sums_count; i++) {
        TACHO_TRY(compact_sums(&gather->sums[i]));
    }
    return TACHO_OK;
}

/* Counts a span of |ns| in the cell |at|. */
static tacho_status add_span(tacho_ops_gather *gather, const tacho_row *row, uint32_t at,
                             int64_t ns)
{
    tacho_ops_cell *cell = &gather->cells[at];
    tacho_ops_cell_sums *sums = NULL;
    if (cell->size == TACHO_OPS_EMPTY && !has_bytes(gather, row)) {
        cell->size = TACHO_OPS_ONE;
        cell->of.ns = ns;
        return TACHO_OK;
    }
    TACHO_TRY(ensure_sums(gather, at, &sums));
    sums->count++;
    sums->total_ns += ns;
    sums->min_ns = ns < sums->min_ns ? ns : sums->min_ns;
    sums->max_ns = ns > sums->max_ns ? ns : sums->max_ns;
    add_bytes(gather, row, sums);
    TACHO_TRY(tacho_durations_add(&sums->durations, ns));
    return gather->span_count >= gather->exact_span_max ? compact_sums(sums) : TACHO_OK;
}

static tacho_status gather_row(tacho_events *events, const tacho_row *row)
{
    tacho_ops_gather *gather = gather_of(events);
    const tacho_dict *dict = events->dict;
    if (row->kind != TACHO_ROW_SPAN || (row->of.span.flags & TACHO_SPAN_INSTANT) != 0) {
        return TACHO_OK;
    }
    TACHO_TRY(gather->is_ready ? TACHO_OK : prepare(gather));
    uint32_t at = TACHO_NONE;
    TACHO_TRY(find_cell(gather, row, &at));
    const tacho_clock *clock = tacho_dict_track_clock(dict, row->track);
    int64_t ns = tacho_clock_ns(clock, row->of.span.end) - tacho_clock_ns(clock, row->start);
    if (dict->tracks[row->track].nesting == TACHO_NESTING_STACK && !gather->cells[at].is_phase) {
        TACHO_TRY(nest(gather, row, at, ns));
    }
    TACHO_TRY(add_span(gather, row, at, ns));
    gather->span_count++;
    return TACHO_UNLIKELY(gather->span_count == gather->exact_span_max + 1) ? compact_all(gather)
                                                                            : TACHO_OK;
}

void tacho_ops_gather_init(tacho_ops_gather *gather, tacho_dict *dict)
{
    static const tacho_events_vtable vtable = {.row = gather_row};
    *gather =
        (tacho_ops_gather){.events = {&vtable, dict}, .exact_span_max = TACHO_OPS_EXACT_SPANS};
}

void tacho_ops_gather_deinit(tacho_ops_gather *gather)
{
    for (size_t i = 0; i < gather->sums_count; i++) {
        tacho_durations_deinit(&gather->sums[i].durations);
    }
    free(gather->sums);
    for (size_t i = 0; i < gather->stack_count; i++) {
        free(gather->stacks[i].items);
    }
    free(gather->cells);
    free(gather->stacks);
    free(gather->last_cells);
    if (gather->is_ready) {
        tacho_index_deinit(&gather->index);
    }
    tacho_ops_gather_init(gather, gather->events.dict);
}
