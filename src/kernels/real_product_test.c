/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quick kernels that multiply matrices of f32 against their reference kernels, on shapes that are
 * no multiple of a block or a panel; and the products themselves with every instruction set, which
 * give the same bits.
 */
#include "kernels/byte_matrix.h"
#include "kernels/element.h"
#include "kernels/kernel_testing.h"
#include "kernels/quick.h"
#include "kernels/real_product.h"

#include <string.h>

enum { FLOATS_MAX = 40000 };

/* Numbers between -1 and 1. */
static void fill(float *to, int64_t count, uint64_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        to[i] = (float)(int32_t)(seed >> 33) * 0x1p-30f - 1;
    }
}

static tacho_array make_input(tacho_shape shape, uint64_t seed)
{
    tacho_array array = {TACHO_DTYPE_F32, shape, calloc(FLOATS_MAX, sizeof(float))};
    assert_non_null(array.data);
    assert_true(tacho_array_elements(&array) <= FLOATS_MAX);
    fill(array.data, tacho_array_elements(&array), seed);
    return array;
}

/* Runs both kernels of a call; outputs are within |most| of each other, and the quick kernel's are
 * the same with constants that it has prepared. */
static void compare(const char *name, tacho_kernel_call *call, double most)
{
    tacho_array outputs[3][3];
    tacho_arena arena;
    tacho_arena_init(&arena);
    for (int i = 0; i < 3; i++) {
        for (size_t j = 0; j < call->output_count; j++) {
            outputs[i][j] = call->outputs[j];
            outputs[i][j].data = calloc(FLOATS_MAX, sizeof(float));
            assert_non_null(outputs[i][j].data);
        }
    }
    call->outputs = outputs[0];
    const tacho_kernel *quick = tacho_quick_find(tacho_str_from_cstring(name), call);
    assert_non_null(quick);
    assert_null(tacho_kernel_compute(quick, call));
    call->outputs = outputs[1];
    assert_null(tacho_kernel_compute(tacho_kernel_find(tacho_str_from_cstring(name)), call));
    call->outputs = outputs[2];
    assert_null(tacho_quick_prepare(tacho_str_from_cstring(name), call, &arena, &call->prepared));
    assert_int_equal(call->prepared != NULL, strcmp(name, "Einsum") != 0);
    assert_null(tacho_kernel_compute(quick, call));
    for (size_t j = 0; j < call->output_count; j++) {
        const float *found = outputs[0][j].data, *expected = outputs[1][j].data;
        assert_memory_equal(found, outputs[2][j].data, FLOATS_MAX * sizeof(float));
        free(outputs[2][j].data);
        for (int64_t i = 0; i < FLOATS_MAX; i++) { /* nothing is written after the end either */
            assert_true(fabs((double)found[i] - (double)expected[i]) <= most);
        }
        free(outputs[0][j].data);
        free(outputs[1][j].data);
    }
    tacho_arena_deinit(&arena);
}

static void check_sum(const char *equation, tacho_shape a, tacho_shape b, tacho_shape out)
{
    tacho_attr attr = {.name = TACHO_STR("equation"),
                       .kind = TACHO_ATTR_TEXT,
                       .value.as_text = tacho_str_from_cstring(equation)};
    tacho_array inputs[] = {make_input(a, 1), make_input(b, 2)};
    const tacho_array *links[] = {&inputs[0], &inputs[1]};
    tacho_array output = {TACHO_DTYPE_F32, out, NULL};
    compare("Einsum",
            &(tacho_kernel_call){.opset = 13,
                                 .inputs = links,
                                 .input_count = 2,
                                 .outputs = &output,
                                 .output_count = 1,
                                 .attrs = &attr,
                                 .attr_count = 1},
            3e-5);
    free(inputs[0].data);
    free(inputs[1].data);
}

