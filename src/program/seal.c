/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making seals and comparing containers with them.
 */
#include "program/seal.h"

#include "codec/crc32c.h"
#include "program/bytes.h"

#include <inttypes.h>

enum { SEAL_HEAD_BYTES = 24, SEAL_ENTRY_BYTES = 16, SEAL_VERSION = 1 };
static const char seal_magic[] = "TSEA";

const char *tacho_seal_state_name(tacho_seal_state state)
{
    static const char *const names[] = {"none", "ok", "bad"};
    return names[state];
}

size_t tacho_seal_bytes(size_t segment_count)
{
    return SEAL_HEAD_BYTES + segment_count * SEAL_ENTRY_BYTES + 4;
}

tacho_status tacho_seal_make(tacho_str head, const tacho_qpc_segment *segments,
                             size_t segment_count, tacho_arena *arena, tacho_str *out_seal)
{
    void *memory = NULL;
    size_t len = tacho_seal_bytes(segment_count);
    TACHO_TRY(tacho_arena_alloc(arena, len, &memory));
    char *seal = memory;
    memcpy(seal, seal_magic, 4);
    tacho_bytes_store(seal + 4, SEAL_VERSION, 4);
    tacho_bytes_store(seal + 8, segment_count, 4);
    tacho_bytes_store(seal + 12, tacho_crc32c(0, head), 4);
    tacho_bytes_store(seal + 16, head.len, 8);
    for (size_t i = 0; i < segment_count; i++) {
        char *entry = seal + SEAL_HEAD_BYTES + i * SEAL_ENTRY_BYTES;
        tacho_bytes_store(entry, tacho_crc32c(0, segments[i].name), 4);
        tacho_bytes_store(entry + 4, segments[i].crc32c, 4);
        tacho_bytes_store(entry + 8, segments[i].data.len, 8);
    }
    tacho_bytes_store(seal + len - 4, tacho_crc32c(0, tacho_str_make(seal, len - 4)), 4);
    *out_seal = tacho_str_make(seal, len);
    return TACHO_OK;
}

/* Whether |seal| is whole, and made for a container of as many segments. */
static bool is_whole(tacho_str seal, size_t segment_count)
{
    return seal.len == tacho_seal_bytes(segment_count) && memcmp(seal.data, seal_magic, 4) == 0 &&
           tacho_bytes_load(seal.data + 4, 4) == SEAL_VERSION &&
           tacho_bytes_load(seal.data + 8, 4) == segment_count &&
           tacho_bytes_load(seal.data + seal.len - 4, 4) ==
               tacho_crc32c(0, tacho_str_make(seal.data, seal.len - 4));
}

static bool is_as_sealed(const char *entry, const tacho_qpc_segment *segment)
{
    return tacho_bytes_load(entry, 4) == tacho_crc32c(0, segment->name) &&
           tacho_bytes_load(entry + 8, 8) == segment->data.len &&
           tacho_bytes_load(entry + 4, 4) == tacho_crc32c(0, segment->data);
}

tacho_status tacho_seal_states(const tacho_qpc *qpc, tacho_arena *arena,
                               const tacho_seal_state **out_states)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, qpc->segment_count * sizeof(tacho_seal_state), &memory));
    tacho_seal_state *states = memory; /* all NONE */
    *out_states = states;
    const tacho_qpc_segment *seal = tacho_qpc_find(qpc, TACHO_STR(TACHO_SEAL_SEGMENT));
    if (seal == NULL) {
        return TACHO_OK;
    }
    size_t seal_index = (size_t)(seal - qpc->segments);
    bool is_good = is_whole(seal->data, qpc->segment_count - 1);
    states[seal_index] = is_good ? TACHO_SEAL_OK : TACHO_SEAL_BAD;
    const char *entry = seal->data.data + SEAL_HEAD_BYTES;
    for (size_t i = 0; i < qpc->segment_count && is_good; i++) {
        if (i != seal_index) {
            states[i] = is_as_sealed(entry, &qpc->segments[i]) ? TACHO_SEAL_OK : TACHO_SEAL_BAD;
            entry += SEAL_ENTRY_BYTES;
        }
    }
    return TACHO_OK;
}

/* Segments follow the head in order, each at the next multiple of 8, with zeros between. */
static tacho_status check_padding(const tacho_qpc *qpc, uint64_t head_len)
{
    uint64_t end = head_len;
    for (size_t i = 0; i < qpc->segment_count; i++) {
        const tacho_qpc_segment *segment = &qpc->segments[i];
        if (segment->place != tacho_bytes_align(end)) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "container, byte %" PRIu64 ": data of segment %zu: expected it at "
                              "byte %" PRIu64,
                              segment->place, i + 1, tacho_bytes_align(end));
        }
        tacho_str padding = tacho_str_make(qpc->bytes.data + end, (size_t)(segment->place - end));
        if (!tacho_bytes_are_zero(padding)) {
            return tacho_fail(
                TACHO_CODE_BAD_DATA,
                "container, byte %" PRIu64
                ": padding: expected zeros, found something else: the file is damaged",
                end);
        }
        end = segment->place + segment->data.len;
    }
    return end == qpc->bytes.len ? TACHO_OK
                                 : tacho_fail(TACHO_CODE_BAD_DATA,
                                              "container, byte %" PRIu64
                                              ": expected the end, found %" PRIu64 " more bytes",
                                              end, qpc->bytes.len - end);
}

static tacho_status check_head(const tacho_qpc *qpc, tacho_str seal)
{
    uint64_t head_len = tacho_bytes_load(seal.data + 16, 8);
    uint32_t expected = (uint32_t)tacho_bytes_load(seal.data + 12, 4);
    if (head_len > qpc->bytes.len) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "container: expected a head of at most %zu bytes, found %" PRIu64,
                          qpc->bytes.len, head_len);
    }
    uint32_t found = tacho_crc32c(0, tacho_str_make(qpc->bytes.data, (size_t)head_len));
    if (found != expected) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "container, byte 0: head: expected CRC32C %08" PRIx32 ", found %08" PRIx32
                          ": the file is damaged",
                          expected, found);
    }
    return check_padding(qpc, head_len);
}

static tacho_status check_states(const tacho_qpc *qpc, tacho_arena *arena)
{
    const tacho_seal_state *states = NULL;
    TACHO_TRY(tacho_seal_states(qpc, arena, &states));
    for (size_t i = 0; i < qpc->segment_count; i++) {
        if (states[i] != TACHO_SEAL_OK) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "container, byte %" PRIu64
                              ": segment '%.*s': expected the CRC32C of " TACHO_SEAL_SEGMENT
                              ", found another: the file is damaged",
                              qpc->segments[i].place, TACHO_STR_ARG(qpc->segments[i].name));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_seal_check(const tacho_qpc *qpc)
{
    const tacho_qpc_segment *seal = tacho_qpc_find(qpc, TACHO_STR(TACHO_SEAL_SEGMENT));
    if (seal == NULL) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "container: expected a segment '" TACHO_SEAL_SEGMENT
                                               "', found none: not a program of tacho's");
    }
    if (!is_whole(seal->data, qpc->segment_count - 1)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "container, byte %" PRIu64 ": segment '" TACHO_SEAL_SEGMENT
                          "': expected the CRC32C at its end, found another: the file is damaged",
                          seal->place);
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = check_states(qpc, &arena);
    tacho_arena_deinit(&arena);
    return status == TACHO_OK ? check_head(qpc, seal->data) : status;
}
