/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of op tables composed by hand; every number is computed in a comment.
 */
#include "estimates/tenstorrent/tt_report.h"

#include "estimates/tenstorrent/tt_fidelity.h"
#include "estimates/tenstorrent/tt_rules.h"
#include "estimates/tenstorrent/tt_sort.h"
#include "sources/tenstorrent/tenstorrent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text_testing.h"

#define TENSOR(name)                                                                               \
    name "_W_PAD[LOGICAL]," name "_Z_PAD[LOGICAL]," name "_Y_PAD[LOGICAL]," name                   \
         "_X_PAD[LOGICAL]," name "_DATATYPE," name "_MEMORY"
#define HEAD                                                                                       \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,"             \
    "HOST START TS,OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns]," TENSOR(                     \
        "INPUT_0") "," TENSOR("INPUT_1") "," TENSOR("OUTPUT_0") "\n"
#define NO_TENSORS ",,,,,,,,,,,,,,,,,"

typedef struct fixture {
    tacho_dict dict;
    tacho_tt_ops ops;
    tacho_tt_report report;
    test_text text;
} fixture;

static void read_table(fixture *at, const char *text)
{
    tacho_input input;
    tacho_source_options options = {.choice_count = 0};
    assert_ok(tacho_input_open_bytes("ops.csv", tacho_str_from_cstring(text), &input));
    tacho_reading reading = {.input = &input,
                             .path = TACHO_STR("ops.csv"),
                             .options = &options,
                             .events = &at->ops.events};
    assert_ok(tacho_source_tenstorrent_ops.read(&reading));
    tacho_input_close(&input);
}

static void setup(fixture *at, const char *text, const tacho_tt_options *options)
{
    memset(at, 0, sizeof(*at));
    assert_ok(tacho_dict_init(&at->dict));
    tacho_tt_ops_init(&at->ops, &at->dict);
    read_table(at, text);
    assert_ok(tacho_tt_report_init(&at->report, &at->ops, options));
}

static void teardown(fixture *at)
{
    tacho_tt_report_deinit(&at->report);
    tacho_tt_ops_deinit(&at->ops);
    tacho_dict_deinit(&at->dict);
}

/* One line per row: id, op, device, time and gap in us. */
static const char *render(fixture *at)
{
    clear_text(&at->text);
    for (size_t i = 0; i < at->report.line_count; i++) {
        const tacho_tt_line *line = &at->report.lines[i];
        put(&at->text, "%llu %.*s@%.0f %.3f %.3f\n", (unsigned long long)line->op.row,
            TACHO_STR_ARG(line->title), line->op.device, line->time_us, line->gap_us);
    }
    return at->text.bytes;
}

static void check_rows(const char *table, const tacho_tt_options *options, const char *expected)
{
    fixture at;
    setup(&at, table, options);
    assert_string_equal(render(&at), expected);
    teardown(&at);
}

/* ---- one op ----------------------------------------------------------------------------- */

#define MATMUL(attributes, fidelity, cores, duration, weights)                                     \
    "Matmul,tt_dnn_device,1024,0," attributes "," fidelity "," cores ",5,0," duration              \
    ",1[1],1[1],32[1],1024[1000],BFLOAT16,DEV_0_L1_WIDTH_SHARDED,"                                 \
    "1[1],1[1],1024[1000],2048[2048]," weights ",DEV_0_DRAM_INTERLEAVED,"                          \
    "1[1],1[1],32[1],2048[2048],BFLOAT16,DEV_0_L1_WIDTH_SHARDED\n"

/*
 * 2 * 32 * 1024 * 2048 operations in 10 us: 13.4217728 T/s, of 8 * 148 / 72 T/s on Wormhole.
 * Weights of 1 byte from DRAM: 2 MiB in 10 us, 209.7152 of 288 GB/s.
 */
static void test_matmul(void **state)
{
    (void)state;
    fixture at;
    tacho_tt_options options = {.keeps_order = false};
    setup(&at, HEAD MATMUL("{}", "HiFi2", "8", "10000", "BFLOAT8_B"), &options);
    const tacho_tt_line *line = &at.report.lines[0];
    assert_string_equal(line->title.data, "Matmul 32 x 1024 x 2048");
    assert_true(fabs(line->tflops - 13.4217728) < 1e-12);
    assert_true(fabs(line->flops_percent - 13.4217728 / (8 * 148.0 / 72) * 100) < 1e-10);
    assert_true(fabs(line->dram_gb_s - 209.7152) < 1e-10);
    assert_true(fabs(line->dram_percent - 209.7152 / 288 * 100) < 1e-10);
    assert_string_equal(line->bound, "BOTH"); /* 81.6 % and 72.8 % */
    assert_string_equal(line->fidelity.data, "HiFi2 BF16 x BFP8 => BF16");
    assert_true(line->total_percent == 100);
    teardown(&at);
}

