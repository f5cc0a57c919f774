/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices and of batches of them.
 */
#include "kernels/call.h"
#include "base/whole.h"
#include "kernels/product.h"
#include "kernels/quantise.h"
#include "kernels/tosa.h"
#include "kernels/walk.h"

/* A matrix in a tensor. */
typedef struct matrix {
    const tacho_array *array;
    int64_t at, row_step, column_step;
    const tacho_array *zeros; /* NULL, one, or one for each row (left) or column (right) */
} matrix;

/* One product and its last step: factor * sum + C, or requantised. */
typedef struct job {
    int64_t rows, depth, columns;
    matrix left, right;
    tacho_array *output;
    int64_t output_at;
    double factor;
    const tacho_requant *made;
    const tacho_array *summand; /* or NULL; broadcast by the steps */
    double summand_factor;
    int64_t summand_row_step, summand_column_step;
} job;

/* ---- one product --------------------------------------------------------------------------- */

static void fill(const void *user, int64_t depth, int64_t depth_count, int64_t column,
                 int64_t count, double *tile)
{
    const job *self = user;
    const matrix *right = &self->right;
    for (int64_t i = 0; i < depth_count; i++) {
        double *row = tile + i * TACHO_TILE_COLUMNS;
        tacho_read_reals(right->array,
                         right->at + (depth + i) * right->row_step + column * right->column_step,
                         right->column_step, (size_t)count, row);
        for (int64_t j = 0; right->zeros != NULL && j < count; j++) {
            row[j] -= tacho_real_at(right->zeros, tacho_each_or_one(right->zeros, column + j));
        }
    }
}

static void emit(const void *user, int64_t row, int64_t column, int64_t count, double *values)
{
    const job *self = user;
    int64_t at = self->output_at + row * self->columns + column, ints[TACHO_TILE_COLUMNS];
    for (int64_t i = 0; i < count; i++) {
        values[i] *= self->factor;
        if (self->summand != NULL) {
            values[i] += self->summand_factor *
                         tacho_real_at(self->summand, row * self->summand_row_step +
                                                          (column + i) * self->summand_column_step);
        }
        if (self->made != NULL) {
            tacho_requantise(self->made, column + i, &values[i], 1);
        }
    }
    if (tacho_is_real(self->output)) {
        tacho_write_reals(self->output, at, (size_t)count, values);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        ints[i] = tacho_whole_i64(values[i]);
    }
    tacho_write_ints(self->output, at, (size_t)count, ints);
}

