/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX files to a graph: the model, its graph and its nodes.
 *
 * The fields of a graph may be in any order, but a node can only be read when the tensors that it
 * may name are known, so the graph is walked once per kind of field: initializers, inputs, nodes,
 * outputs, values. A walk skips other fields without looking at them.
 */
#include "base/grow.h"
#include "codec/mlir_location.h"
#include "graph/model_facts.h"
#include "graph/onnx_reader.h"
#include "graph/onnx_scopes.h"
#include "graph/op_def.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET_IMPORT = 8,
    MODEL_FUNCTION = 25,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_VALUE_INFO = 13,
    GRAPH_SPARSE_INITIALIZER = 15,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    NODE_OVERLOAD = 8,
    NODE_METADATA = 9,
    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
};

enum { IR_VERSION_MAX = 1000, LOOK_FIELDS = 64 };

/* The limit of protobuf for a message; TACHO_STR_ARG relies on it, too. */
static const size_t file_bytes_max = (size_t)INT32_MAX;

static const uint8_t model_wires[] = {
    [1] = TACHO_ONNX_VARINT, [2] = TACHO_ONNX_BYTES,  [3] = TACHO_ONNX_BYTES,
    [4] = TACHO_ONNX_BYTES,  [5] = TACHO_ONNX_VARINT, [6] = TACHO_ONNX_BYTES,
    [7] = TACHO_ONNX_BYTES,  [8] = TACHO_ONNX_BYTES,  [14] = TACHO_ONNX_BYTES,
    [20] = TACHO_ONNX_BYTES, [25] = TACHO_ONNX_BYTES,
};
static const uint8_t opset_wires[] = {[1] = TACHO_ONNX_BYTES, [2] = TACHO_ONNX_VARINT};
static const uint8_t graph_wires[] = {
    [1] = TACHO_ONNX_BYTES,  [2] = TACHO_ONNX_BYTES,  [5] = TACHO_ONNX_BYTES,
    [10] = TACHO_ONNX_BYTES, [11] = TACHO_ONNX_BYTES, [12] = TACHO_ONNX_BYTES,
    [13] = TACHO_ONNX_BYTES, [14] = TACHO_ONNX_BYTES, [15] = TACHO_ONNX_BYTES,
};
static const uint8_t node_wires[] = {
    [1] = TACHO_ONNX_BYTES, [2] = TACHO_ONNX_BYTES, [3] = TACHO_ONNX_BYTES,
    [4] = TACHO_ONNX_BYTES, [5] = TACHO_ONNX_BYTES, [6] = TACHO_ONNX_BYTES,
    [7] = TACHO_ONNX_BYTES, [8] = TACHO_ONNX_BYTES, [9] = TACHO_ONNX_BYTES,
};
static const uint8_t entry_wires[] = {[1] = TACHO_ONNX_BYTES, [2] = TACHO_ONNX_BYTES};

static const tacho_onnx_schema model_schema = TACHO_ONNX_SCHEMA("ModelProto", model_wires);
static const tacho_onnx_schema opset_schema = TACHO_ONNX_SCHEMA("OperatorSetIdProto", opset_wires);
static const tacho_onnx_schema graph_schema = TACHO_ONNX_SCHEMA("GraphProto", graph_wires);
static const tacho_onnx_schema node_schema = TACHO_ONNX_SCHEMA("NodeProto", node_wires);
static const tacho_onnx_schema entry_schema =
    TACHO_ONNX_SCHEMA("StringStringEntryProto", entry_wires);

/* ---- whether it is ONNX --------------------------------------------------------------------- */

/* The first fields are those of a ModelProto, and among them is a version that makes sense. A
 * file that ends within them is one, too: it is cut. */
