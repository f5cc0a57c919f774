/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators on pictures that the standard has given up and older exporters still write.
 */
#include "graph/expand.h"

/* Pixels times |scale|, plus the |bias| of their channel. */
void tacho_expand_image_scaler(tacho_expander *self)
{
    if (!tacho_expand_need(self, 0, 4, 4)) {
        return;
    }
    const tacho_attr *bias = tacho_attr_find(tacho_graph_attrs(self->graph, &self->origin),
                                             self->origin.attr_count, "bias");
    tacho_dtype dtype = tacho_expand_dtype(self, 0);
    int64_t channels = tacho_expand_shape(self, 0)->dims[1];
    uint32_t x = tacho_expand_input(self, 0);
    x = TACHO_EXPAND_OP(self, "Mul", x,
                        tacho_expand_number(self, dtype, tacho_expand_real(self, "scale", 1)));
    if (bias != NULL && (bias->kind != TACHO_ATTR_REALS || bias->count != channels)) {
        tacho_expand_fail(self, "bias needs a number for each of the %lld channels",
                          (long long)channels);
        return;
    }
    if (bias != NULL) {
        tacho_shape shape = {.rank = 4, .dims = {1, channels, 1, 1}};
        x = TACHO_EXPAND_OP(self, "Add", x,
                            tacho_expand_reals(self, dtype, &shape, bias->value.as_reals));
    }
    tacho_expand_return(self, 0, x);
}

/* Without a border of left, top, right and bottom; |scale| is the height and width that stay. */
void tacho_expand_crop(tacho_expander *self)
{
    size_t count, scale_count;
    if (!tacho_expand_need(self, 0, 4, 4)) {
        return;
    }
    const tacho_attr *attrs = tacho_graph_attrs(self->graph, &self->origin);
    const int64_t *border = tacho_attr_ints(attrs, self->origin.attr_count, "border", &count);
    const int64_t *scale = tacho_attr_ints(attrs, self->origin.attr_count, "scale", &scale_count);
    const tacho_shape *shape = tacho_expand_shape(self, 0);
    int64_t begin[2], end[2];
    if (border == NULL || count != 4 || (scale != NULL && scale_count != 2)) {
        tacho_expand_fail(self, "border needs 4 sizes and scale, if there is one, 2");
        return;
    }
    for (int i = 0; i < 2; i++) {
        int64_t size = shape->dims[2 + i];
        begin[i] = border[1 - i];
        bool is_in = begin[i] >= 0 && begin[i] <= size;
        int64_t after = scale != NULL ? size - begin[i] - (is_in ? scale[i] : 0) : border[3 - i];
        end[i] = is_in && after >= 0 && after <= size - begin[i] ? size - after : -1;
        if (end[i] < begin[i]) {
            tacho_expand_fail(self, "what is left of %lld elements is less than none",
                              (long long)size);
            return;
        }
    }
    uint32_t from = tacho_expand_ints(self, begin, 2), to = tacho_expand_ints(self, end, 2);
    uint32_t axes = TACHO_EXPAND_INTS(self, 2, 3);
    tacho_expand_return(
        self, 0, TACHO_EXPAND_OP(self, "Slice", tacho_expand_input(self, 0), from, to, axes));
}
