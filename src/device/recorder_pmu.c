/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of threads and single jobs, and traffic with DDR: derived from what ran. Codes are those
 * of the Hexagon processor (program/pmu.h); one that nothing here can tell stays 0.
 *
 * Requests on the AXI bus are as large as their address allows, up to 256 bytes. A thread counts
 * cycles with so many threads running while it is one of them; while a transfer is on its way its
 * thread does not run.
 */
#include <stdlib.h>

#include "device/recorder_parts.h"

enum {
    EVENT_PACKETS = 0x03,
    EVENT_ONE_THREAD = 0x3b, /* to four with the codes after it ... */
    EVENT_FIVE_THREADS = 0x0a,
    EVENT_SIX_THREADS = 0x0b,
    EVENT_HVX = 0x100,
    EVENT_HMX = 0x200,
    EVENT_HMX_MAC = 0x205,
    EVENT_HMX_MAC_FIXED = 0x211,
    EVENT_HMX_MAC_FLOAT = 0x212,
    EVENT_HMX_CLOCKS = 0x214,
    EVENT_DMA = 0x240,
    LINE_SIZES = 4, /* 32, 64, 128, 256 bytes */
    LINE_MIN = 32,
    LINE_MAX = 256,
};

/* ---- the bus ------------------------------------------------------------------------------- */

typedef struct lines {
    uint64_t counts[LINE_SIZES]; /* by size */
} lines;

/* Requests for |bytes| at |address|. */
static lines count_lines(uint64_t address, uint64_t bytes)
{
    lines all = {{0}};
    uint64_t at = address / LINE_MIN * LINE_MIN;
    uint64_t end = address + bytes;
    for (uint64_t size = LINE_MIN, i = 0; size < LINE_MAX; size *= 2, i++) { /* up to a line */
        if (at % (2 * size) != 0 && at < end) {
            all.counts[i]++;
            at += size;
        }
    }
    uint64_t whole = at < end ? (end - at) / LINE_MAX : 0;
    all.counts[LINE_SIZES - 1] += whole;
    at += whole * LINE_MAX;
    uint64_t rest = at < end ? (end - at + LINE_MIN - 1) / LINE_MIN * LINE_MIN : 0;
    for (size_t i = 0; i < LINE_SIZES; i++) {
        all.counts[i] += (rest & (uint64_t)LINE_MIN << i) != 0 ? 1 : 0;
    }
    return all;
}

/* Requests of a job that an event counts; the events of each direction: all, 32, 64, 128, 256. */
static uint64_t count_requests(const tacho_program *program, const tacho_job *job, uint16_t event)
{
    static const uint16_t events[2][1 + LINE_SIZES] = {{0x40, 0x41, 0xce, 0x3f, 0xcd},
                                                       {0x42, 0x43, 0xcf, 0x46, 0x55}};
    if (job->kind != TACHO_JOB_LOAD && job->kind != TACHO_JOB_STORE) {
        return 0;
    }
    const uint16_t *own = events[job->kind == TACHO_JOB_STORE ? 1 : 0];
    uint64_t address = job->buffer != TACHO_NONE ? program->buffers[job->buffer].offset : 0;
    lines all = count_lines(address % LINE_MAX, job->bytes);
    uint64_t sum = 0;
    for (size_t i = 0; i < LINE_SIZES; i++) {
        sum += event == own[0] || event == own[1 + i] ? all.counts[i] : 0;
    }
    return sum;
}

/* ---- jobs ---------------------------------------------------------------------------------- */

typedef struct counting {
    tacho_recorder *recorder;
    const tacho_recording *recording;
    tacho_engine_class *classes; /* by engine; of those that count */
} counting;

static tacho_engine_class class_of(const tacho_program *program, uint32_t engine)
{
    tacho_str name = tacho_strings_get(&program->strings, program->engines[engine].class_name);
    for (uint32_t i = 0; i < TACHO_ENGINE_CLASS_COUNT; i++) {
        const char *text = tacho_engine_class_name((tacho_engine_class)i);
        if (tacho_str_equal(name, tacho_str_from_cstring(text))) {
            return (tacho_engine_class)i;
        }
    }
    return TACHO_ENGINE_CLASS_COUNT;
}

static bool is_float(const tacho_program *program, uint32_t op)
{
    if (op == TACHO_NONE || program->ops[op].step_count == 0) {
        return false;
    }
    const tacho_step *step = &program->steps[program->ops[op].first_step];
    uint32_t tensor = step->input_count > 0 ? program->links[step->first_link] : TACHO_NONE;
    return tensor != TACHO_NONE &&
           tacho_dtype_kind_of((tacho_dtype)program->tensors[tensor].dtype) == TACHO_DTYPE_REAL;
}

/* When the thread of the job's engine is done with it. */
static int64_t thread_end(const counting *self, size_t id)
{
    uint32_t engine = self->recorder->program->jobs[id].engine;
    int64_t start = self->recording->starts[id];
    int64_t end = self->recording->ends[id];
    return self->recorder->is_async[engine]
               ? start + tacho_recorder_issue(self->recorder, engine, end - start)
               : end;
}

