/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Tracy client of our own, for tests: composes a client's data, in any protocol.
 */
#ifndef TACHO_CAPTURE_TRACY_CLIENT_TESTING_H
#define TACHO_CAPTURE_TRACY_CLIENT_TESTING_H

#include "codec/lz4_chain.h"
#include "codec/tracy_protocol.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENT_ROOM = 1 << 20, CLIENT_PID = 4321, CLIENT_TID = 4321 };

typedef struct client {
    tacho_tracy_protocol protocol;
    tacho_lz4_encoder lz4;
    unsigned char *block; /* plain, not yet sent */
    size_t block_len;
    unsigned char *bytes; /* all that it sends */
    size_t len, capacity;
    size_t block_ends[64]; /* of |bytes| */
    size_t block_count;
    int64_t ticks; /* of the current thread's clock */
} client;

static inline void client_raw(client *self, const void *bytes, size_t len)
{
    while (self->len + len > self->capacity) {
        self->capacity = 2 * self->capacity;
        self->bytes = realloc(self->bytes, self->capacity);
        assert(self->bytes != NULL);
    }
    memcpy(self->bytes + self->len, bytes, len);
    self->len += len;
}

static inline void client_put(client *self, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        self->block[self->block_len++] = (unsigned char)(value >> (8 * i));
    }
}

/* The answer to the hello, and the welcome: ticks of half a nanosecond from 1000 on. */
static inline void client_init(client *self, uint32_t number, bool is_fork)
{
    unsigned char welcome[TACHO_TRACY_WELCOME_MAX] = {0};
    const unsigned char answer = TACHO_TRACY_ANSWER_WELCOME;
    const double mul = 0.5;
    size_t rest = number <= 74 ? 32 : 24;
    *self = (client){.capacity = CLIENT_ROOM, .bytes = malloc(CLIENT_ROOM)};
    self->block = malloc(TACHO_TRACY_BLOCK_MAX);
    bool is_spoken = tacho_tracy_protocol_init(&self->protocol, number, is_fork);
    tacho_status status = tacho_lz4_encoder_init(&self->lz4, TACHO_TRACY_BLOCK_MAX);
    assert(is_spoken && status == TACHO_OK);
    (void)is_spoken;
    (void)status;
    memcpy(welcome, &mul, sizeof(mul));
    welcome[9] = 1000 >> 8;
    welcome[8] = 1000 & 0xff;
    welcome[17] = 2000 >> 8;
    welcome[16] = 2000 & 0xff;
    welcome[rest + 24] = CLIENT_PID & 0xff;
    welcome[rest + 25] = CLIENT_PID >> 8;
    memcpy(welcome + rest + 58, "composed", 8);
    client_raw(self, &answer, 1);
    client_raw(self, welcome, tacho_tracy_welcome_bytes(number));
}

static inline void client_deinit(client *self)
{
    tacho_lz4_encoder_deinit(&self->lz4);
    free(self->block);
    free(self->bytes);
}

static inline void client_send(client *self)
{
    char *packed = malloc(tacho_lz4_bound(TACHO_TRACY_BLOCK_MAX));
    memcpy(tacho_lz4_encoder_room(&self->lz4), self->block, self->block_len);
    uint32_t len = (uint32_t)tacho_lz4_encoder_encode(&self->lz4, self->block_len, packed);
    unsigned char size[4] = {(unsigned char)len, (unsigned char)(len >> 8),
                             (unsigned char)(len >> 16), (unsigned char)(len >> 24)};
    client_raw(self, size, sizeof(size));
    client_raw(self, packed, len);
    free(packed);
    self->block_len = 0;
    if (self->block_count < sizeof(self->block_ends) / sizeof(*self->block_ends)) {
        self->block_ends[self->block_count++] = self->len;
    }
}

static inline void client_event(client *self, tacho_tracy_event event)
{
    int type = tacho_tracy_type_of(&self->protocol, event);
    assert(type >= 0);
    client_put(self, (uint64_t)type, 1);
}

static inline void client_bytes(client *self, const char *text, size_t len)
{
    memcpy(self->block + self->block_len, text, len);
    self->block_len += len;
}

/* A string ahead of its event. */
static inline void client_single(client *self, const char *text)
{
    size_t len = strlen(text);
    bool is_short = self->protocol.number >= 80 && len < 256;
    client_event(self,
                 is_short ? TACHO_TRACY_SINGLE_STRING_DATA_8 : TACHO_TRACY_SINGLE_STRING_DATA);
    client_put(self, self->protocol.number >= 80 && !is_short ? len - 256 : len, is_short ? 1 : 2);
    client_bytes(self, text, len);
}

static inline void client_thread(client *self, uint32_t tid)
{
    client_event(self, TACHO_TRACY_THREAD_CONTEXT);
    client_put(self, tid, 4);
    self->ticks = 0;
}

static inline int64_t client_delta(client *self, int64_t ticks)
{
    int64_t delta = ticks - self->ticks;
    self->ticks = ticks;
    return delta;
}

