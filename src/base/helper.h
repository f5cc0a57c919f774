/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process of our own for work that would change the one it is done in: its signals, its children.
 * It sends messages of one size, and ends after the last.
 */
#ifndef TACHO_BASE_HELPER_H
#define TACHO_BASE_HELPER_H

#include "base/status.h"

#include <sys/types.h>

typedef struct tacho_helper {
    pid_t pid;
    int fd;
} tacho_helper;

/* Starts a process that calls |run| with a descriptor for its messages. Close it after success. */
tacho_status tacho_helper_start(tacho_helper *out_helper, void (*run)(void *self, int fd),
                                void *self) TACHO_MUST_USE;

/* The next message, of |size| bytes; false where there is none any more. */
bool tacho_helper_read(const tacho_helper *helper, void *message, size_t size);

/* In the helper: sends a message. It is dropped if the other end is closed. */
void tacho_helper_send(int fd, const void *message, size_t size);

/* Asks it to end, as by a signal from outside. */
void tacho_helper_stop(const tacho_helper *helper);

/* Waits for its end. */
void tacho_helper_close(tacho_helper *helper);

#endif
