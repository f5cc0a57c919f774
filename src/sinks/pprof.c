/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree of stacks is built while rows stream through; memory grows with the number of different
 * stacks. The root of a stack is its track. The file is written at the end, one small message after
 * another. Comments list the origin of the times and the data left out of the file ('pprof
 * -comments').
 */
#include "sinks/pprof.h"

#include "base/grow.h"
#include "base/number_map.h"
#include "base/utf8.h"
#include "codec/protobuf.h"
#include "sinks/trace_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Fields of the format. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_DURATION = 10,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_TYPE = 14,
    TYPE_TYPE = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1,
    SAMPLE_VALUE = 2,
    LOCATION_ID = 1,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_FILE = 4,
    VARINT_BYTES = 12,
};

/* Strings required by the format precede those of the dictionary. */
static const char *const words[] = {"", "spans", "count", "time", "nanoseconds"};
enum { WORD_SPANS = 1, WORD_COUNT, WORD_TIME, WORD_NANOSECONDS, WORD_END };

/* A stack: the node of the enclosing frames, and its own frame. */
typedef struct node {
    uint32_t parent; /* TACHO_NONE for a track */
    uint32_t frame;  /* a site; of a track the track */
    uint64_t count;
    int64_t self_ns;
} node;

typedef struct open_span {
    int64_t end;
    uint32_t node;
} open_span;

typedef struct track_stack {
    uint32_t root; /* node, TACHO_NONE until it is needed */
    open_span *items;
    size_t item_count, item_capacity;
} track_stack;

typedef struct pprof_sink {
    tacho_events events;
    tacho_output *output;
    node *nodes;
    size_t node_count, node_capacity;
    tacho_number_map index; /* parent and site -> node */
    track_stack *stacks;    /* by track */
    size_t stack_count, stack_capacity;
    int64_t last_ns;
    uint64_t instant_count, sample_count, flow_end_count; /* left out */
    uint64_t unended_count;
    unsigned char *message; /* under construction */
    size_t message_capacity;
} pprof_sink;

static pprof_sink *sink_of(tacho_events *events)
{
    return (pprof_sink *)(void *)events;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static tacho_status add_node(pprof_sink *sink, uint32_t parent, uint32_t frame, uint32_t *out_node)
{
    if (sink->node_count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "more than 2^32 different stacks");
    }
    TACHO_TRY(tacho_grow(&sink->nodes, &sink->node_capacity, sink->node_count + 1));
    *out_node = (uint32_t)sink->node_count++;
    sink->nodes[*out_node] = (node){.parent = parent, .frame = frame};
    return TACHO_OK;
}

static tacho_status ensure_node(pprof_sink *sink, uint32_t parent, uint32_t site,
                                uint32_t *out_node)
{
    uint64_t key = (uint64_t)parent << 32 | site;
    const uint64_t *known = tacho_number_map_find(&sink->index, key);
    if (known != NULL) {
        *out_node = (uint32_t)*known;
        return TACHO_OK;
    }
    TACHO_TRY(add_node(sink, parent, site, out_node));
    return tacho_number_map_set(&sink->index, key, *out_node);
}

static tacho_status ensure_stack(pprof_sink *sink, uint32_t track, track_stack **out_stack)
{
    TACHO_TRY(tacho_grow(&sink->stacks, &sink->stack_capacity, (size_t)track + 1));
    while (sink->stack_count <= track) {
        sink->stacks[sink->stack_count++] = (track_stack){.root = TACHO_NONE};
    }
    *out_stack = &sink->stacks[track];
    return (*out_stack)->root != TACHO_NONE
               ? TACHO_OK
               : add_node(sink, TACHO_NONE, track, &(*out_stack)->root);
}

