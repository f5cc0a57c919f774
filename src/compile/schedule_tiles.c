/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One operator on the cores: each core's share is cut into tiles, and their jobs are put in the
 * order in which they are best started: the result of the tile before, what the next one needs,
 * then this tile. Buffers are used in turn; a job that fills one waits for those that read it.
 */
#include "base/index.h"
#include "base/maths.h"
#include "compile/machine_view.h"
#include "compile/op_split.h"
#include "compile/schedule.h"
#include "compile/tile.h"
#include "compile/work_of.h"
#include "machine/cost.h"

#include <inttypes.h>

enum { SLOTS_MAX = 2, ENGINES_MAX = 64 };

/* One operand of a core: its buffers and who used them last. */
typedef struct operand {
    const tacho_slots *slots;
    uint64_t bytes;              /* moved, all in all */
    tacho_job_kind kind;         /* of its transfers */
    uint32_t queue;              /* engine */
    const tacho_dma *dma;        /* its rate */
    uint64_t loaded;             /* transfers so far ... */
    tacho_u128 loaded_elements;  /* ... their elements ... */
    uint64_t loaded_bytes;       /* ... and bytes */
    uint32_t buffers[SLOTS_MAX]; /* or TACHO_NONE */
    uint32_t jobs[SLOTS_MAX];    /* that filled (or drained) the slot last, or TACHO_NONE */
} operand;

/* Jobs that computed a tile, one per engine. */
typedef struct computed {
    uint32_t jobs[ENGINES_MAX];
    uint32_t count;
} computed;

typedef struct core_work {
    tacho_schedule *schedule;
    uint32_t core;
    tacho_share share;
    tacho_tiling tiling;
    tacho_tile_place place;
    uint32_t engine;       /* of the machine, or TACHO_NONE */
    uint32_t engine_count; /* on the core */
    uint32_t split;        /* of a tile over engines: 0 batch, 1 rows, 2 columns */
    bool is_control;       /* a processor does it, whatever it is */
    operand input, weights, output;
    computed by_slot[SLOTS_MAX]; /* of the last two tiles */
} core_work;

/* ---- where a tile is ----------------------------------------------------------------------- */

typedef struct tile {
    uint64_t number;
    uint64_t batch, m, n, k;
    uint64_t input, weights, output; /* numbers of the transfers that it needs and makes */
} tile;

static uint64_t tile_count(const tacho_tiling *t)
{
    return t->batch * t->m * t->n * t->k;
}

static tile tile_at(const core_work *self, uint64_t number)
{
    const tacho_tiling *t = &self->tiling;
    tile at = {.number = number, .k = number % t->k};
    uint64_t rest = number / t->k;
    uint64_t inner = t->rows_outside ? t->n : t->m;
    uint64_t outer = t->rows_outside ? t->m : t->n;
    uint64_t in = rest % inner;
    uint64_t out = rest / inner % outer;
    at.batch = rest / inner / outer;
    at.m = t->rows_outside ? out : in;
    at.n = t->rows_outside ? in : out;
    at.output = rest;
    if (self->share.kind != TACHO_WORK_MATRIX) {
        at.input = number;
        at.weights = self->tiling.weights.loads <= 1 ? 0 : number;
        return at;
    }
    uint64_t all = tile_count(t);
    at.input = t->rows_outside ? at.batch * t->m + at.m : at.batch;
    at.weights = t->rows_outside ? at.batch : at.batch * t->n + at.n;
    at.input = t->input.loads == all ? number : at.input;
    at.weights = t->weights.loads == all ? number : at.weights;
    return at;
}

/* ---- cycles -------------------------------------------------------------------------------- */

