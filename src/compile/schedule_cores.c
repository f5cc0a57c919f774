/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares of cores: the part of an operator that each does, the operands that it holds already, and
 * the buffers for the rest.
 */
#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/core_cut.h"
#include "compile/machine_view.h"
#include "compile/schedule_tiles.h"
#include "machine/cost.h"

#include <inttypes.h>

/* ---- regions -------------------------------------------------------------------------------- */

static size_t place_of_box(const tacho_extent *box, uint32_t rank)
{
    static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = rank;
    for (uint32_t i = 0; i < rank; i++) {
        hash = (hash ^ box[i].offset) * factor;
        hash = (hash ^ box[i].size) * factor;
        hash = (hash ^ box[i].of) * factor;
    }
    return (size_t)(hash >> 32) % TACHO_BOXES_KEPT;
}

/* Boxes repeat, tile after tile and job after job: one that is still known is used again. */
static tacho_status add_box(tacho_schedule *schedule, const tacho_extent *box, uint32_t rank,
                            uint32_t *out_first)
{
    tacho_program *program = schedule->program;
    uint32_t *kept = &schedule->boxes[place_of_box(box, rank)];
    *out_first = *kept;
    if (rank == 0 || (*kept + rank <= program->extent_count &&
                      memcmp(program->extents + *kept, box, rank * sizeof(*box)) == 0)) {
        return TACHO_OK;
    }
    TACHO_TRY(
        tacho_grow(&program->extents, &program->extent_capacity, program->extent_count + rank));
    if (program->extent_count + rank >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "the program has more than 2^32 extents");
    }
    *kept = *out_first = (uint32_t)program->extent_count;
    memcpy(program->extents + program->extent_count, box, rank * sizeof(tacho_extent));
    program->extent_count += rank;
    return TACHO_OK;
}

tacho_status tacho_schedule_region(tacho_schedule *schedule, const tacho_region_spec *spec)
{
    tacho_program *program = schedule->program;
    tacho_region region = {
        .tensor = spec->tensor,
        .buffer = spec->buffer,
        .access = spec->access,
        .extent_count = (uint16_t)spec->rank,
        .bytes = spec->bytes,
    };
    TACHO_TRY(add_box(schedule, spec->box, spec->rank, &region.first_extent));
    TACHO_TRY(tacho_grow(&program->regions, &program->region_capacity, program->region_count + 1));
    program->regions[program->region_count++] = region;
    return TACHO_OK;
}

/* ---- buffers ------------------------------------------------------------------------------- */

static tacho_status add_buffer(tacho_core_work *self, tacho_buffer buffer, uint32_t *out_id)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_memory *local =
        tacho_machine_memory(schedule->estimate->machine, TACHO_MEMORY_LOCAL);
    buffer.device = (uint16_t)schedule->device_of[schedule->op];
    buffer.core = (uint16_t)self->core;
    buffer.first_job = (uint32_t)schedule->program->job_count;
    TACHO_TRY(tacho_strings_ensure(&schedule->program->strings, local->name, &buffer.memory));
    return tacho_schedule_add_buffer(schedule, &buffer, out_id);
}

/* Adds the buffers of a transferred operand, one or two, and a cell per piece for its load. */
static tacho_status add_slots(tacho_core_work *self, tacho_operand_work *of, uint64_t *offset)
{
    tacho_schedule *schedule = self->schedule;
    bool is_touched = tacho_access_bytes(of->access, self->ranges) > 0; /* by this core */
    for (uint32_t i = 0; is_touched && i < of->slots->count; i++) {
        tacho_buffer buffer = {.offset = *offset,
                               .bytes = of->slots->bytes,
                               .role = TACHO_BUFFER_TILE,
                               .tensor = of->access->tensor};
        if (of->slots->is_whole && of->access->is_known) {
            tacho_extent box[TACHO_BOX_RANK_MAX];
            (void)tacho_access_box(of->access, self->ranges, box);
            buffer.extent_count = of->access->rank;
            TACHO_TRY(add_box(schedule, box, of->access->rank, &buffer.first_extent));
        }
        *offset += buffer.bytes;
        TACHO_TRY(add_buffer(self, buffer, &of->buffers[i]));
    }
    if (of->slots->is_whole && of->slots->count > 0) {
        size_t cells = 1;
        for (uint32_t i = 0; i < self->space->axis_count; i++) {
            cells *= tacho_access_follows(of->access, i) ? self->tiling->parts[i] : 1;
        }
        of->first_cell = schedule->cell_count;
        schedule->cell_count += cells;
        TACHO_TRY(tacho_grow(&schedule->cells, &schedule->cell_capacity, schedule->cell_count));
        memset(schedule->cells + of->first_cell, 0xff, cells * sizeof(*schedule->cells));
    }
    return TACHO_OK;
}

