/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed traces are read, and every row that comes out is written as text, in the order in
 * which it came, then the losses.
 *
 *     span #2 1000..3500 name|category a=1 b='x'     track, nanoseconds, arguments by type:
 *                                                    1 1u 0.5r true 'string' "text" <json> {2} [1]
 *     flow #2 1000 1 leaves data around
 *     sample #3 1000 7.5
 *     lost not_a_number 1 "ph":"X","name":"a"
 *
 * Where tracks matter they follow:
 *
 *     track #2 thread 7|host stack 0 rank 0 in #1?   ? for one that may still change
 */
#include "sources/chrome/chrome.h"

#include "profile/facts.h"
#include "sources/chrome/chrome_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

enum { TEXT_BYTES = 1 << 16, KEYS_BYTES = 1 << 16, PARTS_BYTES = 1 << 20 };

typedef struct recorder {
    tacho_events events;
    tacho_dict dict;
    size_t ended_count;
    char text[TEXT_BYTES];
    size_t text_len;
} recorder;

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

/* ---- what comes out, as text ------------------------------------------------------------ */

static void put(recorder *to, const char *format, ...) TACHO_PRINTF(2, 3);

static void put(recorder *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(to->text + to->text_len, TEXT_BYTES - to->text_len, format, arguments);
    va_end(arguments);
    to->text_len += (size_t)len;
    assert_true(to->text_len < TEXT_BYTES);
}

static const char *string_of(const recorder *from, uint32_t id)
{
    return tacho_dict_string(&from->dict, id).data;
}

static void put_arg(recorder *to, const tacho_arg *arg)
{
    put(to, " %s=", string_of(to, arg->key));
    switch (arg->type) {
    case TACHO_ARG_INT:
        put(to, "%lld", (long long)arg->value.as_int);
        break;
    case TACHO_ARG_UINT:
        put(to, "%lluu", (unsigned long long)arg->value.as_uint);
        break;
    case TACHO_ARG_REAL:
        put(to, "%.17gr", arg->value.as_real);
        break;
    case TACHO_ARG_BOOL:
        put(to, "%s", arg->value.as_bool ? "true" : "false");
        break;
    case TACHO_ARG_STRING:
        put(to, "'%s'", string_of(to, arg->value.as_string));
        break;
    case TACHO_ARG_TEXT:
        put(to, "\"%.*s\"", TACHO_STR_ARG(arg->value.as_text));
        break;
    case TACHO_ARG_DICT:
        put(to, "{%llu}", (unsigned long long)arg->value.as_uint);
        break;
    case TACHO_ARG_ARRAY:
        put(to, "[%llu]", (unsigned long long)arg->value.as_uint);
        break;
    case TACHO_ARG_JSON:
        put(to, "<%.*s>", TACHO_STR_ARG(arg->value.as_text));
        break;
    }
}

static void put_span(recorder *to, const tacho_row *row)
{
    const tacho_site *site = &to->dict.sites[row->of.span.site];
    uint32_t flags = row->of.span.flags;
    assert_true(row->start >= 0 && row->of.span.end >= row->start);
    put(to, "span #%u %lld..%lld %s|%s", row->track, (long long)row->start,
        (long long)row->of.span.end, string_of(to, site->name), string_of(to, site->category));
    for (size_t i = 0; i < row->arg_count; i++) {
        put_arg(to, &row->args[i]);
    }
    if (site->location != TACHO_NONE) {
        const tacho_location *location = &to->dict.locations[site->location];
        put(to, " at %s (%s:%u:%u)", string_of(to, location->text), string_of(to, location->file),
            location->line, location->column);
    }
    if (row->of.span.run != TACHO_NONE) {
        const tacho_run *run = &to->dict.runs[row->of.span.run];
        put(to, " run %s#%lld of %u", string_of(to, run->name), (long long)run->invocation,
            run->part);
    }
    put(to, "%s%s", (flags & TACHO_SPAN_INSTANT) != 0 ? " instant" : "",
        (flags & TACHO_SPAN_UNENDED) != 0 ? " unended" : "");
    if ((flags & TACHO_SPAN_ORIGIN_MASK) != 0) {
        put(to, " %s", tacho_origin_name((tacho_origin)(flags & TACHO_SPAN_ORIGIN_MASK)));
    }
    put(to, "\n");
}

static void put_flow(recorder *to, const tacho_row *row)
{
    put(to, "flow #%u %lld %llu %s %s ", row->track, (long long)row->start,
        (unsigned long long)row->of.flow.id, tacho_flow_phase_name(row->of.flow.phase),
        tacho_flow_role_name(row->of.flow.role));
    if (tacho_row_is_bound(row)) {
        put(to, "..%lld\n", (long long)row->of.flow.span_end);
    } else {
        put(to, "%s\n", tacho_row_is_around(row) ? "around" : "next");
    }
}

static tacho_status record(tacho_events *events, const tacho_row *row)
{
    recorder *to = (recorder *)(void *)events;
    assert_true(to->dict.tracks[row->track].part == to->ended_count);
    switch (row->kind) {
    case TACHO_ROW_SPAN:
        put_span(to, row);
        break;
    case TACHO_ROW_FLOW:
        put_flow(to, row);
        break;
    case TACHO_ROW_SAMPLE:
        put(to, "sample #%u %lld %g\n", row->track, (long long)row->start, row->of.sample.value);
        break;
    }
    return TACHO_OK;
}

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    recorder *to = (recorder *)(void *)events;
    assert_int_equal(part, to->ended_count);
    to->ended_count++;
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = record, .end_part = end_part};

static void put_losses(recorder *to, bool hides_bytes)
{
    for (size_t i = 0; i < to->dict.loss_count; i++) {
        const tacho_loss *loss = &to->dict.losses[i];
        const char *example = string_of(to, loss->example);
        assert_int_equal(loss->first_line, 0);
        if (hides_bytes) {
            assert_memory_equal(example, "byte ", 5);
            example = strchr(example, ':');
            assert_non_null(example);
            example += 2;
        }
        put(to, "lost %s %llu%s%s\n", tacho_loss_key(loss->reason), (unsigned long long)loss->count,
            loss->example != 0 ? " " : "", example);
    }
}

static void put_tracks(recorder *to)
{
    for (size_t i = 0; i < to->dict.track_count; i++) {
        const tacho_track *track = &to->dict.tracks[i];
        /* Where the trace gives no place: that among its class. */
        int32_t least = tacho_track_rank(0, track->track_class, 0);
        bool is_made = track->rank >= least && track->rank <= least + 4095;
        put(to, "track #%zu %s|%s %s %u rank %d", i, string_of(to, track->name),
            tacho_track_class_name(track->track_class),
            track->nesting == TACHO_NESTING_ENGINE ? "engine" : "stack", track->index,
            track->rank - (is_made ? least : 0));
        if (track->parent != TACHO_NONE) {
            put(to, " in #%u", track->parent);
        }
        if (track->lane_of != TACHO_NONE) {
            put(to, " lane of #%u", track->lane_of);
        }
        put(to, "%s%s%s\n", track->unit != TACHO_UNIT_NONE ? " " : "", tacho_unit_name(track->unit),
            track->is_provisional ? "?" : "");
    }
}

static void put_parts(recorder *to)
{
    for (size_t i = 0; i < to->dict.part_count; i++) {
        const tacho_part *part = &to->dict.parts[i];
        char clock[TACHO_FACTS_MAX];
        tacho_clock_facts_format(&to->dict, &to->dict.clocks[part->clock], clock);
        put(to, "part %s (%s) %s %s %s first %lld, %s\n", string_of(to, part->name),
            string_of(to, part->path), string_of(to, part->format), string_of(to, part->generation),
            tacho_origin_name(part->origin), (long long)part->first_start, clock);
    }
}

static void put_metadata(recorder *to)
{
    for (size_t i = 0; i < to->dict.metadata_count; i++) {
        put(to, "%s = %s\n", string_of(to, to->dict.metadata[i].key),
            string_of(to, to->dict.metadata[i].value));
    }
}

/* ---- reading ---------------------------------------------------------------------------- */

static recorder *make(void)
{
    recorder *made = calloc(1, sizeof(*made));
    assert_non_null(made);
    assert_ok(tacho_dict_init(&made->dict));
    made->events = (tacho_events){&vtable, &made->dict};
    return made;
}

static void destroy(recorder *made)
{
    tacho_dict_deinit(&made->dict);
    free(made);
}

static tacho_status read_held(recorder *to, tacho_str bytes, bool holds_events)
{
    tacho_source_options options = {.slice_count = 0};
    tacho_input input;
    assert_ok(tacho_input_open_bytes("t.json", bytes, &input));
    tacho_reading reading = {.input = &input,
                             .path = TACHO_STR("/runs/t.json"),
                             .options = &options,
                             .events = &to->events,
                             .holds_events = holds_events};
    tacho_status status = tacho_source_chrome.read(&reading);
    tacho_input_close(&input);
    return status;
}

/* Reads, and once more with events held where their order asks for it. */
static tacho_status read_bytes(recorder *to, tacho_str bytes)
{
    tacho_status status = read_held(to, bytes, false);
    if (tacho_status_code(status) != TACHO_CODE_OUT_OF_ORDER) {
        return status;
    }
    tacho_status_free(status);
    tacho_dict_deinit(&to->dict);
    assert_ok(tacho_dict_init(&to->dict));
    to->ended_count = 0;
    to->text_len = 0;
    to->text[0] = '\0';
    return read_held(to, bytes, true);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of |text| without their tracks' numbers, sorted; |*out_count| are found. */
static char **sort_lines(char *text, size_t *out_count)
{
    size_t room = strlen(text) / 2 + 1;
    char **lines = calloc(room, sizeof(*lines));
    assert_non_null(lines);
    *out_count = 0;
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *number = strchr(line, '#');
        if (number != NULL) {
            size_t digits = strspn(number + 1, "0123456789");
            memset(number + 1, '.', digits);
        }
        assert_true(*out_count < room);
        lines[(*out_count)++] = line;
    }
    qsort(lines, *out_count, sizeof(*lines), compare_lines);
    return lines;
}

