/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's tables: made empty, and taken down.
 */
#include "program/program.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tacho/version.h>

tacho_status tacho_program_init(tacho_program *program)
{
    *program = (tacho_program){.writer = TACHO_VERSION_MAJOR | TACHO_VERSION_MINOR << 8 |
                                         TACHO_VERSION_PATCH << 16};
    tacho_arena_init(&program->arena);
    return tacho_strings_init(&program->strings);
}

void tacho_program_deinit(tacho_program *program)
{
#define FREE_TABLE(name, names, type) free(program->names);
    TACHO_PROGRAM_TABLES(FREE_TABLE)
#undef FREE_TABLE
    free(program->attrs);
    tacho_mappings_close(&program->mappings);
    tacho_strings_deinit(&program->strings);
    tacho_arena_deinit(&program->arena);
}

uint64_t tacho_program_table_bytes(const tacho_program *program)
{
    uint64_t bytes = 0;
#define TACHO_PROGRAM_ADD_BYTES(name, names, type) bytes += program->name##_count * sizeof(type);
    TACHO_PROGRAM_TABLES(TACHO_PROGRAM_ADD_BYTES)
#undef TACHO_PROGRAM_ADD_BYTES
    return bytes;
}

tacho_status tacho_program_add_shape(tacho_program *program, const tacho_shape *shape,
                                     uint32_t *out_id)
{
    TACHO_TRY(tacho_grow(&program->shapes, &program->shape_capacity, program->shape_count + 1));
    *out_id = (uint32_t)program->shape_count;
    program->shapes[program->shape_count++] = *shape;
    return TACHO_OK;
}

bool tacho_program_print_stand_ins(const tacho_program *program,
                                   char out_text[TACHO_PROGRAM_STAND_INS_MAX])
{
    uint32_t random = program->facts.random_weight_count, zero = program->facts.zero_weight_count;
    int used = 0;
    out_text[0] = '\0';
    if (random > 0) {
        used = snprintf(out_text, TACHO_PROGRAM_STAND_INS_MAX,
                        "seeded random values in %" PRIu32 " tensor%s", random,
                        random == 1 ? "" : "s");
    }
    if (zero > 0) {
        snprintf(out_text + used, TACHO_PROGRAM_STAND_INS_MAX - (size_t)used,
                 "%szeros in %" PRIu32 " tensor%s", random > 0 ? ", " : "", zero,
                 zero == 1 ? "" : "s");
    }
    return random > 0 || zero > 0;
}
