/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models through the compiler and an execution, against the graph's own evaluation:
 *
 *     execute_models [--fast] [--tolerance T] [--random SEED] [--at-least N] [--dim NAME=N]...
 *                    [--quiet] FILE...
 *
 * Inputs are seeded-random. With reference kernels every bit is the same; with --fast reals agree
 * within T times the largest of the tensor (1e-4), integers exactly. --random gives models other
 * weights. Each model runs twice, the second time op by op. Prints a line for each: what became of
 * its steps, and the most memory against the least possible. A model that is not
 * compiled, evaluated or executed for what it is, is "unsupported". Exits with 1 when one fails or
 * fewer than N agree, with 77 when no file is there.
 */
#include "compile/compile.h"
#include "device/execute.h"
#include "graph/evaluate.h"
#include "graph/gate.h"
#include "graph/model.h"
#include "kernels/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { INPUTS_MAX = 64, DIMS_MAX = 8 };

typedef struct settings {
    tacho_model_dim dims[DIMS_MAX];
    tacho_model_options model;
    tacho_kernel_choice choice;
    double tolerance;
    unsigned at_least;
    bool is_quiet;
} settings;

typedef struct subject {
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_estimate estimate;
    tacho_program program;
    tacho_arena arena;
    tacho_array inputs[INPUTS_MAX], expected[INPUTS_MAX];
    tacho_execution *execution;
} subject;

/* Integers are small, so that they can be places of rows. */
static tacho_status make_inputs(subject *self)
{
    tacho_graph *graph = &self->graph;
    if (graph->input_count > INPUTS_MAX || graph->output_count > INPUTS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "too many inputs or outputs");
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[graph->inputs[i]];
        tacho_array *to = &self->inputs[i];
        uint64_t bytes;
        *to = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
        if (!tacho_tensor_bytes(tensor, &bytes)) {
            return tacho_fail(TACHO_CODE_UNSUPPORTED, "an input's shape is not known");
        }
        TACHO_TRY(tacho_arena_alloc(&self->arena, (size_t)bytes, &to->data));
        tacho_random_fill(tensor->dtype, i + 1, bytes, to->data);
        for (uint64_t j = 0; tensor->dtype == TACHO_DTYPE_I64 && j < bytes / 8; j++) {
            ((int64_t *)to->data)[j] &= 1;
        }
        for (uint64_t j = 0; tensor->dtype == TACHO_DTYPE_F32 && j < bytes / 4; j++) {
            ((float *)to->data)[j] *= 8;
        }
    }
    return TACHO_OK;
}

static tacho_status compile(subject *self, const settings *wanted, const char *path)
{
    tacho_machine *machine;
    tacho_compile_options options = {.has_values = true};
    TACHO_TRY(tacho_model_read(path, &wanted->model, &self->graph));
    TACHO_TRY(tacho_fusion_init(&self->fusion, &self->graph));
    TACHO_TRY(tacho_machine_find(tacho_machine_builtin(0), &self->arena, &machine));
    TACHO_TRY(
        tacho_compile_program(&self->fusion, machine, &options, &self->estimate, &self->program));
    return make_inputs(self);
}

static double largest_of(const tacho_array *array)
{
    double largest = 0;
    for (int64_t i = 0; i < tacho_array_elements(array); i++) {
        double value;
        tacho_read_reals(array, i, 1, 1, &value);
        largest = isfinite(value) && fabs(value) > largest ? fabs(value) : largest;
    }
    return largest;
}

/* How far the two are apart, in parts of the largest; 0 when all bits are the same. */
static double distance(const tacho_array *found, const tacho_array *expected)
{
    uint64_t count = 0, bytes = 0;
    if (found->dtype != expected->dtype || !tacho_shape_equal(&found->shape, &expected->shape) ||
        !tacho_shape_elements(&found->shape, &count) ||
        !tacho_dtype_bytes(found->dtype, count, &bytes)) {
        return (double)INFINITY;
    }
    if (bytes == 0 || memcmp(found->data, expected->data, (size_t)bytes) == 0) {
        return 0;
    }
    if (tacho_element_kind(found->dtype) != TACHO_DTYPE_REAL) {
        return (double)INFINITY;
    }
    double largest = largest_of(expected), worst = 0x1p-1000;
    for (int64_t i = 0; i < tacho_array_elements(found); i++) {
        double a, b;
        tacho_read_reals(found, i, 1, 1, &a);
        tacho_read_reals(expected, i, 1, 1, &b);
        double away = (isnan(a) && isnan(b)) || a == b ? 0 : fabs(a - b) / largest;
        worst = away > worst || isnan(away) ? away : worst;
    }
    return worst;
}

static tacho_status run_execution(subject *self, bool is_by_op, double *out_distance)
{
    for (size_t i = 0; i < self->graph.input_count; i++) {
        TACHO_TRY(tacho_execution_set_input(self->execution, i, &self->inputs[i]));
    }
    if (is_by_op && self->program.op_count > 0) {
        for (uint32_t i = 0; i < self->program.op_count; i++) {
            TACHO_TRY(tacho_execution_run_op(self->execution, i));
        }
    } else {
        TACHO_TRY(tacho_execution_run(self->execution));
    }
    *out_distance = 0;
    for (size_t i = 0; i < self->graph.output_count; i++) {
        tacho_array found;
        TACHO_TRY(tacho_execution_output(self->execution, i, &found));
        double away = distance(&found, &self->expected[i]);
        *out_distance = away > *out_distance || isnan(away) ? away : *out_distance;
    }
    return TACHO_OK;
}

