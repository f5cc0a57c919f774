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
#include "sources/options.h"

/* How much of a file a probe sees. */
enum { TACHO_PROBE_BYTES = 64 << 10 };

typedef enum tacho_probe_verdict {
    TACHO_PROBE_NO,
    TACHO_PROBE_MAYBE,
    TACHO_PROBE_SURE,
} tacho_probe_verdict;

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

/* How directories of several files are read as one input. */
typedef struct tacho_source_folder {
    /* Whether |path| is such a directory. */
    bool (*is_folder)(const char *path);
    /* Whether |path| is a file that |folder| is read from. */
    bool (*holds)(const char *folder, const char *path);
    /*
     * Drops from |paths|, files of |folder|, those that are read with it or that hold no events of
     * their own; the others are inputs like files of any directory.
     */
    tacho_status (*drop_own)(const char *folder, const char **paths, size_t *path_count);
    /* Optional: a table of operators in |path| that replaces it as an input; NULL: it has none. */
    tacho_status (*find_table)(const char *path, tacho_arena *arena, const char **out_table);
    /* Optional: the kind of a file that is read only with the others, by its |head|; else NULL. */
    const char *(*describe_piece)(tacho_str head);
} tacho_source_folder;

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
    const tacho_source_option *const *options; /* optional: of this format, NULL-terminated */
    const tacho_source_folder *folder;         /* optional: it reads directories, not files */
} tacho_source;

/* All sources, NULL-terminated. */
const tacho_source *const *tacho_sources(void);

/* By name, or NULL. */
const tacho_source *tacho_source_find(tacho_str name);

/* The source of a directory that is read as one input; NULL for any other path. */
const tacho_source *tacho_source_find_folder(const char *path);

/* |paths|, with directories that hold a table of operators replaced by that table. */
tacho_status tacho_source_folder_tables(const char *const *paths, size_t path_count,
                                        tacho_arena *arena, const char ***out_paths) TACHO_MUST_USE;

/* The kind of a file that is read only with the others of its directory, by |head|; else NULL. */
const char *tacho_source_folder_piece(tacho_str head);

/* See tacho_source_folder. */
tacho_status tacho_source_folder_drop_own(const char *folder, const char **paths,
                                          size_t *path_count) TACHO_MUST_USE;

bool tacho_source_folder_holds(const char *folder, const char *path);

/*
 * Detects the source from the content: the one that is sure, else the only one that may match.
 * Messages name |input|.
 */
tacho_status tacho_source_resolve(tacho_input *input,
                                  const tacho_source **out_source) TACHO_MUST_USE;

#endif
