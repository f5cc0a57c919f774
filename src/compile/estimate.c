/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of every operator, and the sums.
 */
#include "compile/estimate.h"

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/gpu_form.h"
#include "compile/machine_view.h"
#include "compile/op_gpu.h"
#include "compile/op_mesh.h"
#include "compile/space.h"
#include "compile/work_of.h"
#include "machine/cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *tacho_bound_name(tacho_bound bound)
{
    static const char *const names[] = {"-",      "compute",    "memory", "local memory",
                                        "launch", "device link"};
    return names[bound];
}

bool tacho_estimate_is_unknown(const tacho_estimate *estimate, size_t op)
{
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_node *root = &fusion->graph->nodes[fusion->ops[op].root];
    tacho_op_kind kind = tacho_op_kind_of(fusion->graph, root);
    bool has_rule = root->def != NULL && root->def->kind == TACHO_OP_OTHER && root->def->steps > 0;
    return root->def == NULL || (kind == TACHO_OP_OTHER && !has_rule) || kind == TACHO_OP_CONTROL;
}

double tacho_op_estimate_utilisation(const tacho_op_estimate *op)
{
    return op->cost.cycles > 0 ? 100.0 * (double)op->cost.ideal_cycles / (double)op->cost.cycles
                               : 0.0;
}

double tacho_op_estimate_padding(const tacho_op_estimate *op)
{
    return op->cost.padded_macs > op->cost.macs
               ? 100.0 * (double)(op->cost.padded_macs - op->cost.macs) /
                     (double)op->cost.padded_macs
               : 0.0;
}

/* ---- names --------------------------------------------------------------------------------- */

static tacho_str without_dialect(tacho_str type)
{
    for (size_t i = type.len; i > 0; i--) {
        if (type.data[i - 1] == '.') {
            return tacho_str_from(type, i);
        }
    }
    return type;
}

tacho_status tacho_estimate_op_name(const tacho_estimate *estimate, size_t op, tacho_arena *arena,
                                    tacho_str *out_name)
{
    const tacho_graph *graph = estimate->fusion->graph;
    const tacho_node *node = &graph->nodes[estimate->fusion->ops[op].root];
    *out_name = tacho_graph_string(graph, node->name);
    if (out_name->len > 0) {
        return TACHO_OK;
    }
    char text[96];
    tacho_str type = without_dialect(tacho_graph_string(graph, node->type));
    snprintf(text, sizeof(text), "%.*s_%" PRIu32, type.len > 64 ? 64 : (int)type.len, type.data,
             node->index);
    return tacho_arena_copy(arena, tacho_str_from_cstring(text), out_name);
}

/* Whether a member is part of the name: not if it only changes the form of numbers. */
static bool is_named(const tacho_fused_op *op, uint32_t number, const tacho_node *node)
{
    bool is_form = node->def != NULL &&
                   (node->def->kind == TACHO_OP_QUANTISE || node->def->kind == TACHO_OP_DEQUANTISE);
    return number == op->root || !is_form;
}

/* Whether |words| between separators have |word|. */
static bool has_word(tacho_str words, tacho_str word, char between)
{
    while (words.len > 0) {
        size_t end = tacho_str_find_byte(words, between);
        if (tacho_str_equal(tacho_str_make(words.data, end), word)) {
            return true;
        }
        words = tacho_str_from(words, end < words.len ? end + 1 : end);
    }
    return false;
}

/* "aten::linear" of "linear.default": as the framework's profiler calls it. */
static tacho_status framework_type(tacho_str origin, tacho_arena *arena, tacho_str *out_type)
{
    char text[96];
    size_t len = tacho_str_find_byte(origin, '.');
    snprintf(text, sizeof(text), "aten::%.*s", len > 80 ? 80 : (int)len, origin.data);
    return tacho_arena_copy(arena, tacho_str_from_cstring(text), out_type);
}

