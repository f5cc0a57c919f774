/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that we talk to through its standard streams and that cannot outlive us. A guard, a
 * process between it and us, ends it when we end, however that happens. Ctrl-C does not reach it:
 * the terminal sends that to all, and only we decide what it means.
 */
#ifndef TACHO_BASE_TETHER_H
#define TACHO_BASE_TETHER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { TACHO_TETHER_TAIL_BYTES = 4096 };

typedef struct tacho_tether {
    int fd;       /* a socket: its standard input and output; -1: closed */
    int error_fd; /* its standard error; -1: at its end */
    int life_fd;  /* the guard ends it when this is closed */
    pid_t guard;
    char tail[TACHO_TETHER_TAIL_BYTES + 1]; /* the last it wrote to standard error, as text */
    size_t tail_len;
    /*
     * Optional, set after the start: called now and then while there is no output; false ends the
     * waiting as if the program had ended.
     */
    bool (*goes_on)(void *watcher);
    void *watcher;
    bool is_cancelled; /* it did */
    /*
     * Set after the start: waiting ends, as if the program had ended, when it neither took nor
     * wrote a byte for so long; 0: it never does.
     */
    int64_t silence_ms;
    bool is_silent; /* that happened */
} tacho_tether;

/* Starts |words|, NULL-terminated, looked up in PATH. Close it after success. */
tacho_status tacho_tether_start(tacho_tether *out_tether, char *const *words) TACHO_MUST_USE;

/* Sends all of |bytes| to it; false where it does not take any more. */
bool tacho_tether_send(tacho_tether *tether, const void *bytes, size_t len);

/* Receives at most |len| bytes of its output; 0 at the end. */
size_t tacho_tether_receive(tacho_tether *tether, void *bytes, size_t len);

/*
 * Closes its standard input, waits a while for its end, then ends it. Returns its exit status, 128
 * and the number of the signal that ended it, or -1 where that is not known. |tail| stays.
 */
int tacho_tether_close(tacho_tether *tether);

#endif
