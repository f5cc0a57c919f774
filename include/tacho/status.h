/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Status: how every fallible call of libtacho reports failure.
 *
 * A tacho_status is NULL on success, else a pointer to a failure record that the caller owns:
 * a code for programs, a message for people, and a chain of notes that callers added on the way
 * up ("while converting a.csv"). Free it with tacho_status_free, or hand it to your own caller.
 * The library never prints and never exits.
 */
#ifndef TACHO_STATUS_H
#define TACHO_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <tacho/hint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TACHO_API __attribute__((visibility("default")))
#define TACHO_MUST_USE __attribute__((warn_unused_result))
#else
#define TACHO_API
#define TACHO_MUST_USE
#endif

/* One row per kind of failure: name, and what it means to a caller. */
#define TACHO_CODES(X)                                                                             \
    X(USAGE, "the request itself is wrong")                                                        \
    X(NOT_FOUND, "a named thing does not exist")                                                   \
    X(IO, "the operating system refused a read or write")                                          \
    X(BAD_DATA, "the input is not what it claims to be")                                           \
    X(LIMIT, "the input exceeds a stated limit")                                                   \
    X(UNSUPPORTED, "valid, but not handled here")                                                  \
    X(OUT_OF_ORDER, "events go back in time and must be sorted first")                             \
    X(NO_MEMORY, "memory is exhausted")                                                            \
    X(CANCELLED, "the caller asked to stop")

typedef enum tacho_code {
    TACHO_CODE_OK = 0,
#define TACHO_CODE_ENUM(name, meaning) TACHO_CODE_##name,
    TACHO_CODES(TACHO_CODE_ENUM)
#undef TACHO_CODE_ENUM
} tacho_code;

typedef struct tacho_failure *tacho_status;

#define TACHO_OK ((tacho_status)0)

/* The code of |status|; TACHO_CODE_OK for NULL. */
TACHO_API tacho_code tacho_status_code(tacho_status status);

/* The name of |code| as written in TACHO_CODES, "OK" for success. Static storage. */
TACHO_API const char *tacho_code_name(tacho_code code);

/*
 * The failure in one sentence with file, line or byte, in printable characters: control characters
 * of a name appear as escapes. Lives as long as |status|.
 */
TACHO_API const char *tacho_status_message(tacho_status status);

/* The |index|-th note, innermost first, or NULL past the last one. */
TACHO_API const char *tacho_status_note(tacho_status status, size_t index);

/*
 * The |index|-th hint of a text, 0 the message, n the n-th note; TACHO_HINT_NONE past the last. Its
 * detail lives as long as |status|.
 */
TACHO_API tacho_hint tacho_status_hint(tacho_status status, size_t text, size_t index);

/* Releases a failure; NULL is allowed. */
TACHO_API void tacho_status_free(tacho_status status);

#ifdef __cplusplus
}
#endif

#endif
