/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values in files beside the model. A file is opened once, stays mapped as long as the graph, and
 * must be a regular file in the model's folder or below, whatever links there are: a model from
 * elsewhere shall not read other files, and shall not make us wait for a pipe.
 */
#include "base/grow.h"
#include "graph/onnx_reader.h"

#include <inttypes.h>
#include <stdio.h>

static const uint8_t entry_wires[] = {[1] = TACHO_ONNX_BYTES, [2] = TACHO_ONNX_BYTES};
static const tacho_onnx_schema entry_schema =
    TACHO_ONNX_SCHEMA("StringStringEntryProto", entry_wires);

tacho_status tacho_onnx_read_external(const tacho_onnx_state *state, tacho_str message,
                                      tacho_onnx_external *external)
{
    tacho_str key = TACHO_STR("");
    tacho_str value = TACHO_STR("");
    tacho_pb_reader reader = tacho_onnx_open(state, message);
    tacho_pb_field field;
    bool got = true;
    while (got) {
        TACHO_TRY(tacho_onnx_next(state, &entry_schema, &reader, &field, &got));
        if (field.number == 1) {
            key = field.bytes;
        } else if (field.number == 2) {
            value = field.bytes;
        }
    }
    uint64_t *number = tacho_str_equal(key, TACHO_STR("offset"))   ? &external->offset
                       : tacho_str_equal(key, TACHO_STR("length")) ? &external->length
                                                                   : NULL;
    if (tacho_str_equal(key, TACHO_STR("location"))) {
        external->location = value;
    } else if (number != NULL && !tacho_str_parse_u64(value, number)) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, message.data,
                               "'%.*s' is not a valid %.*s of external data",
                               TACHO_STR_ARG(tacho_onnx_shown(value)), TACHO_STR_ARG(key));
    }
    return TACHO_OK;
}

/* Whether a path leads into its folder and not out of it. */
static bool stays_inside(tacho_str location)
{
    if (location.len == 0 || location.data[0] == '/' ||
        tacho_str_find_byte(location, '\0') < location.len) {
        return false;
    }
    for (tacho_str rest = location;;) {
        size_t len = tacho_str_find_byte(rest, '/');
        if (tacho_str_equal(tacho_str_make(rest.data, len), TACHO_STR(".."))) {
            return false;
        }
        if (len == rest.len) {
            return true;
        }
        rest = tacho_str_from(rest, len + 1);
    }
}

static tacho_status open_file(tacho_onnx_state *state, tacho_str location,
                              tacho_onnx_file *out_file)
{
    *out_file = (tacho_onnx_file){.is_absent = true};
    tacho_graph *graph = state->graph;
    if (tacho_str_equal(graph->path, TACHO_STR("-"))) {
        return TACHO_OK; /* standard input has no folder */
    }
    size_t folder_len = graph->path.len - tacho_str_basename(graph->path).len;
    tacho_str folder =
        folder_len > 0 ? tacho_str_make(graph->path.data, folder_len) : TACHO_STR(".");
    TACHO_TRY(tacho_arena_copy(&graph->arena, folder, &folder));
    TACHO_TRY(tacho_arena_copy(&graph->arena, location, &location));
    tacho_status status =
        tacho_mappings_open_beneath(&graph->mappings, folder.data, location.data, &out_file->bytes);
    out_file->is_absent = tacho_status_code(status) == TACHO_CODE_NOT_FOUND;
    if (out_file->is_absent) {
        tacho_status_free(status);
        return TACHO_OK;
    }
    return tacho_status_add_note(status, "external data of the model %.*s",
                                 TACHO_STR_ARG(graph->path));
}

static tacho_status ensure_file(tacho_onnx_state *state, tacho_str location,
                                tacho_onnx_file *out_file)
{
    tacho_onnx_name *entry = NULL;
    TACHO_TRY(tacho_onnx_name_ensure(state, location, &entry));
    if (entry->file == TACHO_NONE) {
        TACHO_TRY(tacho_grow(&state->files, &state->file_capacity, state->file_count + 1));
        TACHO_TRY(open_file(state, location, &state->files[state->file_count]));
        entry->file = (uint32_t)state->file_count++;
    }
    *out_file = state->files[entry->file];
    return TACHO_OK;
}

tacho_status tacho_onnx_find_external(tacho_onnx_state *state, tacho_str name,
                                      const tacho_onnx_external *external, uint64_t expected,
                                      const unsigned char **out_bytes)
{
    tacho_str location = external->location;
    const char *at = external->at;
    *out_bytes = NULL;
    if (!stays_inside(location)) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, at,
                               "data of tensor '%.*s' is said to be in '%.*s'; expected a file in "
                               "the model's directory",
                               TACHO_STR_ARG(tacho_onnx_shown(name)),
                               TACHO_STR_ARG(tacho_onnx_shown(location)));
    }
    if (external->length != UINT64_MAX && external->length != expected) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, at,
                               "tensor '%.*s' has %" PRIu64 " bytes of external data; its shape "
                               "and type need %" PRIu64,
                               TACHO_STR_ARG(tacho_onnx_shown(name)), external->length, expected);
    }
    tacho_onnx_file file;
    TACHO_TRY(ensure_file(state, location, &file));
    if (file.is_absent) {
        return TACHO_OK;
    }
    if (external->offset > file.bytes.len || expected > file.bytes.len - external->offset) {
        return tacho_onnx_fail(
            state, TACHO_CODE_BAD_DATA, at,
            "tensor '%.*s' needs bytes %" PRIu64 " to %" PRIu64 " of '%.*s', which has %zu",
            TACHO_STR_ARG(tacho_onnx_shown(name)), external->offset, external->offset + expected,
            TACHO_STR_ARG(tacho_onnx_shown(location)), file.bytes.len);
    }
    static const unsigned char nothing[1] = {0};
    *out_bytes =
        file.bytes.len == 0 ? nothing : (const unsigned char *)file.bytes.data + external->offset;
    return TACHO_OK;
}
