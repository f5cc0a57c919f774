/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model to graph to operators to program; then what the person asked for.
 */
#include "cli/compile_run.h"

#include "base/index.h"
#include "base/input.h"
#include "cli/command.h"
#include "cli/compile_metrics.h"
#include "cli/file_kind.h"
#include "cli/talk.h"
#include "compile/machine_view.h"
#include "program/container.h"
#include "pipeline/pipeline.h"

#include <inttypes.h>
#include <stdio.h>

enum { WARNINGS_MAX = 8 };

/* What there is to write. */
typedef struct compiled {
    const tacho_compile_request *request;
    const tacho_estimate *estimate;
    const tacho_program *program;
    uint64_t program_bytes; /* once it is written */
} compiled;

/* ---- the profile --------------------------------------------------------------------------- */

static tacho_status produce_timeline(void *self, tacho_order_mode mode, tacho_events *events)
{
    (void)mode;
    return tacho_timeline_push(self, events);
}

static tacho_status write_profile(const compiled *self, tacho_output *output)
{
    const tacho_compile_request *request = self->request;
    tacho_timeline timeline = {self->estimate, self->program};
    if (request->is_torq_profile) {
        return tacho_timeline_write_torq(&timeline, request->torq_form, output);
    }
    tacho_tracing tracing = {
        .producer = {produce_timeline, &timeline, TACHO_ORDER_SORT_ALL},
        .selection = TACHO_SELECT_ALL,
        .sink = request->profile_sink,
    };
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = tacho_pipeline_write_to(&tracing, &dict, output);
    }
    tacho_dict_deinit(&dict);
    return status;
}

/* ---- tables -------------------------------------------------------------------------------- */

typedef tacho_status (*make_table)(const compiled *self, tacho_table *out_table);

static tacho_status make_operators(const compiled *self, tacho_table *out_table)
{
    return tacho_estimate_ops_table(self->estimate, &self->request->table, out_table);
}

static tacho_status add_line(tacho_table *table, const char *what, const char *value)
{
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(what)));
    return tacho_table_add_text(table, tacho_str_from_cstring(value));
}

/* Who shares the work, where more than one inference or device does. */
static tacho_status add_shares(const compiled *self, tacho_table *table)
{
    const tacho_program_facts *facts = &self->program->facts;
    char text[128];
    if (facts->batch_size > 1) {
        snprintf(text, sizeof(text), "%" PRIu32 " inferences as one; total is of all of them",
                 facts->batch_size);
        TACHO_TRY(add_line(table, "batch", text));
    }
    if (facts->device_count > 1) {
        snprintf(text, sizeof(text),
                 "%" PRIu32 " in turn; inferences do not overlap in total and "
                 "rate",
                 facts->device_count);
        TACHO_TRY(add_line(table, "devices", text));
    }
    return TACHO_OK;
}

static tacho_status make_summary(const compiled *self, tacho_table *out_table)
{
    if (!self->request->table.is_for_people) {
        return tacho_estimate_totals_table(self->estimate, out_table);
    }
    TACHO_TRY(tacho_estimate_summary_table(self->estimate, out_table));
    return add_shares(self, out_table);
}

static tacho_status make_bounds(const compiled *self, tacho_table *out_table)
{
    return tacho_estimate_bounds_table(self->estimate, out_table);
}

static tacho_status make_memory(const compiled *self, tacho_table *out_table)
{
    return tacho_memory_table(self->program, self->request->machine, out_table);
}

static tacho_status make_metrics(const compiled *self, tacho_table *out_table)
{
    return tacho_compile_metrics_table(self->program, self->program_bytes, out_table);
}

static tacho_status make_cores(const compiled *self, tacho_table *out_table)
{
    return tacho_compile_cores_table(self->program, out_table);
}

static tacho_status add_each(const compiled *self, const make_table *makers, size_t count,
                             tacho_table_report *report)
{
    for (size_t i = 0; i < count; i++) {
        tacho_table table = {0};
        tacho_status status = makers[i](self, &table);
        if (status == TACHO_OK && table.cell_count > 0) {
            status = tacho_table_report_add(report, &table);
        }
        tacho_table_deinit(&table);
        TACHO_TRY(status);
    }
    return TACHO_OK;
}

