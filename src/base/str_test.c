/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views are cut out of longer texts wherever a function could be tempted to read past their end.
 */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const tacho_str nothing = {NULL, 0};

static void check_text(tacho_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

static void test_make(void **state)
{
    (void)state;
    static const tacho_str constant = TACHO_STR_INIT("a\0b");
    assert_int_equal(constant.len, 3);
    assert_int_equal(TACHO_STR("").len, 0);
    check_text(tacho_str_from_cstring("engine"), "engine");
    check_text(tacho_str_from(TACHO_STR("engine"), 3), "ine");
    check_text(tacho_str_from(TACHO_STR("engine"), 6), "");
}

static int sign(int value)
{
    return value < 0 ? -1 : (value > 0 ? 1 : 0);
}

static void test_order(void **state)
{
    (void)state;
    /* In ascending order, so every pair has a known answer. */
    static const tacho_str ordered[] = {
        TACHO_STR_INIT(""),     TACHO_STR_INIT("\0"),   TACHO_STR_INIT("\0\0"), TACHO_STR_INIT("a"),
        TACHO_STR_INIT("a\0"),  TACHO_STR_INIT("aa"),   TACHO_STR_INIT("ab"),   TACHO_STR_INIT("b"),
        TACHO_STR_INIT("\x80"), TACHO_STR_INIT("\xff"),
    };
    const size_t count = sizeof(ordered) / sizeof(ordered[0]);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            int order = tacho_str_compare(ordered[i], ordered[k]);
            assert_int_equal(sign(order), i < k ? -1 : (i > k ? 1 : 0));
            assert_int_equal(tacho_str_equal(ordered[i], ordered[k]), i == k);
        }
    }
    assert_int_equal(tacho_str_compare(nothing, TACHO_STR("")), 0);
    assert_true(tacho_str_compare(nothing, TACHO_STR("a")) < 0);
    assert_true(tacho_str_equal(nothing, TACHO_STR("")));
    assert_false(tacho_str_equal(nothing, TACHO_STR("a")));
}

static void test_ends(void **state)
{
    (void)state;
    tacho_str path = TACHO_STR("trace.pftrace.gz");
    assert_true(tacho_str_starts_with(path, TACHO_STR("")));
    assert_true(tacho_str_starts_with(path, TACHO_STR("trace.")));
    assert_true(tacho_str_starts_with(path, path));
    assert_false(tacho_str_starts_with(path, TACHO_STR("race")));
    assert_false(tacho_str_starts_with(path, TACHO_STR("trace.pftrace.gzz")));
    assert_true(tacho_str_ends_with(path, TACHO_STR("")));
    assert_true(tacho_str_ends_with(path, TACHO_STR(".gz")));
    assert_true(tacho_str_ends_with(path, path));
    assert_false(tacho_str_ends_with(path, TACHO_STR(".g")));
    assert_false(tacho_str_ends_with(path, TACHO_STR("xtrace.pftrace.gz")));
    /* The view ends before the suffix that its buffer holds. */
    assert_false(tacho_str_ends_with(tacho_str_make("a.gz", 3), TACHO_STR(".gz")));
    assert_false(tacho_str_starts_with(tacho_str_make("abc", 2), TACHO_STR("abc")));
}

static void test_trim(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {" ", ""},
        {" \t\r", ""},
        {"a", "a"},
        {"\t a b \r", "a b"},
        {"a\r\r", "a"},
        {" \na\n ", "\na\n"},
        {"\v", "\v"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_text(tacho_str_trim(tacho_str_from_cstring(cases[i][0])), cases[i][1]);
    }
    assert_int_equal(tacho_str_trim(nothing).len, 0);
    check_text(tacho_str_trim(tacho_str_make(" a b", 3)), "a");
}

static void test_basename(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},     {"a", "a"},           {"/", ""},    {"/a", "a"}, {"a/b/c", "c"},
        {"a/b/", ""}, {"./a.csv", "a.csv"}, {"//x", "x"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_text(tacho_str_basename(tacho_str_from_cstring(cases[i][0])), cases[i][1]);
    }
    check_text(tacho_str_basename(tacho_str_make("a/bcd/e", 4)), "bc");
}

static void test_find_byte(void **state)
{
    (void)state;
    assert_int_equal(tacho_str_find_byte(TACHO_STR("a,b,c"), ','), 1);
    assert_int_equal(tacho_str_find_byte(TACHO_STR(",a"), ','), 0);
    assert_int_equal(tacho_str_find_byte(TACHO_STR("abc"), ','), 3);
    assert_int_equal(tacho_str_find_byte(tacho_str_make("ab,", 2), ','), 2);
    assert_int_equal(tacho_str_find_byte(TACHO_STR("a\0,"), '\0'), 1);
    assert_int_equal(tacho_str_find_byte(TACHO_STR("a\xff"), '\xff'), 1);
    assert_int_equal(tacho_str_find_byte(nothing, ','), 0);
}

