/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over the jobs of a program, by core.
 */
#include "estimates/program_metrics.h"

#include "estimates/estimates.h"
#include "estimates/estimate_tables.h"
#include "base/grow.h"
#include "program/traffic.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARNINGS_MAX = 8,        /* of one kind */
    IMBALANCE_PERCENT = 125, /* the busiest core, of the mean */
    SHORT_JOB_CYCLES = 64,
    SHORT_JOBS_MIN = 16, /* fewer are not worth a warning */
    SHARE_PERCENT = 10,  /* nor is a smaller share of the whole */
};

/* ---- sums ---------------------------------------------------------------------------------- */

typedef struct core_sum {
    uint64_t macs;
    uint64_t read_bytes, written_bytes; /* shared memory */
    uint64_t copied_bytes;              /* between cores, or memories of one */
    uint64_t link_bytes;                /* from other devices */
    uint64_t job_count, wait_count, short_count;
    int64_t busy_cycles; /* of its busiest engine that computes */
} core_sum;

typedef struct core_sums {
    core_sum *items;
    size_t count, per_device;
    int64_t *engine_cycles; /* by engine of the program */
    tacho_traffic traffic;
} core_sums;

static void add_job(core_sums *sums, const tacho_program *program, const tacho_job *job)
{
    const tacho_program_engine *engine = &program->engines[job->engine];
    core_sum *sum = &sums->items[engine->device * sums->per_device + engine->core];
    sum->job_count++;
    sum->written_bytes += tacho_traffic_written(job);
    sums->items[tacho_traffic_reader(program, job)].read_bytes +=
        tacho_traffic_read(&sums->traffic, job);
    switch ((tacho_job_kind)job->kind) {
    case TACHO_JOB_COPY:
        sum->copied_bytes += job->bytes;
        break;
    case TACHO_JOB_P2P:
        sum->link_bytes += job->bytes;
        break;
    case TACHO_JOB_COMPUTE:
    case TACHO_JOB_CONTROL:
        sum->macs += job->macs;
        sum->short_count += job->cycles < SHORT_JOB_CYCLES ? 1 : 0;
        sums->engine_cycles[job->engine] += job->end - job->start;
        if (sums->engine_cycles[job->engine] > sum->busy_cycles) {
            sum->busy_cycles = sums->engine_cycles[job->engine];
        }
        break;
    case TACHO_JOB_LOAD:
    case TACHO_JOB_STORE:
    case TACHO_JOB_SIGNAL:
    case TACHO_JOB_KIND_COUNT:
        break;
    case TACHO_JOB_WAIT:
        sum->wait_count++;
        break;
    }
}

static tacho_status open_sums(core_sums *sums, const tacho_program *program)
{
    const tacho_program_facts *facts = &program->facts;
    *sums = (core_sums){.per_device = facts->core_count > 0 ? facts->core_count : 1};
    sums->count = (facts->device_count > 0 ? facts->device_count : 1) * sums->per_device;
    sums->items = calloc(sums->count, sizeof(*sums->items));
    sums->engine_cycles = tacho_items_alloc(program->engine_count, sizeof(*sums->engine_cycles));
    if (sums->items == NULL || sums->engine_cycles == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu cores", sums->count);
    }
    for (size_t i = 0; i < program->job_count; i++) {
        add_job(sums, program, &program->jobs[i]);
    }
    return TACHO_OK;
}

static void close_sums(core_sums *sums)
{
    free(sums->items);
    free(sums->engine_cycles);
}

/* ---- tables -------------------------------------------------------------------------------- */

static tacho_status add_count(tacho_table *table, uint64_t value)
{
    return tacho_table_add_int(table, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static tacho_status add_metric(tacho_table *table, const char *name, uint64_t value)
{
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(name)));
    return add_count(table, value);
}

