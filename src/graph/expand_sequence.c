/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences of tensors, and optional ones. Exporters write sequences where a program has a list: of
 * split parts, or one that grows in a loop, and is indexed or joined again. No sequence is ever
 * made: an operator that reads tensors of one reads the tensors that were put in.
 */
#include "graph/expand.h"

/* Tensors of a sequence, and operators that made it one after another. */
enum { ITEMS_MAX = 1024, MAKERS_MAX = 1024 };

/* A tensor, or a part of one, which becomes a node only where it is read. */
typedef struct item {
    uint32_t tensor;
    bool is_part;     /* elements [begin, end) along |axis| ... */
    bool is_squeezed; /* ... without that axis */
    int64_t axis, begin, end;
} item;

typedef struct sequence {
    tacho_expander *expander;
    item items[ITEMS_MAX];
    size_t count;
    int64_t parts[ITEMS_MAX]; /* of a split */
} sequence;

static uint32_t input_of(const tacho_graph *graph, const tacho_node *node, size_t i)
{
    return i < node->input_count ? graph->links[node->first_input + i] : TACHO_NONE;
}

static int64_t attr_of(const tacho_graph *graph, const tacho_node *node, const char *name,
                       int64_t fallback)
{
    return tacho_attr_int(tacho_graph_attrs(graph, node), node->attr_count, name, fallback);
}

static bool is_type(const tacho_graph *graph, const tacho_node *node, const char *type)
{
    return tacho_str_equal(tacho_graph_string(graph, node->type), tacho_str_from_cstring(type));
}

/* A number that is known: |fallback| where it is absent. */
static bool read_number(tacho_graph *graph, const tacho_node *node, size_t i, int64_t fallback,
                        int64_t *out_number)
{
    size_t count;
    *out_number = fallback;
    return input_of(graph, node, i) == TACHO_NONE ||
           (tacho_infer_ints(&(tacho_infer){graph, node}, i, out_number, 1, &count) && count == 1);
}

static bool add(sequence *self, item added)
{
    if (added.tensor == TACHO_NONE || self->count == ITEMS_MAX) {
        return false;
    }
    self->items[self->count++] = added;
    return true;
}

/* The tensor that an item is. */
static uint32_t make(sequence *self, const item *wanted)
{
    tacho_expander *expander = self->expander;
    if (!wanted->is_part) {
        return wanted->tensor;
    }
    uint32_t part =
        tacho_expand_slice(expander, wanted->tensor, wanted->axis, wanted->begin, wanted->end);
    return wanted->is_squeezed ? TACHO_EXPAND_OP(expander, "Squeeze", part,
                                                 TACHO_EXPAND_INTS(expander, wanted->axis))
                               : part;
}

/* Where a position that may count from the end is, of |count| places. */
static bool find_place(int64_t position, size_t count, size_t *out_place)
{
    int64_t place = position < 0 ? position + (int64_t)count : position;
    *out_place = (size_t)place;
    return place >= 0 && place < (int64_t)count;
}

/* The end is a place, too, but one that counts from the end begins ahead of the last item. */
static bool insert(sequence *self, const tacho_node *node)
{
    tacho_graph *graph = self->expander->graph;
    int64_t position;
    size_t place, before = self->count;
    if (!read_number(graph, node, 2, (int64_t)before, &position) ||
        !add(self, (item){.tensor = input_of(graph, node, 1)}) ||
        !find_place(position, position < 0 ? before : before + 1, &place)) {
        return false;
    }
    item added = self->items[self->count - 1];
    memmove(self->items + place + 1, self->items + place,
            (self->count - 1 - place) * sizeof(*self->items));
    self->items[place] = added;
    return true;
}

static bool erase(sequence *self, const tacho_node *node)
{
    int64_t position;
    size_t place;
    if (!read_number(self->expander->graph, node, 1, -1, &position) ||
        !find_place(position, self->count, &place)) {
        return false;
    }
    self->count--;
    memmove(self->items + place, self->items + place + 1,
            (self->count - place) * sizeof(*self->items));
    return true;
}

