/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without libFuzzer, in the build that the other tests use: every seed, then
 * RUNS changed ones, the same ones each time.
 *
 *     fuzz_csv RUNS PATH...     seeds are files, or all files of folders
 *
 * An input that ends the process is left in crash-TARGET in the current folder.
 */
#define _DEFAULT_SOURCE /* scandir */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of the sanitizers, where there are any. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

enum { INPUT_MAX = 1 << 16, INPUTS_MAX = 1 << 14, CHANGES_MAX = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
    __attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

static input seeds[INPUTS_MAX], current;
static size_t seed_count;
static uint64_t random_state = 0x9e3779b97f4a7c15;
static const char *target_name;

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "replay: %s\n", what);
        exit(2);
    }
}

/* xorshift64: a number below |limit|, which is not 0. */
static size_t random_below(size_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

/* ---- changes ------------------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void overwrite_number(uint8_t *data, size_t size)
{
    static const uint64_t numbers[] = {
        0,      1,          0x7f,       0x80,       0xff,           0x7fff,    0x8000,
        0xffff, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX / 2, UINT64_MAX};
    uint64_t number = numbers[random_below(sizeof(numbers) / sizeof(numbers[0]))];
    size_t at = random_below(size), width = (size_t)1 << random_below(4);
    memcpy(data + at, &number, smaller(width, size - at));
}

static size_t erase_range(uint8_t *data, size_t size)
{
    size_t at = random_below(size), count = 1 + random_below(size - at);
    memmove(data + at, data + at + count, size - at - count);
    return size - count;
}

/* Puts a piece of |from| into the input. */
static size_t insert_range(uint8_t *data, size_t size, size_t max_size, const input *from)
{
    if (from->size == 0 || size == max_size) {
        return size;
    }
    uint8_t piece[256];
    size_t start = random_below(from->size), at = random_below(size + 1);
    size_t count = 1 + random_below(smaller(from->size - start, sizeof(piece)));
    count = smaller(count, max_size - size);
    memcpy(piece, from->data + start, count); /* which may be the input itself */
    memmove(data + at + count, data + at, size - at);
    memcpy(data + at, piece, count);
    return size + count;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    input self = {data, size};
    switch (size == 0 ? 5 : random_below(6)) {
    case 0:
        data[random_below(size)] ^= (uint8_t)(1U << random_below(8));
        return size;
    case 1:
        overwrite_number(data, size);
        return size;
    case 2:
        return erase_range(data, size);
    case 3:
        return insert_range(data, size, max_size, &self);
    case 4:
        return 1 + random_below(size); /* cut */
    default:
        return insert_range(data, size, max_size, &seeds[random_below(seed_count)]);
    }
}

static size_t change(uint8_t *data, size_t size)
{
    size_t count = 1 + random_below(CHANGES_MAX);
    if (LLVMFuzzerCustomMutator != NULL) {
        return LLVMFuzzerCustomMutator(data, size, INPUT_MAX, (unsigned)random_below(1U << 31));
    }
    for (size_t i = 0; i < count; i++) {
        size = LLVMFuzzerMutate(data, size, INPUT_MAX);
    }
    return size;
}

/* ---- inputs -------------------------------------------------------------------------------- */

static void read_seed(const char *path)
{
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (file == NULL) {
        return;
    }
    require(seed_count < INPUTS_MAX, "too many seeds");
    input *seed = &seeds[seed_count++];
    seed->data = malloc((size_t)about.st_size + 1);
    require(seed->data != NULL, "no memory");
    seed->size = fread(seed->data, 1, (size_t)about.st_size, file);
    fclose(file);
}

static void read_seeds(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        read_seed(path);
    }
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
        read_seed(name);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

/* ---- running ------------------------------------------------------------------------------- */

static void keep_crash(void)
{
    char name[256];
    snprintf(name, sizeof(name), "crash-%s", target_name);
    FILE *file = fopen(name, "wb");
    if (file != NULL) {
        fwrite(current.data, 1, current.size, file);
        fclose(file);
        fprintf(stderr, "replay: the input is in %s\n", name);
    }
}

static void on_abort(int number)
{
    keep_crash();
    signal(number, SIG_DFL);
    raise(number);
}

/* In memory that ends where the input does. */
static void run_once(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    require(copy != NULL, "no memory");
    memcpy(copy, data, size);
    current = (input){copy, size};
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    current = (input){NULL, 0};
}

int main(int argc, char **argv)
{
    static uint8_t data[INPUT_MAX];
    require(argc > 2, "usage: TARGET RUNS PATH...");
    unsigned long runs = strtoul(argv[1], NULL, 10);
    const char *slash = strrchr(argv[0], '/');
    target_name = slash != NULL ? slash + 1 : argv[0];
    for (int i = 2; i < argc; i++) {
        read_seeds(argv[i]);
    }
    require(seed_count > 0, "no seeds");
    if (LLVMFuzzerInitialize != NULL) {
        LLVMFuzzerInitialize(&argc, &argv);
    }
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(keep_crash);
    }
    signal(SIGABRT, on_abort); /* a law that does not hold */
    for (size_t i = 0; i < seed_count; i++) {
        run_once(seeds[i].data, seeds[i].size);
    }
    for (unsigned long i = 0; i < runs; i++) {
        const input *seed = &seeds[random_below(seed_count)];
        size_t size = smaller(seed->size, INPUT_MAX);
        memcpy(data, seed->data, size);
        run_once(data, change(data, size));
    }
    printf("%zu seeds, %lu changed inputs\n", seed_count, runs);
    for (size_t i = 0; i < seed_count; i++) {
        free(seeds[i].data);
    }
    return 0;
}
