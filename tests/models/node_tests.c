/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The standard's own operator tests through our reader, inference and reference kernels; with
 * --fast through the compiler and an execution with fast kernels:
 *
 *     node_tests [--fast] [--at-least N] [--verbose] [--page] FOLDER...
 *
 * Each FOLDER has a folder per test: model.onnx and test_data_set_*, with inputs and outputs as
 * files of one tensor each. Outputs are compared as the onnx package does: integers exactly, reals
 * within |expected| * 1e-3 + 1e-7; bf16 within one unit of the last place, as those of the files
 * were cut off and not rounded; of spectra within 1e-8 of the largest element, as those of the
 * files have noise of f32 where they are 0. Prints a line for each operator (of a model with
 * several, its first is taken with a plus): passed, failed, unsupported; and what of these and why.
 * With --fast, also how many steps ran fast kernels; what the compiler refuses is unsupported.
 * --page prints docs/operators.md instead: all kernels, with what passing tests used of them. Exits
 * with 1 when a test fails or fewer than N pass, with 77 when no folder is there.
 */
#include "compile/compile.h"
#include "device/execute.h"
#include "graph/evaluate.h"
#include "graph/gate.h"
#include "graph/model.h"
#include "graph/op_def.h"
#include "kernels/element.h"
#include "kernels/kernel.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    FILES_MAX = 64,
    OPERATORS_MAX = 512,
    PATH_MAX_BYTES = 4200,
    DIMS_MAX = 512,
    NAME_BYTES = 64
};

typedef enum outcome { PASSED, FAILED, UNSUPPORTED, OUTCOMES } outcome;

typedef struct operator_row {
    char name[NAME_BYTES];
    unsigned counts[OUTCOMES];
} operator_row;

/* What passing tests used of a kernel. */
typedef struct usage {
    const tacho_kernel *kernel;
    unsigned tests;
    int32_t first_opset, last_opset;
    bool has_dtype[TACHO_DTYPE_COUNT];
} usage;

typedef struct tally {
    operator_row rows[OPERATORS_MAX];
    size_t row_count;
    unsigned counts[OUTCOMES];
    bool is_verbose, is_page, is_fast;
    tacho_execution_counts steps; /* of executions */
    usage usages[OPERATORS_MAX];
    size_t usage_count;
} tally;

/* The values of one data set. */
typedef struct data_set {
    tacho_graph values; /* holds them */
    tacho_array inputs[FILES_MAX], outputs[FILES_MAX];
    char names[FILES_MAX][128]; /* of inputs, as their files say */
    size_t input_count, output_count;
    bool is_odd; /* a file that is no tensor */
} data_set;

/* ---- values -------------------------------------------------------------------------------- */

/* A tensor of a file as an array; data is NULL where the file is of something else. */
static tacho_status load(data_set *set, const char *path, tacho_array *out_array, char *name)
{
    uint32_t id;
    *out_array = (tacho_array){0};
    TACHO_TRY(tacho_onnx_tensor_file(&set->values, path, &id));
    const tacho_tensor *tensor = &set->values.tensors[id];
    uint64_t bytes;
    *out_array = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
    snprintf(name, 128, "%s", tacho_graph_string(&set->values, tensor->name).data);
    if (tensor->constant == TACHO_NONE || !tacho_tensor_bytes(tensor, &bytes)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_alloc(&set->values.arena, (size_t)bytes, &out_array->data));
    tacho_constant_expand(&set->values.constants[tensor->constant], tensor, out_array->data);
    return TACHO_OK;
}

static size_t load_all(data_set *set, const char *folder, const char *kind, tacho_array *arrays)
{
    size_t count = 0;
    for (; count < FILES_MAX; count++) {
        char path[PATH_MAX_BYTES + 64], name[128] = "";
        struct stat info;
        snprintf(path, sizeof(path), "%s/%s_%zu.pb", folder, kind, count);
        if (stat(path, &info) != 0) {
            break;
        }
        tacho_status status = load(set, path, &arrays[count], name);
        set->is_odd = set->is_odd || status != TACHO_OK || arrays[count].data == NULL;
        tacho_status_free(status);
        if (arrays == set->inputs) {
            snprintf(set->names[count], sizeof(set->names[count]), "%s", name);
        }
    }
    return count;
}

