/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sort mode of the order filter: any permutation gives one order, however many runs are merged; and
 * what happens when something fails, here and on the disk.
 */
#include "profile/packed_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/order_testing.h"

/* ---- the comparison --------------------------------------------------------------------- */

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

/* Antisymmetric, transitive, 0 for equal lines only, and by the documented order first. */
static void test_compare_is_an_order(void **state)
{
    fixture *at = *state;
    uint64_t random = 41;
    row_plan plan = {.time_count = 2, .flow_percent = 30, .arg_max = 2};
    enum { COUNT = 300 };
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    for (size_t i = 0; i < 100000; i++) {
        const tacho_row *a = &rows[random_below(&random, COUNT)];
        const tacho_row *b = &rows[random_below(&random, COUNT)];
        const tacho_row *c = &rows[random_below(&random, COUNT)];
        if (a->track != b->track || b->track != c->track) {
            continue; /* defined within a track */
        }
        int ab = sign(tacho_row_compare(&at->dict, a, b));
        int bc = sign(tacho_row_compare(&at->dict, b, c));
        int ac = sign(tacho_row_compare(&at->dict, a, c));
        assert_int_equal(ab, -sign(tacho_row_compare(&at->dict, b, a)));
        assert_true(ab > 0 || bc > 0 || ac <= 0);
        assert_true(ab >= 0 || bc > 0 || ac < 0);
        int documented = documented_order(at, a, b);
        assert_true(documented == 0 || sign(documented) == ab);
        if (ab == 0 && a != b) {
            tacho_str lines[2] = {render(at, a), render(at, b)};
            assert_int_equal(compare_lines(&lines[0], &lines[1]), 0);
        }
    }
    free(rows);
}

/* ---- sort mode -------------------------------------------------------------------------- */

static void test_any_permutation_gives_one_order(void **state)
{
    fixture *at = *state;
    static const size_t memories[] = {1 << 20, 0, 512, 4096};
    uint64_t random = 42;
    row_plan plan = {.part = 1, .time_count = 12, .flow_percent = 20, .arg_max = 3};
    enum { COUNT = 200 };
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    run_order(at, TACHO_ORDER_SORT, 1 << 20, rows, COUNT);
    check_nothing_lost(at, rows, COUNT);
    tacho_str expected = tracks_text(at);
    for (size_t i = 0; i < 80; i++) {
        shuffle(&random, rows, COUNT);
        run_order(at, TACHO_ORDER_SORT, memories[i % 4], rows, COUNT);
        check_track_order(at);
        check_time_order(at);
        check_tracks_text(at, expected);
    }
    free_text(expected);
    free(rows);
}

/* How many runs the spool makes of |rows|. */
static size_t count_runs(const tacho_row *rows, size_t count, size_t memory_bytes)
{
    size_t run_count = 1;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t bound = 0;
        assert_null(tacho_packed_row_bound(&rows[i], &bound));
        if (used > 0 && used + bound > memory_bytes) {
            run_count++;
            used = 0;
        }
        void *memory = allocate(bound);
        size_t size = tacho_packed_row_write(&rows[i], memory);
        free(memory);
        assert_int_equal(size % 8, 0);
        assert_true(size <= bound);
        used += size;
    }
    return run_count;
}

/* Gives three spans an argument that is longer than any buffer of the spool. */
static void add_huge_texts(fixture *at, tacho_row *rows, size_t count)
{
    size_t left = 3;
    for (size_t i = count / 3; i < count && left > 0; i += count / 5) {
        while (rows[i].kind != TACHO_ROW_SPAN) {
            i++;
        }
        size_t len = HUGE_TEXT_BYTES + i;
        char *text = allocate(len);
        for (size_t k = 0; k < len; k++) {
            text[k] = (char)(k * 131 + k / 977 + left);
        }
        tacho_arg args[2] = {{.key = at->words[0], .type = TACHO_ARG_TEXT},
                             {.key = at->words[1], .type = TACHO_ARG_BOOL}};
        args[0].value.as_text = tacho_str_make(arena_copy(at, text, len), len);
        args[1].value.as_bool = true;
        rows[i].args = arena_copy(at, args, sizeof(args));
        rows[i].arg_count = 2;
        free(text);
        left--;
    }
    assert_int_equal(left, 0);
}