/* How long each part of a split is: given, or as many of one length as there are. */
static bool find_parts(sequence *self, const tacho_node *node, int64_t length, size_t *out_count)
{
    tacho_graph *graph = self->expander->graph;
    tacho_infer infer = {graph, node};
    int64_t each = 1, sum = 0, *parts = self->parts;
    size_t count = 0;
    bool is_list = input_of(graph, node, 1) != TACHO_NONE;
    if (is_list && tacho_infer_shape(&infer, 1)->rank == 1) {
        if (!tacho_infer_ints(&infer, 1, parts, ITEMS_MAX, out_count)) {
            return false;
        }
        for (size_t i = 0; i < *out_count; i++) {
            bool fits = parts[i] >= 0 && parts[i] <= length - sum;
            sum += fits ? parts[i] : 0;
            if (!fits) {
                return false;
            }
        }
        return sum == length;
    }
    if (!read_number(graph, node, 1, 1, &each) || each < 1) {
        return false;
    }
    for (; sum < length && count < ITEMS_MAX; count++) {
        parts[count] = each < length - sum ? each : length - sum;
        sum += parts[count];
    }
    *out_count = count;
    return sum == length;
}

/* Parts of a tensor along an axis; without that axis where it is split into single elements. */
static bool split(sequence *self, const tacho_node *node)
{
    const tacho_graph *graph = self->expander->graph;
    uint32_t tensor = input_of(graph, node, 0);
    const tacho_shape *shape = tensor == TACHO_NONE ? NULL : graph->tensors[tensor].shape;
    bool keeps = input_of(graph, node, 1) != TACHO_NONE || attr_of(graph, node, "keepdims", 1) != 0;
    int64_t axis = attr_of(graph, node, "axis", 0), at = 0;
    size_t count;
    if (shape == NULL || !tacho_shape_is_known(shape)) {
        return false;
    }
    axis += axis < 0 ? shape->rank : 0;
    if (axis < 0 || axis >= shape->rank || !find_parts(self, node, shape->dims[axis], &count)) {
        return false;
    }
    bool is_added = true;
    for (size_t i = 0; i < count && is_added; i++) {
        is_added = add(self, (item){.tensor = tensor,
                                    .is_part = true,
                                    .is_squeezed = !keeps,
                                    .axis = axis,
                                    .begin = at,
                                    .end = at + self->parts[i]});
        at += self->parts[i];
    }
    return is_added;
}

/* Applies one operator to the sequence so far. */
static bool apply(sequence *self, const tacho_node *node)
{
    const tacho_graph *graph = self->expander->graph;
    if (is_type(graph, node, "SequenceInsert")) {
        return insert(self, node);
    }
    if (is_type(graph, node, "SequenceErase")) {
        return erase(self, node);
    }
    if (is_type(graph, node, "SplitToSequence")) {
        return split(self, node);
    }
    bool is_made = true;
    for (size_t i = 0; i < node->input_count && is_type(graph, node, "SequenceConstruct"); i++) {
        is_made = is_made && add(self, (item){.tensor = input_of(graph, node, i)});
    }
    return is_made; /* SequenceEmpty adds none, Identity changes nothing */
}

/* Follows the makers of |tensor| to the first one, then applies each. */
static bool collect(sequence *self, uint32_t tensor)
{
    static const char *const grown[] = {"SequenceInsert", "SequenceErase", "Identity"};
    static const char *const begun[] = {"SequenceConstruct", "SequenceEmpty", "SplitToSequence"};
    const tacho_graph *graph = self->expander->graph;
    uint32_t makers[MAKERS_MAX];
    size_t count = 0;
    bool is_begun = false;
    while (!is_begun) {
        uint32_t maker = tensor == TACHO_NONE ? TACHO_NONE : graph->tensors[tensor].producer;
        bool is_grown = false;
        if (maker == TACHO_NONE || count == MAKERS_MAX) {
            return false;
        }
        const tacho_node *node = &graph->nodes[maker];
        for (size_t i = 0; i < 3; i++) {
            is_grown = is_grown || is_type(graph, node, grown[i]);
            is_begun = is_begun || is_type(graph, node, begun[i]);
        }
        if (!is_grown && !is_begun) {
            return false;
        }
        makers[count++] = maker;
        tensor = input_of(graph, node, 0);
    }
    bool is_known = true;
    while (count > 0 && is_known) {
        is_known = apply(self, &self->expander->graph->nodes[makers[--count]]);
    }
    return is_known;
}

