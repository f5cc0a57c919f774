/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Perfetto source, on traces composed packet by packet. Every trace is read with its events
 * held, and once more without where that is possible: both must give the same profile.
 */
#include "sources/perfetto/perfetto.h"

#include "codec/perfetto_fields.h"
#include "codec/protobuf.h"
#include "profile/order.h"
#include "profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

/* ---- composing -------------------------------------------------------------------------- */

enum { TRACE_MAX = 1 << 20, TEXT_MAX = 1 << 20, SPOOL_BYTES = 1 << 12 };

typedef struct trace {
    unsigned char bytes[TRACE_MAX];
    unsigned char *at;
    unsigned char *open[16];
    size_t depth;
} trace;

static trace made; /* one at a time */

static void start(void)
{
    made.at = made.bytes;
    made.depth = 0;
}

static void begin(uint32_t field)
{
    made.at = tacho_pb_open(made.at, field);
    made.open[made.depth++] = made.at;
}

static void end(void)
{
    made.depth--;
    made.at = tacho_pb_close(made.open[made.depth], made.at);
}

static void number(uint32_t field, uint64_t value)
{
    made.at = tacho_pb_put_uint(made.at, field, value);
}

static void fixed(uint32_t field, uint64_t value)
{
    made.at = tacho_pb_put_fixed64(made.at, field, value);
}

static void real(uint32_t field, double value)
{
    made.at = tacho_pb_put_double(made.at, field, value);
}

static void text(uint32_t field, const char *value)
{
    made.at = tacho_pb_put_bytes(made.at, field, tacho_str_from_cstring(value));
}

static void bytes(uint32_t field, tacho_str value)
{
    made.at = tacho_pb_put_bytes(made.at, field, value);
}

static void packet(uint64_t sequence)
{
    begin(PF_TRACE_PACKET);
    if (sequence != 0) {
        number(PF_PACKET_SEQUENCE_ID, sequence);
    }
}

/* Opens an event; close it with end_event. */
static void event(uint64_t time, uint64_t type, uint64_t track)
{
    packet(1);
    number(PF_PACKET_TIMESTAMP, time);
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, type);
    if (track != 0) {
        number(PF_EVENT_TRACK_UUID, track);
    }
}

static void end_event(void)
{
    end();
    end();
}

static void simple(uint64_t time, uint64_t type, uint64_t track, const char *name)
{
    event(time, type, track);
    if (name != NULL) {
        text(PF_EVENT_NAME, name);
    }
    end_event();
}

/* Opens a descriptor; close it with end_event. */
static void descriptor(uint64_t uuid, const char *name, uint64_t parent)
{
    packet(0);
    begin(PF_PACKET_TRACK_DESCRIPTOR);
    number(PF_TRACK_UUID, uuid);
    if (name != NULL) {
        text(PF_TRACK_NAME, name);
    }
    if (parent != 0) {
        number(PF_TRACK_PARENT_UUID, parent);
    }
}

static void track(uint64_t uuid, const char *name, uint64_t parent)
{
    descriptor(uuid, name, parent);
    end_event();
}

static void process(uint64_t uuid, uint64_t pid, const char *name)
{
    descriptor(uuid, NULL, 0);
    begin(PF_TRACK_PROCESS);
    number(PF_PROCESS_PID, pid);
    text(PF_PROCESS_NAME, name);
    end();
    end_event();
}

static void thread(uint64_t uuid, uint64_t pid, uint64_t tid, const char *name)
{
    descriptor(uuid, NULL, 0);
    begin(PF_TRACK_THREAD);
    number(PF_THREAD_PID, pid);
    number(PF_THREAD_TID, tid);
    text(PF_THREAD_NAME, name);
    end();
    end_event();
}

static void entry(uint32_t table, uint64_t iid, const char *value)
{
    begin(table);
    number(PF_INTERNED_IID, iid);
    text(PF_INTERNED_STRING, value);
    end();
}

static void interned(uint32_t table, uint64_t iid, const char *value)
{
    begin(PF_PACKET_INTERNED_DATA);
    entry(table, iid, value);
    end();
}

static void clock_value(uint64_t id, uint64_t time, uint64_t unit, bool is_incremental)
{
    begin(PF_SNAPSHOT_CLOCKS);
    number(PF_CLOCK_ID, id);
    number(PF_CLOCK_TIMESTAMP, time);
    if (unit != 0) {
        number(PF_CLOCK_UNIT_NS, unit);
    }
    if (is_incremental) {
        number(PF_CLOCK_IS_INCREMENTAL, 1);
    }
    end();
}

static void attribute(const char *key, const char *value)
{
    packet(0);
    begin(PF_PACKET_TRACE_ATTRIBUTES);
    begin(PF_ATTRIBUTES_ATTRIBUTE);
    text(PF_ATTRIBUTE_KEY, key);
    text(PF_ATTRIBUTE_STRING, value);
    end();
    end();
    end();
}

static tacho_str trace_bytes(void)
{
    assert_int_equal(made.depth, 0);
    return tacho_str_make((const char *)made.bytes, (size_t)(made.at - made.bytes));
}

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    tacho_order *order;
    char text[TEXT_MAX];
    size_t text_len;
} fixture;

static fixture first;
static fixture second;

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static tacho_status read_into(fixture *to, tacho_str input_bytes, bool holds, tacho_order_mode mode)
{
    tacho_source_options options = {.slice_count = 0};
    tacho_input input;
    assert_ok(tacho_dict_init(&to->dict));
    tacho_profile_init(&to->profile, &to->dict);
    assert_ok(tacho_order_create(&to->profile.events, mode, SPOOL_BYTES, &to->order));
    assert_ok(tacho_input_open_bytes("t.pb", input_bytes, &input));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("a/t.pb"),
        .options = &options,
        .events = tacho_order_events(to->order),
        .holds_events = holds,
    };
    tacho_status status = tacho_source_perfetto.read(&reading);
    tacho_input_close(&input);
    return status;
}

static void drop(fixture *from)
{
    tacho_order_destroy(from->order);
    tacho_profile_deinit(&from->profile);
    tacho_dict_deinit(&from->dict);
}

__attribute__((format(printf, 2, 3))) static void put(fixture *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(to->text + to->text_len, sizeof(to->text) - to->text_len, format, args);
    va_end(args);
    assert_true(len >= 0 && to->text_len + (size_t)len < sizeof(to->text));
    to->text_len += (size_t)len;
}

static void put_string(fixture *to, uint32_t string)
{
    put(to, "%.*s", TACHO_STR_ARG(tacho_dict_string(&to->dict, string)));
}

/* "thread 7 < app 3" up to the part's root, which is left out. */
static void put_track(fixture *to, uint32_t id)
{
    const tacho_track *facts = &to->dict.tracks[id];
    put_string(to, facts->name);
    if (facts->parent != TACHO_NONE && to->dict.tracks[facts->parent].parent != TACHO_NONE) {
        put(to, " < ");
        put_string(to, to->dict.tracks[facts->parent].name);
    }
}

static void put_arg(fixture *to, const tacho_arg *arg)
{
    put_string(to, arg->key);
    switch (arg->type) {
    case TACHO_ARG_INT:
        put(to, "=i%lld", (long long)arg->value.as_int);
        break;
    case TACHO_ARG_UINT:
        put(to, "=u%llu", (unsigned long long)arg->value.as_uint);
        break;
    case TACHO_ARG_REAL:
        put(to, "=r%g", arg->value.as_real);
        break;
    case TACHO_ARG_BOOL:
        put(to, "=%s", arg->value.as_bool ? "true" : "false");
        break;
    case TACHO_ARG_STRING:
        put(to, "=s'");
        put_string(to, arg->value.as_string);
        put(to, "'");
        break;
    case TACHO_ARG_TEXT:
        put(to, "=t'%.*s'", TACHO_STR_ARG(arg->value.as_text));
        break;
    case TACHO_ARG_JSON:
        put(to, "=j'%.*s'", TACHO_STR_ARG(arg->value.as_text));
        break;
    case TACHO_ARG_DICT:
        put(to, "={%llu", (unsigned long long)arg->value.as_uint);
        break;
    case TACHO_ARG_ARRAY:
        put(to, "=[%llu", (unsigned long long)arg->value.as_uint);
        break;
    }
}

