/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of dimensions and texts of axes. Whole sweeps are golden cases.
 */
#include "session/sweep_dims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_roles(void **state)
{
    static const struct {
        const char *name;
        tacho_dim_role role;
    } rows[] = {
        {"batch", TACHO_DIM_BATCH},
        {"batch_size", TACHO_DIM_BATCH},
        {"N", TACHO_DIM_BATCH},
        {"seq", TACHO_DIM_SEQUENCE},
        {"sequence_length", TACHO_DIM_SEQUENCE},
        {"decoder_sequence_length", TACHO_DIM_SEQUENCE},
        {"past_sequence_length", TACHO_DIM_PAST},
        {"past_seq_len", TACHO_DIM_PAST},
        {"kv_length", TACHO_DIM_PAST},
        {"total_sequence_length", TACHO_DIM_TOTAL},
        {"past_sequence_length + sequence_length", TACHO_DIM_TOTAL},
        {"past_sequence_length + 1", TACHO_DIM_TOTAL},
        {"max_sequence_length", TACHO_DIM_TOTAL},
        {"height", TACHO_DIM_OTHER},
        {"", TACHO_DIM_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(tacho_dim_role_of(tacho_str_from_cstring(rows[i].name)), rows[i].role);
    }
}

static void test_axes(void **state)
{
    static const char *const bad[] = {
        "",       "batch", "=1",    "seq=",    "seq=1,,2",    "seq=1,",
        "seq=-1", "seq=x", "seq=0", "batch=2", "s=9999999999"};
    tacho_sweep_axes axes = {.count = 0};
    (void)state;
    assert_true(tacho_sweep_axes_add(&axes, "batch=1,4,16") == TACHO_OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tacho_status status = tacho_sweep_axes_add(&axes, bad[i]);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
        tacho_status_free(status);
        assert_int_equal(axes.count, 1);
    }
    assert_true(tacho_sweep_axes_add(&axes, "seq=128") == TACHO_OK);
    assert_true(tacho_sweep_axes_add(&axes, "a=1") == TACHO_OK);
    assert_true(tacho_sweep_axes_add(&axes, "b=1") == TACHO_OK);
    tacho_status status = tacho_sweep_axes_add(&axes, "c=1");
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    tacho_status_free(status);
    assert_int_equal(axes.items[0].value_count, 3);
    assert_int_equal(axes.items[0].values[2], 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roles), cmocka_unit_test(test_axes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
