/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting programs into containers and taking them out.
 */
#include "program/container.h"

#include "program/image.h"
#include "program/networkdesc.h"
#include "program/seal.h"

enum { IMAGE, NETWORKDESC, CONSTANTS, SEAL, SEGMENT_COUNT };

static tacho_status write_segments(tacho_qpc_segment segments[SEGMENT_COUNT], tacho_arena *arena,
                                   tacho_output *output)
{
    tacho_str head;
    segments[SEAL].data.len = tacho_seal_bytes(SEAL);
    TACHO_TRY(tacho_qpc_make_head(segments, SEGMENT_COUNT, arena, &head));
    TACHO_TRY(tacho_seal_make(head, segments, SEAL, arena, &segments[SEAL].data));
    tacho_qpc_write(head, segments, SEGMENT_COUNT, output);
    return tacho_output_take_failure(output);
}

static tacho_status write_parts(const tacho_program *program, tacho_bytes *image,
                                tacho_bytes *description, tacho_output *output)
{
    TACHO_TRY(tacho_image_write(program, image));
    TACHO_TRY(tacho_networkdesc_write(program, description));
    tacho_qpc_segment segments[SEGMENT_COUNT] = {
        [IMAGE] = {.name = TACHO_STR_INIT(TACHO_SEGMENT_IMAGE)},
        [NETWORKDESC] = {.name = TACHO_STR_INIT(TACHO_SEGMENT_NETWORKDESC)},
        [CONSTANTS] = {.name = TACHO_STR_INIT(TACHO_SEGMENT_CONSTANTS)},
        [SEAL] = {.name = TACHO_STR_INIT(TACHO_SEAL_SEGMENT)},
    };
    segments[IMAGE].data = tacho_bytes_view(image);
    segments[NETWORKDESC].data = tacho_bytes_view(description);
    segments[CONSTANTS].data = program->constants;
    segments[CONSTANTS].offset = program->constants.len; /* all of them are static */
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = write_segments(segments, &arena, output);
    tacho_arena_deinit(&arena);
    return status;
}

tacho_status tacho_program_write_to(const tacho_program *program, tacho_output *output)
{
    tacho_bytes image = {0};
    tacho_bytes description = {0};
    tacho_status status = write_parts(program, &image, &description, output);
    tacho_bytes_deinit(&image);
    tacho_bytes_deinit(&description);
    return status;
}

tacho_status tacho_program_check_path(const char *path)
{
    tacho_str name = tacho_str_from_cstring(path);
    bool is_compressed =
        tacho_str_ends_with(name, TACHO_STR(".gz")) || tacho_str_ends_with(name, TACHO_STR(".zst"));
    return is_compressed
               ? tacho_fail(TACHO_CODE_USAGE,
                            "%s: programs are not compressed; leave out .gz or .zst", path)
               : TACHO_OK;
}

tacho_status tacho_program_write(const tacho_program *program, const char *path)
{
    tacho_output output;
    TACHO_TRY(tacho_program_check_path(path));
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = tacho_program_write_to(program, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

/* What a segment holds; nothing where it is missing. */
static tacho_str data_of(const tacho_qpc *qpc, tacho_str name)
{
    const tacho_qpc_segment *segment = tacho_qpc_find(qpc, name);
    return segment != NULL ? segment->data : TACHO_STR("");
}

static tacho_status read_into(const tacho_qpc *qpc, tacho_program *program)
{
    TACHO_TRY(tacho_seal_check(qpc));
    program->constants = data_of(qpc, TACHO_STR(TACHO_SEGMENT_CONSTANTS));
    return tacho_image_read(data_of(qpc, TACHO_STR(TACHO_SEGMENT_IMAGE)), program);
}

tacho_status tacho_program_read_from(const tacho_qpc *qpc, tacho_program *out_program)
{
    TACHO_TRY(tacho_program_init(out_program));
    return read_into(qpc, out_program);
}

static tacho_status read_file(const char *path, tacho_arena *arena, tacho_program *program)
{
    tacho_str bytes = TACHO_STR("");
    tacho_qpc qpc;
    TACHO_TRY(tacho_mappings_open(&program->mappings, path, &bytes));
    TACHO_TRY(tacho_qpc_read_named(path, bytes, arena, &qpc));
    TACHO_TRY_NOTE(read_into(&qpc, program), "reading %s", path);
    return TACHO_OK;
}

tacho_status tacho_program_read(const char *path, tacho_program *out_program)
{
    TACHO_TRY(tacho_program_init(out_program));
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = read_file(path, &arena, out_program);
    tacho_arena_deinit(&arena);
    return status;
}
