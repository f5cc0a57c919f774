/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule for files that options name as outputs, the same for all verbs: the suffix must not
 * belong to another kind of file, and a file that tacho did not write is replaced only with --force
 * or after a yes on the terminal. Options declare what they write (tacho_option.writes).
 */
#ifndef TACHO_CLI_OUTPUT_GUARD_H
#define TACHO_CLI_OUTPUT_GUARD_H

#include "cli/command.h"

/* Checks all outputs that were named. Prints why one is refused; returns the exit status then. */
int tacho_output_guard_check(const tacho_arguments *arguments);

/* Checks |path|, an output that |option| writes to by default. */
int tacho_output_guard_check_path(const tacho_arguments *arguments, const tacho_option *option,
                                  const char *path);

#endif
