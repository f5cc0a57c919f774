/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of many elements at a time, in loops that compilers make vectors of: for fast kernels,
 * where kernels/functions.h is for reference kernels. They compute in double with relative errors
 * below 2e-10, so a result that is then rounded to f32, f16 or bf16 is at most 0.51 units of the
 * last place off, subnormal results included: nearly always the reference's bits.
 *
 * There is one loop for each instruction set. All of them do the same operations in the same order,
 * each rounded by itself, so they give the same bits.
 */
#ifndef TACHO_KERNELS_VECTOR_H
#define TACHO_KERNELS_VECTOR_H

#include <stddef.h>

/* One row per function: name, formula of x with the parameter a. */
#define TACHO_VECTOR_FUNCTIONS(X)                                                                  \
    X(ERF, erf_of(x))                                                                              \
    X(EXP, exp_within(x))                                                                          \
    X(GELU, gelu_of(x))                                                                            \
    X(GELU_TANH, gelu_tanh_of(x))                                                                  \
    X(LOG, log_of(x))                                                                              \
    X(SIGMOID, sigmoid_of(x))                                                                      \
    X(SOFTPLUS, softplus_of(x))                                                                    \
    X(SWISH, swish_of(x, a))                                                                       \
    X(TANH, tanh_of(x))

typedef enum tacho_vector_function {
#define TACHO_VECTOR_ENUM(name, formula) TACHO_VECTOR_##name,
    TACHO_VECTOR_FUNCTIONS(TACHO_VECTOR_ENUM)
#undef TACHO_VECTOR_ENUM
        TACHO_VECTOR_COUNT
} tacho_vector_function;

/* Instruction sets that loops are compiled for. */
typedef enum tacho_vector_set {
    TACHO_VECTOR_PLAIN, /* the compiler's own target: SSE2 on x86-64 */
    TACHO_VECTOR_AVX2,
    TACHO_VECTOR_AVX512,
} tacho_vector_set;

/* The best that this processor has and the user allows. */
tacho_vector_set tacho_vector_best(void);

/*
 * |values|[i] becomes the function of it, in place. Elements are numbers that f32 can hold; so is
 * |a|, the factor of SWISH, x / (1 + exp(-a x)). |set| is at most the best.
 */
void tacho_vector_apply(tacho_vector_set set, tacho_vector_function function, double *values,
                        size_t count, double a);

/* |values|[i] to the power of |powers|[i], likewise. */
void tacho_vector_pow(tacho_vector_set set, double *values, const double *powers, size_t count);

#endif
