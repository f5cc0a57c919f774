/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines that share a spool: each receives the same as alone, including launches, callers,
 * operators, steps and serials; one that has left receives nothing.
 */
#include "questions/timeline/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROUNDS = 50, SPANS = 400, STEPS = 3, TICKS = 1000 };

/* A digest of what a taker received, and counts. */
typedef struct witness {
    tacho_timeline timeline;
    uint64_t digest;
    unsigned call_count, work_count, launch_count, part_count;
    unsigned caller_count, type_count, step_count;
} witness;

typedef struct fixture {
    tacho_dict dict;
    uint32_t part, host, device;
    uint32_t sites[2], steps[STEPS];      /* of the host and the device; of ProfilerStep#i */
    uint32_t correlation, external, type; /* keys of arguments */
    uint64_t seed;
} fixture;

static uint32_t below(fixture *at, uint32_t limit)
{
    at->seed = at->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(at->seed >> 33) % limit;
}

static void note(witness *self, uint64_t value)
{
    self->digest = (self->digest ^ value) * UINT64_C(1099511628211);
}

static void note_span(witness *self, const tacho_timeline_span *span)
{
    note(self, (uint64_t)span->start_ns);
    note(self, (uint64_t)span->end_ns);
    note(self, span->row->track);
    note(self, self->timeline.taker.needs_serials ? span->serial : 0);
    note(self, span->type);
    self->type_count += span->type != TACHO_NONE ? 1 : 0;
}

static tacho_status take_call(void *self, const tacho_timeline_span *span)
{
    ((witness *)self)->call_count++;
    note_span(self, span);
    return TACHO_OK;
}

static tacho_status take_work(void *self, const tacho_timeline_work *work, uint32_t *out_tag)
{
    witness *seen = self;
    *out_tag = 0;
    seen->work_count++;
    seen->launch_count += work->has_launch ? 1 : 0;
    note_span(self, &work->span);
    note(self, work->has_launch ? (uint64_t)work->launch.start_ns : 1);
    note(self, work->has_caller ? work->caller : TACHO_NONE);
    seen->caller_count += work->has_caller && !work->has_launch ? 1 : 0;
    return TACHO_OK;
}

static uint32_t place_on(void *self, uint32_t track, int64_t now_ns)
{
    (void)self;
    (void)now_ns;
    return track;
}

static tacho_status take_begin(void *self, uint32_t part)
{
    witness *seen = self;
    (void)part;
    seen->step_count = (unsigned)seen->timeline.steps.item_count;
    return TACHO_OK;
}

static tacho_status take_end(void *self, uint32_t part)
{
    (void)part;
    ((witness *)self)->part_count++;
    return TACHO_OK;
}

static uint32_t add_site(tacho_dict *dict, const char *category, const char *name)
{
    tacho_site site = {.location = TACHO_NONE};
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_string(dict, tacho_str_from_cstring(name), &site.name));
    assert_null(tacho_dict_ensure_string(dict, tacho_str_from_cstring(category), &site.category));
    assert_null(tacho_dict_ensure_site(dict, &site, &id));
    return id;
}

static void setup(fixture *at, uint64_t seed)
{
    *at = (fixture){.seed = seed};
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_init(&at->dict));
    tacho_part_facts facts = {.path = TACHO_STR("a.json"), .origin = TACHO_ORIGIN_MEASURED};
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &at->part));
    static const char *const steps[STEPS] = {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"};
    at->sites[0] = add_site(&at->dict, "cpu_op", "call");
    at->sites[1] = add_site(&at->dict, "kernel", "work");
    for (size_t i = 0; i < STEPS; i++) {
        at->steps[i] = add_site(&at->dict, "user_annotation", steps[i]);
    }
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("correlation"), &at->correlation));
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("External id"), &at->external));
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("op_name"), &at->type));
    tacho_track track = {.parent = at->dict.parts[at->part].root,
                         .part = at->part,
                         .clock = facts.clock,
                         .lane_of = TACHO_NONE,
                         .track_class = TACHO_TRACK_HOST};
    assert_null(tacho_dict_ensure_track(&at->dict, &track, TACHO_STR("thread"), &at->host));
    track.track_class = TACHO_TRACK_COMPUTE;
    assert_null(tacho_dict_ensure_track(&at->dict, &track, TACHO_STR("stream"), &at->device));
}

