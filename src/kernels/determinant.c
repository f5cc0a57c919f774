/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Det: determinants of square matrices, by elimination with the largest pivot, in double.
 */
#include "kernels/call.h"
#include "kernels/product.h"

#include <math.h>

/* The row from |k| on with the largest element in column |k|; a NaN is larger than all. */
static int64_t find_pivot(const double *matrix, int64_t n, int64_t k)
{
    int64_t best = k;
    for (int64_t i = k + 1; i < n; i++) {
        double found = fabs(matrix[i * n + k]), most = fabs(matrix[best * n + k]);
        best = found > most || isnan(found) ? i : best;
    }
    return best;
}

static void swap_rows(double *matrix, int64_t n, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < n; i++) {
        double kept = matrix[a * n + i];
        matrix[a * n + i] = matrix[b * n + i];
        matrix[b * n + i] = kept;
    }
}

/* |matrix| is used up. */
static double find_determinant(double *matrix, int64_t n)
{
    double product = 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = find_pivot(matrix, n, k);
        if (pivot != k) {
            swap_rows(matrix, n, pivot, k);
            product = -product;
        }
        double divisor = matrix[k * n + k];
        product *= divisor;
        for (int64_t i = k + 1; i < n && divisor != 0; i++) {
            double factor = matrix[i * n + k] / divisor;
            for (int64_t j = k; j < n; j++) {
                matrix[i * n + j] -= factor * matrix[k * n + j];
            }
        }
    }
    return product;
}

static tacho_status run(const tacho_kernel_call *call, int64_t n, tacho_arena *arena)
{
    double *matrix;
    TACHO_TRY(tacho_scratch_reals(arena, n, n, &matrix));
    for (int64_t i = 0; i < tacho_array_elements(&call->outputs[0]); i++) {
        if (n > 0) {
            tacho_read_reals(call->inputs[0], i * n * n, 1, (size_t)(n * n), matrix);
        }
        tacho_set_real(&call->outputs[0], i, find_determinant(matrix, n));
    }
    return TACHO_OK;
}

static tacho_status compute_det(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0];
    const tacho_shape *in = &input->shape;
    tacho_arena arena;
    if (!tacho_is_real(input) || call->outputs[0].dtype != input->dtype) {
        return tacho_unsupported_type("a determinant", input->dtype);
    }
    tacho_shape outer = *in;
    outer.rank -= 2;
    if (in->rank < 2 || in->dims[in->rank - 1] != in->dims[in->rank - 2] ||
        !tacho_shape_equal(&outer, &call->outputs[0].shape)) {
        return tacho_wrong_shapes("a determinant");
    }
    tacho_arena_init(&arena);
    tacho_status status = run(call, in->dims[in->rank - 1], &arena);
    tacho_arena_deinit(&arena);
    return status;
}

const tacho_kernel tacho_determinant_kernels[] = {
    {"Det", TACHO_KERNEL_HEAVY, compute_det},
    {0},
};
