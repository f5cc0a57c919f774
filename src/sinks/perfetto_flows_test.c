/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows in the Perfetto sink: the ends of arrows on spans.
 */
#include "sinks/perfetto_replay_testing.h"

/* ---- flows ------------------------------------------------------------------------------ */

/* A part with flow ends bound to enclosing spans, as detected by the order filter. */
static uint32_t add_flow_part(trace *to, const char *path)
{
    uint32_t part = add_part(to, path);
    to->dict.parts[part].has_flows_around = true;
    return part;
}

/* A flow ahead of its span is on the BEGIN, one inside it on the END of the innermost. */
static void test_flows(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_flow_part(&made, "a");
    uint32_t from = add_track(&made, part, "from");
    uint32_t to = add_track(&made, part, "to");
    push_span(&made, from, "source", 0, 10);
    around(&made, from, 5, 1);
    around(&made, from, 9, 2);
    push_span(&made, from, "after", 10, 20);
    around(&made, from, 10, 3); /* of the one that starts, not the one that ends */
    ahead(&made, to, 15, 1);
    ahead(&made, to, 15, 1099511627775u); /* the largest id */
    push_span(&made, to, "sink", 15, 30);
    around(&made, to, 20, 2);
    ahead(&made, to, 22, 3);
    push_span(&made, to, "inside", 22, 23);
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 0);
    check_events(&made, "begin 0 on 2 \"source\" cat\n"
                        "end 10 on 2 flow=2 flow=1\n"
                        "begin 10 on 2 \"after\" cat flow=3\n"
                        "begin 15 on 3 \"sink\" cat flow=1099511627775 flow=1\n"
                        "end 20 on 2\n"
                        "begin 22 on 3 \"inside\" cat flow=3\n"
                        "end 23 on 3\n"
                        "end 30 on 3 flow=2\n");
}

static void keep_flow(void *self, const event *seen)
{
    text *to = self;
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, seen->body);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 47) {
            put(to, "%llu ", (unsigned long long)as_fixed64(&field));
        }
    }
}

/* Parts number their flows on their own: equal numbers of two parts are two arrows. */
static void test_flows_of_parts(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    for (int i = 0; i < 2; i++) {
        uint32_t part = add_flow_part(&made, "a");
        uint32_t track = add_track(&made, part, "t");
        push_span(&made, track, "source", 0, 10);
        around(&made, track, 9, 7);
        ahead(&made, track, 20, 7);
        push_span(&made, track, "sink", 20, 30);
        end_part(&made, part);
    }
    tacho_str file;
    close_trace(&made, &file);
    text ids = {NULL, 0, 0};
    replay *seen = make_replay(0);
    seen->visit = keep_flow;
    seen->self = &ids;
    run_replay(seen, file);
    unsigned long long numbers[4];
    assert_int_equal(
        sscanf(ids.data, "%llu %llu %llu %llu", &numbers[0], &numbers[1], &numbers[2], &numbers[3]),
        4);
    assert_true(numbers[0] == numbers[1] && numbers[2] == numbers[3]);
    assert_true(numbers[0] != numbers[2]);
    free(ids.data);
    free_replay(seen);
    free_file(file);
}

/* On a stack the innermost span has the flow; an instant may have one, too. */
static void test_flows_on_stacks(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_flow_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    push_span(&made, track, "outer", 0, 100);
    push_span(&made, track, "inner", 10, 20);
    around(&made, track, 15, 1);
    around(&made, track, 20, 5); /* where inner ends */
    around(&made, track, 21, 6);
    around(&made, track, 50, 2);
    ahead(&made, track, 60, 3);
    push_instant(&made, track, "i", 60);
    around(&made, track, 70, 4);
    push_instant(&made, track, "j", 75);
    around(&made, track, 75, 7);
    push_span(&made, track, "last", 80, 90);
    around(&made, track, 100, 8); /* where outer ends */
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 0);
    check_events(&made, "begin 0 on 2 \"outer\" cat\n"
                        "begin 10 on 2 \"inner\" cat\n"
                        "end 20 on 2 flow=5 flow=1\n"
                        "instant 60 on 2 \"i\" cat flow=3\n"
                        "instant 75 on 2 \"j\" cat flow=7\n"
                        "begin 80 on 2 \"last\" cat\n"
                        "end 90 on 2\n"
                        "end 100 on 2 flow=8 flow=4 flow=2 flow=6\n");
}