static void test_many_runs(void **state)
{
    fixture *at = *state;
    enum { COUNT = 28000 };
    static const struct {
        size_t memory_bytes;
        size_t runs_above; /* the purpose of the case */
    } cases[] = {
        {256, FAN_IN * FAN_IN}, /* three levels of merging */
        {4096, FAN_IN},         /* two */
        {300000, 2},            /* one, of runs longer than a reader's buffer */
    };
    uint64_t random = 43;
    row_plan plan = {.time_count = 3000, .flow_percent = 5, .arg_max = 4, .first_time = 1000};
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    add_huge_texts(at, rows, COUNT);
    run_order(at, TACHO_ORDER_SORT, SIZE_MAX, rows, COUNT);
    check_nothing_lost(at, rows, COUNT);
    check_track_order(at);
    check_time_order(at);
    tacho_str expected = tracks_text(at);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(count_runs(rows, COUNT, cases[i].memory_bytes) > cases[i].runs_above);
        run_order(at, TACHO_ORDER_SORT, cases[i].memory_bytes, rows, COUNT);
        check_time_order(at);
        check_tracks_text(at, expected);
    }
    free_text(expected);
    free(rows);
}

/* The number of runs just at, below and above the limit of one merge. */
static void test_run_counts_around_the_fan_in(void **state)
{
    fixture *at = *state;
    static const size_t counts[] = {
        1,          2,          3,   FAN_IN - 1,      FAN_IN,
        FAN_IN + 1, 2 * FAN_IN, 129, FAN_IN * FAN_IN, FAN_IN * FAN_IN + 1};
    uint64_t random = 44;
    row_plan plan = {.time_count = 1000, .flow_percent = 5, .arg_max = 1};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        tacho_row *rows = random_rows(at, &random, &plan, counts[i]);
        assert_int_equal(count_runs(rows, counts[i], 0), counts[i]);
        run_order(at, TACHO_ORDER_SORT, 0, rows, counts[i]);
        check_nothing_lost(at, rows, counts[i]);
        check_track_order(at);
        check_time_order(at);
        free(rows);
    }
}

static int64_t earliest(const tacho_row *rows, size_t count)
{
    int64_t start = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        start = rows[i].start < start ? rows[i].start : start;
    }
    return start;
}

/* Parts one after the other through one filter, the middle one without a row. */
static void test_sort_parts(void **state)
{
    fixture *at = *state;
    static const size_t memories[] = {1 << 20, 512, 0};
    enum { COUNT = 150 };
    uint64_t random = 45;
    for (size_t i = 0; i < 3; i++) {
        row_plan plans[PART_COUNT] = {
            {.part = 0, .time_count = 50, .first_time = 100, .flow_percent = 10, .arg_max = 2},
            {.part = 1},
            {.part = 2, .time_count = 50, .first_time = 7, .arg_max = 2},
        };
        size_t counts[PART_COUNT] = {COUNT, 0, COUNT / 2};
        clear_output(at);
        tacho_order *order = NULL;
        assert_null(tacho_order_create(&at->events, TACHO_ORDER_SORT, memories[i], &order));
        tacho_events *events = tacho_order_events(order);
        for (uint32_t part = 0; part < PART_COUNT; part++) {
            tacho_row *rows = random_rows(at, &random, &plans[part], counts[part]);
            at->row_count = 0;
            for (size_t k = 0; k < counts[part]; k++) {
                assert_null(tacho_events_row(events, &rows[k]));
            }
            assert_int_equal(at->row_count, 0); /* held until the part ends */
            assert_null(tacho_events_end_part(events, part));
            check_nothing_lost(at, rows, counts[part]);
            check_track_order(at);
            assert_int_equal(at->dict.parts[part].row_count, counts[part]);
            assert_int_equal(zero_of(at, part), part == 1 ? 0 : earliest(rows, counts[part]));
            assert_int_equal(at->ended_count, part + 1);
            assert_int_equal(at->ended_parts[part], part);
            free(rows);
        }
        assert_null(tacho_events_finish(events));
        assert_int_equal(at->finish_count, 1);
        tacho_order_destroy(order);
    }
}

/* Ticks finer than a nanosecond are still distinguished, on one track and across tracks. */
static void test_sort_fine_ticks(void **state)
{
    fixture *at = *state;
    uint64_t random = 46;
    row_plan plan = {.part = 2, .time_count = 40, .flow_percent = 30, .arg_max = 1};
    enum { COUNT = 200 };
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    run_order(at, TACHO_ORDER_SORT, 4096, rows, COUNT);
    check_nothing_lost(at, rows, COUNT);
    check_track_order(at);
    check_time_order(at);
    free(rows);
}

/* ---- failures and the disk -------------------------------------------------------------- */

static void test_downstream_failure_is_passed_on(void **state)
{
    fixture *at = *state;
    static const size_t memories[] = {1 << 20, 512, 0};
    enum { COUNT = 300 };
    uint64_t random = 61;
    row_plan plan = {.time_count = 50, .arg_max = 3};
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    for (size_t i = 0; i < 9; i++) {
        at->fail_at = i % 3 == 0 ? 0 : (i % 3 == 1 ? COUNT / 2 : COUNT - 1);
        tacho_status status = try_order(at, TACHO_ORDER_SORT, memories[i / 3], rows, COUNT);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
        assert_string_equal(tacho_status_message(status), "the recorder is full");
        assert_int_equal(at->row_count, at->fail_at);
        assert_int_equal(at->ended_count, 0);
        tacho_status_free(status);
    }
    at->fail_at = 0;
    tacho_status status = try_order(at, TACHO_ORDER_PASS, 0, rows, 1);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    free(rows);
}

