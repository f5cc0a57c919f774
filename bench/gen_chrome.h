/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of gen_chrome share: the state of a run, the shapes, and the steps that kineto and
 * ordered write down.
 */
#ifndef TACHO_BENCH_GEN_CHROME_H
#define TACHO_BENCH_GEN_CHROME_H

#include "gen.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum {
    THREAD_COUNT = 2,
    OPS_PER_THREAD = 44,
    OPS_MAX = THREAD_COUNT * OPS_PER_THREAD,
    SITE_COUNT = 16 * OPS_PER_THREAD, /* what differs between operators comes again after so many */
    SITE_BYTES = 640,
    STEP_NS = 2 * 1000 * 1000,
    HOST_PID = 4711,
    KERNEL_COUNT = 9,
};

/* The text of an operator's inputs, made once. */
struct site {
    char text[SITE_BYTES];
    uint32_t length;
};

struct op {
    uint64_t start_ns, length_ns; /* since the first of the file */
    uint64_t number;              /* counts all operators of the file */
    const char *name;
    const struct site *site;
    uint32_t thread;
    bool has_stack;
};

/* A launch on the host and what it makes the GPU do. */
struct launch {
    uint64_t call_ns, call_length_ns;
    uint64_t start_ns, length_ns;
    uint64_t correlation, op_number;
    uint64_t random;
    uint32_t thread;
    bool is_memset;
};

struct step {
    struct op ops[OPS_MAX];
    struct launch launches[OPS_MAX];
    uint32_t op_count, launch_count;
};

struct shape;

struct gen {
    const struct shape *shape;
    uint64_t bytes;
    uint64_t seed;
    uint64_t step_count;
    struct site *sites;
    struct step step;
    char *buffer;
    char *at;
    uint64_t written_bytes;
    bool only_counts; /* a rehearsal */
    bool is_first;    /* no event has been written */
    bool ok;
};

struct shape {
    const char *name;
    uint64_t first_ns; /* in "ts" */
    uint64_t base_ns;  /* baseTimeNanoseconds */
    void (*write_head)(struct gen *gen);
    void (*write_step)(struct gen *gen, uint64_t number);   /* in a first pass */
    void (*write_second)(struct gen *gen, uint64_t number); /* in a second; may be NULL */
    void (*write_tail)(struct gen *gen);
};

/* What a shape writes: gen_chrome_kineto.c, gen_chrome_ort.c and gen_chrome_names.c. */
void write_kineto_head(struct gen *gen);
void write_kineto_step(struct gen *gen, uint64_t number);
void write_kineto_second(struct gen *gen, uint64_t number);
void write_kineto_tail(struct gen *gen);
void write_ordered_step(struct gen *gen, uint64_t number);
void write_ordered_tail(struct gen *gen);
void write_ort_head(struct gen *gen);
void write_ort_step(struct gen *gen, uint64_t number);
void write_ort_tail(struct gen *gen);
void write_names_head(struct gen *gen);
void write_names_step(struct gen *gen, uint64_t number);
void write_names_tail(struct gen *gen);

/* gen_chrome_step.c: fills |gen->sites|, makes |gen->step|. */
void sites_fill(struct site *sites, uint64_t seed);
void step_make(struct gen *gen, uint64_t number);

extern const char *const KERNELS[KERNEL_COUNT];

/* The place for text other than an event. */
char *begin_text(struct gen *gen);

/* The place for an event; what separates it from the one before is there. */
char *begin_event(struct gen *gen, const char *separator);

/* Microseconds with three decimals. */
static inline char *put_us(char *at, uint64_t ns)
{
    const uint64_t rest = ns % 1000;
    at = put_char(put_number(at, ns / 1000), '.');
    at = put_char(at, (char)('0' + rest / 100));
    at = put_char(at, (char)('0' + rest / 10 % 10));
    return put_char(at, (char)('0' + rest % 10));
}

static inline char *put_member(char *at, const char *before, uint64_t value)
{
    return put_number(put_text(at, before), value);
}

static inline char *put_numbers(char *at, uint64_t random, uint64_t count)
{
    at = put_char(at, '[');
    for (uint64_t i = 0; i < count; ++i) {
        at = i > 0 ? put_text(at, ", ") : at;
        at = put_number(at, UINT64_C(1) << (random >> (4 * i)) % 11);
    }
    return put_char(at, ']');
}

#endif
