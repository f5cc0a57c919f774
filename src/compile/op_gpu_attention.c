/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attention in one kernel. A block takes some queries and walks over the keys: two products and the
 * softmax of each tile of scores. Flash attention, in 16 bits, cuts the keys where there are too
 * few blocks for the cores, as when one token is decoded; another kernel then adds the parts. It
 * takes no masks: with one, and in 32 bits, PyTorch has a kernel with smaller tiles.
 */
#include "base/maths.h"
#include "compile/op_gpu.h"

/* Sides of a tile of scores; and from when on FlashAttention 2 cuts keys, as in its sources. */
enum {
    ROWS = 128,
    ROWS_FEW = 64,
    COLUMNS = 128,
    SIDE_SMALL = 64,
    KEYS_UNCUT = 512,
    PART_KEYS = 16384, /* keys of a part: these, divided by the size of a head ... */
    PART_KEYS_MIN = 64,
    PART_KEYS_MAX = 256,
    SUM_BYTES = 4,
    HEAD_SMALL = 64,
    HEAD_LARGE = 128,
};

typedef struct walk {
    uint64_t width;         /* of a head, as the kernel has it */
    uint64_t rows, columns; /* of a tile */
    uint64_t blocks;        /* of queries */
    uint64_t cuts;          /* of keys */
    int64_t start;
    int64_t tile_cycles;    /* of a core, for a tile */
    int64_t latency_cycles; /* of a tile, at least */
    int64_t block_cycles;   /* for each block */
} walk;

static int64_t product(uint64_t count, int64_t cycles)
{
    return tacho_gpu_times(count, &(tacho_quantity){.value = {cycles, 1}});
}

/* There are kernels for some sizes of heads; others are padded. */
static uint64_t width_of(const tacho_gpu_task *task, bool is_flash)
{
    static const uint16_t flash[] = {32, 64, 96, 128, 192, 256};
    uint64_t width = task->work->k_channels > 0 ? task->work->k_channels : 1;
    for (size_t i = 0; is_flash && i < sizeof(flash) / sizeof(flash[0]); i++) {
        if (width <= flash[i]) {
            return flash[i];
        }
    }
    return width <= HEAD_SMALL ? HEAD_SMALL
                               : tacho_size_multiply(tacho_ceil_div(width, HEAD_LARGE), HEAD_LARGE);
}

static uint64_t macs_of(const walk *way)
{
    return tacho_size_multiply(way->rows * way->columns, tacho_size_multiply(way->width, 2));
}

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

/* A tile takes its softmax, by the number of scores, and two products; or as long as one block
 * needs to fetch its keys and values. */
static walk flash_walk(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    const tacho_gpu *gpu = task->gpu;
    walk way = {.rows = work->m <= ROWS_FEW ? ROWS_FEW : ROWS,
                .columns = COLUMNS,
                .width = width_of(task, true),
                .start = tacho_gpu_start(task, &gpu->attention_start_cycles),
                .block_cycles = tacho_quantity_whole(&gpu->attention_block_cycles)};
    way.blocks = tacho_size_multiply(work->batch, tacho_ceil_div(work->m, way.rows));
    way.cuts = work->n > 0 ? cuts_of(task, way.blocks) : 1;
    int64_t scores = tacho_quantity_whole(&gpu->attention_score_cycles) * (int64_t)way.rows / ROWS;
    way.tile_cycles =
        tacho_cycles_add(scores, tacho_gpu_over(macs_of(&way), tacho_gpu_rate(task, &gpu->tensor)));
    if (tacho_quantity_is_set(&gpu->attention_fetch_bytes_per_cycle)) {
        uint64_t bytes = tacho_size_multiply(2 * way.columns * task->element_bytes, way.width);
        int64_t fetch = tacho_gpu_over(bytes, gpu->attention_fetch_bytes_per_cycle.value);
        way.tile_cycles = tacho_most(way.tile_cycles, fetch);
    }
    return way;
}

