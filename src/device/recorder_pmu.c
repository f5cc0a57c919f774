/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of threads and single jobs, and traffic with DDR: derived from what ran. Codes are those
 * of the Hexagon processor (program/pmu.h); one that nothing here can tell stays 0, and
 * tacho_recorder_missing says so.
 *
 * Requests on the AXI bus are as large as their address allows, up to 256 bytes. A thread runs
 * while it works: not while it waits, nor while a transfer that it has started is on its way. It
 * counts cycles with so many threads running while it is one of them, and commits a packet in each.
 * The clock of the matrix engine is counted by the thread that has that engine, and by no other.
 *
 * Every cycle of a thread belongs to one job at most, so that the counters of its jobs never sum up
 * to more than its own: where jobs of a thread overlap, a running one belongs to that which began
 * last, a moving one to that which began first.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/recorder_parts.h"
#include "program/pmu.h"
#include "program/traffic.h"

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

/* Reads and writes: all, and those of 32, 64, 128, 256 bytes. */
static const uint16_t bus_events[2][1 + LINE_SIZES] = {{0x40, 0x41, 0xce, 0x3f, 0xcd},
                                                       {0x42, 0x43, 0xcf, 0x46, 0x55}};

/*
 * Requests of a job that an event counts. A core requests its share of what is cast to several;
 * the memory of another device is not on its bus.
 */
static uint64_t count_requests(const tacho_program *program, const tacho_job *job,
                               uint64_t read_bytes, uint16_t event)
{
    uint64_t written = tacho_traffic_written(job);
    uint64_t bytes = written > 0 ? written : read_bytes;
    const uint16_t *own = bus_events[written > 0 ? 1 : 0];
    uint64_t address = job->buffer != TACHO_NONE ? program->buffers[job->buffer].offset : 0;
    lines all = count_lines(address % LINE_MAX, bytes);
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
    const uint64_t *reads;       /* by job: bytes of shared memory */
    tacho_engine_class *classes; /* by engine */
    bool is_simulated[TACHO_PMU_EVENTS_MAX];
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

/* What |event| counts over one job, those of threads aside. */
static uint64_t count_job(const counting *self, size_t id, uint16_t event)
{
    const tacho_program *program = self->recorder->program;
    const tacho_job *job = &program->jobs[id];
    tacho_engine_class class = self->classes[job->engine];
    uint64_t cycles = (uint64_t)(self->recording->ends[id] - self->recording->starts[id]);
    bool multiplies = class == TACHO_ENGINE_COMPUTE && job->macs > 0;
    switch (event) {
    case EVENT_HMX:
        return class == TACHO_ENGINE_COMPUTE ? cycles : 0;
    case EVENT_HVX:
        return class == TACHO_ENGINE_VECTOR ? cycles : 0;
    case EVENT_HMX_MAC:
        return multiplies ? cycles : 0;
    case EVENT_HMX_MAC_FIXED:
        return multiplies && !is_float(program, job->op) ? cycles : 0;
    case EVENT_HMX_MAC_FLOAT:
        return multiplies && is_float(program, job->op) ? cycles : 0;
    default:
        return count_requests(program, job, self->reads[id], event);
    }
}

/* ---- threads ------------------------------------------------------------------------------- */

/* A thread or its transfers begin (1) or end (-1) to be busy. */
typedef struct change {
    int64_t time;
    uint64_t thread; /* of all cores */
    int32_t delta;
    uint32_t is_transfer;
    uint32_t job;
} change;

static int compare_changes(const void *a, const void *b)
{
    const change *x = a;
    const change *y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return x->delta != y->delta ? x->delta - y->delta : (x->job > y->job) - (x->job < y->job);
}

enum { RUNNING_MAX = 6, NO_PLACE = RUNNING_MAX + 1 };

/* Busy cycles of a thread. */
typedef struct thread_sum {
    uint64_t alone[RUNNING_MAX + 1]; /* running with so many others; more of them */
    uint64_t transfers;
    uint32_t running; /* jobs at the moment ... */
    uint32_t job;     /* ... of which this one began last, or TACHO_NONE: it has ended */
    int64_t moved_to; /* the last end of a transfer that has begun */
} thread_sum;

/* Those of a job, no more than fit. */
typedef struct job_sum {
    uint32_t alone[RUNNING_MAX + 1];
    uint32_t transfers;
} job_sum;

static void add_cycles(uint32_t *sum, uint64_t cycles)
{
    *sum = (uint32_t)tacho_least(*sum + cycles, UINT32_MAX);
}

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
        uint32_t job = (uint32_t)i;
        if (program->jobs[i].kind != TACHO_JOB_WAIT && thread_end(self, i) > start) {
            changes[count++] = (change){start, thread, 1, 0, job};
            changes[count++] = (change){thread_end(self, i), thread, -1, 0, job};
        }
        if (self->recorder->is_async[engine] && self->recording->ends[i] > start) {
            changes[count++] = (change){start, thread, 1, 1, job};
        }
    }
    return count;
}

