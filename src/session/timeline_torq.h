/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The estimated timeline of a compilation in the text forms of Torq's compiler.
 */
#ifndef TACHO_SESSION_TIMELINE_TORQ_H
#define TACHO_SESSION_TIMELINE_TORQ_H

#include "compile/timeline.h"
#include "sinks/torq/timeline.h"

tacho_status tacho_session_write_torq_timeline(const tacho_timeline *timeline,
                                               tacho_torq_timeline_form form,
                                               tacho_output *output) TACHO_MUST_USE;

#endif
