/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories of spans that sources write and analyses look for.
 */
#ifndef TACHO_PROFILE_CATEGORIES_H
#define TACHO_PROFILE_CATEGORIES_H

/* Of a phase that is all of one inference, the wait for its first launch included. */
#define TACHO_CATEGORY_INFERENCE "inference"

#endif
