/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a profile as columns of short numbers, one set per track: what a report page holds.
 * Times are nanoseconds. Neighbours in a column are alike, so that it compresses well.
 */
#ifndef TACHO_SINKS_REPORT_COLUMNS_H
#define TACHO_SINKS_REPORT_COLUMNS_H

#include "profile/operators.h"
#include "profile/profile.h"
#include "sinks/report_blob.h"

typedef struct report_track {
    uint64_t row_count;
    int64_t last_ns;      /* start of the latest row */
    report_bytes starts;  /* each minus the one before it */
    report_bytes lengths; /* of spans */
    report_bytes sites;   /* of spans */
    report_bytes flags;   /* of spans, a byte each */
    report_bytes sizes;   /* of spans: bytes moved plus one, 0 when the input does not say */
    report_bytes types;   /* of spans: a place among the types plus one, 0 for what the site says */
    report_bytes values;  /* of samples, reals */
    bool has_flags;       /* any that is not 0 */
    bool has_sizes;
    bool has_types;
} report_track;

typedef struct report_columns {
    tacho_events events;  /* push here */
    report_track *tracks; /* by track id */
    size_t track_count, track_capacity;
    tacho_operators operators;
    uint32_t *types; /* strings: operators that spans give in an argument */
    size_t type_count, type_capacity;
    uint32_t *type_places; /* by string: its place among the types plus one */
    size_t type_place_count, type_place_capacity;
    uint64_t span_count;
    uint64_t sample_count;
    uint64_t flow_end_count; /* seen and left out */
    int64_t last_end_ns;
} report_columns;

/*
 * Fills |out_columns| from |profile|, spans that cross others on lanes of their own; lanes are
 * added to the dictionary. To be deinitialised, also after a failure.
 */
tacho_status report_columns_fill(const tacho_profile *profile,
                                 report_columns *out_columns) TACHO_MUST_USE;
void report_columns_deinit(report_columns *columns);

/* Writes the columns of every track, in the order of their ids. */
tacho_status report_columns_write(const report_columns *columns, report_blob *blob) TACHO_MUST_USE;

#endif
