/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory, elementwise kernels, and the total time of an operator.
 */
#include "compile/op_gpu.h"

#include "base/index.h"
#include "base/maths.h"

int64_t tacho_gpu_over(uint64_t amount, tacho_ratio rate)
{
    int64_t cycles;
    return tacho_ratio_ceil_divide(amount, rate, &cycles) ? cycles : INT64_MAX;
}

int64_t tacho_gpu_times(uint64_t amount, const tacho_quantity *factor)
{
    int64_t cycles;
    tacho_ratio ratio = tacho_quantity_or(factor, 0);
    return tacho_ratio_ceil_multiply(amount, ratio, &cycles) ? cycles : INT64_MAX;
}

int64_t tacho_gpu_start(const tacho_gpu_task *task, const tacho_quantity *cycles)
{
    bool is_alone = task->work->kernel.is_alone;
    int64_t other = is_alone ? 0 : tacho_quantity_whole(&task->gpu->switch_cycles);
    return tacho_cycles_add(tacho_quantity_whole(cycles), other);
}

/*
 * Small data was all just written or read; of large data nothing is left when it is read again.
 * Between the two the share falls evenly.
 */
uint64_t tacho_op_gpu_hot(const tacho_gpu *gpu, uint64_t bytes)
{
    uint64_t hot = (uint64_t)tacho_quantity_whole(&gpu->hot_bytes);
    uint64_t cold = (uint64_t)tacho_quantity_whole(&gpu->cold_bytes);
    if (bytes <= hot) {
        return bytes;
    }
    return bytes < cold ? hot * (cold - bytes) / (cold - hot) : 0; /* 31 bits each */
}

int64_t tacho_gpu_memory(const tacho_gpu_task *task, uint64_t bytes)
{
    uint64_t hot = tacho_op_gpu_hot(task->gpu, bytes);
    return tacho_cycles_add(tacho_gpu_over(hot, task->gpu->l2_bytes_per_cycle.value),
                            tacho_gpu_over(bytes - hot, task->shared_rate));
}

int64_t tacho_gpu_operands(const tacho_gpu_task *task, uint64_t bytes)
{
    bool is_cold = !task->work->kernel.is_alone;
    uint64_t weights = is_cold ? tacho_least(task->work->weights.bytes, bytes) : 0;
    return tacho_cycles_add(tacho_gpu_memory(task, bytes - weights),
                            tacho_gpu_over(weights, task->shared_rate));
}

void tacho_gpu_then(tacho_gpu_time *time, tacho_gpu_time next)
{
    time->cycles = tacho_cycles_add(time->cycles, next.cycles);
    time->compute = tacho_cycles_add(time->compute, next.compute);
    time->memory = tacho_cycles_add(time->memory, next.memory);
    time->start = tacho_cycles_add(time->start, next.start);
    time->padded_macs = tacho_size_add(time->padded_macs, next.padded_macs);
    time->kernels = tacho_size_add(time->kernels, next.kernels);
    time->blocks = time->blocks > next.blocks ? time->blocks : next.blocks;
}

static int64_t repeated(int64_t cycles, uint64_t count)
{
    return tacho_gpu_times(count, &(tacho_quantity){.value = {cycles, 1}});
}

void tacho_gpu_repeat(tacho_gpu_time *time, uint64_t count)
{
    time->cycles = repeated(time->cycles, count);
    time->compute = repeated(time->compute, count);
    time->memory = repeated(time->memory, count);
    time->start = repeated(time->start, count);
    time->padded_macs = tacho_size_multiply(time->padded_macs, count);
    time->kernels = tacho_size_multiply(time->kernels, count);
}

static const tacho_gpu_row *find_kernel(const tacho_gpu *gpu, tacho_form form)
{
    for (size_t i = 0; i < gpu->kernel_count; i++) {
        if (gpu->kernels[i].form == form) {
            return &gpu->kernels[i];
        }
    }
    return NULL;
}