static tacho_status multiply(const job *self)
{
    tacho_arena arena;
    double *left = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_scratch_reals(&arena, self->rows, self->depth, &left);
    for (int64_t i = 0; status == TACHO_OK && i < self->rows; i++) {
        double *row = left + i * self->depth;
        tacho_read_reals(self->left.array, self->left.at + i * self->left.row_step,
                         self->left.column_step, (size_t)self->depth, row);
        for (int64_t j = 0; self->left.zeros != NULL && j < self->depth; j++) {
            row[j] -= tacho_real_at(self->left.zeros, tacho_each_or_one(self->left.zeros, i));
        }
    }
    if (status == TACHO_OK) {
        tacho_product product = {.rows = self->rows,
                                 .depth = self->depth,
                                 .columns = self->columns,
                                 .left = left,
                                 .fill = fill,
                                 .emit = emit,
                                 .user = self};
        status = tacho_product_run(&product);
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* Of integers that double cannot hold: they wrap. */
static tacho_status multiply_ints(const job *self)
{
    for (int64_t i = 0; i < self->rows; i++) {
        for (int64_t j = 0; j < self->columns; j++) {
            uint64_t sum = 0;
            for (int64_t k = 0; k < self->depth; k++) {
                int64_t a = tacho_int_at(self->left.array, self->left.at + i * self->left.row_step +
                                                               k * self->left.column_step);
                int64_t b =
                    tacho_int_at(self->right.array, self->right.at + k * self->right.row_step +
                                                        j * self->right.column_step);
                sum += (uint64_t)a * (uint64_t)b;
            }
            int64_t c = 0;
            if (self->summand != NULL) {
                c = tacho_int_at(self->summand,
                                 i * self->summand_row_step + j * self->summand_column_step);
            }
            tacho_set_int(self->output, self->output_at + i * self->columns + j,
                          (int64_t)(sum + (uint64_t)c));
        }
    }
    return TACHO_OK;
}

/* ---- batches ------------------------------------------------------------------------------- */

/* A shape with a vector made a matrix: a row on the left, a column on the right. */
static tacho_shape as_matrix(const tacho_shape *shape, bool is_left)
{
    tacho_shape made = *shape;
    if (shape->rank == 1) {
        made.rank = 2;
        made.dims[0] = is_left ? 1 : shape->dims[0];
        made.dims[1] = is_left ? shape->dims[0] : 1;
    }
    return made;
}

/* Numpy's matmul of the job's two arrays; their batches are broadcast. */
static tacho_status batches(job *self, bool is_wide)
{
    tacho_shape a = as_matrix(&self->left.array->shape, true);
    tacho_shape b = as_matrix(&self->right.array->shape, false), space = {0};
    if (a.rank < 2 || b.rank < 2 || a.dims[a.rank - 1] != b.dims[b.rank - 2]) {
        return tacho_wrong_shapes("a product");
    }
    self->rows = a.dims[a.rank - 2];
    self->depth = a.dims[a.rank - 1];
    self->columns = b.dims[b.rank - 1];
    tacho_shape a_batch = {.rank = a.rank - 2}, b_batch = {.rank = b.rank - 2};
    memcpy(a_batch.dims, a.dims, sizeof(a.dims));
    memcpy(b_batch.dims, b.dims, sizeof(b.dims));
    space.rank = a_batch.rank > b_batch.rank ? a_batch.rank : b_batch.rank;
    int64_t batch_count = 1, total = tacho_array_elements(self->output);
    for (int32_t i = 0; i < space.rank; i++) {
        int32_t in_a = i - (space.rank - a_batch.rank), in_b = i - (space.rank - b_batch.rank);
        int64_t dim_a = in_a < 0 ? 1 : a_batch.dims[in_a];
        space.dims[i] = dim_a != 1 || in_b < 0 ? dim_a : b_batch.dims[in_b];
        batch_count *= total == 0 ? 1 : space.dims[i];
    }
    if (total == 0) {
        return TACHO_OK;
    }
    if (!tacho_shape_fits(&a_batch, &space) || !tacho_shape_fits(&b_batch, &space) ||
        self->rows == 0 || self->columns == 0 || total % self->rows != 0 ||
        total / self->rows % self->columns != 0 ||
        total / self->rows / self->columns != batch_count) {
        return tacho_wrong_shapes("a product");
    }
    self->left.row_step = self->depth;
    self->left.column_step = 1;
    self->right.row_step = self->columns;
    self->right.column_step = 1;
    tacho_walk walk;
    tacho_walk_begin(&walk, &space);
    tacho_walk_broadcast(&walk, 0, &a_batch);
    tacho_walk_broadcast(&walk, 1, &b_batch);
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        for (int64_t i = 0; i < tacho_walk_row(&walk); i++) {
            self->left.at =
                (walk.at[0] + i * tacho_walk_row_step(&walk, 0)) * self->rows * self->depth;
            self->right.at =
                (walk.at[1] + i * tacho_walk_row_step(&walk, 1)) * self->depth * self->columns;
            TACHO_TRY(is_wide ? multiply_ints(self) : multiply(self));
            self->output_at += self->rows * self->columns;
        }
    }
    return TACHO_OK;
}

/* ---- kernels ------------------------------------------------------------------------------- */

static tacho_status compute_matmul(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    job self = {.left.array = a, .right.array = b, .output = &call->outputs[0], .factor = 1};
    if (tacho_element_kind(a->dtype) == TACHO_DTYPE_OTHER || a->dtype != b->dtype ||
        self.output->dtype != a->dtype) {
        return tacho_unsupported_type("a product", a->dtype);
    }
    return batches(&self, tacho_is_int(a));
}

static bool is_byte(const tacho_array *array)
{
    return array->dtype == TACHO_DTYPE_I8 || array->dtype == TACHO_DTYPE_U8;
}

/* One zero point, or one for each of |count| rows or columns of a matrix. */
static bool is_zero_point(const tacho_array *zero, const tacho_array *of, int32_t dim_from_end)
{
    int32_t dim = of->shape.rank - dim_from_end;
    return zero == NULL ||
           (zero->dtype == of->dtype &&
            (tacho_array_elements(zero) == 1 ||
             (zero->shape.rank == 1 && dim >= 0 && zero->shape.dims[0] == of->shape.dims[dim])));
}

static tacho_status compute_matmul_integer(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    job self = {.left = {.array = a, .zeros = tacho_call_input(call, 2)},
                .right = {.array = b, .zeros = tacho_call_input(call, 3)},
                .output = &call->outputs[0],
                .factor = 1};
    if (!is_byte(a) || !is_byte(b) || self.output->dtype != TACHO_DTYPE_I32) {
        return tacho_unsupported_type("a product", a->dtype);
    }
    if (!is_zero_point(self.left.zeros, a, 2) || !is_zero_point(self.right.zeros, b, 1)) {
        return tacho_wrong_shapes("a zero point");
    }
    return batches(&self, false);
}

static tacho_status compute_qlinear_matmul(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[3];
    job self = {.left = {.array = a, .zeros = call->inputs[2]},
                .right = {.array = b, .zeros = call->inputs[5]},
                .output = &call->outputs[0],
                .factor = 1};
    tacho_requant made = {.scales = {call->inputs[1], call->inputs[4]},
                          .out_scale = call->inputs[6],
                          .out_zero = call->inputs[7],
                          .dtype = self.output->dtype};
    if (!is_byte(a) || !is_byte(b) || !is_byte(self.output)) {
        return tacho_unsupported_type("a product", a->dtype);
    }
    if (b->shape.rank < 1 || !is_zero_point(self.left.zeros, a, 2) ||
        !is_zero_point(self.right.zeros, b, 1) ||
        !tacho_requant_is_fit(&made, b->shape.dims[b->shape.rank - 1])) {
        return tacho_wrong_shapes("a scale or zero point");
    }
    self.made = &made;
    return batches(&self, false);
}

/* alpha * A * B + beta * C, A and B maybe transposed. */
static tacho_status compute_gemm(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1], *c = tacho_call_input(call, 2);
    bool is_a_turned = tacho_call_int(call, "transA", 0) != 0;
    bool is_b_turned = tacho_call_int(call, "transB", 0) != 0;
    job self = {.left.array = a,
                .right.array = b,
                .output = &call->outputs[0],
                .factor = tacho_call_real(call, "alpha", 1),
                .summand = c,
                .summand_factor = tacho_call_real(call, "beta", 1)};
    bool is_int = tacho_is_int(a);
    if (tacho_element_kind(a->dtype) == TACHO_DTYPE_OTHER || a->dtype != b->dtype ||
        self.output->dtype != a->dtype || (c != NULL && c->dtype != a->dtype) ||
        (is_int && (self.factor != 1 || self.summand_factor != 1))) {
        return tacho_unsupported_type("a product", a->dtype);
    }
    if (a->shape.rank != 2 || b->shape.rank != 2 || self.output->shape.rank != 2) {
        return tacho_wrong_shapes("a product");
    }
    self.rows = a->shape.dims[is_a_turned ? 1 : 0];
    self.depth = a->shape.dims[is_a_turned ? 0 : 1];
    self.columns = b->shape.dims[is_b_turned ? 0 : 1];
    if (self.depth != b->shape.dims[is_b_turned ? 1 : 0] ||
        self.rows != self.output->shape.dims[0] || self.columns != self.output->shape.dims[1] ||
        (c != NULL && !tacho_shape_fits(&c->shape, &self.output->shape))) {
        return tacho_wrong_shapes("a product");
    }
    self.left.row_step = is_a_turned ? 1 : self.depth;
    self.left.column_step = is_a_turned ? self.rows : 1;
    self.right.row_step = is_b_turned ? 1 : self.columns;
    self.right.column_step = is_b_turned ? self.depth : 1;
    if (c != NULL) {
        tacho_walk walk;
        tacho_walk_begin(&walk, &self.output->shape);
        tacho_walk_broadcast(&walk, 0, &c->shape);
        self.summand_row_step = walk.steps[0][0];
        self.summand_column_step = walk.steps[0][1];
    }
    if (tacho_array_elements(self.output) == 0) {
        return TACHO_OK;
    }
    return is_int ? multiply_ints(&self) : multiply(&self);
}

