/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata as PyTorch's exporter writes it, and as it should not be.
 */
#include "graph/onnx_scopes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static tacho_onnx_metadata metadata_of(const char *key, const char *value)
{
    tacho_onnx_metadata metadata = {.name_scopes = TACHO_STR("")};
    tacho_onnx_metadata_add(&metadata, tacho_str_from_cstring(key), tacho_str_from_cstring(value));
    return metadata;
}

static void expect_layer(const char *key, const char *value, const char *expected)
{
    const tacho_onnx_metadata metadata = metadata_of(key, value);
    tacho_arena arena;
    tacho_str layer;
    tacho_arena_init(&arena);
    assert_null(tacho_onnx_metadata_layer(&metadata, &arena, &layer));
    assert_int_equal(layer.len, strlen(expected));
    assert_memory_equal(layer.data, expected, layer.len);
    tacho_arena_deinit(&arena);
}

static void test_layers(void **state)
{
    const char *scopes = "pkg.torch.onnx.name_scopes";
    (void)state;
    expect_layer(scopes, "['', 'm', 'm.enc', 'm.enc.layer.3', 'm.enc.layer.3.mlp', 'gelu_3']",
                 "m/enc/layer.3/mlp");
    expect_layer(scopes, "['', 'encoder', 'encoder2', 'linear']", "encoder/encoder2");
    expect_layer(scopes, "['', \"it's\", 'add']", "it's");
    expect_layer(scopes, "['', 'a', 'a', 'add']", "a"); /* one that calls itself */
    expect_layer(scopes, "['', 'add']", "");
    expect_layer(scopes, "[]", "");
    expect_layer(scopes, "['', 'cut", "");
    expect_layer(scopes, "['a\\", "");
    expect_layer("namespace", ": Net/enc: pkg.Encoder/enc.layer.3: pkg.Layer/linear: aten.linear",
                 "enc/layer.3");
    expect_layer("namespace", "/", "");
    expect_layer("pkg.torch.onnx.class_hierarchy", "['pkg.Net', 'pkg.Encoder', 'aten.linear']",
                 "Net/Encoder");
    expect_layer("other", "['', 'a', 'b']", "");
}

static void test_deep_layers_end(void **state)
{
    enum { LEVELS = 400 };
    static const char level[] = "'a','b',";
    char text[LEVELS / 2 * (sizeof(level) - 1) + 16] = "['',";
    size_t len = strlen(text);
    (void)state;
    for (int i = 0; i < LEVELS / 2; i++) {
        memcpy(text + len, level, sizeof(level));
        len += sizeof(level) - 1;
    }
    memcpy(text + len, "'add']", sizeof("'add']"));
    const tacho_onnx_metadata metadata = metadata_of("pkg.torch.onnx.name_scopes", text);
    tacho_arena arena;
    tacho_str layer;
    tacho_arena_init(&arena);
    assert_null(tacho_onnx_metadata_layer(&metadata, &arena, &layer));
    assert_int_equal(layer.len, 2 * 63 - 1);
    tacho_arena_deinit(&arena);
}

static void expect_line(const char *trace, const char *expected, uint32_t number)
{
    const tacho_onnx_metadata metadata = metadata_of("pkg.torch.onnx.stack_trace", trace);
    tacho_str file = TACHO_STR("");
    uint32_t line = 0;
    bool is_found = tacho_onnx_metadata_line(&metadata, &file, &line);
    assert_int_equal(is_found, expected != NULL);
    if (is_found) {
        assert_int_equal(file.len, strlen(expected));
        assert_memory_equal(file.data, expected, file.len);
        assert_int_equal(line, number);
    }
}

static void test_lines(void **state)
{
    (void)state;
    expect_line("File \"/home/me/net.py\", line 8, in forward\n    return self.enc(x)\n"
                "  File \"/usr/lib/python3/dist-packages/zoo/enc.py\", line 21, in forward\n"
                "    x = self.fc(x)\n"
                "  File \"/venv/lib/site-packages/torch/nn/modules/linear.py\", line 134, in "
                "forward\n    return F.linear(x)",
                "zoo/enc.py", 21);
    expect_line("File \"/venv/site-packages/torch/a.py\", line 1, in f\n    x\n"
                "File \"/venv/site-packages/torch/b.py\", line 2, in f\n    x",
                "torch/b.py", 2);
    expect_line("", NULL, 0);
    expect_line("File \"a.py\", line x, in f", NULL, 0);
    expect_line("File \"\", line 1, in f", NULL, 0);
    expect_line("File \"a.py\", line 99999999999, in f", NULL, 0);
    expect_line("File \"a.py", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_deep_layers_end),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
