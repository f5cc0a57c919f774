/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events to rows, by their phase (ph).
 *
 *     X                complete        B E     begin and end of a thread's span
 *     i I R            instant         b n e   asynchronous: begin, instant, end
 *     C                counter         S T p F the same, as old files have it
 *     s t f            flow            M       metadata (chrome_part.c)
 * Snapshots, samples and dumps (N O D P v V) count as lost; c ( ) = have no time and are skipped.
 */
#include "sources/chrome/chrome_reader.h"

#include "base/grow.h"
#include "codec/json_number.h"

#include <math.h>
#include <stdio.h>

enum { NS_DIGITS = 3, COUNTER_NAME_MAX = 1024, FLOW_ID_BITS = 40 };

/* Kinds of chrome_id. */
enum { ID_NUMBER, ID_TEXT, ID_BIND = 4, ID_OLD = 8 };

/* The latest time: one more would be TACHO_FLOW_NEXT. */
#define TIME_MAX (INT64_MAX - 1)

/* ---- times ------------------------------------------------------------------------------ */

/* Converts microseconds to nanoseconds. |*out_reason| is set on failure. */
static inline bool parse_time(tacho_str text, int64_t *out_ns, tacho_loss_reason *out_reason)
{
    if (TACHO_LIKELY(tacho_json_number_scaled(text, NS_DIGITS, out_ns) && *out_ns <= TIME_MAX)) {
        return true;
    }
    int64_t units = 0;
    double value = 0;
    bool is_number =
        tacho_json_number_double(text, &value) || tacho_json_number_scaled(text, 0, &units);
    *out_reason = is_number ? TACHO_LOSS_TIME_OVERFLOW : TACHO_LOSS_NOT_A_NUMBER;
    return false;
}

/* |is_end|: the end of a span whose start is in the same event. */
static inline bool to_ticks(const chrome_reader *reader, int64_t ns, bool is_end,
                            int64_t *out_ticks)
{
    *out_ticks = ns;
    return TACHO_LIKELY(!reader->is_own) || chrome_own_ticks(reader, ns, is_end, out_ticks);
}

/* Notes that a row of the part lasts from |start| to |end|. */
static inline void note_row(chrome_reader *reader, int64_t start, int64_t end)
{
    if (reader->first < 0 || start < reader->first) {
        reader->first = start;
        reader->dict->parts[reader->part].first_start = start;
    }
    reader->latest = end > reader->latest ? end : reader->latest;
    reader->row_count++;
}

static tacho_status push(chrome_reader *reader, const tacho_row *row)
{
    note_row(reader, row->start, row->kind == TACHO_ROW_SPAN ? row->of.span.end : row->start);
    return tacho_events_row(reader->reading->events, row);
}

/* ---- tracks and sites ------------------------------------------------------------------- */

/* The thread of the event, with a track; TACHO_NONE when it belongs to a part that has ended. */
static inline tacho_status find_thread(chrome_reader *reader, uint32_t *out_thread)
{
    chrome_tracks *tracks = &reader->tracks;
    TACHO_TRY(chrome_tracks_thread(tracks, chrome_event_number(&reader->event, CHROME_PID),
                                   chrome_event_thread(&reader->event), out_thread));
    const chrome_thread *thread = &tracks->threads[*out_thread];
    if (TACHO_UNLIKELY(tracks->processes[thread->process].part != reader->part)) {
        *out_thread = TACHO_NONE;
        return TACHO_OK;
    }
    return TACHO_LIKELY(thread->track != TACHO_NONE)
               ? TACHO_OK
               : chrome_tracks_make_thread_track(tracks, *out_thread);
}

static tacho_status find_process(chrome_reader *reader, uint32_t *out_process)
{
    TACHO_TRY(chrome_tracks_process(&reader->tracks,
                                    chrome_event_number(&reader->event, CHROME_PID), out_process));
    if (reader->tracks.processes[*out_process].part != reader->part) {
        *out_process = TACHO_NONE;
    }
    return TACHO_OK;
}

/* The kind of a category, cached for the category looked up last. */
static tacho_category_kind kind_of(chrome_reader *reader, uint32_t category)
{
    if (reader->kind_category != category) {
        reader->kind_category = category;
        reader->kind = tacho_category_kind_of(tacho_dict_string(reader->dict, category));
    }
    return reader->kind;
}

