/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes tables from sums.
 */
#include "questions/opstats/opstats_tables.h"

#include "questions/opstats/opstats_pmu.h"
#include "base/grow.h"
#include "base/maths.h"
#include "base/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static tacho_status add_count(tacho_table *table, uint64_t value)
{
    return tacho_table_add_int(table, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static tacho_status add_count_if(tacho_table *table, bool is_known, uint64_t value)
{
    return is_known ? add_count(table, value) : tacho_table_add_absent(table);
}

static tacho_status add_text(tacho_table *table, const char *text)
{
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

/* Cycles of cores; absent if the device has none. */
static tacho_status add_cycles(tacho_table *table, const tacho_opstats *stats, uint64_t cycles)
{
    return add_count_if(table, tacho_stats_has_cycles(&stats->file->head), cycles);
}

static tacho_status add_real_if(tacho_table *table, bool is_there, double value)
{
    return is_there ? tacho_table_add_real(table, value) : tacho_table_add_absent(table);
}

/* |a| / |b|; absent if undefined. */
static tacho_status add_ratio(tacho_table *table, double a, double b)
{
    return b > 0.0 ? tacho_table_add_real(table, a / b) : tacho_table_add_absent(table);
}

/* ---- ops ----------------------------------------------------------------------------------- */

static const tacho_column op_columns[] = {
    TACHO_COLUMN(CORE, "core", INT),
    TACHO_COLUMN(UCYCLES, "ucycles", INT),
    TACHO_COLUMN(UCYCLES_PERCENT, "ucycles(%)", PERCENT),
    TACHO_COLUMN(PCYCLES, "pcycles", INT),
    TACHO_COLUMN(PCYCLES_PERCENT, "pcycles(%)", PERCENT),
    TACHO_COLUMN(COUNT, "count", INT),
    TACHO_COLUMN(OUT_KB, "out KB", REAL),
    TACHO_COLUMN(UCYCLES_PER_KB, "ucycles/KB", REAL),
    TACHO_COLUMN(PCYCLES_PER_KB, "pcycles/KB", REAL),
    TACHO_COLUMN(PCYCLES_PER_KB_STDDEV, "stddev(pc/KB)", REAL),
    TACHO_COLUMN(KIND, "kind", TEXT),
    TACHO_COLUMN(ENGINE, "engine", TEXT),
    TACHO_COLUMN(MEMORY, "memory", TEXT),
    TACHO_COLUMN(TYPES, "types", TEXT),
    TACHO_COLUMN(OPDETAILS, "opdetails", TEXT),
    TACHO_COLUMN(UCYCLES_PER_INFERENCE, "ucycles/inf", REAL),
    TACHO_COLUMN(PCYCLES_PER_INFERENCE, "pcycles/inf", REAL),
};

typedef struct op_order {
    uint64_t ucycles;
    uint32_t row;
    bool is_lost;
} op_order;

static int compare_ops(const void *a, const void *b)
{
    const op_order *left = a;
    const op_order *right = b;
    if (left->ucycles != right->ucycles) {
        return left->ucycles > right->ucycles ? -1 : 1;
    }
    if (left->is_lost != right->is_lost) {
        return left->is_lost ? 1 : -1;
    }
    return (left->row > right->row) - (left->row < right->row);
}

static double deviation(const tacho_opstats_sum *sum)
{
    double count = sum->ratio_count > 0 ? (double)sum->ratio_count : 1.0;
    double mean = sum->ratio_sum / count;
    double variance = sum->ratio_square_sum / count - mean * mean;
    /* The remainder for equal numbers is rounding. */
    return variance > mean * mean * 1e-12 ? sqrt(variance) : 0.0;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static tacho_status add_op_numbers(tacho_table *table, const tacho_opstats *stats,
                                   const tacho_opstats_row *row, const tacho_opstats_sum *sum)
{
    const tacho_opstats_core *core = &stats->cores[row->core];
    bool is_wait = row->kind == TACHO_OPSTATS_SYNC || row->kind == TACHO_OPSTATS_BARRIER;
    double kb = (double)sum->bytes / 1024.0;
    TACHO_TRY(add_count(table, row->core));
    if (sum->is_lost) {
        for (int i = 0; i < 9; i++) {
            TACHO_TRY(tacho_table_add_absent(table));
        }
        return TACHO_OK;
    }
    TACHO_TRY(add_count(table, sum->ucycles));
    TACHO_TRY(add_real_if(table, core->is_whole, percent(sum->ucycles, core->max_u)));
    if (is_wait) {
        TACHO_TRY(tacho_table_add_absent(table));
        TACHO_TRY(tacho_table_add_absent(table));
        TACHO_TRY(add_count(table, sum->count));
        for (int i = 0; i < 4; i++) {
            TACHO_TRY(tacho_table_add_absent(table));
        }
        return TACHO_OK;
    }
    bool has_cycles = tacho_stats_has_cycles(&stats->file->head);
    TACHO_TRY(add_cycles(table, stats, sum->pcycles));
    TACHO_TRY(add_real_if(table, has_cycles && core->is_whole, percent(sum->pcycles, core->max_p)));
    TACHO_TRY(add_count(table, sum->count));
    TACHO_TRY(tacho_table_add_real(table, kb));
    TACHO_TRY(add_ratio(table, (double)sum->ucycles, kb));
    TACHO_TRY(add_ratio(table, (double)sum->pcycles, has_cycles ? kb : 0.0));
    return add_real_if(table, sum->ratio_count > 0 && has_cycles, deviation(sum));
}

static tacho_status add_op_row(tacho_table *table, const tacho_opstats *stats, uint32_t at)
{
    const tacho_opstats_row *row = &stats->plan->rows[at];
    const tacho_opstats_sum *sum = &stats->sums[at];
    const tacho_strings *strings = &stats->plan->strings;
    double batch = stats->file->head.batch_size > 0 ? stats->file->head.batch_size : 1;
    TACHO_TRY(add_op_numbers(table, stats, row, sum));
    TACHO_TRY(tacho_table_add_lasting_text(table, tacho_strings_get(strings, row->word)));
    TACHO_TRY(tacho_table_add_lasting_text(table, tacho_strings_get(strings, row->engine)));
    TACHO_TRY(tacho_table_add_lasting_text(table, tacho_strings_get(strings, row->memory)));
    TACHO_TRY(tacho_table_add_lasting_text(table, tacho_strings_get(strings, row->types)));
    TACHO_TRY(tacho_table_add_lasting_text(table, tacho_strings_get(strings, row->details)));
    TACHO_TRY(add_real_if(table, !sum->is_lost, (double)sum->ucycles / batch));
    bool is_wait = row->kind == TACHO_OPSTATS_SYNC || row->kind == TACHO_OPSTATS_BARRIER;
    return add_real_if(table,
                       !is_wait && !sum->is_lost && tacho_stats_has_cycles(&stats->file->head),
                       (double)sum->pcycles / batch);
}

/* Whether a row has something to show, even if only unknown values. */
static bool is_shown(const tacho_opstats *stats, size_t row)
{
    bool has_ops = stats->file->head.level >= TACHO_STATS_LEVEL_OPS;
    const tacho_opstats_sum *sum = &stats->sums[row];
    tacho_opstats_kind kind = stats->plan->rows[row].kind;
    if (sum->is_lost) {
        return has_ops || kind == TACHO_OPSTATS_OP;
    }
    /* Barriers are shown even if no thread waited, as in the vendor's table. */
    bool is_always = kind == TACHO_OPSTATS_BARRIER && has_ops &&
                     (stats->file->head.features & TACHO_STATS_BY_OP) == 0;
    return is_always || sum->count > 0;
}

/* Adds the rows [first, end) that are shown, largest first, unknown ones last. */
static tacho_status add_sorted(tacho_table *table, const tacho_opstats *stats, size_t first,
                               size_t end, op_order *order)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        if (is_shown(stats, i)) {
            const tacho_opstats_sum *sum = &stats->sums[i];
            order[count++] = (op_order){sum->is_lost ? 0 : sum->ucycles, (uint32_t)i, sum->is_lost};
        }
    }
    qsort(order, count, sizeof(order[0]), compare_ops);
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(add_op_row(table, stats, order[i].row));
    }
    return TACHO_OK;
}

static tacho_status add_ops(tacho_table *table, const tacho_opstats *stats)
{
    const tacho_opstats_plan *plan = stats->plan;
    size_t cores = stats->program->facts.core_count;
    size_t core = (size_t)stats->file->head.device * cores;
    op_order *order = NULL;
    TACHO_TRY(tacho_items_make(&order, plan->row_count));
    tacho_status status = TACHO_OK;
    for (size_t i = core; i < core + cores && status == TACHO_OK; i++) {
        status =
            add_sorted(table, stats, plan->core_first_row[i], plan->core_first_row[i + 1], order);
    }
    if (status == TACHO_OK) {
        status = add_sorted(table, stats, plan->first_op_row, plan->row_count, order);
    }
    free(order);
    return status;
}

/* ---- threads and cores --------------------------------------------------------------------- */

static const tacho_column thread_columns[] = {
    TACHO_COLUMN(CORE, "core", INT),
    TACHO_COLUMN(THREAD, "thread", INT),
    TACHO_COLUMN(ENGINE, "engine", TEXT),
    TACHO_COLUMN(UCYCLES, "ucycles", INT),
    TACHO_COLUMN(START_U, "start", INT),
    TACHO_COLUMN(END_U, "end", INT),
    TACHO_COLUMN(PCYCLES, "pcycles", INT),
    TACHO_COLUMN(UTILIZATION_PERCENT, "utilization", PERCENT),
    TACHO_COLUMN(OP_UCYCLES, "op ucycles", INT),
    TACHO_COLUMN(SYNC_UCYCLES, "sync ucycles", INT),
    TACHO_COLUMN(BARRIER_UCYCLES, "barrier ucycles", INT),
    TACHO_COLUMN(FLUSH_UCYCLES, "flush ucycles", INT),
    TACHO_COLUMN(ACTIVATE_UCYCLES, "activate ucycles", INT),
};

/* Engines of a thread of the file's device; the last thread also has those of later threads. */
typedef struct engine_range {
    const uint32_t *at, *end;
} engine_range;

static engine_range engines_of(const tacho_opstats *stats, uint32_t core, uint32_t thread)
{
    const tacho_program_facts *facts = &stats->program->facts;
    size_t at =
        ((size_t)stats->file->head.device * facts->core_count + core) * facts->thread_count +
        thread;
    size_t first = at > 0 ? stats->thread_end[at - 1] : 0;
    return (engine_range){stats->engine_order + first, stats->engine_order + stats->thread_end[at]};
}

/* The group of the first engine of a thread; empty without engines. */
static tacho_str thread_engine(const tacho_opstats *stats, uint32_t core, uint32_t thread)
{
    const tacho_program *program = stats->program;
    if (!tacho_stats_has_cycles(&stats->file->head)) {
        return TACHO_STR(TACHO_STATS_COMPUTER);
    }
    engine_range engines = engines_of(stats, core, thread);
    for (; engines.at < engines.end; engines.at++) {
        if (program->engines[*engines.at].thread == thread) {
            return tacho_stats_words_group(stats->plan->words, *engines.at);
        }
    }
    return TACHO_STR("");
}

/* Engines of a thread that compute; several of them share the thread's time. */
static uint64_t count_engines(const tacho_opstats *stats, uint32_t core, uint32_t thread)
{
    const tacho_program *program = stats->program;
    uint64_t count = 0;
    engine_range engines = engines_of(stats, core, thread);
    for (; engines.at < engines.end; engines.at++) {
        bool computes = program->engines[*engines.at].thread == thread &&
                        !stats->plan->words->is_issue[*engines.at] &&
                        stats->plan->words->layout->engine_jobs[*engines.at] > 0;
        count += computes ? 1 : 0;
    }
    return count > 0 ? count : 1;
}

static tacho_status add_thread(tacho_table *table, const tacho_opstats *stats, uint32_t core,
                               uint32_t number)
{
    const tacho_opstats_thread *thread =
        &stats->threads[(size_t)core * stats->program->facts.thread_count + number];
    if (!thread->is_there) {
        return TACHO_OK;
    }
    TACHO_TRY(add_count(table, core));
    TACHO_TRY(add_count(table, number));
    TACHO_TRY(tacho_table_add_text(table, thread_engine(stats, core, number)));
    TACHO_TRY(add_count(table, thread->end_u - thread->start_u));
    TACHO_TRY(add_count(table, thread->start_u));
    TACHO_TRY(add_count(table, thread->end_u));
    TACHO_TRY(add_cycles(table, stats, thread->end_p - thread->start_p));
    bool is_known = stats->file->head.level >= TACHO_STATS_LEVEL_OPS && !thread->is_lost;
    double cycles =
        (double)(thread->end_p - thread->start_p) * (double)count_engines(stats, core, number);
    double share = cycles > 0.0 ? 100.0 * (double)thread->op_p / cycles : 0.0;
    if (!tacho_stats_has_cycles(&stats->file->head)) {
        share = percent(thread->waits.op_u, thread->end_u - thread->start_u);
    }
    TACHO_TRY(add_real_if(table, is_known, share));
    TACHO_TRY(add_count_if(table, is_known, thread->waits.op_u));
    TACHO_TRY(add_count_if(table, is_known, thread->waits.sync_u));
    TACHO_TRY(add_count_if(table, is_known, thread->waits.barrier_u));
    TACHO_TRY(add_count(table, thread->flush_u));
    return add_count(table, thread->activate_u);
}

static tacho_status add_threads(tacho_table *table, const tacho_opstats *stats)
{
    for (uint32_t core = 0; core < stats->program->facts.core_count; core++) {
        for (uint32_t i = 0; i < stats->program->facts.thread_count; i++) {
            TACHO_TRY(add_thread(table, stats, core, i));
        }
    }
    return TACHO_OK;
}

static const tacho_column core_columns[] = {
    TACHO_COLUMN(CORE, "core", INT),
    TACHO_COLUMN(UCYCLES, "ucycles", INT),
    TACHO_COLUMN(PCYCLES, "pcycles", INT),
    TACHO_COLUMN(INFERENCE_PCYCLES, "inference pcycles", INT),
    TACHO_COLUMN(EFFECTIVE_MHZ, "MHz", REAL),
    TACHO_COLUMN(FLUSH_UCYCLES, "flush ucycles", INT),
    TACHO_COLUMN(DDR_READ_KB, "DDR read KB", REAL),
    TACHO_COLUMN(DDR_WRITE_KB, "DDR write KB", REAL),
    TACHO_COLUMN(DDR_GB_PER_S, "DDR GB/s", REAL),
};

static double seconds_of(const tacho_opstats *stats, uint64_t ticks)
{
    return (double)ticks / (double)stats->file->head.timer_hz;
}

static tacho_status add_core(tacho_table *table, const tacho_opstats *stats, uint32_t number)
{
    const tacho_opstats_core *core = &stats->cores[number];
    bool is_known = core->is_whole;
    if (!core->is_there && is_known) {
        return TACHO_OK; /* a host computer has one, however many the machine has */
    }
    bool has_cycles = is_known && tacho_stats_has_cycles(&stats->file->head);
    TACHO_TRY(add_count(table, number));
    TACHO_TRY(add_count_if(table, is_known, core->max_u));
    TACHO_TRY(add_count_if(table, has_cycles, core->max_p));
    TACHO_TRY(add_count_if(table, has_cycles, core->end_p - core->start_p));
    double mhz = tacho_opstats_mhz(stats, core);
    TACHO_TRY(add_real_if(table, is_known && mhz > 0.0, mhz));
    TACHO_TRY(add_count_if(table, is_known, core->flush_u));
    if (!core->has_ddr) {
        for (int i = 0; i < 3; i++) {
            TACHO_TRY(tacho_table_add_absent(table));
        }
        return TACHO_OK;
    }
    double bytes = (double)core->read_bytes + (double)core->write_bytes;
    TACHO_TRY(tacho_table_add_real(table, (double)core->read_bytes / 1024.0));
    TACHO_TRY(tacho_table_add_real(table, (double)core->write_bytes / 1024.0));
    uint64_t ticks = core->end_u - core->start_u - core->flush_u; /* during which it was moved */
    return add_ratio(table, bytes / 1e9, is_known ? seconds_of(stats, ticks) : 0.0);
}

static tacho_status add_cores(tacho_table *table, const tacho_opstats *stats)
{
    for (uint32_t core = 0; core < stats->program->facts.core_count; core++) {
        TACHO_TRY(add_core(table, stats, core));
    }
    return TACHO_OK;
}

/* ---- the inference ------------------------------------------------------------------------- */

static const tacho_column device_columns[] = {
    TACHO_COLUMN(NETWORK, "network", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT),
    TACHO_COLUMN(LEVEL, "level", INT),
    TACHO_COLUMN(PROGRAM, "program", INT),
    TACHO_COLUMN(ACTIVATION, "activation", INT),
    TACHO_COLUMN(INFERENCE, "inference", INT),
    TACHO_COLUMN(DEVICE, "device", INT),
    TACHO_COLUMN(UCYCLES, "ucycles", INT),
    TACHO_COLUMN(START_U, "start", INT),
    TACHO_COLUMN(END_U, "end", INT),
    TACHO_COLUMN(SECONDS, "seconds", REAL),
    TACHO_COLUMN(BATCH_PER_S, "batch/s", REAL),
    TACHO_COLUMN(STATS_BATCH, "stats batch", INT),
    TACHO_COLUMN(INFERENCES_PER_S, "inf/s", REAL),
    TACHO_COLUMN(UCYCLES_PER_INFERENCE, "ucycles/inf", REAL),
    TACHO_COLUMN(MAX_INPUT_WAIT_UCYCLES, "max input wait", INT),
    TACHO_COLUMN(MAX_OUTPUT_WAIT_UCYCLES, "max output wait", INT),
    TACHO_COLUMN(FLUSH_UCYCLES, "flush ucycles", INT),
    TACHO_COLUMN(DDR_MB, "DDR MB", REAL),
    TACHO_COLUMN(DDR_GB_PER_S, "DDR GB/s", REAL),
    TACHO_COLUMN(OP_RECORDS, "op records", INT),
    TACHO_COLUMN(RECORD_COST_NS, "cost of recording", DURATION),
    TACHO_COLUMN(TIMER_MHZ, "timer MHz", REAL),
};

static tacho_status add_network(tacho_table *table, const tacho_opstats *stats)
{
    const tacho_program_facts *facts = &stats->program->facts;
    tacho_str name = tacho_strings_get(&stats->program->strings, facts->name);
    if (facts->device_count <= 1) {
        return tacho_table_add_text(table, name);
    }
    tacho_text text = {0};
    char suffix[24];
    snprintf(suffix, sizeof(suffix), "_slice%02u", (unsigned)stats->file->head.device);
    tacho_status status = tacho_text_put(&text, name);
    if (status == TACHO_OK) {
        status = tacho_text_put(&text, tacho_str_from_cstring(suffix));
    }
    if (status == TACHO_OK) {
        status = tacho_table_add_text(table, tacho_text_take(&text));
    }
    tacho_text_deinit(&text);
    return status;
}

static tacho_status add_traffic(tacho_table *table, const tacho_opstats *stats, uint64_t ticks)
{
    double bytes = 0.0;
    bool has_ddr = stats->program->facts.core_count > 0;
    for (uint32_t i = 0; i < stats->program->facts.core_count; i++) {
        has_ddr &= stats->cores[i].has_ddr;
        bytes += (double)stats->cores[i].read_bytes + (double)stats->cores[i].write_bytes;
    }
    if (!has_ddr) {
        TACHO_TRY(tacho_table_add_absent(table));
        return tacho_table_add_absent(table);
    }
    TACHO_TRY(tacho_table_add_real(table, bytes / 1e6));
    return add_ratio(table, bytes / 1e9, seconds_of(stats, ticks));
}

/* From the time when the last thread began to write its stats to the end of the inference. */
static uint64_t flush_ticks(const tacho_opstats *stats, uint64_t start, uint64_t end)
{
    const tacho_program_facts *facts = &stats->program->facts;
    uint64_t last = start;
    for (size_t i = 0; i < (size_t)facts->core_count * facts->thread_count; i++) {
        const tacho_opstats_thread *thread = &stats->threads[i];
        uint64_t flush = thread->end_u - thread->flush_u;
        last = thread->is_there && flush > last ? flush : last;
    }
    return end - last;
}

static tacho_status add_device(tacho_table *table, const tacho_opstats *stats)
{
    const tacho_stats_head *head = &stats->file->head;
    uint64_t start = 0;
    uint64_t end = 0;
    if (!tacho_opstats_extent(stats, &start, &end)) {
        start = end = 0;
    }
    bool is_known = stats->is_whole;
    double seconds = is_known ? seconds_of(stats, end - start) : 0.0;
    double batch = head->batch_size > 0 ? head->batch_size : 1;
    TACHO_TRY(add_network(table, stats));
    TACHO_TRY(add_text(table, head->features & TACHO_STATS_SIMULATED ? "simulated" : "measured"));
    const uint64_t numbers[] = {head->level, head->program, head->activation, head->inference,
                                head->device};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        TACHO_TRY(add_count(table, numbers[i]));
    }
    TACHO_TRY(add_count_if(table, is_known, end - start));
    TACHO_TRY(add_count_if(table, is_known, start));
    TACHO_TRY(add_count_if(table, is_known, end));
    TACHO_TRY(add_real_if(table, is_known, seconds));
    TACHO_TRY(add_ratio(table, 1.0, seconds));
    TACHO_TRY(add_count(table, tacho_whole_u64(batch)));
    TACHO_TRY(add_ratio(table, batch, seconds));
    TACHO_TRY(add_real_if(table, is_known, (double)(end - start) / batch));
    TACHO_TRY(add_count_if(table, stats->has_ports, stats->max_input_wait));
    TACHO_TRY(add_count_if(table, stats->has_ports, stats->max_output_wait));
    uint64_t flush = is_known ? flush_ticks(stats, start, end) : 0;
    TACHO_TRY(add_count_if(table, is_known, flush));
    TACHO_TRY(add_traffic(table, stats, is_known ? end - start - flush : 0));
    TACHO_TRY(add_count(table, stats->record_count));
    TACHO_TRY(stats->file->end.record_cost_ns > 0
                  ? add_count(table, stats->file->end.record_cost_ns)
                  : tacho_table_add_absent(table));
    return tacho_table_add_real(table, (double)head->timer_hz / 1e6);
}

