/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of analyses of profiles. Rows stream through; tables are made of what is kept of
 * them. Should they turn out not to be in order, all is done again, sorted.
 */
#include "api/entry.h"
#include "api/request.h"
#include "api/tables.h"
#include "analyses/info.h"
#include "analyses/ops.h"
#include "analyses/overview.h"
#include "session/machine_tables.h"

#include <tacho/analyse.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What an analysis of profiles does: takes rows from |intake|, adds tables. */
typedef struct analysis {
    const tacho_intake *intake;
    tacho_tables *tables;
    const void *options;
} analysis;

/* ---- common ---------------------------------------------------------------------------------- */

static tacho_status push(const analysis *self, tacho_order_mode mode, tacho_events *events)
{
    tacho_producer producer = tacho_intake_producer(self->intake);
    return tacho_pipeline_push(&producer, mode, events);
}

static tacho_status add_losses(const analysis *self, tacho_dict *dict)
{
    tacho_info info;
    tacho_table table = {0};
    tacho_info_init(&info, dict);
    tacho_status status = tacho_info_losses(&info, &table);
    tacho_info_deinit(&info);
    return tacho_tables_add(self->tables, status, &table, NULL);
}

static tacho_status analyse(const tacho_intake *intake, tacho_pipeline_attempt attempt,
                            const void *options, tacho_tables **out_tables)
{
    analysis self = {.intake = intake, .options = options};
    tacho_dict dict;
    TACHO_TRY(tacho_tables_create(&self.tables));
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status =
            tacho_pipeline_try(attempt, &self, tacho_intake_producer(intake).first_mode, &dict);
    }
    tacho_dict_deinit(&dict);
    return tacho_tables_finish(self.tables, status, out_tables);
}

/* Where the files are, and how to read them. */
typedef struct wanted_files {
    const char *const *paths;
    size_t path_count;
    const tacho_view_options *options;
} wanted_files;

static tacho_status analyse_files(wanted_files wanted, tacho_pipeline_attempt attempt,
                                  const void *options, tacho_tables **out_tables)
{
    tacho_request_files files;
    tacho_entry entry = tacho_entry_begin();
    tacho_status status =
        tacho_request_files_open(&files, wanted.paths, wanted.path_count, wanted.options);
    if (status == TACHO_OK) {
        status = analyse(&files.intake, attempt, options, out_tables);
    }
    tacho_request_files_close(&files);
    tacho_entry_end(entry);
    return status;
}

/* ---- overview -------------------------------------------------------------------------------- */

static tacho_status add_overview(const analysis *self, const tacho_overview_gather *gather,
                                 const tacho_overview_options *options)
{
    tacho_overview overview;
    tacho_table table = {0};
    tacho_status status = tacho_overview_init_gathered(&overview, gather, options);
    if (status == TACHO_OK) {
        status = tacho_overview_table(&overview, &table);
    }
    tacho_overview_deinit(&overview);
    return tacho_tables_add(self->tables, status, &table, NULL);
}

static tacho_status overview_attempt(void *user, tacho_order_mode mode, tacho_dict *dict)
{
    const analysis *self = user;
    const tacho_overview_options *options = self->options;
    tacho_overview_gather gather;
    tacho_overview_gather_init(&gather, dict);
    gather.in_cycles = options->in_cycles;
    tacho_status status = push(self, mode, &gather.events);
    if (status == TACHO_OK) {
        status = add_overview(self, &gather, options);
    }
    tacho_overview_gather_deinit(&gather);
    return status == TACHO_OK ? add_losses(self, dict) : status;
}

tacho_status tacho_analyse_overview(const char *const *paths, size_t path_count,
                                    const tacho_analyse_overview_options *options,
                                    tacho_tables **out_tables)
{
    const tacho_analyse_overview_options defaults = {.in_cycles = false};
    const tacho_analyse_overview_options *chosen = options != NULL ? options : &defaults;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_request_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    if (chosen->wall_time_ns < 0) {
        return tacho_fail(TACHO_CODE_USAGE, "the wall time is negative");
    }
    if (chosen->wall_time_ns > 0 && path_count > 1) {
        return tacho_fail(TACHO_CODE_USAGE, "a wall time is that of a single input, not of %zu",
                          path_count);
    }
    const tacho_overview_options inner = {.in_cycles = chosen->in_cycles,
                                          .wall_time_ns = chosen->wall_time_ns};
    return analyse_files((wanted_files){paths, path_count, &chosen->input}, overview_attempt,
                         &inner, out_tables);
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
        out_options->sort = tacho_ops_key_find(tacho_str_from_cstring(options->sort));
    }
    if (out_options->sort == TACHO_OPS_KEY_COUNT) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "unknown sort key '%s'; use self, total, count, mean, p50, p99, min, "
                          "max, bytes, name or location",
                          options->sort);
    }
    for (size_t i = 0; options->track_class != NULL && i < TACHO_TRACK_CLASS_COUNT; i++) {
        if (strcmp(tacho_track_class_name((tacho_track_class)i), options->track_class) == 0) {
            out_options->classes = TACHO_TRACK_BIT(i);
        }
    }
    if (options->track_class != NULL && out_options->classes == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "unknown track class '%s'", options->track_class);
    }
    if (options->accepts != NULL) {
        out_options->filter = (tacho_ops_filter){accepts, options};
    }
    return TACHO_OK;
}

static tacho_status add_ops(const analysis *self, const tacho_ops_gather *gather)
{
    tacho_ops ops;
    tacho_table table = {0};
    tacho_status status = tacho_ops_init_gathered(&ops, gather, self->options);
    if (status == TACHO_OK) {
        status = tacho_ops_table(&ops, &table);
    }
    tacho_ops_deinit(&ops);
    return tacho_tables_add(self->tables, status, &table, NULL);
}

static tacho_status ops_attempt(void *user, tacho_order_mode mode, tacho_dict *dict)
{
    const analysis *self = user;
    tacho_ops_gather gather;
    tacho_ops_gather_init(&gather, dict);
    tacho_status status = push(self, mode, &gather.events);
    if (status == TACHO_OK) {
        status = add_ops(self, &gather);
    }
    tacho_ops_gather_deinit(&gather);
    return status == TACHO_OK ? add_losses(self, dict) : status;
}

tacho_status tacho_analyse_ops(const char *const *paths, size_t path_count,
                               const tacho_analyse_ops_options *options, tacho_tables **out_tables)
{
    const tacho_analyse_ops_options defaults = {.sort = NULL};
    const tacho_analyse_ops_options *chosen = options != NULL ? options : &defaults;
    tacho_ops_options inner;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_request_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    TACHO_TRY(choose_ops(chosen, &inner));
    return analyse_files((wanted_files){paths, path_count, &chosen->input}, ops_attempt, &inner,
                         out_tables);
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
