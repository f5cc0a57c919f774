/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests: programs made by hand, tensor by tensor and step by step, that can be executed.
 */
#ifndef TACHO_DEVICE_EXECUTE_TESTING_H
#define TACHO_DEVICE_EXECUTE_TESTING_H

#include "base/grow.h"
#include "base/index.h"
#include "device/execute.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static inline uint32_t text(tacho_program *program, const char *string)
{
    uint32_t id = 0;
    assert_null(tacho_strings_ensure(&program->strings, tacho_str_from_cstring(string), &id));
    return id;
}

static inline uint32_t add_tensor(tacho_program *program, const char *name, tacho_dtype dtype,
                                  tacho_storage storage, tacho_shape shape)
{
    uint64_t count = 0, bytes = 0;
    (void)tacho_shape_elements(&shape, &count);
    (void)tacho_dtype_bytes(dtype, count, &bytes);
    uint32_t shape_id = 0;
    assert_null(tacho_program_add_shape(program, &shape, &shape_id));
    assert_null(
        tacho_grow(&program->tensors, &program->tensor_capacity, program->tensor_count + 1));
    program->tensors[program->tensor_count] = (tacho_program_tensor){text(program, name),
                                                                     (uint16_t)dtype,
                                                                     (uint16_t)storage,
                                                                     0,
                                                                     bytes,
                                                                     shape_id,
                                                                     (uint16_t)dtype,
                                                                     0};
    return (uint32_t)program->tensor_count++;
}

/* Attributes that the next step has. */
static inline void add_attr(tacho_program *program, tacho_attr attr)
{
    assert_null(tacho_grow(&program->attrs, &program->attr_capacity, program->attr_count + 1));
    program->attrs[program->attr_count++] = attr;
}

/* Inputs end with TACHO_NONE - 1; TACHO_NONE is one that is absent. One output. Attributes are
 * those that were added since the last step. Steps of the same op follow one another. */
enum { INPUTS_END = -2 };

static inline void add_step(tacho_program *program, uint32_t op, const char *type,
                            const uint32_t *inputs, uint32_t output)
{
    tacho_step step = {.op = op,
                       .type = text(program, type),
                       .opset = 13,
                       .first_link = (uint32_t)program->link_count,
                       .output_count = 1};
    if (program->step_count > 0) {
        const tacho_step *before = &program->steps[program->step_count - 1];
        step.first_attr = before->first_attr + before->attr_count;
    }
    step.attr_count = (uint32_t)program->attr_count - step.first_attr;
    for (; inputs[step.input_count] != (uint32_t)INPUTS_END; step.input_count++) {
    }
    assert_null(tacho_grow(&program->links, &program->link_capacity,
                           program->link_count + step.input_count + 1u));
    for (size_t i = 0; i < step.input_count; i++) {
        program->links[program->link_count++] = inputs[i];
    }
    program->links[program->link_count++] = output;
    assert_null(tacho_grow(&program->ops, &program->op_capacity, op + 1));
    for (; program->op_count <= op; program->op_count++) {
        program->ops[program->op_count] = (tacho_program_op){
            .name = text(program, "/block/op"),
            .type = step.type,
            .location = text(program, "m.py:7"),
            .first_step = (uint32_t)program->step_count,
        };
    }
    program->ops[op].step_count++;
    assert_null(tacho_grow(&program->steps, &program->step_capacity, program->step_count + 1));
    program->steps[program->step_count++] = step;
}

static inline void add_ends(tacho_program *program, uint32_t input, uint32_t output)
{
    assert_null(tacho_grow(&program->inputs, &program->input_capacity, 1));
    assert_null(tacho_grow(&program->outputs, &program->output_capacity, 1));
    program->inputs[program->input_count++] = input;
    program->outputs[program->output_count++] = output;
}

#endif