/* What |event| counts over one job; cycles with so many threads running are not a job's. */
static uint64_t count_job(const counting *self, size_t id, uint16_t event)
{
    const tacho_program *program = self->recorder->program;
    const tacho_job *job = &program->jobs[id];
    tacho_engine_class class = self->classes[job->engine];
    uint64_t cycles = (uint64_t)(self->recording->ends[id] - self->recording->starts[id]);
    bool multiplies = class == TACHO_ENGINE_COMPUTE && job->macs > 0;
    switch (event) {
    case EVENT_PACKETS:
        return (uint64_t)(thread_end(self, id) - self->recording->starts[id]);
    case EVENT_HMX:
        return class == TACHO_ENGINE_COMPUTE ? cycles : 0;
    case EVENT_HVX:
        return class == TACHO_ENGINE_VECTOR ? cycles : 0;
    case EVENT_DMA:
        return self->recorder->is_async[job->engine] ? cycles : 0;
    case EVENT_HMX_MAC:
        return multiplies ? cycles : 0;
    case EVENT_HMX_MAC_FIXED:
        return multiplies && !is_float(program, job->op) ? cycles : 0;
    case EVENT_HMX_MAC_FLOAT:
        return multiplies && is_float(program, job->op) ? cycles : 0;
    case EVENT_HMX_CLOCKS:
        return cycles;
    default:
        return count_requests(program, job, event);
    }
}

/* ---- threads ------------------------------------------------------------------------------- */

/* A thread or its transfers begin (1) or end (-1) to be busy. */
typedef struct change {
    int64_t time;
    uint64_t thread; /* of all cores */
    int32_t delta;
    uint32_t is_transfer;
} change;

static int compare_changes(const void *a, const void *b)
{
    const change *x = a;
    const change *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1)
                              : (x->delta > y->delta) - (x->delta < y->delta);
}

/* Busy cycles of a thread. */
typedef struct thread_sum {
    uint64_t alone[6]; /* running with so many others */
    uint64_t transfers;
    uint32_t running, moving; /* jobs at the moment */
    int64_t moving_since;
} thread_sum;

static size_t thread_of(const tacho_program *program, uint32_t engine)
{
    const tacho_program_engine *e = &program->engines[engine];
    size_t core = (size_t)e->device * program->facts.core_count + e->core;
    size_t threads = program->facts.thread_count;
    return core * threads + (e->thread < threads ? e->thread : 0);
}

static size_t list_changes(const counting *self, change *changes)
{
    const tacho_program *program = self->recorder->program;
    size_t count = 0;
    for (size_t i = 0; i < program->job_count; i++) {
        uint32_t engine = program->jobs[i].engine;
        uint64_t thread = thread_of(program, engine);
        int64_t start = self->recording->starts[i];
        if (thread_end(self, i) > start) {
            changes[count++] = (change){start, thread, 1, 0};
            changes[count++] = (change){thread_end(self, i), thread, -1, 0};
        }
        if (self->recorder->is_async[engine] && self->recording->ends[i] > start) {
            changes[count++] = (change){start, thread, 1, 1};
            changes[count++] = (change){self->recording->ends[i], thread, -1, 1};
        }
    }
    return count;
}

/* The threads of a core between two changes. */
static void add_running(thread_sum *threads, size_t thread_count, int64_t cycles)
{
    size_t running = 0;
    for (size_t i = 0; i < thread_count; i++) {
        running += threads[i].running > 0 ? 1 : 0;
    }
    for (size_t i = 0; i < thread_count && running > 0; i++) {
        if (threads[i].running > 0) {
            threads[i].alone[running <= 6 ? running - 1 : 5] += (uint64_t)cycles;
        }
    }
}

static void apply_change(thread_sum *sum, const change *at)
{
    if (at->is_transfer == 0) {
        sum->running += (uint32_t)at->delta;
        return;
    }
    if (sum->moving == 0) {
        sum->moving_since = at->time;
    }
    sum->moving += (uint32_t)at->delta;
    if (sum->moving == 0) {
        sum->transfers += (uint64_t)(at->time - sum->moving_since);
    }
}

static tacho_status sum_threads(const counting *self, thread_sum *sums)
{
    const tacho_recorder *recorder = self->recorder;
    size_t threads = recorder->program->facts.thread_count;
    change *changes = malloc((4 * recorder->program->job_count + 1) * sizeof(*changes));
    int64_t *core_times = calloc(recorder->core_count + 1, sizeof(*core_times));
    if (changes == NULL || core_times == NULL) {
        free(changes);
        free(core_times);
        return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
    }
    size_t count = list_changes(self, changes);
    qsort(changes, count, sizeof(*changes), compare_changes);
    for (size_t i = 0; i < count; i++) {
        size_t core = (size_t)changes[i].thread / threads;
        if (changes[i].time > core_times[core]) {
            add_running(sums + core * threads, threads, changes[i].time - core_times[core]);
            core_times[core] = changes[i].time;
        }
        apply_change(&sums[changes[i].thread], &changes[i]);
    }
    free(changes);
    free(core_times);
    return TACHO_OK;
}

