/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input windows: lines, tokens, files, pipes and memory; borders of the window and of tokens.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "base/input_testing.h"

static void check_status(tacho_status status, tacho_code code, const char *message)
{
    assert_int_equal(tacho_status_code(status), code);
    if (message != NULL) {
        assert_string_equal(tacho_status_message(status), message);
    }
    tacho_status_free(status);
}

static void test_lines(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"\n", "|"},
        {"a", "a|"},
        {"a\n", "a|"},
        {"a\nb", "a|b|"},
        {"\n\na\n\n", "||a||"},
        {"a\r\nb\r\n", "a|b|"},
        {"a\r\nb", "a|b|"},
        {"\r\n\r\n", "||"},
        {"a\r", "a|"},
        {"a\rb\n", "a\rb|"},
        {"a\r\r\n", "a\r|"},
        {"\r", "|"},
        {"\x1f\x8b\n", "\x1f\x8b|"}, /* two bytes of a gzip header are not gzip */
        {"\x28\xb5\x2f\n", "\x28\xb5\x2f|"},
        {"\xef\xbb\xbf"
         "a\n",
         "\xef\xbb\xbf"
         "a|"}, /* the mark is left to the parser of the text */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_str text = tacho_str_from_cstring(cases[i][0]);
        check_lines_of(*state, text, text, cases[i][1]);
        for (size_t k = 0; k < 2; k++) {
            tacho_str packed = compressors[k](text);
            check_lines_of(*state, packed, text, cases[i][1]);
            discard(packed);
        }
    }
}

/* Newlines by the block and after the last one, few and many, as memchr finds them. */
static void test_newlines(void **state)
{
    (void)state;
    enum { ROOM = 300, MOST = 40 };
    char text[ROOM];
    const char *newlines[MOST + 1];
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t random = i * 2654435761u;
        size_t len = random % ROOM;
        for (size_t k = 0; k < len; k++) {
            random = random * 1664525 + 1013904223;
            text[k] = (random >> 24) % (1 + i % 97) == 0 ? '\n' : 'x';
        }
        tacho_input input = {.cursor = text, .limit = text + len};
        size_t max = 1 + i % MOST;
        size_t count = tacho_input_find_newlines(&input, newlines, max);
        tacho_str line;
        for (size_t k = 0; k < count; k++) {
            assert_ptr_equal(newlines[k],
                             memchr(input.cursor, '\n', (size_t)(input.limit - input.cursor)));
            assert_true(tacho_input_try_line_to(&input, newlines[k], &line));
        }
        assert_true(count <= max);
        assert_true(count == max || !tacho_input_try_line(&input, &line));
    }
}

static void test_short_reads(void **state)
{
    tacho_str text = TACHO_STR("first\r\nsecond\n\nlast");
    for (read_max = 1; read_max < 8; read_max++) {
        read_call_count = 0;
        check_lines_of(*state, text, text, "first|second||last|");
        assert_true(read_call_count > text.len / read_max);
        for (size_t k = 0; k < 2; k++) {
            tacho_str packed = compressors[k](text);
            check_lines_of(*state, packed, text, "first|second||last|");
            discard(packed);
        }
    }
}

/* NUL is a byte like others. */
static void test_line_with_nul(void **state)
{
    (void)state;
    tacho_input input;
    tacho_str line = {0};
    bool got = false;
    assert_null(tacho_input_open_bytes("bytes", TACHO_STR("a\0b\nc"), &input));
    assert_null(tacho_input_line(&input, &line, &got));
    assert_true(got && tacho_str_equal(line, TACHO_STR("a\0b")));
    tacho_input_close(&input);
}

static void test_compression_is_named(void **state)
{
    const scratch *made = *state;
    tacho_input input;
    assert_null(tacho_input_open_bytes("bytes", TACHO_STR("plain\n"), &input));
    assert_null(tacho_input_compression(&input));
    tacho_input_close(&input);
    for (size_t i = 0; i < 2; i++) {
        tacho_str packed = compressors[i](TACHO_STR("text\n"));
        write_file(made->path, packed); /* its name has no suffix */
        assert_null(tacho_input_open(made->path, &input));
        assert_string_equal(tacho_input_compression(&input), compressor_names[i]);
        tacho_input_close(&input);
        discard(packed);
    }
}

