/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completions for shells, printed from the command tables.
 */
#ifndef TACHO_CLI_COMPLETION_H
#define TACHO_CLI_COMPLETION_H

#include <stdbool.h>

/* Prints the script for |shell|: bash, zsh or fish; false for another. */
bool tacho_completion_print(const char *shell);

#endif