/* The threads of a core between two changes. */
static void add_running(thread_sum *threads, size_t thread_count, int64_t cycles, job_sum *jobs)
{
    size_t running = 0;
    for (size_t i = 0; i < thread_count; i++) {
        running += threads[i].running > 0 ? 1 : 0;
    }
    size_t place = running <= RUNNING_MAX ? running - 1 : RUNNING_MAX;
    for (size_t i = 0; i < thread_count && running > 0; i++) {
        if (threads[i].running > 0) {
            threads[i].alone[place] += (uint64_t)cycles;
            if (threads[i].job != TACHO_NONE) {
                add_cycles(&jobs[threads[i].job].alone[place], (uint64_t)cycles);
            }
        }
    }
}

static void apply_change(const counting *self, const change *at, thread_sum *sum, job_sum *jobs)
{
    if (at->is_transfer == 0) {
        sum->running += (uint32_t)at->delta;
        sum->job = at->delta > 0 ? at->job : sum->job == at->job ? TACHO_NONE : sum->job;
        return;
    }
    int64_t from = tacho_most(at->time, sum->moved_to);
    int64_t to = self->recording->ends[at->job];
    if (to > from) {
        sum->transfers += (uint64_t)(to - from);
        sum->moved_to = to;
        add_cycles(&jobs[at->job].transfers, (uint64_t)(to - from));
    }
}

static tacho_status sum_threads(const counting *self, thread_sum *sums, job_sum *jobs)
{
    const tacho_recorder *recorder = self->recorder;
    size_t threads = recorder->program->facts.thread_count;
    change *changes = malloc((3 * recorder->program->job_count + 1) * sizeof(*changes));
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
            add_running(sums + core * threads, threads, changes[i].time - core_times[core], jobs);
            core_times[core] = changes[i].time;
        }
        apply_change(self, &changes[i], &sums[changes[i].thread], jobs);
    }
    free(changes);
    free(core_times);
    return TACHO_OK;
}

/* Which of |alone| an event counts; NO_PLACE: none of them. */
static size_t place_of(uint16_t event)
{
    if (event >= EVENT_ONE_THREAD && event < EVENT_ONE_THREAD + 4) {
        return (size_t)event - EVENT_ONE_THREAD;
    }
    return event == EVENT_FIVE_THREADS ? 4 : event == EVENT_SIX_THREADS ? 5 : NO_PLACE;
}

static uint64_t count_thread(const thread_sum *sum, uint16_t event)
{
    size_t place = place_of(event);
    uint64_t all = 0;
    for (size_t i = 0; i <= RUNNING_MAX; i++) {
        all += event == EVENT_PACKETS || i == place ? sum->alone[i] : 0;
    }
    return event == EVENT_DMA ? sum->transfers : all;
}

/* Of a job what threads count; the matrix engine's clock ticks while its thread is at the job. */
static uint64_t count_thread_job(const job_sum *sum, uint16_t event, tacho_engine_class class)
{
    size_t place = place_of(event);
    bool is_any =
        event == EVENT_PACKETS || (event == EVENT_HMX_CLOCKS && class == TACHO_ENGINE_COMPUTE);
    uint64_t all = 0;
    for (size_t i = 0; i <= RUNNING_MAX; i++) {
        all += is_any || i == place ? sum->alone[i] : 0;
    }
    return event == EVENT_DMA ? sum->transfers : all;
}

