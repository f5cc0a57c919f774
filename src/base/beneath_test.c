/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names from strangers: whatever they are made of, only regular files beneath the folder are
 * opened. Both ways of resolving a name are driven with the same cases.
 */
#define _GNU_SOURCE /* mkdtemp, mkfifo */
#include "base/beneath.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef tacho_status (*open_function)(const char *folder, const char *path, int *out_fd);

static const open_function ways[] = {tacho_beneath_open, tacho_beneath_open_by_steps};

static void write_file(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* A folder "in" with files, links and a pipe, and a file beside it. */
static int enter_folder(void **state)
{
    char folder[400];
    const char *temp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/tacho-beneath.XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("in", 0700), 0);
    assert_int_equal(mkdir("in/sub", 0700), 0);
    write_file("secret", "secret");
    write_file("in/plain", "plain");
    write_file("in/sub/deep", "deep");
    assert_int_equal(mkfifo("in/pipe", 0600), 0);
    assert_int_equal(symlink("../secret", "in/out"), 0);
    assert_int_equal(symlink("/dev/zero", "in/zero"), 0);
    assert_int_equal(symlink("..", "in/up"), 0);
    assert_int_equal(symlink("sub/deep", "in/inner"), 0);
    assert_int_equal(symlink("loop", "in/loop"), 0);
    *state = strdup(folder);
    return *state != NULL ? 0 : -1;
}

static int leave_folder(void **state)
{
    static const char *const names[] = {"in/plain", "in/sub/deep", "in/pipe", "in/out", "in/zero",
                                        "in/up",    "in/inner",    "in/loop", "secret"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unlink(names[i]);
    }
    rmdir("in/sub");
    rmdir("in");
    int failed = chdir("/");
    failed = rmdir(*state) != 0 ? -1 : failed;
    free(*state);
    return failed;
}

static void assert_reads(open_function way, const char *path, const char *text)
{
    char bytes[16] = "";
    int fd = -1;
    assert_null(way("in", path, &fd));
    assert_int_equal(read(fd, bytes, sizeof(bytes) - 1), (ssize_t)strlen(text));
    assert_string_equal(bytes, text);
    close(fd);
}

static void assert_refuses(open_function way, const char *path, tacho_code code, const char *part)
{
    int fd = -1;
    tacho_status status = way("in", path, &fd);
    assert_int_equal(tacho_status_code(status), code);
    assert_non_null(strstr(tacho_status_message(status), part));
    assert_int_equal(fd, -1);
    tacho_status_free(status);
}

static void test_files_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_reads(ways[i], "plain", "plain");
        assert_reads(ways[i], "./plain", "plain");
        assert_reads(ways[i], "sub/deep", "deep");
        assert_reads(ways[i], "sub//./deep", "deep");
    }
}

static void test_nothing_outside(void **state)
{
    (void)state;
    static const char *const outside[] = {
        "../secret", "sub/../../secret", "/etc/passwd", "out", "up/secret", "zero", "loop", ".."};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < sizeof(outside) / sizeof(outside[0]); k++) {
            assert_refuses(ways[i], outside[k], TACHO_CODE_BAD_DATA,
                           "is outside the directory 'in'");
        }
    }
}

static void test_regular_files_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_refuses(ways[i], "pipe", TACHO_CODE_BAD_DATA, "is not a regular file");
        assert_refuses(ways[i], "sub", TACHO_CODE_BAD_DATA, "is not a regular file");
        assert_refuses(ways[i], "nowhere", TACHO_CODE_NOT_FOUND, "No such file");
        assert_refuses(ways[i], "plain/x", TACHO_CODE_IO, "Not a directory");
    }
}

/* A link inside is followed where the kernel checks it, and refused elsewhere. */
static void test_links_inside(void **state)
{
    (void)state;
    int fd = -1;
    tacho_status status = tacho_beneath_open("in", "inner", &fd);
    if (status == TACHO_OK) {
        close(fd);
        assert_reads(tacho_beneath_open, "inner", "deep");
    }
    tacho_status_free(status);
    assert_refuses(tacho_beneath_open_by_steps, "inner", TACHO_CODE_BAD_DATA, "is outside");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_inside),
        cmocka_unit_test(test_nothing_outside),
        cmocka_unit_test(test_regular_files_only),
        cmocka_unit_test(test_links_inside),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