/* A zeroed view is an empty one; the sanitizers report any arithmetic on NULL. */
static void test_zeroed_view(void **state)
{
    (void)state;
    assert_true(tacho_str_starts_with(nothing, TACHO_STR("")));
    assert_true(tacho_str_starts_with(TACHO_STR("a"), nothing));
    assert_false(tacho_str_starts_with(nothing, TACHO_STR("a")));
    assert_true(tacho_str_ends_with(nothing, TACHO_STR("")));
    assert_true(tacho_str_ends_with(TACHO_STR("a"), nothing));
    assert_false(tacho_str_ends_with(nothing, TACHO_STR("a")));
    assert_int_equal(tacho_str_basename(nothing).len, 0);
}

static void test_parse_u64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"0", 0},
        {"7", 7},
        {"007", 7},
        {"4294967296", 4294967296u},
        {"9999999999999999999", 9999999999999999999u},
        {"18446744073709551614", UINT64_MAX - 1},
        {"18446744073709551615", UINT64_MAX},
        {"00000000000000000001", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t value = 12345;
        assert_true(tacho_str_parse_u64(tacho_str_from_cstring(cases[i].text), &value));
        assert_true(value == cases[i].value);
    }
    uint64_t value = 0;
    assert_true(tacho_str_parse_u64(tacho_str_make("1234", 2), &value));
    assert_true(value == 12);
}

/* A number that fits is taken, with any number of leading zeros. */
static void test_parse_u64_zeros(void **state)
{
    (void)state;
    uint64_t value = 0;
    assert_true(tacho_str_parse_u64(TACHO_STR("000000000000000000000000000042"), &value));
    assert_true(value == 42);
    assert_true(tacho_str_parse_u64(TACHO_STR("000000000018446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
}

static void test_parse_u64_refuses(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        " ",
        " 1",
        "1 ",
        "+1",
        "-1",
        "1.0",
        "1e3",
        "0x10",
        "1,000",
        "/",
        ":",
        "12a4",
        "\xb2",
        "18446744073709551616",
        "18446744073709551620",
        "20000000000000000000",
        "99999999999999999999",
        "184467440737095516150",
        "340282366920938463463374607431768211456",
    };
    uint64_t value = 12345;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(tacho_str_parse_u64(tacho_str_from_cstring(cases[i]), &value));
    }
    assert_false(tacho_str_parse_u64(tacho_str_make("1\0", 2), &value));
    assert_false(tacho_str_parse_u64(nothing, &value));
    assert_true(value == 12345);
}

static void test_find(void **state)
{
    (void)state;
    assert_int_equal(tacho_str_find(TACHO_STR("banana"), TACHO_STR("ana")), 1);
    assert_int_equal(tacho_str_find(TACHO_STR("banana"), TACHO_STR("banana")), 0);
    assert_true(tacho_str_find(TACHO_STR("banana"), TACHO_STR("bananas")) == SIZE_MAX);
    assert_true(tacho_str_find(tacho_str_make("banana", 3), TACHO_STR("ana")) == SIZE_MAX);
    assert_int_equal(tacho_str_find(TACHO_STR("x"), nothing), 0);
    assert_int_equal(tacho_str_find(nothing, nothing), 0);
    assert_true(tacho_str_find(nothing, TACHO_STR("a")) == SIZE_MAX);
}

static void test_contains(void **state)
{
    (void)state;
    assert_true(tacho_str_contains(TACHO_STR("engine"), TACHO_STR("eng")));
    assert_true(tacho_str_contains(TACHO_STR("engine"), TACHO_STR("ine")));
    assert_false(tacho_str_contains(tacho_str_make("engine", 5), TACHO_STR("ine")));
    assert_false(tacho_str_contains(TACHO_STR("in"), TACHO_STR("ine")));
    assert_true(tacho_str_contains(TACHO_STR("in"), TACHO_STR("")));
    assert_true(tacho_str_contains(nothing, nothing));
    assert_false(tacho_str_contains(nothing, TACHO_STR("a")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_basename),
        cmocka_unit_test(test_find_byte),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_contains),
        cmocka_unit_test(test_zeroed_view),
        cmocka_unit_test(test_parse_u64),
        cmocka_unit_test(test_parse_u64_zeros),
        cmocka_unit_test(test_parse_u64_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
