/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a processor are in time order, so one zone is open at a time.
 */
#include "sources/tenstorrent/log_dispatch.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status tt_dispatch_init(tt_dispatch *dispatch, const tt_lanes *lanes)
{
    *dispatch = (tt_dispatch){.lanes = lanes};
    return tacho_index_init(&dispatch->op_index);
}

void tt_dispatch_deinit(tt_dispatch *dispatch)
{
    tacho_index_deinit(&dispatch->op_index);
    free(dispatch->at);
    free(dispatch->ops);
    free(dispatch->times);
    *dispatch = (tt_dispatch){.lanes = NULL};
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint32_t hash_of(const tt_dispatch *dispatch, uint32_t lane, uint64_t op)
{
    const uint64_t key[2] = {lane, op};
    return tacho_index_hash(&dispatch->op_index, tacho_str_make((const char *)key, sizeof(key)));
}

static uint32_t find_op(const tt_dispatch *dispatch, uint32_t lane, uint64_t op)
{
    uint32_t hash = hash_of(dispatch, lane, op);
    size_t at = tacho_index_begin(&dispatch->op_index, hash);
    for (uint32_t id; (id = tacho_index_next(&dispatch->op_index, hash, &at)) != TACHO_NONE;) {
        if (dispatch->ops[id].lane == lane && dispatch->ops[id].op == op) {
            return id;
        }
    }
    return TACHO_NONE;
}

static tacho_status ensure_op(tt_dispatch *dispatch, uint32_t lane, const tt_dispatch_lane *at,
                              uint32_t *out_op)
{
    *out_op = find_op(dispatch, lane, at->op);
    if (*out_op != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&dispatch->ops, &dispatch->op_capacity, dispatch->op_count + 1));
    *out_op = (uint32_t)dispatch->op_count;
    dispatch->ops[dispatch->op_count++] =
        (tt_dispatch_op){.lane = lane, .op = at->op, .first = at->start};
    return tacho_index_add(&dispatch->op_index, hash_of(dispatch, lane, at->op), *out_op);
}

/* Reads the facts about a zone from the meta data of a row. */
static void take_meta(const tt_dispatch *dispatch, const tt_log_row *row, uint32_t lane,
                      tt_dispatch_lane *at)
{
    tacho_str text;
    if (tt_log_meta_find(row->meta, "workers_runtime_id", &text)) {
        uint64_t op = 0;
        at->is_finished = false;
        at->op = tacho_str_parse_u64(text, &op) ? op : 0;
        at->op = find_op(dispatch, lane, at->op) != TACHO_NONE ? 0 : at->op;
    }
    if (tt_log_meta_find(row->meta, "dispatch_command_type", &text)) {
        bool is_go = tt_log_has_word(text, TACHO_STR("CQ_DISPATCH_CMD_SEND_GO_SIGNAL"));
        bool is_master = dispatch->lanes->lanes[lane].known == TT_RISC_BRISC;
        at->is_command = is_master ? tt_log_has_word(text, TACHO_STR("CQ_DISPATCH_")) : is_go;
        at->is_finished |=
            tt_log_has_word(text, TACHO_STR("CQ_DISPATCH_NOTIFY_SUBORDINATE_GO_SIGNAL"));
        at->op += is_go ? 1 : 0;
    }
}

static void widen(tt_range *range, int64_t first, int64_t last)
{
    range->first = range->count == 0 || first < range->first ? first : range->first;
    range->last = range->count == 0 || last > range->last ? last : range->last;
    range->count += 2;
}

static tacho_status end_zone(tt_dispatch *dispatch, uint32_t lane, int64_t time)
{
    tt_dispatch_lane *at = &dispatch->at[lane];
    uint32_t op = 0;
    at->is_open = false;
    TACHO_TRY(ensure_op(dispatch, lane, at, &op));
    if (at->is_command && time >= at->start) {
        widen(&dispatch->ops[op].commands, at->start, time);
    }
    at->op = at->is_finished ? 0 : at->op;
    return TACHO_OK;
}

tacho_status tt_dispatch_add(tt_dispatch *dispatch, const tt_log_row *row, tt_log_place place)
{
    tt_risc risc = dispatch->lanes->lanes[place.lane].known;
    bool is_zone = (dispatch->lanes->zone_kinds[place.zone] & TT_ZONE_DISPATCH) != 0;
    if (TACHO_LIKELY(!is_zone && row->meta.len == 0) ||
        (risc != TT_RISC_BRISC && risc != TT_RISC_NCRISC)) {
        return TACHO_OK;
    }
    while (dispatch->at_count <= place.lane) {
        TACHO_TRY(tacho_grow(&dispatch->at, &dispatch->at_capacity, dispatch->at_count + 1));
        dispatch->at[dispatch->at_count++] = (tt_dispatch_lane){.op = 0};
    }
    tt_dispatch_lane *at = &dispatch->at[place.lane];
    if (is_zone && row->type == TT_LOG_START) {
        at->is_open = true;
        at->start = (int64_t)row->time;
    }
    if (at->is_open) {
        take_meta(dispatch, row, place.lane, at);
    }
    return is_zone && row->type == TT_LOG_END && at->is_open
               ? end_zone(dispatch, place.lane, (int64_t)row->time)
               : TACHO_OK;
}