/* A transfer is no faster than its queue, nor than the memory it comes from or goes to. */
static tacho_status transfer_cycles(const core_work *self, const operand *of, uint64_t bytes,
                                    int64_t *out_cycles)
{
    int64_t memory = 0;
    tacho_ratio rate;
    const tacho_machine *machine = self->schedule->estimate->machine;
    TACHO_TRY(tacho_cost_transfer(of->dma, bytes, out_cycles));
    if (of->kind != TACHO_JOB_COPY) {
        TACHO_TRY(tacho_cost_memory_rate(tacho_machine_memory(machine, TACHO_MEMORY_DDR), &rate));
        if (rate.num > 0 && !tacho_ratio_ceil_divide(bytes, rate, &memory)) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "a transfer of %" PRIu64 " bytes is too large",
                              bytes);
        }
    }
    *out_cycles = *out_cycles > memory ? *out_cycles : memory;
    if (*out_cycles == 0 && bytes > 0) {
        *out_cycles = 1;
    }
    return TACHO_OK;
}

/* The part of a tile that engine |index| does; no MACs and elements: nothing. */
static tacho_share engine_part(const core_work *self, const tile *at, uint32_t index)
{
    const tacho_share *share = &self->share;
    const tacho_tiling *t = &self->tiling;
    tacho_share part = {.kind = share->kind, .steps = share->steps};
    uint64_t count = self->engine_count;
    if (share->kind != TACHO_WORK_MATRIX) {
        part.elements = tacho_part(tacho_part(share->elements, t->m, at->m), count, index);
        return part;
    }
    part.batch = tacho_part(share->batch, t->batch, at->batch);
    part.m = tacho_part(share->m, t->m, at->m);
    part.n = tacho_part(share->n, t->n, at->n);
    part.k = tacho_part(share->k, t->k, at->k);
    uint64_t *const cut[] = {&part.batch, &part.m, &part.n};
    *cut[self->split] = tacho_part(*cut[self->split], count, index);
    if (at->k + 1 == t->k) {
        part.elements = tacho_part(share->elements, t->batch * t->m * t->n, at->output);
    }
    return part;
}

static tacho_status part_cycles(const core_work *self, const tacho_share *part, int64_t *out_cycles)
{
    const tacho_engine *engine = self->place.engine;
    if (part->kind != TACHO_WORK_MATRIX) {
        return tacho_cost_vector(engine, part->elements, part->steps, self->place.dtype,
                                 out_cycles);
    }
    int64_t fused;
    tacho_product product = {part->m, part->n, part->k, self->place.dtype, self->place.fidelity};
    TACHO_TRY(tacho_cost_matrix(self->place.machine, engine, product, out_cycles));
    TACHO_TRY(tacho_op_fused_cycles(self->place.machine, part->elements, part->steps,
                                    self->place.dtype, &fused));
    if (part->batch > INT64_MAX ||
        __builtin_mul_overflow(*out_cycles, (int64_t)part->batch, out_cycles)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the cycles of an operator do not fit 63 bits");
    }
    *out_cycles = *out_cycles > fused ? *out_cycles : fused;
    return TACHO_OK;
}

/* Engines of a core share the batch, the rows or the columns of a tile. */
static tacho_status choose_split(core_work *self)
{
    tile first = tile_at(self, 0);
    int64_t best = INT64_MAX;
    uint32_t chosen = 0;
    if (self->engine_count <= 1 || self->share.kind != TACHO_WORK_MATRIX) {
        return TACHO_OK;
    }
    for (self->split = 0; self->split < 3; self->split++) {
        int64_t cycles;
        tacho_share part = engine_part(self, &first, 0);
        TACHO_TRY(part_cycles(self, &part, &cycles));
        if (cycles < best) {
            best = cycles;
            chosen = self->split;
        }
    }
    self->split = chosen;
    return TACHO_OK;
}

/* ---- jobs ---------------------------------------------------------------------------------- */

static tacho_status need_computed(core_work *self, const computed *by, bool is_false)
{
    for (uint32_t i = 0; i < by->count; i++) {
        TACHO_TRY(tacho_schedule_need(self->schedule, by->jobs[i], is_false, 0));
    }
    return TACHO_OK;
}

