/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a model's values and says how long a run takes:
 *
 *     run_model MODEL [--reference] [--threads N] [--repeat N] [--dim NAME=N]... [--ops] [--cpu]
 *               [--input FILE]... [--save FOLDER]
 *
 * Inputs are seeded-random unless files of raw elements give them, one for each; --save writes the
 * elements of all inputs and outputs as FOLDER/input_0.bin and so on, and FOLDER/values.json, which
 * says their names, types and shapes. Prints, with tabs between: the model, milliseconds of the
 * fastest run and of the median, runs, steps in fast and in reference kernels, reorders, bytes of
 * activations. With --cpu, times are the processor's, all threads together, whoever else is at
 * work. With --ops, a line for each op: milliseconds of its fastest run, GFLOP/s, type, name.
 */
#include "compile/compile.h"
#include "device/execute.h"
#include "graph/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DIMS_MAX = 8, INPUTS_MAX = 16 };

typedef struct request {
    tacho_model_dim dims[DIMS_MAX];
    tacho_model_options model;
    const char *path, *folder;
    const char *inputs[INPUTS_MAX];
    size_t input_count;
    tacho_kernel_choice choice;
    uint32_t threads;
    size_t repeat;
    bool has_ops;
} request;

static clockid_t clock_used = CLOCK_MONOTONIC; /* --cpu: another */

