/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements by index: gathering and scattering of elements and of slices, ranks, running sums, and
 * selection by a condition.
 */
#include "kernels/call.h"
#include "base/grow.h"
#include "kernels/walk.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static tacho_status bad_index(int64_t index, int64_t dim)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "index %lld is not within %lld elements",
                      (long long)index, (long long)dim);
}

/* Index |i| of |indices|, counted from the front of |dim| elements. */
static tacho_status read_index(const tacho_array *indices, int64_t i, int64_t dim,
                               int64_t *out_index)
{
    *out_index = tacho_int_at(indices, i);
    if (*out_index < -dim || *out_index >= dim) {
        return bad_index(*out_index, dim);
    }
    *out_index += *out_index < 0 ? dim : 0;
    return TACHO_OK;
}

static void copy_elements(tacho_array *to, int64_t to_at, const tacho_array *from, int64_t from_at,
                          int64_t count)
{
    size_t size = tacho_dtype_element_bytes(to->dtype);
    if (count > 0) {
        memcpy((unsigned char *)to->data + (size_t)to_at * size,
               (const unsigned char *)from->data + (size_t)from_at * size, (size_t)count * size);
    }
}

/* ---- elements ------------------------------------------------------------------------------ */

/*
 * Where each element of |indices| points to in |data|: the same place but for the axis. Ends early
 * with a failure of |take|, or of an index.
 */
typedef tacho_status (*take_function)(const tacho_kernel_call *call, int64_t i, int64_t at);

static tacho_status each_index(const tacho_kernel_call *call, take_function take)
{
    const tacho_array *data = call->inputs[0], *indices = call->inputs[1];
    int32_t axis;
    if (!tacho_is_int(indices)) {
        return tacho_unsupported_type("an index", indices->dtype);
    }
    if (!tacho_axis_resolve(tacho_call_int(call, "axis", 0), data->shape.rank, &axis) ||
        indices->shape.rank != data->shape.rank) {
        return tacho_wrong_shapes("a gathering");
    }
    int64_t steps[TACHO_RANK_MAX] = {0}, total = tacho_array_elements(indices);
    tacho_shape_steps(&data->shape, steps);
    for (int32_t i = 0; i < data->shape.rank; i++) {
        if (i != axis && indices->shape.dims[i] > data->shape.dims[i] && total > 0) {
            return tacho_wrong_shapes("a gathering");
        }
    }
    for (int64_t i = 0; i < total; i++) {
        int64_t rest = i, at = 0, index;
        TACHO_TRY(read_index(indices, i, data->shape.dims[axis], &index));
        for (int32_t j = data->shape.rank - 1; j >= 0; j--) {
            at += (j == axis ? index : rest % indices->shape.dims[j]) * steps[j];
            rest /= indices->shape.dims[j];
        }
        TACHO_TRY(take(call, i, at));
    }
    return TACHO_OK;
}

static tacho_status take_gathered(const tacho_kernel_call *call, int64_t i, int64_t at)
{
    copy_elements(&call->outputs[0], i, call->inputs[0], at, 1);
    return TACHO_OK;
}

static tacho_status compute_gather_elements(const tacho_kernel_call *call)
{
    const tacho_array *data = call->inputs[0];
    if (tacho_dtype_element_bytes(data->dtype) == 0 || call->outputs[0].dtype != data->dtype) {
        return tacho_unsupported_type("a gathering", data->dtype);
    }
    if (tacho_array_elements(&call->outputs[0]) != tacho_array_elements(call->inputs[1])) {
        return tacho_wrong_shapes("a gathering");
    }
    return each_index(call, take_gathered);
}

