/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to cut a share, and the one that is taken.
 */
#include "compile/tile.h"

#include "base/index.h"
#include "base/maths.h"
#include "compile/op_split.h"
#include "machine/cost.h"

#include <inttypes.h>

/*
 * More than a few tiles are taken where they are faster by one part in so many; on several cores,
 * each of which has them, by more. Where the best is longer than its longest queue by one part in
 * so many, more tiles are tried.
 */
enum { WORTH_A_TILE = 64, WORTH_TILES_OF_CORES = 8, WORTH_MORE_TRIES = 8 };

/* Statistics of a line, of which passes after the first are made: two numbers of 32 bits. */
enum { STATISTICS_BYTES = 8 };

/* As much as a share may take where local memory is a cache. */
static const uint64_t SPILLED_BYTES = UINT64_MAX / 8;

typedef struct tiler {
    const tacho_tile_place *place;
    const tacho_share *share;
    const tacho_space *space;
    const tacho_dma *in, *out;
    tacho_ratio in_rate, out_rate; /* of the queues */
    tacho_slots *slots;
    uint32_t engines;
    uint64_t roles[TACHO_AXIS_ROLE_COUNT]; /* elements of the share along the axes of each */
    uint64_t room_bytes;
    bool is_found;
    bool wants_more; /* the best reloads an operand, or most of it does not overlap */
    int64_t best_cycles;
    uint64_t least_bytes; /* the smallest need of all tilings */
    tacho_tiling best;
    uint64_t tried_max; /* tiles */
} tiler;

static uint64_t range_of(const tiler *self, uint32_t axis)
{
    tacho_range range = self->share->ranges[axis];
    return range.end > range.first ? range.end - range.first : 1;
}

/* Axes that are cut, and tiles. */
static void count_tiles(const tiler *self, tacho_tiling *t)
{
    t->cut = 0;
    t->tile_count = t->passes;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        t->cut |= t->parts[i] > 1 ? UINT32_C(1) << i : 0;
        t->tile_count = tacho_size_multiply(t->tile_count, t->parts[i]);
    }
}

/* The parts that |axis| is cut into as far as |access| follows it. */
static uint64_t parts_of(const tacho_tiling *t, const tacho_access *access, uint32_t axis)
{
    return tacho_access_follows(access, axis) ? t->parts[axis] : 1;
}

/* ---- cycles -------------------------------------------------------------------------------- */

uint64_t tacho_pass_steps(uint64_t steps, uint32_t passes, uint32_t pass)
{
    return passes == 1 ? steps : (pass == 0 ? steps / 2 : steps - steps / 2);
}

/*
 * Cycles of writing the results of a product. An engine writes them no faster than it works on
 * elements of their type, fused steps included; incomplete sums are wide, and no fused step applies
 * to them.
 */
static tacho_status leave_cycles(const tacho_tile_place *place, const tacho_piece *piece,
                                 int64_t *out_cycles)
{
    const tacho_engine *engine = place->engine;
    bool is_real = tacho_dtype_kind_of(place->dtype) == TACHO_DTYPE_REAL;
    tacho_dtype sums = is_real ? TACHO_DTYPE_F32 : TACHO_DTYPE_I32;
    tacho_dtype written = piece->is_partial ? sums : place->result;
    uint64_t steps = piece->is_partial ? 0 : piece->steps;
    int64_t writes = 0;
    if (tacho_cost_element_rate(engine, place->dtype) == NULL) {
        return tacho_op_fused_cycles(place->machine,
                                     tacho_size_multiply(piece->results, piece->engines), steps,
                                     place->dtype, out_cycles);
    }
    if (tacho_cost_element_rate(engine, written) != NULL) {
        TACHO_TRY(tacho_cost_vector(engine, piece->results, 1, written, &writes));
    }
    TACHO_TRY(
        tacho_cost_vector(engine, piece->results, steps > 0 ? steps : 1, place->dtype, out_cycles));
    *out_cycles = tacho_most(*out_cycles, writes);
    return TACHO_OK;
}

