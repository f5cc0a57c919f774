/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, op records and stalls of an inference, and the places of all records.
 */
#include "device/recorder_parts.h"

#include <stdlib.h>

/* Cycles of the issuing thread for a transfer, where its engine defines none. */
enum { ISSUE_CYCLES = 16 };

int64_t tacho_recorder_issue(const tacho_recorder *recorder, uint32_t engine, int64_t cycles)
{
    int64_t issue = recorder->program->engines[engine].issue_cycles;
    issue = issue > 0 ? issue : ISSUE_CYCLES;
    return cycles < issue ? cycles : issue;
}

/* ---- memory -------------------------------------------------------------------------------- */

tacho_status tacho_recorder_alloc(tacho_recorder *recorder, size_t count, size_t size,
                                  void *out_items)
{
    void *memory;
    TACHO_TRY(tacho_arena_alloc(&recorder->arena, count * size + 1, &memory));
    memset(memory, 0, count * size);
    memcpy(out_items, &memory, sizeof(memory));
    return TACHO_OK;
}

static bool has_op_pmus(const tacho_program *program)
{
    return program->facts.stats.level >= TACHO_STATS_LEVEL_OP_PMU &&
           program->facts.stats.pmu_event_count > 0;
}

static tacho_status allocate_bank(tacho_recorder *self, tacho_bank *bank, uint32_t device)
{
    const tacho_program_facts *facts = &self->program->facts;
    size_t threads = (size_t)facts->core_count * facts->thread_count;
    TACHO_RECORDER_ALLOC(self, threads, &bank->threads);
    if (facts->stats.pmu_event_count > 0) {
        TACHO_RECORDER_ALLOC(self, threads, &bank->pmus);
        TACHO_RECORDER_ALLOC(self, facts->core_count, &bank->core_pmus);
    }
    if (facts->stats.counts_ddr != 0) {
        TACHO_RECORDER_ALLOC(self, facts->core_count, &bank->ddrs);
    }
    TACHO_RECORDER_ALLOC(self, self->device_ports[device], &bank->ports);
    TACHO_RECORDER_ALLOC(self, self->device_doorbells[device], &bank->doorbells);
    size_t ops = self->first_device_op[device + 1] - self->first_device_op[device];
    TACHO_RECORDER_ALLOC(self, ops, &bank->stalls);
    TACHO_RECORDER_ALLOC(self, 2 * self->program->engine_count + TACHO_STATS_TYPE_COUNT,
                         &bank->arrays);
    return TACHO_OK;
}

static tacho_status allocate_ops(tacho_recorder *self)
{
    const tacho_program *program = self->program;
    size_t engines = program->engine_count;
    TACHO_RECORDER_ALLOC(self, engines * self->options.activations, &self->ops);
    TACHO_RECORDER_ALLOC(self, engines * self->options.activations, &self->op_pmus);
    for (size_t i = 0; i < engines * self->options.activations; i++) {
        uint32_t count = self->layout.engine_jobs[i % engines];
        TACHO_RECORDER_ALLOC(self, count, &self->ops[i]);
        if (has_op_pmus(program)) {
            TACHO_RECORDER_ALLOC(self, count, &self->op_pmus[i]);
        }
    }
    return TACHO_OK;
}

/* ---- ops and records by device ------------------------------------------------------------- */

static tacho_status find_device_ops(tacho_recorder *self)
{
    const tacho_program *program = self->program;
    size_t devices = program->facts.device_count;
    TACHO_TRY(tacho_op_ios_init(&self->ios, program));
    TACHO_RECORDER_ALLOC(self, program->op_count, &self->device_ops);
    TACHO_RECORDER_ALLOC(self, devices + 2, &self->first_device_op);
    for (size_t i = 0; i < program->op_count; i++) {
        if (self->ios.items[i].device != TACHO_NONE) {
            self->first_device_op[self->ios.items[i].device + 2]++;
        }
    }
    for (size_t i = 0; i < devices; i++) {
        self->first_device_op[i + 2] += self->first_device_op[i + 1];
    }
    for (size_t i = 0; i < program->op_count; i++) {
        if (self->ios.items[i].device != TACHO_NONE) {
            self->device_ops[self->first_device_op[self->ios.items[i].device + 1]++] = (uint32_t)i;
        }
    }
    return TACHO_OK;
}

/* ---- arrays -------------------------------------------------------------------------------- */

static void add_array(tacho_bank *bank, tacho_stats_type type, uint32_t stream, size_t count,
                      const void *records)
{
    if (count > 0) {
        bank->arrays[bank->array_count++] =
            (tacho_stats_array){type, stream, (uint32_t)count, records};
    }
}

