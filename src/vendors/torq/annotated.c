/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime profile, then of the debug information what its runs need, then the model's lines.
 */
#include "vendors/torq/annotated.h"

#include "questions/overview/overview_tracks.h"
#include "sources/torq/ir_files.h"
#include "sources/torq/model_lines.h"

#include <sys/stat.h>

enum { PAGE_ROWS = 1 << 8 }; /* that a cache can hold */

/* ---- reading ---------------------------------------------------------------------------- */

static tacho_status read_debug_info(tacho_annotated *self, const char *path)
{
    tacho_strings wanted;
    bool is_all = false;
    tacho_status status = tacho_strings_init(&wanted);
    if (status == TACHO_OK) {
        status = torq_ir_wanted(&self->dict, &wanted, &is_all);
    }
    if (status == TACHO_OK) {
        status = torq_ir_read_path(path, is_all ? NULL : &wanted, &self->info);
    }
    tacho_strings_deinit(&wanted);
    return status;
}

/* Whether a regular file at |path| is a profile that |accepted| holds. */
static bool is_profile(const char *path, const tacho_source *const *accepted)
{
    const tacho_source *source = NULL;
    tacho_input input;
    struct stat facts;
    if (accepted == NULL || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return false;
    }
    tacho_status status = tacho_input_open(path, &input);
    if (status == TACHO_OK) {
        status = tacho_source_resolve(&input, &source);
        tacho_input_close(&input);
    }
    bool is_found = false;
    for (size_t i = 0; status == TACHO_OK && accepted[i] != NULL; i++) {
        is_found = is_found || accepted[i] == source;
    }
    tacho_status_free(status);
    return is_found;
}

/* Notices inputs that were named in the wrong order, where that is plain. */
static tacho_status check_roles(const tacho_annotate_request *request)
{
    const char *debug_path = request->debug_path;
    if (debug_path[0] == '\0') {
        return tacho_fail(TACHO_CODE_USAGE, "the name of the debug information is empty");
    }
    for (size_t i = 0; i < request->intake.input_count; i++) {
        const tacho_intake_input *input = &request->intake.inputs[i];
        bool is_debug_info = input->source == NULL && torq_ir_is_debug_path(input->path);
        bool is_swapped = is_profile(debug_path, input->accepted);
        if (is_swapped && is_debug_info) {
            return tacho_fail(TACHO_CODE_USAGE,
                              "%s is a runtime profile and %s debug information; give the debug "
                              "information first",
                              debug_path, input->path);
        }
        if (is_swapped) {
            return tacho_fail(
                TACHO_CODE_USAGE,
                "%s is a runtime profile; give the compiler's debug information first", debug_path);
        }
        if (is_debug_info) {
            return tacho_fail(
                TACHO_CODE_USAGE,
                "%s is a directory or MLIR; expected a runtime profile after the debug information",
                input->path);
        }
    }
    return TACHO_OK;
}

static tacho_status read_all(tacho_annotated *self, const tacho_annotate_request *request)
{
    TACHO_TRY(check_roles(request));
    TACHO_TRY(tacho_intake_load(&request->intake, &TACHO_SELECT_ALL, &self->dict, &self->profile));
    bool has_locations = self->dict.location_count > 0; /* of the runtime profiles */
    TACHO_TRY(read_debug_info(self, request->debug_path));
    torq_model_search search = {
        .dirs = request->source_dirs,
        .dir_count = request->source_dir_count,
        .debug_path = request->debug_path,
        .is_compared = has_locations,
    };
    TACHO_TRY(torq_model_lines_resolve(&self->info, &search));
    tacho_annotate_options options = {.omit_inner = request->needs_no_ops};
    return tacho_annotate(&self->info, &self->profile, &options, &self->annotation);
}

static tacho_status refuse_losses(const tacho_annotated *self)
{
    TACHO_TRY(tacho_pipeline_refuse_losses(&self->dict));
    return tacho_annotated_is_lossy(self)
               ? tacho_fail_hint(TACHO_CODE_BAD_DATA, TACHO_HINT_STRICT,
                                 "some input was not understood or has no match")
               : TACHO_OK;
}

tacho_status tacho_annotated_open(tacho_annotated *annotated, const tacho_annotate_request *request)
{
    *annotated = (tacho_annotated){.annotation = {.info = NULL}};
    TACHO_TRY(tacho_dict_init(&annotated->dict));
    tacho_profile_init(&annotated->profile, &annotated->dict);
    tacho_debug_info_init(&annotated->info, &annotated->dict);
    TACHO_TRY(read_all(annotated, request));
    return request->is_strict ? refuse_losses(annotated) : TACHO_OK;
}

void tacho_annotated_close(tacho_annotated *annotated)
{
    tacho_annotation_deinit(&annotated->annotation);
    tacho_debug_info_deinit(&annotated->info);
    tacho_profile_deinit(&annotated->profile);
    tacho_dict_deinit(&annotated->dict);
}