static tacho_status add_buffers(tacho_core_work *self)
{
    uint64_t offset = self->schedule->placement->free_from[self->schedule->op];
    bool is_moved = self->engine == TACHO_NONE;
    self->schedule->cell_count = 0;
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *of = &self->operands[i];
        if (!of->access->is_output || !is_moved) {
            TACHO_TRY(add_slots(self, of, &offset));
        }
    }
    self->scratch = TACHO_NONE;
    if (self->tiling->scratch_bytes > 0 && !is_moved) {
        tacho_buffer buffer = {.offset = offset,
                               .bytes = self->tiling->scratch_bytes,
                               .role = TACHO_BUFFER_SCRATCH,
                               .tensor = TACHO_NONE};
        TACHO_TRY(add_buffer(self, buffer, &self->scratch));
    }
    return TACHO_OK;
}

static void end_buffers(const tacho_core_work *self, size_t first)
{
    tacho_program *program = self->schedule->program;
    for (size_t i = first; i < program->buffer_count; i++) {
        program->buffers[i].last_job = (uint32_t)program->job_count - 1;
    }
}

/*
 * Removes the share's buffers that no job touches: one of two in turn, where all but one of the
 * tiles are padding, or a core with a smaller share has fewer tiles.
 */
static void drop_buffers(const tacho_core_work *self, size_t first, size_t first_job)
{
    enum { KNOWN_MAX = 64 };
    tacho_program *program = self->schedule->program;
    uint32_t places[KNOWN_MAX] = {0}; /* number among those that stay, and one */
    size_t count = program->buffer_count - first;
    uint32_t kept = 0;
    if (count == 0 || count > KNOWN_MAX) {
        return;
    }
    size_t first_region = program->jobs[first_job].first_region;
    size_t region_count = program->region_count - first_region;
    tacho_region *regions = region_count > 0 ? &program->regions[first_region] : NULL;
    for (size_t i = 0; i < region_count; i++) {
        if (regions[i].buffer != TACHO_NONE && regions[i].buffer >= first) {
            places[regions[i].buffer - first] = 1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (places[i] > 0) {
            program->buffers[first + kept] = program->buffers[first + i];
            places[i] = ++kept;
        }
    }
    if (kept == count) {
        return;
    }
    program->buffer_count = first + kept;
    for (size_t i = 0; i < region_count; i++) {
        bool is_own = regions[i].buffer != TACHO_NONE && regions[i].buffer >= first;
        regions[i].buffer =
            is_own ? (uint32_t)first + places[regions[i].buffer - first] - 1 : regions[i].buffer;
    }
    for (size_t i = first_job; i < program->job_count; i++) {
        uint32_t *buffer = &program->jobs[i].buffer;
        bool is_own = *buffer != TACHO_NONE && *buffer >= first;
        *buffer = is_own ? (uint32_t)first + places[*buffer - first] - 1 : *buffer;
    }
}

/* ---- tensors that stay in local memory ----------------------------------------------------- */

bool tacho_schedule_is_local(const tacho_schedule *schedule, const tacho_access *access)
{
    return !access->is_constant && access->tensor != TACHO_NONE &&
           schedule->placement->places[access->tensor] == TACHO_PLACE_LOCAL;
}

static uint32_t resident_of(const tacho_schedule *schedule, uint32_t tensor, uint32_t core)
{
    uint32_t first = schedule->resident_first[tensor];
    return first == TACHO_NONE || core >= schedule->resident_count[tensor] ? TACHO_NONE
                                                                           : first + core;
}

/* Adds a result that stays: each core keeps the part that it makes. */
static tacho_status keep_result(tacho_core_work *self, const tacho_access *access)
{
    tacho_schedule *schedule = self->schedule;
    tacho_extent box[TACHO_BOX_RANK_MAX];
    tacho_buffer buffer = {.offset = schedule->placement->offsets[access->tensor],
                           .bytes = tacho_access_kept(access, self->ranges, box),
                           .role = TACHO_BUFFER_RESIDENT,
                           .tensor = access->tensor};
    if (access->is_known) {
        buffer.extent_count = access->rank;
        TACHO_TRY(add_box(schedule, box, access->rank, &buffer.first_extent));
    }
    uint32_t id;
    TACHO_TRY(add_buffer(self, buffer, &id));
    if (self->core == 0) {
        schedule->resident_first[access->tensor] = id;
        schedule->resident_count[access->tensor] = 0;
    }
    schedule->resident_count[access->tensor]++;
    return TACHO_OK;
}

/* Whether all that |core| touches of a tensor that stays is its own part. */
static bool has_own(const tacho_core_work *self, const tacho_access *access)
{
    const tacho_schedule *schedule = self->schedule;
    const tacho_program *program = schedule->program;
    uint32_t id = resident_of(schedule, access->tensor, self->core);
    if (schedule->cores == 1 || id == TACHO_NONE) {
        return id != TACHO_NONE;
    }
    const tacho_buffer *buffer = &program->buffers[id];
    tacho_extent box[TACHO_BOX_RANK_MAX];
    (void)tacho_access_box(access, self->ranges, box);
    bool has = access->is_known && buffer->extent_count == access->rank;
    for (uint32_t i = 0; has && i < access->rank; i++) {
        const tacho_extent *own = &program->extents[buffer->first_extent + i];
        has = own->of == box[i].of && own->offset <= box[i].offset &&
              box[i].offset + box[i].size <= own->offset + own->size;
    }
    return has;
}

/* ---- operands -------------------------------------------------------------------------------- */

static void set_queue(const tacho_core_work *self, tacho_operand_work *of)
{
    const tacho_schedule *schedule = self->schedule;
    const tacho_machine *machine = schedule->estimate->machine;
    const tacho_core_engines *engines = &schedule->engines;
    bool has_local = tacho_machine_dma(machine, TACHO_ENGINE_DMA_LOCAL) != NULL;
    tacho_engine_class queue = of->access->is_output                     ? TACHO_ENGINE_DMA_OUT
                               : of->kind == TACHO_JOB_COPY && has_local ? TACHO_ENGINE_DMA_LOCAL
                                                                         : TACHO_ENGINE_DMA_IN;
    of->dma = tacho_machine_dma(machine, queue);
    of->rate = queue == TACHO_ENGINE_DMA_OUT     ? schedule->out_rate
               : queue == TACHO_ENGINE_DMA_LOCAL ? schedule->local_rate
                                                 : schedule->in_rate;
    of->queue = tacho_schedule_queue(schedule, self->core,
                                     queue == TACHO_ENGINE_DMA_OUT     ? engines->dma_out
                                     : queue == TACHO_ENGINE_DMA_LOCAL ? engines->dma_local
                                                                       : engines->dma_in);
}

/* Cores along axes that an access does not follow get the same bytes: they are a team. */
static uint64_t count_readers(const tacho_core_work *self, const tacho_core_cut *cut,
                              const tacho_access *access, uint32_t *out_team)
{
    uint64_t readers = 1;
    uint64_t teams = 1;
    uint64_t rest = self->core;
    *out_team = 0;
    for (uint32_t i = self->space->axis_count; i > 0; i--) {
        uint64_t parts = cut->parts[i - 1];
        bool is_mirror = access->mirrored != 0 && access->mirror == i - 1;
        if (!tacho_access_follows(access, i - 1) && !is_mirror) {
            readers *= parts;
        } else {
            *out_team += (uint32_t)(rest % parts * teams);
            teams *= parts;
        }
        rest /= parts;
    }
    return readers;
}

static void make_operand(tacho_core_work *self, const tacho_core_cut *cut, size_t number,
                         const tacho_slots *slots)
{
    tacho_operand_work *of = &self->operands[number];
    const tacho_access *access = &self->space->accesses[number];
    memset(of, 0xff, sizeof(*of)); /* TACHO_NONE, and keys that nothing has */
    of->access = access;
    of->slots = slots;
    of->slot = 0;
    of->first_cell = 0;
    of->ahead = of->reached = 0;
    bool stays = tacho_schedule_is_local(self->schedule, access);
    of->kind = access->is_output ? TACHO_JOB_STORE : (stays ? TACHO_JOB_COPY : TACHO_JOB_LOAD);
    of->resident = stays ? resident_of(self->schedule, access->tensor, self->core) : TACHO_NONE;
    of->is_own = stays && !access->is_output && has_own(self, access);
    set_queue(self, of);
    (void)count_readers(self, cut, access, &of->team);
}

/* Chooses the operands to be moved, for all cores alike. */
static void choose_moves(tacho_core_work *self, const tacho_core_cut *cut, tacho_slots *slots)
{
    const tacho_schedule *schedule = self->schedule;
    const tacho_space *space = self->space;
    bool has_multicast = schedule->estimate->machine->noc.has_multicast;
    bool stays = self->engine == TACHO_NONE; /* results that stay are moved to their place */
    for (size_t i = 0; i < space->access_count; i++) {
        stays &=
            !space->accesses[i].is_output || tacho_schedule_is_local(schedule, &space->accesses[i]);
    }
    for (size_t i = 0; i < space->access_count; i++) {
        const tacho_access *access = &space->accesses[i];
        bool has_all = tacho_schedule_is_local(schedule, access);
        uint32_t team;
        for (self->core = 0; has_all && !access->is_output && self->core < cut->cores;
             self->core++) {
            tacho_core_cut_ranges(space, cut, self->core, self->ranges);
            has_all = has_own(self, access);
        }
        bool is_direct = stays && access->is_source;
        slots[i] = (tacho_slots){.moves = !has_all && !is_direct,
                                 .is_shared = !tacho_schedule_is_local(schedule, access)};
        bool is_cast = has_multicast && !access->is_output;
        self->core = 0;
        slots[i].readers = is_cast ? count_readers(self, cut, access, &team) : 0;
    }
    tacho_core_cut_ranges(space, cut, 0, self->ranges);
}

/* ---- shares -------------------------------------------------------------------------------- */

/* Whether a processor does the operator, of any kind. */
static bool is_of_processor(const tacho_schedule *schedule)
{
    const tacho_estimate *estimate = schedule->estimate;
    return tacho_estimate_is_unknown(estimate, schedule->op) &&
           tacho_machine_view_processor(estimate->machine) != TACHO_NONE;
}

/* The type of results that are written slowest, or of operands that are read slowest. */
static tacho_dtype slowest_of(const tacho_core_work *self, bool is_output)
{
    const tacho_rate *slowest = NULL;
    tacho_dtype result = self->place.dtype;
    for (size_t i = 0; i < self->space->access_count; i++) {
        const tacho_access *access = &self->space->accesses[i];
        bool is_one = access->is_output == is_output;
        const tacho_rate *rate =
            is_one ? tacho_cost_element_rate(self->place.engine, access->kept) : NULL;
        if (rate != NULL &&
            (slowest == NULL ||
             tacho_ratio_compare(rate->per_cycle.value, slowest->per_cycle.value) < 0)) {
            slowest = rate;
            result = access->kept;
        }
    }
    return result;
}

static void choose_engine(tacho_core_work *self)
{
    const tacho_schedule *schedule = self->schedule;
    const tacho_machine *machine = schedule->estimate->machine;
    const tacho_op_estimate *op = &schedule->estimate->ops[schedule->op];
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    self->engine = op->cost.engine;
    self->is_control = is_of_processor(schedule);
    self->engine_count = 1;
    self->place = (tacho_tile_place){
        .machine = machine,
        .dtype = op->cost.compute,
        .fidelity = schedule->fidelity,
        .elements = op->work.elements,
        .steps = op->work.steps,
        .room_bytes = (uint64_t)tacho_quantity_whole(&local->size_bytes) -
                      schedule->placement->free_from[schedule->op],
        .spills = tacho_machine_is_computer(machine),
    };
    bool is_moved = self->engine == TACHO_NONE;
    self->engine = is_moved ? tacho_core_work_mover(self) : self->engine;
    if (self->engine != TACHO_NONE) {
        self->place.engine = &machine->engines[self->engine];
        uint64_t count = (uint64_t)tacho_quantity_whole(&self->place.engine->count);
        self->engine_count = self->is_control ? 1 : (uint32_t)tacho_least(count, TACHO_ENGINES_MAX);
        self->place.source = slowest_of(self, false);
        self->place.result = slowest_of(self, true);
    }
    tacho_u128 volume = 1;
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        self->is_grouped |= self->space->axes[i].role == TACHO_AXIS_BATCH;
        volume *= self->space->axes[i].size;
    }
    if (self->space->volume_all > 0 && !is_moved) {
        self->place.elements = (uint64_t)(self->place.elements * volume / self->space->volume_all);
    }
}

