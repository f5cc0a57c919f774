/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format that a part of a profile was read from, or was converted from by tacho earlier.
 */
#ifndef TACHO_PROFILE_PART_FORMAT_H
#define TACHO_PROFILE_PART_FORMAT_H

#include "profile/dict.h"

/* Whether the name of the format of |part| begins with |prefix|. */
bool tacho_part_is_of_format(const tacho_dict *dict, uint32_t part, tacho_str prefix);

#endif
