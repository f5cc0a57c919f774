/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of tacho opstats and of the drop-in name that does the same.
 */
#ifndef TACHO_CLI_OPSTATS_OPTIONS_H
#define TACHO_CLI_OPSTATS_OPTIONS_H

#include "cli/command.h"
#include "session/opstats.h"

/* Chooses and does: what tacho opstats and the drop-in run. */
int tacho_opstats_command_run(const tacho_arguments *arguments);

/*
 * Takes the options that tacho opstats and the drop-in share. Returns the exit status of a command
 * that cannot run, and said so; TACHO_EXIT_DONE where it can.
 * The lists of |out_request->view| are to be freed with tacho_opstats_request_deinit in any case.
 */
int tacho_opstats_choose(const tacho_arguments *arguments, tacho_opstats_request *out_request);
void tacho_opstats_request_deinit(tacho_opstats_request *request);

#endif
