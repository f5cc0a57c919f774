/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many cores, and which device does what: ways are tried on the whole network, and the fastest
 * is kept.
 */
#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/batch_turns.h"
#include "compile/compile.h"
#include "compile/core_cut.h"
#include "compile/memory_check.h"
#include "compile/op_busy.h"
#include "compile/schedule.h"
#include "compile/values.h"
#include "program/slice.h"
#include "program/stats_layout.h"
#include "program/timing.h"
#include "program/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct compiler {
    const tacho_fusion *fusion;
    const tacho_machine *machine;
    const tacho_compile_options *options;
    uint32_t devices;
    uint32_t *device_of; /* by operator */
    uint64_t job_bytes_max;
    tacho_str name;
    uint64_t way_count; /* core counts to try */
} compiler;

/* One candidate: its cycles and its program. */
typedef struct candidate {
    uint32_t cores;
    uint64_t number; /* of the ways, from 0 */
    tacho_placement placement;
    tacho_estimate estimate;
    tacho_program program;
    tacho_op_timing *timings; /* by operator */
    tacho_core_cut *cuts;     /* by operator, where cores share tiles; else NULL */
    bool is_complete;
    bool is_too_large; /* its tables are */
} candidate;

/* Bytes that any model may take, for each byte of its files, and that an operator takes about. */
enum { BYTES_FREE = 192 << 20, BYTES_PER_BYTE = 2, OPERATOR_BYTES = 1024 };

/* The room that operators leave for their jobs; too many operators are LIMIT. */
static tacho_status find_room(compiler *self)
{
    const tacho_compile_options *options = self->options;
    uint64_t files = tacho_mappings_bytes(&self->fusion->graph->mappings);
    uint64_t usual = tacho_size_add(BYTES_FREE, tacho_size_multiply(files, BYTES_PER_BYTE));
    usual = tacho_size_multiply(usual, options->batch > 0 ? options->batch : 1);
    uint64_t limit = options->bytes_max > 0 ? options->bytes_max : usual;
    uint64_t taken = tacho_size_multiply(self->fusion->op_count, OPERATOR_BYTES);
    self->job_bytes_max = limit - taken;
    return taken <= limit ? TACHO_OK
                          : tacho_fail_hint(TACHO_CODE_LIMIT, TACHO_HINT_FORCE_COMPILE,
                                            "%zu operators take about %" PRIu64
                                            " bytes; the limit for a model of "
                                            "this size is %" PRIu64 "; give a smaller model",
                                            self->fusion->op_count, taken, limit);
}

/* ---- devices ------------------------------------------------------------------------------- */

/*
 * Gives devices operators in order, each as many as take no more than |most| cycles together, but
 * leaves one for each remaining device. Whether that was enough for all.
 */
static bool spread_below(compiler *self, const tacho_estimate *estimate, int64_t most)
{
    size_t count = self->fusion->op_count;
    uint32_t device = 0;
    int64_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t cycles = estimate->ops[i].cost.cycles;
        bool is_full = cycles > most - taken;
        bool is_last_chance = count - i == self->devices - 1 - device;
        if (taken > 0 && device + 1 < self->devices && (is_full || is_last_chance)) {
            device++;
            taken = 0;
            is_full = cycles > most;
        }
        if (is_full) {
            return false;
        }
        taken += cycles;
        self->device_of[i] = device;
    }
    return true;
}