/* |wide| ahead of its forms of 32 and 16 bits, as the list has them. */
static inline void client_time(client *self, tacho_tracy_event wide, int64_t delta)
{
    if (self->protocol.number < 78) {
        client_event(self, wide);
        client_put(self, (uint64_t)delta, 8);
    } else if (delta >= 0 && delta < 65536) {
        client_event(self, (tacho_tracy_event)(wide + 2));
        client_put(self, (uint64_t)delta, 2);
    } else if (delta >= 65536 && delta - 65536 <= (int64_t)UINT32_MAX) {
        client_event(self, (tacho_tracy_event)(wide + 1));
        client_put(self, (uint64_t)(delta - 65536), 4);
    } else {
        client_event(self, wide);
        client_put(self, (uint64_t)(delta < 0 ? delta : delta - 65536 - (INT64_C(1) << 32)), 8);
    }
}

static inline void client_begin(client *self, int64_t ticks, uint64_t place)
{
    client_time(self, TACHO_TRACY_ZONE_BEGIN, client_delta(self, ticks));
    client_put(self, place, 8);
}

static inline void client_end(client *self, int64_t ticks)
{
    client_time(self, TACHO_TRACY_ZONE_END, client_delta(self, ticks));
}

static inline void client_text(client *self, const char *text)
{
    client_single(self, text);
    client_event(self, TACHO_TRACY_ZONE_TEXT);
}

static inline void client_message(client *self, int64_t ticks, const char *text)
{
    client_single(self, text);
    client_event(self, TACHO_TRACY_MESSAGE);
    client_put(self, (uint64_t)ticks, 8);
    if (self->protocol.number >= 77) {
        client_put(self, 0x20, 1);
    }
}

/* A place that is made at run time. */
static inline void client_payload(client *self, const char *function, const char *file,
                                  const char *name)
{
    client_event(self, TACHO_TRACY_SOURCE_LOCATION_PAYLOAD);
    client_put(self, 0, 8);
    client_put(self, 8 + strlen(function) + strlen(file) + 2 + strlen(name), 2);
    client_put(self, 0x102030, 4);
    client_put(self, 77, 4);
    client_bytes(self, function, strlen(function) + 1);
    client_bytes(self, file, strlen(file) + 1);
    client_bytes(self, name, strlen(name));
}

static inline void client_begin_payload(client *self, int64_t ticks)
{
    client_event(self, TACHO_TRACY_ZONE_BEGIN_ALLOC_SRC_LOC);
    client_put(self, (uint64_t)client_delta(self, ticks), 8);
}

static inline void client_plot(client *self, uint64_t name, int64_t ticks, int64_t value)
{
    client_event(self, TACHO_TRACY_PLOT_DATA_INT);
    client_put(self, name, 8);
    client_put(self, (uint64_t)client_delta(self, ticks), 8);
    client_put(self, (uint64_t)value, 8);
}

static inline void client_context(client *self, uint32_t context, uint8_t type)
{
    const float period = 1;
    uint32_t bits;
    memcpy(&bits, &period, sizeof(bits));
    client_event(self, TACHO_TRACY_GPU_NEW_CONTEXT);
    client_put(self, 3000, 8); /* cpu: 1000 ns */
    client_put(self, 500, 8);  /* gpu */
    client_put(self, 0, 4);
    client_put(self, bits, 4);
    client_put(self, context, self->protocol.context_bytes);
    client_put(self, 0, 1);
    client_put(self, type, 1);
}

static inline void client_gpu_zone(client *self, uint32_t context, uint64_t place, uint16_t query)
{
    client_event(self, TACHO_TRACY_GPU_ZONE_BEGIN_SERIAL);
    client_put(self, 0, 8);
    client_put(self, 9, 4);
    client_put(self, query, 2);
    client_put(self, context, self->protocol.context_bytes);
    client_put(self, place, 8);
    client_event(self, TACHO_TRACY_GPU_ZONE_END_SERIAL);
    client_put(self, 0, 8);
    client_put(self, 9, 4);
    client_put(self, query + 1u, 2);
    client_put(self, context, self->protocol.context_bytes);
}

static inline void client_gpu_time(client *self, uint32_t context, uint16_t query, int64_t delta)
{
    client_event(self, TACHO_TRACY_GPU_TIME);
    client_put(self, (uint64_t)delta, 8);
    client_put(self, query, 2);
    client_put(self, context, self->protocol.context_bytes);
}

static inline void client_answer_text(client *self, tacho_tracy_event event, uint64_t address,
                                      const char *text)
{
    client_event(self, event);
    client_put(self, address, 8);
    client_put(self, strlen(text), 2);
    client_bytes(self, text, strlen(text));
}

static inline void client_answer_place(client *self, uint64_t name, uint64_t function,
                                       uint64_t file, uint32_t line)
{
    client_event(self, TACHO_TRACY_SOURCE_LOCATION);
    client_put(self, name, 8);
    client_put(self, function, 8);
    client_put(self, file, 8);
    client_put(self, line, 4);
    client_put(self, 0, 3);
}

#endif
