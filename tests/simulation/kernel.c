/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors of the simulated programs and of tacho: sockets, memory files, epoll, ends of
 * processes. The linker leads the system calls of all linked code here (--wrap); those on other
 * descriptors, and those outside of the simulation, are passed on.
 */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

enum {
    FD_BASE = 1 << 20,
    FDS_MAX = 1024,
    CONNECTIONS_MAX = 512,
    BYTES_MAX = 64,
    PATIENCE_S = 30,
    GET_SEALS = 1024 + 10,
    NS_PER_MS = 1000000,
};

typedef enum fd_kind {
    FD_FREE,
    FD_SOCKET,
    FD_LISTENER,
    FD_CONNECTION,
    FD_MEMORY,
    FD_EPOLL,
    FD_PID,
    FD_SIGNALS
} fd_kind;

typedef struct sim_fd {
    fd_kind kind;
    const void *owner; /* a process or a rank */
    sim_rank *rank;
    size_t index; /* of a connection, segment or process */
    bool is_server;
} sim_fd;

/* One direction of a connection. */
typedef struct pipe_half {
    unsigned char bytes[BYTES_MAX];
    size_t sent, arrived, taken;
    bool is_closed, has_end_arrived;
    int descriptor; /* segment that travels along + 1; 0: none */
} pipe_half;

typedef struct connection {
    bool is_used, is_accepted;
    sim_rank *rank;
    pid_t pid; /* 0: not visible from here */
    sim_agent *client;
    pipe_half to_server, to_client;
    unsigned end_count; /* descriptors of it */
} connection;

typedef struct segment {
    unsigned references; /* descriptors and mappings */
    bool is_sealed;
    off_t size;
} segment;

static sim_fd fds[FDS_MAX];
static connection connections[CONNECTIONS_MAX];
static segment segments[SIM_SLOTS_MAX];
static bool has_traffic; /* connections may carry something */

void sim_kernel_begin(void)
{
    memset(fds, 0, sizeof(fds));
    memset(connections, 0, sizeof(connections));
    memset(segments, 0, sizeof(segments));
    has_traffic = false;
}

static const void *owner_now(void)
{
    sim_agent *agent = sim.current;
    return agent->process != NULL ? (const void *)agent->process : (const void *)agent->rank;
}

static int open_fd(fd_kind kind, size_t index)
{
    for (size_t i = 0; i < FDS_MAX; i++) {
        if (fds[i].kind == FD_FREE) {
            fds[i] = (sim_fd){
                .kind = kind, .owner = owner_now(), .rank = sim.current->rank, .index = index};
            return FD_BASE + (int)i;
        }
    }
    errno = EMFILE;
    return -1;
}

static sim_fd *find_fd(int fd)
{
    return fd >= FD_BASE && fd < FD_BASE + FDS_MAX && fds[fd - FD_BASE].kind != FD_FREE
               ? &fds[fd - FD_BASE]
               : NULL;
}

/* ---- segments -------------------------------------------------------------------------------- */

static uint16_t *maps_now(void)
{
    sim_agent *agent = sim.current;
    return agent->process != NULL ? agent->process->maps : agent->rank->maps;
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    if (sim.current == NULL) {
        return __real_memfd_create(name, flags);
    }
    for (size_t i = 0; i < SIM_SLOTS_MAX && !sim_fails(SIM_MEMORY); i++) {
        if (segments[i].references == 0) {
            int fd = open_fd(FD_MEMORY, i);
            segments[i] = (segment){.references = fd >= 0 ? 1 : 0};
            return fd;
        }
    }
    errno = EMFILE;
    return -1;
}

int __wrap_ftruncate(int fd, off_t len)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_ftruncate(fd, len);
    }
    segments[file->index].size = len;
    memset(sim_slot(file->index), 0, (size_t)len);
    return 0;
}

int __wrap_fcntl(int fd, int command, ...)
{
    sim_fd *file = find_fd(fd);
    va_list more;
    va_start(more, command);
    long argument = va_arg(more, long);
    va_end(more);
    if (file == NULL) {
        return __real_fcntl(fd, command, argument);
    }
    if (command == GET_SEALS) {
        return segments[file->index].is_sealed ? 7 : 0;
    }
    segments[file->index].is_sealed = true;
    return 0;
}

int __wrap_fstat(int fd, struct stat *facts)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_fstat(fd, facts);
    }
    *facts = (struct stat){.st_size = segments[file->index].size};
    return 0;
}

void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_mmap(at, len, protection, flags, fd, offset);
    }
    if (sim_fails(SIM_MEMORY)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    segments[file->index].references++;
    maps_now()[file->index]++;
    return sim_slot(file->index);
}

