/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thrift's compact protocol, as far as headers and footers of Parquet need it: written into a
 * buffer that grows. The first failure sticks, and is asked for at the end.
 */
#ifndef TACHO_CODEC_THRIFT_H
#define TACHO_CODEC_THRIFT_H

#include "base/status.h"
#include "base/str.h"

#include <stdint.h>

enum { TACHO_THRIFT_DEPTH_MAX = 8 };

typedef enum tacho_thrift_type {
    TACHO_THRIFT_TRUE = 1,
    TACHO_THRIFT_FALSE = 2,
    TACHO_THRIFT_I32 = 5,
    TACHO_THRIFT_I64 = 6,
    TACHO_THRIFT_BINARY = 8,
    TACHO_THRIFT_LIST = 9,
    TACHO_THRIFT_STRUCT = 12,
} tacho_thrift_type;

/* All zero is an empty buffer with one struct open. */
typedef struct tacho_thrift {
    unsigned char *bytes;
    size_t len, capacity;
    int last_fields[TACHO_THRIFT_DEPTH_MAX]; /* of the structs that are open */
    size_t depth;
    bool has_failed; /* no memory */
} tacho_thrift;

void tacho_thrift_deinit(tacho_thrift *thrift);

/* Empties it and opens the outermost struct. */
void tacho_thrift_clear(tacho_thrift *thrift);

void tacho_thrift_int(tacho_thrift *thrift, int field, tacho_thrift_type type, int64_t value);
void tacho_thrift_binary(tacho_thrift *thrift, int field, tacho_str bytes);

/* A list of |count| elements: values without fields, or structs that are begun with field 0. */
void tacho_thrift_list(tacho_thrift *thrift, int field, tacho_thrift_type type, size_t count);
void tacho_thrift_element_int(tacho_thrift *thrift, int64_t value);
void tacho_thrift_element_binary(tacho_thrift *thrift, tacho_str bytes);

/* A struct; field 0: an element of a list. */
void tacho_thrift_begin(tacho_thrift *thrift, int field);
void tacho_thrift_end(tacho_thrift *thrift);

/* Ends the outermost struct. */
tacho_status tacho_thrift_finish(tacho_thrift *thrift) TACHO_MUST_USE;

#endif
