/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records to rows: each kind of event, and records that no client writes.
 */
#include "capture/decoder.h"
#include "base/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/client.h>

#include <cmocka.h>

enum { ROWS_MAX = 16 };

/* A segment in ordinary memory, and the rows decoded from it. */
typedef struct fixture {
    tacho_events events;
    tacho_dict dict;
    tacho_recorder recorder;
    tacho_decoder decoder;
    char *strings;
    uint32_t string_bytes;
    tacho_wire_record *records;
    uint64_t head, tail;
    tacho_row rows[ROWS_MAX];
    size_t row_count;
    char text[64]; /* of the last row's first text */
    uint32_t track;
    uint64_t now_ns;
} fixture;

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    fixture *self = (fixture *)(void *)events;
    assert_true(self->row_count < ROWS_MAX);
    self->rows[self->row_count++] = *row;
    for (size_t i = 0; i < row->arg_count; i++) {
        if (row->args[i].type == TACHO_ARG_TEXT) {
            snprintf(self->text, sizeof(self->text), "%.*s",
                     TACHO_STR_ARG(row->args[i].value.as_text));
        }
    }
    return TACHO_OK;
}

static void open_fixture(fixture *self)
{
    static const tacho_events_vtable vtable = {.row = take_row};
    *self = (fixture){0};
    assert_null(tacho_dict_init(&self->dict));
    self->events = (tacho_events){&vtable, &self->dict};
    assert_null(tacho_recorder_open(&self->recorder, &self->events, TACHO_STR("test"), 1000));
    self->strings = calloc(1, TACHO_WIRE_STRINGS);
    self->records = calloc(TACHO_WIRE_RECORDS, sizeof(*self->records));
    assert_non_null(self->strings);
    assert_non_null(self->records);
    self->string_bytes = sizeof(tacho_wire_entry);
    assert_null(tacho_decoder_init(&self->decoder, &self->recorder, self->dict.parts[0].root,
                                   self->strings));
    assert_null(tacho_decoder_ensure_thread(&self->decoder, "worker", 77, &self->track));
    self->now_ns = (uint64_t)tacho_process_now_ns();
}

static void close_fixture(fixture *self)
{
    tacho_decoder_deinit(&self->decoder);
    tacho_recorder_close(&self->recorder);
    tacho_dict_deinit(&self->dict);
    free(self->strings);
    free(self->records);
}

static uint32_t add_text(fixture *self, const char *text)
{
    uint32_t id = self->string_bytes / 8;
    const tacho_wire_entry entry = {TACHO_WIRE_TEXT, (uint32_t)strlen(text)};
    memcpy(self->strings + self->string_bytes, &entry, sizeof(entry));
    memcpy(self->strings + self->string_bytes + sizeof(entry), text, strlen(text));
    self->string_bytes += (uint32_t)(sizeof(entry) + strlen(text) + 7) / 8 * 8;
    return id;
}

static uint32_t add_site(fixture *self, const char *name, const char *category)
{
    const tacho_wire_site site = {
        .entry = {TACHO_WIRE_SITE, 16},
        .name = add_text(self, name),
        .category = add_text(self, category),
        .file = add_text(self, "net.c"),
        .line = 42,
    };
    uint32_t id = self->string_bytes / 8;
    memcpy(self->strings + self->string_bytes, &site, sizeof(site));
    self->string_bytes += sizeof(site);
    return id;
}

static void add_record(fixture *self, tacho_wire_record record)
{
    self->records[self->head++ & (TACHO_WIRE_RECORDS - 1)] = record;
}

static bool decode_next(fixture *self)
{
    return tacho_decoder_take(&self->decoder, self->records, self->head, &self->tail, self->track);
}

