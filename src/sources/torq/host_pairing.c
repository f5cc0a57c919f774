/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chained hash table of waiting stamps.
 *
 * A BEGIN and an END are paired as they are read unless the END is earlier than the BEGIN. Then
 * both wait for the end of the file: an END without a BEGIN may be followed by a whole pair of the
 * same name. There the remaining stamps are sorted by time and paired again, now also with swapped
 * times.
 */
#include "sources/torq/host_pairing.h"

#include "base/grow.h"

#include <stdlib.h>

enum { FIRST_HEAD_COUNT = 64 };

static tacho_status allocate_heads(torq_host_pairing *pairing, size_t count)
{
    uint32_t *heads = malloc(count * sizeof(*heads));
    if (heads == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu open events", count);
    }
    memset(heads, 0xff, count * sizeof(*heads)); /* TACHO_NONE */
    pairing->heads = heads;
    pairing->head_mask = count - 1;
    return TACHO_OK;
}

tacho_status torq_host_pairing_init(torq_host_pairing *pairing, torq_part *part)
{
    *pairing = (torq_host_pairing){
        .part = part,
        .free_waiting = TACHO_NONE,
    };
    TACHO_TRY(torq_host_events_init(&pairing->events, part));
    TACHO_TRY(torq_host_spans_init(&pairing->spans, part));
    torq_host_runs_init(&pairing->runs, &pairing->events, &pairing->spans);
    return allocate_heads(pairing, FIRST_HEAD_COUNT);
}

void torq_host_pairing_deinit(torq_host_pairing *pairing)
{
    torq_host_events_deinit(&pairing->events);
    torq_host_spans_deinit(&pairing->spans);
    torq_host_runs_deinit(&pairing->runs);
    free(pairing->waiting);
    free(pairing->heads);
}

/* ---- pairs ------------------------------------------------------------------------------ */

/* A stamp with its partner's time, or without a partner. */
typedef struct action {
    const torq_host_stamp *stamp; /* the BEGIN; without one the END */
    int64_t start;
    int64_t end;
    uint32_t flags; /* of a tacho_row */
    bool is_unmatched;
} action;

static tacho_status complete_action(torq_host_pairing *pairing, const action *done)
{
    const torq_host_stamp *stamp = done->stamp;
    const torq_host_event *event = &pairing->events.items[stamp->event];
    torq_host_run *run = &pairing->runs.items[stamp->run];
    if (event->track != TACHO_TORQ_HOST_TRACK_COUNT) {
        torq_host_span span = {
            .start = done->start,
            .end = done->end,
            .action = stamp->action,
            .site = event->site,
            .run = run->id,
            .scope = event->track == TACHO_TORQ_HOST_HAL ? run->name : TACHO_NONE,
            .flags = done->flags,
            .is_unmatched = done->is_unmatched,
        };
        TACHO_TRY(torq_host_spans_end(&pairing->spans, event->track, &span));
    }
    run->action_count += stamp->action >= 0;
    return TACHO_OK;
}

/* A BEGIN and its END; swapped times are exchanged. */
static tacho_status complete_pair(torq_host_pairing *pairing, const torq_host_stamp *begin,
                                  const torq_host_stamp *end)
{
    bool is_swapped = end->time < begin->time;
    action done = {
        .stamp = begin,
        .start = is_swapped ? end->time : begin->time,
        .end = is_swapped ? begin->time : end->time,
    };
    return complete_action(pairing, &done);
}

/* Chains are split in two, each in its old order. */
static tacho_status double_heads(torq_host_pairing *pairing)
{
    uint32_t *old_heads = pairing->heads;
    size_t old_count = pairing->head_mask + 1;
    TACHO_TRY(allocate_heads(pairing, old_count * 2));
    for (size_t i = 0; i < old_count; i++) {
        uint32_t *tails[2] = {&pairing->heads[i], &pairing->heads[i + old_count]};
        for (uint32_t slot = old_heads[i]; slot != TACHO_NONE;) {
            torq_host_waiting *waiting = &pairing->waiting[slot];
            uint32_t next = waiting->next;
            size_t half = (waiting->hash & old_count) != 0;
            waiting->next = TACHO_NONE;
            *tails[half] = slot;
            tails[half] = &waiting->next;
            slot = next;
        }
    }
    free(old_heads);
    return TACHO_OK;
}

