/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting programs into containers and taking them out.
 */
#include "program/container.h"

#include "codec/crc32c.h"
#include "program/image.h"
#include "program/networkdesc.h"
#include "program/seal.h"

#include <stdio.h>

/* The contents of a container: the image, a description for each slice, constants, the seal. */
typedef struct parts {
    const tacho_program *program;
    tacho_slice *slices;
    tacho_bytes *descriptions; /* by slice */
    tacho_arena arena;
} parts;

enum { IMAGE = 0, DESCRIPTIONS = 1, OTHER_COUNT = 3 /* beside descriptions */ };

/* Where the image goes, piece by piece: it is never whole in memory. */
typedef struct image_drain {
    tacho_output *output;
    uint32_t crc32c;
} image_drain;

static tacho_status put_piece(void *self, tacho_str bytes)
{
    image_drain *drain = self;
    drain->crc32c = tacho_crc32c(drain->crc32c, bytes);
    tacho_output_write_str(drain->output, bytes);
    return TACHO_OK;
}

static tacho_status write_image(const tacho_program *program, tacho_output *output,
                                uint32_t *out_crc32c)
{
    image_drain drain = {.output = output};
    tacho_bytes bytes = {.drain = {put_piece, &drain}};
    tacho_status status = tacho_image_write_measured(program, &bytes);
    if (status == TACHO_OK) {
        status = tacho_bytes_flush(&bytes);
    }
    tacho_bytes_deinit(&bytes);
    *out_crc32c = drain.crc32c;
    return status;
}

static tacho_status write_segments(parts *self, tacho_qpc_segment *segments, size_t segment_count,
                                   tacho_output *output)
{
    tacho_str head;
    size_t seal = segment_count - 1;
    segments[seal].data.len = tacho_seal_bytes(seal);
    TACHO_TRY(tacho_qpc_make_head(segments, segment_count, &self->arena, &head));
    tacho_output_write_str(output, head);
    TACHO_TRY(write_image(self->program, output, &segments[IMAGE].crc32c));
    for (size_t i = IMAGE + 1; i < seal; i++) {
        segments[i].crc32c = tacho_crc32c(0, segments[i].data);
    }
    TACHO_TRY(tacho_seal_make(head, segments, seal, &self->arena, &segments[seal].data));
    tacho_qpc_write(&segments[IMAGE + 1], segment_count - 1, head.len + segments[IMAGE].data.len,
                    output);
    return tacho_output_take_failure(output);
}

static tacho_status name_description(parts *self, uint32_t slice, tacho_str *out_name)
{
    char name[TACHO_SLICE_NAME_MAX + sizeof(TACHO_SLICE_FOLDER TACHO_SEGMENT_NETWORKDESC)];
    if (tacho_slice_count(self->program) == 1) {
        *out_name = TACHO_STR(TACHO_SEGMENT_NETWORKDESC);
        return TACHO_OK;
    }
    snprintf(name, sizeof(name), "%s" TACHO_SLICE_FOLDER TACHO_SEGMENT_NETWORKDESC,
             self->slices[slice].name);
    return tacho_arena_copy(&self->arena, tacho_str_from_cstring(name), out_name);
}

static tacho_status write_parts(parts *self, tacho_output *output)
{
    const tacho_program *program = self->program;
    uint32_t slice_count = tacho_slice_count(program);
    size_t segment_count = slice_count + OTHER_COUNT;
    void *memory = NULL;
    if (segment_count > TACHO_QPC_SEGMENTS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "a program file has room for %d devices, not %u",
                          TACHO_QPC_SEGMENTS_MAX - OTHER_COUNT, (unsigned)slice_count);
    }
    TACHO_TRY(tacho_arena_alloc(&self->arena, segment_count * sizeof(tacho_qpc_segment), &memory));
    tacho_qpc_segment *segments = memory;
    TACHO_TRY(tacho_arena_alloc(&self->arena, slice_count * sizeof(tacho_bytes), &memory));
    self->descriptions = memory;
    uint64_t image_bytes = 0;
    TACHO_TRY(tacho_image_measure(program, &image_bytes)); /* and checks it */
    TACHO_TRY(tacho_slices_create(program, &self->slices));
    segments[IMAGE].name = TACHO_STR(TACHO_SEGMENT_IMAGE);
    segments[IMAGE].data.len = (size_t)image_bytes;
    for (uint32_t i = 0; i < slice_count; i++) {
        tacho_qpc_segment *segment = &segments[DESCRIPTIONS + i];
        TACHO_TRY(name_description(self, i, &segment->name));
        TACHO_TRY(tacho_networkdesc_write(program, &self->slices[i], &self->descriptions[i]));
        segment->data = tacho_bytes_view(&self->descriptions[i]);
    }
    tacho_qpc_segment *constants = &segments[DESCRIPTIONS + slice_count];
    constants->name = TACHO_STR(TACHO_SEGMENT_CONSTANTS);
    constants->data = program->constants;
    constants->offset = program->constants.len; /* all of them are static */
    constants[1].name = TACHO_STR(TACHO_SEAL_SEGMENT);
    return write_segments(self, segments, segment_count, output);
}

tacho_status tacho_program_write_to(const tacho_program *program, tacho_output *output)
{
    parts self = {.program = program};
    tacho_arena_init(&self.arena);
    tacho_status status = write_parts(&self, output);
    for (uint32_t i = 0; self.descriptions != NULL && i < tacho_slice_count(program); i++) {
        tacho_bytes_deinit(&self.descriptions[i]);
    }
    tacho_slices_free(program, self.slices);
    tacho_arena_deinit(&self.arena);
    return status;
}

bool tacho_program_is_description(tacho_str segment)
{
    return tacho_str_equal(segment, TACHO_STR(TACHO_SEGMENT_NETWORKDESC)) ||
           tacho_str_ends_with(segment, TACHO_STR("/" TACHO_SEGMENT_NETWORKDESC));
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

/* The data of a segment; empty where it is missing. */
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
    const tacho_mapping_bound bound = {.is_known = tacho_qpc_is_container};
    TACHO_TRY(tacho_mappings_open_bounded(&program->mappings, path, &bound, &bytes));
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
