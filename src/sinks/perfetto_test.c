/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times, names, tracks and counters in the Perfetto sink.
 */
#include "sinks/perfetto_replay_testing.h"

/* ---- times ------------------------------------------------------------------------------ */

/* Deltas add up, even where a track or a part starts before the last event. */
static void test_times(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t a = add_part(&made, "a");
    uint32_t first = add_track(&made, a, "1");
    uint32_t second = add_track(&made, a, "2");
    push_span(&made, first, "far", 1000, 4611686018427387904);
    push_span(&made, second, "back", 3, 5);
    push_span(&made, second, "on", 900000, 900001);
    end_part(&made, a);
    uint32_t b = add_part(&made, "b");
    uint32_t third = add_track(&made, b, "3");
    push_span(&made, third, "zero", 0, 9223372036854775807);
    end_part(&made, b);
    check_events(&made, "begin 1000 on 2 \"far\" cat\n"
                        "begin 3 on 3 \"back\" cat\n"
                        "end 5 on 3\n"
                        "begin 900000 on 3 \"on\" cat\n"
                        "end 900001 on 3\n"
                        "end 4611686018427387904 on 2\n"
                        "begin 0 on 5 \"zero\" cat\n"
                        "end 9223372036854775807 on 5\n");
}

/* Cycles of a clock: both ends rounded down from the part's zero, with the raw duration. */
static void test_cycles(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    tacho_clock clock;
    assert_ok(tacho_clock_init_mhz(&clock, TACHO_STR("800")));
    clock.zero_ticks = 1000;
    uint32_t part = add_part_with(&made, TACHO_STR("a"), &clock);
    uint32_t track = add_track(&made, part, "t");
    push_span(&made, track, "s", 1000, 1003);
    push_span(&made, track, "s", 1003, 1007);
    push_instant(&made, track, "i", 1009);
    end_part(&made, part);
    check_events(&made, "begin 0 on 2 \"s\" cat cycles=uint:3\n"
                        "end 3 on 2\n"
                        "begin 3 on 2 \"s\" cat cycles=uint:4\n"
                        "end 8 on 2\n"
                        "instant 11 on 2 \"i\" cat\n");
}

/* At one time ends precede begins, and inner spans end before outer ones. */
static void test_equal_times(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t one = add_track(&made, part, "1");
    uint32_t two = add_track(&made, part, "2");
    push_span(&made, one, "outer", 0, 10);
    push_span(&made, one, "middle", 0, 10);
    push_span(&made, two, "other", 4, 10);
    push_span(&made, one, "inner", 5, 10);
    push_span(&made, one, "empty", 5, 5);
    push_span(&made, one, "empty too", 5, 5);
    push_span(&made, one, "next", 10, 12);
    push_instant(&made, one, "now", 10);
    push_instant(&made, one, "now too", 10);
    push_span(&made, two, "last", 10, 10);
    end_part(&made, part);
    check_events(&made, "begin 0 on 2 \"outer\" cat\n"
                        "begin 0 on 2 \"middle\" cat\n"
                        "begin 4 on 3 \"other\" cat\n"
                        "begin 5 on 2 \"inner\" cat\n"
                        "begin 5 on 2 \"empty\" cat\n"
                        "end 5 on 2\n"
                        "begin 5 on 2 \"empty too\" cat\n"
                        "end 5 on 2\n"
                        "end 10 on 2\n"
                        "end 10 on 3\n"
                        "end 10 on 2\n"
                        "end 10 on 2\n"
                        "begin 10 on 2 \"next\" cat\n"
                        "instant 10 on 2 \"now\" cat\n"
                        "instant 10 on 2 \"now too\" cat\n"
                        "begin 10 on 3 \"last\" cat\n"
                        "end 10 on 3\n"
                        "end 12 on 2\n");
}

enum { MANY_SPANS = 3000, MANY_TRACKS = 5, DEPTH_MAX = 512 };

typedef struct kept_event {
    event seen;
    size_t position; /* in the file */
} kept_event;

typedef struct sent_span {
    uint32_t track;
    int64_t start, end;
} sent_span;

typedef struct assembly {
    sent_span sent[MANY_SPANS];
    kept_event kept[2 * MANY_SPANS];
    size_t kept_count;
    size_t open[MANY_TRACKS + 2][DEPTH_MAX]; /* by track: events that have begun */
    size_t depths[MANY_TRACKS + 2];
    bool is_back[MANY_SPANS];
} assembly;