static inline tacho_status find_site(chrome_reader *reader, const chrome_site_slot **out_site)
{
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(chrome_texts_ensure(&reader->texts, chrome_event_text(&reader->event, CHROME_NAME),
                                  &site.name));
    TACHO_TRY(chrome_texts_ensure(&reader->texts, chrome_event_text(&reader->event, CHROME_CAT),
                                  &site.category));
    chrome_site_slot *slot = &reader->sites[(site.name * 31u + site.category) % CHROME_SITE_SLOTS];
    if (TACHO_UNLIKELY(slot->site == TACHO_NONE || slot->name != site.name ||
                       slot->category != site.category)) {
        TACHO_TRY(tacho_dict_ensure_site(reader->dict, &site, &slot->site));
        slot->name = site.name;
        slot->category = site.category;
        slot->kind = kind_of(reader, site.category);
    }
    *out_site = slot;
    return TACHO_OK;
}

/* Notes the kind of the spans of a thread. */
static inline tacho_status note_kind(chrome_reader *reader, uint32_t thread,
                                     tacho_category_kind kind)
{
    uint32_t *kinds = &reader->tracks.threads[thread].kinds;
    if (TACHO_LIKELY((*kinds >> kind & 1) != 0)) {
        return TACHO_OK;
    }
    *kinds |= UINT32_C(1) << kind;
    return chrome_tracks_update_thread(&reader->tracks, thread);
}

/*
 * Starts a row of |thread|, if it has one, at |start|, with every field of the event but its end.
 */
static tacho_status begin_row(chrome_reader *reader, uint32_t thread, int64_t start,
                              tacho_row *out_row)
{
    bool has_thread = thread != TACHO_NONE;
    const chrome_site_slot *site = NULL;
    *out_row = (tacho_row){
        .kind = TACHO_ROW_SPAN,
        .track = has_thread ? reader->tracks.threads[thread].track : TACHO_NONE,
        .start = start,
        .of.span = {.end = start, .op = TACHO_NONE, .run = TACHO_NONE},
        .args = reader->event.args.items,
        .arg_count = reader->event.args.item_count,
    };
    TACHO_TRY(find_site(reader, &site));
    out_row->of.span.site = site->site;
    return has_thread ? note_kind(reader, thread, site->kind) : TACHO_OK;
}

/* ---- flows ------------------------------------------------------------------------------ */

/* "0x1f", 31, 31.0, or any other text. */
static tacho_status parse_id(chrome_reader *reader, tacho_str text, uint32_t kind,
                             chrome_id *out_id)
{
    uint64_t number = 0;
    bool is_hex = text.len > 2 && text.len <= 18 && text.data[0] == '0' &&
                  (text.data[1] == 'x' || text.data[1] == 'X');
    for (size_t i = 2; i < text.len && is_hex; i++) {
        char byte = text.data[i];
        unsigned low = (unsigned char)byte | 0x20u;
        is_hex = (byte >= '0' && byte <= '9') || (low >= 'a' && low <= 'f');
        number = number << 4 | (byte <= '9' ? (unsigned)byte - '0' : low - 'a' + 10);
    }
    int64_t whole = 0;
    bool is_number = is_hex || tacho_str_parse_u64(text, &number);
    if (!is_number && tacho_json_number_i64(text, &whole) && whole >= 0) {
        is_number = true;
        number = (uint64_t)whole;
    }
    if (!is_number) {
        uint32_t id = 0;
        TACHO_TRY(chrome_tracks_ensure_id(&reader->tracks, text, &id));
        *out_id = (chrome_id){kind + ID_TEXT, id, 0};
        return TACHO_OK;
    }
    *out_id = (chrome_id){kind + ID_NUMBER, (uint32_t)number, (uint32_t)(number >> 32)};
    return TACHO_OK;
}

/* The field that identifies the event, CHROME_FIELD_COUNT without any. */
static chrome_field_name id_field(const chrome_event *event)
{
    static const chrome_field_name fields[] = {CHROME_ID, CHROME_ID_LOCAL, CHROME_ID_GLOBAL};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (chrome_event_has(event, fields[i])) {
            return fields[i];
        }
    }
    return CHROME_FIELD_COUNT;
}

static chrome_arrow new_arrow(chrome_reader *reader)
{
    return (chrome_arrow){
        .number = ++reader->flow_count, .waiting = TACHO_NONE, .later = TACHO_NONE};
}

/*
 * Numbers the arrow that a flow end belongs to. An id that leaves again after it has left and
 * arrived is another arrow from there on, in the order of the file.
 */
