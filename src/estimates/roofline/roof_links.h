/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call of an operator that launched each piece of device work: by correlation, by arrows, else
 * by the number of the operator, as in 'ops --by op' (questions/timeline/timeline.h). Spans are
 * identified by their number among all pushed spans.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOF_LINKS_H
#define TACHO_ESTIMATES_ROOFLINE_ROOF_LINKS_H

#include "profile/events.h"

typedef struct tacho_roof_links tacho_roof_links;

tacho_status tacho_roof_links_create(tacho_dict *dict, tacho_roof_links **out_links) TACHO_MUST_USE;
void tacho_roof_links_destroy(tacho_roof_links *links);

/* Declares the next pushed span to be the next call. */
tacho_status tacho_roof_links_add_call(tacho_roof_links *links) TACHO_MUST_USE;
tacho_status tacho_roof_links_push(tacho_roof_links *links, const tacho_row *row) TACHO_MUST_USE;
tacho_status tacho_roof_links_end_part(tacho_roof_links *links, uint32_t part) TACHO_MUST_USE;

/* The number of pushed spans, which is the number of the next one. */
uint64_t tacho_roof_links_serial(const tacho_roof_links *links);

/* Call it after the end of all parts. */
void tacho_roof_links_sort(tacho_roof_links *links);

/* The call of the work |serial|; TACHO_NONE if not known. */
uint32_t tacho_roof_links_find(const tacho_roof_links *links, uint64_t serial);

#endif
