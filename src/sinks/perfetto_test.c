/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows made by hand go through the sink into a file, which is read back packet by packet as a
 * viewer would: strings by their numbers, times by adding up deltas. Whatever the format asks
 * for is asserted on the way; what the trace says comes out as text, one line per packet:
 *
 *     process 1 "a.csv (estimated)" pid 1 rank 0 estimated
 *     thread 2 "DMA In" pid 1 tid 2 "DMA In" of 1 rank 5
 *     begin 100 on 2 "conv2d" dma_in id=text:S0 flow=7
 *     end 200 on 2
 *
 * Field numbers are written out here, so that a slip in perfetto_fields.h shows.
 */
#include "sinks/perfetto.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "codec/protobuf.h"
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

enum {
    UUID_MAX = 1024,
    SLOT_COUNT = 3 * UUID_MAX,
    IID_MAX = 4096,
    HEAD_BYTES = 128,
    RESTARTS_MAX = 8
};
enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };
enum { SHOW_TRACKS = 1, SHOW_EVENTS = 2, SHOW_ATTRIBUTES = 4 };

static void assert_ok(tacho_status status)
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

static void put(text *to, const char *format, ...) TACHO_PRINTF(2, 3);

static void put(text *to, const char *format, ...)
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
    tacho_events *events; /* where rows are pushed: the sink, or the lanes before it */
    tacho_lanes *lanes;
} trace;

static void open_with(trace *made, const tacho_trace_options *options)
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

static void open_trace(trace *made)
{
    const tacho_trace_options defaults = {.omit_args = false};
    open_with(made, &defaults);
}

static void open_with_lanes(trace *made)
{
    open_trace(made);
    assert_ok(tacho_lanes_create(made->sink, &made->lanes));
    made->events = tacho_lanes_events(made->lanes);
}

/*
 * The bytes of an output, read back from its file, which is not committed: so none is left
 * behind, and no test waits for a disk. Free |out_file->data|.
 */
static void take_output(tacho_output *output, tacho_str *out_file)
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
    *out_file = tacho_str_make(bytes, size);
}

/* Completes the trace and reads it back; free |out_file->data|. */
static void close_trace(trace *made, tacho_str *out_file)
{
    assert_ok(tacho_events_finish(made->events));
    tacho_lanes_destroy(made->lanes);
    tacho_sink_perfetto.close(made->sink);
    take_output(&made->output, out_file);
    tacho_dict_deinit(&made->dict);
}

static void free_file(tacho_str file)
{
    free((void *)(uintptr_t)file.data);
}

static uint32_t string_id(trace *in, tacho_str words)
{
    uint32_t id = 0;
    assert_ok(tacho_dict_ensure_string(&in->dict, words, &id));
    return id;
}

static uint32_t add_part_with(trace *to, tacho_str path, const tacho_clock *clock)
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
static uint32_t add_part(trace *to, const char *path)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    return add_part_with(to, tacho_str_from_cstring(path), &clock);
}

static tacho_track track_facts(trace *in, uint32_t part, const char *name)
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

static uint32_t add_track(trace *to, uint32_t part, const char *name)
{
    tacho_track facts = track_facts(to, part, name);
    uint32_t track = 0;
    assert_ok(tacho_dict_add_track(&to->dict, &facts, &track));
    return track;
}

static uint32_t add_counter(trace *to, uint32_t part, const char *name, tacho_unit unit)
{
    tacho_track facts = track_facts(to, part, name);
    facts.track_class = TACHO_TRACK_COUNTER;
    facts.unit = unit;
    uint32_t track = 0;
    assert_ok(tacho_dict_add_track(&to->dict, &facts, &track));
    return track;
}

static uint32_t add_site(trace *to, tacho_str name, uint32_t location)
{
    tacho_site facts = {string_id(to, name), string_id(to, TACHO_STR("cat")), location};
    uint32_t site = 0;
    assert_ok(tacho_dict_ensure_site(&to->dict, &facts, &site));
    return site;
}

static tacho_row make_span(trace *in, uint32_t track, tacho_str name, int64_t start, int64_t end)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track, .start = start};
    row.of.span.end = end;
    row.of.span.site = add_site(in, name, TACHO_NONE);
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    return row;
}

static void push_row(trace *to, const tacho_row *row)
{
    assert_ok(tacho_events_row(to->events, row));
}

static void push_span(trace *to, uint32_t track, const char *name, int64_t start, int64_t end)
{
    tacho_row row = make_span(to, track, tacho_str_from_cstring(name), start, end);
    push_row(to, &row);
}

