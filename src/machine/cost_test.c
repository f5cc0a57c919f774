/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs of single jobs, with numbers worked out by hand.
 */
#include "machine/cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static tacho_machine *find(tacho_arena *arena, const char *name)
{
    tacho_machine *machine = NULL;
    assert_null(tacho_machine_find(name, arena, &machine));
    return machine;
}

static int64_t transfer(const tacho_machine *machine, tacho_engine_class queue, uint64_t bytes)
{
    int64_t cycles;
    assert_null(tacho_cost_transfer(tacho_machine_dma(machine, queue), bytes, &cycles));
    return cycles;
}

/* The vendor's compiler prints these. */
static void test_torq_rules(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *torq = find(&arena, "torq-sl2610");
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_IN, 75264), 15831);
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_OUT, 75264), 15831);
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_IN, 1), 1);
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_LOCAL, 380), 66);
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_LOCAL, 64), 12);
    assert_int_equal(tacho_quantity_whole(&torq->engines[0].issue_cycles), 1);
    int64_t css;
    assert_null(tacho_cost_vector(&torq->engines[1], 7, 1, TACHO_DTYPE_F32, &css));
    assert_int_equal(css, 8000);
    tacho_arena_deinit(&arena);
}

static void test_torq_hw(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *torq = find(&arena, "torq-sl2610");
    assert_null(tacho_machine_torq_hw(torq, "SL2610", &arena));
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_IN, 75264), 15831);
    assert_null(tacho_machine_torq_hw(torq, "7:256:4:qemu:nss_v1", &arena));
    assert_int_equal(tacho_quantity_whole(&torq->memories[0].size_bytes), 256 * 1024);
    assert_int_equal(tacho_quantity_whole(&torq->engines[0].count), 4);
    /* 8 B/cycle times 1.0 times 16/17.5: 1600 * 17.5 / 128 = 218.75 */
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_IN, 1600), 219);
    /* 16 * 0.8 = 12.8 B/cycle */
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_LOCAL, 64), 5);
    assert_null(tacho_machine_torq_hw(torq, "0:512:2:coral_v1:nss_v1:16:0.5:a:b:c", &arena));
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_IN, 1600), 219);
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_LOCAL, 64), 12);
    /* A port of 64 B/cycle, no factor: 75264 * 17.5 / 1024 = 1286.25; memory feeds two of them. */
    assert_null(tacho_machine_torq_hw(torq, "0:512:2:coral_v1:nss_v1:64", &arena));
    assert_int_equal(transfer(torq, TACHO_ENGINE_DMA_IN, 75264), 1287);
    tacho_ratio shared;
    const tacho_memory *xram = tacho_machine_memory(torq, TACHO_MEMORY_DDR);
    assert_null(tacho_cost_memory_rate(xram, &shared));
    assert_true(shared.num == 128 && shared.den == 1);
    assert_true(tacho_str_equal(xram->bytes_per_cycle.text, TACHO_STR("128")));
    static const char *const wrong[] = {"",
                                        "0:512:2",
                                        "x:512:2:a:b",
                                        "0:0:2:a:b",
                                        "0:1:-2:a:b",
                                        "0:1:2::b",
                                        "0:1:2:a:b:0",
                                        "0:1:2:a:b:8:1.5",
                                        "0:1:2:a:b:8:1:t:c:f:more"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        tacho_status status = tacho_machine_torq_hw(torq, wrong[i], &arena);
        assert_non_null(status);
        tacho_status_free(status);
    }
    tacho_arena_deinit(&arena);
}

/* Any other machine is refused by name, whatever the specification. */
static void test_torq_hw_elsewhere(void **state)
{
    (void)state;
    static const char *const specs[] = {"SL2610", "aic100", "0:512:2:coral_v1:nss_v1", "x"};
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *other = find(&arena, "aic100");
    for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
        tacho_status status = tacho_machine_torq_hw(other, specs[i], &arena);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
        assert_string_equal(tacho_status_message(status),
                            "a Torq hardware specification is given, but machine 'aic100' is not a "
                            "Torq machine");
        tacho_status_free(status);
    }
    assert_int_equal(tacho_quantity_whole(&other->memories[0].size_bytes), 8 << 20);
    tacho_arena_deinit(&arena);
}

static int64_t product(const tacho_machine *machine, uint64_t m, uint64_t n, uint64_t k,
                       tacho_dtype dtype, uint32_t fidelity)
{
    int64_t cycles;
    tacho_product p = {m, n, k, dtype, fidelity};
    assert_null(tacho_cost_matrix(machine, &machine->engines[0], p, &cycles));
    return cycles;
}

static void test_products(void **state)
{
    (void)state;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *t = find(&arena, "template");
    /* 17 x 16 x 1 pads to 32 x 16 x 16 = 8192; two passes of 1024 and 20 to start. */
    assert_int_equal(product(t, 17, 16, 1, TACHO_DTYPE_I8, 0), 36);
    assert_int_equal(product(t, 17, 16, 1, TACHO_DTYPE_I8, 1), 28);
    assert_int_equal(product(t, 17, 16, 1, TACHO_DTYPE_BF16, 2), 52);
    /* Nothing is known of u8, which is as wide as i8, nor of f64: the slowest. */
    assert_int_equal(product(t, 16, 16, 16, TACHO_DTYPE_U8, 1), 24);
    assert_int_equal(product(t, 16, 16, 16, TACHO_DTYPE_F64, 1), 28);
    int64_t cycles;
    assert_null(tacho_cost_vector(&t->engines[1], 100, 3, TACHO_DTYPE_F32, &cycles));
    assert_int_equal(cycles, 10 + 19);
    tacho_product huge = {UINT64_MAX, 2, 1, TACHO_DTYPE_I8, 1};
    tacho_status status = tacho_cost_matrix(t, &t->engines[0], huge, &cycles);
    assert_non_null(status);
    tacho_status_free(status);
    /* (2^64 - 1) / (8 * 0.65 * 16/17.5) + 30 fits, that without the 8 does not. */
    assert_null(tacho_cost_transfer(&t->dma[0], UINT64_MAX, &cycles));
    t->dma[0].bytes_per_cycle.value.num = 1;
    status = tacho_cost_transfer(&t->dma[0], UINT64_MAX, &cycles);
    assert_non_null(status);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_torq_rules),
        cmocka_unit_test(test_torq_hw),
        cmocka_unit_test(test_torq_hw_elsewhere),
        cmocka_unit_test(test_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
