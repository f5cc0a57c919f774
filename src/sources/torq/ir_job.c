/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the program of a job: block after block, task after task, in the order in which the
 * accelerator's sequencer executes the operations.
 *
 * A slice's invocation enters the program as an argument of its first block, and is passed from
 * block to block by torq_hl.next; each argument is bound to its value as the block is entered, so
 * each look-up is done only once.
 */
#include "base/grow.h"
#include "sources/torq/ir_state.h"

#include <stdlib.h>

enum { USED_MAX = 1 << 26 };

/* Effects of the operations in a task. */
typedef struct inner_form {
    tacho_str name;
    tacho_track_class track_class;
    tacho_inner_kind kind;
} inner_form;

static const inner_form forms[] = {
    {TACHO_STR_INIT("torq_hw.dma_in_cfg"), TACHO_TRACK_DMA_IN, TACHO_INNER_CONFIGURE},
    {TACHO_STR_INIT("torq_hw.dma_in_start"), TACHO_TRACK_DMA_IN, TACHO_INNER_START},
    {TACHO_STR_INIT("torq_hw.dma_in_wait"), TACHO_TRACK_DMA_IN, TACHO_INNER_WAIT},
    {TACHO_STR_INIT("torq_hw.slice_start"), TACHO_TRACK_COMPUTE, TACHO_INNER_START},
    {TACHO_STR_INIT("torq_hw.slice_wait"), TACHO_TRACK_COMPUTE, TACHO_INNER_WAIT},
    {TACHO_STR_INIT("torq_hw.dma_out_cfg"), TACHO_TRACK_DMA_OUT, TACHO_INNER_CONFIGURE},
    {TACHO_STR_INIT("torq_hw.dma_out_start"), TACHO_TRACK_DMA_OUT, TACHO_INNER_START},
    {TACHO_STR_INIT("torq_hw.dma_out_wait"), TACHO_TRACK_DMA_OUT, TACHO_INNER_WAIT},
    {TACHO_STR_INIT("torq_hw.css_start"), TACHO_TRACK_VECTOR, TACHO_INNER_START},
    {TACHO_STR_INIT("torq_hw.css_wait"), TACHO_TRACK_VECTOR, TACHO_INNER_WAIT},
    {TACHO_STR_INIT("torq_hw.cdma_start"), TACHO_TRACK_DMA_LOCAL, TACHO_INNER_START},
    {TACHO_STR_INIT("torq_hw.cdma_wait"), TACHO_TRACK_DMA_LOCAL, TACHO_INNER_WAIT},
};

enum {
    FORM_COUNT = sizeof(forms) / sizeof(forms[0]),
    /* In ir->forms, beside the places of forms from 1 on; 0 is not looked up yet. */
    FORM_UNKNOWN = FORM_COUNT + 1,
    FORM_TASK,
    FORM_NEXT,
    FORM_RETURN,
};

static unsigned char look_up_form(tacho_str name)
{
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (tacho_str_equal(name, forms[i].name)) {
            return (unsigned char)(i + 1);
        }
    }
    if (tacho_str_equal(name, TACHO_STR("torq_hw.nss_task"))) {
        return FORM_TASK;
    }
    if (tacho_str_equal(name, TACHO_STR("torq_hl.next"))) {
        return FORM_NEXT;
    }
    return tacho_str_equal(name, TACHO_STR("torq_hl.return")) ? FORM_RETURN : FORM_UNKNOWN;
}

/* Each name is looked up once. */
static unsigned char form_of(torq_ir *ir, const tacho_mlir_op *op)
{
    unsigned char *form = &ir->forms[op->name];
    if (*form == 0) {
        *form = look_up_form(torq_ir_op_name(ir, op));
    }
    return *form;
}

static const inner_form *find_form(torq_ir *ir, const tacho_mlir_op *op)
{
    unsigned char form = form_of(ir, op);
    return form <= FORM_COUNT ? &forms[form - 1] : NULL;
}

tacho_status torq_ir_reserve(torq_ir *ir)
{
    tacho_debug_info *info = ir->info;
    size_t op_count = info->op_count;
    size_t task_count = info->task_count;
    for (size_t i = 0; i < ir->module->op_count; i++) {
        unsigned char form = form_of(ir, &ir->module->ops[i]);
        op_count += form <= FORM_COUNT;
        task_count += form == FORM_TASK;
    }
    TACHO_TRY(tacho_grow(&info->ops, &info->op_capacity, op_count));
    return tacho_grow(&info->tasks, &info->task_capacity, task_count);
}

