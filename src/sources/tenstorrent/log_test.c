/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed device logs of every release, good and bad, are read into a profile, and the result is
 * written as text; ops are computed by hand.
 *
 *     part d.csv tenstorrent-log L6 measured, cycles of 1/1 ns from 1000
 *     Core 1,1 BRISC|1000|9000|BRISC-FW|firmware|/w/brisc.cc:412
 *     lost never_ended 1 at 5
 */
#include "sources/tenstorrent/log.h"

#include "sources/tenstorrent/log_dispatch.h"
#include "sources/tenstorrent/log_ops.h"
#include "sources/tenstorrent/log_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/torq/torq_testing.h"

#define ARCH "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
#define COLUMNS                                                                                    \
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "   \
    "run host ID, trace id, trace id counter, zone name, type, source line, source file,  meta "   \
    "data\n"
#define HEADER ARCH COLUMNS
#define CHIP(name, generation, zero)                                                               \
    "part " name "d.csv tenstorrent-log " generation " measured, cycles of 1/1 ns from " zero "\n"
#define PART(generation, zero) CHIP("", generation, zero)

static void put_span(fixture *to, size_t id)
{
    tacho_span span = tacho_profile_span(&to->profile, id);
    const tacho_site *site = &to->dict.sites[span.site];
    put_string(to, to->dict.tracks[span.track].name);
    put(&to->text, "|%lld|%lld|", (long long)span.start, (long long)span.end);
    put_string(to, site->name);
    put(&to->text, "|");
    put_string(to, site->category);
    if (site->location != TACHO_NONE) {
        put(&to->text, "|");
        put_string(to, to->dict.locations[site->location].text);
    }
    if ((span.flags & TACHO_SPAN_UNENDED) != 0) {
        put(&to->text, "|unended");
    }
    put(&to->text, "\n");
}

static void assert_read_in(tacho_order_mode mode, const char *text, const char *expected)
{
    fixture made;
    tacho_input input;
    setup_in(&made, mode);
    assert_ok(tacho_input_open_bytes("d.csv", tacho_str_from_cstring(text), &input));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("/runs/d.csv"),
        .options = &made.options,
        .events = tacho_order_events(made.order),
        .holds_events = mode == TACHO_ORDER_SORT_ALL,
    };
    assert_ok(tacho_source_tenstorrent_log.read(&reading));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_string_equal(render_with(&made, put_span), expected);
    tacho_input_close(&input);
    teardown(&made);
}

static void assert_read(const char *text, const char *expected)
{
    assert_read_in(TACHO_ORDER_SORT, text, expected);
}

static tacho_code code_of(tacho_order_mode mode, const char *text)
{
    fixture made;
    setup_in(&made, mode);
    tacho_status status =
        read_as(&made, &tacho_source_tenstorrent_log, "d.csv", tacho_str_from_cstring(text));
    tacho_code code = tacho_status_code(status);
    tacho_status_free(status);
    teardown(&made);
    return code;
}

/* ---- releases ------------------------------------------------------------------------------ */

