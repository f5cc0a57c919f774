/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The general case: products are cut by batch, rows and columns, other work by elements. Each
 * core reads the rows and columns its block needs; where the network multicasts, the shared memory
 * gives each byte once. Operands that do not fit local memory are read again for each part of the
 * block that does.
 */
#include "compile/op_split.h"

#include "compile/op_image.h"

#include "base/index.h"
#include "base/maths.h"

/*
 * The compiler's own choice: shapes of blocks are tried up to so many tiles high, which is how long
 * the search may take.
 */
enum { RESULTS_MAX = 1024 };

typedef struct split {
    const tacho_machine *machine;
    const tacho_engine *engine; /* NULL: nothing is computed */
    const tacho_work *work;
    tacho_dtype dtype;
    uint32_t fidelity;
    tacho_ratio shared_rate;
    tacho_ratio in_rate, out_rate; /* of one core; {0, 1}: without a queue */
    int64_t in_start, out_start;
    uint64_t local_bytes;
} split;

static uint64_t align_of(const tacho_quantity *align)
{
    return (uint64_t)tacho_quantity_or(align, 1).num;
}

static int64_t cycles_at(uint64_t bytes, tacho_ratio rate)
{
    int64_t cycles;
    if (rate.num == 0 || bytes == 0) {
        return 0;
    }
    return tacho_ratio_ceil_divide(bytes, rate, &cycles) ? cycles : INT64_MAX;
}

static tacho_status split_init(split *s, const tacho_machine *machine, const tacho_work *work,
                               const tacho_op_cost *cost)
{
    *s = (split){.machine = machine, .work = work, .dtype = cost->compute};
    s->engine = cost->engine == TACHO_NONE ? NULL : &machine->engines[cost->engine];
    s->in_rate = s->out_rate = (tacho_ratio){0, 1};
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    TACHO_TRY(tacho_cost_memory_rate(ddr, &s->shared_rate));
    s->local_bytes = (uint64_t)tacho_quantity_whole(&local->size_bytes);
    int64_t latency = tacho_quantity_whole(&ddr->latency_cycles);
    const tacho_dma *in = tacho_machine_dma(machine, TACHO_ENGINE_DMA_IN);
    const tacho_dma *out = tacho_machine_dma(machine, TACHO_ENGINE_DMA_OUT);
    if (in != NULL) {
        TACHO_TRY(tacho_cost_dma_rate(in, &s->in_rate));
        s->in_start = tacho_quantity_whole(&in->start_up_cycles) + latency;
    }
    if (out != NULL) {
        TACHO_TRY(tacho_cost_dma_rate(out, &s->out_rate));
        s->out_start = tacho_quantity_whole(&out->start_up_cycles) + latency;
    }
    return TACHO_OK;
}

/* ---- computing --------------------------------------------------------------------------- */

/* Products of one core's block: its engines share the batch, the columns or the rows. */
static tacho_status block_cycles(const split *s, uint64_t batch, tacho_product block,
                                 int64_t *out_cycles)
{
    uint64_t engines = (uint64_t)tacho_quantity_whole(&s->engine->count);
    const uint64_t shares[3][3] = {{engines, 1, 1}, {1, engines, 1}, {1, 1, engines}};
    *out_cycles = INT64_MAX;
    for (size_t i = 0; i < 3; i++) {
        tacho_product part = block;
        part.m = tacho_ceil_div(block.m, shares[i][1]);
        part.n = tacho_ceil_div(block.n, shares[i][2]);
        int64_t cycles;
        TACHO_TRY(tacho_cost_matrix(s->machine, s->engine, part, &cycles));
        tacho_u128 all = (tacho_u128)(uint64_t)cycles * tacho_ceil_div(batch, shares[i][0]);
        if (all < (tacho_u128)*out_cycles) {
            *out_cycles = (int64_t)all;
        }
    }
    return TACHO_OK;
}