/* The row of a form; where the machine has none, that of sums for their like, else the first. */
static const tacho_gpu_row *kernel_of(const tacho_gpu *gpu, tacho_form form)
{
    bool is_sum = form >= TACHO_FORM_REDUCE && form <= TACHO_FORM_SCAN_COLUMNS;
    const tacho_gpu_row *found = find_kernel(gpu, form);
    found = found == NULL && is_sum ? find_kernel(gpu, TACHO_FORM_REDUCE) : found;
    return found != NULL ? found : &gpu->kernels[0];
}

tacho_gpu_time tacho_gpu_kernel(const tacho_gpu_task *task, tacho_form form, uint64_t reach,
                                uint64_t lines, uint64_t bytes)
{
    tacho_gpu_time time = {.cycles = 0};
    if (reach == 0 || task->gpu->kernel_count == 0) {
        return time;
    }
    time.kernels = 1;
    const tacho_gpu_row *kernel = kernel_of(task->gpu, form);
    tacho_ratio rate = kernel->elements_per_cycle.value;
    uint64_t line = lines > 0 ? tacho_ceil_div(reach, lines) : 0;
    bool has_depth = task->work->kernel.form == form && task->work->kernel.depth > 0;
    line = has_depth ? task->work->kernel.depth : line;
    int64_t all_lines = tacho_gpu_times(lines, &kernel->line_cycles);
    time.start = tacho_cycles_add(tacho_gpu_start(task, &kernel->latency_cycles),
                                  tacho_gpu_times(line, &kernel->depth_cycles));
    time.compute = tacho_gpu_over(tacho_ceil_div(reach, task->cores), rate);
    time.compute =
        tacho_cycles_add(time.compute, (int64_t)tacho_ceil_div((uint64_t)all_lines, task->cores));
    time.memory = tacho_gpu_memory(task, bytes);
    int64_t both = kernel->is_serial ? tacho_cycles_add(time.compute, time.memory)
                                     : tacho_most(time.compute, time.memory);
    time.cycles = tacho_cycles_add(time.start, both);
    return time;
}

static tacho_status task_init(tacho_gpu_task *task, const tacho_machine *machine,
                              const tacho_work *work, const tacho_cost_options *options,
                              const tacho_op_cost *cost)
{
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    *task = (tacho_gpu_task){.machine = machine, .gpu = &machine->gpu, .work = work};
    task->engine = cost->engine != TACHO_NONE ? &machine->engines[cost->engine] : NULL;
    task->dtype = cost->compute;
    task->cores = tacho_machine_cores(machine);
    if (options->grid_x > 0 && options->grid_y > 0) {
        task->cores = tacho_least(task->cores, (uint64_t)options->grid_x * options->grid_y);
    }
    if (!tacho_dtype_bytes(cost->compute, 1, &task->element_bytes) || task->element_bytes == 0) {
        task->element_bytes = 1;
    }
    task->is_tf32 = tacho_cost_is_tf32(machine, options->fidelity, cost->compute);
    return tacho_cost_memory_rate(ddr, &task->shared_rate);
}

/* Work without a form is a product of matrices, or goes over its elements once. */
static tacho_gpu_time plain_time(const tacho_gpu_task *task)
{
    const tacho_work *work = task->work;
    uint64_t bytes = tacho_gpu_bytes(work);
    uint64_t elements = work->kind == TACHO_WORK_VECTOR ? work->elements : 0;
    uint64_t reach = elements > 0 ? elements : bytes / task->element_bytes;
    return work->kind == TACHO_WORK_MATRIX
               ? tacho_gpu_product_time(task)
               : tacho_gpu_kernel(task, TACHO_FORM_ELEMENT, reach > 0 ? reach : 1, 0, bytes);
}

