/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the fidelity of a matrix product suits the types of its tensors: compares the mantissa
 * bits used by each pass with those of the types.
 */
#include "estimates/tenstorrent/tt_fidelity.h"

/* Bits of the mantissa; 0 for types without one or not known. */
static unsigned mantissa_bits(tacho_str datatype)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"FLOAT32", 23}, {"BFLOAT16", 8}, {"BFLOAT8_B", 7}, {"BFLOAT4_B", 3}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (tacho_str_equal(datatype, tacho_str_from_cstring(types[i].name))) {
            return types[i].bits;
        }
    }
    return 0;
}

typedef enum level {
    LEVEL_LOFI,
    LEVEL_HIFI2,
    LEVEL_HIFI4,
    LEVEL_COUNT,
} level;

static level level_of(tacho_str fidelity)
{
    return tacho_str_equal(fidelity, TACHO_STR("HiFi4"))   ? LEVEL_HIFI4
           : tacho_str_equal(fidelity, TACHO_STR("HiFi2")) ? LEVEL_HIFI2
           : tacho_str_equal(fidelity, TACHO_STR("LoFi"))  ? LEVEL_LOFI
                                                           : LEVEL_COUNT;
}

/* The verdict on each level for a combination of types. Texts are those of the vendor's tool. */
typedef const tacho_tt_fidelity verdicts[LEVEL_COUNT];

static verdicts full_activations = {
    {.verdict = TACHO_TT_TOO_LOW,
     .advice = "Use HiFi2 or HiFi4 with BF16 activations for improved accuracy"},
    {.verdict = TACHO_TT_TOO_LOW,
     .advice = "If your matmuls are not FLOP-bound use HiFi4 with BF16 activations for "
               "full accuracy"},
    {.verdict = TACHO_TT_SUFFICIENT,
     .advice = "HiFi2 may also work, it discards the lowest bit of the activations and "
               "has 2x the throughput of HiFi4"},
};
static verdicts full_to_small = {
    {.verdict = TACHO_TT_TOO_LOW,
     .advice = "HiFi2 may give better accuracy for large matmuls with many intermediate "
               "accumulations"},
    {.verdict = TACHO_TT_SUFFICIENT,
     .advice = "LoFi might also be sufficient with BFP4 output and has almost 2x the "
               "throughput of HiFi2"},
    {.verdict = TACHO_TT_TOO_HIGH,
     .advice = "HiFi2 is very likely to work for BFP8 output; it discards the lowest bit "
               "of the activations and has 2x the throughput of HiFi4"},
};
static verdicts wide_weights = {
    {.verdict = TACHO_TT_TOO_LOW,
     .advice = "HiFi2 is recommended for accuracy; LoFi discards the lowest 2 bits of the "
               "weights"},
    {.verdict = TACHO_TT_SUFFICIENT, .advice = NULL},
    {.verdict = TACHO_TT_TOO_HIGH,
     .advice = "HiFi2 is sufficient for BFP8 multiplication and has 2x the throughput of "
               "HiFi4"},
};
static verdicts wide_to_small = {
    {.verdict = TACHO_TT_TOO_LOW,
     .advice = "HiFi2 may give slightly better accuracy for large matmuls with many "
               "intermediate accumulations"},
    {.verdict = TACHO_TT_SUFFICIENT,
     .advice = "LoFi might also be sufficient with BFP4 output and has almost 2x the "
               "throughput of HiFi2"},
    {.verdict = TACHO_TT_TOO_HIGH,
     .advice = "HiFi2 is sufficient for BFP8 multiplication and has 2x the throughput of "
               "HiFi4"},
};
static verdicts small_weights = {
    {.verdict = TACHO_TT_SUFFICIENT, .advice = NULL},
    {.verdict = TACHO_TT_TOO_HIGH,
     .advice = "LoFi is sufficient with BFP4 weights, use it for much higher throughput"},
    {.verdict = TACHO_TT_TOO_HIGH,
     .advice = "LoFi is sufficient with BFP4 weights, use it for much higher throughput"},
};

enum { BF16_BITS = 8, BFP8_BITS = 7, BFP4_BITS = 3 };

static const tacho_tt_fidelity *choose(unsigned in0, unsigned in1, unsigned out)
{
    if (in0 == BF16_BITS && out >= BFP8_BITS) {
        return full_activations;
    }
    if (in0 == BF16_BITS && out == BFP4_BITS) {
        return full_to_small;
    }
    if (in1 >= BFP8_BITS && out >= BFP8_BITS) {
        return wide_weights;
    }
    if (in1 >= BFP8_BITS && out == BFP4_BITS) {
        return wide_to_small;
    }
    return in1 == BFP4_BITS ? small_weights : NULL;
}

static bool is_integer(tacho_str datatype)
{
    return tacho_str_equal(datatype, TACHO_STR("UINT8")) ||
           tacho_str_equal(datatype, TACHO_STR("UINT16")) ||
           tacho_str_equal(datatype, TACHO_STR("INT32")) ||
           tacho_str_equal(datatype, TACHO_STR("UINT32"));
}

tacho_tt_fidelity tacho_tt_judge_fidelity(const tacho_str datatypes[3], tacho_str fidelity)
{
    static const tacho_tt_fidelity integers = {
        .advice = "Fidelity evaluation is not applicable for integer datatypes (UINT8, "
                  "UINT16, INT32, UINT32)."};
    unsigned in0 = mantissa_bits(datatypes[0]);
    unsigned in1 = mantissa_bits(datatypes[1]);
    unsigned out = mantissa_bits(datatypes[2]);
    level at = level_of(fidelity);
    if (is_integer(datatypes[0]) || is_integer(datatypes[1]) || is_integer(datatypes[2])) {
        return integers;
    }
    if (in0 == 0 || in1 == 0 || out == 0) {
        return (tacho_tt_fidelity){.unsupported = datatypes[in0 == 0 ? 0 : in1 == 0 ? 1 : 2]};
    }
    const tacho_tt_fidelity *of = choose(in0, in1, out);
    return of == NULL || at == LEVEL_COUNT ? (tacho_tt_fidelity){.advice = NULL} : of[at];
}
