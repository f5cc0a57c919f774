/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gate: checks of the calls of a program before kernels run them. Kernels trust types, shapes and
 * attributes as far as they were checked; a program from a file may contain anything.
 */
#ifndef TACHO_KERNELS_GATE_H
#define TACHO_KERNELS_GATE_H

#include "kernels/kernel.h"

typedef struct tacho_gate {
    /* A state for any number of checks, one after the other. */
    tacho_status (*open)(void **out_self);
    /*
     * Whether |call| is a valid call of operator |type|: else BAD_DATA with the reason. Inputs have
     * |data| where they are constants that may decide a shape; outputs have types and shapes alone.
     * |out_work| is how many elementary operations it takes, about, and never far less.
     */
    tacho_status (*check)(void *self, tacho_str type, const tacho_kernel_call *call,
                          uint64_t *out_work);
    void (*close)(void *self);
} tacho_gate;

/* Elements that a constant has at most whose values decide a shape, but for a list of parts. */
enum { TACHO_GATE_VALUES_MAX = 64 };

#endif
