/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phases of an operator as jobs of a core.
 */
#include "compile/mesh_jobs.h"

#include "base/index.h"
#include "base/maths.h"

enum { PHASES_OF_TURNS = 2 }; /* groups that the turns of a product are split into */

/* ---- jobs -------------------------------------------------------------------------------- */

/* The part of a stream that has been given to jobs already, in parts of |all|. */
typedef struct progress {
    uint64_t bytes; /* of all */
    uint64_t done, all;
} progress;

static uint64_t advance(progress *of, uint64_t parts)
{
    tacho_u128 before = (tacho_u128)of->bytes * of->done / of->all;
    of->done += parts;
    return (uint64_t)((tacho_u128)of->bytes * of->done / of->all - before);
}

/* Jobs under construction. */
typedef struct builder {
    tacho_mesh_jobs *out;
    const tacho_mesh_phase *phase;
    tacho_mesh_job next; /* with the needs so far */
    progress in0, in1, extra, result, macs;
} builder;

static void need(builder *self, uint8_t job, bool is_false, int64_t lag)
{
    tacho_mesh_job *next = &self->next;
    if (job != TACHO_MESH_ENTRY || lag > 0) {
        next->needs[next->need_count++] = (tacho_mesh_need){job, is_false, lag};
    }
}

static void need_tails(builder *self)
{
    for (size_t i = 0; i < self->out->tail_count; i++) {
        need(self, self->out->tails[i], true, 0);
    }
}

/* Adds the next job; ENTRY, and its needs are dropped, where it takes no time. */
static uint8_t add(builder *self, tacho_mesh_unit unit, tacho_job_kind kind, tacho_mesh_role role,
                   int64_t cycles)
{
    tacho_mesh_jobs *out = self->out;
    tacho_mesh_job job = self->next;
    self->next = (tacho_mesh_job){.cores = job.cores};
    if (cycles <= 0) {
        return TACHO_MESH_ENTRY;
    }
    job.unit = unit;
    job.kind = kind;
    job.role = role;
    job.cycles = cycles;
    out->jobs[out->job_count] = job;
    return (uint8_t)out->job_count++;
}

static void begin_phase(builder *self, const tacho_mesh_phase *phase)
{
    self->phase = phase;
    self->next = (tacho_mesh_job){
        .cores = {phase->cores, phase->rows, phase->columns, phase->in0.team == TACHO_MESH_ROW}};
    const tacho_mesh_stream *const streams[] = {&phase->in0, &phase->in1, &phase->result};
    for (size_t i = 0; i < TACHO_MESH_ROLE_COUNT; i++) {
        uint64_t *bytes = &self->out->buffer_bytes[i];
        bool is_used = streams[i]->moves || (i == TACHO_MESH_RESULT && phase->compute > 0);
        uint64_t used = is_used ? streams[i]->buffer_bytes : 0;
        *bytes = *bytes > used ? *bytes : used;
    }
}

static void end_phase(builder *self, const uint8_t *tails, size_t count)
{
    self->out->tail_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (tails[i] != TACHO_MESH_ENTRY) {
            self->out->tails[self->out->tail_count++] = tails[i];
        }
    }
}

/* ---- products ---------------------------------------------------------------------------- */

/* The jobs that fetch a step, or several: one of the reader and one of the writer. */
typedef struct pair {
    uint8_t in0, in1;
} pair;

static void need_pair(builder *self, pair of, int64_t lag)
{
    need(self, of.in0, false, lag);
    need(self, of.in1, false, lag);
}

