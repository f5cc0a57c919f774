/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each mutator keeps: JSON stays JSON, messages stay messages, lines keep their neighbours,
 * and checksums, seals and packed blocks are right, change after change. Seeds are those of the
 * fuzzers.
 */
#include "mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec/chunk.h"
#include "codec/json_reader.h"
#include "codec/protobuf.h"
#include "codec/tracy_container.h"
#include "program/bytes.h"
#include "program/container.h"
#include "program/program_testing.h"
#include "program/seal.h"
#include "sources/tracy/tracy_file_testing.h"

enum { ROUNDS = 2000, ROOM = MUTATION_INPUT_MAX };

/* libFuzzer's, for the test: one byte becomes another. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)max_size;
    if (size > 0) {
        data[size / 2]++;
    }
    return size;
}

typedef struct bytes {
    uint8_t data[ROOM];
    size_t size;
} bytes;

static void read_seed(const char *path, bytes *out)
{
    char whole[4096];
    snprintf(whole, sizeof(whole), "%s/../fuzz/corpus/%s", TACHO_TEST_DATA, path);
    FILE *file = fopen(whole, "rb");
    assert_non_null(file);
    out->size = fread(out->data, 1, ROOM, file);
    fclose(file);
    assert_in_range(out->size, 1, ROOM - 1);
}

static tacho_str view(const bytes *from)
{
    return tacho_str_make((const char *)from->data, from->size);
}

typedef bool (*mutate_function)(mutation *self);
typedef bool (*check_function)(const bytes *made);

/*
 * ROUNDS changes of |seed|, in chains of 8, each of which |is_sound| accepts; most make something
 * else. |kept| percent have to be sound.
 */
static void check(const bytes *seed, mutate_function mutate, check_function is_sound, size_t kept)
{
    static uint8_t made[MUTATION_ROOM];
    static bytes now;
    size_t sound = 0, done = 0, other = 0;
    assert_true(is_sound(seed));
    for (size_t i = 0; i < ROUNDS; i++) {
        now = i % 8 == 0 ? *seed : now;
        mutation self = {.data = now.data, .size = now.size, .seed = i, .made = made};
        if (!mutate(&self) || self.is_full || self.made_len >= ROOM) {
            now = *seed;
            continue;
        }
        other += self.made_len != now.size || memcmp(made, now.data, now.size) != 0;
        done++;
        memcpy(now.data, made, self.made_len);
        now.size = self.made_len;
        sound += is_sound(&now);
    }
    assert_in_range(done, ROUNDS / 2, ROUNDS);
    assert_in_range(other, done * 2 / 3, done);
    if (sound * 100 < done * kept) {
        fail_msg("%zu of %zu are sound", sound, done);
    }
}

static bool is_json(const bytes *made)
{
    const tacho_json_options options = {.is_lenient = true};
    tacho_input input;
    tacho_json_reader reader;
    tacho_json_token token = TACHO_JSON_NULL;
    assert_null(tacho_input_open_bytes("json", view(made), &input));
    assert_null(tacho_json_reader_init(&reader, &input, &options));
    tacho_status status = TACHO_OK;
    while (status == TACHO_OK && token != TACHO_JSON_END) {
        status = tacho_json_next(&reader, &token);
    }
    bool is_whole = status == TACHO_OK;
    tacho_status_free(status);
    tacho_json_reader_deinit(&reader);
    tacho_input_close(&input);
    return is_whole;
}

/* Members and elements now and then change places, which is an error of JSON; most do not. */
static void test_json(void **state)
{
    (void)state;
    static const char text[] =
        "{\"traceEvents\": [{\"ph\":\"X\",\"name\":\"a\",\"ts\":1.5,\"dur\":2,\"args\":{\"k\":[1,"
        "{\"x\":null}]}},{\"ph\":\"C\",\"name\":\"b, }\\\"\",\"ts\":3}],\"other\":true}";
    static bytes seed;
    memcpy(seed.data, text, sizeof(text) - 1);
    seed.size = sizeof(text) - 1;
    check(&seed, mutate_json, is_json, 85);
}

