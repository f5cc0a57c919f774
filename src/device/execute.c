/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running prepared tasks.
 */
#include "device/execute.h"

#include "base/grow.h"
#include "device/execute_parts.h"
#include "kernels/invalid.h"
#include "kernels/short_real.h"

#include <stdio.h>
#include <stdlib.h>

/* With more steps, two executions of them are not kept in memory at a time. */
enum { STEPS_TWICE_MAX = 1 << 18 };

/* ---- names --------------------------------------------------------------------------------- */

static const char *text_of(const tacho_execution *self, uint32_t id)
{
    return tacho_strings_get(&self->program->strings, id).data;
}

tacho_status tacho_step_fail(const tacho_execution *self, uint32_t step, tacho_code code,
                             const char *problem)
{
    const tacho_program *program = self->program;
    const tacho_step *at = &program->steps[step];
    if (at->op >= program->op_count) {
        return tacho_fail(code, "step %u (%s): %s", (unsigned)step, text_of(self, at->type),
                          problem);
    }
    const tacho_program_op *op = &program->ops[at->op];
    const char *location = text_of(self, op->location);
    return tacho_fail(code, "op %u '%s' (%s)%s%s: step %u (%s): %s", (unsigned)at->op,
                      text_of(self, op->name), text_of(self, op->type),
                      location[0] == '\0' ? "" : " at ", location, (unsigned)step,
                      text_of(self, at->type), problem);
}

tacho_status tacho_step_blame(const tacho_execution *self, uint32_t step, tacho_status status)
{
    if (status == TACHO_OK) {
        return TACHO_OK;
    }
    tacho_status named =
        tacho_step_fail(self, step, tacho_status_code(status), tacho_status_message(status));
    tacho_status_free(status);
    return named;
}

tacho_str tacho_step_type(const tacho_execution *self, uint32_t step)
{
    return tacho_strings_get(&self->program->strings, self->program->steps[step].type);
}

uint32_t tacho_step_input(const tacho_execution *self, uint32_t step, size_t i)
{
    const tacho_step *at = &self->program->steps[step];
    return i < at->input_count ? tacho_wide_id(self, step, self->program->links[at->first_link + i])
                               : TACHO_NONE;
}

uint32_t tacho_step_output(const tacho_execution *self, uint32_t step, size_t i)
{
    const tacho_step *at = &self->program->steps[step];
    size_t link = (size_t)at->first_link + at->input_count + i;
    return i < at->output_count ? tacho_wide_id(self, step, self->program->links[link])
                                : TACHO_NONE;
}

uint32_t tacho_step_guard(const tacho_execution *self, uint32_t step)
{
    const tacho_step *at = &self->program->steps[step];
    return at->when == TACHO_WHEN_ALWAYS ? TACHO_NONE
                                         : self->program->links[tacho_step_condition(at)];
}

bool tacho_step_is_with(const tacho_execution *self, uint32_t step, uint32_t other)
{
    const tacho_step *steps = self->program->steps;
    return steps[step].when == steps[other].when &&
           tacho_step_guard(self, step) == tacho_step_guard(self, other);
}

/* ---- making -------------------------------------------------------------------------------- */

tacho_status tacho_execution_create(const tacho_program *program, tacho_kernel_choice choice,
                                    uint32_t threads, tacho_execution **out)
{
    tacho_execution_options options = {.choice = choice, .threads = threads};
    return tacho_execution_open(program, &options, out);
}

tacho_status tacho_execution_open(const tacho_program *program,
                                  const tacho_execution_options *options, tacho_execution **out)
{
    tacho_execution *self = calloc(1, sizeof(*self));
    *out = NULL;
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->program = program;
    self->choice = options->choice;
    self->threads = options->threads;
    self->taker = options->memory;
    self->twice_max = options->twice_max > 0 ? options->twice_max : STEPS_TWICE_MAX;
    tacho_arena_init(&self->arena);
    tacho_status status = tacho_execution_prepare(self, options);
    if (status != TACHO_OK) {
        tacho_execution_free(self);
        return status;
    }
    *out = self;
    return TACHO_OK;
}

