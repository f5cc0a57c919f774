/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns in the work of a device and in the calls that launch it: how many pieces of work, and
 * how much time, belong to each. Rules over them are in rules/.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_WORK_PATTERNS_H
#define TACHO_QUESTIONS_BREAKDOWN_WORK_PATTERNS_H

#include "questions/breakdown/device_time.h"
#include "questions/breakdown/host_scope.h"
#include "profile/kernel_class.h"

typedef enum tacho_pattern {
    /* Kernels. */
    TACHO_PATTERN_SCALAR,     /* products in f32 on the vector units */
    TACHO_PATTERN_F32,        /* other kernels in f32 */
    TACHO_PATTERN_F32_NORM,   /* of these, normalisations */
    TACHO_PATTERN_HALF,       /* products of 16 bits or fewer */
    TACHO_PATTERN_MISALIGNED, /* of these, with sizes that are no multiple of 8 */
    TACHO_PATTERN_LAYOUT,
    TACHO_PATTERN_CAST,
    TACHO_PATTERN_CHAIN, /* elementwise work after other such work; time beyond the longest of it */
    TACHO_PATTERN_SMALL, /* kernels shorter than TACHO_SMALL_NS */
    TACHO_PATTERN_ATTENTION, /* attention as several kernels: those between its products */
    TACHO_PATTERN_OPTIMIZER,
    /* Copies. */
    TACHO_PATTERN_COPY_IN,
    TACHO_PATTERN_COPY_PAGED,
    TACHO_PATTERN_COPY_OUT,
    TACHO_PATTERN_COPY_WITHIN,
    /* Of the host. */
    TACHO_PATTERN_PASS,           /* backward passes; no time */
    TACHO_PATTERN_VALUE,          /* calls for a value; idle time of the device that they leave */
    TACHO_PATTERN_WAIT,           /* other waits for the device; the same */
    TACHO_PATTERN_OPTIMIZER_CALL, /* time of the host */
    TACHO_PATTERN_ALLOCATE,
    TACHO_PATTERN_COMPILE,
    TACHO_PATTERN_COUNT,
} tacho_pattern;

enum { TACHO_SMALL_NS = 5000 };

typedef struct tacho_pattern_sum {
    uint64_t count;
    int64_t ns;
    int64_t longest_ns, start_ns; /* of the longest piece, and its start */
} tacho_pattern_sum;

/* The work of one operator or, if its operator is not known, of one kernel. */
typedef struct tacho_op_sum {
    uint32_t site;
    uint64_t count;
    int64_t ns;
    int64_t by_class[TACHO_KERNEL_CLASS_COUNT];
} tacho_op_sum;

typedef struct tacho_work_patterns {
    tacho_pattern_sum sums[TACHO_PATTERN_COUNT];
    tacho_op_sum *ops;
    size_t op_count, op_capacity;
    tacho_index index; /* of |ops|, once there are some */
    bool has_too_many; /* operators to name the costliest: |ops| is empty */
} tacho_work_patterns;

/* More operators than that are not compared: their names cost more memory than an answer is worth.
 */
enum { TACHO_WORK_OPS_MAX = 1 << 16 };

void tacho_work_patterns_deinit(tacho_work_patterns *patterns);

/* Adds all of |more|. */
tacho_status tacho_work_patterns_merge(tacho_work_patterns *patterns,
                                       const tacho_work_patterns *more) TACHO_MUST_USE;

void tacho_pattern_sum_add(tacho_pattern_sum *sum, int64_t start_ns, int64_t ns);

/* Recent work of a stream, in which sequences are recognised. */
typedef struct tacho_pattern_stream {
    int64_t chain_longest_ns; /* of the chain that has not ended; 0: none */
    int attention;            /* how much of an attention has been seen */
    int between_count;        /* pieces of work since its first product */
    int64_t between_ns;
    bool is_backward;  /* the latest work */
    int forward_count; /* work since the last backward pass */
} tacho_pattern_stream;

/* A piece of work that starts. */
typedef struct tacho_pattern_work {
    int64_t start_ns, ns;
    uint32_t site;
    const tacho_kernel_traits *traits;
    tacho_scope_calls calls; /* around its launch */
} tacho_pattern_work;

/* Adds |work| of |stream| to each of |to|, of which there are |count|. */
tacho_status tacho_work_patterns_add(tacho_work_patterns *const *to, size_t count,
                                     tacho_pattern_stream *stream,
                                     const tacho_pattern_work *work) TACHO_MUST_USE;

/* Adds |ns| to the operator of |site|, which is of no class. */
tacho_status tacho_work_patterns_add_time(tacho_work_patterns *patterns, uint32_t site,
                                          int64_t ns) TACHO_MUST_USE;

/* The |count| operators that compute for the most time, which |out_ops| has room for; returns how
 * many there are. */
size_t tacho_work_patterns_top(const tacho_work_patterns *patterns, const tacho_op_sum **out_ops,
                               size_t count);

/* The class with the most time. */
tacho_kernel_class tacho_op_sum_class(const tacho_op_sum *op);

#endif
