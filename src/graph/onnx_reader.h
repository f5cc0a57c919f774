/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the ONNX reader: the state of one reading, and messages by schema.
 *
 * Everything is a view of the file: a message is the bytes of its field, and its offset is that of
 * these bytes. Graphs in attributes and functions are not entered when a node is read, so depth
 * costs nothing; they are read when inference reaches the node.
 */
#ifndef TACHO_GRAPH_ONNX_READER_H
#define TACHO_GRAPH_ONNX_READER_H

#include "codec/protobuf.h"
#include "graph/model.h"

enum {
    TACHO_ONNX_NODE_MAX = 1 << 24,
    TACHO_ONNX_TENSOR_MAX = 1 << 26,
    TACHO_ONNX_NAME_MAX = 1 << 16,
    TACHO_ONNX_DEPTH_MAX = 64, /* of graphs in graphs that are entered */
    /* Nodes and tensors of graphs that are entered, and of the nodes that join them, in all. */
    TACHO_ONNX_ENTERED_MAX = 1 << 18,
};

/* Wire types that a field may have. */
enum {
    TACHO_ONNX_VARINT = 1 << TACHO_PB_WIRE_VARINT,
    TACHO_ONNX_FIXED64 = 1 << TACHO_PB_WIRE_FIXED64,
    TACHO_ONNX_BYTES = 1 << TACHO_PB_WIRE_BYTES,
    TACHO_ONNX_FIXED32 = 1 << TACHO_PB_WIRE_FIXED32,
};

/* A message of ONNX: |wires[n]| are the wire types of field n, 0 for one that is skipped unseen. */
typedef struct tacho_onnx_schema {
    const char *name; /* "NodeProto" */
    const uint8_t *wires;
    size_t wire_count;
} tacho_onnx_schema;

#define TACHO_ONNX_SCHEMA(name, wires)                                                             \
    {                                                                                              \
        (name), (wires), sizeof(wires)                                                             \
    }

/* The meaning of a name. */
typedef struct tacho_onnx_name {
    uint32_t tensor;   /* or TACHO_NONE */
    uint32_t file;     /* of external data, or TACHO_NONE */
    int32_t opset;     /* of this domain; 0 when it is not imported */
    uint32_t function; /* the last one of the model that is called so, or TACHO_NONE */
} tacho_onnx_name;

/* The meaning of a function's name for an input that the call leaves out. */
#define TACHO_ONNX_ABSENT (TACHO_NONE - 1)

/* A function that the model defines: a FunctionProto. */
typedef struct tacho_onnx_function {
    tacho_str bytes;
    tacho_str overload;
    uint32_t same; /* another one of this name, or TACHO_NONE */
} tacho_onnx_function;

/* One call of a function, as the nodes inside it see it. */
typedef struct tacho_onnx_call {
    tacho_str function;              /* its bytes */
    tacho_str prefix;                /* of the names of nodes */
    uint32_t first_attr, attr_count; /* that nodes may refer to, in the graph's attributes */
    int32_t opset;                   /* of the standard domain; 0 when unknown */
} tacho_onnx_call;

/* A file of external data. */
typedef struct tacho_onnx_file {
    tacho_str bytes;
    bool is_absent;
} tacho_onnx_file;

/* A graph whose names are seen in it and in the graphs of its nodes. 0 is the model's. */
typedef struct tacho_onnx_scope {
    uint32_t parent;
    uint32_t depth;
    uint32_t call;  /* that it is of, or inside of; TACHO_NONE: of none */
    bool is_closed; /* names of its parents are not seen: a function */
} tacho_onnx_scope;

/* A name of a scope other than the model's. */
typedef struct tacho_onnx_local {
    uint32_t scope;
    uint32_t name; /* string of the graph */
    uint32_t tensor;
} tacho_onnx_local;

/* A graph of a node. */
typedef struct tacho_onnx_branch {
    uint32_t node; /* its |index| */
    uint32_t scope;
    tacho_body body;
    tacho_str bytes; /* a GraphProto, of a call a FunctionProto */
} tacho_onnx_branch;

