/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that belong to attributes without being part of a text: the data of resources, and the
 * elements of dense attributes that have many. They are not copied.
 */
#include "codec/mlir_bytecode_state.h"

#include "base/grow.h"

enum {
    RESOURCE_BLOB = 0, /* the others are a truth value and a string */
    RESOURCE_ALIGNMENT_MAX = 1 << 16,
};

static tacho_str as_text(const tacho_mlirb_cursor *bytes)
{
    return tacho_str_make((const char *)bytes->at, tacho_mlirb_left(bytes));
}

/* An alignment, a length, padding up to the alignment, counted from the start of the file. */
static tacho_status read_aligned(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                 tacho_mlirb_cursor *out_blob)
{
    const uint8_t *start = cursor->at;
    uint64_t alignment = 0;
    uint64_t len = 0;
    tacho_mlirb_cursor padding;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &alignment));
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &len));
    if (alignment > RESOURCE_ALIGNMENT_MAX || (alignment & (alignment - 1)) != 0) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA,
            TACHO_MLIRB_AT
            "a resource is aligned to %llu bytes, which is not a power of two up to %d",
            TACHO_MLIRB_WHERE(reader, start), (unsigned long long)alignment,
            RESOURCE_ALIGNMENT_MAX);
    }
    uint64_t at = (uint64_t)(cursor->at - (const uint8_t *)reader->bytes.data);
    uint64_t step = alignment > 1 ? alignment : 1;
    TACHO_TRY(tacho_mlirb_bytes(reader, cursor, (step - at % step) % step, &padding));
    return tacho_mlirb_bytes(reader, cursor, len, out_blob);
}

tacho_status tacho_mlirb_keep_resource(tacho_mlirb *reader, tacho_str key, uint8_t kind,
                                       tacho_mlirb_cursor data)
{
    tacho_mlir_module *module = reader->module;
    tacho_mlirb_cursor blob;
    if (kind != RESOURCE_BLOB || tacho_mlirb_left(&data) == 0) {
        return TACHO_OK; /* one that its writer did not have either is empty */
    }
    TACHO_TRY(read_aligned(reader, &data, &blob));
    TACHO_TRY(
        tacho_grow(&module->resources, &module->resource_capacity, module->resource_count + 1));
    module->resources[module->resource_count++] = (tacho_mlir_blob){key, as_text(&blob), false};
    return TACHO_OK;
}

tacho_status tacho_mlirb_keep_dense(tacho_mlirb *reader, const tacho_mlirb_entry *entry)
{
    tacho_mlir_module *module = reader->module;
    tacho_mlirb_cursor cursor = tacho_mlirb_data(reader, entry);
    tacho_mlirb_cursor blob;
    uint64_t ignored = 0;
    if (!entry->is_custom || !tacho_str_starts_with(entry->text, TACHO_STR("dense<...>"))) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlirb_varint(reader, &cursor, &ignored)); /* its kind: dense */
    TACHO_TRY(tacho_mlirb_varint(reader, &cursor, &ignored)); /* its type */
    TACHO_TRY(tacho_mlirb_blob(reader, &cursor, &blob));
    TACHO_TRY(tacho_grow(&module->dense_blobs, &module->dense_blob_capacity,
                         module->dense_blob_count + 1));
    module->dense_blobs[module->dense_blob_count++] =
        (tacho_mlir_blob){*entry->exported, as_text(&blob), false};
    return TACHO_OK;
}