static bool is_mine(tacho_str bytes)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, bytes);
    bool has_version = false;
    bool got = true;
    for (size_t i = 0; got && i < LOOK_FIELDS; i++) {
        tacho_pb_field field;
        tacho_status status = tacho_pb_next(&reader, &field, &got);
        if (status != TACHO_OK) {
            tacho_status_free(status);
            return has_version;
        }
        uint32_t number = field.number;
        unsigned wires = number < sizeof(model_wires) ? model_wires[number] : 0;
        if (wires != 0 && wires != 1u << field.wire) {
            return false;
        }
        if (number == MODEL_IR_VERSION) {
            has_version = field.value > 0 && field.value <= IR_VERSION_MAX;
        }
    }
    return has_version;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* A NodeProto as written; inputs, outputs and attributes are in the state. */
typedef struct node_proto {
    tacho_str message;
    tacho_str name;
    tacho_str op_type;
    tacho_str domain;
    tacho_str overload; /* of a function that it calls */
    tacho_onnx_metadata metadata;
    size_t input_count;
} node_proto;

static bool is_standard(tacho_str domain)
{
    return domain.len == 0 || tacho_str_equal(domain, TACHO_STR("ai.onnx"));
}

static tacho_status add_link(tacho_onnx_state *state, tacho_str name, bool is_output)
{
    uint32_t tensor = TACHO_NONE;
    bool is_absent = !is_output && tacho_onnx_tensor_find(state, name) == TACHO_ONNX_ABSENT;
    if (name.len > 0 && !is_absent) {
        TACHO_TRY(is_output ? tacho_onnx_tensor_define(state, name, &tensor)
                            : tacho_onnx_tensor_ensure(state, name, &tensor));
    }
    TACHO_TRY(tacho_grow(&state->links, &state->link_capacity, state->link_count + 1));
    state->links[state->link_count++] = tensor;
    return TACHO_OK;
}

static tacho_status read_metadata(const tacho_onnx_state *state, tacho_str message,
                                  tacho_onnx_metadata *metadata)
{
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    tacho_str key = TACHO_STR("");
    tacho_str value = TACHO_STR("");
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &entry_schema, &reader, &field, &got));
        key = got && field.number == ENTRY_KEY ? field.bytes : key;
        value = got && field.number == ENTRY_VALUE ? field.bytes : value;
    }
    tacho_onnx_metadata_add(metadata, key, value);
    return TACHO_OK;
}

static tacho_status read_inputs(tacho_onnx_state *state, node_proto *node)
{
    tacho_pb_reader reader = tacho_onnx_open(state, node->message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &node_schema, &reader, &field, &got));
        if (field.number == NODE_INPUT) {
            TACHO_TRY(add_link(state, field.bytes, false));
            node->input_count++;
        } else if (field.number == NODE_NAME) {
            node->name = field.bytes;
        } else if (field.number == NODE_OP_TYPE) {
            node->op_type = field.bytes;
        } else if (field.number == NODE_DOMAIN) {
            node->domain = field.bytes;
        } else if (field.number == NODE_METADATA) {
            TACHO_TRY(read_metadata(state, field.bytes, &node->metadata));
        } else if (field.number == NODE_OVERLOAD) {
            node->overload = field.bytes;
        }
    }
    return TACHO_OK;
}

/*
 * One that nothing else makes; of two nodes with the same output, those that follow read the
 * second. A node cannot make the same twice.
 */
static tacho_status read_output(tacho_onnx_state *state, tacho_str name)
{
    TACHO_TRY(add_link(state, name, true));
    uint32_t *id = &state->links[state->link_count - 1];
    if (*id == TACHO_NONE) {
        return TACHO_OK;
    }
    uint32_t producer = state->graph->tensors[*id].producer;
    if (producer != TACHO_NONE && producer != state->graph->node_count) {
        TACHO_TRY(tacho_onnx_tensor_redefine(state, name, id));
        tacho_graph_add_note(
            state->graph, "nodes %" PRIu32 " and %zu both make '%.*s'; the second counts", producer,
            state->graph->node_count,
            TACHO_STR_ARG(tacho_str_make(name.data, name.len < 60 ? name.len : 60)));
    }
    tacho_tensor *tensor = &state->graph->tensors[*id];
    const char *other = tensor->producer != TACHO_NONE ? "another output"
                        : tensor->is_input             ? "an input of the model"
                        : tensor->is_constant          ? "an initializer"
                                                       : NULL;
    if (other != NULL) {
        return tacho_onnx_fail(
            state, TACHO_CODE_BAD_DATA, name.data, "node %zu produces '%.*s', which is already %s",
            state->graph->node_count, TACHO_STR_ARG(tacho_onnx_shown(name)), other);
    }
    tensor->producer = (uint32_t)state->graph->node_count; /* so that the node makes it once */
    return TACHO_OK;
}

