/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of one decoded block of a Tracy client. An event never spans blocks; a string and the
 * event that it belongs to may be in different blocks.
 *
 * A block is walked twice: once to check that all of it can be read, before any of it is acted on,
 * and once to act on it. Reading a block with the wrong layout would otherwise ask the client for
 * meaningless addresses, which it would read, and crash.
 */
#ifndef TACHO_CODEC_TRACY_BLOCK_H
#define TACHO_CODEC_TRACY_BLOCK_H

#include "base/attributes.h"
#include "base/str.h"
#include "codec/tracy_protocol.h"

/* One event. */
typedef struct tacho_tracy_item {
    tacho_tracy_event event;
    const unsigned char *data; /* after the type byte */
    tacho_str text;            /* the variable part, after the fixed one */
} tacho_tracy_item;

typedef struct tacho_tracy_cursor {
    const tacho_tracy_protocol *protocol;
    const unsigned char *at, *end;
    bool is_bad; /* the bytes at |at| are not an event */
} tacho_tracy_cursor;

/* The length of the variable part, after the fixed one, and the size of the length field. */
static inline bool tacho_tracy_take_tail(tacho_tracy_cursor *cursor, uint8_t tail,
                                         tacho_tracy_item *item)
{
    static const uint8_t length_bytes[] = {0, 1, 2, 2, 4};
    size_t room = (size_t)(cursor->end - cursor->at);
    size_t head = length_bytes[tail];
    size_t len = 0;
    if (room < head) {
        return false;
    }
    for (size_t i = 0; i < head; i++) {
        len |= (size_t)cursor->at[i] << (8 * i);
    }
    len += tail == TACHO_TRACY_TAIL_STRING16 && cursor->protocol->number >= 80 ? 256 : 0;
    if (room - head < len) {
        return false;
    }
    item->text = tacho_str_make((const char *)cursor->at + head, len);
    cursor->at += head + len;
    return true;
}

/* The next event; false at the end, or where |is_bad|. */
static inline bool tacho_tracy_next(tacho_tracy_cursor *cursor, tacho_tracy_item *item)
{
    if (cursor->at == cursor->end) {
        return false;
    }
    const tacho_tracy_type *type = &cursor->protocol->types[*cursor->at];
    if (type->event == TACHO_TRACY_EVENT_COUNT ||
        (size_t)(cursor->end - cursor->at) < type->bytes) {
        cursor->is_bad = true;
        return false;
    }
    item->event = (tacho_tracy_event)type->event;
    item->data = cursor->at + 1;
    cursor->at += type->bytes;
    if (type->tail != TACHO_TRACY_TAIL_NONE && !tacho_tracy_take_tail(cursor, type->tail, item)) {
        cursor->is_bad = true;
        return false;
    }
    return true;
}

/* Contexts of GPUs that a client has opened. */
typedef struct tacho_tracy_contexts {
    uint8_t bits[65536 / 8];
} tacho_tracy_contexts;

/* The result of a walk. */
typedef struct tacho_tracy_verdict {
    size_t event_count;
    size_t doubt_count;   /* events that no client sends in this place */
    bool is_whole;        /* all of it could be read */
    bool has_gpu_context; /* the first event whose size differs between layouts is in it */
} tacho_tracy_verdict;

/* How far a block has been walked: carried from block to block. */
typedef struct tacho_tracy_walk {
    uint8_t pending; /* TACHO_TRACY_NEED_ bits of parts that wait for their event */
    tacho_tracy_contexts contexts;
} tacho_tracy_walk;

/*
 * Walks the block |bytes| in the layout of |protocol|, counting doubtful events. |walk| is advanced
 * to its end.
 */
tacho_tracy_verdict tacho_tracy_block_judge(const tacho_tracy_protocol *protocol, tacho_str bytes,
                                            tacho_tracy_walk *walk);

/* Whether all of |bytes| can be read, and no more than that. */
bool tacho_tracy_block_is_whole(const tacho_tracy_protocol *protocol, tacho_str bytes);

/* Whether a GPU's context is opened in it: from there on the layouts differ. */
bool tacho_tracy_block_has_context(const tacho_tracy_protocol *protocol, tacho_str bytes);

#endif
