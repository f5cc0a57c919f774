/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of tensors: of inputs, outputs and the file's values between them.
 *
 * A dimension may be a number, a name, or nothing. Inputs need numbers: those that have none get
 * them from the options, by the dimension's own name or as "INPUT.INDEX". Elsewhere a dimension
 * without a value is unknown, and inference finds it.
 */
#include "base/grow.h"
#include "graph/model_facts.h"
#include "graph/onnx_reader.h"

#include <inttypes.h>
#include <stdio.h>

static const uint8_t value_info_wires[] = {[1] = TACHO_ONNX_BYTES, [2] = TACHO_ONNX_BYTES};
static const uint8_t type_wires[] = {
    [1] = TACHO_ONNX_BYTES, [4] = TACHO_ONNX_BYTES, [5] = TACHO_ONNX_BYTES,
    [7] = TACHO_ONNX_BYTES, [8] = TACHO_ONNX_BYTES, [9] = TACHO_ONNX_BYTES};
static const uint8_t tensor_type_wires[] = {[1] = TACHO_ONNX_VARINT, [2] = TACHO_ONNX_BYTES};
static const uint8_t shape_wires[] = {[1] = TACHO_ONNX_BYTES};
static const uint8_t dim_wires[] = {[1] = TACHO_ONNX_VARINT, [2] = TACHO_ONNX_BYTES};

static const tacho_onnx_schema value_info_schema =
    TACHO_ONNX_SCHEMA("ValueInfoProto", value_info_wires);
static const tacho_onnx_schema type_schema = TACHO_ONNX_SCHEMA("TypeProto", type_wires);
static const tacho_onnx_schema tensor_type_schema =
    TACHO_ONNX_SCHEMA("TypeProto.Tensor", tensor_type_wires);
static const tacho_onnx_schema shape_schema = TACHO_ONNX_SCHEMA("TensorShapeProto", shape_wires);
static const tacho_onnx_schema dim_schema =
    TACHO_ONNX_SCHEMA("TensorShapeProto.Dimension", dim_wires);

bool tacho_onnx_dtype(uint64_t data_type, tacho_dtype *out_dtype)
{
    /* By TensorProto.DataType. */
    static const uint8_t dtypes[] = {
        TACHO_DTYPE_NONE,       TACHO_DTYPE_F32,    TACHO_DTYPE_U8,         TACHO_DTYPE_I8,
        TACHO_DTYPE_U16,        TACHO_DTYPE_I16,    TACHO_DTYPE_I32,        TACHO_DTYPE_I64,
        TACHO_DTYPE_STRING,     TACHO_DTYPE_BOOL,   TACHO_DTYPE_F16,        TACHO_DTYPE_F64,
        TACHO_DTYPE_U32,        TACHO_DTYPE_U64,    TACHO_DTYPE_C64,        TACHO_DTYPE_C128,
        TACHO_DTYPE_BF16,       TACHO_DTYPE_F8E4M3, TACHO_DTYPE_F8E4M3FNUZ, TACHO_DTYPE_F8E5M2,
        TACHO_DTYPE_F8E5M2FNUZ, TACHO_DTYPE_U4,     TACHO_DTYPE_I4,         TACHO_DTYPE_F4E2M1,
        TACHO_DTYPE_F8E8M0,     TACHO_DTYPE_U2,     TACHO_DTYPE_I2,
    };
    bool is_known = data_type < sizeof(dtypes);
    *out_dtype = is_known ? (tacho_dtype)dtypes[data_type] : TACHO_DTYPE_NONE;
    return is_known;
}

/* One dimension as written. */
typedef struct dimension {
    int64_t value;  /* 0 or less when there is none */
    tacho_str name; /* may be empty */
} dimension;