static tacho_status add_metrics(const tacho_program *program, const core_sums *sums,
                                uint64_t image_bytes, tacho_table *table)
{
    const tacho_program_facts *facts = &program->facts;
    core_sum all = {0};
    for (size_t i = 0; i < sums->count; i++) {
        const core_sum *sum = &sums->items[i];
        all.macs += sum->macs;
        all.read_bytes += sum->read_bytes;
        all.written_bytes += sum->written_bytes;
        all.copied_bytes += sum->copied_bytes;
        all.link_bytes += sum->link_bytes;
        all.job_count += sum->job_count;
        all.wait_count += sum->wait_count;
    }
    TACHO_TRY(add_metric(table, "estimated cycles", (uint64_t)facts->total_cycles));
    TACHO_TRY(add_metric(table, "multiply-accumulates", all.macs));
    TACHO_TRY(add_metric(table, "bytes read from DDR", all.read_bytes));
    TACHO_TRY(add_metric(table, "bytes written to DDR", all.written_bytes));
    TACHO_TRY(add_metric(table, "bytes between cores and memories", all.copied_bytes));
    if (facts->device_count > 1) {
        TACHO_TRY(add_metric(table, "bytes between devices", all.link_bytes));
    }
    TACHO_TRY(
        add_metric(table, "bytes of constants, as the machine keeps them", facts->constant_bytes));
    TACHO_TRY(add_metric(table, "bytes of local memory at most", facts->local_peak_bytes));
    TACHO_TRY(add_metric(table, "bytes of DDR", facts->ddr_bytes));
    TACHO_TRY(add_metric(table, "jobs", all.job_count));
    TACHO_TRY(add_metric(table, "barriers and waits", all.wait_count));
    return image_bytes > 0 ? add_metric(table, "bytes of the program", image_bytes) : TACHO_OK;
}

/* Metrics of the whole program: arithmetic, traffic, sizes, and how often cores wait for one
 * another. */
static tacho_status make_metrics(const tacho_program *program, uint64_t image_bytes,
                                 tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(METRIC, "metric", TEXT),
        TACHO_COLUMN(VALUE, "value", INT),
    };
    core_sums sums;
    tacho_table_init(out_table, "metrics", "Performance metrics", columns, 2);
    tacho_status status = open_sums(&sums, program);
    if (status == TACHO_OK) {
        status = add_metrics(program, &sums, image_bytes, out_table);
    }
    close_sums(&sums);
    return status;
}

static tacho_status add_cores(const core_sums *sums, tacho_table *table)
{
    for (size_t i = 0; i < sums->count; i++) {
        const core_sum *sum = &sums->items[i];
        TACHO_TRY(add_count(table, i / sums->per_device));
        TACHO_TRY(add_count(table, i % sums->per_device));
        TACHO_TRY(add_count(table, sum->macs));
        TACHO_TRY(add_count(table, sum->read_bytes));
        TACHO_TRY(add_count(table, sum->written_bytes));
        TACHO_TRY(add_count(table, sum->copied_bytes));
        TACHO_TRY(add_count(table, sum->wait_count));
        TACHO_TRY(tacho_table_add_int(table, sum->busy_cycles));
    }
    return TACHO_OK;
}

/* One row per core of each device. */
static tacho_status make_cores(const tacho_program *program, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(DEVICE, "device", INT),
        TACHO_COLUMN(CORE, "core", INT),
        TACHO_COLUMN(MACS, "MACs", INT),
        TACHO_COLUMN(DDR_READ_BYTES, "DDR read B", INT),
        TACHO_COLUMN(DDR_WRITE_BYTES, "DDR written B", INT),
        TACHO_COLUMN(COPIED_BYTES, "copied B", INT),
        TACHO_COLUMN(WAIT_COUNT, "waits", INT),
        TACHO_COLUMN(BUSY_CYCLES, "busy cycles", INT),
    };
    core_sums sums;
    tacho_table_init(out_table, "cores", "Cores", columns, sizeof(columns) / sizeof(columns[0]));
    static const tacho_column_id kept[] = {TACHO_COL_CORE, TACHO_COL_DEVICE, TACHO_COL_BUSY_CYCLES,
                                           TACHO_COL_OTHER};
    out_table->kept = kept;
    tacho_status status = open_sums(&sums, program);
    if (status == TACHO_OK) {
        status = add_cores(&sums, out_table);
    }
    close_sums(&sums);
    return status;
}