static const char *bound_of(fixture *at, const char *row, const char *arch)
{
    char text[2048];
    tacho_tt_options options = {.arch = tacho_str_from_cstring(arch)};
    snprintf(text, sizeof(text), "%s%s", HEAD, row);
    setup(at, text, &options);
    const char *bound = at->report.lines[0].bound;
    teardown(at);
    return bound;
}

/* A DRAM-sharded product counts 12 cores, regardless of its actual ones; Blackhole has other
 * peaks. */
static void test_bounds(void **state)
{
    (void)state;
    fixture at;
    assert_string_equal(bound_of(&at, MATMUL("{}", "HiFi2", "64", "10000", "BFLOAT8_B"), ""),
                        "DRAM"); /* 10.2 % and 72.8 % */
    assert_string_equal(bound_of(&at, MATMUL("{}", "HiFi4", "8", "20000", "BFLOAT8_B"), ""),
                        "FLOP"); /* 81.6 % and 36.4 % */
    assert_string_equal(bound_of(&at, MATMUL("{}", "HiFi4", "64", "20000", "BFLOAT8_B"), ""),
                        "SLOW");
    assert_string_equal(
        bound_of(&at, MATMUL("{}", "HiFi2", "8", "10000", "BFLOAT8_B"), "Blackhole"),
        "SLOW"); /* 60.7 % of 8 * 2.7648 and 41.0 % of 512 */
    tacho_tt_options options = {.keeps_order = false};
    setup(&at,
          HEAD MATMUL("{'program_config': "
                      "'MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(in0_block_w=3;x)'}",
                      "LoFi", "64", "10000", "BFLOAT4_B"),
          &options);
    assert_true(at.report.lines[0].cores == 12);
    assert_true(at.report.lines[0].is_dram_sharded);
    assert_true(at.report.lines[0].block_w == 3);
    assert_true(isnan(at.report.lines[0].subblock_h));
    teardown(&at);
}

/* 1024 outputs of 3 * 3 * 64 products each, 128 channels; all 64 cores of the chip are the peak. */
static void test_conv(void **state)
{
    (void)state;
    fixture at;
    tacho_tt_options options = {.keeps_order = false};
    setup(&at,
          HEAD "Conv2dDeviceOperation,tt_dnn_device,1024,0,"
               "{'w': 'window_hw=(3;3); x'; 'c': 'per_core_out_matrix_height_ntile=4;y'; 'b': "
               "'act_block_h_ntiles=2;z'; 'enable_act_double_buffer': 'true'; "
               "'enable_split_reader': 'false'},LoFi,20,5,0,30000,"
               "1[1],1[1],1024[1024],64[64],BFLOAT16,DEV_0_L1_HEIGHT_SHARDED,"
               "1[1],1[1],576[576],128[128],BFLOAT8_B,DEV_0_DRAM_INTERLEAVED,"
               "1[1],1[1],1024[1024],128[128],BFLOAT16,DEV_0_L1_HEIGHT_SHARDED\n",
          &options);
    const tacho_tt_line *line = &at.report.lines[0];
    double tflops = 2.0 * 1024 * 576 * 128 / 30e-6 / 1e12;
    assert_string_equal(line->title.data, "Conv2dDeviceOperation 1024 x 576 x 128 [ABH=4|2 ADB]");
    assert_true(fabs(line->tflops - tflops) < 1e-12);
    assert_true(fabs(line->flops_percent - tflops / (64 * 262.0 / 72) * 100) < 1e-10);
    assert_true(isnan(line->dram_gb_s));
    assert_string_equal(line->bound, "");
    teardown(&at);
}

