/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of a program's tables, one or a few at a time: sizes, types, attributes, operators, who
 * reads what. An image of the result is whole again, so that nothing of it is lost on checks of
 * bytes.
 */
#ifndef TACHO_FUZZ_RUN_MUTATE_H
#define TACHO_FUZZ_RUN_MUTATE_H

#include "run_program.h"

static const char *const attr_names[] = {"axis",
                                         "axes",
                                         "perm",
                                         "pads",
                                         "strides",
                                         "dilations",
                                         "group",
                                         "auto_pad",
                                         "ceil_mode",
                                         "keepdims",
                                         "kernel_shape",
                                         "mode",
                                         "to",
                                         "k",
                                         "block_size",
                                         "blocksize",
                                         "batch_dims",
                                         "hidden_size",
                                         "direction",
                                         "size",
                                         "num_groups",
                                         "output_padding",
                                         "output_shape",
                                         "count_include_pad",
                                         "storage_order",
                                         "transA",
                                         "p",
                                         "noop_with_empty_axes",
                                         "allowzero",
                                         "select_last_index",
                                         "stash_type",
                                         "num_outputs",
                                         "layout",
                                         "clip",
                                         "input_forget",
                                         "saturate",
                                         "output_dtype",
                                         "kernel",
                                         "stride",
                                         "pad",
                                         "dilation",
                                         "round",
                                         "shift",
                                         "per_channel",
                                         "scale32",
                                         "double_round",
                                         "start",
                                         "end",
                                         "exclude_outside",
                                         "antialias",
                                         "extrapolation_value",
                                         "nearest_mode",
                                         "reduction",
                                         "broadcast"};

static void change_tensor(maker *self)
{
    tacho_program_tensor *tensor =
        &self->program.tensors[draw(self, (uint32_t)self->program.tensor_count)];
    tacho_shape *shape = &self->program.shapes[tensor->shape]; /* its own */
    switch (draw(self, 8)) {
    case 0:
        tensor->dtype = (uint16_t)draw(self, TACHO_DTYPE_COUNT);
        break;
    case 1:
        if (shape->rank >= 0 && shape->rank < TACHO_RANK_MAX) {
            shape->dims[shape->rank++] = 1 + draw(self, 4);
        }
        break;
    case 2:
        shape->rank -= shape->rank > 0 ? 1 : 0;
        break;
    case 3:
        tensor->storage = (uint16_t)draw(self, TACHO_STORAGE_COUNT);
        tensor->offset = place(self, tensor->bytes);
        break;
    default:
        if (shape->rank > 0) {
            int64_t number = draw_number(self);
            int64_t *dim = &shape->dims[draw(self, (uint32_t)shape->rank)];
            *dim = draw(self, 2) == 0 || *dim == INT64_MAX ? number
                                                           : *dim + (draw(self, 2) == 0 ? 1 : -1);
            *dim = *dim < -1 ? 0 : *dim;
        }
    }
    if (tensor->storage == TACHO_STORAGE_BYTES || tensor->storage == TACHO_STORAGE_SPLAT) {
        count_tensor(self, tensor);
        tensor->offset = tensor->offset % POOL_MAX / 16 * 16;
        if (tensor->offset + tensor->bytes > POOL_MAX && tensor->bytes <= POOL_MAX) {
            tensor->offset = 0;
        }
    }
    count_tensor(self, tensor);
}

/* A number of a constant that is read as integers, or of the pool somewhere. */
static void change_constant(maker *self)
{
    uint32_t id = draw(self, (uint32_t)self->program.tensor_count);
    const tacho_program_tensor *tensor = &self->program.tensors[id];
    size_t size = tacho_dtype_element_bytes((tacho_dtype)tensor->dtype);
    uint64_t at = tensor->storage == TACHO_STORAGE_BYTES ? tensor->offset : draw(self, POOL_MAX);
    if (size > 0 && size <= 8) {
        at += size * draw(self, (uint32_t)(tensor->bytes / size + 1));
        int64_t number = draw_number(self);
        float real = (float)number * (draw(self, 2) == 0 ? 1.0f : 0.3f);
        bool is_real = tensor->dtype == TACHO_DTYPE_F32;
        if (at + size <= POOL_MAX) {
            memcpy(self->pool + at, is_real ? (const void *)&real : (const void *)&number, size);
        }
    }
}

