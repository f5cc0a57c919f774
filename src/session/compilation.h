/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one road from a model's file to a program: graph, fusion, estimate, program. All of them stay
 * until it is closed, since estimates, dumps and timelines speak of the operators of the graph.
 */
#ifndef TACHO_SESSION_COMPILATION_H
#define TACHO_SESSION_COMPILATION_H

#include "base/notes.h"
#include "compile/compile.h"
#include "graph/model.h"
#include "sinks/trace_sink.h"

typedef struct tacho_compilation {
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_estimate estimate;
    tacho_program program;
} tacho_compilation;

typedef struct tacho_compilation_request {
    const char *path; /* of the model */
    const tacho_model_options *model;
    const tacho_machine *machine;
    const tacho_compile_options *options;
} tacho_compilation_request;

/* Reads and compiles the model. Close it even after a failure. */
tacho_status tacho_compilation_open(tacho_compilation *compilation,
                                    const tacho_compilation_request *request) TACHO_MUST_USE;
void tacho_compilation_close(tacho_compilation *compilation);

/* Writes the estimated timeline to |output|, which the caller commits. */
tacho_status tacho_compilation_write_timeline(const tacho_compilation *compilation,
                                              const tacho_trace_sink *sink,
                                              tacho_output *output) TACHO_MUST_USE;

/* Says what the reader had to choose, and what is left out. */
void tacho_compilation_say_model(const tacho_compilation *compilation, const tacho_notes *notes);

/* Says which values are made up, which operators have no cost rule, and whether the program fits
 * its machine. */
void tacho_compilation_say_doubts(const tacho_compilation *compilation, const tacho_notes *notes);

#endif