/* Holding events changes nothing but the order in which rows come. */
static void expect_held_same(tacho_str bytes, const recorder *passed)
{
    recorder *held = make();
    char *text = strdup(passed->text);
    size_t counts[2];
    assert_non_null(text);
    assert_ok(read_held(held, bytes, true));
    char **expected = sort_lines(text, &counts[0]);
    char **found = sort_lines(held->text, &counts[1]);
    assert_int_equal(counts[0], counts[1]);
    for (size_t i = 0; i < counts[0]; i++) {
        assert_string_equal(found[i], expected[i]);
    }
    free(expected);
    free(found);
    free(text);
    destroy(held);
}

enum { TRACKS = 1, PARTS = 2, METADATA = 4, NO_LOSSES = 8, HIDES_BYTES = 16 };

static void expect_of(tacho_str bytes, unsigned what, const char *expected)
{
    recorder *to = make();
    assert_ok(read_bytes(to, bytes));
    assert_int_equal(to->ended_count, to->dict.part_count);
    expect_held_same(bytes, to);
    if ((what & NO_LOSSES) == 0) {
        put_losses(to, (what & HIDES_BYTES) != 0);
    }
    if ((what & TRACKS) != 0) {
        put_tracks(to);
    }
    if ((what & PARTS) != 0) {
        put_parts(to);
    }
    if ((what & METADATA) != 0) {
        put_metadata(to);
    }
    if (strcmp(to->text, expected) != 0) {
        print_message("of %.*s\n", TACHO_STR_ARG(bytes));
    }
    assert_string_equal(to->text, expected);
    destroy(to);
}

/* Formats into |to|, all of which must fit; returns the length. */
static size_t print(char *to, size_t room, const char *format, ...) TACHO_PRINTF(3, 4);

static size_t print(char *to, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(to, room, format, arguments);
    va_end(arguments);
    assert_true(len >= 0 && (size_t)len < room);
    return (size_t)len;
}

/* The events, as an array and as an object, give the rows and losses |expected|. */
static void expect(const char *events, const char *expected)
{
    char *text = malloc(strlen(events) + 64);
    assert_non_null(text);
    print(text, strlen(events) + 64, "[%s]", events);
    expect_of(tacho_str_from_cstring(text), HIDES_BYTES, expected);
    print(text, strlen(events) + 64, "{\"a\":[{}],\"traceEvents\":[%s],\"b\":{\"c\":1}}", events);
    expect_of(tacho_str_from_cstring(text), HIDES_BYTES, expected);
    free(text);
}

static void expect_tracks(const char *events, const char *expected)
{
    char *text = malloc(strlen(events) + 64);
    assert_non_null(text);
    print(text, strlen(events) + 64, "[%s]", events);
    expect_of(tacho_str_from_cstring(text), TRACKS, expected);
    free(text);
}

static void expect_failure(const char *bytes, const char *message)
{
    recorder *to = make();
    tacho_status status = read_bytes(to, tacho_str_from_cstring(bytes));
    assert_non_null(status);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
    destroy(to);
}

#define AT "\"pid\":1,\"tid\":7"
/* Something that always reads, behind what may not. */
#define GOOD "{\"ph\":\"X\",\"ts\":9,\"dur\":1,\"name\":\"good\"," AT "}"
#define GOOD_ROW(track) "span #" track " 9000..10000 good|\n"

/* ---- recognising ------------------------------------------------------------------------ */

static void expect_verdict(const char *head, tacho_probe_verdict verdict)
{
    if (tacho_source_chrome.probe(tacho_str_from_cstring(head)) != verdict) {
        fail_msg("verdict %d expected of %s", (int)verdict, head);
    }
}

static void test_probe(void **state)
{
    (void)state;
    expect_verdict("[\n{\"cat\" : \"Session\",\"pid\" :1,\"ph\" : \"X\"}", TACHO_PROBE_SURE);
    expect_verdict("[{},{\"ph\"", TACHO_PROBE_SURE);
    expect_verdict("[{},{\"ph\":\"X\"},", TACHO_PROBE_SURE);
    expect_verdict(" \t\r\n\xef\xbb\xbf[{\"ph\":1}]", TACHO_PROBE_NO);
    expect_verdict("\xef\xbb\xbf \r\n[{\"ph\":1}]", TACHO_PROBE_SURE);
    expect_verdict("{\"traceEvents\":[]}", TACHO_PROBE_SURE);
    expect_verdict("{\"schemaVersion\":1,\"x\":[{\"a\":NaN}],\"traceEvents\":[", TACHO_PROBE_SURE);
    /* The head ends before the key that tells. */
    expect_verdict("{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,", TACHO_PROBE_MAYBE);
    expect_verdict("{\"distributedInfo\":{\"backend\"", TACHO_PROBE_MAYBE);
    expect_verdict("[{\"name\":\"a\",\"args\":{\"long\":\"", TACHO_PROBE_MAYBE);
    /* Nothing was traced, as it seems. */
    expect_verdict("[]", TACHO_PROBE_MAYBE);
    expect_verdict("[", TACHO_PROBE_MAYBE);
    /* Other JSON, and what is none. */
    expect_verdict("{\"schemaVersion\":1}", TACHO_PROBE_NO);
    expect_verdict("{\"nodes\":[{\"name\":\"", TACHO_PROBE_NO);
    expect_verdict("[{\"a\":1},{\"b\":[{\"ph\":1}]}]", TACHO_PROBE_NO);
    expect_verdict("[{\"value\":\"", TACHO_PROBE_NO);
    expect_verdict("[{}]", TACHO_PROBE_NO);
    expect_verdict("[[{\"ph\":1}]]", TACHO_PROBE_NO);
    expect_verdict("{}", TACHO_PROBE_NO);
    expect_verdict("{\"a\":1}\n{\"traceEvents\":[]}\n", TACHO_PROBE_NO);
    expect_verdict("{\"schemaVersion\" 1", TACHO_PROBE_NO);
    expect_verdict("\"traceEvents\"", TACHO_PROBE_NO);
    expect_verdict("ID,Start,End\n", TACHO_PROBE_NO);
    expect_verdict("", TACHO_PROBE_NO);
}

/* ---- spans ------------------------------------------------------------------------------ */

static void test_complete(void **state)
{
    (void)state;
    expect("{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"c\",\"ts\":1,\"dur\":2.5," AT "}",
           "span #2 1000..3500 a|c\n");
    /* Fields in any order, unknown ones, none but the necessary. */
    expect("{\"args\":{\"n\":1},\"dur\":1,\"zzz\":{\"ph\":\"Q\"},\"ts\":2,\"tts\":5,\"ph\":\"X\"}",
           "span #2 2000..3000 | n=1 tts=5\n");
    expect("{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"tdur\":0.5,\"cname\":\"good\",\"tts\":[1]}",
           "span #2 1000..2000 | tdur=0.5r cname='good'\n");
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":4," AT "}", "span #2 4000..4000 a| unended\n");
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":4,\"dur\":0," AT "}", "span #2 4000..4000 a|\n");
    expect("{\"ph\":\"X\",\"name\":null,\"cat\":[1],\"ts\":4,\"dur\":0," AT "}",
           "span #2 4000..4000 |\n");
    expect("{\"ph\":\"X\",\"name\":\"q\\\"\\u00e9\",\"ts\":4,\"dur\":0," AT "}",
           "span #2 4000..4000 q\"\xc3\xa9|\n");
}

/* Without a length a span lasts to the latest time, and ends no other. */
static void test_no_duration(void **state)
{
    (void)state;
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":0,\"dur\":10," AT "},"
           "{\"ph\":\"X\",\"name\":\"open\",\"ts\":2,\"args\":{\"k\":1},\"bind_id\":1,"
           "\"flow_out\":true," AT "},"
           "{\"ph\":\"B\",\"name\":\"b\",\"ts\":3," AT "},"
           "{\"ph\":\"X\",\"name\":\"other\",\"ts\":1,\"dur\":null," AT "},"
           "{\"ph\":\"E\",\"ts\":25," AT "}",
           "span #2 0..10000 a|\nspan #2 3000..25000 b|\n"
           "flow #2 2000 1 leaves data ..25000\nspan #2 2000..25000 open| k=1 unended\n"
           "span #2 1000..25000 other| unended\n");
}

static void test_times(void **state)
{
    (void)state;
    /* Exact at epoch scale, as text, with exponents; the nearest nanosecond. */
    expect("{\"ph\":\"X\",\"ts\":1790857026123456.789,\"dur\":0.001}",
           "span #2 1790857026123456789..1790857026123456790 |\n");
    expect("{\"ph\":\"X\",\"ts\":\"1790857026123456.789\",\"dur\":\"1.5\"}",
           "span #2 1790857026123456789..1790857026123458289 |\n");
    expect("{\"ph\":\"X\",\"ts\":1.5e3,\"dur\":1E-3}", "span #2 1500000..1500001 |\n");
    expect("{\"ph\":\"X\",\"ts\":12.345678901234567890123,\"dur\":0.0004}",
           "span #2 12346..12346 |\n");
    expect("{\"ph\":\"X\",\"ts\":0,\"dur\":9223372036854775.806}",
           "span #2 0..9223372036854775806 |\n");
    expect("{\"ph\":\"X\",\"ts\":-0.0001,\"dur\":1}", "span #2 0..1000 |\n");
}