bool tacho_annotated_is_lossy(const tacho_annotated *annotated)
{
    return annotated->dict.loss_count > 0 || tacho_debug_info_trouble_count(&annotated->info) > 0 ||
           tacho_annotation_unmatched_count(&annotated->annotation) > 0;
}

/* ---- writing ---------------------------------------------------------------------------- */

tacho_status tacho_annotate_request_check_output(const tacho_annotate_request *request,
                                                 const char *output_path)
{
    bool is_input = tacho_input_is_same_file(request->debug_path, output_path);
    for (size_t i = 0; i < request->intake.input_count; i++) {
        is_input =
            is_input || tacho_input_is_same_file(request->intake.inputs[i].path, output_path);
    }
    return is_input ? tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten",
                                 output_path)
                    : TACHO_OK;
}

/* What is written, page by page where the sink can. */
typedef struct table_job {
    const tacho_annotation *annotation;
    const tacho_annotation_set *set;
    const tacho_table_sink *sink;
    bool is_vendors;
    size_t row_count; /* written */
} table_job;

static tacho_status write_all(table_job *job, tacho_annotation_pages *pages,
                              tacho_table_report *report)
{
    size_t page_rows = tacho_table_sink_can_append(job->sink) ? PAGE_ROWS : SIZE_MAX;
    tacho_table *page = NULL;
    TACHO_TRY(tacho_annotation_pages_next(pages, page_rows, &page));
    for (bool is_first = true; page != NULL; is_first = false) {
        page->title = job->is_vendors ? "Detailed Performance Data" : page->title; /* the sheet */
        job->row_count += tacho_table_row_count(page);
        TACHO_TRY(is_first ? tacho_table_report_add(report, page)
                           : tacho_table_report_append(report, page));
        TACHO_TRY(tacho_annotation_pages_next(pages, page_rows, &page));
    }
    return tacho_table_report_finish(report);
}

static tacho_status write_pages(table_job *job, tacho_table_report *report)
{
    tacho_annotation_pages *pages = NULL;
    TACHO_TRY(tacho_annotation_pages_open(job->annotation, job->set, &pages));
    tacho_status status = write_all(job, pages, report);
    tacho_annotation_pages_close(pages);
    return status;
}

static tacho_status write_report(table_job *job, tacho_output *output)
{
    tacho_table_report report;
    TACHO_TRY(tacho_table_report_open(&report, job->sink, output));
    tacho_status status = write_pages(job, &report);
    tacho_table_report_close(&report);
    return status;
}

tacho_status tacho_annotated_write_table(const tacho_annotated *annotated,
                                         const tacho_annotation_set *set,
                                         const tacho_table_sink *sink, const char *path,
                                         size_t *out_row_count)
{
    table_job job = {.annotation = &annotated->annotation, .set = set, .sink = sink};
    job.is_vendors = set != tacho_annotation_set_find(TACHO_STR("native"));
    if (job.is_vendors && sink == &tacho_table_sink_csv) {
        job.sink = &tacho_table_sink_plain_csv;
    }
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = write_report(&job, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    *out_row_count = job.row_count;
    return status;
}

static tacho_status produce(void *self, tacho_order_mode mode, tacho_events *events)
{
    const tacho_annotated *annotated = self;
    tacho_overview_tracks tracks;
    (void)mode;
    tacho_overview_tracks_init(&tracks, events);
    tacho_status status = tacho_annotation_push(&annotated->annotation, &tracks.events);
    if (status == TACHO_OK) {
        status = tacho_events_finish(&tracks.events);
    }
    tacho_overview_tracks_deinit(&tracks);
    return status;
}

/* Of jobs that have a match all engines are known: one that is not shown did nothing. */
static void cover_engines(tacho_annotated *self)
{
    for (size_t i = 0; i < self->annotation.row_count; i++) {
        const tacho_annotation_row *row = &self->annotation.rows[i];
        if (row->kind == TACHO_ANNOTATION_JOB && row->job != TACHO_NONE) {
            self->dict.parts[row->part].covered_classes |=
                TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN) | TACHO_TRACK_BIT(TACHO_TRACK_DMA_OUT) |
                TACHO_TRACK_BIT(TACHO_TRACK_DMA_LOCAL) | TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE) |
                TACHO_TRACK_BIT(TACHO_TRACK_VECTOR);
        }
    }
}

tacho_status tacho_annotated_write_trace(tacho_annotated *annotated, const tacho_trace_sink *sink,
                                         const char *path, uint64_t *out_row_count)
{
    tacho_tracing tracing = {
        .producer = {.produce = produce, .self = annotated, .first_mode = TACHO_ORDER_SORT_ALL},
        .selection = TACHO_SELECT_ALL,
        .sink = sink,
        .options = {.side_by_side = annotated->dict.part_count > 1},
        .path = path,
    };
    cover_engines(annotated);
    tacho_status status = tacho_pipeline_write(&tracing, &annotated->dict);
    *out_row_count = 0;
    for (size_t i = 0; i < annotated->dict.part_count; i++) {
        *out_row_count += annotated->dict.parts[i].row_count;
    }
    return status;
}
