/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and fibers of a Tracy client: their zones, and texts of zones and threads.
 */
#include "capture/tracy_state.h"

#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>

enum { VALUE_ROOM = 64, LAST_PLAIN_VALUE = 69, FIRST_BIASED = 78, FIRST_TAGGED = 77 };

static const int64_t bias_16 = 65536;

/* ---- threads ------------------------------------------------------------------------------- */

static tacho_status add_thread(tacho_tracy_session *session, uint64_t id, bool is_fiber,
                               uint32_t *out_thread)
{
    TACHO_TRY(tacho_grow(&session->threads, &session->thread_capacity, session->thread_count + 1));
    *out_thread = (uint32_t)session->thread_count++;
    session->threads[*out_thread] = (tacho_tracy_thread){
        .id = id, .is_fiber = is_fiber, .track = TACHO_NONE, .fiber = TACHO_NONE};
    return tacho_number_map_set(is_fiber ? &session->fiber_map : &session->thread_map, id,
                                *out_thread);
}

static tacho_status find_in(tacho_tracy_session *session, tacho_number_map *map, uint64_t id,
                            uint32_t *out_thread)
{
    const uint64_t *found = tacho_number_map_find(map, id);
    if (found != NULL) {
        *out_thread = (uint32_t)*found;
        return TACHO_OK;
    }
    return add_thread(session, id, map == &session->fiber_map, out_thread);
}

static tacho_status tracy_find_thread(tacho_tracy_session *session, uint64_t tid,
                                      uint32_t *out_thread)
{
    return find_in(session, &session->thread_map, tid, out_thread);
}

static tacho_status make_fiber_track(tacho_tracy_session *session, tacho_tracy_thread *thread)
{
    char text[48];
    const tacho_tracy_track facts = {
        .track_class = TACHO_TRACK_HOST, .number = -1, .is_provisional = thread->name == 0};
    tacho_str name = tacho_dict_string(session->rows.events->dict, thread->name);
    if (thread->name == 0) {
        snprintf(text, sizeof(text), "fiber 0x%llx", (unsigned long long)thread->id);
        name = tacho_str_from_cstring(text);
    }
    return tacho_tracy_rows_track(&session->rows, &facts, name, &thread->track);
}

static tacho_status tracy_thread_track(tacho_tracy_session *session, uint32_t thread,
                                       uint32_t *out_track)
{
    tacho_tracy_thread *known = &session->threads[thread];
    if (known->track == TACHO_NONE) {
        tacho_str name = tacho_dict_string(session->rows.events->dict, known->name);
        TACHO_TRY(known->is_fiber
                      ? make_fiber_track(session, known)
                      : tacho_tracy_rows_thread(&session->rows, name, known->id, &known->track));
        if (!known->is_named) {
            known->is_named = true;
            TACHO_TRY(tacho_tracy_names_ask(
                &session->names,
                known->is_fiber ? TACHO_TRACY_QUERY_FIBER : TACHO_TRACY_QUERY_THREAD, known->id));
        }
    }
    *out_track = known->track;
    return TACHO_OK;
}

void tacho_tracy_free_threads(tacho_tracy_session *session)
{
    for (size_t i = 0; i < session->thread_count; i++) {
        free(session->threads[i].stack);
    }
    free(session->threads);
    session->threads = NULL;
    session->thread_count = 0;
    tacho_number_map_deinit(&session->thread_map);
    tacho_number_map_deinit(&session->fiber_map);
}

static tacho_status take_thread_name(tacho_tracy_session *session, const tacho_tracy_item *item,
                                     bool is_fiber)
{
    const uint64_t *found = tacho_number_map_find(
        is_fiber ? &session->fiber_map : &session->thread_map, tacho_tracy_u64(item->data));
    session->names.reply_count++;
    if (found == NULL) {
        return TACHO_OK;
    }
    tacho_tracy_thread *thread = &session->threads[*found];
    TACHO_TRY(tacho_dict_ensure_string(session->rows.events->dict, item->text, &thread->name));
    thread->is_named = true;
    thread->told++;
    if (!is_fiber) {
        TACHO_TRY(tacho_tracy_names_hear(&session->names, thread->id, thread->told));
    }
    if (thread->track == TACHO_NONE || item->text.len == 0) {
        return TACHO_OK;
    }
    return is_fiber ? tacho_tracy_rows_rename(&session->rows, thread->track, item->text)
                    : tacho_tracy_rows_rename_thread(&session->rows, thread->track, item->text,
                                                     thread->id);
}

/* The thread whose zones the next events are of: the fiber, where one runs. */
static tacho_status current_thread(tacho_tracy_session *session, uint32_t *out_thread)
{
    if (session->current == TACHO_NONE) {
        TACHO_TRY(tracy_find_thread(session, 0, &session->current));
    }
    uint32_t fiber = session->threads[session->current].fiber;
    *out_thread = fiber != TACHO_NONE ? fiber : session->current;
    return TACHO_OK;
}