/* |count| steps of |turns| turns; they wait for |after|, whose buffers they use again. */
static pair add_loads(builder *self, uint64_t turns, uint64_t count, uint8_t after)
{
    const tacho_mesh_phase *phase = self->phase;
    const tacho_mesh_stream *const streams[] = {&phase->in0, &phase->in1};
    progress *const done[] = {&self->in0, &self->in1};
    uint64_t steps = turns * count;
    uint8_t jobs[2] = {TACHO_MESH_ENTRY, TACHO_MESH_ENTRY};
    for (size_t i = 0; i < 2; i++) {
        uint64_t bytes = advance(done[i], steps);
        if (!streams[i]->moves) {
            continue;
        }
        if (after != TACHO_MESH_ENTRY) {
            need(self, after, true, 0);
        } else {
            need_tails(self);
        }
        self->next.team = streams[i]->team;
        self->next.bytes = bytes;
        jobs[i] = add(self, i == 0 ? TACHO_MESH_READER : TACHO_MESH_WRITER,
                      streams[i]->is_local ? TACHO_JOB_COPY : TACHO_JOB_LOAD,
                      i == 0 ? TACHO_MESH_IN0 : TACHO_MESH_IN1,
                      tacho_cycles_multiply(phase->bring, steps));
    }
    return (pair){jobs[0], jobs[1]};
}

static uint8_t compute(builder *self, uint64_t steps, int64_t cycles)
{
    self->next.macs = advance(&self->macs, steps);
    if (self->out->job_count > 0 && self->next.need_count == 0) {
        need_tails(self);
    }
    return add(self, TACHO_MESH_ENGINE, TACHO_JOB_COMPUTE, TACHO_MESH_RESULT, cycles);
}

/* The last step of |turns| turns, the work fused after it, and results. */
static void finish_turns(builder *self, uint64_t turns, pair last, uint8_t before)
{
    const tacho_mesh_phase *phase = self->phase;
    int64_t work = tacho_cycles_multiply(phase->compute, turns);
    int64_t fused = tacho_cycles_multiply(phase->fused, turns);
    int64_t extra = tacho_cycles_multiply(phase->bring_last, turns);
    int64_t out = tacho_cycles_multiply(phase->out, turns);
    need_pair(self, last, 0);
    uint8_t done = compute(self, turns, extra > 0 ? work : tacho_cycles_add(work, fused));
    uint8_t fetched = TACHO_MESH_ENTRY;
    uint64_t extra_bytes = advance(&self->extra, turns);
    if (extra > 0) {
        need_pair(self, last, 0);
        need(self, before, true, 0);
        self->next.bytes = extra_bytes;
        fetched = add(self, TACHO_MESH_READER, TACHO_JOB_LOAD, TACHO_MESH_IN0, extra);
        need(self, fetched, false, 0);
        uint8_t applied = add(self, TACHO_MESH_ENGINE, TACHO_JOB_COMPUTE, TACHO_MESH_RESULT, fused);
        done = applied != TACHO_MESH_ENTRY ? applied : done;
    }
    self->next.bytes = advance(&self->result, turns);
    if (phase->is_late) {
        need(self, done, false, 0);
        need(self, fetched, false, 0);
    } else {
        int64_t ends = tacho_cycles_add(tacho_most(work, extra), fused);
        int64_t lag = tacho_most(ends - out, 0); /* results leave until the end */
        need_pair(self, last, lag);
        need(self, before, false, lag);
        if (self->next.need_count == 0) { /* there is nothing before the first step */
            need(self, TACHO_MESH_ENTRY, false, lag);
        }
    }
    uint8_t sent = add(self, TACHO_MESH_WRITER, TACHO_JOB_STORE, TACHO_MESH_RESULT, out);
    const uint8_t tails[] = {done, fetched, sent};
    end_phase(self, tails, 3);
}

static void add_turns(builder *self, uint64_t turns)
{
    const tacho_mesh_phase *phase = self->phase;
    uint64_t left = phase->steps - 1;
    uint64_t segments = tacho_least(left, self->out->segments);
    pair brought = add_loads(self, turns, 1, TACHO_MESH_ENTRY);
    uint8_t before = TACHO_MESH_ENTRY; /* the engine's last */
    for (uint64_t i = 0; i < segments; i++) {
        uint64_t count = tacho_ceil_div(left, segments - i);
        pair next = add_loads(self, turns, count, before);
        need_pair(self, brought, 0);
        before = compute(self, turns * count, tacho_cycles_multiply(phase->compute, turns * count));
        brought = next;
        left -= count;
    }
    finish_turns(self, turns, brought, before);
}

