/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws of the simulated device, on compiled programs: device_laws PROGRAM...
 *
 * Without limits the simulation is the program's own timeline, job by job. With them no job is
 * faster than alone or starts before what it needs, no engine does two jobs at a time, what is
 * shared is not used beyond its rate, and what an op takes longer than estimated is the sum of its
 * stalls, room that the estimate had left aside. The same again gives the same bytes; records add
 * up: a thread's life is waiting, working and the barriers after it, and DDR's bytes are those of
 * the transfers.
 *
 * Prints a line for each program; exit code 1 and the law when one is broken.
 */
#include "base/index.h"
#include "base/maths.h"
#include "device/clock.h"
#include "device/device.h"
#include "device/program_machine.h"
#include "device/sim/simulate.h"
#include "program/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int broken;
static const char *path;

static void hold(bool is_true, const char *law, size_t place, int64_t found, int64_t bound)
{
    if (!is_true && broken++ < 20) {
        printf("%s: %s: at %zu, %" PRId64 " against %" PRId64 "\n", path, law, place, found, bound);
    }
}

static void must(tacho_status status)
{
    if (status != TACHO_OK) {
        printf("%s: %s\n", path, tacho_status_message(status));
        tacho_status_free(status);
        exit(1);
    }
}

/* ---- simulations --------------------------------------------------------------------------- */

static void check_unlimited(const tacho_program *program)
{
    tacho_simulation simulation;
    tacho_sim_limits none = {.noc = {0, 1}};
    must(tacho_simulate(&simulation, program, &none, 1));
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        hold(simulation.starts[i] == job->start, "unlimited: start", i, simulation.starts[i],
             job->start);
        hold(simulation.ends[i] == job->end, "unlimited: end", i, simulation.ends[i], job->end);
    }
    hold(simulation.cycles == program->facts.total_cycles, "unlimited: cycles", 0,
         simulation.cycles, program->facts.total_cycles);
    for (size_t i = 0; i < program->op_count; i++) {
        for (size_t j = 0; j < TACHO_STALL_COUNT; j++) {
            hold(simulation.ops[i].stalls[j] == 0, "unlimited: no stalls", i,
                 simulation.ops[i].stalls[j], 0);
        }
    }
    tacho_simulation_deinit(&simulation);
}

static void check_jobs(const tacho_program *program, const tacho_simulation *simulation,
                       size_t first)
{
    int64_t *engine_free = calloc(program->engine_count + 1, sizeof(*engine_free));
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        int64_t start = simulation->starts[first + i];
        int64_t end = simulation->ends[first + i];
        hold(end - start >= job->cycles, "no job is faster than alone", i, end - start,
             job->cycles);
        hold(start >= engine_free[job->engine], "one job at a time", i, start,
             engine_free[job->engine]);
        engine_free[job->engine] = end;
        for (uint32_t j = 0; j < job->need_count; j++) {
            const tacho_need *need = &program->needs[job->first_need + j];
            int64_t ready = simulation->ends[first + need->job] + need->lag;
            hold(start >= ready, "needs come first", i, start, ready);
        }
        int64_t sum = 0;
        for (size_t j = 0; j < TACHO_STALL_COUNT; j++) {
            sum += simulation->stalls[first + i][j];
            hold((j == TACHO_STALL_SLACK) == (simulation->stalls[first + i][j] < 0) ||
                     simulation->stalls[first + i][j] == 0,
                 "slack alone is negative", i, simulation->stalls[first + i][j], (int64_t)j);
        }
        hold(sum == start - job->start, "stalls of a start", i, sum, start - job->start);
    }
    free(engine_free);
}

static void check_ops(const tacho_program *program, const tacho_simulation *simulation,
                      size_t first)
{
    for (size_t i = 0; i < program->op_count; i++) {
        const tacho_sim_op *op = &simulation->ops[first + i];
        int64_t sum = 0;
        for (size_t j = 0; j < TACHO_STALL_COUNT; j++) {
            sum += op->stalls[j];
            bool is_slack = j == TACHO_STALL_SLACK;
            hold(is_slack ? op->stalls[j] <= 0 : op->stalls[j] >= 0, "signs of stalls", i,
                 op->stalls[j], (int64_t)j);
        }
        int64_t more = op->end - op->start - program->ops[i].cycles;
        hold(sum == more, "stalls of an op", i, sum, more);
    }
}

