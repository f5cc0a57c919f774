/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of analyses of profiles.
 */
#include "api/view_ask.h"
#include "api/entry.h"
#include "questions/breakdown/breakdown.h"
#include "questions/groups/groups.h"
#include "questions/ops/ops.h"
#include "questions/overview/overview.h"
#include "questions/query/query.h"
#include "session/machine_file.h"
#include "session/machine_tables.h"

#include <tacho/analyse.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Asks, and hands the tables out. */
static tacho_status analyse(const tacho_view_ask *ask, tacho_tables **out_tables)
{
    tacho_tables *tables = NULL;
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_tables_create(&tables);
    if (status == TACHO_OK) {
        status = tacho_view_ask_run(ask, tables);
        status = tacho_tables_finish(tables, status, out_tables);
    }
    tacho_entry_end(entry);
    return status;
}

/* ---- overview -------------------------------------------------------------------------------- */

tacho_status tacho_analyse_overview(const char *const *paths, size_t path_count,
                                    const tacho_analyse_overview_options *options,
                                    tacho_tables **out_tables)
{
    const tacho_analyse_overview_options defaults = {.in_cycles = false};
    const tacho_analyse_overview_options *chosen = options != NULL ? options : &defaults;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    if (chosen->wall_time_ns < 0) {
        return tacho_fail(TACHO_CODE_USAGE, "the wall time is negative");
    }
    if (chosen->wall_time_ns > 0 && path_count > 1) {
        return tacho_fail(TACHO_CODE_USAGE, "a wall time applies to a single input, not to %zu",
                          path_count);
    }
    const tacho_overview_options inner = {.in_cycles = chosen->in_cycles,
                                          .wall_time_ns = chosen->wall_time_ns};
    const tacho_view_ask ask = {&tacho_analysis_overview, &inner, paths, path_count,
                                &chosen->input,           true};
    return analyse(&ask, out_tables);
}

/* ---- breakdown ------------------------------------------------------------------------------- */

tacho_status tacho_analyse_breakdown(const char *const *paths, size_t path_count,
                                     const tacho_analyse_breakdown_options *options,
                                     tacho_tables **out_tables)
{
    const tacho_analyse_breakdown_options defaults = {.top = 0};
    const tacho_analyse_breakdown_options *chosen = options != NULL ? options : &defaults;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    if (chosen->top > TACHO_BREAKDOWN_TOP_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "at most %d gaps can be listed",
                          TACHO_BREAKDOWN_TOP_MAX);
    }
    const tacho_breakdown_options inner = {
        .top = chosen->top > 0 ? chosen->top : TACHO_BREAKDOWN_TOP,
        .omits_advice = chosen->omits_advice,
    };
    const tacho_view_ask ask = {
        &tacho_analysis_breakdown, &inner, paths, path_count, &chosen->input, true};
    return analyse(&ask, out_tables);
}

/* ---- ops ------------------------------------------------------------------------------------- */

static bool accepts(const void *self, tacho_str name, tacho_str location)
{
    const tacho_analyse_ops_options *options = self;
    return options->accepts(options->user, name.data, location.len > 0 ? location.data : "");
}

static tacho_status choose_ops(const tacho_analyse_ops_options *options,
                               tacho_ops_options *out_options)
{
    *out_options = (tacho_ops_options){.by_instance = options->by_instance,
                                       .sort = TACHO_OPS_BY_SELF,
                                       .top = (size_t)options->top};
    if (options->sort != NULL) {
        TACHO_TRY(tacho_ops_key_parse(tacho_str_from_cstring(options->sort), &out_options->sort));
    }
    for (size_t i = 0; options->track_class != NULL && i < TACHO_TRACK_CLASS_COUNT; i++) {
        if (strcmp(tacho_track_class_name((tacho_track_class)i), options->track_class) == 0) {
            out_options->classes = TACHO_TRACK_BIT(i);
        }
    }
    if (options->track_class != NULL && out_options->classes == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "unknown track class '%s'", options->track_class);
    }
    if (options->accepts != NULL && options->input.filter != NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "a filter and a function that filters; give one");
    }
    if (options->accepts != NULL) {
        out_options->filter = (tacho_name_filter){.accepts = accepts, .self = options};
    }
    return TACHO_OK;
}

/* Names are those of operators, so the filter is for rows of the table, not for events. */
static tacho_status ask_filtered(const tacho_view_ask *ask, tacho_name_filter *names,
                                 tacho_tables **out_tables)
{
    tacho_view_options input = *ask->input;
    tacho_view_ask unfiltered = *ask;
    tacho_text_filter filter = {.has_regex = false};
    unfiltered.input = &input;
    input.filter = NULL;
    tacho_status status = tacho_text_filter_open(&filter, ask->input->filter);
    if (status == TACHO_OK) {
        *names = tacho_text_filter_names(&filter);
        status = analyse(&unfiltered, out_tables);
    }
    tacho_text_filter_close(&filter);
    return status;
}