/* A ValueInfoProto as written. */
typedef struct value_info {
    tacho_str name;
    tacho_str type;
    tacho_dtype dtype;
    tacho_shape shape; /* dims that have no value are less than 0, or 0 with a name */
    tacho_str dim_names[TACHO_RANK_MAX];
    bool is_tensor; /* else a sequence, an optional, a map: no dtype, no shape */
} value_info;

static tacho_status read_dim(const tacho_onnx_state *state, tacho_str message, dimension *out_dim)
{
    *out_dim = (dimension){.value = TACHO_DIM_UNKNOWN, .name = TACHO_STR("")};
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &dim_schema, &reader, &field, &got));
        if (field.number == 1) {
            out_dim->value = (int64_t)field.value;
        } else if (field.number == 2) {
            out_dim->name = field.bytes;
        }
    }
    return TACHO_OK;
}

static tacho_status read_shape(const tacho_onnx_state *state, tacho_str message, value_info *info)
{
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    info->shape.rank = 0;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &shape_schema, &reader, &field, &got));
        if (field.number != 1) {
            continue;
        }
        if (info->shape.rank == TACHO_RANK_MAX) {
            return tacho_onnx_fail(
                state, TACHO_CODE_LIMIT, message.data, "'%.*s' has more than %d dimensions",
                TACHO_STR_ARG(tacho_onnx_shown(info->name)), (int)TACHO_RANK_MAX);
        }
        dimension dim;
        TACHO_TRY(read_dim(state, field.bytes, &dim));
        info->shape.dims[info->shape.rank] = dim.value;
        info->dim_names[info->shape.rank++] = dim.name;
    }
    return TACHO_OK;
}

static tacho_status read_tensor_type(const tacho_onnx_state *state, tacho_str message,
                                     value_info *info)
{
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &tensor_type_schema, &reader, &field, &got));
        if (field.number == 1 && !tacho_onnx_dtype(field.value, &info->dtype)) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data,
                                   "'%.*s' has the unknown data type %" PRIu64,
                                   TACHO_STR_ARG(tacho_onnx_shown(info->name)), field.value);
        }
        if (field.number == 2) {
            TACHO_TRY(read_shape(state, field.bytes, info));
        }
    }
    return TACHO_OK;
}

static tacho_status read_type(const tacho_onnx_state *state, value_info *info)
{
    tacho_pb_reader reader = tacho_onnx_open(state, info->type);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &type_schema, &reader, &field, &got));
        if (field.number == 1) {
            info->is_tensor = true;
            TACHO_TRY(read_tensor_type(state, field.bytes, info));
        }
    }
    return TACHO_OK;
}

static tacho_status read_value_info(const tacho_onnx_state *state, tacho_str message,
                                    value_info *out_info)
{
    *out_info = (value_info){.type = tacho_str_make(message.data, 0),
                             .shape = {.rank = TACHO_RANK_UNKNOWN}};
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &value_info_schema, &reader, &field, &got));
        if (field.number == 1) {
            out_info->name = field.bytes;
        } else if (field.number == 2) {
            out_info->type = field.bytes;
        }
    }
    if (out_info->name.len == 0) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data,
                               "an input, output or value has no name");
    }
    return read_type(state, out_info);
}

tacho_status tacho_onnx_value_name(const tacho_onnx_state *state, tacho_str message,
                                   tacho_str *out_name)
{
    value_info info;
    TACHO_TRY(read_value_info(state, message, &info));
    *out_name = info.name;
    return TACHO_OK;
}

/* ---- dimensions ----------------------------------------------------------------------------- */

/* Whether an option means dimension |i| of |tensor|: "x.0". */
static bool is_place(tacho_str option, tacho_str tensor, int32_t i)
{
    uint64_t index;
    return option.len > tensor.len + 1 && option.data[tensor.len] == '.' &&
           tacho_str_starts_with(option, tensor) &&
           tacho_str_parse_u64(tacho_str_from(option, tensor.len + 1), &index) &&
           index == (uint64_t)i;
}

