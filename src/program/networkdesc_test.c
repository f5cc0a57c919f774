/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Network descriptions: that of a program read back, and bytes as other writers put them.
 * tests/program/run.sh checks ours with another implementation of protobuf.
 */
#include "program/networkdesc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/index.h"
#include "program/check.h"
#include "program/program_testing.h"
#include "program/stats_layout.h"

static void describe_slice(const tacho_program *program, uint32_t device, tacho_bytes *bytes)
{
    tacho_slice *slices;
    assert_null(tacho_slices_create(program, &slices));
    assert_null(tacho_networkdesc_write(program, &slices[device], bytes));
    tacho_slices_free(program, slices);
}

static tacho_bytes describe(uint32_t level)
{
    tacho_program program;
    assert_null(tacho_program_init(&program));
    assert_null(make_test_program(&program));
    program.facts.stats.level = level;
    tacho_bytes bytes = {0};
    describe_slice(&program, 0, &bytes);
    tacho_program_deinit(&program);
    return bytes;
}

static void check_text(tacho_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

static void check_bindings(const tacho_networkdesc *desc)
{
    assert_int_equal(desc->input_count, 1);
    check_text(desc->inputs[0].name, "image");
    assert_int_equal(desc->inputs[0].type, 1);
    assert_int_equal(desc->inputs[0].dim_count, 4);
    assert_int_equal(desc->inputs[0].dims[1], 3);
    assert_int_equal(desc->inputs[0].dims[3], 16);
    assert_int_equal(desc->output_count, 2);
    check_text(desc->outputs[0].name, "result");
    assert_int_equal(desc->outputs[0].dims[1], 8);
    check_text(desc->outputs[1].name, "flags"); /* 64 bits without a sign: described as bytes */
    assert_int_equal(desc->outputs[1].type, 8);
    assert_int_equal(desc->outputs[1].dim_count, 2);
    assert_int_equal(desc->outputs[1].dims[0], 2);
    assert_int_equal(desc->outputs[1].dims[1], 8);
}

/* Core, thread group and name of each op that is listed. */
static void check_ops(const tacho_networkdesc *desc)
{
    static const struct {
        uint32_t core, group;
        const char *name;
    } expected[] = {
        {0, 0, "/stem/Conv"}, {0, 2, "/stem/Conv"}, {1, 0, "/stem/Conv"}, {1, 1, "/stem/Conv"},
        {1, 1, "/head/Add"},  {1, 2, "/stem/Conv"}, {1, 2, "/head/Add"},
    };
    assert_int_equal(desc->op_count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(desc->ops[i].core, expected[i].core);
        assert_int_equal(desc->ops[i].group, expected[i].group);
        check_text(desc->ops[i].name, expected[i].name);
    }
    assert_int_equal(desc->core_op_count_count, 2);
    assert_int_equal(desc->core_op_counts[0], 2);
    assert_int_equal(desc->core_op_counts[1], 5);
    assert_int_equal(desc->listed_core_count, 2);
    check_text(desc->ops[0].kind, "Convolution");
    check_text(desc->ops[0].type, "f16");
    check_text(desc->ops[0].memory, "vtcm");
    check_text(desc->ops[0].shape, "1x8x16x16");
    assert_int_equal(desc->ops[0].output_bytes, 4096);
}

static void test_round_trip(void **state)
{
    (void)state;
    tacho_bytes bytes = describe(70);
    tacho_networkdesc desc;
    assert_null(tacho_networkdesc_read(tacho_bytes_view(&bytes), &desc));
    assert_int_equal(desc.major, 9);
    assert_int_equal(desc.minor, 0);
    check_text(desc.name, "QAicGraph");
    assert_int_equal(desc.core_count, 2);
    assert_int_equal(desc.thread_count, 4);
    assert_int_equal(desc.vector_thread_count, 2);
    assert_int_equal(desc.batch_size, 1);
    check_bindings(&desc);
    assert_int_equal(desc.dma_count, 4);
    assert_int_equal(desc.dmas[0].bytes, 1536);
    assert_false(desc.dmas[0].is_out);
    assert_int_equal(desc.dmas[1].bytes, 4096);
    assert_true(desc.dmas[1].is_out);
    assert_int_equal(desc.group_size_count, 3);
    assert_int_equal(desc.group_sizes[1], 2);
    assert_int_equal(desc.group_name_count, 3);
    check_text(desc.group_names[0], "HMX");
    check_text(desc.group_names[1], "HVX");
    check_text(desc.group_names[2], "DMAIssue");
    assert_true(desc.has_stats);
    assert_int_equal(desc.stats.buffer, 3);
    assert_int_equal(desc.dmas[3].bytes, 4096);
    assert_int_equal(desc.stats.level, 70);
    assert_true(desc.stats.prints_ops);
    assert_int_equal(desc.stats.op_level, 70);
    assert_int_equal(desc.stats.pmu_level, 70);
    assert_int_equal(desc.stats.batch_size, 4);
    assert_true(desc.stats.counts_ddr);
    assert_int_equal(desc.stats.timer_khz, 19200);
    assert_int_equal(desc.pmu_event_count, 2);
    assert_int_equal(desc.pmu_events[1], 0x1a4);
    check_ops(&desc);
    tacho_networkdesc_deinit(&desc);
    tacho_bytes_deinit(&bytes);
}

/* Names are made UTF-8, which protobuf asks for; the program keeps them as they are. */
static void test_names(void **state)
{
    (void)state;
    tacho_program program;
    assert_null(tacho_program_init(&program));
    assert_null(make_test_program(&program));
    assert_null(intern(&program, "a\xff\xc3\xa4", &program.tensors[0].name));
    tacho_bytes bytes = {0};
    describe_slice(&program, 0, &bytes);
    tacho_networkdesc desc;
    assert_null(tacho_networkdesc_read(tacho_bytes_view(&bytes), &desc));
    check_text(desc.inputs[0].name, "a\xef\xbf\xbd\xc3\xa4");
    tacho_networkdesc_deinit(&desc);
    tacho_bytes_deinit(&bytes);
    tacho_program_deinit(&program);
}

static void test_levels(void **state)
{
    (void)state;
    tacho_networkdesc desc;
    tacho_bytes bytes = describe(39);
    assert_null(tacho_networkdesc_read(tacho_bytes_view(&bytes), &desc));
    assert_false(desc.has_stats);
    assert_int_equal(desc.dma_count, 3);
    tacho_networkdesc_deinit(&desc);
    tacho_bytes_deinit(&bytes);
    bytes = describe(40);
    assert_null(tacho_networkdesc_read(tacho_bytes_view(&bytes), &desc));
    assert_true(desc.has_stats);
    assert_int_equal(desc.stats.level, 40);
    assert_false(desc.stats.prints_ops);
    assert_int_equal(desc.stats.op_level, 0);
    assert_int_equal(desc.op_count, 7);
    tacho_networkdesc_deinit(&desc);
    tacho_bytes_deinit(&bytes);
}

/* Lists in both forms, unknown fields, a negative number, a quantized input. */
static void test_foreign(void **state)
{
    (void)state;
    tacho_networkdesc desc;
    assert_null(tacho_networkdesc_read(
        TACHO_STR(
            "\x08\x09"
            "\x1a\x03net"
            "\x22\x14\x0a\x01x\x12\x0f\x08\x02\x15\x00\x00\x00\x3f\x18\x03\x20\x01\x20\x05\x28\x01"
            "\x50\x01\x52\x03\x04\x85\x01"
            "\x62\x0d\x18\x28\x50\x03\x52\x02\x04\x05\x58\x07\x5a\x01\x09"
            "\x70\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
            "\xa2\x06\x02hi"),
        &desc));
    check_text(desc.name, "net");
    assert_int_equal(desc.input_count, 1);
    check_text(desc.inputs[0].name, "x");
    assert_int_equal(desc.inputs[0].type, 2);
    assert_true(desc.inputs[0].scale == 0.5f);
    assert_int_equal(desc.inputs[0].zero, 3);
    assert_int_equal(desc.inputs[0].dim_count, 2);
    assert_int_equal(desc.inputs[0].dims[1], 5);
    assert_int_equal(desc.inputs[0].layout, 1);
    assert_int_equal(desc.group_size_count, 3);
    assert_int_equal(desc.group_sizes[0], 1);
    assert_int_equal(desc.group_sizes[1], 4);
    assert_int_equal(desc.group_sizes[2], 133);
    assert_int_equal(desc.batch_size, -1);
    assert_int_equal(desc.pmu_event_count, 3);
    assert_int_equal(desc.pmu_events[2], 5);
    assert_int_equal(desc.core_op_count_count, 2);
    assert_int_equal(desc.core_op_counts[1], 9);
    assert_int_equal(desc.stats.buffer, 0);
    tacho_networkdesc_deinit(&desc);
}

static void expect_refused(tacho_str bytes, tacho_code code, const char *message)
{
    tacho_networkdesc desc;
    tacho_status status = tacho_networkdesc_read(bytes, &desc);
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), code);
    assert_non_null(strstr(tacho_status_message(status), message));
    tacho_status_free(status);
    tacho_networkdesc_deinit(&desc);
}