static void keep_event(void *self, const event *seen)
{
    assembly *to = self;
    assert_true(to->kept_count < 2 * MANY_SPANS);
    to->kept[to->kept_count] = (kept_event){*seen, to->kept_count};
    to->kept_count++;
}

static int compare_kept(const void *a, const void *b)
{
    const kept_event *first = a;
    const kept_event *second = b;
    if (first->seen.time_ns != second->seen.time_ns) {
        return first->seen.time_ns < second->seen.time_ns ? -1 : 1;
    }
    return first->position < second->position ? -1 : 1;
}

/* The span between |begin| and |end| is the one sent under its name, a number. */
static void check_back(assembly *in, const event *begin, const event *end)
{
    uint64_t number = 0;
    assert_true(tacho_str_parse_u64(begin->name, &number));
    assert_true(number < MANY_SPANS);
    const sent_span *sent = &in->sent[number];
    assert_false(in->is_back[number]);
    in->is_back[number] = true;
    assert_int_equal(begin->track, sent->track + 1);
    assert_int_equal(begin->time_ns, sent->start);
    assert_int_equal(end->time_ns, sent->end);
}

/* As viewers do: by time, then place in the file; END closes the innermost open span. */
static void assemble(assembly *in)
{
    qsort(in->kept, in->kept_count, sizeof(in->kept[0]), compare_kept);
    for (size_t i = 0; i < in->kept_count; i++) {
        const event *seen = &in->kept[i].seen;
        assert_true(seen->track < MANY_TRACKS + 2);
        size_t *depth = &in->depths[seen->track];
        if (seen->type == BEGIN) {
            assert_true(*depth < DEPTH_MAX);
            in->open[seen->track][(*depth)++] = i;
        } else {
            assert_true(*depth > 0);
            check_back(in, &in->kept[in->open[seen->track][--*depth]].seen, seen);
        }
    }
}

/* A generator that gives the same numbers on all platforms. */
static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % limit;
}

typedef struct nest {
    int64_t ends[DEPTH_MAX];
    size_t depth;
    int64_t time;
} nest;

/* The next span of a properly nested track: inside an open one, or after it. */
static void next_in_nest(nest *on, uint64_t *seed, sent_span *out_span)
{
    on->time += random_below(seed, 4);
    while (on->depth > 0 && on->ends[on->depth - 1] <= on->time) {
        on->depth--;
    }
    int64_t most = on->depth > 0 ? on->ends[on->depth - 1] - on->time : 100;
    out_span->start = on->time;
    out_span->end = on->time + random_below(seed, (uint32_t)most + 1);
    if (out_span->end > out_span->start) {
        on->ends[on->depth++] = out_span->end;
    }
}

static void write_random_nests(assembly *out_sent, tacho_str *out_file)
{
    nest *nests = calloc(MANY_TRACKS, sizeof(*nests));
    assert_non_null(nests);
    uint64_t seed = 1;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t tracks[MANY_TRACKS];
    for (size_t i = 0; i < MANY_TRACKS; i++) {
        tracks[i] = add_track(&made, part, "t");
    }
    for (uint32_t i = 0; i < MANY_SPANS; i++) {
        uint32_t which = random_below(&seed, MANY_TRACKS);
        sent_span *sent = &out_sent->sent[i];
        *sent = (sent_span){.track = tracks[which]};
        next_in_nest(&nests[which], &seed, sent);
        char name[16];
        snprintf(name, sizeof(name), "%u", (unsigned)i);
        push_span(&made, sent->track, name, sent->start, sent->end);
    }
    end_part(&made, part);
    free(nests);
    close_trace(&made, out_file);
}

/* Tracks that take turns at random, each at a time of its own: every span is restored. */
static void test_random_nests(void **state)
{
    (void)state;
    assembly *back = calloc(1, sizeof(*back));
    assert_non_null(back);
    tacho_str file;
    write_random_nests(back, &file);
    replay *seen = make_replay(0);
    seen->visit = keep_event;
    seen->self = back;
    run_replay(seen, file);
    assert_int_equal(back->kept_count, 2 * MANY_SPANS);
    assemble(back);
    free_replay(seen);
    free_file(file);
    free(back);
}

/* ---- names and tracks ------------------------------------------------------------------- */

enum { NAME_COUNT = 600 };

