/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs are read against the types and shapes of a program; of a model that is still being read,
 * one that has nothing but inputs.
 */
#include "session/run_inputs.h"

#include "base/grow.h"

static tacho_status make_lists(tacho_run_inputs *self, size_t count)
{
    void *memory;
    TACHO_TRY(tacho_arena_alloc(self->arena, (count + 1) * sizeof(*self->arrays), &memory));
    self->arrays = memory;
    TACHO_TRY(tacho_arena_alloc(self->arena, count + 1, &memory));
    self->is_random = memory;
    memset(self->is_random, 0, count + 1);
    self->count = count;
    return TACHO_OK;
}

tacho_status tacho_run_inputs_ensure(tacho_run_inputs *inputs, const tacho_program *program,
                                     bool makes)
{
    if (inputs->is_read && inputs->count == program->input_count) {
        return TACHO_OK;
    }
    TACHO_TRY(make_lists(inputs, program->input_count));
    TACHO_TRY(tacho_run_inputs_read(program, &inputs->texts, inputs->arena, inputs->arrays));
    inputs->random_count = 0;
    for (size_t i = 0; i < inputs->count && makes; i++) {
        if (inputs->arrays[i].data == NULL) {
            TACHO_TRY(tacho_run_input_random(program, i, inputs->seed, inputs->arena,
                                             &inputs->arrays[i]));
            inputs->is_random[i] = true;
            inputs->random_count++;
        }
    }
    inputs->is_read = true;
    return TACHO_OK;
}

static tacho_status add_input(tacho_program *program, const tacho_graph *graph, uint32_t id)
{
    const tacho_tensor *from = &graph->tensors[id];
    tacho_program_tensor tensor = {.dtype = (uint16_t)from->dtype, .storage = TACHO_STORAGE_INPUT};
    (void)tacho_tensor_bytes(from, &tensor.bytes);
    TACHO_TRY(tacho_strings_ensure(&program->strings, tacho_graph_string(graph, from->name),
                                   &tensor.name));
    TACHO_TRY(tacho_program_add_shape(program, from->shape, &tensor.shape));
    TACHO_TRY(tacho_grow(&program->tensors, &program->tensor_capacity, program->tensor_count + 1));
    TACHO_TRY(tacho_grow(&program->inputs, &program->input_capacity, program->input_count + 1));
    program->inputs[program->input_count++] = (uint32_t)program->tensor_count;
    program->tensors[program->tensor_count++] = tensor;
    return TACHO_OK;
}

static tacho_status read_early(tacho_run_inputs *self, const tacho_graph *graph,
                               tacho_program *program)
{
    for (size_t i = 0; i < graph->input_count; i++) {
        TACHO_TRY(add_input(program, graph, graph->inputs[i]));
    }
    return tacho_run_inputs_ensure(self, program, true);
}

static tacho_status give_input(void *self, const tacho_graph *graph, size_t index,
                               tacho_array *out_value)
{
    tacho_run_inputs *inputs = self;
    if (!inputs->is_read) {
        tacho_program program;
        tacho_status status = tacho_program_init(&program);
        if (status == TACHO_OK) {
            status = read_early(inputs, graph, &program);
        }
        tacho_program_deinit(&program);
        TACHO_TRY(status);
    }
    *out_value = inputs->arrays[index];
    return TACHO_OK;
}

static tacho_status give_shape(void *self, tacho_str name, size_t index, tacho_shape *out_shape)
{
    const tacho_run_inputs *inputs = self;
    return tacho_run_input_shape(&inputs->texts, name, index, out_shape);
}

void tacho_run_inputs_init(tacho_run_inputs *inputs, const tacho_run_input_texts *texts,
                           uint64_t seed, tacho_arena *arena)
{
    *inputs =
        (tacho_run_inputs){.texts = *texts,
                           .seed = seed,
                           .arena = arena,
                           .values = {.self = inputs, .input = give_input, .shape = give_shape}};
}
