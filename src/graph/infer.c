/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk that finds types, shapes and constants, and helpers for the rows of operator tables.
 */
#include "graph/infer.h"

#include "base/grow.h"
#include "graph/expand.h"
#include "graph/fold.h"
#include "graph/probe.h"
#include "graph/unroll.h"
#include "kernels/element.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const tacho_shape unknown_shape = {.rank = TACHO_RANK_UNKNOWN};

/* ---- a node's inputs ----------------------------------------------------------------------- */

const tacho_shape *tacho_infer_shape(const tacho_infer *infer, size_t input)
{
    const tacho_tensor *tensor = tacho_graph_input(infer->graph, infer->node, input);
    return tensor == NULL ? &unknown_shape : tensor->shape;
}

tacho_dtype tacho_infer_dtype(const tacho_infer *infer, size_t input)
{
    const tacho_tensor *tensor = tacho_graph_input(infer->graph, infer->node, input);
    return tensor == NULL ? TACHO_DTYPE_NONE : tensor->dtype;
}

/* The value of an input of rank 0 or 1 with at most |max| elements, or NULL. */
static const tacho_constant *list_value(const tacho_infer *infer, size_t input, size_t max,
                                        size_t *out_count)
{
    const tacho_tensor *tensor = tacho_graph_input(infer->graph, infer->node, input);
    uint64_t count;
    *out_count = 0;
    if (tensor == NULL || tensor->constant == TACHO_NONE || tensor->shape->rank > 1 ||
        !tacho_shape_elements(tensor->shape, &count) || count > max) {
        return NULL;
    }
    const tacho_constant *constant = &infer->graph->constants[tensor->constant];
    if (constant->kind == TACHO_CONSTANT_RANDOM) {
        return NULL;
    }
    *out_count = (size_t)count;
    return constant;
}

/* Room for an element: the bytes of a constant need not be aligned. */
typedef struct element_room {
    alignas(16) unsigned char bytes[16];
} element_room;

/* The |i|-th element of a list as an array in |room|. */
static tacho_array element_of(const tacho_constant *constant, tacho_dtype dtype, size_t i,
                              element_room *room)
{
    size_t size = tacho_dtype_element_bytes(dtype);
    const unsigned char *bytes =
        constant->kind == TACHO_CONSTANT_SPLAT ? constant->splat : constant->bytes + i * size;
    memcpy(room->bytes, bytes, size);
    return (tacho_array){.dtype = dtype, .shape = {.rank = 0}, .data = room->bytes};
}

bool tacho_infer_ints(const tacho_infer *infer, size_t input, int64_t *out_ints, size_t max,
                      size_t *out_count)
{
    const tacho_constant *constant = list_value(infer, input, max, out_count);
    tacho_dtype dtype = tacho_infer_dtype(infer, input);
    tacho_dtype_kind kind = tacho_element_kind(dtype);
    if (constant == NULL || dtype == TACHO_DTYPE_BOOL ||
        (kind != TACHO_DTYPE_SIGNED && kind != TACHO_DTYPE_UNSIGNED)) {
        *out_count = 0;
        return false;
    }
    for (size_t i = 0; i < *out_count; i++) {
        element_room room;
        tacho_array element = element_of(constant, dtype, i, &room);
        tacho_read_ints(&element, 0, 1, 1, &out_ints[i]);
    }
    return true;
}

bool tacho_infer_reals(const tacho_infer *infer, size_t input, double *out_reals, size_t max,
                       size_t *out_count)
{
    const tacho_constant *constant = list_value(infer, input, max, out_count);
    tacho_dtype dtype = tacho_infer_dtype(infer, input);
    if (constant == NULL || tacho_element_kind(dtype) != TACHO_DTYPE_REAL) {
        *out_count = 0;
        return false;
    }
    for (size_t i = 0; i < *out_count; i++) {
        element_room room;
        tacho_array element = element_of(constant, dtype, i, &room);
        tacho_read_reals(&element, 0, 1, 1, &out_reals[i]);
    }
    return true;
}

/* ---- types and shapes of outputs ----------------------------------------------------------- */

