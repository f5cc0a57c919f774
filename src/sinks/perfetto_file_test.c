/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of the Perfetto sink: its head, its attributes, restarts, and properties of the whole
 * file.
 */
#include "sinks/perfetto_replay_testing.h"

/* ---- the head of the file --------------------------------------------------------------- */

static bool holds(tacho_str bytes, tacho_str words)
{
    for (size_t i = 0; i + words.len <= bytes.len; i++) {
        if (memcmp(bytes.data + i, words.data, words.len) == 0) {
            return true;
        }
    }
    return false;
}

/* Viewers guess the file's type from its first bytes; these must not contain text from the user. */
static void test_head(void **state)
{
    (void)state;
    static const char *const words[] = {"TRACE:\n", "# tracer", "a"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        trace made;
        open_trace(&made);
        uint32_t part = add_part(&made, words[i]);
        push_span(&made, add_track(&made, part, words[i]), words[i], 0, 1);
        end_part(&made, part);
        assert_ok(tacho_dict_add_metadata(&made.dict, words[i], tacho_str_from_cstring(words[i])));
        tacho_str file;
        close_trace(&made, &file);
        tacho_pb_reader reader;
        tacho_pb_reader_init(&reader, file);
        tacho_pb_field first;
        assert_true(next_field(&reader, &first));
        assert_int_equal(first.number, 1);
        assert_int_equal(file.data[0], 0x0a);
        assert_true(as_bytes(&first).len >= HEAD_BYTES);
        tacho_str head = tacho_str_make(file.data, HEAD_BYTES);
        assert_false(holds(head, TACHO_STR("TRACE:")));
        assert_false(holds(head, TACHO_STR("# tracer")));
        assert_true(words[i][1] == '\0' || !holds(head, tacho_str_from_cstring(words[i])));
        free_file(file);
    }
}

static uint64_t uint_field(tacho_str message, uint32_t number)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == number) {
            return as_uint(&field);
        }
    }
    return UINT64_MAX;
}

/* Only attributes precede the start of the sequence, which is its first packet. */
static void test_sequence_start(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    push_span(&made, add_track(&made, part, "t"), "s", 0, 1);
    end_part(&made, part);
    tacho_str file;
    close_trace(&made, &file);
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, file);
    tacho_pb_field packet;
    assert_true(next_field(&reader, &packet));
    while (uint_field(packet.bytes, 13) == UINT64_MAX) {
        tacho_pb_reader inside;
        tacho_pb_reader_init(&inside, packet.bytes);
        tacho_pb_field field;
        while (next_field(&inside, &field)) {
            assert_int_equal(field.number, 126);
        }
        assert_true(next_field(&reader, &packet));
    }
    assert_int_equal(uint_field(packet.bytes, 10), 1);
    assert_int_equal(uint_field(packet.bytes, 13), 1);
    assert_int_equal(uint_field(packet.bytes, 87), 1);
    check_restart_fields(packet.bytes);
    free_file(file);
}

static void test_nothing(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    check_shown(&made, SHOW_EVENTS | SHOW_TRACKS,
                "track 0 processes by rank 1 threads by rank 1\n");
}

/* ---- attributes ------------------------------------------------------------------------- */

/* The lines of |words| that start with |prefix|. */
static void keep_lines(char *words, const char *prefix)
{
    char *to = words;
    for (char *at = words; *at != '\0';) {
        size_t len = strcspn(at, "\n") + 1;
        if (strncmp(at, prefix, strlen(prefix)) == 0) {
            memmove(to, at, len);
            to += len;
        }
        at += len;
    }
    *to = '\0';
}

static void check_attributes(trace *made, const char *prefix, const char *expected)
{
    tacho_str file;
    close_trace(made, &file);
    replay *seen = make_replay(SHOW_ATTRIBUTES);
    run_replay(seen, file);
    keep_lines(seen->out.data, prefix);
    assert_string_equal(seen->out.data, expected);
    free_replay(seen);
    free_file(file);
}

/* Losses of the source and of the sink itself are in the file, and facts about it. */
static void test_losses_and_metadata(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t a = add_part(&made, "a");
    tacho_loss loss = {.part = a, .reason = TACHO_LOSS_NUL_BYTE, .count = 4, .first_line = 17};
    assert_ok(tacho_dict_add_loss(&made.dict, &loss));
    push_span(&made, add_track(&made, a, "t"), "s", 0, 1);
    end_part(&made, a);
    uint32_t b = add_part(&made, "b");
    push_sample(&made, add_counter(&made, b, "c", TACHO_UNIT_NONE), 0, (double)NAN);
    loss = (tacho_loss){.part = b, .reason = TACHO_LOSS_CUT_INPUT, .count = 1, .first_line = 9};
    assert_ok(tacho_dict_add_loss(&made.dict, &loss));
    end_part(&made, b);
    assert_ok(tacho_dict_add_metadata(&made.dict, "chip", TACHO_STR("SL2610")));
    assert_ok(tacho_dict_add_metadata_count(&made.dict, "filtered.too_short", 12));
    tacho_str file;
    close_trace(&made, &file);
    replay *seen = make_replay(SHOW_ATTRIBUTES);
    run_replay(seen, file);
    static const char *const lines[] = {
        "tacho.lost.part.1.nul_byte=4\n",
        "tacho.lost.part.2.not_finite=1\n",
        "tacho.lost.part.2.cut_input=1\n",
        "tacho.lost.total=6\n",
        "tacho.chip=SL2610\n",
        "tacho.filtered.too_short=12\n",
        "tacho.tool=tacho\n",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_non_null(strstr(seen->out.data, lines[i]));
    }
    free_replay(seen);
    free_file(file);
}

