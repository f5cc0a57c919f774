/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that say how to compile: what each makes of them, and what is refused with which words.
 */
#include "session/compile_spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check_refused(tacho_status status, const char *words)
{
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    if (strstr(tacho_status_message(status), words) == NULL) {
        fail_msg("'%s' has no '%s'", tacho_status_message(status), words);
    }
    tacho_status_free(status);
}

static void test_weights(void **state)
{
    (void)state;
    tacho_model_options model = {0};
    assert_null(tacho_spec_weights("random:7", &model));
    assert_true(model.has_random_weights);
    assert_int_equal(model.seed, 7);
    assert_null(tacho_spec_weights("zeros", &model));
    assert_true(model.has_zero_weights && !model.has_random_weights);
    check_refused(tacho_spec_weights("random:x", &model), "random:SEED");
    check_refused(tacho_spec_weights("7", &model), "random:SEED");
}

static void test_dims(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "N",      "=4",  "N=",          "N=-1",
                                      "N=4x", "x=1xx2", "N=y", "N=2147483648"};
    tacho_model_dim dims[8];
    tacho_model_options model = {.dims = dims};
    tacho_arena arena;
    tacho_arena_init(&arena);
    assert_int_equal(tacho_spec_dim_count("x=1x3x224"), 4); /* the x of the name, too */
    assert_null(tacho_spec_dim("N=4", '=', &arena, &model, dims));
    assert_null(tacho_spec_dim("M,0", ',', &arena, &model, dims));
    assert_null(tacho_spec_dim("x=1x3", '=', &arena, &model, dims));
    assert_int_equal(model.dim_count, 4);
    assert_true(tacho_str_equal(dims[0].name, TACHO_STR("N")) && dims[0].value == 4);
    assert_true(tacho_str_equal(dims[1].name, TACHO_STR("M")) && dims[1].value == 0);
    assert_true(tacho_str_equal(dims[2].name, TACHO_STR("x.0")) && dims[2].value == 1);
    assert_true(tacho_str_equal(dims[3].name, TACHO_STR("x.1")) && dims[3].value == 3);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        model.dim_count = 0;
        check_refused(tacho_spec_dim(bad[i], '=', &arena, &model, dims), "invalid dimension");
    }
    tacho_arena_deinit(&arena);
}

static void test_binds(void **state)
{
    (void)state;
    tacho_model_bind binds[4];
    tacho_model_options model = {.binds = binds};
    assert_null(tacho_spec_bind("rate=16000", &model, binds));
    assert_null(tacho_spec_bind("mask=1,2", &model, binds));
    assert_int_equal(model.bind_count, 2);
    assert_true(tacho_str_equal(binds[1].values, TACHO_STR("1,2")));
    check_refused(tacho_spec_bind("rate=8000", &model, binds), "'rate' is given twice");
    check_refused(tacho_spec_bind("x=", &model, binds), "no value in 'x='");
    check_refused(tacho_spec_bind("=1", &model, binds), "no value in '=1'");
}

typedef struct machines {
    tacho_arena arena;
    tacho_machine *tiled, *mesh, *gpu;
} machines;

static void find_machines(machines *self)
{
    tacho_arena_init(&self->arena);
    assert_null(tacho_machine_find("aic100", &self->arena, &self->tiled));
    assert_null(tacho_machine_find("wormhole-n150", &self->arena, &self->mesh));
    assert_null(tacho_machine_find("h200", &self->arena, &self->gpu));
}

static void test_machine(void **state)
{
    (void)state;
    machines known;
    tacho_cost_options cost = {0};
    find_machines(&known);
    assert_null(tacho_spec_dtype("bf16", &cost));
    assert_int_equal(cost.compute, TACHO_DTYPE_BF16);
    check_refused(tacho_spec_dtype("f17", &cost), "unknown type 'f17'; use one of ");
    assert_null(tacho_spec_fidelity("LoFi", known.mesh, &cost));
    assert_true(cost.fidelity > 0);
    check_refused(tacho_spec_fidelity("NoFi", known.mesh, &cost), "wormhole-n150 has ");
    check_refused(tacho_spec_fidelity("LoFi", known.tiled, &cost), "a single fidelity");
    assert_null(tacho_spec_grid("8x4", known.mesh, &cost));
    assert_true(cost.grid_x == 8 && cost.grid_y == 4);
    check_refused(tacho_spec_grid("8", known.mesh, &cost), "expected XxY");
    check_refused(tacho_spec_grid("0x4", known.mesh, &cost), "expected XxY");
    check_refused(tacho_spec_grid("99x99", known.mesh, &cost), "cores, not 99x99");
    check_refused(tacho_spec_grid("2x2", known.gpu, &cost), "do not form a grid");
    tacho_arena_deinit(&known.arena);
}

static void test_places(void **state)
{
    (void)state;
    machines known;
    tacho_place_choice places[TACHO_OPERAND_ROLE_COUNT] = {0};
    find_machines(&known);
    assert_null(tacho_spec_places("in0=l1,out=dram", known.mesh, places));
    assert_int_equal(places[0], TACHO_PLACE_ALWAYS_LOCAL);
    assert_int_equal(places[1], TACHO_PLACE_AS_FITS);
    assert_int_equal(places[2], TACHO_PLACE_ALWAYS_DDR);
    check_refused(tacho_spec_places("in0=l1", known.mesh, places), "places an operand twice");
    check_refused(tacho_spec_places("in9=l1", known.mesh, places), "invalid list");
    check_refused(tacho_spec_places("in1=l1,", known.mesh, places), "invalid list");
    memset(places, 0, sizeof(places));
    check_refused(tacho_spec_places("in1=l1", known.tiled, places), "aic100 works in tiles");
    check_refused(tacho_spec_places("in1=l1", known.gpu, places), "operands of h200 are in L2");
    tacho_arena_deinit(&known.arena);
}

static void test_counters(void **state)
{
    (void)state;
    tacho_stats_config stats = {0};
    tacho_str name = TACHO_STR("");
    assert_null(tacho_spec_recipe("KernelUtil", &stats, &name));
    assert_true(stats.pmu_event_count > 0 && tacho_str_equal(name, TACHO_STR("KernelUtil")));
    check_refused(tacho_spec_recipe("kernelutil", &stats, &name), "use one of AxiRd, ");
    stats = (tacho_stats_config){0};
    assert_null(tacho_spec_events("3F, 70,200", &stats));
    assert_int_equal(stats.pmu_event_count, 3);
    assert_int_equal(stats.pmu_events[1], 0x70);
    check_refused(tacho_spec_events("3F", &stats), "event 3F is given twice");
    check_refused(tacho_spec_events("10000", &stats), "invalid event '10000'");
    check_refused(tacho_spec_events("", &stats), "invalid event ''");
    check_refused(tacho_spec_events("1,2,3,4,5,6", &stats), "at most 8 events");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights), cmocka_unit_test(test_dims),
        cmocka_unit_test(test_binds),   cmocka_unit_test(test_machine),
        cmocka_unit_test(test_places),  cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
