/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape ort of gen_chrome: the spelling of ONNX Runtime's profiler. A step is a run of the
 * model.
 */
#include "gen_chrome.h"

enum {
    NODE_COUNT = 42,
    NODE_PERIOD_US = 160,
};

static const char *const NODE_TYPES[] = {"Conv", "Relu",   "MaxPool", "Gemm",
                                         "Add",  "Concat", "Softmax"};

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

void write_ort_head(struct gen *gen)
{
    gen->at = put_text(begin_text(gen), "[");
    write_session(gen, "model_loading_uri", 2, 1117);
    write_session(gen, "session_initialization", 1290, 6500);
}

void write_ort_step(struct gen *gen, uint64_t number)
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

void write_ort_tail(struct gen *gen)
{
    gen->at = put_text(begin_text(gen), "\n]\n");
}
