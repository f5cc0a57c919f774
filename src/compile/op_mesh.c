/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products on a mesh. Each core owns a block of result tiles and walks along k; at each step one
 * core of a row fetches tiles of the first operand and casts them to its row, one core of a column
 * does so with the second operand, and all multiply the tiles of the step before:
 *
 *     cycles = launch + blocks * (first fetch + (steps - 1) * max(compute, fetch)
 *                                 + max(compute, fetch for fused steps) + fused + out)
 *
 * A fetch costs a request per tile, the path from shared memory and the path to the others, one
 * after the other. Multiplying is bound by the array or by feeding tiles to it: a subblock of h x
 * w results needs h + w tiles for h * w products. Results of a single block leave while the last
 * step is computed; between blocks they hold up the core that would fetch.
 *
 * Which blocks are taken is the vendor's own choice: steps of k / columns, the whole block of a
 * core where it fits its buffers, halves of it where it does not; results that are narrow, or that
 * one row of cores could hold, are cast one way only. "Tuned" is how experts choose: shorter steps
 * rather than smaller blocks.
 *
 * Numbers of the machine and of the vendor's library are in the machine file. Those in this file
 * are choices of the search.
 */
#include "compile/op_mesh.h"

#include "base/index.h"
#include "base/maths.h"

/*
 * The compiler's own choices, after those of the vendor's library; none is a number of a machine.
 * Steps of STEP_TILES are where the search turns from shorter steps to smaller blocks: with it a
 * square block of 64 tiles of 2 KiB and its operands, twice, take 1.1 MiB, so that |buffer_bytes|
 * still decides.
 */
enum {
    STEP_TILES = 16,
    ONE_WAY_STEP_TILES = 2, /* of k, where operands are cast one way and k is even */
    BATCH_STEP_TILES = 4,   /* where whole products of a batch are spread; nothing is published */
    LOCAL_STEP_PARTS = 8,   /* parts of a step tried before the block is cut: results stay ... */
    TUNED_STEP_PARTS = 2,   /* ... or an expert chose ... */
    USUAL_STEP_PARTS = 1,   /* ... or neither */
    SQUARE_MAX = 31,        /* sides of a subblock further apart than this are all the same */
};

typedef enum cast_kind {
    CAST_BOTH,   /* rows of cores share in0, columns in1 */
    CAST_FIRST,  /* all share in0, each core has columns of its own */
    CAST_SECOND, /* all share in1, each core has rows of its own */
    CAST_NONE,   /* whole products of a batch, each core on its own */
} cast_kind;

/* Of one core, in tiles. */
typedef struct plan {
    cast_kind cast;
    uint64_t h, w;           /* a block of results */
    uint64_t blocks;         /* of a core, one after the other */
    uint64_t again0, again1; /* how often in0 and in1 are read, block after block */
    uint64_t k_step, steps;  /* tiles along k at a time; how often */
    uint64_t sub_h, sub_w;   /* results that the engine sums at a time */
    uint64_t cores;          /* that take part */
    uint64_t rows, columns;  /* of cores that fetch in0, in1 */
} plan;

typedef struct mesh {
    const tacho_machine *machine;
    const tacho_engine *engine;
    const tacho_work *work;
    tacho_dtype dtype; /* that is computed in */
    bool is_tuned;
    uint64_t grid_x, grid_y;
    uint64_t mt, nt, kt;     /* of the whole product */
    uint64_t tile_elements;  /* of a result */
    uint64_t tile_bytes;     /* of an operand or result */
    uint64_t partial_bytes;  /* of a tile of partial sums; 0 when the results hold them */
    uint64_t product_cycles; /* of one tile by one tile on the array */
    uint64_t result_tiles;
    uint64_t buffer_bytes;
    tacho_ratio shared_rate, write_rate;
    tacho_ratio in_rate, out_rate; /* of a core's queues */
} mesh;

bool tacho_op_mesh_has(const tacho_machine *machine)
{
    return tacho_quantity_is_set(&machine->mesh.buffer_bytes);
}

