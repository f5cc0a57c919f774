/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats files by their names:
 *
 *     aic-profiling-program-<P>-activation-<A>-inf-<I>-<Network>-aiccyclecounts.bin
 *
 * Networks may have dashes in their names, so a name is parsed by its numbers. The slice of a
 * network that runs on one of several devices has _slice<NN> after its name.
 */
#ifndef TACHO_SOURCES_STATS_STATS_NAMES_H
#define TACHO_SOURCES_STATS_STATS_NAMES_H

#include "base/arena.h"

typedef struct tacho_stats_name {
    uint64_t program, activation, inference;
    tacho_str network; /* without its slice */
    uint64_t slice;    /* UINT64_MAX: none */
    uint64_t copy;     /* of a name that ends in -aiccyclecounts_<copy>.bin; UINT64_MAX: none */
    tacho_str base;    /* of the file's name, without the suffix */
    tacho_str stem;    /* |base| without the slice: shared by the files of one inference */
    const char *path;
} tacho_stats_name;

typedef struct tacho_stats_names {
    tacho_stats_name *items; /* files of one inference are adjacent */
    size_t item_count, item_capacity;
    const char **bad; /* names meant as raw stats, but with bad numbers */
    size_t bad_count, bad_capacity;
    size_t other_count; /* other files of the folder */
    tacho_arena arena;
} tacho_stats_names;

/* Lists the files of a folder, or the one file at |path|. Call deinit even if init failed. */
tacho_status tacho_stats_names_init(tacho_stats_names *names, const char *path) TACHO_MUST_USE;
void tacho_stats_names_deinit(tacho_stats_names *names);

/* Whether two files are of one inference, on different devices. */
bool tacho_stats_name_is_sibling(const tacho_stats_name *a, const tacho_stats_name *b);

/* Whether a file is named after the network |name|; file names do not have blanks or slashes. */
bool tacho_stats_name_is_of(const tacho_stats_name *file, tacho_str name);

#endif