/* The value that the options give a dimension, or NULL. */
static const tacho_model_dim *find_option(const tacho_onnx_state *state, const value_info *info,
                                          int32_t i, bool is_input)
{
    const tacho_model_dim *by_name = NULL;
    const tacho_model_dim *by_place = NULL;
    for (size_t d = 0; d < state->options->dim_count; d++) {
        const tacho_model_dim *dim = &state->options->dims[d];
        if (is_input && is_place(dim->name, info->name, i)) {
            by_place = dim;
            state->is_dim_used[d] = true;
        } else if (info->dim_names[i].len > 0 && tacho_str_equal(dim->name, info->dim_names[i])) {
            by_name = dim;
            state->is_dim_used[d] = true;
        }
    }
    return by_place != NULL ? by_place : by_name;
}

/* The same, or the one that values of inputs have for it. */
static const tacho_model_dim *find_dim(const tacho_onnx_state *state, const value_info *info,
                                       int32_t i, bool is_input)
{
    const tacho_model_dim *found = find_option(state, info, i, is_input);
    for (size_t d = 0; found == NULL && d < state->learned_count; d++) {
        bool is_it = info->dim_names[i].len > 0 &&
                     tacho_str_equal(state->learned[d].name, info->dim_names[i]);
        found = is_it ? &state->learned[d] : NULL;
    }
    return found;
}

/* The shape of the value that is given for input |index|; of unknown rank where there is none. */
static tacho_status given_shape(const tacho_onnx_state *state, const value_info *info, size_t index,
                                tacho_shape *out_shape)
{
    const tacho_model_values *values = state->options->values;
    out_shape->rank = TACHO_RANK_UNKNOWN;
    return values != NULL && values->shape != NULL
               ? values->shape(values->self, info->name, index, out_shape)
               : TACHO_OK;
}

/*
 * Takes over the shape of a value, also where the file has another: exporters write the sizes that
 * they tried a model with.
 */
static tacho_status take_given(tacho_onnx_state *state, value_info *info)
{
    tacho_shape given;
    TACHO_TRY(given_shape(state, info, state->graph->input_count, &given));
    for (int32_t i = 0; given.rank == info->shape.rank && i < given.rank; i++) {
        int64_t *size = &info->shape.dims[i];
        if (find_option(state, info, i, true) != NULL) {
            continue; /* if that is another, the value does not fit */
        }
        if (*size > 0 && *size != given.dims[i]) {
            state->is_reshaped = true;
            tacho_graph_add_note(state->graph,
                                 "dimension %" PRId32 " of input '%.*s' is %" PRId64
                                 " in the model and %" PRId64 " in the value that is given, "
                                 "which is used",
                                 i, TACHO_STR_ARG(tacho_onnx_shown(info->name)), *size,
                                 given.dims[i]);
        }
        *size = given.dims[i];
    }
    return TACHO_OK;
}

/* Adds the option for the dimension to the list of missing sizes, once. */
static void suggest(tacho_onnx_state *state, const value_info *info, int32_t i)
{
    char size[180];
    bool has_name = info->dim_names[i].len > 0;
    if (has_name) {
        snprintf(size, sizeof(size), "%.*s=VALUE",
                 TACHO_STR_ARG(tacho_onnx_shown(info->dim_names[i])));
    } else {
        snprintf(size, sizeof(size), "%.*s.%" PRId32 "=1",
                 TACHO_STR_ARG(tacho_onnx_shown(info->name)), i);
    }
    char *at = state->missing;
    while (*at != '\0' && strcmp(at, size) != 0) {
        at += strlen(at) + 1;
    }
    size_t left = sizeof(state->missing) - (size_t)(at - state->missing);
    if (*at == '\0' && strlen(size) + 1 < left) { /* an empty one ends them */
        memcpy(at, size, strlen(size) + 1);
    }
}