static tacho_status add_tables(const compiled *self, tacho_table_report *report)
{
    static const make_table for_people[] = {make_summary, make_memory, make_bounds, make_operators};
    static const make_table for_programs[] = {make_operators, make_summary, make_bounds,
                                              make_memory};
    static const make_table metrics[] = {make_metrics, make_cores};
    const tacho_compile_request *request = self->request;
    if (request->output_path != NULL) {
        TACHO_TRY(
            add_each(self, request->table.is_for_people ? for_people : for_programs, 4, report));
    }
    return request->has_metrics ? add_each(self, metrics, 2, report) : TACHO_OK;
}

static tacho_status write_tables(const compiled *self, tacho_output *output)
{
    tacho_table_report report;
    TACHO_TRY(tacho_table_report_open(&report, self->request->table_sink, output));
    tacho_status status = add_tables(self, &report);
    if (status == TACHO_OK) {
        status = tacho_table_report_finish(&report);
    }
    tacho_table_report_close(&report);
    return status;
}

/* ---- outputs ------------------------------------------------------------------------------- */

/* What is open; NULL where it is not wanted. */
typedef struct open_outputs {
    tacho_compile_outputs files;
    tacho_output *program, *profile, *report;
    tacho_compile_dump_files dumps;
} open_outputs;

static tacho_status open_wanted(open_outputs *outputs, const char *path, const char *what,
                                tacho_output **out_output)
{
    return path != NULL ? tacho_compile_outputs_open(&outputs->files, path, what, out_output)
                        : TACHO_OK;
}

static tacho_status open_all(const compiled *self, open_outputs *outputs)
{
    const tacho_compile_request *request = self->request;
    const char *report = request->output_path;
    if (report == NULL && request->has_metrics) {
        report = "-";
    }
    outputs->files.mappings = &self->estimate->fusion->graph->mappings;
    TACHO_TRY(tacho_compile_outputs_add_input(&outputs->files, request->machine->path.data));
    if (request->program_path != NULL && request->program_folder != NULL) {
        TACHO_TRY(tacho_compile_outputs_folder(&outputs->files, request->program_folder));
    }
    TACHO_TRY(tacho_compile_dumps_open(&request->dumps, self->program, request->model_path,
                                       &outputs->files, &outputs->dumps));
    TACHO_TRY(request->program_folder != NULL && request->program_path != NULL
                  ? tacho_compile_outputs_open_chosen(&outputs->files, request->program_path,
                                                      "program", TACHO_QPC_MARK, &outputs->program)
                  : open_wanted(outputs, request->program_path, "program", &outputs->program));
    TACHO_TRY(open_wanted(outputs, request->profile_path, "timeline", &outputs->profile));
    return open_wanted(outputs, report, "tables", &outputs->report);
}

static tacho_status write_all(compiled *self, open_outputs *outputs)
{
    const tacho_compile_request *request = self->request;
    tacho_dump dump = {
        .fusion = self->estimate->fusion,
        .program = self->program,
        .has_profile = request->dumps.has_profile,
    };
    if (outputs->program != NULL) {
        TACHO_TRY(tacho_program_write_to(self->program, outputs->program));
        self->program_bytes = tacho_output_offset(outputs->program);
    }
    if (outputs->profile != NULL) {
        TACHO_TRY(write_profile(self, outputs->profile));
    }
    TACHO_TRY(tacho_compile_dumps_write(&request->dumps, &dump, &outputs->dumps));
    return outputs->report != NULL ? write_tables(self, outputs->report) : TACHO_OK;
}

static tacho_status write_outputs(compiled *self)
{
    open_outputs outputs = {0};
    tacho_compile_outputs_init(&outputs.files);
    tacho_status status = open_all(self, &outputs);
    if (status == TACHO_OK) {
        status = write_all(self, &outputs);
    }
    if (status == TACHO_OK) {
        status = tacho_compile_outputs_commit(&outputs.files);
    }
    tacho_compile_outputs_deinit(&outputs.files);
    return status;
}