static void put_span(fixture *to, size_t id)
{
    tacho_span span = tacho_profile_span(&to->profile, id);
    const tacho_site *site = &to->dict.sites[span.site];
    put_track(to, span.track);
    put(to, "|%lld|%lld|", (long long)span.start, (long long)span.end);
    put_string(to, site->name);
    put(to, "|");
    put_string(to, site->category);
    if (site->location != TACHO_NONE) {
        put(to, "@");
        put_string(to, to->dict.locations[site->location].text);
    }
    if (span.run != TACHO_NONE) {
        put(to, "|run ");
        put_string(to, to->dict.runs[span.run].name);
        put(to, "#%lld", (long long)to->dict.runs[span.run].invocation);
    }
    bool more = span.args != TACHO_NONE;
    for (size_t i = span.args; more; i++) {
        put(to, i == span.args ? "|" : " ");
        put_arg(to, &to->profile.args[i].arg);
        more = !to->profile.args[i].is_last;
    }
    put(to, "%s", (span.flags & TACHO_SPAN_INSTANT) != 0 ? "|instant" : "");
    put(to, "%s", (span.flags & TACHO_SPAN_UNENDED) != 0 ? "|unended" : "");
    put(to, "%s%s\n", (span.flags & TACHO_SPAN_ORIGIN_MASK) != 0 ? "|" : "",
        (span.flags & TACHO_SPAN_ORIGIN_MASK) != 0
            ? tacho_origin_name((tacho_origin)(span.flags & TACHO_SPAN_ORIGIN_MASK))
            : "");
}

/* By reason: which comes first depends on when events are paired. */
static int compare_losses(const void *a, const void *b)
{
    const tacho_loss *loss_a = a;
    const tacho_loss *loss_b = b;
    return loss_a->part != loss_b->part ? (loss_a->part < loss_b->part ? -1 : 1)
                                        : (int)loss_a->reason - (int)loss_b->reason;
}

static const char *render(fixture *from)
{
    const tacho_profile *profile = &from->profile;
    from->text_len = 0;
    from->text[0] = '\0';
    for (size_t i = 0; i < profile->span_count; i++) {
        put_span(from, i);
    }
    for (size_t i = 0; i < profile->sample_count; i++) {
        put_track(from, profile->samples[i].track);
        put(from, "|%lld|%g\n", (long long)profile->samples[i].time, profile->samples[i].value);
    }
    for (size_t i = 0; i < profile->flow_end_count; i++) {
        const tacho_flow_end *flow = &profile->flow_ends[i];
        put(from, "flow %llu %s ", (unsigned long long)flow->id,
            tacho_flow_phase_name(flow->phase));
        put_track(from, flow->track);
        put(from, "|%lld|%lld\n", (long long)flow->time, (long long)flow->span_end);
    }
    if (from->dict.loss_count > 1) {
        qsort(from->dict.losses, from->dict.loss_count, sizeof(tacho_loss), compare_losses);
    }
    for (size_t i = 0; i < from->dict.loss_count; i++) {
        const tacho_loss *loss = &from->dict.losses[i];
        put(from, "lost %s %llu ", tacho_loss_key(loss->reason), (unsigned long long)loss->count);
        put_string(from, loss->example);
        put(from, "\n");
    }
    for (size_t i = 0; i < from->dict.metadata_count; i++) {
        put(from, "fact ");
        put_string(from, from->dict.metadata[i].key);
        put(from, "=");
        put_string(from, from->dict.metadata[i].value);
        put(from, "\n");
    }
    return from->text;
}

/* What the file comes to; reading without holding gives the same, or finds it out of order. */
static const char *read_trace(tacho_str input_bytes, bool *out_was_in_order)
{
    assert_ok(read_into(&first, input_bytes, true, TACHO_ORDER_SORT));
    assert_ok(tacho_profile_validate(&first.profile));
    const char *result = render(&first);
    tacho_status status = read_into(&second, input_bytes, false, TACHO_ORDER_SORT);
    *out_was_in_order = status == TACHO_OK;
    if (status == TACHO_OK) {
        assert_ok(tacho_profile_validate(&second.profile));
        assert_string_equal(render(&second), result);
    } else {
        assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
        tacho_status_free(status);
    }
    drop(&first);
    drop(&second);
    return result;
}

static void check(const char *expected)
{
    bool was_in_order = false;
    assert_string_equal(read_trace(trace_bytes(), &was_in_order), expected);
    assert_true(was_in_order);
}

static void check_out_of_order(const char *expected)
{
    bool was_in_order = true;
    assert_string_equal(read_trace(trace_bytes(), &was_in_order), expected);
    assert_false(was_in_order);
}

static void check_refused(tacho_str input_bytes, const char *words)
{
    tacho_status status = read_into(&first, input_bytes, true, TACHO_ORDER_SORT);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_non_null(strstr(tacho_status_message(status), words));
    tacho_status_free(status);
    drop(&first);
}

/* ---- spans and tracks ------------------------------------------------------------------- */

static void test_nested_spans(void **state)
{
    (void)state;
    start();
    track(1, "engine", 0);
    simple(10, PF_TYPE_BEGIN, 1, "outer");
    simple(20, PF_TYPE_BEGIN, 1, "inner");
    simple(25, PF_TYPE_INSTANT, 1, "now");
    simple(30, PF_TYPE_END, 1, NULL);
    simple(30, PF_TYPE_BEGIN, 1, "empty");
    simple(30, PF_TYPE_END, 1, NULL);
    simple(40, PF_TYPE_END, 1, NULL);
    check("engine|10|40|outer|\n"
          "engine|20|30|inner|\n"
          "engine|25|25|now||instant\n"
          "engine|30|30|empty|\n");
}

static void test_unmatched(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    simple(5, PF_TYPE_END, 1, NULL);
    simple(10, PF_TYPE_BEGIN, 1, "a");
    simple(20, PF_TYPE_BEGIN, 1, "b");
    simple(30, PF_TYPE_END, 1, "c");
    track(2, "u", 0);
    simple(99, PF_TYPE_INSTANT, 2, "last");
    check("t|10|99|a||unended\n"
          "t|20|99|b||unended\n"
          "u|99|99|last||instant\n"
          "lost unmatched_end 2 byte 10\n");
}

/* What is lost does not set the part's zero. */
static void test_zero(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    descriptor(2, "c", 0);
    begin(PF_TRACK_COUNTER);
    end();
    end_event();
    simple(3, PF_TYPE_STATE, 1, NULL);
    simple(4, PF_TYPE_END, 1, NULL);
    event(5, PF_TYPE_COUNTER, 2);
    real(PF_EVENT_COUNTER_DOUBLE, (double)NAN);
    end_event();
    simple(6, PF_TYPE_BEGIN, 1, "a");
    simple(7, PF_TYPE_END, 1, NULL);
    for (int holds = 0; holds < 2; holds++) {
        assert_ok(read_into(&first, trace_bytes(), holds != 0, TACHO_ORDER_SORT));
        assert_int_equal(first.profile.span_count, 1);
        assert_int_equal(first.dict.parts[0].first_start, 6);
        drop(&first);
    }
}

static void test_named_ends(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    simple(0, PF_TYPE_BEGIN, 1, "a");
    simple(50, PF_TYPE_BEGIN, 1, "b");
    simple(100, PF_TYPE_END, 1, "a");
    simple(150, PF_TYPE_END, 1, "b");
    check("t|0|100|a|\nt|50|150|b|\n");
}

static void test_sorted_by_time_then_place(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    simple(0, PF_TYPE_BEGIN, 1, "a");
    simple(100, PF_TYPE_END, 1, NULL);
    simple(50, PF_TYPE_BEGIN, 1, "b");
    simple(150, PF_TYPE_END, 1, NULL);
    simple(50, PF_TYPE_BEGIN, 1, "c");
    simple(50, PF_TYPE_END, 1, NULL);
    /* By time: a at 0; b, c, end at 50; ends at 100 and 150. */
    check_out_of_order("t|0|150|a|\nt|50|100|b|\nt|50|50|c|\n");
}