tacho_status tacho_infer_fail(const tacho_infer *infer, const char *format, ...)
{
    const tacho_graph *graph = infer->graph;
    const tacho_node *node = infer->node;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (graph->path.len == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s", text); /* the caller knows the node */
    }
    tacho_str location = tacho_graph_string(graph, node->location);
    return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s: node %" PRIu32 " '%s' (%s): %s%s%s",
                      TACHO_STR_ARG(graph->path), node->index,
                      tacho_graph_string(graph, node->name).data,
                      tacho_graph_string(graph, node->type).data, text,
                      location.len > 0 ? "; at " : "", location.data);
}

/* "output 0 'y'", or without a name "output 0". */
static const char *output_text(const tacho_infer *infer, size_t output, char to[128])
{
    const tacho_tensor *tensor = tacho_graph_output(infer->graph, infer->node, output);
    tacho_str name = tacho_graph_string(infer->graph, tensor->name);
    const char *quote = name.len > 0 ? "'" : "";
    snprintf(to, 128, "output %zu%s%s%.80s%s", output, name.len > 0 ? " " : "", quote, name.data,
             quote);
    return to;
}

static tacho_status contradiction(const tacho_infer *infer, size_t output,
                                  const tacho_tensor *tensor, const tacho_shape *shape)
{
    char found[TACHO_SHAPE_TEXT_MAX], said[TACHO_SHAPE_TEXT_MAX], which[128];
    return tacho_infer_fail(infer, "%s has shape %s, but the file says %s",
                            output_text(infer, output, which),
                            tacho_shape_print(shape, found, sizeof(found)),
                            tacho_shape_print(tensor->shape, said, sizeof(said)));
}

/* Replaces the file's shape by the inferred one in ONNX models; else a contradiction. */
static tacho_status correct_shape(const tacho_infer *infer, size_t output, tacho_tensor *tensor,
                                  const tacho_shape *shape)
{
    if (!infer->graph->trusts_inference) {
        return contradiction(infer, output, tensor, shape);
    }
    char found[TACHO_SHAPE_TEXT_MAX], said[TACHO_SHAPE_TEXT_MAX];
    tacho_graph_add_note(infer->graph, "'%.60s' has shape %s, not %s as the file says",
                         tacho_graph_string(infer->graph, tensor->name).data,
                         tacho_shape_print(shape, found, sizeof(found)),
                         tacho_shape_print(tensor->shape, said, sizeof(said)));
    return tacho_graph_set_shape(infer->graph, tensor, shape);
}

static tacho_status merge_shape(const tacho_infer *infer, size_t output, tacho_tensor *tensor,
                                const tacho_shape *shape)
{
    if (shape->rank == TACHO_RANK_UNKNOWN) {
        return TACHO_OK;
    }
    if (tensor->shape->rank == TACHO_RANK_UNKNOWN) {
        return tacho_graph_set_shape(infer->graph, tensor, shape);
    }
    if (tensor->shape->rank != shape->rank) {
        return correct_shape(infer, output, tensor, shape);
    }
    tacho_shape merged = *tensor->shape;
    for (int32_t i = 0; i < shape->rank; i++) {
        int64_t *dim = &merged.dims[i];
        if (shape->dims[i] >= 0 && *dim >= 0 && shape->dims[i] != *dim) {
            return correct_shape(infer, output, tensor, shape);
        }
        *dim = shape->dims[i] >= 0 ? shape->dims[i] : *dim;
    }
    return tacho_graph_set_shape(infer->graph, tensor, &merged);
}

/* Whether the tensor's elements and bytes can be counted, if its shape is known. */
static bool is_countable(const tacho_tensor *tensor)
{
    uint64_t count, bytes;
    return !tacho_shape_is_known(tensor->shape) ||
           (tacho_shape_elements(tensor->shape, &count) &&
            tacho_dtype_bytes(tensor->dtype, count, &bytes));
}