/* One reading. */
typedef struct tacho_onnx_state {
    tacho_graph *graph;
    const tacho_model_options *options;
    tacho_str bytes;          /* the whole file */
    tacho_arena arena;        /* scratch, for one node */
    bool *is_dim_used;        /* by option */
    char missing[512];        /* the sizes to give, "NAME=VALUE" each; an empty one ends them */
    bool has_batch;           /* a dimension without a value became 1 */
    tacho_str batch;          /* the name of the dimension that became 1, or empty */
    tacho_str problem;        /* the first dimension without a value, in the graph's arena */
    tacho_model_dim *learned; /* dimensions by name, from the shapes of values that are given */
    size_t learned_count, learned_capacity;
    size_t named_count;     /* inputs whose names have been read for that */
    bool is_reshaped;       /* such a shape contradicts the file: its other shapes may be wrong */
    tacho_onnx_name *names; /* by string of the graph */
    size_t name_count, name_capacity;
    tacho_onnx_file *files;
    size_t file_count, file_capacity;
    uint32_t *links; /* of the node being read: inputs, then outputs */
    size_t link_count, link_capacity;
    tacho_attr *attrs; /* of the node being read */
    size_t attr_count, attr_capacity;
    uint32_t scope; /* of the graph being read */
    tacho_onnx_scope *scopes;
    size_t scope_count, scope_capacity;
    tacho_onnx_local *locals;
    size_t local_count, local_capacity;
    tacho_index local_index;     /* of |locals| */
    tacho_onnx_branch *branches; /* by node */
    size_t branch_count, branch_capacity;
    size_t first_count; /* nodes and tensors of the model before any was entered */
    tacho_onnx_function *functions;
    size_t function_count, function_capacity;
    tacho_onnx_call *calls;
    size_t call_count, call_capacity;
    tacho_str *bodies; /* surveys: graphs of control flow, whose weights are counted */
    size_t body_count, body_capacity;
} tacho_onnx_state;

/* ---- onnx_wire.c: messages ---- */

/* A failure at |at|, a byte of the file: "model.onnx: byte 123: ...". */
tacho_status tacho_onnx_fail(const tacho_onnx_state *state, tacho_code code, const char *at,
                             const char *format, ...) TACHO_PRINTF(4, 5) TACHO_MUST_USE;

/* At most the first bytes of a name, for messages. */
tacho_str tacho_onnx_shown(tacho_str name);

tacho_pb_reader tacho_onnx_open(const tacho_onnx_state *state, tacho_str message);

/* The next field of a message; one that the schema knows has a wire type of the schema. */
tacho_status tacho_onnx_next(const tacho_onnx_state *state, const tacho_onnx_schema *schema,
                             tacho_pb_reader *reader, tacho_pb_field *out_field,
                             bool *out_got) TACHO_MUST_USE;

/* Numbers of a repeated field, packed or not, one after another. */
typedef struct tacho_onnx_numbers {
    const tacho_onnx_schema *schema;
    uint32_t number;        /* of the field */
    size_t fixed_size;      /* 4, 8, or 0 for varints */
    tacho_pb_reader fields; /* of the message */
    tacho_pb_reader packed;
} tacho_onnx_numbers;

tacho_status tacho_onnx_numbers_next(const tacho_onnx_state *state, tacho_onnx_numbers *numbers,
                                     uint64_t *out_value, bool *out_got) TACHO_MUST_USE;

/* How many of them |field| holds; those of |fixed_size| must fill it, see above. */
tacho_status tacho_onnx_numbers_count(const tacho_onnx_state *state, const tacho_pb_field *field,
                                      size_t fixed_size, size_t *out_count) TACHO_MUST_USE;

/* The entry of |name|, made where it is new. */
tacho_status tacho_onnx_name_ensure(tacho_onnx_state *state, tacho_str name,
                                    tacho_onnx_name **out_entry) TACHO_MUST_USE;

