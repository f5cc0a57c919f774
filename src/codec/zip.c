/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers as in PKWARE's APPNOTE 6.3: deflate, or stored where all is known beforehand; without
 * ZIP64, so an entry, and the archive, end below 4 GiB.
 */
#include "codec/zip.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOCAL_BYTES = 30,
    DESCRIPTOR_BYTES = 16,
    CENTRAL_BYTES = 46,
    END_BYTES = 22,
    VERSION = 20,
    FLAG_DESCRIPTOR = 8, /* sizes follow the bytes */
    FLAG_UTF8 = 0x800,
    DATE_1980_01_01 = 0x21,
    RAW_WINDOW_BITS = -15,
    MEMORY_LEVEL = 8,
    PACK_BYTES = 32 << 10,
    ENTRIES_MAX = 65534, /* one more is the mark of ZIP64 */
};

static unsigned char *put_u16(unsigned char *to, uint64_t value)
{
    to[0] = (unsigned char)(value & 0xff);
    to[1] = (unsigned char)(value >> 8 & 0xff);
    return to + 2;
}

static unsigned char *put_u32(unsigned char *to, uint64_t value)
{
    return put_u16(put_u16(to, value), value >> 16);
}

tacho_status tacho_zip_open(tacho_zip *out_zip)
{
    *out_zip = (tacho_zip){.file = {.fd = -1}};
    return tacho_tempfile_open(&out_zip->file);
}

void tacho_zip_close(tacho_zip *zip)
{
    if (zip->has_stream) {
        deflateEnd(&zip->stream);
    }
    tacho_tempfile_close(&zip->file);
    free(zip->entries);
    *zip = (tacho_zip){.file = {.fd = -1}};
}

static tacho_status check_size(uint64_t bytes)
{
    return bytes < UINT32_MAX
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_LIMIT, "a workbook cannot be larger than 4 GiB; use .csv");
}

/* Flags, method, date, checksum and sizes, which both kinds of headers have. */
static unsigned char *put_facts(unsigned char *to, const tacho_zip_entry *entry, bool is_local)
{
    bool is_behind = is_local && (entry->flags & FLAG_DESCRIPTOR) != 0;
    to = put_u16(to, VERSION);
    to = put_u16(to, entry->flags);
    to = put_u16(to, Z_DEFLATED);
    to = put_u32(to, (uint64_t)DATE_1980_01_01 << 16);
    to = put_u32(to, is_behind ? 0 : entry->crc);
    to = put_u32(to, is_behind ? 0 : entry->packed_bytes);
    to = put_u32(to, is_behind ? 0 : entry->plain_bytes);
    to = put_u16(to, strlen(entry->name));
    return put_u16(to, 0); /* no extra field */
}

static tacho_status write_local(tacho_zip *zip, const tacho_zip_entry *entry)
{
    unsigned char head[LOCAL_BYTES];
    put_facts(put_u32(head, 0x04034b50), entry, true);
    TACHO_TRY(tacho_tempfile_append(&zip->file, head, sizeof(head)));
    return tacho_tempfile_append(&zip->file, entry->name, strlen(entry->name));
}

static tacho_status start_stream(tacho_zip *zip)
{
    zip->stream = (z_stream){0};
    zip->has_stream = deflateInit2(&zip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW_WINDOW_BITS,
                                   MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
    return zip->has_stream ? TACHO_OK : tacho_no_memory();
}

static tacho_status add_entry(tacho_zip *zip, const char *name, uint16_t flags)
{
    if (zip->entry_count >= ENTRIES_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "an archive cannot have more than %d files",
                          ENTRIES_MAX);
    }
    TACHO_TRY(tacho_grow(&zip->entries, &zip->entry_capacity, zip->entry_count + 1));
    zip->entries[zip->entry_count++] = (tacho_zip_entry){
        .name = name, .offset = zip->file.size_bytes, .flags = (uint16_t)(flags | FLAG_UTF8)};
    return start_stream(zip);
}

/* Compresses |bytes| to the file, to the end of the stream where it |is_last|. */
static tacho_status pack(tacho_zip *zip, tacho_str bytes, bool is_last)
{
    unsigned char packed[PACK_BYTES];
    tacho_zip_entry *entry = &zip->entries[zip->entry_count - 1];
    z_stream *stream = &zip->stream;
    memcpy(&stream->next_in, &bytes.data, sizeof(stream->next_in)); /* read only */
    stream->avail_in = (uInt)bytes.len;
    do {
        stream->next_out = packed;
        stream->avail_out = sizeof(packed);
        (void)deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH); /* it always has room to go on */
        size_t len = sizeof(packed) - stream->avail_out;
        TACHO_TRY(tacho_tempfile_append(&zip->file, packed, len));
        entry->packed_bytes += len;
    } while (stream->avail_out == 0);
    return TACHO_OK;
}

