/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the speed of compiled C on this computer, and writes its description.
 */
#ifndef TACHO_MACHINE_CALIBRATE_H
#define TACHO_MACHINE_CALIBRATE_H

#include "base/arena.h"

/* Takes half a second (|is_quick|), or one or two. The description is in |arena|. */
tacho_status tacho_machine_calibrate(bool is_quick, tacho_arena *arena,
                                     tacho_str *out_text) TACHO_MUST_USE;

#endif
