/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds a socket is in two places: the kernel's socket diagnosis, or where there is none,
 * /proc/net/tcp, says user and inode of each end of a connection; /proc/PID/fd says which inodes a
 * process holds. Diagnosis of one connection takes microseconds, the list a few milliseconds.
 */
#define _GNU_SOURCE /* accept4 */
#include "base/tcp_socket.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BACKLOG = 256, LINE_ROOM = 512, PATH_ROOM = 64, STATE_LISTEN = 0x0a, ANY_STATE = -1 };

/* ---- who holds what ------------------------------------------------------------------------ */

/* An end of a connection, or a port that is listened on. */
typedef struct tcp_end {
    unsigned port, peer_port; /* peer 0: any */
    int state;
    unsigned uid;   /* found */
    uint64_t inode; /* found; 0: not */
} tcp_end;

/* Reads a line of /proc/net/tcp; false where it is not the end that is looked for. */
static bool match_line(const char *line, tcp_end *end)
{
    unsigned port = 0;
    unsigned peer_port = 0;
    unsigned state = 0;
    unsigned uid = 0;
    uint64_t inode = 0;
    int count = sscanf(line,
                       " %*u: %*32[0-9A-Fa-f]:%4x %*32[0-9A-Fa-f]:%4x %2x %*x:%*x %*x:%*x %*x %u "
                       "%*u %" SCNu64,
                       &port, &peer_port, &state, &uid, &inode);
    if (count != 5 || port != end->port || (end->peer_port != 0 && peer_port != end->peer_port) ||
        (end->state != ANY_STATE && (int)state != end->state) || inode == 0) {
        return false;
    }
    end->uid = uid;
    end->inode = inode;
    return true;
}

static bool find_in_file(const char *path, tcp_end *end)
{
    char line[LINE_ROOM];
    bool is_found = false;
    FILE *file = fopen(path, "re");
    while (file != NULL && !is_found && fgets(line, sizeof(line), file) != NULL) {
        is_found = match_line(line, end);
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_found;
}

static bool find_end(tcp_end *end)
{
    return find_in_file("/proc/net/tcp", end) || find_in_file("/proc/net/tcp6", end);
}

/* What is asked of the kernel: about one connection. */
typedef struct diag_question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
} diag_question;

static bool read_diag(const char *answer, size_t len, tcp_end *end)
{
    struct nlmsghdr head;
    struct inet_diag_msg body;
    if (len < NLMSG_HDRLEN + sizeof(body)) {
        return false;
    }
    memcpy(&head, answer, sizeof(head));
    memcpy(&body, answer + NLMSG_HDRLEN, sizeof(body));
    end->uid = body.idiag_uid;
    end->inode = body.idiag_inode;
    return head.nlmsg_type == SOCK_DIAG_BY_FAMILY && body.idiag_inode != 0;
}

