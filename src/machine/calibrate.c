/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the clock, by additions that wait for one another; products of matrices in cache, and
 * additions of vectors in cache, by type; memory read and written by one thread and by all; the
 * time to wake a sleeping thread, and of a call where none sleeps. Each is the best of some tries.
 */
#include "machine/calibrate.h"

#include "base/whole.h"
#include "machine/calibrate_kernels.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    SIDE = TACHO_CALIBRATE_SIDE,
    MEMORY = 64 << 20, /* bytes that no cache holds */
    THREADS_MAX = 256,
    READERS_MAX = 16, /* more do not read faster */
};

/* How much time is spent. */
typedef struct effort {
    int tries;
    double try_s; /* at least */
    int memory_tries;
    size_t readers_max;
    int wakes;
} effort;

static const effort thorough = {5, 5e-3, 3, READERS_MAX, 400};
static const effort quick = {3, 2e-3, 2, 4, 100};

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

/* CPU time of this thread: other running threads do not count. */
static double spent_s(void)
{
    return clock_s(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- products and sums --------------------------------------------------------------------- */

/* Seconds of one call: the best of some tries of several calls each. */
static double time_kernel(const effort *how, tacho_calibrate_kernel *run, const char *memory,
                          char *result)
{
    const size_t operand = SIDE * SIDE * sizeof(double);
    double best = 1e9;
    size_t calls = 1;
    for (int tries = 0; tries < how->tries;) {
        double start = spent_s();
        for (size_t i = 0; i < calls; i++) {
            run(memory, memory + operand, result);
        }
        double taken = spent_s() - start;
        if (taken < how->try_s) {
            calls *= 4; /* too short to be timed */
            continue;
        }
        tries++;
        best = taken / (double)calls < best ? taken / (double)calls : best;
    }
    return best;
}

/* ---- the clock ----------------------------------------------------------------------------- */

static double measure_hz(const effort *how)
{
    enum { ADDITIONS = 20000000 };
    double best = 0;
    for (int tries = 0; tries < how->tries; tries++) {
        double start = spent_s();
        uint64_t sum = 1;
        for (size_t i = 0; i < ADDITIONS / 8; i++) {
            /* Each waits for the one before; the compiler must not compute ahead. */
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
    double spent_s; /* of the thread's own time */
} memory_job;

static void read_memory(memory_job *job)
{
    uint64_t sum[8] = {0};
    const uint64_t *words = (const uint64_t *)(const void *)job->memory;
    for (size_t i = 0; i < MEMORY / sizeof(*words); i += 8) {
        for (size_t lane = 0; lane < 8; lane++) {
            sum[lane] += words[i + lane];
        }
    }
    job->sum = sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

static void *use_memory(void *self)
{
    memory_job *job = self;
    double start = spent_s();
    if (job->writes) {
        memset(job->memory, (int)job->sum & 0xff, MEMORY);
    } else {
        read_memory(job);
    }
    job->spent_s = spent_s() - start;
    return NULL;
}

/* Bytes per second of |count| threads together; of one, by its own time. */
static double measure_memory(const effort *how, memory_job *jobs, size_t count, bool writes)
{
    double best = 0;
    for (int tries = 0; tries < how->memory_tries; tries++) {
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
        double taken = count == 1 && started == 1 ? jobs[0].spent_s : now_s() - start;
        double rate = (double)started * MEMORY / taken;
        best = rate > best ? rate : best;
    }
    return best;
}

/* ---- waking -------------------------------------------------------------------------------- */

typedef struct table_tennis {
    pthread_mutex_t mutex;
    pthread_cond_t turned;
    int turn, wakes;
} table_tennis;

static void play(table_tennis *game, int side)
{
    pthread_mutex_lock(&game->mutex);
    for (int i = 0; i < game->wakes; i++) {
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
static double play_once(int wakes)
{
    table_tennis game = {.turn = 0, .wakes = wakes};
    pthread_t other;
    pthread_mutex_init(&game.mutex, NULL);
    pthread_cond_init(&game.turned, NULL);
    double taken = 1e-6;
    if (pthread_create(&other, NULL, play_second, &game) == 0) {
        double start = now_s();
        play(&game, 0);
        pthread_join(other, NULL);
        taken = (now_s() - start) / (2.0 * wakes);
    }
    pthread_cond_destroy(&game.turned);
    pthread_mutex_destroy(&game.mutex);
    return taken;
}

static double measure_wake(const effort *how)
{
    double best = play_once(how->wakes);
    for (int tries = 1; tries < how->tries; tries++) {
        double taken = play_once(how->wakes);
        best = taken < best ? taken : best;
    }
    return best;
}

/* ---- one thread ---------------------------------------------------------------------------- */

/* Seconds from an operator to the next in one thread: a call, and a look at the clock. */
static double measure_call(const effort *how)
{
    double (*volatile call)(void) = now_s;
    double best = 1;
    for (int tries = 0; tries < how->tries; tries++) {
        double start = now_s();
        for (int i = 0; i < how->wakes; i++) {
            call();
        }
        double taken = (now_s() - start) / how->wakes;
        best = taken < best ? taken : best;
    }
    return best;
}

/* ---- the description ----------------------------------------------------------------------- */

typedef struct measured {
    const tacho_calibrate_set *set;
    double hz, wake_s, call_s;
    double macs[TACHO_CALIBRATE_TYPES], elements[TACHO_CALIBRATE_TYPES]; /* per cycle */
    double read_one, write_one, read_all;                                /* bytes per cycle */
    size_t cores;
    long long cache_bytes, memory_bytes;
} measured;

static void write_quantity(FILE *file, const char *key, double value, const char *unit)
{
    value = value < 0.001 ? 0.001 : value; /* no rate is zero */
    fprintf(file,
            "\"%s\": {\"value\": %.3f, \"unit\": \"%s\", \"source\": \"measured by "
            "tacho machine calibrate\"}",
            key, value, unit);
}

static void write_whole(FILE *file, const char *key, long long value, const char *unit)
{
    fprintf(file,
            "\"%s\": {\"value\": %lld, \"unit\": \"%s\", \"source\": \"measured by "
            "tacho machine calibrate\"}",
            key, value, unit);
}

static void write_rates(FILE *file, const tacho_calibrate_set *set, const char *key,
                        const double *rates, const char *unit)
{
    fprintf(file, "      \"%s\": [\n", key);
    for (size_t i = 0; i < TACHO_CALIBRATE_TYPES; i++) {
        fprintf(file, "        {\"dtype\": \"%s\", ", set->types[i].name);
        write_quantity(file, "per_cycle", rates[i], unit);
        fputs(i + 1 < TACHO_CALIBRATE_TYPES ? "},\n" : "}\n", file);
    }
    fputs("      ],\n", file);
}

static void write_queue(FILE *file, const char *name, const char *class, double rate)
{
    fprintf(file, "    {\"name\": \"%s\", \"class\": \"%s\", ", name, class);
    write_quantity(file, "bytes_per_cycle", rate, "B/cycle");
    fputs(", ", file);
    write_whole(file, "start_up_cycles", 0, "cycles");
    fputs("}", file);
}

static void write_head(FILE *file, const measured *m)
{
    fprintf(file,
            "{\n  \"name\": \"host-cpu\",\n"
            "  \"title\": \"The computer at hand\",\n"
            "  \"about\": \"What compiled C reaches on one computer, with %s.\",\n  ",
            m->set->name);
    write_whole(file, "core_clock_hz", tacho_whole_i64(m->hz / 1e6) * 1000000, "Hz");
    fputs(",\n  ", file);
    write_whole(file, "grid_x", (long long)m->cores, "cores");
    fputs(",\n  ", file);
    write_whole(file, "grid_y", 1, "cores");
    fputs(",\n  ", file);
    write_whole(file, "launch_cycles", tacho_whole_i64(m->wake_s * m->hz), "cycles");
    fputs(",\n  ", file);
    write_whole(file, "launch_alone_cycles", tacho_whole_i64(m->call_s * m->hz), "cycles");
}

/* The kernel's generic events, which base/perf.h opens by these codes. */
static void write_counters(FILE *file)
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
    fputs("  \"counters\": [\n", file);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fprintf(file,
                "%s    {\"id\": \"%02X\", \"name\": \"%s\", \"counts\": \"%s; "
                "perf_hw_id %u of linux/perf_event.h\"}",
                i > 0 ? ",\n" : "", rows[i].code, rows[i].name, rows[i].counts, rows[i].code);
    }
    fputs("\n  ]\n", file);
}

static void write_machine(FILE *file, const measured *m)
{
    write_head(file, m);
    fputs(",\n  \"engines\": [\n    {\n      \"name\": \"CPU\",\n"
          "      \"class\": \"compute\",\n      ",
          file);
    write_whole(file, "count", 1, "engines");
    fputs(",\n", file);
    write_rates(file, m->set, "macs", m->macs, "MAC/cycle");
    write_rates(file, m->set, "elements", m->elements, "elements/cycle");
    fputs("      ", file);
    write_whole(file, "start_up_cycles", 0, "cycles");
    fputs("\n    }\n  ],\n  \"memories\": [\n"
          "    {\"name\": \"CACHE\", \"kind\": \"local\", \"is_cache\": true, ",
          file);
    write_whole(file, "size_bytes", m->cache_bytes, "B");
    fputs("},\n    {\"name\": \"MEMORY\", \"kind\": \"ddr\", ", file);
    write_whole(file, "size_bytes", m->memory_bytes, "B");
    fputs(", ", file);
    write_quantity(file, "bytes_per_cycle", m->read_all, "B/cycle");
    fputs("}\n  ],\n  \"dma\": [\n", file);
    write_queue(file, "LOAD", "dma_in", m->read_one);
    fputs(",\n", file);
    write_queue(file, "STORE", "dma_out", m->write_one);
    fputs("\n  ],\n  \"legalise\": [\n"
          "    {\"from\": \"f16\", \"to\": \"f32\"},\n"
          "    {\"from\": \"bf16\", \"to\": \"f32\"}\n  ],\n",
          file);
    write_counters(file);
    fputs("}\n", file);
}

/* Small numbers of any type: reals with an exponent, or integers whose sums do not overflow. */
static void fill(char *memory, bool is_real)
{
    for (size_t i = 0; i < 2 * SIDE * SIDE * sizeof(double); i++) {
        char last = is_real && i % 4 == 3 ? 0x3f : 0;
        memory[i] = i % 4 == 0 ? (char)(i % 7) : last;
    }
}

static void measure_kernels(const effort *how, measured *m, char *memory)
{
    char *result = memory + 2 * SIDE * SIDE * sizeof(double);
    for (size_t i = 0; i < TACHO_CALIBRATE_TYPES; i++) {
        const tacho_calibrate_type *type = &m->set->types[i];
        fill(memory, type->name[0] == 'f');
        double product_s = time_kernel(how, type->product, memory, result);
        double sum_s = time_kernel(how, type->sum, memory, result);
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

static tacho_status measure(const effort *how, measured *m)
{
    measure_sizes(m);
    size_t threads = m->cores < how->readers_max ? m->cores : how->readers_max;
    char *memory = NULL;
    if (posix_memalign((void **)&memory, 64, threads * MEMORY) != 0) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot allocate %zu bytes to measure with",
                          threads * MEMORY);
    }
    memory_job jobs[READERS_MAX];
    for (size_t i = 0; i < threads; i++) {
        jobs[i] = (memory_job){.memory = memory + i * MEMORY, .sum = i};
    }
    m->hz = measure_hz(how);
    m->write_one = measure_memory(how, jobs, 1, true) / m->hz;
    measure_memory(how, jobs, threads, true);
    m->read_one = measure_memory(how, jobs, 1, false) / m->hz;
    double all = measure_memory(how, jobs, threads, false) / m->hz;
    m->read_all = all > m->read_one ? all : m->read_one; /* others may have been at work */
    measure_kernels(how, m, memory);
    m->wake_s = measure_wake(how);
    m->call_s = measure_call(how);
    free(memory);
    return TACHO_OK;
}

tacho_status tacho_machine_calibrate(bool is_quick, tacho_arena *arena, tacho_str *out_text)
{
    measured m = {.set = tacho_calibrate_set_at(0), .cores = 1};
    TACHO_TRY(measure(is_quick ? &quick : &thorough, &m));
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file != NULL) {
        write_machine(file, &m);
    }
    bool is_written = file != NULL && fclose(file) == 0;
    tacho_status status = is_written
                              ? tacho_arena_copy(arena, tacho_str_make(text, length), out_text)
                              : tacho_no_memory();
    free(text);
    return status;
}
