/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program's tables: made empty, and taken down.
 */
#include "program/program.h"

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