static void add_product(builder *self, const tacho_mesh_phase *phase, uint64_t times)
{
    begin_phase(self, phase);
    uint64_t turns = tacho_size_multiply(phase->turns, times);
    uint64_t steps = tacho_size_multiply(turns, phase->steps);
    const tacho_mesh_stream *const streams[] = {&phase->in0, &phase->in1, &phase->extra,
                                                &phase->result};
    progress *const all[] = {&self->in0, &self->in1, &self->extra, &self->result};
    for (size_t i = 0; i < 4; i++) {
        *all[i] = (progress){.bytes = tacho_size_multiply(streams[i]->bytes, times),
                             .all = i < 2 ? steps : turns};
    }
    self->macs = (progress){.bytes = tacho_size_multiply(phase->macs, times), .all = steps};
    uint64_t groups = tacho_least(turns, PHASES_OF_TURNS);
    for (uint64_t i = 0; i < groups; i++) {
        uint64_t count = tacho_ceil_div(turns, groups - i);
        add_turns(self, count);
        turns -= count;
    }
}

/* ---- flows ------------------------------------------------------------------------------- */

/* A stream in two parts: |first| cycles of |all|, and the rest. */
static void split(uint64_t bytes, int64_t first, int64_t all, uint64_t out_parts[2])
{
    tacho_u128 part = all > 0 ? (tacho_u128)bytes * (uint64_t)first / (uint64_t)all : bytes;
    out_parts[0] = (uint64_t)part;
    out_parts[1] = bytes - out_parts[0];
}

static uint8_t add_read(builder *self, bool is_copy, uint64_t bytes, int64_t cycles)
{
    self->next.bytes = bytes;
    return add(self, TACHO_MESH_READER, is_copy ? TACHO_JOB_COPY : TACHO_JOB_LOAD,
               is_copy ? TACHO_MESH_IN1 : TACHO_MESH_IN0, cycles);
}

static uint8_t or_else(uint8_t job, uint8_t other)
{
    return job != TACHO_MESH_ENTRY ? job : other;
}

/* |phase|, |times| over, as one. */
static tacho_mesh_phase repeat(const tacho_mesh_phase *phase, uint64_t times)
{
    tacho_mesh_phase all = *phase;
    int64_t *const cycles[] = {&all.bring, &all.copy, &all.compute, &all.out};
    uint64_t *const amounts[] = {&all.steps, &all.macs, &all.in0.bytes, &all.in1.bytes,
                                 &all.result.bytes};
    for (size_t i = 0; i < 4; i++) {
        *cycles[i] = tacho_cycles_multiply(*cycles[i], times);
    }
    for (size_t i = 0; i < 5; i++) {
        *amounts[i] = tacho_size_multiply(*amounts[i], times);
    }
    return all;
}

