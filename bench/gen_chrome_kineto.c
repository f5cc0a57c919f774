/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shapes kineto, kineto_epoch and ordered of gen_chrome: the spelling of PyTorch's profiler.
 */
#include "gen_chrome.h"

enum {
    STEPS_PER_ANNOTATION = 12,
    NAMES_PER_STEP = 2, /* of the M events at the end */
    GPU_COUNT = 8,
};

/* clang-format off */
const char *const KERNELS[KERNEL_COUNT] = {
    "gemm_f16_128x64x32_stage4_tn_bias_relu_epilogue",
    "gemm_f16_256x128x64_stage3_nn",
    "void layer_norm_forward<float, float, 4, true>(int, float, float const*, float const*, f"
    "loat*)",
    "void elementwise_kernel<128, 2, gpu_kernel_impl<AddFunctor<half>>(TensorIterator&, AddFu"
    "nctor<half> const&)::{lambda(int)#1}>(int, gpu_kernel_impl<AddFunctor<half>>(TensorItera"
    "tor&, AddFunctor<half> const&)::{lambda(int)#1})",
    "void vectorized_elementwise_kernel<4, GeluFunctor<half>, Array<char*, 2ul>>(int, GeluFun"
    "ctor<half>, Array<char*, 2ul>)",
    "void softmax_warp_forward<half, half, float, 9, false, false>(half*, half const*, int, i"
    "nt, int)",
    "void flash_forward_kernel<Traits<64, 128, 128, 4, half>, false, true, false, true>(Params)",
    "void reduce_kernel<512, 1, ReduceOp<half, MeanOps<half, float, float, half>, unsigned in"
    "t, half, 4>>(ReduceOp<half, MeanOps<half, float, float, half>, unsigned int, half, 4>)",
    "void index_select_large<half, long, unsigned int, 2, 2, -2, true>(TensorInfo<half>, Tens"
    "orInfo<half const>, TensorInfo<long const>)",
};

/* clang-format on */

/* ---- kineto ---------------------------------------------------------------------------------- */

static const char SEPARATOR[] = ",\n  {\n    ";

static char *put_thread(char *at, uint32_t thread)
{
    at = put_member(at, ", \"pid\": ", HOST_PID);
    return put_member(at, ", \"tid\": ", HOST_PID + 37 * thread);
}

static char *put_stream(char *at, uint32_t thread)
{
    return put_member(put_text(at, ", \"pid\": 0"), ", \"tid\": ", 7 + 6 * thread);
}

static char *put_span(const struct gen *gen, char *at, uint64_t start_ns, uint64_t length_ns)
{
    at = put_us(put_text(at, ",\n    \"ts\": "), gen->shape->first_ns + start_ns);
    return put_us(put_text(at, ", \"dur\": "), length_ns);
}

static char *put_name(char *at, const char *category, const char *name)
{
    at = put_text(put_text(at, "\"ph\": \"X\", \"cat\": \""), category);
    return put_char(put_text(put_text(at, "\", \"name\": \""), name), '"');
}

static void write_op(struct gen *gen, const struct op *op)
{
    char *at = put_name(begin_event(gen, SEPARATOR), "cpu_op", op->name);
    at = put_span(gen, put_thread(at, op->thread), op->start_ns, op->length_ns);
    at = put_member(at, ",\n    \"args\": {\n      \"External id\": ", 1 + op->number);
    at = put_text(at, ",\"Record function id\": 0, ");
    at = put_bytes(at, op->site->text, op->site->length);
    if (op->has_stack) {
        at = put_text(at, ", \"Call stack\": \"C:\\\\w\\\\net.py(");
        at = put_number(at, 3 + (op->number & 63));
        at = put_text(at, "): forward;\\n\\tblock[\\\"fc\\u00b2\\\"](x)\"");
    }
    at = put_member(at, ", \"Ev Idx\": ", op->number);
    gen->at = put_text(at, "\n    }\n  }");
}