/* Elements are neither read nor written faster than the engine works on their types. */
static tacho_status vector_cycles(const tacho_tile_place *place, const tacho_piece *piece,
                                  int64_t *out_cycles)
{
    const uint64_t counts[] = {piece->read, piece->written};
    const tacho_dtype types[] = {place->source, place->result};
    TACHO_TRY(
        tacho_cost_vector(place->engine, piece->results, piece->steps, place->dtype, out_cycles));
    for (size_t i = 0; i < 2; i++) {
        int64_t cycles = 0;
        if (counts[i] > 0 && tacho_cost_element_rate(place->engine, types[i]) != NULL) {
            TACHO_TRY(tacho_cost_vector(place->engine, counts[i], 1, types[i], &cycles));
        }
        *out_cycles = tacho_most(*out_cycles, cycles);
    }
    return TACHO_OK;
}

tacho_status tacho_piece_cycles(const tacho_tile_place *place, tacho_work_kind kind,
                                const tacho_piece *piece, int64_t *out_cycles)
{
    const tacho_engine *engine = place->engine;
    int64_t leave = 0;
    if (kind != TACHO_WORK_MATRIX) {
        return vector_cycles(place, piece, out_cycles);
    }
    tacho_product product = {piece->m, piece->n, piece->k, place->dtype, place->fidelity};
    TACHO_TRY(tacho_cost_matrix(place->machine, engine, product, out_cycles));
    if (piece->batch > INT64_MAX ||
        __builtin_mul_overflow(*out_cycles, (int64_t)piece->batch, out_cycles)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the cycles of an operator do not fit 63 bits");
    }
    TACHO_TRY(leave_cycles(place, piece, &leave));
    *out_cycles = tacho_most(*out_cycles, leave);
    return TACHO_OK;
}

/* Elements of the largest tile along |axis|, or of the smallest. */
static uint64_t tile_length(const tiler *self, const tacho_tiling *t, uint32_t axis, bool is_small)
{
    uint64_t range = range_of(self, axis);
    return is_small ? range / t->parts[axis] : tacho_ceil_div(range, t->parts[axis]);
}

/* A tile's part of the operator's elements. */
static uint64_t elements_of_tile(const tiler *self, const tacho_tiling *t, bool is_small)
{
    tacho_u128 part = self->place->elements;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        uint64_t size = self->space->axes[i].size;
        uint64_t length = tile_length(self, t, i, is_small);
        part = (part * length + size - 1) / size;
    }
    return (uint64_t)part;
}

static uint64_t counted(const tiler *self, const tacho_tiling *t, tacho_axis_role role,
                        bool is_small)
{
    tacho_u128 product = 1;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        const tacho_axis *axis = &self->space->axes[i];
        if (axis->role == role) {
            tacho_u128 length = tile_length(self, t, i, is_small);
            product *= (axis->counted * length + axis->size - 1) / axis->size;
        }
    }
    return product >> 62 != 0 ? UINT64_C(1) << 62 : (uint64_t)product;
}

/* |cycles| of |tiles| as large as the largest, as far as they are: the part that is not padding. */
static int64_t of_all(const tiler *self, const tacho_tiling *t, const tacho_access *access,
                      int64_t cycles)
{
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        uint64_t range = range_of(self, i);
        uint64_t parts = parts_of(t, access, i);
        if (range % parts != 0) {
            tacho_u128 padded = (tacho_u128)tacho_ceil_div(range, parts) * parts;
            cycles = (int64_t)(((tacho_u128)(uint64_t)cycles * range + padded - 1) / padded);
        }
    }
    return cycles;
}