static tacho_gpu_time time_of(const tacho_gpu_task *task)
{
    const tacho_work_kernel *kernel = &task->work->kernel;
    switch (kernel->form) {
    case TACHO_FORM_NONE:
        return plain_time(task);
    case TACHO_FORM_VIEW:
        return (tacho_gpu_time){.cycles = 0};
    case TACHO_FORM_PRODUCT:
        return tacho_gpu_product_time(task);
    case TACHO_FORM_CONVOLUTION:
        return tacho_gpu_convolution_time(task);
    case TACHO_FORM_ATTENTION:
        return tacho_gpu_attention_time(task);
    case TACHO_FORM_ELEMENT:
    case TACHO_FORM_MATH:
    case TACHO_FORM_STRIDED:
    case TACHO_FORM_TRANSPOSE:
    case TACHO_FORM_CONCAT:
    case TACHO_FORM_SOFTMAX:
    case TACHO_FORM_LONG_SOFTMAX:
    case TACHO_FORM_NORM:
    case TACHO_FORM_REDUCE:
    case TACHO_FORM_REDUCE_LAST:
    case TACHO_FORM_REDUCE_ALL:
    case TACHO_FORM_REDUCE_COLUMNS:
    case TACHO_FORM_ARGMAX:
    case TACHO_FORM_ARGMAX_COLUMNS:
    case TACHO_FORM_SCAN:
    case TACHO_FORM_SCAN_COLUMNS:
    case TACHO_FORM_RESAMPLE:
    case TACHO_FORM_POOL:
    case TACHO_FORM_POOL_LAST:
    case TACHO_FORM_AFFINE:
    case TACHO_FORM_AFFINE_HALF:
    case TACHO_FORM_CONVERT:
    case TACHO_FORM_CONVERT_WEIGHTS:
    case TACHO_FORM_DEPTHWISE:
    case TACHO_FORM_DEPTHWISE_LAST:
    case TACHO_FORM_DEPTHWISE_HALF:
    case TACHO_FORM_DEPTHWISE_HALF_LAST:
    case TACHO_FORM_COUNT:
        break;
    }
    return tacho_gpu_kernel(task, kernel->form, kernel->reach, kernel->lines,
                            tacho_gpu_bytes(task->work));
}

/* The part of the memory's time that is reading: by bytes. */
static int64_t share_of(int64_t cycles, uint64_t part, uint64_t all)
{
    return all > 0 ? (int64_t)((tacho_u128)(uint64_t)cycles * part / all) : 0;
}

/* The host launches the next kernel while one runs: only the excess of the host's time shows. */
static int64_t host_cycles(const tacho_machine *machine, const tacho_gpu_time *time)
{
    int64_t host = tacho_gpu_times(time->kernels, &machine->gpu.host_cycles);
    return host > time->cycles ? host - time->cycles : 0;
}

tacho_status tacho_op_gpu_parts(const tacho_machine *machine, const tacho_work *work,
                                const tacho_cost_options *options, const tacho_op_cost *cost,
                                tacho_parts *out_parts)
{
    tacho_gpu_task task;
    TACHO_TRY(task_init(&task, machine, work, options, cost));
    tacho_gpu_time time = time_of(&task);
    if (time.cycles == INT64_MAX || time.padded_macs > INT64_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the cycles of an operator do not fit 63 bits");
    }
    int64_t host = options->is_eager ? host_cycles(machine, &time) : 0;
    uint64_t cores = time.blocks > 0 ? tacho_least(time.blocks, task.cores) : task.cores;
    uint64_t count = task.engine != NULL ? (uint64_t)tacho_quantity_whole(&task.engine->count) : 0;
    uint64_t bytes = tacho_gpu_bytes(work);
    *out_parts = (tacho_parts){
        .cores = (uint32_t)cores,
        .engines = (uint32_t)(cores * count),
        .cycles = tacho_cycles_add(time.cycles, host),
        .compute_cycles = time.compute,
        .read_cycles = share_of(time.memory, bytes - work->output.bytes, bytes),
        .write_cycles = share_of(time.memory, work->output.bytes, bytes),
        .launch_cycles = tacho_cycles_add(time.start, host),
        .host_cycles = host,
        .memory_cycles = time.memory,
        .padded_macs = time.padded_macs,
    };
    return TACHO_OK;
}
