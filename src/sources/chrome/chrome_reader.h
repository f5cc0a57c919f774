/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Chrome trace that is being read: the state that its files share.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_READER_H
#define TACHO_SOURCES_CHROME_CHROME_READER_H

#include "sources/chrome/chrome_event.h"
#include "sources/chrome/chrome_pairing.h"
#include "sources/source.h"

enum { CHROME_SITE_SLOTS = 1024 };

/* A site used lately. */
typedef struct chrome_site_slot {
    uint32_t name, category, site; /* site TACHO_NONE: free */
    tacho_category_kind kind;
} chrome_site_slot;

/* State of a flow id under its current number. */
typedef struct chrome_arrow {
    uint64_t number;
    int64_t left_at;     /* where the arrow leaves, if it has left: the time, */
    int64_t left_end;    /* the end of the span there, as flow ends record it, */
    uint32_t left_name;  /* the name of that span, */
    uint32_t left_track; /* and the track */
    uint32_t waiting;    /* in |waiting_arrivals|, or TACHO_NONE */
    uint32_t later;      /* the first of |later_departures|, or TACHO_NONE */
    uint32_t latest;     /* and the last of them */
    bool has_left, has_passed, has_arrived;
} chrome_arrow;

/* A further arrival of an arrow that has not left yet; a list. */
typedef struct chrome_arrival {
    uint64_t number;
    int64_t at;
    uint32_t next;
} chrome_arrival;

/* An id that has left again before it arrived; a queue. */
typedef struct chrome_departure {
    chrome_arrow arrow;
    uint32_t next;
} chrome_departure;

typedef struct chrome_reader {
    const tacho_reading *reading;
    tacho_dict *dict;
    tacho_json_reader json;
    chrome_texts texts;
    chrome_event event;
    chrome_tracks tracks;
    chrome_pairing pairing;
    chrome_map flow_map; /* to |arrows| */
    chrome_arrow *arrows;
    size_t arrow_count, arrow_capacity;
    chrome_arrival *waiting_arrivals;
    size_t waiting_count, waiting_capacity;
    chrome_departure *later_departures;
    size_t later_count, later_capacity;
    uint64_t flow_count; /* numbers given */
    chrome_map own_map;  /* runs and locations of tacho's own traces */
    chrome_site_slot sites[CHROME_SITE_SLOTS];
    uint32_t kind_category; /* the last category whose kind was looked up, or TACHO_NONE */
    tacho_category_kind kind;

    /* The part that is being read. */
    const char *generation;
    uint32_t part; /* TACHO_NONE before the first */
    uint32_t part_count;
    bool is_own;        /* tacho wrote it */
    uint32_t bytes_key; /* of an argument named "bytes" */
    tacho_clock clock;  /* as it was when the trace was written */
    int64_t first;      /* the least start, -1 before the first */
    int64_t latest;
    uint64_t row_count;    /* of all parts */
    uint64_t sample_count; /* at the top level, not read */
    uint64_t sample_offset;
    size_t fact_count; /* metadata taken */
} chrome_reader;

/* ---- chrome_part.c: parts, losses, metadata events -------------------------------------- */

/* Opens the part of a file that another tool wrote. */
tacho_status chrome_part_open(chrome_reader *reader) TACHO_MUST_USE;

/*
 * Ends open spans, then the part. Metadata for its tracks may still follow unless it is the last.
 */
tacho_status chrome_part_close(chrome_reader *reader, bool is_last) TACHO_MUST_USE;

/* Counts the current event as lost. */
tacho_status chrome_lose(chrome_reader *reader, tacho_loss_reason reason) TACHO_MUST_USE;

/* A metadata event (M). */
tacho_status chrome_take_metadata(chrome_reader *reader) TACHO_MUST_USE;

/* ---- chrome_rows.c ---------------------------------------------------------------------- */

/* Makes rows of the current event, or counts the reason for none. */
tacho_status chrome_take_event(chrome_reader *reader) TACHO_MUST_USE;

/* ---- chrome_own.c: additions of tacho's own traces to the format ------------------------ */

/* Opens the part that the current event, a "tacho_part", describes. */
tacho_status chrome_own_open_part(chrome_reader *reader) TACHO_MUST_USE;

/* A time of the current event in ticks of the part's clock; false when it does not fit. */
bool chrome_own_ticks(const chrome_reader *reader, int64_t ns, bool is_end, int64_t *out_ticks);

/* Takes the arguments that the sink added off |row| and restores the fields they carry. */
tacho_status chrome_own_restore_span(chrome_reader *reader, tacho_row *row) TACHO_MUST_USE;

/* Like chrome_own_restore_span, for a flow end. */
tacho_status chrome_own_restore_flow(chrome_reader *reader, tacho_row *row) TACHO_MUST_USE;

/* The unit that the key of a counter's argument names; false when it names none. */
bool chrome_own_unit(tacho_str key, tacho_unit *out_unit);

/* Takes the description of a counter. */
tacho_status chrome_own_take_counter(chrome_reader *reader) TACHO_MUST_USE;

/* Takes the facts of a thread's description; a lane becomes one with its track. */
tacho_status chrome_own_take_facts(chrome_reader *reader, uint32_t thread) TACHO_MUST_USE;

/* Takes an event, ahead of the description, that makes the thread a lane of another. */
tacho_status chrome_own_take_lane(chrome_reader *reader, uint32_t thread) TACHO_MUST_USE;

#endif
