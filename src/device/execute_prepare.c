/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From steps to tasks. A step that depends on constants alone is computed here, once; a view is
 * its input's memory; every other becomes a task, of a fast kernel where there is one. Then memory
 * is planned; that of inputs and outputs lives for ever.
 */
#include "base/budget.h"
#include "base/grow.h"
#include "base/maths.h"
#include "base/pages.h"
#include "device/execute_parts.h"
#include "kernels/quantise.h"
#include "kernels/quick.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bytes of activations per byte of constants: networks with weights have less. */
enum { MEMORY_PER_BYTE = 64 };

/* ---- values -------------------------------------------------------------------------------- */

static const char *tensor_name(const tacho_execution *self, uint32_t tensor)
{
    return tacho_strings_get(&self->program->strings, self->program->tensors[tensor].name).data;
}

/* Type, shape and size of every tensor; which of them have a value before anything runs. */
static tacho_status make_values(tacho_execution *self)
{
    const tacho_program *program = self->program;
    self->values = tacho_items_alloc(program->tensor_count, sizeof(*self->values));
    self->op_tasks = tacho_items_alloc(program->op_count, sizeof(*self->op_tasks));
    self->is_done = tacho_items_alloc(program->step_count, sizeof(*self->is_done));
    if (self->values == NULL || self->op_tasks == NULL || self->is_done == NULL) {
        return tacho_no_memory();
    }
    self->value_count = program->tensor_count;
    for (uint32_t i = 0; i < program->tensor_count; i++) {
        const tacho_program_tensor *tensor = &program->tensors[i];
        bool is_constant = tensor->storage == TACHO_STORAGE_BYTES ||
                           tensor->storage == TACHO_STORAGE_SPLAT ||
                           tensor->storage == TACHO_STORAGE_RANDOM;
        uint64_t count;
        tacho_value *value = &self->values[i];
        *value = (tacho_value){
            .state = is_constant ? TACHO_VALUE_CONSTANT : TACHO_VALUE_NONE,
            .dtype = (uint8_t)tensor->dtype,
            .shape = tacho_program_shape(program, tensor),
            .root = i,
            .piece = TACHO_NONE,
            .copies = TACHO_NONE,
            .producer = TACHO_NONE,
            .reader = TACHO_NONE,
            .block = TACHO_NONE,
        };
        if (!tacho_shape_elements(value->shape, &count) ||
            !tacho_dtype_bytes(value->dtype, count, &value->bytes)) {
            value->bytes = 0; /* its users check the size first */
        }
    }
    return TACHO_OK;
}

/* A step is the one that makes its results, or others would look for them in the wrong place. */
static tacho_status set_producer(tacho_execution *self, uint32_t step, uint32_t id)
{
    if (self->values[id].producer != TACHO_NONE && self->values[id].state != TACHO_VALUE_CONSTANT) {
        return tacho_step_fail(self, step, TACHO_CODE_BAD_DATA,
                               "it produces a tensor that another step also produces");
    }
    self->values[id].producer = step;
    return TACHO_OK;
}

/* Counts producers and readers of all values. */
static tacho_status count_uses(tacho_execution *self)
{
    const tacho_program *program = self->program;
    for (uint32_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        for (size_t j = 0; j < step->input_count; j++) {
            uint32_t id = tacho_step_input(self, i, j);
            if (id != TACHO_NONE) {
                self->values[id].uses++;
                self->values[id].reader = i;
            }
        }
        for (size_t j = 0; j < step->output_count; j++) {
            uint32_t id = tacho_step_output(self, i, j);
            if (id != TACHO_NONE) {
                TACHO_TRY(set_producer(self, i, id));
            }
        }
    }
    for (size_t i = 0; i < program->output_count; i++) {
        self->values[program->outputs[i]].uses++;
    }
    tacho_wide_count_uses(self);
    return TACHO_OK;
}

