/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of inferences from records: threads (level 40), counters and traffic (if recorded), ports
 * (50). Writing the stats at the end is not part of an inference.
 */
#include "sinks/qaic/runner.h"

#include "base/grow.h"
#include "program/pmu.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- one inference ------------------------------------------------------------------------- */

static double us_of(const tacho_stats_head *head, uint64_t ticks)
{
    return head->timer_hz > 0 ? (double)ticks * 1e6 / (double)head->timer_hz : 0;
}

/* Cycles of a thread up to the flush. */
static double work_cycles(const tacho_stats_thread *thread)
{
    return (double)(thread->end_p - thread->start_p - tacho_stats_flush_cycles(thread));
}

static void take_threads(const tacho_stats_buffer *buffer, const tacho_stats_array *array,
                         tacho_run_qaic_facts *facts)
{
    const tacho_stats_thread *records = array->records;
    uint64_t start = UINT64_MAX;
    uint64_t end = 0;
    uint64_t last = 0;
    double cycles = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        last = records[i].end_u > last ? records[i].end_u : last;
        start = records[i].start_u < start ? records[i].start_u : start;
        end = records[i].flush_start_u > end ? records[i].flush_start_u : end;
        double own = work_cycles(&records[i]);
        cycles = own > cycles ? own : cycles;
    }
    if (end >= start) {
        facts->exec_us = us_of(&buffer->head, end - start);
        facts->flush_us = us_of(&buffer->head, last - end);
        facts->pcycles = cycles;
    }
}

/* The longest wait of any thread. */
static void take_ports(const tacho_stats_buffer *buffer, const tacho_stats_array *array,
                       tacho_run_qaic_facts *facts)
{
    const tacho_stats_port *records = array->records;
    facts->input_wait_us = facts->input_wait_us < 0 ? 0 : facts->input_wait_us;
    facts->output_wait_us = facts->output_wait_us < 0 ? 0 : facts->output_wait_us;
    for (uint32_t i = 0; i < array->count; i++) {
        double wait = us_of(&buffer->head, records[i].wait_u);
        double *most = records[i].is_output ? &facts->output_wait_us : &facts->input_wait_us;
        *most = wait > *most ? wait : *most;
    }
}

static void take_traffic(const tacho_stats_array *array, tacho_run_qaic_facts *facts)
{
    const tacho_stats_ddr *records = array->records;
    facts->ddr_bytes = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        facts->ddr_bytes += (double)records[i].read_bytes + (double)records[i].write_bytes;
    }
}

static void take_counters(const tacho_stats_array *array, const tacho_stats_config *stats,
                          tacho_run_qaic_facts *facts)
{
    const tacho_stats_core_pmu *records = array->records;
    for (uint32_t i = 0; i < array->count; i++) {
        for (uint32_t k = 0; k < stats->pmu_event_count; k++) {
            double *cycles = stats->pmu_counts[k] == TACHO_EVENT_COMPUTE  ? &facts->hmx_cycles
                             : stats->pmu_counts[k] == TACHO_EVENT_VECTOR ? &facts->hvx_cycles
                             : stats->pmu_counts[k] == TACHO_EVENT_DMA    ? &facts->dma_cycles
                                                                          : NULL;
            if (cycles != NULL) {
                *cycles = (*cycles < 0 ? 0 : *cycles) + (double)records[i].values[k];
            }
        }
    }
}

static tacho_run_qaic_facts facts_of(const tacho_stats_buffer *buffer, const tacho_program *program)
{
    tacho_run_qaic_facts facts = {.activation = buffer->head.activation,
                                  .device = buffer->head.device,
                                  .exec_us = -1,
                                  .flush_us = -1,
                                  .input_wait_us = -1,
                                  .output_wait_us = -1,
                                  .pcycles = -1,
                                  .ddr_bytes = -1,
                                  .hmx_cycles = -1,
                                  .hvx_cycles = -1,
                                  .dma_cycles = -1};
    for (size_t i = 0; i < buffer->array_count; i++) {
        const tacho_stats_array *array = &buffer->arrays[i];
        if (array->count == 0) {
            continue;
        }
        if (array->type == TACHO_STATS_TYPE_thread) {
            take_threads(buffer, array, &facts);
        } else if (array->type == TACHO_STATS_TYPE_port) {
            take_ports(buffer, array, &facts);
        } else if (array->type == TACHO_STATS_TYPE_ddr) {
            take_traffic(array, &facts);
        } else if (array->type == TACHO_STATS_TYPE_core_pmu) {
            take_counters(array, &program->facts.stats, &facts);
        }
    }
    return facts;
}

