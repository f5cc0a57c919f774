/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories of spans that sources write and analyses look for.
 */
#ifndef TACHO_PROFILE_CATEGORIES_H
#define TACHO_PROFILE_CATEGORIES_H

/* Of a phase that is all of one inference, the wait for its first launch included. */
#define TACHO_CATEGORY_INFERENCE "inference"

/*
 * Of a whole operator on a device, from its first to its last kernel on any core; the cores' work
 * for it is on other tracks of the device.
 */
#define TACHO_CATEGORY_OPERATOR "op execution"

#endif
