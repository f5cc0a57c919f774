/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to cut a share, and the one that is taken.
 */
#include "compile/tile.h"

#include "base/maths.h"
#include "compile/op_split.h"
#include "machine/cost.h"

#include <inttypes.h>

typedef struct tiler {
    const tacho_tile_place *place;
    const tacho_share *share;
    const tacho_dma *in, *out;
    uint64_t engines;
    bool is_found;
    int64_t best_cycles;
    uint64_t least_bytes; /* that any way asks for */
    tacho_tiling best;
    uint64_t tiles_max; /* as jobs */
    uint64_t tried_max; /* tiles */
} tiler;

static uint64_t tile_count(const tacho_tiling *t)
{
    return t->batch * t->m * t->n * t->k;
}

uint64_t tacho_slots_moved(const tacho_slots *slots, uint64_t bytes)
{
    tacho_u128 all = slots->count > 0 ? (tacho_u128)bytes * slots->times : 0;
    return all >> 61 != 0 ? UINT64_C(1) << 61 : (uint64_t)all;
}

/* ---- what a way to cut needs and takes ----------------------------------------------------- */

uint64_t tacho_share_elements(const tacho_share *share)
{
    uint64_t bytes =
        share->input_bytes > share->output_bytes ? share->input_bytes : share->output_bytes;
    return share->elements > 0 ? share->elements : bytes;
}

/* A buffer has room for the largest part: |part| of |whole| elements. */
static void set_slots(tacho_slots *slots, bool moves, uint64_t bytes, uint64_t distinct,
                      tacho_u128 part, tacho_u128 whole)
{
    slots->count = !moves || bytes == 0 ? 0 : (distinct > 1 ? 2 : 1);
    slots->bytes = slots->count == 0 ? 0 : tacho_ceil_div(bytes, distinct);
    if (slots->count > 0 && whole > 0 && part <= whole && whole >> 63 == 0) {
        slots->bytes = (uint64_t)((bytes * part + whole - 1) / whole);
    }
}

static void set_loads(tacho_slots *slots, uint64_t loads, uint64_t moved)
{
    slots->loads = slots->count == 0 ? 0 : loads;
    slots->times = moved;
}

/* Fills what follows from the numbers of tiles. */
static void complete_matrix(const tacho_share *share, tacho_tiling *t)
{
    uint64_t all = tile_count(t);
    tacho_u128 batch = share->batch;
    tacho_u128 batch_part = tacho_ceil_div(share->batch, t->batch);
    uint64_t m = tacho_ceil_div(share->m, t->m);
    uint64_t n = tacho_ceil_div(share->n, t->n);
    uint64_t k = tacho_ceil_div(share->k, t->k);
    set_slots(&t->input, share->moves_input, share->input_bytes, t->batch * t->m * t->k,
              batch_part * m * k, batch * share->m * share->k);
    set_slots(&t->weights, share->moves_weights, share->weight_bytes, t->batch * t->n * t->k,
              batch_part * n * k, batch * share->n * share->k);
    set_slots(&t->output, share->moves_output, share->output_bytes, t->batch * t->m * t->n,
              batch_part * m * n, batch * share->m * share->n);
    set_loads(&t->output, t->batch * t->m * t->n, 1);
    if (t->k > 1 && t->output.count > 0) { /* it holds partial sums until the last of k */
        uint64_t sums = TACHO_SUM_BYTES * (uint64_t)batch_part * m * n;
        t->output.bytes = sums > t->output.bytes ? sums : t->output.bytes;
    }
    if (t->k > 1) {
        set_loads(&t->input, all, t->n);
        set_loads(&t->weights, all, t->m);
    } else if (t->rows_outside) {
        set_loads(&t->input, t->batch * t->m, 1);
        set_loads(&t->weights, t->n == 1 ? t->batch : all, t->n == 1 ? 1 : t->m);
    } else {
        set_loads(&t->input, t->m == 1 ? t->batch : all, t->m == 1 ? 1 : t->n);
        set_loads(&t->weights, t->batch * t->n, 1);
    }
}

