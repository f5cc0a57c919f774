/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookups that end in a status.
 */
#include "api/view_files.h"

#include "base/grow.h"
#include "sources/torq/torq.h"

const tacho_source *const tacho_view_compile_sources[] = {&tacho_source_torq_timeline, NULL};
const tacho_source *const tacho_view_runtime_sources[] = {&tacho_source_torq_runtime,
                                                          &tacho_source_torq_host, NULL};

tacho_status tacho_view_check_reserved(const uint64_t *words, size_t word_count)
{
    for (size_t i = 0; i < word_count; i++) {
        if (words[i] != 0) {
            return tacho_fail(TACHO_CODE_USAGE,
                              "an option that this version of the library does not have; set "
                              "options to zero first");
        }
    }
    return TACHO_OK;
}

tacho_status tacho_view_check_paths(const char *const *paths, size_t path_count)
{
    for (size_t i = 0; i < path_count; i++) {
        if (paths == NULL || paths[i] == NULL) {
            return tacho_fail(TACHO_CODE_USAGE, "path %zu of %zu is NULL", i + 1, path_count);
        }
    }
    return TACHO_OK;
}

/* The source called |name|; NULL, for recognising by content, when |name| is NULL. */
static tacho_status request_source(const char *name, const tacho_source **out_source)
{
    *out_source = name == NULL ? NULL : tacho_source_find(tacho_str_from_cstring(name));
    return name == NULL || *out_source != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "unknown input format '%s'", name);
}

static void tell(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
    tacho_view_files *files = self;
    if (!files->is_cancelled) {
        files->is_cancelled = !files->progress(files->user, done_bytes, total_bytes);
    }
}

/* Which events are wanted. */
static tacho_status select_events(tacho_view_files *files, const tacho_view_options *options)
{
    tacho_selection *selection = &files->selection;
    if (options->window_begin_ns < 0 || options->window_end_ns < 0 ||
        options->min_duration_ns < 0) {
        return tacho_fail(TACHO_CODE_USAGE, "a window and a minimum duration cannot be negative");
    }
    if (options->window_end_ns > 0 && options->window_end_ns <= options->window_begin_ns) {
        return tacho_fail(TACHO_CODE_USAGE, "the window ends before it begins");
    }
    selection->window_begin_ns = options->window_begin_ns;
    selection->window_end_ns = options->window_end_ns > 0 ? options->window_end_ns : INT64_MAX;
    selection->min_duration_ns = options->min_duration_ns;
    if (options->filter == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY_NOTE(tacho_text_filter_open(&files->filter, options->filter), "filter");
    selection->names = tacho_text_filter_names(&files->filter);
    return TACHO_OK;
}

/* All but the inputs themselves. */
static tacho_status begin_files(tacho_view_files *files, const tacho_view_options *options,
                                const tacho_source **out_source)
{
    const tacho_view_options defaults = {0};
    const tacho_view_options *chosen = options != NULL ? options : &defaults;
    *files = (tacho_view_files){
        .selection = TACHO_SELECT_ALL,
        .progress = chosen->progress,
        .skipped = chosen->skipped,
        .user = chosen->user,
    };
    if (chosen->progress != NULL) {
        files->intake.progress = (tacho_progress){tell, files};
        files->intake.is_cancelled = &files->is_cancelled;
    }
    tacho_source_options_set_number(&files->intake.options, "slices", chosen->slice_count);
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved,
                                        sizeof(chosen->reserved) / sizeof(chosen->reserved[0])));
    TACHO_TRY(request_source(chosen->from, out_source));
    TACHO_TRY(select_events(files, chosen));
    if (chosen->clock_mhz != NULL) {
        files->intake.options.clock_mhz = tacho_str_from_cstring(chosen->clock_mhz);
    }
    if (chosen->program != NULL) {
        tacho_source_options_set_path(&files->intake.options, "program",
                                      tacho_str_from_cstring(chosen->program));
    }
    return TACHO_OK;
}

static void tell_skipped(void *user, const tacho_intake_input *input, tacho_status status)
{
    const tacho_view_files *files = user;
    (void)input;
    if (files->skipped != NULL) {
        files->skipped(files->user, tacho_status_message(status));
    }
    tacho_status_free(status);
}

tacho_status tacho_view_files_open(tacho_view_files *files, const char *const *paths,
                                   size_t path_count, const tacho_view_options *options)
{
    tacho_input_set_options how = {.source = NULL};
    const tacho_input_skips skips = {tell_skipped, files};
    *files = (tacho_view_files){.progress = NULL};
    TACHO_TRY(tacho_view_check_paths(paths, path_count));
    TACHO_TRY(begin_files(files, options, &how.source));
    TACHO_TRY(tacho_input_set_open(&files->set, paths, path_count, &how, &files->intake));
    if (path_count > 0) {
        tacho_input_set_skip_links(&files->set, &skips);
        TACHO_TRY(tacho_input_set_skip_strangers(&files->set, &skips, &files->intake));
    }
    return tacho_intake_check(&files->intake);
}

static tacho_status take_input(const tacho_input_view *from, size_t number,
                               tacho_intake_input *out_input)
{
    bool has_bytes = from->bytes != NULL || from->byte_count > 0;
    TACHO_TRY(tacho_view_check_reserved(from->reserved,
                                        sizeof(from->reserved) / sizeof(from->reserved[0])));
    if (has_bytes == (from->path != NULL) || (from->bytes == NULL && has_bytes)) {
        return tacho_fail(TACHO_CODE_USAGE, "input %zu has to have a path or bytes, and not both",
                          number);
    }
    out_input->name = from->name;
    out_input->path = from->path;
    if (has_bytes) {
        out_input->is_in_memory = true;
        out_input->bytes = tacho_str_make(from->bytes, from->byte_count);
        out_input->path = from->name != NULL ? from->name : "memory";
    }
    return TACHO_OK;
}

tacho_status tacho_view_files_open_inputs(tacho_view_files *files, const tacho_input_view *inputs,
                                          size_t input_count, const tacho_view_options *options)
{
    const tacho_source *source = NULL;
    *files = (tacho_view_files){.progress = NULL};
    if (inputs == NULL && input_count > 0) {
        return tacho_fail(TACHO_CODE_USAGE, "no inputs given (NULL)");
    }
    TACHO_TRY(begin_files(files, options, &source));
    files->set.inputs = tacho_items_alloc(input_count, sizeof(*files->set.inputs));
    if (files->set.inputs == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu inputs", input_count);
    }
    for (size_t i = 0; i < input_count; i++) {
        files->set.inputs[i].source = source;
        TACHO_TRY(take_input(&inputs[i], i + 1, &files->set.inputs[i]));
    }
    files->intake.inputs = files->set.inputs;
    files->intake.input_count = input_count;
    return tacho_intake_check(&files->intake);
}

void tacho_view_files_close(tacho_view_files *files)
{
    tacho_text_filter_close(&files->filter);
    tacho_input_set_close(&files->set);
}

tacho_status tacho_view_sink(const char *name, const char *path, const tacho_trace_sink **out_sink)
{
    if (path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no output file given (NULL)");
    }
    *out_sink = name != NULL ? tacho_trace_sink_find(tacho_str_from_cstring(name))
                             : tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
    return *out_sink != NULL ? TACHO_OK
                             : tacho_fail(TACHO_CODE_USAGE, "unknown trace format or suffix: '%s'",
                                          name != NULL ? name : path);
}
