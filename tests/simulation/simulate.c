/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of the simulation:
 *
 *     simulate --seed 7                      one run; prints the law that it breaks
 *     simulate --from-seed 1 --count 500     many, one after another
 *     simulate --events 100000000            runs until there were so many events
 *
 * Runs are made in batches by a child process, so that one that crashes is reported as well, and
 * that the memory of simulated deaths is freed.
 */
#include "simulator.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BATCH = 32,
    DIGESTS = 16 /* one run in so many is repeated */,
    LENGTH = 4000,
    RUN_SECONDS = 120
};

typedef struct options {
    uint64_t first_seed, count, event_max;
    uint64_t length; /* events of a run */
    bool is_single, is_verbose, keeps_going;
} options;

/* Shared with the child. */
typedef struct progress {
    uint64_t seed; /* that runs now */
    uint64_t run_count, event_count, failed_count;
    uint64_t fault_counts[SIM_FAULT_COUNT];
} progress;

static void print_commit(void)
{
    char commit[64] = "unknown";
    FILE *pipe = popen("git rev-parse --short HEAD 2>/dev/null", "r");
    if (pipe != NULL && fgets(commit, sizeof(commit), pipe) != NULL) {
        commit[strcspn(commit, "\n")] = '\0';
    }
    if (pipe != NULL) {
        pclose(pipe);
    }
    printf("%s", commit);
}

