/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step of a synthetic PyTorch profile: on each host thread operators that nest, some of which
 * launch something on the GPU; and the texts of their inputs, which come again in later steps.
 */
#include "gen_chrome.h"

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

static const char *const TYPES[] = {"c10::Half", "float", "long int", "Scalar", "ScalarList", ""};
/* clang-format on */

/* ---- sites ----------------------------------------------------------------------------------- */

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

void sites_fill(struct site *sites, uint64_t seed)
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

void step_make(struct gen *gen, uint64_t number)
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
