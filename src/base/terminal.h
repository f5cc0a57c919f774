/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters output to a terminal. Names are from files, and formats such as CSV carry them unchanged;
 * on a terminal a control character in one of them could move the cursor, hide text or answer on
 * behalf of the user. The last stage of output to a terminal therefore shows control characters,
 * DEL, C1, text-direction controls and invalid bytes as escapes (\x1b, \u202e). Line feeds and tabs
 * pass. Files and pipes do not go through here.
 */
#ifndef TACHO_BASE_TERMINAL_H
#define TACHO_BASE_TERMINAL_H

#include "base/encoder.h"
#include "base/status.h"
#include "base/str.h"

/* A character that is not complete yet. Zero-initialise. */
typedef struct tacho_terminal {
    char held[4];
    size_t held_len;
} tacho_terminal;

/*
 * Sends |bytes| to |write| as a terminal may show them. A character cut off at their end waits for
 * the next call, unless this is the last.
 */
tacho_status tacho_terminal_run(tacho_terminal *terminal, tacho_str bytes, bool is_last,
                                tacho_encoder_write write, void *self) TACHO_MUST_USE;

#endif