/* ---- end of the log ------------------------------------------------------------------------ */

/* Ops by lane and time. */
static int compare_ops(const void *a, const void *b)
{
    const tt_dispatch_op *left = a;
    const tt_dispatch_op *right = b;
    if (left->lane != right->lane) {
        return left->lane < right->lane ? -1 : 1;
    }
    if (left->first != right->first) {
        return left->first < right->first ? -1 : 1;
    }
    return left->op < right->op ? -1 : left->op > right->op;
}

static int compare_times(const void *a, const void *b)
{
    const tt_dispatch_times *left = a;
    const tt_dispatch_times *right = b;
    if (left->chip != right->chip) {
        return left->chip < right->chip ? -1 : 1;
    }
    return left->op < right->op ? -1 : left->op > right->op;
}

static int64_t span_of(const tt_range *range)
{
    return tt_range_has(range) ? range->last - range->first : -1;
}

/* The range of sorted ops of a lane: [first, last). */
static void find_lane(const tt_dispatch *dispatch, uint32_t lane, size_t *out_first,
                      size_t *out_last)
{
    size_t at = 0;
    while (at < dispatch->op_count && dispatch->ops[at].lane != lane) {
        at++;
    }
    *out_first = at;
    while (at < dispatch->op_count && dispatch->ops[at].lane == lane) {
        at++;
    }
    *out_last = at;
}

/* The lane of the other processor of |lane|'s core; TACHO_NONE if it has none. */
static uint32_t find_subordinate(const tt_dispatch *dispatch, uint32_t lane)
{
    const tt_lanes *lanes = dispatch->lanes;
    for (uint32_t i = 0; i < dispatch->at_count; i++) {
        if (lanes->lanes[i].core == lanes->lanes[lane].core &&
            lanes->lanes[i].known == TT_RISC_NCRISC) {
            return i;
        }
    }
    return TACHO_NONE;
}

static tacho_status join_core(tt_dispatch *dispatch, uint32_t lane)
{
    const tt_lane *master = &dispatch->lanes->lanes[lane];
    uint32_t subordinate = find_subordinate(dispatch, lane);
    size_t first = 0;
    size_t last = 0;
    size_t other = 0;
    size_t other_last = 0;
    find_lane(dispatch, lane, &first, &last);
    if (subordinate != TACHO_NONE) {
        find_lane(dispatch, subordinate, &other, &other_last);
    }
    for (size_t i = first; i < last; i++, other++) {
        const tt_dispatch_op *op = &dispatch->ops[i];
        tt_dispatch_times times = {
            .chip = dispatch->lanes->cores[master->core].chip,
            .op = op->op,
            .total = span_of(&op->commands),
            .go = other < other_last ? span_of(&dispatch->ops[other].commands) : -1,
        };
        if (op->op == 0) {
            continue;
        }
        TACHO_TRY(tacho_grow(&dispatch->times, &dispatch->time_capacity, dispatch->time_count + 1));
        dispatch->times[dispatch->time_count++] = times;
    }
    return TACHO_OK;
}

tacho_status tt_dispatch_finish(tt_dispatch *dispatch)
{
    if (dispatch->op_count > 1) {
        qsort(dispatch->ops, dispatch->op_count, sizeof(*dispatch->ops), compare_ops);
    }
    for (uint32_t lane = 0; lane < dispatch->at_count; lane++) {
        if (dispatch->lanes->lanes[lane].known == TT_RISC_BRISC) {
            TACHO_TRY(join_core(dispatch, lane));
        }
    }
    if (dispatch->time_count > 1) {
        qsort(dispatch->times, dispatch->time_count, sizeof(*dispatch->times), compare_times);
    }
    return TACHO_OK;
}

const tt_dispatch_times *tt_dispatch_find(const tt_dispatch *dispatch, uint32_t chip, uint64_t op)
{
    const tt_dispatch_times wanted = {.chip = chip, .op = op};
    return dispatch->time_count == 0 ? NULL
                                     : bsearch(&wanted, dispatch->times, dispatch->time_count,
                                               sizeof(*dispatch->times), compare_times);
}
