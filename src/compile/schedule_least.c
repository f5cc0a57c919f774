/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lower bounds of operators, however they are scheduled: the constants of a product are read from
 * shared memory at its rate, or the engines of all cores multiply at their peak, and then the cores
 * meet. A candidate with fewer cores that can no longer be the fastest is dropped by this bound.
 */
#include "base/maths.h"
#include "compile/machine_view.h"
#include "compile/schedule.h"

/* Whole cycles of |amount| at |rate|; 0: the machine has none. */
static int64_t cycles_at(uint64_t amount, tacho_ratio rate)
{
    if (rate.num <= 0 || amount > INT64_MAX) {
        return 0;
    }
    tacho_u128 cycles = (tacho_u128)amount * (tacho_u128)rate.den / (tacho_u128)rate.num;
    return cycles > INT64_MAX ? 0 : (int64_t)cycles;
}

/* Of all constants that the operator reads, as the machine keeps them. */
static uint64_t constant_bytes(const tacho_schedule *self, const tacho_fused_op *op)
{
    const tacho_fusion *fusion = self->estimate->fusion;
    uint64_t all = 0;
    for (uint32_t i = 0; i < op->weight_count; i++) {
        const tacho_tensor *tensor = &fusion->graph->tensors[fusion->tensors[op->first_weight + i]];
        all = tacho_size_add(all, tacho_machine_view_bytes(self->estimate->machine, tensor,
                                                           self->estimate->compute));
    }
    return all;
}

/* The most that engines of one kind multiply in a cycle, of all cores together. */
static tacho_ratio peak_rate(const tacho_schedule *self)
{
    const tacho_machine *machine = self->estimate->machine;
    tacho_ratio most = {0, 1};
    for (size_t i = 0; i < machine->engine_count; i++) {
        const tacho_engine *engine = &machine->engines[i];
        tacho_ratio engines = {tacho_quantity_whole(&engine->count) * (int64_t)self->cores, 1};
        for (size_t k = 0; k < engine->mac_count; k++) {
            tacho_ratio rate;
            if (!tacho_ratio_multiply(engine->macs[k].per_cycle.value, engines, &rate)) {
                return (tacho_ratio){0, 1}; /* nothing is known */
            }
            most = tacho_ratio_compare(rate, most) > 0 ? rate : most;
        }
    }
    return most;
}

int64_t tacho_schedule_least(const tacho_schedule *schedule, uint32_t op)
{
    const tacho_estimate *estimate = schedule->estimate;
    const tacho_work *work = &estimate->ops[op].work;
    int64_t launch = tacho_quantity_whole(&estimate->machine->launch_cycles);
    if (!schedule->has_barrier || !schedule->is_tiled) {
        return 0;
    }
    if (work->kind != TACHO_WORK_MATRIX || tacho_estimate_is_unknown(estimate, op)) {
        return launch;
    }
    uint64_t each = tacho_size_multiply(work->k_channels, work->k_window);
    uint64_t results = tacho_size_multiply(work->batch, tacho_size_multiply(work->m, work->n));
    int64_t computes = cycles_at(tacho_size_multiply(results, each), peak_rate(schedule));
    int64_t loads =
        cycles_at(constant_bytes(schedule, &estimate->fusion->ops[op]), schedule->shared_rate);
    return tacho_cycles_add(launch, tacho_most(computes, loads));
}
