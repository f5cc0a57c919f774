/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of several files: removes layers that only one sample has from paths, and then merges
 * equal operators.
 */
#include "questions/samples/sample_join.h"

#include "base/grow.h"
#include "base/maths.h"
#include "base/text.h"

#include <stdlib.h>

typedef struct joining {
    tacho_samples *samples;
    tacho_strings names; /* of single layers, "layer.3" */
    uint32_t *seen;      /* by name: in which samples */
    size_t seen_count, seen_capacity;
    uint32_t *paths;  /* by string of the samples: the shortened path */
    uint32_t *of_ops; /* by operator: its new id */
    tacho_text text;
} joining;

/* Removes the next layer from |path| and returns it. */
static tacho_str take_name(tacho_str *path)
{
    size_t len = tacho_str_find_byte(*path, '/');
    tacho_str name = tacho_str_make(path->data, len);
    *path = tacho_str_from(*path, len < path->len ? len + 1 : len);
    return name;
}

static tacho_status see_op(joining *self, const tacho_sampled_op *op)
{
    tacho_str path = tacho_strings_get(&self->samples->strings, op->layer);
    uint32_t last = op->cells[op->cell_count - 1].sample + 1;
    uint32_t what = op->cell_count > 1 ? TACHO_SEEN_OFTEN : last;
    while (path.len > 0) {
        uint32_t id = 0;
        TACHO_TRY(tacho_strings_ensure(&self->names, take_name(&path), &id));
        TACHO_TRY(tacho_grow(&self->seen, &self->seen_capacity, (size_t)id + 1));
        while (self->seen_count <= id) {
            self->seen[self->seen_count++] = TACHO_SEEN_NEVER;
        }
        tacho_see(&self->seen[id], what);
    }
    return TACHO_OK;
}

/* The path without layers of one sample. */
static tacho_status shorten(joining *self, uint32_t layer, uint32_t *out_layer)
{
    tacho_str path = tacho_strings_get(&self->samples->strings, layer);
    while (path.len > 0) {
        tacho_str name = take_name(&path);
        if (self->seen[tacho_strings_find(&self->names, name)] == TACHO_SEEN_OFTEN) {
            TACHO_TRY(tacho_text_put(&self->text,
                                     self->text.item_count > 0 ? TACHO_STR("/") : TACHO_STR("")));
            TACHO_TRY(tacho_text_put(&self->text, name));
        }
    }
    return tacho_strings_ensure(&self->samples->strings, tacho_text_take(&self->text), out_layer);
}

/* Shortens all paths; |*out_is_same|: none changed. */
static tacho_status find_paths(joining *self, bool *out_is_same)
{
    tacho_samples *samples = self->samples;
    *out_is_same = true;
    TACHO_TRY(tacho_strings_init(&self->names));
    for (size_t i = 0; i < samples->op_count; i++) {
        TACHO_TRY(samples->ops[i].layer != 0 && samples->ops[i].cell_count > 0
                      ? see_op(self, &samples->ops[i])
                      : TACHO_OK);
    }
    TACHO_TRY(tacho_items_make(&self->paths, samples->strings.item_count));
    for (size_t i = 0; i < samples->op_count; i++) {
        uint32_t layer = samples->ops[i].layer;
        bool is_new = layer != 0 && self->paths[layer] == 0 && samples->ops[i].cell_count > 0;
        TACHO_TRY(is_new ? shorten(self, layer, &self->paths[layer]) : TACHO_OK);
        *out_is_same = *out_is_same && self->paths[layer] == layer;
    }
    return TACHO_OK;
}

/* ---- operators ----------------------------------------------------------------------------- */

static void add_cell(tacho_sample_cell *to, const tacho_sample_cell *from)
{
    to->count = to->count > UINT32_MAX - from->count ? UINT32_MAX : to->count + from->count;
    to->wall_ns = tacho_cycles_add(to->wall_ns, from->wall_ns);
    to->busy_ns = tacho_cycles_add(to->busy_ns, from->busy_ns);
    to->gap_ns = tacho_cycles_add(to->gap_ns, from->gap_ns);
    if (from->bytes >= 0) {
        to->bytes = tacho_cycles_add(to->bytes < 0 ? 0 : to->bytes, from->bytes);
    }
}

static int compare_cells(const void *left, const void *right)
{
    const tacho_sample_cell *a = left;
    const tacho_sample_cell *b = right;
    return (a->sample > b->sample) - (a->sample < b->sample);
}

/* Appends the cells of |from| to those of |to|, and frees them. */
static tacho_status append(tacho_sampled_op *to, tacho_sampled_op *from)
{
    TACHO_TRY(tacho_grow(&to->cells, &to->cell_capacity, to->cell_count + from->cell_count));
    if (from->cell_count > 0) {
        memcpy(to->cells + to->cell_count, from->cells, from->cell_count * sizeof(*from->cells));
    }
    to->cell_count += from->cell_count;
    to->order = from->order < to->order ? from->order : to->order;
    to->type = to->type != 0 ? to->type : from->type;
    free(from->cells);
    *from = (tacho_sampled_op){.cells = NULL};
    return TACHO_OK;
}

/* Merges the cells of each sample. */
static void fold(tacho_sampled_op *op)
{
    size_t kept = 0;
    if (op->cell_count == 0) {
        return;
    }
    qsort(op->cells, op->cell_count, sizeof(*op->cells), compare_cells);
    for (size_t i = 1; i < op->cell_count; i++) {
        if (op->cells[i].sample == op->cells[kept].sample) {
            add_cell(&op->cells[kept], &op->cells[i]);
        } else {
            op->cells[++kept] = op->cells[i];
        }
    }
    op->cell_count = kept + 1;
}

