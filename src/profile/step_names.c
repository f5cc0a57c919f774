/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that mean a step, and names that PyTorch gives to ranges of its own.
 */
#include "profile/step_names.h"

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

tacho_str tacho_step_stem(tacho_str name)
{
    size_t len = name.len;
    while (len > 0 && is_digit(name.data[len - 1])) {
        len--;
    }
    return tacho_str_make(name.data, len);
}

static bool is_step_word(tacho_str word)
{
    static const tacho_str words[] = {
        TACHO_STR_INIT("step"),  TACHO_STR_INIT("iter"),      TACHO_STR_INIT("iteration"),
        TACHO_STR_INIT("batch"), TACHO_STR_INIT("inference"), TACHO_STR_INIT("infer"),
        TACHO_STR_INIT("epoch"), TACHO_STR_INIT("request"),   TACHO_STR_INIT("frame"),
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        bool is_it = word.len == words[i].len;
        for (size_t k = 0; k < word.len && is_it; k++) {
            is_it = (word.data[k] | 0x20) == words[i].data[k];
        }
        if (is_it) {
            return true;
        }
    }
    return false;
}

bool tacho_step_has_word(tacho_str name)
{
    size_t first = 0;
    for (size_t i = 0; i <= name.len; i++) {
        bool is_in_word = i < name.len && is_letter(name.data[i]);
        bool is_capital = is_in_word && i > first && name.data[i] <= 'Z' && name.data[i - 1] > 'Z';
        if (is_in_word && !is_capital) {
            continue;
        }
        if (is_step_word(tacho_str_make(name.data + first, i - first))) {
            return true;
        }
        first = is_capital ? i : i + 1;
    }
    return false;
}

bool tacho_step_is_of_framework(tacho_str name)
{
    static const tacho_str starts[] = {
        TACHO_STR_INIT("Optimizer."),
        TACHO_STR_INIT("enumerate("),
        TACHO_STR_INIT("nccl:"),
        TACHO_STR_INIT("gloo:"),
        TACHO_STR_INIT("DistributedDataParallel."),
        TACHO_STR_INIT("FullyShardedDataParallel."),
        TACHO_STR_INIT("FSDP::"),
        TACHO_STR_INIT("Torch-Compiled Region"),
        TACHO_STR_INIT("TorchDynamo"),
        TACHO_STR_INIT("## Call"),
        TACHO_STR_INIT("autograd::"),
        TACHO_STR_INIT("PyTorch Profiler"),
    };
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (tacho_str_starts_with(name, starts[i])) {
            return true;
        }
    }
    return false;
}
