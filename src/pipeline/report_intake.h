/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file of a report: its rows go by once, and what the page needs of them is kept: columns,
 * busy times and operators. Memory does not grow with the number of rows.
 */
#ifndef TACHO_PIPELINE_REPORT_INTAKE_H
#define TACHO_PIPELINE_REPORT_INTAKE_H

#include "analyses/analysis.h"
#include "analyses/ops.h"
#include "analyses/overview.h"
#include "pipeline/intake.h"
#include "sinks/report_page.h"

typedef struct tacho_report_intake {
    tacho_events events;
    tacho_overview_gather busy;
    tacho_ops_gather ops;
    tacho_events *processes; /* the analysis of that name */
    report_columns columns;
} tacho_report_intake;

/* Reads the inputs of |intake| into an empty |dict|. To be deinitialised, also after a failure. */
tacho_status tacho_report_intake_read(tacho_report_intake *taken, const tacho_intake *intake,
                                      const tacho_selection *selection,
                                      tacho_dict *dict) TACHO_MUST_USE;
void tacho_report_intake_deinit(tacho_report_intake *taken);

/* Adds what was read to the page. */
tacho_status tacho_report_intake_add(tacho_report_intake *taken,
                                     tacho_report *report) TACHO_MUST_USE;

#endif