/* |count| elements of the updates, combined with the existing ones. */
static tacho_status join(const tacho_kernel_call *call, int64_t to, int64_t from, int64_t count)
{
    const tacho_array *updates = call->inputs[2];
    tacho_array *output = &call->outputs[0];
    tacho_str how = tacho_attr_text(call->attrs, call->attr_count, "reduction");
    if (how.len == 0 || tacho_str_equal(how, TACHO_STR("none"))) {
        copy_elements(output, to, updates, from, count);
        return TACHO_OK;
    }
    bool is_add = tacho_str_equal(how, TACHO_STR("add")), is_mul = how.data[1] == 'u';
    bool is_max = tacho_str_equal(how, TACHO_STR("max"));
    for (int64_t i = 0; i < count; i++) {
        if (tacho_is_real(output)) {
            double a = tacho_real_at(output, to + i), b = tacho_real_at(updates, from + i);
            double extreme = isnan(b) || (is_max ? b > a : b < a) ? b : a;
            tacho_set_real(output, to + i, is_add ? a + b : is_mul ? a * b : extreme);
        } else if (tacho_is_int(output)) {
            int64_t a = tacho_int_at(output, to + i), b = tacho_int_at(updates, from + i);
            bool is_signed = tacho_element_kind(output->dtype) == TACHO_DTYPE_SIGNED;
            bool is_less = is_signed ? b < a : (uint64_t)b < (uint64_t)a;
            int64_t extreme = is_less != is_max ? b : a;
            uint64_t sum = (uint64_t)a + (uint64_t)b, product = (uint64_t)a * (uint64_t)b;
            tacho_set_int(output, to + i,
                          is_add   ? (int64_t)sum
                          : is_mul ? (int64_t)product
                                   : extreme);
        } else {
            return tacho_unsupported_type("a scattering", output->dtype);
        }
    }
    return TACHO_OK;
}

static tacho_status begin_scatter(const tacho_kernel_call *call)
{
    const tacho_array *data = call->inputs[0];
    if (tacho_dtype_element_bytes(data->dtype) == 0 || call->outputs[0].dtype != data->dtype ||
        call->inputs[2]->dtype != data->dtype) {
        return tacho_unsupported_type("a scattering", data->dtype);
    }
    if (!tacho_shape_equal(&data->shape, &call->outputs[0].shape)) {
        return tacho_wrong_shapes("a scattering");
    }
    copy_elements(&call->outputs[0], 0, data, 0, tacho_array_elements(data));
    return TACHO_OK;
}

static tacho_status take_scattered(const tacho_kernel_call *call, int64_t i, int64_t at)
{
    return join(call, at, i, 1);
}

static tacho_status compute_scatter_elements(const tacho_kernel_call *call)
{
    TACHO_TRY(begin_scatter(call));
    if (tacho_array_elements(call->inputs[2]) != tacho_array_elements(call->inputs[1])) {
        return tacho_wrong_shapes("a scattering");
    }
    return each_index(call, take_scattered);
}

/* ---- slices -------------------------------------------------------------------------------- */

/* The last dimension of |indices| has the first |depth| indices of a slice after |batch| ones. */
typedef struct slices {
    int64_t count; /* of slices */
    int64_t depth, batch_count, per_batch;
    int64_t size; /* elements of a slice */
} slices;

static bool find_slices(const tacho_array *data, const tacho_array *indices, int64_t batch,
                        slices *out)
{
    int32_t rank = indices->shape.rank;
    *out = (slices){.count = 1, .batch_count = 1, .per_batch = 1, .size = 1};
    if (rank < 1 || batch < 0 || batch >= rank || batch > data->shape.rank) {
        return false;
    }
    out->depth = indices->shape.dims[rank - 1];
    if (out->depth < 1 || out->depth + batch > data->shape.rank) {
        return false;
    }
    bool is_none = tacho_array_elements(indices) == 0 || tacho_array_elements(data) == 0;
    for (int32_t i = 0; i < rank - 1; i++) {
        out->count *= is_none ? 0 : indices->shape.dims[i];
        out->per_batch *= i < batch || is_none ? 1 : indices->shape.dims[i];
        if (i < batch && indices->shape.dims[i] != data->shape.dims[i]) {
            return false;
        }
    }
    for (int64_t i = batch + out->depth; i < data->shape.rank && !is_none; i++) {
        out->size *= data->shape.dims[i];
    }
    return true;
}

static tacho_status slice_place(const tacho_array *data, const tacho_array *indices, int64_t batch,
                                const slices *all, int64_t i, int64_t *out_at)
{
    *out_at = i / all->per_batch;
    for (int64_t j = 0; j < all->depth; j++) {
        int64_t index, dim = data->shape.dims[batch + j];
        TACHO_TRY(read_index(indices, i * all->depth + j, dim, &index));
        *out_at = *out_at * dim + index;
    }
    *out_at *= all->size;
    return TACHO_OK;
}

