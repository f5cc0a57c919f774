/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulation: one pass over moments, the earliest first. A job that shares nothing has its end
 * as soon as its start is known, so only starts and ends of transfers that share are moments.
 */
#include "device/sim/simulate.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/index.h"
#include "device/sim/plan.h"
#include "device/sim/share.h"
#include "program/stats_layout.h"

static const int64_t TIME_MAX = (int64_t)1 << TACHO_SHARE_TIME_BITS;

/* A job of an activation while it waits. */
typedef struct waiting {
    int64_t ready;    /* all that it waits for is done, except the queue ... */
    int64_t expected; /* ... and was expected to */
    int64_t posted;
    uint32_t waits;
    uint32_t cause; /* job that it waited for last, or TACHO_NONE */
    uint8_t post_waits;
    bool is_by_start; /* it waited for that job's start, not for its end */
} waiting;

typedef struct simulator {
    const tacho_program *program;
    tacho_sim_plan plan;
    tacho_simulation *out;
    waiting *waiting; /* by activation, then job, as everything called |at| */
    tacho_heap moments;
    tacho_sharing *shared;
    size_t shared_count;
    size_t *ready; /* jobs that nothing holds up: a stack */
    size_t ready_count;
    size_t done_count;
    bool is_over; /* a time is too large */
} simulator;

static size_t job_at(const simulator *self, size_t at)
{
    return at % self->program->job_count;
}

/* The same activation's job |job|. */
static size_t beside(const simulator *self, size_t at, uint32_t job)
{
    return at - job_at(self, at) + job;
}

/* The resource that the job shares with others. */
static uint32_t shared_at(const simulator *self, size_t at)
{
    const tacho_sim_plan *plan = &self->plan;
    uint32_t shared = plan->jobs[job_at(self, at)].shared;
    bool is_own = plan->lanes > 0 && tacho_sim_plan_kind(plan, shared) == TACHO_SIM_NOC;
    return shared + (is_own ? (uint32_t)(at / self->program->job_count) * plan->lanes : 0);
}

static int64_t add_time(simulator *self, int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum) || sum >= TIME_MAX) {
        self->is_over = true;
        sum = TIME_MAX;
    }
    return sum;
}

/* ---- stalls -------------------------------------------------------------------------------- */

/* Stalls of a job's end. */
static void simulation_end_stalls(const tacho_simulation *simulation, const tacho_program *program,
                                  size_t at, int64_t out_stalls[TACHO_STALL_COUNT])
{
    size_t job = at % simulation->job_count;
    memcpy(out_stalls, simulation->stalls[at], sizeof(simulation->stalls[at]));
    out_stalls[simulation->causes[job]] +=
        simulation->ends[at] - simulation->starts[at] - program->jobs[job].cycles;
}

/* The delay of its cause, less the waiting in the estimate, plus the delay of its post. */
static void take_stalls(simulator *self, size_t at)
{
    const waiting *job = &self->waiting[at];
    tacho_simulation *out = self->out;
    int64_t *stalls = out->stalls[at];
    int64_t expected = 0;
    if (job->cause != TACHO_NONE) {
        size_t cause = beside(self, at, job->cause);
        if (job->is_by_start) {
            memcpy(stalls, out->stalls[cause], sizeof(out->stalls[cause]));
        } else {
            simulation_end_stalls(out, self->program, cause, stalls);
        }
        expected = job->expected;
    }
    stalls[TACHO_STALL_SLACK] += expected - self->program->jobs[job_at(self, at)].start;
    stalls[TACHO_STALL_QUEUE] += out->starts[at] - job->ready;
}

/* ---- from job to job ----------------------------------------------------------------------- */

static void count_down(simulator *self, size_t at)
{
    if (--self->waiting[at].waits == 0) {
        self->ready[self->ready_count++] = at;
    }
}

/* |at| no longer waits for |cause|, from |time| on, which was expected to be |expected|. */
static void release(simulator *self, size_t at, int64_t time, int64_t expected, uint32_t cause,
                    bool is_by_start)
{
    waiting *job = &self->waiting[at];
    if (job->cause == TACHO_NONE || time > job->ready) {
        job->ready = time;
        job->expected = expected;
        job->cause = cause;
        job->is_by_start = is_by_start;
    }
    count_down(self, at);
}

