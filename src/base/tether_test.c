/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs on a tether: bytes are passed on, ends are reported, and no program outlives us.
 */
#include "base/tether.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static tacho_tether start(const char *script)
{
    char sh[] = "sh", option[] = "-c", text[400];
    char *words[] = {sh, option, text, NULL};
    tacho_tether tether;
    snprintf(text, sizeof(text), "%s", script);
    assert_null(tacho_tether_start(&tether, words));
    return tether;
}

static size_t receive_all(tacho_tether *tether, char *to, size_t room)
{
    size_t len = 0;
    size_t got;
    while (len < room && (got = tacho_tether_receive(tether, to + len, room - len)) > 0) {
        len += got;
    }
    return len;
}

/* More than any buffer between us holds, in both directions. */
static void carries_both_ways(void **state)
{
    enum { COUNT = 400000 };
    char *sent = malloc(COUNT);
    char *found = malloc(COUNT);
    tacho_tether tether = start("head -c 400000 >&2 2>/dev/null; head -c 400000 /dev/zero");
    (void)state;
    assert_non_null(sent);
    assert_non_null(found);
    memset(sent, 'x', COUNT);
    assert_true(tacho_tether_send(&tether, sent, COUNT));
    assert_int_equal(receive_all(&tether, found, COUNT), COUNT);
    assert_int_equal(found[COUNT - 1], 0);
    assert_int_equal(tacho_tether_close(&tether), 0);
    free(sent);
    free(found);
}

static void keeps_errors_and_status(void **state)
{
    char byte;
    tacho_tether tether = start("echo first >&2; printf '%5000s' last >&2; exit 37");
    (void)state;
    assert_int_equal(tacho_tether_receive(&tether, &byte, 1), 0);
    assert_int_equal(tacho_tether_close(&tether), 37);
    assert_int_equal(tether.tail_len, TACHO_TETHER_TAIL_BYTES);
    assert_string_equal(tether.tail + TACHO_TETHER_TAIL_BYTES - 4, "last");
}

static void tells_signals(void **state)
{
    char byte;
    tacho_tether tether = start("kill -9 $$");
    (void)state;
    assert_int_equal(tacho_tether_receive(&tether, &byte, 1), 0);
    assert_int_equal(tacho_tether_close(&tether), 128 + SIGKILL);
}

static void says_what_cannot_run(void **state)
{
    char name[] = "tacho-no-such-program";
    char *words[] = {name, NULL};
    char byte;
    tacho_tether tether;
    (void)state;
    assert_null(tacho_tether_start(&tether, words));
    assert_int_equal(tacho_tether_receive(&tether, &byte, 1), 0);
    assert_int_equal(tacho_tether_close(&tether), 127);
    assert_non_null(strstr(tether.tail, "tacho-no-such-program: cannot be run"));
}

/*
 * A program that writes without end, even to standard error, is not waited for forever. For errors
 * only the time counts, ten seconds: they need not flow all the time, but must at its end.
 */
static void ends_talkers(void **state)
{
    static const char *const talkers[] = {"trap '' PIPE; exec yes 2>/dev/null",
                                          "trap '' PIPE; echo; sleep 9; exec yes >&2"};
    (void)state;
    for (size_t i = 0; i < sizeof(talkers) / sizeof(talkers[0]); i++) {
        char byte;
        tacho_tether tether = start(talkers[i]);
        assert_int_equal(tacho_tether_receive(&tether, &byte, 1), 1);
        assert_true(tacho_tether_close(&tether) > 0);
    }
}

static bool goes_on_twice(void *watcher)
{
    int *left = watcher;
    return --*left > 0;
}

/* The waiting side may give up, which ends the program. */
static void gives_up_when_told(void **state)
{
    char byte;
    int left = 3;
    tacho_tether tether = start("exec sleep 1000");
    (void)state;
    tether.goes_on = goes_on_twice;
    tether.watcher = &left;
    assert_int_equal(tacho_tether_receive(&tether, &byte, 1), 0);
    assert_true(tether.is_cancelled);
    assert_int_equal(left, 0);
    assert_int_equal(tacho_tether_close(&tether), 128 + SIGTERM);
}

/* A program that neither reads nor writes is not waited for; one that does either is. */
static void gives_up_silent_ones(void **state)
{
    char bytes[1 << 16] = {0};
    tacho_tether tether = start("exec sleep 1000");
    (void)state;
    tether.silence_ms = 300;
    assert_int_equal(tacho_tether_receive(&tether, bytes, 1), 0);
    assert_true(tether.is_silent);
    assert_int_equal(tacho_tether_close(&tether), 128 + SIGTERM);
    tether = start("exec sleep 1000");
    tether.silence_ms = 300;
    while (tacho_tether_send(&tether, bytes, sizeof(bytes))) {
    }
    assert_true(tether.is_silent);
    assert_int_equal(tacho_tether_close(&tether), 128 + SIGTERM);
    tether = start("for i in 1 2 3 4 5 6; do sleep 0.1; printf x; done");
    tether.silence_ms = 500;
    assert_int_equal(receive_all(&tether, bytes, 100), 6);
    assert_false(tether.is_silent);
    assert_int_equal(tacho_tether_close(&tether), 0);
}

static void refuses_to_send_to_nobody(void **state)
{
    char bytes[4096] = {0};
    tacho_tether tether = start("exit 0");
    (void)state;
    assert_int_equal(tacho_tether_receive(&tether, bytes, 1), 0);
    assert_false(tacho_tether_send(&tether, bytes, sizeof(bytes)));
    assert_int_equal(tacho_tether_close(&tether), 0);
}

/* In a process of its own, which is killed; the program's number is sent through a pipe. */
static pid_t start_in_child(int fd)
{
    pid_t child = fork();
    if (child == 0) {
        char text[32] = "";
        tacho_tether tether = start("trap '' HUP; echo $$; exec sleep 1000");
        size_t len = tacho_tether_receive(&tether, text, sizeof(text) - 1);
        if (write(fd, text, len) < 0) {
            _exit(1);
        }
        pause();
    }
    return child;
}

static void ends_with_us(void **state)
{
    int ends[2];
    char text[32] = "";
    const struct timespec step = {.tv_nsec = 10000000};
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t child = start_in_child(ends[1]);
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    pid_t pid = (pid_t)strtol(text, NULL, 10);
    assert_true(pid > 1);
    assert_int_equal(kill(pid, 0), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    for (int i = 0; i < 12000 && kill(pid, 0) == 0; i++) {
        nanosleep(&step, NULL);
    }
    assert_int_equal(kill(pid, 0), -1);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_both_ways),    cmocka_unit_test(keeps_errors_and_status),
        cmocka_unit_test(tells_signals),        cmocka_unit_test(says_what_cannot_run),
        cmocka_unit_test(ends_talkers),         cmocka_unit_test(refuses_to_send_to_nobody),
        cmocka_unit_test(ends_with_us),         cmocka_unit_test(gives_up_when_told),
        cmocka_unit_test(gives_up_silent_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
