/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by tests of input: folders, compressed texts, and reads in small pieces.
 */
#ifndef TACHO_BASE_INPUT_TESTING_H
#define TACHO_BASE_INPUT_TESTING_H

#include "base/input.h"
#include "base/scratch_testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

enum { WINDOW_BYTES = 256 << 10, GZIP_WINDOW_BITS = 15 + 16 };

static size_t read_max = SIZE_MAX;

static size_t read_call_count;

/* As from a pipe that is filled slowly, interrupted by signals. */
ssize_t read(int fd, void *bytes, size_t room)
{
    read_call_count++;
    if (read_max < SIZE_MAX && read_call_count % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return (ssize_t)syscall(SYS_read, fd, bytes, room < read_max ? room : read_max);
}

static inline int remove_scratch(void **state)
{
    scratch *made = *state;
    read_max = SIZE_MAX;
    unlink(made->path);
    unlink(made->other_path);
    int result = rmdir(made->folder);
    free(made);
    return result;
}

/* A new file each time: ext4 writes one that was cut to nothing to disk at once. */
static inline void write_file(const char *path, tacho_str bytes)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

static inline tacho_str compress_gzip(tacho_str text)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    size_t room = deflateBound(&stream, (uLong)text.len);
    char *packed = malloc(room);
    assert_non_null(packed);
    stream.next_in = (Bytef *)(uintptr_t)text.data;
    stream.avail_in = (uInt)text.len;
    stream.next_out = (Bytef *)packed;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t len = room - stream.avail_out;
    assert_int_equal(deflateEnd(&stream), Z_OK);
    return tacho_str_make(packed, len);
}

static inline tacho_str compress_zstd(tacho_str text)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
    size_t room = ZSTD_compressBound(text.len);
    char *packed = malloc(room);
    assert_non_null(packed);
    size_t len = ZSTD_compress2(context, packed, room, text.data, text.len);
    assert_false(ZSTD_isError(len));
    ZSTD_freeCCtx(context);
    return tacho_str_make(packed, len);
}

typedef tacho_str compress_function(tacho_str text);

static compress_function *const compressors[2] = {compress_gzip, compress_zstd};

static const char *const compressor_names[2] = {"gzip", "zstd"};

static inline void discard(tacho_str text)
{
    free((void *)(uintptr_t)text.data);
}

/* Reads every line and joins them again, each with a '|' after it. */
static inline char *join_lines(tacho_input *input)
{
    char *joined = calloc(1, 1);
    assert_non_null(joined);
    size_t len = 0;
    uint64_t line_count = input->line_number;
    for (;;) {
        tacho_str line = {0};
        bool got = false;
        assert_null(tacho_input_line(input, &line, &got));
        if (!got) {
            assert_int_equal(line.len, 0);
            break;
        }
        line_count++;
        assert_int_equal(input->line_number, line_count);
        joined = realloc(joined, len + line.len + 2);
        assert_non_null(joined);
        memcpy(joined + len, line.data, line.len);
        len += line.len;
        joined[len++] = '|';
        joined[len] = '\0';
    }
    return joined;
}

static inline void check_lines(tacho_input *input, size_t text_len, const char *expected)
{
    char *joined = join_lines(input);
    assert_string_equal(joined, expected);
    assert_int_equal(tacho_input_offset(input), text_len);
    assert_null(tacho_input_damage(input));
    /* The end stays the end. */
    tacho_str line = {0};
    bool got = true;
    assert_null(tacho_input_line(input, &line, &got));
    assert_false(got);
    free(joined);
}

/* Reads |text| from a file and from memory, in the form that |packed| has. */
static inline void check_lines_of(const scratch *made, tacho_str packed, tacho_str text,
                                  const char *expected)
{
    tacho_input input;
    write_file(made->path, packed);
    assert_null(tacho_input_open(made->path, &input));
    check_lines(&input, text.len, expected);
    tacho_input_close(&input);
    assert_null(tacho_input_open_bytes("bytes", packed, &input));
    check_lines(&input, text.len, expected);
    tacho_input_close(&input);
}

/* Text whose line |i| is i and as many dots, and ends in LF or CR LF: lines meet every border. */
static inline tacho_str make_long_text(size_t line_count)
{
    size_t room = line_count * (line_count % 1000 + 1000);
    char *text = malloc(room);
    assert_non_null(text);
    size_t len = 0;
    for (size_t i = 0; i < line_count; i++) {
        len += (size_t)snprintf(text + len, room - len, "%zu", i);
        memset(text + len, '.', i % 997);
        len += i % 997;
        text[len] = '\r';
        len += i % 2;
        text[len++] = '\n';
    }
    return tacho_str_make(text, len);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)

#endif
