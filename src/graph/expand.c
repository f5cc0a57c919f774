/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building the nodes that replace an operator.
 */
#include "graph/expand.h"

#include "base/whole.h"
#include "graph/onnx_infer.h"
#include "kernels/element.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- the operator's inputs and attributes -------------------------------------------------- */

static bool is_working(const tacho_expander *self)
{
    return self->status == TACHO_OK && !self->is_declined;
}

/* Keeps the first failure. */
static bool try(tacho_expander *self, tacho_status status)
{
    if (self->status == TACHO_OK) {
        self->status = status;
    } else {
        tacho_status_free(status);
    }
    return self->status == TACHO_OK;
}

static const tacho_tensor *tensor_at(const tacho_expander *self, size_t i)
{
    return tacho_graph_input(self->graph, &self->origin, i);
}

uint32_t tacho_expand_input(const tacho_expander *self, size_t i)
{
    return i < self->origin.input_count ? self->graph->links[self->origin.first_input + i]
                                        : TACHO_NONE;
}

bool tacho_expand_has(const tacho_expander *self, size_t i)
{
    return tacho_expand_input(self, i) != TACHO_NONE;
}

const tacho_shape *tacho_expand_shape(const tacho_expander *self, size_t i)
{
    tacho_infer infer = {self->graph, &self->origin};
    return tacho_infer_shape(&infer, i);
}

tacho_dtype tacho_expand_dtype(const tacho_expander *self, size_t i)
{
    const tacho_tensor *tensor = tensor_at(self, i);
    return tensor == NULL ? TACHO_DTYPE_NONE : tensor->dtype;
}

bool tacho_expand_wants(const tacho_expander *self, size_t i)
{
    return tacho_graph_output(self->graph, &self->origin, i) != NULL;
}

int64_t tacho_expand_int(const tacho_expander *self, const char *name, int64_t fallback)
{
    return tacho_attr_int(tacho_graph_attrs(self->graph, &self->origin), self->origin.attr_count,
                          name, fallback);
}

double tacho_expand_real(const tacho_expander *self, const char *name, double fallback)
{
    return tacho_attr_real(tacho_graph_attrs(self->graph, &self->origin), self->origin.attr_count,
                           name, fallback);
}

tacho_str tacho_expand_text(const tacho_expander *self, const char *name)
{
    return tacho_attr_text(tacho_graph_attrs(self->graph, &self->origin), self->origin.attr_count,
                           name);
}

void tacho_expand_fail(tacho_expander *self, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    tacho_infer infer = {self->graph, &self->origin};
    try(self, tacho_infer_fail(&infer, "%s", text));
}

bool tacho_expand_need(tacho_expander *self, size_t i, int32_t min, int32_t max)
{
    const tacho_tensor *tensor = tensor_at(self, i);
    if (tensor == NULL) {
        tacho_expand_fail(self, "input %zu is missing", i);
        return false;
    }
    if (!tacho_shape_is_known(tensor->shape) || tensor->dtype == TACHO_DTYPE_NONE) {
        self->is_declined = true;
        return false;
    }
    for (int32_t j = 0; j < tensor->shape->rank; j++) {
        if (tensor->shape->dims[j] > INT32_MAX) { /* beside a 0: so sums and products of two fit */
            tacho_expand_fail(self, "input %zu is too large", i);
            return false;
        }
    }
    if (tensor->shape->rank < min || tensor->shape->rank > max) {
        char text[TACHO_SHAPE_TEXT_MAX];
        tacho_expand_fail(self,
                          "input %zu has shape %s, expected %" PRId32 " to %" PRId32 " dimensions",
                          i, tacho_shape_print(tensor->shape, text, sizeof(text)), min, max);
        return false;
    }
    return is_working(self);
}

int64_t tacho_expand_product(tacho_expander *self, const int64_t *dims, size_t count)
{
    int64_t product = 1;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_mul_overflow(product, dims[i], &product)) {
            tacho_expand_fail(self, "its sizes are too large");
            return 0;
        }
    }
    return product;
}

/* ---- nodes --------------------------------------------------------------------------------- */

static void add_attr(tacho_expander *self, tacho_attr attr)
{
    if (self->attr_count < TACHO_EXPAND_ATTRS) {
        self->attrs[self->attr_count++] = attr;
    } else {
        tacho_expand_fail(self, "an expansion has too many attributes");
    }
}

void tacho_expand_set_int(tacho_expander *self, const char *name, int64_t value)
{
    add_attr(self, (tacho_attr){.name = tacho_str_from_cstring(name),
                                .kind = TACHO_ATTR_INT,
                                .value.as_int = value});
}