/* Whether elements of the type are whole bytes, or two share one, and the shape is known. */
static bool is_computable(const tacho_value *value)
{
    uint64_t count, bytes;
    return (tacho_dtype_element_bytes(value->dtype) > 0 || tacho_dtype_is_packed(value->dtype)) &&
           tacho_shape_elements(value->shape, &count) &&
           tacho_dtype_bytes(value->dtype, count, &bytes);
}

static tacho_status take_inputs(tacho_execution *self)
{
    const tacho_program *program = self->program;
    for (size_t i = 0; i < program->input_count; i++) {
        uint32_t id = program->inputs[i];
        tacho_value *value = &self->values[id];
        if (value->state != TACHO_VALUE_NONE) {
            continue; /* given twice, or with a value of its own */
        }
        if (value->producer != TACHO_NONE) {
            return tacho_step_fail(self, value->producer, TACHO_CODE_BAD_DATA,
                                   "it overwrites an input of the program");
        }
        if (!is_computable(value)) {
            char shape[TACHO_SHAPE_TEXT_MAX];
            return tacho_fail(
                TACHO_CODE_UNSUPPORTED, "input '%s' is %s of %s, which is not supported",
                tensor_name(self, id), tacho_shape_print(value->shape, shape, sizeof(shape)),
                tacho_dtype_name(value->dtype));
        }
        value->state = TACHO_VALUE_LIVE;
        TACHO_TRY(tacho_piece_add(self, value->bytes, 0, &value->piece));
        tacho_piece_keep(self, value->piece, UINT32_MAX);
    }
    return TACHO_OK;
}

/* ---- steps --------------------------------------------------------------------------------- */

static tacho_origin origin_of(const void *network, uint32_t tensor)
{
    const tacho_execution *self = network;
    uint32_t step = tensor == TACHO_NONE ? TACHO_NONE : self->values[tensor].producer;
    return step == TACHO_NONE
               ? (tacho_origin){{0}, TACHO_NONE}
               : (tacho_origin){tacho_step_type(self, step), tacho_step_input(self, step, 0)};
}

void tacho_step_fill(const tacho_execution *self, uint32_t step, tacho_array *arrays,
                     const tacho_array **links, tacho_kernel_call *out_call)
{
    const tacho_step *at = &self->program->steps[step];
    size_t count = (size_t)at->input_count + at->output_count;
    *out_call = (tacho_kernel_call){
        .opset = at->opset,
        .inputs = links,
        .input_count = at->input_count,
        .outputs = arrays + at->input_count,
        .output_count = at->output_count,
        .attrs = tacho_step_attrs(self, at),
        .attr_count = at->attr_count,
    };
    for (size_t i = 0; i < count; i++) {
        uint32_t id = tacho_wide_id(self, step, self->program->links[at->first_link + i]);
        arrays[i] = id == TACHO_NONE ? (tacho_array){0} : tacho_value_array(&self->values[id]);
        if (i < at->input_count) {
            links[i] = id == TACHO_NONE ? NULL : &arrays[i];
        }
    }
    for (size_t i = 0; i < at->attr_count; i++) {
        if (out_call->attrs[i].kind == TACHO_ATTR_TENSOR) {
            arrays[count] = tacho_value_array(&self->values[out_call->attrs[i].value.as_tensor]);
            out_call->attr_tensor = &arrays[count];
        }
    }
}

tacho_status tacho_step_describe(tacho_execution *self, uint32_t step, tacho_arena *arena,
                                 tacho_kernel_call *out_call)
{
    const tacho_program *program = self->program;
    const tacho_step *at = &program->steps[step];
    size_t count = (size_t)at->input_count + at->output_count + 1;
    void *links, *arrays;
    TACHO_TRY(tacho_arena_alloc(arena, count * sizeof(tacho_array *), &links));
    TACHO_TRY(tacho_arena_alloc(arena, count * sizeof(tacho_array), &arrays));
    for (size_t i = 0; i < at->attr_count; i++) {
        const tacho_attr *attr = &program->attrs[at->first_attr + i];
        if (attr->kind == TACHO_ATTR_TENSOR) {
            const tacho_value *value = &self->values[attr->value.as_tensor];
            if (value->state != TACHO_VALUE_CONSTANT || !is_computable(value)) {
                return tacho_step_fail(self, step, TACHO_CODE_BAD_DATA,
                                       "an attribute is a tensor that has no value");
            }
            TACHO_TRY(tacho_execution_load_constant(self, attr->value.as_tensor));
            self->values[attr->value.as_tensor].is_kept = true;
        }
    }
    tacho_step_fill(self, step, arrays, links, out_call);
    out_call->is_of_product = tacho_is_of_product(origin_of, self, tacho_step_input(self, step, 0));
    return TACHO_OK;
}

