/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that say how to read inputs. What is wrong is printed as a usage error, and false
 * returned.
 */
#ifndef TACHO_CLI_VALUES_H
#define TACHO_CLI_VALUES_H

#include "cli/command.h"
#include "sources/source.h"

/* Fills what --clock-mhz, --num-slices and --program say. */
bool tacho_value_source_options(const tacho_arguments *arguments,
                                tacho_source_options *out_options);

/* Sets |*out_ns| if |option| is given: seconds, or a duration with its unit. */
bool tacho_cli_seconds(const tacho_arguments *arguments, const char *option, int64_t *out_ns);

#endif
