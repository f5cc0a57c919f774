/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The board's side of a run: answers messages of a host until it says that it is done, or is gone.
 */
#ifndef TACHO_REMOTE_SERVE_H
#define TACHO_REMOTE_SERVE_H

#include "remote/wire.h"

/* Returns the exit status of the process. */
int tacho_board_serve(const tacho_wire *wire);

/* The processor that this is built for, as `uname -m` names it. */
const char *tacho_board_machine(void);

#endif