/* Cycles to compute a tile: its engines share the batch, the rows or the columns. */
static tacho_status compute_cycles(const tiler *self, const tacho_tiling *t, bool is_small,
                                   int64_t *out_cycles)
{
    const tacho_tile_place *place = self->place;
    *out_cycles = 0;
    if (place->engine == NULL) {
        return TACHO_OK;
    }
    tacho_piece whole = {
        .batch = counted(self, t, TACHO_AXIS_BATCH, is_small),
        .m = counted(self, t, TACHO_AXIS_ROW, is_small),
        .n = counted(self, t, TACHO_AXIS_COLUMN, is_small),
        .k = tacho_size_multiply(counted(self, t, TACHO_AXIS_SUM, is_small), self->space->depth),
        .steps = place->steps,
        .engines = self->engines,
        .is_partial = t->has_sums,
    };
    bool is_matrix = self->space->kind == TACHO_WORK_MATRIX;
    whole.results = is_matrix
                        ? tacho_size_multiply(whole.batch, tacho_size_multiply(whole.m, whole.n))
                        : elements_of_tile(self, t, is_small);
    whole.steps = is_matrix ? whole.steps : tacho_ceil_div(whole.steps, t->passes);
    uint64_t *const parts[] = {&whole.batch, &whole.m, &whole.n};
    *out_cycles = INT64_MAX;
    bool is_whole = false; /* it was tried on one engine */
    for (size_t i = 0; i < 3; i++) {
        tacho_piece before = whole;
        uint64_t split = *parts[i] < self->engines ? *parts[i] : self->engines;
        if (split == 1 && is_whole) {
            continue;
        }
        is_whole |= split == 1;
        *parts[i] = tacho_ceil_div(*parts[i], split);
        whole.results = tacho_ceil_div(whole.results, split);
        int64_t cycles;
        TACHO_TRY(tacho_piece_cycles(place, self->space->kind, &whole, &cycles));
        *out_cycles = cycles < *out_cycles ? cycles : *out_cycles;
        whole = before;
    }
    int64_t issue = tacho_quantity_whole(&place->engine->issue_cycles);
    *out_cycles = tacho_cycles_add(*out_cycles, tacho_cycles_multiply(issue, self->engines - 1));
    return TACHO_OK;
}

/*
 * Cycles to compute all tiles, the largest of which takes |largest|. Tiles that are smaller along
 * every axis that does not divide evenly have their own cycles, which are not always fewer: an
 * engine may be idle then.
 */
static tacho_status all_cycles(const tiler *self, const tacho_tiling *t, int64_t largest,
                               int64_t *out_cycles)
{
    uint64_t small_count = t->passes;
    bool is_even = true;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        uint64_t rest = range_of(self, i) % t->parts[i];
        small_count = tacho_size_multiply(small_count, t->parts[i] - rest);
        is_even &= rest == 0;
    }
    int64_t small = largest;
    if (!is_even && self->place->engine != NULL) {
        TACHO_TRY(compute_cycles(self, t, true, &small));
    }
    *out_cycles = tacho_cycles_add(tacho_cycles_multiply(small, small_count),
                                   tacho_cycles_multiply(largest, t->tile_count - small_count));
    return TACHO_OK;
}

/* ---- loads and stores ---------------------------------------------------------------------- */

/* How often the box of |access| changes as the loops go on, and how many pieces there are. */
static void count_changes(const tiler *self, const tacho_tiling *t, const tacho_access *access,
                          tacho_slots *slots)
{
    uint64_t so_far = 1;
    slots->changes = slots->distinct = 1;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        uint32_t axis = t->order[i];
        so_far = tacho_size_multiply(so_far, t->parts[axis]);
        if ((access->axes & t->cut) >> axis & 1) {
            bool is_again = self->space->sums >> axis & 1 && !access->is_output;
            slots->distinct = tacho_size_multiply(slots->distinct, t->parts[axis]);
            slots->changes = is_again ? tacho_size_multiply(so_far, t->passes) : so_far;
        }
    }
}

/* Elements of the largest tile along |axis|; of the whole share without a tiling. */
static uint64_t length_along(const tiler *self, const tacho_tiling *t, uint32_t axis)
{
    uint64_t range = range_of(self, axis);
    return t == NULL || t->parts[axis] == 1 ? range : tacho_ceil_div(range, t->parts[axis]);
}

/* The same where only the number of bytes is known, which follows from axes in proportion. */
static uint64_t most_unknown(const tiler *self, const tacho_tiling *t, const tacho_access *access)
{
    tacho_u128 bytes = access->bytes;
    for (uint32_t i = 0; i < access->rank; i++) {
        const tacho_reach *reach = &access->reach[i];
        uint64_t size = reach->is_part ? reach->length : reach->size;
        if (reach->axis != TACHO_NONE) {
            bytes = (bytes * length_along(self, t, reach->axis) + size - 1) / size + 1;
        }
    }
    return (uint64_t)(bytes < access->bytes ? bytes : access->bytes);
}

