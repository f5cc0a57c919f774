/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file of a report: its rows go by once, and what the page needs of them is kept: columns,
 * busy times, operators, layers, and the tables of analyses. Memory does not grow with the number
 * of rows, but for those that the page holds one by one.
 */
#ifndef TACHO_PIPELINE_REPORT_INTAKE_H
#define TACHO_PIPELINE_REPORT_INTAKE_H

#include "questions/analysis.h"
#include "questions/groups/groups.h"
#include "questions/ops/ops.h"
#include "questions/overview/overview.h"
#include "estimates/roofline/roofline_options.h"
#include "pipeline/intake.h"
#include "sinks/report_page.h"

enum { TACHO_REPORT_ANALYSES = 4 };

typedef struct tacho_report_intake {
    tacho_events events;
    tacho_overview_gather busy;
    tacho_ops_gather ops;
    tacho_events
        *analyses[TACHO_REPORT_ANALYSES]; /* whose tables are on the page; NULL: given up */
    tacho_roofline_options roofline;
    uint64_t row_count;
    tacho_groups layers;
    report_columns columns;
} tacho_report_intake;

/* What is read, and how. */
typedef struct tacho_report_reading {
    const tacho_intake *intake;
    const tacho_selection *selection;
    const struct tacho_roof *roof; /* of the machine (optional) */
} tacho_report_reading;

/* Reads the inputs of |reading| into an empty |dict|. To be deinitialised, also after a failure. */
tacho_status tacho_report_intake_read(tacho_report_intake *taken,
                                      const tacho_report_reading *reading,
                                      tacho_dict *dict) TACHO_MUST_USE;
void tacho_report_intake_deinit(tacho_report_intake *taken);

/* The operators of all rows, in an array to be freed: work, then phases, which the page counts only
 * when asked to. */
tacho_status tacho_report_intake_ops(const tacho_report_intake *taken, tacho_report_op **out_ops,
                                     size_t *out_count) TACHO_MUST_USE;

/* Adds what was read to the page. */
tacho_status tacho_report_intake_add(tacho_report_intake *taken,
                                     tacho_report *report) TACHO_MUST_USE;

#endif
