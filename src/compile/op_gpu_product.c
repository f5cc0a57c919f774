/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices, and convolutions as such. Results are cut into tiles; a block of
 * threads makes one, and blocks beyond the number of cores wait for the next wave. Libraries choose
 * the fastest tiles and cuts of k: so do we. Computing and memory traffic of a wave overlap, except
 * for a share of the shorter.
 */
#include "compile/op_gpu.h"

#include "base/maths.h"

typedef struct gpu_tile {
    uint16_t rows, columns;
} gpu_tile;

/* Tiles that the libraries have, the long side down or across. */
static const gpu_tile tensor_tiles[] = {
    {64, 8},   {64, 16},  {64, 32},  {64, 64},  {64, 96},   {64, 128},  {64, 192},  {64, 256},
    {128, 8},  {128, 16}, {128, 32}, {128, 64}, {128, 96},  {128, 128}, {128, 192}, {128, 256},
    {192, 8},  {192, 16}, {192, 32}, {192, 64}, {192, 96},  {192, 128}, {192, 192}, {256, 8},
    {256, 16}, {256, 32}, {256, 64}, {256, 96}, {256, 128}, {8, 64},    {16, 64},   {32, 64},
    {96, 64},  {8, 128},  {16, 128}, {32, 128}, {96, 128},  {8, 192},   {16, 192},  {32, 192},
    {96, 192}, {8, 256},  {16, 256}, {32, 256}, {96, 256},
};
static const gpu_tile vector_tiles[] = {
    {32, 32},  {64, 32},  {32, 64},   {64, 64},   {128, 32},  {32, 128},
    {128, 64}, {64, 128}, {128, 128}, {256, 128}, {128, 256},
};
static const gpu_tile window_tiles[] = {
    {64, 64}, {64, 128}, {128, 64}, {128, 128}, {256, 64}, {64, 32}, {32, 64}, {256, 128},
};
static const gpu_tile unaligned_tiles[] = {{128, 128}, {64, 64}};
static const uint8_t cuts_of_k[] = {1, 2, 3, 4, 6, 8, 16};

enum { CUT_K_MIN = 128, SUM_BYTES = 4 };

typedef struct gpu_rule {
    const tacho_gpu_product *how;
    const tacho_quantity *reduce; /* the kernel that adds the parts of k */
    const gpu_tile *tiles;
    size_t tile_count;
    tacho_ratio rate; /* multiply-accumulates of a core in a cycle */
    bool cuts_k;
} gpu_rule;

#define TILES(list) .tiles = (list), .tile_count = sizeof(list) / sizeof((list)[0])

static uint64_t product_of(uint64_t a, uint64_t b, uint64_t c)
{
    return tacho_size_multiply(tacho_size_multiply(a, b), c);
}

static bool is_tensor(const tacho_gpu_task *task)
{
    return task->is_tf32 || task->engine->class == TACHO_ENGINE_COMPUTE;
}

tacho_ratio tacho_gpu_rate(const tacho_gpu_task *task, const tacho_gpu_product *how)
{
    const tacho_rate *rate = tacho_cost_mac_rate(task->engine, task->dtype);
    tacho_ratio peak = task->is_tf32  ? task->gpu->tf32_macs_per_cycle.value
                       : rate != NULL ? rate->per_cycle.value
                                      : (tacho_ratio){1, 1};
    tacho_ratio reached;
    return tacho_ratio_multiply(peak, how->efficiency.value, &reached) ? reached : peak;
}

static uint64_t tiles_of(const tacho_gpu_shape *shape, gpu_tile tile)
{
    return product_of(shape->batch, tacho_ceil_div(shape->m, tile.rows),
                      tacho_ceil_div(shape->n, tile.columns));
}

