/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operator on the cores: each core's share is cut into tiles, and their jobs are put in the
 * order in which they are best started: the result of the tile before, the loads of the next one,
 * then this tile. Buffers are used in turn; a job that fills one waits for those that read it.
 */
#include "compile/schedule_tiles.h"

#include "base/index.h"
#include "base/maths.h"
#include "machine/cost.h"

#include <inttypes.h>

/* ---- where a tile is ----------------------------------------------------------------------- */

/* Axes that are summed over are the innermost loops; passes go around them. */
tacho_tile_at tacho_core_work_at(const tacho_core_work *self, uint64_t number)
{
    const tacho_tiling *t = self->tiling;
    tacho_tile_at at = {.number = number, .is_there = true};
    uint64_t rest = number;
    bool is_passed = false;
    for (uint32_t i = self->space->axis_count; i > 0; i--) {
        uint32_t axis = t->order[i - 1];
        if (self->space->axes[axis].role != TACHO_AXIS_SUM && !is_passed && t->passes > 1) {
            is_passed = true;
            at.pass = (uint32_t)(rest % t->passes);
            rest /= t->passes;
        }
        at.ranges[axis] = self->ranges[axis];
        if (t->parts[axis] > 1) {
            at.index[axis] = rest % t->parts[axis];
            rest /= t->parts[axis];
            at.ranges[axis] = tacho_part_range(self->ranges[axis], t->parts[axis], at.index[axis]);
        }
        at.is_there &= at.ranges[axis].end > at.ranges[axis].first;
    }
    at.pass = is_passed || t->passes == 1 ? at.pass : (uint32_t)(rest % t->passes);
    return at;
}

void tacho_core_work_forget_tiles(tacho_core_work *self)
{
    for (uint64_t i = 0; i < TACHO_TILES_KEPT; i++) {
        self->tiles[i].number = i + 1; /* none that belongs there */
    }
}

/* The same, from the tiles that are kept. */
static const tacho_tile_at *find_tile(tacho_core_work *self, uint64_t number)
{
    tacho_tile_at *kept = &self->tiles[number % TACHO_TILES_KEPT];
    if (kept->number != number) {
        *kept = tacho_core_work_at(self, number);
    }
    return kept;
}

/* The first of axes that are given as bits. */
static uint32_t first_axis(uint32_t axes)
{
    return (uint32_t)__builtin_ctz(axes);
}

/* Whether a tile is the last along |axes|. */
static bool is_last_along(const tacho_core_work *self, uint32_t axes, const tacho_tile_at *at)
{
    bool is = true;
    for (uint32_t rest = axes & self->tiling->cut; rest != 0; rest &= rest - 1) {
        uint32_t i = first_axis(rest);
        is &= at->index[i] + 1 == self->tiling->parts[i];
    }
    return is;
}

/* The number of the piece of |access| in a tile, among all its pieces. */
static uint64_t key_of(const tacho_core_work *self, const tacho_access *access,
                       const tacho_tile_at *at)
{
    uint64_t key = 0;
    uint32_t mirrored = tacho_access_is_mirrored(access, at->ranges) ? access->mirrored : 0;
    for (uint32_t rest = access->axes & self->tiling->cut; rest != 0; rest &= rest - 1) {
        uint32_t i = first_axis(rest);
        uint64_t parts = self->tiling->parts[i];
        key = key * parts + (mirrored >> i & 1 ? parts - 1 - at->index[i] : at->index[i]);
    }
    return key;
}

/* Whether the result of |access| is complete after this tile. */
static bool is_complete(const tacho_core_work *self, const tacho_access *access,
                        const tacho_tile_at *at)
{
    return at->pass + 1 == self->tiling->passes && is_last_along(self, ~access->axes, at);
}

/* Whether a tile's sums are complete with it. */
static bool is_summed(const tacho_core_work *self, const tacho_tile_at *at)
{
    return !self->tiling->has_sums || is_last_along(self, self->space->sums, at);
}

