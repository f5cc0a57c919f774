/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure: runs a command and prints what it cost as one line of tab-separated values.
 *
 *     measure [--header] [--label L] [--input-bytes N] [--repeat N] -- cmd args...
 *
 * Time is the best of the repeats, memory the worst. The anonymous memory of the process is sampled
 * every 5 ms (a shorter peak goes unseen; "max_rss_mb" is exact but also counts mapped files), and
 * only of the command itself, not of its children. MB is 10^6 bytes. Stdout goes to /dev/null.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* wait4 */
#endif

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLE_NS = 5 * 1000 * 1000, EXIT_USAGE = 2, EXIT_NOT_RUN = 127 };

struct options {
    const char *label;
    uint64_t input_bytes; /* 0: not given, and no speed is printed */
    uint64_t repeat_count;
    bool header;
    char **command; /* NULL: only --header */
};

struct cost {
    double wall_s;
    double cpu_s;
    uint64_t anon_kib;
    uint64_t rss_kib;
    int status; /* exit status, or 128 + signal */
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double timeval_s(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* Returns 0 once the process is gone (a zombie has no RssAnon line). */
static uint64_t anon_read_kib(pid_t pid)
{
    static const char key[] = "\nRssAnon:";
    char path[64];
    char text[4096];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, key);
    return line != NULL ? strtoull(line + sizeof key - 1, NULL, 10) : 0;
}

/* Runs in the child and does not return. */
static void command_exec(char **command, const sigset_t *mask)
{
    const int sink = open("/dev/null", O_WRONLY);
    if (sink >= 0 && dup2(sink, STDOUT_FILENO) >= 0) {
        if (sink != STDOUT_FILENO)
            close(sink);
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(command[0], command);
    }
    fprintf(stderr, "measure: cannot run %s: %s\n", command[0], strerror(errno));
    _exit(EXIT_NOT_RUN);
}

/*
 * Samples until the child ends. SIGCHLD is blocked, so waiting for it is both the timer and an
 * immediate wake-up: the sampling adds nothing to the wall time.
 */
static void child_watch(pid_t pid, const sigset_t *child_signal, struct cost *cost)
{
    const struct timespec interval = {.tv_nsec = SAMPLE_NS};
    struct rusage usage;
    int status = 0;
    pid_t ended = 0;
    while (ended == 0) {
        const uint64_t anon_kib = anon_read_kib(pid);
        if (anon_kib > cost->anon_kib)
            cost->anon_kib = anon_kib;
        sigtimedwait(child_signal, NULL, &interval);
        ended = wait4(pid, &status, WNOHANG, &usage);
    }
    if (ended < 0) {
        cost->status = EXIT_NOT_RUN;
        return;
    }
    cost->cpu_s = timeval_s(usage.ru_utime) + timeval_s(usage.ru_stime);
    cost->rss_kib = (uint64_t)usage.ru_maxrss;
    cost->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static struct cost command_run(char **command)
{
    struct cost cost = {.status = EXIT_NOT_RUN};
    sigset_t child_signal;
    sigset_t mask;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &mask);
    const double start_s = now_s();
    const pid_t pid = fork();
    if (pid == 0)
        command_exec(command, &mask);
    if (pid > 0)
        child_watch(pid, &child_signal, &cost);
    else
        fprintf(stderr, "measure: cannot fork: %s\n", strerror(errno));
    cost.wall_s = now_s() - start_s;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return cost;
}

static void cost_merge(struct cost *best, const struct cost *cost)
{
    if (cost->wall_s < best->wall_s)
        best->wall_s = cost->wall_s;
    if (cost->cpu_s < best->cpu_s)
        best->cpu_s = cost->cpu_s;
    if (cost->anon_kib > best->anon_kib)
        best->anon_kib = cost->anon_kib;
    if (cost->rss_kib > best->rss_kib)
        best->rss_kib = cost->rss_kib;
    best->status = cost->status;
}

/* Stops at the first failure, whose status is the one reported. */
static struct cost command_repeat(const struct options *options)
{
    struct cost best = command_run(options->command);
    for (uint64_t i = 1; i < options->repeat_count && best.status == 0; ++i) {
        const struct cost cost = command_run(options->command);
        cost_merge(&best, &cost);
    }
    return best;
}

static double mb_from_kib(uint64_t kib)
{
    return (double)kib * 1024.0 * 1e-6;
}

static void print_speed(uint64_t bytes, double seconds)
{
    if (bytes != 0 && seconds > 0)
        printf("\t%.1f", (double)bytes * 1e-6 / seconds);
    else
        printf("\t-");
}

static void print_cost(const struct options *options, const struct cost *cost)
{
    printf("%s\t%.6f\t%.6f", options->label, cost->wall_s, cost->cpu_s);
    printf("\t%.2f\t%.2f", mb_from_kib(cost->anon_kib), mb_from_kib(cost->rss_kib));
    print_speed(options->input_bytes, cost->wall_s);
    print_speed(options->input_bytes, cost->cpu_s);
    printf("\t%d\n", cost->status);
}

static bool number_parse(const char *text, uint64_t *out_value)
{
    char *end = NULL;
    errno = 0;
    *out_value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* |value| is NULL when the option is the last word. */
static bool option_set(struct options *options, const char *name, const char *value)
{
    if (value == NULL)
        return false;
    if (strcmp(name, "--label") == 0) {
        options->label = value;
        return strpbrk(value, "\t\n") == NULL;
    }
    if (strcmp(name, "--input-bytes") == 0)
        return number_parse(value, &options->input_bytes);
    if (strcmp(name, "--repeat") == 0)
        return number_parse(value, &options->repeat_count) && options->repeat_count > 0;
    return false;
}

static bool options_parse(int argc, char **argv, struct options *out_options)
{
    *out_options = (struct options){.label = "", .repeat_count = 1};
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        if (strcmp(argv[i], "--header") == 0) {
            out_options->header = true;
            ++i;
            continue;
        }
        if (!option_set(out_options, argv[i], argv[i + 1]))
            return false;
        i += 2;
    }
    if (i + 1 < argc)
        out_options->command = argv + i + 1;
    if (out_options->command != NULL && out_options->label[0] == '\0')
        out_options->label = out_options->command[0];
    return out_options->command != NULL || out_options->header;
}

int main(int argc, char **argv)
{
    static const char usage[] = "usage: measure [--header] [--label L] [--input-bytes N] "
                                "[--repeat N] -- cmd args...\n";
    struct options options;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (!options_parse(argc, argv, &options)) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (options.header)
        puts("label\twall_s\tcpu_s\tanon_mb\tmax_rss_mb\tmb_s_wall\tmb_s_cpu\tstatus");
    if (options.command == NULL)
        return 0;
    fflush(stdout); /* so that a child cannot print it again */
    const struct cost cost = command_repeat(&options);
    print_cost(&options, &cost);
    return cost.status != 0;
}
