/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time is cut at each start and end of a kind of work.
 */
#include "questions/breakdown/kind_time.h"

#include "base/grow.h"

#include <stdlib.h>

/* ---- spans in one another ------------------------------------------------------------------ */

void tacho_nest_deinit(tacho_nest *nest)
{
    free(nest->items);
    *nest = (tacho_nest){.item_count = 0};
}

void tacho_nest_pop(tacho_nest *nest, int64_t now_ns)
{
    while (nest->item_count > 0 && nest->items[nest->item_count - 1].end_ns <= now_ns) {
        nest->item_count--;
    }
}

bool tacho_nest_contains(const tacho_nest *nest, const tacho_open_work *work)
{
    const tacho_open_work *top = nest->item_count > 0 ? &nest->items[nest->item_count - 1] : NULL;
    return top != NULL && work->end_ns <= top->end_ns &&
           (work->start_ns > top->start_ns || work->end_ns < top->end_ns);
}

tacho_status tacho_nest_push(tacho_nest *nest, const tacho_open_work *work)
{
    TACHO_TRY(tacho_grow(&nest->items, &nest->item_capacity, nest->item_count + 1));
    nest->items[nest->item_count++] = *work;
    return TACHO_OK;
}

/* The innermost span at |now_ns|, NULL when all have ended. The inner ones end first. */
static const tacho_open_work *innermost(const tacho_nest *nest, int64_t now_ns)
{
    size_t low = 0;
    size_t high = nest->item_count; /* those before it have not ended */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_open = nest->items[middle].end_ns > now_ns;
        low = is_open ? middle + 1 : low;
        high = is_open ? high : middle;
    }
    return low > 0 ? &nest->items[low - 1] : NULL;
}

/* ---- sums ---------------------------------------------------------------------------------- */

void tacho_kind_time_begin(tacho_kind_time *time, int64_t start_ns)
{
    time->now = start_ns;
    for (unsigned i = 0; i < TACHO_WORK_KIND_COUNT; i++) {
        time->ends[i] = start_ns;
    }
}

void tacho_kind_time_deinit(tacho_kind_time *time)
{
    free(time->nests);
    *time = (tacho_kind_time){.nest_count = 0};
}

/* The kinds that are at work now, and until when that stays so; no longer than |io_until|. */
static unsigned kinds_now(const tacho_kind_time *time, int64_t *io_until)
{
    unsigned busy = 0;
    for (unsigned i = 0; i < TACHO_WORK_KIND_COUNT; i++) {
        if (time->ends[i] > time->now) {
            busy |= 1U << i;
            *io_until = time->ends[i] < *io_until ? time->ends[i] : *io_until;
        }
    }
    for (size_t i = 0; i < time->nest_count; i++) {
        const tacho_open_work *work = innermost(time->nests[i], time->now);
        if (work != NULL) {
            busy |= 1U << work->kind;
            *io_until = work->end_ns < *io_until ? work->end_ns : *io_until;
        }
    }
    return busy;
}

void tacho_kind_time_pass(tacho_kind_time *time, int64_t until)
{
    while (time->now < until) {
        int64_t next = until;
        unsigned busy = kinds_now(time, &next);
        time->sums[busy] += next - time->now;
        if (next - time->now > time->longest[busy].length_ns) {
            time->longest[busy].start_ns = time->now;
            time->longest[busy].length_ns = next - time->now;
        }
        time->now = next;
    }
}

tacho_status tacho_kind_time_add_nest(tacho_kind_time *time, const tacho_nest *nest)
{
    TACHO_TRY(tacho_grow(&time->nests, &time->nest_capacity, time->nest_count + 1));
    time->nests[time->nest_count++] = nest;
    return TACHO_OK;
}

void tacho_kind_time_remove_nest(tacho_kind_time *time, const tacho_nest *nest)
{
    for (size_t i = 0; i < time->nest_count; i++) {
        if (time->nests[i] == nest) {
            time->nests[i] = time->nests[--time->nest_count];
            return;
        }
    }
}

void tacho_kind_time_finish(tacho_kind_time *time)
{
    int64_t end_ns = time->now;
    for (unsigned i = 0; i < TACHO_WORK_KIND_COUNT; i++) {
        end_ns = time->ends[i] > end_ns ? time->ends[i] : end_ns;
    }
    for (size_t i = 0; i < time->nest_count; i++) {
        const tacho_nest *nest = time->nests[i];
        bool is_later = nest->item_count > 0 && nest->items[0].end_ns > end_ns;
        end_ns = is_later ? nest->items[0].end_ns : end_ns;
    }
    tacho_kind_time_pass(time, end_ns);
}

int64_t tacho_kind_time_sum(const tacho_kind_time *time, unsigned any, unsigned none)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < TACHO_WORK_COMBINATIONS; i++) {
        sum += (i & any) != 0 && (i & none) == 0 ? time->sums[i] : 0;
    }
    return sum;
}
