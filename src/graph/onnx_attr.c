/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of nodes. The attribute's type determines the field of the value; old files, without
 * types, have one field only, which is the value.
 */
#include "base/grow.h"
#include "graph/onnx_reader.h"

#include <inttypes.h>

enum {
    FIELD_NAME = 1,
    FIELD_F = 2,
    FIELD_I = 3,
    FIELD_S = 4,
    FIELD_T = 5,
    FIELD_G = 6,
    FIELD_FLOATS = 7,
    FIELD_INTS = 8,
    FIELD_STRINGS = 9,
    FIELD_GRAPHS = 11,
    FIELD_TYPE = 20,
    FIELD_REFERENCE = 21, /* in functions: the attribute of the call that has the value */
    FIELD_COUNT = 22,
};

static const uint8_t attr_wires[FIELD_COUNT] = {
    [FIELD_NAME] = TACHO_ONNX_BYTES,
    [FIELD_F] = TACHO_ONNX_FIXED32,
    [FIELD_I] = TACHO_ONNX_VARINT,
    [FIELD_S] = TACHO_ONNX_BYTES,
    [FIELD_T] = TACHO_ONNX_BYTES,
    [FIELD_G] = TACHO_ONNX_BYTES,
    [FIELD_FLOATS] = TACHO_ONNX_BYTES | TACHO_ONNX_FIXED32,
    [FIELD_INTS] = TACHO_ONNX_BYTES | TACHO_ONNX_VARINT,
    [FIELD_STRINGS] = TACHO_ONNX_BYTES,
    [FIELD_GRAPHS] = TACHO_ONNX_BYTES,
    [FIELD_TYPE] = TACHO_ONNX_VARINT,
    [FIELD_REFERENCE] = TACHO_ONNX_BYTES,
};
static const uint8_t graph_wires[] = {0, TACHO_ONNX_BYTES};

static const tacho_onnx_schema attr_schema = TACHO_ONNX_SCHEMA("AttributeProto", attr_wires);
static const tacho_onnx_schema graph_schema = TACHO_ONNX_SCHEMA("GraphProto", graph_wires);

/* By AttributeProto.AttributeType: the field of the value; 0 for types not used here. */
static const uint8_t field_of_type[] = {
    0, FIELD_F,      FIELD_I, FIELD_S, FIELD_T, FIELD_G, FIELD_FLOATS, FIELD_INTS, FIELD_STRINGS,
    0, FIELD_GRAPHS, 0,       0,       0,       0,
};

/* An AttributeProto as written. */
typedef struct attr_proto {
    tacho_str message;
    tacho_str name;
    uint64_t type; /* 0 when not given */
    uint32_t last; /* the last field of a value */
    uint64_t f, i;
    tacho_str s, t, g, reference;
    int64_t graph_nodes;
    size_t counts[FIELD_COUNT]; /* of lists */
} attr_proto;

/* How many nodes a GraphProto has. */
static tacho_status onnx_count_nodes(const tacho_onnx_state *state, tacho_str message,
                                     int64_t *out_count)
{
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    *out_count = 0;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &graph_schema, &reader, &field, &got));
        *out_count += field.number == 1;
    }
    return TACHO_OK;
}

static tacho_status take_field(const tacho_onnx_state *state, const tacho_pb_field *field,
                               attr_proto *attr)
{
    bool is_value = field->number >= FIELD_F && field->number <= FIELD_GRAPHS;
    attr->last = is_value ? field->number : attr->last;
    size_t count = 0;
    int64_t nodes = 0;
    switch (field->number) {
    case FIELD_NAME:
        attr->name = field->bytes;
        break;
    case FIELD_F:
        attr->f = field->value;
        break;
    case FIELD_I:
        attr->i = field->value;
        break;
    case FIELD_S:
        attr->s = field->bytes;
        break;
    case FIELD_T:
        attr->t = field->bytes;
        break;
    case FIELD_G:
    case FIELD_GRAPHS:
        TACHO_TRY(onnx_count_nodes(state, field->bytes, &nodes));
        attr->graph_nodes += nodes;
        attr->g = field->bytes;
        break;
    case FIELD_FLOATS:
    case FIELD_INTS:
        TACHO_TRY(
            tacho_onnx_numbers_count(state, field, field->number == FIELD_FLOATS ? 4 : 0, &count));
        attr->counts[field->number] += count;
        break;
    case FIELD_STRINGS:
        attr->counts[FIELD_STRINGS]++;
        break;
    case FIELD_TYPE:
        attr->type = field->value;
        break;
    case FIELD_REFERENCE:
        attr->reference = field->bytes;
        break;
    default:
        break;
    }
    return TACHO_OK;
}

static tacho_status scan(const tacho_onnx_state *state, tacho_str message, attr_proto *out_attr)
{
    tacho_str nothing = tacho_str_make(message.data, 0);
    *out_attr = (attr_proto){
        .message = message, .s = nothing, .t = nothing, .g = nothing, .reference = nothing};
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &attr_schema, &reader, &field, &got));
        TACHO_TRY(take_field(state, &field, out_attr));
    }
    if (out_attr->name.len == 0) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data,
                               "an attribute has no name");
    }
    return TACHO_OK;
}

static double real_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof(value));
    return (double)value;
}

