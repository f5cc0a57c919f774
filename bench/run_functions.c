/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nanoseconds per element of functions: reference kernels and quick ones (kernels/vector.h), one
 * thread, 64 Ki elements, by the processor's time, the fastest of many runs.
 *
 *     run_functions [f32|f16|bf16]
 *
 * Prints a row of a table for each. ONEDNN_MAX_CPU_ISA=SSE41 or AVX2 limits the instructions.
 */
#include "kernels/call.h"
#include "kernels/quick.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 65536, ROUNDS = 15 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The fastest run, or a negative number when it fails. */
static double measure(const tacho_kernel *kernel, const tacho_kernel_call *call)
{
    double best = 0;
    for (int i = 0; i < ROUNDS && kernel != NULL; i++) {
        double start = now_ns();
        tacho_status status = kernel->compute(call);
        double took = (now_ns() - start) / COUNT;
        if (status != TACHO_OK) {
            tacho_status_free(status);
            return -1;
        }
        best = i == 0 || took < best ? took : best;
    }
    return best;
}

static void print_row(const char *name, tacho_array *input, const tacho_array *power,
                      tacho_array *output)
{
    const tacho_array *inputs[] = {input, power};
    bool is_power = name[0] == 'P';
    tacho_kernel_call call = {.opset = 13,
                              .inputs = inputs,
                              .input_count = is_power ? 2 : 1,
                              .outputs = output,
                              .output_count = 1};
    tacho_str word = tacho_str_from_cstring(name);
    double slow = measure(tacho_kernel_find(word), &call);
    double quick = measure(tacho_quick_find(word, &call), &call);
    printf("| %s | %.2f | %.2f |\n", name, slow, quick);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"Erf",     "Exp",      "Gelu",  "Log", "Pow",
                                        "Sigmoid", "Softplus", "Swish", "Tanh"};
    tacho_dtype dtype = tacho_dtype_find(tacho_str_from_cstring(argc > 1 ? argv[1] : "f32"));
    if (tacho_element_kind(dtype) != TACHO_DTYPE_REAL) {
        fprintf(stderr, "usage: run_functions [f32|f16|bf16]\n");
        return 2;
    }
    tacho_array input = {dtype, {1, {COUNT}}, calloc(COUNT, sizeof(double))};
    tacho_array output = {dtype, {1, {COUNT}}, calloc(COUNT, sizeof(double))};
    unsigned char bytes[8] = {0};
    tacho_array power = {dtype, {0, {0}}, bytes};
    if (input.data == NULL || output.data == NULL) {
        return 1;
    }
    tacho_set_real(&power, 0, 2.5);
    for (int64_t i = 0; i < COUNT; i++) {
        tacho_set_real(&input, i, ((double)(i * 7919 % COUNT) - COUNT / 2) / 8192);
    }
    printf("| %s, ns per element | Reference | Quick |\n|---|---|---|\n", tacho_dtype_name(dtype));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        print_row(names[i], &input, &power, &output);
    }
    free(input.data);
    free(output.data);
    return 0;
}