static tacho_status visit(torq_ir *ir, uint64_t count)
{
    ir->visited_count += count;
    if (ir->visited_count > TORQ_IR_INNER_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%.*s: the jobs of this file do more than %d things",
                          TACHO_STR_ARG(ir->file), TORQ_IR_INNER_MAX);
    }
    return TACHO_OK;
}

/* ---- engines ---------------------------------------------------------------------------- */

static tacho_status find_engine(torq_ir *ir, tacho_engine engine, uint32_t *out_engine)
{
    uint32_t *known = engine.track_class == TACHO_TRACK_COMPUTE ? &ir->slices[engine.index]
                                                                : &ir->engines[engine.track_class];
    if (*known == TACHO_NONE) {
        TACHO_TRY(tacho_debug_info_ensure_engine(ir->info, engine, known));
        TACHO_TRY(tacho_grow(&ir->queues, &ir->queue_capacity, ir->info->engine_count));
        while (ir->queue_count < ir->info->engine_count) {
            ir->queues[ir->queue_count++] = (torq_ir_queue){TACHO_NONE, TACHO_NONE, TACHO_NONE};
        }
    }
    *out_engine = *known;
    return TACHO_OK;
}

static tacho_status use_engine(torq_ir *ir, uint32_t engine, uint32_t job)
{
    tacho_debug_info *info = ir->info;
    if (ir->queues[engine].used_in == job) {
        return TACHO_OK;
    }
    if (info->used_count >= USED_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%.*s: too many engines at work in too many jobs",
                          TACHO_STR_ARG(ir->file));
    }
    ir->queues[engine].used_in = job;
    TACHO_TRY(tacho_grow(&info->used, &info->used_capacity, info->used_count + 1));
    info->used[info->used_count++] = engine;
    info->jobs[job].used_count++;
    return TACHO_OK;
}

static bool is_engine_before(const tacho_debug_info *info, uint32_t a, uint32_t b)
{
    const tacho_engine *left = &info->engines[a];
    const tacho_engine *right = &info->engines[b];
    return left->track_class != right->track_class ? left->track_class < right->track_class
                                                   : left->index < right->index;
}

/* Sorts engines by insertion: they are few, and nearly in order. */
static void sort_used(tacho_debug_info *info, const tacho_debug_job *job)
{
    for (uint32_t i = 1; i < job->used_count; i++) {
        uint32_t *used = &info->used[job->first_used];
        uint32_t engine = used[i];
        uint32_t at = i;
        for (; at > 0 && is_engine_before(info, engine, used[at - 1]); at--) {
            used[at] = used[at - 1];
        }
        used[at] = engine;
    }
}

/* Marks engines used by work that earlier jobs started and have not waited for. */
static tacho_status use_pending(torq_ir *ir, uint32_t job)
{
    TACHO_TRY(visit(ir, ir->queue_count));
    for (uint32_t i = 0; i < ir->queue_count; i++) {
        if (ir->queues[i].oldest != TACHO_NONE) {
            TACHO_TRY(use_engine(ir, i, job));
        }
    }
    return TACHO_OK;
}

/* ---- units of work ---------------------------------------------------------------------- */

static tacho_status begin_unit(torq_ir *ir, uint32_t engine, uint32_t op, uint32_t *out_unit)
{
    tacho_debug_info *info = ir->info;
    uint32_t unit = (uint32_t)info->unit_count;
    torq_ir_queue *queue = &ir->queues[engine];
    TACHO_TRY(tacho_grow(&info->units, &info->unit_capacity, info->unit_count + 1));
    TACHO_TRY(tacho_grow(&ir->next_units, &ir->next_unit_capacity, info->unit_count + 1));
    info->units[info->unit_count++] = (tacho_unit_of_work){engine, op, TACHO_NONE};
    ir->next_units[unit] = TACHO_NONE;
    if (queue->oldest == TACHO_NONE) {
        queue->oldest = unit;
    } else {
        ir->next_units[queue->newest] = unit;
    }
    queue->newest = unit;
    *out_unit = unit;
    return TACHO_OK;
}