static void push_instant(trace *to, uint32_t track, const char *name, int64_t time)
{
    tacho_row row = make_span(to, track, tacho_str_from_cstring(name), time, time);
    row.of.span.flags = TACHO_SPAN_INSTANT;
    push_row(to, &row);
}

static void push_args(trace *to, uint32_t track, const tacho_arg *args, size_t arg_count)
{
    tacho_row row = make_span(to, track, TACHO_STR("span"), 0, 1);
    row.args = args;
    row.arg_count = arg_count;
    push_row(to, &row);
}

static void push_sample(trace *to, uint32_t track, int64_t time, double value)
{
    tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = track, .start = time};
    row.of.sample.value = value;
    push_row(to, &row);
}

static void push_flow(trace *to, uint32_t track, int64_t time, uint64_t id, int64_t span_end)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = track, .start = time};
    row.of.flow.id = id;
    row.of.flow.span_end = span_end;
    push_row(to, &row);
}

/* A flow of the span around it. */
static void around(trace *to, uint32_t track, int64_t time, uint64_t id)
{
    push_flow(to, track, time, id, TACHO_FLOW_AROUND);
}

/* A flow of the span that comes next. */
static void ahead(trace *to, uint32_t track, int64_t time, uint64_t id)
{
    push_flow(to, track, time, id, TACHO_FLOW_NEXT);
}

static void end_part(trace *to, uint32_t part)
{
    assert_ok(tacho_events_end_part(to->events, part));
}

/* ---- a trace being read ----------------------------------------------------------------- */

/* InternedData: event_categories 1, event_names 2, debug_annotation_names 3, string values 29. */
typedef enum table { CATEGORIES, NAMES, KEYS, VALUES, TABLE_COUNT } table;

typedef struct event {
    uint64_t type;
    uint64_t track;
    int64_t time_ns;
    tacho_str name;
    tacho_str category;
    tacho_str body; /* the TrackEvent */
} event;

typedef struct replay {
    bool is_valid; /* a packet with flag 1 has been seen */
    int64_t clock_ns;
    int64_t snapshot_ns;
    tacho_str tables[TABLE_COUNT][IID_MAX]; /* by iid; data is NULL when undefined */
    bool is_described[SLOT_COUNT];          /* since the last restart */
    bool is_counter[SLOT_COUNT];
    bool may_come_late[SLOT_COUNT]; /* provisional: described at the very end */
    bool is_used[SLOT_COUNT];
    uint64_t packet_sequence, packet_flags; /* of the current packet */
    int64_t packet_delta_ns;
    bool packet_has_time;
    size_t packet_count;
    size_t event_count;
    size_t restart_offsets[RESTARTS_MAX]; /* of packets with flag 1 */
    size_t restart_count;
    unsigned shown;
    text out;
    void (*visit)(void *self, const event *seen); /* NULL for none */
    void *self;
} replay;

/* The next field of a message; asserts that it is sound. */
static bool next_field(tacho_pb_reader *reader, tacho_pb_field *field)
{
    bool got = false;
    assert_ok(tacho_pb_next(reader, field, &got));
    return got;
}

static uint64_t as_uint(const tacho_pb_field *field)
{
    assert_int_equal(field->wire, TACHO_PB_WIRE_VARINT);
    return field->value;
}

static uint64_t as_fixed64(const tacho_pb_field *field)
{
    assert_int_equal(field->wire, TACHO_PB_WIRE_FIXED64);
    return field->value;
}

static double as_double(const tacho_pb_field *field)
{
    uint64_t bits = as_fixed64(field);
    double value = 0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static tacho_str as_bytes(const tacho_pb_field *field)
{
    assert_int_equal(field->wire, TACHO_PB_WIRE_BYTES);
    return field->bytes;
}

/* A string: valid UTF-8 without NUL, wherever it is. */
static tacho_str as_string(const tacho_pb_field *field)
{
    assert_true(tacho_utf8_is_clean(as_bytes(field)));
    return field->bytes;
}

static tacho_str find_string(const replay *from, table which, uint64_t iid)
{
    assert_true(from->is_valid);
    assert_int_equal(from->packet_flags & 2, 2);
    assert_true(iid > 0 && iid < IID_MAX);
    tacho_str found = from->tables[which][iid];
    if (found.data == NULL) {
        fail_msg("packet %zu: number %llu of table %d is not defined", from->packet_count,
                 (unsigned long long)iid, (int)which);
    }
    return found;
}

/* Long strings are shown by their length. */
static void put_string(text *to, tacho_str words)
{
    if (words.len > 64) {
        put(to, "<%zu bytes>", words.len);
    } else {
        put(to, "%.*s", TACHO_STR_ARG(words));
    }
}

static void read_interned_entry(replay *to, table which, tacho_str entry)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, entry);
    tacho_pb_field field;
    uint64_t iid = 0;
    tacho_str words = {NULL, 0};
    while (next_field(&reader, &field)) {
        if (field.number == 1) {
            iid = as_uint(&field);
        } else if (field.number == 2) {
            words = as_string(&field);
        }
    }
    assert_true(iid > 0 && iid < IID_MAX);
    assert_non_null(words.data);
    assert_null(to->tables[which][iid].data); /* a second definition would be ignored */
    to->tables[which][iid] = words;
}

