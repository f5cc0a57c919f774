/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laws of programs, on a model and every machine: laws MODEL [NAME=N ...]
 *
 * No engine does two jobs at a time; needs are respected; local memory is never overcommitted, and
 * a buffer not filled while it is read; at least the tensors' bytes are moved; the jobs'
 * multiplications are those of the operators; what a job moves fits its buffer; what the host
 * starts comes one after the other; nothing is faster than engines and memories can be; no number
 * of cores is slower than half of it, than a power of two below or, on a mesh, than any below; what
 * is used by default is no slower than what is asked for; twice or four times the local memory is
 * slower by a quarter at most; and, for the same jobs, more bandwidth is never slower.
 *
 * Prints a line for each machine; exit code 1 and the law when one is broken.
 */
#include "base/index.h"
#include "compile/compile.h"
#include "compile/schedule.h"
#include "graph/model.h"
#include "machine/cost.h"
#include "program/check.h"
#include "program/timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CORES_MAX = 1024 };

static int broken;

/* Says which law does not hold. */
static void hold(bool is_true, const char *law, const char *machine, uint64_t found, uint64_t bound)
{
    if (!is_true) {
        printf("%s: %s: %" PRIu64 " against %" PRIu64 "\n", machine, law, found, bound);
        broken++;
    }
}

static void hold_status(tacho_status status, const char *law, const char *machine)
{
    if (status != TACHO_OK) {
        printf("%s: %s: %s\n", machine, law, tacho_status_message(status));
        tacho_status_free(status);
        broken++;
    }
}

typedef struct sums {
    uint64_t macs, moved;
    int64_t busiest; /* engine that computes */
} sums;

static sums add_jobs(const tacho_program *program, const tacho_program_op *op)
{
    sums all = {0, 0, 0};
    for (uint32_t i = 0; i < op->job_count; i++) {
        const tacho_job *job = &program->jobs[op->first_job + i];
        all.macs += job->macs;
        all.moved += job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE ? job->bytes : 0;
        all.moved += job->kind == TACHO_JOB_P2P ? 2 * job->bytes : 0; /* out of one, into another */
        bool computes = job->kind == TACHO_JOB_COMPUTE;
        all.busiest = computes && job->cycles > all.busiest ? job->cycles : all.busiest;
    }
    return all;
}

static void check_ops(const tacho_program *program, const tacho_estimate *estimate)
{
    const char *machine = estimate->machine->name.data;
    uint64_t moved = 0;
    uint64_t of_table = 0;
    bool may_cast = estimate->machine->noc.has_multicast;
    int64_t spans = 0;
    for (size_t i = 0; i < program->op_count; i++) {
        const tacho_program_op *op = &program->ops[i];
        const tacho_op_estimate *of = &estimate->ops[i];
        sums all = add_jobs(program, op);
        moved += all.moved;
        of_table += of->ddr_read_bytes + of->ddr_write_bytes;
        spans += op->cycles;
        hold(all.macs == op->macs, "MACs of jobs are those of the op", machine, all.macs, op->macs);
        hold(all.moved >= of->ddr_read_bytes + of->ddr_write_bytes, "bytes moved", machine,
             all.moved, of->ddr_read_bytes + of->ddr_write_bytes);
        hold(op->cycles >= all.busiest, "an op is as long as its longest job", machine,
             (uint64_t)op->cycles, (uint64_t)all.busiest);
        hold(op->cycles >= of->cost.ideal_cycles, "compute bound", machine, (uint64_t)op->cycles,
             (uint64_t)of->cost.ideal_cycles);
        hold(op->cycles > 0, "nothing that runs is free", machine, 0, 1);
    }
    hold(of_table == program->facts.moved_bytes, "bytes of the table", machine, of_table,
         program->facts.moved_bytes);
    hold(may_cast || moved == program->facts.moved_bytes, "sum of bytes", machine, moved,
         program->facts.moved_bytes);
    hold(spans == program->facts.total_cycles, "ops follow one another", machine, (uint64_t)spans,
         (uint64_t)program->facts.total_cycles);
}

static bool reads_buffer(const tacho_program *program, const tacho_job *job, uint32_t buffer)
{
    bool reads = false;
    for (uint32_t i = 0; i < job->region_count; i++) {
        const tacho_region *region = &program->regions[job->first_region + i];
        reads |= region->access == TACHO_ACCESS_READ && region->buffer == buffer;
    }
    return reads;
}

