/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork, then fork again: the guard waits for two things, the end of the program and the end of a
 * pipe that only we hold open. Between fork and exec only async-signal-safe functions are called,
 * since other threads of ours may hold any lock.
 */
#define _GNU_SOURCE /* pipe2, SOCK_CLOEXEC, close_range */
#include "base/tether.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    STEP_MS = 20,
    LAST_STEPS = 10,       /* for a program that is about to end by itself */
    GRACE_STEPS = 100,     /* between SIGTERM and SIGKILL */
    LEAVE_MS = 10000,      /* for a program whose input has ended */
    LEAVE_BYTES = 1 << 24, /* one that writes more does not mean to end */
    ERROR_READS = 64,      /* at a time, of one that writes errors without end */
    WATCH_MS = 200,        /* between two questions whether to go on */
    BLIND_POLL_MS = 100,   /* where the kernel has no pidfd */
    CANNOT_RUN = 127,
    SIGNALLED = 128,
};

/* ---- the guard ----------------------------------------------------------------------------- */

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

static void sleep_step(void)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    nanosleep(&step, NULL);
}

/* Whether |pid| has ended; waits |steps| steps for that. */
static bool has_ended(pid_t pid, int steps, int *out_status)
{
    for (int i = 0; i <= steps; i++) {
        pid_t ended = waitpid(pid, out_status, WNOHANG);
        if (ended == pid || (ended < 0 && errno == ECHILD)) {
            return true;
        }
        if (i < steps) {
            sleep_step();
        }
    }
    return false;
}