static void test_sums(void **state)
{
    (void)state;
    check_sum("ij,jk->ik", SHAPE(7, 130), SHAPE(130, 67), SHAPE(7, 67));
    check_sum("ij,jk->ki", SHAPE(13, 5), SHAPE(5, 300), SHAPE(300, 13));
    check_sum("bqhd,bkhd->bhqk", SHAPE(2, 5, 3, 16), SHAPE(2, 6, 3, 16), SHAPE(2, 3, 5, 6));
    check_sum("bhqk,bkhd->bqhd", SHAPE(2, 3, 5, 6), SHAPE(2, 6, 3, 16), SHAPE(2, 5, 3, 16));
    check_sum("...ij,...jk->...ik", SHAPE(3, 4, 9), SHAPE(9, 8), SHAPE(3, 4, 8));
    check_sum("ij,ij->ij", SHAPE(9, 8), SHAPE(9, 8), SHAPE(9, 8));
    check_sum("ij,ij->", SHAPE(9, 8), SHAPE(9, 8), SCALAR);
    check_sum("i,j->ij", SHAPE(70), SHAPE(80), SHAPE(70, 80));
    check_sum("ijk,k->i", SHAPE(4, 5, 6), SHAPE(6), SHAPE(4)); /* a sum of the first alone */
    check_sum("ii,ij->j", SHAPE(9, 9), SHAPE(9, 4), SHAPE(4)); /* a diagonal */
    check_sum("ij,jk->ik", SHAPE(7, 1), SHAPE(6, 5), SHAPE(7, 5));
    check_sum("ij,jk->ik", SHAPE(0, 3), SHAPE(3, 5), SHAPE(0, 5));
    check_sum("ij,jk->ik", SHAPE(2, 0), SHAPE(0, 5), SHAPE(2, 5));
}

typedef struct layer_case {
    const char *name;
    int64_t gates, steps, batch, inputs, hidden, directions;
    tacho_attr attrs[3];
} layer_case;

static void check_layer(const layer_case *at)
{
    int64_t rows = at->gates * at->hidden;
    bool is_batch_first = strcmp(at->attrs[0].name.data, "layout") == 0;
    tacho_shape x = SHAPE(at->steps, at->batch, at->inputs);
    tacho_shape all = SHAPE(at->steps, at->directions, at->batch, at->hidden);
    tacho_shape last = SHAPE(at->directions, at->batch, at->hidden);
    if (is_batch_first) {
        x = SHAPE(at->batch, at->steps, at->inputs);
        all = SHAPE(at->batch, at->steps, at->directions, at->hidden);
        last = SHAPE(at->batch, at->directions, at->hidden);
    }
    tacho_array inputs[] = {make_input(x, 1),
                            make_input(SHAPE(at->directions, rows, at->inputs), 2),
                            make_input(SHAPE(at->directions, rows, at->hidden), 3),
                            make_input(SHAPE(at->directions, 2 * rows), 4), make_input(last, 5)};
    int32_t lengths[8] = {(int32_t)at->steps, 1, (int32_t)at->steps - 1, 2, 2, 1, 1, 1};
    tacho_array shorter = {TACHO_DTYPE_I32, SHAPE(at->batch), lengths};
    const tacho_array *links[] = {&inputs[0], &inputs[1], &inputs[2],
                                  &inputs[3], &shorter,   &inputs[4]};
    tacho_array outputs[] = {
        {TACHO_DTYPE_F32, all, NULL}, {TACHO_DTYPE_F32, last, NULL}, {TACHO_DTYPE_F32, last, NULL}};
    size_t attr_count = 0;
    while (attr_count < 3 && at->attrs[attr_count].name.len > 0) {
        attr_count++;
    }
    compare(at->name,
            &(tacho_kernel_call){.opset = 14,
                                 .inputs = links,
                                 .input_count = 6,
                                 .outputs = outputs,
                                 .output_count = at->gates == 4 ? 3 : 2,
                                 .attrs = at->attrs,
                                 .attr_count = attr_count},
            2e-5);
    for (size_t i = 0; i < 5; i++) {
        free(inputs[i].data);
    }
}