/* Operators in order, at least one for each device, so that the longest share is the shortest. */
static void spread_evenly(compiler *self, const tacho_estimate *estimate)
{
    int64_t least = 0;
    int64_t most = estimate->cycles;
    while (least < most) {
        int64_t middle = least + (most - least) / 2;
        if (spread_below(self, estimate, middle)) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    spread_below(self, estimate, most);
}

static tacho_status spread_devices(compiler *self)
{
    TACHO_TRY(tacho_items_make(&self->device_of, self->fusion->op_count));
    if (self->devices <= 1) {
        return TACHO_OK;
    }
    tacho_estimate estimate;
    tacho_estimate_options options = self->options->estimate;
    options.factor = self->options->batch;
    tacho_status status = tacho_estimate_init(&estimate, self->fusion, self->machine, &options);
    if (status == TACHO_OK) {
        spread_evenly(self, &estimate);
    }
    tacho_estimate_deinit(&estimate);
    return status;
}

/* ---- one way ------------------------------------------------------------------------------- */

static tacho_status add_dispatch(const compiler *self, tacho_program *program, uint32_t first,
                                 uint32_t count)
{
    char text[TACHO_SLICE_NAME_MAX];
    bool is_nss = tacho_machine_is_sequenced(self->machine);
    uint32_t number = (uint32_t)program->dispatch_count;
    if (self->devices > 1) {
        tacho_slice_name(self->name, number, self->devices, text);
    } else {
        snprintf(text, sizeof(text), is_nss ? "%.400s$async_dispatch_0" : "%.400s",
                 self->name.data);
    }
    if (is_nss) {
        tacho_make_plain_name(text);
    }
    tacho_dispatch_info dispatch = {.first_op = first, .op_count = count};
    TACHO_TRY(
        tacho_strings_ensure(&program->strings, tacho_str_from_cstring(text), &dispatch.name));
    TACHO_TRY(
        tacho_grow(&program->dispatches, &program->dispatch_capacity, program->dispatch_count + 1));
    program->dispatches[program->dispatch_count++] = dispatch;
    return TACHO_OK;
}

/* The ops, still without names, in their dispatches. */
static tacho_status add_ops(const compiler *self, tacho_program *program)
{
    uint32_t count = (uint32_t)self->fusion->op_count;
    TACHO_TRY(tacho_grow(&program->ops, &program->op_capacity, count));
    memset(program->ops, 0, count * sizeof(*program->ops));
    program->op_count = count;
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        program->ops[i].dispatch = (uint32_t)program->dispatch_count;
        bool is_last = i + 1 == count || self->device_of[i + 1] != self->device_of[i];
        if (is_last) {
            TACHO_TRY(add_dispatch(self, program, first, i + 1 - first));
            first = i + 1;
        }
    }
    return TACHO_OK;
}

static uint64_t whole_hz(const tacho_quantity *hz)
{
    return hz->value.den > 0 ? (uint64_t)(hz->value.num / hz->value.den) : 0;
}

/* Sets the machine's names of the counters. */
static tacho_status set_counters(const tacho_machine *machine, tacho_program *program)
{
    tacho_stats_config *stats = &program->facts.stats;
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        const tacho_counter_def *counter =
            tacho_machine_counter_find(machine, stats->pmu_events[i]);
        stats->pmu_counts[i] = counter != NULL ? (uint16_t)counter->event : TACHO_EVENT_OTHER;
        TACHO_TRY(tacho_strings_ensure(&program->strings,
                                       counter != NULL ? counter->name : TACHO_STR("unknown"),
                                       &stats->pmu_names[i]));
    }
    return TACHO_OK;
}

static tacho_status set_facts(const compiler *self, uint32_t cores, tacho_program *program)
{
    const tacho_compile_options *options = self->options;
    const tacho_machine *machine = self->machine;
    tacho_program_facts *facts = &program->facts;
    int64_t threads = tacho_quantity_whole(&machine->threads);
    *facts = (tacho_program_facts){
        .device_count = self->devices,
        .core_count = cores,
        .thread_count = threads > 0 ? (uint32_t)threads : 1,
        .batch_size = options->batch > 0 ? options->batch : 1,
        .core_clock_hz = whole_hz(&machine->core_clock_hz),
        .timer_hz = whole_hz(tacho_quantity_is_set(&machine->timer_hz) ? &machine->timer_hz
                                                                       : &machine->core_clock_hz),
        .random_weight_count = (uint32_t)self->fusion->graph->random_weight_count,
        .zero_weight_count = (uint32_t)self->fusion->graph->zero_weight_count,
        .fidelity = options->estimate.cost.fidelity,
        .stats = options->stats,
    };
    if (facts->fidelity == 0 && machine->fidelity_count > 0) {
        tacho_dtype compute = options->estimate.cost.compute;
        facts->fidelity = tacho_machine_fidelity_default(
            machine, compute != TACHO_DTYPE_NONE
                         ? compute
                         : tacho_machine_legalise(machine, TACHO_DTYPE_F32));
    }
    tacho_strings *strings = &program->strings;
    TACHO_TRY(tacho_strings_ensure(strings, self->name, &facts->name));
    TACHO_TRY(tacho_strings_ensure(strings, machine->name, &facts->machine));
    TACHO_TRY(tacho_strings_ensure(strings, machine->text, &facts->machine_text));
    TACHO_TRY(tacho_strings_ensure(strings, self->fusion->graph->path, &facts->model_path));
    TACHO_TRY(tacho_strings_ensure(strings, options->hardware, &facts->hardware));
    TACHO_TRY(set_counters(machine, program));
    return tacho_strings_ensure(strings, options->pmu_recipe, &facts->stats.pmu_recipe);
}

