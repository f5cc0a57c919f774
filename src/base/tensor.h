/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by rooms that handle tensors: shapes, arrays in memory, attributes of operators. Making
 * them (graph), computing with them (kernels) and counting them (compile) is up to those rooms.
 */
#ifndef TACHO_BASE_TENSOR_H
#define TACHO_BASE_TENSOR_H

#include "base/dtype.h"

enum {
    TACHO_RANK_MAX = 8,
    TACHO_RANK_UNKNOWN = -1,
    TACHO_DIM_UNKNOWN = -1,
};

/* Dimensions, the outermost first. */
typedef struct tacho_shape {
    int32_t rank; /* or TACHO_RANK_UNKNOWN */
    int64_t dims[TACHO_RANK_MAX];
} tacho_shape;

/* Whether the rank and every dimension are known. */
bool tacho_shape_is_known(const tacho_shape *shape);

/* How many elements; false when the shape is not known or they do not fit 63 bits. */
bool tacho_shape_elements(const tacho_shape *shape, uint64_t *out_count);

bool tacho_shape_equal(const tacho_shape *a, const tacho_shape *b);

/* Writes "1x56x56x24", "scalar", "?" where not known; at most |size| bytes with the NUL. */
enum { TACHO_SHAPE_TEXT_MAX = TACHO_RANK_MAX * 21 + 1 };
const char *tacho_shape_print(const tacho_shape *shape, char *to, size_t size);

/* A dense tensor in memory: row-major, little-endian, aligned for its type. */
typedef struct tacho_array {
    tacho_dtype dtype;
    tacho_shape shape; /* known */
    void *data;
} tacho_array;

/*
 * Fills |bytes| with seeded-random elements, the same everywhere: reals of -1/8 to 1/8, integers
 * and reals of 4 bits of all bits.
 */
void tacho_random_fill(tacho_dtype dtype, uint64_t seed, uint64_t bytes, void *to);

/* Whether a condition decides that an operator is computed. */
typedef enum tacho_when {
    TACHO_WHEN_ALWAYS, /* there is none */
    TACHO_WHEN_TRUE,
    TACHO_WHEN_FALSE,
    TACHO_WHEN_COUNT
} tacho_when;

typedef enum tacho_attr_kind {
    TACHO_ATTR_INT,
    TACHO_ATTR_REAL,
    TACHO_ATTR_TEXT,
    TACHO_ATTR_INTS,
    TACHO_ATTR_REALS,
    TACHO_ATTR_TEXTS,
    TACHO_ATTR_TENSOR, /* an element of |tensors| of the graph, by number */
    TACHO_ATTR_GRAPH,  /* a graph in the graph: as_int operations, not looked into */
    TACHO_ATTR_OTHER,  /* of a kind that nothing here computes with */
} tacho_attr_kind;

typedef struct tacho_attr {
    tacho_str name;
    tacho_attr_kind kind;
    uint32_t count; /* of INTS, REALS, TEXTS */
    union {
        int64_t as_int;
        double as_real;
        tacho_str as_text;
        const int64_t *as_ints;
        const double *as_reals;
        const tacho_str *as_texts;
        uint32_t as_tensor;
    } value;
} tacho_attr;

/* The attribute called |name|, or NULL. */
const tacho_attr *tacho_attr_find(const tacho_attr *attrs, size_t attr_count, const char *name);

/* The same as an integer or a real; |fallback| when there is none of that kind. */
int64_t tacho_attr_int(const tacho_attr *attrs, size_t attr_count, const char *name,
                       int64_t fallback);
double tacho_attr_real(const tacho_attr *attrs, size_t attr_count, const char *name,
                       double fallback);

/* The same as text; empty when there is none. */
tacho_str tacho_attr_text(const tacho_attr *attrs, size_t attr_count, const char *name);

/* The same as integers, their number in |out_count|; NULL and 0 when there are none. */
const int64_t *tacho_attr_ints(const tacho_attr *attrs, size_t attr_count, const char *name,
                               size_t *out_count);

#endif
