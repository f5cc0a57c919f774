/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs that fail: full devices, limits, disks that do not sync. Existing files stay, and the
 * failure is reported at the end.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "base/output_files_testing.h"

/*
 * A device that is always full: our own where we may make one, since an output.c that is broken
 * would, run by root, put a file in the place of the system's.
 */
static file_path full_device(const scratch *made)
{
    file_path device = path_of(made, "full");
    int made_one = mknod(device.text, S_IFCHR | 0600, makedev(1, 7));
    int fd = made_one == 0 ? open(device.text, O_WRONLY) : -1;
    if (fd < 0) {
        unlink(device.text);
        snprintf(device.text, sizeof(device.text), "/dev/full");
    } else {
        close(fd);
    }
    return device;
}

static void test_full_device(void **state)
{
    file_path device = full_device(*state);
    tacho_output output;
    assert_null(tacho_output_open(device.text, &output));
    tacho_output_write_str(&output, TACHO_STR("text"));
    assert_false(tacho_output_failed(&output));
    char message[2 * PATH_BYTES];
    snprintf(message, sizeof(message),
             "%s: cannot write: No space left on device; free some space or write elsewhere",
             device.text);
    check_status(tacho_output_commit(&output), TACHO_CODE_IO, message);
    tacho_output_close(&output);
    struct stat facts;
    assert_int_equal(stat(device.text, &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
}

/* After a failure further writes are dropped, and commit still reports it. */
static void test_failure_sticks(void **state)
{
    file_path device = full_device(*state);
    char *pattern = make_pattern(PATTERN_BYTES);
    tacho_output output;
    assert_null(tacho_output_open(device.text, &output));
    for (int turn = 0; turn < 3; turn++) {
        tacho_output_write(&output, pattern, PATTERN_BYTES);
        assert_true(tacho_output_failed(&output));
        unsigned char *room = tacho_output_reserve(&output, TACHO_OUTPUT_RESERVE_MAX);
        memset(room, 'x', TACHO_OUTPUT_RESERVE_MAX);
        output.cursor += TACHO_OUTPUT_RESERVE_MAX;
        tacho_output_printf(&output, "%d", turn);
    }
    tacho_status status = tacho_output_commit(&output);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    tacho_output_close(&output);

    assert_null(tacho_output_open(device.text, &output));
    tacho_output_write(&output, pattern, PATTERN_BYTES);
    tacho_output_close(&output); /* the failure that was not taken is freed */
    free(pattern);
}

/* A writer that stops early takes the failure with it. */
static void test_take_failure(void **state)
{
    file_path device = full_device(*state);
    tacho_output output;
    assert_null(tacho_output_open(device.text, &output));
    assert_null(tacho_output_take_failure(&output));
    tacho_output_write_str(&output, TACHO_STR("text"));
    tacho_output_flush(&output);
    tacho_status status = tacho_output_take_failure(&output);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    assert_false(tacho_output_failed(&output));
    assert_null(tacho_output_take_failure(&output));
    tacho_output_close(&output);
}

/* A link gives the full device a name that asks for compression. */
static void test_full_device_packed(void **state)
{
    const scratch *made = *state;
    static const char *const names[] = {"out.gz", "out.zst"};
    file_path device = full_device(made);
    for (size_t i = 0; i < 2; i++) {
        file_path path = path_of(made, names[i]);
        assert_int_equal(symlink(device.text, path.text), 0);
        tacho_output output;
        assert_null(tacho_output_open(path.text, &output));
        tacho_output_write_str(&output, TACHO_STR("text"));
        tacho_status status = tacho_output_commit(&output);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
        tacho_status_free(status);
        tacho_output_close(&output);
    }
}

static tacho_status write_past_limit(const char *path)
{
    enum { LIMIT_BYTES = 1 << 20, LENGTH = 3 << 20 };
    struct rlimit kept;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
    struct rlimit small = {.rlim_cur = LIMIT_BYTES, .rlim_max = kept.rlim_max};
    char *pattern = make_pattern(LENGTH);
    tacho_output output;
    assert_null(tacho_output_open(path, &output));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    tacho_output_write(&output, pattern, LENGTH);
    tacho_status status = tacho_output_commit(&output);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &kept), 0);
    tacho_output_close(&output);
    free(pattern);
    return status;
}

