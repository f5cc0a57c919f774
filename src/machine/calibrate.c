/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured: the clock, by additions that wait for one another; products of matrices in
 * cache, and additions of vectors in cache, by type; memory read and written by one thread and by
 * all; and how long a sleeping thread takes to wake. Each is the best of some tries.
 */
#include "machine/calibrate.h"

#include "machine/calibrate_kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES = 5,
    SIDE = TACHO_CALIBRATE_SIDE,
    MEMORY = 64 << 20, /* bytes that no cache holds */
    WAKES = 2000,
    THREADS_MAX = 256,
};

static double clock_s(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

/* What this thread was given of its core: others that run do not count. */
static double spent_s(void)
{
    return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- products and sums --------------------------------------------------------------------- */

/* Seconds of one call: the best of some tries of several calls each. */
static double time_kernel(tacho_calibrate_kernel *run, const char *memory, char *result)
{
    const size_t operand = SIDE * SIDE * sizeof(double);
    double best = 1e9;
    size_t calls = 1;
    for (int tries = 0; tries < TRIES;) {
        double start = spent_s();
        for (size_t i = 0; i < calls; i++) {
            run(memory, memory + operand, result);
        }
        double taken = spent_s() - start;
        if (taken < 5e-3) {
            calls *= 4; /* too short to be timed */
            continue;
        }
        tries++;
        best = taken / (double)calls < best ? taken / (double)calls : best;
    }
    return best;
}

/* ---- the clock ----------------------------------------------------------------------------- */

static double measure_hz(void)
{
    enum { ADDITIONS = 20000000 };
    double best = 0;
    for (int tries = 0; tries < TRIES; tries++) {
        double start = spent_s();
        uint64_t sum = 1;
        for (size_t i = 0; i < ADDITIONS / 8; i++) {
            /* Each waits for the one before; nothing is to be computed ahead. */
#define ADD                                                                                        \
    sum += sum;                                                                                    \
    __asm__ volatile("" : "+r"(sum));
            ADD ADD ADD ADD ADD ADD ADD ADD
#undef ADD
        }
        double hz = ADDITIONS / (spent_s() - start);
        best = hz > best ? hz : best;
    }
    return best;
}

/* ---- memory -------------------------------------------------------------------------------- */

typedef struct memory_job {
    char *memory;
    bool writes;
    uint64_t sum;
} memory_job;

static void *use_memory(void *self)
{
    memory_job *job = self;
    if (job->writes) {
        memset(job->memory, (int)job->sum & 0xff, MEMORY);
        return NULL;
    }
    uint64_t sum[8] = {0};
    const uint64_t *words = (const uint64_t *)(const void *)job->memory;
    for (size_t i = 0; i < MEMORY / sizeof(*words); i += 8) {
        for (size_t lane = 0; lane < 8; lane++) {
            sum[lane] += words[i + lane];
        }
    }
    job->sum = sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
    return NULL;
}

/* Bytes per second of |count| threads together. */
static double measure_memory(memory_job *jobs, size_t count, bool writes)
{
    double best = 0;
    for (int tries = 0; tries < 3; tries++) {
        pthread_t threads[THREADS_MAX];
        bool is_started[THREADS_MAX];
        double start = now_s();
        size_t started = 0;
        for (size_t i = 0; i < count; i++) {
            jobs[i].writes = writes;
            is_started[i] = pthread_create(&threads[i], NULL, use_memory, &jobs[i]) == 0;
            started += is_started[i];
        }
        for (size_t i = 0; i < count; i++) {
            if (is_started[i]) {
                pthread_join(threads[i], NULL);
            }
        }
        double rate = (double)started * MEMORY / (now_s() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

/* ---- waking -------------------------------------------------------------------------------- */

typedef struct table_tennis {
    pthread_mutex_t mutex;
    pthread_cond_t turned;
    int turn;
} table_tennis;

static void play(table_tennis *game, int side)
{
    pthread_mutex_lock(&game->mutex);
    for (int i = 0; i < WAKES; i++) {
        while (game->turn != side) {
            pthread_cond_wait(&game->turned, &game->mutex);
        }
        game->turn = 1 - side;
        pthread_cond_signal(&game->turned);
    }
    pthread_mutex_unlock(&game->mutex);
}

static void *play_second(void *self)
{
    play(self, 1);
    return NULL;
}

/* Seconds from a signal until the other thread runs. */
static double measure_wake(void)
{
    table_tennis game = {.turn = 0};
    pthread_t other;
    pthread_mutex_init(&game.mutex, NULL);
    pthread_cond_init(&game.turned, NULL);
    double taken = 1e-6;
    if (pthread_create(&other, NULL, play_second, &game) == 0) {
        double start = now_s();
        play(&game, 0);
        pthread_join(other, NULL);
        taken = (now_s() - start) / (2.0 * WAKES);
    }
    pthread_cond_destroy(&game.turned);
    pthread_mutex_destroy(&game.mutex);
    return taken;
}

/* ---- the description ----------------------------------------------------------------------- */

typedef struct measured {
    const tacho_calibrate_set *set;
    double hz, wake_s;
    double macs[TACHO_CALIBRATE_TYPES], elements[TACHO_CALIBRATE_TYPES]; /* per cycle */
    double read_one, write_one, read_all;                                /* bytes per cycle */
    size_t cores;
    long long cache_bytes, memory_bytes;
} measured;

static void write_quantity(tacho_output *output, const char *key, double value, const char *unit)
{
    value = value < 0.001 ? 0.001 : value; /* no rate is zero */
    tacho_output_printf(output,
                        "\"%s\": {\"value\": %.3f, \"unit\": \"%s\", \"source\": \"measured by "
                        "tacho machine calibrate\"}",
                        key, value, unit);
}

static void write_whole(tacho_output *output, const char *key, long long value, const char *unit)
{
    tacho_output_printf(output,
                        "\"%s\": {\"value\": %lld, \"unit\": \"%s\", \"source\": \"measured by "
                        "tacho machine calibrate\"}",
                        key, value, unit);
}

static void write_rates(tacho_output *output, const tacho_calibrate_set *set, const char *key,
                        const double *rates, const char *unit)
{
    tacho_output_printf(output, "      \"%s\": [\n", key);
    for (size_t i = 0; i < TACHO_CALIBRATE_TYPES; i++) {
        tacho_output_printf(output, "        {\"dtype\": \"%s\", ", set->types[i].name);
        write_quantity(output, "per_cycle", rates[i], unit);
        tacho_output_write_cstring(output, i + 1 < TACHO_CALIBRATE_TYPES ? "},\n" : "}\n");
    }
    tacho_output_write_cstring(output, "      ],\n");
}

static void write_queue(tacho_output *output, const char *name, const char *class, double rate)
{
    tacho_output_printf(output, "    {\"name\": \"%s\", \"class\": \"%s\", ", name, class);
    write_quantity(output, "bytes_per_cycle", rate, "B/cycle");
    tacho_output_write_cstring(output, ", ");
    write_whole(output, "start_up_cycles", 0, "cycles");
    tacho_output_write_cstring(output, "}");
}

static void write_head(tacho_output *output, const measured *m)
{
    tacho_output_printf(output,
                        "{\n  \"name\": \"host-cpu\",\n"
                        "  \"title\": \"The computer at hand\",\n"
                        "  \"about\": \"What compiled C reaches on one computer, with %s.\",\n  ",
                        m->set->name);
    write_whole(output, "core_clock_hz", (long long)(m->hz / 1e6) * 1000000, "Hz");
    tacho_output_write_cstring(output, ",\n  ");
    write_whole(output, "grid_x", (long long)m->cores, "cores");
    tacho_output_write_cstring(output, ",\n  ");
    write_whole(output, "grid_y", 1, "cores");
    tacho_output_write_cstring(output, ",\n  ");
    write_whole(output, "launch_cycles", (long long)(m->wake_s * m->hz), "cycles");
}

/* The kernel's generic events, which base/perf.h opens by these codes. */
static void write_counters(tacho_output *output)
{
    static const struct {
        unsigned code;
        const char *name, *counts;
    } rows[] = {
        {0, "CPU_CYCLES", "cycles"},
        {1, "INSTRUCTIONS", "instructions that were retired"},
        {2, "CACHE_REFERENCES", "accesses of the last cache"},
        {3, "CACHE_MISSES", "misses of the last cache"},
        {4, "BRANCH_INSTRUCTIONS", "branches that were retired"},
        {5, "BRANCH_MISSES", "branches that were mispredicted"},
        {7, "STALLED_CYCLES_FRONTEND",
         "cycles in which nothing could be issued for want of instructions"},
        {8, "STALLED_CYCLES_BACKEND",
         "cycles in which nothing could be issued for want of resources"},
    };
    tacho_output_write_cstring(output, "  \"counters\": [\n");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tacho_output_printf(output,
                            "%s    {\"id\": \"%02X\", \"name\": \"%s\", \"counts\": \"%s; "
                            "perf_hw_id %u of linux/perf_event.h\"}",
                            i > 0 ? ",\n" : "", rows[i].code, rows[i].name, rows[i].counts,
                            rows[i].code);
    }
    tacho_output_write_cstring(output, "\n  ]\n");
}

static void write_machine(tacho_output *output, const measured *m)
{
    write_head(output, m);
    tacho_output_write_cstring(output, ",\n  \"engines\": [\n    {\n      \"name\": \"CPU\",\n"
                                       "      \"class\": \"compute\",\n      ");
    write_whole(output, "count", 1, "engines");
    tacho_output_write_cstring(output, ",\n");
    write_rates(output, m->set, "macs", m->macs, "MAC/cycle");
    write_rates(output, m->set, "elements", m->elements, "elements/cycle");
    tacho_output_write_cstring(output, "      ");
    write_whole(output, "start_up_cycles", 0, "cycles");
    tacho_output_write_cstring(output, "\n    }\n  ],\n  \"memories\": [\n"
                                       "    {\"name\": \"CACHE\", \"kind\": \"local\", ");
    write_whole(output, "size_bytes", m->cache_bytes, "B");
    tacho_output_write_cstring(output, "},\n    {\"name\": \"MEMORY\", \"kind\": \"ddr\", ");
    write_whole(output, "size_bytes", m->memory_bytes, "B");
    tacho_output_write_cstring(output, ", ");
    write_quantity(output, "bytes_per_cycle", m->read_all, "B/cycle");
    tacho_output_write_cstring(output, "}\n  ],\n  \"dma\": [\n");
    write_queue(output, "LOAD", "dma_in", m->read_one);
    tacho_output_write_cstring(output, ",\n");
    write_queue(output, "STORE", "dma_out", m->write_one);
    tacho_output_write_cstring(output, "\n  ],\n  \"legalise\": [\n"
                                       "    {\"from\": \"f16\", \"to\": \"f32\"},\n"
                                       "    {\"from\": \"bf16\", \"to\": \"f32\"}\n  ],\n");
    write_counters(output);
    tacho_output_write_cstring(output, "}\n");
}

/* Small numbers of any type: reals with an exponent, or integers whose sums do not overflow. */
static void fill(char *memory, bool is_real)
{
    for (size_t i = 0; i < 2 * SIDE * SIDE * sizeof(double); i++) {
        char last = is_real && i % 4 == 3 ? 0x3f : 0;
        memory[i] = i % 4 == 0 ? (char)(i % 7) : last;
    }
}

static void measure_kernels(measured *m, char *memory)
{
    char *result = memory + 2 * SIDE * SIDE * sizeof(double);
    for (size_t i = 0; i < TACHO_CALIBRATE_TYPES; i++) {
        const tacho_calibrate_type *type = &m->set->types[i];
        fill(memory, type->name[0] == 'f');
        double product_s = time_kernel(type->product, memory, result);
        double sum_s = time_kernel(type->sum, memory, result);
        m->macs[i] = (double)SIDE * SIDE * SIDE / product_s / m->hz;
        m->elements[i] = TACHO_CALIBRATE_ELEMENTS / sum_s / m->hz;
    }
}

static void measure_sizes(measured *m)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    long cache = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    m->cores = cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (size_t)cores;
    m->cache_bytes = cache > 0 ? cache : 1 << 20;
    m->memory_bytes = pages > 0 && page > 0 ? (long long)pages * page : 1LL << 30;
}

tacho_status tacho_machine_calibrate(tacho_output *output)
{
    measured m = {.set = tacho_calibrate_set_at(0), .cores = 1};
    measure_sizes(&m);
    size_t threads = m.cores < 16 ? m.cores : 16; /* more do not read faster */
    char *memory = NULL;
    if (posix_memalign((void **)&memory, 64, threads * MEMORY) != 0) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %zu bytes of memory to measure with",
                          threads * MEMORY);
    }
    memory_job jobs[16];
    for (size_t i = 0; i < threads; i++) {
        jobs[i] = (memory_job){.memory = memory + i * MEMORY, .sum = i};
    }
    m.hz = measure_hz();
    m.write_one = measure_memory(jobs, 1, true) / m.hz;
    measure_memory(jobs, threads, true);
    m.read_one = measure_memory(jobs, 1, false) / m.hz;
    m.read_all = measure_memory(jobs, threads, false) / m.hz;
    measure_kernels(&m, memory);
    m.wake_s = measure_wake();
    free(memory);
    write_machine(output, &m);
    return TACHO_OK;
}