/* Whether the jobs of a tile touch |of|: not what only the last part of a sum needs, before that.
 */
static bool is_touched(const tacho_core_work *self, const tacho_operand_work *of,
                       const tacho_tile_at *at)
{
    return is_summed(self, at) || !(of->access->is_late || of->access->is_output);
}

/* Whether something was added before. */
static bool is_begun(const tacho_core_work *self, const tacho_tile_at *at)
{
    bool is = at->pass > 0;
    uint32_t steps = (self->space->sums | self->space->sequences) & self->tiling->cut;
    for (uint32_t rest = steps; rest != 0; rest &= rest - 1) {
        is |= at->index[first_axis(rest)] > 0;
    }
    return is;
}

/* ---- transfers ------------------------------------------------------------------------------ */

/* A transfer is no faster than its queue, nor than the memory or the network that it shares. */
tacho_status tacho_transfer_cycles(const tacho_core_work *self, const tacho_operand_work *of,
                                   uint64_t bytes, int64_t *out_cycles)
{
    int64_t shared = 0;
    tacho_ratio rate =
        of->kind == TACHO_JOB_COPY ? self->schedule->network_rate : self->schedule->shared_rate;
    TACHO_TRY(tacho_cost_transfer_at(of->dma, of->rate, bytes, out_cycles));
    if (rate.num > 0 && !tacho_ratio_ceil_divide(bytes, rate, &shared)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "a transfer of %" PRIu64 " bytes is too large",
                          bytes);
    }
    *out_cycles = *out_cycles > shared ? *out_cycles : shared;
    *out_cycles = *out_cycles > 0 ? *out_cycles : 1;
    return TACHO_OK;
}

/*
 * Takes off the box of a tile what tiles before it have brought, along each dimension up to where
 * the one before it ends; false: there are too many bytes.
 */
static bool leave_brought(const tacho_core_work *self, const tacho_access *access,
                          const tacho_tile_at *at, tacho_region_spec *spec)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < access->rank; i++) {
        const tacho_reach *reach = &access->reach[i];
        tacho_extent *own = &spec->box[i];
        bool has_order =
            reach->axis != TACHO_NONE && reach->outer == TACHO_NONE && !reach->is_mirrored;
        if (has_order && at->index[reach->axis] > 0) {
            tacho_range before =
                tacho_part_range(self->ranges[reach->axis], self->tiling->parts[reach->axis],
                                 at->index[reach->axis] - 1);
            tacho_extent brought = tacho_reach_extent(reach, before, (tacho_range){0, 1});
            uint64_t end = brought.offset + brought.size;
            uint64_t own_end = own->offset + own->size;
            if (end > own->offset) {
                own->offset = end < own_end ? end : own_end;
                own->size = own_end - own->offset;
            }
        }
        elements = tacho_size_multiply(elements, own->size);
    }
    return tacho_dtype_bytes(access->kept, elements, &spec->bytes);
}

tacho_region_spec tacho_region_of(const tacho_access *access, const tacho_range *ranges)
{
    tacho_region_spec spec;
    spec.tensor = access->tensor;
    spec.buffer = TACHO_NONE;
    spec.access = TACHO_ACCESS_READ;
    spec.rank = access->is_known ? access->rank : 0;
    spec.bytes = access->is_known
                     ? tacho_access_box_bytes(access, tacho_access_box(access, ranges, spec.box))
                     : tacho_access_bytes(access, ranges);
    return spec;
}

/* Cores that get the same bytes do so at once. */
static tacho_status join_cast(tacho_core_work *self, const tacho_operand_work *of,
                              const tacho_tile_at *at)
{
    tacho_cast_key key = {
        .part = self->part,
        .operand = (uint32_t)(of - self->operands),
        .team = of->team,
        .tile = (uint32_t)at->number,
    };
    return of->slots->readers > 1
               ? tacho_memory_turns_join(&self->schedule->turns, self->schedule->program, &key)
               : TACHO_OK;
}