static void test_halo(void **state)
{
    (void)state;
    check_rows(HEAD "HaloDeviceOperation,tt_dnn_device,1024,0,"
                    "{'c': 'window_hw=(3;2);stride_hw=(1;1);padding=(0;1;2;3);dilation_hw=(1;1)'; "
                    "'m': 'memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;b'},,4,5,0,"
                    "1000" NO_TENSORS ",\n",
               &(tacho_tt_options){.keeps_order = false},
               "2 HaloDeviceOperation w=(3,2) s=(1,1) p=(0,1,2,3) d=(1,1)' | "
               "HEIGHT_SHARDED@0 1.000 nan\n");
}

/* Values that are missing in the attributes stay unknown. */
static void test_unknown_attributes(void **state)
{
    (void)state;
    check_rows(HEAD "HaloDeviceOperation,tt_dnn_device,1024,0,,,4,5,0,1000" NO_TENSORS ",\n"
                    "Conv2d,tt_dnn_device,2048,0,{},,4,6,500,1000" NO_TENSORS ",\n"
                    "Matmul,tt_dnn_device,3072,0,{},,4,7,600,1000" NO_TENSORS ",\n",
               &(tacho_tt_options){.keeps_order = false},
               "2 HaloDeviceOperation w=x s=x p=x d=x | x@0 1.000 nan\n"
               "3 Conv2d [ABH=x|x ADB SR]@0 1.000 0.500\n"
               "4 Matmul@0 1.000 0.600\n");
}

/* ---- windows ---------------------------------------------------------------------------- */

#define POST(name, time) name ",signpost,,,,,," time ",," NO_TENSORS ",\n"
#define OP(code, device, time, gap, duration)                                                      \
    code ",tt_dnn_device,1024," device ",,,8," time "," gap "," duration NO_TENSORS ",\n"

#define WINDOWS                                                                                    \
    HEAD OP("A", "0", "10", "0", "1000") POST("p", "20") OP("B", "0", "30", "2000", "1000")        \
        POST("q", "40") OP("C", "0", "50", "3000", "1000") POST("p", "60")                         \
            OP("D", "0", "70", "4000", "1000")

static void test_windows(void **state)
{
    (void)state;
    /* The last signpost has the name of the first, so rows after the first are kept. */
    check_rows(WINDOWS, &(tacho_tt_options){.keeps_order = false},
               "4 B@0 1.000 nan\n6 C@0 1.000 3.000\n8 D@0 1.000 4.000\n");
    check_rows(WINDOWS,
               &(tacho_tt_options){.ignores_signposts = true,
                                   .has_last_row = true,
                                   .last_row = 4,
                                   .shows_signposts = true},
               "2 A@0 1.000 nan\n3 p@nan nan nan\n4 B@0 1.000 2.000\n");
    check_rows(WINDOWS,
               &(tacho_tt_options){.start_signpost = TACHO_STR("q"), .shows_signposts = true},
               "6 C@0 1.000 nan\n7 p@nan nan nan\n8 D@0 1.000 4.000\n");
    check_rows(WINDOWS, &(tacho_tt_options){.end_signpost = TACHO_STR("q")},
               "2 A@0 1.000 nan\n4 B@0 1.000 2.000\n");
    check_rows(
        WINDOWS,
        &(tacho_tt_options){.start_signpost = TACHO_STR("p"), .end_signpost = TACHO_STR("p")},
        "4 B@0 1.000 nan\n6 C@0 1.000 3.000\n");
    check_rows(
        WINDOWS,
        &(tacho_tt_options){.ignores_signposts = true, .has_first_row = true, .first_row = 4},
        "4 B@0 1.000 nan\n5 q@nan nan nan\n6 C@0 1.000 3.000\n7 p@nan nan nan\n"
        "8 D@0 1.000 4.000\n");
}

/* Rows are sorted by the host's time, unless a trace's times are those of its capture. */
static void test_order(void **state)
{
    (void)state;
#define SHUFFLED HEAD OP("A", "0", "30", "0", "1000") OP("B", "0", "10", "2000", "1000")
    check_rows(SHUFFLED, &(tacho_tt_options){.keeps_devices = true},
               "2 A@0 1.000 nan\n3 B@0 1.000 2.000\n");
    check_rows(HEAD OP("A", "0", "30", "0", "1000") OP("B", "1", "10", "2000", "1000"),
               &(tacho_tt_options){.keeps_devices = true}, "3 B@1 1.000 nan\n2 A@0 1.000 0.000\n");
    check_rows(HEAD OP("A", "0", "30", "0", "1000") OP("B", "1", "10", "2000", "1000"),
               &(tacho_tt_options){.keeps_devices = true, .keeps_order = true},
               "2 A@0 1.000 nan\n3 B@1 1.000 2.000\n");
}

