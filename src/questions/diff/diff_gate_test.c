/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases that a gate cannot judge for any times: each obstacle, and the case just short of it.
 * diff_test and gate_noise_test cover its judgement of times.
 */
#include "questions/diff/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Two sides that take as long as one another, with one operator that both have. */
typedef struct fixture {
    tacho_samples sides[2];
    tacho_diff_row row;
    tacho_diff diff;
} fixture;

static void setup(fixture *self)
{
    *self = (fixture){.diff = {.options = {.has_gate = true, .gate = {.relative = 0.03}},
                               .matched_percent = 100,
                               .row_count = 1}};
    for (size_t side = 0; side < 2; side++) {
        self->sides[side] = (tacho_samples){.origin = TACHO_ORIGIN_SIMULATED,
                                            .domain = TACHO_SAMPLES_DEVICE,
                                            .kind = TACHO_SAMPLES_FILES,
                                            .has_layers = true,
                                            .whole_count = 1};
        self->row.sides[side].count = 100;
        self->row.sides[side].moments.mean = 1000;
    }
    self->diff.total = self->row;
}

/* Judges; |obstacle| is the expected reason why it cannot, or NULL. */
static void expect(fixture *self, const char *obstacle)
{
    self->diff.sides[0] = &self->sides[0];
    self->diff.sides[1] = &self->sides[1];
    self->diff.rows = &self->row;
    assert_null(tacho_diff_judge(&self->diff));
    assert_int_equal(self->diff.verdict,
                     obstacle != NULL ? TACHO_VERDICT_INCONCLUSIVE : TACHO_VERDICT_PASS);
    assert_string_equal(self->diff.reason,
                        obstacle != NULL ? obstacle : "nothing exceeds the limit");
    setup(self);
}

static void test_one_lost_record_is_too_many(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    expect(&self, NULL);
    for (size_t side = 0; side < 2; side++) {
        self.sides[side].lost_count = 1;
        expect(&self, "records were lost");
    }
}

static void test_sides_are_of_one_kind(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    self.sides[1].domain = TACHO_SAMPLES_HOST;
    expect(&self, "one side has device work and the other has none");
    self.sides[1].origin = TACHO_ORIGIN_ESTIMATED;
    expect(&self, "the sides are of different origin");
    self.diff.has_other_shapes = true;
    expect(&self, "operators have different shapes");
}

static void test_half_of_the_time_is_in_common(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    self.diff.matched_percent = 50;
    expect(&self, NULL);
    self.diff.matched_percent = 49.9;
    expect(&self, "less than half of the time is spent in operators that both sides have");
}

static void test_layers_are_on_both_sides(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    for (size_t side = 0; side < 2; side++) {
        self.sides[side].has_layers = false;
        expect(&self, NULL); /* layers are not requested */
        self.diff.options.by = TACHO_DIFF_BY_LAYER;
        self.sides[side].has_layers = false;
        expect(&self, "one side has no layers");
    }
    self.diff.options.by = TACHO_DIFF_BY_LAYER;
    expect(&self, NULL);
}

/* A file with one and a half times as many operators as a step on the other side has several. */
static void test_a_file_is_not_compared_with_one_of_its_steps(void **state)
{
    (void)state;
    static const char said[] =
        "a sample is a whole file on one side, and one of its steps on the other";
    fixture self;
    setup(&self);
    for (size_t file = 0; file < 2; file++) {
        self.sides[1 - file].kind = TACHO_SAMPLES_STEPS;
        self.row.sides[file].count = 150;
        expect(&self, said);
        self.sides[1 - file].kind = TACHO_SAMPLES_STEPS;
        self.row.sides[file].count = 149;
        expect(&self, NULL);
    }
    self.row.sides[0].count = 150; /* files on both sides */
    expect(&self, NULL);
}

/* Measured times vary: a verdict takes at least five samples of each side. */
static void test_measured_sides_need_five_samples(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    for (size_t few = 0; few < 2; few++) {
        for (size_t side = 0; side < 2; side++) {
            self.sides[side].origin = TACHO_ORIGIN_MEASURED;
            self.sides[side].whole_count = side == few ? 4 : 5;
        }
        expect(&self, "a measured side has fewer than 5 samples");
    }
    self.sides[0].origin = self.sides[1].origin = TACHO_ORIGIN_MEASURED;
    self.sides[0].whole_count = self.sides[1].whole_count = 5;
    expect(&self, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_lost_record_is_too_many),
        cmocka_unit_test(test_sides_are_of_one_kind),
        cmocka_unit_test(test_half_of_the_time_is_in_common),
        cmocka_unit_test(test_layers_are_on_both_sides),
        cmocka_unit_test(test_a_file_is_not_compared_with_one_of_its_steps),
        cmocka_unit_test(test_measured_sides_need_five_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