static void change_ints(maker *self, tacho_attr *attr)
{
    uint32_t count = attr->count;
    int64_t *ints = arena_room(self, (count + 1) * sizeof(*ints));
    if (count > 0) {
        memcpy(ints, attr->value.as_ints, count * sizeof(*ints));
    }
    if (draw(self, 8) == 0) {
        ints[count] = draw_number(self);
        attr->count = count + 1;
    } else if (draw(self, 12) == 0 && count > 0) {
        attr->count = count - 1;
    } else if (count > 0) {
        ints[draw(self, count)] = draw_number(self);
    }
    attr->value.as_ints = ints;
}

static void change_text(maker *self, tacho_attr *attr)
{
    static const char *const texts[] = {"SAME_UPPER",
                                        "SAME_LOWER",
                                        "VALID",
                                        "NOTSET",
                                        "reflect",
                                        "edge",
                                        "wrap",
                                        "constant",
                                        "linear",
                                        "cubic",
                                        "nearest",
                                        "CRD",
                                        "DCR",
                                        "add",
                                        "mul",
                                        "max",
                                        "min",
                                        "none",
                                        "mean",
                                        "sum",
                                        "forward",
                                        "reverse",
                                        "bidirectional",
                                        "align_corners",
                                        "asymmetric",
                                        "half_pixel",
                                        "pytorch_half_pixel",
                                        "tf_crop_and_resize",
                                        "half_pixel_symmetric",
                                        "not_smaller",
                                        "not_larger",
                                        "ij,jk->ik",
                                        "ii",
                                        "i,j->ij",
                                        "...ij->...ji",
                                        "tanh",
                                        "RIGHT",
                                        "bij,bjk",
                                        "i->",
                                        "BILINEAR",
                                        "NEAREST_NEIGHBOR",
                                        "floor",
                                        "round_prefer_ceil"};
    const char *text = texts[draw(self, sizeof(texts) / sizeof(texts[0]))];
    attr->kind = TACHO_ATTR_TEXT;
    attr->count = 0;
    attr->value.as_text = tacho_str_from_cstring(text);
}

static void change_attr(maker *self)
{
    tacho_program *program = &self->program;
    if (program->attr_count == 0) {
        return;
    }
    tacho_attr *attr = &program->attrs[draw(self, (uint32_t)program->attr_count)];
    if (draw(self, 16) == 0) {
        uint32_t name = draw(self, sizeof(attr_names) / sizeof(attr_names[0]));
        attr->name = tacho_str_from_cstring(attr_names[name]);
    }
    switch (attr->kind) {
    case TACHO_ATTR_INT:
        attr->value.as_int = draw_number(self);
        break;
    case TACHO_ATTR_REAL:
        attr->value.as_real = (double)draw_number(self) * 0.25;
        break;
    case TACHO_ATTR_INTS:
        change_ints(self, attr);
        break;
    case TACHO_ATTR_TENSOR:
        attr->value.as_tensor = draw(self, (uint32_t)program->tensor_count);
        break;
    case TACHO_ATTR_TEXT:
    case TACHO_ATTR_REALS:
    case TACHO_ATTR_TEXTS:
    case TACHO_ATTR_GRAPH:
    case TACHO_ATTR_OTHER:
        change_text(self, attr);
    }
}

