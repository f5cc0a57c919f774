/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each test writes into a folder of its own and then looks at the folder: what is in it, how
 * long, with which mode. Five system calls are replaced: umask(2) to see who calls it, fsync(2) and
 * syncfs(2) to let them fail, write(2) to take less than it is given, openat(2) to be like a file
 * system that knows no unnamed files.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "base/output.h"

#include "base/input.h"

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

enum { BUFFER_BYTES = 256 << 10, PATH_BYTES = 1024, NAME_BYTES_MAX = 255 };

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

/* As into a pipe with little room, and with signals coming in. */
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

/* The folder of one test and the usual file in it. */
typedef struct scratch {
    char folder[PATH_BYTES / 2];
    char path[PATH_BYTES];
} scratch;

static int make_scratch(void **state)
{
    scratch *made = calloc(1, sizeof(*made));
    const char *temp = getenv("TMPDIR");
    if (made == NULL) {
        return -1;
    }
    snprintf(made->folder, sizeof(made->folder), "%s/tacho-output-XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    if (mkdtemp(made->folder) == NULL) {
        free(made);
        return -1;
    }
    snprintf(made->path, sizeof(made->path), "%s/out", made->folder);
    *state = made;
    return 0;
}

static int make_scratch_for_named_files(void **state)
{
    unnamed_files_fail = true;
    return make_scratch(state);
}

/* Counts the names in |folder| and, where asked to, removes them. */
static size_t count_names(const char *folder, bool removes)
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
static size_t empty_folder(const char *folder)
{
    return count_names(folder, true);
}

static int remove_scratch(void **state)
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

static file_path path_of(const scratch *made, const char *name)
{
    file_path path;
    int len = snprintf(path.text, sizeof(path.text), "%s/%s", made->folder, name);
    assert_true(len > 0 && (size_t)len < sizeof(path.text));
    return path;
}

/* A new file each time: ext4 writes one that was cut to nothing to disk at once. */
static void write_file(const char *path, const char *text, mode_t mode)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void check_file(const char *path, tacho_str expected)
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

static bool exists(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) == 0;
}

static mode_t mode_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return facts.st_mode & 07777;
}

static void check_status(tacho_status status, tacho_code code, const char *message)
{
    assert_int_equal(tacho_status_code(status), code);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
}

static void write_and_commit(const char *path, tacho_str text)
{
    tacho_output output;
    assert_null(tacho_output_open(path, &output));
    tacho_output_write_str(&output, text);
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
}

/* Bytes that repeat only after a long while. */
static char *make_pattern(size_t len)
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

static void test_commit_creates(void **state)
{
    const scratch *made = *state;
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    tacho_output_write_str(&output, TACHO_STR("text\n"));
    tacho_output_flush(&output);
    assert_false(exists(made->path));
    assert_null(tacho_output_commit(&output));
    check_file(made->path, TACHO_STR("text\n"));
    tacho_output_close(&output);
    check_file(made->path, TACHO_STR("text\n"));
    assert_int_equal(empty_folder(made->folder), 1);
}

static void test_commit_of_nothing(void **state)
{
    const scratch *made = *state;
    write_and_commit(made->path, TACHO_STR(""));
    check_file(made->path, TACHO_STR(""));
    assert_int_equal(empty_folder(made->folder), 1);
}

static void test_close_leaves_nothing(void **state)
{
    const scratch *made = *state;
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    char *pattern = make_pattern(2 * BUFFER_BYTES);
    tacho_output_write(&output, pattern, 2 * BUFFER_BYTES);
    tacho_output_close(&output);
    assert_int_equal(empty_folder(made->folder), 0);
    tacho_output_close(&output); /* closed twice does no harm */
    free(pattern);
}

static void test_close_keeps_old_file(void **state)
{
    const scratch *made = *state;
    write_file(made->path, "old", 0644);
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    tacho_output_write_str(&output, TACHO_STR("new text"));
    tacho_output_flush(&output);
    check_file(made->path, TACHO_STR("old"));
    tacho_output_close(&output);
    check_file(made->path, TACHO_STR("old"));
    assert_int_equal(empty_folder(made->folder), 1);
}

