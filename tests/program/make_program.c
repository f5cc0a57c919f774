/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the program that unit tests make by hand to a container: make_program OUT [LEVEL]
 */
#include "program/container.h"
#include "program/program_testing.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(tacho_status status)
{
    fprintf(stderr, "make_program: %s\n", tacho_status_message(status));
    tacho_status_free(status);
    return 1;
}

static tacho_status write_program(const char *path, const char *level, bool is_sliced)
{
    tacho_program program;
    tacho_status status = tacho_program_init(&program);
    if (status == TACHO_OK) {
        status = make_test_program(&program);
    }
    if (status == TACHO_OK && level != NULL) {
        program.facts.stats.level = (uint32_t)strtoul(level, NULL, 10);
    }
    if (status == TACHO_OK && is_sliced) {
        slice_test_program(&program);
    }
    if (status == TACHO_OK) {
        status = tacho_program_write(&program, path);
    }
    tacho_program_deinit(&program);
    return status;
}

int main(int word_count, char **words)
{
    bool is_sliced = word_count == 4 && strcmp(words[3], "sliced") == 0;
    if (word_count < 2 || word_count > 4 || (word_count == 4 && !is_sliced)) {
        fprintf(stderr, "usage: make_program OUT [LEVEL [sliced]]\n");
        return 2;
    }
    tacho_status status = write_program(words[1], word_count >= 3 ? words[2] : NULL, is_sliced);
    return status == TACHO_OK ? 0 : fail(status);
}
