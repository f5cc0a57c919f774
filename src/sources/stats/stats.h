/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats of a device as events. Only the program that recorded them gives the records their
 * meaning (program/stats_layout.h), so the source needs its file: --program.
 *
 * A view selects the amount of detail and the names: by default one track per engine in tacho's
 * words; in the vendor's words, as the tools for Qualcomm Cloud AI 100 draw it, threads of a group
 * share a track, waits are marks, and transfers have tracks of their own.
 */
#ifndef TACHO_SOURCES_STATS_STATS_H
#define TACHO_SOURCES_STATS_STATS_H

#include "program/stats_stream.h"
#include "program/stats_words.h"
#include "sources/source.h"

extern const tacho_source tacho_source_stats;

/* Numbers to show; an empty list shows all. */
typedef struct tacho_stats_choice {
    const uint32_t *items;
    size_t item_count;
} tacho_stats_choice;

typedef struct tacho_stats_view {
    bool has_vendor_words;
    bool splits_groups;    /* vendor: one track per thread, not per group */
    bool shows_barriers;   /* vendor: a track per thread for waiting after ops */
    bool shows_flows;      /* arrows for the dependencies of jobs */
    bool hides_activation; /* an earlier inference of the run has shown it */
    bool names_inferences; /* vendor: "aicsoftmax-Inf-6", where several share a track */
    tacho_stats_choice cores, devices;
} tacho_stats_view;

/* Files of one inference that were bound to the layout of |words|, at most one per device. */
typedef struct tacho_stats_set {
    const tacho_stats_file *files;
    size_t file_count;
    const tacho_stats_words *words;
    tacho_str path; /* for messages: the origin of the files */
    tacho_str name; /* of the part; empty: by its path */
    tacho_stats_view view;
    /*
     * If not NULL, files of several inferences share a part. The first call opens it where this is
     * TACHO_NONE, all leave it open, and the caller ends it.
     */
    uint32_t *shared_part;
    bool has_zero; /* other parts are aligned with this one: |zero_ticks| is 0 of them all */
    int64_t zero_ticks;
} tacho_stats_set;

/* Whether a number is shown. */
bool tacho_stats_choice_has(const tacho_stats_choice *choice, uint32_t number);

/* The first tick of any record in the files, shown as 0. */
int64_t tacho_stats_first_tick(const tacho_stats_set *set);

/*
 * Opens a part for the files, pushes its rows, counts damaged records, ends the part. Shared parts
 * do not support arrows: their numbers start afresh with each call.
 */
tacho_status tacho_stats_emit(const tacho_stats_set *set, tacho_events *events) TACHO_MUST_USE;

#endif