/* Who has the old file open goes on reading it: it is replaced, not written over. */
static void test_commit_replaces(void **state)
{
    const scratch *made = *state;
    write_file(made->path, "a much longer old text", 0644);
    int old_fd = open(made->path, O_RDONLY);
    assert_true(old_fd >= 0);
    write_and_commit(made->path, TACHO_STR("new"));
    check_file(made->path, TACHO_STR("new"));
    char old_text[32] = "";
    assert_int_equal(read(old_fd, old_text, sizeof(old_text) - 1), 22);
    assert_string_equal(old_text, "a much longer old text");
    close(old_fd);
    assert_int_equal(empty_folder(made->folder), 1);
}

static void test_mode_is_kept(void **state)
{
    const scratch *made = *state;
    static const mode_t modes[] = {0600, 0640, 0666, 0755, 0444};
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        write_file(made->path, "old", modes[i]);
        write_and_commit(made->path, TACHO_STR("new"));
        assert_int_equal(mode_of(made->path), modes[i]);
        check_file(made->path, TACHO_STR("new"));
        unlink(made->path);
    }
}

/* Bits that make a program run as its owner are not passed on to bytes we wrote. */
static void test_set_user_id_is_dropped(void **state)
{
    const scratch *made = *state;
    write_file(made->path, "old", 04755);
    write_and_commit(made->path, TACHO_STR("new"));
    assert_int_equal(mode_of(made->path), 0755);
}

static void test_mode_of_new_file(void **state)
{
    const scratch *made = *state;
    static const mode_t masks[] = {0, 022, 027, 077};
    mode_t kept = umask(0);
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        umask(masks[i]);
        write_and_commit(made->path, TACHO_STR("new"));
        assert_int_equal(mode_of(made->path), 0666 & ~masks[i]);
        assert_int_equal(umask(0), masks[i]);
        unlink(made->path);
    }
    umask(kept);
}

/*
 * The mask belongs to the whole process, and to read it is to set it: another thread would
 * create a file that all may write, and two at once would leave the mask at 0 for good.
 */
static void test_umask_is_left_alone(void **state)
{
    const scratch *made = *state;
    umask_call_count = 0;
    write_and_commit(made->path, TACHO_STR("new"));
    assert_int_equal(umask_call_count, 0);
}

static void test_link_stays(void **state)
{
    const scratch *made = *state;
    file_path target = path_of(made, "target");
    write_file(target.text, "old", 0640);
    assert_int_equal(symlink("target", made->path), 0);
    write_and_commit(made->path, TACHO_STR("new"));
    char link_text[32] = "";
    assert_int_equal(readlink(made->path, link_text, sizeof(link_text) - 1), 6);
    assert_string_equal(link_text, "target");
    check_file(target.text, TACHO_STR("new"));
    assert_int_equal(mode_of(target.text), 0640);
    assert_int_equal(empty_folder(made->folder), 2);
}

/* A link to a file that is not there: no link is lost, and none is followed into the unknown. */
static void test_link_to_nothing(void **state)
{
    const scratch *made = *state;
    assert_int_equal(symlink("target", made->path), 0);
    tacho_output output;
    char message[2 * PATH_BYTES];
    snprintf(message, sizeof(message), "%s is a dangling symbolic link", made->path);
    check_status(tacho_output_open(made->path, &output), TACHO_CODE_IO, message);
    char link_text[32] = "";
    ssize_t link_len = readlink(made->path, link_text, sizeof(link_text) - 1);
    assert_int_equal(link_len, 6);
    assert_int_equal(empty_folder(made->folder), 1);
}

/* What nobody else may read cannot be read while it is being replaced either. */
static void test_private_file_stays_private(void **state)
{
    const scratch *made = *state;
    write_file(made->path, "old", 0600);
    mode_t kept = umask(0);
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    umask(kept);
    struct stat facts;
    assert_int_equal(fstat(output.fd, &facts), 0);
    bool is_named = facts.st_nlink > 0; /* else nobody can open it */
    tacho_output_close(&output);
    assert_true(!is_named || (facts.st_mode & 0777) == 0600);
}