/* The inner loops of all waves: |depth| steps each. */
static int64_t loop_cycles(const tacho_gpu_task *task, const gpu_rule *rule, gpu_tile tile,
                           uint64_t waves, uint64_t depth)
{
    const tacho_gpu_product *how = rule->how;
    uint64_t steps = tacho_size_multiply(waves, depth);
    int64_t engine = tacho_gpu_over(product_of(steps, tile.rows, tile.columns), rule->rate);
    if (tacho_quantity_is_set(&how->operand_bytes_per_cycle)) {
        tacho_ratio ratio = tacho_quantity_or(&how->row_ratio, 1);
        int64_t rows;
        bool fits = tacho_ratio_ceil_multiply(tile.rows, ratio, &rows);
        uint64_t lines = (fits ? (uint64_t)rows : tile.rows) + tile.columns;
        int64_t operands = tacho_gpu_over(product_of(steps, lines, task->element_bytes),
                                          how->operand_bytes_per_cycle.value);
        engine = tacho_most(engine, operands);
    }
    engine = tacho_cycles_add(engine, tacho_gpu_times(steps, &how->step_cycles));
    return tacho_cycles_add(engine, tacho_gpu_times(depth, &how->latency_cycles));
}

/* Computing and moving, overlapped. */
static int64_t overlapped(const tacho_gpu_task *task, int64_t compute, int64_t memory)
{
    int64_t shorter = compute < memory ? compute : memory;
    return tacho_cycles_add(tacho_most(compute, memory),
                            tacho_gpu_times((uint64_t)shorter, &task->gpu->overlap));
}

/* The kernel that adds the parts of a sum. */
static int64_t reduce_cycles(const tacho_gpu_task *task, const gpu_rule *rule,
                             const tacho_gpu_shape *shape, uint64_t cut)
{
    uint64_t results = product_of(shape->batch, shape->m, shape->n);
    uint64_t bytes = tacho_size_multiply(results, cut * SUM_BYTES + task->element_bytes);
    return cut == 1 ? 0
                    : tacho_cycles_add(tacho_gpu_start(task, rule->reduce),
                                       tacho_gpu_over(bytes, task->gpu->l2_bytes_per_cycle.value));
}

static tacho_gpu_time tile_time(const tacho_gpu_task *task, const gpu_rule *rule,
                                const tacho_gpu_shape *shape, gpu_tile tile, uint64_t cut)
{
    tacho_gpu_time time = {.kernels = cut > 1 ? 2 : 1};
    time.blocks = tacho_size_multiply(tiles_of(shape, tile), cut);
    uint64_t waves = tacho_ceil_div(time.blocks, task->cores);
    time.compute = loop_cycles(task, rule, tile, waves, tacho_ceil_div(shape->k, cut));
    time.start = tacho_cycles_add(tacho_gpu_start(task, &rule->how->start_cycles),
                                  reduce_cycles(task, rule, shape, cut));
    time.padded_macs =
        product_of(tiles_of(shape, tile), (uint64_t)tile.rows * tile.columns, shape->k);
    return time;
}

/* The fastest tile and cut of k. */
static tacho_gpu_time fastest(const tacho_gpu_task *task, const gpu_rule *rule,
                              const tacho_gpu_shape *shape, int64_t memory)
{
    tacho_gpu_time best = {.cycles = INT64_MAX};
    for (size_t i = 0; i < rule->tile_count; i++) {
        for (size_t j = 0; j < sizeof(cuts_of_k); j++) {
            uint64_t cut = cuts_of_k[j];
            if (cut > 1 && (!rule->cuts_k || shape->k / cut < CUT_K_MIN)) {
                break;
            }
            tacho_gpu_time time = tile_time(task, rule, shape, rule->tiles[i], cut);
            time.memory = memory;
            time.cycles = tacho_cycles_add(time.start, overlapped(task, time.compute, memory));
            best = time.cycles < best.cycles ? time : best;
        }
    }
    return best;
}

/* ---- products ------------------------------------------------------------------------------ */

/* Rows of 16-bit matrices that do not begin at an even address are fetched number by number. */
static bool is_unaligned(const tacho_gpu_task *task, const tacho_gpu_shape *shape)
{
    uint64_t step = (uint64_t)tacho_quantity_whole(&task->gpu->unaligned_step_bytes);
    bool is_half = task->element_bytes == 2;
    return is_half && (shape->k * 2 % step != 0 || shape->n * 2 % step != 0);
}

