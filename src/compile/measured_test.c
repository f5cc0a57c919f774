/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of measured operators: the meaning of rows, and rejected tables.
 */
#include "compile/measured.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static tacho_status read_text(tacho_measured_table *table, const char *text)
{
    tacho_input input;
    assert_null(tacho_input_open_bytes("t.csv", tacho_str_from_cstring(text), &input));
    tacho_status status = tacho_measured_init(table, &input);
    tacho_input_close(&input);
    return status;
}

/* "Conv 1x3x4x4 8x3x3x3": operator and inputs of the only row. */
static void check_row(const char *text, const char *expected)
{
    tacho_measured_table table;
    char found[256];
    char shape[TACHO_SHAPE_TEXT_MAX];
    assert_null(read_text(&table, text));
    assert_int_equal(table.row_count, 1);
    const tacho_measured *row = &table.rows[0];
    int len = snprintf(found, sizeof(found), "%.*s", TACHO_STR_ARG(row->op));
    for (uint32_t i = 0; i < row->input_count; i++) {
        tacho_shape_print(&row->inputs[i].shape, shape, sizeof(shape));
        len += snprintf(found + len, sizeof(found) - (size_t)len, " %s", shape);
    }
    assert_string_equal(found, expected);
    tacho_measured_deinit(&table);
}

static void test_rows(void **state)
{
    (void)state;
    check_row("M,K,N,cycles\n2,3,4,5\n", "MatMul 2x3 3x4");
    check_row("op,shape,us\nmatmul,2x3x4,5\n", "MatMul 2x3 3x4");
    check_row("op,shape,us\nbatch_matmul,7x2x3x4,5\n", "MatMul 7x2x3 7x3x4");
    check_row("op,shape,us\nconv2d,1x6x8x8:k4r3s2p1g2,5\n", "Conv 1x6x8x8 4x3x3x3");
    check_row("name,loops,cycles\na,N1 C64 M32 P14 Q14 S3 R3,5\n", "Conv 1x64x14x14 32x64x3x3");
    check_row("loops,stride,ns\nN1 C64 M32 P14 Q14 S3 R3,2,5\n", "Conv 1x64x28x28 32x64x3x3");
    check_row("op,shape,ns\nlayernorm,2x8,5\n", "LayerNormalization 2x8 8 8");
    check_row("op,shape,ns\nreduce_sum,2x8,5\n", "ReduceSum 2x8 1");
    check_row("op,shapes,attributes,ns\nGemm,2x3;3x4;4,transA=0,5\n", "Gemm 2x3 3x4 4");
    check_row("ns,shapes,op\n5,\"2x3;=-1\",ReduceSum\n", "ReduceSum 2x3 1");
}

static void test_way(void **state)
{
    (void)state;
    tacho_measured_table table;
    assert_null(read_text(&table, "table,M,K,N,grid_x,grid_y,in0_mem,in1_mem,out_mem,dtype,"
                                  "fidelity,host_ns,device_ns_derived\n"
                                  "N150 Tuned,2,3,4,8,4,L1,DRAM,DRAM,BFLOAT8_B,LoFi,9,70.5\n\n"
                                  "Other,2,3,4,8,4,DRAM,DRAM,L1,BFLOAT16,HiFi2,9,71\n"));
    const tacho_measured *row = &table.rows[0];
    assert_int_equal(table.row_count, 2);
    assert_int_equal(row->dtype, TACHO_DTYPE_BFP8);
    assert_int_equal(row->places[TACHO_OPERAND_INPUT], TACHO_PLACE_ALWAYS_LOCAL);
    assert_int_equal(row->places[TACHO_OPERAND_OUTPUT], TACHO_PLACE_ALWAYS_DDR);
    assert_int_equal(row->grid_y, 4);
    assert_true(row->is_tuned && !row[1].is_tuned);
    assert_true(row->ns == 70.5 && row->cycles == 0.0);
    assert_true(tacho_str_equal(row->fidelity, TACHO_STR("LoFi")));
    assert_true(tacho_str_equal(row->shape_key, row[1].shape_key));
    assert_int_equal(row[1].line, 4);
    assert_true(tacho_str_equal(table.ignored, TACHO_STR("host_ns")));
    assert_true(tacho_str_equal(table.timed, TACHO_STR("device_ns_derived")));
    tacho_measured_deinit(&table);
}