/* The longest name a file may have leaves no room for a suffix. */
static void test_longest_name(void **state)
{
    const scratch *made = *state;
    char name[NAME_BYTES_MAX + 1];
    memset(name, 'n', NAME_BYTES_MAX);
    name[NAME_BYTES_MAX] = '\0';
    file_path path = path_of(made, name);
    tacho_output output;
    assert_null(tacho_output_open(path.text, &output));
    tacho_output_write_str(&output, TACHO_STR("text"));
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    tacho_code code = tacho_status_code(status);
    tacho_status_free(status);
    assert_int_equal(code, TACHO_CODE_OK);
    check_file(path.text, TACHO_STR("text"));
    assert_int_equal(empty_folder(made->folder), 1);
}

/* Where files cannot be unnamed, the bytes gather under another name than the target's. */
static void test_temporary_name(void **state)
{
    const scratch *made = *state;
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    tacho_output_write_str(&output, TACHO_STR("text"));
    tacho_output_flush(&output);
    assert_int_equal(count_names(made->folder, false), 1);
    assert_false(exists(made->path));
    assert_null(tacho_output_commit(&output));
    assert_int_equal(count_names(made->folder, false), 1);
    check_file(made->path, TACHO_STR("text"));
    tacho_output_close(&output);
}

/* Temporary names that an earlier run left behind are stepped over, not taken. */
static void test_stale_temporary_names(void **state)
{
    const scratch *made = *state;
    file_path stale[3];
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof(name), ".tacho-%ld-%d.partial", (long)getpid(), i);
        stale[i] = path_of(made, name);
        write_file(stale[i].text, "stale", 0600);
    }
    write_and_commit(made->path, TACHO_STR("new"));
    check_file(made->path, TACHO_STR("new"));
    for (int i = 0; i < 3; i++) {
        check_file(stale[i].text, TACHO_STR("stale"));
    }
    assert_int_equal(empty_folder(made->folder), 4);
}

static void test_relative_path(void **state)
{
    const scratch *made = *state;
    char kept[PATH_BYTES];
    assert_non_null(getcwd(kept, sizeof(kept)));
    assert_int_equal(chdir(made->folder), 0);
    write_and_commit("out", TACHO_STR("text"));
    write_and_commit("./out", TACHO_STR("other"));
    assert_int_equal(chdir(kept), 0);
    check_file(made->path, TACHO_STR("other"));
}

/* Writes |pattern| by turns through all three ways in, in pieces of every kind of size. */
static void write_in_pieces(tacho_output *output, const char *pattern, size_t len)
{
    static const size_t sizes[] = {1,
                                   0,
                                   7,
                                   TACHO_OUTPUT_RESERVE_MAX,
                                   TACHO_OUTPUT_RESERVE_MAX - 1,
                                   3,
                                   BUFFER_BYTES,
                                   BUFFER_BYTES - 1,
                                   BUFFER_BYTES + 1,
                                   1000,
                                   2 * BUFFER_BYTES + 5};
    size_t at = 0;
    for (size_t turn = 0; at < len; turn++) {
        size_t size = sizes[turn % (sizeof(sizes) / sizeof(sizes[0]))];
        size = size < len - at ? size : len - at;
        if (turn % 2 == 0 && size <= TACHO_OUTPUT_RESERVE_MAX) {
            unsigned char *room = tacho_output_reserve(output, size);
            assert_true((size_t)(output->limit - room) >= size);
            memcpy(room, pattern + at, size);
            output->cursor += size;
        } else {
            tacho_output_write(output, pattern + at, size);
        }
        at += size;
        assert_int_equal(tacho_output_offset(output), at);
    }
}

enum { PATTERN_BYTES = 9 * BUFFER_BYTES + 12345 };

static void test_pieces(void **state)
{
    const scratch *made = *state;
    char *pattern = make_pattern(PATTERN_BYTES);
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    write_in_pieces(&output, pattern, PATTERN_BYTES);
    assert_null(tacho_output_commit(&output));
    assert_int_equal(tacho_output_offset(&output), PATTERN_BYTES);
    tacho_output_close(&output);
    check_file(made->path, tacho_str_make(pattern, PATTERN_BYTES));
    free(pattern);
}

