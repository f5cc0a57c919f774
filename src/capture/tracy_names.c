/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From addresses to names.
 */
#include "capture/tracy_names.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    UNKNOWN = 4, /* names that are missing of a place that has not been answered */
    PAYLOAD_HEAD = 8,
    FORK_NO_COLOR = 2,
    ADDRESS_ROOM = 32,
};

/* Addresses of programs end here; a query for any other is never sent. */
static const uint64_t address_end = UINT64_C(1) << 56;

tacho_status tacho_tracy_names_init(tacho_tracy_names *names, tacho_tracy_rows *rows)
{
    *names = (tacho_tracy_names){
        .rows = rows, .free_held = TACHO_NONE, .free_extra = TACHO_NONE, .last_place = TACHO_NONE};
    return tacho_strings_init(&names->payloads);
}

void tacho_tracy_names_deinit(tacho_tracy_names *names)
{
    tacho_number_map_deinit(&names->name_map);
    tacho_number_map_deinit(&names->place_map);
    tacho_strings_deinit(&names->payloads);
    for (size_t i = 0; i < names->extra_count; i++) {
        free(names->extras[i].text);
    }
    free(names->names);
    free(names->places);
    free(names->payload_places);
    free(names->held);
    free(names->extras);
    free(names->asked.places);
    free(names->asked.wider);
    free(names->asked.answers);
    free(names->questions);
    *names = (tacho_tracy_names){0};
}

/* ---- questions ----------------------------------------------------------------------------- */

tacho_status tacho_tracy_names_ask(tacho_tracy_names *names, tacho_tracy_query type,
                                   uint64_t address)
{
    if (names->sent_count == names->question_count && names->sent_count > TACHO_TRACY_IN_FLIGHT &&
        names->reply_count >= names->sent_count) {
        names->question_count = 0; /* all answered: the list starts anew */
        names->sent_count = 0;
        names->reply_count = 0;
    }
    TACHO_TRY(tacho_grow(&names->questions, &names->question_capacity, names->question_count + 1));
    names->questions[names->question_count++] = (tacho_tracy_question){(uint8_t)type, address};
    return TACHO_OK;
}

size_t tacho_tracy_names_take_questions(tacho_tracy_names *names, unsigned char *to, size_t room)
{
    size_t used = 0;
    while (names->sent_count < names->question_count &&
           names->sent_count < names->reply_count + TACHO_TRACY_IN_FLIGHT &&
           room - used >= TACHO_TRACY_QUERY_BYTES) {
        const tacho_tracy_question *question = &names->questions[names->sent_count++];
        to[used] = question->type;
        for (size_t i = 0; i < TACHO_TRACY_QUERY_BYTES - 1; i++) {
            to[used + 1 + i] = i < 8 ? (unsigned char)(question->address >> (8 * i)) : 0;
        }
        used += TACHO_TRACY_QUERY_BYTES;
    }
    return used;
}

/* ---- held rows ----------------------------------------------------------------------------- */

static void free_extra(tacho_tracy_names *names, uint32_t extra)
{
    tacho_tracy_extra *item = &names->extras[extra];
    item->text_len = 0;
    item->name = 0;
    item->color = TACHO_TRACY_NO_COLOR;
    item->next_free = names->free_extra;
    names->free_extra = extra;
}

tacho_status tacho_tracy_names_add_extra(tacho_tracy_names *names, uint32_t *out_extra)
{
    if (names->free_extra != TACHO_NONE) {
        *out_extra = names->free_extra;
        names->free_extra = names->extras[*out_extra].next_free;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&names->extras, &names->extra_capacity, names->extra_count + 1));
    *out_extra = (uint32_t)names->extra_count++;
    names->extras[*out_extra] = (tacho_tracy_extra){.next_free = TACHO_NONE};
    return TACHO_OK;
}

