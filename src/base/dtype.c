/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Element types by name and size.
 */
#include "base/dtype.h"

#include "base/maths.h"

static const struct {
    tacho_str name;
    uint16_t bits_of_16;
    tacho_dtype_kind kind;
} dtypes[] = {
#define DTYPE_ROW(name, text, bits, kind) {TACHO_STR_INIT(text), bits, kind},
    TACHO_DTYPES(DTYPE_ROW)
#undef DTYPE_ROW
};

const char *tacho_dtype_name(tacho_dtype dtype)
{
    return dtypes[dtype].name.data;
}

tacho_dtype_kind tacho_dtype_kind_of(tacho_dtype dtype)
{
    return dtypes[dtype].kind;
}

tacho_dtype tacho_dtype_find(tacho_str name)
{
    for (unsigned i = TACHO_DTYPE_NONE + 1; i < TACHO_DTYPE_COUNT; i++) {
        if (tacho_str_equal(dtypes[i].name, name)) {
            return (tacho_dtype)i;
        }
    }
    return TACHO_DTYPE_NONE;
}

size_t tacho_dtype_element_bytes(tacho_dtype dtype)
{
    unsigned bits = dtypes[dtype].bits_of_16;
    return bits % 128 == 0 ? bits / 128 : 0;
}

unsigned tacho_dtype_element_bits(tacho_dtype dtype)
{
    return dtypes[dtype].bits_of_16 / 16;
}

bool tacho_dtype_is_packed(tacho_dtype dtype)
{
    unsigned bits = dtypes[dtype].bits_of_16;
    return bits == 64 || bits == 32;
}

bool tacho_dtype_bytes(tacho_dtype dtype, uint64_t count, uint64_t *out_bytes)
{
    tacho_u128 bits = (tacho_u128)count * dtypes[dtype].bits_of_16;
    tacho_u128 bytes = (bits + 127) / 128;
    *out_bytes = bytes > INT64_MAX ? 0 : (uint64_t)bytes;
    return bytes <= INT64_MAX;
}
