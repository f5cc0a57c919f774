/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model to graph to operators to estimate; then what the person asked for.
 */
#include "cli/compile_run.h"

#include "base/input.h"
#include "base/index.h"
#include "cli/command.h"
#include "cli/talk.h"
#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/spool.h"

#include <inttypes.h>
#include <stdio.h>

enum { WARNINGS_MAX = 8 };

/* ---- the profile --------------------------------------------------------------------------- */

static tacho_status push_ordered(const tacho_timeline *timeline, tacho_events *next)
{
    tacho_order *order = NULL;
    TACHO_TRY(tacho_order_create(next, TACHO_ORDER_SORT, TACHO_SPOOL_DEFAULT_BYTES, &order));
    tacho_status status = tacho_timeline_push(timeline, tacho_order_events(order));
    tacho_order_destroy(order);
    return status;
}

static tacho_status write_trace(const tacho_trace_sink *sink, const tacho_timeline *timeline,
                                tacho_dict *dict, tacho_output *output)
{
    tacho_trace_options options = {.omit_args = false};
    tacho_events *events = NULL;
    TACHO_TRY(sink->open(dict, output, &options, &events));
    tacho_lanes *lanes = NULL;
    tacho_status status = tacho_lanes_create(events, &lanes);
    if (status == TACHO_OK) {
        status = push_ordered(timeline, tacho_lanes_events(lanes));
        tacho_lanes_destroy(lanes);
    }
    sink->close(events);
    return status;
}

static tacho_status write_profile(const tacho_compile_request *request,
                                  const tacho_timeline *timeline, tacho_output *output)
{
    if (request->is_torq_profile) {
        return tacho_timeline_write_torq(timeline, request->torq_form, output);
    }
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = write_trace(request->profile_sink, timeline, &dict, output);
    }
    tacho_dict_deinit(&dict);
    return status;
}

/* ---- tables -------------------------------------------------------------------------------- */

typedef tacho_status (*make_table)(const tacho_compile_request *request,
                                   const tacho_estimate *estimate, tacho_table *out_table);

static tacho_status make_operators(const tacho_compile_request *request,
                                   const tacho_estimate *estimate, tacho_table *out_table)
{
    return tacho_estimate_ops_table(estimate, &request->table, out_table);
}

static tacho_status make_summary(const tacho_compile_request *request,
                                 const tacho_estimate *estimate, tacho_table *out_table)
{
    return request->table.is_for_people ? tacho_estimate_summary_table(estimate, out_table)
                                        : tacho_estimate_totals_table(estimate, out_table);
}

static tacho_status make_bounds(const tacho_compile_request *request,
                                const tacho_estimate *estimate, tacho_table *out_table)
{
    (void)request;
    return tacho_estimate_bounds_table(estimate, out_table);
}

static tacho_status add_tables(const tacho_compile_request *request, const tacho_estimate *estimate,
                               tacho_table_report *report)
{
    static const make_table for_people[] = {make_summary, make_bounds, make_operators};
    static const make_table for_programs[] = {make_operators, make_summary, make_bounds};
    const make_table *makers = request->table.is_for_people ? for_people : for_programs;
    for (size_t i = 0; i < 3; i++) {
        tacho_table table = {0};
        tacho_status status = makers[i](request, estimate, &table);
        if (status == TACHO_OK && table.cell_count > 0) {
            status = tacho_table_report_add(report, &table);
        }
        tacho_table_deinit(&table);
        TACHO_TRY(status);
    }
    return TACHO_OK;
}

static tacho_status write_tables(const tacho_compile_request *request,
                                 const tacho_estimate *estimate, tacho_output *output)
{
    tacho_table_report report;
    TACHO_TRY(tacho_table_report_open(&report, request->table_sink, output));
    tacho_status status = add_tables(request, estimate, &report);
    if (status == TACHO_OK) {
        status = tacho_table_report_finish(&report);
    }
    tacho_table_report_close(&report);
    return status;
}

/* ---- outputs ------------------------------------------------------------------------------- */