static tacho_status note_missing(tacho_onnx_state *state, const value_info *info, int32_t i)
{
    suggest(state, info, i);
    if (state->problem.len > 0) {
        return TACHO_OK;
    }
    char text[320];
    tacho_str name = info->dim_names[i];
    snprintf(text, sizeof(text),
             "byte %zu: dimension %" PRId32 "%s%.*s%s of input '%.*s' has no value",
             (size_t)(info->type.data - state->bytes.data), i, name.len > 0 ? " ('" : "",
             TACHO_STR_ARG(tacho_onnx_shown(name)), name.len > 0 ? "')" : "",
             TACHO_STR_ARG(tacho_onnx_shown(info->name)));
    return tacho_arena_copy(&state->graph->arena, tacho_str_from_cstring(text), &state->problem);
}

/* A 0 that the file gives is a size; one with a name is open. */
static bool is_open(const value_info *info, int32_t dim)
{
    return info->shape.dims[dim] < 0 ||
           (info->shape.dims[dim] == 0 && info->dim_names[dim].len > 0);
}

/*
 * Keeps the names of a tensor's dimensions without a number, where requested; once of a tensor that
 * is both input and output.
 */
static tacho_status keep_open(const tacho_onnx_state *state, value_info *info, uint32_t tensor)
{
    tacho_model_facts *facts = state->options->facts;
    const tacho_tensor *known = &state->graph->tensors[tensor];
    bool is_new = !known->is_input && !known->is_output;
    for (int32_t i = 0; facts != NULL && i < info->shape.rank; i++) {
        if (is_open(info, i)) {
            info->shape.dims[i] = TACHO_DIM_UNKNOWN;
            TACHO_TRY(is_new ? tacho_model_facts_add_dim(facts, tensor, i, info->dim_names[i])
                             : TACHO_OK);
        }
    }
    return TACHO_OK;
}

/*
 * Whether an open dimension is the batch: the first of several, without a name or with a batch's
 * name; and those of the same name.
 */
static bool is_batch(const tacho_onnx_state *state, const value_info *info, int32_t i)
{
    static const char *const names[] = {"bs", "None", "?"};
    tacho_str name = info->dim_names[i];
    if (name.len > 0 && tacho_str_equal(name, state->batch)) {
        return true;
    }
    bool is_picture = info->shape.rank >= 3 && tacho_str_equal(name, TACHO_STR("N"));
    bool is_one = name.len == 0 || is_picture || tacho_str_starts_with(name, TACHO_STR("unk__"));
    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        is_one = is_one || tacho_str_equal(name, tacho_str_from_cstring(names[j]));
    }
    for (tacho_str rest = name; rest.len >= 5; rest = tacho_str_from(rest, 1)) {
        is_one = is_one || tacho_str_starts_with(rest, TACHO_STR("batch")) ||
                 tacho_str_starts_with(rest, TACHO_STR("Batch"));
    }
    return i == 0 && info->shape.rank > 1 && is_one;
}

static void take_batch(tacho_onnx_state *state, const value_info *info, int32_t i)
{
    tacho_str name = info->dim_names[i];
    if (state->has_batch && (name.len == 0 || tacho_str_equal(name, state->batch))) {
        return; /* noted before */
    }
    state->has_batch = true;
    state->batch = name.len > 0 ? name : state->batch;
    tacho_graph_add_note(state->graph,
                         "dimension %" PRId32 "%s%.*s%s of input '%.*s' is open: 1 is used", i,
                         name.len > 0 ? " ('" : "", TACHO_STR_ARG(tacho_onnx_shown(name)),
                         name.len > 0 ? "')" : "", TACHO_STR_ARG(tacho_onnx_shown(info->name)));
}