static tacho_status mesh_init(mesh *s, const tacho_machine *machine, const tacho_work *work,
                              const tacho_cost_options *options, const tacho_op_cost *cost)
{
    const tacho_engine *engine = &machine->engines[cost->engine];
    uint64_t align_m = (uint64_t)tacho_quantity_whole(&engine->align_m);
    uint64_t align_n = (uint64_t)tacho_quantity_whole(&engine->align_n);
    uint64_t align_k = (uint64_t)tacho_quantity_whole(&engine->align_k);
    *s = (mesh){.machine = machine, .engine = engine, .work = work, .is_tuned = options->is_tuned};
    s->grid_x = (uint64_t)tacho_quantity_whole(&machine->grid_x);
    s->grid_y = (uint64_t)tacho_quantity_whole(&machine->grid_y);
    if (options->grid_x > 0 && options->grid_y > 0) {
        s->grid_x = tacho_least(s->grid_x, options->grid_x);
        s->grid_y = tacho_least(s->grid_y, options->grid_y);
    }
    s->dtype = cost->compute;
    s->tile_elements = align_m * align_n;
    s->mt = tacho_ceil_div(work->m, align_m);
    s->nt = tacho_ceil_div(work->n, align_n);
    s->kt = tacho_ceil_div(work->k_channels * work->k_window, align_k);
    s->result_tiles = (uint64_t)tacho_quantity_whole(&machine->mesh.result_tiles);
    s->buffer_bytes = (uint64_t)tacho_quantity_whole(&machine->mesh.buffer_bytes);
    uint64_t partial = (uint64_t)tacho_quantity_whole(&machine->mesh.partial_bytes);
    int64_t cycles;
    tacho_product tile = {align_m, align_n, align_k, cost->compute, options->fidelity};
    TACHO_TRY(tacho_cost_matrix(machine, engine, tile, &cycles));
    s->product_cycles = (uint64_t)(cycles - tacho_quantity_whole(&engine->start_up_cycles));
    if (!tacho_dtype_bytes(cost->compute, align_m * align_n, &s->tile_bytes) ||
        s->tile_bytes == 0) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "tiles of %s cannot be multiplied",
                          tacho_dtype_name(cost->compute));
    }
    s->partial_bytes = partial * align_m * align_n;
    s->partial_bytes = s->partial_bytes == s->tile_bytes ? 0 : s->partial_bytes;
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    TACHO_TRY(tacho_cost_memory_rate(ddr, &s->shared_rate));
    TACHO_TRY(tacho_cost_memory_write_rate(ddr, &s->write_rate));
    s->in_rate = s->out_rate = machine->noc.link_bytes_per_cycle.value;
    const tacho_dma *in = tacho_machine_dma(machine, TACHO_ENGINE_DMA_IN);
    const tacho_dma *out = tacho_machine_dma(machine, TACHO_ENGINE_DMA_OUT);
    TACHO_TRY(in != NULL ? tacho_cost_dma_rate(in, &s->in_rate) : TACHO_OK);
    return out != NULL ? tacho_cost_dma_rate(out, &s->out_rate) : TACHO_OK;
}

/* ---- the plan ---------------------------------------------------------------------------- */

/* Whether a block and its operands, twice, fit the buffers. */
static bool fits(const mesh *s, uint64_t h, uint64_t w, uint64_t k_step)
{
    tacho_u128 bytes = (tacho_u128)2 * (h + w) * k_step * s->tile_bytes;
    bytes += (tacho_u128)h * w * (s->tile_bytes + s->partial_bytes);
    if (s->work->input.place == TACHO_PLACE_LOCAL) {
        bytes += (tacho_u128)h * tacho_ceil_div(s->kt, s->grid_x) * s->tile_bytes;
    }
    return bytes <= s->buffer_bytes;
}

/*
 * The vendor's order of preference: near squares of many tiles, higher before wider. The score is
 * that order written as digits: the tiles (the first digit), how near to a square, and which way.
 */
