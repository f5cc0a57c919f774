/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that mean the same in every verb: --format with --json and --csv, --color, --quiet,
 * --verbose. Their tables are in command.h.
 */
#ifndef TACHO_CLI_COMMON_OPTIONS_H
#define TACHO_CLI_COMMON_OPTIONS_H

#include "cli/command.h"
#include "cli/talk.h"

/*
 * Checks that they do not contradict each other and puts --color into effect. Prints what is wrong,
 * and returns TACHO_EXIT_DONE or the exit status of a command that cannot run.
 */
int tacho_common_options_apply(const tacho_arguments *arguments);

/* The table format that was asked for, or NULL: the value of --format, or that of a short form. */
const char *tacho_common_format(const tacho_arguments *arguments);

/* What --quiet and --verbose say. */
tacho_talk_level tacho_common_talk_level(const tacho_arguments *arguments);

#endif
