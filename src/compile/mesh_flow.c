/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on elements, and moves, on a mesh: tiles are dealt out to the cores, each of which reads
 * one after the other, works on it and writes it, all three at once. Where a result needs a line of
 * elements, the three proceed line by line.
 */
#include "base/index.h"
#include "base/maths.h"
#include "compile/op_mesh.h"

/* Whole cycles, or INT64_MAX, which fails in the end. */
static int64_t cycles_at(uint64_t bytes, tacho_ratio rate)
{
    int64_t cycles;
    if (rate.num == 0 || bytes == 0) {
        return 0;
    }
    return bytes <= INT64_MAX && tacho_ratio_ceil_divide(bytes, rate, &cycles) ? cycles : INT64_MAX;
}

/* ---- tiles ------------------------------------------------------------------------------- */

/* How work is dealt out. */
typedef struct deal {
    uint64_t elements; /* of a tile ... */
    uint64_t bytes;    /* ... and bytes, in the type that is computed in */
    uint64_t tiles;
    uint64_t worked; /* of these, that an engine has something to do with */
    uint64_t each;   /* of a core ... */
    uint64_t line;   /* ... and those that one result needs */
    uint64_t cores;
} deal;

static uint64_t cores_of(const tacho_machine *machine, const tacho_cost_options *options)
{
    uint64_t cores = tacho_machine_cores(machine);
    uint64_t asked = (uint64_t)options->grid_x * options->grid_y;
    return asked > 0 ? tacho_least(asked, cores) : cores;
}

static void deal_out(const tacho_machine *machine, const tacho_work *work, uint64_t cores,
                     tacho_dtype dtype, deal *out)
{
    const tacho_engine *engine = &machine->engines[0];
    uint64_t side_m = (uint64_t)tacho_quantity_or(&engine->align_m, 1).num;
    uint64_t side_n = (uint64_t)tacho_quantity_or(&engine->align_n, 1).num;
    *out = (deal){.elements = side_m * side_n};
    if (!tacho_dtype_bytes(dtype, out->elements, &out->bytes) || out->bytes == 0) {
        out->bytes = out->elements;
    }
    uint64_t read = tacho_size_add(work->input.bytes, work->weights.bytes);
    uint64_t moved = read > work->output.bytes ? read : work->output.bytes;
    out->worked =
        work->kind == TACHO_WORK_VECTOR ? tacho_ceil_div(work->elements, out->elements) : 0;
    out->tiles = tacho_ceil_div(moved, out->bytes);
    out->tiles = out->tiles > out->worked ? out->tiles : out->worked;
    out->tiles = out->tiles > 0 ? out->tiles : 1;
    out->each = tacho_ceil_div(out->tiles, cores);
    out->cores = tacho_ceil_div(out->tiles, out->each);
    out->line = tacho_ceil_div(work->line > 0 ? work->line : 1, out->elements);
    out->line = tacho_least(out->line, out->each);
}

/* A core's part of |amount|, that of the core which has most. */
static uint64_t part_of(const deal *d, uint64_t amount)
{
    tacho_u128 all = (tacho_u128)amount * d->each;
    return (uint64_t)((all + d->tiles - 1) / d->tiles);
}

/* ---- moving ------------------------------------------------------------------------------ */

typedef struct queue {
    tacho_ratio rate; /* 0: without a queue */
    int64_t start;
} queue;

static tacho_status find_queue(const tacho_machine *machine, tacho_engine_class class, queue *out)
{
    const tacho_dma *dma = tacho_machine_dma(machine, class);
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    *out = (queue){.rate = {0, 1}};
    if (dma != NULL) {
        TACHO_TRY(tacho_cost_dma_rate(dma, &out->rate));
        out->start = tacho_quantity_whole(&dma->start_up_cycles) +
                     tacho_quantity_whole(&ddr->latency_cycles);
    }
    return TACHO_OK;
}

static int64_t queue_cycles(const queue *of, const deal *d, uint64_t bytes)
{
    return bytes > 0 ? tacho_cycles_add(cycles_at(part_of(d, bytes), of->rate), of->start) : 0;
}

/*
 * Data in a core's memory that is worked on there does not move. Data that moves from shared memory
 * to local memory, or back, moves once: in one queue, at the pace of the slower side.
 */
