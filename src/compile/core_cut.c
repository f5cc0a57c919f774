/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products are cut over batches, rows and columns so that computing, and fetching operands that
 * a core does not hold, take the least time. Among cuts that compute alike, those that leave
 * results as the next operator wants them win. Other work is cut as its operands are distributed,
 * so that nothing moves; else along the outermost axes.
 */
#include "compile/core_cut.h"

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"
#include "compile/tile.h"
#include "machine/cost.h"

#include <stdlib.h>

/* How a tensor is distributed over the cores: parts of each dimension; rank 0: not known. */
typedef struct lie {
    uint32_t rank;
    uint64_t parts[TACHO_BOX_RANK_MAX];
} lie;

void tacho_core_cut_one(tacho_core_cut *cut)
{
    cut->cores = 1;
    for (size_t i = 0; i < TACHO_AXES_MAX; i++) {
        cut->parts[i] = 1;
    }
}

void tacho_core_cut_ranges(const tacho_space *space, const tacho_core_cut *cut, uint32_t core,
                           tacho_range *out_ranges)
{
    uint64_t rest = core;
    for (uint32_t i = space->axis_count; i > 0; i--) {
        tacho_range all = {0, space->axes[i - 1].size};
        out_ranges[i - 1] = tacho_part_range(all, cut->parts[i - 1], rest % cut->parts[i - 1]);
        rest /= cut->parts[i - 1];
    }
}

/*
 * Cores do not share results: an axis that some result does not follow stays whole. Nor do they
 * hand each other states from step to step.
 */
static bool can_cut(const tacho_space *space, uint32_t axis)
{
    const tacho_axis *facts = &space->axes[axis];
    bool can = facts->role != TACHO_AXIS_SUM && !facts->is_sequential && !facts->is_of_one &&
               (space->state.unit_bytes == 0 || axis == space->state.direction);
    for (size_t i = 0; can && i < space->access_count; i++) {
        can = !space->accesses[i].is_output || tacho_access_follows(&space->accesses[i], axis);
    }
    return can;
}

/* Axes of a role that cores can share, the outermost first; how many. */
static uint32_t list_axes(const tacho_space *space, tacho_axis_role role, uint32_t *out_axes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < space->axis_count; i++) {
        if (space->axes[i].role == role && can_cut(space, i)) {
            out_axes[count++] = i;
        }
    }
    return count;
}

/* A way to cut axes: the size of the largest share, and the number of shares. */
typedef struct role_cut {
    uint64_t parts[TACHO_AXES_MAX];
    uint64_t largest, shares;
} role_cut;

/* |parts| of the first two axes, and of the others as many as are left of |count|. */
static role_cut try_role(const tacho_space *space, const uint32_t *axes, uint32_t axis_count,
                         uint64_t count, const uint64_t parts[2])
{
    role_cut way = {.largest = 1, .shares = 1};
    for (uint32_t i = 0; i < axis_count; i++) {
        uint64_t size = space->axes[axes[i]].size;
        way.parts[i] = i < 2 ? parts[i] : tacho_least(size, count / way.shares);
        way.shares *= way.parts[i];
        way.largest = tacho_size_multiply(way.largest, tacho_ceil_div(size, way.parts[i]));
    }
    return way;
}

/*
 * At most |count| shares along the axes of a role, so that the largest is the smallest; on a tie
 * the cut with the fewest shares, then the one that cuts outer axes.
 */
static void cut_role(const tacho_space *space, tacho_axis_role role, uint64_t count,
                     tacho_core_cut *cut)
{
    uint32_t axes[TACHO_AXES_MAX];
    uint32_t axis_count = list_axes(space, role, axes);
    if (axis_count == 0 || count <= 1) {
        return;
    }
    uint64_t first_max = tacho_least(count, space->axes[axes[0]].size);
    uint64_t second_size = axis_count > 1 ? space->axes[axes[1]].size : 1;
    role_cut best = {.largest = UINT64_MAX};
    for (uint64_t first = first_max; first > 0; first--) {
        for (uint64_t second = tacho_least(count / first, second_size); second > 0; second--) {
            const uint64_t parts[] = {first, second};
            role_cut way = try_role(space, axes, axis_count, count, parts);
            if (way.largest < best.largest ||
                (way.largest == best.largest && way.shares < best.shares)) {
                best = way;
            }
        }
    }
    for (uint32_t i = 0; i < axis_count; i++) {
        cut->parts[axes[i]] = best.parts[i];
    }
}

