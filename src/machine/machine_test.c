/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading machines: all built-in ones are good, and what is wrong in a description is named.
 */
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_builtins(void **state)
{
    (void)state;
    static const char *const names[] = {"aic100",   "blackhole-p150", "gemmini-8x8",
                                        "host-cpu", "torq-sl2610",    "wormhole-n150"};
    size_t count = 0;
    for (; tacho_machine_builtin(count) != NULL; count++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        assert_string_equal(tacho_machine_builtin(count), names[count]);
        assert_null(tacho_machine_find(names[count], &arena, &machine));
        assert_string_equal(machine->name.data, names[count]);
        tacho_arena_deinit(&arena);
    }
    assert_int_equal(count, 6);
}

static void test_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_good;
        int64_t num, den;
    } cases[] = {
        {"0", true, 0, 1},
        {"0.65", true, 13, 20},
        {"1e3", true, 1000, 1},
        {"95.45", true, 1909, 20},
        {"1e15", true, 1000000000000000, 1},
        {"1e16", false, 0, 0},
        {"-1", false, 0, 0},
        {"0.000000001", true, 1, 1000000000},
        {"1e-10", false, 0, 0},
        {"1.0000000001", false, 0, 0},
        {"-0.5", false, 0, 0},
        {"1e400", false, 0, 0},
        {"", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_ratio ratio = {0, 0};
        bool is_good = tacho_ratio_parse(tacho_str_from_cstring(cases[i].text), &ratio);
        assert_int_equal(is_good, cases[i].is_good);
        if (is_good) {
            assert_int_equal(ratio.num, cases[i].num);
            assert_int_equal(ratio.den, cases[i].den);
        }
    }
}

/* The template with the first |from| replaced by |to|. */
static char *edited(const char *from, const char *to)
{
    tacho_str text = tacho_machine_builtin_text(TACHO_STR("template"));
    char *copy = malloc(text.len + strlen(to) + 1);
    assert_non_null(copy);
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    char *at = strstr(copy, from);
    assert_non_null(at);
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
    return copy;
}

static void expect(const char *from, const char *to, const char *message)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    char *text = edited(from, to);
    tacho_status status =
        tacho_machine_read("m.json", tacho_str_from_cstring(text), &arena, &machine);
    assert_non_null(status);
    const char *found = tacho_status_message(status);
    if (strstr(found, message) == NULL) {
        print_error("expected '%s' in '%s'\n", message, found);
    }
    assert_non_null(strstr(found, message));
    tacho_status_free(status);
    free(text);
    tacho_arena_deinit(&arena);
}

static void test_faults(void **state)
{
    (void)state;
    expect("\"name\"", "\"nane\"", "m.json:2: machine: no such key: 'nane'");
    expect("\"value\": 1000, \"unit\": \"cycles\"", "\"value\": -1, \"unit\": \"cycles\"",
           "m.json:11: launch_cycles: -1 cannot be taken");
    expect("\"unit\": \"GHz\"", "\"unit\": \"cycles\"",
           "m.json:5: core_clock_hz: the unit is Hz, not 'cycles'");
    expect("\"value\": 0.65", "\"value\": 1.01",
           "dma[0].efficiency: 1.01 is more than the 1 ratio");
    expect("\"value\": 1024", "\"value\": 0", "engines[0].macs[0].per_cycle: must not be zero");
    expect("\"value\": 1024", "\"value\": 1e999", "engines[0].macs[0].per_cycle: 1e999 cannot");
    expect("\"value\": 1024", "\"value\": NaN", "m.json: byte ");
    expect("\"value\": 1024", "\"value\": \"1024\"",
           "engines[0].macs[0].per_cycle: expected a number, found a string");
    expect("\"dtype\": \"i8\"", "\"dtype\": \"i9\"", "engines[0].macs[0].dtype: 'i9' is not known");
    expect("\"grid_x\": {\"value\": 4", "\"grid_x\": {\"value\": 4.5",
           "grid_x: 4.5 is not a whole number of cores");
    expect("\"grid_x\"", "\"grid_y\"", "grid_y: is given twice");
    expect("\"unit\": \"GHz\", \"source\"", "\"unit\": \"GHz\", \"sauce\"",
           "core_clock_hz: a quantity has a value, a unit and a source, not 'sauce'");
    expect("{\"value\": 1, \"unit\": \"GHz\",", "{\"value\": 1,",
           "core_clock_hz: the quantity has no 'unit'");
    expect("\"kind\": \"ddr\"", "\"kind\": \"aux\"", "no memory of kind ddr");
    expect("\"class\": \"dma_in\"", "\"class\": \"vector\"", "dma[0] is of class vector");
    expect("\"default_fidelity\": \"exact\"", "\"default_fidelity\": \"x\"",
           "default_fidelity is none of fidelities");
    expect("\"dtype\": \"bf16\"", "\"dtype\": \"i8\"", "engine MATRIX has two rates for i8");
}

/* Cut anywhere, it is a failure, never a crash. */
static void test_cut(void **state)
{
    (void)state;
    tacho_str text = tacho_machine_builtin_text(TACHO_STR("template"));
    for (size_t len = 0; len + 2 < text.len; len += 7) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        tacho_status status =
            tacho_machine_read("cut", tacho_str_make(text.data, len), &arena, &machine);
        assert_non_null(status);
        tacho_status_free(status);
        tacho_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtins),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
