/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of comparisons.
 */
#include "api/entry.h"
#include "api/view_files.h"
#include "api/tables.h"
#include "pipeline/comparing.h"

#include <tacho/analyse.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const tacho_gate_outcome outcomes[] = {
    [TACHO_VERDICT_NONE] = TACHO_GATE_NONE,
    [TACHO_VERDICT_PASS] = TACHO_GATE_PASS,
    [TACHO_VERDICT_INCONCLUSIVE] = TACHO_GATE_INCONCLUSIVE,
    [TACHO_VERDICT_REGRESSION] = TACHO_GATE_REGRESSION,
};

static tacho_status open_sides(tacho_view_files files[2], const tacho_analyse_side sides[2],
                               const tacho_view_options *input)
{
    for (size_t side = 0; side < 2; side++) {
        TACHO_TRY(
            tacho_view_files_open(&files[side], sides[side].paths, sides[side].path_count, input));
    }
    return TACHO_OK;
}

static tacho_status compare(const tacho_view_files files[2],
                            const tacho_analyse_diff_options *options, tacho_tables *tables,
                            tacho_analyse_diff_result *out_result)
{
    tacho_tables_target target = {.tables = tables};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    tacho_comparing comparing = {
        .intakes = {files[0].intake, files[1].intake},
        .selection = &files[0].selection,
        .diff = {.by = options->by_type ? TACHO_DIFF_BY_TYPE : TACHO_DIFF_BY_INSTANCE,
                 .top = options->top,
                 .has_gate = options->gate != NULL},
        .taker = &taker,
    };
    tacho_comparing_result result;
    if (options->by != NULL) {
        TACHO_TRY_NOTE(tacho_diff_by_parse(tacho_str_from_cstring(options->by), &comparing.diff.by,
                                           &comparing.samples.layer_depth),
                       "in what rows of the comparison are");
    }
    if (options->gate != NULL) {
        TACHO_TRY_NOTE(
            tacho_gate_parse(tacho_str_from_cstring(options->gate), &comparing.diff.gate),
            "in the limits of the gate, '%s'", options->gate);
    }
    TACHO_TRY(tacho_comparing_run(&comparing, &result));
    *out_result = (tacho_analyse_diff_result){.outcome = outcomes[result.verdict],
                                              .has_losses = result.has_losses};
    return TACHO_OK;
}

static tacho_status diff(const tacho_analyse_side sides[2],
                         const tacho_analyse_diff_options *options,
                         tacho_analyse_diff_result *out_result, tacho_tables **out_tables)
{
    tacho_view_files files[2] = {{.progress = NULL}, {.progress = NULL}};
    tacho_tables *tables = NULL;
    tacho_status status = open_sides(files, sides, &options->input);
    if (status == TACHO_OK) {
        status = tacho_tables_create(&tables);
    }
    if (status == TACHO_OK) {
        status = compare(files, options, tables, out_result);
        status = tacho_tables_finish(tables, status, out_tables);
    }
    tacho_view_files_close(&files[0]);
    tacho_view_files_close(&files[1]);
    return status;
}

tacho_status tacho_analyse_diff(const tacho_analyse_side sides[2],
                                const tacho_analyse_diff_options *options,
                                tacho_analyse_diff_result *out_result, tacho_tables **out_tables)
{
    const tacho_analyse_diff_options defaults = {.top = 0};
    const tacho_analyse_diff_options *chosen = options != NULL ? options : &defaults;
    tacho_analyse_diff_result result = {.outcome = TACHO_GATE_NONE};
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    if (sides == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no profiles given (NULL)");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = diff(sides, chosen, &result, out_tables);
    tacho_entry_end(entry);
    if (out_result != NULL) {
        *out_result = result;
    }
    return status;
}
