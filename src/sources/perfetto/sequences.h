/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequences: packets of one writer, and their shared state. Strings are interned once and then
 * referred to by number; the track and the clock of packets have defaults, too. All of it holds
 * until the writer starts afresh.
 */
#ifndef TACHO_SOURCES_PERFETTO_SEQUENCES_H
#define TACHO_SOURCES_PERFETTO_SEQUENCES_H

#include "profile/dict.h"

typedef enum pfr_table_kind {
    PFR_TABLE_CATEGORIES,
    PFR_TABLE_NAMES,
    PFR_TABLE_KEYS,
    PFR_TABLE_VALUES,
    PFR_TABLE_LOG_BODIES,
    PFR_TABLE_LOCATIONS, /* locations of the dictionary, most others strings */
    PFR_TABLE_DENSE_COUNT,
    /* Few sequences have the following tables: their numbers are kept as sparse. */
    PFR_TABLE_CORRELATIONS = PFR_TABLE_DENSE_COUNT,
    PFR_TABLE_GPU_SPECS,    /* names of queues and stages */
    PFR_TABLE_CONTEXT_PIDS, /* numbers as they are */
    PFR_TABLE_CONTEXT_APIS, /* numbers as they are */
    PFR_TABLE_KERNELS,
} pfr_table_kind;

/* Ids by number, for numbers that are dense; TACHO_NONE where there is none. */
typedef struct pfr_table {
    uint32_t *items;
    size_t item_count, item_capacity;
} pfr_table;

/* Tracks of the extra counters of events; a list longer than the format allows is cut. */
enum { PFR_EXTRA_MAX = 64 };

typedef struct pfr_extra_tracks {
    uint64_t *uuids;
    size_t uuid_count, uuid_capacity;
} pfr_extra_tracks;

typedef struct pfr_sequence {
    uint32_t id;
    bool is_valid;
    uint32_t epoch; /* counts fresh starts */
    uint32_t clock_id;
    bool has_track;
    uint64_t track_uuid;
    pfr_extra_tracks extra[2]; /* of integers, of doubles */
    uint64_t thread_uuid;      /* the track of an old thread descriptor, 0 for none */
    pfr_table tables[PFR_TABLE_DENSE_COUNT];
} pfr_sequence;

/* A number that is not dense: {sequence and table, number} and its id. */
typedef struct pfr_sparse {
    uint64_t key[2];
    uint32_t epoch; /* of the sequence; the entry is void in a later one */
    uint32_t id;
} pfr_sparse;

typedef struct pfr_sequences {
    tacho_dict *dict;
    pfr_sequence *items;
    size_t item_count, item_capacity;
    tacho_index index;
    uint32_t last; /* the one looked up last */
    pfr_sparse *sparse;
    size_t sparse_count, sparse_capacity;
    tacho_index sparse_index;
} pfr_sequences;

tacho_status pfr_sequences_init(pfr_sequences *sequences, tacho_dict *dict) TACHO_MUST_USE;
void pfr_sequences_deinit(pfr_sequences *sequences);

/* The sequence |id|; valid until the next call. */
tacho_status pfr_sequences_ensure(pfr_sequences *sequences, uint32_t id,
                                  pfr_sequence **out_sequence) TACHO_MUST_USE;

/* Forgets the state of the sequence, and accepts its packets from now on. */
void pfr_sequence_restart(pfr_sequence *sequence);

/* Adds interned data or defaults; |*out_good| is false when they are malformed. */
tacho_status pfr_sequences_add_interned(pfr_sequences *sequences, pfr_sequence *sequence,
                                        tacho_str data, bool *out_good) TACHO_MUST_USE;
tacho_status pfr_sequence_set_defaults(pfr_sequence *sequence, tacho_str data,
                                       bool *out_good) TACHO_MUST_USE;

/* Reads a source location: "file:line" in the dictionary; its number, if any. */
tacho_status pfr_read_location(tacho_dict *dict, tacho_str message, uint64_t *out_iid,
                               uint32_t *out_location, bool *out_good) TACHO_MUST_USE;

uint32_t pfr_sequences_find_sparse(const pfr_sequences *sequences, const pfr_sequence *sequence,
                                   pfr_table_kind kind, uint64_t iid);

/* The id for |iid|, or TACHO_NONE. */
static inline uint32_t pfr_sequences_find(const pfr_sequences *sequences,
                                          const pfr_sequence *sequence, pfr_table_kind kind,
                                          uint64_t iid)
{
    if (kind < PFR_TABLE_DENSE_COUNT) {
        const pfr_table *table = &sequence->tables[kind];
        if (TACHO_LIKELY(iid < table->item_count && table->items[iid] != TACHO_NONE)) {
            return table->items[iid];
        }
    }
    return pfr_sequences_find_sparse(sequences, sequence, kind, iid);
}

#endif