/* ---- zones --------------------------------------------------------------------------------- */

static tacho_status begin_zone(tacho_tracy_session *session, int64_t delta, uint32_t place)
{
    uint32_t at = 0;
    int64_t start = 0;
    TACHO_TRY(current_thread(session, &at));
    tacho_tracy_thread *thread = &session->threads[at];
    tacho_tracy_step(session, &session->thread_ticks, delta, &start);
    if (thread->depth == TACHO_TRACY_DEPTH_MAX) {
        thread->too_deep++;
        session->counts.mismatched++;
        return TACHO_OK;
    }
    if (TACHO_UNLIKELY(thread->track == TACHO_NONE)) {
        uint32_t track = 0;
        TACHO_TRY(tracy_thread_track(session, at, &track));
    }
    TACHO_TRY(tacho_grow(&thread->stack, &thread->capacity, thread->depth + 1));
    thread->stack[thread->depth++] = (tacho_tracy_zone){
        .start = start, .place = place, .extra = TACHO_NONE, .check = thread->next_check};
    thread->next_check = 0;
    return TACHO_OK;
}

/* Takes the innermost zone off the stack as a row. */
static tacho_status pop_zone(tacho_tracy_session *session, tacho_tracy_thread *thread, int64_t end,
                             uint32_t flags)
{
    const tacho_tracy_zone *zone = &thread->stack[--thread->depth];
    session->counts.zones++;
    return tacho_tracy_names_push_zone(
        &session->names,
        &(tacho_tracy_held){
            .span = {.track = thread->track, .start = zone->start, .end = end, .flags = flags},
            .place = zone->place,
            .extra = zone->extra,
            .category = session->rows.zone});
}

/* The zone that an event is about: the innermost with the event's number; NULL for none. */
static tacho_tracy_zone *find_zone(tacho_tracy_session *session, tacho_tracy_thread *thread)
{
    uint32_t check = thread->next_check;
    thread->next_check = 0;
    for (size_t i = thread->depth; i > 0; i--) {
        if (thread->stack[i - 1].check == check) {
            return &thread->stack[i - 1];
        }
    }
    session->counts.mismatched++;
    return NULL;
}

static tacho_status end_zone(tacho_tracy_session *session, int64_t delta)
{
    uint32_t at = 0;
    int64_t end = 0;
    TACHO_TRY(current_thread(session, &at));
    tacho_tracy_thread *thread = &session->threads[at];
    tacho_tracy_step(session, &session->thread_ticks, delta, &end);
    if (thread->too_deep > 0) {
        thread->too_deep--;
        return TACHO_OK;
    }
    const tacho_tracy_zone *zone = find_zone(session, thread);
    if (zone == NULL) {
        return TACHO_OK;
    }
    size_t depth = (size_t)(zone - thread->stack);
    while (thread->depth > depth + 1) { /* zones in it whose end is missing */
        session->counts.mismatched++;
        TACHO_TRY(pop_zone(session, thread, end, TACHO_SPAN_UNENDED));
    }
    return pop_zone(session, thread, end, 0);
}

/* Text, name and colour of the current zone; NULL, and counted, where none is open. */
static tacho_status find_extra(tacho_tracy_session *session, uint32_t *out_extra)
{
    uint32_t at = 0;
    *out_extra = TACHO_NONE;
    TACHO_TRY(current_thread(session, &at));
    tacho_tracy_zone *zone = find_zone(session, &session->threads[at]);
    if (zone == NULL) {
        return TACHO_OK;
    }
    if (zone->extra == TACHO_NONE) {
        TACHO_TRY(tacho_tracy_names_add_extra(&session->names, &zone->extra));
    }
    *out_extra = zone->extra;
    return TACHO_OK;
}

static tacho_status add_value(tacho_tracy_session *session, uint32_t extra, uint64_t value)
{
    char text[VALUE_ROOM];
    int len = tacho_tracy_format_value(text, sizeof(text), value,
                                       session->protocol.number > LAST_PLAIN_VALUE);
    return tacho_tracy_names_add_text(&session->names, extra, tacho_str_make(text, (size_t)len));
}

static tacho_status take_extra(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    uint32_t extra = TACHO_NONE;
    tacho_str text = TACHO_STR("");
    if (item->event == TACHO_TRACY_ZONE_TEXT || item->event == TACHO_TRACY_ZONE_NAME) {
        text = tacho_tracy_take_single(session);
    }
    TACHO_TRY(find_extra(session, &extra));
    if (extra == TACHO_NONE) {
        return TACHO_OK;
    }
    switch ((int)item->event) {
    case TACHO_TRACY_ZONE_TEXT:
        return tacho_tracy_names_add_text(&session->names, extra, text);
    case TACHO_TRACY_ZONE_NAME:
        return tacho_dict_ensure_string(session->rows.events->dict, text,
                                        &session->names.extras[extra].name);
    case TACHO_TRACY_ZONE_COLOR:
        session->names.extras[extra].color = tacho_tracy_color(item->data);
        return TACHO_OK;
    default:
        return add_value(session, extra, tacho_tracy_u64(item->data));
    }
}