/* Every release has the same content: the firmware and the kernel of one processor. */
static void test_releases(void **state)
{
    (void)state;
    static const char *const spans = "Core 1,2 BRISC|1000|2000|BRISC-FW|firmware|/w/b.cc:4\n"
                                     "Core 1,2 BRISC|1100|1900|BRISC-KERNEL|kernel|/w/k.cc:6\n"
                                     "Ops|1100|1900|op 1024|op execution\n";
    static const struct {
        const char *generation, *text;
    } logs[] = {
        {"L3", ARCH
         "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], stat "
         "value, run ID, run host ID,  zone name, zone phase, source line, source file\n"
         "0,1,2,BRISC,7,1000,0,3,1024,BRISC-FW,begin,4,/w/b.cc\n"
         "0,1,2,BRISC,8,1100,0,3,1024,BRISC-KERNEL,begin,6,/w/k.cc\n"
         "0,1,2,BRISC,65544,1900,0,3,1024,BRISC-KERNEL,end,6,/w/k.cc\n"
         "0,1,2,BRISC,65543,2000,0,3,1024,BRISC-FW,end,4,/w/b.cc\n"},
        {"L4", ARCH "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
                    "reset], data, "
                    "run ID, run host ID, zone name, type, source line, source file\n"
                    "0,1,2,BRISC,7,1000,0,3,1024,BRISC-FW,ZONE_START,4,/w/b.cc\n"
                    "0,1,2,BRISC,8,1100,0,3,1024,BRISC-KERNEL,ZONE_START,6,/w/k.cc\n"
                    "0,1,2,BRISC,8,1900,0,3,1024,BRISC-KERNEL,ZONE_END,6,/w/k.cc\n"
                    "0,1,2,BRISC,7,2000,0,3,1024,BRISC-FW,ZONE_END,4,/w/b.cc\n"},
        {"L5", ARCH "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
                    "reset], data, "
                    "run host ID, zone name, type, source line, source file, meta data\n"
                    "0,1,2,BRISC,7,1000,0,1024,BRISC-FW,ZONE_START,4,/w/b.cc,\n"
                    "0,1,2,BRISC,8,1100,0,1024,BRISC-KERNEL,ZONE_START,6,/w/k.cc,\n"
                    "0,1,2,BRISC,8,1900,0,1024,BRISC-KERNEL,ZONE_END,6,/w/k.cc,\n"
                    "0,1,2,BRISC,7,2000,0,1024,BRISC-FW,ZONE_END,4,/w/b.cc,\n"},
        {"L6", HEADER "0,1,2,BRISC,7,1000,0,1024,,,BRISC-FW,ZONE_START,4,/w/b.cc,\n"
                      "0,1,2,BRISC,8,1100,0,1024,,,BRISC-KERNEL,ZONE_START,6,/w/k.cc,\r\n"
                      "0,1,2,BRISC,8,1900,0,1024,,,BRISC-KERNEL,ZONE_END,6,/w/k.cc,\n"
                      "\n"
                      "0,1,2,BRISC,7,2000,0,1024,,,BRISC-FW,ZONE_END,4,/w/b.cc,"},
    };
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
        char expected[1024];
        snprintf(expected, sizeof(expected),
                 "part d.csv tenstorrent-log %s measured, cycles of 1/1 ns from "
                 "1000\n%s",
                 logs[i].generation, spans);
        assert_read(logs[i].text, expected);
    }
}

/* The oldest: numbers for names, without ids of ops; and a rate that is only assumed. */
static void test_oldest_releases(void **state)
{
    (void)state;
    assert_read("Chip clock is at 1200 MHz\n"
                "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
                "reset]\n"
                "0, 3, 4, TRISC_1, 1, 12000\n"
                "0, 3, 4, TRISC_1, 2, 12060\n"
                "0, 3, 4, TRISC_1, 3, 12100\n"
                "0, 3, 4, TRISC_1, 4, 12120\n"
                "0, 3, 4, TRISC_1, 77, 12130\n",
                "part d.csv tenstorrent-log L1 measured, cycles of 5/6 ns from 12000\n"
                "Core 3,4 TRISC_1|12000|12120|TRISC-FW|firmware\n"
                "Core 3,4 TRISC_1|12060|12100|TRISC-KERNEL|kernel\n"
                "Core 3,4 TRISC_1|12130|12130|event|zone\n");
    assert_read("ARCH: grayskull, CHIP_FREQ[MHz]: 1200\n"
                "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
                "reset], stat value, Run ID, zone name, zone phase, source line, source file\n"
                "0, 1, 1, NCRISC, 5, 600, 0, 1, NCRISC-FW, begin, 9, n.cc\n"
                "0, 1, 1, NCRISC, 65541, 1200, 0, 1, NCRISC-FW, end, 9, n.cc\n",
                "part d.csv tenstorrent-log L2 measured, cycles of 5/6 ns from 600\n"
                "Core 1,1 NCRISC|600|1200|NCRISC-FW|firmware|n.cc:9\n");
}

/* NoC events, counters and sums are kept as instants. */
static void test_values_are_kept(void **state)
{
    (void)state;
    assert_read(HEADER "0,1,1,BRISC,12345,50,3105098146250761,1024,,,,TS_DATA,0,,\n"
                       "0,1,1,BRISC,23456,51,1,1024,,,,TS_DATA,0,,\n"
                       "0,1,1,TRISC_0,9090,52,7,1024,,,,TS_DATA,0,,{\"counter type\":\"FPU\"}\n"
                       "0,1,1,TRISC_0,40120,53,1893,1024,,,CB-COMPUTE-WAIT-FRONT,ZONE_TOTAL,68,"
                       "/w/cb.h,\n"
                       "0,1,1,TRISC_0,99,54,0,1024,,,mark,TS_EVENT,1,/w/u.cc,\n",
                PART("L6", "50") "Core 1,1 BRISC|50|50|NoC event|noc\n"
                                 "Core 1,1 BRISC|51|51|NoC debug|noc\n"
                                 "Core 1,1 TRISC_0|52|52|perf counter|counter\n"
                                 "Core 1,1 TRISC_0|53|53|CB-COMPUTE-WAIT-FRONT|sum|/w/cb.h:68\n"
                                 "Core 1,1 TRISC_0|54|54|mark|zone|/w/u.cc:1\n");
}