void tacho_expand_set_real(tacho_expander *self, const char *name, double value)
{
    add_attr(self, (tacho_attr){.name = tacho_str_from_cstring(name),
                                .kind = TACHO_ATTR_REAL,
                                .value.as_real = value});
}

void tacho_expand_set_text(tacho_expander *self, const char *name, const char *value)
{
    add_attr(self, (tacho_attr){.name = tacho_str_from_cstring(name),
                                .kind = TACHO_ATTR_TEXT,
                                .value.as_text = tacho_str_from_cstring(value)});
}

/* A copy of integers in the graph's arena. */
static const int64_t *keep_ints(tacho_expander *self, const int64_t *values, size_t count)
{
    void *memory = NULL;
    if (!is_working(self) ||
        !try(self,
             tacho_arena_alloc(&self->graph->arena, (count + 1) * sizeof(*values), &memory))) {
        return NULL;
    }
    memcpy(memory, values, count * sizeof(*values));
    return memory;
}

static void expand_set_ints(tacho_expander *self, const char *name, const int64_t *values,
                            size_t count)
{
    add_attr(self, (tacho_attr){.name = tacho_str_from_cstring(name),
                                .kind = TACHO_ATTR_INTS,
                                .count = (uint32_t)count,
                                .value.as_ints = keep_ints(self, values, count)});
}

static bool is_named(tacho_str name, const char *const *names)
{
    while (*names != NULL && !tacho_str_equal(name, tacho_str_from_cstring(*names))) {
        names++;
    }
    return *names != NULL;
}

void tacho_expand_copy_attrs(tacho_expander *self, const char *const *without)
{
    const tacho_attr *attrs = tacho_graph_attrs(self->graph, &self->origin);
    for (uint32_t i = 0; i < self->origin.attr_count; i++) {
        if (!is_named(attrs[i].name, without)) {
            add_attr(self, attrs[i]);
        }
    }
}

static uint32_t new_tensor(tacho_expander *self)
{
    uint32_t tensor = TACHO_NONE;
    if (is_working(self)) {
        try(self, tacho_graph_add_tensor(self->graph, TACHO_STR(""), &tensor));
    }
    return tensor;
}

/* "Attention_3/MatMul"; nothing for an operator without a name. */
static bool name_node(tacho_expander *self, const char *type, tacho_node *node)
{
    tacho_str name = tacho_graph_string(self->graph, self->origin.name);
    char text[256];
    if (name.len == 0 || name.len > 200) {
        node->name = self->origin.name;
        return true;
    }
    int len = snprintf(text, sizeof(text), "%.*s/%s", TACHO_STR_ARG(name), type);
    return try(self, tacho_strings_ensure(&self->graph->strings, tacho_str_make(text, (size_t)len),
                                          &node->name));
}

uint32_t tacho_expand_add(tacho_expander *self, const char *type, const uint32_t *inputs,
                          size_t input_count, size_t output_count)
{
    tacho_str name = tacho_str_from_cstring(type);
    tacho_node node = {.def = tacho_op_def_find(name),
                       .location = self->origin.location,
                       .scope = self->origin.scope,
                       .index = self->origin.index,
                       .opset = TACHO_EXPAND_OPSET};
    uint32_t outputs[TACHO_EXPAND_INPUTS] = {TACHO_NONE};
    size_t attr_count = self->attr_count;
    self->attr_count = 0;
    while (input_count > 0 && inputs[input_count - 1] == TACHO_NONE) {
        input_count--; /* optional ones at the end */
    }
    if (!is_working(self) || !name_node(self, type, &node) ||
        !try(self, tacho_strings_ensure(&self->graph->strings, name, &node.type))) {
        return TACHO_NONE;
    }
    for (size_t i = 0; i < output_count && i < TACHO_EXPAND_INPUTS; i++) {
        outputs[i] = new_tensor(self);
    }
    if (is_working(self)) {
        tacho_node_lists lists = {.inputs = inputs,
                                  .input_count = input_count,
                                  .outputs = outputs,
                                  .output_count = output_count,
                                  .attrs = self->attrs,
                                  .attr_count = attr_count};
        try(self, tacho_graph_add_node(self->graph, &node, &lists));
    }
    return outputs[0];
}

/* ---- constants ----------------------------------------------------------------------------- */

static void set_value(tacho_expander *self, uint32_t id, tacho_dtype dtype,
                      const tacho_shape *shape, const tacho_constant *value)
{
    if (!is_working(self)) {
        return;
    }
    tacho_tensor *tensor = &self->graph->tensors[id];
    tensor->dtype = dtype;
    if (try(self, tacho_graph_set_shape(self->graph, tensor, shape))) {
        try(self, tacho_graph_set_constant(self->graph, id, value));
    }
}