static void list_engines(tacho_recorder *self, tacho_bank *bank, uint32_t activation,
                         uint32_t device)
{
    const tacho_program *program = self->program;
    size_t first = (size_t)activation * program->engine_count;
    for (uint32_t i = 0; i < program->engine_count; i++) {
        if (program->engines[i].device == device) {
            add_array(bank, TACHO_STATS_TYPE_op, i, self->layout.engine_jobs[i],
                      self->ops[first + i]);
        }
    }
    for (uint32_t i = 0; has_op_pmus(program) && i < program->engine_count; i++) {
        if (program->engines[i].device == device) {
            add_array(bank, TACHO_STATS_TYPE_op_pmu, i, self->layout.engine_jobs[i],
                      self->op_pmus[first + i]);
        }
    }
}

static void list_bank(tacho_recorder *self, tacho_bank *bank, uint32_t activation, uint32_t device)
{
    const tacho_program_facts *facts = &self->program->facts;
    size_t threads = (size_t)facts->core_count * facts->thread_count;
    add_array(bank, TACHO_STATS_TYPE_clock, 0, TACHO_BANK_CLOCKS, bank->clocks);
    add_array(bank, TACHO_STATS_TYPE_thread, 0, threads, bank->threads);
    add_array(bank, TACHO_STATS_TYPE_pmu, 0, bank->pmus != NULL ? threads : 0, bank->pmus);
    add_array(bank, TACHO_STATS_TYPE_core_pmu, 0, bank->pmus != NULL ? facts->core_count : 0,
              bank->core_pmus);
    add_array(bank, TACHO_STATS_TYPE_ddr, 0, bank->ddrs != NULL ? facts->core_count : 0,
              bank->ddrs);
    add_array(bank, TACHO_STATS_TYPE_port, 0, self->device_ports[device], bank->ports);
    add_array(bank, TACHO_STATS_TYPE_doorbell, 0, self->device_doorbells[device], bank->doorbells);
    list_engines(self, bank, activation, device);
    if (facts->stats.level >= TACHO_STATS_LEVEL_OPS) {
        add_array(bank, TACHO_STATS_TYPE_stall, 0,
                  self->first_device_op[device + 1] - self->first_device_op[device], bank->stalls);
    }
    bank->drop_count = tacho_stats_account(bank->arrays, bank->array_count, bank->drops);
    add_array(bank, TACHO_STATS_TYPE_drop, 0, bank->drop_count, bank->drops);
}

static tacho_stats_head make_head(const tacho_recorder *self, uint32_t activation, uint32_t device)
{
    const tacho_program_facts *facts = &self->program->facts;
    uint32_t features = self->options.features;
    features |= facts->stats.counts_ddr != 0 ? TACHO_STATS_HAS_DDR : 0;
    features |= facts->stats.pmu_event_count > 0 ? TACHO_STATS_HAS_PMU : 0;
    features |= has_op_pmus(self->program) ? TACHO_STATS_HAS_OP_PMU : 0;
    tacho_stats_head head = tacho_stats_head_of(&self->layout, device, features);
    head.activation = activation;
    head.timer_hz = self->options.timer_hz;
    head.core_hz = self->options.core_hz;
    head.first_core = activation * facts->core_count;
    return head;
}

static tacho_status make_banks(tacho_recorder *self)
{
    uint32_t devices = self->program->facts.device_count;
    size_t count = (size_t)devices * self->options.activations;
    TACHO_RECORDER_ALLOC(self, count, &self->banks);
    TACHO_RECORDER_ALLOC(self, count, &self->buffers);
    for (size_t i = 0; i < count; i++) {
        uint32_t activation = (uint32_t)(i / devices);
        uint32_t device = (uint32_t)(i % devices);
        tacho_bank *bank = &self->banks[i];
        TACHO_TRY(allocate_bank(self, bank, device));
        list_bank(self, bank, activation, device);
        self->buffers[i] = (tacho_stats_buffer){.head = make_head(self, activation, device),
                                                .arrays = bank->arrays,
                                                .array_count = bank->array_count};
    }
    return TACHO_OK;
}

/* Notes the engines that work on their own, and the size of each core's records. */
static tacho_status look_at_engines(tacho_recorder *self)
{
    const tacho_program *program = self->program;
    TACHO_RECORDER_ALLOC(self, program->engine_count, &self->is_async);
    TACHO_RECORDER_ALLOC(self, self->core_count, &self->core_bytes);
    tacho_stats_layout_core_bytes(&self->layout, self->core_bytes);
    for (uint32_t i = 0; i < program->engine_count; i++) {
        self->is_async[i] = tacho_stats_is_async(program, i);
    }
    return TACHO_OK;
}

