/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are put in place together: syncs, the order in which they get their names, and the
 * files left when one of them fails.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "base/output_files_testing.h"

/* ---- groups -------------------------------------------------------------------------------- */

enum { GROUP_FILES = 64 }; /* so many are put in place together */

static tacho_status commit_to(tacho_output_group *group, const char *path, const char *text)
{
    tacho_output output;
    assert_null(tacho_output_open(path, &output));
    tacho_output_write_cstring(&output, text);
    tacho_status status = tacho_output_commit_to(&output, group);
    tacho_output_close(&output);
    return status;
}

static size_t count_outputs(const scratch *made)
{
    size_t count = 0;
    for (int i = 0; i < 2 * GROUP_FILES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "out%d", i);
        file_path path = path_of(made, name);
        count += exists(path.text) ? 1 : 0;
    }
    return count;
}

static void commit_many(const scratch *made, tacho_output_group *group, int first, int end)
{
    for (int i = first; i < end; i++) {
        char name[16];
        snprintf(name, sizeof(name), "out%d", i);
        file_path path = path_of(made, name);
        assert_null(commit_to(group, path.text, name));
    }
}

/* A few: each is synced, and the folder once; the old file stays until then. */
static void test_group(void **state)
{
    const scratch *made = *state;
    tacho_output_group group = {0};
    write_file(made->path, "old", 0640);
    commit_many(made, &group, 0, 2);
    fsync_call_count = syncfs_call_count = 0;
    assert_null(commit_to(&group, made->path, "new"));
    assert_int_equal(fsync_call_count, 0);
    assert_int_equal(count_outputs(made), 0);
    check_file(made->path, TACHO_STR("old"));
    assert_null(tacho_output_group_finish(&group));
    assert_int_equal(fsync_call_count, 4);
    assert_int_equal(syncfs_call_count, 0);
    check_file(made->path, TACHO_STR("new"));
    assert_int_equal(mode_of(made->path), 0640);
    file_path last = path_of(made, "out1");
    check_file(last.text, TACHO_STR("out1"));
    assert_null(tacho_output_group_finish(&group)); /* nothing is left to do */
    assert_int_equal(fsync_call_count, 4);
    tacho_output_group_deinit(&group);
    assert_int_equal(empty_folder(made->folder), 3);
}

/* Many: the file system is synced once for 64 of them. */
static void test_group_of_many(void **state)
{
    const scratch *made = *state;
    tacho_output_group group = {0};
    fsync_call_count = syncfs_call_count = 0;
    commit_many(made, &group, 0, GROUP_FILES - 1);
    assert_int_equal(count_outputs(made), 0);
    commit_many(made, &group, GROUP_FILES - 1, GROUP_FILES);
    assert_int_equal(count_outputs(made), GROUP_FILES);
    assert_int_equal(syncfs_call_count, 1);
    assert_int_equal(fsync_call_count, 1);
    commit_many(made, &group, GROUP_FILES, GROUP_FILES + 6);
    assert_int_equal(count_outputs(made), GROUP_FILES);
    assert_null(tacho_output_group_finish(&group));
    assert_int_equal(count_outputs(made), GROUP_FILES + 6);
    assert_int_equal(syncfs_call_count, 2);
    assert_int_equal(fsync_call_count, 2);
    file_path last = path_of(made, "out69");
    check_file(last.text, TACHO_STR("out69"));
    assert_int_equal(empty_folder(made->folder), GROUP_FILES + 6);
}

/* As many as there are descriptors for: none is in place before all are. */
static void test_whole_group(void **state)
{
    const scratch *made = *state;
    tacho_output_group group = {.is_whole = true};
    commit_many(made, &group, 0, GROUP_FILES + 6);
    assert_int_equal(count_outputs(made), 0);
    assert_null(tacho_output_group_finish(&group));
    assert_int_equal(count_outputs(made), GROUP_FILES + 6);
    tacho_output_group_deinit(&group);
    assert_int_equal(empty_folder(made->folder), GROUP_FILES + 6);
    group = (tacho_output_group){.is_whole = true};
    commit_many(made, &group, 0, 3);
    tacho_output_group_deinit(&group);
    assert_int_equal(empty_folder(made->folder), 0);
}

/* A folder has one descriptor, however many files of it wait. */
static void test_group_descriptors(void **state)
{
    const scratch *made = *state;
    tacho_output_group group = {0};
    size_t before = count_descriptors();
    commit_many(made, &group, 0, 10);
    assert_int_equal(count_descriptors(), before + 10 + 1);
    assert_null(tacho_output_group_finish(&group));
    assert_int_equal(count_descriptors(), before);
    assert_int_equal(empty_folder(made->folder), 10);
}

