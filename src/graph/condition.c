/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs that the condition of an If depends on, for messages about one that cannot be decided,
 * or of which both branches are in the network.
 */
#include "graph/model.h"
#include "graph/op_def.h"
#include "graph/unroll.h"

#include <stdio.h>

/* Elements of an input that a person may want to fix. */
enum { FIXED_MAX = 16 };

/* A walk from a tensor towards the inputs. */
typedef struct seeker {
    const tacho_graph *graph;
    bool *is_seen; /* by tensor */
    uint32_t *waiting;
    size_t waiting_count;
    uint32_t best; /* the smallest input found, or TACHO_NONE */
    uint64_t best_count;
} seeker;

static void see(seeker *self, uint32_t tensor)
{
    if (tensor != TACHO_NONE && !self->is_seen[tensor] &&
        !self->graph->tensors[tensor].is_constant) {
        self->is_seen[tensor] = true;
        self->waiting[self->waiting_count++] = tensor;
    }
}

static void look(seeker *self, uint32_t id)
{
    const tacho_graph *graph = self->graph;
    const tacho_tensor *tensor = &graph->tensors[id];
    uint64_t count = UINT64_MAX;
    if (tensor->is_input && !tacho_shape_elements(tensor->shape, &count)) {
        count = UINT64_MAX;
    }
    if (tensor->is_input && (self->best == TACHO_NONE || count < self->best_count)) {
        self->best = id;
        self->best_count = count;
    }
    if (tensor->producer == TACHO_NONE) {
        return;
    }
    const tacho_node *node = &graph->nodes[tensor->producer];
    for (uint32_t i = 0; i < node->input_count; i++) {
        see(self, graph->links[node->first_input + i]);
    }
}

static tacho_status seek(const tacho_graph *graph, uint32_t tensor, uint32_t *out_input,
                         uint64_t *out_count)
{
    tacho_arena arena;
    seeker self = {.graph = graph, .best = TACHO_NONE};
    void *memory = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_arena_alloc(&arena, graph->tensor_count, &memory);
    self.is_seen = memory;
    if (status == TACHO_OK) {
        status = tacho_arena_alloc(&arena, graph->tensor_count * sizeof(*self.waiting), &memory);
        self.waiting = memory;
    }
    if (status == TACHO_OK) {
        see(&self, tensor);
        while (self.waiting_count > 0) {
            look(&self, self.waiting[--self.waiting_count]);
        }
    }
    *out_input = self.best;
    *out_count = self.best_count;
    tacho_arena_deinit(&arena);
    return status;
}

/* Whether a node chooses between the outputs of both branches of an If (graph/unroll.h). */
static bool is_choice(const tacho_graph *graph, const tacho_node *node)
{
    return tacho_attr_int(tacho_graph_attrs(graph, node), node->attr_count, "equal_shapes", 0) ==
           TACHO_CHOICE_IF;
}

tacho_status tacho_model_condition_of(const tacho_graph *graph, const tacho_node *node,
                                      tacho_model_condition *out)
{
    *out = (tacho_model_condition){.hint = {TACHO_HINT_NONE, ""}};
    if (strcmp(graph->format, "torch-onnx") == 0 ||
        (!tacho_str_equal(tacho_graph_string(graph, node->type), TACHO_STR("If")) &&
         !is_choice(graph, node)) ||
        node->input_count == 0 || graph->links[node->first_input] == TACHO_NONE) {
        return TACHO_OK;
    }
    uint32_t condition = graph->links[node->first_input], input;
    const char *both =
        is_choice(graph, node) ? "both branches are counted and one is computed; " : "";
    uint64_t count;
    TACHO_TRY(seek(graph, condition, &input, &count));
    if (input == TACHO_NONE) {
        snprintf(out->text, sizeof(out->text),
                 "%sits condition '%.80s' is not known before it runs", both,
                 tacho_graph_string(graph, graph->tensors[condition].name).data);
        return TACHO_OK;
    }
    const char *name = tacho_graph_string(graph, graph->tensors[input].name).data;
    if (count > FIXED_MAX) {
        snprintf(out->text, sizeof(out->text),
                 "%sits condition depends on the values of input '%.80s', so which branch it takes "
                 "is known only when it runs",
                 both, name);
    } else {
        snprintf(out->text, sizeof(out->text), "%sits condition depends on input '%.80s'", both,
                 name);
        out->hint = (tacho_hint){TACHO_HINT_FIX_INPUT, name};
    }
    return TACHO_OK;
}
