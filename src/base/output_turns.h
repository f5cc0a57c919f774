/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that threads have written to an output in their turns and not handed over yet.
 */
#ifndef TACHO_BASE_OUTPUT_TURNS_H
#define TACHO_BASE_OUTPUT_TURNS_H

#include "base/output.h"

typedef struct tacho_output_turns tacho_output_turns;

/* The output's part in it: appends |len| bytes. */
tacho_status tacho_output_write_part(tacho_output *output, const void *bytes,
                                     size_t len) TACHO_MUST_USE;

/* Waits, within a turn, until everything of earlier turns is written, or writing has failed. */
void tacho_output_turns_wait(tacho_output_turns *turns);

/* The same when all threads have ended; |output| has no turns afterwards. */
void tacho_output_turns_end(tacho_output *output);

#endif
