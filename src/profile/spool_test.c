/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that are replayed before they are drained: in memory, in runs on the disk, and in more runs
 * than are merged at once.
 */
#include "profile/spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Checks that rows arrive by start, from 0 on. */
typedef struct checker {
    tacho_events events;
    int64_t next;
} checker;

static tacho_status check_row(tacho_events *events, const tacho_row *row)
{
    checker *self = (checker *)(void *)events;
    assert_int_equal(row->start, self->next);
    self->next++;
    return TACHO_OK;
}

static void replay(tacho_spool *spool, tacho_dict *dict, int64_t count, bool is_last)
{
    static const tacho_events_vtable vtable = {.row = check_row};
    checker self = {.events = {&vtable, dict}};
    assert_null(is_last ? tacho_spool_drain(spool, &self.events)
                        : tacho_spool_replay(spool, &self.events));
    assert_int_equal(self.next, count);
}

static void fill(tacho_spool *spool, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        tacho_row row = {.kind = TACHO_ROW_SPAN, .start = i * 7 % count};
        row.of.span.op = row.of.span.run = TACHO_NONE;
        row.of.span.end = row.start + 1;
        assert_null(tacho_spool_add(spool, &row));
    }
}

static void test_replay(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        size_t bytes;
    } cases[] = {{0, 1 << 20}, {1000, 1 << 20}, {1000, 16 << 10}, {5000, 2 << 10}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_dict dict;
        tacho_spool *spool = NULL;
        assert_null(tacho_dict_init(&dict));
        assert_null(tacho_spool_create(&dict, cases[i].bytes, &spool));
        for (int round = 0; round < 2; round++) { /* drained, it takes rows again */
            fill(spool, cases[i].count);
            replay(spool, &dict, cases[i].count, false);
            replay(spool, &dict, cases[i].count, false);
            replay(spool, &dict, cases[i].count, true);
        }
        tacho_spool_destroy(spool);
        tacho_dict_deinit(&dict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
