/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments in the Perfetto sink: of all types, sizes and depths, and those that the sink adds.
 */
#include "sinks/perfetto_replay_testing.h"

/* ---- arguments -------------------------------------------------------------------------- */

static void test_args(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    tacho_arg args[] = {
        make_arg(&made, "i", TACHO_ARG_INT),    uint_arg(&made, "u", 18446744073709551615u),
        make_arg(&made, "r", TACHO_ARG_REAL),   make_arg(&made, "b", TACHO_ARG_BOOL),
        make_arg(&made, "s", TACHO_ARG_STRING), text_arg(&made, "t", TACHO_STR("words, \"more\"")),
        text_arg(&made, "none", TACHO_STR("")), make_arg(&made, "f", TACHO_ARG_BOOL),
        make_arg(&made, "j", TACHO_ARG_JSON),   make_arg(&made, "nan", TACHO_ARG_REAL),
        make_arg(&made, "inf", TACHO_ARG_REAL), make_arg(&made, "big", TACHO_ARG_JSON),
    };
    args[0].value.as_int = -9223372036854775807 - 1;
    args[2].value.as_real = -0.125;
    args[3].value.as_bool = true;
    args[4].value.as_string = string_id(&made, TACHO_STR("said often"));
    args[8].value.as_text = TACHO_STR("null");
    args[9].value.as_real = (double)NAN;
    args[10].value.as_real = -HUGE_VAL;
    args[11].value.as_text = TACHO_STR("123456789012345678901234567890");
    push_args(&made, add_track(&made, part, "t"), args, sizeof(args) / sizeof(args[0]));
    end_part(&made, part);
    check_events(&made, "begin 0 on 2 \"span\" cat i=int:-9223372036854775808 "
                        "u=uint:18446744073709551615 r=real:-0.125 b=bool:1 s=string:said often "
                        "t=text:words, \"more\" none=text: f=bool:0 j=text:null(value) "
                        "nan=text:NaN(value) inf=text:-Infinity(value) "
                        "big=text:123456789012345678901234567890(value)\n"
                        "end 1 on 2\n");
}

/* Nested dictionaries and arrays. */
static void test_nested_args(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    tacho_arg args[] = {
        make_arg(&made, "d", TACHO_ARG_DICT),
        uint_arg(&made, "one", 1),
        make_arg(&made, "l", TACHO_ARG_ARRAY),
        uint_arg(&made, "", 2),
        make_arg(&made, "", TACHO_ARG_DICT),
        uint_arg(&made, "deep", 3),
        uint_arg(&made, "after", 4),
        make_arg(&made, "l", TACHO_ARG_ARRAY),
        uint_arg(&made, "", 5),
        uint_arg(&made, "", 6),
    };
    args[0].value.as_uint = 5; /* one, l, 2, {, deep */
    args[2].value.as_uint = 3;
    args[4].value.as_uint = 1;
    args[7].value.as_uint = 2;
    push_args(&made, add_track(&made, part, "t"), args, sizeof(args) / sizeof(args[0]));
    end_part(&made, part);
    check_events(&made, "begin 0 on 2 \"span\" cat d={one=uint:1}{l=[uint:2][{deep=uint:3}]} "
                        "after=uint:4 l=[uint:5][uint:6]\n"
                        "end 1 on 2\n");
}

/* The maximum depth of the model. */
static void test_deep_args(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    tacho_arg args[TACHO_ARG_DEPTH_MAX + 2];
    text expected = {NULL, 0, 0};
    put(&expected, "begin 0 on 2 \"span\" cat ");
    for (size_t i = 0; i < TACHO_ARG_DEPTH_MAX; i++) {
        args[i] = make_arg(&made, "d", i % 2 == 0 ? TACHO_ARG_DICT : TACHO_ARG_ARRAY);
        args[i].value.as_uint = TACHO_ARG_DEPTH_MAX - i;
        put(&expected, i % 2 == 0 ? (i == 0 ? "d={" : "{") : "d=[");
    }
    args[TACHO_ARG_DEPTH_MAX] = uint_arg(&made, "", 7);
    args[TACHO_ARG_DEPTH_MAX + 1] = uint_arg(&made, "after", 8);
    put(&expected, "uint:7");
    for (size_t i = TACHO_ARG_DEPTH_MAX; i-- > 0;) {
        put(&expected, i % 2 == 0 ? "}" : "]");
    }
    put(&expected, " after=uint:8\nend 1 on 2\n");
    push_args(&made, add_track(&made, part, "t"), args, TACHO_ARG_DEPTH_MAX + 2);
    end_part(&made, part);
    check_events(&made, expected.data);
    free(expected.data);
}

