/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of Tracy's protocols, made from one list.
 */
#include "codec/tracy_protocol.h"

#include <math.h>
#include <string.h>

enum { NONE = TACHO_TRACY_TAIL_NONE, LAST_WITH_DELAY = 74, CPU_VENDOR = 12, ANNOUNCED = 20 };

/* An event of the list. */
typedef struct listed_event {
    uint8_t since;
    uint8_t bytes;
    bool has_context;
    uint8_t tail;
    uint8_t needs;
} listed_event;

#define SAME false
#define WIDE true
#define STRING8 TACHO_TRACY_TAIL_STRING8
#define STRING16 TACHO_TRACY_TAIL_STRING16
#define TEXT16 TACHO_TRACY_TAIL_TEXT16
#define TEXT32 TACHO_TRACY_TAIL_TEXT32
#define NEED_S TACHO_TRACY_NEED_S
#define NEED_S2 TACHO_TRACY_NEED_S2
#define NEED_P TACHO_TRACY_NEED_P
#define NEED_C TACHO_TRACY_NEED_C
#define NEED_M TACHO_TRACY_NEED_M
#define NEED_I TACHO_TRACY_NEED_I

static const listed_event listed[] = {
#define LISTED(name, since, bytes, context, tail, needs) {since, bytes, context, tail, needs},
    TACHO_TRACY_EVENTS(LISTED)
#undef LISTED
};

static const struct {
    uint32_t number;
    bool is_fork;
} spoken[] = {
#define SPOKEN(number, is_fork) {number, is_fork},
    TACHO_TRACY_PROTOCOLS(SPOKEN)
#undef SPOKEN
};

/* In the order in which clients are met: today's releases, then tt-metal, then older ones. */
static const uint32_t tried[] = {82, 66, 77, 76, 83, 74, 69, 64, 63};

static uint8_t bytes_of(tacho_tracy_event event, uint32_t number)
{
    switch ((int)event) {
#define OLD(name, last, size)                                                                      \
    case TACHO_TRACY_##name:                                                                       \
        return number <= (last) ? (size) : listed[event].bytes;
        TACHO_TRACY_OLD_SIZES(OLD)
#undef OLD
    default:
        return listed[event].bytes;
    }
}

bool tacho_tracy_is_spoken(uint32_t number)
{
    for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++) {
        if (tried[i] == number) {
            return true;
        }
    }
    return false;
}

bool tacho_tracy_is_ambiguous(uint32_t number)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof(spoken) / sizeof(*spoken); i++) {
        count += spoken[i].number == number;
    }
    return count > 1;
}

uint32_t tacho_tracy_number(size_t index)
{
    return index < sizeof(tried) / sizeof(*tried) ? tried[index] : 0;
}

bool tacho_tracy_protocol_init(tacho_tracy_protocol *protocol, uint32_t number, bool is_fork)
{
    bool is_known = false;
    size_t type = 0;
    for (size_t i = 0; i < sizeof(spoken) / sizeof(*spoken); i++) {
        is_known = is_known || (spoken[i].number == number && spoken[i].is_fork == is_fork);
    }
    *protocol = (tacho_tracy_protocol){
        .number = number, .is_fork = is_fork, .context_bytes = is_fork ? 2 : 1};
    for (size_t i = 0; i < 256; i++) {
        protocol->types[i].event = TACHO_TRACY_EVENT_COUNT;
    }
    for (unsigned i = 0; i < TACHO_TRACY_EVENT_COUNT; i++) {
        if (listed[i].since <= number) {
            protocol->types[type++] = (tacho_tracy_type){
                .event = (uint8_t)i,
                .bytes = (uint8_t)(bytes_of((tacho_tracy_event)i, number) +
                                   (is_fork && listed[i].has_context ? 1 : 0)),
                .tail = listed[i].tail,
                .needs = listed[i].needs,
            };
        }
    }
    return is_known;
}

int tacho_tracy_type_of(const tacho_tracy_protocol *protocol, tacho_tracy_event event)
{
    for (int i = 0; i < 256; i++) {
        if (protocol->types[i].event == event) {
            return i;
        }
    }
    return -1;
}

/* ---- handshake ----------------------------------------------------------------------------- */

size_t tacho_tracy_welcome_bytes(uint32_t number)
{
    return TACHO_TRACY_WELCOME_MAX - (number <= LAST_WITH_DELAY ? 0 : sizeof(uint64_t));
}

/* Text of a fixed size: up to its first NUL. */
static const unsigned char *take_text(char *to, const unsigned char *at, size_t size)
{
    memcpy(to, at, size);
    to[size] = '\0';
    return at + size;
}

bool tacho_tracy_welcome_parse(tacho_tracy_welcome *welcome, uint32_t number,
                               const unsigned char *bytes)
{
    const unsigned char *at = bytes + 24 + (number <= LAST_WITH_DELAY ? sizeof(uint64_t) : 0);
    uint64_t bits = tacho_tracy_u64(bytes);
    *welcome = (tacho_tracy_welcome){.init_begin = tacho_tracy_i64(bytes + 8),
                                     .init_end = tacho_tracy_i64(bytes + 16),
                                     .resolution = tacho_tracy_u64(at),
                                     .epoch = tacho_tracy_u64(at + 8),
                                     .exec_time = tacho_tracy_u64(at + 16),
                                     .pid = tacho_tracy_u64(at + 24),
                                     .sampling_period = tacho_tracy_i64(at + 32),
                                     .flags = at[40],
                                     .cpu_arch = at[41]};
    memcpy(&welcome->ns_per_tick, &bits, sizeof(bits));
    at = take_text(welcome->cpu_vendor, at + 42, CPU_VENDOR);
    welcome->cpu_id = tacho_tracy_u32(at);
    at = take_text(welcome->program, at + 4, TACHO_TRACY_PROGRAM);
    take_text(welcome->host, at, TACHO_TRACY_HOST);
    /* A tick is between a picosecond and a millisecond; times are those of a computer's life. */
    return isfinite(welcome->ns_per_tick) && welcome->ns_per_tick > 1e-3 &&
           welcome->ns_per_tick < 1e6 && welcome->init_begin >= 0 &&
           welcome->init_end >= welcome->init_begin;
}

bool tacho_tracy_announcement_parse(tacho_tracy_announcement *announcement,
                                    const unsigned char *bytes, size_t len)
{
    enum { VERSION = 3 };
    if (len < ANNOUNCED || tacho_tracy_u16(bytes) != VERSION) {
        return false;
    }
    size_t room = len - ANNOUNCED;
    *announcement = (tacho_tracy_announcement){
        .port = tacho_tracy_u16(bytes + 2),
        .protocol = tacho_tracy_u32(bytes + 4),
        .pid = tacho_tracy_u64(bytes + 8),
        .is_gone = (int32_t)tacho_tracy_u32(bytes + 16) < 0,
    };
    memcpy(announcement->program, bytes + ANNOUNCED,
           room < TACHO_TRACY_PROGRAM ? room : TACHO_TRACY_PROGRAM);
    return announcement->port != 0;
}
