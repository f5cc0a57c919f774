/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of a verb, the same for all: plain words are files, directories or standard input. A
 * directory stands for the files in it, and --from says how to read them.
 */
#ifndef TACHO_CLI_INPUTS_H
#define TACHO_CLI_INPUTS_H

#include "cli/command.h"
#include "pipeline/input_set.h"

/* What the verb says about its words. */
typedef struct tacho_cli_inputs_options {
    size_t first_word; /* those before it are not inputs */
    size_t word_end;   /* nor is this one, or those behind it; 0: all are */
    tacho_input_set_options set;
} tacho_cli_inputs_options;

/*
 * Fills |out_intake| with the inputs that |arguments| name. Prints what is wrong, and returns
 * TACHO_EXIT_DONE or the exit status of a command that cannot run. Close |set| even after a
 * failure.
 */
int tacho_cli_inputs_open(tacho_input_set *set, const tacho_arguments *arguments,
                          const tacho_cli_inputs_options *options, tacho_intake *out_intake);

/* Prints which file of a directory is skipped, and why. */
extern const tacho_input_skips tacho_cli_skips;

/* The source that --from names, NULL for none; false when it is unknown: said so. */
bool tacho_cli_inputs_source(const tacho_arguments *arguments, const tacho_source **out_source);

#endif