static void test_bad_times(void **state)
{
    (void)state;
    expect("{\"ph\":\"X\",\"name\":\"a\",\"dur\":1," AT "}," GOOD,
           GOOD_ROW("2") "lost missing_field 1 \"ph\":\"X\",\"name\":\"a\"\n");
    expect("{\"ph\":\"X\",\"name\":\"a\",\"ts\":\"soon\"," AT "},"
           "{\"ph\":\"X\",\"name\":\"b\",\"ts\":\"\"," AT "},"
           "{\"ph\":\"X\",\"ts\":NaN," AT "},{\"ph\":\"X\",\"ts\":true," AT "}," GOOD,
           GOOD_ROW("2") "lost not_a_number 4 \"ph\":\"X\",\"name\":\"a\"\n");
    expect("{\"ph\":\"X\",\"ts\":-1,\"dur\":5," AT "},{\"ph\":\"i\",\"ts\":-0.001," AT "}," GOOD,
           GOOD_ROW("2") "lost negative_time 2 \"ph\":\"X\",\"name\":\"\"\n");
    expect("{\"ph\":\"X\",\"ts\":9223372036854775.807,\"dur\":0},"
           "{\"ph\":\"X\",\"ts\":1e300},{\"ph\":\"X\",\"ts\":1e999999},"
           "{\"ph\":\"X\",\"ts\":1,\"dur\":9223372036854775.806},"
           "{\"ph\":\"X\",\"ts\":0.001,\"dur\":9223372036854775.806}," GOOD,
           GOOD_ROW("2") "lost time_overflow 4 \"ph\":\"X\",\"name\":\"\"\n"
                         "lost not_a_number 1 \"ph\":\"X\",\"name\":\"\"\n");
    expect("{\"ph\":\"X\",\"ts\":5,\"dur\":-1," AT "}," GOOD,
           GOOD_ROW("2") "lost end_before_start 1 \"ph\":\"X\",\"name\":\"\"\n");
    expect("{\"ph\":\"X\",\"ts\":5,\"dur\":\"long\"," AT "}," GOOD,
           GOOD_ROW("2") "lost not_a_number 1 \"ph\":\"X\",\"name\":\"\"\n");
}

static void test_begin_end(void **state)
{
    (void)state;
    expect("{\"ph\":\"B\",\"name\":\"a\",\"cat\":\"c\",\"ts\":1,\"args\":{\"x\":1}," AT "},"
           "{\"ph\":\"B\",\"name\":\"b\",\"ts\":2," AT "},"
           "{\"ph\":\"B\",\"name\":\"other\",\"ts\":2,\"pid\":1,\"tid\":8},"
           "{\"ph\":\"E\",\"ts\":3," AT "},{\"ph\":\"E\",\"ts\":4,\"args\":{\"y\":2}," AT "},"
           "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"tid\":8}",
           "span #2 2000..3000 b|\nspan #2 1000..4000 a|c x=1 y=2\nspan #3 2000..5000 other|\n");
    /* A name closes its own, an empty one any. */
    expect("{\"ph\":\"B\",\"name\":\"a\",\"ts\":1," AT "},{\"ph\":\"B\",\"name\":\"b\",\"ts\":2," AT
           "},{\"ph\":\"E\",\"name\":\"a\",\"ts\":3," AT
           "},{\"ph\":\"E\",\"name\":\"\",\"ts\":4," AT "}",
           "span #2 1000..3000 a|\nspan #2 2000..4000 b|\n");
    /* What never ends lasts as long as the file; what never began is lost. */
    expect("{\"ph\":\"B\",\"name\":\"a\",\"ts\":1," AT "},{\"ph\":\"B\",\"name\":\"b\",\"ts\":2," AT
           "}," GOOD,
           GOOD_ROW("2") "span #2 1000..10000 a| unended\nspan #2 2000..10000 b| unended\n");
    expect("{\"ph\":\"E\",\"name\":\"a\",\"ts\":1," AT "}," GOOD
           ",{\"ph\":\"B\",\"name\":\"b\",\"ts\":20," AT
           "},{\"ph\":\"E\",\"name\":\"c\",\"ts\":21," AT "},{\"ph\":\"E\",\"ts\":19," AT "}",
           GOOD_ROW("2") "span #2 20000..21000 b| unended\n"
                         "lost unmatched_end 3 \"ph\":\"E\",\"name\":\"a\"\n");
}

#define B(name, ts) "{\"ph\":\"B\",\"name\":\"" name "\",\"ts\":" ts "," AT "}"
#define E(ts) "{\"ph\":\"E\",\"ts\":" ts "," AT "}"

/* Time pairs, not the place in the file. */
static void test_begin_end_unsorted(void **state)
{
    (void)state;
    expect(B("in", "5") "," B("out", "0") "," E("6") "," E("10"),
           "span #2 5000..6000 in|\nspan #2 0..10000 out|\n");
    expect(E("20") "," B("a", "10"), "span #2 10000..20000 a|\n");
    expect(B("a", "0") "," E("10") "," B("b", "2") "," E("5"),
           "span #2 2000..5000 b|\nspan #2 0..10000 a|\n");
    /* Threads do not wait for one another. */
    recorder *to = make();
    assert_ok(read_held(to,
                        TACHO_STR("[" B("a", "5") ",{\"ph\":\"B\",\"name\":\"b\",\"ts\":1},"
                                                  "{\"ph\":\"E\",\"ts\":2}," E("6") "]"),
                        false));
    assert_string_equal(to->text, "span #4 1000..2000 b|\nspan #2 5000..6000 a|\n");
    destroy(to);
    to = make();
    tacho_status status = read_held(to, TACHO_STR("[" B("a", "5") "," E("4") "]"), false);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
    assert_string_equal(tacho_status_message(status),
                        "t.json: byte 46: an event that is earlier than those before it");
    tacho_status_free(status);
    destroy(to);
    /* At one time the file's order holds: spans that touch, and such of no length. */
    expect(B("a", "0") "," E("5") "," B("b", "5") "," E("9") "," B("z", "3") "," E("3"),
           "span #2 3000..3000 z|\nspan #2 0..5000 a|\nspan #2 5000..9000 b|\n");
    /* What never ends is still marked; arguments and flows wait as well. */
    expect("{\"ph\":\"B\",\"name\":\"late\",\"ts\":7,\"args\":{\"t\":[1,\"s\"]},\"bind_id\":3,"
           "\"flow_out\":true," AT "}," B("a", "1") ","
                                                    "{\"ph\":\"E\",\"ts\":2,\"args\":{\"y\":2}," AT
                                                    "}",
           "span #2 1000..2000 a| y=2\nflow #2 7000 1 leaves data ..7000\n"
           "span #2 7000..7000 late| t=[2] =1 ='s' unended\n");
    expect(B("a", "5") "," E("6") ",{\"ph\":\"E\",\"name\":\"lone\",\"ts\":1," AT "}",
           "span #2 5000..6000 a|\nlost unmatched_end 1 \"ph\":\"E\",\"name\":\"lone\"\n");
}

static void test_async_unsorted(void **state)
{
    (void)state;
    expect("{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"name\":\"o\",\"ts\":10,\"pid\":1},"
           "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"o\",\"ts\":0,\"pid\":1}",
           "span #2 0..10000 o|c\n");
    /* The outermost names the track, wherever it stands; an instant in it goes along. */
    expect_tracks("{\"ph\":\"n\",\"cat\":\"c\",\"id\":1,\"name\":\"tick\",\"ts\":4,\"pid\":1,"
                  "\"bind_id\":3,\"flow_in\":true},"
                  "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"in\",\"ts\":2,\"pid\":1},"
                  "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"out\",\"ts\":1,\"pid\":1},"
                  "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"ts\":8,\"pid\":1},"
                  "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"ts\":6,\"pid\":1}",
                  "flow #2 4000 1 arrives data ..4000\nspan #2 4000..4000 tick|c instant\n"
                  "span #2 2000..6000 in|c\nspan #2 1000..8000 out|c\n"
                  "track #0 t.json|group stack 0 rank 0\n"
                  "track #1 process 1|group stack 0 rank 0 in #0\n"
                  "track #2 out|host stack 0 rank 0 in #1\n");
    expect("{\"ph\":\"F\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":5,\"pid\":1},"
           "{\"ph\":\"S\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":1,\"pid\":1}",
           "span #2 1000..5000 a|c\n");
}

static void test_instants(void **state)
{
    (void)state;
    expect("{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"s\":\"t\"," AT "},"
           "{\"ph\":\"I\",\"name\":\"b\",\"ts\":2,\"s\":\"p\",\"args\":{\"k\":1}," AT "},"
           "{\"ph\":\"R\",\"name\":\"c\",\"ts\":3," AT "},"
           "{\"ph\":\"i\",\"name\":\"d\",\"ts\":4,\"s\":\"g\"," AT "}",
           "span #2 1000..1000 a| instant\nspan #2 2000..2000 b| k=1 scope='process' instant\n"
           "span #2 3000..3000 c| instant\nspan #2 4000..4000 d| scope='global' instant\n");
}

