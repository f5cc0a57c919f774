/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of spans of a profile in memory.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_ARGS_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_ARGS_H

#include "profile/profile.h"

/* The argument of |span| with |key|; NULL if there is none or |key| is TACHO_NONE. */
const tacho_arg *tacho_sample_arg(const tacho_profile *profile, const tacho_span *span,
                                  uint32_t key);

/* A hash, never 0, of the value of |arg|, which is one of |profile|, including its contents. */
uint32_t tacho_sample_arg_hash(const tacho_profile *profile, const tacho_arg *arg);

#endif