/* Products of 32 bits with turned weights: up to here like all others. */
enum { FLAT_ROWS_MAX = 32, VECTORS_MAX = 4, VECTOR_COLUMNS = 1 << 15 };

static gpu_rule rule_of(const tacho_gpu_task *task, const tacho_gpu_shape *shape)
{
    const tacho_gpu *gpu = task->gpu;
    const tacho_work_kernel *kernel = &task->work->kernel;
    if (!is_tensor(task)) { /* with a bias, k is cut as that rule has it, else as all others */
        bool is_turned = (kernel->has_bias || kernel->is_linear) && shape->m > FLAT_ROWS_MAX;
        bool has_bias = kernel->has_bias && shape->m > FLAT_ROWS_MAX;
        const tacho_gpu_product *how = is_turned ? &gpu->vector_bias : &gpu->vector;
        const tacho_quantity *reduce =
            has_bias ? &gpu->vector_bias.reduce_cycles : &gpu->vector.reduce_cycles;
        gpu_rule rule = {.how = how,
                         .reduce = reduce,
                         TILES(vector_tiles),
                         .rate = tacho_gpu_rate(task, how),
                         .cuts_k = tacho_quantity_is_set(reduce)};
        rule.tiles += is_turned ? 1 : 0; /* none of the smallest */
        rule.tile_count -= is_turned ? 1 : 0;
        return rule;
    }
    const tacho_gpu_product *how = &gpu->tensor;
    gpu_rule rule = {.how = how,
                     .reduce = &how->reduce_cycles,
                     TILES(tensor_tiles),
                     .rate = tacho_gpu_rate(task, how),
                     .cuts_k = tacho_quantity_is_set(&how->reduce_cycles)};
    if (is_unaligned(task, shape)) {
        bool is_by_two = shape->k % 4 == 0 && shape->n % 4 == 0; /* half a step at a time */
        rule.rate = gpu->unaligned_macs_per_cycle.value;
        rule.rate.num *= is_by_two ? 2 : 1;
        rule.tiles = unaligned_tiles;
        rule.tile_count = sizeof(unaligned_tiles) / sizeof(unaligned_tiles[0]);
    }
    return rule;
}

/* A vector by a matrix, or few by one with many columns. */
static bool is_flat(const tacho_gpu_shape *shape)
{
    bool is_few = shape->m <= VECTORS_MAX && shape->n >= VECTOR_COLUMNS;
    return shape->batch == 1 && (shape->m == 1 || shape->n == 1 || is_few);
}

static tacho_gpu_time matrices(const tacho_gpu_task *task, const tacho_gpu_shape *shape,
                               uint64_t bytes)
{
    int64_t memory = tacho_gpu_operands(task, bytes);
    gpu_rule rule = rule_of(task, shape);
    if (!is_tensor(task) && is_flat(shape)) {
        tacho_gpu_time time = {.kernels = 1,
                               .start = tacho_gpu_start(task, &rule.how->start_cycles),
                               .memory = memory}; /* a matrix by a vector is all memory */
        time.padded_macs = product_of(shape->m, shape->n, shape->k);
        time.compute = tacho_gpu_over(tacho_ceil_div(time.padded_macs, task->cores), rule.rate);
        time.cycles = tacho_cycles_add(time.start, tacho_most(memory, time.compute));
        return time;
    }
    return fastest(task, &rule, shape, memory);
}

tacho_gpu_time tacho_gpu_product_time(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    tacho_gpu_shape shape = {work->batch, work->m, work->n,
                             tacho_size_multiply(work->k_channels, work->k_window)};
    tacho_gpu_time time = matrices(task, &shape, tacho_gpu_bytes(work));
    for (uint64_t i = 0; i < work->kernel.copies; i++) {
        uint64_t bytes = i == 0 ? work->input.bytes : work->weights.bytes;
        tacho_gpu_then(&time, tacho_gpu_kernel(task, TACHO_FORM_STRIDED,
                                               bytes / task->element_bytes, 0, 2 * bytes));
    }
    return time;
}

