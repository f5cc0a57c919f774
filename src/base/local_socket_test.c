/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets of a capture: other users can neither reach them nor are they heard, and the size of
 * shared memory cannot change. Tests that need another user are left out where this is not root.
 */
#define _GNU_SOURCE /* memfd seals */
#include "base/local_socket.h"

#include "base/tcp_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { NOBODY = 65534 };

static int connect_to(const struct sockaddr *address, socklen_t len)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, address, len) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* A process of another user that has connected to |address|, until |*out_fd| is closed. */
static pid_t connect_as_nobody(const struct sockaddr *address, socklen_t len, int *out_fd)
{
    int ready[2], ends[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[1]);
        bool is_connected =
            setgid(NOBODY) == 0 && setuid(NOBODY) == 0 && connect_to(address, len) >= 0;
        byte = is_connected ? 'y' : 'n';
        bool is_told = write(ready[1], &byte, 1) == 1;
        _exit(is_told && read(ends[0], &byte, 1) == 0 ? 0 : 1);
    }
    close(ends[0]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(ready[0]);
    *out_fd = ends[1];
    return child;
}

static void end_nobody(pid_t child, int fd)
{
    int status = 1;
    close(fd);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static mode_t mode_of(const char *path)
{
    struct stat facts;
    assert_int_equal(lstat(path, &facts), 0);
    return facts.st_mode & 07777;
}

/* By the modes, and should these be changed, by the kernel's word of who has connected. */
static void is_for_its_user_alone(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    tacho_local_socket local;
    pid_t pid = 0;
    (void)state;
    assert_null(tacho_local_socket_open(&local));
    assert_int_equal(mode_of(local.folder.path), 0700);
    assert_int_equal(mode_of(local.path), 0600);
    memcpy(address.sun_path, local.path, strlen(local.path));
    int mine = connect_to((const struct sockaddr *)&address, sizeof(address));
    assert_true(mine >= 0);
    int fd = tacho_local_socket_accept(&local, &pid);
    assert_true(fd >= 0);
    assert_int_equal(pid, getpid());
    close(fd);
    close(mine);
    if (geteuid() == 0) {
        int theirs = -1;
        assert_int_equal(chmod(local.folder.path, 0711), 0);
        assert_int_equal(chmod(local.path, 0666), 0);
        pid_t child =
            connect_as_nobody((const struct sockaddr *)&address, sizeof(address), &theirs);
        assert_int_equal(tacho_local_socket_accept(&local, &pid), -1);
        end_nobody(child, theirs);
    }
    char folder[TACHO_TEMP_FOLDER_MAX];
    memcpy(folder, local.folder.path, sizeof(folder));
    tacho_local_socket_close(&local);
    assert_int_equal(access(folder, F_OK), -1);
}

static void ports_know_their_users(void **state)
{
    tacho_tcp_socket tcp;
    (void)state;
    assert_null(tacho_tcp_socket_open(&tcp, 0));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(tcp.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int mine = connect_to((const struct sockaddr *)&address, sizeof(address));
    assert_true(mine >= 0);
    int fd = tacho_tcp_socket_accept(&tcp);
    assert_true(fd >= 0);
    assert_true(tacho_tcp_socket_is_of(fd, getpid()));
    assert_false(tacho_tcp_socket_is_of(fd, 1));
    close(fd);
    close(mine);
    if (geteuid() == 0) {
        int theirs = -1;
        pid_t child =
            connect_as_nobody((const struct sockaddr *)&address, sizeof(address), &theirs);
        fd = tacho_tcp_socket_accept(&tcp);
        assert_true(fd >= 0);
        assert_false(tacho_tcp_socket_is_of(fd, child));
        close(fd);
        end_nobody(child, theirs);
    }
    tacho_tcp_socket_close(&tcp);
}

/* A peer that could cut it short would kill us with SIGBUS. */
static void memory_keeps_its_size(void **state)
{
    tacho_shared_memory memory;
    (void)state;
    assert_null(tacho_shared_memory_make(&memory, 8192));
    assert_int_equal(fcntl(memory.fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    assert_int_equal(ftruncate(memory.fd, 4096), -1);
    assert_int_equal(ftruncate(memory.fd, 16384), -1);
    tacho_shared_memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_for_its_user_alone),
        cmocka_unit_test(ports_know_their_users),
        cmocka_unit_test(memory_keeps_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