/* Numbers for all dimensions of an input; a 0 of the file can be given another. */
static tacho_status settle_input(tacho_onnx_state *state, value_info *info)
{
    for (int32_t i = 0; i < info->shape.rank; i++) {
        int64_t *value = &info->shape.dims[i];
        const tacho_model_dim *dim =
            *value > 0 ? find_option(state, info, i, true) : find_dim(state, info, i, true);
        if (*value > 0 && dim != NULL && dim->value != *value) {
            return tacho_onnx_fail(
                state, TACHO_CODE_USAGE, info->type.data,
                "dimension %" PRId32 " of input '%.*s' is %" PRId64 " and cannot be made %" PRId64,
                i, TACHO_STR_ARG(tacho_onnx_shown(info->name)), *value, dim->value);
        }
        if (dim != NULL && dim->value < 0) {
            return tacho_fail(TACHO_CODE_USAGE, "dimension '%.*s': %" PRId64 " is not a size",
                              TACHO_STR_ARG(tacho_onnx_shown(dim->name)), dim->value);
        }
        bool is_missing = is_open(info, i) && dim == NULL && state->options->facts == NULL;
        if (is_missing && is_batch(state, info, i)) {
            take_batch(state, info, i);
            *value = 1;
        } else if (is_missing) {
            TACHO_TRY(note_missing(state, info, i));
        }
        *value = dim != NULL ? dim->value : *value;
    }
    return TACHO_OK;
}

/* Numbers where there are any, else unknown. */
static void settle_value(const tacho_onnx_state *state, value_info *info)
{
    for (int32_t i = 0; i < info->shape.rank; i++) {
        const tacho_model_dim *dim = find_dim(state, info, i, false);
        int64_t *value = &info->shape.dims[i];
        if (state->is_reshaped) {
            *value = TACHO_DIM_UNKNOWN;
        } else if (*value <= 0) {
            *value = dim != NULL ? dim->value : TACHO_DIM_UNKNOWN;
        }
    }
}

/* The input that has fewer dimensions than a name such as "x.2" needs; NULL: none. */
static const tacho_tensor *find_short_input(const tacho_graph *graph, tacho_str name)
{
    size_t dot = name.len;
    while (dot > 0 && name.data[dot - 1] >= '0' && name.data[dot - 1] <= '9') {
        dot--;
    }
    uint64_t place;
    if (!tacho_str_parse_u64(tacho_str_from(name, dot), &place) || dot < 2 ||
        name.data[dot - 1] != '.') {
        return NULL;
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[graph->inputs[i]];
        if (tacho_str_equal(tacho_graph_string(graph, tensor->name),
                            tacho_str_make(name.data, dot - 1)) &&
            place >= (uint64_t)tensor->shape->rank) {
            return tensor;
        }
    }
    return NULL;
}

/* Names the dimensions without a size, with a hint for each of them. */
static tacho_status fail_open(const tacho_onnx_state *state)
{
    char names[sizeof(state->missing) + 1] = "";
    size_t used = 0;
    for (const char *at = state->missing; *at != '\0'; at += strlen(at) + 1) {
        int len = (int)(strrchr(at, '=') - at);
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.*s", used > 0 ? ", " : "",
                                 len, at);
    }
    tacho_status status =
        tacho_fail(TACHO_CODE_USAGE, "%.*s: %.*s; give a size for %s",
                   TACHO_STR_ARG(state->graph->path), TACHO_STR_ARG(state->problem), names);
    for (const char *at = state->missing; *at != '\0'; at += strlen(at) + 1) {
        status = tacho_status_add_hint(status, TACHO_HINT_SIZE, at);
    }
    return status;
}

/*
 * Takes a size "NAME.D" of a node's output, given where shapes depend on values. Inference checks
 * that the tensor has that dimension, and that it is open.
 */