tacho_status tacho_op_fused_cycles(const tacho_machine *machine, uint64_t elements, uint64_t steps,
                                   tacho_dtype dtype, int64_t *out_cycles)
{
    *out_cycles = 0;
    const tacho_engine *found = NULL;
    for (size_t i = 0; i < machine->engine_count && found == NULL; i++) {
        const tacho_engine *engine = &machine->engines[i];
        found = tacho_cost_element_rate(engine, dtype) != NULL ? engine : NULL;
    }
    for (size_t i = 0; i < machine->engine_count && found == NULL; i++) {
        found = machine->engines[i].element_count > 0 ? &machine->engines[i] : NULL;
    }
    if (found == NULL || elements == 0 || steps == 0) {
        return TACHO_OK;
    }
    uint64_t engines = (uint64_t)tacho_quantity_whole(&found->count);
    return tacho_cost_vector(found, tacho_ceil_div(elements, engines), steps, dtype, out_cycles);
}

/*
 * Cycles between the blocks of a product that are loaded together: half of the accumulators hold
 * its results, half of local memory its operands.
 */
static int64_t between_blocks(const split *s, uint64_t batch, tacho_product p)
{
    const tacho_engine *engine = s->engine;
    if (!tacho_quantity_is_set(&engine->block_overhead_cycles) ||
        !tacho_quantity_is_set(&engine->accumulator_bytes)) {
        return 0;
    }
    uint64_t align[3] = {align_of(&engine->align_m), align_of(&engine->align_n),
                         align_of(&engine->align_k)};
    uint64_t tile_bytes;
    if (!tacho_dtype_bytes(p.dtype, align[0] * align[2], &tile_bytes) || tile_bytes == 0) {
        return 0;
    }
    uint64_t mt = tacho_ceil_div(p.m, align[0]);
    uint64_t nt = tacho_ceil_div(p.n, align[1]);
    uint64_t kt = tacho_ceil_div(p.k, align[2]);
    uint64_t results = (uint64_t)tacho_quantity_whole(&engine->accumulator_bytes) / 2 /
                       (align[0] * align[1] * (uint64_t)tacho_quantity_whole(&engine->sum_bytes));
    uint64_t operands = s->local_bytes / 2 / tile_bytes;
    tacho_u128 fewest = (tacho_u128)mt * nt * kt;
    for (uint64_t h = 1; h <= results && h <= RESULTS_MAX; h++) {
        uint64_t w = results / h;
        uint64_t depth = operands / (h + w) > 0 ? operands / (h + w) : 1;
        tacho_u128 blocks =
            (tacho_u128)tacho_ceil_div(mt, h) * tacho_ceil_div(nt, w) * tacho_ceil_div(kt, depth);
        fewest = blocks < fewest ? blocks : fewest;
    }
    int64_t cycles;
    fewest *= batch;
    return fewest >> 63 == 0 && tacho_ratio_ceil_multiply(
                                    (uint64_t)fewest, engine->block_overhead_cycles.value, &cycles)
               ? cycles
               : INT64_MAX;
}

static tacho_status matrix_compute(const split *s, tacho_cut c, tacho_parts *parts)
{
    const tacho_work *work = s->work;
    tacho_product block = {
        .m = tacho_ceil_div(work->m, c.rows),
        .n = tacho_ceil_div(work->n, c.columns),
        .k = work->k_channels * work->k_window,
        .dtype = s->dtype,
        .fidelity = s->fidelity,
    };
    uint64_t batch = tacho_ceil_div(work->batch, c.batch);
    bool is_image = tacho_op_image_has(s->machine, s->engine, work);
    if (is_image) {
        parts->compute_cycles = tacho_op_image_cycles(s->machine, s->engine, work, s->dtype);
    } else {
        TACHO_TRY(block_cycles(s, batch, block, &parts->compute_cycles));
    }
    int64_t fused;
    /* It follows on a vector engine and overlaps: the longer of the two counts. */
    TACHO_TRY(tacho_op_fused_cycles(s->machine, tacho_ceil_div(work->elements, parts->cores),
                                    work->steps, s->dtype, &fused));
    parts->compute_cycles = tacho_most(parts->compute_cycles, fused);
    if (!is_image) {
        parts->compute_cycles =
            tacho_cycles_add(parts->compute_cycles, between_blocks(s, batch, block));
    }
    tacho_product padded = tacho_cost_pad(s->engine, block);
    tacho_u128 macs = (tacho_u128)padded.m * padded.n;
    macs = macs >> 62 != 0 ? 0 : macs * padded.k;
    macs = macs >> 62 != 0 ? 0 : macs * batch * parts->cores;
    parts->padded_macs = macs >> 63 != 0 ? 0 : (uint64_t)macs;
    return TACHO_OK;
}

