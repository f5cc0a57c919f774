/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of numbers: little-endian ones anywhere, pieces with their lengths, chunks with
 * checksums, containers with a seal, packed blocks of Tracy. The content is changed where it is
 * readable, then lengths and checksums are made again.
 */
#include "mutate.h"

#include "codec/chunk.h"
#include "codec/crc32c.h"
#include "codec/tracy_container.h"
#include "program/bytes.h"
#include "program/container.h"
#include "program/seal.h"
#include "sources/tracy/tracy_file_testing.h"

#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t odd_number(mutation *self)
{
    unsigned bits = (unsigned)mutation_draw(self, 65);
    uint64_t top = bits == 64 ? 0 : UINT64_C(1) << bits;
    return top + (uint64_t)mutation_draw(self, 3) - 1;
}

/* One number of |len| bytes changed, or some put in or left out; what is there afterwards. */
static size_t change_numbers(mutation *self, uint8_t *bytes, size_t len, size_t room)
{
    size_t width = (size_t)1 << mutation_draw(self, 4);
    if (len < width || room < len + width) {
        return len;
    }
    size_t at = mutation_draw(self, len - width + 1);
    at -= mutation_draw(self, 2) == 0 ? at % width : 0;
    uint64_t value = odd_number(self), now = tacho_bytes_load(bytes + at, width);
    switch (mutation_draw(self, 6)) {
    case 0:
        memmove(bytes + at, bytes + at + width, len - at - width);
        return len - width;
    case 1:
        memmove(bytes + at + width, bytes + at, len - at);
        return len + width;
    case 2:
        tacho_bytes_store(bytes + at, now + 1, width);
        return len;
    case 3:
        tacho_bytes_store(bytes + at, now - 1, width);
        return len;
    case 4:
        tacho_bytes_store(bytes + at, mutation_draw(self, 16), width);
        return len;
    default:
        tacho_bytes_store(bytes + at, value, width);
        return len;
    }
}

/* By numbers, or by bytes now and then. */
static size_t change_content(mutation *self, const uint8_t *bytes, size_t len, uint8_t *to,
                             size_t room)
{
    if (len > room || mutation_draw(self, 3) == 0) {
        return mutation_change_bytes(self, bytes, len, to, room);
    }
    if (len > 0) {
        memcpy(to, bytes, len);
    }
    return change_numbers(self, to, len, room);
}