uint32_t tacho_expand_ints(tacho_expander *self, const int64_t *values, size_t count)
{
    uint32_t tensor = new_tensor(self);
    tacho_constant value = {.kind = TACHO_CONSTANT_BYTES,
                            .bytes = (const unsigned char *)keep_ints(self, values, count)};
    tacho_shape shape = {.rank = 1, .dims = {(int64_t)count}};
    set_value(self, tensor, TACHO_DTYPE_I64, &shape, &value);
    return tensor;
}

uint32_t tacho_expand_reals(tacho_expander *self, tacho_dtype dtype, const tacho_shape *shape,
                            const double *values)
{
    uint32_t tensor = new_tensor(self);
    uint64_t count = 0, bytes = 0;
    void *memory = NULL;
    if (!is_working(self) || !tacho_shape_elements(shape, &count) ||
        !tacho_dtype_bytes(dtype, count, &bytes) ||
        !try(self, tacho_arena_alloc(&self->graph->arena, (size_t)bytes + 1, &memory))) {
        return tensor;
    }
    tacho_array array = {.dtype = dtype, .shape = *shape, .data = memory};
    tacho_write_reals(&array, 0, (size_t)count, values);
    tacho_constant value = {.kind = TACHO_CONSTANT_BYTES, .bytes = memory};
    set_value(self, tensor, dtype, shape, &value);
    return tensor;
}

uint32_t tacho_expand_splat(tacho_expander *self, tacho_dtype dtype, const tacho_shape *shape,
                            double number)
{
    alignas(16) unsigned char element[16] = {0};
    tacho_array array = {.dtype = dtype, .shape = {.rank = 0}, .data = element};
    tacho_constant value = {.kind = TACHO_CONSTANT_SPLAT};
    uint32_t tensor = new_tensor(self);
    if (tacho_element_kind(dtype) == TACHO_DTYPE_REAL) {
        tacho_write_reals(&array, 0, 1, &number);
    } else {
        tacho_write_ints(&array, 0, 1, &(int64_t){tacho_whole_i64(number)});
    }
    memcpy(value.splat, element, sizeof(element));
    set_value(self, tensor, dtype, shape, &value);
    return tensor;
}

uint32_t tacho_expand_int_number(tacho_expander *self, tacho_dtype dtype, int64_t number)
{
    alignas(16) unsigned char element[16] = {0};
    tacho_array array = {.dtype = dtype, .shape = {.rank = 0}, .data = element};
    tacho_constant value = {.kind = TACHO_CONSTANT_SPLAT};
    uint32_t tensor = new_tensor(self);
    tacho_write_ints(&array, 0, 1, &number);
    memcpy(value.splat, element, sizeof(element));
    set_value(self, tensor, dtype, &array.shape, &value);
    return tensor;
}

uint32_t tacho_expand_number(tacho_expander *self, tacho_dtype dtype, double value)
{
    return tacho_expand_splat(self, dtype, &(tacho_shape){.rank = 0}, value);
}

uint32_t tacho_expand_reread(tacho_expander *self, uint32_t tensor, tacho_dtype dtype,
                             const tacho_shape *shape)
{
    const tacho_tensor *from = tensor == TACHO_NONE ? NULL : &self->graph->tensors[tensor];
    uint64_t count, bytes, given;
    if (!is_working(self) || from == NULL) {
        return TACHO_NONE;
    }
    if (from->constant == TACHO_NONE || !tacho_tensor_bytes(from, &given) ||
        !tacho_shape_elements(shape, &count) || !tacho_dtype_bytes(dtype, count, &bytes) ||
        bytes != given) {
        self->is_declined = true; /* computed weights, or of another size than their layout has */
        return TACHO_NONE;
    }
    tacho_constant value = self->graph->constants[from->constant];
    uint32_t made = new_tensor(self);
    set_value(self, made, dtype, shape, &value);
    return made;
}

/* ---- common operators ---------------------------------------------------------------------- */

uint32_t tacho_expand_reshape(tacho_expander *self, uint32_t tensor, const int64_t *dims,
                              size_t count)
{
    return TACHO_EXPAND_OP(self, "Reshape", tensor, tacho_expand_ints(self, dims, count));
}

uint32_t tacho_expand_transpose(tacho_expander *self, uint32_t tensor, const int64_t *order,
                                size_t count)
{
    expand_set_ints(self, "perm", order, count);
    return TACHO_EXPAND_OP(self, "Transpose", tensor);
}