/* The most bytes of |access| that tiles of the tiling touch; as elements of |each| bytes if not 0.
 */
static uint64_t most_bytes(const tiler *self, const tacho_tiling *t, const tacho_access *access,
                           uint64_t each)
{
    uint64_t elements = 1;
    if (!access->is_known) {
        return most_unknown(self, t, access);
    }
    for (uint32_t i = 0; i < access->rank; i++) {
        const tacho_reach *reach = &access->reach[i];
        uint64_t size = reach->is_part ? reach->length : reach->size;
        if (reach->axis != TACHO_NONE) {
            uint64_t length = length_along(self, t, reach->axis);
            length = (length - 1) * (uint64_t)reach->scale + (uint64_t)reach->window;
            if (reach->divisor > 1) {
                length = (length - 1) / (uint64_t)reach->divisor + 1;
            }
            if (reach->outer != TACHO_NONE) {
                length += (length_along(self, t, reach->outer) - 1) * reach->outer_scale;
            }
            size = length < size ? length : size;
        }
        elements = tacho_size_multiply(elements, size);
    }
    uint64_t known = UINT64_MAX / 4;
    if (each > 0) {
        return tacho_size_multiply(elements, each);
    }
    return tacho_dtype_bytes(access->kept, elements, &known) ? known : UINT64_MAX / 4;
}

static uint64_t lines_of_tile(const tiler *self, const tacho_tiling *t)
{
    uint64_t lines = 1;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        if (self->space->axes[i].role != TACHO_AXIS_SUM) {
            lines = tacho_size_multiply(lines, tacho_ceil_div(range_of(self, i), t->parts[i]));
        }
    }
    return lines;
}

/*
 * Buffers of a result. Where sums are cut, partial ones are kept apart, and the result, which is
 * there with the last of them, has all the time until the next last one to leave.
 */
static void plan_output(const tiler *self, tacho_tiling *t, const tacho_access *access,
                        tacho_slots *slots)
{
    bool returns = slots->changes > slots->distinct;
    if (t->has_sums) {
        uint64_t sums = most_bytes(self, t, access, TACHO_SUM_BYTES);
        t->scratch_bytes = sums > t->scratch_bytes ? sums : t->scratch_bytes;
    }
    slots->is_whole = returns || slots->distinct == 1;
    slots->count = !slots->moves ? 0 : (slots->is_whole || t->has_sums ? 1 : 2);
    slots->bytes = slots->is_whole ? slots->share_bytes : slots->tile_bytes;
}

static uint64_t state_bytes(const tacho_state *state)
{
    uint64_t each = tacho_size_multiply(state->unit_bytes, TACHO_STATE_COPIES);
    return tacho_size_multiply(tacho_size_multiply(state->directions, state->units),
                               tacho_size_multiply(state->inferences, each));
}

/* Whether all fits; operands that would be reloaded, or overlap, get a whole buffer if it fits. */
static bool plan_slots(tiler *self, tacho_tiling *t)
{
    const tacho_space *space = self->space;
    t->scratch_bytes = t->passes > 1 ? tacho_size_multiply(lines_of_tile(self, t), STATISTICS_BYTES)
                                     : state_bytes(&space->state);
    uint64_t needed = 0;
    for (size_t i = 0; i < space->access_count; i++) {
        const tacho_access *access = &space->accesses[i];
        tacho_slots *slots = &self->slots[i];
        count_changes(self, t, access, slots);
        slots->tile_bytes = most_bytes(self, t, access, 0);
        if (access->is_output) {
            plan_output(self, t, access, slots);
        } else {
            slots->is_whole = slots->distinct == 1;
            bool is_one = slots->is_whole || (access->is_late && t->has_sums);
            slots->count = !slots->moves || access->bytes == 0 ? 0 : (is_one ? 1 : 2);
            slots->bytes = slots->tile_bytes;
        }
        if (self->place->engine != NULL || !access->is_output) { /* no other place */
            needed = tacho_size_add(needed, tacho_size_multiply(slots->count, slots->bytes));
        }
    }
    needed = tacho_size_add(needed, t->scratch_bytes);
    self->least_bytes = needed < self->least_bytes ? needed : self->least_bytes;
    if (needed > self->room_bytes) {
        return false;
    }
    for (size_t i = 0; i < space->access_count; i++) {
        tacho_slots *slots = &self->slots[i];
        uint64_t whole = slots->share_bytes;
        uint64_t now = slots->count * slots->bytes;
        bool saves = tacho_size_multiply(slots->changes, slots->bytes) > whole || whole <= now;
        if (self->place->engine != NULL && !space->accesses[i].is_output &&
            space->accesses[i].is_known && slots->count > 0 && !slots->is_whole && saves &&
            needed - now + whole <= self->room_bytes) {
            needed = needed - now + whole;
            slots->is_whole = true;
            slots->count = 1;
            slots->bytes = whole;
        }
    }
    return true;
}