static tacho_status number_flow(chrome_reader *reader, const chrome_key *key, tacho_row *row,
                                chrome_arrow **out_arrow)
{
    uint32_t added = (uint32_t)reader->arrow_count;
    uint32_t found = 0;
    TACHO_TRY(chrome_map_ensure(&reader->flow_map, key, added, &found));
    if (found == added) {
        TACHO_TRY(tacho_grow(&reader->arrows, &reader->arrow_capacity, reader->arrow_count + 1));
        reader->arrows[reader->arrow_count++] = new_arrow(reader);
    }
    chrome_arrow *arrow = &reader->arrows[found];
    if (row->of.flow.phase == TACHO_FLOW_LEAVES && arrow->has_left && arrow->has_arrived &&
        arrow->later == TACHO_NONE) {
        *arrow = new_arrow(reader);
    }
    row->of.flow.id = arrow->number;
    *out_arrow = arrow;
    return TACHO_OK;
}

static void note_flow_phase(chrome_arrow *arrow, tacho_flow_phase phase)
{
    arrow->has_left = arrow->has_left || phase == TACHO_FLOW_LEAVES;
    arrow->has_passed = arrow->has_passed || phase == TACHO_FLOW_PASSES;
    arrow->has_arrived = arrow->has_arrived || phase != TACHO_FLOW_LEAVES;
}

static void note_departure(chrome_arrow *arrow, const tacho_row *row)
{
    arrow->left_at = row->start;
    arrow->left_end = row->of.flow.span_end;
    arrow->left_name = row->of.flow.span_name;
    arrow->left_track = row->track;
}

/*
 * Adds a departure under number |number| at the place where |arrow|, of which |row| is an end, has
 * left.
 */
static tacho_status push_departure(chrome_reader *reader, const chrome_arrow *arrow,
                                   const tacho_row *row, uint64_t number)
{
    tacho_row departure = *row;
    departure.start = arrow->left_at;
    departure.track = arrow->left_track;
    departure.of.flow.id = number;
    departure.of.flow.phase = TACHO_FLOW_LEAVES;
    departure.of.flow.span_end = arrow->left_end;
    departure.of.flow.span_name = arrow->left_name;
    return push(reader, &departure);
}

/*
 * An arrow that leaves once and arrives several times, such as the launch of a graph of kernels,
 * becomes an arrow to each arrival. Viewers would draw one arrow with several ends as a chain from
 * end to end.
 */
static tacho_status split_arrow(chrome_reader *reader, chrome_arrow *arrow, tacho_row *row)
{
    tacho_flow_phase phase = row->of.flow.phase;
    if (phase == TACHO_FLOW_LEAVES && !arrow->has_left) {
        note_departure(arrow, row);
        while (arrow->waiting != TACHO_NONE) {
            const chrome_arrival waiting = reader->waiting_arrivals[arrow->waiting];
            arrow->waiting = waiting.next;
            if (waiting.at >= row->start) { /* else its departure was not recorded */
                TACHO_TRY(push_departure(reader, arrow, row, waiting.number));
            }
        }
    } else if (phase == TACHO_FLOW_ARRIVES && arrow->has_arrived && !arrow->has_passed) {
        row->of.flow.id = ++reader->flow_count;
        if (arrow->has_left) {
            return push_departure(reader, arrow, row, row->of.flow.id);
        }
        TACHO_TRY(tacho_grow(&reader->waiting_arrivals, &reader->waiting_capacity,
                             reader->waiting_count + 1));
        reader->waiting_arrivals[reader->waiting_count] =
            (chrome_arrival){row->of.flow.id, row->start, arrow->waiting};
        arrow->waiting = (uint32_t)reader->waiting_count++;
    }
    return TACHO_OK;
}

/*
 * A departure before the last one has arrived is a second message in flight: they arrive in the
 * order in which they left. True when |row| is such a departure, or the arrival of one.
 */
static tacho_status queue_arrow(chrome_reader *reader, chrome_arrow *arrow, tacho_row *row,
                                bool *out_is_queued)
{
    bool leaves = row->of.flow.phase == TACHO_FLOW_LEAVES;
    bool is_on_the_road = arrow->later != TACHO_NONE || (leaves && arrow->has_left);
    *out_is_queued = false;
    if (!is_on_the_road || (!leaves && !arrow->has_arrived)) {
        return TACHO_OK;
    }
    *out_is_queued = true;
    if (leaves) {
        uint32_t added = (uint32_t)reader->later_count;
        TACHO_TRY(tacho_grow(&reader->later_departures, &reader->later_capacity, added + 1));
        chrome_departure *departure = &reader->later_departures[reader->later_count++];
        *departure = (chrome_departure){new_arrow(reader), TACHO_NONE};
        note_departure(&departure->arrow, row);
        row->of.flow.id = departure->arrow.number;
        *(arrow->later == TACHO_NONE ? &arrow->later
                                     : &reader->later_departures[arrow->latest].next) = added;
        arrow->latest = added;
        return TACHO_OK;
    }
    uint32_t latest = arrow->latest;
    const chrome_departure *next = &reader->later_departures[arrow->later];
    *arrow = next->arrow;
    arrow->later = next->next;
    arrow->latest = latest;
    row->of.flow.id = arrow->number;
    note_flow_phase(arrow, TACHO_FLOW_LEAVES);
    note_flow_phase(arrow, row->of.flow.phase);
    return TACHO_OK;
}