int __wrap_munmap(void *at, size_t len)
{
    size_t slot = sim_slot_of(at);
    if (slot == SIM_SLOTS_MAX) {
        return __real_munmap(at, len);
    }
    sim_memory_commit(sim.current); /* another segment may be here soon */
    segments[slot].references--;
    maps_now()[slot]--;
    return 0;
}

bool sim_kernel_map(const void *address, uint16_t maps[SIM_SLOTS_MAX])
{
    size_t slot = sim_slot_of(address);
    if (slot < SIM_SLOTS_MAX) {
        segments[slot].references++;
        maps[slot]++;
    }
    return slot < SIM_SLOTS_MAX;
}

void sim_kernel_unmap_all(uint16_t maps[SIM_SLOTS_MAX])
{
    for (size_t i = 0; i < SIM_SLOTS_MAX; i++) {
        segments[i].references -= maps[i];
        maps[i] = 0;
    }
}

/* ---- connections ----------------------------------------------------------------------------- */

/* One of the two has closed its end. */
static void close_half(connection *link, bool is_server)
{
    pipe_half *half = is_server ? &link->to_client : &link->to_server;
    half->is_closed = true;
    has_traffic = true;
    if (--link->end_count == 0) {
        size_t slot = (size_t)link->to_client.descriptor - 1;
        segments[link->to_client.descriptor != 0 ? slot : 0].references -=
            link->to_client.descriptor != 0 ? 1 : 0;
        link->is_used = false;
    }
}

static void release_fd(int fd)
{
    sim_fd *file = find_fd(fd);
    sim_fd before = *file;
    file->kind = FD_FREE;
    for (size_t i = 0; i < before.rank->watch_count; i++) {
        if (before.rank->watches[i].fd == fd) {
            before.rank->watches[i--] = before.rank->watches[--before.rank->watch_count];
        }
    }
    if (before.kind == FD_CONNECTION) {
        close_half(&connections[before.index], before.is_server);
    } else if (before.kind == FD_MEMORY) {
        segments[before.index].references--;
    } else if (before.kind == FD_LISTENER) {
        before.rank->has_socket = false;
        for (size_t i = 0; i < CONNECTIONS_MAX; i++) { /* those that wait are refused */
            connection *link = &connections[i];
            if (link->is_used && link->rank == before.rank && !link->is_accepted) {
                link->is_accepted = true;
                close_half(link, true);
            }
        }
    }
}

int __wrap_close(int fd)
{
    if (find_fd(fd) == NULL) {
        return __real_close(fd);
    }
    release_fd(fd);
    return 0;
}

void sim_kernel_close_all(const void *owner)
{
    for (int i = 0; i < FDS_MAX; i++) {
        if (fds[i].kind != FD_FREE && fds[i].owner == owner) {
            release_fd(FD_BASE + i);
        }
    }
}

int __wrap_socket(int domain, int type, int protocol)
{
    return sim.current == NULL ? __real_socket(domain, type, protocol) : open_fd(FD_SOCKET, 0);
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
    return find_fd(fd) == NULL ? __real_setsockopt(fd, level, name, value, len) : 0;
}

/* Who is at the other end. */
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_getsockopt(fd, level, name, value, len);
    }
    connection *link = &connections[file->index];
    const struct ucred peer = {.pid = file->is_server ? link->pid : link->rank->pid,
                               .uid = SIM_UID};
    memcpy(value, &peer, sizeof(peer));
    return 0;
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t len)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_bind(fd, address, len);
    }
    struct sockaddr_un local;
    memcpy(&local, address, sizeof(local));
    snprintf(file->rank->socket_path, sizeof(file->rank->socket_path), "%s", local.sun_path);
    return 0;
}

int __wrap_listen(int fd, int backlog)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_listen(fd, backlog);
    }
    file->kind = FD_LISTENER;
    file->rank->has_socket = true;
    return 0;
}

static connection *new_connection(sim_rank *rank)
{
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (!connections[i].is_used) {
            connections[i] = (connection){.is_used = true, .rank = rank, .end_count = 2};
            return &connections[i];
        }
    }
    return NULL;
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t len)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_connect(fd, address, len);
    }
    sim_rank *rank = file->rank;
    connection *link = rank->has_socket && !sim_fails(SIM_CONNECT) ? new_connection(rank) : NULL;
    if (link == NULL) {
        errno = ECONNREFUSED;
        return -1;
    }
    link->pid = sim.current->process->pid;
    link->client = sim.current;
    file->kind = FD_CONNECTION;
    file->index = (size_t)(link - connections);
    sim_notify(rank);
    return 0;
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_accept4(fd, address, len, flags);
    }
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        connection *link = &connections[i];
        if (link->is_used && link->rank == file->rank && !link->is_accepted) {
            int accepted = open_fd(FD_CONNECTION, i);
            if (accepted >= 0) {
                find_fd(accepted)->is_server = true;
                link->is_accepted = true;
            }
            return accepted;
        }
    }
    errno = EAGAIN;
    return -1;
}