/* Where there may be few descriptors, most of them are left to others. */
static void test_group_with_few_descriptors(void **state)
{
    const scratch *made = *state;
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    struct rlimit low = {.rlim_cur = 40, .rlim_max = old.rlim_max};
    size_t before = count_descriptors();
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    tacho_output_group group = {0};
    commit_many(made, &group, 0, 4);
    assert_int_equal(count_outputs(made), 0);
    commit_many(made, &group, 4, 5); /* an eighth */
    assert_int_equal(count_outputs(made), 5);
    assert_int_equal(count_descriptors(), before);
    commit_many(made, &group, 5, 2 * GROUP_FILES);
    assert_null(tacho_output_group_finish(&group));
    assert_int_equal(count_outputs(made), 2 * GROUP_FILES);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(empty_folder(made->folder), 2 * GROUP_FILES);
}

/* The later of two files of one name. */
static void test_group_order(void **state)
{
    const scratch *made = *state;
    tacho_output_group group = {0};
    assert_null(commit_to(&group, made->path, "first"));
    assert_null(commit_to(&group, made->path, "second"));
    assert_null(tacho_output_group_finish(&group));
    check_file(made->path, TACHO_STR("second"));
    assert_int_equal(empty_folder(made->folder), 1);
}

static void check_group_sync_fails(const scratch *made, int count)
{
    tacho_output_group group = {0};
    write_file(made->path, "old", 0644);
    assert_null(commit_to(&group, made->path, "new"));
    commit_many(made, &group, 0, count - 1);
    fsync_fails = true;
    char message[2 * PATH_BYTES];
    snprintf(message, sizeof(message), "%s: cannot sync: Input/output error", made->path);
    check_status(tacho_output_group_finish(&group), TACHO_CODE_IO, message);
    fsync_fails = false;
    tacho_output_group_deinit(&group);
    check_file(made->path, TACHO_STR("old"));
    assert_int_equal(empty_folder(made->folder), 1);
}

static void test_group_sync_fails(void **state)
{
    check_group_sync_fails(*state, 2);
    check_group_sync_fails(*state, 20);
}

/* One that cannot be put in place does not hold up the others. */
static void test_group_place_is_taken(void **state)
{
    const scratch *made = *state;
    tacho_output_group group = {0};
    assert_null(commit_to(&group, made->path, "new"));
    commit_many(made, &group, 0, 2);
    assert_int_equal(mkdir(made->path, 0700), 0);
    char message[2 * PATH_BYTES];
    snprintf(message, sizeof(message), "%s: cannot put in place: Is a directory", made->path);
    check_status(tacho_output_group_finish(&group), TACHO_CODE_IO, message);
    assert_int_equal(count_outputs(made), 2);
    assert_int_equal(rmdir(made->path), 0);
    assert_int_equal(empty_folder(made->folder), 2);
}

static void test_group_is_dropped(void **state)
{
    const scratch *made = *state;
    tacho_output_group group = {0};
    int before = dup(0);
    close(before);
    commit_many(made, &group, 0, 5);
    tacho_output_group_deinit(&group);
    int after = dup(0);
    close(after);
    assert_int_equal(after, before); /* no descriptor is left open */
    assert_int_equal(empty_folder(made->folder), 0);
}

/* Without a group, and to a device: at once. */
static void test_group_is_not_needed(void **state)
{
    const scratch *made = *state;
    tacho_output_group group = {0};
    assert_null(commit_to(NULL, made->path, "alone"));
    check_file(made->path, TACHO_STR("alone"));
    assert_null(commit_to(&group, "/dev/null", "gone"));
    assert_int_equal(group.item_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_group),
        WITH_NAMES(test_group),
        IN_SCRATCH(test_group_of_many),
        IN_SCRATCH(test_whole_group),
        WITH_NAMES(test_group_of_many),
        IN_SCRATCH(test_group_descriptors),
        IN_SCRATCH(test_group_with_few_descriptors),
        WITH_NAMES(test_group_with_few_descriptors),
        IN_SCRATCH(test_group_order),
        WITH_NAMES(test_group_order),
        IN_SCRATCH(test_group_sync_fails),
        WITH_NAMES(test_group_sync_fails),
        IN_SCRATCH(test_group_place_is_taken),
        WITH_NAMES(test_group_place_is_taken),
        IN_SCRATCH(test_group_is_dropped),
        WITH_NAMES(test_group_is_dropped),
        IN_SCRATCH(test_group_is_not_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
