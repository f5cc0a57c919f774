/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All bytes are written completely and in order, by either thread; a failure is returned once, and
 * no later than the end.
 */
#include "base/behind.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { GIVEN = 200, LARGEST = 131 }; /* more than a line of the cache, and not a whole number */

typedef struct written {
    unsigned char bytes[GIVEN * LARGEST];
    size_t len;
    size_t failing_at; /* fails at so many bytes */
} written;

static tacho_status write_bytes(void *self, const void *bytes, size_t len)
{
    written *to = self;
    if (to->failing_at > 0 && to->len >= to->failing_at) {
        return tacho_fail(TACHO_CODE_IO, "full");
    }
    memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
    return TACHO_OK;
}

/* Pieces of all lengths up to LARGEST; the caller's copy may change at once. */
static void test_order(void **state)
{
    (void)state;
    written to = {.len = 0};
    tacho_behind *behind = tacho_behind_start(write_bytes, &to, LARGEST);
    assert_non_null(behind);
    unsigned char bytes[LARGEST];
    for (unsigned i = 0; i < GIVEN; i++) {
        memset(bytes, (int)i, sizeof(bytes));
        assert_true(tacho_behind_give(behind, bytes, 1 + i % LARGEST) == TACHO_OK);
        memset(bytes, 0xff, sizeof(bytes));
    }
    assert_true(tacho_behind_end(behind) == TACHO_OK);
    size_t len = 0;
    for (unsigned i = 0; i < GIVEN; i++) {
        for (unsigned j = 0; j < 1 + i % LARGEST; j++) {
            assert_int_equal(to.bytes[len++], i);
        }
    }
    assert_int_equal(to.len, len);
}

static void assert_failure(tacho_status status)
{
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
}

static void test_failure(void **state)
{
    (void)state;
    written to = {.failing_at = 2};
    tacho_behind *behind = tacho_behind_start(write_bytes, &to, 2);
    assert_non_null(behind);
    assert_true(tacho_behind_give(behind, "ab", 2) == TACHO_OK);
    assert_true(tacho_behind_wait(behind) == TACHO_OK);
    assert_true(tacho_behind_give(behind, "cd", 2) == TACHO_OK); /* this one fails */
    assert_failure(tacho_behind_wait(behind));
    assert_true(tacho_behind_wait(behind) == TACHO_OK);
    unsigned given = 0; /* before the failure is returned */
    tacho_status status = TACHO_OK;
    while (status == TACHO_OK && given < GIVEN) {
        status = tacho_behind_give(behind, "ef", 2);
        given += status == TACHO_OK ? 1 : 0;
    }
    assert_failure(status);
    assert_in_range(given, 1, 3); /* the queue, and one that was taken from it */
    assert_true(tacho_behind_give(behind, "gh", 2) == TACHO_OK); /* fails as the last */
    assert_failure(tacho_behind_end(behind));
    assert_int_equal(to.len, 2);
    assert_true(tacho_behind_end(NULL) == TACHO_OK);
}

enum { LONG_BYTES = 32 << 20 };

typedef struct passing {
    atomic_bool is_next_given;
    unsigned write_count;
} passing;

/* The first write fails, most likely while the next piece is copied; others would not fail. */
static tacho_status fail_first(void *self, const void *bytes, size_t len)
{
    passing *to = self;
    (void)bytes;
    (void)len;
    if (to->write_count++ > 0) {
        return TACHO_OK;
    }
    while (!atomic_load(&to->is_next_given)) {
        sched_yield();
    }
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return tacho_fail(TACHO_CODE_IO, "full");
}

/* A failure is not hidden by the success of later pieces, which are not written. */
static void test_failure_while_given(void **state)
{
    (void)state;
    passing to = {.write_count = 0};
    unsigned char *bytes = calloc(LONG_BYTES, 1);
    tacho_behind *behind = tacho_behind_start(fail_first, &to, LONG_BYTES);
    assert_non_null(bytes);
    assert_non_null(behind);
    assert_true(tacho_behind_give(behind, bytes, 1) == TACHO_OK);
    atomic_store(&to.is_next_given, true);
    tacho_status status = tacho_behind_give(behind, bytes, LONG_BYTES);
    assert_failure(status != TACHO_OK ? status : tacho_behind_wait(behind));
    assert_true(tacho_behind_end(behind) == TACHO_OK);
    assert_int_equal(to.write_count, 1);
    free(bytes);
}

/* A fork has no thread: it can write and end all the same. */
static void test_fork(void **state)
{
    (void)state;
    written to = {.len = 0};
    tacho_behind *behind = tacho_behind_start(write_bytes, &to, 2);
    assert_non_null(behind);
    pid_t child = fork();
    if (child == 0) {
        bool is_good = tacho_behind_give(behind, "ab", 2) == TACHO_OK && to.len == 2 &&
                       tacho_behind_end(behind) == TACHO_OK;
        _exit(is_good ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(tacho_behind_end(behind) == TACHO_OK);
    assert_int_equal(to.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_failure_while_given),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
