/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of side A that were merged into one on side B also count for one type, the combination
 * of theirs: "Conv+Relu".
 */
#include "questions/diff/diff_types.h"

#include "base/grow.h"
#include "base/text.h"

#include <stdlib.h>

enum { JOINED_MAX = 8 }; /* types in the name of one */

tacho_str tacho_diff_type_of(const tacho_samples *samples, const tacho_sampled_op *op)
{
    tacho_str type = tacho_strings_get(&samples->strings, op->type);
    tacho_str name = tacho_strings_get(&samples->strings, op->name);
    return type.len > 0 ? type : name.len > 0 ? name : TACHO_STR("(no name)");
}

tacho_str tacho_diff_layer_of(const tacho_samples *samples, const tacho_sampled_op *op)
{
    return op->layer != 0 ? tacho_strings_get(&samples->strings, op->layer)
                          : TACHO_STR("(no layer)");
}

/* Working state: the types of rows. */
typedef struct row_types {
    tacho_diff_match *match;
    tacho_strings texts; /* parts of combined types */
    tacho_text text;
    uint32_t *of_rows; /* string of |texts| */
    uint8_t *counts;   /* types in it, by row */
} row_types;

/* Whether |joined| includes |type|. */
static bool is_part(tacho_str joined, tacho_str type)
{
    for (size_t at = 0; at + type.len <= joined.len; at++) {
        bool begins = at == 0 || joined.data[at - 1] == '+';
        bool ends = at + type.len == joined.len || joined.data[at + type.len] == '+';
        if (begins && ends && tacho_str_equal(tacho_str_make(joined.data + at, type.len), type)) {
            return true;
        }
    }
    return false;
}

static tacho_status join(row_types *self, uint32_t row, tacho_str type)
{
    tacho_str now = tacho_strings_get(&self->texts, self->of_rows[row]);
    if (self->counts[row] == JOINED_MAX || is_part(now, type)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_text_put(&self->text, now));
    TACHO_TRY(tacho_text_put(&self->text, TACHO_STR("+")));
    TACHO_TRY(tacho_text_put(&self->text, type));
    self->counts[row]++;
    return tacho_strings_ensure(&self->texts, tacho_text_take(&self->text), &self->of_rows[row]);
}

/* Sets the type of the rows that |side| names, in the order in which operators ran. */
static tacho_status name_rows(row_types *self, size_t side, const uint32_t *by_order)
{
    const tacho_samples *samples = self->match->sides[side];
    for (size_t i = 0; i < samples->op_count; i++) {
        uint32_t row = self->match->groups[side][by_order[i]];
        tacho_str type = tacho_diff_type_of(samples, &samples->ops[by_order[i]]);
        if (self->counts[row] == 0) {
            self->counts[row] = 1;
            TACHO_TRY(tacho_strings_ensure(&self->texts, type, &self->of_rows[row]));
        } else if (side == 0) {
            TACHO_TRY(join(self, row, type));
        }
    }
    return TACHO_OK;
}

static tacho_status name_rows_of(row_types *self, size_t side)
{
    const tacho_samples *samples = self->match->sides[side];
    uint32_t *by_order = NULL;
    TACHO_TRY(tacho_items_make(&by_order, samples->op_count));
    for (uint32_t i = 0; i < samples->op_count; i++) {
        by_order[samples->ops[i].order] = i;
    }
    tacho_status status = name_rows(self, side, by_order);
    free(by_order);
    return status;
}

/* Call it once all operators are in their groups: makes one row per string of |groups|, each of
 * which has at least one operator. */
static void set_rows(tacho_diff_match *match, const tacho_strings *groups)
{
    match->kind_count = groups->item_count - 1; /* string 0 is empty */
    for (size_t i = 0; i < match->kind_count; i++) {
        match->kinds[i] = TACHO_DIFF_SAME;
    }
}

