/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of control flow as nodes.
 */
#include "graph/unroll.h"

#include "base/grow.h"
#include "graph/expand.h"
#include "graph/probe.h"

#include <inttypes.h>
#include <stdlib.h>

/* Values that an operator gives or takes, and results of steps that it collects. */
enum { WIDE_MAX = 1024, KEPT_MAX = 1 << 18 };

typedef enum operator_kind { BRANCHES, LOOP, SCAN } operator_kind;

struct tacho_unroll {
    tacho_graph *graph;
    uint32_t node;
    tacho_node origin;
    operator_kind kind;
    int64_t step;       /* the next one */
    int64_t steps_max;  /* of a loop; -1: as many as its condition allows */
    uint32_t active;    /* of a loop: whether it still runs, TACHO_NONE while that is certain */
    bool is_over;       /* of a loop: certain that it does not run any more */
    bool decides;       /* by the values that the network is read with */
    bool was_decided;   /* something of it has been */
    bool is_dry;        /* no step is made: one was read for the types of its results */
    size_t guard_first; /* nodes of the graph from here on work out |guard|, always ... */
    size_t body_first;  /* ... and from here on have it */
    tacho_guard guard;
    size_t carried_count;
    uint32_t *carried; /* tensors that a step hands to the next */
    uint32_t *given;   /* by the step before: all outputs of its graph */
    uint32_t *inputs;  /* of the next step */
    size_t given_count, input_count;
    uint32_t *kept; /* collected results: of each step one after another */
    size_t kept_count, kept_capacity;
};

/* ---- known values --------------------------------------------------------------------------- */

/* A fault of the model names the operator; for an unsupported form a note does. */
static tacho_status fail(const tacho_unroll *self, tacho_code code, const char *why)
{
    return code == TACHO_CODE_BAD_DATA
               ? tacho_infer_fail(&(tacho_infer){self->graph, &self->origin}, "%s", why)
               : tacho_fail(code, "%s", why);
}

static uint32_t input_of(const tacho_unroll *self, size_t i)
{
    return i < self->origin.input_count ? self->graph->links[self->origin.first_input + i]
                                        : TACHO_NONE;
}

static int64_t attr_int(const tacho_unroll *self, const char *name, int64_t fallback)
{
    return tacho_attr_int(tacho_graph_attrs(self->graph, &self->origin), self->origin.attr_count,
                          name, fallback);
}

/* The bytes of the one element of a constant, or NULL. */
static const unsigned char *element_of(const tacho_graph *graph, uint32_t tensor, tacho_dtype dtype)
{
    uint64_t count;
    const tacho_tensor *of = &graph->tensors[tensor];
    if (of->constant == TACHO_NONE || of->dtype != dtype ||
        !tacho_shape_elements(of->shape, &count) || count != 1) {
        return NULL;
    }
    const tacho_constant *constant = &graph->constants[of->constant];
    return constant->kind == TACHO_CONSTANT_SPLAT   ? constant->splat
           : constant->kind == TACHO_CONSTANT_BYTES ? constant->bytes
                                                    : NULL;
}

/* A condition is one bool, a number of steps one int64, as far as that is known by now. */
static tacho_status check_scalar(const tacho_unroll *self, tacho_dtype found,
                                 const tacho_shape *shape, tacho_dtype wanted)
{
    uint64_t count;
    bool is_wrong = (found != TACHO_DTYPE_NONE && found != wanted) ||
                    (tacho_shape_elements(shape, &count) && count != 1);
    return is_wrong ? fail(self, TACHO_CODE_BAD_DATA,
                           wanted == TACHO_DTYPE_BOOL ? "its condition is not one bool"
                                                      : "its number of steps is not one int64")
                    : TACHO_OK;
}

static tacho_status check_tensor(const tacho_unroll *self, uint32_t tensor, tacho_dtype wanted)
{
    const tacho_tensor *of = &self->graph->tensors[tensor];
    return check_scalar(self, of->dtype, of->shape, wanted);
}

/*
 * The one element of |tensor|: a constant, or where steps are decided by the values that the
 * network is read with, the result of these. That is checked when it runs.
 */
