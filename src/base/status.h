/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making and passing on failures. The public half (reading a failure) is tacho/status.h.
 *
 * Use: return tacho_fail(TACHO_CODE_BAD_DATA, "%s:%llu: expected 5 fields, found 3; ...", ...);
 * and TACHO_TRY(call()) to return early, TACHO_TRY_NOTE to add context on the way up.
 */
#ifndef TACHO_BASE_STATUS_H
#define TACHO_BASE_STATUS_H

#include "base/attributes.h"
#include <tacho/status.h>

/* Makes a failure; |source_file| and |source_line| are where it arose in our own code. */
tacho_status tacho_status_make(tacho_code code, const char *source_file, int source_line,
                               const char *format, ...) TACHO_PRINTF(4, 5) TACHO_MUST_USE;

/* Adds a note to |status| and returns it; success passes through unchanged. */
tacho_status tacho_status_add_note(tacho_status status, const char *format, ...)
    TACHO_PRINTF(2, 3) TACHO_MUST_USE;

/*
 * Adds a hint to the text that was added last, the message or a note, and returns |status|.
 * |detail| is copied; "" where the hint has none.
 */
tacho_status tacho_status_add_hint(tacho_status status, tacho_hint_id id,
                                   const char *detail) TACHO_MUST_USE;

/* Out of memory: a failure that needs no memory itself. */
tacho_status tacho_no_memory(void) TACHO_MUST_USE;

/* Keeps the first of two failures and frees the other: for straight-line cleanup. */
tacho_status tacho_status_first(tacho_status first, tacho_status second) TACHO_MUST_USE;

/*
 * For callers that can do without bad data: frees such a failure and returns success. A failure of
 * the machine (no memory, no read or write) passes through: nothing is known about the data then,
 * and continuing would lose some of it silently.
 */
tacho_status tacho_status_forgive_data(tacho_status status) TACHO_MUST_USE;

/* The file:line of our own code where |status| arose, for --verbose reports. */
const char *tacho_status_source(tacho_status status, int *out_line);

#define tacho_fail(code, ...) tacho_status_make(code, __FILE__, __LINE__, __VA_ARGS__)

/* The same with a hint that has no detail. */
#define tacho_fail_hint(code, hint, ...)                                                           \
    tacho_status_add_hint(tacho_fail(code, __VA_ARGS__), hint, "")

#define TACHO_TRY(expression)                                                                      \
    do {                                                                                           \
        tacho_status tacho_try_status = (expression);                                              \
        if (TACHO_UNLIKELY(tacho_try_status != TACHO_OK)) {                                        \
            return tacho_try_status;                                                               \
        }                                                                                          \
    } while (0)

#define TACHO_TRY_NOTE(expression, ...)                                                            \
    do {                                                                                           \
        tacho_status tacho_try_status = (expression);                                              \
        if (TACHO_UNLIKELY(tacho_try_status != TACHO_OK)) {                                        \
            return tacho_status_add_note(tacho_try_status, __VA_ARGS__);                           \
        }                                                                                          \
    } while (0)

#endif
