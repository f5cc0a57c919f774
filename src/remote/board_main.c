/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho-board, the runtime that `tacho run --host` puts on a board: it talks to the host through
 * its standard streams, and ends when the host is gone, even in the middle of an inference.
 */
#include "remote/serve.h"

#include "device/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <tacho/version.h>
#include <unistd.h>

/* Whether |fd| is ready before the host has been silent for too long. */
static bool wait_for(const tacho_board_line *line, int fd, short events)
{
    struct pollfd host = {.fd = fd, .events = events};
    int64_t until_ns = tacho_now_ns() + (int64_t)line->silence_s * 1000000000;
    for (;;) {
        int64_t left_ms = (until_ns - tacho_now_ns()) / 1000000;
        int slice_ms = left_ms < 0 ? 0 : left_ms < 1000 ? (int)left_ms + 1 : 1000;
        if (poll(&host, 1, slice_ms) > 0) {
            return true;
        }
        if (slice_ms == 0) {
            return false;
        }
    }
}

static bool is_full_or_empty(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

static bool send_bytes(void *self, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len > 0) {
        ssize_t written = write(STDOUT_FILENO, at, len);
        if (written > 0) {
            at += written;
            len -= (size_t)written;
        } else if (errno != EINTR &&
                   !(is_full_or_empty() && wait_for(self, STDOUT_FILENO, POLLOUT))) {
            return false;
        }
    }
    return true;
}

static size_t receive_bytes(void *self, void *bytes, size_t len)
{
    tacho_board_line *line = self;
    ssize_t got;
    while ((got = read(STDIN_FILENO, bytes, len)) < 0) {
        struct pollfd host = {.fd = STDIN_FILENO, .events = POLLIN};
        if (errno == EINTR) {
            continue;
        }
        if (!is_full_or_empty() ||
            !(line->may_idle ? poll(&host, 1, -1) != 0 : wait_for(line, STDIN_FILENO, POLLIN))) {
            return 0;
        }
    }
    line->may_idle = false;
    return (size_t)got;
}

/* The lock ends with the process, and there is nothing to clean up. */
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
    tacho_board_line line = {.silence_s = 0};
    const tacho_wire wire = {.send = send_bytes, .receive = receive_bytes, .self = &line};
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
    fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
    if (pthread_create(&watcher, NULL, watch_host, NULL) == 0) {
        pthread_detach(watcher);
    }
    return tacho_board_serve(&wire, &line);
}