tacho_status tacho_estimate_op_type(const tacho_estimate *estimate, size_t op, char between,
                                    tacho_arena *arena, tacho_str *out_type)
{
    enum { TYPE_MAX = 80 };
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_graph *graph = fusion->graph;
    const tacho_fused_op *fused = &fusion->ops[op];
    char text[TYPE_MAX + 8];
    tacho_str origin = tacho_graph_origin(graph, &graph->nodes[fused->root]);
    if (tacho_machine_is_gpu(estimate->machine) && origin.len > 0) {
        return framework_type(origin, arena, out_type);
    }
    if (estimate->ops[op].work.kernel.form == TACHO_FORM_ATTENTION) {
        return tacho_arena_copy(arena, TACHO_STR("Attention"), out_type);
    }
    tacho_str type = without_dialect(tacho_graph_string(graph, graph->nodes[fused->root].type));
    size_t used = type.len < TYPE_MAX ? type.len : TYPE_MAX;
    memcpy(text, type.data, used);
    for (uint32_t i = 0; i < fused->member_count; i++) {
        uint32_t number = fusion->members[fused->first_member + i];
        const tacho_node *node = &graph->nodes[number];
        type = without_dialect(tacho_graph_string(graph, node->type));
        if (number == fused->root || !is_named(fused, number, node) ||
            has_word(tacho_str_make(text, used), type, between)) {
            continue;
        }
        if (used + 1 + type.len > TYPE_MAX) {
            break;
        }
        text[used++] = between;
        memcpy(text + used, type.data, type.len);
        used += type.len;
    }
    return tacho_arena_copy(arena, tacho_str_make(text, used), out_type);
}

/* Whether |tensor| has a single position with |channels| for each of its images. */
static bool has_one_position(const tacho_tensor *tensor, uint64_t channels)
{
    uint64_t elements = 0;
    uint64_t expected = 0;
    return tensor != NULL && tensor->shape->rank > 0 && tensor->shape->dims[0] > 0 &&
           tacho_shape_elements(tensor->shape, &elements) &&
           !__builtin_mul_overflow((uint64_t)tensor->shape->dims[0], channels, &expected) &&
           elements == expected;
}

/* A convolution whose image and window are one position is a product of matrices. */
static bool is_fully_connected(const tacho_estimate *estimate, size_t op)
{
    const tacho_graph *graph = estimate->fusion->graph;
    const tacho_fused_op *fused = &estimate->fusion->ops[op];
    const tacho_node *root = &graph->nodes[fused->root];
    const tacho_work *work = &estimate->ops[op].work;
    return fused->kind == TACHO_OP_CONVOLUTION && work->batch == 1 && work->k_window == 1 &&
           root->input_count > 0 && root->output_count > 0 &&
           has_one_position(tacho_graph_input(graph, root, 0), work->k_channels) &&
           has_one_position(tacho_graph_output(graph, root, 0), work->n);
}

/* Each channel by itself, whatever its name in the model: a group for each. */
static bool is_depthwise(const tacho_estimate *estimate, size_t op)
{
    const tacho_work *work = &estimate->ops[op].work;
    return estimate->fusion->ops[op].kind == TACHO_OP_CONVOLUTION && work->batch > 1 &&
           work->k_channels == 1;
}

tacho_str tacho_estimate_vendor_name(const tacho_estimate *estimate, size_t op)
{
    const tacho_fusion *fusion = estimate->fusion;
    const tacho_node *root = &fusion->graph->nodes[fusion->ops[op].root];
    tacho_str type = tacho_graph_string(fusion->graph, root->type);
    tacho_op_kind like = is_fully_connected(estimate, op) ? TACHO_OP_MATMUL : fusion->ops[op].kind;
    tacho_str kind = tacho_str_from_cstring(tacho_op_kind_name(like));
    tacho_str depthwise = TACHO_STR("depthwise");
    tacho_str word = tacho_machine_op_name(estimate->machine, type);
    if (tacho_str_equal(word, type) && is_depthwise(estimate, op)) {
        word = tacho_machine_op_name(estimate->machine, depthwise);
        word = tacho_str_equal(word, depthwise) ? type : word;
    }
    if (tacho_str_equal(word, type)) {
        word = tacho_machine_op_name(estimate->machine, kind);
    }
    return tacho_str_equal(word, kind) ? TACHO_STR("") : word;
}

