/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile in memory, pushed to an analysis that takes rows part by part. The run of each span is
 * its number in the profile.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_REPLAY_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_REPLAY_H

#include "profile/profile.h"

/* Omits spans of sites that are set in |skips| (by site; may be NULL). */
tacho_status tacho_sample_replay(const tacho_profile *profile, const bool *skips,
                                 tacho_events *to) TACHO_MUST_USE;

#endif