/* The kept operator, among |count| so far, that equals |op|; |count| if it is new. */
static tacho_status find_same(joining *self, const tacho_sampled_op *op, uint32_t count,
                              uint32_t *out_same)
{
    tacho_samples *samples = self->samples;
    const uint32_t key[4] = {op->name, op->location, op->layer, op->operators};
    uint32_t hash =
        tacho_index_hash(&samples->index, tacho_str_make((const char *)key, sizeof(key)));
    size_t at = tacho_index_begin(&samples->index, hash);
    while ((*out_same = tacho_index_next(&samples->index, hash, &at)) != TACHO_NONE) {
        const tacho_sampled_op *same = &samples->ops[*out_same];
        if (same->name == op->name && same->location == op->location && same->layer == op->layer &&
            same->operators == op->operators) {
            return TACHO_OK;
        }
    }
    *out_same = count;
    return tacho_index_add(&samples->index, hash, count);
}

static tacho_status join_ops(joining *self)
{
    tacho_samples *samples = self->samples;
    uint32_t count = 0;
    TACHO_TRY(tacho_items_make(&self->of_ops, samples->op_count));
    tacho_index_deinit(&samples->index);
    TACHO_TRY(tacho_index_init(&samples->index));
    for (size_t i = 0; i < samples->op_count; i++) {
        tacho_sampled_op *op = &samples->ops[i];
        op->layer = self->paths[op->layer];
        TACHO_TRY(find_same(self, op, count, &self->of_ops[i]));
        if (self->of_ops[i] < count) {
            TACHO_TRY(append(&samples->ops[self->of_ops[i]], op));
        } else {
            const tacho_sampled_op moved = *op;
            *op = (tacho_sampled_op){.cells = NULL};
            samples->ops[count++] = moved;
        }
    }
    samples->op_count = count;
    for (size_t i = 0; i < count; i++) {
        fold(&samples->ops[i]);
    }
    return TACHO_OK;
}

/* Numbers orders without gaps. */
static tacho_status number_orders(joining *self)
{
    tacho_samples *samples = self->samples;
    uint32_t *ranks = NULL; /* by order: 1 if an operator has it, then its rank */
    uint32_t rank = 0;
    TACHO_TRY(tacho_items_make(&ranks, samples->started_count));
    for (size_t i = 0; i < samples->op_count; i++) {
        ranks[samples->ops[i].order] = 1;
    }
    for (size_t i = 0; i < samples->started_count; i++) {
        rank += ranks[i];
        ranks[i] = rank - ranks[i];
    }
    for (size_t i = 0; i < samples->op_count; i++) {
        samples->ops[i].order = ranks[samples->ops[i].order];
    }
    samples->started_count = rank;
    free(ranks);
    return TACHO_OK;
}

static int compare_shapes(const void *left, const void *right)
{
    const tacho_sampled_shape *a = left;
    const tacho_sampled_shape *b = right;
    if (a->op != b->op) {
        return a->op < b->op ? -1 : 1;
    }
    return (a->hash > b->hash) - (a->hash < b->hash);
}

/* Counts each shape of an operator once. */
static void join_shapes(joining *self)
{
    tacho_samples *samples = self->samples;
    for (size_t i = 0; i < samples->op_count; i++) {
        samples->ops[i].shape = 0;
    }
    for (size_t i = 0; i < samples->shape_count; i++) {
        samples->shapes[i].op = self->of_ops[samples->shapes[i].op];
    }
    if (samples->shape_count > 0) {
        qsort(samples->shapes, samples->shape_count, sizeof(*samples->shapes), compare_shapes);
    }
    for (size_t i = 0; i < samples->shape_count; i++) {
        const tacho_sampled_shape *shape = &samples->shapes[i];
        bool is_again = i > 0 && compare_shapes(shape - 1, shape) == 0;
        samples->ops[shape->op].shape += is_again ? 0 : shape->hash;
    }
}

/* Merges operators that are equal after paths were shortened. */
static tacho_status join_same(joining *self)
{
    TACHO_TRY(join_ops(self));
    join_shapes(self);
    return number_orders(self);
}

static void deinit(joining *self)
{
    tacho_strings_deinit(&self->names);
    tacho_text_deinit(&self->text);
    free(self->seen);
    free(self->paths);
    free(self->of_ops);
}

tacho_status tacho_samples_join_same(tacho_samples *samples)
{
    joining self = {.samples = samples};
    tacho_status status = tacho_items_make(&self.paths, samples->strings.item_count);
    for (uint32_t i = 0; i < samples->strings.item_count && status == TACHO_OK; i++) {
        self.paths[i] = i;
    }
    status = status == TACHO_OK ? join_same(&self) : status;
    deinit(&self);
    return status;
}

tacho_status tacho_samples_join_layers(tacho_samples *samples)
{
    joining self = {.samples = samples};
    if (!samples->has_layers || samples->file_count < 2 || samples->whole_count < 2) {
        return TACHO_OK;
    }
    bool is_same = false;
    tacho_status status = find_paths(&self, &is_same);
    status = status == TACHO_OK && !is_same ? join_same(&self) : status;
    deinit(&self);
    return status;
}

tacho_status tacho_samples_level_layers(tacho_samples sides[2])
{
    if (sides[0].has_layers == sides[1].has_layers) {
        return TACHO_OK;
    }
    joining self = {.samples = sides[0].has_layers ? &sides[0] : &sides[1]};
    self.samples->has_layers = false;
    self.samples->has_left_layers = true;
    tacho_status status = tacho_items_make(&self.paths, self.samples->strings.item_count);
    status = status == TACHO_OK ? join_same(&self) : status;
    deinit(&self);
    return status;
}
