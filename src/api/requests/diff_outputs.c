/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs of a diff.
 */
#include "api/requests/diff_outputs.h"

#include "api/requests/outputs.h"
#include "sinks/verdicts.h"

/* Formats of gates are this command's own; all others are those of every command. */
static const tacho_table_sink *find_sink(tacho_request *given, const char *path)
{
    const char *format = tacho_request_value(given, "format");
    if (format != NULL && strcmp(format, "github") == 0) {
        return &tacho_table_sink_github;
    }
    bool is_junit =
        format != NULL
            ? strcmp(format, "junit") == 0
            : path != NULL && tacho_str_ends_with(tacho_str_from_cstring(path), TACHO_STR(".xml"));
    if (!is_junit && format != NULL &&
        tacho_table_sink_find(tacho_str_from_cstring(format)) == NULL) {
        char names[TACHO_TABLE_SINK_NAMES_BYTES];
        tacho_table_sink_names(names);
        tacho_request_misuse(given, "{format}: unknown format '%s'; use one of %s, %s, %s", format,
                             names, tacho_table_sink_github.name, tacho_table_sink_junit.name);
        return NULL;
    }
    return is_junit ? &tacho_table_sink_junit : tacho_request_table_sink(given, path);
}

/* --also: a file of its own, whose suffix says the format. */
static int add_output(tacho_diff_outputs *outputs, tacho_request *given, const char *path)
{
    tacho_str name = tacho_str_from_cstring(path);
    const tacho_table_sink *sink = tacho_str_ends_with(name, TACHO_STR(".xml"))
                                       ? &tacho_table_sink_junit
                                       : tacho_table_sink_find_suffix(name);
    if (sink == NULL) {
        return tacho_request_misuse(
            given, "{also} %s: unknown suffix; use .md, .xml, .json, .csv or .xlsx", path);
    }
    if (outputs->item_count == TACHO_DIFF_OUTPUTS_MAX) {
        return tacho_request_misuse(given, "{also}: at most %d files", TACHO_DIFF_OUTPUTS_MAX - 1);
    }
    outputs->items[outputs->item_count++] = (tacho_table_target){.sink = sink, .path = path};
    return TACHO_OUTCOME_DONE;
}

int tacho_diff_outputs_choose(tacho_diff_outputs *outputs, tacho_request *given)
{
    const char *path = tacho_request_output(given, "output");
    outputs->items[0] = tacho_request_target(given, find_sink(given, path), path);
    outputs->item_count = 1;
    int outcome = outputs->items[0].sink != NULL ? TACHO_OUTCOME_DONE : TACHO_OUTCOME_USAGE;
    size_t at = 0;
    for (const char *more; outcome == TACHO_OUTCOME_DONE &&
                           (more = tacho_request_next(given, "also", &at)) != NULL;) {
        outcome = add_output(outputs, given, more);
    }
    return outcome;
}

int tacho_diff_outputs_refuse_verdicts(const tacho_diff_outputs *outputs, tacho_request *given)
{
    for (size_t i = 0; i < outputs->item_count; i++) {
        const tacho_table_sink *sink = outputs->items[i].sink;
        if (sink == &tacho_table_sink_github || sink == &tacho_table_sink_junit) {
            return tacho_request_misuse(
                given, "the %s format holds only verdicts; add {gate} LIMITS", sink->name);
        }
    }
    return TACHO_OUTCOME_DONE;
}
