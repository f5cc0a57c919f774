/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unique: the different elements of a tensor, or its different parts along an axis; where each is
 * first, which of them each element is, and how many there are of each. Elements of real types are
 * compared as numpy does: both zeros are the same, so are all NaN, and these are the largest.
 */
#include "base/arena.h"
#include "kernels/call.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct unique {
    const tacho_array *input;
    tacho_split_shape split; /* parts are along |dim| */
    int32_t axis;            /* -1: none, elements of all are compared */
    bool is_real, is_unsigned, is_sorted;
} unique;

/* A part, with the data to compare it in, since sorting passes on nothing else. */
typedef struct part {
    const unique *of;
    int64_t at;
} part;

/* A different one. */
typedef struct distinct {
    int64_t first, count;
    int64_t place; /* among the results */
} distinct;

static int compare_reals(double a, double b)
{
    if (isnan(a) || isnan(b)) {
        return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
    }
    return a < b ? -1 : a > b;
}

static int compare_elements(const unique *self, int64_t a, int64_t b)
{
    if (self->is_real) {
        return compare_reals(tacho_real_at(self->input, a), tacho_real_at(self->input, b));
    }
    int64_t left = tacho_int_at(self->input, a), right = tacho_int_at(self->input, b);
    if (self->is_unsigned) {
        return (uint64_t)left < (uint64_t)right ? -1 : (uint64_t)left > (uint64_t)right;
    }
    return left < right ? -1 : left > right;
}

/* Elements of a part in the order of the tensor: the first that differ decide. */
static int compare_parts(const unique *self, int64_t a, int64_t b)
{
    const tacho_split_shape *split = &self->split;
    for (int64_t i = 0; i < split->outer; i++) {
        int64_t row_a = (i * split->dim + a) * split->inner;
        int64_t row_b = (i * split->dim + b) * split->inner;
        for (int64_t j = 0; j < split->inner; j++) {
            int order = compare_elements(self, row_a + j, row_b + j);
            if (order != 0) {
                return order;
            }
        }
    }
    return 0;
}

/* Equal ones in the order in which they are found. */
static int by_value(const void *left, const void *right)
{
    const part *a = left, *b = right;
    int order = compare_parts(a->of, a->at, b->at);
    return order != 0 ? order : a->at < b->at ? -1 : a->at > b->at;
}

static int by_first(const void *left, const void *right)
{
    const distinct *a = *(const distinct *const *)left, *b = *(const distinct *const *)right;
    return a->first < b->first ? -1 : a->first > b->first;
}

static tacho_status read_call(const tacho_kernel_call *call, unique *out)
{
    const tacho_array *input = call->inputs[0];
    tacho_dtype_kind kind = tacho_element_kind(input->dtype);
    *out = (unique){.input = input,
                    .axis = -1,
                    .split = {1, tacho_array_elements(input), 1},
                    .is_real = kind == TACHO_DTYPE_REAL,
                    .is_unsigned = kind == TACHO_DTYPE_UNSIGNED,
                    .is_sorted = tacho_call_int(call, "sorted", 1) != 0};
    if (kind == TACHO_DTYPE_OTHER) {
        return tacho_unsupported_type("Unique", input->dtype);
    }
    if (tacho_call_has(call, "axis")) {
        if (!tacho_axis_resolve(tacho_call_int(call, "axis", 0), input->shape.rank, &out->axis)) {
            return tacho_wrong_shapes("Unique");
        }
        out->split = tacho_shape_split(&input->shape, out->axis);
        if (out->split.dim == 0 && input->shape.dims[out->axis] > 0) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "parts without elements are all the same");
        }
    }
    return TACHO_OK;
}

/* ---- the search ---------------------------------------------------------------------------- */

typedef struct found {
    part *parts;       /* by value */
    int64_t *which;    /* by part: the different one that it is, by value */
    distinct *several; /* by value */
    distinct **order;  /* of the results */
    int64_t count;
} found;

static tacho_status make_room(int64_t count, tacho_arena *arena, found *out)
{
    const size_t sizes[] = {sizeof(part), sizeof(int64_t), sizeof(distinct), sizeof(distinct *)};
    void *memory[4];
    for (size_t i = 0; i < 4; i++) {
        TACHO_TRY(tacho_arena_alloc(arena, (size_t)count * sizes[i] + 1, &memory[i]));
    }
    *out = (found){memory[0], memory[1], memory[2], memory[3], 0};
    return TACHO_OK;
}

