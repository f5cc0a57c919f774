/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of networks with gates and states, which the standard has as operators of their own.
 */
#include "graph/expand.h"

/* a * sigmoid(alpha * a) * b, of equal shapes. */
void tacho_expand_swiglu(tacho_expander *self)
{
    if (!tacho_expand_need(self, 0, 0, TACHO_RANK_MAX) ||
        !tacho_expand_need(self, 1, 0, TACHO_RANK_MAX)) {
        return;
    }
    if (!tacho_shape_equal(tacho_expand_shape(self, 0), tacho_expand_shape(self, 1))) {
        tacho_expand_fail(self, "its inputs have different shapes");
        return;
    }
    tacho_expand_set_real(self, "alpha", tacho_expand_real(self, "alpha", 1));
    uint32_t gate = TACHO_EXPAND_OP(self, "Swish", tacho_expand_input(self, 0));
    tacho_expand_return(self, 0, TACHO_EXPAND_OP(self, "Mul", gate, tacho_expand_input(self, 1)));
}

/* Input, weights of each channel, maybe a bias and the past before the input. */
void tacho_expand_causal_conv(tacho_expander *self)
{
    if (!tacho_expand_need(self, 0, 3, 3) || !tacho_expand_need(self, 1, 3, 3)) {
        return;
    }
    tacho_shape data = *tacho_expand_shape(self, 0), weights = *tacho_expand_shape(self, 1);
    int64_t before = weights.dims[2] - 1;
    tacho_str activation = tacho_expand_text(self, "activation");
    bool is_gated = tacho_str_equal(activation, TACHO_STR("silu")) ||
                    tacho_str_equal(activation, TACHO_STR("swish"));
    if (before < 0 || data.dims[2] > INT64_MAX - before ||
        (!is_gated && activation.len > 0 && !tacho_str_equal(activation, TACHO_STR("none")))) {
        tacho_expand_fail(self, "a window of %lld, or an activation that is not known",
                          (long long)weights.dims[2]);
        return;
    }
    tacho_shape state = {.rank = 3, .dims = {data.dims[0], data.dims[1], before}};
    uint32_t past = tacho_expand_has(self, 3)
                        ? tacho_expand_input(self, 3)
                        : tacho_expand_splat(self, tacho_expand_dtype(self, 0), &state, 0);
    uint32_t all = tacho_expand_concat(self, past, tacho_expand_input(self, 0), 2);
    tacho_expand_set_int(self, "group", data.dims[1]);
    uint32_t made = TACHO_EXPAND_OP(self, "Conv", all, tacho_expand_input(self, 1),
                                    tacho_expand_input(self, 2));
    tacho_expand_return(self, 0, is_gated ? TACHO_EXPAND_OP(self, "Swish", made) : made);
    if (tacho_expand_wants(self, 1)) {
        tacho_expand_return(self, 1,
                            tacho_expand_slice(self, all, 2, data.dims[2], data.dims[2] + before));
    }
}
