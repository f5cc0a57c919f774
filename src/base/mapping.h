/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files in memory, read-only, for formats whose bytes are borrowed rather than copied:
 * models and programs. Profiles and traces go through base/input.h instead.
 *
 * A regular file is mapped, so its bytes are not anonymous memory; anything else (a pipe, standard
 * input as "-") is read. A file that another program cuts short while it is mapped ends the
 * process, as with every program that maps files.
 */
#ifndef TACHO_BASE_MAPPING_H
#define TACHO_BASE_MAPPING_H

#include "base/status.h"
#include "base/str.h"

typedef struct tacho_mapping {
    void *memory;
    size_t len;
    bool is_mapped;         /* else allocated */
    uint64_t device, inode; /* of a file that is mapped */
} tacho_mapping;

typedef struct tacho_mappings {
    tacho_mapping *items;
    size_t item_count, item_capacity;
} tacho_mappings;

/* Opens |path| and keeps it in |mappings|; the view stays good until tacho_mappings_close. */
tacho_status tacho_mappings_open(tacho_mappings *mappings, const char *path,
                                 tacho_str *out_bytes) TACHO_MUST_USE;

/*
 * How much to read of inputs that cannot be mapped: devices and pipes may have no end. An input
 * whose beginning is not that of a known format is read to |bytes_max|, or no further than that
 * beginning (TACHO_MAPPING_HEAD_BYTES, or less), which is enough to report the problem.
 */
typedef struct tacho_mapping_bound {
    bool (*is_known)(tacho_str head); /* NULL: nothing is */
    uint64_t bytes_max;               /* 0: the beginning */
} tacho_mapping_bound;

enum { TACHO_MAPPING_HEAD_BYTES = 1 << 20 };

/* The same with a bound, for files that the user names. NULL: 4 GiB, as of anything. */
tacho_status tacho_mappings_open_bounded(tacho_mappings *mappings, const char *path,
                                         const tacho_mapping_bound *bound,
                                         tacho_str *out_bytes) TACHO_MUST_USE;

/* The same for |path| beneath |folder|, as another file names it: see base/beneath.h. */
tacho_status tacho_mappings_open_beneath(tacho_mappings *mappings, const char *folder,
                                         const char *path, tacho_str *out_bytes) TACHO_MUST_USE;

/* How many bytes all of them have. */
uint64_t tacho_mappings_bytes(const tacho_mappings *mappings);

/*
 * Lets the system take back the memory of mapped files; pages are read again from the file when
 * needed. For callers that have read a file whole and need few places of it from now on.
 */
void tacho_mappings_release(const tacho_mappings *mappings);

/* Which files |from| has, for tacho_mappings_has: their bytes stay there. */
tacho_status tacho_mappings_remember(tacho_mappings *mappings,
                                     const tacho_mappings *from) TACHO_MUST_USE;

/* Whether |path| names one of the files, under whatever name it was opened. */
bool tacho_mappings_has(const tacho_mappings *mappings, const char *path);

void tacho_mappings_close(tacho_mappings *mappings);

#endif
