/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operator over the whole machine. Work is cut into one block per core; ways to cut it are
 * tried and the fastest is kept. In a block transfers and computing overlap (double buffering): the
 * longer of the two counts, plus the parts that cannot overlap: the first operands, the last
 * results.
 *
 * Sizes are checked once on entry; below, products go through 128 bits and an overflow is kept as
 * a saturated cost that fails at the end.
 */
#include "compile/op_cost.h"

#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"
#include "compile/op_gpu.h"
#include "compile/op_mesh.h"
#include "compile/op_split.h"

enum { SIZE_BITS_MAX = 40, STEP_BITS_MAX = 32, WORK_BITS_MAX = 60 };

/* A product over nothing cannot be cut into tiles, and is not intended work. */
static tacho_status check_product(const tacho_work *work)
{
    const uint64_t sizes[] = {work->batch, work->m, work->n, work->k_channels, work->k_window};
    uint64_t all = 0;
    uint64_t product = 1;
    bool is_large = false;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        all |= sizes[i];
        is_large = is_large || __builtin_mul_overflow(product, sizes[i], &product);
    }
    bool is_empty = product == 0 && !is_large;
    if (!is_empty && !is_large && all >> SIZE_BITS_MAX == 0 && product >> 60 == 0) {
        return TACHO_OK;
    }
    return tacho_fail(
        TACHO_CODE_BAD_DATA, "it multiplies %llu times %llu x %llu by %llu x %llu: %s",
        (unsigned long long)work->batch, (unsigned long long)work->m,
        (unsigned long long)(work->k_channels * work->k_window),
        (unsigned long long)(work->k_channels * work->k_window), (unsigned long long)work->n,
        is_empty ? "nothing to compute; give sizes of at least 1"
                 : "more than can be costed; give smaller sizes");
}

static tacho_status check_sizes(const tacho_work *work)
{
    uint64_t bytes = work->input.bytes | work->weights.bytes | work->output.bytes;
    if (work->kind == TACHO_WORK_MATRIX) {
        TACHO_TRY(check_product(work));
    }
    if (work->elements >> SIZE_BITS_MAX != 0 || bytes >> WORK_BITS_MAX != 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "it has %llu elements: more than can be costed (%llu); give smaller "
                          "sizes",
                          (unsigned long long)work->elements, 1ULL << SIZE_BITS_MAX);
    }
    if (work->steps >> STEP_BITS_MAX != 0 ||
        tacho_size_multiply(work->elements, work->steps) >> WORK_BITS_MAX != 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "it computes %llu steps for each of %llu elements: more than can be "
                          "costed; give smaller sizes",
                          (unsigned long long)work->steps, (unsigned long long)work->elements);
    }
    return TACHO_OK;
}

/* ---- engines ----------------------------------------------------------------------------- */

uint32_t tacho_op_cost_engine(const tacho_machine *machine, tacho_work_kind kind, tacho_dtype dtype)
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

/* A requested type is for real numbers: integers keep theirs. */
static tacho_dtype compute_dtype(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_cost_options *options)
{
    tacho_dtype dtype = work->compute;
    dtype = dtype == TACHO_DTYPE_NONE ? work->input.dtype : dtype;
    dtype = dtype == TACHO_DTYPE_NONE ? work->output.dtype : dtype;
    bool is_real = dtype == TACHO_DTYPE_NONE || tacho_dtype_kind_of(dtype) == TACHO_DTYPE_REAL;
    if (options->compute != TACHO_DTYPE_NONE && (is_real || dtype == options->compute)) {
        return options->compute;
    }
    return tacho_machine_legalise(machine, dtype);
}

/* ---- the estimate ------------------------------------------------------------------------ */

/* The largest of the terms; of equal ones the first. */
static void set_bound(tacho_op_cost *cost, const tacho_parts *parts)
{
    const struct {
        tacho_bound bound;
        int64_t cycles;
    } terms[] = {
        {TACHO_BOUND_COMPUTE, parts->compute_cycles},
        {TACHO_BOUND_MEMORY, parts->memory_cycles},
        {TACHO_BOUND_LOCAL, parts->local_cycles},
        {TACHO_BOUND_LAUNCH, parts->launch_cycles},
    };
    cost->bound = TACHO_BOUND_NONE;
    int64_t largest = -1;
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]) && cost->cycles > 0; i++) {
        if (terms[i].cycles > largest) {
            cost->bound = terms[i].bound;
            largest = terms[i].cycles;
        }
    }
}

/* Cycles of the work at the peak of all engines of the kind. */
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
    int64_t passes = is_matrix ? tacho_cost_passes(machine, options->fidelity, cost->compute) : 1;
    tacho_ratio all = {(int64_t)tacho_machine_cores(machine), passes};
    uint64_t amount = is_matrix ? cost->macs : work->elements * work->steps;
    bool is_tf32 = is_matrix && tacho_cost_is_tf32(machine, options->fidelity, cost->compute);
    tacho_ratio per_cycle = is_tf32        ? machine->gpu.tf32_macs_per_cycle.value
                            : rate != NULL ? rate->per_cycle.value
                                           : (tacho_ratio){1, 1};
    if (rate == NULL || !tacho_ratio_multiply(all, engine->count.value, &all) ||
        !tacho_ratio_multiply(all, per_cycle, &all) ||
        !tacho_ratio_ceil_divide(amount, all, &cost->ideal_cycles)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the ideal cycles of an operator do not fit");
    }
    return TACHO_OK;
}

