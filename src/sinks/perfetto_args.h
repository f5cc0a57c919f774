/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a span: its own, and what the sink adds (cycles, run, origin).
 */
#ifndef TACHO_SINKS_PERFETTO_ARGS_H
#define TACHO_SINKS_PERFETTO_ARGS_H

#include "sinks/perfetto_writer.h"

/* Writes whatever the arguments of |row| will refer to; the most bytes that pf_args_put writes. */
tacho_status pf_args_prepare(pf_writer *writer, const tacho_row *row,
                             size_t *out_bound) TACHO_MUST_USE;

/* Writes the arguments into an event; |counts_cycles| is the track's clock's. */
unsigned char *pf_args_put(const pf_writer *writer, unsigned char *at, const tacho_row *row,
                           bool counts_cycles);

/* The same for what is written even where arguments are left out: origin, whether it ended. */
tacho_status pf_args_prepare_marks(pf_writer *writer, const tacho_row *row,
                                   size_t *out_bound) TACHO_MUST_USE;
unsigned char *pf_args_put_marks(const pf_writer *writer, unsigned char *at, const tacho_row *row);

#endif
