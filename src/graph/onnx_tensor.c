/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of tensors. Bytes as they are in memory (raw_data, a packed list of reals, a file beside
 * the model) are borrowed; other lists of numbers become bytes in the graph's arena.
 *
 * A tensor without values, or whose file is absent, gets seeded-random ones, or zeros where it has
 * integers, which may be indexes and sizes, and is counted: such
 * models have shapes only, which is all that an estimate needs.
 */
#include "graph/onnx_reader.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    FIELD_DIMS = 1,
    FIELD_DATA_TYPE = 2,
    FIELD_SEGMENT = 3,
    FIELD_FLOATS = 4,
    FIELD_INT32S = 5,
    FIELD_STRINGS = 6,
    FIELD_INT64S = 7,
    FIELD_NAME = 8,
    FIELD_RAW = 9,
    FIELD_DOUBLES = 10,
    FIELD_UINT64S = 11,
    FIELD_EXTERNAL = 13,
    FIELD_LOCATION = 14,
    FIELD_COUNT = 15,
};

enum { RANDOM_ELEMENTS_MIN = 17 };

enum {
    LIST32 = TACHO_ONNX_BYTES | TACHO_ONNX_FIXED32,
    LIST64 = TACHO_ONNX_BYTES | TACHO_ONNX_FIXED64
};
enum { LIST = TACHO_ONNX_BYTES | TACHO_ONNX_VARINT };

static const uint8_t tensor_wires[FIELD_COUNT] = {
    [FIELD_DIMS] = LIST,
    [FIELD_DATA_TYPE] = TACHO_ONNX_VARINT,
    [FIELD_SEGMENT] = TACHO_ONNX_BYTES,
    [FIELD_FLOATS] = LIST32,
    [FIELD_INT32S] = LIST,
    [FIELD_STRINGS] = TACHO_ONNX_BYTES,
    [FIELD_INT64S] = LIST,
    [FIELD_NAME] = TACHO_ONNX_BYTES,
    [FIELD_RAW] = TACHO_ONNX_BYTES,
    [FIELD_DOUBLES] = LIST64,
    [FIELD_UINT64S] = LIST,
    [FIELD_EXTERNAL] = TACHO_ONNX_BYTES,
    [FIELD_LOCATION] = TACHO_ONNX_VARINT,
};
static const uint8_t sparse_wires[] = {[1] = TACHO_ONNX_BYTES, [2] = TACHO_ONNX_BYTES, [3] = LIST};

static const tacho_onnx_schema tensor_schema = TACHO_ONNX_SCHEMA("TensorProto", tensor_wires);
static const tacho_onnx_schema sparse_schema = TACHO_ONNX_SCHEMA("SparseTensorProto", sparse_wires);

/* A TensorProto as written. */
typedef struct tensor_proto {
    tacho_str message;
    tacho_str name;
    tacho_dtype dtype;
    tacho_shape shape;
    uint64_t element_count;
    bool has_raw;
    tacho_str raw;
    uint32_t list;       /* the field that lists values, 0 for none */
    size_t list_count;   /* numbers in it */
    size_t list_pieces;  /* fields that it is written in */
    tacho_str list_last; /* the last of them, when packed */
    bool is_external;
    tacho_onnx_external external;
} tensor_proto;

static size_t fixed_size_of(uint32_t list)
{
    return list == FIELD_FLOATS ? 4 : list == FIELD_DOUBLES ? 8 : 0;
}

static tacho_status fail_tensor(const tacho_onnx_state *state, const tensor_proto *tensor,
                                const char *problem)
{
    return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, tensor->message.data, "tensor '%.*s' %s",
                           TACHO_STR_ARG(tacho_onnx_shown(tensor->name)), problem);
}

/* ---- scanning ------------------------------------------------------------------------------- */

