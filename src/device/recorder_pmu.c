/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of threads, cores and single jobs, and traffic with DDR: derived from what ran. What a
 * counter counts is one of base/event.h's events; an unsupported one stays 0, and
 * tacho_recorder_missing reports it.
 *
 * Requests on the bus are as large as their address allows, up to 256 bytes. A thread runs while it
 * works: not while it waits, nor while a transfer that it has started is on its way. It counts
 * cycles with so many threads running while it is one of them, and commits a packet in each. The
 * clock of the matrix engine is counted by the thread that has that engine, and by no other.
 *
 * An engine is active in the cycles of its jobs. A thread counts a cycle in which several of its
 * engines are active once, and so does a core: its count is that of the cycles, not the sum of its
 * threads' counts. Every cycle of a thread belongs to one job at most, so that the counters of its
 * jobs never sum up to more than its own: where jobs of a thread overlap, a running one belongs to
 * that which began last, an active one to that which began first.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/recorder_parts.h"
#include "base/grow.h"
#include "program/pmu.h"
#include "program/traffic.h"

enum {
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

/*
 * Requests of a job that an event counts. A core requests its share of a multicast; the memory of
 * another device is not on its bus.
 */
static uint64_t count_requests(const tacho_program *program, const tacho_job *job,
                               uint64_t read_bytes, tacho_event event)
{
    uint64_t written = tacho_traffic_written(job);
    uint64_t bytes = written > 0 ? written : read_bytes;
    unsigned of_any = written > 0 ? TACHO_EVENT_WRITES : TACHO_EVENT_READS;
    uint64_t address = job->buffer != TACHO_NONE ? program->buffers[job->buffer].offset : 0;
    lines all = count_lines(address % LINE_MAX, bytes);
    uint64_t sum = 0;
    for (unsigned i = 0; i < LINE_SIZES; i++) {
        sum += event == of_any || event == of_any + 1 + i ? all.counts[i] : 0;
    }
    return sum;
}

/* ---- jobs ---------------------------------------------------------------------------------- */

typedef struct counting {
    tacho_recorder *recorder;
    const tacho_recorder_turn *recording;
    const uint64_t *reads;       /* by job: bytes of shared memory */
    tacho_engine_class *classes; /* by engine */
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

/* ---- threads and cores --------------------------------------------------------------------- */

/* Engines are active: the events from VECTOR on, up to DMA. */
enum { ACTIVE_COUNT = TACHO_EVENT_DMA - TACHO_EVENT_VECTOR + 1 };

/* Whether a job is the kind of work that the |active|-th of them counts. */
static bool is_active(const counting *self, size_t id, unsigned active)
{
    const tacho_program *program = self->recorder->program;
    const tacho_job *job = &program->jobs[id];
    bool computes = self->classes[job->engine] == TACHO_ENGINE_COMPUTE;
    bool multiplies = computes && job->macs > 0;
    switch (active + TACHO_EVENT_VECTOR) {
    case TACHO_EVENT_VECTOR:
        return self->classes[job->engine] == TACHO_ENGINE_VECTOR;
    case TACHO_EVENT_COMPUTE:
        return computes;
    case TACHO_EVENT_MACS:
        return multiplies;
    case TACHO_EVENT_MACS_FIXED:
        return multiplies && !is_float(program, job->op);
    case TACHO_EVENT_MACS_FLOAT:
        return multiplies && is_float(program, job->op);
    default:
        return self->recorder->is_async[job->engine];
    }
}

/* A job's thread ends or begins to run, or its engine begins to be active. */
typedef enum change_kind { CHANGE_STOP, CHANGE_RUN, CHANGE_START } change_kind;

typedef struct change {
    int64_t time;
    uint64_t thread; /* of all cores */
    change_kind kind;
    uint32_t job;
} change;

static int compare_changes(const void *a, const void *b)
{
    const change *x = a;
    const change *y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : (x->job > y->job) - (x->job < y->job);
}

enum { RUNNING_MAX = 6, NO_PLACE = RUNNING_MAX + 1 };

/* Cycles that intervals cover; intervals are added in order of their starts. */
typedef struct cover {
    uint64_t cycles;
    int64_t to; /* the last end so far */
} cover;

/* Busy cycles of a thread, or of a core. */
typedef struct busy_sum {
    uint64_t running[RUNNING_MAX + 1]; /* with one to six threads running; more of them */
    cover active[ACTIVE_COUNT];
    uint32_t jobs; /* of a thread: that run at the moment ... */
    uint32_t job;  /* ... of which this one began last, or TACHO_NONE: it has ended */
} busy_sum;

/* Those of a job, no more than fit. */
typedef struct job_sum {
    uint32_t running[RUNNING_MAX + 1];
    uint32_t active[ACTIVE_COUNT];
} job_sum;

typedef struct busy_sums {
    busy_sum *threads; /* by core, then thread */
    busy_sum *cores;
    int64_t *core_times; /* up to which cores are summed up */
    job_sum *jobs;
} busy_sums;

static void add_cycles(uint32_t *sum, uint64_t cycles)
{
    *sum = (uint32_t)tacho_least(*sum + cycles, UINT32_MAX);
}

/* Returns the cycles that were not covered before. */
static uint64_t cover_add(cover *self, int64_t start, int64_t end)
{
    int64_t from = tacho_most(start, self->to);
    uint64_t more = end > from ? (uint64_t)(end - from) : 0;
    self->cycles += more;
    self->to = tacho_most(end, self->to);
    return more;
}

static size_t list_changes(const counting *self, change *changes)
{
    const tacho_program *program = self->recorder->program;
    size_t count = 0;
    for (size_t i = 0; i < program->job_count; i++) {
        uint64_t thread = tacho_program_thread_of(program, program->jobs[i].engine);
        int64_t start = self->recording->starts[i];
        uint32_t job = (uint32_t)i;
        if (program->jobs[i].kind == TACHO_JOB_WAIT) {
            continue;
        }
        if (thread_end(self, i) > start) {
            changes[count++] = (change){start, thread, CHANGE_RUN, job};
            changes[count++] = (change){thread_end(self, i), thread, CHANGE_STOP, job};
        }
        if (self->recording->ends[i] > start) {
            changes[count++] = (change){start, thread, CHANGE_START, job};
        }
    }
    return count;
}

/* The threads of a core between two changes. */
static void add_running(const busy_sums *all, size_t core, size_t thread_count, uint64_t cycles)
{
    busy_sum *threads = all->threads + core * thread_count;
    size_t running = 0;
    for (size_t i = 0; i < thread_count; i++) {
        running += threads[i].jobs > 0 ? 1 : 0;
    }
    if (running == 0) {
        return;
    }
    size_t place = running <= RUNNING_MAX ? running - 1 : RUNNING_MAX;
    all->cores[core].running[place] += cycles;
    for (size_t i = 0; i < thread_count; i++) {
        if (threads[i].jobs > 0) {
            threads[i].running[place] += cycles;
            if (threads[i].job != TACHO_NONE) {
                add_cycles(&all->jobs[threads[i].job].running[place], cycles);
            }
        }
    }
}

static void apply_change(const counting *self, const busy_sums *all, const change *at)
{
    busy_sum *thread = &all->threads[at->thread];
    busy_sum *core = &all->cores[at->thread / self->recorder->program->facts.thread_count];
    if (at->kind == CHANGE_RUN) {
        thread->jobs++;
        thread->job = at->job;
        return;
    }
    if (at->kind == CHANGE_STOP) {
        thread->jobs--;
        thread->job = thread->job == at->job ? TACHO_NONE : thread->job;
        return;
    }
    int64_t end = self->recording->ends[at->job];
    for (unsigned i = 0; i < ACTIVE_COUNT; i++) {
        if (is_active(self, at->job, i)) {
            cover_add(&core->active[i], at->time, end);
            add_cycles(&all->jobs[at->job].active[i], cover_add(&thread->active[i], at->time, end));
        }
    }
}

static tacho_status sum_threads(const counting *self, const busy_sums *all)
{
    const tacho_recorder *recorder = self->recorder;
    size_t threads = recorder->program->facts.thread_count;
    change *changes = malloc((3 * recorder->program->job_count + 1) * sizeof(*changes));
    if (changes == NULL) {
        return tacho_no_memory();
    }
    size_t count = list_changes(self, changes);
    qsort(changes, count, sizeof(*changes), compare_changes);
    for (size_t i = 0; i < count; i++) {
        size_t core = (size_t)changes[i].thread / threads;
        int64_t since = changes[i].time - all->core_times[core];
        if (since > 0) {
            add_running(all, core, threads, (uint64_t)since);
            all->core_times[core] = changes[i].time;
        }
        apply_change(self, all, &changes[i]);
    }
    free(changes);
    return TACHO_OK;
}

/* Which of |running| an event counts; NO_PLACE: none of them. */
static size_t place_of(tacho_event event)
{
    bool is_running = event >= TACHO_EVENT_RUNNING_1 && event <= TACHO_EVENT_RUNNING_6;
    return is_running ? (size_t)(event - TACHO_EVENT_RUNNING_1) : NO_PLACE;
}

/* Which of |active| an event counts; ACTIVE_COUNT: none of them. */
static size_t active_of(tacho_event event)
{
    bool is_one = event >= TACHO_EVENT_VECTOR && event <= TACHO_EVENT_DMA;
    return is_one ? (size_t)(event - TACHO_EVENT_VECTOR) : ACTIVE_COUNT;
}

static uint64_t count_thread(const busy_sum *sum, tacho_event event)
{
    if (active_of(event) < ACTIVE_COUNT) {
        return sum->active[active_of(event)].cycles;
    }
    uint64_t all = 0;
    for (size_t i = 0; i <= RUNNING_MAX; i++) {
        all += event == TACHO_EVENT_PACKETS || i == place_of(event) ? sum->running[i] : 0;
    }
    return all;
}

/* A job's part of a thread's counts; the matrix clock ticks while the thread works on it. */
static uint64_t count_thread_job(const job_sum *sum, tacho_event event, tacho_engine_class class)
{
    if (active_of(event) < ACTIVE_COUNT) {
        return sum->active[active_of(event)];
    }
    bool is_any = event == TACHO_EVENT_PACKETS ||
                  (event == TACHO_EVENT_COMPUTE_CLOCKS && class == TACHO_ENGINE_COMPUTE);
    uint64_t all = 0;
    for (size_t i = 0; i <= RUNNING_MAX; i++) {
        all += is_any || i == place_of(event) ? sum->running[i] : 0;
    }
    return all;
}

/* Requests are counted job by job, all else over time. */
static bool is_of_bus(tacho_event event)
{
    return event >= TACHO_EVENT_READS && event <= TACHO_EVENT_WRITES_256;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static tacho_event event_at(const counting *self, uint32_t at)
{
    return (tacho_event)self->recorder->program->facts.stats.pmu_counts[at];
}

static tacho_bank *bank_of(const counting *self, size_t core)
{
    const tacho_program_facts *facts = &self->recorder->program->facts;
    return tacho_recorder_bank(self->recorder, self->recording->activation,
                               (uint32_t)(core / facts->core_count));
}

static tacho_stats_pmu *pmu_of(const counting *self, size_t thread)
{
    const tacho_program_facts *facts = &self->recorder->program->facts;
    size_t of_device = (size_t)facts->core_count * facts->thread_count;
    return &bank_of(self, thread / facts->thread_count)->pmus[thread % of_device];
}

static tacho_stats_core_pmu *core_pmu_of(const counting *self, size_t core)
{
    return &bank_of(self, core)->core_pmus[core % self->recorder->program->facts.core_count];
}

static void fill_threads(const counting *self, const busy_sum *sums)
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
            pmu->values[j] = count_thread(&sums[i], event_at(self, j));
        }
    }
}

