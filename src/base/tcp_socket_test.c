/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who listens on a port, by the kernel's diagnosis and by the table in /proc alone.
 */
#include "base/tcp_socket.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct look {
    uint16_t port;
    unsigned count, uid;
} look;

static void count_port(void *user, const tacho_tcp_listener *listener)
{
    look *seen = user;
    if (listener->port == seen->port && listener->inode != 0) {
        seen->count++;
        seen->uid = listener->uid;
    }
}

/* Whether exactly one socket of ours is seen to listen on |port|. */
static bool is_seen(uint16_t port)
{
    look seen = {.port = port};
    tacho_tcp_each_listener(count_port, &seen);
    return seen.count == 1 && seen.uid == geteuid();
}

/* From now on the kernel refuses to diagnose sockets, as some containers do. */
static bool forbid_netlink(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof(steps) / sizeof(steps[0]), .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 &&
           socket(AF_NETLINK, SOCK_RAW, 0) < 0;
}

static void test_listeners(void **state)
{
    (void)state;
    tacho_tcp_socket open;
    assert_null(tacho_tcp_socket_open(&open, 0));
    assert_true(is_seen(open.port));
    tacho_tcp_socket_close(&open);
    tacho_tcp_socket closed;
    assert_null(tacho_tcp_socket_open(&closed, 0));
    uint16_t port = closed.port;
    tacho_tcp_socket_close(&closed);
    assert_false(is_seen(port));
}

static void test_holder(void **state)
{
    (void)state;
    char name[TACHO_PROCESS_NAME_MAX];
    tacho_tcp_socket open;
    assert_null(tacho_tcp_socket_open(&open, 0));
    assert_int_equal(tacho_tcp_holder(open.port, name), getpid());
    assert_memory_equal(name, "tcp_socket_test", sizeof("tcp_socket_test") - 1);
    tacho_tcp_socket_close(&open);
}

static void test_without_diagnosis(void **state)
{
    (void)state;
    enum { SEEN, NOT_SEEN, NOT_FORBIDDEN };
    tacho_tcp_socket open;
    int ended = 0;
    assert_null(tacho_tcp_socket_open(&open, 0));
    pid_t child = fork();
    if (child == 0) {
        _exit(!forbid_netlink() ? NOT_FORBIDDEN : is_seen(open.port) ? SEEN : NOT_SEEN);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    tacho_tcp_socket_close(&open);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == NOT_FORBIDDEN) {
        skip(); /* seccomp is not allowed here */
    }
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), SEEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listeners),
        cmocka_unit_test(test_holder),
        cmocka_unit_test(test_without_diagnosis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