/* Elements of an operand, as the product has them: in |at|, and in all transfers. */
static void count_elements(const core_work *self, const operand *of, const tile *at,
                           tacho_u128 *out_part, tacho_u128 *out_all)
{
    const tacho_share *share = &self->share;
    const tacho_tiling *t = &self->tiling;
    if (share->kind != TACHO_WORK_MATRIX) {
        *out_all = tacho_share_elements(share);
        *out_part = tacho_part(tacho_share_elements(share), of->slots->loads, of->loaded);
        return;
    }
    bool has_m = of != &self->weights;
    bool has_n = of != &self->input;
    bool has_k = of != &self->output;
    uint64_t distinct = t->batch * (has_m ? t->m : 1) * (has_n ? t->n : 1) * (has_k ? t->k : 1);
    *out_part = (tacho_u128)tacho_part(share->batch, t->batch, at->batch) *
                (has_m ? tacho_part(share->m, t->m, at->m) : 1) *
                (has_n ? tacho_part(share->n, t->n, at->n) : 1) *
                (has_k ? tacho_part(share->k, t->k, at->k) : 1);
    *out_all = (tacho_u128)share->batch * (has_m ? share->m : 1) * (has_n ? share->n : 1) *
               (has_k ? share->k : 1) * (of->slots->loads / distinct);
}

/* Bytes of the next transfer, by the elements that are in it. */
static uint64_t next_bytes(const core_work *self, operand *of, const tile *at)
{
    tacho_u128 part;
    tacho_u128 all;
    count_elements(self, of, at, &part, &all);
    if (all == 0 || all >> 64 != 0) {
        return tacho_part(of->bytes, of->slots->loads, of->loaded);
    }
    of->loaded_elements += part;
    uint64_t before = of->loaded_bytes;
    of->loaded_bytes = (uint64_t)((of->bytes * of->loaded_elements + all - 1) / all);
    return of->loaded_bytes - before;
}

static tacho_status add_transfer(core_work *self, operand *of, const tile *at)
{
    uint32_t slot = (uint32_t)(of->loaded % of->slots->count);
    tacho_job job = {
        .engine = of->queue,
        .kind = (uint16_t)of->kind,
        .tile = (uint32_t)at->number,
        .buffer = of->buffers[slot],
        .repeat = self->tiling.repeat,
        .bytes = next_bytes(self, of, at),
    };
    TACHO_TRY(transfer_cycles(self, of, job.bytes, &job.cycles));
    if (of != &self->output) {
        uint64_t readers =
            of == &self->input ? self->place.input_readers : self->place.weight_readers;
        job.readers = (uint16_t)tacho_least(readers, UINT16_MAX);
    }
    of->loaded++;
    return tacho_schedule_add(self->schedule, job, &of->jobs[slot]);
}

/*
 * That the slot which |at|, not computed yet, has its operand in was read by all who needed what
 * was there: tiles up to the one before the last. Those of engines that had no part in that one
 * ended even earlier.
 */
static tacho_status need_free_slot(core_work *self, const tile *at)
{
    const computed *by = &self->by_slot[at->number % SLOTS_MAX];
    const computed *before = &self->by_slot[(at->number + 1) % SLOTS_MAX];
    TACHO_TRY(need_computed(self, by, true));
    if (by->count < before->count) {
        TACHO_TRY(need_computed(self, before, true));
    }
    uint32_t stored = self->output.jobs[at->output % SLOTS_MAX];
    return self->engine == TACHO_NONE && stored != TACHO_NONE
               ? tacho_schedule_need(self->schedule, stored, true, 0)
               : TACHO_OK;
}

/* Brings what |at| needs and is not there. */
static tacho_status load(core_work *self, operand *of, const tile *at, uint64_t number)
{
    if (of->slots->count == 0 || number < of->loaded) {
        return TACHO_OK;
    }
    if (of->loaded >= of->slots->count) {
        TACHO_TRY(need_free_slot(self, at));
    }
    return add_transfer(self, of, at);
}