tacho_dtype tacho_estimate_stand_in(const tacho_estimate *estimate, size_t op)
{
    const tacho_op_estimate *one = &estimate->ops[op];
    tacho_dtype type = one->cost.compute;
    if (one->work.kind != TACHO_WORK_MATRIX || one->cost.engine == TACHO_NONE ||
        type == TACHO_DTYPE_NONE) {
        return TACHO_DTYPE_NONE;
    }
    const tacho_engine *engine = &estimate->machine->engines[one->cost.engine];
    const tacho_rate *rate = tacho_cost_mac_rate(engine, type);
    uint64_t bytes = 0, others = 0;
    if (rate == NULL || rate->dtype == type || tacho_quantity_is_set(&engine->fixed_job_cycles)) {
        return TACHO_DTYPE_NONE;
    }
    bool is_alike = tacho_dtype_bytes(type, 16, &bytes) &&
                    tacho_dtype_bytes(rate->dtype, 16, &others) && bytes == others &&
                    tacho_dtype_kind_of(type) != TACHO_DTYPE_REAL &&
                    tacho_dtype_kind_of(rate->dtype) != TACHO_DTYPE_REAL;
    return is_alike ? TACHO_DTYPE_NONE : rate->dtype;
}

/* ---- costs --------------------------------------------------------------------------------- */

static void choose_place(tacho_place_choice choice, tacho_operand *operand)
{
    if (choice != TACHO_PLACE_AS_FITS) {
        operand->place = choice == TACHO_PLACE_ALWAYS_LOCAL ? TACHO_PLACE_LOCAL : TACHO_PLACE_DDR;
    }
}

static void count_bytes(tacho_op_estimate *op)
{
    const tacho_work *work = &op->work;
    const tacho_operand *const read[] = {&work->input, &work->weights};
    for (size_t i = 0; i < 2; i++) {
        *(read[i]->place == TACHO_PLACE_DDR ? &op->ddr_read_bytes : &op->local_bytes) +=
            read[i]->bytes;
    }
    *(work->output.place == TACHO_PLACE_DDR ? &op->ddr_write_bytes : &op->local_bytes) +=
        work->output.bytes;
}

/*
 * Data in the L2 of a GPU is neither read from shared memory nor written to it. The rest is limited
 * to the bytes that memory can move in the time, where not all of an operand is touched.
 */
static tacho_status leave_cached(const tacho_machine *machine, tacho_op_estimate *op)
{
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    uint64_t bytes = op->ddr_read_bytes + op->ddr_write_bytes;
    bool is_view = op->work.kernel.form == TACHO_FORM_VIEW;
    uint64_t hot = is_view ? bytes : tacho_op_gpu_hot(&machine->gpu, bytes);
    tacho_ratio rate;
    TACHO_TRY(tacho_cost_memory_rate(ddr, &rate));
    const int64_t times[] = {op->cost.read_cycles, op->cost.write_cycles};
    uint64_t *const moved[] = {&op->ddr_read_bytes, &op->ddr_write_bytes};
    for (size_t i = 0; i < 2; i++) {
        tacho_u128 most = (tacho_u128)(uint64_t)times[i] * (uint64_t)rate.num / (uint64_t)rate.den;
        uint64_t cold = bytes > 0 ? (uint64_t)((tacho_u128)*moved[i] * (bytes - hot) / bytes) : 0;
        *moved[i] = most < cold ? (uint64_t)most : cold;
    }
    op->local_bytes = tacho_size_add(op->local_bytes, is_view ? 0 : hot);
    return TACHO_OK;
}

/*
 * Several inferences as one: activations grow, constants stay. Products of two activations become
 * more, others longer.
 */
static tacho_status multiply_work(const tacho_fusion *fusion, const tacho_fused_op *fused,
                                  uint64_t factor, tacho_work *work)
{
    if (factor <= 1) {
        return TACHO_OK;
    }
    bool has_constant = fused->weight_count > 0;
    uint64_t *const grown[] = {&work->input.bytes, &work->output.bytes, &work->elements,
                               has_constant ? &work->m : &work->batch,
                               has_constant ? NULL : &work->weights.bytes};
    for (size_t i = 0; i < sizeof(grown) / sizeof(grown[0]) && grown[i] != NULL; i++) {
        if (__builtin_mul_overflow(*grown[i], factor, grown[i])) {
            return tacho_work_fail(fusion, fused, "a batch of %llu is too large",
                                   (unsigned long long)factor);
        }
    }
    return TACHO_OK;
}