static void choose_subblock(const mesh *s, plan *p)
{
    uint64_t best = 0;
    p->sub_h = p->sub_w = 1;
    for (uint64_t h = 1; h <= tacho_least(p->h, s->result_tiles); h++) {
        for (uint64_t w = 1; w <= tacho_least(p->w, s->result_tiles / h); w++) {
            uint64_t apart = h > w ? h - w : w - h;
            uint64_t near = SQUARE_MAX + 1 - tacho_least(apart, SQUARE_MAX);
            uint64_t score = (h * w * (SQUARE_MAX + 1) + near) * 2 + (h >= w);
            if (p->h % h == 0 && p->w % w == 0 && score > best) {
                best = score;
                p->sub_h = h;
                p->sub_w = w;
            }
        }
    }
}

/* Experts, and blocks that were cut: as wide as can be, and then one row unless it is all wide. */
static void choose_wide_subblock(const mesh *s, plan *p)
{
    uint64_t best = 0;
    for (uint64_t h = 1; h <= tacho_least(p->h, s->result_tiles); h++) {
        for (uint64_t w = 1; w <= tacho_least(p->w, s->result_tiles / h); w++) {
            if (p->h % h == 0 && p->w % w == 0 && h * w > best) {
                best = h * w;
                p->sub_h = h;
                p->sub_w = w;
            }
        }
    }
    if (p->w > p->sub_w) {
        p->sub_h = 1;
    }
}

/* Shorter steps for the whole block, if one of the |most| first halvings fits. */
static bool shorten_steps(const mesh *s, plan *p, uint64_t most)
{
    for (uint64_t parts = 1; parts <= most; parts *= 2) {
        if (p->k_step % parts == 0 && fits(s, p->h, p->w, p->k_step / parts)) {
            p->k_step /= parts;
            return true;
        }
    }
    return false;
}

/* Smaller blocks. Steps are halved first, down to STEP_TILES, then the block. */
static void cut_blocks(const mesh *s, plan *p)
{
    uint64_t h = p->h;
    uint64_t w = p->w;
    while (p->k_step > STEP_TILES) {
        p->k_step = tacho_ceil_div(p->k_step, 2);
    }
    while (!fits(s, p->h, p->w, p->k_step) && p->h * p->w > 1) {
        p->h = tacho_ceil_div(p->h, 2);
        p->w = tacho_ceil_div(p->w, 2);
    }
    while (!fits(s, p->h, p->w, p->k_step) && p->k_step > 1) {
        p->k_step = tacho_ceil_div(p->k_step, 2);
    }
    p->again0 = tacho_ceil_div(w, p->w);
    p->again1 = tacho_ceil_div(h, p->h);
    p->blocks *= p->again0 * p->again1;
}

static void finish_plan(const mesh *s, plan *p)
{
    bool stays = s->is_tuned || s->work->output.place == TACHO_PLACE_LOCAL;
    uint64_t parts = !stays                                       ? USUAL_STEP_PARTS
                     : s->work->output.place == TACHO_PLACE_LOCAL ? LOCAL_STEP_PARTS
                                                                  : TUNED_STEP_PARTS;
    p->again0 = p->again1 = 1;
    bool is_whole = shorten_steps(s, p, parts);
    if (!is_whole) {
        cut_blocks(s, p);
    }
    p->steps = tacho_ceil_div(s->kt, p->k_step);
    if (stays || !is_whole) {
        choose_wide_subblock(s, p);
    } else {
        choose_subblock(s, p);
    }
}

static plan plan_both(const mesh *s)
{
    plan p = {.cast = CAST_BOTH, .blocks = 1};
    p.h = tacho_ceil_div(s->mt, s->grid_y);
    p.w = tacho_ceil_div(s->nt, s->grid_x);
    p.rows = tacho_ceil_div(s->mt, p.h);
    p.columns = tacho_ceil_div(s->nt, p.w);
    p.cores = p.rows * p.columns;
    p.k_step = s->kt % s->grid_x == 0 ? s->kt / s->grid_x : 1;
    finish_plan(s, &p);
    return p;
}

static plan plan_one_way(const mesh *s, cast_kind cast)
{
    plan p = {.cast = cast,
              .blocks = 1,
              .k_step = s->kt % ONE_WAY_STEP_TILES == 0 ? ONE_WAY_STEP_TILES : 1};
    uint64_t cores = s->grid_x * s->grid_y;
    if (cast == CAST_FIRST) {
        p.h = s->mt;
        p.w = tacho_ceil_div(s->nt, cores);
        p.cores = p.columns = tacho_ceil_div(s->nt, p.w);
        p.rows = 1;
    } else {
        p.h = tacho_ceil_div(s->mt, cores);
        p.w = s->nt;
        p.cores = p.rows = tacho_ceil_div(s->mt, p.h);
        p.columns = 1;
    }
    finish_plan(s, &p);
    return p;
}