static void write_call(struct gen *gen, const struct launch *launch)
{
    const bool is_driver = launch->random % 5 < 2;
    char *at = begin_event(gen, SEPARATOR);
    if (launch->is_memset)
        at = put_name(at, "cuda_runtime", "cudaMemsetAsync");
    else if (is_driver)
        at = put_name(at, "cuda_driver", "cuLaunchKernelEx");
    else
        at = put_name(at, "cuda_runtime", "cudaLaunchKernel");
    at = put_span(gen, put_thread(at, launch->thread), launch->call_ns, launch->call_length_ns);
    at = put_member(at, ",\n    \"args\": {\n      \"External id\": ", 1 + launch->op_number);
    at = put_member(at, ",      \"cbid\": ", is_driver ? 652 : 211);
    at = put_member(at, ", \"correlation\": ", launch->correlation);
    gen->at = put_text(at, "\n    }\n  }");
}

static char *put_kernel_args(char *at, const struct launch *launch)
{
    const uint64_t random = launch->random;
    at = put_text(at, "      \"queued\": 0, \"device\": 0, \"context\": 1,      ");
    at = put_member(at, "\"stream\": ", 7 + 6 * launch->thread);
    at = put_member(at, ", \"correlation\": ", launch->correlation);
    at = put_member(at, ",      \"registers per thread\": ", 16 * (1 + random % 12));
    at = put_member(at, ",      \"shared memory\": ", 4096 * (random >> 8 & 31));
    at = put_member(at, ",      \"blocks per SM\": ", random >> 16 & 7);
    at = put_member(at, ".", 100000 + (random >> 24) % 900000);
    at = put_member(at, ",      \"warps per SM\": ", random >> 20 & 63);
    at = put_member(at, ".", 100000 + (random >> 28) % 900000);
    at = put_numbers(put_text(at, ",      \"grid\": "), random >> 32, 3);
    at = put_numbers(put_text(at, ",      \"block\": "), random >> 40, 3);
    return put_member(at, ",      \"est. achieved occupancy %\": ", random % 101);
}

static char *put_memset_args(char *at, const struct launch *launch)
{
    at = put_text(at, "      \"device\": 0, \"context\": 1,      ");
    at = put_member(at, "\"stream\": ", 7 + 6 * launch->thread);
    at = put_member(at, ", \"correlation\": ", launch->correlation);
    at = put_member(at, ",      \"bytes\": ", UINT64_C(4) << (launch->random & 15));
    at = put_text(at, ",      \"memory bandwidth (GB/s)\": 0.00");
    return put_number(at, 1000000000000000 + launch->random % 9000000000000000);
}

static void write_kernel(struct gen *gen, const struct launch *launch)
{
    char *at = begin_event(gen, SEPARATOR);
    if (launch->is_memset)
        at = put_name(at, "gpu_memset", "Memset (Device)");
    else
        at = put_name(at, "kernel", KERNELS[(launch->random >> 50) % COUNT_OF(KERNELS)]);
    at = put_span(gen, put_stream(at, launch->thread), launch->start_ns, launch->length_ns);
    at = put_member(at, ",\n    \"args\": {\n      \"External id\": ", 1 + launch->op_number);
    at = put_char(at, ',');
    at = launch->is_memset ? put_memset_args(at, launch) : put_kernel_args(at, launch);
    gen->at = put_text(at, "\n    }\n  }");
}

