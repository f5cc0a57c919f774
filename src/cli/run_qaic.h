/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runner of Qualcomm Cloud AI 100 prints and writes of a run beside raw stats.
 */
#ifndef TACHO_CLI_RUN_QAIC_H
#define TACHO_CLI_RUN_QAIC_H

#include "cli/run_session.h"
#include "table/table.h"

/* One row per metric of the device: mean, least, most, standard deviation. */
tacho_status tacho_run_qaic_table(const tacho_run_session *session,
                                  tacho_table *out_table) TACHO_MUST_USE;

/* The line that the runner ends with: inferences, how long they took, how many per second. */
void tacho_run_qaic_print_line(const tacho_run_session *session, tacho_output *output);

/*
 * The latency file: four lines that say what it is of, then a row per recorded inference. What the
 * device or the program does not tell is N/A.
 */
tacho_status tacho_run_qaic_latency_file(const tacho_run_session *session,
                                         const char *path) TACHO_MUST_USE;

#endif
