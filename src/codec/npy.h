/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors as files of NumPy (.npy): a header that is a literal of Python, then the elements.
 *
 * Versions 1 to 3 are read, in either byte order and either order of dimensions, and version 1 is
 * written as NumPy writes it. bf16, which NumPy has no type of its own for, is 'V2' there.
 */
#ifndef TACHO_CODEC_NPY_H
#define TACHO_CODEC_NPY_H

#include "base/output.h"
#include "base/tensor.h"

typedef struct tacho_npy {
    tacho_dtype dtype;
    tacho_shape shape;      /* known */
    bool is_big_endian;     /* the bytes of each element must be swapped */
    bool is_fortran;        /* the first dimension varies fastest */
    tacho_str data;         /* of the file's bytes */
    uint64_t element_count; /* of |shape| */
} tacho_npy;

/* Whether |bytes| begin as such a file does. */
bool tacho_npy_is_file(tacho_str bytes);

/*
 * Reads the header of a file and finds its elements, which have to be all that follows. Messages
 * name |path|. |bytes| outlive |out_npy|.
 */
tacho_status tacho_npy_parse(const char *path, tacho_str bytes, tacho_npy *out_npy) TACHO_MUST_USE;

/* Copies the elements to |to|, which has room for data.len bytes: row-major, little-endian. */
void tacho_npy_copy(const tacho_npy *npy, void *to);

/* Writes |array|. A type that NumPy does not have is UNSUPPORTED. */
tacho_status tacho_npy_write(const tacho_array *array, tacho_output *output) TACHO_MUST_USE;

#endif
