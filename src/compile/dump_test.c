/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of programs made by hand: names, order and times are those of the schedule.
 */
#include "compile/dump.h"
#include "compile/dump_text.h"
#include "program/program_testing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { ROOM = 1 << 16 };

static char text[ROOM];

static void read_text(tacho_output *output)
{
    size_t len = read_test_output(output, text, ROOM - 1);
    text[len] = '\0';
}

/* ---- pieces -------------------------------------------------------------------------------- */

static void test_attrs(void **state)
{
    (void)state;
    static const double reals[] = {1.0, 0.1, 1e300, -0.0};
    static const int64_t ints[] = {1, -2};
    const tacho_attr attrs[] = {
        {TACHO_STR("group"), TACHO_ATTR_INT, 0, {.as_int = -1}},
        {TACHO_STR("a b"), TACHO_ATTR_REAL, 0, {.as_real = (double)INFINITY}},
        {TACHO_STR("group"), TACHO_ATTR_INT, 0, {.as_int = 2}},
        {TACHO_STR(""), TACHO_ATTR_INT, 0, {.as_int = 3}},
        {TACHO_STR("reals"), TACHO_ATTR_REALS, 4, {.as_reals = reals}},
        {TACHO_STR("ints"), TACHO_ATTR_INTS, 2, {.as_ints = ints}},
        {TACHO_STR("none"), TACHO_ATTR_INTS, 0, {.as_ints = ints}},
        {TACHO_STR("pad"), TACHO_ATTR_TEXT, 0, {.as_text = TACHO_STR("\"\\\n\xc3\xa9")}},
    };
    tacho_output output;
    open_test_output(&output);
    tacho_dump_attrs(&output, attrs, sizeof(attrs) / sizeof(attrs[0]));
    read_text(&output);
    assert_string_equal(text, "group = -1 : i64, \"a b\" = 0x7FF0000000000000 : f64, "
                              "reals = array<f64: 1.0, 0.10000000000000001, "
                              "1.0000000000000001e+300, -0.0>, ints = array<i64: 1, -2>, "
                              "none = array<i64>, pad = \"\\22\\5C\\0A\\C3\\A9\"");
}

static void test_types(void **state)
{
    (void)state;
    const tacho_shape known = {3, {1, TACHO_DIM_UNKNOWN, 24}};
    const tacho_shape scalar = {0, {0}};
    const tacho_shape unknown = {TACHO_RANK_UNKNOWN, {0}};
    tacho_output output;
    open_test_output(&output);
    tacho_dump_tensor_type(&output, TACHO_DTYPE_U8, &known);
    tacho_dump_tensor_type(&output, TACHO_DTYPE_BOOL, &scalar);
    tacho_dump_tensor_type(&output, TACHO_DTYPE_BF16, &unknown);
    tacho_dump_tensor_type(&output, TACHO_DTYPE_NONE, &known);
    read_text(&output);
    assert_string_equal(text, "tensor<1x?x24xui8>tensor<i1>tensor<*xbf16>none");
}

static void test_locations(void **state)
{
    (void)state;
    tacho_arena scratch;
    tacho_output output;
    tacho_arena_init(&scratch);
    open_test_output(&output);
    static const tacho_str locations[] = {
        TACHO_STR_INIT("loc(\"a.mlir\":7:10)"),
        TACHO_STR_INIT("fused[\"a\":1:2, \"b\"]"),
        TACHO_STR_INIT(""),
        TACHO_STR_INIT("no place) at all"),
        TACHO_STR_INIT("#loc9"),
    };
    for (size_t i = 0; i < 5; i++) {
        assert_null(tacho_dump_location_alias(&output, i, locations[i], &scratch));
    }
    read_text(&output);
    tacho_arena_deinit(&scratch);
    assert_string_equal(text, "#loc0 = loc(\"a.mlir\":7:10)\n"
                              "#loc1 = loc(fused[\"a\":1:2, \"b\"])\n"
                              "#loc2 = loc(unknown)\n"
                              "#loc3 = loc(\"no place) at all\")\n"
                              "#loc4 = loc(\"#loc9\")\n");
}

/* ---- the last phase ------------------------------------------------------------------------ */