tacho_status tacho_infer_set(const tacho_infer *infer, size_t output, tacho_dtype dtype,
                             const tacho_shape *shape)
{
    tacho_tensor *tensor = tacho_graph_output(infer->graph, infer->node, output);
    if (tensor == NULL) {
        return TACHO_OK;
    }
    if (dtype != TACHO_DTYPE_NONE) {
        if (tensor->dtype != TACHO_DTYPE_NONE && tensor->dtype != dtype) {
            char which[128];
            return tacho_infer_fail(infer, "%s is %s, but the file says %s",
                                    output_text(infer, output, which), tacho_dtype_name(dtype),
                                    tacho_dtype_name(tensor->dtype));
        }
        tensor->dtype = dtype;
    }
    TACHO_TRY(merge_shape(infer, output, tensor, shape));
    if (!is_countable(tensor)) {
        char text[TACHO_SHAPE_TEXT_MAX];
        return tacho_infer_fail(infer, "output %zu has shape %s: too many elements", output,
                                tacho_shape_print(tensor->shape, text, sizeof(text)));
    }
    return TACHO_OK;
}

static int64_t broadcast_dim(int64_t a, int64_t b, bool *fits)
{
    if (a == b || b == 1) {
        return a;
    }
    if (a == 1) {
        return b;
    }
    *fits = *fits && (a == TACHO_DIM_UNKNOWN || b == TACHO_DIM_UNKNOWN);
    return a == TACHO_DIM_UNKNOWN ? b : a; /* an unknown one must equal a known one, or be 1 */
}

bool tacho_shape_broadcast(const tacho_shape *a, const tacho_shape *b, tacho_shape *out_shape)
{
    if (a->rank == TACHO_RANK_UNKNOWN || b->rank == TACHO_RANK_UNKNOWN) {
        *out_shape = unknown_shape;
        return true;
    }
    tacho_shape joined = {.rank = a->rank > b->rank ? a->rank : b->rank};
    bool fits = true;
    for (int32_t i = 0; i < joined.rank; i++) {
        int32_t in_a = i - (joined.rank - a->rank), in_b = i - (joined.rank - b->rank);
        joined.dims[i] =
            broadcast_dim(in_a < 0 ? 1 : a->dims[in_a], in_b < 0 ? 1 : b->dims[in_b], &fits);
    }
    *out_shape = joined;
    return fits;
}

/* ---- the walk ------------------------------------------------------------------------------ */

/* The file's shapes must be countable before they are used. */
static tacho_status check_tensors(const tacho_graph *graph)
{
    for (size_t i = 0; i < graph->tensor_count; i++) {
        if (!is_countable(&graph->tensors[i])) {
            char text[TACHO_SHAPE_TEXT_MAX];
            return tacho_fail(
                TACHO_CODE_BAD_DATA, "%.*s: tensor '%s' has shape %s: too many elements",
                TACHO_STR_ARG(graph->path), tacho_graph_string(graph, graph->tensors[i].name).data,
                tacho_shape_print(graph->tensors[i].shape, text, sizeof(text)));
        }
    }
    return TACHO_OK;
}

/* Nodes [at, end) to walk: those of the graph, then of branches inside it. */
typedef struct stretch {
    size_t at, end;
    tacho_unroll *unroll; /* that adds them, step by step; NULL: they are all there */
    bool is_done;         /* it has added the last ones */
    tacho_guard guard;    /* of them all, unless |unroll| has one for a node */
    size_t order_count;   /* of the walk when it began ... */
    size_t tensor_count;  /* ... and of the graph */
} stretch;

/* A walk. Nodes of branches are after the graph's until it ends, and move to their places then. */
typedef struct walker {
    tacho_graph *graph;
    tacho_folder folder;
    stretch *stretches; /* the one inside all others is last */
    size_t stretch_count, stretch_capacity;
    uint32_t
        *order; /* nodes as they were walked; an operator that was replaced is not among them */
    size_t order_count, order_capacity;
    uint32_t *places; /* by node: where it is in |order|, or TACHO_NONE */
    size_t place_count, place_capacity;
    const void **decided; /* operators, by their graphs, that cannot be unrolled for all values */
    size_t decided_count, decided_capacity;
} walker;

