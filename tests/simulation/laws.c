/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every run has to keep, whatever went wrong:
 *
 * - a complete capture has every event that was placed in a ring, as it was reported and in order,
 *   also those of killed programs; the others are in its losses, exactly;
 * - what was sealed survives the death of tacho and a full disk;
 * - a capture that is cut or changed gives every whole chunk, and names what is missing.
 */
#include "simulator.h"

#include "profile/dict.h"

#include <stdlib.h>
#include <string.h>

typedef struct sums {
    uint64_t placed, dropped, untimed, late_placed, late_dropped, pending;
    uint64_t unsure, rowless, open; /* of unsure fate: events, those without rows, open zones */
} sums;

/* Events and open zones of unsure fate, which are stored or counted as dropped. */
static void add_unsure(const sim_thread *thread, sums *sum)
{
    for (size_t i = 0; i < thread->event_count; i++) {
        const sim_event *event = &thread->events[i];
        sum->unsure += event->fate == SIM_UNSURE && !event->is_second ? 1 : 0;
    }
    for (size_t i = 0; i < thread->zone_count; i++) {
        sum->open += thread->zones[i].zone.site == TACHO_WIRE_NO_TEXT ? 1 : 0;
    }
}

static sums sum_processes(const sim_rank *rank)
{
    sums sum = {0};
    for (size_t i = 0; i < SIM_PROCESSES_MAX; i++) {
        const sim_process *process = &sim.processes[i];
        if (process->is_used && process->rank == rank) {
            sum.placed += process->placed;
            sum.dropped += process->dropped + process->unplaced;
            sum.untimed += process->untimed;
            sum.late_placed += process->late_placed;
            sum.late_dropped += process->late_dropped;
            sum.pending += process->pending;
            sum.rowless += process->unsure;
        }
    }
    for (size_t i = 0; i < sim.thread_count; i++) {
        if (sim.threads[i].process->rank == rank) {
            add_unsure(&sim.threads[i], &sum);
        }
    }
    return sum;
}

/* |count| of |what| is |expected|, less those that were too late, more those that were cut short.
 */
static void check_count(const sim_rank *rank, const char *what, uint64_t count, uint64_t expected,
                        const uint64_t tolerance[2])
{
    if (count + tolerance[0] < expected || count > expected + tolerance[1]) {
        sim_break("rank %u: %llu %s, and %llu are counted", rank->index,
                  (unsigned long long)expected, what, (unsigned long long)count);
    }
}

static void check_sums(const sim_rank *rank, const sim_reading *reading)
{
    const uint64_t none[] = {0, 0};
    const tacho_wrapper_result *result = &rank->result;
    sums sum = sum_processes(rank);
    /* The last call of a killed thread is counted, or not; a handler may have interrupted it. */
    uint64_t unnamed = sum.unsure - reading->unsure_count;
    const uint64_t some_dropped[] = {sum.late_dropped + (unnamed > 0 ? sum.late_placed : 0),
                                     6 * sum.pending + sum.open + sum.rowless};
    const uint64_t some_placed[] = {sum.late_placed, 2 * sum.pending};
    uint64_t lost = reading->losses[TACHO_LOSS_BUFFER_FULL];
    check_count(rank, "events were dropped", lost, sum.dropped + unnamed, some_dropped);
    check_count(rank, "events were placed or lacked room for texts", result->clients.events + lost,
                sum.placed + sum.dropped,
                (const uint64_t[]){sum.late_placed + sum.late_dropped, 6 * sum.pending + sum.open});
    check_count(rank, "events had no clock", reading->losses[TACHO_LOSS_UNKNOWN_CLOCK], sum.untimed,
                some_placed);
    check_count(rank, "invalid records", reading->losses[TACHO_LOSS_BAD_RECORD], 0, none);
    check_count(rank, "rows are missing", reading->losses[TACHO_LOSS_CUT_INPUT], 0, none);
    check_count(rank, "rows were stored", reading->row_count, result->stored_count, none);
}

static bool is_sealed(const sim_thread *thread, const sim_event *event)
{
    return thread->is_all_sealed ||
           (event->ring == thread->sealed_ring && event->position <= thread->sealed_position);
}

/* Looks for events of |thread| that should be in the capture and were not found there. */
static void check_missing(const sim_rank *rank, const sim_thread *thread, const sim_found *found,
                          bool is_complete)
{
    for (size_t i = 0; i < thread->event_count; i++) {
        const sim_event *event = &thread->events[i];
        bool is_found = i < found->next[event->stream];
        bool is_due = is_complete ? !event->is_late : is_sealed(thread, event);
        if (event->fate == SIM_PLACED && !is_found && is_due) {
            sim_break("rank %u, thread %u: event %zu of %zu (kind %u, at %lld) is %s and missing",
                      rank->index, thread->tid, i, thread->event_count, event->kind,
                      (long long)event->start, is_complete ? "reported" : "sealed");
            return;
        }
    }
}

