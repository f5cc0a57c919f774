/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points from PyTorch's profiler. A host span with Input Dims is the call of an operator; its time
 * is that of the kernels that it launched (estimates/roofline/roof_links.h) or that name it
 * (External id). In a trace without kernels, the innermost known calls have their own time.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOF_TORCH_H
#define TACHO_ESTIMATES_ROOFLINE_ROOF_TORCH_H

#include "estimates/roofline/roof_aten.h"
#include "estimates/roofline/roof_links.h"
#include "estimates/roofline/roofline.h"

/* An operator with operands of certain shapes. */
typedef struct tacho_torch_kind {
    tacho_str name, type; /* "aten::addmm 1024x768x768", "aten::addmm" */
    tacho_roof_work work;
} tacho_torch_kind;

/* A call of such an operator. */
typedef struct tacho_torch_call {
    uint64_t external; /* its number in kernels */
    uint32_t part;
    uint32_t kind; /* TACHO_NONE: not known */
    int64_t ns;
    uint32_t outer; /* call around it, or TACHO_NONE */
    bool has_external;
    bool has_inner; /* a known call inside */
    bool is_inside; /* inside a known call */
} tacho_torch_call;

typedef struct tacho_torch_kernel {
    uint64_t serial; /* among all spans */
    uint64_t external;
    bool has_external;
    uint32_t part;
    uint32_t call; /* once found; TACHO_NONE: none */
    int64_t ns;
} tacho_torch_kernel;

/* The open calls of one track. */
typedef struct tacho_torch_stack {
    struct tacho_torch_open {
        int64_t end;
        uint32_t call;
    } * items;
    size_t item_count, item_capacity;
} tacho_torch_stack;

typedef struct tacho_torch {
    tacho_dict *dict;
    bool is_ready;
    tacho_roof_links *links; /* from the first row on */
    tacho_aten_keys keys;
    uint32_t external_keys[2]; /* strings: the current name and the former one */
    tacho_arena arena;
    tacho_torch_kind *kinds;
    size_t kind_count, kind_capacity;
    tacho_index index; /* of kinds, by name */
    tacho_torch_call *calls;
    size_t call_count, call_capacity;
    tacho_torch_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    tacho_torch_stack *stacks; /* by track */
    size_t stack_count, stack_capacity;
} tacho_torch;

void tacho_torch_init(tacho_torch *torch, tacho_dict *dict);
void tacho_torch_deinit(tacho_torch *torch);

/* Takes |row|, a span in track order, if it is a call or a kernel; tacho_torch_join takes the
 * arrows between them. */
tacho_status tacho_torch_take(tacho_torch *torch, const tacho_row *row,
                              bool *out_is_taken) TACHO_MUST_USE;

tacho_status tacho_torch_join(tacho_torch *torch, const tacho_row *row) TACHO_MUST_USE;
tacho_status tacho_torch_end_part(tacho_torch *torch, uint32_t part) TACHO_MUST_USE;

/* Finds the roof of a part. */
typedef struct tacho_torch_roofs {
    tacho_status (*find)(void *self, uint32_t part, uint32_t *out_roof);
    void *self;
} tacho_torch_roofs;

/* Adds all points once the last row is taken; sorts the kernels. */
tacho_status tacho_torch_add_points(tacho_torch *torch, const tacho_torch_roofs *roofs,
                                    tacho_roofline *line) TACHO_MUST_USE;

#endif