static plan plan_batch(const mesh *s)
{
    plan p = {
        .cast = CAST_NONE, .h = s->mt, .w = s->nt, .k_step = tacho_least(s->kt, BATCH_STEP_TILES)};
    uint64_t cores = s->grid_x * s->grid_y;
    p.blocks = tacho_ceil_div(s->work->batch, cores);
    p.cores = p.rows = p.columns = tacho_least(s->work->batch, cores);
    finish_plan(s, &p);
    return p;
}

/* Whether the result is so narrow that one cast is enough, and which. */
static cast_kind narrow_cast(const mesh *s)
{
    uint64_t ratio = (uint64_t)tacho_quantity_whole(&s->machine->mesh.narrow_ratio);
    if (s->nt / s->mt > ratio || (s->mt == 1 && s->nt > 1)) {
        return CAST_FIRST;
    }
    if (s->mt / s->nt > ratio || (s->nt == 1 && s->mt > 1)) {
        return CAST_SECOND;
    }
    return CAST_BOTH;
}

/* Whether the vendor casts this product one way, and which. */
static cast_kind vendor_cast(const mesh *s)
{
    uint64_t single = (uint64_t)tacho_quantity_whole(&s->machine->mesh.single_cast_tiles);
    cast_kind narrow = narrow_cast(s);
    if (s->work->input.place == TACHO_PLACE_LOCAL) {
        return CAST_BOTH; /* shards are on the mesh as both casts want them */
    }
    if (narrow != CAST_BOTH || s->is_tuned) {
        return narrow;
    }
    if (s->mt <= single && s->nt > single && tacho_ceil_div(s->nt, single) <= s->grid_x) {
        return CAST_FIRST;
    }
    if (s->nt <= single && s->mt > single && tacho_ceil_div(s->mt, single) <= s->grid_y) {
        return CAST_SECOND;
    }
    return CAST_BOTH;
}

/* ---- its cycles -------------------------------------------------------------------------- */

/* |amount| / |rate| or |amount| * |factor|, saturated: an overflow fails in the end. */
static uint64_t over(tacho_u128 amount, tacho_ratio rate)
{
    int64_t cycles;
    if (amount >> 63 != 0 || !tacho_ratio_ceil_divide((uint64_t)amount, rate, &cycles)) {
        return INT64_MAX;
    }
    return (uint64_t)cycles;
}

static uint64_t by(uint64_t amount, const tacho_quantity *factor)
{
    int64_t cycles;
    if (!tacho_ratio_ceil_multiply(amount, tacho_quantity_or(factor, 0), &cycles)) {
        return INT64_MAX;
    }
    return (uint64_t)cycles;
}

/* Computing one step of a block. */
static tacho_u128 step_compute(const mesh *s, const plan *p)
{
    uint64_t products = p->h * p->w * p->k_step;
    uint64_t subblocks = tacho_ceil_div(p->h, p->sub_h) * tacho_ceil_div(p->w, p->sub_w);
    tacho_u128 array = (tacho_u128)products * s->product_cycles;
    tacho_u128 operand_bytes = (tacho_u128)products * (p->sub_h + p->sub_w) * s->tile_bytes;
    uint64_t feed =
        over(operand_bytes / (p->sub_h * p->sub_w), s->engine->operand_bytes_per_cycle.value);
    tacho_u128 cycles = array > feed ? array : feed;
    return cycles + by(products, &s->engine->step_overhead_cycles) +
           by(subblocks, &s->engine->block_overhead_cycles);
}

/* Bringing |tiles| of an operand to a core, and from there to those that share them. */
static tacho_u128 fetch(const mesh *s, uint64_t tiles, tacho_place place, bool is_cast)
{
    tacho_u128 bytes = (tacho_u128)tiles * s->tile_bytes;
    uint64_t link = over(bytes, s->machine->noc.link_bytes_per_cycle.value);
    tacho_u128 cycles = is_cast ? link : 0;
    if (place == TACHO_PLACE_DDR) {
        cycles += (tacho_u128)link + by(tiles, &s->machine->mesh.request_cycles);
    }
    return cycles;
}

