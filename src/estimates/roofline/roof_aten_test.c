/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work of PyTorch's operators, computed by hand.
 */
#include "estimates/roofline/roof_aten.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static tacho_aten_call make_call(const char *name)
{
    tacho_aten_call call = {.name = tacho_str_from_cstring(name), .is_whole = true};
    for (size_t i = 0; i < TACHO_ATEN_INPUTS_MAX; i++) {
        call.inputs[i].text = TACHO_STR("");
    }
    return call;
}

static void add_tensor(tacho_aten_call *call, tacho_dtype dtype, uint32_t rank,
                       const uint64_t *dims)
{
    tacho_aten_tensor *tensor = &call->inputs[call->input_count++];
    tensor->dtype = dtype;
    tensor->rank = rank;
    memcpy(tensor->dims, dims, rank * sizeof(*dims));
}

#define TENSOR(call, dtype, ...)                                                                   \
    add_tensor(call, TACHO_DTYPE_##dtype,                                                          \
               (uint32_t)(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)),                   \
               (uint64_t[]){__VA_ARGS__})

static void add_value(tacho_aten_call *call, const char *text)
{
    call->inputs[call->input_count++].text = tacho_str_from_cstring(text);
}

static void assert_work(const tacho_aten_call *call, uint64_t operations, uint64_t bytes,
                        const char *label)
{
    tacho_roof_work work;
    char found[TACHO_ATEN_LABEL_BYTES];
    assert_true(tacho_aten_work(call, &work, found));
    assert_int_equal(work.operations, operations);
    assert_int_equal(work.bytes[TACHO_ROOF_SHARED], bytes);
    assert_string_equal(found, label);
    assert_true(work.is_by_shapes);
}

static void assert_unknown(const tacho_aten_call *call)
{
    tacho_roof_work work;
    char found[TACHO_ATEN_LABEL_BYTES];
    assert_false(tacho_aten_work(call, &work, found));
}

static void test_products(void **state)
{
    (void)state;
    tacho_aten_call call = make_call("aten::mm");
    TENSOR(&call, F32, 2, 3);
    TENSOR(&call, F32, 3, 5);
    assert_work(&call, 60, (6 + 15 + 10) * 4, "2x3x5");
    call.inputs[1].dims[0] = 4; /* the sizes do not fit */
    assert_unknown(&call);
    call = make_call("aten::baddbmm");
    TENSOR(&call, F16, 7, 2, 5);
    TENSOR(&call, F16, 7, 2, 3);
    TENSOR(&call, F16, 7, 3, 5);
    assert_work(&call, 7 * 60, 7 * (10 + 6 + 15 + 10) * 2, "7 of 2x3x5");
    call = make_call("aten::linear");
    TENSOR(&call, BF16, 4, 2, 3);
    TENSOR(&call, BF16, 5, 3);
    TENSOR(&call, BF16, 5);
    assert_work(&call, 8 * 3 * 5 * 2, (24 + 15 + 5 + 40) * 2, "8x3x5");
    call.inputs[0].dims[0] = 0; /* an empty batch reads no weights */
    assert_work(&call, 0, 0, "0x3x5");
}

static void test_results_are_wider(void **state)
{
    (void)state;
    tacho_aten_call call = make_call("aten::_int_mm");
    TENSOR(&call, I8, 2, 3);
    TENSOR(&call, I8, 3, 5);
    assert_work(&call, 60, 6 + 15 + 10 * 4, "2x3x5");
    call = make_call("aten::_scaled_mm");
    TENSOR(&call, F8E4M3, 2, 3);
    TENSOR(&call, F8E4M3, 3, 5);
    assert_work(&call, 60, 6 + 15 + 10, "2x3x5"); /* without a type */
    call.input_count = 6;
    add_value(&call, "15");
    assert_work(&call, 60, 6 + 15 + 10 * 2, "2x3x5");
}