/* Begins a taker that needs places, steps and serials, or none of these. */
static void begin(witness *self, fixture *at, bool knows_all)
{
    const tacho_timeline_taker taker = {.self = self,
                                        .call = take_call,
                                        .work = take_work,
                                        .place = knows_all ? place_on : NULL,
                                        .begin_part = take_begin,
                                        .end_part = take_end,
                                        .needs_steps = knows_all,
                                        .needs_serials = knows_all};
    *self = (witness){.digest = 1};
    tacho_timeline_init(&self->timeline, &at->dict, &taker);
}

/* Pushes a call, or work that refers to it by either number or not at all. */
static void push_span(fixture *at, witness *to, uint32_t number)
{
    tacho_arg args[3];
    bool is_work = number % 2 == 1;
    tacho_row row = {.kind = TACHO_ROW_SPAN,
                     .track = is_work ? at->device : at->host,
                     .start = below(at, TICKS),
                     .args = args};
    row.of.span.end = row.start + below(at, TICKS);
    row.of.span.site = at->sites[is_work];
    row.of.span.run = TACHO_NONE;
    if (below(at, 2) == 0) {
        args[row.arg_count++] = (tacho_arg){
            .key = at->correlation, .type = TACHO_ARG_UINT, .value.as_uint = 1 + number / 2};
    }
    if (below(at, 2) == 0) {
        args[row.arg_count++] = (tacho_arg){
            .key = at->external, .type = TACHO_ARG_UINT, .value.as_uint = 5000 + number / 2};
    }
    if (below(at, 4) == 0) {
        args[row.arg_count++] =
            (tacho_arg){.key = at->type, .type = TACHO_ARG_STRING, .value.as_string = at->type};
    }
    assert_null(tacho_events_row(&to->timeline.events, &row));
}

static void push_all(fixture *at, witness *to)
{
    uint64_t seed = at->seed;
    for (uint32_t i = 0; i < STEPS; i++) {
        tacho_row row = {.kind = TACHO_ROW_SPAN, .track = at->host, .start = i * TICKS};
        row.of.span.end = row.start + TICKS;
        row.of.span.site = at->steps[i];
        row.of.span.run = TACHO_NONE;
        assert_null(tacho_events_row(&to->timeline.events, &row));
    }
    for (uint32_t i = 0; i < SPANS; i++) {
        push_span(at, to, i);
    }
    assert_null(tacho_events_end_part(&to->timeline.events, at->part));
    at->seed = seed;
}

static void assert_same(const witness *a, const witness *b)
{
    assert_int_equal(a->call_count, SPANS / 2 + STEPS);
    assert_int_equal(a->part_count, 1);
    assert_int_equal(a->call_count, b->call_count);
    assert_int_equal(a->work_count, b->work_count);
    assert_int_equal(a->launch_count, b->launch_count);
    assert_int_equal(a->part_count, b->part_count);
    assert_int_equal(a->caller_count, b->caller_count);
    assert_int_equal(a->type_count, b->type_count);
    assert_int_equal(a->step_count, b->step_count);
    assert_true(a->digest == b->digest);
}

static void test_join(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        fixture at;
        setup(&at, round);
        witness alone[2];
        witness joined[3]; /* the leader, one that stays, one that leaves */
        bool leader_knows = round % 2 == 0;
        for (unsigned i = 0; i < 2; i++) {
            begin(&alone[i], &at, leader_knows == (i == 0));
            push_all(&at, &alone[i]);
            begin(&joined[i], &at, leader_knows == (i == 0));
        }
        begin(&joined[2], &at, false);
        tacho_timeline_join(&joined[1].timeline, &joined[0].timeline);
        tacho_timeline_join(&joined[2].timeline, &joined[0].timeline);
        tacho_timeline_leave(&joined[2].timeline, &joined[0].timeline);
        push_all(&at, &joined[0]);
        assert_same(&alone[0], &joined[0]);
        assert_same(&alone[1], &joined[1]);
        const witness *knowing = &alone[leader_knows ? 0 : 1];
        assert_true(knowing->launch_count > 0 && knowing->caller_count > 0);
        assert_true(knowing->type_count > 0);
        assert_int_equal(knowing->step_count, STEPS);
        assert_int_equal(joined[2].call_count + joined[2].work_count + joined[2].part_count, 0);
        for (unsigned i = 0; i < 2; i++) {
            tacho_timeline_deinit(&alone[i].timeline);
            tacho_timeline_deinit(&joined[i].timeline);
        }
        tacho_timeline_deinit(&joined[2].timeline);
        tacho_dict_deinit(&at.dict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_join)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