/* ---- warnings ------------------------------------------------------------------------------ */

/* Only the first few warnings of each kind are shown. */
static bool is_said(size_t *count)
{
    return (*count)++ < WARNINGS_MAX;
}

static void warn_rest(const tacho_notes *notes, size_t count, const char *what)
{
    if (count > WARNINGS_MAX) {
        tacho_note(notes, "warning", "%zu more operators %s", count - WARNINGS_MAX, what);
    }
}

typedef struct operator_warnings {
    const tacho_estimate *estimate;
    const tacho_notes *notes;
    bool *is_returned; /* by tensor: it, or a view of it, is an output of the network */
    tacho_arena arena;
    size_t spilled_count, scalar_count;
} operator_warnings;

static tacho_status find_returned(operator_warnings *self)
{
    const tacho_fusion *fusion = self->estimate->fusion;
    const tacho_graph *graph = fusion->graph;
    self->is_returned = tacho_items_alloc(graph->tensor_count, sizeof(*self->is_returned));
    if (self->is_returned == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu tensors",
                          graph->tensor_count);
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        self->is_returned[fusion->alias[graph->outputs[i]]] = true;
    }
    return TACHO_OK;
}

/* Whether an operator writes data to shared memory that the network does not return. */
static bool spills(const operator_warnings *self, size_t op)
{
    const tacho_fusion *fusion = self->estimate->fusion;
    const tacho_fused_op *fused = &fusion->ops[op];
    bool is_returned = false;
    for (uint32_t i = 0; i < fused->output_count && !is_returned; i++) {
        uint32_t tensor = fusion->tensors[fused->first_output + i];
        is_returned = self->is_returned[fusion->alias[tensor]];
    }
    return !is_returned && self->estimate->ops[op].ddr_write_bytes > 0;
}

static tacho_status warn_operator(operator_warnings *self, size_t op)
{
    const tacho_op_estimate *facts = &self->estimate->ops[op];
    const tacho_engine *engine = facts->cost.engine != TACHO_NONE
                                     ? &self->estimate->machine->engines[facts->cost.engine]
                                     : NULL;
    tacho_str name;
    tacho_arena_reset(&self->arena);
    TACHO_TRY(tacho_estimate_op_name(self->estimate, op, &self->arena, &name));
    if (spills(self, op) && is_said(&self->spilled_count)) {
        tacho_note(self->notes, "warning",
                   "%.*s: %" PRIu64 " bytes of its result do not stay in local memory",
                   TACHO_STR_ARG(name), facts->ddr_write_bytes);
    }
    if (engine != NULL && engine->class == TACHO_ENGINE_CONTROL && is_said(&self->scalar_count)) {
        tacho_note(self->notes, "warning", "%.*s: runs on %.*s, which is not a tensor engine",
                   TACHO_STR_ARG(name), TACHO_STR_ARG(engine->name));
    }
    return TACHO_OK;
}

static tacho_status warn_operators(const tacho_estimate *estimate, const tacho_notes *notes)
{
    operator_warnings self = {.estimate = estimate, .notes = notes};
    tacho_arena_init(&self.arena);
    tacho_status status = find_returned(&self);
    for (size_t i = 0; status == TACHO_OK && i < estimate->fusion->op_count; i++) {
        status = warn_operator(&self, i);
    }
    warn_rest(notes, self.spilled_count, "whose results do not stay in local memory");
    warn_rest(notes, self.scalar_count, "that do not run on a tensor engine");
    free(self.is_returned);
    tacho_arena_deinit(&self.arena);
    return status;
}

