/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call of the host does, from its name as drivers and frameworks spell it.
 */
#ifndef TACHO_PROFILE_CALL_CLASS_H
#define TACHO_PROFILE_CALL_CLASS_H

#include "base/str.h"

/* Bits. */
typedef enum tacho_call_class {
    TACHO_CALL_OPERATOR = 1 << 0, /* of a framework: aten::mm */
    TACHO_CALL_BACKWARD = 1 << 1, /* part of a backward pass */
    TACHO_CALL_OPTIMIZER = 1 << 2,
    TACHO_CALL_VALUE = 1 << 3,           /* brings a value to the host: aten::item */
    TACHO_CALL_WAIT = 1 << 4,            /* for the device: cudaStreamSynchronize */
    TACHO_CALL_ALLOCATE = 1 << 5,        /* device memory, or frees it: cudaMalloc */
    TACHO_CALL_LOAD = 1 << 6,            /* code: cuModuleLoadData */
    TACHO_CALL_COMPILE = 1 << 7,         /* while the program runs */
    TACHO_CALL_INPUT = 1 << 8,           /* loads data */
    TACHO_CALL_CAST = 1 << 9,            /* to another type */
    TACHO_CALL_PRODUCT = 1 << 10,        /* of batches of matrices: aten::bmm */
    TACHO_CALL_MATH_ATTENTION = 1 << 11, /* attention as several operators */
    TACHO_CALL_GRADIENTS = 1 << 12,      /* clears them: Optimizer.zero_grad */
    TACHO_CALL_LAUNCH = 1 << 13,         /* of a kernel */
} tacho_call_class;

/* The bits of calls |name| of |category|; 0: of no interest. */
unsigned tacho_call_class_of(tacho_str category, tacho_str name);

#endif