/* PyTorch draws arrows from a launch to the launched work. */
static bool is_launch(tacho_str text)
{
    return tacho_str_contains(text, TACHO_STR("ac2g")) ||
           tacho_str_contains(text, TACHO_STR("async_cpu_to_gpu"));
}

/*
 * PyTorch writes the ends of arrows right after their spans, so the last span is the right one.
 * Matching by time alone could pick another span that starts in the same microsecond.
 */
static void bind_to_last(const chrome_reader *reader, uint32_t thread, tacho_row *row)
{
    const chrome_thread *found = &reader->tracks.threads[thread];
    if (row->start == found->last_start && tacho_row_is_around(row)) {
        row->of.flow.span_end = found->last_end;
        row->of.flow.span_name = reader->dict->sites[found->last_site].name;
    }
}

static tacho_status take_flow(chrome_reader *reader, char phase, int64_t start)
{
    const chrome_event *event = &reader->event;
    chrome_field_name field = id_field(event);
    uint32_t thread = TACHO_NONE;
    if (field == CHROME_FIELD_COUNT) {
        return chrome_lose(reader, TACHO_LOSS_MISSING_FIELD);
    }
    TACHO_TRY(find_thread(reader, &thread));
    if (thread == TACHO_NONE) {
        return chrome_lose(reader, TACHO_LOSS_UNKNOWN_EVENT);
    }
    tacho_str category = chrome_event_text(event, CHROME_CAT);
    tacho_str name = chrome_event_text(event, CHROME_NAME);
    bool is_next = phase == 'f' &&
                   !tacho_str_equal(chrome_event_text(event, CHROME_BIND_POINT), TACHO_STR("e"));
    tacho_row row = {
        .kind = TACHO_ROW_FLOW,
        .track = reader->tracks.threads[thread].track,
        .start = start,
        .of.flow = {.role = is_launch(category) || is_launch(name) ? TACHO_FLOW_LAUNCH
                                                                   : TACHO_FLOW_DATA,
                    .phase = phase == 's'   ? TACHO_FLOW_LEAVES
                             : phase == 't' ? TACHO_FLOW_PASSES
                                            : TACHO_FLOW_ARRIVES,
                    .span_end = is_next ? TACHO_FLOW_NEXT : TACHO_FLOW_AROUND},
    };
    chrome_id id;
    TACHO_TRY(parse_id(reader, event->fields[field], 0, &id));
    if (reader->is_own) {
        row.of.flow.id = ((uint64_t)id.high << 32 | id.low) & (((uint64_t)1 << FLOW_ID_BITS) - 1);
        TACHO_TRY(chrome_own_restore_flow(reader, &row));
    } else {
        chrome_key key = {{0, 0, id.kind, id.low, id.high}};
        TACHO_TRY(chrome_texts_ensure(&reader->texts, category, &key.words[0]));
        TACHO_TRY(chrome_texts_ensure(&reader->texts, name, &key.words[1]));
        chrome_arrow *arrow = NULL;
        bind_to_last(reader, thread, &row);
        bool is_queued = false;
        TACHO_TRY(number_flow(reader, &key, &row, &arrow));
        TACHO_TRY(queue_arrow(reader, arrow, &row, &is_queued));
        if (!is_queued) {
            TACHO_TRY(split_arrow(reader, arrow, &row));
            note_flow_phase(arrow, row.of.flow.phase);
        }
    }
    return push(reader, &row);
}