static tacho_status make_places(walker *self, size_t end)
{
    TACHO_TRY(tacho_grow(&self->places, &self->place_capacity, end + 1));
    while (self->place_count < end) {
        self->places[self->place_count++] = TACHO_NONE;
    }
    return TACHO_OK;
}

static tacho_status push_stretch(walker *self, stretch made)
{
    TACHO_TRY(make_places(self, made.end));
    TACHO_TRY(tacho_grow(&self->stretches, &self->stretch_capacity, self->stretch_count + 1));
    made.order_count = self->order_count;
    made.tensor_count = self->graph->tensor_count;
    self->stretches[self->stretch_count++] = made;
    return TACHO_OK;
}

static tacho_status place(walker *self, size_t node)
{
    TACHO_TRY(tacho_grow(&self->order, &self->order_capacity, self->order_count + 1));
    self->places[node] = (uint32_t)self->order_count;
    self->order[self->order_count++] = (uint32_t)node;
    return TACHO_OK;
}

/* The graph that an If takes whose condition is known, or a call; false when the node has none. */
static bool find_taken(const walker *self, size_t i, tacho_body *out_body)
{
    tacho_graph *graph = self->graph;
    const tacho_node *node = &graph->nodes[i];
    tacho_infer infer = {graph, node};
    size_t count;
    *out_body = TACHO_BODY_CALL;
    if (node->def == NULL) {
        return true;
    }
    const tacho_constant *condition =
        node->def->kind == TACHO_OP_CONTROL &&
                tacho_str_equal(tacho_graph_string(graph, node->type), TACHO_STR("If"))
            ? list_value(&infer, 0, 1, &count)
            : NULL;
    if (condition == NULL || count != 1 || tacho_infer_dtype(&infer, 0) != TACHO_DTYPE_BOOL) {
        return false;
    }
    bool is_true =
        (condition->kind == TACHO_CONSTANT_SPLAT ? condition->splat : condition->bytes)[0] != 0;
    *out_body = is_true ? TACHO_BODY_THEN : TACHO_BODY_ELSE;
    return true;
}

/* Replaces a node by those of the graph that it runs; false when it has none, or may run another.
 */
static tacho_status take_branch(walker *self, size_t i, bool *out_taken)
{
    tacho_graph *graph = self->graph;
    const tacho_branches *branches = &graph->branches;
    size_t first = graph->node_count;
    tacho_body body;
    *out_taken = branches->self != NULL && find_taken(self, i, &body) &&
                 branches->has(branches->self, (uint32_t)i, body);
    if (!*out_taken) {
        return TACHO_OK;
    }
    TACHO_TRY(branches->take(branches->self, (uint32_t)i, body));
    stretch made = {.at = first, .end = graph->node_count, .guard = graph->nodes[i].guard};
    return push_stretch(self, made);
}

/* Begins to replace a node that runs graphs of its own by all their steps. */
static tacho_status unroll(walker *self, size_t i, bool decides, bool *out_begun)
{
    tacho_unroll *begun = NULL;
    size_t at = self->graph->node_count;
    tacho_status status = tacho_unroll_begin(self->graph, (uint32_t)i, decides, &begun);
    *out_begun = begun != NULL;
    if (begun == NULL) {
        return status;
    }
    stretch made = {.at = at,
                    .end = self->graph->node_count,
                    .unroll = begun,
                    .guard = self->graph->nodes[i].guard};
    tacho_status pushed = push_stretch(self, made);
    if (pushed != TACHO_OK) {
        tacho_unroll_free(begun);
    }
    return tacho_status_first(status, pushed);
}

/* The graph's own nodes are sorted; inputs of a branch's nodes must be computed before, too. */
static tacho_status check_order(const walker *self, const tacho_node *node)
{
    for (size_t i = 0; self->stretch_count > 1 && i < node->input_count; i++) {
        const tacho_tensor *tensor = tacho_graph_input(self->graph, node, i);
        if (tensor != NULL && tensor->producer != TACHO_NONE &&
            self->places[tensor->producer] == TACHO_NONE) {
            return tacho_infer_fail(&(tacho_infer){self->graph, node},
                                    "it is in a branch and needs '%.100s', which is computed later",
                                    tacho_graph_string(self->graph, tensor->name).data);
        }
    }
    return TACHO_OK;
}

