/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats as events: the spans of a file, in tacho's and in the vendor's words. A file cut at any
 * byte or with any bit flipped never gives an event that breaks the contract.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "program/stats_testing.h"
#include "sources/stats/host_sync.h"
#include "sources/stats/stats.h"

/* Takes rows, checks that they keep the contract, and remembers some. */
typedef struct taker {
    tacho_events events;
    size_t span_count, flow_count, sample_count, instant_count;
    size_t part_count;
    char text[8192]; /* "track: name start end" by line, in order */
    size_t text_len;
} taker;

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    taker *self = (taker *)(void *)events;
    const tacho_dict *dict = events->dict;
    assert_true(row->track < dict->track_count);
    const tacho_clock *clock = tacho_dict_track_clock(dict, row->track);
    assert_true(row->start >= 0 && row->start <= clock->max_ticks);
    if (row->kind == TACHO_ROW_FLOW) {
        self->flow_count++;
        return TACHO_OK;
    }
    if (row->kind == TACHO_ROW_SAMPLE) {
        self->sample_count++;
        return TACHO_OK;
    }
    assert_true(row->of.span.end >= row->start && row->of.span.end <= clock->max_ticks);
    assert_true(row->of.span.site < dict->site_count);
    for (size_t i = 0; i < row->arg_count; i++) {
        assert_true(row->args[i].key < dict->strings.item_count);
    }
    self->span_count++;
    self->instant_count += row->of.span.flags & TACHO_SPAN_INSTANT ? 1 : 0;
    tacho_str track = tacho_dict_string(dict, dict->tracks[row->track].name);
    tacho_str name = tacho_dict_string(dict, dict->sites[row->of.span.site].name);
    if (self->text_len + 256 < sizeof(self->text)) {
        self->text_len +=
            (size_t)snprintf(self->text + self->text_len, sizeof(self->text) - self->text_len,
                             "%.100s: %.100s %lld %lld\n", track.data, name.data,
                             (long long)row->start, (long long)row->of.span.end);
    }
    return TACHO_OK;
}

static tacho_status take_end(tacho_events *events, uint32_t part)
{
    taker *self = (taker *)(void *)events;
    assert_true(part < events->dict->part_count);
    self->part_count++;
    return TACHO_OK;
}

static const tacho_events_vtable taker_vtable = {.row = take_row, .end_part = take_end};

/* Decodes |bytes| as |made|'s program would; returns whether it could. */
static bool decode(test_stats *made, tacho_str bytes, const tacho_stats_view *view, taker *into,
                   tacho_dict *dict)
{
    tacho_stats_file file;
    tacho_stats_words words;
    assert_null(tacho_stats_words_init(&words, &made->layout));
    tacho_status status = tacho_stats_read(&file, bytes);
    if (status == TACHO_OK) {
        status = tacho_stats_bind(&file, &made->layout);
    }
    bool is_good = status == TACHO_OK;
    memset(into, 0, sizeof(*into));
    into->events = (tacho_events){&taker_vtable, dict};
    if (is_good) {
        tacho_stats_set set = {.files = &file,
                               .file_count = 1,
                               .words = &words,
                               .path = TACHO_STR("test.bin"),
                               .view = *view};
        assert_null(tacho_stats_emit(&set, &into->events));
        assert_int_equal(into->part_count, 1);
    }
    tacho_status_free(status);
    tacho_stats_file_deinit(&file);
    tacho_stats_words_deinit(&words);
    return is_good;
}

static void expect(test_stats *made, const tacho_stats_view *view, const char *text)
{
    taker taken;
    tacho_dict dict;
    assert_null(tacho_dict_init(&dict));
    assert_true(decode(made, tacho_str_make(made->bytes, made->byte_count), view, &taken, &dict));
    assert_string_equal(taken.text, text);
    assert_int_equal(dict.parts[0].origin, TACHO_ORIGIN_SIMULATED);
    assert_int_equal(dict.loss_count, 0);
    tacho_dict_deinit(&dict);
}