/* ---- comparison ---------------------------------------------------------------------------- */

static bool is_near(double found, double expected, double relative, double absolute)
{
    if (isnan(expected) || isnan(found)) {
        return isnan(expected) && isnan(found);
    }
    return found == expected || fabs(found - expected) <= absolute + relative * fabs(expected);
}

static double largest_of(const tacho_array *array)
{
    double largest = 0;
    for (int64_t i = 0, count = tacho_array_elements(array); i < count; i++) {
        double value;
        tacho_read_reals(array, i, 1, 1, &value);
        largest = fabs(value) > largest ? fabs(value) : largest;
    }
    return largest;
}

/* Whether they are the same; else |out_problem| says where not. */
static bool is_same(const tacho_array *found, const tacho_array *expected, bool is_spectrum,
                    char *out_problem, size_t size)
{
    char a[TACHO_SHAPE_TEXT_MAX], b[TACHO_SHAPE_TEXT_MAX];
    if (found->dtype != expected->dtype || !tacho_shape_equal(&found->shape, &expected->shape)) {
        snprintf(out_problem, size, "%s of %s, expected %s of %s",
                 tacho_shape_print(&found->shape, a, sizeof(a)), tacho_dtype_name(found->dtype),
                 tacho_shape_print(&expected->shape, b, sizeof(b)),
                 tacho_dtype_name(expected->dtype));
        return false;
    }
    int64_t count = tacho_array_elements(found);
    bool is_real = tacho_stored_kind(found->dtype) == TACHO_DTYPE_REAL;
    double relative = found->dtype == TACHO_DTYPE_BF16 ? 0x1p-7 : 1e-3;
    double absolute = 1e-7 + (is_spectrum ? 1e-8 * largest_of(expected) : 0);
    for (int64_t i = 0; i < count; i++) {
        double real[2];
        int64_t whole[2];
        if (is_real) {
            tacho_read_reals(found, i, 1, 1, &real[0]);
            tacho_read_reals(expected, i, 1, 1, &real[1]);
        } else {
            tacho_read_ints(found, i, 1, 1, &whole[0]);
            tacho_read_ints(expected, i, 1, 1, &whole[1]);
        }
        if (is_real ? !is_near(real[0], real[1], relative, absolute) : whole[0] != whole[1]) {
            snprintf(out_problem, size, "element %lld of %lld is %.9g, expected %.9g", (long long)i,
                     (long long)count, is_real ? real[0] : (double)whole[0],
                     is_real ? real[1] : (double)whole[1]);
            return false;
        }
    }
    return true;
}

/* ---- one test ------------------------------------------------------------------------------ */

/* "Conv", or "Add+" for one with several operators. */
static void operator_name(const tacho_graph *graph, char *to, size_t size)
{
    bool has_more = false;
    for (size_t i = 1; i < graph->node_count; i++) {
        has_more = has_more || graph->nodes[i].type != graph->nodes[0].type;
    }
    snprintf(to, size, "%s%s",
             graph->node_count == 0 ? "(none)"
                                    : tacho_graph_string(graph, graph->nodes[0].type).data,
             has_more ? "+" : "");
}

static bool is_spectrum(const tacho_graph *graph)
{
    return graph->node_count == 1 &&
           tacho_str_equal(tacho_graph_string(graph, graph->nodes[0].type), TACHO_STR("DFT"));
}

/* Values for what only they tell: how often a loop runs. */
static tacho_status give_input(void *self, const tacho_graph *graph, size_t index,
                               tacho_array *out_value)
{
    const data_set *set = self;
    const tacho_tensor *tensor = &graph->tensors[graph->inputs[index]];
    if (index >= set->input_count || set->inputs[index].data == NULL ||
        set->inputs[index].dtype != tensor->dtype ||
        !tacho_shape_equal(&set->inputs[index].shape, tensor->shape)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "an input has another type or shape");
    }
    *out_value = set->inputs[index];
    return TACHO_OK;
}

