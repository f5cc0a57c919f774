/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads of one struct each. Results of inferences are in result.c.
 */
#include "remote/messages.h"

#include "base/maths.h"

#include <limits.h>

enum { ACTIVATIONS_MAX = 1024, THREADS_MAX = 1024 };

/* Single bits of a LOAD. */
enum {
    FINE_TIMER = 1 << 0,
    UNLIMITED = 1 << 1,
    SKIPS_VALUES = 1 << 2,
    FORCED = 1 << 3,
    REFERENCE = 1 << 4,
};

tacho_status tacho_wire_put_hello(tacho_bytes *to, const tacho_wire_hello *hello)
{
    TACHO_TRY(tacho_bytes_put(to, hello->protocol, 4));
    TACHO_TRY(tacho_wire_put_text(to, hello->version));
    return tacho_wire_put_text(to, hello->machine);
}

/* Of another protocol only the number is known; the rest may be anything. */
tacho_status tacho_wire_get_hello(tacho_str payload, tacho_wire_hello *out_hello)
{
    tacho_wire_reader reader = {.bytes = payload};
    out_hello->protocol = (uint32_t)tacho_wire_get(&reader, 4);
    out_hello->version = tacho_wire_get_text(&reader);
    out_hello->machine = tacho_wire_get_text(&reader);
    return out_hello->protocol != TACHO_WIRE_PROTOCOL && payload.len >= 4
               ? TACHO_OK
               : tacho_wire_end(&reader, TACHO_WIRE_HELLO);
}

tacho_status tacho_wire_put_load(tacho_bytes *to, const char *device,
                                 const tacho_device_options *options)
{
    uint32_t flags =
        (options->has_fine_timer ? FINE_TIMER : 0) | (options->is_unlimited ? UNLIMITED : 0) |
        (options->skips_values ? SKIPS_VALUES : 0) | (options->is_forced ? FORCED : 0) |
        (options->kernels == TACHO_KERNELS_REFERENCE ? REFERENCE : 0);
    TACHO_TRY(tacho_bytes_put(to, flags, 4));
    TACHO_TRY(tacho_bytes_put(to, options->threads, 4));
    TACHO_TRY(tacho_bytes_put(to, options->activations, 4));
    return tacho_wire_put_text(to, tacho_str_from_cstring(device));
}

tacho_status tacho_wire_get_load(tacho_str payload, tacho_str *out_device,
                                 tacho_device_options *out_options)
{
    tacho_wire_reader reader = {.bytes = payload};
    uint64_t flags = tacho_wire_get(&reader, 4);
    *out_options = (tacho_device_options){
        .kernels = flags & REFERENCE ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST,
        .threads = (uint32_t)tacho_wire_get(&reader, 4),
        .activations = (uint32_t)tacho_wire_get(&reader, 4),
        .has_fine_timer = (flags & FINE_TIMER) != 0,
        .is_unlimited = (flags & UNLIMITED) != 0,
        .skips_values = (flags & SKIPS_VALUES) != 0,
        .is_forced = (flags & FORCED) != 0,
    };
    *out_device = tacho_wire_get_text(&reader);
    reader.is_bad |= out_options->threads > THREADS_MAX;
    reader.is_bad |= out_options->activations > ACTIVATIONS_MAX;
    return tacho_wire_end(&reader, TACHO_WIRE_LOAD);
}

/* ---- LOADED -------------------------------------------------------------------------------- */

tacho_status tacho_wire_put_loaded(tacho_bytes *to, const tacho_device *device)
{
    const char *missing = tacho_device_missing(device);
    bool has_values = tacho_device_has_values(device);
    tacho_execution_counts counts = {0};
    if (has_values) {
        counts = tacho_device_count(device);
    }
    const uint32_t numbers[] = {has_values,     counts.fast,     counts.reference, counts.free,
                                counts.kernels, counts.reorders, counts.recomputed};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        TACHO_TRY(tacho_bytes_put(to, numbers[i], 4));
    }
    TACHO_TRY(tacho_bytes_put(to, has_values ? tacho_device_peak_bytes(device) : 0, 8));
    TACHO_TRY(tacho_wire_put_text(to, tacho_str_from_cstring(missing != NULL ? missing : "")));
    size_t op_count = has_values ? device->program->op_count : 0;
    TACHO_TRY(tacho_bytes_put(to, op_count, 8));
    for (size_t i = 0; i < op_count; i++) {
        TACHO_TRY(tacho_bytes_put(to, tacho_device_computes_op(device, (uint32_t)i), 1));
    }
    return TACHO_OK;
}

