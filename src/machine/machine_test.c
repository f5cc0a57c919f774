/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading machines: all built-in ones are good, and faults of a description are named.
 */
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_builtins(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a100", "a100-40gb", "aic100",   "b200",   "blackhole-p150", "gemmini-8x8",
        "h100", "h200",      "host-cpu", "mi300x", "torq-sl2610",    "wormhole-n150"};
    size_t count = 0;
    for (; tacho_machine_builtin(count) != NULL; count++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        assert_string_equal(tacho_machine_builtin(count), names[count]);
        assert_null(tacho_machine_find(names[count], &arena, &machine));
        assert_string_equal(machine->name.data, names[count]);
        tacho_arena_deinit(&arena);
    }
    assert_int_equal(count, sizeof(names) / sizeof(names[0]));
}

/* Every device that a description lists is found by its whole name, and by no other. */
static void test_devices(void **state)
{
    (void)state;
    static const struct {
        const char *device, *machine;
    } cases[] = {
        {"NVIDIA H200", "h200"},
        {"NVIDIA H100 80GB HBM3", "h100"},
        {"NVIDIA A100-SXM4-80GB", "a100"},
        {"A100-SXM4-40GB", "a100-40gb"},
        {"NVIDIA B200", "b200"},
        {"AMD Instinct MI300X", "mi300x"},
        {"NVIDIA H200 NVL", NULL},
        {"NVIDIA H20", NULL},
        {"H200", NULL},
        {"NVIDIA H100 PCIe", NULL},
        {"", NULL},
    };
    const tacho_machine_device *devices = NULL;
    size_t device_count = 0;
    tacho_arena arena;
    tacho_arena_init(&arena);
    assert_null(tacho_machine_devices(&arena, &devices, &device_count));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *found =
            tacho_machine_of_device(devices, device_count, tacho_str_from_cstring(cases[i].device));
        assert_int_equal(found == NULL, cases[i].machine == NULL);
        if (found != NULL) {
            assert_string_equal(found, cases[i].machine);
        }
    }
    tacho_arena_deinit(&arena);
}

static void test_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_good;
        int64_t num, den;
    } cases[] = {
        {"0", true, 0, 1},
        {"0.65", true, 13, 20},
        {"1e3", true, 1000, 1},
        {"95.45", true, 1909, 20},
        {"1e15", true, 1000000000000000, 1},
        {"1e16", false, 0, 0},
        {"-1", false, 0, 0},
        {"0.000000001", true, 1, 1000000000},
        {"1e-10", false, 0, 0},
        {"1.0000000001", false, 0, 0},
        {"-0.5", false, 0, 0},
        {"1e400", false, 0, 0},
        {"", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_ratio ratio = {0, 0};
        bool is_good = tacho_ratio_parse(tacho_str_from_cstring(cases[i].text), &ratio);
        assert_int_equal(is_good, cases[i].is_good);
        if (is_good) {
            assert_int_equal(ratio.num, cases[i].num);
            assert_int_equal(ratio.den, cases[i].den);
        }
    }
}

/* The template with the first |from| replaced by |to|. */
static char *edited(const char *from, const char *to)
{
    tacho_str text = tacho_machine_builtin_text(TACHO_STR("template"));
    char *copy = malloc(text.len + strlen(to) + 1);
    assert_non_null(copy);
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    char *at = strstr(copy, from);
    assert_non_null(at);
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
    return copy;
}

static void expect(const char *from, const char *to, const char *message)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    char *text = edited(from, to);
    tacho_status status =
        tacho_machine_read("m.json", tacho_str_from_cstring(text), &arena, &machine);
    assert_non_null(status);
    const char *found = tacho_status_message(status);
    if (strstr(found, message) == NULL) {
        print_error("expected '%s' in '%s'\n", message, found);
    }
    assert_non_null(strstr(found, message));
    tacho_status_free(status);
    free(text);
    tacho_arena_deinit(&arena);
}