static void test_async(void **state)
{
    (void)state;
    static const char events[] =
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x1\",\"name\":\"load\",\"ts\":1,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":2,\"name\":\"load\",\"ts\":2,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"inner\",\"ts\":3,\"pid\":1},"
        "{\"ph\":\"n\",\"cat\":\"c\",\"id\":\"0x1\",\"name\":\"tick\",\"ts\":4,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"name\":\"inner\",\"ts\":5,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"name\":\"load\",\"ts\":6,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":2,\"name\":\"load\",\"ts\":7,\"pid\":1},"
        "{\"ph\":\"n\",\"cat\":\"c\",\"id\":9,\"name\":\"alone\",\"ts\":8,\"pid\":1}";
    expect_tracks(events, "span #2 4000..4000 tick|c instant\nspan #2 3000..5000 inner|c\n"
                          "span #2 1000..6000 load|c\nspan #2 2000..7000 load|c\n"
                          "span #3 8000..8000 alone|c instant\n"
                          "track #0 t.json|group stack 0 rank 0\n"
                          "track #1 process 1|group stack 0 rank 0 in #0\n"
                          "track #2 load|host stack 0 rank 0 in #1\n"
                          "track #3 alone|host stack 0 rank 1 in #1\n");
}

static void test_async_keys(void **state)
{
    (void)state;
    /* Another process, category, scope or local id is another operation; a global id is not. */
    expect(
        "{\"ph\":\"b\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":1,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"ts\":2,\"pid\":2},"
        "{\"ph\":\"e\",\"cat\":\"d\",\"id\":1,\"ts\":3,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"scope\":\"s\",\"ts\":4,\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id\":1,\"ts\":5,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"local\":\"0x5\"},\"name\":\"l\",\"ts\":6,\"pid\":1}"
        ","
        "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"local\":\"0x5\"},\"ts\":7,\"pid\":2},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"local\":\"0x5\"},\"ts\":8,\"pid\":1},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"x\":[],\"global\":\"g\"},\"name\":\"g\",\"ts\":6,"
        "\"pid\":1},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"global\":\"g\"},\"ts\":9,\"pid\":2},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"name\":\"none\",\"ts\":9,\"pid\":2}",
        "span #2 1000..5000 a|c\nspan #3 6000..8000 l|c\nspan #4 6000..9000 g|c\n"
        "lost unmatched_end 4 \"ph\":\"e\",\"name\":\"\"\n"
        "lost missing_field 1 \"ph\":\"b\",\"name\":\"none\"\n");
}

static void test_old_async(void **state)
{
    (void)state;
    expect("{\"ph\":\"S\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":1,\"pid\":1},"
           "{\"ph\":\"S\",\"cat\":\"c\",\"id\":1,\"name\":\"b\",\"ts\":2,\"pid\":1},"
           "{\"ph\":\"T\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":3,\"pid\":1,"
           "\"args\":{\"step\":\"one\"}},"
           "{\"ph\":\"p\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":4,\"pid\":1},"
           "{\"ph\":\"F\",\"cat\":\"c\",\"id\":1,\"name\":\"a\",\"ts\":5,\"pid\":1},"
           "{\"ph\":\"F\",\"cat\":\"c\",\"id\":1,\"name\":\"b\",\"ts\":6,\"pid\":1}",
           "span #2 3000..3000 a|c step='one' instant\nspan #2 4000..4000 a|c instant\n"
           "span #2 1000..5000 a|c\nspan #3 2000..6000 b|c\n");
}

static void test_counters(void **state)
{
    (void)state;
    expect_tracks(
        "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":1,\"pid\":1,\"args\":{\"used\":3,\"free\":0.5}},"
        "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":2,\"pid\":1,\"tid\":4,\"args\":{\"used\":\"4.5\"}},"
        "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":3,\"pid\":1,\"id\":\"0xa\",\"args\":{\"used\":-1}},"
        "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":4,\"pid\":2,\"args\":{\"used\":18446744073709551615}"
        "}",
        "sample #2 1000 3\nsample #3 1000 0.5\nsample #2 2000 4.5\nsample #4 3000 -1\n"
        "sample #6 4000 1.84467e+19\n"
        "track #0 t.json|group stack 0 rank 0\ntrack #1 process 1|group stack 0 rank 0 in #0\n"
        "track #2 mem used|counter stack 0 rank 0 in #1\n"
        "track #3 mem free|counter stack 0 rank 1 in #1\n"
        "track #4 mem 0xa used|counter stack 0 rank 2 in #1\n"
        "track #5 process 2|group stack 0 rank 1 in #0\n"
        "track #6 mem used|counter stack 0 rank 0 in #5\n");
    expect("{\"ph\":\"C\",\"name\":\"m\",\"ts\":1,\"args\":{\"a\":\"x\",\"b\":true,\"c\":{\"d\":1},"
           "\"e\":NaN,\"f\":null,\"g\":2}},{\"ph\":\"C\",\"name\":\"n\",\"ts\":1}",
           "sample #2 1000 2\nlost not_a_number 3 \"ph\":\"C\",\"name\":\"m\"\n"
           "lost not_finite 2 \"ph\":\"C\",\"name\":\"m\"\n"
           "lost missing_field 1 \"ph\":\"C\",\"name\":\"n\"\n");
}

/* ---- flows ------------------------------------------------------------------------------ */

static void test_flows(void **state)
{
    (void)state;
    expect(
        "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"n\",\"id\":77,\"ts\":1," AT "},"
        "{\"ph\":\"t\",\"cat\":\"c\",\"name\":\"n\",\"id\":\"77\",\"ts\":2," AT "},"
        "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"n\",\"id\":\"0x4D\",\"ts\":3," AT "},"
        "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"n\",\"id\":77,\"bp\":\"e\",\"ts\":4," AT "},"
        "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"m\",\"id\":77,\"ts\":5," AT "},"
        "{\"ph\":\"s\",\"cat\":\"d\",\"name\":\"n\",\"id\":77,\"ts\":6," AT "},"
        "{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":18446744073709551615,\"ts\":7," AT
        "},"
        "{\"ph\":\"s\",\"cat\":\"async_cpu_to_gpu\",\"name\":\"x\",\"id\":\"text\",\"ts\":8," AT
        "},"
        "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"n\",\"ts\":9," AT "}",
        "flow #2 1000 1 leaves data around\nflow #2 2000 1 passes data around\n"
        "flow #2 3000 1 arrives data next\nflow #2 4000 1 arrives data around\n"
        "flow #2 5000 2 leaves data around\nflow #2 6000 3 leaves data around\n"
        "flow #2 7000 4 leaves launch around\nflow #2 8000 5 leaves launch around\n"
        "lost missing_field 1 \"ph\":\"s\",\"name\":\"n\"\n");
}

#define FLOW(ph, id, ts)                                                                           \
    "{\"ph\":\"" ph "\",\"name\":\"n\",\"id\":" id ",\"bp\":\"e\",\"ts\":" ts "," AT "},"

static void test_reused_flows(void **state)
{
    (void)state;
    expect(FLOW("s", "1", "0") FLOW("f", "1", "5") FLOW("f", "1", "6") FLOW("s", "2", "7")
               FLOW("s", "1", "10") FLOW("t", "1", "12") FLOW("f", "1", "15") FLOW("s", "1", "20")
                   FLOW("f", "1", "25") FLOW("f", "2", "26") "{}",
           "flow #2 0 1 leaves data around\nflow #2 5000 1 arrives data around\n"
           "flow #2 6000 1 arrives data around\nflow #2 7000 2 leaves data around\n"
           "flow #2 10000 3 leaves data around\nflow #2 12000 3 passes data around\n"
           "flow #2 15000 3 arrives data around\nflow #2 20000 4 leaves data around\n"
           "flow #2 25000 4 arrives data around\nflow #2 26000 2 arrives data around\n");
    /* An arrival may stand before what it comes from; two that leave are one while none arrives. */
    expect(FLOW("f", "1", "5") FLOW("s", "1", "0") FLOW("f", "1", "6") FLOW("s", "2", "7")
               FLOW("s", "2", "8") "{}",
           "flow #2 5000 1 arrives data around\nflow #2 0 1 leaves data around\n"
           "flow #2 6000 1 arrives data around\nflow #2 7000 2 leaves data around\n"
           "flow #2 8000 2 leaves data around\n");
}

/* What stands in place of an event is counted; an empty object behind the last comma is not. */
static void test_no_events_between(void **state)
{
    (void)state;
    expect(GOOD ",{},null,7,\"x\",true,[1]," GOOD ",{}",
           GOOD_ROW("2") GOOD_ROW("2") "lost missing_field 6 \"ph\":\"\",\"name\":\"\"\n");
}

/* Ids are numbers in any form. */
static void test_id_forms(void **state)
{
    (void)state;
    expect(FLOW("s", "7", "0") FLOW("f", "7.0", "1") FLOW("f", "\"7\"", "2") FLOW("f", "0.7e1", "3")
               FLOW("f", "\"0x07\"", "4") FLOW("s", "-7", "5") FLOW("f", "-7.0", "6")
                   FLOW("s", "7.5", "7") "{}",
           "flow #2 0 1 leaves data around\nflow #2 1000 1 arrives data around\n"
           "flow #2 2000 1 arrives data around\nflow #2 3000 1 arrives data around\n"
           "flow #2 4000 1 arrives data around\nflow #2 5000 2 leaves data around\n"
           "flow #2 6000 2 arrives data around\nflow #2 7000 3 leaves data around\n");
    expect("{\"ph\":\"b\",\"id\":7,\"name\":\"a\",\"ts\":1},{\"ph\":\"e\",\"id\":7.0,\"ts\":2}",
           "span #2 1000..2000 a|\n");
    expect_tracks("{\"ph\":\"C\",\"id\":7.0,\"name\":\"c\",\"ts\":1,\"args\":{\"v\":1}},"
                  "{\"ph\":\"C\",\"id\":7,\"name\":\"c\",\"ts\":2,\"args\":{\"v\":2}}",
                  "sample #2 1000 1\nsample #2 2000 2\ntrack #0 t.json|group stack 0 rank 0\n"
                  "track #1 process 0|group stack 0 rank 0 in #0\n"
                  "track #2 c 7 v|counter stack 0 rank 0 in #1\n");
}

