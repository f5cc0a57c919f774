/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of tacho compile that need a machine to be understood, and those about outputs. What
 * is wrong is printed as a usage error.
 */
#ifndef TACHO_CLI_COMPILE_OPTIONS_H
#define TACHO_CLI_COMPILE_OPTIONS_H

#include "cli/command.h"
#include "cli/compile_run.h"

#define TACHO_COMPILE_DEFAULT_MACHINE "torq-sl2610"

/* --machine and --torq-hw, and what is chosen on it; 0 when all is well, else the exit code. */
int tacho_compile_choose_machine(const tacho_arguments *arguments, tacho_arena *arena,
                                 tacho_compile_request *request);

/* Tables and profile: where, in which format, which rows; false when one is wrong. */
bool tacho_compile_choose_outputs(const tacho_arguments *arguments, tacho_compile_request *request);

#endif
