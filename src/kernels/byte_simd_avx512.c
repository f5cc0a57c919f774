/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes with AVX-512: this file is compiled for it, and runs where kernels/isa.h allows
 * it.
 */
#define BYTE_SIMD tacho_byte_simd_avx512
#define BYTE_SIMD_NAME "avx512"
#include "kernels/byte_simd_body.h"
