/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The taker of a timeline's first pass, which only fills the windows of its steps.
 */
#ifndef TACHO_QUESTIONS_TIMELINE_TIMELINE_WINDOWS_H
#define TACHO_QUESTIONS_TIMELINE_TIMELINE_WINDOWS_H

#include "questions/timeline/timeline.h"

tacho_timeline_taker tacho_timeline_windows_taker(tacho_timeline *timeline);

#endif
