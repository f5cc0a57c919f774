/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fleet: the combined profiles of many hosts. A fleet holds sums that can be merged: each file
 * makes one fleet, and merging these in any order and grouping gives the same fleet and the same
 * bytes (fleet_part.h). Counts, sums and extremes are exact; percentiles are exact while durations
 * are few (durations.h). So memory grows with names, files, steps and collectives, not with spans.
 *
 * A row of a table is found by its key, a text of bytes, and ordered by it. A file is identified by
 * a number computed from its run, its rank and its contents: two with the same number are copies,
 * which have the same sums, and only one is counted.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_H
#define TACHO_QUESTIONS_FLEET_FLEET_H

#include "questions/durations.h"
#include "base/maths.h"
#include "base/strings.h"

/* Moments and differences of clocks stay within this, which is the year 2043: sums of four fit. */
#define TACHO_FLEET_TIME_MAX (INT64_C(1) << 61)
/* A moment from 2001 on is taken to be since 1970; clocks that count from a start do not reach it.
 */
#define TACHO_FLEET_DAY_LEAST INT64_C(1000000000000000000)

/* The contents of a fleet: bits of |sections|. */
enum {
    TACHO_FLEET_OPS = 1 << 0,
    TACHO_FLEET_DEVICES = 1 << 1,
    TACHO_FLEET_STEPS = 1 << 2,
    TACHO_FLEET_COLLECTIVES = 1 << 3,
    TACHO_FLEET_ALL = (1 << 4) - 1,
};

enum {
    /* Percentiles of operations are all exact up to the first number of spans; beyond it, only in
     * rows with up to the second number. */
    TACHO_FLEET_EXACT_SPANS = 1 << 16,
    TACHO_FLEET_EXACT_OF_ROW = 512,
    /* Maximum single steps and collectives that are kept, chosen by a hash of their keys. */
    TACHO_FLEET_KEPT_KEYS = 1 << 17,
    /* Calls of a process group whose ends are kept, chosen in the same way. The groups of a file
     * share this number, but each keeps a few; some of very many groups are left out. So a file has
     * at most the product of the last two. */
    TACHO_FLEET_KEPT_ENDS = 64,
    TACHO_FLEET_KEPT_ENDS_LEAST = 8,
    TACHO_FLEET_KEPT_GROUPS = 16,
    TACHO_FLEET_TEXT_MAX = 1 << 16,
};

/* Tables of rows: id, their four letters in a part. */
#define TACHO_FLEET_TABLES(X)                                                                      \
    X(OPS, 'O', 'P', 'S', ' ')   /* by origin, class and operation */                              \
    X(FILES, 'T', 'I', 'M', 'E') /* steps by file; |file_count|: times counted */                  \
    X(STEPS, 'S', 'T', 'E', 'P') /* by run and step: one row of each file */                       \
    X(KINDS, 'K', 'I', 'N', 'D') /* collectives by run, group and name */                          \
    X(CALLS, 'C', 'A', 'L', 'L') /* the same by number: one of each file */                        \
    X(ENDS, 'E', 'N', 'D', 'S')  /* by hashes of group and call, and file: |total_ns| is the end */

typedef enum tacho_fleet_table_id {
#define TACHO_FLEET_ENUM(id, a, b, c, d) TACHO_FLEET_TABLE_##id,
    TACHO_FLEET_TABLES(TACHO_FLEET_ENUM)
#undef TACHO_FLEET_ENUM
        TACHO_FLEET_TABLE_COUNT,
} tacho_fleet_table_id;

/* An extreme, and the file that it is from. */
typedef struct tacho_fleet_peak {
    int64_t ns;
    uint64_t file;
} tacho_fleet_peak;