static void check_numbered_name(void *self, const event *seen)
{
    size_t *count = self;
    if (seen->type == BEGIN) {
        char expected[16];
        snprintf(expected, sizeof(expected), "name %zu", *count % NAME_COUNT);
        assert_true(tacho_str_equal(seen->name, tacho_str_from_cstring(expected)));
        assert_int_equal(seen->time_ns, *count);
        (*count)++;
    }
}

/* More names than fit a one-byte number, each twice. */
static void test_many_names(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    for (int i = 0; i < 2 * NAME_COUNT; i++) {
        char name[16];
        snprintf(name, sizeof(name), "name %d", i % NAME_COUNT);
        push_span(&made, track, name, i, i + 1);
    }
    end_part(&made, part);
    tacho_str file;
    close_trace(&made, &file);
    size_t count = 0;
    replay *seen = make_replay(0);
    seen->visit = check_numbered_name;
    seen->self = &count;
    run_replay(seen, file);
    assert_int_equal(count, 2 * NAME_COUNT);
    free_replay(seen);
    free_file(file);
}

static uint32_t add_track_of(trace *to, const tacho_track *like, uint32_t parent, int32_t rank)
{
    tacho_track facts = *like;
    uint32_t track = 0;
    facts.parent = parent;
    facts.rank = rank;
    assert_ok(tacho_dict_add_track(&to->dict, &facts, &track));
    return track;
}

/* Tracks are described when first used, ancestors before them, each with its rank. */
static void test_tracks(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "/x/a.csv");
    uint32_t other = add_part(&made, "/y/b.csv");
    tacho_track like = track_facts(&made, part, "core");
    uint32_t group = add_track_of(&made, &like, made.dict.parts[part].root, 3);
    like = track_facts(&made, part, "engine");
    uint32_t late = add_track_of(&made, &like, group, 9);
    uint32_t early = add_track_of(&made, &like, group, 2147483647);
    like.lane_of = early;
    uint32_t lane = add_track_of(&made, &like, group, 2147483647);
    uint32_t unused = add_track(&made, part, "unused");
    uint32_t counter = add_counter(&made, other, "load", TACHO_UNIT_PERCENT);
    assert_true(unused < counter);
    push_span(&made, early, "s", 0, 5);
    push_span(&made, lane, "s", 1, 6);
    push_span(&made, late, "s", 2, 3);
    push_span(&made, group, "s", 2, 3);
    end_part(&made, part);
    push_sample(&made, counter, 0, 1);
    end_part(&made, other);
    check_shown(&made, SHOW_TRACKS,
                "track 0 processes by rank 1 threads by rank 1\n"
                "process 1 \"a.csv\" pid 1 \"a.csv (estimated)\" estimated rank 0\n"
                "thread 3 \"core\" pid 1 tid 3 \"core\" of 1 rank 3\n"
                "track box 0.3 \"Tracks\" of 3\n"
                "track 5 \"engine\" of box 0.3 rank 2147483647 key 5\n"
                "track 6 \"engine\" of box 0.3 rank 2147483647 key 5\n"
                "track 4 \"engine\" of box 0.3 rank 9 key 4\n"
                "process 2 \"b.csv\" pid 2 \"b.csv (estimated)\" estimated rank 33554432\n"
                "track box 1.2 \"Counters\" of 2\n"
                "track 8 \"load\" counter % of box 1.2 rank 5\n");
}

static void test_side_by_side(void **state)
{
    (void)state;
    const tacho_trace_options options = {.side_by_side = true};
    trace made;
    open_with(&made, &options);
    uint32_t part = add_part(&made, "a");
    made.dict.parts[part].origin = TACHO_ORIGIN_MEASURED;
    push_span(&made, add_track(&made, part, "t"), "s", 0, 1);
    end_part(&made, part);
    check_shown(&made, SHOW_TRACKS,
                "track 0 processes by rank 1 threads by rank 1\n"
                "process 1 \"a\" pid 1 \"a (measured, not aligned)\" measured not aligned rank 0\n"
                "thread 2 \"t\" pid 1 tid 2 \"t\" of 1 rank 5\n");
}

