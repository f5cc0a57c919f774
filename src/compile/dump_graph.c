/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of the first phases: the operators as the model has them, without those that depend on
 * constants alone, and in groups that run as one.
 *
 * Operators keep their names after the prefix "model.", a dialect that no tool knows: so no tool
 * insists on the attributes that its own version of the dialect has. Tensor 5 is %t5; inside a
 * group the value that the group computes is %m5.
 */
#include "compile/dump.h"
#include "base/grow.h"
#include "compile/dump_text.h"

#include <inttypes.h>
#include <stdlib.h>

typedef enum graph_phase { AS_READ, FOLDED, FUSED } graph_phase;

typedef struct writer {
    const tacho_fusion *fusion;
    const tacho_graph *graph;
    tacho_output *output;
    graph_phase phase;
    uint32_t *group_of;    /* by node: the fused operator, or TACHO_NONE */
    uint32_t *last_member; /* by fused operator */
    bool *is_wanted;       /* by tensor: used by shown nodes; FUSED: outside of its group */
    uint32_t group;        /* that is being written, or TACHO_NONE */
    tacho_arena scratch;
} writer;

static tacho_status no_memory(const tacho_graph *graph)
{
    return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for a dump of %zu nodes",
                      graph->node_count);
}

/* ---- nodes that are shown ------------------------------------------------------------------ */

/* Nodes that depend on constants alone are gone after folding, except an operator's own result. */
static bool is_shown(const writer *self, const tacho_node *node)
{
    const tacho_graph *graph = self->graph;
    const tacho_tensor *made = node->output_count > 0 ? tacho_graph_output(graph, node, 0) : NULL;
    bool is_folded = node->is_folded || (made != NULL && made->is_constant);
    return self->phase == AS_READ || !is_folded ||
           self->group_of[node - graph->nodes] != TACHO_NONE;
}

static uint32_t group_of_tensor(const writer *self, uint32_t tensor)
{
    uint32_t producer = self->graph->tensors[tensor].producer;
    return producer == TACHO_NONE ? TACHO_NONE : self->group_of[producer];
}

/* Whether the tensor is known before the network runs. */
static bool is_given(const writer *self, const tacho_tensor *tensor)
{
    return !tensor->is_input && (tensor->producer == TACHO_NONE ||
                                 !is_shown(self, &self->graph->nodes[tensor->producer]));
}

static void find_groups(writer *self)
{
    const tacho_fusion *fusion = self->fusion;
    for (size_t i = 0; i < self->graph->node_count; i++) {
        self->group_of[i] = TACHO_NONE;
    }
    for (size_t i = 0; self->phase == FUSED && i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        self->last_member[i] = 0;
        for (uint32_t k = 0; k < op->member_count; k++) {
            uint32_t node = fusion->members[op->first_member + k];
            self->group_of[node] = (uint32_t)i;
            self->last_member[i] = node > self->last_member[i] ? node : self->last_member[i];
        }
    }
}

/* Where a node is written: with its group, or at its own place. */
static size_t place_of(const writer *self, size_t node)
{
    uint32_t group = self->group_of[node];
    return group == TACHO_NONE ? node : self->last_member[group];
}

/*
 * Removes members from a group when others read their results before the group is complete: results
 * that several operators read, and results that reach the group through a view. Readers follow the
 * operators they read from, so one walk from the end finds all.
 */
static tacho_status loosen_groups(writer *self)
{
    const tacho_graph *graph = self->graph;
    size_t *first_read = malloc((graph->tensor_count + 1) * sizeof(*first_read));
    if (first_read == NULL) {
        return no_memory(graph);
    }
    for (size_t i = 0; i < graph->tensor_count; i++) {
        first_read[i] = SIZE_MAX;
    }
    for (size_t i = graph->node_count; i-- > 0;) {
        const tacho_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t made = graph->links[node->first_output + k];
            if (made != TACHO_NONE && first_read[made] < place_of(self, i)) {
                self->group_of[i] = TACHO_NONE;
            }
        }
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t read = graph->links[node->first_input + k];
            bool is_outside =
                read != TACHO_NONE && (self->group_of[i] == TACHO_NONE ||
                                       group_of_tensor(self, read) != self->group_of[i]);
            if (is_outside && place_of(self, i) < first_read[read]) {
                first_read[read] = place_of(self, i);
            }
        }
    }
    free(first_read);
    return TACHO_OK;
}

