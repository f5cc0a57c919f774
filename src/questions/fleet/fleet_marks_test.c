/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives of one file: calls beyond the limit are counted by kind, and only if on devices.
 */
#include "questions/fleet/fleet_marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { EXTRA = 1000 };

static uint32_t add_track(tacho_dict *dict, const char *name, tacho_track_class track_class)
{
    uint32_t id = TACHO_NONE;
    const tacho_track facts = {
        .parent = dict->parts[0].root,
        .clock = dict->parts[0].clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .nesting = TACHO_NESTING_ENGINE,
    };
    assert_null(tacho_dict_ensure_track(dict, &facts, tacho_str_from_cstring(name), &id));
    return id;
}

static void setup(tacho_dict *dict)
{
    uint32_t part = 0;
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    tacho_part_facts facts = {.path = TACHO_STR("a.json"), .origin = TACHO_ORIGIN_MEASURED};
    assert_null(tacho_dict_init(dict));
    assert_null(tacho_dict_add_clock(dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(dict, &facts, &part));
}

static void add_call(tacho_fleet_marks *marks, tacho_dict *dict, uint32_t track, uint32_t site,
                     int64_t start_ns, int64_t ns)
{
    const int64_t times_ns[2] = {start_ns, start_ns + ns};
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start_ns};
    row.of.span.end = times_ns[1];
    row.of.span.site = site;
    row.of.span.run = row.of.span.op = TACHO_NONE;
    assert_null(tacho_fleet_marks_add(marks, dict, &row, times_ns));
}

static void calls_beyond_the_limit_are_counted_by_kind(void **unused)
{
    (void)unused;
    tacho_dict dict;
    tacho_fleet_marks marks;
    tacho_fleet fleet;
    uint32_t site = 0;
    tacho_site made = {.location = TACHO_NONE};
    setup(&dict);
    assert_null(tacho_dict_ensure_string(&dict, TACHO_STR("ncclDevKernel_AllReduce"), &made.name));
    assert_null(tacho_dict_ensure_string(&dict, TACHO_STR("kernel"), &made.category));
    assert_null(tacho_dict_ensure_site(&dict, &made, &site));
    uint32_t device = add_track(&dict, "stream 7", TACHO_TRACK_COMPUTE);
    uint32_t host = add_track(&dict, "thread", TACHO_TRACK_HOST);
    tacho_fleet_marks_init(&marks, &dict, TACHO_FLEET_COLLECTIVES);
    for (int64_t i = 0; i < TACHO_FLEET_CALLS_MAX + EXTRA; i++) {
        add_call(&marks, &dict, device, site, 10 * i, i == TACHO_FLEET_CALLS_MAX ? 9 : 3);
        if (i >= TACHO_FLEET_CALLS_MAX) {
            add_call(&marks, &dict, host, site, 10 * i, 8);
        }
    }
    const tacho_fleet_owner owner = {.id = 1, .run = TACHO_STR(""), .is_whole = true};
    assert_null(tacho_fleet_init(&fleet, TACHO_FLEET_COLLECTIVES));
    assert_null(tacho_fleet_marks_fold(&marks, &dict, &owner, &fleet));
    const tacho_fleet_table *kinds = &fleet.tables[TACHO_FLEET_TABLE_KINDS];
    assert_int_equal(kinds->row_count, 1);
    assert_int_equal(kinds->rows[0].count, TACHO_FLEET_CALLS_MAX + EXTRA);
    assert_int_equal(kinds->rows[0].total_ns, INT64_C(3) * (TACHO_FLEET_CALLS_MAX + EXTRA) + 6);
    assert_int_equal(kinds->rows[0].durations->count, TACHO_FLEET_CALLS_MAX + EXTRA);
    assert_int_equal(kinds->rows[0].least.ns, 3);
    assert_int_equal(kinds->rows[0].most.ns, 9);
    assert_int_equal(kinds->rows[0].most.file, 1);
    assert_int_equal(kinds->rows[0].file_count, 1);
    tacho_fleet_deinit(&fleet);
    tacho_fleet_marks_deinit(&marks);
    tacho_dict_deinit(&dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_beyond_the_limit_are_counted_by_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
