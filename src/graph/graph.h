/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A neural network: tensors and the nodes between them, as a model file has them.
 *
 * Everything is numbered; TACHO_NONE means absent. Nodes keep the operator names, the operands
 * and the attributes of their own format ("Conv" of ONNX, "tosa.conv2d"): the meaning of an
 * operator is in its row of graph/op_def.h, so passes ask for the kind and never compare names.
 *
 * Readers (graph/onnx.c, graph/mlir_model.c) fill a graph in file order; tacho_graph_sort puts the
 * nodes in an order in which each follows its inputs; tacho_graph_infer (graph/infer.h) finds types
 * and shapes and folds constants.
 */
#ifndef TACHO_GRAPH_GRAPH_H
#define TACHO_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/mapping.h"
#include "base/shapes.h"
#include "base/strings.h"
#include "base/tensor.h"

typedef struct tacho_op_def tacho_op_def;

typedef enum tacho_constant_kind {
    TACHO_CONSTANT_BYTES,  /* as in tacho_array, but |bytes| need not be aligned */
    TACHO_CONSTANT_SPLAT,  /* every element is the one in |splat|: never expanded */
    TACHO_CONSTANT_RANDOM, /* made from |seed| when a device needs it: never expanded */
} tacho_constant_kind;

/* The value of a tensor that is known before the network runs. */
typedef struct tacho_constant {
    tacho_constant_kind kind;
    const unsigned char *bytes; /* borrowed from the model's file, or of the graph's arena */
    unsigned char splat[16];    /* one element, little-endian; two where they share a byte */
    uint64_t seed;
} tacho_constant;

typedef struct tacho_tensor {
    const tacho_shape *shape; /* of the graph's shapes: tacho_graph_set_shape gives another */
    uint32_t name;            /* string; may be empty */
    uint32_t producer;        /* node, or TACHO_NONE */
    uint32_t constant;        /* its value, in |constants|, or TACHO_NONE */
    tacho_dtype dtype;        /* NONE until known */
    bool is_input;            /* the network's; never a constant */
    bool is_output;           /* the network's */
    bool is_constant; /* depends on constants alone, though its value may not be computed yet */
} tacho_tensor;

/*
 * When a node is computed: always, or if |condition|, a tensor of one bool, is true or false.
 * Outputs of a node that is not computed have no value; only a choice by that condition may read
 * them.
 */
typedef struct tacho_guard {
    tacho_when when;
    uint32_t condition;
} tacho_guard;

typedef struct tacho_node {
    uint32_t name;           /* string; empty when the file gives none */
    uint32_t type;           /* string: "Conv", "tosa.conv2d", "com.example.Fancy" */
    const tacho_op_def *def; /* NULL for an operator we do not know */
    uint32_t location;       /* string: the text of a location as MLIR prints it, never empty */
    uint32_t scope;          /* string: its origin by the exporter, from the network to the
                                framework's operator; empty when unknown */
    uint32_t index;          /* place in the file, from 0 */
    int32_t opset;           /* of its ONNX domain; 0 for MLIR */
    uint32_t first_input;    /* in |links| */
    uint32_t input_count;
    uint32_t first_output; /* in |links| */
    uint32_t output_count;
    uint32_t first_attr; /* in |attrs| */
    uint32_t attr_count;
    bool is_folded; /* all its outputs are constants: nothing of it runs */
    tacho_guard guard;
} tacho_node;

typedef struct tacho_graph tacho_graph;

/* Graphs that a node has of its own. */
typedef enum tacho_body {
    TACHO_BODY_THEN, /* of an If ... */
    TACHO_BODY_ELSE,
    TACHO_BODY_STEP, /* of a Loop or a Scan */
    TACHO_BODY_CALL, /* a function of the model, of a node that calls it */
} tacho_body;

/* The reading of such a graph: its inputs and outputs. */
typedef struct tacho_body_use {
    uint32_t node;
    tacho_body body;
    const uint32_t *inputs; /* tensors, TACHO_NONE for one that is absent */
    size_t input_count;
    uint32_t *outputs; /* of the reading: the first |output_count| that it gives */
    size_t output_count;
} tacho_body_use;

/*
 * A reader's data for operators that run graphs of their own (If, Loop, Scan, calls of functions).
 * Those graphs are read when inference reaches the operator, and their nodes replace it.
 */
typedef struct tacho_branches {
    void *self; /* NULL: there is nothing to choose from */
    bool (*has)(const void *self, uint32_t node, tacho_body body);
    /* Where its first graph is in the file, the same however often the node is read; or NULL. */
    const void *(*find)(const void *self, uint32_t node);
    /* Adds the nodes of the graph, which |node| has, after the graph's others. */
    tacho_status (*enter)(void *self, const tacho_body_use *use);
    /* The same of a graph without inputs, or a call; its nodes make |node|'s outputs. */
    tacho_status (*take)(void *self, uint32_t node, tacho_body body);
    void (*close)(void *self);
} tacho_branches;

/* A size that the user gives for a dimension of a tensor, where inference leaves it open. */
typedef struct tacho_given_size {
    uint32_t tensor;
    int32_t dim;
    int64_t size;
    bool is_used;
} tacho_given_size;

enum { TACHO_ABSENT_NAMED_MAX = 3 };