static void test_short_writes(void **state)
{
    const scratch *made = *state;
    char *pattern = make_pattern(BUFFER_BYTES + 1234);
    writes_are_short = true;
    write_call_count = 0;
    write_and_commit(made->path, tacho_str_make(pattern, BUFFER_BYTES + 1234));
    writes_are_short = false;
    assert_true(write_call_count > 300);
    check_file(made->path, tacho_str_make(pattern, BUFFER_BYTES + 1234));
    free(pattern);
}

/* What lies just before the end of the buffer is not cut by a reserve that does not fit. */
static void test_reserve_flushes(void **state)
{
    const scratch *made = *state;
    char *pattern = make_pattern(2 * BUFFER_BYTES);
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    for (size_t left = 0; left < 3; left++) {
        tacho_output_flush(&output);
        tacho_output_write(&output, pattern, BUFFER_BYTES - left);
        unsigned char *room = tacho_output_reserve(&output, 2);
        assert_true(output.limit - room >= 2);
        memcpy(room, "ab", 2);
        output.cursor += 2;
    }
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
    size_t at = 0;
    char *expected = malloc(4 * BUFFER_BYTES);
    assert_non_null(expected);
    for (size_t left = 0; left < 3; left++) {
        memcpy(expected + at, pattern, BUFFER_BYTES - left);
        memcpy(expected + at + BUFFER_BYTES - left, "ab", 2);
        at += BUFFER_BYTES - left + 2;
    }
    check_file(made->path, tacho_str_make(expected, at));
    free(expected);
    free(pattern);
}

static void test_printf(void **state)
{
    const scratch *made = *state;
    enum { TIMES = 20000 };
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    char *expected = malloc(TIMES * 40);
    assert_non_null(expected);
    size_t len = 0;
    for (int i = 0; i < TIMES; i++) {
        tacho_output_printf(&output, "%d:%s:%5.2f\n", i, "name", i / 8.0);
        len += (size_t)snprintf(expected + len, 40, "%d:%s:%5.2f\n", i, "name", i / 8.0);
    }
    tacho_output_printf(&output, "%s", "");
    assert_int_equal(tacho_output_offset(&output), len);
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
    check_file(made->path, tacho_str_make(expected, len));
    free(expected);
}

/* Text of any length is written whole; the first lengths are about where room ends. */
static void test_printf_long(void **state)
{
    const scratch *made = *state;
    static const size_t lens[] = {4095,
                                  4096,
                                  4097,
                                  TACHO_OUTPUT_RESERVE_MAX - 1,
                                  TACHO_OUTPUT_RESERVE_MAX,
                                  TACHO_OUTPUT_RESERVE_MAX + 1,
                                  3 * BUFFER_BYTES};
    char *text = malloc(3 * BUFFER_BYTES + 1);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        memset(text, 'x', lens[i]);
        text[lens[i]] = '\0';
        tacho_output output;
        assert_null(tacho_output_open(made->path, &output));
        tacho_output_printf(&output, "%s", text);
        uint64_t written = tacho_output_offset(&output);
        tacho_status status = tacho_output_commit(&output);
        tacho_output_close(&output);
        assert_null(status);
        assert_int_equal(written, lens[i]);
        check_file(made->path, tacho_str_make(text, lens[i]));
    }
    free(text);
}

/* Reads back through tacho_input, which recognises the compression by content. */
static void check_packed(const char *path, const char *compression, tacho_str expected)
{
    tacho_input input;
    assert_null(tacho_input_open(path, &input));
    assert_string_equal(tacho_input_compression(&input), compression);
    tacho_str seen = {0};
    assert_null(tacho_input_peek(&input, expected.len + 1, &seen));
    assert_int_equal(seen.len, expected.len);
    assert_memory_equal(seen.data, expected.data, expected.len);
    assert_null(tacho_input_damage(&input));
    tacho_input_close(&input);
}

/* The size of the file and a sum over its bytes. */
static uint64_t fingerprint(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint64_t sum = 0;
    for (int byte; (byte = fgetc(file)) != EOF;) {
        sum = (sum ^ (uint64_t)byte) * 1099511628211u;
    }
    fclose(file);
    return sum;
}

