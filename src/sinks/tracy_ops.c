/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables of the host's work, for tools that require them.
 *
 * A line of times is a zone. The last column has the text of the nearest enclosing zone whose name
 * contains "TT_", for the two functions that Tenstorrent's tools look up. Each zone has its own
 * text: csvexport repeats that of another zone for a zone without text.
 *
 * Messages are in time order, across threads: each applies to those after it.
 */
#include "sinks/tracy_ops.h"

#include "base/grow.h"
#include "profile/tracy_rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* A zone that may still contain others. */
typedef struct open_zone {
    int64_t end;
    size_t text_at, text_len; /* in the stack's texts */
    bool is_special;          /* its name contains "TT_" */
} open_zone;

/* The open zones of a track. */
typedef struct zone_stack {
    uint32_t track;
    open_zone *zones;
    size_t depth, capacity;
    char *texts;
    size_t text_len, text_capacity;
} zone_stack;

typedef struct message {
    int64_t time;
    uint64_t order;
    tacho_str text;
} message;

typedef struct ops_sink {
    tacho_events events;
    tacho_output *output;
    zone_stack *stacks; /* by order of appearance, which is the number of the thread */
    size_t stack_count, stack_capacity;
    message *messages;
    size_t message_count, message_capacity;
    tacho_arena arena;
} ops_sink;

static ops_sink *sink_of(tacho_events *events)
{
    return (ops_sink *)(void *)events;
}

static bool has_category(const tacho_dict *dict, const tacho_row *row, const char *category)
{
    return row->kind == TACHO_ROW_SPAN &&
           tacho_str_equal(tacho_dict_string(dict, dict->sites[row->of.span.site].category),
                           tacho_str_from_cstring(category));
}

static tacho_str text_of(const tacho_dict *dict, const tacho_row *row)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        const tacho_arg *arg = &row->args[i];
        bool is_text =
            tacho_str_equal(tacho_dict_string(dict, arg->key), TACHO_STR(TACHO_TRACY_ARG_TEXT));
        if (is_text && arg->type == TACHO_ARG_TEXT) {
            return arg->value.as_text;
        }
        if (is_text && arg->type == TACHO_ARG_STRING) {
            return tacho_dict_string(dict, arg->value.as_string);
        }
    }
    return TACHO_STR("");
}

/* Nanoseconds from the start of the program, or of the capture. */
static int64_t time_of(const tacho_dict *dict, const tacho_row *row, int64_t ticks)
{
    const tacho_part *part = &dict->parts[dict->tracks[row->track].part];
    const tacho_clock *clock = tacho_dict_track_clock(dict, row->track);
    bool is_tracy = tacho_str_equal(tacho_dict_string(dict, part->format), TACHO_STR("tracy"));
    return is_tracy ? ticks : tacho_clock_ns(clock, ticks);
}

/* ---- times --------------------------------------------------------------------------------- */

static tacho_status find_stack(ops_sink *sink, uint32_t track, size_t *out_at)
{
    for (size_t i = 0; i < sink->stack_count; i++) {
        if (sink->stacks[i].track == track) {
            *out_at = i;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&sink->stacks, &sink->stack_capacity, sink->stack_count + 1));
    *out_at = sink->stack_count;
    sink->stacks[sink->stack_count++] = (zone_stack){.track = track};
    return TACHO_OK;
}

static tacho_status open_on(zone_stack *stack, const tacho_row *row, tacho_str name, tacho_str text)
{
    while (stack->depth > 0 && stack->zones[stack->depth - 1].end <= row->start) {
        stack->text_len = stack->zones[--stack->depth].text_at;
    }
    TACHO_TRY(tacho_grow(&stack->zones, &stack->capacity, stack->depth + 1));
    TACHO_TRY(tacho_grow(&stack->texts, &stack->text_capacity, stack->text_len + text.len + 1));
    memcpy(stack->texts + stack->text_len, text.len > 0 ? text.data : "", text.len);
    stack->zones[stack->depth++] =
        (open_zone){.end = row->of.span.end,
                    .text_at = stack->text_len,
                    .text_len = text.len,
                    .is_special = tacho_str_contains(name, TACHO_STR("TT_"))};
    stack->text_len += text.len;
    return TACHO_OK;
}

/* The text of the nearest zone with a special name around the innermost one. */
static tacho_str parent_text(const zone_stack *stack)
{
    for (size_t i = stack->depth - 1; i > 0; i--) {
        const open_zone *zone = &stack->zones[i - 1];
        if (zone->is_special) {
            return tacho_str_make(stack->texts + zone->text_at, zone->text_len);
        }
    }
    return TACHO_STR("");
}

static bool is_asked_for(tacho_str name)
{
    return tacho_str_equal(name, TACHO_STR("CompileProgram")) ||
           tacho_str_equal(name, TACHO_STR("HWCommandQueue_write_buffer"));
}

static void put(ops_sink *sink, tacho_str text)
{
    tacho_output_write(sink->output, text.data, text.len);
}

/* Writes a text on one line, as readers of the table require: lines are joined by blanks. */
static void put_line(ops_sink *sink, tacho_str text)
{
    while (text.len > 0) {
        size_t len = tacho_str_find_byte(text, '\n');
        put(sink, tacho_str_make(text.data, len < text.len ? len : text.len));
        if (len >= text.len) {
            return;
        }
        put(sink, TACHO_STR(" "));
        text = tacho_str_from(text, len + 1);
    }
}