/* A condition is one bool. */
static tacho_status check_guard(const tacho_execution *self, uint32_t step)
{
    uint32_t id = tacho_step_guard(self, step);
    bool is_fine = id != TACHO_NONE && self->values[id].dtype == TACHO_DTYPE_BOOL &&
                   self->values[id].bytes == 1;
    return is_fine || self->program->steps[step].when == TACHO_WHEN_ALWAYS
               ? TACHO_OK
               : tacho_step_fail(self, step, TACHO_CODE_BAD_DATA, "its condition is not one bool");
}

tacho_status tacho_step_check_known(const tacho_execution *self, uint32_t step)
{
    const tacho_step *at = &self->program->steps[step];
    TACHO_TRY(check_guard(self, step));
    if (tacho_kernel_find(tacho_step_type(self, step)) == NULL) {
        tacho_status status =
            tacho_step_fail(self, step, TACHO_CODE_UNSUPPORTED,
                            "no kernel for this operator; export the model with operators that "
                            "have one (docs/operators.md)");
        return tacho_status_add_hint(status, TACHO_HINT_TIMES_ALONE, "");
    }
    for (size_t i = 0; i < at->input_count; i++) {
        uint32_t id = tacho_step_input(self, step, i);
        if (id != TACHO_NONE && !is_computable(&self->values[id])) {
            return tacho_step_fail(self, step, TACHO_CODE_UNSUPPORTED,
                                   "the shape of an input is not known before the run");
        }
    }
    for (size_t i = 0; i < at->output_count; i++) {
        uint32_t id = tacho_step_output(self, step, i);
        if (id != TACHO_NONE && !is_computable(&self->values[id])) {
            return tacho_step_fail(self, step, TACHO_CODE_UNSUPPORTED,
                                   "the shape of an output is not known before the run, or its "
                                   "type has no whole bytes");
        }
    }
    return TACHO_OK;
}

/* Whether its inputs are known, and its outputs are not. */
static tacho_status check_step(const tacho_execution *self, uint32_t step, bool *out_is_constant)
{
    const tacho_step *at = &self->program->steps[step];
    uint32_t guard = tacho_step_guard(self, step);
    *out_is_constant = at->input_count > 0;
    if (guard != TACHO_NONE && self->values[guard].state == TACHO_VALUE_NONE) {
        return tacho_step_fail(self, step, TACHO_CODE_BAD_DATA,
                               "it reads its condition before any step produces it");
    }
    for (size_t i = 0; i < at->input_count; i++) {
        uint32_t id = tacho_step_input(self, step, i);
        if (id != TACHO_NONE && self->values[id].state == TACHO_VALUE_NONE) {
            return tacho_step_fail(self, step, TACHO_CODE_BAD_DATA,
                                   "it reads a tensor before any step produces it");
        }
        *out_is_constant &= id == TACHO_NONE || self->values[id].state == TACHO_VALUE_CONSTANT;
    }
    for (size_t i = 0; i < at->output_count; i++) {
        uint32_t id = tacho_step_output(self, step, i);
        if (id != TACHO_NONE && self->values[id].state != TACHO_VALUE_NONE) {
            return tacho_step_fail(self, step, TACHO_CODE_BAD_DATA,
                                   "it produces a tensor that already exists");
        }
    }
    return TACHO_OK;
}

