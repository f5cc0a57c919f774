/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of tt-perf-report: table, advice and summary for people, its CSV for programs.
 */
#include "api/requests/ops_compat.h"

#include "api/requests/listing.h"
#include "sources/source.h"
#include "estimates/estimates.h"

#include <stdio.h>

static const tacho_option compat_options[] = {TACHO_OPS_COMPAT_OPTIONS};

const char *tacho_ops_compat_stray(tacho_request *given)
{
    for (size_t i = 0; i < sizeof(compat_options) / sizeof(compat_options[0]); i++) {
        if (tacho_request_has(given, compat_options[i].name)) {
            return compat_options[i].name;
        }
    }
    return NULL;
}

/* ---- options ---------------------------------------------------------------------------- */

static bool choose_rows(tacho_tt_report_options *request, tacho_request *given)
{
    const char *value = tacho_request_value(given, "id-range");
    return value == NULL ||
           tacho_request_check(
               given, "id-range",
               tacho_tt_options_take_rows(&request->rows, tacho_str_from_cstring(value))) ==
               TACHO_OUTCOME_DONE;
}

static bool choose_percentage(tacho_tt_report_options *request, tacho_request *given)
{
    const char *value = tacho_request_value(given, "min-percentage");
    char rest = 0;
    if (value != NULL && (sscanf(value, "%lf%c", &request->rows.min_percentage, &rest) != 1 ||
                          !(request->rows.min_percentage >= 0))) {
        tacho_request_misuse(given, "{min-percentage}: expected a number of percent, not '%s'",
                             value);
        return false;
    }
    return true;
}

static bool choose(void *self, tacho_request *given, tacho_listing *listing)
{
    tacho_ops_request *request = self;
    tacho_tt_report_options *compat = &request->compat;
    *compat = (tacho_tt_report_options){.needs_ops = true, .has_advice = true, .has_summary = true};
    compat->notes = listing->is_quiet ? NULL : &given->notes;
    compat->is_csv = listing->sink == &tacho_table_sink_csv;
    listing->sink = compat->is_csv ? &tacho_table_sink_comma_csv : listing->sink;
    listing->options = compat;
    return tacho_request_fill(given, request) && choose_rows(compat, given) &&
           choose_percentage(compat, given);
}

/* Directories of a run stand for the op tables in them. */
static int report(tacho_request *given, const tacho_listing_verb *verb, tacho_ops_request *request,
                  tacho_arena *arena)
{
    const char **tables = NULL, **words = given->words;
    tacho_status status =
        tacho_source_folder_tables(given->words, given->word_count, arena, &tables);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    given->words = tables;
    int outcome = tacho_listing_run(given, verb, request);
    given->words = words;
    return outcome;
}

int tacho_ops_compat_run(tacho_request *given, tacho_ops_request *request)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_tt_report,
    };
    /* Options of tacho's own table. */
    static const char *const strays[] = {"by", "sort", "top", "class", NULL};
    const char *tool = tacho_request_value(given, "compat");
    const char *stray = tacho_request_find(given, strays);
    if (strcmp(tool, "tt-perf-report") != 0) {
        return tacho_request_misuse(given, "{compat}: unknown tool '%s'; use tt-perf-report", tool);
    }
    if (stray != NULL) {
        return tacho_request_misuse(given, "{%s} does not go with {compat} tt-perf-report", stray);
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    int outcome = report(given, &verb, request, &arena);
    tacho_arena_deinit(&arena);
    return outcome;
}
