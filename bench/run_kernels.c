/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What oneDNN reaches by itself: its kernels alone, in the layouts they like best, on shapes that
 * are common in networks.
 *
 *     run_kernels [--threads N] [--repeat N]
 *
 * Prints a line for each, with tabs between: kernel, GFLOP/s (GOP/s of bytes) of the fastest run,
 * microseconds, oneDNN's name of it. These are the ceilings that whole models are compared with.
 */
#include "kernels/onednn.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct kernel_case {
    const char *name;
    tacho_fast_kind kind;
    tacho_dtype data, filters, result;
    tacho_shape in, weights, out;
    int64_t size, stride, pad;
    double operations; /* two for each multiplication */
} kernel_case;

static const kernel_case cases[] = {
    {"f32 convolution 3x3, 64 to 64, 56x56",
     TACHO_FAST_CONVOLUTION,
     TACHO_DTYPE_F32,
     TACHO_DTYPE_F32,
     TACHO_DTYPE_F32,
     {4, {1, 64, 56, 56}},
     {4, {64, 64, 3, 3}},
     {4, {1, 64, 56, 56}},
     3,
     1,
     1,
     2.0 * 64 * 64 * 9 * 56 * 56},
    {"f32 convolution 1x1, 256 to 64, 56x56",
     TACHO_FAST_CONVOLUTION,
     TACHO_DTYPE_F32,
     TACHO_DTYPE_F32,
     TACHO_DTYPE_F32,
     {4, {1, 256, 56, 56}},
     {4, {64, 256, 1, 1}},
     {4, {1, 64, 56, 56}},
     1,
     1,
     0,
     2.0 * 64 * 256 * 56 * 56},
    {"f32 depthwise 3x3, 144, 56x56",
     TACHO_FAST_CONVOLUTION,
     TACHO_DTYPE_F32,
     TACHO_DTYPE_F32,
     TACHO_DTYPE_F32,
     {4, {1, 144, 56, 56}},
     {5, {144, 1, 1, 3, 3}},
     {4, {1, 144, 56, 56}},
     3,
     1,
     1,
     2.0 * 144 * 9 * 56 * 56},
    {"f32 product 512x512x512",
     TACHO_FAST_MATMUL,
     TACHO_DTYPE_F32,
     TACHO_DTYPE_F32,
     TACHO_DTYPE_F32,
     {2, {512, 512}},
     {2, {512, 512}},
     {2, {512, 512}},
     0,
     0,
     0,
     2.0 * 512 * 512 * 512},
    {"int8 convolution 3x3, 64 to 64, 56x56",
     TACHO_FAST_CONVOLUTION,
     TACHO_DTYPE_U8,
     TACHO_DTYPE_I8,
     TACHO_DTYPE_U8,
     {4, {1, 64, 56, 56}},
     {4, {64, 64, 3, 3}},
     {4, {1, 64, 56, 56}},
     3,
     1,
     1,
     2.0 * 64 * 64 * 9 * 56 * 56},
    {"int8 convolution 1x1, 320 to 1280, 8x8",
     TACHO_FAST_CONVOLUTION,
     TACHO_DTYPE_U8,
     TACHO_DTYPE_I8,
     TACHO_DTYPE_U8,
     {4, {1, 320, 8, 8}},
     {4, {1280, 320, 1, 1}},
     {4, {1, 1280, 8, 8}},
     1,
     1,
     0,
     2.0 * 320 * 1280 * 8 * 8},
    {"int8 depthwise 3x3, 144, 61x61",
     TACHO_FAST_CONVOLUTION,
     TACHO_DTYPE_U8,
     TACHO_DTYPE_I8,
     TACHO_DTYPE_U8,
     {4, {1, 144, 61, 61}},
     {5, {144, 1, 1, 3, 3}},
     {4, {1, 144, 61, 61}},
     3,
     1,
     1,
     2.0 * 144 * 9 * 61 * 61},
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *room(uint64_t bytes)
{
    void *memory = aligned_alloc(64, (size_t)(bytes / 64 + 1) * 64);
    if (memory != NULL) {
        memset(memory, 0, (size_t)(bytes / 64 + 1) * 64);
    }
    return memory;
}

/* Seconds of the fastest run; 0 when there is no such kernel. */
static tacho_status measure(tacho_fast *fast, const kernel_case *at, size_t repeat,
                            double *out_seconds, char *name, size_t name_size)
{
    uint64_t count = 0, bytes = 0;
    (void)(tacho_shape_elements(&at->weights, &count) &&
           tacho_dtype_bytes(at->filters, count, &bytes));
    void *weights = room(bytes);
    tacho_fast_kernel *kernel = NULL;
    tacho_fast_tensor inputs[2] = {
        {.dtype = at->data, .shape = at->in, .is_free = at->kind == TACHO_FAST_CONVOLUTION},
        {.dtype = at->filters, .shape = at->weights, .is_free = true, .data = weights},
    };
    tacho_window window = {.spatial = 2};
    for (int i = 0; i < 2; i++) {
        window.kernel[i] = at->size;
        window.strides[i] = at->stride;
        window.dilations[i] = 1;
        window.begins[i] = window.ends[i] = at->pad;
    }
    float scale = 0.01f;
    tacho_fast_spec spec = {
        .kind = at->kind,
        .window = &window,
        .inputs = inputs,
        .input_count = 2,
        .output = {.dtype = at->result, .shape = at->out, .is_free = inputs[0].is_free},
        .scales = &scale,
        .scale_count = at->data == TACHO_DTYPE_U8 ? 1 : 0,
    };
    *out_seconds = 0;
    if (weights == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
    }
    tacho_random_fill(at->filters, 1, bytes, weights);
    tacho_status status = tacho_fast_prepare(fast, &spec, &kernel);
    free(weights);
    if (status != TACHO_OK || kernel == NULL) {
        return status;
    }
    uint64_t in_bytes = tacho_layout_bytes(fast, tacho_fast_input_layout(kernel, 0));
    void *memory[3] = {room(in_bytes),
                       room(tacho_layout_bytes(fast, tacho_fast_output_layout(kernel))),
                       room(tacho_fast_scratch_bytes(kernel))};
    tacho_random_fill(at->data, 2, in_bytes, memory[0]);
    void *pointers[4];
    tacho_fast_point(kernel, (void *[]){memory[0], NULL}, memory[1], memory[2], pointers);
    for (size_t i = 0; i < repeat && status == TACHO_OK; i++) {
        double start = now();
        status = tacho_fast_run(kernel, pointers);
        double took = now() - start;
        *out_seconds = i == 0 || took < *out_seconds ? took : *out_seconds;
    }
    snprintf(name, name_size, "%s", tacho_fast_kernel_name(kernel));
    tacho_fast_kernel_free(kernel);
    for (int i = 0; i < 3; i++) {
        free(memory[i]);
    }
    return status;
}

int main(int argc, char **argv)
{
    uint32_t threads = 1;
    size_t repeat = 50;
    tacho_fast *fast;
    for (int i = 1; i + 1 < argc; i += 2) {
        threads =
            strcmp(argv[i], "--threads") == 0 ? (uint32_t)strtoul(argv[i + 1], NULL, 10) : threads;
        repeat = strcmp(argv[i], "--repeat") == 0 ? strtoul(argv[i + 1], NULL, 10) : repeat;
    }
    tacho_status status = tacho_fast_create(threads, &fast);
    if (status == TACHO_OK && fast == NULL) {
        printf("no oneDNN here\n");
        return 77;
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && status == TACHO_OK; i++) {
        char name[64] = "none";
        double seconds;
        status = measure(fast, &cases[i], repeat, &seconds, name, sizeof(name));
        if (status == TACHO_OK) {
            printf("%s\t%.1f\t%.1f\t%s\n", cases[i].name,
                   seconds > 0 ? cases[i].operations / seconds * 1e-9 : 0, seconds * 1e6, name);
        }
    }
    if (status != TACHO_OK) {
        fprintf(stderr, "run_kernels: %s\n", tacho_status_message(status));
        tacho_status_free(status);
        return 1;
    }
    tacho_fast_free(fast);
    return 0;
}
