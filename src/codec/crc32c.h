/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC32C (Castagnoli): the checksum of our own files.
 */
#ifndef TACHO_CODEC_CRC32C_H
#define TACHO_CODEC_CRC32C_H

#include "base/str.h"

/*
 * Continues the checksum |crc|, 0 at the start, with |bytes|. Uses the processor's instruction
 * where it has one.
 */
uint32_t tacho_crc32c(uint32_t crc, tacho_str bytes);

/* The same by tables alone. */
uint32_t tacho_crc32c_portable(uint32_t crc, tacho_str bytes);

#endif
