/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs: there whole or not at all, modes and links kept, pieces of every size, compressed.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "base/output_files_testing.h"

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

/* A reader that has the old file open keeps reading it: it is replaced, not overwritten. */
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

/* A private file cannot be read by other users while it is being replaced either. */
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
    bool is_named = facts.st_nlink > 0; /* else it cannot be opened */
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

/* Temporary names left by an earlier run are stepped over, not taken. */
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
    write_and_commit("file", TACHO_STR("text"));
    write_and_commit("./file", TACHO_STR("other"));
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

/* Bytes just before the end of the buffer are not cut by a reserve that does not fit. */
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

    /* The same bytes give the same file, whatever its name and the sizes of writes. */
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

/* A pipe receives the bytes directly; nothing is put in its place. */
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

/* The place is chosen after the last byte; an existing file that is not ours stays. */
static void test_moved(void **state)
{
    const scratch *made = *state;
    tacho_output output;
    char *folder = NULL, *path = NULL;
    assert_true(asprintf(&folder, "%s/below", made->folder) > 0);
    assert_true(asprintf(&path, "%s/moved", folder) > 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < 2; i++) { /* new, then over itself */
        assert_null(tacho_output_open_chosen(made->path, "mark", &output));
        tacho_output_write_str(&output, TACHO_STR("mark of ours"));
        assert_null(tacho_output_move_chosen(&output, path, "mark"));
        assert_null(tacho_output_commit(&output));
        tacho_output_close(&output);
        check_file(path, TACHO_STR("mark of ours"));
    }
    write_file(path, "of others", 0600);
    assert_null(tacho_output_open_chosen(made->path, "mark", &output));
    tacho_status status = tacho_output_move_chosen(&output, path, "mark");
    assert_non_null(status);
    tacho_status_free(status);
    tacho_output_close(&output);
    check_file(path, TACHO_STR("of others"));
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    assert_int_equal(empty_folder(made->folder), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_commit_creates),
        WITH_NAMES(test_commit_creates),
        IN_SCRATCH(test_commit_of_nothing),
        IN_SCRATCH(test_close_leaves_nothing),
        WITH_NAMES(test_close_leaves_nothing),
        IN_SCRATCH(test_close_keeps_old_file),
        WITH_NAMES(test_close_keeps_old_file),
        IN_SCRATCH(test_commit_replaces),
        WITH_NAMES(test_commit_replaces),
        IN_SCRATCH(test_mode_is_kept),
        WITH_NAMES(test_mode_is_kept),
        IN_SCRATCH(test_set_user_id_is_dropped),
        IN_SCRATCH(test_mode_of_new_file),
        WITH_NAMES(test_mode_of_new_file),
        IN_SCRATCH(test_umask_is_left_alone),
        IN_SCRATCH(test_link_stays),
        WITH_NAMES(test_link_stays),
        IN_SCRATCH(test_link_to_nothing),
        IN_SCRATCH(test_private_file_stays_private),
        WITH_NAMES(test_private_file_stays_private),
        IN_SCRATCH(test_longest_name),
        WITH_NAMES(test_temporary_name),
        IN_SCRATCH(test_stale_temporary_names),
        WITH_NAMES(test_stale_temporary_names),
        IN_SCRATCH(test_relative_path),
        IN_SCRATCH(test_pieces),
        WITH_NAMES(test_pieces),
        IN_SCRATCH(test_short_writes),
        IN_SCRATCH(test_reserve_flushes),
        IN_SCRATCH(test_printf),
        IN_SCRATCH(test_printf_long),
        IN_SCRATCH(test_gzip),
        IN_SCRATCH(test_zstd),
        IN_SCRATCH(test_suffix),
        IN_SCRATCH(test_packed_close_leaves_nothing),
        IN_SCRATCH(test_pipe),
        IN_SCRATCH(test_standard_output),
        IN_SCRATCH(test_moved),
        WITH_NAMES(test_moved),
        IN_SCRATCH(test_is_replaceable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
