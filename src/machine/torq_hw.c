/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Torq compiler's --torq-hw: a named target, or hardware spelt out between colons. Omitted
 * fields have the vendor's defaults, which are not those of the built-in target.
 */
#include "machine/machine.h"

#include <stdio.h>

enum { PART_MIN = 5, PART_DMA = 6, PART_FACTOR = 7, PART_MAX = 10 };

static const tacho_str SOURCE = TACHO_STR_INIT("Torq hardware specification");

static tacho_status bad(const char *spec, const char *why)
{
    return tacho_fail(TACHO_CODE_USAGE,
                      "Torq hardware '%s': %s; give SL2610 or <id>:<lram_kb>:<slices>:<css>:<nss>"
                      "[:<dma bytes/cycle>[:<factor>:<triple>:<cpu>:<features>]]",
                      spec, why);
}

static size_t take_parts(tacho_str text, tacho_str out_parts[PART_MAX])
{
    size_t count = 0;
    for (;;) {
        size_t len = tacho_str_find_byte(text, ':');
        if (count == PART_MAX) {
            return PART_MAX + 1;
        }
        out_parts[count++] = tacho_str_make(text.data, len);
        if (len == text.len) {
            return count;
        }
        text = tacho_str_from(text, len + 1);
    }
}

/* Puts the number |text|, times |factor|, in place of a quantity. */
static bool replace(tacho_quantity *quantity, tacho_str text, int64_t factor, int64_t max)
{
    tacho_ratio value;
    if (!tacho_ratio_parse(text, &value) || value.num == 0 ||
        !tacho_ratio_multiply(value, (tacho_ratio){factor, 1}, &value) ||
        tacho_ratio_compare(value, (tacho_ratio){max, 1}) > 0) {
        return false;
    }
    quantity->value = value;
    quantity->text = text;
    quantity->source = SOURCE;
    return true;
}

/* Sets the rate of the shared memory: the DMA reads and writes at |rate| at once. */
static tacho_status feed_dma(tacho_machine *machine, tacho_ratio rate, tacho_arena *arena)
{
    for (size_t i = 0; i < machine->memory_count; i++) {
        tacho_quantity *shared = &machine->memories[i].bytes_per_cycle;
        tacho_ratio both;
        if (machine->memories[i].kind != TACHO_MEMORY_DDR ||
            !tacho_ratio_multiply(rate, (tacho_ratio){2, 1}, &both)) {
            continue;
        }
        char text[32];
        int len = snprintf(text, sizeof(text), "%.12g", (double)both.num / (double)both.den);
        TACHO_TRY(tacho_arena_copy(arena, tacho_str_make(text, (size_t)len), &shared->text));
        shared->value = both;
        shared->source = SOURCE;
    }
    return TACHO_OK;
}

static bool replace_whole(tacho_quantity *quantity, tacho_str text, int64_t factor, int64_t max)
{
    uint64_t whole;
    return tacho_str_parse_u64(text, &whole) && replace(quantity, text, factor, max);
}

static tacho_status change_dma(tacho_machine *machine, const char *spec, const tacho_str *parts,
                               size_t part_count, tacho_arena *arena)
{
    bool is_coral = tacho_str_equal(parts[3], TACHO_STR("coral_v1")) &&
                    tacho_str_equal(parts[4], TACHO_STR("nss_v1"));
    for (size_t i = 0; i < machine->dma_count; i++) {
        tacho_dma *dma = &machine->dma[i];
        if (dma->class == TACHO_ENGINE_DMA_LOCAL) {
            replace(&dma->efficiency, is_coral ? TACHO_STR("0.36") : TACHO_STR("0.8"), 1, 1);
            continue;
        }
        tacho_str rate = part_count >= PART_DMA ? parts[PART_DMA - 1] : TACHO_STR("8");
        tacho_str factor = part_count >= PART_FACTOR ? parts[PART_FACTOR - 1] : TACHO_STR("1.0");
        if (!replace(&dma->bytes_per_cycle, rate, 1, 65536)) {
            return bad(spec, "the DMA rate is not a number of bytes per cycle");
        }
        if (!replace(&dma->efficiency, factor, 1, 1)) {
            return bad(spec, "the factor is not above 0 and at most 1");
        }
        TACHO_TRY(feed_dma(machine, dma->bytes_per_cycle.value, arena));
    }
    return TACHO_OK;
}

tacho_status tacho_machine_torq_hw(tacho_machine *machine, const char *spec, tacho_arena *arena)
{
    if (!tacho_machine_has_timeline(machine, "torq")) {
        return tacho_fail(
            TACHO_CODE_USAGE,
            "a Torq hardware specification is given, but machine '%.*s' is not a Torq machine",
            TACHO_STR_ARG(machine->name));
    }
    tacho_str text;
    TACHO_TRY(tacho_arena_copy(arena, tacho_str_from_cstring(spec), &text));
    if (tacho_str_equal(text, TACHO_STR("SL2610")) || tacho_str_equal(text, machine->name)) {
        return TACHO_OK;
    }
    tacho_str parts[PART_MAX];
    size_t count = take_parts(text, parts);
    if (count != PART_MIN && count != PART_DMA && count != PART_MAX && count != PART_FACTOR) {
        return bad(spec, "the number of parts is wrong");
    }
    tacho_memory *local = NULL;
    for (size_t i = 0; i < machine->memory_count; i++) {
        if (machine->memories[i].kind == TACHO_MEMORY_LOCAL) {
            local = &machine->memories[i];
        }
    }
    uint64_t id;
    if (!tacho_str_parse_u64(parts[0], &id)) {
        return bad(spec, "the id is not a number");
    }
    if (local == NULL || !replace_whole(&local->size_bytes, parts[1], 1024, INT64_MAX >> 16)) {
        return bad(spec, "the local memory is not a number of KiB");
    }
    local->size_bytes.unit = TACHO_STR("KiB");
    if (!replace_whole(&machine->engines[0].count, parts[2], 1, 65536)) {
        return bad(spec, "the number of slices is not a number");
    }
    if (parts[3].len == 0 || parts[4].len == 0) {
        return bad(spec, "css or nss is empty");
    }
    return change_dma(machine, spec, parts, count, arena);
}
