/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write-behind: a thread that writes copies of the caller's bytes while the caller continues.
 * Nothing is reordered, and a failure reaches the caller with a later call or at the end. If all
 * processors are too busy to run the thread, the caller itself writes instead of waiting. So does a
 * fork of the process, which has no such thread.
 */
#ifndef TACHO_BASE_BEHIND_H
#define TACHO_BASE_BEHIND_H

#include "base/status.h"

#include <stddef.h>

typedef struct tacho_behind tacho_behind;

/* Writes all of |bytes|; runs on the thread or on the caller's, one call at a time. */
typedef tacho_status (*tacho_behind_write)(void *self, const void *bytes, size_t len);

/*
 * Starts a thread that takes no signals; up to |room| bytes can be given at a time. NULL where
 * there can be none: write without.
 */
tacho_behind *tacho_behind_start(tacho_behind_write write, void *self, size_t room);

/* Gives a copy of |bytes|. Fails with an earlier failure to write; then nothing was given. */
tacho_status tacho_behind_give(tacho_behind *behind, const void *bytes, size_t len) TACHO_MUST_USE;

/* Waits until all that was given is written. */
tacho_status tacho_behind_wait(tacho_behind *behind) TACHO_MUST_USE;

/* The same, and ends the thread. NULL is fine. */
tacho_status tacho_behind_end(tacho_behind *behind) TACHO_MUST_USE;

#endif