static tacho_status load_tile(core_work *self, uint64_t number)
{
    if (number >= tile_count(&self->tiling)) {
        return TACHO_OK;
    }
    tile at = tile_at(self, number);
    TACHO_TRY(load(self, &self->input, &at, at.input));
    return load(self, &self->weights, &at, at.weights);
}

/* What every job of a tile waits for. */
static tacho_status need_operands(core_work *self, const tile *at)
{
    const operand *const of[] = {&self->input, &self->weights};
    const uint64_t numbers[] = {at->input, at->weights};
    for (size_t i = 0; i < 2; i++) {
        if (of[i]->slots->count > 0) {
            uint32_t slot = (uint32_t)(numbers[i] % of[i]->slots->count);
            TACHO_TRY(tacho_schedule_need(self->schedule, of[i]->jobs[slot], false, 0));
        }
    }
    const tacho_slots *out = self->output.slots;
    if (out->count > 0 && at->k == 0 && self->output.jobs[at->output % out->count] != TACHO_NONE) {
        TACHO_TRY(tacho_schedule_need(self->schedule, self->output.jobs[at->output % out->count],
                                      true, 0));
    }
    return at->k == 0 ? TACHO_OK
                      : need_computed(self, &self->by_slot[(at->number - 1) % SLOTS_MAX], false);
}

static tacho_job compute_job(const core_work *self, const tile *at, uint32_t index)
{
    const tacho_slots *out = self->output.slots;
    tacho_job job = {
        .engine = tacho_schedule_engine(self->schedule, self->core, self->engine, index),
        .kind = self->is_control ? TACHO_JOB_CONTROL : TACHO_JOB_COMPUTE,
        .tile = (uint32_t)at->number,
        .buffer = out->count > 0 ? self->output.buffers[at->output % out->count] : TACHO_NONE,
        .repeat = self->tiling.repeat,
    };
    return job;
}

static tacho_status compute_tile(core_work *self, const tile *at)
{
    computed by = {.count = 0};
    for (uint32_t i = 0; i < self->engine_count; i++) {
        tacho_share part = engine_part(self, at, i);
        tacho_job job = compute_job(self, at, i);
        if (self->is_control) {
            job.cycles = tacho_quantity_whole(&self->place.engine->fixed_job_cycles);
        } else {
            job.macs = part.kind == TACHO_WORK_MATRIX ? part.batch * part.m * part.n * part.k : 0;
            if (job.macs == 0 && part.elements * part.steps == 0) {
                continue;
            }
            TACHO_TRY(part_cycles(self, &part, &job.cycles));
        }
        TACHO_TRY(need_operands(self, at));
        TACHO_TRY(tacho_schedule_add(self->schedule, job, &by.jobs[by.count++]));
    }
    self->by_slot[at->number % SLOTS_MAX] = by;
    return TACHO_OK;
}

/* Sends the result of tile |number| away, once it is complete. */
static tacho_status store_tile(core_work *self, uint64_t number)
{
    tile at = tile_at(self, number);
    if (self->output.slots->count == 0 || at.k + 1 < self->tiling.k) {
        return TACHO_OK;
    }
    const computed *by = &self->by_slot[number % SLOTS_MAX];
    TACHO_TRY(need_computed(self, by, false));
    if (by->count == 0) {
        TACHO_TRY(need_operands(self, &at));
    }
    return add_transfer(self, &self->output, &at);
}

static tacho_status add_tiles(core_work *self)
{
    uint64_t count = tile_count(&self->tiling);
    TACHO_TRY(load_tile(self, 0));
    for (uint64_t i = 0; i < count; i++) {
        tile at = tile_at(self, i);
        if (i > 0) {
            TACHO_TRY(store_tile(self, i - 1));
        }
        TACHO_TRY(load_tile(self, i + 1));
        if (self->engine != TACHO_NONE) {
            TACHO_TRY(compute_tile(self, &at));
        }
    }
    return store_tile(self, count - 1);
}

/* ---- buffers ------------------------------------------------------------------------------- */