typedef struct tacho_fleet_row {
    uint64_t count, file_count;
    tacho_i128 total_ns;
    tacho_i128 inner_ns;          /* of operations: in spans directly inside */
    tacho_fleet_peak least, most; /* of single durations; 0 without any */
    tacho_fleet_peak largest;     /* of operations: the file with the largest self time */
    tacho_fleet_peak second;      /* of single collectives: the second least, if |count| > 1 */
    bool has_bytes;
    int64_t bytes;              /* saturates */
    uint32_t location;          /* of |texts|; TACHO_NONE: unknown, or there are several */
    tacho_durations *durations; /* NULL: not kept for this table */
} tacho_fleet_row;

typedef struct tacho_fleet_table {
    tacho_strings keys; /* the key of row i has the id i + 1 */
    tacho_fleet_row *rows;
    size_t row_count, row_capacity;
    uint64_t hash_limit; /* keys with a larger hash are not kept */
    size_t trim_at;      /* rows are thinned out at this number */
} tacho_fleet_table;

/* Numbers of a device's time, in the order of a part. */
#define TACHO_FLEET_NUMBERS(X)                                                                     \
    X(SPAN_NS)                                                                                     \
    X(BUSY_NS)                                                                                     \
    X(COMPUTE_NS)                                                                                  \
    X(COMMUNICATION_NS)                                                                            \
    X(EXPOSED_COMMUNICATION_NS)                                                                    \
    X(COPY_NS)                                                                                     \
    X(EXPOSED_COPY_NS)                                                                             \
    X(HOST_LATE_NS)                                                                                \
    X(DEPENDENCY_NS)                                                                               \
    X(QUEUE_EMPTY_NS)                                                                              \
    X(QUEUED_NS)                                                                                   \
    X(UNKNOWN_NS)                                                                                  \
    X(GAP_COUNT)                                                                                   \
    X(LONGEST_NS)                                                                                  \
    X(WORK_COUNT)                                                                                  \
    X(LAUNCH_COUNT)                                                                                \
    X(DELAY_SUM_NS)                                                                                \
    X(DELAY_MAX_NS)                                                                                \
    X(CALL_COUNT)                                                                                  \
    X(CALL_SUM_NS)                                                                                 \
    X(SHORT_COUNT)                                                                                 \
    X(QUEUE_MAX)

typedef enum tacho_fleet_number {
#define TACHO_FLEET_NUMBER_ENUM(id) TACHO_FLEET_##id,
    TACHO_FLEET_NUMBERS(TACHO_FLEET_NUMBER_ENUM)
#undef TACHO_FLEET_NUMBER_ENUM
        TACHO_FLEET_NUMBER_COUNT,
} tacho_fleet_number;

/* A device of a file; its key is the file's number (8 bytes), the origin (1 byte) and its name. */
typedef struct tacho_fleet_device {
    int64_t numbers[TACHO_FLEET_NUMBER_COUNT];
    tacho_durations delays; /* of launches */
} tacho_fleet_device;

typedef enum tacho_fleet_state {
    TACHO_FLEET_READ,
    TACHO_FLEET_LOSSY,  /* read, and some records are lost */
    TACHO_FLEET_CUT,    /* read up to the place where it is cut off or damaged */
    TACHO_FLEET_FAILED, /* not read at all */
    TACHO_FLEET_STATE_COUNT,
} tacho_fleet_state;

/* A file; its key is its number (8 bytes) and its path. Texts are ids of |texts|. */
typedef struct tacho_fleet_file {
    uint32_t run, host;      /* "" if not known */
    uint32_t format, writer; /* "chrome"; the program or version that wrote it */
    uint32_t reason;         /* why it is not sound */
    tacho_fleet_state state;
    int64_t rank;       /* -1: not known */
    int64_t own_rank;   /* the file's rank if its directory has another; else -1 */
    int64_t world_size; /* 0: not known */
    uint64_t span_count, lost_count;
    int64_t first_ns, end_ns; /* since 1970 if the file knows, else by its own clock */
    int64_t clock_step_ns;    /* how far its clock was adjusted while it recorded */
    int64_t clock_offset_ns;  /* time since 1970 ahead of the file's own clock; 0: not known */
    int64_t clock_error_ns;   /* error of the time since 1970 on its host; -1: not known */
} tacho_fleet_file;