static void test_refused(void **state)
{
    (void)state;
    expect_refused(TACHO_STR(""), TACHO_CODE_UNSUPPORTED,
                   "network description, version: expected 9, found 0.0");
    expect_refused(TACHO_STR("\x08\x0a\x10\x02"), TACHO_CODE_UNSUPPORTED,
                   "network description, version: expected 9, found 10.2");
    expect_refused(
        TACHO_STR("\x0a\x01x"), TACHO_CODE_BAD_DATA,
        "network description, networkDescriptor, field 1: expected wire type 0, found 2");
    expect_refused(
        TACHO_STR("\x18\x01"), TACHO_CODE_BAD_DATA,
        "network description, networkDescriptor, field 3: expected wire type 2, found 0");
    expect_refused(
        TACHO_STR("\x52\x01\x80"), TACHO_CODE_BAD_DATA,
        "networkDescriptor, field 10: expected whole varints, found one cut or too long");
    expect_refused(TACHO_STR("\x52\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                   TACHO_CODE_BAD_DATA, "expected whole varints, found one cut or too long");
    char dims[] = "\x08\x09\x22\x25\x12\x23\x22\x21"
                  "111111111111111111111111111111111";
    expect_refused(TACHO_STR(dims), TACHO_CODE_LIMIT,
                   "network description, dims: expected at most 32, found more");
}

/* Every cut and every flipped bit ends in a description or a failure. */
static void test_damaged(void **state)
{
    (void)state;
    tacho_bytes bytes = describe(70);
    for (size_t len = 0; len <= bytes.len; len++) {
        char *cut = malloc(len + 1);
        assert_non_null(cut);
        memcpy(cut, bytes.data, len);
        for (size_t bit = 0; bit < 8 && len > 0; bit++) {
            cut[len - 1] = (char)(cut[len - 1] ^ (1 << bit));
            tacho_networkdesc desc;
            tacho_status_free(tacho_networkdesc_read(tacho_str_make(cut, len), &desc));
            tacho_networkdesc_deinit(&desc);
            cut[len - 1] = (char)(cut[len - 1] ^ (1 << bit));
        }
        free(cut);
    }
    for (size_t i = 0; i < bytes.len * 8; i++) {
        bytes.data[i / 8] ^= (unsigned char)(1 << i % 8);
        tacho_networkdesc desc;
        tacho_status_free(tacho_networkdesc_read(tacho_bytes_view(&bytes), &desc));
        tacho_networkdesc_deinit(&desc);
        bytes.data[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    tacho_bytes_deinit(&bytes);
}

static void test_types(void **state)
{
    (void)state;
    assert_string_equal(tacho_networkdesc_type_name(0), "FloatTy");
    assert_string_equal(tacho_networkdesc_type_name(8), "Int8Ty");
    assert_null(tacho_networkdesc_type_name(9));
}

/* t0 and t1 HVX, t2 HMX, t3 engines that move and wait, whatever their names. */
static void test_thread_groups(void **state)
{
    (void)state;
    static const uint16_t threads[] = {2, 0, 1, 3};
    tacho_program program;
    assert_null(tacho_program_init(&program));
    assert_null(make_test_program(&program));
    for (size_t i = 0; i < program.engine_count; i++) {
        program.engines[i].thread = threads[i % 4];
    }
    assert_null(
        tacho_strings_ensure(&program.strings, TACHO_STR("SYNC"), &program.engines[3].name));
    assert_null(
        tacho_strings_ensure(&program.strings, TACHO_STR("sync"), &program.engines[3].class_name));
    tacho_bytes bytes = {0};
    describe_slice(&program, 0, &bytes);
    tacho_networkdesc desc;
    assert_null(tacho_networkdesc_read(tacho_bytes_view(&bytes), &desc));
    assert_int_equal(desc.vector_thread_count, 2);
    assert_int_equal(desc.group_name_count, 3);
    assert_int_equal(desc.group_size_count, 3);
    check_text(desc.group_names[0], "HVX");
    check_text(desc.group_names[1], "HMX");
    check_text(desc.group_names[2], "DMAIssue");
    assert_int_equal(desc.group_sizes[0], 2);
    assert_int_equal(desc.group_sizes[1], 1);
    assert_int_equal(desc.group_sizes[2], 1);
    assert_int_equal(desc.op_count, 7);
    assert_int_equal(desc.ops[0].group, 1); /* core 0: HMX, then its loads */
    assert_int_equal(desc.ops[1].group, 2);
    tacho_networkdesc_deinit(&desc);
    tacho_bytes_deinit(&bytes);
    tacho_program_deinit(&program);
}

/* Each slice is described by its own cores, jobs, inputs and outputs. */
static void test_slices(void **state)
{
    (void)state;
    tacho_program program;
    assert_null(tacho_program_init(&program));
    assert_null(make_test_program(&program));
    slice_test_program(&program);
    assert_null(tacho_program_check(&program));
    uint64_t stats_bytes = 0;
    for (uint32_t i = 0; i < 2; i++) {
        tacho_bytes bytes = {0};
        tacho_networkdesc desc;
        describe_slice(&program, i, &bytes);
        assert_null(tacho_networkdesc_read(tacho_bytes_view(&bytes), &desc));
        check_text(desc.name, i == 0 ? "QAicGraph_slice00" : "QAicGraph_slice01");
        assert_int_equal(desc.core_count, 1);
        assert_int_equal(desc.thread_count, 4);
        assert_int_equal(desc.input_count, i == 0 ? 1 : 0);
        assert_int_equal(desc.output_count, i == 0 ? 0 : 2);
        assert_int_equal(desc.listed_core_count, 1);
        assert_int_equal(desc.core_op_count_count, 1);
        assert_int_equal(desc.core_op_counts[0], i == 0 ? 2 : 5);
        assert_int_equal(desc.stats.buffer, i == 0 ? 1 : 2);
        assert_int_equal(desc.dma_count, desc.stats.buffer + 1);
        stats_bytes += desc.dmas[desc.stats.buffer].bytes;
        tacho_networkdesc_deinit(&desc);
        tacho_bytes_deinit(&bytes);
    }
    tacho_stats_layout layout;
    assert_null(tacho_stats_layout_init(&layout, &program));
    assert_int_equal(stats_bytes, layout.buffer_bytes);
    tacho_stats_layout_deinit(&layout);
    tacho_program_deinit(&program);
}

/* Where a device has no work its slice is empty, and inputs belong to all who read them. */
static void test_slice_facts(void **state)
{
    (void)state;
    tacho_program program;
    tacho_slice *slices;
    assert_null(tacho_program_init(&program));
    assert_null(make_test_program(&program));
    slice_test_program(&program);
    program.facts.device_count = 3;
    assert_null(tacho_slices_create(&program, &slices));
    assert_int_equal(tacho_slice_count(&program), 3);
    assert_string_equal(slices[2].name, "QAicGraph_slice02");
    assert_int_equal(slices[0].op_count, 1);
    assert_int_equal(slices[1].op_count, 1);
    assert_int_equal(slices[2].op_count, 0);
    assert_int_equal(slices[0].job_count, 3);
    assert_int_equal(slices[1].job_count, 5);
    assert_int_equal(slices[2].job_count, 0);
    assert_int_equal(slices[0].link_bytes, 0);
    assert_int_equal(slices[1].link_bytes, 792);
    assert_int_equal(slices[0].end, 1200);
    assert_int_equal(slices[1].start, 0);
    tacho_slices_free(&program, slices);
    /* Read by both, and made by neither. */
    program.links[program.steps[program.ops[1].first_step].first_link] = program.inputs[0];
    program.outputs[0] = program.inputs[0];
    assert_null(tacho_slices_create(&program, &slices));
    assert_int_equal(slices[0].input_count, 1);
    assert_int_equal(slices[1].input_count, 1);
    assert_int_equal(slices[2].input_count, 0);
    assert_int_equal(slices[0].output_count, 1);
    assert_int_equal(slices[0].outputs[0], 0);
    assert_int_equal(slices[1].output_count, 1);
    assert_int_equal(slices[1].outputs[0], 1);
    tacho_slices_free(&program, slices);
    /* Not read at all: the first one's. */
    for (size_t i = 0; i < program.link_count; i++) {
        if (program.links[i] == program.inputs[0]) {
            program.links[i] = TACHO_NONE;
        }
    }
    assert_null(tacho_slices_create(&program, &slices));
    assert_int_equal(slices[0].input_count, 1);
    assert_int_equal(slices[1].input_count, 0);
    tacho_slices_free(&program, slices);
    char name[TACHO_SLICE_NAME_MAX];
    tacho_slice_name(TACHO_STR("net"), 0, 1, name);
    assert_string_equal(name, "net");
    tacho_slice_name(TACHO_STR("net"), 115, 200, name);
    assert_string_equal(name, "net_slice115");
    tacho_program_deinit(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices),     cmocka_unit_test(test_slice_facts),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_levels),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_types),      cmocka_unit_test(test_thread_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