static bool is_mesh(const compiler *self)
{
    return tacho_quantity_is_set(&self->machine->mesh.buffer_bytes);
}

/* The width of a grid of |cores|, wide rather than high: a mesh has whole rows. */
static uint32_t grid_width(const compiler *self, uint32_t cores)
{
    uint32_t wide = (uint32_t)tacho_quantity_whole(&self->machine->grid_x);
    return is_mesh(self) && cores > wide ? wide : cores;
}

static tacho_estimate_options estimate_options(const compiler *self, const candidate *way)
{
    tacho_estimate_options estimate = self->options->estimate;
    estimate.placement = &way->placement;
    estimate.factor = self->options->batch;
    if (estimate.cost.grid_x == 0) {
        estimate.cost.grid_x = grid_width(self, way->cores);
        estimate.cost.grid_y = way->cores / estimate.cost.grid_x;
    }
    return estimate;
}

/* How operators are spread over the cores, and each core's share of their results. */
static tacho_status cut_candidate(const compiler *self, candidate *way, uint64_t *shares)
{
    tacho_placement_options nothing = {.cores = way->cores}; /* no room: all is shared */
    tacho_estimate estimate = {.ops = NULL};
    tacho_estimate_options options = estimate_options(self, way);
    TACHO_TRY(tacho_items_make(&way->cuts, self->fusion->op_count));
    tacho_status status = tacho_placement_init(&way->placement, self->fusion, &nothing);
    if (status == TACHO_OK) {
        status = tacho_estimate_init(&estimate, self->fusion, self->machine, &options);
    }
    if (status == TACHO_OK) {
        status = tacho_core_cuts_make(&estimate, way->cores, way->cuts, shares);
    }
    tacho_estimate_deinit(&estimate);
    tacho_placement_deinit(&way->placement);
    way->placement = (tacho_placement){.places = NULL};
    return status;
}

static tacho_status estimate_candidate(const compiler *self, candidate *way)
{
    tacho_placement_options usual =
        tacho_placement_usual(self->machine, way->cores, self->options->estimate.cost.compute);
    usual.factor = self->options->batch;
    usual.device_of = self->devices > 1 ? self->device_of : NULL;
    uint64_t *shares = NULL;
    tacho_status status = TACHO_OK;
    if (way->cores > 1 && tacho_schedule_is_tiled(self->machine)) {
        shares = tacho_items_alloc(self->fusion->graph->tensor_count, sizeof(*shares));
        status = shares != NULL ? cut_candidate(self, way, shares) : tacho_no_memory();
    }
    usual.shares = shares;
    if (status == TACHO_OK) {
        status = tacho_placement_init(&way->placement, self->fusion, &usual);
    }
    free(shares);
    TACHO_TRY(status);
    tacho_estimate_options options = estimate_options(self, way);
    return tacho_estimate_init(&way->estimate, self->fusion, self->machine, &options);
}

/*
 * How finely jobs of a mesh are split: with every operator on every core no more than JOBS_MAX, so
 * that memory grows with the network no faster than its operators do.
 */
static uint32_t segments_of(const compiler *self, const candidate *way)
{
    enum { JOBS_MAX = 1 << 19, SEGMENTS_MAX = 2, FIXED = 4, EACH = 3 };
    uint64_t units = tacho_size_multiply(self->fusion->op_count, way->cores);
    for (uint32_t i = is_mesh(self) ? SEGMENTS_MAX : 0; i > 0; i--) {
        if (tacho_size_multiply(units, FIXED + EACH * i) <= JOBS_MAX) {
            return i;
        }
    }
    return 0;
}