/* The items of the operator's first input; false, and declined, where they are not known. */
static bool begin(tacho_expander *expander, sequence *self)
{
    self->expander = expander;
    self->count = 0;
    expander->is_declined = !collect(self, tacho_expand_input(expander, 0));
    return !expander->is_declined && expander->status == TACHO_OK;
}

void tacho_expand_sequence_at(tacho_expander *self)
{
    sequence items;
    int64_t position;
    size_t place;
    if (!begin(self, &items)) {
        return;
    }
    if (!read_number(self->graph, &self->origin, 1, 0, &position)) {
        self->is_declined = true;
    } else if (!find_place(position, items.count, &place)) {
        tacho_expand_fail(self, "place %lld of a sequence of %zu", (long long)position,
                          items.count);
    } else {
        tacho_expand_return(self, 0, make(&items, &items.items[place]));
    }
}

void tacho_expand_sequence_length(tacho_expander *self)
{
    sequence items;
    if (begin(self, &items)) {
        tacho_expand_return(self, 0,
                            tacho_expand_int_number(self, TACHO_DTYPE_I64, (int64_t)items.count));
    }
}

void tacho_expand_concat_sequence(tacho_expander *self)
{
    sequence items;
    int64_t axis = tacho_expand_int(self, "axis", 0);
    if (!begin(self, &items)) {
        return;
    }
    if (items.count == 0) {
        self->is_declined = true;
        return;
    }
    bool is_new = tacho_expand_int(self, "new_axis", 0) != 0;
    uint32_t parts[ITEMS_MAX], at = is_new ? TACHO_EXPAND_INTS(self, axis) : TACHO_NONE;
    for (size_t i = 0; i < items.count; i++) {
        parts[i] = make(&items, &items.items[i]);
        parts[i] = is_new ? TACHO_EXPAND_OP(self, "Unsqueeze", parts[i], at) : parts[i];
    }
    tacho_expand_set_int(self, "axis", axis);
    tacho_expand_return(self, 0, tacho_expand_add(self, "Concat", parts, items.count, 1));
}

/* ---- optionals ----------------------------------------------------------------------------- */

/* The content of an optional: a tensor, which is one itself, or nothing. Others are declined. */
static uint32_t find_content(tacho_expander *self)
{
    tacho_graph *graph = self->graph;
    uint32_t tensor = tacho_expand_input(self, 0);
    uint32_t maker = tensor != TACHO_NONE ? graph->tensors[tensor].producer : TACHO_NONE;
    if (maker != TACHO_NONE && is_type(graph, &graph->nodes[maker], "Optional")) {
        tensor = input_of(graph, &graph->nodes[maker], 0);
    }
    self->is_declined = tensor != TACHO_NONE && graph->tensors[tensor].dtype == TACHO_DTYPE_NONE;
    return tensor;
}

void tacho_expand_optional_get(tacho_expander *self)
{
    uint32_t content = find_content(self);
    self->is_declined = self->is_declined || content == TACHO_NONE;
    tacho_expand_return(self, 0, content);
}

void tacho_expand_optional_has(tacho_expander *self)
{
    bool has_it = find_content(self) != TACHO_NONE;
    if (!self->is_declined) {
        tacho_expand_return(self, 0, tacho_expand_int_number(self, TACHO_DTYPE_BOOL, has_it));
    }
}