/* Two slices and two queues; the second slice starts a cycle later, and one job takes no time. */
static void make_torq_program(tacho_program *program)
{
    static const struct {
        const char *name, *class_name;
        uint16_t index;
    } engines[] = {{"SLICE", "compute", 0},
                   {"SLICE", "compute", 1},
                   {"DMA IN", "dma_in", 0},
                   {"DMA OUT", "dma_out", 0}};
    static const tacho_job jobs[] = {
        {.engine = 2, .kind = TACHO_JOB_LOAD, .buffer = 0, .end = 100, .bytes = 64},
        {.engine = 0,
         .kind = TACHO_JOB_COMPUTE,
         .buffer = TACHO_NONE,
         .cycles = 50,
         .start = 100,
         .end = 150},
        {.engine = 1,
         .kind = TACHO_JOB_COMPUTE,
         .buffer = TACHO_NONE,
         .cycles = 49,
         .start = 101,
         .end = 150},
        {.engine = 3, .kind = TACHO_JOB_STORE, .buffer = 0, .start = 150, .end = 150, .bytes = 0},
    };
    tacho_program_op op = {.job_count = 4};
    tacho_buffer buffer = {.bytes = 64, .last_job = 3, .tensor = TACHO_NONE};
    tacho_dispatch_info dispatch = {.op_count = 1};
    assert_null(tacho_program_init(program));
    assert_null(intern(program, "add_7", &op.name));
    assert_null(intern(program, "tosa.add", &op.type));
    assert_null(intern(program, "\"a.mlir\":7:10", &op.location));
    assert_null(intern(program, "LRAM", &buffer.memory));
    assert_null(intern(program, "main$async_dispatch_0", &dispatch.name));
    tacho_program *p = program;
    for (size_t i = 0; i < 4; i++) {
        uint32_t issue = strcmp(engines[i].class_name, "compute") == 0 ? 1 : 0;
        tacho_program_engine engine = {
            .index = engines[i].index, .is_sequenced = issue, .issue_cycles = issue};
        assert_null(intern(p, engines[i].name, &engine.name));
        assert_null(intern(p, engines[i].class_name, &engine.class_name));
        assert_null(tacho_grow(&p->engines, &p->engine_capacity, i + 1));
        assert_null(tacho_grow(&p->jobs, &p->job_capacity, i + 1));
        p->engines[p->engine_count++] = engine;
        p->jobs[p->job_count++] = jobs[i];
    }
    assert_null(tacho_grow(&p->ops, &p->op_capacity, 1));
    assert_null(tacho_grow(&p->buffers, &p->buffer_capacity, 1));
    assert_null(tacho_grow(&p->blocks, &p->block_capacity, 1));
    assert_null(tacho_grow(&p->dispatches, &p->dispatch_capacity, 1));
    p->ops[p->op_count++] = op;
    p->buffers[p->buffer_count++] = buffer;
    p->blocks[p->block_count++] = (tacho_block){0, 0, 0, 4, 1, 2};
    p->dispatches[p->dispatch_count++] = dispatch;
    p->facts.ddr_bytes = 128;
    p->facts.local_bytes = 64;
}

static void dump_torq(bool has_profile)
{
    tacho_program program;
    tacho_output output;
    make_torq_program(&program);
    open_test_output(&output);
    tacho_dump dump = {.program = &program, .has_profile = has_profile};
    assert_null(tacho_dump_targets(&dump, &output));
    read_text(&output);
    tacho_program_deinit(&program);
}

#define X128 "!torq_hl.memref<128xi8, mem_space = xram>"
#define B64 "!torq_hl.memref<64xi8, mem_space = lram>"