/* Ends the oldest unit of work; TACHO_NONE when the engine is idle. */
static uint32_t end_unit(torq_ir *ir, uint32_t engine, uint32_t op)
{
    torq_ir_queue *queue = &ir->queues[engine];
    uint32_t unit = queue->oldest;
    if (unit == TACHO_NONE) {
        ir->info->unmatched_wait_count++;
        return TACHO_NONE;
    }
    ir->info->units[unit].wait_op = op;
    queue->oldest = ir->next_units[unit];
    return unit;
}

void torq_ir_end_jobs(torq_ir *ir)
{
    for (size_t i = 0; i < ir->queue_count; i++) {
        torq_ir_queue *queue = &ir->queues[i];
        for (uint32_t unit = queue->oldest; unit != TACHO_NONE; unit = ir->next_units[unit]) {
            ir->info->unwaited_count++;
        }
        queue->oldest = TACHO_NONE;
    }
    for (size_t i = 0; i < TACHO_TRACK_CLASS_COUNT; i++) {
        ir->from_space[i] = 0;
        ir->to_space[i] = 0;
    }
}

/* ---- inner ops -------------------------------------------------------------------------- */

/* Adds the kernel to its job unless present. */
static tacho_status add_kernel(torq_ir *ir, uint32_t job, uint32_t name)
{
    tacho_debug_info *info = ir->info;
    TACHO_TRY(tacho_grow(&ir->kernel_jobs, &ir->kernel_job_capacity, (size_t)name + 1));
    while (ir->kernel_job_count <= name) {
        ir->kernel_jobs[ir->kernel_job_count++] = TACHO_NONE;
    }
    if (name == 0 || ir->kernel_jobs[name] == job) {
        return TACHO_OK;
    }
    ir->kernel_jobs[name] = job;
    TACHO_TRY(tacho_grow(&info->kernels, &info->kernel_capacity, info->kernel_count + 1));
    info->kernels[info->kernel_count++] = name;
    info->jobs[job].kernel_count++;
    return TACHO_OK;
}

/* The value that |value| has in this job. */
static uint32_t resolve(const torq_ir *ir, uint32_t value)
{
    if (value == TACHO_NONE || ir->module->values[value].block == TACHO_NONE) {
        return value;
    }
    return ir->values[value].bound_to;
}

static tacho_status start_work(torq_ir *ir, const tacho_mlir_op *op, tacho_inner_op *inner)
{
    tacho_debug_info *info = ir->info;
    tacho_track_class track_class = info->engines[inner->engine].track_class;
    int64_t cycles = -1;
    if (tacho_mlir_module_int(ir->module, op, ir->attrs.async_cycles, &cycles)) {
        inner->async_cycles = cycles < 0 ? -1 : cycles;
    }
    if (track_class == TACHO_TRACK_COMPUTE || track_class == TACHO_TRACK_VECTOR) {
        uint32_t invocation = resolve(ir, torq_ir_operand(ir, op, 0));
        TACHO_TRY(torq_ir_string(ir, torq_ir_invocation_name(ir, invocation), &inner->name));
        TACHO_TRY(add_kernel(ir, inner->job, inner->name));
    }
    if (track_class == TACHO_TRACK_DMA_LOCAL) {
        TACHO_TRY(torq_ir_space(ir, torq_ir_operand(ir, op, 0), &inner->to_space));
        TACHO_TRY(torq_ir_space(ir, torq_ir_operand(ir, op, 1), &inner->from_space));
    } else {
        inner->from_space = ir->from_space[track_class];
        inner->to_space = ir->to_space[track_class];
    }
    TACHO_TRY(use_engine(ir, inner->engine, inner->job));
    return begin_unit(ir, inner->engine, (uint32_t)info->op_count, &inner->unit);
}

static tacho_status configure(torq_ir *ir, const tacho_mlir_op *op, tacho_inner_op *inner)
{
    tacho_track_class track_class = ir->info->engines[inner->engine].track_class;
    TACHO_TRY(torq_ir_space(ir, torq_ir_operand(ir, op, 0), &inner->from_space));
    TACHO_TRY(torq_ir_space(ir, torq_ir_operand(ir, op, 1), &inner->to_space));
    ir->from_space[track_class] = inner->from_space;
    ir->to_space[track_class] = inner->to_space;
    return TACHO_OK;
}