/* Over the whole inference DDR has moved no more than it can. */
static void check_ddr(const tacho_program *program, const tacho_simulation *simulation,
                      const tacho_sim_limits *limits)
{
    double least = 0;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        tacho_ratio rate = job->kind == TACHO_JOB_LOAD ? limits->ddr_read : limits->ddr_write;
        if ((job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE) && rate.num > 0) {
            double readers = job->readers > 0 ? job->readers : 1;
            double alone = (double)job->bytes / readers * (double)rate.den / (double)rate.num;
            least += alone < (double)job->cycles ? alone : (double)job->cycles;
        }
    }
    least = least * simulation->activations / program->facts.device_count;
    hold((double)simulation->cycles >= least * 0.9999 - 2, "DDR is not faster than it is", 0,
         simulation->cycles, (int64_t)least);
}

/* The cycles that the link into a device needs for |bytes|, at least. */
static int64_t link_cycles(uint64_t bytes, tacho_ratio rate)
{
    return (int64_t)(((tacho_u128)bytes * (uint64_t)rate.den + (uint64_t)rate.num - 1) /
                     (uint64_t)rate.num);
}

/* What comes from other devices is no faster than the link, each and all together. */
static void check_link(const tacho_program *program, const tacho_simulation *simulation,
                       const tacho_sim_limits *limits)
{
    uint64_t *bytes = calloc(program->facts.device_count + 1, sizeof(*bytes));
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        uint32_t device = program->engines[job->engine].device;
        if (job->kind != TACHO_JOB_P2P) {
            continue;
        }
        hold(limits->link.num > 0 && device > 0, "only devices after the first have links", i,
             device, 1);
        int64_t least = limits->link.num > 0 ? link_cycles(job->bytes, limits->link) : 0;
        hold(job->cycles >= least, "no transfer is faster than its link", i, job->cycles, least);
        bytes[device] += job->bytes;
    }
    for (uint32_t i = 0; i < program->facts.device_count && limits->link.num > 0; i++) {
        hold(i == 0 || bytes[i] > 0, "each device gets something", i, (int64_t)bytes[i], 1);
        int64_t least = link_cycles(bytes[i] * simulation->activations, limits->link);
        hold(simulation->cycles >= least, "the link is not faster than it is", i,
             simulation->cycles, least);
    }
    free(bytes);
}

static int64_t check_limited(const tacho_program *program, const tacho_machine *machine,
                             uint32_t activations, uint32_t depth, double *out_seconds)
{
    tacho_simulation simulation;
    tacho_sim_limits limits;
    must(tacho_sim_limits_init(&limits, machine));
    if (depth > 0) {
        for (size_t i = TACHO_ENGINE_DMA_IN; i <= TACHO_ENGINE_DMA_LOCAL; i++) {
            limits.queue_depths[i] = depth;
        }
    }
    int64_t began = tacho_now_ns();
    must(tacho_simulate(&simulation, program, &limits, activations));
    *out_seconds = (double)(tacho_now_ns() - began) / 1e9;
    for (size_t i = 0; i < activations; i++) {
        check_jobs(program, &simulation, i * program->job_count);
        check_ops(program, &simulation, i * program->op_count);
    }
    check_ddr(program, &simulation, &limits);
    check_link(program, &simulation, &limits);
    hold(simulation.cycles >= program->facts.total_cycles, "limits make nothing faster", 0,
         simulation.cycles, program->facts.total_cycles);
    int64_t cycles = simulation.cycles;
    tacho_simulation_deinit(&simulation);
    return cycles;
}

/* ---- records ------------------------------------------------------------------------------- */

