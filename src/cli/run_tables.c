/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency and the facts of a run.
 */
#include "cli/run_tables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- numbers ------------------------------------------------------------------------------- */

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* The smallest that is at least as long as |percent| % of all. */
static int64_t at_percent(const int64_t *sorted, size_t count, size_t percent)
{
    size_t rank = (count * percent + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

uint64_t tacho_run_inferences(const tacho_run_session *session)
{
    uint32_t activations = session->request->device_options.activations;
    uint32_t batch = session->module.program.facts.batch_size;
    return (uint64_t)(activations > 0 ? activations : 1) * (batch > 0 ? batch : 1);
}

tacho_run_latency tacho_run_latency_of(tacho_run_session *session)
{
    size_t count = session->latency_count;
    int64_t *times = session->latencies;
    if (count == 0) {
        return (tacho_run_latency){0};
    }
    qsort(times, count, sizeof(*times), compare_times);
    int64_t total = session->latency_ns;
    double inferences = (double)count * (double)tacho_run_inferences(session);
    return (tacho_run_latency){
        .count = count,
        .mean_ns = (total + (int64_t)count / 2) / (int64_t)count,
        .p50_ns = at_percent(times, count, 50),
        .p99_ns = at_percent(times, count, 99),
        .min_ns = times[0],
        .max_ns = times[count - 1],
        .inferences_per_second = total > 0 ? inferences * 1e9 / (double)total : 0,
    };
}

/* ---- latency ------------------------------------------------------------------------------- */

static const char *origin_of(const tacho_run_session *session)
{
    return session->device->type->is_simulated ? "simulated" : "measured";
}

tacho_status tacho_run_latency_table(tacho_run_session *session, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        {"origin", "Time", TACHO_COLUMN_TEXT},
        {"runs", "Runs", TACHO_COLUMN_INT},
        {"mean_ns", "Mean", TACHO_COLUMN_DURATION},
        {"p50_ns", "p50", TACHO_COLUMN_DURATION},
        {"p99_ns", "p99", TACHO_COLUMN_DURATION},
        {"min_ns", "Min", TACHO_COLUMN_DURATION},
        {"max_ns", "Max", TACHO_COLUMN_DURATION},
        {"inferences_per_second", "Inferences/s", TACHO_COLUMN_REAL},
    };
    tacho_run_latency latency = tacho_run_latency_of(session);
    const int64_t times[] = {latency.mean_ns, latency.p50_ns, latency.p99_ns, latency.min_ns,
                             latency.max_ns};
    tacho_table_init(out_table, "latency", "Latency", columns, 8);
    TACHO_TRY(tacho_table_add_text(out_table, tacho_str_from_cstring(origin_of(session))));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)latency.count));
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        TACHO_TRY(latency.count > 0 ? tacho_table_add_int(out_table, times[i])
                                    : tacho_table_add_absent(out_table));
    }
    return latency.inferences_per_second > 0
               ? tacho_table_add_real(out_table, latency.inferences_per_second)
               : tacho_table_add_absent(out_table);
}

/* ---- facts --------------------------------------------------------------------------------- */

static tacho_status add_property(tacho_table *table, const char *name, const char *format, ...)
    TACHO_PRINTF(3, 4);

static tacho_status add_property(tacho_table *table, const char *name, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(name)));
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

/* "25.6 MB", "812 B". */
static const char *print_bytes(uint64_t bytes, char out_text[48])
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    double value = (double)bytes;
    size_t step = 0;
    for (; value >= 1000 && step < 6; step++) {
        value /= 1000;
    }
    int decimals = step == 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0;
    snprintf(out_text, 48, "%.*f %sB", decimals, value, prefixes[step]);
    return out_text;
}

static tacho_status add_program(const tacho_run_session *session, tacho_table *table)
{
    const tacho_program *program = &session->module.program;
    TACHO_TRY(add_property(table, session->module.was_compiled ? "model" : "program",
                           "%.200s: %.100s, %zu operator%s", session->request->path,
                           tacho_run_string(session, program->facts.name).data, program->op_count,
                           program->op_count == 1 ? "" : "s"));
    return add_property(
        table, "compiled for", "%.100s: %u device%s, %u core%s, %.6g MHz",
        tacho_run_string(session, program->facts.machine).data,
        (unsigned)program->facts.device_count, program->facts.device_count == 1 ? "" : "s",
        (unsigned)program->facts.core_count, program->facts.core_count == 1 ? "" : "s",
        (double)program->facts.core_clock_hz / 1e6);
}

static tacho_status add_device(const tacho_run_session *session, tacho_table *table)
{
    const tacho_device_type *type = session->device->type;
    const tacho_device_options *options = &session->request->device_options;
    uint32_t activations = options->activations > 0 ? options->activations : 1;
    TACHO_TRY(add_property(table, "device", "%.100s: %s", session->request->device, type->about));
    if (type->is_simulated && type->has_argument) {
        TACHO_TRY(add_property(
            table, "simulated", "%s",
            options->is_unlimited
                ? "jobs on engines in order; shared memory, networks and queues without limit"
                : "jobs on engines in order, queues, shared memory, networks between cores"));
    }
    return add_property(table, "inferences", "%" PRIu64 " per run: %u activation%s, batch %u",
                        tacho_run_inferences(session), (unsigned)activations,
                        activations == 1 ? "" : "s",
                        (unsigned)session->module.program.facts.batch_size);
}

