/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums and names of a machine.
 */
#include "compile/machine_view.h"

#include "base/index.h"

uint64_t tacho_machine_view_local_bytes(const tacho_machine *machine)
{
    const tacho_memory *memory = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    uint64_t bytes = memory != NULL ? (uint64_t)tacho_quantity_whole(&memory->size_bytes) : 0;
    uint64_t total;
    bool is_over = __builtin_mul_overflow(bytes, tacho_machine_cores(machine), &total);
    return is_over || total > INT64_MAX ? INT64_MAX : total;
}

double tacho_machine_view_hz(const tacho_machine *machine)
{
    const tacho_ratio *hz = &machine->core_clock_hz.value;
    return hz->den > 0 && hz->num > 0 ? (double)hz->num / (double)hz->den : 1.0;
}

tacho_dtype tacho_machine_view_kept(const tacho_machine *machine, tacho_dtype dtype,
                                    tacho_dtype wanted)
{
    if (wanted != TACHO_DTYPE_NONE && tacho_dtype_kind_of(dtype) == TACHO_DTYPE_REAL) {
        return wanted;
    }
    return machine != NULL ? tacho_machine_legalise(machine, dtype) : dtype;
}

uint64_t tacho_machine_view_bytes(const tacho_machine *machine, const tacho_tensor *tensor,
                                  tacho_dtype wanted)
{
    tacho_dtype kept = tacho_machine_view_kept(machine, tensor->dtype, wanted);
    uint64_t elements = 0;
    uint64_t bytes = 0;
    bool is_known =
        tacho_shape_elements(tensor->shape, &elements) && tacho_dtype_bytes(kept, elements, &bytes);
    return is_known ? bytes : 0;
}

uint32_t tacho_machine_view_processor(const tacho_machine *machine)
{
    for (uint32_t i = 0; i < machine->engine_count; i++) {
        if (machine->engines[i].class == TACHO_ENGINE_CONTROL &&
            tacho_quantity_is_set(&machine->engines[i].fixed_job_cycles)) {
            return i;
        }
    }
    return TACHO_NONE;
}

bool tacho_machine_view_copies_by_engine(const tacho_machine *machine)
{
    return tacho_machine_dma(machine, TACHO_ENGINE_DMA_LOCAL) != NULL &&
           tacho_machine_memory(machine, TACHO_MEMORY_AUX) != NULL;
}

tacho_str tacho_machine_view_dma_name(const tacho_machine *machine, tacho_engine_class dma_class)
{
    const tacho_dma *dma = tacho_machine_dma(machine, dma_class);
    if (dma != NULL) {
        return dma->name;
    }
    return dma_class == TACHO_ENGINE_DMA_IN    ? TACHO_STR("DMA In")
           : dma_class == TACHO_ENGINE_DMA_OUT ? TACHO_STR("DMA Out")
                                               : TACHO_STR("Moves");
}