/*
 * A move within local memory that no queue does: an engine takes each element once. It stays a move
 * where no engine has a rate for such elements.
 */
static void copy_by_engine(const tacho_machine *machine, tacho_work *work)
{
    bool is_local = work->input.place == TACHO_PLACE_LOCAL && work->input.bytes > 0;
    tacho_dtype dtype = tacho_machine_legalise(machine, work->output.dtype);
    uint64_t one = 0;
    if (work->kind != TACHO_WORK_MOVE || !is_local || work->output.bytes == 0 ||
        !tacho_machine_view_copies_by_engine(machine) || !tacho_dtype_bytes(dtype, 1, &one) ||
        one == 0) {
        return;
    }
    bool has_rate = false;
    for (size_t i = 0; i < machine->engine_count; i++) {
        has_rate |= tacho_cost_element_rate(&machine->engines[i], dtype) != NULL;
    }
    if (has_rate) {
        work->kind = TACHO_WORK_VECTOR;
        work->compute = dtype;
        work->elements = tacho_ceil_div(work->output.bytes, one);
        work->steps = 1;
    }
}

/* An unknown operator is a task of the processor, where the machine has one, besides its bytes. */
static void take_processor(const tacho_machine *machine, tacho_op_cost *cost)
{
    uint32_t engine = tacho_machine_view_processor(machine);
    if (engine == TACHO_NONE) {
        return;
    }
    cost->engine = engine;
    cost->engine_count = cost->cores = 1;
    cost->compute_cycles = tacho_quantity_whole(&machine->engines[engine].fixed_job_cycles);
    cost->cycles = tacho_cycles_add(cost->cycles, cost->compute_cycles);
    if (cost->compute_cycles > tacho_most(cost->read_cycles, cost->write_cycles)) {
        cost->bound = TACHO_BOUND_COMPUTE;
    }
}

/*
 * Elements that one result of the operator needs: the whole line if it is reduced or normalised.
 * All elements if that is not known.
 */
static void find_line(const tacho_estimate *estimate, size_t number, tacho_work *work)
{
    tacho_op_kind kind = estimate->fusion->ops[number].kind;
    bool has_lines = kind == TACHO_OP_REDUCTION || kind == TACHO_OP_NORMALISATION ||
                     kind == TACHO_OP_SOFTMAX || kind == TACHO_OP_QUANTISE;
    if (work->kind != TACHO_WORK_VECTOR || !has_lines ||
        !(tacho_op_mesh_has(estimate->machine) || tacho_machine_is_gpu(estimate->machine))) {
        return;
    }
    tacho_space space = {.axes = {{0}}};
    tacho_space_options options = {.part = 0};
    tacho_status status = tacho_space_fill(estimate, (uint32_t)number, &options, &space);
    work->line = status == TACHO_OK ? 1 : work->elements;
    for (uint32_t i = 0; status == TACHO_OK && i < space.axis_count; i++) {
        bool is_line = space.axes[i].role == TACHO_AXIS_SUM;
        work->line = tacho_size_multiply(work->line, is_line ? space.axes[i].size : 1);
        work->line_step = is_line ? 1 : tacho_size_multiply(work->line_step, space.axes[i].size);
    }
    tacho_status_free(status);
    tacho_space_deinit(&space);
}