static tacho_status read_scalar(tacho_unroll *self, uint32_t tensor, tacho_dtype dtype,
                                void *out_element, bool *out_is_known)
{
    const unsigned char *known = element_of(self->graph, tensor, dtype);
    size_t size = tacho_dtype_element_bytes(dtype);
    *out_is_known = known != NULL;
    if (known != NULL) {
        memcpy(out_element, known, size);
        return TACHO_OK;
    }
    TACHO_TRY(check_tensor(self, tensor, dtype));
    if (self->graph->probe == NULL || (!self->decides && dtype == TACHO_DTYPE_BOOL)) {
        return TACHO_OK;
    }
    tacho_array value;
    TACHO_TRY(tacho_probe_value(self->graph->probe, tensor, &value));
    TACHO_TRY(check_scalar(self, value.dtype, &value.shape, dtype));
    memcpy(out_element, value.data, size);
    *out_is_known = self->was_decided = true;
    return tacho_probe_expect(self->graph->probe, tensor, &self->origin);
}

/* ---- building ------------------------------------------------------------------------------- */

static tacho_expander open_expander(const tacho_unroll *self)
{
    return (tacho_expander){.graph = self->graph,
                            .origin = self->origin,
                            .first_node = self->graph->node_count,
                            .status = TACHO_OK};
}

static uint32_t scalar_of(tacho_expander *expander, uint32_t condition);

/* The condition of a guard, in a tensor that is true when it is met. */
static uint32_t condition_of(tacho_expander *expander, tacho_guard guard)
{
    uint32_t condition = scalar_of(expander, guard.condition);
    return guard.when == TACHO_WHEN_TRUE ? condition : TACHO_EXPAND_OP(expander, "Not", condition);
}

/* The guard of the graph that the operator enters next: its own, and |inner|. */
static tacho_status set_guard(tacho_unroll *self, tacho_guard inner)
{
    tacho_guard outer = self->origin.guard;
    tacho_expander expander = open_expander(self);
    self->guard_first = self->graph->node_count;
    self->guard = outer.when == TACHO_WHEN_ALWAYS ? inner : outer;
    if (outer.when != TACHO_WHEN_ALWAYS && inner.when != TACHO_WHEN_ALWAYS) {
        uint32_t a = condition_of(&expander, outer), b = condition_of(&expander, inner);
        self->guard = (tacho_guard){TACHO_WHEN_TRUE, TACHO_EXPAND_OP(&expander, "And", a, b)};
    }
    return expander.status;
}

tacho_guard tacho_unroll_guard(const tacho_unroll *self, size_t node)
{
    return node >= self->body_first    ? self->guard
           : node >= self->guard_first ? (tacho_guard){TACHO_WHEN_ALWAYS, TACHO_NONE}
                                       : self->origin.guard;
}

/*
 * Reads a graph of the operator: its inputs are |inputs|, its outputs go to |given|. |guard| is
 * the condition of its nodes.
 */
static tacho_status enter(tacho_unroll *self, tacho_body body, tacho_guard guard)
{
    TACHO_TRY(set_guard(self, guard));
    self->body_first = self->graph->node_count;
    const tacho_branches *branches = &self->graph->branches;
    tacho_body_use use = {.node = self->node,
                          .body = body,
                          .inputs = self->inputs,
                          .input_count = self->input_count,
                          .outputs = self->given,
                          .output_count = self->given_count};
    return branches->enter(branches->self, &use);
}

/* Reads a step that is not made, to find the types of its results. */
static tacho_status enter_dry(tacho_unroll *self, tacho_expander *expander)
{
    uint32_t never = tacho_expand_int_number(expander, TACHO_DTYPE_BOOL, 0);
    TACHO_TRY(expander->status);
    return enter(self, TACHO_BODY_STEP, (tacho_guard){TACHO_WHEN_TRUE, never});
}

/* A condition without dimensions. */
static uint32_t scalar_of(tacho_expander *expander, uint32_t condition)
{
    return expander->graph->tensors[condition].shape->rank == 0
               ? condition
               : TACHO_EXPAND_OP(expander, "Squeeze", condition);
}

static uint32_t choose(const tacho_unroll *self, tacho_expander *expander, uint32_t condition,
                       uint32_t a, uint32_t b)
{
    if (a == b) {
        return a;
    }
    tacho_expand_set_int(expander, "equal_shapes",
                         self->kind == BRANCHES ? TACHO_CHOICE_IF : TACHO_CHOICE_LOOP);
    return TACHO_EXPAND_OP(expander, "Where", condition, a, b);
}

/* ---- If -------------------------------------------------------------------------------------- */

