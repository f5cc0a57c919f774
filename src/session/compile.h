/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running the compiler: model and machine in; tables, a profile, a program and dumps out.
 */
#ifndef TACHO_SESSION_COMPILE_H
#define TACHO_SESSION_COMPILE_H

#include "estimates/estimate_tables.h"
#include "base/notes.h"
#include "compile/compile.h"
#include "compile/timeline.h"
#include "graph/model.h"
#include "session/compile_dumps.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"

typedef struct tacho_compile_request {
    const char *model_path;
    tacho_model_options model;
    const char *const *inputs; /* values for what only they decide, as for a run ... */
    size_t input_count;        /* ... 0: nothing is known of them */
    const tacho_machine *machine;
    tacho_compile_options compile;
    const tacho_table_sink *table_sink;
    const char *output_path; /* of the tables; "-" for standard output; NULL: none are written */
    const tacho_table_taker *keeper; /* gets the tables as well (optional) */
    tacho_estimate_table_options table;
    const char *profile_path; /* NULL: none */
    const tacho_trace_sink *profile_sink;
    const char *program_path;   /* NULL: the program is not kept */
    const char *program_folder; /* to be made for it, or NULL */
    tacho_compile_dumps dumps;
    bool has_advice;   /* tables of what limits the program and what to try, ahead of the others */
    bool has_metrics;  /* tables of what the program is made of */
    bool has_warnings; /* about what costs time */
    bool is_quiet;     /* warnings are all that is said */
    const tacho_notes *notes;
} tacho_compile_request;

typedef struct tacho_compile_result {
    size_t op_count;      /* that the table's filter accepts */
    size_t unknown_count; /* operators without a cost rule */
} tacho_compile_result;

/* Runs it. Outputs are all put in place, or none is. */
tacho_status tacho_compile_run(const tacho_compile_request *request,
                               tacho_compile_result *out_result) TACHO_MUST_USE;

#endif