typedef tacho_status best_parts(const tacho_machine *machine, const tacho_work *work,
                                const tacho_cost_options *options, const tacho_op_cost *cost,
                                tacho_parts *out_parts);

static bool is_sequence(const tacho_work *work)
{
    return work->kind == TACHO_WORK_MATRIX && work->sequence > 1 && work->m >= work->sequence;
}

/* Cycles of |first| and, |more| times, of |next|. */
static int64_t repeated(int64_t first, int64_t next, uint64_t more)
{
    tacho_u128 all = (tacho_u128)(uint64_t)next * more + (uint64_t)first;
    return all >> 63 != 0 ? INT64_MAX : (int64_t)all;
}

uint64_t tacho_op_cost_sequence(const tacho_machine *machine, const tacho_work *work,
                                tacho_work out_steps[2])
{
    out_steps[0] = *work;
    if (!is_sequence(work)) {
        return 0;
    }
    uint64_t steps = work->sequence;
    tacho_work *step = &out_steps[0];
    step->m = tacho_ceil_div(work->m, steps);
    step->elements = tacho_ceil_div(work->elements, steps);
    step->input.bytes = tacho_ceil_div(work->input.bytes, steps);
    step->output.bytes = tacho_ceil_div(work->output.bytes, steps);
    out_steps[1] = *step;
    if (work->weights.bytes <= tacho_machine_view_local_bytes(machine) / 2) {
        out_steps[1].weights.bytes = 0;
        out_steps[1].weights.place = TACHO_PLACE_LOCAL;
    }
    return steps - 1;
}

/* Steps that need each other: the first, and then the others, which start by themselves. */
static tacho_status sequence_parts(best_parts *best, const tacho_machine *machine,
                                   const tacho_work *work, const tacho_cost_options *options,
                                   const tacho_op_cost *cost, tacho_parts *out_parts)
{
    tacho_work works[2];
    uint64_t more = tacho_op_cost_sequence(machine, work, works);
    tacho_parts first;
    tacho_parts next;
    TACHO_TRY(best(machine, &works[0], options, cost, &first));
    TACHO_TRY(best(machine, &works[1], options, cost, &next));
    *out_parts = first;
    out_parts->cycles = repeated(first.cycles, next.cycles - next.launch_cycles, more);
    out_parts->compute_cycles = repeated(first.compute_cycles, next.compute_cycles, more);
    out_parts->read_cycles = repeated(first.read_cycles, next.read_cycles, more);
    out_parts->write_cycles = repeated(first.write_cycles, next.write_cycles, more);
    out_parts->memory_cycles = repeated(first.memory_cycles, next.memory_cycles, more);
    out_parts->local_cycles = repeated(first.local_cycles, next.local_cycles, more);
    out_parts->padded_macs = tacho_size_multiply(first.padded_macs, more + 1);
    if (out_parts->cycles == INT64_MAX || out_parts->padded_macs > INT64_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the cycles of an operator do not fit 63 bits");
    }
    return TACHO_OK;
}

static tacho_status mesh_best(const tacho_machine *machine, const tacho_work *work,
                              const tacho_cost_options *options, const tacho_op_cost *cost,
                              tacho_parts *out_parts)
{
    tacho_mesh_phase phase;
    TACHO_TRY(tacho_op_mesh_phase(machine, work, options, cost, &phase));
    return tacho_op_mesh_parts(machine, work, cost, &phase, out_parts);
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
        cost.engine = tacho_op_cost_engine(machine, work->kind, cost.compute);
    }
    if (has_work && work->kind == TACHO_WORK_MATRIX) {
        cost.macs = work->batch * work->m * work->n * work->k_channels * work->k_window;
    }
    tacho_parts parts = {.cycles = 0};
    if (has_work || work->input.bytes + work->weights.bytes + work->output.bytes > 0) {
        best_parts *best = tacho_machine_is_gpu(machine) ? tacho_op_gpu_parts
                           : tacho_op_mesh_has(machine)  ? mesh_best
                                                         : tacho_op_split_best;
        TACHO_TRY(is_sequence(work) ? sequence_parts(best, machine, work, options, &cost, &parts)
                                    : best(machine, work, options, &cost, &parts));
        cost.cores = parts.cores;
        cost.engine_count = parts.engines;
        cost.cycles = parts.cycles;
        cost.compute_cycles = parts.compute_cycles;
        cost.read_cycles = parts.read_cycles;
        cost.write_cycles = parts.write_cycles;
        cost.launch_cycles = parts.launch_cycles;
        cost.host_cycles = parts.host_cycles;
        cost.padded_macs = parts.padded_macs;
        cost.cut = parts.cut;
        TACHO_TRY(set_ideal(machine, work, options, &cost));
    }
    set_bound(&cost, &parts);
    *out_cost = cost;
    return TACHO_OK;
}
