/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A port of this computer that its own programs connect to, and whose programs those are.
 */
#ifndef TACHO_BASE_TCP_SOCKET_H
#define TACHO_BASE_TCP_SOCKET_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Listens on 127.0.0.1 and nowhere else. */
typedef struct tacho_tcp_socket {
    int fd;        /* -1: not open */
    uint16_t port; /* 0: not open */
} tacho_tcp_socket;

/*
 * Listens on |port|, where 0 is any free one. A port in use is an IO failure that names the process
 * that has it, where that can be seen. Close it also after a failure.
 */
tacho_status tacho_tcp_socket_open(tacho_tcp_socket *out_socket, uint16_t port) TACHO_MUST_USE;
void tacho_tcp_socket_close(tacho_tcp_socket *tcp);

/* The next connection, which does not block, or -1. */
int tacho_tcp_socket_accept(const tacho_tcp_socket *tcp);

/* Whether the other end of the connection |fd| is held by process |pid|, of our own user. */
bool tacho_tcp_socket_is_of(int fd, pid_t pid);

/* A socket that listens for connections; of any user. */
typedef struct tacho_tcp_listener {
    uint64_t inode;
    unsigned uid;
    uint16_t port;
} tacho_tcp_listener;

/* Hands each of them that this network namespace has to |take|. */
void tacho_tcp_each_listener(void (*take)(void *user, const tacho_tcp_listener *listener),
                             void *user);

/* The process of ours that listens on |port|, and its name; 0 where that cannot be seen. */
enum { TACHO_PROCESS_NAME_MAX = 64 };
pid_t tacho_tcp_holder(uint16_t port, char out_name[TACHO_PROCESS_NAME_MAX]);

#endif
