/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a profile as columns of short numbers, one set per track: the data of a report page.
 * Times are nanoseconds. Neighbours in a column are alike, so that it compresses well.
 *
 * A page contains every row of a profile of at most REPORT_ROWS_MAX. A larger profile loses detail,
 * so that neither the page nor the memory to make it grows: neighbours on a track that are shorter
 * than the resolution become one stretch, with their number and busy time; of samples as close as
 * that the largest is kept. The resolution doubles whenever there are too many rows again. Longer
 * spans stay as they are, and a stretch never crosses the end of one.
 */
#ifndef TACHO_SINKS_REPORT_COLUMNS_H
#define TACHO_SINKS_REPORT_COLUMNS_H

#include "profile/lanes.h"
#include "profile/operators.h"
#include "sinks/report_blob.h"
#include "sinks/report_facts.h"
#include "sinks/report_places.h"

enum { REPORT_ROWS_MAX = 1 << 20, REPORT_TYPES_MAX = 1 << 16 };

/* A span, or a stretch of several. */
typedef struct report_span {
    int64_t start, end;
    uint32_t site;
    unsigned char flags;
    uint64_t size;  /* bytes moved plus one, 0 when unknown */
    uint64_t type;  /* a place among the types plus one, 0 for the site's own */
    uint64_t facts; /* likewise, of the text of its arguments; 0 for none */
    uint64_t count; /* of spans */
    int64_t busy;   /* time during which any of them ran */
} report_span;

typedef struct report_sample {
    int64_t time;
    double value;
} report_sample;

typedef struct report_track {
    uint64_t row_count;
    int64_t last_ns;      /* start of the latest row */
    report_bytes starts;  /* each minus the previous one */
    report_bytes lengths; /* of spans */
    report_bytes sites;   /* of spans */
    /* Of spans, as above; empty where all are 0. */
    report_bytes flags;
    report_bytes sizes;
    report_bytes types;
    report_bytes facts;     /* empty also in a coarse profile */
    report_bytes counts;    /* empty in a complete profile */
    report_bytes busy;      /* likewise */
    report_bytes values;    /* of samples, reals */
    report_numbers numbers; /* of spans (report_places.h); none once rows are merged */
    bool has_places;        /* once the columns are finished */
    bool has_launches;
    /* While rows are merged: the row that is not in the columns yet. */
    bool has_span, has_sample;
    report_span span;
    int64_t span_limit; /* the end of the span around |span| */
    report_sample sample;
    int64_t sample_end; /* samples before it are merged with |sample| */
    int64_t *ends;      /* of long spans around the latest, the innermost last */
    size_t end_count, end_capacity;
} report_track;

/* Receives rows from the lanes. */
typedef struct report_inner {
    tacho_events events;
    struct report_columns *columns;
} report_inner;

typedef struct report_columns {
    tacho_events events; /* push here, in track order */
    tacho_lanes *lanes;
    report_inner inner;
    report_track **tracks; /* by track id; NULL: without rows */
    size_t track_count, track_capacity;
    tacho_operators operators;
    report_facts facts;
    uint32_t *types; /* strings: operators that spans give in an argument, and their facts */
    size_t type_count, type_capacity;
    uint32_t *type_places; /* by string: its place among the types plus one */
    size_t type_place_count, type_place_capacity;
    report_places places; /* in the order received; none once rows are merged */
    uint64_t span_count;  /* of the profile */
    uint64_t sample_count;
    uint64_t flow_end_count; /* seen and left out */
    int64_t last_end_ns;
    uint64_t row_count;    /* of the columns */
    uint64_t row_max;      /* limit for a page: REPORT_ROWS_MAX */
    uint64_t row_limit;    /* beyond it rows are merged further */
    int64_t resolution_ns; /* 0: every row is there */
    uint32_t several_site; /* of stretches whose spans differ */
} report_columns;

/*
 * Columns for the rows of a profile over |dict|; spans that cross others go on lanes of their own,
 * which are added to the dictionary. |columns| must not move. Call deinit even if init failed.
 */
tacho_status report_columns_init(report_columns *columns, tacho_dict *dict) TACHO_MUST_USE;
void report_columns_deinit(report_columns *columns);

/* The columns of the track |id|, perhaps without rows. */
const report_track *report_columns_track(const report_columns *columns, uint32_t id);

/* Call after the last row. */
tacho_status report_columns_finish(report_columns *columns) TACHO_MUST_USE;

/* Writes the columns of every track, in the order of their ids. */
tacho_status report_columns_write(const report_columns *columns, report_blob *blob) TACHO_MUST_USE;

/* ---- for report_coarse.c ------------------------------------------------------------------ */

tacho_status report_track_put_span(report_columns *columns, report_track *track,
                                   const report_span *span) TACHO_MUST_USE;
tacho_status report_track_put_sample(report_columns *columns, report_track *track,
                                     const report_sample *sample) TACHO_MUST_USE;
void report_track_clear(report_track *track);

/* Takes a row of a coarse profile; a row that may still grow is held back. */
tacho_status report_coarse_span(report_columns *columns, report_track *track,
                                const report_span *span) TACHO_MUST_USE;
tacho_status report_coarse_sample(report_columns *columns, report_track *track,
                                  const report_sample *sample) TACHO_MUST_USE;
/* Writes held rows to the columns. */
tacho_status report_coarse_flush(report_columns *columns, report_track *track) TACHO_MUST_USE;
/* Doubles the resolution until at most half the rows of a page are left. */
tacho_status report_coarse_shrink(report_columns *columns) TACHO_MUST_USE;

#endif
