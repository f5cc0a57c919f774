/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensors, steps and constants of a program.
 */
#include "compile/values.h"

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"

#include <stdlib.h>

enum { CONSTANT_ALIGN = 64 };

typedef struct filler {
    const tacho_estimate *estimate;
    const tacho_fusion *fusion;
    const tacho_graph *graph;
    tacho_program *program;
    bool has_bytes;
    uint64_t pool_bytes; /* of constants that have values */
    uint32_t *tensor_of; /* by tensor of the graph: the program's, or TACHO_NONE */
    tacho_shapes shapes;
    bool *is_done;   /* by node: it is a step, or needs not be */
    uint32_t *stack; /* nodes whose inputs are looked at */
    size_t stack_capacity;
    uint32_t *checks; /* nodes ... */
    size_t check_count, check_capacity;
    size_t check; /* ... of which this one is to be added next */
    uint32_t op;
    tacho_arena scratch;
} filler;

static tacho_status intern(filler *self, uint32_t text, uint32_t *out_id)
{
    return tacho_strings_ensure(&self->program->strings, tacho_graph_string(self->graph, text),
                                out_id);
}

/* A sum that overflows is too large for any memory. */
static void add_bytes(uint64_t *sum, uint64_t bytes)
{
    *sum = bytes > INT64_MAX - *sum ? INT64_MAX : *sum + bytes;
}

/* ---- tensors ------------------------------------------------------------------------------- */

/* Room for a constant; the bytes are copied at the end, when all is known. */
static tacho_status place_constant(filler *self, const tacho_tensor *from,
                                   tacho_program_tensor *tensor)
{
    const tacho_constant *constant = &self->graph->constants[from->constant];
    uint64_t *end = &self->pool_bytes;
    uint64_t bytes = tensor->bytes;
    if (constant->kind == TACHO_CONSTANT_RANDOM) {
        tensor->storage = TACHO_STORAGE_RANDOM;
        tensor->offset = constant->seed;
        return TACHO_OK;
    }
    tensor->storage = TACHO_STORAGE_BYTES;
    if (constant->kind == TACHO_CONSTANT_SPLAT) {
        tensor->storage = TACHO_STORAGE_SPLAT;
        bytes = 0;
        (void)tacho_dtype_bytes(from->dtype, 1, &bytes);
    }
    tensor->offset = (*end + CONSTANT_ALIGN - 1) / CONSTANT_ALIGN * CONSTANT_ALIGN;
    if (__builtin_add_overflow(tensor->offset, bytes, end) || *end > SIZE_MAX / 2) {
        return tacho_fail(TACHO_CODE_LIMIT, "%.*s: its constants are too large",
                          TACHO_STR_ARG(self->graph->path));
    }
    return TACHO_OK;
}

/* The program's shapes are numbered as those of |shapes| are. */
static tacho_status ensure_shape(filler *self, const tacho_shape *shape, uint32_t *out_id)
{
    TACHO_TRY(tacho_shapes_ensure(&self->shapes, shape, out_id));
    return *out_id < self->program->shape_count
               ? TACHO_OK
               : tacho_program_add_shape(self->program, self->shapes.items[*out_id], out_id);
}

