/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MLIR modules of TOSA and of torch's ONNX import to a graph. The arguments of a function are the
 * network's inputs, its results the outputs; each operation of its body becomes a node,
 * constants too, which are folded from the start. Arguments are called arg0, arg1 and so on,
 * whatever the text calls them, so that text and bytecode give the same.
 */
#include "graph/mlir_model.h"

#include "base/grow.h"
#include "codec/mlir_lexer.h"
#include "codec/mlir_text.h"
#include "graph/model_facts.h"
#include "graph/op_def.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

tacho_status tacho_mlir_import_fail(const tacho_mlir_import *self, const tacho_mlir_op *op,
                                    const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    tacho_str name = tacho_mlir_module_string(&self->module, op->name);
    tacho_str location;
    TACHO_TRY(
        tacho_mlir_module_location(&self->module, op->location, &self->graph->arena, &location));
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: %.*s at %.*s: %s", self->path, TACHO_STR_ARG(name),
                      TACHO_STR_ARG(location), what);
}

tacho_status tacho_mlir_import_alloc(tacho_mlir_import *self, uint64_t size, void **out_memory)
{
    enum { PER_BYTE = 16, SOME_BYTES = 1 << 26 };
    uint64_t limit = (uint64_t)self->bytes.len * PER_BYTE + SOME_BYTES;
    if (size > limit || self->made_bytes > limit - size) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "%s: a file of %zu bytes has constants of more than %" PRIu64
                          " bytes that are not splats",
                          self->path, self->bytes.len, limit);
    }
    self->made_bytes += size;
    return tacho_arena_alloc(&self->graph->arena, (size_t)size, out_memory);
}

/* ---- whose file it is ---- */

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Whether |text| has "name = " at |at|, as an alias or a result does. */
static bool is_definition(tacho_str text, size_t at)
{
    size_t end = tacho_mlir_skip_suffix(text, at);
    size_t mark = tacho_mlir_skip_blanks(text, end);
    return end > at && mark < text.len && (text.data[mark] == '=' || text.data[mark] == ':');
}

static bool starts_module(tacho_str text, size_t at)
{
    at = tacho_mlir_skip_blanks(text, at);
    tacho_str rest = tacho_str_from(text, at < text.len ? at : text.len);
    return rest.len > 0 && (rest.data[0] == '{' || rest.data[0] == '@' ||
                            tacho_str_starts_with(rest, TACHO_STR("attributes")));
}

static bool is_mlir_text(tacho_str text)
{
    size_t at = tacho_mlir_skip_blanks(text, 0);
    if (at >= text.len) {
        return false;
    }
    char byte = text.data[at];
    if (byte == '#' || byte == '!') {
        return is_definition(text, at + 1);
    }
    if (byte == '"') {
        size_t end = tacho_mlir_skip_string(text, at);
        tacho_str name = tacho_str_make(text.data + at, end - at);
        bool is_dotted = memchr(name.data, '.', name.len) != NULL;
        return is_dotted && end < text.len && text.data[end] == '(';
    }
    size_t end = tacho_mlir_skip_word(text, at);
    tacho_str word = tacho_str_make(text.data + at, end - at);
    if (tacho_str_equal(word, TACHO_STR("module")) ||
        tacho_str_equal(word, TACHO_STR("builtin.module"))) {
        return starts_module(text, end);
    }
    return tacho_str_equal(word, TACHO_STR("func.func")) && end < text.len &&
           is_space(text.data[end]);
}

static bool is_mine(tacho_str bytes)
{
    return tacho_mlir_is_bytecode(bytes) || is_mlir_text(bytes);
}

/* ---- which function ---- */

static bool is_function(const tacho_mlir_module *module, const tacho_mlir_op *op)
{
    static const char *const names[] = {"func.func", "util.func", "builtin.func"};
    tacho_str name = tacho_mlir_module_string(module, op->name);
    bool is_named = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        is_named = is_named || tacho_str_equal(name, tacho_str_from_cstring(names[i]));
    }
    return is_named && op->region_count == 1 && module->regions[op->first_region].block_count > 0;
}

static tacho_str text_attr(const tacho_mlir_module *module, const tacho_mlir_op *op,
                           const char *name)
{
    const tacho_mlir_attr *attr = tacho_mlir_module_attr_called(module, op, name);
    bool is_text = attr != NULL && attr->kind == TACHO_MLIR_ATTR_STRING;
    return is_text ? attr->text : TACHO_STR("");
}