/* ---- life ---------------------------------------------------------------------------------- */

static tacho_status init(tacho_recorder *self)
{
    const tacho_program *program = self->program;
    TACHO_TRY(tacho_stats_layout_init(&self->layout, program));
    TACHO_TRY(look_at_engines(self));
    TACHO_TRY(find_device_ops(self));
    TACHO_TRY(tacho_recorder_find_ports(self));
    TACHO_TRY(allocate_ops(self));
    TACHO_TRY(make_banks(self));
    TACHO_RECORDER_ALLOC(self, self->layout.task_count, &self->task_ends);
    TACHO_RECORDER_ALLOC(self, program->op_count, &self->op_barriers);
    TACHO_RECORDER_ALLOC(self, program->job_count, &self->is_last_of_op);
    TACHO_RECORDER_ALLOC(self, self->core_count * program->facts.thread_count, &self->thread_jobs);
    TACHO_RECORDER_ALLOC(self, program->engine_count, &self->last_jobs);
    TACHO_RECORDER_ALLOC(self, program->engine_count, &self->engine_free);
    return TACHO_OK;
}

tacho_status tacho_recorder_create(const tacho_recorder_options *options,
                                   tacho_recorder **out_recorder)
{
    *out_recorder = NULL;
    tacho_recorder *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->program = options->program;
    self->options = *options;
    tacho_arena_init(&self->arena);
    uint64_t divisor = tacho_gcd(options->timer_hz, options->core_hz);
    self->timer_num = options->timer_hz / divisor;
    self->timer_den = options->core_hz / divisor;
    self->core_count = (size_t)self->program->facts.device_count * self->program->facts.core_count;
    tacho_status status = init(self);
    if (status != TACHO_OK) {
        tacho_recorder_destroy(self);
        return status;
    }
    *out_recorder = self;
    return TACHO_OK;
}

void tacho_recorder_destroy(tacho_recorder *recorder)
{
    if (recorder != NULL) {
        tacho_stats_layout_deinit(&recorder->layout);
        tacho_arena_deinit(&recorder->arena);
        tacho_op_ios_deinit(&recorder->ios);
        free(recorder->ports);
        free(recorder);
    }
}

uint64_t tacho_recorder_core_bytes(const tacho_recorder *recorder, size_t core)
{
    return recorder->core_bytes[core];
}

const tacho_stats_buffer *tacho_recorder_buffers(const tacho_recorder *recorder, size_t *out_count)
{
    *out_count = (size_t)recorder->program->facts.device_count * recorder->options.activations;
    return recorder->buffers;
}

/* ---- an inference -------------------------------------------------------------------------- */

static void fill_threads(tacho_recorder *self, const tacho_recorder_turn *recording)
{
    const tacho_program_facts *facts = &self->program->facts;
    for (size_t core = 0; core < self->core_count; core++) {
        tacho_bank *bank =
            tacho_recorder_bank(self, recording->activation, (uint32_t)(core / facts->core_count));
        int64_t end = recording->start + recording->flush_ends[core];
        int64_t flush = recording->start + recording->flush_starts[core];
        tacho_stats_thread thread = {
            .core = (uint16_t)(core % facts->core_count),
            .flush_p = (uint32_t)tacho_least((uint64_t)(end - flush), UINT32_MAX),
            .start_u = tacho_recorder_tick(self, recording->start),
            .end_u = tacho_recorder_tick(self, end),
            .start_p = (uint64_t)recording->start,
            .end_p = (uint64_t)end,
            .activate_start_u = tacho_recorder_tick(self, recording->activate_start),
            .activate_end_u = tacho_recorder_tick(self, recording->activate_end),
            .activate_start_p = (uint64_t)recording->activate_start,
            .activate_end_p = (uint64_t)recording->activate_end,
            .flush_start_u = tacho_recorder_tick(self, flush),
        };
        for (uint32_t i = 0; i < facts->thread_count; i++) {
            thread.thread = (uint16_t)i;
            bank->threads[(size_t)thread.core * facts->thread_count + i] = thread;
        }
    }
}

static uint64_t host_ns(const tacho_recorder *self, int64_t cycle)
{
    return (uint64_t)((tacho_u128)(uint64_t)cycle * 1000000000 / self->options.core_hz);
}