static tacho_status hold_stamp(torq_host_pairing *pairing, const torq_host_waiting *held)
{
    if (pairing->chained_count > pairing->head_mask) {
        TACHO_TRY(double_heads(pairing));
    }
    uint32_t slot = pairing->free_waiting;
    if (slot != TACHO_NONE) {
        pairing->free_waiting = pairing->waiting[slot].next;
    } else {
        TACHO_TRY(
            tacho_grow(&pairing->waiting, &pairing->waiting_capacity, pairing->waiting_count + 1));
        slot = (uint32_t)pairing->waiting_count++;
    }
    uint32_t *head = &pairing->heads[held->hash & pairing->head_mask];
    pairing->waiting[slot] = *held;
    pairing->waiting[slot].next = *head;
    *head = slot;
    pairing->chained_count++;
    pairing->runs.items[held->stamp.run].waiting_count++;
    return TACHO_OK;
}

static bool has_key(const torq_host_waiting *waiting, const torq_host_stamp *stamp, uint32_t base)
{
    return waiting->stamp.run == stamp->run && waiting->stamp.action == stamp->action &&
           waiting->base == base;
}

/* The hash of a stamp's key. An END usually follows its BEGIN, and has the same hash. */
static uint32_t hash_key(const torq_host_pairing *pairing, const torq_host_stamp *stamp,
                         uint32_t base)
{
    if (has_key(&pairing->last, stamp, base)) {
        return pairing->last.hash;
    }
    uint64_t key[2] = {(uint64_t)stamp->run << 32 | base, (uint64_t)stamp->action};
    return tacho_index_hash(&pairing->events.keys.index,
                            tacho_str_make((const char *)key, sizeof(key)));
}

/* The link to the newest stamp with this key, or NULL. */
static uint32_t *find_newest(torq_host_pairing *pairing, const torq_host_waiting *key)
{
    uint32_t *link = &pairing->heads[key->hash & pairing->head_mask];
    while (*link != TACHO_NONE) {
        torq_host_waiting *waiting = &pairing->waiting[*link];
        if (has_key(waiting, &key->stamp, key->base)) {
            return link;
        }
        link = &waiting->next;
    }
    return NULL;
}

static bool is_pair(const torq_host_waiting *a, const torq_host_waiting *b)
{
    return a->is_begin != b->is_begin &&
           (a->is_begin ? a->stamp.time <= b->stamp.time : b->stamp.time <= a->stamp.time);
}

/* Pairs |came| with the newest stamp of its key, or holds it. */
static tacho_status pair_stamp(torq_host_pairing *pairing, const torq_host_waiting *came)
{
    uint32_t *link = find_newest(pairing, came);
    if (link == NULL || !is_pair(&pairing->waiting[*link], came)) {
        return hold_stamp(pairing, came);
    }
    uint32_t slot = *link;
    torq_host_waiting *waited = &pairing->waiting[slot];
    *link = waited->next;
    waited->next = pairing->free_waiting;
    pairing->free_waiting = slot;
    pairing->chained_count--;
    pairing->runs.items[came->stamp.run].waiting_count--;
    return came->is_begin ? complete_pair(pairing, &came->stamp, &waited->stamp)
                          : complete_pair(pairing, &waited->stamp, &came->stamp);
}

tacho_status torq_host_pairing_add(torq_host_pairing *pairing, const torq_host_stamp *stamp)
{
    const torq_host_event *event = &pairing->events.items[stamp->event];
    TACHO_TRY(torq_host_runs_note(&pairing->runs, stamp));
    if (event->is_begin && event->track != TACHO_TORQ_HOST_TRACK_COUNT) {
        TACHO_TRY(torq_host_spans_begin(&pairing->spans, event->track, stamp->time));
    }
    pairing->last = (torq_host_waiting){
        .stamp = *stamp,
        .line = pairing->part->reading->input->line_number,
        .base = event->base,
        .hash = hash_key(pairing, stamp, event->base),
        .is_begin = event->is_begin,
    };
    TACHO_TRY(pair_stamp(pairing, &pairing->last));
    return torq_host_runs_settle(&pairing->runs, stamp->run);
}

/* ---- the end of the file ---------------------------------------------------------------- */

static int compare_waiting(const void *left, const void *right)
{
    const torq_host_waiting *a = left;
    const torq_host_waiting *b = right;
    if (a->stamp.run != b->stamp.run) {
        return a->stamp.run < b->stamp.run ? -1 : 1;
    }
    if (a->stamp.action != b->stamp.action) {
        return a->stamp.action < b->stamp.action ? -1 : 1;
    }
    if (a->base != b->base) {
        return a->base < b->base ? -1 : 1;
    }
    if (a->stamp.time != b->stamp.time) {
        return a->stamp.time < b->stamp.time ? -1 : 1;
    }
    return (int)b->is_begin - (int)a->is_begin;
}