static bool is_public(const tacho_mlir_module *module, const tacho_mlir_op *op)
{
    tacho_str visibility = text_attr(module, op, "sym_visibility");
    return visibility.len == 0 || tacho_str_equal(visibility, TACHO_STR("public"));
}

/* A note for a file with several functions: the one that is read, and those that are not. */
static tacho_status note_choice(tacho_mlir_import *self, const tacho_mlir_op *function,
                                const tacho_mlir_op *other, size_t count)
{
    enum { NAME_MAX_BYTES = 80 };
    char text[512];
    tacho_str name = text_attr(&self->module, function, "sym_name");
    tacho_str left = text_attr(&self->module, other, "sym_name");
    bool is_main = tacho_str_equal(name, TACHO_STR("main"));
    int len =
        snprintf(text, sizeof(text),
                 "the file has %zu functions; '%.*s' is used as the model%s, '%.*s'%s not read",
                 count, name.len < NAME_MAX_BYTES ? (int)name.len : NAME_MAX_BYTES, name.data,
                 is_main ? "" : " (none is called main)",
                 left.len < NAME_MAX_BYTES ? (int)left.len : NAME_MAX_BYTES, left.data,
                 count > 2 ? " and others are" : " is");
    return tacho_arena_copy(&self->graph->arena, tacho_str_make(text, (size_t)len),
                            &self->graph->note);
}

/* The one called main, else the first that is public, else the first. */
static const tacho_mlir_op *better_function(const tacho_mlir_module *module,
                                            const tacho_mlir_op *before, const tacho_mlir_op *op)
{
    if (before == NULL || tacho_str_equal(text_attr(module, op, "sym_name"), TACHO_STR("main"))) {
        return op;
    }
    bool is_main = tacho_str_equal(text_attr(module, before, "sym_name"), TACHO_STR("main"));
    return !is_main && is_public(module, op) && !is_public(module, before) ? op : before;
}

static tacho_status choose_function(tacho_mlir_import *self, const tacho_mlir_op **out_function)
{
    const tacho_mlir_module *module = &self->module;
    const tacho_mlir_op *chosen = NULL;
    const tacho_mlir_op *other = NULL; /* the first that is not chosen */
    size_t count = 0;
    for (size_t i = 0; i < module->op_count; i++) {
        if (is_function(module, &module->ops[i])) {
            chosen = better_function(module, chosen, &module->ops[i]);
            count++;
        }
    }
    if (chosen == NULL) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: expected a function with a body (func.func @main), found none among "
                          "%zu operations",
                          self->path, module->op_count);
    }
    for (size_t i = 0; count > 1 && other == NULL; i++) {
        const tacho_mlir_op *op = &module->ops[i];
        other = op != chosen && is_function(module, op) ? op : NULL;
    }
    *out_function = chosen;
    return other == NULL ? TACHO_OK : note_choice(self, chosen, other, count);
}

/* ---- tensors ---- */

/* Sets the element type and shape of |tensor|; one whose size overflows is refused. */
static tacho_status set_type(tacho_mlir_import *self, const tacho_mlir_op *op, uint32_t tensor,
                             const tacho_mlir_type *type)
{
    uint64_t bytes = 0;
    tacho_tensor *made = &self->graph->tensors[tensor];
    made->dtype = type->dtype;
    TACHO_TRY(tacho_graph_set_shape(self->graph, made, &type->shape));
    if (type->dtype == TACHO_DTYPE_NONE || !tacho_shape_is_known(&type->shape) ||
        tacho_tensor_bytes(made, &bytes)) {
        return TACHO_OK;
    }
    char shape[TACHO_SHAPE_TEXT_MAX];
    return tacho_mlir_import_fail(self, op, "a tensor of %s has more bytes than fit 63 bits",
                                  tacho_shape_print(&type->shape, shape, sizeof(shape)));
}

static tacho_status parse_type(const tacho_mlir_import *self, const tacho_mlir_op *op,
                               uint32_t value, tacho_mlir_type *out_type)
{
    tacho_str text = tacho_mlir_module_string(&self->module, self->module.values[value].type);
    const char *problem = tacho_mlir_type_parse(text, out_type);
    return problem == NULL
               ? TACHO_OK
               : tacho_mlir_import_fail(self, op, "type '%.*s': %s",
                                        (int)(text.len < 100 ? text.len : 100), text.data, problem);
}