bool tacho_step_is_known(const tacho_execution *self, uint32_t step)
{
    const tacho_step *at = &self->program->steps[step];
    bool has_all = at->output_count > 0;
    for (size_t i = 0; i < at->output_count && has_all; i++) {
        uint32_t id = tacho_step_output(self, step, i);
        has_all = id == TACHO_NONE || self->values[id].state == TACHO_VALUE_CONSTANT;
    }
    return has_all;
}

/* Whether the step's one result is its first input under another shape. */
static bool is_view(const tacho_execution *self, uint32_t step)
{
    static const char names[] = " Flatten Identity Reshape Squeeze Unsqueeze tosa.identity "
                                "tosa.reshape ";
    const tacho_step *at = &self->program->steps[step];
    uint32_t from = tacho_step_input(self, step, 0), to = tacho_step_output(self, step, 0);
    tacho_str type = tacho_step_type(self, step);
    if (from == TACHO_NONE || to == TACHO_NONE || at->output_count != 1 ||
        self->values[from].dtype != self->values[to].dtype ||
        self->values[from].bytes != self->values[to].bytes) {
        return false;
    }
    if (tacho_str_equal(type, TACHO_STR("Cast"))) {
        return true;
    }
    if (tacho_str_equal(type, TACHO_STR("Dropout"))) {
        return at->opset >= 7 && at->input_count < 3; /* else it may be training */
    }
    for (const char *name = names; (name = strstr(name, type.data)) != NULL; name++) {
        if (name > names && name[-1] == ' ' && name[type.len] == ' ' && type.len > 0) {
            return true;
        }
    }
    return false;
}

/* The values of a step of constants: its inputs have theirs, its outputs get memory. */
static tacho_status fold(tacho_execution *self, uint32_t step, tacho_arena *arena)
{
    const tacho_step *at = &self->program->steps[step];
    tacho_kernel_call call;
    for (size_t i = 0; i < at->input_count; i++) {
        uint32_t id = tacho_step_input(self, step, i);
        if (id != TACHO_NONE) {
            TACHO_TRY(tacho_execution_load_constant(self, id));
        }
    }
    for (size_t i = 0; i < at->output_count; i++) {
        uint32_t id = tacho_step_output(self, step, i);
        if (id != TACHO_NONE) {
            TACHO_TRY(tacho_execution_block(self, &self->values[id]));
            self->values[id].state = TACHO_VALUE_CONSTANT;
        }
    }
    TACHO_TRY(tacho_step_describe(self, step, arena, &call));
    const tacho_kernel *kernel = tacho_kernel_find(tacho_step_type(self, step));
    return tacho_step_blame(self, step, tacho_kernel_compute(kernel, &call));
}

/* Computes a step now: its outputs are constants from here on. */
tacho_status tacho_step_fold(tacho_execution *self, uint32_t step)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = fold(self, step, &arena);
    tacho_arena_deinit(&arena);
    return status;
}

/* The same, but a step that fails and might not be reached is left to the run. */
static tacho_status fold_or_put_off(tacho_execution *self, uint32_t step)
{
    const tacho_step *at = &self->program->steps[step];
    tacho_status status = tacho_step_fold(self, step);
    if (status == TACHO_OK || at->when == TACHO_WHEN_ALWAYS ||
        tacho_status_code(status) != TACHO_CODE_BAD_DATA) {
        return status;
    }
    tacho_status_free(status);
    for (size_t i = 0; i < at->output_count; i++) {
        uint32_t id = tacho_step_output(self, step, i);
        if (id != TACHO_NONE) {
            self->values[id].state = TACHO_VALUE_NONE;
            self->values[id].data = NULL;
            self->values[id].block = TACHO_NONE;
        }
    }
    self->counts.free--;
    return tacho_task_add_plain(self, step);
}