static void test_faults(void **state)
{
    (void)state;
    expect("\"name\"", "\"nane\"", "m.json:2: machine: no such key: 'nane'");
    expect("\"value\": 1000, \"unit\": \"cycles\"", "\"value\": -1, \"unit\": \"cycles\"",
           "m.json:11: launch_cycles: -1 is out of range");
    expect("\"unit\": \"GHz\"", "\"unit\": \"cycles\"",
           "m.json:5: core_clock_hz: the unit is Hz, not 'cycles'");
    expect("\"value\": 0.65", "\"value\": 1.01",
           "dma[0].efficiency: 1.01 exceeds the limit of 1 ratio");
    expect("\"value\": 16, \"unit\": \"transfers\"", "\"value\": 0, \"unit\": \"transfers\"",
           "dma[0].queue_depth: must not be zero");
    expect("\"value\": 16, \"unit\": \"transfers\"", "\"value\": 1.5, \"unit\": \"transfers\"",
           "dma[0].queue_depth: 1.5 is not a whole number of transfers");
    expect("\"value\": 1024", "\"value\": 0", "engines[0].macs[0].per_cycle: must not be zero");
    expect("\"value\": 1024", "\"value\": 1e999",
           "engines[0].macs[0].per_cycle: 1e999 is out of range");
    expect("\"value\": 1024", "\"value\": NaN", "m.json: byte ");
    expect("\"value\": 1024", "\"value\": \"1024\"",
           "engines[0].macs[0].per_cycle: expected a number, found a string");
    expect("\"dtype\": \"i8\"", "\"dtype\": \"i9\"",
           "engines[0].macs[0].dtype: unknown value 'i9'");
    expect("\"grid_x\": {\"value\": 4", "\"grid_x\": {\"value\": 4.5",
           "grid_x: 4.5 is not a whole number of cores");
    expect("\"grid_x\"", "\"grid_y\"", "grid_y: is given twice");
    expect("\"unit\": \"GHz\", \"source\"", "\"unit\": \"GHz\", \"sauce\"",
           "core_clock_hz: a quantity has a value, a unit and a source, not 'sauce'");
    expect("{\"value\": 1, \"unit\": \"GHz\",", "{\"value\": 1,",
           "core_clock_hz: the quantity has no 'unit'");
}

/* Faults across several fields have a line and a place, too. */
static void test_cross_faults(void **state)
{
    (void)state;
    expect("\"kind\": \"ddr\"", "\"kind\": \"aux\"", "m.json:63: memories: no memory of kind ddr");
    expect("\"kind\": \"local\"", "\"kind\": \"aux\"",
           "m.json:63: memories: no memory of kind local");
    expect("\"kind\": \"aux\"", "\"kind\": \"ddr\"",
           "m.json:69: memories[1]: 'bytes_per_cycle' is missing; kind ddr needs it");
    expect("\"kind\": \"aux\"", "\"kind\": \"local\"",
           "m.json:71: memories[1].kind: a second memory of kind local");
    expect("    {\n      \"name\": \"DDR\"",
           "{\"name\": \"D\", \"kind\": \"ddr\", \"size_bytes\": {\"value\": 1, \"unit\": \"B\", "
           "\"source\": \"s\"}, \"bytes_per_cycle\": {\"value\": 1, \"unit\": \"B/cycle\", "
           "\"source\": \"s\"}},\n    {\n      \"name\": \"DDR\"",
           "m.json:77: memories[3].kind: a second memory of kind ddr");
    expect("\"class\": \"dma_in\"", "\"class\": \"vector\"",
           "m.json:89: dma[0].class: is vector; queues are");
    expect("\"class\": \"dma_out\"", "\"class\": \"dma_in\"",
           "m.json:99: dma[1].class: a second queue of class dma_in");
    expect(
        "\"burst_beats\": {\"value\": 16, \"unit\": \"beats\", \"source\": \"where this number is "
        "published\"},",
        "", "m.json:87: dma[0]: 'burst_beats' is missing");
    expect("\"banks\": {\"value\": 4, \"unit\": \"banks\", \"source\": \"where this number is "
           "published\"},",
           "", "m.json:74: memories[2]: 'banks' is missing beside the other");
    expect("\"default_fidelity\": \"exact\"", "\"default_fidelity\": \"x\"",
           "m.json:23: default_fidelity: is not listed in fidelities");
    expect("\"default_fidelity\": \"exact\",", "", "m.json:1: default_fidelity: is not listed in");
    expect("\"dtype\": \"bf16\"", "\"dtype\": \"i8\"",
           "m.json:31: engines[0].macs[1].dtype: the engine has two rates for i8");
    expect("\"dtype\": \"f32\"", "\"dtype\": \"i8\"",
           "m.json:51: engines[1].elements[2].dtype: the engine has two rates for i8");
    expect("\"fixed_job_cycles\"", "\"issue_cycles\"",
           "m.json:55: engines[2]: the engine has no rate and no fixed_job_cycles");
    expect(
        "\"align_n\": {\"value\": 16, \"unit\": \"elements\", \"source\": \"where this number is "
        "published\"},",
        "", "m.json:25: engines[0]: 'align_n' is missing; a mesh needs it");
    expect("\"sum_bytes\": {\"value\": 4, \"unit\": \"B\", \"source\": \"where this number is "
           "published\"},",
           "", "m.json:25: engines[0]: 'sum_bytes' is missing; 'accumulator_bytes' needs it");
    expect("\"sum_bytes\": {\"value\": 4", "\"sum_bytes\": {\"value\": 17",
           "engines[0].sum_bytes: 17 exceeds the limit of 16 B");
    expect("\"timeline\": \"torq\"", "\"timeline\": \"tork\"",
           "m.json:134: timeline: only torq's is supported");
}

