/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What public calls have in common: names of formats looked up, options checked, and the kinds
 * of Torq file that a call may ask for.
 */
#ifndef TACHO_API_VIEW_FILES_H
#define TACHO_API_VIEW_FILES_H

#include "pipeline/input_set.h"
#include "profile/text_filter.h"
#include "sinks/trace_sink.h"
#include "sources/source.h"
#include <tacho/profile.h>

/* Refuses options that this version of the library does not have: reserved words that are set. */
tacho_status tacho_view_check_reserved(const uint64_t *words, size_t word_count) TACHO_MUST_USE;

/* Refuses what is no list of paths. */
tacho_status tacho_view_check_paths(const char *const *paths, size_t path_count) TACHO_MUST_USE;

/* Files to be read as a caller's options say. */
typedef struct tacho_view_files {
    tacho_intake intake;
    tacho_input_set set;
    tacho_selection selection; /* of their events */
    tacho_text_filter filter;  /* that it asks */
    /* Whom to tell how far reading has come, and whether that was the last time. */
    bool (*progress)(void *user, uint64_t done_bytes, uint64_t total_bytes);
    void (*skipped)(void *user, const char *message); /* NULL: nobody */
    void *user;
    _Atomic bool is_cancelled; /* rows are pushed and input is read by several threads */
} tacho_view_files;

/*
 * Refuses what cannot be asked for; |options| may be NULL. A directory stands for the profiles in
 * it. Close it even if this fails. |files| stays where it is: its intake refers to it.
 */
tacho_status tacho_view_files_open(tacho_view_files *files, const char *const *paths,
                                   size_t path_count,
                                   const tacho_view_options *options) TACHO_MUST_USE;
/* The same of inputs that may lie in memory, which stays the caller's. */
tacho_status tacho_view_files_open_inputs(tacho_view_files *files, const tacho_input_view *inputs,
                                          size_t input_count,
                                          const tacho_view_options *options) TACHO_MUST_USE;
void tacho_view_files_close(tacho_view_files *files);

/* The trace sink called |name|, or that of the suffix of |path| when |name| is NULL. */
tacho_status tacho_view_sink(const char *name, const char *path,
                             const tacho_trace_sink **out_sink) TACHO_MUST_USE;

/* Compile-time timelines and runtime profiles of Torq, NULL-terminated. */
extern const tacho_source *const tacho_view_compile_sources[];
extern const tacho_source *const tacho_view_runtime_sources[];

#endif