static tacho_status add_tensor(tacho_mlir_import *self, const tacho_mlir_op *op, uint32_t value,
                               tacho_str name)
{
    tacho_mlir_type type;
    TACHO_TRY(parse_type(self, op, value, &type));
    TACHO_TRY(tacho_graph_add_tensor(self->graph, name, &self->tensors[value]));
    return set_type(self, op, self->tensors[value], &type);
}

static const tacho_model_dim *find_dim(const tacho_mlir_import *self, const char *name)
{
    for (size_t i = 0; i < self->options->dim_count; i++) {
        tacho_str given = self->options->dims[i].name;
        given = tacho_str_from(given, given.len > 0 && given.data[0] == '%' ? 1 : 0);
        if (tacho_str_equal(given, tacho_str_from_cstring(name))) {
            return &self->options->dims[i];
        }
    }
    return NULL;
}

static tacho_status fail_open(const tacho_mlir_import *self, const tacho_mlir_op *function,
                              uint32_t argument, int32_t dim, const char *name)
{
    char detail[96];
    snprintf(detail, sizeof(detail), "%s=N", name);
    tacho_status status = tacho_mlir_import_fail(self, function,
                                                 "dimension %" PRId32 " of argument %" PRIu32
                                                 " is not known; give %s a size",
                                                 dim, argument, name);
    return tacho_status_add_hint(status, TACHO_HINT_SIZE, detail);
}

/* Fills in dimension |dim| where the file leaves it open; another number than the file's is none.
 */
static tacho_status fill_dim(tacho_mlir_import *self, const tacho_mlir_op *function,
                             uint32_t argument, int32_t dim, int64_t *size)
{
    char name[48];
    snprintf(name, sizeof(name), "arg%" PRIu32 ".%" PRId32, argument, dim);
    const tacho_model_dim *given = find_dim(self, name);
    if (*size == TACHO_DIM_UNKNOWN && (given == NULL || given->value < 0)) {
        return fail_open(self, function, argument, dim, name);
    }
    if (given == NULL) {
        return TACHO_OK;
    }
    if (*size != TACHO_DIM_UNKNOWN && *size != given->value) {
        return tacho_mlir_import_fail(self, function,
                                      "dimension %" PRId32 " of argument %" PRIu32 " is %" PRId64
                                      " and cannot be made %" PRId64,
                                      dim, argument, *size, given->value);
    }
    *size = given->value;
    self->is_dim_used[given - self->options->dims] = true;
    return TACHO_OK;
}

/* Numbers for all dimensions of an argument. */
static tacho_status fill_dims(tacho_mlir_import *self, const tacho_mlir_op *function,
                              uint32_t argument, tacho_tensor *tensor)
{
    tacho_model_facts *facts = self->options->facts;
    tacho_shape shape = *tensor->shape;
    if (shape.rank == TACHO_RANK_UNKNOWN && tensor->dtype != TACHO_DTYPE_NONE && facts == NULL) {
        return tacho_mlir_import_fail(
            self, function, "argument %" PRIu32 " has no known number of dimensions", argument);
    }
    for (int32_t i = 0; i < shape.rank; i++) {
        if (facts == NULL) {
            TACHO_TRY(fill_dim(self, function, argument, i, &shape.dims[i]));
        } else if (shape.dims[i] == TACHO_DIM_UNKNOWN) {
            uint32_t id = (uint32_t)(tensor - self->graph->tensors);
            TACHO_TRY(tacho_model_facts_add_dim(facts, id, i, TACHO_STR("")));
        }
    }
    return tacho_graph_set_shape(self->graph, tensor, &shape);
}

static tacho_status check_dims(const tacho_mlir_import *self)
{
    for (size_t i = 0; i < self->options->dim_count; i++) {
        if (!self->is_dim_used[i]) {
            return tacho_fail_hint(TACHO_CODE_USAGE, TACHO_HINT_BATCH,
                                   "%s: no open dimension '%.*s'; they are called argI.D",
                                   self->path, TACHO_STR_ARG(self->options->dims[i].name));
        }
    }
    return TACHO_OK;
}