static tacho_status estimate_op(tacho_estimate *estimate, size_t number,
                                const tacho_work_options *work_options,
                                const tacho_estimate_options *options)
{
    const tacho_fused_op *fused = &estimate->fusion->ops[number];
    tacho_op_estimate *op = &estimate->ops[number];
    TACHO_TRY(tacho_work_compute(estimate->fusion, fused, work_options, &op->work));
    TACHO_TRY(multiply_work(estimate->fusion, fused, options->factor, &op->work));
    choose_place(options->places[TACHO_OPERAND_INPUT], &op->work.input);
    choose_place(options->places[TACHO_OPERAND_WEIGHTS], &op->work.weights);
    choose_place(options->places[TACHO_OPERAND_OUTPUT], &op->work.output);
    bool is_unknown = tacho_estimate_is_unknown(estimate, number);
    if (!is_unknown) {
        copy_by_engine(estimate->machine, &op->work);
        find_line(estimate, number, &op->work);
    }
    if (tacho_machine_is_gpu(estimate->machine)) {
        tacho_gpu_form_set(estimate->fusion, fused, options->factor, &op->work);
    }
    tacho_status status =
        tacho_op_cost_estimate(estimate->machine, &op->work, &options->cost, &op->cost);
    if (status != TACHO_OK) {
        const tacho_node *node = &estimate->fusion->graph->nodes[fused->root];
        return tacho_status_add_note(status, "node %" PRIu32 " '%s' (%s) of %.*s", node->index,
                                     tacho_graph_string(estimate->fusion->graph, node->name).data,
                                     tacho_graph_string(estimate->fusion->graph, node->type).data,
                                     TACHO_STR_ARG(estimate->fusion->graph->path));
    }
    if (is_unknown) {
        take_processor(estimate->machine, &op->cost);
    }
    if (op->cost.cycles < 1) { /* nothing that runs is free */
        op->cost.cycles = 1;
        op->cost.bound = TACHO_BOUND_LAUNCH;
    }
    count_bytes(op);
    if (tacho_machine_is_gpu(estimate->machine)) {
        TACHO_TRY(leave_cached(estimate->machine, op));
    }
    return TACHO_OK;
}

static tacho_status add_up(tacho_estimate *estimate, size_t number)
{
    tacho_op_estimate *op = &estimate->ops[number];
    op->start_cycles = estimate->cycles;
    bool is_over = __builtin_add_overflow(estimate->cycles, op->cost.cycles, &estimate->cycles);
    is_over |= __builtin_add_overflow(estimate->macs, op->cost.macs, &estimate->macs);
    is_over |= __builtin_add_overflow(estimate->ddr_bytes, op->ddr_read_bytes + op->ddr_write_bytes,
                                      &estimate->ddr_bytes);
    is_over |= __builtin_add_overflow(estimate->ideal_cycles, op->cost.ideal_cycles,
                                      &estimate->ideal_cycles);
    if (is_over) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s: the model's totals do not fit 63 bits",
                          TACHO_STR_ARG(estimate->fusion->graph->path));
    }
    estimate->bound_cycles[op->cost.bound] += op->cost.cycles;
    estimate->bound_ops[op->cost.bound]++;
    estimate->unknown_count += tacho_estimate_is_unknown(estimate, number) ? 1 : 0;
    return TACHO_OK;
}

/* Constants that operators read, each once. */
static tacho_status count_weights(tacho_estimate *estimate)
{
    const tacho_fusion *fusion = estimate->fusion;
    bool *is_counted = NULL;
    TACHO_TRY(tacho_items_make(&is_counted, fusion->graph->tensor_count));
    for (size_t i = 0; i < fusion->op_count; i++) {
        const tacho_fused_op *op = &fusion->ops[i];
        for (uint32_t j = 0; j < op->weight_count; j++) {
            uint32_t id = fusion->tensors[op->first_weight + j];
            uint64_t bytes = 0;
            if (!is_counted[id] && tacho_tensor_bytes(&fusion->graph->tensors[id], &bytes)) {
                estimate->weight_bytes += bytes;
            }
            is_counted[id] = true;
        }
    }
    free(is_counted);
    return TACHO_OK;
}

static tacho_status estimate_all(tacho_estimate *estimate, const tacho_placement *placement,
                                 const tacho_estimate_options *options)
{
    tacho_work_options work_options = {placement->places, estimate->machine, options->cost.compute};
    estimate->local_peak_bytes = placement->local_peak_bytes;
    for (size_t i = 0; i < estimate->fusion->op_count; i++) {
        TACHO_TRY(estimate_op(estimate, i, &work_options, options));
        TACHO_TRY(add_up(estimate, i));
    }
    return count_weights(estimate);
}

static tacho_status estimate_placed(tacho_estimate *estimate, const tacho_estimate_options *options)
{
    tacho_placement placement;
    tacho_placement_options usual = tacho_placement_usual(
        estimate->machine, tacho_machine_cores(estimate->machine), options->cost.compute);
    usual.factor = options->factor;
    tacho_status status = tacho_placement_init(&placement, estimate->fusion, &usual);
    if (status == TACHO_OK) {
        status = estimate_all(estimate, &placement, options);
    }
    tacho_placement_deinit(&placement);
    return status;
}

