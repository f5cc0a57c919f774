/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a board answers, and what a host asks of it: the first byte says which message the
 * rest is the payload of, or that it is messages one after the other.
 *
 * Laws: what is read of a result names ops, engines and blocks of the program, its times can be
 * added up, and a value has as many bytes as its shape says; no message is longer than asked for.
 */
#include "codec/crc32c.h"
#include "program/program_testing.h"
#include "remote/result.h"
#include "mutate/mutate.h"

#include <stdlib.h>

const fuzz_layout fuzz_input_layout = {.prefix_bytes = 1};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void fuzz_result(tacho_str payload, const tacho_stats_layout *layout)
{
    const tacho_wire_asked asked = {layout, 1, 0};
    tacho_wire_result result;
    tacho_bytes again = {0};
    tacho_wire_result_init(&result);
    tacho_status status = tacho_wire_get_result(payload, &asked, &result);
    if (status == TACHO_OK) {
        int64_t took_ns = result.result.end_ns - result.result.start_ns;
        require(took_ns >= 0 && took_ns <= result.total_ns);
        require(result.result.wall_ns >= 0 && result.result.wall_ns <= result.total_ns);
        require(result.total_ns <= TACHO_WIRE_NS_MAX);
        require(result.result.stats_count <= layout->program->facts.device_count);
        require(result.result.block_count == 0 ||
                result.result.block_count == layout->program->block_count);
        require(tacho_wire_put_result(&again, layout->program, &result.result) == TACHO_OK);
    }
    tacho_status_free(status);
    tacho_bytes_deinit(&again);
    tacho_wire_result_deinit(&result);
}

static void fuzz_value(tacho_str payload)
{
    tacho_array array;
    uint64_t index;
    size_t len = 0;
    unsigned sum = 0;
    tacho_status status = tacho_wire_get_array(payload, TACHO_WIRE_VALUE, &index, &array);
    if (status == TACHO_OK) {
        require(tacho_wire_array_bytes(&array, &len));
        for (size_t i = 0; i < len; i++) {
            sum += ((const unsigned char *)array.data)[i];
        }
        require(sum <= 255 * len);
    }
    tacho_status_free(status);
}

/* What is left of the input; a wire that gives few bytes at a time. */
static size_t receive_piece(void *self, void *bytes, size_t len)
{
    enum { PIECE = 13 };
    tacho_str *rest = self;
    size_t taken = len < rest->len ? len : rest->len;
    taken = taken < PIECE ? taken : PIECE;
    memcpy(bytes, rest->data, taken);
    *rest = tacho_str_make(rest->data + taken, rest->len - taken);
    return taken;
}

/* Makes the checksums of messages right, or nothing behind the first one would be tried. */
static void seal(unsigned char *bytes, size_t len)
{
    enum { PAYLOAD_SUM = 24, HEADER_SUM = 28 };
    while (len >= TACHO_WIRE_HEADER_BYTES) {
        uint64_t payload = tacho_bytes_load(bytes + 8, 8);
        size_t left = len - TACHO_WIRE_HEADER_BYTES;
        left = payload < left ? (size_t)payload : left;
        const char *at = (const char *)bytes;
        uint32_t sum = tacho_crc32c(0, tacho_str_make(at + TACHO_WIRE_HEADER_BYTES, left));
        tacho_bytes_store(bytes + PAYLOAD_SUM, sum, 4);
        tacho_bytes_store(bytes + HEADER_SUM, tacho_crc32c(0, tacho_str_make(at, HEADER_SUM)), 4);
        bytes += TACHO_WIRE_HEADER_BYTES + left;
        len -= TACHO_WIRE_HEADER_BYTES + left;
    }
}

static void fuzz_wire(tacho_str rest)
{
    enum { LIMIT = 40 };
    const tacho_wire wire = {.receive = receive_piece, .self = &rest};
    tacho_wire_message message = {.limit = LIMIT};
    tacho_status status = TACHO_OK;
    bool is_end = false;
    while (status == TACHO_OK && !is_end) {
        status = tacho_wire_receive(&wire, &message, &is_end);
        require(status != TACHO_OK || is_end || message.elapsed_ns <= TACHO_WIRE_NS_MAX);
        bool is_data = message.type == TACHO_WIRE_VALUE || message.type == TACHO_WIRE_RESULT;
        require(!is_data || message.payload.len <= LIMIT);
    }
    tacho_status_free(status);
    tacho_bytes_deinit(&message.payload);
}

static void fuzz_small(uint8_t which, tacho_str payload, const tacho_program *program)
{
    tacho_wire_hello hello;
    tacho_wire_loaded loaded;
    tacho_device_options options;
    tacho_str device;
    tacho_status status = which == 0   ? tacho_wire_get_hello(payload, &hello)
                          : which == 1 ? tacho_wire_get_load(payload, &device, &options)
                          : which == 2 ? tacho_wire_get_loaded(payload, program, &loaded)
                                       : tacho_wire_get_failure(payload);
    if (which == 2 && status == TACHO_OK && loaded.has_values) {
        require(loaded.computes_op.len == program->op_count);
    }
    tacho_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_program program;
    tacho_stats_layout layout;
    tacho_bytes copy = {0}; /* aligned, as payloads are */
    if (size == 0) {
        return 0;
    }
    require(tacho_program_init(&program) == TACHO_OK);
    require(make_test_program(&program) == TACHO_OK);
    require(tacho_stats_layout_init(&layout, &program) == TACHO_OK);
    tacho_str rest = tacho_str_make((const char *)data + 1, size - 1);
    require(tacho_bytes_append(&copy, rest) == TACHO_OK);
    uint8_t which = data[0] % 7;
    if (which == 6) {
        seal(copy.data, copy.len);
        fuzz_wire(tacho_bytes_view(&copy));
    } else if (which == 5) {
        fuzz_result(tacho_bytes_view(&copy), &layout);
    } else if (which == 4) {
        fuzz_value(tacho_bytes_view(&copy));
    } else {
        fuzz_small(which, tacho_bytes_view(&copy), &program);
    }
    tacho_bytes_deinit(&copy);
    tacho_stats_layout_deinit(&layout);
    tacho_program_deinit(&program);
    return 0;
}
