/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The general case: products are cut by batch, rows and columns, other work by elements. Each
 * core reads the rows and columns its block needs; where the network multicasts, the shared memory
 * gives each byte once. Operands that do not fit local memory are read again for each part of the
 * block that does.
 */
#include "compile/op_split.h"

#include "base/index.h"
#include "base/maths.h"

/* A cost that is too large; every sum with it stays one. */
static const int64_t TOO_MANY = INT64_MAX;

typedef struct split {
    const tacho_machine *machine;
    const tacho_engine *engine; /* NULL: nothing is computed */
    const tacho_work *work;
    tacho_dtype dtype;
    uint32_t fidelity;
    tacho_ratio shared_rate;
    tacho_ratio in_rate, out_rate; /* of one core; {0, 1}: no queue of its own */
    int64_t in_start, out_start;
    uint64_t local_bytes;
} split;

/* One way to cut. */
typedef struct cut {
    uint64_t batch, rows, columns; /* numbers of parts; their product is the number of cores */
} cut;

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? TOO_MANY : sum;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t cycles_at(uint64_t bytes, tacho_ratio rate)
{
    int64_t cycles;
    if (rate.num == 0 || bytes == 0) {
        return 0;
    }
    return tacho_ratio_ceil_divide(bytes, rate, &cycles) ? cycles : TOO_MANY;
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
    *out_cycles = TOO_MANY;
    for (size_t i = 0; i < 3; i++) {
        tacho_product part = block;
        part.m = ceil_div(block.m, shares[i][1]);
        part.n = ceil_div(block.n, shares[i][2]);
        int64_t cycles;
        TACHO_TRY(tacho_cost_matrix(s->machine, s->engine, part, &cycles));
        tacho_u128 all = (tacho_u128)(uint64_t)cycles * ceil_div(batch, shares[i][0]);
        if (all < (tacho_u128)*out_cycles) {
            *out_cycles = (int64_t)all;
        }
    }
    return TACHO_OK;
}

/* What is fused behind a product: it follows on a vector engine and overlaps but for its rest. */
static tacho_status fused_cycles(const split *s, uint64_t cores, int64_t *out_cycles)
{
    *out_cycles = 0;
    if (s->work->elements * s->work->steps == 0) {
        return TACHO_OK;
    }
    for (size_t i = 0; i < s->machine->engine_count; i++) {
        const tacho_engine *engine = &s->machine->engines[i];
        if (engine->element_count > 0) {
            uint64_t engines = cores * (uint64_t)tacho_quantity_whole(&engine->count);
            return tacho_cost_vector(engine, ceil_div(s->work->elements, engines), s->work->steps,
                                     s->dtype, out_cycles);
        }
    }
    return TACHO_OK;
}

static tacho_status matrix_compute(const split *s, cut c, tacho_parts *parts)
{
    const tacho_work *work = s->work;
    tacho_product block = {
        .m = ceil_div(work->m, c.rows),
        .n = ceil_div(work->n, c.columns),
        .k = work->k_channels * work->k_window,
        .dtype = s->dtype,
        .fidelity = s->fidelity,
    };
    uint64_t batch = ceil_div(work->batch, c.batch);
    TACHO_TRY(block_cycles(s, batch, block, &parts->compute_cycles));
    int64_t fused;
    TACHO_TRY(fused_cycles(s, parts->cores, &fused));
    parts->compute_cycles = most(parts->compute_cycles, fused);
    tacho_product padded = tacho_cost_pad(s->engine, block);
    tacho_u128 macs = (tacho_u128)padded.m * padded.n;
    macs = macs >> 62 != 0 ? 0 : macs * padded.k;
    macs = macs >> 62 != 0 ? 0 : macs * batch * parts->cores;
    parts->padded_macs = macs >> 63 != 0 ? 0 : (uint64_t)macs;
    return TACHO_OK;
}

/* ---- moving ------------------------------------------------------------------------------ */

/*
 * How often a core reads its rows and its columns when only |room| bytes of them fit: either some
 * columns stay and all rows pass by, or the other way round; what moves less is done.
 */
static void reload(uint64_t rows, uint64_t columns, uint64_t room, uint64_t *row_times,
                   uint64_t *column_times)
{
    *row_times = *column_times = 1;
    if (rows + columns <= room) {
        return;
    }
    uint64_t half = room / 2 > 0 ? room / 2 : 1;
    uint64_t passes_of_rows = ceil_div(columns, half);
    uint64_t passes_of_columns = ceil_div(rows, half);
    tacho_u128 rows_pass = (tacho_u128)rows * passes_of_rows + columns;
    tacho_u128 columns_pass = (tacho_u128)columns * passes_of_columns + rows;
    if (rows_pass <= columns_pass) {
        *row_times = passes_of_rows;
    } else {
        *column_times = passes_of_columns;
    }
}

static uint64_t times(uint64_t bytes, uint64_t factor)
{
    tacho_u128 all = (tacho_u128)bytes * factor;
    return all >> 62 != 0 ? (uint64_t)1 << 62 : (uint64_t)all;
}