/* Replaces a node by the simpler ones that it is made of; false when it stays. */
static tacho_status expand(walker *self, size_t i, bool *out_expanded)
{
    size_t first = self->graph->node_count;
    TACHO_TRY(tacho_expand_run(self->graph, i));
    *out_expanded = self->graph->node_count > first;
    stretch made = {
        .at = first, .end = self->graph->node_count, .guard = self->graph->nodes[i].guard};
    return *out_expanded ? push_stretch(self, made) : TACHO_OK;
}

/* Whether values have to decide the graph of a node, as when it was read before. */
static bool is_decided(const walker *self, size_t i)
{
    const tacho_branches *branches = &self->graph->branches;
    const void *graph =
        self->decided_count > 0 ? branches->find(branches->self, (uint32_t)i) : NULL;
    for (size_t j = 0; graph != NULL && j < self->decided_count; j++) {
        if (self->decided[j] == graph) {
            return true;
        }
    }
    return false;
}

static tacho_status replace(walker *self, size_t i, bool *out_replaced)
{
    TACHO_TRY(expand(self, i, out_replaced));
    if (!*out_replaced) {
        TACHO_TRY(take_branch(self, i, out_replaced));
    }
    return *out_replaced ? TACHO_OK : unroll(self, i, is_decided(self, i), out_replaced);
}

/* Gives dimensions that depend on values the sizes that the user gives. */
static tacho_status take_sizes(tacho_graph *graph, const tacho_node *node)
{
    for (size_t i = 0; i < graph->given_size_count; i++) {
        tacho_given_size *given = &graph->given_sizes[i];
        for (size_t j = 0; j < node->output_count; j++) {
            tacho_tensor *tensor = tacho_graph_output(graph, node, j);
            bool is_it = graph->links[node->first_output + j] == given->tensor;
            if (is_it && given->dim < tensor->shape->rank &&
                tensor->shape->dims[given->dim] == TACHO_DIM_UNKNOWN) {
                tacho_shape shape = *tensor->shape;
                shape.dims[given->dim] = given->size;
                given->is_used = true;
                TACHO_TRY(tacho_graph_set_shape(graph, tensor, &shape));
                if (!is_countable(tensor)) {
                    return tacho_infer_fail(&(tacho_infer){graph, node},
                                            "output %zu has too many elements", j);
                }
            }
        }
    }
    return TACHO_OK;
}

static tacho_status check_sizes(const tacho_graph *graph)
{
    for (size_t i = 0; i < graph->given_size_count; i++) {
        const tacho_given_size *given = &graph->given_sizes[i];
        const tacho_tensor *tensor = &graph->tensors[given->tensor];
        char shape[TACHO_SHAPE_TEXT_MAX];
        if (!given->is_used) {
            return tacho_fail(TACHO_CODE_USAGE,
                              "%.*s: a size is given for dimension %" PRId32
                              " of '%.100s', whose shape is %s without it",
                              TACHO_STR_ARG(graph->path), given->dim,
                              tacho_graph_string(graph, tensor->name).data,
                              tacho_shape_print(tensor->shape, shape, sizeof(shape)));
        }
    }
    return TACHO_OK;
}

/* A failure to fold a node that may not be computed is left to the run. */
static tacho_status fold_guarded(walker *self, tacho_node *node)
{
    tacho_status status = tacho_folder_fold(&self->folder, node);
    if (status == TACHO_OK || node->guard.when == TACHO_WHEN_ALWAYS ||
        tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
        return status;
    }
    tacho_status_free(status);
    node->is_folded = false;
    for (size_t i = 0; i < node->output_count; i++) {
        tacho_tensor *tensor = tacho_graph_output(self->graph, node, i);
        if (tensor != NULL) {
            tensor->is_constant = false;
            tensor->constant = TACHO_NONE;
        }
    }
    return TACHO_OK;
}