static void test_types_that_meet(void **state)
{
    (void)state;
    tacho_aten_call call = make_call("aten::mul");
    TENSOR(&call, I64, 2, 3);
    TENSOR(&call, F16, 2, 3);
    assert_work(&call, 6, 6 * (8 + 2 + 2), "2x3");
    call.inputs[0].dtype = TACHO_DTYPE_F32;
    assert_work(&call, 6, 6 * (4 + 2 + 4), "2x3");
    call.inputs[0].dtype = TACHO_DTYPE_F64; /* a single number does not widen the others */
    call.inputs[0].rank = 0;
    assert_work(&call, 6, 8 + 6 * (2 + 2), "2x3");
    call.inputs[1].dtype = TACHO_DTYPE_I64; /* but makes them real */
    assert_work(&call, 6, 8 + 6 * (8 + 4), "2x3");
}

static void test_convolutions(void **state)
{
    (void)state;
    tacho_aten_call call = make_call("aten::conv2d");
    TENSOR(&call, F32, 1, 8, 10, 10);
    TENSOR(&call, F32, 8, 1, 3, 3); /* depthwise */
    add_value(&call, "");
    add_value(&call, "[1, 1]");
    add_value(&call, "[0, 0]");
    add_value(&call, "[2, 2]"); /* reaches over 5: 6 x 6 positions */
    add_value(&call, "8");
    assert_work(&call, 8 * 36 * 9 * 2, (800 + 72 + 288) * 4, "1x8x10x10 by 8x1x3x3");
    call.inputs[3].text = TACHO_STR("[0, 0]"); /* a stride of 0: no position */
    assert_work(&call, 0, 0, "1x8x10x10 by 8x1x3x3");
    call.inputs[3].text = TACHO_STR("");
    assert_unknown(&call);
    call = make_call("aten::convolution");
    TENSOR(&call, F32, 1, 2, 4);
    TENSOR(&call, F32, 2, 2, 3);
    add_value(&call, "");
    add_value(&call, "[1]");
    add_value(&call, "[1]");
    add_value(&call, "[1]");
    add_value(&call, "False");
    assert_work(&call, 2 * 4 * 6 * 2, (8 + 12 + 8) * 4, "1x2x4 by 2x2x3");
    call.inputs[6].text = TACHO_STR("True"); /* transposed */
    assert_unknown(&call);
}

/* MIOpen has bias, padding and stride in this order, and no transposed convolutions. */
static void test_convolutions_of_miopen(void **state)
{
    (void)state;
    static const char *const names[] = {"aten::miopen_convolution",
                                        "aten::miopen_depthwise_convolution"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        tacho_aten_call call = make_call(names[i]);
        TENSOR(&call, F32, 1, 2, 4);
        TENSOR(&call, F32, 2, 2, 3);
        TENSOR(&call, F32, 2);
        add_value(&call, "[1]");
        add_value(&call, "[2]"); /* 2 positions */
        add_value(&call, "[1]");
        add_value(&call, "1");
        add_value(&call, "False");
        add_value(&call, "False");
        assert_work(&call, 2 * 2 * 6 * 2, (8 + 12 + 2 + 4) * 4, "1x2x4 by 2x2x3");
    }
    tacho_aten_call call = make_call("aten::miopen_convolution_relu");
    TENSOR(&call, F32, 1, 2, 4);
    TENSOR(&call, F32, 2, 2, 3);
    TENSOR(&call, F32, 2);
    add_value(&call, "[2]");
    add_value(&call, "[1]");
    add_value(&call, "[1]");
    add_value(&call, "1");
    assert_work(&call, 2 * 2 * 6 * 2, (8 + 12 + 2 + 4) * 4, "1x2x4 by 2x2x3");
}

