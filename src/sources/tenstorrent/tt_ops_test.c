/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op tables composed by hand become parts, spans and losses, which are compared as text.
 */
#include "sources/tenstorrent/tenstorrent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text_testing.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "profile/tt_columns.h"

enum { SPOOL_BYTES = 1 << 16 };

#define SOURCE (&tacho_source_tenstorrent_ops)
#define HEAD                                                                                       \
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,CORE COUNT,"               \
    "HOST START TS,HOST END TS,HOST DURATION [ns],DEVICE FW START CYCLE,DEVICE FW END CYCLE,"      \
    "OP TO OP LATENCY [ns],DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],METAL TRACE ID,"    \
    "METAL TRACE REPLAY SESSION ID,LOC\r\n"

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    tacho_order *order;
    test_text text;
} fixture;

static void setup(fixture *made)
{
    memset(made, 0, sizeof(*made));
    assert_ok(tacho_dict_init(&made->dict));
    tacho_profile_init(&made->profile, &made->dict);
    assert_ok(
        tacho_order_create(&made->profile.events, TACHO_ORDER_SORT, SPOOL_BYTES, &made->order));
}

static void teardown(fixture *made)
{
    tacho_order_destroy(made->order);
    tacho_profile_deinit(&made->profile);
    tacho_dict_deinit(&made->dict);
}

static tacho_status read_text(fixture *to, const char *text)
{
    tacho_input input;
    tacho_source_options options = {.choice_count = 0};
    assert_ok(tacho_input_open_bytes("ops.csv", tacho_str_from_cstring(text), &input));
    tacho_reading reading = {.input = &input,
                             .path = TACHO_STR("/runs/ops.csv"),
                             .options = &options,
                             .events = tacho_order_events(to->order)};
    tacho_status status = SOURCE->read(&reading);
    if (status == TACHO_OK) {
        status = tacho_events_finish(tacho_order_events(to->order));
    }
    tacho_input_close(&input);
    return status;
}

static void put_string(fixture *to, uint32_t string)
{
    put(&to->text, "%.*s", TACHO_STR_ARG(tacho_dict_string(&to->dict, string)));
}

static void put_span(fixture *to, size_t id)
{
    tacho_span made = tacho_profile_span(&to->profile, id);
    const tacho_span *span = &made;
    const tacho_site *site = &to->dict.sites[span->site];
    put_string(to, to->dict.tracks[span->track].name);
    put(&to->text, "|%lld|%lld|", (long long)span->start, (long long)span->end);
    put_string(to, site->name);
    put(&to->text, "|");
    put_string(to, site->category);
    if (site->location != TACHO_NONE) {
        put(&to->text, "|");
        put_string(to, to->dict.locations[site->location].text);
    }
    if (span->run != TACHO_NONE) {
        put(&to->text, "|run %lld", (long long)to->dict.runs[span->run].invocation);
    }
    put(&to->text, "%s\n", (span->flags & TACHO_SPAN_INSTANT) != 0 ? "|moment" : "");
}

static const char *render(fixture *from)
{
    clear_text(&from->text);
    for (size_t i = 0; i < from->dict.part_count; i++) {
        put(&from->text, "part ");
        put_string(from, from->dict.parts[i].name);
        put(&from->text, " ");
        put_string(from, from->dict.parts[i].generation);
        put(&from->text, "\n");
    }
    for (size_t i = 0; i < from->profile.span_count; i++) {
        put_span(from, i);
    }
    for (size_t i = 0; i < from->dict.loss_count; i++) {
        const tacho_loss *loss = &from->dict.losses[i];
        put(&from->text, "lost %s %llu at %llu\n", tacho_loss_key(loss->reason),
            (unsigned long long)loss->count, (unsigned long long)loss->first_line);
    }
    return from->text.bytes;
}

static void check(const char *text, const char *expected)
{
    fixture at;
    setup(&at);
    assert_ok(read_text(&at, text));
    assert_string_equal(render(&at), expected);
    teardown(&at);
}