tacho_status tacho_tracy_names_add_text(tacho_tracy_names *names, uint32_t extra, tacho_str text)
{
    tacho_tracy_extra *item = &names->extras[extra];
    size_t room = TACHO_TRACY_TEXT_MAX - item->text_len;
    if (room < 2) {
        return TACHO_OK;
    }
    size_t len = text.len < room - 1 ? text.len : room - 1;
    TACHO_TRY(tacho_grow(&item->text, &item->text_capacity, item->text_len + len + 1));
    if (item->text_len > 0) {
        item->text[item->text_len++] = '\n';
    }
    if (len > 0) {
        memcpy(item->text + item->text_len, text.data, len);
    }
    item->text_len += len;
    return TACHO_OK;
}

static bool has_room_to_hold(const tacho_tracy_names *names)
{
    return names->free_held != TACHO_NONE || names->held_count < TACHO_TRACY_HELD_MAX;
}

/* Puts |row| at the front of the list |*list|. */
static tacho_status hold(tacho_tracy_names *names, const tacho_tracy_held *row, uint32_t *list)
{
    uint32_t at = names->free_held;
    uint32_t next = *list;
    if (at != TACHO_NONE) {
        names->free_held = names->held[at].next;
    } else {
        TACHO_TRY(tacho_grow(&names->held, &names->held_capacity, names->held_count + 1));
        at = (uint32_t)names->held_count++;
    }
    names->held[at] = *row;
    names->held[at].next = next;
    *list = at;
    return TACHO_OK;
}

/* Reverses the list, so that rows leave in the order in which they were held. */
static uint32_t reversed(tacho_tracy_names *names, uint32_t list)
{
    uint32_t front = TACHO_NONE;
    while (list != TACHO_NONE) {
        uint32_t next = names->held[list].next;
        names->held[list].next = front;
        front = list;
        list = next;
    }
    return front;
}

/* Pushes a zone whose place is known. */
static tacho_status push_known(tacho_tracy_names *names, const tacho_tracy_held *zone)
{
    tacho_tracy_known_place *place = &names->places[zone->place];
    const tacho_tracy_extra *extra = zone->extra != TACHO_NONE ? &names->extras[zone->extra] : NULL;
    tacho_tracy_span span = zone->span;
    span.color = place->place.color;
    span.function = place->function_shown;
    if (place->site == TACHO_NONE || place->site_category != zone->category) {
        TACHO_TRY(
            tacho_tracy_rows_site(names->rows, &place->place, 0, zone->category, &place->site));
        place->site_category = zone->category;
    }
    span.site = place->site;
    if (extra != NULL) {
        span.text = tacho_str_make(extra->text, extra->text_len);
        span.color = extra->color != TACHO_TRACY_NO_COLOR ? extra->color : span.color;
        if (extra->name != 0) {
            span.place = tacho_tracy_place_title(&place->place);
            TACHO_TRY(tacho_tracy_rows_site(names->rows, &place->place, extra->name, zone->category,
                                            &span.site));
        }
    }
    tacho_status status = tacho_tracy_rows_span(names->rows, &span);
    if (extra != NULL) {
        free_extra(names, zone->extra);
    }
    return status;
}

static tacho_status push_moment(tacho_tracy_names *names, const tacho_tracy_held *row,
                                uint32_t string)
{
    const tacho_tracy_moment moment = {
        .track = row->span.track,
        .site = row->span.site,
        .time = row->span.start,
        .color = row->span.color,
        .text = tacho_dict_string(names->rows->events->dict, string),
    };
    return tacho_tracy_rows_moment(names->rows, &moment);
}

/* Pushes all of a list: zones, or moments with the text |string|. */
static tacho_status push_list(tacho_tracy_names *names, uint32_t list, uint32_t string)
{
    tacho_status status = TACHO_OK;
    for (uint32_t at = reversed(names, list), next; at != TACHO_NONE; at = next) {
        const tacho_tracy_held row = names->held[at];
        next = row.next;
        names->held[at].next = names->free_held;
        names->free_held = at;
        if (status == TACHO_OK) {
            status = row.place != TACHO_NONE ? push_known(names, &row)
                                             : push_moment(names, &row, string);
        }
    }
    return status;
}

/* ---- texts --------------------------------------------------------------------------------- */