/* A stranger connects: it leaves at once, is silent, sends other bytes or a part of a hello. */
void sim_stranger(sim_rank *rank)
{
    connection *link = rank->has_socket ? new_connection(rank) : NULL;
    if (link == NULL) {
        return;
    }
    const tacho_wire_hello hello = {TACHO_WIRE_HELLO, TACHO_WIRE_VERSION + sim_below(2),
                                    sim_below(3), 1};
    uint32_t bytes = sim_below(4) * 8;
    bytes = bytes < sizeof(hello) ? bytes : (uint32_t)sizeof(hello);
    link->pid = sim_chance(2) ? 0 : 99; /* a pid that does not exist */
    memcpy(link->to_server.bytes, &hello, sizeof(hello));
    link->to_server.bytes[0] ^= (unsigned char)sim_below(2);
    link->to_server.sent = bytes;
    link->end_count = 1;
    link->to_server.is_closed = !sim_chance(3);
    sim_notify(rank);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static bool has_pending(const pipe_half *half)
{
    return half->arrived < half->sent || (half->is_closed && !half->has_end_arrived);
}

static void deliver(connection *link, bool is_to_server)
{
    pipe_half *half = is_to_server ? &link->to_server : &link->to_client;
    if (half->arrived < half->sent) {
        half->arrived += 1 + sim_below((uint32_t)(half->sent - half->arrived));
    } else {
        half->has_end_arrived = true;
    }
    if (is_to_server) {
        sim_notify(link->rank);
    } else {
        sim_wake(link->client);
    }
}

bool sim_deliver(void)
{
    size_t first = sim_below(CONNECTIONS_MAX);
    for (size_t i = 0; has_traffic && i < CONNECTIONS_MAX; i++) {
        connection *link = &connections[(first + i) % CONNECTIONS_MAX];
        bool has_first = link->is_used && has_pending(&link->to_server);
        bool has_second = link->is_used && has_pending(&link->to_client);
        if (has_first || has_second) {
            deliver(link, has_first && (!has_second || sim_chance(2)));
            return true;
        }
    }
    has_traffic = false;
    return false;
}

static ssize_t send_bytes(connection *link, bool is_server, const void *bytes, size_t len)
{
    pipe_half *half = is_server ? &link->to_client : &link->to_server;
    const pipe_half *back = is_server ? &link->to_server : &link->to_client;
    if (back->is_closed || half->sent + len > BYTES_MAX) {
        errno = EPIPE;
        return -1;
    }
    memcpy(half->bytes + half->sent, bytes, len);
    half->sent += len;
    has_traffic = true;
    return (ssize_t)len;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_send(fd, bytes, len, flags);
    }
    sim_memory_commit(sim.current);
    return send_bytes(&connections[file->index], file->is_server, bytes, len);
}

static size_t take_bytes(pipe_half *half, void *to, size_t len)
{
    size_t held = half->arrived - half->taken;
    size_t got = held < len ? held : len;
    memcpy(to, half->bytes + half->taken, got);
    half->taken += got;
    return got;
}

ssize_t __wrap_recv(int fd, void *to, size_t len, int flags)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_recv(fd, to, len, flags);
    }
    pipe_half *half = &connections[file->index].to_server;
    if (half->arrived == half->taken && !half->has_end_arrived) {
        errno = EAGAIN;
        return -1;
    }
    return (ssize_t)take_bytes(half, to, len);
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_sendmsg(fd, message, flags);
    }
    if (sim_fails(SIM_SEND)) {
        errno = EAGAIN;
        return -1;
    }
    connection *link = &connections[file->index];
    int descriptor = -1;
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(message)), sizeof(descriptor));
    sim_memory_commit(sim.current);
    ssize_t sent = send_bytes(link, true, message->msg_iov->iov_base, message->msg_iov->iov_len);
    if (sent > 0) {
        size_t slot = find_fd(descriptor)->index;
        link->to_client.descriptor = (int)slot + 1;
        segments[slot].references++;
    }
    return sent;
}

