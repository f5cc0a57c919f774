/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row store: keeps rows part by part, in the order in which they were pushed, and plays them back
 * any number of times. Rows are packed into blocks; when these take more memory than allowed, they
 * move to an unnamed temporary file.
 */
#ifndef TACHO_PROFILE_ROW_STORE_H
#define TACHO_PROFILE_ROW_STORE_H

#include "profile/events.h"

typedef struct tacho_row_store tacho_row_store;

/* An empty store over |dict| that holds about |memory_bytes| of rows before it uses the disk. */
tacho_status tacho_row_store_create(tacho_dict *dict, size_t memory_bytes,
                                    tacho_row_store **out_store) TACHO_MUST_USE;
void tacho_row_store_destroy(tacho_row_store *store);

/* The interface to push to; parts may be in any order and are never complete. */
tacho_events *tacho_row_store_events(tacho_row_store *store);

/* Pushes the rows of |part| to |next|. They stay in the store. */
tacho_status tacho_row_store_replay(tacho_row_store *store, uint32_t part,
                                    tacho_events *next) TACHO_MUST_USE;

/* Forgets the rows of every part from |first_part| on. */
void tacho_row_store_forget(tacho_row_store *store, uint32_t first_part);

#endif