static void add_flow(builder *self, const tacho_mesh_phase *phase)
{
    begin_phase(self, phase);
    need_tails(self);
    tacho_mesh_flow flow = tacho_mesh_flow_of(phase);
    bool is_copy = phase->bring == 0;
    uint64_t read[2];
    uint64_t sent[2];
    split(is_copy ? phase->in1.bytes : phase->in0.bytes, flow.read_first,
          flow.read_first + flow.read_rest, read);
    split(phase->result.bytes, flow.send_rest, flow.send_rest + flow.send_last, sent);
    (void)add_read(self, true, phase->in1.bytes, flow.lead);
    uint8_t first = add_read(self, is_copy, read[0], flow.read_first);
    uint8_t last = or_else(add_read(self, is_copy, read[1], flow.read_rest), first);
    self->macs = (progress){.bytes = phase->macs, .all = (uint64_t)tacho_most(phase->compute, 1)};
    need(self, first, false, 0);
    uint8_t began = compute(self, (uint64_t)flow.work_first, flow.work_first);
    (void)compute(self, (uint64_t)flow.work_mid, flow.work_mid);
    need(self, last, false, 0);
    uint8_t done = compute(self, (uint64_t)flow.work_last, flow.work_last);
    self->next.bytes = sent[0];
    need(self, or_else(began, first), false, 0);
    (void)add(self, TACHO_MESH_WRITER, TACHO_JOB_STORE, TACHO_MESH_RESULT, flow.send_rest);
    self->next.bytes = sent[1];
    need(self, or_else(done, last), false, 0);
    uint8_t ended =
        add(self, TACHO_MESH_WRITER, TACHO_JOB_STORE, TACHO_MESH_RESULT, flow.send_last);
    const uint8_t tails[] = {last, done, ended};
    end_phase(self, tails, 3);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Jobs do as many as the operator has: steps of a sequence may be rounded up. */
static void share_macs(tacho_mesh_jobs *jobs, uint64_t macs)
{
    progress all = {.bytes = macs};
    for (size_t i = 0; i < jobs->job_count; i++) {
        all.all += jobs->jobs[i].macs;
    }
    for (size_t i = 0; i < jobs->job_count && all.all > 0; i++) {
        jobs->jobs[i].macs = advance(&all, jobs->jobs[i].macs);
    }
}

tacho_status tacho_mesh_jobs_make(const tacho_machine *machine, const tacho_work *work,
                                  const tacho_cost_options *options, const tacho_op_cost *cost,
                                  tacho_mesh_jobs *jobs)
{
    *jobs = (tacho_mesh_jobs){.segments = jobs->segments};
    builder self = {.out = jobs};
    tacho_work works[2];
    uint64_t more = tacho_op_cost_sequence(machine, work, works);
    for (size_t i = 0; i < (more > 0 ? 2 : 1); i++) {
        tacho_mesh_phase phase;
        tacho_parts parts;
        TACHO_TRY(tacho_op_mesh_phase(machine, &works[i], options, cost, &phase));
        TACHO_TRY(tacho_op_mesh_parts(machine, &works[i], cost, &phase, &parts));
        jobs->launch = parts.launch_cycles;
        if (phase.is_flow) {
            tacho_mesh_phase all = repeat(&phase, i == 0 ? 1 : more);
            add_flow(&self, &all);
        } else {
            add_product(&self, &phase, i == 0 ? 1 : more);
        }
    }
    share_macs(jobs, cost->macs);
    return TACHO_OK;
}

int64_t tacho_mesh_jobs_cycles(const tacho_mesh_jobs *jobs)
{
    int64_t ends[TACHO_MESH_JOBS_MAX];
    int64_t is_free[TACHO_MESH_UNIT_COUNT] = {jobs->launch, jobs->launch, jobs->launch};
    int64_t end = jobs->launch;
    for (size_t i = 0; i < jobs->job_count; i++) {
        const tacho_mesh_job *job = &jobs->jobs[i];
        int64_t start = is_free[job->unit];
        for (size_t k = 0; k < job->need_count; k++) {
            const tacho_mesh_need *need = &job->needs[k];
            int64_t ended = need->job == TACHO_MESH_ENTRY ? jobs->launch : ends[need->job];
            start = tacho_most(start, tacho_cycles_add(ended, need->lag));
        }
        ends[i] = is_free[job->unit] = tacho_cycles_add(start, job->cycles);
        end = tacho_most(end, ends[i]);
    }
    return end;
}

tacho_mesh_place tacho_mesh_place_of(const tacho_mesh_job *job, uint32_t core)
{
    const tacho_mesh_cores *cores = &job->cores;
    switch (job->team) {
    case TACHO_MESH_ROW:
        return (tacho_mesh_place){cores->columns, core / cores->columns, cores->rows};
    case TACHO_MESH_COLUMN:
        return (tacho_mesh_place){cores->rows, core % cores->columns, cores->columns};
    case TACHO_MESH_ALL:
        return (tacho_mesh_place){cores->count, 0, 1};
    case TACHO_MESH_OWN:
        break;
    }
    return (tacho_mesh_place){1, core, cores->count};
}

uint32_t tacho_mesh_index_of(const tacho_mesh_cores *cores, uint32_t core, uint32_t width)
{
    uint32_t row = core / width;
    uint32_t column = core % width;
    if (!cores->is_grid) {
        return core < cores->count ? core : TACHO_NONE;
    }
    bool is_in = row < cores->rows && column < cores->columns;
    return is_in ? row * cores->columns + column : TACHO_NONE;
}

uint64_t tacho_mesh_part(uint64_t amount, uint32_t part, uint32_t parts)
{
    return amount / parts + (part < amount % parts ? 1 : 0);
}