/* ---- warnings ------------------------------------------------------------------------------ */

/* What stands in for the cost of operators that are not known. */
static void write_stand_in(const tacho_machine *machine, char *text, size_t size)
{
    uint32_t processor = tacho_machine_view_processor(machine);
    if (processor == TACHO_NONE) {
        snprintf(text, size, "costed by bytes alone");
        return;
    }
    const tacho_engine *engine = &machine->engines[processor];
    snprintf(text, size, "costed by bytes and as tasks of %.40s, %" PRId64 " cycles each",
             engine->name.data, tacho_quantity_whole(&engine->fixed_job_cycles));
}

static void warn_unknown(const tacho_estimate *estimate)
{
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_graph *graph = fusion->graph;
    size_t shown = 0;
    char text[600];
    char stand_in[120];
    write_stand_in(estimate->machine, stand_in, sizeof(stand_in));
    for (size_t i = 0; i < fusion->op_count && shown < WARNINGS_MAX; i++) {
        if (!tacho_estimate_is_unknown(estimate, i)) {
            continue;
        }
        const tacho_node *node = &graph->nodes[fusion->ops[i].root];
        const char *why = node->def == NULL                     ? "is not known"
                          : node->def->kind == TACHO_OP_CONTROL ? "is not looked into"
                                                                : "has no cost rule";
        tacho_str name = tacho_graph_string(graph, node->name);
        snprintf(text, sizeof(text), "%.120s: node %" PRIu32 " %s%.80s%s(%.80s) at %.120s %s: %s",
                 graph->path.data, node->index, name.len > 0 ? "'" : "", name.data,
                 name.len > 0 ? "' " : "", tacho_graph_string(graph, node->type).data,
                 tacho_graph_string(graph, node->location).data, why, stand_in);
        tacho_talk_line("warning", text);
        shown++;
    }
    if (estimate->unknown_count > shown) {
        snprintf(text, sizeof(text), "%zu more operators %s", estimate->unknown_count - shown,
                 stand_in);
        tacho_talk_line("warning", text);
    }
}

/* Operators are not divided between devices. */
static void say_devices(const compiled *self)
{
    uint32_t used = self->program->facts.device_count;
    char text[128];
    if (self->request->compile.devices > used) {
        snprintf(text, sizeof(text),
                 "%" PRIu32 " of %" PRIu32 " devices used: the network has no more operators", used,
                 self->request->compile.devices);
        tacho_talk_line("note", text);
    }
}

/* How an If that was not decided could be. */
static void say_undecided(const tacho_graph *graph)
{
    char text[600], hint[TACHO_CONDITION_TEXT_MAX];
    size_t shown = 0;
    for (size_t i = 0; i < graph->node_count && shown < WARNINGS_MAX; i++) {
        const tacho_node *node = &graph->nodes[i];
        tacho_status status = tacho_model_condition_hint(graph, node, hint);
        if (status == TACHO_OK && hint[0] != '\0') {
            snprintf(text, sizeof(text), "%.120s: node %" PRIu32 " (If) at %.120s: %s",
                     graph->path.data, node->index, tacho_graph_string(graph, node->location).data,
                     hint);
            tacho_talk_line("note", text);
            shown++;
        }
        tacho_status_free(status);
    }
}

/* What stands in for values that are absent. */
static void say_absent(const tacho_graph *graph)
{
    size_t all = graph->absent_weight_count, zeros = graph->zero_weight_count;
    char text[320], stand_in[128];
    if (all == 0) {
        return;
    }
    if (zeros > 0 && zeros < all) {
        snprintf(stand_in, sizeof(stand_in),
                 "seeded-random ones stand in for %zu, zeros for %zu of an integer type",
                 all - zeros, zeros);
    } else {
        snprintf(stand_in, sizeof(stand_in), "%s stand in",
                 zeros > 0 ? "zeros" : "seeded-random ones");
    }
    snprintf(text, sizeof(text), "%.120s: the values of %zu tensor%s are absent: %s",
             graph->path.data, all, all == 1 ? "" : "s", stand_in);
    tacho_talk_line("note", text);
}