static double now(void)
{
    struct timespec time;
    clock_gettime(clock_used, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static tacho_status read_file(const char *path, void *to, size_t bytes)
{
    FILE *file = fopen(path, "rb");
    size_t got = file == NULL ? 0 : fread(to, 1, bytes, file);
    if (file != NULL) {
        fclose(file);
    }
    return got == bytes
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_IO, "%s: expected %zu bytes, found %zu", path, bytes, got);
}

static tacho_status set_inputs(const request *wanted, const tacho_program *program,
                               tacho_execution *execution, tacho_arena *arena,
                               tacho_array *out_inputs)
{
    if (program->input_count > INPUTS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "more than %d inputs", INPUTS_MAX);
    }
    for (size_t i = 0; i < program->input_count; i++) {
        const tacho_program_tensor *tensor = &program->tensors[program->inputs[i]];
        tacho_array array = {.dtype = (tacho_dtype)tensor->dtype,
                             .shape = *tacho_program_shape(program, tensor)};
        TACHO_TRY(tacho_arena_alloc(arena, (size_t)tensor->bytes, &array.data));
        if (i < wanted->input_count) {
            TACHO_TRY(read_file(wanted->inputs[i], array.data, (size_t)tensor->bytes));
        } else {
            tacho_random_fill(array.dtype, i + 1, tensor->bytes, array.data);
            for (uint64_t j = 0; tensor->dtype == TACHO_DTYPE_I64 && j < tensor->bytes / 8; j++) {
                ((int64_t *)array.data)[j] &= 1;
            }
        }
        out_inputs[i] = array;
        TACHO_TRY(tacho_execution_set_input(execution, i, &array));
    }
    return TACHO_OK;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static tacho_status time_runs(const request *wanted, const tacho_program *program,
                              tacho_execution *execution, double *times, double *op_times)
{
    for (size_t i = 0; i < wanted->repeat; i++) {
        double start = now(), before = start;
        for (uint32_t op = 0; op < program->op_count; op++) {
            TACHO_TRY(tacho_execution_run_op(execution, op));
            if (wanted->has_ops) {
                double after = now(), took = after - before;
                op_times[op] = i == 0 || took < op_times[op] ? took : op_times[op];
                before = after;
            }
        }
        times[i] = now() - start;
    }
    qsort(times, wanted->repeat, sizeof(*times), by_size);
    return TACHO_OK;
}

static void print_ops(const tacho_program *program, const double *op_times)
{
    for (size_t i = 0; i < program->op_count; i++) {
        const tacho_program_op *op = &program->ops[i];
        printf("op\t%.4f\t%.1f\t%s\t%s\n", op_times[i], 2 * (double)op->macs / (op_times[i] * 1e6),
               tacho_strings_get(&program->strings, op->type).data,
               tacho_strings_get(&program->strings, op->name).data);
    }
}

static tacho_status write_file(const char *folder, const char *kind, size_t i, const void *from,
                               size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s_%zu.bin", folder, kind, i);
    FILE *file = fopen(path, "wb");
    bool is_done = file != NULL && fwrite(from, 1, bytes, file) == bytes;
    if (file != NULL) {
        is_done = fclose(file) == 0 && is_done;
    }
    return is_done ? TACHO_OK : tacho_fail(TACHO_CODE_IO, "%s: cannot write", path);
}

static void list_value(FILE *list, const tacho_program *program, uint32_t id, bool is_first)
{
    const tacho_program_tensor *tensor = &program->tensors[id];
    fprintf(list, "%s{\"name\": \"%s\", \"type\": \"%s\", \"dims\": [", is_first ? "" : ", ",
            tacho_strings_get(&program->strings, tensor->name).data,
            tacho_dtype_name((tacho_dtype)tensor->dtype));
    const tacho_shape *shape = tacho_program_shape(program, tensor);
    for (int32_t i = 0; i < shape->rank; i++) {
        fprintf(list, "%s%" PRId64, i == 0 ? "" : ", ", shape->dims[i]);
    }
    fprintf(list, "]}");
}

static tacho_status save_values(const request *wanted, const tacho_program *program,
                                tacho_execution *execution, const tacho_array *inputs)
{
    char path[4096];
    for (size_t i = 0; i < program->input_count; i++) {
        TACHO_TRY(write_file(wanted->folder, "input", i, inputs[i].data,
                             (size_t)program->tensors[program->inputs[i]].bytes));
    }
    for (size_t i = 0; i < program->output_count; i++) {
        tacho_array output;
        TACHO_TRY(tacho_execution_output(execution, i, &output));
        TACHO_TRY(write_file(wanted->folder, "output", i, output.data,
                             (size_t)program->tensors[program->outputs[i]].bytes));
    }
    snprintf(path, sizeof(path), "%s/values.json", wanted->folder);
    FILE *list = fopen(path, "w");
    if (list == NULL) {
        return tacho_fail(TACHO_CODE_IO, "%s: cannot write", path);
    }
    fprintf(list, "{\"inputs\": [");
    for (size_t i = 0; i < program->input_count; i++) {
        list_value(list, program, program->inputs[i], i == 0);
    }
    fprintf(list, "], \"outputs\": [");
    for (size_t i = 0; i < program->output_count; i++) {
        list_value(list, program, program->outputs[i], i == 0);
    }
    fprintf(list, "]}\n");
    return fclose(list) == 0 ? TACHO_OK : tacho_fail(TACHO_CODE_IO, "%s: cannot write", path);
}

static tacho_status run_program(const request *wanted, const tacho_program *program,
                                tacho_arena *arena)
{
    tacho_execution *execution;
    tacho_array inputs[INPUTS_MAX];
    double *times = calloc(wanted->repeat + program->op_count + 1, sizeof(*times));
    if (times == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
    }
    double *op_times = times + wanted->repeat;
    tacho_status status =
        tacho_execution_create(program, wanted->choice, wanted->threads, &execution);
    status = status != TACHO_OK ? status : set_inputs(wanted, program, execution, arena, inputs);
    status = status != TACHO_OK ? status : tacho_execution_run(execution);
    status = status != TACHO_OK ? status : time_runs(wanted, program, execution, times, op_times);
    if (status == TACHO_OK) {
        tacho_execution_counts counts = tacho_execution_count(execution);
        printf("%s\t%.3f\t%.3f\t%zu\t%u\t%u\t%u\t%" PRIu64 "\n", wanted->path, times[0],
               times[wanted->repeat / 2], wanted->repeat, counts.fast, counts.reference,
               counts.reorders, tacho_execution_peak_bytes(execution));
        if (wanted->has_ops) {
            print_ops(program, op_times);
        }
        status =
            wanted->folder == NULL ? TACHO_OK : save_values(wanted, program, execution, inputs);
    }
    tacho_execution_free(execution);
    free(times);
    return status;
}

static tacho_status run_model(const request *wanted)
{
    tacho_graph graph;
    tacho_fusion fusion = {0};
    tacho_estimate estimate = {0};
    tacho_program program = {0};
    tacho_arena arena;
    tacho_machine *machine;
    tacho_compile_options options = {.has_values = true};
    tacho_arena_init(&arena);
    tacho_status status = tacho_graph_init(&graph);
    status = status != TACHO_OK ? status : tacho_model_read(wanted->path, &wanted->model, &graph);
    status = status != TACHO_OK ? status : tacho_fusion_init(&fusion, &graph);
    status = status != TACHO_OK ? status
                                : tacho_machine_find(tacho_machine_builtin(0), &arena, &machine);
    if (status == TACHO_OK) {
        status = tacho_compile_program(&fusion, machine, &options, &estimate, &program);
        status = status != TACHO_OK ? status : run_program(wanted, &program, &arena);
        tacho_program_deinit(&program);
        tacho_estimate_deinit(&estimate);
    }
    tacho_fusion_deinit(&fusion);
    tacho_graph_deinit(&graph);
    tacho_arena_deinit(&arena);
    return status;
}

static bool take_value(request *wanted, const char *name, const char *value)
{
    const char *equals = strchr(value, '=');
    if (strcmp(name, "--threads") == 0) {
        wanted->threads = (uint32_t)strtoul(value, NULL, 10);
    } else if (strcmp(name, "--repeat") == 0) {
        wanted->repeat = strtoull(value, NULL, 10);
    } else if (strcmp(name, "--save") == 0) {
        wanted->folder = value;
    } else if (strcmp(name, "--input") == 0 && wanted->input_count < INPUTS_MAX) {
        wanted->inputs[wanted->input_count++] = value;
    } else if (strcmp(name, "--dim") == 0 && equals != NULL && wanted->model.dim_count < DIMS_MAX) {
        wanted->dims[wanted->model.dim_count++] =
            (tacho_model_dim){tacho_str_make(value, (size_t)(equals - value)), atoll(equals + 1)};
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static request wanted = {.threads = 1, .repeat = 10};
    bool is_fine = true;
    wanted.model.dims = wanted.dims;
    for (int i = 1; i < argc && is_fine; i++) {
        if (strcmp(argv[i], "--ops") == 0) {
            wanted.has_ops = true;
        } else if (strcmp(argv[i], "--cpu") == 0) {
            clock_used = CLOCK_PROCESS_CPUTIME_ID;
        } else if (strcmp(argv[i], "--reference") == 0) {
            wanted.choice = TACHO_KERNELS_REFERENCE;
        } else if (argv[i][0] == '-') {
            is_fine = i + 1 < argc && take_value(&wanted, argv[i], argv[i + 1]);
            i++;
        } else {
            wanted.path = argv[i];
        }
    }
    if (!is_fine || wanted.path == NULL || wanted.repeat < 1 || wanted.repeat > 1000000) {
        fprintf(stderr, "usage: run_model MODEL [--reference] [--threads N] [--repeat N] [--dim "
                        "NAME=N]... [--ops] [--cpu] [--input FILE]... [--save FOLDER]\n");
        return 2;
    }
    tacho_status status = run_model(&wanted);
    if (status != TACHO_OK) {
        fprintf(stderr, "run_model: %s\n", tacho_status_message(status));
        tacho_status_free(status);
        return 1;
    }
    return 0;
}
