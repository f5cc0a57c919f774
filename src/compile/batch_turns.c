/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One turn becomes many: every number that grows with the inferences is multiplied.
 */
#include "compile/batch_turns.h"

#include "base/index.h"
#include "base/maths.h"

bool tacho_batch_turns_help(const tacho_estimate *estimate)
{
    const tacho_fusion *fusion = estimate->fusion;
    for (size_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        if (estimate->ops[i].work.output.place == TACHO_PLACE_DDR && op->output_count > 0 &&
            !fusion->graph->tensors[fusion->tensors[op->first_output]].is_output) {
            return true;
        }
    }
    return false;
}

static void multiply_timing(uint64_t turns, tacho_op_timing *timing)
{
    int64_t *const cycles[] = {&timing->link_cycles, &timing->shared_cycles};
    for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++) {
        *cycles[i] = tacho_cycles_multiply(*cycles[i], turns);
    }
    timing->link_bytes = tacho_size_multiply(timing->link_bytes, turns);
}

/* Scales by the batch, not by all turns: unused results count as padding. */
static uint64_t of_batch(uint64_t macs, uint64_t part, uint64_t batch)
{
    tacho_u128 all = (tacho_u128)macs * batch / (part > 0 ? part : 1);
    return all < UINT64_MAX ? (uint64_t)all : UINT64_MAX;
}

static void multiply_op(uint64_t turns, uint64_t part, uint64_t batch, tacho_op_estimate *op)
{
    tacho_op_cost *cost = &op->cost;
    op->local_bytes = tacho_size_multiply(op->local_bytes, turns);
    op->work.output.bytes = tacho_size_multiply(op->work.output.bytes, turns);
    cost->macs = of_batch(cost->macs, part, batch);
    cost->padded_macs = tacho_size_multiply(cost->padded_macs, turns);
    cost->ideal_cycles = (int64_t)of_batch((uint64_t)cost->ideal_cycles, part, batch);
}

tacho_status tacho_batch_turns_take(uint64_t turns, uint32_t batch, tacho_program *program,
                                    tacho_estimate *estimate, tacho_op_timing *timings)
{
    uint64_t part = estimate->inferences;
    program->facts.total_cycles = tacho_cycles_multiply(program->facts.total_cycles, turns);
    if (program->facts.total_cycles == INT64_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the cycles of %llu turns do not fit 63 bits",
                          (unsigned long long)turns);
    }
    for (size_t i = 0; i < program->job_count; i++) {
        tacho_job *job = &program->jobs[i];
        job->cycles *= (int64_t)turns; /* none is longer than all of them */
        job->start *= (int64_t)turns;
        job->end *= (int64_t)turns;
        job->bytes = tacho_size_multiply(job->bytes, turns);
        job->macs = tacho_size_multiply(job->macs, turns);
        job->first_region = job->region_count = 0;
        job->buffer = TACHO_NONE; /* holds a turn */
    }
    program->region_count = 0;
    for (size_t i = 0; i < program->need_count; i++) {
        program->needs[i].lag = tacho_cycles_multiply(program->needs[i].lag, turns);
    }
    program->facts.batch_size = batch;
    estimate->inferences = batch;
    for (size_t i = 0; i < program->op_count; i++) {
        multiply_op(turns, part, batch, &estimate->ops[i]);
        multiply_timing(turns, &timings[i]);
    }
    return TACHO_OK;
}