static void test_tracks_may_come_one_by_one(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    track(2, "u", 0);
    simple(100, PF_TYPE_BEGIN, 1, "a");
    simple(200, PF_TYPE_END, 1, NULL);
    simple(10, PF_TYPE_BEGIN, 2, "b");
    simple(20, PF_TYPE_END, 2, NULL);
    check("u|10|20|b|\nt|100|200|a|\n");
}

static void test_states(void **state)
{
    (void)state;
    start();
    track(1, "t", 0);
    simple(0, PF_TYPE_STATE, 1, "idle");
    simple(10, PF_TYPE_STATE, 1, "busy");
    simple(30, PF_TYPE_STATE, 1, NULL);
    simple(40, PF_TYPE_STATE, 1, "idle");
    check("t|0|10|idle|\nt|10|30|busy|\nt|40|40|idle||unended\n");
}

static void test_processes_and_threads(void **state)
{
    (void)state;
    start();
    process(1, 7, "app");
    thread(2, 7, 9, "main");
    thread(3, 8, 8, "other");
    process(4, 4, "made up");
    track(5, "queue", 4);
    track(6, "deep", 5);
    simple(1, PF_TYPE_INSTANT, 1, "p");
    simple(2, PF_TYPE_INSTANT, 2, "t");
    simple(4, PF_TYPE_INSTANT, 5, "q");
    simple(5, PF_TYPE_INSTANT, 6, "d");
    simple(6, PF_TYPE_INSTANT, 0, "none");
    check("app 7 < app 7|1|1|p||instant\n"
          "main 9 < app 7|2|2|t||instant\n"
          "queue < made up|4|4|q||instant\n"
          "deep < queue|5|5|d||instant\n"
          "Default|6|6|none||instant\n");
    simple(7, PF_TYPE_INSTANT, 3, "o"); /* its process may still be described */
    check_out_of_order("app 7 < app 7|1|1|p||instant\n"
                       "main 9 < app 7|2|2|t||instant\n"
                       "queue < made up|4|4|q||instant\n"
                       "deep < queue|5|5|d||instant\n"
                       "Default|6|6|none||instant\n"
                       "other 8 < Process 8|7|7|o||instant\n");
}

static void test_late_and_missing_descriptors(void **state)
{
    (void)state;
    start();
    simple(1, PF_TYPE_BEGIN, 5, "a");
    simple(2, PF_TYPE_END, 5, NULL);
    simple(3, PF_TYPE_INSTANT, 6, "b");
    simple(4, PF_TYPE_INSTANT, 9, "c");
    track(5, "late", 7);
    track(5, "too late", 0);
    track(7, "above", 0);
    track(6, "orphan", 77);
    check_out_of_order("late < above|1|2|a|\n"
                       "orphan|3|3|b||instant\n"
                       "Track 9|4|4|c||instant\n");
}

static void test_loops_of_parents(void **state)
{
    (void)state;
    start();
    track(1, "a", 2);
    track(2, "b", 1);
    track(3, "self", 3);
    simple(1, PF_TYPE_INSTANT, 1, "x");
    simple(2, PF_TYPE_INSTANT, 3, "y");
    bool was_in_order = false;
    const char *result = read_trace(trace_bytes(), &was_in_order);
    assert_non_null(strstr(result, "|1|1|x||instant\n"));
    assert_non_null(strstr(result, "self|2|2|y||instant\n"));
}

static void test_equal_names(void **state)
{
    (void)state;
    start();
    track(1, "row", 0);
    track(2, "row", 0); /* shown as one */
    descriptor(3, "row", 0);
    number(PF_TRACK_MERGE_BEHAVIOR, PF_MERGE_NEVER);
    end_event();
    for (uint64_t uuid = 4; uuid < 6; uuid++) {
        descriptor(uuid, uuid == 4 ? "x" : "y", 0);
        number(PF_TRACK_MERGE_BEHAVIOR, PF_MERGE_BY_KEY);
        text(PF_TRACK_MERGE_KEY, "k");
        end_event();
    }
    for (uint64_t uuid = 1; uuid < 6; uuid++) {
        simple(uuid, PF_TYPE_INSTANT, uuid, "e");
    }
    assert_ok(read_into(&first, trace_bytes(), true, TACHO_ORDER_SORT));
    uint32_t tracks[5];
    for (size_t i = 0; i < 5; i++) {
        tracks[i] = tacho_profile_span(&first.profile, i).track;
    }
    assert_int_equal(tracks[0], tracks[1]);
    assert_int_not_equal(tracks[0], tracks[2]);
    assert_int_equal(tracks[3], tracks[4]);
    drop(&first);
}

static void test_old_descriptors(void **state)
{
    (void)state;
    start();
    packet(1);
    begin(PF_PACKET_PROCESS_DESCRIPTOR);
    number(PF_PROCESS_PID, 3);
    text(PF_PROCESS_CMDLINE, "/bin/app");
    text(PF_PROCESS_CMDLINE, "-x");
    end();
    begin(PF_PACKET_THREAD_DESCRIPTOR);
    number(PF_THREAD_PID, 3);
    number(PF_THREAD_TID, 4);
    text(PF_THREAD_NAME, "main");
    end();
    end();
    simple(1, PF_TYPE_INSTANT, 0, "e");
    check("main 4 < /bin/app 3|1|1|e||instant\n");
}

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
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER); /* the end tells */
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
    first.text_len = 0;
    for (size_t i = 0; i < first.profile.span_count; i++) {
        tacho_span span = tacho_profile_span(&first.profile, i);
        const tacho_track *found = &first.dict.tracks[span.track];
        tacho_origin own = (tacho_origin)(span.flags & TACHO_SPAN_ORIGIN_MASK);
        put(&first, "%s%s %u%s%s", i > 0 ? ", " : "", tacho_track_class_name(found->track_class),
            found->index, own != TACHO_ORIGIN_UNKNOWN ? " " : "",
            own != TACHO_ORIGIN_UNKNOWN ? tacho_origin_name(own) : "");
    }
    assert_string_equal(first.text, expected);
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

/* Groups without events say nothing, so that reading in one go finds the same. */
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

/* Names that somebody else may use, too. */
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

/* ---- sequence state --------------------------------------------------------------------- */

/* An event of sequence |id| whose name and category are numbers. */
static void numbered(uint64_t id, uint64_t flags, uint64_t time, uint64_t name)
{
    packet(id);
    number(PF_PACKET_TIMESTAMP, time);
    number(PF_PACKET_SEQUENCE_FLAGS, flags);
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, PF_TYPE_INSTANT);
    number(PF_EVENT_NAME_IID, name);
    end_event();
}

static void strings(uint64_t id, uint64_t flags, uint64_t iid, const char *name)
{
    packet(id);
    number(PF_PACKET_SEQUENCE_FLAGS, flags);
    interned(PF_INTERNED_NAMES, iid, name);
    end();
}

static void test_sequence_state(void **state)
{
    (void)state;
    start();
    strings(1, 0, 1, "too early");
    numbered(1, 2, 1, 1); /* lost: the state is not valid */
    strings(1, 1, 1, "one");
    strings(1, 2, 1, "changed"); /* the first stays */
    numbered(1, 2, 2, 1);
    strings(2, 1, 1, "second");
    numbered(2, 2, 3, 1);
    numbered(1, 2, 4, 9); /* nobody said what 9 is */
    strings(1, 1, 2, "afresh");
    numbered(1, 2, 5, 1); /* forgotten */
    numbered(1, 2, 6, 2);
    packet(1);
    number(PF_PACKET_PREVIOUS_DROPPED, 1);
    end();
    numbered(1, 2, 7, 2); /* lost */
    packet(1);
    number(PF_PACKET_STATE_CLEARED, 1);
    begin(PF_PACKET_INTERNED_DATA);
    entry(PF_INTERNED_NAMES, 1 << 30, "far");
    entry(PF_INTERNED_NAMES, 1 << 30, "far again");
    end();
    end();
    numbered(1, 2, 8, 1 << 30);
    check("Default|2|2|one||instant\n"
          "Default|3|3|second||instant\n"
          "Default|4|4|||instant\n"
          "Default|5|5|||instant\n"
          "Default|6|6|afresh||instant\n"
          "Default|8|8|far||instant\n"
          "lost unknown_state 4 byte 23\n");
}

