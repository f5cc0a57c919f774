/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunk files are read back as written; a file that was cut anywhere, or has any bit flipped, gives
 * every complete chunk and no other one, and the missing ones are reported.
 */
#include "codec/chunk.h"

#include "codec/crc32c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/output_testing.h"

#define KIND TACHO_FOURCC('T', 'E', 'S', 'T')

enum { ROOM = 4096, CHUNKS = 4 };

/* Sizes that need padding and that do not, and none at all. */
static const struct {
    uint32_t record_size, record_count;
} sizes[CHUNKS] = {{8, 3}, {5, 1}, {1, 0}, {24, 10}};

static char payload[CHUNKS][256];

static tacho_chunk make_chunk(uint32_t index)
{
    size_t len = (size_t)sizes[index].record_size * sizes[index].record_count;
    for (size_t i = 0; i < len; i++) {
        payload[index][i] = (char)(37 * i + index);
    }
    return (tacho_chunk){
        .type = TACHO_FOURCC('A', 'B', 'C', '0' + index),
        .version = 1,
        .flags = (uint16_t)(index + 5),
        .stream = 1000 + index,
        .record_size = sizes[index].record_size,
        .record_count = sizes[index].record_count,
        .payload = tacho_str_make(payload[index], len),
    };
}

static size_t write_file(char *bytes, uint64_t *out_ends)
{
    tacho_output output;
    tacho_chunk_writer writer;
    open_test_output(&output);
    tacho_chunk_begin(&writer, &output, KIND);
    for (uint32_t i = 0; i < CHUNKS; i++) {
        tacho_chunk chunk = make_chunk(i);
        tacho_chunk_write(&writer, &chunk);
        out_ends[i] = tacho_output_offset(&output);
    }
    return read_test_output(&output, bytes, ROOM);
}

static void check_chunk(const tacho_chunk *chunk)
{
    assert_in_range(chunk->sequence, 0, CHUNKS - 1);
    tacho_chunk expected = make_chunk(chunk->sequence);
    assert_int_equal(chunk->type, expected.type);
    assert_int_equal(chunk->version, 1);
    assert_int_equal(chunk->flags, expected.flags);
    assert_int_equal(chunk->stream, expected.stream);
    assert_int_equal(chunk->record_size, expected.record_size);
    assert_int_equal(chunk->record_count, expected.record_count);
    assert_true(tacho_str_equal(chunk->payload, expected.payload));
}

/* Reads |bytes|; returns the number of whole chunks. */
static uint64_t read_all(tacho_str bytes, tacho_chunk_reader *reader)
{
    tacho_chunk chunk;
    tacho_status status = tacho_chunk_open(reader, bytes, KIND);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return UINT64_MAX;
    }
    while (tacho_chunk_next(reader, &chunk)) {
        check_chunk(&chunk);
    }
    return reader->chunk_count;
}

static void test_round_trip(void **state)
{
    (void)state;
    char bytes[ROOM];
    uint64_t ends[CHUNKS];
    tacho_chunk_reader reader;
    size_t len = write_file(bytes, ends);
    assert_int_equal(ends[0], TACHO_CHUNK_FILE_BYTES + TACHO_CHUNK_OVERHEAD + 24);
    assert_int_equal(ends[1], ends[0] + TACHO_CHUNK_OVERHEAD + 8);
    assert_int_equal(ends[2], ends[1] + TACHO_CHUNK_OVERHEAD);
    assert_int_equal(ends[3], len);
    assert_int_equal(read_all(tacho_str_make(bytes, len), &reader), CHUNKS);
    assert_int_equal(reader.damaged_bytes, 0);
    assert_int_equal(reader.missing_count, 0);
    assert_false(tacho_chunk_is_file(tacho_str_make(bytes, len), KIND + 1));
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    char bytes[ROOM];
    uint64_t ends[CHUNKS];
    tacho_chunk_reader reader;
    size_t len = write_file(bytes, ends);
    for (size_t cut = 0; cut <= len; cut++) {
        uint64_t count = read_all(tacho_str_make(bytes, cut), &reader);
        if (cut < TACHO_CHUNK_FILE_BYTES) {
            assert_int_equal(count, UINT64_MAX);
            continue;
        }
        uint64_t whole = 0;
        uint64_t end = TACHO_CHUNK_FILE_BYTES;
        while (whole < CHUNKS && ends[whole] <= cut) {
            end = ends[whole++];
        }
        assert_int_equal(count, whole);
        assert_int_equal(reader.damaged_bytes, cut - end);
        assert_int_equal(reader.first_damage, cut > end ? end : 0);
    }
}