static void check_compression(const scratch *made, const char *suffix, const char *compression)
{
    char *pattern = make_pattern(PATTERN_BYTES);
    memset(pattern, 'x', PATTERN_BYTES / 2); /* half that shrinks, half that does not */
    char name[32];
    snprintf(name, sizeof(name), "one.%s", suffix);
    file_path one = path_of(made, name);
    snprintf(name, sizeof(name), "two.%s", suffix);
    file_path two = path_of(made, name);
    tacho_output output;
    assert_null(tacho_output_open(one.text, &output));
    write_in_pieces(&output, pattern, PATTERN_BYTES);
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
    check_packed(one.text, compression, tacho_str_make(pattern, PATTERN_BYTES));
    struct stat facts;
    assert_int_equal(stat(one.text, &facts), 0);
    assert_true(facts.st_size < PATTERN_BYTES * 3 / 4);

    /* The same bytes give the same file, whatever its name and however they came. */
    write_and_commit(two.text, tacho_str_make(pattern, PATTERN_BYTES));
    assert_true(fingerprint(one.text) == fingerprint(two.text));
    write_and_commit(two.text, TACHO_STR(""));
    check_packed(two.text, compression, TACHO_STR(""));
    free(pattern);
}

static void test_gzip(void **state)
{
    check_compression(*state, "gz", "gzip");
}

static void test_zstd(void **state)
{
    check_compression(*state, "zst", "zstd");
}

/* Only the end of the name counts. */
static void test_suffix(void **state)
{
    const scratch *made = *state;
    static const char *const names[] = {"gz", "out.gz.txt", "out.GZ", "out.zst_"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        file_path path = path_of(made, names[i]);
        write_and_commit(path.text, TACHO_STR("plain"));
        check_file(path.text, TACHO_STR("plain"));
    }
}

static void test_packed_close_leaves_nothing(void **state)
{
    const scratch *made = *state;
    static const char *const names[] = {"out.gz", "out.zst"};
    for (size_t i = 0; i < 2; i++) {
        file_path path = path_of(made, names[i]);
        tacho_output output;
        assert_null(tacho_output_open(path.text, &output));
        tacho_output_write_str(&output, TACHO_STR("text"));
        tacho_output_flush(&output);
        tacho_output_close(&output);
    }
    assert_int_equal(empty_folder(made->folder), 0);
}

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

/* After a failure writing goes on into the void, and commit still tells. */
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
    tacho_output_close(&output); /* the failure that nobody asked for is freed */
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
    static const char *const names[] = {"out", "out.gz", "out.zst"};
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

/* Bytes that may not have reached the disk do not take the place of those that have. */
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

static size_t count_descriptors(void)
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