static void check_long_text(tacho_input *input, size_t line_count)
{
    for (size_t i = 0; i < line_count; i++) {
        tacho_str line = {0};
        bool got = false;
        char number[32];
        int digits = snprintf(number, sizeof(number), "%zu", i);
        assert_null(tacho_input_line(input, &line, &got));
        bool is_right = got && line.len == (size_t)digits + i % 997 &&
                        memcmp(line.data, number, (size_t)digits) == 0;
        for (size_t k = (size_t)digits; is_right && k < line.len; k++) {
            is_right = line.data[k] == '.';
        }
        if (!is_right) {
            fail_msg("line %zu is wrong", i + 1);
        }
    }
    check_lines(input, (size_t)input->limit_offset, "");
    assert_int_equal(input->line_number, line_count);
}

static void test_lines_across_refills(void **state)
{
    enum { LINE_COUNT = 4000 };
    const scratch *made = *state;
    tacho_str text = make_long_text(LINE_COUNT);
    assert_true(text.len > 6 * WINDOW_BYTES);
    tacho_str packed[3] = {text, compress_gzip(text), compress_zstd(text)};
    for (size_t i = 0; i < 3; i++) {
        tacho_input input;
        write_file(made->path, packed[i]);
        assert_null(tacho_input_open(made->path, &input));
        check_long_text(&input, LINE_COUNT);
        assert_int_equal(tacho_input_offset(&input), text.len);
        tacho_input_close(&input);
        assert_null(tacho_input_open_bytes("bytes", packed[i], &input));
        check_long_text(&input, LINE_COUNT);
        tacho_input_close(&input);
        discard(packed[i]);
    }
}

/* Line ends just before, at and just after the end of the window, also between CR and LF. */
static void test_line_ends_at_window(void **state)
{
    const scratch *made = *state;
    char *text = malloc(2 * WINDOW_BYTES);
    assert_non_null(text);
    for (size_t len = WINDOW_BYTES - 3; len <= WINDOW_BYTES + 2; len++) {
        memset(text, 'x', len);
        memcpy(text + len, "\r\nend", 5);
        write_file(made->path, tacho_str_make(text, len + 5));
        tacho_input input;
        tacho_str line = {0};
        bool got = false;
        assert_null(tacho_input_open(made->path, &input));
        assert_null(tacho_input_line(&input, &line, &got));
        assert_true(got);
        assert_int_equal(line.len, len);
        assert_memory_equal(line.data, text, len);
        assert_int_equal(tacho_input_offset(&input), len + 2);
        check_lines(&input, len + 5, "end|");
        tacho_input_close(&input);
    }
    free(text);
}

/* A file of |size| zero bytes, but for |text| at |offset|. */
static void write_sparse(const char *path, size_t size, size_t offset, tacho_str text)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(pwrite(fd, text.data, text.len, (off_t)offset), text.len);
    assert_int_equal(close(fd), 0);
}

/* Opens a file that begins with the line "first"; the next line has |len| bytes. */
static void open_with_long_line(const scratch *made, size_t len, bool has_end, tacho_input *input)
{
    size_t size = 6 + len;
    write_sparse(made->path, size, 0, TACHO_STR("first\n"));
    if (has_end) {
        int fd = open(made->path, O_WRONLY | O_APPEND);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, "\nlast", 5), 5);
        assert_int_equal(close(fd), 0);
    }
    tacho_str line = {0};
    bool got = false;
    assert_null(tacho_input_open(made->path, input));
    assert_null(tacho_input_line(input, &line, &got));
    assert_true(got && tacho_str_equal(line, TACHO_STR("first")));
}

static void test_longest_line(void **state)
{
    for (int has_end = 0; has_end < 2; has_end++) {
        tacho_input input;
        tacho_str line = {0};
        bool got = false;
        open_with_long_line(*state, TACHO_INPUT_TOKEN_MAX, has_end, &input);
        assert_null(tacho_input_line(&input, &line, &got));
        assert_true(got);
        assert_int_equal(line.len, TACHO_INPUT_TOKEN_MAX);
        assert_int_equal(input.line_number, 2);
        check_lines(&input, 6 + TACHO_INPUT_TOKEN_MAX + (has_end ? 5 : 0), has_end ? "last|" : "");
        tacho_input_close(&input);
    }
}

static void check_too_long(tacho_input *input, const char *name)
{
    char message[2 * PATH_BYTES];
    snprintf(message, sizeof(message),
             "%s:2: the line that starts at byte 6 is longer than 16 MiB; is this a text file?",
             name);
    tacho_str line = {0};
    bool got = false;
    check_status(tacho_input_line(input, &line, &got), TACHO_CODE_LIMIT, message);
    tacho_input_close(input);
}