static tacho_status compute_gather_nd(const tacho_kernel_call *call)
{
    const tacho_array *data = call->inputs[0], *indices = call->inputs[1];
    int64_t batch = tacho_call_int(call, "batch_dims", 0);
    slices all;
    if (tacho_dtype_element_bytes(data->dtype) == 0 || call->outputs[0].dtype != data->dtype ||
        !tacho_is_int(indices)) {
        return tacho_unsupported_type("a gathering", data->dtype);
    }
    if (!find_slices(data, indices, batch, &all) ||
        all.count * all.size != tacho_array_elements(&call->outputs[0])) {
        return tacho_wrong_shapes("a gathering");
    }
    for (int64_t i = 0; i < all.count; i++) {
        int64_t at;
        TACHO_TRY(slice_place(data, indices, batch, &all, i, &at));
        copy_elements(&call->outputs[0], i * all.size, data, at, all.size);
    }
    return TACHO_OK;
}

static tacho_status compute_scatter_nd(const tacho_kernel_call *call)
{
    const tacho_array *data = call->inputs[0], *indices = call->inputs[1];
    slices all;
    TACHO_TRY(begin_scatter(call));
    if (!tacho_is_int(indices)) {
        return tacho_unsupported_type("an index", indices->dtype);
    }
    if (!find_slices(data, indices, 0, &all) ||
        all.count * all.size != tacho_array_elements(call->inputs[2])) {
        return tacho_wrong_shapes("a scattering");
    }
    for (int64_t i = 0; i < all.count; i++) {
        int64_t at;
        TACHO_TRY(slice_place(data, indices, 0, &all, i, &at));
        TACHO_TRY(join(call, at, i * all.size, all.size));
    }
    return TACHO_OK;
}

/* ---- made of indices ----------------------------------------------------------------------- */