/* A core's part of a shared resource. */
static tacho_ratio rate_of_core(tacho_ratio rate, uint64_t cores)
{
    tacho_ratio part;
    bool has_rate =
        rate.num > 0 && tacho_ratio_divide(rate, (tacho_ratio){(int64_t)cores, 1}, &part);
    return has_rate ? part : (tacho_ratio){0, 1};
}

static tacho_status choose_tiles(tacho_core_work *self, const tacho_core_cut *cut,
                                 tacho_slots *slots, tacho_tiling *tiling)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_estimate *estimate = schedule->estimate;
    const tacho_memory *local = tacho_machine_memory(estimate->machine, TACHO_MEMORY_LOCAL);
    self->place.cores = cut->cores;
    self->place.shared_rate = rate_of_core(schedule->shared_rate, cut->cores);
    self->place.network_rate = rate_of_core(schedule->network_rate, cut->cores);
    tacho_share share = {self->space, self->ranges};
    tacho_status status = tacho_tile(&self->place, &share, slots, tiling);
    if (status != TACHO_OK) {
        const tacho_graph *graph = estimate->fusion->graph;
        const tacho_node *node = &graph->nodes[estimate->fusion->ops[schedule->op].root];
        return tacho_status_add_note(
            status, "node %" PRIu32 " '%s' (%s) of %.*s does not fit %s of %s", node->index,
            tacho_graph_string(graph, node->name).data, tacho_graph_string(graph, node->type).data,
            TACHO_STR_ARG(graph->path), local->name.data, estimate->machine->name.data);
    }
    return TACHO_OK;
}