static tacho_status read_rest(tacho_onnx_state *state, const node_proto *node)
{
    tacho_pb_reader reader = tacho_onnx_open(state, node->message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &node_schema, &reader, &field, &got));
        if (field.number == NODE_OUTPUT) {
            TACHO_TRY(read_output(state, field.bytes));
        } else if (field.number == NODE_ATTRIBUTE) {
            TACHO_TRY_NOTE(tacho_onnx_read_attr(state, field.bytes), "in node %zu '%.*s' (%.*s)",
                           state->graph->node_count, TACHO_STR_ARG(tacho_onnx_shown(node->name)),
                           TACHO_STR_ARG(tacho_onnx_shown(node->op_type)));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_type_name(tacho_onnx_state *state, tacho_str domain, tacho_str op_type,
                                  tacho_str *out_name)
{
    *out_name = op_type;
    if (is_standard(domain)) {
        return TACHO_OK;
    }
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&state->arena, domain.len + 1 + op_type.len, &memory));
    char *text = memory;
    memcpy(text, domain.data, domain.len);
    text[domain.len] = '.';
    memcpy(text + domain.len + 1, op_type.data, op_type.len);
    *out_name = tacho_str_make(text, domain.len + 1 + op_type.len);
    return TACHO_OK;
}

/* The version of a domain: the function's, where it has one, else the model's. */
static tacho_status find_version(tacho_onnx_state *state, tacho_str domain, int32_t *out_version)
{
    const tacho_onnx_call *call = tacho_onnx_call_now(state);
    tacho_onnx_name *entry = NULL;
    TACHO_TRY(tacho_onnx_name_ensure(state, domain, &entry));
    bool is_own = call != NULL && domain.len == 0 && call->opset > 0;
    *out_version = is_own ? call->opset : entry->opset > 0 ? entry->opset : 1;
    return TACHO_OK;
}

static tacho_status set_type(tacho_onnx_state *state, const node_proto *proto, tacho_node *node)
{
    tacho_str type, domain = is_standard(proto->domain) ? TACHO_STR("") : proto->domain;
    TACHO_TRY(find_version(state, domain, &node->opset));
    TACHO_TRY(tacho_onnx_type_name(state, domain, proto->op_type, &type));
    if (domain.len == 0 && tacho_str_find_byte(type, '.') == type.len) {
        node->def = tacho_op_def_find(type); /* one with a dot would be of another format */
    }
    return tacho_strings_ensure(&state->graph->strings, type, &node->type);
}

/* The node's name; in a function, prefixed with the name of the call. */
static tacho_status set_name(tacho_onnx_state *state, node_proto *proto, tacho_node *node)
{
    const tacho_onnx_call *call = tacho_onnx_call_now(state);
    tacho_str own = proto->name.len > 0 ? proto->name : proto->op_type;
    if (call != NULL && call->prefix.len > 0 && own.len < TACHO_ONNX_NAME_MAX / 2) {
        void *memory = NULL;
        TACHO_TRY(tacho_arena_alloc(&state->arena, call->prefix.len + own.len, &memory));
        memcpy(memory, call->prefix.data, call->prefix.len);
        memcpy((char *)memory + call->prefix.len, own.data, own.len);
        proto->name = tacho_str_make(memory, call->prefix.len + own.len);
    }
    return tacho_strings_ensure(&state->graph->strings, proto->name, &node->name);
}