/* The list of field |number|, integers or reals, in the graph's arena. */
static tacho_status read_numbers(tacho_onnx_state *state, const attr_proto *attr, uint32_t number,
                                 tacho_attr *out_attr)
{
    bool is_real = number == FIELD_FLOATS;
    size_t count = attr->counts[number];
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&state->graph->arena, count * sizeof(int64_t), &memory));
    int64_t *ints = memory;
    double *reals = memory;
    tacho_onnx_numbers numbers = {.schema = &attr_schema,
                                  .number = number,
                                  .fixed_size = is_real ? 4 : 0,
                                  .fields = tacho_onnx_open(state, attr->message)};
    for (size_t i = 0;; i++) {
        uint64_t value;
        bool got;
        TACHO_TRY(tacho_onnx_numbers_next(state, &numbers, &value, &got));
        if (!got || i == count) {
            break;
        }
        if (is_real) {
            reals[i] = real_of(value);
        } else {
            ints[i] = (int64_t)value;
        }
    }
    out_attr->count = (uint32_t)count;
    if (is_real) {
        out_attr->value.as_reals = reals;
    } else {
        out_attr->value.as_ints = ints;
    }
    return TACHO_OK;
}

static tacho_status read_texts(tacho_onnx_state *state, const attr_proto *attr,
                               tacho_attr *out_attr)
{
    size_t count = attr->counts[FIELD_STRINGS];
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&state->graph->arena, count * sizeof(tacho_str), &memory));
    tacho_str *texts = memory;
    tacho_pb_reader reader = tacho_onnx_open(state, attr->message);
    tacho_pb_field field;
    bool got = true;
    for (size_t i = 0; got && i < count;) {
        TACHO_TRY(tacho_onnx_next(state, &attr_schema, &reader, &field, &got));
        if (field.number == FIELD_STRINGS) {
            texts[i++] = field.bytes;
        }
    }
    out_attr->count = (uint32_t)count;
    out_attr->value.as_texts = texts;
    return TACHO_OK;
}

static tacho_status read_value(tacho_onnx_state *state, const attr_proto *attr, uint32_t number,
                               tacho_attr *out_attr)
{
    switch (number) {
    case FIELD_F:
        out_attr->kind = TACHO_ATTR_REAL;
        out_attr->value.as_real = real_of(attr->f);
        return TACHO_OK;
    case FIELD_I:
        out_attr->kind = TACHO_ATTR_INT;
        out_attr->value.as_int = (int64_t)attr->i;
        return TACHO_OK;
    case FIELD_S:
        out_attr->kind = TACHO_ATTR_TEXT;
        out_attr->value.as_text = attr->s;
        return TACHO_OK;
    case FIELD_T:
        out_attr->kind = TACHO_ATTR_TENSOR;
        return tacho_onnx_read_tensor(state, attr->t, true, &out_attr->value.as_tensor);
    case FIELD_G:
    case FIELD_GRAPHS:
        out_attr->kind = TACHO_ATTR_GRAPH;
        out_attr->value.as_int = attr->graph_nodes;
        if (number != FIELD_G) {
            return TACHO_OK;
        }
        return state->options->facts != NULL ? tacho_onnx_note_body(state, attr->g)
                                             : tacho_onnx_note_branch(state, attr->name, attr->g);
    case FIELD_FLOATS:
        out_attr->kind = TACHO_ATTR_REALS;
        return read_numbers(state, attr, number, out_attr);
    case FIELD_INTS:
        out_attr->kind = TACHO_ATTR_INTS;
        return read_numbers(state, attr, number, out_attr);
    case FIELD_STRINGS:
        out_attr->kind = TACHO_ATTR_TEXTS;
        return read_texts(state, attr, out_attr);
    default:
        out_attr->kind = TACHO_ATTR_OTHER;
        return TACHO_OK;
    }
}

static tacho_status add_attr(tacho_onnx_state *state, const tacho_attr *attr)
{
    TACHO_TRY(tacho_grow(&state->attrs, &state->attr_capacity, state->attr_count + 1));
    state->attrs[state->attr_count++] = *attr;
    return TACHO_OK;
}

/* Reads the value of an attribute that has one. */
static tacho_status read_own(tacho_onnx_state *state, const attr_proto *attr, tacho_attr *out_attr)
{
    if (attr->type >= sizeof(field_of_type)) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, attr->message.data,
                               "attribute '%.*s' is of type %" PRIu64 ", which is not known",
                               TACHO_STR_ARG(tacho_onnx_shown(attr->name)), attr->type);
    }
    *out_attr = (tacho_attr){.name = attr->name, .kind = TACHO_ATTR_OTHER};
    uint32_t number = attr->type == 0 ? attr->last : field_of_type[attr->type];
    return read_value(state, attr, number, out_attr);
}

/* The value that the call or the function gives; no attribute when neither does. */
static tacho_status read_reference(tacho_onnx_state *state, const attr_proto *attr)
{
    const tacho_onnx_call *call = tacho_onnx_call_now(state);
    if (call == NULL) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, attr->message.data,
                               "attribute '%.*s' refers to one of a call, outside a function",
                               TACHO_STR_ARG(tacho_onnx_shown(attr->name)));
    }
    const tacho_attr *given = state->graph->attrs + call->first_attr;
    for (uint32_t i = 0; i < call->attr_count; i++) {
        if (tacho_str_equal(given[i].name, attr->reference)) {
            tacho_attr made = given[i];
            made.name = attr->name;
            return add_attr(state, &made);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_read_attr(tacho_onnx_state *state, tacho_str message)
{
    attr_proto attr;
    tacho_attr made;
    TACHO_TRY(scan(state, message, &attr));
    if (attr.reference.len > 0) {
        return read_reference(state, &attr);
    }
    TACHO_TRY(read_own(state, &attr, &made));
    return add_attr(state, &made);
}
