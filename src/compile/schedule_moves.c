/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operator that no engine computes: its source is loaded into buffers and stored from there as
 * the result. A result that stays in local memory is loaded straight to its place. Other operands,
 * such as indices, are loaded first and read by the transfers that they steer. An engine does moves
 * within a memory that no queue serves, and moves with elements that no operand has.
 */
#include "base/index.h"
#include "compile/machine_view.h"
#include "compile/schedule_tiles.h"

/* ---- who moves ------------------------------------------------------------------------------ */

/* Of a part: the result that is largest, and how its source compares. */
typedef struct moved {
    const tacho_access *result;
    uint64_t result_bytes, least_bytes; /* of the largest result, and of the smallest */
    uint64_t source_bytes;
    bool is_from_local, is_to_local;
} moved;

static moved what_moves(const tacho_core_work *self, const tacho_range *all)
{
    moved of = {.least_bytes = UINT64_MAX};
    for (size_t i = 0; i < self->space->access_count; i++) {
        const tacho_access *access = &self->space->accesses[i];
        bool is_local = tacho_schedule_is_local(self->schedule, access);
        uint64_t bytes = tacho_access_bytes(access, all);
        if (access->is_source) {
            of.source_bytes = bytes;
            of.is_from_local |= is_local && bytes > 0;
        } else if (access->is_output) {
            of.is_to_local |= is_local;
            of.result = of.result == NULL || bytes > of.result_bytes ? access : of.result;
            of.result_bytes = bytes > of.result_bytes ? bytes : of.result_bytes;
            of.least_bytes = bytes < of.least_bytes ? bytes : of.least_bytes;
        }
    }
    return of;
}

uint32_t tacho_core_work_mover(tacho_core_work *self)
{
    const tacho_machine *machine = self->schedule->estimate->machine;
    tacho_range all[TACHO_AXES_MAX];
    tacho_extent box[TACHO_BOX_RANK_MAX];
    for (uint32_t i = 0; i < self->space->axis_count; i++) {
        all[i] = (tacho_range){0, self->space->axes[i].size};
    }
    moved of = what_moves(self, all);
    bool is_within =
        of.is_from_local && of.is_to_local && tacho_machine_view_copies_by_engine(machine);
    /* A queue copies its source as it is: all results have as many bytes. */
    bool makes = self->space->makes_values || of.result_bytes != of.source_bytes ||
                 of.least_bytes != of.source_bytes;
    if (of.result_bytes == 0 || !(is_within || makes)) {
        return TACHO_NONE;
    }
    uint64_t eight = 0; /* elements: some have less than a byte */
    (void)tacho_dtype_bytes(of.result->kept, 8, &eight);
    self->place.dtype = of.result->kept;
    self->place.steps = 1;
    self->place.elements = of.result->is_known ? tacho_access_box(of.result, all, box)
                           : eight > 0         ? of.result_bytes * 8 / eight
                                               : 0;
    return self->place.elements > 0
               ? tacho_op_cost_engine(machine, TACHO_WORK_VECTOR, of.result->kept)
               : TACHO_NONE;
}

/* ---- transfers ------------------------------------------------------------------------------ */

/* Operands that steer the move, such as indices: the transfer reads them from their buffers. */
static tacho_status add_steering(tacho_core_work *self, const tacho_tile_at *at)
{
    for (size_t i = 0; i < self->space->access_count; i++) {
        const tacho_operand_work *of = &self->operands[i];
        tacho_region_spec spec = tacho_region_of(of->access, at->ranges);
        if (of->access->is_output || of->access->is_source || spec.bytes == 0) {
            continue;
        }
        spec.buffer =
            of->slots->count > 0 ? of->buffers[tacho_operand_slot(self, of, at)] : of->resident;
        TACHO_TRY(tacho_operand_need(self, of, at));
        TACHO_TRY(tacho_schedule_region(self->schedule, &spec));
    }
    return TACHO_OK;
}