/* ---- convolutions -------------------------------------------------------------------------- */

enum { CHANNELS_MIN_HALF = 8, CHANNELS_MIN = 4 };

/* Positions of a tile, and results for which there are kernels of their own. */
enum { POSITION_ROWS = 128, POSITION_COLUMNS_MIN = 32, POSITION_COLUMNS_MAX = 128 };

/* With few channels each place of the window is a step of its own, whatever its depth. */
static tacho_gpu_time position_time(const tacho_gpu_task *task, const tacho_gpu_shape *shape,
                                    int64_t memory)
{
    const tacho_gpu *gpu = task->gpu;
    bool is_half = is_tensor(task);
    gpu_tile tile = {POSITION_ROWS, POSITION_COLUMNS_MIN};
    while (tile.columns < shape->n && tile.columns < POSITION_COLUMNS_MAX) {
        tile.columns *= 2;
    }
    tacho_gpu_time time = {.kernels = 1, .blocks = tiles_of(shape, tile), .memory = memory};
    const tacho_quantity *each = is_half ? &gpu->position_cycles : &gpu->position_wide_cycles;
    const tacho_quantity *rate =
        is_half ? &gpu->position_macs_per_cycle : &gpu->position_wide_macs_per_cycle;
    uint64_t steps =
        tacho_size_multiply(tacho_ceil_div(time.blocks, task->cores), task->work->k_window);
    time.compute =
        tacho_cycles_add(tacho_gpu_times(steps, each),
                         tacho_gpu_over(product_of(steps, tile.rows, tile.columns), rate->value));
    time.padded_macs = product_of(product_of(time.blocks, tile.rows, tile.columns), shape->k, 1);
    time.start = tacho_gpu_start(task, is_half ? &gpu->tensor_window.start_cycles
                                               : &gpu->vector_window.start_cycles);
    time.cycles = tacho_cycles_add(time.start, overlapped(task, time.compute, memory));
    return time;
}

/* Moves channels to the last place and back, unless data has the kernel's layout already. */
static void convert(const tacho_gpu_task *task, bool has_weights, tacho_gpu_time *time)
{
    const tacho_work *work = task->work;
    const struct {
        tacho_form form;
        uint64_t bytes;
    } tensors[] = {
        {TACHO_FORM_CONVERT, work->input.bytes},
        {TACHO_FORM_CONVERT, work->output.bytes},
        {TACHO_FORM_CONVERT_WEIGHTS, has_weights ? work->weights.bytes : 0},
    };
    for (size_t i = 0; i < sizeof(tensors) / sizeof(tensors[0]); i++) {
        tacho_gpu_then(time, tacho_gpu_kernel(task, tensors[i].form,
                                              tensors[i].bytes / task->element_bytes, 0,
                                              2 * tensors[i].bytes));
    }
}

enum { MACS_OF_INPUT = 4 }; /* time of reading a number, as a part of multiplying it */

static tacho_gpu_time depthwise_time(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    bool is_half = task->element_bytes <= 2;
    bool is_last = work->kernel.is_alone;
    tacho_form form = is_half ? is_last ? TACHO_FORM_DEPTHWISE_HALF_LAST : TACHO_FORM_DEPTHWISE_HALF
                      : is_last ? TACHO_FORM_DEPTHWISE_LAST
                                : TACHO_FORM_DEPTHWISE;
    uint64_t results = product_of(work->batch, work->m, work->n);
    uint64_t macs = tacho_size_multiply(results, work->k_window);
    uint64_t read = tacho_size_multiply(work->input.bytes / task->element_bytes, MACS_OF_INPUT);
    tacho_gpu_time time =
        tacho_gpu_kernel(task, form, tacho_size_add(macs, read), results, tacho_gpu_bytes(work));
    time.padded_macs = macs;
    return time;
}