/* The tensor that |name| means here, made in this scope where there is none. */
tacho_status tacho_onnx_tensor_ensure(tacho_onnx_state *state, tacho_str name,
                                      uint32_t *out_tensor) TACHO_MUST_USE;

/* The tensor called |name| in this scope itself, made where it is new. */
tacho_status tacho_onnx_tensor_define(tacho_onnx_state *state, tacho_str name,
                                      uint32_t *out_tensor) TACHO_MUST_USE;

/* Another tensor called |name| in this scope, which it means from here on. */
tacho_status tacho_onnx_tensor_redefine(tacho_onnx_state *state, tacho_str name,
                                        uint32_t *out_tensor) TACHO_MUST_USE;

/* Makes |name| mean |tensor| in this scope, which is not the model's. */
tacho_status tacho_onnx_tensor_bind(tacho_onnx_state *state, tacho_str name,
                                    uint32_t tensor) TACHO_MUST_USE;

/* The tensor that |name| means here, or TACHO_NONE; and that of this scope itself. */
uint32_t tacho_onnx_tensor_find(const tacho_onnx_state *state, tacho_str name);
uint32_t tacho_onnx_tensor_find_own(const tacho_onnx_state *state, tacho_str name);

/* ---- onnx.c: graphs ---- */

/* Reads the constants, the nodes and the value types of a GraphProto. */
tacho_status tacho_onnx_read_body(tacho_onnx_state *state, tacho_str graph) TACHO_MUST_USE;

/* The same of a FunctionProto. */
tacho_status tacho_onnx_read_function(tacho_onnx_state *state, tacho_str function) TACHO_MUST_USE;

/* The name of the next input or output of a GraphProto that |reader| goes through. */
tacho_status tacho_onnx_next_value(const tacho_onnx_state *state, tacho_pb_reader *reader,
                                   bool is_output, tacho_str *out_name,
                                   bool *out_got) TACHO_MUST_USE;

/* The version of a domain that an OperatorSetIdProto gives. */
tacho_status tacho_onnx_read_version(const tacho_onnx_state *state, tacho_str message,
                                     tacho_str *out_domain, int32_t *out_version) TACHO_MUST_USE;

/* "Conv", "com.example.Fancy": the name of an operator of a domain; in the scratch arena. */
tacho_status tacho_onnx_type_name(tacho_onnx_state *state, tacho_str domain, tacho_str op_type,
                                  tacho_str *out_name) TACHO_MUST_USE;

/* Notes the graph of a node being read, if the model is only surveyed: onnx.c. */
tacho_status tacho_onnx_note_body(tacho_onnx_state *state, tacho_str bytes) TACHO_MUST_USE;

/* ---- onnx_branch.c: graphs of nodes ---- */

/* Notes that attribute |name| of the node being read is a graph, if it is one that runs. */
tacho_status tacho_onnx_note_branch(tacho_onnx_state *state, tacho_str name,
                                    tacho_str bytes) TACHO_MUST_USE;

/* Notes a graph of the node being read. */
tacho_status tacho_onnx_add_branch(tacho_onnx_state *state, tacho_body body,
                                   tacho_str bytes) TACHO_MUST_USE;

/* See tacho_branches. */
bool tacho_onnx_has_body(const void *self, uint32_t node, tacho_body body);
const void *tacho_onnx_find_body(const void *self, uint32_t node);
tacho_status tacho_onnx_enter_body(void *self, const tacho_body_use *use) TACHO_MUST_USE;
tacho_status tacho_onnx_take_branch(void *self, uint32_t node, tacho_body body) TACHO_MUST_USE;

/* ---- onnx_function.c: functions of the model ---- */

/* Notes a FunctionProto of the model. */
tacho_status tacho_onnx_add_function(tacho_onnx_state *state, tacho_str message) TACHO_MUST_USE;