/* A load or store of |spec|, between shared memory and its buffer. */
static tacho_status add_transfer(tacho_core_work *self, const tacho_operand_work *of,
                                 const tacho_tile_at *at, tacho_region_spec *spec,
                                 uint32_t *out_job)
{
    tacho_schedule *schedule = self->schedule;
    bool is_out = of->access->is_output;
    uint32_t buffer = spec->buffer;
    tacho_job job = {
        .engine = of->queue,
        .kind = (uint16_t)of->kind,
        .tile = (uint32_t)at->number,
        .buffer = buffer,
        .bytes = spec->bytes,
    };
    TACHO_TRY(tacho_transfer_cycles(self, of, job.bytes, &job.cycles));
    spec->buffer = is_out ? buffer : TACHO_NONE;
    spec->access = TACHO_ACCESS_READ;
    TACHO_TRY(tacho_schedule_region(schedule, spec));
    spec->buffer = is_out ? TACHO_NONE : buffer;
    spec->access = TACHO_ACCESS_WRITE;
    TACHO_TRY(tacho_schedule_region(schedule, spec));
    TACHO_TRY(tacho_schedule_add(schedule, job, out_job));
    return join_cast(self, of, at);
}

static tacho_status need_users(tacho_core_work *self, const uint32_t *users, bool is_false)
{
    for (uint32_t i = 0; i < self->engine_count; i++) {
        if (users[i] != TACHO_NONE) {
            TACHO_TRY(tacho_schedule_need(self->schedule, users[i], is_false, 0));
        }
    }
    return TACHO_OK;
}

/* A piece of an operand that has room for all of it. */
static tacho_status load_cell(tacho_core_work *self, tacho_operand_work *of,
                              const tacho_tile_at *at)
{
    uint32_t *job = &self->schedule->cells[of->first_cell + key_of(self, of->access, at)];
    tacho_region_spec spec = tacho_region_of(of->access, at->ranges);
    if (of->access->is_known && !leave_brought(self, of->access, at, &spec)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "a transfer is too large");
    }
    if (spec.bytes == 0) { /* all of it is loaded already */
        *job = of->last_load != TACHO_NONE ? of->last_load : TACHO_CELL_EMPTY;
        return TACHO_OK;
    }
    spec.buffer = of->buffers[0];
    TACHO_TRY(add_transfer(self, of, at, &spec, job));
    of->last_load = *job;
    return TACHO_OK;
}

/* Loads the next part of an operand that takes turns, into the buffer that |now| does not need. */
static tacho_status load_turn(tacho_core_work *self, tacho_operand_work *of,
                              const tacho_tile_at *at, const tacho_tile_at *now)
{
    uint64_t key = key_of(self, of->access, at);
    uint32_t slot = of->keys[0] == UINT64_MAX || of->slots->count == 1 ? 0 : 1;
    if (now != NULL && of->slots->count > 1) {
        slot = of->keys[0] == key_of(self, of->access, now) ? 1 : 0;
    }
    of->keys[slot] = key;
    tacho_region_spec spec = tacho_region_of(of->access, at->ranges);
    if (spec.bytes == 0) {
        of->filled[slot] = TACHO_NONE;
        return TACHO_OK;
    }
    spec.buffer = of->buffers[slot];
    TACHO_TRY(need_users(self, of->users[slot], true));
    return add_transfer(self, of, at, &spec, &of->filled[slot]);
}

/* Whether |of| has to be loaded for a tile and is not. */
static bool is_missing(const tacho_core_work *self, const tacho_operand_work *of,
                       const tacho_tile_at *at)
{
    if (of->access->is_output || of->slots->count == 0 || !is_touched(self, of, at)) {
        return false;
    }
    uint64_t key = key_of(self, of->access, at);
    return of->slots->is_whole ? self->schedule->cells[of->first_cell + key] == TACHO_NONE
                               : of->keys[0] != key && of->keys[1] != key;
}

static tacho_status load_operand(tacho_core_work *self, tacho_operand_work *of,
                                 const tacho_tile_at *at, const tacho_tile_at *now)
{
    of->reached = at->number;
    return of->slots->is_whole ? load_cell(self, of, at) : load_turn(self, of, at, now);
}

