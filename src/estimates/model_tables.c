/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network's inputs and outputs, open dimensions, operators and weights.
 */
#include "estimates/model_tables.h"

#include "estimates/estimates.h"
#include "base/grow.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_SHOWN_MAX = 80 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static tacho_status add_count(tacho_table *table, uint64_t value)
{
    return tacho_table_add_int(table, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static tacho_status add_cstring(tacho_table *table, const char *text)
{
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

/* Absent if empty. */
static tacho_status add_name(tacho_table *table, tacho_str text)
{
    return text.len > 0 ? tacho_table_add_text(table, text) : tacho_table_add_absent(table);
}

/* Adds an assembled text as a cell. */
static tacho_status add_made(tacho_table *table, tacho_text *text, tacho_status status)
{
    if (status == TACHO_OK) {
        status = add_name(table, tacho_text_take(text));
    }
    tacho_text_deinit(text);
    return status;
}

static tacho_status put_cstring(tacho_text *text, const char *piece)
{
    return tacho_text_put(text, tacho_str_from_cstring(piece));
}

/* ---- weights ------------------------------------------------------------------------------- */

typedef struct weight_sum {
    uint64_t tensor_count, element_count, bytes;
} weight_sum;

static void add_weight(const tacho_tensor *tensor, weight_sum *sum)
{
    uint64_t elements = 0;
    uint64_t bytes = 0;
    bool is_counted = tacho_shape_elements(tensor->shape, &elements) &&
                      tacho_tensor_bytes(tensor, &bytes) &&
                      !__builtin_add_overflow(sum->bytes, bytes, &sum->bytes) &&
                      !__builtin_add_overflow(sum->element_count, elements, &sum->element_count);
    sum->tensor_count += is_counted || tensor->dtype == TACHO_DTYPE_STRING ? 1 : 0;
}

/* Constants of the file by type; a value that two tensors share counts once. */
static tacho_status sum_weights(const tacho_graph *graph, weight_sum sums[TACHO_DTYPE_COUNT])
{
    bool *is_seen = NULL;
    TACHO_TRY(tacho_items_make(&is_seen, graph->constant_count));
    memset(sums, 0, TACHO_DTYPE_COUNT * sizeof(*sums));
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[i];
        bool has_value = tensor->constant != TACHO_NONE;
        if (!tensor->is_constant || (has_value && is_seen[tensor->constant])) {
            continue;
        }
        if (has_value) {
            is_seen[tensor->constant] = true;
        }
        add_weight(tensor, &sums[tensor->dtype]);
    }
    free(is_seen);
    return TACHO_OK;
}

static const tacho_column weight_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),           TACHO_COLUMN(DTYPE, "type", TEXT),
    TACHO_COLUMN(TENSOR_COUNT, "tensors", INT), TACHO_COLUMN(ELEMENT_COUNT, "elements", INT),
    TACHO_COLUMN(SIZE_BYTES, "bytes", INT),
};

static tacho_status add_weights(const void *item, tacho_table *table)
{
    const tacho_opened_model *opened = item;
    weight_sum sums[TACHO_DTYPE_COUNT];
    TACHO_TRY(sum_weights(&opened->graph, sums));
    for (int i = 0; i < TACHO_DTYPE_COUNT; i++) {
        if (sums[i].tensor_count > 0) {
            TACHO_TRY(tacho_table_add_text(table, opened->file));
            TACHO_TRY(add_cstring(table, tacho_dtype_name((tacho_dtype)i)));
            TACHO_TRY(add_count(table, sums[i].tensor_count));
            TACHO_TRY(add_count(table, sums[i].element_count));
            TACHO_TRY(add_count(table, sums[i].bytes));
        }
    }
    return TACHO_OK;
}

/* ---- models -------------------------------------------------------------------------------- */

static const tacho_column model_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(FORMAT, "format", TEXT),
    TACHO_COLUMN(NETWORK, "network", TEXT),
    TACHO_COLUMN(PRODUCER, "producer", TEXT),
    TACHO_COLUMN(IR_VERSION, "IR", INT),
    TACHO_COLUMN(OPSETS, "opsets", TEXT),
    TACHO_COLUMN(INPUT_COUNT, "inputs", INT),
    TACHO_COLUMN(OUTPUT_COUNT, "outputs", INT),
    TACHO_COLUMN(NODE_COUNT, "nodes", INT),
    TACHO_COLUMN(WEIGHT_COUNT, "weights", INT),
    TACHO_COLUMN(WEIGHT_BYTES, "weight bytes", INT),
    TACHO_COLUMN(ABSENT_WEIGHT_COUNT, "absent weights", INT),
};