/* Equal times as numpy 1.24.2 leaves them: argsort of the same numbers, kind quicksort. */
static void test_sort(void **state)
{
    (void)state;
    static const double keys[] = {3, 2, 2, 1, 3, 0, 2, 3, 2, 3, 1, 0,
                                  1, 3, 2, 1, 2, 1, 0, 1, 0, 2, 3};
    static const size_t expected[] = {11, 20, 5, 18, 17, 3, 12, 19, 15, 10, 14, 8,
                                      6,  2,  1, 21, 16, 0, 9,  7,  4,  13, 22};
    enum { COUNT = sizeof(keys) / sizeof(keys[0]), MANY = 5000 };
    size_t items[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        items[i] = i;
    }
    tacho_tt_sort(keys, items, COUNT);
    assert_memory_equal(items, expected, sizeof(items));
    /* A pattern with repeatedly bad pivots is sorted correctly. */
    double *many = calloc(MANY, sizeof(*many));
    size_t *places = calloc(MANY, sizeof(*places));
    for (size_t i = 0; i < MANY; i++) {
        many[i] = (double)(i % 2 == 0 ? i : MANY - i);
        many[i] = i < MANY / 2 ? many[i] : (double)(MANY - i);
        places[i] = i;
    }
    tacho_tt_sort(many, places, MANY);
    for (size_t i = 1; i < MANY; i++) {
        assert_true(many[places[i - 1]] <= many[places[i]]);
    }
    free(many);
    free(places);
}

/* ---- devices ---------------------------------------------------------------------------- */

/* The slowest device counts; collectives take the average. */
static void test_merge(void **state)
{
    (void)state;
#define DEVICES                                                                                    \
    HEAD OP("A", "0", "10", "1", "1000") OP("A", "1", "10", "2", "3000")                           \
        OP("AllGather", "0", "20", "3", "1000") OP("AllGather", "1", "20", "4", "4000")            \
            OP("B", "1", "30", "5", "700")
    fixture at;
    setup(&at, DEVICES, &(tacho_tt_options){.keeps_order = false});
    assert_string_equal(render(&at),
                        "3 A@1 3.000 nan\n4 AllGather@0 2.500 0.003\n6 B@1 0.700 0.005\n");
    assert_int_equal(at.report.unmatched_count, 1);
    assert_int_equal(at.report.device_op_count, 3);
    teardown(&at);
    check_rows(DEVICES, &(tacho_tt_options){.keeps_devices = true},
               "2 A@0 1.000 nan\n3 A@1 3.000 0.002\n4 AllGather@0 1.000 0.003\n"
               "5 AllGather@1 4.000 0.004\n6 B@1 0.700 0.005\n");
}

/* Tables of several hosts: numbers of devices and rows continue. */
static void test_several_tables(void **state)
{
    (void)state;
    fixture at = {.ops = {.item_count = 0}};
    tacho_tt_options options = {.keeps_devices = true};
    assert_ok(tacho_dict_init(&at.dict));
    tacho_tt_ops_init(&at.ops, &at.dict);
    read_table(&at, HEAD OP("A", "0", "10", "1", "1000") OP("A", "1", "10", "2", "3000"));
    read_table(&at, HEAD OP("A", "0", "11", "1", "2000"));
    assert_ok(tacho_tt_report_init(&at.report, &at.ops, &options));
    assert_string_equal(render(&at), "2 A@0 1.000 nan\n3 A@1 3.000 0.002\n4 A@2 2.000 0.001\n");
    teardown(&at);
}

/* ---- shares, hosts, chips ----------------------------------------------------------------- */