/* Makes the flow end of a span with a bind_id; false when it has none. */
static tacho_status bind_flow(chrome_reader *reader, const tacho_row *span, tacho_row *out_flow,
                              bool *out_has)
{
    const chrome_event *event = &reader->event;
    *out_has = false;
    if (TACHO_LIKELY(!chrome_event_has(event, CHROME_BIND_ID))) {
        return TACHO_OK;
    }
    bool comes = chrome_event_is_set(event, CHROME_FLOW_IN);
    bool goes = chrome_event_is_set(event, CHROME_FLOW_OUT);
    *out_has = comes || goes;
    if (!*out_has) {
        return TACHO_OK;
    }
    *out_flow = (tacho_row){
        .kind = TACHO_ROW_FLOW,
        .track = span->track,
        .start = span->start,
        .of.flow = {.role = TACHO_FLOW_DATA,
                    .phase = !goes    ? TACHO_FLOW_ARRIVES
                             : !comes ? TACHO_FLOW_LEAVES
                                      : TACHO_FLOW_PASSES,
                    .span_name = reader->dict->sites[span->of.span.site].name,
                    .span_end = span->of.span.end},
    };
    chrome_id id;
    TACHO_TRY(parse_id(reader, event->fields[CHROME_BIND_ID], ID_BIND, &id));
    chrome_key key = {{0, 0, id.kind, id.low, id.high}};
    chrome_arrow *arrow = NULL;
    TACHO_TRY(number_flow(reader, &key, out_flow, &arrow));
    note_flow_phase(arrow, out_flow->of.flow.phase);
    return TACHO_OK;
}

/* ---- spans of threads ------------------------------------------------------------------- */

/* Pushes a span or instant that has an end, after the flow end of its bind_id, if any. */
static tacho_status push_span(chrome_reader *reader, tacho_row *row)
{
    bool has_flow = false;
    tacho_row flow;
    if (reader->is_own) {
        TACHO_TRY(chrome_own_restore_span(reader, row));
    }
    TACHO_TRY(bind_flow(reader, row, &flow, &has_flow));
    if (TACHO_UNLIKELY(has_flow)) {
        TACHO_TRY(push(reader, &flow));
    }
    return push(reader, row);
}

/* The end of a complete event in ticks; false with a reason when it is not valid. */
static bool find_end(const chrome_reader *reader, int64_t start_ns, int64_t *out_end,
                     tacho_loss_reason *out_reason)
{
    int64_t duration = 0;
    if (!parse_time(reader->event.fields[CHROME_DUR], &duration, out_reason)) {
        return false;
    }
    *out_reason = duration < 0 ? TACHO_LOSS_END_BEFORE_START : TACHO_LOSS_TIME_OVERFLOW;
    return duration >= 0 && duration <= TIME_MAX - start_ns &&
           to_ticks(reader, start_ns + duration, true, out_end);
}

/* A span without a length lasts as long as the part. */
static tacho_status take_unended(chrome_reader *reader, tacho_row *row)
{
    bool has_flow = false;
    tacho_row flow;
    if (reader->is_own) {
        TACHO_TRY(chrome_own_restore_span(reader, row));
    }
    note_row(reader, row->start, row->start);
    TACHO_TRY(bind_flow(reader, row, &flow, &has_flow));
    return chrome_pairing_keep(&reader->pairing, row, has_flow ? &flow : NULL);
}

static tacho_status take_complete(chrome_reader *reader, int64_t start_ns, int64_t start)
{
    int64_t end = start;
    tacho_loss_reason reason;
    uint32_t thread = TACHO_NONE;
    bool has_end = chrome_event_has(&reader->event, CHROME_DUR);
    if (TACHO_UNLIKELY(has_end && !find_end(reader, start_ns, &end, &reason))) {
        return chrome_lose(reader, reason);
    }
    TACHO_TRY(find_thread(reader, &thread));
    if (TACHO_UNLIKELY(thread == TACHO_NONE)) {
        return chrome_lose(reader, TACHO_LOSS_UNKNOWN_EVENT);
    }
    tacho_row row;
    TACHO_TRY(begin_row(reader, thread, start, &row));
    row.of.span.end = end;
    chrome_thread *found = &reader->tracks.threads[thread];
    found->last_start = TACHO_LIKELY(has_end) ? start : -1;
    found->last_end = end;
    found->last_site = row.of.span.site;
    return TACHO_LIKELY(has_end) ? push_span(reader, &row) : take_unended(reader, &row);
}

/* A begin, end or asynchronous instant of |stack|; |row| is complete but for its end. */
static tacho_status take_step(chrome_reader *reader, chrome_step *step)
{
    step->offset = reader->event.offset;
    if (step->type == CHROME_STEP_END) {
        int64_t time = step->row.start;
        reader->latest = time > reader->latest ? time : reader->latest;
        return chrome_pairing_add(&reader->pairing, step);
    }
    note_row(reader, step->row.start, step->row.start);
    if (reader->is_own) {
        TACHO_TRY(chrome_own_restore_span(reader, &step->row));
    }
    TACHO_TRY(bind_flow(reader, &step->row, &step->flow, &step->has_flow));
    return chrome_pairing_add(&reader->pairing, step);
}

