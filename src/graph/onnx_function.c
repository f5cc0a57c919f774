/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that a model defines. A node that names one by domain, operator and overload calls it:
 * when inference reaches the node, the nodes of the function take its place, with the names of the
 * function's inputs bound to the call's arguments. They see no other names, and attributes that
 * refer to those of the call have their values.
 */
#include "base/grow.h"
#include "graph/onnx_reader.h"

enum {
    FUNCTION_NAME = 1,
    FUNCTION_INPUT = 4,
    FUNCTION_OUTPUT = 5,
    FUNCTION_NODE = 7,
    FUNCTION_OPSET = 9,
    FUNCTION_DOMAIN = 10,
    FUNCTION_DEFAULT = 11, /* of an attribute */
    FUNCTION_OVERLOAD = 13,
    PREFIX_MAX = 200,
    CALL_ATTRS_MAX = 1024,
};

static const uint8_t function_wires[] = {
    [FUNCTION_NAME] = TACHO_ONNX_BYTES,    [FUNCTION_INPUT] = TACHO_ONNX_BYTES,
    [FUNCTION_OUTPUT] = TACHO_ONNX_BYTES,  [FUNCTION_NODE] = TACHO_ONNX_BYTES,
    [FUNCTION_OPSET] = TACHO_ONNX_BYTES,   [FUNCTION_DOMAIN] = TACHO_ONNX_BYTES,
    [FUNCTION_DEFAULT] = TACHO_ONNX_BYTES, [FUNCTION_OVERLOAD] = TACHO_ONNX_BYTES,
};

static const tacho_onnx_schema function_schema = TACHO_ONNX_SCHEMA("FunctionProto", function_wires);

/* ---- which there are ------------------------------------------------------------------------ */

tacho_status tacho_onnx_add_function(tacho_onnx_state *state, tacho_str message)
{
    tacho_str name = TACHO_STR(""), domain = name, overload = name, type;
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &function_schema, &reader, &field, &got));
        name = field.number == FUNCTION_NAME ? field.bytes : name;
        domain = field.number == FUNCTION_DOMAIN ? field.bytes : domain;
        overload = field.number == FUNCTION_OVERLOAD ? field.bytes : overload;
    }
    if (name.len == 0 || name.len > TACHO_ONNX_NAME_MAX || domain.len > TACHO_ONNX_NAME_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data,
                               "a function has no name, or one of more than %d bytes",
                               (int)TACHO_ONNX_NAME_MAX);
    }
    tacho_onnx_name *entry = NULL;
    tacho_arena_reset(&state->arena);
    TACHO_TRY(tacho_onnx_type_name(state, domain, name, &type));
    TACHO_TRY(tacho_onnx_name_ensure(state, type, &entry));
    TACHO_TRY(tacho_grow(&state->functions, &state->function_capacity, state->function_count + 1));
    state->functions[state->function_count] =
        (tacho_onnx_function){.bytes = message, .overload = overload, .same = entry->function};
    entry->function = (uint32_t)state->function_count++;
    return TACHO_OK;
}

tacho_status tacho_onnx_note_call(tacho_onnx_state *state, uint32_t type, tacho_str overload)
{
    uint32_t at = type < state->name_count ? state->names[type].function : TACHO_NONE;
    while (at != TACHO_NONE && !tacho_str_equal(state->functions[at].overload, overload)) {
        at = state->functions[at].same;
    }
    return at == TACHO_NONE
               ? TACHO_OK
               : tacho_onnx_add_branch(state, TACHO_BODY_CALL, state->functions[at].bytes);
}

/* The bytes of the next field |number|. */
static tacho_status next_field(const tacho_onnx_state *state, tacho_pb_reader *reader,
                               uint32_t number, tacho_str *out_bytes, bool *out_got)
{
    tacho_pb_field field;
    do {
        TACHO_TRY(tacho_onnx_next(state, &function_schema, reader, &field, out_got));
    } while (*out_got && field.number != number);
    *out_bytes = field.bytes;
    return TACHO_OK;
}

/* ---- calls ---------------------------------------------------------------------------------- */

const tacho_onnx_call *tacho_onnx_call_now(const tacho_onnx_state *state)
{
    uint32_t call =
        state->scope < state->scope_count ? state->scopes[state->scope].call : TACHO_NONE;
    return call == TACHO_NONE ? NULL : &state->calls[call];
}