/* ---- ports --------------------------------------------------------------------------------- */

static const tacho_column port_columns[] = {
    TACHO_COLUMN(CORE, "core", INT),
    TACHO_COLUMN(THREAD, "thread", INT),
    TACHO_COLUMN(PORT, "port", INT),
    TACHO_COLUMN(TYPE, "type", TEXT),
    TACHO_COLUMN(DIRECTION, "direction", TEXT),
    TACHO_COLUMN(PEER, "peer", INT),
    TACHO_COLUMN(WAIT_UCYCLES, "wait ucycles", INT),
    TACHO_COLUMN(WAIT_COUNT, "waits", INT),
    TACHO_COLUMN(LONGEST_UCYCLES, "longest", INT),
};

static tacho_status add_ports(tacho_table *table, const tacho_opstats *stats)
{
    for (size_t i = 0; i < stats->file->array_count; i++) {
        const tacho_stats_array *array = &stats->file->arrays[i];
        const tacho_stats_port *ports = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_port && j < array->count; j++) {
            const tacho_stats_port *port = &ports[j];
            TACHO_TRY(add_count(table, port->core));
            TACHO_TRY(add_count(table, port->thread));
            TACHO_TRY(add_count(table, port->port));
            TACHO_TRY(add_text(table, port->is_p2p ? "P2P_Port" : "Host_IO_Port"));
            TACHO_TRY(add_text(table, port->is_output ? "out" : "in"));
            TACHO_TRY(port->is_p2p ? add_count(table, port->peer) : tacho_table_add_absent(table));
            TACHO_TRY(add_count(table, port->wait_u));
            TACHO_TRY(add_count(table, port->wait_count));
            TACHO_TRY(add_count(table, port->longest_u));
        }
    }
    return TACHO_OK;
}

