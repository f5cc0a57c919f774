/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which reader a model file is for.
 */
#include "graph/model.h"

#include "graph/infer.h"
#include "graph/model_facts.h"
#include "graph/probe.h"

#include <stdio.h>

static const tacho_model_reader *const readers[] = {&tacho_mlir_reader, &tacho_onnx_reader};

static const tacho_model_reader *find_reader(tacho_str bytes)
{
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        if (readers[i]->is_mine(bytes)) {
            return readers[i];
        }
    }
    return NULL;
}

bool tacho_model_is_model(tacho_str head)
{
    return find_reader(head) != NULL;
}

/* Whether a file that begins with |head| may be one: a version may follow a graph of any length. */
static bool may_be_model(tacho_str head)
{
    static const char graph_tag = 0x3a;
    return tacho_model_is_model(head) || (head.len > 0 && head.data[0] == graph_tag);
}

/* Nodes in file order. */
static tacho_status read_file(const char *path, const tacho_model_options *options,
                              tacho_graph *graph)
{
    tacho_str bytes;
    TACHO_TRY(tacho_arena_copy(&graph->arena, tacho_str_from_cstring(path), &graph->path));
    const tacho_mapping_bound bound = {.is_known = may_be_model};
    TACHO_TRY(tacho_mappings_open_bounded(&graph->mappings, path, &bound, &bytes));
    const tacho_model_reader *reader = find_reader(bytes);
    if (reader == NULL) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s: not a model; expected ONNX, or MLIR text or bytecode of TOSA or "
                          "torch-onnx",
                          path);
    }
    graph->format = reader->format;
    return reader->read(graph, bytes, options);
}

/* "'w', 'b', ..." of the tensors whose values are absent; "" if none has a name. */
static void print_absent_names(const tacho_graph *graph, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < graph->absent_name_count; i++) {
        tacho_str name = tacho_graph_string(graph, graph->absent_names[i]);
        used +=
            (size_t)snprintf(text + used, size - used, "%s'%.80s'", i > 0 ? ", " : " (", name.data);
    }
    if (used > 0) {
        snprintf(text + used, size - used, "%s)",
                 graph->absent_name_count < graph->absent_weight_count ? ", ..." : "");
    }
}

/* NOT_FOUND if values that the options need are absent; names them and their file. */
static tacho_status check_values(const tacho_graph *graph, const tacho_model_options *options)
{
    size_t count = graph->absent_weight_count;
    char names[300];
    if (!options->needs_values || options->has_random_weights || options->has_zero_weights ||
        count == 0) {
        return TACHO_OK;
    }
    print_absent_names(graph, names, sizeof(names));
    const char *plural = count == 1 ? "" : "s";
    tacho_str file = graph->absent_file;
    if (file.len == 0) {
        return tacho_fail_hint(TACHO_CODE_NOT_FOUND, TACHO_HINT_WEIGHTS,
                               "%.*s: the model lacks the values of %zu tensor%s%s; export it with "
                               "its weights",
                               TACHO_STR_ARG(graph->path), count, plural, names);
    }
    bool is_piped = tacho_str_equal(graph->path, TACHO_STR("-"));
    return tacho_fail_hint(TACHO_CODE_NOT_FOUND, TACHO_HINT_WEIGHTS,
                           "%.*s: the values of %zu tensor%s%s are missing: file '%.*s' %s",
                           TACHO_STR_ARG(graph->path), count, plural, names,
                           (int)(file.len < 200 ? file.len : 200), file.data,
                           is_piped ? "cannot be found for a model from standard input; give the "
                                      "model as a file"
                                    : "is not in the model's directory; copy it there");
}

tacho_status tacho_model_read(const char *path, const tacho_model_options *options,
                              tacho_graph *out_graph)
{
    tacho_graph *graph = out_graph;
    TACHO_TRY(read_file(path, options, graph));
    TACHO_TRY(check_values(graph, options));
    TACHO_TRY(tacho_model_bind_inputs(graph, options));
    TACHO_TRY(tacho_graph_sort(graph));
    if (options->values != NULL) {
        TACHO_TRY(tacho_probe_open(graph, options->values, &graph->probe));
    }
    tacho_status status = tacho_graph_infer(graph);
    tacho_probe_close(graph->probe);
    graph->probe = NULL;
    TACHO_TRY(status);
    TACHO_TRY(check_values(graph, options)); /* of branches that were chosen, too */
    tacho_graph_close_branches(graph);
    tacho_graph_trim(graph);
    return TACHO_OK;
}

tacho_status tacho_model_survey(const char *path, tacho_model_facts *facts, tacho_graph *out_graph)
{
    const tacho_model_options options = {.facts = facts};
    TACHO_TRY(read_file(path, &options, out_graph));
    tacho_graph_close_branches(out_graph);
    tacho_model_facts_sort(facts);
    return TACHO_OK;
}
