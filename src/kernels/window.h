/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows that slide over the spatial dimensions of a tensor: convolutions and pools.
 */
#ifndef TACHO_KERNELS_WINDOW_H
#define TACHO_KERNELS_WINDOW_H

#include "kernels/call.h"

enum { TACHO_SPATIAL_MAX = TACHO_RANK_MAX - 2 };

/* By spatial dimension. */
typedef struct tacho_window {
    int32_t spatial;
    int64_t in[TACHO_SPATIAL_MAX], out[TACHO_SPATIAL_MAX];
    int64_t kernel[TACHO_SPATIAL_MAX];
    int64_t strides[TACHO_SPATIAL_MAX];
    int64_t dilations[TACHO_SPATIAL_MAX];
    int64_t begins[TACHO_SPATIAL_MAX]; /* padding before the data */
    int64_t ends[TACHO_SPATIAL_MAX];   /* and after it */
} tacho_window;

/*
 * Reads the window of an ONNX node: |in| and |out| are N x C x spatial. The kernel is that of the
 * attribute kernel_shape, or |kernel| where it is not NULL. False when the numbers do not fit each
 * other; what passes is small enough for the sums below not to overflow.
 */
bool tacho_window_read(const tacho_kernel_call *call, const tacho_shape *in, const tacho_shape *out,
                       const int64_t *kernel, tacho_window *out_window);

/* The same of a TOSA node, whose tensors are N x spatial x C. */
bool tacho_window_read_tosa(const tacho_kernel_call *call, const tacho_shape *in,
                            const tacho_shape *out, const int64_t *kernel,
                            tacho_window *out_window);

/* Product of the sizes, at least 1: places of the window, or elements in it. */
int64_t tacho_window_places(const int64_t *sizes, int32_t spatial);

/* The position of place |place| of the output, element |element| of the kernel, in the input: index
 * in |out_in|; false when that is padding. |out_is_beyond|: past the padding, too. */
bool tacho_window_find(const tacho_window *window, int64_t place, int64_t element,
                       int64_t out_in[TACHO_SPATIAL_MAX], bool *out_is_beyond);

#endif