static tacho_u128 most(tacho_u128 a, tacho_u128 b)
{
    return a > b ? a : b;
}

static int64_t clip(tacho_u128 cycles)
{
    return cycles >> 63 != 0 ? INT64_MAX : (int64_t)cycles;
}

/* Of a block: the work fused after its products. */
typedef struct epilogue {
    uint64_t fused;  /* vector work on its results */
    uint64_t core;   /* bringing further operands to a core */
    uint64_t shared; /* from the memory that all share */
} epilogue;

/*
 * The vector unit works on whole tiles of results where the array left them, so that it starts when
 * the array is done. Further operands are read from shared memory in the last step, each core
 * fetching those of its own results; operands in local memory are next to the results.
 */
static tacho_status plan_epilogue(const mesh *s, const plan *p, uint64_t turns, epilogue *out)
{
    const tacho_work *work = s->work;
    *out = (epilogue){0, 0, 0};
    int64_t cycles = 0;
    uint64_t results = tacho_size_multiply(tacho_size_multiply(p->h, p->w), s->tile_elements);
    if (work->elements > 0 && work->steps > 0) {
        TACHO_TRY(tacho_op_fused_cycles(s->machine, results, work->steps, s->dtype, &cycles));
        out->fused = (uint64_t)cycles;
    }
    const tacho_operand *const operands[] = {&work->input, &work->weights};
    const uint64_t extras[] = {work->input_extra_bytes, work->weights_extra_bytes};
    uint64_t bytes = 0;
    for (size_t i = 0; i < 2; i++) {
        bool is_shared = operands[i]->place == TACHO_PLACE_DDR;
        bytes += is_shared ? tacho_least(extras[i], operands[i]->bytes) : 0;
    }
    if (bytes > 0 && out->fused == 0) {
        out->fused = 1; /* the engine takes them in */
    }
    uint64_t each = tacho_ceil_div(bytes, turns);
    uint64_t tiles = tacho_ceil_div(tacho_ceil_div(each, p->cores), s->tile_bytes);
    tacho_u128 core = fetch(s, tiles, TACHO_PLACE_DDR, false);
    out->core = core >> 63 != 0 ? INT64_MAX : (uint64_t)core;
    out->shared = over(each, s->shared_rate);
    return TACHO_OK;
}

static bool is_kept(const tacho_operand *operand)
{
    return operand->place == TACHO_PLACE_LOCAL && operand->bytes > 0;
}

/* How one of the matrices reaches the cores. */
static tacho_mesh_stream stream_of(const mesh *s, const plan *p, bool is_first)
{
    static const tacho_mesh_team teams[][2] = {
        [CAST_BOTH] = {TACHO_MESH_COLUMN, TACHO_MESH_ROW},
        [CAST_FIRST] = {TACHO_MESH_OWN, TACHO_MESH_ALL},
        [CAST_SECOND] = {TACHO_MESH_ALL, TACHO_MESH_OWN},
        [CAST_NONE] = {TACHO_MESH_OWN, TACHO_MESH_OWN},
    };
    const tacho_operand *operand = is_first ? &s->work->input : &s->work->weights;
    uint64_t extra = is_first ? s->work->input_extra_bytes : s->work->weights_extra_bytes;
    uint64_t bytes = operand->bytes - tacho_least(extra, operand->bytes);
    tacho_mesh_stream stream = {
        .is_local = operand->place == TACHO_PLACE_LOCAL,
        .team = teams[p->cast][is_first ? 1 : 0],
        .bytes = tacho_size_multiply(bytes, is_first ? p->again0 : p->again1),
        .buffer_bytes = 2 * (is_first ? p->h : p->w) * p->k_step * s->tile_bytes,
    };
    stream.moves = !stream.is_local || stream.team != TACHO_MESH_OWN;
    return stream;
}