/* Elements are cut into |m| stretches; what is the same for all of them is brought once. */
static void complete_plain(const tacho_share *share, uint64_t room, tacho_tiling *t)
{
    uint64_t weight_parts = share->weight_bytes <= room / 4 ? 1 : t->m;
    uint64_t all = tacho_share_elements(share);
    uint64_t part = tacho_ceil_div(all, t->m);
    set_slots(&t->input, share->moves_input, share->input_bytes, t->m, part, all);
    set_slots(&t->weights, share->moves_weights, share->weight_bytes, weight_parts,
              weight_parts == 1 ? all : part, all);
    set_slots(&t->output, share->moves_output, share->output_bytes, t->m, part, all);
    set_loads(&t->input, t->m, 1);
    set_loads(&t->weights, weight_parts, 1);
    set_loads(&t->output, t->m, 1);
}

static uint64_t needed_bytes(const tacho_tiling *t)
{
    tacho_u128 bytes = (tacho_u128)t->input.count * t->input.bytes;
    bytes += (tacho_u128)t->weights.count * t->weights.bytes;
    bytes += (tacho_u128)t->output.count * t->output.bytes;
    return bytes >> 63 != 0 ? INT64_MAX : (uint64_t)bytes;
}

/* Engines of a core share the batch, the rows or the columns of a tile's product. */
static tacho_status product_cycles(const tiler *self, const tacho_tiling *t, int64_t *out_cycles)
{
    const tacho_share *share = self->share;
    const tacho_tile_place *place = self->place;
    tacho_product whole = {tacho_ceil_div(share->m, t->m), tacho_ceil_div(share->n, t->n),
                           tacho_ceil_div(share->k, t->k), place->dtype, place->fidelity};
    uint64_t batch = tacho_ceil_div(share->batch, t->batch);
    *out_cycles = INT64_MAX;
    for (size_t i = 0; i < 3; i++) {
        tacho_product part = whole;
        part.m = tacho_ceil_div(part.m, i == 1 ? self->engines : 1);
        part.n = tacho_ceil_div(part.n, i == 2 ? self->engines : 1);
        int64_t cycles;
        TACHO_TRY(tacho_cost_matrix(place->machine, place->engine, part, &cycles));
        cycles = tacho_cycles_multiply(cycles, tacho_ceil_div(batch, i == 0 ? self->engines : 1));
        *out_cycles = cycles < *out_cycles ? cycles : *out_cycles;
    }
    return TACHO_OK;
}

/*
 * What computing a tile takes, and in |out_last| what one takes that completes a result: what is
 * fused overlaps with it. Engines of a sequencer start one after the other.
 */
static tacho_status compute_cycles(const tiler *self, const tacho_tiling *t, int64_t *out_cycles,
                                   int64_t *out_last)
{
    const tacho_share *share = self->share;
    const tacho_tile_place *place = self->place;
    *out_cycles = *out_last = 0;
    if (place->engine == NULL) {
        return TACHO_OK;
    }
    int64_t starts = tacho_cycles_multiply(tacho_quantity_whole(&place->engine->issue_cycles),
                                           self->engines - 1);
    int64_t fused = 0;
    if (share->kind == TACHO_WORK_MATRIX) {
        uint64_t results = tacho_ceil_div(share->elements, t->batch * t->m * t->n);
        TACHO_TRY(product_cycles(self, t, out_cycles));
        TACHO_TRY(
            tacho_op_fused_cycles(place->machine, results, share->steps, place->dtype, &fused));
    } else {
        uint64_t each = tacho_ceil_div(tacho_ceil_div(share->elements, t->m), self->engines);
        TACHO_TRY(tacho_cost_vector(place->engine, each, share->steps, place->dtype, out_cycles));
    }
    *out_last = tacho_cycles_add(tacho_most(*out_cycles, fused), starts);
    *out_cycles = tacho_cycles_add(*out_cycles, starts);
    return TACHO_OK;
}

/* |count| transfers of about the same size. */
static tacho_status transfer_cycles(const tacho_dma *dma, uint64_t bytes, uint64_t count,
                                    int64_t *out_cycles)
{
    *out_cycles = 0;
    if (dma == NULL || bytes == 0 || count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_cost_transfer(dma, tacho_ceil_div(bytes, count), out_cycles));
    *out_cycles = tacho_cycles_multiply(*out_cycles, count);
    return TACHO_OK;
}

