/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and suffixes to sinks.
 */
#include "cli/outputs.h"

#include "cli/common_options.h"

#include <unistd.h>

const tacho_table_sink *tacho_cli_table_format(const tacho_command *command, const char *name)
{
    const tacho_table_sink *sink = tacho_table_sink_find(tacho_str_from_cstring(name));
    if (sink == NULL) {
        char names[TACHO_TABLE_SINK_NAMES_BYTES];
        tacho_table_sink_names(names);
        tacho_command_misuse(command, "--format: unknown format '%s'; use one of %s", name, names);
    }
    return sink;
}

const tacho_table_sink *tacho_cli_table_sink(const tacho_arguments *arguments, const char *path)
{
    const char *format = tacho_common_format(arguments);
    if (format != NULL) {
        return tacho_cli_table_format(arguments->command, format);
    }
    const tacho_table_sink *sink = tacho_table_sink_find_for_path(tacho_str_from_cstring(path));
    if (sink == NULL) {
        tacho_command_misuse(
            arguments->command,
            "%s: unknown table suffix; use .txt, .csv, .json, .xlsx or .parquet, or "
            "--format",
            path);
    }
    return sink;
}

const tacho_trace_sink *tacho_cli_trace_sink(const tacho_arguments *arguments, const char *option,
                                             const char *path, const char *others)
{
    const char *format = tacho_arguments_value(arguments, option);
    const tacho_trace_sink *sink =
        format != NULL ? tacho_trace_sink_find(tacho_str_from_cstring(format))
                       : tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
    if (sink == NULL && format != NULL) {
        tacho_command_misuse(arguments->command,
                             "--%s: unknown format '%s'; use %sa trace format of 'tacho help "
                             "formats'",
                             option, format, others);
    } else if (sink == NULL) {
        tacho_command_misuse(arguments->command,
                             "'%s' has no known trace suffix; use one such as .pb, or --%s FORMAT",
                             path, option);
    }
    return sink;
}

bool tacho_cli_takes_bytes(const tacho_command *command, const char *path)
{
    bool is_terminal = strcmp(path, "-") == 0 && isatty(STDOUT_FILENO) == 1;
    if (is_terminal) {
        tacho_command_misuse(
            command,
            "refusing to write binary data to a terminal; redirect standard output or use -o FILE");
    }
    return !is_terminal;
}