static void write_flow(struct gen *gen, const struct launch *launch, bool is_end)
{
    char *at = put_text(begin_event(gen, SEPARATOR), is_end ? "\"ph\": \"f\"" : "\"ph\": \"s\"");
    at = put_member(at, ", \"id\": ", launch->correlation);
    at = is_end ? put_stream(at, launch->thread) : put_thread(at, launch->thread);
    at = put_us(put_text(at, ", \"ts\": "),
                gen->shape->first_ns + (is_end ? launch->start_ns : launch->call_ns));
    at = put_text(at, ",\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"");
    gen->at = put_text(at, is_end ? ", \"bp\": \"e\"\n  }" : "\n  }");
}

/* A span of several steps, on the host or on the GPU. */
static void write_annotation(struct gen *gen, uint64_t number, bool is_gpu)
{
    if (number % STEPS_PER_ANNOTATION != 0)
        return;
    const uint64_t index = number / STEPS_PER_ANNOTATION;
    const uint64_t length_ns = (uint64_t)STEPS_PER_ANNOTATION * STEP_NS - 1000;
    char *at = put_text(begin_event(gen, SEPARATOR), "\"ph\": \"X\", \"cat\": \"");
    at = put_text(at, is_gpu ? "gpu_user_annotation" : "user_annotation");
    at = put_char(put_member(at, "\", \"name\": \"ProfilerStep#", index), '"');
    at = is_gpu ? put_stream(at, 0) : put_thread(at, 0);
    at = put_span(gen, at, number * STEP_NS + (is_gpu ? 800 : 500), length_ns);
    at = put_member(at, ",\n    \"args\": {\n      \"External id\": ", index);
    gen->at = put_text(at, "\n    }\n  }");
}

static void write_memory_instant(struct gen *gen, const struct op *op)
{
    char *at =
        put_text(begin_event(gen, SEPARATOR), "\"ph\": \"i\", \"cat\": \"cpu_instant_event\", "
                                              "\"s\": \"t\", \"name\": \"[memory]\"");
    at = put_us(put_text(put_thread(at, op->thread), ",\n    \"ts\": "),
                gen->shape->first_ns + op->start_ns + 100);
    at = put_member(at,
                    ",\n    \"args\": {\n      \"Total Reserved\": ", 2097152 * (op->number % 777));
    at = put_member(at, ", \"Total Allocated\": ", 512 * (op->number % 99999));
    at = put_member(at, ", \"Bytes\": ", 512 * (1 + op->number % 4000));
    at = put_member(at, ", \"Addr\": ", 139801120178176 + 512 * (op->number % 65536));
    gen->at = put_text(at, ", \"Device Id\": -1, \"Device Type\": 0\n    }\n  }");
}

void write_kineto_head(struct gen *gen)
{
    gen->at =
        put_text(begin_text(gen),
                 "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n"
                 "      \"id\": 0, \"name\": \"Bench GPU\", \"totalGlobalMem\": 85899345920,\n"
                 "      \"computeMajor\": 9, \"computeMinor\": 0, \"warpSize\": 32,\n"
                 "      \"maxThreadsPerBlock\": 1024, \"numSms\": 132\n    }\n  ],\n"
                 "  \"record_shapes\": 1,\n  \"displayTimeUnit\": \"ms\",\n"
                 "  \"baseTimeNanoseconds\": ");
    gen->at = put_number(gen->at, gen->shape->base_ns);
    gen->at = put_text(gen->at, ",\n  \"traceEvents\": [");
}

void write_kineto_step(struct gen *gen, uint64_t number)
{
    step_make(gen, number);
    write_annotation(gen, number, false);
    for (uint32_t i = 0; i < gen->step.op_count; ++i)
        write_op(gen, &gen->step.ops[i]);
    write_memory_instant(gen, &gen->step.ops[OPS_PER_THREAD / 2]);
}

void write_kineto_second(struct gen *gen, uint64_t number)
{
    step_make(gen, number);
    write_annotation(gen, number, true);
    for (uint32_t i = 0; i < gen->step.launch_count; ++i) {
        const struct launch *launch = &gen->step.launches[i];
        write_kernel(gen, launch);
        write_flow(gen, launch, true);
        write_call(gen, launch);
        write_flow(gen, launch, false);
    }
}

/* One of the M events; after 3 for each process and 2 for each thread they come once more. */
static void write_metadata(struct gen *gen, uint64_t index)
{
    static const char *const names[] = {"process_name", "process_labels", "process_sort_index",
                                        "thread_name", "thread_sort_index"};
    const uint64_t kind = index % COUNT_OF(names);
    const uint64_t process = index / COUNT_OF(names) % (GPU_COUNT + 1);
    const bool is_host = process == GPU_COUNT;
    const bool is_thread = kind >= 3;
    char *at = put_text(begin_event(gen, SEPARATOR), "\"name\": \"");
    at = put_text(put_text(at, names[kind]), "\", \"ph\": \"M\", \"ts\": ");
    at = put_us(at, gen->shape->first_ns);
    at = put_member(at, ", \"pid\": ", is_host ? HOST_PID : process);
    at = put_member(at, ", \"tid\": ", !is_thread ? 0 : is_host ? HOST_PID : 7);
    at = put_text(at, ",\n    \"args\": {\n      ");
    if (kind == 2 || kind == 4)
        at = put_member(at, "\"sort_index\": ", is_host ? HOST_PID : 5000000 + process);
    else if (kind == 1)
        at = put_char(is_host ? put_text(at, "\"labels\": \"CPU\"")
                              : put_member(at, "\"labels\": \"GPU ", process),
                      is_host ? ' ' : '"');
    else if (kind == 0)
        at = put_text(at, "\"name\": \"python3\"");
    else
        at = put_text(at,
                      is_host ? "\"name\": \"thread 4711 (python3)\"" : "\"name\": \"stream 7 \"");
    gen->at = put_text(at, "\n    }\n  }");
}

void write_kineto_tail(struct gen *gen)
{
    const uint64_t length_ns = gen->step_count * STEP_NS;
    for (uint64_t i = 0; i < NAMES_PER_STEP * gen->step_count + 5 * (GPU_COUNT + 1); ++i)
        write_metadata(gen, i);
    char *at = put_text(begin_event(gen, SEPARATOR), "\"ph\": \"X\", \"cat\": \"Trace\"");
    at = put_span(gen, at, 0, length_ns);
    gen->at = put_text(at, ",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n"
                           "    \"name\": \"PyTorch Profiler (0)\",\n"
                           "    \"args\": {\n      \"Op count\": 0\n    }\n  }");
    at = put_text(begin_event(gen, SEPARATOR),
                  "\"name\": \"Iteration Start: PyTorch Profiler\", "
                  "\"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"Traces\", "
                  "\"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
    gen->at = put_text(put_us(at, gen->shape->first_ns), "\n  }");
    at = put_text(begin_event(gen, SEPARATOR),
                  "\"name\": \"Record Window End\", \"ph\": \"i\", "
                  "\"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
    gen->at = put_text(put_us(at, gen->shape->first_ns + length_ns), "\n  }");
    gen->at = put_text(begin_text(gen), "\n  ],\n  \"traceName\": \"bench.json\"\n}\n");
}

/* ---- ordered --------------------------------------------------------------------------------- */

/* An event of a step by its start: operators first, then calls, then kernels. */
struct turn {
    uint64_t start_ns;
    uint32_t index;
};

static int turn_compare(const void *left, const void *right)
{
    const struct turn *a = left;
    const struct turn *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

void write_ordered_step(struct gen *gen, uint64_t number)
{
    struct turn turns[3 * OPS_MAX];
    uint32_t count = 0;
    step_make(gen, number);
    const struct step *step = &gen->step;
    for (uint32_t i = 0; i < step->op_count; ++i, ++count)
        turns[count] = (struct turn){step->ops[i].start_ns, i};
    for (uint32_t i = 0; i < step->launch_count; ++i) {
        turns[count++] = (struct turn){step->launches[i].call_ns, OPS_MAX + i};
        turns[count++] = (struct turn){step->launches[i].start_ns, 2 * OPS_MAX + i};
    }
    qsort(turns, count, sizeof turns[0], turn_compare);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = turns[i].index;
        if (index < OPS_MAX)
            write_op(gen, &step->ops[index]);
        else if (index < 2 * OPS_MAX)
            write_call(gen, &step->launches[index - OPS_MAX]);
        else
            write_kernel(gen, &step->launches[index - 2 * OPS_MAX]);
    }
}

void write_ordered_tail(struct gen *gen)
{
    gen->at = put_text(begin_text(gen), "\n  ],\n  \"traceName\": \"bench.json\"\n}\n");
}
