/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products whose weights have few bits. A DequantizeLinear of constants waits, and a product of its
 * result with rows of reals is computed from the bits themselves (kernels/nbit_product.h); if
 * anything else reads the result, it is computed after all. Weights of f16 and bf16 that products
 * alone read stay as they are, too, where the processor widens them as it goes.
 */
#include "device/execute_parts.h"
#include "kernels/call.h"
#include "kernels/nbit_simd.h"
#include "kernels/short_real.h"

static bool is_type(const tacho_execution *self, uint32_t step, const char *type)
{
    return step != TACHO_NONE &&
           tacho_str_equal(tacho_step_type(self, step), tacho_str_from_cstring(type));
}

static bool is_few_bits(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_U4 || dtype == TACHO_DTYPE_I4 || dtype == TACHO_DTYPE_U8 ||
           dtype == TACHO_DTYPE_I8;
}

static bool is_real(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F32 || tacho_short_is(dtype);
}

/* A constant that is there, or can be; not one that waits itself. */
static bool is_ready(const tacho_execution *self, uint32_t id)
{
    return id != TACHO_NONE && self->values[id].state == TACHO_VALUE_CONSTANT &&
           !self->values[id].is_deferred && self->values[id].bytes > 0;
}

bool tacho_nbits_defer(tacho_execution *self, uint32_t step)
{
    uint32_t from = tacho_step_input(self, step, 0), to = tacho_step_output(self, step, 0);
    uint32_t scales = tacho_step_input(self, step, 1), zeros = tacho_step_input(self, step, 2);
    if (!is_type(self, step, "DequantizeLinear") || !is_ready(self, from) ||
        !is_ready(self, scales) || to == TACHO_NONE || to >= self->program->tensor_count) {
        return false;
    }
    const tacho_value *value = &self->values[from];
    bool can_wait = is_few_bits((tacho_dtype)value->dtype) && value->shape->rank == 2 &&
                    is_real((tacho_dtype)self->values[to].dtype) &&
                    self->values[scales].dtype == self->values[to].dtype &&
                    tacho_shape_equal(value->shape, self->values[to].shape) &&
                    (zeros == TACHO_NONE ||
                     (is_ready(self, zeros) && self->values[zeros].dtype == value->dtype));
    if (can_wait) {
        self->values[to].state = TACHO_VALUE_CONSTANT;
        self->values[to].is_deferred = true;
    }
    return can_wait;
}

/* ---- what a product multiplies by ---------------------------------------------------------- */

/* A matrix as a product reads it. */
typedef struct nbit_matrix {
    uint32_t id;    /* value of its elements, and not a twin */
    uint32_t maker; /* step that makes numbers of them; TACHO_NONE: they are reals */
    bool is_turned; /* rows are columns of the product */
    int64_t rows, columns;
} nbit_matrix;

static bool find_matrix(const tacho_group *group, bool is_turned, nbit_matrix *out)
{
    const tacho_execution *self = group->self;
    uint32_t id = tacho_step_input(self, group->step, 1);
    if (id == TACHO_NONE || self->values[id].state != TACHO_VALUE_CONSTANT ||
        self->values[id].shape->rank != 2 || self->values[id].root != id) {
        return false;
    }
    const tacho_shape *shape = self->values[id].shape;
    bool is_twin = id >= self->program->tensor_count;
    id = is_twin ? self->originals[id - self->program->tensor_count] : id;
    *out = (nbit_matrix){.id = id,
                         .maker = TACHO_NONE,
                         .is_turned = is_turned,
                         .rows = shape->dims[0],
                         .columns = shape->dims[1]};
    if (self->values[id].is_deferred) {
        out->maker = self->values[id].producer;
        out->id = tacho_step_input(self, out->maker, 0);
        return is_type(self, out->maker, "DequantizeLinear") &&
               is_few_bits((tacho_dtype)self->values[out->id].dtype);
    }
    return is_twin && tacho_short_is((tacho_dtype)self->values[id].dtype) &&
           self->values[id].root == id;
}

/* The bytes of a constant; NULL where there are none. */
static const void *load(tacho_execution *self, uint32_t id)
{
    tacho_status status = tacho_execution_load_constant(self, id);
    bool is_fine = status == TACHO_OK;
    tacho_status_free(status); /* the fallback reports it again */
    return is_fine ? self->values[id].data : NULL;
}

/* Scales in f32, in memory of the group where they are shorter. */
static const float *load_scales(tacho_group *group, uint32_t id)
{
    tacho_execution *self = group->self;
    const tacho_value *value = &self->values[id];
    uint64_t count = 0;
    const void *data = load(self, id);
    if (data == NULL || value->dtype == TACHO_DTYPE_F32 ||
        !tacho_shape_elements(value->shape, &count)) {
        return data;
    }
    float *wide = tacho_group_memory(group, (int64_t)count);
    if (wide != NULL) {
        tacho_short_widen(tacho_vector_best(), (tacho_dtype)value->dtype, data, (size_t)count,
                          wide);
    }
    return wide;
}