typedef struct sums {
    uint64_t read_bytes, write_bytes;
    uint64_t ddr_records;
    int64_t *flush_starts; /* by core: ticks */
    int64_t *starts;       /* by core: ticks */
    uint64_t op_records;
} sums;

static void add_engine(const tacho_program *program, const tacho_stats_array *array, sums *all)
{
    const tacho_stats_op *ops = array->records;
    bool is_async = tacho_stats_is_async(program, array->stream);
    const tacho_program_engine *engine = &program->engines[array->stream];
    uint64_t before = (uint64_t)all->starts[engine->core];
    uint64_t life = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        hold(ops[i].sync_start_u == before, "a thread's life has no gaps", i,
             (int64_t)ops[i].sync_start_u, (int64_t)before);
        life += (ops[i].op_start_u - ops[i].sync_start_u) + (ops[i].op_end_u - ops[i].op_start_u) +
                (ops[i].barrier_end_u - ops[i].op_end_u);
        hold(ops[i].barrier_end_u >= ops[i].op_end_u, "a barrier follows its op", i,
             (int64_t)ops[i].barrier_end_u, (int64_t)ops[i].op_end_u);
        before = ops[i].barrier_end_u;
        hold(is_async == ((ops[i].flags & TACHO_STATS_OP_ASYNC) != 0), "transfers say so", i,
             ops[i].flags, is_async);
    }
    int64_t flush = all->flush_starts[engine->core];
    hold((int64_t)before <= flush, "ops end before the flush", array->stream, (int64_t)before,
         flush);
    uint64_t idle = (uint64_t)flush - before;
    hold((int64_t)(life + idle) == flush - all->starts[engine->core],
         "waits, ops and barriers are a thread's life", array->stream, (int64_t)(life + idle),
         flush - all->starts[engine->core]);
    all->op_records += array->count;
}

/*
 * A cycle of a core is counted once: with n threads running by n of them, and with an engine active
 * by one thread at least. Requests and packets add up.
 */
static void check_cores(const tacho_program *program, const tacho_stats_pmu *pmus,
                        const tacho_stats_core_pmu *cores)
{
    const tacho_stats_config *stats = &program->facts.stats;
    uint32_t threads = program->facts.thread_count;
    hold(stats->pmu_event_count == 0 || (pmus != NULL) == (cores != NULL),
         "cores count where threads do", 0, pmus != NULL, cores != NULL);
    for (uint32_t i = 0; cores != NULL && i < program->facts.core_count; i++) {
        for (uint32_t k = 0; k < stats->pmu_event_count; k++) {
            unsigned event = stats->pmu_counts[k];
            uint64_t sum = 0;
            uint64_t most = 0;
            for (uint32_t j = 0; j < threads; j++) {
                uint64_t value = pmus[(size_t)i * threads + j].values[k];
                sum += value;
                most = value > most ? value : most;
            }
            uint64_t core = cores[i].values[k];
            bool is_running = event >= TACHO_EVENT_RUNNING_1 && event <= TACHO_EVENT_RUNNING_6;
            bool is_active = event >= TACHO_EVENT_VECTOR && event <= TACHO_EVENT_DMA;
            bool is_right = is_running  ? sum == core * (event - TACHO_EVENT_RUNNING_1 + 1)
                            : is_active ? most <= core && core <= sum
                                        : core == sum;
            hold(is_right, "counters of threads are the core's", event, (int64_t)sum,
                 (int64_t)core);
        }
    }
}

/* Counters: what is counted of jobs is part of their thread's, and all of it where jobs alone have
 * it. */