static void test_native(void **state)
{
    (void)state;
    test_stats made;
    tacho_stats_view view = {0};
    make_test_stats(&made, 70);
    expect(&made, &view,
           "Core 0: activation 970 993\n"
           "Core 0: inference 1000 1125\n"
           "Core 0: stats flush 1125 1130\n"
           "Core 1: activation 970 997\n"
           "Core 1: inference 1000 1125\n"
           "Core 1: stats flush 1125 1131\n"
           "Core 0 t3 Port 100: input wait 988 1000\n"
           "Core 1 t3 Port 101: output wait 995 1000\n"
           "Core 0 Port 100: doorbell 1012 1012\n"
           "Core 0 HMX: Convolution 1020 1070\n"
           "Core 0 DMAIssue: load /stem/Conv 1000 1020\n"
           "Core 0 DMAIssue:  1120 1120\n"
           "Core 1 HMX: Convolution 1021 1071\n"
           "Core 1 HVX 0: Convolution 1071 1086\n"
           "Core 1 HVX 1: ElementAdd 1086 1096\n"
           "Core 1 DMAIssue: load /stem/Conv 1000 1021\n"
           "Core 1 DMAIssue: store /head/Add 1096 1120\n");
    free_test_stats(&made);
}

/* An activation of long ago is not shown, and the picture starts with the inference. */
static void test_old_activation(void **state)
{
    (void)state;
    test_stats made;
    tacho_stats_view view = {0};
    make_test_stats(&made, 40);
    for (size_t i = 0; i < 8; i++) {
        made.threads[i].activate_start_u = 10;
        made.threads[i].activate_end_u = 30;
    }
    seal_test_stats(&made);
    expect(&made, &view,
           "Core 0: inference 1000 1125\n"
           "Core 0: stats flush 1125 1130\n"
           "Core 1: inference 1000 1125\n"
           "Core 1: stats flush 1125 1131\n");
    free_test_stats(&made);
}

/* Nor is an activation that a later inference of the run, however slow, also has on record. */
static void test_activation_once(void **state)
{
    (void)state;
    test_stats made;
    tacho_stats_view view = {.hides_activation = true};
    make_test_stats(&made, 40);
    expect(&made, &view,
           "Core 0: inference 1000 1125\n"
           "Core 0: stats flush 1125 1130\n"
           "Core 1: inference 1000 1125\n"
           "Core 1: stats flush 1125 1131\n");
    free_test_stats(&made);
}

static void test_vendor(void **state)
{
    (void)state;
    test_stats made;
    const uint32_t core = 1;
    tacho_stats_view view = {.has_vendor_words = true, .shows_barriers = true, .cores = {&core, 1}};
    make_test_stats(&made, 70);
    expect(&made, &view,
           "QAicGraph_Device_0: Device_0_Execution 1000 1131\n"
           "QAicGraph_Core_1: Core-1-Activation 970 997\n"
           "QAicGraph_Core_1: Core-1-Execution 1000 1131\n"
           "QAicGraph_Core_1: aicendcyclestats 1125 1131\n"
           "QAicGraph_Core_1_t3_Port_101: output wait 995 1000\n"
           "QAicGraph_Core_1_DMAIssue: Convolution 1000 1001\n"
           "QAicGraph_Core_1_DMAIssue_DMA: Convolution 1000 1021\n"
           "QAicGraph_Core_1_HMX: sync HMX 1021 1021\n"
           "QAicGraph_Core_1_HMX: Convolution 1021 1071\n"
           "QAicGraph_Core_1_HVX: sync HVX 1071 1071\n"
           "QAicGraph_Core_1_HVX: Convolution 1071 1086\n"
           "QAicGraph_Core_1_HVX: sync HVX 1086 1086\n"
           "QAicGraph_Core_1_HVX: ElementAdd 1086 1096\n"
           "QAicGraph_Core_1_DMAIssue: sync DMAIssue 1096 1096\n"
           "QAicGraph_Core_1_DMAIssue: ElementAdd 1096 1097\n"
           "QAicGraph_Core_1_DMAIssue_DMA: ElementAdd 1096 1120\n"
           "QAicGraph_Core_1_HMX_Barrier: barrier HMX 1071 1073\n"
           "QAicGraph_Core_1_HVX_t1_Barrier: barrier HVX 1086 1088\n"
           "QAicGraph_Core_1_HVX_t2_Barrier: barrier HVX 1096 1098\n");
    free_test_stats(&made);
}