/* After the threads', since events without cycles of the core's own are sums of the threads'. */
static void fill_cores(const counting *self, const busy_sum *sums)
{
    const tacho_program_facts *facts = &self->recorder->program->facts;
    for (size_t i = 0; i < self->recorder->core_count; i++) {
        tacho_stats_core_pmu *pmu = core_pmu_of(self, i);
        pmu->core = (uint16_t)(i % facts->core_count);
        pmu->event_count = facts->stats.pmu_event_count;
        memcpy(pmu->events, facts->stats.pmu_events, sizeof(pmu->events));
        for (uint32_t j = 0; j < pmu->event_count; j++) {
            tacho_event event = event_at(self, j);
            bool is_own = active_of(event) < ACTIVE_COUNT || place_of(event) != NO_PLACE;
            pmu->values[j] = is_own ? count_thread(&sums[i], event) : 0;
            for (size_t k = 0; !is_own && k < facts->thread_count; k++) {
                pmu->values[j] += pmu_of(self, i * facts->thread_count + k)->values[j];
            }
        }
    }
}

/* Of each core on one thread only: that of its first matrix engine. */
static void fill_clocks(const counting *self, uint32_t event)
{
    const tacho_program *program = self->recorder->program;
    size_t last = SIZE_MAX;
    for (uint32_t i = 0; i < program->engine_count; i++) {
        size_t thread = tacho_program_thread_of(program, i);
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
    size_t first = (size_t)self->recording->activation * program->engine_count;
    for (size_t i = 0; i < program->job_count; i++) {
        uint32_t engine = program->jobs[i].engine;
        tacho_stats_pmu *pmu = pmu_of(self, tacho_program_thread_of(program, engine));
        tacho_stats_op_pmu *each = self->recorder->op_pmus[first + engine];
        uint32_t slot = self->recorder->layout.job_slot[i];
        tacho_stats_op_pmu *op = each != NULL && slot != TACHO_NONE ? &each[slot] : NULL;
        for (uint32_t j = 0; j < program->facts.stats.pmu_event_count; j++) {
            tacho_event event = event_at(self, j);
            uint64_t value = is_of_bus(event)
                                 ? count_requests(program, &program->jobs[i], self->reads[i], event)
                                 : count_thread_job(&sums[i], event, self->classes[engine]);
            pmu->values[j] += is_of_bus(event) ? value : 0;
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
    size_t cores = self->recorder->core_count;
    busy_sums all = {
        .threads = tacho_items_alloc(cores * program->facts.thread_count, sizeof(*all.threads)),
        .cores = tacho_items_alloc(cores, sizeof(*all.cores)),
        .core_times = tacho_items_alloc(cores, sizeof(*all.core_times)),
        .jobs = tacho_items_alloc(program->job_count, sizeof(*all.jobs)),
    };
    bool has_room =
        all.threads != NULL && all.cores != NULL && all.core_times != NULL && all.jobs != NULL;
    tacho_status status = has_room ? sum_threads(self, &all) : tacho_no_memory();
    if (status == TACHO_OK) {
        fill_threads(self, all.threads);
        for (uint32_t i = 0; i < program->facts.stats.pmu_event_count; i++) {
            if (event_at(self, i) == TACHO_EVENT_COMPUTE_CLOCKS) {
                fill_clocks(self, i);
            }
        }
        fill_jobs(self, all.jobs);
        fill_cores(self, all.cores);
    }
    free(all.threads);
    free(all.cores);
    free(all.core_times);
    free(all.jobs);
    return status;
}

static tacho_stats_ddr *ddr_of(const counting *self, size_t core)
{
    return &bank_of(self, core)->ddrs[core % self->recorder->program->facts.core_count];
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

tacho_status tacho_recorder_count(tacho_recorder *recorder, const tacho_recorder_turn *recording)
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
    return count_events(&self);
}

/* ---- unsupported events -------------------------------------------------------------------- */

bool tacho_recorder_missing(const tacho_program *program, char *out_text, size_t room)
{
    const tacho_stats_config *stats = &program->facts.stats;
    char list[TACHO_PMU_EVENTS_MAX * 8] = "";
    size_t used = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        if (!tacho_pmu_is_simulated(stats, i)) {
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%02X",
                                     count++ > 0 ? ", " : "", stats->pmu_events[i]);
        }
    }
    if (count > 0) {
        snprintf(out_text, room, "counter%s %s %s not simulated: 0 is not a measurement",
                 count > 1 ? "s" : "", list, count > 1 ? "are" : "is");
    }
    return count > 0;
}