tacho_status tacho_wire_get_loaded(tacho_str payload, const tacho_program *program,
                                   tacho_wire_loaded *out_loaded)
{
    tacho_wire_reader reader = {.bytes = payload};
    *out_loaded = (tacho_wire_loaded){.has_values = tacho_wire_get(&reader, 4) != 0};
    tacho_execution_counts *counts = &out_loaded->counts;
    uint32_t *const numbers[] = {&counts->fast,    &counts->reference, &counts->free,
                                 &counts->kernels, &counts->reorders,  &counts->recomputed};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        *numbers[i] = (uint32_t)tacho_wire_get(&reader, 4);
    }
    out_loaded->peak_bytes = tacho_wire_get(&reader, 8);
    out_loaded->missing = tacho_wire_get_text(&reader);
    out_loaded->computes_op = tacho_wire_get_text(&reader);
    reader.is_bad |= out_loaded->has_values && out_loaded->computes_op.len != program->op_count;
    return tacho_wire_end(&reader, TACHO_WIRE_LOADED);
}

uint64_t tacho_wire_loaded_limit(const tacho_program *program)
{
    return tacho_size_add(TACHO_WIRE_SMALL_BYTES, program->op_count);
}

/* ---- values -------------------------------------------------------------------------------- */

bool tacho_wire_array_bytes(const tacho_array *array, size_t *out_bytes)
{
    uint64_t count = 0;
    uint64_t bytes = 0;
    bool is_countable = tacho_shape_elements(&array->shape, &count) &&
                        tacho_dtype_bytes(array->dtype, count, &bytes) && bytes <= SIZE_MAX;
    *out_bytes = is_countable ? (size_t)bytes : 0;
    return is_countable;
}

tacho_status tacho_wire_put_array(tacho_bytes *to, uint64_t index, const tacho_array *array)
{
    TACHO_TRY(tacho_bytes_put(to, index, 8));
    TACHO_TRY(tacho_bytes_put(to, (uint64_t)array->dtype, 4));
    TACHO_TRY(tacho_bytes_put(to, (uint64_t)array->shape.rank, 4));
    for (int32_t i = 0; i < array->shape.rank; i++) {
        TACHO_TRY(tacho_bytes_put(to, (uint64_t)array->shape.dims[i], 8));
    }
    return TACHO_OK;
}

tacho_status tacho_wire_get_array(tacho_str payload, tacho_wire_type type, uint64_t *out_index,
                                  tacho_array *out_array)
{
    tacho_wire_reader reader = {.bytes = payload};
    *out_index = tacho_wire_get(&reader, 8);
    uint64_t dtype = tacho_wire_get(&reader, 4);
    uint64_t rank = tacho_wire_get(&reader, 4);
    *out_array = (tacho_array){.dtype = TACHO_DTYPE_NONE};
    reader.is_bad |= dtype >= TACHO_DTYPE_COUNT || rank > TACHO_RANK_MAX;
    for (uint64_t i = 0; i < rank && !reader.is_bad; i++) {
        out_array->shape.dims[i] = (int64_t)tacho_wire_get(&reader, 8);
        reader.is_bad |= out_array->shape.dims[i] < 0;
    }
    if (!reader.is_bad) {
        out_array->dtype = (tacho_dtype)dtype;
        out_array->shape.rank = (int32_t)rank;
        size_t len = 0;
        reader.is_bad |= !tacho_wire_array_bytes(out_array, &len);
        tacho_str bytes = tacho_wire_get_bytes(&reader, len);
        out_array->data = (void *)(uintptr_t)bytes.data;
    }
    return tacho_wire_end(&reader, type);
}

/* Type and shape of output |index| in the program, without elements. */
static tacho_array output_kind(const tacho_program *program, size_t index)
{
    const tacho_program_tensor *tensor = &program->tensors[program->outputs[index]];
    return (tacho_array){(tacho_dtype)tensor->dtype, *tacho_program_shape(program, tensor), NULL};
}

tacho_status tacho_wire_check_output(const tacho_array *array, const tacho_program *program,
                                     size_t index)
{
    char found[TACHO_SHAPE_TEXT_MAX];
    char wanted[TACHO_SHAPE_TEXT_MAX];
    tacho_array kind = output_kind(program, index);
    return array->dtype == kind.dtype && tacho_shape_equal(&array->shape, &kind.shape)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "output %zu is %s %s; expected %s %s", index,
                            tacho_dtype_name(array->dtype),
                            tacho_shape_print(&array->shape, found, sizeof(found)),
                            tacho_dtype_name(kind.dtype),
                            tacho_shape_print(&kind.shape, wanted, sizeof(wanted)));
}