static tacho_status add_name(tacho_tracy_names *names, uint64_t address, uint32_t *out_name)
{
    TACHO_TRY(tacho_grow(&names->names, &names->name_capacity, names->name_count + 1));
    *out_name = (uint32_t)names->name_count++;
    names->names[*out_name] = (tacho_tracy_name){
        .address = address, .string = TACHO_NONE, .held = TACHO_NONE, .users = TACHO_NONE};
    return tacho_number_map_set(&names->name_map, address, *out_name);
}

tacho_status tacho_tracy_names_text(tacho_tracy_names *names, uint64_t address, uint32_t *out_name)
{
    const uint64_t *found = tacho_number_map_find(&names->name_map, address);
    if (found != NULL) {
        *out_name = (uint32_t)*found;
        return TACHO_OK;
    }
    TACHO_TRY(add_name(names, address, out_name));
    if (address == 0 || address >= address_end || names->name_count > TACHO_TRACY_NAMES_MAX) {
        return TACHO_OK; /* stays without an answer */
    }
    return tacho_tracy_names_ask(names, TACHO_TRACY_QUERY_STRING, address);
}

/* Which of a place's names: in the order of its fields. */
static uint32_t *name_of(tacho_tracy_known_place *place, uint32_t which)
{
    return which == 0   ? &place->place.name
           : which == 1 ? &place->place.function
                        : &place->place.file;
}

/* All names of a place are known. */
static tacho_status show_place(tacho_tracy_names *names, uint32_t at)
{
    tacho_tracy_known_place *place = &names->places[at];
    const tacho_tracy_place *known = &place->place;
    place->missing = 0;
    place->function_shown =
        known->name != 0 && known->name != known->function ? known->function : 0;
    uint32_t list = place->held;
    place->held = TACHO_NONE;
    return push_list(names, list, 0);
}

static tacho_status set_name(tacho_tracy_names *names, uint32_t at, uint32_t which, uint32_t string)
{
    tacho_tracy_known_place *place = &names->places[at];
    *name_of(place, which) = string;
    place->missing--;
    return place->missing == 0 ? show_place(names, at) : TACHO_OK;
}

static tacho_status set_text(tacho_tracy_names *names, uint32_t at, uint32_t string)
{
    tacho_tracy_name *name = &names->names[at];
    uint32_t list = name->held;
    uint32_t user = name->users;
    name->string = string;
    name->held = TACHO_NONE;
    name->users = TACHO_NONE;
    TACHO_TRY(push_list(names, list, string));
    while (user != TACHO_NONE) {
        uint32_t next = names->places[user / 3].next_user[user % 3];
        TACHO_TRY(set_name(names, user / 3, user % 3, string));
        user = next;
    }
    return TACHO_OK;
}

tacho_status tacho_tracy_names_answer_text(tacho_tracy_names *names, uint64_t address,
                                           tacho_str text)
{
    const uint64_t *found = tacho_number_map_find(&names->name_map, address);
    uint32_t string = 0;
    uint32_t at = 0;
    if (found == NULL && names->asked.is_doubtful) { /* of a place whose answer is kept */
        TACHO_TRY(add_name(names, address, &at));
    } else if (found == NULL || names->names[*found].string != TACHO_NONE) {
        return TACHO_OK;
    } else {
        at = (uint32_t)*found;
    }
    TACHO_TRY(tacho_dict_ensure_string(names->rows->events->dict, text, &string));
    return set_text(names, at, string);
}

/* ---- places -------------------------------------------------------------------------------- */

static tacho_status add_place(tacho_tracy_names *names, uint64_t address, uint32_t *out_place)
{
    TACHO_TRY(tacho_grow(&names->places, &names->place_capacity, names->place_count + 1));
    *out_place = (uint32_t)names->place_count++;
    names->places[*out_place] = (tacho_tracy_known_place){
        .address = address, .missing = UNKNOWN, .site = TACHO_NONE, .held = TACHO_NONE};
    return TACHO_OK;
}