/* The end of a connection within this computer, from the kernel; false where it does not say. */
static bool diagnose_end(const struct sockaddr_in *peer, const struct sockaddr_in *own,
                         tcp_end *end)
{
    diag_question question = {
        .head = {.nlmsg_len = sizeof(question),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST},
        .body = {.sdiag_family = AF_INET,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = UINT32_MAX,
                 .id = {.idiag_sport = peer->sin_port,
                        .idiag_dport = own->sin_port,
                        .idiag_src = {peer->sin_addr.s_addr},
                        .idiag_dst = {own->sin_addr.s_addr},
                        .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
    };
    char answer[LINE_ROOM];
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) {
        return false;
    }
    bool is_found = false;
    if (send(fd, &question, sizeof(question), 0) == (ssize_t)sizeof(question)) {
        ssize_t len = recv(fd, answer, sizeof(answer), 0);
        is_found = len > 0 && read_diag(answer, (size_t)len, end);
    }
    close(fd);
    return is_found;
}

/* Whether process |pid| holds the socket |inode|. */
static bool holds(pid_t pid, uint64_t inode)
{
    char path[PATH_ROOM];
    char wanted[PATH_ROOM];
    bool is_found = false;
    snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
    snprintf(wanted, sizeof(wanted), "socket:[%" PRIu64 "]", inode);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && !is_found && (entry = readdir(folder)) != NULL;) {
        char target[PATH_ROOM];
        ssize_t len = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
        target[len > 0 ? len : 0] = '\0';
        is_found = strcmp(target, wanted) == 0;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return is_found;
}

/* Whether |pid| is a process rather than one of its threads. */
static bool is_process(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

static pid_t find_process(uint64_t inode)
{
    pid_t found = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder != NULL && found == 0 && (entry = readdir(folder)) != NULL;) {
        long pid = strtol(entry->d_name, NULL, 10);
        found = pid > 0 && holds((pid_t)pid, inode) ? (pid_t)pid : 0;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return found;
}

static void read_name(pid_t pid, char out_name[TACHO_PROCESS_NAME_MAX])
{
    char path[PATH_ROOM];
    out_name[0] = '\0';
    snprintf(path, sizeof(path), "/proc/%ld/comm", (long)pid);
    FILE *file = fopen(path, "re");
    if (file != NULL) {
        size_t len = fread(out_name, 1, TACHO_PROCESS_NAME_MAX - 1, file);
        out_name[len > 0 && out_name[len - 1] == '\n' ? len - 1 : len] = '\0';
        fclose(file);
    }
}

pid_t tacho_tcp_holder(uint16_t port, char out_name[TACHO_PROCESS_NAME_MAX])
{
    tcp_end end = {.port = port, .state = STATE_LISTEN};
    pid_t pid = find_end(&end) ? find_process(end.inode) : 0;
    out_name[0] = '\0';
    if (pid > 0) {
        read_name(pid, out_name);
    }
    return pid;
}

bool tacho_tcp_socket_is_of(int fd, pid_t pid)
{
    struct sockaddr_in own = {0};
    struct sockaddr_in peer = {0};
    socklen_t own_len = sizeof(own);
    socklen_t peer_len = sizeof(peer);
    if (pid <= 0 || getsockname(fd, (struct sockaddr *)&own, &own_len) != 0 ||
        getpeername(fd, (struct sockaddr *)&peer, &peer_len) != 0) {
        return false;
    }
    tcp_end end = {
        .port = ntohs(peer.sin_port), .peer_port = ntohs(own.sin_port), .state = ANY_STATE};
    return is_process(pid) && (diagnose_end(&peer, &own, &end) || find_end(&end)) &&
           end.uid == geteuid() && holds(pid, end.inode);
}

/* ---- listening ----------------------------------------------------------------------------- */

static tacho_status refuse(uint16_t port, int error)
{
    char name[TACHO_PROCESS_NAME_MAX];
    if (error != EADDRINUSE) {
        return tacho_fail(TACHO_CODE_IO, "cannot listen on port %u: %s", (unsigned)port,
                          strerror(error));
    }
    pid_t pid = tacho_tcp_holder(port, name);
    if (pid == 0) {
        return tacho_fail(TACHO_CODE_IO,
                          "port %u is taken by a process that is not visible from here; use "
                          "another, or 0 for any that is free",
                          (unsigned)port);
    }
    return tacho_fail(TACHO_CODE_IO,
                      "port %u is taken by %s (process %ld); use another, or 0 for any that is "
                      "free",
                      (unsigned)port, name, (long)pid);
}

tacho_status tacho_tcp_socket_open(tacho_tcp_socket *out_socket, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(address);
    const int is_on = 1;
    *out_socket =
        (tacho_tcp_socket){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (out_socket->fd < 0) {
        return refuse(port, errno);
    }
    /* Old connections to the port do not keep it; a program that listens does. */
    setsockopt(out_socket->fd, SOL_SOCKET, SO_REUSEADDR, &is_on, sizeof(is_on));
    if (bind(out_socket->fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(out_socket->fd, BACKLOG) != 0 ||
        getsockname(out_socket->fd, (struct sockaddr *)&address, &len) != 0) {
        return refuse(port, errno);
    }
    out_socket->port = ntohs(address.sin_port);
    return TACHO_OK;
}

void tacho_tcp_socket_close(tacho_tcp_socket *tcp)
{
    if (tcp->fd >= 0) {
        close(tcp->fd);
    }
    *tcp = (tacho_tcp_socket){.fd = -1};
}

int tacho_tcp_socket_accept(const tacho_tcp_socket *tcp)
{
    return accept4(tcp->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
