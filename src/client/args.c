/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments are units of 16 bytes after the first record of their event: a head each, and the
 * bytes of a text. Two units are a record, so they are counted before they are written.
 */
#include "client/args.h"

#include <string.h>

enum { UNIT = 16, UNITS_PER_RECORD = TACHO_WIRE_RECORD / UNIT, TEXT_MAX = 60000 };

static size_t units_of_text(size_t len)
{
    return (len + UNIT - 1) / UNIT;
}

/* A list of arguments in the making. */
typedef struct unit_writer {
    client_thread *thread;
    size_t at; /* unit, counted from the end of the first record */
} unit_writer;

static void put_unit(unit_writer *writer, const void *bytes, size_t len)
{
    tacho_wire_record *record = client_record(writer->thread, 1 + writer->at / UNITS_PER_RECORD);
    char *unit = (char *)record + writer->at % UNITS_PER_RECORD * UNIT;
    memset(unit, 0, UNIT);
    memcpy(unit, bytes, len);
    writer->at++;
}

static void put_text(unit_writer *writer, tacho_wire_arg *head, const char *text, size_t len)
{
    head->value = len;
    put_unit(writer, head, sizeof(*head));
    for (size_t at = 0; at < len; at += UNIT) {
        put_unit(writer, text + at, len - at < UNIT ? len - at : UNIT);
    }
}

static size_t text_len(const char *text)
{
    size_t len = strlen(text);
    return len < TEXT_MAX ? len : TEXT_MAX;
}

static bool is_left_out(const tacho_client_arg *arg)
{
    return arg->key == NULL || arg->key[0] == '\0' ||
           (arg->type == TACHO_CLIENT_TEXT && arg->value.as_text == NULL);
}

static size_t count_units(const client_args *list)
{
    size_t units = 0;
    for (size_t i = 0; i < list->item_count; i++) {
        const tacho_client_arg *arg = &list->items[i];
        if (!is_left_out(arg)) {
            units += 1;
            units +=
                arg->type == TACHO_CLIENT_TEXT ? units_of_text(text_len(arg->value.as_text)) : 0;
        }
    }
    return units;
}

static void put_arg(unit_writer *writer, const tacho_client_arg *arg)
{
    tacho_wire_arg head = {
        .key = tacho_client_intern(arg->key, strlen(arg->key)),
        .type = (uint16_t)arg->type,
        .unit = (uint16_t)arg->unit,
    };
    if (arg->type == TACHO_CLIENT_TEXT) {
        put_text(writer, &head, arg->value.as_text, text_len(arg->value.as_text));
        return;
    }
    head.value = arg->type == TACHO_CLIENT_BOOL ? arg->value.as_bool != 0 : arg->value.as_uint;
    put_unit(writer, &head, sizeof(head));
}

/* Reserves |units|; false when the ring is full. */
static bool reserve(client_thread *thread, tacho_wire_record *record, size_t units)
{
    size_t extra = (units + UNITS_PER_RECORD - 1) / UNITS_PER_RECORD;
    uint32_t count = extra <= TACHO_WIRE_EXTRA_MAX ? (uint32_t)extra + 1 : UINT32_MAX / 2;
    if (!tacho_client_reserve(thread, count)) {
        return false;
    }
    record->extra = (uint16_t)extra;
    *client_record(thread, 0) = *record;
    if (units % UNITS_PER_RECORD != 0) { /* the second half of the last record ends the list */
        memset(client_record(thread, extra), 0, TACHO_WIRE_RECORD);
    }
    return true;
}

void tacho_client_push_args(client_thread *thread, tacho_wire_record *record,
                            const client_args *lists, size_t list_count)
{
    unit_writer writer = {.thread = thread};
    size_t units = 0;
    for (size_t i = 0; i < list_count; i++) {
        units += count_units(&lists[i]);
    }
    if (!reserve(thread, record, units)) {
        return;
    }
    for (size_t i = 0; i < list_count; i++) {
        for (size_t j = 0; j < lists[i].item_count; j++) {
            if (!is_left_out(&lists[i].items[j])) {
                put_arg(&writer, &lists[i].items[j]);
            }
        }
    }
    client_publish(thread, (uint32_t)record->extra + 1);
}

void tacho_client_push_text(client_thread *thread, tacho_wire_record *record, const char *text,
                            size_t len)
{
    unit_writer writer = {.thread = thread};
    len = len < TEXT_MAX ? len : TEXT_MAX;
    tacho_wire_arg head = {.key = tacho_client_intern("text", 4), .type = TACHO_CLIENT_TEXT};
    if (reserve(thread, record, 1 + units_of_text(len))) {
        put_text(&writer, &head, text, len);
        client_publish(thread, (uint32_t)record->extra + 1);
    }
}