static const tacho_column doorbell_columns[] = {
    TACHO_COLUMN(CORE, "core", INT),
    TACHO_COLUMN(PORT, "port", INT),
    TACHO_COLUMN(TRANSACTION, "transaction", INT),
    TACHO_COLUMN(OFFSET_UCYCLES, "after start", INT),
};

static tacho_status add_doorbells(tacho_table *table, const tacho_opstats *stats)
{
    uint64_t start = 0;
    uint64_t end = 0;
    bool is_known = tacho_opstats_extent(stats, &start, &end) && stats->is_whole;
    for (size_t i = 0; i < stats->file->array_count; i++) {
        const tacho_stats_array *array = &stats->file->arrays[i];
        const tacho_stats_doorbell *bells = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_doorbell && j < array->count; j++) {
            TACHO_TRY(add_count(table, bells[j].core));
            TACHO_TRY(add_count(table, bells[j].port));
            TACHO_TRY(add_count(table, bells[j].transaction));
            TACHO_TRY(is_known ? tacho_table_add_int(table, (int64_t)(bells[j].ring_u - start))
                               : tacho_table_add_absent(table));
        }
    }
    return TACHO_OK;
}

/* ---- counters ------------------------------------------------------------------------------ */

static const tacho_column pmu_columns[] = {
    TACHO_COLUMN(CORE, "core", INT),    TACHO_COLUMN(THREAD, "thread", INT),
    TACHO_COLUMN(EVENT, "event", TEXT), TACHO_COLUMN(NAME, "name", TEXT),
    TACHO_COLUMN(VALUE, "value", INT),
};