/* The place at |address|, which need not have been queried. */
static tacho_status ensure_place(tacho_tracy_names *names, uint64_t address, uint32_t *out_place)
{
    const uint64_t *found = tacho_number_map_find(&names->place_map, address);
    if (found != NULL) {
        *out_place = (uint32_t)*found;
        return TACHO_OK;
    }
    TACHO_TRY(add_place(names, address, out_place));
    return tacho_number_map_set(&names->place_map, address, *out_place);
}

static bool can_ask(const tacho_tracy_names *names, uint64_t address)
{
    return address != 0 && address < address_end && names->place_count <= TACHO_TRACY_NAMES_MAX;
}

static tacho_status expect_wider(tacho_tracy_asked *asked, uint32_t place)
{
    TACHO_TRY(tacho_grow(&asked->wider, &asked->wider_capacity, asked->wider_count + 1));
    asked->wider[asked->wider_count++] = place;
    return TACHO_OK;
}

tacho_status tacho_tracy_names_place(tacho_tracy_names *names, uint64_t address,
                                     uint32_t *out_place)
{
    tacho_tracy_asked *asked = &names->asked;
    if (names->last_place != TACHO_NONE && names->places[names->last_place].address == address) {
        *out_place = names->last_place;
        return TACHO_OK;
    }
    TACHO_TRY(ensure_place(names, address, out_place));
    tacho_tracy_known_place *place = &names->places[*out_place];
    if (place->is_asked || !can_ask(names, address)) {
        names->last_place = *out_place;
        return TACHO_OK;
    }
    names->last_place = *out_place;
    place->is_asked = true;
    if (!place->is_skipped) {
        TACHO_TRY(expect_wider(asked, *out_place));
    }
    TACHO_TRY(tacho_grow(&asked->places, &asked->capacity, asked->count + 1));
    asked->places[asked->count++] = *out_place;
    return tacho_tracy_names_ask(names, TACHO_TRACY_QUERY_LOCATION, address);
}

/* A valid colour: the fork sends 2 for none. */
static uint32_t color_of(const tacho_tracy_names *names, uint32_t color)
{
    return names->has_odd_color && color == FORK_NO_COLOR ? TACHO_TRACY_NO_COLOR : color & 0xffffff;
}

/* Waits for a name of a place, or takes it where it is known. */
static tacho_status need_name(tacho_tracy_names *names, uint32_t at, uint32_t which,
                              uint64_t address)
{
    uint32_t name = 0;
    if (address == 0) {
        return set_name(names, at, which, 0);
    }
    TACHO_TRY(tacho_tracy_names_text(names, address, &name));
    if (names->names[name].string != TACHO_NONE) {
        return set_name(names, at, which, names->names[name].string);
    }
    names->places[at].next_user[which] = names->names[name].users;
    names->names[name].users = 3 * at + which;
    return TACHO_OK;
}

static tacho_status use_answer(tacho_tracy_names *names, uint32_t at, const unsigned char *data)
{
    tacho_tracy_known_place *place = &names->places[at];
    if (place->missing != UNKNOWN) {
        return TACHO_OK;
    }
    place->place.line = tacho_tracy_u32(data + 24);
    place->place.color = (uint32_t)data[28] | (uint32_t)data[29] << 8 | (uint32_t)data[30] << 16;
    place->missing = 3;
    TACHO_TRY(need_name(names, at, 0, tacho_tracy_u64(data)));
    TACHO_TRY(need_name(names, at, 1, tacho_tracy_u64(data + 8)));
    return need_name(names, at, 2, tacho_tracy_u64(data + 16));
}

tacho_status tacho_tracy_names_answer_place(tacho_tracy_names *names, const unsigned char *data)
{
    tacho_tracy_asked *asked = &names->asked;
    if (!asked->is_doubtful) {
        return asked->answered_count < asked->count
                   ? use_answer(names, asked->places[asked->answered_count++], data)
                   : TACHO_OK; /* not queried */
    }
    TACHO_TRY(tacho_grow(&asked->answers, &asked->answer_capacity,
                         (asked->answer_count + 1) * TACHO_TRACY_ANSWER_BYTES));
    memcpy(asked->answers + asked->answer_count * TACHO_TRACY_ANSWER_BYTES, data,
           TACHO_TRACY_ANSWER_BYTES);
    asked->answer_count++;
    return TACHO_OK;
}