static tacho_operand_work *source_of(const tacho_core_work *self)
{
    tacho_operand_work *source = NULL;
    for (size_t i = 0; i < self->space->access_count; i++) {
        bool is_source = self->operands[i].access->is_source;
        source = source == NULL && is_source ? &self->operands[i] : source;
    }
    return source;
}

static void note_use(tacho_core_work *self, const tacho_tile_at *at, uint32_t job)
{
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *from = &self->operands[i];
        from->users[tacho_operand_slot(self, from, at)][0] = job;
    }
}

/* Moves a result of a tile straight from its source's place to its own. */
static tacho_status move_result(tacho_core_work *self, tacho_operand_work *to,
                                const tacho_tile_at *at)
{
    tacho_schedule *schedule = self->schedule;
    tacho_operand_work *from = source_of(self);
    tacho_region_spec spec = tacho_region_of(to->access, at->ranges);
    if (spec.bytes == 0 || from == NULL) {
        return TACHO_OK;
    }
    tacho_job job = {.engine = from->queue,
                     .kind = (uint16_t)from->kind,
                     .tile = (uint32_t)at->number,
                     .buffer = to->resident,
                     .bytes = spec.bytes};
    TACHO_TRY(tacho_transfer_cycles(self, from, job.bytes, &job.cycles));
    tacho_region_spec read = tacho_region_of(from->access, at->ranges);
    read.buffer = from->is_own ? from->resident : TACHO_NONE;
    TACHO_TRY(tacho_schedule_region(schedule, &read));
    TACHO_TRY(add_steering(self, at));
    spec.buffer = to->resident;
    spec.access = TACHO_ACCESS_WRITE;
    TACHO_TRY(tacho_schedule_region(schedule, &spec));
    TACHO_TRY(tacho_schedule_add(schedule, job, &to->last_load));
    note_use(self, at, to->last_load);
    return TACHO_OK;
}

/* Sends a result of a tile, from the buffer of its source or from where the source stays. */
static tacho_status send(tacho_core_work *self, tacho_operand_work *to, const tacho_tile_at *at)
{
    tacho_schedule *schedule = self->schedule;
    const tacho_operand_work *from = source_of(self);
    tacho_region_spec spec = tacho_region_of(to->access, at->ranges);
    tacho_job job = {.engine = to->queue,
                     .kind = (uint16_t)to->kind,
                     .tile = (uint32_t)at->number,
                     .buffer = TACHO_NONE,
                     .bytes = spec.bytes};
    if (spec.bytes == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_transfer_cycles(self, to, job.bytes, &job.cycles));
    if (from != NULL) {
        tacho_region_spec read = tacho_region_of(from->access, at->ranges);
        job.buffer = from->slots->count > 0 ? from->buffers[tacho_operand_slot(self, from, at)]
                                            : from->resident;
        read.buffer = job.buffer;
        TACHO_TRY(tacho_operand_need(self, from, at));
        TACHO_TRY(tacho_schedule_region(schedule, &read));
    }
    TACHO_TRY(add_steering(self, at));
    spec.access = TACHO_ACCESS_WRITE;
    TACHO_TRY(tacho_schedule_region(schedule, &spec));
    TACHO_TRY(tacho_schedule_add(schedule, job, &to->last_load));
    note_use(self, at, to->last_load);
    return TACHO_OK;
}

static tacho_status finish_tile(tacho_core_work *self, const tacho_tile_at *at)
{
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *of = &self->operands[i];
        if (of->access->is_output) {
            TACHO_TRY(of->slots->moves ? send(self, of, at) : move_result(self, of, at));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_core_work_moves(tacho_core_work *self)
{
    uint64_t count = self->tiling->tile_count;
    tacho_tile_at before = {.number = 0};
    for (uint64_t i = 0; i < count; i++) {
        tacho_tile_at at = tacho_core_work_at(self, i);
        TACHO_TRY(tacho_core_work_load(self, &at, i > 0 ? &before : NULL));
        TACHO_TRY(tacho_core_work_ahead(self, &at, UINT32_MAX));
        if (at.is_there) {
            TACHO_TRY(finish_tile(self, &at));
        }
        before = at;
    }
    return TACHO_OK;
}
