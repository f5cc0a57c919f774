/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that an opened library makes of other libraries, pointed elsewhere: for one that offers no
 * other way to replace what it calls. Nothing but the library itself is changed.
 */
#ifndef TACHO_BASE_LIBRARY_H
#define TACHO_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

typedef void tacho_any_call(void);

typedef struct tacho_library_call {
    const char *name;
    tacho_any_call *call; /* of the same type as what it replaces */
} tacho_library_call;

enum { TACHO_LIBRARY_CALLS_MAX = 16 };

/*
 * Points the calls of |library|, a handle of dlopen, to |calls|. False where it does not make each
 * of them through one slot, or this system's libraries are of another kind: all stay as they were.
 */
bool tacho_library_redirect(void *library, const tacho_library_call *calls, size_t count);

#endif
