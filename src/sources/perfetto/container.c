/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Framing. A packet is returned in place, as a view of the input's window.
 */
#include "sources/perfetto/container.h"

#include "base/decoder.h"
#include "base/grow.h"
#include "sources/perfetto/fields.h"

#include <stdlib.h>

enum {
    HEAD_MAX = TACHO_PB_TAG_MAX + TACHO_PB_VARINT_MAX,
    FIELD_MAX = (1 << 28) - 1, /* the format's own limit */
    PACKET_MAX = TACHO_INPUT_TOKEN_MAX - HEAD_MAX,
    SEARCH_BYTES = 1 << 20,
    INFLATED_MAX = 64 << 20,
    INFLATED_START = 256 << 10,
};

/* Field 36 of 16 bytes, the last of its packet. */
static const char marker[] = "\xa2\x02\x10\x82\x47\x7a\x76\xb2\x8d\x42\xba\x81\xdc\x33\x32\x6d"
                             "\x57\xa0\x79";
enum { MARKER_LEN = sizeof(marker) - 1 };

void pfr_container_init(pfr_container *container, tacho_input *input)
{
    *container = (pfr_container){.input = input};
}

void pfr_container_deinit(pfr_container *container)
{
    free(container->inner);
    container->inner = NULL;
}

/* The front of a field: its tag and the length of its contents. */
typedef struct field_head {
    size_t head_len;
    uint64_t body_len;
    bool is_packet;
    bool is_cut; /* more bytes are needed */
} field_head;

/* False when the bytes cannot be the front of a field. */
static bool read_head(tacho_str bytes, field_head *out_head)
{
    const unsigned char *start = (const unsigned char *)bytes.data;
    const unsigned char *at = start;
    const unsigned char *end = start + bytes.len;
    uint64_t tag = 0;
    uint64_t len = 0;
    *out_head = (field_head){.is_cut = true};
    if (!tacho_pb_try_varint(&at, end, &tag)) {
        return bytes.len < TACHO_PB_VARINT_MAX;
    }
    switch (tag & 7) {
    case TACHO_PB_WIRE_VARINT:
        if (!tacho_pb_try_varint(&at, end, &len)) {
            return end - at < TACHO_PB_VARINT_MAX;
        }
        len = 0;
        break;
    case TACHO_PB_WIRE_BYTES:
        if (!tacho_pb_try_varint(&at, end, &len)) {
            return end - at < TACHO_PB_VARINT_MAX;
        }
        break;
    case TACHO_PB_WIRE_FIXED64:
        len = 8;
        break;
    case TACHO_PB_WIRE_FIXED32:
        len = 4;
        break;
    default:
        return false;
    }
    *out_head = (field_head){
        .head_len = (size_t)(at - start),
        .body_len = len,
        .is_packet = tag == TACHO_PB_KEY_BYTES(PF_TRACE_PACKET),
    };
    return tag >= 8 && tag >> 3 <= TACHO_PB_FIELD_NUMBER_MAX && len <= FIELD_MAX;
}

/* Skips |len| bytes that may be more than the window holds; false when the input has fewer. */
static tacho_status skip_far(tacho_input *input, uint64_t len, bool *out_whole)
{
    while (len > 0) {
        tacho_str bytes;
        TACHO_TRY(tacho_input_peek(input, len < SEARCH_BYTES ? (size_t)len : SEARCH_BYTES, &bytes));
        if (bytes.len == 0) {
            break;
        }
        size_t part = bytes.len < len ? bytes.len : (size_t)len;
        tacho_input_skip(input, part);
        len -= part;
    }
    *out_whole = len == 0;
    return TACHO_OK;
}

/*
 * Goes to the end of the next marker; false when there is none, and the input is at its end. In an
 * input that may be endless the search stops where damage is longer than any packet.
 */
static tacho_status find_marker(pfr_container *container, bool *out_got)
{
    tacho_input *input = container->input;
    uint64_t from = tacho_input_offset(input);
    *out_got = false;
    for (;;) {
        tacho_str bytes;
        TACHO_TRY(tacho_input_peek(input, SEARCH_BYTES, &bytes));
        for (size_t at = 0; at + MARKER_LEN <= bytes.len; at++) {
            const char *found = memchr(bytes.data + at, marker[0], bytes.len - MARKER_LEN + 1 - at);
            if (found == NULL) {
                break;
            }
            at = (size_t)(found - bytes.data);
            if (memcmp(found, marker, MARKER_LEN) == 0) {
                tacho_input_skip(input, at + MARKER_LEN);
                *out_got = true;
                return TACHO_OK;
            }
        }
        container->is_given_up = tacho_input_may_be_endless(input) &&
                                 tacho_input_offset(input) - from > TACHO_INPUT_TOKEN_MAX;
        if (bytes.len < SEARCH_BYTES || container->is_given_up) {
            tacho_input_skip(input, bytes.len);
            return TACHO_OK;
        }
        tacho_input_skip(input, bytes.len - MARKER_LEN + 1);
    }
}

static tacho_status resynchronize(pfr_container *container, pfr_found *out_found)
{
    bool got = false;
    TACHO_TRY(find_marker(container, &got));
    *out_found = got ? PFR_FOUND_DAMAGE : PFR_FOUND_CUT;
    return TACHO_OK;
}

/* The input ends inside a field: skips the rest. */
static tacho_status finish_cut(tacho_input *input, pfr_found *out_found)
{
    bool whole = false;
    *out_found = PFR_FOUND_CUT;
    return skip_far(input, UINT64_MAX, &whole);
}