bool mutate_numbers(mutation *self)
{
    mutation_put_range(self, 0, self->size);
    if (!self->is_full) {
        self->made_len = change_numbers(self, self->made, self->made_len, MUTATION_ROOM);
    }
    return true;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

enum { PIECES_MAX = 1024, PIECE_MAX = UINT16_MAX };

typedef struct piece {
    size_t start, body, end;
} piece;

static size_t length_of(const fuzz_layout *layout, const uint8_t *head)
{
    size_t low = head[layout->length_at], high = head[layout->length_at + 1];
    return layout->is_big_endian ? low << 8 | high : high << 8 | low;
}

static size_t find_pieces(const mutation *self, const fuzz_layout *layout, piece *pieces)
{
    size_t count = 0;
    for (size_t at = 0; count < PIECES_MAX && self->size - at >= layout->piece_head_bytes;) {
        size_t body = at + layout->piece_head_bytes, len = length_of(layout, self->data + at);
        len = len < self->size - body ? len : self->size - body;
        pieces[count++] = (piece){at, body, body + len};
        at = body + len;
    }
    return count;
}

/* With another content, and its length in the head. */
static void put_changed_piece(mutation *self, const fuzz_layout *layout, const piece *which)
{
    static uint8_t body[PIECE_MAX];
    size_t before = self->made_len;
    size_t len = change_content(self, self->data + which->body, which->end - which->body, body,
                                sizeof(body));
    mutation_put_range(self, which->start, which->body);
    mutation_put(self, body, len);
    if (!self->is_full) {
        uint8_t *at = self->made + before + layout->length_at;
        at[layout->is_big_endian ? 1 : 0] = (uint8_t)len;
        at[layout->is_big_endian ? 0 : 1] = (uint8_t)(len >> 8);
    }
}

bool mutate_pieces(mutation *self, const fuzz_layout *layout)
{
    static piece pieces[PIECES_MAX];
    size_t count = find_pieces(self, layout, pieces);
    if (count == 0) {
        return false;
    }
    size_t a = mutation_draw(self, count), b = mutation_draw(self, count);
    size_t how = mutation_draw(self, 6);
    for (size_t i = 0; i < count; i++) {
        const piece *which = &pieces[how == 0 && i == a ? b : how == 0 && i == b ? a : i];
        if (how > 2 && i == a) {
            put_changed_piece(self, layout, which);
        } else if (how != 1 || i != a) {
            mutation_put_range(self, which->start, which->end);
        }
        if (how == 2 && i == a) {
            mutation_put_range(self, pieces[b].start, pieces[b].end);
        }
    }
    mutation_put_range(self, pieces[count - 1].end, self->size);
    return true;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

enum { CHUNKS_MAX = 1024, SEQUENCE_AT = 16, SIZE_AT = 20, COUNT_AT = 24, SUM_AT = 28, LEN_AT = 32 };

static size_t find_chunks(tacho_str file, tacho_chunk *chunks)
{
    tacho_chunk_reader reader;
    size_t count = 0;
    uint32_t kind = (uint32_t)tacho_bytes_load(file.data + 8, 4);
    tacho_status status = tacho_chunk_open(&reader, file, kind);
    while (status == TACHO_OK && count < CHUNKS_MAX && tacho_chunk_next(&reader, &chunks[count])) {
        count++;
    }
    tacho_status_free(status);
    return count;
}

static void put_chunk(mutation *self, const tacho_chunk *chunk, uint32_t sequence)
{
    static const uint8_t zeros[8] = {0};
    uint8_t head[TACHO_CHUNK_HEADER_BYTES] = {0}, tail[8];
    size_t padding = (size_t)tacho_bytes_align(chunk->payload.len) - chunk->payload.len;
    memcpy(head, self->data + TACHO_CHUNK_FILE_BYTES, 4); /* the magic, of the first chunk */
    tacho_bytes_store(head + 4, chunk->type, 4);
    tacho_bytes_store(head + 8, chunk->version, 2);
    tacho_bytes_store(head + 10, chunk->flags, 2);
    tacho_bytes_store(head + 12, chunk->stream, 4);
    tacho_bytes_store(head + SEQUENCE_AT, sequence, 4);
    tacho_bytes_store(head + SIZE_AT, chunk->record_size, 4);
    tacho_bytes_store(head + COUNT_AT, chunk->record_count, 4);
    tacho_bytes_store(head + LEN_AT, chunk->payload.len, 8);
    uint32_t sum = tacho_crc32c(0, tacho_str_make((const char *)head, sizeof(head)));
    tacho_bytes_store(head + SUM_AT, sum, 4);
    sum = tacho_crc32c(0, chunk->payload);
    sum = tacho_crc32c(sum, tacho_str_make((const char *)zeros, padding));
    tacho_bytes_store(tail, sum, 4);
    tacho_bytes_store(tail + 4, sequence, 4);
    mutation_put(self, head, sizeof(head));
    mutation_put(self, chunk->payload.data, chunk->payload.len);
    mutation_put(self, zeros, padding);
    mutation_put(self, tail, sizeof(tail));
}

/* A record goes away, comes twice or has a number changed; its new bytes in |to|. */
static size_t change_records(mutation *self, const tacho_chunk *chunk, uint8_t *to, size_t room)
{
    size_t size = chunk->record_size, len = chunk->payload.len;
    if (size <= 1 || len < size || len + size > room || mutation_draw(self, 4) == 0) {
        return change_content(self, (const uint8_t *)chunk->payload.data, len, to, room);
    }
    size_t at = mutation_draw(self, len / size) * size, how = mutation_draw(self, 4);
    memcpy(to, chunk->payload.data, len);
    if (how == 0) {
        memmove(to + at, to + at + size, len - at - size);
        return len - size;
    }
    if (how == 1) {
        memmove(to + at + size, to + at, len - at);
        return len + size;
    }
    size_t width = size >= 4 ? 4 : size, place = mutation_draw(self, size / width) * width;
    uint64_t value = how == 2 ? mutation_draw(self, 8) : odd_number(self);
    tacho_bytes_store(to + at + place, value, width);
    return len;
}

static void put_changed_chunk(mutation *self, tacho_chunk chunk, uint32_t sequence)
{
    static uint8_t payload[MUTATION_INPUT_MAX];
    size_t len = change_records(self, &chunk, payload, sizeof(payload));
    size_t size = chunk.record_size > 0 ? chunk.record_size : 1;
    len -= len % size;
    chunk.record_count = (uint32_t)(len / size);
    chunk.payload = tacho_str_make((const char *)payload, len);
    put_chunk(self, &chunk, sequence);
}

static tacho_chunk with_odd_head(mutation *self, tacho_chunk chunk, const tacho_chunk *other)
{
    switch (mutation_draw(self, 4)) {
    case 0:
        chunk.type = other->type;
        break;
    case 1:
        chunk.stream = (uint32_t)odd_number(self);
        break;
    case 2:
        chunk.version = (uint16_t)mutation_draw(self, 4);
        break;
    default:
        chunk.flags = (uint16_t)odd_number(self);
        break;
    }
    return chunk;
}

bool mutate_chunks(mutation *self)
{
    static tacho_chunk chunks[CHUNKS_MAX];
    tacho_str file = tacho_str_make((const char *)self->data, self->size);
    bool is_file =
        file.len > TACHO_CHUNK_FILE_BYTES && memcmp(file.data + 1, TACHO_CHUNK_FILE_MARK, 7) == 0;
    size_t count = is_file ? find_chunks(file, chunks) : 0;
    if (count == 0) {
        return false;
    }
    size_t a = mutation_draw(self, count), b = mutation_draw(self, count);
    size_t how = mutation_draw(self, 8);
    uint32_t sequence = 0;
    mutation_put_range(self, 0, TACHO_CHUNK_FILE_BYTES);
    for (size_t i = 0; i < count; i++) {
        tacho_chunk chunk = chunks[how == 0 && i == a ? b : how == 0 && i == b ? a : i];
        if (how == 1 && i == a) {
            continue;
        }
        chunk = how == 2 && i == a ? with_odd_head(self, chunk, &chunks[b]) : chunk;
        if (how > 3 && i == a) {
            put_changed_chunk(self, chunk, sequence++);
        } else {
            put_chunk(self, &chunk, sequence++);
        }
        if (how == 3 && i == a) {
            put_chunk(self, &chunks[b], sequence++);
        }
    }
    return true;
}

/* ---- sealed containers ----------------------------------------------------------------------- */

static tacho_str copy_view(mutation *self, size_t from)
{
    return tacho_str_make((const char *)self->made + from, self->made_len - from);
}

/* The data of |segment| changed, after what has been made so far. */
static tacho_str change_segment(mutation *self, const tacho_qpc_segment *segment)
{
    size_t from = self->made_len;
    const uint8_t *bytes = (const uint8_t *)segment->data.data;
    bool is_description = tacho_program_is_description(segment->name);
    if (!is_description || !mutate_protobuf_bytes(self, bytes, segment->data.len)) {
        self->made_len = from;
        self->made_len +=
            change_content(self, bytes, segment->data.len, self->made + from, MUTATION_ROOM - from);
    }
    return copy_view(self, from);
}

/* Puts the container of |segments|, the last of which is the seal to be made. */
static bool put_container(mutation *self, tacho_qpc_segment *segments, size_t count,
                          tacho_arena *arena)
{
    tacho_str head = {NULL, 0};
    size_t seal = count - 1;
    segments[seal].data.len = tacho_seal_bytes(seal);
    tacho_status status = tacho_qpc_make_head(segments, count, arena, &head);
    for (size_t i = 0; i < seal; i++) {
        segments[i].crc32c = tacho_crc32c(0, segments[i].data);
    }
    if (status == TACHO_OK) {
        status = tacho_seal_make(head, segments, seal, arena, &segments[seal].data);
    }
    bool is_made = status == TACHO_OK;
    unsigned char *room = is_made ? malloc(MUTATION_ROOM) : NULL;
    if (room != NULL) {
        tacho_output output = {.buffer = room, .cursor = room, .limit = room + MUTATION_ROOM};
        size_t need = head.len;
        for (size_t i = 0; i < count; i++) {
            need += segments[i].data.len + TACHO_QPC_NAME_MAX / 64;
        }
        is_made = need < MUTATION_ROOM;
        if (is_made) {
            output.fd = output.folder_fd = -1;
            tacho_output_write_str(&output, head);
            tacho_qpc_write(segments, count, head.len, &output);
            self->made_len = 0;
            mutation_put(self, room, (size_t)(output.cursor - room));
        }
    }
    free(room);
    tacho_status_free(status);
    return is_made;
}

static bool change_container(mutation *self, const tacho_qpc *qpc, tacho_arena *arena)
{
    enum { SEGMENTS_MAX = 64 };
    tacho_qpc_segment segments[SEGMENTS_MAX];
    size_t count = qpc->segment_count;
    bool is_sealed = count >= 2 && count <= SEGMENTS_MAX &&
                     tacho_str_equal(qpc->segments[count - 1].name, TACHO_STR(TACHO_SEAL_SEGMENT));
    if (!is_sealed) {
        return false;
    }
    memcpy(segments, qpc->segments, count * sizeof(*segments));
    size_t which = mutation_draw(self, count - 1);
    if (mutation_draw(self, 8) == 0 && count > 2) { /* left out */
        memmove(&segments[which], &segments[which + 1], (count - 1 - which) * sizeof(*segments));
        count--;
    } else {
        segments[which].data = change_segment(self, &segments[which]);
    }
    return put_container(self, segments, count, arena);
}

bool mutate_sealed(mutation *self)
{
    tacho_str file = tacho_str_make((const char *)self->data, self->size);
    tacho_arena arena;
    tacho_qpc qpc;
    if (!tacho_qpc_is_container(file)) {
        return false;
    }
    tacho_arena_init(&arena);
    tacho_status status = tacho_qpc_read(file, &arena, &qpc);
    bool is_changed = status == TACHO_OK && change_container(self, &qpc, &arena);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return is_changed;
}

/* ---- packed blocks --------------------------------------------------------------------------- */

/* All blocks of the file, unpacked; false where it is damaged or too large. */
static bool unpack(const mutation *self, composed *body)
{
    tacho_input input;
    tacho_tracy_container container;
    tacho_str bytes = {NULL, 0};
    tacho_status status = tacho_input_open_bytes(
        "fuzz", tacho_str_make((const char *)self->data, self->size), &input);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return false;
    }
    status = tacho_tracy_container_open(&container, &input);
    bool fits = status == TACHO_OK;
    while (fits) {
        status = tacho_tracy_container_next(&container, &bytes);
        if (status != TACHO_OK || bytes.len == 0) {
            break;
        }
        fits = bytes.len <= MUTATION_INPUT_MAX - body->len;
        if (fits) {
            memcpy(body->bytes + body->len, bytes.data, bytes.len);
            body->len += bytes.len;
        }
    }
    fits = fits && status == TACHO_OK && container.damage == NULL;
    tacho_tracy_container_close(&container);
    tacho_input_close(&input);
    tacho_status_free(status);
    return fits;
}

bool mutate_tracy(mutation *self)
{
    enum { BLOCK = 4096 };
    composed body, file;
    tacho_str head = tacho_str_make((const char *)self->data, self->size);
    if (!tacho_tracy_container_is(head)) {
        return false;
    }
    composed_init(&body);
    composed_init(&file);
    bool is_unpacked = unpack(self, &body);
    if (is_unpacked) {
        bool is_first = memcmp(self->data, "tlZ\x04", 4) == 0;
        bool is_second = memcmp(self->data, "tZst", 4) == 0;
        bool is_zstd = self->size > 4 && self->data[4] == 1;
        composed_container kind = is_first    ? COMPOSED_LZ4
                                  : is_second ? COMPOSED_ZSTD
                                  : is_zstd   ? COMPOSED_CHUNKED_ZSTD
                                              : COMPOSED_CHUNKED_LZ4;
        body.len = change_numbers(self, body.bytes, body.len, COMPOSED_ROOM);
        composed_pack(&file, &body, kind, BLOCK);
        mutation_put(self, file.bytes, file.len);
    }
    free(body.bytes);
    free(file.bytes);
    return is_unpacked;
}
