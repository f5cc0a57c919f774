/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole models through the reference kernels, against the outputs that come with them:
 *
 *     golden_models FOLDER [NAME] [--fast]
 *
 * FOLDER/light has models whose weights are constants, with the outputs for an input of i/n as
 * element i of n; reals agree within 1e-3. FOLDER/mobilenetv2_qdq.onnx is a quantised one with
 * input and output: every score must be the same. With --fast, models are compiled and executed
 * with fast kernels instead. Prints a line for each with its time. Exits with 77 when there
 * are none.
 */
#include "compile/compile.h"
#include "device/execute.h"
#include "graph/evaluate.h"
#include "graph/model.h"
#include "kernels/element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { PATH_BYTES = 4096 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static tacho_status load(tacho_graph *values, const char *path, tacho_array *out_array)
{
    uint32_t id;
    uint64_t bytes;
    TACHO_TRY(tacho_onnx_tensor_file(values, path, &id));
    const tacho_tensor *tensor = &values->tensors[id];
    *out_array = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
    if (tensor->constant == TACHO_NONE || !tacho_tensor_bytes(tensor, &bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: no values", path);
    }
    TACHO_TRY(tacho_arena_alloc(&values->arena, (size_t)bytes, &out_array->data));
    tacho_constant_expand(&values->constants[tensor->constant], tensor, out_array->data);
    return TACHO_OK;
}

/* Element i of n is i/n. */
static tacho_status make_ramp(tacho_graph *values, const tacho_tensor *tensor,
                              tacho_array *out_array)
{
    uint64_t bytes;
    *out_array = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
    if (tensor->dtype != TACHO_DTYPE_F32 || !tacho_tensor_bytes(tensor, &bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the input is not f32");
    }
    TACHO_TRY(tacho_arena_alloc(&values->arena, (size_t)bytes, &out_array->data));
    int64_t count = tacho_array_elements(out_array);
    for (int64_t i = 0; i < count; i++) {
        ((float *)out_array->data)[i] = (float)((double)i / (double)count);
    }
    return TACHO_OK;
}

/* How far they are apart at most; and whether the greatest is the same. */
static double distance(const tacho_array *found, const tacho_array *expected, bool *out_same_top)
{
    int64_t count = tacho_array_elements(found), top = 0, expected_top = 0;
    const float *a = found->data, *b = expected->data;
    double worst = 0;
    *out_same_top = false;
    if (found->dtype != TACHO_DTYPE_F32 || expected->dtype != TACHO_DTYPE_F32 ||
        !tacho_shape_equal(&found->shape, &expected->shape)) {
        return (double)INFINITY;
    }
    for (int64_t i = 0; i < count; i++) {
        double away = fabs((double)a[i] - (double)b[i]);
        worst = away > worst || isnan(away) ? away : worst;
        top = a[i] > a[top] ? i : top;
        expected_top = b[i] > b[expected_top] ? i : expected_top;
    }
    *out_same_top = top == expected_top;
    return worst;
}

/* The output, in memory that is the caller's. */
static tacho_status copy_output(tacho_execution *execution, tacho_array *out_found)
{
    tacho_array output;
    uint64_t count, bytes = 0;
    TACHO_TRY(tacho_execution_output(execution, 0, &output));
    if (!tacho_shape_elements(&output.shape, &count) ||
        !tacho_dtype_bytes(output.dtype, count, &bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the output has no shape");
    }
    *out_found = output;
    out_found->data = malloc((size_t)bytes + 1);
    if (out_found->data != NULL) {
        memcpy(out_found->data, output.data, (size_t)bytes);
    }
    return out_found->data != NULL ? TACHO_OK : tacho_fail(TACHO_CODE_NO_MEMORY, "no memory");
}

/* The same as tacho_graph_evaluate, by a program and fast kernels. */
static tacho_status execute(const tacho_graph *graph, const tacho_array *input,
                            tacho_array *out_found)
{
    tacho_fusion fusion;
    tacho_estimate estimate;
    tacho_program program;
    tacho_arena arena;
    tacho_machine *machine;
    tacho_execution *execution = NULL;
    tacho_compile_options options = {.has_values = true};
    tacho_arena_init(&arena);
    tacho_status status = tacho_fusion_init(&fusion, graph);
    status = status != TACHO_OK ? status
                                : tacho_machine_find(tacho_machine_builtin(0), &arena, &machine);
    if (status == TACHO_OK) {
        status = tacho_compile_program(&fusion, machine, &options, &estimate, &program);
        status = status != TACHO_OK
                     ? status
                     : tacho_execution_create(&program, TACHO_KERNELS_FAST, 1, &execution);
        status = status != TACHO_OK ? status : tacho_execution_set_input(execution, 0, input);
        status = status != TACHO_OK ? status : tacho_execution_run(execution);
        status = status != TACHO_OK ? status : copy_output(execution, out_found);
        tacho_execution_free(execution);
        tacho_program_deinit(&program);
        tacho_estimate_deinit(&estimate);
    }
    tacho_fusion_deinit(&fusion);
    tacho_arena_deinit(&arena);
    return status;
}

static bool is_fast; /* --fast */

static tacho_status run(const char *path, const char *input_path, const char *output_path,
                        tacho_graph *graph, tacho_graph *values, bool *out_is_fine)
{
    tacho_model_dim dim = {TACHO_STR("batch"), 1};
    tacho_model_options options = {.dims = &dim, .dim_count = input_path == NULL ? 0 : 1};
    tacho_array input, expected, found = {0};
    double start = now();
    *out_is_fine = false;
    TACHO_TRY(tacho_model_read(path, &options, graph));
    if (graph->input_count != 1 || graph->output_count != 1) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: not one input and one output", path);
    }
    TACHO_TRY(input_path == NULL ? make_ramp(values, &graph->tensors[graph->inputs[0]], &input)
                                 : load(values, input_path, &input));
    TACHO_TRY(load(values, output_path, &expected));
    tacho_status status =
        is_fast ? execute(graph, &input, &found) : tacho_graph_evaluate(graph, &input, 1, &found);
    if (status == TACHO_OK) {
        bool is_same_top;
        double away = distance(&found, &expected, &is_same_top);
        double scale = fabs((double)((const float *)expected.data)[0]);
        *out_is_fine = input_path == NULL ? away <= 1e-3 * scale : is_same_top && away == 0;
        printf("%s %s: within %.3g%s, %.2f s\n", *out_is_fine ? "passed" : "FAILED", path, away,
               input_path == NULL ? ""
               : is_same_top      ? ", same top"
                                  : ", another top",
               now() - start);
    }
    tacho_arrays_free(&found, 1);
    return status;
}

/* False when it is there and wrong. */
static bool check(const char *path, const char *input_path, const char *output_path,
                  unsigned *out_count)
{
    struct stat info;
    bool is_fine = false;
    tacho_graph graph, values;
    if (stat(path, &info) != 0) {
        return true;
    }
    (*out_count)++;
    tacho_status status = tacho_graph_init(&graph);
    status = tacho_status_first(status, tacho_graph_init(&values));
    if (status == TACHO_OK) {
        status = run(path, input_path, output_path, &graph, &values, &is_fine);
    }
    if (status != TACHO_OK) {
        printf("FAILED %s: %s\n", path, tacho_status_message(status));
        tacho_status_free(status);
    }
    tacho_graph_deinit(&graph);
    tacho_graph_deinit(&values);
    return is_fine;
}

int main(int argc, char **argv)
{
    static const char *const light[] = {"bvlc_alexnet", "densenet121", "inception_v1",
                                        "inception_v2", "resnet50",    "shufflenet",
                                        "squeezenet",   "vgg19",       "zfnet512"};
    char path[PATH_BYTES], input[PATH_BYTES], output[PATH_BYTES];
    unsigned count = 0;
    bool is_fine = true;
    if (argc > 2 && strcmp(argv[argc - 1], "--fast") == 0) {
        is_fast = true;
        argc--;
    }
    if (argc < 2) {
        printf("usage: golden_models FOLDER [NAME] [--fast]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof(light) / sizeof(light[0]); i++) {
        snprintf(path, sizeof(path), "%s/light/light_%s.onnx", argv[1], light[i]);
        snprintf(output, sizeof(output), "%s/light/light_%s_output_0.pb", argv[1], light[i]);
        if (argc < 3 || strcmp(argv[2], light[i]) == 0) {
            is_fine = check(path, NULL, output, &count) && is_fine;
        }
    }
    snprintf(path, sizeof(path), "%s/mobilenetv2_qdq.onnx", argv[1]);
    snprintf(input, sizeof(input), "%s/mobilenetv2_qdq_test_data_set_0_input_0.pb", argv[1]);
    snprintf(output, sizeof(output), "%s/mobilenetv2_qdq_test_data_set_0_output_0.pb", argv[1]);
    if (argc < 3 || strcmp(argv[2], "mobilenetv2_qdq") == 0) {
        is_fine = check(path, input, output, &count) && is_fine;
    }
    if (count == 0) {
        printf("skip: no models here\n");
        return 77;
    }
    return is_fine ? 0 : 1;
}
