/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows of Perfetto traces: the events where an id leaves, passes, and arrives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/perfetto/perfetto_source_testing.h"

static void flowing(uint64_t time, uint64_t type, uint64_t uuid, uint32_t field, uint64_t id)
{
    event(time, type, uuid);
    if (field == PF_EVENT_OLD_FLOW_IDS || field == PF_EVENT_OLD_TERMINATING_IDS) {
        number(field, id);
    } else {
        fixed(field, id);
    }
    end_event();
}

static void test_flows(void **state)
{
    (void)state;
    const uint64_t id = 0xfeedfacecafebeefU;
    start();
    track(1, "a", 0);
    track(2, "b", 0);
    flowing(10, PF_TYPE_BEGIN, 1, PF_EVENT_FLOW_IDS, id);
    simple(20, PF_TYPE_END, 1, NULL);
    simple(30, PF_TYPE_BEGIN, 2, "b");
    flowing(40, PF_TYPE_END, 2, PF_EVENT_OLD_FLOW_IDS, id);
    flowing(50, PF_TYPE_INSTANT, 1, PF_EVENT_TERMINATING_IDS, id);
    flowing(60, PF_TYPE_INSTANT, 1, PF_EVENT_FLOW_IDS, id); /* leaves anew */
    flowing(70, PF_TYPE_INSTANT, 2, PF_EVENT_OLD_TERMINATING_IDS, 5);
    flowing(80, PF_TYPE_END, 2, PF_EVENT_FLOW_IDS, 6); /* nothing is open */
    check("a|10|20||\nb|30|40|b|\na|50|50|||instant\na|60|60|||instant\nb|70|70|||instant\n"
          "flow 1 leaves a|10|20\nflow 1 passes b|30|40\nflow 1 arrives a|50|50\n"
          "flow 2 leaves a|60|60\n"
          "lost unbound_flow 2 byte 138\nlost unmatched_end 1 byte 153\n");
}

static void test_flow_ids_again(void **state)
{
    (void)state;
    start();
    track(1, "a", 0);
    track(2, "b", 0);
    flowing(1, PF_TYPE_END, 1, PF_EVENT_FLOW_IDS, 7); /* nothing is open: it has not left */
    flowing(2, PF_TYPE_BEGIN, 1, PF_EVENT_TERMINATING_IDS, 7);
    simple(3, PF_TYPE_END, 1, NULL);
    for (uint64_t i = 1; i < 3; i++) {
        flowing(10 * i, PF_TYPE_BEGIN, 1, PF_EVENT_FLOW_IDS, 7);
        simple(10 * i + 2, PF_TYPE_END, 1, NULL);
        flowing(10 * i + 5, PF_TYPE_BEGIN, 2, PF_EVENT_TERMINATING_IDS, 7);
        simple(10 * i + 7, PF_TYPE_END, 2, NULL);
    }
    check("a|2|3||\na|10|12||\nb|15|17||\na|20|22||\nb|25|27||\n"
          "flow 1 leaves a|10|12\nflow 1 arrives b|15|17\n"
          "flow 2 leaves a|20|22\nflow 2 arrives b|25|27\n"
          "lost unbound_flow 2 byte 20\nlost unmatched_end 1 byte 20\n");
}

static void test_flows_by_time(void **state)
{
    (void)state;
    start();
    track(1, "a", 0);
    track(2, "b", 0);
    flowing(50, PF_TYPE_INSTANT, 2, PF_EVENT_FLOW_IDS, 9);
    flowing(10, PF_TYPE_INSTANT, 1, PF_EVENT_FLOW_IDS, 9);
    check_out_of_order("a|10|10|||instant\nb|50|50|||instant\n"
                       "flow 1 leaves a|10|10\nflow 1 passes b|50|50\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_flow_ids_again),
        cmocka_unit_test(test_flows_by_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