static tacho_status take_size(const tacho_onnx_state *state, size_t option)
{
    tacho_graph *graph = state->graph;
    const tacho_model_dim *dim = &state->options->dims[option];
    size_t dot = dim->name.len;
    while (dot > 0 && dim->name.data[dot - 1] != '.') {
        dot--;
    }
    if (dot < 2 || dim->name.len - dot != 1 || dim->name.data[dot] < '0' ||
        dim->name.data[dot] >= '0' + TACHO_RANK_MAX) {
        return TACHO_OK;
    }
    uint32_t tensor = tacho_onnx_tensor_find(state, tacho_str_make(dim->name.data, dot - 1));
    if (tensor >= graph->tensor_count || graph->tensors[tensor].producer == TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(
        tacho_grow(&graph->given_sizes, &graph->given_size_capacity, graph->given_size_count + 1));
    graph->given_sizes[graph->given_size_count++] =
        (tacho_given_size){tensor, dim->name.data[dot] - '0', dim->value, false};
    state->is_dim_used[option] = true;
    return TACHO_OK;
}

tacho_status tacho_onnx_check_dims(const tacho_onnx_state *state)
{
    if (state->problem.len > 0) {
        return fail_open(state);
    }
    for (size_t i = 0; i < state->options->dim_count; i++) {
        if (!state->is_dim_used[i]) {
            TACHO_TRY(take_size(state, i));
        }
        if (!state->is_dim_used[i]) {
            tacho_str name = state->options->dims[i].name;
            const tacho_tensor *input = find_short_input(state->graph, name);
            if (input != NULL) {
                return tacho_fail(
                    TACHO_CODE_USAGE,
                    "%.*s: input '%.*s' has %" PRId32 " dimensions, but a size is given for '%.*s'",
                    TACHO_STR_ARG(state->graph->path),
                    TACHO_STR_ARG(tacho_onnx_shown(tacho_graph_string(state->graph, input->name))),
                    input->shape->rank, TACHO_STR_ARG(tacho_onnx_shown(name)));
            }
            return tacho_fail_hint(
                TACHO_CODE_USAGE, TACHO_HINT_BATCH, "%.*s: no dimension is called '%.*s'; %s",
                TACHO_STR_ARG(state->graph->path), TACHO_STR_ARG(tacho_onnx_shown(name)),
                state->options->dim_count > 1 ? "the others given are all that is open"
                                              : "the model leaves none open");
        }
    }
    return TACHO_OK;
}

/* ---- tensors -------------------------------------------------------------------------------- */

/* Keeps known facts and adds missing ones; the resulting size must be countable. */
static tacho_status complete(const tacho_onnx_state *state, const value_info *info,
                             tacho_tensor *tensor)
{
    if (tensor->dtype == TACHO_DTYPE_NONE) {
        tensor->dtype = info->dtype;
    }
    tacho_shape shape = tensor->shape->rank == TACHO_RANK_UNKNOWN ? info->shape : *tensor->shape;
    for (int32_t i = 0; shape.rank == info->shape.rank && i < shape.rank; i++) {
        shape.dims[i] = shape.dims[i] < 0 ? info->shape.dims[i] : shape.dims[i];
    }
    TACHO_TRY(tacho_graph_set_shape(state->graph, tensor, &shape));
    uint64_t bytes;
    bool is_known = tensor->dtype != TACHO_DTYPE_NONE && tacho_shape_is_known(tensor->shape);
    if (is_known && !tacho_tensor_bytes(tensor, &bytes)) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, info->type.data,
                               "'%.*s' has more than 2^63 bytes",
                               TACHO_STR_ARG(tacho_onnx_shown(info->name)));
    }
    return TACHO_OK;
}

static tacho_status append(uint32_t **items, size_t *count, size_t *capacity, uint32_t tensor)
{
    TACHO_TRY(tacho_grow(items, capacity, *count + 1));
    (*items)[(*count)++] = tensor;
    return TACHO_OK;
}