static void test_shares(void **state)
{
    (void)state;
    fixture at;
    setup(&at,
          HEAD OP("A", "0", "10", "500", "1000") "(torch) f,python_fallback,7,,,,,20,," NO_TENSORS
                                                 ",\n" OP("B", "0", "30", "2000", "1000"),
          &(tacho_tt_options){.keeps_order = false});
    const tacho_tt_line *lines = at.report.lines;
    assert_true(lines[0].total_percent == 25); /* 1 of 1 + 1 + 2 us: the first gap does not count */
    assert_true(isnan(lines[1].total_percent));
    assert_string_equal(lines[1].bound, "HOST");
    assert_true(lines[2].total_percent == 75);
    assert_int_equal(at.report.host_op_count, 1);
    teardown(&at);
    check_rows(HEAD OP("A", "0", "10", "500", "1000") "(torch) f,python_fallback,7,,,,,20,"
                                                      "," NO_TENSORS ",\n",
               &(tacho_tt_options){.hides_host_ops = true}, "2 A@0 1.000 nan\n");
}

static void test_arch(void **state)
{
    (void)state;
    fixture at = {.ops = {.item_count = 0}};
    tacho_tt_options options = {.arch = TACHO_STR("pentium")};
    assert_ok(tacho_dict_init(&at.dict));
    tacho_tt_ops_init(&at.ops, &at.dict);
    read_table(&at, HEAD OP("A", "0", "10", "1", "1000"));
    tacho_status status = tacho_tt_report_init(&at.report, &at.ops, &options);
    assert_string_equal(tacho_status_message(status),
                        "unknown architecture 'pentium'; peaks are known of wormhole, blackhole, "
                        "bh20 and n1, and of machine descriptions (.json) that have some");
    tacho_status_free(status);
    teardown(&at);
    setup(&at,
          "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,AVAILABLE WORKER CORE COUNT,"
          "DEVICE KERNEL DURATION [ns]\nA,tt_dnn_device,1024,0,wormhole_b0,56,100\n",
          &(tacho_tt_options){.arch = TACHO_STR("n1")});
    assert_true(at.report.arch.worker_cores == 56 && at.report.arch.dram_gb_s == 288);
    assert_true(at.report.is_arch_overruled);
    teardown(&at);
    setup(&at,
          "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,DEVICE KERNEL DURATION [ns]\n"
          "A,tt_dnn_device,1024,0,quasar,100\n",
          &(tacho_tt_options){.keeps_order = false});
    assert_true(at.report.is_arch_unknown && isnan(at.report.arch.dram_gb_s));
    assert_int_equal(at.report.line_count, 1);
    teardown(&at);
}

/* ---- advice ----------------------------------------------------------------------------- */

static const char *advice_of(fixture *at, const char *row)
{
    char text[2048];
    tacho_table table;
    snprintf(text, sizeof(text), "%s%s", HEAD, row);
    setup(at, text, &(tacho_tt_options){.keeps_order = false});
    assert_ok(tacho_tt_report_csv_table(&at->report, true, true, &table));
    clear_text(&at->text);
    const tacho_cell *cell = tacho_table_cell(&table, 0, tacho_rule_column(&table, "Advice"));
    put(&at->text, "%s", cell->is_absent ? "" : cell->value.text.data);
    tacho_table_deinit(&table);
    teardown(at);
    return at->text.bytes;
}

static void test_advice(void **state)
{
    (void)state;
    fixture at;
    assert_string_equal(
        advice_of(&at, MATMUL("{}", "HiFi4", "64", "10000", "BFLOAT8_B")), /* DRAM */
        "Try a DRAM-sharded program config (MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig) "
        "to improve throughput further");
    assert_string_equal(advice_of(&at, MATMUL("{}", "HiFi4", "8", "20000", "BFLOAT8_B")), /* FLOP */
                        "Increase grid size (currently using 8)");
    assert_string_equal(
        advice_of(&at, MATMUL("{}", "HiFi4", "64", "20000", "BFLOAT8_B")), /* SLOW */
        "No program_config specified, try using one to override in0_block_w and out_subblock_h/w");
    assert_string_equal(
        advice_of(&at, MATMUL("{'program_config': 'in0_block_w=1;out_subblock_h=1;"
                              "out_subblock_w=1'}",
                              "HiFi4", "64", "20000", "BFLOAT8_B")),
        "in0_block_w=1 is small, try in0_block_w=2 or above \xe2\x80\xa2 Output subblock 1x1 is "
        "small, try out_subblock_h * out_subblock_w >= 2 if possible \xe2\x80\xa2 HiFi2 may also "
        "work, it discards the lowest bit of the activations and has 2x the throughput of HiFi4");
    assert_string_equal(
        advice_of(&at, MATMUL("{'program_config': 'in0_block_w=2;out_subblock_h=1;"
                              "out_subblock_w=4'}",
                              "LoFi", "64", "30000", "UINT16")),
        "in0_block_w=2 and output subblock 1x4 look good \xf0\x9f\xa4\xb7 \xe2\x80\xa2 Fidelity "
        "evaluation is not applicable for integer datatypes (UINT8, UINT16, INT32, UINT32).");
    assert_string_equal(advice_of(&at, MATMUL("{'program_config': 'out_subblock_h=2'}", "LoFi",
                                              "64", "30000", "FLOAT9")),
                        "No inner dim block size found \xe2\x80\xa2 No output subblock size found "
                        "\xe2\x80\xa2 Datatype FLOAT9 is not supported for fidelity evaluation.");
}