static void test_flows(void **state)
{
    (void)state;
    test_stats made;
    taker taken;
    tacho_dict dict;
    make_test_stats(&made, 70);
    tacho_str bytes = tacho_str_make(made.bytes, made.byte_count);
    for (int i = 0; i < 4; i++) {
        const uint32_t core = 1;
        tacho_stats_view view = {.has_vendor_words = i > 0,
                                 .splits_groups = i > 1,
                                 .shows_flows = true,
                                 .cores = {&core, i > 2 ? 1 : 0}};
        assert_null(tacho_dict_init(&dict));
        assert_true(decode(&made, bytes, &view, &taken, &dict));
        /*
         * All needs of the program, two ends each; on core 1 alone the arrows from core 0 are left
         * out.
         */
        assert_int_equal(taken.flow_count, i > 2 ? 10 : 14);
        tacho_dict_deinit(&dict);
    }
    free_test_stats(&made);
}

/*
 * A transfer from another device is outside of the core, as are the ends of its arrows. A job that
 * only waits is not an op: its successors have an arrow from the job it waited for longest.
 */
static void test_links_and_waits(void **state)
{
    (void)state;
    test_stats made;
    taker taken;
    tacho_dict dict;
    const uint32_t core = 1;
    tacho_stats_view view = {.has_vendor_words = true, .cores = {&core, 1}};
    make_test_stats(&made, 70);
    made.program.jobs[1].kind = TACHO_JOB_P2P;
    made.program.jobs[1].partner = 3;
    made.program.jobs[4].kind = TACHO_JOB_WAIT;
    expect(&made, &view,
           "QAicGraph_Device_0: Device_0_Execution 1000 1131\n"
           "QAicGraph_Core_1: Core-1-Activation 970 997\n"
           "QAicGraph_Core_1: Core-1-Execution 1000 1131\n"
           "QAicGraph_Core_1: aicendcyclestats 1125 1131\n"
           "QAicGraph_Core_1_t3_Port_101: output wait 995 1000\n"
           "QAicGraph_P2P_Port_108: Convolution 1000 1021\n"
           "QAicGraph_Core_1_HMX: sync HMX 1021 1021\n"
           "QAicGraph_Core_1_HMX: Convolution 1021 1071\n"
           "QAicGraph_Core_1_HVX: sync HVX 1086 1086\n"
           "QAicGraph_Core_1_HVX: sync HVX 1086 1086\n"
           "QAicGraph_Core_1_HVX: ElementAdd 1086 1096\n"
           "QAicGraph_Core_1_DMAIssue: sync DMAIssue 1096 1096\n"
           "QAicGraph_Core_1_DMAIssue: ElementAdd 1096 1097\n"
           "QAicGraph_Core_1_DMAIssue_DMA: ElementAdd 1096 1120\n");
    for (int i = 0; i < 3; i++) {
        view = (tacho_stats_view){
            .has_vendor_words = i > 0, .splits_groups = i > 1, .shows_flows = true};
        assert_null(tacho_dict_init(&dict));
        tacho_str bytes = tacho_str_make(made.bytes, made.byte_count);
        assert_true(decode(&made, bytes, &view, &taken, &dict));
        assert_int_equal(taken.flow_count, i == 0 ? 14 : 10); /* 0-2, 1-3, 3-5, 5-6, 1-6 */
        tacho_dict_deinit(&dict);
    }
    free_test_stats(&made);
}

/* ---- damage -------------------------------------------------------------------------------- */

static void test_cut(void **state)
{
    (void)state;
    test_stats made;
    taker taken;
    tacho_dict dict;
    make_test_stats(&made, 100);
    size_t span_count = 0;
    for (size_t len = 0; len <= made.byte_count; len++) {
        tacho_stats_view view = {.has_vendor_words = len % 2 == 0, .shows_flows = true};
        assert_null(tacho_dict_init(&dict));
        if (decode(&made, tacho_str_make(made.bytes, len), &view, &taken, &dict)) {
            bool is_whole = len == made.byte_count;
            assert_int_equal(
                tacho_dict_has_loss(&dict, &(tacho_loss){.reason = TACHO_LOSS_CUT_INPUT}),
                !is_whole);
            span_count = taken.span_count;
        }
        tacho_dict_deinit(&dict);
    }
    assert_true(span_count > 16);
    free_test_stats(&made);
}

