/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of a model beside its graph: its producer, operator sets, and open dimensions. Texts are
 * views of the graph's arena or of its file.
 */
#ifndef TACHO_GRAPH_MODEL_FACTS_H
#define TACHO_GRAPH_MODEL_FACTS_H

#include "graph/model.h"

typedef struct tacho_model_opset {
    tacho_str domain; /* "ai.onnx" for the standard one */
    int64_t version;
} tacho_model_opset;

/* A dimension of an input or an output that has no number. */
typedef struct tacho_model_open_dim {
    uint32_t tensor; /* of the graph */
    int32_t axis;
    tacho_str name; /* may be empty */
} tacho_model_open_dim;

struct tacho_model_facts {
    tacho_str producer; /* may be empty, as its version */
    tacho_str producer_version;
    int64_t ir_version; /* 0 where there is none */
    tacho_model_opset *opsets;
    size_t opset_count, opset_capacity;
    tacho_model_open_dim *dims; /* by tensor and axis, once sorted */
    size_t dim_count, dim_capacity;
};

void tacho_model_facts_init(tacho_model_facts *facts);
void tacho_model_facts_deinit(tacho_model_facts *facts);

tacho_status tacho_model_facts_add_opset(tacho_model_facts *facts, tacho_str domain,
                                         int64_t version) TACHO_MUST_USE;
tacho_status tacho_model_facts_add_dim(tacho_model_facts *facts, uint32_t tensor, int32_t axis,
                                       tacho_str name) TACHO_MUST_USE;

/* For find_dim; a survey has done so. */
void tacho_model_facts_sort(tacho_model_facts *facts);

/* The name of a dimension, or NULL where it has a number. */
const tacho_str *tacho_model_facts_find_dim(const tacho_model_facts *facts, uint32_t tensor,
                                            int32_t axis);

/*
 * Reads a model as tacho_model_read does, but only its file's contents: nothing is inferred or
 * folded, values are not looked at, and dimensions may be open.
 */
tacho_status tacho_model_survey(const char *path, tacho_model_facts *facts,
                                tacho_graph *out_graph) TACHO_MUST_USE;

/* Whether a file that begins so may be a model. */
bool tacho_model_is_model(tacho_str head);

#endif