enum { MANY_ARGS = 2000 };

static void count_args(void *self, const event *seen)
{
    size_t *count = self;
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, seen->body);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        *count += field.number == 4;
    }
}

/* So many that the output's buffer fills up repeatedly. */
static void test_many_args(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    tacho_arg *args = calloc(MANY_ARGS, sizeof(*args));
    assert_non_null(args);
    for (size_t i = 0; i < MANY_ARGS; i++) {
        args[i] = uint_arg(&made, "key", 18446744073709551615u);
    }
    for (int64_t i = 0; i < 40; i++) {
        tacho_row row = make_span(&made, track, TACHO_STR("s"), i, i + 1);
        row.args = args;
        row.arg_count = MANY_ARGS;
        push_row(&made, &row);
    }
    free(args);
    end_part(&made, part);
    tacho_str file;
    close_trace(&made, &file);
    size_t count = 0;
    replay *seen = make_replay(0);
    seen->visit = count_args;
    seen->self = &count;
    run_replay(seen, file);
    assert_int_equal(count, 40 * MANY_ARGS);
    free_replay(seen);
    free_file(file);
}

/* Arguments that the sink adds: location, run, an origin other than the part's, a missing end. */
static void test_own_args(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    tacho_location place = {.text = string_id(&made, TACHO_STR("\"f\":1:2"))};
    uint32_t location = 0;
    assert_ok(tacho_dict_ensure_location(&made.dict, &place, &location));
    tacho_run facts = {part, string_id(&made, TACHO_STR("main")), 3};
    tacho_row row = make_span(&made, track, TACHO_STR("s"), 0, 1);
    row.of.span.site = add_site(&made, TACHO_STR("s"), location);
    assert_ok(tacho_dict_add_run(&made.dict, &facts, &row.of.span.run));
    row.of.span.flags = TACHO_ORIGIN_MEASURED | TACHO_SPAN_UNENDED;
    push_row(&made, &row);
    facts.invocation = 0;
    assert_ok(tacho_dict_add_run(&made.dict, &facts, &row.of.span.run));
    row.start = row.of.span.end = 1;
    row.of.span.flags = 0;
    push_row(&made, &row);
    facts.invocation = -1;
    assert_ok(tacho_dict_add_run(&made.dict, &facts, &row.of.span.run));
    row.start = row.of.span.end = 2;
    row.of.span.flags = TACHO_ORIGIN_ESTIMATED; /* as the part: not written */
    push_row(&made, &row);
    end_part(&made, part);
    check_events(&made, "begin 0 on 2 \"s\" cat location=string:\"f\":1:2 run=string:main "
                        "invocation=uint:3 origin=text:measured unended=bool:1\n"
                        "end 1 on 2\n"
                        "begin 1 on 2 \"s\" cat location=string:\"f\":1:2 run=string:main "
                        "invocation=uint:0\n"
                        "end 1 on 2\n"
                        "begin 2 on 2 \"s\" cat location=string:\"f\":1:2 run=string:main\n"
                        "end 2 on 2\n");
}

#define BAD "\xff\xc0\x80" /* invalid UTF-8 */
#define DIRTY TACHO_STR("a\0b" BAD)
#define CLEAN                                                                                      \
    "a\xef\xbf\xbd"                                                                                \
    "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"