static tacho_status add_arguments(tacho_mlir_import *self, const tacho_mlir_op *function,
                                  const tacho_mlir_block *block)
{
    tacho_graph *graph = self->graph;
    for (uint32_t i = 0; i < block->argument_count; i++) {
        char name[24];
        uint32_t value = block->first_argument + i;
        snprintf(name, sizeof(name), "arg%" PRIu32, i);
        TACHO_TRY(add_tensor(self, function, value, tacho_str_from_cstring(name)));
        tacho_tensor *tensor = &graph->tensors[self->tensors[value]];
        tensor->is_input = true;
        TACHO_TRY(fill_dims(self, function, i, tensor));
        tacho_mlir_type type = {tensor->dtype, *tensor->shape, false};
        TACHO_TRY(set_type(self, function, self->tensors[value], &type));
        TACHO_TRY(tacho_grow(&graph->inputs, &graph->input_capacity, graph->input_count + 1));
        graph->inputs[graph->input_count++] = self->tensors[value];
    }
    return TACHO_OK;
}

/* The tensor of operand |i|, or TACHO_NONE for an absent one. */
static tacho_status find_operand(const tacho_mlir_import *self, const tacho_mlir_op *op, uint32_t i,
                                 uint32_t *out_tensor)
{
    uint32_t value = self->module.operands[op->first_operand + i];
    bool is_absent = value != TACHO_NONE && self->is_absent[value];
    *out_tensor = value == TACHO_NONE ? TACHO_NONE : self->tensors[value];
    if (*out_tensor == TACHO_NONE && !is_absent) {
        return tacho_mlir_import_fail(
            self, op, "operand %" PRIu32 " is neither an argument nor a result in this function",
            i);
    }
    return TACHO_OK;
}

static tacho_status add_outputs(tacho_mlir_import *self, const tacho_mlir_op *op)
{
    tacho_graph *graph = self->graph;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t tensor = TACHO_NONE;
        TACHO_TRY(find_operand(self, op, i, &tensor));
        if (tensor == TACHO_NONE) {
            continue;
        }
        graph->tensors[tensor].is_output = true;
        TACHO_TRY(tacho_grow(&graph->outputs, &graph->output_capacity, graph->output_count + 1));
        graph->outputs[graph->output_count++] = tensor;
    }
    return TACHO_OK;
}

/* ---- constants ---- */

static tacho_status check_same_type(const tacho_mlir_import *self, const tacho_mlir_op *op,
                                    const tacho_mlir_type *declared, const tacho_mlir_type *type)
{
    bool is_same = (declared->dtype == TACHO_DTYPE_NONE || declared->dtype == type->dtype) &&
                   (!tacho_shape_is_known(&declared->shape) ||
                    tacho_shape_equal(&declared->shape, &type->shape));
    char result[TACHO_SHAPE_TEXT_MAX];
    char value[TACHO_SHAPE_TEXT_MAX];
    return is_same
               ? TACHO_OK
               : tacho_mlir_import_fail(self, op, "the result is %s %s, but the constant is %s %s",
                                        tacho_shape_print(&declared->shape, result, sizeof(result)),
                                        tacho_dtype_name(declared->dtype),
                                        tacho_shape_print(&type->shape, value, sizeof(value)),
                                        tacho_dtype_name(type->dtype));
}

/* The attribute that is the value of a constant operation; NULL for other operations. */
static const tacho_mlir_attr *constant_value(const tacho_mlir_module *module,
                                             const tacho_mlir_op *op, bool *out_is_constant)
{
    static const struct {
        const char *op;
        const char *attr;
    } constants[] = {
        {"tosa.const", "values"},          {"tosa.const", "value"},
        {"tosa.const_shape", "values"},    {"tosa.const_shape", "value"},
        {"arith.constant", "value"},       {"torch.vtensor.literal", "value"},
        {"torch.tensor.literal", "value"},
    };
    tacho_str name = tacho_mlir_module_string(module, op->name);
    *out_is_constant = false;
    for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(constants[i].op))) {
            *out_is_constant = true;
            const tacho_mlir_attr *attr =
                tacho_mlir_module_attr_called(module, op, constants[i].attr);
            if (attr != NULL) {
                return attr;
            }
        }
    }
    return NULL;
}

