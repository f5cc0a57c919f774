/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of an execution: bytes of the program in place, computed ones in blocks of their own.
 */
#include "base/budget.h"
#include "base/grow.h"
#include "device/execute_parts.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHECKED_BYTES = 1 << 20 };

/* The tensor of the program that |value| is, or is computed from. */
static const char *name_of(const tacho_execution *self, const tacho_value *value)
{
    size_t id = (size_t)(value - self->values);
    bool is_named = id < self->program->tensor_count;
    uint32_t name = is_named ? self->program->tensors[id].name : 0;
    return tacho_strings_get(&self->program->strings, name).data;
}

tacho_status tacho_execution_block(tacho_execution *self, tacho_value *value)
{
    uint64_t bytes = value->bytes;
    if (bytes > tacho_execution_bytes_max - self->block_bytes) {
        return tacho_fail(TACHO_CODE_LIMIT, "constants of more than %llu bytes",
                          (unsigned long long)tacho_execution_bytes_max);
    }
    if (self->taker != NULL) {
        value->data = self->taker->take(self->taker->self, bytes);
        return value->data != NULL ? TACHO_OK : tacho_no_memory();
    }
    uint64_t size = (bytes / TACHO_MEMORY_ALIGN + 1) * TACHO_MEMORY_ALIGN;
    TACHO_TRY_NOTE(bytes < CHECKED_BYTES ? tacho_budget_take(size) : tacho_budget_check(size),
                   "the constant tensor '%s' of %" PRIu64 " bytes", name_of(self, value), bytes);
    TACHO_TRY(tacho_grow(&self->blocks, &self->block_capacity, self->block_count + 1));
    void *memory = aligned_alloc(TACHO_MEMORY_ALIGN, (size_t)size);
    if (memory == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %llu bytes for a constant",
                          (unsigned long long)bytes);
    }
    memset(memory, 0, (size_t)size);
    value->block = (uint32_t)self->block_count;
    value->data = memory;
    self->blocks[self->block_count++] = memory;
    self->block_bytes += bytes;
    return TACHO_OK;
}

void tacho_execution_trim(tacho_execution *self)
{
    for (size_t i = 0; i < self->value_count; i++) {
        tacho_value *value = &self->values[i];
        if (value->state == TACHO_VALUE_CONSTANT && value->block != TACHO_NONE && !value->is_kept) {
            free(self->blocks[value->block]);
            self->blocks[value->block] = value->data = NULL;
        }
    }
}

static void fill_splat(const void *element, size_t size, uint64_t bytes, void *to)
{
    for (uint64_t at = 0; at + size <= bytes; at += size) {
        memcpy((unsigned char *)to + at, element, size);
    }
}

/* Bytes of the program; copied only where they are not aligned for their type. */
static tacho_status bring_bytes(tacho_execution *self, const tacho_program_tensor *tensor,
                                tacho_value *value)
{
    const char *from = self->program->constants.data + tensor->offset;
    size_t alignment = tacho_dtype_element_bytes(value->dtype);
    alignment = alignment > 8 || alignment == 0 ? 8 : alignment & -alignment;
    if ((uintptr_t)from % alignment == 0 && self->taker == NULL) {
        memcpy(&value->data, &from, sizeof(from)); /* read only */
        return TACHO_OK;
    }
    TACHO_TRY(tacho_execution_block(self, value));
    memcpy(value->data, from, (size_t)value->bytes);
    return TACHO_OK;
}

tacho_status tacho_execution_load_constant(tacho_execution *self, uint32_t tensor)
{
    if (tensor >= self->program->tensor_count) {
        return tacho_wide_load_constant(self, tensor);
    }
    const tacho_program_tensor *from = &self->program->tensors[tensor];
    tacho_value *value = &self->values[tensor];
    bool has_bytes = from->storage == TACHO_STORAGE_BYTES || from->storage == TACHO_STORAGE_SPLAT;
    bool is_constant = has_bytes || from->storage == TACHO_STORAGE_RANDOM;
    size_t size = tacho_dtype_is_packed(value->dtype) ? 1 : tacho_dtype_element_bytes(value->dtype);
    uint64_t needed = from->storage == TACHO_STORAGE_SPLAT ? size : value->bytes, end;
    if (value->is_deferred && value->state == TACHO_VALUE_CONSTANT) {
        value->is_deferred = false; /* its inputs are none of that kind: no deep calls */
        return tacho_step_fold(self, value->producer);
    }
    if (!is_constant || value->data != NULL) {
        return TACHO_OK;
    }
    if (has_bytes && (__builtin_add_overflow(from->offset, needed, &end) ||
                      end > self->program->constants.len)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "constant '%s' has no value: the program was compiled without values",
                          tacho_strings_get(&self->program->strings, from->name).data);
    }
    if (from->storage == TACHO_STORAGE_BYTES && value->bytes > 0) {
        return bring_bytes(self, from, value);
    }
    TACHO_TRY(tacho_execution_block(self, value));
    if (from->storage == TACHO_STORAGE_SPLAT && size > 0) {
        fill_splat(self->program->constants.data + from->offset, size, value->bytes, value->data);
    } else if (from->storage == TACHO_STORAGE_RANDOM) {
        tacho_random_fill(value->dtype, from->offset, value->bytes, value->data);
    }
    return TACHO_OK;
}
