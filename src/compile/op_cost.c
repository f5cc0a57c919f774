/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operator over the whole machine. Work is cut into one block per core; ways to cut it are
 * tried and the fastest is kept. In a block transfers and computing overlap (double buffering), so
 * the longer of the two counts, and what cannot overlap: the first operands, the last results.
 *
 * Sizes are checked once on entry; below, products go through 128 bits and an overflow is kept as
 * a saturated cost that fails at the end.
 */
#include "compile/op_cost.h"

#include "base/index.h"
#include "base/maths.h"
#include "compile/op_mesh.h"
#include "compile/op_split.h"

enum { SIZE_BITS_MAX = 40 };

static tacho_status check_sizes(const tacho_work *work)
{
    uint64_t all = work->batch | work->m | work->n | work->k_channels | work->k_window;
    uint64_t bytes = work->input.bytes | work->weights.bytes | work->output.bytes;
    uint64_t product;
    if ((all | work->elements) >> SIZE_BITS_MAX != 0 || bytes >> 60 != 0 ||
        work->steps >> 20 != 0 || __builtin_mul_overflow(work->m, work->n, &product) ||
        __builtin_mul_overflow(product, work->k_channels, &product) ||
        __builtin_mul_overflow(product, work->k_window, &product) ||
        __builtin_mul_overflow(product, work->batch, &product) || product >> 60 != 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "the operator is too large to be costed: %llu x %llu x %llu x (%llu x "
                          "%llu), %llu elements",
                          (unsigned long long)work->batch, (unsigned long long)work->m,
                          (unsigned long long)work->n, (unsigned long long)work->k_channels,
                          (unsigned long long)work->k_window, (unsigned long long)work->elements);
    }
    return TACHO_OK;
}

/* ---- engines ----------------------------------------------------------------------------- */

/* The engine that does most of |dtype| per cycle and core; TACHO_NONE when none does any. */
static uint32_t best_engine(const tacho_machine *machine, tacho_work_kind kind, tacho_dtype dtype)
{
    uint32_t best = TACHO_NONE;
    tacho_ratio best_rate = {0, 1};
    for (uint32_t i = 0; i < machine->engine_count; i++) {
        const tacho_engine *engine = &machine->engines[i];
        const tacho_rate *rate = kind == TACHO_WORK_MATRIX ? tacho_cost_mac_rate(engine, dtype)
                                                           : tacho_cost_element_rate(engine, dtype);
        tacho_ratio all;
        if (rate != NULL &&
            tacho_ratio_multiply(rate->per_cycle.value, engine->count.value, &all) &&
            tacho_ratio_compare(all, best_rate) > 0) {
            best = i;
            best_rate = all;
        }
    }
    return best;
}

static tacho_dtype compute_dtype(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_cost_options *options)
{
    if (options->compute != TACHO_DTYPE_NONE) {
        return options->compute;
    }
    tacho_dtype dtype = work->input.dtype;
    if (dtype == TACHO_DTYPE_NONE) {
        dtype = work->output.dtype;
    }
    return tacho_machine_legalise(machine, dtype);
}

/* ---- the estimate ------------------------------------------------------------------------ */

static void set_bound(tacho_op_cost *cost, const tacho_parts *parts)
{
    int64_t moving =
        parts->shared_cycles > parts->core_cycles ? parts->shared_cycles : parts->core_cycles;
    if (cost->cycles == 0) {
        cost->bound = TACHO_BOUND_NONE;
    } else if (cost->launch_cycles > cost->compute_cycles && cost->launch_cycles > moving) {
        cost->bound = TACHO_BOUND_LAUNCH;
    } else if (cost->compute_cycles >= moving) {
        cost->bound = TACHO_BOUND_COMPUTE;
    } else {
        cost->bound =
            parts->shared_cycles >= parts->core_cycles ? TACHO_BOUND_MEMORY : TACHO_BOUND_LOCAL;
    }
}

/* What the work would take at the peak of all engines of the kind. */
static tacho_status set_ideal(const tacho_machine *machine, const tacho_work *work,
                              const tacho_cost_options *options, tacho_op_cost *cost)
{
    if (cost->engine == TACHO_NONE) {
        return TACHO_OK;
    }
    const tacho_engine *engine = &machine->engines[cost->engine];
    bool is_matrix = work->kind == TACHO_WORK_MATRIX;
    const tacho_rate *rate = is_matrix ? tacho_cost_mac_rate(engine, cost->compute)
                                       : tacho_cost_element_rate(engine, cost->compute);
    int64_t passes = is_matrix ? tacho_cost_passes(machine, options->fidelity) : 1;
    tacho_ratio all = {(int64_t)tacho_machine_cores(machine), passes};
    uint64_t amount = is_matrix ? cost->macs : work->elements * work->steps;
    if (rate == NULL || !tacho_ratio_multiply(all, engine->count.value, &all) ||
        !tacho_ratio_multiply(all, rate->per_cycle.value, &all) ||
        !tacho_ratio_ceil_divide(amount, all, &cost->ideal_cycles)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the ideal cycles of an operator do not fit");
    }
    return TACHO_OK;
}

tacho_status tacho_op_cost_estimate(const tacho_machine *machine, const tacho_work *work,
                                    const tacho_cost_options *options, tacho_op_cost *out_cost)
{
    TACHO_TRY(check_sizes(work));
    tacho_op_cost cost = {.engine = TACHO_NONE, .compute = compute_dtype(machine, work, options)};
    bool has_work = work->kind == TACHO_WORK_MATRIX
                        ? work->batch * work->m * work->n * work->k_channels * work->k_window > 0
                        : work->kind == TACHO_WORK_VECTOR && work->elements * work->steps > 0;
    if (has_work) {
        cost.engine = best_engine(machine, work->kind, cost.compute);
    }
    if (has_work && work->kind == TACHO_WORK_MATRIX) {
        cost.macs = work->batch * work->m * work->n * work->k_channels * work->k_window;
    }
    tacho_parts parts = {.cycles = 0};
    if (has_work || work->input.bytes + work->weights.bytes + work->output.bytes > 0) {
        bool is_mesh =
            has_work && work->kind == TACHO_WORK_MATRIX && tacho_op_mesh_applies(machine, &cost);
        TACHO_TRY((is_mesh ? tacho_op_mesh_best : tacho_op_split_best)(machine, work, options,
                                                                       &cost, &parts));
        cost.cores = parts.cores;
        cost.engine_count = parts.engines;
        cost.cycles = parts.cycles;
        cost.compute_cycles = parts.compute_cycles;
        cost.read_cycles = parts.read_cycles;
        cost.write_cycles = parts.write_cycles;
        cost.launch_cycles = parts.launch_cycles;
        cost.padded_macs = parts.padded_macs;
        cost.cut = parts.cut;
        TACHO_TRY(set_ideal(machine, work, options, &cost));
    }
    set_bound(&cost, &parts);
    *out_cost = cost;
    return TACHO_OK;
}
