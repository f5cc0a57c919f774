/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of processes and threads in a trace file. A group is a process there and a track a
 * thread of it. If the input has the number from the operating system, the file uses it, too; else,
 * and if it is taken or has another meaning to viewers, the number is a small one of our own.
 * Numbers are given on first use and stay.
 */
#ifndef TACHO_SINKS_TRACK_NUMBERS_H
#define TACHO_SINKS_TRACK_NUMBERS_H

#include "base/arena.h"
#include "profile/dict.h"

/* A number in the file: of a group its process alone. */
typedef struct tacho_track_number {
    int64_t pid; /* -1 before the first use */
    int64_t tid;
} tacho_track_number;

typedef struct tacho_track_numbers {
    const tacho_dict *dict;
    int64_t lowest;            /* allowed by the format */
    int64_t highest_pid;       /* likewise ... */
    int64_t highest_tid;       /* ... and of threads */
    tacho_track_number *items; /* by track */
    size_t item_count, item_capacity;
    tacho_index index;       /* tracks by their numbers in the file ... */
    tacho_index input_index; /* ... and by those that the input gives */
} tacho_track_numbers;

tacho_status tacho_track_numbers_init(tacho_track_numbers *numbers,
                                      const tacho_dict *dict) TACHO_MUST_USE;
void tacho_track_numbers_deinit(tacho_track_numbers *numbers);

/*
 * Gives a group without a number, and perhaps without contents, a number out of the way of others.
 */
tacho_status tacho_track_numbers_hide(tacho_track_numbers *numbers, uint32_t group) TACHO_MUST_USE;

tacho_status tacho_track_numbers_give(tacho_track_numbers *numbers, uint32_t track) TACHO_MUST_USE;

/* The numbers of |track|; its group then has numbers, too. */
TACHO_MUST_USE static inline tacho_status
tacho_track_numbers_find(tacho_track_numbers *numbers, uint32_t track,
                         const tacho_track_number **out_number)
{
    if (TACHO_UNLIKELY(track >= numbers->item_count || numbers->items[track].pid < 0)) {
        TACHO_TRY(tacho_track_numbers_give(numbers, track));
    }
    *out_number = &numbers->items[track];
    return TACHO_OK;
}

/*
 * The rank of |track| in the file. Groups of one part are consecutive and follow those of earlier
 * parts, whatever their ranks in the part.
 */
int32_t tacho_track_file_rank(const tacho_track *track);

/*
 * The name of |track| for viewers, which append its number: without the number, if the name
 * contains the one in the file. |number| is the result of tacho_track_numbers_find.
 */
tacho_status tacho_track_viewer_name(const tacho_dict *dict, uint32_t track,
                                     const tacho_track_number *number, tacho_arena *arena,
                                     tacho_str *out_name) TACHO_MUST_USE;

#endif
