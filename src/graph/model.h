/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model file of any format to a sorted graph with types, shapes and folded constants.
 */
#ifndef TACHO_GRAPH_MODEL_H
#define TACHO_GRAPH_MODEL_H

#include "graph/graph.h"

/* A value for a symbolic dimension: N=4. */
typedef struct tacho_model_dim {
    tacho_str name;
    int64_t value;
} tacho_model_dim;

/* The value of an input that is fixed before compiling: sr=16000. */
typedef struct tacho_model_bind {
    tacho_str name;
    tacho_str values; /* "16000", "1,2,3", "true"; one value stands for all elements */
} tacho_model_bind;

/* Values of inputs, for decisions that depend on them. */
typedef struct tacho_model_values {
    void *self;
    /* The value of input |index|, whose type and shape are known; it must outlive the reading. */
    tacho_status (*input)(void *self, const tacho_graph *graph, size_t index,
                          tacho_array *out_value);
    /* The shape that input |index|, called |name|, is given with; of unknown rank: none, or it is
     * not known yet. NULL: that of no input is. */
    tacho_status (*shape)(void *self, tacho_str name, size_t index, tacho_shape *out_shape);
} tacho_model_values;

typedef struct tacho_model_facts tacho_model_facts; /* graph/model_facts.h */

typedef struct tacho_model_options {
    const tacho_model_dim *dims;
    size_t dim_count;
    const tacho_model_bind *binds;
    size_t bind_count;
    bool has_random_weights; /* weights become seeded-random ones, also those that are absent */
    bool has_zero_weights;   /* absent values become zeros; the others stay */
    bool needs_values;       /* absent values are a failure, unless either of these is set */
    uint64_t seed;
    const tacho_model_values *values; /* NULL: nothing is known of them */
    tacho_model_facts *facts;         /* to be filled; dimensions may be open then (optional) */
} tacho_model_options;

/*
 * Reads |path| ("-" is standard input) into |out_graph|, fresh from tacho_graph_init. The format
 * is recognised by content: ONNX, or MLIR text or bytecode of TOSA or of torch's ONNX import. A
 * file of another format, a truncated one, or one with a symbolic dimension without a value is a
 * failure that names the place.
 */
tacho_status tacho_model_read(const char *path, const tacho_model_options *options,
                              tacho_graph *out_graph) TACHO_MUST_USE;

/*
 * Reads a file that is one TensorProto of ONNX, such as the inputs and outputs supplied with
 * models, as a constant of |graph|.
 */
tacho_status tacho_onnx_tensor_file(tacho_graph *graph, const char *path,
                                    uint32_t *out_tensor) TACHO_MUST_USE;

/* The value that the options give the input |name|, or NULL. */
const tacho_model_bind *tacho_model_find_bind(const tacho_model_options *options, tacho_str name);

/* How many values it lists. */
size_t tacho_model_bind_values(const tacho_model_bind *bind);

/* Makes the inputs that the options name constants of the graph, which has just been read. */
tacho_status tacho_model_bind_inputs(tacho_graph *graph,
                                     const tacho_model_options *options) TACHO_MUST_USE;

/* Why the choice of an If is unknown. */
typedef struct tacho_model_condition {
    char text[256];  /* "its condition depends on input 'sr'"; "" for other operators */
    tacho_hint hint; /* the remedy; its text lives as long as the graph */
} tacho_model_condition;
tacho_status tacho_model_condition_of(const tacho_graph *graph, const tacho_node *node,
                                      tacho_model_condition *out) TACHO_MUST_USE;

/*
 * One format: bytes to nodes in file order, not sorted, nothing inferred. |options| are used until
 * tacho_graph_close_branches.
 */
typedef struct tacho_model_reader {
    const char *format;
    bool (*is_mine)(tacho_str bytes);
    tacho_status (*read)(tacho_graph *graph, tacho_str bytes, const tacho_model_options *options);
} tacho_model_reader;

extern const tacho_model_reader tacho_onnx_reader;
extern const tacho_model_reader tacho_mlir_reader; /* TOSA and torch-onnx */

#endif