/* ---- messages ------------------------------------------------------------------------------ */

/* The address in a literal message: since 77 there is a tag with it. */
static uint64_t literal_address(const tacho_tracy_session *session, const unsigned char *at)
{
    uint64_t value = tacho_tracy_u64(at);
    if (session->protocol.number < FIRST_TAGGED) {
        return value;
    }
    return session->protocol.number < 79 ? value & ((UINT64_C(1) << 56) - 1) : value >> 8;
}

static tacho_status take_message(tacho_tracy_session *session, const tacho_tracy_item *item,
                                 bool is_literal, bool has_color)
{
    tacho_tracy_moment moment = {.site = session->rows.message_site};
    tacho_str text = is_literal ? TACHO_STR("") : tacho_tracy_take_single(session);
    uint32_t thread = 0;
    uint32_t name = 0;
    session->counts.messages++;
    if (!tacho_tracy_time(session, tacho_tracy_i64(item->data), &moment.time)) {
        return TACHO_OK;
    }
    TACHO_TRY(current_thread(session, &thread));
    TACHO_TRY(tracy_thread_track(session, thread, &moment.track));
    moment.color = has_color ? tacho_tracy_color(item->data + 8) : TACHO_TRACY_NO_COLOR;
    moment.text = text;
    if (!is_literal) {
        return tacho_tracy_rows_moment(&session->rows, &moment);
    }
    TACHO_TRY(tacho_tracy_names_text(
        &session->names, literal_address(session, item->data + (has_color ? 11 : 8)), &name));
    return tacho_tracy_names_push_moment(&session->names, &moment, name);
}

static tacho_status take_crash(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    tacho_tracy_moment moment = {.site = session->rows.crash_site};
    uint32_t thread = 0;
    uint32_t name = 0;
    if (!tacho_tracy_time(session, tacho_tracy_i64(item->data), &moment.time)) {
        return TACHO_OK;
    }
    TACHO_TRY(current_thread(session, &thread));
    TACHO_TRY(tracy_thread_track(session, thread, &moment.track));
    TACHO_TRY(tacho_tracy_names_text(&session->names, tacho_tracy_u64(item->data + 8), &name));
    return tacho_tracy_names_push_moment(&session->names, &moment, name);
}

/* ---- fibers and sections ------------------------------------------------------------------- */

static tacho_status take_fiber(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    bool is_enter = item->event == TACHO_TRACY_FIBER_ENTER;
    uint32_t thread = 0;
    uint32_t fiber = TACHO_NONE;
    int64_t time = 0;
    tacho_tracy_step(session, &session->thread_ticks, tacho_tracy_i64(item->data), &time);
    TACHO_TRY(
        tracy_find_thread(session, tacho_tracy_u32(item->data + (is_enter ? 16 : 8)), &thread));
    if (is_enter) {
        TACHO_TRY(find_in(session, &session->fiber_map, tacho_tracy_u64(item->data + 8), &fiber));
    } else if (session->threads[thread].fiber == TACHO_NONE) {
        session->counts.mismatched++;
    }
    session->threads[thread].fiber = fiber;
    return TACHO_OK;
}

/* Sections are skipped; the time that they carry moves the thread's on. */
static tacho_status take_section(tacho_tracy_session *session, const tacho_tracy_item *item)
{
    int64_t time = 0;
    if (item->event != TACHO_TRACY_SECTION_LEAVE) {
        tacho_tracy_take_single(session);
    }
    if (item->event != TACHO_TRACY_SECTION_SETUP) {
        tacho_tracy_step(session, &session->thread_ticks, tacho_tracy_i64(item->data), &time);
    }
    session->counts.other_skipped++;
    return TACHO_OK;
}

/* ---- all of them --------------------------------------------------------------------------- */

/* The 64-bit forms carry deltas that exceed the shorter ones, counted from their limit. */
static int64_t unbiased(const tacho_tracy_session *session, int64_t delta)
{
    if (session->protocol.number < FIRST_BIASED || delta < 0) {
        return delta;
    }
    return (int64_t)((uint64_t)delta + (uint64_t)bias_16 + (UINT64_C(1) << 32));
}

static tacho_status begin_at(tacho_tracy_session *session, int64_t delta,
                             const unsigned char *address)
{
    uint32_t place = 0;
    TACHO_TRY(tacho_tracy_names_place(&session->names, tacho_tracy_u64(address), &place));
    return begin_zone(session, delta, place);
}