static tacho_status add_event(tacho_table *table, const tacho_program *program, uint32_t at)
{
    const tacho_stats_config *stats = &program->facts.stats;
    char text[16];
    snprintf(text, sizeof(text), "0x%X", (unsigned)stats->pmu_events[at]);
    TACHO_TRY(add_text(table, text));
    return tacho_table_add_text(table, tacho_strings_get(&program->strings, stats->pmu_names[at]));
}

/* Of each thread, then of the core. */
static tacho_status add_pmus(tacho_table *table, const tacho_opstats *stats)
{
    const tacho_stats_config *config = &stats->program->facts.stats;
    uint32_t thread_count = stats->program->facts.thread_count;
    bool has_pmu = (stats->file->head.features & TACHO_STATS_HAS_PMU) != 0 &&
                   tacho_stats_has_cycles(&stats->file->head);
    for (uint32_t core = 0; core < stats->program->facts.core_count; core++) {
        for (uint32_t i = 0; has_pmu && i <= thread_count; i++) {
            const tacho_opstats_thread *thread = &stats->threads[(size_t)core * thread_count + i];
            const uint64_t *values = i < thread_count ? thread->pmu : stats->cores[core].pmu;
            bool is_known = i < thread_count ? thread->has_pmu : stats->cores[core].has_pmu;
            for (uint32_t j = 0; j < config->pmu_event_count; j++) {
                TACHO_TRY(add_count(table, core));
                TACHO_TRY(i < thread_count ? add_count(table, i) : tacho_table_add_absent(table));
                TACHO_TRY(add_event(table, stats->program, j));
                TACHO_TRY(
                    add_count_if(table, is_known && tacho_opstats_is_counted(stats, j), values[j]));
            }
        }
    }
    return TACHO_OK;
}