static bool is_empty(const tacho_tensor *tensor)
{
    uint64_t elements = 1;
    return tacho_shape_elements(tensor->shape, &elements) && elements == 0;
}

/* Operators that compute nothing: a size of 0 is rarely meant. */
static void say_empty(const tacho_fusion *fusion)
{
    const tacho_graph *graph = fusion->graph;
    const tacho_node *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        bool is_nothing = op->output_count > 0;
        for (uint32_t j = 0; j < op->output_count; j++) {
            is_nothing &= is_empty(tacho_fusion_tensor(fusion, op->first_output, j));
        }
        first = is_nothing && first == NULL ? &graph->nodes[op->root] : first;
        count += is_nothing ? 1 : 0;
    }
    if (count > 0) {
        char text[400];
        snprintf(text, sizeof(text),
                 "%.120s: a dimension is 0: %zu of %zu operators compute nothing, first node "
                 "%" PRIu32 " (%.80s)",
                 graph->path.data, count, fusion->op_count, first->index,
                 tacho_graph_string(graph, first->type).data);
        tacho_talk_line("note", text);
    }
}

/* What the reader had to choose or to make up, and what is left out. */
void tacho_compile_say_model(const tacho_fusion *fusion)
{
    const tacho_graph *graph = fusion->graph;
    char text[512];
    if (graph->note.len > 0) {
        snprintf(text, sizeof(text), "%.120s: %.*s", graph->path.data,
                 (int)(graph->note.len < 300 ? graph->note.len : 300), graph->note.data);
        tacho_talk_line("note", text);
    }
    say_absent(graph);
    say_empty(fusion);
    say_undecided(graph);
    if (fusion->unused_count > 0) {
        snprintf(text, sizeof(text), "%.120s: %zu node%s left out: unused results",
                 graph->path.data, fusion->unused_count, fusion->unused_count == 1 ? "" : "s");
        tacho_talk_line("note", text);
    }
}

/* A program that does not fit is not written; an estimate says so. */
static void warn_of_memory(const compiled *self)
{
    tacho_status status = tacho_memory_check(self->estimate, self->program);
    if (status != TACHO_OK) {
        char text[600];
        snprintf(text, sizeof(text), "%.120s: %.400s", self->request->model_path,
                 tacho_status_message(status));
        tacho_talk_line("warning", text);
        tacho_status_free(status);
    }
}

static void say_file(const char *path, const char *what, size_t count, const char *unit)
{
    char text[512];
    snprintf(text, sizeof(text), "%.200s: %s%zu %s%s", path, what, count, unit,
             count == 1 ? "" : "s");
    tacho_talk_line("wrote", text);
}

static void say_dumps(const tacho_compile_dumps *dumps, const tacho_program *program)
{
    if (dumps->phases_dir != NULL) {
        say_file(dumps->phases_dir, "", tacho_compile_dumps_phase_count(), "dump");
    }
    if (dumps->tree_dir != NULL) {
        say_file(dumps->tree_dir, "", tacho_compile_dumps_phase_count(), "dump");
    }
    if (dumps->debug_dir != NULL) {
        say_file(dumps->debug_dir, "", program->dispatch_count, "dump");
    }
}

static void say_wrote(const compiled *self)
{
    const tacho_compile_request *request = self->request;
    size_t op_count = self->estimate->fusion->op_count;
    char text[512];
    if (request->output_path != NULL && request->table.top > 0 && request->table.top < op_count) {
        snprintf(text, sizeof(text), "%zu more operator%s; --top 0 shows all",
                 op_count - request->table.top, op_count - request->table.top == 1 ? "" : "s");
        tacho_talk_line("note", text);
    }
    if (request->program_path != NULL) {
        say_file(request->program_path, "the program of ", op_count, "operator");
    }
    if (request->profile_path != NULL) {
        say_file(request->profile_path, "the estimated timeline of ", op_count, "operator");
    }
    if (request->output_path != NULL && strcmp(request->output_path, "-") != 0) {
        say_file(request->output_path, "the tables of ", op_count, "operator");
    }
    say_dumps(&request->dumps, self->program);
}