/* Shapes that depend on known values of the inputs; nodes are added to check them. */
static tacho_status probe_shapes(walker *self, size_t i)
{
    tacho_graph *graph = self->graph;
    size_t first = graph->node_count;
    bool is_open = false;
    for (size_t j = 0; j < graph->nodes[i].output_count; j++) {
        const tacho_tensor *tensor = tacho_graph_output(graph, &graph->nodes[i], j);
        is_open = is_open || (tensor != NULL && !tacho_shape_is_known(tensor->shape));
    }
    if (!is_open || graph->probe == NULL) {
        return TACHO_OK;
    }
    tacho_status status = tacho_probe_shapes(graph->probe, i);
    if (tacho_status_code(status) == TACHO_CODE_UNSUPPORTED) {
        tacho_status_free(status); /* computing it will fail again */
        return TACHO_OK;
    }
    TACHO_TRY(status);
    stretch made = {.at = first, .end = graph->node_count, .guard = graph->nodes[i].guard};
    return made.at < made.end ? push_stretch(self, made) : TACHO_OK;
}

static tacho_status visit(walker *self, size_t i)
{
    bool is_replaced;
    const stretch *inner = &self->stretches[self->stretch_count - 1];
    self->graph->nodes[i].guard =
        inner->unroll != NULL ? tacho_unroll_guard(inner->unroll, i) : inner->guard;
    TACHO_TRY(check_order(self, &self->graph->nodes[i]));
    TACHO_TRY(replace(self, i, &is_replaced));
    if (is_replaced) {
        return TACHO_OK;
    }
    TACHO_TRY(place(self, i));
    tacho_node *node = &self->graph->nodes[i];
    if (node->def != NULL && node->def->infer != NULL) {
        TACHO_TRY(node->def->infer(&(tacho_infer){self->graph, node}));
    }
    TACHO_TRY(take_sizes(self->graph, node));
    TACHO_TRY(probe_shapes(self, i));
    return fold_guarded(self, &self->graph->nodes[i]);
}

/* The next steps of an operator that is unrolled, or the end of the stretch. */
static tacho_status go_on(walker *self)
{
    size_t number = self->stretch_count - 1, first = self->graph->node_count;
    tacho_unroll *unroll = self->stretches[number].unroll;
    if (unroll == NULL || self->stretches[number].is_done) {
        tacho_unroll_free(unroll);
        self->stretch_count--;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_unroll_next(unroll, &self->stretches[number].is_done));
    TACHO_TRY(make_places(self, self->graph->node_count));
    self->stretches[number].at = first;
    self->stretches[number].end = self->graph->node_count;
    return TACHO_OK;
}

/* The innermost stretch of an operator that is unrolled, but not by values if |is_open|; or 0. */
static size_t find_unrolled(const walker *self, bool is_open)
{
    size_t number = self->stretch_count;
    while (number > 0 && (self->stretches[number - 1].unroll == NULL ||
                          (is_open && tacho_unroll_decides(self->stretches[number - 1].unroll)))) {
        number--;
    }
    return number;
}

/* Forgets all that was walked since a stretch began, and the stretch. */
static void unwind(walker *self, size_t number)
{
    const stretch *failed = &self->stretches[number];
    while (self->order_count > failed->order_count) {
        self->places[self->order[--self->order_count]] = TACHO_NONE;
    }
    for (size_t i = failed->tensor_count; i < self->graph->tensor_count; i++) {
        self->graph->tensors[i].producer =
            TACHO_NONE; /* maybe a node that was not read to its end */
    }
    while (self->stretch_count > number) {
        tacho_unroll_free(self->stretches[--self->stretch_count].unroll);
    }
}

/* Remembers that values have to decide the operator of a stretch. */
static tacho_status add_decided(walker *self, size_t number)
{
    const tacho_branches *branches = &self->graph->branches;
    uint32_t node = tacho_unroll_node(self->stretches[number].unroll);
    TACHO_TRY(tacho_grow(&self->decided, &self->decided_capacity, self->decided_count + 1));
    self->decided[self->decided_count++] = branches->find(branches->self, node);
    return TACHO_OK;
}

/*
 * The stretch to restart with decisions by values, or 0: that of the innermost operator, if values
 * did not decide it before. A failure in spite of such decisions may be in a branch that is not
 * taken further out, so all operators around it are decided at once, from the outermost on: one
 * after the other, each would try the operators inside it twice.
 */
