/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalisations and activations of ONNX Runtime's domain, which its optimiser makes of several
 * operators: the same operators again.
 */
#include "graph/expand.h"

/* ---- activations --------------------------------------------------------------------------- */

/* x * Phi(x); |is_tanh|: by its approximation. */
static uint32_t add_gelu(tacho_expander *self, uint32_t x, bool is_tanh)
{
    if (is_tanh) {
        tacho_expand_set_text(self, "approximate", "tanh");
    }
    return TACHO_EXPAND_OP(self, "Gelu", x);
}

void tacho_expand_gelu(tacho_expander *self)
{
    tacho_expand_need(self, 0, 0, TACHO_RANK_MAX);
    tacho_expand_return(self, 0, add_gelu(self, tacho_expand_input(self, 0), false));
}

/* X, bias. */
void tacho_expand_bias_gelu(tacho_expander *self)
{
    tacho_expand_need(self, 0, 1, TACHO_RANK_MAX);
    tacho_expand_need(self, 1, 1, 1);
    uint32_t sum =
        TACHO_EXPAND_OP(self, "Add", tacho_expand_input(self, 0), tacho_expand_input(self, 1));
    tacho_expand_return(self, 0, add_gelu(self, sum, false));
}

/* X, maybe a bias. */
void tacho_expand_fast_gelu(tacho_expander *self)
{
    tacho_expand_need(self, 0, 0, TACHO_RANK_MAX);
    uint32_t x = tacho_expand_input(self, 0);
    if (tacho_expand_has(self, 1)) {
        x = TACHO_EXPAND_OP(self, "Add", x, tacho_expand_input(self, 1));
    }
    tacho_expand_return(self, 0, add_gelu(self, x, true));
}

/* x * sigmoid(alpha * x). */
void tacho_expand_quick_gelu(tacho_expander *self)
{
    tacho_expand_need(self, 0, 0, TACHO_RANK_MAX);
    tacho_expand_set_real(self, "alpha", tacho_expand_real(self, "alpha", 1.702));
    tacho_expand_return(self, 0, TACHO_EXPAND_OP(self, "Swish", tacho_expand_input(self, 0)));
}

/* ---- normalisations ------------------------------------------------------------------------ */

/*
 * Of |x| over the axes from |axis| on; without a mean when |is_simple|.
 * SimplifiedLayerNormalization has the standard's default epsilon, the others have a smaller one.
 */
static uint32_t add_norm(tacho_expander *self, uint32_t x, uint32_t scale, uint32_t bias,
                         bool is_simple)
{
    tacho_expand_set_int(self, "axis", tacho_expand_int(self, "axis", -1));
    bool is_standard = self->origin.input_count == 2;
    tacho_expand_set_real(self, "epsilon",
                          tacho_expand_real(self, "epsilon", is_standard ? 1e-5 : 1e-12));
    return is_simple ? TACHO_EXPAND_OP(self, "RMSNormalization", x, scale)
                     : TACHO_EXPAND_OP(self, "LayerNormalization", x, scale, bias);
}

/* X, scale. The standard calls it RMSNormalization. */
void tacho_expand_simplified_layer_norm(tacho_expander *self)
{
    tacho_expand_need(self, 0, 1, TACHO_RANK_MAX);
    tacho_expand_need(self, 1, 1, TACHO_RANK_MAX);
    self->is_declined = self->is_declined || tacho_expand_wants(self, 1);
    tacho_expand_return(
        self, 0,
        add_norm(self, tacho_expand_input(self, 0), tacho_expand_input(self, 1), TACHO_NONE, true));
}

/*
 * The sum of an input, a skip connection and maybe a bias, normalised; the sum itself is output 3.
 * A skip of fewer dimensions, or with a batch of one, is the same for all.
 */
