/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of several files. A range that only one of their samples has ("request 4711") is no layer
 * of the model: operators in it are those of the layer around it.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_JOIN_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_JOIN_H

#include "questions/samples/samples.h"

/* In which samples something was seen: one of these, else the number of the only one plus one. */
#define TACHO_SEEN_NEVER UINT32_C(0)
#define TACHO_SEEN_OFTEN UINT32_MAX

/* It was also seen in |what|. */
static inline void tacho_see(uint32_t *seen, uint32_t what)
{
    bool is_more = *seen != TACHO_SEEN_NEVER && what != TACHO_SEEN_NEVER && *seen != what;
    *seen = is_more ? TACHO_SEEN_OFTEN : *seen != TACHO_SEEN_NEVER ? *seen : what;
}

/* When all files are added: nothing can be added afterwards. */
tacho_status tacho_samples_join_layers(tacho_samples *samples) TACHO_MUST_USE;

/* Operators that have the same name, location and layer by now become one. */
tacho_status tacho_samples_join_same(tacho_samples *samples) TACHO_MUST_USE;

/*
 * Where only one side knows layers, they are left out: a kernel of all layers has no counterpart
 * that is of one.
 */
tacho_status tacho_samples_level_layers(tacho_samples sides[2]) TACHO_MUST_USE;

#endif