static const tacho_column rate_columns[] = {
    TACHO_COLUMN(CORE, "core", INT),
    TACHO_COLUMN(NAME, "name", TEXT),
    TACHO_COLUMN(VALUE, "value", REAL),
};

static tacho_status add_rates(tacho_table *table, const tacho_opstats *stats)
{
    for (uint32_t core = 0; core < stats->program->facts.core_count; core++) {
        tacho_opstats_rate rates[TACHO_OPSTATS_RATES_MAX];
        size_t count = stats->cores[core].has_pmu ? tacho_opstats_rates(stats, core, rates) : 0;
        for (size_t i = 0; i < count; i++) {
            TACHO_TRY(add_count(table, core));
            TACHO_TRY(add_text(table, rates[i].name));
            TACHO_TRY(tacho_table_add_real(table, rates[i].value));
        }
    }
    return TACHO_OK;
}

static const tacho_column op_pmu_columns[] = {
    TACHO_COLUMN(CORE, "core", INT),    TACHO_COLUMN(OPDETAILS, "opdetails", TEXT),
    TACHO_COLUMN(EVENT, "event", TEXT), TACHO_COLUMN(NAME, "name", TEXT),
    TACHO_COLUMN(COUNT, "ops", INT),    TACHO_COLUMN(MEAN, "mean", REAL),
    TACHO_COLUMN(TOTAL, "total", INT),  TACHO_COLUMN(PER_PCYCLE, "per pcycle", REAL),
};