static void skip_norm(tacho_expander *self, uint32_t scale, uint32_t shift, uint32_t bias,
                      bool is_simple)
{
    tacho_expand_need(self, 0, 2, 3);
    tacho_expand_need(self, 1, 2, 3);
    self->is_declined =
        self->is_declined || tacho_expand_wants(self, 1) || tacho_expand_wants(self, 2);
    uint32_t sum =
        TACHO_EXPAND_OP(self, "Add", tacho_expand_input(self, 0), tacho_expand_input(self, 1));
    if (bias != TACHO_NONE) {
        sum = TACHO_EXPAND_OP(self, "Add", sum, bias);
    }
    uint32_t made = add_norm(self, sum, scale, shift, is_simple);
    tacho_expand_return(self, 3, sum);
    tacho_expand_return(self, 0, made);
}

/* Input, skip, gamma, beta, bias. */
void tacho_expand_skip_layer_norm(tacho_expander *self)
{
    tacho_expand_need(self, 2, 1, 1);
    skip_norm(self, tacho_expand_input(self, 2), tacho_expand_input(self, 3),
              tacho_expand_input(self, 4), false);
}

/* Input, skip, gamma, bias. */
void tacho_expand_skip_simplified_layer_norm(tacho_expander *self)
{
    tacho_expand_need(self, 2, 1, 1);
    skip_norm(self, tacho_expand_input(self, 2), TACHO_NONE, tacho_expand_input(self, 3), true);
}

/* ---- embeddings ---------------------------------------------------------------------------- */

static uint32_t add_rows(tacho_expander *self, size_t table, uint32_t numbers)
{
    tacho_expand_set_int(self, "axis", 0);
    return TACHO_EXPAND_OP(self, "Gather", tacho_expand_input(self, table), numbers);
}

/* The position of each token: given, or 0, 1, 2 ... in every sequence. */
static uint32_t add_positions(tacho_expander *self, int64_t length)
{
    if (tacho_expand_has(self, 8)) {
        return add_rows(self, 3, tacho_expand_input(self, 8));
    }
    return tacho_expand_slice(self, tacho_expand_input(self, 3), 0, 0, length);
}

/* How many tokens each mask has, without one 0. */
static uint32_t add_mask_index(tacho_expander *self, int64_t batch)
{
    if (!tacho_expand_has(self, 7)) {
        return tacho_expand_splat(self, TACHO_DTYPE_I32, &(tacho_shape){.rank = 1, .dims = {batch}},
                                  0);
    }
    tacho_expand_set_int(self, "keepdims", 0);
    return TACHO_EXPAND_OP(self, "ReduceSum", tacho_expand_input(self, 7),
                           TACHO_EXPAND_INTS(self, 1));
}

/*
 * Token ids, segment ids, tables of words, positions and segments, gamma, beta, mask, positions:
 * the sum of the rows, normalised.
 */
void tacho_expand_embed_layer_norm(tacho_expander *self)
{
    tacho_expand_need(self, 0, 2, 2);
    tacho_expand_need(self, 2, 2, 2);
    tacho_expand_need(self, 3, 2, 2);
    tacho_expand_need(self, 5, 1, 1);
    tacho_expand_need(self, 6, 1, 1);
    int64_t length =
        tacho_expand_shape(self, 0)->rank == 2 ? tacho_expand_shape(self, 0)->dims[1] : 0;
    uint32_t sum = add_rows(self, 2, tacho_expand_input(self, 0));
    sum = TACHO_EXPAND_OP(self, "Add", sum, add_positions(self, length));
    if (tacho_expand_has(self, 1) && tacho_expand_has(self, 4)) {
        sum = TACHO_EXPAND_OP(self, "Add", sum, add_rows(self, 4, tacho_expand_input(self, 1)));
    }
    uint32_t made =
        add_norm(self, sum, tacho_expand_input(self, 5), tacho_expand_input(self, 6), false);
    if (tacho_expand_wants(self, 1)) {
        tacho_expand_return(self, 1, add_mask_index(self, tacho_expand_shape(self, 0)->dims[0]));
    }
    tacho_expand_return(self, 2, sum);
    tacho_expand_return(self, 0, made);
}