static tacho_status read_model(const char *folder, data_set *set, tacho_graph *graph, bool has_dims)
{
    static char texts[DIMS_MAX][160];
    static tacho_model_dim dims[DIMS_MAX];
    const tacho_model_values values = {.self = set, .input = give_input};
    tacho_model_options options = {.dims = dims, .values = set->is_odd ? NULL : &values};
    for (size_t i = 0; has_dims && i < set->input_count; i++) {
        for (int32_t j = 0; set->names[i][0] != '\0' && j < set->inputs[i].shape.rank; j++) {
            if (options.dim_count < DIMS_MAX) {
                char *text = texts[options.dim_count];
                snprintf(text, sizeof(texts[0]), "%s.%d", set->names[i], (int)j);
                dims[options.dim_count++] =
                    (tacho_model_dim){tacho_str_from_cstring(text), set->inputs[i].shape.dims[j]};
            }
        }
    }
    char path[PATH_MAX_BYTES + 32];
    snprintf(path, sizeof(path), "%s/model.onnx", folder);
    return tacho_model_read(path, &options, graph);
}

static tacho_status take_shapes(tacho_graph *graph, const data_set *set)
{
    for (size_t i = 0; i < graph->input_count && i < set->input_count; i++) {
        TACHO_TRY(
            tacho_graph_set_shape(graph, &graph->tensors[graph->inputs[i]], &set->inputs[i].shape));
    }
    return TACHO_OK;
}

/* bf16 is written as u16 there. */
static void name_types(const tacho_graph *graph, const uint32_t *ids, size_t id_count,
                       tacho_array *arrays, size_t array_count)
{
    for (size_t i = 0; i < id_count && i < array_count; i++) {
        if (graph->tensors[ids[i]].dtype == TACHO_DTYPE_BF16 &&
            arrays[i].dtype == TACHO_DTYPE_U16) {
            arrays[i].dtype = TACHO_DTYPE_BF16;
        }
    }
}

/* Compares what an execution made, and counts its steps. */
static tacho_status compare_outputs(tally *all, const tacho_graph *graph, data_set *set,
                                    tacho_execution *execution, char *out_problem, size_t size)
{
    for (size_t i = 0; i < graph->input_count && i < set->input_count; i++) {
        TACHO_TRY(tacho_execution_set_input(execution, i, &set->inputs[i]));
    }
    TACHO_TRY(tacho_execution_run(execution));
    for (size_t i = 0; i < graph->output_count && out_problem[0] == '\0'; i++) {
        tacho_array found;
        char what[256];
        TACHO_TRY(tacho_execution_output(execution, i, &found));
        if (!is_same(&found, &set->outputs[i], is_spectrum(graph), what, sizeof(what))) {
            snprintf(out_problem, size, "output %zu: %s", i, what);
        }
    }
    tacho_execution_counts counts = tacho_execution_count(execution);
    all->steps.fast += counts.fast;
    all->steps.reference += counts.reference;
    all->steps.free += counts.free;
    return TACHO_OK;
}