/*
 * The node's name as a location, "Conv_12" where it has none; in it the layer and the line of the
 * program, where the exporter wrote them: "conv"("encoder/layer.3"("model.py":12:0)).
 */
static tacho_status set_location(tacho_onnx_state *state, const node_proto *proto, tacho_node *node)
{
    tacho_str name = proto->name;
    if (name.len == 0) {
        char place[24];
        int len = snprintf(place, sizeof(place), "_%" PRIu32, node->index);
        tacho_str type = proto->op_type;
        void *memory = NULL;
        TACHO_TRY(tacho_arena_alloc(&state->arena, type.len + (size_t)len, &memory));
        char *text = memory;
        memcpy(text, type.data, type.len);
        memcpy(text + type.len, place, (size_t)len);
        name = tacho_str_make(text, type.len + (size_t)len);
    }
    tacho_mlir_location_node nodes[3] = {{.kind = TACHO_MLIR_LOCATION_NAME, .text = name}};
    tacho_mlir_location location = {.nodes = nodes, .node_count = 1};
    tacho_mlir_location_node line = {.kind = TACHO_MLIR_LOCATION_FILE};
    tacho_str layer;
    tacho_str text;
    TACHO_TRY(tacho_onnx_metadata_layer(&proto->metadata, &state->arena, &layer));
    if (layer.len > 0) {
        nodes[location.node_count++] =
            (tacho_mlir_location_node){.kind = TACHO_MLIR_LOCATION_NAME, .text = layer};
    }
    if (tacho_onnx_metadata_line(&proto->metadata, &line.text, &line.line)) {
        nodes[location.node_count++] = line;
    }
    for (size_t i = 0; i < location.node_count; i++) {
        nodes[i].subtree_end = (uint32_t)location.node_count;
    }
    TACHO_TRY(tacho_mlir_location_print(&location, &state->arena, &text));
    return tacho_strings_ensure(&state->graph->strings, text, &node->location);
}

/* The modules and the operator of PyTorch that the node was made from. */
static tacho_status set_scope(tacho_onnx_state *state, const node_proto *proto, tacho_node *node)
{
    tacho_str scope = proto->metadata.name_space;
    bool is_kept = scope.len > 0 && scope.len <= TACHO_ONNX_NAME_MAX;
    return tacho_strings_ensure(&state->graph->strings, is_kept ? scope : TACHO_STR(""),
                                &node->scope);
}

static tacho_status check_names(const tacho_onnx_state *state, const node_proto *node)
{
    if (node->op_type.len == 0) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, node->message.data,
                               "node %zu has no operator", state->graph->node_count);
    }
    if (node->op_type.len > TACHO_ONNX_NAME_MAX || node->domain.len > TACHO_ONNX_NAME_MAX ||
        node->name.len > TACHO_ONNX_NAME_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_LIMIT, node->message.data,
                               "node %zu has a name of more than %d bytes",
                               state->graph->node_count, (int)TACHO_ONNX_NAME_MAX);
    }
    return TACHO_OK;
}

static tacho_status read_node(tacho_onnx_state *state, tacho_str message)
{
    tacho_graph *graph = state->graph;
    if (graph->node_count >= TACHO_ONNX_NODE_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_LIMIT, message.data, "more than %d nodes",
                               (int)TACHO_ONNX_NODE_MAX);
    }
    node_proto proto = {.message = message,
                        .name = TACHO_STR(""),
                        .domain = TACHO_STR(""),
                        .overload = TACHO_STR("")};
    tacho_node node = {.index = (uint32_t)graph->node_count};
    tacho_arena_reset(&state->arena);
    TACHO_TRY(tacho_grow(&state->links, &state->link_capacity, 1)); /* never NULL */
    state->link_count = 0;
    state->attr_count = 0;
    TACHO_TRY(read_inputs(state, &proto));
    TACHO_TRY(check_names(state, &proto));
    TACHO_TRY(read_rest(state, &proto));
    TACHO_TRY(set_type(state, &proto, &node));
    TACHO_TRY(set_name(state, &proto, &node));
    TACHO_TRY(set_location(state, &proto, &node));
    TACHO_TRY(set_scope(state, &proto, &node));
    TACHO_TRY(tacho_onnx_note_call(state, node.type, proto.overload));
    tacho_node_lists lists = {
        .inputs = state->links,
        .input_count = proto.input_count,
        .outputs = state->links + proto.input_count,
        .output_count = state->link_count - proto.input_count,
        .attrs = state->attrs,
        .attr_count = state->attr_count,
    };
    return tacho_graph_add_node(graph, &node, &lists);
}

