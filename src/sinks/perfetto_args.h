/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a span: its own, and what the sink adds (cycles, run, origin).
 */
#ifndef TACHO_SINKS_PERFETTO_ARGS_H
#define TACHO_SINKS_PERFETTO_ARGS_H

#include "sinks/perfetto_writer.h"

enum { PF_ANNOTATION_OVERHEAD = 32 /* tags, lengths and numbers of one argument, text aside */ };

/* The most bytes of so many arguments, and of those that the sink adds; text aside. */
static inline size_t pf_args_bound(size_t arg_count)
{
    return ((size_t)PF_OWN_KEY_COUNT + arg_count) * PF_ANNOTATION_OVERHEAD;
}

/*
 * Writes the arguments into an event; |counts_cycles| is the track's clock's. NULL where this epoch
 * does not know a string, or |room| may not do: pf_args_prepare helps. Mostly nothing has to be
 * written ahead, so it is tried first.
 */
unsigned char *pf_args_try_put(const pf_writer *writer, unsigned char *at, const tacho_row *row,
                               bool counts_cycles, size_t room);

/* Writes whatever the arguments of |row| will refer to; the room that they may take then. */
tacho_status pf_args_prepare(pf_writer *writer, const tacho_row *row,
                             size_t *out_bound) TACHO_MUST_USE;

/* The same for what is written even where arguments are left out: origin, whether it ended. */
tacho_status pf_args_prepare_marks(pf_writer *writer, const tacho_row *row,
                                   size_t *out_bound) TACHO_MUST_USE;
unsigned char *pf_args_put_marks(const pf_writer *writer, unsigned char *at, const tacho_row *row);

#endif
