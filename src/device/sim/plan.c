/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a simulation, from needs, engines, sequencers, queues and limits.
 */
#include "device/sim/plan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "device/sim/share.h"
#include "machine/cost.h"
#include "program/stats_layout.h"

/* ---- limits -------------------------------------------------------------------------------- */

tacho_status tacho_sim_limits_init(tacho_sim_limits *limits, const tacho_machine *machine)
{
    *limits = (tacho_sim_limits){.noc = {0, 1}};
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    if (ddr != NULL && tacho_quantity_is_set(&ddr->bytes_per_cycle)) {
        TACHO_TRY(tacho_cost_memory_rate(ddr, &limits->ddr_read));
        TACHO_TRY(tacho_cost_memory_write_rate(ddr, &limits->ddr_write));
        limits->ddr_banks = (uint64_t)tacho_quantity_whole(&ddr->banks);
        limits->ddr_page_bytes = (uint64_t)tacho_quantity_whole(&ddr->page_bytes);
    }
    limits->noc = tacho_quantity_or(&machine->noc.link_bytes_per_cycle, 0);
    limits->link = tacho_quantity_or(&machine->device_link_bytes_per_cycle, 0);
    if (tacho_quantity_is_set(&machine->mesh.buffer_bytes)) {
        limits->noc_width = (uint32_t)tacho_quantity_whole(&machine->grid_x);
        limits->noc_height = (uint32_t)tacho_quantity_whole(&machine->grid_y);
    }
    for (uint32_t i = TACHO_ENGINE_DMA_IN; i <= TACHO_ENGINE_DMA_LOCAL; i++) {
        const tacho_dma *dma = tacho_machine_dma(machine, (tacho_engine_class)i);
        if (dma != NULL) {
            limits->queue_depths[i] = (uint32_t)tacho_quantity_whole(&dma->queue_depth);
        }
    }
    return TACHO_OK;
}

/* ---- waiting jobs -------------------------------------------------------------------------- */

static bool is_time(int64_t cycles)
{
    return cycles >= 0 && cycles < (int64_t)1 << TACHO_SHARE_TIME_BITS;
}

static tacho_status check_job(const tacho_program *program, size_t id)
{
    const tacho_job *job = &program->jobs[id];
    bool is_good = is_time(job->cycles) && is_time(job->start) && is_time(job->end);
    for (uint32_t i = 0; i < job->need_count; i++) {
        is_good &= is_time(program->needs[job->first_need + i].lag);
    }
    return is_good ? TACHO_OK
                   : tacho_fail(TACHO_CODE_BAD_DATA,
                                "program, jobs[%zu]: its cycles or those that it waits are "
                                "negative or do not fit %d bits",
                                id, TACHO_SHARE_TIME_BITS);
}

static tacho_status find_waiters(tacho_sim_plan *self)
{
    const tacho_program *program = self->program;
    uint32_t *first = self->first_waiter;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        TACHO_TRY(check_job(program, i));
        self->jobs[i].waits = job->need_count;
        for (uint32_t j = 0; j < job->need_count; j++) {
            first[program->needs[job->first_need + j].job + 1]++;
        }
    }
    for (size_t i = 0; i < program->job_count; i++) {
        first[i + 1] += first[i];
    }
    uint32_t total = first[program->job_count];     /* needs of no job are left out */
    for (size_t i = program->job_count; i-- > 0;) { /* from the end: places are counted down */
        const tacho_job *job = &program->jobs[i];
        for (uint32_t j = job->need_count; j-- > 0;) {
            const tacho_need *need = &program->needs[job->first_need + j];
            self->waiters[--first[need->job + 1]] = (tacho_sim_waiter){need->lag, (uint32_t)i};
        }
    }
    /* Each place is now where the job's own waiters begin: one to the left. */
    for (size_t i = 0; i < program->job_count; i++) {
        first[i] = first[i + 1];
    }
    first[program->job_count] = total;
    return TACHO_OK;
}