/* What all operands of the share take to come, and those of the first tile. */
static tacho_status load_cycles(const tiler *self, const tacho_tiling *t, int64_t *out_all,
                                int64_t *out_first)
{
    const tacho_slots *const slots[] = {&t->input, &t->weights};
    const uint64_t bytes[] = {self->share->input_bytes, self->share->weight_bytes};
    *out_all = *out_first = 0;
    for (size_t i = 0; i < 2; i++) {
        int64_t all;
        int64_t first;
        uint64_t moved = tacho_slots_moved(slots[i], bytes[i]);
        uint64_t each = moved > 0 ? tacho_ceil_div(moved, slots[i]->loads) : 0;
        TACHO_TRY(transfer_cycles(self->in, moved, slots[i]->loads, &all));
        TACHO_TRY(transfer_cycles(self->in, each, 1, &first));
        *out_all = tacho_cycles_add(*out_all, all);
        *out_first = tacho_cycles_add(*out_first, first);
    }
    return TACHO_OK;
}

/* Cycles of shared memory for all that is moved, with the part of it that is the core's. */
static int64_t shared_cycles(const tiler *self, const tacho_tiling *t)
{
    const tacho_tile_place *place = self->place;
    uint64_t in_readers = place->input_readers > 0 ? place->input_readers : 1;
    uint64_t weight_readers = place->weight_readers > 0 ? place->weight_readers : 1;
    uint64_t bytes = tacho_slots_moved(&t->input, self->share->input_bytes) / in_readers +
                     tacho_slots_moved(&t->weights, self->share->weight_bytes) / weight_readers +
                     tacho_slots_moved(&t->output, self->share->output_bytes);
    int64_t cycles = 0;
    bool is_over =
        place->shared_rate.num > 0 && !tacho_ratio_ceil_divide(bytes, place->shared_rate, &cycles);
    return is_over ? INT64_MAX : cycles;
}

/*
 * The longest of three ways through the pipeline: all transfers in, and then the last tile; the
 * first operands, all tiles and the last result; the first tile and then all transfers out.
 */
static tacho_status pipeline_cycles(const tiler *self, const tacho_tiling *t, int64_t *out_cycles)
{
    int64_t compute;
    int64_t complete;
    int64_t first;
    int64_t load;
    int64_t last;
    int64_t store;
    uint64_t out_bytes = tacho_slots_moved(&t->output, self->share->output_bytes);
    uint64_t results = t->batch * t->m * t->n;
    TACHO_TRY(compute_cycles(self, t, &compute, &complete));
    TACHO_TRY(load_cycles(self, t, &load, &first));
    uint64_t out_each = out_bytes > 0 ? tacho_ceil_div(out_bytes, t->output.loads) : 0;
    TACHO_TRY(transfer_cycles(self->out, out_each, 1, &last));
    TACHO_TRY(transfer_cycles(self->out, out_bytes, t->output.loads, &store));
    int64_t all = tacho_cycles_add(tacho_cycles_multiply(compute, tile_count(t) - results),
                                   tacho_cycles_multiply(complete, results));
    int64_t before = tacho_cycles_add(tacho_cycles_multiply(compute, t->k - 1), complete);
    int64_t in = tacho_cycles_add(tacho_cycles_add(load, complete), last);
    int64_t middle = tacho_cycles_add(tacho_cycles_add(first, all), last);
    int64_t out = tacho_cycles_add(tacho_cycles_add(first, before), store);
    *out_cycles = tacho_most(tacho_most(in, out), tacho_most(middle, shared_cycles(self, t)));
    return TACHO_OK;
}

/* ---- few enough jobs ----------------------------------------------------------------------- */

static uint64_t *most_cut(tacho_tiling *t)
{
    uint64_t *const counts[] = {&t->batch, &t->m, &t->n, &t->k};
    uint64_t *largest = counts[0];
    for (size_t i = 1; i < 4; i++) {
        largest = *counts[i] > *largest ? counts[i] : largest;
    }
    return largest;
}

