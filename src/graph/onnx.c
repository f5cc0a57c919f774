/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ONNX files to a graph.
 */
#include "graph/model.h"

static bool is_mine(tacho_str bytes)
{
    (void)bytes;
    return false;
}

static tacho_status read_model(tacho_graph *graph, tacho_str bytes,
                               const tacho_model_options *options)
{
    (void)bytes;
    (void)options;
    return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s: not read", TACHO_STR_ARG(graph->path));
}

const tacho_model_reader tacho_onnx_reader = {"onnx", is_mine, read_model};
