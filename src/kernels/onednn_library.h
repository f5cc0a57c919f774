/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oneDNN 2 as it is opened. Only kernels/onednn*.c include this: no other file knows the library.
 */
#ifndef TACHO_KERNELS_ONEDNN_LIBRARY_H
#define TACHO_KERNELS_ONEDNN_LIBRARY_H

#include "base/strings.h"
#include "kernels/byte_product.h"
#include "kernels/nbit_product.h"
#include "kernels/team.h"
#include "kernels/onednn.h"

#include <oneapi/dnnl/dnnl.h>

/* clang-format off */
#define TACHO_ONEDNN_CALLS(X) \
    X(binary_desc_init) X(concat_primitive_desc_create) \
    X(dilated_convolution_forward_desc_init) X(dilated_deconvolution_forward_desc_init) \
    X(eltwise_forward_desc_init) X(engine_create) X(engine_destroy) X(get_effective_cpu_isa) \
    X(layer_normalization_forward_desc_init) X(lrn_forward_desc_init) X(matmul_desc_init) \
    X(memory_create) X(memory_desc_equal) X(memory_desc_get_size) \
    X(memory_desc_init_by_strides) X(memory_desc_init_by_tag) X(memory_destroy) \
    X(memory_set_data_handle) \
    X(pooling_v2_forward_desc_init) X(post_ops_append_binary) X(post_ops_append_eltwise) \
    X(post_ops_create) X(post_ops_destroy) X(primitive_attr_create) X(primitive_attr_destroy) \
    X(primitive_attr_set_output_scales) X(primitive_attr_set_post_ops) \
    X(primitive_attr_set_scales) X(primitive_attr_set_scratchpad_mode) \
    X(primitive_attr_set_zero_points) X(primitive_create) X(primitive_desc_create) \
    X(primitive_desc_destroy) X(primitive_desc_query) X(primitive_desc_query_md) \
    X(primitive_destroy) X(primitive_execute) X(reduction_desc_init) \
    X(reorder_primitive_desc_create) X(resampling_forward_desc_init) X(set_max_cpu_isa) \
    X(softmax_v2_forward_desc_init) X(stream_create) X(stream_destroy) X(version)
/* clang-format on */

/* The library's functions. */
typedef struct tacho_onednn_calls {
#define CALL_FIELD(name) __typeof__(dnnl_##name) *name;
    TACHO_ONEDNN_CALLS(CALL_FIELD)
#undef CALL_FIELD
    void (*set_threads)(int);
    int (*get_threads)(void);
    void (*parallel)(void (*work)(void *data), void *data, unsigned threads, unsigned flags);
    bool has_team; /* it divides its work among the threads of a team */
} tacho_onednn_calls;

struct tacho_layout {
    dnnl_memory_desc_t desc;
};

/* A spec and its kernel. */
typedef struct tacho_onednn_shared {
    tacho_fast_kernel *kernel; /* while it is in use */
    bool is_refused;
} tacho_onednn_shared;

struct tacho_fast {
    tacho_onednn_calls call;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    int threads;
    tacho_team *team; /* or NULL: they are OpenMP's, or there is one */
    bool shares; /* a kernel runs on several threads */
    char version[32];
    tacho_layout **layouts;
    size_t layout_count, layout_capacity;
    tacho_strings keys;          /* texts of specs ... */
    tacho_onednn_shared *shared; /* ... and by their number their kernels */
    size_t shared_count, shared_capacity;
};

/* An argument of oneDNN's call. */
typedef struct tacho_onednn_argument {
    int id;                     /* oneDNN's */
    const tacho_layout *layout; /* layout of the kernel; of scratch memory NULL */
    void *constant;             /* of a constant: ours, in that layout; else NULL */
    void *bound;                /* its memory when the kernel ran last */
    dnnl_memory_t memory;       /* NULL before it has run */
} tacho_onednn_argument;

struct tacho_fast_kernel {
    tacho_fast *fast;
    uint32_t users; /* steps that use it */
    uint32_t place; /* among the shared ones, or TACHO_NONE */
    dnnl_primitive_t primitive;
    tacho_byte_product *own; /* instead of oneDNN's, or NULL */
    bool has_live_zero;      /* of |own|: input 2 is the zero point of the data */
    tacho_nbit_product *nbit; /* instead of oneDNN's, or NULL ... */
    int64_t nbit_rows;        /* ... and the rows it multiplies */
    int threads;              /* that it runs on */
    dnnl_memory_desc_t scratch;
    uint64_t scratch_bytes;
    char name[64];
    size_t input_count;
    size_t argument_count; /* inputs, output, scratch memory if any */
    dnnl_exec_arg_t *executed;
    tacho_onednn_argument arguments[];
};

/* The place of a spec among |shared|, or TACHO_NONE: it is for one step alone. */
tacho_status tacho_onednn_find(tacho_fast *fast, const tacho_fast_spec *spec,
                               uint32_t *out_place) TACHO_MUST_USE;

/* Whether a spec is a product of bytes: a convolution, or one of matrices. */
bool tacho_onednn_is_byte_product(const tacho_fast_spec *spec);
/* It as our own kernel, on tensors whose channels are last; |out| is NULL where that is none. */
tacho_status tacho_onednn_byte_product(const tacho_fast *fast, const tacho_fast_spec *spec,
                                       tacho_byte_product **out) TACHO_MUST_USE;
/* Whether oneDNN sums up products of bytes exactly, for any values, on this processor. */
bool tacho_onednn_has_exact_bytes(const tacho_fast *fast);

/* Points the opened library's calls of OpenMP to teams; false: they are what they were. */
bool tacho_onednn_take_threads(void *library);
/* For kernels that run in this thread from here on. */
void tacho_onednn_use_team(tacho_team *team, int threads);
/* Divides work among that team, as OpenMP's GOMP_parallel does among its threads. */
void tacho_onednn_share(void (*work)(void *data), void *data, unsigned threads, unsigned flags);
/* Has OpenMP's threads wait in short loops, if it is loaded between both; whether it is done. */
bool tacho_onednn_shorten_waits(void);
void tacho_onednn_forget_waits(bool is_mine);

/*
 * Threads for a kernel: one where it takes less time than others take to wake up. That is decided
 * by its sizes alone, so that a model gives the same bits however busy the computer is.
 */
int tacho_onednn_threads_for(const tacho_fast *fast, const tacho_fast_spec *spec);

/* A kernel is made and run with the same number of threads. */
void tacho_onednn_set_threads(const tacho_fast *fast, int threads);

#endif