/* The program's tensor for |id| of the graph. */
static tacho_status ensure_tensor(filler *self, uint32_t id, uint32_t *out_id)
{
    tacho_program *program = self->program;
    if (id == TACHO_NONE || self->tensor_of[id] != TACHO_NONE) {
        *out_id = id == TACHO_NONE ? TACHO_NONE : self->tensor_of[id];
        return TACHO_OK;
    }
    const tacho_tensor *from = &self->graph->tensors[id];
    tacho_program_tensor tensor = {
        .dtype = (uint16_t)from->dtype,
        .storage = from->is_input      ? TACHO_STORAGE_INPUT
                   : from->is_output   ? TACHO_STORAGE_OUTPUT
                   : from->is_constant ? TACHO_STORAGE_COMPUTED
                                       : TACHO_STORAGE_ACTIVATION,
        .kept = (uint16_t)tacho_machine_view_kept(self->estimate->machine, from->dtype,
                                                  self->estimate->compute),
    };
    (void)tacho_tensor_bytes(from, &tensor.bytes);
    TACHO_TRY(intern(self, from->name, &tensor.name));
    TACHO_TRY(ensure_shape(self, from->shape, &tensor.shape));
    if (from->constant != TACHO_NONE) {
        TACHO_TRY(place_constant(self, from, &tensor));
    }
    TACHO_TRY(tacho_grow(&program->tensors, &program->tensor_capacity, program->tensor_count + 1));
    self->tensor_of[id] = *out_id = (uint32_t)program->tensor_count;
    program->tensors[program->tensor_count++] = tensor;
    return TACHO_OK;
}

static void copy_bytes(const filler *self, uint32_t id, char *memory)
{
    const tacho_program_tensor *tensor = &self->program->tensors[self->tensor_of[id]];
    const tacho_constant *constant = &self->graph->constants[self->graph->tensors[id].constant];
    uint64_t one = 0;
    if (tensor->storage == TACHO_STORAGE_BYTES && tensor->bytes > 0) {
        memcpy(memory + tensor->offset, constant->bytes, (size_t)tensor->bytes);
    } else if (tensor->storage == TACHO_STORAGE_SPLAT &&
               tacho_dtype_bytes((tacho_dtype)tensor->dtype, 1, &one)) {
        memcpy(memory + tensor->offset, constant->splat,
               one < sizeof(constant->splat) ? (size_t)one : sizeof(constant->splat));
    }
}

static tacho_status copy_constants(filler *self)
{
    tacho_program *program = self->program;
    void *memory;
    if (!self->has_bytes) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_alloc(&program->arena, (size_t)self->pool_bytes, &memory));
    for (uint32_t i = 0; i < self->graph->tensor_count; i++) {
        if (self->tensor_of[i] != TACHO_NONE && self->graph->tensors[i].constant != TACHO_NONE) {
            copy_bytes(self, i, memory);
        }
    }
    program->constants = tacho_str_make(memory, (size_t)self->pool_bytes);
    return TACHO_OK;
}

/* ---- attributes ---------------------------------------------------------------------------- */

static tacho_status copy_list(filler *self, const void *from, size_t size, const void **out_copy)
{
    void *copy;
    TACHO_TRY(tacho_arena_alloc(&self->program->arena, size, &copy));
    if (size > 0) {
        memcpy(copy, from, size);
    }
    *out_copy = copy;
    return TACHO_OK;
}

static tacho_status copy_texts(filler *self, tacho_attr *attr)
{
    void *memory;
    const tacho_str *from = attr->value.as_texts;
    TACHO_TRY(tacho_arena_alloc(&self->program->arena, attr->count * sizeof(tacho_str), &memory));
    tacho_str *texts = memory;
    for (uint32_t i = 0; i < attr->count; i++) {
        TACHO_TRY(tacho_arena_copy(&self->program->arena, from[i], &texts[i]));
    }
    attr->value.as_texts = texts;
    return TACHO_OK;
}