/* Attributes a kernel to the job that starts it, and to the one that waits for it. */
static tacho_status wait_for_work(torq_ir *ir, tacho_inner_op *inner)
{
    const tacho_debug_info *info = ir->info;
    inner->unit = end_unit(ir, inner->engine, (uint32_t)info->op_count);
    if (inner->unit != TACHO_NONE) {
        const tacho_inner_op *start = &info->ops[info->units[inner->unit].start_op];
        inner->name = start->name;
        inner->from_space = start->from_space;
        inner->to_space = start->to_space;
    }
    return inner->name != 0 ? add_kernel(ir, inner->job, inner->name) : TACHO_OK;
}

/* The slice of an operation; other engines exist once. */
static bool find_index(const torq_ir *ir, const tacho_mlir_op *op, const inner_form *form,
                       uint32_t *out_index)
{
    int64_t index = 0;
    if (form->track_class == TACHO_TRACK_COMPUTE &&
        !tacho_mlir_module_int(ir->module, op, ir->attrs.id, &index)) {
        return false;
    }
    *out_index = (uint32_t)index;
    return index >= 0 && index < TORQ_SLICE_MAX;
}

static tacho_status run_op(torq_ir *ir, const tacho_mlir_op *op, uint32_t job, uint32_t task)
{
    tacho_debug_info *info = ir->info;
    const inner_form *form = find_form(ir, op);
    tacho_engine engine = {TACHO_TRACK_COMPUTE, 0};
    TACHO_TRY(visit(ir, 1));
    if (form == NULL || !find_index(ir, op, form, &engine.index)) {
        return tacho_str_starts_with(torq_ir_op_name(ir, op), TACHO_STR("torq_h"))
                   ? torq_ir_note_unknown(ir, op)
                   : TACHO_OK;
    }
    engine.track_class = form->track_class;
    tacho_inner_op inner = {
        .job = job, .task = task, .kind = form->kind, .unit = TACHO_NONE, .async_cycles = -1};
    TACHO_TRY(torq_ir_own_string(ir, op->name, &inner.operation));
    TACHO_TRY(torq_ir_location(ir, op->location, &inner.location));
    TACHO_TRY(find_engine(ir, engine, &inner.engine));
    switch (form->kind) {
    case TACHO_INNER_CONFIGURE:
        TACHO_TRY(configure(ir, op, &inner));
        break;
    case TACHO_INNER_START:
        TACHO_TRY(start_work(ir, op, &inner));
        break;
    case TACHO_INNER_WAIT:
        TACHO_TRY(wait_for_work(ir, &inner));
        break;
    }
    TACHO_TRY(tacho_grow(&info->ops, &info->op_capacity, info->op_count + 1));
    info->ops[info->op_count++] = inner;
    info->jobs[job].op_count++;
    return TACHO_OK;
}

/* ---- tasks and blocks ------------------------------------------------------------------- */

/* A count in an attribute, -1 if missing. */
static int64_t count_attr(const torq_ir *ir, const tacho_mlir_op *op, uint32_t name)
{
    int64_t value = -1;
    return tacho_mlir_module_int(ir->module, op, name, &value) && value >= 0 ? value : -1;
}

static tacho_status run_task(torq_ir *ir, const tacho_mlir_op *op, uint32_t job)
{
    tacho_debug_info *info = ir->info;
    const tacho_mlir_module *module = ir->module;
    tacho_task task = {
        .job = job,
        .id = count_attr(ir, op, ir->attrs.task_id),
        .start_cycles = count_attr(ir, op, ir->attrs.start_cycles),
        .end_cycles = count_attr(ir, op, ir->attrs.end_cycles),
    };
    TACHO_TRY(visit(ir, 1));
    TACHO_TRY(torq_ir_location(ir, op->location, &task.location));
    TACHO_TRY(tacho_grow(&info->tasks, &info->task_capacity, info->task_count + 1));
    uint32_t id = (uint32_t)info->task_count;
    info->tasks[info->task_count++] = task;
    info->jobs[job].task_count++;
    for (uint32_t r = 0; r < op->region_count; r++) {
        const tacho_mlir_region *region = &module->regions[op->first_region + r];
        for (uint32_t b = 0; b < region->block_count; b++) {
            uint32_t at = module->blocks[region->first_block + b].first_op;
            for (; at != TACHO_NONE; at = module->next_op[at]) {
                TACHO_TRY(run_op(ir, &module->ops[at], job, id));
            }
        }
    }
    return TACHO_OK;
}

