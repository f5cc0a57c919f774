/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large pages for large blocks of memory: touching one for the first time then costs a fault for
 * each 2 MiB of it, not for each 4 KiB.
 */
#ifndef TACHO_BASE_PAGES_H
#define TACHO_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of a large page; smaller blocks have none. */
enum { TACHO_PAGES_LARGE_BYTES = 2 << 20 };

/*
 * Memory for free(); NULL where there is none. A block that is large starts with a large page. It
 * may hold up to a large page more than was touched of it.
 */
void *tacho_pages_alloc(size_t bytes);

/* Advises the system about |bytes| bytes of fresh memory; whether it follows is not reported. */
void tacho_pages_advise(void *memory, size_t bytes);

/*
 * From now on large blocks go back to the system when they are freed. Else the C library keeps
 * freed memory for later blocks of up to 32 MiB, and the peak memory of a process is more than it
 * ever needs. For programs, not for libraries: it applies to the whole process.
 */
void tacho_pages_return_freed(void);

/* Gives back the memory that |bytes| bytes of a mapped file take; they are read again on use. */
void tacho_pages_release(void *memory, size_t bytes);

/*
 * Whether the limits of this process (ulimit -v, -d) still allow |bytes| more. Libraries of others
 * end the process where they get no memory, so they are asked for nothing unless there is room.
 */
bool tacho_pages_have_room(size_t bytes);

/* Bytes of memory that the system can give without swapping; UINT64_MAX: not known. */
uint64_t tacho_pages_available(void);

#endif
