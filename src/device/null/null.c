/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device that does nothing: the skeleton of every other (docs/devices.md). It loads any
 * program, computes no values, takes no time, and records threads that started and ended at once.
 */
#include <stdlib.h>

#include "device/types.h"
#include "base/grow.h"
#include "program/stats_layout.h"

typedef struct null_device {
    tacho_device base;
    tacho_block_time *blocks;
    tacho_stats_thread *threads; /* by core, then thread; NULL: nothing is recorded */
    tacho_stats_array array;
    tacho_stats_buffer *buffers; /* by device, all with the same threads */
} null_device;

static tacho_status null_open(const tacho_device_options *options, tacho_str argument,
                              tacho_device **out_device)
{
    (void)options;
    (void)argument;
    null_device *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->base.type = &tacho_device_null;
    *out_device = &self->base;
    return TACHO_OK;
}

/* Allocates and names all records from here on. */
static tacho_status prepare_records(null_device *self)
{
    const tacho_program_facts *facts = &self->base.program->facts;
    size_t count = (size_t)facts->core_count * facts->thread_count;
    tacho_stats_layout layout;
    tacho_status status = tacho_stats_layout_init(&layout, self->base.program);
    self->threads = tacho_items_alloc(count, sizeof(*self->threads));
    self->buffers = tacho_items_alloc(facts->device_count, sizeof(*self->buffers));
    if (status == TACHO_OK && (self->threads == NULL || self->buffers == NULL)) {
        status = tacho_no_memory();
    }
    for (size_t i = 0; status == TACHO_OK && i < count; i++) {
        self->threads[i].core = (uint16_t)(i / facts->thread_count);
        self->threads[i].thread = (uint16_t)(i % facts->thread_count);
    }
    self->array = (tacho_stats_array){TACHO_STATS_TYPE_thread, 0, (uint32_t)count, self->threads};
    for (uint32_t i = 0; status == TACHO_OK && i < facts->device_count; i++) {
        self->buffers[i] = (tacho_stats_buffer){
            .head = tacho_stats_head_of(&layout, i, TACHO_STATS_SIMULATED),
            .arrays = &self->array,
            .array_count = 1,
        };
    }
    tacho_stats_layout_deinit(&layout);
    return status;
}

static tacho_status null_load(tacho_device *device, const tacho_program *program)
{
    null_device *self = (null_device *)device;
    device->program = program; /* one that computes makes device->execution here, too */
    TACHO_TRY(tacho_items_make(&self->blocks, program->block_count));
    return program->facts.stats.level >= TACHO_STATS_LEVEL_INFERENCE ? prepare_records(self)
                                                                     : TACHO_OK;
}

static tacho_status null_run(tacho_device *device, uint64_t inference, bool records,
                             tacho_device_result *out_result)
{
    null_device *self = (null_device *)device;
    *out_result = (tacho_device_result){
        .cycles = 0, .blocks = self->blocks, .block_count = device->program->block_count};
    if (records && self->threads != NULL) {
        out_result->stats = self->buffers;
        out_result->stats_count = device->program->facts.device_count;
        for (size_t i = 0; i < out_result->stats_count; i++) {
            self->buffers[i].head.inference = inference;
        }
    }
    return TACHO_OK;
}

static void null_close(tacho_device *device)
{
    null_device *self = (null_device *)device;
    free(self->blocks);
    free(self->threads);
    free(self->buffers);
    free(self);
}

const tacho_device_type tacho_device_null = {
    .name = "null",
    .about = "runs nothing; a skeleton for new devices",
    .is_simulated = true,
    .has_no_times = true,
    .open = null_open,
    .load = null_load,
    .run = null_run,
    .close = null_close,
};
