/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sweep visits pieces in order, in whatever order they were added.
 */
#include "questions/samples/sample_sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { PIECE_COUNT = 1000, TRACK_COUNT = 4 };

/* The expected results: starts in order, and the sum of all times. */
typedef struct expectation {
    uint32_t started_count;
    int64_t last_start_ns, wall_ns;
} expectation;

static tacho_status take_start(void *self, const tacho_sample_piece *piece)
{
    expectation *expected = self;
    assert_int_equal(piece->op, expected->started_count);
    assert_true(piece->start_ns >= expected->last_start_ns);
    expected->last_start_ns = piece->start_ns;
    expected->started_count++;
    return TACHO_OK;
}

static tacho_status take_count(void *self, const tacho_sample_piece *piece, int64_t wall_ns,
                               int64_t gap_ns)
{
    (void)piece;
    ((expectation *)self)->wall_ns += wall_ns + gap_ns;
    return TACHO_OK;
}

/* The piece at |place| in the order: pieces start in pairs. */
static tacho_sample_piece piece_of(uint32_t place)
{
    return (tacho_sample_piece){.start_ns = 10 * (int64_t)(place / 2),
                                .end_ns = 10 * (int64_t)(place / 2) + 5,
                                .op = place};
}

static void sweep(tacho_sample_pieces *pieces)
{
    expectation expected = {0};
    const tacho_sweep_taker taker = {take_start, take_count, &expected};
    assert_int_equal(pieces->item_count, PIECE_COUNT);
    assert_null(tacho_sample_pieces_sweep(pieces, &taker));
    assert_int_equal(expected.started_count, PIECE_COUNT);
    assert_int_equal(expected.wall_ns, 10 * (PIECE_COUNT / 2 - 1) + 5);
    tacho_sample_pieces_deinit(pieces);
}

/* Adds the pieces at |first|, |first| + |step| and so on, backwards in groups of |turn|. */
static void add(tacho_sample_pieces *pieces, uint32_t first, uint32_t step, uint32_t turn)
{
    uint32_t count = PIECE_COUNT / step;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t start = i - i % turn, end = start + turn < count ? start + turn : count;
        const tacho_sample_piece piece = piece_of(first + step * (end - 1 - (i - start)));
        assert_null(tacho_sample_pieces_add(pieces, &piece));
    }
}

static void test_track_after_track(void **state)
{
    (void)state;
    tacho_sample_pieces pieces = {0};
    assert_null(tacho_sample_pieces_reserve(&pieces, PIECE_COUNT / 2));
    for (uint32_t i = 0; i < TRACK_COUNT; i++) {
        add(&pieces, TRACK_COUNT - 1 - i, TRACK_COUNT, 1);
    }
    sweep(&pieces);
}

static void test_turned_about(void **state)
{
    (void)state;
    static const uint32_t turns[] = {1, 2, 3, 16, 17, 18, 100, PIECE_COUNT};
    for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        tacho_sample_pieces pieces = {0};
        add(&pieces, 0, 1, turns[i]);
        sweep(&pieces);
    }
}

static void test_mixed(void **state)
{
    (void)state;
    tacho_sample_pieces pieces = {0};
    for (uint32_t i = 0; i < PIECE_COUNT; i++) {
        const tacho_sample_piece piece = piece_of(i * 387 % PIECE_COUNT); /* coprime: each once */
        assert_null(tacho_sample_pieces_add(&pieces, &piece));
    }
    sweep(&pieces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_track_after_track),
        cmocka_unit_test(test_turned_about),
        cmocka_unit_test(test_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
