/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes and types of TOSA operators, for the rows of tosa_ops.c. A TOSA file contains the type of
 * every result, so most of this only finds contradictions; it finds shapes where the file leaves
 * dimensions open and the arguments' have been given.
 *
 * Order of operands (TOSA 1.0; zero points follow them, except in older files):
 *
 *     conv2d            input NHWC, weight OHWI, bias O         pad t,b,l,r  stride, dilation y,x
 *     conv3d            input NDHWC, weight ODHWI, bias O       pad f,b,t,b,l,r  stride d,y,x
 *     depthwise_conv2d  input NHWC, weight HWCM, bias C*M       as conv2d; result channels C*M
 *     transpose_conv2d  input NHWC, weight OHWI, bias O         out_pad t,b,l,r (may be negative)
 *     matmul            N,H,C  N,C,W  ->  N,H,W
 *     fully_connected   N,C  weight O,C  bias O  ->  N,O        (before 1.0)
 *     avg_pool2d, max_pool2d   input NHWC                       kernel y,x  stride y,x  pad t,b,l,r
 *     resize            input NHWC, scale y_n,y_d,x_n,x_d, offset y,x, border y,x
 *     gather            values N,K,C  indices N,W  ->  N,W,C
 *     scatter           values N,K,C  indices N,W  input N,W,C  ->  N,K,C
 *     rescale           input, multiplier, shift, input zero point, output zero point
 *     table             input, table;  mul: two inputs, shift;  select: condition and two inputs
 *     pad               input, padding (front and back of each dimension), the value
 *     reshape, tile     input, the new shape or how often;  slice: input, start, size
 *
 * acc_type of convolutions and average pools is a text, the name of the type as MLIR writes it.
 */
#ifndef TACHO_GRAPH_TOSA_INFER_H
#define TACHO_GRAPH_TOSA_INFER_H

#include "graph/infer.h"

/* Zero points, the operands from |first| on, have one element each: all else of them is unused. */
tacho_status tacho_tosa_check_zero_points(const tacho_infer *infer, size_t first) TACHO_MUST_USE;

tacho_status tacho_tosa_infer_negate(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_rescale(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_same(const tacho_infer *infer) TACHO_MUST_USE;       /* type too */
tacho_status tacho_tosa_infer_same_shape(const tacho_infer *infer) TACHO_MUST_USE; /* cast */
tacho_status tacho_tosa_infer_binary(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_product(const tacho_infer *infer) TACHO_MUST_USE; /* mul */
tacho_status tacho_tosa_infer_compare(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_select(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_reduce(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_argmax(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_concat(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_transpose(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_reshape(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_slice(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_tile(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_pad(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_gather(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_scatter(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_matmul(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_fully_connected(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_pool(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_conv(const tacho_infer *infer) TACHO_MUST_USE; /* 2d and 3d */
tacho_status tacho_tosa_infer_depthwise(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_transpose_conv(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_resize(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_fft(const tacho_infer *infer) TACHO_MUST_USE;
tacho_status tacho_tosa_infer_rfft(const tacho_infer *infer) TACHO_MUST_USE;

#endif
