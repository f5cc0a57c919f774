/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers by their paths: found, changed, and written into a description that else stays as it is.
 */
#include "machine/constant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct fixture {
    tacho_arena arena;
    tacho_machine *machine;
} fixture;

static void begin(fixture *self, const char *name)
{
    tacho_arena_init(&self->arena);
    assert_null(tacho_machine_find(name, &self->arena, &self->machine));
}

static void test_find(void **state)
{
    (void)state;
    fixture self;
    tacho_constant_ref ref;
    begin(&self, "wormhole-n150");
    assert_null(tacho_constant_find(self.machine, TACHO_STR("launch_cycles"), &ref));
    assert_ptr_equal(ref.quantity, &self.machine->launch_cycles);
    assert_true(ref.is_whole);
    assert_null(tacho_constant_find(self.machine, TACHO_STR("memories[1].size_bytes"), &ref));
    assert_true(tacho_constant_value(&ref) == 12.0); /* GiB */
    static const char *const bad[] = {
        "",
        "nothing",
        "engines",
        "engines[9].count",
        "engines[0]",
        "engines[]",
        "engines[0]count",
        "launch_cycles.x",
        "title",
        "noc.",
        "noc",
        "engines[0].macs.",
        "engines[0].macs[0",
        "engines[x].count",
        "mesh[0].x",
        "semaphore_cycles",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tacho_status status =
            tacho_constant_find(self.machine, tacho_str_from_cstring(bad[i]), &ref);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
        tacho_status_free(status);
    }
    tacho_arena_deinit(&self.arena);
}

static void check_print(const tacho_constant_ref *ref, double value, const char *expected)
{
    char text[TACHO_CONSTANT_TEXT_MAX];
    tacho_constant_print(ref, value, text);
    assert_string_equal(text, expected);
    tacho_constant_set(ref, value);
    tacho_ratio ratio;
    assert_true(tacho_ratio_parse(tacho_str_from_cstring(text), &ratio));
    assert_int_equal(tacho_ratio_compare(ratio, ref->quantity->value), 0);
}

static void test_print(void **state)
{
    (void)state;
    fixture self;
    tacho_constant_ref ref;
    begin(&self, "wormhole-n150");
    assert_null(tacho_constant_find(self.machine, TACHO_STR("launch_cycles"), &ref));
    check_print(&ref, 1234.5678, "1235");
    check_print(&ref, 100.0, "100");
    assert_null(tacho_constant_find(self.machine, TACHO_STR("mesh.request_cycles"), &ref));
    check_print(&ref, 12.3456789, "12.346");
    check_print(&ref, 0.0012345678, "0.001235");
    check_print(&ref, 200.0, "200");
    check_print(&ref, 0.5, "0.5");
    assert_null(tacho_constant_find(self.machine, TACHO_STR("memories[1].efficiency"), &ref));
    check_print(&ref, 1.5, "1"); /* not above 1 */
    tacho_arena_deinit(&self.arena);
}

static void test_rewrite(void **state)
{
    (void)state;
    fixture self;
    tacho_constant_ref refs[TACHO_CONSTANT_TIED_MAX];
    size_t count;
    begin(&self, "wormhole-n150");
    assert_null(tacho_constant_find_tied(
        self.machine, TACHO_STR("memories[1].efficiency+launch_cycles"), refs, &count));
    assert_int_equal(count, 2);
    const tacho_constant_edit edits[] = {
        {&refs[0], TACHO_STR("0.5"), TACHO_STR("from \"a\\b\"")},
        {&refs[1], TACHO_STR("77"), TACHO_STR("here")},
    };
    tacho_str text;
    tacho_machine *made;
    assert_null(tacho_constant_rewrite(self.machine, edits, 2, &self.arena, &text));
    assert_null(tacho_machine_read("made", text, &self.arena, &made));
    assert_int_equal(made->launch_cycles.value.num, 77);
    assert_int_equal(made->memories[1].efficiency.value.den, 2);
    assert_true(tacho_str_equal(made->memories[1].efficiency.source, TACHO_STR("from _a_b_")));
    /* Back again, and not a byte is different. */
    const tacho_constant_edit back[] = {
        {&refs[0], refs[0].quantity->text, refs[0].quantity->source},
        {&refs[1], refs[1].quantity->text, refs[1].quantity->source},
    };
    assert_null(tacho_constant_rewrite(self.machine, back, 2, &self.arena, &text));
    assert_true(tacho_str_equal(text, self.machine->text));
    tacho_arena_deinit(&self.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_rewrite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
