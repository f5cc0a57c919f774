/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spool: sorts any number of rows in bounded memory. Rows are packed into a buffer; a full
 * buffer is sorted and written as a run to an unnamed temporary file; draining merges the runs.
 * Rows that fit the buffer never touch the disk.
 *
 * The output is by time across tracks, and in track order (tacho_row_compare) within one.
 */
#ifndef TACHO_PROFILE_SPOOL_H
#define TACHO_PROFILE_SPOOL_H

#include "profile/events.h"

typedef struct tacho_spool tacho_spool;

enum { TACHO_SPOOL_DEFAULT_BYTES = 16 << 20 };

/* A spool that holds about |memory_bytes| of rows before it uses the disk. */
tacho_status tacho_spool_create(const tacho_dict *dict, size_t memory_bytes,
                                tacho_spool **out_spool) TACHO_MUST_USE;
void tacho_spool_destroy(tacho_spool *spool);

tacho_status tacho_spool_add(tacho_spool *spool, const tacho_row *row) TACHO_MUST_USE;

/* Pushes every row to |next| in order and keeps them all; no row is added from then on. */
tacho_status tacho_spool_replay(tacho_spool *spool, tacho_events *next) TACHO_MUST_USE;

/* Pushes every row to |next| in order and leaves the spool empty. */
tacho_status tacho_spool_drain(tacho_spool *spool, tacho_events *next) TACHO_MUST_USE;

#endif
