/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Announcements of Tracy clients, by UDP.
 *
 * Clients broadcast to 255.255.255.255, or to 127.255.255.255 if they were built for this computer
 * alone. Linux gives a broadcast only to sockets that are bound to its address or to any address,
 * never to one of 127.0.0.1. So there is a socket for each of these addresses and none for the
 * addresses of this computer: packets of others to those never arrive here.
 *
 * A datagram is only a hint. It counts if it is from this computer and names a process of the
 * capture; whatever its sender, a client is connected to only at a port that a process of the
 * capture, of our own user, listens on.
 */
#include "capture/tracy_hub.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DATAGRAM_BYTES = 512,
    DATAGRAMS_PER_TURN = 64, /* then others get their turn: any process can send here */
    LOOPBACK_NET = 127,
    LOOPBACK_BROADCAST = 0x7fffffff, /* 127.255.255.255 */
};

static int open_announcement_socket(const tacho_tracy_hub *hub, uint32_t host)
{
    const int is_on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(TACHO_TRACY_PORT)};
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = hub->event_base}};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    address.sin_addr.s_addr = htonl(host);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &is_on, sizeof(is_on));
    if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        epoll_ctl(hub->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
        close(fd); /* clients are found by their sockets all the same */
        return -1;
    }
    return fd;
}

void tacho_tracy_announce_open(tacho_tracy_hub *hub)
{
    static const uint32_t hosts[TACHO_TRACY_UDP_SOCKETS] = {INADDR_BROADCAST, LOOPBACK_BROADCAST,
                                                            INADDR_LOOPBACK};
    for (size_t i = 0; i < TACHO_TRACY_UDP_SOCKETS; i++) {
        hub->udp_fds[i] = open_announcement_socket(hub, hosts[i]);
        hub->hears |= hub->udp_fds[i] >= 0;
    }
}

void tacho_tracy_announce_close(tacho_tracy_hub *hub)
{
    for (size_t i = 0; i < TACHO_TRACY_UDP_SOCKETS; i++) {
        if (hub->udp_fds[i] >= 0) {
            close(hub->udp_fds[i]);
        }
        hub->udp_fds[i] = -1;
    }
    hub->hears = false;
}

/* Whether |host| is an address of this computer. The kernel drops what claims that from outside. */
static bool is_own_address(uint32_t host)
{
    struct ifaddrs *list = NULL;
    bool is_own = host >> 24 == LOOPBACK_NET;
    if (is_own || getifaddrs(&list) != 0) {
        return is_own;
    }
    for (const struct ifaddrs *at = list; at != NULL && !is_own; at = at->ifa_next) {
        const struct sockaddr_in *address = (const struct sockaddr_in *)(const void *)at->ifa_addr;
        is_own = address != NULL && address->sin_family == AF_INET &&
                 ntohl(address->sin_addr.s_addr) == host;
    }
    freeifaddrs(list);
    return is_own;
}

/* Notes the announced client, or one that has ended before it was met. Any other live pid
 * is another user's, or a false claim. */
static void take_announcement(tacho_tracy_hub *hub, const tacho_tracy_announcement *said)
{
    pid_t pid = (pid_t)said->pid;
    pid_t holder = said->is_gone ? 0 : tacho_tracy_find_holder(hub, pid, said->port);
    if (holder > 0) {
        tacho_tracy_note_client(hub, holder, said->port, said->protocol);
    }
    if (holder != pid && (said->is_gone || tacho_tracy_has_ended(pid))) {
        tacho_tracy_note_gone(hub, pid, said->port, said->protocol);
    }
}

static void read_announcement_socket(tacho_tracy_hub *hub, int fd)
{
    unsigned char bytes[DATAGRAM_BYTES];
    for (unsigned i = 0; i < DATAGRAMS_PER_TURN; i++) {
        struct sockaddr_in from = {.sin_family = AF_UNSPEC};
        socklen_t from_len = sizeof(from);
        tacho_tracy_announcement said;
        ssize_t len = recvfrom(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &from_len);
        if (len <= 0) {
            break;
        }
        if (tacho_tracy_announcement_parse(&said, bytes, (size_t)len) && said.pid > 1 &&
            said.pid < INT32_MAX && from.sin_family == AF_INET &&
            is_own_address(ntohl(from.sin_addr.s_addr)) &&
            tacho_tracy_is_ours(hub, (pid_t)said.pid)) {
            take_announcement(hub, &said);
        }
    }
}

void tacho_tracy_announce_read(tacho_tracy_hub *hub)
{
    for (size_t i = 0; i < TACHO_TRACY_UDP_SOCKETS; i++) {
        if (hub->udp_fds[i] >= 0) {
            read_announcement_socket(hub, hub->udp_fds[i]);
        }
    }
}