/* Numbers far apart, and sums: both are forgotten at a fresh start, and said again. */
static void test_fresh_starts(void **state)
{
    (void)state;
    const uint64_t far = 1 << 30;
    start();
    descriptor(7, "sum", 0);
    begin(PF_TRACK_COUNTER);
    number(PF_COUNTER_IS_INCREMENTAL, 1);
    end();
    end_event();
    for (uint64_t i = 1; i <= 3; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        if (i != 2) {
            strings(1, 1, far, name);
            strings(1, 2, far, "the first stays");
        } else {
            strings(1, 1, 5, name);
        }
        strings(2, 1, far, "other");
        numbered(1, 2, 10 * i, far);
        numbered(2, 2, 10 * i + 1, far);
        for (uint64_t j = 2; j < 4; j++) {
            event(10 * i + j, PF_TYPE_COUNTER, 7);
            number(PF_EVENT_COUNTER_INT, i);
            end_event();
        }
    }
    check("Default|10|10|b||instant\nDefault|11|11|other||instant\n"
          "Default|20|20|||instant\nDefault|21|21|other||instant\n"
          "Default|30|30|d||instant\nDefault|31|31|other||instant\n"
          "sum|12|1\nsum|13|2\nsum|22|2\nsum|23|4\nsum|32|3\nsum|33|6\n"
          "lost unknown_state 1 byte 195\n");
}

static void test_categories_and_locations(void **state)
{
    (void)state;
    start();
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    interned(PF_INTERNED_CATEGORIES, 1, "gpu");
    end();
    packet(1);
    begin(PF_PACKET_INTERNED_DATA);
    begin(PF_INTERNED_SOURCE_LOCATIONS);
    number(PF_LOCATION_IID, 3);
    text(PF_LOCATION_FILE, "a.cc");
    number(PF_LOCATION_LINE, 12);
    end();
    begin(PF_INTERNED_LOG_BODIES);
    number(PF_INTERNED_IID, 4);
    text(PF_INTERNED_STRING, "hello");
    end();
    end();
    end();
    event(1, PF_TYPE_INSTANT, 0);
    text(PF_EVENT_NAME, "x");
    number(PF_EVENT_CATEGORY_IID, 1);
    text(PF_EVENT_CATEGORY, "io");
    number(PF_EVENT_SOURCE_LOCATION_IID, 3);
    begin(PF_EVENT_LOG_MESSAGE);
    number(PF_LOG_BODY_IID, 4);
    end();
    end_event();
    event(2, PF_TYPE_INSTANT, 0);
    begin(PF_EVENT_SOURCE_LOCATION);
    text(PF_LOCATION_FILE, "b.cc");
    end();
    end_event();
    check("Default|1|1|x|gpu,io@a.cc:12|log_message=s'hello'|instant\n"
          "Default|2|2||@b.cc|instant\n");
}

static void test_defaults(void **state)
{
    (void)state;
    start();
    track(5, "default", 0);
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    begin(PF_PACKET_DEFAULTS);
    begin(PF_DEFAULTS_TRACK_EVENT);
    number(PF_EVENT_TRACK_UUID, 5);
    end();
    end();
    end();
    simple(1, PF_TYPE_INSTANT, 0, "a");
    check("default|1|1|a||instant\n");
}

/* ---- arguments -------------------------------------------------------------------------- */

static void annotation(uint32_t field, const char *name)
{
    begin(field);
    if (name != NULL) {
        text(PF_ANNOTATION_NAME, name);
    }
}

static void test_arguments(void **state)
{
    (void)state;
    start();
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    interned(PF_INTERNED_STRING_VALUES, 2, "value");
    end();
    packet(1); /* what an event says itself counts for it */
    number(PF_PACKET_TIMESTAMP, 1);
    interned(PF_INTERNED_ANNOTATION_NAMES, 1, "key");
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, PF_TYPE_BEGIN);
    annotation(PF_EVENT_ANNOTATIONS, "b");
    number(PF_ANNOTATION_BOOL, 1);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "u");
    number(PF_ANNOTATION_UINT, UINT64_MAX);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "i");
    number(PF_ANNOTATION_INT, (uint64_t)-5);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "d");
    real(PF_ANNOTATION_DOUBLE, 0.5);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "p");
    number(PF_ANNOTATION_POINTER, 16);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "s");
    text(PF_ANNOTATION_STRING, "text");
    end();
    annotation(PF_EVENT_ANNOTATIONS, "j");
    text(PF_ANNOTATION_LEGACY_JSON, "{\"a\": [1]}");
    end();
    annotation(PF_EVENT_ANNOTATIONS, "k");
    text(PF_ANNOTATION_LEGACY_JSON, "{broken");
    end();
    annotation(PF_EVENT_ANNOTATIONS, "n");
    begin(PF_ANNOTATION_NESTED);
    number(PF_NESTED_INT, 7);
    end();
    end();
    annotation(PF_EVENT_ANNOTATIONS, NULL);
    number(PF_ANNOTATION_NAME_IID, 1);
    number(PF_ANNOTATION_STRING_IID, 2);
    end();
    end_event();
    event(2, PF_TYPE_END, 0);
    annotation(PF_EVENT_ANNOTATIONS, "at_end");
    number(PF_ANNOTATION_INT, 3);
    end();
    end_event();
    check("Default|1|2||"
          "|b=true u=u18446744073709551615 i=i-5 d=r0.5 p=u16 s=t'text' j=j'{\"a\": [1]}' "
          "k=t'{broken' n=i7 key=s'value' at_end=i3\n");
}

static void test_nested_arguments(void **state)
{
    (void)state;
    start();
    event(1, PF_TYPE_INSTANT, 0);
    annotation(PF_EVENT_ANNOTATIONS, NULL);
    annotation(PF_ANNOTATION_DICT_ENTRIES, "x");
    number(PF_ANNOTATION_INT, 1);
    end();
    annotation(PF_ANNOTATION_DICT_ENTRIES, "list");
    for (uint64_t i = 0; i < 2; i++) {
        annotation(PF_ANNOTATION_ARRAY_VALUES, NULL);
        number(PF_ANNOTATION_INT, i);
        end();
    }
    end();
    text(PF_ANNOTATION_NAME, "d"); /* behind what lies in it */
    end();
    annotation(PF_EVENT_ANNOTATIONS, "e");
    begin(PF_ANNOTATION_DICT_ENTRIES);
    end();
    end();
    end_event();
    check("Default|1|1|||d={4 x=i1 list=[2 =i0 =i1 e=j'{}'|instant\n");
}

static void frame(const char *function, const char *file, uint64_t line)
{
    begin(PF_CALLSTACK_FRAMES);
    if (function != NULL) {
        text(PF_FRAME_FUNCTION, function);
    }
    if (file != NULL) {
        text(PF_FRAME_FILE, file);
    }
    if (line != 0) {
        number(PF_FRAME_LINE, line);
    }
    end();
}

static void test_correlations_and_callstacks(void **state)
{
    (void)state;
    start();
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    interned(PF_INTERNED_CORRELATIONS, 3, "request 3");
    end();
    event(1, PF_TYPE_INSTANT, 0);
    number(PF_EVENT_CORRELATION_ID, 42);
    begin(PF_EVENT_CALLSTACK);
    frame("main", "a.c", 7);
    frame("f", "b.c", 0);
    frame("g", NULL, 9);
    frame(NULL, "c.c", 1);
    end();
    end_event();
    event(2, PF_TYPE_INSTANT, 0);
    text(PF_EVENT_CORRELATION_STRING, "r2");
    begin(PF_EVENT_CALLSTACK);
    end();
    end_event();
    event(3, PF_TYPE_INSTANT, 0);
    number(PF_EVENT_CORRELATION_IID, 3);
    end_event();
    event(4, PF_TYPE_INSTANT, 0);
    number(PF_EVENT_CORRELATION_IID, 4); /* nobody said what it is */
    end_event();
    event(5, PF_TYPE_INSTANT, 0);
    number(PF_EVENT_CALLSTACK_IID, 1);
    end_event();
    check("Default|1|1|||correlation_id=u42 callstack=[4 =s'main a.c:7' =s'f b.c' =s'g' "
          "=s'c.c:1'|instant\n"
          "Default|2|2|||correlation_id=t'r2' callstack=j'[]'|instant\n"
          "Default|3|3|||correlation_id=s'request 3'|instant\n"
          "Default|4|4|||instant\nDefault|5|5|||instant\n"
          "lost unknown_state 2 byte 112\n");
}