static tacho_status add_op_pmu(tacho_table *table, const tacho_opstats *stats)
{
    const tacho_stats_config *config = &stats->program->facts.stats;
    bool has_op_pmu = (stats->file->head.features & TACHO_STATS_HAS_OP_PMU) != 0;
    for (size_t i = 0; has_op_pmu && i < stats->plan->row_count; i++) {
        const tacho_opstats_row *row = &stats->plan->rows[i];
        const tacho_opstats_sum *sum = &stats->sums[i];
        if (row->kind != TACHO_OPSTATS_OP || (sum->count == 0 && !sum->is_lost)) {
            continue;
        }
        for (uint32_t j = 0; j < config->pmu_event_count; j++) {
            TACHO_TRY(add_count(table, row->core));
            TACHO_TRY(tacho_table_add_text(table,
                                           tacho_strings_get(&stats->plan->strings, row->details)));
            TACHO_TRY(add_event(table, stats->program, j));
            bool is_known =
                !sum->is_lost && !sum->is_pmu_lost && tacho_opstats_is_counted(stats, j);
            TACHO_TRY(add_count_if(table, !sum->is_lost, sum->count));
            TACHO_TRY(add_ratio(table, (double)sum->pmu[j], is_known ? (double)sum->count : 0.0));
            TACHO_TRY(add_count_if(table, is_known, sum->pmu[j]));
            TACHO_TRY(add_ratio(table, (double)sum->pmu[j], is_known ? (double)sum->pcycles : 0.0));
        }
    }
    return TACHO_OK;
}

