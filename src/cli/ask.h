/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that mean the same in every command: --color, --memory, --format with --json and --csv,
 * --quiet, --verbose.
 */
#ifndef TACHO_CLI_ASK_H
#define TACHO_CLI_ASK_H

#include "cli/command.h"

/*
 * Checks that they do not contradict each other and puts --color and --memory into effect. Prints
 * what is wrong; returns TACHO_OUTCOME_DONE or the exit status of a command that cannot run.
 */
int tacho_common_options_apply(const tacho_arguments *arguments);

#endif
