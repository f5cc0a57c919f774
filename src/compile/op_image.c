/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tile is a part of the image, of the channels it has and of those it gets. Half of the
 * accumulator holds its results, half of local memory its operands, as the other halves are being
 * worked on. For each block of channels in and out and each place of the window, rows of a line of
 * the image pass the array, at most as many as it is wide; a pass of few rows takes as long as a
 * somewhat longer one.
 *
 * The vendor's choice of a tile begins with the whole and cuts the largest dimension until it fits,
 * but leaves a line of as many columns as the array is wide; then every dimension that can grow
 * again does.
 */
#include "compile/op_image.h"

#include "base/maths.h"
#include "machine/cost.h"

enum { ROWS, COLUMNS, OUTS, WINDOW_ROWS, WINDOW_COLUMNS, INS, SIZE_COUNT };

typedef struct tiler {
    uint64_t side_k, side_n;              /* of the array */
    uint64_t operand_lines, result_lines; /* that fit, each as wide as the array */
    uint64_t all[SIZE_COUNT], tile[SIZE_COUNT];
} tiler;

static uint64_t whole(const tacho_quantity *quantity)
{
    return (uint64_t)tacho_quantity_whole(quantity);
}

bool tacho_op_image_has(const tacho_machine *machine, const tacho_engine *engine,
                        const tacho_work *work)
{
    return work->kind == TACHO_WORK_MATRIX && work->image.columns > 0 &&
           tacho_machine_cores(machine) == 1 && whole(&engine->count) == 1 &&
           tacho_quantity_is_set(&engine->accumulator_bytes) &&
           tacho_quantity_is_set(&engine->align_k) && tacho_quantity_is_set(&engine->align_n) &&
           tacho_quantity_is_set(&engine->short_pass_cycles);
}

static bool fits(const tiler *t, const uint64_t *tile)
{
    uint64_t in_blocks = tacho_ceil_div(tile[INS], t->side_k);
    uint64_t out_blocks = tacho_ceil_div(tile[OUTS], t->side_n);
    uint64_t window = tile[WINDOW_ROWS] * tile[WINDOW_COLUMNS];
    uint64_t read =
        (tile[ROWS] + tile[WINDOW_ROWS] - 1) * (tile[COLUMNS] + tile[WINDOW_COLUMNS] - 1);
    return in_blocks * read + out_blocks * window * tile[INS] <= t->operand_lines &&
           out_blocks * tile[ROWS] * tile[COLUMNS] <= t->result_lines;
}

static void take_from_largest(tiler *t)
{
    uint64_t *tile = t->tile;
    size_t largest = SIZE_COUNT;
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        bool is_full = i == COLUMNS && tile[i] <= t->side_n && tile[ROWS] > 1;
        if (!is_full && (largest == SIZE_COUNT || tile[i] > tile[largest])) {
            largest = i;
        }
    }
    uint64_t step = largest == OUTS ? t->side_n : largest == INS ? t->side_k : 1;
    uint64_t less = (tile[largest] - 1) / step * step;
    tile[largest] = less > 0 ? less : 1;
}

static bool grow(tiler *t, size_t size)
{
    bool can = t->tile[size] < t->all[size];
    t->tile[size] += can ? 1 : 0;
    if (can && fits(t, t->tile)) {
        return true;
    }
    t->tile[size] -= can ? 1 : 0;
    return false;
}

static void choose_tile(tiler *t)
{
    uint64_t sum = SIZE_COUNT + 1;
    while (!fits(t, t->tile) && sum > SIZE_COUNT) {
        take_from_largest(t);
        sum = 0;
        for (size_t i = 0; i < SIZE_COUNT; i++) {
            sum += t->tile[i];
        }
    }
    while (grow(t, COLUMNS)) {
    }
    for (bool is_growing = true; is_growing;) {
        is_growing = false;
        for (size_t i = 0; i < SIZE_COUNT; i++) {
            is_growing |= grow(t, i);
        }
    }
}

/* Blocks of |side| in |all| that is cut into tiles of |tile|. */
static uint64_t count_blocks(uint64_t all, uint64_t tile, uint64_t side)
{
    return all / tile * tacho_ceil_div(tile, side) + tacho_ceil_div(all % tile, side);
}

