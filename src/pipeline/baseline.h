/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines: profiles that later ones are compared with. A baseline is a directory of captures, one
 * for each profile that was saved, and a list of them (".baseline"): what they were made from,
 * their sizes and checksums, and when and why they were accepted. Wherever a directory of profiles
 * is read, a baseline is read by its list, so captures that were changed, cut or added are noticed.
 *
 * The list is text. After "tacho-baseline 1", each line is an entry or a capture:
 *
 *     entry 2026-01-31T12:00:00Z<TAB>why it was accepted
 *     capture 2-001.tacho<TAB>bytes<TAB>checksum<TAB>what it was made from
 *     end 1
 *
 * The last entry is the one that the captures belong to; the earlier ones say what came before.
 */
#ifndef TACHO_PIPELINE_BASELINE_H
#define TACHO_PIPELINE_BASELINE_H

#include "base/arena.h"
#include "base/input.h"
#include "pipeline/intake.h"
#include "table/table.h"

#define TACHO_BASELINE_LIST ".baseline"

typedef struct tacho_baseline_entry {
    tacho_str saved; /* "2026-01-31T12:00:00Z" */
    tacho_str reason;
} tacho_baseline_entry;

typedef struct tacho_baseline_capture {
    tacho_str name; /* in the directory: digits, "-", digits, ".tacho" */
    uint64_t byte_count;
    uint64_t checksum;
    tacho_str input; /* what it was made from */
} tacho_baseline_capture;

typedef struct tacho_baseline {
    tacho_baseline_entry *entries; /* oldest first */
    size_t entry_count, entry_capacity;
    tacho_baseline_capture *captures;
    size_t capture_count, capture_capacity;
    tacho_arena arena; /* of all texts */
} tacho_baseline;

/* Whether |folder| is a baseline. */
bool tacho_baseline_is_there(const char *folder);

/* Reads the list of |folder|; deinit it even after a failure. */
tacho_status tacho_baseline_init(tacho_baseline *baseline, const char *folder) TACHO_MUST_USE;
/* The same of a list that is open, and called |name|. */
tacho_status tacho_baseline_init_from(tacho_baseline *baseline, tacho_input *input,
                                      const char *name) TACHO_MUST_USE;
void tacho_baseline_deinit(tacho_baseline *baseline);

/* The path of a capture; a failure where it is not what was saved. */
tacho_status tacho_baseline_resolve(const tacho_baseline_capture *capture, const char *folder,
                                    tacho_arena *arena, const char **out_path) TACHO_MUST_USE;

/* The size and checksum of the file at |path|. */
tacho_status tacho_baseline_measure(const char *path, uint64_t *out_byte_count,
                                    uint64_t *out_sum) TACHO_MUST_USE;

/* ---- saving and listing -------------------------------------------------------------------- */

typedef struct tacho_baseline_request {
    const char *folder; /* of all baselines; made if missing */
    const char *name;
    const char *reason;         /* "": none */
    bool replaces;              /* one that is there; else it must not be there */
    int64_t saved_s;            /* when, in seconds since 1970 */
    const tacho_intake *intake; /* the profiles, each of which becomes a capture */
    bool is_strict;             /* a loss is a failure */
    /* A profile is read; |dict| says what was lost. (optional) */
    void (*read)(void *user, const tacho_dict *dict);
    void *user;
} tacho_baseline_request;

/*
 * Saves the profiles. Either all of them are the baseline afterwards, or the one that was there
 * still is. |*out_has_losses| when records of a profile could not be read.
 */
tacho_status tacho_baseline_save(const tacho_baseline_request *request,
                                 bool *out_has_losses) TACHO_MUST_USE;

/* Whether |name| can be that of a baseline: letters, digits, ".", "_" and "-". */
bool tacho_baseline_is_name(const char *name);

/* The baselines of |folder|, a row for each; |skip| gets why a list cannot be read, and owns it. */
tacho_status tacho_baseline_table(const char *folder, void (*skip)(void *user, tacho_status status),
                                  void *user, tacho_table *out_table) TACHO_MUST_USE;

#endif
