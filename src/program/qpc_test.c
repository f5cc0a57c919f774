/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers: the bytes that are written, files as other writers make them, and everything that is
 * refused, with the byte that the message names.
 */
#define _DEFAULT_SOURCE /* memory that is only reserved */
#include "program/qpc.h"

#include "program/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { HEADER = 40, ROW = 32 };

/* A container made here, field by field, as other tools would. */
typedef struct foreign {
    unsigned char bytes[1024];
    size_t len;
} foreign;

static void put(foreign *file, size_t at, uint64_t value, size_t width)
{
    tacho_bytes_store(file->bytes + at, value, width);
}

/* Two segments, "a" with 3 bytes at 109 and "bc" with 5 at 112, pointers from |base|. */
static foreign make_foreign(uint64_t base)
{
    foreign file = {.len = 117};
    put(&file, 0, 0x00a1cd7c, 4);
    put(&file, 5, 1, 1);
    put(&file, 6, 1, 2);
    put(&file, 8, file.len, 8);
    put(&file, 16, base, 8);
    put(&file, 24, 2, 8);
    put(&file, 32, base + HEADER, 8);
    put(&file, HEADER, 3, 8);
    put(&file, HEADER + ROW, 5, 8);
    put(&file, HEADER + ROW + 8, 77, 8);
    put(&file, HEADER + 16, base + 104, 8);
    put(&file, HEADER + 24, base + 109, 8);
    put(&file, HEADER + ROW + 16, base + 106, 8);
    put(&file, HEADER + ROW + 24, base + 112, 8);
    memcpy(file.bytes + 104, "a\0bc\0xyz12345", 13);
    return file;
}

static tacho_str view(const foreign *file)
{
    return tacho_str_make((const char *)file->bytes, file->len);
}

static void check_refused(tacho_str bytes, tacho_code code, const char *message)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_qpc qpc;
    tacho_status status = tacho_qpc_read(bytes, &arena, &qpc);
    assert_non_null(status);
    assert_string_equal(tacho_status_message(status), message);
    assert_int_equal(tacho_status_code(status), code);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
}

static void check_foreign(uint64_t base)
{
    foreign file = make_foreign(base);
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_qpc qpc;
    assert_null(tacho_qpc_read(view(&file), &arena, &qpc));
    assert_true(qpc.base == base);
    assert_int_equal(qpc.segment_count, 2);
    assert_true(tacho_str_equal(qpc.segments[0].name, TACHO_STR("a")));
    assert_true(tacho_str_equal(qpc.segments[0].data, TACHO_STR("xyz")));
    assert_int_equal(qpc.segments[0].place, 109);
    assert_int_equal(qpc.segments[0].offset, 0);
    const tacho_qpc_segment *found = tacho_qpc_find(&qpc, TACHO_STR("bc"));
    assert_ptr_equal(found, &qpc.segments[1]);
    assert_true(tacho_str_equal(found->data, TACHO_STR("12345")));
    assert_int_equal(found->place, 112);
    assert_int_equal(found->offset, 77);
    assert_null(tacho_qpc_find(&qpc, TACHO_STR("b")));
    tacho_arena_deinit(&arena);
}

/* Files whose pointers are heap addresses, up to the end of the address space. */
static void test_foreign(void **state)
{
    (void)state;
    check_foreign(0);
    check_foreign(0x7f3a5c001230);
    check_foreign(UINT64_MAX - 117);
}

static void test_write(void **state)
{
    (void)state;
    const tacho_qpc_segment segments[] = {
        {.name = TACHO_STR_INIT("one"), .data = TACHO_STR_INIT("123456789")},
        {.name = TACHO_STR_INIT("none")},
        {.name = TACHO_STR_INIT("two"), .offset = 2, .data = TACHO_STR_INIT("ab")},
    };
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_str head;
    assert_null(tacho_qpc_make_head(segments, 3, &arena, &head));
    assert_int_equal(head.len, 152); /* 40 + 3 * 32 + 4 + 5 + 4 = 149, aligned */
    tacho_output output;
    open_test_output(&output);
    tacho_output_write_str(&output, head);
    tacho_qpc_write(segments, 3, head.len, &output);
    char bytes[256];
    size_t len = read_test_output(&output, bytes, sizeof(bytes));
    assert_int_equal(len, 170);
    static const unsigned char header[HEADER] = {0x7c, 0xcd, 0xa1, 0, 0, 1, 1, 0, 170, 0, 0,
                                                 0,    0,    0,    0, 0, 0, 0, 0, 0,   0, 0,
                                                 0,    0,    3,    0, 0, 0, 0, 0, 0,   0, 40};
    assert_memory_equal(bytes, header, HEADER);
    tacho_qpc qpc;
    assert_null(tacho_qpc_read(tacho_str_make(bytes, len), &arena, &qpc));
    assert_int_equal(qpc.segment_count, 3);
    static const uint64_t places[] = {152, 168, 168};
    for (size_t i = 0; i < 3; i++) {
        assert_true(tacho_str_equal(qpc.segments[i].name, segments[i].name));
        assert_true(tacho_str_equal(qpc.segments[i].data, segments[i].data));
        assert_int_equal(qpc.segments[i].offset, segments[i].offset);
        assert_int_equal(qpc.segments[i].place, places[i]);
    }
    assert_null(tacho_qpc_make_head(NULL, 0, &arena, &head));
    assert_int_equal(head.len, 40);
    assert_null(tacho_qpc_read(head, &arena, &qpc));
    assert_int_equal(qpc.segment_count, 0);
    tacho_arena_deinit(&arena);
}