static void test_too_deep(void **state)
{
    (void)state;
    for (int depth = 16; depth <= 17; depth++) {
        start();
        packet(1);
        number(PF_PACKET_TIMESTAMP, 1);
        begin(PF_PACKET_TRACK_EVENT);
        number(PF_EVENT_TYPE, PF_TYPE_INSTANT);
        /* Nested by hand: the composer's own stack is not that deep. */
        unsigned char inner[512];
        unsigned char *at = tacho_pb_put_uint(inner, PF_ANNOTATION_INT, 1);
        for (int i = 0; i < depth; i++) {
            unsigned char outer[512];
            size_t len = (size_t)(at - inner);
            unsigned char *outer_at = tacho_pb_put_bytes(outer, PF_ANNOTATION_ARRAY_VALUES,
                                                         tacho_str_make((const char *)inner, len));
            memcpy(inner, outer, (size_t)(outer_at - outer));
            at = inner + (outer_at - outer);
        }
        bytes(PF_EVENT_ANNOTATIONS, tacho_str_make((const char *)inner, (size_t)(at - inner)));
        end_event();
        bool was_in_order = false;
        const char *result = read_trace(trace_bytes(), &was_in_order);
        assert_int_equal(strstr(result, "lost too_deep 1 byte 0\n") != NULL, depth == 17);
        assert_int_equal(strstr(result, "=i1") != NULL, depth == 16);
    }
}

/* ---- counters --------------------------------------------------------------------------- */

static void counter(uint64_t uuid, const char *name, int64_t multiplier, bool is_incremental)
{
    descriptor(uuid, name, 0);
    begin(PF_TRACK_COUNTER);
    number(PF_COUNTER_UNIT, PF_UNIT_BYTES);
    if (multiplier != 1) {
        number(PF_COUNTER_MULTIPLIER, (uint64_t)multiplier);
    }
    if (is_incremental) {
        number(PF_COUNTER_IS_INCREMENTAL, 1);
    }
    end();
    end_event();
}

static void value(uint64_t time, uint64_t uuid, int64_t amount)
{
    event(time, PF_TYPE_COUNTER, uuid);
    number(PF_EVENT_COUNTER_INT, (uint64_t)amount);
    end_event();
}

static void test_counters(void **state)
{
    (void)state;
    start();
    value(1, 1, 5); /* lost: not described yet */
    counter(1, "c", 1, false);
    counter(2, "times", 1024, false);
    counter(3, "sum", 2, true);
    track(4, "plain", 0);
    value(2, 1, -5);
    value(3, 2, 3);
    value(4, 3, 10);
    value(5, 3, -4);
    event(6, PF_TYPE_COUNTER, 1);
    real(PF_EVENT_COUNTER_DOUBLE, 0.25);
    end_event();
    value(7, 4, 1);                       /* lost: no counter */
    simple(8, PF_TYPE_INSTANT, 1, "bad"); /* lost: a counter */
    event(9, PF_TYPE_COUNTER, 1);         /* lost: no value */
    end_event();
    event(10, PF_TYPE_COUNTER, 1); /* lost: not finite */
    real(PF_EVENT_COUNTER_DOUBLE, (double)INFINITY);
    end_event();
    check("c|2|-5\ntimes|3|3072\nsum|4|20\nsum|5|12\nc|6|0.25\n"
          "lost unknown_event 1 byte 199\n"
          "lost missing_field 1 byte 217\n"
          "lost unknown_state 2 byte 0\n"
          "lost not_finite 1 byte 229\n");
}

static void test_extra_counters(void **state)
{
    (void)state;
    start();
    counter(1, "a", 1, false);
    counter(2, "b", 1, false);
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    begin(PF_PACKET_DEFAULTS);
    begin(PF_DEFAULTS_TRACK_EVENT);
    number(PF_EVENT_EXTRA_UUIDS, 1);
    number(PF_EVENT_EXTRA_UUIDS, 2);
    end();
    end();
    end();
    event(1, PF_TYPE_INSTANT, 0); /* tracks of the sequence */
    number(PF_EVENT_EXTRA_VALUES, 7);
    number(PF_EVENT_EXTRA_VALUES, 8);
    number(PF_EVENT_EXTRA_VALUES, 9); /* lost: no track for it */
    end_event();
    event(2, PF_TYPE_INSTANT, 0); /* its own, and packed */
    bytes(PF_EVENT_EXTRA_UUIDS, TACHO_STR("\x02\x01"));
    bytes(PF_EVENT_EXTRA_VALUES, TACHO_STR("\x0a\x0b"));
    number(PF_EVENT_EXTRA_DOUBLE_UUIDS, 1);
    real(PF_EVENT_EXTRA_DOUBLE_VALUES, 1.5);
    end_event();
    bool was_in_order = false;
    assert_string_equal(read_trace(trace_bytes(), &was_in_order),
                        "Default|1|1|||instant\nDefault|2|2|||instant\n"
                        "a|1|7\nb|1|8\na|2|1.5\na|2|11\nb|2|10\n"
                        "lost unknown_state 1 byte 45\n");
}

/* ---- flows ------------------------------------------------------------------------------ */

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

/* ---- GPUs ------------------------------------------------------------------------------- */

/* Opens a stage event; close it with end_event. */
static void gpu_stage(uint64_t time, uint64_t id, uint64_t duration)
{
    packet(1);
    number(PF_PACKET_TIMESTAMP, time);
    begin(PF_PACKET_GPU_STAGE);
    if (id != 0) {
        number(PF_STAGE_EVENT_ID, id);
    }
    if (duration != 0) {
        number(PF_STAGE_DURATION, duration);
    }
}

static void gpu_names(void)
{
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    begin(PF_PACKET_INTERNED_DATA);
    entry(PF_INTERNED_GPU_SPECS, 1, "compute 0");
    entry(PF_INTERNED_GPU_SPECS, 2, "kernel");
    entry(PF_INTERNED_NAMES, 3, "gemm");
    entry(PF_INTERNED_KERNELS, 4, "_Z4gemm");
    begin(PF_INTERNED_GRAPHICS_CONTEXTS);
    number(PF_CONTEXT_IID, 77);
    number(PF_CONTEXT_PID, 12);
    number(PF_CONTEXT_API, 4);
    end();
    end();
    end();
}

static void test_gpu_stages(void **state)
{
    (void)state;
    start();
    gpu_names();
    gpu_stage(10, 1, 100);
    number(PF_STAGE_QUEUE_IID, 1);
    number(PF_STAGE_STAGE_IID, 2);
    end_event();
    gpu_stage(50, 2, 100); /* overlaps the first */
    number(PF_STAGE_WAIT_IDS, 1);
    number(PF_STAGE_QUEUE_IID, 1);
    number(PF_STAGE_WAIT_IDS, 9);
    number(PF_STAGE_NAME_IID, 3);
    number(PF_STAGE_STAGE_IID, 2);
    number(PF_STAGE_CONTEXT, 77);
    number(PF_STAGE_KERNEL_IID, 4);
    begin(PF_STAGE_EXTRA_DATA);
    text(PF_EXTRA_DATA_NAME, "shader");
    text(PF_EXTRA_DATA_VALUE, "s1");
    end();
    begin(PF_STAGE_LAUNCH);
    begin(PF_LAUNCH_GRID);
    number(1, 8);
    number(2, 2);
    end();
    end();
    end_event();
    gpu_stage(60, 3, 0);
    number(PF_STAGE_GPU_ID, 1);
    text(PF_STAGE_NAME, "mark");
    number(PF_STAGE_CONTEXT, 5);
    end_event();
    gpu_stage(70, 0, 5); /* lost: no number */
    end_event();
    gpu_stage(80, 4, 5);
    number(PF_STAGE_OLD_QUEUE_ID, 2);
    number(PF_STAGE_STAGE_IID, 99); /* nobody said what it is */
    end_event();
    gpu_stage(90, 0, 0); /* not read: names in the old form */
    begin(PF_STAGE_OLD_SPECIFICATIONS);
    end();
    end_event();
    gpu_stage(95, 5, UINT64_MAX); /* lost: too long */
    end_event();
    check("compute 0 < GPU 0|10|110|kernel||event_id=u1\n"
          "compute 0 < GPU 0|50|150|gemm||event_id=u2 pid=u12 api=s'CUDA' kernel=s'_Z4gemm' "
          "shader=t's1' grid=s'8x2x1' waits_for=[2 =u1 =u9 stage=s'kernel'\n"
          "Unknown queue < GPU 1|60|60|mark||event_id=u3 context=u5|instant\n"
          "Queue 2 < GPU 0|80|85|||event_id=u4\n"
          "lost time_overflow 1 byte 202\nlost unknown_event 1 byte 191\n"
          "lost missing_field 1 byte 163\nlost unknown_state 1 byte 174\n");
}

