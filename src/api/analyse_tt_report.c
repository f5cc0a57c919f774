/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of Tenstorrent's op report.
 */
#include "estimates/tenstorrent/tt_analysis.h"
#include "api/view_ask.h"
#include "api/entry.h"
#include "estimates/estimates.h"

#include <math.h>
#include <tacho/analyse.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static tacho_str text_of(const char *text)
{
    return tacho_str_from_cstring(text != NULL ? text : "");
}

static tacho_status take_grouping(const char *word, tacho_tt_grouping *out_grouping)
{
    static const char *const words[] = {
        [TACHO_TT_GROUP_MEMORY] = "memory",
        [TACHO_TT_GROUP_OP] = "op",
        [TACHO_TT_GROUP_CATEGORY] = "category",
        [TACHO_TT_GROUP_REPLAY] = "replay",
    };
    for (size_t i = 0; word != NULL && i < COUNT_OF(words); i++) {
        if (strcmp(words[i], word) == 0) {
            *out_grouping = (tacho_tt_grouping)i;
            return TACHO_OK;
        }
    }
    return word == NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE,
                            "unknown grouping '%s'; use memory, op, category or replay", word);
}

static tacho_status choose(const tacho_analyse_tt_report_options *options,
                           tacho_tt_report_options *out_chosen)
{
    *out_chosen = (tacho_tt_report_options){
        .rows = {.start_signpost = text_of(options->start_signpost),
                 .end_signpost = text_of(options->end_signpost),
                 .ignores_signposts = options->ignores_signposts,
                 .shows_signposts = options->shows_signposts,
                 .arch = text_of(options->arch),
                 .keeps_order = options->keeps_order,
                 .hides_host_ops = options->omits_host_ops,
                 .keeps_devices = options->keeps_devices,
                 .min_percentage = options->min_percentage},
        .is_csv = options->as_vendor,
        .has_advice = !options->omits_advice,
        .has_summary = !options->omits_summary,
        .has_codes = options->has_codes,
        .needs_ops = true,
    };
    TACHO_TRY(tacho_view_check_reserved(options->reserved, COUNT_OF(options->reserved)));
    if (!isfinite(options->min_percentage) || options->min_percentage < 0) {
        return tacho_fail(TACHO_CODE_USAGE, "a share of the time is not negative");
    }
    if (options->id_range != NULL) {
        TACHO_TRY(tacho_tt_options_take_rows(&out_chosen->rows, text_of(options->id_range)));
    }
    return take_grouping(options->group_by, &out_chosen->rows.grouping);
}

static tacho_status report(tacho_view_ask *ask, tacho_tables **out_tables)
{
    tacho_tables *tables = NULL;
    tacho_arena arena;
    const char **paths = NULL;
    TACHO_TRY(tacho_tables_create(&tables));
    tacho_arena_init(&arena);
    tacho_status status = tacho_source_folder_tables(ask->paths, ask->path_count, &arena, &paths);
    if (status == TACHO_OK) {
        ask->paths = paths;
        status = tacho_view_ask_run(ask, tables);
    }
    tacho_arena_deinit(&arena);
    return tacho_tables_finish(tables, status, out_tables);
}

tacho_status tacho_analyse_tt_report(const char *const *paths, size_t path_count,
                                     const tacho_analyse_tt_report_options *options,
                                     tacho_tables **out_tables)
{
    const tacho_analyse_tt_report_options defaults = {.arch = NULL};
    const tacho_analyse_tt_report_options *given = options != NULL ? options : &defaults;
    tacho_tt_report_options chosen;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_view_check_paths(paths, path_count));
    TACHO_TRY(choose(given, &chosen));
    tacho_view_ask ask = {
        &tacho_analysis_tt_report, &chosen, paths, path_count, &given->input, false};
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = report(&ask, out_tables);
    tacho_entry_end(entry);
    return status;
}