tacho_status tacho_task_list(tacho_execution *self, size_t count, uint32_t *out_first)
{
    TACHO_TRY(tacho_grow(&self->input_pieces, &self->input_piece_capacity,
                         self->input_piece_count + count));
    *out_first = (uint32_t)self->input_piece_count;
    for (size_t i = 0; i < count; i++) {
        self->input_pieces[self->input_piece_count++] = TACHO_NONE;
    }
    return TACHO_OK;
}

tacho_status tacho_task_append(tacho_execution *self, const tacho_task *task)
{
    TACHO_TRY(tacho_grow(&self->tasks, &self->task_capacity, self->task_count + 1));
    self->tasks[self->task_count++] = *task;
    return TACHO_OK;
}

/* Call before the task is appended, and after all reorders that it needs. */
tacho_status tacho_task_guard(tacho_execution *self, tacho_task *task)
{
    uint32_t id = tacho_step_guard(self, task->step), piece;
    if (self->program->steps[task->step].when == TACHO_WHEN_ALWAYS) {
        return TACHO_OK;
    }
    task->is_guarded = true;
    if (self->values[id].state == TACHO_VALUE_CONSTANT) {
        self->values[id].is_kept = true;
        return tacho_execution_load_constant(self, id);
    }
    return tacho_value_ensure_plain(self, id, task->step, &piece);
}

/* Chooses the kernel of a plain task. */
static tacho_status choose_kernel(tacho_execution *self, tacho_task *task)
{
    const tacho_step *at = &self->program->steps[task->step];
    tacho_str type = tacho_step_type(self, task->step);
    size_t operands = (size_t)at->input_count + at->output_count + 1;
    const tacho_kernel *quick = NULL;
    tacho_kernel_call call;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_step_describe(self, task->step, &arena, &call);
    if (status == TACHO_OK) {
        quick = self->choice != TACHO_KERNELS_FAST ? NULL : tacho_quick_find(type, &call);
        task->is_of_product = call.is_of_product;
    }
    tacho_arena_deinit(&arena);
    task->is_quick = quick != NULL;
    task->kernel = quick != NULL ? quick : tacho_kernel_find(type);
    self->operand_max = operands > self->operand_max ? operands : self->operand_max;
    self->counts.reference += quick != NULL ? 0 : 1;
    self->counts.kernels += quick != NULL ? 1 : 0;
    self->counts.fast += quick != NULL ? 1 : 0;
    return status;
}

/* Lets a quick kernel work up constants, which are loaded; before the task is appended. */
static tacho_status prepare_constants(tacho_execution *self, tacho_task *task)
{
    tacho_kernel_call call;
    tacho_arena arena;
    const void *made = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_step_describe(self, task->step, &arena, &call);
    if (status == TACHO_OK) {
        status = tacho_quick_prepare(tacho_step_type(self, task->step), &call, &self->arena, &made);
    }
    tacho_arena_deinit(&arena);
    task->is_prepared = made != NULL;
    if (status != TACHO_OK || made == NULL) {
        return status;
    }
    TACHO_TRY(tacho_grow(&self->prepared, &self->prepared_capacity, self->prepared_count + 1));
    self->prepared[self->prepared_count++] = (tacho_prepared){(uint32_t)self->task_count, made};
    return TACHO_OK;
}