static void test_line_without_end_is_too_long(void **state)
{
    const scratch *made = *state;
    tacho_input input;
    open_with_long_line(made, TACHO_INPUT_TOKEN_MAX + 1, false, &input);
    check_too_long(&input, made->path);
}

/* The limit holds wherever the line end is, not only when the window misses it. */
static void test_line_with_end_is_too_long(void **state)
{
    static const size_t lens[] = {TACHO_INPUT_TOKEN_MAX + 1, TACHO_INPUT_TOKEN_MAX + (4 << 20)};
    const scratch *made = *state;
    for (size_t i = 0; i < 2; i++) {
        tacho_input input;
        open_with_long_line(made, lens[i], true, &input);
        check_too_long(&input, made->path);
    }
}

static void test_line_in_memory_is_too_long(void **state)
{
    (void)state;
    size_t len = 6 + TACHO_INPUT_TOKEN_MAX + 2;
    char *text = calloc(1, len);
    assert_non_null(text);
    memcpy(text, "first\n", 6);
    text[len - 1] = '\n';
    tacho_input input;
    tacho_str line = {0};
    bool got = false;
    assert_null(tacho_input_open_bytes("bytes", tacho_str_make(text, len), &input));
    assert_null(tacho_input_line(&input, &line, &got));
    assert_true(got && tacho_str_equal(line, TACHO_STR("first")));
    check_too_long(&input, "bytes");
    free(text);
}

static void test_peek(void **state)
{
    const scratch *made = *state;
    tacho_input input;
    tacho_str seen = {0};
    write_file(made->path, TACHO_STR("magic\nbody"));
    assert_null(tacho_input_open(made->path, &input));
    assert_null(tacho_input_peek(&input, 0, &seen));
    for (int again = 0; again < 2; again++) { /* consumes nothing */
        assert_null(tacho_input_peek(&input, 5, &seen));
        assert_true(seen.len >= 5);
        assert_memory_equal(seen.data, "magic", 5);
        assert_int_equal(tacho_input_offset(&input), 0);
    }
    tacho_input_skip(&input, 6);
    assert_int_equal(tacho_input_offset(&input), 6);
    assert_null(tacho_input_peek(&input, 100, &seen)); /* fewer only at the end */
    assert_true(tacho_str_equal(seen, TACHO_STR("body")));
    tacho_input_skip(&input, 4);
    assert_null(tacho_input_peek(&input, 1, &seen));
    assert_int_equal(seen.len, 0);
    check_lines(&input, 10, "");
    tacho_input_close(&input);
}

/* A peek past the window grows it; skipped bytes are not in it. */
static void test_peek_far(void **state)
{
    enum { TEXT_BYTES = 3 * WINDOW_BYTES };
    const scratch *made = *state;
    tacho_input input;
    tacho_str seen = {0};
    write_sparse(made->path, TEXT_BYTES, TEXT_BYTES - 4, TACHO_STR("tail"));
    assert_null(tacho_input_open(made->path, &input));
    assert_null(tacho_input_peek(&input, 1000, &seen));
    tacho_input_skip(&input, 1000);
    assert_null(tacho_input_peek(&input, TEXT_BYTES - 1000, &seen));
    assert_int_equal(seen.len, TEXT_BYTES - 1000);
    assert_memory_equal(seen.data + seen.len - 4, "tail", 4);
    assert_int_equal(seen.data[0], 0);
    assert_int_equal(tacho_input_offset(&input), 1000);
    tacho_input_close(&input);
}

static void test_peek_token_max(void **state)
{
    const scratch *made = *state;
    tacho_input input;
    tacho_str seen = {0};
    write_sparse(made->path, TACHO_INPUT_TOKEN_MAX + 10, 0, TACHO_STR("x"));
    assert_null(tacho_input_open(made->path, &input));
    assert_null(tacho_input_peek(&input, TACHO_INPUT_TOKEN_MAX, &seen));
    assert_true(seen.len >= TACHO_INPUT_TOKEN_MAX);
    tacho_input_close(&input);
}

static void test_bytes_are_copied(void **state)
{
    (void)state;
    tacho_str nothing = {NULL, 0};
    tacho_input input;
    assert_null(tacho_input_open_bytes("bytes", nothing, &input));
    check_lines(&input, 0, "");
    tacho_input_close(&input);
    char name[] = "name";
    assert_null(tacho_input_open_bytes(name, TACHO_STR("text"), &input));
    name[0] = 'x';
    assert_string_equal(input.name, "name");
    tacho_input_close(&input);
    tacho_input_close(&input); /* closed twice does no harm */
}

