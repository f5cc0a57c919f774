/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files one after the other, each in a dictionary of its own.
 */
#include "pipeline/report.h"

#include "pipeline/agreement.h"
#include "pipeline/intake_notes.h"
#include "pipeline/report_intake.h"

/* A page in the making. */
typedef struct page {
    tacho_page_request *request;
    tacho_page_result *result;
    tacho_report report;
    tacho_agreement agreement;
    bool is_alone; /* there is one file only */
} page;

/* Reads one file and adds it to the page; |*out_read| is false where the file is to blame. */
static tacho_status load_and_add(page *self, tacho_dict *dict, bool *out_read)
{
    const tacho_page_request *request = self->request;
    const tacho_report_reading reading = {&request->intake, request->selection, request->roof};
    tacho_report_intake taken;
    tacho_status status = tacho_report_intake_read(&taken, &reading, dict);
    if (request->pause != NULL) {
        request->pause(request->user);
    }
    if (status == TACHO_OK) {
        if (request->says_inputs) {
            tacho_intake_say_inputs(dict, request->notes);
        }
        tacho_intake_say_losses(dict, request->notes);
        tacho_intake_say_selection(dict, request->notes);
        self->result->has_losses = self->result->has_losses || dict->loss_count > 0;
        status = request->is_strict ? tacho_pipeline_refuse_losses(dict) : TACHO_OK;
    }
    if (status == TACHO_OK) {
        *out_read = true;
        self->result->span_count += taken.columns.span_count;
        tacho_agreement_add(&self->agreement, &request->intake.inputs[0], dict);
        status = tacho_report_intake_add(&taken, &self->report);
    }
    tacho_report_intake_deinit(&taken);
    return status;
}

/* A file that cannot be read is named, to the caller and on the page, and the rest goes on. */
static tacho_status skip_file(page *self, const char *path, tacho_status status)
{
    self->result->skipped_count++;
    tacho_status written =
        tacho_report_add_skipped(&self->report, tacho_str_from_cstring(path),
                                 tacho_str_from_cstring(tacho_status_message(status)));
    if (self->request->skip != NULL) {
        self->request->skip(self->request->user, status);
    } else {
        tacho_status_free(status);
    }
    return written;
}

static tacho_status add_file(page *self, const char *path)
{
    tacho_page_request *request = self->request;
    tacho_intake_input input = {.path = path, .source = request->source};
    tacho_dict dict;
    bool is_read = false;
    request->intake.inputs = &input;
    request->intake.input_count = 1;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = load_and_add(self, &dict, &is_read);
    }
    tacho_dict_deinit(&dict);
    if (request->explain != NULL) {
        status = request->explain(request->user, status, &request->intake);
    }
    self->result->read_count += status == TACHO_OK ? 1 : 0;
    /* Among several files one that needs more to be read, a program say, is one to skip. */
    bool is_misuse = tacho_status_code(status) == TACHO_CODE_USAGE && self->is_alone;
    bool is_fatal = is_read || request->is_strict || is_misuse ||
                    tacho_status_code(status) == TACHO_CODE_NO_MEMORY ||
                    tacho_status_code(status) == TACHO_CODE_CANCELLED;
    return status == TACHO_OK || is_fatal ? status : skip_file(self, path, status);
}

/* A link in a folder does not put a file from elsewhere onto the page. */
static tacho_status skip_link(page *self, const char *path)
{
    tacho_status status = tacho_input_list_refuse_link(path);
    return self->request->is_strict ? status : skip_file(self, path, status);
}

static tacho_status take_table(void *self, const tacho_table *table)
{
    return tacho_report_add_table(self, table);
}

static tacho_status add_agreement(page *self)
{
    const tacho_table_taker taker = {take_table, &self->report};
    self->agreement.intake = &self->request->intake;
    self->agreement.options = (tacho_agreement_options){
        .selection = self->request->selection,
        .is_of_any = true,
        .notes = self->request->remarks,
    };
    return tacho_agreement_tables(&self->agreement, &taker);
}

static tacho_status write_page(page *self, const tacho_input_list *list, tacho_output *output)
{
    size_t count = list->path_count + list->link_count;
    TACHO_TRY(
        tacho_report_begin(&self->report, output, tacho_str_from_cstring(self->request->title)));
    self->is_alone = count == 1;
    if (self->request->lead != NULL) {
        TACHO_TRY(self->request->lead(self->request->leader, &self->report));
    }
    for (size_t i = 0; i < list->path_count; i++) {
        TACHO_TRY(add_file(self, list->paths[i]));
    }
    for (size_t i = 0; i < list->link_count; i++) {
        TACHO_TRY(skip_link(self, list->links[i]));
    }
    if (self->report.profile_count == 0 && self->request->lead == NULL) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "none of %zu file%s is a profile", count,
                          count == 1 ? "" : "s");
    }
    TACHO_TRY(add_agreement(self));
    TACHO_TRY(tacho_report_end(&self->report));
    return tacho_output_commit(output);
}

const char *tacho_page_default_title(const tacho_input_list *list)
{
    if (list->path_count != 1) {
        return "Profiles";
    }
    bool is_stdin = strcmp(list->paths[0], "-") == 0;
    return is_stdin ? "standard input"
                    : tacho_str_basename(tacho_str_from_cstring(list->paths[0])).data;
}

tacho_status tacho_page_write(tacho_page_request *request, const tacho_input_list *list,
                              tacho_page_result *out_result)
{
    page self = {.request = request, .result = out_result};
    *out_result = (tacho_page_result){0};
    for (size_t i = 0; i < list->path_count; i++) {
        if (tacho_input_is_same_file(list->paths[i], request->output_path)) {
            return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten",
                              list->paths[i]);
        }
    }
    TACHO_TRY(tacho_intake_check_output(&request->intake, request->output_path));
    tacho_output output;
    TACHO_TRY(tacho_output_open(request->output_path, &output));
    tacho_status status = write_page(&self, list, &output);
    tacho_output_close(&output);
    return status;
}