static void find_wanted(writer *self)
{
    const tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->input_count && is_shown(self, node); k++) {
            uint32_t tensor = graph->links[node->first_input + k];
            if (tensor == TACHO_NONE) {
                continue;
            }
            uint32_t group = group_of_tensor(self, tensor);
            if (group == TACHO_NONE || group != self->group_of[i]) {
                self->is_wanted[tensor] = true;
            }
        }
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        self->is_wanted[graph->outputs[i]] = true;
    }
}

static tacho_status open_writer(writer *self)
{
    const tacho_graph *graph = self->graph;
    tacho_arena_init(&self->scratch);
    self->group = TACHO_NONE;
    self->group_of = tacho_items_alloc(graph->node_count, sizeof(*self->group_of));
    self->last_member = tacho_items_alloc(self->fusion->op_count, sizeof(*self->last_member));
    self->is_wanted = tacho_items_alloc(graph->tensor_count, sizeof(*self->is_wanted));
    if (self->group_of == NULL || self->last_member == NULL || self->is_wanted == NULL) {
        return no_memory(graph);
    }
    find_groups(self);
    TACHO_TRY(loosen_groups(self));
    find_wanted(self);
    return TACHO_OK;
}

static void close_writer(writer *self)
{
    free(self->group_of);
    free(self->last_member);
    free(self->is_wanted);
    tacho_arena_deinit(&self->scratch);
}

/* ---- tensors ------------------------------------------------------------------------------- */

static void write_name(const writer *self, uint32_t tensor)
{
    if (tensor == TACHO_NONE) {
        tacho_output_write_cstring(self->output, "%none");
        return;
    }
    bool is_inside = self->group != TACHO_NONE && group_of_tensor(self, tensor) == self->group;
    tacho_output_printf(self->output, "%%%c%" PRIu32, is_inside ? 'm' : 't', tensor);
}

static void write_type(const writer *self, uint32_t tensor)
{
    if (tensor == TACHO_NONE) {
        tacho_output_write_cstring(self->output, "none");
        return;
    }
    const tacho_tensor *facts = &self->graph->tensors[tensor];
    tacho_dump_tensor_type(self->output, facts->dtype, facts->shape);
}

typedef void (*write_item)(const writer *self, uint32_t tensor);

static void write_each(const writer *self, const uint32_t *tensors, size_t count, write_item write)
{
    for (size_t i = 0; i < count; i++) {
        tacho_output_write_cstring(self->output, i > 0 ? ", " : "");
        write(self, tensors[i]);
    }
}

static void write_named(const writer *self, const char *key, uint32_t string)
{
    tacho_str text = tacho_graph_string(self->graph, string);
    if (text.len > 0) {
        tacho_output_printf(self->output, "%s = ", key);
        tacho_dump_quoted(self->output, text);
    }
}

static void write_constant(const writer *self, uint32_t tensor)
{
    static const char *const kinds[] = {"bytes", "splat", "random"};
    const tacho_tensor *facts = &self->graph->tensors[tensor];
    tacho_output_printf(
        self->output, "    %%t%" PRIu32 " = \"model.constant\"() {kind = \"%s\"", tensor,
        facts->constant == TACHO_NONE ? "computed"
                                      : kinds[self->graph->constants[facts->constant].kind]);
    if (tacho_graph_string(self->graph, facts->name).len > 0) {
        tacho_output_write_cstring(self->output, ", ");
        write_named(self, "name", facts->name);
    }
    tacho_output_write_cstring(self->output, "} : () -> ");
    write_type(self, tensor);
    tacho_output_write_cstring(self->output, " loc(unknown)\n");
}

