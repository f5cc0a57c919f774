/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program on a device and writes the raw stats of each inference:
 *
 *     make_stats PROGRAM FOLDER [DEVICE [INFERENCES [ACTIVATIONS [FIRST]]]]
 */
#include "device/device.h"
#include "program/container.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(tacho_status status)
{
    fprintf(stderr, "make_stats: %s\n", tacho_status_message(status));
    tacho_status_free(status);
    return 1;
}

static tacho_status write_buffer(const tacho_program *program, const tacho_stats_buffer *buffer,
                                 const char *folder)
{
    char path[4096];
    char slice[24] = "";
    if (buffer->head.device_count > 1) {
        snprintf(slice, sizeof(slice), "_slice%02u", (unsigned)buffer->head.device);
    }
    snprintf(path, sizeof(path),
             "%s/aic-profiling-program-%u-activation-%u-inf-%" PRIu64 "-%s%s-aiccyclecounts.bin",
             folder, (unsigned)buffer->head.program, (unsigned)buffer->head.activation,
             buffer->head.inference,
             tacho_strings_get(&program->strings, program->facts.name).data, slice);
    tacho_output output;
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_stats_seal(buffer, &output);
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}

static tacho_status run_device(tacho_device *device, const tacho_program *program,
                               const char *folder, uint64_t first, uint64_t count)
{
    TACHO_TRY(device->type->load(device, program));
    for (uint64_t i = first; i < first + count; i++) {
        tacho_device_result result;
        TACHO_TRY(device->type->run(device, i, true, &result));
        for (size_t j = 0; j < result.stats_count; j++) {
            TACHO_TRY(write_buffer(program, &result.stats[j], folder));
        }
    }
    return TACHO_OK;
}

static tacho_status run(int word_count, char **words)
{
    const char *name = word_count > 3 ? words[3] : "sim";
    uint64_t count = word_count > 4 ? strtoull(words[4], NULL, 10) : 1;
    uint64_t first = word_count > 6 ? strtoull(words[6], NULL, 10) : 0;
    tacho_device_options options = {
        .activations = word_count > 5 ? (uint32_t)strtoul(words[5], NULL, 10) : 1,
        .skips_values = true,
    };
    tacho_program program;
    tacho_device *device = NULL;
    tacho_status status = tacho_program_read(words[1], &program);
    if (status == TACHO_OK) {
        status = tacho_device_open(tacho_str_from_cstring(name), &options, &device);
    }
    if (status == TACHO_OK) {
        status = run_device(device, &program, words[2], first, count);
    }
    tacho_device_close(device);
    tacho_program_deinit(&program);
    return status;
}

int main(int word_count, char **words)
{
    if (word_count < 3 || word_count > 7) {
        fprintf(stderr, "usage: make_stats PROGRAM FOLDER [DEVICE [INFERENCES [ACTIVATIONS "
                        "[FIRST]]]]\n");
        return 2;
    }
    tacho_status status = run(word_count, words);
    return status == TACHO_OK ? 0 : fail(status);
}