tacho_status tacho_onnx_learn_dims(tacho_onnx_state *state, tacho_str message)
{
    const tacho_model_values *values = state->options->values;
    value_info info;
    tacho_shape given;
    if (values == NULL || values->shape == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(read_value_info(state, message, &info));
    uint32_t id = tacho_onnx_tensor_find(state, info.name);
    if (id != TACHO_NONE && state->graph->tensors[id].is_constant) {
        return TACHO_OK; /* an initializer */
    }
    TACHO_TRY(given_shape(state, &info, state->named_count++, &given));
    for (int32_t i = 0; given.rank == info.shape.rank && i < given.rank; i++) {
        if (info.dim_names[i].len > 0 && find_dim(state, &info, i, true) == NULL) {
            TACHO_TRY(
                tacho_grow(&state->learned, &state->learned_capacity, state->learned_count + 1));
            state->learned[state->learned_count++] =
                (tacho_model_dim){info.dim_names[i], given.dims[i]};
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_read_input(tacho_onnx_state *state, tacho_str message)
{
    tacho_graph *graph = state->graph;
    value_info info;
    uint32_t id;
    TACHO_TRY(read_value_info(state, message, &info));
    TACHO_TRY(tacho_onnx_tensor_define(state, info.name, &id));
    tacho_tensor *tensor = &graph->tensors[id];
    if (tensor->is_constant) {
        return TACHO_OK; /* an initializer, which older files list as inputs too */
    }
    if (tensor->is_input) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data,
                               "input '%.*s' is listed twice",
                               TACHO_STR_ARG(tacho_onnx_shown(info.name)));
    }
    bool has_dtype = info.dtype != TACHO_DTYPE_NONE;
    if (state->options->facts == NULL && info.is_tensor &&
        (!has_dtype || info.shape.rank == TACHO_RANK_UNKNOWN)) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data, "input '%.*s' has no %s",
                               TACHO_STR_ARG(tacho_onnx_shown(info.name)),
                               has_dtype ? "shape" : "data type");
    }
    const tacho_model_bind *bind = tacho_model_find_bind(state->options, info.name);
    if (bind != NULL && info.shape.rank == 1 && info.shape.dims[0] <= 0 &&
        find_dim(state, &info, 0, true) == NULL) {
        info.shape.dims[0] = (int64_t)tacho_model_bind_values(bind);
    }
    TACHO_TRY(take_given(state, &info));
    TACHO_TRY(settle_input(state, &info));
    TACHO_TRY(keep_open(state, &info, id));
    tensor->is_input = true;
    TACHO_TRY(complete(state, &info, tensor));
    return append(&graph->inputs, &graph->input_count, &graph->input_capacity, id);
}

tacho_status tacho_onnx_read_output(tacho_onnx_state *state, tacho_str message)
{
    tacho_graph *graph = state->graph;
    value_info info;
    TACHO_TRY(read_value_info(state, message, &info));
    uint32_t id = tacho_onnx_tensor_find(state, info.name);
    tacho_tensor *tensor = id == TACHO_NONE ? NULL : &graph->tensors[id];
    if (tensor == NULL ||
        (tensor->producer == TACHO_NONE && !tensor->is_constant && !tensor->is_input)) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data,
                               "no node produces output '%.*s'",
                               TACHO_STR_ARG(tacho_onnx_shown(info.name)));
    }
    settle_value(state, &info);
    TACHO_TRY(keep_open(state, &info, id));
    TACHO_TRY(complete(state, &info, tensor));
    if (tensor->is_output) {
        return TACHO_OK;
    }
    tensor->is_output = true;
    return append(&graph->outputs, &graph->output_count, &graph->output_capacity, id);
}

tacho_status tacho_onnx_read_value_info(tacho_onnx_state *state, tacho_str message)
{
    value_info info;
    TACHO_TRY(read_value_info(state, message, &info));
    uint32_t id = tacho_onnx_tensor_find_own(state, info.name);
    if (id != TACHO_NONE) {
        settle_value(state, &info);
        TACHO_TRY(complete(state, &info, &state->graph->tensors[id]));
    }
    return TACHO_OK;
}
