/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the readers of containers and of the programs in them. An input that starts as an image
 * is read as one, since no mutation gets past the checksums of a container.
 *
 * Laws: segments lie in the file and apart; a program that reads, written again, gives the same
 * image; and a container of it reads.
 */
#include "program/container.h"
#include "program/image.h"
#include "program/seal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_segments(const tacho_qpc *qpc)
{
    uint64_t total = 0;
    for (size_t i = 0; i < qpc->segment_count; i++) {
        const tacho_qpc_segment *segment = &qpc->segments[i];
        require(segment->place <= qpc->bytes.len);
        require(segment->data.len <= qpc->bytes.len - segment->place);
        require(segment->data.data == qpc->bytes.data + segment->place);
        require(tacho_qpc_find(qpc, segment->name) == segment);
        total += segment->data.len + segment->name.len + 1;
    }
    require(total + 40 <= qpc->bytes.len);
}

/* The image of |program| is |expected|. */
static void check_image(const tacho_program *program, tacho_str expected)
{
    tacho_bytes again = {0};
    require(tacho_image_write(program, &again) == TACHO_OK);
    require(tacho_str_equal(tacho_bytes_view(&again), expected));
    tacho_bytes_deinit(&again);
}

static void fuzz_image(tacho_str image)
{
    static const char constants[64] = {0};
    tacho_program program;
    require(tacho_program_init(&program) == TACHO_OK);
    program.constants = tacho_str_make(constants, sizeof(constants));
    tacho_status status = tacho_image_read(image, &program);
    if (status == TACHO_OK) {
        check_image(&program, image);
    }
    tacho_status_free(status);
    tacho_program_deinit(&program);
}

static void fuzz_program(const tacho_qpc *qpc)
{
    tacho_program program;
    tacho_status status = tacho_program_read_from(qpc, &program);
    if (status == TACHO_OK) {
        check_image(&program, tacho_qpc_find(qpc, TACHO_STR(TACHO_SEGMENT_IMAGE))->data);
    }
    tacho_status_free(status);
    tacho_program_deinit(&program);
}

static void fuzz_container(tacho_str bytes)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_qpc qpc;
    tacho_status status = tacho_qpc_read(bytes, &arena, &qpc);
    if (status == TACHO_OK) {
        const tacho_seal_state *states = NULL;
        check_segments(&qpc);
        require(tacho_seal_states(&qpc, &arena, &states) == TACHO_OK);
        fuzz_program(&qpc);
    }
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    if (tacho_image_is_image(bytes)) {
        fuzz_image(bytes);
    } else {
        fuzz_container(bytes);
    }
    return 0;
}
