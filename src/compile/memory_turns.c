/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits the jobs of an operator as they start: those that share nothing as soon as all jobs that
 * they wait for have a time, transfers in the order in which they are ready. A job that becomes
 * ready later is never ready before: the order is that of time, and each job is visited once.
 */
#include "compile/memory_turns.h"

#include "base/grow.h"
#include "base/index.h"
#include "machine/cost.h"

#include <stdlib.h>

/* ---- the machine ---------------------------------------------------------------------------- */

/* The part of |rate| that a queue uses at its full speed. */
static tacho_ratio part_of(const tacho_dma *dma, tacho_ratio rate)
{
    tacho_ratio part = {1, 1};
    tacho_ratio queue;
    bool is_slower = dma != NULL &&
                     tacho_ratio_multiply(dma->bytes_per_cycle.value,
                                          tacho_quantity_or(&dma->efficiency, 1), &queue) &&
                     tacho_ratio_compare(queue, rate) < 0 && tacho_ratio_divide(queue, rate, &part);
    return is_slower && part.num > 0 ? part : (tacho_ratio){1, 1};
}

/* Gives both parts one unit; where that overflows, a transfer takes the whole: one at a time. */
static void set_measure(tacho_turn_shared *self, tacho_ratio in, tacho_ratio out)
{
    self->is_limited = true;
    bool is_over = __builtin_mul_overflow((uint64_t)in.den, (uint64_t)out.den, &self->all) ||
                   self->all >> 40 != 0;
    self->of_in = (uint64_t)in.num * (uint64_t)out.den;
    self->of_out = (uint64_t)out.num * (uint64_t)in.den;
    if (is_over) {
        self->all = self->of_in = self->of_out = 1;
    }
}

static tacho_status share_memory(tacho_turn_shared *self, const tacho_machine *machine)
{
    tacho_ratio read;
    tacho_ratio write;
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    TACHO_TRY(tacho_cost_memory_rate(ddr, &read));
    TACHO_TRY(tacho_cost_memory_write_rate(ddr, &write));
    if (read.num > 0 && write.num > 0) {
        set_measure(self, part_of(tacho_machine_dma(machine, TACHO_ENGINE_DMA_IN), read),
                    part_of(tacho_machine_dma(machine, TACHO_ENGINE_DMA_OUT), write));
    }
    return TACHO_OK;
}

static void share_network(tacho_turn_shared *self, const tacho_machine *machine)
{
    tacho_ratio rate = tacho_quantity_or(&machine->noc.link_bytes_per_cycle, 0);
    const tacho_dma *local = tacho_machine_dma(machine, TACHO_ENGINE_DMA_LOCAL);
    const tacho_dma *queue =
        local != NULL ? local : tacho_machine_dma(machine, TACHO_ENGINE_DMA_IN);
    if (rate.num > 0) {
        set_measure(self, part_of(queue, rate), (tacho_ratio){1, 1});
    }
}

tacho_status tacho_memory_turns_init(tacho_memory_turns *turns, const tacho_machine *machine,
                                     const tacho_program *program)
{
    *turns = (tacho_memory_turns){.engine_count = program->engine_count};
    TACHO_TRY(tacho_index_init(&turns->cast_index));
    TACHO_TRY(share_memory(&turns->shared[TACHO_TURN_MEMORY], machine));
    if (program->facts.core_count > 1) {
        share_network(&turns->shared[TACHO_TURN_NETWORK], machine);
    }
    size_t count =
        program->engine_count + (size_t)program->facts.device_count * program->facts.core_count + 1;
    turns->last_job = malloc(count * sizeof(*turns->last_job));
    if (turns->last_job == NULL) {
        return tacho_no_memory();
    }
    memset(turns->last_job, 0xff, count * sizeof(*turns->last_job));
    return TACHO_OK;
}

void tacho_memory_turns_deinit(tacho_memory_turns *turns)
{
    tacho_heap_deinit(&turns->waiting);
    for (size_t i = 0; i < TACHO_TURN_SHARED; i++) {
        tacho_heap_deinit(&turns->shared[i].going);
    }
    tacho_index_deinit(&turns->cast_index);
    free(turns->casts);
    free(turns->loads);
    free(turns->last_job);
    free(turns->jobs);
    free(turns->followers);
    free(turns->stack);
}

