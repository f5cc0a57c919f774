/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations and time windows as people write them, in exact nanoseconds.
 */
#ifndef TACHO_BASE_DURATION_H
#define TACHO_BASE_DURATION_H

#include "base/str.h"

/* "250", "1.5us", "20ms", "3s"; a bare number is ns. False when it is none, or too large. */
bool tacho_duration_parse(tacho_str text, int64_t *out_ns);

enum { TACHO_DURATION_TEXT_MAX = 48 };

/* "17.071 ms", "250 ns": three decimals, to the nearest. */
void tacho_duration_format(int64_t ns, char out_text[TACHO_DURATION_TEXT_MAX]);

/* "A..B" with either end optional; A is before B. */
bool tacho_window_parse(tacho_str text, int64_t *out_begin_ns, int64_t *out_end_ns);

#endif
