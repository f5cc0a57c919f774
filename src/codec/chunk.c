/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks to bytes and back.
 */
#include "codec/chunk.h"

#include <string.h>

#include "codec/crc32c.h"

static const unsigned char file_magic[8] = {0x89, 'T', 'C', 'H', '\r', '\n', 0x1a, '\n'};

enum { HEADER_BYTES = TACHO_CHUNK_HEADER_BYTES, TRAILER_BYTES = 8, CRC_AT = 28 };

/* The most times over that a file's payloads are checked, whatever its contents. */
enum { CHECKS_MAX = 16 };

#define CHUNK_MAGIC TACHO_FOURCC('T', 0xc3, 'H', 'K')

static void store(unsigned char *at, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t load(const char *bytes, size_t width)
{
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static uint32_t crc_of(const void *bytes, size_t len)
{
    return tacho_crc32c(0, tacho_str_make(bytes, len));
}

static uint64_t padded(uint64_t bytes)
{
    return (bytes + 7) & ~(uint64_t)7;
}

/* ---- writing ------------------------------------------------------------------------------- */

void tacho_chunk_begin(tacho_chunk_writer *writer, tacho_output *output, uint32_t kind)
{
    *writer = (tacho_chunk_writer){.output = output};
    unsigned char header[TACHO_CHUNK_FILE_BYTES] = {0};
    memcpy(header, file_magic, sizeof(file_magic));
    store(header + 8, kind, 4);
    store(header + 12, TACHO_CHUNK_VERSION, 2);
    store(header + CRC_AT, crc_of(header, CRC_AT), 4);
    tacho_output_write(output, header, sizeof(header));
}

void tacho_chunk_write(tacho_chunk_writer *writer, const tacho_chunk *chunk)
{
    unsigned char header[HEADER_BYTES] = {0};
    store(header, CHUNK_MAGIC, 4);
    store(header + 4, chunk->type, 4);
    store(header + 8, chunk->version, 2);
    store(header + 10, chunk->flags, 2);
    store(header + 12, chunk->stream, 4);
    store(header + 16, writer->next_sequence, 4);
    store(header + 20, chunk->record_size, 4);
    store(header + 24, chunk->record_count, 4);
    store(header + 32, chunk->payload.len, 8);
    store(header + CRC_AT, crc_of(header, sizeof(header)), 4);
    tacho_output_write(writer->output, header, sizeof(header));
    tacho_output_write_str(writer->output, chunk->payload);

    static const char zeros[8];
    tacho_str padding = tacho_str_make(zeros, padded(chunk->payload.len) - chunk->payload.len);
    tacho_output_write_str(writer->output, padding);
    unsigned char trailer[TRAILER_BYTES];
    store(trailer, tacho_crc32c(tacho_crc32c(0, chunk->payload), padding), 4);
    store(trailer + 4, writer->next_sequence++, 4);
    tacho_output_write(writer->output, trailer, sizeof(trailer));
}

/* ---- reading ------------------------------------------------------------------------------- */

bool tacho_chunk_is_file(tacho_str head, uint32_t kind)
{
    return head.len >= TACHO_CHUNK_FILE_BYTES &&
           memcmp(head.data, file_magic, sizeof(file_magic)) == 0 && load(head.data + 8, 4) == kind;
}

tacho_status tacho_chunk_open(tacho_chunk_reader *reader, tacho_str file, uint32_t kind)
{
    *reader = (tacho_chunk_reader){.file = file, .at = TACHO_CHUNK_FILE_BYTES};
    if (!tacho_chunk_is_file(file, kind)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "byte 0: the file signature is missing");
    }
    uint64_t version = load(file.data + 12, 2);
    if (load(file.data + CRC_AT, 4) != crc_of(file.data, CRC_AT)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "byte 28: the header's checksum is wrong");
    }
    if (version != TACHO_CHUNK_VERSION) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "byte 12: a file of version %u, of which this tacho knows only %d; "
                          "read it with the tacho that wrote it, or make it again",
                          (unsigned)version, TACHO_CHUNK_VERSION);
    }
    return TACHO_OK;
}