/* ---- multicasts ----------------------------------------------------------------------------- */

/* The multicast of |key| and |bytes|; TACHO_NONE: none. */
static uint32_t find_cast(const tacho_memory_turns *turns, const tacho_cast_key *key,
                          uint64_t bytes, uint32_t hash)
{
    size_t at = tacho_index_begin(&turns->cast_index, hash);
    for (;;) {
        uint32_t id = tacho_index_next(&turns->cast_index, hash, &at);
        if (id == TACHO_NONE || (memcmp(&turns->casts[id].key, key, sizeof(*key)) == 0 &&
                                 turns->casts[id].bytes == bytes)) {
            return id;
        }
    }
}

tacho_status tacho_memory_turns_join(tacho_memory_turns *turns, const tacho_program *program,
                                     const tacho_cast_key *key)
{
    uint32_t job = (uint32_t)program->job_count - 1;
    uint64_t bytes = program->jobs[job].bytes;
    uint32_t hash =
        tacho_index_hash(&turns->cast_index, (tacho_str){(const char *)key, sizeof(*key)});
    uint32_t id = find_cast(turns, key, bytes, hash);
    if (id == TACHO_NONE) {
        TACHO_TRY(tacho_grow(&turns->casts, &turns->cast_capacity, turns->cast_count + 1));
        id = (uint32_t)turns->cast_count;
        TACHO_TRY(tacho_index_add(&turns->cast_index, hash, id));
        turns->casts[turns->cast_count++] =
            (tacho_cast){.key = *key, .bytes = bytes, .first = TACHO_NONE};
    }
    TACHO_TRY(tacho_grow(&turns->loads, &turns->load_capacity, turns->load_count + 1));
    turns->loads[turns->load_count++] = (tacho_cast_load){job, id};
    turns->casts[id].count++;
    return TACHO_OK;
}

/* ---- waiting jobs --------------------------------------------------------------------------- */

/* The jobs of an operator. */
typedef struct op_jobs {
    tacho_memory_turns *turns;
    tacho_program *program;
    const tacho_timer *timer;
    uint32_t first, count;
    uint32_t anchor;
} op_jobs;

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static size_t sequencer_of(const op_jobs *self, const tacho_program_engine *engine)
{
    return self->turns->engine_count + (size_t)engine->device * self->timer->core_count +
           engine->core;
}

/* |number| waits for the job before it at |place|: one of this operator, else until |is_free|. */
static void follow(op_jobs *self, uint32_t number, size_t place, size_t order, int64_t is_free)
{
    tacho_turn_job *job = &self->turns->jobs[number];
    uint32_t before = self->turns->last_job[place];
    self->turns->last_job[place] = number;
    if (before == TACHO_NONE) {
        job->ready = later(job->ready, is_free);
    } else {
        self->turns->jobs[before].next[order] = number;
        job->waits++;
    }
}

static void count_needs(op_jobs *self, uint32_t number)
{
    const tacho_program *program = self->program;
    const tacho_job *job = &program->jobs[self->first + number];
    tacho_turn_job *of = &self->turns->jobs[number];
    for (uint32_t i = 0; i < job->need_count; i++) {
        const tacho_need *need = &program->needs[job->first_need + i];
        if (need->job >= self->first) {
            self->turns->jobs[need->job - self->first].first_follower++;
            of->waits++;
        } else {
            of->ready = later(of->ready, tacho_cycles_add(program->jobs[need->job].end, need->lag));
        }
    }
    const tacho_program_engine *engine = &program->engines[job->engine];
    follow(self, number, job->engine, TACHO_TURN_ENGINE, self->timer->engine_free[job->engine]);
    if (engine->is_sequenced != 0) {
        size_t place = sequencer_of(self, engine);
        follow(self, number, place, TACHO_TURN_SEQUENCER,
               self->timer->sequencer_free[place - self->turns->engine_count]);
    }
}

