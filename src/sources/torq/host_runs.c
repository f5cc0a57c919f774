/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues are lists in one array of slots. In a file in time order a queue never holds more than the
 * starts since the last wait.
 */
#include "sources/torq/host_runs.h"

#include "base/grow.h"

#include <stdlib.h>

enum {
    ORDERED_ROWS_MIN = 64, /* this many rows are not in order by chance */
    ORDERED_ROWS_PER_WAITING = 16,
    UNORDERED_MAX = 64, /* length of a queue that may be scanned repeatedly */
};

void torq_host_runs_init(torq_host_runs *runs, const torq_host_events *events,
                         torq_host_spans *spans)
{
    *runs = (torq_host_runs){
        .part = spans->part,
        .events = events,
        .spans = spans,
        .free_program = TACHO_NONE,
    };
}

void torq_host_runs_deinit(torq_host_runs *runs)
{
    free(runs->items);
    free(runs->programs);
    free(runs->batch);
}

tacho_status torq_host_runs_add(torq_host_runs *runs, uint32_t name, int64_t invocation,
                                uint32_t *out_run)
{
    torq_host_run run = {
        .latest_time = INT64_MIN,
        .largest_action = -1,
        .name = name,
        .queues = {{.newest = TACHO_NONE}, {.newest = TACHO_NONE}},
        .is_ordered = true,
    };
    tacho_run facts = {runs->part->part, name, invocation};
    TACHO_TRY(tacho_grow(&runs->items, &runs->item_capacity, runs->item_count + 1));
    TACHO_TRY(tacho_dict_add_run(runs->part->dict, &facts, &run.id));
    *out_run = (uint32_t)runs->item_count;
    runs->items[runs->item_count++] = run;
    return TACHO_OK;
}

/* ---- queues ----------------------------------------------------------------------------- */

static tacho_status add_program(torq_host_runs *runs, torq_host_queue *queue,
                                const torq_host_program *program)
{
    uint32_t slot = runs->free_program;
    if (slot != TACHO_NONE) {
        runs->free_program = runs->programs[slot].next;
    } else {
        TACHO_TRY(tacho_grow(&runs->programs, &runs->program_capacity, runs->program_count + 1));
        slot = (uint32_t)runs->program_count++;
    }
    runs->programs[slot] = *program;
    runs->programs[slot].next = queue->newest;
    queue->newest = slot;
    queue->count++;
    queue->has_wait = queue->has_wait || program->is_wait;
    return TACHO_OK;
}

static int compare_programs(const void *left, const void *right)
{
    const torq_host_program *a = left;
    const torq_host_program *b = right;
    if (a->action != b->action) {
        return a->action < b->action ? -1 : 1;
    }
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return (int)a->is_wait - (int)b->is_wait;
}

/* Empties |queue| into the batch: in file order if that is time order, else by action. */
static tacho_status take_queue(torq_host_runs *runs, torq_host_queue *queue, bool is_ordered)
{
    TACHO_TRY(tacho_grow(&runs->batch, &runs->batch_capacity, queue->count));
    for (size_t at = queue->count; at-- > 0;) {
        uint32_t slot = queue->newest;
        torq_host_program *program = &runs->programs[slot];
        runs->batch[at] = *program;
        queue->newest = program->next;
        program->next = runs->free_program;
        runs->free_program = slot;
    }
    if (!is_ordered && queue->count > 1) {
        qsort(runs->batch, queue->count, sizeof(*runs->batch), compare_programs);
    }
    queue->count = 0;
    queue->has_wait = false;
    return TACHO_OK;
}

/* Counts a program without a wait for its end. */
static tacho_status lose_end(torq_host_runs *runs, const torq_host_program *start)
{
    tacho_dict *dict = runs->spans->part->dict;
    tacho_loss loss = {
        .part = runs->spans->part->part,
        .reason = TACHO_LOSS_NEVER_ENDED,
        .count = 1,
        .first_line = start->line,
        .example = dict->sites[runs->events->items[start->event].program_site].name,
    };
    return tacho_dict_add_loss(dict, &loss);
}

/* Ends the program that |start| begins; |wait| is NULL when its end is unknown. */
static tacho_status end_program(torq_host_runs *runs, const torq_host_run *run,
                                const torq_host_program *start, const torq_host_program *wait)
{
    const torq_host_event *event = &runs->events->items[start->event];
    int64_t end = wait != NULL ? wait->time : run->latest_time;
    torq_host_span span = {
        .start = start->time < end ? start->time : end,
        .end = start->time < end ? end : start->time,
        .action = start->action,
        .site = event->program_site,
        .run = run->id,
        .scope = TACHO_NONE,
        .flags = wait != NULL ? 0 : TACHO_SPAN_UNENDED,
    };
    TACHO_TRY(wait != NULL ? TACHO_OK : lose_end(runs, start));
    return torq_host_spans_end(runs->spans, event->program_track, &span);
}

