/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field numbers of Perfetto traces, and their texts.
 */
#ifndef TACHO_SOURCES_PERFETTO_FIELDS_H
#define TACHO_SOURCES_PERFETTO_FIELDS_H

#include "codec/perfetto_fields.h"
#include "codec/protobuf_fields.h"

/* Text up to its first NUL byte, where viewers cut it. */
static inline tacho_str pfr_text(tacho_str bytes)
{
    bytes.len = tacho_str_find_byte(bytes, '\0');
    return bytes;
}

#endif
