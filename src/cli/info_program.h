/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info of programs: containers that compilers wrote.
 */
#ifndef TACHO_CLI_INFO_PROGRAM_H
#define TACHO_CLI_INFO_PROGRAM_H

#include "cli/command.h"

/*
 * Whether |path| is a file that says it is a container. Pipes are not asked: what is read from them
 * is gone.
 */
bool tacho_info_is_program(const char *path);

/* Prints what the containers |paths| hold; returns the exit code. */
int tacho_info_programs(const tacho_arguments *arguments, const char *const *paths,
                        size_t path_count);

#endif
