/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracy's protocol as a way to capture: programs that are instrumented with it, unmodified.
 */
#ifndef TACHO_CAPTURE_WAY_TRACY_H
#define TACHO_CAPTURE_WAY_TRACY_H

#include "capture/way.h"

extern const tacho_way_type tacho_way_tracy;

#endif
