/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with clients that are composed here, in every protocol: whole, cut, damaged, lying.
 */
#include "capture/tracy_session.h"

#include "capture/tracy_client_testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { TEXT_ROOM = 1 << 16, PLACE = 0x5000, NAME = 0x6000, FUNCTION = 0x6100, FILE_NAME = 0x6200 };

/* Rows as text, one a line: "span track start end name text". */
typedef struct listener {
    tacho_events events;
    tacho_dict dict;
    uint32_t part;
    char text[TEXT_ROOM];
    size_t len;
    size_t row_count;
} listener;

static const char *text_of(const tacho_dict *dict, uint32_t string)
{
    return tacho_dict_string(dict, string).data;
}

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    listener *self = (listener *)events;
    size_t room = TEXT_ROOM - self->len;
    int len = 0;
    self->row_count++;
    assert_true(row->start >= 0);
    if (row->kind == TACHO_ROW_SAMPLE) {
        len = snprintf(self->text + self->len, room, "sample %lld %g\n", (long long)row->start,
                       row->of.sample.value);
    } else {
        const tacho_arg *arg = row->arg_count > 0 ? &row->args[0] : NULL;
        bool has_text = arg != NULL && arg->type == TACHO_ARG_TEXT;
        assert_true(row->of.span.end >= row->start);
        len = snprintf(self->text + self->len, room, "%s %lld %lld %s%s%.*s\n",
                       (row->of.span.flags & TACHO_SPAN_UNENDED) != 0 ? "open" : "span",
                       (long long)row->start, (long long)row->of.span.end,
                       text_of(&self->dict, self->dict.sites[row->of.span.site].name),
                       has_text ? " " : "", has_text ? (int)arg->value.as_text.len : 0,
                       has_text ? arg->value.as_text.data : "");
    }
    self->len += (size_t)len < room ? (size_t)len : 0;
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = take_row};

static void listen_to(listener *self)
{
    tacho_clock ns;
    uint32_t clock = 0;
    memset(self, 0, sizeof(*self));
    assert_null(tacho_dict_init(&self->dict));
    self->events = (tacho_events){.vtable = &vtable, .dict = &self->dict};
    tacho_clock_init(&ns, 1, 1);
    assert_null(tacho_dict_add_clock(&self->dict, &ns, TACHO_STR("ns"), &clock));
    const tacho_part_facts facts = {
        .path = TACHO_STR("p"), .format = TACHO_STR("tracy"), .clock = clock};
    assert_null(tacho_dict_add_part(&self->dict, &facts, &self->part));
}

/* A session with its output and its questions. */
typedef struct talk {
    listener listener;
    tacho_tracy_clock clock;
    tacho_tracy_session session;
    unsigned char asked[1 << 16];
    size_t asked_len;
} talk;

static void begin(talk *self, uint32_t number, int layout)
{
    self->clock = (tacho_tracy_clock){0};
    self->asked_len = 0;
    listen_to(&self->listener);
    const tacho_tracy_session_facts facts = {.events = &self->listener.events,
                                             .part = self->listener.part,
                                             .group = TACHO_NONE,
                                             .protocol = number,
                                             .layout = layout,
                                             .clock = &self->clock};
    assert_null(tacho_tracy_session_init(&self->session, &facts));
}

static void feed(talk *self, const void *bytes, size_t len)
{
    tacho_tracy_session_take(&self->session, tacho_str_make(bytes, len), NULL, NULL);
    self->asked_len += tacho_tracy_session_give(&self->session, self->asked + self->asked_len,
                                                sizeof(self->asked) - self->asked_len);
}

static void end(talk *self)
{
    assert_null(tacho_tracy_session_finish(&self->session));
}

static void forget(talk *self)
{
    tacho_tracy_session_deinit(&self->session);
    tacho_dict_deinit(&self->listener.dict);
}

static talk *new_talk(void)
{
    talk *self = calloc(1, sizeof(*self));
    assert_non_null(self);
    return self;
}