static tacho_status add_buffers(core_work *self, operand *of, uint64_t *offset)
{
    const tacho_machine *machine = self->schedule->estimate->machine;
    tacho_buffer buffer = {
        .tensor = TACHO_NONE,
        .device = (uint16_t)self->schedule->device_of[self->schedule->op],
        .core = (uint16_t)self->core,
        .bytes = of->slots->bytes,
    };
    TACHO_TRY(tacho_strings_ensure(&self->schedule->program->strings,
                                   tacho_machine_memory(machine, TACHO_MEMORY_LOCAL)->name,
                                   &buffer.memory));
    for (uint32_t i = 0; i < of->slots->count; i++) {
        buffer.offset = *offset;
        buffer.first_job = (uint32_t)self->schedule->program->job_count;
        *offset += buffer.bytes;
        TACHO_TRY(tacho_schedule_add_buffer(self->schedule, &buffer, &of->buffers[i]));
    }
    return TACHO_OK;
}

static void end_buffers(const core_work *self, size_t first)
{
    tacho_program *program = self->schedule->program;
    for (size_t i = first; i < program->buffer_count; i++) {
        program->buffers[i].last_job = (uint32_t)program->job_count - 1;
    }
}

/* ---- shares -------------------------------------------------------------------------------- */

static operand make_operand(core_work *self, const tacho_slots *slots, uint64_t bytes,
                            bool is_local)
{
    const tacho_schedule *schedule = self->schedule;
    const tacho_machine *machine = schedule->estimate->machine;
    const tacho_core_engines *engines = &schedule->engines;
    bool is_output = slots == &self->tiling.output;
    bool has_local = tacho_machine_dma(machine, TACHO_ENGINE_DMA_LOCAL) != NULL;
    tacho_engine_class queue = is_output               ? TACHO_ENGINE_DMA_OUT
                               : is_local && has_local ? TACHO_ENGINE_DMA_LOCAL
                                                       : TACHO_ENGINE_DMA_IN;
    operand of = {
        .slots = slots,
        .bytes = tacho_slots_moved(slots, bytes),
        .kind = is_local ? TACHO_JOB_COPY : (is_output ? TACHO_JOB_STORE : TACHO_JOB_LOAD),
        .dma = tacho_machine_dma(machine, queue),
        .queue = tacho_schedule_queue(schedule, self->core,
                                      queue == TACHO_ENGINE_DMA_OUT     ? engines->dma_out
                                      : queue == TACHO_ENGINE_DMA_LOCAL ? engines->dma_local
                                                                        : engines->dma_in),
        .buffers = {TACHO_NONE, TACHO_NONE},
        .jobs = {TACHO_NONE, TACHO_NONE},
    };
    return of;
}

/* The part of the operator that |core| does, of those that |cut| makes. */
static tacho_share share_of(const tacho_schedule *schedule, uint32_t core, tacho_cut cut)
{
    const tacho_work *work = &schedule->estimate->ops[schedule->op].work;
    uint64_t column = core % cut.columns;
    uint64_t row = core / cut.columns % cut.rows;
    uint64_t batch = core / cut.columns / cut.rows;
    uint64_t cores = cut.batch * cut.rows * cut.columns;
    bool is_matrix = work->kind == TACHO_WORK_MATRIX;
    bool stays = work->kind == TACHO_WORK_VECTOR || (is_matrix && schedule->cores == 1);
    tacho_share share = {
        .kind = work->kind,
        .elements = tacho_part(work->elements, cores, core),
        .steps = work->steps,
        .input_bytes = tacho_part(work->input.bytes, cut.batch * cut.rows, batch * cut.rows + row),
        .weight_bytes =
            tacho_part(work->weights.bytes, cut.batch * cut.columns, batch * cut.columns + column),
        .output_bytes = tacho_part(work->output.bytes, cores, core),
        .moves_input = !stays || work->input.place == TACHO_PLACE_DDR,
        .moves_weights = !stays || work->weights.place == TACHO_PLACE_DDR,
        .moves_output = work->output.place == TACHO_PLACE_DDR,
    };
    if (is_matrix) {
        share.batch = tacho_part(work->batch, cut.batch, batch);
        share.m = tacho_part(work->m, cut.rows, row);
        share.n = tacho_part(work->n, cut.columns, column);
        share.k = work->k_channels * work->k_window;
    } else { /* rows of elements; what all of them need is read by each */
        share.weight_bytes = work->kind == TACHO_WORK_MOVE
                                 ? tacho_part(work->weights.bytes, cores, core)
                                 : work->weights.bytes;
    }
    return share;
}