static void test_flips(void **state)
{
    (void)state;
    test_stats made;
    taker taken;
    tacho_dict dict;
    make_test_stats(&made, 100);
    uint64_t random = 1;
    size_t damaged_count = 0;
    enum { FLIPS = 100000 };
    for (int i = 0; i < FLIPS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t bit = (size_t)(random >> 20) % (made.byte_count * 8);
        made.bytes[bit / 8] = (char)(made.bytes[bit / 8] ^ 1 << bit % 8);
        tacho_stats_view view = {.has_vendor_words = i % 2 == 0, .shows_flows = i % 4 < 2};
        assert_null(tacho_dict_init(&dict));
        bool is_good =
            decode(&made, tacho_str_make(made.bytes, made.byte_count), &view, &taken, &dict);
        damaged_count += !is_good || dict.loss_count > 0 ? 1 : 0;
        tacho_dict_deinit(&dict);
        made.bytes[bit / 8] = (char)(made.bytes[bit / 8] ^ 1 << bit % 8);
    }
    assert_int_equal(damaged_count, FLIPS); /* every flip is detected */
    free_test_stats(&made);
}

/* Complete but impossible records: they are left out and counted. */
static void test_impossible(void **state)
{
    (void)state;
    test_stats made;
    taker taken;
    tacho_dict dict;
    tacho_stats_view view = {.has_vendor_words = true, .shows_flows = true};
    make_test_stats(&made, 70);
    made.ops[0][0].oc = 77;
    made.ops[4][0].op_end_u = 1;
    made.ops[5][0].barrier_end_u = INT64_MAX; /* a time that does not fit nanoseconds */
    made.ops[5][0].op_end_u = INT64_MAX;
    made.threads[0].end_u = 5;
    made.bell.ring_u = UINT64_MAX;
    made.ports[0].wait_u = UINT64_MAX;
    seal_test_stats(&made);
    assert_null(tacho_dict_init(&dict));
    assert_true(decode(&made, tacho_str_make(made.bytes, made.byte_count), &view, &taken, &dict));
    assert_true(tacho_dict_has_loss(&dict, &(tacho_loss){.reason = TACHO_LOSS_UNKNOWN_STATE}));
    assert_true(tacho_dict_has_loss(&dict, &(tacho_loss){.reason = TACHO_LOSS_TIME_OVERFLOW}));
    tacho_dict_deinit(&dict);
    free_test_stats(&made);
}

static void test_other_program(void **state)
{
    (void)state;
    test_stats made;
    taker taken;
    tacho_dict dict;
    tacho_stats_view view = {0};
    make_test_stats(&made, 70);
    made.buffer.head.layout_id ^= 1;
    seal_test_stats(&made);
    assert_null(tacho_dict_init(&dict));
    assert_false(decode(&made, tacho_str_make(made.bytes, made.byte_count), &view, &taken, &dict));
    assert_false(decode(&made,
                        TACHO_STR("\x7f"
                                  "ELF"),
                        &view, &taken, &dict));
    tacho_dict_deinit(&dict);
    free_test_stats(&made);
}

/* ---- clocks -------------------------------------------------------------------------------- */

static void test_host_sync(void **state)
{
    (void)state;
    test_stats made;
    tacho_stats_file file;
    int64_t value = 0;
    make_test_stats(&made, 70);
    assert_null(tacho_stats_read(&file, tacho_str_make(made.bytes, made.byte_count)));
    assert_null(tacho_stats_bind(&file, &made.layout));
    assert_true(tacho_host_sync_tick(&file, 500100, &value));
    assert_int_equal(value, TEST_START_U + 10);
    assert_true(tacho_host_sync_tick(&file, 499990, &value));
    assert_int_equal(value, TEST_START_U - 1);
    assert_true(tacho_host_sync_ns(&file, TEST_START_U + 7, &value));
    assert_int_equal(value, 500070);
    file.array_count = 0;
    assert_false(tacho_host_sync_ns(&file, TEST_START_U, &value));
    tacho_stats_file_deinit(&file);
    free_test_stats(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_native),
        cmocka_unit_test(test_vendor),
        cmocka_unit_test(test_links_and_waits),
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_old_activation),
        cmocka_unit_test(test_activation_once),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_other_program),
        cmocka_unit_test(test_host_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