/* The values by fast kernels; |out_problem| is empty when they are the expected ones. */
static tacho_status execute(tally *all, const tacho_graph *graph, data_set *set, char *out_problem,
                            size_t size)
{
    tacho_fusion fusion = {0};
    tacho_estimate estimate = {0};
    tacho_program program = {0};
    tacho_execution *execution = NULL;
    tacho_machine *machine;
    tacho_arena arena;
    tacho_compile_options options = {.has_values = true};
    tacho_arena_init(&arena);
    tacho_status status = tacho_fusion_init(&fusion, graph);
    status = status != TACHO_OK ? status
                                : tacho_machine_find(tacho_machine_builtin(0), &arena, &machine);
    status = status != TACHO_OK
                 ? status
                 : tacho_compile_program(&fusion, machine, &options, &estimate, &program);
    if (status != TACHO_OK) { /* what is not compiled is not executed */
        tacho_status why = tacho_fail(TACHO_CODE_UNSUPPORTED, "%s", tacho_status_message(status));
        tacho_status_free(status);
        status = why;
    } else {
        tacho_execution_options how = {TACHO_KERNELS_FAST, 1, &tacho_infer_gate, 0, NULL, 0, 0};
        status = tacho_execution_open(&program, &how, &execution);
    }
    out_problem[0] = '\0';
    status = status != TACHO_OK ? status
                                : compare_outputs(all, graph, set, execution, out_problem, size);
    tacho_execution_free(execution);
    tacho_program_deinit(&program);
    tacho_estimate_deinit(&estimate);
    tacho_fusion_deinit(&fusion);
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status evaluate(tacho_graph *graph, const data_set *set, char *out_problem,
                             size_t size)
{
    tacho_array outputs[FILES_MAX];
    out_problem[0] = '\0';
    TACHO_TRY(tacho_graph_evaluate(graph, set->inputs, set->input_count, outputs));
    for (size_t i = 0; out_problem[0] == '\0' && i < graph->output_count; i++) {
        char what[256];
        if (!is_same(&outputs[i], &set->outputs[i], is_spectrum(graph), what, sizeof(what))) {
            snprintf(out_problem, size, "output %zu: %s", i, what);
        }
    }
    tacho_arrays_free(outputs, graph->output_count);
    return TACHO_OK;
}

static outcome compare(tally *all, tacho_graph *graph, data_set *set, char *out_problem,
                       size_t size)
{
    if (graph->output_count > FILES_MAX || set->output_count < graph->output_count) {
        snprintf(out_problem, size, "%zu outputs, but %zu files", graph->output_count,
                 set->output_count);
        return FAILED;
    }
    name_types(graph, graph->inputs, graph->input_count, set->inputs, set->input_count);
    name_types(graph, graph->outputs, graph->output_count, set->outputs, set->output_count);
    tacho_status status = all->is_fast ? execute(all, graph, set, out_problem, size)
                                       : evaluate(graph, set, out_problem, size);
    outcome result = out_problem[0] == '\0' ? PASSED : FAILED;
    if (status != TACHO_OK) {
        result = tacho_status_code(status) == TACHO_CODE_UNSUPPORTED ? UNSUPPORTED : FAILED;
        const char *message = tacho_status_message(status), *node = strstr(message, ": node ");
        snprintf(out_problem, size, "%s", node == NULL ? message : node + 2);
        tacho_status_free(status);
    }
    return result;
}

/* Sequences, optionals and texts have no arrays. */
static bool is_all_tensors(const tacho_graph *graph)
{
    for (size_t i = 0; i < graph->input_count + graph->output_count; i++) {
        uint32_t id =
            i < graph->input_count ? graph->inputs[i] : graph->outputs[i - graph->input_count];
        tacho_dtype dtype = graph->tensors[id].dtype;
        if (dtype == TACHO_DTYPE_NONE || dtype == TACHO_DTYPE_STRING) {
            return false;
        }
    }
    return true;
}

/* Counts a test that passed for each of its operators. */
static void use(tally *all, const tacho_graph *graph)
{
    bool is_counted[OPERATORS_MAX] = {false};
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        const tacho_kernel *kernel = tacho_kernel_find(tacho_graph_string(graph, node->type));
        for (size_t j = 0; j < all->usage_count; j++) {
            usage *used = &all->usages[j];
            if (used->kernel != kernel) {
                continue;
            }
            used->tests += is_counted[j] ? 0 : 1;
            is_counted[j] = true;
            used->first_opset = used->first_opset == 0 || node->opset < used->first_opset
                                    ? node->opset
                                    : used->first_opset;
            used->last_opset = node->opset > used->last_opset ? node->opset : used->last_opset;
            const tacho_tensor *tensor = tacho_graph_input(graph, node, 0);
            if (tensor != NULL) {
                used->has_dtype[tensor->dtype] = true;
            }
        }
    }
}

static outcome run_set(tally *all, const char *folder, const char *set_folder, char *name,
                       char *out_problem, size_t size)
{
    static data_set set;
    tacho_graph graph;
    memset(&set, 0, sizeof(set));
    outcome result = FAILED;
    tacho_status status = tacho_graph_init(&set.values);
    tacho_status status2 = tacho_graph_init(&graph);
    status = tacho_status_first(status, status2);
    if (status == TACHO_OK) {
        set.input_count = load_all(&set, set_folder, "input", set.inputs);
        set.output_count = load_all(&set, set_folder, "output", set.outputs);
        status = read_model(folder, &set, &graph, true);
        if (status != TACHO_OK && tacho_status_code(status) == TACHO_CODE_USAGE) {
            /* A tensor that only its type matters of may have another shape than the model says. */
            tacho_status_free(status);
            tacho_graph_deinit(&graph);
            status = tacho_graph_init(&graph);
            status = status != TACHO_OK ? status : read_model(folder, &set, &graph, false);
            status = status != TACHO_OK ? status : take_shapes(&graph, &set);
        }
        operator_name(&graph, name, NAME_BYTES);
    }
    if (status != TACHO_OK && !set.is_odd) {
        snprintf(out_problem, size, "%s", tacho_status_message(status));
    } else if (!is_all_tensors(&graph)) {
        snprintf(out_problem, size, "inputs or outputs are texts, sequences or optionals");
        result = UNSUPPORTED;
    } else if (set.is_odd) {
        snprintf(out_problem, size, "a file of inputs or outputs cannot be read");
    } else {
        result = compare(all, &graph, &set, out_problem, size);
        if (result == PASSED) {
            use(all, &graph);
        }
    }
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
    tacho_graph_deinit(&set.values);
    return result;
}