static tacho_status begin_payload(tacho_tracy_session *session, int64_t delta)
{
    uint32_t place = 0;
    tacho_str payload = session->has_payload ? session->payload : TACHO_STR("");
    session->has_payload = false;
    TACHO_TRY(tacho_tracy_names_payload(&session->names, payload, &place));
    return begin_zone(session, delta, place);
}

/* Takes events of threads other than zones. */
static tacho_status take_thread_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                      bool *out_is_taken)
{
    uint32_t thread = 0;
    switch ((int)item->event) {
    case TACHO_TRACY_THREAD_NAME:
        return take_thread_name(session, item, false);
    case TACHO_TRACY_FIBER_NAME:
        return take_thread_name(session, item, true);
    case TACHO_TRACY_FIBER_ENTER:
    case TACHO_TRACY_FIBER_LEAVE:
        return take_fiber(session, item);
    case TACHO_TRACY_SECTION_ENTER:
    case TACHO_TRACY_SECTION_LEAVE:
    case TACHO_TRACY_SECTION_SETUP:
        return take_section(session, item);
    case TACHO_TRACY_ZONE_VALIDATION:
        TACHO_TRY(current_thread(session, &thread));
        session->threads[thread].next_check = tacho_tracy_u32(item->data);
        return TACHO_OK;
    case TACHO_TRACY_MESSAGE:
    case TACHO_TRACY_MESSAGE_CALLSTACK:
        return take_message(session, item, false, false);
    case TACHO_TRACY_MESSAGE_COLOR:
    case TACHO_TRACY_MESSAGE_COLOR_CALLSTACK:
        return take_message(session, item, false, true);
    case TACHO_TRACY_MESSAGE_LITERAL:
    case TACHO_TRACY_MESSAGE_LITERAL_CALLSTACK:
        return take_message(session, item, true, false);
    case TACHO_TRACY_MESSAGE_LITERAL_COLOR:
    case TACHO_TRACY_MESSAGE_LITERAL_COLOR_CALLSTACK:
        return take_message(session, item, true, true);
    case TACHO_TRACY_CRASH_REPORT:
        return take_crash(session, item);
    default:
        *out_is_taken = false;
        return TACHO_OK;
    }
}

tacho_status tacho_tracy_zone_event(tacho_tracy_session *session, const tacho_tracy_item *item,
                                    bool *out_is_taken)
{
    const unsigned char *data = item->data;
    *out_is_taken = true;
    switch ((int)item->event) {
    case TACHO_TRACY_ZONE_BEGIN:
    case TACHO_TRACY_ZONE_BEGIN_CALLSTACK:
        return begin_at(session, unbiased(session, tacho_tracy_i64(data)), data + 8);
    case TACHO_TRACY_ZONE_BEGIN_32:
    case TACHO_TRACY_ZONE_BEGIN_CALLSTACK_32:
        return begin_at(session, tacho_tracy_u32(data) + bias_16, data + 4);
    case TACHO_TRACY_ZONE_BEGIN_16:
    case TACHO_TRACY_ZONE_BEGIN_CALLSTACK_16:
        return begin_at(session, tacho_tracy_u16(data), data + 2);
    case TACHO_TRACY_ZONE_END:
        return end_zone(session, unbiased(session, tacho_tracy_i64(data)));
    case TACHO_TRACY_ZONE_END_32:
        return end_zone(session, tacho_tracy_u32(data) + bias_16);
    case TACHO_TRACY_ZONE_END_16:
        return end_zone(session, tacho_tracy_u16(data));
    case TACHO_TRACY_ZONE_BEGIN_ALLOC_SRC_LOC:
    case TACHO_TRACY_ZONE_BEGIN_ALLOC_SRC_LOC_CALLSTACK:
        return begin_payload(session, tacho_tracy_i64(data));
    case TACHO_TRACY_ZONE_TEXT:
    case TACHO_TRACY_ZONE_NAME:
    case TACHO_TRACY_ZONE_COLOR:
    case TACHO_TRACY_ZONE_VALUE:
        return take_extra(session, item);
    case TACHO_TRACY_THREAD_CONTEXT:
        session->thread_ticks = 0;
        return tracy_find_thread(session, tacho_tracy_u32(data), &session->current);
    default:
        return take_thread_event(session, item, out_is_taken);
    }
}

tacho_status tacho_tracy_finish_zones(tacho_tracy_session *session)
{
    for (size_t i = 0; i < session->thread_count; i++) {
        tacho_tracy_thread *thread = &session->threads[i];
        while (thread->depth > 0) {
            TACHO_TRY(pop_zone(session, thread, session->last_ns, TACHO_SPAN_UNENDED));
        }
    }
    return TACHO_OK;
}