/* ---- stalls and missing data --------------------------------------------------------------- */

static const tacho_column stall_columns[] = {TACHO_COLUMN(OP, "op", TEXT),
                                             TACHO_COLUMN(ESTIMATED_CYCLES, "estimated", INT),
                                             TACHO_COLUMN(SIMULATED_CYCLES, "simulated", INT),
#define STALL_COLUMN(name, key, phrase) TACHO_COLUMN(name##_CYCLES, key, INT),
                                             TACHO_STALLS(STALL_COLUMN)
#undef STALL_COLUMN
};

static tacho_status add_stalls(tacho_table *table, const tacho_opstats *stats)
{
    for (size_t i = 0; i < stats->file->array_count; i++) {
        const tacho_stats_array *array = &stats->file->arrays[i];
        const tacho_stats_stall *stalls = array->records;
        for (uint32_t j = 0; array->type == TACHO_STATS_TYPE_stall && j < array->count; j++) {
            const tacho_program_op *op = &stats->program->ops[stalls[j].op];
            int64_t cycles = 0;
            if (__builtin_sub_overflow(stalls[j].end_p, stalls[j].start_p, &cycles)) {
                continue;
            }
            TACHO_TRY(
                tacho_table_add_text(table, tacho_strings_get(&stats->program->strings, op->name)));
            TACHO_TRY(tacho_table_add_int(table, op->cycles));
            TACHO_TRY(tacho_table_add_int(table, cycles));
            for (int k = 0; k < TACHO_STALL_COUNT; k++) {
                TACHO_TRY(tacho_table_add_int(table, stalls[j].cycles[k]));
            }
        }
    }
    return TACHO_OK;
}

static const tacho_column missing_columns[] = {
    TACHO_COLUMN(WHAT, "what", TEXT),
    TACHO_COLUMN(NEEDS, "compile with", TEXT),
};

/* "counters 0x20E, 0x20F of threads and ops: the simulation does not count them"; empty: none. */
static void list_uncounted(const tacho_opstats *stats, char *text, size_t room)
{
    const tacho_stats_config *config = &stats->program->facts.stats;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < config->pmu_event_count; i++) {
        if (!tacho_opstats_is_counted(stats, i) && used < room) {
            used += (size_t)snprintf(text + used, room - used, "%s0x%X",
                                     used > 0 ? ", " : "counters ", config->pmu_events[i]);
        }
    }
    if (used > 0 && used < room) {
        snprintf(text + used, room - used, ": the simulation does not count them");
    }
}

/* Data that was not compiled in is listed with the option to compile with; other missing data is
 * not recorded by the device. */