static void test_layers(void **state)
{
    (void)state;
    static const layer_case cases[] = {
        {"LSTM", 4, 5, 1, 19, 35, 1, {INT("hidden_size", 35)}},
        {"LSTM", 4, 5, 3, 7, 9, 2, {TEXT("direction", "bidirectional")}},
        {"LSTM", 4, 4, 2, 7, 9, 1, {INT("layout", 1), INT("input_forget", 1)}},
        {"LSTM", 4, 4, 2, 7, 9, 1, {REAL("clip", 0.3), TEXT("direction", "reverse")}},
        {"GRU", 3, 5, 2, 19, 35, 1, {INT("hidden_size", 35)}},
        {"GRU",
         3,
         5,
         2,
         19,
         35,
         2,
         {TEXT("direction", "bidirectional"), INT("linear_before_reset", 1)}},
        {"RNN", 1, 6, 3, 4, 66, 1, {INT("hidden_size", 66)}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_layer(&cases[i]);
    }
}

/* Bytes; those that are weights have zero points, by direction or by row. */
static tacho_array make_bytes(tacho_dtype dtype, tacho_shape shape, uint64_t seed)
{
    tacho_array array = make_input(shape, seed);
    uint8_t *bytes = array.data;
    for (int64_t i = 0, count = tacho_array_elements(&array); i < count; i++) {
        bytes[i] = (uint8_t)(128 + 127 * ((float *)array.data)[i]); /* trails the reads */
    }
    array.dtype = dtype;
    return array;
}

static void check_bytes(tacho_dtype dtype, bool is_by_row, int64_t batch, int64_t width,
                        int64_t hidden)
{
    enum { STEPS = 5, BOTH = 2, GIVEN = 14 };
    int64_t rows = 4 * hidden;
    tacho_shape last = SHAPE(BOTH, batch, hidden);
    tacho_shape each = is_by_row ? SHAPE(BOTH, rows) : SHAPE(BOTH);
    tacho_array inputs[GIVEN] = {
        [0] = make_bytes(TACHO_DTYPE_U8, SHAPE(STEPS, batch, width), 1),
        [1] = make_bytes(dtype, SHAPE(BOTH, rows, width), 2),
        [2] = make_bytes(dtype, SHAPE(BOTH, rows, hidden), 3),
        [3] = make_input(SHAPE(BOTH, 2 * rows), 4),
        [5] = make_input(last, 5),
        [8] = make_input(SCALAR, 6),
        [9] = make_bytes(TACHO_DTYPE_U8, SCALAR, 7),
        [10] = make_input(each, 8),
        [11] = make_bytes(dtype, each, 9),
        [12] = make_input(each, 10),
        [13] = make_bytes(dtype, each, 11),
    };
    static const size_t scales[] = {8, 10, 12};
    const tacho_array *links[GIVEN] = {NULL};
    for (size_t i = 0; i < GIVEN; i++) {
        links[i] = inputs[i].data == NULL ? NULL : &inputs[i];
    }
    for (size_t i = 0; i < 3; i++) { /* sums stay where gates are not all 0 or 1 */
        float *scale = inputs[scales[i]].data;
        for (int64_t j = 0; j < tacho_array_elements(&inputs[scales[i]]); j++) {
            scale[j] = 0.01f + 0.005f * scale[j];
        }
    }
    tacho_attr attr = TEXT("direction", "bidirectional");
    tacho_array outputs[] = {{TACHO_DTYPE_F32, SHAPE(STEPS, BOTH, batch, hidden), NULL},
                             {TACHO_DTYPE_F32, last, NULL},
                             {TACHO_DTYPE_F32, last, NULL}};
    compare("tacho.QuantisedLSTM",
            &(tacho_kernel_call){.opset = 14,
                                 .inputs = links,
                                 .input_count = GIVEN,
                                 .outputs = outputs,
                                 .output_count = 3,
                                 .attrs = &attr,
                                 .attr_count = 1},
            1e-6); /* sums are the same, functions nearly */
    for (size_t i = 0; i < GIVEN; i++) {
        free(inputs[i].data);
    }
}

static void test_bytes(void **state)
{
    (void)state;
    check_bytes(TACHO_DTYPE_I8, false, 1, 19, 35);
    check_bytes(TACHO_DTYPE_U8, true, 3, 16, 8);
    check_bytes(TACHO_DTYPE_I8, true, 7, 1, 17);
    check_bytes(TACHO_DTYPE_U8, false, 2, 19, 1);
    check_bytes(TACHO_DTYPE_I8, false, 2, 0, 5); /* inputs of no elements */
}

/* Columns of no elements: sums are zeros, and no scratch memory is touched. */
static void test_no_depth(void **state)
{
    (void)state;
    const int16_t zeros[3] = {1, 2, 3};
    tacho_byte_columns columns = {.data = (const unsigned char *)"", .zeros = zeros, .columns = 3};
    tacho_byte_matrix matrix;
    tacho_arena arena;
    int16_t around[2] = {7, 7};
    int32_t sums[2 * 3] = {9, 9, 9, 9, 9, 9};
    tacho_arena_init(&arena);
    assert_null(tacho_byte_matrix_pack(&columns, &arena, &matrix));
    assert_int_equal(tacho_byte_matrix_scratch_count(&matrix, 2), 0);
    tacho_byte_matrix_multiply(&matrix, (const uint8_t *)"", 2, 0, around + 1, sums);
    assert_true(around[0] == 7 && around[1] == 7);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(sums[i], 0);
    }
    tacho_arena_deinit(&arena);
}

