/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of bytes with what every processor of the build's architecture has: SSE2 on x86-64,
 * loops that compilers make vectors of elsewhere.
 */
#define BYTE_SIMD tacho_byte_simd_plain
#define BYTE_SIMD_NAME "plain"
#include "kernels/byte_simd_body.h"
