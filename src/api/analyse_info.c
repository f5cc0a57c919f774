/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of info: programs, debug information and models are told from profiles by
 * content, each kind in its own tables.
 */
#include "api/view_ask.h"
#include "api/debug_tables.h"
#include "api/entry.h"
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
    tacho_tables_target target = {.tables = self->tables, .omits_empty = true};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    const tacho_view_ask ask = {.analysis = &tacho_analysis_info,
                                .paths = self->profile_paths,
                                .path_count = self->profile_count,
                                .input = options};
    TACHO_TRY(self->profile_count > 0 ? tacho_view_ask_run(&ask, self->tables) : TACHO_OK);
    TACHO_TRY(tacho_program_list_write(&self->programs, &taker));
    TACHO_TRY(tacho_model_list_write(&self->models, &taker));
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
    TACHO_TRY(tacho_view_check_paths(paths, path_count));
    if (path_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "no input");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = make_info(paths, path_count, options, out_tables);
    tacho_entry_end(entry);
    return status;
}