static bool is_of_threads(uint16_t event)
{
    return event == EVENT_PACKETS || event == EVENT_DMA || event == EVENT_HMX_CLOCKS ||
           place_of(event) != NO_PLACE;
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

static void fill_threads(const counting *self, const thread_sum *sums)
{
    const tacho_program_facts *facts = &self->recorder->program->facts;
    for (size_t i = 0; i < self->recorder->core_count * facts->thread_count; i++) {
        tacho_stats_pmu *pmu = pmu_of(self, i);
        size_t core = i / facts->thread_count;
        pmu->core = (uint16_t)(core % facts->core_count);
        pmu->thread = (uint16_t)(i % facts->thread_count);
        pmu->event_count = facts->stats.pmu_event_count;
        memcpy(pmu->events, facts->stats.pmu_events, sizeof(pmu->events));
        for (uint32_t j = 0; j < pmu->event_count; j++) {
            pmu->values[j] = self->is_simulated[j] ? count_thread(&sums[i], pmu->events[j]) : 0;
        }
    }
}

/* Of each core on one thread only: that of its first matrix engine. */
static void fill_clocks(const counting *self, uint32_t event)
{
    const tacho_program *program = self->recorder->program;
    size_t last = SIZE_MAX;
    for (uint32_t i = 0; i < program->engine_count; i++) {
        size_t thread = thread_of(program, i);
        size_t core = thread / program->facts.thread_count;
        if (self->classes[i] == TACHO_ENGINE_COMPUTE && core != last) {
            pmu_of(self, thread)->values[event] = (uint64_t)self->recording->flush_starts[core];
            last = core;
        }
    }
}

static void fill_jobs(const counting *self, const job_sum *sums)
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
            bool is_summed = is_of_threads(event);
            uint64_t value = !self->is_simulated[j] ? 0
                             : is_summed ? count_thread_job(&sums[i], event, self->classes[engine])
                                         : count_job(self, i, event);
            pmu->values[j] += is_summed ? 0 : value;
            if (op != NULL) {
                op->values[j] = (uint32_t)tacho_least(value, UINT32_MAX);
            }
        }
        if (op != NULL) {
            op->oc = self->recorder->layout.job_task[i];
        }
    }
}

static tacho_status count_events(const counting *self)
{
    const tacho_program *program = self->recorder->program;
    size_t threads = self->recorder->core_count * program->facts.thread_count;
    thread_sum *thread_sums = calloc(threads + 1, sizeof(*thread_sums));
    job_sum *job_sums = calloc(program->job_count + 1, sizeof(*job_sums));
    tacho_status status = thread_sums == NULL || job_sums == NULL
                              ? tacho_fail(TACHO_CODE_NO_MEMORY, "out of memory")
                              : sum_threads(self, thread_sums, job_sums);
    if (status == TACHO_OK) {
        fill_threads(self, thread_sums);
        for (uint32_t i = 0; i < program->facts.stats.pmu_event_count; i++) {
            if (program->facts.stats.pmu_events[i] == EVENT_HMX_CLOCKS && self->is_simulated[i]) {
                fill_clocks(self, i);
            }
        }
        fill_jobs(self, job_sums);
    }
    free(thread_sums);
    free(job_sums);
    return status;
}

static tacho_stats_ddr *ddr_of(const counting *self, size_t core)
{
    size_t cores = self->recorder->program->facts.core_count;
    return &tacho_recorder_bank(self->recorder, self->recording->activation,
                                (uint32_t)(core / cores))
                ->ddrs[core % cores];
}

static void count_ddr(const counting *self)
{
    const tacho_program *program = self->recorder->program;
    size_t cores = program->facts.core_count;
    for (size_t i = 0; i < self->recorder->core_count; i++) {
        *ddr_of(self, i) = (tacho_stats_ddr){.core = (uint16_t)(i % cores)};
    }
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        const tacho_program_engine *engine = &program->engines[job->engine];
        ddr_of(self, tacho_traffic_reader(program, job))->read_bytes += self->reads[i];
        ddr_of(self, engine->device * cores + engine->core)->write_bytes +=
            tacho_traffic_written(job);
    }
}

static tacho_status count_reads(counting *self)
{
    const tacho_program *program = self->recorder->program;
    tacho_traffic traffic = {0};
    uint64_t *reads;
    TACHO_RECORDER_ALLOC(self->recorder, program->job_count, &reads);
    for (size_t i = 0; i < program->job_count; i++) {
        reads[i] = tacho_traffic_read(&traffic, &program->jobs[i]);
    }
    self->reads = reads;
    return TACHO_OK;
}

tacho_status tacho_recorder_count(tacho_recorder *recorder, const tacho_recording *recording)
{
    const tacho_program *program = recorder->program;
    counting self = {.recorder = recorder, .recording = recording};
    TACHO_TRY(count_reads(&self));
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
    for (uint32_t i = 0; i < program->facts.stats.pmu_event_count; i++) {
        self.is_simulated[i] = tacho_pmu_is_simulated(program, program->facts.stats.pmu_events[i]);
    }
    return count_events(&self);
}

/* ---- what nothing here tells --------------------------------------------------------------- */

bool tacho_recorder_missing(const tacho_program *program, char *out_text, size_t room)
{
    const tacho_stats_config *stats = &program->facts.stats;
    char list[TACHO_PMU_EVENTS_MAX * 8] = "";
    size_t used = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        if (!tacho_pmu_is_simulated(program, stats->pmu_events[i])) {
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%02X",
                                     count++ > 0 ? ", " : "", stats->pmu_events[i]);
        }
    }
    if (count > 0) {
        snprintf(out_text, room, "counter%s %s %s not simulated: 0 is no count",
                 count > 1 ? "s" : "", list, count > 1 ? "are" : "is");
    }
    return count > 0;
}
