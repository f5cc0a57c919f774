/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_chrome: writes a synthetic Chrome Trace Event file of about the wanted size to stdout.
 *
 *     gen_chrome SHAPE BYTES [--seed N] > file.json
 *
 *     kineto        an object as PyTorch writes it: the operators of two host threads, block by
 *                   block; then the GPU's kernels, each with its launch and the arrow between them;
 *                   then names and sort indexes, many of them twice; some processes have names for
 *                   numbers, and a few kernels of a stream overlap
 *     kineto_epoch  the same as older releases write it, with times since 1970
 *     ordered       the X events of kineto alone, all in order of time
 *     ort           an array as ONNX Runtime writes it: nodes, kernels and sessions, whole us
 *
 * Time is cut into steps of fixed length, and a step is a pure function of its number and the seed:
 * kineto goes through the steps twice, once for the host and once for the GPU, without keeping
 * them. Bytes per event, members per event and the shares of the kinds follow files of the real
 * writers. Names and arguments repeat from step to step as those of a model's layers do.
 */
#include "gen.h"

enum {
    BUFFER_BYTES = 1 << 20,
    EVENT_BYTES = 4096, /* no event is longer */
    SAMPLE_STEPS = 8,   /* tell how long a step is */
    THREAD_COUNT = 2,
    OPS_PER_THREAD = 44,
    OPS_MAX = THREAD_COUNT * OPS_PER_THREAD,
    SITE_COUNT = 16 * OPS_PER_THREAD, /* what differs between operators comes again after so many */
    SITE_BYTES = 640,
    STEP_NS = 2 * 1000 * 1000,
    STEPS_PER_ANNOTATION = 12,
    NAMES_PER_STEP = 2, /* of the M events at the end */
    HOST_PID = 4711,
    GPU_COUNT = 8,
    NODE_COUNT = 42,
    NODE_PERIOD_US = 160,
};

/*
 * Times since 1970 need 19 digits, those since a base that the head tells need 16. That is more
 * than a matter of taste: parsers convert numbers of up to 18 digits or so on a fast path.
 */
#define EPOCH_NS UINT64_C(1700000000123456789)
#define BASE_NS UINT64_C(1696543210000000000)

/* clang-format off */
static const char *const OPERATORS[] = {
    "aten::linear", "aten::addmm", "aten::empty", "aten::empty_strided", "aten::view",
    "aten::transpose", "aten::as_strided", "aten::reshape", "aten::matmul", "aten::bmm",
    "aten::softmax", "aten::_softmax", "aten::native_layer_norm", "aten::gelu", "aten::add",
    "aten::mul", "aten::div", "aten::to", "aten::_to_copy", "aten::copy_",
    "aten::expand", "aten::permute", "aten::contiguous", "aten::clone", "aten::dropout",
    "aten::embedding", "aten::scaled_dot_product_attention",
    "autograd::engine::evaluate_function: AddmmBackward0",
    "autograd::engine::evaluate_function: NativeLayerNormBackward0",
};

