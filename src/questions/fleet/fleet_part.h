/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts: a fleet as a file (.tpart), in chunks (codec/chunk.h). It is written in the order of its
 * keys, so equal fleets are equal bytes. A part that is cut, damaged or of another version is
 * refused as a whole: a partial sum would be wrong.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_PART_H
#define TACHO_QUESTIONS_FLEET_FLEET_PART_H

#include "questions/fleet/fleet.h"
#include "base/output.h"

enum { TACHO_FLEET_PART_VERSION = 2 };

/* Whether |head|, the first bytes of a file, begins a part. */
bool tacho_fleet_is_part(tacho_str head);

/* Settles and writes |fleet|. */
tacho_status tacho_fleet_write(tacho_fleet *fleet, tacho_output *output) TACHO_MUST_USE;

/* Reads all of |bytes| into a new fleet; deinitialise it even after a failure. */
tacho_status tacho_fleet_read(tacho_fleet *fleet, tacho_str bytes) TACHO_MUST_USE;

#endif