/* The time in which the bytes were moved; how many they are does not change. */
static void fill_windows(tacho_recorder *self, const tacho_recorder_turn *recording)
{
    const tacho_program_facts *facts = &self->program->facts;
    for (size_t core = 0; facts->stats.counts_ddr != 0 && core < self->core_count; core++) {
        uint32_t device = (uint32_t)(core / facts->core_count);
        tacho_bank *bank = tacho_recorder_bank(self, recording->activation, device);
        int64_t end = recording->start + recording->flush_starts[core];
        bank->ddrs[core % facts->core_count].window_u =
            tacho_recorder_tick(self, end) - tacho_recorder_tick(self, recording->start);
    }
}

static void fill_clocks(tacho_recorder *self, const tacho_recorder_turn *recording)
{
    uint32_t devices = self->program->facts.device_count;
    int64_t end = recording->start;
    for (size_t core = 0; core < self->core_count; core++) {
        end = tacho_most(end, recording->start + recording->flush_ends[core]);
    }
    const int64_t moments[TACHO_BANK_CLOCKS] = {recording->start, end};
    for (uint32_t device = 0; device < devices; device++) {
        size_t at = (size_t)recording->activation * devices + device;
        self->buffers[at].head.inference = recording->inference;
        for (size_t i = 0; i < TACHO_BANK_CLOCKS; i++) {
            self->banks[at].clocks[i] =
                (tacho_stats_clock){.host_ns = host_ns(self, moments[i]),
                                    .timer = tacho_recorder_tick(self, moments[i])};
        }
    }
}

/* When the engine's thread is done with a job: at its end, or when a transfer is on its way. */
static int64_t op_end(const tacho_recorder *self, const tacho_recorder_turn *recording, size_t job)
{
    uint32_t engine = self->program->jobs[job].engine;
    int64_t cycles = recording->ends[job] - recording->starts[job];
    return self->is_async[engine]
               ? recording->starts[job] + tacho_recorder_issue(self, engine, cycles)
               : recording->ends[job];
}

static void find_task_ends(tacho_recorder *self, const tacho_recorder_turn *recording)
{
    const tacho_program *program = self->program;
    memset(self->task_ends, 0, self->layout.task_count * sizeof(*self->task_ends));
    for (size_t i = 0; i < program->job_count; i++) {
        size_t core = tacho_program_core_of(program, program->jobs[i].engine);
        int64_t *end =
            &self->task_ends[self->layout.core_first_task[core] + self->layout.job_task[i]];
        *end = tacho_most(*end, op_end(self, recording, i));
    }
}

/*
 * The last job of an op that a thread starts before it goes on with another op: after it the thread
 * waits for the others that share the op.
 */
static void find_last_of_ops(tacho_recorder *self, const tacho_recorder_turn *recording)
{
    const tacho_program *program = self->program;
    memset(self->is_last_of_op, 0, program->job_count * sizeof(*self->is_last_of_op));
    memset(self->thread_jobs, 0xff,
           self->core_count * program->facts.thread_count * sizeof(*self->thread_jobs));
    for (uint32_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        if (job->kind == TACHO_JOB_SIGNAL || job->kind == TACHO_JOB_WAIT ||
            self->layout.job_slot[i] == TACHO_NONE) {
            continue;
        }
        uint32_t *last = &self->thread_jobs[tacho_program_thread_of(program, job->engine)];
        bool is_same = *last != TACHO_NONE && program->jobs[*last].op == job->op;
        if (!is_same || recording->starts[i] >= recording->starts[*last]) {
            if (is_same) {
                self->is_last_of_op[*last] = false;
            }
            self->is_last_of_op[i] = true;
            *last = i;
        }
    }
}

/* Where the cores that share an op meet: its last wait. An op without one has no such place. */
static void find_op_barriers(tacho_recorder *self, const tacho_recorder_turn *recording)
{
    const tacho_program *program = self->program;
    memset(self->op_barriers, 0, program->op_count * sizeof(*self->op_barriers));
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        if (job->kind == TACHO_JOB_WAIT && job->op != TACHO_NONE) {
            int64_t *end = &self->op_barriers[job->op];
            *end = tacho_most(*end, recording->ends[i]);
        }
    }
}

static tacho_stats_op *op_record(const tacho_recorder *self, uint32_t activation, size_t job)
{
    uint32_t engine = self->program->jobs[job].engine;
    return &self->ops[(size_t)activation * self->program->engine_count + engine]
                     [self->layout.job_slot[job]];
}

/*
 * The barrier after |job| ends with its task: the other threads of its group have done their parts.
 * After the thread's last job of an op it ends where the cores meet that share the op. |next| is
 * the engine's next job, or TACHO_NONE; it never starts within the barrier.
 */