/* Gives |tensor|, whose type is known, the value of |attr|. */
static tacho_status give_value(tacho_mlir_import *self, const tacho_mlir_op *op,
                               const tacho_mlir_attr *attr, uint32_t tensor)
{
    const tacho_tensor *made = &self->graph->tensors[tensor];
    tacho_mlir_type declared = {made->dtype, *made->shape, false};
    tacho_mlir_type type;
    tacho_constant constant;
    TACHO_TRY(tacho_mlir_constant_type(self, op, attr, &declared, &type));
    /* The values of a shape are a tensor of the index type, which counts as the same. */
    TACHO_TRY(check_same_type(self, op, &declared, &type));
    TACHO_TRY(tacho_mlir_constant_read(self, op, attr, &type, &constant));
    TACHO_TRY(set_type(self, op, tensor, &type));
    return tacho_graph_set_constant(self->graph, tensor, &constant);
}

/* ---- attributes ---- */

static const tacho_str onnx_attr_prefix = TACHO_STR_INIT("torch.onnx.");

/* An attribute that is a tensor, of |type| unless it has a type itself. */
static tacho_status convert_tensor(tacho_mlir_import *self, const tacho_mlir_op *op,
                                   const tacho_mlir_attr *attr, const tacho_mlir_type *type,
                                   tacho_attr *out_attr)
{
    uint32_t tensor = TACHO_NONE;
    tacho_mlir_type own;
    TACHO_TRY(tacho_mlir_constant_type(self, op, attr, type, &own));
    TACHO_TRY(tacho_graph_add_tensor(self->graph, TACHO_STR(""), &tensor));
    TACHO_TRY(set_type(self, op, tensor, &own));
    TACHO_TRY(give_value(self, op, attr, tensor));
    out_attr->kind = TACHO_ATTR_TENSOR;
    out_attr->value.as_tensor = tensor;
    return TACHO_OK;
}

/*
 * One attribute of an operator of ONNX. The codec returns a dense list of one dimension as
 * integers, so the type of an attribute called "value" is that of the result.
 */
static tacho_status convert_onnx_attr(tacho_mlir_import *self, const tacho_mlir_op *op,
                                      const tacho_mlir_attr *attr, tacho_attr *out_attr)
{
    tacho_str name =
        tacho_str_from(tacho_mlir_module_string(&self->module, attr->name), onnx_attr_prefix.len);
    TACHO_TRY(tacho_mlir_attr_convert(self, attr, name, out_attr));
    bool is_list = attr->kind == TACHO_MLIR_ATTR_INTS && tacho_str_equal(name, TACHO_STR("value"));
    if (!tacho_mlir_is_elements(attr) && !is_list) {
        return TACHO_OK;
    }
    tacho_mlir_type type = {.dtype = TACHO_DTYPE_I64, .shape = {.rank = 1}};
    if (is_list) {
        if (op->result_count == 1) {
            TACHO_TRY(parse_type(self, op, op->first_result, &type));
        }
        type.shape = (tacho_shape){.rank = 1, .dims = {(int64_t)attr->int_count}};
    }
    return convert_tensor(self, op, attr, &type, out_attr);
}

static tacho_status push_attr(tacho_mlir_import *self, const tacho_attr *attr)
{
    TACHO_TRY(tacho_grow(&self->attrs, &self->attr_capacity, self->attr_count + 1));
    self->attrs[self->attr_count++] = *attr;
    return TACHO_OK;
}

/* Regions are counted, not looked into: region0 has so many operations. */
static tacho_status add_regions(tacho_mlir_import *self, const tacho_mlir_op *op)
{
    const tacho_mlir_module *module = &self->module;
    for (uint32_t i = 0; i < op->region_count; i++) {
        const tacho_mlir_region *region = &module->regions[op->first_region + i];
        char name[24];
        tacho_attr attr = {.kind = TACHO_ATTR_GRAPH};
        uint32_t name_id = 0;
        snprintf(name, sizeof(name), "region%" PRIu32, i);
        TACHO_TRY(
            tacho_strings_ensure(&self->graph->strings, tacho_str_from_cstring(name), &name_id));
        attr.name = tacho_graph_string(self->graph, name_id);
        for (uint32_t j = 0; j < region->block_count; j++) {
            uint32_t at = module->blocks[region->first_block + j].first_op;
            for (; at != TACHO_NONE; at = module->next_op[at]) {
                attr.value.as_int++;
            }
        }
        TACHO_TRY(push_attr(self, &attr));
    }
    return TACHO_OK;
}