/* ---- moving ------------------------------------------------------------------------------ */

/* A core's part of a product. */
typedef struct block {
    uint64_t batch, m, n, k;
    uint64_t rows, columns; /* bytes of its operands */
} block;

/*
 * How often a core reads its rows and its columns. Where both fit, once. Else either some columns
 * stay and all rows pass by, or the other way round, or results stay while all of k passes by: in
 * parts of the result that half of the accumulators (or of a quarter of local memory) hold. The
 * choice that moves least is taken.
 */
static void reload(const split *s, const block *b, uint64_t *row_times, uint64_t *column_times)
{
    uint64_t room = s->local_bytes / 2;
    *row_times = *column_times = 1;
    if (b->rows + b->columns <= room) {
        return;
    }
    uint64_t half = room / 2 > 0 ? room / 2 : 1;
    uint64_t held =
        (uint64_t)tacho_quantity_or(&s->engine->accumulator_bytes, (int64_t)(s->local_bytes / 2))
            .num;
    uint64_t area =
        held / 2 / (uint64_t)tacho_quantity_or(&s->engine->sum_bytes, TACHO_SUM_BYTES).num;
    /* An operand already there (no bytes) still counts as one pass. */
    uint64_t column_parts = b->columns > half ? tacho_ceil_div(b->columns, half) : 1;
    uint64_t row_parts = b->rows > half ? tacho_ceil_div(b->rows, half) : 1;
    tacho_u128 best = (tacho_u128)b->rows * column_parts + b->columns;
    *row_times = column_parts;
    tacho_u128 other = (tacho_u128)b->columns * row_parts + b->rows;
    if (other < best) {
        best = other;
        *row_times = 1;
        *column_times = row_parts;
    }
    for (uint64_t m = align_of(&s->engine->align_m); m <= area; m *= 2) {
        uint64_t n_times = tacho_ceil_div(b->n, area / m);
        uint64_t m_times = tacho_ceil_div(b->m, m);
        other = (tacho_u128)b->rows * n_times + (tacho_u128)b->columns * m_times;
        if (other < best) {
            best = other;
            *row_times = n_times;
            *column_times = m_times;
        }
    }
}

/* Bytes moved that often; sums of a few of them still fit. */
static uint64_t times(uint64_t bytes, uint64_t factor)
{
    return tacho_least(tacho_size_multiply(bytes, factor), (uint64_t)1 << 60);
}

typedef struct traffic {
    uint64_t core_in, core_out;         /* of one core */
    uint64_t local_in, local_out;       /* the part of these outside shared memory */
    uint64_t shared_read, shared_write; /* of the shared memory, all cores */
    uint64_t first_in, last_out;        /* that nothing overlaps with */
} traffic;

