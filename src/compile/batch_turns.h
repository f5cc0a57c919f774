/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch whose results do not fit local memory goes through the network in turns, as many
 * inferences at a time as fit. The program is that of one turn; its operators take what all turns
 * take together, one after the other. A batch that does not divide evenly has a last turn that is
 * padded: it takes as long as the others, and moves as much.
 */
#ifndef TACHO_COMPILE_BATCH_TURNS_H
#define TACHO_COMPILE_BATCH_TURNS_H

#include "compile/estimate.h"
#include "program/program.h"

/* Whether turns could help: shared memory holds a result that only operators read. */
bool tacho_batch_turns_help(const tacho_estimate *estimate);

/*
 * Has jobs, operators and sums stand for |turns| turns of |batch| inferences in all. Drops the
 * regions that each job touches: they are another part of the batch in each turn. Cycles that do
 * not fit are BAD_DATA.
 */
tacho_status tacho_batch_turns_take(uint64_t turns, uint32_t batch, tacho_program *program,
                                    tacho_estimate *estimate,
                                    tacho_op_timing *timings) TACHO_MUST_USE;

#endif