/* Followers of each job in a row: |first_follower| is where its own begin. */
static void list_followers(op_jobs *self)
{
    tacho_memory_turns *turns = self->turns;
    uint32_t end = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        end += turns->jobs[i].first_follower;
        turns->jobs[i].first_follower = end;
    }
    turns->jobs[self->count].first_follower = end;
    for (uint32_t i = 0; i < self->count; i++) {
        const tacho_job *job = &self->program->jobs[self->first + i];
        for (uint32_t k = 0; k < job->need_count; k++) {
            const tacho_need *need = &self->program->needs[job->first_need + k];
            if (need->job >= self->first) {
                uint32_t place = --turns->jobs[need->job - self->first].first_follower;
                turns->followers[place] = (tacho_turn_follower){i, need->lag};
            }
        }
    }
}

/* Each multicast with its loads, the first of them first. */
static void list_loads(op_jobs *self)
{
    tacho_memory_turns *turns = self->turns;
    for (size_t i = turns->load_count; i > 0; i--) {
        tacho_cast *cast = &turns->casts[turns->loads[i - 1].cast];
        uint32_t number = turns->loads[i - 1].job - self->first;
        turns->jobs[number].cast = turns->loads[i - 1].cast;
        turns->jobs[number].next_load = cast->first;
        cast->first = number;
    }
}

/* How many cores each multicast turned out to go to; the next operator has others. */
static void count_readers(op_jobs *self)
{
    tacho_memory_turns *turns = self->turns;
    for (size_t i = 0; i < turns->load_count; i++) {
        uint32_t id = turns->loads[i].job;
        uint32_t cast = turns->jobs[id - self->first].cast;
        uint32_t count = cast != TACHO_NONE ? turns->casts[cast].count : 1;
        self->program->jobs[id].readers = count > 1 ? (uint16_t)tacho_least(count, UINT16_MAX) : 0;
    }
    turns->load_count = turns->cast_count = 0;
    tacho_index_forget(&turns->cast_index, 0);
}

static tacho_status find_followers(op_jobs *self)
{
    tacho_memory_turns *turns = self->turns;
    const tacho_program *program = self->program;
    TACHO_TRY(tacho_grow(&turns->jobs, &turns->job_capacity, self->count + 1));
    TACHO_TRY(tacho_grow(&turns->stack, &turns->stack_capacity, self->count + 1));
    size_t needs = program->need_count - program->jobs[self->first].first_need;
    TACHO_TRY(tacho_grow(&turns->followers, &turns->follower_capacity, needs + 1));
    for (uint32_t i = 0; i <= self->count; i++) {
        turns->jobs[i] = (tacho_turn_job){
            .next = {TACHO_NONE, TACHO_NONE}, .cast = TACHO_NONE, .next_load = TACHO_NONE};
    }
    list_loads(self);
    for (uint32_t i = 0; i < self->count; i++) {
        count_needs(self, i);
    }
    list_followers(self);
    for (uint32_t i = 0; i < self->count; i++) {
        const tacho_program_engine *engine =
            &program->engines[program->jobs[self->first + i].engine];
        turns->last_job[program->jobs[self->first + i].engine] = TACHO_NONE;
        turns->last_job[sequencer_of(self, engine)] = TACHO_NONE;
    }
    return TACHO_OK;
}

/* ---- starts --------------------------------------------------------------------------------- */

/* The resource that |job| shares with others; NULL: none that has a rate. */
static tacho_turn_shared *shared_by(tacho_memory_turns *turns, const tacho_job *job)
{
    bool is_copy = job->kind == TACHO_JOB_COPY;
    bool is_transfer = is_copy || job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE;
    tacho_turn_shared *shared = &turns->shared[is_copy ? TACHO_TURN_NETWORK : TACHO_TURN_MEMORY];
    return job->bytes > 0 && is_transfer && shared->is_limited ? shared : NULL;
}

static void start_job(op_jobs *self, uint32_t number, int64_t start)
{
    tacho_memory_turns *turns = self->turns;
    turns->jobs[number].start = start;
    turns->stack[turns->stack_count++] = number;
    turns->started++;
}

/* Marks a load of a multicast as ready: with the last one the multicast joins the waiting ones. */
static tacho_status arrive_at_cast(op_jobs *self, uint32_t number)
{
    tacho_memory_turns *turns = self->turns;
    tacho_cast *cast = &turns->casts[turns->jobs[number].cast];
    cast->ready = later(cast->ready, turns->jobs[number].ready);
    return ++cast->ready_count == cast->count
               ? tacho_heap_add(&turns->waiting,
                                (tacho_moment){.at = (tacho_u128)cast->ready, .key = cast->first})
               : TACHO_OK;
}

