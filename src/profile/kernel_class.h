/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel computes, from its name as compilers, libraries and frameworks spell it, and the
 * direction of a copy.
 */
#ifndef TACHO_PROFILE_KERNEL_CLASS_H
#define TACHO_PROFILE_KERNEL_CLASS_H

#include "base/str.h"

/* The classes: id, word for people. */
#define TACHO_KERNEL_CLASSES(X)                                                                    \
    X(OTHER, "other")                                                                              \
    X(PRODUCT, "product")     /* of matrices; convolutions */                                      \
    X(ATTENTION, "attention") /* in one kernel */                                                  \
    X(NORM, "normalisation")                                                                       \
    X(SOFTMAX, "softmax")                                                                          \
    X(ELEMENTWISE, "elementwise")                                                                  \
    X(COPY, "copy or cast")    /* by a kernel: of another type or order */                         \
    X(LAYOUT, "layout change") /* between orders of dimensions */                                  \
    X(REDUCTION, "reduction")                                                                      \
    X(OPTIMIZER, "optimiser") /* many tensors at once */                                           \
    X(TRANSFER, "transfer")   /* a copy or fill by the driver */                                   \
    X(COMMUNICATION, "communication")

typedef enum tacho_kernel_class {
#define TACHO_KERNEL_CLASS_ENUM(id, word) TACHO_KERNEL_##id,
    TACHO_KERNEL_CLASSES(TACHO_KERNEL_CLASS_ENUM)
#undef TACHO_KERNEL_CLASS_ENUM
        TACHO_KERNEL_CLASS_COUNT,
} tacho_kernel_class;

const char *tacho_kernel_class_name(tacho_kernel_class kind);

typedef enum tacho_copy_way {
    TACHO_COPY_NONE,      /* no copy, or of unknown direction */
    TACHO_COPY_TO_DEVICE, /* from memory that is or may be pinned */
    TACHO_COPY_PAGED,     /* to or from pageable memory: the driver copies twice */
    TACHO_COPY_FROM_DEVICE,
    TACHO_COPY_WITHIN_DEVICE,
    TACHO_COPY_WAY_COUNT,
} tacho_copy_way;

typedef struct tacho_kernel_traits {
    tacho_kernel_class kind;
    tacho_copy_way way;
    bool is_f32;        /* operands of 32 bits, none of fewer */
    bool is_half;       /* operands of 16 bits or fewer */
    bool is_scalar;     /* a product in f32 on the vector units, not on those for matrices */
    bool is_misaligned; /* a product of 16-bit operands whose sizes are no multiple of 8 */
} tacho_kernel_traits;

/* The traits of work |name| of |category|. */
tacho_kernel_traits tacho_kernel_traits_of(tacho_str category, tacho_str name);

#endif
