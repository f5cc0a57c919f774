/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device on another computer. It is a device like any other: what runs it, looks at its stats and
 * writes files does not know where it is. The program, inputs and outputs travel over the user's
 * ssh; nothing but the runtime itself is ever a file there.
 */
#ifndef TACHO_REMOTE_REMOTE_H
#define TACHO_REMOTE_REMOTE_H

#include "device/device.h"
#include "remote/deploy.h"

/*
 * Opens a device of |kind| on a board: connects, brings the runtime up to date, and takes the
 * board's lock. |argument| is what follows the colon of its name. |options| of the board are needed
 * until this returns, but for its |host|, |notes| and |watcher|, which outlive the device.
 */
tacho_status tacho_remote_open(const tacho_remote_options *remote, const tacho_device_type *kind,
                               const char *argument, const tacho_device_options *options,
                               tacho_device **out_device) TACHO_MUST_USE;

/* Facts about the connection of a device. */
typedef struct tacho_remote_facts {
    const char *host;
    const char *machine;   /* "aarch64" */
    const char *path;      /* of the runtime there */
    uint64_t pushed_bytes; /* of the runtime; 0: it was there already */
    int64_t wall_ns;       /* from starting ssh to the last answer, by the clock here */
    int64_t board_ns;      /* from the start of the runtime to that answer, by the clock there */
    int64_t wait_ns;       /* for others who used the board, which neither of the two holds */
} tacho_remote_facts;

/* False for a device of this computer. */
bool tacho_remote_facts_of(const tacho_device *device, tacho_remote_facts *out_facts);

#endif
