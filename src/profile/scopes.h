/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scopes: which layer of the model, which line of its source and which step work belongs to, from
 * the spans around it (Python frames and modules, ranges that a program marks) and from locations.
 */
#ifndef TACHO_PROFILE_SCOPES_H
#define TACHO_PROFILE_SCOPES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>

typedef enum tacho_scope_kind {
    TACHO_SCOPE_NONE,
    TACHO_SCOPE_LAYER,    /* a module of the model, or a range that the program marks */
    TACHO_SCOPE_FRAME,    /* a function of the program, by its line in the source */
    TACHO_SCOPE_STEP,     /* all of one step: an iteration, an inference */
    TACHO_SCOPE_OPERATOR, /* an operator of a framework */
} tacho_scope_kind;

/* The role of a span for the work inside it. */
typedef struct tacho_scope {
    tacho_scope_kind kind;
    tacho_str name;     /* within that of the span */
    bool is_of_library; /* a frame of the framework itself, not of the user's program */
} tacho_scope;

/* The scope of spans |name| of |category|. Ranges named only by their step ("step_3") are steps;
 * which others are steps depends on all ranges: see profile/steps.h. */
tacho_scope tacho_scope_of(tacho_str category, tacho_str name);

/* Whether |name| is that of a marked step: "ProfilerStep#7". */
bool tacho_scope_is_step(tacho_str name);

/*
 * The layer and line of a location: the path of its layer, "encoder/layer.3", and its line,
 * "model.py:12"; empty where unknown. The layer is the second name of a location, as MLIR nests
 * them, or all but the last component of a name that is a path. Both live in |arena|.
 */
tacho_status tacho_scope_of_location(tacho_str text, tacho_arena *arena, tacho_str *out_layer,
                                     tacho_str *out_line) TACHO_MUST_USE;

/* All but the last component of a node's name that is a path: "encoder/layer.3" of
 * "/encoder/layer.3/MatMul"; else empty. */
tacho_str tacho_scope_of_node(tacho_str name);

#endif