/* A core fetches its part of a step no faster than its queue and the network allow. */
static uint64_t own_cycles(const mesh *s, const tacho_mesh_stream *stream, uint64_t teams,
                           uint64_t all_steps)
{
    uint64_t bytes = tacho_ceil_div(tacho_ceil_div(stream->bytes, teams), all_steps);
    uint64_t queue = over(bytes, s->in_rate);
    uint64_t link =
        stream->is_local ? over(bytes, s->machine->noc.link_bytes_per_cycle.value) : 0;
    return !stream->moves ? 0 : queue > link ? queue : link;
}

static void set_streams(const mesh *s, const plan *p, tacho_mesh_phase *phase)
{
    const tacho_work *work = s->work;
    const tacho_operand *const operands[] = {&work->input, &work->weights};
    const uint64_t extras[] = {work->input_extra_bytes, work->weights_extra_bytes};
    uint64_t extra = 0;
    for (size_t i = 0; i < 2; i++) {
        bool is_shared = operands[i]->place == TACHO_PLACE_DDR;
        extra += is_shared ? tacho_least(extras[i], operands[i]->bytes) : 0;
    }
    phase->in0 = stream_of(s, p, true);
    phase->in1 = stream_of(s, p, false);
    phase->extra = (tacho_mesh_stream){.moves = extra > 0, .bytes = extra};
    phase->result = (tacho_mesh_stream){
        .moves = work->output.place == TACHO_PLACE_DDR,
        .bytes = work->output.bytes,
        .buffer_bytes = p->h * p->w * (s->tile_bytes + s->partial_bytes),
    };
}

/* Cycles to fetch the operands of a step: of the busiest core, and of shared memory. */
static void set_bring(const mesh *s, const plan *p, tacho_mesh_phase *phase)
{
    const tacho_work *work = s->work;
    uint64_t in0_tiles = p->h * p->k_step;
    uint64_t in1_tiles = p->w * p->k_step;
    uint64_t all_steps = phase->turns * p->steps;
    tacho_u128 in0 =
        fetch(s, in0_tiles, work->input.place, p->cast == CAST_BOTH || p->cast == CAST_FIRST);
    tacho_u128 in1 =
        fetch(s, in1_tiles, work->weights.place, p->cast == CAST_BOTH || p->cast == CAST_SECOND);
    tacho_u128 core = most(in0, in1);
    if (p->cast != CAST_BOTH) {
        core = most(core, in0 + in1); /* one core fetches both */
    }
    uint64_t teams0 = p->cast == CAST_FIRST ? 1 : p->rows;
    uint64_t teams1 = p->cast == CAST_SECOND ? 1 : p->columns;
    core = most(core, own_cycles(s, &phase->in0, teams0, all_steps));
    core = most(core, own_cycles(s, &phase->in1, teams1, all_steps));
    bool reads0 = work->input.place == TACHO_PLACE_DDR;
    bool reads1 = work->weights.place == TACHO_PLACE_DDR;
    uint64_t shared_tiles =
        (reads0 ? in0_tiles * p->rows : 0) + (reads1 ? in1_tiles * p->columns : 0);
    uint64_t read_bytes = (reads0 ? phase->in0.bytes : 0) + (reads1 ? phase->in1.bytes : 0);
    /* Windows that leave elements out have fewer tiles than are read. */
    tacho_u128 shared = most(over((tacho_u128)shared_tiles * s->tile_bytes, s->shared_rate),
                             over(tacho_ceil_div(read_bytes, all_steps), s->shared_rate));
    phase->bring = clip(most(core, shared));
    phase->of_cores = clip(core * all_steps);
    phase->of_memory = clip(shared * all_steps);
}

/* Multiply-accumulates that the array does, padding included; 0 when too many to count. */
static uint64_t padded_macs(const mesh *s, const plan *p)
{
    const tacho_engine *engine = s->engine;
    uint64_t turns = p->blocks * (p->cast == CAST_NONE ? 1 : s->work->batch);
    tacho_u128 tiles = (tacho_u128)p->h * p->w * p->k_step * p->steps;
    tiles = tiles >> 40 != 0 ? 0 : tiles * turns;
    tiles = tiles >> 60 != 0 ? 0 : tiles * p->cores;
    tacho_u128 macs = tiles * (uint64_t)(tacho_quantity_whole(&engine->align_m) *
                                         tacho_quantity_whole(&engine->align_n));
    macs *= (uint64_t)tacho_quantity_whole(&engine->align_k);
    return macs >> 63 != 0 ? 0 : (uint64_t)macs;
}