/* For any bytes, the output is valid UTF-8 without NUL; the reader asserts it. */
static void test_dirty_strings(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    uint32_t part = add_part_with(&made, TACHO_STR("part" BAD), &clock);
    uint32_t track = add_track(&made, part, "t");
    uint32_t counter = add_counter(&made, part, "c", TACHO_UNIT_NONE);
    uint32_t dirty = string_id(&made, DIRTY);
    made.dict.tracks[track].name = dirty;
    made.dict.tracks[counter].name = dirty;
    tacho_location place = {.text = dirty};
    uint32_t location = 0;
    assert_ok(tacho_dict_ensure_location(&made.dict, &place, &location));
    tacho_arg args[] = {
        {.key = dirty, .type = TACHO_ARG_TEXT},
        {.key = dirty, .type = TACHO_ARG_STRING},
        {.key = dirty, .type = TACHO_ARG_JSON},
    };
    args[0].value.as_text = DIRTY;
    args[1].value.as_string = dirty;
    args[2].value.as_text = DIRTY;
    tacho_row row = make_span(&made, track, DIRTY, 0, 1);
    tacho_site site = {dirty, dirty, location};
    assert_ok(tacho_dict_ensure_site(&made.dict, &site, &row.of.span.site));
    row.args = args;
    row.arg_count = 3;
    push_row(&made, &row);
    push_sample(&made, counter, 2, 1);
    end_part(&made, part);
    assert_ok(tacho_dict_add_metadata(&made.dict, "fact", DIRTY));
    check_shown(&made, SHOW_TRACKS | SHOW_EVENTS,
                "track 0 processes by rank 1 threads by rank 1\n"
                "process 1 \"part\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\" pid 1 "
                "\"part\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd (estimated)\" "
                "estimated rank 0\n"
                "thread 2 \"" CLEAN "\" pid 1 tid 2 \"" CLEAN "\" of 1 rank 5\n"
                "begin 0 on 2 \"" CLEAN "\" " CLEAN " location=string:" CLEAN " " CLEAN
                "=text:" CLEAN " " CLEAN "=string:" CLEAN " " CLEAN "=text:" CLEAN "(value)\n"
                "end 1 on 2\n"
                "track box 1.1 \"Counters\" of 1\n"
                "track 3 \"" CLEAN "\" counter of box 1.1 rank 5\n"
                "count 2 on 3 int 1\n");
}

/* Short texts are copied as words: each length, valid and with an invalid byte at each place. */
static void test_short_texts(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghij";
    static const char bad_bytes[] = {'\0', '\x80', '\xff'};
    for (size_t len = 1; len < sizeof(letters); len++) {
        for (size_t bad = 0; bad <= len; bad++) { /* at |len|: valid */
            char bytes[sizeof(letters)];
            char clean[4 * sizeof(letters)];
            char expected[256];
            memcpy(bytes, letters, sizeof(bytes));
            bytes[bad] = bad_bytes[(len + bad) % sizeof(bad_bytes)];
            snprintf(clean, sizeof(clean), "%.*s%s%.*s", (int)bad, letters,
                     bad < len ? "\xef\xbf\xbd" : "", (int)(bad < len ? len - bad - 1 : 0),
                     letters + bad + 1);
            trace made;
            open_trace(&made);
            uint32_t part = add_part(&made, "a");
            tacho_arg args[] = {text_arg(&made, "t", tacho_str_make(bytes, len)),
                                uint_arg(&made, "after", 2)};
            push_args(&made, add_track(&made, part, "t"), args, 2);
            end_part(&made, part);
            snprintf(expected, sizeof(expected),
                     "begin 0 on 2 \"span\" cat t=text:%s after=uint:2\nend 1 on 2\n", clean);
            check_events(&made, expected);
        }
    }
}

/* Texts around the sizes at which a packet needs a buffer of its own, and far beyond. */
static void test_large_args(void **state)
{
    (void)state;
    static const size_t sizes[] = {100,   127,   128,   16300, 16384, 21600,
                                   21750, 21845, 65300, 65536, 200000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (int is_dirty = 0; is_dirty < 2; is_dirty++) {
            trace made;
            open_trace(&made);
            uint32_t part = add_part(&made, "a");
            tacho_str words = filled(sizes[i], is_dirty ? '\xff' : 'x');
            tacho_arg args[] = {uint_arg(&made, "before", 1), text_arg(&made, "t", words),
                                uint_arg(&made, "after", 2)};
            push_args(&made, add_track(&made, part, "t"), args, 3);
            end_part(&made, part);
            free_file(words);
            char expected[128];
            snprintf(expected, sizeof(expected),
                     "begin 0 on 2 \"span\" cat before=uint:1 t=text:<%zu bytes> after=uint:2\n"
                     "end 1 on 2\n",
                     sizes[i] * (is_dirty ? 3 : 1));
            check_events(&made, expected);
        }
    }
}