static tacho_status read_dims(const tacho_onnx_state *state, const tacho_onnx_schema *schema,
                              uint32_t number, tensor_proto *tensor)
{
    tacho_onnx_numbers numbers = {
        .schema = schema, .number = number, .fields = tacho_onnx_open(state, tensor->message)};
    tensor->shape.rank = 0;
    for (;;) {
        uint64_t value;
        bool got;
        TACHO_TRY(tacho_onnx_numbers_next(state, &numbers, &value, &got));
        if (!got) {
            break;
        }
        if (tensor->shape.rank == TACHO_RANK_MAX) {
            return tacho_onnx_fail(state, TACHO_CODE_LIMIT, tensor->message.data,
                                   "tensor '%.*s' has more than %d dimensions",
                                   TACHO_STR_ARG(tacho_onnx_shown(tensor->name)),
                                   (int)TACHO_RANK_MAX);
        }
        if (value > INT64_MAX) {
            return fail_tensor(state, tensor, "has a negative dimension");
        }
        tensor->shape.dims[tensor->shape.rank++] = (int64_t)value;
    }
    return tacho_shape_elements(&tensor->shape, &tensor->element_count)
               ? TACHO_OK
               : fail_tensor(state, tensor, "has more than 2^63 elements");
}

static tacho_status add_list(const tacho_onnx_state *state, const tacho_pb_field *field,
                             tensor_proto *tensor)
{
    if (tensor->list != 0 && tensor->list != field->number) {
        return fail_tensor(state, tensor, "has values of two types");
    }
    size_t count = 1;
    if (field->number != FIELD_STRINGS) {
        TACHO_TRY(tacho_onnx_numbers_count(state, field, fixed_size_of(field->number), &count));
    }
    tensor->list = field->number;
    tensor->list_count += count;
    tensor->list_pieces++;
    tensor->list_last = field->bytes;
    return TACHO_OK;
}

static tacho_status take_field(const tacho_onnx_state *state, const tacho_pb_field *field,
                               tensor_proto *tensor)
{
    switch (field->number) {
    case FIELD_DATA_TYPE:
        if (!tacho_onnx_dtype(field->value, &tensor->dtype)) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, tensor->message.data,
                                   "tensor '%.*s' has the unknown data type %" PRIu64,
                                   TACHO_STR_ARG(tacho_onnx_shown(tensor->name)), field->value);
        }
        return TACHO_OK;
    case FIELD_SEGMENT:
        return fail_tensor(state, tensor, "is a segment of a tensor, which is not supported");
    case FIELD_FLOATS:
    case FIELD_INT32S:
    case FIELD_STRINGS:
    case FIELD_INT64S:
    case FIELD_DOUBLES:
    case FIELD_UINT64S:
        return add_list(state, field, tensor);
    case FIELD_RAW:
        tensor->has_raw = true;
        tensor->raw = field->bytes;
        return TACHO_OK;
    case FIELD_EXTERNAL:
        return tacho_onnx_read_external(state, field->bytes, &tensor->external);
    case FIELD_LOCATION:
        tensor->is_external = field->value == 1;
        return TACHO_OK;
    default:
        return TACHO_OK;
    }
}

/* The name first, since messages about everything else have it. */
static tacho_status find_name(const tacho_onnx_state *state, tensor_proto *tensor)
{
    tacho_pb_reader reader = tacho_onnx_open(state, tensor->message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &tensor_schema, &reader, &field, &got));
        if (field.number == FIELD_NAME) {
            tensor->name = field.bytes;
        }
    }
    return TACHO_OK;
}

static tacho_status scan(const tacho_onnx_state *state, tacho_str message, tensor_proto *out_tensor)
{
    tensor_proto *tensor = out_tensor;
    *tensor = (tensor_proto){.message = message, .name = TACHO_STR("")};
    tensor->external = (tacho_onnx_external){.at = message.data, .length = UINT64_MAX};
    TACHO_TRY(find_name(state, tensor));
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &tensor_schema, &reader, &field, &got));
        TACHO_TRY(take_field(state, &field, tensor));
    }
    if (tensor->dtype == TACHO_DTYPE_NONE) {
        return fail_tensor(state, tensor, "has no data type");
    }
    return read_dims(state, &tensor_schema, FIELD_DIMS, tensor);
}

