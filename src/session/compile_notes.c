/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person should know of a model that was compiled: what is missing, made up, left out or
 * guessed.
 */
#include "compile/machine_view.h"
#include "compile/memory_check.h"
#include "session/compilation.h"

#include <inttypes.h>
#include <stdio.h>

enum { WARNINGS_MAX = 8 };

/* What stands in for the cost of operators that are not known. */
static void write_stand_in(const tacho_machine *machine, char *text, size_t size)
{
    uint32_t processor = tacho_machine_view_processor(machine);
    if (processor == TACHO_NONE) {
        snprintf(text, size, "costed by its bytes and one pass over its results");
        return;
    }
    const tacho_engine *engine = &machine->engines[processor];
    snprintf(text, size, "costed by bytes and as tasks of %.40s, %" PRId64 " cycles each",
             engine->name.data, tacho_quantity_whole(&engine->fixed_job_cycles));
}

static void warn_unknown(const tacho_estimate *estimate, const tacho_notes *notes)
{
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_graph *graph = fusion->graph;
    size_t shown = 0;
    char stand_in[120];
    write_stand_in(estimate->machine, stand_in, sizeof(stand_in));
    for (size_t i = 0; i < fusion->op_count && shown < WARNINGS_MAX; i++) {
        if (!tacho_estimate_is_unknown(estimate, i)) {
            continue;
        }
        const tacho_node *node = &graph->nodes[fusion->ops[i].root];
        const char *why = node->def == NULL                     ? "is not known"
                          : node->def->kind == TACHO_OP_CONTROL ? "is not analysed inside"
                                                                : "has no cost rule";
        tacho_str name = tacho_graph_string(graph, node->name);
        tacho_note(notes, "warning", "%.120s: node %" PRIu32 " %s%.80s%s(%.80s) at %.120s %s: %s",
                   graph->path.data, node->index, name.len > 0 ? "'" : "", name.data,
                   name.len > 0 ? "' " : "", tacho_graph_string(graph, node->type).data,
                   tacho_graph_string(graph, node->location).data, why, stand_in);
        shown++;
    }
    if (estimate->unknown_count > shown) {
        tacho_note(notes, "warning", "%zu more operators %s", estimate->unknown_count - shown,
                   stand_in);
    }
}

/* How an If that was not decided could be. */
static void say_undecided(const tacho_graph *graph, const tacho_notes *notes)
{
    tacho_model_condition condition;
    size_t shown = 0;
    uint32_t last = TACHO_NONE;
    for (size_t i = 0; i < graph->node_count && shown < WARNINGS_MAX; i++) {
        const tacho_node *node = &graph->nodes[i];
        tacho_status status = tacho_model_condition_of(graph, node, &condition);
        bool is_said = last == node->index; /* of the same If, whose choices are several nodes */
        if (status == TACHO_OK && condition.text[0] != '\0' && !is_said) {
            last = node->index;
            tacho_note_hint(notes, condition.hint, "note",
                            "%.120s: node %" PRIu32 " (If) at %.120s: %s", graph->path.data,
                            node->index, tacho_graph_string(graph, node->location).data,
                            condition.text);
            shown++;
        }
        tacho_status_free(status);
    }
}

/* What stands in for values that are absent. */
static void say_absent(const tacho_graph *graph, const tacho_notes *notes)
{
    size_t all = graph->absent_weight_count, zeros = graph->zero_weight_count;
    char stand_in[128];
    if (all == 0) {
        return;
    }
    if (zeros > 0 && zeros < all) {
        snprintf(stand_in, sizeof(stand_in),
                 "seeded random values replace %zu, zeros replace %zu of an integer type",
                 all - zeros, zeros);
    } else {
        snprintf(stand_in, sizeof(stand_in), "%s stand in",
                 zeros > 0 ? "zeros" : "seeded random values");
    }
    tacho_note(notes, "warning", "%.120s: the values of %zu tensor%s are missing: %s",
               graph->path.data, all, all == 1 ? "" : "s", stand_in);
}

static bool is_empty(const tacho_tensor *tensor)
{
    uint64_t elements = 1;
    return tacho_shape_elements(tensor->shape, &elements) && elements == 0;
}

/* Operators that compute nothing: a size of 0 is rarely meant. */
static void say_empty(const tacho_fusion *fusion, const tacho_notes *notes)
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
        tacho_note(notes, "note",
                   "%.120s: a dimension is 0: %zu of %zu operators compute nothing, first node "
                   "%" PRIu32 " (%.80s)",
                   graph->path.data, count, fusion->op_count, first->index,
                   tacho_graph_string(graph, first->type).data);
    }
}

void tacho_compilation_say_model(const tacho_compilation *compilation, const tacho_notes *notes)
{
    const tacho_fusion *fusion = &compilation->fusion;
    const tacho_graph *graph = &compilation->graph;
    if (graph->note.len > 0) {
        tacho_note(notes, "note", "%.120s: %.*s", graph->path.data,
                   (int)(graph->note.len < 300 ? graph->note.len : 300), graph->note.data);
    }
    say_empty(fusion, notes);
    say_undecided(graph, notes);
    if (fusion->unused_count > 0) {
        tacho_note(notes, "note", "%.120s: %zu node%s left out: unused results", graph->path.data,
                   fusion->unused_count, fusion->unused_count == 1 ? "" : "s");
    }
}

/* A program that does not fit is not written; an estimate says so. */
static void warn_of_memory(const tacho_compilation *self, const tacho_notes *notes)
{
    tacho_status status = tacho_memory_check(&self->estimate, &self->program);
    if (status != TACHO_OK) {
        tacho_note(notes, "warning", "%.120s: %.400s", self->graph.path.data,
                   tacho_status_message(status));
        tacho_status_free(status);
    }
}

/* Products in types that the machine lacks, once for each type. */
static void say_types(const tacho_estimate *estimate, const tacho_notes *notes)
{
    bool has_said[TACHO_DTYPE_COUNT] = {false};
    for (size_t i = 0; i < estimate->fusion->op_count; i++) {
        tacho_dtype type = estimate->ops[i].cost.compute;
        tacho_dtype as = tacho_estimate_stand_in(estimate, i);
        if (as != TACHO_DTYPE_NONE && !has_said[type]) {
            has_said[type] = true;
            tacho_note(notes, "note",
                       "%.80s has no rate for products of %s; they are costed at its rate for %s",
                       estimate->machine->name.data, tacho_dtype_name(type), tacho_dtype_name(as));
        }
    }
}

void tacho_compilation_say_doubts(const tacho_compilation *compilation, const tacho_notes *notes)
{
    say_absent(&compilation->graph, notes);
    warn_unknown(&compilation->estimate, notes);
    say_types(&compilation->estimate, notes);
    warn_of_memory(compilation, notes);
}