/* "pytorch 2.1". */
static tacho_status add_producer(tacho_table *table, const tacho_model_facts *facts)
{
    tacho_text text = {0};
    tacho_status status = tacho_text_put(&text, facts->producer);
    if (status == TACHO_OK && facts->producer_version.len > 0) {
        status = put_cstring(&text, facts->producer.len > 0 ? " " : "");
        if (status == TACHO_OK) {
            status = tacho_text_put(&text, facts->producer_version);
        }
    }
    return add_made(table, &text, status);
}

/* "ai.onnx 13, com.microsoft 1". */
static tacho_status add_opsets(tacho_table *table, const tacho_model_facts *facts)
{
    tacho_text text = {0};
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < facts->opset_count && status == TACHO_OK; i++) {
        char version[32];
        int len = snprintf(version, sizeof(version), " %" PRId64, facts->opsets[i].version);
        status = put_cstring(&text, i > 0 ? ", " : "");
        if (status == TACHO_OK) {
            status = tacho_text_put(&text, facts->opsets[i].domain);
        }
        if (status == TACHO_OK) {
            status = tacho_text_put(&text, tacho_str_make(version, (size_t)len));
        }
    }
    return add_made(table, &text, status);
}

static tacho_status add_model(const void *item, tacho_table *table)
{
    const tacho_opened_model *opened = item;
    const tacho_graph *graph = &opened->graph;
    const tacho_model_facts *facts = &opened->facts;
    weight_sum sums[TACHO_DTYPE_COUNT];
    weight_sum all = {0};
    TACHO_TRY(sum_weights(graph, sums));
    for (int i = 0; i < TACHO_DTYPE_COUNT; i++) {
        all.tensor_count += sums[i].tensor_count;
        all.bytes =
            __builtin_add_overflow(all.bytes, sums[i].bytes, &all.bytes) ? UINT64_MAX : all.bytes;
    }
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_cstring(table, graph->format));
    TACHO_TRY(add_name(table, tacho_graph_string(graph, graph->name)));
    TACHO_TRY(add_producer(table, facts));
    TACHO_TRY(facts->ir_version > 0 ? tacho_table_add_int(table, facts->ir_version)
                                    : tacho_table_add_absent(table));
    TACHO_TRY(add_opsets(table, facts));
    TACHO_TRY(add_count(table, graph->input_count));
    TACHO_TRY(add_count(table, graph->output_count));
    TACHO_TRY(add_count(table, graph->node_count));
    TACHO_TRY(add_count(table, all.tensor_count));
    TACHO_TRY(add_count(table, all.bytes));
    return graph->absent_weight_count > 0 ? add_count(table, graph->absent_weight_count)
                                          : tacho_table_add_absent(table);
}

/* ---- inputs and outputs -------------------------------------------------------------------- */

static const tacho_column tensor_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),   TACHO_COLUMN(DIRECTION, "in/out", TEXT),
    TACHO_COLUMN(NAME, "name", TEXT),   TACHO_COLUMN(DTYPE, "type", TEXT),
    TACHO_COLUMN(SHAPE, "shape", TEXT), TACHO_COLUMN(SIZE_BYTES, "bytes", INT),
};

/* "1x3x224x224"; of open dimensions "[batch]", or "?" without a name. */
static tacho_status put_dim(tacho_text *text, const tacho_opened_model *opened, uint32_t tensor,
                            int32_t axis)
{
    char number[32];
    int64_t value = opened->graph.tensors[tensor].shape->dims[axis];
    const tacho_str *name = tacho_model_facts_find_dim(&opened->facts, tensor, axis);
    TACHO_TRY(put_cstring(text, axis > 0 ? "x" : ""));
    if (value != TACHO_DIM_UNKNOWN) {
        int len = snprintf(number, sizeof(number), "%" PRId64, value);
        return tacho_text_put(text, tacho_str_make(number, (size_t)len));
    }
    if (name == NULL || name->len == 0) {
        return put_cstring(text, "?");
    }
    TACHO_TRY(put_cstring(text, "["));
    TACHO_TRY(tacho_text_put(text, *name));
    return put_cstring(text, "]");
}

static tacho_status add_shape(const tacho_opened_model *opened, uint32_t tensor, tacho_table *table)
{
    const tacho_shape *shape = opened->graph.tensors[tensor].shape;
    if (shape->rank <= 0) {
        return shape->rank == 0 ? add_cstring(table, "scalar") : tacho_table_add_absent(table);
    }
    tacho_text text = {0};
    tacho_status status = TACHO_OK;
    for (int32_t i = 0; i < shape->rank && status == TACHO_OK; i++) {
        status = put_dim(&text, opened, tensor, i);
    }
    return add_made(table, &text, status);
}