/* Blocks of the scales: of one for all, one for each column, or one for each part of a column. */
static bool read_blocks(const tacho_execution *self, const nbit_matrix *matrix,
                        tacho_nbit_weights *to)
{
    const tacho_step *at = &self->program->steps[matrix->maker];
    const tacho_attr *attrs = tacho_step_attrs(self, at);
    int64_t block = tacho_attr_int(attrs, at->attr_count, "block_size", 0);
    const tacho_shape *shape = self->values[tacho_step_input(self, matrix->maker, 1)].shape;
    int32_t axis = 0, depth_axis = matrix->is_turned ? 1 : 0;
    uint64_t count = 0;
    to->block = to->depth;
    if (tacho_shape_elements(shape, &count) && count == 1 && block == 0) {
        return true;
    }
    if (!tacho_axis_resolve(tacho_attr_int(attrs, at->attr_count, "axis", 1), 2, &axis)) {
        return false;
    }
    if (block == 0) {
        to->scale_column_step = 1;
        return axis != depth_axis && shape->rank == 1 && shape->dims[0] == to->columns;
    }
    int64_t blocks = (to->depth + block - 1) / block;
    to->block = block;
    to->scale_depth_step = matrix->is_turned ? 1 : to->columns;
    to->scale_column_step = matrix->is_turned ? blocks : 1;
    return axis == depth_axis && block > 0 && shape->rank == 2 &&
           shape->dims[depth_axis] == blocks && shape->dims[1 - depth_axis] == to->columns;
}

static bool read_weights(tacho_group *group, const nbit_matrix *matrix, tacho_nbit_weights *out)
{
    tacho_execution *self = group->self;
    *out = (tacho_nbit_weights){
        .dtype = (tacho_dtype)self->values[matrix->id].dtype,
        .depth = matrix->is_turned ? matrix->columns : matrix->rows,
        .columns = matrix->is_turned ? matrix->rows : matrix->columns,
        .depth_step = matrix->is_turned ? 1 : matrix->columns,
        .column_step = matrix->is_turned ? matrix->columns : 1,
    };
    out->block = out->depth;
    if (matrix->maker != TACHO_NONE) {
        uint32_t zeros = tacho_step_input(self, matrix->maker, 2);
        uint32_t scales = tacho_step_input(self, matrix->maker, 1);
        if (!read_blocks(self, matrix, out) ||
            (zeros != TACHO_NONE &&
             !tacho_shape_equal(self->values[zeros].shape, self->values[scales].shape))) {
            return false;
        }
        out->scales = load_scales(group, scales);
        out->zeros = zeros == TACHO_NONE ? NULL : load(self, zeros);
        if (out->scales == NULL || (zeros != TACHO_NONE && out->zeros == NULL)) {
            return false;
        }
    }
    out->data = load(self, matrix->id);
    return out->data != NULL;
}

/* ---- the product --------------------------------------------------------------------------- */

/* The summand of a Gemm: none, or a constant row. */
static bool add_row(tacho_group *group, int64_t columns)
{
    uint32_t id = tacho_step_input(group->self, group->step, 2);
    if (id == TACHO_NONE) {
        return true;
    }
    const tacho_value *value = &group->self->values[id];
    const tacho_shape *shape = value->shape;
    return value->state == TACHO_VALUE_CONSTANT && value->dtype == TACHO_DTYPE_F32 &&
           shape->rank > 0 && shape->dims[shape->rank - 1] == columns &&
           value->bytes == (uint64_t)columns * sizeof(float) &&
           tacho_group_add_input(group, id, TACHO_WISH_PLAIN);
}

/* Whether the factors of a Gemm are one, and its rows are not turned. */
static bool is_simple(const tacho_group *group)
{
    const tacho_kernel_call *call = &group->call;
    double alpha = tacho_call_real(call, "alpha", 1), beta = tacho_call_real(call, "beta", 1);
    return !(alpha < 1) && !(alpha > 1) && !(beta < 1) && !(beta > 1) &&
           tacho_call_int(call, "transA", 0) == 0;
}

/* Weights of 16 bits are read faster than of 32 while there are few rows to multiply. */
enum { SHORT_ROWS_MAX = 8 };

static bool is_worth_it(const nbit_matrix *matrix, int64_t rows)
{
    return matrix->maker != TACHO_NONE ||
           (rows <= SHORT_ROWS_MAX && tacho_nbit_simd_best() != &tacho_nbit_simd_plain);
}

bool tacho_group_translate_nbits(tacho_group *group)
{
    tacho_execution *self = group->self;
    nbit_matrix matrix;
    tacho_nbit_weights *weights = &group->weights;
    bool is_gemm = is_type(self, group->step, "Gemm");
    uint32_t data = tacho_step_input(self, group->step, 0);
    if ((!is_gemm && !is_type(self, group->step, "MatMul")) || data == TACHO_NONE ||
        (is_gemm && !is_simple(group)) ||
        !find_matrix(group, is_gemm && tacho_call_int(&group->call, "transB", 0) != 0, &matrix) ||
        self->values[data].state != TACHO_VALUE_LIVE ||
        self->values[data].dtype != TACHO_DTYPE_F32 || self->values[data].shape->rank < 2 ||
        !tacho_group_add_input(group, data, TACHO_WISH_PLAIN)) {
        return false;
    }
    tacho_group_set_output(group, group->output, false);
    tacho_group_flatten(&group->inputs[0]);
    tacho_group_flatten(&group->spec.output);
    const int64_t *rows = group->inputs[0].shape.dims, *made = group->spec.output.shape.dims;
    group->spec.kind = TACHO_FAST_NBIT_MATMUL;
    group->spec.weights = weights;
    return is_worth_it(&matrix, rows[0]) && read_weights(group, &matrix, weights) &&
           weights->depth == rows[1] && made[0] == rows[0] && made[1] == weights->columns &&
           add_row(group, made[1]);
}
