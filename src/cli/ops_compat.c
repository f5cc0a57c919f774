/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of tt-perf-report: table, advice and summary for people, its CSV for programs.
 */
#include "cli/ops_compat.h"

#include "analyses/tenstorrent/tt_analysis.h"
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

static tacho_str text_of(const tacho_arguments *arguments, const char *name)
{
    const char *value = tacho_arguments_value(arguments, name);
    return value == NULL ? TACHO_STR("") : tacho_str_from_cstring(value);
}

/* "5-10", "31-" or "-12". */
static bool choose_rows(tacho_tt_report_options *request, const tacho_arguments *arguments)
{
    tacho_tt_options *options = &request->rows;
    tacho_str text = text_of(arguments, "id-range");
    if (!tacho_arguments_has(arguments, "id-range")) {
        return true;
    }
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

static bool choose_grouping(tacho_tt_report_options *request, const tacho_arguments *arguments)
{
    static const char *const names[] = {[TACHO_TT_GROUP_MEMORY] = "memory",
                                        [TACHO_TT_GROUP_OP] = "op",
                                        [TACHO_TT_GROUP_CATEGORY] = "category",
                                        [TACHO_TT_GROUP_REPLAY] = "replay"};
    const char *value = tacho_arguments_value(arguments, "group-by");
    for (size_t i = 0; value != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(value, names[i]) == 0) {
            request->rows.grouping = (tacho_tt_grouping)i;
            return true;
        }
    }
    if (value != NULL) {
        tacho_command_misuse(arguments->command,
                             "--group-by: unknown group '%s'; use memory, op, category or replay",
                             value);
    }
    return value == NULL;
}

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    tacho_tt_report_options *request = self;
    request->rows = (tacho_tt_options){
        .start_signpost = text_of(arguments, "start-signpost"),
        .end_signpost = text_of(arguments, "end-signpost"),
        .ignores_signposts = tacho_arguments_has(arguments, "ignore-signposts"),
        .shows_signposts = tacho_arguments_has(arguments, "print-signposts"),
        .arch = text_of(arguments, "arch"),
        .keeps_order = tacho_arguments_has(arguments, "tracing-mode"),
        .hides_host_ops = tacho_arguments_has(arguments, "no-host-ops"),
        .keeps_devices = tacho_arguments_has(arguments, "no-merge-devices"),
    };
    request->has_advice = !tacho_arguments_has(arguments, "no-advice");
    request->has_summary = !tacho_arguments_has(arguments, "no-summary");
    request->has_codes = tacho_arguments_has(arguments, "raw-op-codes");
    request->notes = listing->is_quiet ? NULL : &tacho_talk_notes;
    listing->options = request;
    request->is_csv = listing->sink == &tacho_table_sink_csv;
    if (request->is_csv) {
        listing->sink = &tacho_table_sink_comma_csv;
    }
    return choose_rows(request, arguments) && choose_percentage(request, arguments) &&
           choose_grouping(request, arguments);
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

int tacho_ops_compat_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_tt_report,
    };
    const char *tool = tacho_arguments_value(arguments, "compat");
    if (strcmp(tool, "tt-perf-report") != 0) {
        return tacho_command_misuse(arguments->command,
                                    "--compat: unknown tool '%s'; use tt-perf-report", tool);
    }
    tacho_tt_report_options request = {.needs_ops = true};
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = find_tables(arguments, &arena);
    int code = status == TACHO_OK ? tacho_listing_run(arguments, &verb, &request)
                                  : tacho_talk_failure(status);
    tacho_arena_deinit(&arena);
    return code;
}