tacho_status tacho_task_add_plain(tacho_execution *self, uint32_t step)
{
    const tacho_step *at = &self->program->steps[step];
    tacho_task task = {.step = step};
    TACHO_TRY(choose_kernel(self, &task));
    for (size_t i = 0; i < at->input_count; i++) {
        uint32_t id = tacho_step_input(self, step, i), piece;
        if (id != TACHO_NONE && self->values[id].state == TACHO_VALUE_CONSTANT) {
            TACHO_TRY(tacho_execution_load_constant(self, id));
            self->values[id].is_kept = true;
        } else if (id != TACHO_NONE) {
            TACHO_TRY(tacho_value_ensure_plain(self, id, step, &piece));
        }
    }
    TACHO_TRY(tacho_task_guard(self, &task));
    /* Reorders of later inputs may follow that of the first: keep all up to this task. */
    uint32_t number = (uint32_t)self->task_count, piece;
    for (size_t i = 0; i < at->input_count; i++) {
        uint32_t id = tacho_step_input(self, step, i);
        if (id != TACHO_NONE) {
            tacho_piece_keep(self, self->values[self->values[id].root].piece, number);
        }
    }
    if (task.is_quick) {
        TACHO_TRY(prepare_constants(self, &task));
    }
    TACHO_TRY(tacho_task_append(self, &task));
    for (size_t i = 0; i < at->output_count; i++) {
        uint32_t id = tacho_step_output(self, step, i);
        if (id != TACHO_NONE && self->values[id].state == TACHO_VALUE_NONE) {
            TACHO_TRY(tacho_value_make(self, id, NULL, number, &piece));
        }
    }
    return TACHO_OK;
}

/* A view of a constant whose shape or axes only a run knows needs the bytes: no step makes them. */
static tacho_status alias(tacho_execution *self, uint32_t from, uint32_t to)
{
    uint32_t root = self->values[from].root;
    if (self->values[from].state == TACHO_VALUE_CONSTANT) {
        TACHO_TRY(tacho_execution_load_constant(self, root));
        self->values[root].is_kept = true;
        self->values[to].data = self->values[root].data;
    }
    self->values[to].state = self->values[from].state;
    self->values[to].root = root;
    self->counts.free++;
    return TACHO_OK;
}

static tacho_status prepare_step(tacho_execution *self, uint32_t step)
{
    bool is_constant, is_done = false;
    if (self->is_done[step]) {
        return TACHO_OK;
    }
    self->is_done[step] = true;
    if (tacho_step_is_known(self, step)) {
        self->counts.free++;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_step_check_known(self, step));
    TACHO_TRY(check_step(self, step, &is_constant));
    if (is_constant) {
        self->counts.free++;
        bool waits = self->fast != NULL &&
                     (tacho_bytes_take(self, step) || tacho_nbits_defer(self, step));
        return waits ? TACHO_OK : fold_or_put_off(self, step);
    }
    if (is_view(self, step)) {
        return alias(self, tacho_step_input(self, step, 0), tacho_step_output(self, step, 0));
    }
    if (self->fast != NULL) {
        TACHO_TRY(tacho_fast_take(self, step, &is_done));
    }
    if (!is_done && self->choice == TACHO_KERNELS_FAST) {
        TACHO_TRY(tacho_pattern_take(self, step, &is_done));
    }
    return is_done ? TACHO_OK : tacho_task_add_plain(self, step);
}

/* Steps in order; those that no op claims go with the op before them. */
static tacho_status take_steps(tacho_execution *self)
{
    const tacho_program *program = self->program;
    uint32_t op = 0;
    for (uint32_t i = 0; i < program->step_count; i++) {
        for (; op < program->op_count && (op == 0 || program->ops[op].first_step <= i); op++) {
            self->op_tasks[op] = (uint32_t)self->task_count;
        }
        TACHO_TRY(prepare_step(self, i));
        TACHO_TRY(tacho_wide_settle(self, i));
    }
    for (; op <= program->op_count; op++) {
        self->op_tasks[op] = (uint32_t)self->task_count;
    }
    self->op_tasks[0] = 0; /* with conversions of inputs */
    return TACHO_OK;
}

/* ---- memory -------------------------------------------------------------------------------- */

static tacho_status keep_outputs(tacho_execution *self)
{
    for (size_t i = 0; i < self->program->output_count; i++) {
        uint32_t id = self->program->outputs[i];
        if (self->values[id].state == TACHO_VALUE_NONE) {
            return tacho_fail(TACHO_CODE_UNSUPPORTED,
                              "output '%s' has no value: no step computes it",
                              tensor_name(self, id));
        }
        uint32_t piece;
        if (self->values[id].state == TACHO_VALUE_CONSTANT) {
            TACHO_TRY(tacho_execution_load_constant(self, id));
            self->values[id].is_kept = true;
        } else {
            uint32_t last = (uint32_t)self->program->step_count - 1;
            TACHO_TRY(tacho_value_ensure_plain(self, id, last, &piece));
            tacho_piece_keep(self, piece, UINT32_MAX);
        }
    }
    self->op_tasks[self->program->op_count] = (uint32_t)self->task_count; /* with reorders */
    return TACHO_OK;
}