/* The branch that the probe takes, then its outputs. */
static tacho_status next_decided(tacho_unroll *self, bool *out_is_done)
{
    const char *names[] = {"else", "then"};
    unsigned char is_true = 0;
    bool is_known;
    *out_is_done = self->step > 0;
    if (!*out_is_done) {
        TACHO_TRY(read_scalar(self, input_of(self, 0), TACHO_DTYPE_BOOL, &is_true, &is_known));
        self->step++;
        tacho_graph_add_note(self->graph, "the If at %.60s takes its %s branch with these inputs",
                             tacho_graph_string(self->graph, self->origin.location).data,
                             names[is_true != 0]);
        return enter(self, is_true != 0 ? TACHO_BODY_THEN : TACHO_BODY_ELSE,
                     (tacho_guard){TACHO_WHEN_ALWAYS, TACHO_NONE});
    }
    tacho_expander expander = open_expander(self);
    for (size_t i = 0; i < self->given_count; i++) {
        tacho_expand_return(&expander, i, self->given[i]);
    }
    return expander.status;
}

/* The then branch, the else branch, the choice. */
static tacho_status next_branch(tacho_unroll *self, bool *out_is_done)
{
    if (self->decides) {
        return next_decided(self, out_is_done);
    }
    tacho_body body = self->step == 0 ? TACHO_BODY_THEN : TACHO_BODY_ELSE;
    for (size_t i = 0; self->step == 1 && i < self->given_count; i++) {
        self->carried[i] = self->given[i];
    }
    *out_is_done = self->step == 2;
    if (!*out_is_done) {
        tacho_when when = self->step == 0 ? TACHO_WHEN_TRUE : TACHO_WHEN_FALSE;
        self->step++;
        return enter(self, body, (tacho_guard){when, input_of(self, 0)});
    }
    tacho_expander expander = open_expander(self);
    uint32_t condition = scalar_of(&expander, input_of(self, 0));
    for (size_t i = 0; i < self->given_count; i++) {
        tacho_expand_return(&expander, i,
                            choose(self, &expander, condition, self->carried[i], self->given[i]));
    }
    return expander.status;
}

/* ---- collected results of steps -------------------------------------------------------------- */

/* Keeps the collected outputs of a step, from |first| on. */
static tacho_status keep(tacho_unroll *self, size_t first)
{
    if (self->kept_count > KEPT_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "its steps give more than %d results", (int)KEPT_MAX);
    }
    for (size_t i = first; i < self->given_count; i++) {
        TACHO_TRY(tacho_grow(&self->kept, &self->kept_capacity, self->kept_count + 1));
        self->kept[self->kept_count++] = self->given[i];
    }
    return TACHO_OK;
}

/* The collected result of no steps: of the type and shape that a step would give, but empty. */
static uint32_t stack_nothing(const tacho_unroll *self, tacho_expander *expander, uint32_t given,
                              int64_t axis)
{
    const tacho_tensor *like = &self->graph->tensors[given];
    tacho_shape shape = {.rank = like->shape->rank + 1};
    if (tacho_dtype_element_bytes(like->dtype) == 0 || !tacho_shape_is_known(like->shape) ||
        shape.rank > TACHO_RANK_MAX || axis < 0 || axis >= shape.rank) {
        expander->status = fail(self, TACHO_CODE_UNSUPPORTED,
                                "it makes no step, so the type and shape of what it collects are "
                                "unknown");
        return TACHO_NONE;
    }
    for (int32_t i = 0, from = 0; i < shape.rank; i++) {
        shape.dims[i] = i == axis ? 0 : like->shape->dims[from++];
    }
    return tacho_expand_splat(expander, like->dtype, &shape, 0);
}

/* The results of steps, stacked along a new dimension |axis|. */
static uint32_t stack(const tacho_unroll *self, tacho_expander *expander, size_t which,
                      int64_t axis, bool is_reversed)
{
    size_t each = self->given_count - (self->kind == LOOP ? 1 : 0) - self->carried_count;
    size_t count = each > 0 ? self->kept_count / each : 0;
    if (self->is_dry) {
        return stack_nothing(self, expander, self->given[self->given_count - each + which], axis);
    }
    uint32_t *parts = calloc(count + 1, sizeof(*parts));
    if (parts == NULL) {
        expander->status = tacho_no_memory();
        return TACHO_NONE;
    }
    uint32_t at = TACHO_EXPAND_INTS(expander, axis);
    for (size_t i = 0; i < count; i++) {
        size_t step = is_reversed ? count - 1 - i : i;
        parts[i] = TACHO_EXPAND_OP(expander, "Unsqueeze", self->kept[step * each + which], at);
    }
    tacho_expand_set_int(expander, "axis", axis);
    uint32_t made = tacho_expand_add(expander, "Concat", parts, count, 1);
    free(parts);
    return made;
}