static void read_interned(replay *to, tacho_str data)
{
    assert_true(to->is_valid); /* else it is skipped */
    assert_int_equal(to->packet_sequence, 1);
    assert_int_equal(to->packet_flags, 2);
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, data);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        static const uint32_t numbers[TABLE_COUNT] = {1, 2, 3, 29};
        for (int which = 0; which < TABLE_COUNT; which++) {
            if (field.number == numbers[which]) {
                read_interned_entry(to, (table)which, as_bytes(&field));
            }
        }
    }
}

static void read_clock(tacho_str message, uint64_t *out_id, int64_t *out_ns, bool *out_delta)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    *out_delta = false;
    while (next_field(&reader, &field)) {
        if (field.number == 1) {
            *out_id = as_uint(&field);
        } else if (field.number == 2) {
            *out_ns = (int64_t)as_uint(&field);
        } else if (field.number == 3) {
            *out_delta = as_uint(&field) != 0;
        }
    }
}

/* Boot time (6) and the private delta clock (64), both at the same moment. */
static void read_snapshot(replay *to, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    uint64_t ids[2] = {0, 0};
    int64_t times[2] = {-1, -1};
    bool is_delta[2] = {false, false};
    size_t count = 0;
    while (next_field(&reader, &field)) {
        assert_int_equal(field.number, 1);
        assert_true(count < 2);
        read_clock(as_bytes(&field), &ids[count], &times[count], &is_delta[count]);
        count++;
    }
    assert_int_equal(count, 2);
    assert_true(ids[0] == 6 && !is_delta[0]);
    assert_true(ids[1] == 64 && is_delta[1]);
    assert_int_equal(times[0], times[1]);
    assert_true(times[0] >= to->snapshot_ns); /* a viewer refuses a clock that goes back */
    to->snapshot_ns = times[0];
    to->clock_ns = times[0];
}

/* ---- attributes and tracks -------------------------------------------------------------- */

static void read_attribute(replay *to, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    tacho_str key = {NULL, 0};
    tacho_str value = {NULL, 0};
    while (next_field(&reader, &field)) {
        if (field.number == 1) {
            key = as_string(&field);
        } else if (field.number == 3) {
            value = as_string(&field);
        }
    }
    assert_true(key.len > 0 && value.data != NULL);
    if ((to->shown & SHOW_ATTRIBUTES) != 0) {
        put(&to->out, "%.*s=", TACHO_STR_ARG(key));
        put_string(&to->out, value);
        put(&to->out, "\n");
    }
}

static void read_attributes(replay *to, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        assert_int_equal(field.number, 1);
        read_attribute(to, as_bytes(&field));
    }
}

static void put_process(text *to, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 1) {
            put(to, " pid %llu", (unsigned long long)as_uint(&field));
        } else if (field.number == 6) {
            put(to, " \"");
            put_string(to, as_string(&field));
            put(to, "\"");
        } else if (field.number == 8) {
            put(to, " %.*s", TACHO_STR_ARG(as_string(&field)));
        }
    }
}

/* Of a thread: its numbers, and its name where that is not the track's. */
static void put_thread(text *to, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 1) {
            put(to, " pid %llu", (unsigned long long)as_uint(&field));
        } else if (field.number == 2) {
            put(to, " tid %llu", (unsigned long long)as_uint(&field));
        } else if (field.number == 5) {
            put(to, " \"");
            put_string(to, as_string(&field));
            put(to, "\"");
        }
    }
}

static void put_counter(text *to, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    put(to, " counter");
    while (next_field(&reader, &field)) {
        if (field.number == 3) {
            put(to, " unit %llu", (unsigned long long)as_uint(&field));
        } else if (field.number == 6) {
            put(to, " %.*s", TACHO_STR_ARG(as_string(&field)));
        }
    }
}

typedef struct descriptor {
    uint64_t uuid;
    uint64_t parent;
    uint64_t child_ordering;
    uint64_t merge_behavior;
    uint64_t merge_key;
    int64_t rank;
    bool has_rank;
    bool is_process;
    bool is_thread;
    bool is_counter;
    text words; /* its name, and what only processes and counters have */
} descriptor;

