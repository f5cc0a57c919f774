/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the arguments that join calls to work.
 */
#ifndef TACHO_QUESTIONS_TIMELINE_TIMELINE_KEYS_H
#define TACHO_QUESTIONS_TIMELINE_TIMELINE_KEYS_H

#include "questions/timeline/timeline.h"

tacho_status tacho_timeline_find_keys(tacho_timeline *timeline) TACHO_MUST_USE;

#endif
