/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of inferences from records: threads (level 40), traffic (when it is counted), ports (50).
 */
#include "cli/run_qaic.h"

#include "cli/run_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- one inference ------------------------------------------------------------------------- */

/* Of one device and activation; negative: not recorded. */
typedef struct inference_facts {
    double exec_us, input_wait_us, output_wait_us;
    double pcycles;
    double ddr_bytes;
} inference_facts;

static double us_of(const tacho_stats_head *head, uint64_t ticks)
{
    return head->timer_hz > 0 ? (double)ticks * 1e6 / (double)head->timer_hz : 0;
}

static void take_threads(const tacho_stats_buffer *buffer, const tacho_stats_array *array,
                         inference_facts *facts)
{
    const tacho_stats_thread *records = array->records;
    uint64_t start = UINT64_MAX, end = 0, pcycles = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        start = records[i].start_u < start ? records[i].start_u : start;
        end = records[i].end_u > end ? records[i].end_u : end;
        uint64_t own = records[i].end_p - records[i].start_p;
        pcycles = own > pcycles ? own : pcycles;
    }
    if (end >= start) {
        facts->exec_us = us_of(&buffer->head, end - start);
        facts->pcycles = (double)pcycles;
    }
}

/* The longest wait of any thread. */
static void take_ports(const tacho_stats_buffer *buffer, const tacho_stats_array *array,
                       inference_facts *facts)
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

static void take_traffic(const tacho_stats_array *array, inference_facts *facts)
{
    const tacho_stats_ddr *records = array->records;
    facts->ddr_bytes = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        facts->ddr_bytes += (double)records[i].read_bytes + (double)records[i].write_bytes;
    }
}

static inference_facts facts_of(const tacho_stats_buffer *buffer)
{
    inference_facts facts = {-1, -1, -1, -1, -1};
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
        }
    }
    return facts;
}

/* ---- all of them --------------------------------------------------------------------------- */

typedef struct spread {
    uint64_t count;
    double mean, square_sum, least, most; /* squares of the distance from the mean */
} spread;

static void add_value(spread *self, double value)
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

static tacho_status add_metric(tacho_table *table, const char *name, const spread *values)
{
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(name)));
    if (values->count == 0) {
        for (int i = 0; i < 4; i++) {
            TACHO_TRY(tacho_table_add_absent(table));
        }
        return TACHO_OK;
    }
    TACHO_TRY(tacho_table_add_real(table, values->mean));
    TACHO_TRY(tacho_table_add_real(table, values->least));
    TACHO_TRY(tacho_table_add_real(table, values->most));
    return tacho_table_add_real(table, sqrt(values->square_sum / (double)values->count));
}

enum { EXEC, INPUT_WAIT, OUTPUT_WAIT, PCYCLES, RATE, TRAFFIC, BANDWIDTH, METRIC_COUNT };

static void take_samples(const tacho_run_session *session, spread metrics[METRIC_COUNT])
{
    double batch = (double)session->module.program.facts.batch_size;
    for (size_t i = 0; i < session->sample_count; i++) {
        const tacho_device_result *result = &session->samples[i].result;
        for (size_t k = 0; k < result->stats_count; k++) {
            inference_facts facts = facts_of(&result->stats[k]);
            bool has_time = facts.exec_us > 0;
            add_value(&metrics[EXEC], facts.exec_us);
            add_value(&metrics[INPUT_WAIT], facts.input_wait_us);
            add_value(&metrics[OUTPUT_WAIT], facts.output_wait_us);
            add_value(&metrics[PCYCLES], facts.pcycles);
            add_value(&metrics[RATE], has_time ? batch * 1e6 / facts.exec_us : -1);
            add_value(&metrics[TRAFFIC], facts.ddr_bytes >= 0 ? facts.ddr_bytes / 1e6 : -1);
            add_value(&metrics[BANDWIDTH], facts.ddr_bytes >= 0 && has_time
                                               ? facts.ddr_bytes / 1e3 / facts.exec_us
                                               : -1);
        }
    }
}