static void test_gpu_queues(void **state)
{
    (void)state;
    start();
    gpu_names();
    gpu_stage(10, 1, 5);
    number(PF_STAGE_QUEUE_IID, 1);
    end_event();
    assert_ok(read_into(&first, trace_bytes(), false, TACHO_ORDER_PASS));
    assert_int_equal(first.profile.span_count, 1);
    const tacho_track *queue = &first.dict.tracks[tacho_profile_span(&first.profile, 0).track];
    assert_int_equal(queue->track_class, TACHO_TRACK_COMPUTE);
    assert_int_equal(queue->nesting, TACHO_NESTING_ENGINE);
    assert_int_equal(first.dict.tracks[queue->parent].track_class, TACHO_TRACK_GROUP);
    drop(&first);
}

/* Opens counters of a GPU; close them with end_event. */
static void gpu_counters(uint64_t time, uint64_t gpu)
{
    packet(1);
    number(PF_PACKET_TIMESTAMP, time);
    begin(PF_PACKET_GPU_COUNTERS);
    number(PF_GPU_COUNTERS_GPU_ID, gpu);
}

static void gpu_value(uint64_t id, double value)
{
    begin(PF_GPU_COUNTERS_COUNTERS);
    number(PF_GPU_COUNTER_ID, id);
    real(PF_GPU_COUNTER_DOUBLE, value);
    end();
}

static void test_gpu_counters(void **state)
{
    (void)state;
    start();
    gpu_counters(1, 2);
    gpu_value(7, 0.5); /* what it is stands behind it */
    begin(PF_GPU_COUNTERS_DESCRIPTOR);
    begin(PF_GPU_DESCRIPTOR_SPECS);
    number(PF_GPU_SPEC_COUNTER_ID, 7);
    text(PF_GPU_SPEC_NAME, "busy");
    end();
    end();
    end_event();
    gpu_counters(2, 2);
    begin(PF_GPU_COUNTERS_COUNTERS);
    number(PF_GPU_COUNTER_ID, 7);
    number(PF_GPU_COUNTER_INT, (uint64_t)-3);
    end();
    gpu_value(8, 1); /* lost: nobody said what it is */
    end_event();
    gpu_counters(3, 1);
    gpu_value(7, 1); /* lost: another GPU's */
    end_event();
    gpu_counters(4, 2);
    number(PF_GPU_COUNTERS_IID, 1); /* not read */
    gpu_value(7, 1);
    end_event();
    gpu_counters(5, 2);
    begin(PF_GPU_COUNTERS_COUNTERS); /* lost: no value */
    number(PF_GPU_COUNTER_ID, 7);
    end();
    end_event();
    check("busy < GPU 2|1|0.5\nbusy < GPU 2|2|-3\n"
          "lost unknown_event 1 byte 99\nlost missing_field 1 byte 125\n"
          "lost unknown_state 2 byte 36\n");
}

/* ---- clocks ----------------------------------------------------------------------------- */

static void timed(uint64_t sequence, uint64_t clock, uint64_t time)
{
    packet(sequence);
    number(PF_PACKET_TIMESTAMP, time);
    if (clock != 0) {
        number(PF_PACKET_CLOCK_ID, clock);
    }
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, PF_TYPE_INSTANT);
    end_event();
}

static void test_clocks(void **state)
{
    (void)state;
    start();
    timed(1, 0, 5);
    timed(1, PF_CLOCK_BOOTTIME, 6);
    timed(1, 3, 7); /* the snapshot comes later */
    timed(1, 4, 7); /* lost: nothing relates it */
    packet(1);
    begin(PF_PACKET_CLOCK_SNAPSHOT);
    clock_value(PF_CLOCK_BOOTTIME, 1000, 0, false);
    clock_value(3, 100, 0, false);
    end();
    end();
    timed(1, 3, 110);
    timed(1, 3, 90);
    packet(1);
    begin(PF_PACKET_CLOCK_SNAPSHOT);
    clock_value(PF_CLOCK_BOOTTIME, 3000, 0, false);
    clock_value(3, 2000, 0, false);
    end();
    end();
    timed(1, 3, 1999); /* before the second: by the first */
    timed(1, 3, 2001);
    packet(1);
    begin(PF_PACKET_CLOCK_SNAPSHOT);
    clock_value(3, 2000, 0, false);
    clock_value(200, 7, 0, false);
    end();
    end();
    timed(1, 200, 8); /* through clock 3 */
    check_out_of_order("Default|5|5|||instant\nDefault|6|6|||instant\nDefault|907|907|||"
                       "instant\nDefault|990|990|||instant\n"
                       "Default|1010|1010|||instant\nDefault|2899|2899|||instant\n"
                       "Default|3001|3001|||instant\nDefault|3001|3001|||instant\n"
                       "lost unknown_clock 1 byte 36\n");
}

/* What a clock was ahead by ends with the next snapshot, though nothing said so before. */
static void test_later_snapshot(void **state)
{
    (void)state;
    start();
    for (uint64_t i = 1; i <= 3; i++) {
        packet(1);
        begin(PF_PACKET_CLOCK_SNAPSHOT);
        clock_value(PF_CLOCK_BOOTTIME, 1000 * i, 0, false);
        clock_value(3, 100 * i, 0, false);
        end();
        end();
        timed(1, 3, 100 * i + 1);
        timed(1, 3, 100 * i + 2);
    }
    check("Default|1001|1001|||instant\nDefault|1002|1002|||instant\n"
          "Default|2001|2001|||instant\nDefault|2002|2002|||instant\n"
          "Default|3001|3001|||instant\nDefault|3002|3002|||instant\n");
}

static void test_private_clocks(void **state)
{
    (void)state;
    start();
    for (uint64_t sequence = 1; sequence <= 2; sequence++) {
        packet(sequence);
        number(PF_PACKET_SEQUENCE_FLAGS, 1);
        begin(PF_PACKET_DEFAULTS);
        number(PF_DEFAULTS_CLOCK_ID, 64);
        end();
        begin(PF_PACKET_CLOCK_SNAPSHOT);
        clock_value(PF_CLOCK_BOOTTIME, 1000 * sequence, 0, false);
        clock_value(64, 10, 5, true);
        end();
        end();
    }
    timed(1, 0, 2);            /* 1000 + 10 */
    timed(2, 0, 3);            /* 2000 + 15 */
    timed(1, 0, 1);            /* 1000 + 15 */
    timed(1, 0, (uint64_t)-1); /* back again */
    packet(1);
    number(PF_PACKET_TIMESTAMP, 100); /* no event, but time goes on */
    end();
    timed(1, 0, 0);
    timed(1, PF_CLOCK_BOOTTIME, 42);
    timed(3, 64, 1); /* lost: another sequence's */
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    end();
    timed(1, 64, 1); /* lost: the clock starts afresh */
    check("Default|42|42|||instant\nDefault|1010|1010|||instant\nDefault|1010|1010|||instant\n"
          "Default|1015|1015|||instant\nDefault|1510|1510|||instant\n"
          "Default|2015|2015|||instant\n"
          "lost unknown_clock 2 byte 140\n");
}

