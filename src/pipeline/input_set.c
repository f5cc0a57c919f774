/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths to inputs.
 */
#include "pipeline/input_set.h"

#include "base/grow.h"

#include <stdlib.h>

static tacho_status list_path(tacho_input_set *set, const char *path,
                              const tacho_input_set_options *options)
{
    size_t before = set->list.path_count + set->list.link_count;
    const char *output_path = options->output_path != NULL ? options->output_path : "-";
    if (options->is_whole != NULL && options->is_whole(path)) {
        return tacho_input_list_add_file(&set->list, path);
    }
    if (!options->keeps_empty) {
        return tacho_input_list_add_some(&set->list, path, output_path);
    }
    TACHO_TRY(tacho_input_list_add(&set->list, path, output_path));
    return set->list.path_count + set->list.link_count > before
               ? TACHO_OK
               : tacho_input_list_add_file(&set->list, path);
}

tacho_status tacho_input_set_open(tacho_input_set *set, const char *const *paths, size_t path_count,
                                  const tacho_input_set_options *options, tacho_intake *out_intake)
{
    *set = (tacho_input_set){.paths = paths, .path_count = path_count};
    tacho_input_list_init(&set->list);
    for (size_t i = 0; i < path_count; i++) {
        TACHO_TRY(list_path(set, paths[i], options));
    }
    set->inputs = tacho_items_alloc(set->list.path_count, sizeof(*set->inputs));
    if (set->inputs == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu inputs",
                          set->list.path_count);
    }
    for (size_t i = 0; i < set->list.path_count; i++) {
        set->inputs[i] = (tacho_intake_input){
            .path = set->list.paths[i], .source = options->source, .accepted = options->accepted};
    }
    out_intake->inputs = set->inputs;
    out_intake->input_count = set->list.path_count;
    return TACHO_OK;
}

void tacho_input_set_close(tacho_input_set *set)
{
    free(set->inputs);
    tacho_input_list_deinit(&set->list);
    *set = (tacho_input_set){.inputs = NULL};
}

static void skip(tacho_input_set *set, const tacho_input_skips *to, const tacho_intake_input *input,
                 tacho_status status)
{
    set->skipped_count++;
    if (to->skip != NULL) {
        to->skip(to->user, input, status);
    } else {
        tacho_status_free(status);
    }
}

void tacho_input_set_skip_links(tacho_input_set *set, const tacho_input_skips *to)
{
    for (size_t i = 0; i < set->list.link_count; i++) {
        const tacho_intake_input input = {.path = set->list.links[i]};
        skip(set, to, &input, tacho_input_list_refuse_link(input.path));
    }
}

/* Whether |path| was named itself: the list keeps the caller's pointers. */
static bool is_named(const tacho_input_set *set, const char *path)
{
    for (size_t i = 0; i < set->path_count; i++) {
        if (set->paths[i] == path) {
            return true;
        }
    }
    return false;
}

tacho_status tacho_input_set_skip_strangers(tacho_input_set *set, const tacho_input_skips *to,
                                            tacho_intake *intake)
{
    size_t kept = 0;
    for (size_t i = 0; i < intake->input_count; i++) {
        const tacho_intake_input *input = &set->inputs[i];
        tacho_status status = is_named(set, input->path) ? TACHO_OK : tacho_intake_probe(input);
        if (tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
            return status;
        }
        if (status == TACHO_OK) {
            set->inputs[kept++] = *input;
        } else {
            skip(set, to, input, status);
        }
    }
    intake->input_count = kept;
    return kept > 0 ? TACHO_OK : tacho_fail(TACHO_CODE_BAD_DATA, "no input could be read");
}
