/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of tt-perf-report: table, advice and summary for people, its CSV for programs.
 */
#include "cli/ops_compat.h"

#include "cli/listing.h"
#include "sources/source.h"
#include "estimates/estimates.h"

#include <stdio.h>

static const tacho_option compat_options[] = {TACHO_OPS_COMPAT_OPTIONS};

const char *tacho_ops_compat_stray(const tacho_arguments *arguments)
{
    for (size_t i = 0; i < sizeof(compat_options) / sizeof(compat_options[0]); i++) {
        if (tacho_arguments_has(arguments, compat_options[i].name)) {
            return compat_options[i].name;
        }
    }
    return NULL;
}

/* ---- options ---------------------------------------------------------------------------- */

static bool choose_rows(tacho_tt_report_options *request, const tacho_arguments *arguments)
{
    const char *value = tacho_arguments_value(arguments, "id-range");
    return value == NULL ||
           tacho_command_check(
               arguments->command, "id-range",
               tacho_tt_options_take_rows(&request->rows, tacho_str_from_cstring(value))) ==
               TACHO_EXIT_DONE;
}

static bool choose_percentage(tacho_tt_report_options *request, const tacho_arguments *arguments)
{
    const char *value = tacho_arguments_value(arguments, "min-percentage");
    char rest = 0;
    if (value != NULL && (sscanf(value, "%lf%c", &request->rows.min_percentage, &rest) != 1 ||
                          !(request->rows.min_percentage >= 0))) {
        tacho_command_misuse(arguments->command,
                             "--min-percentage: expected a number of percent, not '%s'", value);
        return false;
    }
    return true;
}

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    tacho_ops_request *request = self;
    tacho_tt_report_options *compat = &request->compat;
    *compat = (tacho_tt_report_options){.needs_ops = true, .has_advice = true, .has_summary = true};
    compat->notes = listing->is_quiet ? NULL : &tacho_talk_notes;
    compat->is_csv = listing->sink == &tacho_table_sink_csv;
    listing->sink = compat->is_csv ? &tacho_table_sink_comma_csv : listing->sink;
    listing->options = compat;
    return tacho_arguments_fill(arguments, request) && choose_rows(compat, arguments) &&
           choose_percentage(compat, arguments);
}

/* Directories of a run stand for the op tables in them. */
static int report(const tacho_arguments *arguments, const tacho_listing_verb *verb,
                  tacho_ops_request *request, tacho_arena *arena)
{
    const char **tables = NULL;
    tacho_arguments with_tables = *arguments;
    tacho_status status =
        tacho_source_folder_tables(arguments->words, arguments->word_count, arena, &tables);
    with_tables.words = tables;
    return status == TACHO_OK ? tacho_listing_run(&with_tables, verb, request)
                              : tacho_talk_failure(status);
}

int tacho_ops_compat_run(const tacho_arguments *arguments, tacho_ops_request *request)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_tt_report,
    };
    /* Options of tacho's own table. */
    static const char *const strays[] = {"by", "sort", "top", "class", NULL};
    const char *tool = tacho_arguments_value(arguments, "compat");
    const char *stray = tacho_arguments_find(arguments, strays);
    if (strcmp(tool, "tt-perf-report") != 0) {
        return tacho_command_misuse(arguments->command,
                                    "--compat: unknown tool '%s'; use tt-perf-report", tool);
    }
    if (stray != NULL) {
        return tacho_command_misuse(arguments->command,
                                    "--%s does not go with --compat tt-perf-report", stray);
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    int exit_code = report(arguments, &verb, request, &arena);
    tacho_arena_deinit(&arena);
    return exit_code;
}
