/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata of a capture of one rank among many: its identity, and how its clock relates to the time
 * of day. The capture writes it, fleets read it.
 */
#ifndef TACHO_PROFILE_CAPTURE_FACTS_H
#define TACHO_PROFILE_CAPTURE_FACTS_H

#define TACHO_CAPTURE_RUN "capture.run"
#define TACHO_CAPTURE_HOST "capture.host"
#define TACHO_CAPTURE_RANK "capture.rank"
#define TACHO_CAPTURE_WORLD_SIZE "capture.world_size"
#define TACHO_CLOCK_OFFSET "clock.realtime_minus_monotonic_ns"
#define TACHO_CLOCK_ERROR "clock.error_ns"
#define TACHO_CLOCK_STEP "clock.step_ns"

#endif