/* N,H,C by N,C,W, less two zero points. */
static tacho_status compute_tosa_matmul(const tacho_kernel_call *call)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    job self = {.left = {.array = a, .zeros = tacho_call_input(call, 2)},
                .right = {.array = b, .zeros = tacho_call_input(call, 3)},
                .output = &call->outputs[0],
                .factor = 1};
    bool is_real = tacho_is_real(a) && tacho_is_real(b) && tacho_is_real(self.output);
    bool is_int = tacho_is_int(a) && tacho_is_int(b) && tacho_tosa_is_sum(self.output) &&
                  tacho_dtype_element_bytes(a->dtype) <= 2 &&
                  tacho_dtype_element_bytes(b->dtype) <= 2;
    if (!is_real && !is_int) {
        return tacho_unsupported_type("a product", a->dtype);
    }
    if ((self.left.zeros != NULL && tacho_array_elements(self.left.zeros) != 1) ||
        (self.right.zeros != NULL && tacho_array_elements(self.right.zeros) != 1)) {
        return tacho_wrong_shapes("a zero point");
    }
    return batches(&self, false);
}

const tacho_kernel tacho_matmul_kernels[] = {
    {"Gemm", TACHO_KERNEL_HEAVY, compute_gemm},
    {"MatMul", TACHO_KERNEL_HEAVY, compute_matmul},
    {"MatMulInteger", TACHO_KERNEL_HEAVY, compute_matmul_integer},
    {"QLinearMatMul", TACHO_KERNEL_HEAVY, compute_qlinear_matmul},
    {"tosa.matmul", TACHO_KERNEL_HEAVY, compute_tosa_matmul},
    {0},
};
