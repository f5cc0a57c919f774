/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that tacho run and the drop-in names that run share. What is wrong is printed as a usage
 * error.
 */
#ifndef TACHO_CLI_RUN_OPTIONS_H
#define TACHO_CLI_RUN_OPTIONS_H

#include "cli/command.h"
#include "session/device.h"
#include "session/session.h"

/* A whole number from |least| to |most|; |*value| stays where the option is absent. */
bool tacho_run_choose_count(const tacho_arguments *arguments, const char *option, uint64_t least,
                            uint64_t most, uint64_t *value);

/* The values of a repeated option as a list, to be freed; NULL when there is no memory: said so. */
const char **tacho_run_choose_list(const tacho_arguments *arguments, const char *option,
                                   size_t *out_count);

/*
 * The device that --device and --machine name. Returns the exit status of a command that cannot
 * run: they differ, or there is no memory, and said so. TACHO_EXIT_DONE where it can.
 */
int tacho_run_choose_device(const tacho_arguments *arguments, tacho_arena *arena,
                            const char **out_device);

/* Whether no option is there that another one, or |device|, makes void; says which otherwise. */
bool tacho_run_check_options(const tacho_arguments *arguments, const char *device);

#endif
