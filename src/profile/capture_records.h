/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures (.tacho): the contents of the chunks of such a file. A file is a profile as it passes
 * through the event interface: entries of the dictionary, each ahead of the first row that needs
 * it, and rows. Records are never changed in place, so facts that are known late are written again
 * under the same id, and the last record counts.
 *
 *     HEAD   who wrote it, as text
 *     STRS   strings: u32 id of the first, then of each its length as a varint, and its bytes
 *     CLKS PART TRKS LOCS SITS RUNS     records as below, ids in order of appearance
 *     ROWS   u32 part, u32 rows, u64 rows of the file before them, then rows (capture_row.h)
 *     PEND   no more rows for a part
 *     META LOSS   at the end: metadata, losses
 *     ENDS   the last chunk: counts of everything
 *
 * Records are little-endian, and their chunk contains their length: a later version may add fields
 * after the known ones. Numbers of classes, origins, units and reasons are those of
 * profile/vocabulary. A payload longer than TACHO_CAPTURE_PIECE_BYTES goes on in the next chunk.
 */
#ifndef TACHO_PROFILE_CAPTURE_RECORDS_H
#define TACHO_PROFILE_CAPTURE_RECORDS_H

#include "codec/chunk.h"

#define TACHO_CAPTURE_KIND TACHO_FOURCC('C', 'A', 'P', 'T')

#define TACHO_CAPTURE_HEAD TACHO_FOURCC('H', 'E', 'A', 'D')
#define TACHO_CAPTURE_STRINGS TACHO_FOURCC('S', 'T', 'R', 'S')
#define TACHO_CAPTURE_CLOCKS TACHO_FOURCC('C', 'L', 'K', 'S')
#define TACHO_CAPTURE_PARTS TACHO_FOURCC('P', 'A', 'R', 'T')
#define TACHO_CAPTURE_TRACKS TACHO_FOURCC('T', 'R', 'K', 'S')
#define TACHO_CAPTURE_LOCATIONS TACHO_FOURCC('L', 'O', 'C', 'S')
#define TACHO_CAPTURE_SITES TACHO_FOURCC('S', 'I', 'T', 'S')
#define TACHO_CAPTURE_RUNS TACHO_FOURCC('R', 'U', 'N', 'S')
#define TACHO_CAPTURE_ROWS TACHO_FOURCC('R', 'O', 'W', 'S')
#define TACHO_CAPTURE_PART_ENDS TACHO_FOURCC('P', 'E', 'N', 'D')
#define TACHO_CAPTURE_METADATA TACHO_FOURCC('M', 'E', 'T', 'A')
#define TACHO_CAPTURE_LOSSES TACHO_FOURCC('L', 'O', 'S', 'S')
#define TACHO_CAPTURE_END TACHO_FOURCC('E', 'N', 'D', 'S')

enum {
    TACHO_CAPTURE_VERSION = 2,           /* of chunks */
    TACHO_CAPTURE_VERSION_FIRST = 1,     /* without lengths of arguments */
    TACHO_CAPTURE_CONTINUES = 1 << 0,    /* a chunk's flag: its payload goes on in the next */
    TACHO_CAPTURE_CONTINUED = 1 << 1,    /* its payload began in an earlier one */
    TACHO_CAPTURE_PIECE_BYTES = 8 << 20, /* of one chunk's payload */
    TACHO_CAPTURE_ROWS_HEAD = 16,        /* ahead of the rows */
    TACHO_CAPTURE_PARTS_MAX = 4096,
    TACHO_CAPTURE_RECORD_MAX = 64, /* bytes of the longest record */
};

/* The most bytes of a payload in pieces: one row with all its arguments. */
static const uint64_t tacho_capture_payload_max = (uint64_t)1 << 30;

enum {
    TACHO_CAPTURE_CLOCK_ASSUMED = 1 << 0,
    TACHO_CAPTURE_CLOCK_CYCLES = 1 << 1,
    TACHO_CAPTURE_CLOCK_FIXED = 1 << 2, /* its zero holds for all its parts */
    TACHO_CAPTURE_PART_KEEPS_ORDER = 1 << 0,
    TACHO_CAPTURE_PART_ASIDE = 1 << 1,        /* side by side with others, not aligned */
    TACHO_CAPTURE_PART_FLOWS = 1 << 2,        /* flow ends that find their span by time */
    TACHO_CAPTURE_TRACK_PROVISIONAL = 1 << 0, /* its facts may be replaced until its part ends */
    TACHO_CAPTURE_TRACK_HAS_NUMBER = 1 << 1,  /* these three as in tacho_track */
    TACHO_CAPTURE_TRACK_NUMBERED = 1 << 2,
    TACHO_CAPTURE_TRACK_FREE = 1 << 3,
    TACHO_CAPTURE_TRACK_NUMBER_SHIFT = 16,
};

/* Fields of the records: u32 or u64, those that may be negative in two's complement. */
#define TACHO_CAPTURE_CLOCK_FIELDS(X)                                                              \
    X(u32, id)                                                                                     \
    X(u32, name)                                                                                   \
    X(u64, ns_numerator) X(u64, ns_denominator) X(u64, zero_ticks) X(u32, flags) X(u32, reserved)

