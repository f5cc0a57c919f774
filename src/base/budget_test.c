/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory budget: sizes as people write them, and arenas, arrays and indexes that stop at it.
 */
#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/grow.h"
#include <tacho/hint.h>
#include "base/index.h"

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {
        {"none", 0},
        {"16777216", UINT64_C(16) << 20},
        {"16M", UINT64_C(16) << 20},
        {"512MiB", UINT64_C(512) << 20},
        {"1.5G", UINT64_C(3) << 29},
        {"2GB", UINT64_C(2) << 30},
        {"1T", UINT64_C(1) << 40},
    };
    static const char *const bad[] = {"",    "0",    "16777215", "15.9M", "2X",   "M",     "-1G",
                                      "nan", "1e9G", "2G ",      "2GiBs", "1..5", "0x1p30"};
    uint64_t bytes = 0;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(tacho_budget_parse(tacho_str_from_cstring(good[i].text), &bytes));
        assert_int_equal(bytes, good[i].bytes);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (tacho_budget_parse(tacho_str_from_cstring(bad[i]), &bytes)) {
            fail_msg("%s is a size", bad[i]);
        }
    }
}

static void test_text(void **state)
{
    (void)state;
    char text[TACHO_BUDGET_TEXT_MAX];
    tacho_budget_format(0, text);
    assert_string_equal(text, "0.00 KiB");
    tacho_budget_format(UINT64_C(96) << 20, text);
    assert_string_equal(text, "96.0 MiB");
    tacho_budget_format(UINT64_C(3) << 29, text);
    assert_string_equal(text, "1.50 GiB");
    tacho_budget_format(UINT64_C(19) << 29, text);
    assert_string_equal(text, "9.50 GiB");
    tacho_budget_format(UINT64_C(10) << 30, text);
    assert_string_equal(text, "10.0 GiB");
    tacho_budget_format(UINT64_MAX, text);
    assert_non_null(strstr(text, " TiB"));
}

static void assert_refused(tacho_status status)
{
    assert_int_equal(tacho_status_code(status), TACHO_CODE_NO_MEMORY);
    assert_non_null(
        strstr(tacho_status_message(status), "the memory limit of 1.00 GiB is reached"));
    assert_int_equal(tacho_status_hint(status, 0, 0).id, TACHO_HINT_MEMORY);
    tacho_status_free(status);
}

/* Nothing is touched: half of the limit fits, all of it does not. */
static void test_asking(void **state)
{
    (void)state;
    uint64_t limit = UINT64_C(1) << 30;
    tacho_budget_set(limit);
    assert_int_equal(tacho_budget_get(), limit);
    assert_null(tacho_budget_check(limit / 2));
    assert_null(tacho_budget_take(limit / 2));
    assert_refused(tacho_budget_check(limit));
    assert_refused(tacho_budget_take(limit));
    assert_null(tacho_budget_take(1)); /* little is not looked at */
    tacho_budget_set(0);
    assert_null(tacho_budget_check(UINT64_MAX));
}

/* Growth counts while the default holds, and no more once a limit is chosen. */
static void test_growth(void **state)
{
    (void)state;
    enum { MORE = 64 << 20 };
    uint64_t most = TACHO_BUDGET_FREE + MORE;
    tacho_budget_set_default();
    assert_true(tacho_budget_get() >= TACHO_BUDGET_MIN);
    uint64_t before = tacho_budget_used();
    assert_true(before > 0);
    assert_null(tacho_budget_check_growth("x", before, MORE));
    char *bytes = malloc(most + MORE);
    assert_non_null(bytes);
    memset(bytes, 1, most - MORE);
    assert_null(tacho_budget_check_growth("x", before, MORE));
    memset(bytes, 1, most + MORE);
    tacho_status status = tacho_budget_check_growth("x", before, MORE);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_NO_MEMORY);
    assert_non_null(
        strstr(tacho_status_message(status), "x: the memory limit of 320.0 MiB is reached: "));
    assert_int_equal(tacho_status_hint(status, 0, 0).id, TACHO_HINT_MEMORY);
    tacho_status_free(status);
    assert_null(tacho_budget_check_growth("x", tacho_budget_used(), MORE));
    tacho_budget_set(UINT64_C(1) << 40);
    assert_null(tacho_budget_check_growth("x", before, MORE));
    tacho_budget_set(0);
    free(bytes);
}

/* What has been read raises the limit of the default, which only a bomb lowers. */
static void test_bombs(void **state)
{
    (void)state;
    tacho_budget_set_default();
    tacho_budget_add_input(UINT64_C(1) << 20, false);
    assert_null(tacho_budget_check(TACHO_BUDGET_FREE + (4 << 20)));
    tacho_budget_add_input(0, true);
    assert_null(tacho_budget_check(TACHO_BUDGET_FREE / 2));
    tacho_status status = tacho_budget_check(TACHO_BUDGET_FREE + (4 << 20));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_NO_MEMORY);
    assert_non_null(strstr(tacho_status_message(status), "the memory limit of 258.0 MiB for inputs "
                                                         "that unpack to more than 200 times"));
    tacho_status_free(status);
    tacho_budget_add_input(UINT64_C(16) << 20, false);
    assert_null(tacho_budget_check(TACHO_BUDGET_FREE + (4 << 20)));
    tacho_budget_set(UINT64_C(1) << 40);
    assert_null(tacho_budget_check(TACHO_BUDGET_FREE * 4));
    tacho_budget_set(0);
}

static void test_what_grows(void **state)
{
    (void)state;
    tacho_arena arena;
    char *bytes = NULL;
    uint64_t *items = NULL;
    size_t capacity = 0;
    tacho_arena_init(&arena);
    tacho_budget_set(UINT64_C(1) << 30);
    assert_refused(tacho_arena_alloc_bytes(&arena, (size_t)1 << 30, &bytes));
    assert_refused(tacho_grow(&items, &capacity, (size_t)1 << 27));
    assert_refused(tacho_items_make(&items, (size_t)1 << 27));
    assert_null(items);
    assert_null(tacho_grow(&items, &capacity, 1000));
    tacho_budget_set(0);
    tacho_arena_deinit(&arena);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),  cmocka_unit_test(test_text),
        cmocka_unit_test(test_asking), cmocka_unit_test(test_growth),
        cmocka_unit_test(test_bombs),  cmocka_unit_test(test_what_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
