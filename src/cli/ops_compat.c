/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of tt-perf-report: table, advice and summary for people, its CSV for programs.
 */
#include "cli/ops_compat.h"

#include "cli/listing.h"
#include "sources/source.h"

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

/* "5-10", "31-" or "-12". */
static bool choose_rows(tacho_tt_report_options *request, const tacho_arguments *arguments)
{
    tacho_tt_options *options = &request->rows;
    const char *value = tacho_arguments_value(arguments, "id-range");
    if (value == NULL) {
        return true;
    }
    tacho_str text = tacho_str_from_cstring(value);
    size_t dash = tacho_str_find_byte(text, '-');
    tacho_str first = tacho_str_make(text.data, dash);
    tacho_str last = dash < text.len ? tacho_str_from(text, dash + 1) : TACHO_STR("");
    options->has_first_row = first.len > 0;
    options->has_last_row = last.len > 0;
    if (dash == text.len || (first.len == 0 && last.len == 0) ||
        (first.len > 0 && !tacho_str_parse_u64(first, &options->first_row)) ||
        (last.len > 0 && !tacho_str_parse_u64(last, &options->last_row))) {
        tacho_command_misuse(arguments->command,
                             "--id-range: expected rows like 5-10, 31- or -12, not '%s'",
                             text.data);
        return false;
    }
    return true;
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

/* A directory of a run stands for the op table in it. */
static tacho_status find_tables(const tacho_arguments *arguments, tacho_arena *arena)
{
    for (size_t i = 0; i < arguments->word_count; i++) {
        const char *table = NULL;
        TACHO_TRY(tacho_source_folder_table(arguments->words[i], arena, &table));
        arguments->words[i] = table != NULL ? table : arguments->words[i];
    }
    return TACHO_OK;
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
    tacho_status status = find_tables(arguments, &arena);
    int exit_code = status == TACHO_OK ? tacho_listing_run(arguments, &verb, request)
                                       : tacho_talk_failure(status);
    tacho_arena_deinit(&arena);
    return exit_code;
}