static void read_descriptor_field(const tacho_pb_field *field, descriptor *to)
{
    switch (field->number) {
    case 1:
        to->uuid = as_uint(field);
        break;
    case 2:
        put(&to->words, " \"");
        put_string(&to->words, as_string(field));
        put(&to->words, "\"");
        break;
    case 3:
        to->is_process = true;
        put_process(&to->words, as_bytes(field));
        break;
    case 4:
        to->is_thread = true;
        put_thread(&to->words, as_bytes(field));
        break;
    case 5:
        to->parent = as_uint(field);
        break;
    case 8:
        to->is_counter = true;
        put_counter(&to->words, as_bytes(field));
        break;
    case 11:
        to->child_ordering = as_uint(field);
        break;
    case 12:
        to->has_rank = true;
        to->rank = (int64_t)as_uint(field);
        break;
    case 15:
        to->merge_behavior = as_uint(field);
        break;
    case 17:
        to->merge_key = as_uint(field);
        break;
    case 19:
        put(&to->words, " processes by rank %llu", (unsigned long long)as_uint(field));
        break;
    case 20:
        put(&to->words, " threads by rank %llu", (unsigned long long)as_uint(field));
        break;
    default:
        break;
    }
}

/* Where a track's facts are; boxes, which other tracks lie in, have large numbers. */
static size_t slot_of(uint64_t uuid)
{
    uint64_t low = uuid & UINT32_MAX;
    assert_true(low < UUID_MAX && uuid >> 32 < SLOT_COUNT / UUID_MAX);
    return (size_t)((uuid >> 32) * UUID_MAX + low);
}

/* "2"; "box 1.2" for the box of counters in 2. */
static void put_uuid(text *to, uint64_t uuid)
{
    if (uuid >> 32 != 0) {
        put(to, "box %u.", (unsigned)(uuid >> 32) - 1);
    }
    put(to, "%llu", (unsigned long long)(uuid & UINT32_MAX));
}

static void show_descriptor(text *to, const descriptor *seen)
{
    put(to, seen->is_process ? "process " : seen->is_thread ? "thread " : "track ");
    put_uuid(to, seen->uuid);
    put(to, "%s", seen->words.data);
    if (seen->parent != 0) {
        put(to, " of ");
        put_uuid(to, seen->parent);
    }
    if (seen->has_rank) {
        put(to, " rank %lld", (long long)seen->rank);
    }
    if (seen->merge_key != 0) {
        put(to, " key %llu", (unsigned long long)seen->merge_key);
    }
    put(to, "\n");
}

static void read_descriptor(replay *to, tacho_str message)
{
    descriptor read = {0};
    put(&read.words, "%s", "");
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        read_descriptor_field(&field, &read);
    }
    size_t slot = slot_of(read.uuid);
    assert_false(to->is_described[slot]); /* a second one would be ignored */
    if (read.uuid != 0) {
        assert_int_equal(read.child_ordering, 3);                           /* explicit: by rank */
        assert_int_equal(read.merge_behavior, read.merge_key != 0 ? 3 : 0); /* by key */
        assert_int_equal(read.is_process, read.parent == 0);
        assert_true(read.is_process || to->is_described[slot_of(read.parent)] ||
                    to->may_come_late[slot_of(read.parent)]);
    }
    to->is_described[slot] = true;
    to->is_counter[slot] = read.is_counter;
    if ((to->shown & SHOW_TRACKS) != 0) {
        show_descriptor(&to->out, &read);
    }
    free(read.words.data);
}

/* ---- events ----------------------------------------------------------------------------- */

static void put_annotation(const replay *from, tacho_str message, text *to);

/* One field of an annotation; |is_array| once it is known to hold elements. */
static void put_annotation_field(const replay *from, const tacho_pb_field *field, text *to)
{
    switch (field->number) {
    case 1:
        put(to, "%.*s=", TACHO_STR_ARG(find_string(from, KEYS, as_uint(field))));
        break;
    case 2:
        put(to, "bool:%llu", (unsigned long long)as_uint(field));
        break;
    case 3:
        put(to, "uint:%llu", (unsigned long long)as_uint(field));
        break;
    case 4:
        put(to, "int:%lld", (long long)as_uint(field));
        break;
    case 5:
        put(to, "real:%g", as_double(field));
        break;
    case 6:
        put(to, "text:");
        put_string(to, as_string(field));
        break;
    case 11:
    case 12:
        put(to, field->number == 11 ? "{" : "[");
        put_annotation(from, as_bytes(field), to);
        put(to, field->number == 11 ? "}" : "]");
        break;
    case 17:
        put(to, "string:");
        put_string(to, find_string(from, VALUES, as_uint(field)));
        break;
    case 50001:
        put(to, "(value)");
        break;
    default: /* legacy_json_value among them: trace_processor aborts on a null in it */
        fail_msg("annotation field %u", (unsigned)field->number);
    }
}