/* ---- values --------------------------------------------------------------------------------- */

/* The field that lists values of a type. */
static uint32_t list_of(tacho_dtype dtype)
{
    switch ((int)dtype) {
    case TACHO_DTYPE_F32:
    case TACHO_DTYPE_C64:
        return FIELD_FLOATS;
    case TACHO_DTYPE_F64:
    case TACHO_DTYPE_C128:
        return FIELD_DOUBLES;
    case TACHO_DTYPE_I64:
        return FIELD_INT64S;
    case TACHO_DTYPE_U32:
    case TACHO_DTYPE_U64:
        return FIELD_UINT64S;
    case TACHO_DTYPE_STRING:
        return FIELD_STRINGS;
    default:
        return FIELD_INT32S;
    }
}

/* Bytes that one number of a list becomes: half a complex one, two or four small ones. */
static size_t number_bytes(tacho_dtype dtype)
{
    size_t bytes = tacho_dtype_element_bytes(dtype);
    bool is_complex = dtype == TACHO_DTYPE_C64 || dtype == TACHO_DTYPE_C128;
    return bytes == 0 ? 1 : is_complex ? bytes / 2 : bytes;
}

/* Whether a number, two's complement, is one of |size| bytes, signed or not. */
static bool fits(uint64_t number, size_t size)
{
    if (size == 8) {
        return true;
    }
    int64_t value = (int64_t)number;
    int64_t limit = (int64_t)1 << (8 * size);
    return value >= -(limit / 2) && value < limit;
}

static tacho_status copy_list(tacho_onnx_state *state, const tensor_proto *tensor,
                              uint64_t expected, const unsigned char **out_bytes)
{
    size_t size = number_bytes(tensor->dtype);
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&state->graph->arena, (size_t)expected, &memory));
    tacho_onnx_numbers numbers = {.schema = &tensor_schema,
                                  .number = tensor->list,
                                  .fixed_size = fixed_size_of(tensor->list),
                                  .fields = tacho_onnx_open(state, tensor->message)};
    unsigned char *to = memory;
    for (size_t i = 0;; i++) {
        uint64_t value;
        bool got;
        TACHO_TRY(tacho_onnx_numbers_next(state, &numbers, &value, &got));
        if (!got) {
            break;
        }
        if (i == tensor->list_count || !fits(value, size)) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, tensor->message.data,
                                   "tensor '%.*s': element %zu is %" PRId64
                                   ", which does not fit %s",
                                   TACHO_STR_ARG(tacho_onnx_shown(tensor->name)), i, (int64_t)value,
                                   tacho_dtype_name(tensor->dtype));
        }
        for (size_t byte = 0; byte < size; byte++) {
            *to++ = (unsigned char)(value >> (8 * byte));
        }
    }
    *out_bytes = memory;
    return TACHO_OK;
}

/* Values in a list of numbers; |expected| bytes of them. */
static tacho_status take_list(tacho_onnx_state *state, const tensor_proto *tensor,
                              uint64_t expected, const unsigned char **out_bytes)
{
    uint64_t wanted = expected / number_bytes(tensor->dtype);
    if (tensor->list_count != wanted) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, tensor->message.data,
                               "tensor '%.*s' has %zu values; its shape and type need %" PRIu64,
                               TACHO_STR_ARG(tacho_onnx_shown(tensor->name)), tensor->list_count,
                               wanted);
    }
    if (tensor->list_pieces == 1 && fixed_size_of(tensor->list) > 0 && tensor->list_last.len > 0) {
        *out_bytes = (const unsigned char *)tensor->list_last.data;
        return TACHO_OK;
    }
    return copy_list(state, tensor, expected, out_bytes);
}