/* A track whose name may still change is described at the end, under its final name. */
static void test_provisional(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "core ?");
    uint32_t inner = add_track(&made, part, "engine ?");
    uint32_t unused = add_track(&made, part, "unused");
    made.dict.tracks[inner].parent = track;
    made.dict.tracks[track].is_provisional = true;
    made.dict.tracks[inner].is_provisional = true;
    made.dict.tracks[unused].is_provisional = true;
    push_span(&made, inner, "s", 0, 1);
    push_span(&made, add_track(&made, part, "plain"), "s", 0, 1);
    made.dict.tracks[track].name = string_id(&made, TACHO_STR("core 7"));
    made.dict.tracks[track].rank = 7;
    made.dict.tracks[inner].name = string_id(&made, TACHO_STR("engine 8"));
    end_part(&made, part);
    tacho_str file;
    close_trace(&made, &file);
    replay *seen = make_replay(SHOW_TRACKS);
    seen->may_come_late[track + 1] = true;
    seen->may_come_late[inner + 1] = true;
    run_replay(seen, file);
    assert_string_equal(seen->out.data, "track 0 processes by rank 1 threads by rank 1\n"
                                        "process 1 \"a\" pid 1 \"a (estimated)\" estimated rank 0\n"
                                        "thread 5 \"plain\" pid 1 tid 5 \"plain\" of 1 rank 5\n"
                                        "thread 2 \"core 7\" pid 1 tid 2 \"core 7\" of 1 rank 7\n"
                                        "track box 0.2 \"Tracks\" of 2\n"
                                        "track 3 \"engine 8\" of box 0.2 rank 5 key 3\n");
    free_replay(seen);
    free_file(file);
}

/* ---- counters --------------------------------------------------------------------------- */

static void test_counters(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t counter = add_counter(&made, part, "c", TACHO_UNIT_NONE);
    static const double values[] = {0,
                                    12,
                                    -5,
                                    0.5,
                                    -1.25,
                                    9007199254740992.0,
                                    -9007199254740992.0,
                                    1e300,
                                    (double)NAN,
                                    (double)INFINITY,
                                    (double)-INFINITY,
                                    3};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        push_sample(&made, counter, (int64_t)i, values[i]);
    }
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 1);
    assert_int_equal(made.dict.losses[0].reason, TACHO_LOSS_NOT_FINITE);
    assert_int_equal(made.dict.losses[0].count, 3);
    assert_int_equal(made.dict.losses[0].first_line, 0);
    check_events(&made, "count 0 on 2 int 0\n"
                        "count 1 on 2 int 12\n"
                        "count 2 on 2 int -5\n"
                        "count 3 on 2 real 0.5\n"
                        "count 4 on 2 real -1.25\n"
                        "count 5 on 2 int 9007199254740992\n"
                        "count 6 on 2 int -9007199254740992\n"
                        "count 7 on 2 real 1.0000000000000001e+300\n"
                        "count 11 on 2 int 3\n");
}

static void test_units(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    for (int unit = 0; unit < TACHO_UNIT_END; unit++) {
        push_sample(&made, add_counter(&made, part, "c", (tacho_unit)unit), 0, 1);
    }
    end_part(&made, part);
    check_shown(&made, SHOW_TRACKS,
                "track 0 processes by rank 1 threads by rank 1\n"
                "process 1 \"a\" pid 1 \"a (estimated)\" estimated rank 0\n"
                "track box 1.1 \"Counters\" of 1\n"
                "track 2 \"c\" counter of box 1.1 rank 5\n"
                "track 3 \"c\" counter unit 1 of box 1.1 rank 5\n"
                "track 4 \"c\" counter cycles of box 1.1 rank 5\n"
                "track 5 \"c\" counter unit 3 of box 1.1 rank 5\n"
                "track 6 \"c\" counter unit 2 of box 1.1 rank 5\n"
                "track 7 \"c\" counter % of box 1.1 rank 5\n"
                "track 8 \"c\" counter MHz of box 1.1 rank 5\n");
}

/* Samples end the spans before them: the file stays in time order. */
static void test_samples_among_spans(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    uint32_t counter = add_counter(&made, part, "c", TACHO_UNIT_COUNT);
    push_span(&made, track, "s", 0, 10);
    push_sample(&made, counter, 5, 1);
    push_sample(&made, counter, 10, 2);
    push_sample(&made, counter, 15, 3);
    end_part(&made, part);
    check_events(&made, "begin 0 on 2 \"s\" cat\n"
                        "count 5 on 3 int 1\n"
                        "end 10 on 2\n"
                        "count 10 on 3 int 2\n"
                        "count 15 on 3 int 3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_equal_times),
        cmocka_unit_test(test_random_nests),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_tracks),
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_provisional),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_samples_among_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