/* ---- the pipeline --------------------------------------------------------------------------- */

typedef struct traffic {
    int64_t all, first;  /* cycles of all transfers, and of those of one tile */
    int64_t front;       /* of operands loaded once: their load, then all tiles */
    uint64_t shared;     /* bytes of shared memory ... */
    uint64_t copied;     /* ... and of the network between cores */
    bool is_again;       /* an operand is loaded more than once */
    int64_t most;        /* cycles of the operand that takes longest ... */
    int64_t most_each;   /* ... and of one transfer of it, ... */
    uint64_t most_loads; /* ... how many there are ... */
    uint64_t last;       /* ... and tiles that use the last piece of it */
    uint64_t loads;      /* transfers of the operand that has most of them */
} traffic;

/* Tiles that use one piece of |access|, one after the other. */
static uint64_t tiles_of_piece(const tiler *self, const tacho_tiling *t, const tacho_access *access)
{
    uint64_t tiles = 1;
    for (uint32_t i = self->space->axis_count; i > 0; i--) {
        uint32_t axis = t->order[i - 1];
        if (parts_of(t, access, axis) > 1) {
            break;
        }
        tiles *= t->parts[axis];
    }
    return tiles;
}

/* Tiles until all of |access| has been touched once. */
static uint64_t first_tiles(const tiler *self, const tacho_tiling *t, const tacho_access *access)
{
    uint64_t tiles = t->tile_count;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        uint32_t axis = t->order[i];
        if (parts_of(t, access, axis) > 1) {
            break;
        }
        tiles = t->parts[axis] > 1 ? tiles / t->parts[axis] : tiles;
    }
    return tiles;
}

/* Cycles for |bytes| of a shared resource, at the core's part of its rate. */
static int64_t shared_cycles(tacho_ratio rate, uint64_t bytes)
{
    int64_t cycles = 0;
    bool is_over = rate.num > 0 && !tacho_ratio_ceil_divide(bytes, rate, &cycles);
    return is_over ? INT64_MAX : cycles;
}

static tacho_status add_traffic(const tiler *self, const tacho_tiling *t, size_t number,
                                int64_t compute, traffic *to)
{
    const tacho_access *access = &self->space->accesses[number];
    const tacho_slots *slots = &self->slots[number];
    const tacho_dma *dma = access->is_output ? self->out : self->in;
    if (slots->count == 0 || dma == NULL) {
        return TACHO_OK;
    }
    bool is_even = slots->is_whole || access->is_output;
    uint64_t loads = is_even ? slots->distinct : slots->changes;
    uint64_t moved = is_even ? slots->share_bytes : tacho_size_multiply(loads, slots->tile_bytes);
    uint64_t piece = is_even ? tacho_ceil_div(moved, loads) : slots->tile_bytes;
    to->is_again |= loads > slots->distinct;
    int64_t each;
    uint64_t readers = slots->readers > 0 ? slots->readers : 1;
    tacho_ratio rate = access->is_output ? self->out_rate : self->in_rate;
    TACHO_TRY(tacho_cost_transfer_at(dma, rate, piece, &each));
    tacho_ratio shared = slots->is_shared ? self->place->shared_rate : self->place->network_rate;
    uint64_t *sum = slots->is_shared ? &to->shared : &to->copied;
    each = tacho_most(each, shared_cycles(shared, piece / readers));
    *sum = tacho_size_add(*sum, moved / readers);
    int64_t all = tacho_cycles_multiply(each, loads);
    to->all = tacho_cycles_add(to->all, is_even ? all : of_all(self, t, access, all));
    to->first = tacho_cycles_add(to->first, each);
    to->loads = loads > to->loads ? loads : to->loads;
    if (all > to->most) {
        to->most = all;
        to->most_each = each;
        to->most_loads = loads;
        to->last = slots->is_whole ? 1 : tiles_of_piece(self, t, access);
    }
    if (slots->is_whole && !access->is_output) {
        uint64_t first = first_tiles(self, t, access);
        uint64_t last = tiles_of_piece(self, t, access); /* of one piece: all tiles */
        uint64_t rest = t->tile_count - first + tacho_least(last, first);
        to->front =
            tacho_most(to->front, tacho_cycles_add(all, tacho_cycles_multiply(compute, rest)));
    }
    return TACHO_OK;
}

