/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes inference and folding: bytes choose operators of ONNX, operands, attributes and what the
 * file says of the results.
 *
 * Laws: a graph is inferred or refused with a message that names the file. What is inferred is
 * sound: shapes are countable, values can be read, what is folded is constant; and inferring again
 * finds nothing new.
 */
#include "graph/expand.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES_MAX = 8, INPUTS_MAX = 6, OUTPUTS_MAX = 3, ATTRS_MAX = 4, LIST_MAX = 10 };

static const int64_t numbers[] = {
    0, 1, 2, 3, 4, 5, 8, -1, -2, -3, 16, 64, 70, 99, 1, INT64_MAX, INT64_MIN, 1LL << 32, 7, 4096,
};
static const char *const attr_names[] = {
    "axis",      "axes",         "keepdims",     "perm",
    "shape",     "starts",       "ends",         "steps",
    "split",     "pads",         "kernel_shape", "strides",
    "dilations", "group",        "auto_pad",     "ceil_mode",
    "to",        "value",        "value_ints",   "blocksize",
    "k",         "batch_dims",   "scales",       "output_padding",
    "equation",  "layout",       "transA",       "hidden_size",
    "allowzero", "output_shape", "start",        "end",
    "fmod",      "direction",    "dtype",        "noop_with_empty_axes",
    "num_heads", "q_num_heads",  "kv_num_heads", "K",
    "N",         "block_size",
};
/* Operators that are made of others; those of the standard are among the rows as well. */
static const char *const composed[] = {
#define COMPOSED(name, function) name,
    TACHO_EXPANSIONS(COMPOSED)
#undef COMPOSED
};
static const char *const texts[] = {
    "SAME_UPPER", "VALID",          "NOTSET", "bidirectional",
    "ij,jk->ik",  "...a,a...->...", "a,a",    "not_larger",
};

typedef struct builder {
    const uint8_t *data;
    size_t size;
    tacho_graph *graph;
} builder;

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static uint8_t next(builder *self)
{
    if (self->size == 0) {
        return 0;
    }
    self->size--;
    return *self->data++;
}

static int64_t number(builder *self)
{
    return numbers[next(self) % (sizeof(numbers) / sizeof(numbers[0]))];
}

static void *allocate(builder *self, size_t size)
{
    void *memory;
    require(tacho_arena_alloc(&self->graph->arena, size, &memory) == TACHO_OK);
    return memory;
}

static tacho_shape any_shape(builder *self)
{
    tacho_shape shape = {.rank = next(self) % 6 - 1};
    for (int32_t i = 0; i < shape.rank; i++) {
        int64_t dim = number(self);
        shape.dims[i] = dim < -1 ? -1 : dim;
    }
    return shape;
}

static tacho_dtype any_dtype(builder *self)
{
    static const tacho_dtype common[] = {TACHO_DTYPE_F32, TACHO_DTYPE_I64, TACHO_DTYPE_BOOL,
                                         TACHO_DTYPE_I32};
    uint8_t byte = next(self);
    return byte < 200 ? common[byte % 4] : (tacho_dtype)(byte % TACHO_DTYPE_COUNT);
}

/* Gives a tensor of known and modest size a value. */
static void add_value(builder *self, uint32_t id, uint8_t how)
{
    tacho_tensor *tensor = &self->graph->tensors[id];
    uint64_t bytes;
    if (!tacho_tensor_bytes(tensor, &bytes) || bytes > (1 << 20) ||
        tensor->dtype == TACHO_DTYPE_STRING) {
        return;
    }
    tacho_constant constant = {.kind = (tacho_constant_kind)(how % 3)};
    unsigned char *memory = allocate(self, (size_t)bytes + 1);
    memory += how & 1; /* maybe not aligned */
    size_t element = tacho_dtype_element_bytes(tensor->dtype);
    for (size_t at = 0; element > 0 && at + element <= bytes && at < 16 * element; at += element) {
        int64_t value = number(self);
        memcpy(memory + at, &value, element < 8 ? element : 8);
    }
    if (element > 0 && bytes > 0) {
        memcpy(constant.splat, memory, element < 16 ? element : 16);
    }
    constant.bytes = memory;
    require(tacho_graph_set_constant(self->graph, id, &constant) == TACHO_OK);
}

