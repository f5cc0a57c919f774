/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is behind a tacho_view: for its accessors and their tests.
 */
#ifndef TACHO_API_PROFILE_VIEW_H
#define TACHO_API_PROFILE_VIEW_H

#include "profile/profile.h"

#include <tacho/profile.h>

struct tacho_view {
    tacho_dict dict;
    tacho_profile profile;
};

#endif
