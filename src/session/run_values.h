/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs and outputs of a run as people write them, a shape and a type before the values:
 *
 *     1x1280xi8=0              every element is 0; without "=0", too
 *     4xf32=1 2 3 4            also with commas, and 2x2xf32=[1 2][3 4]
 *     @x.npy  @x.pb            NumPy's file, or a TensorProto of ONNX
 *     @x.bin  1x4xf32=@x.bin   the bytes of the elements in a row
 *     NAME=...                 any of these for the input of this name
 */
#ifndef TACHO_SESSION_RUN_VALUES_H
#define TACHO_SESSION_RUN_VALUES_H

#include "base/arena.h"
#include "base/notes.h"
#include "base/output.h"
#include "program/program.h"

/* What people wrote; |notes| are told which file has to be waited for. */
typedef struct tacho_run_input_texts {
    const char *const *items;
    size_t item_count;
    const tacho_notes *notes;
} tacho_run_input_texts;

/*
 * Reads the |texts|, each for the input that it names or else the next one, into |out_arrays|,
 * which has one for each input of |program|; those without a text have no data. Elements lie in
 * |arena|. What does not fit the program is USAGE, a bad file BAD_DATA.
 */
tacho_status tacho_run_inputs_read(const tacho_program *program, const tacho_run_input_texts *texts,
                                   tacho_arena *arena, tacho_array *out_arrays) TACHO_MUST_USE;

/*
 * The shape of the value that |texts| give input |index|, called |name|, before anything else of
 * the inputs is known; of unknown rank where they give none, or only reading it to its end shows.
 */
tacho_status tacho_run_input_shape(const tacho_run_input_texts *texts, tacho_str name, size_t index,
                                   tacho_shape *out_shape) TACHO_MUST_USE;

/*
 * Seeded-random elements of input |index|, other ones for each input. Integers of 32 and 64 bits,
 * which are indices more often than not, are 0 or 1.
 */
tacho_status tacho_run_input_random(const tacho_program *program, size_t index, uint64_t seed,
                                    tacho_arena *arena, tacho_array *out_array) TACHO_MUST_USE;

/* How to give input |index|: "ids=1x4xi64=VALUE". */
void tacho_run_input_print(const tacho_program *program, size_t index, char *out_text, size_t room);

/* "2x2xf32=[1 2][3 4]", of at most |element_max| elements: more are "...". */
tacho_status tacho_run_value_print(const tacho_array *array, uint64_t element_max,
                                   tacho_output *output) TACHO_MUST_USE;

/*
 * Writes |array| to |path|: as .npy, or where the path ends in .bin the elements' bytes alone. It
 * is in place when |group| is finished.
 */
tacho_status tacho_run_value_write(const tacho_array *array, const char *path, bool is_chosen,
                                   tacho_output_group *group) TACHO_MUST_USE;

#endif
