/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a trace: one, or as many as tacho wrote into it. Attributes of the trace describe
 * each part ahead of its events; other attributes become metadata.
 */
#ifndef TACHO_SOURCES_PERFETTO_PARTS_H
#define TACHO_SOURCES_PERFETTO_PARTS_H

#include "sources/perfetto/pairing.h"

enum { PFR_FACT_MAX = 512 };

/* A short text, copied. */
typedef struct pfr_fact {
    char text[PFR_FACT_MAX];
    size_t len;
} pfr_fact;

typedef struct pfr_parts {
    pfr_pairing *pairing;
    bool is_open;
    /* Facts that tacho wrote about the next part. */
    bool is_announced;
    pfr_fact name;
    pfr_fact clock;
    tacho_origin origin;
    uint32_t covered_classes;
    bool has_fixed_zero; /* its clock shares its zero with others */
    size_t opened_count;
} pfr_parts;

void pfr_parts_init(pfr_parts *parts, pfr_pairing *pairing);

/* Adds the attributes of a packet; |*out_good| is false when they are malformed. */
tacho_status pfr_parts_read_attributes(pfr_parts *parts, tacho_str message,
                                       bool *out_good) TACHO_MUST_USE;

/* Opens the part of the following events, unless it is open. */
tacho_status pfr_parts_ensure(pfr_parts *parts) TACHO_MUST_USE;

/* Ends the open part, if any. */
tacho_status pfr_parts_end(pfr_parts *parts) TACHO_MUST_USE;

#endif