/* ---- damage -------------------------------------------------------------------------------- */

static void test_lost_rows(void **state)
{
    (void)state;
    assert_read(HEADER "0,1,1,BRISC,7,100,0,0,,,A,ZONE_START,1,a,\n"
                       "0,1,1,BRISC,7,x,0,0,,,A,ZONE_END,1,a,\n"
                       "0,1,1,BRISC,7,-5,0,0,,,A,ZONE_END,1,a,\n"
                       "0,1,1,BRISC,7,200,0,0,,,A,ZONE_END,1,a\n"
                       "0,1,1,BRISC,7,200,0,0,,,A,ZONE_STOP,1,a,\n"
                       "0,1,1,BRISC,7,99999999999999999,0,0,,,A,ZONE_END,1,a,\n"
                       "warning: Profiler DRAM buffers were full, markers were dropped! chip 0\n"
                       "0,1,1,BRISC,7,300,0,0,,,A,ZONE_END,1,a,\n"
                       "0,1,1,BRISC,7,301,0,0,,,A,ZONE_END,1,a,\n"
                       "0,1,1,BRISC,7,40",
                PART("L6", "100") "Core 1,1 BRISC|100|300|A|zone|a:1\n"
                                  "lost not_a_number 1 at 4\n"
                                  "lost negative_time 1 at 5\n"
                                  "lost wrong_field_count 1 at 6\n"
                                  "lost unknown_event 1 at 7\n"
                                  "lost time_overflow 1 at 8\n"
                                  "lost dropped 1 at 9\n"
                                  "lost unmatched_end 1 at 11\n"
                                  "lost cut_input 1 at 12\n");
}

/* A zone that lost its end lasts until the last mark of its processor before the next firmware. */
static void test_missing_ends(void **state)
{
    (void)state;
    assert_read(HEADER "0,1,1,BRISC,7,100,0,1024,,,BRISC-FW,ZONE_START,1,a,\n"
                       "0,1,1,BRISC,8,120,0,1024,,,BRISC-KERNEL,ZONE_START,1,a,\n"
                       "0,1,1,BRISC,8,150,0,1024,,,BRISC-KERNEL,ZONE_END,1,a,\n"
                       "0,1,1,BRISC,7,500,0,2048,,,BRISC-FW,ZONE_START,1,a,\n"
                       "0,1,1,BRISC,7,600,0,2048,,,BRISC-FW,ZONE_END,1,a,\n"
                       "0,1,1,BRISC,7,700,0,3072,,,BRISC-FW,ZONE_START,1,a,\n",
                PART("L6", "100") "Core 1,1 BRISC|100|150|BRISC-FW|firmware|a:1|unended\n"
                                  "Core 1,1 BRISC|120|150|BRISC-KERNEL|kernel|a:1\n"
                                  "Ops|120|150|op 1024|op execution\n"
                                  "Core 1,1 BRISC|500|600|BRISC-FW|firmware|a:1\n"
                                  "Ops|500|600|op 2048|op execution\n"
                                  "Core 1,1 BRISC|700|700|BRISC-FW|firmware|a:1|unended\n"
                                  "Ops|700|700|op 3072|op execution\n"
                                  "lost never_ended 2 at 6\n");
}

/* Cycles of 1 us whose nanoseconds exceed 64 bits. */
static void test_times_too_late(void **state)
{
    (void)state;
    assert_read("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1, Max Compute Cores: 64\n" COLUMNS
                "0,1,1,BRISC,7,100,0,1024,,,BRISC-FW,ZONE_START,1,a,\n"
                "0,1,1,BRISC,7,200,0,1024,,,BRISC-FW,ZONE_END,1,a,\n"
                "0,1,1,BRISC,7,9223372036854775000,0,2048,,,BRISC-FW,ZONE_START,1,a,\n"
                "0,1,1,BRISC,7,9223372036854775001,0,2048,,,BRISC-FW,ZONE_END,1,a,\n",
                "part d.csv tenstorrent-log L6 measured, cycles of 1000/1 ns from 100\n"
                "Core 1,1 BRISC|100|200|BRISC-FW|firmware|a:1\n"
                "Ops|100|200|op 1024|op execution\n"
                "lost time_overflow 2 at 5\n");
}

/* Unknown columns of a future release are counted, the others are read. */
static void test_newer_release(void **state)
{
    (void)state;
    assert_read(ARCH "PCIe slot, core_x, core_y, RISC processor type, power [mW], timer_id, "
                     "time[cycles since reset], zone name, type\n"
                     "0,1,1,ERISC,31,7,100,ERISC-FW,ZONE_START\n"
                     "0,1,1,ERISC,32,7,200,ERISC-FW,ZONE_END\n",
                PART("newer", "100") "Core 1,1 ERISC|100|200|ERISC-FW|firmware\n"
                                     "lost unknown_column 1 at 2\n");
}

