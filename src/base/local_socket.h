/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A socket that programs of the same user on this computer connect to, and memory that is shared
 * with them.
 */
#ifndef TACHO_BASE_LOCAL_SOCKET_H
#define TACHO_BASE_LOCAL_SOCKET_H

#include "base/status.h"
#include "base/temp_folder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TACHO_LOCAL_PATH_MAX = 108 };

/* A socket in a directory of its own, which no other user can enter. */
typedef struct tacho_local_socket {
    int fd;
    tacho_temp_folder folder;
    char path[TACHO_LOCAL_PATH_MAX];
} tacho_local_socket;

/* Close it also after a failure. */
tacho_status tacho_local_socket_open(tacho_local_socket *out_socket) TACHO_MUST_USE;
void tacho_local_socket_close(tacho_local_socket *local);

/*
 * The next program that has connected: a descriptor that does not block, and whose it is. -1 where
 * there is none, or it is another user's; |out_pid| is 0 where that is not visible from here.
 */
int tacho_local_socket_accept(const tacho_local_socket *local, pid_t *out_pid);

/* Sends |bytes| and a descriptor in one message; false where that does not work at once. */
bool tacho_local_socket_send(int fd, const void *bytes, size_t len, int descriptor);

/* Memory that two processes can map. Its size is fixed for ever, by a seal. */
typedef struct tacho_shared_memory {
    void *bytes;
    size_t len;
    int fd; /* to be sent, then closed */
} tacho_shared_memory;

/* |len| bytes of zeros, of which only those that are written to take memory. */
tacho_status tacho_shared_memory_make(tacho_shared_memory *out_memory, size_t len) TACHO_MUST_USE;
void tacho_shared_memory_close_fd(tacho_shared_memory *memory);
void tacho_shared_memory_free(tacho_shared_memory *memory);

#endif