/* Zones that were open when their thread was killed, or at the end. */
static void check_open_zones(const sim_rank *rank, const sim_thread *thread, const sim_found *found)
{
    uint64_t open = 0, pending = 0;
    for (size_t i = 0; i < thread->zone_count && i < TACHO_WIRE_OPEN_MAX; i++) {
        bool is_unsure =
            thread->zones[i].is_pending || thread->zones[i].zone.site == TACHO_WIRE_NO_TEXT;
        open += is_unsure ? 0 : 1;
        pending += is_unsure ? 1 : 0;
    }
    bool is_due = !thread->has_left && !thread->is_late;
    if (is_due && (found->unended_count < open || found->unended_count > open + pending)) {
        sim_break("rank %u, thread %u: %llu of %llu open zones were found", rank->index,
                  thread->tid, (unsigned long long)found->unended_count, (unsigned long long)open);
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void check_cut(sim_rank *rank, tacho_str bytes)
{
    static sim_reading reading;
    uint64_t expected = 0;
    uint32_t cut = sim_below((uint32_t)bytes.len);
    char *part = malloc(cut + 1);
    if (part == NULL) {
        return;
    }
    memcpy(part, bytes.data, cut); /* so that a read past the end is seen */
    for (size_t i = 0; i < rank->chunk_count; i++) {
        expected += rank->chunks[i].end <= cut ? rank->chunks[i].row_count : 0;
    }
    sim_read(rank, tacho_str_make(part, cut), true, &reading);
    free(part);
    bool is_named = reading.losses[TACHO_LOSS_CUT_INPUT] > 0;
    if (reading.row_count != expected || (reading.is_read && !is_named)) {
        sim_break("rank %u: cut at byte %u of %zu, %llu of %llu rows were read%s", rank->index, cut,
                  bytes.len, (unsigned long long)reading.row_count, (unsigned long long)expected,
                  is_named ? "" : " without a word");
    }
}

static void check_flip(sim_rank *rank, tacho_str bytes, uint64_t row_count)
{
    static sim_reading reading;
    const sim_chunk *chunk = &rank->chunks[sim_below((uint32_t)rank->chunk_count)];
    char *changed = malloc(bytes.len);
    if (changed == NULL || chunk->end > bytes.len) {
        free(changed);
        return;
    }
    memcpy(changed, bytes.data, bytes.len);
    uint64_t at = chunk->begin + sim_below((uint32_t)(chunk->end - chunk->begin));
    changed[at] = (char)(changed[at] ^ 1 << sim_below(8));
    sim_read(rank, tacho_str_make(changed, bytes.len), true, &reading);
    free(changed);
    if (reading.row_count != row_count - chunk->row_count ||
        reading.losses[TACHO_LOSS_CUT_INPUT] < chunk->row_count) {
        sim_break("rank %u: a bit of byte %llu flipped, %llu of %llu rows read, %llu missing",
                  rank->index, (unsigned long long)at, (unsigned long long)reading.row_count,
                  (unsigned long long)(row_count - chunk->row_count),
                  (unsigned long long)reading.losses[TACHO_LOSS_CUT_INPUT]);
    }
}

/* ---- a rank ---------------------------------------------------------------------------------- */

static void check_threads(const sim_rank *rank, const sim_reading *reading, bool is_complete)
{
    for (size_t i = 0; i < sim.thread_count; i++) {
        const sim_thread *thread = &sim.threads[i];
        if (thread->process->rank == rank) {
            check_missing(rank, thread, &reading->found[i], is_complete);
        }
        if (thread->process->rank == rank && is_complete) {
            check_open_zones(rank, thread, &reading->found[i]);
        }
    }
}

static void check_file(sim_rank *rank, tacho_str bytes)
{
    static sim_reading reading;
    bool is_complete = rank->has_result && rank->result.store_error == TACHO_OK;
    sim_read(rank, bytes, false, &reading);
    rank->is_readable = reading.is_read;
    rank->read_rows = reading.row_count;
    check_threads(rank, &reading, is_complete);
    if (is_complete) {
        check_sums(rank, &reading);
    }
    if (rank->has_result && reading.row_count > rank->result.stored_count) {
        sim_break("rank %u: %llu rows were stored, and %llu read", rank->index,
                  (unsigned long long)rank->result.stored_count,
                  (unsigned long long)reading.row_count);
    }
    bool is_plain = rank->has_result ? is_complete : true; /* offsets are those of the file */
    if (is_plain && bytes.len > 0 && sim_fails(SIM_CUT)) {
        check_cut(rank, bytes);
    }
    if (is_complete && rank->chunk_count > 0 && sim_fails(SIM_FLIP)) {
        check_flip(rank, bytes, reading.row_count);
    }
}

void sim_check_rank(sim_rank *rank)
{
    tacho_str bytes = sim_read_file(rank->path);
    if (sim.broken[0] == '\0') {
        check_file(rank, bytes);
    }
    sim.digest = sim_hash(sim.digest, bytes.data, bytes.len);
    free((void *)(uintptr_t)bytes.data);
    tacho_status_free(rank->result.store_error);
    tacho_status_free(rank->result.collect_error);
    rank->result.store_error = rank->result.collect_error = TACHO_OK;
}