/* One thing fewer that keeps |at| from being posted; those after it may follow. */
static void post(simulator *self, size_t at, int64_t time)
{
    for (;;) {
        waiting *job = &self->waiting[at];
        job->posted = tacho_most(job->posted, time);
        if (job->post_waits > 0 && --job->post_waits > 0) {
            return;
        }
        time = job->posted;
        count_down(self, at);
        uint32_t next = self->plan.jobs[job_at(self, at)].next_posted;
        if (next == TACHO_NONE) {
            return;
        }
        at = beside(self, at, next);
    }
}

static void set_start(simulator *self, size_t at, int64_t start)
{
    const tacho_sim_job *job = &self->plan.jobs[job_at(self, at)];
    self->out->starts[at] = start;
    take_stalls(self, at);
    if (job->next_started != TACHO_NONE) {
        const tacho_job *of = &self->program->jobs[job_at(self, at)];
        int64_t issue = self->program->engines[of->engine].issue_cycles;
        release(self, beside(self, at, job->next_started), add_time(self, start, issue),
                of->start + issue, (uint32_t)job_at(self, at), true);
    }
}

static void set_end(simulator *self, size_t at, int64_t end)
{
    uint32_t id = (uint32_t)job_at(self, at);
    const tacho_sim_plan *plan = &self->plan;
    const tacho_sim_job *job = &plan->jobs[id];
    int64_t expected = self->program->jobs[id].end;
    self->out->ends[at] = end;
    self->out->cycles = tacho_most(self->out->cycles, end);
    self->done_count++;
    for (uint32_t i = plan->first_waiter[id]; i < plan->first_waiter[id + 1]; i++) {
        const tacho_sim_waiter *waiter = &plan->waiters[i];
        release(self, beside(self, at, waiter->job), add_time(self, end, waiter->lag),
                expected + waiter->lag, id, false);
    }
    if (job->next_on_engine != TACHO_NONE) {
        release(self, beside(self, at, job->next_on_engine), end, expected, id, false);
    }
    if (job->next_in_queue != TACHO_NONE) {
        post(self, beside(self, at, job->next_in_queue), end);
    }
}

/* Starts what may start; transfers that share are moments, all else is done at once. */
static tacho_status run_ready(simulator *self)
{
    while (self->ready_count > 0) {
        size_t at = self->ready[--self->ready_count];
        size_t id = job_at(self, at);
        int64_t start = tacho_most(self->waiting[at].ready, self->waiting[at].posted);
        if (self->plan.jobs[id].shared != TACHO_NONE) {
            uint64_t key = self->shared_count + at;
            TACHO_TRY(tacho_heap_add(&self->moments, (tacho_moment){(uint64_t)start, key, 0}));
            continue;
        }
        set_start(self, at, start);
        set_end(self, at, add_time(self, start, self->program->jobs[id].cycles));
    }
    return TACHO_OK;
}

/* ---- moments ------------------------------------------------------------------------------- */

static tacho_status expect_end(simulator *self, size_t shared)
{
    int64_t time;
    const tacho_sharing *sharing = &self->shared[shared];
    if (!tacho_sharing_next(sharing, &time)) {
        return TACHO_OK;
    }
    self->is_over |= time >= TIME_MAX;
    return tacho_heap_add(&self->moments,
                          (tacho_moment){(uint64_t)time, shared, sharing->generation});
}

static tacho_status start_transfer(simulator *self, size_t at, int64_t now)
{
    const tacho_sim_job *job = &self->plan.jobs[job_at(self, at)];
    uint32_t shared = shared_at(self, at);
    tacho_sharing *sharing = &self->shared[shared];
    set_start(self, at, now);
    tacho_sharing_advance(sharing, now);
    TACHO_TRY(
        tacho_sharing_add(sharing, at, self->program->jobs[job_at(self, at)].cycles, job->part));
    return expect_end(self, shared);
}

