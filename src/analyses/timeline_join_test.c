/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines that share a spool: each is told what it is told alone, launches and serials included;
 * one that has left is told nothing.
 */
#include "analyses/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROUNDS = 50, SPANS = 400, TICKS = 1000 };

/* What a taker was told, as one number, and how much of it. */
typedef struct witness {
    tacho_timeline timeline;
    uint64_t digest;
    unsigned call_count, work_count, launch_count, part_count;
} witness;

typedef struct fixture {
    tacho_dict dict;
    uint32_t part, site, host, device, correlation;
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
    return TACHO_OK;
}

static uint32_t place_on(void *self, uint32_t track, int64_t now_ns)
{
    (void)self;
    (void)now_ns;
    return track;
}

static tacho_status take_end(void *self, uint32_t part)
{
    (void)part;
    ((witness *)self)->part_count++;
    return TACHO_OK;
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
    tacho_site site = {.location = TACHO_NONE};
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("work"), &site.name));
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &at->site));
    assert_null(tacho_dict_ensure_string(&at->dict, TACHO_STR("correlation"), &at->correlation));
    tacho_track track = {.parent = at->dict.parts[at->part].root,
                         .part = at->part,
                         .clock = facts.clock,
                         .lane_of = TACHO_NONE,
                         .track_class = TACHO_TRACK_HOST};
    assert_null(tacho_dict_ensure_track(&at->dict, &track, TACHO_STR("thread"), &at->host));
    track.track_class = TACHO_TRACK_COMPUTE;
    assert_null(tacho_dict_ensure_track(&at->dict, &track, TACHO_STR("stream"), &at->device));
}

/* One that knows places and numbers, or one that knows neither. */
static void begin(witness *self, fixture *at, bool knows_all)
{
    const tacho_timeline_taker taker = {.self = self,
                                        .call = take_call,
                                        .work = take_work,
                                        .place = knows_all ? place_on : NULL,
                                        .end_part = take_end,
                                        .needs_serials = knows_all};
    *self = (witness){.digest = 1};
    tacho_timeline_init(&self->timeline, &at->dict, &taker);
}

static void push_all(fixture *at, witness *to)
{
    uint64_t seed = at->seed;
    for (uint32_t i = 0; i < SPANS; i++) {
        const tacho_arg arg = {
            .key = at->correlation, .type = TACHO_ARG_UINT, .value.as_uint = 1 + i / 2};
        tacho_row row = {.kind = TACHO_ROW_SPAN,
                         .track = i % 2 == 0 ? at->host : at->device,
                         .start = below(at, TICKS),
                         .args = &arg,
                         .arg_count = below(at, 2)};
        row.of.span.end = row.start + below(at, TICKS);
        row.of.span.site = at->site;
        assert_null(tacho_events_row(&to->timeline.events, &row));
    }
    assert_null(tacho_events_end_part(&to->timeline.events, at->part));
    at->seed = seed;
}

static void assert_same(const witness *a, const witness *b)
{
    assert_int_equal(a->call_count, SPANS / 2);
    assert_int_equal(a->part_count, 1);
    assert_int_equal(a->call_count, b->call_count);
    assert_int_equal(a->work_count, b->work_count);
    assert_int_equal(a->launch_count, b->launch_count);
    assert_int_equal(a->part_count, b->part_count);
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
        begin(&joined[2], &at, true);
        tacho_timeline_join(&joined[1].timeline, &joined[0].timeline);
        tacho_timeline_join(&joined[2].timeline, &joined[0].timeline);
        tacho_timeline_leave(&joined[2].timeline, &joined[0].timeline);
        push_all(&at, &joined[0]);
        assert_same(&alone[0], &joined[0]);
        assert_same(&alone[1], &joined[1]);
        assert_true(alone[0].launch_count > 0);
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