/* Even work without elements takes time: an engine, or the sync queue, gets a job of one cycle. */
static tacho_status add_nothing(tacho_core_work *self)
{
    tacho_schedule *schedule = self->schedule;
    bool has_engine = tacho_machine_view_copies_by_engine(schedule->estimate->machine);
    tacho_job job = {
        .engine = has_engine ? tacho_schedule_engine(schedule, self->core, 0, 0)
                             : tacho_schedule_queue(schedule, self->core, schedule->engines.sync),
        .kind = has_engine ? TACHO_JOB_COMPUTE : TACHO_JOB_CONTROL,
        .buffer = TACHO_NONE,
        .cycles = 1,
    };
    for (size_t i = 0; has_engine && i < self->space->access_count; i++) {
        tacho_region_spec spec = tacho_region_of(&self->space->accesses[i], self->ranges);
        spec.access = TACHO_ACCESS_WRITE;
        if (self->space->accesses[i].is_output) {
            TACHO_TRY(tacho_schedule_region(schedule, &spec));
        }
    }
    uint32_t id;
    return tacho_schedule_add(schedule, job, &id);
}

static tacho_status schedule_core(tacho_core_work *self, const tacho_core_cut *cut,
                                  const tacho_slots *slots)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_space *space = self->space;
    size_t first_job = schedule->program->job_count;
    tacho_core_cut_ranges(space, cut, self->core, self->ranges);
    size_t first_buffer = schedule->program->buffer_count;
    memset(self->last, 0xff, sizeof(self->last));
    tacho_core_work_forget_tiles(self);
    for (size_t i = 0; i < space->access_count; i++) {
        make_operand(self, cut, i, &slots[i]);
    }
    TACHO_TRY(add_buffers(self));
    TACHO_TRY(self->engine == TACHO_NONE ? tacho_core_work_moves(self)
                                         : tacho_core_work_tiles(self));
    if (schedule->program->job_count == first_job) {
        TACHO_TRY(add_nothing(self));
    }
    if (space->makes_values || schedule->cores > 1) {
        drop_buffers(self, first_buffer, first_job);
    }
    end_buffers(self, first_buffer);
    return TACHO_OK;
}

