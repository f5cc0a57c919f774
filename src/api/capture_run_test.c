/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures through the public header: what a program leaves, and what the caller's process keeps.
 * What is in a capture, tests/capture looks at.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/testing.h"
#include <tacho/tacho.h>

enum { PATH_BYTES = 512 };

static char folder[PATH_BYTES];
static char capture[PATH_BYTES + 16];

static int make_folder(void **state)
{
    (void)state;
    const char *temp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/tacho-capture.XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(capture, sizeof(capture), "%s/x.tacho", folder);
    return 0;
}

/* Nothing but the capture is left there. */
static int remove_folder(void **state)
{
    (void)state;
    unlink(capture);
    return rmdir(folder);
}

static void test_programs(void **state)
{
    (void)state;
    const char *const words[] = {"sh", "-c", "sleep 0.05; exit 7", NULL};
    const char *const paths[] = {capture};
    tacho_capture_result result;
    tacho_view *view = NULL;
    assert_ok(tacho_capture_run(words, capture, NULL, &result));
    assert_int_equal(result.exit_status, 7);
    assert_false(result.is_signalled || result.is_timed_out);
    assert_true(result.process_count >= 1 && result.event_count > 0);
    assert_true(result.elapsed_ns > 50 * 1000 * 1000);
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_true(tacho_view_count(view).span_count > 0);
    tacho_view_close(view);
    assert_ok(tacho_capture_run(words, capture, NULL, NULL)); /* it is replaced */
}

static void test_traces(void **state)
{
    (void)state;
    char trace[PATH_BYTES + 16];
    const char *const words[] = {"true", NULL};
    const char *const paths[] = {trace};
    tacho_view *view = NULL;
    snprintf(trace, sizeof(trace), "%s/x.pb", folder);
    assert_ok(tacho_capture_run(words, trace, NULL, NULL));
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    tacho_part_view part;
    assert_true(tacho_view_part(view, 0, &part));
    assert_string_equal(part.format, "perfetto");
    tacho_view_close(view);
    unlink(trace);
}

static void test_signals(void **state)
{
    (void)state;
    const char *const words[] = {"sh", "-c", "kill -KILL $$", NULL};
    tacho_capture_result result;
    assert_ok(tacho_capture_run(words, capture, NULL, &result));
    assert_true(result.is_signalled);
    assert_int_equal(result.exit_status, 128 + SIGKILL);
}

static void test_timeouts(void **state)
{
    (void)state;
    const char *const words[] = {"sleep", "60", NULL};
    const tacho_capture_options options = {.timeout_ns = 50 * 1000 * 1000};
    tacho_capture_result result;
    assert_ok(tacho_capture_run(words, capture, &options, &result));
    assert_true(result.is_timed_out);
    assert_int_equal(result.exit_status, 124);
}

static bool refuse(void *user, const tacho_capture_live *live)
{
    int *count = user;
    assert_true(live->elapsed_ns > 0);
    *count += 1;
    return false;
}

static void test_progress_ends_it(void **state)
{
    (void)state;
    int count = 0;
    const char *const words[] = {"sleep", "60", NULL};
    const tacho_capture_options options = {.progress = refuse, .user = &count};
    tacho_capture_result result;
    assert_ok(tacho_capture_run(words, capture, &options, &result));
    assert_int_equal(count, 1);
    assert_int_equal(result.exit_status, 128 + SIGTERM);
}

/* Signal mask, dispositions, other children. */
static void test_the_caller_is_left_alone(void **state)
{
    (void)state;
    const char *const words[] = {"true", NULL};
    sigset_t before, after;
    struct sigaction child, file_size;
    pid_t other = fork();
    if (other == 0) {
        _exit(3);
    }
    sigprocmask(SIG_SETMASK, NULL, &before);
    assert_ok(tacho_capture_run(words, capture, NULL, NULL));
    sigprocmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < 32; number++) {
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
    }
    sigaction(SIGCHLD, NULL, &child);
    sigaction(SIGXFSZ, NULL, &file_size);
    assert_ptr_equal(child.sa_handler, SIG_DFL);
    assert_ptr_equal(file_size.sa_handler, SIG_DFL);
    int status = 0;
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_int_equal(waitpid(-1, &status, WNOHANG), -1); /* there are no more */
}

/* A program is told where to report: a socket, or a port where one is asked for. */
static void test_ports(void **state)
{
    (void)state;
    const char *const words[] = {"sh", "-c", "test \"${TACHO_COLLECTOR%:*}\" = 127.0.0.1", NULL};
    const tacho_capture_options any = {.port = -1};
    tacho_capture_result result;
    assert_ok(tacho_capture_run(words, capture, &any, &result));
    assert_int_equal(result.exit_status, 0);
    assert_ok(tacho_capture_run(words, capture, NULL, &result));
    assert_int_equal(result.exit_status, 1);
}

static void test_failures(void **state)
{
    (void)state;
    const char *const none[] = {NULL};
    const char *const missing[] = {"no-such-program-of-tacho", NULL};
    const char *const no_program[] = {folder, NULL};
    const char *const words[] = {"true", NULL};
    const tacho_capture_options newer = {.reserved = {1}};
    const tacho_capture_options negative = {.timeout_ns = -1};
    const tacho_capture_options level = {.stats_level = 101};
    const tacho_capture_options port = {.port = 65536};
    check_says(tacho_capture_run(missing, capture, NULL, NULL), TACHO_CODE_NOT_FOUND,
               "no-such-program-of-tacho");
    check_says(tacho_capture_run(no_program, capture, NULL, NULL), TACHO_CODE_IO, "cannot run");
    check_says(tacho_capture_run(NULL, capture, NULL, NULL), TACHO_CODE_USAGE, "no program");
    check_says(tacho_capture_run(none, capture, NULL, NULL), TACHO_CODE_USAGE, "no program");
    check_says(tacho_capture_run(words, NULL, NULL, NULL), TACHO_CODE_USAGE, "no output");
    check_says(tacho_capture_run(words, "x.what", NULL, NULL), TACHO_CODE_USAGE, "x.what");
    check_says(tacho_capture_run(words, "/no/such/x.tacho", NULL, NULL), TACHO_CODE_IO, "/no/such");
    check_says(tacho_capture_run(words, capture, &newer, NULL), TACHO_CODE_USAGE, "version");
    check_says(tacho_capture_run(words, capture, &negative, NULL), TACHO_CODE_USAGE, "negative");
    check_says(tacho_capture_run(words, capture, &level, NULL), TACHO_CODE_USAGE, "100");
    check_says(tacho_capture_run(words, capture, &port, NULL), TACHO_CODE_USAGE, "65535");
}

/* 100 is the highest level there is: it is accepted, and one more is not. */
static void test_the_highest_stats_level(void **state)
{
    (void)state;
    const char *const words[] = {"true", NULL};
    const tacho_capture_options highest = {.stats_level = 100}, beyond = {.stats_level = 101};
    assert_ok(tacho_capture_run(words, capture, &highest, NULL));
    check_says(tacho_capture_run(words, capture, &beyond, NULL), TACHO_CODE_USAGE, "at most 100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_progress_ends_it),
        cmocka_unit_test(test_the_caller_is_left_alone),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_the_highest_stats_level),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