/* ---- Loop ------------------------------------------------------------------------------------ */

/* Takes the outputs of the last step: its condition, carried tensors, collected results. */
static tacho_status take_step(tacho_unroll *self, tacho_expander *expander)
{
    uint32_t condition = self->given[0];
    unsigned char goes_on = 1;
    bool is_known;
    TACHO_TRY(read_scalar(self, condition, TACHO_DTYPE_BOOL, &goes_on, &is_known));
    for (size_t i = 0; i < self->carried_count; i++) {
        uint32_t made = self->given[1 + i];
        self->carried[i] = self->active == TACHO_NONE
                               ? made
                               : choose(self, expander, self->active, made, self->carried[i]);
    }
    self->is_over = is_known && goes_on == 0;
    if (!is_known) {
        condition = scalar_of(expander, condition);
        self->active = self->active == TACHO_NONE
                           ? condition
                           : TACHO_EXPAND_OP(expander, "And", self->active, condition);
    }
    return keep(self, 1 + self->carried_count);
}

static bool collects(const tacho_unroll *self)
{
    return self->given_count > 1 + self->carried_count;
}

/* Whether all possible steps can be made, and those after its end skipped. */
static bool is_bounded(const tacho_unroll *self)
{
    return self->steps_max >= 0 && self->steps_max <= TACHO_UNROLL_STEPS_MAX;
}

static tacho_status check_loop(const tacho_unroll *self, bool is_last)
{
    if (self->active != TACHO_NONE && collects(self)) {
        return fail(self, TACHO_CODE_UNSUPPORTED,
                    "how many steps it makes is known only when it runs, and so is the size of "
                    "what it collects");
    }
    if (self->active != TACHO_NONE && !is_bounded(self)) {
        return fail(self, TACHO_CODE_UNSUPPORTED,
                    "it runs until a condition that is known only when it runs, and no constant "
                    "says how many steps it makes at most");
    }
    if (!is_last && self->step >= TACHO_UNROLL_STEPS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "it makes more than %d steps",
                          (int)TACHO_UNROLL_STEPS_MAX);
    }
    return TACHO_OK;
}

static tacho_status finish_loop(tacho_unroll *self, tacho_expander *expander)
{
    for (size_t i = 0; i < self->carried_count; i++) {
        tacho_expand_return(expander, i, self->carried[i]);
    }
    size_t collected = self->given_count - 1 - self->carried_count;
    for (size_t i = 0; i < collected && expander->status == TACHO_OK; i++) {
        tacho_expand_return(expander, self->carried_count + i, stack(self, expander, i, 0, false));
    }
    if (self->was_decided && expander->status == TACHO_OK) {
        tacho_graph_add_note(self->graph,
                             "the Loop at %.60s makes %" PRId64 " steps with these inputs",
                             tacho_graph_string(self->graph, self->origin.location).data,
                             self->is_dry ? 0 : self->step);
    }
    if (self->active != TACHO_NONE && self->step > 1 && expander->status == TACHO_OK) {
        tacho_graph_add_note(self->graph,
                             "the Loop at %.60s is counted with all its %" PRId64
                             " steps; a run computes none behind its end",
                             tacho_graph_string(self->graph, self->origin.location).data,
                             self->step);
    }
    return expander->status;
}