static void test_primary_clock(void **state)
{
    (void)state;
    start();
    packet(1);
    begin(PF_PACKET_CLOCK_SNAPSHOT);
    clock_value(PF_CLOCK_BOOTTIME, 1000, 0, false);
    clock_value(3, 100, 0, false);
    number(PF_SNAPSHOT_PRIMARY, 3);
    end();
    end();
    timed(1, PF_CLOCK_BOOTTIME, 1010);
    timed(1, 3, 120);
    timed(1, PF_CLOCK_BOOTTIME, 10); /* lost: before zero */
    timed(1, 0, 1ULL << 63);         /* lost: too large */
    event(7, PF_TYPE_INSTANT, 0);
    end_event();
    packet(1); /* lost: no time */
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, PF_TYPE_INSTANT);
    end_event();
    check("Default|7|7|||instant\nDefault|110|110|||instant\nDefault|120|120|||instant\n"
          "lost negative_time 1 byte 48\nlost time_overflow 1 byte 61\n"
          "lost missing_field 1 byte 90\n");
}

/* ---- the container ---------------------------------------------------------------------- */

/* A trace of |count| instants at 1, 2, 3 ... */
static void instants(uint64_t from, uint64_t count)
{
    for (uint64_t i = from; i < from + count; i++) {
        simple(i, PF_TYPE_INSTANT, 0, NULL);
    }
}

static void test_unknown_fields(void **state)
{
    (void)state;
    start();
    number(15, 7);
    text(2, "not a packet");
    instants(1, 1);
    packet(0); /* an empty one */
    end();
    packet(0); /* of another kind */
    text(999, "memory");
    end();
    instants(2, 1);
    check("Default|1|1|||instant\nDefault|2|2|||instant\n"
          "fact perfetto.other_packets=1\n");
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    start();
    instants(1, 3);
    size_t len = trace_bytes().len;
    size_t packet_len = len / 3;
    for (size_t cut = packet_len; cut <= len; cut++) {
        bool was_in_order = false;
        const char *result =
            read_trace(tacho_str_make((const char *)made.bytes, cut), &was_in_order);
        char expected[256] = "";
        for (size_t i = 1; i <= cut / packet_len; i++) {
            snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
                     "Default|%zu|%zu|||instant\n", i, i);
        }
        if (cut % packet_len != 0) {
            snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
                     "lost cut_input 1 byte %zu\n", cut / packet_len * packet_len);
        }
        assert_string_equal(result, expected);
    }
    check_refused(tacho_str_make((const char *)made.bytes, packet_len - 1), "no track event");
    check_refused(TACHO_STR(""), "no track event");
}

static void test_malformed_packets(void **state)
{
    (void)state;
    start();
    instants(1, 1);
    bytes(PF_TRACE_PACKET, TACHO_STR("\x0b\x0b\x0b"));
    packet(1);
    number(PF_PACKET_TIMESTAMP, 2);
    bytes(PF_PACKET_TRACK_EVENT, TACHO_STR("\x48\x03\x22\x7f"));
    end();
    instants(3, 1);
    check("Default|1|1|||instant\nDefault|3|3|||instant\nlost cut_input 2 byte 10\n");
}

static void test_resynchronization(void **state)
{
    (void)state;
    start();
    instants(1, 1);
    memcpy(made.at, "\x0f\x0f garbage", 10); /* no field begins so */
    made.at += 10;
    packet(1);
    bytes(PF_PACKET_SYNC_MARKER,
          TACHO_STR("\x82\x47\x7a\x76\xb2\x8d\x42\xba\x81\xdc\x33\x32\x6d\x57\xa0\x79"));
    end();
    instants(2, 1);
    memcpy(made.at, "\x0f\x0f garbage", 10);
    made.at += 10;
    instants(3, 1); /* without a marker all is lost */
    check("Default|1|1|||instant\nDefault|2|2|||instant\nlost cut_input 2 byte 10\n");
}

/* A packet that holds, compressed, a packet that holds |inner|. */
static void compress_packet(uint32_t field, tacho_str inner, bool is_zstd)
{
    unsigned char plain[1024];
    unsigned char packed[2048];
    unsigned char *body = tacho_pb_open(plain, PF_TRACE_PACKET);
    unsigned char *at = tacho_pb_close(body, tacho_pb_put_bytes(body, field, inner));
    uLongf len = sizeof(packed);
    if (is_zstd) {
        len = ZSTD_compress(packed, sizeof(packed), plain, (size_t)(at - plain), 3);
    } else {
        assert_int_equal(compress(packed, &len, plain, (uLong)(at - plain)), Z_OK);
    }
    packet(0);
    bytes(field, tacho_str_make((const char *)packed, len));
    end();
}

static void test_compressed_packets(void **state)
{
    (void)state;
    for (int is_zstd = 0; is_zstd < 2; is_zstd++) {
        unsigned char packed[1024];
        size_t packed_len = 0;
        start();
        instants(2, 2);
        if (is_zstd != 0) {
            packed_len = ZSTD_compress(packed, sizeof(packed), made.bytes, trace_bytes().len, 3);
        } else {
            uLongf len = sizeof(packed);
            assert_int_equal(compress(packed, &len, made.bytes, trace_bytes().len), Z_OK);
            packed_len = len;
        }
        tacho_str whole = tacho_str_make((const char *)packed, packed_len);
        uint32_t field = is_zstd != 0 ? PF_PACKET_ZSTD : PF_PACKET_ZLIB;
        start();
        instants(1, 1);
        packet(0);
        bytes(field, whole);
        end();
        instants(4, 1);
        check("Default|1|1|||instant\nDefault|2|2|||instant\nDefault|3|3|||instant\n"
              "Default|4|4|||instant\n");
        char expected[256];
        snprintf(expected, sizeof(expected),
                 "Default|1|1|||instant\nDefault|2|2|||instant\nDefault|3|3|||instant\n"
                 "Default|4|4|||instant\nDefault|5|5|||instant\nlost cut_input 1 byte %zu\n",
                 trace_bytes().len);
        packet(0); /* cut: no packet comes out of so little */
        bytes(field, tacho_str_make((const char *)packed, 4));
        end();
        instants(5, 1);
        check(expected);
        start(); /* compressed twice: not read */
        instants(1, 1);
        snprintf(expected, sizeof(expected),
                 "Default|1|1|||instant\nlost unknown_event 1 byte %zu\n", trace_bytes().len);
        compress_packet(field, whole, is_zstd != 0);
        check(expected);
    }
}

static void test_legacy_events(void **state)
{
    (void)state;
    static const char phases[] = "XBEb";
    start();
    for (uint64_t i = 0; i < 4; i++) {
        event(10 * (i + 1), 0, 0);
        begin(PF_EVENT_LEGACY);
        number(PF_LEGACY_PHASE, (uint64_t)phases[i]);
        number(PF_LEGACY_DURATION_US, 3);
        end();
        end_event();
    }
    bool was_in_order = false;
    assert_string_equal(read_trace(trace_bytes(), &was_in_order),
                        "Default|10|3010||\nDefault|20|30||\n"
                        "lost unknown_event 1 byte 48\n");
}

/* ---- probes ----------------------------------------------------------------------------- */

static void test_probe(void **state)
{
    (void)state;
    start();
    instants(1, 3);
    assert_int_equal(tacho_source_perfetto.probe(trace_bytes()), TACHO_PROBE_SURE);
    assert_int_equal(tacho_source_perfetto.probe(TACHO_STR("")), TACHO_PROBE_NO);
    assert_int_equal(tacho_source_perfetto.probe(TACHO_STR("\nab\n")), TACHO_PROBE_NO);
    assert_int_equal(
        tacho_source_perfetto.probe(TACHO_STR("\n{\"traceEvents\": [{\"name\": \"a\", \"ph\": "
                                              "\"X\", \"ts\": 1, \"dur\": 2, \"pid\": 1, \"tid\": "
                                              "1, \"args\": {\"a long one\": \"and a text\"}}, "
                                              "{\"name\": \"b\"}]}\n")),
        TACHO_PROBE_NO);
}

