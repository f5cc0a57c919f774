/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffs: which operators are the same, sums that add up, and verdicts on both sides of a limit.
 */
#include "questions/diff/diff.h"
#include "questions/samples/samples_testing.h"

typedef struct sides {
    composed at[2];
    tacho_samples samples[2];
    uint32_t track[2];
    int64_t now[2];
    tacho_diff diff;
} sides;

static void sides_init(sides *self, tacho_origin origin)
{
    for (size_t i = 0; i < 2; i++) {
        composed_init(&self->at[i], origin);
        self->track[i] =
            composed_track(&self->at[i], "Slice 0", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
        self->now[i] = 0;
    }
}

/* Appends a run of an operator. */
static void run_op(sides *self, size_t side, const char *op, const char *type, int64_t ns)
{
    composed_add(&self->at[side], (composed_span){self->track[side], type, self->now[side],
                                                  self->now[side] + ns, .op = op});
    self->now[side] += ns;
}

static void compare(sides *self, const tacho_diff_options *options)
{
    const tacho_samples_options how = {.classes = 0};
    for (size_t i = 0; i < 2; i++) {
        assert_null(tacho_samples_init(&self->samples[i], &how));
        assert_null(tacho_samples_add(&self->samples[i], &self->at[i].profile));
    }
    assert_null(tacho_diff_init(&self->diff, &self->samples[0], &self->samples[1], options));
}

static void sides_deinit(sides *self)
{
    tacho_diff_deinit(&self->diff);
    for (size_t i = 0; i < 2; i++) {
        tacho_samples_deinit(&self->samples[i]);
        composed_deinit(&self->at[i]);
    }
}

/* The row that |name| of |side| is in. */
static const tacho_diff_row *find_row(const sides *self, size_t side, const char *name)
{
    const tacho_sampled_op *op = composed_find(&self->samples[side], name);
    for (size_t i = 0; i < self->diff.row_count; i++) {
        const tacho_diff_row *row = &self->diff.rows[i];
        if (row->ops[side] != TACHO_NONE && &self->samples[side].ops[row->ops[side]] == op) {
            return row;
        }
    }
    return NULL;
}

/* Rows and idle time add up to the totals, as do their differences. */
static void check_sums(const tacho_diff *diff)
{
    for (size_t side = 0; side < 2; side++) {
        int64_t sum = diff->idle.sides[side].wall_ns;
        for (size_t i = 0; i < diff->row_count; i++) {
            sum += diff->rows[i].sides[side].wall_ns;
        }
        assert_int_equal(sum, diff->total.sides[side].wall_ns);
    }
}

static void test_kinds(void **state)
{
    (void)state;
    const tacho_diff_options options = {.top = 0};
    sides self;
    sides_init(&self, TACHO_ORIGIN_ESTIMATED);
    run_op(&self, 0, "first", "Cast", 3);
    run_op(&self, 0, "MatMul_7", "MatMul", 10);
    run_op(&self, 0, "conv1", "Conv", 20);
    run_op(&self, 0, "relu1", "Relu", 4);
    run_op(&self, 0, "middle", "Add", 5);
    run_op(&self, 0, "gone", "Pad", 6);
    run_op(&self, 0, "a+b", "Fused", 8);
    run_op(&self, 0, "last", "Cast", 3);
    run_op(&self, 1, "first", "Cast", 4);
    run_op(&self, 1, "MatMul_9", "MatMul", 11);
    run_op(&self, 1, "conv1+relu1", "Conv+Relu", 21);
    run_op(&self, 1, "middle", "Add", 5);
    run_op(&self, 1, "a", "Mul", 4);
    run_op(&self, 1, "b", "Exp", 5);
    run_op(&self, 1, "added", "Sort", 7);
    run_op(&self, 1, "last", "Cast", 3);
    compare(&self, &options);
    assert_int_equal(self.diff.row_count, 8);
    assert_int_equal(find_row(&self, 0, "first")->kind, TACHO_DIFF_SAME);
    const tacho_diff_row *row = find_row(&self, 0, "MatMul_7");
    assert_int_equal(row->kind, TACHO_DIFF_RENAMED);
    assert_ptr_equal(row, find_row(&self, 1, "MatMul_9"));
    row = find_row(&self, 0, "conv1");
    assert_int_equal(row->kind, TACHO_DIFF_MERGED);
    assert_ptr_equal(row, find_row(&self, 1, "conv1+relu1"));
    assert_int_equal(row->op_counts[0], 2);
    assert_int_equal(tacho_diff_of(row), -3);
    row = find_row(&self, 0, "a+b");
    assert_int_equal(row->kind, TACHO_DIFF_SPLIT);
    assert_int_equal(row->op_counts[1], 2);
    assert_int_equal(tacho_diff_of(row), 1);
    assert_int_equal(find_row(&self, 0, "gone")->kind, TACHO_DIFF_REMOVED);
    assert_int_equal(find_row(&self, 1, "added")->kind, TACHO_DIFF_NEW);
    assert_int_equal(tacho_diff_of(&self.diff.total), 1);
    check_sums(&self.diff);
    sides_deinit(&self);
}

/* Operators that differ only in their locations. */
static void test_locations(void **state)
{
    (void)state;
    const tacho_diff_options options = {.top = 0};
    static const struct {
        size_t side;
        const char *name, *location;
    } ops[] = {{0, "p", "m:1"},  {0, "q", "m:3"}, {0, "r", "m:3"}, {0, "s", "m:5"}, {0, "t", "m:7"},
               {0, "u", "m:7"},  {1, "P", "m:0"}, {1, "Q", "m:2"}, {1, "R", "m:3"}, {1, "S", "m:5"},
               {1, "S2", "m:5"}, {1, "T", "m:6"}, {1, "U", "m:7"}, {1, "V", "m:7"}};
    sides self;
    sides_init(&self, TACHO_ORIGIN_ESTIMATED);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        size_t side = ops[i].side;
        composed_add(&self.at[side],
                     (composed_span){self.track[side], ops[i].name, self.now[side],
                                     self.now[side] + 10, .location = ops[i].location});
        self.now[side] += 10;
    }
    compare(&self, &options);
    assert_int_equal(find_row(&self, 0, "q")->kind, TACHO_DIFF_MERGED);
    assert_ptr_equal(find_row(&self, 0, "q"), find_row(&self, 1, "R"));
    assert_int_equal(find_row(&self, 0, "q")->op_counts[0], 2);
    assert_int_equal(find_row(&self, 0, "s")->kind, TACHO_DIFF_SPLIT);
    assert_ptr_equal(find_row(&self, 0, "s"), find_row(&self, 1, "S"));
    assert_int_equal(find_row(&self, 0, "s")->op_counts[1], 2);
    static const char *const removed[] = {"p", "t", "u"};
    static const char *const added[] = {"P", "Q", "T", "U", "V"};
    for (size_t i = 0; i < sizeof(removed) / sizeof(removed[0]); i++) {
        assert_int_equal(find_row(&self, 0, removed[i])->kind, TACHO_DIFF_REMOVED);
    }
    for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
        assert_int_equal(find_row(&self, 1, added[i])->kind, TACHO_DIFF_NEW);
    }
    check_sums(&self.diff);
    sides_deinit(&self);
}

