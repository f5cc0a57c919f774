/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products with weights of few bits with AVX2 and FMA: this file is compiled for them, and runs
 * where kernels/isa.h allows it.
 */
#define NBIT_SIMD tacho_nbit_simd_avx2
#define NBIT_SIMD_NAME "avx2"
#include "kernels/nbit_simd_body.h"