/* One more attribute for the last step, whose attributes are the last. */
static void grow_attrs(maker *self)
{
    tacho_program *program = &self->program;
    tacho_step *last = &program->steps[program->step_count - 1];
    if (last->first_attr + last->attr_count != program->attr_count || last->attr_count > 12) {
        return;
    }
    const char *name = attr_names[draw(self, sizeof(attr_names) / sizeof(attr_names[0]))];
    tacho_attr attr = {.name = tacho_str_from_cstring(name)};
    uint32_t kind = draw(self, 3);
    if (kind == 0) {
        attr.value.as_int = draw_number(self);
    } else if (kind == 1) {
        int64_t *ints = arena_room(self, 4 * sizeof(*ints));
        attr.kind = TACHO_ATTR_INTS;
        attr.count = 1 + draw(self, 4);
        for (uint32_t i = 0; i < attr.count; i++) {
            ints[i] = draw_number(self);
        }
        attr.value.as_ints = ints;
    } else {
        change_text(self, &attr);
    }
    add_attr(self, attr);
    last->attr_count++;
}

static void change_step(maker *self)
{
    static const int32_t opsets[] = {1, 2, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 21, 23};
    tacho_program *program = &self->program;
    tacho_step *step = &program->steps[draw(self, (uint32_t)program->step_count)];
    uint32_t links = (uint32_t)step->input_count + step->output_count;
    tacho_str type;
    switch (draw(self, 7)) {
    case 6:
        step->when = draw(self, TACHO_WHEN_COUNT);
        break;
    case 0:
        (void)pick_call(self, &type);
        step->type = text_id(self, type.data, type.len);
        break;
    case 1:
        step->opset = opsets[draw(self, sizeof(opsets) / sizeof(opsets[0]))];
        break;
    case 2:
        step->input_count -= step->input_count > 0 && draw(self, 2) == 0 ? 1 : 0;
        step->attr_count -= step->attr_count > 0 && draw(self, 2) == 0 ? 1 : 0;
        break;
    case 3: /* an input becomes an output, or the other way round */
        if (step->input_count > 1) {
            step->input_count--;
            step->output_count++;
        }
        break;
    default:
        if (links > 0) {
            uint32_t tensor = draw(self, (uint32_t)program->tensor_count);
            program->links[step->first_link + draw(self, links)] =
                draw(self, 6) == 0 ? TACHO_NONE : tensor;
        }
    }
}

static void grow_steps(maker *self)
{
    if (self->program.step_count < STEPS_MAX && self->program.tensor_count < TENSORS_MAX) {
        append_any(self);
    }
}

/* What the steps have as inputs and outputs need not be what the program says. */
static void change_ends(maker *self)
{
    tacho_program *program = &self->program;
    uint32_t tensor = draw(self, (uint32_t)program->tensor_count);
    bool is_input = draw(self, 2) == 0;
    size_t count = is_input ? program->input_count : program->output_count;
    if (count > 0) {
        (is_input ? program->inputs : program->outputs)[draw(self, (uint32_t)count)] = tensor;
    }
}

static const tacho_dtype guesses[] = {TACHO_DTYPE_F32, TACHO_DTYPE_I32, TACHO_DTYPE_I8,
                                      TACHO_DTYPE_U8,  TACHO_DTYPE_I64, TACHO_DTYPE_BOOL};
enum { GUESSES = sizeof(guesses) / sizeof(guesses[0]) };

static void change(maker *self)
{
    static void (*const changes[])(maker * self) = {
        change_tensor, change_tensor, change_tensor,   change_constant, change_constant,
        change_attr,   change_attr,   change_attr,     grow_attrs,      change_step,
        grow_steps,    change_step,   change_constant,
    };
    self->guess = guesses[draw(self, GUESSES)];
    uint32_t count = draw(self, 4) > 0 ? 1 : 2 + draw(self, 2);
    for (uint32_t i = 0; i < count && self->program.tensor_count > 0; i++) {
        changes[draw(self, sizeof(changes) / sizeof(changes[0]))](self);
    }
    if (draw(self, 8) > 0) {
        refit(self);
    }
    finish_program(self);
    if (draw(self, 16) == 0) {
        change_ends(self);
    }
}

#endif