static tacho_status make_phase(const mesh *s, const plan *p, tacho_mesh_phase *out_phase)
{
    const tacho_work *work = s->work;
    tacho_mesh_phase phase = {
        .cores = (uint32_t)p->cores,
        .rows = (uint32_t)p->rows,
        .columns = (uint32_t)p->columns,
        .turns = p->blocks * (p->cast == CAST_NONE ? 1 : work->batch),
        .steps = p->steps,
        .compute = clip(step_compute(s, p)),
        .is_late = p->blocks > 1,
        .macs = work->batch * work->m * work->n * work->k_channels * work->k_window,
    };
    epilogue end;
    TACHO_TRY(plan_epilogue(s, p, phase.turns, &end));
    set_streams(s, p, &phase);
    set_bring(s, p, &phase);
    phase.bring_last = clip(most(end.core, end.shared));
    phase.fused = (int64_t)end.fused;
    if (phase.result.moves) {
        /* Results may be wider than operands. */
        tacho_u128 tiles = (tacho_u128)p->h * p->w * p->cores * s->tile_bytes;
        uint64_t each = tacho_ceil_div(work->output.bytes, phase.turns);
        phase.out = clip(most(over(most(tiles, each), s->write_rate),
                              over(tacho_ceil_div(each, p->cores), s->out_rate)));
    }
    uint64_t shared_last = tacho_size_add(end.shared, (uint64_t)phase.out);
    phase.of_cores =
        tacho_cycles_add(phase.of_cores, tacho_cycles_multiply(clip(end.core), phase.turns));
    phase.of_memory =
        tacho_cycles_add(phase.of_memory, tacho_cycles_multiply(clip(shared_last), phase.turns));
    phase.padded_macs = padded_macs(s, p);
    *out_phase = phase;
    return TACHO_OK;
}

/* Cycles of all turns of a product. */
static int64_t product_cycles(const tacho_mesh_phase *phase)
{
    int64_t last = tacho_cycles_add(tacho_most(phase->compute, phase->bring_last), phase->fused);
    int64_t exposed = phase->is_late ? phase->out : tacho_most(phase->out - last, 0);
    int64_t steady =
        tacho_cycles_multiply(tacho_most(phase->compute, phase->bring), phase->steps - 1);
    int64_t turn =
        tacho_cycles_add(tacho_cycles_add(phase->bring, steady), tacho_cycles_add(last, exposed));
    return tacho_cycles_multiply(turn, phase->turns);
}

/* Takes |other| where it is faster. */
static tacho_status try_plan(const mesh *s, plan other, tacho_mesh_phase *best)
{
    tacho_mesh_phase phase;
    TACHO_TRY(make_phase(s, &other, &phase));
    if (product_cycles(&phase) < product_cycles(best)) {
        *best = phase;
    }
    return TACHO_OK;
}

static plan plan_cast(const mesh *s, cast_kind cast)
{
    return cast == CAST_BOTH ? plan_both(s) : plan_one_way(s, cast);
}

/*
 * An input in the cores that would be multiplied sooner from shared memory is cast as it would be
 * from there.
 */
static tacho_status leave_shards(const mesh *s, tacho_mesh_phase *best)
{
    tacho_work apart = *s->work;
    mesh other = *s;
    tacho_mesh_phase phase;
    apart.input.place = TACHO_PLACE_DDR;
    other.work = &apart;
    plan from_shared = plan_cast(&other, vendor_cast(&other));
    TACHO_TRY(make_phase(&other, &from_shared, &phase));
    return product_cycles(&phase) < product_cycles(best) ? try_plan(s, from_shared, best)
                                                         : TACHO_OK;
}

/*
 * The vendor's choice; one cast where the input is in the cores and shards for both would leave
 * most of them idle; or a product of the batch for each core.
 */