static void test_bound_flows(void **state)
{
    (void)state;
    expect(
        "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"bind_id\":\"0x9\",\"flow_out\":true," AT
        "},"
        "{\"ph\":\"B\",\"name\":\"b\",\"ts\":4,\"bind_id\":9,\"flow_in\":true,\"flow_out\":1," AT
        "},"
        "{\"ph\":\"E\",\"ts\":6," AT "},"
        "{\"ph\":\"i\",\"name\":\"c\",\"ts\":7,\"bind_id\":\"0x9\",\"flow_in\":true,"
        "\"flow_out\":false," AT "},"
        "{\"ph\":\"X\",\"name\":\"d\",\"ts\":8,\"dur\":1,\"bind_id\":1,\"flow_in\":false," AT "},"
        "{\"ph\":\"X\",\"name\":\"e\",\"ts\":9,\"dur\":1,\"flow_in\":true," AT "}",
        "flow #2 1000 1 leaves data ..3000\nspan #2 1000..3000 a|\n"
        "flow #2 4000 1 passes data ..6000\nspan #2 4000..6000 b|\n"
        "flow #2 7000 1 arrives data ..7000\nspan #2 7000..7000 c| instant\n"
        "span #2 8000..9000 d|\nspan #2 9000..10000 e|\n");
}

/* ---- other events ----------------------------------------------------------------------- */

static void test_other_events(void **state)
{
    (void)state;
    expect("{\"ph\":\"N\",\"ts\":1,\"name\":\"o\",\"id\":1},{\"ph\":\"O\",\"ts\":1,\"id\":1},"
           "{\"ph\":\"D\",\"ts\":1,\"id\":1},{\"ph\":\"P\",\"ts\":1},{\"ph\":\"V\",\"ts\":1},"
           "{\"ph\":\"v\",\"ts\":1},{\"ph\":\"Q\",\"ts\":1},{\"ph\":\"XX\",\"ts\":1},{\"ph\":\"\"},"
           "{\"ph\":7}," GOOD,
           GOOD_ROW("2") "lost unknown_event 10 \"ph\":\"N\",\"name\":\"o\"\n");
    expect("{\"ph\":\"c\",\"ts\":1},{\"ph\":\"(\",\"ts\":1},{\"ph\":\")\",\"ts\":1},"
           "{\"ph\":\"=\",\"ts\":1},{\"ph\":\"M\",\"name\":\"num_cpus\",\"args\":{\"number\":4}},"
           "{\"ph\":\"M\",\"name\":\"tacho_part\",\"args\":{\"name\":\"no\"}}," GOOD ",{}",
           GOOD_ROW("2"));
    expect("{\"ts\":1,\"name\":\"x\"},null,[],7,\"text\"," GOOD,
           GOOD_ROW("2") "lost missing_field 5 \"ph\":\"\",\"name\":\"x\"\n");
}

/* ---- tracks ----------------------------------------------------------------------------- */

#define M(what, where, args) "{\"ph\":\"M\",\"name\":\"" what "\"," where ",\"args\":{" args "}},"
#define X(where) "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"x\"," where "}"
#define X_ROW(track) "span #" track " 1000..2000 x|\n"

static void test_names(void **state)
{
    (void)state;
    static const char expected[] = X_ROW("2") X_ROW("3") X_ROW("5") X_ROW("6")
        X_ROW("8") "track #0 t.json|group stack 0 rank 0\n"
                   "track #1 python 3254 [GPU 0]|group stack 0 rank 50 in #0\n"
                   "track #2 stream 7|compute stack 0 rank 9 in #1\n"
                   "track #3 stream 7|compute stack 0 rank 1 in #1\n"
                   "track #4 Spans|group stack 0 rank 1 in #0\n"
                   "track #5 PyTorch|host stack 0 rank 0 in #4\n"
                   "track #6 thread -5|host stack 0 rank 1 in #4\n"
                   "track #7 process 1.5|group stack 0 rank 2 in #0\n"
                   "track #8 thread 1.5|host stack 0 rank 0 in #7\n";
#define NAMES                                                                                      \
    M("process_name", "\"pid\":3254", "\"name\":\"old\"")                                          \
    M("process_name", "\"pid\":3254", "\"name\":\"python\"")                                       \
    M("process_labels", "\"pid\":3254", "\"labels\":\"GPU 0\"")                                    \
    M("process_sort_index", "\"pid\":3254", "\"sort_index\":50")                                   \
    M("thread_name", "\"pid\":3254,\"tid\":7", "\"name\":\"stream 7\"")                            \
    M("thread_name", "\"pid\":3254,\"tid\":8", "\"name\":\"stream 7\"")                            \
    M("thread_sort_index", "\"pid\":3254,\"tid\":7", "\"sort_index\":9")
#define EVENTS                                                                                     \
    X("\"pid\":3254,\"tid\":7")                                                                    \
    "," X("\"pid\":\"3254\",\"tid\":8.0") "," X("\"pid\":\"Spans\",\"tid\":\"PyTorch\"") "," X(    \
        "\"pid\":\"Spans\",\"tid\":-5") "," X("\"pid\":1.5")
    expect_tracks(NAMES EVENTS, expected);
    expect_tracks(EVENTS "," NAMES "{}", expected); /* late */
}

/* Categories say what a thread is; the name of its process counts only where they say nothing. */
static void test_classes(void **state)
{
    (void)state;
#define OF_GPU(tid, cat)                                                                           \
    "{\"ph\":\"X\",\"name\":\"x\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":" tid ",\"cat\":\"" cat     \
    "\"},"
    expect_tracks(M("process_labels", "\"pid\":1", "\"labels\":\"GPU 0\"")
                      OF_GPU("2", "python_function") OF_GPU("3", "kernel") OF_GPU("4", "odd") "{}",
                  "span #2 1000..2000 x|python_function\nspan #3 1000..2000 x|kernel\n"
                  "span #4 1000..2000 x|odd\n"
                  "track #0 t.json|group stack 0 rank 0\n"
                  "track #1 process 1 [GPU 0]|group stack 0 rank 0 in #0\n"
                  "track #2 thread 2|host stack 0 rank 0 in #1\n"
                  "track #3 thread 3|compute stack 0 rank 1 in #1\n"
                  "track #4 thread 4|compute stack 0 rank 2 in #1\n");
}

static void test_more_names(void **state)
{
    (void)state;
    expect_tracks(
        M("process_name", "\"pid\":\"a\"", "\"name\":\"a\"")
            M("process_name", "\"pid\":\"b\"", "\"name\":\"host\"")
                M("process_name", "\"pid\":3", "\"name\":\"/device:GPU:0\"")
                    M("process_sort_index", "\"pid\":3", "\"sort_index\":99999999999")
                        M("process_sort_index", "\"pid\":\"b\"", "\"sort_index\":\"x\"")
                            M("thread_name", "\"pid\":77", "\"name\":\"never used\"")
                                X("\"pid\":\"a\",\"tid\":1") "," X("\"pid\":\"b\",\"tid\":1") "," X(
                                    "\"pid\":3,\"tid\":1") "," X("\"pid\":\"\",\"tid\":\"\""),
        X_ROW("2") X_ROW("4") X_ROW("6")
            X_ROW("8") "track #0 t.json|group stack 0 rank 0\n"
                       "track #1 a|group stack 0 rank 0 in #0\n"
                       "track #2 thread 1|host stack 0 rank 0 in #1\n"
                       "track #3 host b|group stack 0 rank 1 in #0\n"
                       "track #4 thread 1|host stack 0 rank 0 in #3\n"
                       "track #5 /device:GPU:0 3|group stack 0 rank 2147483647 in #0\n"
                       "track #6 thread 1|compute stack 0 rank 0 in #5\n"
                       "track #7 process|group stack 0 rank 4 in #0\n"
                       "track #8 thread|host stack 0 rank 0 in #7\n");
}

static void test_rank_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rank;
    } cases[] = {
        {"7", 7},
        {"\"7\"", 7},
        {"3.0", 3},
        {"\"3.0\"", 3},
        {"-2.0", -2},
        {"1e300", 2147483647},
        {"-1e300", -2147483647 - 1},
        {"18446744073709551615", 2147483647},
        {"\"x\"", 0},
        {"true", 0},
        {"null", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char events[256];
        char expected[256];
        print(events, sizeof(events),
              M("process_sort_index", "\"pid\":1", "\"sort_index\":%s") X("\"pid\":1"),
              cases[i].text);
        print(expected, sizeof(expected),
              X_ROW("2") "track #0 t.json|group stack 0 rank 0\n"
                         "track #1 process 1|group stack 0 rank %d in #0\n"
                         "track #2 thread 1|host stack 0 rank 0 in #1\n",
              cases[i].rank);
        expect_tracks(events, expected);
    }
}

/* An end without a begin leaves no empty track. */
static void test_end_makes_no_track(void **state)
{
    (void)state;
    expect_tracks("{\"ph\":\"E\",\"ts\":1,\"pid\":5,\"tid\":6}," GOOD,
                  GOOD_ROW("2") "lost unmatched_end 1 byte 1: \"ph\":\"E\",\"name\":\"\"\n"
                                "track #0 t.json|group stack 0 rank 0\n"
                                "track #1 process 1|group stack 0 rank 1 in #0\n"
                                "track #2 thread 7|host stack 0 rank 0 in #1\n");
}

/* ---- arguments -------------------------------------------------------------------------- */

static void expect_args(const char *args, const char *expected)
{
    char event[8192];
    char row[8192];
    snprintf(event, sizeof(event), "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":%s}", args);
    snprintf(row, sizeof(row), "span #2 1000..2000 |%s\n", expected);
    expect(event, row);
}

