/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads of messages: both sides put and read them with these functions alone. Input is from
 * another computer: it is checked before any of it is used.
 */
#ifndef TACHO_REMOTE_MESSAGES_H
#define TACHO_REMOTE_MESSAGES_H

#include "device/device.h"
#include "remote/wire.h"

/* HELLO: texts are good as long as the payload. */
typedef struct tacho_wire_hello {
    uint32_t protocol;
    tacho_str version; /* of tacho */
    tacho_str machine; /* of the runtime: "aarch64" */
} tacho_wire_hello;
tacho_status tacho_wire_put_hello(tacho_bytes *to, const tacho_wire_hello *hello) TACHO_MUST_USE;
tacho_status tacho_wire_get_hello(tacho_str payload, tacho_wire_hello *out_hello) TACHO_MUST_USE;

/* LOAD: the device, without an argument, and its options but for the gate. */
tacho_status tacho_wire_put_load(tacho_bytes *to, const char *device,
                                 const tacho_device_options *options) TACHO_MUST_USE;
tacho_status tacho_wire_get_load(tacho_str payload, tacho_str *out_device,
                                 tacho_device_options *out_options) TACHO_MUST_USE;

/* LOADED: facts of the device once it has the program. */
typedef struct tacho_wire_loaded {
    bool has_values;
    tacho_execution_counts counts;
    uint64_t peak_bytes;
    tacho_str missing;     /* records that are not available; empty: none */
    tacho_str computes_op; /* a byte for each op, where there are values */
} tacho_wire_loaded;
tacho_status tacho_wire_put_loaded(tacho_bytes *to, const tacho_device *device) TACHO_MUST_USE;
tacho_status tacho_wire_get_loaded(tacho_str payload, const tacho_program *program,
                                   tacho_wire_loaded *out_loaded) TACHO_MUST_USE;
/* Bytes of it, at most. */
uint64_t tacho_wire_loaded_limit(const tacho_program *program);

/* INPUT and VALUE: a number and an array without its elements, which follow. */
tacho_status tacho_wire_put_array(tacho_bytes *to, uint64_t index,
                                  const tacho_array *array) TACHO_MUST_USE;
/* The elements are those of the payload, which is aligned for any type. */
tacho_status tacho_wire_get_array(tacho_str payload, tacho_wire_type type, uint64_t *out_index,
                                  tacho_array *out_array) TACHO_MUST_USE;
/* Bytes of its elements; false where they cannot be counted. */
bool tacho_wire_array_bytes(const tacho_array *array, size_t *out_bytes);
/* BAD_DATA unless |array| is one of output |index| of |program|. */
tacho_status tacho_wire_check_output(const tacho_array *array, const tacho_program *program,
                                     size_t index) TACHO_MUST_USE;
/* Bytes of a VALUE that is output |index|, at most. */
uint64_t tacho_wire_value_limit(const tacho_program *program, size_t index);

/* RUN and OUTPUT: two numbers. */
tacho_status tacho_wire_put_pair(tacho_bytes *to, uint64_t first, uint64_t second) TACHO_MUST_USE;
tacho_status tacho_wire_get_pair(tacho_str payload, tacho_wire_type type, uint64_t *out_first,
                                 uint64_t *out_second) TACHO_MUST_USE;

/* FAILED: all of |status|, which stays the caller's. */
tacho_status tacho_wire_put_failure(tacho_bytes *to, tacho_status status) TACHO_MUST_USE;
/* The failure that the payload is; one of its own where it is damaged. */
tacho_status tacho_wire_get_failure(tacho_str payload) TACHO_MUST_USE;

#endif