/*
 * Where one sequencer starts all jobs, an operand of a tile waits for the queue, and so does the
 * tile: of the tiles that use a piece of the longest operand, only the first is computed while the
 * next piece is loaded.
 */
static int64_t held_up_cycles(const tiler *self, const traffic *in, int64_t compute)
{
    if (!tacho_machine_is_sequenced(self->place->machine) || in->last <= 1 ||
        in->loads <= in->most_loads) {
        return 0;
    }
    int64_t behind = tacho_cycles_multiply(compute, in->last - 1);
    return tacho_cycles_multiply(tacho_cycles_add(tacho_most(in->most_each, compute), behind),
                                 in->most_loads);
}

/*
 * The longest of three ways through the pipeline: all transfers in, and then the last tile; the
 * first operands, all tiles and the last result; the first tile and then all transfers out.
 */
static tacho_status pipeline_cycles(const tiler *self, const tacho_tiling *t, int64_t *out_cycles,
                                    bool *out_wants_more)
{
    int64_t compute;
    traffic in = {0};
    traffic out = {0};
    int64_t all;
    TACHO_TRY(compute_cycles(self, t, false, &compute));
    TACHO_TRY(all_cycles(self, t, compute, &all));
    for (size_t i = 0; i < self->space->access_count; i++) {
        traffic *to = self->space->accesses[i].is_output ? &out : &in;
        TACHO_TRY(add_traffic(self, t, i, compute, to));
    }
    uint64_t sums = t->passes;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        sums *= self->space->axes[i].role == TACHO_AXIS_SUM ? t->parts[i] : 1;
    }
    int64_t before = tacho_cycles_multiply(compute, sums);
    int64_t shared =
        tacho_most(shared_cycles(self->place->shared_rate, tacho_size_add(in.shared, out.shared)),
                   shared_cycles(self->place->network_rate, in.copied));
    int64_t last = tacho_cycles_multiply(compute, in.last > 1 ? in.last : 1);
    int64_t first_in = tacho_cycles_add(tacho_cycles_add(in.all, last), out.first);
    int64_t middle = tacho_cycles_add(tacho_cycles_add(in.first, all), out.first);
    int64_t last_out = tacho_cycles_add(tacho_cycles_add(in.first, before), out.all);
    middle = tacho_most(middle, tacho_cycles_add(in.front, out.first));
    middle = tacho_most(middle, tacho_cycles_add(held_up_cycles(self, &in, compute), out.first));
    *out_cycles = tacho_most(tacho_most(first_in, middle), tacho_most(last_out, shared));
    int64_t longest = tacho_most(tacho_most(all, shared), tacho_most(in.all, out.all));
    *out_wants_more = in.is_again || *out_cycles - longest > longest / WORTH_MORE_TRIES;
    return TACHO_OK;
}

/* ---- trying -------------------------------------------------------------------------------- */

/* Loops: batches, then columns and rows or the other way round, then the axes summed over. */
static void set_order(const tiler *self, bool rows_outside, tacho_tiling *t)
{
    const tacho_axis_role order[] = {
        TACHO_AXIS_BATCH, rows_outside ? TACHO_AXIS_ROW : TACHO_AXIS_COLUMN,
        rows_outside ? TACHO_AXIS_COLUMN : TACHO_AXIS_ROW, TACHO_AXIS_SUM};
    uint32_t count = 0;
    for (size_t i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < self->space->axis_count; k++) {
            if (self->space->axes[k].role == order[i]) {
                t->order[count++] = k;
            }
        }
    }
}