/* A default value, which TOSA's pretty form omits and the other forms have. */
static bool is_default(const tacho_attr *attr)
{
    bool is_text = attr->kind == TACHO_ATTR_TEXT;
    bool is_int = attr->kind == TACHO_ATTR_INT;
    return (is_text && tacho_str_equal(attr->name, TACHO_STR("nan_mode")) &&
            tacho_str_equal(attr->value.as_text, TACHO_STR("PROPAGATE"))) ||
           (is_int && attr->value.as_int == 0 &&
            tacho_str_equal(attr->name, TACHO_STR("local_bound")));
}

static tacho_status add_attrs(tacho_mlir_import *self, const tacho_mlir_op *op, bool is_onnx,
                              const tacho_mlir_attr *left_out)
{
    self->attr_count = 0;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const tacho_mlir_attr *attr = &self->module.attrs[op->first_attr + i];
        tacho_attr made;
        tacho_str name = tacho_mlir_module_string(&self->module, attr->name);
        bool has_prefix = tacho_str_starts_with(name, onnx_attr_prefix);
        if (attr == left_out || (is_onnx && !has_prefix)) {
            continue;
        }
        TACHO_TRY(is_onnx ? convert_onnx_attr(self, op, attr, &made)
                          : tacho_mlir_attr_convert(self, attr, name, &made));
        if (!is_default(&made)) {
            TACHO_TRY(push_attr(self, &made));
        }
    }
    return add_regions(self, op);
}

/* ---- nodes ---- */

/* The name of the operator: "Conv" for torch.operator "onnx.Conv". */
static tacho_str node_type(const tacho_mlir_import *self, const tacho_mlir_op *op,
                           bool *out_is_onnx)
{
    static const tacho_str prefix = TACHO_STR_INIT("onnx.");
    tacho_str op_name = tacho_mlir_module_string(&self->module, op->name);
    tacho_str name = TACHO_STR("");
    if (tacho_str_equal(op_name, TACHO_STR("torch.operator"))) {
        name = text_attr(&self->module, op, "name");
    }
    *out_is_onnx = tacho_str_starts_with(name, prefix) && name.len > prefix.len;
    if (*out_is_onnx) {
        return tacho_str_from(name, prefix.len);
    }
    return name.len > 0 ? name : op_name;
}

static tacho_status add_links(tacho_mlir_import *self, const tacho_mlir_op *op,
                              tacho_node_lists *out_lists)
{
    size_t count = (size_t)op->operand_count + op->result_count;
    TACHO_TRY(tacho_grow(&self->links, &self->link_capacity, count + 1));
    for (uint32_t i = 0; i < op->operand_count; i++) {
        TACHO_TRY(find_operand(self, op, i, &self->links[i]));
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        uint32_t value = op->first_result + i;
        TACHO_TRY(add_tensor(self, op, value, TACHO_STR("")));
        self->links[op->operand_count + i] = self->tensors[value];
    }
    *out_lists = (tacho_node_lists){.inputs = self->links,
                                    .input_count = op->operand_count,
                                    .outputs = self->links + op->operand_count,
                                    .output_count = op->result_count,
                                    .attrs = self->attrs,
                                    .attr_count = self->attr_count};
    return TACHO_OK;
}

/* The value of ONNX's Constant is also that of its result. */
static void share_value(tacho_mlir_import *self, tacho_str type, const tacho_node_lists *lists,
                        bool *is_folded)
{
    tacho_graph *graph = self->graph;
    const tacho_attr *value = tacho_attr_find(lists->attrs, lists->attr_count, "value");
    if (!tacho_str_equal(type, TACHO_STR("Constant")) || value == NULL ||
        value->kind != TACHO_ATTR_TENSOR || lists->output_count != 1) {
        return;
    }
    tacho_tensor *result = &graph->tensors[lists->outputs[0]];
    const tacho_tensor *from = &graph->tensors[value->value.as_tensor];
    bool is_same = result->dtype == from->dtype && result->shape == from->shape;
    if (is_same) {
        result->constant = from->constant;
        result->is_constant = true;
        *is_folded = true;
    }
}

/* The name of a call's function, which is not read. Other operations have none. */
static tacho_str callee(const tacho_mlir_import *self, const tacho_mlir_op *op)
{
    bool is_call =
        tacho_str_ends_with(tacho_mlir_module_string(&self->module, op->name), TACHO_STR(".call"));
    const tacho_mlir_attr *attr =
        is_call ? tacho_mlir_module_attr_called(&self->module, op, "callee") : NULL;
    return attr != NULL && attr->kind == TACHO_MLIR_ATTR_SYMBOL ? attr->text : TACHO_STR("");
}