static void check_counters(const tacho_program *program, const tacho_stats_buffer *buffer)
{
    size_t threads = (size_t)program->facts.core_count * program->facts.thread_count;
    uint32_t events = program->facts.stats.pmu_event_count;
    uint64_t *found = calloc((threads + 1) * TACHO_PMU_EVENTS_MAX, sizeof(*found));
    const tacho_stats_pmu *pmus = NULL;
    const tacho_stats_core_pmu *cores = NULL;
    bool has_jobs = false;
    for (size_t i = 0; i < buffer->array_count; i++) {
        const tacho_stats_array *array = &buffer->arrays[i];
        pmus = array->type == TACHO_STATS_TYPE_pmu ? array->records : pmus;
        cores = array->type == TACHO_STATS_TYPE_core_pmu ? array->records : cores;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_op_pmu && j < array->count; j++) {
            const tacho_stats_op_pmu *op = &((const tacho_stats_op_pmu *)array->records)[j];
            const tacho_program_engine *engine = &program->engines[array->stream];
            size_t thread = (size_t)engine->core * program->facts.thread_count + engine->thread;
            has_jobs = true;
            for (uint32_t k = 0; k < events; k++) {
                found[thread * TACHO_PMU_EVENTS_MAX + k] += op->values[k];
            }
        }
    }
    for (size_t i = 0; has_jobs && pmus != NULL && i < threads; i++) {
        uint64_t packets = UINT64_MAX;
        uint64_t running = 0;
        for (uint32_t k = 0; k < events; k++) {
            unsigned event = program->facts.stats.pmu_counts[k];
            bool is_running = event >= TACHO_EVENT_RUNNING_1 && event <= TACHO_EVENT_RUNNING_6;
            bool is_of_thread =
                event == TACHO_EVENT_PACKETS || event == TACHO_EVENT_COMPUTE_CLOCKS || is_running;
            uint64_t sum = found[i * TACHO_PMU_EVENTS_MAX + k];
            uint64_t total = pmus[i].values[k];
            hold(is_of_thread ? sum <= total : sum == total, "counters of jobs are the thread's",
                 event, (int64_t)sum, (int64_t)total);
            packets = event == TACHO_EVENT_PACKETS ? total : packets;
            running += is_running ? total : 0;
        }
        hold(running <= packets, "threads that run work", i, (int64_t)running, (int64_t)packets);
    }
    check_cores(program, pmus, cores);
    free(found);
}

/*
 * What several cores receive at once leaves the DDR once; what comes from another device is read
 * there and written here.
 */
static void check_traffic(const tacho_program *program, uint32_t device, const sums *all)
{
    enum { ROUNDING = 16 }; /* bytes: shares of a cast are whole */
    double loads = 0;
    uint64_t stores = 0;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        bool is_here = program->engines[job->engine].device == device;
        bool is_link = job->kind == TACHO_JOB_P2P;
        if (is_here && job->kind == TACHO_JOB_LOAD) {
            loads += (double)job->bytes / (job->readers > 1 ? job->readers : 1);
        }
        loads += is_link && job->partner == device ? (double)job->bytes : 0;
        stores += is_here && (is_link || job->kind == TACHO_JOB_STORE) ? job->bytes : 0;
    }
    double off = loads - (double)all->read_bytes;
    hold(off < ROUNDING && off > -ROUNDING, "DDR gave what was loaded", 0, (int64_t)all->read_bytes,
         (int64_t)loads);
    hold(stores == all->write_bytes, "DDR got what was stored", 0, (int64_t)all->write_bytes,
         (int64_t)stores);
}

