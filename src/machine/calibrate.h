/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the computer at hand, as what compiled C reaches on it, and writes its description.
 */
#ifndef TACHO_MACHINE_CALIBRATE_H
#define TACHO_MACHINE_CALIBRATE_H

#include "base/output.h"

/* Takes a second or two. */
tacho_status tacho_machine_calibrate(tacho_output *output) TACHO_MUST_USE;

#endif