static traffic matrix_traffic(const split *s, tacho_cut c, uint32_t cores)
{
    const tacho_work *work = s->work;
    bool shares_weights = work->weights.place == TACHO_PLACE_DDR;
    bool shares_input = work->input.place == TACHO_PLACE_DDR;
    bool has_multicast = s->machine->noc.has_multicast;
    uint64_t extra_in = tacho_least(work->input_extra_bytes, work->input.bytes);
    uint64_t extra_weights = tacho_least(work->weights_extra_bytes, work->weights.bytes);
    block b = {
        .batch = tacho_ceil_div(work->batch, c.batch),
        .m = tacho_ceil_div(work->m, c.rows),
        .n = tacho_ceil_div(work->n, c.columns),
        .k = work->k_channels * work->k_window,
        .rows = tacho_ceil_div(work->input.bytes - extra_in, c.batch * c.rows),
        .columns = tacho_ceil_div(work->weights.bytes - extra_weights, c.batch * c.columns),
    };
    uint64_t row_times;
    uint64_t column_times;
    reload(s, &b, &row_times, &column_times);
    traffic t = {.core_in = 0};
    uint64_t row_bytes = times(b.rows, row_times);
    uint64_t column_bytes = times(b.columns, column_times);
    /* Fused steps read their own operands once, each core those of its results. */
    uint64_t from_input = row_bytes + tacho_ceil_div(extra_in, cores);
    uint64_t from_weights = column_bytes + tacho_ceil_div(extra_weights, cores);
    t.core_in = from_input + from_weights;
    t.core_out = tacho_ceil_div(work->output.bytes, cores);
    t.local_in = (shares_input ? 0 : from_input) + (shares_weights ? 0 : from_weights);
    t.local_out = work->output.place == TACHO_PLACE_DDR ? 0 : t.core_out;
    if (shares_input) {
        t.shared_read += times(row_bytes, has_multicast ? c.batch * c.rows : cores) + extra_in;
    }
    if (shares_weights) {
        t.shared_read +=
            times(column_bytes, has_multicast ? c.batch * c.columns : cores) + extra_weights;
    }
    t.shared_write = work->output.place == TACHO_PLACE_DDR ? work->output.bytes : 0;
    /* Work begins with the first tiles of both and ends with the last one of the result. */
    uint64_t m_tiles = tacho_ceil_div(b.m, align_of(&s->engine->align_m)) * b.batch;
    uint64_t n_tiles = tacho_ceil_div(b.n, align_of(&s->engine->align_n)) * b.batch;
    uint64_t k_tiles = tacho_ceil_div(b.k, align_of(&s->engine->align_k));
    t.first_in =
        tacho_ceil_div(b.rows, m_tiles * k_tiles) + tacho_ceil_div(b.columns, n_tiles * k_tiles);
    t.last_out =
        tacho_ceil_div(t.core_out, m_tiles * tacho_ceil_div(b.n, align_of(&s->engine->align_n)));
    return t;
}

static traffic plain_traffic(const split *s, uint32_t cores)
{
    const tacho_work *work = s->work;
    traffic t = {.core_in = 0};
    uint64_t from_input = tacho_ceil_div(work->input.bytes, cores);
    uint64_t from_weights = tacho_ceil_div(work->weights.bytes, cores);
    t.core_in = from_input + from_weights;
    t.core_out = tacho_ceil_div(work->output.bytes, cores);
    t.local_in = (work->input.place == TACHO_PLACE_DDR ? 0 : from_input) +
                 (work->weights.place == TACHO_PLACE_DDR ? 0 : from_weights);
    t.local_out = work->output.place == TACHO_PLACE_DDR ? 0 : t.core_out;
    t.shared_read = (work->input.place == TACHO_PLACE_DDR ? work->input.bytes : 0) +
                    (work->weights.place == TACHO_PLACE_DDR ? work->weights.bytes : 0);
    t.shared_write = work->output.place == TACHO_PLACE_DDR ? work->output.bytes : 0;
    return t;
}

static void add_up(const split *s, const traffic *t, tacho_parts *parts)
{
    int64_t core_in = cycles_at(t->core_in, s->in_rate);
    int64_t core_out = cycles_at(t->core_out, s->out_rate);
    int64_t shared = cycles_at(t->shared_read + t->shared_write, s->shared_rate);
    parts->read_cycles = tacho_most(core_in, cycles_at(t->shared_read, s->shared_rate));
    parts->write_cycles = tacho_most(core_out, cycles_at(t->shared_write, s->shared_rate));
    parts->launch_cycles = tacho_quantity_whole(&s->machine->launch_cycles);
    if (s->engine != NULL) {
        parts->launch_cycles =
            tacho_cycles_add(parts->launch_cycles, tacho_quantity_whole(&s->engine->issue_cycles));
    }
    int64_t fill =
        tacho_cycles_add(cycles_at(t->first_in, s->in_rate), cycles_at(t->last_out, s->out_rate));
    fill = tacho_cycles_add(fill, t->core_in > 0 ? s->in_start : 0);
    fill = tacho_cycles_add(fill, t->core_out > 0 ? s->out_start : 0);
    int64_t to_memory = tacho_most(cycles_at(t->core_in - t->local_in, s->in_rate),
                                   cycles_at(t->core_out - t->local_out, s->out_rate));
    parts->memory_cycles = tacho_most(shared, to_memory);
    parts->local_cycles =
        tacho_most(cycles_at(t->local_in, s->in_rate), cycles_at(t->local_out, s->out_rate));
    bool is_of_memory = parts->memory_cycles >= parts->local_cycles;
    int64_t *of_fill = is_of_memory ? &parts->memory_cycles : &parts->local_cycles;
    *of_fill = tacho_most(*of_fill, fill);
    int64_t body =
        tacho_most(parts->compute_cycles, tacho_most(shared, tacho_most(core_in, core_out)));
    parts->cycles = tacho_cycles_add(tacho_cycles_add(parts->launch_cycles, fill), body);
}

