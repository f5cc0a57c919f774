/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges are sorted by key and time; then one sweep over the edges of each key finds its cuts, and a
 * second counts the zones that each execution lacks.
 */
#include "sources/tenstorrent/log_cuts.h"

#include "base/grow.h"

#include <stdlib.h>

tacho_status tt_log_cuts_init(tt_log_cuts *cuts)
{
    *cuts = (tt_log_cuts){.key_count = 0};
    return tacho_index_init(&cuts->index);
}

void tt_log_cuts_deinit(tt_log_cuts *cuts)
{
    tacho_index_deinit(&cuts->index);
    free(cuts->keys);
    free(cuts->edges);
    free(cuts->cuts);
    *cuts = (tt_log_cuts){.key_count = 0};
}

/* ---- keys ---------------------------------------------------------------------------------- */

static uint32_t find_hashed(const tt_log_cuts *cuts, const tt_op_key *key, uint32_t *out_hash)
{
    uint32_t hash = tacho_index_hash(&cuts->index, tacho_str_make((const char *)key, sizeof(*key)));
    size_t at = tacho_index_begin(&cuts->index, hash);
    *out_hash = hash;
    for (uint32_t id; (id = tacho_index_next(&cuts->index, hash, &at)) != TACHO_NONE;) {
        if (tt_op_key_is_same(&cuts->keys[id].key, key)) {
            return id;
        }
    }
    return TACHO_NONE;
}

uint32_t tt_log_cuts_find_key(const tt_log_cuts *cuts, const tt_op_key *key)
{
    uint32_t hash = 0;
    return find_hashed(cuts, key, &hash);
}

tacho_status tt_log_cuts_ensure_key(tt_log_cuts *cuts, const tt_op_key *key, uint32_t *out_key)
{
    uint32_t hash = 0;
    *out_key = find_hashed(cuts, key, &hash);
    if (*out_key != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&cuts->keys, &cuts->key_capacity, cuts->key_count + 1));
    *out_key = (uint32_t)cuts->key_count;
    cuts->keys[cuts->key_count++] = (tt_cut_key){.key = *key};
    return tacho_index_add(&cuts->index, hash, *out_key);
}

tacho_status tt_log_cuts_add(tt_log_cuts *cuts, const tt_edge *edge)
{
    TACHO_TRY(tacho_grow(&cuts->edges, &cuts->edge_capacity, cuts->edge_count + 1));
    cuts->edges[cuts->edge_count++] = *edge;
    return TACHO_OK;
}

tacho_status tt_log_cuts_add_row(tt_log_cuts *cuts, tt_lanes *lanes, const tt_log_row *row)
{
    const tt_op_key key = tt_op_key_of(row);
    uint32_t lane = 0;
    uint32_t zone = 0;
    tt_edge edge = {.time = (int64_t)row->time,
                    .key = tt_log_cuts_find_key(cuts, &key),
                    .is_start = row->type == TT_LOG_START};
    if (edge.key == TACHO_NONE || row->timer == 0 ||
        (row->type != TT_LOG_START && row->type != TT_LOG_END)) {
        return TACHO_OK;
    }
    TACHO_TRY(tt_lanes_ensure(lanes, row, &lane));
    TACHO_TRY(tt_lanes_ensure_zone(lanes, row->zone, &zone));
    edge.lane = lane & INT32_MAX;
    return (lanes->zone_kinds[zone] & TT_ZONE_FIRMWARE) != 0 ? tt_log_cuts_add(cuts, &edge)
                                                             : TACHO_OK;
}

/* ---- sorting ------------------------------------------------------------------------------- */

/* By key and time; at one time ends precede starts, as one zone ends before the next begins. */
static int compare_edges(const void *a, const void *b)
{
    const tt_edge *left = a;
    const tt_edge *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    if (left->is_start != right->is_start) {
        return left->is_start ? 1 : -1;
    }
    return left->lane < right->lane ? -1 : left->lane > right->lane;
}

static bool is_same_edge(const tt_edge *a, const tt_edge *b)
{
    return compare_edges(a, b) == 0;
}

/* ---- the sweep ----------------------------------------------------------------------------- */

/* State of a processor during the sweep over the edges of one key. */
typedef struct sweep_lane {
    uint64_t pass;    /* the sweep that the other fields belong to */
    uint32_t started; /* the last execution that it has started, + 1 */
    uint32_t open;    /* the same, while it has not ended */
    uint32_t seen;    /* the last execution that it has an edge in, + 1 */
} sweep_lane;