static void test_no_log(void **state)
{
    (void)state;
    assert_int_equal(code_of(TACHO_ORDER_SORT, "ARCH: x\n"), TACHO_CODE_BAD_DATA);
    assert_int_equal(code_of(TACHO_ORDER_SORT, ARCH), TACHO_CODE_BAD_DATA);
    assert_int_equal(code_of(TACHO_ORDER_SORT, ARCH "PCIe slot, core_x\n"), TACHO_CODE_BAD_DATA);
    assert_int_equal(code_of(TACHO_ORDER_SORT, HEADER), TACHO_CODE_BAD_DATA);
}

/* Rows in any order give the same result, once they are held. */
static void test_rows_out_of_order(void **state)
{
    (void)state;
    static const char *const log = HEADER "0,1,1,BRISC,7,200,0,0,,,A,ZONE_END,1,a,\n"
                                          "0,1,1,BRISC,7,150,0,0,,,B,ZONE_END,1,a,\n"
                                          "0,1,1,BRISC,7,120,0,0,,,B,ZONE_START,1,a,\n"
                                          "0,1,1,BRISC,7,100,0,0,,,A,ZONE_START,1,a,\n";
    assert_int_equal(code_of(TACHO_ORDER_PASS, log), TACHO_CODE_OUT_OF_ORDER);
    assert_int_equal(code_of(TACHO_ORDER_SORT, log), TACHO_CODE_OUT_OF_ORDER);
    assert_read_in(TACHO_ORDER_SORT_ALL, log,
                   PART("L6", "100") "Core 1,1 BRISC|100|200|A|zone|a:1\n"
                                     "Core 1,1 BRISC|120|150|B|zone|a:1\n");
}

/*
 * A negative chip is not a negative time; a rate may have decimals, and an invalid one is reported.
 */
static void test_first_fields(void **state)
{
    (void)state;
    static const char *const rows = "-1,1,1,BRISC,7,100,0,0,,,A,ZONE_START,1,a,\n"
                                    "0,1,1,BRISC,7,100,0,0,,,A,ZONE_START,1,a,\n"
                                    "0,1,1,BRISC,7,200,0,0,,,A,ZONE_END,1,a,\n";
    static const struct {
        const char *rate, *clock, *lost;
    } logs[] = {
        {"1350.5", "2000/2701", ""},
        {"fast", "5/6", "lost not_a_number 1 at 1\n"},
    };
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
        char text[1024];
        char expected[1024];
        snprintf(text, sizeof(text), "ARCH: wormhole_b0, CHIP_FREQ[MHz]: %s\n" COLUMNS "%s",
                 logs[i].rate, rows);
        snprintf(expected, sizeof(expected),
                 "part d.csv tenstorrent-log L6 measured, cycles of %s ns from 100\n"
                 "Core 1,1 BRISC|100|200|A|zone|a:1\n"
                 "%slost unknown_event 1 at 3\n",
                 logs[i].clock, logs[i].lost);
        assert_read(text, expected);
    }
}

/* One chip after another: each is a part, on a clock of its own. */
static void test_chips_are_parts(void **state)
{
    (void)state;
    static const char *const log = HEADER "0,1,1,BRISC,7,100,0,1024,,,BRISC-FW,ZONE_START,1,a,\n"
                                          "0,1,1,BRISC,7,200,0,1024,,,BRISC-FW,ZONE_END,1,a,\n"
                                          "1,1,1,BRISC,7,9000,0,1025,,,BRISC-FW,ZONE_START,1,a,\n"
                                          "1,1,1,BRISC,7,x,0,1025,,,BRISC-FW,ZONE_END,1,a,\n"
                                          "1,1,1,BRISC,7,9300,0,1025,,,BRISC-FW,ZONE_END,1,a,\n";
    static const char *const expected = PART("L6", "100")
        CHIP("Device 1 of ", "L6", "9000") "Core 1,1 BRISC|100|200|BRISC-FW|firmware|a:1\n"
                                           "Ops|100|200|op 1024|op execution\n"
                                           "Core 1,1 BRISC|9000|9300|BRISC-FW|firmware|a:1\n"
                                           "Ops|9000|9300|op 1025|op execution\n"
                                           "lost not_a_number 1 at 6\n";
    assert_read(log, expected);
    assert_read_in(TACHO_ORDER_SORT_ALL, log, expected);
}

