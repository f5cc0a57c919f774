/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of several files. A range that only one of their samples has ("request 4711") is not a
 * layer of the model: operators in it belong to the layer around it.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_JOIN_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_JOIN_H

#include "questions/samples/samples.h"

/* The samples in which something was seen: one of these, or the number of the only sample plus
 * one. */
#define TACHO_SEEN_NEVER UINT32_C(0)
#define TACHO_SEEN_OFTEN UINT32_MAX

/* Adds |what| to |seen|. */
static inline void tacho_see(uint32_t *seen, uint32_t what)
{
    bool is_more = *seen != TACHO_SEEN_NEVER && what != TACHO_SEEN_NEVER && *seen != what;
    *seen = is_more ? TACHO_SEEN_OFTEN : *seen != TACHO_SEEN_NEVER ? *seen : what;
}

/* Call it after all files; no more can be added afterwards. */
tacho_status tacho_samples_join_layers(tacho_samples *samples) TACHO_MUST_USE;

/* Merges operators that now have the same name, location and layer. */
tacho_status tacho_samples_join_same(tacho_samples *samples) TACHO_MUST_USE;

/*
 * Removes layers if only one side has them: a kernel of all layers has no counterpart in a single
 * one.
 */
tacho_status tacho_samples_level_layers(tacho_samples sides[2]) TACHO_MUST_USE;

#endif
