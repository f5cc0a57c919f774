/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading, fusing, compiling.
 */
#include "session/compilation.h"

#include "compile/timeline.h"
#include "kernels/kernel.h"
#include "pipeline/pipeline.h"

#include <inttypes.h>

/*
 * Values need a kernel for every operator. Whether all of them have one shows before anything is
 * scheduled, which takes much longer for a large model.
 */
static tacho_status check_kernels(const tacho_compilation *self)
{
    const tacho_fusion *fusion = &self->fusion;
    for (size_t i = 0; i < fusion->op_count; i++) {
        const tacho_node *node = &self->graph.nodes[fusion->ops[i].root];
        tacho_str type = tacho_graph_string(&self->graph, node->type);
        if (node->def == NULL && tacho_kernel_find(type) == NULL) {
            tacho_status status = tacho_fail(
                TACHO_CODE_UNSUPPORTED,
                "node %" PRIu32 " '%s' (%.*s) at %s: no kernel for this operator; export the model "
                "with operators that have one (docs/operators.md)",
                node->index, tacho_graph_string(&self->graph, node->name).data, TACHO_STR_ARG(type),
                tacho_graph_string(&self->graph, node->location).data);
            return tacho_status_add_hint(status, TACHO_HINT_TIMES_ALONE, "");
        }
    }
    return TACHO_OK;
}

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
    TACHO_TRY(request->model->needs_values ? check_kernels(self) : TACHO_OK);
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