static void test_no_losses(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    check_attributes(&made, "tacho.lost", "tacho.lost.total=0\n");
}

static void test_parts(void **state)
{
    (void)state;
    for (int aligned = 0; aligned < 2; aligned++) {
        const tacho_trace_options options = {.side_by_side = !aligned};
        trace made;
        open_with(&made, &options);
        tacho_clock clock;
        assert_ok(tacho_clock_init_mhz(&clock, TACHO_STR("800")));
        clock.zero_ticks = 77;
        uint32_t part = add_part_with(&made, TACHO_STR("/x/a.csv"), &clock);
        push_span(&made, add_track(&made, part, "t"), "s", 77, 78);
        made.dict.parts[part].row_count = 1;
        end_part(&made, part);
        char expected[512];
        snprintf(expected, sizeof(expected),
                 "tacho.part.1.name=a.csv\n"
                 "tacho.part.1.source=/x/a.csv\n"
                 "tacho.part.1.format=test\n"
                 "tacho.part.1.generation=T9\n"
                 "tacho.part.1.origin=estimated\n"
                 "tacho.part.1.alignment=%sown zero at its first event\n"
                 "tacho.part.1.clock=ticks: 1 tick = 5/4 ns, 0 ns = tick 77\n"
                 "tacho.part.1.rows=1\n",
                 aligned ? "" : "not aligned: ");
        check_attributes(&made, "tacho.part", expected);
    }
}

/* ---- restarts --------------------------------------------------------------------------- */

enum { LONG_SPANS = 24000, LONG_TEXT = 900, LONG_TRACKS = 4, LONG_NAMES = 300 };

/* Spans of about a kilobyte: names, sites, keys and values of several kinds, and counters. */
static void push_long_part(trace *to, uint32_t part, int64_t step)
{
    uint32_t tracks[LONG_TRACKS];
    for (size_t i = 0; i < LONG_TRACKS; i++) {
        tracks[i] = add_track(to, part, "t");
    }
    uint32_t counter = add_counter(to, part, "c", TACHO_UNIT_BYTES);
    tacho_str words = filled(LONG_TEXT, 'x');
    tacho_arg args[] = {uint_arg(to, "number", 0), text_arg(to, "words", words),
                        make_arg(to, "kind", TACHO_ARG_STRING)};
    for (int64_t i = 0; i < LONG_SPANS / 2; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", (int)(i % LONG_NAMES));
        tacho_row row = make_span(to, tracks[i % LONG_TRACKS], tacho_str_from_cstring(name),
                                  i * step, (i + LONG_TRACKS) * step);
        args[0].value.as_uint = (uint64_t)row.start;
        args[2].value.as_string = row.of.span.site; /* any string */
        row.args = args;
        row.arg_count = 3;
        push_row(to, &row);
        if (i % 64 == 0) {
            push_sample(to, counter, i * step, (double)i);
        }
    }
    free_file(words);
    end_part(to, part);
}

/* Each BEGIN has its own time as an argument. */
static void check_time(void *self, const event *seen)
{
    size_t *count = self;
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, seen->body);
    tacho_pb_field field;
    bool found = seen->type != BEGIN;
    while (!found && next_field(&reader, &field)) {
        if (field.number == 4) {
            assert_int_equal(uint_field(as_bytes(&field), 3), seen->time_ns);
            found = true;
        }
    }
    assert_true(found);
    *count += seen->type == BEGIN;
}

static void write_long_trace(tacho_str *out_file)
{
    trace made;
    open_trace(&made);
    push_long_part(&made, add_part(&made, "a"), 1000);
    push_long_part(&made, add_part(&made, "b"), 1); /* back to 0 */
    close_trace(&made, out_file);
}

/*
 * Every few megabytes the state starts afresh. Then everything used is defined again, the clock
 * does not go back, and the rest of the file is complete by itself.
 */
static void test_restarts(void **state)
{
    (void)state;
    tacho_str file;
    write_long_trace(&file);
    assert_true(file.len > 20 << 20);
    size_t count = 0;
    replay *whole = make_replay(0);
    whole->visit = check_time;
    whole->self = &count;
    run_replay(whole, file);
    assert_int_equal(count, LONG_SPANS);
    assert_true(whole->restart_count >= 3);
    assert_true(whole->snapshot_ns > 0);
    for (size_t i = 1; i < whole->restart_count; i++) {
        size_t part_count = 0;
        replay *rest = make_replay(0);
        rest->visit = check_time;
        rest->self = &part_count;
        run_replay(rest, tacho_str_from(file, whole->restart_offsets[i]));
        assert_true(part_count > 0 && part_count < count);
        free_replay(rest);
    }
    free_replay(whole);
    free_file(file);
}

