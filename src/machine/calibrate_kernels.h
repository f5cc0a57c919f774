/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels that calibration times: products of matrices and sums of vectors in plain C, compiled
 * for each instruction set that a processor may have.
 */
#ifndef TACHO_MACHINE_CALIBRATE_KERNELS_H
#define TACHO_MACHINE_CALIBRATE_KERNELS_H

#include <stddef.h>

enum {
    TACHO_CALIBRATE_SIDE = 192,      /* of the matrices: three of them fit a second-level cache */
    TACHO_CALIBRATE_ELEMENTS = 8192, /* of the vectors */
};

/* Operands and results are aligned to 64 bytes. */
typedef void tacho_calibrate_kernel(const void *a, const void *b, void *c);

/*
 * One type. The product c = a b has its rows one after the other; of i8 and i16 the second operand
 * is given by columns, as their dot products need it, and the first of i8 is not signed. Results
 * are f32, f64 or i32. Sums have the type itself.
 */
typedef struct tacho_calibrate_type {
    const char *name;
    tacho_calibrate_kernel *product, *sum;
} tacho_calibrate_type;

enum { TACHO_CALIBRATE_TYPES = 5 };

typedef struct tacho_calibrate_set {
    const char *name;                                  /* of the instruction set */
    tacho_calibrate_type types[TACHO_CALIBRATE_TYPES]; /* f32, f64, i8, i16, i32 */
} tacho_calibrate_set;

/* The |index|-th set that this processor has, the best first; NULL after the last. */
const tacho_calibrate_set *tacho_calibrate_set_at(size_t index);

#endif