/* Makes |id| the next after |*last|, which it becomes itself; whether there was one. */
static bool follow(uint32_t *last, size_t id, uint32_t *out_before)
{
    *out_before = *last;
    *last = (uint32_t)id;
    return *out_before != TACHO_NONE;
}

static void follow_engines(tacho_sim_plan *self, uint32_t *last_on_engine, uint32_t *last_started)
{
    const tacho_program *program = self->program;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_program_engine *engine = &program->engines[program->jobs[i].engine];
        uint32_t before;
        if (follow(&last_on_engine[program->jobs[i].engine], i, &before)) {
            self->jobs[before].next_on_engine = (uint32_t)i;
            self->jobs[i].waits++;
        }
        size_t core = (size_t)engine->device * program->facts.core_count + engine->core;
        if (engine->is_sequenced != 0 && follow(&last_started[core], i, &before)) {
            self->jobs[before].next_started = (uint32_t)i;
            self->jobs[i].waits++;
        }
    }
}

/* ---- queues -------------------------------------------------------------------------------- */

static uint32_t depth_of(const tacho_program *program, const tacho_sim_limits *limits,
                         uint32_t engine)
{
    tacho_str name = tacho_strings_get(&program->strings, program->engines[engine].class_name);
    for (uint32_t i = TACHO_ENGINE_DMA_IN; i <= TACHO_ENGINE_DMA_LOCAL; i++) {
        const char *text = tacho_engine_class_name((tacho_engine_class)i);
        if (tacho_str_equal(name, tacho_str_from_cstring(text))) {
            return limits->queue_depths[i];
        }
    }
    return 0;
}

/* State of the walk over the jobs. */
typedef struct queues {
    uint32_t *depths;      /* by engine */
    uint32_t *behind;      /* by engine: the job that is |depth| - 1 before the last one */
    uint32_t *counts;      /* by engine: jobs so far, up to the depth */
    uint32_t *last_posted; /* by device, core and thread */
    bool *has_depth;       /* by the same: one of its queues has */
} queues;

static void follow_queue(tacho_sim_plan *self, queues *state, size_t id)
{
    uint32_t engine = self->program->jobs[id].engine;
    size_t thread = tacho_program_thread_of(self->program, engine);
    uint32_t before;
    if (!state->has_depth[thread] || !tacho_stats_is_async(self->program, engine)) {
        return;
    }
    tacho_sim_job *job = &self->jobs[id];
    job->is_posted = true;
    job->waits++;
    if (follow(&state->last_posted[thread], id, &before)) {
        self->jobs[before].next_posted = (uint32_t)id;
        job->post_waits++;
    }
    if (state->depths[engine] == 0) {
        return;
    }
    if (state->counts[engine] == 0) {
        state->behind[engine] = (uint32_t)id;
    }
    if (state->counts[engine]++ >= state->depths[engine]) {
        uint32_t behind = state->behind[engine];
        self->jobs[behind].next_in_queue = (uint32_t)id;
        state->behind[engine] = self->jobs[behind].next_on_engine;
        job->post_waits++;
    }
}

static tacho_status follow_queues(tacho_sim_plan *self, const tacho_sim_limits *limits)
{
    const tacho_program *program = self->program;
    size_t engines = program->engine_count;
    size_t threads = (size_t)program->facts.device_count * program->facts.core_count *
                     program->facts.thread_count;
    queues state = {.depths = tacho_items_alloc(3 * engines + threads, sizeof(uint32_t)),
                    .has_depth = tacho_items_alloc(threads, sizeof(bool))};
    if (state.depths == NULL || state.has_depth == NULL) {
        free(state.depths);
        free(state.has_depth);
        return tacho_no_memory();
    }
    state.behind = state.depths + engines;
    state.counts = state.behind + engines;
    state.last_posted = state.counts + engines;
    memset(state.last_posted, 0xff, threads * sizeof(uint32_t));
    for (uint32_t i = 0; i < engines; i++) {
        state.depths[i] = depth_of(program, limits, i);
        state.has_depth[tacho_program_thread_of(program, i)] |= state.depths[i] > 0;
    }
    for (size_t i = 0; i < program->job_count; i++) {
        follow_queue(self, &state, i);
    }
    free(state.depths);
    free(state.has_depth);
    return TACHO_OK;
}

