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

/* ---- words --------------------------------------------------------------------------------- */

/* The word of |name| at or after |at|; empty where there is none. "TrainStep" is two. */
static tacho_str next_word(tacho_str name, size_t at)
{
    while (at < name.len && !is_letter(name.data[at])) {
        at++;
    }
    size_t end = at;
    while (end < name.len && is_letter(name.data[end]) &&
           !(end > at && name.data[end] <= 'Z' && name.data[end - 1] > 'Z')) {
        end++;
    }
    return tacho_str_make(name.data + at, end - at);
}

static size_t end_of(tacho_str name, tacho_str word)
{
    return (size_t)(word.data - name.data) + word.len;
}

/* Whether |word| of |name| means a step: that of "batch_norm" does not. */
static bool means_step(tacho_str name, tacho_str word)
{
    static const char norm[] = {'n', 'o', 'r', 'm'};
    tacho_str next = next_word(name, end_of(name, word));
    bool is_norm = next.len >= sizeof(norm);
    for (size_t i = 0; i < sizeof(norm) && is_norm; i++) {
        is_norm = (next.data[i] | 0x20) == norm[i];
    }
    return !is_norm && is_step_word(word);
}

/* Where the number begins that |at| is ahead of, with nothing but separators between; else the end
 * of |name|. */
static size_t find_number(tacho_str name, size_t at)
{
    while (at < name.len && !is_letter(name.data[at]) && !is_digit(name.data[at])) {
        at++;
    }
    return at < name.len && is_digit(name.data[at]) ? at : name.len;
}

static size_t number_end(tacho_str name, size_t at)
{
    while (at < name.len && is_digit(name.data[at])) {
        at++;
    }
    return at;
}

/* Where the number of the last word that means a step begins, if nothing but numbers follows. */
static size_t find_last_number(tacho_str name)
{
    size_t found = name.len;
    for (tacho_str word = next_word(name, 0); word.len > 0;
         word = next_word(name, end_of(name, word))) {
        found = means_step(name, word) ? find_number(name, end_of(name, word)) : name.len;
    }
    return found;
}

/* ---- the interface ------------------------------------------------------------------------- */

tacho_str tacho_step_stem(tacho_str name)
{
    size_t len = find_last_number(name);
    if (len < name.len) {
        return tacho_str_make(name.data, len);
    }
    while (len > 0 && is_digit(name.data[len - 1])) {
        len--;
    }
    return tacho_str_make(name.data, len);
}

bool tacho_step_number(tacho_str name, uint64_t *out_number)
{
    size_t at = tacho_step_stem(name).len;
    return at < name.len &&
           tacho_str_parse_u64(tacho_str_make(name.data + at, number_end(name, at) - at),
                               out_number);
}

bool tacho_step_has_word(tacho_str name)
{
    tacho_str word = next_word(name, 0);
    while (word.len > 0 && !means_step(name, word)) {
        word = next_word(name, end_of(name, word));
    }
    return word.len > 0;
}

/* "forward" of "step 3: forward": the text after the numbers of steps, all of it without any. */
static tacho_str strip_front(tacho_str name)
{
    tacho_str rest = name;
    for (;;) {
        tacho_str word = next_word(rest, 0);
        size_t at = word.len > 0 && means_step(rest, word) ? find_number(rest, end_of(rest, word))
                                                           : rest.len;
        if (at == rest.len) {
            return rest;
        }
        rest = tacho_str_from(rest, number_end(rest, at));
        while (rest.len > 0 && !is_letter(rest.data[0]) && !is_digit(rest.data[0])) {
            rest = tacho_str_from(rest, 1);
        }
    }
}

/* Whether all words of |name| mean a step. */
static bool is_step_alone(tacho_str name)
{
    tacho_str word = next_word(name, 0);
    while (word.len > 0 && means_step(name, word)) {
        word = next_word(name, end_of(name, word));
    }
    return word.len == 0;
}

tacho_str tacho_step_layer(tacho_str name)
{
    tacho_str rest = strip_front(name);
    bool is_step = tacho_step_has_word(name) && is_step_alone(rest);
    size_t len = find_last_number(rest);
    if (len < rest.len) {
        while (len > 0 && !is_letter(rest.data[len - 1])) {
            len--;
        }
        rest = tacho_str_make(rest.data, len);
    }
    return is_step ? TACHO_STR("") : rest;
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
