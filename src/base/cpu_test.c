/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of processors, from /proc/cpuinfo of several; and whether one is left for another thread.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "base/cpu.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *text, const char *expected)
{
    char name[TACHO_CPU_NAME_MAX], copy[512];
    snprintf(copy, sizeof(copy), "%s", text);
    FILE *file = fmemopen(copy, strlen(copy), "r");
    assert_non_null(file);
    tacho_cpu_name_in(file, name, sizeof(name));
    fclose(file);
    assert_string_equal(name, expected);
}

static void test_names(void **state)
{
    (void)state;
    check("processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n"
          "model name\t: another\n",
          "AMD EPYC");
    check("processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
          "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n",
          "Arm Neoverse-N1");
    check("CPU implementer\t: 0x41\nCPU part\t: 0xfff\n", "Arm part 0xfff");
    check("CPU implementer\t: 0x61\nCPU part\t: 0x022\nCPU implementer\t: 0x41\n",
          "Apple part 0x022");
    check("CPU implementer\t: 0x99\nCPU part\t: 0x001\n", "implementer 0x99, part 0x001");
    check("processor\t: 0\nmodel name\t:\n", "unknown");
}

/* A long name is cut, not lost. */
static void test_long_name(void **state)
{
    (void)state;
    char text[300], name[TACHO_CPU_NAME_MAX];
    snprintf(text, sizeof(text), "model name\t: %0200d\n", 7);
    FILE *file = fmemopen(text, strlen(text), "r");
    assert_non_null(file);
    tacho_cpu_name_in(file, name, sizeof(name));
    fclose(file);
    assert_int_equal(strlen(name), sizeof(name) - 1);
}

static void *sleep_until_told(void *self)
{
    pthread_barrier_wait(self);
    pthread_barrier_wait(self);
    return NULL;
}

/* With as many threads as processors none is spare, with one fewer it is. */
static void test_spare(void **state)
{
    (void)state;
    enum { THREADS = 64 };
    pthread_t threads[THREADS];
    pthread_barrier_t together;
    unsigned count = tacho_cpu_count();
    if (count > THREADS) {
        skip();
    }
    assert_int_equal(tacho_cpu_is_spare(), count > 1);
    assert_int_equal(pthread_barrier_init(&together, NULL, count), 0);
    for (unsigned i = 1; i < count; i++) {
        assert_true(tacho_cpu_is_spare());
        assert_int_equal(pthread_create(&threads[i], NULL, sleep_until_told, &together), 0);
    }
    pthread_barrier_wait(&together);
    assert_false(tacho_cpu_is_spare());
    pthread_barrier_wait(&together);
    for (unsigned i = 1; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&together);
}

/* On one processor there is never one to spare. */
static void test_alone(void **state)
{
    (void)state;
    cpu_set_t before;
    cpu_set_t one;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    size_t first = 0;
    while (!CPU_ISSET(first, &before)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_false(tacho_cpu_is_spare());
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_name),
        cmocka_unit_test(test_spare),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