/* ---- the graph ------------------------------------------------------------------------------ */

static tacho_status read_initializer(tacho_onnx_state *state, tacho_str message)
{
    uint32_t tensor;
    return tacho_onnx_read_tensor(state, message, false, &tensor);
}

static tacho_status read_name(tacho_onnx_state *state, tacho_str message)
{
    tacho_onnx_name *entry = NULL;
    TACHO_TRY(tacho_onnx_name_ensure(state, message, &entry));
    return tacho_strings_ensure(&state->graph->strings, message, &state->graph->name);
}

/* One walk over the graph's fields. */
static tacho_status walk(tacho_onnx_state *state, tacho_str graph, uint32_t number,
                         tacho_status (*read)(tacho_onnx_state *, tacho_str))
{
    tacho_pb_reader reader = tacho_onnx_open(state, graph);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &graph_schema, &reader, &field, &got));
        if (field.number == number) {
            TACHO_TRY(read(state, field.bytes));
        }
    }
    return TACHO_OK;
}

/* Every input of a node, from |first| on, is an input, a constant or made by a node. */
static tacho_status check_inputs(const tacho_onnx_state *state, size_t first)
{
    const tacho_graph *graph = state->graph;
    for (size_t i = first; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        for (size_t j = 0; j < node->input_count; j++) {
            const tacho_tensor *tensor = tacho_graph_input(graph, node, j);
            if (tensor != NULL && tensor->producer == TACHO_NONE && !tensor->is_input &&
                !tensor->is_constant) {
                return tacho_fail(
                    TACHO_CODE_BAD_DATA,
                    "%.*s: node %zu '%.*s' (%.*s) needs '%.*s', which no node produces",
                    TACHO_STR_ARG(graph->path), i,
                    TACHO_STR_ARG(tacho_onnx_shown(tacho_graph_string(graph, node->name))),
                    TACHO_STR_ARG(tacho_onnx_shown(tacho_graph_string(graph, node->type))),
                    TACHO_STR_ARG(tacho_onnx_shown(tacho_graph_string(graph, tensor->name))));
            }
        }
    }
    return TACHO_OK;
}

/* A kind of field and its reader. */
typedef struct graph_walk {
    uint32_t number;
    tacho_status (*read)(tacho_onnx_state *, tacho_str);
} graph_walk;

tacho_status tacho_onnx_read_body(tacho_onnx_state *state, tacho_str graph)
{
    static const graph_walk walks[] = {
        {GRAPH_INITIALIZER, read_initializer},
        {GRAPH_SPARSE_INITIALIZER, tacho_onnx_read_sparse},
        {GRAPH_NODE, read_node},
        {GRAPH_VALUE_INFO, tacho_onnx_read_value_info},
    };
    size_t first = state->graph->node_count;
    for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
        TACHO_TRY(walk(state, graph, walks[i].number, walks[i].read));
    }
    return check_inputs(state, first);
}

tacho_status tacho_onnx_read_function(tacho_onnx_state *state, tacho_str function)
{
    size_t first = state->graph->node_count;
    tacho_pb_reader reader = tacho_onnx_open(state, function);
    bool got = true;
    while (got) {
        tacho_str node;
        TACHO_TRY(tacho_onnx_next_function_node(state, &reader, &node, &got));
        if (got) {
            TACHO_TRY(read_node(state, node));
        }
    }
    return check_inputs(state, first);
}

