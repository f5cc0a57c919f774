/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which reader a model file is for.
 */
#include "graph/model.h"

#include "graph/infer.h"

#include <stdio.h>

static const tacho_model_reader *const readers[] = {&tacho_mlir_reader, &tacho_onnx_reader};

tacho_status tacho_model_read(const char *path, const tacho_model_options *options,
                              tacho_graph *out_graph)
{
    tacho_graph *graph = out_graph;
    tacho_str bytes;
    TACHO_TRY(tacho_arena_copy(&graph->arena, tacho_str_from_cstring(path), &graph->path));
    TACHO_TRY(tacho_mappings_open(&graph->mappings, path, &bytes));
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        if (readers[i]->is_mine(bytes)) {
            graph->format = readers[i]->format;
            TACHO_TRY(readers[i]->read(graph, bytes, options));
            TACHO_TRY(tacho_model_bind_inputs(graph, options));
            TACHO_TRY(tacho_graph_sort(graph));
            TACHO_TRY(tacho_graph_infer(graph));
            tacho_graph_close_branches(graph);
            return TACHO_OK;
        }
    }
    return tacho_fail(TACHO_CODE_UNSUPPORTED,
                      "%s: not a model; expected ONNX, or MLIR text or bytecode of TOSA or "
                      "torch-onnx",
                      path);
}

void tacho_model_dim_hint(const tacho_model_options *options, tacho_str name, const char *value,
                          char *out_text, size_t size)
{
    bool is_own = options->dim_option == NULL;
    snprintf(out_text, size, "%s%.*s%c%s", is_own ? "--dim " : options->dim_option,
             TACHO_STR_ARG(name), is_own ? '=' : options->dim_separator, value);
}
