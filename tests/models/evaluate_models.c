/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate_models [--at-least N] FILE...: computes models on seeded-random inputs, twice, and
 * prints a line for each: "computed" with a hash of its outputs, "unsupported" or "FAILED" with
 * the reason. Exits with 1 when one fails, gives another result the second time, or fewer than N
 * are computed; with 77 when no file is there.
 */
#include "graph/evaluate.h"
#include "graph/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { INPUTS_MAX = 64 };

static tacho_status make_inputs(tacho_graph *graph, tacho_array *out_inputs)
{
    if (graph->input_count > INPUTS_MAX || graph->output_count > INPUTS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "too many inputs or outputs");
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        const tacho_tensor *tensor = &graph->tensors[graph->inputs[i]];
        tacho_constant random = {.kind = TACHO_CONSTANT_RANDOM, .seed = i + 1};
        uint64_t bytes;
        out_inputs[i] = (tacho_array){.dtype = tensor->dtype, .shape = *tensor->shape};
        if (!tacho_tensor_bytes(tensor, &bytes)) {
            return tacho_fail(TACHO_CODE_UNSUPPORTED, "an input's shape is not known");
        }
        TACHO_TRY(tacho_arena_alloc(&graph->arena, (size_t)bytes, &out_inputs[i].data));
        tacho_constant_expand(&random, tensor, out_inputs[i].data);
    }
    return TACHO_OK;
}

static uint64_t hash_of(const tacho_array *arrays, size_t array_count)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < array_count; i++) {
        uint64_t count = 0, bytes = 0;
        if (tacho_shape_elements(&arrays[i].shape, &count) &&
            tacho_dtype_bytes(arrays[i].dtype, count, &bytes)) {
            for (uint64_t j = 0; j < bytes; j++) {
                hash = (hash ^ ((const unsigned char *)arrays[i].data)[j]) * 0x100000001b3u;
            }
        }
    }
    return hash;
}

static tacho_status evaluate(const char *path, uint64_t *out_hash)
{
    tacho_model_options options = {0};
    tacho_graph graph;
    tacho_array inputs[INPUTS_MAX] = {0}, outputs[INPUTS_MAX] = {0};
    tacho_status status = tacho_graph_init(&graph);
    status = status != TACHO_OK ? status : tacho_model_read(path, &options, &graph);
    status = status != TACHO_OK ? status : make_inputs(&graph, inputs);
    if (status == TACHO_OK) {
        status = tacho_graph_evaluate(&graph, inputs, graph.input_count, outputs);
        *out_hash = status == TACHO_OK ? hash_of(outputs, graph.output_count) : 0;
        tacho_arrays_free(outputs, graph.output_count);
    }
    tacho_graph_deinit(&graph);
    return status;
}

int main(int argc, char **argv)
{
    unsigned computed = 0, unsupported = 0, failed = 0, at_least = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        uint64_t hash = 0, again = 0;
        if (strcmp(argv[i], "--at-least") == 0 && i + 1 < argc) {
            at_least = (unsigned)strtoul(argv[++i], NULL, 10);
            continue;
        }
        if (stat(argv[i], &info) != 0) {
            continue;
        }
        tacho_status status = evaluate(argv[i], &hash);
        status = status != TACHO_OK ? status : evaluate(argv[i], &again);
        if (status == TACHO_OK && hash == again) {
            printf("computed %s: %016llx\n", argv[i], (unsigned long long)hash);
            computed++;
        } else if (tacho_status_code(status) == TACHO_CODE_UNSUPPORTED) {
            printf("unsupported %s\n", tacho_status_message(status));
            unsupported++;
        } else {
            printf("FAILED %s: %s\n", argv[i],
                   status == TACHO_OK ? "two results" : tacho_status_message(status));
            failed++;
        }
        tacho_status_free(status);
    }
    printf("all computed=%u unsupported=%u failed=%u\n", computed, unsupported, failed);
    if (computed + unsupported + failed == 0) {
        return 77;
    }
    return failed > 0 || computed < at_least ? 1 : 0;
}