/* Notes an instant's scope, unless it is its thread. */
static tacho_status add_scope(chrome_reader *reader)
{
    tacho_str scope = chrome_event_text(&reader->event, CHROME_INSTANT_SCOPE);
    bool is_global = tacho_str_equal(scope, TACHO_STR("g"));
    if (!is_global && !tacho_str_equal(scope, TACHO_STR("p"))) {
        return TACHO_OK;
    }
    chrome_args *args = &reader->event.args;
    TACHO_TRY(tacho_grow(&args->items, &args->item_capacity, args->item_count + 1));
    tacho_arg *arg = &args->items[args->item_count++];
    *arg = (tacho_arg){.type = TACHO_ARG_STRING};
    TACHO_TRY(chrome_texts_ensure(&reader->texts, CHROME_TEXT("scope"), &arg->key));
    return chrome_texts_ensure(&reader->texts,
                               is_global ? CHROME_TEXT("global") : CHROME_TEXT("process"),
                               &arg->value.as_string);
}

/* Takes an end, which alone does not make a track. */
static tacho_status take_end(chrome_reader *reader, int64_t time)
{
    uint32_t thread = TACHO_NONE;
    TACHO_TRY(chrome_tracks_thread(&reader->tracks, chrome_event_number(&reader->event, CHROME_PID),
                                   chrome_event_thread(&reader->event), &thread));
    chrome_thread *found = &reader->tracks.threads[thread];
    chrome_step step = {.type = CHROME_STEP_END, .phase = 'E', .async = TACHO_NONE};
    if (reader->tracks.processes[found->process].part != reader->part) {
        return chrome_lose(reader, TACHO_LOSS_UNMATCHED_END);
    }
    TACHO_TRY(begin_row(reader, TACHO_NONE, time, &step.row));
    TACHO_TRY(chrome_pairing_ensure_stack(&reader->pairing, &found->stack));
    step.stack = found->stack;
    return take_step(reader, &step);
}

static tacho_status take_begin(chrome_reader *reader, int64_t start)
{
    uint32_t thread = TACHO_NONE;
    chrome_step step = {.type = CHROME_STEP_BEGIN, .phase = 'B', .async = TACHO_NONE};
    TACHO_TRY(find_thread(reader, &thread));
    if (thread == TACHO_NONE) {
        return chrome_lose(reader, TACHO_LOSS_UNKNOWN_EVENT);
    }
    chrome_thread *found = &reader->tracks.threads[thread];
    TACHO_TRY(begin_row(reader, thread, start, &step.row));
    TACHO_TRY(chrome_pairing_ensure_stack(&reader->pairing, &found->stack));
    step.stack = found->stack;
    return take_step(reader, &step);
}

static tacho_status take_instant(chrome_reader *reader, int64_t start)
{
    uint32_t thread = TACHO_NONE;
    tacho_row row;
    bool is_of_trace = chrome_event_text(&reader->event, CHROME_PID).len == 0; /* PyTorch: "" */
    if (!is_of_trace) {
        TACHO_TRY(find_thread(reader, &thread));
    }
    if (thread == TACHO_NONE && !is_of_trace) {
        return chrome_lose(reader, TACHO_LOSS_UNKNOWN_EVENT);
    }
    TACHO_TRY(add_scope(reader));
    TACHO_TRY(begin_row(reader, thread, start, &row));
    if (is_of_trace) {
        TACHO_TRY(chrome_tracks_global(&reader->tracks, &row.track));
    }
    row.of.span.flags = TACHO_SPAN_INSTANT;
    return push_span(reader, &row);
}

/* ---- asynchronous events ---------------------------------------------------------------- */

/* Events of one id: by process unless it is global, by category and scope; old ones by name. */
static tacho_status find_async(chrome_reader *reader, uint32_t process, bool is_old,
                               uint32_t *out_async)
{
    const chrome_event *event = &reader->event;
    chrome_field_name field = id_field(event);
    chrome_id id;
    TACHO_TRY(parse_id(reader, event->fields[field], is_old ? ID_OLD : 0, &id));
    chrome_key key = {{process, 0, 0, id.kind, id.low, id.high}};
    if (field == CHROME_ID_GLOBAL) {
        key.words[0] = TACHO_NONE;
    }
    TACHO_TRY(
        chrome_texts_ensure(&reader->texts, chrome_event_text(event, CHROME_CAT), &key.words[1]));
    TACHO_TRY(chrome_texts_ensure(&reader->texts,
                                  chrome_event_text(event, is_old ? CHROME_NAME : CHROME_SCOPE),
                                  &key.words[2]));
    return chrome_pairing_ensure_async(&reader->pairing, &key, out_async);
}