/* Each piece by itself, and none used twice. */
static tacho_status take_pieces(tacho_execution *self)
{
    self->places = tacho_items_alloc(self->piece_count, sizeof(*self->places));
    for (size_t i = 0; self->places != NULL && i < self->piece_count; i++) {
        self->places[i] = self->taker->take(self->taker->self, self->pieces[i].bytes);
        if (self->places[i] == NULL) {
            return tacho_no_memory();
        }
        self->memory_bytes += self->pieces[i].bytes;
    }
    return self->places != NULL ? TACHO_OK : tacho_no_memory();
}

/* Adds the largest of the values that share the memory, and its producer, to the failure. */
static tacho_status name_largest(const tacho_execution *self, tacho_status status)
{
    const tacho_program *program = self->program;
    uint32_t largest = TACHO_NONE;
    for (uint32_t i = 0; status != TACHO_OK && i < program->tensor_count; i++) {
        bool is_live = self->values[i].root == i && self->values[i].piece != TACHO_NONE;
        if (is_live &&
            (largest == TACHO_NONE || self->values[i].bytes > self->values[largest].bytes)) {
            largest = i;
        }
    }
    if (largest == TACHO_NONE) {
        return status;
    }
    const tacho_value *value = &self->values[largest];
    uint32_t op = 0;
    while (op + 1 < program->op_count && value->producer != TACHO_NONE &&
           program->ops[op + 1].first_step <= value->producer) {
        op++;
    }
    bool has_op = value->producer != TACHO_NONE && op < program->op_count;
    return tacho_status_add_note(
        status, "the largest tensor is '%s' of %" PRIu64 " bytes, %s%s", tensor_name(self, largest),
        value->bytes, has_op ? "a result of " : "an input of the model",
        has_op ? tacho_strings_get(&program->strings, program->ops[op].name).data : "");
}

/* Bounds the memory that a few bytes of shapes can request by the data that accompanies them. */
static tacho_status check_memory(const tacho_execution *self,
                                 const tacho_execution_options *options)
{
    static const uint64_t free_bytes = (uint64_t)1 << 32;
    uint64_t by_size = tacho_size_multiply(self->program->constants.len, MEMORY_PER_BYTE);
    uint64_t limit = by_size > free_bytes ? by_size : free_bytes;
    uint64_t need = self->memory_bytes, most = tacho_execution_bytes_max;
    if (need > most) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "activations of %" PRIu64 " bytes, more than %" PRIu64
                          "; compile it for smaller inputs or a smaller batch",
                          need, most);
    }
    if (options->work_max == UINT64_MAX || need <= free_bytes / 16) {
        return TACHO_OK; /* forced, or nothing to talk about */
    }
    if (options->gate != NULL && need > limit) {
        return tacho_fail_hint(TACHO_CODE_LIMIT, TACHO_HINT_FORCE_RUN,
                               "activations of %" PRIu64
                               " bytes; the limit for a program with as much data is %" PRIu64,
                               need, limit);
    }
    uint64_t available = options->free_bytes > 0 ? options->free_bytes : tacho_pages_available();
    return need <= available ? TACHO_OK
                             : tacho_fail_hint(TACHO_CODE_LIMIT, TACHO_HINT_FORCE_OR_NO_VALUES,
                                               "activations of %" PRIu64 " bytes, and %" PRIu64
                                               " bytes of memory are free; free some",
                                               need, available);
}

