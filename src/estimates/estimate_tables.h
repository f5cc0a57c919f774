/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler's estimate and the contents of its program, as tables: tacho_analysis_estimate and
 * tacho_analysis_metrics.
 */
#ifndef TACHO_ESTIMATES_ESTIMATE_TABLES_H
#define TACHO_ESTIMATES_ESTIMATE_TABLES_H

#include "compile/estimate.h"
#include "profile/select.h"
#include "program/program.h"
#include "table/table.h"

/* The subject of both: a compiled network. */
typedef struct tacho_compiled_subject {
    const tacho_estimate *estimate;
    const tacho_program *program;
    const tacho_machine *machine;
    uint64_t file_bytes; /* of the program's file; 0: no file */
} tacho_compiled_subject;

/* The order of operators. */
typedef enum tacho_estimate_sort {
    TACHO_ESTIMATE_BY_ORDER, /* as they run */
    TACHO_ESTIMATE_BY_CYCLES,
    TACHO_ESTIMATE_BY_MACS,
    TACHO_ESTIMATE_BY_BYTES,
    TACHO_ESTIMATE_BY_NAME,
    TACHO_ESTIMATE_SORT_COUNT,
} tacho_estimate_sort;

/* Options of tacho_analysis_estimate. */
typedef struct tacho_estimate_table_options {
    tacho_estimate_sort sort;
    size_t top;               /* maximum operators; 0: all */
    bool is_for_people;       /* fewer columns, larger units, the summary first */
    tacho_name_filter filter; /* of operators by name or type; a NULL |accepts| accepts all */
} tacho_estimate_table_options;

/* Counts the operators that |filter| accepts. */
tacho_status tacho_estimate_count(const tacho_estimate *estimate, const tacho_name_filter *filter,
                                  size_t *out_count) TACHO_MUST_USE;

#endif
