/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of ONNX: fields that are checked against a schema, repeated numbers, and names.
 * Failures name the byte of the file.
 */
#include "graph/onnx_reader.h"

#include "base/grow.h"

#include <stdarg.h>
#include <stdio.h>

enum { SHOWN_BYTES = 96, PROBLEM_BYTES = 1024 };

tacho_status tacho_onnx_fail(const tacho_onnx_state *state, tacho_code code, const char *at,
                             const char *format, ...)
{
    char problem[PROBLEM_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(problem, sizeof(problem), format, args);
    va_end(args);
    return tacho_fail(code, "%.*s: byte %zu: %s", TACHO_STR_ARG(state->graph->path),
                      (size_t)(at - state->bytes.data), problem);
}

tacho_str tacho_onnx_shown(tacho_str name)
{
    return tacho_str_make(name.data, name.len < SHOWN_BYTES ? name.len : SHOWN_BYTES);
}

tacho_pb_reader tacho_onnx_open(const tacho_onnx_state *state, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    if (message.len > 0) {
        reader.start = (const unsigned char *)state->bytes.data;
    }
    return reader;
}

static tacho_status in_file(const tacho_onnx_state *state, tacho_status status)
{
    if (status == TACHO_OK) {
        return status;
    }
    tacho_status named =
        tacho_fail(tacho_status_code(status), "%.*s: %s", TACHO_STR_ARG(state->graph->path),
                   tacho_status_message(status));
    tacho_status_free(status);
    return named;
}

tacho_status tacho_onnx_next(const tacho_onnx_state *state, const tacho_onnx_schema *schema,
                             tacho_pb_reader *reader, tacho_pb_field *out_field, bool *out_got)
{
    const char *at = (const char *)reader->at;
    tacho_status status = in_file(state, tacho_pb_next(reader, out_field, out_got));
    TACHO_TRY_NOTE(status, "in a %s", schema->name);
    uint32_t number = out_field->number;
    unsigned wires = *out_got && number < schema->wire_count ? schema->wires[number] : 0;
    if (wires != 0 && (wires >> out_field->wire & 1) == 0) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, at,
                               "field %u of a %s cannot have wire type %u", number, schema->name,
                               (unsigned)out_field->wire);
    }
    return TACHO_OK;
}

/* ---- repeated numbers ----------------------------------------------------------------------- */

tacho_status tacho_onnx_numbers_count(const tacho_onnx_state *state, const tacho_pb_field *field,
                                      size_t fixed_size, size_t *out_count)
{
    *out_count = 1;
    if (field->wire != TACHO_PB_WIRE_BYTES) {
        return TACHO_OK;
    }
    if (fixed_size > 0) {
        *out_count = field->bytes.len / fixed_size;
        return field->bytes.len % fixed_size == 0
                   ? TACHO_OK
                   : tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, field->bytes.data,
                                     "%zu bytes are not a whole number of %zu-byte values",
                                     field->bytes.len, fixed_size);
    }
    size_t count = 0;
    for (size_t i = 0; i < field->bytes.len; i++) {
        count += ((unsigned char)field->bytes.data[i] & 0x80) == 0;
    }
    *out_count = count;
    return TACHO_OK;
}

static tacho_status next_packed(const tacho_onnx_state *state, tacho_onnx_numbers *numbers,
                                uint64_t *out_value)
{
    tacho_pb_reader *packed = &numbers->packed;
    if (numbers->fixed_size == 0) {
        return in_file(state, tacho_pb_read_varint(packed, out_value));
    }
    if ((size_t)(packed->end - packed->at) < numbers->fixed_size) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, (const char *)packed->at,
                               "a list ends inside a number");
    }
    *out_value = 0;
    for (size_t i = 0; i < numbers->fixed_size; i++) {
        *out_value |= (uint64_t)*packed->at++ << (8 * i);
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_numbers_next(const tacho_onnx_state *state, tacho_onnx_numbers *numbers,
                                     uint64_t *out_value, bool *out_got)
{
    *out_value = 0;
    *out_got = true;
    while (numbers->packed.at == numbers->packed.end) {
        tacho_pb_field field;
        TACHO_TRY(tacho_onnx_next(state, numbers->schema, &numbers->fields, &field, out_got));
        if (!*out_got) {
            return TACHO_OK;
        }
        if (field.number == numbers->number && field.wire == TACHO_PB_WIRE_BYTES) {
            numbers->packed = tacho_onnx_open(state, field.bytes);
        } else if (field.number == numbers->number) {
            *out_value = field.value;
            return TACHO_OK;
        }
    }
    return next_packed(state, numbers, out_value);
}

/* ---- names ---------------------------------------------------------------------------------- */

tacho_status tacho_onnx_name_ensure(tacho_onnx_state *state, tacho_str name,
                                    tacho_onnx_name **out_entry)
{
    if (name.len > TACHO_ONNX_NAME_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_LIMIT, name.data,
                               "a name of %zu bytes; at most %d are read", name.len,
                               (int)TACHO_ONNX_NAME_MAX);
    }
    uint32_t id;
    TACHO_TRY(tacho_strings_ensure(&state->graph->strings, name, &id));
    TACHO_TRY(tacho_grow(&state->names, &state->name_capacity, (size_t)id + 1));
    while (state->name_count <= id) {
        state->names[state->name_count++] =
            (tacho_onnx_name){.tensor = TACHO_NONE, .file = TACHO_NONE, .function = TACHO_NONE};
    }
    *out_entry = &state->names[id];
    return TACHO_OK;
}