static int64_t end_barrier(tacho_recorder *self, const tacho_recorder_turn *recording, uint32_t job,
                           uint32_t next)
{
    const tacho_program *program = self->program;
    size_t core = tacho_program_core_of(program, program->jobs[job].engine);
    uint32_t op = program->jobs[job].op;
    int64_t end = self->task_ends[self->layout.core_first_task[core] + self->layout.job_task[job]];
    if (op != TACHO_NONE && self->is_last_of_op[job]) {
        end = tacho_most(end, self->op_barriers[op]);
    }
    int64_t limit = next != TACHO_NONE ? recording->starts[next] : recording->flush_starts[core];
    end = end < limit ? end : limit;
    end = tacho_most(end, op_end(self, recording, job));
    tacho_stats_op *record = op_record(self, recording->activation, job);
    record->barrier_end_u = tacho_recorder_tick(self, recording->start + end);
    return end;
}

static void fill_op(tacho_recorder *self, const tacho_recorder_turn *recording, size_t id,
                    int64_t sync_start)
{
    const tacho_job *job = &self->program->jobs[id];
    int64_t start = recording->start + recording->starts[id];
    int64_t end = recording->start + op_end(self, recording, id);
    int64_t done = recording->start + recording->ends[id];
    bool is_async = self->is_async[job->engine];
    uint32_t flags = is_async ? TACHO_STATS_OP_ASYNC : 0;
    flags |= done - start > job->cycles ? TACHO_STATS_OP_STALLED : 0;
    *op_record(self, recording->activation, id) = (tacho_stats_op){
        .oc = self->layout.job_task[id],
        .flags = (uint16_t)flags,
        .repeat = 1,
        .sync_start_u = tacho_recorder_tick(self, recording->start + sync_start),
        .op_start_u = tacho_recorder_tick(self, start),
        .op_end_u = tacho_recorder_tick(self, end),
        .async_done_u = is_async ? tacho_recorder_tick(self, done) : 0,
        .op_start_p = (uint64_t)start,
        .op_end_p = (uint64_t)end,
    };
}

static void fill_ops(tacho_recorder *self, const tacho_recorder_turn *recording)
{
    const tacho_program *program = self->program;
    find_task_ends(self, recording);
    find_op_barriers(self, recording);
    find_last_of_ops(self, recording);
    memset(self->last_jobs, 0xff, program->engine_count * sizeof(*self->last_jobs));
    for (size_t i = 0; i < program->job_count; i++) {
        if (self->layout.job_slot[i] == TACHO_NONE) {
            continue;
        }
        uint32_t *last = &self->last_jobs[program->jobs[i].engine];
        int64_t before = 0;
        if (*last != TACHO_NONE) {
            before = end_barrier(self, recording, *last, (uint32_t)i);
        }
        fill_op(self, recording, i, before);
        *last = (uint32_t)i;
    }
    for (size_t i = 0; i < program->engine_count; i++) {
        if (self->last_jobs[i] != TACHO_NONE) {
            end_barrier(self, recording, self->last_jobs[i], TACHO_NONE);
        }
    }
}

static void fill_stalls(tacho_recorder *self, const tacho_recorder_turn *recording)
{
    for (uint32_t device = 0; device < self->program->facts.device_count; device++) {
        tacho_bank *bank = tacho_recorder_bank(self, recording->activation, device);
        size_t first = self->first_device_op[device];
        for (size_t i = first; i < self->first_device_op[device + 1]; i++) {
            const tacho_sim_op *op = &recording->ops[self->device_ops[i]];
            tacho_stats_stall *stall = &bank->stalls[i - first];
            *stall = (tacho_stats_stall){.op = self->device_ops[i],
                                         .start_p = recording->start + op->start,
                                         .end_p = recording->start + op->end};
            memcpy(stall->cycles, op->stalls, sizeof(stall->cycles));
        }
    }
}

void tacho_recorder_fill(tacho_recorder *recorder, const tacho_recorder_turn *recording)
{
    uint32_t level = recorder->program->facts.stats.level;
    fill_clocks(recorder, recording);
    fill_threads(recorder, recording);
    fill_windows(recorder, recording);
    if (level >= TACHO_STATS_LEVEL_PORTS) {
        tacho_recorder_fill_ports(recorder, recording);
        fill_ops(recorder, recording);
    }
    if (level >= TACHO_STATS_LEVEL_OPS) {
        fill_stalls(recorder, recording);
    }
}