static void report_failure(const options *request, uint64_t seed, const char *law)
{
    printf("seed %llu: %s\n  replay: simulate --seed %llu --length %llu, at commit ",
           (unsigned long long)seed, law, (unsigned long long)seed,
           (unsigned long long)request->length);
    print_commit();
    printf("\n");
    fflush(stdout);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Runs |seed|, and some of them twice: the same seed gives the same bytes. */
static bool run_seed(const options *request, uint64_t seed, progress *shared)
{
    shared->seed = seed;
    alarm(RUN_SECONDS);
    sim.digest = 0;
    sim_world_run(seed, request->length);
    shared->run_count++;
    shared->event_count += sim.event_count;
    for (unsigned i = 0; i < SIM_FAULT_COUNT; i++) {
        shared->fault_counts[i] += sim.fault_counts[i];
    }
    uint64_t digest = sim.digest;
    if (sim.broken[0] == '\0' && (request->is_single || seed % DIGESTS == 0)) {
        sim.digest = 0;
        sim_world_run(seed, request->length);
        if (sim.broken[0] == '\0' && sim.digest != digest) {
            sim_break("the same seed gave other bytes");
        }
    }
    if (request->is_verbose) {
        printf("seed %llu: %llu events, %lld us, digest %016llx\n", (unsigned long long)seed,
               (unsigned long long)sim.event_count, (long long)sim.now_ns / 1000,
               (unsigned long long)digest);
    }
    if (sim.broken[0] != '\0') {
        report_failure(request, seed, sim.broken);
        shared->failed_count++;
    }
    return sim.broken[0] == '\0';
}

/* Runs up to |count| seeds from |first| on in a child. False: a law was broken. */
static bool run_batch(const options *request, uint64_t first, uint64_t count, progress *shared)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        bool is_good = true;
        for (uint64_t i = 0; i < count && (is_good || request->keeps_going); i++) {
            is_good = run_seed(request, first + i, shared) && is_good;
        }
        fflush(stdout);
        _exit(is_good ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("simulate");
        exit(2);
    }
    if (WIFSIGNALED(status)) {
        char law[64];
        snprintf(law, sizeof(law), "killed by signal %d", WTERMSIG(status));
        report_failure(request, shared->seed, law);
        shared->failed_count++;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool run_all(const options *request, progress *shared)
{
    bool is_good = true;
    for (uint64_t done = 0; is_good || request->keeps_going; done += BATCH) {
        bool is_over = request->event_max > 0 ? shared->event_count >= request->event_max
                                              : done >= request->count;
        if (is_over) {
            break;
        }
        uint64_t left = request->event_max > 0 ? BATCH : request->count - done;
        is_good =
            run_batch(request, request->first_seed + done, left < BATCH ? left : BATCH, shared) &&
            is_good;
    }
    return is_good;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void print_summary(const options *request, const progress *shared)
{
    printf("%llu runs from seed %llu on, %llu events, %llu failed\n",
           (unsigned long long)shared->run_count, (unsigned long long)request->first_seed,
           (unsigned long long)shared->event_count, (unsigned long long)shared->failed_count);
    for (unsigned i = 0; i < SIM_FAULT_COUNT; i++) {
        printf("  %-32s %12llu\n", sim_fault_words((sim_fault)i),
               (unsigned long long)shared->fault_counts[i]);
    }
}

static void print_help(void)
{
    printf("usage: simulate [--seed N | [--from-seed N] [--count N | --events N]]\n"
           "                  [--length EVENTS] [--keep-going] [--verbose]\n\n"
           "Runs 'tacho profile' on simulated hosts, with faults drawn from the seed. A run that\n"
           "breaks a law is reported with its seed, and found again with --seed. Exit status 1:\n"
           "a law was broken.\n\n"
           "  --seed N       one run, twice\n"
           "  --from-seed N  the first seed (default 1)\n"
           "  --count N      so many runs (default 100)\n"
           "  --events N     runs until there were so many events\n"
           "  --length N     events of a run (default %d)\n"
           "  --keep-going   does not stop at the first failure\n"
           "  --verbose      a line for each run\n",
           LENGTH);
}

static uint64_t number_of(const char *text)
{
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0') {
        fprintf(stderr, "simulate: '%s' is not a number\n", text);
        exit(2);
    }
    return value;
}

static options read_options(int argc, char **argv)
{
    static const struct option names[] = {{"seed", required_argument, NULL, 's'},
                                          {"from-seed", required_argument, NULL, 'f'},
                                          {"count", required_argument, NULL, 'c'},
                                          {"events", required_argument, NULL, 'e'},
                                          {"length", required_argument, NULL, 'l'},
                                          {"keep-going", no_argument, NULL, 'k'},
                                          {"verbose", no_argument, NULL, 'v'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    options request = {.first_seed = 1, .count = 100, .length = LENGTH};
    for (int letter; (letter = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        uint64_t number = optarg != NULL ? number_of(optarg) : 0;
        request.is_single = request.is_single || letter == 's';
        request.first_seed = letter == 's' || letter == 'f' ? number : request.first_seed;
        request.count = letter == 'c' ? number : request.is_single ? 1 : request.count;
        request.event_max = letter == 'e' ? number : request.event_max;
        request.length = letter == 'l' ? number : request.length;
        request.keeps_going = request.keeps_going || letter == 'k';
        request.is_verbose = request.is_verbose || letter == 'v';
        if (letter == 'h' || letter == '?') {
            print_help();
            exit(letter == 'h' ? 0 : 2);
        }
    }
    return request;
}

/* A directory for captures, in memory where there is such a place. */
static void enter_folder(char *path, size_t room)
{
    bool is_there = access("/dev/shm", W_OK) == 0;
    snprintf(path, room, "%s/tacho-simulation-XXXXXX", is_there ? "/dev/shm" : "/tmp");
    if (mkdtemp(path) == NULL || chdir(path) != 0) {
        perror(path);
        exit(2);
    }
    mkdir("run=r", 0700);
    for (unsigned i = 0; i < SIM_RANKS_MAX; i++) {
        char folder[64];
        snprintf(folder, sizeof(folder), "run=r/host=h%u", i);
        mkdir(folder, 0700);
        snprintf(folder, sizeof(folder), "run=r/host=h%u/rank=%u", i, i);
        mkdir(folder, 0700);
    }
}

static void leave_folder(const char *path)
{
    char folder[64];
    for (unsigned i = 0; i < SIM_RANKS_MAX; i++) {
        snprintf(folder, sizeof(folder), "run=r/host=h%u/rank=%u/capture.tacho", i, i);
        unlink(folder);
        snprintf(folder, sizeof(folder), "run=r/host=h%u/rank=%u", i, i);
        rmdir(folder);
        snprintf(folder, sizeof(folder), "run=r/host=h%u", i);
        rmdir(folder);
    }
    rmdir("run=r");
    rmdir(path);
}

int main(int argc, char **argv)
{
    char folder[64];
    options request = read_options(argc, argv);
    progress *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("simulate");
        return 2;
    }
    enter_folder(folder, sizeof(folder));
    bool is_good = run_all(&request, shared);
    print_summary(&request, shared);
    leave_folder(folder);
    return is_good ? 0 : 1;
}