/* Results that stay, each with the parts of all cores in their order. */
static tacho_status keep_results(tacho_core_work *self, const tacho_core_cut *cut)
{
    for (size_t i = 0; i < self->space->access_count; i++) {
        const tacho_access *access = &self->space->accesses[i];
        bool stays = access->is_output && tacho_schedule_is_local(self->schedule, access) &&
                     self->schedule->resident_first[access->tensor] == TACHO_NONE;
        for (self->core = 0; stays && self->core < cut->cores; self->core++) {
            tacho_core_cut_ranges(self->space, cut, self->core, self->ranges);
            TACHO_TRY(keep_result(self, access));
        }
    }
    return TACHO_OK;
}

static tacho_status schedule_part(tacho_schedule *schedule, uint32_t part)
{
    tacho_space *space = &schedule->space;
    tacho_space_options options = {.keeps_dims = schedule->cores > 1, .part = part};
    TACHO_TRY(tacho_space_fill(schedule->estimate, schedule->op, &options, space));
    tacho_core_cut cut;
    tacho_core_cut_one(&cut);
    if (schedule->cuts != NULL) {
        cut = schedule->cuts[schedule->op];
    }
    TACHO_TRY(tacho_grow(&schedule->operands, &schedule->operand_capacity, space->access_count));
    TACHO_TRY(tacho_grow(&schedule->slots, &schedule->slot_capacity, space->access_count));
    tacho_tiling tiling;
    tacho_core_work core = {.schedule = schedule,
                            .space = space,
                            .tiling = &tiling,
                            .part = part,
                            .split = TACHO_NONE,
                            .piece_cycles = -1,
                            .operands = schedule->operands};
    choose_engine(&core);
    choose_moves(&core, &cut, schedule->slots);
    TACHO_TRY(choose_tiles(&core, &cut, schedule->slots, &tiling));
    if (core.engine != TACHO_NONE && !core.is_control) {
        TACHO_TRY(tacho_core_work_split(&core));
    }
    TACHO_TRY(keep_results(&core, &cut));
    for (core.core = 0; core.core < cut.cores; core.core++) {
        TACHO_TRY(schedule_core(&core, &cut, schedule->slots));
    }
    return TACHO_OK;
}

/* Parts use the same local memory, each after the one before. */
tacho_status tacho_schedule_tiles(tacho_schedule *schedule)
{
    uint32_t parts = tacho_space_parts(schedule->estimate, schedule->op);
    for (uint32_t i = 0; i < parts; i++) {
        TACHO_TRY(schedule_part(schedule, i));
        if (i + 1 < parts) {
            tacho_schedule_take_finals(schedule);
        }
    }
    return TACHO_OK;
}
