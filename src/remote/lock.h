/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of a board: one run at a time, of any user. The kernel holds it for a process, so it is
 * free again when that ends, however it ends; the file only names the holder.
 */
#ifndef TACHO_REMOTE_LOCK_H
#define TACHO_REMOTE_LOCK_H

#include "base/status.h"
#include "base/str.h"

/* Its path, for all users of a board; the environment variable of this name overrides it. */
#define TACHO_BOARD_LOCK "/tmp/tacho-board.lock"
#define TACHO_BOARD_LOCK_VARIABLE "TACHO_BOARD_LOCK"

typedef struct tacho_board_lock {
    const char *path;
    int fd;
} tacho_board_lock;

/* Opens the file, and creates it if missing. Nothing is locked yet. */
tacho_status tacho_board_lock_open(tacho_board_lock *out_lock) TACHO_MUST_USE;

/*
 * Locks the board for |who|, unless another process has it: then |out_is_ours| is false, and
 * |out_holder| names the process's user. A file that was removed or replaced since it was opened
 * excludes no one: then the file that has its name now is opened and tried.
 */
enum { TACHO_BOARD_HOLDER_BYTES = 200 };
tacho_status tacho_board_lock_try(tacho_board_lock *lock, tacho_str who, bool *out_is_ours,
                                  char out_holder[TACHO_BOARD_HOLDER_BYTES]) TACHO_MUST_USE;

void tacho_board_lock_close(tacho_board_lock *lock);

#endif
