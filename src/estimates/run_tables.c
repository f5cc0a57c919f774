/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency and the facts of a run.
 */
#include "estimates/run_tables.h"

#include "estimates/estimates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Durations of the inferences that ran; percentiles by nearest rank. All 0 if none ran. */
typedef struct tacho_run_latency {
    size_t count;
    int64_t mean_ns, p50_ns, p99_ns, min_ns, max_ns;
    double inferences_per_second; /* of all activations and the batch; 0: not known */
} tacho_run_latency;

/* ---- numbers ------------------------------------------------------------------------------- */

/* The smallest value that is at least as long as |percent| % of all. */
static int64_t at_percent(const int64_t *sorted, size_t count, size_t percent)
{
    size_t rank = (count * percent + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

static tacho_run_latency run_latency_of(const tacho_recording *recording)
{
    size_t count = recording->totals.latency_count;
    const int64_t *times = recording->totals.latencies;
    if (count == 0) {
        return (tacho_run_latency){0};
    }
    int64_t total = recording->totals.latency_ns;
    double inferences = (double)count * (double)tacho_recording_inferences(recording);
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

static const char *origin_of(const tacho_recording *recording)
{
    const tacho_run_device *device = &recording->device;
    return device->has_no_times ? "none" : device->is_simulated ? "simulated" : "measured";
}

/* One row; some columns are only for programs. */
static tacho_status run_latency_table(const tacho_recording *recording, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(ORIGIN, "Time", TEXT),
        TACHO_COLUMN(RUNS, "Runs", INT),
        TACHO_COLUMN(MEAN_NS, "Mean", DURATION),
        TACHO_COLUMN(P50_NS, "p50", DURATION),
        TACHO_COLUMN(P99_NS, "p99", DURATION),
        TACHO_COLUMN(MIN_NS, "Min", DURATION),
        TACHO_COLUMN(MAX_NS, "Max", DURATION),
        TACHO_COLUMN(INFERENCES_PER_SECOND, "Inferences/s", REAL),
    };
    tacho_run_latency latency = run_latency_of(recording);
    const int64_t times[] = {latency.mean_ns, latency.p50_ns, latency.p99_ns, latency.min_ns,
                             latency.max_ns};
    bool has_times = latency.count > 0 && !recording->device.has_no_times;
    tacho_table_init(out_table, "latency", "Latency", columns, 8);
    TACHO_TRY(tacho_table_add_text(out_table, tacho_str_from_cstring(origin_of(recording))));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)latency.count));
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        TACHO_TRY(has_times ? tacho_table_add_int(out_table, times[i])
                            : tacho_table_add_absent(out_table));
    }
    return latency.inferences_per_second > 0
               ? tacho_table_add_real(out_table, latency.inferences_per_second)
               : tacho_table_add_absent(out_table);
}

/* ---- facts --------------------------------------------------------------------------------- */

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

static tacho_status add_program(const tacho_recording *recording, tacho_table *table)
{
    const tacho_program *program = recording->program;
    TACHO_TRY(tacho_table_add_property(table, recording->was_compiled ? "model" : "program",
                                       "%.200s: %.100s, %zu operator%s", recording->path,
                                       tacho_recording_string(recording, program->facts.name).data,
                                       program->op_count, program->op_count == 1 ? "" : "s"));
    return tacho_table_add_property(
        table, "compiled for", "%.100s: %u device%s, %u core%s, %.6g MHz",
        tacho_recording_string(recording, program->facts.machine).data,
        (unsigned)program->facts.device_count, program->facts.device_count == 1 ? "" : "s",
        (unsigned)program->facts.core_count, program->facts.core_count == 1 ? "" : "s",
        (double)program->facts.core_clock_hz / 1e6);
}

static tacho_status add_board(const tacho_run_board *board, tacho_table *table)
{
    TACHO_TRY(tacho_table_add_property(table, "board", "%.200s: %.40s, runtime %.200s", board->host,
                                       board->machine, board->path));
    TACHO_TRY(tacho_table_add_property(table, "wall time", "%.3f s here, ssh included",
                                       (double)board->wall_ns / 1e9));
    if (board->wait_ns > 0) {
        TACHO_TRY(tacho_table_add_property(table, "waited", "%.3f s for the board, not included",
                                           (double)board->wait_ns / 1e9));
    }
    return tacho_table_add_property(table, "board time", "%.3f s there, from the runtime's start",
                                    (double)board->board_ns / 1e9);
}