static void test_args(void **state)
{
    (void)state;
    expect_args("{}", "");
    expect_args("null", "");
    expect_args("\"text\"", "");
    expect_args("[1,2]", "");
    expect_args("{\"a\":1,\"a\":2,\"\":3}", " a=1 a=2 =3");
    expect_args("{\"a\":-9223372036854775808,\"b\":9223372036854775807,\"c\":9223372036854775808,"
                "\"d\":18446744073709551615,\"e\":18446744073709551616,\"f\":-9223372036854775809,"
                "\"g\":123456789012345678901234567890,\"h\":1000000000000000000,\"i\":-0}",
                " a=-9223372036854775808 b=9223372036854775807 c=9223372036854775808u"
                " d=18446744073709551615u e=<18446744073709551616> f=<-9223372036854775809>"
                " g=<123456789012345678901234567890> h=1000000000000000000 i=0");
    expect_args("{\"a\":0.5,\"b\":1e3,\"c\":12.0,\"d\":-2.5E-1,\"e\":1e999}",
                " a=0.5r b=1000r c=12r d=-0.25r e=<1e999>");
    expect_args("{\"a\":true,\"b\":false,\"c\":null,\"d\":NaN,\"e\":-Infinity}",
                " a=true b=false c=<null> d=nanr e=-infr");
    expect_args("{\"a\":\"\",\"b\":\"x\\ny\"}", " a='' b='x\ny'");
    /* 64 bytes are a string, 65 text. */
    expect_args("{\"a\":\"0123456789012345678901234567890123456789012345678901234567890123\","
                "\"b\":\"01234567890123456789012345678901234567890123456789012345678901234\"}",
                " a='0123456789012345678901234567890123456789012345678901234567890123'"
                " b=\"01234567890123456789012345678901234567890123456789012345678901234\"");
}

static void test_nested_args(void **state)
{
    (void)state;
    expect_args("{\"d\":{\"x\":[1,[],{\"y\":{}},\"s\"],\"z\":null},\"e\":{},\"f\":[[2]]}",
                " d={7} x=[5] =1 =<[]> ={1} y=<{}> ='s' z=<null> e=<{}> f=[2] =[1] =2");
    /* Sixteen deep is as deep as it goes; what lies below stays JSON, on one line. */
    expect_args("{\"k\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}",
                " k=[16] =[15] =[14] =[13] =[12] =[11] =[10] =[9] =[8] =[7] =[6] =[5] =[4] =[3]"
                " =[2] =[1] =1");
    expect_args("{\"k\":[[[[[[[[[[[[[[[[{\"a b\" : [1,\n \"\\\" \\\\\" ]},2]]]]]]]]]]]]]]]]}",
                " k=[17] =[16] =[15] =[14] =[13] =[12] =[11] =[10] =[9] =[8] =[7] =[6] =[5] =[4]"
                " =[3] =[2] =<{\"a b\":[1,\"\\\" \\\\\"]}> =2");
    /* ... or text where the file's JSON is not clean. */
    expect_args("{\"k\":[[[[[[[[[[[[[[[[[NaN]]]]]]]]]]]]]]]]]}",
                " k=[16] =[15] =[14] =[13] =[12] =[11] =[10] =[9] =[8] =[7] =[6] =[5] =[4] =[3]"
                " =[2] =[1] =\"[NaN]\"");
}

/* The dictionary takes only so many different values. */
static void test_many_values(void **state)
{
    (void)state;
    tacho_dict dict;
    assert_ok(tacho_dict_init(&dict));
    chrome_texts *texts = calloc(1, sizeof(*texts));
    assert_non_null(texts);
    texts->dict = &dict;
    tacho_arg arg = {.key = 0};
    char text[16];
    for (int i = 0; i < CHROME_VALUE_COUNT_MAX; i++) {
        int len = snprintf(text, sizeof(text), "%d", i);
        assert_ok(chrome_texts_set_value(texts, tacho_str_make(text, (size_t)len), &arg));
        assert_int_equal(arg.type, TACHO_ARG_STRING);
    }
    assert_ok(chrome_texts_set_value(texts, CHROME_TEXT("new"), &arg));
    assert_int_equal(arg.type, TACHO_ARG_TEXT);
    assert_ok(chrome_texts_set_value(texts, CHROME_TEXT("17"), &arg)); /* known */
    assert_int_equal(arg.type, TACHO_ARG_STRING);
    assert_string_equal(tacho_dict_string(&dict, arg.value.as_string).data, "17");
    uint32_t id = 0;
    assert_ok(chrome_texts_ensure(texts, CHROME_TEXT("name"), &id)); /* names know no limit */
    assert_string_equal(tacho_dict_string(&dict, id).data, "name");
    free(texts);
    tacho_dict_deinit(&dict);
}

/* Texts of every length that differ in one byte, wherever it is, are strings of their own. */
static void test_similar_texts(void **state)
{
    (void)state;
    enum { LEN_MAX = 26 };
    tacho_dict dict;
    assert_ok(tacho_dict_init(&dict));
    chrome_texts *texts = calloc(1, sizeof(*texts));
    assert_non_null(texts);
    texts->dict = &dict;
    for (size_t len = 0; len <= LEN_MAX; len++) {
        for (size_t odd = 0; odd <= len; odd++) { /* none at |len| */
            char text[LEN_MAX + TACHO_JSON_READABLE_BYTES];
            memset(text, 'a', sizeof(text));
            text[odd] = odd < len ? 'b' : '!'; /* what follows the text is not looked at */
            uint32_t ids[2] = {0};
            for (size_t i = 0; i < 2; i++) {
                assert_ok(chrome_texts_ensure(texts, tacho_str_make(text, len), &ids[i]));
            }
            tacho_str kept = tacho_dict_string(&dict, ids[0]);
            assert_int_equal(ids[0], ids[1]);
            assert_int_equal(kept.len, len);
            assert_memory_equal(kept.data, text, len);
        }
    }
    free(texts);
    tacho_dict_deinit(&dict);
}

static void test_integer_args(void **state)
{
    (void)state;
    expect_args("{\"a\":0,\"b\":7,\"c\":10,\"d\":1234567,\"e\":12345678,\"f\":123456789}",
                " a=0 b=7 c=10 d=1234567 e=12345678 f=123456789");
    expect_args("{\"a\":-1,\"b\":-1234567,\"c\":-12345678,\"d\":99999999,\"e\":-0}",
                " a=-1 b=-1234567 c=-12345678 d=99999999 e=0");
    expect_args("{\"a\":[1,22,333,4444,55555,666666,7777777]}",
                " a=[7] =1 =22 =333 =4444 =55555 =666666 =7777777");
}

/* ---- files ------------------------------------------------------------------------------ */

#define CLOCK "ns: 1 tick = 1/1 ns, 0 ns = tick 0\n"

static void test_parts(void **state)
{
    (void)state;
    expect_of(TACHO_STR("\xef\xbb\xbf \r\n[" GOOD "," X(AT) "]"), PARTS,
              GOOD_ROW("2")
                  X_ROW("2") "part t.json (/runs/t.json) chrome array measured first 1000, " CLOCK);
    expect_of(TACHO_STR("{\"traceEvents\":[" GOOD "]}"), PARTS,
              GOOD_ROW("2") "part t.json (/runs/t.json) chrome object measured first 9000, " CLOCK);
    expect_of(TACHO_STR("{\"schemaVersion\":1,\"deviceProperties\":[],\"traceEvents\":[" GOOD "]}"),
              PARTS,
              GOOD_ROW("2") "part t.json (/runs/t.json) chrome kineto measured first 9000, " CLOCK);
    expect_of(TACHO_STR("{\"distributedInfo\":{\"rank\":0},\"traceEvents\":[" GOOD "]}"), PARTS,
              GOOD_ROW("2") "part t.json (/runs/t.json) chrome kineto measured first 9000, " CLOCK);
    expect_of(TACHO_STR("[{\"cat\":\"Session\",\"ph\":\"X\",\"ts\":3,\"dur\":1,\"name\":\"s\"}]"),
              PARTS,
              "span #2 3000..4000 s|Session\n"
              "part t.json (/runs/t.json) chrome ort measured first 3000, " CLOCK);
    /* A begin counts before its span comes out. */
    expect_of(
        TACHO_STR("[{\"ph\":\"B\",\"ts\":2,\"name\":\"b\"}," GOOD ",{\"ph\":\"E\",\"ts\":11}]"),
        PARTS,
        "span #4 9000..10000 good|\nspan #2 2000..11000 b|\n"
        "part t.json (/runs/t.json) chrome array measured first 2000, " CLOCK);
}

static void test_other_keys(void **state)
{
    (void)state;
    expect_of(TACHO_STR("{\"displayTimeUnit\":\"ns\",\"schemaVersion\":1,\"on\":true,\"x\":null,"
                        "\"stackFrames\":{\"1\":{\"name\":\"f\"}},\"metadata\":{\"a\":\"v\",\"b\":{"
                        "\"c\":1},\"d\":2.5,\"tacho.about\":\"x\",\"tacho.lost.total\":\"3\"},"
                        "\"samples\":[{\"ts\":1},{\"ts\":2}],\"traceEvents\":[" GOOD
                        "],\"traceName\":\"t\"}"),
              METADATA,
              GOOD_ROW("2") "lost unknown_event 2 byte 187: \"samples\"\nchrome.schemaVersion = "
                            "1\nchrome.on = true\n"
                            "chrome.metadata.a = v\nchrome.metadata.d = 2.5\nfrom.lost.total = 3\n"
                            "chrome.traceName = t\n");
    expect_of(TACHO_STR("[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\tb\"},"
                        "{\"ph\":\"C\",\"ts\":1,\"name\":\"c\",\"args\":{\"v\":inf}}]"),
              METADATA,
              "span #2 1000..2000 a\tb|\nlost not_finite 1 byte 40: \"ph\":\"C\",\"name\":\"c\"\n"
              "chrome.control_characters = 1\nchrome.not_finite_numbers = 1\n");
    expect_of(TACHO_STR("{\"deviceProperties\":[{\"id\":0,\"name\":\"H200\"},{\"id\":1}],"
                        "\"distributedInfo\":{\"rank\":3,\"pg\":[{\"ranks\":[0,3]}]},"
                        "\"traceEvents\":[" GOOD ",]}"),
              METADATA,
              GOOD_ROW("2") "chrome.deviceProperties.0.id = 0\n"
                            "chrome.deviceProperties.0.name = H200\n"
                            "chrome.deviceProperties.1.id = 1\n"
                            "chrome.distributedInfo.rank = 3\n"
                            "chrome.distributedInfo.pg.0.ranks.0 = 0\n"
                            "chrome.distributedInfo.pg.0.ranks.1 = 3\n");
}

