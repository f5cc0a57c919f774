/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the readers of Torq files: an open part with its engines' tracks, and the sites of its
 * rows, found by their raw text in the file.
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_PART_H
#define TACHO_SOURCES_TORQ_TORQ_PART_H

#include "sources/source.h"

/* Engines under the names of the vendor's viewers: "SLICE 0" for "Slice 0". */
extern const tacho_source_option torq_vendor_tracks;

/* The options of sources that have no others. */
extern const tacho_source_option *const torq_part_options[];

enum { TORQ_SLICE_MAX = 1024, TORQ_GROUP_ROWS = 64, TORQ_ROW_ARGS = 2 };

/* Cached facts of a distinct row tail. */
typedef struct torq_entry {
    uint32_t site;
    uint32_t track;           /* if the tail determines it; else unused */
    tacho_torq_engine engine; /* of the site */
} torq_entry;

/* Cached facts of a distinct location, as written in rows. */
typedef struct torq_place {
    uint32_t location;    /* TACHO_NONE for an unknown one */
    tacho_str short_form; /* for display, perhaps empty */
} torq_place;

/*
 * Rows that are pushed together; everything they refer to must stay valid until then. Fields common
 * to all rows of a file are set once, by torq_part_begin_group.
 */
typedef struct torq_group {
    size_t count;
    tacho_row rows[TORQ_GROUP_ROWS];
    tacho_arg args[TORQ_GROUP_ROWS][TORQ_ROW_ARGS]; /* of each row */
} torq_group;

typedef struct torq_part {
    const tacho_reading *reading;
    tacho_dict *dict;
    uint32_t part;
    uint32_t clock;
    int64_t max_ticks;
    uint64_t good_row_count;
    uint64_t line_number; /* of the current row; 0: the input's */
    /* By raw text of a row's tail: its site. */
    tacho_strings keys;
    torq_entry *entries; /* by key id */
    size_t entry_count, entry_capacity;
    /* By raw text of a location: several tails share one. */
    tacho_strings place_texts;
    torq_place *places; /* by text id */
    size_t place_count, place_capacity;
    tacho_arena short_forms;
    tacho_arena scratch;
    uint32_t engine_tracks[TACHO_TORQ_ENGINE_COUNT]; /* TACHO_NONE until first used */
    uint32_t slice_tracks[TORQ_SLICE_MAX];
    /* One for each thread that takes turns to push, and the current one. */
    torq_group groups[TACHO_TURN_THREADS];
    torq_group *group;
    tacho_shared shared;
    const tacho_shared *events_shared;
} torq_part;

/* Opens the part; |clock| and |clock_name| define the unit of its numbers. */
tacho_status torq_part_init(torq_part *part, const tacho_reading *reading,
                            const tacho_part_facts *facts, const tacho_clock *clock,
                            tacho_str clock_name) TACHO_MUST_USE;
void torq_part_deinit(torq_part *part);

/* Pushes damage of the input as loss, refuses a part without a single row, ends it. */
tacho_status torq_part_finish(torq_part *part) TACHO_MUST_USE;

/* Counts one unreadable row, |line|, which is the current line of the input. */
tacho_status torq_part_lose(torq_part *part, tacho_loss_reason reason,
                            tacho_str line) TACHO_MUST_USE;

/* Makes all rows of the groups spans whose arguments are |args|, TORQ_ROW_ARGS each, in turn. */
void torq_part_begin_group(torq_part *part, const tacho_arg *args);

/*
 * The calls for threads that take turns to push; no rows may be left in a group between turns. NULL
 * if a single thread should push.
 */
const tacho_shared *torq_part_shared(torq_part *part);

/*
 * Pushes the rows of the group. Call it before changes to the dictionary, so that they take effect
 * as if rows were pushed one by one.
 */
tacho_status torq_part_push_group(torq_part *part) TACHO_MUST_USE;

/* Takes the next row of the group, already filled. */
TACHO_MUST_USE static inline tacho_status torq_part_push(torq_part *part)
{
    part->good_row_count++;
    part->group->count++;
    return TACHO_UNLIKELY(part->group->count == TORQ_GROUP_ROWS) ? torq_part_push_group(part)
                                                                 : TACHO_OK;
}

tacho_status torq_part_make_track(torq_part *part, tacho_torq_engine engine, uint32_t slice,
                                  uint32_t *out_track) TACHO_MUST_USE;

/* The track of an engine, TACHO_NONE if not made yet. */
static inline uint32_t torq_part_find_track(const torq_part *part, tacho_torq_engine engine,
                                            uint32_t slice)
{
    return engine == TACHO_TORQ_SLICE ? part->slice_tracks[slice] : part->engine_tracks[engine];
}

/* The same, made if missing; |slice| < TORQ_SLICE_MAX matters for TACHO_TORQ_SLICE only. */
TACHO_MUST_USE static inline tacho_status torq_part_track(torq_part *part, tacho_torq_engine engine,
                                                          uint32_t slice, uint32_t *out_track)
{
    *out_track = torq_part_find_track(part, engine, slice);
    return TACHO_LIKELY(*out_track != TACHO_NONE)
               ? TACHO_OK
               : torq_part_make_track(part, engine, slice, out_track);
}

/* Facts in a row's tail, parsed once per distinct text. */
typedef struct torq_site_facts {
    tacho_str name; /* empty: the short form of the location, else |fallback_name| */
    tacho_str fallback_name;
    tacho_str location; /* as in the file: loc(...), perhaps in CSV quotes, perhaps empty */
    tacho_track_class track_class;
} torq_site_facts;

/* The entry of |key|, or NULL; valid until the next one is added. */
const torq_entry *torq_part_find_entry(const torq_part *part, tacho_str key);

/* Files |entry| under |key|, which is new. */
tacho_status torq_part_add_entry(torq_part *part, tacho_str key,
                                 const torq_entry *entry) TACHO_MUST_USE;

/* Makes the site that |facts| describe. */
tacho_status torq_part_make_site(torq_part *part, const torq_site_facts *facts,
                                 uint32_t *out_site) TACHO_MUST_USE;

/* The string id of an argument key. */
tacho_status torq_part_key(torq_part *part, const char *name, uint32_t *out_id) TACHO_MUST_USE;

#endif
