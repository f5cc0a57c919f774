/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of options: durations, time windows, facts about inputs. Functions that take the arguments
 * print what was wrong as a usage error; all return false then.
 */
#ifndef TACHO_CLI_VALUES_H
#define TACHO_CLI_VALUES_H

#include "cli/command.h"
#include "sources/source.h"

/* "250", "1.5us", "20ms", "3s": exact nanoseconds; a bare number is ns. */
bool tacho_value_duration(tacho_str text, int64_t *out_ns);

/* "A..B" with either end optional. */
bool tacho_value_window(tacho_str text, int64_t *out_begin_ns, int64_t *out_end_ns);

/* Fills what --clock-mhz, --num-slices and --program say. */
bool tacho_value_source_options(const tacho_arguments *arguments,
                                tacho_source_options *out_options);

#endif
