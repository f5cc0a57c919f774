/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products with weights of few bits with AVX-512: this file is compiled for it, and runs where
 * kernels/isa.h allows it.
 */
#define NBIT_SIMD tacho_nbit_simd_avx512
#define NBIT_SIMD_NAME "avx512"
#include "kernels/nbit_simd_body.h"
