/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of tacho opstats and of the drop-in name that does the same.
 */
#ifndef TACHO_CLI_OPSTATS_OPTIONS_H
#define TACHO_CLI_OPSTATS_OPTIONS_H

#include "cli/command.h"
#include "vendors/qaic/opstats.h"

/* Chooses and does: what tacho opstats and the drop-in run. */
int tacho_opstats_command_run(const tacho_arguments *arguments);

#endif