/* A text too long for a 32-bit length is refused before it is read. */
static void test_row_beyond_reason(void **state)
{
    fixture *at = *state;
    tacho_arg args[2] = {{.type = TACHO_ARG_TEXT}, {.type = TACHO_ARG_TEXT}};
    args[0].value.as_text = tacho_str_make("", UINT32_MAX / 2);
    args[1].value.as_text = tacho_str_make("", UINT32_MAX / 2);
    tacho_row row = plain_span(at);
    row.args = args;
    row.arg_count = 2;
    tacho_status status = try_order(at, TACHO_ORDER_SORT, 4096, &row, 1);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    tacho_status_free(status);
}

static int lowest_free_descriptor(void)
{
    int descriptor = dup(STDOUT_FILENO);
    close(descriptor);
    return descriptor;
}

/* The disk is given back when a part ends, not when the filter goes. */
static void check_part_releases_descriptors(fixture *at, size_t memory_bytes, const tacho_row *rows,
                                            size_t count)
{
    int descriptor = lowest_free_descriptor();
    tacho_order *order = NULL;
    assert_null(tacho_order_create(&at->events, TACHO_ORDER_SORT, memory_bytes, &order));
    for (size_t i = 0; i < count; i++) {
        assert_null(tacho_events_row(tacho_order_events(order), &rows[i]));
    }
    clear_output(at);
    assert_null(tacho_events_end_part(tacho_order_events(order), 0));
    assert_int_equal(lowest_free_descriptor(), descriptor);
    tacho_order_destroy(order);
}

/* No name appears in TMPDIR at any time, and no descriptor stays open. */
static void test_leaves_nothing_behind(void **state)
{
    fixture *at = *state;
    static const size_t memories[] = {1 << 20, 4096, 0};
    enum { COUNT = 500 };
    uint64_t random = 62;
    row_plan plan = {.time_count = 50, .arg_max = 3};
    tacho_row *rows = random_rows(at, &random, &plan, COUNT);
    int descriptor = lowest_free_descriptor();
    at->lists_folder = true;
    for (size_t i = 0; i < 3; i++) {
        run_order(at, TACHO_ORDER_SORT, memories[i], rows, COUNT);
        assert_int_equal(count_files(tmpdir()), 0);
        assert_int_equal(lowest_free_descriptor(), descriptor);
        /* Given up in the midst of it, with runs on disk. */
        tacho_order *order = NULL;
        assert_null(tacho_order_create(&at->events, TACHO_ORDER_SORT, memories[i], &order));
        for (size_t k = 0; k < COUNT; k++) {
            assert_null(tacho_events_row(tacho_order_events(order), &rows[k]));
        }
        assert_int_equal(count_files(tmpdir()), 0);
        tacho_order_destroy(order);
        assert_int_equal(lowest_free_descriptor(), descriptor);
        check_part_releases_descriptors(at, memories[i], rows, COUNT);
    }
    free(rows);
}

/* Rows that fit the memory never touch the disk; for other rows the error names TMPDIR's path. */
static void test_uses_tmpdir_only_when_needed(void **state)
{
    fixture *at = *state;
    char folder[512];
    snprintf(folder, sizeof(folder), "%s", tmpdir());
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    uint64_t random = 63;
    row_plan plan = {.time_count = 50, .arg_max = 3};
    tacho_row *rows = random_rows(at, &random, &plan, 100);
    tacho_status in_memory = try_order(at, TACHO_ORDER_SORT, 1 << 20, rows, 100);
    tacho_status on_disk = try_order(at, TACHO_ORDER_SORT, 512, rows, 100);
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
    assert_null(in_memory);
    assert_int_equal(tacho_status_code(on_disk), TACHO_CODE_IO);
    assert_non_null(strstr(tacho_status_message(on_disk), "/nowhere/at/all"));
    tacho_status_free(on_disk);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ORDER_TEST(test_compare_is_an_order),
        ORDER_TEST(test_any_permutation_gives_one_order),
        ORDER_TEST(test_many_runs),
        ORDER_TEST(test_run_counts_around_the_fan_in),
        ORDER_TEST(test_sort_parts),
        ORDER_TEST(test_sort_fine_ticks),
        ORDER_TEST(test_downstream_failure_is_passed_on),
        ORDER_TEST(test_row_beyond_reason),
        ORDER_TEST(test_leaves_nothing_behind),
        ORDER_TEST(test_uses_tmpdir_only_when_needed),
    };
    return cmocka_run_group_tests(tests, open_tmpdir, close_tmpdir);
}