/* Rows that pass in a line of |columns|, and passes that are shorter than |least|, times |times|.
 */
static void count_passes(uint64_t columns, uint64_t side, tacho_ratio least, uint64_t times,
                         uint64_t out[2])
{
    uint64_t rest = columns % side;
    tacho_ratio last = {(int64_t)rest, 1};
    bool is_short = rest > 0 && tacho_ratio_compare(last, least) < 0;
    out[0] += times * (columns - (is_short ? rest : 0));
    out[1] += is_short ? times : 0;
}

static bool make_tiler(const tacho_machine *machine, const tacho_engine *engine,
                       const tacho_work *work, tacho_dtype dtype, tiler *t)
{
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    uint64_t line_bytes;
    *t = (tiler){.side_k = whole(&engine->align_k), .side_n = whole(&engine->align_n)};
    if (!tacho_dtype_bytes(dtype, t->side_k, &line_bytes) || line_bytes == 0) {
        return false;
    }
    t->operand_lines = whole(&local->size_bytes) / 2 / line_bytes;
    t->result_lines =
        whole(&engine->accumulator_bytes) / 2 / (t->side_n * whole(&engine->sum_bytes));
    const uint64_t all[SIZE_COUNT] = {
        work->image.rows,        work->image.columns,        work->n,
        work->image.window_rows, work->image.window_columns, work->k_channels};
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        /* Start at the most that can fit: cutting down step by step ends there anyway. */
        uint64_t most = i == OUTS || i == INS ? t->operand_lines * t->side_k : t->result_lines;
        t->all[i] = all[i];
        t->tile[i] = tacho_least(all[i], most > 0 ? most : 1);
    }
    choose_tile(t);
    return true;
}

int64_t tacho_op_image_cycles(const tacho_machine *machine, const tacho_engine *engine,
                              const tacho_work *work, tacho_dtype dtype)
{
    tiler t;
    const tacho_rate *rate = tacho_cost_mac_rate(engine, dtype);
    tacho_ratio least = engine->short_pass_cycles.value;
    if (rate == NULL || !make_tiler(machine, engine, work, dtype, &t)) {
        return INT64_MAX;
    }
    uint64_t passes[2] = {0, 0};
    uint64_t width = t.tile[COLUMNS];
    count_passes(width, t.side_n, least, t.all[COLUMNS] / width, passes);
    count_passes(t.all[COLUMNS] % width, t.side_n, least, 1, passes);
    int64_t in_short;
    int64_t cycles;
    uint64_t turns = count_blocks(t.all[OUTS], t.tile[OUTS], t.side_n);
    turns = tacho_size_multiply(turns, count_blocks(t.all[INS], t.tile[INS], t.side_k));
    turns = tacho_size_multiply(turns, tacho_size_multiply(work->k_window, t.all[ROWS]));
    uint64_t images = work->m / (t.all[ROWS] * t.all[COLUMNS]);
    images = tacho_size_multiply(images > 0 ? images : 1, work->batch);
    turns = tacho_size_multiply(turns, images);
    uint64_t shorts = tacho_size_multiply(turns, passes[1]);
    if (shorts > INT64_MAX || !tacho_ratio_ceil_multiply(shorts, least, &in_short)) {
        return INT64_MAX;
    }
    uint64_t rows = tacho_size_add(tacho_size_multiply(turns, passes[0]), (uint64_t)in_short);
    uint64_t macs = tacho_size_multiply(rows, t.side_k * t.side_n);
    if (macs > INT64_MAX || !tacho_ratio_ceil_divide(macs, rate->per_cycle.value, &cycles)) {
        return INT64_MAX;
    }
    uint64_t tiles = images;
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        tiles = tacho_size_multiply(tiles, tacho_ceil_div(t.all[i], t.tile[i]));
    }
    int64_t between = 0;
    if (tiles > INT64_MAX ||
        !tacho_ratio_ceil_multiply(tiles, tacho_quantity_or(&engine->block_overhead_cycles, 0),
                                   &between)) {
        return INT64_MAX;
    }
    return tacho_cycles_add(tacho_cycles_add(cycles, between),
                            (int64_t)whole(&engine->start_up_cycles));
}
