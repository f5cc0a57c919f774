/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and suffixes to sinks.
 */
#include "cli/outputs.h"

#include "cli/common_options.h"

#include <string.h>
#include <unistd.h>

/* |own| is a format that the command knows besides; NULL: none. */
static const tacho_table_sink *find_format(const tacho_command *command, const char *name,
                                           const tacho_table_sink *own)
{
    if (own != NULL && strcmp(name, own->name) == 0) {
        return own;
    }
    const tacho_table_sink *sink = tacho_table_sink_find(tacho_str_from_cstring(name));
    if (sink == NULL) {
        char names[TACHO_TABLE_SINK_NAMES_BYTES];
        tacho_table_sink_names(names);
        tacho_command_misuse(command, "--format: unknown format '%s'; use one of %s%s%s", name,
                             names, own != NULL ? ", " : "", own != NULL ? own->name : "");
    }
    return sink;
}

const tacho_table_sink *tacho_cli_table_format(const tacho_command *command, const char *name)
{
    return find_format(command, name, NULL);
}

const tacho_table_sink *tacho_cli_table_sink_or(const tacho_arguments *arguments, const char *path,
                                                const tacho_table_sink *own)
{
    const char *format = tacho_common_format(arguments);
    if (format != NULL) {
        return find_format(arguments->command, format, own);
    }
    if (own != NULL && tacho_table_sink_has_suffix(own, path)) {
        return own;
    }
    const tacho_table_sink *sink = tacho_table_sink_find_for_path(tacho_str_from_cstring(path));
    if (sink == NULL) {
        tacho_command_misuse(
            arguments->command,
            "%s: unknown table suffix; use .txt, .csv, .json, .xlsx%s%s or .parquet, or "
            "--format",
            path, own != NULL ? ", " : "", own != NULL ? own->suffix : "");
    }
    return sink;
}

const tacho_table_sink *tacho_cli_table_sink(const tacho_arguments *arguments, const char *path)
{
    return tacho_cli_table_sink_or(arguments, path, NULL);
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
