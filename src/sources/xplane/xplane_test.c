/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XPlane files, composed field by field: planes whose descriptions follow their lines, times,
 * names, arguments, arrows, counters, and what cannot be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/xplane/fields.h"
#include "sources/xplane/xplane.h"

#define TESTED_SOURCE tacho_source_xplane
#include "sources/perfetto/perfetto_source_testing.h"

static void begin_plane(const char *name)
{
    begin(XP_SPACE_PLANE);
    text(XP_PLANE_NAME, name);
}

static void begin_line(uint64_t id, const char *name, uint64_t time_ns)
{
    begin(XP_PLANE_LINE);
    number(XP_LINE_ID, id);
    text(XP_LINE_NAME, name);
    number(XP_LINE_TIME, time_ns);
}

static void begin_event(uint64_t kind, uint64_t offset, uint64_t duration)
{
    begin(XP_LINE_EVENT);
    number(XP_EVENT_KIND, kind);
    number(XP_EVENT_OFFSET, offset);
    number(XP_EVENT_DURATION, duration);
}

static void plain_event(uint64_t kind, uint64_t offset, uint64_t duration)
{
    begin_event(kind, offset, duration);
    end();
}

/* An entry of a map, whose value is a message with one text. */
static void describe(uint32_t map, uint64_t id, uint32_t field, const char *name)
{
    begin(map);
    number(XP_MAP_KEY, id);
    begin(XP_MAP_VALUE);
    text(field, name);
    end();
    end();
}

static void kind(uint64_t id, const char *name)
{
    describe(XP_PLANE_EVENT_KIND, id, XP_KIND_NAME, name);
}

static void stat_name(uint64_t id, const char *name)
{
    describe(XP_PLANE_STAT_NAME, id, XP_STAT_NAME_TEXT, name);
}

static void number_stat(uint32_t owner, uint64_t name, uint32_t type, uint64_t value)
{
    begin(owner);
    number(XP_STAT_NAME, name);
    number(type, value);
    end();
}

static void text_stat(uint32_t owner, uint64_t name, const char *value)
{
    begin(owner);
    number(XP_STAT_NAME, name);
    text(XP_STAT_TEXT, value);
    end();
}

/* ---- names and arguments ----------------------------------------------------------------- */

static void test_names_follow(void **state)
{
    (void)state;
    start();
    begin_plane("/device:TPU:0");
    begin_line(3, "XLA Ops", 1);
    plain_event(1, 500, 2000);
    begin_event(1, 4000, 1);
    number_stat(XP_EVENT_STAT, 7, XP_STAT_UINT, UINT64_MAX);
    number_stat(XP_EVENT_STAT, 8, XP_STAT_INT, (uint64_t)INT64_C(-3));
    number_stat(XP_EVENT_STAT, 9, XP_STAT_REFERENCE, 10);
    begin(XP_EVENT_STAT);
    number(XP_STAT_NAME, 11);
    real(XP_STAT_REAL, 1.5);
    end();
    end();
    end();
    begin(XP_PLANE_EVENT_KIND);
    number(XP_MAP_KEY, 1);
    begin(XP_MAP_VALUE);
    text(XP_KIND_NAME, "%fusion.3 = f32[8]{0} fusion(%p)");
    text_stat(XP_KIND_STAT, 12, "loop fusion");
    text_stat(XP_KIND_STAT, 13, "model.py:41");
    number_stat(XP_KIND_STAT, 14, XP_STAT_UINT, 64);
    end();
    end();
    stat_name(7, "program_id");
    stat_name(8, "delta");
    stat_name(9, "tf_op");
    stat_name(10, "jit(f)/dot");
    stat_name(11, "load");
    stat_name(12, "hlo_category");
    stat_name(13, "source");
    stat_name(14, "flops");
    end();
    check("XLA Ops < /device:TPU:0|1500|3500|fusion.3|loop fusion@model.py:41|hlo=s'%fusion.3 "
          "= f32[8]{0} fusion(%p)' flops=u64\n"
          "XLA Ops < /device:TPU:0|5000|5001|fusion.3|loop "
          "fusion@model.py:41|program_id=u18446744073709551615 delta=i-3 tf_op=s'jit(f)/dot' "
          "load=r1.5 hlo=s'%fusion.3 = f32[8]{0} fusion(%p)' flops=u64\n");
}

/* ---- times ------------------------------------------------------------------------------- */

#define START_NS UINT64_C(1700000000000000000)

static void environment(uint64_t start_ns)
{
    begin_plane("Task Environment");
    stat_name(1, "profile_start_time");
    number_stat(XP_PLANE_STAT, 1, XP_STAT_UINT, start_ns);
    end();
}

