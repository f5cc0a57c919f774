/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the name of a range says about whether it is a step.
 */
#ifndef TACHO_PROFILE_STEP_NAMES_H
#define TACHO_PROFILE_STEP_NAMES_H

#include "base/str.h"

#include <stdbool.h>

/* "step_" of "step_12". */
tacho_str tacho_step_stem(tacho_str name);

/* Whether a word of |name| says that it is a step: "train_step", "TrainStep", "iteration 3". */
bool tacho_step_has_word(tacho_str name);

/* Whether |name| is that of a range which PyTorch draws without being asked. */
bool tacho_step_is_of_framework(tacho_str name);

#endif