/* The same parts as a tensor that is read has, where they are parts of this work. */
static bool cut_alike(const tacho_space *space, const lie *lies, tacho_core_cut *cut)
{
    for (size_t i = 0; i < space->access_count; i++) {
        const tacho_access *access = &space->accesses[i];
        if (access->tensor == TACHO_NONE) {
            continue;
        }
        const lie *from = &lies[access->tensor];
        bool can = !access->is_output && !access->is_constant && access->is_known &&
                   from->rank == access->rank;
        for (uint32_t k = 0; can && k < access->rank; k++) {
            uint32_t axis = access->reach[k].axis;
            can = from->parts[k] == 1 ||
                  (axis != TACHO_NONE && access->reach[k].outer == TACHO_NONE &&
                   can_cut(space, axis) && from->parts[k] <= space->axes[axis].size);
        }
        for (uint32_t k = 0; can && k < access->rank; k++) {
            if (from->parts[k] > 1) {
                cut->parts[access->reach[k].axis] = from->parts[k];
            }
        }
        if (can) {
            return true;
        }
    }
    return false;
}

static void count_cores(const tacho_space *space, tacho_core_cut *cut)
{
    cut->cores = 1;
    for (uint32_t i = 0; i < space->axis_count; i++) {
        cut->cores *= (uint32_t)cut->parts[i];
    }
}

/*
 * Parts of columns that are worth it: those of a group stay together, and an engine takes no less
 * time for fewer than it does at once. Rows are cut instead.
 */
static uint64_t most_columns(const tacho_estimate *estimate, uint32_t op, const tacho_space *space)
{
    const tacho_op_estimate *facts = &estimate->ops[op];
    for (uint32_t i = 0; i < space->axis_count; i++) {
        if (space->axes[i].waits_batch) {
            return 1;
        }
    }
    if (facts->cost.engine == TACHO_NONE) {
        return UINT64_MAX;
    }
    const tacho_engine *engine = &estimate->machine->engines[facts->cost.engine];
    uint64_t at_once = (uint64_t)tacho_quantity_whole(&engine->align_n);
    uint64_t most = at_once > 1 ? tacho_ceil_div(facts->work.n, at_once) : facts->work.n;
    return most > 0 ? most : 1;
}

/* ---- products ------------------------------------------------------------------------------ */

/* A product to be cut. */
typedef struct product_cut {
    const tacho_estimate *estimate;
    const tacho_op_estimate *facts;
    const tacho_space *space;
    const lie *lies;
    uint32_t cores;
    uint64_t columns_max;
    tacho_ratio shared_rate, network_rate;
} product_cut;

static int64_t cycles_at(uint64_t bytes, tacho_ratio rate)
{
    int64_t cycles;
    if (bytes == 0 || rate.num == 0) {
        return 0;
    }
    return bytes <= INT64_MAX && tacho_ratio_ceil_divide(bytes, rate, &cycles) ? cycles : INT64_MAX;
}

/* Whether the first core reads only its own part of the tensor, as the tensor is distributed. */
static bool is_own(const product_cut *self, const tacho_core_cut *cut, const tacho_access *access,
                   const tacho_range *ranges)
{
    const lie *from = &self->lies[access->tensor];
    tacho_extent box[TACHO_BOX_RANK_MAX];
    if (!access->is_known || from->rank != access->rank) {
        return false;
    }
    (void)tacho_access_box(access, ranges, box);
    for (uint32_t i = 0; i < access->rank; i++) {
        uint32_t axis = access->reach[i].axis;
        uint64_t parts = axis == TACHO_NONE ? 1 : cut->parts[axis];
        tacho_range own = tacho_part_range((tacho_range){0, box[i].of}, from->parts[i], 0);
        if (from->parts[i] > 1 && (parts != from->parts[i] || box[i].size > own.end)) {
            return false;
        }
    }
    return true;
}