static void count(tally *all, const char *name, outcome result)
{
    operator_row *row = NULL;
    for (size_t i = 0; i < all->row_count && row == NULL; i++) {
        row = strcmp(all->rows[i].name, name) == 0 ? &all->rows[i] : NULL;
    }
    if (row == NULL && all->row_count < OPERATORS_MAX) {
        row = &all->rows[all->row_count++];
        snprintf(row->name, sizeof(row->name), "%s", name);
    }
    if (row != NULL) {
        row->counts[result]++;
    }
    all->counts[result]++;
}

/* Why the outputs that some release has for |test| are wrong; NULL for all others. */
static const char *wrong_reference(const char *test)
{
    static const struct {
        const char *beginning, *reason;
    } wrong[] = {
        {"test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True",
         "ONNX 1.17 divides by cells outside of the padding"},
        {"test_cast_FLOAT16_to_INT4", "ONNX 1.17 clamps, later releases wrap"},
        {"test_cast_FLOAT16_to_UINT4", "ONNX 1.17 clamps, later releases wrap"},
        {"test_cast_FLOAT_to_INT4", "ONNX 1.17 clamps, later releases wrap"},
        {"test_cast_FLOAT_to_UINT4", "ONNX 1.17 clamps, later releases wrap"},
        {"test_qlinearmatmul_2D_int8", "ONNX 1.17 wraps where the operator saturates"},
        {"test_qlinearmatmul_3D_int8", "ONNX 1.17 wraps where the operator saturates"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (strncmp(test, wrong[i].beginning, strlen(wrong[i].beginning)) == 0) {
            return wrong[i].reason;
        }
    }
    return NULL;
}

/* All data sets of a test; the worst counts. */
static void run_test(tally *all, const char *folder, const char *test)
{
    static const char *const words[] = {"passed", "FAILED", "unsupported"};
    char problem[512] = "no data", name[NAME_BYTES] = "(unread)";
    outcome result = FAILED;
    for (int i = 0; i < 100; i++) {
        char set_folder[PATH_MAX_BYTES + 32];
        struct stat info;
        snprintf(set_folder, sizeof(set_folder), "%s/test_data_set_%d", folder, i);
        if (stat(set_folder, &info) != 0) {
            break;
        }
        result = run_set(all, folder, set_folder, name, problem, sizeof(problem));
        if (result != PASSED) {
            break;
        }
    }
    const char *reason = result == FAILED ? wrong_reference(test) : NULL;
    if (reason != NULL) {
        snprintf(problem, sizeof(problem), "its outputs are wrong: %s", reason);
        result = UNSUPPORTED;
    }
    count(all, name, result);
    if (!all->is_page && (result != PASSED || all->is_verbose)) {
        printf("%s %s: %s\n", words[result], test, result == PASSED ? "" : problem);
    }
}

/* ---- all of them --------------------------------------------------------------------------- */

static bool run_folder(tally *all, const char *folder)
{
    struct dirent **entries;
    int entry_count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < entry_count; i++) {
        char path[PATH_MAX_BYTES];
        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            run_test(all, path, entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (entry_count >= 0) {
        free(entries);
    }
    return entry_count > 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const operator_row *)a)->name, ((const operator_row *)b)->name);
}

/* ---- the page ------------------------------------------------------------------------------ */

static int by_kernel(const void *a, const void *b)
{
    return strcmp(((const usage *)a)->kernel->name, ((const usage *)b)->kernel->name);
}

