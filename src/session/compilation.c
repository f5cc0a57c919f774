/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading, fusing, compiling.
 */
#include "session/compilation.h"

static tacho_status compile(tacho_compilation *self, const tacho_compilation_request *request)
{
    TACHO_TRY(tacho_graph_init(&self->graph));
    TACHO_TRY(tacho_model_read(request->path, request->model, &self->graph));
    TACHO_TRY(tacho_fusion_init(&self->fusion, &self->graph));
    if (self->fusion.op_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: nothing to run: all %zu nodes are views or depend on constants "
                          "alone",
                          request->path, self->graph.node_count);
    }
    return tacho_compile_program(&self->fusion, request->machine, request->options, &self->estimate,
                                 &self->program);
}

tacho_status tacho_compilation_open(tacho_compilation *compilation,
                                    const tacho_compilation_request *request)
{
    *compilation = (tacho_compilation){.estimate = {0}};
    return compile(compilation, request);
}

void tacho_compilation_close(tacho_compilation *compilation)
{
    tacho_program_deinit(&compilation->program);
    tacho_estimate_deinit(&compilation->estimate);
    tacho_fusion_deinit(&compilation->fusion);
    tacho_graph_deinit(&compilation->graph);
}
