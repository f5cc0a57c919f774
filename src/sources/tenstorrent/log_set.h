/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of Tenstorrent's logs: the files of one run, found by their content. A folder stands for
 * the files in it, and for those of a folder .logs in it.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_SET_H
#define TACHO_SOURCES_TENSTORRENT_LOG_SET_H

#include "base/arena.h"
#include "sources/tenstorrent/log_host.h"
#include "sources/tenstorrent/tt_table.h"

typedef enum tt_set_file {
    TT_SET_DEVICE_LOG, /* profile_log_device.csv */
    TT_SET_MESSAGES,   /* tracy_ops_data.csv */
    TT_SET_TIMES,      /* tracy_ops_times.csv */
    TT_SET_REPORT,     /* cpp_device_perf_report.csv */
    TT_SET_SYNC,       /* sync_device_info.csv */
    TT_SET_OPS,        /* ops_perf_results*.csv: the table joined from the others */
    TT_SET_FILE_COUNT,
    TT_SET_FILE_NONE = TT_SET_FILE_COUNT,
} tt_set_file;

typedef struct tt_log_set {
    tacho_arena *arena;                   /* paths live there */
    const char *paths[TT_SET_FILE_COUNT]; /* NULL: missing */
    const char *bad_path; /* the first file with the name of a log that is not one; or NULL */
    size_t bad_count;
} tt_log_set;

void tt_log_set_init(tt_log_set *set, tacho_arena *arena);

/*
 * Adds a file or a folder. A file of another kind is BAD_DATA; in a folder it is skipped, as is a
 * second file of one kind.
 */
tacho_status tt_log_set_add(tt_log_set *set, const char *path) TACHO_MUST_USE;

/* Whether the set has any data of a device or of ops. */
bool tt_log_set_has_any(const tt_log_set *set);

/* Whether |path| is a folder that holds such logs. */
bool tt_log_set_is_folder(const char *path);

/* The op table in |folder|, the first of several; NULL if it has none or is not a folder. */
tacho_status tt_log_set_find_table(const char *folder, tacho_arena *arena,
                                   const char **out_path) TACHO_MUST_USE;

/* Whether |path| is one of the logs in |folder|. */
bool tt_log_set_holds(const char *folder, const char *path);

/* Drops from |paths|, files of |folder|, those of the set and lists of zones. */
tacho_status tt_log_set_drop_own(const char *folder, const char **paths,
                                 size_t *path_count) TACHO_MUST_USE;

/* Reads a table of the set, a report or an op table, into |table|; counts rows that do not fit. */
tacho_status tt_set_read_table(tt_table *table, tacho_input *input,
                               tt_losses *losses) TACHO_MUST_USE;

/* The kind of a file, by its first bytes. */
tt_set_file tt_set_file_of(tacho_str head);

#endif