static void zones_become_spans(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    uint32_t site = add_site(&self, "step", "train");
    add_record(&self, (tacho_wire_record){
                          .kind = TACHO_WIRE_ZONE, .site = site, .time = 2000, .value = 5000});
    assert_true(decode_next(&self));
    assert_int_equal(self.row_count, 1);
    const tacho_row *row = &self.rows[0];
    const tacho_site *made = &self.dict.sites[row->of.span.site];
    assert_int_equal(row->kind, TACHO_ROW_SPAN);
    assert_int_equal(row->track, self.track);
    assert_int_equal(row->start, 2000);
    assert_int_equal(row->of.span.end, 5000);
    assert_string_equal(tacho_dict_string(&self.dict, made->name).data, "step");
    assert_string_equal(tacho_dict_string(&self.dict, made->category).data, "train");
    assert_int_equal(self.dict.locations[made->location].line, 42);
    assert_string_equal(tacho_dict_string(&self.dict, self.dict.tracks[self.track].name).data,
                        "worker 77");
    assert_int_equal(self.decoder.event_count, 1);
    assert_int_equal(self.decoder.bad_count, 0);
    close_fixture(&self);
}

static void arguments_come_along(void **state)
{
    fixture self;
    tacho_wire_record extra[2];
    tacho_wire_arg args[4] = {{0}};
    (void)state;
    open_fixture(&self);
    args[0] = (tacho_wire_arg){add_text(&self, "bytes"), TACHO_CLIENT_UINT, TACHO_CLIENT_BYTES, 99};
    args[1] = (tacho_wire_arg){add_text(&self, "why"), TACHO_CLIENT_TEXT, 0, 5};
    memcpy(&args[2], "hello", 5);
    memcpy(extra, args, sizeof(extra));
    self.head = self.tail = TACHO_WIRE_RECORDS - 2; /* it wraps around */
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_ZONE,
                                          .extra = 2,
                                          .site = add_site(&self, "step", ""),
                                          .time = 2000,
                                          .value = 5000});
    add_record(&self, extra[0]);
    add_record(&self, extra[1]);
    assert_true(decode_next(&self));
    assert_int_equal(self.row_count, 1);
    assert_int_equal(self.rows[0].arg_count, 2);
    assert_string_equal(self.text, "hello");
    close_fixture(&self);
}

static void moments_counters_and_flows(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    double value = 2.5;
    tacho_wire_record counter = {
        .kind = TACHO_WIRE_COUNTER, .site = add_site(&self, "memory", "bytes"), .time = 3000};
    memcpy(&counter.value, &value, sizeof(value));
    add_record(&self, counter);
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_SIGNPOST,
                                          .site = add_text(&self, "epoch 1"),
                                          .time = 4000});
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_FLOW,
                                          .flags = TACHO_CLIENT_FLOW_ARRIVES,
                                          .time = 5000,
                                          .value = 12});
    assert_true(decode_next(&self));
    assert_int_equal(self.row_count, 3);
    assert_true(self.rows[0].of.sample.value == 2.5);
    assert_int_equal(self.dict.tracks[self.rows[0].track].unit, TACHO_UNIT_BYTES);
    assert_true((self.rows[1].of.span.flags & TACHO_SPAN_INSTANT) != 0);
    assert_int_equal(self.rows[2].of.flow.id, 12);
    assert_int_equal(self.rows[2].of.flow.phase, TACHO_FLOW_ARRIVES);
    close_fixture(&self);
}

/* Times of a device are placed by the last pair before them. */
static void device_times_need_a_pair(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    const tacho_wire_record op = {.kind = TACHO_WIRE_DEVICE_OP,
                                  .site = add_text(&self, "MatMul"),
                                  .time = 1000000,
                                  .value = 1000500,
                                  .more = 3};
    add_record(&self, op);
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_CLOCK_PAIR,
                                          .site = 3,
                                          .time = 50000,
                                          .value = 999000,
                                          .more = 500000000});
    add_record(&self, op);
    assert_true(decode_next(&self));
    assert_int_equal(self.decoder.untimed_count, 1);
    assert_int_equal(self.row_count, 1);
    assert_int_equal(self.rows[0].start, 52000);
    assert_int_equal(self.rows[0].of.span.end, 53000);
    assert_int_equal(self.dict.tracks[self.rows[0].track].track_class, TACHO_TRACK_COMPUTE);
    close_fixture(&self);
}