static tacho_status choose_phase(const mesh *s, tacho_mesh_phase *out_phase)
{
    plan chosen = plan_cast(s, vendor_cast(s));
    TACHO_TRY(make_phase(s, &chosen, out_phase));
    bool is_image = s->work->image.columns > 0; /* shards are as the vendor's convolutions want */
    if (s->work->input.place == TACHO_PLACE_LOCAL && !is_image) {
        TACHO_TRY(leave_shards(s, out_phase));
    }
    return s->work->batch > 1 ? try_plan(s, plan_batch(s), out_phase) : TACHO_OK;
}

/* The same; a tuned phase is replaced by the vendor's choice where that is faster. */
static tacho_status product_phase(const mesh *s, tacho_mesh_phase *out_phase)
{
    mesh usual = *s;
    tacho_mesh_phase other;
    usual.is_tuned = false;
    TACHO_TRY(choose_phase(s, out_phase));
    if (!s->is_tuned) {
        return TACHO_OK;
    }
    TACHO_TRY(choose_phase(&usual, &other));
    if (product_cycles(&other) < product_cycles(out_phase)) {
        *out_phase = other;
    }
    return TACHO_OK;
}

tacho_status tacho_op_mesh_phase(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_cost_options *options, const tacho_op_cost *cost,
                                 tacho_mesh_phase *out_phase)
{
    if (work->kind != TACHO_WORK_MATRIX || cost->engine != 0) {
        return tacho_op_mesh_flow(machine, work, options, cost, out_phase);
    }
    mesh s;
    TACHO_TRY(mesh_init(&s, machine, work, options, cost));
    return product_phase(&s, out_phase);
}

/* ---- sums -------------------------------------------------------------------------------- */

static void product_parts(const tacho_work *work, const tacho_mesh_phase *phase, tacho_parts *parts)
{
    uint64_t all_steps = tacho_size_multiply(phase->turns, phase->steps);
    /* Where local memory holds no operand, everything the cores fetch is from shared memory. */
    bool has_local = is_kept(&work->input) || is_kept(&work->weights) || is_kept(&work->output);
    int64_t both = tacho_most(phase->of_memory, phase->of_cores);
    parts->compute_cycles = tacho_cycles_add(tacho_cycles_multiply(phase->compute, all_steps),
                                             tacho_cycles_multiply(phase->fused, phase->turns));
    parts->read_cycles = tacho_cycles_add(tacho_cycles_multiply(phase->bring, all_steps),
                                          tacho_cycles_multiply(phase->bring_last, phase->turns));
    parts->write_cycles = tacho_cycles_multiply(phase->out, phase->turns);
    parts->memory_cycles = has_local ? phase->of_memory : both;
    parts->local_cycles = has_local ? phase->of_cores : 0;
    parts->cycles = product_cycles(phase);
}

static void flow_parts(const tacho_mesh_phase *phase, tacho_parts *parts)
{
    tacho_mesh_flow flow = tacho_mesh_flow_of(phase);
    parts->compute_cycles = phase->compute;
    parts->read_cycles = tacho_cycles_add(phase->bring, phase->copy);
    parts->write_cycles = phase->out;
    parts->memory_cycles = phase->of_memory;
    parts->local_cycles = phase->copy;
    parts->cycles = tacho_mesh_flow_cycles(&flow);
}

tacho_status tacho_op_mesh_parts(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_op_cost *cost, const tacho_mesh_phase *phase,
                                 tacho_parts *out_parts)
{
    tacho_parts parts = {.cores = phase->cores, .engines = phase->cores};
    int64_t launch = tacho_quantity_whole(&machine->launch_cycles);
    if (cost->engine != TACHO_NONE && !phase->is_flow) {
        const tacho_engine *engine = &machine->engines[cost->engine];
        launch = tacho_cycles_add(launch, tacho_quantity_whole(&engine->start_up_cycles));
    }
    if (phase->is_flow) {
        flow_parts(phase, &parts);
    } else {
        product_parts(work, phase, &parts);
    }
    parts.launch_cycles = launch;
    parts.cycles = tacho_cycles_add(parts.cycles, launch);
    parts.padded_macs = phase->padded_macs;
    if (parts.cycles == INT64_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the cycles of an operator do not fit 63 bits");
    }
    *out_parts = parts;
    return TACHO_OK;
}
