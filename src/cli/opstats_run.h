/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding raw stats: finds the files of a folder by their names, reads each against the program,
 * and writes summaries, traces and roll-ups. A file that cannot be read is named and passed over.
 */
#ifndef TACHO_CLI_OPSTATS_RUN_H
#define TACHO_CLI_OPSTATS_RUN_H

#include "cli/command.h"
#include "analyses/opstats_rollup.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"
#include "sources/stats/stats.h"

typedef struct tacho_opstats_request {
    const tacho_arguments *arguments;
    const char *program_path;
    const char *input_path; /* a folder, or one file */
    const char *output_folder;
    const char *host_path; /* NULL: none */
    bool wants_summary, wants_trace;
    bool merges_devices;
    bool is_verbose, is_quiet;
    tacho_stats_view view;
    const tacho_table_sink *table_sink; /* NULL: the vendor's text */
    const tacho_trace_sink *trace_sink;
    tacho_rollup_kind rollup; /* TACHO_ROLLUP_NONE: none */
} tacho_opstats_request;

/* Does it and returns the exit code: 3 when a file could not be read, or not all of it. */
int tacho_opstats_run(const tacho_opstats_request *request);

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