/* |count| parts along the axes of a role: the first as fine as they can be, then the next. */
static void set_parts(const tiler *self, tacho_axis_role role, uint64_t count, tacho_tiling *t)
{
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        const tacho_axis *axis = &self->space->axes[i];
        if (axis->role == role) {
            uint64_t range = range_of(self, i);
            t->parts[i] = count < range ? count : range;
            count = tacho_ceil_div(count, t->parts[i]);
            t->parts[i] = axis->is_sequential || axis->is_single ? range : t->parts[i];
        }
    }
}

static tacho_status try_order(tiler *self, tacho_tiling t, bool rows_outside)
{
    set_order(self, rows_outside, &t);
    if (!plan_slots(self, &t) || t.tile_count > TACHO_TILES_LIMIT) {
        return TACHO_OK;
    }
    int64_t cycles;
    bool wants_more;
    TACHO_TRY(pipeline_cycles(self, &t, &cycles, &wants_more));
    bool is_more = self->is_found && t.tile_count > self->best.tile_count &&
                   tacho_size_multiply(t.tile_count, self->place->cores) > TACHO_TILES_MAX;
    int64_t worth = self->place->cores > 1 ? cycles / WORTH_TILES_OF_CORES : cycles / WORTH_A_TILE;
    if (!self->is_found || tacho_cycles_add(cycles, is_more ? worth : 0) < self->best_cycles) {
        self->is_found = true;
        self->wants_more = wants_more;
        self->best_cycles = cycles;
        self->best = t;
    }
    return TACHO_OK;
}

static tacho_status try_counts(tiler *self, const uint64_t *counts)
{
    tacho_tiling t = {.passes = 1};
    static const tacho_axis_role roles[] = {TACHO_AXIS_BATCH, TACHO_AXIS_ROW, TACHO_AXIS_COLUMN,
                                            TACHO_AXIS_SUM};
    for (size_t i = 0; i < 4; i++) {
        set_parts(self, roles[i], counts[i], &t);
    }
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        bool is_cut = self->space->axes[i].waits_batch && t.parts[i] > 1;
        if (is_cut && counts[0] < self->roles[TACHO_AXIS_BATCH]) {
            return TACHO_OK;
        }
    }
    bool is_fixed = self->space->sequences != 0;
    count_tiles(self, &t);
    bool has_lines = (t.cut & self->space->sums) != 0;
    t.has_sums = has_lines && !self->space->has_passes;
    if (has_lines && self->space->has_passes) {
        t.passes = 2;
        t.tile_count = tacho_size_multiply(t.tile_count, t.passes);
    }
    if (!is_fixed) {
        TACHO_TRY(try_order(self, t, false));
    }
    bool differs = counts[1] > 1 && counts[2] > 1;
    return is_fixed || differs ? try_order(self, t, true) : TACHO_OK;
}

/* The next number of parts to try: doubled, and last of all |limit|. */
static uint64_t next_count(uint64_t count, uint64_t limit)
{
    return count < limit && count * 2 > limit ? limit : count * 2;
}

/* Operands loaded again, or loaded before computing, are cut along k and in more tiles, too. */
static bool wants_more(const tiler *self)
{
    return !self->is_found || self->wants_more;
}

static tacho_status try_products(tiler *self, uint64_t batch, uint64_t sums)
{
    uint64_t rows = self->roles[TACHO_AXIS_ROW];
    uint64_t columns = self->roles[TACHO_AXIS_COLUMN];
    for (uint64_t m = 1; m <= rows; m = next_count(m, rows)) {
        for (uint64_t n = 1; n <= columns; n = next_count(n, columns)) {
            const uint64_t counts[] = {batch, m, n, sums};
            if (batch * m * n * sums > self->tried_max) {
                break;
            }
            TACHO_TRY(try_counts(self, counts));
        }
    }
    return TACHO_OK;
}

