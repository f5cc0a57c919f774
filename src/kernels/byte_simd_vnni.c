/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes with AVX-512 and VNNI, which adds up two products at once: this file is
 * compiled for it, and runs where kernels/isa.h allows it.
 */
#define BYTE_SIMD tacho_byte_simd_vnni
#define BYTE_SIMD_NAME "avx512_vnni"
#include "kernels/byte_simd_body.h"
