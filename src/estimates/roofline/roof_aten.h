/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations and bytes of PyTorch's operators, from the shapes that its profiler (Kineto) records:
 * Input Dims, Input type and Concrete Inputs of a span. Operators are those that launch kernels,
 * and those around them if nothing inside is more specific.
 *
 * Bytes are those of the operands, each read or written once: every run needs at least these. If
 * the shapes are ambiguous, the lower count of operations is used, so that a point above its roof
 * is an error.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOF_ATEN_H
#define TACHO_ESTIMATES_ROOFLINE_ROOF_ATEN_H

#include "estimates/roofline/roof.h"
#include "profile/events.h"

enum { TACHO_ATEN_INPUTS_MAX = 16, TACHO_ATEN_DIMS_MAX = 8, TACHO_ATEN_LABEL_BYTES = 128 };

/* An operand; without a type if it is not a tensor. */
typedef struct tacho_aten_tensor {
    tacho_dtype dtype;
    uint32_t rank;
    uint64_t dims[TACHO_ATEN_DIMS_MAX];
    tacho_str text; /* the value of an operand that is not a tensor, "[1, 1]" */
} tacho_aten_tensor;

typedef struct tacho_aten_call {
    tacho_str name; /* "aten::addmm" */
    tacho_aten_tensor inputs[TACHO_ATEN_INPUTS_MAX];
    size_t input_count;
    bool is_whole; /* all inputs were read, and tensors have at most the supported dimensions */
} tacho_aten_call;

/* Strings: the names of arguments. */
typedef struct tacho_aten_keys {
    uint32_t dims, types, values;
} tacho_aten_keys;

tacho_status tacho_aten_keys_init(tacho_aten_keys *keys, tacho_dict *dict) TACHO_MUST_USE;

/* Reads the arguments of |row|; false without dimensions. Texts point into the row. */
bool tacho_aten_read(const tacho_dict *dict, const tacho_aten_keys *keys, const tacho_row *row,
                     tacho_aten_call *out_call);

/*
 * The work of |call|; false if the operator or its operands are not known. The label distinguishes
 * calls of one operator: "1024x768x3072" for a product, the shape of the result for others.
 */
bool tacho_aten_work(const tacho_aten_call *call, tacho_roof_work *out_work,
                     char out_label[TACHO_ATEN_LABEL_BYTES]);

#endif
