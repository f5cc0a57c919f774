/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of info: programs, debug information and models are told from profiles by
 * content, each kind in its own tables.
 */
#include "api/debug_tables.h"
#include "api/entry.h"
#include "api/request.h"
#include "api/tables.h"
#include "analyses/info.h"
#include "base/grow.h"
#include "session/model_info.h"
#include "session/program_info.h"

#include <stdlib.h>
#include <tacho/analyse.h>

/* What was asked about, sorted by kind. */
typedef struct asked {
    tacho_tables *tables;
    tacho_program_list programs;
    tacho_model_list models;
    const char **debug_paths;
    size_t debug_count;
    const char **profile_paths;
    size_t profile_count;
} asked;

/* ---- reports into tables --------------------------------------------------------------------- */

static tacho_status collect(void *tables, const tacho_table *table, size_t index)
{
    (void)index;
    return tacho_tables_add_copy(tables, table, NULL);
}

static const tacho_workbook_vtable collecting = {.add = collect};
static const tacho_table_sink collector = {.name = "collector", .workbook = &collecting};

/* ---- profiles -------------------------------------------------------------------------------- */

/* A profile that rows are taken from. */
typedef struct profile_info {
    const tacho_intake *intake;
    tacho_tables *tables;
} profile_info;

static tacho_status add_info(tacho_tables *tables, const tacho_info *info)
{
    static tacho_status (*const makers[])(const tacho_info *, tacho_table *) = {
        tacho_info_inputs, tacho_info_tracks, tacho_info_losses_before, tacho_info_notes,
        tacho_info_losses};
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        tacho_table table = {0};
        tacho_status status = makers[i](info, &table);
        TACHO_TRY(tacho_tables_add(tables, status, &table, NULL));
    }
    return TACHO_OK;
}

static tacho_status attempt(void *user, tacho_order_mode mode, tacho_dict *dict)
{
    const profile_info *self = user;
    tacho_producer producer = tacho_intake_producer(self->intake);
    tacho_info info;
    tacho_info_init(&info, dict);
    tacho_status status = tacho_pipeline_push(&producer, mode, &info.events);
    if (status == TACHO_OK) {
        status = add_info(self->tables, &info);
    }
    tacho_info_deinit(&info);
    return status;
}

static tacho_status add_profiles(const asked *self, const tacho_view_options *options)
{
    tacho_request_files files;
    tacho_dict dict;
    if (self->profile_count == 0) {
        return TACHO_OK;
    }
    tacho_status status = tacho_dict_init(&dict);
    status = tacho_status_first(status, tacho_request_files_open(&files, self->profile_paths,
                                                                 self->profile_count, options));
    if (status == TACHO_OK) {
        profile_info info = {&files.intake, self->tables};
        tacho_order_mode mode = tacho_intake_producer(&files.intake).first_mode;
        status = tacho_pipeline_try(attempt, &info, mode, &dict);
    }
    tacho_request_files_close(&files);
    tacho_dict_deinit(&dict);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Finds out what |path| is; what is nothing else is a profile. */
static tacho_status sort_path(asked *self, const char *path, bool is_profile)
{
    bool is_taken = is_profile;
    if (!is_taken) {
        TACHO_TRY(tacho_program_list_add(&self->programs, path, "-", &is_taken));
    }
    if (!is_taken && tacho_debug_tables_are_of(path)) {
        self->debug_paths[self->debug_count++] = path;
        is_taken = true;
    }
    if (!is_taken) {
        TACHO_TRY(tacho_model_list_add(&self->models, path, &is_taken));
    }
    if (!is_taken || is_profile) {
        self->profile_paths[self->profile_count++] = path;
    }
    return TACHO_OK;
}

static tacho_status add_all(asked *self, const tacho_view_options *options)
{
    tacho_table_report report = {.sink = &collector, .workbook = self->tables};
    TACHO_TRY(add_profiles(self, options));
    TACHO_TRY(tacho_program_list_write(&self->programs, &report));
    TACHO_TRY(tacho_model_list_write(&self->models, &report));
    for (size_t i = 0; i < self->debug_count; i++) {
        TACHO_TRY(tacho_debug_tables_add(self->debug_paths[i], self->tables));
    }
    return TACHO_OK;
}

static tacho_status sort_and_add(asked *self, const char *const *paths, size_t path_count,
                                 const tacho_view_options *options)
{
    bool is_profile = options != NULL && options->from != NULL;
    self->programs.has_several = path_count > 1;
    self->models.has_several = path_count > 1;
    self->debug_paths = tacho_items_alloc(path_count, sizeof(*self->debug_paths));
    self->profile_paths = tacho_items_alloc(path_count, sizeof(*self->profile_paths));
    if (self->debug_paths == NULL || self->profile_paths == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu inputs", path_count);
    }
    for (size_t i = 0; i < path_count; i++) {
        TACHO_TRY(sort_path(self, paths[i], is_profile));
    }
    return add_all(self, options);
}

static tacho_status make_info(const char *const *paths, size_t path_count,
                              const tacho_view_options *options, tacho_tables **out_tables)
{
    asked self = {.tables = NULL};
    TACHO_TRY(tacho_tables_create(&self.tables));
    tacho_program_list_init(&self.programs);
    tacho_status status = sort_and_add(&self, paths, path_count, options);
    free(self.debug_paths);
    free(self.profile_paths);
    tacho_program_list_deinit(&self.programs);
    tacho_model_list_deinit(&self.models);
    return tacho_tables_finish(self.tables, status, out_tables);
}

tacho_status tacho_analyse_info(const char *const *paths, size_t path_count,
                                const tacho_view_options *options, tacho_tables **out_tables)
{
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_request_check_paths(paths, path_count));
    if (path_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "no input");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = make_info(paths, path_count, options, out_tables);
    tacho_entry_end(entry);
    return status;
}