/* Of two with one name, no one would know which is meant. */
static void test_twins(void **state)
{
    (void)state;
    expect("\"name\": \"VECTOR\"", "\"name\": \"MATRIX\"",
           "m.json:45: engines[1].name: 'MATRIX' is the name of engines[0] already");
    expect("\"name\": \"DDR\"", "\"name\": \"LOCAL\"",
           "m.json:75: memories[2].name: 'LOCAL' is the name of memories[0] already");
    expect("\"name\": \"DMA OUT\"", "\"name\": \"DMA IN\"", "dma[1].name: 'DMA IN' is the name of");
    expect("\"name\": \"exact\"", "\"name\": \"fast\"", "fidelities[1].name: 'fast' is the name");
    expect("\"of\": \"MaxPool\"", "\"of\": \"convolution\"",
           "op_names[1].of: 'convolution' is the of of op_names[0] already");
    expect("{\"from\": \"f32\", \"to\": \"bf16\"}",
           "{\"from\": \"f32\", \"to\": \"bf16\"},\n    {\"from\": \"f32\", \"to\": \"f16\"}",
           "m.json:130: legalise[1].from: 'f32' is the from of legalise[0] already");
}

/* Texts must not be empty and must be printable. */
static void test_texts(void **state)
{
    (void)state;
    expect("\"source\": \"where this number is published\"", "\"source\": \"  \"",
           "m.json:5: core_clock_hz: is empty");
    expect("\"title\": \"What", "\"title\": \"\\u001b[31m",
           "m.json:3: title: '\\x1b[31m people call the machine' has characters that cannot be");
    expect("\"name\": \"MATRIX\"", "\"name\": \"MAT\\nRIX\"",
           "m.json:26: engines[0].name: 'MAT\\x0aRIX' has characters that cannot be printed");
    expect("\"source\": \"where", "\"source\": \"\\u202ewhere", "has characters that cannot be");
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *of, *word;
    } cases[] = {
        {"torq-sl2610", "convolution", "conv2d"},
        {"torq-sl2610", "depthwise", "depthwise_conv2d"},
        {"torq-sl2610", "matmul", "fully_connected"},
        {"torq-sl2610", "GlobalAveragePool", "avgpool2d"},
        {"torq-sl2610", "softmax", "softmax"},
        {"aic100", "matmul", "aicconvolutiond32"},
        {"aic100", "Transpose", "aictranspose"},
        {"aic100", "reduction", "aicbatchedreduceadd"},
        {"aic100", "binary", "elementadd"},
        {"host-cpu", "matmul", "matmul"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        assert_null(tacho_machine_find(cases[i].machine, &arena, &machine));
        tacho_str word = tacho_machine_op_name(machine, tacho_str_from_cstring(cases[i].of));
        assert_true(tacho_str_equal(word, tacho_str_from_cstring(cases[i].word)));
        bool is_torq = strcmp(cases[i].machine, "torq-sl2610") == 0;
        assert_int_equal(tacho_machine_has_timeline(machine, "torq"), is_torq);
        assert_false(tacho_machine_has_timeline(machine, ""));
        tacho_arena_deinit(&arena);
    }
}

/* Cut anywhere, it is a failure, never a crash. */
static void test_cut(void **state)
{
    (void)state;
    tacho_str text = tacho_machine_builtin_text(TACHO_STR("template"));
    for (size_t len = 0; len + 2 < text.len; len += 7) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        tacho_status status =
            tacho_machine_read("cut", tacho_str_make(text.data, len), &arena, &machine);
        assert_non_null(status);
        tacho_status_free(status);
        tacho_arena_deinit(&arena);
    }
}

/* A single working core is not woken; a description without this case has one number. */
static void test_launches(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        uint64_t cores;
        int64_t launch;
    } cases[] = {
        {"template", 0, 1000}, {"template", 2, 1000}, {"template", 1, 100}, {"aic100", 1, 1430}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_arena arena;
        tacho_machine *machine;
        tacho_arena_init(&arena);
        assert_null(tacho_machine_find(cases[i].machine, &arena, &machine));
        tacho_machine_use_cores(machine, cases[i].cores);
        assert_int_equal(tacho_quantity_whole(&machine->launch_cycles), cases[i].launch);
        tacho_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtins),     cmocka_unit_test(test_devices),
        cmocka_unit_test(test_exact),        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_cross_faults), cmocka_unit_test(test_twins),
        cmocka_unit_test(test_texts),        cmocka_unit_test(test_words),
        cmocka_unit_test(test_cut),          cmocka_unit_test(test_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
