/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairing: makes spans of begins and ends that come one by one, for formats that write them so.
 *
 * Per track, an end closes the innermost open begin. Rows come out in track order, parents
 * before children, once the outermost span of a track has closed; a track that holds more than
 * TACHO_PAIRING_HOLD_BYTES gives its rows out as they close instead, which the order filter
 * notices. Memory follows what is open, not what was read.
 *
 * Begins and ends of a track must come in order of time.
 */
#ifndef TACHO_PROFILE_PAIRING_H
#define TACHO_PROFILE_PAIRING_H

#include "profile/events.h"

enum { TACHO_PAIRING_HOLD_BYTES = 4 << 20 };

typedef struct tacho_pairing tacho_pairing;

tacho_status tacho_pairing_create(tacho_events *next, tacho_pairing **out_pairing) TACHO_MUST_USE;
void tacho_pairing_destroy(tacho_pairing *pairing);

/* Opens |row|, a span whose end does not matter yet; it is copied. */
tacho_status tacho_pairing_begin(tacho_pairing *pairing, const tacho_row *row) TACHO_MUST_USE;

/*
 * Closes the innermost open span of |track| at |time|, with |arg_count| more arguments.
 * |*out_matched| is false when nothing is open.
 */
tacho_status tacho_pairing_end(tacho_pairing *pairing, uint32_t track, int64_t time,
                               const tacho_arg *args, size_t arg_count,
                               bool *out_matched) TACHO_MUST_USE;

/* The innermost open span's site on |track|, TACHO_NONE when nothing is open. */
uint32_t tacho_pairing_open_site(const tacho_pairing *pairing, uint32_t track);

/*
 * A complete row (an instant, a span with both ends) of a track that also has begins and ends:
 * takes its place among them.
 */
tacho_status tacho_pairing_add(tacho_pairing *pairing, const tacho_row *row) TACHO_MUST_USE;

/* Ends whatever is open at |time|, marked as unended; counts it in |*out_unended_count|. */
tacho_status tacho_pairing_finish(tacho_pairing *pairing, int64_t time,
                                  uint64_t *out_unended_count) TACHO_MUST_USE;

#endif