/* Means that do not divide evenly: rows still add up. */
static void test_rounding(void **state)
{
    (void)state;
    const tacho_diff_options options = {.top = 0};
    sides self;
    sides_init(&self, TACHO_ORIGIN_MEASURED);
    for (size_t side = 0; side < 2; side++) {
        for (int64_t run = 1; run <= 3; run++) {
            for (int64_t k = 0; k < 7; k++) {
                char name[16];
                snprintf(name, sizeof(name), "op%d", (int)k);
                int64_t ns = 10 + (run == 2 ? k : 0) + (int64_t)side * (k == 3 ? 5 : 0);
                composed_add(&self.at[side],
                             (composed_span){self.track[side], name, self.now[side],
                                             self.now[side] + ns, .invocation = run});
                self.now[side] += ns + 1;
            }
        }
    }
    compare(&self, &options);
    check_sums(&self.diff);
    assert_int_equal(self.diff.total.sides[0].wall_ns, (3 * 70 + 21 + 3 * 6) / 3);
    assert_int_equal(tacho_diff_of(find_row(&self, 0, "op3")), 5);
    assert_int_equal(tacho_diff_of(&self.diff.total), 5);
    sides_deinit(&self);
}

/* Parts of centuries each, whose times add up to more than fits. */
static void test_overflow(void **state)
{
    (void)state;
    const tacho_diff_options options = {.top = 0};
    sides self;
    sides_init(&self, TACHO_ORIGIN_MEASURED);
    for (size_t i = 0; i < 8; i++) {
        composed *at = &self.at[i % 2];
        char name[16];
        tacho_part_facts facts = {.path = TACHO_STR("b.csv"), .origin = TACHO_ORIGIN_MEASURED};
        assert_null(tacho_dict_add_part(&at->dict, &facts, &at->part));
        uint32_t track = composed_track(at, "Slice 1", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE);
        snprintf(name, sizeof(name), "op%d", (int)i);
        composed_add(at, (composed_span){track, name, 0, INT64_MAX - 1, .category = NULL});
    }
    compare(&self, &options);
    assert_int_equal(self.diff.total.sides[0].wall_ns, INT64_MAX);
    assert_int_equal(self.diff.total.sides[1].wall_ns, INT64_MAX);
    sides_deinit(&self);
}