static tacho_status set_moves(const tacho_machine *machine, const tacho_work *work, const deal *d,
                              tacho_mesh_phase *phase)
{
    queue in;
    queue out;
    TACHO_TRY(find_queue(machine, TACHO_ENGINE_DMA_IN, &in));
    TACHO_TRY(find_queue(machine, TACHO_ENGINE_DMA_OUT, &out));
    uint64_t reads[2] = {0, 0}; /* from shared memory, from cores' memories */
    reads[work->input.place == TACHO_PLACE_DDR ? 0 : 1] += work->input.bytes;
    reads[work->weights.place == TACHO_PLACE_DDR ? 0 : 1] += work->weights.bytes;
    bool stays = work->kind == TACHO_WORK_VECTOR;
    bool is_sent = work->output.place == TACHO_PLACE_DDR && work->output.bytes > 0;
    uint64_t written[2] = {is_sent ? work->output.bytes : 0, is_sent ? 0 : work->output.bytes};
    int64_t local_in = stays ? 0 : queue_cycles(&in, d, reads[1]);
    int64_t local_out = stays ? 0 : queue_cycles(&out, d, written[1]);
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    tacho_ratio read_rate;
    tacho_ratio write_rate;
    TACHO_TRY(tacho_cost_memory_rate(ddr, &read_rate));
    TACHO_TRY(tacho_cost_memory_write_rate(ddr, &write_rate));
    int64_t shared =
        tacho_cycles_add(cycles_at(reads[0], read_rate), cycles_at(written[0], write_rate));
    phase->bring = reads[0] > 0 ? tacho_most(queue_cycles(&in, d, reads[0]), shared) : 0;
    phase->out = is_sent ? tacho_most(queue_cycles(&out, d, written[0]), shared) : 0;
    phase->copy = is_sent ? 0 : local_in;
    int64_t *slowed = is_sent ? &phase->out : reads[0] > 0 ? &phase->bring : &phase->copy;
    *slowed = tacho_most(*slowed, is_sent ? local_in : local_out);
    phase->of_memory = tacho_most(phase->bring, phase->out);
    phase->in0 = (tacho_mesh_stream){.moves = phase->bring > 0, .bytes = reads[0]};
    phase->in1 = (tacho_mesh_stream){
        .moves = phase->copy > 0, .is_local = true, .bytes = reads[1] > 0 ? reads[1] : written[1]};
    phase->result = (tacho_mesh_stream){.moves = phase->out > 0, .bytes = written[0]};
    tacho_mesh_stream *const streams[] = {&phase->in0, &phase->in1, &phase->result};
    for (size_t i = 0; i < 3; i++) {
        /* One is transferred while the other is worked on. */
        uint64_t tiles = tacho_least(d->each, 2 * d->line);
        streams[i]->buffer_bytes = streams[i]->moves ? tiles * d->bytes : 0;
    }
    return TACHO_OK;
}

/* ---- the phase --------------------------------------------------------------------------- */

/* Products on an engine that has no place on the mesh: by the general rules. */
static tacho_status set_product(const tacho_machine *machine, const tacho_work *work,
                                const tacho_cost_options *options, const tacho_op_cost *cost,
                                tacho_mesh_phase *phase)
{
    tacho_parts parts;
    TACHO_TRY(tacho_op_split_best(machine, work, options, cost, &parts));
    phase->compute = parts.compute_cycles;
    phase->padded_macs = parts.padded_macs;
    phase->macs = work->batch * work->m * work->n * work->k_channels * work->k_window;
    return TACHO_OK;
}

tacho_status tacho_op_mesh_flow(const tacho_machine *machine, const tacho_work *work,
                                const tacho_cost_options *options, const tacho_op_cost *cost,
                                tacho_mesh_phase *out_phase)
{
    deal d;
    deal_out(machine, work, cores_of(machine, options), cost->compute, &d);
    tacho_mesh_phase phase = {.is_flow = true,
                              .cores = (uint32_t)d.cores,
                              .rows = 1,
                              .columns = (uint32_t)d.cores,
                              .turns = 1,
                              .steps = d.each / d.line};
    if (cost->engine != TACHO_NONE && work->kind == TACHO_WORK_MATRIX) {
        TACHO_TRY(set_product(machine, work, options, cost, &phase));
    } else if (cost->engine != TACHO_NONE) {
        const tacho_engine *engine = &machine->engines[cost->engine];
        uint64_t engines = (uint64_t)tacho_quantity_whole(&engine->count);
        uint64_t elements = tacho_size_multiply(part_of(&d, d.worked), d.elements);
        TACHO_TRY(tacho_cost_vector(engine, tacho_ceil_div(elements, engines), work->steps,
                                    cost->compute, &phase.compute));
        phase.compute =
            tacho_cycles_add(phase.compute, tacho_quantity_whole(&engine->issue_cycles));
    }
    TACHO_TRY(set_moves(machine, work, &d, &phase));
    *out_phase = phase;
    return TACHO_OK;
}

/* ---- its cycles -------------------------------------------------------------------------- */

/* The cycles of a step, of |steps| that take |cycles| together; all where they are too few. */
static int64_t step_of(int64_t cycles, uint64_t steps)
{
    return steps > 1 && cycles > 1 ? (int64_t)tacho_ceil_div((uint64_t)cycles, steps) : cycles;
}

tacho_mesh_flow tacho_mesh_flow_of(const tacho_mesh_phase *phase)
{
    uint64_t steps = phase->steps;
    bool has_both = phase->bring > 0 && phase->copy > 0;
    int64_t read = phase->bring > 0 ? phase->bring : phase->copy;
    tacho_mesh_flow flow = {.lead = has_both ? phase->copy : 0};
    flow.read_first = step_of(read, steps);
    flow.read_rest = read - flow.read_first;
    flow.send_last = step_of(phase->out, steps);
    flow.send_rest = phase->out - flow.send_last;
    int64_t work = step_of(phase->compute, steps);
    bool is_one = work == phase->compute; /* then it is all done in the last */
    flow.work_first = is_one ? 0 : work;
    int64_t rest = phase->compute - flow.work_first;
    flow.work_last = work < rest ? work : rest;
    flow.work_mid = rest - flow.work_last;
    return flow;
}

int64_t tacho_mesh_flow_cycles(const tacho_mesh_flow *flow)
{
    int64_t read = tacho_cycles_add(flow->read_first, flow->read_rest);
    int64_t worked =
        tacho_most(read, tacho_cycles_add(flow->read_first,
                                          tacho_cycles_add(flow->work_first, flow->work_mid)));
    worked = tacho_cycles_add(worked, flow->work_last);
    int64_t sent =
        tacho_cycles_add(flow->read_first, tacho_cycles_add(flow->work_first, flow->send_rest));
    return tacho_cycles_add(flow->lead,
                            tacho_cycles_add(tacho_most(worked, sent), flow->send_last));
}