static tacho_status compile_candidate(const compiler *self, int64_t limit, candidate *way)
{
    TACHO_TRY(tacho_program_init(&way->program));
    TACHO_TRY(estimate_candidate(self, way));
    TACHO_TRY(tacho_items_make(&way->timings, self->fusion->op_count));
    bool is_tiled = tacho_schedule_is_tiled(self->machine);
    TACHO_TRY(set_facts(self, way->cores, &way->program));
    way->program.facts.grid_width = is_mesh(self) ? estimate_options(self, way).cost.grid_x : 0;
    TACHO_TRY(add_ops(self, &way->program));
    uint32_t segments = segments_of(self, way);
    tacho_schedule schedule = {
        .estimate = &way->estimate,
        .placement = &way->placement,
        .device_of = self->device_of,
        .cores = is_tiled || segments > 0 ? way->cores : 1,
        .devices = self->devices,
        .fidelity = self->options->estimate.cost.fidelity,
        .compute = self->options->estimate.cost.compute,
        .segments = segments,
        .options = estimate_options(self, way).cost,
        .limit = limit,
        .pace = self->options->pace,
        .done_count = way->number * self->fusion->op_count,
        .total_count = self->way_count * self->fusion->op_count,
        .bytes_max = self->job_bytes_max,
        .cuts = way->cuts,
        .program = &way->program,
        .timings = way->timings,
    };
    tacho_status status = tacho_schedule_run(&schedule);
    way->is_too_large = schedule.is_too_large;
    TACHO_TRY(status);
    way->is_complete = !schedule.is_abandoned;
    return TACHO_OK;
}

static void candidate_deinit(candidate *way)
{
    tacho_placement_deinit(&way->placement);
    tacho_estimate_deinit(&way->estimate);
    tacho_program_deinit(&way->program);
    free(way->timings);
    free(way->cuts);
}

/* ---- the best way -------------------------------------------------------------------------- */

static bool has_grid(const compiler *self)
{
    const tacho_cost_options *cost = &self->options->estimate.cost;
    return cost->grid_x > 0 && cost->grid_y > 0;
}

/* Cores to begin with: as many as requested, but whole rows of a mesh. */
static uint32_t first_cores(const compiler *self)
{
    const tacho_compile_options *options = self->options;
    uint32_t all = tacho_machine_cores(self->machine);
    uint32_t cores = options->cores > 0 && options->cores < all ? options->cores : all;
    if (has_grid(self)) {
        uint64_t asked = (uint64_t)options->estimate.cost.grid_x * options->estimate.cost.grid_y;
        return asked < cores ? (uint32_t)asked : cores;
    }
    return cores - cores % grid_width(self, cores);
}

/* Whether |cores| is |first| halved so and so often, or a power of two. */
static bool is_tried(uint32_t cores, uint32_t first)
{
    while (first > cores) {
        first /= 2;
    }
    return first == cores || (cores & (cores - 1)) == 0;
}

/*
 * The number of cores to try after |cores|; 0: no more. Halves are tried, so that twice the cores
 * are never slower. A mesh, whose candidates are cheap, tries every grid, so that more cores never
 * are.
 */
static uint32_t fewer_cores(const compiler *self, uint32_t cores, uint32_t first)
{
    if (has_grid(self)) {
        return 0;
    }
    cores--;
    if (is_mesh(self)) {
        return cores > 0 ? cores - cores % grid_width(self, cores) : 0;
    }
    while (cores > 0 && !is_tried(cores, first)) {
        cores--;
    }
    return cores;
}

/* Takes the way |other| where it is faster than the best, or the first that there is. */
static tacho_status try_cores(const compiler *self, candidate other, candidate *best,
                              bool *out_is_too_large)
{
    int64_t limit = best->is_complete ? best->program.facts.total_cycles - 1 : INT64_MAX;
    tacho_status status = compile_candidate(self, limit, &other);
    *out_is_too_large = other.is_too_large;
    if (status == TACHO_OK && other.is_complete) {
        candidate worse = *best;
        *best = other;
        other = worse;
    }
    candidate_deinit(&other);
    return status;
}