static tacho_status end_transfers(simulator *self, size_t shared, int64_t now)
{
    uint64_t at;
    tacho_sharing_advance(&self->shared[shared], now);
    while (tacho_sharing_take(&self->shared[shared], &at)) {
        set_end(self, (size_t)at, now);
    }
    return expect_end(self, shared);
}

static tacho_status run_moments(simulator *self)
{
    TACHO_TRY(run_ready(self));
    while (self->moments.item_count > 0 && !self->is_over) {
        tacho_moment moment = tacho_heap_take(&self->moments);
        int64_t now = (int64_t)moment.at;
        self->out->event_count++;
        if (moment.key >= self->shared_count) {
            TACHO_TRY(start_transfer(self, (size_t)(moment.key - self->shared_count), now));
        } else if (moment.value == self->shared[moment.key].generation) {
            TACHO_TRY(end_transfers(self, (size_t)moment.key, now));
        }
        TACHO_TRY(run_ready(self));
    }
    if (self->is_over || self->done_count < self->out->activations * self->out->job_count) {
        return tacho_fail(TACHO_CODE_LIMIT, "the simulated cycles do not fit %d bits",
                          TACHO_SHARE_TIME_BITS);
    }
    return TACHO_OK;
}

/* ---- ops ----------------------------------------------------------------------------------- */

/* First and last job of an op. */
typedef struct op_ends {
    size_t first, last; /* SIZE_MAX: it has no jobs */
} op_ends;

/*
 * Stalls between the op's first start and its last end. Where these two waited for different
 * things, the difference of their stalls can be negative for a cause: the estimate had slack for
 * that much. Unexplained cycles beyond that slack are added to the largest cause.
 */
static void sum_op(simulator *self, const op_ends *ends, int64_t estimated, tacho_sim_op *op)
{
    tacho_simulation *out = self->out;
    op->start = out->starts[ends->first];
    op->end = out->ends[ends->last];
    simulation_end_stalls(out, self->program, ends->last, op->stalls);
    int64_t rest = op->end - op->start - estimated;
    size_t largest = TACHO_STALL_DDR;
    for (size_t i = 0; i < TACHO_STALL_SLACK; i++) {
        int64_t own = op->stalls[i] - out->stalls[ends->first][i];
        op->stalls[i] = own > 0 ? own : 0;
        largest = op->stalls[i] > op->stalls[largest] ? i : largest;
        rest -= op->stalls[i];
    }
    op->stalls[TACHO_STALL_SLACK] = rest < 0 ? rest : 0;
    op->stalls[largest] += rest > 0 ? rest : 0;
}