static tacho_status write_report(const tacho_compile_request *request,
                                 const tacho_estimate *estimate)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(request->output_path, &output));
    tacho_status status = write_tables(request, estimate, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

/* The profile first, but put in place last: a failure leaves neither. */
static tacho_status write_outputs(const tacho_compile_request *request,
                                  const tacho_estimate *estimate, const tacho_program *program)
{
    tacho_timeline timeline = {estimate, program};
    if (request->profile_path == NULL) {
        return write_report(request, estimate);
    }
    tacho_output output;
    TACHO_TRY(tacho_output_open(request->profile_path, &output));
    tacho_status status = write_profile(request, &timeline, &output);
    if (status == TACHO_OK) {
        status = write_report(request, estimate);
    }
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

/* ---- warnings ------------------------------------------------------------------------------ */

static void warn_unknown(const tacho_estimate *estimate)
{
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_graph *graph = fusion->graph;
    size_t shown = 0;
    char text[512];
    for (size_t i = 0; i < fusion->op_count && shown < WARNINGS_MAX; i++) {
        if (!tacho_estimate_is_unknown(estimate, i)) {
            continue;
        }
        const tacho_node *node = &graph->nodes[fusion->ops[i].root];
        const char *why = node->def == NULL                     ? "is not known"
                          : node->def->kind == TACHO_OP_CONTROL ? "is not looked into"
                                                                : "has no cost rule";
        tacho_str name = tacho_graph_string(graph, node->name);
        snprintf(text, sizeof(text),
                 "%.120s: node %" PRIu32 " %s%.80s%s(%.80s) at %.120s %s: costed by its bytes",
                 graph->path.data, node->index, name.len > 0 ? "'" : "", name.data,
                 name.len > 0 ? "' " : "", tacho_graph_string(graph, node->type).data,
                 tacho_graph_string(graph, node->location).data, why);
        tacho_talk_line("warning", text);
        shown++;
    }
    if (estimate->unknown_count > shown) {
        snprintf(text, sizeof(text), "%zu more operators costed by their bytes",
                 estimate->unknown_count - shown);
        tacho_talk_line("warning", text);
    }
}

static void say_wrote(const tacho_compile_request *request, const tacho_estimate *estimate)
{
    size_t op_count = estimate->fusion->op_count;
    char text[512];
    if (request->table.top > 0 && request->table.top < op_count) {
        snprintf(text, sizeof(text), "%zu more operator%s; --top 0 shows all",
                 op_count - request->table.top, op_count - request->table.top == 1 ? "" : "s");
        tacho_talk_line("note", text);
    }
    if (request->profile_path != NULL) {
        snprintf(text, sizeof(text), "%.200s: the estimated timeline of %zu operator%s",
                 request->profile_path, op_count, op_count == 1 ? "" : "s");
        tacho_talk_line("wrote", text);
    }
}

/* ---- the run ------------------------------------------------------------------------------- */

static tacho_status estimate_fusion(const tacho_compile_request *request,
                                    const tacho_fusion *fusion)
{
    if (fusion->op_count == 0) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA,
            "%s: nothing to run: all %zu nodes are views or depend on constants alone",
            request->model_path, fusion->graph->node_count);
    }
    tacho_estimate estimate;
    tacho_program program;
    tacho_status status =
        tacho_compile_program(fusion, request->machine, &request->compile, &estimate, &program);
    if (status == TACHO_OK) {
        status = write_outputs(request, &estimate, &program);
    }
    if (status == TACHO_OK) {
        warn_unknown(&estimate);
    }
    if (status == TACHO_OK && !request->is_quiet) {
        say_wrote(request, &estimate);
    }
    tacho_estimate_deinit(&estimate);
    tacho_program_deinit(&program);
    return status;
}

static tacho_status run_graph(const tacho_compile_request *request, tacho_graph *graph)
{
    TACHO_TRY(tacho_model_read(request->model_path, &request->model, graph));
    tacho_fusion fusion;
    tacho_status status = tacho_fusion_init(&fusion, graph);
    if (status == TACHO_OK) {
        status = estimate_fusion(request, &fusion);
    }
    tacho_fusion_deinit(&fusion);
    return status;
}

static tacho_status check_output(const tacho_compile_request *request, const char *path)
{
    if (path == NULL || !tacho_input_is_same_file(request->model_path, path)) {
        return TACHO_OK;
    }
    return tacho_fail(TACHO_CODE_USAGE, "%s is the model; writing there would destroy it", path);
}

static tacho_status run(const tacho_compile_request *request)
{
    TACHO_TRY(check_output(request, request->output_path));
    TACHO_TRY(check_output(request, request->profile_path));
    tacho_graph graph;
    tacho_status status = tacho_graph_init(&graph);
    if (status == TACHO_OK) {
        status = run_graph(request, &graph);
    }
    tacho_graph_deinit(&graph);
    return status;
}

int tacho_compile_run(const tacho_compile_request *request)
{
    tacho_status status = run(request);
    return status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
}