static tacho_status take_raw(const tacho_onnx_state *state, const tensor_proto *tensor,
                             uint64_t expected, const unsigned char **out_bytes)
{
    if (tensor->raw.len != expected) {
        char shape[TACHO_SHAPE_TEXT_MAX];
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, tensor->raw.data,
                               "tensor '%.*s' has %zu bytes of data; %s of %s needs %" PRIu64,
                               TACHO_STR_ARG(tacho_onnx_shown(tensor->name)), tensor->raw.len,
                               tacho_shape_print(&tensor->shape, shape, sizeof(shape)),
                               tacho_dtype_name(tensor->dtype), expected);
    }
    *out_bytes = (const unsigned char *)tensor->raw.data;
    return TACHO_OK;
}

/* The tensor's bytes wherever they are; NULL when they are absent. */
static tacho_status find_bytes(tacho_onnx_state *state, const tensor_proto *tensor,
                               const unsigned char **out_bytes)
{
    static const unsigned char nothing[1] = {0};
    *out_bytes = NULL;
    uint64_t expected;
    if (!tacho_dtype_bytes(tensor->dtype, tensor->element_count, &expected)) {
        return fail_tensor(state, tensor, "has more than 2^63 bytes");
    }
    if (tensor->is_external) {
        return tacho_onnx_find_external(state, tensor->name, &tensor->external, expected,
                                        out_bytes);
    }
    if (tensor->has_raw && tensor->list == 0) {
        return take_raw(state, tensor, expected, out_bytes);
    }
    if (tensor->has_raw && tensor->raw.len > 0) {
        return fail_tensor(state, tensor, "has both raw and listed values");
    }
    if (tensor->list != 0 && tensor->list != list_of(tensor->dtype)) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, tensor->message.data,
                               "tensor '%.*s' is of type %s, its values are not",
                               TACHO_STR_ARG(tacho_onnx_shown(tensor->name)),
                               tacho_dtype_name(tensor->dtype));
    }
    if (tensor->list != 0) {
        return take_list(state, tensor, expected, out_bytes);
    }
    *out_bytes = expected == 0 ? nothing : NULL;
    return TACHO_OK;
}

/* Text is a constant, but nothing here computes with it. */
static tacho_status check_texts(const tacho_onnx_state *state, const tensor_proto *tensor)
{
    bool is_listed = tensor->list == FIELD_STRINGS || tensor->element_count == 0;
    return is_listed && tensor->list_count == tensor->element_count
               ? TACHO_OK
               : fail_tensor(state, tensor, "does not have a text for each element");
}

/* The same in every run and on every machine. */
static uint64_t seed_of(const tacho_onnx_state *state, tacho_str name)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < name.len; i++) {
        hash = (hash ^ (unsigned char)name.data[i]) * 0x100000001b3u;
    }
    uint64_t seed = state->options->has_random_weights ? state->options->seed : 0;
    return hash ^ seed * 0x9e3779b97f4a7c15u;
}

/* Matrices and filters of types that networks have weights in; not scales, means, indexes. */
static bool is_weight(const tensor_proto *tensor)
{
    bool is_weight_type = tacho_dtype_kind_of(tensor->dtype) == TACHO_DTYPE_REAL ||
                          tacho_dtype_is_packed(tensor->dtype) || tensor->dtype == TACHO_DTYPE_I8 ||
                          tensor->dtype == TACHO_DTYPE_U8 || tensor->dtype == TACHO_DTYPE_I16 ||
                          tensor->dtype == TACHO_DTYPE_U16;
    return is_weight_type && tensor->shape.rank >= 2 &&
           tensor->element_count >= RANDOM_ELEMENTS_MIN;
}