static tacho_status search(const unique *self, tacho_arena *arena, found *out)
{
    int64_t total = self->split.dim;
    TACHO_TRY(make_room(total, arena, out));
    for (int64_t i = 0; i < total; i++) {
        out->parts[i] = (part){self, i};
    }
    qsort(out->parts, (size_t)total, sizeof(*out->parts), by_value);
    for (int64_t i = 0; i < total; i++) {
        int64_t at = out->parts[i].at;
        if (i == 0 || compare_parts(self, out->parts[i - 1].at, at) != 0) {
            out->order[out->count] = &out->several[out->count];
            out->several[out->count++] = (distinct){.first = at};
        }
        out->several[out->count - 1].count++;
        out->which[at] = out->count - 1;
    }
    if (!self->is_sorted) {
        qsort(out->order, (size_t)out->count, sizeof(distinct *), by_first);
    }
    for (int64_t i = 0; i < out->count; i++) {
        out->order[i]->place = i;
    }
    return TACHO_OK;
}

/* ---- results ------------------------------------------------------------------------------- */

/* The shape of output |i|. */
static tacho_shape made_shape(const unique *self, const found *from, size_t i)
{
    tacho_shape shape = {.rank = 1, .dims = {i == 2 ? self->split.dim : from->count}};
    if (i == 0 && self->axis >= 0) {
        shape = self->input->shape;
        shape.dims[self->axis] = from->count;
    }
    return shape;
}

static void write_values(const unique *self, const found *from, tacho_array *output)
{
    const tacho_split_shape *split = &self->split;
    size_t bytes = tacho_dtype_element_bytes(output->dtype) * (size_t)split->inner;
    for (int64_t i = 0; i < split->outer; i++) {
        for (int64_t j = 0; j < from->count; j++) {
            int64_t at = i * split->dim + from->order[j]->first;
            memcpy((unsigned char *)output->data + (size_t)(i * from->count + j) * bytes,
                   (const unsigned char *)self->input->data + (size_t)at * bytes, bytes);
        }
    }
}

static tacho_status write_results(const tacho_kernel_call *call, const unique *self,
                                  const found *from)
{
    for (size_t i = 0; i < call->output_count && i < 4; i++) {
        tacho_array *output = tacho_call_output(call, i);
        tacho_shape shape = made_shape(self, from, i);
        if (output == NULL) {
            continue;
        }
        if (output->dtype != (i == 0 ? self->input->dtype : TACHO_DTYPE_I64)) {
            return tacho_unsupported_type("Unique", output->dtype);
        }
        if (!tacho_shape_equal(&output->shape, &shape)) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "it finds %" PRId64
                              " different elements, the model is compiled for another number",
                              from->count);
        }
        for (int64_t j = 0; i == 2 && j < self->split.dim; j++) {
            tacho_set_int(output, j, from->several[from->which[j]].place);
        }
        for (int64_t j = 0; (i == 1 || i == 3) && j < from->count; j++) {
            tacho_set_int(output, j, i == 1 ? from->order[j]->first : from->order[j]->count);
        }
        if (i == 0) {
            write_values(self, from, output);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_count_unique(const tacho_kernel_call *call)
{
    unique self;
    found all;
    tacho_arena arena;
    TACHO_TRY(read_call(call, &self));
    tacho_arena_init(&arena);
    tacho_status status = search(&self, &arena, &all);
    for (size_t i = 0; status == TACHO_OK && i < call->output_count && i < 4; i++) {
        call->outputs[i].dtype = i == 0 ? self.input->dtype : TACHO_DTYPE_I64;
        call->outputs[i].shape = made_shape(&self, &all, i);
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status compute_unique(const tacho_kernel_call *call)
{
    unique self;
    found all;
    tacho_arena arena;
    TACHO_TRY(read_call(call, &self));
    tacho_arena_init(&arena);
    tacho_status status = search(&self, &arena, &all);
    status = status != TACHO_OK ? status : write_results(call, &self, &all);
    tacho_arena_deinit(&arena);
    return status;
}

const tacho_kernel tacho_unique_kernels[] = {
    {"Unique", TACHO_KERNEL_HEAVY, compute_unique},
    {0},
};
