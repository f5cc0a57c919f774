/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Col2Im: pictures of the blocks that they were cut into, added up where these overlap.
 */
#include "kernels/window.h"

/* Numbers that are multiplied with each other stay countable below this. */
static const int64_t number_max = INT64_C(1) << 30;

typedef struct columns {
    int32_t spatial;
    int64_t image[TACHO_SPATIAL_MAX], block[TACHO_SPATIAL_MAX], places[TACHO_SPATIAL_MAX];
    int64_t strides[TACHO_SPATIAL_MAX], dilations[TACHO_SPATIAL_MAX];
    int64_t pads[2 * TACHO_SPATIAL_MAX]; /* before the picture in all dimensions, then after it */
} columns;

/* |wanted| numbers of an attribute, none below |least|, which they are where it is absent. */
static bool read_list(const tacho_kernel_call *call, const char *name, int64_t least, size_t wanted,
                      int64_t *out_list)
{
    size_t count;
    const int64_t *given = tacho_call_ints(call, name, &count);
    bool fits = given == NULL || count == wanted;
    for (size_t i = 0; fits && i < wanted; i++) {
        out_list[i] = given == NULL ? least : given[i];
        fits = out_list[i] >= least && out_list[i] < number_max;
    }
    return fits;
}

/* A list of sizes that is an input. */
static bool read_sizes(const tacho_array *from, int32_t spatial, int64_t *out_sizes)
{
    bool fits = tacho_is_int(from) && tacho_array_elements(from) == spatial;
    for (int32_t i = 0; fits && i < spatial; i++) {
        out_sizes[i] = tacho_int_at(from, i);
        fits = out_sizes[i] > 0 && out_sizes[i] < number_max;
    }
    return fits;
}

static tacho_status read_columns(const tacho_kernel_call *call, columns *out)
{
    const tacho_array *data = call->inputs[0];
    const tacho_shape *in = &data->shape, *made = &call->outputs[0].shape;
    *out = (columns){.spatial = made->rank - 2};
    tacho_dtype_kind kind = tacho_element_kind(data->dtype);
    if (kind == TACHO_DTYPE_OTHER || call->outputs[0].dtype != data->dtype) {
        return tacho_unsupported_type("blocks of a picture", data->dtype);
    }
    bool fits = in->rank == 3 && out->spatial >= 1 && out->spatial <= TACHO_SPATIAL_MAX &&
                read_sizes(call->inputs[1], out->spatial, out->image) &&
                read_sizes(call->inputs[2], out->spatial, out->block) &&
                read_list(call, "strides", 1, (size_t)out->spatial, out->strides) &&
                read_list(call, "dilations", 1, (size_t)out->spatial, out->dilations) &&
                read_list(call, "pads", 0, 2 * (size_t)out->spatial, out->pads);
    int64_t places = 1, elements = 1;
    for (int32_t i = 0; fits && i < out->spatial; i++) {
        int64_t room = out->image[i] + out->pads[i] + out->pads[out->spatial + i] -
                       out->dilations[i] * (out->block[i] - 1) - 1;
        out->places[i] = room < 0 ? 0 : room / out->strides[i] + 1;
        fits = made->dims[i + 2] == out->image[i] &&
               !__builtin_mul_overflow(places, out->places[i], &places) &&
               !__builtin_mul_overflow(elements, out->block[i], &elements);
    }
    fits = fits && in->dims[2] == places && made->dims[0] == in->dims[0] &&
           in->dims[1] % elements == 0 && made->dims[1] == in->dims[1] / elements;
    return fits ? TACHO_OK : tacho_wrong_shapes("blocks of a picture");
}

/* Where element |element| of the block at |place| is in the picture; -1: in its padding. */
static int64_t find_element(const columns *self, int64_t place, int64_t element)
{
    int64_t at = 0, step = 1;
    for (int32_t i = self->spatial - 1; i >= 0; i--) {
        int64_t index = place % self->places[i] * self->strides[i] - self->pads[i] +
                        element % self->block[i] * self->dilations[i];
        if (index < 0 || index >= self->image[i]) {
            return -1;
        }
        at += index * step;
        step *= self->image[i];
        place /= self->places[i];
        element /= self->block[i];
    }
    return at;
}

/* Element |from| of the data is added to element |to| of the picture. */
static void add_element(const tacho_array *data, int64_t from, tacho_array *output, int64_t to)
{
    if (tacho_is_real(data)) {
        tacho_set_real(output, to, tacho_real_at(output, to) + tacho_real_at(data, from));
    } else {
        tacho_set_int(
            output, to,
            (int64_t)((uint64_t)tacho_int_at(output, to) + (uint64_t)tacho_int_at(data, from)));
    }
}

static tacho_status compute_col2im(const tacho_kernel_call *call)
{
    columns self;
    TACHO_TRY(read_columns(call, &self));
    const tacho_array *data = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    int64_t elements = tacho_window_places(self.block, self.spatial);
    int64_t places = data->shape.dims[2], size = tacho_window_places(self.image, self.spatial);
    for (int64_t i = 0; i < tacho_array_elements(output); i++) {
        double zero = 0;
        tacho_is_real(data) ? tacho_set_real(output, i, zero) : tacho_set_int(output, i, 0);
    }
    for (int64_t i = 0; i < tacho_array_elements(data); i++) {
        int64_t row = i / places, at = find_element(&self, i % places, row % elements);
        if (at >= 0) {
            add_element(data, i, output, row / elements * size + at);
        }
    }
    return TACHO_OK;
}

const tacho_kernel tacho_columns_kernels[] = {
    {"Col2Im", TACHO_KERNEL_HEAVY, compute_col2im},
    {0},
};