/* ---- the run ------------------------------------------------------------------------------- */

static tacho_status finish(compiled *self)
{
    const tacho_compile_request *request = self->request;
    TACHO_TRY(write_outputs(self));
    if (!request->is_quiet) {
        tacho_compile_say_model(self->estimate->fusion);
        say_devices(self);
    }
    warn_unknown(self->estimate);
    warn_of_memory(self);
    if (request->has_warnings) {
        TACHO_TRY(tacho_compile_warn(self->estimate, self->program));
    }
    if (!request->is_quiet) {
        say_wrote(self);
    }
    return TACHO_OK;
}

static tacho_status compile_on(compiled *self, const tacho_fusion *fusion, tacho_estimate *estimate,
                               tacho_program *program)
{
    tacho_compile_options options = self->request->compile;
    options.has_values = self->request->program_path != NULL;
    return tacho_compile_program(fusion, self->request->machine, &options, estimate, program);
}

static tacho_status compile_fusion(const tacho_compile_request *request, const tacho_fusion *fusion,
                                   bool *out_has_unknown)
{
    if (fusion->op_count == 0) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA,
            "%s: nothing to run: all %zu nodes are views or depend on constants alone",
            request->model_path, fusion->graph->node_count);
    }
    tacho_estimate estimate = {0};
    tacho_program program = {0};
    compiled self = {.request = request, .estimate = &estimate, .program = &program};
    tacho_status status = compile_on(&self, fusion, &estimate, &program);
    if (status == TACHO_OK) {
        status = finish(&self);
    }
    *out_has_unknown = estimate.unknown_count > 0;
    tacho_estimate_deinit(&estimate);
    tacho_program_deinit(&program);
    return status;
}

static tacho_status run_graph(const tacho_compile_request *request, tacho_graph *graph,
                              bool *out_has_unknown)
{
    TACHO_TRY(tacho_cli_note_no_model(tacho_model_read(request->model_path, &request->model, graph),
                                      request->model_path));
    tacho_fusion fusion;
    tacho_status status = tacho_fusion_init(&fusion, graph);
    if (status == TACHO_OK) {
        status = compile_fusion(request, &fusion, out_has_unknown);
    }
    tacho_fusion_deinit(&fusion);
    return status;
}

static tacho_status check_output(const tacho_compile_request *request, const char *path)
{
    if (path == NULL || !tacho_input_is_same_file(request->model_path, path)) {
        return TACHO_OK;
    }
    return tacho_fail(TACHO_CODE_USAGE, "%s is the model and would be overwritten", path);
}

static tacho_status run(const tacho_compile_request *request, bool *out_has_unknown)
{
    TACHO_TRY(check_output(request, request->output_path));
    TACHO_TRY(check_output(request, request->profile_path));
    TACHO_TRY(check_output(request, request->program_path));
    if (request->program_path != NULL) {
        TACHO_TRY(tacho_program_check_path(request->program_path));
    }
    tacho_graph graph;
    tacho_status status = tacho_graph_init(&graph);
    if (status == TACHO_OK) {
        status = run_graph(request, &graph, out_has_unknown);
    }
    tacho_graph_deinit(&graph);
    return status;
}

/* An estimate may guess; a program that lacks a kernel does not run everywhere. */
int tacho_compile_run(const tacho_compile_request *request)
{
    bool has_unknown = false;
    tacho_status status = run(request, &has_unknown);
    if (status != TACHO_OK) {
        return tacho_talk_failure(status);
    }
    return has_unknown && request->program_path != NULL ? TACHO_EXIT_LOSSY : TACHO_EXIT_DONE;
}
