/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Unix socket with mode 0600 in a directory with mode 0700, and sealed memory: a peer that could
 * shrink the memory would kill us with SIGBUS.
 */
#define _GNU_SOURCE /* memfd_create, accept4, struct ucred, seals */
#include "base/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_NAME "socket"

enum { BACKLOG = 256 };

static tacho_status failure(const char *what)
{
    return tacho_fail(TACHO_CODE_IO, "cannot %s: %s", what, strerror(errno));
}

static tacho_status bind_socket(tacho_local_socket *local)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(local->path, sizeof(local->path), "%.100s/" SOCKET_NAME, local->folder.path);
    memcpy(address.sun_path, local->path, strlen(local->path));
    local->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (local->fd < 0) {
        return failure("make a socket");
    }
    mode_t mask = umask(0177);
    bool is_bound = bind(local->fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
    umask(mask);
    return is_bound && listen(local->fd, BACKLOG) == 0 ? TACHO_OK : failure("listen on a socket");
}

tacho_status tacho_local_socket_open(tacho_local_socket *out_socket)
{
    *out_socket = (tacho_local_socket){.fd = -1};
    const char *const parents[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    bool is_made = false;
    for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]) && !is_made; i++) {
        is_made = tacho_temp_folder_make(&out_socket->folder, parents[i], SOCKET_NAME, true,
                                         TACHO_LOCAL_PATH_MAX);
    }
    if (!is_made) {
        return failure("make a directory for a socket in /tmp");
    }
    return bind_socket(out_socket);
}

void tacho_local_socket_close(tacho_local_socket *local)
{
    if (local->fd >= 0) {
        close(local->fd);
    }
    if (local->path[0] != '\0') {
        unlink(local->path);
    }
    tacho_temp_folder_remove(&local->folder);
    *local = (tacho_local_socket){.fd = -1};
}

int tacho_local_socket_accept(const tacho_local_socket *local, pid_t *out_pid)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);
    int fd = accept4(local->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    *out_pid = 0;
    if (fd < 0) {
        return -1;
    }
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0 || peer.uid != geteuid()) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    *out_pid = peer.pid;
    return fd;
}

bool tacho_local_socket_send(int fd, const void *bytes, size_t len, int descriptor)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {(void *)(uintptr_t)bytes, len};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    memset(&control, 0, sizeof(control));
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.head), &descriptor, sizeof(descriptor));
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len;
}

/* ---- memory -------------------------------------------------------------------------------- */

static tacho_status map_memory(tacho_shared_memory *memory, size_t len)
{
    if (ftruncate(memory->fd, (off_t)len) != 0 ||
        fcntl(memory->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        return failure("size shared memory");
    }
    void *bytes =
        mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory->fd, 0);
    if (bytes == MAP_FAILED) {
        return failure("map shared memory");
    }
    memory->bytes = bytes;
    memory->len = len;
    return TACHO_OK;
}

tacho_status tacho_shared_memory_make(tacho_shared_memory *out_memory, size_t len)
{
    *out_memory =
        (tacho_shared_memory){.fd = memfd_create("tacho", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (out_memory->fd < 0) {
        return failure("make shared memory");
    }
    tacho_status status = map_memory(out_memory, len);
    if (status != TACHO_OK) {
        tacho_shared_memory_free(out_memory);
    }
    return status;
}

void tacho_shared_memory_close_fd(tacho_shared_memory *memory)
{
    if (memory->fd >= 0) {
        close(memory->fd);
        memory->fd = -1;
    }
}

void tacho_shared_memory_free(tacho_shared_memory *memory)
{
    tacho_shared_memory_close_fd(memory);
    if (memory->bytes != NULL) {
        munmap(memory->bytes, memory->len);
    }
    *memory = (tacho_shared_memory){.fd = -1};
}
