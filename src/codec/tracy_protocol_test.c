/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of Tracy's protocols against numbers that clients of each version use.
 */
#include "codec/tracy_block.h"
#include "codec/tracy_protocol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Type bytes and sizes as clients of each version use them; -1 where they have none. */
static const struct {
    tacho_tracy_event event;
    struct {
        int type, bytes;
    } in[11]; /* 63, 64, 66, 66 fork, 69, 74, 76, 77, 77 fork, 82, 83 */
} known[] = {
#define EVERY(b)                                                                                   \
    {0, b}, {0, b}, {0, b}, {0, b}, {0, b}, {0, b}, {0, b}, {0, b}, {0, b},                        \
    {                                                                                              \
        0, b                                                                                       \
    }
    {TACHO_TRACY_ZONE_TEXT, {EVERY(1), {0, 1}}},
#undef EVERY
    {TACHO_TRACY_MESSAGE,
     {{2, 9}, {2, 9}, {2, 9}, {2, 9}, {2, 9}, {2, 9}, {2, 9}, {2, 10}, {2, 10}, {2, 10}, {2, 10}}},
    {TACHO_TRACY_ZONE_BEGIN,
     {{15, 17},
      {15, 17},
      {15, 17},
      {15, 17},
      {15, 17},
      {15, 17},
      {15, 17},
      {15, 17},
      {15, 17},
      {19, 17},
      {19, 17}}},
    {TACHO_TRACY_ZONE_END_16,
     {{-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {27, 3},
      {27, 3}}},
    {TACHO_TRACY_GPU_ZONE_BEGIN,
     {{33, 24},
      {33, 24},
      {33, 24},
      {33, 25},
      {33, 24},
      {35, 24},
      {35, 24},
      {35, 24},
      {35, 25},
      {45, 24},
      {45, 25}}},
    {TACHO_TRACY_GPU_ANNOTATION_NAME,
     {{-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {-1, 0},
      {52, 10},
      {52, 10},
      {52, 10},
      {62, 10},
      {62, 10}}},
    {TACHO_TRACY_FIBER_ENTER,
     {{55, 21},
      {55, 21},
      {55, 21},
      {55, 21},
      {55, 25},
      {57, 25},
      {58, 25},
      {58, 25},
      {58, 25},
      {68, 25},
      {70, 25}}},
    {TACHO_TRACY_GPU_TIME_SYNC,
     {{-1, 0},
      {-1, 0},
      {61, 18},
      {61, 19},
      {61, 18},
      {63, 18},
      {64, 18},
      {64, 18},
      {64, 19},
      {77, 18},
      {79, 19}}},
    {TACHO_TRACY_SYS_POWER_REPORT,
     {{-1, 0},
      {81, 25},
      {82, 25},
      {82, 25},
      {82, 25},
      {84, 25},
      {85, 25},
      {85, 25},
      {85, 25},
      {98, 25},
      {101, 25}}},
    {TACHO_TRACY_FIBER_NAME,
     {{109, 9},
      {110, 9},
      {111, 9},
      {111, 9},
      {112, 9},
      {114, 9},
      {116, 9},
      {116, 9},
      {116, 9},
      {131, 9},
      {134, 9}}},
};

static void test_numbers(void **state)
{
    static const struct {
        uint32_t number;
        bool is_fork;
    } versions[] = {
#define VERSION(number, is_fork) {number, is_fork},
        TACHO_TRACY_PROTOCOLS(VERSION)
#undef VERSION
    };
    (void)state;
    for (size_t v = 0; v < sizeof(versions) / sizeof(*versions); v++) {
        tacho_tracy_protocol protocol;
        assert_true(tacho_tracy_protocol_init(&protocol, versions[v].number, versions[v].is_fork));
        for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
            int type = tacho_tracy_type_of(&protocol, known[i].event);
            assert_int_equal(type, known[i].in[v].type);
            if (type >= 0) {
                assert_int_equal(protocol.types[type].bytes, known[i].in[v].bytes);
            }
        }
    }
}

static void test_what_is_spoken(void **state)
{
    tacho_tracy_protocol protocol;
    (void)state;
    assert_true(tacho_tracy_is_spoken(66) && tacho_tracy_is_ambiguous(66));
    assert_true(tacho_tracy_is_spoken(77) && tacho_tracy_is_ambiguous(77));
    assert_true(tacho_tracy_is_spoken(82) && !tacho_tracy_is_ambiguous(82));
    assert_false(tacho_tracy_is_spoken(81));
    assert_false(tacho_tracy_protocol_init(&protocol, 83, false));
    assert_false(tacho_tracy_protocol_init(&protocol, 82, true));
    size_t count = 0;
    while (tacho_tracy_number(count) != 0) {
        assert_true(tacho_tracy_is_spoken(tacho_tracy_number(count++)));
    }
    assert_int_equal(count, 9);
}

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

static void test_welcome(void **state)
{
    unsigned char bytes[TACHO_TRACY_WELCOME_MAX] = {0};
    const double mul = 0.5;
    tacho_tracy_welcome welcome;
    (void)state;
    for (unsigned number = 74; number <= 76; number += 2) {
        size_t shift = number <= 74 ? 8 : 0;
        memset(bytes, 0, sizeof(bytes));
        memcpy(bytes, &mul, sizeof(mul));
        put(bytes + 8, 1000, 8);
        put(bytes + 16, 2000, 8);
        put(bytes + 24 + shift + 24, 4321, 8);
        bytes[24 + shift + 40] = 1;
        memset(bytes + 24 + shift + 58, 'p', TACHO_TRACY_PROGRAM);
        memcpy(bytes + 24 + shift + 122, "host", 5);
        assert_int_equal(tacho_tracy_welcome_bytes(number), 1170 + shift);
        assert_true(tacho_tracy_welcome_parse(&welcome, number, bytes));
        assert_true(welcome.pid == 4321 && welcome.init_begin == 1000 && welcome.flags == 1);
        assert_int_equal(strlen(welcome.program), TACHO_TRACY_PROGRAM);
        assert_string_equal(welcome.host, "host");
    }
    put(bytes, UINT64_C(0x7ff8000000000000), 8); /* not a number */
    assert_false(tacho_tracy_welcome_parse(&welcome, 76, bytes));
    memcpy(bytes, &mul, sizeof(mul));
    put(bytes + 16, 999, 8); /* ends before it begins */
    assert_false(tacho_tracy_welcome_parse(&welcome, 76, bytes));
}

static void test_announcement(void **state)
{
    unsigned char bytes[64] = {0};
    tacho_tracy_announcement announcement;
    (void)state;
    put(bytes, 3, 2);
    put(bytes + 2, 8087, 2);
    put(bytes + 4, 82, 4);
    put(bytes + 8, 99, 8);
    put(bytes + 16, 6, 4);
    memcpy(bytes + 20, "tc", 3);
    assert_true(tacho_tracy_announcement_parse(&announcement, bytes, 23));
    assert_true(announcement.port == 8087 && announcement.protocol == 82 &&
                announcement.pid == 99 && !announcement.is_gone);
    assert_string_equal(announcement.program, "tc");
    put(bytes + 16, UINT32_MAX, 4);
    assert_true(tacho_tracy_announcement_parse(&announcement, bytes, 20));
    assert_true(announcement.is_gone);
    assert_false(tacho_tracy_announcement_parse(&announcement, bytes, 19));
    put(bytes, 2, 2);
    assert_false(tacho_tracy_announcement_parse(&announcement, bytes, 23));
}

/* Lengths that reach beyond the block, at every place where there is one. */
static void test_lying_lengths(void **state)
{
    static const tacho_tracy_event events[] = {
        TACHO_TRACY_SINGLE_STRING_DATA, TACHO_TRACY_SINGLE_STRING_DATA_8, TACHO_TRACY_STRING_DATA,
        TACHO_TRACY_FRAME_IMAGE_DATA, TACHO_TRACY_ZONE_BEGIN};
    tacho_tracy_protocol protocol;
    (void)state;
    assert_true(tacho_tracy_protocol_init(&protocol, 82, false));
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
        unsigned char bytes[32];
        memset(bytes, 0xff, sizeof(bytes));
        bytes[0] = (unsigned char)tacho_tracy_type_of(&protocol, events[i]);
        for (size_t len = 1; len < 17; len++) {
            assert_false(
                tacho_tracy_block_is_whole(&protocol, tacho_str_make((const char *)bytes, len)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_what_is_spoken),
        cmocka_unit_test(test_welcome),       cmocka_unit_test(test_announcement),
        cmocka_unit_test(test_lying_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
