/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 (FIPS 180-4), to compare files on two computers.
 */
#ifndef TACHO_BASE_SHA256_H
#define TACHO_BASE_SHA256_H

#include "base/str.h"

enum { TACHO_SHA256_HEX_BYTES = 65 }; /* with the NUL */

/* The digest of |bytes| in hexadecimal digits, as sha256sum prints it. */
void tacho_sha256_hex(tacho_str bytes, char out_hex[TACHO_SHA256_HEX_BYTES]);

#endif
