/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of tacho's own profiles name their operator; the time of an operator is from the start of
 * its first span to the end of its last one, run by run. In other profiles each span is an operator
 * by its own name.
 */
#include "estimates/roofline/roof_gather.h"

#include "estimates/tenstorrent/tt_roof.h"
#include "base/grow.h"
#include "profile/tt_columns.h"
#include "estimates/estimates.h"

#include <stdlib.h>

static tacho_roof_gather *gather_of(tacho_events *events)
{
    return (tacho_roof_gather *)(void *)events;
}

/* Adds the names that spans may use to the dictionary before the first row. */
static tacho_status prepare(tacho_roof_gather *self)
{
    tacho_dict *dict = self->events.dict;
    TACHO_TRY(tacho_index_init(&self->index));
    self->is_ready = true;
    self->last_cell = TACHO_NONE;
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR(TACHO_TT_ROW), &self->table_key));
    return tacho_dict_ensure_string(dict, TACHO_STR("op"), &self->op_key);
}

/* The origin of the span, or else of its part. */
static tacho_origin roof_gather_origin(const tacho_roof_gather *gather, const tacho_row *row)
{
    const tacho_dict *dict = gather->events.dict;
    uint32_t own = row->of.span.flags & TACHO_SPAN_ORIGIN_MASK;
    return own != 0 ? (tacho_origin)own : dict->parts[dict->tracks[row->track].part].origin;
}

/* The roof of points in |part|; fails if none is known. */
static tacho_status roof_gather_roof(tacho_roof_gather *gather, uint32_t part, uint32_t *out_number)
{
    const tacho_roofline_options *options = gather->options;
    const tacho_dict *dict = gather->events.dict;
    if (options->roof != NULL) {
        return tacho_roofline_ensure_roof(&gather->line, options->roof, out_number);
    }
    if (options->works != NULL) {
        return tacho_roofline_ensure_roof(&gather->line, &options->works->roof, out_number);
    }
    const tacho_roof *found = NULL;
    TACHO_TRY(tacho_roof_found_roof(&gather->found, part, &found));
    if (found != NULL) {
        return tacho_roofline_ensure_roof(&gather->line, found, out_number);
    }
    *out_number = 0;
    return tacho_fail(TACHO_CODE_USAGE,
                      "%.*s: does not say which machine it is of; name the "
                      "machine or its ceilings",
                      TACHO_STR_ARG(tacho_dict_string(dict, dict->parts[part].path)));
}

/* ---- arguments --------------------------------------------------------------------------- */

static tacho_str arg_text(const tacho_dict *dict, const tacho_arg *arg)
{
    if (arg->type == TACHO_ARG_STRING) {
        return tacho_dict_string(dict, arg->value.as_string);
    }
    return arg->type == TACHO_ARG_TEXT ? arg->value.as_text : TACHO_STR("");
}

/* The next argument after |at| and its contents. */
static size_t skip_arg(const tacho_row *row, size_t at)
{
    const tacho_arg *arg = &row->args[at];
    bool holds = arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY;
    size_t inside = holds ? (size_t)arg->value.as_uint : 0;
    return at + 1 + (inside < row->arg_count - at ? inside : row->arg_count - at - 1);
}

/* ---- cells ------------------------------------------------------------------------------- */

static bool is_cell(const tacho_roof_cell *cell, const tacho_roof_cell *key)
{
    return cell->part == key->part && cell->name == key->name && cell->run == key->run &&
           cell->origin == key->origin;
}

static tacho_status find_cell(tacho_roof_gather *self, const tacho_roof_cell *key)
{
    const uint32_t words[] = {key->part, key->name, key->run, key->origin};
    if (self->last_cell != TACHO_NONE && is_cell(&self->cells[self->last_cell], key)) {
        return TACHO_OK;
    }
    uint32_t hash =
        tacho_index_hash(&self->index, tacho_str_make((const char *)words, sizeof(words)));
    size_t at = tacho_index_begin(&self->index, hash);
    while ((self->last_cell = tacho_index_next(&self->index, hash, &at)) != TACHO_NONE) {
        if (is_cell(&self->cells[self->last_cell], key)) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&self->cells, &self->cell_capacity, self->cell_count + 1));
    self->cells[self->cell_count] = *key;
    self->last_cell = (uint32_t)self->cell_count++;
    return tacho_index_add(&self->index, hash, self->last_cell);
}

