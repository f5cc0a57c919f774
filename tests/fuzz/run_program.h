/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that fuzz_run makes: from calls (run_calls.h), and of others by changes of their tables.
 * What steps make is inferred again after a change, so that most programs get through the gate and
 * kernels see sizes and attributes that no model has; some are left as they are, for the gate.
 */
#ifndef TACHO_FUZZ_RUN_PROGRAM_H
#define TACHO_FUZZ_RUN_PROGRAM_H

#include "base/grow.h"
#include "base/index.h"
#include "graph/infer.h"
#include "kernels/call.h"
#include "kernels/kernel.h"
#include "program/image.h"
#include "run_chains.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    POOL_MAX = 1024,
    TENSORS_MAX = 40,
    STEPS_MAX = 6,
    CALLS = sizeof(run_calls) / sizeof(run_calls[0]),
    CHAINS = sizeof(run_chains) / sizeof(run_chains[0])
};

typedef struct maker {
    tacho_program program;
    unsigned char pool[POOL_MAX]; /* constants */
    size_t pool_used;
    tacho_dtype guess;    /* of what inference leaves open */
    bool is_chain;        /* steps that are appended read what they say */
    uint32_t chain_start; /* its first tensor */
    uint64_t seed;
} maker;

static inline void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static inline uint32_t draw(maker *self, uint32_t count)
{
    self->seed = self->seed * 6364136223846793005u + 1442695040888963407u;
    return count == 0 ? 0 : (uint32_t)((self->seed >> 33) % count);
}

static inline int64_t draw_number(maker *self)
{
    static const int64_t odd[] = {-1,         0,         1,         2,         3,
                                  4,          5,         7,         8,         16,
                                  17,         -2,        -3,        64,        100,
                                  INT32_MAX,  INT32_MIN, INT64_MAX, INT64_MIN, (int64_t)1 << 32,
                                  1000000007, -1000,     255,       (1 << 16)};
    uint32_t most = draw(self, 4) == 0 ? sizeof(odd) / sizeof(odd[0]) : 11;
    return odd[draw(self, most)];
}

/* ---- parts of a program -------------------------------------------------------------------- */

static inline uint32_t text_id(maker *self, const char *text, size_t len)
{
    uint32_t id = 0;
    require(tacho_strings_ensure(&self->program.strings, tacho_str_make(text, len), &id) ==
            TACHO_OK);
    return id;
}

static inline void count_tensor(const maker *self, tacho_program_tensor *tensor)
{
    uint64_t count = 0;
    tensor->bytes = 0;
    if (tacho_shape_elements(tacho_program_shape(&self->program, tensor), &count)) {
        (void)tacho_dtype_bytes((tacho_dtype)tensor->dtype, count, &tensor->bytes);
    }
}

static inline uint32_t add_tensor(maker *self, tacho_dtype dtype, tacho_storage storage,
                                  tacho_shape shape)
{
    tacho_program *program = &self->program;
    require(tacho_grow(&program->tensors, &program->tensor_capacity, program->tensor_count + 1) ==
            TACHO_OK);
    tacho_program_tensor *tensor = &program->tensors[program->tensor_count];
    *tensor = (tacho_program_tensor){.dtype = (uint16_t)dtype, .storage = (uint16_t)storage};
    require(tacho_program_add_shape(program, &shape, &tensor->shape) == TACHO_OK);
    count_tensor(self, tensor);
    return (uint32_t)program->tensor_count++;
}

/* Room for constants; the pool goes round when it is full, which is as good. */
static inline uint64_t place(maker *self, uint64_t bytes)
{
    self->pool_used = (self->pool_used + 15) / 16 * 16;
    if (self->pool_used + bytes > POOL_MAX) {
        self->pool_used = 0;
    }
    uint64_t at = self->pool_used;
    self->pool_used += bytes <= POOL_MAX ? bytes : 0;
    return at;
}

static inline void add_link(maker *self, uint32_t tensor)
{
    tacho_program *program = &self->program;
    require(tacho_grow(&program->links, &program->link_capacity, program->link_count + 1) ==
            TACHO_OK);
    program->links[program->link_count++] = tensor;
}