/*
 * An op ends with its firmware and lasts as long as its kernels: at 1350 MHz 1350 cycles are 1 us.
 */
static void test_one_device(void **state)
{
    (void)state;
    check(HEAD "begin,signpost,,,,,,900,,,,,,,,,,\r\n"
               "Matmul,tt_dnn_device,1027,3,blackhole,{'a': '1'; 'b': '2'},8,1000,1500,500,13500,"
               "27000,0,10000,8000,,,\r\n",
          "part ops.csv v2.1\npart Device 3 (blackhole) v2.1\n"
          "Signposts|900|900|begin|signpost|moment\n"
          "Host ops|1000|1500|Matmul|tt_dnn_device\n"
          "Firmware|10000|20000|Matmul|tt_dnn_device\n"
          "Ops|12000|20000|Matmul|tt_dnn_device\n");
}

/* Host times that count from 1970 are valid. */
static void test_host_epoch(void **state)
{
    (void)state;
    check(HEAD "A,tt_dnn_device,1024,0,,,8,1760000000000000000,1760000000000000500,500,1000,3000,0,"
               "2000,500,,,\r\n",
          "part ops.csv v2.1\npart Device 0 v2.1\n"
          "Host ops|1760000000000000000|1760000000000000500|A|tt_dnn_device\n"
          "Firmware|1000|3000|A|tt_dnn_device\n"
          "Ops|2500|3000|A|tt_dnn_device\n");
}

/* The host issued a traced op once; each replay of it ran on the device. */
static void test_replays(void **state)
{
    (void)state;
    check(HEAD "Add,tt_dnn_device,1024,0,,,8,1000,1500,500,1000,3000,0,2000,1000,7,1,\r\n"
               "Add,tt_dnn_device,1024,0,,,8,1000,1500,500,9000,11000,0,2000,900,7,2,\r\n",
          "part ops.csv v2.1\npart Device 0 v2.1\n"
          "Host ops|1000|1500|Add|tt_dnn_device\n"
          "Firmware|1000|3000|Add|tt_dnn_device|run 1\n"
          "Ops|2000|3000|Add|tt_dnn_device|run 1\n"
          "Firmware|9000|11000|Add|tt_dnn_device|run 2\n"
          "Ops|10100|11000|Add|tt_dnn_device|run 2\n");
}

/* Chips are parts of their own, in the order of their numbers; each has its own rate. */
static void test_devices(void **state)
{
    (void)state;
    check(HEAD "A,tt_dnn_device,1025,1,,,8,10,20,10,2000,4000,0,1000,500,,,\r\n"
               "A,tt_dnn_device,1024,0,,,8,10,20,10,1000,3000,0,2000,500,,,"
               "\"loc(fused[\"\"/w/a.py\"\":6:0, \"\"add\"\"])\"\r\n",
          "part ops.csv v2.1\npart Device 0 v2.1\npart Device 1 v2.1\n"
          "Host ops|10|20|A|tt_dnn_device\n"
          "Host ops|10|20|A|tt_dnn_device|fused[\"/w/a.py\":6:0, \"add\"]\n"
          "Firmware|1000|3000|A|tt_dnn_device|fused[\"/w/a.py\":6:0, \"add\"]\n"
          "Ops|2500|3000|A|tt_dnn_device|fused[\"/w/a.py\":6:0, \"add\"]\n"
          "Firmware|1000|2000|A|tt_dnn_device\n"
          "Ops|1500|2000|A|tt_dnn_device\n");
}

/*
 * Host ops do not have a device; ops that the device lost are counted, and the host's half stays.
 */