static tacho_status add_node(tacho_mlir_import *self, const tacho_mlir_op *op)
{
    tacho_graph *graph = self->graph;
    bool is_onnx = false;
    bool is_constant = false;
    tacho_node_lists lists;
    tacho_str type = node_type(self, op, &is_onnx);
    const tacho_mlir_attr *value = constant_value(&self->module, op, &is_constant);
    tacho_node node = {.index = (uint32_t)graph->node_count, .opset = is_onnx ? self->opset : 0};
    TACHO_TRY(add_attrs(self, op, is_onnx, value));
    TACHO_TRY(add_links(self, op, &lists));
    if (is_constant) {
        if (value == NULL || op->result_count != 1) {
            return tacho_mlir_import_fail(self, op, "expected one result and its value");
        }
        TACHO_TRY(give_value(self, op, value, lists.outputs[0]));
        node.is_folded = true;
    } else if (is_onnx) {
        share_value(self, type, &lists, &node.is_folded);
    }
    self->is_torch = self->is_torch || is_onnx;
    node.def = tacho_op_def_find(type);
    TACHO_TRY(tacho_strings_ensure(&graph->strings, type, &node.type));
    TACHO_TRY(tacho_strings_ensure(&graph->strings, callee(self, op), &node.name));
    tacho_str location;
    TACHO_TRY(tacho_mlir_module_location(&self->module, op->location, &graph->arena, &location));
    TACHO_TRY(tacho_strings_ensure(&graph->strings, location, &node.location));
    return tacho_graph_add_node(graph, &node, &lists);
}

static tacho_status add_op(tacho_mlir_import *self, const tacho_mlir_op *op)
{
    tacho_str name = tacho_mlir_module_string(&self->module, op->name);
    if (tacho_str_starts_with(name, TACHO_STR("linalg."))) {
        return tacho_mlir_import_fail(self, op,
                                      "linalg is not supported as a model format; use the module "
                                      "before lowering, in TOSA or torch-onnx");
    }
    if (tacho_str_equal(name, TACHO_STR("torch.constant.none"))) {
        for (uint32_t i = 0; i < op->result_count; i++) {
            self->is_absent[op->first_result + i] = true;
        }
        return TACHO_OK;
    }
    bool is_end = op->operand_count > 0 || op->result_count == 0;
    if (is_end && tacho_str_ends_with(name, TACHO_STR(".return"))) {
        return add_outputs(self, op);
    }
    return add_node(self, op);
}

/* ---- weights that were asked to be random ---- */

/* Constants that a convolution or a matrix product multiplies with. */
static void randomise_weights(tacho_mlir_import *self)
{
    const tacho_graph *graph = self->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        bool has_weights = node->def != NULL && (node->def->kind == TACHO_OP_CONVOLUTION ||
                                                 node->def->kind == TACHO_OP_DECONVOLUTION ||
                                                 node->def->kind == TACHO_OP_MATMUL);
        for (size_t j = 0; has_weights && j < 2; j++) {
            const tacho_tensor *tensor = tacho_graph_input(graph, node, j);
            uint64_t count = 0;
            if (tensor != NULL && tensor->constant != TACHO_NONE && tensor->shape->rank > 1 &&
                tacho_shape_elements(tensor->shape, &count) && count > 1) {
                tacho_constant *constant = &graph->constants[tensor->constant];
                self->graph->random_weight_count += constant->kind != TACHO_CONSTANT_RANDOM ? 1 : 0;
                *constant = (tacho_constant){.kind = TACHO_CONSTANT_RANDOM,
                                             .seed = self->options->seed +
                                                     (tensor->constant + 1) * 0x9e3779b97f4a7c15U};
            }
        }
    }
}

/* ---- the file ---- */

/* Facts that torch's import kept of an ONNX model; texts are copied to the graph's arena. */
static tacho_status note_facts(tacho_mlir_import *self, const tacho_mlir_op *function)
{
    const tacho_mlir_module *module = &self->module;
    tacho_model_facts *facts = self->options->facts;
    tacho_arena *arena = &self->graph->arena;
    uint32_t ir_key = tacho_strings_find(&module->strings, TACHO_STR("torch.onnx_meta.ir_version"));
    int64_t ir_version = 0;
    TACHO_TRY(tacho_arena_copy(arena, text_attr(module, function, "torch.onnx_meta.producer_name"),
                               &facts->producer));
    TACHO_TRY(tacho_arena_copy(arena,
                               text_attr(module, function, "torch.onnx_meta.producer_version"),
                               &facts->producer_version));
    if (tacho_mlir_module_int(module, function, ir_key, &ir_version)) {
        facts->ir_version = ir_version;
    }
    return self->opset > 0 ? tacho_model_facts_add_opset(facts, TACHO_STR(""), self->opset)
                           : TACHO_OK;
}

