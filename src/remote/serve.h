/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The board's side of a run: answers messages of a host until it sends END, or is gone, and sends
 * signs of life meanwhile.
 */
#ifndef TACHO_REMOTE_SERVE_H
#define TACHO_REMOTE_SERVE_H

#include "remote/wire.h"

/* The state that the wire of a board needs. The carrier of the bytes ends the wait for a host that
 * is silent for too long, as if it were gone. */
typedef struct tacho_board_line {
    uint64_t silence_s; /* how long it may be */
    bool may_idle;      /* it may take its time until the first byte: cleared by that */
} tacho_board_line;

/* Returns the exit status of the process. |line| is that of |wire|, and is kept up to date. */
int tacho_board_serve(const tacho_wire *wire, tacho_board_line *line);

/* The processor that this is built for, as `uname -m` names it. */
const char *tacho_board_machine(void);

#endif