/* Queues and engines have tracks of their own; an arrow leads from a launch to its work. */
static void launches_lead_to_queues(void **state)
{
    fixture self;
    tacho_wire_record extra;
    (void)state;
    open_fixture(&self);
    self.decoder.client = 5;
    const tacho_wire_arg args[2] = {{add_text(&self, "launch"), TACHO_CLIENT_UINT, 0, 77}};
    memcpy(&extra, args, sizeof(extra));
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_CLOCK_PAIR,
                                          .site = 3,
                                          .time = 50000,
                                          .value = 1000,
                                          .more = 1000000000});
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_LAUNCH, .time = 50500, .value = 77});
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_DEVICE_OP,
                                          .flags = TACHO_CLIENT_FROM_DEVICE,
                                          .extra = 1,
                                          .site = add_text(&self, "Read"),
                                          .time = 2000,
                                          .value = 2500,
                                          .more = UINT64_C(4) << 32 | 3});
    add_record(&self, extra);
    assert_true(decode_next(&self));
    assert_int_equal(self.row_count, 3);
    const tacho_row *leaves = &self.rows[0];
    const tacho_row *span = &self.rows[1];
    const tacho_row *arrives = &self.rows[2];
    assert_int_equal(leaves->of.flow.id, arrives->of.flow.id);
    assert_true(leaves->of.flow.id < UINT64_C(1) << 40);
    assert_int_equal(leaves->of.flow.role, TACHO_FLOW_LAUNCH);
    assert_int_equal(leaves->of.flow.phase, TACHO_FLOW_LEAVES);
    assert_int_equal(leaves->start, 50500);
    assert_int_equal(span->arg_count, 0); /* the number is in the arrow */
    assert_int_equal(arrives->of.flow.phase, TACHO_FLOW_ARRIVES);
    assert_int_equal(arrives->start, span->start);
    assert_int_equal(arrives->of.flow.span_end, span->of.span.end);
    assert_int_equal(arrives->track, span->track);
    const tacho_track *track = &self.dict.tracks[span->track];
    assert_int_equal(track->track_class, TACHO_TRACK_DMA_OUT);
    assert_true(tacho_str_equal(tacho_dict_string(&self.dict, track->name),
                                TACHO_STR("Device 3, queue 4, from device")));
    close_fixture(&self);
}

/* The longest name that a track of a device can have: all of it, and nothing after it. */
static void long_names_fit(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    char name[101] = {0};
    char expected[256];
    memset(name, 'n', sizeof(name) - 1);
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_CLOCK_PAIR,
                                          .site = UINT32_MAX,
                                          .time = 50000,
                                          .value = 1000,
                                          .more = 1000000000});
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_DEVICE,
                                          .flags = 1,
                                          .site = add_text(&self, name),
                                          .value = add_text(&self, name),
                                          .more = UINT32_MAX});
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_DEVICE_OP,
                                          .flags = TACHO_CLIENT_FROM_DEVICE,
                                          .site = add_text(&self, "Read"),
                                          .time = 2000,
                                          .value = 2500,
                                          .more = UINT64_MAX});
    assert_true(decode_next(&self));
    assert_int_equal(self.row_count, 1);
    snprintf(expected, sizeof(expected),
             "Device 4294967295: %.60s (simulated), %.20s 4294967295, from device", name, name);
    const tacho_track *track = &self.dict.tracks[self.rows[0].track];
    assert_string_equal(tacho_dict_string(&self.dict, track->name).data, expected);
    assert_int_equal(tacho_dict_string(&self.dict, track->name).len, strlen(expected));
    close_fixture(&self);
}