static inline void *arena_room(maker *self, size_t bytes)
{
    void *memory;
    require(tacho_arena_alloc(&self->program.arena, bytes, &memory) == TACHO_OK);
    return memory;
}

/* ---- from text ----------------------------------------------------------------------------- */

static inline tacho_dtype dtype_of(const char *text, size_t len)
{
    for (int i = 0; i < TACHO_DTYPE_COUNT; i++) {
        const char *name = tacho_dtype_name((tacho_dtype)i);
        if (strlen(name) == len && memcmp(name, text, len) == 0) {
            return (tacho_dtype)i;
        }
    }
    abort();
}

static inline void put_number(void *to, tacho_dtype dtype, double value)
{
    tacho_array array = {.dtype = dtype, .data = to};
    int64_t whole = (int64_t)value;
    if (tacho_is_real(&array)) {
        tacho_set_real(&array, 0, value);
    } else {
        memcpy(to, &whole, tacho_dtype_element_bytes(dtype));
    }
}

/* "@1" or "#0", as run_chains.h writes them; |*text| is moved behind it. */
static inline uint32_t read_earlier(const maker *self, const char **text)
{
    const tacho_program *program = &self->program;
    bool is_step = **text == '@';
    uint32_t number = (uint32_t)((*text)[1] - '0');
    *text += 2;
    if (!is_step) {
        return self->chain_start + number;
    }
    require(number >= 1 && number <= program->step_count);
    const tacho_step *step = &program->steps[program->step_count - number];
    return program->links[step->first_link + step->input_count];
}

/* A tensor as run_calls.h writes them; |*text| is moved behind it. */
static inline uint32_t read_tensor(maker *self, const char **text)
{
    const char *start = *text;
    if (*start == '@' || *start == '#') {
        return read_earlier(self, text);
    }
    size_t len = strcspn(start, ":%=~ >");
    char mark = start[len], *end;
    if (*start == '-') {
        *text = start + 1;
        return TACHO_NONE;
    }
    tacho_dtype dtype = dtype_of(start, len);
    tacho_shape shape = {0};
    const char *at = start + len + 1;
    if (mark == ':' || mark == '%') {
        for (; isdigit((unsigned char)*at); at = *end == 'x' ? end + 1 : end) {
            shape.dims[shape.rank++] = strtoll(at, &end, 10);
        }
        *text = at;
        uint32_t id = add_tensor(self, dtype,
                                 mark == ':' ? TACHO_STORAGE_INPUT : TACHO_STORAGE_RANDOM, shape);
        self->program.tensors[id].offset = mark == ':' ? 0 : draw(self, 1000);
        return id;
    }
    double numbers[32];
    size_t count = 0, size = tacho_dtype_element_bytes(dtype);
    for (; isdigit((unsigned char)*at) || *at == '-'; at = *end == ',' ? end + 1 : end) {
        numbers[count++] = strtod(at, &end);
    }
    *text = at;
    shape = (tacho_shape){mark == '=' ? 1 : 0, {(int64_t)count}};
    uint32_t id = add_tensor(self, dtype, TACHO_STORAGE_BYTES, shape);
    uint64_t offset = place(self, count * size);
    for (size_t i = 0; i < count; i++) {
        put_number(self->pool + offset + i * size, dtype, numbers[i]);
    }
    self->program.tensors[id].offset = offset;
    return id;
}

static inline void add_attr(maker *self, tacho_attr attr)
{
    tacho_program *program = &self->program;
    require(tacho_grow(&program->attrs, &program->attr_capacity, program->attr_count + 1) ==
            TACHO_OK);
    program->attrs[program->attr_count++] = attr;
}

/* "{one,two}"; |*text| is moved behind it. */
static inline void read_texts(maker *self, const char **text, tacho_attr *attr)
{
    tacho_str *texts = arena_room(self, 8 * sizeof(*texts));
    for ((*text)++; (*text)[-1] != '}';) {
        size_t size = strcspn(*text, ",}");
        texts[attr->count++] = tacho_str_make(*text, size);
        *text += size + 1;
    }
    attr->kind = TACHO_ATTR_TEXTS;
    attr->value.as_texts = texts;
}