static tacho_status add_attr(filler *self, tacho_attr attr)
{
    tacho_program *program = self->program;
    tacho_arena *arena = &program->arena;
    const void *list = NULL;
    TACHO_TRY(tacho_arena_copy(arena, attr.name, &attr.name));
    switch (attr.kind) {
    case TACHO_ATTR_TEXT:
        TACHO_TRY(tacho_arena_copy(arena, attr.value.as_text, &attr.value.as_text));
        break;
    case TACHO_ATTR_INTS:
        TACHO_TRY(copy_list(self, attr.value.as_ints, attr.count * sizeof(int64_t), &list));
        attr.value.as_ints = list;
        break;
    case TACHO_ATTR_REALS:
        TACHO_TRY(copy_list(self, attr.value.as_reals, attr.count * sizeof(double), &list));
        attr.value.as_reals = list;
        break;
    case TACHO_ATTR_TEXTS:
        TACHO_TRY(copy_texts(self, &attr));
        break;
    case TACHO_ATTR_TENSOR:
        TACHO_TRY(ensure_tensor(self, attr.value.as_tensor, &attr.value.as_tensor));
        break;
    case TACHO_ATTR_INT:
    case TACHO_ATTR_REAL:
    case TACHO_ATTR_GRAPH:
    case TACHO_ATTR_OTHER:
        break;
    }
    TACHO_TRY(tacho_grow(&program->attrs, &program->attr_capacity, program->attr_count + 1));
    program->attrs[program->attr_count++] = attr;
    return TACHO_OK;
}

/* ---- steps --------------------------------------------------------------------------------- */

static tacho_status add_link(filler *self, uint32_t tensor)
{
    tacho_program *program = self->program;
    uint32_t id;
    TACHO_TRY(ensure_tensor(self, tensor, &id));
    TACHO_TRY(tacho_grow(&program->links, &program->link_capacity, program->link_count + 1));
    program->links[program->link_count++] = id;
    return TACHO_OK;
}

static tacho_status add_step(filler *self, uint32_t number)
{
    const tacho_node *node = &self->graph->nodes[number];
    tacho_program *program = self->program;
    if (node->input_count > UINT16_MAX || node->output_count > UINT16_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%.*s: node %u has more than 65535 operands",
                          TACHO_STR_ARG(self->graph->path), (unsigned)node->index);
    }
    tacho_step step = {
        .op = self->op,
        .opset = node->opset,
        .first_link = (uint32_t)program->link_count,
        .input_count = (uint16_t)node->input_count,
        .output_count = (uint16_t)node->output_count,
        .first_attr = (uint32_t)program->attr_count,
        .attr_count = node->attr_count,
        .when = node->guard.when,
    };
    TACHO_TRY(intern(self, node->type, &step.type));
    for (uint32_t i = 0; i < node->input_count; i++) {
        TACHO_TRY(add_link(self, self->graph->links[node->first_input + i]));
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        TACHO_TRY(add_link(self, self->graph->links[node->first_output + i]));
    }
    if (node->guard.when != TACHO_WHEN_ALWAYS) {
        TACHO_TRY(add_link(self, node->guard.condition));
    }
    for (uint32_t i = 0; i < node->attr_count; i++) {
        TACHO_TRY(add_attr(self, tacho_graph_attrs(self->graph, node)[i]));
    }
    TACHO_TRY(tacho_grow(&program->steps, &program->step_capacity, program->step_count + 1));
    program->steps[program->step_count++] = step;
    return TACHO_OK;
}

/* The node that still has to make |tensor|, or TACHO_NONE. */
static uint32_t missing_maker(const filler *self, uint32_t tensor)
{
    const tacho_tensor *from = tensor != TACHO_NONE ? &self->graph->tensors[tensor] : NULL;
    bool is_missing = from != NULL && from->constant == TACHO_NONE &&
                      from->producer != TACHO_NONE && !self->is_done[from->producer];
    return is_missing ? from->producer : TACHO_NONE;
}

/* The node that still has to run before |node| can, or TACHO_NONE. */
static uint32_t missing_producer(const filler *self, const tacho_node *node)
{
    uint32_t missing = node->guard.when != TACHO_WHEN_ALWAYS
                           ? missing_maker(self, node->guard.condition)
                           : TACHO_NONE;
    for (uint32_t i = 0; i < node->input_count && missing == TACHO_NONE; i++) {
        missing = missing_maker(self, self->graph->links[node->first_input + i]);
    }
    return missing;
}