typedef struct cut_sweep {
    tt_log_cuts *cuts;
    sweep_lane *lanes;
    size_t lane_count;
    uint64_t pass;      /* over the edges of a key, + 1 */
    uint32_t execution; /* the last one begun, + 1; 0: none */
    size_t open_count;  /* processors that started in it and have not ended */
    size_t seen_count;  /* processors of the key */
    int64_t last;       /* time of the edge before */
    int64_t gap;        /* the longest time without an open zone in this execution; 0: none */
    size_t gap_end;     /* edge after it */
} cut_sweep;

static sweep_lane *lane_of(cut_sweep *sweep, const tt_edge *edge)
{
    sweep_lane *lane = &sweep->lanes[edge->lane];
    if (lane->pass != sweep->pass) {
        *lane = (sweep_lane){.pass = sweep->pass};
        sweep->seen_count++;
    }
    return lane;
}

/* Begins an execution. Zones of the previous one that are still open have lost their ends. */
static tacho_status begin_execution(cut_sweep *sweep, int64_t first)
{
    tt_log_cuts *cuts = sweep->cuts;
    TACHO_TRY(tacho_grow(&cuts->cuts, &cuts->cut_capacity, cuts->cut_count + 1));
    cuts->cuts[cuts->cut_count++] = (tt_cut){.first = first};
    sweep->execution++;
    sweep->open_count = 0;
    sweep->gap = 0;
    return TACHO_OK;
}

static void take_edge(cut_sweep *sweep, const tt_edge *edge)
{
    sweep_lane *lane = lane_of(sweep, edge);
    bool is_open = lane->open == sweep->execution;
    if (edge->is_start) {
        sweep->open_count += is_open ? 0 : 1;
        lane->started = sweep->execution;
        lane->open = sweep->execution;
    } else {
        sweep->open_count -= is_open ? 1 : 0;
        lane->open = 0;
    }
}

/*
 * The processor of edge |at| starts again. Zones that started after the longest gap belong to the
 * new execution.
 */
static tacho_status cut(cut_sweep *sweep, size_t at)
{
    const tt_edge *edges = sweep->cuts->edges;
    size_t from = sweep->gap > 0 ? sweep->gap_end : at;
    TACHO_TRY(begin_execution(sweep, edges[from].time));
    for (size_t i = from; i < at; i++) {
        take_edge(sweep, &edges[i]);
    }
    return TACHO_OK;
}

static tacho_status sweep_edge(cut_sweep *sweep, size_t at)
{
    const tt_edge *edge = &sweep->cuts->edges[at];
    int64_t idle = sweep->open_count == 0 ? edge->time - sweep->last : 0;
    sweep->last = edge->time;
    if (sweep->execution == 0) {
        TACHO_TRY(begin_execution(sweep, edge->time));
    } else if (edge->is_start && idle > 0 && idle >= sweep->gap) {
        sweep->gap = idle;
        sweep->gap_end = at;
    }
    if (edge->is_start && lane_of(sweep, edge)->started == sweep->execution) {
        TACHO_TRY(cut(sweep, at));
    }
    take_edge(sweep, edge);
    return TACHO_OK;
}

/* Resets the state of processors and executions. */
static void reset(cut_sweep *sweep, const tt_edge *first)
{
    sweep->execution = 0;
    sweep->open_count = 0;
    sweep->seen_count = 0;
    sweep->gap = 0;
    sweep->last = first->time;
}

static bool is_twice(const tt_log_cuts *cuts, size_t first, size_t at)
{
    return at > first && is_same_edge(&cuts->edges[at], &cuts->edges[at - 1]);
}

/*
 * Cuts before the first n-th start of any processor, if all processors have their n-th start before
 * any has its next, and equally many; else makes no cuts and sets |*out_is_regular| to false.
 */