tacho_status tacho_estimate_init(tacho_estimate *estimate, const tacho_fusion *fusion,
                                 const tacho_machine *machine,
                                 const tacho_estimate_options *options)
{
    *estimate = (tacho_estimate){.fusion = fusion, .machine = machine};
    estimate->inferences = options->factor > 0 ? options->factor : 1;
    estimate->devices = 1;
    estimate->compute = options->cost.compute;
    estimate->is_eager = options->cost.is_eager;
    uint32_t tf32 = tacho_machine_fidelity_find(machine, TACHO_STR("tf32"));
    estimate->is_tf32 = tf32 > 0 && options->cost.fidelity == tf32;
    estimate->fidelity = options->cost.fidelity;
    TACHO_TRY(tacho_items_make(&estimate->ops, fusion->op_count));
    return options->placement != NULL ? estimate_all(estimate, options->placement, options)
                                      : estimate_placed(estimate, options);
}

/* The largest of the busy times; on a tie the first. */
static tacho_bound bound_of(const tacho_op_timing *timing)
{
    const struct {
        tacho_bound bound;
        int64_t cycles;
    } terms[] = {
        {TACHO_BOUND_COMPUTE, timing->compute_cycles},
        {TACHO_BOUND_MEMORY,
         tacho_most(tacho_most(timing->read_cycles, timing->write_cycles), timing->shared_cycles)},
        {TACHO_BOUND_LOCAL, timing->copy_cycles},
        {TACHO_BOUND_LAUNCH, timing->launch_cycles},
    };
    size_t largest = 0;
    for (size_t i = 1; i < sizeof(terms) / sizeof(terms[0]); i++) {
        largest = terms[i].cycles > terms[largest].cycles ? i : largest;
    }
    return terms[largest].cycles > 0 ? terms[largest].bound : TACHO_BOUND_LAUNCH;
}

/* A stream keeps the bound of its closed form; no part is longer than the whole. */
static void take_parts(const tacho_op_timing *timing, tacho_op_estimate *op)
{
    tacho_op_cost *cost = &op->cost;
    int64_t copies = op->local_bytes > 0 ? timing->copy_cycles : 0; /* else nothing is copied */
    cost->compute_cycles = timing->compute_cycles;
    cost->read_cycles = tacho_most(timing->read_cycles, copies);
    cost->write_cycles = timing->write_cycles;
    if (timing->is_tiled) {
        cost->cores = timing->cores;
        cost->launch_cycles = timing->launch_cycles;
    }
    if (timing->has_bound) {
        cost->bound = bound_of(timing);
    }
    if (cost->launch_cycles > cost->cycles) {
        cost->launch_cycles = cost->cycles;
    }
}

tacho_status tacho_estimate_retime(tacho_estimate *estimate, const tacho_op_timing *timings)
{
    estimate->cycles = estimate->ideal_cycles = 0;
    estimate->macs = estimate->ddr_bytes = 0;
    estimate->unknown_count = 0;
    memset(estimate->bound_cycles, 0, sizeof(estimate->bound_cycles));
    memset(estimate->bound_ops, 0, sizeof(estimate->bound_ops));
    for (size_t i = 0; i < estimate->fusion->op_count; i++) {
        tacho_op_estimate *op = &estimate->ops[i];
        op->cost.cycles = timings[i].cycles;
        op->ddr_read_bytes = timings[i].ddr_read_bytes;
        op->ddr_write_bytes = timings[i].ddr_write_bytes;
        op->device = timings[i].device;
        op->link_bytes = timings[i].link_bytes;
        if (!tacho_machine_is_gpu(estimate->machine)) { /* whose kernels are one job each */
            take_parts(&timings[i], op);
        }
        if (timings[i].link_cycles > timings[i].cycles / 2) { /* longer than all else together */
            op->cost.bound = TACHO_BOUND_LINK;
        }
        TACHO_TRY(add_up(estimate, i));
        op->start_cycles = timings[i].start_cycles;
    }
    return TACHO_OK;
}

void tacho_estimate_deinit(tacho_estimate *estimate)
{
    free(estimate->ops);
}
