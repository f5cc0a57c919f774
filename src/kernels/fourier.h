/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Discrete Fourier transforms of any length, in double: of a power of two by halving, of any other
 * as a convolution of such a length (Bluestein). Both take about n log n steps, and give the same
 * bits on every computer.
 */
#ifndef TACHO_KERNELS_FOURIER_H
#define TACHO_KERNELS_FOURIER_H

#include "base/arena.h"

/* Numbers of a signal. */
typedef struct tacho_complexes {
    double *real, *imag;
} tacho_complexes;

typedef struct tacho_fourier {
    int64_t length;
    int64_t padded;        /* a power of two: the length, or that of the convolution */
    tacho_complexes turns; /* padded / 2 roots of 1 */
    tacho_complexes chirp; /* of a convolution: its factors, and the transform of their inverses */
    tacho_complexes chirp_back;
    tacho_complexes scratch;
} tacho_fourier;

/* For signals of |length|, from 0; forwards, or backwards, which divides nothing. */
tacho_status tacho_fourier_init(tacho_fourier *self, int64_t length, bool is_backwards,
                                tacho_arena *arena) TACHO_MUST_USE;

/* Transforms a signal in place. */
void tacho_fourier_run(const tacho_fourier *self, tacho_complexes signal);

/* Memory for |count| numbers. */
tacho_status tacho_complexes_alloc(tacho_arena *arena, int64_t count,
                                   tacho_complexes *out) TACHO_MUST_USE;

#endif