static void one_line(uint64_t time_ns)
{
    begin_plane("/host:CPU");
    begin_line(5, "main/5", time_ns);
    plain_event(1, 250, 500);
    end();
    kind(1, "run");
    end();
}

/* Lines count from the session's start or from 1970; both are on one axis. */
static void test_times(void **state)
{
    (void)state;
    start();
    one_line(2);
    one_line(START_NS + 3);
    environment(START_NS);
    check("main/5 < /host:CPU|2250|2750|run|\n"
          "main/5 < /host:CPU|3250|3750|run|\n"
          "fact xplane.Task Environment.profile_start_time=1700000000000000000\n");
    start(); /* a line before the start: all move */
    one_line(2);
    one_line(START_NS - 1);
    environment(START_NS);
    check("main/5 < /host:CPU|250|750|run|\n"
          "main/5 < /host:CPU|3250|3750|run|\n"
          "fact xplane.Task Environment.profile_start_time=1700000000000000000\n");
    start(); /* without the start, the first line of 1970 is it */
    one_line(START_NS + 8);
    one_line(START_NS);
    check("main/5 < /host:CPU|250|750|run|\n"
          "main/5 < /host:CPU|8250|8750|run|\n");
}

static void test_times_that_do_not_fit(void **state)
{
    (void)state;
    start();
    begin_plane("/host:CPU");
    begin_line(1, "a", 0);
    plain_event(1, 0, INT64_MAX);
    plain_event(1, 1, INT64_MAX);               /* ends too late */
    plain_event(1, (uint64_t)INT64_MAX + 1, 1); /* starts before 0 */
    plain_event(1, 3, (uint64_t)INT64_MAX + 1); /* ends before it starts */
    end();
    kind(1, "run");
    end();
    check("a < /host:CPU|0|9223372036854775807|run|\n"
          "lost negative_time 1 \nlost time_overflow 2 \n");
}

/* ---- lines ------------------------------------------------------------------------------- */

static void test_steps(void **state)
{
    (void)state;
    start();
    begin_plane("/device:TPU:0");
    begin_line(1, "Steps", 0);
    plain_event(1, 0, 5);
    plain_event(2, 5, 5);
    end();
    kind(1, "7");
    kind(2, "no number");
    end();
    begin_plane("/host:CPU");
    begin_line(9, "main/9", 0);
    begin_event(1, 0, 5);
    number_stat(XP_EVENT_STAT, 3, XP_STAT_UINT, 12);
    end();
    begin_event(2, 5, 5);
    number_stat(XP_EVENT_STAT, 3, XP_STAT_UINT, 13);
    end();
    end();
    kind(1, "train");
    kind(2, "train_step");
    stat_name(3, "step_num");
    end();
    check("Steps < /device:TPU:0|0|5|step 7|\n"
          "main/9 < /host:CPU|0|5|train step 12||step_num=u12\n"
          "Steps < /device:TPU:0|5|10|no number|\n"
          "main/9 < /host:CPU|5|10|train_step 13||step_num=u13\n");
}

static tacho_track_class class_of(const char *plane, const char *line)
{
    tacho_track_class found = TACHO_TRACK_GROUP;
    start();
    begin_plane(plane);
    begin_line(1, line, 0);
    plain_event(1, 0, 5);
    end();
    begin_line(2, "Stream #7(Kernel)", 0);
    plain_event(1, 0, 5);
    end();
    kind(1, "work");
    end();
    assert_ok(read_into(&first, trace_bytes(), true, TACHO_ORDER_SORT));
    for (size_t i = 0; i < first.dict.track_count; i++) {
        const tacho_track *track = &first.dict.tracks[i];
        if (tacho_str_equal(tacho_dict_string(&first.dict, track->name),
                            tacho_str_from_cstring(line))) {
            found = track->track_class;
        }
    }
    drop(&first);
    return found;
}

static void test_classes(void **state)
{
    (void)state;
    assert_int_equal(class_of("/device:GPU:0", "XLA Ops"), TACHO_TRACK_PHASE); /* of streams */
    assert_int_equal(class_of("/device:GPU:0", "XLA Modules"), TACHO_TRACK_PHASE);
    assert_int_equal(class_of("/device:TPU:0", "XLA TraceMe"), TACHO_TRACK_PHASE);
    assert_int_equal(class_of("/device:TPU:0", "Async XLA Ops"), TACHO_TRACK_COMPUTE);
    assert_int_equal(class_of("#Chip TPU Non-Core HBM", "HBM"), TACHO_TRACK_COMPUTE);
    assert_int_equal(class_of("/host:CUPTI", "XLA Ops"), TACHO_TRACK_HOST);
}

