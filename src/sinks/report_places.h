/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer of each span of a page, and its launch. Analyses report on a span long after it passed,
 * and on some repeatedly, so places are found by a number that the span gets when it is received.
 * That takes four bytes per span, and more for spans with a launch.
 *
 * A track keeps the numbers of its spans; its columns are made from them when the page is written.
 */
#ifndef TACHO_SINKS_REPORT_PLACES_H
#define TACHO_SINKS_REPORT_PLACES_H

#include "sinks/report_blob.h"

typedef struct report_place {
    uint32_t layer;        /* index of a layer plus one; 0: not in a layer and not counted */
    bool is_device;        /* work of a device, else of the host */
    bool is_piece;         /* of a whole operator, which counts if there is one */
    uint32_t launch_track; /* of the call; TACHO_NONE: not known */
    int64_t launch_ns;     /* when the call started */
} report_place;

typedef struct report_launch {
    int64_t start_ns;
    uint32_t track;
} report_launch;

/* Zero-initialized, it is empty. */
typedef struct report_places {
    uint32_t *codes; /* by number: four times the layer and its flags, plus one; 0: no place */
    size_t code_count, code_capacity;
    uint32_t *launch_of; /* by number: one of |launches| plus one; shorter than |codes| */
    size_t launch_of_count, launch_of_capacity;
    report_launch *launches;
    size_t launch_count, launch_capacity;
} report_places;

void report_places_deinit(report_places *places);

/* Adds a span, without a place yet. */
tacho_status report_places_add(report_places *places, uint32_t *out_number) TACHO_MUST_USE;

/* Sets the place of span |number|; a known launch stays known. Unknown numbers are ignored. */
tacho_status report_places_set(report_places *places, uint64_t number,
                               const report_place *place) TACHO_MUST_USE;

/* Numbers of a track's spans, each minus the previous one. */
typedef struct report_numbers {
    report_bytes bytes;
    uint32_t last;
} report_numbers;

tacho_status report_numbers_put(report_numbers *numbers, uint32_t number) TACHO_MUST_USE;

/* Whether any of the spans has a place, and any a launch. */
void report_places_look(const report_places *places, const report_numbers *numbers,
                        bool *out_has_places, bool *out_has_launches);

/*
 * Appends the columns of a track to |out|: codes; launches as the track of the call plus one and,
 * unless that is 0, the time since the last one.
 */
tacho_status report_places_put_codes(const report_places *places, const report_numbers *numbers,
                                     report_bytes *out) TACHO_MUST_USE;
tacho_status report_places_put_launches(const report_places *places, const report_numbers *numbers,
                                        report_bytes *out) TACHO_MUST_USE;

#endif
