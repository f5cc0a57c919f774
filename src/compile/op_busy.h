/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Busy times of an operator's jobs, so that tables show exactly what the schedule shows.
 */
#ifndef TACHO_COMPILE_OP_BUSY_H
#define TACHO_COMPILE_OP_BUSY_H

#include "compile/estimate.h"
#include "program/program.h"

/*
 * Cores that the jobs of |op| run on; cycles of the busiest engine, queue in, queue out and local
 * queue in them, and of its barriers. |busy| has a zero for each engine of the program, before and
 * after.
 */
void tacho_op_busy(const tacho_program *program, const tacho_program_op *op, int64_t *busy,
                   tacho_op_timing *timing);

#endif