uint64_t tacho_wire_value_limit(const tacho_program *program, size_t index)
{
    enum { HEAD_MAX_BYTES = 16 + 8 * TACHO_RANK_MAX };
    size_t len = 0;
    tacho_array kind = output_kind(program, index);
    return tacho_wire_array_bytes(&kind, &len) ? tacho_size_add(HEAD_MAX_BYTES, len)
                                               : TACHO_WIRE_SMALL_BYTES;
}

tacho_status tacho_wire_put_pair(tacho_bytes *to, uint64_t first, uint64_t second)
{
    TACHO_TRY(tacho_bytes_put(to, first, 8));
    return tacho_bytes_put(to, second, 8);
}

tacho_status tacho_wire_get_pair(tacho_str payload, tacho_wire_type type, uint64_t *out_first,
                                 uint64_t *out_second)
{
    tacho_wire_reader reader = {.bytes = payload};
    *out_first = tacho_wire_get(&reader, 8);
    *out_second = tacho_wire_get(&reader, 8);
    return tacho_wire_end(&reader, type);
}

/* ---- failures ------------------------------------------------------------------------------ */

enum { TEXTS_MAX = 64, HINTS_MAX = 64 };

/* Text 0 is the message, the others are notes; NULL past the last. */
static const char *text_of(tacho_status status, size_t index)
{
    return index == 0 ? tacho_status_message(status) : tacho_status_note(status, index - 1);
}

static tacho_status put_hints(tacho_bytes *to, tacho_status status, size_t text)
{
    uint64_t count = 0;
    while (count < HINTS_MAX &&
           tacho_status_hint(status, text, (size_t)count).id != TACHO_HINT_NONE) {
        count++;
    }
    TACHO_TRY(tacho_bytes_put(to, count, 4));
    for (size_t i = 0; i < count; i++) {
        tacho_hint hint = tacho_status_hint(status, text, i);
        TACHO_TRY(tacho_bytes_put(to, (uint64_t)hint.id, 4));
        TACHO_TRY(tacho_wire_put_text(to, tacho_str_from_cstring(hint.detail)));
    }
    return TACHO_OK;
}

tacho_status tacho_wire_put_failure(tacho_bytes *to, tacho_status status)
{
    uint64_t count = 0;
    while (count < TEXTS_MAX && text_of(status, (size_t)count) != NULL) {
        count++;
    }
    TACHO_TRY(tacho_bytes_put(to, (uint64_t)tacho_status_code(status), 4));
    TACHO_TRY(tacho_bytes_put(to, count, 4));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_wire_put_text(to, tacho_str_from_cstring(text_of(status, i))));
        TACHO_TRY(put_hints(to, status, i));
    }
    return TACHO_OK;
}

static tacho_status get_hints(tacho_wire_reader *reader, tacho_status status)
{
    char detail[256];
    uint64_t count = tacho_wire_get(reader, 4);
    reader->is_bad |= count > HINTS_MAX;
    for (uint64_t i = 0; i < count && !reader->is_bad; i++) {
        uint64_t id = tacho_wire_get(reader, 4);
        tacho_str text = tacho_wire_get_text(reader);
        size_t len = text.len < sizeof(detail) ? text.len : sizeof(detail) - 1;
        memcpy(detail, text.data, len);
        detail[len] = '\0';
        if (id > TACHO_HINT_NONE && id < TACHO_HINT_COUNT) {
            status = tacho_status_add_hint(status, (tacho_hint_id)id, detail);
        }
    }
    return status;
}

static int shown_len(tacho_str text)
{
    return text.len < INT_MAX ? (int)text.len : INT_MAX;
}

tacho_status tacho_wire_get_failure(tacho_str payload)
{
    tacho_wire_reader reader = {.bytes = payload};
    uint64_t code = tacho_wire_get(&reader, 4);
    uint64_t count = tacho_wire_get(&reader, 4);
    tacho_str message = tacho_wire_get_text(&reader);
    if (reader.is_bad || code == TACHO_CODE_OK || code > TACHO_CODE_CANCELLED) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "a failure that the runtime reports is damaged");
    }
    tacho_status status =
        get_hints(&reader, tacho_fail((tacho_code)code, "%.*s", shown_len(message), message.data));
    reader.is_bad |= count > TEXTS_MAX;
    for (uint64_t i = 1; i < count && !reader.is_bad; i++) {
        tacho_str note = tacho_wire_get_text(&reader);
        status = tacho_status_add_note(status, "%.*s", shown_len(note), note.data);
        status = get_hints(&reader, status);
    }
    return status;
}