/* Adds the step of |number| after all that it needs. Each node is entered once. */
static tacho_status run_node(filler *self, uint32_t number)
{
    size_t depth = 0;
    for (uint32_t node = number; !self->is_done[number];) {
        uint32_t missing = missing_producer(self, &self->graph->nodes[node]);
        TACHO_TRY(tacho_grow(&self->stack, &self->stack_capacity, depth + 1));
        if (missing != TACHO_NONE && depth <= self->graph->node_count) {
            self->stack[depth++] = node;
            node = missing;
            continue;
        }
        TACHO_TRY(add_step(self, node));
        self->is_done[node] = true;
        node = depth > 0 ? self->stack[--depth] : node;
    }
    return TACHO_OK;
}

/* ---- ops ----------------------------------------------------------------------------------- */

static tacho_status name_op(filler *self, tacho_program_op *op)
{
    const tacho_fused_op *fused = &self->fusion->ops[self->op];
    const tacho_node *root = &self->graph->nodes[fused->root];
    tacho_strings *strings = &self->program->strings;
    tacho_str text;
    tacho_arena_reset(&self->scratch);
    TACHO_TRY(tacho_estimate_op_name(self->estimate, self->op, &self->scratch, &text));
    TACHO_TRY(tacho_strings_ensure(strings, text, &op->name));
    TACHO_TRY(tacho_estimate_op_type(self->estimate, self->op, '+', &self->scratch, &text));
    TACHO_TRY(tacho_strings_ensure(strings, text, &op->type));
    TACHO_TRY(intern(self, root->location, &op->location));
    text = tacho_estimate_vendor_name(self->estimate, self->op);
    text = text.len > 0 ? text : tacho_str_from_cstring(tacho_op_kind_name(fused->kind));
    return tacho_strings_ensure(strings, text, &op->kind);
}

/* Adds the next checks if their values are known, or all: before wrong values are used for long. */
static tacho_status add_checks(filler *self, bool adds_all)
{
    while (self->check < self->check_count &&
           (adds_all ||
            missing_producer(self, &self->graph->nodes[self->checks[self->check]]) == TACHO_NONE)) {
        TACHO_TRY(run_node(self, self->checks[self->check++]));
    }
    return TACHO_OK;
}

static tacho_status find_checks(filler *self)
{
    for (uint32_t i = 0; i < self->graph->node_count; i++) {
        if (tacho_op_has(self->graph->nodes[i].def, TACHO_OP_IS_CHECK) &&
            !self->graph->nodes[i].is_folded) {
            TACHO_TRY(tacho_grow(&self->checks, &self->check_capacity, self->check_count + 1));
            self->checks[self->check_count++] = i;
        }
    }
    return TACHO_OK;
}

static tacho_status fill_op(filler *self)
{
    const tacho_fused_op *fused = &self->fusion->ops[self->op];
    const tacho_op_estimate *estimate = &self->estimate->ops[self->op];
    tacho_program_op *op = &self->program->ops[self->op];
    op->macs = estimate->cost.macs;
    op->input_bytes = estimate->work.input.bytes;
    op->weight_bytes = estimate->work.weights.bytes;
    op->output_bytes = estimate->work.output.bytes;
    op->first_step = (uint32_t)self->program->step_count;
    TACHO_TRY(name_op(self, op));
    for (uint32_t i = 0; i < fused->member_count; i++) {
        TACHO_TRY(run_node(self, self->fusion->members[fused->first_member + i]));
    }
    TACHO_TRY(add_checks(self, false));
    op->step_count = (uint32_t)self->program->step_count - op->first_step;
    return TACHO_OK;
}

/* Views that only the network's outputs need go with the last operator. */
static tacho_status fill_rest(filler *self)
{
    TACHO_TRY(add_checks(self, true));
    for (size_t i = 0; i < self->graph->output_count; i++) {
        const tacho_tensor *tensor = &self->graph->tensors[self->graph->outputs[i]];
        if (tensor->constant == TACHO_NONE && tensor->producer != TACHO_NONE) {
            TACHO_TRY(run_node(self, tensor->producer));
        }
    }
    tacho_program_op *last = &self->program->ops[self->op];
    last->step_count = (uint32_t)self->program->step_count - last->first_step;
    return TACHO_OK;
}

