/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that say how to read inputs. What is wrong is printed as a usage error, and false
 * returned.
 */
#ifndef TACHO_API_REQUESTS_VALUES_H
#define TACHO_API_REQUESTS_VALUES_H

#include "api/requests/options.h"
#include "sources/source.h"

/* Fills what --clock-mhz, --num-slices and --program say. */
bool tacho_value_source_options(tacho_request *given, tacho_source_options *out_options);

/* Sets |*out_ns| if |option| is given: seconds, or a duration with its unit. */
bool tacho_request_seconds(tacho_request *given, const char *option, int64_t *out_ns);

#endif
