/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest parts of MLIR bytecode: integers, blobs, references and sections. Nothing here
 * reads past the end of a cursor; each failure names the byte.
 */
#include "codec/mlir_bytecode_state.h"

enum {
    PADDING_BYTE = 0xcb,
    SECTION_ALIGNED = 0x80, /* in the byte that identifies the section */
    ALIGNMENT_MAX = 1 << 20,
};

static tacho_status fail_end(const tacho_mlirb *reader, const tacho_mlirb_cursor *cursor,
                             uint64_t len)
{
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      TACHO_MLIRB_AT "expected %llu more bytes, found %zu; the file is cut short "
                                     "or damaged",
                      TACHO_MLIRB_WHERE(reader, cursor->at), (unsigned long long)len,
                      tacho_mlirb_left(cursor));
}

tacho_status tacho_mlirb_byte(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                              uint8_t *out_value)
{
    if (cursor->at == cursor->end) {
        return fail_end(reader, cursor, 1);
    }
    *out_value = *cursor->at++;
    return TACHO_OK;
}

/* The number of zeros at the low end of the first byte is the number of bytes after it. */
tacho_status tacho_mlirb_long_varint(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                     uint64_t *out_value)
{
    if (cursor->at == cursor->end) {
        return fail_end(reader, cursor, 1);
    }
    unsigned first = *cursor->at;
    unsigned more = first == 0 ? 8 : (unsigned)__builtin_ctz(first);
    if (tacho_mlirb_left(cursor) < more + 1) {
        return fail_end(reader, cursor, more + 1);
    }
    uint64_t value = 0;
    for (unsigned i = more; i > 0; i--) {
        value = value << 8 | cursor->at[i];
    }
    cursor->at += more + 1;
    /* The first byte gives 7 - |more| bits at the low end; in eight bytes and more it has none. */
    *out_value = more >= 7 ? value : value << (7 - more) | first >> (more + 1);
    return TACHO_OK;
}

tacho_status tacho_mlirb_flagged(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                 uint64_t *out_value, bool *out_flag)
{
    uint64_t value = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &value));
    *out_flag = (value & 1) != 0;
    *out_value = value >> 1;
    return TACHO_OK;
}

tacho_status tacho_mlirb_signed(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                int64_t *out_value)
{
    uint64_t value = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &value));
    *out_value = (int64_t)((value >> 1) ^ (0 - (value & 1)));
    return TACHO_OK;
}

tacho_status tacho_mlirb_count(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                               size_t *out_count)
{
    const uint8_t *start = cursor->at;
    uint64_t count = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &count));
    if (count > tacho_mlirb_left(cursor)) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "a count of %llu, but only %zu bytes follow",
            TACHO_MLIRB_WHERE(reader, start), (unsigned long long)count, tacho_mlirb_left(cursor));
    }
    *out_count = (size_t)count;
    return TACHO_OK;
}

tacho_status tacho_mlirb_bytes(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor, uint64_t len,
                               tacho_mlirb_cursor *out_bytes)
{
    if (len > tacho_mlirb_left(cursor)) {
        return fail_end(reader, cursor, len);
    }
    *out_bytes = (tacho_mlirb_cursor){cursor->at, cursor->at + len};
    cursor->at += len;
    return TACHO_OK;
}

tacho_status tacho_mlirb_blob(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                              tacho_mlirb_cursor *out_blob)
{
    uint64_t len = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &len));
    return tacho_mlirb_bytes(reader, cursor, len, out_blob);
}

tacho_status tacho_mlirb_index(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor, size_t count,
                               const char *what, uint32_t *out_index)
{
    const uint8_t *start = cursor->at;
    uint64_t index = 0;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &index));
    if (index >= count) {
        return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "%s %llu, but there are only %zu",
                          TACHO_MLIRB_WHERE(reader, start), what, (unsigned long long)index, count);
    }
    *out_index = (uint32_t)index;
    return TACHO_OK;
}

tacho_status tacho_mlirb_string(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                tacho_str *out_string)
{
    uint32_t index = 0;
    TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->string_count, "string", &index));
    *out_string = reader->strings[index];
    return TACHO_OK;
}

/* Skips padding up to a multiple of the alignment, counted from the start of the file. */
static tacho_status skip_padding(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor)
{
    uint64_t alignment = 0;
    const uint8_t *start = cursor->at;
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, &alignment));
    if (alignment == 0 || alignment > ALIGNMENT_MAX || (alignment & (alignment - 1)) != 0) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA,
            TACHO_MLIRB_AT
            "a section is aligned to %llu bytes, which is not a power of two up to %d",
            TACHO_MLIRB_WHERE(reader, start), (unsigned long long)alignment, ALIGNMENT_MAX);
    }
    const uint8_t *base = (const uint8_t *)reader->bytes.data;
    while (((uint64_t)(cursor->at - base) & (alignment - 1)) != 0) {
        uint8_t byte = 0;
        TACHO_TRY(tacho_mlirb_byte(reader, cursor, &byte));
        if (byte != PADDING_BYTE) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              TACHO_MLIRB_AT "expected padding (0xcb), found 0x%02x",
                              TACHO_MLIRB_WHERE(reader, cursor->at - 1), byte);
        }
    }
    return TACHO_OK;
}

/* Reads the head of a section, up to its data. */
static tacho_status read_section_head(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                      tacho_mlirb_section *out_section, uint64_t *out_len)
{
    const uint8_t *start = cursor->at;
    uint8_t id = 0;
    TACHO_TRY(tacho_mlirb_byte(reader, cursor, &id));
    TACHO_TRY(tacho_mlirb_varint(reader, cursor, out_len));
    if ((id & ~SECTION_ALIGNED) >= TACHO_MLIRB_SECTION_COUNT) {
        return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "no section is numbered %d",
                          TACHO_MLIRB_WHERE(reader, start), id & ~SECTION_ALIGNED);
    }
    if ((id & SECTION_ALIGNED) != 0) {
        TACHO_TRY(skip_padding(reader, cursor));
    }
    *out_section = (tacho_mlirb_section)(id & ~SECTION_ALIGNED);
    return TACHO_OK;
}

tacho_status tacho_mlirb_section_next(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                      tacho_mlirb_section *out_section,
                                      tacho_mlirb_cursor *out_data)
{
    uint64_t len = 0;
    TACHO_TRY(read_section_head(reader, cursor, out_section, &len));
    return tacho_mlirb_bytes(reader, cursor, len, out_data);
}

tacho_status tacho_mlirb_section_clipped(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                         tacho_mlirb_section *out_section,
                                         tacho_mlirb_cursor *out_data)
{
    uint64_t len = 0;
    TACHO_TRY(read_section_head(reader, cursor, out_section, &len));
    if (reader->is_lenient && len > tacho_mlirb_left(cursor)) {
        tacho_mlirb_keep_trouble(reader, fail_end(reader, cursor, len));
        len = tacho_mlirb_left(cursor);
    }
    return tacho_mlirb_bytes(reader, cursor, len, out_data);
}
