/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork, a pipe, and no exit handlers: those of the caller do not belong to the helper.
 */
#define _GNU_SOURCE /* pipe2 */
#include "base/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

tacho_status tacho_helper_start(tacho_helper *out_helper, void (*run)(void *self, int fd),
                                void *self)
{
    int ends[2];
    *out_helper = (tacho_helper){.pid = -1, .fd = -1};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return tacho_fail(TACHO_CODE_IO, "cannot make a pipe: %s", strerror(errno));
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        run(self, ends[1]);
        _exit(0);
    }
    int error = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return tacho_fail(TACHO_CODE_IO, "cannot make a process: %s", strerror(error));
    }
    *out_helper = (tacho_helper){.pid = pid, .fd = ends[0]};
    return TACHO_OK;
}

bool tacho_helper_read(const tacho_helper *helper, void *message, size_t size)
{
    size_t filled = 0;
    while (filled < size) {
        ssize_t got = read(helper->fd, (char *)message + filled, size - filled);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        filled += got > 0 ? (size_t)got : 0;
    }
    return true;
}

void tacho_helper_send(int fd, const void *message, size_t size)
{
    size_t sent = 0;
    while (sent < size) {
        ssize_t put = write(fd, (const char *)message + sent, size - sent);
        if (put < 0 && errno != EINTR) {
            return;
        }
        sent += put > 0 ? (size_t)put : 0;
    }
}

void tacho_helper_stop(const tacho_helper *helper)
{
    kill(helper->pid, SIGTERM);
}

void tacho_helper_close(tacho_helper *helper)
{
    close(helper->fd);
    while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    *helper = (tacho_helper){.pid = -1, .fd = -1};
}
