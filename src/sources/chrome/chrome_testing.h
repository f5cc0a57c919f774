/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test helpers for Chrome traces: composed traces are read, and every row is written as text, in
 * the order received, then the losses. Include it after <cmocka.h>.
 *
 *     span #2 1000..3500 name|category a=1 b='x'     track, nanoseconds, arguments by type:
 *                                                    1 1u 0.5r true 'string' "text" <json> {2} [1]
 *     flow #2 1000 1 leaves data around
 *     sample #3 1000 7.5
 *     lost not_a_number 1 "ph":"X","name":"a"
 *
 * Tracks follow where they matter:
 *
 *     track #2 thread 7|host stack 0 rank 0 in #1?   ? while it may still change
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_TESTING_H
#define TACHO_SOURCES_CHROME_CHROME_TESTING_H

#include "profile/facts.h"
#include "sources/chrome/chrome.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 1 << 16, KEYS_BYTES = 1 << 16, PARTS_BYTES = 1 << 20 };

typedef struct recorder {
    tacho_events events;
    tacho_dict dict;
    size_t ended_count;
    char text[TEXT_BYTES];
    size_t text_len;
} recorder;

static inline void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

/* ---- rows as text ----------------------------------------------------------------------- */

static inline void put(recorder *to, const char *format, ...) TACHO_PRINTF(2, 3);

static inline void put(recorder *to, const char *format, ...)
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

static inline void put_arg(recorder *to, const tacho_arg *arg)
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

static inline void put_span(recorder *to, const tacho_row *row)
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

static inline void put_flow(recorder *to, const tacho_row *row)
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

static inline tacho_status record(tacho_events *events, const tacho_row *row)
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

static inline tacho_status end_part(tacho_events *events, uint32_t part)
{
    recorder *to = (recorder *)(void *)events;
    assert_int_equal(part, to->ended_count);
    to->ended_count++;
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = record, .end_part = end_part};

static inline void put_losses(recorder *to, bool hides_bytes)
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

static inline void put_tracks(recorder *to)
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

static inline void put_parts(recorder *to)
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

static inline void put_metadata(recorder *to)
{
    for (size_t i = 0; i < to->dict.metadata_count; i++) {
        put(to, "%s = %s\n", string_of(to, to->dict.metadata[i].key),
            string_of(to, to->dict.metadata[i].value));
    }
}

/* ---- reading ---------------------------------------------------------------------------- */

static inline recorder *make(void)
{
    recorder *made = calloc(1, sizeof(*made));
    assert_non_null(made);
    assert_ok(tacho_dict_init(&made->dict));
    made->events = (tacho_events){&vtable, &made->dict};
    return made;
}

static inline void destroy(recorder *made)
{
    tacho_dict_deinit(&made->dict);
    free(made);
}

static inline tacho_status read_held(recorder *to, tacho_str bytes, bool holds_events)
{
    tacho_source_options options = {.choice_count = 0};
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

/* Reads, then reads again with events held if their order requires it. */
static inline tacho_status read_bytes(recorder *to, tacho_str bytes)
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

static inline int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of |text| without their tracks' numbers, sorted; |*out_count| are found. */
static inline char **sort_lines(char *text, size_t *out_count)
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

/* Holding events changes only the order of the rows. */
static inline void expect_held_same(tacho_str bytes, const recorder *passed)
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

static inline void expect_of(tacho_str bytes, unsigned what, const char *expected)
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
static inline size_t print(char *to, size_t room, const char *format, ...) TACHO_PRINTF(3, 4);

static inline size_t print(char *to, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(to, room, format, arguments);
    va_end(arguments);
    assert_true(len >= 0 && (size_t)len < room);
    return (size_t)len;
}

/*
 * The same events, each with an additional field without meaning, which forces reading by tokens.
 */
static inline void expect_by_tokens(const char *events, const char *expected)
{
    const char first[] = "{\"ph\"";
    size_t room = 8 * strlen(events) + 64;
    char *text = malloc(room);
    assert_non_null(text);
    size_t len = print(text, room, "[");
    for (const char *at = NULL; (at = strstr(events, first)) != NULL; events = at + 1) {
        len += print(text + len, room - len, "%.*s{\"id2\":{},", (int)(at - events), events);
    }
    print(text + len, room - len, "%s]", events);
    expect_of(tacho_str_from_cstring(text), HIDES_BYTES, expected);
    free(text);
}

/* Expects the events, as an array and as an object, to give the rows and losses |expected|. */
static inline void expect(const char *events, const char *expected)
{
    char *text = malloc(strlen(events) + 64);
    assert_non_null(text);
    expect_by_tokens(events, expected);
    print(text, strlen(events) + 64, "[%s]", events);
    expect_of(tacho_str_from_cstring(text), HIDES_BYTES, expected);
    print(text, strlen(events) + 64, "{\"a\":[{}],\"traceEvents\":[%s],\"b\":{\"c\":1}}", events);
    expect_of(tacho_str_from_cstring(text), HIDES_BYTES, expected);
    free(text);
}

static inline void expect_tracks(const char *events, const char *expected)
{
    char *text = malloc(strlen(events) + 64);
    assert_non_null(text);
    print(text, strlen(events) + 64, "[%s]", events);
    expect_of(tacho_str_from_cstring(text), TRACKS, expected);
    free(text);
}

static inline void expect_failure(const char *bytes, const char *message)
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
/* An event that is always read, placed after doubtful ones. */
#define GOOD "{\"ph\":\"X\",\"ts\":9,\"dur\":1,\"name\":\"good\"," AT "}"
#define GOOD_ROW(track) "span #" track " 9000..10000 good|\n"

/* Metadata, a plain span with its row, and the clock of foreign traces. */
#define M(what, where, args) "{\"ph\":\"M\",\"name\":\"" what "\"," where ",\"args\":{" args "}},"
#define X(where) "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"x\"," where "}"
#define X_ROW(track) "span #" track " 1000..2000 x|\n"
#define CLOCK "ns: 1 tick = 1/1 ns, 0 ns = tick 0\n"

#endif
