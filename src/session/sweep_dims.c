/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of dimensions, as exporters write them: torch.onnx and Optimum say batch_size,
 * sequence_length, past_sequence_length, and "past_sequence_length + sequence_length" or
 * total_sequence_length for the two together.
 */
#include "session/sweep_dims.h"

#include "base/grow.h"
#include "base/index.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what a name means --------------------------------------------------------------------- */

typedef struct lower_name {
    char text[64];
} lower_name;

static lower_name lower(tacho_str name)
{
    lower_name to = {""};
    for (size_t i = 0; i < name.len && i + 1 < sizeof(to.text); i++) {
        to.text[i] = (char)tolower((unsigned char)name.data[i]);
    }
    return to;
}

static bool has(const lower_name *name, const char *part)
{
    return strstr(name->text, part) != NULL;
}

static bool is_same(const lower_name *name, const char *word)
{
    return strcmp(name->text, word) == 0;
}

tacho_dim_role tacho_dim_role_of(tacho_str name)
{
    lower_name of = lower(name);
    bool is_sequence = has(&of, "seq") || has(&of, "token") || has(&of, "context") ||
                       has(&of, "length") || is_same(&of, "s");
    if (has(&of, "total") || (has(&of, "past") && has(&of, "+")) ||
        (has(&of, "max") && is_sequence)) {
        return TACHO_DIM_TOTAL;
    }
    if (has(&of, "past") || has(&of, "cache") || has(&of, "kv")) {
        return TACHO_DIM_PAST;
    }
    if (has(&of, "batch") || is_same(&of, "bs") || is_same(&of, "n") || is_same(&of, "b")) {
        return TACHO_DIM_BATCH;
    }
    return is_sequence ? TACHO_DIM_SEQUENCE : TACHO_DIM_OTHER;
}

/* ---- the model ----------------------------------------------------------------------------- */

static tacho_sweep_dim *find_item(const tacho_sweep_dims *dims, tacho_str name)
{
    for (size_t i = 0; i < dims->item_count; i++) {
        if (tacho_str_equal(dims->items[i].name, name)) {
            return &dims->items[i];
        }
    }
    return NULL;
}

static bool is_given(const tacho_model_options *model, tacho_str name)
{
    bool is_found = false;
    for (size_t i = 0; i < model->dim_count; i++) {
        is_found = is_found || tacho_str_equal(model->dims[i].name, name);
    }
    return is_found;
}

/* A dimension without a name is called by its input and place. */
static tacho_status name_dim(tacho_sweep_dims *dims, const tacho_graph *graph,
                             const tacho_model_open_dim *open, tacho_str *out_name)
{
    tacho_str input = tacho_graph_string(graph, graph->tensors[open->tensor].name);
    if (open->name.len > 0) {
        return tacho_arena_copy(&dims->arena, open->name, out_name);
    }
    char *memory = NULL;
    size_t room = input.len + 16;
    TACHO_TRY(tacho_arena_alloc(&dims->arena, room, (void **)&memory));
    int len = snprintf(memory, room, "%.*s.%" PRId32, TACHO_STR_ARG(input), open->axis);
    *out_name = tacho_str_make(memory, (size_t)len);
    return TACHO_OK;
}

static tacho_status add_dim(tacho_sweep_dims *dims, const tacho_graph *graph,
                            const tacho_model_open_dim *open, const tacho_model_options *model)
{
    tacho_sweep_dim item = {.axis = TACHO_SWEEP_AXES_MAX};
    const tacho_tensor *tensor = &graph->tensors[open->tensor];
    TACHO_TRY(name_dim(dims, graph, open, &item.name));
    if (!tensor->is_input || find_item(dims, item.name) != NULL) {
        return TACHO_OK;
    }
    bool is_first = open->name.len == 0 && open->axis == 0 && tensor->shape->rank > 1;
    item.role = open->name.len > 0 ? tacho_dim_role_of(item.name)
                : is_first         ? TACHO_DIM_BATCH
                                   : TACHO_DIM_OTHER;
    item.is_given = is_given(model, item.name);
    TACHO_TRY(tacho_grow(&dims->items, &dims->item_capacity, dims->item_count + 1));
    dims->items[dims->item_count++] = item;
    return TACHO_OK;
}

static tacho_status survey(tacho_sweep_dims *dims, const tacho_sweep_request *request)
{
    tacho_model_facts facts;
    tacho_graph graph;
    tacho_model_facts_init(&facts);
    tacho_status status = tacho_graph_init(&graph);
    if (status == TACHO_OK) {
        status = tacho_model_survey(request->model_path, &facts, &graph);
    }
    for (size_t i = 0; status == TACHO_OK && i < facts.dim_count; i++) {
        status = add_dim(dims, &graph, &facts.dims[i], request->model);
    }
    tacho_model_facts_deinit(&facts);
    tacho_graph_deinit(&graph);
    return status;
}

/* ---- axes ---------------------------------------------------------------------------------- */

static tacho_status fail_axis(const tacho_sweep_dims *dims, const tacho_sweep_request *request,
                              tacho_str name)
{
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < dims->item_count && used < sizeof(names); i++) {
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.*s", i > 0 ? ", " : "",
                                 TACHO_STR_ARG(dims->items[i].name));
    }
    return tacho_fail(TACHO_CODE_USAGE, "%s: no open dimension is called '%.*s'; open are: %s",
                      request->model_path, TACHO_STR_ARG(name),
                      dims->item_count > 0 ? names : "none");
}

