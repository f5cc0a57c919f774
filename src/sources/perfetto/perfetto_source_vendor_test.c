/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces by the tools of Torq: names of tracks and groups, old forms included, identify the tracks,
 * and show whether times were measured or estimated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/perfetto/perfetto_source_testing.h"

static void test_vendor_tracks(void **state)
{
    (void)state;
    static const struct {
        const char *group;
        const char *name;
        tacho_track_class track_class;
        uint32_t index;
    } rows[] = {
        {"Host", "HAL", TACHO_TRACK_RUNTIME, 0},
        {"Host", "Host Copy", TACHO_TRACK_HOST_COPY, 0},
        {"NPU Task Breakdown", "Slice 1 (Compile)", TACHO_TRACK_PHASE, 0},
        {"NPU Task Measurements", "DMA Out Used", TACHO_TRACK_DMA_OUT, 0},
        {"NPU Task Measurements", "Slice 3 Used", TACHO_TRACK_COMPUTE, 3},
        {"NPU Task Measurements", "CSS Used", TACHO_TRACK_VECTOR, 0},
        {"Host Profile Overview", "15 OVERALL", TACHO_TRACK_PHASE, 0},
        {"Compiler Input Locations", "CDMA", TACHO_TRACK_PHASE, 0},
        {"Mine", "CDMA", TACHO_TRACK_HOST, 0},
    };
    enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };
    start();
    for (uint64_t i = 0; i < ROW_COUNT; i++) {
        track(2 * i + 1, rows[i].group, 0);
        track(2 * i + 2, rows[i].name, 2 * i + 1);
        simple(i, PF_TYPE_INSTANT, 2 * i + 2, "e");
    }
    tacho_status status = read_into(&first, trace_bytes(), false, TACHO_ORDER_PASS);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER); /* the end decides */
    tacho_status_free(status);
    drop(&first);
    assert_ok(read_into(&first, trace_bytes(), true, TACHO_ORDER_SORT));
    assert_int_equal(first.dict.parts[0].origin, TACHO_ORIGIN_MEASURED);
    assert_int_equal(first.profile.span_count, ROW_COUNT);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const tacho_track *found = &first.dict.tracks[tacho_profile_span(&first.profile, i).track];
        assert_int_equal(found->track_class, rows[i].track_class);
        assert_int_equal(found->index, rows[i].index);
        bool is_group = first.dict.tracks[found->parent].track_class == TACHO_TRACK_GROUP;
        assert_int_equal(is_group, strcmp(rows[i].group, "Mine") != 0);
    }
    drop(&first);
}

/* The class and number of the track of each span, in the order of time, and the origin. */
static void check_classes(const char *expected, tacho_origin origin)
{
    assert_ok(read_into(&first, trace_bytes(), true, TACHO_ORDER_SORT));
    assert_int_equal(first.dict.parts[0].origin, origin);
    clear_text(&first.text);
    for (size_t i = 0; i < first.profile.span_count; i++) {
        tacho_span span = tacho_profile_span(&first.profile, i);
        const tacho_track *found = &first.dict.tracks[span.track];
        tacho_origin own = (tacho_origin)(span.flags & TACHO_SPAN_ORIGIN_MASK);
        put(&first.text, "%s%s %u%s%s", i > 0 ? ", " : "",
            tacho_track_class_name(found->track_class), found->index,
            own != TACHO_ORIGIN_UNKNOWN ? " " : "",
            own != TACHO_ORIGIN_UNKNOWN ? tacho_origin_name(own) : "");
    }
    assert_string_equal(first.text.bytes, expected);
    drop(&first);
}

static void test_vendor_estimate(void **state)
{
    (void)state;
    static const char *const tracks[][2] = {
        {"Host", "NSS Programs"},
        {"NPU Task Breakdown", "NDMA In"},
        {"NPU Task Breakdown", "Slice 1"},
        {"NPU Task Measurements", "DMA In Used"},
        {"NPU Task Measurements", "Slice 1 Used"},
        {"Compile Profile Overview", "15 OVERALL"},
        {"Host Profile Overview", "15 OVERALL"},
    };
    enum { TRACK_COUNT = sizeof(tracks) / sizeof(tracks[0]) };
    for (uint64_t count = TRACK_COUNT - 1; count <= TRACK_COUNT; count++) {
        start();
        for (uint64_t i = 0; i < count; i++) {
            track(2 * i + 1, tracks[i][0], 0);
            track(2 * i + 2, tracks[i][1], 2 * i + 1);
            simple(i, PF_TYPE_INSTANT, 2 * i + 2, "e");
        }
        check_classes(count < TRACK_COUNT
                          ? "control 0, dma_in 0, compute 1, phase 0, phase 0, phase 0"
                          : "control 0, dma_in 0, compute 1, phase 0, phase 0, phase 0, phase 0",
                      count < TRACK_COUNT ? TACHO_ORIGIN_ESTIMATED : TACHO_ORIGIN_MEASURED);
    }
}

