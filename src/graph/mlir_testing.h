/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of the MLIR model reader: graphs from texts in memory.
 */
#ifndef TACHO_GRAPH_MLIR_TESTING_H
#define TACHO_GRAPH_MLIR_TESTING_H

#include "graph/infer.h"
#include "graph/model.h"

#include <stdio.h>

/* Reads, sorts and infers |text|, as tacho_model_read does with a file called m.mlir. */
static inline tacho_status read_mlir(tacho_graph *graph, tacho_str text,
                                     const tacho_model_options *options)
{
    TACHO_TRY(tacho_graph_init(graph));
    graph->path = TACHO_STR("m.mlir");
    TACHO_TRY(tacho_mlir_reader.read(graph, text, options));
    TACHO_TRY(tacho_graph_sort(graph));
    return tacho_graph_infer(graph);
}

/* The message of reading |text|, "ok" when it can be read. */
static inline const char *message_of(const char *text, char *to, size_t size)
{
    tacho_graph graph;
    tacho_status status = read_mlir(&graph, tacho_str_from_cstring(text), NULL);
    snprintf(to, size, "%s", status == TACHO_OK ? "ok" : tacho_status_message(status));
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
    return to;
}

/* Reading |text| must fail with a message that contains |part|. */
#define EXPECT_FAILURE(text, part)                                                                 \
    do {                                                                                           \
        char message[1024];                                                                        \
        if (strstr(message_of((text), message, sizeof(message)), (part)) == NULL) {                \
            fail_msg("expected '%s' in '%s'", (part), message);                                    \
        }                                                                                          \
    } while (0)

#define EXPECT_OK(text)                                                                            \
    do {                                                                                           \
        char message[1024];                                                                        \
        assert_string_equal(message_of((text), message, sizeof(message)), "ok");                   \
    } while (0)

#endif