/* Several blocks share a core, and one alone leaves it waiting. */
static walk small_walk(const tacho_gpu_task *task, bool is_half)
{
    const tacho_work *work = task->work;
    const tacho_gpu *gpu = task->gpu;
    walk way = {.rows = SIDE_SMALL,
                .columns = SIDE_SMALL,
                .cuts = 1,
                .width = width_of(task, false),
                .start = tacho_gpu_start(task, is_half ? &gpu->attention_masked_start_cycles
                                                       : &gpu->attention_wide_start_cycles)};
    way.blocks = tacho_size_multiply(work->batch, tacho_ceil_div(work->m, way.rows));
    if (is_half) {
        uint64_t parts = tacho_ceil_div(way.width, HEAD_LARGE);
        way.tile_cycles = tacho_gpu_times(parts, &gpu->attention_masked_cycles);
        way.latency_cycles = tacho_gpu_times(parts, &gpu->attention_masked_latency_cycles);
        return way;
    }
    const tacho_rate *peak = tacho_cost_mac_rate(task->engine, task->dtype);
    tacho_ratio rate = peak != NULL ? peak->per_cycle.value : (tacho_ratio){1, 1};
    way.tile_cycles = tacho_cycles_add(tacho_quantity_whole(&gpu->attention_wide_cycles),
                                       tacho_gpu_over(macs_of(&way), rate));
    way.latency_cycles =
        way.width <= HEAD_SMALL ? tacho_quantity_whole(&gpu->attention_wide_latency_cycles) : 0;
    return way;
}

static walk walk_of(const tacho_gpu_task *task)
{
    bool is_half = task->element_bytes <= 2;
    bool is_masked =
        task->work->kernel.has_mask && tacho_quantity_is_set(&task->gpu->attention_masked_cycles);
    return is_half && !is_masked ? flash_walk(task) : small_walk(task, is_half);
}

/*
 * The part of |cycles| that remains where keys after a query are skipped: blocks of later queries
 * walk further. Cores take them as they come, and wait for two of the longest at the end.
 */
static int64_t causal_cycles(const tacho_gpu_task *task, const walk *way, uint64_t waves,
                             int64_t cycles)
{
    uint64_t rows = tacho_ceil_div(task->work->m, way->rows);
    uint64_t tiles = tacho_ceil_div(task->work->n, way->columns);
    uint64_t own = tacho_ceil_div(task->work->m, way->columns); /* tiles of as many keys */
    if (!task->work->kernel.is_causal || way->cuts > 1 || rows == 0 || waves < 2 || tiles == 0) {
        return cycles;
    }
    /* In parts of a tile, 2 * rows to one: skipped on average, then the sum of a core. */
    tacho_u128 skipped = (tacho_u128)tacho_least(own, tiles) * (rows - 1);
    tacho_u128 all = (tacho_u128)2 * rows * tiles * waves;
    tacho_u128 walked = all - skipped * waves + 2 * skipped;
    return walked < all ? (int64_t)((tacho_u128)(uint64_t)cycles * walked / all) : cycles;
}

tacho_gpu_time tacho_gpu_attention_time(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    walk way = walk_of(task);
    uint64_t tiles = tacho_ceil_div(work->n, way.columns);
    tacho_gpu_time time = {
        .kernels = 1,
        .blocks = tacho_size_multiply(way.blocks, way.cuts),
        .memory = tacho_gpu_memory(task, tacho_gpu_bytes(work)),
        .start = way.start,
    };
    uint64_t waves = tacho_ceil_div(time.blocks, task->cores);
    int64_t of_tile = tacho_most(product(waves, way.tile_cycles), way.latency_cycles);
    int64_t walked = product(tacho_ceil_div(tiles, way.cuts), of_tile);
    time.compute = tacho_cycles_add(causal_cycles(task, &way, waves, walked),
                                    product(waves, way.block_cycles));
    time.padded_macs = tacho_size_multiply(tacho_size_multiply(way.blocks, tiles), macs_of(&way));
    time.cycles = tacho_cycles_add(time.start, tacho_most(time.compute, time.memory));
    if (way.cuts > 1) {
        uint64_t results = tacho_size_multiply(tacho_size_multiply(work->batch, work->m),
                                               tacho_size_multiply(work->k_channels, way.cuts));
        tacho_gpu_then(&time, tacho_gpu_kernel(task, TACHO_FORM_STRIDED, results, 0,
                                               tacho_size_multiply(results, SUM_BYTES)));
    }
    return time;
}
