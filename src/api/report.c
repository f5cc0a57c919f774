/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of reports.
 */
#include "api/entry.h"
#include "api/view_files.h"
#include "pipeline/report.h"

#include <tacho/report.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void skip(void *user, tacho_status status)
{
    const tacho_report_options *options = user;
    if (options->skipped != NULL) {
        options->skipped(options->input.user, tacho_status_message(status));
    }
    tacho_status_free(status);
}

static tacho_status list_inputs(tacho_input_list *list, const char *const *paths, size_t path_count,
                                const char *output_path)
{
    for (size_t i = 0; i < path_count; i++) {
        TACHO_TRY(tacho_input_list_add_some(list, paths[i], output_path));
    }
    return TACHO_OK;
}

static tacho_status write_page(const tacho_view_files *files, const tacho_input_list *list,
                               const char *output_path, const tacho_report_options *options,
                               tacho_report_result *out_result)
{
    tacho_page_request request = {
        .intake = files->intake,
        .selection = &files->selection,
        .source = files->set.inputs[0].source,
        .output_path = output_path,
        .title = options->title != NULL ? options->title : tacho_page_default_title(list),
        .is_strict = options->is_strict,
        .skip = skip,
        .user = (void *)(uintptr_t)options,
    };
    tacho_page_result result;
    TACHO_TRY(tacho_page_write(&request, list, &result));
    if (out_result != NULL) {
        *out_result = (tacho_report_result){.read_count = result.read_count,
                                            .skipped_count = result.skipped_count,
                                            .span_count = result.span_count,
                                            .has_losses = result.has_losses};
    }
    return TACHO_OK;
}

/* Lists what the paths stand for, and writes the page of it. */
static tacho_status report(const char *const *paths, size_t path_count, const char *output_path,
                           const tacho_report_options *options, tacho_report_result *out_result)
{
    tacho_input_list list;
    tacho_view_files files = {.progress = NULL};
    tacho_input_list_init(&list);
    tacho_status status = list_inputs(&list, paths, path_count, output_path);
    if (status == TACHO_OK) {
        status = tacho_view_files_open(&files, list.paths, list.path_count, &options->input);
    }
    if (status == TACHO_OK) {
        status = tacho_intake_check_output(&files.intake, output_path);
    }
    if (status == TACHO_OK) {
        status = write_page(&files, &list, output_path, options, out_result);
    }
    tacho_view_files_close(&files);
    tacho_input_list_deinit(&list);
    return status;
}

tacho_status tacho_report_write(const char *const *paths, size_t path_count,
                                const char *output_path, const tacho_report_options *options,
                                tacho_report_result *out_result)
{
    const tacho_report_options defaults = {.title = NULL};
    const tacho_report_options *chosen = options != NULL ? options : &defaults;
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    TACHO_TRY(tacho_view_check_paths(paths, path_count));
    if (output_path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no output file given (NULL)");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = report(paths, path_count, output_path, chosen, out_result);
    tacho_entry_end(entry);
    return status;
}
