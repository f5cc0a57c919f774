/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rank is the straggler of a collective, and when this is clear.
 */
#include "questions/fleet/fleet_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANKS = 3 };

/* The contents of the table of stragglers. */
typedef struct answer {
    size_t row_count;
    int64_t rank, last_count, clear_count;
} answer;

static int64_t cell(const tacho_table *table, tacho_column_id id)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].id == id) {
            return tacho_table_cell(table, 0, i)->value.integer;
        }
    }
    fail();
    return 0;
}

static tacho_status take_table(void *self, const tacho_table *table)
{
    answer *to = self;
    if (strcmp(table->name, "stragglers") == 0) {
        to->row_count = tacho_table_row_count(table);
        to->rank = cell(table, TACHO_COL_RANK);
        to->last_count = cell(table, TACHO_COL_LAST_COUNT);
        to->clear_count = cell(table, TACHO_COL_CLEARLY_LAST_COUNT);
    }
    return TACHO_OK;
}

static void add_rank(tacho_fleet *fleet, uint64_t id, int64_t ns)
{
    static const char call[] = "run\0000\0allreduce\0001"; /* without the final NUL */
    char key[TACHO_FLEET_ID_BYTES + 1];
    tacho_fleet_file *file = NULL;
    tacho_fleet_put_id(key, id);
    key[TACHO_FLEET_ID_BYTES] = (char)('a' + id);
    assert_null(tacho_fleet_ensure_file(fleet, tacho_str_make(key, sizeof(key)), &file));
    file->rank = (int64_t)id;
    const tacho_fleet_row row = {.count = 1,
                                 .file_count = 1,
                                 .total_ns = ns,
                                 .least = {ns, id},
                                 .most = {ns, id},
                                 .location = TACHO_NONE};
    const tacho_fleet_amount amount = {.key = tacho_str_make(call, sizeof(call) - 1), .row = &row};
    assert_null(tacho_fleet_add(fleet, TACHO_FLEET_TABLE_CALLS, &amount));
}

/* One collective in which ranks 0, 1 and 2 spend |lengths|: the last to arrive spends the least. */
static answer ask(const int64_t lengths[RANKS])
{
    answer found = {.row_count = 0};
    tacho_fleet fleet;
    tacho_fleet_view view;
    const tacho_table_taker taker = {take_table, &found};
    const tacho_fleet_options options = {.top = 0};
    assert_null(tacho_fleet_init(&fleet, TACHO_FLEET_COLLECTIVES));
    for (uint64_t i = 0; i < RANKS; i++) {
        tacho_fleet one;
        assert_null(tacho_fleet_init(&one, TACHO_FLEET_COLLECTIVES));
        add_rank(&one, i, lengths[i]);
        assert_null(tacho_fleet_merge(&fleet, &one));
        tacho_fleet_deinit(&one);
    }
    assert_null(tacho_fleet_view_init(&view, &fleet));
    assert_null(tacho_fleet_question_stragglers.write(&view, &options, &taker));
    tacho_fleet_view_deinit(&view);
    tacho_fleet_deinit(&fleet);
    return found;
}

static void expect_last(const int64_t lengths[RANKS], int64_t rank, bool is_clear)
{
    answer found = ask(lengths);
    assert_int_equal(found.row_count, 1);
    assert_int_equal(found.rank, rank);
    assert_int_equal(found.last_count, 1);
    assert_int_equal(found.clear_count, is_clear);
}

/* The others waited for up to 2000 ns: clear is more than 100 after the last but one. */
static void test_clear_is_more_than_a_twentieth_of_the_wait(void **state)
{
    (void)state;
    expect_last((const int64_t[]){3000, 1000, 1101}, 1, true);
    expect_last((const int64_t[]){3000, 1000, 1100}, 1, false);
    expect_last((const int64_t[]){1101, 3000, 1000}, 2, true);
}

/* In a call of 10 200 ns, differences below 102 ns are within the precision of clocks. */
static void test_clear_is_more_than_a_hundredth_of_the_call(void **state)
{
    (void)state;
    expect_last((const int64_t[]){10200, 10000, 10103}, 1, true);
    expect_last((const int64_t[]){10200, 10000, 10102}, 1, false);
}

/* The total time that the others waited for the last rank; 0 if all arrived at once. */
static void test_wait(void **state)
{
    (void)state;
    tacho_fleet_row call = {.count = 3, .total_ns = 5100, .least = {1000, 1}};
    assert_int_equal((int64_t)tacho_fleet_call_wait(&call), 2100);
    call.total_ns = 3000;
    assert_int_equal((int64_t)tacho_fleet_call_wait(&call), 0);
    call.total_ns = 2999; /* sums of damaged parts */
    assert_int_equal((int64_t)tacho_fleet_call_wait(&call), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear_is_more_than_a_twentieth_of_the_wait),
        cmocka_unit_test(test_clear_is_more_than_a_hundredth_of_the_call),
        cmocka_unit_test(test_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
