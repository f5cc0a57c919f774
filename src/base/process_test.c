/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting programs: what they inherit, how they end, and programs that cannot be started.
 */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const no_additions[] = {NULL};

/* Waits for the end of |process| without taking its status. */
static void wait_for(const tacho_process *process)
{
    int pidfd = tacho_process_open_pidfd(process->pid);
    struct pollfd waiting = {.fd = pidfd, .events = POLLIN};
    assert_true(pidfd >= 0);
    while (poll(&waiting, 1, -1) < 0 && errno == EINTR) {
    }
    close(pidfd);
}

/* Runs |words|; how they ended. */
static tacho_process_end run_words(char *const *words, const char *const *additions)
{
    tacho_process process;
    tacho_process_refusal refusal;
    tacho_process_signals signals;
    tacho_process_end end = {0};
    int fd = -1;
    assert_null(tacho_process_take_signals(&signals, &fd));
    assert_null(tacho_process_start(words, additions, &signals, &process, &refusal));
    assert_int_equal(refusal.error, 0);
    wait_for(&process);
    assert_int_equal(tacho_process_take_end(process.pid, &end), process.pid);
    tacho_process_release_signals(&signals, fd);
    return end;
}

static tacho_process_end run_shell(const char *line, const char *const *additions)
{
    char *words[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)line,
                     NULL};
    return run_words(words, additions);
}

/* Whether a line of a program's own status matches; grep sets no signals. */
static bool has_status_line(const char *pattern)
{
    char *words[] = {(char *)(uintptr_t) "grep", (char *)(uintptr_t) "-q",
                     (char *)(uintptr_t)pattern, (char *)(uintptr_t) "/proc/self/status", NULL};
    return run_words(words, no_additions).status == 0;
}

static void status_and_signal_come_back(void **state)
{
    (void)state;
    tacho_process_end end = run_shell("exit 7", no_additions);
    assert_false(end.is_signalled);
    assert_int_equal(end.status, 7);
    assert_true(end.max_rss_bytes > 0);
    end = run_shell("kill -KILL $$", no_additions);
    assert_true(end.is_signalled);
    assert_int_equal(end.status, SIGKILL);
}

static void environment_is_added(void **state)
{
    static const char *const additions[] = {"TACHO_TEST_ADDED=yes", NULL};
    (void)state;
    assert_int_equal(run_shell("[ \"$TACHO_TEST_ADDED\" = yes ]", additions).status, 0);
    assert_null(getenv("TACHO_TEST_ADDED"));
}

/* Signals that we block are neither blocked nor ignored in the child; those ignored stay so. */
static void signals_are_as_before(void **state)
{
    (void)state;
    assert_true(has_status_line("^SigBlk:[^0-9a-f]*0*$"));
    assert_false(has_status_line("^SigIgn:.*[13579bdf][0-9a-f]\\{4\\}$")); /* bit 16: SIGCHLD */
    signal(SIGCHLD, SIG_IGN);
    bool is_ignored = has_status_line("^SigIgn:.*[13579bdf][0-9a-f]\\{4\\}$");
    signal(SIGCHLD, SIG_DFL);
    assert_true(is_ignored);
}

static void our_descriptors_stay_here(void **state)
{
    (void)state;
    int kept = open("/dev/null", O_RDONLY); /* inherited, as any program's own would be */
    assert_int_equal(kept, 3);
    const char *line = "[ -e /proc/$$/fd/3 ] || exit 1; "
                       "for i in 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$i ] || exit 1; done";
    assert_int_equal(run_shell(line, no_additions).status, 0);
    close(kept);
}

static void missing_programs_are_refused(void **state)
{
    tacho_process process;
    tacho_process_refusal refusal;
    tacho_process_signals signals;
    int fd = -1;
    char *missing[] = {(char *)(uintptr_t) "/no/such/program", NULL};
    char *folder[] = {(char *)(uintptr_t) "/tmp", NULL};
    (void)state;
    assert_null(tacho_process_take_signals(&signals, &fd));
    assert_null(tacho_process_start(missing, no_additions, &signals, &process, &refusal));
    assert_int_equal(refusal.error, ENOENT);
    assert_true(refusal.is_not_found);
    assert_null(tacho_process_start(folder, no_additions, &signals, &process, &refusal));
    assert_int_equal(refusal.error, EACCES);
    assert_false(refusal.is_not_found);
    tacho_process_end end;
    assert_int_equal(tacho_process_take_end(-1, &end), 0);
    tacho_process_release_signals(&signals, fd);
}

static void signals_are_read(void **state)
{
    tacho_process_signals signals;
    tacho_process_signal signal_;
    int fd = -1;
    (void)state;
    assert_null(tacho_process_take_signals(&signals, &fd));
    assert_false(tacho_process_next_signal(fd, &signal_));
    kill(getpid(), SIGUSR1);
    assert_true(tacho_process_next_signal(fd, &signal_));
    assert_int_equal(signal_.number, SIGUSR1);
    assert_false(signal_.is_for_all);
    kill(getpid(), SIGTERM); /* unread: dropped, or this test would end here */
    tacho_process_release_signals(&signals, fd);
}

static void clocks_run(void **state)
{
    (void)state;
    int64_t before = tacho_process_cpu_ns(getpid());
    int64_t now = tacho_process_now_ns();
    assert_true(before >= 0);
    assert_true(tacho_process_cpu_ns(getpid()) >= before);
    assert_true(tacho_process_now_ns() >= now);
    assert_true(tacho_process_boot_shift_ns() <= 0);
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
    assert_int_equal(tacho_process_cpu_ns(child), -1);
}

int main(void)
{
    for (int fd = 3; fd < 4096; fd++) {
        close(fd); /* whatever ran this left open */
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_and_signal_come_back),
        cmocka_unit_test(environment_is_added),
        cmocka_unit_test(signals_are_as_before),
        cmocka_unit_test(our_descriptors_stay_here),
        cmocka_unit_test(missing_programs_are_refused),
        cmocka_unit_test(signals_are_read),
        cmocka_unit_test(clocks_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