static tacho_status add_device(const tacho_recording *recording, tacho_table *table)
{
    const tacho_run_device *device = &recording->device;
    TACHO_TRY(tacho_table_add_property(table, "device", "%.100s: %s", device->name, device->about));
    if (device->board.host != NULL) {
        TACHO_TRY(add_board(&device->board, table));
    }
    if (device->has_time_model) {
        TACHO_TRY(tacho_table_add_property(
            table, "simulated", "%s",
            device->is_unlimited
                ? "jobs on engines in order; shared memory, networks and queues without limit"
                : "jobs on engines in order, queues, shared memory, networks between cores"));
    }
    return tacho_table_add_property(
        table, "inferences", "%" PRIu64 " per run: %u activation%s, batch %u",
        tacho_recording_inferences(recording), (unsigned)device->activations,
        device->activations == 1 ? "" : "s", (unsigned)recording->program->facts.batch_size);
}

/* Adds the cycles of the program, and the time to write its stats at the end. */
static tacho_status add_cycles(const tacho_recording *recording, tacho_table *table)
{
    const tacho_program_facts *facts = &recording->program->facts;
    if (recording->totals.cycles < 0) {
        return TACHO_OK;
    }
    int64_t more_ns = (recording->totals.device_ns - recording->totals.latency_ns) /
                      (int64_t)recording->totals.latency_count;
    TACHO_TRY(tacho_table_add_property(table, "cycles", "%" PRId64 ", estimated %" PRId64,
                                       recording->totals.cycles, facts->total_cycles));
    return more_ns > 0 ? tacho_table_add_property(table, "stats",
                                                  "%.3f us to write them, not in the latency",
                                                  (double)more_ns / 1e3)
                       : TACHO_OK;
}

static tacho_status add_values(const tacho_recording *recording, tacho_table *table)
{
    const tacho_run_device *device = &recording->device;
    char bytes[48], weights[TACHO_PROGRAM_STAND_INS_MAX];
    if (!device->has_values) {
        return tacho_table_add_property(table, "values", "none computed");
    }
    if (tacho_program_print_stand_ins(recording->program, weights)) {
        TACHO_TRY(tacho_table_add_property(table, "made-up weights", "%s", weights));
    }
    TACHO_TRY(tacho_table_add_property(
        table, "values", "%u step%s by fast kernels, %u by reference kernels, %u need none",
        (unsigned)device->fast_count, device->fast_count == 1 ? "" : "s",
        (unsigned)device->reference_count, (unsigned)device->free_count));
    return tacho_table_add_property(table, "activations", "%s at most, inputs and outputs included",
                                    print_bytes(device->peak_bytes, bytes));
}

static tacho_status add_recording(const tacho_recording *recording, tacho_table *table)
{
    uint32_t level = recording->program->facts.stats.level;
    uint64_t cost = recording->totals.record_cost_ns;
    char text[80] = "";
    if (level < TACHO_STATS_LEVEL_INFERENCE) {
        return tacho_table_add_property(table, "recorded", "nothing: compiled with stats level %u",
                                        (unsigned)level);
    }
    if (level < TACHO_STATS_LEVEL_OPS) {
        snprintf(text, sizeof(text), "; operators need %d", (int)TACHO_STATS_LEVEL_OPS);
    } else if (cost > 0) {
        snprintf(text, sizeof(text), "; recording took %.3f us", (double)cost / 1e3);
    }
    return tacho_table_add_property(table, "recorded", "%" PRIu64 " run%s at stats level %u%s",
                                    recording->totals.recorded_count,
                                    recording->totals.recorded_count == 1 ? "" : "s",
                                    (unsigned)level, text);
}

/* For users: properties and their values. */
static tacho_status run_summary_table(const tacho_recording *recording, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(PROPERTY, "What", TEXT),
        TACHO_COLUMN(VALUE, "Value", TEXT),
    };
    tacho_table_init(out_table, "summary", "Run", columns, 2);
    TACHO_TRY(add_program(recording, out_table));
    TACHO_TRY(add_device(recording, out_table));
    TACHO_TRY(add_cycles(recording, out_table));
    TACHO_TRY(add_values(recording, out_table));
    return add_recording(recording, out_table);
}