static void test_origins(void **state)
{
    (void)state;
    const tacho_samples_options how = {.classes = 0};
    const tacho_diff_options options = {.top = 0};
    sides self;
    sides_init(&self, TACHO_ORIGIN_ESTIMATED);
    run_op(&self, 0, "a", "A", 5);
    for (size_t i = 0; i < 2; i++) {
        assert_null(tacho_samples_init(&self.samples[i], &how));
        assert_null(tacho_samples_add(&self.samples[i], &self.at[i].profile));
    }
    tacho_status status = tacho_diff_init(&self.diff, &self.samples[0], &self.samples[1], &options);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_non_null(strstr(tacho_status_message(status), "side B"));
    tacho_status_free(status);
    sides_deinit(&self);
}

/* ---- gates --------------------------------------------------------------------------------- */

typedef struct gate_case {
    tacho_origin origin;
    size_t samples;
    int64_t a, b;  /* mean times */
    int64_t noise; /* up and down */
    tacho_verdict verdict;
} gate_case;

static void test_gate(void **state)
{
    (void)state;
    static const gate_case cases[] = {
        /* 3 % and 20 ns: one estimate is enough, and the limit itself is not exceeded. */
        {TACHO_ORIGIN_ESTIMATED, 1, 1000, 1030, 0, TACHO_VERDICT_PASS},
        {TACHO_ORIGIN_ESTIMATED, 1, 1000, 1031, 0, TACHO_VERDICT_REGRESSION},
        {TACHO_ORIGIN_ESTIMATED, 1, 100, 120, 0, TACHO_VERDICT_PASS}, /* 20 %, but 20 ns */
        {TACHO_ORIGIN_ESTIMATED, 1, 100, 121, 0, TACHO_VERDICT_REGRESSION},
        {TACHO_ORIGIN_SIMULATED, 1, 100000, 102000, 0, TACHO_VERDICT_PASS}, /* 2 us, but 2 % */
        {TACHO_ORIGIN_MEASURED, 4, 100000, 200000, 100, TACHO_VERDICT_INCONCLUSIVE},
        {TACHO_ORIGIN_UNKNOWN, 1, 100000, 200000, 0, TACHO_VERDICT_INCONCLUSIVE},
        {TACHO_ORIGIN_MEASURED, 5, 100000, 110000, 100, TACHO_VERDICT_REGRESSION},
        {TACHO_ORIGIN_MEASURED, 5, 100000, 100000, 100, TACHO_VERDICT_PASS},
        {TACHO_ORIGIN_MEASURED, 10, 100000, 100000, 9000, TACHO_VERDICT_INCONCLUSIVE},
        {TACHO_ORIGIN_MEASURED, 10, 100000, 104000, 6000, TACHO_VERDICT_INCONCLUSIVE},
        {TACHO_ORIGIN_MEASURED, 10, 100000, 60000, 9000, TACHO_VERDICT_PASS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tacho_diff_options options = {.has_gate = true,
                                            .gate = {.relative = 0.03, .absolute_ns = 20}};
        sides self;
        sides_init(&self, cases[i].origin);
        for (size_t k = 0; k < 2 * cases[i].samples; k++) {
            size_t side = k % 2;
            size_t run = k / 2;
            int64_t noise = (run % 2 == 0 ? 1 : -1) * cases[i].noise;
            noise = run + 1 == cases[i].samples && run % 2 == 0 ? 0 : noise;
            int64_t ns = (side == 0 ? cases[i].a : cases[i].b) + noise;
            composed_add(&self.at[side],
                         (composed_span){self.track[side], "op", self.now[side],
                                         self.now[side] + ns, .invocation = (int64_t)run + 1});
            self.now[side] += 1000000;
        }
        compare(&self, &options);
        if (self.diff.verdict != cases[i].verdict) {
            fail_msg("case %zu: %s (%s), not %s", i, tacho_verdict_word(self.diff.verdict),
                     self.diff.reason, tacho_verdict_word(cases[i].verdict));
        }
        sides_deinit(&self);
    }
}

/* The total is as before, but one operator is slower. */
static void test_gate_op(void **state)
{
    (void)state;
    const tacho_diff_options options = {.has_gate = true,
                                        .gate = {.relative = 0.03, .absolute_ns = 20}};
    sides self;
    sides_init(&self, TACHO_ORIGIN_SIMULATED);
    run_op(&self, 0, "a", "A", 1000);
    run_op(&self, 0, "b", "B", 1000);
    run_op(&self, 1, "a", "A", 1100);
    run_op(&self, 1, "b", "B", 900);
    compare(&self, &options);
    assert_int_equal(self.diff.verdict, TACHO_VERDICT_REGRESSION);
    assert_int_equal(self.diff.total.verdict, TACHO_VERDICT_PASS);
    assert_int_equal(find_row(&self, 0, "a")->verdict, TACHO_VERDICT_REGRESSION);
    assert_int_equal(find_row(&self, 0, "b")->verdict, TACHO_VERDICT_PASS);
    assert_string_equal(self.diff.reason, "1 operator exceeds the limit");
    sides_deinit(&self);
}

/* Adds run |run| of operators a, b and c to one side. */
static void run_three(sides *self, size_t side, int64_t run, const int64_t *ns)
{
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        composed_add(&self->at[side],
                     (composed_span){self->track[side], names[i], self->now[side],
                                     self->now[side] + ns[i], .invocation = run + 1});
        self->now[side] += ns[i];
    }
    self->now[side] += 1000000;
}