/* All sets, bit by bit, against a loop. */
static void test_products(void **state)
{
    (void)state;
    enum { ROWS = 8, DEPTH = 37, COLUMNS = 131 };
    static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], packed[DEPTH * 256], found[ROWS * COLUMNS];
    int64_t a_rows[ROWS], depth[DEPTH], b_rows[DEPTH], columns[COLUMNS], out_rows[ROWS];
    float scratch[6 * DEPTH];
    fill(a, ROWS * DEPTH, 1);
    fill(b, DEPTH * COLUMNS, 2);
    for (int64_t i = 0; i < COLUMNS; i++) {
        columns[i] = i;
        depth[i % DEPTH] = i % DEPTH;
        b_rows[i % DEPTH] = i % DEPTH * COLUMNS;
        a_rows[i % ROWS] = i % ROWS * DEPTH;
        out_rows[i % ROWS] = i % ROWS * COLUMNS;
    }
    tacho_real_matrix left = {a, a_rows, depth}, right = {b, b_rows, columns};
    tacho_real_matrix out = {found, out_rows, columns};
    tacho_real_sizes sizes = {ROWS, DEPTH, COLUMNS};
    for (int set = TACHO_VECTOR_PLAIN; set <= (int)tacho_vector_best(); set++) {
        assert_true(tacho_real_packed_count((tacho_vector_set)set, DEPTH, COLUMNS) <= DEPTH * 256);
        assert_true(tacho_real_scratch_count((tacho_vector_set)set, DEPTH) <= 6 * DEPTH);
        tacho_real_pack((tacho_vector_set)set, &right, 0, COLUMNS, DEPTH, packed);
        tacho_real_multiply((tacho_vector_set)set, &sizes, &left, packed, 0, &out, scratch);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            float sum = 0;
            for (int k = 0; k < DEPTH; k++) {
                sum += a[i / COLUMNS * DEPTH + k] * b[k * COLUMNS + i % COLUMNS];
            }
            assert_memory_equal(&found[i], &sum, sizeof(sum));
        }
        float row[COLUMNS];
        tacho_real_multiply_row((tacho_vector_set)set, a, DEPTH, packed, COLUMNS, row);
        assert_memory_equal(row, found, sizeof(row));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),     cmocka_unit_test(test_layers),
        cmocka_unit_test(test_bytes),    cmocka_unit_test(test_no_depth),
        cmocka_unit_test(test_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