static void test_open_refuses(void **state)
{
    const scratch *made = *state;
    char message[2 * PATH_BYTES];
    tacho_input input;
    snprintf(message, sizeof(message), "%s: cannot open: No such file or directory", made->path);
    check_status(tacho_input_open(made->path, &input), TACHO_CODE_NOT_FOUND, message);
    snprintf(message, sizeof(message), "%s is a directory; name a file in it", made->folder);
    check_status(tacho_input_open(made->folder, &input), TACHO_CODE_IO, message);
    tacho_input_close(&input); /* a failed open leaves nothing to close, and closing is safe */
    check_status(tacho_input_open("", &input), TACHO_CODE_NOT_FOUND, "the file name is empty");
    tacho_input_close(&input);
    write_file(made->path, TACHO_STR("x"));
    char below[PATH_BYTES + 8];
    snprintf(below, sizeof(below), "%s/below", made->path);
    check_status(tacho_input_open(below, &input), TACHO_CODE_IO, NULL);
}

/* The descriptors that are open now. */
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
    tacho_input input;
    size_t before = count_descriptors();
    write_file(made->path, TACHO_STR("x"));
    assert_null(tacho_input_open(made->path, &input));
    assert_int_equal(count_descriptors(), before + 1);
    tacho_input_close(&input);
    check_status(tacho_input_open(made->folder, &input), TACHO_CODE_IO, NULL);
    assert_int_equal(count_descriptors(), before);
}

/* Page 0 is never mapped, so the first read of this file fails. */
static void test_read_fails(void **state)
{
    (void)state;
    tacho_input input;
    check_status(tacho_input_open("/proc/self/mem", &input), TACHO_CODE_IO,
                 "/proc/self/mem: cannot read: Input/output error");
}

static void test_is_rereadable(void **state)
{
    const scratch *made = *state;
    assert_false(tacho_input_is_rereadable("-"));
    assert_false(tacho_input_is_rereadable(made->path));
    assert_false(tacho_input_is_rereadable(made->folder));
    assert_false(tacho_input_is_rereadable("/dev/null"));
    write_file(made->path, TACHO_STR("x"));
    assert_true(tacho_input_is_rereadable(made->path));
    unlink(made->path);
    assert_int_equal(mkfifo(made->path, 0600), 0);
    assert_false(tacho_input_is_rereadable(made->path));
}

static void test_is_same_file(void **state)
{
    const scratch *made = *state;
    const char *other = made->other_path;
    assert_false(tacho_input_is_same_file(made->path, made->path)); /* not there yet */
    write_file(made->path, TACHO_STR("x"));
    assert_true(tacho_input_is_same_file(made->path, made->path));
    assert_false(tacho_input_is_same_file(made->path, other));
    assert_false(tacho_input_is_same_file(other, made->path));
    write_file(other, TACHO_STR("x"));
    assert_false(tacho_input_is_same_file(made->path, other));
    unlink(other);
    assert_int_equal(symlink(made->path, other), 0);
    assert_true(tacho_input_is_same_file(made->path, other));
    unlink(other);
    assert_int_equal(link(made->path, other), 0);
    assert_true(tacho_input_is_same_file(made->path, other));
    assert_false(tacho_input_is_same_file("/dev/null", "/dev/null")); /* not a file of bytes */
}

/* Standard input is a pipe for a while. */
static void test_standard_input(void **state)
{
    (void)state;
    int ends[2];
    int kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(write(ends[1], "a\nb", 3), 3);
    close(ends[0]);
    close(ends[1]);
    tacho_input input;
    assert_null(tacho_input_open("-", &input));
    assert_string_equal(input.name, "standard input");
    assert_int_equal(input.raw_total_bytes, 0);
    check_lines(&input, 3, "a|b|");
    tacho_input_close(&input);
    assert_int_not_equal(fcntl(STDIN_FILENO, F_GETFD), -1); /* it is not ours to close */
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
}

typedef struct progress_log {
    uint64_t done_bytes;
    uint64_t total_bytes;
    size_t call_count;
} progress_log;

static void log_progress(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
    progress_log *log = self;
    assert_true(done_bytes >= log->done_bytes);
    *log = (progress_log){done_bytes, total_bytes, log->call_count + 1};
}