/* ---- shared resources ---------------------------------------------------------------------- */

tacho_sim_shared tacho_sim_plan_kind(const tacho_sim_plan *plan, uint32_t shared)
{
    uint32_t what = shared % plan->shared_each;
    return what < TACHO_SIM_NOC ? (tacho_sim_shared)what : TACHO_SIM_NOC;
}

/*
 * The network that a copy takes. On a mesh readers use the rows, and writers, on the other network,
 * the columns: a copy to several cores passes all of its row or column once, one from somewhere
 * else on the mesh half of it on average.
 */
static uint32_t lane_of(const tacho_sim_plan *self, const tacho_sim_limits *limits,
                        const tacho_job *job, uint64_t *bytes)
{
    const tacho_program_engine *engine = &self->program->engines[job->engine];
    tacho_str class = tacho_strings_get(&self->program->strings, engine->class_name);
    bool is_column = tacho_str_equal(class, TACHO_STR("dma_out"));
    uint32_t width = limits->noc_width; /* a program may use fewer cores of each row */
    uint32_t asked = self->program->facts.grid_width;
    uint32_t used = asked > 0 && asked < width ? asked : width;
    if (self->lanes == 0) {
        *bytes = job->bytes / (job->readers > 0 ? job->readers : 1); /* multicast */
        return TACHO_SIM_NOC;
    }
    uint32_t length = is_column ? limits->noc_height : width;
    uint32_t readers = job->readers < length ? job->readers : length;
    *bytes = job->bytes / (readers > 1 ? readers : 2);
    return TACHO_SIM_NOC + (is_column ? limits->noc_height + engine->core % used
                                      : engine->core / used % limits->noc_height);
}

/* Bytes of shared memory that a job requests: a multicast transfer counts once. */
static uint64_t shared_bytes(const tacho_job *job)
{
    return job->bytes / (job->readers > 0 ? job->readers : 1);
}

/*
 * Bytes of an operator's data, by direction and queue. The pages of each are in the banks in turn,
 * so that data with fewer pages than banks is in some of them only.
 */
typedef struct op_streams {
    uint32_t op;
    uint64_t bytes[TACHO_ENGINE_CLASS_COUNT][2];
} op_streams;

static uint64_t *stream_of(const tacho_program *program, op_streams *of, const tacho_job *job)
{
    tacho_str name = tacho_strings_get(&program->strings, program->engines[job->engine].class_name);
    bool is_out = tacho_str_equal(name, TACHO_STR("dma_out"));
    return &of->bytes[is_out ? TACHO_ENGINE_DMA_OUT : TACHO_ENGINE_DMA_IN]
                     [job->kind == TACHO_JOB_STORE ? 1 : 0];
}

static bool is_of_ddr(const tacho_job *job)
{
    return job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE;
}

/* Sums the streams of the operator that job |id| belongs to, where it is the first of it. */
static void find_streams(const tacho_program *program, size_t id, op_streams *of)
{
    uint32_t op = program->jobs[id].op;
    if (of->op == op) {
        return;
    }
    *of = (op_streams){.op = op};
    for (size_t i = id; i < program->job_count && program->jobs[i].op == op; i++) {
        const tacho_job *job = &program->jobs[i];
        if (is_of_ddr(job)) {
            uint64_t *bytes = stream_of(program, of, job);
            *bytes = tacho_size_add(*bytes, shared_bytes(job));
        }
    }
}

