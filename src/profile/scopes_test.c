/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names as PyTorch's profiler, NVTX, exporters and MLIR write them.
 */
#include "profile/scopes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_text(tacho_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

static void test_spans_are_scopes(void **state)
{
    static const struct {
        const char *category, *name;
        tacho_scope_kind kind;
        const char *scope;
        bool is_of_library;
    } cases[] = {
        {"python_function", "nn.Module: BertLayer_3", TACHO_SCOPE_LAYER, "BertLayer_3", false},
        {"python_function", "model.py(12): forward", TACHO_SCOPE_FRAME, "model.py(12): forward",
         false},
        {"python_function", "torch/nn/modules/linear.py(124): forward", TACHO_SCOPE_FRAME,
         "torch/nn/modules/linear.py(124): forward", true},
        {"python_function", "<built-in method f of X object at 0x7f(12): >", TACHO_SCOPE_FRAME,
         "<built-in method f of X object at 0x7f(12): >", false},
        {"python_function", "<built-in function len>", TACHO_SCOPE_NONE, "", false},
        {"python_function", "model.py(): f", TACHO_SCOPE_NONE, "", false},
        {"python_function", "(12): f", TACHO_SCOPE_NONE, "", false},
        {"python_function", "f(12)", TACHO_SCOPE_NONE, "", false},
        {"user_annotation", "forward", TACHO_SCOPE_LAYER, "forward", false},
        {"user_annotation", "ProfilerStep#7", TACHO_SCOPE_STEP, "ProfilerStep#7", false},
        {"user_annotation", "step_0", TACHO_SCOPE_STEP, "step_0", false},
        {"user_annotation", "Iteration 3/10", TACHO_SCOPE_STEP, "Iteration 3/10", false},
        {"gpu_user_annotation", "epoch 1, step 7", TACHO_SCOPE_STEP, "epoch 1, step 7", false},
        {"nvtx", "inference", TACHO_SCOPE_STEP, "inference", false},
        {"user_annotation", "step 3: forward", TACHO_SCOPE_LAYER, "forward", false},
        {"user_annotation", "request 4711/decoder.3", TACHO_SCOPE_LAYER, "decoder.3", false},
        {"user_annotation", "train_step_12", TACHO_SCOPE_LAYER, "train_step", false},
        {"nvtx", "batch_norm1", TACHO_SCOPE_LAYER, "batch_norm1", false},
        {"nvtx", "BatchNorm2d_3", TACHO_SCOPE_LAYER, "BatchNorm2d_3", false},
        {"user_annotation", "load_batch", TACHO_SCOPE_LAYER, "load_batch", false},
        {"user_annotation", "footstep_3", TACHO_SCOPE_LAYER, "footstep_3", false},
        {"user_annotation", "layer_3", TACHO_SCOPE_LAYER, "layer_3", false},
        {"user_annotation", "Optimizer.step#SGD.step", TACHO_SCOPE_LAYER, "Optimizer.step#SGD.step",
         false},
        {"nvtx", "block", TACHO_SCOPE_LAYER, "block", false},
        {"nvtx", "aten::linear, op_id = 12, sizes = [[1, 4]]", TACHO_SCOPE_OPERATOR, "aten::linear",
         false},
        {"NVTX", "aten::add", TACHO_SCOPE_OPERATOR, "aten::add", false},
        {"user_annotation", "aten::add", TACHO_SCOPE_LAYER, "aten::add", false},
        {"cpu_op", "ProfilerStep#7", TACHO_SCOPE_OPERATOR, "ProfilerStep#7", false},
        {"kernel", "gemm", TACHO_SCOPE_NONE, "", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_scope scope = tacho_scope_of(tacho_str_from_cstring(cases[i].category),
                                           tacho_str_from_cstring(cases[i].name));
        assert_int_equal(scope.kind, cases[i].kind);
        assert_text(scope.name, cases[i].scope);
        assert_int_equal(scope.is_of_library, cases[i].is_of_library);
    }
}

static void test_locations(void **state)
{
    static const struct {
        const char *text, *layer, *line;
    } cases[] = {
        {"loc(\"conv1\"(\"model.mlir\":12:3))", "", "model.mlir:12"},
        {"\"node_1\"(\"encoder/layer.3\"(\"model.py\":210:0))", "encoder/layer.3", "model.py:210"},
        {"\"/encoder/layer.3/query/MatMul\"", "encoder/layer.3/query", ""},
        {"fused[\"/a/b/Conv\", \"/a/c/Relu\"]", "a/b", ""},
        {"fused[\"x.mlir\":4:2, \"/a/c/Relu\"]", "a/c", "x.mlir:4"},
        {"\"/Conv\"", "", ""},
        {"unknown", "", ""},
        {"not a location", "", ""},
        {"", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_arena arena;
        tacho_str layer;
        tacho_str line;
        tacho_arena_init(&arena);
        assert_null(
            tacho_scope_of_location(tacho_str_from_cstring(cases[i].text), &arena, &layer, &line));
        assert_text(layer, cases[i].layer);
        assert_text(line, cases[i].line);
        tacho_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans_are_scopes),
        cmocka_unit_test(test_locations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