/* A buffer that takes turns is filled again only when all jobs that read it are done. */
static void check_reuse(const tacho_program *program, size_t id, const char *machine)
{
    const tacho_job *job = &program->jobs[id];
    bool comes = job->kind == TACHO_JOB_LOAD && job->buffer != TACHO_NONE &&
                 job->op != TACHO_NONE && job->region_count > 0;
    if (!comes || program->buffers[job->buffer].extent_count > 0 ||
        program->buffers[job->buffer].role != TACHO_BUFFER_TILE) {
        return;
    }
    for (size_t i = id; i-- > program->ops[job->op].first_job;) {
        const tacho_job *other = &program->jobs[i];
        bool reads = reads_buffer(program, other, job->buffer);
        hold(!reads || other->end <= job->start, "a buffer is read before it is filled again",
             machine, (uint64_t)job->start, (uint64_t)other->end);
    }
}

/* What a core's sequencer runs as one: a program starts when the host has waited for the last. */
static void check_blocks(const tacho_program *program, const tacho_estimate *estimate)
{
    const char *machine = estimate->machine->name.data;
    int64_t before = 0;
    for (size_t i = 0; i < program->block_count; i++) {
        const tacho_block *block = &program->blocks[i];
        int64_t last = 0;
        for (uint32_t k = 0; k < block->job_count; k++) {
            const tacho_job *job = &program->jobs[block->first_job + k];
            hold(job->start >= before, "a program starts when the one before has ended", machine,
                 (uint64_t)job->start, (uint64_t)before);
            last = job->end > last ? job->end : last;
        }
        before = last;
    }
}

/* What a job moves goes through its buffer, tile by tile; streams stand for any number of tiles. */
static void check_buffer(const tacho_program *program, const tacho_job *job,
                         const tacho_estimate *estimate)
{
    bool moves = job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE;
    bool is_tiled = tacho_schedule_is_tiled(estimate->machine) && job->op != TACHO_NONE &&
                    estimate->ops[job->op].work.sequence <= 1;
    if (is_tiled && moves && job->buffer != TACHO_NONE) {
        uint64_t room = program->buffers[job->buffer].bytes;
        hold(job->bytes <= room, "a job's bytes fit its buffer", estimate->machine->name.data,
             job->bytes, room);
    }
}

static void check_memory_bound(const tacho_program *program, const tacho_estimate *estimate)
{
    tacho_ratio rate;
    int64_t cycles = 0;
    const tacho_memory *ddr = tacho_machine_memory(estimate->machine, TACHO_MEMORY_DDR);
    hold_status(tacho_cost_memory_rate(ddr, &rate), "rate", estimate->machine->name.data);
    if (rate.num > 0 && tacho_ratio_ceil_divide(estimate->ddr_bytes, rate, &cycles)) {
        hold(program->facts.total_cycles >= cycles, "memory bound", estimate->machine->name.data,
             (uint64_t)program->facts.total_cycles, (uint64_t)cycles);
    }
}

/* The same jobs with transfers in half the time. */
static void check_bandwidth(tacho_program *program, const char *machine)
{
    int64_t before = program->facts.total_cycles;
    hold_status(tacho_program_time(program), "timing again", machine);
    hold(program->facts.total_cycles == before, "timing is repeatable", machine,
         (uint64_t)program->facts.total_cycles, (uint64_t)before);
    for (size_t i = 0; i < program->job_count; i++) {
        tacho_job *job = &program->jobs[i];
        bool moves = job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE;
        job->cycles = moves ? (job->cycles + 1) / 2 : job->cycles;
    }
    hold_status(tacho_program_time(program), "timing faster", machine);
    hold(program->facts.total_cycles <= before, "more bandwidth is not slower", machine,
         (uint64_t)program->facts.total_cycles, (uint64_t)before);
    hold_status(tacho_program_check_timeline(program), "faster timeline", machine);
}

