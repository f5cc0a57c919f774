/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as the options of tacho run describe it.
 */
#ifndef TACHO_CLI_RUN_CHOSEN_H
#define TACHO_CLI_RUN_CHOSEN_H

#include "cli/run_options.h"

/* Runs it, writes its files and prints its tables; an exit code. */
int tacho_run_chosen(const tacho_run_choice *choice);

#endif
