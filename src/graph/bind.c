/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs whose value is given before the network is compiled: they become constants, so that nodes
 * that depend on them alone are folded, and an If can be decided.
 */
#include "codec/json_number.h"
#include "graph/model.h"
#include "kernels/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { ELEMENTS_MAX = 4096 };

const tacho_model_bind *tacho_model_find_bind(const tacho_model_options *options, tacho_str name)
{
    for (size_t i = 0; i < options->bind_count; i++) {
        if (tacho_str_equal(options->binds[i].name, name)) {
            return &options->binds[i];
        }
    }
    return NULL;
}

size_t tacho_model_bind_values(const tacho_model_bind *bind)
{
    size_t count = 1;
    for (size_t i = 0; i < bind->values.len; i++) {
        count += bind->values.data[i] == ',';
    }
    return count;
}

static tacho_status fail_bind(const tacho_graph *graph, const tacho_model_bind *bind,
                              const char *problem)
{
    return tacho_fail(TACHO_CODE_USAGE, "%.*s: input %.*s=%.*s: %s", TACHO_STR_ARG(graph->path),
                      (int)(bind->name.len < 96 ? bind->name.len : 96), bind->name.data,
                      (int)(bind->values.len < 96 ? bind->values.len : 96), bind->values.data,
                      problem);
}

/* A real number in JSON's notation, or inf or nan, which JSON lacks. */
static bool read_real(tacho_str text, double *out_real)
{
    bool is_negative = text.len > 0 && text.data[0] == '-';
    tacho_str word = tacho_str_from(text, is_negative ? 1 : 0);
    bool is_infinite = tacho_str_equal(word, TACHO_STR("inf"));
    if (is_infinite || tacho_str_equal(word, TACHO_STR("nan"))) {
        *out_real = is_infinite ? (double)(is_negative ? -INFINITY : INFINITY) : (double)NAN;
        return true;
    }
    return tacho_json_number_double(text, out_real);
}

static bool set_real(tacho_array *array, int64_t at, tacho_str text)
{
    double real;
    double again = 0;
    if (!read_real(text, &real)) {
        return false;
    }
    tacho_write_reals(array, at, 1, &real);
    tacho_read_reals(array, at, 1, 1, &again);
    return isinf(again) == isinf(real); /* it fits */
}

/* One value as element |at|; false when it is not of the type. */
static bool set_element(tacho_array *array, int64_t at, tacho_str text)
{
    int64_t whole;
    uint64_t natural;
    if (array->dtype == TACHO_DTYPE_BOOL) {
        bool is_true =
            tacho_str_equal(text, TACHO_STR("true")) || tacho_str_equal(text, TACHO_STR("1"));
        bool is_false =
            tacho_str_equal(text, TACHO_STR("false")) || tacho_str_equal(text, TACHO_STR("0"));
        whole = is_true;
        tacho_write_ints(array, at, 1, &whole);
        return is_true || is_false;
    }
    if (tacho_element_kind(array->dtype) == TACHO_DTYPE_REAL) {
        return set_real(array, at, text);
    }
    int64_t again = 0;
    if (array->dtype == TACHO_DTYPE_U64) {
        bool is_natural = tacho_str_parse_u64(text, &natural);
        whole = is_natural ? (int64_t)natural : 0; /* the same bits */
        tacho_write_ints(array, at, 1, &whole);
        return is_natural;
    }
    if (!tacho_json_number_i64(text, &whole)) {
        return false;
    }
    tacho_write_ints(array, at, 1, &whole);
    tacho_read_ints(array, at, 1, 1, &again);
    return again == whole; /* it fits */
}

static tacho_status set_elements(tacho_graph *graph, const tacho_model_bind *bind,
                                 tacho_array *array, size_t count)
{
    size_t given = tacho_model_bind_values(bind);
    tacho_str rest = bind->values;
    tacho_str text = rest;
    for (size_t i = 0; i < count; i++) {
        if (i < given) {
            size_t comma = tacho_str_find_byte(rest, ',');
            text = tacho_str_make(rest.data, comma);
            rest = tacho_str_from(rest, comma == rest.len ? comma : comma + 1);
        }
        if (!set_element(array, (int64_t)i, text)) {
            char problem[160];
            snprintf(problem, sizeof(problem), "'%.*s' is not a valid %s%s",
                     (int)(text.len < 64 ? text.len : 64), text.data,
                     tacho_dtype_name(array->dtype),
                     array->dtype == TACHO_DTYPE_BOOL ? ": true, false, 1 or 0" : "");
            return fail_bind(graph, bind, problem);
        }
    }
    return TACHO_OK;
}

static tacho_status bind_input(tacho_graph *graph, uint32_t id, const tacho_model_bind *bind)
{
    tacho_tensor *tensor = &graph->tensors[id];
    tacho_array array = {.dtype = tensor->dtype, .shape = *tensor->shape};
    uint64_t count = 0;
    size_t given = tacho_model_bind_values(bind);
    tacho_dtype_kind kind = tacho_element_kind(tensor->dtype);
    if ((kind != TACHO_DTYPE_REAL && kind != TACHO_DTYPE_SIGNED && kind != TACHO_DTYPE_UNSIGNED) ||
        !tacho_shape_elements(tensor->shape, &count) || count > ELEMENTS_MAX) {
        return fail_bind(graph, bind, "an input of this type or size cannot be fixed this way");
    }
    if (given != count && given != 1) {
        char problem[TACHO_SHAPE_TEXT_MAX + 96], shape[TACHO_SHAPE_TEXT_MAX];
        snprintf(problem, sizeof(problem),
                 "%zu values, and the input is of shape %s: give one for all, or %" PRIu64, given,
                 tacho_shape_print(tensor->shape, shape, sizeof(shape)), count);
        return fail_bind(graph, bind, problem);
    }
    TACHO_TRY(tacho_arena_alloc(
        &graph->arena, (size_t)count * tacho_dtype_element_bytes(array.dtype), &array.data));
    TACHO_TRY(set_elements(graph, bind, &array, (size_t)count));
    tensor->is_input = false;
    tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES, .bytes = array.data};
    return tacho_graph_set_constant(graph, id, &constant);
}

/* The option names no input: which there are. */
static tacho_status fail_unknown(const tacho_graph *graph, const tacho_model_bind *bind)
{
    char problem[400] = "the model has no input of this name";
    for (size_t i = 0; i < graph->input_count; i++) {
        size_t used = strlen(problem);
        tacho_str name = tacho_graph_string(graph, graph->tensors[graph->inputs[i]].name);
        snprintf(problem + used, sizeof(problem) - used, "%s%.60s", i == 0 ? "; there are " : ", ",
                 name.len > 0 ? name.data : "(one without a name)");
    }
    return fail_bind(graph, bind, problem);
}

tacho_status tacho_model_bind_inputs(tacho_graph *graph, const tacho_model_options *options)
{
    for (size_t i = 0; i < options->bind_count; i++) {
        const tacho_model_bind *bind = &options->binds[i];
        size_t at = 0;
        while (at < graph->input_count &&
               !tacho_str_equal(tacho_graph_string(graph, graph->tensors[graph->inputs[at]].name),
                                bind->name)) {
            at++;
        }
        if (at == graph->input_count) {
            return fail_unknown(graph, bind);
        }
        TACHO_TRY(bind_input(graph, graph->inputs[at], bind));
        graph->input_count--;
        memmove(graph->inputs + at, graph->inputs + at + 1,
                (graph->input_count - at) * sizeof(*graph->inputs));
    }
    return TACHO_OK;
}