static void put_annotation(const replay *from, tacho_str message, text *to)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        put_annotation_field(from, &field, to);
    }
}

/* Writes what an event carries: annotations, flows, a counter's value. */
static void put_event_extras(const replay *from, tacho_str body, text *to)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, body);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 4) {
            put(to, " ");
            put_annotation(from, as_bytes(&field), to);
        } else if (field.number == 30) {
            put(to, " int %lld", (long long)as_uint(&field));
        } else if (field.number == 44) {
            put(to, " real %.17g", as_double(&field));
        } else if (field.number == 47) {
            put(to, " flow=%llu", (unsigned long long)as_fixed64(&field));
        }
    }
}

static void show_event(replay *to, const event *seen)
{
    static const char *const types[] = {"?", "begin", "end", "instant", "count"};
    text *out = &to->out;
    put(out, "%s %lld on %llu", types[seen->type], (long long)seen->time_ns,
        (unsigned long long)seen->track);
    if (seen->type == BEGIN || seen->type == INSTANT) {
        put(out, " \"");
        put_string(out, seen->name);
        put(out, "\"");
    }
    if (seen->category.data != NULL) {
        put(out, " %.*s", TACHO_STR_ARG(seen->category));
    }
    put_event_extras(to, seen->body, out);
    put(out, "\n");
}

/* The same as showing, for traces too large to show: every number used is defined. */
static void check_annotation(const replay *from, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 1) {
            find_string(from, KEYS, as_uint(&field));
        } else if (field.number == 17) {
            find_string(from, VALUES, as_uint(&field));
        }
    }
}

static event read_event_fields(const replay *from, tacho_str body)
{
    event read = {.body = body};
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, body);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 9) {
            read.type = as_uint(&field);
        } else if (field.number == 11) {
            read.track = as_uint(&field);
        } else if (field.number == 10) {
            read.name = find_string(from, NAMES, as_uint(&field));
        } else if (field.number == 3) {
            read.category = find_string(from, CATEGORIES, as_uint(&field));
        } else if (field.number == 4) {
            check_annotation(from, as_bytes(&field));
        }
    }
    return read;
}

static void read_event(replay *to, tacho_str body)
{
    assert_true(to->is_valid);
    assert_int_equal(to->packet_sequence, 1);
    assert_int_equal(to->packet_flags, 2);
    assert_true(to->packet_has_time);
    event read = read_event_fields(to, body);
    assert_in_range(read.type, BEGIN, COUNTER);
    assert_true(read.track > 0 && read.track < UUID_MAX);
    assert_true(to->is_described[read.track] || to->may_come_late[read.track]);
    assert_int_equal(read.type == COUNTER, to->is_counter[read.track]);
    assert_int_equal(read.type == BEGIN || read.type == INSTANT, read.name.data != NULL);
    to->is_used[read.track] = true;
    to->clock_ns += to->packet_delta_ns;
    read.time_ns = to->clock_ns;
    to->event_count++;
    if ((to->shown & SHOW_EVENTS) != 0) {
        show_event(to, &read);
    }
    if (to->visit != NULL) {
        to->visit(to->self, &read);
    }
}

/* ---- packets ---------------------------------------------------------------------------- */

/* Flag 1: nothing that was known is known any longer. */
static void restart(replay *to, size_t offset)
{
    to->is_valid = true;
    memset(to->tables, 0, sizeof(to->tables));
    memset(to->is_described, 0, sizeof(to->is_described));
    memset(to->is_counter, 0, sizeof(to->is_counter));
    assert_true(to->restart_count < RESTARTS_MAX);
    to->restart_offsets[to->restart_count++] = offset;
}

/* Reads what the rest of a packet depends on: its time, sequence and flags. */
static void read_packet_head(replay *to, tacho_str packet)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, packet);
    tacho_pb_field field;
    to->packet_has_time = false;
    to->packet_sequence = 0;
    to->packet_flags = 0;
    while (next_field(&reader, &field)) {
        if (field.number == 8) {
            to->packet_has_time = true;
            to->packet_delta_ns = (int64_t)as_uint(&field);
        } else if (field.number == 10) {
            to->packet_sequence = as_uint(&field);
        } else if (field.number == 13) {
            to->packet_flags = as_uint(&field);
        }
    }
}

