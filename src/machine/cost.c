/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles of one job.
 */
#include "machine/cost.h"

#include "base/maths.h"

static tacho_status too_large(const char *what)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "the %s is too large: its cycles do not fit 63 bits",
                      what);
}

static const tacho_rate *nearest_rate(const tacho_rate *rates, size_t rate_count, tacho_dtype dtype)
{
    const tacho_rate *found = tacho_rate_find(rates, rate_count, dtype);
    uint64_t bytes;
    uint64_t other_bytes;
    for (size_t i = 0; found == NULL && i < rate_count; i++) {
        if (tacho_dtype_bytes(dtype, 16, &bytes) &&
            tacho_dtype_bytes(rates[i].dtype, 16, &other_bytes) && bytes == other_bytes) {
            found = &rates[i];
        }
    }
    for (size_t i = 0; found == NULL && i < rate_count; i++) {
        const tacho_rate *slowest = &rates[0];
        for (size_t j = 1; j < rate_count; j++) {
            if (tacho_ratio_compare(rates[j].per_cycle.value, slowest->per_cycle.value) < 0) {
                slowest = &rates[j];
            }
        }
        found = slowest;
    }
    return found;
}

const tacho_rate *tacho_cost_mac_rate(const tacho_engine *engine, tacho_dtype dtype)
{
    return nearest_rate(engine->macs, engine->mac_count, dtype);
}

const tacho_rate *tacho_cost_element_rate(const tacho_engine *engine, tacho_dtype dtype)
{
    return nearest_rate(engine->elements, engine->element_count, dtype);
}

int64_t tacho_cost_passes(const tacho_machine *machine, uint32_t fidelity, tacho_dtype dtype)
{
    if (machine->fidelity_count == 0) {
        return 1;
    }
    if (fidelity == 0 || fidelity > machine->fidelity_count) {
        fidelity = tacho_machine_fidelity_default(machine, dtype);
    }
    return tacho_quantity_whole(&machine->fidelities[fidelity - 1].passes);
}

bool tacho_cost_is_tf32(const tacho_machine *machine, uint32_t fidelity, tacho_dtype dtype)
{
    uint32_t tf32 =
        tacho_machine_is_gpu(machine) ? tacho_machine_fidelity_find(machine, TACHO_STR("tf32")) : 0;
    return tf32 > 0 && fidelity == tf32 && dtype == TACHO_DTYPE_F32;
}

static uint64_t pad(uint64_t value, const tacho_quantity *align)
{
    uint64_t unit = tacho_quantity_is_set(align) ? (uint64_t)tacho_quantity_whole(align) : 1;
    uint64_t padded;
    if (__builtin_mul_overflow(value / unit + (value % unit != 0), unit, &padded)) {
        return UINT64_MAX; /* and too large for any cost */
    }
    return padded;
}

tacho_product tacho_cost_pad(const tacho_engine *engine, tacho_product product)
{
    product.m = pad(product.m, &engine->align_m);
    product.n = pad(product.n, &engine->align_n);
    product.k = pad(product.k, &engine->align_k);
    return product;
}

tacho_status tacho_cost_matrix(const tacho_machine *machine, const tacho_engine *engine,
                               tacho_product product, int64_t *out_cycles)
{
    *out_cycles = 0;
    if (tacho_quantity_is_set(&engine->fixed_job_cycles)) {
        *out_cycles = tacho_quantity_whole(&engine->fixed_job_cycles);
        return TACHO_OK;
    }
    const tacho_rate *rate = tacho_cost_mac_rate(engine, product.dtype);
    if (rate == NULL) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "engine %.*s has no matrix multiplication",
                          TACHO_STR_ARG(engine->name));
    }
    product = tacho_cost_pad(engine, product);
    uint64_t macs;
    int64_t cycles;
    int64_t passes = tacho_cost_passes(machine, product.fidelity, product.dtype);
    if (__builtin_mul_overflow(product.m, product.n, &macs) ||
        __builtin_mul_overflow(macs, product.k, &macs) ||
        __builtin_mul_overflow(macs, (uint64_t)passes, &macs) ||
        !tacho_ratio_ceil_divide(macs, rate->per_cycle.value, &cycles) ||
        __builtin_add_overflow(cycles, tacho_quantity_whole(&engine->start_up_cycles), &cycles)) {
        return too_large("product");
    }
    *out_cycles = cycles;
    return TACHO_OK;
}