static tacho_status take_zone(tacho_events *events, const tacho_row *row)
{
    ops_sink *sink = sink_of(events);
    const tacho_dict *dict = events->dict;
    size_t at = 0;
    if (!has_category(dict, row, TACHO_TRACY_CATEGORY_ZONE)) {
        return TACHO_OK;
    }
    const tacho_site *site = &dict->sites[row->of.span.site];
    tacho_str name = tacho_dict_string(dict, site->name);
    tacho_str text = text_of(dict, row);
    const tacho_location *place =
        site->location != TACHO_NONE ? &dict->locations[site->location] : NULL;
    TACHO_TRY(find_stack(sink, row->track, &at));
    TACHO_TRY(open_on(&sink->stacks[at], row, name, text));
    int64_t start = time_of(dict, row, row->start);
    put(sink, name);
    put(sink, TACHO_STR(","));
    put(sink, place != NULL ? tacho_dict_string(dict, place->file) : TACHO_STR(""));
    tacho_output_printf(sink->output, ",%" PRIu32 ",,", place != NULL ? place->line : 0);
    if (text.len > 0) {
        put(sink, TACHO_STR("\""));
        put_line(sink, text);
        put(sink, TACHO_STR("\""));
    }
    tacho_output_printf(sink->output, ",%" PRId64 ",%" PRId64 ",%zu,", start,
                        time_of(dict, row, row->of.span.end) - start, at);
    put_line(sink, is_asked_for(name) ? parent_text(&sink->stacks[at]) : TACHO_STR(""));
    put(sink, TACHO_STR("\n"));
    return TACHO_OK;
}

/* ---- messages ------------------------------------------------------------------------------ */

static tacho_status take_message(tacho_events *events, const tacho_row *row)
{
    ops_sink *sink = sink_of(events);
    if (!has_category(events->dict, row, TACHO_TRACY_CATEGORY_MESSAGE)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&sink->messages, &sink->message_capacity, sink->message_count + 1));
    message *made = &sink->messages[sink->message_count];
    *made = (message){.time = time_of(events->dict, row, row->start), .order = sink->message_count};
    TACHO_TRY(tacho_arena_copy(&sink->arena, text_of(events->dict, row), &made->text));
    sink->message_count++;
    return TACHO_OK;
}

static int compare_messages(const void *a, const void *b)
{
    const message *first = a;
    const message *second = b;
    if (first->time != second->time) {
        return first->time < second->time ? -1 : 1;
    }
    return first->order < second->order ? -1 : first->order > second->order;
}

static tacho_status put_messages(tacho_events *events)
{
    ops_sink *sink = sink_of(events);
    if (sink->message_count > 0) {
        qsort(sink->messages, sink->message_count, sizeof(*sink->messages), compare_messages);
    }
    for (size_t i = 0; i < sink->message_count; i++) {
        put(sink, sink->messages[i].text);
        tacho_output_printf(sink->output, ";%" PRId64 "\n", sink->messages[i].time);
    }
    return TACHO_OK;
}

/* ---- times and messages -------------------------------------------------------------------- */

static const tacho_events_vtable times_vtable = {.row = take_zone};
static const tacho_events_vtable data_vtable = {.row = take_message, .finish = put_messages};

static tacho_status open_sink(tacho_dict *dict, tacho_output *output,
                              const tacho_events_vtable *vtable, tacho_events **out_events)
{
    ops_sink *sink = NULL;
    TACHO_TRY(tacho_items_make(&sink, 1));
    *sink = (ops_sink){.events = {.vtable = vtable, .dict = dict}, .output = output};
    tacho_arena_init(&sink->arena);
    *out_events = &sink->events;
    return TACHO_OK;
}

static tacho_status open_times(tacho_dict *dict, tacho_output *output,
                               const tacho_trace_options *options, tacho_events **out_events)
{
    (void)options;
    tacho_output_printf(output, "name,src_file,src_line,zone_name,zone_text,ns_since_start,"
                                "exec_time_ns,thread,special_parent_text\n");
    return open_sink(dict, output, &times_vtable, out_events);
}

static tacho_status open_data(tacho_dict *dict, tacho_output *output,
                              const tacho_trace_options *options, tacho_events **out_events)
{
    (void)options;
    tacho_output_printf(output, "MessageName;total_ns\n");
    return open_sink(dict, output, &data_vtable, out_events);
}

static void close_sink(tacho_events *events)
{
    ops_sink *sink = sink_of(events);
    for (size_t i = 0; i < sink->stack_count; i++) {
        free(sink->stacks[i].zones);
        free(sink->stacks[i].texts);
    }
    free(sink->stacks);
    free(sink->messages);
    tacho_arena_deinit(&sink->arena);
    free(sink);
}

static const char *const times_suffixes[] = {"tracy_ops_times.csv", NULL};
static const char *const data_suffixes[] = {"tracy_ops_data.csv", NULL};

const tacho_trace_sink tacho_sink_tracy_ops_times = {
    .name = "tracy-ops-times",
    .title = "host zones as Tenstorrent's tools read them (tracy_ops_times.csv)",
    .suffixes = times_suffixes,
    .limits = TACHO_LIMIT_READING,
    .open = open_times,
    .close = close_sink,
};

const tacho_trace_sink tacho_sink_tracy_ops_data = {
    .name = "tracy-ops-data",
    .title = "messages as Tenstorrent's tools read them (tracy_ops_data.csv)",
    .suffixes = data_suffixes,
    .limits = TACHO_LIMIT_READING,
    .open = open_data,
    .close = close_sink,
};
