/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files and streams: an endless stream is read up to its bound, and no further.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "base/mapping.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LONG = 3 * TACHO_MAPPING_HEAD_BYTES + 7 };

static bool begins_with_zero(tacho_str head)
{
    return head.len > 0 && head.data[0] == '\0';
}

static bool begins_with_x(tacho_str head)
{
    return head.len > 0 && head.data[0] == 'x';
}

static size_t length_of(const char *path, const tacho_mapping_bound *bound)
{
    tacho_mappings mappings = {0};
    tacho_str bytes = {0};
    assert_null(tacho_mappings_open_bounded(&mappings, path, bound, &bytes));
    assert_int_equal(tacho_mappings_bytes(&mappings), bytes.len);
    tacho_mappings_close(&mappings);
    return bytes.len;
}

static void test_endless(void **state)
{
    (void)state;
    assert_int_equal(length_of("/dev/zero", &(tacho_mapping_bound){.is_known = begins_with_x}),
                     TACHO_MAPPING_HEAD_BYTES);
    assert_int_equal(length_of("/dev/zero", &(tacho_mapping_bound){0}), TACHO_MAPPING_HEAD_BYTES);
    assert_int_equal(length_of("/dev/zero", &(tacho_mapping_bound){.bytes_max = 5}),
                     TACHO_MAPPING_HEAD_BYTES);
    assert_int_equal(length_of("/dev/zero", &(tacho_mapping_bound){.bytes_max = LONG}), LONG);
    assert_int_equal(length_of("/dev/null", &(tacho_mapping_bound){.bytes_max = LONG}), 0);
}

/* A pipe with |LONG| bytes 'x', written by another process. */
static size_t length_of_pipe(const tacho_mapping_bound *bound)
{
    char folder[] = "/tmp/tacho-mapping.XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        static char text[LONG];
        int file = open(path, O_WRONLY);
        memset(text, 'x', sizeof(text));
        for (size_t at = 0; at < sizeof(text);) {
            ssize_t put = write(file, text + at, sizeof(text) - at);
            at += put > 0 ? (size_t)put : sizeof(text);
        }
        _exit(0);
    }
    size_t len = length_of(path, bound);
    assert_int_equal(waitpid(child, NULL, 0), child);
    unlink(path);
    rmdir(folder);
    return len;
}

static void test_pipe(void **state)
{
    (void)state;
    assert_int_equal(length_of_pipe(NULL), LONG);
    assert_int_equal(length_of_pipe(&(tacho_mapping_bound){.is_known = begins_with_x}), LONG);
    assert_int_equal(length_of_pipe(&(tacho_mapping_bound){.is_known = begins_with_zero}),
                     TACHO_MAPPING_HEAD_BYTES);
    assert_int_equal(
        length_of_pipe(&(tacho_mapping_bound){begins_with_zero, TACHO_MAPPING_HEAD_BYTES + 1}),
        TACHO_MAPPING_HEAD_BYTES + 1);
    assert_int_equal(length_of_pipe(&(tacho_mapping_bound){begins_with_zero, UINT64_MAX}), LONG);
}

/* A file has an end, and is mapped whole. */
static void test_file(void **state)
{
    (void)state;
    char path[] = "/tmp/tacho-mapping.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, LONG), 0);
    close(file);
    assert_int_equal(length_of(path, &(tacho_mapping_bound){.is_known = begins_with_x}), LONG);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
