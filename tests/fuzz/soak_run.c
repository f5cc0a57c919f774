/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes programs of changed tables by the million: what fuzz_run does, without measuring
 * coverage, which takes most of its time. It begins with calls of all kernels, with chains of them,
 * and with the inputs that fuzz_run has found. ONEDNN_MAX_CPU_ISA says which kernels are the fast
 * ones: products of bytes are our own with AVX2 or less.
 *
 *     soak_run SEED SECONDS [CORPUS_FOLDER]
 *     soak_run =ROUND FILE [CORPUS_FOLDER]
 *
 * Prints how many executions there were and how many ran to their end. What is found is a crash.
 * The number of the round that crashed is in the file soak_run.SEED.round beside the program (od -t
 * u8 shows it); the second form does that round again, and leaves the input that crashes in FILE.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "run_guarded.h"

#include "program/check.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

enum { INPUT_MAX = 8192, INPUTS_MAX = 8192, CHANGES = 6 };

typedef struct soak {
    uint8_t (*inputs)[INPUT_MAX];
    size_t *sizes;
    size_t count;
    const char *path; /* where the input at work goes, or NULL */
    uint64_t executions, whole;
    maker maker;
} soak;

static void read_corpus(soak *self, const char *folder)
{
    DIR *dir = opendir(folder);
    require(dir != NULL);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL && self->count < INPUTS_MAX;) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (file != NULL) {
            self->sizes[self->count] = fread(self->inputs[self->count], 1, INPUT_MAX, file);
            self->count += self->sizes[self->count] > POOL_MAX ? 1 : 0;
            fclose(file);
        }
    }
    closedir(dir);
}

static void show(const soak *self)
{
    static uint8_t bytes[INPUT_MAX];
    size_t size = self->path == NULL ? 0 : write_program(&self->maker, bytes, INPUT_MAX);
    FILE *file = size == 0 ? NULL : fopen(self->path, "wb");
    if (file != NULL) {
        require(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    }
}

/* Rounds are numbered; their choices have nothing in common. */
static uint64_t scatter(uint64_t number)
{
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

/* Begins with a call, a chain or an input, changes it some times and executes it each time. */
static void go_round(soak *self, uint64_t number)
{
    maker *made = &self->maker;
    uint64_t seed = scatter(number);
    size_t at = self->count > 0 ? (size_t)(seed >> 33) % self->count : 0;
    bool is_call = self->count == 0 || seed % 4 == 0 ||
                   !read_program(made, self->inputs[at], self->sizes[at]) ||
                   made->program.step_count == 0;
    if (is_call) {
        if (self->count > 0 && seed % 4 != 0) {
            tacho_program_deinit(&made->program);
        }
        memset(made, 0, sizeof(*made));
        begin(made);
        made->seed = seed;
        make_any(made);
    } else {
        made->seed = seed;
    }
    for (int i = 0; i < CHANGES; i++) {
        change(made);
        tacho_status status = tacho_program_check(&made->program);
        if (status == TACHO_OK) {
            show(self);
            uint64_t fill = made->seed >> 20;
            status = run(&made->program,
                         fill % 4 == 0 ? TACHO_KERNELS_FAST : TACHO_KERNELS_REFERENCE, fill / 4);
            self->executions++;
            self->whole += status == TACHO_OK ? 1 : 0;
        }
        tacho_status_free(status);
    }
    tacho_program_deinit(&made->program);
}

/* The number of the round at work, in a file that outlives the process. |program| is its path. */
static uint64_t *open_round(const char *program, uint64_t seed)
{
    char path[4096];
    int len = snprintf(path, sizeof(path), "%s.%llu.round", program, (unsigned long long)seed);
    require(len > 0 && (size_t)len < sizeof(path));
    FILE *file = fopen(path, "wb+");
    require(file != NULL && ftruncate(fileno(file), sizeof(uint64_t)) == 0);
    void *memory =
        mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    require(memory != MAP_FAILED);
    return memory;
}

/* Executes rounds until |end|, and keeps the number of the one at work in |round|. */
static void go_on(soak *self, uint64_t seed, time_t end, uint64_t *round)
{
    for (time_t next = 0; time(NULL) < end;) {
        for (int i = 0; i < 50; i++) {
            *round = seed;
            go_round(self, seed++);
        }
        if (time(NULL) >= next) {
            next = time(NULL) + 10;
            printf("%llu executions, %llu to their end\n", (unsigned long long)self->executions,
                   (unsigned long long)self->whole);
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    static soak self;
    require(argc >= 3);
    self.inputs = calloc(INPUTS_MAX, INPUT_MAX);
    self.sizes = calloc(INPUTS_MAX, sizeof(*self.sizes));
    require(self.inputs != NULL && self.sizes != NULL);
    check_calls();
    if (argc > 3) {
        read_corpus(&self, argv[3]);
    }
    if (argv[1][0] == '=') {
        self.path = argv[2];
        go_round(&self, strtoull(argv[1] + 1, NULL, 10));
    } else {
        uint64_t seed = strtoull(argv[1], NULL, 10);
        go_on(&self, seed << 32, time(NULL) + strtol(argv[2], NULL, 10), open_round(argv[0], seed));
    }
    return 0;
}