/* Buffers and bytes stay what they are; jobs stand for more tiles. */
static void coarsen(const tacho_share *share, uint64_t tiles_max, tacho_tiling *t)
{
    const tacho_tiling fine = *t;
    while (tile_count(t) > tiles_max) {
        uint64_t *count = most_cut(t);
        *count = tacho_ceil_div(*count, 2);
    }
    uint64_t tiles = tile_count(t);
    uint64_t repeat = tacho_ceil_div(fine.batch, t->batch) * tacho_ceil_div(fine.m, t->m) *
                      tacho_ceil_div(fine.n, t->n) * tacho_ceil_div(fine.k, t->k);
    if (repeat == 1) {
        return;
    }
    tacho_tiling coarse = *t;
    if (share->kind == TACHO_WORK_MATRIX) {
        complete_matrix(share, &coarse);
        /* What comes for each tile still comes for each job. */
        bool has_input = coarse.input.count > 0 && (fine.k > 1 || fine.input.times > 1);
        bool has_weights = coarse.weights.count > 0 && (fine.k > 1 || fine.weights.times > 1);
        coarse.input.loads = has_input ? tiles : coarse.input.loads;
        coarse.weights.loads = has_weights ? tiles : coarse.weights.loads;
    } else {
        complete_plain(share, 0, &coarse);
    }
    t->input.loads = coarse.input.loads;
    t->weights.loads = tacho_least(coarse.weights.loads, fine.weights.loads);
    t->output.loads = coarse.output.loads;
    t->repeat = repeat < UINT32_MAX ? (uint32_t)repeat : UINT32_MAX;
}

/* ---- trying -------------------------------------------------------------------------------- */

static tacho_status try_tiling(tiler *self, tacho_tiling t)
{
    if (self->share->kind == TACHO_WORK_MATRIX) {
        complete_matrix(self->share, &t);
    } else {
        complete_plain(self->share, self->place->room_bytes, &t);
    }
    uint64_t bytes = needed_bytes(&t);
    self->least_bytes = bytes < self->least_bytes ? bytes : self->least_bytes;
    if (bytes > self->place->room_bytes) {
        return TACHO_OK;
    }
    int64_t cycles;
    coarsen(self->share, self->tiles_max, &t);
    TACHO_TRY(pipeline_cycles(self, &t, &cycles));
    if (!self->is_found || cycles < self->best_cycles) {
        self->is_found = true;
        self->best_cycles = cycles;
        self->best = t;
    }
    return TACHO_OK;
}

/* The next number of parts to try: doubled, and last of all |limit|. */
static uint64_t next_count(uint64_t count, uint64_t limit)
{
    return count < limit && count * 2 > limit ? limit : count * 2;
}

static tacho_status try_columns(tiler *self, tacho_tiling t)
{
    for (t.n = 1; t.n <= self->share->n; t.n = next_count(t.n, self->share->n)) {
        if (tile_count(&t) > self->tried_max) {
            break;
        }
        t.rows_outside = false;
        TACHO_TRY(try_tiling(self, t));
        if (t.m > 1 && t.n > 1 && t.k == 1) {
            t.rows_outside = true;
            TACHO_TRY(try_tiling(self, t));
        }
    }
    return TACHO_OK;
}

static tacho_status try_rows(tiler *self, tacho_tiling t)
{
    for (t.m = 1; t.m <= self->share->m; t.m = next_count(t.m, self->share->m)) {
        if (t.batch * t.m * t.k > self->tried_max) {
            break;
        }
        TACHO_TRY(try_columns(self, t));
    }
    return TACHO_OK;
}

/* What is brought again and again is cut along k, too, and in more and smaller tiles. */
static bool wants_more(const tiler *self)
{
    return !self->is_found || self->best.input.times > 1 || self->best.weights.times > 1;
}