static tacho_status find_undecided(walker *self, size_t *out_number)
{
    size_t inner = find_unrolled(self, false), number = find_unrolled(self, true);
    *out_number = number;
    for (size_t i = number; i > 0; i--) {
        const tacho_unroll *unroll = self->stretches[i - 1].unroll;
        if (unroll != NULL && !tacho_unroll_decides(unroll)) {
            TACHO_TRY(add_decided(self, i - 1));
            *out_number = i;
        }
        if (inner == number) {
            break;
        }
    }
    return TACHO_OK;
}

/*
 * After a failure inside an unrolled operator, other than out of memory, the operator stays as it
 * is: the failing part may not be reached, or not in these shapes. Where values of inputs are known
 * they decide what is reached, and a failure there is final.
 */
static tacho_status recover(walker *self, tacho_status status, bool *out_is_final)
{
    bool has_values = self->graph->probe != NULL;
    size_t number = find_unrolled(self, false);
    tacho_code code = tacho_status_code(status);
    if (has_values && code != TACHO_CODE_NO_MEMORY) {
        status = tacho_status_first(status, find_undecided(self, &number));
    }
    bool decides = has_values && number > 0;
    if (has_values && number == 0 && (code == TACHO_CODE_UNSUPPORTED || code == TACHO_CODE_LIMIT)) {
        number = find_unrolled(self, false);
    }
    *out_is_final = number == 0 || code == TACHO_CODE_NO_MEMORY;
    if (*out_is_final) {
        return status;
    }
    tacho_unroll *failed = self->stretches[number - 1].unroll;
    uint32_t node = tacho_unroll_node(failed);
    tacho_unroll_abandon(failed, decides ? NULL : tacho_status_message(status));
    tacho_status_free(status);
    unwind(self, number - 1);
    bool is_begun;
    return decides ? unroll(self, node, true, &is_begun) : place(self, node);
}

static tacho_status walk(walker *self)
{
    TACHO_TRY(push_stretch(self, (stretch){.end = self->graph->node_count}));
    while (self->stretch_count > 0) {
        stretch *inner = &self->stretches[self->stretch_count - 1];
        tacho_status status = inner->at < inner->end ? visit(self, inner->at++) : go_on(self);
        while (status != TACHO_OK) {
            bool is_final;
            status = recover(self, status, &is_final);
            if (is_final) {
                return status;
            }
        }
    }
    return TACHO_OK;
}

/* Puts the nodes in the order of the walk. */
static tacho_status reorder_nodes(walker *self)
{
    tacho_graph *graph = self->graph;
    if (self->order_count == graph->node_count) {
        return TACHO_OK; /* nothing was replaced */
    }
    tacho_node *nodes = NULL;
    size_t capacity = 0;
    TACHO_TRY(tacho_grow(&nodes, &capacity, self->order_count + 1));
    for (size_t i = 0; i < self->order_count; i++) {
        nodes[i] = graph->nodes[self->order[i]];
    }
    free(graph->nodes);
    graph->nodes = nodes;
    graph->node_count = self->order_count;
    graph->node_capacity = capacity;
    for (size_t i = 0; i < graph->tensor_count; i++) {
        uint32_t *producer = &graph->tensors[i].producer;
        *producer = *producer == TACHO_NONE ? TACHO_NONE : self->places[*producer];
    }
    return TACHO_OK;
}

tacho_status tacho_graph_infer(tacho_graph *graph)
{
    TACHO_TRY(check_tensors(graph));
    walker self = {.graph = graph};
    tacho_folder_init(&self.folder, graph);
    tacho_status status = walk(&self);
    status = status != TACHO_OK ? status : check_sizes(graph);
    if (status == TACHO_OK) {
        status = reorder_nodes(&self);
    }
    tacho_folder_deinit(&self.folder);
    while (self.stretch_count > 0) {
        tacho_unroll_free(self.stretches[--self.stretch_count].unroll);
    }
    free(self.stretches);
    free(self.order);
    free(self.places);
    free(self.decided);
    return status;
}
