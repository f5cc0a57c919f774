/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State shared by the files of this folder: one capture while it is read.
 *
 * Entries of the dictionary are made from their records at once, except tracks and parts: those are
 * made where the rows require, so that they keep their original numbers. A name whose string was
 * lost reads "(lost)"; a row whose track was lost is lost.
 */
#ifndef TACHO_SOURCES_TACHO_CAPTURE_READER_H
#define TACHO_SOURCES_TACHO_CAPTURE_READER_H

#include "profile/capture_records.h"
#include "profile/capture_row.h"
#include "sources/source.h"
#include "sources/tacho/id_map.h"

/* A clock of the file. */
typedef struct capture_clock {
    tacho_clock clock;
    uint32_t name; /* string of the dictionary */
    uint32_t ours; /* TACHO_NONE until a part needs it */
} capture_clock;

typedef struct capture_part {
    tacho_capture_part record;
    uint32_t ours;      /* TACHO_NONE until its first track is made */
    bool has_ended;     /* no more rows for it */
    uint64_t row_count; /* read */
} capture_part;

typedef struct capture_track {
    tacho_capture_track record;
    uint32_t ours;  /* TACHO_NONE until made, and if that is impossible */
    uint32_t depth; /* tracks above it */
} capture_track;

typedef struct capture_reader {
    const tacho_reading *reading;
    tacho_dict *dict;
    id_map strings, clock_ids, part_ids, track_ids, locations, sites, run_ids;
    capture_clock *clocks; /* values of |clock_ids|; likewise below */
    size_t clock_count, clock_capacity;
    capture_part *parts;
    size_t part_count, part_capacity;
    capture_track *tracks;
    size_t track_count, track_capacity;
    tacho_capture_run *runs;
    size_t run_count, run_capacity;
    size_t made_run_count;
    size_t made_count;                       /* of |tracks|, from the first on */
    uint32_t launch_keys[TACHO_LAUNCH_KEYS]; /* strings of the file */
    size_t launch_key_count;                 /* if more than these, some are unknown */
    uint32_t lost_string;                    /* "(lost)" once something is missing, else empty */
    uint32_t last_id; /* the file's track of the previous row, and ours; TACHO_NONE: none yet */
    uint32_t last_track;
    uint32_t lost_site; /* TACHO_NONE until needed */
    uint32_t open_part; /* of |parts|: the one whose rows have begun, or TACHO_NONE */
    tacho_unpacked_args args;
    uint64_t row_count;  /* read or known to be lost */
    uint64_t cut_count;  /* rows and pieces lost to damage */
    uint64_t bad_count;  /* rows and entries that are invalid or have dangling references */
    uint64_t time_count; /* rows with invalid times */
} capture_reader;

/* ---- capture_dict.c: a chunk of each kind ---- */

tacho_status capture_take_strings(capture_reader *reader, tacho_str payload) TACHO_MUST_USE;
tacho_status capture_take_clock(capture_reader *reader, const char *bytes) TACHO_MUST_USE;
tacho_status capture_take_part(capture_reader *reader, const char *bytes) TACHO_MUST_USE;
tacho_status capture_take_track(capture_reader *reader, const char *bytes) TACHO_MUST_USE;
tacho_status capture_take_location(capture_reader *reader, const char *bytes) TACHO_MUST_USE;
tacho_status capture_take_site(capture_reader *reader, const char *bytes) TACHO_MUST_USE;
tacho_status capture_take_run(capture_reader *reader, const char *bytes) TACHO_MUST_USE;
tacho_status capture_take_fact(capture_reader *reader, const char *bytes) TACHO_MUST_USE;
tacho_status capture_take_loss(capture_reader *reader, const char *bytes) TACHO_MUST_USE;

/* Makes the tracks whose ids are below |end|. */
tacho_status capture_make_tracks(capture_reader *reader, uint64_t end) TACHO_MUST_USE;

/* Makes the remaining runs of parts that have been made. */
tacho_status capture_make_runs(capture_reader *reader) TACHO_MUST_USE;

/* The dictionary's string for one of the file; "(lost)" if it is unknown. */
static inline uint32_t capture_string(const capture_reader *reader, uint32_t id)
{
    uint32_t found = id_map_find(&reader->strings, id);
    return found != TACHO_NONE ? found : reader->lost_string;
}

/* ---- capture_rows.c ---- */

tacho_status capture_take_rows(capture_reader *reader, tacho_str payload) TACHO_MUST_USE;

/* Ends the part whose rows have begun, if any. */
tacho_status capture_end_open_part(capture_reader *reader) TACHO_MUST_USE;
tacho_status capture_take_part_end(capture_reader *reader, const char *bytes) TACHO_MUST_USE;

#endif
