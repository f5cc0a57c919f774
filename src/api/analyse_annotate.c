/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of annotations.
 */
#include "api/entry.h"
#include "api/view_files.h"
#include "api/tables.h"
#include "questions/annotate/debug_info_table.h"
#include "questions/info/info.h"
#include "vendors/torq/annotated.h"

#include <tacho/analyse.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What is wanted of an annotation. */
typedef struct wanted_annotation {
    const tacho_annotation_set *set;
    const tacho_trace_sink *sink; /* NULL: no trace */
    const char *trace_path;
} wanted_annotation;

static tacho_status add_tables(const tacho_annotated *annotated, const char *debug_path,
                               const tacho_annotation_set *set, tacho_tables *tables)
{
    tacho_table table = {0};
    tacho_tables_target target = {.tables = tables};
    const tacho_table_taker taker = tacho_tables_taker(&target);
    TACHO_TRY(tacho_analysis_annotate.make(&annotated->annotation, set, &taker));
    tacho_debug_input debug = {.info = &annotated->info,
                               .file = tacho_str_from_cstring(debug_path)};
    tacho_status status = tacho_debug_info_inputs(&debug, 1, &table);
    return tacho_tables_add(tables, status, &table, debug_path);
}

static tacho_status add_losses(tacho_annotated *annotated, tacho_tables *tables)
{
    tacho_info info;
    tacho_table table = {0};
    tacho_info_init(&info, &annotated->dict);
    tacho_status status = tacho_info_losses(&info, &table);
    tacho_info_deinit(&info);
    return tacho_tables_add(tables, status, &table, NULL);
}

static tacho_status read_and_add(const tacho_annotate_request *request,
                                 const wanted_annotation *wanted, tacho_tables *tables)
{
    tacho_annotated annotated;
    uint64_t row_count = 0;
    tacho_status status = tacho_annotated_open(&annotated, request);
    if (status == TACHO_OK) {
        status = add_tables(&annotated, request->debug_path, wanted->set, tables);
    }
    if (status == TACHO_OK) {
        status = add_losses(&annotated, tables);
    }
    if (status == TACHO_OK && wanted->sink != NULL) {
        status =
            tacho_annotated_write_trace(&annotated, wanted->sink, wanted->trace_path, &row_count);
    }
    tacho_annotated_close(&annotated);
    return status;
}

static tacho_status choose(const tacho_analyse_annotate_options *options,
                           const tacho_annotate_request *request, wanted_annotation *out_wanted)
{
    const char *columns = options->columns != NULL ? options->columns : "native";
    *out_wanted = (wanted_annotation){
        .set = tacho_annotation_set_find(tacho_str_from_cstring(columns)),
        .trace_path = options->trace,
    };
    if (out_wanted->set == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "unknown set of columns '%s'; use native or torq-a3",
                          columns);
    }
    if (options->trace == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_view_sink(NULL, options->trace, &out_wanted->sink));
    return tacho_annotate_request_check_output(request, options->trace);
}

static tacho_status annotate(const char *debug_path, const tacho_analyse_annotate_options *options,
                             tacho_view_files *files, tacho_tables **out_tables)
{
    tacho_annotate_request request = {
        .debug_path = debug_path,
        .intake = files->intake,
        .source_dirs = options->source_dirs,
        .source_dir_count = options->source_dir_count,
        .needs_no_ops = options->omit_inner,
    };
    wanted_annotation wanted;
    tacho_tables *tables = NULL;
    for (size_t i = 0; i < files->intake.input_count; i++) {
        files->set.inputs[i].accepted = tacho_view_runtime_sources;
    }
    if (!tacho_selection_is_all(&files->selection)) {
        return tacho_fail(TACHO_CODE_USAGE, "all of a profile is annotated, not a part of it");
    }
    TACHO_TRY(choose(options, &request, &wanted));
    TACHO_TRY(tacho_tables_create(&tables));
    tacho_status status = read_and_add(&request, &wanted, tables);
    return tacho_tables_finish(tables, status, out_tables);
}

tacho_status tacho_analyse_annotate(const char *debug_path, const char *const *paths,
                                    size_t path_count,
                                    const tacho_analyse_annotate_options *options,
                                    tacho_tables **out_tables)
{
    const tacho_analyse_annotate_options defaults = {.columns = NULL};
    const tacho_analyse_annotate_options *chosen = options != NULL ? options : &defaults;
    tacho_view_files files;
    TACHO_TRY(tacho_tables_check_place(out_tables));
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved, COUNT_OF(chosen->reserved)));
    TACHO_TRY(tacho_view_check_paths(chosen->source_dirs, chosen->source_dir_count));
    if (debug_path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no debug information given (NULL)");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_view_files_open(&files, paths, path_count, &chosen->input);
    if (status == TACHO_OK) {
        status = annotate(debug_path, chosen, &files, out_tables);
    }
    tacho_view_files_close(&files);
    tacho_entry_end(entry);
    return status;
}
