/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running an estimate: model and machine in, tables and a profile out.
 */
#ifndef TACHO_CLI_COMPILE_RUN_H
#define TACHO_CLI_COMPILE_RUN_H

#include "compile/compile.h"
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
    const char *output_path; /* of the tables; "-" for standard output */
    tacho_estimate_table_options table;
    const char *profile_path; /* NULL: none */
    const tacho_trace_sink *profile_sink;
    bool is_torq_profile; /* in place of a trace: a Torq timeline */
    tacho_torq_timeline_form torq_form;
    bool is_quiet;
} tacho_compile_request;

/* Runs it and returns the exit code. Outputs are all put in place, or none is. */
int tacho_compile_run(const tacho_compile_request *request);

#endif