static uint64_t count_running(const thread_sum *sum, uint16_t event)
{
    return event == EVENT_FIVE_THREADS  ? sum->alone[4]
           : event == EVENT_SIX_THREADS ? sum->alone[5]
           : event >= EVENT_ONE_THREAD && event < EVENT_ONE_THREAD + 4
               ? sum->alone[event - EVENT_ONE_THREAD]
               : 0;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static tacho_stats_pmu *pmu_of(const counting *self, size_t thread)
{
    const tacho_program_facts *facts = &self->recorder->program->facts;
    size_t of_device = (size_t)facts->core_count * facts->thread_count;
    uint32_t device = (uint32_t)(thread / of_device);
    return &tacho_recorder_bank(self->recorder, self->recording->activation, device)
                ->pmus[thread % of_device];
}

static tacho_status count_threads(const counting *self)
{
    const tacho_program *program = self->recorder->program;
    const tacho_stats_config *stats = &program->facts.stats;
    size_t threads = self->recorder->core_count * program->facts.thread_count;
    thread_sum *sums = calloc(threads + 1, sizeof(*sums));
    if (sums == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory");
    }
    tacho_status status = sum_threads(self, sums);
    for (size_t i = 0; status == TACHO_OK && i < threads; i++) {
        tacho_stats_pmu *pmu = pmu_of(self, i);
        size_t core = i / program->facts.thread_count;
        pmu->core = (uint16_t)(core % program->facts.core_count);
        pmu->thread = (uint16_t)(i % program->facts.thread_count);
        pmu->event_count = stats->pmu_event_count;
        memcpy(pmu->events, stats->pmu_events, sizeof(pmu->events));
        for (uint32_t j = 0; j < stats->pmu_event_count; j++) {
            uint16_t event = stats->pmu_events[j];
            pmu->values[j] = event == EVENT_DMA ? sums[i].transfers
                             : event == EVENT_HMX_CLOCKS
                                 ? (uint64_t)self->recording->flush_starts[core]
                                 : count_running(&sums[i], event);
        }
    }
    free(sums);
    return status;
}

static void count_jobs(const counting *self)
{
    const tacho_program *program = self->recorder->program;
    const tacho_stats_config *stats = &program->facts.stats;
    size_t first = (size_t)self->recording->activation * program->engine_count;
    for (size_t i = 0; i < program->job_count; i++) {
        uint32_t engine = program->jobs[i].engine;
        tacho_stats_pmu *pmu = pmu_of(self, thread_of(program, engine));
        tacho_stats_op_pmu *each = self->recorder->op_pmus[first + engine];
        uint32_t slot = self->recorder->layout.job_slot[i];
        tacho_stats_op_pmu *op = each != NULL && slot != TACHO_NONE ? &each[slot] : NULL;
        for (uint32_t j = 0; j < stats->pmu_event_count; j++) {
            uint16_t event = stats->pmu_events[j];
            uint64_t value = count_job(self, i, event);
            if (event != EVENT_DMA && event != EVENT_HMX_CLOCKS) { /* which are the thread's */
                pmu->values[j] += value;
            }
            if (op != NULL) {
                op->values[j] = (uint32_t)tacho_least(value, UINT32_MAX);
            }
        }
        if (op != NULL) {
            op->oc = self->recorder->layout.job_task[i];
        }
    }
}

static void count_ddr(const counting *self)
{
    const tacho_program *program = self->recorder->program;
    uint32_t activation = self->recording->activation;
    for (uint32_t device = 0; device < program->facts.device_count; device++) {
        tacho_bank *bank = tacho_recorder_bank(self->recorder, activation, device);
        for (uint32_t i = 0; i < program->facts.core_count; i++) {
            bank->ddrs[i] = (tacho_stats_ddr){.core = (uint16_t)i};
        }
    }
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        const tacho_program_engine *engine = &program->engines[job->engine];
        tacho_stats_ddr *ddr =
            &tacho_recorder_bank(self->recorder, activation, engine->device)->ddrs[engine->core];
        ddr->read_bytes += job->kind == TACHO_JOB_LOAD ? job->bytes : 0;
        ddr->write_bytes += job->kind == TACHO_JOB_STORE ? job->bytes : 0;
    }
}

tacho_status tacho_recorder_count(tacho_recorder *recorder, const tacho_recording *recording)
{
    const tacho_program *program = recorder->program;
    counting self = {recorder, recording, NULL};
    if (program->facts.stats.counts_ddr != 0) {
        count_ddr(&self);
    }
    if (program->facts.stats.pmu_event_count == 0) {
        return TACHO_OK;
    }
    TACHO_RECORDER_ALLOC(recorder, program->engine_count, &self.classes);
    for (uint32_t i = 0; i < program->engine_count; i++) {
        self.classes[i] = class_of(program, i);
    }
    TACHO_TRY(count_threads(&self));
    count_jobs(&self);
    return TACHO_OK;
}