/* Groups without events are ignored, so reading in one go finds the same. */
static void test_vendor_empty_groups(void **state)
{
    (void)state;
    start();
    track(1, "Compile Profile Overview", 0);
    track(2, "15 OVERALL", 1);
    track(3, "mine", 0);
    simple(1, PF_TYPE_INSTANT, 3, "e");
    assert_ok(read_into(&first, trace_bytes(), false, TACHO_ORDER_PASS));
    assert_int_equal(first.dict.parts[0].origin, TACHO_ORIGIN_MEASURED);
    drop(&first);
    check_classes("host 0", TACHO_ORIGIN_MEASURED);
}

/* A process and its threads, each with one event; both are numbered from |uuid| on. */
static void old_process(uint64_t uuid, const char *name, const char *const *threads)
{
    process(uuid, uuid, name);
    for (uint64_t i = uuid + 1; *threads != NULL; i++, threads++) {
        thread(i, uuid, i, *threads);
        simple(i, PF_TYPE_INSTANT, i, "e");
    }
}

static void test_vendor_old_estimates(void **state)
{
    (void)state;
    static const char *const oldest[] = {"DMA IN", "DMA OUT", "SLICE 0", "SLICE 1", NULL};
    static const char *const sums[] = {"00 OVERVIEW DMA", "05 OVERALL", NULL};
    static const char *const numbered[] = {"0_DMA_IN", "1_DMA_OUT", "2_SLICE_0", "3_SLICE_1",
                                           "4_CDMA",   "5_CSS",     NULL};
    start();
    old_process(1, "01 timeline.csv", oldest);
    old_process(10, "01 timeline.csv Overview", sums);
    check_classes("dma_in 0, dma_out 0, compute 0, compute 1, phase 0, phase 0",
                  TACHO_ORIGIN_ESTIMATED);
    start();
    old_process(1, "conv", numbered);
    check_classes("dma_in 0, dma_out 0, compute 0, compute 1, dma_local 0, vector 0",
                  TACHO_ORIGIN_ESTIMATED);
}

static void test_vendor_old_runs(void **state)
{
    (void)state;
    static const char *const run[] = {
        "00_Input_Layer", "01_Torq_Operations", "02_Host", "03_DMA_In",
        "05_CDMA",        "06_Slice_0",         "08_CSS",  NULL};
    static const char *const oldest[] = {"DMA IN", "SLICE 1", NULL};
    start();
    old_process(1, "annotated", run);
    check_classes("phase 0, control 0, host 0, dma_in 0, dma_local 0, compute 0, vector 0",
                  TACHO_ORIGIN_MEASURED);
    start();
    old_process(1, "annotated", run);
    old_process(10, "01 timeline.csv", oldest);
    check_classes("phase 0, control 0, host 0, dma_in 0, dma_local 0, compute 0, vector 0, "
                  "dma_in 0 estimated, compute 1 estimated",
                  TACHO_ORIGIN_MEASURED);
}

/* Names that other tools may use, too. */
static void test_vendor_old_chance(void **state)
{
    (void)state;
    static const char *const oldest[] = {"DMA IN", "SLICE 1", NULL};
    static const char *const mixed[] = {"0_DMA_IN", "1_DMA_OUT", "main", NULL};
    static const char *const lone[] = {"5_CSS", NULL};
    start();
    old_process(1, "driver", oldest);
    old_process(10, "app", mixed);
    old_process(20, "browser", lone);
    check_classes("host 0, host 0, host 0, host 0, host 0, host 0", TACHO_ORIGIN_MEASURED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vendor_tracks),       cmocka_unit_test(test_vendor_estimate),
        cmocka_unit_test(test_vendor_empty_groups), cmocka_unit_test(test_vendor_old_estimates),
        cmocka_unit_test(test_vendor_old_runs),     cmocka_unit_test(test_vendor_old_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
