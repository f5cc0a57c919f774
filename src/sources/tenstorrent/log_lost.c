/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds zones that an execution has lost: a program runs the same kernels on the same processors
 * every time, so zones of one execution must be in the others, too.
 */
#include "sources/tenstorrent/log_ops.h"

#include "base/grow.h"

#include <stdlib.h>

/* A cell under its program and core; a core is of one chip. */
typedef struct cell_place {
    uint64_t host;
    uint32_t chip, core, cell;
} cell_place;

static int compare_places(const void *a, const void *b)
{
    const cell_place *left = a;
    const cell_place *right = b;
    if (left->chip != right->chip) {
        return left->chip < right->chip ? -1 : 1;
    }
    if (left->host != right->host) {
        return left->host < right->host ? -1 : 1;
    }
    if (left->core != right->core) {
        return left->core < right->core ? -1 : 1;
    }
    return left->cell < right->cell ? -1 : left->cell > right->cell;
}

/* Processors with any marker of their firmware. */
static uint32_t firmware_of(const tt_op_cell *cell)
{
    return cell->started | cell->firmware.ended;
}

/*
 * Compares the executions on one core: places [first, last). Returns the number of processors with
 * firmware there.
 */
static uint32_t lose_kernels(tt_log_ops *ops, const cell_place *first, const cell_place *last)
{
    uint32_t firmware = 0;
    uint32_t kernels = 0;
    for (const cell_place *at = first; at < last; at++) {
        firmware |= firmware_of(&ops->cells[at->cell]);
        kernels |= ops->cells[at->cell].kernels;
    }
    for (const cell_place *at = first; at < last; at++) {
        const tt_op_cell *cell = &ops->cells[at->cell];
        tt_device_op *op = &ops->ops[cell->op];
        op->firmware_count += tt_count_bits(firmware_of(cell));
        op->lost_count += tt_count_bits(firmware_of(cell) & kernels & ~cell->kernels);
    }
    return tt_count_bits(firmware);
}

/* Compares all cells of one program: places [first, last). */
static void compare_executions(tt_log_ops *ops, const cell_place *first, const cell_place *last)
{
    uint32_t firmware_count = 0;
    for (const cell_place *core = first, *end = first; core < last; core = end) {
        while (end < last && end->core == core->core) {
            end++;
        }
        firmware_count += lose_kernels(ops, core, end);
    }
    for (const cell_place *at = first; at < last; at++) {
        ops->ops[ops->cells[at->cell].op].program_firmware_count = firmware_count;
    }
}

static void compare_all(tt_log_ops *ops, const cell_place *places)
{
    const cell_place *last = places + ops->cell_count;
    for (const cell_place *first = places, *end = places; first < last; first = end) {
        while (end < last && end->chip == first->chip && end->host == first->host) {
            end++;
        }
        compare_executions(ops, first, end);
    }
    for (size_t i = 0; i < ops->op_count; i++) {
        tt_device_op *op = &ops->ops[i];
        op->lost_count += op->key.replay >= 0 ? op->program_firmware_count - op->firmware_count : 0;
    }
}

/* Whether any program ran twice; else there is nothing to compare. */
static bool has_repeat(const tt_log_ops *ops)
{
    for (size_t i = 0; i < ops->op_count; i++) {
        if (ops->ops[i].ordinal > 0 || ops->ops[i].key.replay >= 0) {
            return true;
        }
    }
    return false;
}

tacho_status tt_log_ops_count_lost(tt_log_ops *ops)
{
    cell_place *places = NULL;
    size_t capacity = 0;
    if (ops->cell_count == 0 || !has_repeat(ops)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&places, &capacity, ops->cell_count));
    for (size_t i = 0; i < ops->cell_count; i++) {
        const tt_op_key *key = &ops->ops[ops->cells[i].op].key;
        places[i] = (cell_place){key->host, key->chip, ops->cells[i].core, (uint32_t)i};
    }
    qsort(places, ops->cell_count, sizeof(*places), compare_places);
    compare_all(ops, places);
    free(places);
    return TACHO_OK;
}