/* Data that windows touch: with strides wider than the window, not all of it. */
static uint64_t touched_bytes(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    uint64_t windows = product_of(product_of(work->batch, work->m, work->k_channels),
                                  work->k_window, task->element_bytes);
    uint64_t input = windows < work->input.bytes ? windows : work->input.bytes;
    return input + work->weights.bytes + work->output.bytes;
}

enum { IMAGES_MANY = 8 };

/* Channels padded for tensor cores, by a kernel of its own, then a convolution of those. */
static tacho_gpu_time padded_convolution(const tacho_gpu_task *task, tacho_gpu_shape shape,
                                         int64_t memory)
{
    const tacho_work *work = task->work;
    const tacho_gpu_product *how = &task->gpu->tensor_window;
    gpu_rule rule = {.how = how, TILES(window_tiles), .rate = tacho_gpu_rate(task, how)};
    shape.k = tacho_size_multiply(CHANNELS_MIN_HALF, work->k_window);
    tacho_gpu_time time = fastest(task, &rule, &shape, memory);
    uint64_t positions = work->input.bytes / task->element_bytes / work->k_channels;
    uint64_t moved = tacho_size_multiply(positions, CHANNELS_MIN_HALF + work->k_channels);
    tacho_gpu_then(&time, tacho_gpu_kernel(task, TACHO_FORM_CONVERT, moved, 0,
                                           tacho_size_multiply(moved, task->element_bytes)));
    return time;
}

/*
 * Few images go through the kernel for few channels; with many, overlapping windows are faster with
 * padded channels. The library changes somewhere between 4 images and 32: until the second takes
 * longer, time stays at that of the first for eight.
 */
static tacho_gpu_time few_channels(const tacho_gpu_task *task, tacho_gpu_shape shape,
                                   int64_t memory)
{
    const tacho_work *work = task->work;
    uint64_t images = work->kernel.plane > 0 ? work->m / work->kernel.plane : 1;
    tacho_gpu_time direct = position_time(task, &shape, memory);
    if (images <= IMAGES_MANY || work->kernel.stride >= work->k_window) {
        return direct;
    }
    tacho_gpu_shape eight = shape;
    eight.m = tacho_size_multiply(work->kernel.plane, IMAGES_MANY);
    tacho_gpu_time least = position_time(task, &eight, memory);
    tacho_gpu_time padded = padded_convolution(task, shape, memory);
    if (padded.cycles >= direct.cycles) {
        return direct;
    }
    return padded.cycles > least.cycles ? padded : least;
}

enum { CHANNELS_FEW = 32, CHANNELS_STEP = 64 };

/*
 * Kernels take 32 or 64 channels of a place at a time, and need some time to find the next place.
 */
static tacho_gpu_time window_time(const tacho_gpu_task *task, tacho_gpu_shape shape, int64_t memory)
{
    const tacho_work *work = task->work;
    const tacho_gpu_product *how = &task->gpu->tensor_window;
    gpu_rule rule = {.how = how, TILES(window_tiles), .rate = tacho_gpu_rate(task, how)};
    if (work->batch > 1 || work->k_window == 1) {
        return fastest(task, &rule, &shape, memory);
    }
    uint64_t step = work->k_channels <= CHANNELS_FEW ? CHANNELS_FEW : CHANNELS_STEP;
    uint64_t channels = tacho_size_multiply(tacho_ceil_div(work->k_channels, step), step);
    uint64_t all = tacho_size_add(channels, (uint64_t)tacho_quantity_whole(&how->place_channels));
    shape.k = tacho_size_multiply(work->k_window, all);
    tacho_gpu_time time = fastest(task, &rule, &shape, memory);
    time.padded_macs = tacho_size_multiply(time.padded_macs / all, channels);
    return time;
}

