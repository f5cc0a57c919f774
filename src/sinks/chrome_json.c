/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as Chrome Trace Event JSON, the object form. A span is one complete event (X), so a
 * zero-length one needs no care; a group is a process, a track a thread, a lane a thread of the
 * same name. Times are microseconds with three decimals, exact.
 *
 * Viewers bind a flow to the span of its thread that began last. Among events of one time they
 * process complete ones first, the longest ahead, and the others, to which an empty span belongs,
 * in the order of the file. So a flow end bound to a span is written right after it, and empty
 * spans of the same time and thread after that. Empty spans with flows of their own keep their
 * place, since arrows have to begin before they end; the span that follows is written as its begin
 * and its end.
 *
 * Fields that viewers ignore are for tacho itself, which reads them back: the facts of a part and
 * of its tracks, the name and length of the span that a flow is bound to, and the numbers among
 * arguments written as strings.
 */
#include "sinks/chrome_json.h"

#include "base/decimal.h"
#include "base/grow.h"
#include "profile/facts.h"
#include "profile/packed_row.h"
#include "sinks/attributes.h"
#include "sinks/json_args.h"
#include "sinks/trace_rows.h"
#include "sinks/track_numbers.h"

#include <stdlib.h>

enum { NUMBER_ROOM = 32, SITE_SLOTS = 512 };

/* State of a track in the file. */
typedef struct chrome_thread {
    int64_t empty_ns;         /* the start of the last empty span, INT64_MIN before the first */
    uint32_t held;            /* its last held span, TACHO_NONE for none */
    bool is_open;             /* a begin was written, and its end is due at ... */
    int64_t end;              /* ... these ticks */
    tacho_json_piece numbers; /* of process and thread, as in each span */
} chrome_thread;

/* An empty span that waits for a span with flows, to be written after it. */
typedef struct held_span {
    size_t offset;   /* of the packed row */
    uint32_t before; /* the previous one on its track, TACHO_NONE for none */
    bool is_written;
} held_span;

typedef struct chrome_sink {
    tacho_events events;
    tacho_output *output;
    tacho_trace_options options;
    bool has_events;
    bool has_attributes;
    tacho_track_numbers numbers;
    bool *described;        /* by track */
    bool *deferred;         /* by track: used, but its facts were not final */
    chrome_thread *threads; /* by track */
    size_t track_count, described_capacity, deferred_capacity, thread_capacity;
    bool *described_parts;
    size_t part_count, part_capacity;
    tacho_row *ahead; /* flow ends of the next span */
    size_t ahead_count, ahead_capacity;
    held_span *held; /* all of one time */
    size_t held_count, held_capacity;
    int64_t held_ns;
    uint64_t *held_rows; /* packed */
    size_t held_words, held_word_capacity;
    tacho_unpacked_args held_args;
    tacho_json_piece sites[SITE_SLOTS]; /* fields of the latest sites, as added to each span */
    tacho_json_keys keys;
} chrome_sink;

static chrome_sink *sink_of(tacho_events *events)
{
    return (chrome_sink *)(void *)events;
}

/* ---- pieces of JSON --------------------------------------------------------------------- */

static inline void put_literal(chrome_sink *sink, const char *text)
{
    tacho_output_write_cstring(sink->output, text);
}

static inline void put_time(chrome_sink *sink, const char *before, int64_t ns)
{
    put_literal(sink, before);
    char *at = (char *)tacho_output_reserve(sink->output, NUMBER_ROOM);
    sink->output->cursor = (unsigned char *)tacho_decimal_put_us(at, ns);
}

/* Writes the ticks beyond the nanoseconds of a time under |key|, if ticks are shorter. */
static void put_extra(chrome_sink *sink, const tacho_clock *clock, int64_t ticks, const char *key)
{
    int64_t extra = tacho_clock_extra_ticks(clock, ticks);
    if (TACHO_UNLIKELY(extra != 0)) {
        tacho_json_put_int(sink->output, key, extra);
    }
}

static void put_start(chrome_sink *sink, const tacho_clock *clock, int64_t ticks)
{
    put_time(sink, ",\"ts\":", tacho_clock_ns(clock, ticks));
    put_extra(sink, clock, ticks, ",\"tick\":");
}