/* A log that returns to a chip is held, and sorted by chip. */
static void test_chips_by_turns(void **state)
{
    (void)state;
    static const char *const log = HEADER "what is this\n"
                                          "1,1,1,BRISC,7,500,0,1025,,,BRISC-FW,ZONE_START,1,a,\n"
                                          "0,1,1,BRISC,7,100,0,1024,,,BRISC-FW,ZONE_START,1,a,\n"
                                          "0,1,1,BRISC,7,200,0,1024,,,BRISC-FW,ZONE_END,1,a,\n"
                                          "1,1,1,BRISC,7,550,0,1025,,,BRISC-FW,ZONE_END,1,a,\n"
                                          "0,1,1,BRISC,7,300,0,2048,,,BRISC-FW,ZONE_START,1,a,\n";
    assert_int_equal(code_of(TACHO_ORDER_PASS, log), TACHO_CODE_OUT_OF_ORDER);
    assert_int_equal(code_of(TACHO_ORDER_SORT, log), TACHO_CODE_OUT_OF_ORDER);
    assert_read_in(TACHO_ORDER_SORT_ALL, log,
                   PART("L6", "500")
                       CHIP("Device 0 of ", "L6",
                            "100") "Core 1,1 BRISC|500|550|BRISC-FW|firmware|a:1\n"
                                   "Ops|500|550|op 1025|op execution\n"
                                   "Core 1,1 BRISC|100|200|BRISC-FW|firmware|a:1\n"
                                   "Ops|100|200|op 1024|op execution\n"
                                   "Core 1,1 BRISC|300|300|BRISC-FW|firmware|a:1|unended\n"
                                   "Ops|300|300|op 2048|op execution\n"
                                   "lost not_a_number 1 at 3\n"
                                   "lost never_ended 1 at 0\n");
}

/* ---- ops ----------------------------------------------------------------------------------- */

/* Expects all ops of |text|, one line each, with their ranges and sums. */
static void assert_ops(const char *text, const char *expected)
{
    tt_lanes lanes;
    tt_log_ops ops;
    tt_log log;
    tacho_input input;
    test_text out;
    clear_text(&out);
    assert_ok(tt_lanes_init(&lanes));
    assert_ok(tt_log_ops_init(&ops, &lanes));
    assert_ok(tacho_input_open_bytes("d.csv", tacho_str_from_cstring(text), &input));
    assert_ok(tt_log_open(&log, &input));
    for (bool has_row = true;;) {
        tt_log_place place;
        uint32_t op = 0;
        assert_ok(tt_log_next(&log, &has_row));
        if (!has_row) {
            break;
        }
        assert_int_equal(log.reason, TACHO_LOSS_REASON_COUNT);
        assert_ok(tt_lanes_ensure(&lanes, &log.row, &place.lane));
        assert_ok(tt_lanes_ensure_zone(&lanes, log.row.zone, &place.zone));
        assert_ok(tt_log_ops_add(&ops, &log.row, place, &op));
    }
    assert_ok(tt_log_ops_finish(&ops));
    for (size_t i = 0; i < ops.op_count; i++) {
        const tt_device_op *op = &ops.ops[i];
        put(&out, "%u:%llu.%u fw %lld-%lld kernel %lld-%lld mover %lld starts %lld-%lld",
            op->key.chip, (unsigned long long)op->key.host, op->ordinal,
            (long long)op->firmware.first, (long long)op->firmware.last,
            (long long)op->kernel.first, (long long)op->kernel.last, (long long)op->mover.first,
            (long long)op->kernel_starts.first, (long long)op->kernel_starts.last);
        put(&out, " cores %u of %lld..%lld sum %llu waits %llu %llu", op->core_count,
            (long long)op->core_min, (long long)op->core_max, (unsigned long long)op->core_sum,
            (unsigned long long)op->wait_front, (unsigned long long)op->reserve_back);
        if (op->missing_start_count + op->missing_end_count > 0) {
            put(&out, " without start %u, end %u", op->missing_start_count, op->missing_end_count);
        }
        if (op->lost_count > 0) {
            put(&out, " lost %u", op->lost_count);
        }
        put(&out, op->is_doubtful ? " doubtful\n" : "\n");
    }
    assert_string_equal(out.bytes, expected);
    tacho_input_close(&input);
    tt_log_ops_deinit(&ops);
    tt_lanes_deinit(&lanes);
}

/* The markers of one processor for one op: firmware from |t|, kernel 10 later for |n| cycles. */
#define RUN(place, zone, host, t0, t1, t2, t3) REPLAY(place, zone, host ",,", t0, t1, t2, t3)

