/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test helpers for the Perfetto sink: a file is read back packet by packet as a viewer would:
 * strings by their numbers, times by adding up deltas. Every rule of the format is asserted on the
 * way; the contents of the trace are written as text, one line per packet:
 *
 *     process 1 "a.csv (estimated)" pid 1 rank 0 estimated
 *     thread 2 "DMA In" pid 1 tid 2 "DMA In" of 1 rank 5
 *     begin 100 on 2 "conv2d" dma_in id=text:S0 flow=7
 *     end 200 on 2
 *
 * Field numbers are written out here, so that an error in perfetto_fields.h is detected.
 */
#ifndef TACHO_SINKS_PERFETTO_REPLAY_TESTING_H
#define TACHO_SINKS_PERFETTO_REPLAY_TESTING_H

#include "sinks/perfetto_testing.h"

#include "base/utf8.h"
#include "codec/protobuf.h"

enum {
    UUID_MAX = 1024,
    SLOT_COUNT = 3 * UUID_MAX,
    IID_MAX = 4096,
    HEAD_BYTES = 128,
    RESTARTS_MAX = 8
};
enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };
enum { SHOW_TRACKS = 1, SHOW_EVENTS = 2, SHOW_ATTRIBUTES = 4 };

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
static inline bool next_field(tacho_pb_reader *reader, tacho_pb_field *field)
{
    bool got = false;
    assert_ok(tacho_pb_next(reader, field, &got));
    return got;
}

static inline uint64_t as_uint(const tacho_pb_field *field)
{
    assert_int_equal(field->wire, TACHO_PB_WIRE_VARINT);
    return field->value;
}

static inline uint64_t as_fixed64(const tacho_pb_field *field)
{
    assert_int_equal(field->wire, TACHO_PB_WIRE_FIXED64);
    return field->value;
}

static inline double as_double(const tacho_pb_field *field)
{
    uint64_t bits = as_fixed64(field);
    double value = 0;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline tacho_str as_bytes(const tacho_pb_field *field)
{
    assert_int_equal(field->wire, TACHO_PB_WIRE_BYTES);
    return field->bytes;
}

/* A string: always valid UTF-8 without NUL. */
static inline tacho_str as_string(const tacho_pb_field *field)
{
    assert_true(tacho_utf8_is_clean(as_bytes(field)));
    return field->bytes;
}

static inline tacho_str find_string(const replay *from, table which, uint64_t iid)
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
static inline void put_string(text *to, tacho_str words)
{
    if (words.len > 64) {
        put(to, "<%zu bytes>", words.len);
    } else {
        put(to, "%.*s", TACHO_STR_ARG(words));
    }
}

static inline void read_interned_entry(replay *to, table which, tacho_str entry)
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

static inline void read_interned(replay *to, tacho_str data)
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

static inline void read_clock(tacho_str message, uint64_t *out_id, int64_t *out_ns, bool *out_delta)
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
static inline void read_snapshot(replay *to, tacho_str message)
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

static inline void read_attribute(replay *to, tacho_str message)
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

static inline void read_attributes(replay *to, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        assert_int_equal(field.number, 1);
        read_attribute(to, as_bytes(&field));
    }
}

static inline void put_process(text *to, tacho_str message)
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

/* Writes a thread: its numbers, and its name if it differs from the track's. */
static inline void put_thread(text *to, tacho_str message)
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

static inline void put_counter(text *to, tacho_str message)
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
    text words; /* its name, and fields of processes and counters only */
} descriptor;

static inline void read_descriptor_field(const tacho_pb_field *field, descriptor *to)
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

/* The index of a track's facts; boxes, which contain other tracks, have large numbers. */
static inline size_t slot_of(uint64_t uuid)
{
    uint64_t low = uuid & UINT32_MAX;
    assert_true(low < UUID_MAX && uuid >> 32 < SLOT_COUNT / UUID_MAX);
    return (size_t)((uuid >> 32) * UUID_MAX + low);
}

/* "2"; "box 1.2" for the box of counters in 2. */
static inline void put_uuid(text *to, uint64_t uuid)
{
    if (uuid >> 32 != 0) {
        put(to, "box %u.", (unsigned)(uuid >> 32) - 1);
    }
    put(to, "%llu", (unsigned long long)(uuid & UINT32_MAX));
}

static inline void show_descriptor(text *to, const descriptor *seen)
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

static inline void read_descriptor(replay *to, tacho_str message)
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

static inline void put_annotation(const replay *from, tacho_str message, text *to);

/* Writes one field of an annotation; |is_array| once it is known to hold elements. */
static inline void put_annotation_field(const replay *from, const tacho_pb_field *field, text *to)
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
    default: /* such as legacy_json_value: trace_processor aborts on a null in it */
        fail_msg("annotation field %u", (unsigned)field->number);
    }
}

static inline void put_annotation(const replay *from, tacho_str message, text *to)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    while (next_field(&reader, &field)) {
        put_annotation_field(from, &field, to);
    }
}

/* Writes the extra contents of an event: annotations, flows, a counter's value. */
static inline void put_event_extras(const replay *from, tacho_str body, text *to)
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

static inline void show_event(replay *to, const event *seen)
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

/* Checks a trace too large to show: every number used is defined. */
static inline void check_annotation(const replay *from, tacho_str message)
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

static inline event read_event_fields(const replay *from, tacho_str body)
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

static inline void read_event(replay *to, tacho_str body)
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

/* Flag 1: resets all state. */
static inline void restart(replay *to, size_t offset)
{
    to->is_valid = true;
    memset(to->tables, 0, sizeof(to->tables));
    memset(to->is_described, 0, sizeof(to->is_described));
    memset(to->is_counter, 0, sizeof(to->is_counter));
    assert_true(to->restart_count < RESTARTS_MAX);
    to->restart_offsets[to->restart_count++] = offset;
}

/* Reads the fields that the rest of a packet depends on: its time, sequence and flags. */
static inline void read_packet_head(replay *to, tacho_str packet)
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
static inline void read_defaults(tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_reader_init(&reader, message);
    tacho_pb_field field;
    assert_true(next_field(&reader, &field));
    assert_int_equal(field.number, 58);
    assert_int_equal(as_uint(&field), 64);
}

static inline void read_packet_field(replay *to, const tacho_pb_field *field)
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

/* A restart has its own clock and defaults, or deltas would have no base. */
static inline void check_restart_fields(tacho_str packet)
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

static inline void read_packet(replay *to, tacho_str packet, size_t offset)
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

static inline replay *make_replay(unsigned shown)
{
    replay *made = calloc(1, sizeof(*made));
    assert_non_null(made);
    made->shown = shown;
    put(&made->out, "%s", "");
    return made;
}

static inline void free_replay(replay *made)
{
    free(made->out.data);
    free(made);
}

/* Every track in use is described by the end of the file. */
static inline void check_tracks_described(const replay *from)
{
    for (size_t i = 0; i < UUID_MAX; i++) {
        assert_true(!from->is_used[i] || from->is_described[i] || from->restart_count > 1);
    }
}

static inline void run_replay(replay *to, tacho_str file)
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

static inline void check_shown(trace *made, unsigned shown, const char *expected)
{
    tacho_str file;
    close_trace(made, &file);
    replay *seen = make_replay(shown);
    run_replay(seen, file);
    assert_string_equal(seen->out.data, expected);
    free_replay(seen);
    free_file(file);
}

static inline void check_events(trace *made, const char *expected)
{
    check_shown(made, SHOW_EVENTS, expected);
}

#endif