static const char *const KERNELS[] = {
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

static const char *const TYPES[] = {"c10::Half", "float", "long int", "Scalar", "ScalarList", ""};
/* clang-format on */

static const char *const NODE_TYPES[] = {"Conv", "Relu",   "MaxPool", "Gemm",
                                         "Add",  "Concat", "Softmax"};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The text of an operator's inputs, made once. */
struct site {
    char text[SITE_BYTES];
    uint32_t length;
};

struct op {
    uint64_t start_ns, length_ns; /* since the first of the file */
    uint64_t number;              /* counts all operators of the file */
    const char *name;
    const struct site *site;
    uint32_t thread;
    bool has_stack;
};

/* A launch on the host and what it makes the GPU do. */
struct launch {
    uint64_t call_ns, call_length_ns;
    uint64_t start_ns, length_ns;
    uint64_t correlation, op_number;
    uint64_t random;
    uint32_t thread;
    bool is_memset;
};

struct step {
    struct op ops[OPS_MAX];
    struct launch launches[OPS_MAX];
    uint32_t op_count, launch_count;
};

struct shape;

struct gen {
    const struct shape *shape;
    uint64_t bytes;
    uint64_t seed;
    uint64_t step_count;
    struct site *sites;
    struct step step;
    char *buffer;
    char *at;
    uint64_t written_bytes;
    bool only_counts; /* a rehearsal */
    bool is_first;    /* no event has been written */
    bool ok;
};

struct shape {
    const char *name;
    uint64_t first_ns; /* in "ts" */
    uint64_t base_ns;  /* baseTimeNanoseconds */
    void (*write_head)(struct gen *gen);
    void (*write_step)(struct gen *gen, uint64_t number);   /* in a first pass */
    void (*write_second)(struct gen *gen, uint64_t number); /* in a second; may be NULL */
    void (*write_tail)(struct gen *gen);
};

/* ---- output ---------------------------------------------------------------------------------- */

static void flush(struct gen *gen)
{
    const size_t length = (size_t)(gen->at - gen->buffer);
    if (gen->ok && !gen->only_counts)
        gen->ok = write_all(gen->buffer, length);
    gen->written_bytes += length;
    gen->at = gen->buffer;
}

static char *begin_text(struct gen *gen)
{
    if (gen->at > gen->buffer + BUFFER_BYTES - EVENT_BYTES)
        flush(gen);
    return gen->at;
}

/* The place for an event; what separates it from the one before is there. */
static char *begin_event(struct gen *gen, const char *separator)
{
    char *at = begin_text(gen);
    at = put_text(at, gen->is_first ? separator + 1 : separator);
    gen->is_first = false;
    return at;
}

/* Microseconds with three decimals. */
static char *put_us(char *at, uint64_t ns)
{
    const uint64_t rest = ns % 1000;
    at = put_char(put_number(at, ns / 1000), '.');
    at = put_char(at, (char)('0' + rest / 100));
    at = put_char(at, (char)('0' + rest / 10 % 10));
    return put_char(at, (char)('0' + rest % 10));
}

static char *put_member(char *at, const char *before, uint64_t value)
{
    return put_number(put_text(at, before), value);
}

/* ---- sites ----------------------------------------------------------------------------------- */

static char *put_numbers(char *at, uint64_t random, uint64_t count)
{
    at = put_char(at, '[');
    for (uint64_t i = 0; i < count; ++i) {
        at = i > 0 ? put_text(at, ", ") : at;
        at = put_number(at, UINT64_C(1) << (random >> (4 * i)) % 11);
    }
    return put_char(at, ']');
}

static char *put_input(char *at, uint64_t random)
{
    switch (random % 5) {
    case 0:
        return put_char(put_number(put_char(at, '"'), random >> 8 & 0xff), '"');
    case 1:
        return put_char(put_numbers(put_char(at, '"'), random >> 8, 2), '"');
    case 2:
        return put_text(at, "\"False\"");
    default:
        return put_text(at, "\"\"");
    }
}

static char *put_list_item(char *at, unsigned list, uint64_t random)
{
    const uint64_t rank = random % 7 < 4 ? random % 7 : 0;
    switch (list) {
    case 0:
        return put_input(at, random);
    case 1:
        return put_char(put_text(put_char(at, '"'), TYPES[random % COUNT_OF(TYPES)]), '"');
    default:
        return put_numbers(at, random >> (8 * list), rank);
    }
}

static void sites_fill(struct site *sites, uint64_t seed)
{
    static const char *const lists[] = {"\"Concrete Inputs\": [", ", \"Input type\": [",
                                        ", \"Input Strides\": [", ", \"Input Dims\": ["};
    for (uint64_t i = 0; i < SITE_COUNT; ++i) {
        const uint64_t input_count = 1 + draw(seed, 0, i) % 6;
        char *at = sites[i].text;
        for (unsigned list = 0; list < COUNT_OF(lists); ++list) {
            at = put_text(at, lists[list]);
            for (uint64_t input = 0; input < input_count; ++input) {
                at = input > 0 ? put_text(at, ", ") : at;
                at = put_list_item(at, list, draw(seed, 1, i * 8 + input));
            }
            at = put_char(at, ']');
        }
        sites[i].length = (uint32_t)(at - sites[i].text);
    }
}

/* ---- a step: operators that nest, some of which launch --------------------------------------- */

static void step_add_launch(struct step *step, const struct op *op, uint64_t random)
{
    struct launch *launch = &step->launches[step->launch_count];
    *launch = (struct launch){
        .call_ns = op->start_ns + 400,
        .call_length_ns = op->length_ns / 2,
        .start_ns = op->start_ns + 5200 + random % 300,
        .length_ns = 700 + (random >> 16) % 9000,
        .correlation = 100000 + 3 * op->number,
        .op_number = op->number,
        .random = mix(random),
        .thread = op->thread,
        .is_memset = random % 14 == 0,
    };
    /* A stream does one thing at a time; now and then its stamps say otherwise. */
    if (step->launch_count > 0 && launch[-1].thread == launch->thread) {
        const uint64_t end_ns = launch[-1].start_ns + launch[-1].length_ns;
        const uint64_t earliest_ns = random % 40 == 1 ? end_ns - 300 : end_ns;
        if (launch->start_ns < earliest_ns)
            launch->start_ns = earliest_ns;
    }
    ++step->launch_count;
}

/* An operator at |start_ns|, then its children inside it. Returns the end of the parent. */
static uint64_t step_add_family(const struct gen *gen, struct step *step, uint64_t number,
                                uint32_t thread, uint64_t start_ns, uint32_t child_count)
{
    const uint32_t first = step->op_count;
    uint64_t end_ns = start_ns + 900;
    for (uint32_t i = 0; i <= child_count; ++i) {
        struct op *op = &step->ops[step->op_count];
        const uint64_t op_number = number * OPS_MAX + step->op_count;
        const uint64_t random = draw(gen->seed, 2, op_number);
        const uint64_t site = (number * OPS_PER_THREAD + step->op_count) % SITE_COUNT;
        *op = (struct op){
            .start_ns = i == 0 ? start_ns : end_ns,
            .length_ns = 1500 + random % 9000,
            .number = op_number,
            .name = OPERATORS[draw(gen->seed, 3, site) % COUNT_OF(OPERATORS)],
            .site = &gen->sites[site],
            .thread = thread,
            .has_stack = draw(gen->seed, 3, site) % 20 == 7,
        };
        ++step->op_count;
        if (i > 0)
            end_ns = op->start_ns + op->length_ns + 300;
        if (i == child_count && random % 10 < 5)
            step_add_launch(step, op, mix(random));
    }
    struct op *parent = &step->ops[first];
    if (child_count > 0)
        parent->length_ns = end_ns + 400 - parent->start_ns;
    return parent->start_ns + parent->length_ns;
}

static void step_make(struct gen *gen, uint64_t number)
{
    struct step *step = &gen->step;
    step->op_count = 0;
    step->launch_count = 0;
    for (uint32_t thread = 0; thread < THREAD_COUNT; ++thread) {
        uint64_t time_ns = number * STEP_NS + 1000 + 500 * thread;
        uint32_t left = OPS_PER_THREAD;
        while (left > 0) {
            const uint64_t random = draw(gen->seed, 4, number * OPS_MAX + step->op_count);
            uint32_t child_count = (uint32_t)(random % 5);
            if (child_count >= left)
                child_count = left - 1;
            time_ns = step_add_family(gen, step, number, thread, time_ns, child_count);
            time_ns += 1000 + (random >> 32) % 8000;
            left -= child_count + 1;
        }
    }
}

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

static void write_kineto_head(struct gen *gen)
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

static void write_kineto_step(struct gen *gen, uint64_t number)
{
    step_make(gen, number);
    write_annotation(gen, number, false);
    for (uint32_t i = 0; i < gen->step.op_count; ++i)
        write_op(gen, &gen->step.ops[i]);
    write_memory_instant(gen, &gen->step.ops[OPS_PER_THREAD / 2]);
}

static void write_kineto_second(struct gen *gen, uint64_t number)
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

static void write_kineto_tail(struct gen *gen)
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

static void write_ordered_step(struct gen *gen, uint64_t number)
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

static void write_ordered_tail(struct gen *gen)
{
    gen->at = put_text(begin_text(gen), "\n  ],\n  \"traceName\": \"bench.json\"\n}\n");
}

/* ---- ort ------------------------------------------------------------------------------------- */

static char *put_ort_event(struct gen *gen, const char *category, uint64_t start_us,
                           uint64_t length_us)
{
    char *at = put_text(put_text(begin_event(gen, ",\n"), "{\"cat\" : \""), category);
    at = put_member(at, "\",\"pid\" :", HOST_PID);
    at = put_member(at, ",\"tid\" :", HOST_PID);
    at = put_member(at, ",\"dur\" :", length_us);
    at = put_member(at, ",\"ts\" :", start_us);
    return put_text(at, ",\"ph\" : \"X\",\"name\" :\"");
}

static void write_session(struct gen *gen, const char *name, uint64_t start_us, uint64_t length_us)
{
    char *at = put_ort_event(gen, "Session", start_us, length_us);
    gen->at = put_text(put_text(at, name), "\",\"args\" : {}}");
}

static char *put_shapes(char *at, uint64_t random, uint64_t count)
{
    at = put_char(at, '[');
    for (uint64_t i = 0; i < count; ++i) {
        at = put_text(at, i > 0 ? ",{\"float\":[1" : "{\"float\":[1");
        for (uint64_t j = 0; j < 3 - i; ++j)
            at = put_member(at, ",", 3 + (random >> (8 * j + i)) % 254);
        at = put_text(at, "]}");
    }
    return put_char(at, ']');
}

/* The |index|-th of a node's arguments. All numbers are strings there. */
static char *put_node_arg(char *at, uint64_t index, uint64_t node, uint64_t random)
{
    static const char *const sizes[] = {
        "parameter_size",       "mem_bytes_in_use", "mem_bytes_requested_in_use",
        "mem_in_use_delta",     "output_size",      "mem_in_use_peak",
        "activation_size",      "mem_arena_held",   "mem_requested_in_use_delta",
        "mem_arena_held_delta",
    };
    at = put_char(at, '"');
    switch (index) {
    case 0:
        return put_shapes(put_text(at, "input_type_shape\" : "), random, 1 + random % 3);
    case 1:
        return put_shapes(put_text(at, "output_type_shape\" : "), mix(random), 1);
    case 2:
        return put_text(at, "provider\" : \"CPUExecutionProvider\"");
    case 3:
        return put_text(at, "thread_scheduling_stats\" : \"\"");
    case 4:
        at = put_text(put_text(at, "op_name\" : \""), NODE_TYPES[node % COUNT_OF(NODE_TYPES)]);
        return put_char(at, '"');
    case 5:
        return put_char(put_member(at, "node_index\" : \"", 100 + node), '"');
    default:
        at = put_text(put_text(at, sizes[index - 6]), "\" : \"");
        return put_char(put_number(at, 64 * ((random >> index) % 65536)), '"');
    }
}

static void write_node(struct gen *gen, uint64_t node, uint64_t start_us, uint64_t length_us)
{
    enum { ARG_COUNT = 16 };
    const uint64_t random = draw(gen->seed, 5, node);
    char *at = put_ort_event(gen, "Node", start_us, length_us);
    at = put_text(put_member(at, "r", node), "_nchwc_kernel_time\",\"args\" : {");
    for (uint64_t i = 0; i < ARG_COUNT; ++i) {
        at = i > 0 ? put_char(at, ',') : at;
        at = put_node_arg(at, (i * 5 + random) % ARG_COUNT, node,
                          random); /* as a hash table would */
    }
    gen->at = put_text(at, "}}");
}

static void write_ort_kernel(struct gen *gen, uint64_t node, uint64_t start_us, uint64_t length_us)
{
    char *at = put_ort_event(gen, "Kernel", start_us, length_us);
    at = put_text(at, KERNELS[node % COUNT_OF(KERNELS)]);
    at = put_member(at, "\",\"args\" : {\"stream\" : \"7\",\"grid_x\" : \"", 1 + node);
    gen->at = put_text(at, "\",\"grid_y\" : \"1\",\"grid_z\" : \"1\",\"block_x\" : \"128\","
                           "\"block_y\" : \"1\",\"block_z\" : \"1\"}}");
}

static void write_ort_head(struct gen *gen)
{
    gen->at = put_text(begin_text(gen), "[");
    write_session(gen, "model_loading_uri", 2, 1117);
    write_session(gen, "session_initialization", 1290, 6500);
}

static void write_ort_step(struct gen *gen, uint64_t number)
{
    const uint64_t run_us = 9000 + number * (NODE_COUNT * NODE_PERIOD_US + 400);
    for (uint64_t node = 0; node < NODE_COUNT; ++node) {
        const uint64_t random = draw(gen->seed, 6, number * NODE_COUNT + node);
        const uint64_t start_us = run_us + 100 + node * NODE_PERIOD_US + random % 20;
        const uint64_t length_us = 2 + (random >> 32) % (NODE_PERIOD_US - 30);
        write_node(gen, node, start_us, length_us);
        if (node % 8 == 5)
            write_ort_kernel(gen, node, start_us + 1, length_us - 1);
    }
    const uint64_t length_us = NODE_COUNT * NODE_PERIOD_US;
    write_session(gen, "SequentialExecutor::Execute", run_us + 50, length_us + 100);
    write_session(gen, "model_run", run_us, length_us + 200);
}

static void write_ort_tail(struct gen *gen)
{
    gen->at = put_text(begin_text(gen), "\n]\n");
}

/* ---- the file -------------------------------------------------------------------------------- */

static const struct shape SHAPES[] = {
    {"kineto", EPOCH_NS - BASE_NS, BASE_NS, write_kineto_head, write_kineto_step,
     write_kineto_second, write_kineto_tail},
    {"kineto_epoch", EPOCH_NS, 0, write_kineto_head, write_kineto_step, write_kineto_second,
     write_kineto_tail},
    {"ordered", EPOCH_NS - BASE_NS, BASE_NS, write_kineto_head, write_ordered_step, NULL,
     write_ordered_tail},
    {"ort", 0, 0, write_ort_head, write_ort_step, NULL, write_ort_tail},
};

static void write_shape(struct gen *gen, uint64_t step_count)
{
    gen->step_count = step_count;
    gen->written_bytes = 0;
    gen->is_first = true;
    gen->shape->write_head(gen);
    for (uint64_t i = 0; i < step_count && gen->ok; ++i)
        gen->shape->write_step(gen, i);
    for (uint64_t i = 0; i < step_count && gen->ok && gen->shape->write_second != NULL; ++i)
        gen->shape->write_second(gen, i);
    gen->shape->write_tail(gen);
    flush(gen);
}

/* How many steps make up the wanted size, from a rehearsal of a few; at least one. */
static uint64_t rehearse(struct gen *gen)
{
    gen->only_counts = true;
    write_shape(gen, SAMPLE_STEPS);
    gen->only_counts = false;
    const uint64_t step_count = gen->bytes / (gen->written_bytes / SAMPLE_STEPS);
    return step_count > 0 ? step_count : 1;
}

static int write_file(struct gen *gen)
{
    gen->sites = calloc(SITE_COUNT, sizeof *gen->sites);
    gen->buffer = malloc(BUFFER_BYTES);
    gen->at = gen->buffer;
    gen->ok = gen->sites != NULL && gen->buffer != NULL;
    if (gen->ok) {
        sites_fill(gen->sites, gen->seed);
        setvbuf(stdout, NULL, _IONBF, 0); /* our buffer is the only one */
        write_shape(gen, rehearse(gen));
    } else {
        fprintf(stderr, "gen_chrome: out of memory\n");
    }
    free(gen->buffer);
    free(gen->sites);
    return gen->ok ? 0 : 1;
}

static const struct shape *shape_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(SHAPES); ++i)
        if (strcmp(SHAPES[i].name, name) == 0)
            return &SHAPES[i];
    return NULL;
}

static bool options_parse(int argc, char **argv, struct gen *out_gen)
{
    const uint64_t max_bytes = UINT64_C(1) << 40; /* times stay below 2^63 ns */
    out_gen->seed = 1;
    if (argc != 3 && argc != 5)
        return false;
    out_gen->shape = shape_find(argv[1]);
    return out_gen->shape != NULL && number_parse(argv[2], &out_gen->bytes) &&
           out_gen->bytes <= max_bytes &&
           (argc == 3 || (strcmp(argv[3], "--seed") == 0 && number_parse(argv[4], &out_gen->seed)));
}

int main(int argc, char **argv)
{
    static const char usage[] =
        "usage: gen_chrome SHAPE BYTES [--seed N] > file.json\n"
        "  SHAPE kineto, kineto_epoch, ordered or ort; BYTES at most 2^40; seed 1 by "
        "default\n";
    static struct gen gen;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (!options_parse(argc, argv, &gen)) {
        fputs(usage, stderr);
        return 2;
    }
    return write_file(&gen);
}