tacho_status tacho_run_qaic_table(const tacho_run_session *session, tacho_table *out_table)
{
    static const char *const names[METRIC_COUNT] = {
        "ExecTimeUs", "InputWaitTimeUs", "OutputWaitTimeUs",     "InfPCycles",
        "InfPerSec",  "DDRTrafficMB",    "DDRBandwidthGBPerSec",
    };
    static const tacho_column columns[] = {
        {"metric", "Metric", TACHO_COLUMN_TEXT}, {"avg", "Avg", TACHO_COLUMN_REAL},
        {"min", "Min", TACHO_COLUMN_REAL},       {"max", "Max", TACHO_COLUMN_REAL},
        {"std", "Std", TACHO_COLUMN_REAL},
    };
    spread metrics[METRIC_COUNT] = {0};
    take_samples(session, metrics);
    tacho_table_init(out_table, "device_performance", "Device Performance", columns, 5);
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        bool is_always = i <= OUTPUT_WAIT;
        if (metrics[i].count > 0 || is_always) {
            TACHO_TRY(add_metric(out_table, names[i], &metrics[i]));
        }
    }
    return TACHO_OK;
}

void tacho_run_qaic_print_line(const tacho_run_session *session, tacho_output *output)
{
    uint64_t count = (uint64_t)session->latency_count * tacho_run_inferences(session);
    double seconds = (double)session->device_ns / 1e9;
    tacho_output_printf(output,
                        "---- Stats ----\nInferenceCnt %" PRIu64 " TotalDuration %" PRId64
                        "us BatchSize %" PRIu32 " Inf/Sec %.3f\n",
                        count, session->device_ns / 1000, session->module.program.facts.batch_size,
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

/* The host takes no time of its own here: all of a round trip is the device's. */
static void print_sample(const tacho_run_session *session, const tacho_run_sample *sample,
                         size_t number, tacho_output *output)
{
    const tacho_device_result *result = &sample->result;
    inference_facts facts =
        result->stats_count > 0 ? facts_of(&result->stats[0]) : (inference_facts){-1, -1, -1, 0, 0};
    double batch = (double)session->module.program.facts.batch_size;
    double total_us = (double)(result->end_ns - result->start_ns) / 1e3;
    tacho_output_printf(output, "%zu", number);
    print_value(output, facts.exec_us > 0 ? batch * 1e6 / facts.exec_us : -1);
    print_value(output, facts.exec_us);
    print_value(output, facts.input_wait_us);
    print_value(output, facts.output_wait_us);
    print_value(output, total_us);
    for (int i = 0; i < 3; i++) {
        tacho_output_write_cstring(output, ",N/A"); /* enqueue, pre-processing, submission */
    }
    print_value(output, total_us);
    for (int i = 0; i < 3; i++) {
        tacho_output_write_cstring(output, ",N/A"); /* stages of the driver, post-processing */
    }
    print_value(output, total_us);
    tacho_output_write_cstring(output, "\n");
}

static void print_latencies(const tacho_run_session *session, tacho_output *output)
{
    tacho_output_printf(
        output,
        "Latency of inferences, %s\nProgramId: 0\nProgramName: %s\nSamples: %zu collected, %" PRIu64
        " requested\n",
        session->device->type->is_simulated ? "simulated" : "measured",
        tacho_run_string(session, session->module.program.facts.name).data, session->sample_count,
        session->request->sampling.count);
    tacho_output_write_cstring(
        output, "Sample,devInfPerSec,devExecUs,devInWaitTimeUs,devOutWaitTimeUs,hostRoundTripUs,"
                "enqTimeUs,preProcTimeUs,submitTimeUs,execTotalUs,exectoVcUs,execToCompleteUs,"
                "postProcUs,totalRoundtripTimeUs\n");
    for (size_t i = 0; i < session->sample_count; i++) {
        print_sample(session, &session->samples[i], i, output);
    }
}

tacho_status tacho_run_qaic_latency_file(const tacho_run_session *session, const char *path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    print_latencies(session, &output);
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}