static tacho_status choose_groups(const tacho_analyse_ops_options *options,
                                  tacho_groups_options *out_options)
{
    *out_options = (tacho_groups_options){.top = (size_t)options->top};
    if (!tacho_group_key_parse(tacho_str_from_cstring(options->by), &out_options->by,
                               &out_options->depth)) {
        return tacho_fail(
            TACHO_CODE_USAGE,
            "unknown group '%s'; use op, kernel, layer, layer:N, line, device or step",
            options->by);
    }
    if (options->sort != NULL &&
        !tacho_groups_order_find(tacho_str_from_cstring(options->sort), &out_options->order)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "unknown sort key '%s' of groups; use self, total, count or name",
                          options->sort);
    }
    if (options->by_instance || options->accepts != NULL || options->track_class != NULL) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "instances, a function that filters and a track class go with "
                          "operations, not with groups");
    }
    return TACHO_OK;
}

static tacho_status analyse_groups(const char *const *paths, size_t path_count,
                                   const tacho_analyse_ops_options *options,
                                   tacho_tables **out_tables)
{
    tacho_groups_options inner;
    TACHO_TRY(choose_groups(options, &inner));
    const tacho_view_ask ask = {&tacho_analysis_groups, &inner, paths, path_count,
                                &options->input,        true};
    return options->input.filter != NULL ? ask_filtered(&ask, &inner.filter, out_tables)
                                         : analyse(&ask, out_tables);
}

tacho_status tacho_analyse_ops(const char *const *paths, size_t path_count,
                               const tacho_analyse_ops_options *options, tacho_tables **out_tables)
{
    const tacho_analyse_ops_options defaults = {.sort = NULL};
    const tacho_analyse_ops_options *chosen = options != NULL ? options : &defaults;
    tacho_ops_options inner;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    if (chosen->by != NULL) {
        return analyse_groups(paths, path_count, chosen, out_tables);
    }
    TACHO_TRY(choose_ops(chosen, &inner));
    const tacho_view_ask ask = {&tacho_analysis_ops, &inner,         paths,
                                path_count,          &chosen->input, true};
    return chosen->input.filter != NULL ? ask_filtered(&ask, &inner.filter, out_tables)
                                        : analyse(&ask, out_tables);
}

/* ---- query ----------------------------------------------------------------------------------- */

tacho_status tacho_analyse_query(const char *const *paths, size_t path_count, const char *sql,
                                 const tacho_analyse_query_options *options,
                                 tacho_tables **out_tables)
{
    const tacho_analyse_query_options defaults = {.row_max = 0};
    const tacho_analyse_query_options *chosen = options != NULL ? options : &defaults;
    const tacho_query_options inner = {
        .sql = sql, .timeout_ns = chosen->timeout_ns, .row_max = chosen->row_max};
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    if (chosen->timeout_ns < 0) {
        return tacho_fail(TACHO_CODE_USAGE, "the time limit of a statement is negative");
    }
    if (sql == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no SQL statement");
    }
    TACHO_TRY(tacho_query_check(sql));
    const tacho_view_ask ask = {&tacho_analysis_query, &inner, paths, path_count,
                                &chosen->input,        true};
    return analyse(&ask, out_tables);
}

/* ---- machines -------------------------------------------------------------------------------- */

static tacho_status make_machines(const char *machine, tacho_tables **out_tables)
{
    tacho_tables *tables = NULL;
    tacho_table table = {0};
    TACHO_TRY(tacho_tables_create(&tables));
    tacho_status status = machine == NULL ? tacho_machine_list_table(NULL, &table)
                                          : tacho_machine_show_table(machine, NULL, &table);
    status = tacho_tables_add(tables, status, &table, NULL);
    return tacho_tables_finish(tables, status, out_tables);
}

tacho_status tacho_machines_list(tacho_tables **out_tables)
{
    TACHO_TRY(tacho_tables_check_place(out_tables));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = make_machines(NULL, out_tables);
    tacho_entry_end(entry);
    return status;
}

tacho_status tacho_machines_describe(const char *machine, tacho_tables **out_tables)
{
    TACHO_TRY(tacho_tables_check_place(out_tables));
    if (machine == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no machine given (NULL)");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = make_machines(machine, out_tables);
    tacho_entry_end(entry);
    return status;
}

tacho_status tacho_machines_export(const char *machine, const char *path)
{
    if (machine == NULL || path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no %s given (NULL)",
                          machine == NULL ? "machine" : "output file");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_machine_file_export(machine, NULL, path);
    tacho_entry_end(entry);
    return status;
}

tacho_status tacho_machines_calibrate(const char *path)
{
    if (path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no output file given (NULL)");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_machine_file_calibrate(path);
    tacho_entry_end(entry);
    return status;
}
