/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running the compiler: model and machine in; tables, a profile, a program and dumps out.
 */
#ifndef TACHO_CLI_COMPILE_RUN_H
#define TACHO_CLI_COMPILE_RUN_H

#include "cli/compile_dumps.h"
#include "compile/compile.h"
#include "compile/memory_table.h"
#include "compile/timeline.h"
#include "graph/model.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"

typedef struct tacho_compile_request {
    const char *model_path;
    tacho_model_options model;
    const tacho_machine *machine;
    tacho_compile_options compile;
    const tacho_table_sink *table_sink;
    const char *output_path; /* of the tables; "-" for standard output; NULL: none are wanted */
    tacho_estimate_table_options table;
    const char *profile_path; /* NULL: none */
    const tacho_trace_sink *profile_sink;
    bool is_torq_profile; /* in place of a trace: a Torq timeline */
    tacho_torq_timeline_form torq_form;
    const char *program_path;   /* NULL: the program is not kept */
    const char *program_folder; /* to be made for it, or NULL */
    tacho_compile_dumps dumps;
    bool has_metrics;  /* tables of what the program is made of */
    bool has_warnings; /* about what costs time */
    bool is_quiet;
} tacho_compile_request;

/* Says what the reader of a model had to choose or to make up, and what is left out. */
void tacho_compile_say_model(const tacho_fusion *fusion);

/* Runs it and returns the exit code. Outputs are all put in place, or none is. */
int tacho_compile_run(const tacho_compile_request *request);

#endif
