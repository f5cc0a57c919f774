/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule for files that options name as outputs, the same for all requests: the suffix must not
 * belong to another kind of file, and a file that tacho did not write is replaced only by force, or
 * if the listener allows it. Options declare what they write (tacho_option.writes). Without a
 * listener that can be asked there is no such rule.
 */
#ifndef TACHO_API_REQUESTS_OUTPUT_GUARD_H
#define TACHO_API_REQUESTS_OUTPUT_GUARD_H

#include "api/requests/options.h"

/* Checks all outputs that were named; the outcome. */
int tacho_output_guard_check(tacho_request *given);

/* Checks |path|, an output that |option| writes to by default. */
int tacho_output_guard_check_path(tacho_request *given, const tacho_option *option,
                                  const char *path);

#endif
