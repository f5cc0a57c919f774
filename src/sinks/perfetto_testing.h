/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test helpers for the Perfetto sink: rows made by hand go through it into a file.
 */
#ifndef TACHO_SINKS_PERFETTO_TESTING_H
#define TACHO_SINKS_PERFETTO_TESTING_H

#include "sinks/perfetto.h"

#include "base/grow.h"
#include "profile/lanes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/output_testing.h"

static inline void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

/* ---- text that grows -------------------------------------------------------------------- */

typedef struct text {
    char *data;
    size_t len, capacity;
} text;

static inline void put(text *to, const char *format, ...) TACHO_PRINTF(2, 3);

static inline void put(text *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    assert_true(len >= 0);
    assert_ok(tacho_grow(&to->data, &to->capacity, to->len + (size_t)len + 1));
    va_start(arguments, format);
    vsnprintf(to->data + to->len, (size_t)len + 1, format, arguments);
    va_end(arguments);
    to->len += (size_t)len;
}

/* ---- a trace being written -------------------------------------------------------------- */

typedef struct trace {
    tacho_dict dict;
    tacho_output output;
    tacho_events *sink;
    tacho_events *events; /* accepts rows: the sink, or the lanes before it */
    tacho_lanes *lanes;
} trace;

static inline void open_with(trace *made, const tacho_trace_options *options)
{
    memset(made, 0, sizeof(*made));
    const char *folder = getenv("TMPDIR");
    char path[1024];
    snprintf(path, sizeof(path), "%s/tacho-perfetto-test-%ld.pb",
             folder != NULL && folder[0] != '\0' ? folder : "/tmp", (long)getpid());
    assert_ok(tacho_dict_init(&made->dict));
    assert_ok(tacho_output_open(path, &made->output));
    assert_ok(tacho_sink_perfetto.open(&made->dict, &made->output, options, &made->sink));
    made->events = made->sink;
}

static inline void open_trace(trace *made)
{
    const tacho_trace_options defaults = {.omit_args = false};
    open_with(made, &defaults);
}

static inline void open_with_lanes(trace *made)
{
    open_trace(made);
    assert_ok(tacho_lanes_create(made->sink, &made->lanes));
    made->events = tacho_lanes_events(made->lanes);
}

/*
 * The bytes of an output, read back from its file, which is not committed: so nothing is left on
 * disk, and no test waits for a disk. Free |out_file->data|.
 */
static inline void take_output(tacho_output *output, tacho_str *out_file)
{
    tacho_output_flush(output);
    assert_false(tacho_output_failed(output));
    size_t size = (size_t)tacho_output_offset(output);
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (size_t at = 0; at < size;) {
        ssize_t got = pread(output->fd, bytes + at, size - at, (off_t)at);
        assert_true(got > 0);
        at += (size_t)got;
    }
    tacho_output_close(output);
    keep_test_output(bytes, size);
    *out_file = tacho_str_make(bytes, size);
}

/* Completes the trace and reads it back; free |out_file->data|. */
static inline void close_trace(trace *made, tacho_str *out_file)
{
    assert_ok(tacho_events_finish(made->events));
    tacho_lanes_destroy(made->lanes);
    tacho_sink_perfetto.close(made->sink);
    take_output(&made->output, out_file);
    tacho_dict_deinit(&made->dict);
}

static inline void free_file(tacho_str file)
{
    free((void *)(uintptr_t)file.data);
}

static inline uint32_t string_id(trace *in, tacho_str words)
{
    uint32_t id = 0;
    assert_ok(tacho_dict_ensure_string(&in->dict, words, &id));
    return id;
}

static inline uint32_t add_part_with(trace *to, tacho_str path, const tacho_clock *clock)
{
    tacho_part_facts facts = {
        .path = path,
        .format = TACHO_STR("test"),
        .generation = TACHO_STR("T9"),
        .origin = TACHO_ORIGIN_ESTIMATED,
    };
    uint32_t part = 0;
    assert_ok(tacho_dict_add_clock(&to->dict, clock, TACHO_STR("ticks"), &facts.clock));
    assert_ok(tacho_dict_add_part(&to->dict, &facts, &part));
    return part;
}

/* A part whose ticks are nanoseconds. */
static inline uint32_t add_part(trace *to, const char *path)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    return add_part_with(to, tacho_str_from_cstring(path), &clock);
}