/* Packet defaults: the clock of events is the delta clock. */
static void read_defaults(tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    assert_true(next_field(&reader, &field));
    assert_int_equal(field.number, 58);
    assert_int_equal(as_uint(&field), 64);
}

static void read_packet_field(replay *to, const tacho_pb_field *field)
{
    switch (field->number) {
    case 6:
        read_snapshot(to, as_bytes(field));
        break;
    case 11:
        read_event(to, as_bytes(field));
        break;
    case 12:
        read_interned(to, as_bytes(field));
        break;
    case 59:
        read_defaults(as_bytes(field));
        break;
    case 60:
        read_descriptor(to, as_bytes(field));
        break;
    case 126:
        read_attributes(to, as_bytes(field));
        break;
    default:
        break;
    }
}

/* A restart brings its own clock and defaults, or deltas would count from nowhere. */
static void check_restart_fields(tacho_str packet)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, packet);
    tacho_pb_field field;
    bool has_clock = false;
    bool has_defaults = false;
    while (next_field(&reader, &field)) {
        has_clock = has_clock || field.number == 6;
        has_defaults = has_defaults || field.number == 59;
    }
    assert_true(has_clock && has_defaults);
}

static void read_packet(replay *to, tacho_str packet, size_t offset)
{
    read_packet_head(to, packet);
    if ((to->packet_flags & 1) != 0) {
        assert_int_equal(to->packet_sequence, 1);
        check_restart_fields(packet);
        restart(to, offset);
    }
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, packet);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        read_packet_field(to, &field);
    }
    to->packet_count++;
}

static replay *make_replay(unsigned shown)
{
    replay *made = calloc(1, sizeof(*made));
    assert_non_null(made);
    made->shown = shown;
    put(&made->out, "%s", "");
    return made;
}

static void free_replay(replay *made)
{
    free(made->out.data);
    free(made);
}

/* Every track that was used is described by the end of the file. */
static void check_tracks_described(const replay *from)
{
    for (size_t i = 0; i < UUID_MAX; i++) {
        assert_true(!from->is_used[i] || from->is_described[i] || from->restart_count > 1);
    }
}

static void run_replay(replay *to, tacho_str file)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, file);
    tacho_pb_field field;
    size_t offset = 0;
    while (next_field(&reader, &field)) {
        assert_int_equal(field.number, 1);
        read_packet(to, as_bytes(&field), offset);
        offset = (size_t)(reader.at - reader.start);
    }
    check_tracks_described(to);
}

static void check_shown(trace *made, unsigned shown, const char *expected)
{
    tacho_str file;
    close_trace(made, &file);
    replay *seen = make_replay(shown);
    run_replay(seen, file);
    assert_string_equal(seen->out.data, expected);
    free_replay(seen);
    free_file(file);
}

static void check_events(trace *made, const char *expected)
{
    check_shown(made, SHOW_EVENTS, expected);
}

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

/* Viewers guess the file's type from its first bytes; no word of the user's may be there. */
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

/* Nothing but attributes comes before the sequence starts, as the first packet of it. */
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

/* ---- times ------------------------------------------------------------------------------ */

/* Deltas add up, also where a track or a part starts before the last event. */
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

/* Cycles of a clock: both ends rounded down from the part's zero, the raw duration beside. */
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

/* At one time ends come before begins, and inner spans end before outer ones. */
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

/* The span between |begin| and |end| is the one that was sent under its name, a number. */
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

/* As viewers do it: by time, then place in the file; END closes the innermost open span. */
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

/* A generator that gives the same numbers everywhere. */
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

/* The next span of a properly nested track: somewhere inside what is open, or after it. */
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

/* Tracks that take turns at random, each at a time of its own: every span comes back. */
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

/* A track whose name may still change is described at the end, by what it is called then. */
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

/* Samples end the spans that lie before them: the file stays in time order. */
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

/* ---- flows ------------------------------------------------------------------------------ */

/* A flow ahead of its span is on the BEGIN, one inside it on the END of the innermost. */
static void test_flows(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t from = add_track(&made, part, "from");
    uint32_t to = add_track(&made, part, "to");
    push_span(&made, from, "source", 0, 10);
    around(&made, from, 5, 1);
    around(&made, from, 9, 2);
    push_span(&made, from, "after", 10, 20);
    around(&made, from, 10, 3); /* half open: of the one that starts */
    ahead(&made, to, 15, 1);
    ahead(&made, to, 15, 1099511627775u); /* the largest id */
    push_span(&made, to, "sink", 15, 30);
    around(&made, to, 20, 2);
    ahead(&made, to, 22, 3);
    push_span(&made, to, "inside", 22, 23);
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 0);
    check_events(&made, "begin 0 on 2 \"source\" cat\n"
                        "end 10 on 2 flow=2 flow=1\n"
                        "begin 10 on 2 \"after\" cat\n"
                        "begin 15 on 3 \"sink\" cat flow=1099511627775 flow=1\n"
                        "end 20 on 2 flow=3\n"
                        "begin 22 on 3 \"inside\" cat flow=3\n"
                        "end 23 on 3\n"
                        "end 30 on 3 flow=2\n");
}