/* Frees the parts of the execution, not itself. */
static void free_parts(tacho_execution *self)
{
    for (size_t i = 0; i < self->block_count; i++) {
        free(self->blocks[i]);
    }
    free(self->blocks);
    for (size_t i = 0; i < self->task_count; i++) {
        tacho_fast_kernel_free(self->tasks[i].fast);
    }
    tacho_fast_free(self->fast);
    tacho_execution_free(self->exact);
    free(self->is_done);
    free(self->copies);
    free(self->values);
    free(self->on_twins);
    free(self->twins);
    free(self->originals);
    free(self->tasks);
    free(self->prepared);
    free(self->input_pieces);
    free(self->operands);
    free(self->operand_links);
    free(self->op_tasks);
    free(self->pieces);
    free(self->memory);
    free(self->places);
    tacho_arena_deinit(&self->arena);
}

void tacho_execution_free(tacho_execution *execution)
{
    if (execution != NULL) {
        free_parts(execution);
        free(execution);
    }
}

/* ---- running ------------------------------------------------------------------------------- */

static tacho_status check_whole(const tacho_execution *self)
{
    return self->is_lost ? tacho_fail(TACHO_CODE_NO_MEMORY,
                                      "there was no memory to compute the outputs again")
                         : TACHO_OK;
}

tacho_status tacho_execution_set_input(tacho_execution *execution, size_t index,
                                       const tacho_array *value)
{
    const tacho_program *program = execution->program;
    TACHO_TRY(check_whole(execution));
    if (index >= program->input_count) {
        return tacho_fail(TACHO_CODE_USAGE, "input %zu is set, but the program has %zu", index,
                          program->input_count);
    }
    uint32_t id = program->inputs[index];
    tacho_value *to = &execution->values[id];
    if (value->dtype != to->dtype || !tacho_shape_equal(&value->shape, to->shape)) {
        char wanted[TACHO_SHAPE_TEXT_MAX], given[TACHO_SHAPE_TEXT_MAX];
        return tacho_fail(TACHO_CODE_USAGE, "input %zu '%s' is %s of %s, but %s of %s is given",
                          index, text_of(execution, program->tensors[id].name),
                          tacho_shape_print(to->shape, wanted, sizeof(wanted)),
                          tacho_dtype_name((tacho_dtype)to->dtype),
                          tacho_shape_print(&value->shape, given, sizeof(given)),
                          tacho_dtype_name(value->dtype));
    }
    if (to->state != TACHO_VALUE_LIVE) {
        return tacho_fail(TACHO_CODE_USAGE, "input %zu '%s' is a constant of the program", index,
                          text_of(execution, program->tensors[id].name));
    }
    if (to->bytes > 0) {
        memcpy(to->data, value->data, (size_t)to->bytes);
    }
    return TACHO_OK;
}