/* "name=value"; |*text| is moved behind it. */
static inline void read_attr(maker *self, const char **text)
{
    size_t len = strcspn(*text, "=");
    tacho_attr attr = {.name = tacho_str_make(*text, len)};
    const char *at = *text + len + 1;
    char *end;
    if (*at == '\'') {
        size_t size = strcspn(at + 1, "'");
        attr.kind = TACHO_ATTR_TEXT;
        attr.value.as_text = tacho_str_make(at + 1, size);
        at += size + 2;
    } else if (*at == '{') {
        read_texts(self, &at, &attr);
    } else if (*at == '<') {
        at++;
        attr.kind = TACHO_ATTR_TENSOR;
        attr.value.as_tensor = read_tensor(self, &at);
        at++;
    } else if (*at == '[') {
        int64_t *ints = arena_room(self, 16 * sizeof(*ints));
        for (at++; *at != ']'; at = *end == ',' ? end + 1 : end) {
            ints[attr.count++] = strtoll(at, &end, 10);
        }
        attr.kind = TACHO_ATTR_INTS;
        attr.value.as_ints = ints;
        at++;
    } else {
        double number = strtod(at, &end);
        bool is_real = memchr(at, '.', (size_t)(end - at)) != NULL;
        attr.kind = is_real ? TACHO_ATTR_REAL : TACHO_ATTR_INT;
        attr.value.as_int = (int64_t)number;
        if (is_real) {
            attr.value.as_real = number;
        }
        at = end;
    }
    *text = at;
    add_attr(self, attr);
}

/* Operator |number| of a call. */
static inline tacho_str pick_type(const run_call *call, uint32_t number)
{
    const char *at = call->types;
    for (; number > 0 && strchr(at, ' ') != NULL; number--) {
        at = strchr(at, ' ') + 1;
    }
    return tacho_str_make(at, strcspn(at, " "));
}

static inline uint32_t count_types(const run_call *call)
{
    uint32_t count = 1;
    for (const char *at = call->types; (at = strchr(at, ' ')) != NULL; at++) {
        count++;
    }
    return count;
}

/* Any call of any operator, all as often. */
static inline const run_call *pick_call(maker *self, tacho_str *out_type)
{
    uint32_t total = 0;
    for (size_t i = 0; i < CALLS; i++) {
        total += count_types(&run_calls[i]);
    }
    uint32_t number = draw(self, total);
    const run_call *call = run_calls;
    for (; number >= count_types(call); call++) {
        number -= count_types(call);
    }
    *out_type = pick_type(call, number);
    return call;
}

/* A tensor that is there already for one that is to be added: steps follow one another. */
static inline void chain(maker *self, uint32_t made, uint32_t first_new)
{
    tacho_program *program = &self->program;
    uint32_t links = (uint32_t)program->link_count;
    for (uint32_t i = 0; i < first_new; i++) {
        const tacho_program_tensor *from = &program->tensors[first_new - 1 - i];
        if (from->dtype == program->tensors[made].dtype && draw(self, 3) > 0) {
            program->links[links - 1] = first_new - 1 - i;
            return;
        }
    }
}

static inline void append_call(maker *self, const run_call *call, tacho_str type)
{
    tacho_program *program = &self->program;
    tacho_step step = {.type = text_id(self, type.data, type.len),
                       .opset = call->opset,
                       .first_link = (uint32_t)program->link_count,
                       .output_count = (uint16_t)call->outputs,
                       .first_attr = (uint32_t)program->attr_count};
    uint32_t first_new = (uint32_t)program->tensor_count;
    for (const char *at = call->inputs; *at != '\0'; at += *at == ' ' ? 1 : 0) {
        uint32_t tensor = read_tensor(self, &at);
        add_link(self, tensor);
        step.input_count++;
        if (tensor != TACHO_NONE && !self->is_chain &&
            program->tensors[tensor].storage == TACHO_STORAGE_INPUT) {
            chain(self, tensor, first_new);
        }
    }
    for (int i = 0; i < call->outputs; i++) {
        add_link(self, add_tensor(self, TACHO_DTYPE_F32, TACHO_STORAGE_ACTIVATION,
                                  (tacho_shape){1, {4}}));
    }
    if (draw(self, 6) == 0) { /* a condition, mostly a good one */
        step.when = 1 + draw(self, TACHO_WHEN_COUNT - 1);
        add_link(self,
                 draw(self, 8) == 0
                     ? draw(self, (uint32_t)program->tensor_count)
                     : add_tensor(self, TACHO_DTYPE_BOOL,
                                  draw(self, 2) == 0 ? TACHO_STORAGE_INPUT : TACHO_STORAGE_SPLAT,
                                  (tacho_shape){.rank = (int32_t)draw(self, 2), .dims = {1}}));
    }
    for (const char *at = call->attrs; *at != '\0'; at += *at == ' ' ? 1 : 0) {
        read_attr(self, &at);
    }
    step.attr_count = (uint32_t)program->attr_count - step.first_attr;
    require(tacho_grow(&program->steps, &program->step_capacity, program->step_count + 1) ==
            TACHO_OK);
    program->steps[program->step_count++] = step;
}