static void keep_flow(void *self, const event *seen)
{
    text *to = self;
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, seen->body);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 47) {
            put(to, "%llu ", (unsigned long long)as_fixed64(&field));
        }
    }
}

/* Parts number their flows on their own: equal numbers of two parts are two arrows. */
static void test_flows_of_parts(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    for (int i = 0; i < 2; i++) {
        uint32_t part = add_part(&made, "a");
        uint32_t track = add_track(&made, part, "t");
        push_span(&made, track, "source", 0, 10);
        around(&made, track, 9, 7);
        ahead(&made, track, 20, 7);
        push_span(&made, track, "sink", 20, 30);
        end_part(&made, part);
    }
    tacho_str file;
    close_trace(&made, &file);
    text ids = {NULL, 0, 0};
    replay *seen = make_replay(0);
    seen->visit = keep_flow;
    seen->self = &ids;
    run_replay(seen, file);
    unsigned long long numbers[4];
    assert_int_equal(
        sscanf(ids.data, "%llu %llu %llu %llu", &numbers[0], &numbers[1], &numbers[2], &numbers[3]),
        4);
    assert_true(numbers[0] == numbers[1] && numbers[2] == numbers[3]);
    assert_true(numbers[0] != numbers[2]);
    free(ids.data);
    free_replay(seen);
    free_file(file);
}

/* On a stack the innermost span has the flow; an instant may have one, too. */
static void test_flows_on_stacks(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    push_span(&made, track, "outer", 0, 100);
    push_span(&made, track, "inner", 10, 20);
    around(&made, track, 15, 1);
    around(&made, track, 50, 2);
    ahead(&made, track, 60, 3);
    push_instant(&made, track, "i", 60);
    around(&made, track, 70, 4);
    push_span(&made, track, "last", 80, 90);
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 0);
    check_events(&made, "begin 0 on 2 \"outer\" cat\n"
                        "begin 10 on 2 \"inner\" cat\n"
                        "end 20 on 2 flow=1\n"
                        "instant 60 on 2 \"i\" cat flow=3\n"
                        "begin 80 on 2 \"last\" cat\n"
                        "end 90 on 2\n"
                        "end 100 on 2 flow=4 flow=2\n");
}

/* A flow end outside any span is lost, and counted. */
static void test_flows_of_nothing(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    around(&made, track, 0, 1);
    push_span(&made, track, "s", 5, 6);
    around(&made, track, 7, 2);
    end_part(&made, part);
    around(&made, track, 20, 4);
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 1);
    assert_int_equal(made.dict.losses[0].reason, TACHO_LOSS_UNBOUND_FLOW);
    assert_int_equal(made.dict.losses[0].part, part);
    assert_int_equal(made.dict.losses[0].count, 3);
    assert_int_equal(made.dict.losses[0].first_line, 0);
    check_events(&made, "begin 5 on 2 \"s\" cat\n"
                        "end 6 on 2\n");
}

/* Through the lanes: the lane of the span gets the flow, by time and by its end. */
static void test_flows_through_lanes(void **state)
{
    (void)state;
    trace made;
    open_with_lanes(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t from = add_track(&made, part, "from");
    uint32_t to = add_track(&made, part, "to");
    push_span(&made, from, "source", 0, 40);
    push_span(&made, to, "sink", 0, 100);
    around(&made, from, 39, 1);
    push_flow(&made, to, 50, 2, 150);
    push_span(&made, to, "crosses", 50, 150);
    around(&made, to, 120, 1);
    push_span(&made, from, "later", 200, 210);
    end_part(&made, part);
    assert_int_equal(made.dict.loss_count, 0);
    check_events(&made, "begin 0 on 2 \"source\" cat\n"
                        "begin 0 on 3 \"sink\" cat\n"
                        "end 40 on 2 flow=1\n"
                        "begin 50 on 4 \"crosses\" cat flow=2\n"
                        "end 100 on 3\n"
                        "end 150 on 4 flow=1\n"
                        "begin 200 on 2 \"later\" cat\n"
                        "end 210 on 2\n");
}

enum { FLOW_COUNT = 10000 };

static void count_flows(void *self, const event *seen)
{
    size_t *counts = self;
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, seen->body);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        if (field.number == 47) {
            assert_true(as_fixed64(&field) < FLOW_COUNT);
            counts[seen->type]++;
        }
    }
}