/* Like RUN, for an op, a trace and a replay. */
#define REPLAY(place, zone, key, t0, t1, t2, t3)                                                   \
    "0," place ",7," t0 ",0," key "," zone "-FW,ZONE_START,1,a,\n"                                 \
    "0," place ",8," t1 ",0," key "," zone "-KERNEL,ZONE_START,1,a,\n"                             \
    "0," place ",8," t2 ",0," key "," zone "-KERNEL,ZONE_END,1,a,\n"                               \
    "0," place ",7," t3 ",0," key "," zone "-FW,ZONE_END,1,a,\n"

/*
 * Two cores, a data mover and a compute processor each. Core 1,1: kernels from 110 to 310, 200
 * cycles; core 2,1: from 105 to 155, 50 cycles.
 */
static void test_op_times(void **state)
{
    (void)state;
    assert_ops(
        HEADER RUN("1,1,BRISC", "BRISC", "1024", "100", "130", "300",
                   "320") RUN("1,1,TRISC_0", "TRISC", "1024", "101", "110", "310", "315")
            RUN("2,1,NCRISC", "NCRISC", "1024", "90", "120", "150", "160")
                RUN("2,1,TRISC_2", "TRISC", "1024", "95", "105", "155",
                    "170") "0,1,1,TRISC_0,9,101,40,1024,,,CB-COMPUTE-WAIT-FRONT,ZONE_TOTAL,1,a,\n"
                           "0,2,1,TRISC_0,9,101,2,1024,,,CB-COMPUTE-WAIT-FRONT,ZONE_TOTAL,1,a,\n"
                           "0,2,1,TRISC_2,9,101,5,1024,,,CB-COMPUTE-RESERVE-BACK,ZONE_TOTAL,1,a,\n"
                           "0,2,1,BRISC,9,1,5,0,,,BRISC-FW,ZONE_START,1,a,\n",
        "0:1024.0 fw 90-320 kernel 105-310 mover 120 starts 105-130 cores 2 of 50..200 sum "
        "250 waits 42 5\n");
}

/* A repeated id is another execution, on each processor by itself. */
static void test_op_executions(void **state)
{
    (void)state;
    assert_ops(
        HEADER RUN("1,1,BRISC", "BRISC", "1024", "100", "110", "150", "160")
            RUN("1,1,BRISC", "BRISC", "2048", "200", "210", "250", "260")
                RUN("1,1,BRISC", "BRISC", "1024", "300", "310", "350", "360")
                    RUN("1,1,NCRISC", "NCRISC", "1024", "101", "111", "149", "159")
                        RUN("1,1,NCRISC", "NCRISC", "1024", "301", "308", "349", "359")
                            RUN("2,1,BRISC", "BRISC", "1024", "99", "109", "151", "161")
                                RUN("2,1,BRISC", "BRISC", "1024", "299", "312", "352", "362"),
        "0:1024.0 fw 99-161 kernel 109-151 mover 109 starts 109-111 cores 2 of 40..42 sum 82 "
        "waits 0 0\n"
        "0:2048.0 fw 200-260 kernel 210-250 mover 210 starts 210-210 cores 1 of 40..40 sum 40 "
        "waits 0 0\n"
        "0:1024.1 fw 299-362 kernel 308-352 mover 308 starts 308-312 cores 2 of 40..42 sum 82 "
        "waits 0 0\n");
}

/* The firmware of one processor for one op, without a kernel. */
#define IDLE(place, zone, key, t0, t1)                                                             \
    "0," place ",7," t0 ",0," key "," zone "-FW,ZONE_START,1,a,\n"                                 \
    "0," place ",7," t1 ",0," key "," zone "-FW,ZONE_END,1,a,\n"

/*
 * A kernel zone of the op's other execution is missing in one: it is lost. NCRISC has a kernel in
 * neither, and op 2048 is another program.
 */
static void test_lost_kernels(void **state)
{
    (void)state;
    assert_ops(
        HEADER RUN("1,1,BRISC", "BRISC", "1024", "100", "110", "150", "160")
            IDLE("1,1,BRISC", "BRISC", "2048,,", "200", "260")
                IDLE("1,1,BRISC", "BRISC", "1024,,", "300", "360")
                    IDLE("1,1,NCRISC", "NCRISC", "1024,,", "101", "159")
                        IDLE("1,1,NCRISC", "NCRISC", "1024,,", "301", "359")
                            RUN("2,1,BRISC", "BRISC", "1024", "99", "109", "151", "161")
                                RUN("2,1,BRISC", "BRISC", "1024", "299", "312", "352", "362"),
        "0:1024.0 fw 99-161 kernel 109-151 mover 109 starts 109-110 cores 2 of 40..42 sum 82 "
        "waits 0 0\n"
        "0:2048.0 fw 200-260 kernel 0-0 mover 0 starts 0-0 cores 1 of 0..0 sum 0 waits 0 0\n"
        "0:1024.1 fw 299-362 kernel 312-352 mover 312 starts 312-312 cores 2 of 40..40 sum "
        "40 waits 0 0 lost 1\n");
}