static tacho_status cut_regular(cut_sweep *sweep, size_t first, size_t last, bool *out_is_regular)
{
    tt_log_cuts *cuts = sweep->cuts;
    size_t cut_count = cuts->cut_count;
    size_t start_count = 0; /* of this execution */
    size_t lane_count = 0;  /* of the first */
    bool is_regular = true;
    TACHO_TRY(begin_execution(sweep, cuts->edges[first].time));
    for (size_t i = first; i < last && is_regular; i++) {
        sweep_lane *lane = lane_of(sweep, &cuts->edges[i]);
        if (!cuts->edges[i].is_start || is_twice(cuts, first, i)) {
            continue;
        }
        if (lane->started == sweep->execution) {
            lane_count = sweep->execution == 1 ? start_count : lane_count;
            is_regular = start_count == lane_count;
            start_count = 0;
            TACHO_TRY(begin_execution(sweep, cuts->edges[i].time));
        }
        lane->started = sweep->execution;
        start_count++;
    }
    is_regular = is_regular && (sweep->execution == 1 || start_count == lane_count);
    cuts->cut_count = is_regular ? cuts->cut_count : cut_count;
    *out_is_regular = is_regular;
    return TACHO_OK;
}

static tacho_status cut_by_gaps(cut_sweep *sweep, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        TACHO_TRY(is_twice(sweep->cuts, first, i) ? TACHO_OK : sweep_edge(sweep, i));
    }
    return TACHO_OK;
}

/* Counts the zones of each execution of a key: edges [first, last). */
static void count_zones(cut_sweep *sweep, const tt_cut_key *key, size_t first, size_t last)
{
    tt_log_cuts *cuts = sweep->cuts;
    size_t execution = 0;
    for (size_t i = 0; i < key->count; i++) {
        cuts->cuts[key->first + i].missing_count = (uint32_t)sweep->seen_count;
    }
    for (size_t i = first; i < last; i++) {
        while (execution + 1 < key->count &&
               cuts->cuts[key->first + execution + 1].first <= cuts->edges[i].time) {
            execution++;
        }
        sweep_lane *lane = &sweep->lanes[cuts->edges[i].lane];
        tt_cut *of = &cuts->cuts[key->first + execution];
        of->duplicate_count += is_twice(cuts, first, i) ? 1 : 0;
        of->missing_count -= lane->seen != execution + 1 ? 1 : 0;
        lane->seen = (uint32_t)execution + 1;
    }
}

static tacho_status cut_key(cut_sweep *sweep, size_t first, size_t last)
{
    tt_log_cuts *cuts = sweep->cuts;
    tt_cut_key *key = &cuts->keys[cuts->edges[first].key];
    bool is_regular = false;
    key->first = cuts->cut_count;
    reset(sweep, &cuts->edges[first]);
    TACHO_TRY(cut_regular(sweep, first, last, &is_regular));
    if (!is_regular) {
        reset(sweep, &cuts->edges[first]);
        sweep->pass++;
        TACHO_TRY(cut_by_gaps(sweep, first, last));
    }
    key->count = cuts->cut_count - key->first;
    count_zones(sweep, key, first, last);
    sweep->pass++;
    return TACHO_OK;
}

static tacho_status cut_keys(cut_sweep *sweep)
{
    const tt_log_cuts *cuts = sweep->cuts;
    for (size_t first = 0, last = 0; first < cuts->edge_count; first = last) {
        while (last < cuts->edge_count && cuts->edges[last].key == cuts->edges[first].key) {
            last++;
        }
        TACHO_TRY(cut_key(sweep, first, last));
    }
    return TACHO_OK;
}

tacho_status tt_log_cuts_finish(tt_log_cuts *cuts)
{
    cut_sweep sweep = {.cuts = cuts, .pass = 1};
    size_t capacity = 0;
    if (cuts->edge_count == 0) {
        return TACHO_OK;
    }
    qsort(cuts->edges, cuts->edge_count, sizeof(*cuts->edges), compare_edges);
    for (size_t i = 0; i < cuts->edge_count; i++) {
        size_t lane = cuts->edges[i].lane;
        sweep.lane_count = lane >= sweep.lane_count ? lane + 1 : sweep.lane_count;
    }
    TACHO_TRY(tacho_grow(&sweep.lanes, &capacity, sweep.lane_count));
    memset(sweep.lanes, 0, sweep.lane_count * sizeof(*sweep.lanes));
    tacho_status status = cut_keys(&sweep);
    free(sweep.lanes);
    free(cuts->edges);
    cuts->edges = NULL;
    cuts->edge_count = 0;
    cuts->edge_capacity = 0;
    return status;
}

uint32_t tt_log_cuts_find(const tt_log_cuts *cuts, uint32_t key, int64_t time)
{
    const tt_cut_key *of = &cuts->keys[key];
    size_t low = 0;
    size_t high = of->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = cuts->cuts[of->first + middle].first <= time;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low == 0 ? 0 : (uint32_t)(low - 1);
}