/* One field of the file with base 4096 changed, and the message about it. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at, width;
        uint64_t value;
        tacho_code code;
        const char *message;
    } cases[] = {
        {0, 4, 1, TACHO_CODE_BAD_DATA,
         "container, byte 0: magic: expected 0x00a1cd7c, found 0x00000001"},
        {4, 2, 0x0201, TACHO_CODE_UNSUPPORTED,
         "container, byte 4: version: expected 0.1, found 1.2"},
        {6, 2, 0, TACHO_CODE_BAD_DATA, "container, byte 6: form of the file: expected 1, found 0"},
        {8, 8, 118, TACHO_CODE_BAD_DATA,
         "the container is cut short: its header says 118 bytes, it has 117"},
        {24, 8, 4097, TACHO_CODE_LIMIT,
         "container, byte 24: number of segments: expected at most 4096, found 4097"},
        {24, 8, UINT64_MAX, TACHO_CODE_LIMIT,
         "container, byte 24: number of segments: expected at most 4096, found "
         "18446744073709551615"},
        {24, 8, 4096, TACHO_CODE_BAD_DATA,
         "container, byte 32: pointer to the segment table: expected 131072 bytes within the "
         "file's 117, found them at byte 40"},
        {32, 8, 4095, TACHO_CODE_BAD_DATA,
         "container, byte 32: pointer to the segment table: expected at least the base, 0x1000, "
         "found 0xfff"},
        {40, 8, 9, TACHO_CODE_BAD_DATA,
         "container, byte 64: pointer to data: expected 9 bytes within the file's 117, found them "
         "at byte 109"},
        {40, 8, 4, TACHO_CODE_BAD_DATA,
         "container, byte 112: two things in one place: expected the data of segment 2 to start "
         "at byte 113 or later, where the data of segment 1 ends, found it at byte 112"},
        {56, 8, 4096 + 117, TACHO_CODE_BAD_DATA,
         "container, byte 56: pointer to a name: expected 1 bytes within the file's 117, found "
         "them at byte 117"},
        {56, 8, 4096 + 115, TACHO_CODE_BAD_DATA,
         "container, byte 115: a name: expected a NUL within 2 bytes, found none"},
        {56, 8, 4096 + 106, TACHO_CODE_BAD_DATA,
         "container, byte 106: two things in one place: expected the name of segment 2 to start "
         "at byte 109 or later, where the name of segment 1 ends, found it at byte 106"},
        {64, 8, 4096 + 30, TACHO_CODE_BAD_DATA,
         "container, byte 30: two things in one place: expected the data of segment 1 to start at "
         "byte 40 or later, where the header ends, found it at byte 30"},
        {64, 8, 4096 + 101, TACHO_CODE_BAD_DATA,
         "container, byte 101: two things in one place: expected the data of segment 1 to start "
         "at byte 104 or later, where the segment table ends, found it at byte 101"},
        {64, 8, 0, TACHO_CODE_BAD_DATA,
         "container, byte 64: pointer to data: expected at least the base, 0x1000, found 0x0"},
        {64, 8, UINT64_MAX, TACHO_CODE_BAD_DATA,
         "container, byte 64: pointer to data: expected 3 bytes within the file's 117, found them "
         "at byte 18446744073709547519"},
        {72, 8, UINT64_MAX, TACHO_CODE_BAD_DATA,
         "container, byte 96: pointer to data: expected 18446744073709551615 bytes within the "
         "file's 117, found them at byte 112"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        foreign file = make_foreign(4096);
        put(&file, cases[i].at, cases[i].value, cases[i].width);
        check_refused(view(&file), cases[i].code, cases[i].message);
    }
}

static void test_table_on_header(void **state)
{
    (void)state;
    foreign file = make_foreign(0);
    memmove(file.bytes + 32, file.bytes + HEADER, 2 * ROW);
    put(&file, 32, 32, 8); /* the table's own first field: 32 bytes of data */
    put(&file, 32 + 16, 104, 8);
    check_refused(view(&file), TACHO_CODE_BAD_DATA,
                  "container, byte 56: pointer to data: expected 32 bytes within the file's 117, "
                  "found them at byte 109");
    put(&file, 32 + 24, 70, 8);
    check_refused(view(&file), TACHO_CODE_BAD_DATA,
                  "container, byte 32: two things in one place: expected the segment table to "
                  "start at byte 40 or later, where the header ends, found it at byte 32");
}