static tacho_status try_all(tiler *self)
{
    uint64_t batches = self->roles[TACHO_AXIS_BATCH];
    uint64_t sums = self->roles[TACHO_AXIS_SUM];
    for (uint64_t b = 1; b <= batches && b <= self->tried_max; b = next_count(b, batches)) {
        if (b == 1 || b < batches) {
            const uint64_t counts[] = {b, 1, 1, 1};
            TACHO_TRY(try_counts(self, counts));
        }
    }
    TACHO_TRY(try_products(self, batches, 1));
    bool is_more = wants_more(self) || self->space->kind != TACHO_WORK_MATRIX;
    for (uint64_t k = 2; is_more && k <= sums; k = next_count(k, sums)) {
        if (batches * k > self->tried_max) {
            break;
        }
        TACHO_TRY(try_products(self, batches, k));
    }
    return TACHO_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Computes everything that is the same for all ways to cut the share. */
static tacho_status prepare(tiler *self)
{
    const tacho_space *space = self->space;
    for (size_t i = 0; i < TACHO_AXIS_ROLE_COUNT; i++) {
        self->roles[i] = 1;
    }
    for (uint32_t i = 0; i < space->axis_count; i++) {
        const tacho_axis *axis = &space->axes[i];
        bool is_fixed = axis->is_sequential || axis->is_single;
        uint64_t *role = &self->roles[axis->role];
        *role = tacho_size_multiply(*role, is_fixed ? 1 : range_of(self, i));
    }
    for (size_t i = 0; i < space->access_count; i++) {
        self->slots[i].share_bytes = most_bytes(self, NULL, &space->accesses[i], 0);
    }
    TACHO_TRY(self->in != NULL ? tacho_cost_dma_rate(self->in, &self->in_rate) : TACHO_OK);
    return self->out != NULL ? tacho_cost_dma_rate(self->out, &self->out_rate) : TACHO_OK;
}

static tacho_status find_tiling(tiler *self)
{
    /* A few tiles first; more where those do not fit, or reload an operand. */
    const uint64_t tried[] = {TACHO_TILES_MAX, TACHO_TILES_TRIED_MAX, TACHO_TILES_LIMIT};
    for (size_t i = 0; i < 3 && (i < 2 ? wants_more(self) : !self->is_found); i++) {
        self->tried_max = tried[i];
        TACHO_TRY(try_all(self));
    }
    if (!self->is_found) { /* however many tiles that takes */
        const uint64_t finest[] = {self->roles[TACHO_AXIS_BATCH], self->roles[TACHO_AXIS_ROW],
                                   self->roles[TACHO_AXIS_COLUMN], self->roles[TACHO_AXIS_SUM]};
        TACHO_TRY(try_counts(self, finest));
    }
    return TACHO_OK;
}

tacho_status tacho_tile(const tacho_tile_place *place, const tacho_share *share, tacho_slots *slots,
                        tacho_tiling *out_tiling)
{
    tiler self = {
        .place = place,
        .share = share,
        .space = share->space,
        .slots = slots,
        .in = tacho_machine_dma(place->machine, TACHO_ENGINE_DMA_IN),
        .out = tacho_machine_dma(place->machine, TACHO_ENGINE_DMA_OUT),
        .engines =
            place->engine != NULL ? (uint32_t)tacho_quantity_whole(&place->engine->count) : 1,
        .room_bytes = place->room_bytes,
        .least_bytes = UINT64_MAX,
    };
    TACHO_TRY(prepare(&self));
    TACHO_TRY(find_tiling(&self));
    if (!self.is_found && place->spills) {
        self.room_bytes = SPILLED_BYTES;
        TACHO_TRY(find_tiling(&self));
    }
    if (!self.is_found && self.least_bytes <= place->room_bytes) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "it takes more than %d tiles to fit %" PRIu64 " bytes of local memory; "
                          "give smaller sizes, or a machine with more local memory",
                          TACHO_TILES_LIMIT, place->room_bytes);
    }
    if (!self.is_found) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "its smallest tile needs %" PRIu64 " bytes of local memory, and %" PRIu64
                          " are free",
                          self.least_bytes, place->room_bytes);
    }
    plan_slots(&self, &self.best);
    *out_tiling = self.best;
    return TACHO_OK;
}
