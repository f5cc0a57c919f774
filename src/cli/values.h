/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of options: durations, time windows, inputs. Functions that take the arguments print
 * what was wrong as a usage error; all return false then.
 */
#ifndef TACHO_CLI_VALUES_H
#define TACHO_CLI_VALUES_H

#include "pipeline/intake.h"
#include "cli/command.h"
#include "profile/select.h"

/* "250", "1.5us", "20ms", "3s": exact nanoseconds; a bare number is ns. */
bool tacho_value_duration(tacho_str text, int64_t *out_ns);

/* "A..B" with either end optional. */
bool tacho_value_window(tacho_str text, int64_t *out_begin_ns, int64_t *out_end_ns);

/* Fills what --clock-mhz, --num-slices and --program say. */
bool tacho_value_source_options(const tacho_arguments *arguments,
                                tacho_source_options *out_options);

/*
 * Fills |inputs| with one input per plain word, read as --from says. |inputs| has room for as
 * many as there are arguments.
 */
bool tacho_value_inputs(const tacho_arguments *arguments, tacho_intake_input *inputs,
                        tacho_intake *out_intake);

#endif
