/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes and attributes.
 */
#include "base/tensor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool tacho_shape_is_known(const tacho_shape *shape)
{
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0) {
            return false;
        }
    }
    return shape->rank >= 0;
}

bool tacho_shape_elements(const tacho_shape *shape, uint64_t *out_count)
{
    *out_count = 0;
    if (!tacho_shape_is_known(shape)) {
        return false;
    }
    int64_t count = 1;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] == 0) {
            return true;
        }
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        if (__builtin_mul_overflow(count, shape->dims[i], &count)) {
            return false;
        }
    }
    *out_count = (uint64_t)count;
    return true;
}

bool tacho_shape_equal(const tacho_shape *a, const tacho_shape *b)
{
    bool is_equal = a->rank == b->rank;
    for (int32_t i = 0; is_equal && i < a->rank; i++) {
        is_equal = a->dims[i] == b->dims[i];
    }
    return is_equal;
}

const char *tacho_shape_print(const tacho_shape *shape, char *to, size_t size)
{
    if (shape->rank <= 0) {
        snprintf(to, size, "%s", shape->rank == 0 ? "scalar" : "?");
        return to;
    }
    size_t used = 0;
    for (int32_t i = 0; i < shape->rank && used < size; i++) {
        const char *between = i > 0 ? "x" : "";
        int len = shape->dims[i] < 0
                      ? snprintf(to + used, size - used, "%s?", between)
                      : snprintf(to + used, size - used, "%s%" PRId64, between, shape->dims[i]);
        used += (size_t)len;
    }
    return to;
}

/* Of a 64-bit state, the |i|th number: splitmix64. */
static uint64_t random_bits(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A number of 8 bits below 1/8; powers of 2 are 1/8 to 1/1024, as those are scales. */
static unsigned small_bits(tacho_dtype dtype, uint64_t bits)
{
    bool has_three = dtype == TACHO_DTYPE_F8E4M3 || dtype == TACHO_DTYPE_F8E4M3FNUZ;
    bool has_one_zero = dtype == TACHO_DTYPE_F8E4M3FNUZ || dtype == TACHO_DTYPE_F8E5M2FNUZ;
    if (dtype == TACHO_DTYPE_F8E8M0) {
        return 124 - (unsigned)(bits & 7);
    }
    unsigned kept = (unsigned)bits & (has_three ? 0x9f : 0xaf);
    return has_one_zero && kept == 0x80 ? 0 : kept;
}

static bool is_small_real(tacho_dtype dtype)
{
    return tacho_dtype_kind_of(dtype) == TACHO_DTYPE_REAL && tacho_dtype_element_bytes(dtype) == 1;
}

void tacho_random_fill(tacho_dtype dtype, uint64_t seed, uint64_t bytes, void *to)
{
    size_t size = tacho_dtype_is_packed(dtype) ? 1 : tacho_dtype_element_bytes(dtype);
    memset(to, 0, (size_t)bytes);
    for (uint64_t i = 0; size > 0 && i * size < bytes; i++) {
        uint64_t bits = random_bits(seed, i);
        float as_f32 = (float)((double)(int64_t)bits * 0x1p-66);
        double as_f64 = (double)as_f32;
        uint32_t f32_bits;
        memcpy(&f32_bits, &as_f32, sizeof(f32_bits));
        uint16_t as_bf16 = (uint16_t)(f32_bits >> 16);
        const void *from = &bits;
        if (dtype == TACHO_DTYPE_F32) {
            from = &as_f32;
        } else if (dtype == TACHO_DTYPE_F64) {
            from = &as_f64;
        } else if (dtype == TACHO_DTYPE_BF16) {
            from = &as_bf16;
        } else if (dtype == TACHO_DTYPE_F16) {
            bits &= 0xafff; /* exponents of 11 and less: below 1/8 */
        } else if (dtype == TACHO_DTYPE_BOOL) {
            bits &= 1;
        } else if (is_small_real(dtype)) {
            bits = small_bits(dtype, bits);
        }
        memcpy((unsigned char *)to + i * size, from, size <= 8 ? size : 8);
    }
}

const tacho_attr *tacho_attr_find(const tacho_attr *attrs, size_t attr_count, const char *name)
{
    tacho_str wanted = tacho_str_from_cstring(name);
    for (size_t i = 0; i < attr_count; i++) {
        if (tacho_str_equal(attrs[i].name, wanted)) {
            return &attrs[i];
        }
    }
    return NULL;
}

int64_t tacho_attr_int(const tacho_attr *attrs, size_t attr_count, const char *name,
                       int64_t fallback)
{
    const tacho_attr *attr = tacho_attr_find(attrs, attr_count, name);
    return attr != NULL && attr->kind == TACHO_ATTR_INT ? attr->value.as_int : fallback;
}

double tacho_attr_real(const tacho_attr *attrs, size_t attr_count, const char *name,
                       double fallback)
{
    const tacho_attr *attr = tacho_attr_find(attrs, attr_count, name);
    return attr != NULL && attr->kind == TACHO_ATTR_REAL ? attr->value.as_real : fallback;
}

tacho_str tacho_attr_text(const tacho_attr *attrs, size_t attr_count, const char *name)
{
    const tacho_attr *attr = tacho_attr_find(attrs, attr_count, name);
    return attr != NULL && attr->kind == TACHO_ATTR_TEXT ? attr->value.as_text : TACHO_STR("");
}

const int64_t *tacho_attr_ints(const tacho_attr *attrs, size_t attr_count, const char *name,
                               size_t *out_count)
{
    const tacho_attr *attr = tacho_attr_find(attrs, attr_count, name);
    bool is_list = attr != NULL && attr->kind == TACHO_ATTR_INTS;
    *out_count = is_list ? attr->count : 0;
    return is_list ? attr->value.as_ints : NULL;
}
