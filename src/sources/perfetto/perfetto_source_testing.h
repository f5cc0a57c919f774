/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test helpers for the Perfetto source: traces are composed packet by packet. Every trace is read
 * with its events held, and once more without where that is possible: both must give the same
 * profile. The result is compared as text. Include it after <cmocka.h>.
 *
 *     engine < group|10|40|name|category@location|run main#2|a=i1|unended
 *     counter|10|0.5
 *     flow 1 leaves engine|10|40
 *     lost cut_input 1 byte 10
 *     fact perfetto.device=npu
 */
#ifndef TACHO_SOURCES_PERFETTO_PERFETTO_SOURCE_TESTING_H
#define TACHO_SOURCES_PERFETTO_PERFETTO_SOURCE_TESTING_H

#include "base/text_testing.h"
#include "codec/perfetto_fields.h"
#include "codec/protobuf.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "sources/perfetto/perfetto.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- composing -------------------------------------------------------------------------- */

enum { TRACE_MAX = 1 << 20, SPOOL_BYTES = 1 << 12 };

typedef struct trace {
    unsigned char bytes[TRACE_MAX];
    unsigned char *at;
    unsigned char *open[16];
    size_t depth;
} trace;

static trace made; /* one at a time */

static inline void start(void)
{
    made.at = made.bytes;
    made.depth = 0;
}

static inline void begin(uint32_t field)
{
    made.at = tacho_pb_open(made.at, field);
    made.open[made.depth++] = made.at;
}

static inline void end(void)
{
    made.depth--;
    made.at = tacho_pb_close(made.open[made.depth], made.at);
}

static inline void number(uint32_t field, uint64_t value)
{
    made.at = tacho_pb_put_uint(made.at, field, value);
}

static inline void fixed(uint32_t field, uint64_t value)
{
    made.at = tacho_pb_put_fixed64(made.at, field, value);
}

static inline void real(uint32_t field, double value)
{
    made.at = tacho_pb_put_double(made.at, field, value);
}

static inline void text(uint32_t field, const char *value)
{
    made.at = tacho_pb_put_bytes(made.at, field, tacho_str_from_cstring(value));
}

static inline void bytes(uint32_t field, tacho_str value)
{
    made.at = tacho_pb_put_bytes(made.at, field, value);
}

static inline void packet(uint64_t sequence)
{
    begin(PF_TRACE_PACKET);
    if (sequence != 0) {
        number(PF_PACKET_SEQUENCE_ID, sequence);
    }
}

/* Opens an event; close it with end_event. */
static inline void event(uint64_t time, uint64_t type, uint64_t track)
{
    packet(1);
    number(PF_PACKET_TIMESTAMP, time);
    begin(PF_PACKET_TRACK_EVENT);
    number(PF_EVENT_TYPE, type);
    if (track != 0) {
        number(PF_EVENT_TRACK_UUID, track);
    }
}

static inline void end_event(void)
{
    end();
    end();
}

static inline void simple(uint64_t time, uint64_t type, uint64_t track, const char *name)
{
    event(time, type, track);
    if (name != NULL) {
        text(PF_EVENT_NAME, name);
    }
    end_event();
}

/* A trace of |count| instants at 1, 2, 3 ... */
static inline void instants(uint64_t from, uint64_t count)
{
    for (uint64_t i = from; i < from + count; i++) {
        simple(i, PF_TYPE_INSTANT, 0, NULL);
    }
}

/* Opens a descriptor; close it with end_event. */
static inline void descriptor(uint64_t uuid, const char *name, uint64_t parent)
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

static inline void track(uint64_t uuid, const char *name, uint64_t parent)
{
    descriptor(uuid, name, parent);
    end_event();
}

static inline void process(uint64_t uuid, uint64_t pid, const char *name)
{
    descriptor(uuid, NULL, 0);
    begin(PF_TRACK_PROCESS);
    number(PF_PROCESS_PID, pid);
    text(PF_PROCESS_NAME, name);
    end();
    end_event();
}

static inline void thread(uint64_t uuid, uint64_t pid, uint64_t tid, const char *name)
{
    descriptor(uuid, NULL, 0);
    begin(PF_TRACK_THREAD);
    number(PF_THREAD_PID, pid);
    number(PF_THREAD_TID, tid);
    text(PF_THREAD_NAME, name);
    end();
    end_event();
}

