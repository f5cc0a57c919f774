/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rates of the first engine that multiplies matrices.
 */
#include "vendors/qaic/opstats_machine.h"

#include "device/program_machine.h"

static double rate_of(const tacho_engine *engine, tacho_dtype dtype)
{
    for (size_t i = 0; i < engine->mac_count; i++) {
        tacho_ratio rate = engine->macs[i].per_cycle.value;
        if (engine->macs[i].dtype == dtype && rate.den > 0) {
            return (double)rate.num / (double)rate.den;
        }
    }
    return 0.0;
}

void tacho_opstats_take_machine(tacho_opstats *stats)
{
    tacho_arena arena;
    tacho_machine *machine = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_program_machine(stats->program, &arena, &machine);
    for (size_t i = 0; status == TACHO_OK && i < machine->engine_count; i++) {
        const tacho_engine *engine = &machine->engines[i];
        if (engine->class == TACHO_ENGINE_COMPUTE) {
            stats->fixed_macs_per_cycle = rate_of(engine, TACHO_DTYPE_I8);
            stats->real_macs_per_cycle = rate_of(engine, TACHO_DTYPE_F16);
            break;
        }
    }
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
}
