/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho-board, the runtime that `tacho run --host` puts on a board: it talks to the host through
 * its standard streams, and ends when the host is gone, even in the middle of an inference.
 */
#include "remote/serve.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <tacho/version.h>
#include <unistd.h>

static bool send_bytes(void *self, const void *bytes, size_t len)
{
    const char *at = bytes;
    (void)self;
    while (len > 0) {
        ssize_t written = write(STDOUT_FILENO, at, len);
        if (written > 0) {
            at += written;
            len -= (size_t)written;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static size_t receive_bytes(void *self, void *bytes, size_t len)
{
    ssize_t got;
    (void)self;
    while ((got = read(STDIN_FILENO, bytes, len)) < 0 && errno == EINTR) {
    }
    return got > 0 ? (size_t)got : 0;
}

/* The lock goes with the process, and there are no files to remove. */
static void *watch_host(void *unused)
{
    struct pollfd host = {.fd = STDIN_FILENO};
    (void)unused;
    while ((host.revents & (POLLHUP | POLLERR)) == 0) {
        poll(&host, 1, -1);
    }
    _exit(1);
}

int main(int argc, char **argv)
{
    const tacho_wire wire = {.send = send_bytes, .receive = receive_bytes};
    pthread_t watcher;
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("tacho-board %s %s\n", TACHO_VERSION, tacho_board_machine());
        return 0;
    }
    if (argc > 1 || isatty(STDIN_FILENO)) {
        fprintf(stderr,
                "tacho-board %s runs programs for 'tacho run --host' on another computer, "
                "which starts it; it takes no arguments but --version\n",
                TACHO_VERSION);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    if (pthread_create(&watcher, NULL, watch_host, NULL) == 0) {
        pthread_detach(watcher);
    }
    return tacho_board_serve(&wire);
}
