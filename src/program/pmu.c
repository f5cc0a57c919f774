/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recipes: reads and writes of the AXI bus by size, cycles in which engines are active, and
 * what the matrix engine does.
 */
#include "program/pmu.h"

static const tacho_pmu_recipe recipes[] = {
    {"AxiRd", {0x40, 0x41, 0xce, 0x3f, 0xcd, 0x3b, 0x3c, 0x3d}, 8},
    {"AxiWr", {0x42, 0x43, 0xcf, 0x46, 0x55}, 5},
    {"AxiRdWr", {0x40, 0x3f, 0xce, 0xcd, 0x42, 0x46, 0xcf, 0x55}, 8},
    {"KernelUtil", {0x100, 0x200, 0x240, 0x03, 0x3b, 0x3c, 0x3d, 0x3e}, 8},
    {"HmxMacs", {0x200, 0x205, 0x211, 0x212, 0x20e, 0x20f, 0x214, 0x03}, 8},
};

const tacho_pmu_recipe *tacho_pmu_recipe_at(size_t index)
{
    return index < sizeof(recipes) / sizeof(recipes[0]) ? &recipes[index] : NULL;
}

const tacho_pmu_recipe *tacho_pmu_recipe_find(tacho_str name)
{
    for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(recipes[i].name))) {
            return &recipes[i];
        }
    }
    return NULL;
}

bool tacho_pmu_is_simulated(const tacho_program *program, uint16_t event)
{
    static const uint16_t simulated[] = {
        0x03,                                            /* packets */
        0x3b,  0x3c,  0x3d,  0x3e,  0x0a,  0x0b,         /* one to six threads run */
        0x40,  0x41,  0xce,  0x3f,  0xcd,                /* reads of the bus, by size */
        0x42,  0x43,  0xcf,  0x46,  0x55,                /* writes */
        0x100, 0x200, 0x205, 0x211, 0x212, 0x214, 0x240, /* engines */
    };
    if (tacho_str_equal(tacho_strings_get(&program->strings, program->facts.machine),
                        TACHO_STR("host-cpu"))) {
        return false;
    }
    for (size_t i = 0; i < sizeof(simulated) / sizeof(simulated[0]); i++) {
        if (simulated[i] == event) {
            return true;
        }
    }
    return false;
}

/* How many threads run in the cycles that |event| counts; 0: it counts others. */
static uint64_t running_threads(uint16_t event)
{
    static const uint16_t events[] = {0x3b, 0x3c, 0x3d, 0x3e, 0x0a, 0x0b};
    for (uint64_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (events[i] == event) {
            return i + 1;
        }
    }
    return 0;
}

void tacho_pmu_add_thread(uint16_t event, uint64_t value, uint64_t *sum)
{
    enum { EVENT_HVX = 0x100 };
    *sum = event != EVENT_HVX ? *sum + value : (value > *sum ? value : *sum);
}

uint64_t tacho_pmu_end_sum(uint16_t event, uint64_t sum)
{
    uint64_t running = running_threads(event);
    return running > 0 ? sum / running : sum;
}