static tacho_status next_iteration(tacho_unroll *self, bool *out_is_done)
{
    tacho_expander expander = open_expander(self);
    if (self->step > 0 && !self->is_dry) {
        TACHO_TRY(take_step(self, &expander));
        TACHO_TRY(expander.status);
    }
    bool is_over = self->is_over || self->step == self->steps_max;
    *out_is_done = self->is_dry || (is_over && (self->step > 0 || !collects(self)));
    TACHO_TRY(check_loop(self, *out_is_done));
    if (*out_is_done) {
        return finish_loop(self, &expander);
    }
    self->is_dry = is_over;
    self->inputs[0] = tacho_expand_int_number(&expander, TACHO_DTYPE_I64, self->step);
    self->inputs[1] = self->active != TACHO_NONE
                          ? self->active
                          : tacho_expand_int_number(&expander, TACHO_DTYPE_BOOL, 1);
    TACHO_TRY(expander.status);
    for (size_t i = 0; i < self->carried_count; i++) {
        self->inputs[2 + i] = self->carried[i];
    }
    self->step++;
    if (self->is_dry) {
        return enter_dry(self, &expander);
    }
    bool is_certain = self->active == TACHO_NONE;
    return enter(self, TACHO_BODY_STEP,
                 (tacho_guard){is_certain ? TACHO_WHEN_ALWAYS : TACHO_WHEN_TRUE, self->active});
}

/* Inputs: the most steps, the condition, the first step's carried tensors. */
static tacho_status begin_loop(tacho_unroll *self)
{
    uint32_t most = input_of(self, 0), condition = input_of(self, 1);
    self->carried_count = self->origin.input_count > 2 ? self->origin.input_count - 2 : 0;
    self->input_count = self->carried_count + 2;
    self->given_count = (size_t)self->origin.output_count + 1;
    if (self->given_count < self->carried_count + 1) {
        return fail(self, TACHO_CODE_BAD_DATA, "it gives less than it hands on");
    }
    bool is_known;
    self->steps_max = -1;
    if (most != TACHO_NONE) {
        TACHO_TRY(read_scalar(self, most, TACHO_DTYPE_I64, &self->steps_max, &is_known));
        if (!is_known) {
            return fail(self, TACHO_CODE_UNSUPPORTED,
                        "how many steps it makes at most is known only when it runs; if an input "
                        "says it, fix that input");
        }
        self->steps_max = self->steps_max < 0 ? 0 : self->steps_max;
    }
    self->decides = self->decides || collects(self) || !is_bounded(self);
    if (condition != TACHO_NONE) {
        unsigned char is_begun = 1;
        TACHO_TRY(read_scalar(self, condition, TACHO_DTYPE_BOOL, &is_begun, &is_known));
        self->is_over = is_known && is_begun == 0;
        self->active = is_known ? TACHO_NONE : condition;
    }
    return TACHO_OK;
}

/* ---- Scan ------------------------------------------------------------------------------------ */

/* The |i|-th number of a list of attributes; 0 where it has none. */
static int64_t listed(const tacho_unroll *self, const char *name, size_t i)
{
    size_t count;
    const int64_t *ints = tacho_attr_ints(tacho_graph_attrs(self->graph, &self->origin),
                                          self->origin.attr_count, name, &count);
    return ints != NULL && i < count ? ints[i] : 0;
}

/* Which dimension of sequence |i| the steps go along; -1 when its shape is not known. */
static int32_t axis_of(const tacho_unroll *self, size_t i)
{
    uint32_t tensor = input_of(self, self->carried_count + i);
    const tacho_shape *shape = tensor == TACHO_NONE ? NULL : self->graph->tensors[tensor].shape;
    int64_t axis = listed(self, "scan_input_axes", i);
    if (shape == NULL || !tacho_shape_is_known(shape)) {
        return -1;
    }
    axis += axis < 0 ? shape->rank : 0;
    return axis >= 0 && axis < shape->rank ? (int32_t)axis : -1;
}

/* States, sequences. */
static tacho_status begin_scan(tacho_unroll *self)
{
    int64_t sequences = attr_int(self, "num_scan_inputs", 0);
    if (self->origin.opset < 9) {
        return fail(self, TACHO_CODE_UNSUPPORTED, "Scan of opset 8 is not supported");
    }
    if (sequences < 1 || sequences > self->origin.input_count ||
        self->origin.output_count < self->origin.input_count - sequences) {
        return fail(self, TACHO_CODE_BAD_DATA, "num_scan_inputs does not fit what it reads");
    }
    self->input_count = self->origin.input_count;
    self->carried_count = self->input_count - (size_t)sequences;
    self->given_count = self->origin.output_count;
    for (size_t i = 0; i < (size_t)sequences; i++) {
        int32_t axis = axis_of(self, i);
        if (axis < 0) {
            return fail(self, TACHO_CODE_UNSUPPORTED, "the shape of a sequence is not known");
        }
        uint32_t tensor = input_of(self, self->carried_count + i);
        int64_t steps = self->graph->tensors[tensor].shape->dims[axis];
        if (i > 0 && steps != self->steps_max) {
            return fail(self, TACHO_CODE_BAD_DATA, "its sequences have different lengths");
        }
        self->steps_max = steps;
    }
    return is_bounded(self) ? TACHO_OK
                            : tacho_fail(TACHO_CODE_LIMIT, "it makes more than %d steps",
                                         (int)TACHO_UNROLL_STEPS_MAX);
}