uint32_t tacho_expand_slice(tacho_expander *self, uint32_t tensor, int64_t axis, int64_t begin,
                            int64_t end)
{
    uint32_t from = TACHO_EXPAND_INTS(self, begin), to = TACHO_EXPAND_INTS(self, end);
    return TACHO_EXPAND_OP(self, "Slice", tensor, from, to, TACHO_EXPAND_INTS(self, axis));
}

uint32_t tacho_expand_concat(tacho_expander *self, uint32_t a, uint32_t b, int64_t axis)
{
    tacho_expand_set_int(self, "axis", axis);
    return TACHO_EXPAND_OP(self, "Concat", a, b);
}

uint32_t tacho_expand_cast(tacho_expander *self, uint32_t tensor, tacho_dtype dtype)
{
    int64_t number = 1;
    while (number < 64 && tacho_onnx_dtype_of(number) != dtype) {
        number++;
    }
    tacho_expand_set_int(self, "to", number);
    return TACHO_EXPAND_OP(self, "Cast", tensor);
}

/* ---- the end ------------------------------------------------------------------------------- */

/* Whether |tensor| is made by a node of this expansion and not returned yet. */
static bool is_own(const tacho_expander *self, uint32_t tensor)
{
    uint32_t producer = self->graph->tensors[tensor].producer;
    if (producer == TACHO_NONE || producer < self->first_node) {
        return false;
    }
    for (uint32_t i = 0; i < self->origin.output_count; i++) {
        if (self->graph->links[self->origin.first_output + i] == tensor) {
            return false;
        }
    }
    return true;
}

static void rename_tensor(tacho_expander *self, uint32_t from, uint32_t to)
{
    tacho_graph *graph = self->graph;
    for (size_t i = self->first_node; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        for (uint32_t j = 0; j < node->input_count; j++) {
            uint32_t *link = &graph->links[node->first_input + j];
            *link = *link == from ? to : *link;
        }
        for (uint32_t j = 0; j < node->output_count; j++) {
            uint32_t *link = &graph->links[node->first_output + j];
            *link = *link == from ? to : *link;
        }
    }
    graph->tensors[to].producer = graph->tensors[from].producer;
    graph->tensors[from].producer = TACHO_NONE;
}

void tacho_expand_return(tacho_expander *self, size_t output, uint32_t tensor)
{
    if (!is_working(self) || tensor == TACHO_NONE || !tacho_expand_wants(self, output)) {
        return;
    }
    uint32_t wanted = self->graph->links[self->origin.first_output + output];
    if (!is_own(self, tensor)) {
        tensor = TACHO_EXPAND_OP(self, "Identity", tensor);
    }
    if (is_working(self)) {
        rename_tensor(self, tensor, wanted);
    }
}

/* ---- which operators ----------------------------------------------------------------------- */

static const struct expansion {
    const char *name;
    void (*expand)(tacho_expander *self);
} expansions[] = {
#define EXPANSION(name, function) {name, tacho_expand_##function},
    TACHO_EXPANSIONS(EXPANSION)
#undef EXPANSION
};

static const struct expansion *find_expansion(tacho_str type)
{
    for (size_t i = 0; i < sizeof(expansions) / sizeof(expansions[0]); i++) {
        if (tacho_str_equal(tacho_str_from_cstring(expansions[i].name), type)) {
            return &expansions[i];
        }
    }
    return NULL;
}

tacho_status tacho_expand_run(tacho_graph *graph, size_t node)
{
    const tacho_node *origin = &graph->nodes[node];
    bool may_expand = origin->def == NULL || origin->def->kind == TACHO_OP_OTHER ||
                      origin->def->kind == TACHO_OP_QUANTISE;
    const struct expansion *found =
        may_expand ? find_expansion(tacho_graph_string(graph, origin->type)) : NULL;
    if (found == NULL) {
        return TACHO_OK;
    }
    tacho_expander self = {
        .graph = graph, .origin = *origin, .first_node = graph->node_count, .status = TACHO_OK};
    size_t tensor_count = graph->tensor_count;
    if (self.origin.def != NULL && self.origin.def->infer != NULL) {
        TACHO_TRY(self.origin.def->infer(&(tacho_infer){graph, &self.origin}));
    }
    found->expand(&self);
    if (self.is_declined && self.status == TACHO_OK) {
        graph->node_count = self.first_node;
        graph->tensor_count = tensor_count;
        for (uint32_t i = 0; i < self.origin.output_count; i++) {
            uint32_t output = graph->links[self.origin.first_output + i];
            if (output != TACHO_NONE) {
                graph->tensors[output].producer = (uint32_t)node;
            }
        }
    }
    return self.status;
}
