/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork, exec, pidfd. A common fault of wrappers is what a child inherits by accident: so all our
 * own descriptors are close-on-exec, and signals are put back between fork and exec.
 */
#define _GNU_SOURCE /* pipe2, wait4, syscall, CLOCK_BOOTTIME, environ */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_US = 1000, RSS_UNIT = 1024 };

static const int64_t ns_per_s = 1000000000;

static tacho_status failure(const char *what)
{
    bool has_too_few = errno == EMFILE || errno == ENFILE; /* descriptors */
    return tacho_fail(has_too_few ? TACHO_CODE_LIMIT : TACHO_CODE_IO, "cannot %s: %s", what,
                      strerror(errno));
}

/* ---- signals ------------------------------------------------------------------------------- */

/* The signals to pass on. Faults are our own; stops and SIGCONT reach the whole group. */
static void list_signals(sigset_t *out_set)
{
    static const int passed_on[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
                                    SIGALRM, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGCHLD};
    sigemptyset(out_set);
    for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++) {
        sigaddset(out_set, passed_on[i]);
    }
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        sigaddset(out_set, number);
    }
}

tacho_status tacho_process_take_signals(tacho_process_signals *out_before, int *out_fd)
{
    sigset_t taken;
    struct sigaction child;
    list_signals(&taken);
    *out_fd = -1;
    out_before->is_taken = false;
    if (sigaction(SIGCHLD, NULL, &child) != 0) {
        return failure("look at signals");
    }
    out_before->is_child_ignored = child.sa_handler == SIG_IGN;
    if (out_before->is_child_ignored) {
        signal(SIGCHLD, SIG_DFL);
    }
    if (sigprocmask(SIG_BLOCK, &taken, &out_before->mask) != 0) {
        return failure("block signals");
    }
    out_before->is_taken = true;
    *out_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    return *out_fd >= 0 ? TACHO_OK : failure("open a signal descriptor");
}

void tacho_process_release_signals(const tacho_process_signals *before, int fd)
{
    tacho_process_signal unread;
    while (fd >= 0 && tacho_process_next_signal(fd, &unread)) {
    }
    if (fd >= 0) {
        close(fd);
    }
    if (before->is_taken) {
        if (before->is_child_ignored) {
            signal(SIGCHLD, SIG_IGN);
        }
        sigprocmask(SIG_SETMASK, &before->mask, NULL);
    }
}

bool tacho_process_next_signal(int fd, tacho_process_signal *out_signal)
{
    struct signalfd_siginfo info;
    if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
        return false;
    }
    *out_signal = (tacho_process_signal){(int)info.ssi_signo, info.ssi_code == SI_KERNEL};
    return true;
}

/* ---- starting ------------------------------------------------------------------------------ */

/* In the child: everything as the program would have met it. Never returns. */
static void become(char *const *words, const char *const *additions,
                   const tacho_process_signals *before, int report_fd)
{
    if (before->is_child_ignored) {
        signal(SIGCHLD, SIG_IGN);
    }
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    for (size_t i = 0; additions[i] != NULL; i++) {
        putenv((char *)(uintptr_t)additions[i]);
    }
    execvp(words[0], words);
    int error = errno;
    ssize_t ignored = write(report_fd, &error, sizeof(error));
    (void)ignored;
    _exit(127);
}

/* Why the program was not started, as errno; 0 if it was: the pipe then closes without a number. */
static int read_error(int fd)
{
    int error = 0;
    ssize_t got = 0;
    do {
        got = read(fd, &error, sizeof(error));
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof(error) ? error : 0;
}

static void wait_for_start(const tacho_process *process, int report_fd,
                           tacho_process_refusal *out_refusal)
{
    int error = read_error(report_fd);
    if (error != 0) {
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        *out_refusal = (tacho_process_refusal){error, error == ENOENT};
    }
}

tacho_status tacho_process_start(char *const *words, const char *const *additions,
                                 const tacho_process_signals *before, tacho_process *out_process,
                                 tacho_process_refusal *out_refusal)
{
    int report[2];
    *out_process = (tacho_process){.pid = -1};
    *out_refusal = (tacho_process_refusal){0};
    if (pipe2(report, O_CLOEXEC) != 0) {
        return failure("make a pipe");
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L); /* not inherited; without it orphans are lost */
    out_process->started_ns = tacho_process_now_ns();
    out_process->pid = fork();
    if (out_process->pid == 0) {
        become(words, additions, before, report[1]);
    }
    tacho_status status = out_process->pid < 0 ? failure("make a process") : TACHO_OK;
    signal(SIGXFSZ, SIG_IGN); /* our own files fail to grow like any other write */
    close(report[1]);
    if (status == TACHO_OK) {
        wait_for_start(out_process, report[0], out_refusal);
    }
    close(report[0]);
    return status;
}

int tacho_process_open_pidfd(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* ---- following ----------------------------------------------------------------------------- */

static int64_t ns_of(struct timeval time)
{
    return (int64_t)time.tv_sec * ns_per_s + (int64_t)time.tv_usec * NS_PER_US;
}

pid_t tacho_process_take_end(pid_t pid, tacho_process_end *out_end)
{
    struct rusage used;
    int status = 0;
    pid_t ended = wait4(pid, &status, WNOHANG, &used);
    if (ended <= 0) {
        return 0;
    }
    *out_end = (tacho_process_end){
        .is_signalled = WIFSIGNALED(status),
        .status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
        .cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime),
        .max_rss_bytes = (int64_t)used.ru_maxrss * RSS_UNIT,
    };
    return ended;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? (int64_t)now.tv_sec * ns_per_s + now.tv_nsec : -1;
}

int64_t tacho_process_cpu_ns(pid_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) == 0 ? clock_ns(clock) : -1;
}

int64_t tacho_process_now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t tacho_process_boot_shift_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_BOOTTIME);
}
