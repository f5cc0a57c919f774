/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell is found by the last row of its processor, mostly; else by key and core. Executions of
 * one key on one core are a chain of cells, in the order in which its processors reached them.
 */
#include "sources/tenstorrent/log_ops.h"

#include "base/grow.h"

#include <stdlib.h>

enum { OTHER_RISC_BIT = 63, OTHER_ZONE_BIT = 31 };
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

static bool is_same_key(const tt_op_key *a, const tt_op_key *b)
{
    return a->host == b->host && a->replay == b->replay && a->trace == b->trace &&
           a->chip == b->chip;
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

/* The first execution of |key|. */
static tacho_status ensure_op(tt_log_ops *ops, const tt_op_key *key, uint32_t *out_op)
{
    tacho_str bytes = tacho_str_make((const char *)key, sizeof(*key));
    uint32_t hash = tacho_index_hash(&ops->op_index, bytes);
    size_t at = tacho_index_begin(&ops->op_index, hash);
    for (uint32_t id; (id = tacho_index_next(&ops->op_index, hash, &at)) != TACHO_NONE;) {
        if (is_same_key(&ops->ops[id].key, key)) {
            *out_op = id;
            return TACHO_OK;
        }
    }
    TACHO_TRY(add_op(ops, key, 0, out_op));
    return tacho_index_add(&ops->op_index, hash, *out_op);
}

/* The execution behind |op|. */
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
        .first = INT64_MAX,
        .last = INT64_MIN,
    };
    return TACHO_OK;
}

/* The first cell of |key| on |core|. */
static tacho_status ensure_cell(tt_log_ops *ops, const tt_op_key *key, uint32_t core,
                                uint32_t *out_cell)
{
    struct {
        tt_op_key key;
        uint64_t core;
    } wanted = {*key, core};
    tacho_str bytes = tacho_str_make((const char *)&wanted, sizeof(wanted));
    uint32_t hash = tacho_index_hash(&ops->cell_index, bytes);
    size_t at = tacho_index_begin(&ops->cell_index, hash);
    for (uint32_t id; (id = tacho_index_next(&ops->cell_index, hash, &at)) != TACHO_NONE;) {
        const tt_op_cell *cell = &ops->cells[id];
        if (cell->core == core && is_same_key(&ops->ops[cell->op].key, key)) {
            *out_cell = id;
            return TACHO_OK;
        }
    }
    uint32_t op = 0;
    TACHO_TRY(ensure_op(ops, key, &op));
    TACHO_TRY(add_cell(ops, op, core, out_cell));
    return tacho_index_add(&ops->cell_index, hash, *out_cell);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint64_t risc_bit(const tt_lane *lane)
{
    return UINT64_C(1) << (lane->risc < OTHER_RISC_BIT ? lane->risc : OTHER_RISC_BIT);
}

/* The last cell of the chain that the processor has started, else the first. */
static uint32_t current_cell(const tt_log_ops *ops, uint32_t cell, uint64_t bit)
{
    while (ops->cells[cell].next != TACHO_NONE &&
           (ops->cells[ops->cells[cell].next].started & bit) != 0) {
        cell = ops->cells[cell].next;
    }
    return cell;
}

/* The processor starts: from |cell| on, the first of the chain that it has not started. */
static tacho_status start_cell(tt_log_ops *ops, uint64_t bit, uint32_t *cell)
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

static tacho_status find_cell(tt_log_ops *ops, const tt_log_row *row, uint32_t lane, bool is_start,
                              uint32_t *out_cell)
{
    while (TACHO_UNLIKELY(ops->at_count <= lane)) {
        TACHO_TRY(tacho_grow(&ops->at, &ops->at_capacity, ops->at_count + 1));
        ops->at[ops->at_count++] = (tt_op_lane){.cell = TACHO_NONE};
    }
    tt_op_lane *at = &ops->at[lane];
    tt_op_key key = {
        .chip = row->chip, .host = row->host, .trace = row->trace, .replay = row->replay};
    const tt_lane *writer = &ops->lanes->lanes[lane];
    if (at->cell == TACHO_NONE || !is_same_key(&at->key, &key)) {
        TACHO_TRY(ensure_cell(ops, &key, writer->core, &at->cell));
        at->cell = current_cell(ops, at->cell, risc_bit(writer));
        at->key = key;
        at->last = INT64_MIN;
    }
    if (is_start) {
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

/* Counts a start or end. Rows of a processor may come in any order, so an end may come first. */
static void balance(tt_device_op *op, tt_open_zones *zones, const tt_lane *lane, bool is_start)
{
    uint32_t bit = UINT32_C(1) << (lane->risc < OTHER_ZONE_BIT ? lane->risc : OTHER_ZONE_BIT);
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

/* Notes rows of a program that the log does not number and whose time goes backwards. */
static void check_time(tt_log_ops *ops, uint32_t lane, const tt_log_row *row, tt_device_op *op)
{
    tt_op_lane *at = &ops->at[lane];
    op->is_shuffled |= row->replay < 0 && (int64_t)row->time < at->last;
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
    if (is_firmware) {
        widen(&op->firmware, (int64_t)row->time);
        cell->flags |= CELL_HAS_FIRMWARE;
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

/* ---- the end ------------------------------------------------------------------------------- */

static uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static void add_core(tt_device_op *op, const tt_op_cell *cell)
{
    op->missing_end_count += count_bits(cell->firmware.begun) + count_bits(cell->kernel.begun);
    op->missing_start_count += count_bits(cell->firmware.ended) + count_bits(cell->kernel.ended);
    op->core_count += (cell->flags & CELL_HAS_FIRMWARE) != 0 ? 1 : 0;
    if (cell->last <= cell->first) {
        return;
    }
    int64_t span = cell->last - cell->first;
    bool is_first = op->timed_core_count++ == 0;
    op->core_min = is_first || span < op->core_min ? span : op->core_min;
    op->core_max = is_first || span > op->core_max ? span : op->core_max;
    op->core_sum += (uint64_t)span;
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

/* Of a program that ran once it does not matter in which order its rows come. */
static void settle_order(tt_log_ops *ops)
{
    for (size_t i = 0; i < ops->op_count; i++) {
        bool is_shuffled = false;
        bool is_repeated = ops->ops[i].next != TACHO_NONE;
        if (ops->ops[i].ordinal > 0) {
            continue;
        }
        for (uint32_t op = (uint32_t)i; op != TACHO_NONE; op = ops->ops[op].next) {
            is_shuffled |= ops->ops[op].is_shuffled;
        }
        for (uint32_t op = (uint32_t)i; op != TACHO_NONE; op = ops->ops[op].next) {
            ops->ops[op].is_shuffled = is_shuffled && is_repeated;
        }
    }
}

void tt_log_ops_finish(tt_log_ops *ops)
{
    settle_order(ops);
    for (size_t i = 0; i < ops->cell_count; i++) {
        add_core(&ops->ops[ops->cells[i].op], &ops->cells[i]);
    }
    if (ops->op_count > 1) {
        qsort(ops->ops, ops->op_count, sizeof(*ops->ops), compare);
    }
}
