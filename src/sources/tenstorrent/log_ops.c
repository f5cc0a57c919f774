/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell is usually found by the last row of its processor; else by key and core. Executions of one
 * key on one core are a chain of cells, in the order in which its processors reached them.
 */
#include "sources/tenstorrent/log_ops.h"

#include "base/grow.h"

#include <stdlib.h>

enum { OTHER_RISC_BIT = 31 };
enum { CELL_HAS_FIRMWARE = 1 };

tacho_status tt_log_ops_init(tt_log_ops *ops, tt_lanes *lanes)
{
    *ops = (tt_log_ops){.lanes = lanes};
    TACHO_TRY(tacho_index_init(&ops->op_index));
    return tacho_index_init(&ops->cell_index);
}

void tt_log_ops_deinit(tt_log_ops *ops)
{
    tacho_index_deinit(&ops->op_index);
    tacho_index_deinit(&ops->cell_index);
    free(ops->ops);
    free(ops->cells);
    free(ops->at);
    *ops = (tt_log_ops){.lanes = NULL};
}

/* ---- ops and cells ------------------------------------------------------------------------- */

static tacho_status add_op(tt_log_ops *ops, const tt_op_key *key, uint32_t ordinal,
                           uint32_t *out_op)
{
    TACHO_TRY(tacho_grow(&ops->ops, &ops->op_capacity, ops->op_count + 1));
    *out_op = (uint32_t)ops->op_count;
    ops->ops[ops->op_count++] = (tt_device_op){
        .key = *key,
        .id = *out_op,
        .ordinal = ordinal,
        .next = TACHO_NONE,
        .sub_device = -1,
    };
    return TACHO_OK;
}

/*
 * Key of ops and cells. Executions have a number of their own here only where |cuts| separate them.
 */
typedef struct execution_key {
    tt_op_key key;
    uint32_t core; /* 0: of an op */
    uint32_t ordinal;
} execution_key;

static uint32_t hash_of(const tacho_index *index, const execution_key *key)
{
    return tacho_index_hash(index, tacho_str_make((const char *)key, sizeof(*key)));
}

static bool is_execution(const tt_device_op *op, const execution_key *wanted)
{
    return op->ordinal == wanted->ordinal && tt_op_key_is_same(&op->key, &wanted->key);
}

static tacho_status ensure_op(tt_log_ops *ops, execution_key wanted, uint32_t *out_op)
{
    wanted.core = 0;
    uint32_t hash = hash_of(&ops->op_index, &wanted);
    size_t at = tacho_index_begin(&ops->op_index, hash);
    for (uint32_t id; (id = tacho_index_next(&ops->op_index, hash, &at)) != TACHO_NONE;) {
        if (is_execution(&ops->ops[id], &wanted)) {
            *out_op = id;
            return TACHO_OK;
        }
    }
    TACHO_TRY(add_op(ops, &wanted.key, wanted.ordinal, out_op));
    return tacho_index_add(&ops->op_index, hash, *out_op);
}

/* The execution after |op|. */
static tacho_status ensure_next_op(tt_log_ops *ops, uint32_t op, uint32_t *out_op)
{
    *out_op = ops->ops[op].next;
    if (*out_op != TACHO_NONE) {
        return TACHO_OK;
    }
    tt_op_key key = ops->ops[op].key;
    TACHO_TRY(add_op(ops, &key, ops->ops[op].ordinal + 1, out_op));
    ops->ops[op].next = *out_op;
    return TACHO_OK;
}

static tacho_status add_cell(tt_log_ops *ops, uint32_t op, uint32_t core, uint32_t *out_cell)
{
    TACHO_TRY(tacho_grow(&ops->cells, &ops->cell_capacity, ops->cell_count + 1));
    *out_cell = (uint32_t)ops->cell_count;
    ops->cells[ops->cell_count++] = (tt_op_cell){
        .op = op,
        .next = TACHO_NONE,
        .core = core,
        .begin = INT64_MAX,
        .first = INT64_MAX,
        .last = INT64_MIN,
    };
    return TACHO_OK;
}

