/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations as traces carry them: any text is a place, and a location printed by MLIR has a file
 * and line, too.
 */
#ifndef TACHO_PROFILE_LOCATIONS_H
#define TACHO_PROFILE_LOCATIONS_H

#include "profile/dict.h"

/* Files the location that the string |text| of |dict| is. */
tacho_status tacho_location_file(tacho_dict *dict, uint32_t text,
                                 uint32_t *out_location) TACHO_MUST_USE;

#endif