/* A term of a fleet whose files differ in it. */
#define TACHO_FLEET_VARIOUS "various options"

typedef struct tacho_fleet {
    unsigned sections;
    tacho_strings texts;
    /*
     * Terms, which are texts: how its files were read and, in the part of one profile, the
     * profile's state (pipeline/fleet_terms.h). Merging keeps the terms that all files share and
     * drops the state: sums of equal profiles are equal bytes, no matter when these were copied.
     */
    uint32_t window, reading, profile;
    uint64_t span_count; /* of operations */
    tacho_fleet_table tables[TACHO_FLEET_TABLE_COUNT];
    tacho_strings device_keys;
    tacho_fleet_device *devices;
    size_t device_count, device_capacity;
    tacho_strings file_keys;
    tacho_fleet_file *files;
    size_t file_count, file_capacity;
} tacho_fleet;

/* Deinitialise it even after a failure. */
tacho_status tacho_fleet_init(tacho_fleet *fleet, unsigned sections) TACHO_MUST_USE;
void tacho_fleet_deinit(tacho_fleet *fleet);

/* Adds |more|, which must have the same sections. A copy of a counted file is only listed. */
tacho_status tacho_fleet_merge(tacho_fleet *fleet, const tacho_fleet *more) TACHO_MUST_USE;

/*
 * Lists the files of |more|, copies that are counted elsewhere. If two fleets have different facts
 * of one file, the choice depends on the facts, not on their order.
 */
tacho_status tacho_fleet_list(tacho_fleet *fleet, const tacho_fleet *more) TACHO_MUST_USE;

/* Sorts durations and drops keys beyond the limit. Call it before the fleet is written or shown. */
tacho_status tacho_fleet_settle(tacho_fleet *fleet) TACHO_MUST_USE;

/* Counts to be added to a row. */
typedef struct tacho_fleet_amount {
    tacho_str key;
    const tacho_fleet_row *row;
    tacho_str location; /* replaces the row's; empty for none */
} tacho_fleet_amount;

tacho_status tacho_fleet_add(tacho_fleet *fleet, tacho_fleet_table_id table,
                             const tacho_fleet_amount *amount) TACHO_MUST_USE;

/* Adds a device or a file; NULL if it already exists. */
tacho_status tacho_fleet_ensure_device(tacho_fleet *fleet, tacho_str key,
                                       tacho_fleet_device **out_device) TACHO_MUST_USE;
tacho_status tacho_fleet_ensure_file(tacho_fleet *fleet, tacho_str key,
                                     tacho_fleet_file **out_file) TACHO_MUST_USE;

/* The id of a text in |texts|. */
tacho_status tacho_fleet_text(tacho_fleet *fleet, tacho_str text, uint32_t *out_id) TACHO_MUST_USE;

/* The key of row |index|. */
static inline tacho_str tacho_fleet_key(const tacho_strings *keys, size_t index)
{
    return tacho_strings_get(keys, (uint32_t)index + 1);
}

/* Rows in the order of their keys; the caller frees the list. */
tacho_status tacho_fleet_order(const tacho_strings *keys, size_t count,
                               uint32_t **out_order) TACHO_MUST_USE;

/* The number of a file as the first bytes of a key, and back. */
enum { TACHO_FLEET_ID_BYTES = 8, TACHO_FLEET_ENDS_KEY_BYTES = 3 * TACHO_FLEET_ID_BYTES };
void tacho_fleet_put_id(char *to, uint64_t id);
uint64_t tacho_fleet_get_id(tacho_str key);

/* The hash that chooses keys, the same on every computer. */
uint64_t tacho_fleet_hash(tacho_str key);

/* The four letters of a table in a part. */
uint32_t tacho_fleet_table_letters(tacho_fleet_table_id table);
/* Whether its rows have percentiles. */
bool tacho_fleet_table_has_durations(tacho_fleet_table_id table);

#endif