static tacho_status get_memory(tacho_execution *self, const tacho_execution_options *options)
{
    if (self->taker != NULL) {
        return take_pieces(self);
    }
    TACHO_TRY(tacho_memory_plan(self->pieces, self->piece_count, &self->memory_bytes));
    TACHO_TRY(name_largest(self, check_memory(self, options)));
    TACHO_TRY(name_largest(self, tacho_budget_check(self->memory_bytes)));
    self->memory =
        aligned_alloc(TACHO_MEMORY_ALIGN, (size_t)self->memory_bytes + TACHO_MEMORY_ALIGN);
    if (self->memory == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %llu bytes for activations",
                          (unsigned long long)self->memory_bytes);
    }
    memset(self->memory, 0, (size_t)self->memory_bytes);
    return TACHO_OK;
}

static void *memory_of(const tacho_execution *self, uint32_t piece)
{
    if (self->places != NULL && piece != TACHO_NONE) {
        return self->places[piece];
    }
    return piece == TACHO_NONE ? NULL : (unsigned char *)self->memory + self->pieces[piece].offset;
}

static tacho_status bind(tacho_execution *self, tacho_task *task)
{
    void *inputs[TACHO_FAST_INPUTS_MAX];
    for (size_t i = 0; i < task->input_count; i++) {
        inputs[i] = memory_of(self, self->input_pieces[task->first_input + i]);
    }
    void *output = memory_of(self, task->output_piece);
    if (task->parts != NULL) {
        task->parts->totals = output;
        output = memory_of(self, task->parts->piece);
        task->parts->sums = output;
    }
    void *pointers;
    TACHO_TRY(tacho_arena_alloc(
        &self->arena, tacho_fast_pointer_count(task->fast) * sizeof(*task->pointers), &pointers));
    task->pointers = pointers;
    tacho_fast_point(task->fast, inputs, output, memory_of(self, task->scratch_piece),
                     task->pointers);
    return TACHO_OK;
}

/* Values, calls and fast kernels point to their memory. */
static tacho_status give_memory(tacho_execution *self)
{
    for (size_t i = 0; i < self->value_count; i++) {
        tacho_value *value = &self->values[i];
        const tacho_value *root = &self->values[value->root];
        if (root->piece != TACHO_NONE) {
            value->data = memory_of(self, root->piece);
        } else if (value->state == TACHO_VALUE_CONSTANT && value->data == NULL) {
            value->data = root->data;
        }
    }
    for (size_t i = 0; i < self->task_count; i++) {
        tacho_task *task = &self->tasks[i];
        if (task->rounds_to != 0) {
            task->place = memory_of(self, task->output_piece);
            task->count = self->pieces[task->output_piece].bytes / sizeof(float);
        } else if (task->fast != NULL) {
            TACHO_TRY(bind(self, task));
        } else if (task->call != NULL) {
            task->call->input.data = self->values[task->call->from].data;
            task->call->output.data = self->values[task->call->to].data;
        }
    }
    free(self->input_pieces);
    self->input_pieces = NULL;
    self->operands = tacho_items_alloc(self->operand_max, sizeof(*self->operands));
    self->operand_links = tacho_items_alloc(self->operand_max, sizeof(*self->operand_links));
    return self->operands != NULL && self->operand_links != NULL ? TACHO_OK : tacho_no_memory();
}

tacho_status tacho_execution_prepare(tacho_execution *self, const tacho_execution_options *options)
{
    TACHO_TRY(make_values(self));
    TACHO_TRY(tacho_execution_check(self, options));
    if (self->choice == TACHO_KERNELS_FAST) {
        TACHO_TRY(tacho_fast_create(self->threads, &self->fast));
    }
    TACHO_TRY(tacho_wide_plan(self));
    TACHO_TRY(count_uses(self));
    TACHO_TRY(take_inputs(self));
    TACHO_TRY(tacho_wide_settle_inputs(self));
    TACHO_TRY(take_steps(self));
    TACHO_TRY(keep_outputs(self));
    tacho_execution_trim(self);
    TACHO_TRY(get_memory(self, options));
    return give_memory(self);
}