/* ---- what tacho wrote ------------------------------------------------------------------- */

static void own_part(int part, const char *name, const char *clock)
{
    char key[64];
    snprintf(key, sizeof(key), "tacho.part.%d.name", part);
    attribute(key, name);
    snprintf(key, sizeof(key), "tacho.part.%d.origin", part);
    attribute(key, "estimated");
    snprintf(key, sizeof(key), "tacho.part.%d.clock", part);
    attribute(key, clock);
}

static void own_track(uint64_t uuid, const char *name, uint64_t parent, const char *facts)
{
    descriptor(uuid, name, parent);
    text(PF_TRACK_DESCRIPTION, facts);
    end_event();
}

/* A trace of two parts with all that our own sink adds. */
static void compose_own(void)
{
    start();
    attribute("tacho.about", "words");
    own_part(1, "x.csv", "cycles: 1 tick = 5/4 ns (assumed), 0 ns = tick 100");
    own_track(1, "x.csv (estimated)", 0, "tacho: group 0 stack root");
    own_track(2, "Slice 1", 1, "tacho: compute 1 engine");
    own_track(3, "Slice 1", 1, "tacho: compute 1 engine lane of 2");
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    interned(PF_INTERNED_STRING_VALUES, 1, "loc(\"a.mlir\":3:4)");
    end();
    packet(1);
    interned(PF_INTERNED_STRING_VALUES, 2, "main");
    end();
    event(1, PF_TYPE_BEGIN, 3); /* ceil(1 * 4 / 5) + 100 */
    annotation(PF_EVENT_ANNOTATIONS, "location");
    number(PF_ANNOTATION_STRING_IID, 1);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "cycles"); /* the user's own */
    number(PF_ANNOTATION_UINT, 99);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "cycles");
    number(PF_ANNOTATION_UINT, 3);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "run");
    number(PF_ANNOTATION_STRING_IID, 2);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "invocation");
    number(PF_ANNOTATION_UINT, 4);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "origin");
    text(PF_ANNOTATION_STRING, "measured");
    end();
    annotation(PF_EVENT_ANNOTATIONS, "unended");
    number(PF_ANNOTATION_BOOL, 1);
    end();
    end_event();
    simple(6, PF_TYPE_END, 3, NULL); /* tick 105, but the cycles know better */
    own_part(2, "y.csv", "microseconds: 1 tick = 1000/1 ns, 0 ns = tick 7");
    own_track(4, "y.csv (measured)", 0, "tacho: group 0 stack root");
    simple(0, PF_TYPE_BEGIN, 4, "z");
    simple(2000, PF_TYPE_END, 4, NULL);
    attribute("tacho.lost.total", "0");
}

static void test_own_parts(void **state)
{
    (void)state;
    compose_own();
    bool was_in_order = false;
    assert_string_equal(
        read_trace(trace_bytes(), &was_in_order),
        "Slice 1|101|104||@loc(\"a.mlir\":3:4)|run main#4|cycles=u99|unended|measured\n"
        "y.csv|7|9|z|\nfact from.lost.total=0\n");
}

/* Two files of our own, one behind the other: their numbers mean different tracks. */
static void test_own_files_put_together(void **state)
{
    (void)state;
    start();
    for (int file = 0; file < 2; file++) {
        attribute("tacho.about", "words");
        own_part(1, "x.csv", "ns: 1 tick = 1/1 ns, 0 ns = tick 0");
        own_track(1, "x.csv (estimated)", 0, "tacho: group 0 stack root");
        own_track(2, file == 0 ? "first" : "second", 1, "tacho: compute 1 engine");
        simple(10, PF_TYPE_BEGIN, 2, "e");
        simple(20, PF_TYPE_END, 2, NULL);
    }
    check("first|10|20|e|\nsecond|10|20|e|\n");
}

static void test_attributes(void **state)
{
    (void)state;
    start();
    attribute("device", "npu");
    attribute("tacho.from.version", "1");
    attribute("tacho.version", "2");
    attribute("tacho.perfetto.device", "old");
    packet(0);
    begin(PF_PACKET_TRACE_ATTRIBUTES);
    begin(PF_ATTRIBUTES_ATTRIBUTE);
    text(PF_ATTRIBUTE_KEY, "cores");
    number(PF_ATTRIBUTE_LONG, (uint64_t)-4);
    end();
    end();
    end();
    instants(1, 1);
    check("Default|1|1|||instant\nfact perfetto.device=npu\nfact from.version=1\n"
          "fact from.version=2\nfact perfetto.device=old\nfact perfetto.cores=-4\n");
}

/* ---- damage ----------------------------------------------------------------------------- */

/* Reads damaged bytes both ways: each gives a valid profile, or bad data. */
static void read_damaged(tacho_str input_bytes)
{
    for (int holds = 0; holds < 2; holds++) {
        tacho_status status = read_into(&first, input_bytes, holds != 0, TACHO_ORDER_SORT);
        tacho_code code = tacho_status_code(status);
        assert_true(code == TACHO_CODE_OK || code == TACHO_CODE_BAD_DATA ||
                    (holds == 0 && code == TACHO_CODE_OUT_OF_ORDER));
        if (status == TACHO_OK) {
            assert_ok(tacho_profile_validate(&first.profile));
        }
        tacho_status_free(status);
        drop(&first);
    }
}

static void test_own_cut_anywhere(void **state)
{
    (void)state;
    compose_own();
    size_t len = trace_bytes().len;
    for (size_t cut = 0; cut <= len; cut++) {
        read_damaged(tacho_str_make((const char *)made.bytes, cut));
    }
}

static void test_flipped_bits(void **state)
{
    (void)state;
    enum { FLIPS = 20000 };
    uint64_t random = 88172645463325252U;
    compose_own();
    size_t len = trace_bytes().len;
    for (int i = 0; i < FLIPS; i++) {
        unsigned char kept[3];
        size_t places[3];
        for (size_t k = 0; k < 3; k++) { /* one to three bits, the last ones put back first */
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            places[k] = (size_t)(random >> 8) % len;
            kept[k] = made.bytes[places[k]];
            if (k <= random % 3) {
                made.bytes[places[k]] ^= (unsigned char)(1U << (random >> 61));
            }
        }
        read_damaged(trace_bytes());
        for (size_t k = 3; k-- > 0;) {
            made.bytes[places[k]] = kept[k];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_spans),
        cmocka_unit_test(test_unmatched),
        cmocka_unit_test(test_zero),
        cmocka_unit_test(test_named_ends),
        cmocka_unit_test(test_sorted_by_time_then_place),
        cmocka_unit_test(test_tracks_may_come_one_by_one),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_processes_and_threads),
        cmocka_unit_test(test_late_and_missing_descriptors),
        cmocka_unit_test(test_loops_of_parents),
        cmocka_unit_test(test_equal_names),
        cmocka_unit_test(test_old_descriptors),
        cmocka_unit_test(test_vendor_tracks),
        cmocka_unit_test(test_vendor_estimate),
        cmocka_unit_test(test_vendor_empty_groups),
        cmocka_unit_test(test_vendor_old_estimates),
        cmocka_unit_test(test_vendor_old_runs),
        cmocka_unit_test(test_vendor_old_chance),
        cmocka_unit_test(test_sequence_state),
        cmocka_unit_test(test_fresh_starts),
        cmocka_unit_test(test_categories_and_locations),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_nested_arguments),
        cmocka_unit_test(test_correlations_and_callstacks),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_extra_counters),
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_flow_ids_again),
        cmocka_unit_test(test_flows_by_time),
        cmocka_unit_test(test_gpu_stages),
        cmocka_unit_test(test_gpu_queues),
        cmocka_unit_test(test_gpu_counters),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_later_snapshot),
        cmocka_unit_test(test_private_clocks),
        cmocka_unit_test(test_primary_clock),
        cmocka_unit_test(test_unknown_fields),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_malformed_packets),
        cmocka_unit_test(test_resynchronization),
        cmocka_unit_test(test_compressed_packets),
        cmocka_unit_test(test_legacy_events),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_own_parts),
        cmocka_unit_test(test_own_files_put_together),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_own_cut_anywhere),
        cmocka_unit_test(test_flipped_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
