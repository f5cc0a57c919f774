/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and suffixes to sinks.
 */
#include "api/requests/outputs.h"

#include <string.h>
#include <unistd.h>

const char *tacho_request_format(const tacho_request *given)
{
    const char *format = tacho_request_value(given, "format");
    return format != NULL                     ? format
           : tacho_request_has(given, "json") ? "json"
           : tacho_request_has(given, "csv")  ? "csv"
                                              : NULL;
}

/* |own| is a format that the command knows besides; NULL: none. */
static const tacho_table_sink *find_format(tacho_request *given, const char *name,
                                           const tacho_table_sink *own)
{
    if (own != NULL && strcmp(name, own->name) == 0) {
        return own;
    }
    const tacho_table_sink *sink = tacho_table_sink_find(tacho_str_from_cstring(name));
    if (sink == NULL) {
        char names[TACHO_TABLE_SINK_NAMES_BYTES];
        tacho_table_sink_names(names);
        tacho_request_misuse(given, "{format}: unknown format '%s'; use one of %s%s%s", name, names,
                             own != NULL ? ", " : "", own != NULL ? own->name : "");
    }
    return sink;
}

const tacho_table_sink *tacho_request_table_format(tacho_request *given, const char *name)
{
    return find_format(given, name, NULL);
}

const tacho_table_sink *tacho_request_table_sink_or(tacho_request *given, const char *path,
                                                    const tacho_table_sink *own)
{
    const char *format = tacho_request_format(given);
    if (format != NULL) {
        return find_format(given, format, own);
    }
    if (path == NULL) {
        return &tacho_table_sink_jsonl; /* for programs */
    }
    if (own != NULL && tacho_table_sink_has_suffix(own, path)) {
        return own;
    }
    const tacho_table_sink *sink = tacho_table_sink_find_for_path(tacho_str_from_cstring(path));
    if (sink == NULL) {
        tacho_request_misuse(
            given,
            "%s: unknown table suffix; use .txt, .csv, .json, .xlsx%s%s or .parquet, or "
            "{format}",
            path, own != NULL ? ", " : "", own != NULL ? own->suffix : "");
    }
    return sink;
}

const tacho_table_sink *tacho_request_table_sink(tacho_request *given, const char *path)
{
    return tacho_request_table_sink_or(given, path, NULL);
}

const tacho_trace_sink *tacho_request_trace_sink(tacho_request *given, const char *option,
                                                 const char *path, const char *others)
{
    const char *format = tacho_request_value(given, option);
    const tacho_trace_sink *sink =
        format != NULL ? tacho_trace_sink_find(tacho_str_from_cstring(format))
                       : tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
    if (sink == NULL && format != NULL) {
        tacho_request_misuse(given,
                             "{%s}: unknown format '%s'; use %sa trace format of "
                             "'{/help formats}'",
                             option, format, others);
    } else if (sink == NULL) {
        tacho_request_misuse(given,
                             "'%s' has no known trace suffix; use one such as .pb, or {%s} FORMAT",
                             path, option);
    }
    return sink;
}

bool tacho_request_takes_bytes(tacho_request *given, const char *path)
{
    bool is_terminal = path != NULL && strcmp(path, "-") == 0 && isatty(STDOUT_FILENO) == 1;
    if (is_terminal) {
        tacho_request_misuse(given, "refusing to write binary data to a terminal; redirect "
                                    "standard output or use {o|output} FILE");
    }
    return !is_terminal;
}