static int end_program(pid_t pid)
{
    int status = 0;
    if (has_ended(pid, LAST_STEPS, &status)) {
        return status;
    }
    kill(pid, SIGTERM);
    if (!has_ended(pid, GRACE_STEPS, &status)) {
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    return status;
}

/* Waits for the end of |pid|, or of the process that started the guard. */
static int guard_program(pid_t pid, int life_fd)
{
    int status = 0;
    struct pollfd waits[] = {{.fd = life_fd, .events = POLLIN},
                             {.fd = tacho_process_open_pidfd(pid), .events = POLLIN}};
    while (!has_ended(pid, 0, &status)) {
        int count = poll(waits, 2, waits[1].fd < 0 ? BLIND_POLL_MS : -1);
        if (count > 0 && waits[0].revents != 0) {
            return end_program(pid);
        }
    }
    return status;
}

static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void run_program(char *const *words, const int streams[3])
{
    static const char refusal[] = ": cannot be run; is it installed?\n";
    signal(SIGHUP, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    for (int i = 0; i < 3; i++) {
        dup2(streams[i], i);
    }
    close_range(3, UINT_MAX, 0);
    execvp(words[0], words);
    ssize_t written = write(STDERR_FILENO, words[0], strlen(words[0]));
    written = written > 0 ? write(STDERR_FILENO, refusal, sizeof(refusal) - 1) : written;
    _exit(written > 0 ? CANNOT_RUN : CANNOT_RUN + 1);
}

/* Never returns. |fds|: the program's socket and standard error, and the end of our pipe. */
static void run_guard(char *const *words, const int fds[3])
{
    const int streams[3] = {fds[0], fds[0], fds[1]};
    reset_signals();
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    pid_t pid = fork();
    if (pid == 0) {
        run_program(words, streams);
    }
    if (pid < 0) {
        _exit(CANNOT_RUN);
    }
    int life_fd = dup2(fds[2], 0); /* the guard must not keep other descriptors of ours open */
    close_range(1, UINT_MAX, 0);
    _exit(status_of(guard_program(pid, life_fd)));
}

/* ---- starting ------------------------------------------------------------------------------ */

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

/* Moves descriptors above 2, so that setting up the standard streams closes none of them. */
static void move_up(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0 && fds[i] <= STDERR_FILENO) {
            int moved = fcntl(fds[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
            close(fds[i]);
            fds[i] = moved;
        }
    }
}

tacho_status tacho_tether_start(tacho_tether *out_tether, char *const *words)
{
    int ends[6] = {-1, -1, -1, -1, -1, -1}; /* socket, standard error, life: ours and theirs */
    *out_tether = (tacho_tether){.fd = -1, .error_fd = -1, .life_fd = -1, .guard = -1};
    bool is_made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 &&
                   pipe2(ends + 2, O_CLOEXEC) == 0 && pipe2(ends + 4, O_CLOEXEC) == 0;
    move_up(ends, 6);
    for (size_t i = 0; i < 6; i++) {
        is_made = is_made && ends[i] >= 0;
    }
    const int theirs[3] = {ends[1], ends[3], ends[4]};
    pid_t pid = is_made ? fork() : -1;
    if (pid == 0) {
        run_guard(words, theirs);
    }
    if (pid < 0) {
        int error = errno;
        close_all(ends, 6);
        return tacho_fail(TACHO_CODE_IO, "cannot start %s: %s", words[0], strerror(error));
    }
    close_all(theirs, 3);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[2], F_SETFL, O_NONBLOCK);
    out_tether->fd = ends[0];
    out_tether->error_fd = ends[2];
    out_tether->life_fd = ends[5];
    out_tether->guard = pid;
    return TACHO_OK;
}

/* ---- talking ------------------------------------------------------------------------------- */

static void keep_tail(tacho_tether *self, const char *bytes, size_t len)
{
    size_t room = TACHO_TETHER_TAIL_BYTES;
    if (len > room) {
        bytes += len - room;
        len = room;
    }
    size_t kept = self->tail_len + len > room ? room - len : self->tail_len;
    memmove(self->tail, self->tail + (self->tail_len - kept), kept);
    memcpy(self->tail + kept, bytes, len);
    self->tail_len = kept + len;
    self->tail[self->tail_len] = '\0';
}

static void read_errors(tacho_tether *self)
{
    char bytes[1024];
    for (int i = 0; i < ERROR_READS && self->error_fd >= 0; i++) {
        ssize_t got = read(self->error_fd, bytes, sizeof(bytes));
        if (got > 0) {
            keep_tail(self, bytes, (size_t)got);
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        } else {
            close(self->error_fd);
            self->error_fd = -1;
        }
    }
}

static int64_t now_ms(void)
{
    struct timespec now = {.tv_sec = 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * Waits until the socket is ready for |events|; any number of errors is read meanwhile. False: it
 * is later than |until_ms| (-1: no limit), or |goes_on| ended the wait.
 */
static bool wait_for(tacho_tether *self, short events, int64_t until_ms)
{
    for (;;) {
        struct pollfd waits[] = {{.fd = self->fd, .events = events},
                                 {.fd = self->error_fd, .events = POLLIN}};
        int64_t left_ms = until_ms < 0 ? -1 : until_ms - now_ms();
        bool is_late = until_ms >= 0 && left_ms <= 0;
        left_ms = is_late ? 0 : left_ms; /* looked at once more: we may have been stopped */
        if (self->goes_on != NULL && (left_ms < 0 || left_ms > WATCH_MS)) {
            left_ms = WATCH_MS;
        }
        int count = poll(waits, 2, (int)left_ms);
        if (count > 0 && waits[1].revents != 0) {
            read_errors(self);
        }
        if (count > 0 && waits[0].revents != 0) {
            return true;
        }
        if (is_late) {
            return false;
        }
        if (self->goes_on != NULL && !self->goes_on(self->watcher)) {
            self->is_cancelled = true;
            return false;
        }
    }
}

/* The same for as long as the program may be silent. */
static bool wait_for_sign(tacho_tether *self, short events)
{
    bool is_ready = wait_for(self, events, self->silence_ms > 0 ? now_ms() + self->silence_ms : -1);
    self->is_silent = !is_ready && !self->is_cancelled;
    return is_ready;
}

bool tacho_tether_send(tacho_tether *tether, const void *bytes, size_t len)
{
    const char *at = bytes;
    while (len > 0) {
        ssize_t sent = send(tether->fd, at, len, MSG_NOSIGNAL);
        if (sent > 0) {
            at += sent;
            len -= (size_t)sent;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_for_sign(tether, POLLOUT)) {
                return false;
            }
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

size_t tacho_tether_receive(tacho_tether *tether, void *bytes, size_t len)
{
    for (;;) {
        ssize_t got = recv(tether->fd, bytes, len, 0);
        if (got >= 0) {
            return (size_t)got;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait_for_sign(tether, POLLIN)) {
                return 0;
            }
        } else if (errno != EINTR) {
            return 0;
        }
    }
}

/* ---- the end ------------------------------------------------------------------------------- */

/* Reads the remaining output; a program that writes without end is not waited for. */
static void drain(tacho_tether *self)
{
    char bytes[4096];
    size_t taken = 0;
    int64_t until_ms = now_ms() + LEAVE_MS;
    while (taken < LEAVE_BYTES && wait_for(self, POLLIN, until_ms)) {
        ssize_t got = recv(self->fd, bytes, sizeof(bytes), 0);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
            break;
        }
        taken += got > 0 ? (size_t)got : 0;
    }
}

int tacho_tether_close(tacho_tether *tether)
{
    int status = -1;
    if (tether->guard < 0) {
        return -1;
    }
    shutdown(tether->fd, SHUT_WR);
    tether->goes_on = NULL;
    if (!tether->is_cancelled && !tether->is_silent) {
        drain(tether);
    }
    close(tether->life_fd);
    close(tether->fd);
    pid_t ended;
    while ((ended = waitpid(tether->guard, &status, 0)) < 0 && errno == EINTR) {
    }
    read_errors(tether);
    close_all(&tether->error_fd, 1);
    tether->fd = tether->error_fd = tether->life_fd = -1;
    tether->guard = -1;
    return ended < 0 ? -1 : status_of(status);
}