static tacho_status add_tensor(const tacho_opened_model *opened, uint32_t id, const char *direction,
                               tacho_table *table)
{
    const tacho_tensor *tensor = &opened->graph.tensors[id];
    bool has_dtype = tensor->dtype != TACHO_DTYPE_NONE;
    uint64_t bytes = 0;
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(add_cstring(table, direction));
    TACHO_TRY(add_name(table, tacho_graph_string(&opened->graph, tensor->name)));
    TACHO_TRY(has_dtype ? add_cstring(table, tacho_dtype_name(tensor->dtype))
                        : tacho_table_add_absent(table));
    TACHO_TRY(add_shape(opened, id, table));
    return has_dtype && tacho_tensor_bytes(tensor, &bytes) ? add_count(table, bytes)
                                                           : tacho_table_add_absent(table);
}

static tacho_status add_tensors(const void *item, tacho_table *table)
{
    const tacho_opened_model *opened = item;
    const tacho_graph *graph = &opened->graph;
    for (size_t i = 0; i < graph->input_count; i++) {
        TACHO_TRY(add_tensor(opened, graph->inputs[i], "in", table));
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        TACHO_TRY(add_tensor(opened, graph->outputs[i], "out", table));
    }
    return TACHO_OK;
}

/* ---- dimensions to set --------------------------------------------------------------------- */

static const tacho_column dim_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(DIMENSION, "dimension", TEXT),
    TACHO_COLUMN(OPTION, "give it with", TEXT),
    TACHO_COLUMN(COUNT, "dimensions of inputs", INT),
};

/* Whether |name| needs no quoting in a shell. */
static bool is_plain(tacho_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char byte = name.data[i];
        bool is_word = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9');
        if (!is_word && strchr("_.-/:", byte) == NULL) {
            return false;
        }
    }
    return true;
}

/* The label of a dimension: its name, or "INPUT.AXIS". */
static tacho_status dim_name(const tacho_opened_model *opened, const tacho_model_open_dim *dim,
                             tacho_arena *arena, tacho_str *out_name)
{
    if (dim->name.len > 0) {
        *out_name = dim->name;
        return TACHO_OK;
    }
    char axis[16];
    tacho_text text = {0};
    int len = snprintf(axis, sizeof(axis), ".%" PRId32, dim->axis);
    uint32_t name = opened->graph.tensors[dim->tensor].name;
    tacho_status status = tacho_text_put(&text, tacho_graph_string(&opened->graph, name));
    if (status == TACHO_OK) {
        status = tacho_text_put(&text, tacho_str_make(axis, (size_t)len));
    }
    if (status == TACHO_OK) {
        status = tacho_arena_copy(arena, tacho_text_take(&text), out_name);
    }
    tacho_text_deinit(&text);
    return status;
}

static tacho_status add_dim(const tacho_opened_model *opened, tacho_str name, uint64_t count,
                            tacho_table *table)
{
    char option[NAME_SHOWN_MAX + 64];
    tacho_str shown = tacho_str_make(name.data, name.len < NAME_SHOWN_MAX ? name.len : 0);
    const char *quote = is_plain(shown) ? "" : "'";
    snprintf(option, sizeof(option), "%.40s%s%.*s=VALUE%s", opened->size_option, quote,
             TACHO_STR_ARG(shown), quote);
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(tacho_table_add_text(table, name));
    TACHO_TRY(shown.len > 0 && memchr(shown.data, '\'', shown.len) == NULL
                  ? add_cstring(table, option)
                  : tacho_table_add_absent(table));
    return add_count(table, count);
}

/* Adds a row per name, which represents all dimensions with that name. */
static tacho_status add_dims_with(const tacho_opened_model *opened, tacho_strings *names,
                                  tacho_arena *arena, tacho_table *table)
{
    const tacho_model_facts *facts = &opened->facts;
    uint64_t *counts = NULL;
    size_t count = 0;
    size_t capacity = 0;
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < facts->dim_count && status == TACHO_OK; i++) {
        tacho_str name;
        uint32_t id = 0;
        if (!opened->graph.tensors[facts->dims[i].tensor].is_input) {
            continue;
        }
        status = dim_name(opened, &facts->dims[i], arena, &name);
        if (status == TACHO_OK) {
            status = tacho_strings_ensure(names, name, &id);
        }
        if (status == TACHO_OK) {
            status = tacho_grow(&counts, &capacity, (size_t)id + 1);
        }
        for (; status == TACHO_OK && count <= id; count++) {
            counts[count] = 0;
        }
        if (status == TACHO_OK) {
            counts[id]++;
        }
    }
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        if (counts[i] > 0) {
            status = add_dim(opened, tacho_strings_get(names, (uint32_t)i), counts[i], table);
        }
    }
    free(counts);
    return status;
}