/* Any kind of event that is written when a restart is due follows the restart. */
static void check_restart_before(trace *made, const char *expected)
{
    tacho_str file;
    close_trace(made, &file);
    replay *seen = make_replay(0);
    run_replay(seen, file);
    assert_int_equal(seen->restart_count, 2);
    replay *rest = make_replay(SHOW_EVENTS);
    run_replay(rest, tacho_str_from(file, seen->restart_offsets[1]));
    assert_string_equal(rest->out.data, expected);
    free_replay(rest);
    free_replay(seen);
    free_file(file);
}

/* An instant of nine megabytes: after it a restart is due. */
static void push_huge_instant(trace *to, uint32_t track, int64_t time)
{
    tacho_str words = filled(9 << 20, 'x');
    tacho_arg arg = text_arg(to, "words", words);
    tacho_row row = make_span(to, track, TACHO_STR("huge"), time, time);
    row.of.span.flags = TACHO_SPAN_INSTANT;
    row.args = &arg;
    row.arg_count = 1;
    push_row(to, &row);
    free_file(words);
}

static void test_restart_before_any_event(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "begin 6 on 2 \"s\" cat\nend 7 on 2\n",
        "instant 6 on 2 \"i\" cat\n",
        "count 6 on 3 int 1\n",
        "end 9 on 2\n",
    };
    for (int kind = 0; kind < 4; kind++) {
        trace made;
        open_trace(&made);
        uint32_t part = add_part(&made, "a");
        uint32_t track = add_track(&made, part, "t");
        uint32_t counter = add_counter(&made, part, "c", TACHO_UNIT_NONE);
        if (kind == 3) {
            push_span(&made, track, "open", 0, 9);
        }
        push_huge_instant(&made, track, 5);
        if (kind == 0) {
            push_span(&made, track, "s", 6, 7);
        } else if (kind == 1) {
            push_instant(&made, track, "i", 6);
        } else if (kind == 2) {
            push_sample(&made, counter, 6, 1);
        }
        end_part(&made, part);
        check_restart_before(&made, expected[kind]);
    }
}

/* ---- the file as a whole ---------------------------------------------------------------- */

static void write_mixed_trace(tacho_str *out_file)
{
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t tracks[3];
    for (size_t i = 0; i < 3; i++) {
        tracks[i] = add_track(&made, part, "t");
    }
    uint32_t counter = add_counter(&made, part, "c", TACHO_UNIT_NS);
    for (int64_t i = 0; i < 500; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", (int)(i % 37));
        ahead(&made, tracks[i % 3], i, (uint64_t)i);
        push_span(&made, tracks[i % 3], name, i, i + 2);
        around(&made, tracks[i % 3], i, (uint64_t)i + 1);
        push_sample(&made, counter, i + 1, (double)i / 3);
    }
    end_part(&made, part);
    close_trace(&made, out_file);
}

static void test_same_twice(void **state)
{
    (void)state;
    tacho_str first;
    tacho_str second;
    write_mixed_trace(&first);
    write_mixed_trace(&second);
    assert_true(tacho_str_equal(first, second));
    free_file(first);
    free_file(second);
}

/* A file cut anywhere still contains whole packets up to the cut. */
static void test_packets_are_plain(void **state)
{
    (void)state;
    tacho_str file;
    write_mixed_trace(&file);
    replay *seen = make_replay(0);
    run_replay(seen, file);
    assert_int_equal(seen->event_count, 1500);
    assert_int_equal(seen->restart_count, 1);
    free_replay(seen);
    free_file(file);
}

/* Only writing fails, and the failure is reported in the end. */
static void test_full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    const tacho_trace_options options = {.omit_args = false};
    trace made;
    memset(&made, 0, sizeof(made));
    assert_ok(tacho_dict_init(&made.dict));
    assert_ok(tacho_output_open("/dev/full", &made.output));
    assert_ok(tacho_sink_perfetto.open(&made.dict, &made.output, &options, &made.sink));
    made.events = made.sink;
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    for (int64_t i = 0; i < 20000; i++) {
        push_span(&made, track, "s", i, i + 1);
    }
    end_part(&made, part);
    assert_ok(tacho_events_finish(made.events));
    tacho_sink_perfetto.close(made.sink);
    tacho_status status = tacho_output_commit(&made.output);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    tacho_output_close(&made.output);
    tacho_dict_deinit(&made.dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head),       cmocka_unit_test(test_sequence_start),
        cmocka_unit_test(test_nothing),    cmocka_unit_test(test_losses_and_metadata),
        cmocka_unit_test(test_no_losses),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_restarts),   cmocka_unit_test(test_restart_before_any_event),
        cmocka_unit_test(test_same_twice), cmocka_unit_test(test_packets_are_plain),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