/* Gives the axis to the dimension of its name, else to those that mean the same. */
static tacho_status assign_axis(tacho_sweep_dims *dims, const tacho_sweep_request *request,
                                size_t axis)
{
    tacho_str name = request->axes->items[axis].name;
    tacho_dim_role role = tacho_dim_role_of(name);
    tacho_sweep_dim *named = find_item(dims, name);
    size_t count = 0;
    if (named != NULL && named->is_given) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "'%.*s' has a size already; give it a size or sweep it, not both",
                          TACHO_STR_ARG(name));
    }
    for (size_t i = 0; i < dims->item_count; i++) {
        tacho_sweep_dim *item = &dims->items[i];
        bool is_meant = named != NULL
                            ? item == named
                            : item->role == role && role != TACHO_DIM_OTHER && !item->is_given;
        item->axis = is_meant ? axis : item->axis;
        count += is_meant ? 1 : 0;
    }
    dims->is_batch_joined |= count == 0 && role == TACHO_DIM_BATCH;
    dims->batch_axis = role == TACHO_DIM_BATCH ? axis : dims->batch_axis;
    dims->sequence_axis = role == TACHO_DIM_SEQUENCE ? axis : dims->sequence_axis;
    return count > 0 || role == TACHO_DIM_BATCH ? TACHO_OK : fail_axis(dims, request, name);
}

static bool has_open_past(const tacho_sweep_dims *dims)
{
    bool is_open = false;
    for (size_t i = 0; i < dims->item_count; i++) {
        const tacho_sweep_dim *item = &dims->items[i];
        is_open = is_open || (item->role == TACHO_DIM_PAST && !item->is_given &&
                              item->axis == TACHO_SWEEP_AXES_MAX);
    }
    return is_open;
}

tacho_status tacho_sweep_dims_init(tacho_sweep_dims *dims, const tacho_sweep_request *request)
{
    *dims = (tacho_sweep_dims){.batch_axis = TACHO_SWEEP_AXES_MAX,
                               .sequence_axis = TACHO_SWEEP_AXES_MAX};
    tacho_arena_init(&dims->arena);
    if (strcmp(request->model_path, "-") == 0) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "a sweep reads the model several times, so it cannot be standard input");
    }
    TACHO_TRY(survey(dims, request));
    for (size_t i = 0; i < request->axes->count; i++) {
        TACHO_TRY(assign_axis(dims, request, i));
    }
    dims->has_cache = dims->sequence_axis < TACHO_SWEEP_AXES_MAX && has_open_past(dims);
    return TACHO_OK;
}

void tacho_sweep_dims_deinit(tacho_sweep_dims *dims)
{
    free(dims->items);
    tacho_arena_deinit(&dims->arena);
}

/* ---- a point ------------------------------------------------------------------------------- */

/* The size that the length of the point means for |role|. */
static int64_t length_of(const tacho_sweep_sizes *sizes, tacho_dim_role role, int64_t length)
{
    bool is_decode = sizes->phase == TACHO_SWEEP_DECODE;
    switch (role) {
    case TACHO_DIM_SEQUENCE:
        return is_decode ? 1 : length;
    case TACHO_DIM_PAST:
        return is_decode ? length : 0;
    case TACHO_DIM_TOTAL:
        return is_decode ? length + 1 : length;
    case TACHO_DIM_OTHER:
    case TACHO_DIM_BATCH:
        break;
    }
    return -1;
}

/* The size of one dimension at the point; -1: it is not swept. */
static int64_t value_of(const tacho_sweep_dims *dims, const tacho_sweep_sizes *sizes,
                        const tacho_sweep_dim *item)
{
    bool has_length = dims->sequence_axis < TACHO_SWEEP_AXES_MAX;
    bool is_length = item->role == TACHO_DIM_SEQUENCE || item->role == TACHO_DIM_TOTAL ||
                     (item->role == TACHO_DIM_PAST && dims->has_cache);
    if (item->is_given) {
        return -1;
    }
    if (has_length && is_length &&
        (item->axis == TACHO_SWEEP_AXES_MAX || item->axis == dims->sequence_axis)) {
        return length_of(sizes, item->role, sizes->values[dims->sequence_axis]);
    }
    return item->axis < TACHO_SWEEP_AXES_MAX ? sizes->values[item->axis] : -1;
}

size_t tacho_sweep_dims_fill(const tacho_sweep_dims *dims, const tacho_sweep_sizes *sizes,
                             const tacho_model_options *model, tacho_model_dim *out)
{
    size_t count = 0;
    for (; count < model->dim_count; count++) {
        out[count] = model->dims[count];
    }
    for (size_t i = 0; i < dims->item_count; i++) {
        int64_t value = value_of(dims, sizes, &dims->items[i]);
        if (value >= 0) {
            out[count++] = (tacho_model_dim){dims->items[i].name, value};
        }
    }
    return count;
}

int64_t tacho_sweep_dims_value(const tacho_sweep_dims *dims, const tacho_sweep_sizes *sizes,
                               const tacho_model_options *model, tacho_dim_role role)
{
    for (size_t i = 0; i < dims->item_count; i++) {
        const tacho_sweep_dim *item = &dims->items[i];
        if (item->role != role) {
            continue;
        }
        for (size_t j = 0; item->is_given && j < model->dim_count; j++) {
            if (tacho_str_equal(model->dims[j].name, item->name)) {
                return model->dims[j].value;
            }
        }
        int64_t value = value_of(dims, sizes, item);
        return value < 0 && role == TACHO_DIM_BATCH ? 1 : value; /* as the reader has it */
    }
    return -1;
}