/* All that |number| waits for has a time. */
static tacho_status arrive(op_jobs *self, uint32_t number)
{
    tacho_memory_turns *turns = self->turns;
    const tacho_turn_job *job = &turns->jobs[number];
    if (job->cast != TACHO_NONE) {
        return arrive_at_cast(self, number);
    }
    if (shared_by(turns, &self->program->jobs[self->first + number]) != NULL) {
        tacho_moment moment = {.at = (tacho_u128)job->ready, .key = number};
        return tacho_heap_add(&turns->waiting, moment);
    }
    start_job(self, number, job->ready);
    return TACHO_OK;
}

/* Tells |number| that something it waits for is over at |time|. */
static tacho_status tell(op_jobs *self, uint32_t number, int64_t time)
{
    tacho_turn_job *job = &self->turns->jobs[number];
    job->ready = later(job->ready, time);
    return --job->waits == 0 ? arrive(self, number) : TACHO_OK;
}

static int64_t end_of(const op_jobs *self, uint32_t number)
{
    return tacho_cycles_add(self->turns->jobs[number].start,
                            self->program->jobs[self->first + number].cycles);
}

/* Tells all that wait for those that have their start. */
static tacho_status tell_followers(op_jobs *self)
{
    tacho_memory_turns *turns = self->turns;
    while (turns->stack_count > 0) {
        uint32_t number = turns->stack[--turns->stack_count];
        const tacho_turn_job *job = &turns->jobs[number];
        int64_t end = end_of(self, number);
        for (uint32_t i = job->first_follower; i < job[1].first_follower; i++) {
            const tacho_turn_follower *follower = &turns->followers[i];
            TACHO_TRY(tell(self, follower->job, tacho_cycles_add(end, follower->lag)));
        }
        uint32_t engine = self->program->jobs[self->first + number].engine;
        int64_t issued = tacho_cycles_add(job->start, self->program->engines[engine].issue_cycles);
        const int64_t times[] = {end, issued};
        for (size_t i = 0; i < TACHO_TURN_ORDERS; i++) {
            if (job->next[i] != TACHO_NONE) {
                TACHO_TRY(tell(self, job->next[i], times[i]));
            }
        }
    }
    return TACHO_OK;
}

/* Makes room for |taken| of the resource, from |ready| on; returns when it is free. */
static int64_t make_room(tacho_turn_shared *shared, uint64_t taken, int64_t ready)
{
    int64_t now = later(shared->now, ready);
    while (shared->going.item_count > 0 &&
           (shared->going.items[0].at <= (tacho_u128)now || shared->used > shared->all - taken)) {
        tacho_moment ended = tacho_heap_take(&shared->going);
        shared->used -= ended.value;
        now = later(now, (int64_t)ended.at);
    }
    shared->used += taken;
    shared->now = now;
    return now;
}

/* Starts the first waiting transfer when enough of its resource is free. */
static tacho_status start_transfer(op_jobs *self)
{
    tacho_memory_turns *turns = self->turns;
    tacho_moment next = tacho_heap_take(&turns->waiting);
    uint32_t number = (uint32_t)next.key;
    const tacho_job *job = &self->program->jobs[self->first + number];
    tacho_turn_shared *shared = shared_by(turns, job);
    uint64_t taken = shared == NULL                 ? 0
                     : job->kind == TACHO_JOB_STORE ? shared->of_out
                                                    : shared->of_in;
    int64_t start = (int64_t)next.at;
    start = shared != NULL ? make_room(shared, taken, start) : start;
    for (uint32_t i = number; i != TACHO_NONE; i = turns->jobs[i].next_load) {
        start_job(self, i, start);
    }
    tacho_moment end = {.at = (tacho_u128)end_of(self, number), .key = number, .value = taken};
    return shared != NULL ? tacho_heap_add(&shared->going, end) : TACHO_OK;
}

static tacho_status start_all(op_jobs *self)
{
    TACHO_TRY(tell_followers(self));
    while (self->turns->waiting.item_count > 0) {
        TACHO_TRY(start_transfer(self));
        TACHO_TRY(tell_followers(self));
    }
    return TACHO_OK;
}

