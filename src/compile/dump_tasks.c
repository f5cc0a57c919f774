/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a sequencer's program: jobs as pairs of a start and a wait, in the order of time.
 */
#include "compile/dump_targets.h"
#include "compile/tasks.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const engine_names[] = {
    [TACHO_TARGET_SLICE] = "slice",   [TACHO_TARGET_CSS] = "css",
    [TACHO_TARGET_DMA_IN] = "dma_in", [TACHO_TARGET_DMA_OUT] = "dma_out",
    [TACHO_TARGET_HOST] = "host",
};

void tacho_targets_times(const tacho_targets *self, int64_t start, int64_t end)
{
    if (self->has_profile) {
        tacho_output_printf(self->output,
                            ", \"torq-start-time-cycles\" = %" PRId64
                            " : i64, \"torq-end-time-cycles\" = %" PRId64 " : i64",
                            start, end);
    }
}

/* ---- operations ---------------------------------------------------------------------------- */

static void write_buffer_name(const tacho_targets *self, uint32_t buffer)
{
    if (buffer == TACHO_NONE) {
        tacho_output_write_cstring(self->output, "%xram");
    } else {
        tacho_output_printf(self->output, "%%b%" PRIu32, buffer);
    }
}

/* "(%xram, %b3)", and their types. */
static void write_buffers(const tacho_targets *self, uint32_t first, uint32_t second, bool types)
{
    tacho_output_write_cstring(self->output, "(");
    if (types) {
        tacho_targets_buffer_type(self, first);
        tacho_output_write_cstring(self->output, ", ");
        tacho_targets_buffer_type(self, second);
    } else {
        write_buffer_name(self, first);
        tacho_output_write_cstring(self->output, ", ");
        write_buffer_name(self, second);
    }
    tacho_output_write_cstring(self->output, ")");
}

/* Sets source and destination of a queue before it starts. */
static void write_configure(const tacho_targets *self, const tacho_job *job, const char *name)
{
    bool is_in = tacho_targets_engine(self, job) == TACHO_TARGET_DMA_IN;
    uint32_t from = is_in ? TACHO_NONE : job->buffer;
    uint32_t to = is_in ? job->buffer : TACHO_NONE;
    tacho_output_printf(self->output, "            \"torq_hw.%s_cfg\"", name);
    write_buffers(self, from, to, false);
    tacho_output_printf(self->output, " <{id = %" PRIu32 " : index}> {bytes = %" PRIu64 " : i64",
                        self->engine_ids[job->engine], job->bytes);
    tacho_output_write_cstring(self->output, "} : ");
    write_buffers(self, from, to, true);
    tacho_output_write_cstring(self->output, " -> ()");
    tacho_targets_location(self, job->op);
}

static void write_duration(const tacho_targets *self, const tacho_job *job)
{
    tacho_output_printf(self->output, " <{id = %" PRIu32 " : index}>",
                        self->engine_ids[job->engine]);
    if (self->has_profile) {
        tacho_output_printf(self->output, " {\"torq-async-duration-cycles\" = %" PRId64 " : i64}",
                            job->end - job->start);
    }
}

static void write_start(const tacho_targets *self, const tacho_job *job, uint32_t block)
{
    tacho_target_engine engine = tacho_targets_engine(self, job);
    const char *name = engine_names[engine];
    bool is_kernel =
        job->op != TACHO_NONE && (engine == TACHO_TARGET_SLICE || engine == TACHO_TARGET_CSS);
    if (engine == TACHO_TARGET_DMA_IN || engine == TACHO_TARGET_DMA_OUT) {
        write_configure(self, job, name);
    }
    tacho_output_printf(self->output, "            \"torq_hw.%s_start\"", name);
    if (is_kernel) {
        tacho_output_printf(self->output, "(%%a%" PRIu32 "_%c%" PRIu32 ")", block,
                            engine == TACHO_TARGET_CSS ? 'c' : 's', job->op);
    } else {
        tacho_output_write_cstring(self->output, "()");
    }
    write_duration(self, job);
    tacho_output_printf(self->output,
                        is_kernel ? " : (!torq_hl.invocation<%s>) -> ()" : " : () -> ()",
                        engine == TACHO_TARGET_CSS ? "css" : "slice");
    tacho_targets_location(self, job->op);
}

static void write_event(const tacho_targets *self, const tacho_task_event *event, uint32_t block)
{
    const tacho_job *job = &self->program->jobs[event->job];
    if (tacho_job_is_instant(job)) {
        tacho_output_printf(self->output, "            \"tacho.%s\"() : () -> ()",
                            job->kind == TACHO_JOB_WAIT ? "wait" : "signal");
        tacho_targets_location(self, job->op);
    } else if (event->is_wait) {
        tacho_output_printf(
            self->output,
            "            \"torq_hw.%s_wait\"() <{id = %" PRIu32 " : index}> : () -> ()",
            engine_names[tacho_targets_engine(self, job)], self->engine_ids[job->engine]);
        tacho_targets_location(self, job->op);
    } else {
        write_start(self, job, block);
    }
}

/* ---- tasks --------------------------------------------------------------------------------- */

static void write_tasks(tacho_targets *self, uint32_t block, const tacho_task_events *events)
{
    int64_t before = events->count > 0 ? events->items[0].time : 0;
    for (size_t i = 0; i < events->count;) {
        const tacho_task_event *first = &events->items[i];
        int64_t end = first->time > before ? first->time : before;
        tacho_output_write_cstring(self->output, "          \"torq_hw.nss_task\"() ({\n");
        for (; i < events->count && tacho_task_is_same(first, &events->items[i]); i++) {
            write_event(self, &events->items[i], block);
            end += events->items[i].issue_cycles;
        }
        tacho_output_printf(self->output, "          }) {\"torq-task-id\" = %" PRIu32 " : i64",
                            self->task_count++);
        tacho_targets_times(self, before, end);
        tacho_output_write_cstring(self->output, "} : () -> ()");
        tacho_targets_location(self, self->program->jobs[first->job].op);
        before = end;
    }
}

tacho_status tacho_targets_tasks(tacho_targets *self, uint32_t block)
{
    tacho_task_events events = {0};
    tacho_status status =
        tacho_task_events_collect(self->program, &self->program->blocks[block], &events);
    if (status == TACHO_OK) {
        write_tasks(self, block, &events);
    }
    free(events.items);
    return status;
}