static tacho_gpu_time half_convolution(const tacho_gpu_task *task, tacho_gpu_shape shape)
{
    const tacho_work *work = task->work;
    const tacho_work_kernel *kernel = &work->kernel;
    int64_t memory = tacho_gpu_operands(task, touched_bytes(task));
    bool is_pointwise = work->k_window == 1 && kernel->stride <= 1 && work->batch == 1;
    if (is_pointwise && (kernel->is_alone || kernel->plane % CHANNELS_MIN_HALF == 0) &&
        work->k_channels % CHANNELS_MIN_HALF == 0) {
        return matrices(task, &shape, tacho_gpu_bytes(work));
    }
    bool has_few = work->k_channels < CHANNELS_MIN_HALF && work->batch == 1;
    tacho_gpu_time time =
        has_few ? few_channels(task, shape, memory) : window_time(task, shape, memory);
    if (!kernel->is_alone) {
        convert(task, work->k_window > 1, &time);
    }
    return time;
}

enum { GROUP_SIDE = 32 };

/* A kernel for each group: few results to a tile of 32 x 32, and nothing hides its waits. */
static tacho_gpu_time group_time(const tacho_gpu_task *task, const tacho_gpu_shape *shape,
                                 int64_t memory)
{
    static const gpu_tile tile = {GROUP_SIDE, GROUP_SIDE};
    tacho_gpu_time time = {.kernels = 1, .blocks = tiles_of(shape, tile), .memory = memory};
    uint64_t waves = tacho_ceil_div(time.blocks, task->cores);
    time.compute =
        tacho_gpu_times(tacho_size_multiply(waves, shape->k), &task->gpu->group_step_cycles);
    time.padded_macs = product_of(time.blocks, (uint64_t)tile.rows * tile.columns, shape->k);
    time.start = tacho_gpu_start(task, &task->gpu->vector_window.start_cycles);
    time.cycles = tacho_cycles_add(time.start, overlapped(task, time.compute, memory));
    return time;
}

/* Kernels of 32 bits need channels first, except with few channels; each group has one. */
static tacho_gpu_time wide_convolution(const tacho_gpu_task *task, tacho_gpu_shape shape)
{
    const tacho_work *work = task->work;
    const tacho_gpu_product *how = &task->gpu->vector_window;
    int64_t memory = tacho_gpu_operands(task, touched_bytes(task));
    if (work->k_channels < CHANNELS_MIN && work->batch == 1) {
        return position_time(task, &shape, memory);
    }
    gpu_rule rule = {.how = how, TILES(vector_tiles), .rate = tacho_gpu_rate(task, how)};
    shape.batch = 1;
    int64_t each = memory / (int64_t)work->batch;
    bool is_group = work->batch > 1 && shape.n <= GROUP_SIDE &&
                    tacho_quantity_is_set(&task->gpu->group_step_cycles);
    tacho_gpu_time time =
        is_group ? group_time(task, &shape, each) : fastest(task, &rule, &shape, each);
    tacho_gpu_repeat(&time, work->batch);
    if (work->kernel.is_alone) {
        convert(task, work->k_window > 1, &time);
    }
    return time;
}

tacho_gpu_time tacho_gpu_convolution_time(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    bool is_half = is_tensor(task);
    tacho_gpu_shape shape = {work->batch, work->m, work->n,
                             tacho_size_multiply(work->k_channels, work->k_window)};
    tacho_gpu_time time = work->batch > 1 && work->k_channels == 1 ? depthwise_time(task)
                          : is_half                                ? half_convolution(task, shape)
                                                                   : wide_convolution(task, shape);
    uint64_t results = product_of(work->batch, work->m, work->n);
    uint64_t lines = work->kernel.plane > 0 ? results / work->kernel.plane : 0;
    if (work->kernel.has_affine) {
        bool is_small = task->element_bytes <= 2;
        tacho_gpu_then(&time,
                       tacho_gpu_kernel(task, is_small ? TACHO_FORM_AFFINE_HALF : TACHO_FORM_AFFINE,
                                        results, lines, 2 * work->output.bytes));
    } else if (work->kernel.has_bias) {
        tacho_gpu_then(
            &time, tacho_gpu_kernel(task, TACHO_FORM_STRIDED, results, 0, 2 * work->output.bytes));
    }
    return time;
}