static tacho_status add_missing(tacho_table *table, const tacho_opstats *stats)
{
    const tacho_stats_head *head = &stats->file->head;
    const tacho_stats_config *config = &stats->program->facts.stats;
    bool has_pmu = config->pmu_event_count > 0;
    bool has_op_pmu = has_pmu && head->level >= TACHO_STATS_LEVEL_OP_PMU;
    bool has_cycles = tacho_stats_has_cycles(head);
    bool has_port_level = head->level >= TACHO_STATS_LEVEL_PORTS;
    bool has_op_level = head->level >= TACHO_STATS_LEVEL_OPS;
    char uncounted[160];
    list_uncounted(stats, uncounted, sizeof(uncounted));
    const struct {
        bool is_missing, is_compiled_in;
        const char *what, *needs;
    } rows[] = {
        {(head->features & TACHO_STATS_HAS_DDR) == 0, config->counts_ddr != 0 || !has_cycles,
         "DDR traffic", "DDR stats"},
        {(head->features & TACHO_STATS_HAS_PMU) == 0, has_pmu, "core counters",
         "the PMU recipe KernelUtil, or PMU events"},
        {!has_cycles, true,
         "cycles and frequency of cores: the device has one clock, which ucycles are of", ""},
        {!has_port_level || !has_cycles, has_port_level, "waits at ports and doorbells",
         "stats level 50"},
        {!has_op_level, false, "ops", "stats level 70"},
        {has_op_level && (head->features & TACHO_STATS_BY_OP) != 0, true,
         "engines, transfers and waits of ops: the device runs an op as a whole", ""},
        {(head->features & TACHO_STATS_HAS_OP_PMU) == 0, has_op_pmu, "op counters",
         has_pmu ? "stats level 100" : "stats level 100 and the PMU recipe KernelUtil"},
        {(head->features & TACHO_STATS_HAS_PMU) != 0 && uncounted[0] != '\0', true, uncounted, ""},
        {tacho_stats_is_damaged(&stats->file->damage), true,
         "part of the file, which is truncated or damaged; affected values are N/A or left out",
         ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].is_missing) {
            TACHO_TRY(add_text(table, rows[i].what));
            TACHO_TRY(add_text(table, rows[i].is_compiled_in ? "" : rows[i].needs));
        }
    }
    return TACHO_OK;
}

/* ---- all ----------------------------------------------------------------------------------- */

typedef struct table_maker {
    const tacho_column *columns;
    size_t column_count;
    tacho_status (*add)(tacho_table *table, const tacho_opstats *stats);
} table_maker;

static const table_maker makers[TACHO_OPSTATS_TABLE_COUNT] = {
#define MAKER(id, columns, add) [TACHO_OPSTATS_TABLE_##id] = {columns, COUNT_OF(columns), add}
    MAKER(DEVICE, device_columns, add_device),
    MAKER(CORES, core_columns, add_cores),
    MAKER(OPS, op_columns, add_ops),
    MAKER(THREADS, thread_columns, add_threads),
    MAKER(PORTS, port_columns, add_ports),
    MAKER(DOORBELLS, doorbell_columns, add_doorbells),
    MAKER(PMU, pmu_columns, add_pmus),
    MAKER(RATES, rate_columns, add_rates),
    MAKER(OP_PMU, op_pmu_columns, add_op_pmu),
    MAKER(STALLS, stall_columns, add_stalls),
    MAKER(MISSING, missing_columns, add_missing),
#undef MAKER
};

tacho_status tacho_opstats_tables_init(tacho_table tables[TACHO_OPSTATS_TABLE_COUNT],
                                       const tacho_opstats *stats)
{
    static const char *const names[][2] = {
#define TABLE_NAME(name, word, title) {word, title},
        TACHO_OPSTATS_TABLES(TABLE_NAME)
#undef TABLE_NAME
    };
    for (size_t i = 0; i < TACHO_OPSTATS_TABLE_COUNT; i++) {
        tacho_table_init(&tables[i], names[i][0], names[i][1], makers[i].columns,
                         makers[i].column_count);
        static const tacho_column_id kept[] = {TACHO_COL_CORE,    TACHO_COL_OPDETAILS,
                                               TACHO_COL_THREAD,  TACHO_COL_NAME,
                                               TACHO_COL_UCYCLES, TACHO_COL_UCYCLES_PERCENT,
                                               TACHO_COL_PCYCLES, TACHO_COL_VALUE,
                                               TACHO_COL_TOTAL,   TACHO_COL_OTHER};
        tables[i].kept = kept;
    }
    for (size_t i = 0; i < TACHO_OPSTATS_TABLE_COUNT; i++) {
        TACHO_TRY(makers[i].add(&tables[i], stats));
    }
    return TACHO_OK;
}

void tacho_opstats_tables_deinit(tacho_table tables[TACHO_OPSTATS_TABLE_COUNT])
{
    for (size_t i = 0; i < TACHO_OPSTATS_TABLE_COUNT; i++) {
        tacho_table_deinit(&tables[i]);
    }
}
