/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises from the name of a range whether it is a step.
 */
#ifndef TACHO_PROFILE_STEP_NAMES_H
#define TACHO_PROFILE_STEP_NAMES_H

#include "base/str.h"

#include <stdbool.h>

/* "step_" of "step_12", "iteration " of "iteration 3/10". */
tacho_str tacho_step_stem(tacho_str name);

/* The number that follows the stem; false where there is none. */
bool tacho_step_number(tacho_str name, uint64_t *out_number);

/* Whether |name| has a word for a step: "train_step", "TrainStep", "iteration 3"; not
 * "batch_norm". */
bool tacho_step_has_word(tacho_str name);

/*
 * The part of |name| that locates a range in the model: "forward" of "step 3: forward",
 * "train_step" of "train_step_3". Empty where the name is only that of a step: "step_3".
 */
tacho_str tacho_step_layer(tacho_str name);

/* Whether |name| is that of a range which PyTorch draws without being asked. */
bool tacho_step_is_of_framework(tacho_str name);

#endif
