/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls that the linker leads to the simulation, and the real ones.
 */
#ifndef TACHO_TESTS_SIMULATION_KERNEL_H
#define TACHO_TESTS_SIMULATION_KERNEL_H

#define _GNU_SOURCE
#include "simulator.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Result, name, arguments. */
#define SIM_WRAPPED(X)                                                                             \
    X(int, memfd_create, (const char *name, unsigned flags))                                       \
    X(int, ftruncate, (int fd, off_t len))                                                         \
    X(int, fcntl, (int fd, int command, ...))                                                      \
    X(int, fstat, (int fd, struct stat *facts))                                                    \
    X(void *, mmap, (void *at, size_t len, int protection, int flags, int fd, off_t offset))       \
    X(int, munmap, (void *at, size_t len))                                                         \
    X(int, close, (int fd))                                                                        \
    X(int, socket, (int domain, int type, int protocol))                                           \
    X(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t len))            \
    X(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *len))                 \
    X(int, bind, (int fd, const struct sockaddr *address, socklen_t len))                          \
    X(int, listen, (int fd, int backlog))                                                          \
    X(int, connect, (int fd, const struct sockaddr *address, socklen_t len))                       \
    X(int, accept4, (int fd, struct sockaddr *address, socklen_t *len, int flags))                 \
    X(ssize_t, send, (int fd, const void *bytes, size_t len, int flags))                           \
    X(ssize_t, recv, (int fd, void *to, size_t len, int flags))                                    \
    X(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags))                         \
    X(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags))                               \
    X(int, epoll_create1, (int flags))                                                             \
    X(int, epoll_ctl, (int epoll_fd, int operation, int fd, struct epoll_event *event))            \
    X(int, epoll_wait, (int fd, struct epoll_event *events, int count_max, int timeout_ms))        \
    X(int, clock_gettime, (clockid_t clock, struct timespec * out_time))                           \
    X(int, nanosleep, (const struct timespec *time, struct timespec *out_left))                    \
    X(int, kill, (pid_t pid, int number))                                                          \
    X(pid_t, getpid, (void))                                                                       \
    X(uid_t, geteuid, (void))                                                                      \
    X(char *, getenv, (const char *name))                                                          \
    X(unsigned long, getauxval, (unsigned long type))                                              \
    X(long, syscall, (long number, ...))                                                           \
    X(int, prctl, (int option, ...))                                                               \
    X(int, pthread_mutex_lock, (pthread_mutex_t * lock))                                           \
    X(int, pthread_mutex_unlock, (pthread_mutex_t * lock))                                         \
    X(int, pthread_mutex_init, (pthread_mutex_t * lock, const pthread_mutexattr_t *attributes))    \
    X(int, pthread_once, (pthread_once_t * once, void (*run)(void)))                               \
    X(int, pthread_key_create, (pthread_key_t * key, void (*end)(void *)))                         \
    X(int, pthread_setspecific, (pthread_key_t key, const void *value))                            \
    X(int, pthread_atfork, (void (*before)(void), void (*parent)(void), void (*child)(void)))      \
    X(int, open, (const char *path, int flags, ...))                                               \
    X(ssize_t, write, (int fd, const void *bytes, size_t len))                                     \
    X(tacho_status, tacho_sink_tacho_seal, (tacho_events * events))                                \
    X(void, tacho_chunk_write, (tacho_chunk_writer * writer, const tacho_chunk *chunk))            \
    X(void, tacho_collector_finish, (tacho_collector * collector, int64_t now_ns))

#include "codec/chunk.h"
#include "sinks/tacho.h"

#define SIM_WRAPPED_PROTOTYPES(type, name, arguments)                                              \
    type __wrap_##name arguments;                                                                  \
    type __real_##name arguments;
SIM_WRAPPED(SIM_WRAPPED_PROTOTYPES)
#undef SIM_WRAPPED_PROTOTYPES

/* In a process that was forked: what the client asked for. */
void sim_run_child_handler(void);
/* The end of a thread: what the client asked for. */
void sim_run_thread_end(void);

#endif