tacho_status tacho_zip_begin(tacho_zip *zip, const char *name)
{
    TACHO_TRY(add_entry(zip, name, FLAG_DESCRIPTOR));
    return write_local(zip, &zip->entries[zip->entry_count - 1]);
}

tacho_status tacho_zip_write(tacho_zip *zip, tacho_str bytes)
{
    tacho_zip_entry *entry = &zip->entries[zip->entry_count - 1];
    while (bytes.len > 0) {
        tacho_str part = tacho_str_make(bytes.data, bytes.len < 1 << 20 ? bytes.len : 1 << 20);
        memcpy(&zip->stream.next_in, &part.data, sizeof(zip->stream.next_in));
        entry->crc = (uint32_t)crc32(entry->crc, zip->stream.next_in, (uInt)part.len);
        entry->plain_bytes += part.len;
        TACHO_TRY(pack(zip, part, false));
        bytes = tacho_str_from(bytes, part.len);
    }
    return TACHO_OK;
}

static tacho_status end_stream(tacho_zip *zip)
{
    tacho_zip_entry *entry = &zip->entries[zip->entry_count - 1];
    TACHO_TRY(pack(zip, TACHO_STR(""), true));
    deflateEnd(&zip->stream);
    zip->has_stream = false;
    TACHO_TRY(check_size(entry->plain_bytes));
    return check_size(zip->file.size_bytes);
}

tacho_status tacho_zip_end(tacho_zip *zip)
{
    unsigned char tail[DESCRIPTOR_BYTES];
    const tacho_zip_entry *entry = &zip->entries[zip->entry_count - 1];
    TACHO_TRY(end_stream(zip));
    unsigned char *to = put_u32(put_u32(tail, 0x08074b50), entry->crc);
    put_u32(put_u32(to, entry->packed_bytes), entry->plain_bytes);
    return tacho_tempfile_append(&zip->file, tail, sizeof(tail));
}

tacho_status tacho_zip_add(tacho_zip *zip, const char *name, tacho_str bytes)
{
    /* The header goes first, so the entry is compressed twice: once to know its size. */
    for (int round = 0; round < 2; round++) {
        uint64_t start = zip->file.size_bytes;
        TACHO_TRY(round == 0 ? add_entry(zip, name, 0) : start_stream(zip));
        tacho_zip_entry *entry = &zip->entries[zip->entry_count - 1];
        TACHO_TRY(write_local(zip, entry));
        entry->packed_bytes = entry->plain_bytes = entry->crc = 0;
        TACHO_TRY(tacho_zip_write(zip, bytes));
        TACHO_TRY(end_stream(zip));
        zip->file.size_bytes = round == 0 ? start : zip->file.size_bytes;
    }
    return TACHO_OK;
}

static tacho_status write_directory(tacho_zip *zip)
{
    uint64_t start = zip->file.size_bytes;
    for (size_t i = 0; i < zip->entry_count; i++) {
        const tacho_zip_entry *entry = &zip->entries[i];
        unsigned char head[CENTRAL_BYTES];
        unsigned char *to = put_u16(put_u32(head, 0x02014b50), VERSION);
        to = put_facts(to, entry, false);
        to = put_u16(put_u32(to, 0), 0); /* no comment, disk 0, no attributes */
        put_u32(put_u32(to, 0), entry->offset);
        TACHO_TRY(tacho_tempfile_append(&zip->file, head, sizeof(head)));
        TACHO_TRY(tacho_tempfile_append(&zip->file, entry->name, strlen(entry->name)));
    }
    unsigned char end[END_BYTES];
    unsigned char *to = put_u32(put_u32(end, 0x06054b50), 0);
    to = put_u16(put_u16(to, zip->entry_count), zip->entry_count);
    to = put_u32(put_u32(to, zip->file.size_bytes - start), start);
    put_u16(to, 0);
    TACHO_TRY(tacho_tempfile_append(&zip->file, end, sizeof(end)));
    return check_size(zip->file.size_bytes);
}

tacho_status tacho_zip_finish(tacho_zip *zip, tacho_output *output)
{
    char bytes[PACK_BYTES];
    TACHO_TRY(write_directory(zip));
    for (uint64_t at = 0; at < zip->file.size_bytes;) {
        uint64_t left = zip->file.size_bytes - at;
        size_t len = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
        TACHO_TRY(tacho_tempfile_read(&zip->file, at, bytes, len));
        tacho_output_write(output, bytes, len);
        at += len;
    }
    return TACHO_OK;
}