/* Moves all waiting stamps to the front of their slots, sorted by key and time. */
static size_t gather_waiting(torq_host_pairing *pairing)
{
    for (uint32_t slot = pairing->free_waiting; slot != TACHO_NONE;) {
        uint32_t next = pairing->waiting[slot].next;
        pairing->waiting[slot].stamp.event = 0; /* not used by stamps */
        slot = next;
    }
    size_t count = 0;
    for (size_t i = 0; i < pairing->waiting_count; i++) {
        if (pairing->waiting[i].stamp.event != 0) {
            pairing->waiting[count++] = pairing->waiting[i];
        }
    }
    if (count > 1) {
        qsort(pairing->waiting, count, sizeof(*pairing->waiting), compare_waiting);
    }
    return count;
}

static tacho_status lose_begin(torq_host_pairing *pairing, const torq_host_waiting *end)
{
    tacho_loss loss = {
        .part = pairing->part->part,
        .reason = TACHO_LOSS_UNMATCHED_END,
        .count = 1,
        .first_line = end->line,
        .example = end->base,
    };
    return tacho_dict_add_loss(pairing->part->dict, &loss);
}

/*
 * Completes a stamp without a partner: an END becomes an instant, and is counted; a BEGIN lasts
 * until the latest time of its run, and a call of the HAL, which encloses other runs, until the end
 * of the file. Unknown names are kept in pairs only.
 */
static tacho_status complete_alone(torq_host_pairing *pairing, const torq_host_waiting *alone,
                                   tacho_loss *unknown)
{
    const torq_host_stamp *stamp = &alone->stamp;
    const torq_host_event *event = &pairing->events.items[stamp->event];
    if (!event->is_known) {
        if (unknown->count++ == 0 || alone->line < unknown->first_line) {
            unknown->first_line = alone->line;
            unknown->example = event->base;
        }
        return TACHO_OK;
    }
    int64_t last_heard = event->track == TACHO_TORQ_HOST_HAL
                             ? pairing->latest_time
                             : pairing->runs.items[stamp->run].latest_time;
    action done = {
        .stamp = stamp,
        .start = stamp->time,
        .end = alone->is_begin ? last_heard : stamp->time,
        .flags = alone->is_begin ? TACHO_SPAN_UNENDED : 0,
        .is_unmatched = !alone->is_begin,
    };
    TACHO_TRY(alone->is_begin ? TACHO_OK : lose_begin(pairing, alone));
    return complete_action(pairing, &done);
}

/* Pairs |count| stamps of one key, sorted by time in |slots|: the innermost first. */
static tacho_status pair_group(torq_host_pairing *pairing, torq_host_waiting *slots, size_t count,
                               tacho_loss *unknown)
{
    uint32_t begins = TACHO_NONE; /* lists, the latest first */
    uint32_t ends = TACHO_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (!slots[i].is_begin && begins != TACHO_NONE) {
            TACHO_TRY(complete_pair(pairing, &slots[begins].stamp, &slots[i].stamp));
            begins = slots[begins].next;
            continue;
        }
        uint32_t *list = slots[i].is_begin ? &begins : &ends;
        slots[i].next = *list;
        *list = i;
    }
    while (begins != TACHO_NONE && ends != TACHO_NONE) {
        TACHO_TRY(complete_pair(pairing, &slots[begins].stamp, &slots[ends].stamp));
        begins = slots[begins].next;
        ends = slots[ends].next;
    }
    for (uint32_t i = begins != TACHO_NONE ? begins : ends; i != TACHO_NONE; i = slots[i].next) {
        TACHO_TRY(complete_alone(pairing, &slots[i], unknown));
    }
    return TACHO_OK;
}

static tacho_status pair_rest(torq_host_pairing *pairing)
{
    tacho_loss unknown = {.part = pairing->part->part, .reason = TACHO_LOSS_UNKNOWN_EVENT};
    size_t count = gather_waiting(pairing);
    for (size_t first = 0, end = 0; first < count; first = end) {
        torq_host_waiting *key = &pairing->waiting[first];
        do {
            end++;
        } while (end < count && has_key(&pairing->waiting[end], &key->stamp, key->base));
        TACHO_TRY(pair_group(pairing, key, end - first, &unknown));
    }
    return unknown.count > 0 ? tacho_dict_add_loss(pairing->part->dict, &unknown) : TACHO_OK;
}

tacho_status torq_host_pairing_finish(torq_host_pairing *pairing)
{
    pairing->latest_time = torq_host_runs_latest_time(&pairing->runs);
    TACHO_TRY(pair_rest(pairing));
    TACHO_TRY(torq_host_runs_finish(&pairing->runs));
    return torq_host_spans_finish(&pairing->spans);
}