/* On a mesh jobs take the cycles of the estimate, so it finds the best number of cores. */
static tacho_status find_mesh_cores(const compiler *self, uint32_t first, uint32_t *out_cores)
{
    int64_t least = INT64_MAX;
    tacho_status status = TACHO_OK;
    *out_cores = first;
    for (uint32_t cores = first; status == TACHO_OK && cores > 0;
         cores = fewer_cores(self, cores, first)) {
        candidate way = {.cores = cores};
        status = tacho_program_init(&way.program);
        status = status == TACHO_OK ? estimate_candidate(self, &way) : status;
        if (status == TACHO_OK && way.estimate.cycles < least) {
            least = way.estimate.cycles;
            *out_cores = cores;
        }
        candidate_deinit(&way);
    }
    return status;
}

static tacho_status compile_mesh(compiler *self, candidate *best)
{
    bool is_too_large;
    candidate way = {.cores = 0};
    self->way_count = 1;
    TACHO_TRY(find_mesh_cores(self, first_cores(self), &way.cores));
    return try_cores(self, way, best, &is_too_large);
}

/* All cores and the smaller numbers that are tried, as far as they fit; fails when none does. */
static tacho_status find_best(compiler *self, candidate *best)
{
    if (is_mesh(self)) {
        return compile_mesh(self, best);
    }
    uint32_t first = first_cores(self);
    uint64_t number = 0;
    tacho_status none = TACHO_OK; /* why the first that failed does not fit */
    for (uint32_t cores = first; cores > 0; cores = fewer_cores(self, cores, first)) {
        self->way_count++;
    }
    for (uint32_t cores = first; cores > 0; cores = fewer_cores(self, cores, first)) {
        bool is_too_large;
        candidate way = {.cores = cores, .number = number++};
        tacho_status status = try_cores(self, way, best, &is_too_large);
        bool is_unfit =
            tacho_status_code(status) == TACHO_CODE_LIMIT && (!is_too_large || best->is_complete);
        if (status != TACHO_OK && !is_unfit) { /* fewer cores for want of memory would mislead */
            tacho_status_free(none);
            return status;
        }
        none = tacho_status_first(none, status);
    }
    if (best->is_complete) {
        tacho_status_free(none);
        return TACHO_OK;
    }
    return none;
}

/* The batch in turns of |part| inferences, if that is faster than |best| in |turns| turns. */
static tacho_status try_turns(compiler *self, uint32_t part, candidate *best, uint64_t *turns)
{
    const tacho_compile_options *asked = self->options;
    tacho_compile_options options = *asked;
    candidate other = {.cores = 0};
    uint64_t count = tacho_ceil_div(asked->batch, part);
    options.batch = part;
    self->options = &options;
    tacho_status status = find_best(self, &other);
    self->options = asked;
    if (status == TACHO_OK && tacho_cycles_multiply(other.program.facts.total_cycles, count) <
                                  tacho_cycles_multiply(best->program.facts.total_cycles, *turns)) {
        candidate worse = *best;
        *best = other;
        other = worse;
        *turns = count;
    }
    candidate_deinit(&other);
    return status;
}

/*
 * All of a batch at once, and where its results do not fit local memory in turns: half of it at a
 * time, a quarter and so on, as long as that is faster. Parts that are not a power of two may leave
 * cores idle, so the next smaller one is tried, too. Software of meshes takes a few inferences at
 * once, however slow: it is measured so.
 */
enum { MESH_PART_MIN = 8 };

static tacho_status find_turns(compiler *self, candidate *best, uint64_t *out_turns)
{
    uint32_t batch = self->options->batch;
    uint32_t least = is_mesh(self) ? MESH_PART_MIN : 1;
    bool can = self->devices == 1 && (tacho_schedule_is_tiled(self->machine) || is_mesh(self)) &&
               !tacho_machine_is_sequenced(self->machine);
    *out_turns = 1;
    TACHO_TRY(find_best(self, best));
    for (uint32_t part = batch;
         can && part >= 2 * least && tacho_batch_turns_help(&best->estimate);) {
        uint64_t before = *out_turns;
        part = (part + 1) / 2;
        uint32_t power = 1;
        while (power <= part / 2) {
            power *= 2;
        }
        TACHO_TRY(try_turns(self, part, best, out_turns));
        if (power < part && power >= least) {
            TACHO_TRY(try_turns(self, power, best, out_turns));
        }
        can = *out_turns != before;
    }
    return TACHO_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Counts the shared memory traffic of each operator's jobs. */
static void count_traffic(const tacho_program *program, tacho_op_timing *timings)
{
    tacho_traffic traffic = {0};
    for (size_t i = 0; i < program->op_count; i++) {
        timings[i].ddr_read_bytes = timings[i].ddr_write_bytes = 0;
    }
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        tacho_op_timing *timing = &timings[job->op];
        timing->ddr_read_bytes += tacho_traffic_read(&traffic, job);
        timing->ddr_write_bytes += tacho_traffic_written(job);
    }
}