/* ---- all of them --------------------------------------------------------------------------- */

/* Rows of the report, in its order; the first three are always present. */
#define METRICS(X)                                                                                 \
    X(EXEC, "ExecTimeUs")                                                                          \
    X(INPUT_WAIT, "InputWaitTimeUs")                                                               \
    X(OUTPUT_WAIT, "OutputWaitTimeUs")                                                             \
    X(PCYCLES, "InfPCycles")                                                                       \
    X(RATE, "InfPerSec")                                                                           \
    X(HMX, "HMXActivePct")                                                                         \
    X(HVX, "HVXActivePct")                                                                         \
    X(DMA, "DMAActivePct")                                                                         \
    X(TRAFFIC, "DDRTrafficMB")                                                                     \
    X(BANDWIDTH, "DDRBandwidthGBPerSec")

enum {
#define METRIC_ENUM(name, text) METRIC_##name,
    METRICS(METRIC_ENUM)
#undef METRIC_ENUM
        METRIC_COUNT
};

static void add_value(tacho_run_qaic_spread *self, double value)
{
    if (value < 0) {
        return;
    }
    self->least = self->count == 0 || value < self->least ? value : self->least;
    self->most = self->count == 0 || value > self->most ? value : self->most;
    double before = value - self->mean;
    self->count++;
    self->mean += before / (double)self->count;
    self->square_sum += before * (value - self->mean);
}

static double percent_of(double cycles, double all)
{
    return cycles >= 0 && all > 0 ? 100 * cycles / all : -1;
}

/* The number of inferences that one run counts as: the batch, or the value of -stats-batchsize. */
static uint32_t batch_of(const tacho_program *program)
{
    uint32_t told = program->facts.stats.batch_size;
    return told > 1 ? told : program->facts.batch_size;
}

static void add_facts(tacho_run_qaic_spread *metrics, const tacho_run_qaic_facts *facts,
                      const tacho_program *program)
{
    double batch = (double)batch_of(program);
    double core_cycles = facts->pcycles * (double)program->facts.core_count;
    bool has_time = facts->exec_us > 0;
    bool has_traffic = facts->ddr_bytes >= 0;
    add_value(&metrics[METRIC_EXEC], facts->exec_us);
    add_value(&metrics[METRIC_INPUT_WAIT], facts->input_wait_us);
    add_value(&metrics[METRIC_OUTPUT_WAIT], facts->output_wait_us);
    add_value(&metrics[METRIC_PCYCLES], facts->pcycles);
    add_value(&metrics[METRIC_RATE], has_time ? batch * 1e6 / facts->exec_us : -1);
    add_value(&metrics[METRIC_HMX], percent_of(facts->hmx_cycles, core_cycles));
    add_value(&metrics[METRIC_HVX], percent_of(facts->hvx_cycles, core_cycles));
    add_value(&metrics[METRIC_DMA], percent_of(facts->dma_cycles, core_cycles));
    add_value(&metrics[METRIC_TRAFFIC], has_traffic ? facts->ddr_bytes / 1e6 : -1);
    add_value(&metrics[METRIC_BANDWIDTH],
              has_traffic && has_time ? facts->ddr_bytes / 1e3 / facts->exec_us : -1);
}

static tacho_status add_row(tacho_run_qaic *self, const tacho_run_sample *sample,
                            const tacho_run_qaic_facts *facts)
{
    TACHO_TRY(tacho_grow(&self->rows, &self->row_capacity, self->row_count + 1));
    self->rows[self->row_count++] = (tacho_run_qaic_row){
        .sample = self->sample_count,
        .stages = tacho_qaic_stages_of(sample),
        .facts = *facts,
    };
    return TACHO_OK;
}