static void test_progress(void **state)
{
    const scratch *made = *state;
    enum { TEXT_BYTES = 5 * WINDOW_BYTES };
    write_sparse(made->path, TEXT_BYTES, 0, TACHO_STR("x\n"));
    tacho_input input;
    assert_null(tacho_input_open(made->path, &input));
    progress_log log = {0};
    input.progress = (tacho_progress){log_progress, &log};
    free(join_lines(&input));
    assert_true(log.call_count >= 4);
    assert_int_equal(log.done_bytes, TEXT_BYTES);
    assert_int_equal(log.total_bytes, TEXT_BYTES);
    tacho_input_close(&input);
}

static bool is_of_use(const void *self)
{
    return *(const bool *)self;
}

/* Takes |most| bytes, or as many as there are before it fails. */
static tacho_status take_bytes(const char *path, uint64_t most, bool has_use, uint64_t *out_taken)
{
    static char room[1 << 20];
    tacho_input input;
    tacho_status status = TACHO_OK;
    assert_null(tacho_input_open(path, &input));
    input.use = (tacho_input_use){is_of_use, &has_use};
    *out_taken = 0;
    for (size_t len = 1; status == TACHO_OK && len > 0 && *out_taken < most;) {
        status = tacho_input_take(&input, room, sizeof(room), &len);
        *out_taken += status == TACHO_OK ? len : 0;
    }
    tacho_input_close(&input);
    return status;
}

/* A useless input is given up where it may have no end, and only there. */
static void test_useless(void **state)
{
    const scratch *made = *state;
    const uint64_t more = TACHO_INPUT_USELESS_MAX + (4 << 20);
    uint64_t taken;
    tacho_status status = take_bytes("/dev/zero", more, false, &taken);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    assert_string_equal(tacho_status_message(status),
                        "/dev/zero: nothing can be read in its first 64 MiB, and what is not a "
                        "file may have no end; if it has one, save it to a file");
    assert_true(taken >= TACHO_INPUT_USELESS_MAX && taken < more);
    tacho_status_free(status);
    assert_null(take_bytes("/dev/zero", more, true, &taken));
    assert_true(taken >= more);
    write_sparse(made->path, more, 0, TACHO_STR("x\n"));
    assert_null(take_bytes(made->path, UINT64_MAX, false, &taken));
    assert_true(taken == more);
}

/* Visible bytes are copied from the window, the others read directly from the file. */
static void test_take(void **state)
{
    (void)state;
    enum { BYTES = 600000 };
    char path[PATH_BYTES];
    const char *temp = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%s/tacho-take-XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    char *bytes = malloc(2 * BYTES + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < BYTES; i++) {
        bytes[i] = (char)(i * 31 + i / 253);
    }
    assert_int_equal(write(fd, bytes, BYTES), BYTES);
    close(fd);
    tacho_input input;
    assert_null(tacho_input_open(path, &input));
    unlink(path);
    tacho_str head;
    assert_null(tacho_input_peek(&input, 10, &head));
    tacho_input_skip(&input, 7);
    memcpy(bytes + BYTES, bytes, 7);
    size_t got = 7;
    for (size_t len = 1; len > 0; got += len) {
        assert_int_equal(tacho_input_offset(&input), got);
        size_t room = BYTES - got < 99991 ? BYTES - got + 1 : 99991;
        assert_null(tacho_input_take(&input, bytes + BYTES + got, room < 1 ? 1 : room, &len));
    }
    assert_int_equal(got, BYTES);
    assert_memory_equal(bytes, bytes + BYTES, BYTES);
    assert_null(tacho_input_damage(&input));
    tacho_input_close(&input);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_lines),
        IN_SCRATCH(test_short_reads),
        cmocka_unit_test(test_line_with_nul),
        IN_SCRATCH(test_compression_is_named),
        IN_SCRATCH(test_lines_across_refills),
        IN_SCRATCH(test_line_ends_at_window),
        IN_SCRATCH(test_longest_line),
        IN_SCRATCH(test_line_without_end_is_too_long),
        IN_SCRATCH(test_line_with_end_is_too_long),
        cmocka_unit_test(test_line_in_memory_is_too_long),
        cmocka_unit_test(test_newlines),
        IN_SCRATCH(test_peek),
        IN_SCRATCH(test_peek_far),
        IN_SCRATCH(test_peek_token_max),
        cmocka_unit_test(test_bytes_are_copied),
        IN_SCRATCH(test_open_refuses),
        IN_SCRATCH(test_descriptors_are_closed),
        cmocka_unit_test(test_read_fails),
        IN_SCRATCH(test_is_rereadable),
        IN_SCRATCH(test_is_same_file),
        cmocka_unit_test(test_standard_input),
        IN_SCRATCH(test_progress),
        IN_SCRATCH(test_useless),
        cmocka_unit_test(test_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