static uint32_t hash_local(const tacho_onnx_state *state, uint32_t scope, uint32_t name)
{
    uint32_t key[2] = {scope, name};
    return tacho_index_hash(&state->local_index, tacho_str_make((const char *)key, sizeof(key)));
}

/* The tensor that the string |name| is called in |scope| itself, or TACHO_NONE. */
static uint32_t find_in(const tacho_onnx_state *state, uint32_t scope, uint32_t name)
{
    if (scope == 0) {
        return name < state->name_count ? state->names[name].tensor : TACHO_NONE;
    }
    uint32_t hash = hash_local(state, scope, name);
    size_t at = tacho_index_begin(&state->local_index, hash);
    for (uint32_t id; (id = tacho_index_next(&state->local_index, hash, &at)) != TACHO_NONE;) {
        if (state->locals[id].scope == scope && state->locals[id].name == name) {
            return state->locals[id].tensor;
        }
    }
    return TACHO_NONE;
}

static tacho_status add_local(tacho_onnx_state *state, uint32_t name, uint32_t tensor)
{
    TACHO_TRY(tacho_grow(&state->locals, &state->local_capacity, state->local_count + 1));
    state->locals[state->local_count] = (tacho_onnx_local){state->scope, name, tensor};
    return tacho_index_add(&state->local_index, hash_local(state, state->scope, name),
                           (uint32_t)state->local_count++);
}

tacho_status tacho_onnx_tensor_define(tacho_onnx_state *state, tacho_str name, uint32_t *out_tensor)
{
    tacho_onnx_name *entry = NULL;
    TACHO_TRY(tacho_onnx_name_ensure(state, name, &entry));
    uint32_t id = (uint32_t)(entry - state->names);
    *out_tensor = find_in(state, state->scope, id);
    if (*out_tensor != TACHO_NONE) {
        return TACHO_OK;
    }
    if (state->graph->tensor_count >= TACHO_ONNX_TENSOR_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_LIMIT, name.data, "more than %d tensors",
                               (int)TACHO_ONNX_TENSOR_MAX);
    }
    TACHO_TRY(tacho_graph_add_tensor(state->graph, name, out_tensor));
    if (state->scope > 0) {
        return add_local(state, id, *out_tensor);
    }
    entry->tensor = *out_tensor;
    return TACHO_OK;
}

tacho_status tacho_onnx_tensor_bind(tacho_onnx_state *state, tacho_str name, uint32_t tensor)
{
    tacho_onnx_name *entry = NULL;
    TACHO_TRY(tacho_onnx_name_ensure(state, name, &entry));
    uint32_t id = (uint32_t)(entry - state->names);
    if (find_in(state, state->scope, id) != TACHO_NONE) {
        return tacho_onnx_fail(state, TACHO_CODE_BAD_DATA, name.data,
                               "two inputs are called '%.*s'",
                               TACHO_STR_ARG(tacho_onnx_shown(name)));
    }
    return add_local(state, id, tensor == TACHO_NONE ? TACHO_ONNX_ABSENT : tensor);
}

tacho_status tacho_onnx_tensor_redefine(tacho_onnx_state *state, tacho_str name,
                                        uint32_t *out_tensor)
{
    tacho_onnx_name *entry = NULL;
    TACHO_TRY(tacho_onnx_name_ensure(state, name, &entry));
    uint32_t id = (uint32_t)(entry - state->names), before = find_in(state, state->scope, id);
    if (state->graph->tensor_count >= TACHO_ONNX_TENSOR_MAX) {
        return tacho_onnx_fail(state, TACHO_CODE_LIMIT, name.data, "more than %d tensors",
                               (int)TACHO_ONNX_TENSOR_MAX);
    }
    TACHO_TRY(tacho_graph_add_tensor(state->graph, name, out_tensor));
    if (state->scope == 0) {
        entry->tensor = *out_tensor;
    }
    for (size_t i = state->local_count; i-- > 0 && state->scope > 0;) {
        if (state->locals[i].scope == state->scope && state->locals[i].tensor == before) {
            state->locals[i].tensor = *out_tensor;
            break;
        }
    }
    return TACHO_OK;
}

uint32_t tacho_onnx_tensor_find(const tacho_onnx_state *state, tacho_str name)
{
    uint32_t id = tacho_strings_find(&state->graph->strings, name);
    uint32_t tensor = find_in(state, state->scope, id);
    for (uint32_t scope = state->scope;
         tensor == TACHO_NONE && scope != 0 && !state->scopes[scope].is_closed;) {
        scope = state->scopes[scope].parent;
        tensor = find_in(state, scope, id);
    }
    return tensor;
}

uint32_t tacho_onnx_tensor_find_own(const tacho_onnx_state *state, tacho_str name)
{
    return find_in(state, state->scope, tacho_strings_find(&state->graph->strings, name));
}

tacho_status tacho_onnx_tensor_ensure(tacho_onnx_state *state, tacho_str name, uint32_t *out_tensor)
{
    *out_tensor = tacho_onnx_tensor_find(state, name);
    return *out_tensor != TACHO_NONE ? TACHO_OK : tacho_onnx_tensor_define(state, name, out_tensor);
}