/* All data of composed clients, answers included. */
static void compose(client *self, uint32_t number, bool is_fork)
{
    client_init(self, number, is_fork);
    client_thread(self, CLIENT_TID);
    client_begin(self, 1000, PLACE); /* at 0 ns */
    client_begin(self, 1200, PLACE);
    client_text(self, "one");
    client_text(self, "two");
    client_end(self, 1400);
    client_end(self, 200000);
    client_begin(self, 200000 + (INT64_C(5) << 32), PLACE); /* needs all of 64 bits */
    client_end(self, 200002 + (INT64_C(5) << 32));
    client_payload(self, "func", "x.py", "dynamic");
    client_begin_payload(self, 300000);
    client_end(self, 300100);
    client_message(self, 400000, "hello");
    client_plot(self, 0x7000, 500000, -3);
    client_send(self);
    client_context(self, 3, 2);
    client_gpu_zone(self, 3, PLACE, 10);
    client_gpu_time(self, 3, 10, 600);
    client_gpu_time(self, 3, 11, 50);
    client_send(self);
    client_event(self, TACHO_TRACY_TERMINATE);
    client_send(self);
    client_answer_place(self, NAME, FUNCTION, FILE_NAME, 12);
    client_answer_text(self, TACHO_TRACY_THREAD_NAME, CLIENT_TID, "Main thread");
    client_answer_text(self, TACHO_TRACY_PLOT_NAME, 0x7000, "plot");
    client_send(self);
    client_answer_text(self, TACHO_TRACY_STRING_DATA, NAME, "zone");
    client_answer_text(self, TACHO_TRACY_STRING_DATA, FUNCTION, "main");
    client_answer_text(self, TACHO_TRACY_STRING_DATA, FILE_NAME, "m.c");
    client_send(self);
}

static const struct {
    uint32_t number;
    bool is_fork;
} versions[] = {
#define VERSION(number, is_fork) {number, is_fork},
    TACHO_TRACY_PROTOCOLS(VERSION)
#undef VERSION
};

enum { VERSIONS = sizeof(versions) / sizeof(*versions) };

static void expect_all(talk *self)
{
    const char *text = self->listener.text;
    assert_non_null(strstr(text, "span 100 200 zone one\ntwo\n"));
    assert_non_null(strstr(text, "span 0 99500 zone\n"));
    assert_non_null(strstr(text, "span 10737517740 10737517741 zone\n"));
    assert_non_null(strstr(text, "span 149500 149550 dynamic\n"));
    assert_non_null(strstr(text, "span 199500 199500 message hello\n"));
    assert_non_null(strstr(text, "sample 249500 -3\n"));
    assert_non_null(strstr(text, "span 1100 1150 zone\n")); /* of the device */
    assert_int_equal(self->listener.row_count, 7);
    assert_int_equal(self->listener.dict.loss_count, 0);
}

/* Every protocol and layout, in pieces of several sizes; the layout is found out. */
static void test_every_protocol(void **state)
{
    static const size_t pieces[] = {1, 3, 64, 1 << 20};
    talk *self = new_talk();
    (void)state;
    for (size_t v = 0; v < VERSIONS; v++) {
        client from;
        compose(&from, versions[v].number, versions[v].is_fork);
        for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
            begin(self, versions[v].number, 0);
            for (size_t at = 0; at < from.len; at += pieces[p]) {
                size_t rest = from.len - at;
                feed(self, from.bytes + at, rest < pieces[p] ? rest : pieces[p]);
            }
            assert_int_equal(self->session.protocol.is_fork, versions[v].is_fork);
            assert_int_equal(self->session.end, TACHO_TRACY_END_DONE);
            assert_string_equal(self->session.welcome.program, "composed");
            end(self);
            expect_all(self);
            forget(self);
        }
        client_deinit(&from);
    }
    free(self);
}

/* The client is let go when it has answered everything, not before. */
static void test_release(void **state)
{
    talk *self = new_talk();
    client from;
    (void)state;
    compose(&from, 82, false);
    begin(self, 82, 0);
    feed(self, from.bytes, from.block_ends[3]); /* no texts yet */
    assert_int_equal(self->session.end, TACHO_TRACY_END_NONE);
    size_t before = self->asked_len;
    feed(self, from.bytes + from.block_ends[3], from.len - from.block_ends[3]);
    assert_int_equal(self->session.end, TACHO_TRACY_END_DONE);
    assert_int_equal(self->asked_len, before + TACHO_TRACY_QUERY_BYTES);
    assert_int_equal(self->asked[before], TACHO_TRACY_QUERY_TERMINATE);
    end(self);
    forget(self);
    client_deinit(&from);
    free(self);
}

