/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of operators, filled with what their engines do.
 */
#include "compile/timeline.h"

#include "base/grow.h"
#include "base/index.h"
#include "compile/machine_view.h"

#include <stdlib.h>

/* Engines that are shown one by one; more are shown together. */
enum { ENGINES_SHOWN_MAX = 8 };

typedef struct window {
    tacho_timeline *timeline;
    uint32_t op;
    int64_t start;
    int64_t end;
} window;

/* Adds a job unless it is empty; it begins and ends in its window. */
static tacho_status add_job(const window *self, tacho_job job)
{
    tacho_timeline *timeline = self->timeline;
    job.op = self->op;
    job.start_cycles = job.start_cycles < self->start ? self->start : job.start_cycles;
    job.end_cycles = job.end_cycles > self->end ? self->end : job.end_cycles;
    if (job.end_cycles <= job.start_cycles) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&timeline->jobs, &timeline->job_capacity, timeline->job_count + 1));
    timeline->jobs[timeline->job_count++] = job;
    return TACHO_OK;
}

static tacho_status add_compute(const window *self, const tacho_op_cost *cost, int64_t ready)
{
    if (cost->engine == TACHO_NONE || cost->compute_cycles <= 0) {
        return TACHO_OK;
    }
    const tacho_machine *machine = self->timeline->estimate->machine;
    uint32_t total = tacho_machine_view_engine_total(machine, cost->engine);
    uint32_t shown = total <= ENGINES_SHOWN_MAX ? cost->engine_count : 1;
    int64_t latest = self->end - cost->compute_cycles;
    tacho_job job = {
        .track_class = tacho_machine_view_track_class(machine->engines[cost->engine].class),
        .start_cycles = ready < latest ? ready : latest,
    };
    job.end_cycles = job.start_cycles + cost->compute_cycles;
    for (job.index = 0; job.index < shown || job.index == 0; job.index++) {
        TACHO_TRY(add_job(self, job));
    }
    return TACHO_OK;
}

static tacho_status add_op(tacho_timeline *timeline, uint32_t number)
{
    const tacho_op_estimate *op = &timeline->estimate->ops[number];
    const tacho_op_cost *cost = &op->cost;
    window self = {timeline, number, op->start_cycles, op->start_cycles + cost->cycles};
    size_t before = timeline->job_count;
    int64_t read_end = self.start + (op->ddr_read_bytes > 0 ? cost->read_cycles : 0);
    TACHO_TRY(add_job(&self, (tacho_job){.track_class = TACHO_TRACK_DMA_IN,
                                         .start_cycles = self.start,
                                         .end_cycles = read_end,
                                         .bytes = op->ddr_read_bytes}));
    TACHO_TRY(add_compute(&self, cost, read_end));
    int64_t write_cycles = op->ddr_write_bytes > 0 ? cost->write_cycles : 0;
    TACHO_TRY(add_job(&self, (tacho_job){.track_class = TACHO_TRACK_DMA_OUT,
                                         .start_cycles = self.end - write_cycles,
                                         .end_cycles = self.end,
                                         .bytes = op->ddr_write_bytes}));
    if (timeline->job_count > before) {
        return TACHO_OK;
    }
    return add_job(&self, (tacho_job){.track_class = TACHO_TRACK_DMA_LOCAL,
                                      .start_cycles = self.start,
                                      .end_cycles = self.end,
                                      .bytes = op->local_bytes});
}

tacho_status tacho_timeline_init(tacho_timeline *timeline, const tacho_estimate *estimate)
{
    *timeline = (tacho_timeline){.estimate = estimate};
    for (uint32_t i = 0; i < estimate->fusion->op_count; i++) {
        TACHO_TRY(add_op(timeline, i));
    }
    return TACHO_OK;
}

void tacho_timeline_deinit(tacho_timeline *timeline)
{
    free(timeline->jobs);
}
