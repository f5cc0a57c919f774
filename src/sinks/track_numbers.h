/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of processes and threads in a trace file. A group is a process there and a track a
 * thread of it. Where the input says which number the operating system gave them, that is the
 * number in the file too; else, and where it is taken or means something else to viewers, it is a
 * small one of our own. Numbers are given when they are first asked for and stay.
 */
#ifndef TACHO_SINKS_TRACK_NUMBERS_H
#define TACHO_SINKS_TRACK_NUMBERS_H

#include "base/arena.h"
#include "profile/dict.h"

/* A number in the file: of a group its process alone. */
typedef struct tacho_track_number {
    int64_t pid; /* -1 before it is given */
    int64_t tid;
} tacho_track_number;

typedef struct tacho_track_numbers {
    const tacho_dict *dict;
    int64_t lowest;            /* that the format allows */
    int64_t highest_pid;       /* the same ... */
    int64_t highest_tid;       /* ... and of threads */
    tacho_track_number *items; /* by track */
    size_t item_count, item_capacity;
    tacho_index index;       /* tracks by their numbers in the file ... */
    tacho_index input_index; /* ... and by those that the input gives */
} tacho_track_numbers;

tacho_status tacho_track_numbers_init(tacho_track_numbers *numbers,
                                      const tacho_dict *dict) TACHO_MUST_USE;
void tacho_track_numbers_deinit(tacho_track_numbers *numbers);

/* Gives a group that has no number, and may hold nothing, one out of the way of others. */
tacho_status tacho_track_numbers_hide(tacho_track_numbers *numbers, uint32_t group) TACHO_MUST_USE;

tacho_status tacho_track_numbers_give(tacho_track_numbers *numbers, uint32_t track) TACHO_MUST_USE;

/* The numbers of |track|; its group has some then, too. */
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
 * The rank of |track| in the file. Groups of one part come together, behind those of the parts
 * before it, whatever ranks they have there.
 */
int32_t tacho_track_file_rank(const tacho_track *track);

/*
 * The name of |track| for viewers, which put its number behind it: without the number, where it
 * holds the one that it has in the file. |number| is what tacho_track_numbers_find gave.
 */
tacho_status tacho_track_viewer_name(const tacho_dict *dict, uint32_t track,
                                     const tacho_track_number *number, tacho_arena *arena,
                                     tacho_str *out_name) TACHO_MUST_USE;

#endif