/* Warns about the cost of starting operators if it takes a considerable share of the whole. */
static tacho_status warn_launches(const tacho_estimate *estimate, const tacho_notes *notes)
{
    int64_t cycles = estimate->bound_cycles[TACHO_BOUND_LAUNCH];
    size_t most = 0;
    if (estimate->cycles <= 0 || cycles < estimate->cycles / 100 * SHARE_PERCENT) {
        return TACHO_OK;
    }
    for (size_t i = 1; i < estimate->fusion->op_count; i++) {
        bool is_launch = estimate->ops[i].cost.bound == TACHO_BOUND_LAUNCH;
        if (is_launch && (estimate->ops[most].cost.bound != TACHO_BOUND_LAUNCH ||
                          estimate->ops[i].cost.cycles > estimate->ops[most].cost.cycles)) {
            most = i;
        }
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_str name;
    tacho_status status = tacho_estimate_op_name(estimate, most, &arena, &name);
    if (status == TACHO_OK) {
        tacho_note(notes, "warning",
                   "%zu of %zu operators take longer to start than to run, %.0f %% of the time; "
                   "the longest is %.*s: fewer cores or a larger batch may help",
                   estimate->bound_ops[TACHO_BOUND_LAUNCH], estimate->fusion->op_count,
                   100.0 * (double)cycles / (double)estimate->cycles, TACHO_STR_ARG(name));
    }
    tacho_arena_deinit(&arena);
    return status;
}

static void warn_cores(const core_sums *sums, const tacho_notes *notes)
{
    int64_t most = 0;
    int64_t total = 0;
    uint64_t short_count = 0;
    uint64_t job_count = 0;
    size_t used = 0;
    for (size_t i = 0; i < sums->count; i++) {
        const core_sum *sum = &sums->items[i];
        most = sum->busy_cycles > most ? sum->busy_cycles : most;
        total += sum->busy_cycles;
        used += sum->busy_cycles > 0 ? 1 : 0;
        short_count += sum->short_count;
        job_count += sum->job_count;
    }
    if (used > 1 && most > total / (int64_t)used * IMBALANCE_PERCENT / 100) {
        tacho_note(notes, "warning",
                   "the busiest core computes for %" PRId64
                   " cycles, the mean of %zu cores is %" PRId64,
                   most, used, total / (int64_t)used);
    }
    if (used > 0 && used < sums->count) {
        tacho_note(notes, "warning", "%zu of %zu cores compute nothing", sums->count - used,
                   sums->count);
    }
    if (short_count >= SHORT_JOBS_MIN && short_count * 100 >= job_count * SHARE_PERCENT) {
        tacho_note(notes, "warning",
                   "%" PRIu64 " of %" PRIu64 " jobs compute for less than %d cycles", short_count,
                   job_count, SHORT_JOB_CYCLES);
    }
}

tacho_status tacho_compile_warn(const tacho_estimate *estimate, const tacho_program *program,
                                const tacho_notes *notes)
{
    core_sums sums;
    TACHO_TRY(warn_operators(estimate, notes));
    TACHO_TRY(warn_launches(estimate, notes));
    tacho_status status = open_sums(&sums, program);
    if (status == TACHO_OK) {
        warn_cores(&sums, notes);
    }
    close_sums(&sums);
    return status;
}

/* ---- as tables ----------------------------------------------------------------------------- */

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_compiled_subject *compiled = subject;
    tacho_table table = {0};
    (void)options;
    tacho_status status = make_metrics(compiled->program, compiled->file_bytes, &table);
    TACHO_TRY(tacho_table_hand_over(to, status, &table));
    status = make_cores(compiled->program, &table);
    return tacho_table_hand_over(to, status, &table);
}

const tacho_analysis tacho_analysis_metrics = {
    .name = "metrics",
    .question = "what is a compiled program made of, and how is it spread over cores",
    .subject = TACHO_SUBJECT_COMPILED,
    .make = make_tables,
};