static tacho_status add_text(tacho_table *table, const char *text)
{
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

/* For programs: one row of facts. */
static tacho_status run_facts_table(const tacho_recording *recording, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(PATH, "Path", TEXT),
        TACHO_COLUMN(NETWORK, "Network", TEXT),
        TACHO_COLUMN(MACHINE, "Machine", TEXT),
        TACHO_COLUMN(DEVICE, "Device", TEXT),
        TACHO_COLUMN(ORIGIN, "Time", TEXT),
        TACHO_COLUMN(INFERENCES_PER_RUN, "Inferences", INT),
        TACHO_COLUMN(ESTIMATED_CYCLES, "Estimated", INT),
        TACHO_COLUMN(CYCLES, "Cycles", INT),
        TACHO_COLUMN(PEAK_ACTIVATION_BYTES, "Activations", INT),
        TACHO_COLUMN(STATS_LEVEL, "Level", INT),
        TACHO_COLUMN(RECORDED_RUNS, "Recorded", INT),
        TACHO_COLUMN(RECORD_COST_NS, "Cost", INT),
        TACHO_COLUMN(RANDOM_WEIGHT_COUNT, "Random weights", INT), /* substituted tensors */
        TACHO_COLUMN(ZERO_WEIGHT_COUNT, "Zero weights", INT),
        TACHO_COLUMN(RANDOM_INPUT_COUNT, "Random inputs", INT),
        TACHO_COLUMN(WALL_NS, "Wall", INT),
        TACHO_COLUMN(HOST, "Host", TEXT), /* from here on: only if it ran on another computer */
        TACHO_COLUMN(CONNECTION_NS, "Connection", INT),
        TACHO_COLUMN(BOARD_NS, "Board", INT),
    };
    const tacho_run_board *board = &recording->device.board;
    const tacho_program_facts *facts = &recording->program->facts;
    const int64_t numbers[] = {
        (int64_t)facts->stats.level,
        (int64_t)recording->totals.recorded_count,
        (int64_t)recording->totals.record_cost_ns,
        (int64_t)facts->random_weight_count,
        (int64_t)facts->zero_weight_count,
        (int64_t)recording->random_input_count,
        recording->totals.wall_ns,
    };
    tacho_table_init(out_table, "run", "Run", columns, board->host != NULL ? 19 : 16);
    TACHO_TRY(add_text(out_table, recording->path));
    TACHO_TRY(tacho_table_add_text(out_table, tacho_recording_string(recording, facts->name)));
    TACHO_TRY(tacho_table_add_text(out_table, tacho_recording_string(recording, facts->machine)));
    TACHO_TRY(add_text(out_table, recording->device.name));
    TACHO_TRY(add_text(out_table, origin_of(recording)));
    TACHO_TRY(tacho_table_add_int(out_table, (int64_t)tacho_recording_inferences(recording)));
    TACHO_TRY(tacho_table_add_int(out_table, facts->total_cycles));
    TACHO_TRY(recording->totals.cycles >= 0
                  ? tacho_table_add_int(out_table, recording->totals.cycles)
                  : tacho_table_add_absent(out_table));
    TACHO_TRY(recording->device.has_values
                  ? tacho_table_add_int(out_table, (int64_t)recording->device.peak_bytes)
                  : tacho_table_add_absent(out_table));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        TACHO_TRY(tacho_table_add_int(out_table, numbers[i]));
    }
    if (board->host == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(add_text(out_table, board->host));
    TACHO_TRY(tacho_table_add_int(out_table, board->wall_ns));
    return tacho_table_add_int(out_table, board->board_ns);
}

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_run_tables_options *chosen = options;
    tacho_table table = {0};
    tacho_status status = chosen->is_for_people ? run_summary_table(subject, &table)
                                                : run_facts_table(subject, &table);
    TACHO_TRY(tacho_table_hand_over(to, status, &table));
    status = run_latency_table(subject, &table);
    return tacho_table_hand_over(to, status, &table);
}

const tacho_analysis tacho_analysis_run = {
    .name = "run",
    .question = "what ran where, and how long did inferences take",
    .options = "tacho_run_tables_options",
    .subject = TACHO_SUBJECT_RECORDING,
    .make = make_tables,
};