/*
 * a and b vary against each other, so that the total does not. A gate that cannot judge its largest
 * operator has not passed; one that cannot judge a smaller one has passed, and reports it.
 */
static void test_gate_largest_unsure(void **state)
{
    (void)state;
    const tacho_diff_options options = {.has_gate = true, .gate = {.relative = 0.03}};
    static const struct {
        int64_t c; /* time of the steady operator; a takes 100,000 */
        tacho_verdict verdict;
        const char *reason;
    } cases[] = {
        {90000, TACHO_VERDICT_INCONCLUSIVE,
         "the total passes, but the largest operator is too noisy to judge; take more samples"},
        {110000, TACHO_VERDICT_PASS, "the total passes; 2 operators are too noisy to judge"},
    };
    for (size_t i = 0; i < 2; i++) {
        sides self;
        sides_init(&self, TACHO_ORIGIN_MEASURED);
        for (int64_t k = 0; k < 20; k++) {
            int64_t noise = k / 2 % 2 == 0 ? 30000 : -30000;
            run_three(&self, (size_t)(k % 2), k / 2,
                      (int64_t[]){100000 + noise, 99000 - noise, cases[i].c});
        }
        compare(&self, &options);
        assert_string_equal(self.diff.reason, cases[i].reason);
        assert_int_equal(self.diff.verdict, cases[i].verdict);
        assert_int_equal(self.diff.total.verdict, TACHO_VERDICT_PASS);
        sides_deinit(&self);
    }
}