/* |first_start|: the tick shown as 0, or that of the source where the part has no rows. */
#define TACHO_CAPTURE_PART_FIELDS(X)                                                               \
    X(u32, id)                                                                                     \
    X(u32, name)                                                                                   \
    X(u32, path)                                                                                   \
    X(u32, format) X(u32, generation) X(u32, clock) X(u32, origin) X(u32, covered_classes)         \
        X(u64, first_start) X(u32, flags) X(u32, reserved)

/* |number|: the low half of a thread's or process's; the rest is in the high half of |flags|. */
#define TACHO_CAPTURE_TRACK_FIELDS(X)                                                              \
    X(u32, id)                                                                                     \
    X(u32, name)                                                                                   \
    X(u32, parent)                                                                                 \
    X(u32, part) X(u32, index) X(u32, lane_of) X(u32, rank) X(u32, track_class) X(u32, nesting)    \
        X(u32, unit) X(u32, flags) X(u32, number)

#define TACHO_CAPTURE_LOCATION_FIELDS(X)                                                           \
    X(u32, id) X(u32, text) X(u32, file) X(u32, line) X(u32, column) X(u32, reserved)

#define TACHO_CAPTURE_SITE_FIELDS(X) X(u32, id) X(u32, name) X(u32, category) X(u32, location)

#define TACHO_CAPTURE_RUN_FIELDS(X)                                                                \
    X(u32, id) X(u32, part) X(u32, name) X(u32, reserved) X(u64, invocation)

#define TACHO_CAPTURE_PART_END_FIELDS(X) X(u32, part) X(u32, reserved) X(u64, row_count)

#define TACHO_CAPTURE_FACT_FIELDS(X) X(u32, key) X(u32, value)

#define TACHO_CAPTURE_LOSS_FIELDS(X)                                                               \
    X(u32, part) X(u32, reason) X(u64, count) X(u64, first_line) X(u32, example) X(u32, reserved)

#define TACHO_CAPTURE_TOTALS_FIELDS(X)                                                             \
    X(u64, span_count)                                                                             \
    X(u64, sample_count)                                                                           \
    X(u64, flow_count) X(u64, part_count) X(u64, track_count) X(u64, lost_count)

typedef uint32_t tacho_capture_u32;
typedef uint64_t tacho_capture_u64;

static inline unsigned char *tacho_capture_put_u32(unsigned char *at, uint32_t value)
{
    for (size_t i = 0; i < sizeof(value); i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
    return at + sizeof(value);
}

static inline unsigned char *tacho_capture_put_u64(unsigned char *at, uint64_t value)
{
    at = tacho_capture_put_u32(at, (uint32_t)value);
    return tacho_capture_put_u32(at, (uint32_t)(value >> 32));
}

static inline uint32_t tacho_capture_get_u32(const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes;
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t tacho_capture_get_u64(const char *bytes)
{
    return tacho_capture_get_u32(bytes) | (uint64_t)tacho_capture_get_u32(bytes + 4) << 32;
}

/* Of each kind of record: the struct, its bytes in a file, how it gets there and back. */
#define TACHO_CAPTURE_FIELD(width, name) tacho_capture_##width name;
#define TACHO_CAPTURE_SIZE(width, name) +(int)sizeof(tacho_capture_##width)
#define TACHO_CAPTURE_PUT(width, name) at = tacho_capture_put_##width(at, record->name);
#define TACHO_CAPTURE_GET(width, name)                                                             \
    record.name = tacho_capture_get_##width(at);                                                   \
    at += sizeof(tacho_capture_##width);

#define TACHO_CAPTURE_RECORD(noun, FIELDS)                                                         \
    typedef struct tacho_capture_##noun {                                                          \
        FIELDS(TACHO_CAPTURE_FIELD)                                                                \
    } tacho_capture_##noun;                                                                        \
    enum { tacho_capture_##noun##_bytes = 0 FIELDS(TACHO_CAPTURE_SIZE) };                          \
    static inline void tacho_capture_##noun##_put(const tacho_capture_##noun *record,              \
                                                  unsigned char *at)                               \
    {                                                                                              \
        FIELDS(TACHO_CAPTURE_PUT)(void) at;                                                        \
    }                                                                                              \
    static inline tacho_capture_##noun tacho_capture_##noun##_get(const char *at)                  \
    {                                                                                              \
        tacho_capture_##noun record;                                                               \
        FIELDS(TACHO_CAPTURE_GET)(void) at;                                                        \
        return record;                                                                             \
    }

TACHO_CAPTURE_RECORD(clock, TACHO_CAPTURE_CLOCK_FIELDS)
TACHO_CAPTURE_RECORD(part, TACHO_CAPTURE_PART_FIELDS)
TACHO_CAPTURE_RECORD(track, TACHO_CAPTURE_TRACK_FIELDS)
TACHO_CAPTURE_RECORD(location, TACHO_CAPTURE_LOCATION_FIELDS)
TACHO_CAPTURE_RECORD(site, TACHO_CAPTURE_SITE_FIELDS)
TACHO_CAPTURE_RECORD(run, TACHO_CAPTURE_RUN_FIELDS)
TACHO_CAPTURE_RECORD(part_end, TACHO_CAPTURE_PART_END_FIELDS)
TACHO_CAPTURE_RECORD(fact, TACHO_CAPTURE_FACT_FIELDS)
TACHO_CAPTURE_RECORD(loss, TACHO_CAPTURE_LOSS_FIELDS)
TACHO_CAPTURE_RECORD(totals, TACHO_CAPTURE_TOTALS_FIELDS)

#endif