static tacho_status take_async(chrome_reader *reader, char phase, int64_t start)
{
    chrome_step step = {.phase = phase};
    if (id_field(&reader->event) == CHROME_FIELD_COUNT) {
        return chrome_lose(reader, TACHO_LOSS_MISSING_FIELD);
    }
    TACHO_TRY(find_process(reader, &step.process));
    if (step.process == TACHO_NONE) {
        return chrome_lose(reader, TACHO_LOSS_UNKNOWN_EVENT);
    }
    bool is_old = phase != 'b' && phase != 'n' && phase != 'e';
    step.type = phase == 'e' || phase == 'F'   ? CHROME_STEP_END
                : phase == 'b' || phase == 'S' ? CHROME_STEP_BEGIN
                                               : CHROME_STEP_INSTANT;
    TACHO_TRY(find_async(reader, step.process, is_old, &step.async));
    TACHO_TRY(begin_row(reader, TACHO_NONE, start, &step.row));
    step.row.of.span.flags = step.type == CHROME_STEP_INSTANT ? TACHO_SPAN_INSTANT : 0;
    step.stack = reader->pairing.asyncs[step.async].stack;
    return take_step(reader, &step);
}

/* ---- counters --------------------------------------------------------------------------- */

/* The value of a counter's argument; false with a reason when it has none. */
static bool counter_value(const tacho_dict *dict, const tacho_arg *arg, double *out_value,
                          tacho_loss_reason *out_reason)
{
    bool is_number = arg->type == TACHO_ARG_REAL || arg->type == TACHO_ARG_JSON;
    *out_reason = is_number ? TACHO_LOSS_NOT_FINITE : TACHO_LOSS_NOT_A_NUMBER;
    switch (arg->type) {
    case TACHO_ARG_INT:
        *out_value = (double)arg->value.as_int;
        return true;
    case TACHO_ARG_UINT:
        *out_value = (double)arg->value.as_uint;
        return true;
    case TACHO_ARG_REAL:
        *out_value = arg->value.as_real;
        return isfinite(arg->value.as_real);
    case TACHO_ARG_STRING:
    case TACHO_ARG_TEXT:
        return tacho_json_number_double(chrome_arg_text(dict, arg), out_value);
    case TACHO_ARG_JSON:
        return tacho_json_number_double(arg->value.as_text, out_value);
    case TACHO_ARG_BOOL:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        break;
    }
    return false;
}

/* "<name> <argument>", with the id of the event between them if it has one. */
static tacho_status name_counter(chrome_reader *reader, tacho_str id, tacho_str key,
                                 uint32_t *out_name)
{
    tacho_str name = chrome_event_text(&reader->event, CHROME_NAME);
    char text[COUNTER_NAME_MAX];
    int len = snprintf(text, sizeof(text), "%.*s%s%.*s%s%.*s", TACHO_STR_ARG(name),
                       name.len > 0 && id.len > 0 ? " " : "", TACHO_STR_ARG(id),
                       name.len + id.len > 0 && key.len > 0 ? " " : "", TACHO_STR_ARG(key));
    size_t used = len < COUNTER_NAME_MAX ? (size_t)len : COUNTER_NAME_MAX - 1;
    return tacho_dict_ensure_string(reader->dict, tacho_str_make(text, used), out_name);
}

static tacho_status find_counter(chrome_reader *reader, uint32_t process, const tacho_arg *arg,
                                 uint32_t *out_track)
{
    const chrome_event *event = &reader->event;
    tacho_str key = tacho_dict_string(reader->dict, arg->key);
    chrome_counter counter = {.process = process, .words = {0, 0, arg->key}};
    bool is_own = reader->is_own && chrome_event_has(event, CHROME_TID);
    bool has_unit = is_own && chrome_own_unit(key, &counter.unit);
    chrome_field_name field = is_own ? CHROME_TID : id_field(event);
    tacho_str id = field == CHROME_FIELD_COUNT ? TACHO_STR("") : chrome_event_text(event, field);
    bool is_new = false;
    uint32_t name = 0;
    TACHO_TRY(chrome_texts_ensure(&reader->texts, chrome_event_text(event, CHROME_NAME), &name));
    TACHO_TRY(chrome_tracks_ensure_id(&reader->tracks, id, &counter.words[1]));
    counter.words[0] = is_own ? TACHO_NONE : name;
    counter.words[2] = is_own ? 0 : arg->key;
    TACHO_TRY(chrome_tracks_counter(&reader->tracks, &counter, out_track, &is_new));
    if (!is_new) {
        return TACHO_OK;
    }
    if (!has_unit) {
        id = tacho_strings_get(&reader->tracks.ids, counter.words[1]);
        TACHO_TRY(name_counter(reader, id, key, &name));
    }
    reader->dict->tracks[*out_track].name = name;
    return TACHO_OK;
}

