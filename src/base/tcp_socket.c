/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two steps lead from a port to a process: the kernel's socket diagnosis, or where there is none
 * /proc/net/tcp, gives user and inode of a socket; /proc/PID/fd lists the inodes that a process
 * holds. Diagnosis takes microseconds; for the file the kernel walks its whole table of
 * connections, a few milliseconds each time.
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

enum {
    BACKLOG = 256,
    LINE_ROOM = 512,
    PATH_ROOM = 64,
    ANSWER_ROOM = 16 << 10, /* the most that the kernel sends at once */
    STATE_LISTEN = 0x0a
};

/* ---- owners of sockets --------------------------------------------------------------------- */

/* One end of a connection, or a socket that listens. */
typedef struct tcp_end {
    unsigned port, peer_port;
    unsigned state;
    unsigned uid;
    uint64_t inode; /* 0: not known */
} tcp_end;

typedef struct tcp_visitor {
    bool (*visit)(void *user, const tcp_end *end); /* false: enough */
    void *user;
} tcp_visitor;

/* ---- from /proc ---- */

static bool read_line(const char *line, tcp_end *out_end)
{
    int count = sscanf(line,
                       " %*u: %*32[0-9A-Fa-f]:%4x %*32[0-9A-Fa-f]:%4x %2x %*x:%*x %*x:%*x %*x %u "
                       "%*u %" SCNu64,
                       &out_end->port, &out_end->peer_port, &out_end->state, &out_end->uid,
                       &out_end->inode);
    return count == 5 && out_end->inode != 0;
}

/* False where the visitor has had enough. */
static bool visit_file(const char *path, const tcp_visitor *visitor)
{
    char line[LINE_ROOM];
    tcp_end end;
    bool goes_on = true;
    FILE *file = fopen(path, "re");
    while (file != NULL && goes_on && fgets(line, sizeof(line), file) != NULL) {
        goes_on = !read_line(line, &end) || visitor->visit(visitor->user, &end);
    }
    if (file != NULL) {
        fclose(file);
    }
    return goes_on;
}

static void visit_files(const tcp_visitor *visitor)
{
    if (visit_file("/proc/net/tcp", visitor)) {
        visit_file("/proc/net/tcp6", visitor);
    }
}

/* Takes the socket of the ports in |user| that has the same. */
static bool match_end(void *user, const tcp_end *end)
{
    tcp_end *wanted = user;
    if (end->port != wanted->port || end->peer_port != wanted->peer_port) {
        return true;
    }
    *wanted = *end;
    return false;
}

static bool find_end(tcp_end *end)
{
    visit_files(&(tcp_visitor){match_end, end});
    return end->inode != 0;
}

/* ---- from the kernel's diagnosis ---- */

typedef struct diag_question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
} diag_question;

static bool read_diag(const char *answer, size_t len, tcp_end *out_end)
{
    struct nlmsghdr head;
    struct inet_diag_msg body;
    if (len < NLMSG_HDRLEN + sizeof(body)) {
        return false;
    }
    memcpy(&head, answer, sizeof(head));
    memcpy(&body, answer + NLMSG_HDRLEN, sizeof(body));
    *out_end = (tcp_end){.port = ntohs(body.id.idiag_sport),
                         .peer_port = ntohs(body.id.idiag_dport),
                         .state = body.idiag_state,
                         .uid = body.idiag_uid,
                         .inode = body.idiag_inode};
    return head.nlmsg_type == SOCK_DIAG_BY_FAMILY && body.idiag_inode != 0;
}

enum answer { ANSWER_MORE, ANSWER_DONE, ANSWER_REFUSED };

/* Hands over the sockets of one message of the kernel's, which holds several. */
static enum answer visit_answer(const char *answer, size_t len, const tcp_visitor *visitor)
{
    while (len >= NLMSG_HDRLEN) {
        struct nlmsghdr head;
        tcp_end end;
        memcpy(&head, answer, sizeof(head));
        if (head.nlmsg_type == NLMSG_DONE) {
            return ANSWER_DONE;
        }
        if (head.nlmsg_type == NLMSG_ERROR || head.nlmsg_len < NLMSG_HDRLEN ||
            head.nlmsg_len > len) {
            return ANSWER_REFUSED;
        }
        if (read_diag(answer, head.nlmsg_len, &end)) {
            visitor->visit(visitor->user, &end);
        }
        size_t step = NLMSG_ALIGN(head.nlmsg_len);
        answer += step < len ? step : len;
        len -= step < len ? step : len;
    }
    return ANSWER_MORE;
}

/* False where the kernel does not answer. */
static bool diagnose_listeners(int fd, unsigned char family, const tcp_visitor *visitor)
{
    diag_question question = {
        .head = {.nlmsg_len = sizeof(question),
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .body = {.sdiag_family = family,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_states = 1U << STATE_LISTEN},
    };
    char answer[ANSWER_ROOM];
    if (send(fd, &question, sizeof(question), 0) != (ssize_t)sizeof(question)) {
        return false;
    }
    for (;;) {
        ssize_t len = recv(fd, answer, sizeof(answer), 0);
        enum answer kind = len > 0 ? visit_answer(answer, (size_t)len, visitor) : ANSWER_REFUSED;
        if (kind != ANSWER_MORE) {
            return kind == ANSWER_DONE;
        }
    }
}

static bool diagnose_all(const tcp_visitor *visitor)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0) {
        return false;
    }
    bool is_answered = diagnose_listeners(fd, AF_INET, visitor);
    if (is_answered) {
        diagnose_listeners(fd, AF_INET6, visitor); /* a kernel may have no IPv6 */
    }
    close(fd);
    return is_answered;
}

typedef struct listener_taker {
    void (*take)(void *user, const tacho_tcp_listener *listener);
    void *user;
} listener_taker;

static bool take_listener(void *user, const tcp_end *end)
{
    const listener_taker *taker = user;
    if (end->state == STATE_LISTEN) {
        taker->take(taker->user, &(tacho_tcp_listener){.inode = end->inode,
                                                       .uid = end->uid,
                                                       .port = (uint16_t)end->port});
    }
    return true;
}

void tacho_tcp_each_listener(void (*take)(void *user, const tacho_tcp_listener *listener),
                             void *user)
{
    listener_taker taker = {take, user};
    const tcp_visitor visitor = {take_listener, &taker};
    if (!diagnose_all(&visitor)) {
        visit_files(&visitor);
    }
}

/* The end of a connection within this computer, from the kernel; false if unknown. */
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

/* Keeps the socket that listens on the port of the one in |user|. */
static void match_listener(void *user, const tacho_tcp_listener *listener)
{
    tacho_tcp_listener *wanted = user;
    if (listener->port == wanted->port && wanted->inode == 0) {
        *wanted = *listener;
    }
}

pid_t tacho_tcp_holder(uint16_t port, char out_name[TACHO_PROCESS_NAME_MAX])
{
    tacho_tcp_listener listener = {.port = port};
    tacho_tcp_each_listener(match_listener, &listener);
    pid_t pid = listener.inode != 0 ? find_process(listener.inode) : 0;
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
    tcp_end end = {.port = ntohs(peer.sin_port), .peer_port = ntohs(own.sin_port)};
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