/* The bytes that a job would ask of all banks if it asked as much of each as of its own. */
static uint64_t spread_bytes(const tacho_sim_limits *limits, uint64_t bytes, uint64_t of_stream)
{
    if (limits->ddr_banks == 0 || limits->ddr_page_bytes == 0) {
        return bytes;
    }
    uint64_t pages = tacho_ceil_div(of_stream, limits->ddr_page_bytes);
    uint64_t banks = pages < limits->ddr_banks ? pages : limits->ddr_banks;
    return banks == 0 ? bytes : tacho_size_multiply(bytes, limits->ddr_banks) / banks;
}

static void share_job(tacho_sim_plan *self, const tacho_sim_limits *limits, size_t id,
                      op_streams *streams)
{
    const tacho_program *program = self->program;
    const tacho_job *job = &program->jobs[id];
    tacho_ratio rate = {0, 1};
    uint32_t what = TACHO_SIM_DDR;
    uint64_t bytes = shared_bytes(job);
    find_streams(program, id, streams);
    if (job->kind == TACHO_JOB_P2P) {
        rate = limits->link;
        what = TACHO_SIM_LINK;
    } else if (is_of_ddr(job)) {
        rate = job->kind == TACHO_JOB_LOAD ? limits->ddr_read : limits->ddr_write;
        bytes = spread_bytes(limits, bytes, *stream_of(program, streams, job));
    } else if (job->kind == TACHO_JOB_COPY && program->facts.core_count > 1) {
        rate = limits->noc;
        what = lane_of(self, limits, job, &bytes);
    }
    if (rate.num > 0 && job->bytes > 0 && job->cycles > 0) {
        uint32_t device = program->engines[job->engine].device;
        self->jobs[id].shared = device * self->shared_each + what;
        self->jobs[id].part = tacho_sharing_part(bytes, job->cycles, rate);
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

static tacho_status follow_all(tacho_sim_plan *self, const tacho_sim_limits *limits)
{
    const tacho_program *program = self->program;
    size_t cores = (size_t)program->facts.device_count * program->facts.core_count;
    uint32_t *lasts = malloc((program->engine_count + cores + 1) * sizeof(*lasts));
    if (lasts == NULL) {
        return tacho_no_memory();
    }
    memset(lasts, 0xff, (program->engine_count + cores) * sizeof(*lasts));
    follow_engines(self, lasts, lasts + program->engine_count);
    free(lasts);
    return follow_queues(self, limits);
}

tacho_status tacho_sim_plan_init(tacho_sim_plan *plan, const tacho_program *program,
                                 const tacho_sim_limits *limits, uint32_t activations)
{
    *plan = (tacho_sim_plan){
        .program = program,
        .jobs = malloc((program->job_count + 1) * sizeof(tacho_sim_job)),
        .first_waiter = calloc(program->job_count + 2, sizeof(uint32_t)),
        .waiters = malloc((program->need_count + 1) * sizeof(tacho_sim_waiter)),
    };
    bool is_mesh = limits->noc_width > 0 && limits->noc_height > 0;
    plan->lanes = is_mesh ? limits->noc_width + limits->noc_height : 0;
    plan->shared_each = TACHO_SIM_NOC + (is_mesh ? plan->lanes * activations : 1);
    if (plan->jobs == NULL || plan->first_waiter == NULL || plan->waiters == NULL) {
        return tacho_no_memory();
    }
    static const tacho_sim_job alone = {.shared = TACHO_NONE,
                                        .next_on_engine = TACHO_NONE,
                                        .next_started = TACHO_NONE,
                                        .next_posted = TACHO_NONE,
                                        .next_in_queue = TACHO_NONE};
    for (size_t i = 0; i < program->job_count; i++) {
        plan->jobs[i] = alone;
    }
    TACHO_TRY(find_waiters(plan));
    TACHO_TRY(follow_all(plan, limits));
    op_streams streams = {.op = TACHO_NONE};
    for (size_t i = 0; i < program->job_count; i++) {
        share_job(plan, limits, i, &streams);
    }
    return TACHO_OK;
}

void tacho_sim_plan_deinit(tacho_sim_plan *plan)
{
    free(plan->jobs);
    free(plan->first_waiter);
    free(plan->waiters);
}
