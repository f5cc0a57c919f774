/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape names: X events of four threads in order of time, each with a name that no other event
 * has, as tracers write them that put numbers into names. No span overlaps another of its thread.
 */
#include "gen_chrome.h"

enum {
    NAMES_PER_STEP = 64,
    NAME_THREAD_COUNT = 4,
    NAME_PERIOD_NS = 2500, /* from one event to the next */
};

static char *put_hex(char *at, uint32_t value)
{
    for (unsigned shift = 32; shift > 0; shift -= 4)
        at = put_char(at, "0123456789abcdef"[value >> (shift - 4) & 15]);
    return at;
}

static void write_named_event(struct gen *gen, uint64_t number)
{
    const uint64_t random = draw(gen->seed, 7, number);
    const uint64_t start_ns = number * NAME_PERIOD_NS + random % 1000;
    const uint64_t length_ns = 500 + (random >> 16) % (NAME_THREAD_COUNT * NAME_PERIOD_NS - 1500);
    char *at = begin_event(gen, ",\n");
    at = put_member(at, "{\"ph\":\"X\",\"cat\":\"op\",\"name\":\"layer_", number);
    at = put_hex(put_text(at, "/block_"), (uint32_t)(random >> 32));
    at = put_member(at, "/op_", number);
    at = put_member(at, "\",\"pid\":1,\"tid\":", number % NAME_THREAD_COUNT);
    at = put_us(put_text(at, ",\"ts\":"), start_ns);
    at = put_us(put_text(at, ",\"dur\":"), length_ns);
    at = put_member(at, ",\"args\":{\"n\":", (random >> 8) % 100000);
    gen->at = put_text(put_member(at, ",\"kind\":\"k", random % 9), "\"}}");
}

void write_names_head(struct gen *gen)
{
    gen->at = put_text(begin_text(gen), "{\"traceEvents\":[");
}

void write_names_step(struct gen *gen, uint64_t number)
{
    for (uint64_t i = 0; i < NAMES_PER_STEP; ++i)
        write_named_event(gen, number * NAMES_PER_STEP + i);
}

void write_names_tail(struct gen *gen)
{
    gen->at = put_text(begin_text(gen), "\n]}\n");
}
