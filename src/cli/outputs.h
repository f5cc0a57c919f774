/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of an output, the same for all commands: the one that an option names, else that of
 * the path's suffix. Functions print what is wrong as a usage error, and return NULL or false then.
 */
#ifndef TACHO_CLI_OUTPUTS_H
#define TACHO_CLI_OUTPUTS_H

#include "cli/command.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"

/* The table format called |name|. */
const tacho_table_sink *tacho_cli_table_format(const tacho_command *command, const char *name);

/* The table format of --format, --json or --csv, or of the suffix of |path|. */
const tacho_table_sink *tacho_cli_table_sink(const tacho_arguments *arguments, const char *path);

/* The same, for a command that knows the format |own| besides; NULL: none. */
const tacho_table_sink *tacho_cli_table_sink_or(const tacho_arguments *arguments, const char *path,
                                                const tacho_table_sink *own);

/*
 * The trace format that --|option| names, or that of the suffix of |path|. |others| are formats
 * that the command knows besides, "t1, t4 or "; "": none.
 */
const tacho_trace_sink *tacho_cli_trace_sink(const tacho_arguments *arguments, const char *option,
                                             const char *path, const char *others);

/* Whether |path| can take bytes: a terminal cannot. */
bool tacho_cli_takes_bytes(const tacho_command *command, const char *path);

/* Where tables go. */
#define TACHO_OPTION_OUTPUT TACHO_OPTION_OUTPUT_AND(0)

/* The same of verbs that write more than tables. */
#define TACHO_OPTION_OUTPUT_AND(kinds)                                                             \
    TACHO_OPT_VALUE("output", 'o', "OUT",                                                          \
                    "write to OUT instead of standard output; .gz or .zst compresses",             \
                    .writes = TACHO_WRITES_TABLE | (kinds)),                                       \
        TACHO_OPTION_FORCE

#endif