static void set_shape(builder *self, uint32_t id, tacho_shape shape)
{
    require(tacho_graph_set_shape(self->graph, &self->graph->tensors[id], &shape) == TACHO_OK);
}

static uint32_t any_tensor(builder *self)
{
    uint32_t id;
    uint8_t how = next(self);
    if (how % 8 == 0) {
        return TACHO_NONE;
    }
    if (how % 8 < 4 && self->graph->tensor_count > 0) {
        return (uint32_t)(next(self) % self->graph->tensor_count);
    }
    require(tacho_graph_add_tensor(self->graph, TACHO_STR("t"), &id) == TACHO_OK);
    tacho_tensor *tensor = &self->graph->tensors[id];
    tensor->dtype = any_dtype(self);
    set_shape(self, id, any_shape(self));
    if (how % 8 < 7) {
        if (how % 8 == 6) { /* a parameter */
            tensor->dtype = TACHO_DTYPE_I64;
            set_shape(self, id, (tacho_shape){.rank = 1, .dims = {next(self) % LIST_MAX}});
        }
        add_value(self, id, next(self));
    }
    return id;
}

static tacho_attr any_attr(builder *self)
{
    const char *name = attr_names[next(self) % (sizeof(attr_names) / sizeof(attr_names[0]))];
    tacho_attr attr = {.name = tacho_str_from_cstring(name),
                       .kind = (tacho_attr_kind)(next(self) % (TACHO_ATTR_OTHER + 1))};
    uint32_t tensor;
    attr.count = next(self) % LIST_MAX;
    int64_t *ints = allocate(self, LIST_MAX * sizeof(*ints));
    double *reals = allocate(self, LIST_MAX * sizeof(*reals));
    for (uint32_t i = 0; i < attr.count; i++) {
        ints[i] = number(self);
        reals[i] = (double)ints[i] / 2;
    }
    switch (attr.kind) {
    case TACHO_ATTR_REAL:
        attr.value.as_real = (double)number(self);
        break;
    case TACHO_ATTR_TEXT:
        attr.value.as_text =
            tacho_str_from_cstring(texts[next(self) % (sizeof(texts) / sizeof(texts[0]))]);
        break;
    case TACHO_ATTR_INTS:
        attr.value.as_ints = ints;
        break;
    case TACHO_ATTR_REALS:
        attr.value.as_reals = reals;
        break;
    case TACHO_ATTR_TENSOR:
        tensor = any_tensor(self);
        attr.kind = tensor == TACHO_NONE ? TACHO_ATTR_OTHER : TACHO_ATTR_TENSOR;
        attr.value.as_tensor = tensor;
        break;
    case TACHO_ATTR_TEXTS:
        attr.kind = TACHO_ATTR_OTHER;
        break;
    case TACHO_ATTR_INT:
    case TACHO_ATTR_GRAPH:
    case TACHO_ATTR_OTHER:
    default:
        attr.value.as_int = number(self);
        break;
    }
    return attr;
}