/* ---- operators ----------------------------------------------------------------------------- */

/* "onnx.Conv", "tosa.conv2d". */
static void write_operator_name(const writer *self, const tacho_node *node)
{
    tacho_str type = tacho_graph_string(self->graph, node->type);
    bool has_dialect = tacho_str_find_byte(type, '.') < type.len;
    tacho_output_printf(self->output, "\"model.%s", has_dialect ? "" : "onnx.");
    tacho_dump_word(self->output, type);
    tacho_output_write_cstring(self->output, "\"(");
}

static void write_node(const writer *self, size_t index)
{
    const tacho_graph *graph = self->graph;
    const tacho_node *node = &graph->nodes[index];
    const uint32_t *inputs = graph->links + node->first_input;
    const uint32_t *outputs = graph->links + node->first_output;
    tacho_output *output = self->output;
    bool has_name = tacho_graph_string(graph, node->name).len > 0;
    tacho_output_write_cstring(output, self->group != TACHO_NONE ? "      " : "    ");
    write_each(self, outputs, node->output_count, write_name);
    tacho_output_write_cstring(output, node->output_count > 0 ? " = " : "");
    write_operator_name(self, node);
    write_each(self, inputs, node->input_count, write_name);
    tacho_output_write_cstring(output, ")");
    if (has_name || node->attr_count > 0) {
        tacho_output_write_cstring(output, " {");
        write_named(self, "tacho.name", node->name);
        tacho_output_write_cstring(output, has_name && node->attr_count > 0 ? ", " : "");
        tacho_dump_attrs(output, tacho_graph_attrs(graph, node), node->attr_count);
        tacho_output_write_cstring(output, "}");
    }
    tacho_output_write_cstring(output, " : (");
    write_each(self, inputs, node->input_count, write_type);
    tacho_output_write_cstring(output, ") -> (");
    write_each(self, outputs, node->output_count, write_type);
    tacho_output_printf(output, ") loc(#loc%zu)\n", index);
}

/* Whether a tensor that a member makes is used outside of the group. */
static bool is_result(const writer *self, const tacho_fused_op *op, uint32_t tensor)
{
    return tensor != TACHO_NONE && self->is_wanted[tensor] &&
           group_of_tensor(self, tensor) == (uint32_t)(op - self->fusion->ops);
}

/* The results of a group that are used outside of it, one after the other. */
static void write_results(const writer *self, const tacho_fused_op *op, write_item write)
{
    const tacho_graph *graph = self->graph;
    size_t count = 0;
    for (uint32_t i = 0; i < op->member_count; i++) {
        const tacho_node *node = &graph->nodes[self->fusion->members[op->first_member + i]];
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t tensor = graph->links[node->first_output + k];
            if (is_result(self, op, tensor)) {
                tacho_output_write_cstring(self->output, count++ > 0 ? ", " : "");
                write(self, tensor);
            }
        }
    }
}

static bool has_results(const writer *self, const tacho_fused_op *op)
{
    bool has = false;
    for (uint32_t i = 0; i < op->member_count && !has; i++) {
        const tacho_node *node = &self->graph->nodes[self->fusion->members[op->first_member + i]];
        for (uint32_t k = 0; k < node->output_count && !has; k++) {
            uint32_t tensor = self->graph->links[node->first_output + k];
            has = is_result(self, op, tensor);
        }
    }
    return has;
}