/* The data that a task's kernel prepared from its constants. */
static const void *find_prepared(const tacho_execution *self, const tacho_task *task)
{
    uint32_t number = (uint32_t)(task - self->tasks);
    size_t low = 0, high = self->prepared_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (self->prepared[middle].task < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return self->prepared[low].value;
}

/* A reference kernel finds zeros where it writes, as everywhere. */
static tacho_status run_plain(tacho_execution *self, const tacho_task *task)
{
    tacho_kernel_call call;
    if (task->call != NULL) {
        return tacho_step_blame(self, task->step,
                                tacho_kernel_compute(task->kernel, &task->call->call));
    }
    tacho_step_fill(self, task->step, self->operands, self->operand_links, &call);
    call.is_of_product = task->is_of_product;
    call.prepared = task->is_prepared ? find_prepared(self, task) : NULL;
    for (size_t i = 0; i < call.output_count && !task->is_quick; i++) {
        uint32_t id = tacho_step_output(self, task->step, i);
        if (id != TACHO_NONE && self->values[id].bytes > 0) {
            memset(call.outputs[i].data, 0, (size_t)self->values[id].bytes);
        }
    }
    return tacho_step_blame(self, task->step, tacho_kernel_compute(task->kernel, &call));
}

/* Adds the parts of each row up; an overflow wraps, as in reference kernels. */
static void add_parts(const tacho_execution *self, const tacho_task *task)
{
    const tacho_task_parts *parts = task->parts;
    uint64_t length = parts->length;
    uint64_t rows = self->pieces[task->output_piece].bytes / sizeof(int32_t) / length;
    for (uint64_t row = 0; row < rows; row++) {
        const int32_t *from = parts->sums + row * parts->count * length;
        int32_t *to = parts->totals + row * length;
        memcpy(to, from, length * sizeof(*to));
        for (uint32_t part = 1; part < parts->count; part++) {
            from += length;
            for (uint64_t i = 0; i < length; i++) {
                to[i] = (int32_t)((uint32_t)to[i] + (uint32_t)from[i]);
            }
        }
    }
}

static tacho_status run_fast(const tacho_execution *self, const tacho_task *task)
{
    TACHO_TRY(tacho_step_blame(self, task->step, tacho_fast_run(task->fast, task->pointers)));
    if (task->parts != NULL) {
        add_parts(self, task);
    }
    return TACHO_OK;
}

/* Whether the condition of a task's step is met. Only a choice reads results that are not computed.
 */
static bool is_active(const tacho_execution *self, const tacho_task *task)
{
    const tacho_step *at = &self->program->steps[task->step];
    const unsigned char *value = self->values[tacho_step_guard(self, task->step)].data;
    return (value[0] != 0) == (at->when == TACHO_WHEN_TRUE);
}

static tacho_status run_tasks(tacho_execution *self, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        tacho_task *task = &self->tasks[i];
        if (task->is_guarded && !is_active(self, task)) {
            continue;
        }
        if (task->rounds_to != 0) {
            tacho_short_round(tacho_vector_best(), task->rounds_to, task->place,
                              (size_t)task->count);
        } else {
            TACHO_TRY(task->fast == NULL ? run_plain(self, task) : run_fast(self, task));
        }
    }
    return TACHO_OK;
}

/* Restores the note of the caller's own arithmetic. */
static void restore_note(bool was_invalid)
{
    (void)tacho_invalid_take();
    if (was_invalid) {
        tacho_invalid_note();
    }
}

/* The same, and whether an operation was invalid since the run began. */
static tacho_status run_watched(tacho_execution *self, uint32_t first, uint32_t end, bool is_first,
                                bool is_last)
{
    if (is_first) {
        self->is_invalid = self->is_recomputed = false;
    }
    if (self->fast == NULL) {
        return run_tasks(self, first, end);
    }
    bool was_invalid = tacho_invalid_take();
    if (is_first) {
        tacho_fast_forget_invalid(self->fast);
    }
    tacho_status status = run_tasks(self, first, end);
    self->is_invalid |= is_last ? tacho_fast_was_invalid(self->fast) : tacho_invalid_take();
    restore_note(was_invalid);
    return status;
}

/* Whether a kernel that can lose NaN has: the run again, one task at a time. */
static tacho_status find_loss(tacho_execution *self, bool *out_has_lost)
{
    tacho_status status = TACHO_OK;
    bool was_invalid = tacho_invalid_take();
    *out_has_lost = false;
    for (uint32_t i = 0; i < self->task_count && status == TACHO_OK && !*out_has_lost; i++) {
        tacho_fast_forget_invalid(self->fast);
        status = run_tasks(self, i, i + 1);
        *out_has_lost = self->tasks[i].is_lossy && tacho_fast_was_invalid(self->fast);
    }
    restore_note(was_invalid);
    return status;
}

/* Inputs as they were set; without data where they are constants. */
static tacho_status list_inputs(const tacho_execution *self, tacho_array **out_inputs)
{
    const tacho_program *program = self->program;
    *out_inputs = tacho_items_alloc(program->input_count, sizeof(**out_inputs));
    if (*out_inputs == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "no memory for an execution");
    }
    for (size_t i = 0; i < program->input_count; i++) {
        const tacho_value *value = &self->values[program->inputs[i]];
        if (value->state == TACHO_VALUE_LIVE) {
            (*out_inputs)[i] = tacho_value_array(value);
        }
    }
    return TACHO_OK;
}

static tacho_status run_with(tacho_execution *self, const tacho_array *inputs)
{
    for (size_t i = 0; i < self->program->input_count; i++) {
        if (inputs[i].data != NULL) {
            TACHO_TRY(tacho_execution_set_input(self, i, &inputs[i]));
        }
    }
    return tacho_execution_run(self);
}

