/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs of a diff.
 */
#include "cli/diff_outputs.h"

#include "cli/outputs.h"
#include "sinks/verdicts.h"

/* Formats of gates are this command's own; all others are those of every command. */
static const tacho_table_sink *find_sink(const tacho_arguments *arguments, const char *path)
{
    const char *format = tacho_arguments_value(arguments, "format");
    if (format != NULL && strcmp(format, "github") == 0) {
        return &tacho_table_sink_github;
    }
    bool is_junit = format != NULL
                        ? strcmp(format, "junit") == 0
                        : tacho_str_ends_with(tacho_str_from_cstring(path), TACHO_STR(".xml"));
    if (!is_junit && format != NULL &&
        tacho_table_sink_find(tacho_str_from_cstring(format)) == NULL) {
        char names[TACHO_TABLE_SINK_NAMES_BYTES];
        tacho_table_sink_names(names);
        tacho_command_misuse(arguments->command,
                             "--format: unknown format '%s'; use one of %s, %s, %s", format, names,
                             tacho_table_sink_github.name, tacho_table_sink_junit.name);
        return NULL;
    }
    return is_junit ? &tacho_table_sink_junit : tacho_cli_table_sink(arguments, path);
}

/* --also: a file of its own, whose suffix says the format. */
static int add_output(tacho_diff_outputs *outputs, const tacho_arguments *arguments,
                      const char *path)
{
    tacho_str name = tacho_str_from_cstring(path);
    const tacho_table_sink *sink = tacho_str_ends_with(name, TACHO_STR(".xml"))
                                       ? &tacho_table_sink_junit
                                       : tacho_table_sink_find_suffix(name);
    if (sink == NULL) {
        return tacho_command_misuse(
            arguments->command, "--also %s: unknown suffix; use .md, .xml, .json, .csv or .xlsx",
            path);
    }
    if (outputs->item_count == TACHO_DIFF_OUTPUTS_MAX) {
        return tacho_command_misuse(arguments->command, "--also: at most %d files",
                                    TACHO_DIFF_OUTPUTS_MAX - 1);
    }
    outputs->items[outputs->item_count++] = (tacho_comparing_output){sink, path};
    return TACHO_EXIT_DONE;
}

int tacho_diff_outputs_choose(tacho_diff_outputs *outputs, const tacho_arguments *arguments)
{
    const char *output = tacho_arguments_value(arguments, "output");
    const char *path = output != NULL ? output : "-";
    outputs->items[0] = (tacho_comparing_output){find_sink(arguments, path), path};
    outputs->item_count = 1;
    int exit_code = outputs->items[0].sink != NULL ? TACHO_EXIT_DONE : TACHO_EXIT_USAGE;
    size_t at = 0;
    for (const char *more; exit_code == TACHO_EXIT_DONE &&
                           (more = tacho_arguments_next(arguments, "also", &at)) != NULL;) {
        exit_code = add_output(outputs, arguments, more);
    }
    return exit_code;
}

int tacho_diff_outputs_refuse_verdicts(const tacho_diff_outputs *outputs,
                                       const tacho_arguments *arguments)
{
    for (size_t i = 0; i < outputs->item_count; i++) {
        const tacho_table_sink *sink = outputs->items[i].sink;
        if (sink == &tacho_table_sink_github || sink == &tacho_table_sink_junit) {
            return tacho_command_misuse(arguments->command,
                                        "the %s format holds only verdicts; add --gate LIMITS",
                                        sink->name);
        }
    }
    return TACHO_EXIT_DONE;
}