static void write_group(writer *self, uint32_t group)
{
    const tacho_fused_op *op = &self->fusion->ops[group];
    tacho_output *output = self->output;
    tacho_output_write_cstring(output, "    ");
    write_results(self, op, write_name);
    tacho_output_printf(output, "%s\"flow.dispatch.region\"() ({\n",
                        has_results(self, op) ? " = " : "");
    self->group = group;
    for (uint32_t i = 0; i < op->member_count; i++) {
        uint32_t node = self->fusion->members[op->first_member + i];
        if (self->group_of[node] == group) {
            write_node(self, node);
        }
    }
    tacho_output_write_cstring(output, "      \"flow.return\"(");
    write_results(self, op, write_name);
    self->group = TACHO_NONE;
    tacho_output_write_cstring(output, ") : (");
    write_results(self, op, write_type);
    tacho_output_printf(output,
                        ") -> () loc(#loc%" PRIu32 ")\n    }) {operator = %" PRIu32
                        " : i32, is_integer = %s} : () -> (",
                        op->root, group, op->is_integer ? "true" : "false");
    write_results(self, op, write_type);
    tacho_output_printf(output, ") loc(#loc%" PRIu32 ")\n", op->root);
}

/* ---- the module ---------------------------------------------------------------------------- */

static void write_argument(const writer *self, uint32_t tensor)
{
    write_name(self, tensor);
    tacho_output_write_cstring(self->output, ": ");
    write_type(self, tensor);
    tacho_output_write_cstring(self->output, " loc(unknown)");
}

static tacho_status write_body(writer *self)
{
    const tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->tensor_count; i++) {
        if (self->is_wanted[i] && is_given(self, &graph->tensors[i])) {
            write_constant(self, (uint32_t)i);
        }
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        uint32_t group = self->group_of[i];
        if (group != TACHO_NONE && self->last_member[group] == i) {
            write_group(self, group);
        } else if (group == TACHO_NONE && is_shown(self, &graph->nodes[i])) {
            write_node(self, i);
        }
        if (tacho_output_failed(self->output)) {
            return tacho_output_take_failure(self->output);
        }
    }
    return TACHO_OK;
}

static tacho_status write_module(writer *self)
{
    const tacho_graph *graph = self->graph;
    tacho_output *output = self->output;
    for (size_t i = 0; i < graph->node_count; i++) {
        TACHO_TRY(tacho_dump_location_alias(
            output, i, tacho_graph_string(graph, graph->nodes[i].location), &self->scratch));
    }
    tacho_output_write_cstring(output, "\"builtin.module\"() ({\n  \"util.func\"() ({\n  ^bb0(");
    write_each(self, graph->inputs, graph->input_count, write_argument);
    tacho_output_write_cstring(output,
                               "):\n    %none = \"model.none\"() : () -> none loc(unknown)\n");
    TACHO_TRY(write_body(self));
    tacho_output_write_cstring(output, "    \"util.return\"(");
    write_each(self, graph->outputs, graph->output_count, write_name);
    tacho_output_write_cstring(output, ") : (");
    write_each(self, graph->outputs, graph->output_count, write_type);
    tacho_output_printf(output,
                        ") -> () loc(unknown)\n  }) {format = \"%s\", sym_name = ", graph->format);
    tacho_str name = tacho_graph_string(graph, graph->name);
    tacho_dump_quoted(output, name.len > 0 ? name : TACHO_STR("main"));
    tacho_output_write_cstring(output, "} : () -> () loc(unknown)\n}) : () -> () loc(unknown)\n");
    return TACHO_OK;
}

static tacho_status write_phase(const tacho_dump *dump, graph_phase phase, tacho_output *output)
{
    writer self = {.fusion = dump->fusion, .graph = dump->fusion->graph, .output = output};
    self.phase = phase;
    tacho_status status = open_writer(&self);
    if (status == TACHO_OK) {
        status = write_module(&self);
    }
    close_writer(&self);
    return status;
}

tacho_status tacho_dump_input(const tacho_dump *dump, tacho_output *output)
{
    return write_phase(dump, AS_READ, output);
}

tacho_status tacho_dump_folded(const tacho_dump *dump, tacho_output *output)
{
    return write_phase(dump, FOLDED, output);
}

tacho_status tacho_dump_fused(const tacho_dump *dump, tacho_output *output)
{
    return write_phase(dump, FUSED, output);
}