static void nonsense_is_counted(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    uint32_t site = add_site(&self, "step", "");
    uint32_t text = add_text(&self, "text");
    const tacho_wire_record bad[] = {
        {.kind = 0},
        {.kind = 200},
        {.kind = TACHO_WIRE_ZONE, .site = text, .time = 1, .value = 2},
        {.kind = TACHO_WIRE_ZONE, .site = 0, .time = 1, .value = 2},
        {.kind = TACHO_WIRE_ZONE, .site = UINT32_MAX - 1, .time = 1, .value = 2},
        {.kind = TACHO_WIRE_ZONE, .site = site, .time = 3, .value = 2},
        {.kind = TACHO_WIRE_ZONE, .site = site, .time = 3, .value = UINT64_MAX},
        {.kind = TACHO_WIRE_ZONE, .site = site, .time = 3, .value = self.now_ns + 5000000000},
        {.kind = TACHO_WIRE_COUNTER, .site = site, .time = 3, .value = UINT64_C(0x7ff0) << 48},
        {.kind = TACHO_WIRE_FLOW, .flags = 3, .time = 3},
        {.kind = TACHO_WIRE_SIGNPOST, .site = site, .time = 3},
        {.kind = TACHO_WIRE_CLOCK_PAIR, .time = 3, .value = 1, .more = 0},
        {.kind = TACHO_WIRE_OP, .site = text, .time = 3, .value = 1},
        {.kind = TACHO_WIRE_DEVICE_OP, .site = text, .time = 3, .value = 1},
        {.kind = TACHO_WIRE_DEVICE_OP, .flags = 5, .site = text, .time = 3, .value = 4},
        {.kind = TACHO_WIRE_LAUNCH, .time = 3, .value = 0},
        {.kind = TACHO_WIRE_LAUNCH, .time = UINT64_MAX, .value = 1},
    };
    const size_t count = sizeof(bad) / sizeof(bad[0]);
    for (size_t i = 0; i < count; i++) {
        add_record(&self, bad[i]);
    }
    assert_true(decode_next(&self));
    assert_int_equal(self.decoder.bad_count, count);
    assert_int_equal(self.decoder.event_count, count);
    assert_int_equal(self.row_count, 0);
    close_fixture(&self);
}

/* Numbers of a ring that cannot be: nothing is read of it. */
static void broken_rings_are_left(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    self.head = TACHO_WIRE_RECORDS + 1;
    assert_false(decode_next(&self));
    self.head = 0;
    self.tail = 5; /* ahead of the head */
    assert_false(decode_next(&self));
    self.tail = 0;
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_MESSAGE, .extra = 1});
    assert_false(decode_next(&self)); /* its arguments are not there */
    self.head = 0;
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_MESSAGE, .extra = UINT16_MAX});
    assert_false(decode_next(&self));
    close_fixture(&self);
}

/* A part ends with an event: its arguments are not torn from it. */
static void full_rings_are_taken_in_parts(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    tacho_wire_record step = {.kind = TACHO_WIRE_ZONE, .extra = 2}; /* invalid: no row */
    tacho_wire_record extra[2] = {{0}};
    uint64_t count = TACHO_WIRE_RECORDS / 3, parts = 0;
    for (uint64_t i = 0; i < count; i++) {
        add_record(&self, step);
        add_record(&self, extra[0]);
        add_record(&self, extra[1]);
    }
    while (self.tail != self.head) {
        uint64_t before = self.tail;
        assert_true(decode_next(&self));
        assert_true(self.tail - before < TACHO_DECODER_PART + 3);
        assert_int_equal(self.tail % 3, 0);
        parts++;
    }
    assert_int_equal(self.decoder.event_count, count);
    assert_true(parts >= TACHO_WIRE_RECORDS / TACHO_DECODER_PART - 1);
    close_fixture(&self);
}

