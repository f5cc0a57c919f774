/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends are ordered by time, at equal times the span begun last first, for any number of open spans.
 */
#include "sinks/perfetto_ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPEN_MAX = 3000, STEPS = 60000 };

/* All open spans, unordered; |place| counts begins. */
typedef struct open_spans {
    pf_span_end items[OPEN_MAX];
    size_t count;
} open_spans;

/* The next to end, by linear search. */
static size_t find_next(const open_spans *open)
{
    size_t next = 0;
    for (size_t i = 1; i < open->count; i++) {
        const pf_span_end *a = &open->items[i];
        const pf_span_end *b = &open->items[next];
        if (a->end_ns < b->end_ns || (a->end_ns == b->end_ns && a->place > b->place)) {
            next = i;
        }
    }
    return next;
}

static void end_one(pf_ends *ends, open_spans *open)
{
    size_t next = find_next(open);
    const pf_span_end *due = pf_ends_due(ends, INT64_MAX);
    assert_non_null(due);
    assert_true(due->end_ns == open->items[next].end_ns);
    assert_true(due->place == open->items[next].place);
    assert_null(pf_ends_due(ends, due->end_ns - 1));
    pf_ends_pop(ends);
    open->items[next] = open->items[--open->count];
}

/* Opens and ends spans at random, at most |spread| of them open, few different ends among them. */
static void check(size_t spread, uint32_t end_range)
{
    pf_ends ends = {.near_count = 0};
    open_spans *open = calloc(1, sizeof(*open));
    uint32_t random = (uint32_t)spread;
    assert_non_null(open);
    for (uint64_t step = 0; step < STEPS / (1 + spread / 40); step++) {
        random = random * 1664525 + 1013904223;
        bool opens = open->count == 0 || (open->count < spread && random >> 30 != 0);
        if (opens) {
            int64_t end_ns = (int64_t)(random >> 8) % end_range + (int64_t)step / 8;
            assert_null(pf_ends_add(&ends, end_ns, step));
            open->items[open->count++] = (pf_span_end){.end_ns = end_ns, .place = step};
        } else {
            end_one(&ends, open);
        }
        assert_int_equal(ends.near_count + ends.far_count, open->count);
    }
    while (open->count > 0) {
        end_one(&ends, open);
    }
    assert_null(pf_ends_due(&ends, INT64_MAX));
    pf_ends_deinit(&ends);
    free(open);
}

static void test_ends(void **state)
{
    (void)state;
    static const size_t spreads[] = {1,   3,       PF_ENDS_NEAR - 1, PF_ENDS_NEAR, PF_ENDS_NEAR + 1,
                                     100, OPEN_MAX};
    for (size_t i = 0; i < sizeof(spreads) / sizeof(spreads[0]); i++) {
        check(spreads[i], 1);
        check(spreads[i], 7);
        check(spreads[i], 100000);
    }
}

static void test_places(void **state)
{
    (void)state;
    uint64_t place = pf_place(UINT32_MAX - 1, 7);
    assert_int_equal(pf_place_track(place), UINT32_MAX - 1);
    assert_int_equal(pf_place_slot(place), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