/* Loads the missing operands of tile |at|, while |now| is worked on. */
tacho_status tacho_core_work_load(tacho_core_work *self, const tacho_tile_at *at,
                                  const tacho_tile_at *now)
{
    for (size_t i = 0; i < self->space->access_count && at->is_there; i++) {
        if (is_missing(self, &self->operands[i], at)) {
            TACHO_TRY(load_operand(self, &self->operands[i], at, now));
        }
    }
    return TACHO_OK;
}

/* The next tile that needs something of |of| that tile |now| does not. */
static void look_ahead(tacho_core_work *self, tacho_operand_work *of, const tacho_tile_at *now)
{
    uint64_t count = self->tiling->tile_count;
    uint64_t key = key_of(self, of->access, now);
    bool is_late = of->slots->count == 1 && !of->slots->is_whole;
    if (is_late) { /* its one buffer is needed until the tile before */
        of->ahead = now->number + 1;
        return;
    }
    for (of->ahead = of->ahead > now->number ? of->ahead : now->number + 1; of->ahead < count;
         of->ahead++) {
        const tacho_tile_at *at = find_tile(self, of->ahead);
        if (of->slots->is_whole ? is_missing(self, of, at)
                                : at->is_there && key_of(self, of->access, at) != key) {
            return;
        }
    }
}

/* The operand that is missing first, of several the largest; NULL: none is. */
static tacho_operand_work *first_missing(tacho_core_work *self, const tacho_tile_at *now)
{
    tacho_operand_work *first = NULL;
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *of = &self->operands[i];
        bool is_ahead = of->slots->is_whole && of->reached > now->number;
        if (of->access->is_output || of->slots->count == 0 || is_ahead) {
            continue;
        }
        look_ahead(self, of, now);
        bool is_first = first == NULL || of->ahead < first->ahead ||
                        (of->ahead == first->ahead && of->slots->bytes > first->slots->bytes);
        if (of->ahead < self->tiling->tile_count && is_first) {
            const tacho_tile_at *at = find_tile(self, of->ahead);
            first = at->is_there && is_missing(self, of, at) ? of : first;
        }
    }
    return first;
}

tacho_status tacho_core_work_ahead(tacho_core_work *self, const tacho_tile_at *now, uint32_t most)
{
    for (uint32_t i = 0; i < most && i < self->space->access_count; i++) {
        tacho_operand_work *of = first_missing(self, now);
        if (of == NULL) {
            break;
        }
        TACHO_TRY(load_operand(self, of, find_tile(self, of->ahead), now));
    }
    return TACHO_OK;
}

/* ---- computing ------------------------------------------------------------------------------ */

/* The most elements of an operand or result, kept as |kept| or NONE: any type, that a piece has. */
static uint64_t most_of(const tacho_space *space, const tacho_range *ranges, tacho_dtype kept,
                        bool is_output)
{
    uint64_t most = 0;
    for (size_t i = 0; i < space->access_count; i++) {
        const tacho_access *access = &space->accesses[i];
        tacho_extent box[TACHO_BOX_RANK_MAX];
        bool is_one = access->is_output == is_output && access->is_known &&
                      (kept == TACHO_DTYPE_NONE || access->kept == kept);
        uint64_t count = is_one ? tacho_access_box(access, ranges, box) : 0;
        most = count > most ? count : most;
    }
    return most;
}