/* Every device has something to do, and what comes from others takes the link's time. */
static void check_devices(const tacho_program *program, const tacho_estimate *estimate,
                          uint32_t asked)
{
    const char *machine = estimate->machine->name.data;
    const tacho_quantity *link = &estimate->machine->device_link_bytes_per_cycle;
    uint64_t expected = asked < program->op_count ? asked : program->op_count;
    uint32_t used = 0;
    hold(program->facts.device_count == expected, "as many devices as asked for", machine,
         program->facts.device_count, expected);
    for (size_t i = 0; i < program->op_count; i++) {
        uint32_t device = estimate->ops[i].device;
        hold(device == used || device == used + 1, "devices follow one another", machine, device,
             used);
        used = device;
        int64_t cycles = 0;
        uint64_t bytes = estimate->ops[i].link_bytes;
        hold(bytes == 0 || device > 0, "the first device gets nothing from others", machine, bytes,
             0);
        if (tacho_quantity_is_set(link) && tacho_ratio_ceil_divide(bytes, link->value, &cycles)) {
            hold(estimate->ops[i].cost.cycles >= cycles, "link bound", machine,
                 (uint64_t)estimate->ops[i].cost.cycles, (uint64_t)cycles);
        }
    }
    hold(used + 1 == expected, "no device is idle", machine, used + 1, expected);
}

static int64_t check_program(const tacho_fusion *fusion, const tacho_machine *machine,
                             const tacho_compile_options *options)
{
    tacho_program program;
    tacho_estimate estimate;
    const char *name = machine->name.data;
    tacho_status status = tacho_compile_program(fusion, machine, options, &estimate, &program);
    int64_t total = program.facts.total_cycles;
    if (status == TACHO_OK) {
        hold_status(tacho_program_check(&program), "tables", name);
        hold_status(tacho_program_check_timeline(&program), "timeline", name);
        check_ops(&program, &estimate);
        check_memory_bound(&program, &estimate);
        check_blocks(&program, &estimate);
        check_devices(&program, &estimate, options->devices > 0 ? options->devices : 1);
        for (size_t i = 0; i < program.job_count; i++) {
            check_reuse(&program, i, name);
            check_buffer(&program, &program.jobs[i], &estimate);
        }
        check_bandwidth(&program, name);
        printf("%s cores %" PRIu32 "/%" PRIu32 " devices %" PRIu32 " batch %" PRIu32 ": %" PRId64
               " cycles, %zu ops, %zu jobs, %zu steps, local peak %" PRIu64 " of %" PRIu64 "\n",
               name, program.facts.core_count, options->cores, program.facts.device_count,
               program.facts.batch_size, total, program.op_count, program.job_count,
               program.step_count, program.facts.local_peak_bytes, program.facts.local_bytes);
    }
    hold_status(status, "compiles", name);
    tacho_estimate_deinit(&estimate);
    tacho_program_deinit(&program);
    return total;
}

/* Cycles on at most |cores|; 0: as many as there are. */
static int64_t total_of(const tacho_fusion *fusion, const tacho_machine *machine, uint32_t cores)
{
    tacho_program program;
    tacho_estimate estimate;
    tacho_compile_options options = {.cores = cores};
    hold_status(tacho_compile_program(fusion, machine, &options, &estimate, &program), "compiles",
                machine->name.data);
    int64_t total = program.facts.total_cycles;
    hold(cores == 0 || program.facts.core_count <= cores, "cores asked for are the most",
         machine->name.data, program.facts.core_count, cores);
    tacho_estimate_deinit(&estimate);
    tacho_program_deinit(&program);
    return total;
}

/* GPUs have more than a hundred cores. Past 64, only the counts next to a multiple of 16, where
 * waves of tiles end, and the number of cores of the machine are compiled. */
static bool is_tried(uint32_t n, uint32_t cores, bool is_mesh)
{
    return is_mesh || n <= 64 || n == cores || (n + 1) % 16 <= 2;
}

/* Every number of cores against those that it must not be slower than. */
static void check_cores(const tacho_fusion *fusion, const tacho_machine *machine)
{
    int64_t totals[CORES_MAX + 1] = {0};
    uint32_t cores = tacho_machine_cores(machine);
    bool is_mesh = tacho_quantity_is_set(&machine->mesh.buffer_bytes);
    const char *name = machine->name.data;
    hold(cores <= CORES_MAX, "cores to count to", name, cores, CORES_MAX);
    for (uint32_t n = 1; n <= cores && n <= CORES_MAX; n++) {
        if (!is_tried(n, cores, is_mesh)) continue;
        totals[n] = total_of(fusion, machine, n);
        for (uint32_t m = 1; m < n; m++) {
            if (!is_tried(m, cores, is_mesh)) continue;
            bool is_bound = is_mesh || m == n / 2 || (m & (m - 1)) == 0;
            hold(!is_bound || totals[n] <= totals[m], "more cores are not slower", name,
                 (uint64_t)totals[n], (uint64_t)totals[m]);
        }
    }
    int64_t usual = total_of(fusion, machine, 0);
    hold(cores > CORES_MAX || usual == totals[cores], "by default all cores are there", name,
         (uint64_t)usual, (uint64_t)totals[cores]);
}