static tacho_status set_value(tacho_onnx_state *state, const tensor_proto *tensor, bool is_attr,
                              uint32_t id)
{
    tacho_graph *graph = state->graph;
    if (tensor->dtype == TACHO_DTYPE_STRING) {
        graph->tensors[id].is_constant = true;
        return tensor->is_external ? fail_tensor(state, tensor, "is text in another file")
                                   : check_texts(state, tensor);
    }
    tacho_constant constant = {.kind = TACHO_CONSTANT_BYTES};
    TACHO_TRY(find_bytes(state, tensor, &constant.bytes));
    bool is_absent = constant.bytes == NULL;
    bool is_wanted = state->options->has_random_weights && !is_attr && is_weight(tensor);
    bool is_real = tacho_dtype_kind_of(tensor->dtype) == TACHO_DTYPE_REAL;
    bool is_random = is_wanted || (is_absent && is_real && !state->options->has_zero_weights);
    if (is_random) {
        constant =
            (tacho_constant){.kind = TACHO_CONSTANT_RANDOM, .seed = seed_of(state, tensor->name)};
    } else if (is_absent) {
        constant.kind = TACHO_CONSTANT_SPLAT;
    }
    if (is_absent) {
        TACHO_TRY(
            tacho_graph_add_absent(graph, tacho_onnx_shown(tensor->name),
                                   tensor->is_external ? tensor->external.location : TACHO_STR(""),
                                   is_random ? TACHO_STAND_IN_RANDOM : TACHO_STAND_IN_ZEROS));
    } else {
        graph->random_weight_count += is_random ? 1 : 0;
    }
    return tacho_graph_set_constant(graph, id, &constant);
}

/* A tensor that nothing has defined yet. */
static tacho_status define(tacho_onnx_state *state, const tensor_proto *tensor,
                           uint32_t *out_tensor)
{
    if (tensor->name.len == 0) {
        return fail_tensor(state, tensor, "has no name: an initializer needs one");
    }
    TACHO_TRY(tacho_onnx_tensor_define(state, tensor->name, out_tensor));
    return state->graph->tensors[*out_tensor].is_constant
               ? fail_tensor(state, tensor, "is initialized twice")
               : TACHO_OK;
}

tacho_status tacho_onnx_read_tensor(tacho_onnx_state *state, tacho_str message, bool is_attr,
                                    uint32_t *out_tensor)
{
    tensor_proto tensor;
    TACHO_TRY(scan(state, message, &tensor));
    if (is_attr) {
        tacho_str name = tensor.name.len > TACHO_ONNX_NAME_MAX ? TACHO_STR("") : tensor.name;
        TACHO_TRY(tacho_graph_add_tensor(state->graph, name, out_tensor));
    } else {
        TACHO_TRY(define(state, &tensor, out_tensor));
    }
    tacho_tensor *made = &state->graph->tensors[*out_tensor];
    made->dtype = tensor.dtype;
    TACHO_TRY(tacho_graph_set_shape(state->graph, made, &tensor.shape));
    return set_value(state, &tensor, is_attr, *out_tensor);
}

/* Field 1 has the values and the name, field 3 the shape of the whole. */
tacho_status tacho_onnx_read_sparse(tacho_onnx_state *state, tacho_str message)
{
    tensor_proto tensor = {.name = TACHO_STR("")};
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &sparse_schema, &reader, &field, &got));
        if (field.number == 1) {
            TACHO_TRY(scan(state, field.bytes, &tensor));
        }
    }
    tensor.message = message;
    TACHO_TRY(read_dims(state, &sparse_schema, 3, &tensor));
    uint32_t id;
    TACHO_TRY(define(state, &tensor, &id));
    tacho_tensor *made = &state->graph->tensors[id];
    made->dtype = tensor.dtype;
    made->is_constant = true;
    TACHO_TRY(tacho_graph_set_shape(state->graph, made, &tensor.shape));
    state->graph->sparse_weight_count++;
    return TACHO_OK;
}

tacho_status tacho_onnx_tensor_file(tacho_graph *graph, const char *path, uint32_t *out_tensor)
{
    tacho_model_options options = {0};
    tacho_onnx_state state = {.graph = graph, .options = &options};
    TACHO_TRY(tacho_arena_copy(&graph->arena, tacho_str_from_cstring(path), &graph->path));
    TACHO_TRY(tacho_mappings_open(&graph->mappings, path, &state.bytes));
    tacho_arena_init(&state.arena);
    tacho_status status = tacho_onnx_read_tensor(&state, state.bytes, true, out_tensor);
    free(state.names);
    free(state.files);
    tacho_arena_deinit(&state.arena);
    return status;
}