/* Sets the estimate's times from the schedule, so that tables and programs agree. */
static tacho_status retime(const compiler *self, candidate *way)
{
    tacho_program *program = &way->program;
    way->estimate.devices = self->devices;
    count_traffic(program, way->timings);
    int64_t *busy = NULL;
    TACHO_TRY(tacho_items_make(&busy, program->engine_count));
    for (size_t i = 0; i < program->op_count; i++) {
        tacho_op_timing *timing = &way->timings[i];
        timing->cycles = tacho_program_op_span(program, &program->ops[i], &timing->start_cycles);
        timing->device = self->device_of[i];
        program->ops[i].cycles = timing->cycles;
        tacho_op_busy(program, &program->ops[i], busy, timing);
    }
    free(busy);
    TACHO_TRY(tacho_estimate_retime(&way->estimate, way->timings));
    program->facts.moved_bytes = way->estimate.ddr_bytes;
    return TACHO_OK;
}

/* Lays out the records of one inference; an estimate needs none. */
static tacho_status lay_out_stats(tacho_program *program)
{
    tacho_stats_layout layout;
    tacho_status status = tacho_stats_layout_init(&layout, program);
    program->facts.stats.buffer_bytes = layout.buffer_bytes;
    tacho_stats_layout_deinit(&layout);
    return status;
}

static tacho_status compile(compiler *self, candidate *best)
{
    bool is_limited = self->options->has_values && !tacho_machine_is_computer(self->machine);
    if (is_limited) {
        TACHO_TRY_NOTE(tacho_memory_check_operators(self->fusion, self->machine,
                                                    self->options->estimate.cost.compute),
                       "%.*s does not fit its machine", TACHO_STR_ARG(self->fusion->graph->path));
    }
    TACHO_TRY(find_room(self));
    TACHO_TRY(spread_devices(self));
    uint64_t turns;
    TACHO_TRY(find_turns(self, best, &turns));
    if (turns > 1) {
        TACHO_TRY(tacho_batch_turns_take(turns, self->options->batch, &best->program,
                                         &best->estimate, best->timings));
    }
    TACHO_TRY(retime(self, best));
    tacho_placement_deinit(&best->placement); /* values need room */
    best->placement = (tacho_placement){.places = NULL};
    TACHO_TRY(tacho_values_fill(&best->estimate, self->options->has_values, &best->program));
    if (is_limited) {
        TACHO_TRY_NOTE(tacho_memory_check(&best->estimate, &best->program),
                       "%.*s does not fit its machine", TACHO_STR_ARG(self->fusion->graph->path));
    }
    uint64_t *peak = &best->program.facts.local_peak_bytes;
    TACHO_TRY(tacho_program_local_peak(&best->program, peak));
    best->estimate.local_peak_bytes = *peak;
    tacho_strings_pack(&best->program.strings);
    return self->options->has_values ? lay_out_stats(&best->program) : TACHO_OK;
}

tacho_status tacho_compile_program(const tacho_fusion *fusion, const tacho_machine *machine,
                                   const tacho_compile_options *options,
                                   tacho_estimate *out_estimate, tacho_program *out_program)
{
    uint64_t most = fusion->op_count > 0 ? fusion->op_count : 1;
    compiler self = {
        .fusion = fusion,
        .machine = machine,
        .options = options,
        .devices = options->devices > 0 ? options->devices : 1,
        .name = options->network_name,
    };
    self.devices = self.devices < most ? self.devices : (uint32_t)most;
    if (self.name.len == 0) {
        self.name = tacho_graph_string(fusion->graph, fusion->graph->name);
        self.name = self.name.len > 0 ? self.name : TACHO_STR("main");
    }
    candidate best = {.cores = 0};
    tacho_status status = compile(&self, &best);
    free(self.device_of);
    free(best.timings);
    free(best.cuts);
    tacho_placement_deinit(&best.placement);
    *out_estimate = best.estimate;
    *out_program = best.program;
    return status;
}