/* Cycles with |factor| times the local memory. */
static int64_t total_with(const tacho_fusion *fusion, const tacho_machine *machine, int64_t factor)
{
    tacho_machine other = *machine;
    other.memories = calloc(machine->memory_count, sizeof(*other.memories));
    if (other.memories == NULL) {
        hold(false, "memory for the test", machine->name.data, 0, 0);
        return 0;
    }
    for (size_t i = 0; i < machine->memory_count; i++) {
        other.memories[i] = machine->memories[i];
        bool is_local = machine->memories[i].kind == TACHO_MEMORY_LOCAL;
        other.memories[i].size_bytes.value.num *= is_local ? factor : 1;
    }
    int64_t total = total_of(fusion, &other, 0);
    free(other.memories);
    return total;
}

/* Where operators are cut to fit local memory, more of it leads to other cuts and other places. */
static void check_local_memory(const tacho_fusion *fusion, const tacho_machine *machine)
{
    int64_t usual = total_with(fusion, machine, 1);
    for (int64_t factor = 2; tacho_schedule_is_tiled(machine) && factor <= 4; factor *= 2) {
        int64_t more = total_with(fusion, machine, factor);
        hold(more <= usual + usual / 4, "more local memory is not slower by more than a quarter",
             machine->name.data, (uint64_t)more, (uint64_t)usual);
    }
}

static void check_machine(const tacho_fusion *fusion, const tacho_machine *machine)
{
    uint32_t cores = tacho_machine_cores(machine);
    for (uint32_t count = 1; count <= cores;
         count = count < cores && count * 2 > cores ? cores : count * 2) {
        tacho_compile_options options = {.cores = count, .has_values = true};
        check_program(fusion, machine, &options);
    }
    check_cores(fusion, machine);
    check_local_memory(fusion, machine);
    for (uint32_t devices = 2; devices <= 4; devices *= 2) {
        tacho_compile_options several = {.devices = devices, .has_values = true};
        check_program(fusion, machine, &several);
    }
    tacho_compile_options batch = {.batch = 4, .has_values = true};
    check_program(fusion, machine, &batch);
}

static tacho_status check_model(const char *path, const tacho_model_options *options)
{
    tacho_graph graph;
    tacho_fusion fusion = {0};
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_graph_init(&graph);
    if (status == TACHO_OK) {
        status = tacho_model_read(path, options, &graph);
    }
    if (status == TACHO_OK) {
        status = tacho_fusion_init(&fusion, &graph);
    }
    for (size_t i = 0; status == TACHO_OK && tacho_machine_builtin(i) != NULL; i++) {
        tacho_machine *machine;
        status = tacho_machine_find(tacho_machine_builtin(i), &arena, &machine);
        if (status == TACHO_OK) {
            check_machine(&fusion, machine);
        }
    }
    tacho_fusion_deinit(&fusion);
    tacho_graph_deinit(&graph);
    tacho_arena_deinit(&arena);
    return status;
}

int main(int argc, char **argv)
{
    tacho_model_dim dims[8];
    tacho_model_options options = {.dims = dims};
    for (int i = 2; i < argc && options.dim_count < 8; i++) {
        tacho_str text = tacho_str_from_cstring(argv[i]);
        size_t equals = tacho_str_find_byte(text, '=');
        dims[options.dim_count++] =
            (tacho_model_dim){tacho_str_make(text.data, equals), atoll(argv[i] + equals + 1)};
    }
    if (argc < 2) {
        fprintf(stderr, "usage: laws MODEL [NAME=N ...]\n");
        return 2;
    }
    hold_status(check_model(argv[1], &options), "reading", argv[1]);
    return broken == 0 ? 0 : 1;
}