/* Loads that are not ready leave the multicast, and the others stop waiting for them. */
static tacho_status part_cast(op_jobs *self, tacho_cast *cast)
{
    tacho_turn_job *jobs = self->turns->jobs;
    uint32_t *link = &cast->first;
    while (*link != TACHO_NONE) {
        tacho_turn_job *job = &jobs[*link];
        if (job->waits == 0) {
            link = &job->next_load;
        } else {
            *link = job->next_load;
            job->cast = job->next_load = TACHO_NONE;
        }
    }
    cast->count = cast->ready_count;
    return cast->count == 0
               ? TACHO_OK
               : tacho_heap_add(&self->turns->waiting,
                                (tacho_moment){.at = (tacho_u128)cast->ready, .key = cast->first});
}

/*
 * Cores that load the same in another order would wait for each other for ever: multicasts that
 * have not begun then go to those that are ready.
 */
static tacho_status part_casts(op_jobs *self)
{
    tacho_memory_turns *turns = self->turns;
    for (size_t i = 0; i < turns->cast_count; i++) {
        if (turns->casts[i].ready_count < turns->casts[i].count) {
            TACHO_TRY(part_cast(self, &turns->casts[i]));
        }
    }
    return TACHO_OK;
}

static tacho_status find_starts(op_jobs *self)
{
    tacho_memory_turns *turns = self->turns;
    turns->started = 0;
    turns->waiting.item_count = turns->stack_count = 0;
    for (size_t i = 0; i < TACHO_TURN_SHARED; i++) {
        turns->shared[i].used = 0;
        turns->shared[i].now = 0;
        turns->shared[i].going.item_count = 0;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        if (turns->jobs[i].waits == 0) {
            TACHO_TRY(arrive(self, i));
        }
    }
    TACHO_TRY(start_all(self));
    if (turns->started == self->count) {
        return TACHO_OK;
    }
    TACHO_TRY(part_casts(self));
    return start_all(self);
}

/* ---- needs ---------------------------------------------------------------------------------- */

/* Jobs that wait for their turn get one more need: the needs of all later jobs move up. */
static tacho_status add_needs(op_jobs *self)
{
    tacho_program *program = self->program;
    const tacho_turn_job *jobs = self->turns->jobs;
    uint32_t more = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        more += jobs[i].start > jobs[i].ready ? 1 : 0;
    }
    size_t all = program->need_count + more;
    if (all >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "the program has more than 2^32 jobs or needs");
    }
    TACHO_TRY(tacho_grow(&program->needs, &program->need_capacity, all + 1));
    program->need_count = all;
    int64_t begin = self->anchor >= self->first ? end_of(self, self->anchor - self->first)
                                                : program->jobs[self->anchor].end;
    for (uint32_t i = self->count; more > 0; i--) {
        tacho_job *job = &program->jobs[self->first + i - 1];
        const tacho_turn_job *of = &jobs[i - 1];
        bool waits = of->start > of->ready;
        more -= waits ? 1 : 0;
        tacho_need *to = program->needs + job->first_need + more;
        memmove(to, program->needs + job->first_need, job->need_count * sizeof(*to));
        job->first_need += more;
        if (waits) {
            to[job->need_count++] = (tacho_need){self->anchor, 1, of->start - begin};
        }
    }
    return TACHO_OK;
}

tacho_status tacho_memory_turns_take(tacho_memory_turns *turns, tacho_program *program,
                                     const tacho_timer *timer, uint32_t first, uint32_t anchor)
{
    op_jobs self = {.turns = turns,
                    .program = program,
                    .timer = timer,
                    .first = first,
                    .count = (uint32_t)(program->job_count - first),
                    .anchor = anchor};
    bool is_limited =
        turns->shared[TACHO_TURN_MEMORY].is_limited || turns->shared[TACHO_TURN_NETWORK].is_limited;
    if ((!is_limited && turns->load_count == 0) || self.count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(find_followers(&self));
    TACHO_TRY(find_starts(&self));
    TACHO_TRY(add_needs(&self));
    count_readers(&self);
    return TACHO_OK;
}
