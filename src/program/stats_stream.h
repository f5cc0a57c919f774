/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stats files: records of one inference on one device sealed into chunks, and read back.
 *
 * The writer is the host: it seals arrays that the device has filled. The reader gives every
 * array that is whole and belongs to the program, and counts the rest.
 */
#ifndef TACHO_PROGRAM_STATS_STREAM_H
#define TACHO_PROGRAM_STATS_STREAM_H

#include "program/stats_layout.h"

/* Records of one type, and of one engine where the type is by engine. */
typedef struct tacho_stats_array {
    tacho_stats_type type;
    uint32_t stream;
    uint32_t count;
    const void *records;
} tacho_stats_array;

/* The device's records of one inference. */
typedef struct tacho_stats_buffer {
    tacho_stats_head head;
    const tacho_stats_array *arrays; /* all types but head and end */
    size_t array_count;
    uint64_t record_cost_ns;
} tacho_stats_buffer;

/* Bytes of a record of |type| as this version knows it. */
size_t tacho_stats_record_bytes(tacho_stats_type type);

/* The head of files of one device that runs the program of |layout|, for its own times and flags.
 */
tacho_stats_head tacho_stats_head_of(const tacho_stats_layout *layout, uint32_t device,
                                     uint32_t features);

/*
 * Makes the records of losses for |arrays|, of which nothing is lost: a reader that finds fewer
 * records than stored has a damaged file. One for each type present; returns their number.
 */
uint32_t tacho_stats_account(const tacho_stats_array *arrays, size_t array_count,
                             tacho_stats_drop out_drops[TACHO_STATS_TYPE_COUNT]);

/* Writes the whole file; failures stick to |output|. */
void tacho_stats_seal(const tacho_stats_buffer *buffer, tacho_output *output);

/* The damage found in a file. */
typedef struct tacho_stats_damage {
    uint64_t damaged_bytes, first_damage;
    uint64_t missing_chunks;
    uint64_t unknown_chunks; /* types of a later version: skipped */
    uint64_t bad_records;    /* oc or time impossible: the records are skipped */
    bool is_cut;             /* no end */
} tacho_stats_damage;

/* Whether records may be lost. */
static inline bool tacho_stats_is_damaged(const tacho_stats_damage *damage)
{
    return damage->is_cut || damage->damaged_bytes > 0 || damage->missing_chunks > 0 ||
           damage->bad_records > 0;
}

typedef struct tacho_stats_file {
    tacho_stats_head head;
    tacho_stats_end end;
    tacho_stats_array *arrays; /* whole and aligned; records borrowed from the file's bytes ... */
    size_t array_count, array_capacity;
    tacho_arena arena; /* ... or copied here where they were shorter or not aligned */
    tacho_stats_damage damage;
} tacho_stats_file;

/* Whether |head|, the first bytes of a file, begins a stats file of ours. */
bool tacho_stats_is_file(tacho_str head);

/*
 * Reads a file. Fails when it is not one (the message recognises a foreign buffer), or when its
 * head is damaged. Call deinit even after a failure. |bytes| outlive the file.
 */
tacho_status tacho_stats_read(tacho_stats_file *file, tacho_str bytes) TACHO_MUST_USE;
void tacho_stats_file_deinit(tacho_stats_file *file);

/*
 * Compares a file with the program: BAD_DATA when its layout id is another's. Arrays of engines,
 * cores or threads that do not exist are taken out and counted, single op records that cannot be
 * (unknown oc, end before start) too: their oc is set to TACHO_NONE in a copy of the array.
 */
tacho_status tacho_stats_bind(tacho_stats_file *file,
                              const tacho_stats_layout *layout) TACHO_MUST_USE;

#endif
