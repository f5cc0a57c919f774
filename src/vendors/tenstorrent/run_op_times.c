/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records come engine by engine. Each run of records of one operator on one engine is a piece;
 * sorted by operator and core, pieces become times in one pass.
 */
#include "vendors/tenstorrent/run_op_times.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

tacho_status tacho_op_timer_init(tacho_op_timer *timer, const tacho_program *program)
{
    *timer = (tacho_op_timer){.program = program};
    TACHO_TRY(tacho_stats_layout_init(&timer->layout, program));
    return tacho_stats_words_init(&timer->words, &timer->layout);
}

void tacho_op_timer_deinit(tacho_op_timer *timer)
{
    tacho_stats_words_deinit(&timer->words);
    tacho_stats_layout_deinit(&timer->layout);
    free(timer->pieces);
    free(timer->times);
}

/* ---- pieces -------------------------------------------------------------------------------- */

static void extend(tacho_cycle_range *range, const tacho_cycle_range *by)
{
    if (by->count == 0) {
        return;
    }
    if (range->count == 0) {
        *range = *by;
        return;
    }
    range->first = by->first < range->first ? by->first : range->first;
    range->last = by->last > range->last ? by->last : range->last;
    range->count += by->count;
}

/* By the engine that does the job: a processor that writes results may read operands, too. */
static uint32_t role_of(const tacho_program *program, uint32_t engine)
{
    static const struct {
        const char *name;
        tacho_op_role role;
    } classes[] = {
        {"dma_in", TACHO_OP_READS},     {"dma_local", TACHO_OP_READS}, {"dma_out", TACHO_OP_WRITES},
        {"compute", TACHO_OP_COMPUTES}, {"vector", TACHO_OP_COMPUTES},
    };
    tacho_str name = tacho_strings_get(&program->strings, program->engines[engine].class_name);
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(classes[i].name))) {
            return classes[i].role;
        }
    }
    return TACHO_OP_ROLE_COUNT;
}

static tacho_status add_piece(tacho_op_timer *timer, const tacho_op_piece *piece)
{
    tacho_op_piece *before = timer->piece_count > 0 ? &timer->pieces[timer->piece_count - 1] : NULL;
    if (before != NULL && before->op == piece->op && before->core == piece->core &&
        before->role == piece->role) {
        extend(&before->range, &piece->range);
        before->shared_bytes += piece->shared_bytes;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&timer->pieces, &timer->piece_capacity, timer->piece_count + 1));
    timer->pieces[timer->piece_count++] = *piece;
    return TACHO_OK;
}

/* When the job of a record was done: a transfer goes on when its thread does. */
static uint64_t end_of(const tacho_program *program, const tacho_stats_op *record)
{
    uint64_t timer_hz = program->facts.timer_hz;
    if ((record->flags & TACHO_STATS_OP_ASYNC) == 0 || timer_hz == 0 ||
        record->async_done_u < record->op_start_u) {
        return record->op_end_p;
    }
    uint64_t ticks = record->async_done_u - record->op_start_u;
    uint64_t done = record->op_start_p +
                    (uint64_t)((tacho_u128)ticks * program->facts.core_clock_hz / timer_hz);
    return done > record->op_end_p ? done : record->op_end_p;
}

/* The records of one engine. */
static tacho_status take_engine(tacho_op_timer *timer, const tacho_stats_array *array)
{
    const tacho_program *program = timer->program;
    const tacho_stats_op *records = array->records;
    uint32_t cursor = 0;
    for (uint32_t i = 0; i < array->count && array->stream < program->engine_count; i++) {
        const tacho_stats_slot *slot =
            tacho_stats_words_slot(&timer->words, array->stream, records[i].oc, &cursor);
        if (slot == NULL) {
            continue;
        }
        const tacho_job *job = &program->jobs[slot->job];
        bool is_shared = job->kind == TACHO_JOB_LOAD || job->kind == TACHO_JOB_STORE;
        const tacho_op_piece piece = {
            .op = job->op,
            .core = program->engines[array->stream].core,
            .role = slot->is_wait ? TACHO_OP_ROLE_COUNT : role_of(program, array->stream),
            .range = {.first = records[i].op_start_p,
                      .last = end_of(program, &records[i]),
                      .count = 1},
            .shared_bytes = is_shared ? job->bytes / (job->readers > 1 ? job->readers : 1) : 0,
        };
        if (job->op < program->op_count) {
            TACHO_TRY(add_piece(timer, &piece));
        }
    }
    return TACHO_OK;
}

