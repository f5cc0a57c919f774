/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that tacho wrote: attributes describe the parts, and arguments hold the fields that trace
 * formats do not have. Reading restores parts, clocks, ticks, locations and runs.
 */
#ifndef TACHO_SOURCES_PERFETTO_OWN_H
#define TACHO_SOURCES_PERFETTO_OWN_H

#include "profile/events.h"

/* Arguments that tacho's sink adds to those of a span. */
typedef enum pfr_own_key {
    PFR_OWN_LOCATION,
    PFR_OWN_CYCLES,
    PFR_OWN_RUN,
    PFR_OWN_INVOCATION,
    PFR_OWN_ORIGIN,
    PFR_OWN_UNENDED,
    PFR_OWN_BYTES, /* an argument that is kept, in bytes */
    PFR_OWN_KEY_COUNT,
} pfr_own_key;

/* A site, and the same site with a location. */
typedef struct pfr_placed_site {
    uint32_t site;
    uint32_t placed;
    uint32_t next; /* of the same location, TACHO_NONE for none */
} pfr_placed_site;

/* The location in a text, and the sites placed there. */
typedef struct pfr_placed_text {
    uint32_t location; /* TACHO_NONE before it is looked up */
    uint32_t first;    /* placed site, TACHO_NONE for none */
} pfr_placed_text;

typedef struct pfr_own {
    tacho_dict *dict;
    uint32_t keys[PFR_OWN_KEY_COUNT]; /* strings */
    pfr_placed_text *texts;           /* by text, a string */
    size_t text_count, text_capacity;
    pfr_placed_site *sites;
    size_t site_count, site_capacity;
    tacho_index run_index;
    uint32_t last_run;
} pfr_own;

tacho_status pfr_own_init(pfr_own *own, tacho_dict *dict) TACHO_MUST_USE;
void pfr_own_deinit(pfr_own *own);

/*
 * Takes tacho's own arguments off |row|, a span of |part| that begins, and restores the fields they
 * hold. The end becomes the start plus the cycles, or -1 without cycles.
 */
tacho_status pfr_own_restore(pfr_own *own, uint32_t part, const tacho_clock *clock,
                             tacho_row *row) TACHO_MUST_USE;

/* Sets the unit of arguments that tacho's sources call "bytes"; traces do not carry units. */
void pfr_own_restore_units(const pfr_own *own, tacho_arg *args, size_t arg_count);

/* The tick at |ns|, or -1 when it is beyond the clock's range. */
int64_t pfr_own_ticks(const tacho_clock *clock, int64_t ns);

/* Splits an attribute "tacho.part.3.clock" into 3 and "clock"; false for other keys. */
bool pfr_own_parse_part_key(tacho_str key, uint64_t *out_number, tacho_str *out_fact);

#endif
