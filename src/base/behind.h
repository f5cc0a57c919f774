/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing behind: a thread that writes one buffer while the caller fills the next. Nothing is
 * reordered, and a failure reaches the caller with the next buffer or at the end. In a fork of the
 * process, which has no such thread, the caller itself writes.
 */
#ifndef TACHO_BASE_BEHIND_H
#define TACHO_BASE_BEHIND_H

#include "base/status.h"

#include <stddef.h>

typedef struct tacho_behind tacho_behind;

/* Writes all of |bytes|; runs on the thread, one call at a time. */
typedef tacho_status (*tacho_behind_write)(void *self, const void *bytes, size_t len);

/* Starts a thread that takes no signals. NULL where there can be none: write without. */
tacho_behind *tacho_behind_start(tacho_behind_write write, void *self);

/*
 * Waits until what was given before is written, then gives |bytes|, which must stay as they are
 * until the next call; none to give only waits. Fails with what writing failed with; then nothing
 * was given.
 */
tacho_status tacho_behind_give(tacho_behind *behind, const void *bytes, size_t len) TACHO_MUST_USE;

/* Waits until all is written and ends the thread. NULL is fine. */
tacho_status tacho_behind_end(tacho_behind *behind) TACHO_MUST_USE;

#endif