/* The log numbers replays: the second lacks firmware on core 2,1, the third all of its kernels. */
static void test_lost_in_numbered_replays(void **state)
{
    (void)state;
    assert_ops(HEADER REPLAY("1,1,BRISC", "BRISC", "1024,0,1", "100", "110", "150", "160")
                   REPLAY("1,1,BRISC", "BRISC", "1024,0,2", "200", "210", "250", "260")
                       IDLE("1,1,BRISC", "BRISC", "1024,0,3", "300", "360")
                           REPLAY("2,1,BRISC", "BRISC", "1024,0,1", "100", "110", "150", "160")
                               IDLE("2,1,BRISC", "BRISC", "1024,0,3", "300", "360"),
               "0:1024.0 fw 100-160 kernel 110-150 mover 110 starts 110-110 cores 2 of 40..40 sum "
               "80 waits 0 0\n"
               "0:1024.0 fw 200-260 kernel 210-250 mover 210 starts 210-210 cores 1 of 40..40 sum "
               "40 waits 0 0 lost 1\n"
               "0:1024.0 fw 300-360 kernel 0-0 mover 0 starts 0-0 cores 2 of 0..0 sum 0 waits 0 0 "
               "lost 2\n");
}

/* A zone of a dispatch core, from |t0| to |t1|, with |meta| in it. */
#define COMMAND(risc, zone, t0, t1, meta)                                                          \
    "0,9,9," risc ",7," t0 ",0,0,,," zone ",ZONE_START,1,a,\n"                                     \
    "0,9,9," risc ",8," t0 ",0,0,,,,TS_DATA,1,a,{" meta "}\n"                                      \
    "0,9,9," risc ",7," t1 ",0,0,,," zone ",ZONE_END,1,a,\n"
#define MASTER(t0, t1, meta) COMMAND("BRISC", "CQ-DISPATCH", t0, t1, meta)
#define SUBORDINATE(t0, t1)                                                                        \
    COMMAND("NCRISC", "CQ-DISPATCH-SUBORDINATE", t0, t1,                                           \
            "\"dispatch_command_type\":\"CQ_DISPATCH_CMD_SEND_GO_SIGNAL\"")
#define WRITE_OF(op)                                                                               \
    "\"workers_runtime_id\":" op ";\"dispatch_command_type\":\"CQ_DISPATCH_CMD_WRITE_LINEAR\""
#define NOTIFY "\"dispatch_command_type\":\"CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL\""

/*
 * Op 1024: commands from 100 to 180, the signal from 185 to 195; op 2048: from 300 to 340, the
 * signal from 350 to 365; op 1024 once more, which does not count.
 */
static void test_dispatch(void **state)
{
    (void)state;
    static const char *const text = HEADER MASTER("100", "150", WRITE_OF("1024"))
        MASTER("160", "180", NOTIFY) MASTER("300", "310", WRITE_OF("2048"))
            MASTER("320", "340", NOTIFY) MASTER("400", "490", WRITE_OF("1024"))
                SUBORDINATE("185", "195") SUBORDINATE("350", "365");
    tt_lanes lanes;
    tt_dispatch dispatch;
    tt_log log;
    tacho_input input;
    assert_ok(tt_lanes_init(&lanes));
    assert_ok(tt_dispatch_init(&dispatch, &lanes));
    assert_ok(tacho_input_open_bytes("d.csv", tacho_str_from_cstring(text), &input));
    assert_ok(tt_log_open(&log, &input));
    for (bool has_row = true;;) {
        tt_log_place place;
        assert_ok(tt_log_next(&log, &has_row));
        if (!has_row) {
            break;
        }
        assert_int_equal(log.reason, TACHO_LOSS_REASON_COUNT);
        assert_ok(tt_lanes_ensure(&lanes, &log.row, &place.lane));
        assert_ok(tt_lanes_ensure_zone(&lanes, log.row.zone, &place.zone));
        assert_ok(tt_dispatch_add(&dispatch, &log.row, place));
    }
    assert_ok(tt_dispatch_finish(&dispatch));
    const tt_dispatch_times *first = tt_dispatch_find(&dispatch, 0, 1024);
    const tt_dispatch_times *second = tt_dispatch_find(&dispatch, 0, 2048);
    assert_non_null(first);
    assert_non_null(second);
    assert_int_equal(first->total, 80);
    assert_int_equal(first->go, 10);
    assert_int_equal(second->total, 40);
    assert_int_equal(second->go, 15);
    assert_null(tt_dispatch_find(&dispatch, 0, 3072));
    assert_null(tt_dispatch_find(&dispatch, 1, 1024));
    tacho_input_close(&input);
    tt_dispatch_deinit(&dispatch);
    tt_lanes_deinit(&lanes);
}