static void add_node(builder *self, size_t op_count)
{
    uint32_t inputs[INPUTS_MAX], outputs[OUTPUTS_MAX];
    tacho_attr attrs[ATTRS_MAX];
    tacho_node_lists lists = {.inputs = inputs, .outputs = outputs, .attrs = attrs};
    uint8_t which = next(self), opset = next(self);
    tacho_node node = {.def = &tacho_onnx_op_defs[which % op_count],
                       .opset = opset % 23 + 1,
                       .index = (uint32_t)self->graph->node_count};
    const char *type = node.def->name;
    if (opset >= 230) {
        type = composed[which % (sizeof(composed) / sizeof(composed[0]))];
        node.def =
            strchr(type, '.') != NULL ? NULL : tacho_op_def_find(tacho_str_from_cstring(type));
    }
    size_t input_count = next(self) % (INPUTS_MAX + 1), attr_count = next(self) % (ATTRS_MAX + 1);
    size_t output_count = 1 + next(self) % OUTPUTS_MAX;
    while (lists.input_count < input_count) {
        inputs[lists.input_count++] = any_tensor(self);
    }
    while (lists.attr_count < attr_count) {
        attrs[lists.attr_count++] = any_attr(self);
    }
    while (lists.output_count < output_count) {
        uint32_t *id = &outputs[lists.output_count++];
        require(tacho_graph_add_tensor(self->graph, TACHO_STR("o"), id) == TACHO_OK);
        if (next(self) % 4 == 0) {
            set_shape(self, *id, any_shape(self));
            self->graph->tensors[*id].dtype = any_dtype(self);
        }
    }
    require(tacho_strings_ensure(&self->graph->strings, tacho_str_from_cstring(type), &node.type) ==
            TACHO_OK);
    require(tacho_graph_add_node(self->graph, &node, &lists) == TACHO_OK);
}

static volatile unsigned seen; /* keeps the reading of bytes from being left out */

static void check_graph(const tacho_graph *graph)
{
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[i];
        uint64_t count, bytes = 0;
        require(tensor->shape->rank >= -1 && tensor->shape->rank <= TACHO_RANK_MAX);
        for (int32_t j = 0; j < tensor->shape->rank; j++) {
            require(tensor->shape->dims[j] >= -1);
        }
        require(!tacho_shape_is_known(tensor->shape) ||
                tacho_shape_elements(tensor->shape, &count));
        if (tensor->constant != TACHO_NONE) {
            const tacho_constant *constant = &graph->constants[tensor->constant];
            require(tensor->is_constant);
            bool is_bytes = constant->kind == TACHO_CONSTANT_BYTES;
            require(!is_bytes || tacho_tensor_bytes(tensor, &bytes));
            for (uint64_t j = 0; is_bytes && j < bytes; j++) {
                seen += constant->bytes[j];
            }
        }
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        for (size_t j = 0; j < graph->nodes[i].output_count; j++) {
            require(!graph->nodes[i].is_folded ||
                    tacho_graph_output(graph, &graph->nodes[i], j)->is_constant);
        }
    }
}

static void check_again(tacho_graph *graph)
{
    tacho_shape *shapes = malloc((graph->tensor_count + 1) * sizeof(*shapes));
    require(shapes != NULL);
    for (size_t i = 0; i < graph->tensor_count; i++) {
        shapes[i] = *graph->tensors[i].shape;
    }
    require(tacho_graph_infer(graph) == TACHO_OK);
    for (size_t i = 0; i < graph->tensor_count; i++) {
        require(tacho_shape_equal(&shapes[i], graph->tensors[i].shape));
    }
    free(shapes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_graph graph;
    size_t op_count = 0;
    while (tacho_onnx_op_defs[op_count].name != NULL) {
        op_count++;
    }
    require(tacho_graph_init(&graph) == TACHO_OK);
    graph.path = TACHO_STR("fuzz.onnx");
    builder self = {data, size, &graph};
    for (size_t i = 0; i < NODES_MAX && self.size > 0; i++) {
        add_node(&self, op_count);
    }
    tacho_status status = tacho_graph_sort(&graph);
    if (status == TACHO_OK) {
        status = tacho_graph_infer(&graph);
    }
    if (status == TACHO_OK) {
        check_graph(&graph);
        check_again(&graph);
    } else {
        require(strncmp(tacho_status_message(status), "fuzz.onnx: ", 11) == 0);
        tacho_status_free(status);
    }
    tacho_graph_deinit(&graph);
    return 0;
}