tacho_status tacho_cost_vector(const tacho_engine *engine, uint64_t elements, uint64_t steps,
                               tacho_dtype dtype, int64_t *out_cycles)
{
    *out_cycles = 0;
    if (tacho_quantity_is_set(&engine->fixed_job_cycles)) {
        *out_cycles = tacho_quantity_whole(&engine->fixed_job_cycles);
        return TACHO_OK;
    }
    const tacho_rate *rate = tacho_cost_element_rate(engine, dtype);
    if (rate == NULL) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "engine %.*s has no elementwise operations",
                          TACHO_STR_ARG(engine->name));
    }
    uint64_t work;
    int64_t cycles;
    if (__builtin_mul_overflow(elements, steps, &work) ||
        !tacho_ratio_ceil_divide(work, rate->per_cycle.value, &cycles) ||
        __builtin_add_overflow(cycles, tacho_quantity_whole(&engine->start_up_cycles), &cycles)) {
        return too_large("operator");
    }
    *out_cycles = cycles;
    return TACHO_OK;
}

tacho_status tacho_cost_dma_rate(const tacho_dma *dma, tacho_ratio *out_rate)
{
    tacho_ratio rate = dma->bytes_per_cycle.value;
    bool fits = tacho_ratio_multiply(rate, tacho_quantity_or(&dma->efficiency, 1), &rate);
    if (fits && tacho_quantity_is_set(&dma->burst_beats)) {
        tacho_ratio beats = dma->burst_beats.value;
        tacho_ratio all;
        fits = tacho_ratio_add(beats, tacho_quantity_or(&dma->burst_overhead_beats, 0), &all) &&
               tacho_ratio_divide(beats, all, &beats) && tacho_ratio_multiply(rate, beats, &rate);
    }
    if (!fits) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "queue %.*s: its rate has too many digits",
                          TACHO_STR_ARG(dma->name));
    }
    *out_rate = rate;
    return TACHO_OK;
}

tacho_status tacho_cost_transfer(const tacho_dma *dma, uint64_t bytes, int64_t *out_cycles)
{
    tacho_ratio rate;
    *out_cycles = 0;
    TACHO_TRY(tacho_cost_dma_rate(dma, &rate));
    return tacho_cost_transfer_at(dma, rate, bytes, out_cycles);
}

tacho_status tacho_cost_transfer_at(const tacho_dma *dma, tacho_ratio rate, uint64_t bytes,
                                    int64_t *out_cycles)
{
    int64_t cycles;
    *out_cycles = 0;
    if (!tacho_ratio_ceil_divide(bytes, rate, &cycles) ||
        __builtin_add_overflow(cycles, tacho_quantity_whole(&dma->start_up_cycles), &cycles)) {
        return too_large("transfer");
    }
    *out_cycles = cycles;
    return TACHO_OK;
}

tacho_status tacho_cost_memory_rate(const tacho_memory *memory, tacho_ratio *out_rate)
{
    if (!tacho_ratio_multiply(memory->bytes_per_cycle.value,
                              tacho_quantity_or(&memory->efficiency, 1), out_rate)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "memory %.*s: its rate has too many digits",
                          TACHO_STR_ARG(memory->name));
    }
    return TACHO_OK;
}

tacho_status tacho_cost_memory_write_rate(const tacho_memory *memory, tacho_ratio *out_rate)
{
    if (!tacho_quantity_is_set(&memory->write_efficiency)) {
        return tacho_cost_memory_rate(memory, out_rate);
    }
    if (!tacho_ratio_multiply(memory->bytes_per_cycle.value, memory->write_efficiency.value,
                              out_rate)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "memory %.*s: its rate has too many digits",
                          TACHO_STR_ARG(memory->name));
    }
    return TACHO_OK;
}