static inline void entry(uint32_t table, uint64_t iid, const char *value)
{
    begin(table);
    number(PF_INTERNED_IID, iid);
    text(PF_INTERNED_STRING, value);
    end();
}

static inline void interned(uint32_t table, uint64_t iid, const char *value)
{
    begin(PF_PACKET_INTERNED_DATA);
    entry(table, iid, value);
    end();
}

static inline void annotation(uint32_t field, const char *name)
{
    begin(field);
    if (name != NULL) {
        text(PF_ANNOTATION_NAME, name);
    }
}

static inline void clock_value(uint64_t id, uint64_t time, uint64_t unit, bool is_incremental)
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

static inline void attribute(const char *key, const char *value)
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

static inline tacho_str trace_bytes(void)
{
    assert_int_equal(made.depth, 0);
    return tacho_str_make((const char *)made.bytes, (size_t)(made.at - made.bytes));
}

/* Readers of other messages define it ahead of this file. */
#ifndef TESTED_SOURCE
#define TESTED_SOURCE tacho_source_perfetto
#endif

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct fixture {
    tacho_dict dict;
    tacho_profile profile;
    tacho_order *order;
    test_text text;
} fixture;

static fixture first;
static fixture second;

static inline tacho_status read_into(fixture *to, tacho_str input_bytes, bool holds,
                                     tacho_order_mode mode)
{
    tacho_source_options options = {.choice_count = 0};
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
    tacho_status status = TESTED_SOURCE.read(&reading);
    tacho_input_close(&input);
    return status;
}

static inline void drop(fixture *from)
{
    tacho_order_destroy(from->order);
    tacho_profile_deinit(&from->profile);
    tacho_dict_deinit(&from->dict);
}

static inline void put_string(fixture *to, uint32_t string)
{
    put(&to->text, "%.*s", TACHO_STR_ARG(tacho_dict_string(&to->dict, string)));
}

/* "thread 7 < app 3" up to the part's root, which is left out. */
static inline void put_track(fixture *to, uint32_t id)
{
    const tacho_track *facts = &to->dict.tracks[id];
    put_string(to, facts->name);
    if (facts->parent != TACHO_NONE && to->dict.tracks[facts->parent].parent != TACHO_NONE) {
        put(&to->text, " < ");
        put_string(to, to->dict.tracks[facts->parent].name);
    }
}

static inline void put_arg(fixture *to, const tacho_arg *arg)
{
    put_string(to, arg->key);
    switch (arg->type) {
    case TACHO_ARG_INT:
        put(&to->text, "=i%lld", (long long)arg->value.as_int);
        break;
    case TACHO_ARG_UINT:
        put(&to->text, "=u%llu", (unsigned long long)arg->value.as_uint);
        break;
    case TACHO_ARG_REAL:
        put(&to->text, "=r%g", arg->value.as_real);
        break;
    case TACHO_ARG_BOOL:
        put(&to->text, "=%s", arg->value.as_bool ? "true" : "false");
        break;
    case TACHO_ARG_STRING:
        put(&to->text, "=s'");
        put_string(to, arg->value.as_string);
        put(&to->text, "'");
        break;
    case TACHO_ARG_TEXT:
        put(&to->text, "=t'%.*s'", TACHO_STR_ARG(arg->value.as_text));
        break;
    case TACHO_ARG_JSON:
        put(&to->text, "=j'%.*s'", TACHO_STR_ARG(arg->value.as_text));
        break;
    case TACHO_ARG_DICT:
        put(&to->text, "={%llu", (unsigned long long)arg->value.as_uint);
        break;
    case TACHO_ARG_ARRAY:
        put(&to->text, "=[%llu", (unsigned long long)arg->value.as_uint);
        break;
    }
}