/* One bit costs the chunk that contains it, or the file. */
static void test_any_bit(void **state)
{
    (void)state;
    char bytes[ROOM];
    uint64_t ends[CHUNKS];
    tacho_chunk_reader reader;
    size_t len = write_file(bytes, ends);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        uint64_t count = read_all(tacho_str_make(bytes, len), &reader);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        if (bit / 8 < TACHO_CHUNK_FILE_BYTES) {
            assert_int_equal(count, UINT64_MAX);
            continue;
        }
        size_t hit = 0;
        while (ends[hit] <= bit / 8) {
            hit++;
        }
        uint64_t begin = hit > 0 ? ends[hit - 1] : TACHO_CHUNK_FILE_BYTES;
        bool is_second_sequence = bit / 8 >= ends[hit] - 4; /* a copy, for those who read back */
        if (is_second_sequence && count == CHUNKS) {
            continue;
        }
        assert_int_equal(count, CHUNKS - 1);
        assert_int_equal(reader.damaged_bytes, ends[hit] - begin);
        assert_int_equal(reader.first_damage, begin);
        assert_int_equal(reader.missing_count, hit + 1 < CHUNKS ? 1 : 0);
    }
}

/* Rubbish between chunks, and a chunk whose length exceeds the file. */
static void test_rubbish(void **state)
{
    (void)state;
    char bytes[ROOM];
    char more[ROOM + 100];
    uint64_t ends[CHUNKS];
    tacho_chunk_reader reader;
    size_t len = write_file(bytes, ends);
    memcpy(more, bytes, ends[0]);
    memset(more + ends[0], 'T', 99);
    memcpy(more + ends[0] + 99, bytes + ends[0], len - ends[0]);
    assert_int_equal(read_all(tacho_str_make(more, len + 99), &reader), CHUNKS);
    assert_int_equal(reader.damaged_bytes, 99);
    assert_int_equal(reader.first_damage, ends[0]);
    assert_int_equal(reader.missing_count, 0);
}

/* Another version with a sound header is not damage; with another checksum it is. */
static void test_version(void **state)
{
    (void)state;
    enum { VERSION_AT = 12, SUM_AT = 28 };
    char bytes[ROOM];
    uint64_t ends[CHUNKS];
    tacho_chunk_reader reader;
    size_t len = write_file(bytes, ends);
    bytes[VERSION_AT] = TACHO_CHUNK_VERSION + 1;
    tacho_status status = tacho_chunk_open(&reader, tacho_str_make(bytes, len), KIND);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_non_null(strstr(tacho_status_message(status), "byte 28: the header's checksum"));
    tacho_status_free(status);
    uint32_t sum = tacho_crc32c(0, tacho_str_make(bytes, SUM_AT));
    memcpy(bytes + SUM_AT, &sum, sizeof(sum));
    status = tacho_chunk_open(&reader, tacho_str_make(bytes, len), KIND);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_UNSUPPORTED);
    assert_non_null(strstr(tacho_status_message(status), "byte 12: a file of version 2, of which "
                                                         "this tacho knows only 1"));
    tacho_status_free(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_any_bit),
        cmocka_unit_test(test_rubbish),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
