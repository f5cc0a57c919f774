/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources: the bytes of one file format in, events out. Each is one constant struct; all are
 * listed in registry.c. A source knows its vendor's columns and mistakes, and no sink.
 */
#ifndef TACHO_SOURCES_SOURCE_H
#define TACHO_SOURCES_SOURCE_H

#include "base/arena.h"
#include "base/input.h"
#include "profile/events.h"
#include "profile/summed_args.h"

/* How much of a file a probe sees. */
enum { TACHO_PROBE_BYTES = 64 << 10 };

typedef enum tacho_probe_verdict {
    TACHO_PROBE_NO,
    TACHO_PROBE_MAYBE,
    TACHO_PROBE_SURE,
} tacho_probe_verdict;

/* The user's options for the input; a source uses the ones it supports. */
typedef struct tacho_source_options {
    tacho_str clock_mhz;    /* of cycle counts; empty for the format's default */
    uint32_t slice_count;   /* compute slices that old timelines count through; 0 for the default */
    tacho_str program_path; /* the program that recorded raw stats; empty: not given */
    tacho_args_wanted args;
    bool has_vendor_tracks; /* Torq's engines as its viewer calls them: "SLICE 0" for Slice 0 */
} tacho_source_options;

/* One file to be read. */
typedef struct tacho_reading {
    tacho_input *input;
    tacho_str path; /* as the user wrote it */
    const tacho_source_options *options;
    tacho_events *events;
    /*
     * Holds the events of a part until it ends, for a source that must see them in time order, or
     * all tracks before them. Without it such a source assumes the right order, and fails with
     * TACHO_CODE_OUT_OF_ORDER when that is wrong.
     */
    bool holds_events;
} tacho_reading;

typedef struct tacho_source {
    const char *name;  /* for --from */
    const char *title; /* for people */
    /* Whether the first TACHO_PROBE_BYTES of a file (or all of it) look like this format. */
    tacho_probe_verdict (*probe)(tacho_str head);
    /*
     * Opens one part in the dictionary, pushes its rows, counts losses, and ends the part. Fails
     * only when the file as a whole is not in this format.
     */
    tacho_status (*read)(const tacho_reading *reading);
} tacho_source;

/* All sources, NULL-terminated. */
const tacho_source *const *tacho_sources(void);

/* By name, or NULL. */
const tacho_source *tacho_source_find(tacho_str name);

/* The source of a folder that is read as one input; NULL for any other path. */
const tacho_source *tacho_source_find_folder(const char *path);

/* |paths|, in which a folder that holds a table of operators beside its logs is that table. */
tacho_status tacho_source_folder_tables(const char *const *paths, size_t path_count,
                                        tacho_arena *arena, const char ***out_paths) TACHO_MUST_USE;

/* The kind of a file that is read with the others of its folder, by its |head|; else NULL. */
const char *tacho_source_folder_piece(tacho_str head);

/*
 * Drops from |paths|, files of such a folder, those that its source reads or that hold no events of
 * their own; the others are inputs like files of any folder.
 */
tacho_status tacho_source_folder_drop_own(const char *folder, const char **paths,
                                          size_t *path_count) TACHO_MUST_USE;

/* Whether |path| is a file that such a folder is read from. */
bool tacho_source_folder_holds(const char *folder, const char *path);

/*
 * Detects the source from the content: the one that is sure, else the only one that may match.
 * Messages name |input|.
 */
tacho_status tacho_source_resolve(tacho_input *input,
                                  const tacho_source **out_source) TACHO_MUST_USE;

#endif
