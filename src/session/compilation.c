/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading, fusing, compiling.
 */
#include "session/compilation.h"

#include "compile/timeline.h"
#include "pipeline/pipeline.h"

static tacho_status compile(tacho_compilation *self, const tacho_compilation_request *request)
{
    TACHO_TRY(tacho_graph_init(&self->graph));
    TACHO_TRY(tacho_model_read(request->path, request->model, &self->graph));
    TACHO_TRY(tacho_machine_is_gpu(request->machine)
                  ? tacho_fusion_init_eager(&self->fusion, &self->graph,
                                            request->options->estimate.cost.is_eager)
                  : tacho_fusion_init(&self->fusion, &self->graph));
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

/* ---- the timeline -------------------------------------------------------------------------- */

static tacho_status produce_timeline(void *self, tacho_order_mode mode, tacho_events *events)
{
    (void)mode;
    return tacho_timeline_push(self, events);
}

tacho_status tacho_compilation_write_timeline(const tacho_compilation *compilation,
                                              const tacho_trace_sink *sink, tacho_output *output)
{
    tacho_timeline timeline = {&compilation->estimate, &compilation->program,
                               sink->schedule != NULL};
    tacho_tracing tracing = {
        .producer = {.produce = produce_timeline,
                     .self = &timeline,
                     .first_mode = TACHO_ORDER_SORT_ALL},
        .selection = TACHO_SELECT_ALL,
        .sink = sink,
    };
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_pipeline_write_to(&tracing, &dict, output);
    }
    tacho_dict_deinit(&dict);
    return status;
}