static void test_missing(void **state)
{
    (void)state;
    check(HEAD "(torch) pad,python_fallback,2147483649,,,,,100,300,200,,,,,,,,\r\n"
               "Lost,tt_dnn_device,2048,0,,,8,400,500,100,,,,,,,,\r\n"
               "No time,tt_dnn_device,3072,0,,,8,,,,,,,,,,,\r\n"
               "Back,tt_dnn_device,4096,0,,,8,500,600,100,3000,1000,0,,,,,\r\n"
               "Far,tt_dnn_device,5120,0,,,8,600,700,100,1,9000000000000000000,0,,,,,\r\n"
               "too,few\r\n",
          "part ops.csv v2.1\npart Device 0 v2.1\n"
          "Host ops|100|300|(torch) pad|python_fallback\n"
          "Host ops|400|500|Lost|tt_dnn_device\n"
          "Host ops|500|600|Back|tt_dnn_device\n"
          "Host ops|600|700|Far|tt_dnn_device\n"
          "lost wrong_field_count 1 at 7\n"
          "lost time_overflow 1 at 6\n"
          "lost missing_field 1 at 4\n"
          "lost dropped 2 at 3\n"
          "lost end_before_start 1 at 5\n");
}

/*
 * A cell without a valid time is counted. Without a duration the device's half of the op is left
 * out, whatever its cycles; with one the op lasts that long. An invalid device loses the row.
 */
static void test_damaged_cells(void **state)
{
    (void)state;
    check(HEAD "A,tt_dnn_device,1024,0,,,8,10,20,10,1000,3000,0,2000,abc,,,\r\n"
               "B,tt_dnn_device,2048,0,,,8,30,40,10,4000,5000,0,1000,9223372036854775808,,,\r\n"
               "C,tt_dnn_device,3072,0,,,8,50,60,10,6000,7000,0,1000,-5,,,\r\n"
               "D,tt_dnn_device,4096,0,,,8,70,80,10,8000,x,0,1000,900,,,\r\n"
               "E,tt_dnn_device,5120,zero,,,8,90,95,5,9000,9900,0,900,900,,,\r\n"
               "F,tt_dnn_device,6144,-1,,,8,96,97,1,9000,9900,0,900,900,,,\r\n"
               "G,tt_dnn_device,7168,0,,,8,nan,99,1,9900,9000,-7,900,100,,,\r\n",
          "part ops.csv v2.1\npart Device 0 v2.1\n"
          "Host ops|10|20|A|tt_dnn_device\n"
          "Host ops|30|40|B|tt_dnn_device\n"
          "Host ops|50|60|C|tt_dnn_device\n"
          "Host ops|70|80|D|tt_dnn_device\n"
          "Ops|0|900|D|tt_dnn_device\n"
          "Ops|900|1000|G|tt_dnn_device\n"
          "lost not_a_number 3 at 2\n"
          "lost time_overflow 1 at 3\n"
          "lost negative_time 1 at 4\n"
          "lost unknown_event 2 at 6\n"
          "lost end_before_start 1 at 8\n");
}

/* One row with a wrong cycle count does not change the rate of the others. */
static void test_rate(void **state)
{
    (void)state;
    check(HEAD "A,tt_dnn_device,1024,0,,,8,10,20,10,1350,2700,0,1000,500,,,\r\n"
               "B,tt_dnn_device,2048,0,,,8,30,40,10,4050,5400,0,1000,500,,,\r\n"
               "C,tt_dnn_device,3072,0,,,8,50,60,10,1,999999999999,0,1000,500,,,\r\n",
          "part ops.csv v2.1\npart Device 0 v2.1\n"
          "Host ops|10|20|A|tt_dnn_device\n"
          "Host ops|30|40|B|tt_dnn_device\n"
          "Host ops|50|60|C|tt_dnn_device\n"
          "Firmware|0|740740740740|C|tt_dnn_device\n"
          "Firmware|1000|2000|A|tt_dnn_device\n"
          "Ops|1500|2000|A|tt_dnn_device\n"
          "Firmware|3000|4000|B|tt_dnn_device\n"
          "Ops|3500|4000|B|tt_dnn_device\n"
          "Ops|740740740240|740740740740|C|tt_dnn_device\n");
}

