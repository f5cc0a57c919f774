/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of JSON numbers, from their text. All take any text and are false when it is not a
 * number as RFC 8259 writes it, so that a number in a string can be tried too.
 */
#ifndef TACHO_CODEC_JSON_NUMBER_H
#define TACHO_CODEC_JSON_NUMBER_H

#include "base/str.h"

/* The value when it is a whole number, however written (12, 12.0, 1.2e1), and fits; exact. */
bool tacho_json_number_i64(tacho_str text, int64_t *out_value);

/*
 * The value times 10^|decimals|, rounded to the nearest whole number, halves towards positive
 * infinity: of microseconds with 3 decimals, nanoseconds. No digit is lost on the way, however
 * many there are. False also when the result does not fit.
 */
bool tacho_json_number_scaled(tacho_str text, unsigned decimals, int64_t *out_value);

/* The nearest double, ties to even. False also when it would be infinite. */
bool tacho_json_number_double(tacho_str text, double *out_value);

#endif