tacho_status tacho_onnx_next_value(const tacho_onnx_state *state, tacho_pb_reader *reader,
                                   bool is_output, tacho_str *out_name, bool *out_got)
{
    tacho_pb_field field;
    uint32_t number = is_output ? GRAPH_OUTPUT : GRAPH_INPUT;
    do {
        TACHO_TRY(tacho_onnx_next(state, &graph_schema, reader, &field, out_got));
    } while (*out_got && field.number != number);
    return *out_got ? tacho_onnx_value_name(state, field.bytes, out_name) : TACHO_OK;
}

/* ---- bodies of control flow, in surveys ----------------------------------------------------- */

tacho_status tacho_onnx_note_body(tacho_onnx_state *state, tacho_str bytes)
{
    TACHO_TRY(tacho_grow(&state->bodies, &state->body_capacity, state->body_count + 1));
    state->bodies[state->body_count++] = bytes;
    return TACHO_OK;
}

/* A weight of a body is one more, and has no name outside. */
static tacho_status survey_initializer(tacho_onnx_state *state, tacho_str message)
{
    uint32_t id;
    return tacho_onnx_read_tensor(state, message, true, &id);
}

/* Values of constants, and bodies inside the body. */
static tacho_status survey_node(tacho_onnx_state *state, tacho_str message)
{
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &node_schema, &reader, &field, &got));
        if (field.number == NODE_ATTRIBUTE) {
            TACHO_TRY(tacho_onnx_read_attr(state, field.bytes));
            state->attr_count = 0;
        }
    }
    return TACHO_OK;
}

/* Bodies that are found on the way are added after the known ones. */
static tacho_status survey_bodies(tacho_onnx_state *state)
{
    for (size_t i = 0; i < state->body_count; i++) {
        tacho_str body = state->bodies[i];
        TACHO_TRY_NOTE(walk(state, body, GRAPH_INITIALIZER, survey_initializer),
                       "in a body of control flow");
        TACHO_TRY_NOTE(walk(state, body, GRAPH_NODE, survey_node), "in a body of control flow");
    }
    return TACHO_OK;
}

/* ---- the graph ------------------------------------------------------------------------------ */

static tacho_status read_graph(tacho_onnx_state *state, tacho_str graph)
{
    static const graph_walk walks[] = {
        {GRAPH_NAME, read_name},
        {GRAPH_INITIALIZER, read_initializer},
        {GRAPH_SPARSE_INITIALIZER, tacho_onnx_read_sparse},
        {GRAPH_INPUT, tacho_onnx_learn_dims},
        {GRAPH_INPUT, tacho_onnx_read_input},
        {GRAPH_NODE, read_node},
        {GRAPH_OUTPUT, tacho_onnx_read_output},
        {GRAPH_VALUE_INFO, tacho_onnx_read_value_info},
    };
    for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
        TACHO_TRY(walk(state, graph, walks[i].number, walks[i].read));
    }
    if (state->graph->node_count == 0 && state->graph->output_count == 0) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, graph.data, "the graph is empty");
    }
    TACHO_TRY(check_inputs(state, 0));
    TACHO_TRY(survey_bodies(state));
    return tacho_onnx_check_dims(state);
}

/* ---- the model ------------------------------------------------------------------------------ */

tacho_status tacho_onnx_read_version(const tacho_onnx_state *state, tacho_str message,
                                     tacho_str *out_domain, int32_t *out_version)
{
    uint64_t version = 0;
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    *out_domain = TACHO_STR("");
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &opset_schema, &reader, &field, &got));
        if (field.number == 1) {
            *out_domain = is_standard(field.bytes) ? TACHO_STR("") : field.bytes;
        } else if (field.number == 2) {
            version = field.value;
        }
    }
    if (version > INT32_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data,
                               "%" PRIu64 " is not a version of an operator set", version);
    }
    *out_version = (int32_t)version;
    return TACHO_OK;
}