static inline tacho_track track_facts(trace *in, uint32_t part, const char *name)
{
    return (tacho_track){
        .name = string_id(in, tacho_str_from_cstring(name)),
        .parent = in->dict.parts[part].root,
        .part = part,
        .clock = in->dict.parts[part].clock,
        .lane_of = TACHO_NONE,
        .rank = 5,
        .track_class = TACHO_TRACK_COMPUTE,
        .nesting = TACHO_NESTING_STACK,
    };
}

static inline uint32_t add_track(trace *to, uint32_t part, const char *name)
{
    tacho_track facts = track_facts(to, part, name);
    uint32_t track = 0;
    assert_ok(tacho_dict_add_track(&to->dict, &facts, &track));
    return track;
}

static inline uint32_t add_counter(trace *to, uint32_t part, const char *name, tacho_unit unit)
{
    tacho_track facts = track_facts(to, part, name);
    facts.track_class = TACHO_TRACK_COUNTER;
    facts.unit = unit;
    uint32_t track = 0;
    assert_ok(tacho_dict_add_track(&to->dict, &facts, &track));
    return track;
}

static inline uint32_t add_site(trace *to, tacho_str name, uint32_t location)
{
    tacho_site facts = {string_id(to, name), string_id(to, TACHO_STR("cat")), location};
    uint32_t site = 0;
    assert_ok(tacho_dict_ensure_site(&to->dict, &facts, &site));
    return site;
}

static inline tacho_row make_span(trace *in, uint32_t track, tacho_str name, int64_t start,
                                  int64_t end)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start};
    row.of.span.end = end;
    row.of.span.site = add_site(in, name, TACHO_NONE);
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

static inline void push_row(trace *to, const tacho_row *row)
{
    assert_ok(tacho_events_row(to->events, row));
}

static inline void push_span(trace *to, uint32_t track, const char *name, int64_t start,
                             int64_t end)
{
    tacho_row row = make_span(to, track, tacho_str_from_cstring(name), start, end);
    push_row(to, &row);
}

static inline void push_instant(trace *to, uint32_t track, const char *name, int64_t time)
{
    tacho_row row = make_span(to, track, tacho_str_from_cstring(name), time, time);
    row.of.span.flags = TACHO_SPAN_INSTANT;
    push_row(to, &row);
}

static inline void push_args(trace *to, uint32_t track, const tacho_arg *args, size_t arg_count)
{
    tacho_row row = make_span(to, track, TACHO_STR("span"), 0, 1);
    row.args = args;
    row.arg_count = arg_count;
    push_row(to, &row);
}

static inline void push_sample(trace *to, uint32_t track, int64_t time, double value)
{
    tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = track, .start = time};
    row.of.sample.value = value;
    push_row(to, &row);
}

static inline void push_flow(trace *to, uint32_t track, int64_t time, uint64_t id, int64_t span_end)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = track, .start = time};
    row.of.flow.id = id;
    row.of.flow.span_end = span_end;
    push_row(to, &row);
}

/* A flow of the enclosing span. */
static inline void around(trace *to, uint32_t track, int64_t time, uint64_t id)
{
    push_flow(to, track, time, id, TACHO_FLOW_AROUND);
}

/* A flow of the next span. */
static inline void ahead(trace *to, uint32_t track, int64_t time, uint64_t id)
{
    push_flow(to, track, time, id, TACHO_FLOW_NEXT);
}

static inline void end_part(trace *to, uint32_t part)
{
    assert_ok(tacho_events_end_part(to->events, part));
}

/* ---- arguments -------------------------------------------------------------------------- */

static inline tacho_arg make_arg(trace *in, const char *key, tacho_arg_type type)
{
    return (tacho_arg){.key = string_id(in, tacho_str_from_cstring(key)), .type = type};
}

static inline tacho_arg uint_arg(trace *in, const char *key, uint64_t value)
{
    tacho_arg arg = make_arg(in, key, TACHO_ARG_UINT);
    arg.value.as_uint = value;
    return arg;
}

static inline tacho_arg text_arg(trace *in, const char *key, tacho_str value)
{
    tacho_arg arg = make_arg(in, key, TACHO_ARG_TEXT);
    arg.value.as_text = value;
    return arg;
}

static inline tacho_str filled(size_t len, char byte)
{
    char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    memset(bytes, byte, len);
    bytes[len] = '\0';
    return tacho_str_make(bytes, len);
}

#endif