static void test_file_size_limit(void **state)
{
    const scratch *made = *state;
    static const char *const names[] = {"file", "file.gz", "file.zst"};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction kept;
    assert_int_equal(sigaction(SIGXFSZ, &ignore, &kept), 0);
    write_file(made->path, "old", 0644);
    for (size_t i = 0; i < 3; i++) {
        file_path path = path_of(made, names[i]);
        char message[2 * PATH_BYTES];
        snprintf(message, sizeof(message), "%s: cannot write: File too large", path.text);
        check_status(write_past_limit(path.text), TACHO_CODE_IO, message);
    }
    assert_int_equal(sigaction(SIGXFSZ, &kept, NULL), 0);
    check_file(made->path, TACHO_STR("old"));
    assert_int_equal(empty_folder(made->folder), 1);
}

/* The target turns into a folder while we write: commit fails and cleans up. */
static void test_commit_fails(void **state)
{
    const scratch *made = *state;
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    tacho_output_write_str(&output, TACHO_STR("text"));
    assert_int_equal(mkdir(made->path, 0700), 0);
    char message[2 * PATH_BYTES];
    snprintf(message, sizeof(message), "%s: cannot put in place: Is a directory", made->path);
    check_status(tacho_output_commit(&output), TACHO_CODE_IO, message);
    tacho_output_close(&output);
    assert_int_equal(rmdir(made->path), 0);
    assert_int_equal(empty_folder(made->folder), 0);
}

/* A file that may not have reached the disk does not replace one that has. */
static void test_sync_fails(void **state)
{
    const scratch *made = *state;
    write_file(made->path, "old", 0644);
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    tacho_output_write_str(&output, TACHO_STR("new"));
    fsync_fails = true;
    char message[2 * PATH_BYTES];
    snprintf(message, sizeof(message), "%s: cannot sync: Input/output error", made->path);
    check_status(tacho_output_commit(&output), TACHO_CODE_IO, message);
    tacho_output_close(&output);
    check_file(made->path, TACHO_STR("old"));
    assert_int_equal(empty_folder(made->folder), 1);
}

/* The file, then the folder that names it. */
static void test_commit_syncs(void **state)
{
    const scratch *made = *state;
    fsync_call_count = 0;
    write_and_commit(made->path, TACHO_STR("new"));
    assert_int_equal(fsync_call_count, 2);
}

static void test_open_refuses(void **state)
{
    const scratch *made = *state;
    char message[2 * PATH_BYTES];
    tacho_output output;
    snprintf(message, sizeof(message), "%s is a directory; name a file", made->folder);
    check_status(tacho_output_open(made->folder, &output), TACHO_CODE_IO, message);
    file_path missing = path_of(made, "missing/out");
    snprintf(message, sizeof(message),
             "%s: cannot open the directory of this file: No such file or directory", missing.text);
    check_status(tacho_output_open(missing.text, &output), TACHO_CODE_IO, message);
    missing = path_of(made, "missing/");
    snprintf(message, sizeof(message),
             "%s: cannot open the directory of this file: No such file or directory", missing.text);
    check_status(tacho_output_open(missing.text, &output), TACHO_CODE_IO, message);
    tacho_output_close(&output); /* a failed open leaves nothing to close, and closing is safe */
    assert_int_equal(empty_folder(made->folder), 0);
}

static void test_descriptors_are_closed(void **state)
{
    const scratch *made = *state;
    size_t before = count_descriptors();
    tacho_output output;
    write_and_commit(made->path, TACHO_STR("text"));
    assert_null(tacho_output_open(made->path, &output));
    tacho_output_close(&output);
    assert_null(tacho_output_open("/dev/null", &output));
    tacho_output_close(&output);
    tacho_status_free(tacho_output_open(made->folder, &output));
    file_path missing = path_of(made, "missing/out");
    tacho_status_free(tacho_output_open(missing.text, &output));
    assert_int_equal(count_descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_full_device),
        IN_SCRATCH(test_failure_sticks),
        IN_SCRATCH(test_take_failure),
        IN_SCRATCH(test_full_device_packed),
        IN_SCRATCH(test_file_size_limit),
        WITH_NAMES(test_file_size_limit),
        IN_SCRATCH(test_commit_fails),
        WITH_NAMES(test_commit_fails),
        IN_SCRATCH(test_sync_fails),
        WITH_NAMES(test_sync_fails),
        IN_SCRATCH(test_commit_syncs),
        IN_SCRATCH(test_open_refuses),
        WITH_NAMES(test_open_refuses),
        IN_SCRATCH(test_descriptors_are_closed),
        WITH_NAMES(test_descriptors_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