/* An op captured for a trace has a row of its own, without times: nothing is lost. */
static void test_captured(void **state)
{
    (void)state;
    check(HEAD "Add,tt_dnn_device,1024,0,,,8,1000,1500,500,,,,,,,,\r\n"
               "Add,tt_dnn_device,1024,0,,,8,1000,1500,500,1000,3000,0,2000,1000,7,1,\r\n",
          "part ops.csv v2.1\npart Device 0 v2.1\n"
          "Host ops|1000|1500|Add|tt_dnn_device\n"
          "Host ops|1000|1500|Add|tt_dnn_device\n"
          "Firmware|1000|3000|Add|tt_dnn_device|run 1\n"
          "Ops|2000|3000|Add|tt_dnn_device|run 1\n");
}

#define SMALL_HEAD "GLOBAL CALL COUNT,OP CODE,OP TYPE,DEVICE ID,DEVICE KERNEL DURATION [ns]"

/* A quoted field may contain line ends; a stray quote does not swallow rows. */
static void test_line_ends_in_fields(void **state)
{
    (void)state;
    check(SMALL_HEAD "\n1024,\"A\nof two\",tt_dnn_device,0,100\n2048,B,tt_dnn_device,0,50\n",
          "part Device 0 v1\n"
          "Ops|0|100|A\nof two|tt_dnn_device\n"
          "Ops|100|150|B|tt_dnn_device\n");
    check(SMALL_HEAD "\n1024,\"A,tt_dnn_device,0,100\n2048,B,tt_dnn_device,0,50\n",
          "part Device 0 v1\n"
          "Ops|0|50|B|tt_dnn_device\n"
          "lost wrong_field_count 1 at 2\n");
}

/* Of two columns of one name the first is read, by every command; the second is counted. */
static void test_repeated_column(void **state)
{
    (void)state;
    check(SMALL_HEAD ",DEVICE KERNEL DURATION [ns]\n1024,A,tt_dnn_device,0,100,7\n",
          "part Device 0 v1\n"
          "Ops|0|100|A|tt_dnn_device\n"
          "lost unknown_column 1 at 1\n");
}

/* Without cycles ops are placed one after another, at the distances in the table. */
static void test_laid_out(void **state)
{
    (void)state;
    check("GLOBAL CALL COUNT,DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]\n"
          "1029,100,0\n2053,50,7\n3077,10,-3\n",
          "part Device 5 device-only\n"
          "Ops|0|100|op 1029|tt_dnn_device\n"
          "Ops|107|157|op 2053|tt_dnn_device\n"
          "Ops|157|167|op 3077|tt_dnn_device\n");
}

/* Kernels that ran longer than the chip has been on: the duration counts, not the cycles. */
static void test_from_zero(void **state)
{
    (void)state;
    check(HEAD "A,tt_dnn_device,1024,0,,,8,10,20,10,1000,3000,0,2000,5000,,,\r\n",
          "part ops.csv v2.1\npart Device 0 v2.1\n"
          "Host ops|10|20|A|tt_dnn_device\n"
          "Ops|0|5000|A|tt_dnn_device\n"
          "Firmware|1000|3000|A|tt_dnn_device\n");
}

/* The runtime's own report has the cycles of kernels, too. */
static void test_cpp_report(void **state)
{
    (void)state;
    check("GLOBAL CALL COUNT,METAL TRACE ID,DEVICE ID,DEVICE ARCH,OP NAME,DEVICE FW DURATION [ns],"
          "DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE KERNEL DURATION [ns],"
          "DEVICE KERNEL START CYCLE,DEVICE KERNEL END CYCLE\n"
          "1024,,0,wormhole_b0,,5000,1000,6000,3000,2000,5000\n",
          "part Device 0 (wormhole_b0) cpp\n"
          "Firmware|1000|6000|op 1024|tt_dnn_device\n"
          "Ops|2000|5000|op 1024|tt_dnn_device\n");
}

static const tacho_arg *find_arg(const fixture *at, const tacho_span *span, const char *key)
{
    const tacho_stored_arg *stored = &at->profile.args[span->args];
    while (!tacho_str_equal(tacho_dict_string(&at->dict, stored->arg.key),
                            tacho_str_from_cstring(key))) {
        assert_false(stored->is_last);
        stored++;
    }
    return &stored->arg;
}