/* Each gradient in the mask costs as much as the convolution; that of the bias is free. */
static void test_gradients_of_convolutions(void **state)
{
    (void)state;
    tacho_aten_call call = make_call("aten::convolution_backward");
    TENSOR(&call, F32, 1, 2, 4); /* of the result */
    TENSOR(&call, F32, 1, 2, 4);
    TENSOR(&call, F32, 2, 2, 3);
    add_value(&call, "[0]");
    add_value(&call, "[1]");
    add_value(&call, "[1]");
    add_value(&call, "[1]");
    add_value(&call, "False");
    add_value(&call, "[0]");
    add_value(&call, "1");
    add_value(&call, "[True, True, True]");
    assert_work(&call, 2 * (8 * 6 * 2), (8 + 2 * (8 + 12)) * 4, "1x2x4 by 2x2x3");
    call.inputs[10].text = TACHO_STR("[False, True, True]"); /* first layers of networks */
    assert_work(&call, 8 * 6 * 2, (8 + 8 + 12) * 4, "1x2x4 by 2x2x3");
    call.inputs[10].text = TACHO_STR("[False, False, True]");
    assert_unknown(&call);
    call.inputs[10].text = TACHO_STR("[True, True, True]");
    call.inputs[7].text = TACHO_STR("True");
    assert_unknown(&call);
}

static void test_attention(void **state)
{
    (void)state;
    tacho_aten_call call = make_call("aten::_scaled_dot_product_flash_attention");
    TENSOR(&call, F16, 1, 2, 8, 4);
    TENSOR(&call, F16, 1, 2, 16, 4);
    TENSOR(&call, F16, 1, 2, 16, 6);
    add_value(&call, "0.");
    add_value(&call, "False");
    uint64_t bytes = (64 + 128 + 192 + 96) * 2;
    assert_work(&call, 2 * 2 * 8 * 16 * (4 + 6), bytes, "1x2x8x4");
    call.inputs[4].text = TACHO_STR("True");
    assert_work(&call, 2 * 8 * 16 * (4 + 6), bytes, "1x2x8x4");
    call = make_call("aten::_flash_attention_forward"); /* heads after positions */
    TENSOR(&call, F16, 1, 8, 2, 4);
    TENSOR(&call, F16, 1, 16, 2, 4);
    TENSOR(&call, F16, 1, 16, 2, 6);
    assert_work(&call, 2 * 2 * 8 * 16 * (4 + 6), bytes, "1x8x2x4");
}

static void test_elements(void **state)
{
    (void)state;
    tacho_aten_call call = make_call("aten::mul");
    TENSOR(&call, F32, 4, 1, 3);
    TENSOR(&call, F32, 5, 1);
    assert_work(&call, 60, (12 + 5 + 60) * 4, "4x5x3");
    call.inputs[1].dims[0] = 2;
    call.inputs[1].dims[1] = 2;
    assert_unknown(&call);
    call = make_call("aten::native_layer_norm");
    TENSOR(&call, F16, 2, 8);
    assert_work(&call, 16 * 8, 64, "2x8");
    add_value(&call, "[8]");
    TENSOR(&call, F16, 8);
    TENSOR(&call, F16, 8);
    assert_work(&call, 16 * 8, 64 + 32, "2x8");
    call = make_call("aten::embedding");
    TENSOR(&call, F16, 1000, 8);
    TENSOR(&call, I64, 3);
    assert_work(&call, 0, 24 + 48, "3");
}

static void test_absurd_sizes(void **state)
{
    (void)state;
    tacho_aten_call call = make_call("aten::mm");
    TENSOR(&call, F32, UINT64_C(1) << 40, UINT64_C(1) << 40);
    TENSOR(&call, F32, UINT64_C(1) << 40, UINT64_C(1) << 40);
    assert_unknown(&call);
    call = make_call("aten::relu");
    assert_unknown(&call); /* no operand */
    TENSOR(&call, F32, 4);
    call.is_whole = false;
    assert_unknown(&call);
    call = make_call("aten::unknown");
    TENSOR(&call, F32, 4);
    assert_unknown(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_results_are_wider),
        cmocka_unit_test(test_types_that_meet),
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_convolutions_of_miopen),
        cmocka_unit_test(test_gradients_of_convolutions),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_absurd_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