static void test_counters(void **state)
{
    (void)state;
    start();
    begin_plane("/device:TPU:0");
    begin_line(1, "_counters_", 0);
    begin_event(1, 1000, 0);
    text_stat(XP_EVENT_STAT, 2, "watts");
    number_stat(XP_EVENT_STAT, 3, XP_STAT_UINT, 70);
    end();
    plain_event(1, 2000, 0); /* without a value */
    end();
    kind(1, "power");
    stat_name(2, "unit");
    stat_name(3, "value");
    end();
    check("power < /device:TPU:0|1000|70\nlost bad_record 1 \n");
}

/* ---- arrows ------------------------------------------------------------------------------ */

static void linked(uint64_t offset, uint64_t type_name, uint64_t id_name, uint64_t type,
                   uint64_t id)
{
    begin_event(1, offset, 5);
    number_stat(XP_EVENT_STAT, type_name, XP_STAT_UINT, type);
    number_stat(XP_EVENT_STAT, id_name, XP_STAT_INT, id);
    end();
}

static void names_of_links(void)
{
    kind(1, "work");
    stat_name(1, "_pt");
    stat_name(2, "_p");
    stat_name(3, "_ct");
    stat_name(4, "_c");
    stat_name(5, "correlation_id");
    stat_name(6, "flow");
}

/* Arrows of one id and different types are different; types above 63 are not in use. */
static void test_arrows(void **state)
{
    (void)state;
    start();
    begin_plane("/host:CPU");
    begin_line(1, "a", 0);
    linked(0, 1, 2, 12, UINT64_MAX);
    linked(10, 1, 2, 7, UINT64_MAX);
    linked(20, 1, 2, 64, UINT64_MAX);
    end();
    begin_line(2, "b", 0);
    linked(30, 3, 4, 7, UINT64_MAX);
    linked(40, 3, 4, 12, UINT64_MAX);
    linked(50, 3, 4, 64, UINT64_MAX);
    end();
    names_of_links();
    end();
    check("a < /host:CPU|0|5|work|\n"
          "a < /host:CPU|10|15|work|\n"
          "a < /host:CPU|20|25|work|\n"
          "b < /host:CPU|30|35|work|\n"
          "b < /host:CPU|40|45|work|\n"
          "b < /host:CPU|50|55|work|\n"
          "flow 0 leaves a < /host:CPU|0|5\n"
          "flow 1 leaves a < /host:CPU|10|15\n"
          "flow 1 arrives b < /host:CPU|30|35\n"
          "flow 0 arrives b < /host:CPU|40|45\n");
}

/* A call launches work: the numbers stay arguments, too. */
static void test_launches(void **state)
{
    (void)state;
    start();
    begin_plane("/device:GPU:0");
    begin_line(1, "Stream #7(Kernel)", 0);
    begin_event(1, 100, 5);
    number_stat(XP_EVENT_STAT, 5, XP_STAT_UINT, 31);
    end();
    end();
    names_of_links();
    end();
    begin_plane("/host:CPU");
    begin_line(2, "b", 0);
    begin_event(1, 40, 5);
    number_stat(XP_EVENT_STAT, 5, XP_STAT_UINT, 31);
    end();
    begin_event(1, 50, 5);
    number_stat(XP_EVENT_STAT, 6, XP_STAT_UINT, 9 << 2 | 2); /* leaves */
    end();
    begin_event(1, 60, 5);
    number_stat(XP_EVENT_STAT, 6, XP_STAT_UINT, 9 << 2 | 1); /* arrives */
    end();
    end();
    names_of_links();
    end();
    check("b < /host:CPU|40|45|work||correlation_id=u31\n"
          "b < /host:CPU|50|55|work|\n"
          "b < /host:CPU|60|65|work|\n"
          "Stream #7(Kernel) < /device:GPU:0|100|105|work||correlation_id=u31\n"
          "flow 0 leaves b < /host:CPU|40|45\n"
          "flow 1 leaves b < /host:CPU|50|55\n"
          "flow 1 arrives b < /host:CPU|60|65\n"
          "flow 0 arrives Stream #7(Kernel) < /device:GPU:0|100|105\n");
}