/* ---- trying ------------------------------------------------------------------------------ */

static tacho_status try_cut(const split *s, tacho_cut c, tacho_parts *best)
{
    tacho_parts parts = {.cores = (uint32_t)(c.batch * c.rows * c.columns), .cut = c};
    TACHO_TRY(matrix_compute(s, c, &parts));
    traffic t = matrix_traffic(s, c, parts.cores);
    add_up(s, &t, &parts);
    parts.engines = parts.cores * (uint32_t)tacho_quantity_whole(&s->engine->count);
    if (best->cores == 0 || parts.cycles < best->cycles ||
        (parts.cycles == best->cycles && parts.cores < best->cores)) {
        *best = parts;
    }
    return TACHO_OK;
}

static tacho_status try_cuts(const split *s, uint64_t cores, tacho_parts *best)
{
    const tacho_work *work = s->work;
    uint64_t batch_max = work->batch < cores ? work->batch : cores;
    for (uint64_t batch = 1; batch <= batch_max;) {
        for (uint64_t rows = 1; rows * batch <= cores && rows <= work->m; rows++) {
            uint64_t columns = cores / (batch * rows);
            columns = columns < work->n ? columns : work->n;
            TACHO_TRY(try_cut(s, (tacho_cut){batch, rows, columns}, best));
        }
        /* Powers of two, and last of all as many as there are. */
        batch = batch < batch_max && batch * 2 > batch_max ? batch_max : batch * 2;
    }
    return TACHO_OK;
}

static tacho_status try_plain(const split *s, uint32_t cores, tacho_parts *parts)
{
    parts->cores = cores;
    if (s->engine != NULL) {
        uint64_t engines = cores * (uint64_t)tacho_quantity_whole(&s->engine->count);
        parts->engines = (uint32_t)engines;
        TACHO_TRY(tacho_cost_vector(s->engine, tacho_ceil_div(s->work->elements, engines),
                                    s->work->steps, s->dtype, &parts->compute_cycles));
    }
    traffic t = plain_traffic(s, cores);
    add_up(s, &t, parts);
    return TACHO_OK;
}

/*
 * The part of the work's operands that has to be moved first: on a single core, and where each core
 * works on its own elements, operands in local memory are in place already. Elsewhere they are
 * moved from other cores, or from another place in the same memory.
 */
static tacho_work moved_work(const tacho_work *work, uint32_t cores)
{
    tacho_work moved = *work;
    bool stays = work->kind == TACHO_WORK_VECTOR || (work->kind == TACHO_WORK_MATRIX && cores == 1);
    tacho_operand *const operands[] = {&moved.input, &moved.weights, &moved.output};
    for (size_t i = 0; i < 3 && stays; i++) {
        operands[i]->bytes = operands[i]->place == TACHO_PLACE_LOCAL ? 0 : operands[i]->bytes;
    }
    return moved;
}

tacho_status tacho_op_split_best(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_cost_options *options, const tacho_op_cost *cost,
                                 tacho_parts *out_parts)
{
    uint32_t cores = tacho_machine_cores(machine);
    if (options->grid_x > 0 && options->grid_y > 0) {
        uint64_t asked = (uint64_t)options->grid_x * options->grid_y;
        cores = asked < cores ? (uint32_t)asked : cores;
    }
    split s;
    tacho_work moved = moved_work(work, cores);
    TACHO_TRY(split_init(&s, machine, &moved, cost));
    s.fidelity = options->fidelity;
    *out_parts = (tacho_parts){.cores = 0};
    if (work->kind == TACHO_WORK_MATRIX && s.engine != NULL) {
        TACHO_TRY(try_cuts(&s, cores, out_parts));
    } else {
        TACHO_TRY(try_plain(&s, cores, out_parts));
    }
    if (out_parts->cycles == INT64_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the cycles of an operator do not fit 63 bits");
    }
    return TACHO_OK;
}