static tacho_status read_opset(tacho_onnx_state *state, tacho_str message)
{
    tacho_str domain;
    int32_t version;
    tacho_onnx_name *entry = NULL;
    TACHO_TRY(tacho_onnx_read_version(state, message, &domain, &version));
    TACHO_TRY(tacho_onnx_name_ensure(state, domain, &entry));
    entry->opset = version;
    tacho_model_facts *facts = state->options->facts;
    return facts != NULL ? tacho_model_facts_add_opset(facts, domain, version) : TACHO_OK;
}

static void note_facts(tacho_model_facts *facts, const tacho_pb_field *field)
{
    if (field->number == MODEL_IR_VERSION) {
        facts->ir_version = (int64_t)field->value;
    } else if (field->number == MODEL_PRODUCER) {
        facts->producer = field->bytes;
    } else if (field->number == MODEL_PRODUCER_VERSION) {
        facts->producer_version = field->bytes;
    }
}

static tacho_status read_fields(tacho_onnx_state *state, tacho_str *out_graph, bool *out_has_graph)
{
    tacho_pb_reader reader = tacho_onnx_open(state, state->bytes);
    tacho_pb_field field;
    bool got = true;
    *out_has_graph = false;
    while (got) {
        TACHO_TRY_NOTE(tacho_onnx_next(state, &model_schema, &reader, &field, &got),
                       "the file is truncated or damaged");
        if (got && state->options->facts != NULL) {
            note_facts(state->options->facts, &field);
        }
        if (field.number == MODEL_OPSET_IMPORT) {
            TACHO_TRY(read_opset(state, field.bytes));
        } else if (field.number == MODEL_FUNCTION) {
            TACHO_TRY(tacho_onnx_add_function(state, field.bytes));
        } else if (field.number == MODEL_GRAPH && *out_has_graph) {
            return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, field.bytes.data, "a second graph");
        } else if (field.number == MODEL_GRAPH) {
            *out_graph = field.bytes;
            *out_has_graph = true;
        }
    }
    return TACHO_OK;
}

static tacho_status read_all(tacho_onnx_state *state)
{
    tacho_str graph = TACHO_STR("");
    bool has_graph = false;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&state->graph->arena, state->options->dim_count, &memory));
    state->is_dim_used = memory;
    TACHO_TRY(read_fields(state, &graph, &has_graph));
    if (!has_graph) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s: an ONNX model without a graph",
                          TACHO_STR_ARG(state->graph->path));
    }
    TACHO_TRY(read_graph(state, graph));
    state->first_count = state->graph->node_count + state->graph->tensor_count;
    return TACHO_OK;
}

/* Frees the state with all that it holds. */
static void onnx_state_free(tacho_onnx_state *state)
{
    free(state->learned);
    free(state->names);
    free(state->files);
    free(state->links);
    free(state->attrs);
    free(state->scopes);
    free(state->locals);
    free(state->branches);
    free(state->functions);
    free(state->calls);
    free(state->bodies);
    tacho_index_deinit(&state->local_index);
    tacho_arena_deinit(&state->arena);
    free(state);
}

static void close_state(void *self)
{
    onnx_state_free(self);
}

static tacho_status read_model(tacho_graph *graph, tacho_str bytes,
                               const tacho_model_options *options)
{
    if (bytes.len > file_bytes_max) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "%.*s: %zu bytes; an ONNX file has less than 2 GiB, larger weights are "
                          "external data",
                          TACHO_STR_ARG(graph->path), bytes.len);
    }
    tacho_onnx_state *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return tacho_no_memory();
    }
    graph->trusts_inference = true;
    state->graph = graph;
    state->options = options;
    state->bytes = bytes;
    tacho_arena_init(&state->arena);
    tacho_status status = read_all(state);
    if (status != TACHO_OK || state->branch_count == 0) {
        onnx_state_free(state);
        return status;
    }
    graph->branches = (tacho_branches){state,
                                       tacho_onnx_has_body,
                                       tacho_onnx_find_body,
                                       tacho_onnx_enter_body,
                                       tacho_onnx_take_branch,
                                       close_state};
    return TACHO_OK;
}

const tacho_model_reader tacho_onnx_reader = {"onnx", is_mine, read_model};