static tacho_execution_options exact_options(const tacho_execution *self)
{
    return (tacho_execution_options){
        .choice = TACHO_KERNELS_REFERENCE, .threads = self->threads, .memory = self->taker};
}

/* Computes outputs by reference kernels, in an execution of their own. */
static tacho_status run_exact(tacho_execution *self, const tacho_array *inputs)
{
    tacho_execution_options options = exact_options(self);
    if (self->exact == NULL) {
        TACHO_TRY(tacho_execution_open(self->program, &options, &self->exact));
    }
    TACHO_TRY(run_with(self->exact, inputs));
    self->is_recomputed = true;
    return TACHO_OK;
}

/* The same in this execution, which has reference kernels from now on. Its counts stay. */
static tacho_status become_exact(tacho_execution *self, const tacho_array *inputs)
{
    tacho_execution_options options = exact_options(self);
    tacho_execution old = *self;
    void *memory = old.memory, *places = old.places; /* of the inputs */
    *self = (tacho_execution){.program = old.program,
                              .threads = old.threads,
                              .taker = old.taker,
                              .choice = options.choice};
    tacho_arena_init(&self->arena);
    old.memory = old.places = NULL;
    free_parts(&old);
    tacho_status status = tacho_execution_prepare(self, &options);
    status = status == TACHO_OK ? run_with(self, inputs) : status;
    free(memory);
    free(places);
    self->counts = old.counts;
    self->memory_bytes = old.memory_bytes;
    self->has_run = true;
    self->is_lost = status != TACHO_OK;
    return status;
}

/* Outputs of a run with an invalid operation: where it lost NaN, by reference kernels, from the
 * same inputs. */
static tacho_status recompute(tacho_execution *self)
{
    tacho_array *inputs;
    TACHO_TRY(find_loss(self, &self->is_invalid));
    if (!self->is_invalid) {
        return TACHO_OK;
    }
    TACHO_TRY(list_inputs(self, &inputs));
    tacho_status status = self->program->step_count > self->twice_max ? become_exact(self, inputs)
                                                                      : run_exact(self, inputs);
    free(inputs);
    self->counts.recomputed += status == TACHO_OK ? 1 : 0;
    return status;
}

bool tacho_execution_computes_op(const tacho_execution *execution, uint32_t op)
{
    return !execution->is_lost && execution->op_tasks[op] < execution->op_tasks[op + 1];
}

tacho_status tacho_execution_run_op(tacho_execution *execution, uint32_t op)
{
    if (op >= execution->program->op_count) {
        return tacho_fail(TACHO_CODE_USAGE, "op %u was requested, but the program has %zu",
                          (unsigned)op, execution->program->op_count);
    }
    TACHO_TRY(check_whole(execution));
    bool is_last = op + 1 == execution->program->op_count;
    execution->has_run = execution->has_run || is_last;
    return run_watched(execution, execution->op_tasks[op], execution->op_tasks[op + 1], op == 0,
                       is_last);
}

tacho_status tacho_execution_run(tacho_execution *execution)
{
    TACHO_TRY(check_whole(execution));
    execution->has_run = true;
    return run_watched(execution, 0, (uint32_t)execution->task_count, true, true);
}

tacho_status tacho_execution_output(tacho_execution *execution, size_t index, tacho_array *out)
{
    const tacho_program *program = execution->program;
    *out = (tacho_array){0};
    if (index >= program->output_count) {
        return tacho_fail(TACHO_CODE_USAGE, "output %zu was requested, but the program has %zu",
                          index, program->output_count);
    }
    if (!execution->has_run) {
        return tacho_fail(TACHO_CODE_USAGE, "output %zu was requested before the program ran",
                          index);
    }
    TACHO_TRY(check_whole(execution));
    if (execution->is_invalid && !execution->is_recomputed) {
        TACHO_TRY(recompute(execution));
    }
    if (execution->is_recomputed) {
        return tacho_execution_output(execution->exact, index, out);
    }
    *out = tacho_value_array(&execution->values[program->outputs[index]]);
    return TACHO_OK;
}

uint64_t tacho_execution_peak_bytes(const tacho_execution *execution)
{
    return execution->memory_bytes;
}

tacho_execution_counts tacho_execution_count(const tacho_execution *execution)
{
    return execution->counts;
}