static void check_buffer(const tacho_program *program, const tacho_stats_buffer *buffer)
{
    sums all = {.flush_starts = calloc(program->facts.core_count + 1, sizeof(int64_t)),
                .starts = calloc(program->facts.core_count + 1, sizeof(int64_t))};
    uint64_t stored = 0;
    for (size_t i = 0; i < buffer->array_count; i++) {
        const tacho_stats_array *array = &buffer->arrays[i];
        stored += array->type != TACHO_STATS_TYPE_drop ? array->count : 0;
        if (array->type == TACHO_STATS_TYPE_thread) {
            const tacho_stats_thread *threads = array->records;
            for (uint32_t j = 0; j < array->count; j++) {
                all.flush_starts[threads[j].core] = (int64_t)threads[j].flush_start_u;
                all.starts[threads[j].core] = (int64_t)threads[j].start_u;
                hold(threads[j].end_u >= threads[j].flush_start_u, "a flush goes on", j, 0, 0);
            }
        } else if (array->type == TACHO_STATS_TYPE_op && buffer->head.level >= 70) {
            add_engine(program, array, &all);
        } else if (array->type == TACHO_STATS_TYPE_ddr) {
            const tacho_stats_ddr *ddrs = array->records;
            for (uint32_t j = 0; j < array->count; j++, all.ddr_records++) {
                all.read_bytes += ddrs[j].read_bytes;
                all.write_bytes += ddrs[j].write_bytes;
            }
        } else if (array->type == TACHO_STATS_TYPE_drop) {
            const tacho_stats_drop *drops = array->records;
            for (uint32_t j = 0; j < array->count; j++) {
                hold(drops[j].emitted == drops[j].stored + drops[j].dropped,
                     "emitted = stored + dropped", j, (int64_t)drops[j].emitted,
                     (int64_t)drops[j].stored);
                stored -= drops[j].stored;
            }
        }
    }
    hold(stored == 0, "all records are accounted for", 0, (int64_t)stored, 0);
    if (all.ddr_records > 0) {
        check_traffic(program, buffer->head.device, &all);
    }
    free(all.flush_starts);
    free(all.starts);
}

/* Runs three inferences; the hash of the last one's files. */
static uint64_t run_device(const tacho_program *program, uint32_t activations)
{
    tacho_device *device;
    tacho_device_options options = {.activations = activations, .skips_values = true};
    must(tacho_device_open(TACHO_STR("sim"), &options, &device));
    must(device->type->load(device, program));
    tacho_device_result result;
    int64_t end = -1;
    for (uint64_t i = 0; i < 3; i++) {
        must(device->type->run(device, i, true, &result));
        hold(end < 0 || result.start_ns == end + result.host.wait_ns,
             "inferences follow one another, and the host", i, result.start_ns, end);
        end = result.end_ns;
    }
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < result.stats_count; i++) {
        check_buffer(program, &result.stats[i]);
        check_counters(program, &result.stats[i]);
        for (size_t j = 0; j < result.stats[i].array_count; j++) {
            const tacho_stats_array *array = &result.stats[i].arrays[j];
            const unsigned char *bytes = array->records;
            for (size_t k = 0; k < array->count * tacho_stats_record_bytes(array->type); k++) {
                hash = (hash ^ bytes[k]) * 1099511628211u;
            }
        }
    }
    tacho_device_close(device);
    return hash;
}

/* ---- values -------------------------------------------------------------------------------- */

static void set_inputs(const tacho_program *program, tacho_execution *execution)
{
    for (size_t i = 0; i < program->input_count; i++) {
        const tacho_program_tensor *tensor = &program->tensors[program->inputs[i]];
        tacho_array value = {(tacho_dtype)tensor->dtype, *tacho_program_shape(program, tensor),
                             calloc(tensor->bytes + 1, 1)};
        bool is_real = tacho_dtype_kind_of(value.dtype) == TACHO_DTYPE_REAL;
        if (is_real) {
            tacho_random_fill(value.dtype, i + 1, tensor->bytes, value.data);
        }
        must(tacho_execution_set_input(execution, i, &value));
        free(value.data);
    }
}

static tacho_device *open_device(const tacho_program *program, const char *name)
{
    tacho_device *device;
    tacho_device_options options = {.kernels = TACHO_KERNELS_REFERENCE};
    must(tacho_device_open(tacho_str_from_cstring(name), &options, &device));
    must(device->type->load(device, program));
    set_inputs(program, device->execution);
    return device;
}

