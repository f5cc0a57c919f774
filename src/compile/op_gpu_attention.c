/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention in one kernel. A block takes some queries and walks over the keys: two products and the
 * softmax of each tile of scores. Flash attention, in 16 bits, cuts the keys where there are too
 * few blocks for the cores, as when one token is decoded; another kernel then adds the parts.
 */
#include "base/maths.h"
#include "compile/op_gpu.h"

/* Sides of a tile of scores; and from when on FlashAttention 2 cuts keys, as its sources say. */
enum {
    ROWS = 128,
    ROWS_FEW = 64,
    COLUMNS = 128,
    SIDE_WIDE = 64,
    KEYS_UNCUT = 512,
    PART_KEYS = 16384, /* keys of a part: these, divided by the size of a head ... */
    PART_KEYS_MIN = 64,
    PART_KEYS_MAX = 256,
    SUM_BYTES = 4,
};

typedef struct walk {
    uint64_t rows, columns; /* of a tile */
    uint64_t blocks;        /* of queries */
    uint64_t cuts;          /* of keys */
} walk;

/* Parts of the keys: two for each core, where blocks of queries leave a fifth of them idle. */
static uint64_t cuts_of(const tacho_gpu_task *task, uint64_t blocks)
{
    const tacho_work *work = task->work;
    uint64_t width = work->k_channels > 0 ? work->k_channels : 1;
    uint64_t keys = PART_KEYS / width;
    keys = keys < PART_KEYS_MIN ? PART_KEYS_MIN : keys > PART_KEYS_MAX ? PART_KEYS_MAX : keys;
    bool is_cut =
        blocks > 0 && blocks < task->cores && work->n > KEYS_UNCUT && blocks * 5 < task->cores * 4;
    uint64_t most = is_cut ? 2 * task->cores / blocks : 1;
    return tacho_least(most, tacho_ceil_div(work->n, keys));
}

static walk walk_of(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    walk made = {.rows = SIDE_WIDE, .columns = SIDE_WIDE, .cuts = 1};
    bool is_half = task->element_bytes <= 2;
    if (is_half) {
        made.rows = work->m <= ROWS_FEW ? ROWS_FEW : ROWS;
        made.columns = COLUMNS;
    }
    made.blocks = tacho_size_multiply(work->batch, tacho_ceil_div(work->m, made.rows));
    made.cuts = is_half && work->n > 0 ? cuts_of(task, made.blocks) : 1;
    return made;
}

/* Cycles of a tile: its softmax, by the number of scores, and the two products. */
static int64_t tile_cycles(const tacho_gpu_task *task, const walk *way)
{
    const tacho_gpu *gpu = task->gpu;
    bool is_half = task->element_bytes <= 2;
    int64_t scores =
        is_half ? tacho_quantity_whole(&gpu->attention_score_cycles) * (int64_t)way->rows / ROWS
                : tacho_quantity_whole(&gpu->attention_wide_cycles);
    uint64_t macs = tacho_size_multiply(way->rows * way->columns,
                                        tacho_size_multiply(task->work->k_channels, 2));
    const tacho_rate *peak = tacho_cost_mac_rate(task->engine, task->dtype);
    tacho_ratio rate = is_half        ? tacho_gpu_rate(task, &gpu->tensor)
                       : peak != NULL ? peak->per_cycle.value
                                      : (tacho_ratio){1, 1};
    return tacho_cycles_add(scores, tacho_gpu_over(macs, rate));
}

static int64_t product(uint64_t count, int64_t cycles)
{
    return tacho_gpu_times(count, &(tacho_quantity){.value = {cycles, 1}});
}

tacho_gpu_time tacho_gpu_attention_time(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    const tacho_gpu *gpu = task->gpu;
    bool is_half = task->element_bytes <= 2;
    walk way = walk_of(task);
    uint64_t tiles = tacho_ceil_div(work->n, way.columns);
    tacho_gpu_time time = {
        .kernels = 1,
        .blocks = tacho_size_multiply(way.blocks, way.cuts),
        .memory = tacho_gpu_memory(task, tacho_gpu_bytes(work)),
        .start = tacho_gpu_start(task, is_half ? &gpu->attention_start_cycles
                                               : &gpu->attention_wide_start_cycles),
    };
    uint64_t waves = tacho_ceil_div(time.blocks, task->cores);
    time.compute = product(tacho_size_multiply(waves, tacho_ceil_div(tiles, way.cuts)),
                           tile_cycles(task, &way));
    if (is_half) {
        time.compute = tacho_cycles_add(
            time.compute, product(waves, tacho_quantity_whole(&gpu->attention_block_cycles)));
    }
    time.padded_macs = tacho_size_multiply(
        tacho_size_multiply(way.blocks, tiles),
        tacho_size_multiply(way.rows * way.columns, tacho_size_multiply(work->k_channels, 2)));
    time.cycles = tacho_cycles_add(time.start, tacho_most(time.compute, time.memory));
    if (way.cuts > 1) {
        uint64_t results = tacho_size_multiply(tacho_size_multiply(work->batch, work->m),
                                               tacho_size_multiply(work->k_channels, way.cuts));
        tacho_gpu_then(&time, tacho_gpu_kernel(task, TACHO_FORM_STRIDED, results, 0,
                                               tacho_size_multiply(results, SUM_BYTES)));
    }
    return time;
}
