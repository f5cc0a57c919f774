/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of any type as double or as 64-bit integers, a row at a time.
 *
 * Reference kernels compute in these: a sum, product, quotient or root of f32, f16 or bf16 numbers
 * that is computed in double and then rounded is the correctly rounded one, and integers wrap as
 * their own type would. Real types are f32, f64, f16, bf16; integers those of 8 to 64 bits and
 * bool. Unsigned 64-bit numbers travel as the bits of signed ones. Integers of 4 and 2 bits and
 * real numbers of 8 and 4 are read and written here, too, but only conversions take them; integers
 * of 48 bits, of TOSA's sums alone. To all other kernels they are of no kind.
 */
#ifndef TACHO_KERNELS_ELEMENT_H
#define TACHO_KERNELS_ELEMENT_H

#include "base/status.h"
#include "base/tensor.h"
#include "kernels/small_real.h"

/* How many elements are worked on at a time. */
enum { TACHO_CHUNK = 256 };

/* How elements of the type are computed with; OTHER where they are not. */
tacho_dtype_kind tacho_element_kind(tacho_dtype dtype);

/* The same for conversions (casts, scaling to and from reals), which take the small types, too. */
tacho_dtype_kind tacho_stored_kind(tacho_dtype dtype);

/* |count| elements from |at| on, |step| apart; of a real type or an integer. */
void tacho_read_reals(const tacho_array *array, int64_t at, int64_t step, size_t count,
                      double *out_reals);

/* The same of an integer type. */
void tacho_read_ints(const tacho_array *array, int64_t at, int64_t step, size_t count,
                     int64_t *out_ints);

/* Writes |count| elements in a row, rounded to the nearest (ties to even); of a real type. */
void tacho_write_reals(tacho_array *array, int64_t at, size_t count, const double *reals);

/* The same of a small real type, by another rule than that numbers end at the greatest. */
void tacho_write_small_reals(tacho_array *array, int64_t at, size_t count, const double *reals,
                             tacho_small_rule rule);

/* The same of an integer type: values out of range wrap around. */
void tacho_write_ints(tacho_array *array, int64_t at, size_t count, const int64_t *ints);

/* How many elements; the shape of an array is known and countable. */
int64_t tacho_array_elements(const tacho_array *array);

/* The failure of a kernel whose tensors do not fit each other, and of one that does not compute
 * with |dtype|. */
tacho_status tacho_wrong_shapes(const char *what) TACHO_MUST_USE;
tacho_status tacho_unsupported_type(const char *what, tacho_dtype dtype) TACHO_MUST_USE;

#endif
