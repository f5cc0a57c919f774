/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One layer in the words of several tools, and texts that are none.
 */
#include "analyses/diff_layers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_layers(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/layer1/layer1.0/conv1/Conv", "layer1.0.conv1"},
        {"\"/layer1/layer1.0/conv1/Conv\"", "layer1.0.conv1"},
        {"/layer1/layer1.0/conv1/Conv_kernel_time", "layer1.0.conv1"},
        {"/layer1/layer1.0/conv1/Conv_nchwc_kernel_time", "layer1.0.conv1"},
        {"layer1.0.conv1", "layer1.0.conv1"},
        {"layer1/layer1.0/conv1", "layer1.0.conv1"},
        {"/layer1//layer1.0/Conv", "layer1.0"},
        {"/layer1/layer10/Conv", "layer1.layer10"}, /* not what is in layer1 */
        {"/fc/Gemm", "fc"},
        {"/Gemm", ""},
        {"conv1", ""},
        {"", ""},
        {"\"", ""},
        {"\"\"", ""},
        {"/", ""},
        {"_kernel_time", ""},
        {"aten::addmm", ""},
        {"\"model.mlir\":9:13", ""},
        {"void kernel<float>(a.b)", ""},
        {"load a/b", ""},
    };
    tacho_arena arena;
    tacho_arena_init(&arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_str layer;
        assert_null(tacho_diff_layer_of(tacho_str_from_cstring(cases[i][0]), &arena, &layer));
        assert_int_equal(layer.len, strlen(cases[i][1]));
        assert_memory_equal(layer.data, cases[i][1], layer.len);
    }
    tacho_arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