/* Only addresses that the client sent are queried, once each. */
static void expect_legal(const talk *self)
{
    static const struct {
        uint8_t type;
        uint64_t address;
    } legal[] = {
        {TACHO_TRACY_QUERY_TERMINATE, 0},      {TACHO_TRACY_QUERY_LOCATION, PLACE},
        {TACHO_TRACY_QUERY_STRING, NAME},      {TACHO_TRACY_QUERY_STRING, FUNCTION},
        {TACHO_TRACY_QUERY_STRING, FILE_NAME}, {TACHO_TRACY_QUERY_THREAD, CLIENT_TID},
        {TACHO_TRACY_QUERY_PLOT, 0x7000},
    };
    bool is_seen[sizeof(legal) / sizeof(*legal)] = {false};
    assert_int_equal(self->asked_len % TACHO_TRACY_QUERY_BYTES, 0);
    for (size_t at = 0; at < self->asked_len; at += TACHO_TRACY_QUERY_BYTES) {
        bool is_legal = false;
        for (size_t i = 0; i < sizeof(legal) / sizeof(*legal); i++) {
            bool is_this = self->asked[at] == legal[i].type &&
                           tacho_tracy_u64(self->asked + at + 1) == legal[i].address &&
                           tacho_tracy_u32(self->asked + at + 9) == 0;
            assert_false(is_this && is_seen[i]);
            is_seen[i] = is_seen[i] || is_this;
            is_legal = is_legal || is_this;
        }
        assert_true(is_legal);
    }
}

/* Streams that end at any byte keep their complete events. */
static void test_cut_anywhere(void **state)
{
    talk *self = new_talk();
    (void)state;
    for (size_t v = 0; v < VERSIONS; v++) {
        client from;
        size_t rows_before = 0;
        compose(&from, versions[v].number, versions[v].is_fork);
        for (size_t len = 0; len < from.len; len++) {
            begin(self, versions[v].number, 0);
            feed(self, from.bytes, len);
            end(self);
            expect_legal(self);
            assert_true(self->listener.row_count >= rows_before);
            rows_before = self->listener.row_count;
            forget(self);
        }
        client_deinit(&from);
    }
    free(self);
}

/* A wrong bit may lose data, but the session ends cleanly. */
static void test_flipped_bits(void **state)
{
    talk *self = new_talk();
    (void)state;
    for (size_t v = 0; v < VERSIONS; v++) {
        client from;
        compose(&from, versions[v].number, versions[v].is_fork);
        for (size_t at = 0; at < from.len; at++) {
            from.bytes[at] ^= (unsigned char)(1u << at % 8);
            begin(self, versions[v].number, 0);
            feed(self, from.bytes, from.len);
            end(self);
            assert_int_equal(self->asked_len % TACHO_TRACY_QUERY_BYTES, 0);
            forget(self);
            from.bytes[at] ^= (unsigned char)(1u << at % 8);
        }
        client_deinit(&from);
    }
    free(self);
}

/* A block that claims to be longer than any ends the session at once. */
static void test_lying_block(void **state)
{
    talk *self = new_talk();
    client from;
    (void)state;
    compose(&from, 82, false);
    for (size_t b = 0; b + 1 < from.block_count; b++) {
        unsigned char *size = from.bytes + from.block_ends[b];
        unsigned char before[4];
        memcpy(before, size, sizeof(before));
        memset(size, 0xff, sizeof(before));
        begin(self, 82, 0);
        feed(self, from.bytes, from.len);
        assert_int_equal(self->session.end, TACHO_TRACY_END_DAMAGED);
        end(self);
        expect_legal(self);
        assert_int_equal(self->listener.dict.loss_count, 1);
        forget(self);
        memcpy(size, before, sizeof(before));
    }
    client_deinit(&from);
    free(self);
}