/* A lost start of one processor and a lost end of another do not cancel out. */
static void test_op_damage(void **state)
{
    (void)state;
    assert_ops(
        HEADER "0,1,1,BRISC,7,100,0,1024,,,BRISC-FW,ZONE_START,1,a,\n"
               "0,1,1,NCRISC,7,200,0,1024,,,NCRISC-FW,ZONE_END,1,a,\n"
               "0,1,1,NCRISC,8,180,0,1024,,,NCRISC-KERNEL,ZONE_END,1,a,\n"
               "0,1,1,NCRISC,8,150,0,1024,,,NCRISC-KERNEL,ZONE_START,1,a,\n",
        "0:1024.0 fw 100-200 kernel 150-180 mover 150 starts 150-150 cores 1 of 30..30 sum 30 "
        "waits 0 0 without start 1, end 1\n");
}

/* Replays without numbers are separated by the order of rows: one that goes back leaves doubt. */
static void test_op_order(void **state)
{
    (void)state;
    static const char *const expected =
        "0:1024.0 fw 100-400 kernel 0-0 mover 0 starts 0-0 cores 1 of 0..0 sum 0 waits 0 0%s\n";
    char text[256];
    snprintf(text, sizeof(text), expected, "");
    assert_ops(HEADER "0,1,1,BRISC,7,400,0,1024,,,BRISC-FW,ZONE_END,1,a,\n"
                      "0,1,1,BRISC,7,100,0,1024,,,BRISC-FW,ZONE_START,1,a,\n",
               text);
    assert_ops(HEADER "0,1,1,BRISC,7,100,0,1024,,,BRISC-FW,ZONE_START,1,a,\n"
                      "0,1,1,BRISC,7,300,0,1024,,,BRISC-FW,ZONE_START,1,a,\n"
                      "0,1,1,BRISC,7,200,0,1024,,,BRISC-FW,ZONE_END,1,a,\n"
                      "0,1,1,BRISC,7,400,0,1024,,,BRISC-FW,ZONE_END,1,a,\n",
               "0:1024.0 fw 100-100 kernel 0-0 mover 0 starts 0-0 cores 1 of 0..0 sum 0 waits 0 0 "
               "without start 0, end 1 doubtful\n"
               "0:1024.1 fw 200-400 kernel 0-0 mover 0 starts 0-0 cores 1 of 0..0 sum 0 waits 0 0 "
               "without start 1, end 0 doubtful\n");
}

static void test_meta_data(void **state)
{
    (void)state;
    tacho_str value;
    tacho_str meta = TACHO_STR("{\"sub_device_id\":3;\"a sub\":\"x;y\"; \"ref cnt\" : 12 }");
    assert_true(tt_log_meta_find(meta, "sub_device_id", &value));
    assert_true(tacho_str_equal(value, TACHO_STR("3")));
    assert_true(tt_log_meta_find(meta, "a sub", &value));
    assert_true(tacho_str_equal(value, TACHO_STR("x;y")));
    assert_true(tt_log_meta_find(meta, "ref cnt", &value));
    assert_true(tacho_str_equal(value, TACHO_STR("12")));
    assert_false(tt_log_meta_find(meta, "sub", &value));
    assert_false(tt_log_meta_find(TACHO_STR(""), "sub", &value));
    assert_false(tt_log_meta_find(TACHO_STR("\"sub\""), "sub", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases),          cmocka_unit_test(test_oldest_releases),
        cmocka_unit_test(test_values_are_kept),   cmocka_unit_test(test_lost_rows),
        cmocka_unit_test(test_missing_ends),      cmocka_unit_test(test_times_too_late),
        cmocka_unit_test(test_newer_release),     cmocka_unit_test(test_no_log),
        cmocka_unit_test(test_rows_out_of_order), cmocka_unit_test(test_first_fields),
        cmocka_unit_test(test_chips_are_parts),   cmocka_unit_test(test_chips_by_turns),
        cmocka_unit_test(test_op_times),          cmocka_unit_test(test_op_executions),
        cmocka_unit_test(test_lost_kernels),      cmocka_unit_test(test_lost_in_numbered_replays),
        cmocka_unit_test(test_op_damage),         cmocka_unit_test(test_op_order),
        cmocka_unit_test(test_meta_data),         cmocka_unit_test(test_dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
