/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mark in the dictionary to go back to: for work that may fail halfway, like reading one more
 * input, or that leaves traces which are not to stay, like the lanes of a conversion that will
 * be repeated.
 *
 * Clocks, parts, tracks, runs, metadata and losses are as they were after going back. Strings,
 * sites and locations stay: nothing refers to them any more, and they do no harm.
 */
#ifndef TACHO_PROFILE_DICT_MARK_H
#define TACHO_PROFILE_DICT_MARK_H

#include "profile/dict.h"

typedef struct tacho_dict_mark {
    size_t clock_count;
    size_t part_count;
    size_t track_count;
    size_t run_count;
    size_t metadata_count;
    tacho_loss *losses; /* a copy: their counts grow in place */
    size_t loss_count;
} tacho_dict_mark;

/* Remembers the current state of |dict|. */
tacho_status tacho_dict_mark_init(tacho_dict_mark *mark, const tacho_dict *dict) TACHO_MUST_USE;
void tacho_dict_mark_deinit(tacho_dict_mark *mark);

/* Goes back to |mark|, which was made of this dictionary; it can be used again. */
void tacho_dict_mark_restore(const tacho_dict_mark *mark, tacho_dict *dict);

#endif
