/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks of the trace, by the numbers it gives them, and where their rows go in the model.
 *
 *   process        a group in the part, with a track of its own if it has rows itself
 *   thread         a track in its process's group
 *   counter        a counter under its parent
 *   queue, GPU     a track in a group "GPU N"; these do not have a uuid in the trace
 *   anything else  a track under its parent; Torq's groups are groups
 *
 * The first description of a track counts. It is placed in the model when its first row goes out; a
 * track whose parent is never described is placed in the part itself. Tracks of equal name and
 * parent are one, as viewers show them, unless the trace specifies otherwise.
 */
#ifndef TACHO_SOURCES_PERFETTO_TRACKS_H
#define TACHO_SOURCES_PERFETTO_TRACKS_H

#include "profile/facts.h"

typedef enum pfr_track_kind {
    PFR_TRACK_PLAIN,
    PFR_TRACK_PROCESS,
    PFR_TRACK_THREAD,
    PFR_TRACK_COUNTER,
    PFR_TRACK_GPU,   /* a group made without a descriptor */
    PFR_TRACK_QUEUE, /* of a GPU */
} pfr_track_kind;

/* Evidence in the threads of a process about the tool that drew it (layout.h). */
typedef struct pfr_layout_votes {
    uint32_t known_count;
    uint32_t numbered_count;
    uint32_t engine_count;
    uint32_t other_count;
    bool is_run; /* one of them shows more than engines */
} pfr_layout_votes;

typedef struct pfr_track {
    uint64_t uuid;
    bool is_described;
    pfr_track_kind kind;
    bool has_parent;
    uint64_t parent_uuid;
    uint32_t name; /* string, 0 for none */
    int64_t pid;
    int64_t tid;
    bool has_rank;
    int32_t rank;
    tacho_unit unit;
    uint32_t unit_name; /* string: a unit that the model does not have */
    int64_t multiplier;
    bool is_incremental;
    uint32_t merge_behavior;
    uint32_t merge_key; /* string */
    bool has_facts;     /* tacho wrote it */
    tacho_track_facts facts;
    bool has_events; /* some are held */
    bool is_old_torq;
    tacho_origin origin; /* of its spans, UNKNOWN: that of the part */
    pfr_layout_votes votes;
    /* The place in the current part. */
    uint32_t part;      /* TACHO_NONE before it is placed */
    uint32_t track;     /* the parent of its child tracks */
    uint32_t row_track; /* where its rows go ... */
    uint32_t rows_part; /* ... in this part */
    int64_t last_ns;    /* time of its last begin or end, for reading without sorting */
} pfr_track;

/* The part that tracks are placed in. */
typedef struct pfr_place {
    uint32_t part;
    uint32_t root;
    uint32_t clock;
} pfr_place;

/* Tracks merged by a key: {parent, key} and the track. */
typedef struct pfr_merged {
    uint32_t key[2];
    uint32_t track;
} pfr_merged;

typedef struct pfr_tracks {
    tacho_dict *dict;
    pfr_track *items;
    size_t item_count, item_capacity;
    tacho_index index;     /* by uuid */
    tacho_index pid_index; /* processes by pid */
    uint32_t small[256];   /* tracks with small numbers, by number; TACHO_NONE for none */
    pfr_merged *merged;
    size_t merged_count, merged_capacity;
    tacho_index merged_index;
    bool shows_units; /* Torq's engines themselves, not only their users */
} pfr_tracks;

tacho_status pfr_tracks_init(pfr_tracks *tracks, tacho_dict *dict) TACHO_MUST_USE;
void pfr_tracks_deinit(pfr_tracks *tracks);

/* Starts another file: its numbers mean other tracks. */
tacho_status pfr_tracks_restart(pfr_tracks *tracks) TACHO_MUST_USE;

uint32_t pfr_tracks_find_far(const pfr_tracks *tracks, uint64_t uuid);

/* The track |uuid|, or TACHO_NONE. */
static inline uint32_t pfr_tracks_find(const pfr_tracks *tracks, uint64_t uuid)
{
    return uuid < sizeof(tracks->small) / sizeof(tracks->small[0])
               ? tracks->small[uuid]
               : pfr_tracks_find_far(tracks, uuid);
}

/* The track |uuid|, which need not be described. */
tacho_status pfr_tracks_ensure(pfr_tracks *tracks, uint64_t uuid, uint32_t *out_id) TACHO_MUST_USE;

/* Adds a descriptor; |*out_good| is false when it is malformed or lacks a required field. */
tacho_status pfr_tracks_describe(pfr_tracks *tracks, tacho_str descriptor,
                                 bool *out_good) TACHO_MUST_USE;

/*
 * Adds an old descriptor of a process or thread that does not describe a track, and gives it a
 * uuid.
 */
tacho_status pfr_tracks_describe_old(pfr_tracks *tracks, tacho_str descriptor, bool is_thread,
                                     uint64_t *out_uuid, bool *out_good) TACHO_MUST_USE;

/* The queue |name|, a string, of a GPU. */
tacho_status pfr_tracks_ensure_queue(pfr_tracks *tracks, uint64_t gpu, uint32_t name,
                                     uint32_t *out_id) TACHO_MUST_USE;

/* The number of a GPU's counter among tracks, and its description: |name| is a string. */
uint64_t pfr_gpu_counter_uuid(uint64_t gpu, uint64_t counter);
tacho_status pfr_tracks_describe_gpu_counter(pfr_tracks *tracks, uint64_t gpu, uint64_t counter,
                                             uint32_t name) TACHO_MUST_USE;

/* The parent of |track|, or the track it is a lane of; TACHO_NONE for the part. */
uint32_t pfr_tracks_parent(const pfr_tracks *tracks, const pfr_track *track);

/* Whether the track is final: it and all its ancestors are described. */
bool pfr_tracks_is_settled(const pfr_tracks *tracks, uint32_t id);

/* Places the track and all its ancestors in the model. */
tacho_status pfr_tracks_place(pfr_tracks *tracks, uint32_t id,
                              const pfr_place *place) TACHO_MUST_USE;

#endif