static void test_tasks(void **state)
{
    (void)state;
    static const char expected[] =
        "        ^bb0(%a0_s0: !torq_hl.invocation<slice> loc(unknown)):\n"
        "          \"torq_hw.nss_task\"() ({\n"
        "            \"torq_hw.dma_in_cfg\"(%xram, %b0) <{id = 0 : index}> {bytes = 64 : i64} : "
        "(" X128 ", " B64 ") -> () loc(#loc0)\n"
        "            \"torq_hw.dma_in_start\"() <{id = 0 : index}> : () -> () loc(#loc0)\n"
        "          }) {\"torq-task-id\" = 0 : i64} : () -> () loc(#loc0)\n"
        "          \"torq_hw.nss_task\"() ({\n"
        "            \"torq_hw.dma_in_wait\"() <{id = 0 : index}> : () -> () loc(#loc0)\n"
        "          }) {\"torq-task-id\" = 1 : i64} : () -> () loc(#loc0)\n"
        "          \"torq_hw.nss_task\"() ({\n"
        "            \"torq_hw.slice_start\"(%a0_s0) <{id = 0 : index}> : "
        "(!torq_hl.invocation<slice>) -> () loc(#loc0)\n"
        "          }) {\"torq-task-id\" = 2 : i64} : () -> () loc(#loc0)\n"
        "          \"torq_hw.nss_task\"() ({\n"
        "            \"torq_hw.slice_start\"(%a0_s0) <{id = 1 : index}> : "
        "(!torq_hl.invocation<slice>) -> () loc(#loc0)\n"
        "          }) {\"torq-task-id\" = 3 : i64} : () -> () loc(#loc0)\n"
        "          \"torq_hw.nss_task\"() ({\n"
        "            \"torq_hw.slice_wait\"() <{id = 0 : index}> : () -> () loc(#loc0)\n"
        "            \"torq_hw.slice_wait\"() <{id = 1 : index}> : () -> () loc(#loc0)\n"
        "          }) {\"torq-task-id\" = 4 : i64} : () -> () loc(#loc0)\n"
        "          \"torq_hw.nss_task\"() ({\n"
        "            \"torq_hw.dma_out_cfg\"(%b0, %xram) <{id = 0 : index}> {bytes = 0 : i64} : "
        "(" B64 ", " X128 ") -> () loc(#loc0)\n"
        "            \"torq_hw.dma_out_start\"() <{id = 0 : index}> : () -> () loc(#loc0)\n"
        "            \"torq_hw.dma_out_wait\"() <{id = 0 : index}> : () -> () loc(#loc0)\n"
        "          }) {\"torq-task-id\" = 5 : i64} : () -> () loc(#loc0)\n"
        "          \"torq_hl.return\"() : () -> () loc(unknown)\n";
    dump_torq(false);
    assert_non_null(strstr(text, expected));
    assert_null(strstr(text, "cycle"));
}

static void test_actions(void **state)
{
    (void)state;
    dump_torq(true);
    /* The copy has the number that the program does not. */
    assert_non_null(strstr(text, "\"torq_hl.host_copy\"(%xram, %xram) {\"torq-action-id\" = 0"));
    assert_non_null(strstr(
        text, "\"torq_hl.start_program\"(%i0, %si0) <{operandSegmentSizes = array<i32: 1, 0, 1>}> "
              "{\"torq-action-id\" = 1 : i32, \"torq-start-time-cycles\" = 0 : i64, "
              "\"torq-end-time-cycles\" = 0 : i64} : (!torq_hl.invocation<nss>, "
              "!torq_hl.invocation<slice>) -> () loc(#loc0)\n"
              "        \"torq_hl.wait_program\"(%i0) {\"torq-action-id\" = 2 : i32, "
              "\"torq-start-time-cycles\" = 0 : i64, \"torq-end-time-cycles\" = 150 : i64} : "
              "(!torq_hl.invocation<nss>) -> () loc(#loc0)\n"));
    assert_non_null(strstr(text, "<{name = \"slice_program_torq_hl.add_7\"}>"));
    assert_non_null(strstr(text, "{\"torq-job-id\" = 0 : i32}"));
    assert_non_null(strstr(text, "<{id = 1 : index}> {\"torq-async-duration-cycles\" = 49 : i64}"));
    /* A slice that starts at 101 keeps the sequencer until 102. */
    assert_non_null(strstr(text, "{\"torq-task-id\" = 3 : i64, \"torq-start-time-cycles\" = 101 : "
                                 "i64, \"torq-end-time-cycles\" = 102 : i64}"));
    assert_non_null(strstr(text, "{\"torq-task-id\" = 4 : i64, \"torq-start-time-cycles\" = 102 : "
                                 "i64, \"torq-end-time-cycles\" = 150 : i64}"));
    assert_non_null(strstr(text, "total_cycle = 150 : i64"));
    assert_non_null(strstr(text, "{memory = 64 : i64, "));
    assert_non_null(strstr(text, "{total_lram_bytes = 64 : i64, "));
}

