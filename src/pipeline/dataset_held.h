/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a data set holds of earlier conversions, by the names of its files:
 *
 *     trace.json-SOURCE-COMPUTER-CONTENT.parquet
 *
 * SOURCE is of the path of the profile, COMPUTER of the name of the one that converted it, CONTENT
 * of what was in it. So a profile whose run, rank or rows are others now is known, and so is the
 * profile of another node that has the same path there.
 */
#ifndef TACHO_PIPELINE_DATASET_HELD_H
#define TACHO_PIPELINE_DATASET_HELD_H

#include "base/arena.h"

/* What Hive calls a directory of rows that have no value. */
#define TACHO_DATASET_NO_VALUE "__HIVE_DEFAULT_PARTITION__"

enum { TACHO_DATASET_NAME_BYTES = 224 };

typedef struct tacho_dataset_digits {
    uint64_t source, content;
    uint32_t computer;
    bool is_copy; /* of another profile: |content| is of its own path, as |source| may be shared */
} tacho_dataset_digits;

/* Those of the profile at |path|, whose rows are |content|. */
void tacho_dataset_digits_find(const char *path, uint64_t content, bool is_copy,
                               tacho_dataset_digits *out_digits);

/* The name of its files. Engines pass over names that begin with "_" or ".": these get "file". */
void tacho_dataset_name(const char *path, const tacho_dataset_digits *digits,
                        char out_name[TACHO_DATASET_NAME_BYTES]);

/* A file of an earlier conversion. */
typedef struct tacho_dataset_held_file {
    tacho_dataset_digits digits;
    const char *place; /* "run=ID/host=NAME/rank=N/FILE" below each table */
    bool is_written;   /* by this conversion as well */
    bool is_replaced;  /* by another file of this conversion */
} tacho_dataset_held_file;

/* Finds files by source, and by content. */
typedef struct tacho_dataset_held_key {
    uint64_t digits;
    size_t file;
} tacho_dataset_held_key;

/* All of them; zeroed, it is empty. */
typedef struct tacho_dataset_held {
    tacho_dataset_held_file *files;
    size_t file_count, file_capacity;
    tacho_dataset_held_key *keys; /* in order */
    size_t key_count;
    char computer[256]; /* its name */
    tacho_arena arena;
} tacho_dataset_held;

/*
 * Lists files of |folder|, in which each of |tables| is a directory that may not be there.
 * Deinitialise it even after a failure.
 */
tacho_status tacho_dataset_held_init(tacho_dataset_held *held, const char *folder,
                                     const char *const *tables, size_t table_count) TACHO_MUST_USE;
void tacho_dataset_held_deinit(tacho_dataset_held *held);

/*
 * The profile with |digits| is written at |place|. What holds the same rows of that run or of that
 * path, what this computer made of that path before, and what is of that path and the same host is
 * to be removed. Returns the place of what another computer made of that path, which is kept, as it
 * may be another profile; NULL: nothing, or this profile is of this computer.
 */
const char *tacho_dataset_held_write(tacho_dataset_held *held, const tacho_dataset_digits *digits,
                                     const char *place);

/* Removes what was replaced from all |tables| of |folder|, the last one first; returns how much. */
tacho_status tacho_dataset_held_remove(const tacho_dataset_held *held, const char *folder,
                                       const char *const *tables, size_t table_count,
                                       size_t *out_count) TACHO_MUST_USE;

#endif
