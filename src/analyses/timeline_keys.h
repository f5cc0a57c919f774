/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the arguments that join calls to work.
 */
#ifndef TACHO_ANALYSES_TIMELINE_KEYS_H
#define TACHO_ANALYSES_TIMELINE_KEYS_H

#include "analyses/timeline.h"

tacho_status tacho_timeline_find_keys(tacho_timeline *timeline) TACHO_MUST_USE;

#endif