/* Uses the answers that were kept, for the places of |list| in order. */
static tacho_status use_answers(tacho_tracy_names *names, const uint32_t *list, size_t count)
{
    tacho_tracy_asked *asked = &names->asked;
    for (size_t i = 0; i < asked->answer_count && asked->answered_count < count; i++) {
        TACHO_TRY(use_answer(names, list[asked->answered_count++],
                             asked->answers + i * TACHO_TRACY_ANSWER_BYTES));
    }
    asked->answer_count = 0;
    asked->is_doubtful = false;
    return TACHO_OK;
}

tacho_status tacho_tracy_names_skip_place(tacho_tracy_names *names, uint64_t address,
                                          uint64_t thread)
{
    tacho_tracy_asked *asked = &names->asked;
    uint32_t at = 0;
    TACHO_TRY(ensure_place(names, address, &at));
    tacho_tracy_known_place *place = &names->places[at];
    if (asked->is_heard || place->is_asked || place->is_skipped) {
        return TACHO_OK;
    }
    place->is_skipped = true;
    if (!asked->is_doubtful) {
        asked->is_doubtful = true;
        asked->witness = thread;
        TACHO_TRY(tacho_tracy_names_ask(names, TACHO_TRACY_QUERY_THREAD, thread));
        TACHO_TRY(tacho_tracy_names_ask(names, TACHO_TRACY_QUERY_THREAD, thread));
    }
    return expect_wider(asked, at);
}

tacho_status tacho_tracy_names_hear(tacho_tracy_names *names, uint64_t thread, uint32_t count)
{
    tacho_tracy_asked *asked = &names->asked;
    if (!asked->is_doubtful || asked->witness != thread || count < 2) {
        return TACHO_OK;
    }
    asked->is_heard = true;
    return use_answers(names, asked->places, asked->count);
}

/* The end: as many answers as the other server's questions are its answers. */
static tacho_status settle_doubt(tacho_tracy_names *names)
{
    tacho_tracy_asked *asked = &names->asked;
    if (!asked->is_doubtful) {
        return TACHO_OK;
    }
    return asked->answered_count + asked->answer_count > asked->count
               ? use_answers(names, asked->wider, asked->wider_count)
               : use_answers(names, asked->places, asked->count);
}

/* The text up to its NUL, which is taken off |rest| with it. */
static tacho_str take_text(tacho_str *rest)
{
    size_t len = tacho_str_find_byte(*rest, '\0');
    len = len < rest->len ? len : rest->len;
    tacho_str text = tacho_str_make(rest->data, len);
    size_t used = len < rest->len ? len + 1 : len;
    *rest = tacho_str_make(rest->data + used, rest->len - used);
    return text;
}

static tacho_status read_payload(tacho_tracy_names *names, tacho_str payload,
                                 tacho_tracy_place *place)
{
    tacho_dict *dict = names->rows->events->dict;
    const unsigned char *head = (const unsigned char *)payload.data;
    if (payload.len < PAYLOAD_HEAD) {
        return TACHO_OK;
    }
    tacho_str rest = tacho_str_make(payload.data + PAYLOAD_HEAD, payload.len - PAYLOAD_HEAD);
    place->color = color_of(names, tacho_tracy_u32(head));
    place->line = tacho_tracy_u32(head + 4);
    TACHO_TRY(tacho_dict_ensure_string(dict, take_text(&rest), &place->function));
    TACHO_TRY(tacho_dict_ensure_string(dict, take_text(&rest), &place->file));
    return tacho_dict_ensure_string(dict, rest, &place->name);
}

