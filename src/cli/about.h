/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho FILE: says what a file is and which commands read it.
 */
#ifndef TACHO_CLI_ABOUT_H
#define TACHO_CLI_ABOUT_H

#include <stdbool.h>

/* Whether |word|, which is no command, names a file or directory. */
bool tacho_about_applies(const char *word);

/* Describes each path on standard output; returns the exit status. */
int tacho_about_run(int word_count, char **words);

#endif