/* Zones that do not match are counted, and the rest goes on. */
static void test_mismatched_zones(void **state)
{
    talk *self = new_talk();
    client from;
    (void)state;
    client_init(&from, 76, false);
    client_thread(&from, CLIENT_TID);
    client_end(&from, 1100); /* of nothing */
    client_text(&from, "lost");
    client_payload(&from, "f", "x", "a");
    client_event(&from, TACHO_TRACY_ZONE_VALIDATION);
    client_put(&from, 5, 4);
    client_begin_payload(&from, 1200);
    client_payload(&from, "f", "x", "b");
    client_event(&from, TACHO_TRACY_ZONE_VALIDATION);
    client_put(&from, 6, 4);
    client_begin_payload(&from, 1400);
    client_event(&from, TACHO_TRACY_ZONE_VALIDATION);
    client_put(&from, 5, 4);
    client_end(&from, 2000); /* of a, while b is open */
    client_event(&from, TACHO_TRACY_ZONE_VALIDATION);
    client_put(&from, 9, 4);
    client_end(&from, 2100); /* of none */
    client_payload(&from, "f", "x", "c");
    client_begin_payload(&from, 3000);
    client_send(&from);
    begin(self, 76, 0);
    feed(self, from.bytes, from.len);
    end(self);
    assert_string_equal(self->listener.text, "open 200 500 b\nspan 100 500 a\nopen 1000 1000 c\n");
    assert_int_equal(self->session.counts.mismatched, 4);
    assert_int_equal(self->listener.dict.losses[0].reason, TACHO_LOSS_UNMATCHED_END);
    forget(self);
    client_deinit(&from);
    free(self);
}

/* No more questions are on their way than a client can take. */
static void test_questions_in_flight(void **state)
{
    enum { PLACES = 5000 };
    talk *self = new_talk();
    client from;
    (void)state;
    client_init(&from, 76, false);
    client_thread(&from, CLIENT_TID);
    for (uint64_t i = 0; i < PLACES; i++) {
        client_begin(&from, 1000, 0x10000 + 32 * i);
        client_end(&from, 1000);
    }
    client_send(&from);
    begin(self, 76, 0);
    feed(self, from.bytes, from.len);
    assert_int_equal(self->asked_len, TACHO_TRACY_IN_FLIGHT * TACHO_TRACY_QUERY_BYTES);
    feed(self, from.bytes, 0);
    assert_int_equal(self->asked_len, TACHO_TRACY_IN_FLIGHT * TACHO_TRACY_QUERY_BYTES);
    assert_int_equal(self->listener.row_count, 0);
    end(self); /* names never arrived: zones are shown by address */
    assert_int_equal(self->listener.row_count, PLACES);
    assert_non_null(strstr(self->listener.text, "span 0 0 0x10020\n"));
    forget(self);
    client_deinit(&from);
    free(self);
}

static void test_refusals(void **state)
{
    static const struct {
        unsigned char answer;
        tacho_tracy_end end;
    } answers[] = {
        {2, TACHO_TRACY_END_MISMATCH}, {3, TACHO_TRACY_END_BUSY}, {'H', TACHO_TRACY_END_NOT_TRACY}};
    talk *self = new_talk();
    (void)state;
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        begin(self, 82, 0);
        feed(self, &answers[i].answer, 1);
        assert_int_equal(self->session.end, answers[i].end);
        assert_int_equal(self->session.phase, TACHO_TRACY_PHASE_OVER);
        end(self);
        assert_int_equal(self->asked_len, 0);
        forget(self);
    }
    free(self);
}

/* Places of locks are not queried; a recording with such answers is read all the same. */
static void test_answers_to_another_server(void **state)
{
    talk *self = new_talk();
    (void)state;
    for (int is_wider = 0; is_wider < 2; is_wider++) {
        client from;
        client_init(&from, 76, false);
        client_thread(&from, CLIENT_TID);
        client_event(&from, TACHO_TRACY_LOCK_MARK);
        client_put(&from, CLIENT_TID, 4);
        client_put(&from, 1, 4);
        client_put(&from, 0x5100, 8);
        client_begin(&from, 1000, PLACE);
        client_end(&from, 1002);
        client_send(&from);
        if (is_wider != 0) {
            client_answer_place(&from, 0, 0x6900, 0, 1);
        }
        client_answer_place(&from, NAME, 0, 0, 12);
        client_answer_text(&from, TACHO_TRACY_STRING_DATA, 0x6900, "lock");
        client_answer_text(&from, TACHO_TRACY_STRING_DATA, NAME, "zone");
        client_send(&from);
        begin(self, 76, 0);
        feed(self, from.bytes, from.len);
        end(self);
        assert_string_equal(self->listener.text, "span 0 1 zone\n");
        forget(self);
        client_deinit(&from);
    }
    free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_protocol),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_lying_block),
        cmocka_unit_test(test_mismatched_zones),
        cmocka_unit_test(test_questions_in_flight),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_answers_to_another_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
