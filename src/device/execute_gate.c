/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program is checked before any of it runs: every step by the gate, which knows the valid forms
 * of operators, and the work of all steps against a limit.
 */
#include "device/execute_parts.h"

#include "base/grow.h"
#include "base/maths.h"
#include "kernels/gate.h"

#include <inttypes.h>
#include <stdlib.h>

/* Operations that any program may take for one inference: minutes of reference kernels. */
static const uint64_t work_free = (uint64_t)1 << 38;
/* Operations per byte of data: networks with weights of their own stay far below. */
enum { WORK_PER_BYTE = 1 << 14 };

typedef struct checker {
    tacho_execution *self;
    const tacho_gate *gate;
    void *state;
    tacho_arena scratch; /* of one step */
    uint64_t work;
    uint64_t bytes;   /* of inputs, outputs, and constants that are read, stored or not */
    bool *is_counted; /* by tensor: those are in it */
} checker;

/* Counts only data that an execution gets memory for: unread declarations allow nothing. */
static void count_bytes(checker *check, uint32_t id)
{
    if (!check->is_counted[id]) {
        check->is_counted[id] = true;
        check->bytes = tacho_size_add(check->bytes, check->self->values[id].bytes);
    }
}

/* A constant that may decide a shape, expanded where it is a splat; random ones decide nothing. */
static tacho_status read_constant(checker *check, uint32_t id, tacho_array *array)
{
    const tacho_program *program = check->self->program;
    const tacho_program_tensor *tensor = &program->tensors[id];
    bool is_splat = tensor->storage == TACHO_STORAGE_SPLAT;
    size_t size = tacho_dtype_element_bytes(array->dtype);
    uint64_t count = 0, bytes = check->self->values[id].bytes, end;
    (void)tacho_shape_elements(&array->shape, &count);
    if ((tensor->storage != TACHO_STORAGE_BYTES && !is_splat) || array->shape.rank > 1 ||
        (is_splat && count > TACHO_GATE_VALUES_MAX) ||
        __builtin_add_overflow(tensor->offset, is_splat ? size : bytes, &end) ||
        end > program->constants.len) {
        return TACHO_OK;
    }
    const char *from = program->constants.data + tensor->offset;
    if (!is_splat) {
        memcpy(&array->data, &from, sizeof(from)); /* read only, and not for kernels */
        return TACHO_OK;
    }
    TACHO_TRY(tacho_arena_alloc(&check->scratch, count * size + 1, &array->data));
    for (uint64_t i = 0; i < count; i++) {
        memcpy((char *)array->data + i * size, from, size);
    }
    return TACHO_OK;
}

static tacho_status take_inputs(checker *check, uint32_t step, tacho_kernel_call *call)
{
    tacho_execution *self = check->self;
    void *memory;
    TACHO_TRY(
        tacho_arena_alloc(&check->scratch, (call->input_count + 1) * sizeof(tacho_array), &memory));
    tacho_array *arrays = memory;
    TACHO_TRY(
        tacho_arena_alloc(&check->scratch, (call->input_count + 1) * sizeof(arrays), &memory));
    const tacho_array **pointers = memory;
    for (size_t i = 0; i < call->input_count; i++) {
        uint32_t id = tacho_step_input(self, step, i);
        pointers[i] = id == TACHO_NONE ? NULL : &arrays[i];
        if (id != TACHO_NONE) {
            arrays[i] = tacho_value_array(&self->values[id]);
            TACHO_TRY(read_constant(check, id, &arrays[i]));
            if (self->values[id].state == TACHO_VALUE_CONSTANT) {
                count_bytes(check, id);
            }
        }
    }
    call->inputs = pointers;
    return TACHO_OK;
}

static tacho_status describe(checker *check, uint32_t step, tacho_kernel_call *call)
{
    tacho_execution *self = check->self;
    const tacho_step *at = &self->program->steps[step];
    void *outputs, *memory;
    *call = (tacho_kernel_call){
        .opset = at->opset,
        .input_count = at->input_count,
        .output_count = at->output_count,
        .attrs = tacho_step_attrs(self, at),
        .attr_count = at->attr_count,
    };
    TACHO_TRY(take_inputs(check, step, call));
    TACHO_TRY(tacho_arena_alloc(&check->scratch, (call->output_count + 1) * sizeof(*call->outputs),
                                &outputs));
    call->outputs = outputs;
    for (size_t i = 0; i < call->output_count; i++) {
        uint32_t id = tacho_step_output(self, step, i);
        call->outputs[i] =
            id == TACHO_NONE ? (tacho_array){0} : tacho_value_array(&self->values[id]);
    }
    for (size_t i = 0; i < call->attr_count; i++) {
        if (call->attrs[i].kind == TACHO_ATTR_TENSOR) {
            const tacho_value *value = &self->values[call->attrs[i].value.as_tensor];
            TACHO_TRY(tacho_arena_alloc(&check->scratch, sizeof(tacho_array), &memory));
            tacho_array *array = memory;
            *array = tacho_value_array(value);
            call->attr_tensor = array;
        }
    }
    return TACHO_OK;
}

static tacho_status check_step(checker *check, uint32_t step)
{
    tacho_kernel_call call;
    uint64_t work;
    tacho_arena_reset(&check->scratch);
    TACHO_TRY(tacho_step_check_known(check->self, step));
    TACHO_TRY(describe(check, step, &call));
    tacho_status status =
        check->gate->check(check->state, tacho_step_type(check->self, step), &call, &work);
    check->work = tacho_size_add(check->work, work);
    if (status == TACHO_OK) {
        return TACHO_OK;
    }
    bool is_damaged = tacho_status_code(status) == TACHO_CODE_BAD_DATA;
    status = tacho_step_blame(check->self, step, status);
    return is_damaged
               ? tacho_status_add_note(status, "the program is damaged; compile the model again")
               : status;
}

static tacho_status check_steps(checker *check)
{
    const tacho_program *program = check->self->program;
    TACHO_TRY(tacho_items_make(&check->is_counted, program->tensor_count));
    TACHO_TRY(check->gate->open(&check->state));
    for (uint32_t i = 0; i < program->step_count; i++) {
        if (!tacho_step_is_known(check->self, i)) {
            TACHO_TRY(check_step(check, i));
        }
    }
    for (size_t i = 0; i < program->input_count; i++) {
        count_bytes(check, program->inputs[i]);
    }
    for (size_t i = 0; i < program->output_count; i++) {
        count_bytes(check, program->outputs[i]);
    }
    return TACHO_OK;
}

static tacho_status check_work(const checker *check, uint64_t work_max)
{
    uint64_t by_size = tacho_size_multiply(check->bytes, WORK_PER_BYTE);
    uint64_t limit = by_size > work_free ? by_size : work_free;
    limit = work_max > 0 ? work_max : limit;
    return check->work <= limit
               ? TACHO_OK
               : tacho_fail_hint(
                     TACHO_CODE_LIMIT, TACHO_HINT_FORCE_RUN,
                     "one inference takes about %" PRIu64
                     " operations; the limit for a program with as much data is %" PRIu64,
                     check->work, limit);
}

tacho_status tacho_execution_check(tacho_execution *self, const tacho_execution_options *options)
{
    checker check = {.self = self, .gate = options->gate};
    if (options->gate == NULL) {
        return TACHO_OK;
    }
    tacho_arena_init(&check.scratch);
    tacho_status status = check_steps(&check);
    if (status == TACHO_OK) {
        status = check_work(&check, options->work_max);
    }
    check.gate->close(check.state);
    tacho_arena_deinit(&check.scratch);
    free(check.is_counted);
    return status;
}