/* Takes the segment that came along, as a descriptor of this process. */
static void take_descriptor(connection *link, struct msghdr *message)
{
    size_t slot = (size_t)link->to_client.descriptor - 1;
    int fd = open_fd(FD_MEMORY, slot);
    struct cmsghdr *head = CMSG_FIRSTHDR(message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(fd));
    memcpy(CMSG_DATA(head), &fd, sizeof(fd));
    link->to_client.descriptor = 0;
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_recvmsg(fd, message, flags);
    }
    connection *link = &connections[file->index];
    pipe_half *half = &link->to_client;
    int64_t until_ns = sim.now_ns + PATIENCE_S * INT64_C(1000000000);
    size_t len = message->msg_iov->iov_len;
    while (half->arrived - half->taken < len && !half->has_end_arrived && sim.now_ns < until_ns) {
        sim_wait(until_ns);
    }
    if (half->arrived == half->taken && !half->has_end_arrived) {
        errno = EAGAIN;
        return -1;
    }
    size_t got = take_bytes(half, message->msg_iov->iov_base, len);
    if (got > 0 && half->descriptor != 0) {
        take_descriptor(link, message);
    }
    return (ssize_t)got;
}

/* ---- epoll ----------------------------------------------------------------------------------- */

int __wrap_epoll_create1(int flags)
{
    return sim.current == NULL ? __real_epoll_create1(flags) : open_fd(FD_EPOLL, 0);
}

int __wrap_epoll_ctl(int epoll_fd, int operation, int fd, struct epoll_event *event)
{
    sim_fd *file = find_fd(epoll_fd);
    if (file == NULL) {
        return __real_epoll_ctl(epoll_fd, operation, fd, event);
    }
    sim_rank *rank = file->rank;
    if (rank->watch_count == sizeof(rank->watches) / sizeof(rank->watches[0])) {
        errno = ENOSPC;
        return -1;
    }
    rank->watches[rank->watch_count++] = (sim_watch){fd, event->data.u64};
    return 0;
}

static bool has_waiting(const sim_rank *rank)
{
    for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (connections[i].is_used && connections[i].rank == rank && !connections[i].is_accepted) {
            return true;
        }
    }
    return false;
}

static bool is_ready(const sim_rank *rank, int fd)
{
    const sim_fd *file = find_fd(fd);
    const pipe_half *half = NULL;
    if (file == NULL) {
        return false;
    }
    switch (file->kind) {
    case FD_LISTENER:
        return has_waiting(rank);
    case FD_CONNECTION:
        half = &connections[file->index].to_server;
        return half->arrived > half->taken || half->has_end_arrived;
    case FD_PID:
        return sim.processes[file->index].has_ended;
    case FD_SIGNALS:
        return rank->signal_count > 0;
    case FD_FREE:
    case FD_SOCKET:
    case FD_MEMORY:
    case FD_EPOLL:
    default:
        return false;
    }
}

/* Events that are ready, in any order; some of them may be reported only the next time. */
static int take_ready(const sim_rank *rank, struct epoll_event *events, int count_max)
{
    int count = 0;
    size_t first = sim_below((uint32_t)rank->watch_count);
    for (size_t i = 0; i < rank->watch_count && count < count_max; i++) {
        const sim_watch *watch = &rank->watches[(first + i) % rank->watch_count];
        if (is_ready(rank, watch->fd) && (count == 0 || !sim_chance(4))) {
            events[count++] = (struct epoll_event){.events = EPOLLIN, .data = {.u64 = watch->data}};
        }
    }
    return count;
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int count_max, int timeout_ms)
{
    sim_fd *file = find_fd(fd);
    if (file == NULL) {
        return __real_epoll_wait(fd, events, count_max, timeout_ms);
    }
    int64_t until_ns = sim.now_ns + (int64_t)timeout_ms * NS_PER_MS;
    sim.event_count++;
    if (sim_fails(SIM_EPOLL)) {
        errno = EINTR;
        return -1;
    }
    sim_memory_commit(sim.current);
    for (;;) {
        int count = take_ready(file->rank, events, count_max);
        if (count > 0 || sim.now_ns >= until_ns) {
            return count;
        }
        sim_wait(until_ns);
    }
}

void sim_notify(sim_rank *rank)
{
    has_traffic = true;
    sim_wake(rank->agent);
}

int sim_open_pidfd(sim_process *process)
{
    return open_fd(FD_PID, (size_t)(process - sim.processes));
}

int sim_open_signals(sim_rank *rank)
{
    rank->signal_count = 0;
    return open_fd(FD_SIGNALS, 0);
}