/* Binds the arguments of a block to |count| operands from |first| on. */
static tacho_status bind_arguments(torq_ir *ir, const tacho_mlir_block *block, uint32_t first,
                                   uint32_t count)
{
    TACHO_TRY(visit(ir, block->argument_count));
    for (uint32_t i = 0; i < block->argument_count; i++) {
        uint32_t value = i < count ? ir->module->operands[first + i] : TACHO_NONE;
        ir->values[block->first_argument + i].bound_to = resolve(ir, value);
    }
    return TACHO_OK;
}

/*
 * The arguments of a start: its last operands, after the invocation and the code. The host's side
 * does not use block arguments, so nothing is bound there.
 */
static void find_arguments(const torq_ir *ir, const tacho_mlir_op *start, uint32_t wanted_count,
                           uint32_t *out_first, uint32_t *out_count)
{
    const tacho_mlir_attr *sizes = tacho_mlir_module_attr(ir->module, start, ir->attrs.segments);
    uint32_t most = start->operand_count > 0 ? start->operand_count - 1 : 0;
    uint32_t count = wanted_count < most ? wanted_count : most;
    if (sizes != NULL && sizes->kind == TACHO_MLIR_ATTR_INTS && sizes->int_count == 3 &&
        sizes->ints[2] >= 0 && sizes->ints[2] <= (int64_t)most) {
        count = (uint32_t)sizes->ints[2];
    }
    *out_first = start->first_operand + start->operand_count - count;
    *out_count = count;
}

/* Runs |block|; |*out_next| is the operation that passes on its values, if any. */
static tacho_status run_block(torq_ir *ir, const tacho_mlir_block *block, uint32_t job,
                              const tacho_mlir_op **out_next)
{
    for (uint32_t at = block->first_op; at != TACHO_NONE; at = ir->module->next_op[at]) {
        const tacho_mlir_op *op = &ir->module->ops[at];
        unsigned char form = form_of(ir, op);
        if (form == FORM_TASK) {
            TACHO_TRY(run_task(ir, op, job));
        } else if (form == FORM_NEXT) {
            *out_next = op;
        } else if (form != FORM_RETURN) {
            TACHO_TRY(run_op(ir, op, job, TACHO_NONE));
        }
    }
    return TACHO_OK;
}

static tacho_status run_program(torq_ir *ir, const tacho_mlir_op *start,
                                const tacho_mlir_region *region, uint32_t job)
{
    const tacho_mlir_op *next = NULL;
    uint32_t first = 0;
    uint32_t count = 0;
    for (uint32_t b = 0; b < region->block_count; b++) {
        const tacho_mlir_block *block = &ir->module->blocks[region->first_block + b];
        if (b == 0) {
            find_arguments(ir, start, block->argument_count, &first, &count);
        } else {
            first = next != NULL ? next->first_operand : 0;
            count = next != NULL ? next->operand_count : 0;
        }
        next = NULL;
        TACHO_TRY(bind_arguments(ir, block, first, count));
        TACHO_TRY(run_block(ir, block, job, &next));
    }
    return TACHO_OK;
}

tacho_status torq_ir_run_job(torq_ir *ir, const tacho_mlir_op *start, uint32_t job)
{
    tacho_debug_info *info = ir->info;
    const tacho_mlir_op *invocation = torq_ir_definition(ir, torq_ir_operand(ir, start, 0));
    const tacho_mlir_op *program =
        invocation != NULL ? torq_ir_definition(ir, torq_ir_operand(ir, invocation, 0)) : NULL;
    tacho_debug_job *facts = &info->jobs[job];
    facts->first_task = (uint32_t)info->task_count;
    facts->first_op = (uint32_t)info->op_count;
    facts->first_used = (uint32_t)info->used_count;
    facts->first_kernel = (uint32_t)info->kernel_count;
    TACHO_TRY(use_pending(ir, job));
    if (program != NULL && program->region_count > 0 &&
        tacho_str_equal(torq_ir_op_name(ir, program), TACHO_STR("torq_hl.program"))) {
        uint32_t location = TACHO_NONE;
        TACHO_TRY(torq_ir_location(ir, program->location, &location));
        facts->location = location != TACHO_NONE ? location : facts->location;
        TACHO_TRY(run_program(ir, start, &ir->module->regions[program->first_region], job));
    }
    sort_used(info, &info->jobs[job]);
    return TACHO_OK;
}