/*
 * Handles a wait for a program that was never started: shown unless the wait has a span of its own.
 */
static tacho_status end_nothing(torq_host_runs *runs, const torq_host_run *run,
                                const torq_host_program *wait)
{
    const torq_host_event *event = &runs->events->items[wait->event];
    if (event->track != TACHO_TORQ_HOST_TRACK_COUNT) {
        return TACHO_OK;
    }
    torq_host_span span = {
        .start = wait->time,
        .end = wait->time,
        .action = wait->action,
        .site = event->program_site,
        .run = run->id,
        .scope = TACHO_NONE,
        .is_unmatched = true,
    };
    return torq_host_spans_end(runs->spans, event->program_track, &span);
}

/* A wait ends all programs started before it; starts without a wait return to the queue. */
static tacho_status pair_queue(torq_host_runs *runs, const torq_host_run *run,
                               torq_host_queue *queue, bool is_final)
{
    size_t count = queue->count;
    size_t first = 0; /* the first start without a wait */
    TACHO_TRY(take_queue(runs, queue, run->is_ordered));
    for (size_t i = 0; i < count; i++) {
        if (!runs->batch[i].is_wait) {
            continue;
        }
        if (first == i) {
            TACHO_TRY(end_nothing(runs, run, &runs->batch[i]));
        }
        for (; first < i; first++) {
            TACHO_TRY(end_program(runs, run, &runs->batch[first], &runs->batch[i]));
        }
        first = i + 1;
    }
    for (; first < count; first++) {
        TACHO_TRY(is_final ? end_program(runs, run, &runs->batch[first], NULL)
                           : add_program(runs, queue, &runs->batch[first]));
    }
    return TACHO_OK;
}

/*
 * Whether no later wait can belong before one in the queue. This holds when no action is missing
 * below the largest one; else, since some may be missing for good, when the rows of the run are
 * obviously in time order and next to their partners.
 */
static bool is_certain(const torq_host_run *run, const torq_host_queue *queue)
{
    if (run->is_ordered && run->row_count >= ORDERED_ROWS_MIN &&
        run->row_count >= run->waiting_count * ORDERED_ROWS_PER_WAITING) {
        return true;
    }
    return run->action_count > (uint64_t)run->largest_action && queue->count <= UNORDERED_MAX;
}

tacho_status torq_host_runs_settle(torq_host_runs *runs, uint32_t run_id)
{
    torq_host_run *run = &runs->items[run_id];
    for (size_t i = 0; i < 2; i++) {
        torq_host_queue *queue = &run->queues[i];
        if (queue->has_wait && is_certain(run, queue)) {
            TACHO_TRY(pair_queue(runs, run, queue, false));
        }
    }
    return TACHO_OK;
}

tacho_status torq_host_runs_finish(torq_host_runs *runs)
{
    for (size_t i = 0; i < runs->item_count; i++) {
        torq_host_run *run = &runs->items[i];
        TACHO_TRY(pair_queue(runs, run, &run->queues[0], true));
        TACHO_TRY(pair_queue(runs, run, &run->queues[1], true));
    }
    return TACHO_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

int64_t torq_host_runs_latest_time(const torq_host_runs *runs)
{
    int64_t latest = 0;
    for (size_t i = 0; i < runs->item_count; i++) {
        latest = runs->items[i].latest_time > latest ? runs->items[i].latest_time : latest;
    }
    return latest;
}

static tacho_status queue_program(torq_host_runs *runs, torq_host_run *run,
                                  const torq_host_stamp *stamp, const torq_host_event *event)
{
    torq_host_program program = {
        .action = stamp->action,
        .time = stamp->time,
        .line = runs->spans->part->reading->input->line_number,
        .event = stamp->event,
        .is_wait = event->role == TORQ_HOST_ROLE_WAITS,
    };
    if (!program.is_wait) {
        TACHO_TRY(torq_host_spans_begin(runs->spans, event->program_track, stamp->time));
    }
    return add_program(runs, &run->queues[event->program_track == TACHO_TORQ_HOST_PROGRAMS],
                       &program);
}

tacho_status torq_host_runs_note(torq_host_runs *runs, const torq_host_stamp *stamp)
{
    const torq_host_event *event = &runs->events->items[stamp->event];
    torq_host_run *run = &runs->items[stamp->run];
    run->row_count++;
    run->is_ordered = run->is_ordered && stamp->time >= run->latest_time;
    run->latest_time = stamp->time > run->latest_time ? stamp->time : run->latest_time;
    run->largest_action = stamp->action > run->largest_action ? stamp->action : run->largest_action;
    /* A program starts with the BEGIN of its start and ends with the END of the wait. */
    bool is_edge = event->role != TORQ_HOST_ROLE_NONE &&
                   event->is_begin == (event->role == TORQ_HOST_ROLE_STARTS);
    return is_edge ? queue_program(runs, run, stamp, event) : TACHO_OK;
}