static tacho_status add_dims(const void *item, tacho_table *table)
{
    const tacho_opened_model *opened = item;
    static const tacho_column_id whole[] = {TACHO_COL_OPTION, TACHO_COL_OTHER};
    table->whole = whole; /* is copied */
    tacho_arena arena;
    tacho_strings names;
    tacho_arena_init(&arena);
    tacho_status status = tacho_strings_init(&names);
    if (status == TACHO_OK) {
        status = add_dims_with(opened, &names, &arena, table);
    }
    tacho_strings_deinit(&names);
    tacho_arena_deinit(&arena);
    return status;
}

/* ---- operators ----------------------------------------------------------------------------- */

static const tacho_column operator_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),       TACHO_COLUMN(OPERATOR, "operator", TEXT),
    TACHO_COLUMN(NODE_COUNT, "nodes", INT), TACHO_COLUMN(INNER_COUNT, "nodes inside", INT),
    TACHO_COLUMN(KNOWN, "supported", TEXT),
};

typedef struct operator_sum {
    tacho_str type;
    uint64_t node_count;
    uint64_t inner_count; /* in graphs of its nodes */
    bool is_known;
} operator_sum;

/* The most frequent first. */
static int compare_operators(const void *a, const void *b)
{
    const operator_sum *one = a;
    const operator_sum *other = b;
    if (one->node_count != other->node_count) {
        return one->node_count > other->node_count ? -1 : 1;
    }
    return tacho_str_compare(one->type, other->type);
}

static uint64_t count_inside(const tacho_graph *graph, const tacho_node *node)
{
    const tacho_attr *attrs = tacho_graph_attrs(graph, node);
    uint64_t count = 0;
    for (uint32_t i = 0; i < node->attr_count; i++) {
        count += attrs[i].kind == TACHO_ATTR_GRAPH ? (uint64_t)attrs[i].value.as_int : 0;
    }
    return count;
}

static tacho_status add_operator(const tacho_opened_model *opened, const operator_sum *sum,
                                 tacho_table *table)
{
    TACHO_TRY(tacho_table_add_text(table, opened->file));
    TACHO_TRY(tacho_table_add_text(table, sum->type));
    TACHO_TRY(add_count(table, sum->node_count));
    TACHO_TRY(sum->inner_count > 0 ? add_count(table, sum->inner_count)
                                   : tacho_table_add_absent(table));
    return add_cstring(table, sum->is_known ? "yes" : "no");
}

static tacho_status add_operators(const void *item, tacho_table *table)
{
    const tacho_opened_model *opened = item;
    const tacho_graph *graph = &opened->graph;
    size_t count = graph->strings.item_count;
    operator_sum *sums = NULL;
    TACHO_TRY(tacho_items_make(&sums, count));
    for (size_t i = 0; i < graph->node_count; i++) {
        const tacho_node *node = &graph->nodes[i];
        operator_sum *sum = &sums[node->type];
        sum->type = tacho_graph_string(graph, node->type);
        sum->node_count++;
        sum->inner_count += count_inside(graph, node);
        sum->is_known = node->def != NULL;
    }
    qsort(sums, count, sizeof(*sums), compare_operators);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < count && sums[i].node_count > 0 && status == TACHO_OK; i++) {
        status = add_operator(opened, &sums[i], table);
    }
    free(sums);
    return status;
}

/* ---- all tables ---------------------------------------------------------------------------- */

static const tacho_items_table makers[] = {
    TACHO_ITEMS_TABLE("models", "Models", model_columns, add_model),
    TACHO_ITEMS_TABLE("model_tensors", "Inputs and outputs", tensor_columns, add_tensors),
    TACHO_ITEMS_TABLE("model_dims", "Dimensions to set when compiling", dim_columns, add_dims),
    TACHO_ITEMS_TABLE("model_operators", "Operators", operator_columns, add_operators),
    TACHO_ITEMS_TABLE("model_weights", "Weights", weight_columns, add_weights),
};

static const void *item_of(const void *subject, size_t index)
{
    const tacho_opened_models *models = subject;
    return models->items[index];
}

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_opened_models *models = subject;
    const tacho_items items = {subject, models->item_count, item_of};
    (void)options;
    return tacho_items_tables_make(makers, COUNT_OF(makers), &items, to);
}

const tacho_analysis tacho_analysis_model = {
    .name = "model",
    .question = "what does a network consist of, and what is left open in it",
    .subject = TACHO_SUBJECT_MODELS,
    .make = make_tables,
};