typedef struct traffic {
    uint64_t core_in, core_out;         /* of one core */
    uint64_t shared_read, shared_write; /* of the shared memory, all cores */
    uint64_t first_in, last_out;        /* that nothing overlaps with */
} traffic;

static traffic matrix_traffic(const split *s, cut c, uint32_t cores)
{
    const tacho_work *work = s->work;
    bool shares_weights = work->weights.place == TACHO_PLACE_DDR;
    bool shares_input = work->input.place == TACHO_PLACE_DDR;
    bool has_multicast = s->machine->noc.has_multicast;
    uint64_t rows = ceil_div(work->input.bytes, c.batch * c.rows);
    uint64_t columns = ceil_div(work->weights.bytes, c.batch * c.columns);
    uint64_t row_times;
    uint64_t column_times;
    reload(rows, columns, s->local_bytes / 2, &row_times, &column_times);
    traffic t = {0, 0, 0, 0, 0, 0};
    uint64_t row_bytes = times(rows, row_times);
    uint64_t column_bytes = times(columns, column_times);
    t.core_in = row_bytes + column_bytes;
    t.core_out = ceil_div(work->output.bytes, cores);
    if (shares_input) {
        t.shared_read += times(row_bytes, has_multicast ? c.batch * c.rows : cores);
    }
    if (shares_weights) {
        t.shared_read += times(column_bytes, has_multicast ? c.batch * c.columns : cores);
    }
    t.shared_write = work->output.place == TACHO_PLACE_DDR ? work->output.bytes : 0;
    /* The first result needs its rows and its columns; then all goes on at once. */
    uint64_t align_m = (uint64_t)tacho_quantity_or(&s->engine->align_m, 1).num;
    uint64_t align_n = (uint64_t)tacho_quantity_or(&s->engine->align_n, 1).num;
    uint64_t m_tiles = ceil_div(ceil_div(work->m, c.rows), align_m);
    uint64_t n_tiles = ceil_div(ceil_div(work->n, c.columns), align_n);
    uint64_t batches = ceil_div(work->batch, c.batch);
    t.first_in = ceil_div(rows, m_tiles * batches) + ceil_div(columns, n_tiles * batches);
    t.last_out = ceil_div(t.core_out, m_tiles * n_tiles);
    return t;
}

static traffic plain_traffic(const split *s, uint32_t cores)
{
    const tacho_work *work = s->work;
    traffic t = {0, 0, 0, 0, 0, 0};
    t.core_in = ceil_div(work->input.bytes, cores) + ceil_div(work->weights.bytes, cores);
    t.core_out = ceil_div(work->output.bytes, cores);
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
    parts->shared_cycles = shared;
    parts->core_cycles = most(core_in, core_out);
    parts->read_cycles = most(core_in, cycles_at(t->shared_read, s->shared_rate));
    parts->write_cycles = most(core_out, cycles_at(t->shared_write, s->shared_rate));
    parts->launch_cycles = tacho_quantity_whole(&s->machine->launch_cycles);
    if (s->engine != NULL) {
        parts->launch_cycles =
            add(parts->launch_cycles, tacho_quantity_whole(&s->engine->issue_cycles));
    }
    int64_t fill = add(cycles_at(t->first_in, s->in_rate), cycles_at(t->last_out, s->out_rate));
    fill = add(fill, t->core_in > 0 ? s->in_start : 0);
    fill = add(fill, t->core_out > 0 ? s->out_start : 0);
    int64_t body = most(parts->compute_cycles, most(shared, parts->core_cycles));
    parts->cycles = add(add(parts->launch_cycles, fill), body);
}

/* ---- trying ------------------------------------------------------------------------------ */

static tacho_status try_cut(const split *s, cut c, tacho_parts *best)
{
    tacho_parts parts = {.cores = (uint32_t)(c.batch * c.rows * c.columns)};
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
            TACHO_TRY(try_cut(s, (cut){batch, rows, columns}, best));
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
        TACHO_TRY(tacho_cost_vector(s->engine, ceil_div(s->work->elements, engines), s->work->steps,
                                    s->dtype, &parts->compute_cycles));
    }
    traffic t = plain_traffic(s, cores);
    add_up(s, &t, parts);
    return TACHO_OK;
}

tacho_status tacho_op_split_best(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_cost_options *options, const tacho_op_cost *cost,
                                 tacho_parts *out_parts)
{
    split s;
    TACHO_TRY(split_init(&s, machine, work, cost));
    s.fidelity = options->fidelity;
    uint32_t cores = tacho_machine_cores(machine);
    if (options->grid_x > 0 && options->grid_y > 0) {
        uint64_t asked = (uint64_t)options->grid_x * options->grid_y;
        cores = asked < cores ? (uint32_t)asked : cores;
    }
    *out_parts = (tacho_parts){.cores = 0};
    if (work->kind == TACHO_WORK_MATRIX && s.engine != NULL) {
        TACHO_TRY(try_cuts(&s, cores, out_parts));
    } else {
        TACHO_TRY(try_plain(&s, cores, out_parts));
    }
    if (out_parts->cycles == TOO_MANY) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the cycles of an operator do not fit 63 bits");
    }
    return TACHO_OK;
}
