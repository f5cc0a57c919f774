/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers, and numbers and texts of payloads.
 */
#include "remote/wire.h"

#include "codec/crc32c.h"

static const char magic[4] = {'T', 'B', 'R', '2'};

enum { PIECE_BYTES = 1 << 20, PAYLOAD_SUM = 24, HEADER_SUM = 28 };

/* Most messages are a few numbers and texts; those that carry data are as long as that is. */
static bool is_small(tacho_wire_type type)
{
    return type != TACHO_WIRE_PROGRAM && type != TACHO_WIRE_LOADED && type != TACHO_WIRE_INPUT &&
           type != TACHO_WIRE_RESULT && type != TACHO_WIRE_VALUE;
}

const char *tacho_wire_type_name(tacho_wire_type type)
{
    static const char *const names[] = {"unknown",
#define TACHO_WIRE_NAME(name) #name,
                                        TACHO_WIRE_TYPES(TACHO_WIRE_NAME)
#undef TACHO_WIRE_NAME
    };
    return names[type < TACHO_WIRE_TYPE_COUNT ? type : TACHO_WIRE_NONE];
}

static uint32_t header_sum(const unsigned char *header)
{
    return tacho_crc32c(0, tacho_str_make((const char *)header, HEADER_SUM));
}

bool tacho_wire_send(const tacho_wire *wire, tacho_wire_type type, uint64_t elapsed_ns,
                     tacho_str first, tacho_str second)
{
    unsigned char header[TACHO_WIRE_HEADER_BYTES];
    memcpy(header, magic, sizeof(magic));
    tacho_bytes_store(header + 4, (uint64_t)type, 4);
    tacho_bytes_store(header + 8, (uint64_t)first.len + second.len, 8);
    tacho_bytes_store(header + 16, elapsed_ns, 8);
    tacho_bytes_store(header + PAYLOAD_SUM, tacho_crc32c(tacho_crc32c(0, first), second), 4);
    tacho_bytes_store(header + HEADER_SUM, header_sum(header), 4);
    return wire->send(wire->self, header, sizeof(header)) &&
           (first.len == 0 || wire->send(wire->self, first.data, first.len)) &&
           (second.len == 0 || wire->send(wire->self, second.data, second.len));
}

static bool receive_all(const tacho_wire *wire, unsigned char *to, size_t len)
{
    while (len > 0) {
        size_t got = wire->receive(wire->self, to, len);
        if (got == 0) {
            return false;
        }
        to += got;
        len -= got;
    }
    return true;
}

static tacho_status check_length(const tacho_wire_message *message, uint64_t len)
{
    uint64_t limit = is_small(message->type) ? TACHO_WIRE_SMALL_BYTES : message->limit;
    return limit == 0 || len <= limit
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA,
                            "a message of the runtime (%s) has %llu bytes; expected at most %llu",
                            tacho_wire_type_name(message->type), (unsigned long long)len,
                            (unsigned long long)limit);
}

static tacho_status check_header(const unsigned char *header)
{
    uint64_t type = tacho_bytes_load(header + 4, 4);
    if (memcmp(header, magic, sizeof(magic)) != 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "what arrived is not a message of a tacho runtime");
    }
    if (tacho_bytes_load(header + HEADER_SUM, 4) != header_sum(header)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "a message was damaged on its way: the checksum of its header is wrong");
    }
    return type != TACHO_WIRE_NONE && type < TACHO_WIRE_TYPE_COUNT &&
                   tacho_bytes_load(header + 16, 8) <= TACHO_WIRE_NS_MAX
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA,
                            "what arrived is not a message of a tacho runtime");
}

static tacho_status check_payload(const tacho_wire_message *message, const unsigned char *header)
{
    return tacho_crc32c(0, tacho_bytes_view(&message->payload)) ==
                   tacho_bytes_load(header + PAYLOAD_SUM, 4)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA,
                            "a message (%s) was damaged on its way: the checksum of its %zu bytes "
                            "is wrong",
                            tacho_wire_type_name(message->type), message->payload.len);
}

tacho_status tacho_wire_receive(const tacho_wire *wire, tacho_wire_message *message,
                                bool *out_is_end)
{
    unsigned char header[TACHO_WIRE_HEADER_BYTES];
    message->payload.len = 0;
    *out_is_end = !receive_all(wire, header, sizeof(header));
    if (*out_is_end) {
        return TACHO_OK;
    }
    TACHO_TRY(check_header(header));
    uint64_t left = tacho_bytes_load(header + 8, 8);
    message->type = (tacho_wire_type)tacho_bytes_load(header + 4, 4);
    message->elapsed_ns = tacho_bytes_load(header + 16, 8);
    TACHO_TRY(check_length(message, left));
    while (left > 0 && !*out_is_end) {
        size_t piece = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        unsigned char *at = NULL;
        TACHO_TRY(tacho_bytes_extend(&message->payload, piece, &at));
        *out_is_end = !receive_all(wire, at, piece);
        left -= piece;
    }
    return *out_is_end ? TACHO_OK : check_payload(message, header);
}

/* ---- payloads ------------------------------------------------------------------------------ */

tacho_status tacho_wire_put_text(tacho_bytes *to, tacho_str text)
{
    TACHO_TRY(tacho_bytes_put(to, text.len, 8));
    return tacho_bytes_append(to, text);
}

tacho_str tacho_wire_get_bytes(tacho_wire_reader *reader, uint64_t len)
{
    if (reader->is_bad || len > reader->bytes.len - reader->at) {
        reader->is_bad = true;
        return TACHO_STR("");
    }
    tacho_str found = tacho_str_make(reader->bytes.data + reader->at, (size_t)len);
    reader->at += (size_t)len;
    return found;
}

uint64_t tacho_wire_get(tacho_wire_reader *reader, size_t width)
{
    tacho_str bytes = tacho_wire_get_bytes(reader, width);
    return bytes.len == width ? tacho_bytes_load(bytes.data, width) : 0;
}

tacho_str tacho_wire_get_text(tacho_wire_reader *reader)
{
    return tacho_wire_get_bytes(reader, tacho_wire_get(reader, 8));
}

void tacho_wire_align(tacho_wire_reader *reader)
{
    tacho_wire_get_bytes(reader, tacho_bytes_align(reader->at) - reader->at);
}

tacho_status tacho_wire_end(const tacho_wire_reader *reader, tacho_wire_type type)
{
    return !reader->is_bad && reader->at == reader->bytes.len
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "a message of the runtime (%s) is damaged",
                            tacho_wire_type_name(type));
}
