/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes with AVX2: this file is compiled with -mavx2, and runs where kernels/isa.h
 * allows it.
 */
#define BYTE_SIMD tacho_byte_simd_avx2
#define BYTE_SIMD_NAME "avx2"
#include "kernels/byte_simd_body.h"
