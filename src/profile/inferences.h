/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inferences of one program that are parts of a file, as 'tacho run' writes them: each part has one
 * numbered run, and they follow one another.
 */
#ifndef TACHO_PROFILE_INFERENCES_H
#define TACHO_PROFILE_INFERENCES_H

#include "profile/dict.h"

typedef struct tacho_inferences {
    uint32_t *firsts; /* by part: the first inference of its program; the part itself else */
    uint32_t *counts; /* by part: how many there are, of the first one; 0 of the others */
    uint32_t *names;  /* by part, string: name of its run, TACHO_NONE where it is not one run */
} tacho_inferences;

/* Deinitialised always. */
tacho_status tacho_inferences_init(tacho_inferences *of, const tacho_dict *dict) TACHO_MUST_USE;
void tacho_inferences_deinit(tacho_inferences *of);

#endif