/* More flows on one event than fit the output's reserve; freed ones are used again. */
static void test_many_flows(void **state)
{
    (void)state;
    trace made;
    open_trace(&made);
    uint32_t part = add_part(&made, "a");
    uint32_t track = add_track(&made, part, "t");
    for (int round = 0; round < 2; round++) {
        int64_t start = 100 * round;
        for (uint64_t id = 0; id < FLOW_COUNT; id++) {
            ahead(&made, track, start, id);
        }
        push_span(&made, track, "s", start, start + 50);
        for (uint64_t id = 0; id < FLOW_COUNT; id++) {
            around(&made, track, start + 49, id);
        }
    }
    end_part(&made, part);
    tacho_str file;
    close_trace(&made, &file);
    size_t counts[COUNTER + 1] = {0};
    replay *seen = make_replay(0);
    seen->visit = count_flows;
    seen->self = counts;
    run_replay(seen, file);
    assert_int_equal(counts[BEGIN], 2 * FLOW_COUNT);
    assert_int_equal(counts[END], 2 * FLOW_COUNT);
    free_replay(seen);
    free_file(file);
}

/* ---- arguments -------------------------------------------------------------------------- */

static tacho_arg make_arg(trace *in, const char *key, tacho_arg_type type)
{
    return (tacho_arg){.key = string_id(in, tacho_str_from_cstring(key)), .type = type};
}

static tacho_arg uint_arg(trace *in, const char *key, uint64_t value)
{
    tacho_arg arg = make_arg(in, key, TACHO_ARG_UINT);
    arg.value.as_uint = value;
    return arg;
}

static tacho_arg text_arg(trace *in, const char *key, tacho_str value)
{
    tacho_arg arg = make_arg(in, key, TACHO_ARG_TEXT);
    arg.value.as_text = value;
    return arg;
}

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

/* Dictionaries and arrays, in one another. */
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

/* As deep as the model allows. */
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

/* So many that the output's buffer is full again and again. */
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

/* What the sink adds: location, run, an origin unlike the part's, an end that never came. */
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
    row.of.span.flags = TACHO_ORIGIN_ESTIMATED; /* as the part: not worth saying */
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

#define BAD "\xff\xc0\x80" /* no UTF-8 */
#define DIRTY TACHO_STR("a\0b" BAD)
#define CLEAN                                                                                      \
    "a\xef\xbf\xbd"                                                                                \
    "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"

/* Whatever bytes come in, only valid UTF-8 without NUL goes out; the reader asserts it. */
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

static tacho_str filled(size_t len, char byte)
{
    char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    memset(bytes, byte, len);
    bytes[len] = '\0';
    return tacho_str_make(bytes, len);
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

/* --args none: names and times, and how far they may be believed. */
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
        args[2].value.as_string = row.of.span.site; /* any string will do */
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

/* Each BEGIN carries its own time as an argument. */
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
 * Every few megabytes the state starts afresh. Then all that is used is defined again, the
 * clock does not go back, and the rest of the file stands alone.
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

/* Whatever kind of event comes when a restart is due, it comes after it. */
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

/* A file that was cut anywhere still holds whole packets up to the cut. */
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

/* Writing fails; nothing else does, and the failure comes out in the end. */
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
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_sequence_start),
        cmocka_unit_test(test_nothing),
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
        cmocka_unit_test(test_flows),
        cmocka_unit_test(test_flows_of_parts),
        cmocka_unit_test(test_flows_on_stacks),
        cmocka_unit_test(test_flows_of_nothing),
        cmocka_unit_test(test_flows_through_lanes),
        cmocka_unit_test(test_many_flows),
        cmocka_unit_test(test_args),
        cmocka_unit_test(test_nested_args),
        cmocka_unit_test(test_deep_args),
        cmocka_unit_test(test_many_args),
        cmocka_unit_test(test_own_args),
        cmocka_unit_test(test_dirty_strings),
        cmocka_unit_test(test_large_args),
        cmocka_unit_test(test_large_names),
        cmocka_unit_test(test_args_none),
        cmocka_unit_test(test_losses_and_metadata),
        cmocka_unit_test(test_no_losses),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_restarts),
        cmocka_unit_test(test_restart_before_any_event),
        cmocka_unit_test(test_same_twice),
        cmocka_unit_test(test_packets_are_plain),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