tacho_status tacho_tracy_names_payload(tacho_tracy_names *names, tacho_str payload,
                                       uint32_t *out_place)
{
    tacho_tracy_place place = {0};
    uint32_t id = 0;
    size_t known = names->payloads.item_count;
    TACHO_TRY(tacho_strings_ensure(&names->payloads, payload, &id));
    if (id < known && payload.len > 0) {
        *out_place = names->payload_places[id];
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&names->payload_places, &names->payload_capacity, (size_t)id + 1));
    TACHO_TRY(read_payload(names, payload, &place));
    TACHO_TRY(add_place(names, 0, out_place));
    names->payload_places[id] = *out_place;
    names->places[*out_place].place = place;
    return show_place(names, *out_place);
}

uint32_t tacho_tracy_names_title(const tacho_tracy_names *names, uint32_t place)
{
    const tacho_tracy_known_place *known = &names->places[place];
    if (known->missing != 0) {
        return 0;
    }
    return known->place.name != 0 ? known->place.name : known->place.function;
}

/* ---- pushing ------------------------------------------------------------------------------- */

/* Calls a place by its address. */
static tacho_status call_by_address(tacho_tracy_names *names, uint32_t at)
{
    char text[ADDRESS_ROOM];
    tacho_tracy_known_place *place = &names->places[at];
    snprintf(text, sizeof(text), "0x%" PRIx64, place->address);
    if (place->place.name != 0 || place->place.function != 0) {
        return TACHO_OK;
    }
    return tacho_dict_ensure_string(names->rows->events->dict, tacho_str_from_cstring(text),
                                    &place->place.function);
}

tacho_status tacho_tracy_names_push_zone(tacho_tracy_names *names, const tacho_tracy_held *zone)
{
    if (TACHO_LIKELY(names->places[zone->place].missing == 0)) {
        return push_known(names, zone);
    }
    if (has_room_to_hold(names)) {
        return hold(names, zone, &names->places[zone->place].held);
    }
    names->unnamed_count++;
    TACHO_TRY(call_by_address(names, zone->place));
    TACHO_TRY(push_known(names, zone));
    names->places[zone->place].site = TACHO_NONE; /* its name may still arrive */
    return TACHO_OK;
}

tacho_status tacho_tracy_names_push_moment(tacho_tracy_names *names,
                                           const tacho_tracy_moment *moment, uint32_t name)
{
    const tacho_tracy_held row = {
        .span = {.track = moment->track,
                 .site = moment->site,
                 .start = moment->time,
                 .color = moment->color},
        .place = TACHO_NONE,
        .extra = TACHO_NONE,
    };
    if (names->names[name].string != TACHO_NONE) {
        return push_moment(names, &row, names->names[name].string);
    }
    if (has_room_to_hold(names)) {
        return hold(names, &row, &names->names[name].held);
    }
    names->unnamed_count++;
    return push_moment(names, &row, 0);
}

static uint64_t list_length(const tacho_tracy_names *names, uint32_t list)
{
    uint64_t count = 0;
    for (; list != TACHO_NONE; list = names->held[list].next) {
        count++;
    }
    return count;
}

tacho_status tacho_tracy_names_finish(tacho_tracy_names *names)
{
    char text[ADDRESS_ROOM];
    TACHO_TRY(settle_doubt(names));
    for (uint32_t i = 0; i < names->place_count; i++) {
        if (names->places[i].held != TACHO_NONE) {
            names->unnamed_count += list_length(names, names->places[i].held);
            TACHO_TRY(call_by_address(names, i));
            TACHO_TRY(show_place(names, i));
        }
    }
    for (uint32_t i = 0; i < names->name_count; i++) {
        tacho_tracy_name *name = &names->names[i];
        if (name->held != TACHO_NONE) {
            uint32_t list = name->held;
            uint32_t string = 0;
            names->unnamed_count += list_length(names, list);
            snprintf(text, sizeof(text), "0x%" PRIx64, name->address);
            TACHO_TRY(tacho_dict_ensure_string(names->rows->events->dict,
                                               tacho_str_from_cstring(text), &string));
            name->held = TACHO_NONE;
            TACHO_TRY(push_list(names, list, string));
        }
    }
    return TACHO_OK;
}