tacho_status tacho_run_qaic_take(void *taker, const tacho_program *program,
                                 const tacho_run_sample *sample)
{
    tacho_run_qaic *self = taker;
    const tacho_device_result *result = &sample->result;
    if (self->metrics == NULL) {
        self->metrics = tacho_items_alloc((size_t)program->facts.device_count * METRIC_COUNT,
                                          sizeof(*self->metrics));
        if (self->metrics == NULL) {
            return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %u devices",
                              (unsigned)program->facts.device_count);
        }
    }
    for (size_t i = 0; i < result->stats_count; i++) {
        tacho_run_qaic_facts facts = facts_of(&result->stats[i], program);
        add_facts(&self->metrics[(size_t)facts.device * METRIC_COUNT], &facts, program);
        add_value(&self->flush, facts.flush_us);
        if (self->keeps_rows) {
            TACHO_TRY(add_row(self, sample, &facts));
        }
    }
    if (self->keeps_rows && result->stats_count == 0) { /* the program does not record anything */
        tacho_stats_buffer nothing = {.array_count = 0};
        tacho_run_qaic_facts facts = facts_of(&nothing, program);
        TACHO_TRY(add_row(self, sample, &facts));
    }
    self->sample_count++;
    return TACHO_OK;
}

void tacho_run_qaic_deinit(tacho_run_qaic *qaic)
{
    free(qaic->metrics);
    free(qaic->rows);
}

static tacho_status add_metric(tacho_table *table, const char *name,
                               const tacho_run_qaic_spread *values)
{
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(name)));
    if (values->count == 0) {
        bool is_text = table->columns[1].type == TACHO_COLUMN_TEXT;
        for (int i = 0; i < 4; i++) {
            TACHO_TRY(is_text ? tacho_table_add_text(table, TACHO_STR("-"))
                              : tacho_table_add_absent(table));
        }
        return TACHO_OK;
    }
    TACHO_TRY(tacho_table_add_real(table, values->mean));
    TACHO_TRY(tacho_table_add_real(table, values->least));
    TACHO_TRY(tacho_table_add_real(table, values->most));
    return tacho_table_add_real(table, sqrt(values->square_sum / (double)values->count));
}

/* "ExecTimeUs_Func_0", or "ExecTimeUs_Dev_1_Func_0" with several devices. */
static tacho_status add_device(const tacho_run_qaic *self, uint32_t device, bool is_one_of_several,
                               tacho_table *table)
{
    static const char *const names[METRIC_COUNT] = {
#define METRIC_NAME(name, text) text,
        METRICS(METRIC_NAME)
#undef METRIC_NAME
    };
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        tacho_run_qaic_spread values = {.count = 0};
        char name[64];
        char of_device[24] = "";
        if (self->metrics != NULL) {
            values = self->metrics[(size_t)device * METRIC_COUNT + i];
        }
        if (is_one_of_several) {
            snprintf(of_device, sizeof(of_device), "_Dev_%" PRIu32, device);
        }
        snprintf(name, sizeof(name), "%s%s_Func_0", names[i], of_device);
        if (values.count > 0 || i <= METRIC_OUTPUT_WAIT) {
            TACHO_TRY(add_metric(table, name, &values));
        }
    }
    return TACHO_OK;
}

/* Whether the program did not record anything on any device. */
static bool is_empty(const tacho_run_qaic *self, uint32_t devices)
{
    bool has_any = false;
    for (size_t i = 0; self->metrics != NULL && i < (size_t)devices * METRIC_COUNT; i++) {
        has_any = has_any || self->metrics[i].count > 0;
    }
    return !has_any;
}