static void list_kernels(tally *all)
{
    for (const tacho_kernel *const *family = tacho_kernel_families; *family != NULL; family++) {
        for (const tacho_kernel *row = *family; row->name != NULL; row++) {
            if (strncmp(row->name, "tacho.", 6) == 0) {
                continue; /* no model has it */
            }
            if (all->usage_count < OPERATORS_MAX) {
                all->usages[all->usage_count++].kernel = row;
            }
        }
    }
    qsort(all->usages, all->usage_count, sizeof(all->usages[0]), by_kernel);
}

/* What a kernel is tried with: tensors of one element. */
typedef struct trial {
    const tacho_kernel *kernel;
    tacho_dtype first, second, others, made; /* types of inputs 0, 1 and others, of the output */
    tacho_shape shape;
    size_t input_count;
} trial;

/* Whether the kernel computes that; whatever else a node of the operator would have, it has not.
 * |is_enough|: it need not compute, but must not refuse the types. */
static bool computes(const trial *self, bool is_enough)
{
    enum { INPUTS_MAX = 8 };
    _Alignas(8) unsigned char memory[INPUTS_MAX + 1][16] = {0};
    tacho_array arrays[INPUTS_MAX], output = {self->made, self->shape, memory[INPUTS_MAX]};
    const tacho_array *inputs[INPUTS_MAX];
    for (size_t i = 0; i < INPUTS_MAX; i++) {
        bool is_one = self->first == self->second || self->second == TACHO_DTYPE_BOOL;
        memory[i][0] = i == 1 && is_one ? 1 : 0; /* divisors, conditions */
        arrays[i] = (tacho_array){i == 0   ? self->first
                                  : i == 1 ? self->second
                                           : self->others,
                                  self->shape, memory[i]};
        inputs[i] = &arrays[i];
    }
    tacho_kernel_call call = {
        .inputs = inputs, .input_count = self->input_count, .outputs = &output, .output_count = 1};
    tacho_status status = tacho_kernel_compute(self->kernel, &call);
    bool is_done =
        status == TACHO_OK || (is_enough && tacho_status_code(status) == TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    return is_done;
}

/* Whether a kernel computes on first inputs of that type: some number of inputs, some types of
 * theirs and of the output, some rank. */
static bool takes(const tacho_kernel *kernel, tacho_dtype dtype, bool is_enough)
{
    const tacho_dtype others[][2] = {
        {dtype, dtype},
        {TACHO_DTYPE_I64, TACHO_DTYPE_I64},
        {TACHO_DTYPE_I32, TACHO_DTYPE_I32},
        {TACHO_DTYPE_I8, TACHO_DTYPE_I8},
        {TACHO_DTYPE_F32, TACHO_DTYPE_F32},
        {TACHO_DTYPE_I64, dtype},
        {TACHO_DTYPE_I32, dtype},
        {TACHO_DTYPE_BOOL, dtype},
    };
    const tacho_dtype made[] = {dtype,           TACHO_DTYPE_I32,  TACHO_DTYPE_I64,
                                TACHO_DTYPE_F32, TACHO_DTYPE_BOOL, TACHO_DTYPE_I8};
    enum { OTHERS = sizeof(others) / sizeof(others[0]), MADE = sizeof(made) / sizeof(made[0]) };
    bool is_taken = false;
    if (tacho_dtype_element_bytes(dtype) == 0) {
        return false;
    }
    for (size_t i = 0; i < (size_t)OTHERS * MADE * 6 * 9 && !is_taken; i++) {
        const tacho_dtype *beside = others[i % OTHERS];
        trial at = {kernel, dtype, beside[0], beside[1], made[i / OTHERS % MADE], {0, {0}}, 0};
        at.shape.rank = (int32_t)(i / OTHERS / MADE % 6);
        at.input_count = i / OTHERS / MADE / 6;
        for (int32_t j = 0; j < at.shape.rank; j++) {
            at.shape.dims[j] = 1;
        }
        is_taken = computes(&at, is_enough);
    }
    return is_taken;
}

static void print_usage(const usage *used)
{
    bool is_tosa = strncmp(used->kernel->name, "tosa.", 5) == 0;
    const tacho_op_def *def = tacho_op_def_find(tacho_str_from_cstring(used->kernel->name));
    printf("| %s | %s |", used->kernel->name, def == NULL ? "" : tacho_op_kind_name(def->kind));
    bool has_any = false; /* else it wants other shapes than those it is tried with */
    for (unsigned i = TACHO_DTYPE_NONE + 1; i < TACHO_DTYPE_COUNT; i++) {
        has_any = has_any || takes(used->kernel, (tacho_dtype)i, false);
    }
    for (unsigned i = TACHO_DTYPE_NONE + 1; i < TACHO_DTYPE_COUNT; i++) {
        if (used->has_dtype[i] || takes(used->kernel, (tacho_dtype)i, !has_any)) {
            printf(" %s", tacho_dtype_name((tacho_dtype)i));
        }
    }
    printf(" |");
    for (unsigned i = TACHO_DTYPE_NONE + 1; i < TACHO_DTYPE_COUNT; i++) {
        if (used->has_dtype[i]) {
            printf(" %s", tacho_dtype_name((tacho_dtype)i));
        }
    }
    printf(" |");
    if (used->first_opset > 0) {
        printf(" %d-%d", (int)used->first_opset, (int)used->last_opset);
    } else if (is_tosa) {
        printf(" TOSA 1.0");
    }
    bool has_reals = tacho_execution_knows_reals(tacho_str_from_cstring(used->kernel->name));
    bool has_bytes = tacho_execution_knows_bytes(tacho_str_from_cstring(used->kernel->name));
    printf(" | %u | %s%s%s |\n", used->tests, has_reals ? "f32" : "",
           has_reals && has_bytes ? ", " : "", has_bytes ? "int8" : "");
}

static void print_page(const tally *all)
{
    printf("<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
           "<!-- Written by node_tests --page; the test models.operators checks that it is "
           "current. -->\n"
           "# Operators that the reference kernels compute\n\n"
           "Plain C, the same bits on every computer: transcendental functions are our own, "
           "nothing is contracted, sums\nare in double in the order of the elements, integers "
           "are exact and wrap.\n\n"
           "Types are those of the first input: all that the kernel computes on, as was tried "
           "with one element each\n(where it wants more: all that it does not refuse), and those "
           "of the standard's operator tests\n(libonnx-testdata) that pass. Opsets are those of "
           "the tests. TOSA's operators are checked by unit tests\nwith values worked out by "
           "hand.\n\n"
           "Of all tests %u pass, %u fail, %u are of operators or types without a "
           "kernel.\n\n"
           "The last column says what fast kernels there are, too (docs/kernels.md).\n\n"
           "| Operator | Kind | Types | Types tested | Opsets tested | Tests passed | Fast "
           "|\n|---|---|---|---|---|---|---|\n",
           all->counts[PASSED], all->counts[FAILED], all->counts[UNSUPPORTED]);
    for (size_t i = 0; i < all->usage_count; i++) {
        print_usage(&all->usages[i]);
    }
}

int main(int argc, char **argv)
{
    static tally all;
    unsigned at_least = 0;
    bool has_any = false;
    list_kernels(&all);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--at-least") == 0 && i + 1 < argc) {
            at_least = (unsigned)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--verbose") == 0) {
            all.is_verbose = true;
        } else if (strcmp(argv[i], "--fast") == 0) {
            all.is_fast = true;
        } else if (strcmp(argv[i], "--page") == 0) {
            all.is_page = true;
        } else {
            has_any = run_folder(&all, argv[i]) || has_any;
        }
    }
    if (!has_any) {
        printf("skip: libonnx-testdata is not installed\n");
        return 77;
    }
    if (all.is_page) {
        print_page(&all);
        return 0;
    }
    qsort(all.rows, all.row_count, sizeof(all.rows[0]), by_name);
    for (size_t i = 0; i < all.row_count; i++) {
        const unsigned *counts = all.rows[i].counts;
        printf("operator %s passed=%u failed=%u unsupported=%u\n", all.rows[i].name, counts[PASSED],
               counts[FAILED], counts[UNSUPPORTED]);
    }
    printf("all passed=%u failed=%u unsupported=%u\n", all.counts[PASSED], all.counts[FAILED],
           all.counts[UNSUPPORTED]);
    if (all.is_fast) {
        printf("steps fast=%u reference=%u free=%u\n", all.steps.fast, all.steps.reference,
               all.steps.free);
    }
    return all.counts[FAILED] > 0 || all.counts[PASSED] < at_least ? 1 : 0;
}