static bool is_message(const bytes *made)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    bool got = true;
    tacho_pb_reader_init(&reader, view(made));
    tacho_status status = TACHO_OK;
    while (status == TACHO_OK && got) {
        status = tacho_pb_next(&reader, &field, &got);
    }
    bool is_whole = status == TACHO_OK;
    tacho_status_free(status);
    return is_whole;
}

static void test_protobuf(void **state)
{
    (void)state;
    static bytes seed;
    unsigned char *at = seed.data;
    unsigned char *outer = at = tacho_pb_open(at, 1);
    unsigned char *inner = at = tacho_pb_open(at, 300);
    at = tacho_pb_put_uint(at, 2, 1000);
    at = tacho_pb_put_fixed64(at, 3, 7);
    at = tacho_pb_put_bytes(at, 4, TACHO_STR("a name"));
    at = tacho_pb_close(inner, at);
    at = tacho_pb_put_uint(at, 5, 1);
    at = tacho_pb_close(outer, at);
    at = tacho_pb_put_bytes(at, 1, TACHO_STR("\x08\x01\x12\x02xy"));
    seed.size = (size_t)(at - seed.data);
    check(&seed, mutate_protobuf, is_message, 100);
}

static size_t count_byte(const bytes *from, uint8_t byte)
{
    size_t count = 0;
    for (size_t i = 0; i < from->size; i++) {
        count += from->data[i] == byte;
    }
    return count;
}

/* Fields of a line change: the number of lines stays. */
static bool has_lines(const bytes *made)
{
    return count_byte(made, '\n') == 3;
}

static bool is_text(const bytes *made)
{
    return count_byte(made, '\0') == 0;
}

static void test_texts(void **state)
{
    (void)state;
    static const char text[] = "id,name,time\n1,\"a,b\",10\n2,c,20\n3,d,30";
    static bytes seed;
    memcpy(seed.data, text, sizeof(text) - 1);
    seed.size = sizeof(text) - 1;
    check(&seed, mutate_table, has_lines, 100);
    check(&seed, mutate_lines, is_text, 100);
}

static bool has_whole_chunks(const bytes *made)
{
    tacho_chunk_reader reader;
    tacho_chunk chunk;
    uint32_t kind = (uint32_t)tacho_bytes_load(made->data + 8, 4);
    tacho_status status = tacho_chunk_open(&reader, view(made), kind);
    while (status == TACHO_OK && tacho_chunk_next(&reader, &chunk)) {
    }
    bool is_whole = status == TACHO_OK && reader.damaged_bytes == 0 && reader.missing_count == 0;
    tacho_status_free(status);
    return is_whole;
}

static void test_chunks(void **state)
{
    (void)state;
    enum { KIND = 77 };
    static bytes seed;
    static const unsigned char records[64] = {1, 2, 3};
    tacho_output output = {.buffer = seed.data, .cursor = seed.data, .limit = seed.data + ROOM};
    tacho_chunk_writer writer;
    output.fd = output.folder_fd = -1;
    tacho_chunk_begin(&writer, &output, KIND);
    for (uint32_t i = 1; i <= 3; i++) {
        const tacho_chunk chunk = {
            .type = i,
            .version = 1,
            .record_size = 8 * (i - 1) + 1,
            .record_count = i,
            .payload = tacho_str_make((const char *)records, (8 * (i - 1) + 1) * i)};
        tacho_chunk_write(&writer, &chunk);
    }
    seed.size = (size_t)(output.cursor - seed.data);
    check(&seed, mutate_chunks, has_whole_chunks, 100);
}