static tacho_status take_counter(chrome_reader *reader, int64_t start)
{
    const chrome_args *args = &reader->event.args;
    uint32_t process = TACHO_NONE;
    if (args->item_count == reader->event.aside_count) {
        return chrome_lose(reader, TACHO_LOSS_MISSING_FIELD);
    }
    TACHO_TRY(find_process(reader, &process));
    if (process == TACHO_NONE) {
        return chrome_lose(reader, TACHO_LOSS_UNKNOWN_EVENT);
    }
    for (size_t i = 0; i < args->item_count; i += chrome_arg_size(&args->items[i])) {
        tacho_row row = {.kind = TACHO_ROW_SAMPLE, .start = start};
        tacho_loss_reason reason;
        if (chrome_event_is_aside(&reader->event, i)) {
            continue; /* thread times are not counters */
        }
        if (!counter_value(reader->dict, &args->items[i], &row.of.sample.value, &reason)) {
            TACHO_TRY(chrome_lose(reader, reason));
            continue;
        }
        TACHO_TRY(find_counter(reader, process, &args->items[i], &row.track));
        TACHO_TRY(push(reader, &row));
    }
    return TACHO_OK;
}

/* ---- any event -------------------------------------------------------------------------- */

static tacho_status take_timed(chrome_reader *reader, char phase, int64_t ns, int64_t start)
{
    switch (phase) {
    case 'X':
        return take_complete(reader, ns, start);
    case 'E':
        return take_end(reader, start);
    case 'B':
        return take_begin(reader, start);
    case 'i':
    case 'I':
    case 'R':
        return take_instant(reader, start);
    case 's':
    case 't':
    case 'f':
        return take_flow(reader, phase, start);
    case 'C':
        return take_counter(reader, start);
    default:
        return take_async(reader, phase, start);
    }
}

/* Whether the event describes a part of a trace that tacho wrote. */
static bool is_own_part(const chrome_reader *reader, char phase)
{
    const chrome_event *event = &reader->event;
    return phase == 'M' && event->args.item_count > 0 &&
           tacho_str_equal(chrome_event_text(event, CHROME_NAME), TACHO_STR("tacho_part")) &&
           tacho_str_starts_with(tacho_dict_string(reader->dict, event->args.items[0].key),
                                 TACHO_STR("tacho.part."));
}

tacho_status chrome_take_event(chrome_reader *reader)
{
    const chrome_event *event = &reader->event;
    tacho_str phase_text = chrome_event_text(event, CHROME_PH);
    char phase = phase_text.len == 1 ? phase_text.data[0] : '\0';
    if (TACHO_UNLIKELY(is_own_part(reader, phase))) {
        return chrome_own_open_part(reader);
    }
    if (TACHO_UNLIKELY(reader->part == TACHO_NONE)) {
        TACHO_TRY(chrome_part_open(reader));
    }
    if (phase == 'M') {
        return chrome_take_metadata(reader);
    }
    bool is_timed = phase == 'X' || (phase != '\0' && strchr("BEiIRstfCbneSTpF", phase) != NULL);
    if (TACHO_UNLIKELY(!is_timed)) {
        bool is_passed_over = phase != '\0' && strchr("c()=", phase) != NULL;
        return is_passed_over ? TACHO_OK
                              : chrome_lose(reader, chrome_event_has(event, CHROME_PH)
                                                        ? TACHO_LOSS_UNKNOWN_EVENT
                                                        : TACHO_LOSS_MISSING_FIELD);
    }
    int64_t ns = 0;
    int64_t start = 0;
    tacho_loss_reason reason = TACHO_LOSS_MISSING_FIELD;
    if (TACHO_UNLIKELY(!chrome_event_has(event, CHROME_TS) ||
                       !parse_time(event->fields[CHROME_TS], &ns, &reason))) {
        return chrome_lose(reader, reason);
    }
    if (TACHO_UNLIKELY(ns < 0)) {
        return chrome_lose(reader, TACHO_LOSS_NEGATIVE_TIME);
    }
    return to_ticks(reader, ns, false, &start) ? take_timed(reader, phase, ns, start)
                                               : chrome_lose(reader, TACHO_LOSS_TIME_OVERFLOW);
}