static tacho_status pprof_row(tacho_events *events, const tacho_row *row)
{
    pprof_sink *sink = sink_of(events);
    track_stack *stack = NULL;
    uint32_t at = TACHO_NONE;
    if (row->kind != TACHO_ROW_SPAN || (row->of.span.flags & TACHO_SPAN_INSTANT) != 0) {
        sink->instant_count += row->kind == TACHO_ROW_SPAN;
        sink->sample_count += row->kind == TACHO_ROW_SAMPLE;
        sink->flow_end_count += row->kind == TACHO_ROW_FLOW;
        return TACHO_OK;
    }
    const tacho_clock *clock = tacho_dict_track_clock(events->dict, row->track);
    int64_t end_ns = tacho_clock_ns(clock, row->of.span.end);
    int64_t ns = end_ns - tacho_clock_ns(clock, row->start);
    TACHO_TRY(ensure_stack(sink, row->track, &stack));
    while (stack->item_count > 0 && stack->items[stack->item_count - 1].end <= row->start) {
        stack->item_count--;
    }
    bool is_inner = stack->item_count > 0;
    uint32_t parent = is_inner ? stack->items[stack->item_count - 1].node : stack->root;
    TACHO_TRY(ensure_node(sink, parent, row->of.span.site, &at));
    sink->unended_count += (row->of.span.flags & TACHO_SPAN_UNENDED) != 0;
    sink->nodes[at].count++;
    sink->nodes[at].self_ns += ns;
    sink->nodes[parent].self_ns -= is_inner ? ns : 0;
    sink->last_ns = end_ns > sink->last_ns ? end_ns : sink->last_ns;
    TACHO_TRY(tacho_grow(&stack->items, &stack->item_capacity, stack->item_count + 1));
    stack->items[stack->item_count++] = (open_span){row->of.span.end, at};
    return TACHO_OK;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Writes |len| bytes as field |field|. */
static void write_message(pprof_sink *sink, uint32_t field, const unsigned char *bytes, size_t len)
{
    unsigned char head[2 * VARINT_BYTES];
    unsigned char *at = tacho_pb_put_tag(head, field, TACHO_PB_WIRE_BYTES);
    at = tacho_pb_put_varint(at, len);
    tacho_output_write(sink->output, head, (size_t)(at - head));
    tacho_output_write(sink->output, bytes, len);
}

static void write_type(pprof_sink *sink, unsigned type, unsigned unit)
{
    unsigned char bytes[2 * VARINT_BYTES];
    unsigned char *at = tacho_pb_put_uint(bytes, TYPE_TYPE, type);
    at = tacho_pb_put_uint(at, TYPE_UNIT, unit);
    write_message(sink, PROFILE_SAMPLE_TYPE, bytes, (size_t)(at - bytes));
}

/* Locations and functions have the same numbers: sites from 1 on, then tracks. */
static uint64_t frame_number(const pprof_sink *sink, const node *of)
{
    return of->parent == TACHO_NONE ? sink->events.dict->site_count + of->frame + 1
                                    : (uint64_t)of->frame + 1;
}

/* Writes the frames of a stack from the innermost outwards, then its values. */
static tacho_status write_sample(pprof_sink *sink, uint32_t id)
{
    size_t depth = 0;
    for (uint32_t at = id; at != TACHO_NONE; at = sink->nodes[at].parent) {
        depth++;
    }
    TACHO_TRY(
        tacho_grow(&sink->message, &sink->message_capacity, (depth + 2) * (size_t)VARINT_BYTES));
    unsigned char *end = sink->message;
    for (uint32_t at = id; at != TACHO_NONE; at = sink->nodes[at].parent) {
        end = tacho_pb_put_uint(end, SAMPLE_LOCATION, frame_number(sink, &sink->nodes[at]));
    }
    int64_t self_ns = sink->nodes[id].self_ns > 0 ? sink->nodes[id].self_ns : 0;
    end = tacho_pb_put_uint(end, SAMPLE_VALUE, sink->nodes[id].count);
    end = tacho_pb_put_uint(end, SAMPLE_VALUE, (uint64_t)self_ns);
    write_message(sink, PROFILE_SAMPLE, sink->message, (size_t)(end - sink->message));
    return TACHO_OK;
}

static void write_frame(pprof_sink *sink, uint64_t number, uint32_t name,
                        const tacho_location *place)
{
    unsigned char bytes[4 * VARINT_BYTES];
    unsigned char line[2 * VARINT_BYTES];
    unsigned char *at = tacho_pb_put_uint(bytes, FUNCTION_ID, number);
    at = tacho_pb_put_uint(at, FUNCTION_NAME, (uint64_t)WORD_END + name);
    if (place != NULL && place->file != 0) {
        at = tacho_pb_put_uint(at, FUNCTION_FILE, (uint64_t)WORD_END + place->file);
    }
    write_message(sink, PROFILE_FUNCTION, bytes, (size_t)(at - bytes));
    unsigned char *line_end = tacho_pb_put_uint(line, LINE_FUNCTION, number);
    if (place != NULL && place->line != 0) {
        line_end = tacho_pb_put_uint(line_end, LINE_LINE, place->line);
    }
    at = tacho_pb_put_uint(bytes, LOCATION_ID, number);
    at = tacho_pb_put_bytes(at, LOCATION_LINE,
                            tacho_str_make((const char *)line, (size_t)(line_end - line)));
    write_message(sink, PROFILE_LOCATION, bytes, (size_t)(at - bytes));
}

static void write_frames(pprof_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    for (size_t i = 0; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        bool has_name = tacho_dict_string(dict, site->name).len > 0;
        write_frame(sink, i + 1, has_name ? site->name : site->category,
                    site->location != TACHO_NONE ? &dict->locations[site->location] : NULL);
    }
    for (size_t i = 0; i < sink->stack_count; i++) {
        if (sink->stacks[i].root != TACHO_NONE) {
            write_frame(sink, dict->site_count + i + 1, tacho_dict_track_name(dict, (uint32_t)i),
                        NULL);
        }
    }
}

static tacho_status write_strings(pprof_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    tacho_arena arena;
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < WORD_END; i++) {
        write_message(sink, PROFILE_STRING, (const unsigned char *)words[i], strlen(words[i]));
    }
    tacho_arena_init(&arena);
    for (size_t i = 0; status == TACHO_OK && i < dict->strings.item_count; i++) {
        tacho_str text = {NULL, 0};
        status = tacho_utf8_clean(tacho_dict_string(dict, (uint32_t)i), &arena, &text);
        if (status == TACHO_OK) {
            write_message(sink, PROFILE_STRING, (const unsigned char *)text.data, text.len);
        }
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* ---- comments -------------------------------------------------------------------------------- */

enum { FACT_COUNT = 5 };

static void write_count(pprof_sink *sink, const char *key, uint64_t count)
{
    char text[64];
    snprintf(text, sizeof(text), "tacho.%s=%" PRIu64, key, count);
    write_message(sink, PROFILE_STRING, (const unsigned char *)text, strlen(text));
}

static tacho_status write_origin(pprof_sink *sink, const tacho_part *part)
{
    tacho_str name = tacho_dict_string(sink->events.dict, part->name);
    static const char key[] = "tacho.origin=";
    const char *origin = tacho_origin_name(part->origin);
    size_t room = sizeof(key) + strlen(origin) + 3 + 3 * name.len;
    TACHO_TRY(tacho_grow(&sink->message, &sink->message_capacity, room));
    char *text = (char *)sink->message;
    size_t len = (size_t)snprintf(text, room, "%s%s (", key, origin);
    char *end = tacho_utf8_clean_into(name, text + len);
    *end++ = ')';
    write_message(sink, PROFILE_STRING, sink->message, (size_t)(end - text));
    return TACHO_OK;
}

/* Writes the comments; their strings follow those of the dictionary. */
static tacho_status write_comments(pprof_sink *sink)
{
    const tacho_dict *dict = sink->events.dict;
    unsigned char bytes[VARINT_BYTES];
    for (size_t i = 0; i < dict->part_count; i++) {
        TACHO_TRY(write_origin(sink, &dict->parts[i]));
    }
    write_count(sink, "lost_records", tacho_trace_lost_count(dict));
    write_count(sink, "instants_left_out", sink->instant_count);
    write_count(sink, "counter_samples_left_out", sink->sample_count);
    write_count(sink, "flow_ends_left_out", sink->flow_end_count);
    write_count(sink, "unended_spans", sink->unended_count);
    for (size_t i = 0; i < dict->part_count + FACT_COUNT; i++) {
        unsigned char *end =
            tacho_pb_put_uint(bytes, PROFILE_COMMENT, WORD_END + dict->strings.item_count + i);
        tacho_output_write(sink->output, bytes, (size_t)(end - bytes));
    }
    return TACHO_OK;
}

static tacho_status pprof_finish(tacho_events *events)
{
    pprof_sink *sink = sink_of(events);
    unsigned char bytes[2 * VARINT_BYTES];
    events->dict->unplaced_count = sink->instant_count + sink->sample_count + sink->flow_end_count;
    write_type(sink, WORD_SPANS, WORD_COUNT);
    write_type(sink, WORD_TIME, WORD_NANOSECONDS);
    for (size_t i = 0; i < sink->node_count; i++) {
        if (sink->nodes[i].count > 0) {
            TACHO_TRY(write_sample(sink, (uint32_t)i));
        }
    }
    write_frames(sink);
    TACHO_TRY(write_strings(sink));
    TACHO_TRY(write_comments(sink));
    unsigned char *at = tacho_pb_put_uint(bytes, PROFILE_DURATION, (uint64_t)sink->last_ns);
    at = tacho_pb_put_uint(at, PROFILE_DEFAULT_TYPE, WORD_TIME);
    tacho_output_write(sink->output, bytes, (size_t)(at - bytes));
    return TACHO_OK;
}

static const tacho_events_vtable pprof_vtable = {.row = pprof_row, .finish = pprof_finish};

static void pprof_close(tacho_events *events)
{
    pprof_sink *sink = sink_of(events);
    for (size_t i = 0; i < sink->stack_count; i++) {
        free(sink->stacks[i].items);
    }
    free(sink->stacks);
    free(sink->nodes);
    free(sink->message);
    tacho_number_map_deinit(&sink->index);
    free(sink);
}

static tacho_status pprof_open(tacho_dict *dict, tacho_output *output,
                               const tacho_trace_options *options, tacho_events **out_events)
{
    pprof_sink *sink = calloc(1, sizeof(*sink));
    (void)options;
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&pprof_vtable, dict};
    sink->output = output;
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".pprof", NULL};

const tacho_trace_sink tacho_sink_pprof = {
    .name = "pprof",
    .title = "pprof, stacks of nested spans",
    .suffixes = suffixes,
    .limits = TACHO_LIMIT_READING | TACHO_LIMIT_SPANS,
    .open = pprof_open,
    .close = pprof_close,
};