/* Every cell is an argument, in future columns, too; numbers are numbers. */
static void test_args(void **state)
{
    (void)state;
    fixture at;
    setup(&at);
    assert_ok(read_text(&at, "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,NEW COLUMN,PROGRAM HASH,"
                             "PROGRAM CACHE HIT,PM FPU UTIL (%),DEVICE KERNEL DURATION [ns]\n"
                             "A,tt_dnn_device,1024,0,['x'; 'y'],11665132618597481074,False,4.155,9"
                             "\n"));
    tacho_span made = tacho_profile_span(&at.profile, 0);
    const tacho_span *span = &made;
    assert_int_equal(find_arg(&at, span, TACHO_TT_ROW)->value.as_uint, 2);
    assert_int_equal(find_arg(&at, span, "PROGRAM HASH")->value.as_uint, 11665132618597481074u);
    assert_int_equal(find_arg(&at, span, "PROGRAM CACHE HIT")->type, TACHO_ARG_BOOL);
    assert_true(find_arg(&at, span, "PM FPU UTIL (%)")->value.as_real == 4.155);
    assert_int_equal(find_arg(&at, span, "DEVICE KERNEL DURATION [ns]")->unit, TACHO_UNIT_NS);
    const tacho_arg *text = find_arg(&at, span, "NEW COLUMN");
    assert_int_equal(text->type, TACHO_ARG_STRING);
    assert_string_equal(tacho_dict_string(&at.dict, text->value.as_string).data, "['x'; 'y']");
    teardown(&at);
}

static void check_refused(const char *text, const char *message)
{
    fixture at;
    setup(&at);
    tacho_status status = read_text(&at, text);
    assert_true(status != TACHO_OK);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
    teardown(&at);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused(HEAD, "ops.csv: the file has a header but no rows");
    check_refused(HEAD "a,b\n", "ops.csv:2: no row of this file has the 18 fields of its header");
    check_refused("OP CODE\nA\n", "ops.csv:1: the header has no column of device times, as DEVICE "
                                  "KERNEL DURATION [ns]");
    check_refused("A,B\n1,2\n", "ops.csv:1: the header has no column OP CODE or GLOBAL CALL COUNT, "
                                "as an op table of Tenstorrent's profiler does");
}

static void test_probe(void **state)
{
    (void)state;
    assert_int_equal(SOURCE->probe(TACHO_STR(HEAD)), TACHO_PROBE_SURE);
    assert_int_equal(SOURCE->probe(TACHO_STR("\xef\xbb\xbf" HEAD)), TACHO_PROBE_SURE);
    assert_int_equal(SOURCE->probe(TACHO_STR("GLOBAL CALL COUNT, DEVICE FW DURATION [ns]\n")),
                     TACHO_PROBE_SURE);
    assert_int_equal(SOURCE->probe(TACHO_STR("\"OP CODE\",\"OP TYPE\",\"GLOBAL CALL COUNT\"\n")),
                     TACHO_PROBE_SURE);
    assert_int_equal(SOURCE->probe(TACHO_STR("OP CODE,OP TYPE,COUNT\n")), TACHO_PROBE_NO);
    assert_int_equal(SOURCE->probe(TACHO_STR("GLOBAL CALL COUNT,OTHER\n")), TACHO_PROBE_NO);
    assert_int_equal(SOURCE->probe(TACHO_STR("")), TACHO_PROBE_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_device),
        cmocka_unit_test(test_host_epoch),
        cmocka_unit_test(test_replays),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_captured),
        cmocka_unit_test(test_line_ends_in_fields),
        cmocka_unit_test(test_repeated_column),
        cmocka_unit_test(test_laid_out),
        cmocka_unit_test(test_from_zero),
        cmocka_unit_test(test_cpp_report),
        cmocka_unit_test(test_args),
        cmocka_unit_test(test_damaged_cells),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