/* Skips a field that is not a packet, or that is too large. */
static tacho_status pass_over(tacho_input *input, const field_head *head, pfr_found *out_found)
{
    bool whole = false;
    TACHO_TRY(skip_far(input, head->head_len + head->body_len, &whole));
    *out_found = whole ? PFR_FOUND_TOO_LARGE : PFR_FOUND_CUT;
    return TACHO_OK;
}

/* Reads one field of the input, in all cases; a field other than a packet gives an empty packet. */
static tacho_status next_slow(pfr_container *container, tacho_str *out_packet, pfr_found *out_found)
{
    tacho_input *input = container->input;
    tacho_str bytes;
    field_head head;
    *out_packet = TACHO_STR("");
    *out_found = PFR_FOUND_END;
    if (container->is_given_up) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_input_peek(input, HEAD_MAX, &bytes));
    container->offset = tacho_input_offset(input);
    if (bytes.len == 0) {
        return TACHO_OK;
    }
    if (!read_head(bytes, &head)) {
        return resynchronize(container, out_found);
    }
    if (head.is_cut) {
        return finish_cut(input, out_found);
    }
    if (!head.is_packet || head.body_len > PACKET_MAX) {
        TACHO_TRY(pass_over(input, &head, out_found));
        bool is_whole_other = !head.is_packet && *out_found == PFR_FOUND_TOO_LARGE;
        *out_found = is_whole_other ? PFR_FOUND_PACKET : *out_found;
        return TACHO_OK;
    }
    size_t len = head.head_len + (size_t)head.body_len;
    TACHO_TRY(tacho_input_peek(input, len, &bytes));
    if (bytes.len < len) {
        return finish_cut(input, out_found);
    }
    *out_packet = tacho_str_make(bytes.data + head.head_len, (size_t)head.body_len);
    *out_found = PFR_FOUND_PACKET;
    tacho_input_skip(input, len);
    return TACHO_OK;
}

/* Reads one field of the decompressed data; its offset stays that of the compressed packet. */
static void next_inner(pfr_container *container, tacho_str *out_packet, pfr_found *out_found)
{
    tacho_str bytes = {(const char *)container->inner + container->inner_at,
                       container->inner_len - container->inner_at};
    field_head head;
    bool is_field = read_head(bytes, &head);
    *out_packet = TACHO_STR("");
    *out_found = PFR_FOUND_PACKET;
    if (!is_field || head.is_cut || head.body_len > bytes.len - head.head_len) {
        container->inner_len = 0;
        *out_found = container->inner_is_cut ? PFR_FOUND_PACKET : PFR_FOUND_DAMAGE;
        return;
    }
    if (head.is_packet) {
        *out_packet = tacho_str_make(bytes.data + head.head_len, (size_t)head.body_len);
    }
    container->inner_at += head.head_len + (size_t)head.body_len;
}

tacho_status pfr_container_next(pfr_container *container, tacho_str *out_packet,
                                pfr_found *out_found)
{
    if (TACHO_UNLIKELY(container->inner_len > 0)) {
        if (container->inner_at < container->inner_len) {
            next_inner(container, out_packet, out_found);
            return TACHO_OK;
        }
        container->inner_len = 0;
    }
    tacho_input *input = container->input;
    const unsigned char *at = (const unsigned char *)input->cursor;
    size_t visible = (size_t)(input->limit - input->cursor);
    if (TACHO_LIKELY(visible >= 2 && at[0] == TACHO_PB_KEY_BYTES(PF_TRACE_PACKET) && at[1] < 0x80 &&
                     visible - 2 >= at[1])) {
        container->offset = tacho_input_offset(input);
        *out_packet = tacho_str_make(input->cursor + 2, at[1]);
        *out_found = PFR_FOUND_PACKET;
        tacho_input_skip(input, 2 + (size_t)at[1]);
        return TACHO_OK;
    }
    return next_slow(container, out_packet, out_found);
}

/* Runs |decoder| over |bytes| until it ends, fails, or has given INFLATED_MAX. */
static tacho_status inflate_all(pfr_container *container, tacho_decoder *decoder, tacho_str bytes,
                                bool *out_whole)
{
    tacho_decode_io io = {.in = (const unsigned char *)bytes.data, .in_len = bytes.len};
    size_t len = 0;
    *out_whole = false;
    for (;;) {
        size_t want = len < INFLATED_START ? INFLATED_START : 2 * len;
        want = want > INFLATED_MAX ? INFLATED_MAX : want;
        TACHO_TRY(tacho_grow(&container->inner, &container->inner_capacity, want));
        io.out = container->inner + len;
        io.out_len = want - len;
        size_t in_before = io.in_len;
        tacho_decode_result result = tacho_decoder_run(decoder, &io);
        bool is_stuck = io.in_len == in_before && io.out_len == want - len;
        len = want - io.out_len;
        container->inner_len = len;
        container->inner_at = 0;
        *out_whole = result == TACHO_DECODE_END;
        if (result != TACHO_DECODE_MORE || is_stuck || len == INFLATED_MAX) {
            return TACHO_OK;
        }
    }
}

tacho_status pfr_container_enter(pfr_container *container, tacho_str bytes, bool is_zlib,
                                 bool *out_whole)
{
    tacho_decoder *decoder = NULL;
    *out_whole = false;
    TACHO_TRY(is_zlib ? tacho_decoder_create_zlib(&decoder)
                      : tacho_decoder_create(bytes, &decoder));
    if (decoder == NULL) {
        return TACHO_OK; /* not a zstd frame */
    }
    tacho_status status = inflate_all(container, decoder, bytes, out_whole);
    container->inner_is_cut = !*out_whole;
    tacho_decoder_destroy(decoder);
    return status;
}