static tacho_status add_to_cell(tacho_roof_gather *self, const tacho_row *row, tacho_str name)
{
    tacho_dict *dict = self->events.dict;
    const tacho_clock *clock = tacho_dict_track_clock(dict, row->track);
    int64_t start_ns = tacho_clock_ns(clock, row->start);
    int64_t end_ns = tacho_clock_ns(clock, row->of.span.end);
    tacho_roof_cell key = {.part = dict->tracks[row->track].part,
                           .run = row->of.span.run,
                           .origin = (uint32_t)roof_gather_origin(self, row),
                           .start_ns = start_ns,
                           .end_ns = end_ns};
    TACHO_TRY(tacho_dict_ensure_string(dict, name, &key.name));
    TACHO_TRY(find_cell(self, &key));
    tacho_roof_cell *cell = &self->cells[self->last_cell];
    cell->start_ns = start_ns < cell->start_ns ? start_ns : cell->start_ns;
    cell->end_ns = end_ns > cell->end_ns ? end_ns : cell->end_ns;
    return TACHO_OK;
}

/* ---- operators by name ------------------------------------------------------------------- */

/*
 * Nodes of ONNX Runtime: "conv1_kernel_time" is the computation of the node conv1. Nodes that ONNX
 * Runtime adds have the name of their output, "relu1_nchwc".
 */
static tacho_str node_name(tacho_str name)
{
    static const tacho_str suffixes[] = {TACHO_STR_INIT("_kernel_time"), TACHO_STR_INIT("_nchwc")};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        name.len -= tacho_str_ends_with(name, suffixes[i]) ? suffixes[i].len : 0;
    }
    return name;
}

static tacho_status add_named(tacho_roof_gather *self, const tacho_row *row)
{
    const tacho_dict *dict = self->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    const tacho_site *site = &dict->sites[row->of.span.site];
    const tacho_roof_op *op =
        tacho_roof_works_find(self->options->works, node_name(tacho_dict_string(dict, site->name)));
    if (op == NULL) {
        return TACHO_OK;
    }
    const tacho_clock *clock = tacho_dict_track_clock(dict, row->track);
    tacho_roof_point point = {
        .file = tacho_dict_string(dict, dict->parts[track->part].name),
        .name = op->name,
        .type = op->type,
        .location = op->location,
        .origin = roof_gather_origin(self, row),
        .count = 1,
        .total_ns =
            (double)(tacho_clock_ns(clock, row->of.span.end) - tacho_clock_ns(clock, row->start)),
        .work = op->work,
    };
    TACHO_TRY(roof_gather_roof(self, track->part, &point.roof));
    point.work.is_by_shapes = true;
    return tacho_roofline_add(&self->line, &point);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* Whether only tables that name their machine can have a roof. */
static bool is_of_tables(const tacho_roof_gather *self)
{
    const tacho_roofline_options *options = self->options;
    return options->omits_unknown && options->roof == NULL && options->works == NULL &&
           tacho_roof_found_name(&self->found, self->part) == NULL;
}

/* Facts of a part precede its rows. */
static tacho_status look_at_part(tacho_roof_gather *self, uint32_t part)
{
    if (self->part == part) {
        return TACHO_OK;
    }
    self->part = part;
    return tacho_roof_found_look(&self->found, self->events.dict, part);
}

static tacho_status gather_row(tacho_events *events, const tacho_row *row)
{
    tacho_roof_gather *self = gather_of(events);
    TACHO_TRY(look_at_part(self, events->dict->tracks[row->track].part));
    bool takes_tables = is_of_tables(self);
    if (row->kind == TACHO_ROW_FLOW && !takes_tables) {
        return tacho_torch_join(&self->torch, row);
    }
    if (row->kind != TACHO_ROW_SPAN || (row->of.span.flags & TACHO_SPAN_INSTANT) != 0) {
        return TACHO_OK;
    }
    TACHO_TRY(self->is_ready ? TACHO_OK : prepare(self));
    for (size_t i = 0; i < row->arg_count; i = skip_arg(row, i)) {
        if (row->args[i].key == self->op_key && !takes_tables) {
            tacho_str name = arg_text(events->dict, &row->args[i]);
            return name.len > 0 ? add_to_cell(self, row, name) : TACHO_OK;
        }
        if (row->args[i].key == self->table_key) {
            return tacho_events_row(&self->tables.events, row);
        }
    }
    if (takes_tables) {
        return TACHO_OK;
    }
    bool is_taken = false;
    TACHO_TRY(tacho_torch_take(&self->torch, row, &is_taken));
    return self->options->works != NULL && !is_taken ? add_named(self, row) : TACHO_OK;
}

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    tacho_roof_gather *self = gather_of(events);
    TACHO_TRY(tacho_roof_found_look(&self->found, events->dict, part));
    return tacho_torch_end_part(&self->torch, part);
}

