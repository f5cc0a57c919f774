/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of rooflines: models and programs are told from profiles by content.
 */
#include "api/view_ask.h"
#include "api/entry.h"
#include "api/model_request.h"
#include "base/grow.h"
#include "session/roofline.h"
#include "estimates/estimates.h"

#include <stdlib.h>
#include <tacho/analyse.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct asked {
    const tacho_analyse_roofline_options *options;
    tacho_tables *tables;
    tacho_roof_list models;
    tacho_roofline_options inner;
    const char **profile_paths;
    size_t profile_count;
} asked;

static tacho_status take_options(asked *self)
{
    const tacho_analyse_roofline_options *options = self->options;
    const char *what = NULL;
    self->models.machine = options->machine;
    self->models.ceilings = options->roof;
    self->inner.top = (size_t)options->top;
    if (options->sort != NULL) {
        self->inner.sort = tacho_roofline_key_find(tacho_str_from_cstring(options->sort));
    }
    if (self->inner.sort == TACHO_ROOFLINE_KEY_COUNT) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "unknown sort key '%s'; use time, gain, roof, intensity, name or order",
                          options->sort);
    }
    TACHO_TRY(tacho_roof_list_take_texts(&self->models, &what));
    self->inner.roof = self->models.has_roof ? &self->models.roof : NULL;
    return TACHO_OK;
}

static tacho_status sort_paths(asked *self, const char *const *paths, size_t path_count)
{
    self->profile_paths = tacho_items_alloc(path_count, sizeof(*self->profile_paths));
    if (self->profile_paths == NULL) {
        return tacho_no_memory();
    }
    self->models.has_several = path_count > 1;
    for (size_t i = 0; i < path_count; i++) {
        bool is_taken = false;
        if (self->options->input.from == NULL) {
            TACHO_TRY(tacho_roof_list_add(&self->models, paths[i], &is_taken));
        }
        if (!is_taken) {
            self->profile_paths[self->profile_count++] = paths[i];
        }
    }
    return TACHO_OK;
}

static tacho_status ask(asked *self)
{
    tacho_tables_target target = {.tables = self->tables};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    if (self->profile_count == 0) {
        return tacho_roof_list_write(&self->models, &self->inner, &taker);
    }
    TACHO_TRY(tacho_roof_list_check(&self->models, true));
    self->inner.works = self->models.item_count > 0 ? &self->models.items[0] : NULL;
    const tacho_view_ask inner = {.analysis = &tacho_analysis_roofline,
                                  .options = &self->inner,
                                  .paths = self->profile_paths,
                                  .path_count = self->profile_count,
                                  .input = &self->options->input,
                                  .adds_losses = true};
    return tacho_view_ask_run(&inner, self->tables);
}

/* How models are compiled, where the caller says so. */
static tacho_status ask_compiled(asked *self, const char *const *paths, size_t path_count)
{
    static const tacho_compiled_options defaults = {.machine = NULL};
    const tacho_compiled_options *model =
        self->options->model != NULL ? self->options->model : &defaults;
    tacho_model_request request;
    tacho_status status = tacho_model_request_init(&request, model);
    if (status == TACHO_OK) {
        self->models.model = request.model;
        self->models.dtype = model->dtype;
        self->models.fidelity = model->fidelity;
        self->models.batch = model->batch;
        self->models.notes = tacho_model_request_notes(&request);
        status = take_options(self);
    }
    if (status == TACHO_OK) {
        status = sort_paths(self, paths, path_count);
    }
    status = status == TACHO_OK ? ask(self) : status;
    tacho_model_request_deinit(&request);
    return status;
}

static tacho_status make_roofline(const char *const *paths, size_t path_count,
                                  const tacho_analyse_roofline_options *options,
                                  size_t *above_count, tacho_tables **out_tables)
{
    asked self = {.options = options, .inner = {.above_count = above_count}};
    TACHO_TRY(tacho_tables_create(&self.tables));
    tacho_roof_list_init(&self.models);
    tacho_status status = ask_compiled(&self, paths, path_count);
    free(self.profile_paths);
    tacho_roof_list_deinit(&self.models);
    return tacho_tables_finish(self.tables, status, out_tables);
}

tacho_status tacho_analyse_roofline(const char *const *paths, size_t path_count,
                                    const tacho_analyse_roofline_options *options,
                                    uint64_t *out_above_count, tacho_tables **out_tables)
{
    const tacho_analyse_roofline_options defaults = {.machine = NULL};
    const tacho_analyse_roofline_options *chosen = options != NULL ? options : &defaults;
    size_t above_count = 0;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    TACHO_TRY(tacho_view_check_paths(paths, path_count));
    if (path_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "no input");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = make_roofline(paths, path_count, chosen, &above_count, out_tables);
    tacho_entry_end(entry);
    if (out_above_count != NULL) {
        *out_above_count = above_count;
    }
    return status;
}