/* A pipe takes the bytes as they come; nothing is put in its place. */
static void test_pipe(void **state)
{
    const scratch *made = *state;
    assert_int_equal(mkfifo(made->path, 0600), 0);
    int reader = open(made->path, O_RDWR);
    assert_true(reader >= 0);
    tacho_output output;
    assert_null(tacho_output_open(made->path, &output));
    tacho_output_write_str(&output, TACHO_STR("text"));
    tacho_output_flush(&output);
    char text[16] = "";
    assert_int_equal(read(reader, text, sizeof(text) - 1), 4);
    assert_string_equal(text, "text");
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
    close(reader);
    struct stat facts;
    assert_int_equal(stat(made->path, &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
}

/* Standard output is a file for a while. */
static void test_standard_output(void **state)
{
    const scratch *made = *state;
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    int file = open(made->path, O_WRONLY | O_CREAT, 0600);
    assert_true(kept >= 0 && file >= 0);
    dup2(file, STDOUT_FILENO);
    close(file);
    tacho_output output;
    tacho_status status = tacho_output_open("-", &output);
    tacho_output_write_str(&output, TACHO_STR("text"));
    status = tacho_status_first(status, tacho_output_commit(&output));
    tacho_output_close(&output);
    bool is_open = write(STDOUT_FILENO, "!", 1) == 1; /* it is not ours to close */
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_null(status);
    assert_true(is_open);
    check_file(made->path, TACHO_STR("text!"));
}

static void test_is_replaceable(void **state)
{
    const scratch *made = *state;
    assert_false(tacho_output_is_replaceable("-"));
    assert_false(tacho_output_is_replaceable("/dev/null"));
    assert_false(tacho_output_is_replaceable(made->folder));
    assert_true(tacho_output_is_replaceable(made->path));
    write_file(made->path, "old", 0600);
    assert_true(tacho_output_is_replaceable(made->path));
}

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

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)
#define WITH_NAMES(test)                                                                           \
    {                                                                                              \
        "named " #test, test, make_scratch_for_named_files, remove_scratch, NULL                   \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_commit_creates),
        IN_SCRATCH(test_commit_of_nothing),
        IN_SCRATCH(test_close_leaves_nothing),
        IN_SCRATCH(test_close_keeps_old_file),
        IN_SCRATCH(test_commit_replaces),
        IN_SCRATCH(test_mode_is_kept),
        IN_SCRATCH(test_set_user_id_is_dropped),
        IN_SCRATCH(test_mode_of_new_file),
        IN_SCRATCH(test_umask_is_left_alone),
        IN_SCRATCH(test_link_stays),
        IN_SCRATCH(test_link_to_nothing),
        IN_SCRATCH(test_private_file_stays_private),
        IN_SCRATCH(test_longest_name),
        IN_SCRATCH(test_stale_temporary_names),
        IN_SCRATCH(test_relative_path),
        IN_SCRATCH(test_pieces),
        IN_SCRATCH(test_short_writes),
        IN_SCRATCH(test_reserve_flushes),
        IN_SCRATCH(test_printf),
        IN_SCRATCH(test_printf_long),
        IN_SCRATCH(test_gzip),
        IN_SCRATCH(test_zstd),
        IN_SCRATCH(test_suffix),
        IN_SCRATCH(test_packed_close_leaves_nothing),
        IN_SCRATCH(test_full_device),
        IN_SCRATCH(test_failure_sticks),
        IN_SCRATCH(test_take_failure),
        IN_SCRATCH(test_full_device_packed),
        IN_SCRATCH(test_file_size_limit),
        IN_SCRATCH(test_commit_fails),
        IN_SCRATCH(test_sync_fails),
        IN_SCRATCH(test_commit_syncs),
        IN_SCRATCH(test_group),
        IN_SCRATCH(test_group_of_many),
        IN_SCRATCH(test_group_descriptors),
        IN_SCRATCH(test_group_with_few_descriptors),
        IN_SCRATCH(test_group_order),
        IN_SCRATCH(test_group_sync_fails),
        IN_SCRATCH(test_group_place_is_taken),
        IN_SCRATCH(test_group_is_dropped),
        IN_SCRATCH(test_group_is_not_needed),
        IN_SCRATCH(test_open_refuses),
        IN_SCRATCH(test_descriptors_are_closed),
        IN_SCRATCH(test_pipe),
        IN_SCRATCH(test_standard_output),
        IN_SCRATCH(test_is_replaceable),
        WITH_NAMES(test_temporary_name),
        WITH_NAMES(test_commit_creates),
        WITH_NAMES(test_close_leaves_nothing),
        WITH_NAMES(test_close_keeps_old_file),
        WITH_NAMES(test_commit_replaces),
        WITH_NAMES(test_mode_is_kept),
        WITH_NAMES(test_mode_of_new_file),
        WITH_NAMES(test_private_file_stays_private),
        WITH_NAMES(test_link_stays),
        WITH_NAMES(test_stale_temporary_names),
        WITH_NAMES(test_pieces),
        WITH_NAMES(test_file_size_limit),
        WITH_NAMES(test_commit_fails),
        WITH_NAMES(test_sync_fails),
        WITH_NAMES(test_group),
        WITH_NAMES(test_group_of_many),
        WITH_NAMES(test_group_with_few_descriptors),
        WITH_NAMES(test_group_order),
        WITH_NAMES(test_group_sync_fails),
        WITH_NAMES(test_group_place_is_taken),
        WITH_NAMES(test_group_is_dropped),
        WITH_NAMES(test_open_refuses),
        WITH_NAMES(test_descriptors_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