/* ---- points ------------------------------------------------------------------------------ */

static tacho_status add_cell_point(tacho_roof_gather *self, const tacho_roof_cell *cell)
{
    const tacho_dict *dict = self->events.dict;
    const tacho_roof_works *works = self->options->works;
    tacho_str name = tacho_dict_string(dict, cell->name);
    const tacho_roof_op *op = works != NULL ? tacho_roof_works_find(works, name) : NULL;
    double total_ns = (double)cell->end_ns - (double)cell->start_ns;
    if (op == NULL) {
        self->line.unknown_count++;
        self->line.unknown_ns += total_ns;
        self->line.needs_model |= works == NULL;
        return TACHO_OK;
    }
    tacho_roof_point point = {
        .file = tacho_dict_string(dict, dict->parts[cell->part].name),
        .name = op->name,
        .type = op->type,
        .location = op->location,
        .origin = (tacho_origin)cell->origin,
        .count = 1,
        .total_ns = total_ns,
        .work = op->work,
    };
    point.work.is_by_shapes = point.origin == TACHO_ORIGIN_MEASURED;
    TACHO_TRY(roof_gather_roof(self, cell->part, &point.roof));
    return tacho_roofline_add(&self->line, &point);
}

/* ---- the analysis ------------------------------------------------------------------------ */

static tacho_status open_roofline(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    static const tacho_events_vtable vtable = {.row = gather_row, .end_part = end_part};
    tacho_roof_gather *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->events = (tacho_events){&vtable, dict};
    self->options = options;
    self->part = TACHO_NONE;
    tacho_roofline_init(&self->line);
    tacho_roof_found_init(&self->found);
    tacho_torch_init(&self->torch, dict);
    tacho_tt_ops_init(&self->tables, dict);
    *out_events = &self->events;
    return TACHO_OK;
}

static tacho_status find_roof(void *self, uint32_t part, uint32_t *out_roof)
{
    return roof_gather_roof(self, part, out_roof);
}

static tacho_status write_roofline(tacho_events *events, const void *options,
                                   const tacho_table_taker *to)
{
    tacho_roof_gather *self = gather_of(events);
    /* Facts of a capture follow its rows. Of several, they could be of any. */
    if (events->dict->part_count == 1 && self->part != TACHO_NONE) {
        TACHO_TRY(tacho_roof_found_look(&self->found, events->dict, self->part));
    }
    for (size_t i = 0; i < self->cell_count; i++) {
        TACHO_TRY(add_cell_point(self, &self->cells[i]));
    }
    TACHO_TRY(tacho_tt_roof_add_points(&self->tables, self->options->roof, &self->line));
    if (self->options->roof == NULL && self->options->works == NULL) {
        tacho_roof_found_note(&self->found, events->dict, self->options->notes);
    }
    const tacho_torch_roofs roofs = {find_roof, self};
    TACHO_TRY(tacho_torch_add_points(&self->torch, &roofs, &self->line));
    return tacho_roofline_write(&self->line, options, to);
}

static void close_roofline(tacho_events *events)
{
    tacho_roof_gather *self = gather_of(events);
    if (self == NULL) {
        return;
    }
    tacho_roofline_deinit(&self->line);
    tacho_roof_found_deinit(&self->found);
    tacho_torch_deinit(&self->torch);
    tacho_tt_ops_deinit(&self->tables);
    if (self->is_ready) {
        tacho_index_deinit(&self->index);
    }
    free(self->cells);
    free(self);
}

const tacho_analysis tacho_analysis_roofline = {
    .name = "roofline",
    .question = "how far is each operator from what its machine can do",
    .options = "tacho_roofline_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_roofline,
    .write = write_roofline,
    .close = close_roofline,
};