/* At most 1000 facts of at most 4096 bytes. */
static void test_many_keys(void **state)
{
    (void)state;
    char *text = malloc(KEYS_BYTES);
    assert_non_null(text);
    size_t len = print(text, KEYS_BYTES, "{\"metadata\":{\"long\":\"%05000d\"", 7);
    for (int i = 0; i < 1100; i++) {
        len += print(text + len, KEYS_BYTES - len, ",\"k%d\":%d", i, i);
    }
    len += print(text + len, KEYS_BYTES - len, "},\"traceEvents\":[" GOOD "]}");
    recorder *to = make();
    assert_ok(read_bytes(to, tacho_str_make(text, len)));
    assert_int_equal(to->dict.metadata_count, 1000);
    assert_int_equal(tacho_dict_string(&to->dict, to->dict.metadata[0].value).len, 4096);
    assert_string_equal(string_of(to, to->dict.metadata[999].key), "chrome.metadata.k998");
    destroy(to);
    free(text);
}

/* Wherever a file is cut, the whole events before the cut are read. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    static const char *const starts[] = {"[", "{\"traceEvents\":["};
    for (size_t form = 0; form < 2; form++) {
        char text[1024];
        size_t ends[4]; /* behind each event */
        size_t len = print(text, sizeof(text), "%s", starts[form]);
        for (int i = 0; i < 4; i++) {
            len += print(text + len, sizeof(text) - len,
                         "%s{\"ph\":\"X\",\"ts\":%d,\"dur\":1,\"args\":{\"a\":[1,\"b\"]}}",
                         i > 0 ? ",\n" : "", i + 1);
            ends[i] = len;
        }
        for (size_t cut = 0; cut < len; cut++) {
            size_t whole = 0;
            while (whole < 4 && ends[whole] <= cut) {
                whole++;
            }
            recorder *to = make();
            tacho_status status = read_bytes(to, tacho_str_make(text, cut));
            if (whole == 0) {
                assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
                tacho_status_free(status);
                destroy(to);
                continue;
            }
            assert_ok(status);
            size_t rows = 0;
            for (const char *at = to->text; (at = strstr(at, "span ")) != NULL; at++) {
                rows++;
            }
            assert_int_equal(rows, whole);
            /* The array form may end behind an event and behind the comma and the line end. */
            bool may_end = form == 0 && cut - ends[whole - 1] <= 2;
            assert_int_equal(to->dict.loss_count, may_end ? 0 : 1);
            if (!may_end) {
                assert_int_equal(to->dict.losses[0].reason, TACHO_LOSS_CUT_INPUT);
                assert_int_equal(to->dict.losses[0].count, 1);
            }
            destroy(to);
        }
    }
}

static void test_open_arrays(void **state)
{
    (void)state;
    expect_of(TACHO_STR("[" GOOD ",\n"), 0, GOOD_ROW("2"));
    expect_of(TACHO_STR("[" GOOD "\n"), 0, GOOD_ROW("2"));
    expect_of(TACHO_STR("[" GOOD ",]"), 0, GOOD_ROW("2"));
    /* Begun spans of a cut file last as long as the rest. */
    expect_of(
        TACHO_STR("[{\"ph\":\"B\",\"ts\":1,\"name\":\"b\"}," GOOD ",{\"ph\":\"E\","), 0,
        "span #4 9000..10000 good|\nspan #2 1000..10000 b| unended\nlost cut_input 1 byte 96\n");
}

static void test_compressed(void **state)
{
    (void)state;
    char plain[20000];
    size_t len = print(plain, sizeof(plain), "[");
    for (int i = 0; i < 200; i++) {
        len += print(plain + len, sizeof(plain) - len, "{\"ph\":\"X\",\"ts\":%d,\"dur\":%d},\n", i,
                     i * 7919 % 97);
    }
    unsigned char packed[20000];
    z_stream stream = {.next_in = (unsigned char *)plain, .avail_in = (unsigned)len};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_out = packed;
    stream.avail_out = sizeof(packed);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t packed_len = stream.total_out;
    deflateEnd(&stream);
    recorder *to = make();
    assert_ok(read_bytes(to, tacho_str_make((const char *)packed, packed_len)));
    assert_int_equal(to->dict.loss_count, 0);
    destroy(to);
    to = make();
    assert_ok(read_bytes(to, tacho_str_make((const char *)packed, packed_len - packed_len / 3)));
    assert_int_equal(to->dict.loss_count, 1);
    assert_int_equal(to->dict.losses[0].reason, TACHO_LOSS_CUT_INPUT);
    assert_int_equal(to->dict.losses[0].count, 1);
    destroy(to);
}

static void test_failures(void **state)
{
    (void)state;
    expect_failure("[]", "t.json: the trace has no events");
    expect_failure("[{}]", "t.json: the trace has no events");
    expect_failure("{\"traceEvents\":[]}", "t.json: the trace has no events");
    expect_failure("[{\"ph\":\"Q\",\"name\":\"q\"}]",
                   "t.json: no event of this file can be read; first problem: unknown event "
                   "or id (byte 1: \"ph\":\"Q\",\"name\":\"q\")");
    expect_failure("{\"traceEvents\":[{\"ph\":\"X\",",
                   "t.json: byte 26: cut off before its first event is whole");
    expect_failure("{\"schemaVersion\":1}",
                   "t.json: byte 18: expected \"traceEvents\" before the object ends");
    expect_failure("{\"traceEvents\":{}}",
                   "t.json: byte 15: \"traceEvents\" must be an array, not an object");
    expect_failure(
        "7 ", "t.json: byte 0: expected an array of events or an object with \"traceEvents\", not "
              "a number");
    expect_failure("\n \"x\"",
                   "t.json: byte 3: expected an array of events or an object with \"traceEvents\", "
                   "not a string");
}