/* Notes that the node being read calls a function, if there is one that it names. */
tacho_status tacho_onnx_note_call(tacho_onnx_state *state, uint32_t type,
                                  tacho_str overload) TACHO_MUST_USE;

/* The innermost call around the graph being read, or NULL. */
const tacho_onnx_call *tacho_onnx_call_now(const tacho_onnx_state *state);

/* A new call of |function| by |node|. */
tacho_status tacho_onnx_add_call(tacho_onnx_state *state, const tacho_node *node,
                                 tacho_str function, uint32_t *out_call) TACHO_MUST_USE;

/* The name of the next input or output of a FunctionProto that |reader| goes through. */
tacho_status tacho_onnx_next_parameter(const tacho_onnx_state *state, tacho_pb_reader *reader,
                                       bool is_output, tacho_str *out_name,
                                       bool *out_got) TACHO_MUST_USE;

/* The next node of a FunctionProto. */
tacho_status tacho_onnx_next_function_node(const tacho_onnx_state *state, tacho_pb_reader *reader,
                                           tacho_str *out_node, bool *out_got) TACHO_MUST_USE;

/* ---- onnx_type.c: types and dimensions ---- */

/* The element type of a data_type; false when that is unknown. NONE for 0. */
bool tacho_onnx_dtype(uint64_t data_type, tacho_dtype *out_dtype);

/* The name of an input, output or value. */
tacho_status tacho_onnx_value_name(const tacho_onnx_state *state, tacho_str message,
                                   tacho_str *out_name) TACHO_MUST_USE;

/* Reads an input of the graph; a dimension without a value is noted in the state. */
/* Before inputs are read: names of dimensions that the values of inputs have sizes for. */
tacho_status tacho_onnx_learn_dims(tacho_onnx_state *state, tacho_str message) TACHO_MUST_USE;
tacho_status tacho_onnx_read_input(tacho_onnx_state *state, tacho_str message) TACHO_MUST_USE;
tacho_status tacho_onnx_read_output(tacho_onnx_state *state, tacho_str message) TACHO_MUST_USE;

/* Completes the type and shape of an existing tensor. */
tacho_status tacho_onnx_read_value_info(tacho_onnx_state *state, tacho_str message) TACHO_MUST_USE;

/* Fails when inputs have dimensions without a value, or an option names none. */
tacho_status tacho_onnx_check_dims(const tacho_onnx_state *state) TACHO_MUST_USE;

/* ---- onnx_tensor.c: values ---- */

/* Reads a TensorProto: an initializer, or with |is_attr| a new tensor of an attribute. */
tacho_status tacho_onnx_read_tensor(tacho_onnx_state *state, tacho_str message, bool is_attr,
                                    uint32_t *out_tensor) TACHO_MUST_USE;
tacho_status tacho_onnx_read_sparse(tacho_onnx_state *state, tacho_str message) TACHO_MUST_USE;

/* ---- onnx_external.c: values in other files ---- */

/* The place of external data, by the file. */
typedef struct tacho_onnx_external {
    const char *at; /* the tensor, for messages */
    tacho_str location;
    uint64_t offset;
    uint64_t length; /* UINT64_MAX when not given */
} tacho_onnx_external;

/* Reads a StringStringEntry of external data. */
tacho_status tacho_onnx_read_external(const tacho_onnx_state *state, tacho_str message,
                                      tacho_onnx_external *external) TACHO_MUST_USE;

/*
 * The |expected| bytes of tensor |name|; NULL when the file is absent. One that leaves the
 * model's folder, or is too short, is BAD_DATA.
 */
tacho_status tacho_onnx_find_external(tacho_onnx_state *state, tacho_str name,
                                      const tacho_onnx_external *external, uint64_t expected,
                                      const unsigned char **out_bytes) TACHO_MUST_USE;

/* ---- onnx_attr.c ---- */

/* Reads an AttributeProto and appends it to |attrs| of the state. */
tacho_status tacho_onnx_read_attr(tacho_onnx_state *state, tacho_str message) TACHO_MUST_USE;

#endif