/* Moves operators from rows to types. */
static tacho_status move_ops(row_types *self, tacho_strings *types)
{
    tacho_diff_match *match = self->match;
    for (size_t row = 0; row < match->kind_count; row++) {
        tacho_str type = tacho_strings_get(&self->texts, self->of_rows[row]);
        TACHO_TRY(tacho_strings_ensure(types, type, &self->of_rows[row]));
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < match->sides[side]->op_count; i++) {
            match->groups[side][i] = self->of_rows[match->groups[side][i]] - 1;
        }
    }
    set_rows(match, types);
    return TACHO_OK;
}

static tacho_status find_types(row_types *self, tacho_strings *types)
{
    size_t row_count = self->match->kind_count;
    TACHO_TRY(tacho_strings_init(&self->texts));
    TACHO_TRY(tacho_items_make(&self->of_rows, row_count));
    TACHO_TRY(tacho_items_make(&self->counts, row_count));
    TACHO_TRY(name_rows_of(self, 0));
    TACHO_TRY(name_rows_of(self, 1));
    return move_ops(self, types);
}

tacho_status tacho_diff_match_types(tacho_diff_match *match, tacho_strings *types)
{
    row_types self = {.match = match};
    tacho_status status = find_types(&self, types);
    tacho_strings_deinit(&self.texts);
    tacho_text_deinit(&self.text);
    free(self.of_rows);
    free(self.counts);
    return status;
}

/* ---- layers -------------------------------------------------------------------------------- */

/* Working state: the layers of rows. */
typedef struct row_layers {
    tacho_diff_match *match;
    uint32_t *of_rows[2]; /* by row: the layer of an operator on each side, 0 for none */
    bool *is_of_a;        /* by string of side A: whether it is a layer there */
} row_layers;

static tacho_status find_layers(row_layers *self)
{
    const tacho_diff_match *match = self->match;
    TACHO_TRY(tacho_items_make(&self->is_of_a, match->sides[0]->strings.item_count));
    for (size_t side = 0; side < 2; side++) {
        const tacho_samples *samples = match->sides[side];
        TACHO_TRY(tacho_items_make(&self->of_rows[side], match->kind_count));
        for (size_t i = 0; i < samples->op_count; i++) {
            uint32_t *layer = &self->of_rows[side][match->groups[side][i]];
            *layer = *layer != 0 ? *layer : samples->ops[i].layer;
            if (side == 0) {
                self->is_of_a[samples->ops[i].layer] = true;
            }
        }
    }
    return TACHO_OK;
}

/* The layer that |op| of |side| counts for. */
static tacho_str choose_layer(const row_layers *self, size_t side, const tacho_sampled_op *op,
                              uint32_t row)
{
    const tacho_samples *samples = self->match->sides[side];
    const tacho_samples *other = self->match->sides[1 - side];
    tacho_str own = tacho_diff_layer_of(samples, op);
    uint32_t partner = self->of_rows[1 - side][row];
    uint32_t on_a = side == 1 ? tacho_strings_find(&other->strings, own) : TACHO_NONE;
    bool is_named = op->layer != 0 && (side == 0 || (on_a != TACHO_NONE && self->is_of_a[on_a]));
    return is_named || partner == 0 ? own : tacho_strings_get(&other->strings, partner);
}

static tacho_status move_to_layers(row_layers *self, tacho_strings *layers)
{
    tacho_diff_match *match = self->match;
    for (size_t side = 0; side < 2; side++) {
        const tacho_samples *samples = match->sides[side];
        for (size_t i = 0; i < samples->op_count; i++) {
            uint32_t *group = &match->groups[side][i];
            uint32_t layer = 0;
            TACHO_TRY(tacho_strings_ensure(
                layers, choose_layer(self, side, &samples->ops[i], *group), &layer));
            *group = layer - 1;
        }
    }
    TACHO_TRY(tacho_grow(&match->kinds, &match->kind_capacity, layers->item_count));
    set_rows(match, layers);
    return TACHO_OK;
}

tacho_status tacho_diff_match_layers(tacho_diff_match *match, tacho_strings *layers)
{
    row_layers self = {.match = match};
    tacho_status status = find_layers(&self);
    status = status == TACHO_OK ? move_to_layers(&self, layers) : status;
    free(self.of_rows[0]);
    free(self.of_rows[1]);
    free(self.is_of_a);
    return status;
}