static void test_large_names(void **state)
{
    (void)state;
    for (int is_dirty = 0; is_dirty < 2; is_dirty++) {
        trace made;
        open_trace(&made);
        uint32_t part = add_part(&made, "a");
        uint32_t track = add_track(&made, part, "t");
        tacho_str name = filled(300000, is_dirty ? '\xff' : 'x');
        made.dict.tracks[track].name = string_id(&made, name);
        tacho_row row = make_span(&made, track, name, 0, 1);
        push_row(&made, &row);
        push_span(&made, track, "short", 1, 2);
        end_part(&made, part);
        free_file(name);
        unsigned len = is_dirty ? 900000 : 300000;
        char expected[320];
        snprintf(expected, sizeof(expected),
                 "track 0 processes by rank 1 threads by rank 1\n"
                 "process 1 \"a\" pid 1 \"a (estimated)\" estimated rank 0\n"
                 "thread 2 \"<%u bytes>\" pid 1 tid 2 \"<%u bytes>\" of 1 rank 5\n"
                 "begin 0 on 2 \"<%u bytes>\" cat\nend 1 on 2\n"
                 "begin 1 on 2 \"short\" cat\nend 2 on 2\n",
                 len, len, len);
        check_shown(&made, SHOW_TRACKS | SHOW_EVENTS, expected);
    }
}

/* --args none: names and times, and the marks of doubtful ones. */
static void test_args_none(void **state)
{
    (void)state;
    const tacho_trace_options options = {.omit_args = true};
    trace made;
    open_with(&made, &options);
    tacho_clock clock;
    assert_ok(tacho_clock_init_mhz(&clock, TACHO_STR("1000")));
    uint32_t part = add_part_with(&made, TACHO_STR("a"), &clock);
    uint32_t track = add_track(&made, part, "t");
    tacho_location place = {.text = string_id(&made, TACHO_STR("here"))};
    uint32_t location = 0;
    assert_ok(tacho_dict_ensure_location(&made.dict, &place, &location));
    tacho_arg arg = uint_arg(&made, "key", 1);
    tacho_row row = make_span(&made, track, TACHO_STR("s"), 0, 1);
    row.of.span.site = add_site(&made, TACHO_STR("s"), location);
    row.of.span.flags = TACHO_ORIGIN_MEASURED | TACHO_SPAN_UNENDED;
    row.args = &arg;
    row.arg_count = 1;
    push_row(&made, &row);
    ahead(&made, track, 5, 1);
    push_span(&made, track, "s", 5, 6);
    end_part(&made, part);
    tacho_str file;
    close_trace(&made, &file);
    replay *seen = make_replay(SHOW_EVENTS);
    run_replay(seen, file);
    assert_string_equal(seen->out.data, "begin 0 on 2 \"s\" origin=text:measured unended=bool:1\n"
                                        "end 1 on 2\nbegin 5 on 2 \"s\" flow=1\nend 6 on 2\n");
    assert_null(seen->tables[CATEGORIES][1].data);
    assert_null(seen->tables[KEYS][3].data);
    assert_null(seen->tables[VALUES][1].data);
    free_replay(seen);
    free_file(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_args),       cmocka_unit_test(test_nested_args),
        cmocka_unit_test(test_deep_args),  cmocka_unit_test(test_many_args),
        cmocka_unit_test(test_own_args),   cmocka_unit_test(test_dirty_strings),
        cmocka_unit_test(test_large_args), cmocka_unit_test(test_large_names),
        cmocka_unit_test(test_args_none),  cmocka_unit_test(test_short_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