/* A flow end outside of all spans is lost, and counted. */
static void test_flows_of_nothing(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_flow_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    around(&made, track, 0, 1);
    push_span(&made, track, "s", 5, 6);
    around(&made, track, 7, 2);
    end_part(&made, part);
    around(&made, track, 20, 4);
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 1);
    assert_int_equal(made.dict.losses[0].reason, TACHO_LOSS_UNBOUND_FLOW);
    assert_int_equal(made.dict.losses[0].part, part);
    assert_int_equal(made.dict.losses[0].count, 3);
    assert_int_equal(made.dict.losses[0].first_line, 0);
    check_events(&made, "begin 5 on 2 \"s\" cat\n"
                        "end 6 on 2\n");
}

/* Through the lanes: the lane of the span gets the flow, by time and by its end. */
static void test_flows_through_lanes(void **state)
{
    (void)state;
    trace made;
    open_with_lanes(&made);
    uint32_t part = add_flow_part(&made, "a");
    uint32_t from = add_track(&made, part, "from");
    uint32_t to = add_track(&made, part, "to");
    push_span(&made, from, "source", 0, 40);
    push_span(&made, to, "sink", 0, 100);
    around(&made, from, 39, 1);
    push_flow(&made, to, 50, 2, 150);
    push_span(&made, to, "crosses", 50, 150);
    around(&made, to, 120, 1);
    push_span(&made, from, "later", 200, 210);
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 0);
    check_events(&made, "begin 0 on 2 \"source\" cat\n"
                        "begin 0 on 3 \"sink\" cat\n"
                        "end 40 on 2 flow=1\n"
                        "begin 50 on 4 \"crosses\" cat flow=2\n"
                        "end 100 on 3\n"
                        "end 150 on 4 flow=1\n"
                        "begin 200 on 2 \"later\" cat\n"
                        "end 210 on 2\n");
}

enum { FLOW_COUNT = 10000 };

static void count_flows(void *self, const event *seen)
{
    size_t *counts = self;
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, seen->body);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 47) {
            assert_true(as_fixed64(&field) < FLOW_COUNT);
            counts[seen->type]++;
        }
    }
}

/* More flows on one event than fit the output's reserve; freed ones are reused. */
static void test_many_flows(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_flow_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    for (int round = 0; round < 2; round++) {
        int64_t start = 100 * round;
        for (uint64_t id = 0; id < FLOW_COUNT; id++) {
            ahead(&made, track, start, id);
        }
        push_span(&made, track, "s", start, start + 50);
        for (uint64_t id = 0; id < FLOW_COUNT; id++) {
            around(&made, track, start + 49, id);
        }
    }
    end_part(&made, part);
    tacho_str file;
    close_trace(&made, &file);
    size_t counts[COUNTER + 1] = {0};
    replay *seen = make_replay(0);
    seen->visit = count_flows;
    seen->self = counts;
    run_replay(seen, file);
    assert_int_equal(counts[BEGIN], 2 * FLOW_COUNT);
    assert_int_equal(counts[END], 2 * FLOW_COUNT);
    free_replay(seen);
    free_file(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_flows_of_parts),
        cmocka_unit_test(test_flows_on_stacks),
        cmocka_unit_test(test_flows_of_nothing),
        cmocka_unit_test(test_flows_through_lanes),
        cmocka_unit_test(test_many_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