struct tacho_graph {
    tacho_arena arena;     /* bytes of made constants, lists of attributes */
    tacho_strings strings; /* names, types, locations */
    tacho_shapes shapes;
    uint32_t name;      /* string: of the network, may be empty */
    tacho_str path;     /* as the user wrote it, for messages */
    const char *format; /* "onnx", "tosa" or "torch-onnx" */
    tacho_str note;     /* choices of the reader, for a warning; may be empty */
    tacho_tensor *tensors;
    size_t tensor_count, tensor_capacity;
    tacho_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *links; /* tensors, or TACHO_NONE for an optional input that is absent */
    size_t link_count, link_capacity;
    tacho_attr *attrs;
    size_t attr_count, attr_capacity;
    tacho_constant *constants;
    size_t constant_count, constant_capacity;
    uint32_t *inputs; /* tensors, in the file's order */
    size_t input_count, input_capacity;
    uint32_t *outputs;
    size_t output_count, output_capacity;
    tacho_mappings mappings;    /* files that constants are borrowed from */
    size_t absent_weight_count; /* tensors whose values are absent and replaced */
    size_t zero_weight_count;   /* of them: by zeros, not seeded-random values */
    size_t random_weight_count; /* tensors with seeded-random values: absent or replaced ones */
    uint32_t absent_names[TACHO_ABSENT_NAMED_MAX]; /* strings: of the first that have one */
    size_t absent_name_count;
    tacho_str absent_file;      /* that should have the first of them; empty: the model's own */
    bool trusts_inference;      /* wrong shapes of the file are replaced, with a note */
    size_t sparse_weight_count; /* constants of sparse form: counted as dense, values not read */
    tacho_branches branches;
    struct tacho_probe *probe; /* of the reading (graph/probe.h), or NULL: values are not known */
    tacho_given_size *given_sizes;
    size_t given_size_count, given_size_capacity;
};

/* The replacement for absent values. */
typedef enum tacho_stand_in { TACHO_STAND_IN_RANDOM, TACHO_STAND_IN_ZEROS } tacho_stand_in;

tacho_status tacho_graph_init(tacho_graph *graph) TACHO_MUST_USE;
void tacho_graph_deinit(tacho_graph *graph);

/* Frees the memory that only adding to the graph needs, and pages of its files. */
void tacho_graph_trim(tacho_graph *graph);

/* Frees the data for choosing branches; those not chosen by now never are. */
void tacho_graph_close_branches(tacho_graph *graph);

static inline tacho_str tacho_graph_string(const tacho_graph *graph, uint32_t id)
{
    return tacho_strings_get(&graph->strings, id);
}

/*
 * Adds a sentence about a choice of the reader; as many as a warning has room for are kept.
 * Nothing is added without memory.
 */
void tacho_graph_add_note(tacho_graph *graph, const char *format, ...) TACHO_PRINTF(2, 3);

/* Counts a tensor called |name| whose values are absent; |file| should have them, or is empty. */
tacho_status tacho_graph_add_absent(tacho_graph *graph, tacho_str name, tacho_str file,
                                    tacho_stand_in stand_in) TACHO_MUST_USE;

/* A new tensor of unknown type and shape. */
tacho_status tacho_graph_add_tensor(tacho_graph *graph, tacho_str name,
                                    uint32_t *out_id) TACHO_MUST_USE;

/* Makes |shape| the shape of |tensor|, one of the graph's. */
tacho_status tacho_graph_set_shape(tacho_graph *graph, tacho_tensor *tensor,
                                   const tacho_shape *shape) TACHO_MUST_USE;

/* Gives the tensor a value. */
tacho_status tacho_graph_set_constant(tacho_graph *graph, uint32_t tensor,
                                      const tacho_constant *constant) TACHO_MUST_USE;

/*
 * Adds a node. |node|'s own input, output and attribute fields are ignored: they are taken from the
 * lists, which are copied (texts and lists inside attributes are not: they live in the arena or the
 * mapping). Sets the outputs' producer.
 */
typedef struct tacho_node_lists {
    const uint32_t *inputs;
    size_t input_count;
    const uint32_t *outputs;
    size_t output_count;
    const tacho_attr *attrs;
    size_t attr_count;
} tacho_node_lists;

tacho_status tacho_graph_add_node(tacho_graph *graph, const tacho_node *node,
                                  const tacho_node_lists *lists) TACHO_MUST_USE;

/*
 * Reorders the nodes so that each follows the producers of its inputs, keeping file order where it
 * is free. A cycle is BAD_DATA that names a node of it.
 */
tacho_status tacho_graph_sort(tacho_graph *graph) TACHO_MUST_USE;

/* The tensor that is input or output |i| of |node|, or NULL when it is absent or beyond. */
tacho_tensor *tacho_graph_input(const tacho_graph *graph, const tacho_node *node, size_t i);
tacho_tensor *tacho_graph_output(const tacho_graph *graph, const tacho_node *node, size_t i);

static inline const tacho_attr *tacho_graph_attrs(const tacho_graph *graph, const tacho_node *node)
{
    return graph->attrs + node->first_attr;
}

/*
 * The operator of PyTorch that the exporter made the node from, "linear.default" of
 * ".../fc: torch.nn.modules.linear.Linear/linear_2: aten.linear.default"; empty when unknown.
 */
tacho_str tacho_graph_origin(const tacho_graph *graph, const tacho_node *node);

/* Bytes of a tensor; false when its type or shape is not known or they do not fit. */
bool tacho_tensor_bytes(const tacho_tensor *tensor, uint64_t *out_bytes);

#endif
