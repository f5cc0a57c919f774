/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories and names as PyTorch's profiler (Kineto), NVTX and exporters of models write them.
 */
#include "profile/scopes.h"

#include "codec/mlir_location.h"
#include "profile/step_names.h"
#include "profile/vocabulary.h"

#include <inttypes.h>
#include <stdio.h>

bool tacho_scope_is_step(tacho_str name)
{
    return tacho_str_starts_with(name, TACHO_STR("ProfilerStep#"));
}

/* ---- Python -------------------------------------------------------------------------------- */

/* Frames of PyTorch itself: files are relative to where packages are installed. */
static bool is_of_library(tacho_str name)
{
    return tacho_str_starts_with(name, TACHO_STR("torch/")) ||
           tacho_str_starts_with(name, TACHO_STR("<frozen "));
}

/* "model.py(12): forward"; calls of built-in functions have no line. */
static bool is_frame(tacho_str name)
{
    size_t open = tacho_str_find_byte(name, '(');
    size_t at = open + 1;
    while (at < name.len && name.data[at] >= '0' && name.data[at] <= '9') {
        at++;
    }
    return open > 0 && at > open + 1 && at + 1 < name.len && name.data[at] == ')' &&
           name.data[at + 1] == ':';
}

static tacho_scope scope_of_python(tacho_str name)
{
    const tacho_str module = TACHO_STR("nn.Module: ");
    if (tacho_str_starts_with(name, module)) {
        return (tacho_scope){.kind = TACHO_SCOPE_LAYER, .name = tacho_str_from(name, module.len)};
    }
    return is_frame(name) ? (tacho_scope){TACHO_SCOPE_FRAME, name, is_of_library(name)}
                          : (tacho_scope){.kind = TACHO_SCOPE_NONE};
}

/* A range that the program marks, whose name may be a step's or begin with one. */
static tacho_scope scope_of_range(tacho_str name)
{
    tacho_str layer = tacho_step_layer(name);
    bool is_step = tacho_scope_is_step(name) || (layer.len == 0 && name.len > 0);
    return is_step ? (tacho_scope){.kind = TACHO_SCOPE_STEP, .name = name}
                   : (tacho_scope){.kind = TACHO_SCOPE_LAYER, .name = layer};
}

/* PyTorch's own ranges (emit_nvtx) are operators: "aten::linear, op_id = 12, sizes = [...]". */
static tacho_scope scope_of_nvtx(tacho_str name)
{
    bool is_operator = tacho_str_starts_with(name, TACHO_STR("aten::")) ||
                       tacho_str_contains(name, TACHO_STR(", op_id = "));
    return is_operator
               ? (tacho_scope){.kind = TACHO_SCOPE_OPERATOR,
                               .name = tacho_str_make(name.data, tacho_str_find_byte(name, ','))}
               : scope_of_range(name);
}

/* ---- categories ---------------------------------------------------------------------------- */

tacho_scope tacho_scope_of(tacho_str category, tacho_str name)
{
    static const struct {
        tacho_str category;
        tacho_scope_kind kind;
    } kinds[] = {
        {TACHO_STR_INIT("cpu_op"), TACHO_SCOPE_OPERATOR},
        {TACHO_STR_INIT("Operator"), TACHO_SCOPE_OPERATOR}, /* as files of 2021 have them */
        {TACHO_STR_INIT("user_annotation"), TACHO_SCOPE_LAYER},
        {TACHO_STR_INIT("gpu_user_annotation"), TACHO_SCOPE_LAYER},
    };
    if (tacho_str_equal(category, TACHO_STR("nvtx")) ||
        tacho_str_equal(category, TACHO_STR("NVTX")) ||
        tacho_str_equal(category, TACHO_STR("roctx"))) {
        return scope_of_nvtx(name);
    }
    if (tacho_str_equal(category, TACHO_STR("python_function"))) {
        return scope_of_python(name);
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (tacho_str_equal(category, kinds[i].category)) {
            return kinds[i].kind == TACHO_SCOPE_LAYER
                       ? scope_of_range(name)
                       : (tacho_scope){.kind = kinds[i].kind, .name = name};
        }
    }
    return (tacho_scope){.kind = TACHO_SCOPE_NONE};
}

/* ---- locations ----------------------------------------------------------------------------- */

tacho_str tacho_scope_of_node(tacho_str name)
{
    size_t end = name.len;
    while (end > 0 && name.data[end - 1] != '/') {
        end--;
    }
    size_t first = 0;
    while (first < end && name.data[first] == '/') {
        first++;
    }
    return end > first + 1 ? tacho_str_make(name.data + first, end - 1 - first) : TACHO_STR("");
}

static tacho_status print_line(const tacho_mlir_location_node *file, tacho_arena *arena,
                               tacho_str *out_line)
{
    char number[16];
    size_t len = (size_t)snprintf(number, sizeof(number), ":%" PRIu32, file->line);
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, file->text.len + len, &memory));
    if (file->text.len > 0) {
        memcpy(memory, file->text.data, file->text.len);
    }
    memcpy((char *)memory + file->text.len, number, len);
    *out_line = tacho_str_make(memory, file->text.len + len);
    return TACHO_OK;
}

/* The layer of the first operator that |location| names. */
static tacho_str layer_of(const tacho_mlir_location *location)
{
    const tacho_mlir_location_node *nodes = location->nodes;
    for (size_t i = 0; i < location->node_count; i++) {
        if (nodes[i].kind == TACHO_MLIR_LOCATION_NAME) {
            bool is_nested = i + 1 < nodes[i].subtree_end && i + 1 < location->node_count &&
                             nodes[i + 1].kind == TACHO_MLIR_LOCATION_NAME;
            return is_nested ? nodes[i + 1].text : tacho_scope_of_node(nodes[i].text);
        }
    }
    return TACHO_STR("");
}

tacho_status tacho_scope_of_location(tacho_str text, tacho_arena *arena, tacho_str *out_layer,
                                     tacho_str *out_line)
{
    tacho_mlir_location parsed;
    *out_layer = *out_line = TACHO_STR("");
    tacho_status status = tacho_mlir_location_parse(text, NULL, arena, &parsed);
    if (status != TACHO_OK) {
        return tacho_status_forgive_data(status);
    }
    const tacho_mlir_location_node *file = tacho_mlir_location_primary(&parsed);
    *out_layer = layer_of(&parsed);
    return file != NULL ? print_line(file, arena, out_line) : TACHO_OK;
}
