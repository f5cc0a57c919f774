/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol of a host and the runtime on a board: messages, each a header and a payload, over
 * any connection that carries bytes. Numbers are little-endian.
 *
 *     header: "TBR2", u32 type, u64 bytes of the payload, u64 ns since the sender began (board),
 *             u32 CRC32C of the payload, u32 CRC32C of the header up to here
 *
 *     board  HELLO                      who it is, before any request
 *     host   CLAIM       -> GRANTED, or BUSY (once more GRANTED or BUSY where the host waits)
 *     host   LOAD        -> DONE
 *     host   PROGRAM     -> LOADED
 *     host   INPUT       -> DONE
 *     host   RUN         -> RESULT
 *     host   OUTPUT      -> VALUE
 *     host   END         -> DONE, and the board ends
 *
 * In place of any answer the board may send FAILED: a failure with its notes. Before any answer it
 * sends ALIVE, without a payload, now and then, so a host that hears nothing can stop waiting.
 * CLAIM holds the host's limit of silence; that of the board is twice as long.
 */
#ifndef TACHO_REMOTE_WIRE_H
#define TACHO_REMOTE_WIRE_H

#include "program/bytes.h"

enum {
    TACHO_WIRE_PROTOCOL = 2,
    TACHO_WIRE_HEADER_BYTES = 32,
    TACHO_WIRE_SILENCE_S = 60, /* how long a host listens to silence by default */
    TACHO_WIRE_SILENCE_MAX_S = 1000000,
    TACHO_WIRE_PATIENCE = 2,          /* of a board: this many times as long */
    TACHO_WIRE_SMALL_BYTES = 1 << 20, /* of a message that carries no data, at most */
};

/*
 * Times of a board, and sums of those of all its results, are no later than this: 73 years. Two of
 * them can be added and subtracted.
 */
#define TACHO_WIRE_NS_MAX (INT64_MAX / 4)

#define TACHO_WIRE_TYPES(X)                                                                        \
    X(HELLO)                                                                                       \
    X(CLAIM)                                                                                       \
    X(GRANTED)                                                                                     \
    X(BUSY)                                                                                        \
    X(LOAD)                                                                                        \
    X(PROGRAM)                                                                                     \
    X(LOADED)                                                                                      \
    X(INPUT)                                                                                       \
    X(DONE)                                                                                        \
    X(RUN)                                                                                         \
    X(RESULT)                                                                                      \
    X(OUTPUT)                                                                                      \
    X(VALUE)                                                                                       \
    X(END)                                                                                         \
    X(FAILED)                                                                                      \
    X(ALIVE)

typedef enum tacho_wire_type {
    TACHO_WIRE_NONE,
#define TACHO_WIRE_ENUM(name) TACHO_WIRE_##name,
    TACHO_WIRE_TYPES(TACHO_WIRE_ENUM)
#undef TACHO_WIRE_ENUM
        TACHO_WIRE_TYPE_COUNT
} tacho_wire_type;

/* "HELLO"; "unknown" for other numbers. */
const char *tacho_wire_type_name(tacho_wire_type type);

/* The carrier of the bytes. */
typedef struct tacho_wire {
    /* All of |bytes|; false: the other side is gone. */
    bool (*send)(void *self, const void *bytes, size_t len);
    /* At most |len| bytes, 0 at the end. */
    size_t (*receive)(void *self, void *bytes, size_t len);
    void *self;
} tacho_wire;

typedef struct tacho_wire_message {
    tacho_wire_type type;
    uint64_t elapsed_ns; /* of the sender */
    uint64_t limit;      /* bytes of a payload that carries data, at most; 0: any number */
    tacho_bytes payload; /* kept from message to message; the owner deinits it */
} tacho_wire_message;

/* Sends a message whose payload is |first|, then |second|; false: the other side is gone. */
bool tacho_wire_send(const tacho_wire *wire, tacho_wire_type type, uint64_t elapsed_ns,
                     tacho_str first, tacho_str second);

/*
 * Receives a message. |*out_is_end|: none, as the other side is gone. Bytes that do not form a
 * message are BAD_DATA, as is a message that is too long or damaged. A length is trusted only as
 * far as its bytes arrive.
 */
tacho_status tacho_wire_receive(const tacho_wire *wire, tacho_wire_message *message,
                                bool *out_is_end) TACHO_MUST_USE;

/* ---- payloads ------------------------------------------------------------------------------ */

/* A length and that many bytes. */
tacho_status tacho_wire_put_text(tacho_bytes *to, tacho_str text) TACHO_MUST_USE;

/* Reads a payload from its start on. Missing bytes read as zeros and empty, and set |is_bad|. */
typedef struct tacho_wire_reader {
    tacho_str bytes;
    size_t at;
    bool is_bad;
} tacho_wire_reader;

uint64_t tacho_wire_get(tacho_wire_reader *reader, size_t width);
tacho_str tacho_wire_get_bytes(tacho_wire_reader *reader, uint64_t len);
tacho_str tacho_wire_get_text(tacho_wire_reader *reader);

/* Goes on at the next multiple of 8. */
void tacho_wire_align(tacho_wire_reader *reader);

/* BAD_DATA unless the payload of |type| was read to its end, and no further. */
tacho_status tacho_wire_end(const tacho_wire_reader *reader, tacho_wire_type type) TACHO_MUST_USE;

#endif