static void check_fidelity(const char *types, const char *level, tacho_tt_verdict verdict)
{
    tacho_str datatypes[3];
    tacho_str rest = tacho_str_from_cstring(types);
    for (size_t i = 0; i < 3; i++) {
        size_t len = tacho_str_find_byte(rest, ' ');
        datatypes[i] = tacho_str_make(rest.data, len);
        rest = tacho_str_from(rest, len < rest.len ? len + 1 : len);
    }
    assert_int_equal(tacho_tt_judge_fidelity(datatypes, tacho_str_from_cstring(level)).verdict,
                     verdict);
}

static void test_fidelity(void **state)
{
    (void)state;
    check_fidelity("BFLOAT16 BFLOAT16 BFLOAT16", "HiFi4", TACHO_TT_SUFFICIENT);
    check_fidelity("BFLOAT16 BFLOAT4_B BFLOAT8_B", "LoFi", TACHO_TT_TOO_LOW);
    check_fidelity("BFLOAT16 BFLOAT8_B BFLOAT4_B", "HiFi4", TACHO_TT_TOO_HIGH);
    check_fidelity("BFLOAT8_B BFLOAT8_B BFLOAT16", "HiFi2", TACHO_TT_SUFFICIENT);
    check_fidelity("BFLOAT8_B BFLOAT8_B BFLOAT4_B", "LoFi", TACHO_TT_TOO_LOW);
    check_fidelity("BFLOAT8_B BFLOAT4_B BFLOAT16", "HiFi2", TACHO_TT_TOO_HIGH);
    check_fidelity("FLOAT32 BFLOAT4_B FLOAT32", "LoFi", TACHO_TT_SUFFICIENT);
    check_fidelity("BFLOAT16 UINT8 BFLOAT16", "HiFi4", TACHO_TT_UNKNOWN);
    check_fidelity("BFLOAT16 FP9 BFLOAT16", "HiFi4", TACHO_TT_UNKNOWN);
    check_fidelity("BFLOAT16 BFLOAT16 BFLOAT16", "HiFi3", TACHO_TT_UNKNOWN);
}

/* Two gaps above 6.5 us, 6 us of each needed: 4 + 14 us of 10 + 20 + 1 + 3 us. */
static void test_run_rules(void **state)
{
    (void)state;
    fixture at;
    tacho_table facts;
    tacho_findings findings;
    setup(&at,
          HEAD OP("A", "0", "10", "500", "1000") OP("B", "0", "20", "10000", "1000")
              OP("C", "0", "30", "20000", "1000")
                  OP("D", "0", "40", "1000", "0") "(torch) f,python_fallback,7,,,,,50,," NO_TENSORS
                                                  ",\n",
          &(tacho_tt_options){.keeps_order = false});
    tacho_findings_init(&findings);
    assert_ok(tacho_tt_facts_table(&at.report, &facts));
    assert_ok(tacho_rules_run(tacho_tt_run_rules, &facts, &findings));
    assert_int_equal(findings.item_count, 2);
    assert_string_equal(findings.items[0].rule->id, "tt-fallback");
    assert_int_equal(findings.items[0].row, 4);
    assert_string_equal(findings.items[1].advice.data,
                        "2 ops start more than 6.5 us after the one before: running as a trace "
                        "could save 18 us (52.9 % of the time)");
    tacho_table_deinit(&facts);
    tacho_findings_deinit(&findings);
    teardown(&at);
}

/* ---- summary ---------------------------------------------------------------------------- */

