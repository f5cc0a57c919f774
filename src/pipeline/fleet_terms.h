/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms of a part: what its numbers depend on beyond the bytes of the profile. They are texts,
 * and equal texts mean that the part would be made the same again. A part keeps them in its head
 * (questions/fleet/fleet.h), so that it is known when it has to be made anew, and which questions
 * it cannot answer.
 */
#ifndef TACHO_PIPELINE_FLEET_TERMS_H
#define TACHO_PIPELINE_FLEET_TERMS_H

#include "pipeline/fleet.h"

enum { TACHO_FLEET_TERM_BYTES = 4608 }; /* room for a path, and some words */

typedef struct tacho_fleet_terms {
    char window[64];                      /* "0..1000000 ns"; empty: the whole profile */
    char reading[TACHO_FLEET_TERM_BYTES]; /* "clock 800 MHz"; empty: as files are recognised */
    char profile[TACHO_FLEET_TERM_BYTES]; /* its size, when it was changed, the run by its name */
} tacho_fleet_terms;

/* The terms on which |job| reads |path|. */
void tacho_fleet_terms_init(tacho_fleet_terms *terms, const tacho_fleet_job *job, const char *path);

/* Keeps them in |fleet|. */
tacho_status tacho_fleet_terms_put(const tacho_fleet_terms *terms,
                                   tacho_fleet *fleet) TACHO_MUST_USE;

/* A failure that says why |part|, read from |path|, cannot stand for its profile on these terms.
 * Where nothing is said about reading, it may have been read in any way. */
tacho_status tacho_fleet_terms_check(const tacho_fleet_terms *terms, const tacho_fleet *part,
                                     const char *path) TACHO_MUST_USE;

/* Whether |part| was made on exactly these. */
bool tacho_fleet_terms_are_of(const tacho_fleet_terms *terms, const tacho_fleet *part);

#endif