static tacho_status fill_list(filler *self, const uint32_t *from, size_t count, uint32_t *to)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(ensure_tensor(self, from[i], &to[i]));
    }
    return TACHO_OK;
}

/* Regions and buffers name tensors of the graph until now. */
static tacho_status rename_tensors(filler *self)
{
    tacho_program *program = self->program;
    for (size_t i = 0; i < program->region_count; i++) {
        TACHO_TRY(ensure_tensor(self, program->regions[i].tensor, &program->regions[i].tensor));
    }
    for (size_t i = 0; i < program->buffer_count; i++) {
        TACHO_TRY(ensure_tensor(self, program->buffers[i].tensor, &program->buffers[i].tensor));
        if (program->buffers[i].role == TACHO_BUFFER_RESIDENT) {
            program->tensors[program->buffers[i].tensor].is_local = 1;
        }
    }
    return TACHO_OK;
}

/* Bytes of a tensor as the machine keeps it, of all inferences that run as one. */
static uint64_t kept_bytes(const tacho_program *program, uint32_t id)
{
    const tacho_program_tensor *tensor = &program->tensors[id];
    uint64_t elements = 0;
    uint64_t bytes = 0;
    bool is_known = tacho_shape_elements(tacho_program_shape(program, tensor), &elements) &&
                    tacho_dtype_bytes((tacho_dtype)tensor->kept, elements, &bytes);
    return is_known ? tacho_size_multiply(bytes, program->facts.batch_size) : 0;
}

/*
 * Results of an operator in shared memory. Where its first result stays in local memory, others
 * may not.
 */
static uint64_t results_shared(const filler *self, size_t number)
{
    const tacho_fusion *fusion = self->fusion;
    const tacho_program *program = self->program;
    const tacho_work *work = &self->estimate->ops[number].work;
    const tacho_fused_op *op = &fusion->ops[number];
    uint64_t sum = 0;
    if (work->output.place == TACHO_PLACE_DDR) {
        return work->output.bytes;
    }
    for (uint32_t k = 1; k < op->output_count && program->region_count > 0; k++) {
        uint32_t id = self->tensor_of[fusion->tensors[op->first_output + k]];
        bool is_shared = id != TACHO_NONE && program->tensors[id].is_local == 0;
        add_bytes(&sum, is_shared ? kept_bytes(program, id) : 0);
    }
    return sum;
}

/* By tensor: the last operator that reads it, or the operator count if the network returns it. */
static void find_last_readers(const filler *self, uint32_t *last)
{
    const tacho_fusion *fusion = self->fusion;
    for (uint32_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t k = 0; k < op->input_count; k++) {
            last[fusion->tensors[op->first_input + k]] = i;
        }
    }
    for (size_t i = 0; i < self->graph->output_count; i++) {
        uint32_t stored = fusion->alias[self->graph->outputs[i]];
        last[self->graph->outputs[i]] = last[stored] = (uint32_t)fusion->op_count;
    }
}

/*
 * The most that shared memory has to hold besides the constants: inputs, which stay, and results
 * from the operator that makes them to the last that reads one of them. Their places are reused.
 */