/* All steps of a chain; of operators that take the same, any. */
static inline void append_chain(maker *self, size_t number)
{
    self->is_chain = true;
    self->chain_start = (uint32_t)self->program.tensor_count;
    for (size_t i = 0; i < CHAIN_MAX && run_chains[number][i].types != NULL; i++) {
        const run_call *call = &run_chains[number][i];
        append_call(self, call, pick_type(call, draw(self, count_types(call))));
    }
    self->is_chain = false;
}

/* A call of any operator, or sometimes a chain. */
static inline void append_any(maker *self)
{
    tacho_str type;
    if (draw(self, 4) == 0) {
        append_chain(self, draw(self, CHAINS));
    } else {
        const run_call *call = pick_call(self, &type);
        append_call(self, call, type);
    }
}

/* ---- what follows from the tables ---------------------------------------------------------- */

static inline void copy_tensors(const maker *self, tacho_graph *graph)
{
    for (uint32_t i = 0; i < self->program.tensor_count; i++) {
        const tacho_program_tensor *from = &self->program.tensors[i];
        uint32_t id;
        require(tacho_graph_add_tensor(graph, TACHO_STR(""), &id) == TACHO_OK);
        graph->tensors[id].dtype = (tacho_dtype)from->dtype;
        require(tacho_graph_set_shape(graph, &graph->tensors[id],
                                      tacho_program_shape(&self->program, from)) == TACHO_OK);
        bool is_splat = from->storage == TACHO_STORAGE_SPLAT;
        uint64_t bytes = is_splat ? 16 : from->bytes;
        if ((!is_splat && from->storage != TACHO_STORAGE_BYTES) || bytes > POOL_MAX ||
            from->offset > POOL_MAX - bytes) {
            continue;
        }
        tacho_constant constant = {.kind = is_splat ? TACHO_CONSTANT_SPLAT : TACHO_CONSTANT_BYTES,
                                   .bytes = self->pool + from->offset};
        memcpy(constant.splat, self->pool + from->offset, is_splat ? 16 : 0);
        require(tacho_graph_set_constant(graph, id, &constant) == TACHO_OK);
    }
}

/* Gives what a step makes the type and shape that inference finds, where it does. */
static inline void infer_step(maker *self, tacho_graph *graph, const tacho_step *step)
{
    tacho_program *program = &self->program;
    tacho_node node = {
        .def = tacho_op_def_find(tacho_strings_get(&program->strings, step->type)),
        .opset = step->opset,
        .first_input = step->first_link,
        .input_count = step->input_count,
        .first_output = step->first_link + step->input_count,
        .output_count = step->output_count,
        .first_attr = step->first_attr,
        .attr_count = step->attr_count,
    };
    for (uint32_t i = 0; i < step->output_count; i++) {
        uint32_t id = program->links[node.first_output + i];
        if (id != TACHO_NONE && graph->tensors[id].constant == TACHO_NONE) {
            graph->tensors[id].dtype = TACHO_DTYPE_NONE;
            const tacho_shape unknown = {.rank = TACHO_RANK_UNKNOWN};
            require(tacho_graph_set_shape(graph, &graph->tensors[id], &unknown) == TACHO_OK);
        }
    }
    if (node.def == NULL || node.def->infer == NULL) {
        return;
    }
    tacho_status_free(node.def->infer(&(tacho_infer){graph, &node}));
    for (uint32_t i = 0; i < step->output_count; i++) {
        uint32_t id = program->links[node.first_output + i];
        if (id == TACHO_NONE) {
            continue;
        }
        tacho_program_tensor *to = &program->tensors[id];
        tacho_tensor *from = &graph->tensors[id];
        tacho_shape *shape = &program->shapes[to->shape];
        to->dtype = (uint16_t)(from->dtype != TACHO_DTYPE_NONE ? from->dtype : self->guess);
        *shape = from->shape->rank != TACHO_RANK_UNKNOWN ? *from->shape : *shape;
        for (int32_t k = 0; k < shape->rank; k++) {
            shape->dims[k] = shape->dims[k] < 0 ? draw(self, 4) : shape->dims[k];
        }
        count_tensor(self, to);
        from->dtype = (tacho_dtype)to->dtype;
        require(tacho_graph_set_shape(graph, from, shape) == TACHO_OK);
    }
}

