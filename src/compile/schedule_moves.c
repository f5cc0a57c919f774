/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operator that no engine computes: what it reads comes into buffers and leaves from there as
 * what it writes; where that stays in local memory, it comes straight to its place.
 */
#include "base/index.h"
#include "compile/machine_view.h"
#include "compile/schedule_tiles.h"

/* Every result of a tile as regions that a transfer writes. */
static tacho_status add_results(tacho_core_work *self, const tacho_tile_at *at,
                                tacho_access_kind access)
{
    for (size_t i = 0; i < self->space->access_count; i++) {
        const tacho_operand_work *of = &self->operands[i];
        if (of->access->is_output && !of->slots->moves) {
            tacho_region_spec spec = tacho_region_of(of->access, at->ranges);
            spec.buffer = of->resident;
            spec.access = (uint16_t)access;
            TACHO_TRY(tacho_schedule_region(self->schedule, &spec));
        }
    }
    return TACHO_OK;
}

/* One operand of a tile straight to where the results stay. */
static tacho_status bring(tacho_core_work *self, tacho_operand_work *of, const tacho_tile_at *at,
                          bool is_last)
{
    tacho_schedule *schedule = self->schedule;
    tacho_region_spec spec = tacho_region_of(of->access, at->ranges);
    tacho_job job = {.engine = of->queue,
                     .kind = (uint16_t)of->kind,
                     .tile = (uint32_t)at->number,
                     .buffer = of->resident,
                     .bytes = spec.bytes};
    if (spec.bytes == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_transfer_cycles(self, of, job.bytes, &job.cycles));
    spec.buffer = of->resident;
    spec.access = TACHO_ACCESS_READ;
    TACHO_TRY(tacho_schedule_region(schedule, &spec));
    TACHO_TRY(add_results(self, at, is_last ? TACHO_ACCESS_WRITE : TACHO_ACCESS_PARTIAL));
    schedule->timings[schedule->op].ddr_read_bytes += of->kind == TACHO_JOB_LOAD ? job.bytes : 0;
    return tacho_schedule_add(schedule, job, &of->last_load);
}

/* A result of a tile, from the buffers that what it is made of came into. */
static tacho_status send(tacho_core_work *self, tacho_operand_work *of, const tacho_tile_at *at)
{
    tacho_schedule *schedule = self->schedule;
    tacho_region_spec spec = tacho_region_of(of->access, at->ranges);
    tacho_job job = {.engine = of->queue,
                     .kind = (uint16_t)of->kind,
                     .tile = (uint32_t)at->number,
                     .buffer = TACHO_NONE,
                     .bytes = spec.bytes};
    if (spec.bytes == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_transfer_cycles(self, of, job.bytes, &job.cycles));
    const tacho_operand_work *largest = NULL;
    for (size_t i = 0; i < self->space->access_count; i++) {
        const tacho_operand_work *from = &self->operands[i];
        uint64_t bytes = tacho_access_bytes(from->access, at->ranges);
        if (!from->access->is_output && bytes > 0) {
            bool is_larger = largest == NULL || from->access->bytes > largest->access->bytes;
            largest = is_larger ? from : largest;
            TACHO_TRY(tacho_operand_need(self, from, at));
        }
    }
    if (largest != NULL) { /* the others say which of it */
        tacho_region_spec read = tacho_region_of(largest->access, at->ranges);
        read.buffer = largest->slots->count > 0
                          ? largest->buffers[tacho_operand_slot(self, largest, at)]
                          : largest->resident;
        job.buffer = read.buffer;
        TACHO_TRY(tacho_schedule_region(schedule, &read));
    }
    spec.access = TACHO_ACCESS_WRITE;
    TACHO_TRY(tacho_schedule_region(schedule, &spec));
    schedule->timings[schedule->op].ddr_write_bytes += job.bytes;
    TACHO_TRY(tacho_schedule_add(schedule, job, &of->last_load));
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *from = &self->operands[i];
        from->users[tacho_operand_slot(self, from, at)][0] = of->last_load;
    }
    return TACHO_OK;
}

static tacho_status finish_tile(tacho_core_work *self, const tacho_tile_at *at)
{
    bool stays = true;
    size_t last = 0;
    for (size_t i = 0; i < self->space->access_count; i++) {
        const tacho_operand_work *of = &self->operands[i];
        stays &= !of->access->is_output || !of->slots->moves;
        last = !of->access->is_output && of->access->bytes > 0 ? i : last;
    }
    for (size_t i = 0; i < self->space->access_count; i++) {
        tacho_operand_work *of = &self->operands[i];
        if (!of->access->is_output && stays) {
            TACHO_TRY(bring(self, of, at, i == last));
        } else if (of->access->is_output && of->slots->moves) {
            TACHO_TRY(send(self, of, at));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_core_work_moves(tacho_core_work *self)
{
    uint64_t count = tacho_core_work_count(self);
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