static tacho_piece piece_of(const tacho_core_work *self, const tacho_tile_at *at,
                            const tacho_range *ranges)
{
    const tacho_space *space = self->space;
    tacho_piece piece = {.batch = 1,
                         .m = 1,
                         .n = 1,
                         .k = space->depth,
                         .steps = self->place.steps,
                         .engines = self->engine_count,
                         .is_partial = !is_summed(self, at)};
    uint64_t *const counts[] = {&piece.batch, &piece.m, &piece.n, NULL, &piece.k};
    tacho_u128 volume = 1;
    tacho_u128 all = 1;
    bool is_spread = false; /* fewer products than results: a deconvolution */
    for (uint32_t i = 0; i < space->axis_count; i++) {
        const tacho_axis *axis = &space->axes[i];
        uint64_t *count = counts[axis->role];
        *count = tacho_size_multiply(*count, tacho_axis_count(axis, ranges[i]));
        is_spread |= axis->counted < axis->size;
        volume *= ranges[i].end - ranges[i].first;
        all *= axis->size;
    }
    if (space->kind == TACHO_WORK_MATRIX) {
        uint64_t sums = tacho_size_multiply(piece.batch, tacho_size_multiply(piece.m, piece.n));
        uint64_t written = is_spread ? most_of(space, ranges, TACHO_DTYPE_NONE, true) : 0;
        piece.results = sums > written ? sums : written;
        return piece;
    }
    piece.results = all > 0 ? (uint64_t)((self->place.elements * volume + all - 1) / all) : 0;
    piece.steps = tacho_pass_steps(self->place.steps, self->tiling->passes, at->pass);
    if (space->kind == TACHO_WORK_VECTOR && self->place.source != self->place.dtype) {
        piece.read = most_of(space, ranges, self->place.source, false);
    }
    if (at->pass + 1 == self->tiling->passes) {
        piece.written = most_of(space, ranges, self->place.result, true);
    }
    return piece;
}

/* The part of a tile that engine |index| does. */
static bool engine_ranges(const tacho_core_work *self, const tacho_tile_at *at, uint32_t index,
                          tacho_range *ranges)
{
    memcpy(ranges, at->ranges, sizeof(at->ranges));
    if (self->split == TACHO_NONE) {
        return index == 0;
    }
    ranges[self->split] = tacho_part_range(at->ranges[self->split], self->engine_count, index);
    return ranges[self->split].end > ranges[self->split].first;
}

/* Whether all parts along |axis| make one result together: engines would write it at once. */
static bool is_joint(const tacho_space *space, uint32_t axis)
{
    bool is = false;
    for (size_t i = 0; i < space->access_count; i++) {
        const tacho_access *access = &space->accesses[i];
        is |= access->is_output && access->bytes > 0 && !tacho_access_follows(access, axis);
    }
    return is;
}

/* Cycles of the engine that has most of a tile to do. */
static tacho_status split_cycles(const tacho_core_work *self, const tacho_tile_at *at,
                                 int64_t *out_cycles)
{
    tacho_range ranges[TACHO_AXES_MAX];
    (void)engine_ranges(self, at, 0, ranges);
    tacho_piece piece = piece_of(self, at, ranges);
    return tacho_piece_cycles(&self->place, self->space->kind, &piece, out_cycles);
}

/* The first tile is the largest and decides; where that does not, the last and smallest does. */
tacho_status tacho_core_work_split(tacho_core_work *self)
{
    tacho_tile_at first = tacho_core_work_at(self, 0);
    tacho_tile_at last = tacho_core_work_at(self, self->tiling->tile_count - 1);
    int64_t best = INT64_MAX;
    int64_t best_last = INT64_MAX;
    uint32_t chosen = TACHO_NONE;
    for (uint32_t i = 0; i <= self->space->axis_count && self->engine_count > 1; i++) {
        bool is_none = i == self->space->axis_count;
        const tacho_axis *axis = &self->space->axes[i];
        if (!is_none && (axis->role == TACHO_AXIS_SUM || axis->is_sequential ||
                         (axis->waits_batch && self->is_grouped) || is_joint(self->space, i))) {
            continue;
        }
        int64_t cycles;
        int64_t last_cycles;
        self->split = is_none ? TACHO_NONE : i;
        TACHO_TRY(split_cycles(self, &first, &cycles));
        TACHO_TRY(split_cycles(self, &last, &last_cycles));
        if (cycles < best || (cycles == best && last_cycles < best_last)) {
            best = cycles;
            best_last = last_cycles;
            chosen = self->split;
        }
    }
    self->split = chosen;
    return TACHO_OK;
}