tacho_status tacho_run_qaic_table(const tacho_run_qaic *qaic, const tacho_recording *recording,
                                  tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(METRIC, "Metric", TEXT), TACHO_COLUMN(AVG, "Avg", REAL),
        TACHO_COLUMN(MIN, "Min", REAL),       TACHO_COLUMN(MAX, "Max", REAL),
        TACHO_COLUMN(STD, "Std", REAL),
    };
    /* Columns without a number would be hidden, and the rest would look like a list. */
    static const tacho_column dashes[] = {
        TACHO_COLUMN(METRIC, "Metric", TEXT), TACHO_COLUMN(AVG, "Avg", TEXT),
        TACHO_COLUMN(MIN, "Min", TEXT),       TACHO_COLUMN(MAX, "Max", TEXT),
        TACHO_COLUMN(STD, "Std", TEXT),
    };
    uint32_t devices = recording->program->facts.device_count;
    tacho_table_init(out_table, "device_metrics", "Aggregated Device Metrics Report",
                     is_empty(qaic, devices) ? dashes : columns, 5);
    for (uint32_t i = 0; i < devices; i++) {
        TACHO_TRY(add_device(qaic, i, devices > 1, out_table));
    }
    return TACHO_OK;
}

void tacho_run_qaic_print_line(const tacho_recording *recording, tacho_output *output)
{
    const tacho_run_totals *totals = &recording->totals;
    uint32_t batch = batch_of(recording->program);
    uint64_t count =
        (uint64_t)totals->latency_count * recording->device.activations * (batch > 0 ? batch : 1);
    int64_t all_ns = totals->device_ns + totals->wait_ns + totals->fetch_ns;
    double seconds = (double)all_ns / 1e9;
    tacho_output_printf(output,
                        "---- Stats ----\nInferenceCnt %" PRIu64 " TotalDuration %" PRId64
                        "us BatchSize %" PRIu32 " Inf/Sec %.3f\n",
                        count, all_ns / 1000, batch,
                        seconds > 0 ? (double)count / seconds : 0);
}

/* ---- the latency file ---------------------------------------------------------------------- */

static void print_value(tacho_output *output, double value)
{
    if (value < 0) {
        tacho_output_write_cstring(output, ",N/A");
    } else {
        tacho_output_printf(output, ",%.3f", value);
    }
}

static void print_row(const tacho_recording *recording, const tacho_run_qaic_row *row,
                      bool has_places, tacho_output *output)
{
    const tacho_run_qaic_facts *facts = &row->facts;
    double batch = (double)batch_of(recording->program);
    tacho_output_printf(output, "%" PRIu64, row->sample);
    print_value(output, facts->exec_us > 0 ? batch * 1e6 / facts->exec_us : -1);
    print_value(output, facts->exec_us);
    print_value(output, facts->input_wait_us);
    print_value(output, facts->output_wait_us);
    for (size_t i = 0; i < TACHO_QAIC_STAGE_COUNT; i++) {
        tacho_output_write_cstring(output, ",");
        tacho_qaic_stage_write(row->stages.ns[i], output);
    }
    if (has_places) {
        tacho_output_printf(output, ",%" PRIu32 ",%" PRIu32, facts->activation, facts->device);
    }
    tacho_output_write_cstring(output, "\n");
}

static void print_latencies(const tacho_run_qaic *self, const tacho_recording *recording,
                            tacho_output *output)
{
    bool has_places = self->row_count > self->sample_count;
    tacho_output_printf(output,
                        "Latency of inferences, %s: all times are of that clock, totals are sums "
                        "of their parts\n%s\nProgramId: 0\nProgramName: %s\nSamples: "
                        "%" PRIu64 " collected, %" PRIu64 " requested\n",
                        tacho_qaic_clock_phrase(recording), tacho_qaic_missing_phrase(recording),
                        tacho_recording_string(recording, recording->program->facts.name).data,
                        self->sample_count, recording->wanted_count);
    tacho_output_write_cstring(output,
                               "Sample,devInfPerSec,devExecUs,devInWaitTimeUs,devOutWaitTimeUs"
#define STAGE_COLUMN(name, text) "," text
                               TACHO_QAIC_STAGES(STAGE_COLUMN)
#undef STAGE_COLUMN
    );
    tacho_output_write_cstring(output, has_places ? ",activation,device\n" : "\n");
    for (size_t i = 0; i < self->row_count; i++) {
        print_row(recording, &self->rows[i], has_places, output);
    }
}

tacho_status tacho_run_qaic_latency_file(const tacho_run_qaic *qaic,
                                         const tacho_recording *recording, const char *path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open_chosen(path, "Latency of inferences", &output));
    print_latencies(qaic, recording, &output);
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}
