/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event of a Chrome trace as written in the file: the texts of the relevant fields, and its
 * arguments in the form of the model. Nothing is judged here.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_EVENT_H
#define TACHO_SOURCES_CHROME_CHROME_EVENT_H

#include "base/arena.h"
#include "codec/json_reader.h"
#include "sources/chrome/chrome_texts.h"

typedef enum chrome_field_name {
    CHROME_PH,
    CHROME_NAME,
    CHROME_CAT,
    CHROME_TS,
    CHROME_DUR,
    CHROME_PID,
    CHROME_TID,
    CHROME_ID,
    CHROME_ID_LOCAL,  /* of id2 */
    CHROME_ID_GLOBAL, /* of id2 */
    CHROME_SCOPE,
    CHROME_INSTANT_SCOPE, /* s */
    CHROME_BIND_POINT,    /* bp */
    CHROME_BIND_ID,
    CHROME_FLOW_IN,
    CHROME_FLOW_OUT,
    CHROME_TICK,     /* tacho's own: ticks beyond the nanoseconds of ts ... */
    CHROME_END_TICK, /* ... and of the end */
    CHROME_NUMBERS,  /* tacho's own: which arguments are numbers, written as strings */
    CHROME_FIELD_COUNT,
} chrome_field_name;

/* Which field |key| is: a chrome_field_name, or else a number above those. */
unsigned chrome_event_find_field(tacho_str key);

/* Arguments of one event. */
typedef struct chrome_args {
    tacho_arg *items;
    size_t item_count, item_capacity;
    size_t tail; /* items from here on are not part of another */
    tacho_arena scratch;
    bool has_scratch;
} chrome_args;

enum { CHROME_ASIDE_MAX = 4 };

typedef struct chrome_event {
    uint64_t offset;  /* in the file */
    uint32_t present; /* bit per field */
    bool is_empty;    /* {}: written by some after the last comma */
    tacho_str fields[CHROME_FIELD_COUNT];
    chrome_args args;
    /* Which of |args| are fields beside "args", such as tts; as many as there are such fields. */
    size_t aside[CHROME_ASIDE_MAX];
    size_t aside_count;
} chrome_event;

/* Whether item |number| of the arguments is a field beside "args". */
static inline bool chrome_event_is_aside(const chrome_event *event, size_t number)
{
    bool found = false;
    for (size_t i = 0; i < event->aside_count; i++) {
        found = found || event->aside[i] == number;
    }
    return found;
}

void chrome_event_init(chrome_event *event);
void chrome_event_deinit(chrome_event *event);

/*
 * Reads the event whose OBJECT_BEGIN was the last token. All texts are valid as long as the reader
 * holds them.
 */
tacho_status chrome_event_read(chrome_event *event, tacho_json_reader *json,
                               chrome_texts *texts) TACHO_MUST_USE;

/*
 * Reads the event at |at|, in the memory of the JSON reader, without tokens. Returns the byte after
 * it, or NULL when the event has anything unusual: then it has to be read again.
 */
char *chrome_event_try_read(chrome_event *event, char *at, chrome_texts *texts);

static inline bool chrome_event_has(const chrome_event *event, chrome_field_name field)
{
    return (event->present >> field & 1) != 0;
}

/* The text of a field, empty when it is not there. */
static inline tacho_str chrome_event_text(const chrome_event *event, chrome_field_name field)
{
    return chrome_event_has(event, field) ? event->fields[field] : CHROME_TEXT("");
}

/* The text of a pid or tid: a process or thread that is not named is number 0. */
static inline tacho_str chrome_event_number(const chrome_event *event, chrome_field_name field)
{
    return chrome_event_has(event, field) ? event->fields[field] : CHROME_TEXT("0");
}

/* The thread of an event; without one it is the first of its process, which has its number. */
static inline tacho_str chrome_event_thread(const chrome_event *event)
{
    return chrome_event_number(event,
                               chrome_event_has(event, CHROME_TID) ? CHROME_TID : CHROME_PID);
}

/* Whether a flag is there and is neither false nor 0. */
bool chrome_event_is_set(const chrome_event *event, chrome_field_name field);

/* The argument |key| that is not part of another, or NULL. */
const tacho_arg *chrome_event_find_arg(const chrome_event *event, const tacho_dict *dict,
                                       tacho_str key);

/* The text of a string argument; empty for other types and NULL. */
tacho_str chrome_arg_text(const tacho_dict *dict, const tacho_arg *arg);

/* The number of items that |arg| takes, itself included. */
static inline size_t chrome_arg_size(const tacho_arg *arg)
{
    bool is_nest = arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY;
    return is_nest ? 1 + (size_t)arg->value.as_uint : 1;
}

/* Reads arguments from after their OBJECT_BEGIN to its end, and adds them. */
tacho_status chrome_args_read(chrome_args *args, tacho_json_reader *json,
                              chrome_texts *texts) TACHO_MUST_USE;

/* Like chrome_args_read, for arguments at |at| in memory, as chrome_event_try_read does. */
char *chrome_args_try_read(chrome_args *args, char *at, chrome_texts *texts);

/*
 * Adds the value at |at|, which is not a container, under |key|. Returns the byte after it, or
 * NULL.
 */
char *chrome_args_try_read_one(chrome_args *args, tacho_str key, char *at, chrome_texts *texts);

/* Turns the arguments that |places| names ("0,3") into numbers where their texts are numbers. */
tacho_status chrome_args_restore_numbers(chrome_args *args, const tacho_dict *dict,
                                         tacho_str places) TACHO_MUST_USE;

/* Adds the value after the KEY that was the last token; containers are skipped. */
tacho_status chrome_args_read_one(chrome_args *args, tacho_json_reader *json,
                                  chrome_texts *texts) TACHO_MUST_USE;

#endif