static int compare_pieces(const void *a, const void *b)
{
    const tacho_op_piece *left = a;
    const tacho_op_piece *right = b;
    if (left->op != right->op) {
        return left->op < right->op ? -1 : 1;
    }
    return left->core < right->core ? -1 : left->core > right->core;
}

/* ---- times --------------------------------------------------------------------------------- */

static void end_core(tacho_op_times *times, tacho_cycle_range *core)
{
    uint64_t cycles = core->last - core->first;
    if (core->count > 0) {
        times->core_least =
            times->core_count == 0 || cycles < times->core_least ? cycles : times->core_least;
        times->core_most = cycles > times->core_most ? cycles : times->core_most;
        times->core_sum += cycles;
        times->core_last_start =
            core->first > times->core_last_start ? core->first : times->core_last_start;
        times->core_count++;
    }
    *core = (tacho_cycle_range){0};
}

/* The pieces from |*at| on of one operator; |*at| goes behind them. */
static tacho_op_times sum_op(const tacho_op_timer *timer, size_t *at)
{
    const tacho_op_piece *pieces = timer->pieces;
    tacho_op_times times = {.op = pieces[*at].op};
    tacho_cycle_range core = {0};
    for (size_t i = *at; i < timer->piece_count && pieces[i].op == times.op; i++) {
        if (i > *at && pieces[i].core != pieces[i - 1].core) {
            end_core(&times, &core);
        }
        extend(&times.all, &pieces[i].range);
        times.shared_bytes += pieces[i].shared_bytes;
        if (pieces[i].role < TACHO_OP_ROLE_COUNT) {
            extend(&times.roles[pieces[i].role], &pieces[i].range);
            extend(&times.kernel, &pieces[i].range);
            extend(&core, &pieces[i].range);
        }
    }
    end_core(&times, &core);
    while (*at < timer->piece_count && pieces[*at].op == times.op) {
        (*at)++;
    }
    return times;
}

static void add_stalls(tacho_op_timer *timer, const tacho_stats_array *array)
{
    const tacho_stats_stall *stalls = array->records;
    size_t at = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        while (at < timer->time_count && timer->times[at].op < stalls[i].op) {
            at++;
        }
        if (at == timer->time_count || timer->times[at].op != stalls[i].op) {
            continue;
        }
        timer->times[at].has_stalls = true;
        timer->times[at].stall_cycles = stalls[i].cycles[TACHO_STALL_DDR] +
                                        stalls[i].cycles[TACHO_STALL_NOC] +
                                        stalls[i].cycles[TACHO_STALL_LINK];
    }
}

tacho_status tacho_op_timer_take(tacho_op_timer *timer, const tacho_stats_buffer *buffer)
{
    timer->piece_count = timer->time_count = 0;
    for (size_t i = 0; i < buffer->array_count; i++) {
        if (buffer->arrays[i].type == TACHO_STATS_TYPE_op) {
            TACHO_TRY(take_engine(timer, &buffer->arrays[i]));
        }
    }
    if (timer->piece_count > 1) {
        qsort(timer->pieces, timer->piece_count, sizeof(*timer->pieces), compare_pieces);
    }
    for (size_t at = 0; at < timer->piece_count;) {
        TACHO_TRY(tacho_grow(&timer->times, &timer->time_capacity, timer->time_count + 1));
        tacho_op_times *times = &timer->times[timer->time_count++];
        *times = sum_op(timer, &at);
        times->device = buffer->head.device;
    }
    for (size_t i = 0; i < buffer->array_count; i++) {
        if (buffer->arrays[i].type == TACHO_STATS_TYPE_stall) {
            add_stalls(timer, &buffer->arrays[i]);
        }
    }
    return TACHO_OK;
}