/* A view precedes the operator that the name is taken from; the shapes are those of the latter. */
static void test_shapes(void **state)
{
    (void)state;
    tacho_program program;
    tacho_program *p = &program;
    tacho_output output;
    make_torq_program(p);
    static const tacho_shape shapes[] = {{1, {2}}, {2, {4, 16}}, {3, {1, 8, 8}}};
    assert_null(tacho_grow(&p->tensors, &p->tensor_capacity, 3));
    assert_null(tacho_grow(&p->links, &p->link_capacity, 4));
    assert_null(tacho_grow(&p->steps, &p->step_capacity, 2));
    memset(p->tensors, 0, 3 * sizeof(*p->tensors));
    memset(p->steps, 0, 2 * sizeof(*p->steps));
    for (uint32_t i = 0; i < 3; i++) {
        assert_null(tacho_program_add_shape(p, &shapes[i], &p->tensors[i].shape));
        p->links[i] = i;
    }
    p->links[3] = 2;
    p->tensor_count = 3;
    p->link_count = 4;
    p->steps[0] = (tacho_step){.first_link = 0, .input_count = 1, .output_count = 1};
    p->steps[1] = (tacho_step){.first_link = 1, .input_count = 2, .output_count = 1};
    assert_null(intern(p, "tosa.reshape", &p->steps[0].type));
    assert_null(intern(p, "tosa.add", &p->steps[1].type));
    assert_null(intern(p, "tosa.add+rescale", &p->ops[0].type));
    p->step_count = p->ops[0].step_count = 2;
    open_test_output(&output);
    tacho_dump dump = {.program = p, .has_profile = true};
    assert_null(tacho_dump_targets(&dump, &output));
    read_text(&output);
    assert_non_null(strstr(text, "shapes = \"4x16+1x8x8+1x8x8\""));
    tacho_program_deinit(p);
}

/* ---- the phases before ---------------------------------------------------------------------- */

static void test_schedule(void **state)
{
    (void)state;
    tacho_program program;
    tacho_output output;
    assert_null(tacho_program_init(&program));
    assert_null(make_test_program(&program));
    tacho_dump dump = {.program = &program, .has_profile = true};
    open_test_output(&output);
    assert_null(tacho_dump_scheduled(&dump, &output));
    read_text(&output);
    assert_non_null(strstr(text, "%j6 = \"tacho.job\"(%j5, %j1, %b2) {kind = \"store\", engine = "
                                 "\"DMAIssue\", device = 0 : i32, core = 1 : i32,"));
    assert_non_null(strstr(text, "start = 969 : i64, end = 1200 : i64, false_needs = array<i32: "
                                 "1>} : (!tacho.token, !tacho.token, !tacho.buffer) -> "
                                 "!tacho.token loc(#loc1)"));
    open_test_output(&output);
    assert_null(tacho_dump_placed(&dump, &output));
    read_text(&output);
    assert_non_null(strstr(text, "    %t2 = \"stream.async.dispatch\"(%t0, %t1, %none) {type = "
                                 "\"Conv\", operator = 0 : i32, dispatch = "
                                 "\"main$async_dispatch_0\"} : (tensor<1x3x16x16xf16>, "
                                 "tensor<8x3x1x1xf16>, none) -> (tensor<1x8x16x16xf16>) "
                                 "loc(#loc0)\n"));
    tacho_program_deinit(&program);
}

/* Without profiling the dump has the work, but not its times. */
static void test_schedule_without_profile(void **state)
{
    (void)state;
    tacho_program program;
    tacho_output output;
    assert_null(tacho_program_init(&program));
    assert_null(make_test_program(&program));
    tacho_dump dump = {.program = &program};
    tacho_status (*const phases[])(const tacho_dump *, tacho_output *) = {
        tacho_dump_placed, tacho_dump_tiled, tacho_dump_scheduled, tacho_dump_targets};
    for (size_t i = 0; i < 4; i++) {
        open_test_output(&output);
        assert_null(phases[i](&dump, &output));
        read_text(&output);
        assert_null(strstr(text, "cycles"));
        assert_null(strstr(text, "start = "));
        assert_null(strstr(text, "local_peak_bytes"));
    }
    open_test_output(&output);
    assert_null(tacho_dump_scheduled(&dump, &output));
    read_text(&output);
    assert_non_null(strstr(text, "macs = 0 : i64, false_needs = array<i32: 1>}"));
    tacho_program_deinit(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attrs),     cmocka_unit_test(test_types),
        cmocka_unit_test(test_locations), cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_actions),   cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_shapes),    cmocka_unit_test(test_schedule_without_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