static void check_summary(const char *table, tacho_tt_grouping grouping, const char *expected)
{
    fixture at;
    tacho_table made;
    setup(&at, table, &(tacho_tt_options){.grouping = grouping});
    assert_ok(tacho_tt_summary_table(&at.report, &made));
    clear_text(&at.text);
    for (size_t row = 0; row < tacho_table_row_count(&made); row++) {
        put(&at.text, "%.2f %s %lld %lld %s\n", tacho_table_cell(&made, row, 0)->value.real,
            tacho_table_cell(&made, row, 1)->value.text.data,
            (long long)tacho_table_cell(&made, row, 3)->value.integer,
            (long long)tacho_table_cell(&made, row, 4)->value.integer,
            tacho_table_cell(&made, row, 5)->value.text.data);
    }
    assert_string_equal(at.text.bytes, expected);
    tacho_table_deinit(&made);
    teardown(&at);
}

static void test_summary(void **state)
{
    (void)state;
#define THREE                                                                                      \
    HEAD MATMUL("{}", "HiFi2", "8", "10000", "BFLOAT8_B")                                          \
        MATMUL("{}", "HiFi2", "8", "20000", "BFLOAT8_B") OP("Transpose", "0", "20", "0", "10000")  \
            OP("Odd", "0", "30", "0", "0")
    check_summary(THREE, TACHO_TT_GROUP_OP,
                  "75.00 Matmul 30000 2 Compute\n25.00 Transpose 10000 1 TM\n0.00 Odd 0 1 Other\n");
    check_summary(THREE, TACHO_TT_GROUP_MEMORY,
                  "75.00 Matmul (in0:width_sharded) 30000 2 Compute\n"
                  "25.00 Transpose 10000 1 TM\n0.00 Odd 0 1 Other\n");
    check_summary(THREE, TACHO_TT_GROUP_CATEGORY,
                  "75.00 Compute 30000 2 Compute\n25.00 TM 10000 1 TM\n0.00 Other 0 1 Other\n");
    check_summary(THREE, TACHO_TT_GROUP_REPLAY, "100.00 no replay 40000 4 Compute\n");
}

/* Separate devices have 100 % each. */
static void test_summary_devices(void **state)
{
    (void)state;
    fixture at;
    tacho_table made;
    static const double shares[] = {100, 75, 25};
    setup(&at,
          HEAD OP("A", "1", "10", "0", "1000") OP("B", "1", "20", "0", "3000")
              OP("A", "0", "30", "0", "7000"),
          &(tacho_tt_options){.keeps_devices = true, .grouping = TACHO_TT_GROUP_OP});
    assert_ok(tacho_tt_summary_table(&at.report, &made));
    for (size_t i = 0; i < 3; i++) {
        assert_true(tacho_table_cell(&made, i, 0)->value.real == shares[i]);
        assert_int_equal(tacho_table_cell(&made, i, 2)->value.integer, i == 0 ? 0 : 1);
    }
    tacho_table_deinit(&made);
    teardown(&at);
}

/* Of 81.6 and 40.8 %: mean 61.2, deviation 28.8, by time (81.6 * 10 + 40.8 * 20) / 30. */
static void test_summary_rates(void **state)
{
    (void)state;
    fixture at;
    tacho_table made;
    double high = 13.4217728 / (8 * 148.0 / 72) * 100;
    setup(&at, THREE, &(tacho_tt_options){.grouping = TACHO_TT_GROUP_OP});
    assert_ok(tacho_tt_summary_table(&at.report, &made));
    assert_true(fabs(tacho_table_cell(&made, 0, 6)->value.real - high / 2) < 1e-9);
    assert_true(fabs(tacho_table_cell(&made, 0, 7)->value.real - high) < 1e-9);
    assert_true(fabs(tacho_table_cell(&made, 0, 8)->value.real - high * 0.75) < 1e-9);
    assert_true(fabs(tacho_table_cell(&made, 0, 9)->value.real - high * sqrt(0.125)) < 1e-9);
    assert_true(fabs(tacho_table_cell(&made, 0, 10)->value.real - high * 2 / 3) < 1e-9);
    assert_true(tacho_table_cell(&made, 1, 6)->is_absent);
    tacho_table_deinit(&made);
    teardown(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_conv),
        cmocka_unit_test(test_halo),
        cmocka_unit_test(test_unknown_attributes),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_several_tables),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_arch),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_fidelity),
        cmocka_unit_test(test_run_rules),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_summary_rates),
        cmocka_unit_test(test_summary_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