/* The version of the standard domain that a function is written for. */
static tacho_status find_opset(const tacho_onnx_state *state, tacho_str function,
                               int32_t *out_opset)
{
    tacho_pb_reader reader = tacho_onnx_open(state, function);
    tacho_pb_field field;
    bool got = true;
    *out_opset = 0;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &function_schema, &reader, &field, &got));
        if (field.number == FUNCTION_OPSET) {
            tacho_str domain;
            int32_t version;
            TACHO_TRY(tacho_onnx_read_version(state, field.bytes, &domain, &version));
            *out_opset = domain.len == 0 ? version : *out_opset;
        }
    }
    return TACHO_OK;
}

/* "CALL/", or nothing where that would be long. */
static tacho_status make_prefix(tacho_onnx_state *state, tacho_str name, tacho_str *out_prefix)
{
    void *memory = NULL;
    *out_prefix = TACHO_STR("");
    if (name.len == 0 || name.len > PREFIX_MAX) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_alloc(&state->graph->arena, name.len + 1, &memory));
    memcpy(memory, name.data, name.len);
    ((char *)memory)[name.len] = '/';
    *out_prefix = tacho_str_make(memory, name.len + 1);
    return TACHO_OK;
}

/* Reads the defaults of a function's attributes, after those that the call gives. */
static tacho_status read_defaults(tacho_onnx_state *state, tacho_str function)
{
    tacho_pb_reader reader = tacho_onnx_open(state, function);
    tacho_str message;
    bool got = true;
    size_t branch_count = state->branch_count;
    while (got) {
        TACHO_TRY(next_field(state, &reader, FUNCTION_DEFAULT, &message, &got));
        if (got && state->attr_count >= CALL_ATTRS_MAX) {
            return tacho_onnx_fail(state, TACHO_CODE_LIMIT, message.data,
                                   "a call of a function with more than %d attributes",
                                   (int)CALL_ATTRS_MAX);
        }
        if (got) {
            TACHO_TRY(tacho_onnx_read_attr(state, message));
        }
    }
    state->branch_count = branch_count; /* graphs as defaults are not entered */
    return TACHO_OK;
}

/* The attributes that nodes of a function may refer to: the first of a name counts. */
static tacho_status collect_attrs(tacho_onnx_state *state, const tacho_node *node,
                                  tacho_onnx_call *call)
{
    tacho_graph *graph = state->graph;
    size_t given = node->attr_count < CALL_ATTRS_MAX ? node->attr_count : CALL_ATTRS_MAX;
    TACHO_TRY(tacho_grow(&state->attrs, &state->attr_capacity, given + 1));
    for (size_t i = 0; i < given; i++) {
        state->attrs[i] = graph->attrs[node->first_attr + i];
    }
    state->attr_count = given;
    TACHO_TRY(read_defaults(state, call->function));
    TACHO_TRY(
        tacho_grow(&graph->attrs, &graph->attr_capacity, graph->attr_count + state->attr_count));
    call->first_attr = (uint32_t)graph->attr_count;
    call->attr_count = (uint32_t)state->attr_count;
    for (size_t i = 0; i < state->attr_count; i++) {
        graph->attrs[graph->attr_count++] = state->attrs[i];
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_add_call(tacho_onnx_state *state, const tacho_node *node,
                                 tacho_str function, uint32_t *out_call)
{
    tacho_onnx_call call = {.function = function};
    tacho_str name = tacho_graph_string(state->graph, node->name);
    TACHO_TRY(find_opset(state, function, &call.opset));
    TACHO_TRY(make_prefix(state, name, &call.prefix));
    TACHO_TRY(collect_attrs(state, node, &call));
    TACHO_TRY(tacho_grow(&state->calls, &state->call_capacity, state->call_count + 1));
    *out_call = (uint32_t)state->call_count;
    state->calls[state->call_count++] = call;
    return TACHO_OK;
}

/* ---- its contents --------------------------------------------------------------------------- */

tacho_status tacho_onnx_next_parameter(const tacho_onnx_state *state, tacho_pb_reader *reader,
                                       bool is_output, tacho_str *out_name, bool *out_got)
{
    return next_field(state, reader, is_output ? FUNCTION_OUTPUT : FUNCTION_INPUT, out_name,
                      out_got);
}

tacho_status tacho_onnx_next_function_node(const tacho_onnx_state *state, tacho_pb_reader *reader,
                                           tacho_str *out_node, bool *out_got)
{
    return next_field(state, reader, FUNCTION_NODE, out_node, out_got);
}
