/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes, threads, counters and asynchronous operations of a Chrome trace, and the tracks
 * they become. A process is a group. Metadata events may precede the first event of a thread or
 * follow long after it; a track is made by the first event on it.
 */
#ifndef TACHO_SOURCES_CHROME_CHROME_TRACKS_H
#define TACHO_SOURCES_CHROME_CHROME_TRACKS_H

#include "profile/facts.h"
#include "sources/chrome/chrome_map.h"
#include "sources/chrome/chrome_texts.h"

enum { CHROME_THREAD_SLOTS = 256 };

/* Description of a process or thread by metadata events. */
typedef struct chrome_description {
    uint32_t name;   /* string, 0 when not given */
    uint32_t labels; /* string, 0 when not given */
    int32_t rank;
    bool has_rank;
    bool has_facts; /* tacho's own: the name is complete */
    tacho_track_facts facts;
} chrome_description;

typedef struct chrome_process {
    uint32_t id; /* in |ids| */
    uint32_t part;
    uint32_t track; /* TACHO_NONE until needed */
    int32_t track_count;
    uint32_t first_thread; /* a list, TACHO_NONE at its end */
    bool is_compute;
    bool has_streams; /* has threads named "stream"; other rows are drawn around theirs */
    chrome_description said;
} chrome_process;

typedef struct chrome_thread {
    uint32_t process;
    uint32_t id; /* in |ids| */
    uint32_t next_thread;
    uint32_t track;    /* TACHO_NONE until needed */
    uint32_t stack;    /* of begun spans, TACHO_NONE until needed */
    uint32_t order;    /* among the tracks of its process, by first use */
    uint32_t kinds;    /* bits of tacho_category_kind: what its spans have been so far */
    bool shares_track; /* it is a lane: the track is that of another */
    /* Its last complete event: times in ticks, the start -1 before the first. */
    uint32_t last_site;
    int64_t last_start, last_end;
    chrome_description said;
} chrome_thread;

/* A text of at most this many bytes is identified by its ends. */
enum { CHROME_SHORT_BYTES = 16 };
typedef struct chrome_short_text {
    chrome_text_ends ends;
    size_t len;
} chrome_short_text;

typedef struct chrome_tracks {
    tacho_dict *dict;
    uint32_t part;     /* the part being read */
    tacho_strings ids; /* numbers and names of processes and threads, and ids of flows */
    chrome_process *processes;
    size_t process_count, process_capacity;
    chrome_map process_map;
    uint32_t last_process; /* the last one looked up */
    chrome_thread *threads;
    size_t thread_count, thread_capacity;
    chrome_map thread_map;
    chrome_map counter_map;              /* to tracks */
    chrome_map async_map;                /* to tracks */
    uint32_t slots[CHROME_THREAD_SLOTS]; /* threads looked up lately */
    /*
     * The last thread looked up, by the texts of its numbers; TACHO_NONE for none, or long texts.
     */
    uint32_t last_thread;
    chrome_short_text last_pid, last_tid;
} chrome_tracks;

tacho_status chrome_tracks_init(chrome_tracks *tracks, tacho_dict *dict) TACHO_MUST_USE;
void chrome_tracks_deinit(chrome_tracks *tracks);

/* The id of |text|, which is the same for all forms of one whole number. */
tacho_status chrome_tracks_ensure_id(chrome_tracks *tracks, tacho_str text,
                                     uint32_t *out_id) TACHO_MUST_USE;

/* The process or thread that the texts of its numbers name; |*out_thread| indexes |threads|. */
tacho_status chrome_tracks_process(chrome_tracks *tracks, tacho_str pid,
                                   uint32_t *out_process) TACHO_MUST_USE;
tacho_status chrome_tracks_thread(chrome_tracks *tracks, tacho_str pid, tacho_str tid,
                                  uint32_t *out_thread) TACHO_MUST_USE;

/* Makes the track of a thread that does not have one. */
tacho_status chrome_tracks_make_thread_track(chrome_tracks *tracks, uint32_t thread) TACHO_MUST_USE;

/* Identifies a counter; the words distinguish counters of one process. */
typedef struct chrome_counter {
    uint32_t process;
    uint32_t words[3];
    tacho_unit unit;
} chrome_counter;

/* The track of a counter; when it is new, the caller names it. */
tacho_status chrome_tracks_counter(chrome_tracks *tracks, const chrome_counter *counter,
                                   uint32_t *out_track, bool *out_is_new) TACHO_MUST_USE;

/* The track of asynchronous operations |name|, a string, of a process. */
tacho_status chrome_tracks_async(chrome_tracks *tracks, uint32_t process, uint32_t name,
                                 uint32_t *out_track) TACHO_MUST_USE;

/* The track of instants that belong to no process. */
tacho_status chrome_tracks_global(chrome_tracks *tracks, uint32_t *out_track) TACHO_MUST_USE;

/* The part ends: among processes without a rank, hosts precede devices. */
void chrome_tracks_rank_processes(chrome_tracks *tracks);

/* The description of a process or thread has changed. */
tacho_status chrome_tracks_update_process(chrome_tracks *tracks, uint32_t process) TACHO_MUST_USE;
tacho_status chrome_tracks_update_thread(chrome_tracks *tracks, uint32_t thread) TACHO_MUST_USE;

#endif
