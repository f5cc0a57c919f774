/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators whose time is far from the one that the others suggest: the estimate is wrong there, or
 * something else happened while they ran. Either way the fitted clock is not reliable.
 */
#ifndef TACHO_ESTIMATES_OUTLIERS_H
#define TACHO_ESTIMATES_OUTLIERS_H

#include "estimates/compare.h"

enum { TACHO_RUN_OUTLIERS_TEXT = 400 };

/*
 * Writes one sentence that names the worst; "" if there are none. Only operators with at least 1 %
 * of the time, estimated or measured, count, and there must be four or more.
 */
void tacho_run_outliers_print(const tacho_run_compare *compare, char *to, size_t size);

#endif