uint32_t tacho_operand_slot(const tacho_core_work *self, const tacho_operand_work *of,
                            const tacho_tile_at *at)
{
    if (of->slots->is_whole || of->slots->count == 1) {
        return 0;
    }
    return of->access->is_output ? of->slot : (of->keys[0] == key_of(self, of->access, at) ? 0 : 1);
}

tacho_status tacho_operand_need(tacho_core_work *self, const tacho_operand_work *of,
                                const tacho_tile_at *at)
{
    bool is_output = of->access->is_output;
    uint32_t job = of->filled[tacho_operand_slot(self, of, at)];
    if (!is_output && of->slots->is_whole && of->slots->count > 0) {
        job = self->schedule->cells[of->first_cell + key_of(self, of->access, at)];
    }
    return of->slots->count == 0 || job == TACHO_NONE || job == TACHO_CELL_EMPTY
               ? TACHO_OK
               : tacho_schedule_need(self->schedule, job, is_output, 0);
}

/* Adds the needs of a tile's job. */
static tacho_status need_operands(tacho_core_work *self, const tacho_tile_at *at)
{
    for (size_t i = 0; i < self->space->access_count; i++) {
        if (is_touched(self, &self->operands[i], at)) {
            TACHO_TRY(tacho_operand_need(self, &self->operands[i], at));
        }
    }
    bool adds = is_begun(self, at); /* else the old content of the scratch has to be used up */
    return adds || self->scratch != TACHO_NONE ? need_users(self, self->last, !adds) : TACHO_OK;
}

/* The part of the scratch that an engine has for its part of a tile. */
static tacho_status add_scratch(tacho_core_work *self, const tacho_tile_at *at,
                                const tacho_range *ranges, tacho_access_kind access)
{
    uint64_t all = self->tiling->scratch_bytes;
    tacho_region_spec spec = {.tensor = TACHO_NONE,
                              .buffer = self->scratch,
                              .access = (uint16_t)access,
                              .bytes = all,
                              .rank = 1};
    spec.box[0] = (tacho_extent){0, all, all};
    if (self->split != TACHO_NONE) {
        tacho_range tile = at->ranges[self->split];
        tacho_range part = ranges[self->split];
        uint64_t length = tile.end - tile.first;
        uint64_t first = (uint64_t)((tacho_u128)all * (part.first - tile.first) / length);
        uint64_t end = (uint64_t)((tacho_u128)all * (part.end - tile.first) / length);
        spec.box[0] = (tacho_extent){first, end - first, all};
        spec.bytes = end - first;
    }
    return tacho_schedule_region(self->schedule, &spec);
}

static tacho_extent state_extent(const tacho_range *ranges, uint32_t axis, uint64_t size)
{
    return axis == TACHO_NONE
               ? (tacho_extent){0, size, size}
               : (tacho_extent){ranges[axis].first, ranges[axis].end - ranges[axis].first, size};
}

/* All units of the step before are read, and those of this part left for the next step. */
static tacho_status add_state(tacho_core_work *self, const tacho_tile_at *at,
                              const tacho_range *ranges, tacho_access_kind access)
{
    const tacho_state *state = &self->space->state;
    bool is_read = access == TACHO_ACCESS_READ;
    uint64_t copy = (at->index[state->step] + (is_read ? 1 : 0)) % TACHO_STATE_COPIES;
    uint32_t unit = is_read ? TACHO_NONE : state->unit;
    tacho_region_spec spec = {.tensor = TACHO_NONE,
                              .buffer = self->scratch,
                              .access = (uint16_t)access,
                              .rank = 5,
                              .bytes = state->unit_bytes};
    spec.box[0] = (tacho_extent){copy, 1, TACHO_STATE_COPIES};
    spec.box[1] = state_extent(ranges, state->inference, state->inferences);
    spec.box[2] = state_extent(ranges, state->direction, state->directions);
    spec.box[3] = state_extent(ranges, unit, state->units);
    spec.box[4] = (tacho_extent){0, state->unit_bytes, state->unit_bytes};
    for (uint32_t i = 1; i < 4; i++) {
        spec.bytes *= spec.box[i].size;
    }
    return tacho_schedule_region(self->schedule, &spec);
}