/* Records of ops that follow one another within the inference. */
static void check_ops_of_cpu(const tacho_program *program, const tacho_device_result *result)
{
    uint32_t level = program->facts.stats.level;
    hold(result->stats_count == (level >= 40 ? 1 : 0), "cpu: one file", 0,
         (int64_t)result->stats_count, level);
    uint64_t found = 0;
    for (size_t i = 0; i < (result->stats_count > 0 ? result->stats[0].array_count : 0); i++) {
        const tacho_stats_array *array = &result->stats[0].arrays[i];
        if (array->type != TACHO_STATS_TYPE_op) {
            continue;
        }
        const tacho_stats_op *ops = array->records;
        for (uint32_t j = 0; j < array->count; j++, found++) {
            hold(ops[j].oc == j, "cpu: ops in order", j, ops[j].oc, j);
            hold(ops[j].op_end_u >= ops[j].op_start_u, "cpu: ops take time", j, 0, 0);
            hold(j == 0 || ops[j].sync_start_u == ops[j - 1].barrier_end_u,
                 "cpu: ops follow one another", j, 0, 0);
        }
        uint64_t span = ops[array->count - 1].op_end_u - ops[0].op_start_u;
        hold((int64_t)span <= result->wall_ns, "cpu: ops within the inference", 0, (int64_t)span,
             result->wall_ns);
    }
    hold(found == (level >= 70 ? program->op_count : 0), "cpu: a record per op", 0, (int64_t)found,
         (int64_t)program->op_count);
}

static void check_values(const tacho_program *program)
{
    tacho_device *cpu = open_device(program, "cpu");
    tacho_str machine = tacho_strings_get(&program->strings, program->facts.machine);
    bool is_foreign = program->facts.stats.pmu_event_count > 0 &&
                      !tacho_str_equal(machine, TACHO_STR("host-cpu"));
    hold((tacho_device_missing(cpu) != NULL) == is_foreign,
         "cpu: counters of another machine are said to be missing", 0, is_foreign, 0);
    tacho_device *sim = open_device(program, "sim");
    tacho_device_result result;
    must(sim->type->run(sim, 0, true, &result));
    for (uint64_t i = 0; i < 2; i++) {
        must(cpu->type->run(cpu, i, true, &result));
        check_ops_of_cpu(program, &result);
    }
    for (size_t i = 0; i < program->output_count; i++) {
        tacho_array one;
        tacho_array other;
        must(tacho_execution_output(cpu->execution, i, &one));
        must(tacho_execution_output(sim->execution, i, &other));
        uint64_t bytes = program->tensors[program->outputs[i]].bytes;
        hold(memcmp(one.data, other.data, bytes) == 0, "sim computes what cpu does", i, 0, 0);
    }
    tacho_device_close(cpu);
    tacho_device_close(sim);
}

static void check_records(const tacho_program *program, uint32_t activations)
{
    uint64_t once = run_device(program, activations);
    uint64_t again = run_device(program, activations);
    hold(once == again, "the same bytes twice", 0, (int64_t)once, (int64_t)again);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        path = argv[i];
        tacho_program program;
        tacho_machine *machine;
        tacho_arena arena;
        tacho_arena_init(&arena);
        must(tacho_program_read(path, &program));
        must(tacho_program_machine(&program, &arena, &machine));
        check_unlimited(&program);
        double seconds;
        int64_t cycles = check_limited(&program, machine, 1, 0, &seconds);
        uint32_t activations = tacho_machine_cores(machine) / program.facts.core_count;
        double ignored;
        activations = activations < 4 ? activations : 4;
        int64_t many = check_limited(&program, machine, activations, 0, &ignored);
        check_records(&program, 1);
        check_records(&program, activations);
        if (program.constants.len > 0 && program.facts.stats.level != 50) {
            check_values(&program);
        }
        int64_t queued = check_limited(&program, machine, 1, 1, &ignored);
        hold(many >= cycles, "more activations are not faster", activations, many, cycles);
        printf("%s: %zu jobs, %" PRId64 " cycles, %.4f of the estimate, %.4f with %u activations, "
               "%.4f with queues of 1, %.4f s, %.3g cycles/s\n",
               path, program.job_count, cycles, (double)cycles / (double)program.facts.total_cycles,
               (double)many / (double)program.facts.total_cycles, activations,
               (double)queued / (double)program.facts.total_cycles, seconds,
               (double)cycles / seconds);
        tacho_program_deinit(&program);
        tacho_arena_deinit(&arena);
    }
    return broken > 0 ? 1 : 0;
}