static void test_same_name(void **state)
{
    (void)state;
    foreign file = make_foreign(0);
    memcpy(file.bytes + 104, "a\0a\0", 4);
    check_refused(view(&file), TACHO_CODE_BAD_DATA,
                  "container, byte 106: a name: expected another than 'a', which two segments "
                  "have");
}

/* A failure names the file first, and keeps its code. */
static void test_named(void **state)
{
    (void)state;
    foreign file = make_foreign(0);
    tacho_arena arena;
    tacho_qpc qpc;
    tacho_arena_init(&arena);
    assert_null(tacho_qpc_read_named("a.qpc", view(&file), &arena, &qpc));
    tacho_status status =
        tacho_qpc_read_named("a.qpc", tacho_str_make((const char *)file.bytes, 10), &arena, &qpc);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_ptr_equal(strstr(tacho_status_message(status), "a.qpc: container"),
                     tacho_status_message(status));
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
}

/* No cut file is taken for a whole one. */
static void test_cut(void **state)
{
    (void)state;
    foreign file = make_foreign(1 << 20);
    for (size_t len = 0; len < file.len; len++) {
        unsigned char *cut = malloc(len + 1); /* so that a sanitizer sees a read past the end */
        assert_non_null(cut);
        memcpy(cut, file.bytes, len);
        for (int has_size = 0; has_size < 2; has_size++) {
            if (has_size && len >= 16) {
                tacho_bytes_store(cut + 8, len, 8);
            }
            tacho_arena arena;
            tacho_arena_init(&arena);
            tacho_qpc qpc;
            tacho_status status =
                tacho_qpc_read(tacho_str_make((const char *)cut, len), &arena, &qpc);
            assert_non_null(status);
            tacho_status_free(status);
            tacho_arena_deinit(&arena);
        }
        free(cut);
    }
}

/* Data beyond 4 GiB, in memory that is only reserved. */
static void test_large(void **state)
{
    (void)state;
    const uint64_t size = ((uint64_t)5 << 30) + 3;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        skip();
    }
    foreign file = make_foreign(0);
    put(&file, 8, size, 8);
    put(&file, HEADER, size - 3 - 120, 8);
    put(&file, HEADER + 24, 120, 8);
    put(&file, HEADER + ROW, 3, 8);
    put(&file, HEADER + ROW + 24, size - 3, 8);
    memcpy(memory, file.bytes, 110);
    memcpy((char *)memory + size - 3, "end", 3);
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_qpc qpc;
    assert_null(tacho_qpc_read(tacho_str_make(memory, size), &arena, &qpc));
    assert_true(qpc.segments[0].data.len == size - 123);
    assert_true(tacho_str_equal(qpc.segments[1].data, TACHO_STR("end")));
    const tacho_qpc_segment large[] = {
        {.name = TACHO_STR_INIT("x"), .data = {NULL, (size_t)6 << 30}},
        {.name = TACHO_STR_INIT("y"), .data = {NULL, 1}},
    };
    tacho_str head;
    assert_null(tacho_qpc_make_head(large, 2, &arena, &head));
    assert_true(tacho_bytes_load(head.data + HEADER + ROW + 24, 8) == ((uint64_t)6 << 30) + 112);
    assert_true(tacho_bytes_load(head.data + 8, 8) == ((uint64_t)6 << 30) + 113);
    tacho_arena_deinit(&arena);
    munmap(memory, size);
}

static void test_many(void **state)
{
    (void)state;
    enum { COUNT = TACHO_QPC_SEGMENTS_MAX };
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_qpc_segment *segments = calloc(COUNT, sizeof(*segments));
    assert_non_null(segments);
    char names[COUNT][8];
    for (int i = 0; i < COUNT; i++) {
        int len = snprintf(names[i], sizeof(names[i]), "s%d", i);
        segments[i].name = tacho_str_make(names[i], (size_t)len);
    }
    tacho_str head;
    assert_null(tacho_qpc_make_head(segments, COUNT, &arena, &head));
    tacho_qpc qpc;
    assert_null(tacho_qpc_read(head, &arena, &qpc));
    assert_int_equal(qpc.segment_count, COUNT);
    assert_true(tacho_str_equal(qpc.segments[4095].name, TACHO_STR("s4095")));
    free(segments);
    tacho_arena_deinit(&arena);
}

static void test_is_container(void **state)
{
    (void)state;
    assert_true(tacho_qpc_is_container(TACHO_STR("\x7c\xcd\xa1\0")));
    assert_false(tacho_qpc_is_container(TACHO_STR("\x7c\xcd\xa1")));
    assert_false(tacho_qpc_is_container(TACHO_STR("\x7c\xcd\xa1\1")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign),   cmocka_unit_test(test_write),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_table_on_header),
        cmocka_unit_test(test_same_name), cmocka_unit_test(test_named),
        cmocka_unit_test(test_cut),       cmocka_unit_test(test_large),
        cmocka_unit_test(test_many),      cmocka_unit_test(test_is_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
