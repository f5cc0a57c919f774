/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element types of tensors: those of models, and the block formats that machines compute in.
 */
#ifndef TACHO_BASE_DTYPE_H
#define TACHO_BASE_DTYPE_H

#include "base/str.h"

/*
 * One row per type: name, what people write, bits of 16 elements, kind. Sixteen elements share
 * an exponent in the block formats, so that is the smallest number all types can be counted in.
 * New ones follow the last: files of programs have their numbers.
 */
#define TACHO_DTYPES(X)                                                                            \
    X(NONE, "unknown", 0, TACHO_DTYPE_OTHER)                                                       \
    X(F32, "f32", 512, TACHO_DTYPE_REAL)                                                           \
    X(F64, "f64", 1024, TACHO_DTYPE_REAL)                                                          \
    X(F16, "f16", 256, TACHO_DTYPE_REAL)                                                           \
    X(BF16, "bf16", 256, TACHO_DTYPE_REAL)                                                         \
    X(F8E4M3, "f8e4m3", 128, TACHO_DTYPE_REAL)                                                     \
    X(F8E5M2, "f8e5m2", 128, TACHO_DTYPE_REAL)                                                     \
    X(BFP8, "bfp8", 136, TACHO_DTYPE_REAL)                                                         \
    X(BFP4, "bfp4", 72, TACHO_DTYPE_REAL)                                                          \
    X(I4, "i4", 64, TACHO_DTYPE_SIGNED)                                                            \
    X(U4, "u4", 64, TACHO_DTYPE_UNSIGNED)                                                          \
    X(I8, "i8", 128, TACHO_DTYPE_SIGNED)                                                           \
    X(U8, "u8", 128, TACHO_DTYPE_UNSIGNED)                                                         \
    X(I16, "i16", 256, TACHO_DTYPE_SIGNED)                                                         \
    X(U16, "u16", 256, TACHO_DTYPE_UNSIGNED)                                                       \
    X(I32, "i32", 512, TACHO_DTYPE_SIGNED)                                                         \
    X(U32, "u32", 512, TACHO_DTYPE_UNSIGNED)                                                       \
    X(I48, "i48", 768, TACHO_DTYPE_SIGNED)                                                         \
    X(I64, "i64", 1024, TACHO_DTYPE_SIGNED)                                                        \
    X(U64, "u64", 1024, TACHO_DTYPE_UNSIGNED)                                                      \
    X(BOOL, "bool", 128, TACHO_DTYPE_UNSIGNED)                                                     \
    X(C64, "complex64", 1024, TACHO_DTYPE_OTHER)                                                   \
    X(C128, "complex128", 2048, TACHO_DTYPE_OTHER)                                                 \
    X(STRING, "string", 0, TACHO_DTYPE_OTHER)                                                      \
    X(F8E4M3FNUZ, "f8e4m3fnuz", 128, TACHO_DTYPE_REAL)                                             \
    X(F8E5M2FNUZ, "f8e5m2fnuz", 128, TACHO_DTYPE_REAL)                                             \
    X(F8E8M0, "f8e8m0", 128, TACHO_DTYPE_REAL)                                                     \
    X(F4E2M1, "f4e2m1", 64, TACHO_DTYPE_REAL)                                                      \
    X(I2, "i2", 32, TACHO_DTYPE_SIGNED)                                                            \
    X(U2, "u2", 32, TACHO_DTYPE_UNSIGNED)

typedef enum tacho_dtype {
#define TACHO_DTYPE_ENUM(name, text, bits, kind) TACHO_DTYPE_##name,
    TACHO_DTYPES(TACHO_DTYPE_ENUM)
#undef TACHO_DTYPE_ENUM
        TACHO_DTYPE_COUNT
} tacho_dtype;

typedef enum tacho_dtype_kind {
    TACHO_DTYPE_REAL,
    TACHO_DTYPE_SIGNED,
    TACHO_DTYPE_UNSIGNED,
    TACHO_DTYPE_OTHER, /* no arithmetic */
} tacho_dtype_kind;

const char *tacho_dtype_name(tacho_dtype dtype);
tacho_dtype_kind tacho_dtype_kind_of(tacho_dtype dtype);

/* The type that |name| names, or NONE. */
tacho_dtype tacho_dtype_find(tacho_str name);

/* Bytes of one element in memory; 0 for types whose elements are not whole bytes or have none. */
size_t tacho_dtype_element_bytes(tacho_dtype dtype);

/* Bits of one element; of a block format those beside the shared exponent are counted, too. */
unsigned tacho_dtype_element_bits(tacho_dtype dtype);

/* Whether two or four elements share a byte, the first in its low bits. */
bool tacho_dtype_is_packed(tacho_dtype dtype);

/* Bytes of |count| elements in a row, rounded up; false when they do not fit 63 bits. */
bool tacho_dtype_bytes(tacho_dtype dtype, uint64_t count, uint64_t *out_bytes);

#endif
