/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by tests of output: folders, and system calls that fail, count or write less.
 */
#ifndef TACHO_BASE_OUTPUT_FILES_TESTING_H
#define TACHO_BASE_OUTPUT_FILES_TESTING_H

#include "base/output.h"

#include "base/input.h"
#include "base/scratch_testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

enum { BUFFER_BYTES = 256 << 10, NAME_BYTES_MAX = 255 };

static size_t umask_call_count;

static size_t fsync_call_count;

static size_t syncfs_call_count;

static bool fsync_fails;

static bool unnamed_files_fail;

static bool writes_are_short;

static size_t write_call_count;

mode_t umask(mode_t mask)
{
    umask_call_count++;
    return (mode_t)syscall(SYS_umask, mask);
}

/* Does not wait for the disk. */
int fsync(int fd)
{
    (void)fd;
    fsync_call_count++;
    errno = EIO;
    return fsync_fails ? -1 : 0;
}

int syncfs(int fd)
{
    (void)fd;
    syncfs_call_count++;
    errno = EIO;
    return fsync_fails ? -1 : 0;
}

/* As into a pipe with little room, interrupted by signals. */
ssize_t write(int fd, const void *bytes, size_t len)
{
    write_call_count++;
    if (writes_are_short && write_call_count % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    size_t taken = writes_are_short && len > 1000 ? 1000 : len;
    return (ssize_t)syscall(SYS_write, fd, bytes, taken);
}

/* output.c asks it for unnamed files only. */
int openat(int folder_fd, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    errno = EOPNOTSUPP;
    return unnamed_files_fail ? -1 : (int)syscall(SYS_openat, folder_fd, path, flags, mode);
}

static inline int make_scratch_for_named_files(void **state)
{
    unnamed_files_fail = true;
    return make_scratch(state);
}

/* Counts the names in |folder| and, where asked to, removes them. */
static inline size_t count_names(const char *folder, bool removes)
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            if (removes) {
                unlinkat(dirfd(entries), entry->d_name, 0);
            }
        }
    }
    closedir(entries);
    return count;
}

/* Returns how many names there were. */
static inline size_t empty_folder(const char *folder)
{
    return count_names(folder, true);
}

static inline int remove_scratch(void **state)
{
    scratch *made = *state;
    unnamed_files_fail = false;
    fsync_fails = false;
    writes_are_short = false;
    empty_folder(made->folder);
    int result = rmdir(made->folder);
    free(made);
    return result;
}

/* The path of |name| in the folder of the test. */
typedef struct file_path {
    char text[PATH_BYTES];
} file_path;

static inline file_path path_of(const scratch *made, const char *name)
{
    file_path path;
    int len = snprintf(path.text, sizeof(path.text), "%s/%s", made->folder, name);
    assert_true(len > 0 && (size_t)len < sizeof(path.text));
    return path;
}

/* A new file each time: ext4 writes one that was cut to nothing to disk at once. */
static inline void write_file(const char *path, const char *text, mode_t mode)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static inline void check_file(const char *path, tacho_str expected)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(expected.len + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, expected.len + 1, file), expected.len);
    assert_memory_equal(bytes, expected.data, expected.len);
    free(bytes);
    fclose(file);
}

static inline bool exists(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0;
}

static inline mode_t mode_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return facts.st_mode & 07777;
}

static inline void check_status(tacho_status status, tacho_code code, const char *message)
{
    assert_int_equal(tacho_status_code(status), code);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
}

static inline void write_and_commit(const char *path, tacho_str text)
{
    tacho_output output;
    assert_null(tacho_output_open(path, &output));
    tacho_output_write_str(&output, text);
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
}

/* Bytes that repeat only after a long while. */
static inline char *make_pattern(size_t len)
{
    char *pattern = malloc(len);
    assert_non_null(pattern);
    uint32_t value = 1;
    for (size_t i = 0; i < len; i++) {
        value = value * 1664525u + 1013904223u;
        pattern[i] = (char)(value >> 24);
    }
    return pattern;
}

enum { PATTERN_BYTES = 9 * BUFFER_BYTES + 12345 };

static inline size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)

#define WITH_NAMES(test)                                                                           \
    {                                                                                              \
        "named " #test, test, make_scratch_for_named_files, remove_scratch, NULL                   \
    }

#endif