static tacho_status ensure_cell(tt_log_ops *ops, const execution_key *wanted, uint32_t *out_cell)
{
    uint32_t hash = hash_of(&ops->cell_index, wanted);
    size_t at = tacho_index_begin(&ops->cell_index, hash);
    for (uint32_t id; (id = tacho_index_next(&ops->cell_index, hash, &at)) != TACHO_NONE;) {
        const tt_op_cell *cell = &ops->cells[id];
        if (cell->core == wanted->core && is_execution(&ops->ops[cell->op], wanted)) {
            *out_cell = id;
            return TACHO_OK;
        }
    }
    uint32_t op = 0;
    TACHO_TRY(ensure_op(ops, *wanted, &op));
    TACHO_TRY(add_cell(ops, op, wanted->core, out_cell));
    return tacho_index_add(&ops->cell_index, hash, *out_cell);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint32_t risc_bit(const tt_lane *lane)
{
    return UINT32_C(1) << (lane->risc < OTHER_RISC_BIT ? lane->risc : OTHER_RISC_BIT);
}

/* The last cell of the chain that the processor has started, else the first. */
static uint32_t current_cell(const tt_log_ops *ops, uint32_t cell, uint32_t bit)
{
    while (ops->cells[cell].next != TACHO_NONE &&
           (ops->cells[ops->cells[cell].next].started & bit) != 0) {
        cell = ops->cells[cell].next;
    }
    return cell;
}

/* The processor starts: moves |cell| to the first of the chain that it has not started. */
static tacho_status start_cell(tt_log_ops *ops, uint32_t bit, uint32_t *cell)
{
    while ((ops->cells[*cell].started & bit) != 0) {
        uint32_t next = ops->cells[*cell].next;
        if (next == TACHO_NONE) {
            uint32_t op = 0;
            TACHO_TRY(ensure_next_op(ops, ops->cells[*cell].op, &op));
            TACHO_TRY(add_cell(ops, op, ops->cells[*cell].core, &next));
            ops->cells[*cell].next = next;
        }
        *cell = next;
    }
    ops->cells[*cell].started |= bit;
    return TACHO_OK;
}

/* Sets the key of a processor, on its first row or after rows of another key. */
static tacho_status enter_key(tt_log_ops *ops, const tt_op_key *key, const tt_lane *writer,
                              tt_op_lane *at)
{
    const execution_key wanted = {*key, writer->core, 0};
    at->key = *key;
    at->last = INT64_MIN;
    at->cut = ops->cuts != NULL ? tt_log_cuts_find_key(ops->cuts, key) : TACHO_NONE;
    if (at->cut != TACHO_NONE && ops->cuts->keys[at->cut].count == 0) {
        at->cut = TACHO_NONE;
    }
    if (at->cut == TACHO_NONE) {
        TACHO_TRY(ensure_cell(ops, &wanted, &at->cell));
        at->cell = current_cell(ops, at->cell, risc_bit(writer));
    }
    return TACHO_OK;
}

/* Finds the cell of the execution that contains the time of a row. */
static tacho_status find_cut_cell(tt_log_ops *ops, tt_op_lane *at, const tt_lane *writer,
                                  int64_t time)
{
    const execution_key wanted = {at->key, writer->core,
                                  tt_log_cuts_find(ops->cuts, at->cut, time)};
    const tt_cut *cut = &ops->cuts->cuts[ops->cuts->keys[at->cut].first + wanted.ordinal];
    TACHO_TRY(ensure_cell(ops, &wanted, &at->cell));
    tt_device_op *op = &ops->ops[ops->cells[at->cell].op];
    op->lost_count = cut->missing_count;
    op->repeated_count = cut->duplicate_count;
    return TACHO_OK;
}

static tacho_status find_cell(tt_log_ops *ops, const tt_log_row *row, uint32_t lane, bool is_start,
                              uint32_t *out_cell)
{
    while (TACHO_UNLIKELY(ops->at_count <= lane)) {
        TACHO_TRY(tacho_grow(&ops->at, &ops->at_capacity, ops->at_count + 1));
        ops->at[ops->at_count++] = (tt_op_lane){.cell = TACHO_NONE};
    }
    tt_op_lane *at = &ops->at[lane];
    tt_op_key key = tt_op_key_of(row);
    const tt_lane *writer = &ops->lanes->lanes[lane];
    if (at->cell == TACHO_NONE || !tt_op_key_is_same(&at->key, &key)) {
        TACHO_TRY(enter_key(ops, &key, writer, at));
    }
    if (TACHO_UNLIKELY(at->cut != TACHO_NONE)) {
        TACHO_TRY(find_cut_cell(ops, at, writer, (int64_t)row->time));
    } else if (is_start) {
        TACHO_TRY(start_cell(ops, risc_bit(writer), &at->cell));
    }
    *out_cell = at->cell;
    return TACHO_OK;
}

static void widen(tt_range *range, int64_t time)
{
    range->first = range->count == 0 || time < range->first ? time : range->first;
    range->last = range->count == 0 || time > range->last ? time : range->last;
    range->count++;
}

static void add_kernel(tt_device_op *op, tt_op_cell *cell, const tt_log_row *row,
                       const tt_lane *lane, bool is_mover)
{
    int64_t time = (int64_t)row->time;
    widen(&op->kernel, time);
    cell->kernels |= risc_bit(lane);
    cell->first = time < cell->first ? time : cell->first;
    cell->last = time > cell->last ? time : cell->last;
    if (row->type == TT_LOG_START) {
        widen(&op->kernel_starts, time);
    }
    if (is_mover) {
        widen(&op->mover, time);
    }
    if (lane->known < TT_RISC_COUNT) {
        widen(&op->riscs[lane->known], time);
    }
}

/*
 * Counts a start or end. Rows of a processor may be in any order, so an end may precede its start.
 */
static void balance(tt_device_op *op, tt_open_zones *zones, const tt_lane *lane, bool is_start)
{
    uint32_t bit = risc_bit(lane);
    uint32_t *same = is_start ? &zones->begun : &zones->ended;
    uint32_t *other = is_start ? &zones->ended : &zones->begun;
    if ((*other & bit) != 0) {
        *other &= ~bit;
    } else if ((*same & bit) == 0) {
        *same |= bit;
    } else if (is_start) {
        op->missing_end_count++;
    } else {
        op->missing_start_count++;
    }
}

/* Notes rows that go back in time, of a program that the log does not number. */
static void check_time(tt_log_ops *ops, uint32_t lane, const tt_log_row *row, tt_device_op *op)
{
    tt_op_lane *at = &ops->at[lane];
    /* Processors without a bit of their own share one and are indistinguishable. */
    bool has_bit = ops->lanes->lanes[lane].risc < OTHER_RISC_BIT;
    op->is_shuffled |= row->replay < 0 && ((int64_t)row->time < at->last || !has_bit);
    at->last = (int64_t)row->time;
}

static void add_total(tt_device_op *op, const tt_log_row *row, const tt_lane *lane, uint8_t kind)
{
    if ((kind & TT_ZONE_WAIT_FRONT) != 0 && lane->known == TT_RISC_TRISC0) {
        op->wait_front += row->data;
        op->has_wait_front = true;
    } else if ((kind & TT_ZONE_RESERVE_BACK) != 0 && lane->known == TT_RISC_TRISC2) {
        op->reserve_back += row->data;
        op->has_reserve_back = true;
    }
}

static void note_sub_device(tt_device_op *op, tacho_str meta)
{
    tacho_str text;
    uint64_t value = 0;
    if (meta.len > 0 && op->sub_device < 0 && tt_log_meta_find(meta, "sub_device_id", &text) &&
        tacho_str_parse_u64(text, &value) && value <= INT64_MAX) {
        op->sub_device = (int64_t)value;
    }
}

tacho_status tt_log_ops_add(tt_log_ops *ops, const tt_log_row *row, tt_log_place place,
                            uint32_t *out_op)
{
    *out_op = TACHO_NONE;
    if (row->host == 0 || row->timer == 0) {
        return TACHO_OK;
    }
    const tt_lane *writer = &ops->lanes->lanes[place.lane];
    uint8_t kind = ops->lanes->zone_kinds[place.zone];
    bool is_edge = row->type == TT_LOG_START || row->type == TT_LOG_END;
    bool is_firmware = is_edge && (kind & TT_ZONE_FIRMWARE) != 0;
    bool is_kernel = is_edge && (kind & TT_ZONE_KERNEL) != 0;
    uint32_t id = 0;
    TACHO_TRY(find_cell(ops, row, place.lane, is_firmware && row->type == TT_LOG_START, &id));
    tt_op_cell *cell = &ops->cells[id];
    tt_device_op *op = &ops->ops[cell->op];
    *out_op = cell->op;
    cell->begin = (int64_t)row->time < cell->begin ? (int64_t)row->time : cell->begin;
    if (is_firmware) {
        widen(&op->firmware, (int64_t)row->time);
        cell->flags |= CELL_HAS_FIRMWARE;
        cell->started |= ops->at[place.lane].cut != TACHO_NONE && row->type == TT_LOG_START
                             ? risc_bit(writer)
                             : 0;
    } else if (is_kernel) {
        add_kernel(op, cell, row, writer, (kind & TT_ZONE_DATA_MOVER) != 0);
    } else if (row->type == TT_LOG_TOTAL) {
        add_total(op, row, writer, kind);
    }
    if (is_firmware || is_kernel) {
        balance(op, is_firmware ? &cell->firmware : &cell->kernel, writer,
                row->type == TT_LOG_START);
        check_time(ops, place.lane, row, op);
    }
    note_sub_device(op, row->meta);
    return TACHO_OK;
}

/* ---- end of the log ------------------------------------------------------------------------ */

static void add_core(tt_device_op *op, const tt_op_cell *cell)
{
    op->missing_end_count +=
        tt_count_bits(cell->firmware.begun) + tt_count_bits(cell->kernel.begun);
    op->missing_start_count +=
        tt_count_bits(cell->firmware.ended) + tt_count_bits(cell->kernel.ended);
    op->started_count += tt_count_bits(cell->started);
    op->core_count += (cell->flags & CELL_HAS_FIRMWARE) != 0 ? 1 : 0;
    if (cell->last <= cell->first) {
        return;
    }
    int64_t span = cell->last - cell->first;
    bool is_first = op->timed_core_count++ == 0;
    op->core_min = is_first || span < op->core_min ? span : op->core_min;
    op->core_max = is_first || span > op->core_max ? span : op->core_max;
    op->core_sum += (uint64_t)span;
    if (is_first || cell->begin < op->core_first_begin) {
        op->core_first = span;
        op->core_first_begin = cell->begin;
    }
}

static int64_t start_of(const tt_device_op *op)
{
    if (op->firmware.count > 0) {
        return op->firmware.first;
    }
    return op->kernel.count > 0 ? op->kernel.first : INT64_MAX;
}

static int compare(const void *a, const void *b)
{
    const tt_device_op *left = a;
    const tt_device_op *right = b;
    if (left->key.chip != right->key.chip) {
        return left->key.chip < right->key.chip ? -1 : 1;
    }
    if (start_of(left) != start_of(right)) {
        return start_of(left) < start_of(right) ? -1 : 1;
    }
    if (left->key.host != right->key.host) {
        return left->key.host < right->key.host ? -1 : 1;
    }
    if (left->key.replay != right->key.replay) {
        return left->key.replay < right->key.replay ? -1 : 1;
    }
    return left->ordinal < right->ordinal ? -1 : left->ordinal > right->ordinal;
}

/* The first and last time of an execution, over all of its markers. */
static tt_range extent_of(const tt_device_op *op)
{
    tt_range extent = op->firmware;
    if (op->kernel.count > 0) {
        widen(&extent, op->kernel.first);
        widen(&extent, op->kernel.last);
    }
    return extent;
}

/*
 * Whether the executions from |first| on may be mixed up: rows went back in time, one lasts until
 * the next begins, or they ran on different processors.
 */
static bool is_mixed_up(const tt_log_ops *ops, uint32_t first)
{
    for (uint32_t op = first; op != TACHO_NONE; op = ops->ops[op].next) {
        const tt_device_op *one = &ops->ops[op];
        const tt_device_op *next = one->next != TACHO_NONE ? &ops->ops[one->next] : NULL;
        if (one->is_shuffled || one->started_count != ops->ops[first].started_count ||
            (next != NULL && extent_of(next).first <= extent_of(one).last)) {
            return true;
        }
    }
    return false;
}

/* Marks doubtful executions. The order of rows does not matter for a program that ran once. */
static void find_doubts(tt_log_ops *ops)
{
    for (size_t i = 0; i < ops->op_count; i++) {
        bool is_repeated = ops->ops[i].ordinal == 0 && ops->ops[i].next != TACHO_NONE;
        if (!is_repeated || ops->ops[i].key.replay >= 0 || !is_mixed_up(ops, (uint32_t)i)) {
            continue;
        }
        for (uint32_t op = (uint32_t)i; op != TACHO_NONE; op = ops->ops[op].next) {
            ops->ops[op].is_doubtful = true;
        }
    }
}

const tt_device_op *tt_log_ops_find_doubtful(const tt_log_ops *ops)
{
    for (size_t i = 0; i < ops->op_count; i++) {
        if (ops->ops[i].is_doubtful) {
            return &ops->ops[i];
        }
    }
    return NULL;
}

tacho_status tt_log_ops_finish(tt_log_ops *ops)
{
    for (size_t i = 0; i < ops->cell_count; i++) {
        add_core(&ops->ops[ops->cells[i].op], &ops->cells[i]);
    }
    find_doubts(ops);
    TACHO_TRY(tt_log_ops_count_lost(ops));
    if (ops->op_count > 1) {
        qsort(ops->ops, ops->op_count, sizeof(*ops->ops), compare);
    }
    return TACHO_OK;
}