static void open_zones_end_with_their_process(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    const tacho_wire_open open = {.start = 2000, .site = add_site(&self, "step", "")};
    tacho_decoder_take_open(&self.decoder, self.track, &open, 9000);
    assert_int_equal(self.row_count, 1);
    assert_int_equal(self.rows[0].of.span.end, 9000);
    assert_int_equal(self.rows[0].of.span.flags, TACHO_SPAN_UNENDED);
    close_fixture(&self);
}

/* A client whose area of strings is full names none: such events are counted, and no others. */
static void texts_without_room_are_counted(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    const tacho_wire_arg arg = {.key = TACHO_WIRE_NO_TEXT, .type = TACHO_CLIENT_UINT, .value = 7};
    tacho_wire_record args = {0};
    memcpy(&args, &arg, sizeof(arg));
    uint32_t site = add_site(&self, "step", "");
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_SIGNPOST, .site = TACHO_WIRE_NO_TEXT});
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_COUNTER, .site = TACHO_WIRE_NO_TEXT});
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_ZONE, .extra = 1, .site = site});
    add_record(&self, args);
    add_record(&self,
               (tacho_wire_record){.kind = TACHO_WIRE_SIGNPOST, .site = TACHO_WIRE_NO_TEXT - 1});
    add_record(&self, (tacho_wire_record){.kind = TACHO_WIRE_ZONE, .site = site});
    assert_true(decode_next(&self));
    assert_int_equal(self.row_count, 1);
    assert_int_equal(self.decoder.event_count, 5);
    assert_int_equal(self.decoder.unnamed_count, 3);
    assert_int_equal(self.decoder.bad_count, 1);
    const tacho_wire_open open = {.start = 2000, .site = TACHO_WIRE_NO_TEXT};
    tacho_decoder_take_open(&self.decoder, self.track, &open, 9000);
    assert_int_equal(self.decoder.unnamed_count, 4);
    assert_int_equal(self.decoder.bad_count, 1);
    close_fixture(&self);
}

/* The end of a capture takes a while: zones that begin meanwhile are of no interest. */
static void zones_after_the_end_are_left_out(void **state)
{
    fixture self;
    (void)state;
    open_fixture(&self);
    const int64_t s_ns = 1000000000;
    uint32_t site = add_site(&self, "step", "");
    int64_t end_ns = (int64_t)self.now_ns - 5 * s_ns;
    const tacho_wire_open at_end = {.start = (uint64_t)end_ns, .site = site};
    const tacho_wire_open later = {.start = (uint64_t)end_ns + 1, .site = site};
    const tacho_wire_open much_later = {.start = self.now_ns, .site = site};
    const tacho_wire_open never = {.start = self.now_ns + (uint64_t)(3600 * s_ns), .site = site};
    tacho_decoder_take_open(&self.decoder, self.track, &at_end, end_ns);
    assert_int_equal(self.row_count, 1);
    tacho_decoder_take_open(&self.decoder, self.track, &later, end_ns);
    tacho_decoder_take_open(&self.decoder, self.track, &much_later, end_ns);
    assert_int_equal(self.decoder.bad_count, 0);
    tacho_decoder_take_open(&self.decoder, self.track, &never, end_ns);
    assert_int_equal(self.decoder.bad_count, 1);
    assert_int_equal(self.row_count, 1);
    close_fixture(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_become_spans),
        cmocka_unit_test(arguments_come_along),
        cmocka_unit_test(moments_counters_and_flows),
        cmocka_unit_test(device_times_need_a_pair),
        cmocka_unit_test(launches_lead_to_queues),
        cmocka_unit_test(long_names_fit),
        cmocka_unit_test(nonsense_is_counted),
        cmocka_unit_test(broken_rings_are_left),
        cmocka_unit_test(full_rings_are_taken_in_parts),
        cmocka_unit_test(open_zones_end_with_their_process),
        cmocka_unit_test(texts_without_room_are_counted),
        cmocka_unit_test(zones_after_the_end_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