static void test_limits(void **state)
{
    (void)state;
    tacho_gate gate;
    assert_null(tacho_gate_parse(TACHO_STR("rel=3%,abs=20us"), &gate));
    assert_true(gate.relative == 0.03 && gate.absolute_ns == 20000);
    assert_null(tacho_gate_parse(TACHO_STR("abs=1.5ms"), &gate));
    assert_true(gate.relative == 0 && gate.absolute_ns == 1500000);
    assert_null(tacho_gate_parse(TACHO_STR("rel=0.25%"), &gate));
    assert_true(gate.relative == 0.0025);
    assert_null(tacho_gate_parse(TACHO_STR("abs=0,rel=3%"), &gate));
    assert_true(gate.relative == 0.03 && gate.absolute_ns == 0);
    static const char *const bad[] = {
        "",         "3%",         "rel=3",    "rel=%",   "rel=-3%", "abs=-1",         "abs=20xs",
        "rel=3%,,", "rel=3%,x=1", "rel=1e9%", "rel=3%,", ",rel=3%", "rel=3%,rel=4%",  "abs=20",
        "abs=1.5",  "abs=",       "abs=s",    "rel=3%%", "REL=3%",  "abs=1us,abs=1us"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tacho_status status = tacho_gate_parse(tacho_str_from_cstring(bad[i]), &gate);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
        tacho_status_free(status);
    }
}

static tacho_str type_of_row(const sides *self, size_t side, const char *name)
{
    return tacho_strings_get(&self->diff.groups, find_row(self, side, name)->group);
}

/* Operators of B count for the type of their partner; those without a partner for their own. */
static void test_types(void **state)
{
    (void)state;
    sides all;
    char name[] = "part?";
    char type[] = "T?";
    sides_init(&all, TACHO_ORIGIN_ESTIMATED);
    run_op(&all, 0, "c1", "Conv", 100);
    run_op(&all, 0, "c2", "Conv", 200);
    run_op(&all, 0, "g1", "Gemm", 50);
    for (char c = 'a'; c <= 'j'; c++) { /* more types than one name has room for */
        name[4] = c;
        type[1] = c;
        run_op(&all, 0, name, type, 10);
    }
    run_op(&all, 0, "gone", "Exp", 7);
    run_op(&all, 1, "c1", "kernel_c", 110);
    run_op(&all, 1, "c2", "kernel_c", 210);
    run_op(&all, 1, "g1", "Gemm", 60);
    run_op(&all, 1, "parta+partb+partc+partd+parte+partf+partg+parth+parti+partj", "whole", 90);
    run_op(&all, 1, "c3", "Conv", 5);
    run_op(&all, 1, "c4", "kernel_c", 3);
    compare(&all, &(tacho_diff_options){.by = TACHO_DIFF_BY_TYPE});
    check_sums(&all.diff);
    assert_int_equal(all.diff.row_count, 5);
    const tacho_diff_row *conv = find_row(&all, 0, "c1");
    assert_int_equal(conv->kind, TACHO_DIFF_RENAMED);
    assert_true(tacho_str_equal(type_of_row(&all, 0, "c1"), TACHO_STR("Conv")));
    assert_int_equal(conv->sides[0].wall_ns, 300);
    assert_int_equal(conv->sides[1].wall_ns, 325);
    assert_int_equal(find_row(&all, 0, "g1")->kind, TACHO_DIFF_SAME);
    assert_int_equal(find_row(&all, 0, "parta")->sides[0].wall_ns, 100);
    assert_int_equal(find_row(&all, 0, "parta")->sides[1].wall_ns, 90);
    assert_true(
        tacho_str_equal(type_of_row(&all, 0, "parta"), TACHO_STR("Ta+Tb+Tc+Td+Te+Tf+Tg+Th")));
    assert_int_equal(find_row(&all, 0, "gone")->kind, TACHO_DIFF_REMOVED);
    assert_int_equal(find_row(&all, 1, "c4")->kind, TACHO_DIFF_NEW);
    assert_true(tacho_str_equal(type_of_row(&all, 1, "c4"), TACHO_STR("kernel_c")));
    sides_deinit(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_gate_op),
        cmocka_unit_test(test_gate_largest_unsure),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
