/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recipes: reads and writes of the AXI bus by size, cycles in which engines are active, and
 * work of the matrix engine.
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
