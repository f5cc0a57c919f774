/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing JSON: strings that every parser accepts, numbers that are numbers.
 */
#ifndef TACHO_CODEC_JSON_H
#define TACHO_CODEC_JSON_H

#include "base/output.h"

/* Writes |text| in quotes; control characters are escaped, bad UTF-8 becomes U+FFFD. */
void tacho_json_write_string(tacho_output *output, tacho_str text);

/* The same without quotes: a piece of a string. */
void tacho_json_write_text(tacho_output *output, tacho_str text);

void tacho_json_write_int(tacho_output *output, int64_t value);
void tacho_json_write_uint(tacho_output *output, uint64_t value);

/* Writes a finite number with all its digits, anything else as null. */
void tacho_json_write_real(tacho_output *output, double value);

/* The same for a value whose type means nothing: a whole number has no point. */
void tacho_json_write_number(tacho_output *output, double value);

#endif