static tacho_status sum_ops(simulator *self)
{
    tacho_simulation *out = self->out;
    op_ends *ends = malloc((out->op_count + 1) * sizeof(*ends));
    if (ends == NULL) {
        return tacho_no_memory();
    }
    for (size_t activation = 0; activation < out->activations; activation++) {
        memset(ends, 0xff, out->op_count * sizeof(*ends));
        for (size_t i = 0; i < out->job_count; i++) {
            size_t at = activation * out->job_count + i;
            if (self->program->jobs[i].op == TACHO_NONE) {
                continue;
            }
            op_ends *op = &ends[self->program->jobs[i].op];
            if (op->first == SIZE_MAX || out->starts[at] < out->starts[op->first]) {
                op->first = at;
            }
            if (op->last == SIZE_MAX || out->ends[at] > out->ends[op->last]) {
                op->last = at;
            }
        }
        for (size_t i = 0; i < out->op_count; i++) {
            if (ends[i].first != SIZE_MAX) {
                sum_op(self, &ends[i], self->program->ops[i].cycles,
                       &out->ops[activation * out->op_count + i]);
            }
        }
    }
    free(ends);
    return TACHO_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void set_causes(simulator *self)
{
    static const uint8_t causes[] = {
        [TACHO_SIM_DDR] = TACHO_STALL_DDR,
        [TACHO_SIM_NOC] = TACHO_STALL_NOC,
        [TACHO_SIM_LINK] = TACHO_STALL_LINK,
    };
    for (size_t i = 0; i < self->program->job_count; i++) {
        uint32_t shared = self->plan.jobs[i].shared;
        self->out->causes[i] = shared == TACHO_NONE
                                   ? TACHO_STALL_SLACK
                                   : causes[tacho_sim_plan_kind(&self->plan, shared)];
    }
}

static tacho_status allocate(simulator *self)
{
    tacho_simulation *out = self->out;
    size_t count = out->activations * out->job_count;
    out->starts = tacho_items_alloc(count, sizeof(*out->starts));
    out->ends = tacho_items_alloc(count, sizeof(*out->ends));
    out->stalls = tacho_items_alloc(count, sizeof(*out->stalls));
    out->ops = tacho_items_alloc(out->activations * out->op_count, sizeof(*out->ops));
    out->causes = tacho_items_alloc(out->job_count, sizeof(*out->causes));
    self->waiting = tacho_items_alloc(count, sizeof(*self->waiting));
    self->ready = tacho_items_alloc(count, sizeof(*self->ready));
    bool is_good = out->starts != NULL && out->ends != NULL && out->stalls != NULL &&
                   out->ops != NULL && out->causes != NULL && self->waiting != NULL &&
                   self->ready != NULL;
    return is_good ? TACHO_OK : tacho_no_memory();
}

static void set_waiting(simulator *self)
{
    size_t count = self->out->activations * self->out->job_count;
    for (size_t at = 0; at < count; at++) {
        const tacho_sim_job *job = &self->plan.jobs[job_at(self, at)];
        self->waiting[at] =
            (waiting){.waits = job->waits, .post_waits = job->post_waits, .cause = TACHO_NONE};
    }
    for (size_t at = count; at-- > 0;) { /* the stack gives the first first */
        const tacho_sim_job *job = &self->plan.jobs[job_at(self, at)];
        if (job->waits == 0) {
            self->ready[self->ready_count++] = at;
        }
    }
    for (size_t at = 0; at < count; at++) {
        const tacho_sim_job *job = &self->plan.jobs[job_at(self, at)];
        if (job->is_posted && job->post_waits == 0) {
            post(self, at, 0);
        }
    }
}

static tacho_status run(simulator *self, const tacho_sim_limits *limits)
{
    tacho_simulation *out = self->out;
    uint64_t users = (uint64_t)out->activations * self->program->engine_count;
    uint64_t count;
    if (users > TACHO_SHARE_USERS_MAX ||
        __builtin_mul_overflow(out->job_count, (uint64_t)out->activations, &count) ||
        count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "%u activations of %zu jobs are more than can be simulated",
                          out->activations, out->job_count);
    }
    TACHO_TRY(tacho_stats_check_threads(self->program));
    TACHO_TRY(allocate(self));
    TACHO_TRY(tacho_sim_plan_init(&self->plan, self->program, limits, out->activations));
    self->shared_count = (size_t)self->program->facts.device_count * self->plan.shared_each;
    TACHO_TRY(tacho_items_make(&self->shared, self->shared_count));
    set_causes(self);
    set_waiting(self);
    TACHO_TRY(run_moments(self));
    return sum_ops(self);
}

tacho_status tacho_simulate(tacho_simulation *simulation, const tacho_program *program,
                            const tacho_sim_limits *limits, uint32_t activations)
{
    *simulation = (tacho_simulation){
        .activations = activations, .job_count = program->job_count, .op_count = program->op_count};
    simulator self = {.program = program, .out = simulation};
    tacho_status status = run(&self, limits);
    for (size_t i = 0; self.shared != NULL && i < self.shared_count; i++) {
        tacho_heap_deinit(&self.shared[i].users);
    }
    free(self.shared);
    free(self.waiting);
    free(self.ready);
    tacho_heap_deinit(&self.moments);
    tacho_sim_plan_deinit(&self.plan);
    return status;
}

void tacho_simulation_deinit(tacho_simulation *simulation)
{
    free(simulation->starts);
    free(simulation->ends);
    free(simulation->stalls);
    free(simulation->ops);
    free(simulation->causes);
}