/* An element such as a sequence without any would have. */
static uint32_t no_element(const tacho_unroll *self, tacho_expander *expander, size_t i)
{
    const tacho_tensor *sequence = &self->graph->tensors[input_of(self, self->carried_count + i)];
    tacho_shape shape = {.rank = sequence->shape->rank - 1};
    for (int32_t k = 0, to = 0; k < sequence->shape->rank; k++) {
        if (k != axis_of(self, i)) {
            shape.dims[to++] = sequence->shape->dims[k];
        }
    }
    return tacho_expand_splat(expander, sequence->dtype, &shape, 0);
}

static uint32_t element_at(const tacho_unroll *self, tacho_expander *expander, size_t i)
{
    if (self->is_dry) {
        return no_element(self, expander, i);
    }
    int32_t axis = axis_of(self, i);
    bool is_reversed = listed(self, "scan_input_directions", i) != 0;
    int64_t at = is_reversed ? self->steps_max - 1 - self->step : self->step;
    uint32_t part =
        tacho_expand_slice(expander, input_of(self, self->carried_count + i), axis, at, at + 1);
    return TACHO_EXPAND_OP(expander, "Squeeze", part, TACHO_EXPAND_INTS(expander, axis));
}

static tacho_status finish_scan(tacho_unroll *self, tacho_expander *expander)
{
    for (size_t i = 0; i < self->carried_count; i++) {
        tacho_expand_return(expander, i, self->carried[i]);
    }
    for (size_t i = 0; i < self->given_count - self->carried_count; i++) {
        uint32_t first = self->given[self->carried_count + i];
        int64_t axis = listed(self, "scan_output_axes", i);
        int32_t rank = self->graph->tensors[first].shape->rank;
        axis += axis < 0 ? rank + 1 : 0;
        TACHO_TRY(expander->status);
        tacho_expand_return(
            expander, self->carried_count + i,
            stack(self, expander, i, axis, listed(self, "scan_output_directions", i) != 0));
    }
    return expander->status;
}