/* Shares of an operand that differ: cores that get the same get it at once. */
static uint64_t count_teams(const tacho_space *space, const tacho_core_cut *cut,
                            const tacho_access *access)
{
    uint64_t teams = 1;
    for (uint32_t i = 0; i < space->axis_count; i++) {
        teams *= tacho_access_follows(access, i) ? cut->parts[i] : 1;
    }
    return teams;
}

/* Bytes that cross the network for this product, and for the next if columns are distributed. */
static uint64_t network_bytes(const product_cut *self, const tacho_core_cut *cut,
                              const tacho_range *ranges, uint64_t *out_shared)
{
    const tacho_space *space = self->space;
    uint64_t network = 0;
    *out_shared = 0;
    for (size_t i = 0; i < space->access_count; i++) {
        const tacho_access *access = &space->accesses[i];
        uint64_t teams = count_teams(space, cut, access);
        uint64_t bytes = tacho_size_multiply(tacho_access_bytes(access, ranges), teams);
        bool is_next = access->is_output && access->tensor != TACHO_NONE &&
                       !self->estimate->fusion->graph->tensors[access->tensor].is_output;
        bool is_apart = false;
        for (uint32_t k = 0; is_next && k < space->axis_count; k++) {
            is_apart |= space->axes[k].role == TACHO_AXIS_COLUMN && cut->parts[k] > 1;
        }
        bool is_given = access->is_constant || access->tensor == TACHO_NONE ||
                        self->estimate->fusion->graph->tensors[access->tensor].is_input;
        if (is_given) {
            *out_shared = tacho_size_add(*out_shared, bytes);
        } else if (access->is_output ? is_apart : !is_own(self, cut, access, ranges)) {
            network = tacho_size_add(network, bytes);
        }
    }
    return network;
}

/* Cycles of a cut, as near as they can be estimated before any tensor has its place. */
static int64_t cut_cycles(const product_cut *self, const tacho_core_cut *cut)
{
    const tacho_work *work = &self->facts->work;
    const tacho_machine *machine = self->estimate->machine;
    tacho_range ranges[TACHO_AXES_MAX];
    uint64_t sizes[TACHO_AXIS_ROLE_COUNT] = {1, 1, 1, 1, 1};
    tacho_core_cut_ranges(self->space, cut, 0, ranges);
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        tacho_axis_role role = self->space->axes[i].role;
        sizes[role] = tacho_size_multiply(sizes[role], ranges[i].end - ranges[i].first);
    }
    tacho_product product = {
        .m = sizes[TACHO_AXIS_ROW],
        .n = sizes[TACHO_AXIS_COLUMN],
        .k = work->k_channels * work->k_window,
        .dtype = self->facts->cost.compute,
    };
    int64_t compute;
    tacho_status status =
        tacho_cost_matrix(machine, &machine->engines[self->facts->cost.engine], product, &compute);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return INT64_MAX;
    }
    uint64_t shared;
    uint64_t network = network_bytes(self, cut, ranges, &shared);
    compute = tacho_cycles_multiply(compute, sizes[TACHO_AXIS_BATCH]);
    return tacho_most(compute, tacho_cycles_add(cycles_at(network, self->network_rate),
                                                cycles_at(shared, self->shared_rate)));
}

static void try_product(const product_cut *self, const uint64_t counts[3], tacho_core_cut *best,
                        int64_t *least)
{
    static const tacho_axis_role roles[3] = {TACHO_AXIS_BATCH, TACHO_AXIS_ROW, TACHO_AXIS_COLUMN};
    tacho_core_cut cut;
    tacho_core_cut_one(&cut);
    for (size_t i = 0; i < 3; i++) {
        cut_role(self->space, roles[i], counts[i], &cut);
    }
    count_cores(self->space, &cut);
    int64_t cycles = cut.cores <= self->cores ? cut_cycles(self, &cut) : INT64_MAX;
    if (cycles < *least) {
        *least = cycles;
        *best = cut;
    }
}

/* The cut that the estimate has found, or one that is better. */
static void cut_product(const product_cut *self, tacho_core_cut *cut)
{
    const tacho_cut *found = &self->facts->cost.cut;
    int64_t least = INT64_MAX;
    uint64_t columns = tacho_least(found->columns, self->columns_max);
    bool has_state = self->space->state.unit_bytes > 0;
    const uint64_t first[] = {has_state ? self->cores : found->batch,
                              found->rows * (found->columns / columns), columns};
    try_product(self, first, cut, &least);
    for (uint64_t batch = 1; !has_state && batch <= self->cores; batch *= 2) {
        for (uint64_t rows = 1; rows * batch <= self->cores; rows++) {
            const uint64_t counts[] = {
                batch, rows, tacho_least(self->cores / (batch * rows), self->columns_max)};
            try_product(self, counts, cut, &least);
        }
    }
    if (least == INT64_MAX) {
        tacho_core_cut_one(cut);
    }
}