static tacho_status read_function(tacho_mlir_import *self, const tacho_mlir_op *function)
{
    const tacho_mlir_module *module = &self->module;
    const tacho_mlir_region *region = &module->regions[function->first_region];
    const tacho_mlir_block *block = &module->blocks[region->first_block];
    tacho_str name = text_attr(module, function, "sym_name");
    int64_t opset = 0;
    if (region->block_count != 1) {
        return tacho_mlir_import_fail(
            self, function,
            "function '%.*s' has %" PRIu32 " blocks; expected a model without jumps, in one",
            (int)(name.len < 100 ? name.len : 100), name.data, region->block_count);
    }
    TACHO_TRY(tacho_strings_ensure(&self->graph->strings, name, &self->graph->name));
    uint32_t opset_key =
        tacho_strings_find(&module->strings, TACHO_STR("torch.onnx_meta.opset_version"));
    if (tacho_mlir_module_int(module, function, opset_key, &opset) && opset > 0 && opset < 1000) {
        self->opset = (int32_t)opset;
    }
    if (self->options->facts != NULL) {
        TACHO_TRY(note_facts(self, function));
    }
    TACHO_TRY(add_arguments(self, function, block));
    TACHO_TRY(check_dims(self));
    for (uint32_t i = block->first_op; i != TACHO_NONE; i = module->next_op[i]) {
        TACHO_TRY(add_op(self, &module->ops[i]));
    }
    return TACHO_OK;
}

static tacho_status prepare_values(tacho_mlir_import *self)
{
    size_t count = self->module.value_count;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->scratch, count * sizeof(*self->tensors), &memory));
    self->tensors = memory;
    TACHO_TRY(tacho_arena_alloc(&self->scratch, count * sizeof(*self->is_absent), &memory));
    self->is_absent = memory;
    TACHO_TRY(tacho_arena_alloc(&self->scratch,
                                self->options->dim_count * sizeof(*self->is_dim_used), &memory));
    self->is_dim_used = memory;
    for (size_t i = 0; i < count; i++) {
        self->tensors[i] = TACHO_NONE;
    }
    return TACHO_OK;
}

static tacho_status run(tacho_mlir_import *self)
{
    const tacho_mlir_op *function = NULL;
    TACHO_TRY(tacho_index_init(&self->lookup));
    if (tacho_mlir_is_bytecode(self->bytes)) {
        TACHO_TRY(tacho_mlir_bytecode_read_with(self->path, self->bytes, &tacho_tosa_schemas,
                                                &self->module));
    } else {
        TACHO_TRY(tacho_mlir_text_read(self->path, self->bytes, &self->module));
    }
    TACHO_TRY(prepare_values(self));
    TACHO_TRY(choose_function(self, &function));
    TACHO_TRY(read_function(self, function));
    if (self->options->has_random_weights) {
        randomise_weights(self);
    }
    self->graph->format = self->is_torch ? "torch-onnx" : "tosa";
    return TACHO_OK;
}

static tacho_status read_model(tacho_graph *graph, tacho_str bytes,
                               const tacho_model_options *options)
{
    static const tacho_model_options none = {0};
    tacho_str path;
    TACHO_TRY(tacho_arena_copy(&graph->arena, graph->path, &path));
    tacho_mlir_import self = {.graph = graph,
                              .options = options != NULL ? options : &none,
                              .path = path.data,
                              .bytes = bytes};
    tacho_arena_init(&self.scratch);
    tacho_status status = tacho_mlir_module_init(&self.module);
    if (status == TACHO_OK) {
        status = run(&self);
    }
    tacho_mlir_module_deinit(&self.module);
    tacho_arena_deinit(&self.scratch);
    tacho_index_deinit(&self.lookup);
    free(self.links);
    free(self.attrs);
    return status;
}

const tacho_model_reader tacho_mlir_reader = {"tosa", is_mine, read_model};