static void test_copies(void **state)
{
    (void)state;
    start();
    begin_plane("/device:GPU:0");
    begin_line(1, "Stream #7(MemcpyH2D)", 0);
    begin_event(1, 100, 5);
    text_stat(XP_EVENT_STAT, 2, "kind_src:pageable size:4096 dest:0");
    end();
    begin_event(1, 200, 5);
    text_stat(XP_EVENT_STAT, 2, "size:x");
    end();
    end();
    kind(1, "MemcpyH2D");
    stat_name(2, "memcpy_details");
    end();
    check("Stream #7(MemcpyH2D) < /device:GPU:0|100|105|MemcpyH2D||bytes=u4096 "
          "memcpy_details=t'kind_src:pageable size:4096 dest:0'\n"
          "Stream #7(MemcpyH2D) < /device:GPU:0|200|205|MemcpyH2D||memcpy_details=t'size:x'\n");
}

/* ---- what cannot be read ----------------------------------------------------------------- */

static void test_losses(void **state)
{
    (void)state;
    start();
    begin_plane("/host:CPU");
    begin_line(1, "a", 0);
    plain_event(UINT64_C(1) << 48, 0, 5);
    plain_event(2, 10, 5); /* of no known kind */
    begin(XP_LINE_EVENT);  /* twelve events summed up: there is no time */
    number(XP_EVENT_KIND, UINT64_C(1) << 48);
    number(XP_EVENT_COUNT, 12);
    end();
    bytes(XP_LINE_EVENT, TACHO_STR("\xff")); /* no message */
    begin_event(UINT64_C(1) << 48, 20, 0);
    number_stat(XP_EVENT_STAT, 77, XP_STAT_UINT, 3); /* of no known name */
    end();
    end();
    kind(UINT64_C(1) << 48, "run");
    end();
    check("a < /host:CPU|0|5|run|\n"
          "a < /host:CPU|20|20|run||instant\n"
          "lost missing_field 1 \n"
          "lost unknown_state 1 \n"
          "lost bad_record 1 \n");
}

/* Cut anywhere, a file gives its whole planes and reports the rest, or is refused. */
static void test_cuts(void **state)
{
    (void)state;
    start();
    size_t whole[3] = {0}; /* lengths of files that end with a plane */
    one_line(2);
    whole[1] = trace_bytes().len;
    one_line(9);
    whole[2] = trace_bytes().len;
    environment(START_NS);
    tacho_str all = trace_bytes();
    for (size_t len = 0; len < all.len; len++) {
        tacho_status status =
            read_into(&first, tacho_str_make(all.data, len), true, TACHO_ORDER_SORT);
        if (status == TACHO_OK) {
            assert_ok(tacho_profile_validate(&first.profile));
            size_t planes = (size_t)(len >= whole[1]) + (size_t)(len >= whole[2]);
            assert_int_equal(first.profile.span_count, planes);
            assert_int_equal(first.dict.loss_count, len == whole[planes] ? 0 : 1);
        }
        tacho_status_free(status);
        drop(&first);
    }
    check_refused(TACHO_STR("\x0a\x7f/host"), "not an XPlane file");
}

static void test_probe(void **state)
{
    (void)state;
    static const struct {
        tacho_str head;
        tacho_probe_verdict expected;
    } cases[] = {
        {TACHO_STR_INIT("\x0a\x0b\x12\x09/host:CPU"), TACHO_PROBE_SURE},
        {TACHO_STR_INIT("\x0a\x0d\x08\x01\x12\x09/host:CPU"), TACHO_PROBE_SURE},
        {TACHO_STR_INIT("\x0a\xff\x7f\x12\x09/host:CPU and its lines"), TACHO_PROBE_SURE},
        {TACHO_STR_INIT("\x0a\x12\x12\x10Task Environment"), TACHO_PROBE_SURE},
        {TACHO_STR_INIT("\x0a\x08\x12\x06#Chip0"), TACHO_PROBE_SURE},
        {TACHO_STR_INIT("\x0a\x0b\x12\x09/tmp/a/bc"), TACHO_PROBE_NO},
        {TACHO_STR_INIT("\x0a\x0b\x1a\x09/host:CPU"), TACHO_PROBE_NO},
        {TACHO_STR_INIT("\x12\x0b\x12\x09/host:CPU"), TACHO_PROBE_NO},
        {TACHO_STR_INIT("\x0a"), TACHO_PROBE_NO},
        {TACHO_STR_INIT(""), TACHO_PROBE_NO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tacho_source_xplane.probe(cases[i].head), cases[i].expected);
        if (cases[i].expected == TACHO_PROBE_SURE) {
            assert_int_not_equal(tacho_source_perfetto.probe(cases[i].head), TACHO_PROBE_SURE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_follow),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_times_that_do_not_fit),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_arrows),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
