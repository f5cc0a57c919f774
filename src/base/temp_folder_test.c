/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporary directories: making one removes those of killed processes, and nothing else.
 */
#define _GNU_SOURCE /* mkdtemp, flock */
#include "base/temp_folder.h"

#include "base/scratch_testing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int remove_scratch(void **state)
{
    scratch *made = *state;
    int result = rmdir(made->folder); /* nothing else is left there */
    free(made);
    return result;
}

/* A directory that looks like one of ours, with a file of that name, |age_s| old. */
static char *leave(const scratch *made, const char *folder, const char *name, long age_s)
{
    static char path[PATH_BYTES];
    char file[PATH_BYTES + 64];
    struct timespec times[2] = {{.tv_sec = time(NULL) - age_s}, {.tv_sec = time(NULL) - age_s}};
    snprintf(path, sizeof(path), "%s/%s", made->folder, folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(file, sizeof(file), "%s/%s", path, name);
    close(open(file, O_WRONLY | O_CREAT, 0600));
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    return path;
}

static void clear(const char *path, const char *name)
{
    char file[PATH_BYTES + 64];
    snprintf(file, sizeof(file), "%s/%s", path, name);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(path), 0);
}

static void make_and_remove(const scratch *made)
{
    tacho_temp_folder folder;
    assert_true(tacho_temp_folder_make(&folder, made->folder, "socket", false, 1000));
    assert_int_equal(access(folder.path, W_OK), 0);
    tacho_temp_folder_remove(&folder);
    tacho_temp_folder_remove(&folder); /* nothing is left to do */
}

static void removes_what_was_left(void **state)
{
    const char *path = leave(*state, "tacho-abcdef", "socket", 61);
    make_and_remove(*state);
    assert_int_equal(access(path, F_OK), -1);
}

/* A directory that is in use, or young, or has another name, mode or content. */
static void leaves_the_rest(void **state)
{
    static const struct {
        const char *folder, *name;
        long age_s;
        mode_t mode;
    } rows[] = {{"tacho-abcdef", "socket", 58, 0700},
                {"tacho-abcdefg", "socket", 61, 0700},
                {"taco-abcdef", "socket", 61, 0700},
                {"tacho-abcdef", "socket", 61, 0755},
                {"tacho-abcdef", "mine", 61, 0700}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *path = leave(*state, rows[i].folder, rows[i].name, rows[i].age_s);
        assert_int_equal(chmod(path, rows[i].mode), 0);
        make_and_remove(*state);
        clear(path, rows[i].name);
    }
    const char *path = leave(*state, "tacho-abcdef", "socket", 61);
    tacho_temp_folder folder;
    assert_true(tacho_temp_folder_make(&folder, ((const scratch *)*state)->folder, "socket", true,
                                       1000)); /* this is a regular file */
    tacho_temp_folder_remove(&folder);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    make_and_remove(*state);
    clear(path, "socket");
    close(fd);
}

/* Its own is locked as long as it exists. */
static void is_locked(void **state)
{
    const scratch *made = *state;
    tacho_temp_folder folder;
    assert_true(tacho_temp_folder_make(&folder, made->folder, "trace", false, 1000));
    int fd = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    close(fd);
    tacho_temp_folder_remove(&folder);
}

static void knows_its_limits(void **state)
{
    const scratch *made = *state;
    tacho_temp_folder folder;
    unsigned room = (unsigned)(strlen(made->folder) + strlen("/tacho-abcdef/socket"));
    assert_false(tacho_temp_folder_make(&folder, NULL, "socket", false, 1000));
    assert_false(tacho_temp_folder_make(&folder, "tmp", "socket", false, 1000));
    assert_false(tacho_temp_folder_make(&folder, made->folder, "socket", false, room));
    assert_int_equal(errno, ENAMETOOLONG);
    assert_true(tacho_temp_folder_make(&folder, made->folder, "socket", false, room + 1));
    tacho_temp_folder_remove(&folder);
}

#define IN_SCRATCH(function) cmocka_unit_test_setup_teardown(function, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(removes_what_was_left),
        IN_SCRATCH(leaves_the_rest),
        IN_SCRATCH(is_locked),
        IN_SCRATCH(knows_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
