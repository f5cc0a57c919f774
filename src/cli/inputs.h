/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of a verb, the same for all: plain words are files, directories or standard input. A
 * directory stands for the files in it, and --from says how to read them.
 */
#ifndef TACHO_CLI_INPUTS_H
#define TACHO_CLI_INPUTS_H

#include "cli/command.h"
#include "pipeline/input_list.h"
#include "pipeline/intake.h"

typedef struct tacho_cli_inputs {
    tacho_input_list list;
    tacho_intake_input *inputs; /* one per path of |list| */
    size_t skipped_count;       /* removed by tacho_cli_inputs_skip */
} tacho_cli_inputs;

/* What the verb says about its words. */
typedef struct tacho_cli_inputs_options {
    size_t first_word;       /* those before it are not inputs */
    size_t word_end;         /* nor is this one, or those behind it; 0: all are */
    const char *output_path; /* not an input, although it may lie in a directory that is */
    bool keeps_debug_info;   /* a directory of debug information is one input */
    bool keeps_empty;        /* so is one without files; else it is refused */
    const tacho_source *const *accepted; /* NULL: any format */
} tacho_cli_inputs_options;

/*
 * Fills |out_intake| with the inputs that |arguments| name. Prints what is wrong, and returns
 * TACHO_EXIT_DONE or the exit status of a command that cannot run. Close it even after a failure.
 */
int tacho_cli_inputs_open(tacho_cli_inputs *inputs, const tacho_arguments *arguments,
                          const tacho_cli_inputs_options *options, tacho_intake *out_intake);
void tacho_cli_inputs_close(tacho_cli_inputs *inputs);

/*
 * Of the files of directories, removes those that cannot be opened or have no known format, and
 * says so. A failure when no input is left.
 */
tacho_status tacho_cli_inputs_skip(tacho_cli_inputs *inputs, const tacho_arguments *arguments,
                                   tacho_intake *intake) TACHO_MUST_USE;

/* Says that symbolic links of directories, which lead out of them, are skipped. */
void tacho_cli_inputs_say_links(tacho_cli_inputs *inputs);

/* The source that --from names, NULL for none; false when it is unknown: said so. */
bool tacho_cli_inputs_source(const tacho_arguments *arguments, const tacho_source **out_source);

#endif