/* Whether a processor does the operator, whatever it is. */
static bool is_of_processor(const tacho_schedule *schedule)
{
    const tacho_estimate *estimate = schedule->estimate;
    return tacho_estimate_is_unknown(estimate, schedule->op) &&
           tacho_machine_view_processor(estimate->machine) != TACHO_NONE;
}

static void choose_engine(core_work *self)
{
    const tacho_schedule *schedule = self->schedule;
    const tacho_machine *machine = schedule->estimate->machine;
    const tacho_op_cost *cost = &schedule->estimate->ops[schedule->op].cost;
    self->engine = cost->engine;
    self->is_control = is_of_processor(schedule);
    self->engine_count = 0;
    self->place = (tacho_tile_place){
        .machine = machine, .dtype = cost->compute, .fidelity = schedule->fidelity};
    if (self->engine != TACHO_NONE) {
        self->place.engine = &machine->engines[self->engine];
        uint64_t count = (uint64_t)tacho_quantity_whole(&self->place.engine->count);
        self->engine_count = self->is_control ? 1 : (uint32_t)count;
        self->engine_count = self->engine_count < ENGINES_MAX ? self->engine_count : ENGINES_MAX;
    }
}

/* Its part of shared memory, and who reads the same. */
static tacho_status share_memory(core_work *self, tacho_cut cut)
{
    const tacho_machine *machine = self->schedule->estimate->machine;
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    tacho_ratio cores = {(int64_t)(cut.batch * cut.rows * cut.columns), 1};
    TACHO_TRY(tacho_cost_memory_rate(ddr, &self->place.shared_rate));
    if (!tacho_ratio_divide(self->place.shared_rate, cores, &self->place.shared_rate)) {
        self->place.shared_rate = (tacho_ratio){0, 1};
    }
    if (machine->noc.has_multicast) {
        bool is_matrix = self->share.kind == TACHO_WORK_MATRIX;
        self->place.input_readers = cut.columns;
        self->place.weight_readers = is_matrix ? cut.rows : (uint64_t)cores.num;
    }
    return TACHO_OK;
}

static tacho_status tile_share(core_work *self)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_estimate *estimate = schedule->estimate;
    const tacho_fused_op *fused = &estimate->fusion->ops[schedule->op];
    const tacho_memory *local = tacho_machine_memory(estimate->machine, TACHO_MEMORY_LOCAL);
    self->place.room_bytes = (uint64_t)tacho_quantity_whole(&local->size_bytes) -
                             schedule->placement->free_from[schedule->op];
    tacho_status status =
        tacho_tile_again(schedule->tilings, &self->place, &self->share, &self->tiling);
    if (status != TACHO_OK) {
        const tacho_node *node = &estimate->fusion->graph->nodes[fused->root];
        return tacho_status_add_note(
            status, "node %" PRIu32 " '%s' (%s) of %.*s does not fit %s of %s", node->index,
            tacho_graph_string(estimate->fusion->graph, node->name).data,
            tacho_graph_string(estimate->fusion->graph, node->type).data,
            TACHO_STR_ARG(estimate->fusion->graph->path), local->name.data,
            estimate->machine->name.data);
    }
    return TACHO_OK;
}