static bool is_header(const char *header)
{
    char copy[HEADER_BYTES];
    memcpy(copy, header, sizeof(copy));
    memset(copy + CRC_AT, 0, 4);
    return load(header, 4) == CHUNK_MAGIC && load(header + CRC_AT, 4) == crc_of(copy, sizeof(copy));
}

uint64_t tacho_chunk_size(tacho_str bytes)
{
    if (bytes.len < HEADER_BYTES || !is_header(bytes.data)) {
        return 0;
    }
    uint64_t payload = load(bytes.data + 32, 8);
    bool is_consistent = load(bytes.data + 20, 4) * load(bytes.data + 24, 4) == payload;
    return payload <= tacho_chunk_bytes_max && is_consistent
               ? HEADER_BYTES + padded(payload) + TRAILER_BYTES
               : 0;
}

bool tacho_chunk_parse(tacho_str bytes, tacho_chunk *out_chunk)
{
    const char *header = bytes.data;
    const char *payload = header + HEADER_BYTES;
    uint64_t room = bytes.len - HEADER_BYTES - TRAILER_BYTES;
    if (load(payload + room, 4) != crc_of(payload, room) ||
        load(payload + room + 4, 4) != load(header + 16, 4)) {
        return false;
    }
    *out_chunk = (tacho_chunk){
        .type = (uint32_t)load(header + 4, 4),
        .version = (uint16_t)load(header + 8, 2),
        .flags = (uint16_t)load(header + 10, 2),
        .stream = (uint32_t)load(header + 12, 4),
        .sequence = (uint32_t)load(header + 16, 4),
        .record_size = (uint32_t)load(header + 20, 4),
        .record_count = (uint32_t)load(header + 24, 4),
        .payload = tacho_str_make(payload, load(header + 32, 8)),
    };
    return true;
}

/* The chunk at |at| if it is whole; its length with header and trailer, else 0. */
static uint64_t whole_chunk(tacho_chunk_reader *reader, uint64_t at, tacho_chunk *out_chunk)
{
    tacho_str left = tacho_str_from(reader->file, at);
    uint64_t bytes = tacho_chunk_size(left);
    if (bytes == 0 || bytes > left.len) {
        return 0;
    }
    reader->checked_bytes += bytes;
    return tacho_chunk_parse(tacho_str_make(left.data, bytes), out_chunk) ? bytes : 0;
}

uint64_t tacho_chunk_find(tacho_str bytes, uint64_t at)
{
    while (at < bytes.len) {
        const char *found = memchr(bytes.data + at, 'T', bytes.len - at);
        if (found == NULL) {
            return bytes.len;
        }
        at = (uint64_t)(found - bytes.data);
        if (bytes.len - at >= 4 && load(found, 4) == CHUNK_MAGIC) {
            return at;
        }
        at++;
    }
    return bytes.len;
}

static void count_damage(tacho_chunk_reader *reader, uint64_t from, uint64_t to)
{
    if (from < to) {
        reader->first_damage = reader->damaged_bytes == 0 ? from : reader->first_damage;
        reader->damaged_bytes += to - from;
    }
}

bool tacho_chunk_next(tacho_chunk_reader *reader, tacho_chunk *out_chunk)
{
    uint64_t from = reader->at;
    uint64_t at = from;
    while (at < reader->file.len && reader->checked_bytes / CHECKS_MAX <= reader->file.len) {
        uint64_t bytes = whole_chunk(reader, at, out_chunk);
        if (bytes > 0) {
            count_damage(reader, from, at);
            reader->at = at + bytes;
            reader->chunk_count++;
            if (out_chunk->sequence >= reader->next_sequence) {
                reader->missing_count += out_chunk->sequence - reader->next_sequence;
                reader->next_sequence = out_chunk->sequence + 1;
            }
            return true;
        }
        at = tacho_chunk_find(reader->file, at + 1);
    }
    count_damage(reader, from, reader->file.len);
    reader->at = reader->file.len;
    return false;
}
