/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is given is written whole and in order; a failure comes back once, and no later than the
 * end.
 */
#include "base/behind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { GIVEN = 200 };

typedef struct written {
    unsigned char bytes[GIVEN * 2];
    size_t len;
    size_t failing_at; /* fails when so many bytes are there */
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

static void test_order(void **state)
{
    (void)state;
    written to = {.len = 0};
    tacho_behind *behind = tacho_behind_start(write_bytes, &to);
    assert_non_null(behind);
    unsigned char buffers[2][2];
    for (unsigned i = 0; i < GIVEN; i++) {
        memset(buffers[i % 2], (int)i, sizeof(buffers[0]));
        assert_true(tacho_behind_give(behind, buffers[i % 2], sizeof(buffers[0])) == TACHO_OK);
    }
    assert_true(tacho_behind_end(behind) == TACHO_OK);
    assert_int_equal(to.len, sizeof(to.bytes));
    for (unsigned i = 0; i < GIVEN; i++) {
        assert_int_equal(to.bytes[2 * i], i);
        assert_int_equal(to.bytes[2 * i + 1], i);
    }
}

static void test_failure(void **state)
{
    (void)state;
    written to = {.failing_at = 2};
    tacho_behind *behind = tacho_behind_start(write_bytes, &to);
    assert_non_null(behind);
    assert_true(tacho_behind_give(behind, "ab", 2) == TACHO_OK);
    assert_true(tacho_behind_give(behind, "cd", 2) == TACHO_OK); /* this one fails */
    tacho_status status = tacho_behind_give(behind, "ef", 2);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    assert_true(tacho_behind_give(behind, "gh", 2) == TACHO_OK); /* fails as the last */
    status = tacho_behind_end(behind);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    assert_int_equal(to.len, 2);
    assert_true(tacho_behind_end(NULL) == TACHO_OK);
}

/* A fork has no thread: it can write and end all the same. */
static void test_fork(void **state)
{
    (void)state;
    written to = {.len = 0};
    tacho_behind *behind = tacho_behind_start(write_bytes, &to);
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
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