static void test_broken_json(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[" GOOD ",{\"ph\" \"X\"}]",
        "[" GOOD "}]",
        "[" GOOD "] x",
        "{\"traceEvents\":[" GOOD "]} x",
        "{\"traceEvents\":[" GOOD ",,]}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        recorder *to = make();
        tacho_status status = read_bytes(to, tacho_str_from_cstring(texts[i]));
        assert_non_null(status);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
        assert_non_null(strstr(tacho_status_message(status), "t.json"));
        tacho_status_free(status);
        destroy(to);
    }
}

/* ---- traces of tacho itself ------------------------------------------------------------- */

#define OWN_PART(number, pid, name, origin, clock)                                                 \
    "{\"ph\":\"M\",\"pid\":" pid ",\"tid\":" pid ",\"name\":\"tacho_part\",\"args\":{"             \
    "\"tacho.part." number ".name\":\"" name "\",\"tacho.part." number ".source\":\"/x\","         \
    "\"tacho.part." number ".origin\":\"" origin "\",\"tacho.part." number ".clock\":\"" clock     \
    "\"}},"
#define CYCLES "cycles: 1 tick = 5/4 ns (assumed), 0 ns = tick 1000"

static void test_own(void **state)
{
    (void)state;
    expect_of(
        TACHO_STR("{\"traceEvents\":[" OWN_PART("1", "1", "t1.csv", "estimated", CYCLES)
                      M("process_name", "\"pid\":1,\"tid\":1",
                        "\"name\":\"t1.csv\",\"facts\":\"tacho: group 0 stack root\"")
                          M("thread_name", "\"pid\":1,\"tid\":2",
                            "\"name\":\"Slice 1\",\"facts\":\"tacho: compute 1 engine\"")
                              M("thread_sort_index", "\"pid\":1,\"tid\":2", "\"sort_index\":4097")
                                  M("thread_name", "\"pid\":1,\"tid\":5",
                                    "\"name\":\"Slice 1\",\"facts\":\"tacho: compute 1 engine lane "
                                    "of 2\"") "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.012,"
                                              "\"dur\":0.002,\"name\":\"n\",\"cat\":"
                                              "\"c\",\"args\":{\"cycles\":1,\"run\":{\"x\":1},"
                                              "\"cycles\":2,\"location\":"
                                              "\"\\\"a.mlir\\\":4:10\",\"run\":\"main\","
                                              "\"invocation\":3,\"origin\":\"measured\","
                                              "\"unended\":true}},"
                                              "{\"ph\":\"X\",\"pid\":1,\"tid\":5,\"ts\":0.012,"
                                              "\"dur\":0.003,\"name\":\"n\",\"args\":{"
                                              "\"cycles\":3,\"run\":\"main\",\"invocation\":3}},"
                                              "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":0.015,"
                                              "\"s\":\"t\",\"name\":\"i\",\"args\":{"
                                              "\"cycles\":9}},"
                                              "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.012,"
                                              "\"dur\":0.003,\"name\":\"m\",\"args\":{"
                                              "\"cycles\":\"x\",\"invocation\":3,\"origin\":\"?\","
                                              "\"unended\":false}},"
                                              "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":0.012,"
                                              "\"id\":1099511627783,\"cat\":\"flow\","
                                              "\"name\":\"order\",\"args\":{\"span_ticks\":2}},"
                                              "{\"ph\":\"f\",\"pid\":1,\"tid\":2,\"ts\":0.012,"
                                              "\"id\":7,\"name\":\"launch\"},"
                                              "{\"ph\":\"C\",\"pid\":1,\"tid\":9,\"ts\":0.012,"
                                              "\"name\":\"use\",\"args\":{\"%\":50}},"
                                              "{\"ph\":\"C\",\"pid\":1,\"tid\":10,\"ts\":0.012,"
                                              "\"name\":\"use\",\"args\":{\"value\":1}}"
                                              "]}"),
        TRACKS | PARTS,
        "span #1 1010..1012 n|c cycles=1 run={1} x=1 at \"a.mlir\":4:10 (a.mlir:4:10) run main#3 "
        "of 0 "
        "unended measured\n"
        "span #1 1010..1013 n| run main#3 of 0\n"
        "span #1 1012..1012 i| cycles=9 instant\n"
        "span #1 1010..1012 m| cycles='x' invocation=3 origin='?' unended=false\n"
        "flow #1 1010 7 leaves order ..1012\nflow #1 1010 7 arrives launch next\n"
        "sample #2 1010 50\nsample #3 1010 1\n"
        "track #0 t1.csv|group stack 0 rank 0\n"
        "track #1 Slice 1|compute engine 1 rank 4097 in #0\n"
        "track #2 use|counter stack 0 rank 1 in #0 %\ntrack #3 use|counter stack 0 rank 2 in #0\n"
        "part t1.csv (/runs/t.json) chrome tacho estimated first 1010, " CYCLES "\n");
}

static void test_own_parts(void **state)
{
    (void)state;
    /* The second part ends the first; late metadata still reaches it, late events do not. */
    expect_of(TACHO_STR("[" OWN_PART("1", "1", "a", "measured",
                                     "us: 1 tick = 1000/1 ns, 0 ns = "
                                     "tick 5")
                            X("\"pid\":2,\"tid\":3") "," X("\"pid\":2,\"tid\":4") "," OWN_PART(
                                "2", "9", "b", "simulated", "nonsense")
                                X("\"pid\":9,\"tid\":10") "," X("\"pid\":2,\"tid\":3") "," M(
                                    "process_name", "\"pid\":2,\"tid\":2",
                                    "\"name\":\"python 7\",\"facts\":\"tacho: group 0 stack\"")
                                    M("thread_name", "\"pid\":2,\"tid\":3",
                                      "\"name\":\"main\",\"facts\":\"tacho: host 0 stack\"") "{}]"),
              TRACKS | PARTS,
              "span #2 6..7 x|\nspan #3 6..7 x|\nspan #5 1000..2000 x|\n"
              "lost unknown_event 1 byte 535: \"ph\":\"X\",\"name\":\"x\"\n"
              "track #0 a|group stack 0 rank 0\ntrack #1 python 7|group stack 0 rank 1 in #0\n"
              "track #2 main|host stack 0 rank 0 in #1\n"
              "track #3 thread 4|host stack 0 rank 1 in #1\ntrack #4 b|group stack 0 rank 1\n"
              "track #5 thread 10|host stack 0 rank 0 in #4\n"
              "part a (/runs/t.json) chrome tacho measured first 6, us: 1 tick = 1000/1 ns, 0 ns = "
              "tick 5\n"
              "part b (/runs/t.json) chrome tacho simulated first 1000, " CLOCK);
    /* A lane that is told of late stays a track, and known as a lane. */
    expect_of(
        TACHO_STR("[" OWN_PART("1", "1", "a", "measured", "")
                      X("\"pid\":1,\"tid\":2") "," X("\"pid\":1,\"tid\":3") "," M(
                          "thread_name", "\"pid\":1,\"tid\":3",
                          "\"name\":\"w\",\"facts\":\"tacho: host 0 stack lane of 2\"")
                          M("thread_name", "\"pid\":1,\"tid\":2",
                            "\"name\":\"w\",\"facts\":\"tacho: host 0 stack lane of 3\"") "{}]"),
        TRACKS,
        X_ROW("1") X_ROW("2") "track #0 a|group stack 0 rank 0\n"
                              "track #1 w|host stack 0 rank 0 in #0\n"
                              "track #2 w|host stack 0 rank 1 in #0 lane of #1\n");
}

/* Arguments that are named like the sink's and are not its own stay what they are. */
static void test_own_args_of_others(void **state)
{
    (void)state;
    expect_of(TACHO_STR("[" OWN_PART(
                  "1", "1", "a", "measured",
                  CYCLES) "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"d\":{\"unended\":true}}},"
                          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"run\":\"main\",\"invocation\":\"x\"}},"
                          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"run\":7,\"location\":\"\"}},"
                          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"cycles\":-1}},"
                          "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":2,\"args\":{"
                          "\"unended\":true,\"a\":1}}]"),
              0,
              "span #1 1800..2600 | d={1} unended=true\n"
              "span #1 1800..2600 | run='main' invocation='x'\n"
              "span #1 1800..2600 | run=7 location=''\n"
              "span #1 1800..2600 | cycles=-1\n"
              "span #1 1800..2600 | unended=true a=1\n");
}

/*
 * Ticks shorter than a nanosecond come back beside the times of both ends, of complete events and
 * of begins and ends; so does what begins carry.
 */
static void test_own_ticks(void **state)
{
    (void)state;
    expect_of(
        TACHO_STR("[" OWN_PART(
            "1", "1", "a", "measured",
            "fast: 1 tick = 1/4 ns, 0 ns = tick 100") "{\"ph\":\"X\",\"ts\":0.002,\"tick\":1,"
                                                      "\"dur\":0.003,\"end_tick\":3,\"pid\":1,"
                                                      "\"tid\":2,\"name\":\"x\"},"
                                                      "{\"ph\":\"B\",\"ts\":0.006,\"tick\":2,"
                                                      "\"pid\":1,\"tid\":2,\"name\":\"b\","
                                                      "\"args\":{\"k\":1,\"run\":\"main\","
                                                      "\"invocation\":3,\"origin\":\"estimated\"}},"
                                                      "{\"ph\":\"E\",\"ts\":0.007,\"tick\":3,"
                                                      "\"pid\":1,\"tid\":2}]"),
        0, "span #1 109..123 x|\nspan #1 126..131 b| k=1 run main#3 of 0 estimated\n");
}

/* Times that the restored clock cannot count. */
static void test_own_overflow(void **state)
{
    (void)state;
    expect_of(TACHO_STR("[" OWN_PART("1", "1", "a", "measured",
                                     "fast: 1 tick = 1/1000000000 ns, 0 ns = tick 0")
                            X("\"pid\":1,\"tid\":2") ",{\"ph\":\"X\",\"ts\":9223372036854775,"
                                                     "\"pid\":1,\"tid\":2},"
                                                     "{\"ph\":\"X\",\"ts\":1,\"dur\":"
                                                     "9223372036854774,\"pid\":1,\"tid\":2}]"),
              0,
              "span #1 1000000000000..2000000000000 x|\n"
              "lost time_overflow 2 byte 263: \"ph\":\"X\",\"name\":\"\"\n");
}

/* As many as a run that recorded each of its inferences writes. */
static void test_many_parts(void **state)
{
    (void)state;
    char *text = malloc(PARTS_BYTES);
    assert_non_null(text);
    size_t len = print(text, PARTS_BYTES, "[");
    for (int i = 0; i < 1001; i++) {
        len += print(text + len, PARTS_BYTES - len,
                     "{\"ph\":\"M\",\"pid\":%d,\"name\":\"tacho_part\",\"args\":{"
                     "\"tacho.part.1.name\":\"a\"}},",
                     i);
    }
    len += print(text + len, PARTS_BYTES - len,
                 "{\"ph\":\"X\",\"pid\":1000,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":\"x\"}]");
    recorder *to = make();
    assert_ok(read_bytes(to, tacho_str_make(text, len)));
    assert_int_equal(to->dict.part_count, 1001);
    assert_string_equal(tacho_dict_string(&to->dict, to->dict.parts[0].name).data, "a");
    assert_string_equal(tacho_dict_string(&to->dict, to->dict.parts[1].name).data, "a #2");
    assert_string_equal(tacho_dict_string(&to->dict, to->dict.parts[1000].name).data, "a #1001");
    destroy(to);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_rank_forms),
        cmocka_unit_test(test_no_events_between),
        cmocka_unit_test(test_id_forms),
        cmocka_unit_test(test_reused_flows),
        cmocka_unit_test(test_no_duration),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_bad_times),
        cmocka_unit_test(test_begin_end),
        cmocka_unit_test(test_begin_end_unsorted),
        cmocka_unit_test(test_async_unsorted),
        cmocka_unit_test(test_instants),
        cmocka_unit_test(test_async),
        cmocka_unit_test(test_async_keys),
        cmocka_unit_test(test_old_async),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_bound_flows),
        cmocka_unit_test(test_other_events),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_more_names),
        cmocka_unit_test(test_end_makes_no_track),
        cmocka_unit_test(test_args),
        cmocka_unit_test(test_nested_args),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_similar_texts),
        cmocka_unit_test(test_integer_args),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_open_arrays),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_broken_json),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_own_parts),
        cmocka_unit_test(test_own_args_of_others),
        cmocka_unit_test(test_own_ticks),
        cmocka_unit_test(test_own_overflow),
        cmocka_unit_test(test_many_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
