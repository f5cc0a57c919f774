/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The laws of a timeline, and of the buffers that jobs work in.
 */
#include "program/timing.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- engines and needs --------------------------------------------------------------------- */

static tacho_status check_job(const tacho_program *program, size_t id, int64_t *engine_free)
{
    const tacho_job *job = &program->jobs[id];
    if (job->start < engine_free[job->engine]) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, jobs[%zu]: its engine is busy until cycle %" PRId64
                          ", and it starts at %" PRId64,
                          id, engine_free[job->engine], job->start);
    }
    if (job->end - job->start < job->cycles) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, jobs[%zu]: it takes %" PRId64 " cycles, and has %" PRId64, id,
                          job->cycles, job->end - job->start);
    }
    engine_free[job->engine] = job->end;
    for (uint32_t i = 0; i < job->need_count; i++) {
        const tacho_need *need = &program->needs[job->first_need + i];
        int64_t ready = 0;
        if (__builtin_add_overflow(program->jobs[need->job].end, need->lag, &ready) ||
            ready > job->start) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "program, jobs[%zu]: it starts at cycle %" PRId64
                              ", before jobs[%" PRIu32 "] lets it at %" PRId64,
                              id, job->start, need->job, ready);
        }
    }
    return TACHO_OK;
}

static tacho_status check_jobs(const tacho_program *program)
{
    int64_t *engine_free = NULL;
    TACHO_TRY(tacho_items_make(&engine_free, program->engine_count));
    tacho_status status = TACHO_OK;
    for (size_t i = 0; status == TACHO_OK && i < program->job_count; i++) {
        status = check_job(program, i, engine_free);
    }
    free(engine_free);
    return status;
}

/* ---- ops ----------------------------------------------------------------------------------- */

static tacho_status check_ops(const tacho_program *program)
{
    for (size_t i = 0; i < program->op_count; i++) {
        int64_t start;
        int64_t span = tacho_program_op_span(program, &program->ops[i], &start);
        if (program->ops[i].cycles != span) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "program, ops[%zu]: its jobs span %" PRId64
                              " cycles, and it says %" PRId64,
                              i, span, program->ops[i].cycles);
        }
    }
    return TACHO_OK;
}

/* ---- buffers ------------------------------------------------------------------------------- */

/* A walk through the buffers of a core by the job that first touches them. */
typedef struct walk {
    const tacho_program *program;
    const tacho_buffer *live[TACHO_BUFFERS_AT_ONCE_MAX]; /* by offset */
    size_t live_count;
    uint64_t used_bytes;
    uint64_t peak_bytes;
} walk;

static int compare_places(const tacho_buffer *x, const tacho_buffer *y)
{
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    if (x->core != y->core) {
        return x->core < y->core ? -1 : 1;
    }
    return x->memory != y->memory ? (x->memory < y->memory ? -1 : 1) : 0;
}

static int by_place_and_job(const void *a, const void *b)
{
    const tacho_buffer *x = *(const tacho_buffer *const *)a;
    const tacho_buffer *y = *(const tacho_buffer *const *)b;
    int place = compare_places(x, y);
    if (place != 0 || x->first_job == y->first_job) {
        return place != 0 ? place : (x < y ? -1 : x > y);
    }
    return x->first_job < y->first_job ? -1 : 1;
}

static void forget_done(walk *self, const tacho_buffer *next)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->live_count; i++) {
        const tacho_buffer *buffer = self->live[i];
        if (compare_places(buffer, next) == 0 && buffer->last_job >= next->first_job) {
            self->live[kept++] = buffer;
        } else {
            self->used_bytes -= buffer->bytes;
        }
    }
    self->live_count = kept;
}

static tacho_status add_live(walk *self, const tacho_buffer *buffer)
{
    size_t id = (size_t)(buffer - self->program->buffers);
    uint64_t end = 0;
    if (__builtin_add_overflow(buffer->offset, buffer->bytes, &end) ||
        end > self->program->facts.local_bytes || buffer->last_job < buffer->first_job) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, buffers[%zu]: expected a stretch of %" PRIu64
                          " bytes of memory, found %" PRIu64 " bytes at %" PRIu64,
                          id, self->program->facts.local_bytes, buffer->bytes, buffer->offset);
    }
    size_t at = 0;
    while (at < self->live_count && self->live[at]->offset < buffer->offset) {
        at++;
    }
    const tacho_buffer *before = at > 0 ? self->live[at - 1] : NULL;
    const tacho_buffer *after = at < self->live_count ? self->live[at] : NULL;
    bool is_taken = (before != NULL && before->offset + before->bytes > buffer->offset) ||
                    (after != NULL && after->offset < end);
    if (is_taken || self->live_count == TACHO_BUFFERS_AT_ONCE_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "program, buffers[%zu]: %s", id,
                          is_taken ? "another one has its bytes at the same time"
                                   : "too many buffers at the same time");
    }
    memmove(&self->live[at + 1], &self->live[at], (self->live_count - at) * sizeof(buffer));
    self->live[at] = buffer;
    self->live_count++;
    self->used_bytes += buffer->bytes;
    self->peak_bytes = self->used_bytes > self->peak_bytes ? self->used_bytes : self->peak_bytes;
    return TACHO_OK;
}

/* The buffers that jobs from |first| to |last| may find, in the order of the walk. */
static size_t gather(const tacho_program *program, uint32_t first, uint32_t last,
                     const tacho_buffer **sorted)
{
    size_t count = 0;
    for (size_t i = 0; i < program->buffer_count; i++) {
        const tacho_buffer *buffer = &program->buffers[i];
        if (buffer->bytes > 0 && buffer->first_job != UINT32_MAX && buffer->first_job <= last &&
            buffer->last_job >= first) {
            sorted[count++] = buffer;
        }
    }
    qsort(sorted, count, sizeof(const tacho_buffer *), by_place_and_job);
    return count;
}

tacho_status tacho_program_jobs_peak(const tacho_program *program, uint32_t first, uint32_t last,
                                     uint64_t *out_bytes)
{
    const tacho_buffer **sorted = tacho_items_alloc(program->buffer_count, sizeof(*sorted));
    walk *self = calloc(1, sizeof(*self));
    tacho_status status = TACHO_OK;
    size_t count = 0;
    if (sorted == NULL || self == NULL) {
        status = tacho_no_memory();
    } else {
        self->program = program;
        count = gather(program, first, last, sorted);
    }
    for (size_t i = 0; status == TACHO_OK && i < count; i++) {
        forget_done(self, sorted[i]);
        status = add_live(self, sorted[i]);
    }
    *out_bytes = self != NULL ? self->peak_bytes : 0;
    free(sorted);
    free(self);
    return status;
}

tacho_status tacho_program_local_peak(const tacho_program *program, uint64_t *out_bytes)
{
    return tacho_program_jobs_peak(program, 0, UINT32_MAX, out_bytes);
}

tacho_status tacho_program_check_timeline(const tacho_program *program)
{
    uint64_t peak;
    TACHO_TRY(check_jobs(program));
    TACHO_TRY(check_ops(program));
    return tacho_program_local_peak(program, &peak);
}