/* Values are {off, on}; an index that is not within the depth is off everywhere. */
static tacho_status compute_one_hot(const tacho_kernel_call *call)
{
    const tacho_array *indices = call->inputs[0], *values = call->inputs[2];
    tacho_array *output = &call->outputs[0];
    int32_t axis;
    if (tacho_dtype_element_bytes(output->dtype) == 0 || values->dtype != output->dtype ||
        tacho_element_kind(indices->dtype) == TACHO_DTYPE_OTHER) {
        return tacho_unsupported_type("OneHot", output->dtype);
    }
    if (tacho_array_elements(values) != 2 ||
        !tacho_axis_resolve(tacho_call_int(call, "axis", -1), output->shape.rank, &axis)) {
        return tacho_wrong_shapes("OneHot");
    }
    tacho_split_shape split = tacho_shape_split(&output->shape, axis);
    if (split.outer * split.inner != tacho_array_elements(indices) &&
        tacho_array_elements(output) > 0) {
        return tacho_wrong_shapes("OneHot");
    }
    for (int64_t i = 0; i < split.outer * split.inner; i++) {
        double index = tacho_is_real(indices) ? trunc(tacho_real_at(indices, i))
                                              : (double)tacho_int_at(indices, i);
        index += index < 0 ? (double)split.dim : 0;
        for (int64_t j = 0; j < split.dim; j++) {
            int64_t at = (i / split.inner * split.dim + j) * split.inner + i % split.inner;
            copy_elements(output, at, values, (double)j == index ? 1 : 0, 1);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_trilu(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *shift = tacho_call_input(call, 1);
    tacho_array *output = &call->outputs[0];
    size_t size = tacho_dtype_element_bytes(input->dtype);
    bool is_upper = tacho_call_int(call, "upper", 1) != 0;
    int64_t total = tacho_array_elements(input);
    if (size == 0 || output->dtype != input->dtype) {
        return tacho_unsupported_type("a triangle", input->dtype);
    }
    if (input->shape.rank < 2 || total != tacho_array_elements(output) ||
        (shift != NULL && tacho_array_elements(shift) != 1)) {
        return tacho_wrong_shapes("a triangle");
    }
    int64_t k = shift == NULL ? 0 : tacho_int_at(shift, 0);
    k = tacho_clamp_int(k, -((int64_t)1 << 40), (int64_t)1 << 40);
    int64_t columns = input->shape.dims[input->shape.rank - 1];
    int64_t rows = input->shape.dims[input->shape.rank - 2];
    memset(output->data, 0, (size_t)total * size);
    for (int64_t i = 0; i < total; i++) {
        int64_t away = i % columns - i / columns % rows;
        if (is_upper ? away >= k : away <= k) {
            copy_elements(output, i, input, i, 1);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_eye_like(const tacho_kernel_call *call)
{
    tacho_array *output = &call->outputs[0];
    int64_t k = tacho_clamp_int(tacho_call_int(call, "k", 0), INT32_MIN, INT32_MAX);
    if (tacho_element_kind(output->dtype) == TACHO_DTYPE_OTHER || output->shape.rank != 2) {
        return tacho_unsupported_type("EyeLike", output->dtype);
    }
    int64_t total = tacho_array_elements(output), columns = output->shape.dims[1];
    for (int64_t i = 0; i < total; i++) {
        bool is_one = i % columns - i / columns == k;
        if (tacho_is_real(output)) {
            tacho_set_real(output, i, is_one);
        } else {
            tacho_set_int(output, i, is_one);
        }
    }
    return TACHO_OK;
}

/* Sums or products of all elements up to each. */
static tacho_status run_along(const tacho_kernel_call *call, bool is_product)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    bool is_exclusive = tacho_call_int(call, "exclusive", 0) != 0;
    bool is_reverse = tacho_call_int(call, "reverse", 0) != 0;
    int32_t axis;
    if (tacho_element_kind(input->dtype) == TACHO_DTYPE_OTHER || output->dtype != input->dtype ||
        !tacho_is_int(call->inputs[1])) {
        return tacho_unsupported_type("a running sum or product", input->dtype);
    }
    if (tacho_array_elements(call->inputs[1]) != 1 ||
        !tacho_axis_resolve(tacho_int_at(call->inputs[1], 0), input->shape.rank, &axis) ||
        tacho_array_elements(input) != tacho_array_elements(output)) {
        return tacho_wrong_shapes("a running sum or product");
    }
    tacho_split_shape split = tacho_shape_split(&input->shape, axis);
    for (int64_t i = 0; i < split.outer * split.inner; i++) {
        int64_t base = i / split.inner * split.dim * split.inner + i % split.inner;
        double real = is_product ? 1 : 0;
        uint64_t whole = is_product ? 1 : 0;
        for (int64_t j = 0; j < split.dim; j++) {
            int64_t at = base + (is_reverse ? split.dim - 1 - j : j) * split.inner;
            if (tacho_is_real(input)) {
                double x = tacho_real_at(input, at), next = is_product ? real * x : real + x;
                tacho_set_real(output, at, is_exclusive ? real : next);
                real = next;
            } else {
                uint64_t n = (uint64_t)tacho_int_at(input, at);
                uint64_t next = is_product ? whole * n : whole + n;
                tacho_set_int(output, at, (int64_t)(is_exclusive ? whole : next));
                whole = next;
            }
        }
    }
    return TACHO_OK;
}

static tacho_status compute_cum_sum(const tacho_kernel_call *call)
{
    return run_along(call, false);
}

static tacho_status compute_cum_prod(const tacho_kernel_call *call)
{
    return run_along(call, true);
}

static tacho_status compute_reverse_sequence(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *lengths = call->inputs[1];
    tacho_array *output = &call->outputs[0];
    int64_t batch_axis = tacho_call_int(call, "batch_axis", 1);
    int64_t time_axis = tacho_call_int(call, "time_axis", 0), steps[TACHO_RANK_MAX] = {0};
    if (tacho_dtype_element_bytes(input->dtype) == 0 || output->dtype != input->dtype ||
        !tacho_is_int(lengths)) {
        return tacho_unsupported_type("a reversal", input->dtype);
    }
    if (batch_axis < 0 || batch_axis >= input->shape.rank || time_axis < 0 ||
        time_axis >= input->shape.rank || batch_axis == time_axis ||
        tacho_array_elements(lengths) != input->shape.dims[batch_axis] ||
        !tacho_shape_equal(&input->shape, &output->shape)) {
        return tacho_wrong_shapes("a reversal");
    }
    tacho_shape_steps(&input->shape, steps);
    int64_t total = tacho_array_elements(input), dim = input->shape.dims[time_axis];
    for (int64_t i = 0; i < total; i++) {
        int64_t time = i / steps[time_axis] % dim;
        int64_t length =
            tacho_int_at(lengths, i / steps[batch_axis] % input->shape.dims[batch_axis]);
        if (length < 0 || length > dim) {
            return bad_index(length, dim);
        }
        int64_t from = time < length ? length - 1 - time : time;
        copy_elements(output, i, input, i + (from - time) * steps[time_axis], 1);
    }
    return TACHO_OK;
}

/* ---- the greatest of each row -------------------------------------------------------------- */

/* Elements of one row, to be sorted by value, then by place. */
typedef struct ranked {
    double real;
    int64_t whole, place;
} ranked;

static int rise(const ranked *a, const ranked *b)
{
    int order = (a->real > b->real) - (a->real < b->real);
    return order != 0 ? order : (a->whole > b->whole) - (a->whole < b->whole);
}

static int by_rise(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int order = rise(x, y);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_fall(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    int order = rise(y, x);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/* Whether an output, if present, has |wanted| elements of each row along |axis|. */
static bool is_top_shape(const tacho_array *output, const tacho_array *input, int32_t axis,
                         int64_t wanted)
{
    if (output == NULL) {
        return true;
    }
    tacho_shape shape = input->shape;
    shape.dims[axis] = wanted;
    return wanted <= input->shape.dims[axis] && tacho_shape_equal(&output->shape, &shape);
}

static tacho_status compute_top_k(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *values = tacho_call_output(call, 0), *places = tacho_call_output(call, 1);
    const tacho_array *any = values != NULL ? values : places;
    bool is_largest = tacho_call_int(call, "largest", 1) != 0;
    int32_t axis;
    if (tacho_element_kind(input->dtype) == TACHO_DTYPE_OTHER || any == NULL ||
        (values != NULL && values->dtype != input->dtype) ||
        (places != NULL && places->dtype != TACHO_DTYPE_I64)) {
        return tacho_unsupported_type("TopK", input->dtype);
    }
    if (!tacho_axis_resolve(tacho_call_int(call, "axis", -1), input->shape.rank, &axis) ||
        any->shape.rank != input->shape.rank) {
        return tacho_wrong_shapes("TopK");
    }
    tacho_split_shape split = tacho_shape_split(&input->shape, axis);
    int64_t wanted = any->shape.dims[axis];
    if (!is_top_shape(values, input, axis, wanted) || !is_top_shape(places, input, axis, wanted)) {
        return tacho_wrong_shapes("TopK");
    }
    ranked *row = tacho_items_alloc((size_t)split.dim, sizeof(*row));
    if (row == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "no memory to sort %lld elements",
                          (long long)split.dim);
    }
    for (int64_t i = 0; i < split.outer * split.inner; i++) {
        int64_t outer = i / split.inner, inner = i % split.inner;
        for (int64_t j = 0; j < split.dim; j++) {
            int64_t at = (outer * split.dim + j) * split.inner + inner;
            bool is_real = tacho_is_real(input);
            int64_t whole = is_real ? 0 : tacho_int_at(input, at);
            bool is_unsigned = tacho_element_kind(input->dtype) == TACHO_DTYPE_UNSIGNED;
            row[j] = (ranked){.real = is_real ? tacho_real_at(input, at) : 0,
                              .whole = is_unsigned ? whole ^ INT64_MIN : whole,
                              .place = j};
        }
        qsort(row, (size_t)split.dim, sizeof(*row), is_largest ? by_fall : by_rise);
        for (int64_t j = 0; j < wanted; j++) {
            int64_t to = (outer * wanted + j) * split.inner + inner;
            if (values != NULL) {
                copy_elements(values, to, input,
                              (outer * split.dim + row[j].place) * split.inner + inner, 1);
            }
            if (places != NULL) {
                tacho_set_int(places, to, row[j].place);
            }
        }
    }
    free(row);
    return TACHO_OK;
}

/* ---- results of a size given by values ----------------------------------------------------- */

static bool is_set(const tacho_array *array, int64_t i)
{
    return tacho_is_real(array) ? tacho_real_at(array, i) != 0 : tacho_int_at(array, i) != 0;
}

tacho_status tacho_count_non_zero(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    int64_t count = 0, total = tacho_array_elements(input);
    for (int64_t i = 0; i < total; i++) {
        count += is_set(input, i) ? 1 : 0;
    }
    call->outputs[0].dtype = TACHO_DTYPE_I64;
    call->outputs[0].shape = (tacho_shape){.rank = 2, .dims = {input->shape.rank, count}};
    return TACHO_OK;
}

/* The number of elements depends on values; the output has room for the expected number. */
static tacho_status check_found(int64_t found, int64_t expected)
{
    return found == expected
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA,
                            "it finds %" PRId64 " elements, the model is compiled for %" PRId64,
                            found, expected);
}

static tacho_status compute_non_zero(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    tacho_array *output = &call->outputs[0];
    int64_t total = tacho_array_elements(input), steps[TACHO_RANK_MAX] = {0}, at = 0;
    if (tacho_element_kind(input->dtype) == TACHO_DTYPE_OTHER || output->dtype != TACHO_DTYPE_I64) {
        return tacho_unsupported_type("NonZero", input->dtype);
    }
    tacho_shape_steps(&input->shape, steps);
    int64_t count = output->shape.rank == 2 ? output->shape.dims[1] : 0;
    if (output->shape.rank != 2 || output->shape.dims[0] != input->shape.rank) {
        return tacho_wrong_shapes("NonZero");
    }
    for (int64_t i = 0; i < total; i++) {
        if (!is_set(input, i)) {
            continue;
        }
        for (int32_t j = 0; j < input->shape.rank && at < count; j++) {
            tacho_set_int(output, j * count + at, i / steps[j] % input->shape.dims[j]);
        }
        at++;
    }
    return check_found(at, count);
}

/* The input as rows along the axis; all of it as one where there is none. */
static tacho_status compress_split(const tacho_kernel_call *call, tacho_split_shape *out_split,
                                   int32_t *out_axis)
{
    const tacho_array *input = call->inputs[0], *condition = call->inputs[1];
    *out_axis = -1;
    *out_split = (tacho_split_shape){1, tacho_array_elements(input), 1};
    if (condition->dtype != TACHO_DTYPE_BOOL || tacho_dtype_element_bytes(input->dtype) == 0) {
        return tacho_unsupported_type("Compress", input->dtype);
    }
    if (tacho_call_has(call, "axis")) {
        if (!tacho_axis_resolve(tacho_call_int(call, "axis", 0), input->shape.rank, out_axis)) {
            return tacho_wrong_shapes("Compress");
        }
        *out_split = tacho_shape_split(&input->shape, *out_axis);
    }
    return TACHO_OK;
}

tacho_status tacho_count_compress(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *condition = call->inputs[1];
    tacho_split_shape split;
    int32_t axis;
    int64_t count = 0, total = tacho_array_elements(condition);
    TACHO_TRY(compress_split(call, &split, &axis));
    for (int64_t i = 0; i < total && i < split.dim; i++) {
        count += is_set(condition, i) ? 1 : 0;
    }
    call->outputs[0].dtype = input->dtype;
    call->outputs[0].shape = (tacho_shape){.rank = 1, .dims = {count}};
    if (axis >= 0) {
        call->outputs[0].shape = input->shape;
        call->outputs[0].shape.dims[axis] = count;
    }
    return TACHO_OK;
}

static tacho_status compute_compress(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *condition = call->inputs[1];
    tacho_split_shape split;
    int32_t axis;
    int64_t to = 0, room = tacho_array_elements(&call->outputs[0]);
    int64_t given = tacho_array_elements(condition);
    TACHO_TRY(compress_split(call, &split, &axis));
    if (call->outputs[0].dtype != input->dtype) {
        return tacho_unsupported_type("Compress", input->dtype);
    }
    for (int64_t i = 0; i < split.outer * split.dim; i++) {
        if (i % split.dim < given && is_set(condition, i % split.dim)) {
            if (to + split.inner <= room) {
                copy_elements(&call->outputs[0], to, input, i * split.inner, split.inner);
            }
            to += split.inner;
        }
    }
    return check_found(to, room);
}

const tacho_kernel tacho_index_kernels[] = {
    {"Compress", TACHO_KERNEL_PLAIN, compute_compress},
    {"CumProd", TACHO_KERNEL_PLAIN, compute_cum_prod},
    {"CumSum", TACHO_KERNEL_PLAIN, compute_cum_sum},
    {"EyeLike", TACHO_KERNEL_PLAIN, compute_eye_like},
    {"GatherElements", TACHO_KERNEL_PLAIN, compute_gather_elements},
    {"GatherND", TACHO_KERNEL_PLAIN, compute_gather_nd},
    {"NonZero", TACHO_KERNEL_PLAIN, compute_non_zero},
    {"OneHot", TACHO_KERNEL_PLAIN, compute_one_hot},
    {"ReverseSequence", TACHO_KERNEL_PLAIN, compute_reverse_sequence},
    {"Scatter", TACHO_KERNEL_PLAIN, compute_scatter_elements},
    {"ScatterElements", TACHO_KERNEL_PLAIN, compute_scatter_elements},
    {"ScatterND", TACHO_KERNEL_PLAIN, compute_scatter_nd},
    {"TopK", TACHO_KERNEL_PLAIN, compute_top_k},
    {"Trilu", TACHO_KERNEL_PLAIN, compute_trilu},
    {0},
};