/* All that a job reads and writes. */
static tacho_status add_regions(tacho_core_work *self, const tacho_tile_at *at,
                                const tacho_range *ranges)
{
    bool has_scratch = self->scratch != TACHO_NONE;
    const tacho_state *state = &self->space->state;
    tacho_status (*add_own)(tacho_core_work *, const tacho_tile_at *, const tacho_range *,
                            tacho_access_kind) = state->unit_bytes > 0 ? add_state : add_scratch;
    bool is_done =
        state->unit_bytes == 0 || at->index[state->step] + 1 == self->tiling->parts[state->step];
    if (has_scratch && is_begun(self, at)) {
        TACHO_TRY(add_own(self, at, ranges, TACHO_ACCESS_READ));
    }
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *of = &self->operands[i];
        bool is_last = !of->access->is_output || is_complete(self, of->access, at);
        is_done &= is_last;
        if ((!is_last && has_scratch) || !is_touched(self, of, at)) {
            continue;
        }
        tacho_region_spec spec = tacho_region_of(of->access, ranges);
        uint32_t slot = tacho_operand_slot(self, of, at);
        spec.buffer = of->slots->count > 0 ? of->buffers[slot] : of->resident;
        spec.access = (uint16_t)(!of->access->is_output ? TACHO_ACCESS_READ
                                 : is_last              ? TACHO_ACCESS_WRITE
                                                        : TACHO_ACCESS_PARTIAL);
        if (spec.bytes > 0) {
            TACHO_TRY(tacho_schedule_region(self->schedule, &spec));
        }
    }
    return has_scratch && !is_done ? add_own(self, at, ranges, TACHO_ACCESS_PARTIAL) : TACHO_OK;
}

static tacho_job compute_job(const tacho_core_work *self, const tacho_tile_at *at, uint32_t index)
{
    tacho_job job = {
        .engine = tacho_schedule_engine(self->schedule, self->core, self->engine, index),
        .kind = self->is_control ? TACHO_JOB_CONTROL : TACHO_JOB_COMPUTE,
        .tile = (uint32_t)at->number,
        .buffer = TACHO_NONE,
    };
    for (size_t i = 0; i < self->space->access_count; i++) {
        const tacho_operand_work *of = &self->operands[i];
        if (of->access->is_output && job.buffer == TACHO_NONE) {
            job.buffer = of->slots->count > 0 ? of->buffers[of->slot] : of->resident;
        }
    }
    return job;
}

/* Results go to the next buffer where they are others than the tile before made. */
static void turn_outputs(tacho_core_work *self, const tacho_tile_at *at)
{
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *of = &self->operands[i];
        uint64_t key = key_of(self, of->access, at);
        if (of->access->is_output && of->slots->count > 1 && of->keys[of->slot] != key) {
            of->slot = of->keys[0] == UINT64_MAX ? 0 : 1 - of->slot;
            of->keys[of->slot] = key;
        }
    }
}

static void note_use(tacho_core_work *self, const tacho_tile_at *at, uint32_t index, uint32_t job)
{
    self->last[index] = job;
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *of = &self->operands[i];
        if (is_touched(self, of, at)) {
            of->users[tacho_operand_slot(self, of, at)][index] = job;
        }
    }
}

/* Most pieces are as large as the one before. */
static tacho_status find_cycles(tacho_core_work *self, const tacho_piece *piece,
                                int64_t *out_cycles)
{
    const tacho_piece *last = &self->piece;
    bool is_alike = self->piece_cycles >= 0 && piece->batch == last->batch && piece->m == last->m &&
                    piece->n == last->n && piece->k == last->k && piece->results == last->results &&
                    piece->steps == last->steps && piece->read == last->read &&
                    piece->written == last->written && piece->is_partial == last->is_partial;
    if (!is_alike) {
        TACHO_TRY(tacho_piece_cycles(&self->place, self->space->kind, piece, &self->piece_cycles));
        self->piece = *piece;
    }
    *out_cycles = self->piece_cycles;
    return TACHO_OK;
}