/* Nothing that runs is free: what moves in one memory, and what has no bytes at all. */
static tacho_status add_copy(core_work *self)
{
    const tacho_schedule *schedule = self->schedule;
    const tacho_machine *machine = schedule->estimate->machine;
    const tacho_dma *dma = tacho_machine_dma(machine, TACHO_ENGINE_DMA_LOCAL);
    operand of = {.kind = TACHO_JOB_COPY,
                  .dma = dma != NULL ? dma : tacho_machine_dma(machine, TACHO_ENGINE_DMA_IN)};
    tacho_job job = {
        .engine = tacho_schedule_queue(schedule, self->core, schedule->engines.dma_local),
        .kind = TACHO_JOB_COPY,
        .buffer = TACHO_NONE,
        .bytes = self->share.output_bytes,
    };
    TACHO_TRY(transfer_cycles(self, &of, job.bytes, &job.cycles));
    job.cycles = job.cycles > 0 ? job.cycles : 1;
    uint32_t id;
    return tacho_schedule_add(self->schedule, job, &id);
}

static tacho_status schedule_core(core_work *self, tacho_cut cut)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_work *work = &schedule->estimate->ops[schedule->op].work;
    tacho_program *program = schedule->program;
    size_t first_job = program->job_count;
    size_t first_buffer = program->buffer_count;
    uint64_t offset = schedule->placement->free_from[schedule->op];
    choose_engine(self);
    self->share = share_of(schedule, self->core, cut);
    TACHO_TRY(share_memory(self, cut));
    TACHO_TRY(tile_share(self));
    TACHO_TRY(choose_split(self));
    const tacho_tiling *t = &self->tiling;
    self->input = make_operand(self, &t->input, self->share.input_bytes,
                               work->input.place == TACHO_PLACE_LOCAL);
    self->weights = make_operand(self, &t->weights, self->share.weight_bytes,
                                 work->weights.place == TACHO_PLACE_LOCAL);
    self->output = make_operand(self, &t->output, self->share.output_bytes, false);
    operand *const operands[] = {&self->input, &self->weights, &self->output};
    for (size_t i = 0; i < 3; i++) {
        TACHO_TRY(add_buffers(self, operands[i], &offset));
    }
    TACHO_TRY(add_tiles(self));
    if (program->job_count == first_job) {
        TACHO_TRY(add_copy(self));
    }
    end_buffers(self, first_buffer);
    return TACHO_OK;
}

/* Where the network between cores multicasts, shared memory gives each byte once: a share each. */
static uint64_t read_share(const operand *of, uint64_t readers, uint64_t index)
{
    if (of->kind != TACHO_JOB_LOAD) {
        return 0;
    }
    return readers > 1 ? tacho_part(of->bytes, readers, index % readers) : of->bytes;
}

static void count_moved(const core_work *core, tacho_cut cut, tacho_op_timing *timing)
{
    uint64_t row = core->share.kind == TACHO_WORK_MATRIX ? core->core / cut.columns : core->core;
    timing->ddr_read_bytes +=
        read_share(&core->input, core->place.input_readers, core->core % cut.columns) +
        read_share(&core->weights, core->place.weight_readers, row);
    timing->ddr_write_bytes += core->output.kind == TACHO_JOB_STORE ? core->output.bytes : 0;
}

tacho_status tacho_schedule_tiles(tacho_schedule *schedule)
{
    const tacho_op_estimate *op = &schedule->estimate->ops[schedule->op];
    tacho_cut cut = op->cost.cut;
    if (op->work.kind != TACHO_WORK_MATRIX || cut.batch * cut.rows * cut.columns == 0) {
        uint64_t parts = op->work.elements > 0 ? op->work.elements : op->work.output.bytes;
        cut = (tacho_cut){1, parts < schedule->cores ? parts : schedule->cores, 1};
        cut.rows = cut.rows > 0 ? cut.rows : 1;
    }
    if (is_of_processor(schedule)) {
        cut = (tacho_cut){1, 1, 1};
    }
    for (uint32_t i = 0; i < cut.batch * cut.rows * cut.columns; i++) {
        core_work core = {.schedule = schedule, .core = i};
        TACHO_TRY(schedule_core(&core, cut));
        count_moved(&core, cut, &schedule->timings[schedule->op]);
    }
    return TACHO_OK;
}