/* What the program takes, and what recording adds at its end. */
static tacho_status add_cycles(const tacho_run_session *session, tacho_table *table)
{
    const tacho_program_facts *facts = &session->module.program.facts;
    if (session->cycles < 0) {
        return TACHO_OK;
    }
    int64_t more_ns = (session->device_ns - session->latency_ns) / (int64_t)session->latency_count;
    TACHO_TRY(add_property(table, "cycles", "%" PRId64 ", estimated %" PRId64, session->cycles,
                           facts->total_cycles));
    return more_ns > 0 ? add_property(table, "stats", "%.3f us to write them, not in the latency",
                                      (double)more_ns / 1e3)
                       : TACHO_OK;
}

static tacho_status add_values(const tacho_run_session *session, tacho_table *table)
{
    const tacho_execution *execution = session->device->execution;
    char bytes[48];
    if (execution == NULL) {
        return add_property(table, "values", "none computed");
    }
    tacho_execution_counts counts = tacho_execution_count(execution);
    TACHO_TRY(add_property(
        table, "values", "%u steps by fast kernels, %u by reference kernels, %u need none",
        (unsigned)counts.fast, (unsigned)counts.reference, (unsigned)counts.free));
    return add_property(table, "activations", "%s at most, inputs and outputs included",
                        print_bytes(tacho_execution_peak_bytes(execution), bytes));
}

static tacho_status add_recording(const tacho_run_session *session, tacho_table *table)
{
    uint32_t level = session->module.program.facts.stats.level;
    uint64_t cost = session->record_cost_ns;
    char text[80] = "";
    if (level < TACHO_STATS_LEVEL_INFERENCE) {
        return add_property(table, "recorded", "nothing: compiled with stats level %u",
                            (unsigned)level);
    }
    if (level < TACHO_STATS_LEVEL_OPS) {
        snprintf(text, sizeof(text), "; operators need %d", (int)TACHO_STATS_LEVEL_OPS);
    } else if (cost > 0) {
        snprintf(text, sizeof(text), "; recording took %.3f us", (double)cost / 1e3);
    }
    return add_property(table, "recorded", "%" PRIu64 " run%s at stats level %u%s",
                        session->recorded_count, session->recorded_count == 1 ? "" : "s",
                        (unsigned)level, text);
}

tacho_status tacho_run_summary_table(const tacho_run_session *session, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        {"property", "What", TACHO_COLUMN_TEXT},
        {"value", "Value", TACHO_COLUMN_TEXT},
    };
    tacho_table_init(out_table, "summary", "Run", columns, 2);
    TACHO_TRY(add_program(session, out_table));
    TACHO_TRY(add_device(session, out_table));
    TACHO_TRY(add_cycles(session, out_table));
    TACHO_TRY(add_values(session, out_table));
    return add_recording(session, out_table);
}

static tacho_status add_text(tacho_table *table, const char *text)
{
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

tacho_status tacho_run_facts_table(const tacho_run_session *session, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        {"path", "Path", TACHO_COLUMN_TEXT},
        {"network", "Network", TACHO_COLUMN_TEXT},
        {"machine", "Machine", TACHO_COLUMN_TEXT},
        {"device", "Device", TACHO_COLUMN_TEXT},
        {"origin", "Time", TACHO_COLUMN_TEXT},
        {"inferences_per_run", "Inferences", TACHO_COLUMN_INT},
        {"estimated_cycles", "Estimated", TACHO_COLUMN_INT},
        {"cycles", "Cycles", TACHO_COLUMN_INT},
        {"peak_activation_bytes", "Activations", TACHO_COLUMN_INT},
        {"stats_level", "Level", TACHO_COLUMN_INT},
        {"recorded_runs", "Recorded", TACHO_COLUMN_INT},
        {"record_cost_ns", "Cost", TACHO_COLUMN_INT},
        {"wall_ns", "Wall", TACHO_COLUMN_INT},
    };
    const tacho_program_facts *facts = &session->module.program.facts;
    const tacho_execution *execution = session->device->execution;
    const int64_t numbers[] = {
        (int64_t)facts->stats.level,
        (int64_t)session->recorded_count,
        (int64_t)session->record_cost_ns,
        session->wall_ns,
    };
    tacho_table_init(out_table, "run", "Run", columns, 13);
    TACHO_TRY(add_text(out_table, session->request->path));
    TACHO_TRY(tacho_table_add_text(out_table, tacho_run_string(session, facts->name)));
    TACHO_TRY(tacho_table_add_text(out_table, tacho_run_string(session, facts->machine)));
    TACHO_TRY(add_text(out_table, session->request->device));
    TACHO_TRY(add_text(out_table, origin_of(session)));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)tacho_run_inferences(session)));
    TACHO_TRY(tacho_table_add_int(out_table, facts->total_cycles));
    TACHO_TRY(session->cycles >= 0 ? tacho_table_add_int(out_table, session->cycles)
                                   : tacho_table_add_absent(out_table));
    TACHO_TRY(execution != NULL
                  ? tacho_table_add_int(out_table, (int64_t)tacho_execution_peak_bytes(execution))
                  : tacho_table_add_absent(out_table));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        TACHO_TRY(tacho_table_add_int(out_table, numbers[i]));
    }
    return TACHO_OK;
}
