/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products with weights of few bits for the architecture that everything is built for, and the
 * choice between the sets.
 */
#define NBIT_SIMD tacho_nbit_simd_plain
#define NBIT_SIMD_NAME "plain"
#include "kernels/nbit_simd_body.h"

#include "kernels/isa.h"

const tacho_nbit_simd *tacho_nbit_simd_best(void)
{
#if defined(__x86_64__)
    if (tacho_isa_has_avx512()) {
        return &tacho_nbit_simd_avx512;
    }
    if (tacho_isa_has_avx2()) {
        return &tacho_nbit_simd_avx2;
    }
#endif
    return &tacho_nbit_simd_plain;
}