/* Its distances of two runs; |out_is_ours| from where on a failure is the execution's. */
static tacho_status run(subject *self, const settings *wanted, const char *path,
                        double out_distances[2], bool *out_is_ours)
{
    TACHO_TRY(compile(self, wanted, path));
    TACHO_TRY(
        tacho_graph_evaluate(&self->graph, self->inputs, self->graph.input_count, self->expected));
    *out_is_ours = true;
    tacho_execution_options how = {wanted->choice, 1, &tacho_infer_gate, 0, NULL, 0, 0};
    TACHO_TRY(tacho_execution_open(&self->program, &how, &self->execution));
    TACHO_TRY(run_execution(self, false, &out_distances[0]));
    return run_execution(self, true, &out_distances[1]);
}

typedef enum outcome { AGREES, FAILED, UNSUPPORTED, OUTCOMES } outcome;

static outcome check(const char *path, const settings *wanted)
{
    static subject self;
    double away[2] = {0, 0};
    bool is_ours = false;
    memset(&self, 0, sizeof(self));
    tacho_arena_init(&self.arena);
    tacho_status status = tacho_graph_init(&self.graph);
    status = status != TACHO_OK ? status : run(&self, wanted, path, away, &is_ours);
    bool is_refused = !is_ours || tacho_status_code(status) == TACHO_CODE_UNSUPPORTED;
    bool is_close = away[0] <= wanted->tolerance && away[1] <= wanted->tolerance;
    outcome result = status == TACHO_OK && is_close     ? AGREES
                     : status != TACHO_OK && is_refused ? UNSUPPORTED
                                                        : FAILED;
    if (status != TACHO_OK) {
        printf("%s %s: %s\n", result == FAILED ? "FAILED" : "unsupported", path,
               tacho_status_message(status));
    } else if (!wanted->is_quiet || result == FAILED) {
        tacho_execution_counts counts = tacho_execution_count(self.execution);
        printf("%s %s: within %.3g and %.3g; steps: %u fast in %u kernels, %u reference, %u free; "
               "%u reorders; %" PRIu64 " bytes\n",
               result == AGREES ? "agrees" : "FAILED", path, away[0], away[1], counts.fast,
               counts.kernels, counts.reference, counts.free, counts.reorders,
               tacho_execution_peak_bytes(self.execution));
    }
    tacho_status_free(status);
    tacho_arrays_free(self.expected, self.graph.output_count);
    tacho_execution_free(self.execution);
    tacho_program_deinit(&self.program);
    tacho_estimate_deinit(&self.estimate);
    tacho_fusion_deinit(&self.fusion);
    tacho_graph_deinit(&self.graph);
    tacho_arena_deinit(&self.arena);
    return result;
}

/* Whether |argument| is an option; those with a value take it from |value|. */
static bool take_option(settings *wanted, const char *argument, const char *value, int *out_taken)
{
    *out_taken = 2;
    if (strcmp(argument, "--tolerance") == 0 && value != NULL) {
        wanted->tolerance = strtod(value, NULL);
    } else if (strcmp(argument, "--at-least") == 0 && value != NULL) {
        wanted->at_least = (unsigned)strtoul(value, NULL, 10);
    } else if (strcmp(argument, "--random") == 0 && value != NULL) {
        wanted->model.has_random_weights = true;
        wanted->model.seed = strtoull(value, NULL, 10);
    } else if (strcmp(argument, "--dim") == 0 && value != NULL && strchr(value, '=') != NULL &&
               wanted->model.dim_count < DIMS_MAX) {
        const char *equals = strchr(value, '=');
        wanted->dims[wanted->model.dim_count++] =
            (tacho_model_dim){tacho_str_make(value, (size_t)(equals - value)), atoll(equals + 1)};
    } else {
        *out_taken = 1;
        wanted->is_quiet = wanted->is_quiet || strcmp(argument, "--quiet") == 0;
        if (strcmp(argument, "--fast") == 0) {
            wanted->choice = TACHO_KERNELS_FAST;
            wanted->tolerance = wanted->tolerance == 0 ? 1e-4 : wanted->tolerance;
        } else if (strcmp(argument, "--quiet") != 0) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static settings all = {.choice = TACHO_KERNELS_REFERENCE};
    unsigned counts[OUTCOMES] = {0};
    all.model.dims = all.dims;
    for (int i = 1, taken; i < argc; i += taken) {
        struct stat info;
        if (!take_option(&all, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &taken) &&
            stat(argv[i], &info) == 0) {
            counts[check(argv[i], &all)]++;
        }
    }
    printf("all agree=%u failed=%u unsupported=%u\n", counts[AGREES], counts[FAILED],
           counts[UNSUPPORTED]);
    if (counts[AGREES] + counts[FAILED] + counts[UNSUPPORTED] == 0) {
        return 77;
    }
    return counts[FAILED] > 0 || counts[AGREES] < all.at_least ? 1 : 0;
}