static inline void put_phase(chrome_sink *sink, const char *phase)
{
    put_literal(sink, sink->has_events ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
    sink->has_events = true;
    put_literal(sink, phase);
}

/* Writes the numbers of a track, which is described and so has them. */
static void put_numbers(chrome_sink *sink, uint32_t track)
{
    const tacho_track_number *number = &sink->numbers.items[track];
    tacho_json_put_uint(sink->output, "\",\"pid\":", (uint64_t)number->pid);
    tacho_json_put_uint(sink->output,
                        ",\"tid\":", (uint64_t)(number->tid >= 0 ? number->tid : number->pid));
}

static inline void put_event_head(chrome_sink *sink, const char *phase, uint32_t track)
{
    put_phase(sink, phase);
    put_numbers(sink, track);
}

/* Like put_event_head, for a span: the numbers of its track are final. */
static inline void put_span_phase(chrome_sink *sink, const char *phase, uint32_t track)
{
    tacho_json_piece *numbers = &sink->threads[track].numbers;
    put_phase(sink, phase);
    if (TACHO_UNLIKELY(!tacho_json_piece_put(sink->output, numbers, track))) {
        uint64_t start = tacho_output_offset(sink->output);
        put_numbers(sink, track);
        tacho_json_piece_keep(sink->output, numbers, track, start);
    }
}

/* ---- tracks ----------------------------------------------------------------------------- */

static void put_metadata_event(chrome_sink *sink, const char *name, uint32_t track)
{
    put_event_head(sink, "M", track);
    put_literal(sink, ",\"name\":\"");
    put_literal(sink, name);
    put_literal(sink, "\",\"args\":{");
}

/* The thread that |track| is a lane of; 0 for none. */
static uint64_t lane_number(const chrome_sink *sink, const tacho_track *track)
{
    return track->lane_of == TACHO_NONE ? 0 : (uint64_t)sink->numbers.items[track->lane_of].tid;
}

/* Writes the name for viewers, and for tacho itself the full name and the facts. */
static tacho_status put_name_and_facts(chrome_sink *sink, uint32_t track)
{
    const tacho_dict *dict = sink->events.dict;
    tacho_str full = tacho_dict_string(dict, tacho_dict_track_name(dict, track));
    tacho_str name;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status =
        tacho_track_viewer_name(dict, track, &sink->numbers.items[track], &arena, &name);
    if (status == TACHO_OK) {
        tacho_json_put_string(sink->output, "\"name\":", name);
        if (name.len != full.len) {
            tacho_json_put_string(sink->output, ",\"full\":", full);
        }
    }
    tacho_arena_deinit(&arena);
    char facts[TACHO_FACTS_MAX];
    tacho_track_facts_format(&dict->tracks[track], lane_number(sink, &dict->tracks[track]), facts);
    tacho_json_put_string(sink->output, ",\"facts\":", tacho_str_from_cstring(facts));
    return status;
}

static tacho_status describe_process(chrome_sink *sink, uint32_t track)
{
    const tacho_track *facts = &sink->events.dict->tracks[track];
    const tacho_part *part = &sink->events.dict->parts[facts->part];
    put_metadata_event(sink, "process_name", track);
    TACHO_TRY(put_name_and_facts(sink, track));
    put_literal(sink, "}}");
    put_metadata_event(sink, "process_labels", track);
    put_literal(sink, "\"labels\":\"");
    put_literal(sink, tacho_origin_name(part->origin));
    put_literal(sink, tacho_trace_is_aside(&sink->options, part) ? ", not aligned\"}}" : "\"}}");
    put_metadata_event(sink, "process_sort_index", track);
    tacho_json_put_int(sink->output, "\"sort_index\":", tacho_track_file_rank(facts));
    put_literal(sink, "}}");
    return TACHO_OK;
}

/* Describes a counter, for tacho only: viewers name a counter by its events. */
static void describe_counter(chrome_sink *sink, uint32_t track)
{
    const tacho_track *facts = &sink->events.dict->tracks[track];
    put_metadata_event(sink, "tacho_counter", track);
    tacho_json_put_string(sink->output,
                          "\"name\":", tacho_dict_string(sink->events.dict, facts->name));
    tacho_json_put_string(sink->output,
                          ",\"unit\":", tacho_str_from_cstring(tacho_unit_name(facts->unit)));
    tacho_json_put_uint(sink->output, ",\"index\":", facts->index);
    tacho_json_put_int(sink->output, ",\"rank\":", facts->rank);
    put_literal(sink, "}}");
}

static tacho_status describe_thread(chrome_sink *sink, uint32_t track)
{
    put_metadata_event(sink, "thread_name", track);
    TACHO_TRY(put_name_and_facts(sink, track));
    put_literal(sink, "}}");
    put_metadata_event(sink, "thread_sort_index", track);
    tacho_json_put_int(sink->output, "\"sort_index\":", sink->events.dict->tracks[track].rank);
    put_literal(sink, "}}");
    return TACHO_OK;
}

/* Marks a lane with its track, ahead of its spans: those are read as spans of that track. */
static void mark_lane(chrome_sink *sink, uint32_t track)
{
    const tacho_track *facts = &sink->events.dict->tracks[track];
    if (facts->lane_of != TACHO_NONE) {
        put_metadata_event(sink, "tacho_lane", track);
        tacho_json_put_uint(sink->output, "\"of\":", lane_number(sink, facts));
        put_literal(sink, "}}");
    }
}

static tacho_status describe_track(chrome_sink *sink, uint32_t track)
{
    const tacho_track *facts = &sink->events.dict->tracks[track];
    sink->described[track] = true;
    sink->deferred[track] = facts->is_provisional;
    if (sink->deferred[track]) {
        mark_lane(sink, track);
        return TACHO_OK; /* written when its part ends */
    }
    if (facts->track_class == TACHO_TRACK_GROUP) {
        return describe_process(sink, track);
    }
    if (facts->track_class == TACHO_TRACK_COUNTER) {
        describe_counter(sink, track);
        return TACHO_OK;
    }
    return describe_thread(sink, track);
}

static tacho_status put_attribute(void *self, tacho_str key, tacho_str value)
{
    chrome_sink *sink = self;
    tacho_json_put_string(sink->output, sink->has_attributes ? ",\n" : "\n", key);
    tacho_json_put_string(sink->output, ":", value);
    sink->has_attributes = true;
    return TACHO_OK;
}

/* Writes the facts of a part, ahead of its first track. */
static tacho_status describe_part(chrome_sink *sink, uint32_t part)
{
    size_t count = sink->events.dict->part_count;
    TACHO_TRY(tacho_grow(&sink->described_parts, &sink->part_capacity, count));
    for (; sink->part_count < count; sink->part_count++) {
        sink->described_parts[sink->part_count] = false;
    }
    if (sink->described_parts[part]) {
        return TACHO_OK;
    }
    sink->described_parts[part] = true;
    uint32_t root = sink->events.dict->parts[part].root;
    TACHO_TRY(tacho_track_numbers_hide(&sink->numbers, root));
    put_metadata_event(sink, "tacho_part", root);
    sink->has_attributes = false;
    TACHO_TRY(
        tacho_attributes_visit_part(sink->events.dict, &sink->options, part, put_attribute, sink));
    put_literal(sink, "}}");
    return TACHO_OK;
}

static tacho_status grow_tracks(chrome_sink *sink)
{
    size_t count = sink->events.dict->track_count;
    TACHO_TRY(tacho_grow(&sink->described, &sink->described_capacity, count));
    TACHO_TRY(tacho_grow(&sink->deferred, &sink->deferred_capacity, count));
    TACHO_TRY(tacho_grow(&sink->threads, &sink->thread_capacity, count));
    for (; sink->track_count < count; sink->track_count++) {
        sink->threads[sink->track_count] =
            (chrome_thread){.empty_ns = INT64_MIN, .held = TACHO_NONE};
        sink->described[sink->track_count] = false;
        sink->deferred[sink->track_count] = false;
    }
    return TACHO_OK;
}

static tacho_status ensure_track(chrome_sink *sink, uint32_t track)
{
    if (TACHO_UNLIKELY(track >= sink->track_count)) {
        TACHO_TRY(grow_tracks(sink));
    }
    if (TACHO_UNLIKELY(!sink->described[track])) {
        const tacho_dict *dict = sink->events.dict;
        const tacho_track_number *number = NULL;
        TACHO_TRY(tacho_track_numbers_find(&sink->numbers, track, &number));
        TACHO_TRY(describe_part(sink, dict->tracks[track].part));
        if (dict->tracks[track].lane_of != TACHO_NONE) {
            TACHO_TRY(
                tacho_track_numbers_find(&sink->numbers, dict->tracks[track].lane_of, &number));
        }
        uint32_t group = tacho_dict_track_group(dict, track);
        if (!sink->described[group]) {
            TACHO_TRY(describe_track(sink, group));
        }
        TACHO_TRY(describe_track(sink, track));
    }
    return TACHO_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Writes the fields of |site| for its spans. */
static inline void put_site(chrome_sink *sink, uint32_t site)
{
    const tacho_dict *dict = sink->events.dict;
    tacho_json_piece *piece = &sink->sites[site % SITE_SLOTS];
    if (TACHO_UNLIKELY(!tacho_json_piece_put(sink->output, piece, site))) {
        uint64_t start = tacho_output_offset(sink->output);
        tacho_json_put_string(sink->output,
                              ",\"name\":", tacho_dict_string(dict, dict->sites[site].name));
        tacho_json_put_string(sink->output,
                              ",\"cat\":", tacho_dict_string(dict, dict->sites[site].category));
        tacho_json_piece_keep(sink->output, piece, site, start);
    }
}

/* Writes the end of the open span on |track|, if any. */
static void close_span(chrome_sink *sink, uint32_t track)
{
    chrome_thread *thread = &sink->threads[track];
    if (TACHO_UNLIKELY(thread->is_open)) {
        thread->is_open = false;
        put_event_head(sink, "E", track);
        put_start(sink, tacho_dict_track_clock(sink->events.dict, track), thread->end);
        put_literal(sink, "}");
    }
}

/*
 * Whether a nonempty span that starts at |start_ns| must be written as begin and end, for its flows
 * to be bound to it.
 */
static bool is_paired(const chrome_sink *sink, uint32_t track, int64_t start_ns)
{
    return sink->ahead_count > 0 && sink->threads[track].empty_ns == start_ns &&
           sink->events.dict->tracks[track].nesting == TACHO_NESTING_ENGINE;
}

/* Writes the phase of a span, its track and its times. */
static inline void put_span_head(chrome_sink *sink, const tacho_row *row)
{
    const tacho_clock *clock = tacho_dict_track_clock(sink->events.dict, row->track);
    int64_t start_ns = tacho_clock_ns(clock, row->start);
    int64_t end_ns = tacho_clock_ns(clock, row->of.span.end);
    bool is_instant = (row->of.span.flags & TACHO_SPAN_INSTANT) != 0;
    chrome_thread *thread = &sink->threads[row->track];
    close_span(sink, row->track);
    thread->is_open = start_ns != end_ns && !is_instant && is_paired(sink, row->track, start_ns);
    thread->end = row->of.span.end;
    thread->empty_ns = start_ns == end_ns ? start_ns : thread->empty_ns;
    put_span_phase(sink, is_instant ? "i" : thread->is_open ? "B" : "X", row->track);
    put_time(sink, ",\"ts\":", start_ns);
    put_extra(sink, clock, row->start, ",\"tick\":");
    if (is_instant) {
        put_literal(sink, ",\"s\":\"t\"");
    } else if (TACHO_LIKELY(!thread->is_open)) {
        put_time(sink, ",\"dur\":", end_ns - start_ns);
        put_extra(sink, clock, row->of.span.end, ",\"end_tick\":");
    }
}

static tacho_status write_span(chrome_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    TACHO_TRY(ensure_track(sink, row->track));
    put_span_head(sink, row);
    put_site(sink, row->of.span.site);
    if (!sink->options.omit_args) {
        put_literal(sink, ",\"args\":");
        if (TACHO_UNLIKELY(tacho_json_args_write(sink->output, dict, row, &sink->keys) > 0)) {
            put_literal(sink, ",\"numbers\":");
            tacho_json_large_write(sink->output, row);
        }
    } else if (tacho_trace_is_marked(dict, row)) {
        put_literal(sink, ",\"args\":");
        tacho_json_marks_write(sink->output, dict, row);
    }
    put_literal(sink, "}");
    return TACHO_OK;
}

/*
 * Viewers name a counter by its event and its argument: the last word of |*name| becomes the
 * argument. For a single word the unit does.
 */
static tacho_str split_counter(const tacho_track *track, tacho_str *name)
{
    for (size_t at = name->len; at-- > 1;) {
        if (name->data[at] == ' ' && at + 1 < name->len) {
            tacho_str key = tacho_str_from(*name, at + 1);
            name->len = at;
            return key;
        }
    }
    const char *unit = tacho_unit_name(track->unit);
    return tacho_str_from_cstring(unit[0] != '\0' ? unit : "value");
}

static tacho_status write_sample(chrome_sink *sink, const tacho_row *row)
{
    tacho_dict *dict = sink->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    bool is_good = false;
    TACHO_TRY(tacho_trace_check_sample(dict, row, &is_good));
    if (!is_good) {
        return TACHO_OK;
    }
    TACHO_TRY(ensure_track(sink, row->track));
    put_event_head(sink, "C", row->track);
    put_start(sink, &dict->clocks[track->clock], row->start);
    tacho_str name = tacho_dict_string(dict, track->name);
    tacho_str key = split_counter(track, &name);
    tacho_json_put_string(sink->output, ",\"name\":", name);
    tacho_json_put_string(sink->output, ",\"args\":{", key);
    put_literal(sink, ":");
    tacho_json_write_number(sink->output, row->of.sample.value);
    put_literal(sink, "}}");
    return TACHO_OK;
}

/* ---- flows ------------------------------------------------------------------------------ */

/* Writes a flow end; |number| is that of the span's operation. */
static tacho_status write_flow(chrome_sink *sink, const tacho_row *row, uint64_t number)
{
    static const char *const phases[] = {
        [TACHO_FLOW_LEAVES] = "s", [TACHO_FLOW_PASSES] = "t", [TACHO_FLOW_ARRIVES] = "f"};
    const tacho_dict *dict = sink->events.dict;
    TACHO_TRY(ensure_track(sink, row->track));
    put_event_head(sink, phases[row->of.flow.phase], row->track);
    put_start(sink, tacho_dict_track_clock(dict, row->track), row->start);
    tacho_json_put_uint(sink->output, ",\"id\":", tacho_row_flow_id(dict, row));
    bool is_next = row->of.flow.span_end == TACHO_FLOW_NEXT;
    put_literal(sink, row->of.flow.phase == TACHO_FLOW_ARRIVES && !is_next ? ",\"bp\":\"e\"" : "");
    put_literal(sink, !sink->options.flows_are_needs          ? ",\"cat\":\"flow\",\"name\":\""
                      : row->of.flow.role == TACHO_FLOW_ORDER ? ",\"cat\":\"false\",\"name\":\""
                                                              : ",\"cat\":\"true\",\"name\":\"");
    put_literal(sink, tacho_flow_role_name(row->of.flow.role));
    put_literal(sink, "\"");
    if (tacho_row_is_bound(row)) {
        tacho_json_put_int(sink->output,
                           ",\"args\":{\"span_ticks\":", row->of.flow.span_end - row->start);
        tacho_json_put_string(sink->output,
                              ",\"span\":", tacho_dict_string(dict, row->of.flow.span_name));
        if (sink->options.flows_are_needs) {
            tacho_json_put_uint(sink->output, ",\"oc\":", number);
        }
        put_literal(sink, "}");
    }
    put_literal(sink, "}");
    return TACHO_OK;
}

/* The number of |span| among the operations of a device that counts them, or 0. */
static uint64_t operation_number(const tacho_dict *dict, const tacho_row *span)
{
    for (size_t i = 0; i < span->arg_count; i++) {
        const tacho_arg *arg = &span->args[i];
        if (arg->type == TACHO_ARG_UINT &&
            tacho_str_equal(tacho_dict_string(dict, arg->key), TACHO_STR("oc"))) {
            return arg->value.as_uint;
        }
    }
    return 0;
}

/* Writes a span and its flows. */
static tacho_status write_with_flows(chrome_sink *sink, const tacho_row *row)
{
    TACHO_TRY(write_span(sink, row));
    if (TACHO_LIKELY(sink->ahead_count == 0)) {
        return TACHO_OK;
    }
    uint64_t number = sink->options.flows_are_needs ? operation_number(sink->events.dict, row) : 0;
    for (size_t i = 0; i < sink->ahead_count; i++) {
        TACHO_TRY(write_flow(sink, &sink->ahead[i], number));
    }
    sink->ahead_count = 0;
    return TACHO_OK;
}

/* ---- empty spans ------------------------------------------------------------------------ */

static tacho_status hold_span(chrome_sink *sink, const tacho_row *row, int64_t start_ns)
{
    size_t bound = 0;
    TACHO_TRY(tacho_packed_row_bound(row, &bound));
    size_t words = sink->held_words + bound / sizeof(uint64_t) + 1;
    TACHO_TRY(tacho_grow(&sink->held_rows, &sink->held_word_capacity, words));
    TACHO_TRY(tacho_grow(&sink->held, &sink->held_capacity, sink->held_count + 1));
    chrome_thread *thread = &sink->threads[row->track];
    sink->held[sink->held_count] = (held_span){sink->held_words, thread->held, false};
    thread->held = (uint32_t)sink->held_count++;
    sink->held_words +=
        tacho_packed_row_write(row, sink->held_rows + sink->held_words) / sizeof(uint64_t);
    sink->held_ns = start_ns;
    return TACHO_OK;
}

static tacho_status release_one(chrome_sink *sink, held_span *held)
{
    tacho_row row;
    const void *packed = sink->held_rows + held->offset;
    TACHO_TRY(tacho_packed_row_read(packed, &sink->held_args, &row));
    held->is_written = true;
    return write_span(sink, &row);
}

/* Writes the held spans of |track|, in the order received. */
static tacho_status release_track(chrome_sink *sink, uint32_t track)
{
    uint32_t first = TACHO_NONE;
    for (uint32_t at = sink->threads[track].held; at != TACHO_NONE;) {
        uint32_t before = sink->held[at].before;
        sink->held[at].before = first;
        first = at;
        at = before;
    }
    sink->threads[track].held = TACHO_NONE;
    for (; first != TACHO_NONE; first = sink->held[first].before) {
        TACHO_TRY(release_one(sink, &sink->held[first]));
    }
    return TACHO_OK;
}

static tacho_status release_all(chrome_sink *sink)
{
    for (size_t i = 0; i < sink->held_count; i++) {
        if (!sink->held[i].is_written) {
            const tacho_packed_row *packed = (const void *)(sink->held_rows + sink->held[i].offset);
            sink->threads[packed->track].held = TACHO_NONE;
            TACHO_TRY(release_one(sink, &sink->held[i]));
        }
    }
    sink->held_count = 0;
    sink->held_words = 0;
    return TACHO_OK;
}

/* Holds a bound flow end until its span. */
static tacho_status take_flow(chrome_sink *sink, const tacho_row *row)
{
    if (!tacho_row_is_bound(row)) {
        TACHO_TRY(release_all(sink));
        return write_flow(sink, row, 0);
    }
    TACHO_TRY(tacho_grow(&sink->ahead, &sink->ahead_capacity, sink->ahead_count + 1));
    sink->ahead[sink->ahead_count++] = *row;
    return TACHO_OK;
}

static tacho_status take_span(chrome_sink *sink, const tacho_row *row)
{
    const tacho_dict *dict = sink->events.dict;
    const tacho_clock *clock = tacho_dict_track_clock(dict, row->track);
    bool has_flows = sink->ahead_count > 0;
    int64_t start_ns = tacho_clock_ns(clock, row->start);
    TACHO_TRY(ensure_track(sink, row->track));
    if (TACHO_UNLIKELY(sink->held_count > 0 && sink->held_ns != start_ns)) {
        TACHO_TRY(release_all(sink));
    }
    bool is_empty = start_ns == tacho_clock_ns(clock, row->of.span.end);
    if (TACHO_UNLIKELY(is_empty) && !has_flows &&
        dict->tracks[row->track].nesting == TACHO_NESTING_ENGINE) {
        return hold_span(sink, row, start_ns);
    }
    if (TACHO_LIKELY(sink->threads[row->track].held == TACHO_NONE)) {
        return write_with_flows(sink, row);
    }
    if (is_empty || !has_flows) {
        TACHO_TRY(release_track(sink, row->track));
        return write_with_flows(sink, row);
    }
    TACHO_TRY(write_with_flows(sink, row));
    return release_track(sink, row->track);
}

static tacho_status chrome_row(tacho_events *events, const tacho_row *row)
{
    chrome_sink *sink = sink_of(events);
    if (TACHO_UNLIKELY(tacho_output_failed(sink->output))) {
        return tacho_output_take_failure(sink->output);
    }
    switch (row->kind) {
    case TACHO_ROW_SPAN:
        return take_span(sink, row);
    case TACHO_ROW_SAMPLE:
        return write_sample(sink, row);
    case TACHO_ROW_FLOW:
        return take_flow(sink, row);
    }
    return TACHO_OK;
}

static tacho_status chrome_end_part(tacho_events *events, uint32_t part)
{
    chrome_sink *sink = sink_of(events);
    TACHO_TRY(release_all(sink));
    for (uint32_t track = 0; track < sink->track_count; track++) {
        if (events->dict->tracks[track].part != part) {
            continue;
        }
        close_span(sink, track);
        if (sink->deferred[track]) {
            events->dict->tracks[track].is_provisional = false;
            TACHO_TRY(describe_track(sink, track));
        }
    }
    return TACHO_OK;
}

/* Written after everything else, since it does not belong to a part. */
static void put_clock_sync(chrome_sink *sink)
{
    tacho_output_printf(sink->output,
                        "%s\n{\"ph\":\"c\",\"pid\":1,\"tid\":1,\"name\":\"clock_sync\","
                        "\"ts\":0.000,\"args\":{\"host_ns\":%lld}}",
                        sink->has_events ? "," : "", (long long)sink->options.clock_sync_ns);
}

static tacho_status chrome_finish(tacho_events *events)
{
    chrome_sink *sink = sink_of(events);
    for (uint32_t part = 0; part < events->dict->part_count; part++) {
        TACHO_TRY(chrome_end_part(events, part)); /* a part without an end */
    }
    if (sink->options.has_clock_sync) {
        put_clock_sync(sink);
    }
    put_literal(sink, "\n],\n\"metadata\":{");
    sink->has_attributes = false;
    TACHO_TRY(tacho_attributes_visit_head(put_attribute, sink));
    for (uint32_t part = 0; part < events->dict->part_count; part++) {
        TACHO_TRY(
            tacho_attributes_visit_part(events->dict, &sink->options, part, put_attribute, sink));
    }
    TACHO_TRY(tacho_attributes_visit_tail(events->dict, put_attribute, sink));
    put_literal(sink, "\n}}\n");
    return TACHO_OK;
}

static const tacho_shared *chrome_shared(tacho_events *events)
{
    return tacho_output_shared(sink_of(events)->output);
}

static const tacho_events_vtable chrome_vtable = {.row = chrome_row,
                                                  .end_part = chrome_end_part,
                                                  .finish = chrome_finish,
                                                  .shared = chrome_shared};

static void chrome_close(tacho_events *events)
{
    chrome_sink *sink = sink_of(events);
    free(sink->described);
    free(sink->deferred);
    free(sink->threads);
    free(sink->described_parts);
    free(sink->ahead);
    free(sink->held);
    free(sink->held_rows);
    free(sink->held_args.items);
    tacho_track_numbers_deinit(&sink->numbers);
    free(sink);
}

static tacho_status chrome_open(tacho_dict *dict, tacho_output *output,
                                const tacho_trace_options *options, tacho_events **out_events)
{
    chrome_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&chrome_vtable, dict};
    sink->output = output;
    sink->options = *options;
    sink->keys.is_for_viewers = true;
    tacho_status status = tacho_track_numbers_init(&sink->numbers, dict);
    if (status != TACHO_OK) {
        chrome_close(&sink->events);
        return status;
    }
    sink->numbers.lowest = 0;
    sink->numbers.highest_pid = UINT32_MAX;
    sink->numbers.highest_tid = UINT32_MAX;
    put_literal(sink, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".json", NULL};

const tacho_trace_sink tacho_sink_chrome_json = {
    .name = "chrome",
    .title = "Chrome Trace Event JSON",
    .suffixes = suffixes,
    .source = "chrome",
    .limits = TACHO_LIMIT_ARG_UNITS | TACHO_LIMIT_NUMBER_TYPES,
    .open = chrome_open,
    .close = chrome_close,
};