static tacho_status count_shared(filler *self)
{
    const tacho_fusion *fusion = self->fusion;
    tacho_program *program = self->program;
    uint32_t *last = tacho_items_alloc(self->graph->tensor_count, sizeof(*last));
    uint64_t *ends = tacho_items_alloc(fusion->op_count + 1, sizeof(*ends));
    if (last == NULL || ends == NULL) {
        free(last);
        free(ends);
        return tacho_no_memory();
    }
    find_last_readers(self, last);
    uint64_t now = 0;
    for (size_t i = 0; i < program->input_count; i++) {
        add_bytes(&now, kept_bytes(program, program->inputs[i]));
    }
    uint64_t most = now;
    for (size_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        uint64_t bytes = results_shared(self, i);
        size_t end = i;
        for (uint32_t k = 0; k < op->output_count; k++) {
            uint32_t reader = last[fusion->tensors[op->first_output + k]];
            end = reader > end ? reader : end;
        }
        add_bytes(&now, bytes);
        add_bytes(&ends[end], bytes);
        most = now > most ? now : most;
        now -= tacho_least(ends[i], now);
    }
    program->facts.ddr_bytes = most;
    free(last);
    free(ends);
    return TACHO_OK;
}

/* Whether the operator runs only to return a folded constant: its own constants are gone. */
static bool gives_constant(const filler *self, const tacho_fused_op *op)
{
    return op->output_count > 0 &&
           self->graph->tensors[self->fusion->tensors[op->first_output]].is_constant;
}

/* Constants that operators read, each once, as the machine keeps them. */
static tacho_status count_constants(filler *self)
{
    const tacho_fusion *fusion = self->fusion;
    bool *is_counted = tacho_items_alloc(self->graph->tensor_count, sizeof(*is_counted));
    if (is_counted == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t k = 0; k < op->weight_count && !gives_constant(self, op); k++) {
            uint32_t id = fusion->tensors[op->first_weight + k];
            if (!is_counted[id]) {
                add_bytes(&self->program->facts.constant_bytes,
                          tacho_machine_view_bytes(self->estimate->machine,
                                                   &self->graph->tensors[id],
                                                   self->estimate->compute));
            }
            is_counted[id] = true;
        }
    }
    free(is_counted);
    return TACHO_OK;
}

static tacho_status fill(filler *self)
{
    const tacho_graph *graph = self->graph;
    tacho_program *program = self->program;
    TACHO_TRY(tacho_grow(&program->inputs, &program->input_capacity, graph->input_count + 1));
    TACHO_TRY(tacho_grow(&program->outputs, &program->output_capacity, graph->output_count + 1));
    TACHO_TRY(fill_list(self, graph->inputs, graph->input_count, program->inputs));
    TACHO_TRY(fill_list(self, graph->outputs, graph->output_count, program->outputs));
    program->input_count = graph->input_count;
    program->output_count = graph->output_count;
    TACHO_TRY(find_checks(self));
    for (self->op = 0; self->op < self->fusion->op_count; self->op++) {
        TACHO_TRY(fill_op(self));
    }
    if (self->op > 0) {
        self->op--;
        TACHO_TRY(fill_rest(self));
    }
    TACHO_TRY(rename_tensors(self));
    TACHO_TRY(count_shared(self));
    TACHO_TRY(count_constants(self));
    return copy_constants(self);
}

tacho_status tacho_values_fill(const tacho_estimate *estimate, bool has_bytes,
                               tacho_program *program)
{
    const tacho_graph *graph = estimate->fusion->graph;
    filler self = {
        .estimate = estimate,
        .fusion = estimate->fusion,
        .graph = graph,
        .program = program,
        .has_bytes = has_bytes,
        .tensor_of = malloc((graph->tensor_count + 1) * sizeof(uint32_t)),
        .is_done = tacho_items_alloc(graph->node_count, sizeof(bool)),
    };
    tacho_arena_init(&self.scratch);
    tacho_status status = TACHO_OK;
    if (self.tensor_of == NULL || self.is_done == NULL) {
        status = tacho_no_memory();
    } else {
        memset(self.tensor_of, 0xff, (graph->tensor_count + 1) * sizeof(uint32_t));
        status = fill(&self);
    }
    free(self.tensor_of);
    free(self.is_done);
    free(self.stack);
    free(self.checks);
    tacho_arena_deinit(&self.scratch);
    tacho_shapes_deinit(&self.shapes);
    return status;
}