static bool is_sealed(const bytes *made)
{
    tacho_arena arena;
    tacho_qpc qpc;
    tacho_arena_init(&arena);
    tacho_status status = tacho_qpc_read(view(made), &arena, &qpc);
    if (status == TACHO_OK) {
        status = tacho_seal_check(&qpc);
    }
    bool is_sound = status == TACHO_OK;
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return is_sound;
}

static void test_sealed(void **state)
{
    (void)state;
    static bytes seed;
    tacho_program program;
    tacho_output output = {.buffer = seed.data, .cursor = seed.data, .limit = seed.data + ROOM};
    output.fd = output.folder_fd = -1;
    assert_null(tacho_program_init(&program));
    assert_null(make_test_program(&program));
    assert_null(tacho_program_write_to(&program, &output));
    tacho_program_deinit(&program);
    seed.size = (size_t)(output.cursor - seed.data);
    check(&seed, mutate_sealed, is_sealed, 100);
}

static bool is_packed(const bytes *made)
{
    tacho_input input;
    tacho_tracy_container container;
    tacho_str block = TACHO_STR("x");
    assert_null(tacho_input_open_bytes("tracy", view(made), &input));
    tacho_status status = tacho_tracy_container_open(&container, &input);
    while (status == TACHO_OK && block.len > 0) {
        status = tacho_tracy_container_next(&container, &block);
    }
    bool is_sound = status == TACHO_OK && container.damage == NULL;
    tacho_tracy_container_close(&container);
    tacho_input_close(&input);
    tacho_status_free(status);
    return is_sound;
}

static void test_tracy(void **state)
{
    (void)state;
    static bytes seed;
    for (int kind = 0; kind < COMPOSED_CONTAINERS; kind++) {
        composed body, file;
        composed_init(&body);
        composed_init(&file);
        composed_body(&body, TRACY_VERSION(0, 13, 1));
        composed_pack(&file, &body, (composed_container)kind, 512);
        memcpy(seed.data, file.bytes, file.len);
        seed.size = file.len;
        free(body.bytes);
        free(file.bytes);
        check(&seed, mutate_tracy, is_packed, 100);
    }
}

static const fuzz_layout pieces = {.piece_head_bytes = 3, .length_at = 1};

static bool mutate_test_pieces(mutation *self)
{
    return mutate_pieces(self, &pieces);
}

/* Whole pieces to the end. */
static bool has_whole_pieces(const bytes *made)
{
    size_t at = 0;
    while (at + 3 <= made->size) {
        at += 3 + (size_t)tacho_bytes_load(made->data + at + 1, 2);
    }
    return at == made->size;
}

static void test_pieces(void **state)
{
    (void)state;
    static const uint8_t content[] = {1, 4, 0, 'a', 'b', 'c', 'd', 2, 0, 0, 3,
                                      9, 0, 1, 2,   3,   4,   5,   6, 7, 8, 9};
    static bytes seed;
    memcpy(seed.data, content, sizeof(content));
    seed.size = sizeof(content);
    check(&seed, mutate_test_pieces, has_whole_pieces, 100);
}

/* By its content each seed finds its mutator, and equal numbers give equal changes. */
static void test_choice(void **state)
{
    (void)state;
    static const char *const seeds[] = {"fuzz_chrome/own", "fuzz_csv/timeline_t1"};
    static bytes one, two;
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
        size_t changed = 0;
        for (unsigned seed = 0; seed < 100; seed++) {
            read_seed(seeds[i], &one);
            two = one;
            size_t before = one.size;
            one.size = LLVMFuzzerCustomMutator(one.data, one.size, ROOM, seed);
            two.size = LLVMFuzzerCustomMutator(two.data, two.size, ROOM, seed);
            assert_int_equal(one.size, two.size);
            assert_memory_equal(one.data, two.data, one.size);
            changed += one.size != before;
        }
        assert_in_range(changed, 40, 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),   cmocka_unit_test(test_protobuf),
        cmocka_unit_test(test_texts),  cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_sealed), cmocka_unit_test(test_tracy),
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