static void cut_op(const tacho_estimate *estimate, uint32_t op, uint32_t cores, const lie *lies,
                   const tacho_space *space, tacho_core_cut *cut)
{
    const tacho_op_estimate *facts = &estimate->ops[op];
    const tacho_cut *found = &facts->cost.cut;
    tacho_core_cut_one(cut);
    bool is_of_processor = tacho_estimate_is_unknown(estimate, op) &&
                           tacho_machine_view_processor(estimate->machine) != TACHO_NONE;
    if (is_of_processor) {
        return;
    }
    if (space->kind == TACHO_WORK_MATRIX && found->batch * found->rows * found->columns > 0) {
        const tacho_machine *machine = estimate->machine;
        const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
        product_cut product = {
            .estimate = estimate,
            .facts = facts,
            .space = space,
            .lies = lies,
            .cores = cores,
            .columns_max = most_columns(estimate, op, space),
            .shared_rate = ddr->bytes_per_cycle.value,
            .network_rate = tacho_quantity_or(&machine->noc.link_bytes_per_cycle, 0),
        };
        cut_product(&product, cut);
    } else if (!cut_alike(space, lies, cut)) {
        cut_role(space, TACHO_AXIS_BATCH, cores, cut);
        count_cores(space, cut);
        cut_role(space, TACHO_AXIS_ROW, cores / cut->cores, cut);
    }
    count_cores(space, cut);
    if (cut->cores > cores) {
        tacho_core_cut_one(cut);
    }
}

/* Notes the first core's share of each result, and how the result is distributed. */
static void note_results(const tacho_space *space, const tacho_core_cut *cut, lie *lies,
                         uint64_t *shares)
{
    tacho_range ranges[TACHO_AXES_MAX];
    tacho_extent box[TACHO_BOX_RANK_MAX];
    tacho_core_cut_ranges(space, cut, 0, ranges);
    for (size_t i = 0; i < space->access_count; i++) {
        const tacho_access *access = &space->accesses[i];
        if (!access->is_output || access->tensor == TACHO_NONE) {
            continue;
        }
        shares[access->tensor] = tacho_access_kept(access, ranges, box);
        lie *to = &lies[access->tensor];
        to->rank = access->is_known ? access->rank : 0;
        for (uint32_t k = 0; k < to->rank; k++) {
            const tacho_reach *reach = &access->reach[k];
            uint64_t parts = reach->axis == TACHO_NONE ? 1 : cut->parts[reach->axis];
            bool is_joint = reach->outer != TACHO_NONE && cut->parts[reach->outer] > 1;
            to->rank = is_joint ? 0 : to->rank;
            to->parts[k] = parts;
        }
    }
}

tacho_status tacho_core_cuts_make(const tacho_estimate *estimate, uint32_t cores,
                                  tacho_core_cut *cuts, uint64_t *shares)
{
    tacho_space space = {.access_count = 0};
    tacho_space_options options = {.keeps_dims = cores > 1};
    lie *lies = tacho_items_alloc(estimate->fusion->graph->tensor_count, sizeof(*lies));
    tacho_status status = lies != NULL ? TACHO_OK : tacho_no_memory();
    for (uint32_t i = 0; status == TACHO_OK && i < estimate->fusion->op_count; i++) {
        uint32_t parts = tacho_space_parts(estimate, i);
        for (options.part = 0; status == TACHO_OK && options.part < parts; options.part++) {
            status = tacho_space_fill(estimate, i, &options, &space);
            if (status == TACHO_OK && options.part == 0) {
                cut_op(estimate, i, cores, lies, &space, &cuts[i]);
            }
            if (status == TACHO_OK) {
                note_results(&space, &cuts[i], lies, shares);
            }
        }
    }
    tacho_space_deinit(&space);
    free(lies);
    return status;
}