/* Infers all steps. The graph borrows the program's tables. */
static inline void refit(maker *self)
{
    tacho_program *program = &self->program;
    tacho_graph graph;
    require(tacho_graph_init(&graph) == TACHO_OK);
    copy_tensors(self, &graph);
    graph.links = program->links;
    graph.link_count = program->link_count;
    require(tacho_grow(&program->attrs, &program->attr_capacity, program->attr_count + 1) ==
            TACHO_OK);
    graph.attrs = program->attrs;
    graph.attr_count = program->attr_count;
    for (size_t i = 0; i < program->step_count; i++) {
        infer_step(self, &graph, &program->steps[i]);
    }
    graph.links = NULL;
    graph.attrs = NULL;
    tacho_graph_deinit(&graph);
}

/* Inputs, outputs, storage and ops as the steps have them. */
static inline void finish_program(maker *self)
{
    tacho_program *program = &self->program;
    bool is_made[256] = {false}, is_read[256] = {false};
    for (size_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        uint32_t count = (uint32_t)step->input_count + step->output_count;
        for (uint32_t k = 0; k < count + (step->when != TACHO_WHEN_ALWAYS); k++) {
            size_t link = (size_t)step->first_link + k;
            uint32_t id = link < program->link_count ? program->links[link] : TACHO_NONE;
            if (id < 256) {
                (k < step->input_count || k == count ? is_read : is_made)[id] = true;
            }
        }
    }
    program->input_count = program->output_count = 0;
    require(tacho_grow(&program->inputs, &program->input_capacity, program->tensor_count + 1) ==
            TACHO_OK);
    require(tacho_grow(&program->outputs, &program->output_capacity, program->tensor_count + 1) ==
            TACHO_OK);
    for (uint32_t i = 0; i < program->tensor_count && i < 256; i++) {
        tacho_program_tensor *tensor = &program->tensors[i];
        bool is_constant = tensor->storage >= TACHO_STORAGE_BYTES;
        if (is_made[i] && !is_constant) {
            tensor->storage = is_read[i] ? TACHO_STORAGE_ACTIVATION : TACHO_STORAGE_OUTPUT;
        } else if (!is_constant) {
            tensor->storage = TACHO_STORAGE_INPUT;
        }
        if (tensor->storage == TACHO_STORAGE_INPUT && is_read[i]) {
            program->inputs[program->input_count++] = i;
        } else if (tensor->storage == TACHO_STORAGE_OUTPUT) {
            program->outputs[program->output_count++] = i;
        }
    }
    require(tacho_grow(&program->ops, &program->op_capacity, 1) == TACHO_OK);
    if (program->op_count == 0) {
        program->ops[program->op_count++] = (tacho_program_op){0};
    }
    require(tacho_grow(&program->dispatches, &program->dispatch_capacity, 1) == TACHO_OK);
    if (program->dispatch_count == 0) {
        program->dispatches[program->dispatch_count++] = (tacho_dispatch_info){.op_count = 1};
    }
    program->ops[0].first_step = 0;
    program->ops[0].step_count = (uint32_t)program->step_count;
}

static inline void begin(maker *self)
{
    require(tacho_program_init(&self->program) == TACHO_OK);
    self->program.constants = tacho_str_make((const char *)self->pool, POOL_MAX);
}

#endif