static tacho_status compute_tile(tacho_core_work *self, const tacho_tile_at *at)
{
    uint32_t jobs[TACHO_ENGINES_MAX];
    turn_outputs(self, at);
    for (uint32_t i = 0; i < self->engine_count; i++) {
        tacho_range ranges[TACHO_AXES_MAX];
        jobs[i] = TACHO_NONE;
        if (!engine_ranges(self, at, i, ranges)) {
            continue;
        }
        tacho_piece piece = piece_of(self, at, ranges);
        tacho_job job = compute_job(self, at, i);
        if (self->is_control) {
            job.cycles = tacho_quantity_whole(&self->place.engine->fixed_job_cycles);
        } else {
            bool is_matrix = self->space->kind == TACHO_WORK_MATRIX;
            job.macs = is_matrix ? piece.batch * piece.m * piece.n * piece.k : 0;
            TACHO_TRY(find_cycles(self, &piece, &job.cycles));
        }
        TACHO_TRY(need_operands(self, at));
        TACHO_TRY(add_regions(self, at, ranges));
        TACHO_TRY(tacho_schedule_add(self->schedule, job, &jobs[i]));
    }
    for (uint32_t i = 0; i < self->engine_count; i++) {
        if (jobs[i] != TACHO_NONE) {
            note_use(self, at, i, jobs[i]);
        }
    }
    return TACHO_OK;
}

/* ---- results -------------------------------------------------------------------------------- */

static tacho_status store_result(tacho_core_work *self, tacho_operand_work *of,
                                 const tacho_tile_at *at)
{
    tacho_region_spec spec =
        tacho_region_of(of->access, of->slots->is_whole ? self->ranges : at->ranges);
    if (spec.bytes == 0) {
        return TACHO_OK;
    }
    uint32_t slot = of->slots->is_whole ? 0 : of->slot;
    spec.buffer = of->buffers[slot];
    TACHO_TRY(need_users(self, of->slots->is_whole ? self->last : of->users[slot], false));
    return add_transfer(self, of, at, &spec, &of->filled[slot]);
}

/* Stores the results that tile |at| has completed. */
static tacho_status store_tile(tacho_core_work *self, const tacho_tile_at *at)
{
    bool is_last = at->number + 1 == self->tiling->tile_count;
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *of = &self->operands[i];
        bool is_done =
            of->slots->is_whole ? is_last : at->is_there && is_complete(self, of->access, at);
        if (of->access->is_output && of->slots->count > 0 && is_done) {
            TACHO_TRY(store_result(self, of, at));
        }
    }
    return TACHO_OK;
}

/*
 * Where one sequencer starts all jobs, a second transfer ahead has to wait for the first, and so do
 * all later jobs: the tile is started before that.
 */
tacho_status tacho_core_work_tiles(tacho_core_work *self)
{
    uint64_t count = self->tiling->tile_count;
    uint32_t first = tacho_machine_is_sequenced(self->place.machine) ? 1 : UINT32_MAX;
    tacho_tile_at before = {.number = 0};
    for (uint64_t i = 0; i < count; i++) {
        tacho_tile_at at = *find_tile(self, i);
        TACHO_TRY(tacho_core_work_load(self, &at, i > 0 ? &before : NULL));
        if (i > 0) {
            TACHO_TRY(store_tile(self, &before));
        }
        TACHO_TRY(tacho_core_work_ahead(self, &at, first));
        if (at.is_there) {
            TACHO_TRY(compute_tile(self, &at));
        }
        TACHO_TRY(tacho_core_work_ahead(self, &at, (uint32_t)self->space->access_count));
        before = at;
    }
    return store_tile(self, &before);
}