static void check_bad(const char *text, const char *expected)
{
    tacho_measured_table table;
    tacho_status status = read_text(&table, text);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    if (strstr(tacho_status_message(status), expected) == NULL) {
        fail_msg("'%s' does not say '%s'", tacho_status_message(status), expected);
    }
    tacho_status_free(status);
    tacho_measured_deinit(&table);
}

static void test_bad(void **state)
{
    (void)state;
    check_bad("", "no rows");
    check_bad("M,K,N,cycles\n", "no rows");
    check_bad("M,K,N\n1,1,1\n", "t.csv:1: no column says how long");
    check_bad("M,K,cycles\n1,1,1\n", "t.csv:1: no columns say what");
    check_bad("M,M,K,N,cycles\n1,1,1,1,1\n", "'M' appears twice");
    check_bad("M,K,N,cycles\n1,1,1\n", "t.csv:2: 3 fields");
    check_bad("M,K,N,cycles\n0,1,1,1\n", "M, K and N");
    check_bad("M,K,N,cycles\n1,1,1,0\n", "not a time above 0");
    check_bad("M,K,N,cycles\n1,1,1,-5\n", "not a time above 0");
    check_bad("M,K,N,cycles\n1,1,1,nan\n", "not a time above 0");
    check_bad("M,K,N,cycles\n1,1,1,1e99\n", "not a time above 0");
    check_bad("M,K,N,cycles\n1,1,99999999999,1\n", "M, K and N");
    check_bad("M,K,N,dtype,cycles\n1,1,1,f9,1\n", "unknown dtype 'f9'");
    check_bad("M,K,N,in0_mem,cycles\n1,1,1,moon,1\n", "place 'moon'");
    check_bad("M,K,N,grid_x,cycles\n1,1,1,8,1\n", "both given");
    check_bad("op,shape,ns\nNoSuch,1x1,1\n", "operator 'NoSuch'");
    check_bad("op,shape,ns\nrelu,1xx1,1\n", "shape '1xx1'");
    check_bad("op,shape,ns\nrelu,1x2x3x4x5x6x7x8x9,1\n", "shape '1x2");
    check_bad("op,shape,ns\nmatmul,1x2,1\n", "MxKxN");
    check_bad("op,shape,ns\nconv2d,1x3x8x8,1\n", "1x3x224x224:k64");
    check_bad("op,shape,ns\nconv2d,1x3x8x8:k4r3g2,1\n", "1x3x224x224:k64");
    check_bad("op,shape,ns\nconv2d,1x3x8x8:k4k4,1\n", "1x3x224x224:k64");
    check_bad("loops,ns\nN1 C64,1\n", "loops 'N1 C64'");
    check_bad("op,shape,attributes,ns\nRelu,1,x,1\n", "attribute 'x'");
    check_bad("op,shape,ns\n\"relu,1,1\n", "never closed");
}

/* A row costs what the operator costs. */
static void test_cycles(void **state)
{
    (void)state;
    static const char text[] = "op,shape,dtype,grid_x,grid_y,cycles\n"
                               "matmul,512x512x512,bf16,8,8,1\n"
                               "matmul,512x512x512,bf16,,,1\n"
                               "conv2d,1x64x56x56:k64r3s1p1,bf16,,,1\n"
                               "softmax,512x512,bf16,,,1\n"
                               "transpose,2x512x512,bf16,,,1\n";
    tacho_arena arena;
    tacho_machine *machine;
    tacho_measured_table table;
    tacho_arena_init(&arena);
    assert_null(tacho_machine_find("wormhole-n150", &arena, &machine));
    assert_null(read_text(&table, text));
    int64_t cycles[5];
    for (size_t i = 0; i < table.row_count; i++) {
        tacho_measured_op op;
        assert_null(tacho_measured_op_init(&op, &table.rows[i], machine, TACHO_STR("t.csv")));
        assert_null(tacho_measured_op_cycles(&op, machine, &cycles[i]));
        assert_true(cycles[i] > tacho_quantity_whole(&machine->launch_cycles));
        tacho_measured_op_deinit(&op);
    }
    assert_true(cycles[1] <= cycles[0]); /* any grid may be chosen, 8 x 8 too */
    tacho_measured_deinit(&table);
    tacho_arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_way),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