static tacho_status try_matrix(tiler *self)
{
    const tacho_share *share = self->share;
    tacho_tiling t = {.batch = 1, .m = 1, .n = 1, .k = 1, .repeat = 1};
    for (; t.batch < share->batch; t.batch = next_count(t.batch, share->batch)) {
        if (t.batch > self->tried_max) {
            return TACHO_OK;
        }
        TACHO_TRY(try_tiling(self, t));
    }
    t.batch = share->batch;
    TACHO_TRY(try_rows(self, t));
    bool is_more = wants_more(self);
    for (t.k = 2; is_more && t.k <= share->k; t.k = next_count(t.k, share->k)) {
        if (t.batch * t.k > self->tried_max) {
            break;
        }
        TACHO_TRY(try_rows(self, t));
    }
    return TACHO_OK;
}

static tacho_status try_plain(tiler *self)
{
    uint64_t limit = tacho_share_elements(self->share);
    tacho_tiling t = {.batch = 1, .m = 1, .n = 1, .k = 1, .repeat = 1};
    for (; t.m <= limit || t.m == 1; t.m = next_count(t.m, limit)) {
        if (t.m > self->tried_max) {
            break;
        }
        TACHO_TRY(try_tiling(self, t));
    }
    return TACHO_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

tacho_status tacho_tile(const tacho_tile_place *place, const tacho_share *share,
                        tacho_tiling *out_tiling)
{
    tiler self = {
        .place = place,
        .share = share,
        .in = tacho_machine_dma(place->machine, TACHO_ENGINE_DMA_IN),
        .out = tacho_machine_dma(place->machine, TACHO_ENGINE_DMA_OUT),
        .engines =
            place->engine != NULL ? (uint64_t)tacho_quantity_whole(&place->engine->count) : 1,
        .least_bytes = UINT64_MAX,
        .tiles_max = tacho_machine_is_sequenced(place->machine) ? TACHO_TILES_SEQUENCED_MAX
                                                                : TACHO_TILES_MAX,
    };
    /* Tiles that are jobs first; of as many jobs of more tiles none is faster that fits, too. */
    const uint64_t tried[] = {self.tiles_max, TACHO_TILES_TRIED_MAX, UINT32_MAX};
    for (size_t i = 0; i < 3 && (i < 2 ? wants_more(&self) : !self.is_found); i++) {
        self.tried_max = tried[i];
        TACHO_TRY((share->kind == TACHO_WORK_MATRIX ? try_matrix : try_plain)(&self));
    }
    if (!self.is_found) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "its smallest tile needs %" PRIu64 " bytes of local memory, and %" PRIu64
                          " are free",
                          self.least_bytes, place->room_bytes);
    }
    *out_tiling = self.best;
    return TACHO_OK;
}

/* ---- the same again ------------------------------------------------------------------------ */

static bool is_same_place(const tacho_tile_place *a, const tacho_tile_place *b)
{
    return a->machine == b->machine && a->engine == b->engine && a->dtype == b->dtype &&
           a->fidelity == b->fidelity && a->room_bytes == b->room_bytes &&
           a->shared_rate.num == b->shared_rate.num && a->shared_rate.den == b->shared_rate.den &&
           a->input_readers == b->input_readers && a->weight_readers == b->weight_readers;
}

static bool is_same_share(const tacho_share *a, const tacho_share *b)
{
    return a->kind == b->kind && a->batch == b->batch && a->m == b->m && a->n == b->n &&
           a->k == b->k && a->elements == b->elements && a->steps == b->steps &&
           a->input_bytes == b->input_bytes && a->weight_bytes == b->weight_bytes &&
           a->output_bytes == b->output_bytes && a->moves_input == b->moves_input &&
           a->moves_weights == b->moves_weights && a->moves_output == b->moves_output;
}

tacho_status tacho_tile_again(tacho_tile_memo *memo, const tacho_tile_place *place,
                              const tacho_share *share, tacho_tiling *out_tiling)
{
    size_t kept = tacho_least(memo->count, TACHO_TILE_MEMO_COUNT);
    for (size_t i = 0; i < kept; i++) {
        if (is_same_share(&memo->items[i].share, share) &&
            is_same_place(&memo->items[i].place, place)) {
            *out_tiling = memo->items[i].tiling;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_tile(place, share, out_tiling));
    size_t at = memo->count++ % TACHO_TILE_MEMO_COUNT;
    memo->items[at].place = *place;
    memo->items[at].share = *share;
    memo->items[at].tiling = *out_tiling;
    return TACHO_OK;
}
