/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that reports events, for tests of 'tacho profile':
 *
 *     client_load zones THREADS EVENTS     zones of so many threads, then ends
 *     client_load forever FILE             zones without end; how many are complete is in FILE
 *     client_load crash                    a zone in a zone, then abort
 *     client_load fork CHILDREN EVENTS     children at once, each with zones of its own
 *     client_load exec EVENTS              zones, then itself anew with the same
 *     client_load op                       one of everything
 */
#include <tacho/client.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *emit(void *user)
{
    for (size_t i = 0; i < *(const size_t *)user; i++) {
        TACHO_ZONE("work");
    }
    return NULL;
}

static int run_zones(size_t threads, size_t events)
{
    pthread_t ids[256];
    threads = threads < 256 ? threads : 256;
    for (size_t i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, emit, &events) != 0) {
            return 1;
        }
    }
    for (size_t i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
    }
    return 0;
}

/* The number in the file is that of complete zones: written behind each, and shared. */
static int run_forever(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) != 0) {
        return 1;
    }
    volatile uint64_t *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (done == MAP_FAILED || !tacho_client_is_active()) {
        return 1;
    }
    for (;;) {
        for (int i = 0; i < 100; i++) {
            {
                TACHO_ZONE("work");
            }
            ++*done;
        }
        usleep(1000);
    }
}

static int run_fork(size_t children, size_t events)
{
    for (size_t i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0) {
            emit(&events);
            _exit(0);
        }
    }
    while (wait(NULL) > 0) {
    }
    return 0;
}

static int run_op(void)
{
    const int64_t shape[] = {8, 16};
    const tacho_client_tensor tensor = {"float32", NULL, NULL, shape, 2};
    uint64_t now = tacho_client_now();
    const tacho_client_op op = {
        .code = "MatMul",
        .type = "cpu",
        .location = "model.py:3",
        .call = 1,
        .host_start_ns = now - 5000,
        .host_end_ns = now,
        .device_start_ticks = 100,
        .device_end_ticks = 300,
        .inputs = &tensor,
        .input_count = 1,
    };
    TACHO_ZONE("main");
    tacho_client_clock_pair(0, now, 300, 1000000);
    tacho_client_report_op(&op);
    TACHO_COUNTER("loss", "", 0.5);
    TACHO_SIGNPOST("epoch 1");
    TACHO_MESSAGE("hello", 5);
    TACHO_FLOW(1, TACHO_CLIENT_FLOW_LEAVES);
    TACHO_FLOW(1, TACHO_CLIENT_FLOW_ARRIVES);
    return 0;
}

static int run_crash(void)
{
    TACHO_ZONE("outer");
    TACHO_ZONE("inner");
    abort();
}

static size_t number(const char *word)
{
    return (size_t)strtoul(word, NULL, 10);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "zones") == 0 && argc == 4) {
        return run_zones(number(argv[2]), number(argv[3]));
    }
    if (strcmp(what, "forever") == 0 && argc == 3) {
        return run_forever(argv[2]);
    }
    if (strcmp(what, "crash") == 0) {
        return run_crash();
    }
    if (strcmp(what, "fork") == 0 && argc == 4) {
        return run_fork(number(argv[2]), number(argv[3]));
    }
    if (strcmp(what, "exec") == 0 && argc == 3) {
        size_t events = number(argv[2]);
        emit(&events);
        execl(argv[0], argv[0], "zones", "1", argv[2], (char *)NULL);
        return 1;
    }
    return strcmp(what, "op") == 0 ? run_op() : 2;
}