static inline void put_span(fixture *to, size_t id)
{
    tacho_span span = tacho_profile_span(&to->profile, id);
    const tacho_site *site = &to->dict.sites[span.site];
    put_track(to, span.track);
    put(&to->text, "|%lld|%lld|", (long long)span.start, (long long)span.end);
    put_string(to, site->name);
    put(&to->text, "|");
    put_string(to, site->category);
    if (site->location != TACHO_NONE) {
        put(&to->text, "@");
        put_string(to, to->dict.locations[site->location].text);
    }
    if (span.run != TACHO_NONE) {
        put(&to->text, "|run ");
        put_string(to, to->dict.runs[span.run].name);
        put(&to->text, "#%lld", (long long)to->dict.runs[span.run].invocation);
    }
    bool more = span.args != TACHO_NONE;
    for (size_t i = span.args; more; i++) {
        put(&to->text, i == span.args ? "|" : " ");
        put_arg(to, &to->profile.args[i].arg);
        more = !to->profile.args[i].is_last;
    }
    put(&to->text, "%s", (span.flags & TACHO_SPAN_INSTANT) != 0 ? "|instant" : "");
    put(&to->text, "%s", (span.flags & TACHO_SPAN_UNENDED) != 0 ? "|unended" : "");
    put(&to->text, "%s%s\n", (span.flags & TACHO_SPAN_ORIGIN_MASK) != 0 ? "|" : "",
        (span.flags & TACHO_SPAN_ORIGIN_MASK) != 0
            ? tacho_origin_name((tacho_origin)(span.flags & TACHO_SPAN_ORIGIN_MASK))
            : "");
}

/* By reason: the order of losses depends on when events are paired. */
static inline int compare_losses(const void *a, const void *b)
{
    const tacho_loss *loss_a = a;
    const tacho_loss *loss_b = b;
    return loss_a->part != loss_b->part ? (loss_a->part < loss_b->part ? -1 : 1)
                                        : (int)loss_a->reason - (int)loss_b->reason;
}

static inline const char *render(fixture *from)
{
    const tacho_profile *profile = &from->profile;
    clear_text(&from->text);
    for (size_t i = 0; i < profile->span_count; i++) {
        put_span(from, i);
    }
    for (size_t i = 0; i < profile->sample_count; i++) {
        put_track(from, profile->samples[i].track);
        put(&from->text, "|%lld|%g\n", (long long)profile->samples[i].time,
            profile->samples[i].value);
    }
    for (size_t i = 0; i < profile->flow_end_count; i++) {
        const tacho_flow_end *flow = &profile->flow_ends[i];
        put(&from->text, "flow %llu %s ", (unsigned long long)flow->id,
            tacho_flow_phase_name(flow->phase));
        put_track(from, flow->track);
        put(&from->text, "|%lld|%lld\n", (long long)flow->time, (long long)flow->span_end);
    }
    if (from->dict.loss_count > 1) {
        qsort(from->dict.losses, from->dict.loss_count, sizeof(tacho_loss), compare_losses);
    }
    for (size_t i = 0; i < from->dict.loss_count; i++) {
        const tacho_loss *loss = &from->dict.losses[i];
        put(&from->text, "lost %s %llu ", tacho_loss_key(loss->reason),
            (unsigned long long)loss->count);
        put_string(from, loss->example);
        put(&from->text, "\n");
    }
    for (size_t i = 0; i < from->dict.metadata_count; i++) {
        put(&from->text, "fact ");
        put_string(from, from->dict.metadata[i].key);
        put(&from->text, "=");
        put_string(from, from->dict.metadata[i].value);
        put(&from->text, "\n");
    }
    return from->text.bytes;
}

/*
 * The profile of the file as text; reading without holding gives the same, or finds it out of
 * order.
 */
static inline const char *read_trace(tacho_str input_bytes, bool *out_was_in_order)
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

static inline void check(const char *expected)
{
    bool was_in_order = false;
    assert_string_equal(read_trace(trace_bytes(), &was_in_order), expected);
    assert_true(was_in_order);
}

static inline void check_out_of_order(const char *expected)
{
    bool was_in_order = true;
    assert_string_equal(read_trace(trace_bytes(), &was_in_order), expected);
    assert_false(was_in_order);
}

static inline void check_refused(tacho_str input_bytes, const char *words)
{
    tacho_status status = read_into(&first, input_bytes, true, TACHO_ORDER_SORT);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_non_null(strstr(tacho_status_message(status), words));
    tacho_status_free(status);
    drop(&first);
}

#endif