static tacho_status next_element(tacho_unroll *self, bool *out_is_done)
{
    tacho_expander expander = open_expander(self);
    if (self->step > 0 && !self->is_dry) {
        for (size_t i = 0; i < self->carried_count; i++) {
            self->carried[i] = self->given[i];
        }
        TACHO_TRY(keep(self, self->carried_count));
    }
    *out_is_done = self->is_dry || (self->step == self->steps_max && self->step > 0);
    if (*out_is_done) {
        return finish_scan(self, &expander);
    }
    self->is_dry = self->steps_max == 0;
    for (size_t i = 0; i < self->input_count; i++) {
        self->inputs[i] = i < self->carried_count
                              ? self->carried[i]
                              : element_at(self, &expander, i - self->carried_count);
    }
    TACHO_TRY(expander.status);
    self->step++;
    return self->is_dry ? enter_dry(self, &expander)
                        : enter(self, TACHO_BODY_STEP, (tacho_guard){TACHO_WHEN_ALWAYS, 0});
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The kind of an operator that has graphs of its own; false for any other node. */
static bool find_kind(const tacho_graph *graph, uint32_t node, operator_kind *out_kind)
{
    const tacho_branches *branches = &graph->branches;
    tacho_str type = tacho_graph_string(graph, graph->nodes[node].type);
    bool may_have =
        branches->self != NULL || (graph->format != NULL && strcmp(graph->format, "onnx") == 0);
    if (!may_have || graph->nodes[node].def == NULL ||
        graph->nodes[node].def->kind != TACHO_OP_CONTROL) {
        return false;
    }
    *out_kind = tacho_str_equal(type, TACHO_STR("If"))     ? BRANCHES
                : tacho_str_equal(type, TACHO_STR("Loop")) ? LOOP
                                                           : SCAN;
    return *out_kind != SCAN || tacho_str_equal(type, TACHO_STR("Scan"));
}

/* An operator without a graph can be neither computed nor estimated. */
static tacho_status check_bodies(tacho_graph *graph, uint32_t node, operator_kind kind)
{
    static const char *const names[] = {"then_branch", "else_branch", "body"};
    const tacho_branches *branches = &graph->branches;
    tacho_body first = kind == BRANCHES ? TACHO_BODY_THEN : TACHO_BODY_STEP;
    tacho_body last = kind == BRANCHES ? TACHO_BODY_ELSE : TACHO_BODY_STEP;
    for (int body = (int)first; body <= (int)last; body++) {
        if (branches->self == NULL || !branches->has(branches->self, node, (tacho_body)body)) {
            return tacho_infer_fail(&(tacho_infer){graph, &graph->nodes[node]},
                                    "it has no graph '%s'; the model is damaged: export it again",
                                    names[body]);
        }
    }
    return TACHO_OK;
}

static tacho_status make_lists(tacho_unroll *self)
{
    size_t wide = (size_t)self->origin.input_count + self->origin.output_count + 3;
    if (wide > WIDE_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "it takes and gives more than %d values", WIDE_MAX - 3);
    }
    self->carried = calloc(wide, sizeof(*self->carried));
    self->given = calloc(wide, sizeof(*self->given));
    self->inputs = calloc(wide, sizeof(*self->inputs));
    if (self->carried == NULL || self->given == NULL || self->inputs == NULL) {
        return tacho_no_memory();
    }
    if (self->kind == BRANCHES) {
        self->given_count = self->origin.output_count;
        return input_of(self, 0) == TACHO_NONE
                   ? fail(self, TACHO_CODE_BAD_DATA, "it has no condition")
                   : check_tensor(self, input_of(self, 0), TACHO_DTYPE_BOOL);
    }
    TACHO_TRY(self->kind == LOOP ? begin_loop(self) : begin_scan(self));
    for (size_t i = 0; i < self->carried_count; i++) {
        self->carried[i] = input_of(self, i + (self->kind == LOOP ? 2 : 0));
        if (self->carried[i] == TACHO_NONE) {
            return fail(self, TACHO_CODE_UNSUPPORTED, "what its first step gets is missing");
        }
    }
    return TACHO_OK;
}

tacho_status tacho_unroll_begin(tacho_graph *graph, uint32_t node, bool decides,
                                tacho_unroll **out_unroll)
{
    operator_kind kind;
    *out_unroll = NULL;
    if (!find_kind(graph, node, &kind)) {
        return TACHO_OK;
    }
    TACHO_TRY(check_bodies(graph, node, kind));
    tacho_unroll *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    *self = (tacho_unroll){.graph = graph,
                           .node = node,
                           .origin = graph->nodes[node],
                           .kind = kind,
                           .decides = decides,
                           .guard_first = SIZE_MAX,
                           .body_first = SIZE_MAX,
                           .active = TACHO_NONE};
    *out_unroll = self;
    return make_lists(self);
}

tacho_status tacho_unroll_next(tacho_unroll *self, bool *out_is_done)
{
    self->guard_first = self->body_first = SIZE_MAX; /* until a graph is entered */
    if (self->kind == BRANCHES) {
        return next_branch(self, out_is_done);
    }
    return self->kind == LOOP ? next_iteration(self, out_is_done) : next_element(self, out_is_done);
}

void tacho_unroll_abandon(const tacho_unroll *self, const char *why)
{
    tacho_graph *graph = self->graph;
    for (uint32_t i = 0; i < self->origin.output_count; i++) {
        uint32_t output = graph->links[self->origin.first_output + i];
        if (output != TACHO_NONE) {
            graph->tensors[output].producer = self->node;
            graph->tensors[output].constant = TACHO_NONE;
            graph->tensors[output].is_constant = false;
        }
    }
    if (why != NULL) {
        tacho_graph_add_note(graph, "the %.20s at %.60s is not analysed inside: %.160s",
                             tacho_graph_string(graph, self->origin.type).data,
                             tacho_graph_string(graph, self->origin.location).data, why);
    }
}

bool tacho_unroll_decides(const tacho_unroll *self)
{
    return self->decides;
}

uint32_t tacho_unroll_node(const tacho_unroll *self)
{
    return self->node;
}

void tacho_unroll_free(tacho_unroll *self)
{
    if (self != NULL) {
        free(self->carried);
        free(self->given);
        free(self->inputs);
        free(self->kept);
        free(self);
    }
}
